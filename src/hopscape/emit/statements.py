"""A formula as a list of statements: names, widths, and divisions that hardware can do."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

from hopscape.core.formula import Table, Value

__all__ = ["Statements", "identifier", "signed_bits", "statements", "without_division"]

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
    tables: list[Table]
    table_of: dict[int, Table]
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
    table_of: dict[int, Table] = {}
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
    kept = [value for value in order if value.op not in ("input", "constant")]
    return Statements(kept, names, list(tables.values()), table_of, result)


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
        found = quotients[key] if value.op == "div" else x - quotients[key] * d
        found = found.narrow(value.low, value.high)
        new[id(value)] = found.named(value.name, value.comment) if value.name else found
    return new[id(result)]


def _quotient(x: Value, d: int) -> Value:
    if d & (d - 1) == 0:
        return x >> (d.bit_length() - 1)
    shift = 0
    while (-(1 << shift) % d) * (x.high + 1) > 1 << shift:
        shift += 1
    return ((x * -(-(1 << shift) // d)) >> shift).narrow(0, x.high // d)
