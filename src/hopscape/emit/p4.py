"""Formulas as P4_16: a control block of arithmetic and, for tables, constant entries."""

from __future__ import annotations

from collections.abc import Sequence

from hopscape.core.formula import Value
from hopscape.emit.statements import Statements, signed_bits, statements, without_division

__all__ = ["p4_code"]

_SIGNS = {"add": "+", "sub": "-", "mul": "*", "xor": "^", "less": "<", "equal": "=="}
_SIGNS |= {"and": "&&", "or": "||"}


def p4_code(result: Value, name: str, notes: Sequence[str], nodes: int, ports: int) -> str:
    """The control ``NAME_route(in at, in to, out port)``; all numbers have the same width."""
    known = statements(without_division(result), inline=False)
    width = max(8, *(signed_bits(v.low, v.high) for v in known.result.walk()))
    width = -(-width // 8) * 8
    kind = f"int<{width}>"
    lines = [f"// {note}".rstrip() for note in notes]
    lines += ["", f"control {name}_route(in {kind} at, in {kind} to, out {kind} port) {{"]
    for value in known.values:
        shape = "bool" if value.boolean else kind
        note = f"  // {value.comment}" if value.comment else ""
        lines.append(f"    {shape} {known.names[id(value)]};{note}")
    for value in known.values:
        if value.op == "table":
            lines += _table(value, known, kind, width)
    lines.append("    apply {")
    for value in known.values:
        lines.append("        " + _statement(value, known, width))
    lines.append(f"        port = {_operand(known.result, known, width)};")
    return "\n".join([*lines, "    }", "}", ""])


def _table(value: Value, known: Statements, kind: str, width: int) -> list[str]:
    name, table = known.names[id(value)], known.table_of[id(value)]
    index = _operand(value.args[0], known, width)
    lines = [f"    // {table.comment}"] if table.comment else []
    lines += [
        f"    action set_{name}({kind} found) {{ {name} = found; }}",
        f"    table lookup_{name} {{",
        f'        key = {{ (bit<{width}>) {index} : exact @name("index"); }}',
        f"        actions = {{ set_{name}; }}",
        f"        const default_action = set_{name}(-{width}s1);",
        "        const entries = {",
    ]
    lines += [
        f"            {width}w{i} : set_{name}({_literal(entry, width)});"
        for i, entry in enumerate(table.entries)
    ]
    return [*lines, "        }", f"        size = {len(table.entries)};", "    }"]


def _literal(number: int, width: int) -> str:
    return f"{'-' if number < 0 else ''}{width}s{abs(number)}"


def _operand(value: Value, known: Statements, width: int) -> str:
    return _literal(value.number, width) if value.op == "constant" else known.names[id(value)]


def _statement(value: Value, known: Statements, width: int) -> str:
    name = known.names[id(value)]
    args = [_operand(arg, known, width) for arg in value.args]
    if value.op == "table":
        return f"lookup_{name}.apply();"
    if value.op == "select":
        return f"{name} = {args[0]} ? {args[1]} : {args[2]};"
    if value.op == "not":
        return f"{name} = !{args[0]};"
    if value.op == "shift":
        return f"{name} = {args[0]} >> {value.number};"
    return f"{name} = {args[0]} {_SIGNS[value.op]} {args[1]};"
