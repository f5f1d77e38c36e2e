"""The cell of shortest vectors, orthant by orthant, between walls.

Every node of a circulant has one vector in the *cell*: the shortest one, ties settled by
lexicographic order. In the orthant with signs σ a vector is given by the sizes y of its
coordinates. Taking a closed walk z off it shortens it if

    Σ min(y_i, a_i) > |z|_1 / 2     with a_i = max(σ_i z_i, 0),

so that the cell is what lies behind all these *walls*. With y a vector's smaller neighbours are in
the cell. In a box in which no a_i is strictly inside, a wall is a plane Σ_T y_i <= c.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from hopscape.algebra.lattices.lattice import Lattice
from hopscape.algebra.reduction import Vector, l1

__all__ = [
    "Box",
    "Planes",
    "Wall",
    "largest_sum",
    "maximal_points",
    "settle",
    "short_walks",
    "walls",
]

Wall = tuple[Vector, int]
Planes = Mapping[Vector, int]


class Box(NamedTuple):
    """Sizes from `low` to `high`, both ends included, and the walls that may cut them."""

    low: Vector
    high: Vector
    walls: list[Wall]

    def halves(self, axis: int, last: int) -> tuple[Box, Box]:
        """Cut behind a size."""
        low, high = list(self.low), list(self.high)
        low[axis], high[axis] = last + 1, last
        return Box(self.low, tuple(high), self.walls), Box(tuple(low), self.high, self.walls)


def short_walks(lattice: Lattice) -> set[Vector]:
    """For each sum of different basis vectors, with signs, the shortest choices of the signs.

    In the L2 norm these would be all that matter, mostly; others are found when they are missed.
    """
    n = len(lattice.basis)
    kept: dict[Vector, list[Vector]] = {}
    for signs in itertools.product((-1, 0, 1), repeat=n):
        walk = tuple(
            sum(s * b[i] for s, b in zip(signs, lattice.basis, strict=True)) for i in range(n)
        )
        kept.setdefault(tuple(map(abs, signs)), []).append(walk)
    del kept[(0,) * n]
    least = {key: min(map(l1, found)) for key, found in kept.items()}
    return {walk for key, found in kept.items() for walk in found if l1(walk) == least[key]}


def walls(walks: Iterable[Vector], signs: Sequence[int], ordered: bool) -> list[Wall]:
    """The walls of closed walks in an orthant.

    With `ordered`, of two vectors of the same length only the first in lexicographic order stays.
    """
    found: dict[Vector, int] = {}
    for walk in walks:
        sizes = tuple(max(s * z, 0) for s, z in zip(signs, walk, strict=True))
        room = l1(walk)
        if ordered and next(filter(None, walk)) > 0:
            room -= 1
        room //= 2
        if sum(sizes) > room:
            found[sizes] = min(room, found.get(sizes, room))
    return list(found.items())


def settle(box: Box) -> tuple[Box, Planes, tuple[int, int] | None] | None:
    """What the walls mean in a box; None when nothing of it is left.

    Returns:
        box (Box): Cut down where a wall bounds one coordinate alone, with the walls that matter in
            it.
        planes (mapping from T to c): Σ_T y_i <= c. Of a wall that bends inside the box, what is
            true of all of it.
        bend ((axis, size), or None): Where a wall bends inside the box.
    """
    low, high, given = box
    while True:
        kept: list[Wall] = []
        planes: dict[Vector, int] = {}
        bend = None
        shrunk = False
        for wall in given:
            sizes, room = wall
            most = least = loose = 0
            columns = []
            bent = None
            for i, size in enumerate(sizes):
                if size <= low[i]:
                    most += size
                    least += size
                    continue
                columns.append(i)
                least += low[i]
                if size < high[i]:
                    most += size
                    loose += high[i] - size
                    bent = i, size
                else:
                    most += high[i]
            if most <= room:
                continue
            if least > room:
                return None
            c = room - least + sum([low[i] for i in columns]) + loose
            if len(columns) == 1 and bent is None:
                high = (*high[: columns[0]], c, *high[columns[0] + 1 :])
                shrunk = True
                continue
            kept.append(wall)
            bend = bend or bent
            key = tuple(columns)
            planes[key] = min(c, planes.get(key, c))
        given = kept
        if not shrunk:
            return Box(low, high, kept), planes, bend


def maximal_points(low: Vector, high: Vector, planes: Planes) -> set[Vector]:
    """Points of a box under planes that no coordinate can grow from: one for each order of them."""
    return {_grown(low, high, planes, order) for order in itertools.permutations(range(len(low)))}


def _grown(start: Sequence[int], high: Vector, planes: Planes, order: Iterable[int]) -> Vector:
    y = list(start)
    for i in order:
        rooms = [c - sum(y[j] for j in columns) for columns, c in planes.items() if i in columns]
        y[i] += min([high[i] - y[i], *rooms])
    return tuple(y)


def largest_sum(low: Vector, high: Vector, planes: Planes) -> tuple[int, Vector]:
    """An upper bound for Σ y_i in a box under planes, and a point with about this sum.

    The bound is the least one: linear programming, by the dual simplex method from the high corner,
    with the planes put in as they are violated. The low corner must be under the planes.

    Examples:
        >>> largest_sum((0, 0, 0), (9, 9, 9), {(0, 1): 5, (1, 2): 5, (0, 2): 5})
        (7, (3, 2, 2))
    """
    program = _Covering([b - a for a, b in zip(low, high, strict=True)])
    needs = {columns: sum(high[i] for i in columns) - c for columns, c in planes.items()}
    while True:
        unit, off = program.unit, program.values()
        worst = max(
            (
                (need * unit - sum(off[i] for i in columns), columns)
                for columns, need in needs.items()
            ),
            default=(0, ()),
        )
        if worst[0] <= 0:
            break
        program.require(worst[1], needs[worst[1]])
    y = [b - -(-w // unit) for b, w in zip(high, off, strict=True)]
    bound = sum(high) - -(-program.goal[-1] // unit)
    return bound, _grown(y, high, planes, range(len(high)))


class _Covering:
    """The least Σ w_i with 0 <= w_i <= most_i and Σ_T w_i >= need for some T.

    Rows say what a basic variable is: unit · variable = row · (free variables, 1), in integers; all
    entries are determinants, so that the divisions are exact. Variables 0..n-1 are the w_i, others
    what a condition has to spare; `goal` is the row of the sum.
    """

    def __init__(self, most: Sequence[int]) -> None:
        self.most = most
        self.unit = 1
        self.free = list(range(len(most)))
        self.rows: dict[int, list[int]] = {}
        self.goal = [1] * len(most) + [0]

    def values(self) -> list[int]:
        """The w_i, times the unit."""
        return [self.rows[i][-1] if i in self.rows else 0 for i in range(len(self.most))]

    def _row(self, variable: int) -> list[int]:
        if variable in self.rows:
            return self.rows[variable]
        return [self.unit if free == variable else 0 for free in self.free] + [0]

    def require(self, columns: Vector, need: int) -> None:
        """Add a condition and go to the least sum under it."""
        parts = [self._row(i) for i in columns]
        row = [sum(part) for part in zip(*parts, strict=True)]
        row[-1] -= need * self.unit
        self._add(row)
        while True:
            broken = [v for v, row in self.rows.items() if row[-1] < 0]
            if broken:
                self._pivot(min(broken))
                continue
            over = [i for i, w in enumerate(self.values()) if w > self.most[i] * self.unit]
            if not over:
                return
            row = [-x for x in self._row(over[0])]
            row[-1] += self.most[over[0]] * self.unit
            self._add(row)

    def _add(self, row: list[int]) -> None:
        self.rows[max([*self.rows, *self.free]) + 1] = row

    def _pivot(self, leaving: int) -> None:
        """Set a variable to 0 and let another one grow, the one that costs least for it."""
        pivot = self.rows.pop(leaving)
        column = -1
        for j, (x, variable) in enumerate(zip(pivot, self.free, strict=False)):
            if x > 0:
                ratio = self.goal[j] * pivot[column] - self.goal[column] * x if column >= 0 else -1
                if ratio < 0 or (ratio == 0 and variable < self.free[column]):
                    column = j
        divisor = pivot[column]
        for row in (*self.rows.values(), self.goal):
            factor = row[column]
            new = [(divisor * x - factor * p) // self.unit for x, p in zip(row, pivot, strict=True)]
            new[column] = factor
            row[:] = new
        entering = [-p for p in pivot]
        entering[column] = self.unit
        self.rows[self.free[column]] = entering
        self.free[column] = leaving
        self.unit = divisor


def orthants(n: int) -> Iterator[Vector]:
    """All choices of signs."""
    return itertools.product((1, -1), repeat=n)
