"""Exact closest vectors: which lattice vector, taken off, makes a vector cheapest?

The coefficients of a lattice vector in a basis b_0, ..., b_{k-1} are fixed one after the other, the
last one first. While the others are free, the corners of :mod:`sections` bound the cost from below,
so that only an interval of coefficients is left. Where the basis is short for the norm as a whole,
this interval is short in most cases, but not in all: close to its least value the norm can be flat
over a distance that has nothing to do with the lattice. So where an interval is long, the basis is
reduced anew for the body that is left to search, and the search goes on along its thinnest side.
The extents of the body in the n coordinates are all that is needed: it contains a box of its
extents shrunk by a factor that depends on n alone. This is the algorithm of H. W. Lenstra ("Integer
programming with a fixed number of variables", Math. Oper. Res. 8, 1983) for one kind of body; the
number of branches is bounded by the dimension, whatever the numbers.

Everything here is in Python's integers, but for the extents, which decide nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

from hopscape.algebra.reduction import Vector, dot, lll, minus, solve
from hopscape.algebra.sections import Corner, Costs, Span, cost_of
from hopscape.core.errors import TooLargeError

__all__ = ["Chain", "Search"]

_WIDE = 6
_MOST_FOUND = 10**6
Lines = list[tuple[int, Corner]]


class Chain:
    """A basis whose coefficients are fixed from the last to the first, and bounds for them.

    Args:
        basis: sequence of vectors
        costs: The norm.
    """

    def __init__(self, basis: Sequence[Vector], costs: Costs) -> None:
        self.basis = tuple(basis)
        self.costs = costs
        self._adapted: dict[Vector, Chain] = {}

    @cached_property
    def lower(self) -> Chain:
        """Without the last vector."""
        return Chain(self.basis[:-1], self.costs)

    @property
    def prefixes(self) -> list[Chain]:
        """The chains of the first vector, of the first two, and so on."""
        return [*self.lower.prefixes, self] if self.basis else []

    @cached_property
    def span(self) -> Span:
        """The span of all vectors."""
        if not self.basis:
            return Span.nothing(len(self.costs.up))
        return self.lower.span.plus(self.basis[-1])

    @cached_property
    def corners(self) -> tuple[Corner, ...]:
        """Bounds that only see the last coefficient."""
        return self.lower.span.corners(self.costs, self.basis[-1])

    def interval(self, lines: Lines, radius: int) -> tuple[int, int]:
        """The last coefficients that the bounds allow; (1, 0) when there are none."""
        low: int | None = None
        high: int | None = None
        for p, (_, scale, slope, both) in lines:
            room = radius * scale
            if slope == 0:
                if p > room or (both and -p > room):
                    return 1, 0
                continue
            if slope > 0:
                first = -((room - p) // slope)
                last = (room + p) // slope if both else None
            else:
                first, last = None, (room - p) // -slope
            if first is not None and (low is None or first > low):
                low = first
            if last is not None and (high is None or last < high):
                high = last
        assert low is not None
        assert high is not None
        return (low, high) if low <= high else (1, 0)

    def lines(self, x: Vector) -> Lines:
        """The value of each corner at x."""
        return [(dot(corner.direction, x), corner) for corner in self.corners]

    def wrong_bound(self) -> Corner | None:
        """A corner that is outside the box or sees a vector that is still free; there is none."""
        for corner in self.corners:
            inside = all(
                -down * corner.scale <= y <= up * corner.scale
                for y, up, down in zip(corner.direction, *self.costs, strict=True)
            )
            if not inside or any(dot(corner.direction, b) for b in self.basis[:-1]):
                return corner
        return None

    def adapted(self, x: Vector, radius: int) -> Chain:
        """A basis of the same lattice for the vectors of x's coset within the radius."""
        extents = self.span.extents(x, radius, self.costs)
        if extents is None:
            return self
        key = _weights(extents)
        if key not in self._adapted:
            self._adapted[key] = Chain(_reduce_for(self.basis, key), self.costs)
        return self._adapted[key]


def _weights(extents: Sequence[float]) -> Vector:
    """Powers of 4 that make all extents about equal; coordinates are integers, so 1/4 is thin."""
    sizes = [max(e, 0.25) for e in extents]
    most = max(sizes)
    return tuple(4 ** round(math.log2(most / size) / 2) for size in sizes)


def _reduce_for(basis: Sequence[Vector], weights: Vector) -> list[Vector]:
    """LLL in the metric of the weights; last the vector along whose coefficient it is thinnest."""
    reduced = lll([[x * w for x, w in zip(b, weights, strict=True)] for b in basis])
    size = len(reduced)
    gram = [[dot(a, b) for b in reduced] for a in reduced]
    inverse = solve(gram, [[int(i == j) for j in range(size)] for i in range(size)])
    assert inverse is not None
    thin = min(range(size), key=lambda i: inverse[0][i][i])
    reduced.append(reduced.pop(thin))
    return [tuple(x // w for x, w in zip(b, weights, strict=True)) for b in reduced]


class Search:
    """Depth-first search over coefficients, bounded by the corners.

    Args:
        keep_all: Find all cheapest vectors, not only one.
        limit: With `keep_all`: stop after this many.

    Attributes:
        best (int): The least cost found.
        found: list of vectors
        visited (int): Branches looked at.
        used: Whose bounds were used.
    """

    def __init__(self, chain: Chain, keep_all: bool = False, limit: int | None = None) -> None:
        self.chain = chain
        self.costs = chain.costs
        self.keep_all = keep_all
        self.limit = limit
        self.best = 0
        self.found: list[Vector] = []
        self.visited = 0
        self.used: dict[int, Chain] = {}

    def run(self, start: Vector) -> list[Vector]:
        """The cheapest vectors of the coset of `start`."""
        all_of_them, self.keep_all = self.keep_all, False
        self.best, self.found = cost_of(start, self.costs), [start]
        self.descend(self.chain, start)
        if all_of_them:
            self.keep_all, self.found = True, []
            self.descend(self.chain, start)
        return self.found

    @property
    def radius(self) -> int:
        return self.best if self.keep_all else self.best - 1

    def descend(self, chain: Chain, x: Vector, tried: int = 0) -> None:
        """Try all coefficients of the last vector that the bounds allow, the best first."""
        if len(chain.basis) == 1:
            self._along(chain.basis[0], x)
            return
        self.used[id(chain)] = chain
        radius = self.radius
        lines = chain.lines(x)
        low, high = chain.interval(lines, radius)
        middle = _least_bound(lines, low, high)
        up, down = middle, middle - 1
        while up <= high or down >= low:
            if (
                high - low >= _WIDE
                and tried in self._doubts
                and self._go_thin(chain, x, high - low)
            ):
                return
            if self._full():
                return
            if down < low or (up <= high and up + down <= 2 * middle):
                t, up = up, up + 1
            else:
                t, down = down, down - 1
            tried += 1
            self.visited += 1
            self.descend(chain.lower, minus(x, t, chain.basis[-1]))
            if self.radius != radius:  # something better was found: the interval shrinks
                radius = self.radius
                low, high = chain.interval(lines, radius)
                up, down = max(up, low), min(down, high)

    @property
    def _doubts(self) -> tuple[int, ...]:
        """After how many branches a thinner side is looked for; at first the radius is too large.

        Starting again would find the same vectors twice, so that those who want all start thin.
        """
        return (0,) if self.keep_all else (2, 8, 32, 128, 512)

    def _go_thin(self, chain: Chain, x: Vector, width: int) -> bool:
        """Search along the thinnest side of what is left instead, if it is thinner."""
        other = chain.adapted(x, self.radius)
        low, high = other.interval(other.lines(x), self.radius)
        if high - low >= width:
            return False
        self.descend(other, x, tried=3)
        return True

    def _full(self) -> bool:
        if not self.keep_all:
            return False
        if self.limit is None and len(self.found) > _MOST_FOUND:
            raise TooLargeError(
                f"there are more than {_MOST_FOUND:,} shortest vectors; set a limit on their number"
            )
        return self.limit is not None and len(self.found) >= self.limit

    def _along(self, b: Vector, x: Vector) -> None:
        """The line x - t b: convex in t, so walk from its lowest point."""
        middle = _lowest(x, b, self.costs)
        for direction in (-1, 1):
            t = middle if direction < 0 else middle + 1
            while True:
                y = minus(x, t, b)
                cost = cost_of(y, self.costs)
                if cost > self.radius or self._full():
                    break
                if not self.keep_all:
                    self.best, self.found = cost, [y]
                    return
                self.found.append(y)
                t += direction


def _least_bound(lines: Lines, low: int, high: int) -> int:
    """The t where the bound, which is convex in t, is least.

    Between a line that falls and one that rises the least value is where they meet, unless another
    line is higher there; it then takes the place of one of them.
    """
    if high - low <= 3:
        return (low + high) // 2
    left, right = _highest(lines, low), _highest(lines, high)
    if left[1] <= 0:
        return low
    while right[1] < 0:
        t = (left[0] * right[2] - right[0] * left[2]) // (left[1] * right[2] - right[1] * left[2])
        t = min(max(t, low), high)
        middle = _highest(lines, t)
        if t in (low, high) or middle[1] == 0 or middle in (left, right):
            return t
        if middle[1] > 0:
            low, left = t, middle
        else:
            high, right = t, middle
    return high


def _highest(lines: Lines, t: int) -> tuple[int, int, int]:
    """Of the lines (p - t·q) / scale the highest at t: its p, q and scale."""
    best: tuple[int, int, int] | None = None
    most, unit = 0, 1
    for p, (_, scale, slope, both) in lines:
        value = p - t * slope
        turn = both and value < 0
        if turn:
            value = -value
        if best is None or value * unit > most * scale:
            most, unit = value, scale
            best = (-p, -slope, scale) if turn else (p, slope, scale)
    assert best is not None
    return best


def _lowest(x: Vector, b: Vector, costs: Costs) -> int:
    """The integer t for which x - t b is cheapest: beside one of the x_i / b_i."""
    candidates = set()
    for p, q in zip(x, b, strict=True):
        if q:
            t = p // q
            candidates |= {t, t + 1}
    return min(candidates, key=lambda t: cost_of(minus(x, t, b), costs))
