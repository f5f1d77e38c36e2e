"""Closed forms for path vectors, and recognising the circulants that have one.

:class:`RingForm` serves every graph of the two-parameter family (13)-(15) of the paper, which
contains the families (5) and (19); :class:`CellForm` serves (17), and (18) by a multiplier.

How many nodes a circulant can have, and how small its diameter can be: exact integers.

Circulants that are the same up to a multiplier: v -> u·v mod N for a unit u.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from hopscape.algebra.reduction import Vector, l1
from hopscape.core.errors import ArgumentError, TooLargeError

__all__ = [
    "CellForm",
    "RingForm",
    "ball",
    "canonical",
    "cell_basis",
    "find_multiplier",
    "fold",
    "least_mean",
    "max_order",
    "nearest_double_loop",
    "recognise",
    "set_17",
    "set_18",
    "set_two_parameter",
    "ulb",
]


def set_two_parameter(d: int, p: int) -> tuple[int, Vector]:
    """Order and generators of family (13)-(15), for d >= 2 and 1 <= p <= 2d - 2 (the paper's p3).

    Examples:
        >>> set_two_parameter(6, 4)
        (333, (1, 9, 73))
    """
    c = -(-p // 2)
    h = d - c + 1
    q = h - 1 if p % 2 == 0 else h
    s2 = 2 * h - 1
    half = q * s2 + h
    s3 = 2 * half - s2
    return p * s3 + half, (1, s2, s3)


def set_17(d: int) -> Vector:
    """Generators (17), for d >= 1 and order ``max_order(d, 3)``."""
    k, rest = divmod(d, 3)
    if rest == 0:
        return (1, 8 * k**2 + 2 * k, 8 * k**2 + 6 * k + 2)
    if rest == 1:
        return (1, 8 * k**2 + 6 * k + 2, 8 * k**2 + 10 * k + 4)
    return (1, 8 * k**2 + 10 * k + 4, 8 * k**2 + 14 * k + 6)


def set_18(d: int) -> Vector | None:
    """Generators (18); none for d ≡ 1 mod 3."""
    k, rest = divmod(d, 3)
    if rest == 0:
        return (1, 16 * k**3 + 4 * k**2, 16 * k**3 + 4 * k**2 + 4 * k)
    if rest == 2:
        low = 16 * k**3 + 36 * k**2 + 26 * k + 5
        return (1, low, low + 4 * k + 4)
    return None


def cell_basis(d: int) -> tuple[Vector, Vector, Vector]:
    """A basis of the lattice of (17) whose cells have a shortest vector among their corners."""
    k, rest = divmod(d, 3)
    m = 2 * k if rest == 0 else 2 * k + 1
    if rest == 0:
        return (2 * m + 2, 1, -1), (1, -2 * m, -1), (m + 1, m, m)
    if rest == 1:
        return (2 * m, 1, -1), (1, -2 * m, -1), (m, m, m)
    return (2 * m, 1, -1), (1, -2 * m - 2, -1), (m, m + 1, m + 1)


@dataclass(frozen=True)
class RingForm:
    """Families (13)-(15) and (19): N = p·s3 + R, R = q·s2 + h, s2 = 2h - 1, s2 + s3 = 2R.

    Coordinate i of the formula belongs to generator slots[i], with sign signs[i].
    """

    name: ClassVar[str] = "closed form (13)-(15)"
    nodes: int
    s2: int
    s3: int
    h: int
    q: int
    p: int
    slots: Vector = (0, 1, 2)
    signs: Vector = (1, 1, 1)

    @property
    def diameter(self) -> int:
        return (self.h + self.p + self.q) // 2

    def vector(self, v: int) -> Vector:
        """A shortest path vector to node v."""
        half = (self.s2 + self.s3) // 2
        i, delta = divmod(v, self.s3)
        mirrored = delta > half
        if mirrored:
            delta = 2 * half - delta
        j, e = divmod(delta, self.s2)
        k = e - self.h
        direct = self.h + i + j - abs(k)
        wrapped = self.p + self.q - i - j + abs(k)
        if wrapped <= direct:
            sign = -1 if mirrored else 1
            vector = (sign * k, sign * (j - self.q), i - self.p)
        else:
            vector = (e, j, i) if k <= 0 else (e - self.s2, j + 1, i)
            if mirrored:
                vector = (-vector[0], 1 - vector[1], i + 1)
        return _placed(vector, self.slots, self.signs)


@dataclass(frozen=True)
class CellForm:
    """Family (17): the best corner of the lattice cell that holds (factor·v mod N, 0, 0)."""

    name: ClassVar[str] = "closed form (17)"
    nodes: int
    diameter: int
    factor: int
    basis: tuple[Vector, Vector, Vector]
    rows: Vector
    slots: Vector
    signs: Vector

    def vector(self, v: int) -> Vector:
        """A shortest path vector to node v."""
        at = self.factor * v % self.nodes
        floors = [at * w // self.nodes for w in self.rows]
        corners = (
            tuple(
                (at if i == 0 else 0)
                - sum((f + up) * b[i] for f, up, b in zip(floors, ups, self.basis, strict=True))
                for i in range(3)
            )
            for ups in itertools.product((0, 1), repeat=3)
        )
        return _placed(min(corners, key=l1), self.slots, self.signs)


def _placed(vector: Sequence[int], slots: Vector, signs: Vector) -> Vector:
    out = [0] * len(vector)
    for value, slot, sign in zip(vector, slots, signs, strict=True):
        out[slot] = sign * value
    return tuple(out)


def recognise(nodes: int, generators: Sequence[int]) -> RingForm | CellForm | None:
    """The closed form of a circulant, whatever the order and signs of its generators.

    Examples:
        >>> recognise(333, (9, 260, 1)).diameter
        6
        >>> recognise(333, (1, 2, 3)) is None
        True
    """
    if len(generators) != 3:
        return None
    return _recognise_ring(nodes, generators) or _recognise_cell(nodes, generators)


def _recognise_ring(nodes: int, generators: Sequence[int]) -> RingForm | None:
    for slots, signs in _arrangements():
        one, s2, s3 = (signs[i] * generators[slots[i]] % nodes for i in range(3))
        if one != 1 or s2 % 2 == 0 or s2 < 3 or s3 % 2 == 0 or s3 <= s2:
            continue
        h, half = (s2 + 1) // 2, (s2 + s3) // 2
        q, left = divmod(half - h, s2)
        p, over = divmod(nodes - half, s3)
        member = q == (h - 1 if p % 2 == 0 else h) or p == q == h - 1  # (13)-(15), or (19)
        if left == 0 and over == 0 and p >= 1 and member:
            return RingForm(nodes, s2, s3, h, q, p, slots, signs)
    return None


def _recognise_cell(nodes: int, generators: Sequence[int]) -> CellForm | None:
    d = _diameter_of(nodes)
    if d is None:
        return None
    target = set_17(d)
    basis = cell_basis(d)
    for slots, signs in _arrangements():
        turned = [signs[i] * generators[slots[i]] % nodes for i in range(3)]
        if math.gcd(turned[0], nodes) != 1:
            continue
        factor = pow(turned[0], -1, nodes)
        if all(factor * s % nodes == t % nodes for s, t in zip(turned, target, strict=True)):
            rows = _coordinate_rows(nodes, basis)
            return CellForm(nodes, d, factor, basis, rows, slots, signs)
    return None


def _coordinate_rows(nodes: int, basis: Sequence[Vector]) -> Vector:
    """Integers w_i: the coordinates of (at, 0, 0) in the basis are at·w_i / N."""
    (a, b, c), (d, e, f), (g, h, i) = basis
    cofactors = (e * i - f * h, -(b * i - c * h), b * f - c * e)
    determinant = a * cofactors[0] + d * cofactors[1] + g * cofactors[2]
    assert abs(determinant) == nodes
    return tuple((1 if determinant > 0 else -1) * w for w in cofactors)


def _arrangements() -> Iterator[tuple[Vector, Vector]]:
    for slots in itertools.permutations(range(3)):
        for signs in itertools.product((1, -1), repeat=3):
            yield slots, signs


def _diameter_of(nodes: int) -> int | None:
    """The d with max_order(d, 3) = nodes, or None."""
    low, high = 0, 1
    while max_order(high, 3) < nodes:
        high *= 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if max_order(middle, 3) < nodes else (low, middle)
    return high if max_order(high, 3) == nodes else None


def ball(d: int, n: int) -> int:
    """N(d, n): points of Z^n with at most `d` steps from the origin.

    No circulant with n generators and diameter d has more nodes.

    Args:
        d: Radius, at least 0.
        n: Dimension, at least 0.

    Examples:
        >>> ball(3, 3), ball(18, 3), ball(10**6, 2)
        (63, 8473, 2000002000001)
    """
    _require("d", d, 0)
    _require("n", n, 0)
    few = min(d, n)
    return sum(math.comb(n, i) * math.comb(d, i) << i for i in range(few + 1))


def ulb(nodes: int, n: int) -> int:
    """The least diameter that the ball allows: the smallest d with ``ball(d, n) >= nodes``.

    Examples:
        >>> ulb(7525, 3), ulb(21, 3), ulb(13, 2), ulb(14, 2)
        (18, 2, 2, 3)
    """
    _require("nodes", nodes, 1)
    _require("n", n, 1)
    high = 1
    while ball(high, n) < nodes:
        high *= 2
    low = -1  # ball(low) < nodes <= ball(high)
    while high - low > 1:
        middle = (low + high) // 2
        if middle >= 0 and ball(middle, n) >= nodes:
            high = middle
        else:
            low = middle
    return high


def max_order(d: int, n: int) -> int:
    """M(d, n): the most nodes that a ring circulant of diameter d with n generators has.

    Known in closed form for up to three generators, and for d <= 1. For three it is the paper's
    Theorem 2, whose proof is not complete; exhaustive search agrees as far as it went (d = 12).

    Raises:
        ArgumentError: Where no closed form is known; ``hopscape search circulant --diameter``
            searches.

    Examples:
        >>> [max_order(d, 3) for d in (1, 2, 3, 4, 18)]
        [7, 21, 55, 117, 7525]
        >>> max_order(60, 2)
        7321
    """
    _require("d", d, 0)
    _require("n", n, 1)
    if n <= 2 or d <= 1:
        return ball(d, n)
    if n > 3:
        raise ArgumentError(
            f"no closed form is known for the largest order with n = {n} generators and"
            f" diameter {d}; 'hopscape search circulant --diameter {d} --generators {n}' searches"
        )
    k, rest = divmod(d, 3)
    if rest == 0:
        return 32 * k**3 + 16 * k**2 + 6 * k + 1
    if rest == 1:
        return 32 * k**3 + 48 * k**2 + 30 * k + 7
    return 32 * k**3 + 80 * k**2 + 70 * k + 21


def least_mean(nodes: int, n: int) -> Fraction:
    """The least mean distance that the ball allows: as many nodes as possible as near as possible.

    Examples:
        >>> least_mean(13, 2), least_mean(2, 1)
        (Fraction(5, 3), Fraction(1, 1))
    """
    _require("nodes", nodes, 2)
    radius = ulb(nodes, n)
    # each node counts once for every shell below it, and ball(r) = Σ C(n, i) C(r, i) 2^i
    balls = sum(math.comb(n, i) * math.comb(radius, i + 1) * 2**i for i in range(n + 1))
    return Fraction(radius * nodes - balls, nodes - 1)


def _require(name: str, value: int, low: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise ArgumentError(f"{name} is {value!r}; it must be an integer of at least {low}")


def nearest_double_loop(nodes: int) -> int:
    """The s of (N; s, s+1), which has the least diameter and mean with two generators.

    Examples:
        >>> [nearest_double_loop(nodes) for nodes in (5, 13, 25, 100)]
        [1, 2, 3, 7]
    """
    return math.isqrt(2 * nodes - 1) // 2


_MOST_UNITS = 10**6  # multipliers, tried one by one at some microseconds each


def fold(nodes: int, generators: Sequence[int], *, directed: bool = False) -> tuple[int, ...]:
    """The generators between 1 and N/2, sorted: s and N - s are the same links.

    Args:
        directed: Links have one direction: the generators between 1 and N - 1, sorted.

    Examples:
        >>> fold(21, (1, 13, 3)), fold(21, (1, 34, 3), directed=True)
        ((1, 3, 8), (1, 3, 13))
    """
    folded = sorted(s % nodes if directed else min(s % nodes, -s % nodes) for s in generators)
    if folded and folded[0] == 0:
        raise ArgumentError(f"a generator of {tuple(generators)} is 0 mod N = {nodes}")
    return tuple(folded)


def find_multiplier(
    nodes: int, generators: Sequence[int], others: Sequence[int], *, directed: bool = False
) -> int | None:
    """The least unit u with u·(±S) = ±S' mod N, or None when there is none.

    Without a common multiplier two circulants can still be isomorphic for some orders, so None does
    not prove that they differ.

    Examples:
        >>> find_multiplier(21, (1, 4, 6), (1, 5, 9))
        5
        >>> find_multiplier(21, (1, 3, 8), (1, 2, 3)) is None
        True
    """
    mine = fold(nodes, generators, directed=directed)
    theirs = fold(nodes, others, directed=directed)
    if len(mine) != len(theirs):
        return None
    if sorted(math.gcd(s, nodes) for s in mine) != sorted(math.gcd(s, nodes) for s in theirs):
        return None
    if not mine:
        return 1
    pivot = min(mine, key=lambda s: math.gcd(s, nodes))
    multipliers = (
        u if directed else min(u, nodes - u)
        for target in set(theirs)
        for u in _units(nodes, pivot, target)
        if fold(nodes, [u * s for s in mine], directed=directed) == theirs
    )
    return min(multipliers, default=None)


def canonical(nodes: int, generators: Sequence[int], *, directed: bool = False) -> tuple[int, ...]:
    """The first, in lexicographic order, of all folded generator sets up to multipliers.

    Examples:
        >>> canonical(21, (5, 8, 2)), canonical(12, (2, 3))
        ((1, 2, 5), (2, 3))
    """
    folded = fold(nodes, generators, directed=directed)
    if not folded:
        return ()
    least = min(math.gcd(s, nodes) for s in folded)
    return min(
        fold(nodes, [u * s for s in folded], directed=directed)
        for s in set(folded)
        if math.gcd(s, nodes) == least
        for u in _units(nodes, s, least % nodes)
    )


def _units(nodes: int, source: int, target: int) -> Iterator[int]:
    """All units u with u·source ≡ target mod N; u and -u give the same set."""
    g = math.gcd(source, nodes)
    if g != math.gcd(target, nodes):
        return
    if g > _MOST_UNITS:
        raise TooLargeError(
            f"comparing generators of {nodes} nodes needs {g} multipliers;"
            f" at most {_MOST_UNITS} are tried"
        )
    step = nodes // g
    first = (target // g) * pow(source // g, -1, step) % step if step > 1 else 0
    for u in range(first, nodes, step) if step > 1 else range(nodes):
        if math.gcd(u, nodes) == 1:
            yield u
