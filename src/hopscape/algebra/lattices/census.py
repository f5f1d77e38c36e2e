"""Exact numbers of whole points under planes, at any size: by polynomials, not one by one.

The points are those of a box 0 <= y_i <= high_i under planes Σ_T y_i <= c. Coordinates that no
plane ties together are counted apart. One plane across all coordinates has a closed form. Otherwise
one coordinate t is fixed: between two neighbouring corners of the body the number of points of its
section is a quasi-polynomial in t, the period of which divides the determinants of the planes (E.
Ehrhart; with parameters: Ph. Clauss, "Counting solutions to linear and nonlinear constraints
through Ehrhart polynomials", ICS 1996). A few sections give it, and its sum follows.

How many nodes of a circulant are how far: exactly, at any order, from the cell of its lattice.

The cell is cut into boxes under planes (:mod:`cell`), whose points are counted by formulas
(:mod:`counting`). A closed walk that was left out makes the cell too large, never too small: it is
the right one when as many points are counted as there are nodes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hopscape.algebra.lattices.cell import (
    Lattice,
    LatticeBox,
    Planes,
    maximal_points,
    orthants,
    settle,
    short_walks,
    walls,
)
from hopscape.algebra.reduction import Vector, dot, minus
from hopscape.core.errors import TooLargeError

__all__ = ["CENSUS_DIMENSIONS", "Census", "count_points"]

Tally = tuple[int, int]
_PERIODS = (1, 1, 1, 2, 6, 60)  # lcm of the determinants of 0/1 matrices, by their size
_SMALL = 2**40  # sums of so small numbers are exact in 64 bits


def count_points(high: Vector, planes: Mapping[Vector, int]) -> Tally:
    """How many whole points there are, and the sum of all their coordinates.

    Args:
        high: 0 <= y_i <= high_i.
        planes (mapping from T to c): Σ_T y_i <= c, with T a sorted tuple of coordinates.

    Examples:
        >>> count_points((2, 2), {(0, 1): 3})
        (8, 14)
        >>> count_points((10**9, 10**9, 10**9), {(0, 1): 10**9, (1, 2): 10**9})[0]
        333333334833333335500000001
    """
    nonzero = {}
    for columns, c in planes.items():
        if c < 0:
            return 0, 0
        if sum([high[i] for i in columns]) > c:
            if len(columns) == 1:
                high = (*high[: columns[0]], c, *high[columns[0] + 1 :])
            else:
                nonzero[columns] = c
    count, total = 1, 0
    for part, tied in _parts(len(high), nonzero):
        more, its_sum = _tied(tuple([high[i] for i in part]), tied)
        count, total = count * more, total * more + count * its_sum
    return count, total


def _parts(n: int, planes: dict[Vector, int]) -> Iterable[tuple[Vector, dict[Vector, int]]]:
    """Coordinates that planes tie together, each with its planes, renumbered."""
    groups: list[set[int]] = []
    for columns in planes:
        joined = set(columns)
        for group in [g for g in groups if not joined.isdisjoint(g)]:
            groups.remove(group)
            joined |= group
        groups.append(joined)
    for i in set(range(n)).difference(*groups):
        yield (i,), {}
    for group in groups:
        part = tuple(sorted(group))
        place = {i: k for k, i in enumerate(part)}
        yield (
            part,
            {
                tuple([place[i] for i in columns]): c
                for columns, c in planes.items()
                if columns[0] in group
            },
        )


def _tied(high: Vector, planes: dict[Vector, int]) -> Tally:
    n = len(high)
    if not planes:
        return high[0] + 1, high[0] * (high[0] + 1) // 2
    if len(planes) == 1 and len(next(iter(planes))) == n:
        return _simplex(high, next(iter(planes.values())))
    uses = [sum(i in columns for columns in planes) for i in range(n)]
    axis = max(range(n), key=uses.__getitem__)
    return _sections(high, planes, axis)


def _simplex(high: Vector, c: int) -> Tally:
    """One plane across all coordinates: inclusion and exclusion of those that are too large."""
    n = len(high)
    count = total = 0
    for signs in itertools.product((0, 1), repeat=n):
        off = sum([h + 1 for h, s in zip(high, signs, strict=True) if s])
        room = c - off
        if room >= 0:
            points = math.comb(room + n, n)
            sign = -1 if sum(signs) % 2 else 1
            count += sign * points
            total += sign * (off * points + n * math.comb(room + n, n + 1))
    return count, total


def _sections(high: Vector, planes: dict[Vector, int], axis: int) -> Tally:
    """Sum over the sections across one coordinate."""
    n = len(high)
    others = [i for i in range(n) if i != axis]
    place = {i: k for k, i in enumerate(others)}
    flat = tuple([high[i] for i in others])
    cuts = [
        (tuple([place[i] for i in columns if i != axis]), c, axis in columns)
        for columns, c in planes.items()
    ]

    def section(t: int) -> Tally:
        left: dict[Vector, int] = {}
        for columns, c, touched in cuts:
            c -= t * touched
            left[columns] = min(c, left.get(columns, c))
        count, total = count_points(flat, left)
        return count, total + t * count

    starts = _corners(high, planes, axis)
    count = total = 0
    for first, after in itertools.pairwise(starts):
        more, its_sum = _add_up(section, first, after, n, _PERIODS[n - 1])
        count += more
        total += its_sum
    return count, total


def _add_up(
    section: Callable[[int], Tally], first: int, after: int, degree: int, period: int
) -> Tally:
    """Sum of a quasi-polynomial from `first` to before `after`."""
    if after - first <= period * (degree + 1):
        sections = [section(t) for t in range(first, after)]
        return sum(a for a, _ in sections), sum(b for _, b in sections)
    count = total = 0
    for begin in range(first, first + period):
        terms = -(-(after - begin) // period)
        sections = [section(begin + period * j) for j in range(degree + 1)]
        count += _sum_by_differences([a for a, _ in sections], terms)
        total += _sum_by_differences([b for _, b in sections], terms)
    return count, total


def _sum_by_differences(values: list[int], terms: int) -> int:
    """Newton: the sum of so many values of a polynomial whose first values these are."""
    result, k = 0, 1
    while values:
        result += values[0] * math.comb(terms, k)
        values = [b - a for a, b in itertools.pairwise(values)]
        k += 1
    return result


def _corners(high: Vector, planes: dict[Vector, int], axis: int) -> list[int]:
    """Where the sections change their shape: the corners' places on the axis, rounded up.

    The last is one behind the last section.
    """
    normals, inverses, determinants, chosen = _systems(len(high), tuple(planes))
    sides = [*([0] * len(high)), *high, *planes.values()]
    large = max(sides) > _SMALL
    c = np.asarray(sides, dtype=object if large else np.int64)
    points = (inverses.astype(c.dtype) * c[chosen][:, None, :]).sum(axis=2)  # times determinant
    room = c[None, :] * determinants[:, None] - points @ normals.T.astype(c.dtype)
    corner = np.asarray(room >= 0, dtype=bool).all(axis=1)
    at = -(-points[corner, axis] // determinants[corner])
    last = (points[corner, axis] // determinants[corner]).max()
    return sorted({*at.tolist(), int(last) + 1})


@cache
def _systems(n: int, planes: tuple[Vector, ...]) -> tuple[Any, Any, Any, Any]:
    """All choices of n sides that meet in one point: what their right-hand sides are times."""
    normals = np.zeros((2 * n + len(planes), n), dtype=np.int64)
    for i in range(n):
        normals[i, i], normals[n + i, i] = -1, 1
    for k, columns in enumerate(planes):
        normals[2 * n + k, list(columns)] = 1
    choices = [
        rows
        for rows in itertools.combinations(range(len(normals)), n)
        if not any(i + n in rows for i in rows if i < n)
    ]
    chosen = np.asarray(choices)
    matrices = normals[chosen].astype(float)
    determinants = np.rint(np.linalg.det(matrices)).astype(np.int64)
    regular = determinants != 0
    chosen, matrices, determinants = chosen[regular], matrices[regular], determinants[regular]
    inverses = np.rint(np.linalg.inv(matrices) * determinants[:, None, None]).astype(np.int64)
    signs = np.sign(determinants)
    return normals, inverses * signs[:, None, None], determinants * signs, chosen


CENSUS_DIMENSIONS = 4  # five generators would take hours: the pieces of the cell grow exponentially
_MOST_CUTS = 4  # none was ever needed


class _Piece(NamedTuple):
    """Part of the cell: sizes from `low` to `high` under planes, in one orthant."""

    signs: Vector
    low: Vector
    high: Vector
    planes: Planes

    def tally(self, radius: int | None = None) -> tuple[int, int]:
        """Vectors (no longer than the radius), and their lengths together."""
        planes = {c: room - sum([self.low[i] for i in c]) for c, room in self.planes.items()}
        start = sum(self.low)
        if radius is not None:
            everything = tuple(range(len(self.low)))
            planes[everything] = min(radius - start, planes.get(everything, radius))
        high = tuple([b - a for a, b in zip(self.low, self.high, strict=True)])
        count, total = count_points(high, planes)
        return count, total + start * count


class Census:
    """Numbers of nodes by distance from node 0.

    Args:
        lattice: Of up to four generators; five would take hours.
        pieces: Give up when the cell is cut into more of them, all attempts together.

    Attributes:
        distance_sum (int): The distances of all nodes from node 0 together.

    Raises:
        TooLargeError: With more than four generators, and when it gives up.

    Examples:
        >>> census = Census(Lattice(10**18 - 11, (1, 10**6, 10**12)))
        >>> census.distance_sum
        749999999968500430000060
        >>> census.within(1), census.at(1499993), census.at(1499994)
        (7, 72, 0)
    """

    def __init__(self, lattice: Lattice, pieces: int | None = None) -> None:
        if len(lattice.basis) > CENSUS_DIMENSIONS:
            raise TooLargeError(
                f"nodes are counted by distance with up to {CENSUS_DIMENSIONS} generators,"
                f" not {len(lattice.basis)}"
            )
        self._lattice = lattice
        self._right: set[Vector] = set()
        walks = short_walks(lattice)
        depth, cheap = 0, len(lattice.basis) <= 3  # beyond it counting takes longer than looking
        left = pieces
        while True:
            self._pieces = list(itertools.islice(self._cut(walks), left))
            if left is not None:
                left -= len(self._pieces)
                if left <= 0:
                    raise TooLargeError(f"the cell of {lattice} has over {pieces:,} pieces")
            if cheap and self._is_right():
                break
            missed = self._missed(depth)
            walks |= missed
            if not missed:
                if not cheap and self._is_right():
                    break
                depth += 1
                if depth > _MOST_CUTS:
                    raise TooLargeError(f"the cell of {lattice} was not found")
        self._right.clear()

    def _is_right(self) -> bool:
        count, self.distance_sum = self._total(None)
        return count == self._lattice.nodes

    def within(self, radius: int) -> int:
        """How many nodes are at most this far from node 0, itself included."""
        return self._total(radius)[0]

    def at(self, distance: int) -> int:
        """How many nodes are just this far from node 0."""
        return self.within(distance) - self.within(distance - 1)

    def histogram(self, diameter: int) -> list[int]:
        """How many nodes are 0, 1, ..., diameter away."""
        sizes = [self.within(radius) for radius in range(diameter + 1)]
        return [b - a for a, b in zip([0, *sizes], sizes, strict=False)]

    def _total(self, radius: int | None) -> tuple[int, int]:
        count = total = 0
        for piece in self._pieces:
            more, its_sum = piece.tally(radius)
            count += more
            total += its_sum
        return count, total

    def _cut(self, walks: set[Vector]) -> Iterator[_Piece]:
        """Pieces in which no wall bends."""
        n = len(self._lattice.basis)
        for signs in orthants(n):
            low = tuple(int(s < 0) for s in signs)
            boxes = [LatticeBox(low, (self._lattice.reach,) * n, walls(walks, signs, ordered=True))]
            while boxes:
                settled = settle(boxes.pop())
                if settled is None:
                    continue
                box, planes, bend = settled
                if bend is not None:
                    boxes += box.halves(*bend)
                else:
                    yield _Piece(signs, box.low, box.high, planes)

    def _missed(self, depth: int) -> set[Vector]:
        """Walks that shorten the outermost points of some pieces, cut so many times in two."""
        corners: set[Vector] = set()
        for piece in self._pieces:
            for part in _census_parts(piece, depth):
                for y in maximal_points(part.low, part.high, part.planes):
                    corners |= self._better(
                        tuple(s * t for s, t in zip(part.signs, y, strict=True))
                    )
        return corners

    def _better(self, x: Vector) -> set[Vector]:
        lattice = self._lattice
        if x in self._right or lattice.is_smallest(x):
            self._right.add(x)
            return set()
        walk = minus(x, 1, lattice.smallest(dot(x, lattice.generators) % lattice.nodes))
        return {walk, minus((0,) * len(walk), 1, walk)}


def _census_parts(piece: _Piece, depth: int) -> Iterator[_Piece]:
    """A piece cut in two along its longest side, and these again; nothing but what is in it."""
    if any(sum([piece.low[i] for i in c]) > room for c, room in piece.planes.items()):
        return
    axis = max(range(len(piece.low)), key=lambda i: piece.high[i] - piece.low[i])
    low, high = piece.low[axis], piece.high[axis]
    if depth == 0 or low == high:
        yield piece
        return
    box = LatticeBox(piece.low, piece.high, [])
    for half in box.halves(axis, (low + high) // 2):
        yield from _census_parts(piece._replace(low=half.low, high=half.high), depth - 1)
