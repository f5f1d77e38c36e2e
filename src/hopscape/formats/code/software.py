"""A formula as a list of statements: names, widths, and divisions that hardware can do.

Formulas as C and Python.

Formulas as P4_16: a control block of arithmetic and, for tables, constant entries.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hopscape.core.errors import TooLargeError
from hopscape.core.formula import TableValue, Value

__all__ = [
    "Statements",
    "c_code",
    "identifier",
    "p4_code",
    "python_code",
    "signed_bits",
    "statements",
    "without_division",
]

_TAKEN = frozenset(
    re.findall(
        r"\w+",
        "and or not if else for int long return case default table action key apply in out inout"
        " bit const static reg wire module input output begin end assign always initial integer"
        " parameter port arrived clk reset valid ready chosen moving lambda is def class pass while"
        " from import as with global none true false bool control state exit value index",
    )
)


def identifier(text: str) -> str:
    """A name for code from any text: lower case, digits and underscores.

    Examples:
        >>> identifier("circulant(16, 1, 4)"), identifier("2d")
        ('circulant_16_1_4', 'n_2d')
    """
    name = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:60].rstrip("_")
    return name if name[:1].isalpha() else f"n_{name}".rstrip("_")


def signed_bits(low: int, high: int) -> int:
    """Bits of the narrowest two's complement number that holds the range."""
    return max(high.bit_length(), (-low - 1).bit_length() if low < 0 else 0) + 1


@dataclass(frozen=True)
class Statements:
    """The values of a formula in order, each with the name that it has in the code.

    Attributes:
        values: Operands first; inputs and constants are left out.
        names: By ``id`` of the value; inputs included. What has no name is written where it is
            used.
        tables: Each once, with a name of its own.
    """

    values: list[Value]
    names: dict[int, str]
    tables: list[TableValue]
    table_of: dict[int, TableValue]
    result: Value


def statements(result: Value, inline: bool, prefix: str = "") -> Statements:
    """Number the values of a formula.

    Args:
        inline: Leave values without a name that are used once and have none of their own.
        prefix: What the names of tables begin with.
    """
    order = list(result.walk())
    used = Counter(id(arg) for value in order for arg in value.args)
    taken, names, tables = set(_TAKEN), {}, {}
    table_of: dict[int, TableValue] = {}
    for value in order:
        if value.op == "input":
            names[id(value)] = value.name
            taken.add(value.name)
    for value in order:
        if value.op in ("input", "constant"):
            continue
        if value.table is not None:
            key = (value.table.name, value.table.entries)
            if key not in tables:
                tables[key] = replace(
                    value.table, name=_fresh(f"{prefix}{value.table.name}_table", taken)
                )
            table_of[id(value)] = tables[key]
        if value.name or not inline or used[id(value)] > 1 or value is result:
            names[id(value)] = _fresh(value.name or "v", taken)
    operations = [value for value in order if value.op not in ("input", "constant")]
    return Statements(operations, names, list(tables.values()), table_of, result)


def _fresh(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 1
    while name in taken or name == "v":
        number += 1
        name = f"{wanted}_{number}" if wanted != "v" else f"v{number - 1}"
    taken.add(name)
    return name


def without_division(result: Value) -> Value:
    """The same formula with every division by a constant as a product and a shift.

    x // d = x·m >> s for all x from 0 to h, where m = ceil(2^s / d) and (m·d - 2^s)·(h + 1) <= 2^s
    (Granlund and Montgomery, "Division by invariant integers using multiplication", PLDI 1994).
    """
    new: dict[int, Value] = {}
    quotients: dict[tuple[int, int], Value] = {}
    for value in result.walk():
        args = tuple(new[id(arg)] for arg in value.args)
        if value.op not in ("div", "mod"):
            changed = any(a is not b for a, b in zip(args, value.args, strict=True))
            new[id(value)] = replace(value, args=args) if changed else value
            continue
        x, d = args[0], value.number
        key = (id(x), d)
        if key not in quotients:
            quotients[key] = _quotient(x, d)
        reduced = quotients[key] if value.op == "div" else x - quotients[key] * d
        reduced = reduced.narrow(value.low, value.high)
        new[id(value)] = reduced.named(value.name, value.comment) if value.name else reduced
    return new[id(result)]


def _quotient(x: Value, d: int) -> Value:
    if d & (d - 1) == 0:
        return x >> (d.bit_length() - 1)
    shift = 0
    while (-(1 << shift) % d) * (x.high + 1) > 1 << shift:
        shift += 1
    return ((x * -(-(1 << shift) // d)) >> shift).narrow(0, x.high // d)


_SIGNS = {"add": "+", "sub": "-", "mul": "*", "xor": "^", "less": "<", "equal": "=="}
_WIDTH = 96  # letters of a line of numbers


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


_P4_SIGNS = {"add": "+", "sub": "-", "mul": "*", "xor": "^", "less": "<", "equal": "=="}
_P4_SIGNS |= {"and": "&&", "or": "||"}


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
    return f"{name} = {args[0]} {_P4_SIGNS[value.op]} {args[1]};"
