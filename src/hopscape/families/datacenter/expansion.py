"""PolarFly grown without rewiring: copies of its quadrics, or of a quadric and its neighbours."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from hopscape.algebra.fields import prime_power
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Facts, Parameter, integers
from hopscape.families.datacenter.fly import PolarFly, incidence
from hopscape.families.datacenter.routers import TERMINALS, RouterFamily

__all__ = ["ExpandedPolarFly"]


class ExpandedPolarFly(RouterFamily):
    """A PolarFly with routers added that are wired like some that are there.

    Lakhotia et al., "PolarFly: a cost-effective and flexible low-diameter topology", SC 2022,
    section on incremental expansion, as EvalNet generates it. `quadrics` adds so many copies of the
    q + 1 routers that are orthogonal to themselves, each joined to the original's neighbours, to
    the original and to its other copies; the diameter stays 2. Where q is even, one copy of the
    router that all quadrics are joined to is added instead. `clusters` adds copies of the first
    quadrics together with their neighbours: a copy is joined to its original, to the copies of
    neighbours that are copied with it, and to all other neighbours.
    """

    name = "polarfly_expanded"
    summary = "PolarFly with copies of its quadrics or of clusters around them, no link moved"
    parameters = (
        *integers(q=("a prime power", 2, 256)),
        Parameter("quadrics", "int", "copies of all quadrics", low=0, default=0),
        Parameter("clusters", "int", "clusters that are copied", low=0, default=0),
        TERMINALS,
    )
    example = "polarfly_expanded(3, quadrics=1, p=0)"

    def __init__(self, q: int, quadrics: int = 0, clusters: int = 0, p: int | None = None) -> None:
        if prime_power(q) is None:
            raise ArgumentError(f"q is {q}; it must be a prime power")
        if quadrics and clusters:
            raise ArgumentError("quadrics and clusters cannot both be above 0")
        if q % 2 == 0 and quadrics > 1:
            raise ArgumentError(f"quadrics is {quadrics}; where q is even it must be 0 or 1")
        if clusters > q:
            raise ArgumentError(f"clusters is {clusters}; it must be at most q, {q}")
        self.q, self.quadrics, self.clusters, self.p = q, quadrics, clusters, p
        self.points = q * q + q + 1

    @property
    def routers(self) -> int:
        added = self.quadrics * (self.q + 1 if self.q % 2 else 1)
        return self.points + added + self.clusters * (self.q + 1)

    @property
    def router_degree(self) -> int:
        return self.q + 1 + self.clusters + (2 * self.quadrics if self.q % 2 else 0)

    @property
    def balanced(self) -> int:
        return (self.q + 1) // 2

    def router_links(self) -> tuple[IntArray, IntArray]:
        return self._listed

    @cached_property
    def _listed(self) -> tuple[IntArray, IntArray]:
        near: list[set[int]] = [set() for _ in range(self.routers)]
        for u, v in zip(*(x.tolist() for x in PolarFly(self.q, 0).router_links()), strict=True):
            _join(near, u, v)
        points, lines = incidence(self.q)
        own = points[points == lines].tolist()
        if self.clusters:
            self._copy_clusters(near, own)
        elif self.quadrics:
            self._copy_quadrics(near, own)
        pairs = [(u, v) for u, some in enumerate(near) for v in some if u < v]
        tails, heads = np.asarray(sorted(pairs)).T
        return tails, heads

    def _copy_quadrics(self, near: list[set[int]], own: list[int]) -> None:
        if self.q % 2 == 0:
            (centre,) = set.intersection(*(near[w] for w in own))
            for w in own:
                _join(near, self.points, w)
            assert len(near[centre]) == self.q + 1
            return
        fresh = self.points
        for _ in range(self.quadrics):
            for w in own:
                for v in [w, *near[w]]:
                    _join(near, fresh, v)
                fresh += 1

    def _copy_clusters(self, near: list[set[int]], own: list[int]) -> None:
        copies: dict[int, list[tuple[int, int]]] = {}  # of a router: copy, centre of its cluster
        parts = [[*sorted(near[w]), w] for w in own[: self.clusters]]
        for number, part in enumerate(parts):
            first, centre = self.points + number * len(part), part[-1]
            copy = {v: first + i for i, v in enumerate(part)}
            for v in part:
                earlier = copies.setdefault(v, [])
                around = near[v] - {u for u, _ in earlier}
                _join(near, v, copy[v])
                for u, other in earlier:
                    _join(near, copy[v], other)
                    _join(near, u, centre)
                for u in around:
                    _join(near, copy[v], copy.get(u, u))
                earlier.append((copy[v], copy[centre]))

    def facts(self) -> Facts:
        q, copies = self.q, self.quadrics
        inner = (self.points * (q + 1) - (q + 1)) // 2
        if self.clusters:
            inner += (q + 1) * (self.clusters * (q + 1) + math.comb(self.clusters, 2))
        elif q % 2:
            inner += (q + 1) * (copies * q + copies * (copies + 1) // 2)
        else:
            inner += copies * (q + 1)
        links = inner + self.ends
        diameter = None if self.clusters else self.hops(2)
        return Facts.duplex(links, diameter=diameter)

    @classmethod
    def shapes(cls, ports: int, routers: int) -> Iterator[ExpandedPolarFly]:
        """With copied quadrics (a PolarFly alone is `polarfly`)."""
        for q in range(3, ports, 2):
            if prime_power(q) is None:
                continue
            for copies in range(1, (ports - q) // 2):
                shape = cls(q, copies, 0, 0)
                if shape.routers <= routers:
                    yield shape


def _join(near: list[set[int]], u: int, v: int) -> None:
    near[u].add(v)
    near[v].add(u)
