"""The exact diameter of a circulant of any order: the longest vector of its cell.

Best first: of all boxes the one whose planes allow the longest vector is looked at. If its longest
vector is shortest to its node, no node is farther. Otherwise a wall has been missed there: it cuts
the box, or the box is cut where the wall bends. Nothing depends on the order of the network.
"""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass

from hopscape.algebra.lattices.cell import (
    Box,
    largest_sum,
    orthants,
    settle,
    short_walks,
    walls,
)
from hopscape.algebra.lattices.lattice import Lattice
from hopscape.algebra.reduction import Vector, dot, l1, minus

__all__ = ["Farthest", "farthest"]


@dataclass(frozen=True)
class Farthest:
    """The largest distance from node 0.

    Attributes:
        least: The distance of `node`: the largest that was seen.
        most: No node is farther; the same as `least` unless the search was cut short.
        boxes: Looked at.
    """

    least: int
    most: int
    node: int
    boxes: int


def farthest(lattice: Lattice, boxes: int | None = None) -> Farthest:
    """The largest distance from node 0, and a node that has it.

    Args:
        boxes: Stop after so many boxes and tell how far it has come.

    Examples:
        >>> farthest(Lattice(10**18 - 11, (1, 10**6, 10**12))).most
        1499993
    """
    search = _Search(lattice)
    while (most := search.step()) is not None:
        if boxes is not None and search.boxes >= boxes:
            return Farthest(search.best, most, search.node, search.boxes)
    return Farthest(search.best, search.best, search.node, search.boxes)


class _Search:
    def __init__(self, lattice: Lattice) -> None:
        self.lattice = lattice
        self.best, self.node, self.boxes = 0, 0, 0
        self._order = itertools.count()
        self._heap: list[tuple[int, int, Vector, Box, Vector]] = []
        n = len(lattice.basis)
        walks = short_walks(lattice)
        for signs in orthants(n):
            if signs[0] > 0:  # node -v is as far as node v
                found = walls(walks, signs, ordered=False)
                self._push(signs, Box((0,) * n, (lattice.reach,) * n, found))

    def _push(self, signs: Vector, box: Box) -> None:
        settled = settle(box)
        if settled is None:
            return
        box, planes, _ = settled
        bound, y = largest_sum(box.low, box.high, planes)
        if bound > self.best:
            heapq.heappush(self._heap, (-bound, next(self._order), signs, box, y))

    def step(self) -> int | None:
        """Look at the most promising box; None when it promises nothing more, else its promise."""
        if not self._heap or -self._heap[0][0] <= self.best:
            return None
        bound, _, signs, box, y = heapq.heappop(self._heap)
        self.boxes += 1
        bend = _bend_at(box, y)
        if bend is not None:
            for half in box.halves(*bend):
                self._push(signs, half)
            return -bound
        x = tuple(s * size for s, size in zip(signs, y, strict=True))
        node = dot(x, self.lattice.generators) % self.lattice.nodes
        shortest = self.lattice.shortest(node)
        if l1(shortest) > self.best:
            self.best, self.node = l1(shortest), node
        if l1(shortest) < l1(x):
            more = walls([minus(x, 1, shortest)], signs, ordered=False)
            self._push(signs, Box(box.low, box.high, box.walls + more))
        elif l1(x) < -bound:  # no whole point reaches the bound
            axis = max(range(len(x)), key=lambda i: box.high[i] - box.low[i])
            for half in box.halves(axis, (box.low[axis] + box.high[axis]) // 2):
                self._push(signs, half)
        return -bound


def _bend_at(box: Box, y: Vector) -> tuple[int, int] | None:
    """Where the wall that y is farthest beyond bends; None when y is behind all walls."""
    beyond, sizes = 0, None
    for wall, room in box.walls:
        over = sum(map(min, y, wall)) - room
        if over > beyond:
            beyond, sizes = over, wall
    if sizes is None:
        return None
    low, high = box.low, box.high
    bends = [i for i in range(len(y)) if low[i] < sizes[i] < high[i]]
    axis = max(bends, key=lambda i: min(high[i] - sizes[i], sizes[i] - low[i]))
    return axis, sizes[axis]
