"""How many nodes of a circulant are how far: exactly, at any order, from the cell of its lattice.

The cell is cut into boxes under planes (:mod:`cell`), whose points are counted by formulas
(:mod:`counting`). A closed walk that was left out makes the cell too large, never too small: it is
the right one when as many points are counted as there are nodes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

from hopscape.algebra.lattices.cell import (
    Box,
    Planes,
    maximal_points,
    orthants,
    settle,
    short_walks,
    walls,
)
from hopscape.algebra.lattices.counting import count_points
from hopscape.algebra.lattices.lattice import Lattice
from hopscape.algebra.reduction import Vector, dot, minus
from hopscape.core.errors import TooLargeError

__all__ = ["CENSUS_DIMENSIONS", "Census"]

CENSUS_DIMENSIONS = 4
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
            boxes = [Box(low, (self._lattice.reach,) * n, walls(walks, signs, ordered=True))]
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
        found: set[Vector] = set()
        for piece in self._pieces:
            for part in _parts(piece, depth):
                for y in maximal_points(part.low, part.high, part.planes):
                    found |= self._better(tuple(s * t for s, t in zip(part.signs, y, strict=True)))
        return found

    def _better(self, x: Vector) -> set[Vector]:
        lattice = self._lattice
        if x in self._right or lattice.is_smallest(x):
            self._right.add(x)
            return set()
        walk = minus(x, 1, lattice.smallest(dot(x, lattice.generators) % lattice.nodes))
        return {walk, minus((0,) * len(walk), 1, walk)}


def _parts(piece: _Piece, depth: int) -> Iterator[_Piece]:
    """A piece cut in two along its longest side, and these again; nothing but what is in it."""
    if any(sum([piece.low[i] for i in c]) > room for c, room in piece.planes.items()):
        return
    axis = max(range(len(piece.low)), key=lambda i: piece.high[i] - piece.low[i])
    low, high = piece.low[axis], piece.high[axis]
    if depth == 0 or low == high:
        yield piece
        return
    box = Box(piece.low, piece.high, [])
    for half in box.halves(axis, (low + high) // 2):
        yield from _parts(piece._replace(low=half.low, high=half.high), depth - 1)
