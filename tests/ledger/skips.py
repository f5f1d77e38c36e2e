"""Loops of checks that stop half way: a planted error that every entry must notice.

``python tests/ledger/skips.py --paper rpc`` tries every loop of every entry and lists those whose
stop changes nothing that is pinned.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from hopscape.ledger import Claim, Outcome, load_claims, run_claim
from hopscape.ledger.planting import _judges

__all__ = ["Loop", "loops_of", "stopped"]

_GATE = "__gate__"


@dataclass(frozen=True)
class Loop:
    """One ``for`` of a check or of a function that it calls, by its number in the function.

    Attributes:
        counted: Its text says that its cases are counted.
    """

    function: FunctionType
    number: int
    line: int
    counted: bool

    def __str__(self) -> str:
        return f"{self.function.__module__}:{self.function.__name__}, line {self.line}"


def _own_functions(check: Any) -> list[FunctionType]:
    """The check and the functions of judging modules that it calls, over however many others."""
    found: dict[int, FunctionType] = {}
    queue = [check]
    while queue:
        value = queue.pop()
        value = getattr(value, "func", value)  # of a partial
        value = getattr(value, "__wrapped__", value)  # of a cache
        if not isinstance(value, FunctionType) or id(value) in found:
            continue
        if not _judges(value.__module__.rpartition(".")[2]):
            continue
        found[id(value)] = value
        queue += [cell.cell_contents for cell in value.__closure__ or ()]
        for name in _names(value.__code__):
            queue.append(value.__globals__.get(name))
            for holder in value.__globals__.values():  # a module or a class of the paper
                module = holder.__module__ if isinstance(holder, type) else _name(holder)
                if module.startswith("hopscape.papers"):
                    queue.append(getattr(holder, name, None))
    return list(found.values())


def _name(value: Any) -> str:
    return str(getattr(value, "__name__", "")) if isinstance(value, ModuleType) else ""


def _names(code: Any) -> set[str]:
    inner = [_names(one) for one in code.co_consts if hasattr(one, "co_names")]
    return set(code.co_names).union(*inner)


@cache
def _definition(function: FunctionType) -> ast.FunctionDef | None:
    """The text of a function or a method, parsed."""
    text = Path(function.__code__.co_filename).read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__:
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            if first == function.__code__.co_firstlineno:
                return node
    return None


def _outermost(node: ast.AST) -> Iterator[ast.AST]:
    """Loops and comprehensions that are not inside another one."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.For | ast.comprehension):
            yield child
        else:
            yield from _outermost(child)


def loops_of(claim: Claim) -> list[Loop]:
    """Outermost loops of the code that judges a claim."""
    return [
        Loop(function, number, getattr(one, "lineno", 0) or one.target.lineno, _is_counted(one))
        for function in _own_functions(claim.check)
        if (tree := _definition(function)) is not None
        for number, one in enumerate(_outermost(tree))
    ]


def _is_counted(loop: ast.AST) -> bool:
    """Goes through the cases of a tally, or adds to one in its body."""
    text = ast.unparse(loop)
    return re.search(r"\btally\.(each|add)\(", text) is not None and "tally.expect(" not in text


class _Gate:
    """Counts the passes of a loop, or stops it after half of them."""

    def __init__(self, passes: list[int] | None = None) -> None:
        self.passes: list[int] = []
        self._known = passes

    def __call__(self, cases: Iterable[Any]) -> Iterator[Any]:
        place = len(self.passes)
        self.passes.append(0)
        most = None if self._known is None else self._known[place] // 2
        for case in cases:
            if most is not None and self.passes[place] == most:
                return
            self.passes[place] += 1
            yield case


@contextmanager
def _planted(loop: Loop, gate: _Gate) -> Iterator[None]:
    """The function with the loop behind a gate."""
    function = loop.function
    text = textwrap.dedent(ast.unparse(_definition(function)))  # type: ignore[arg-type]
    tree = ast.parse(text)
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list = []
    target = list(_outermost(definition))[loop.number]
    assert isinstance(target, ast.For | ast.comprehension)
    target.iter = ast.Call(ast.Name(_GATE, ast.Load()), [target.iter], [])
    scope: dict[str, Any] = {}
    file = f"<{function.__name__} with a loop that stops>"
    exec(compile(ast.fix_missing_locations(tree), file, "exec"), dict(function.__globals__), scope)
    before = function.__code__
    function.__globals__[_GATE] = gate
    function.__code__ = scope[function.__name__].__code__
    _forget()
    try:
        yield
    finally:
        function.__code__ = before
        del function.__globals__[_GATE]
        _forget()


def _forget() -> None:
    """Empty the caches of judging modules."""
    for name, module in list(sys.modules.items()):
        if name.startswith("hopscape.papers") and _judges(name.rpartition(".")[2]):
            for value in list(vars(module).values()):
                clear = getattr(value, "cache_clear", None)
                if callable(clear):
                    clear()


def stopped(claim: Claim, loop: Loop) -> Outcome | None:
    """What the entry finds when the loop stops half way; None when it makes no pass at all."""
    gate = _Gate()
    with _planted(loop, gate):
        run_claim(claim)
    if not any(gate.passes):
        return None
    with _planted(loop, _Gate(gate.passes)):
        return run_claim(claim).outcome


def _survey(claims: Iterable[Claim]) -> None:
    total = missed = 0
    for claim in claims:
        right = run_claim(claim)
        if right.seconds > 3:
            print(f"{claim.key}: left out, {right.seconds:.1f} s", flush=True)
            continue
        told = 0
        for loop in loops_of(claim):
            wrong = stopped(claim, loop)
            total += wrong is not None
            told += wrong is not None and wrong.note.startswith("searched")
            if wrong == right.outcome:
                missed += 1
                print(f"{claim.key}: {loop}", flush=True)
            elif wrong is not None and loop.counted and wrong.ruling != "failed":
                print(f"{claim.key}: {loop}: {wrong.ruling}, not failed", flush=True)
        if claim.searches and not told:
            print(f"{claim.key}: no stop changes a count", flush=True)
    print(f"{missed} of {total} stops were not noticed")


if __name__ == "__main__":
    import argparse

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--paper")
    parser.add_argument("--claim")
    given = parser.parse_args()
    _survey(load_claims(given.paper, given.claim))
