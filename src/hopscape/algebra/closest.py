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

Spans of lattice vectors seen from a norm: bounds that the span cannot change, and extents.

A norm here is a sum of one cost per coordinate, up_i for a step forwards and down_i for a step
backwards; with all costs 1 it is the L1 norm. Its dual body is the box -down <= y <= up, and

    cost(x - z) >= y·x      for every y of the box that is orthogonal to the span, and z in it,

with equality for the best y: linear programming duality. The best y are corners of the section of
the box; they do not depend on x. Everything is read off the k×k minors of the vectors (Plücker
coordinates): those of k + 1 vectors follow from those of k, without solving any equations.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from hopscape.algebra.reduction import Vector, dot, lll, minus, solve
from hopscape.core.errors import TooLargeError

__all__ = ["Chain", "Corner", "Costs", "Search", "Span", "cost_of"]


class Costs(NamedTuple):
    """What a step costs, by coordinate: forwards and backwards."""

    up: Vector
    down: Vector

    @classmethod
    def unit(cls, n: int) -> Costs:
        """The L1 norm."""
        return cls((1,) * n, (1,) * n)

    @property
    def symmetric(self) -> bool:
        return self.up == self.down


def cost_of(x: Sequence[int], costs: Costs) -> int:
    """The norm of a vector."""
    up, down = costs
    return sum([u * a if a > 0 else -d * a for a, u, d in zip(x, up, down, strict=True)])


class Corner(NamedTuple):
    """A corner ``y = direction / scale`` of a section of the box; ``slope = direction · b_k``.

    With `both`, -y is a corner as well and is not listed; the slope is then not negative.
    """

    direction: Vector
    scale: int
    slope: int
    both: bool


class Span:
    """The span of k independent vectors of Z^n, by their minors.

    Args:
        minors: The minor of each set of k columns; zeros included.

    Examples:
        >>> plane = Span.nothing(3).plus((1, 1, 9)).plus((100, -100, 0))
        >>> plane.normals
        {(0, 1, 2): (900, 900, -200)}
        >>> plane.lower_bound((500, 500, 4), Costs.unit(3))
        (8992, 9)
    """

    def __init__(self, n: int, minors: dict[Vector, int]) -> None:
        self.n = n
        self.minors = minors

    @classmethod
    def nothing(cls, n: int) -> Span:
        """The span of no vector."""
        return cls(n, {(): 1})

    @property
    def rank(self) -> int:
        return len(next(iter(self.minors)))

    def plus(self, b: Vector) -> Span:
        """The span of one vector more."""
        k = self.rank
        minors = {}
        for columns in itertools.combinations(range(self.n), k + 1):
            total = 0
            for j, i in enumerate(columns):
                if b[i]:
                    part = b[i] * self.minors[columns[:j] + columns[j + 1 :]]
                    total += part if (k + j) % 2 == 0 else -part
            minors[columns] = total
        return Span(self.n, minors)

    @cached_property
    def normals(self) -> dict[Vector, Vector]:
        """For each k + 1 columns the vector orthogonal to the span that uses no others."""
        out = {}
        for columns in itertools.combinations(range(self.n), self.rank + 1):
            normal = [0] * self.n
            for j, i in enumerate(columns):
                minor = self.minors[columns[:j] + columns[j + 1 :]]
                normal[i] = minor if j % 2 == 0 else -minor
            out[columns] = tuple(normal)
        return out

    @cached_property
    def _bases(self) -> list[tuple[Vector, int, list[tuple[int, int, Vector]]]]:
        """Sets F of k columns with a minor: (F, |minor|, [(g, sign, F + g)] of the others)."""
        vectors = []
        for free, minor in self.minors.items():
            if minor:
                rest = []
                for g in range(self.n):
                    if g not in free:
                        columns = tuple(sorted((*free, g)))
                        rest.append((g, 1 if self.normals[columns][g] > 0 else -1, columns))
                vectors.append((free, abs(minor), rest))
        return vectors

    def corners(self, costs: Costs, step: Vector) -> tuple[Corner, ...]:
        """Corners of the box's section orthogonal to the span, with their slopes along `step`."""
        corners: dict[Vector, Corner] = {}
        both = costs.symmetric
        for free, minor, rest in self._bases:
            for y in self._ends(free, minor, rest, costs):
                common = math.gcd(minor, *y)
                direction = tuple([v // common for v in y])
                slope = dot(direction, step)
                if both and (slope < 0 or (slope == 0 and next(filter(None, direction)) < 0)):
                    direction, slope = tuple([-v for v in direction]), -slope
                if direction not in corners:
                    corners[direction] = Corner(direction, minor // common, slope, both)
        return tuple(corners.values())

    def _ends(
        self, free: Vector, minor: int, rest: list[tuple[int, int, Vector]], costs: Costs
    ) -> list[list[int]]:
        """All y (times the minor) in the box that are at an end in every column but the free."""
        sums = [[0] * self.n]
        for i, (g, sign, columns) in enumerate(rest):
            normal = self.normals[columns]
            ends = [costs.up[g], -costs.down[g]]
            if i == 0 and costs.symmetric:
                ends.pop()  # one of ±y is enough
            sums = [
                [s + sign * end * v for s, v in zip(y, normal, strict=True)]
                for y in sums
                for end in ends
            ]
        low, high = [d * -minor for d in costs.down], [u * minor for u in costs.up]
        return [y for y in sums if all(low[f] <= y[f] <= high[f] for f in free)]

    def lower_bound(self, x: Vector, costs: Costs) -> tuple[int, int]:
        """The least cost of x less a real vector of the span, as a fraction."""
        best: tuple[int, int] | None = None
        seen = {columns: dot(normal, x) for columns, normal in self.normals.items()}
        for _, minor, rest in self._bases:
            total = 0
            for g, sign, columns in rest:
                value = sign * seen[columns]
                total += costs.up[g] * value if value > 0 else -costs.down[g] * value
            if best is None or total * best[1] < best[0] * minor:
                best = total, minor
        assert best is not None
        common = math.gcd(*best)
        return best[0] // common, best[1] // common

    # -- extents ----------------------------------------------------------------------------

    def extents(self, x: Vector, radius: int, costs: Costs) -> list[float] | None:
        """How far each coordinate of x less a real vector of the span can range.

        Only vectors with a cost of at most `radius` count; None when there are none. The corners of
        this body have k - 1 coordinates 0 and lie on its surface: on every line with these zeros,
        walk from the cheapest point to both sides until the radius is spent. Small vectors are
        walked in floats in the L1 norm: extents guide the search and decide nothing. Where costs or
        coordinates differ by less than floats can tell, the walk is exact: else the thin side of
        the body would not be seen.
        """
        lines = self._cheapest(x, costs)
        if not lines:
            return None
        low: list[Any] = [math.inf] * self.n
        high: list[Any] = [-math.inf] * self.n
        exact = max(costs.up) > 1 or max(map(abs, x)) > _FLOAT_SIZE
        for zeros, (total, minor, point) in lines.items():
            if total > radius * minor:
                continue
            along = self._along(zeros)
            most = max(map(abs, along))
            slack: Any = Fraction(radius * minor - total, minor)
            start: list[Any] = [Fraction(p, minor) for p in point]
            step: list[Any] = [Fraction(v, most) for v in along]
            if not exact:
                slack, start, step = float(slack), list(map(float, start)), list(map(float, step))
            for direction in (step, [-v for v in step]):
                t = _walk(start, direction, slack, costs)
                for i in range(self.n):
                    end = start[i] + t * direction[i]
                    low[i], high[i] = min(low[i], end), max(high[i], end)
        if low[0] > high[0]:
            return None
        return [float(b - a) for a, b in zip(low, high, strict=True)]

    def _cheapest(self, x: Vector, costs: Costs) -> dict[Vector, tuple[int, int, list[int]]]:
        """On each line with k - 1 zeros the cheapest point: (cost·scale, scale, point·scale)."""
        seen = {columns: dot(normal, x) for columns, normal in self.normals.items()}
        lines: dict[Vector, tuple[int, int, list[int]]] = {}
        for free, minor, rest in self._bases:
            point, total = [0] * self.n, 0
            for g, sign, columns in rest:
                value = point[g] = sign * seen[columns]
                total += costs.up[g] * value if value > 0 else -costs.down[g] * value
            for j in range(len(free)):
                zeros = free[:j] + free[j + 1 :]
                before = lines.get(zeros)
                if before is None or total * before[1] < before[0] * minor:
                    lines[zeros] = total, minor, point
        return lines

    def _along(self, zeros: Vector) -> list[int]:
        """The direction in the span that is 0 in the given columns."""
        out = [0] * self.n
        for i in range(self.n):
            if i not in zeros:
                columns = tuple(sorted((*zeros, i)))
                minor = self.minors[columns]
                out[i] = minor if columns.index(i) % 2 == 0 else -minor
        return out


_FLOAT_SIZE = 1 << 30  # floats have 53 bits: these leave 23 for differences


def _walk(start: Sequence[Any], direction: Sequence[Any], slack: Any, costs: Costs) -> Any:
    """How far one can go before the cost has risen by `slack`; the cost is convex on the way.

    In floats, or in fractions: as the numbers are that it is given.
    """
    slope: Any = 0
    turns = []
    for a, v, u, d in zip(start, direction, *costs, strict=True):
        if v > 0:
            slope += u * v if a >= 0 else -d * v
        elif v < 0:
            slope += -d * v if a <= 0 else u * v
        if a * v < 0:
            turns.append((-a / v, abs(v) * (u + d)))
    at: Any = 0
    for t, more in sorted(turns):
        if slope > 0 and (t - at) * slope > slack:
            break
        slack -= (t - at) * slope
        at, slope = t, slope + more
    return at + slack / slope if slope > 0 else at


_WIDE = 6  # layers of a side: fewer are gone through sooner than a thinner basis is found
_MOST_VECTORS = 10**6  # about 100 MB of tuples
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
        most: Give up after this many branches.

    Raises:
        TooLargeError: When it gives up.

    Attributes:
        best (int): The least cost found.
        vectors: list of vectors
        visited (int): Branches looked at.
        used: Whose bounds were used.
    """

    def __init__(
        self,
        chain: Chain,
        keep_all: bool = False,
        limit: int | None = None,
        most: int | None = None,
    ) -> None:
        self.chain = chain
        self.most = most
        self.costs = chain.costs
        self.keep_all = keep_all
        self.limit = limit
        self.best = 0
        self.vectors: list[Vector] = []
        self.visited = 0
        self.used: dict[int, Chain] = {}

    def run(self, start: Vector) -> list[Vector]:
        """The cheapest vectors of the coset of `start`."""
        all_of_them, self.keep_all = self.keep_all, False
        self.best, self.vectors = cost_of(start, self.costs), [start]
        self.descend(self.chain, start)
        if all_of_them:
            self.keep_all, self.vectors = True, []
            self.descend(self.chain, start)
        return self.vectors

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
            if self.most is not None and self.visited > self.most:
                raise TooLargeError(
                    f"a search among shortest vectors was given up after {self.most:,} branches"
                )
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
        if self.limit is None and len(self.vectors) > _MOST_VECTORS:
            raise TooLargeError(
                f"there are more than {_MOST_VECTORS:,} shortest vectors;"
                " set a limit on their number"
            )
        return self.limit is not None and len(self.vectors) >= self.limit

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
                    self.best, self.vectors = cost, [y]
                    return
                self.vectors.append(y)
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
