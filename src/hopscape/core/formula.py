"""Formulas: a router written down as a few operations on whole numbers.

A :class:`Value` is a number that is computed from the two inputs, ``at`` and ``to``, and knows the
range that it lies in. Routers build the port to leave by out of values
(:meth:`~hopscape.core.router.Router.formula`); :mod:`hopscape.formats.code` prints them as C,
Verilog, P4 or Python, and :func:`evaluate` computes them for arrays.

Division and remainder take a constant divisor and a value that is never negative. A router without
a formula of its own becomes a table of next ports (:func:`table_formula`), as small as its routes
allow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.wired import Wired

__all__ = [
    "TableValue",
    "Value",
    "absolute",
    "any_of",
    "both",
    "choose",
    "constant",
    "digits",
    "equal",
    "evaluate",
    "inputs",
    "inverted",
    "less",
    "lookup",
    "ordered",
    "table_formula",
    "wrapped",
]

_MOST_ENTRIES = 1 << 22  # 2,048 nodes, all pairs: source code of some 10 MB
_BOOLEAN = frozenset(("less", "equal", "and", "or", "not"))


@dataclass(frozen=True, eq=False)
class TableValue:
    """Constants by index: read-only memory in hardware."""

    name: str
    entries: tuple[int, ...]
    comment: str = ""


@dataclass(frozen=True, eq=False)
class Value:
    """A whole number, or a truth value, that a formula computes.

    Attributes:
        op: ``input``, ``constant``, ``add``, ``sub``, ``mul``, ``div``, ``mod``, ``xor``, ``shift``
            (to the right), ``select``, ``table``; ``less``, ``equal``, ``and``, ``or``, ``not`` are
            truth values.
        low, high: Its range (0 to 1 for a truth value).
        number: Of a constant; the divisor of ``div`` and ``mod``; the bits of ``shift``.
        name, comment: What readers of the code see.
    """

    op: str
    args: tuple[Value, ...]
    low: int
    high: int
    number: int = 0
    table: TableValue | None = None
    name: str = ""
    comment: str = ""

    @property
    def boolean(self) -> bool:
        """Is it a truth value?"""
        return self.op in _BOOLEAN

    def named(self, name: str, comment: str = "") -> Value:
        """The same value, with a name and a comment in the code."""
        return (
            self if self.op in ("constant", "input") else replace(self, name=name, comment=comment)
        )

    def narrow(self, low: int, high: int) -> Value:
        """The same value, known to lie in a smaller range."""
        return replace(self, low=max(low, self.low), high=min(high, self.high))

    def __add__(self, other: Value | int) -> Value:
        return _add(self, constant(other))

    __radd__ = __add__

    def __sub__(self, other: Value | int) -> Value:
        b = constant(other)
        if b.op == "constant":
            return self + -b.number
        return _fold("sub", (self, b), self.low - b.high, self.high - b.low)

    def __rsub__(self, other: int) -> Value:
        return constant(other) - self

    def __mul__(self, other: Value | int) -> Value:
        a, b = self, constant(other)
        if a.op == "constant":
            a, b = b, a
        if b.op == "constant" and b.number in (0, 1):
            return a if b.number else b
        ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        return _fold("mul", (a, b), min(ends), max(ends))

    def __floordiv__(self, divisor: int) -> Value:
        self._require_natural(divisor)
        if divisor == 1:
            return self
        if divisor & (divisor - 1) == 0:
            return self >> (divisor.bit_length() - 1)
        return _fold("div", (self,), self.low // divisor, self.high // divisor, divisor)

    def __mod__(self, divisor: int) -> Value:
        self._require_natural(divisor)
        if self.high < divisor:
            return self
        return _fold("mod", (self,), 0, divisor - 1, divisor)

    def __rshift__(self, bits: int) -> Value:
        if bits == 0:
            return self
        return _fold("shift", (self,), self.low >> bits, self.high >> bits, bits)

    def __xor__(self, other: Value) -> Value:
        top = (1 << max(self.high, other.high).bit_length()) - 1
        return _fold("xor", (self, other), 0, top)

    def _require_natural(self, divisor: int) -> None:
        if self.low < 0 or divisor < 1:
            raise ArgumentError(f"a formula divides {self.low}..{self.high} by {divisor}")

    def walk(self) -> Iterator[Value]:
        """All values that this one needs, each once, operands first, itself last."""
        seen: set[int] = set()
        stack: list[tuple[Value, bool]] = [(self, False)]
        while stack:
            value, done = stack.pop()
            if done:
                yield value
            elif id(value) not in seen:
                seen.add(id(value))
                stack.append((value, True))
                stack.extend((arg, False) for arg in reversed(value.args))


def inputs(order: int) -> tuple[Value, Value]:
    """The inputs: the node that asks and the destination, both from 0 to order - 1.

    Examples:
        >>> at, to = inputs(8)
        >>> gap = wrapped(to - at, 8)
        >>> evaluate(choose(less(4, gap), constant(1), constant(0)), [1, 1], [3, 7]).tolist()
        [0, 1]
    """
    return tuple(Value("input", (), 0, order - 1, name=name) for name in ("at", "to"))  # type: ignore[return-value]


def constant(value: Value | int) -> Value:
    """A constant (values are left as they are)."""
    if isinstance(value, Value):
        return value
    return Value("constant", (), int(value), int(value), int(value))


def _fold(op: str, args: tuple[Value, ...], low: int, high: int, number: int = 0) -> Value:
    """A value, or the constant that it must be."""
    if low == high:
        return constant(low)
    return Value(op, args, low, high, number)


def _add(a: Value, b: Value) -> Value:
    if a.op == "constant":
        a, b = b, a
    if b.op == "constant" and b.number == 0:
        return a
    return _fold("add", (a, b), a.low + b.low, a.high + b.high)


def equal(a: Value | int, b: Value | int) -> Value:
    """Is a = b?"""
    x, y = constant(a), constant(b)
    if x.low > y.high or y.low > x.high:
        return _truth(False)
    if x.low == x.high == y.low == y.high:
        return _truth(True)
    return Value("equal", (x, y), 0, 1)


def less(a: Value | int, b: Value | int) -> Value:
    """Is a < b?"""
    x, y = constant(a), constant(b)
    if x.high < y.low or x.low >= y.high:
        return _truth(x.high < y.low)
    return Value("less", (x, y), 0, 1)


def ordered(a: Value | int, b: Value | int) -> Value:
    """Is a <= b?"""
    return inverted(less(b, a))


def inverted(condition: Value) -> Value:
    """Not."""
    if condition.op == "constant":
        return _truth(not condition.number)
    return condition.args[0] if condition.op == "not" else Value("not", (condition,), 0, 1)


def _truth(value: bool) -> Value:
    return constant(int(value))


def both(a: Value, b: Value) -> Value:
    """And."""
    if a.op == "constant":
        return b if a.number else a
    if b.op == "constant":
        return a if b.number else b
    return Value("and", (a, b), 0, 1)


def any_of(conditions: Sequence[Value]) -> Value:
    """Is one of them true?"""
    result = _truth(False)
    for condition in conditions:
        if condition.op == "constant":
            if condition.number:
                return condition
        elif result.op == "constant":
            result = condition
        else:
            result = Value("or", (result, condition), 0, 1)
    return result


def choose(condition: Value, a: Value | int, b: Value | int) -> Value:
    """`a` where the condition holds, else `b`."""
    x, y = constant(a), constant(b)
    if condition.op == "constant":
        return x if condition.number else y
    return _fold("select", (condition, x, y), min(x.low, y.low), max(x.high, y.high))


def absolute(a: Value) -> Value:
    """|a|."""
    if a.low >= 0:
        return a
    high = max(-a.low, a.high)
    return choose(less(a, 0), 0 - a, a).narrow(0, high)


def wrapped(gap: Value, size: int) -> Value:
    """A difference of two numbers from 0 to size - 1, modulo size."""
    return choose(less(gap, 0), gap + size, gap).narrow(0, size - 1)


def digits(number: Value, sides: Sequence[int]) -> list[Value]:
    """The digits of a number in a mixed radix, the last side running fastest."""
    out = []
    for side in reversed(sides):
        out.append(number % side)
        number = number // side
    return out[::-1]


def lookup(name: str, entries: Sequence[int] | IntArray, index: Value, comment: str = "") -> Value:
    """An entry of a table of constants."""
    values = tuple(int(entry) for entry in entries)
    if not 0 <= index.low <= index.high < len(values):
        raise ArgumentError(f"table {name} has {len(values)} entries, not {index.high + 1}")
    table = TableValue(name, values, comment)
    first = values[index.low]
    if index.low == index.high or min(values) == max(values):
        return constant(first)
    return Value("table", (index,), min(values), max(values), table=table)


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "xor": lambda a, b: a ^ b,
    "less": lambda a, b: (a < b).astype(bool),
    "equal": lambda a, b: (a == b).astype(bool),
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "not": lambda a: ~a,
    "select": np.where,
}


def evaluate(value: Value, at: Sequence[int] | IntArray, to: Sequence[int] | IntArray) -> IntArray:
    """The value for many pairs of nodes.

    Raises:
        AssertionError: When a number leaves the range that the formula says it lies in.
    """
    values = list(value.walk())
    large = max(max(abs(v.low), abs(v.high)) for v in values) >= 2**62
    kind: Any = object if large else np.int64
    known: dict[int, Any] = {}
    given = {"at": np.asarray(at, dtype=kind), "to": np.asarray(to, dtype=kind)}
    for one in values:
        result = _evaluate_one(one, [known[id(arg)] for arg in one.args], given, kind)
        if not one.boolean and np.size(result):
            assert one.low <= result.min(), f"{one.op} {one.name}"
            assert result.max() <= one.high, f"{one.op} {one.name}"
        known[id(one)] = result
    return np.asarray(np.broadcast_to(known[id(value)], given["at"].shape))


def _evaluate_one(one: Value, args: list[Any], given: dict[str, Any], kind: Any) -> Any:
    if one.op == "input":
        return given[one.name]
    if one.op == "constant":
        return np.asarray(one.number, dtype=kind)
    if one.op == "table":
        assert one.table is not None
        return np.asarray(one.table.entries, dtype=kind)[args[0].astype(np.int64)]
    if one.op in ("div", "mod", "shift"):
        by = {"div": np.floor_divide, "mod": np.mod, "shift": np.right_shift}[one.op]
        return by(args[0], one.number)
    return _OPERATIONS[one.op](*args)


def table_formula(
    network: Wired, next_ports: Callable[[IntArray, IntArray], IntArray], at: Value, to: Value
) -> Value:
    """The port to leave by, from a table.

    By difference where only that counts; otherwise by pair, without rows for endpoints of a single
    port when they come first.

    Raises:
        TooLargeError: When there are more than four million pairs.
    """
    n = network.order
    if n * n > _MOST_ENTRIES:
        raise TooLargeError(
            f"{network.spec} has no formula, and a table of {n} × {n} ports;"
            f" at most {_MOST_ENTRIES} are written as code"
        )
    nodes = np.arange(n, dtype=np.int64)
    ports = np.stack([next_ports(np.full_like(nodes, v), nodes) for v in range(n)])
    shifted = (nodes[None, :] - nodes[:, None]) % n
    if n > 2 and np.array_equal(ports, ports[0][shifted]):
        gap = wrapped(to - at, n).named("gap", "the difference alone decides")
        return lookup("first", ports[0], gap, "first port by difference")
    leaves = _leading_leaves(ports)
    if leaves == n:
        return choose(equal(at, to), -1, 0)
    if leaves < n // 4:
        return lookup("ports", ports.ravel(), at * n + to, "next port, row by row for each node")
    row = choose(less(at, leaves), 0, at - leaves).narrow(0, n - leaves - 1)
    by_switch = lookup("ports", ports[leaves:].ravel(), row * n + to, "next port, by switch")
    return choose(less(at, leaves), choose(equal(at, to), -1, 0), by_switch)


def _leading_leaves(ports: IntArray) -> int:
    """How many nodes from the first on leave by port 0 to everybody."""
    plain = np.zeros_like(ports)
    np.fill_diagonal(plain, -1)
    other = (ports != plain).any(axis=1)
    return int(other.argmax()) if other.any() else len(ports)
