"""Spans of lattice vectors seen from a norm: bounds that the span cannot change, and extents.

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
from functools import cached_property
from typing import NamedTuple

from hopscape.algebra.reduction import Vector, dot

__all__ = ["Corner", "Costs", "Span", "cost_of"]


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
        found = []
        for free, minor in self.minors.items():
            if minor:
                rest = []
                for g in range(self.n):
                    if g not in free:
                        columns = tuple(sorted((*free, g)))
                        rest.append((g, 1 if self.normals[columns][g] > 0 else -1, columns))
                found.append((free, abs(minor), rest))
        return found

    def corners(self, costs: Costs, step: Vector) -> tuple[Corner, ...]:
        """Corners of the box's section orthogonal to the span, with their slopes along `step`."""
        found: dict[Vector, Corner] = {}
        both = costs.symmetric
        for free, minor, rest in self._bases:
            for y in self._ends(free, minor, rest, costs):
                common = math.gcd(minor, *y)
                direction = tuple([v // common for v in y])
                slope = dot(direction, step)
                if both and (slope < 0 or (slope == 0 and next(filter(None, direction)) < 0)):
                    direction, slope = tuple([-v for v in direction]), -slope
                if direction not in found:
                    found[direction] = Corner(direction, minor // common, slope, both)
        return tuple(found.values())

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
        walk from the cheapest point to both sides until the radius is spent. In floats, from points
        that are exact: they guide the search and decide nothing.
        """
        lines = self._cheapest(x, costs)
        if not lines:
            return None
        low, high = [math.inf] * self.n, [-math.inf] * self.n
        unit = max(costs.up)
        ups, downs = [u / unit for u in costs.up], [d / unit for d in costs.down]
        for zeros, (total, minor, point) in lines.items():
            if total > radius * minor:
                continue
            slack = (radius * minor - total) / (minor * unit)
            start = [p / minor for p in point]
            along = self._along(zeros)
            for direction in (along, [-v for v in along]):
                t = _walk(start, direction, slack, ups, downs)
                for i in range(self.n):
                    end = start[i] + t * direction[i]
                    low[i], high[i] = min(low[i], end), max(high[i], end)
        if low[0] > high[0]:
            return None
        return [b - a for a, b in zip(low, high, strict=True)]

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

    def _along(self, zeros: Vector) -> list[float]:
        """The direction in the span that is 0 in the given columns, of length about 1."""
        out = [0] * self.n
        for i in range(self.n):
            if i not in zeros:
                columns = tuple(sorted((*zeros, i)))
                minor = self.minors[columns]
                out[i] = minor if columns.index(i) % 2 == 0 else -minor
        most = max(map(abs, out))
        return [v / most for v in out]


def _walk(
    start: Sequence[float],
    direction: Sequence[float],
    slack: float,
    up: Sequence[float],
    down: Sequence[float],
) -> float:
    """How far one can go before the cost has risen by `slack`; the cost is convex on the way."""
    slope, turns = 0.0, []
    for a, v, u, d in zip(start, direction, up, down, strict=True):
        if v > 0:
            slope += u * v if a >= 0 else -d * v
        elif v < 0:
            slope += -d * v if a <= 0 else u * v
        if a * v < 0:
            turns.append((-a / v, abs(v) * (u + d)))
    at = 0.0
    for t, more in sorted(turns):
        if slope > 0 and (t - at) * slope > slack:
            break
        slack -= (t - at) * slope
        at, slope = t, slope + more
    return at + slack / slope if slope > 0 else at
