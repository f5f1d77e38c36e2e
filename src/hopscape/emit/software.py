"""Formulas as C and Python."""

from __future__ import annotations

from collections.abc import Sequence

from hopscape.core.errors import TooLargeError
from hopscape.core.formula import Value
from hopscape.emit.statements import Statements, statements

__all__ = ["c_code", "python_code"]

_SIGNS = {"add": "+", "sub": "-", "mul": "*", "xor": "^", "less": "<", "equal": "=="}
_WIDTH = 96


def _expression(value: Value, known: Statements, language: str, top: bool = False) -> str:
    """A value where it is used: its name, a constant, or what it is computed by."""
    if value.op == "constant":
        return str(value.number)
    if not top and id(value) in known.names:
        return known.names[id(value)]
    args = [_expression(arg, known, language) for arg in value.args]
    c = language == "c"
    if value.op == "table":
        return f"{known.table_of[id(value)].name}[{args[0]}]"
    if value.op == "select":
        text = (
            f"{args[0]} ? {args[1]} : {args[2]}" if c else f"{args[1]} if {args[0]} else {args[2]}"
        )
    elif value.op == "not":
        text = f"!{args[0]}" if c else f"not {args[0]}"
    elif value.op in ("and", "or"):
        sign = {"and": "&&", "or": "||"}[value.op] if c else value.op
        text = f" {sign} ".join(args)
    elif value.op in ("div", "mod", "shift"):
        sign = {"div": "/" if c else "//", "mod": "%", "shift": ">>"}[value.op]
        text = f"{args[0]} {sign} {value.number}"
    elif value.op == "add" and value.args[1].op == "constant" and value.args[1].number < 0:
        text = f"{args[0]} - {-value.args[1].number}"
    else:
        text = f" {_SIGNS[value.op]} ".join(args)
    return text if top else f"({text})"


def _rows(entries: Sequence[int]) -> list[str]:
    """Constants, as many in a line as fit."""
    width = max(len(str(min(entries))), len(str(max(entries)))) + 2
    each = max(1, (_WIDTH - 4) // width)
    return [
        ", ".join(map(str, entries[low : low + each])) + "," for low in range(0, len(entries), each)
    ]


def c_code(result: Value, name: str, notes: Sequence[str], nodes: int, ports: int) -> str:
    """A translation unit with the function ``NAME_next_port(at, to)``.

    Raises:
        TooLargeError: When a number does not fit in 64 bits.
    """
    most = max(max(abs(v.low), abs(v.high)) for v in result.walk())
    if most >= 2**63:
        raise TooLargeError(
            f"the formula needs numbers of {most.bit_length()} bits; C has 64 (Python has any)"
        )
    known = statements(result, inline=True, prefix=f"{name}_")
    upper = name.upper()
    lines = ["/*", *(f" * {note}".rstrip() for note in notes), " */", "#include <stdint.h>", ""]
    if nodes < 2**31:
        lines += [f"enum {{ {upper}_NODES = {nodes}, {upper}_PORTS = {ports} }};", ""]
    for table in known.tables:
        if table.comment:
            lines.append(f"/* {table.comment} */")
        kind = "int8_t" if max(table.entries) < 128 else "int32_t"
        lines.append(f"static const {kind} {table.name}[{len(table.entries)}] = {{")
        lines += [f"    {row}" for row in _rows(table.entries)]
        lines += ["};", ""]
    lines += [
        f"/* The port by which to leave node `at` towards node `to`, both 0 to {nodes - 1};",
        " * -1 on arrival, or where there is no route. */",
        f"int {name}_next_port(int64_t at, int64_t to)",
        "{",
        *(f"    {line}" for line in _unused(known, "(void) {};")),
    ]
    for value in known.values:
        if id(value) in known.names:
            note = f" /* {value.comment} */" if value.comment else ""
            kind = "int" if value.boolean else "int64_t"
            text = _expression(value, known, "c", top=True)
            lines.append(f"    const {kind} {known.names[id(value)]} = {text};{note}")
    return "\n".join([*lines, f"    return (int) {_expression(result, known, 'c')};", "}", ""])


def python_code(result: Value, name: str, notes: Sequence[str], nodes: int, ports: int) -> str:
    """A module with ``NODES``, ``PORTS`` and ``next_port(at, to)``."""
    known = statements(result, inline=True)
    lines = ['"""' + notes[0], "", *notes[1:], '"""', "", f"NODES, PORTS = {nodes}, {ports}", ""]
    for table in known.tables:
        lines += [f"# {table.comment}"] if table.comment else []
        lines += [f"{table.name} = (", *(f"    {row}" for row in _rows(table.entries)), ")", ""]
    lines += [
        "",
        "def next_port(at: int, to: int) -> int:",
        f'    """The port by which to leave node `at` towards node `to`, both 0 to {nodes - 1}.',
        "",
        "    -1 on arrival, or where there is no route.",
        '    """',
    ]
    for value in known.values:
        if id(value) in known.names:
            note = f"  # {value.comment}" if value.comment else ""
            text = _expression(value, known, "python", top=True)
            lines.append(f"    {known.names[id(value)]} = {text}{note}")
    return "\n".join([*lines, f"    return {_expression(result, known, 'python')}", ""])


def _unused(known: Statements, form: str) -> list[str]:
    """A line for each input that the formula does not look at."""
    seen = {value.name for value in known.result.walk() if value.op == "input"}
    return [form.format(name) for name in ("at", "to") if name not in seen]
