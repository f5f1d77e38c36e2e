"""Directed circulants: channels from v to v + s only, for every generator s, mod N.

Two generators (double loops) route by their L-shape: the nodes that are x steps of the first and y
of the second away, x + y least, x least among those, fill the rectangle l × h less the corner
w × y at its far end, and tile the plane by (l, -w') and (-y', h) (C. K. Wong and D. Coppersmith, A
combinatorial problem related to multimodule memory organizations, Journal of the ACM 21, 1974; the
sides by Euclid's algorithm as in Y. Cheng and F. K. Hwang, Diameters of weighted double loop
networks, Journal of Algorithms 9, 1988). Diameter and mean distance are sums over the shape.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from hopscape.core.addresses import node_dtype
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.facts import circle
from hopscape.core.family import Facts, Family, Layout, Parameter, integers
from hopscape.core.formula import Value, any_of, both, choose, equal, less, wrapped
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement
from hopscape.core.router import Router

__all__ = ["DirectedCirculant", "DirectedRouter", "LShape", "loop_distances"]

_MOST_LISTED = 1 << 22  # nodes whose distances from node 0 are kept: 32 MiB
_SQUARES = 1 << 31  # below it products of two node numbers are 64-bit numbers


@dataclass(frozen=True)
class LShape:
    """Shortest vectors (x, y) of a double loop: x < l, y < h, and x < l - y0 or y < h - w.

    Attributes:
        long, high: The sides l and h.
        wide, deep: The corner that is missing is `wide` long and `deep` high.

    Examples:
        >>> shape = LShape.of(9, 1, 4)
        >>> shape, shape.diameter, shape.total
        (LShape(long=3, high=5, wide=2, deep=3), 4, 18)
        >>> LShape.of(10**18 + 9, 1, 10**9).diameter
        1999999998
    """

    long: int
    high: int
    wide: int
    deep: int

    @classmethod
    def of(cls, nodes: int, a: int, b: int) -> LShape:
        """Of the generators a and b of N nodes, which together lead everywhere. O(log N)."""
        step = math.gcd(a, nodes)  # only multiples of so many b are multiples of a
        turns = nodes // step
        back = pow(a // step, -1, turns) if turns > 1 else 0
        slope = b * back % turns
        # vectors (x, -y) of the lattice, x falling and y rising: x, y and what a step adds to them
        x, y = turns, 0
        less, more = turns - slope, step
        while True:
            far = (x - y) // (less + more) + 1  # the first step after which x < y
            if far <= x // less:
                break
            count = x // less
            x, y = x - count * less, y + count * more
            again = (less - 1) // x
            less, more = less - again * x, more + again * y
        end, top = x - (far - 1) * less, y + (far - 1) * more
        return cls(end, top + more, end - less, top)

    @property
    def nodes(self) -> int:
        """How many vectors it holds."""
        return self.long * self.high - self.wide * self.deep

    @property
    def diameter(self) -> int:
        """Length of the longest vector."""
        if not self.wide or not self.deep:
            return self.long + self.high - 2
        return self.long + self.high - 2 - min(self.wide, self.deep)

    @property
    def total(self) -> int:
        """Sum of the lengths of all vectors."""
        long, high, wide, deep = self.long, self.high, self.wide, self.deep
        whole = long * high * (long + high - 2) // 2
        return whole - wide * deep * (2 * long + 2 * high - wide - deep - 2) // 2

    def reduced(self, x: IntArray, y: IntArray) -> tuple[IntArray, IntArray]:
        """The vector of the shape that leads where (x, y) does; ints or arrays."""
        nodes = self.nodes
        across = (x * self.high + y * self.wide) // nodes
        along = (x * self.deep + y * self.long) // nodes
        x, y = (
            x - across * self.long + along * self.wide,
            y + across * self.deep - along * self.high,
        )
        best_x, best_y = self._nearest(x, y)
        for turn in (-1, 1):
            other_x, other_y = self._nearest(x + turn * self.long, y - turn * self.deep)
            better = other_x + other_y < best_x + best_y
            better |= (other_x + other_y == best_x + best_y) & (other_x < best_x)
            best_x = np.where(better, other_x, best_x)
            best_y = np.where(better, other_y, best_y)
        return best_x, best_y

    def _nearest(self, x: IntArray, y: IntArray) -> tuple[IntArray, IntArray]:
        """The first point without a negative entry along the diagonal (l - w, h - d)."""
        aside, up = self.long - self.wide, self.high - self.deep
        count = np.maximum(-(x // aside), -(y // up))
        return x + count * aside, y + count * up

    def formula(self, turns: Value, unit_x: int, unit_y: int) -> tuple[Value, Value]:
        """As :meth:`reduced`, of so many times a vector without negative entries."""
        long, high, wide, deep = self.long, self.high, self.wide, self.deep
        across = (turns * (unit_x * high + unit_y * wide) // self.nodes).named("across")
        along = (turns * (unit_x * deep + unit_y * long) // self.nodes).named("along")
        x = (turns * unit_x - across * long + along * wide).narrow(-wide, long - 1).named("x")
        y = (turns * unit_y + across * deep - along * high).narrow(-deep, high - 1).named("y")
        best: tuple[Value, Value, Value] | None = None
        for turn in (-1, 0, 1):
            moved_x, moved_y = self._nearest_formula(x + turn * long, y - turn * deep)
            hops = (moved_x + moved_y).named(f"hops{turn + 1}")
            if best is None:
                best = hops, moved_x, moved_y
                continue
            least, best_x, _ = best
            better = any_of([less(hops, least), both(equal(hops, least), less(moved_x, best_x))])
            better = better.named(f"better{turn + 1}")
            pairs = zip((hops, moved_x, moved_y), best, strict=True)
            best = tuple(choose(better, new, old) for new, old in pairs)  # type: ignore[assignment]
        assert best is not None
        return best[1], best[2]

    def _nearest_formula(self, x: Value, y: Value) -> tuple[Value, Value]:
        aside, up = self.long - self.wide, self.high - self.deep
        most_x, most_y = -(x.low // aside), -(y.low // up)
        count_x = most_x - (x + most_x * aside) // aside
        count_y = most_y - (y + most_y * up) // up
        count = choose(less(count_x, count_y), count_y, count_x)
        return x + count * aside, y + count * up


class DirectedCirculant(Family):
    """Port i leads to v + s_i; generators need not be sorted or different."""

    name = "directed_circulant"
    summary = "directed circulant (double, triple loop): node v leads to v + s for every generator"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        *integers(n="number of nodes"),
        Parameter("generators", "int", "steps, from 1 to N - 1", low=1, variadic=True),
    )
    example = "directed_circulant(9, 1, 4)"
    transitive = True
    duplex = False

    def __init__(self, n: int, generators: Sequence[int]) -> None:
        for s in generators:
            if s >= n:
                raise ArgumentError(f"generator {s} is not from 1 to N - 1 = {n - 1}")
        self.n, self.generators = n, tuple(generators)

    @property
    def order(self) -> int:
        return self.n

    @property
    def ports(self) -> int:
        return len(self.generators)

    @property
    def components(self) -> int:
        """Number of components: gcd of the order and all generators."""
        return math.gcd(self.n, *self.generators)

    @property
    def shape(self) -> LShape | None:
        """The L-shape of (a component of) a double loop, or the line of a ring."""
        g = self.components
        if len(self.generators) == 1:
            return LShape(self.n // g, 1, 0, 0)
        if len(self.generators) == 2:
            a, b = (s // g for s in self.generators)
            return LShape.of(self.n // g, a, b)
        return None

    def neighbours(self, nodes: IntArray) -> IntArray:
        out = np.empty((len(nodes), self.ports), dtype=nodes.dtype)
        for i, s in enumerate(self.generators):
            out[:, i] = (nodes + s) % self.n
        return out

    def facts(self) -> Facts:
        connected = self.components == 1
        shape = self.shape if connected else None
        diameter = shape.diameter if shape is not None else None
        mean = None
        if shape is not None and self.n > 1:
            mean = Fraction(shape.total, self.n - 1)
        return Facts.regular(
            self.n,
            self.ports,
            duplex=False,
            connected=connected,
            diameter=diameter,
            radius=diameter,
            mean_distance=mean,
            vertex_transitive=True,
        )

    def port_classes(self) -> tuple[str, ...]:
        return tuple(f"step{s}" for s in self.generators)

    def router(self, network: Network) -> Router | None:
        few = self.n <= _MOST_LISTED
        if not 1 <= len(self.generators) <= 2 and not (self.generators and few):
            return None
        return DirectedRouter(network, self)

    def translate(self, by: IntArray, nodes: IntArray) -> IntArray:
        return (by + nodes) % self.order

    def layout(self) -> Layout:
        return Layout(circle(self.n))

    @classmethod
    def members(cls, requirement: Requirement) -> Iterable[str]:
        """None: the designer's links are duplex."""
        return ()


class DirectedRouter(Router):
    """Shortest routes: with one or two generators by the L-shape, whatever the order.

    With more, by the distances from node 0 (a byte or more for every node, the same at every node),
    up to four million nodes. Takes the steps of the first generator first.

    Examples:
        >>> import hopscape
        >>> router = hopscape.build("directed_circulant(1000000007, 1, 31622)").router()
        >>> router.distance(0, 1000000006), router.next_port(7, 6), router.table_bytes
        (49123, 0, 0)
    """

    def __init__(self, network: Network, family: DirectedCirculant) -> None:
        super().__init__(network)
        self._family = family
        self._parts = family.components
        self._order = family.n // self._parts
        self._shape = family.shape
        self.name = "L-shape" if self._shape is not None else "distances from node 0"
        if self._shape is None:
            self.table_bytes = self._far.nbytes

    @cached_property
    def _unit(self) -> tuple[int, int]:
        """The vector of the shape that leads to node 1 of a component."""
        shape, n = self._shape, self._order
        assert shape is not None
        steps = [s // self._parts for s in self._family.generators]
        if len(steps) == 1:
            return (pow(steps[0], -1, n) if n > 1 else 0), 0
        a, b = steps
        g = math.gcd(a, n)
        y = pow(b, -1, g) if g > 1 else 0
        x = (1 - b * y) // g * pow(a // g, -1, n // g) % (n // g) if n > g else 0
        steps_a, steps_b = shape.reduced(np.asarray(x, dtype=object), np.asarray(y, dtype=object))
        return int(steps_a), int(steps_b)

    @cached_property
    def _far(self) -> IntArray:
        """Distances from node 0; -1 where there is no route."""
        return loop_distances(self._family.n, self._family.generators)

    def vectors(self, at: IntArray, to: IntArray) -> tuple[IntArray, IntArray]:
        """Steps of both generators, for pairs that have a route."""
        shape = self._shape
        assert shape is not None
        gap = (to - at) % self._family.n // self._parts
        if self._order > _SQUARES:
            gap = gap.astype(object)
        x, y = self._unit
        return shape.reduced(gap * x, gap * y)

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        if self._shape is None:
            return self._far[(to - at) % self._family.n].astype(np.int64)
        x, y = self.vectors(at, to)
        hops = np.where(self._has_way(at, to), x + y, -1)
        return hops.astype(node_dtype(self._order))

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        if self._shape is None:
            gap = (to - at) % self._family.n
            far = self._far[gap]
            port = np.full(len(at), -1, dtype=np.int64)
            for i in range(len(self._family.generators) - 1, -1, -1):
                nearer = self._far[(gap - self._family.generators[i]) % self._family.n] == far - 1
                port[(far > 0) & nearer] = i
            return port
        x, y = self.vectors(at, to)
        port = np.where(x > 0, 0, np.where(y > 0, 1, -1))
        return np.where(self._has_way(at, to), port, -1).astype(np.int64)

    def formula(self, at: Value, to: Value) -> Value:
        """The vector of the L-shape by arithmetic, then its first step."""
        if self._shape is None:
            return super().formula(at, to)
        gap = wrapped(to - at, self._family.n).named("gap", "the difference alone decides")
        x, y = self._shape.formula(gap // self._parts, *self._unit)
        port = choose(less(0, x), 0, choose(less(0, y), 1, -1))
        return choose(equal(gap % self._parts, 0), port, -1) if self._parts > 1 else port

    def _has_way(self, at: IntArray, to: IntArray) -> IntArray:
        return np.asarray((to - at) % self._parts == 0, dtype=bool)


def loop_distances(nodes: int, generators: Sequence[int]) -> IntArray:
    """Distances from node 0 of a directed circulant, by search; -1 where there is no route.

    Examples:
        >>> loop_distances(9, (1, 4)).tolist()
        [0, 1, 2, 3, 1, 2, 3, 4, 2]
    """
    steps = np.asarray(sorted(set(generators)), dtype=np.int64)
    far = np.full(nodes, -1, dtype=np.int32)
    far[0] = 0
    fresh, level = np.zeros(1, dtype=np.int64), 0
    while len(fresh):
        level += 1
        heads = np.unique((fresh[:, None] + steps) % nodes)
        fresh = heads[far[heads] < 0]
        far[fresh] = level
    return far
