"""Mutants of a program: one small change each, in the body of a function.

The operators are the classic ones of mutation testing (DeMillo, Lipton and Sayward, "Hints on test
data selection", 1978; Offutt and others, "An experimental determination of sufficient mutant
operators", 1996): constants off by one, comparisons and arithmetic exchanged, conditions negated,
statements dropped, return values replaced. The ledger and the tests both draw from them.
"""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Mutant", "changed", "changes", "mutants_of", "mutated", "walk"]

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change.

    Attributes:
        node: The number of the changed node in a :func:`walk` of the module.
        kind: What becomes of it, one of :func:`changes`.
        text: Its function and its first line.
        key: The same for the same change while other parts of the module are edited.
    """

    module: str
    line: int
    node: int
    kind: str
    text: str
    key: str


def changes(node: ast.AST) -> Iterator[str]:
    """The kinds of changes that a node allows."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        yield "compare"
    elif isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp) and type(node.op) in SWAPS:
        yield "operator"
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "flip"
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield "one more"
        yield "one less"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "no not"
    elif isinstance(node, ast.Return) and node.value is not None:
        yield "return 0"
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        yield "negate"
    droppable = isinstance(node, ast.Continue | ast.AugAssign) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    )
    if droppable or (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)):
        yield "drop"


def changed(node: Any, kind: str) -> Any:
    """The node that takes its place."""
    if kind == "compare":
        node.ops[0] = SWAPS[type(node.ops[0])]()
    elif kind == "operator":
        node.op = SWAPS[type(node.op)]()
    elif kind == "flip":
        node.value = not node.value
    elif kind == "one more":
        node.value += 1
    elif kind == "one less":
        node.value -= 1
    elif kind == "no not":
        return node.operand
    elif kind == "return 0":
        node.value = ast.copy_location(ast.Constant(0), node)
    elif kind == "negate":
        node.test = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node)
    else:
        return ast.copy_location(ast.Pass(), node)
    return node


def walk(tree: ast.AST, function: str = "") -> Iterator[tuple[ast.AST, str]]:
    """Nodes inside functions, with their function; no words of errors, no types, no decorators."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.Raise | ast.JoinedStr):
                continue
            if "intrinsic" in "".join(map(ast.unparse, getattr(child, "decorator_list", []))):
                continue  # machine code, which nobody sees without a compiler
            inside = getattr(child, "name", function)
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                yield from walk(child, inside)
                continue
            if function and not isinstance(tree, ast.ClassDef):
                yield child, function
            yield from walk(child, function)


def mutants_of(text: str, module: str) -> list[Mutant]:
    """All mutants of a module.

    Examples:
        >>> [m.kind for m in mutants_of("def f(x): return x + 1", "m")]
        ['return 0', 'operator', 'one more', 'one less']
    """
    out, seen = [], Counter[tuple[str, str, str]]()
    for number, (node, function) in enumerate(walk(ast.parse(text))):
        for kind in changes(node):
            first = ast.unparse(node).split("\n")[0]
            place = (function, kind, first)
            digest = hashlib.sha256(f"{module} {place} {seen[place]}".encode()).hexdigest()[:12]
            seen[place] += 1
            line = getattr(node, "lineno", 0)
            out.append(Mutant(module, line, number, kind, f"{function}: {first}", digest))
    return out


def mutated(mutant: Mutant, text: str) -> ast.Module:
    """The module with one change; lines keep their numbers.

    Examples:
        >>> text = "def f(x):\\n    return x + 1"
        >>> ast.unparse(mutated(mutants_of(text, "m")[1], text)).split("\\n")[1].strip()
        'return x - 1'
    """
    tree = ast.parse(text)
    target = next(node for i, (node, _) in enumerate(walk(tree)) if i == mutant.node)

    class Put(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> Any:
            self.generic_visit(node)
            return changed(node, mutant.kind) if node is target else node

    made: ast.Module = ast.fix_missing_locations(Put().visit(tree))
    return made
