"""The lattice of a circulant.

A walk with x_i steps of generator s_i leads round to its start when x·S ≡ 0 mod N. These x form a
lattice L; the shortest paths to node v are the shortest vectors of the coset {x : x·S ≡ v}, by the
L1 norm. :mod:`hopscape.algebra.reduction` makes a short basis of L, and
:mod:`hopscape.algebra.closest` searches it.

The cell of shortest vectors, orthant by orthant, between walls.

Every node of a circulant has one vector in the *cell*: the shortest one, ties settled by
lexicographic order. In the orthant with signs σ a vector is given by the sizes y of its
coordinates. Taking a closed walk z off it shortens it if

    Σ min(y_i, a_i) > |z|_1 / 2     with a_i = max(σ_i z_i, 0),

so that the cell is what lies behind all these *walls*. With y a vector's smaller neighbours are in
the cell. In a box in which no a_i is strictly inside, a wall is a plane Σ_T y_i <= c.

The exact diameter of a circulant of any order: the longest vector of its cell.

Best first: of all boxes the one whose planes allow the longest vector is looked at. If its longest
vector is shortest to its node, no node is farther. Otherwise a wall has been missed there: it cuts
the box, or the box is cut where the wall bends. Nothing depends on the order of the network.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from hopscape.algebra.closest import Chain, Costs, Search, cost_of
from hopscape.algebra.reduction import Vector, closed_walks, dot, l1, lll, minus, solve
from hopscape.core.errors import ArgumentError

__all__ = [
    "Farthest",
    "Lattice",
    "LatticeBox",
    "Planes",
    "Wall",
    "farthest",
    "largest_sum",
    "maximal_points",
    "settle",
    "short_walks",
    "walls",
]


_MOST_BRANCHES = 5_000  # two seconds; 1,290 of 1,291 adversarial lattices took fewer than 500


@dataclass(frozen=True)
class Lattice:
    """All x with x·S ≡ 0 mod N, for a connected circulant (gcd(N, S) = 1).

    Examples:
        >>> lattice = Lattice(55, (1, 5, 21))
        >>> lattice.shortest(27)
        (1, 1, 1)
        >>> lattice.all_shortest(3)
        [(3, 0, 0), (-2, 1, 0)]
    """

    nodes: int
    generators: Vector

    def __post_init__(self) -> None:
        if math.gcd(self.nodes, *self.generators) != 1:
            raise ArgumentError(
                f"the generators {self.generators} do not connect {self.nodes} nodes"
            )

    @cached_property
    def _walks(self) -> tuple[list[list[int]], Vector]:
        return closed_walks(self.nodes, self.generators)

    @cached_property
    def basis(self) -> tuple[Vector, ...]:
        """A reduced basis."""
        return tuple(tuple(row) for row in lll(self._walks[0]))

    @cached_property
    def inverse(self) -> tuple[tuple[Vector, ...], int]:
        """Integer rows w_i and the determinant D > 0: the i-th coordinate of x is w_i·x / D."""
        columns = [list(column) for column in zip(*self.basis, strict=True)]
        size = len(columns)
        unit = [[int(i == j) for j in range(size)] for i in range(size)]
        solved = solve(columns, unit)
        assert solved is not None
        rows, determinant = solved
        return tuple(tuple(row) for row in rows), determinant

    @cached_property
    def unit(self) -> Vector:
        """A short vector that leads from node 0 to node 1."""
        return self.to_cell(self._walks[1])

    @cached_property
    def chain(self) -> Chain:
        """The basis with its bounds for the L1 norm."""
        return Chain(self.basis, Costs.unit(len(self.basis)))

    @cached_property
    def _tie_chains(self) -> list[Chain]:
        """By coordinate i: walks that keep all coordinates before i, with bounds for a norm.

        A step of the norm costs so much more than a unit of coordinate i that of two vectors the
        shorter one is cheaper, and of two as short the one with the lower coordinate. One
        coordinate at a time: weights that order all of them at once span n times as many digits,
        which leaves nothing for the floating-point extents of the search to see.
        """
        n, step = len(self.basis), 2 * self.reach + 3
        chains = []
        basis: Sequence[Vector] = self.basis
        for i in range(n):
            if not basis:
                break
            ties = [int(j == i) for j in range(n)]
            costs = Costs(tuple(step + t for t in ties), tuple(step - t for t in ties))
            chains.append(Chain(basis, costs))
            basis = _without(basis, i)
        return chains

    @cached_property
    def reach(self) -> int:
        """No node is farther than this: half of the basis vectors together."""
        return sum(map(l1, self.basis)) // 2

    def to_cell(self, x: Vector) -> Vector:
        """The vector of the same coset with coordinates from -1/2 to 1/2 in the basis."""
        rows, determinant = self.inverse
        coefficients = [(2 * dot(row, x) + determinant) // (2 * determinant) for row in rows]
        for t, b in zip(coefficients, self.basis, strict=True):
            x = minus(x, t, b)
        return x

    def start(self, v: int) -> Vector:
        """A vector that leads from node 0 to node v, near to a shortest one."""
        return self.to_cell(tuple(v * x for x in self.unit))

    def shortest(self, v: int) -> Vector:
        """A shortest vector from node 0 to node v."""
        return Search(self.chain).run(self.start(v))[0]

    def all_shortest(self, v: int, limit: int | None = None) -> list[Vector]:
        """All shortest vectors (at most `limit`), the last in lexicographic order first."""
        return sorted(Search(self.chain, True, limit).run(self.start(v)), reverse=True)

    def smallest(self, v: int) -> Vector:
        """The shortest vector that is first in lexicographic order.

        Settled coordinate by coordinate, each by a search among vectors that share the earlier
        ones.

        Raises:
            TooLargeError: When a coordinate is not settled in 5,000 branches: the faces of shortest
                vectors of some nearly equal generators above 10^25 are too wide.
        """
        x = self.shortest(v)
        for chain in self._tie_chains:
            x = Search(chain, most=_MOST_BRANCHES).run(x)[0]
        return x

    def is_smallest(self, x: Vector) -> bool:
        """Is x the first in lexicographic order of the shortest vectors to its node?"""
        if self.nothing_shorter(x) is None:
            return False
        for chain in self._tie_chains:
            search = Search(chain, most=_MOST_BRANCHES)
            search.best = cost_of(x, chain.costs)
            search.descend(chain, x)
            if search.vectors:
                return False
        return True

    def nothing_shorter(self, x: Vector) -> Search | None:
        """The search that found no vector of x's coset shorter than x; None if there is one."""
        search = Search(self.chain)
        start = self.to_cell(x)
        search.best = l1(x)
        if l1(start) < search.best:
            return None
        search.descend(self.chain, start)
        return None if search.vectors else search


def _without(basis: Sequence[Vector], axis: int) -> list[Vector]:
    """A reduced basis of the vectors of a lattice whose coordinate on an axis is 0 (Euclid)."""
    rows = [list(b) for b in basis]
    while len(moving := [row for row in rows if row[axis]]) > 1:
        pivot = min(moving, key=lambda row: abs(row[axis]))
        for row in moving:
            if row is not pivot:
                times = row[axis] // pivot[axis]
                row[:] = [x - times * y for x, y in zip(row, pivot, strict=True)]
    still = [row for row in rows if not row[axis]]
    return [tuple(row) for row in lll(still)] if still else []


Wall = tuple[Vector, int]
Planes = Mapping[Vector, int]


class LatticeBox(NamedTuple):
    """Sizes from `low` to `high`, both ends included, and the walls that may cut them."""

    low: Vector
    high: Vector
    walls: list[Wall]

    def halves(self, axis: int, last: int) -> tuple[LatticeBox, LatticeBox]:
        """Cut behind a size."""
        low, high = list(self.low), list(self.high)
        low[axis], high[axis] = last + 1, last
        return LatticeBox(self.low, tuple(high), self.walls), LatticeBox(
            tuple(low), self.high, self.walls
        )


def short_walks(lattice: Lattice) -> set[Vector]:
    """For each sum of different basis vectors, with signs, the shortest choices of the signs.

    In the L2 norm these would be all that matter, mostly; others are found when they are missed.
    """
    n = len(lattice.basis)
    by_class: dict[Vector, list[Vector]] = {}
    for signs in itertools.product((-1, 0, 1), repeat=n):
        walk = tuple(
            sum(s * b[i] for s, b in zip(signs, lattice.basis, strict=True)) for i in range(n)
        )
        by_class.setdefault(tuple(map(abs, signs)), []).append(walk)
    del by_class[(0,) * n]
    least = {key: min(map(l1, walks)) for key, walks in by_class.items()}
    return {walk for key, walks in by_class.items() for walk in walks if l1(walk) == least[key]}


def walls(walks: Iterable[Vector], signs: Sequence[int], ordered: bool) -> list[Wall]:
    """The walls of closed walks in an orthant.

    With `ordered`, of two vectors of the same length only the first in lexicographic order stays.
    """
    offsets: dict[Vector, int] = {}
    for walk in walks:
        sizes = tuple(max(s * z, 0) for s, z in zip(signs, walk, strict=True))
        room = l1(walk)
        if ordered and next(filter(None, walk)) > 0:
            room -= 1
        room //= 2
        if sum(sizes) > room:
            offsets[sizes] = min(room, offsets.get(sizes, room))
    return list(offsets.items())


def settle(box: LatticeBox) -> tuple[LatticeBox, Planes, tuple[int, int] | None] | None:
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
        needed: list[Wall] = []
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
            needed.append(wall)
            bend = bend or bent
            key = tuple(columns)
            planes[key] = min(c, planes.get(key, c))
        given = needed
        if not shrunk:
            return LatticeBox(low, high, needed), planes, bend


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

    The number of boxes grows exponentially with the generators and not with the order.

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
        self._heap: list[tuple[int, int, Vector, LatticeBox, Vector]] = []
        n = len(lattice.basis)
        walks = short_walks(lattice)
        for signs in orthants(n):
            if signs[0] > 0:  # node -v is as far as node v
                bounds = walls(walks, signs, ordered=False)
                self._push(signs, LatticeBox((0,) * n, (lattice.reach,) * n, bounds))

    def _push(self, signs: Vector, box: LatticeBox) -> None:
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
            self._push(signs, LatticeBox(box.low, box.high, box.walls + more))
        elif l1(x) < -bound:  # no whole point reaches the bound
            axis = max(range(len(x)), key=lambda i: box.high[i] - box.low[i])
            for half in box.halves(axis, (box.low[axis] + box.high[axis]) // 2):
                self._push(signs, half)
        return -bound


def _bend_at(box: LatticeBox, y: Vector) -> tuple[int, int] | None:
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
