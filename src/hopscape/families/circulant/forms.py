"""Closed forms for path vectors, and recognising the circulants that have one.

:class:`RingForm` serves every graph of the two-parameter family (13)-(15) of the paper, which
contains the families (5) and (19); :class:`CellForm` serves (17), and (18) by a multiplier.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from hopscape.algebra.reduction import Vector, l1
from hopscape.families.circulant.bounds import max_order

__all__ = [
    "CellForm",
    "RingForm",
    "cell_basis",
    "recognise",
    "set_17",
    "set_18",
    "set_two_parameter",
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
        near = self.h + i + j - abs(k)
        hops = self.p + self.q - i - j + abs(k)
        if hops <= near:
            sign = -1 if mirrored else 1
            found = (sign * k, sign * (j - self.q), i - self.p)
        else:
            found = (e, j, i) if k <= 0 else (e - self.s2, j + 1, i)
            if mirrored:
                found = (-found[0], 1 - found[1], i + 1)
        return _placed(found, self.slots, self.signs)


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


def _placed(found: Sequence[int], slots: Vector, signs: Vector) -> Vector:
    out = [0] * len(found)
    for value, slot, sign in zip(found, slots, signs, strict=True):
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
