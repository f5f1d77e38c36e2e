"""The rail-optimised fat tree of machine-learning clusters, and its rail-only relative."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from hopscape.core.addresses import Addresses
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Facts, Family, Layout, Parameter, Symmetry, integers
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement
from hopscape.core.router import FamilyRouter, Router, pick, spread
from hopscape.families.datacenter.routers import Levels, tiers

__all__ = ["RailOptimized"]


class RailOptimized(Family):
    """Servers of `rails` accelerators; accelerator r of every server of a unit hangs on leaf r.

    A switch inside each server joins its accelerators (NVLink). Every leaf is linked to every
    spine. Without spines it is the rail-only network of Wang, Ghobadi et al. ("Rail-only: a
    low-cost high-performance network for training LLMs", 2023). Nodes: accelerators by unit,
    server and rail; the switches in the servers; the leaves by unit and rail; the spines.
    """

    name = "rail_optimized"
    summary = "rail-optimised fat tree: accelerator r of every server of a unit on leaf switch r"
    parameters = (
        *integers(rails="accelerators per server, and leaves per unit", servers="servers per unit"),
        Parameter("units", "int", "scalable units", low=1, default=1),
        Parameter(
            "spines", "int", "spine switches; as many as servers when left out", low=0, default=None
        ),
        Parameter("links", "int", "parallel links from a leaf to a spine", low=1, default=1),
        Parameter("inside", "flag", "does a switch join the accelerators of a server?", default=1),
    )
    example = "rail_optimized(2, 3, units=2)"

    def __init__(
        self,
        rails: int,
        servers: int,
        units: int = 1,
        spines: int | None = None,
        links: int = 1,
        inside: bool | int = True,
    ) -> None:
        self.rails, self.servers, self.units, self.spines = rails, servers, units, spines
        self.links, self.inside = links, bool(inside)
        self.tops = servers if spines is None else spines
        if self.tops == 0 and (units > 1 or (rails > 1 and not inside)):
            raise ArgumentError(
                "spines is 0; without spines there must be one unit, and a switch in each server"
                " (inside) unless there is one rail"
            )
        accelerators, machines = units * servers * rails, units * servers
        sizes = (accelerators, machines if self.inside else 0, units * rails, self.tops)
        self.starts = [sum(sizes[:i]) for i in range(5)]
        self.sizes = sizes

    @property
    def order(self) -> int:
        return self.starts[-1]

    @property
    def _degrees(self) -> tuple[int, ...]:
        up = self.tops * self.links
        top = self.units * self.rails * self.links if self.tops else 0
        return (1 + self.inside, self.rails, self.servers + up, top)

    @property
    def ports(self) -> int:
        return max(d for d, size in zip(self._degrees, self.sizes, strict=True) if size)

    @property
    def addresses(self) -> Addresses:
        units, servers, rails = self.units, self.servers, self.rails
        inner = (units, servers, 1) if self.inside else (0, 0, 0)
        return Levels([(units, servers, rails), inner, (units, 1, rails), (1, self.tops, 1)])

    def switches(self) -> range:
        return range(self.starts[1], self.order)

    def inner_switches(self) -> range:
        return range(self.starts[1], self.starts[2])

    def places(self, nodes: IntArray) -> IntArray:
        """Kind, unit, server, rail and spine of each node; -1 where it has none."""
        kind = sum((nodes >= start).astype(np.int64) for start in self.starts[1:4])
        index = nodes - np.asarray(self.starts[:4])[kind]
        none = np.full(len(nodes), -1)
        rails, servers = self.rails, self.servers
        rows = (
            (index // (rails * servers), index // rails % servers, index % rails, none),
            (index // servers, index % servers, none, none),
            (index // rails, none, index % rails, none),
            (none, none, none, index),
        )
        columns = [np.choose(kind, [row[i] for row in rows]) for i in range(4)]
        return np.stack([kind, *columns], axis=1)

    def neighbours(self, nodes: IntArray) -> IntArray:
        out = np.full((len(nodes), self.ports), -1, dtype=nodes.dtype)
        kind, unit, server, rail, _ = self.places(nodes).T
        rails, servers, inside = self.rails, self.servers, int(self.inside)
        _, inner, leaves, spines, _ = self.starts
        at = kind == 0
        if inside:
            out[at, 0] = inner + (unit * servers + server)[at]
            here = np.flatnonzero(kind == 1)
            first = ((unit * servers + server) * rails)[here]
            out[here, :rails] = first[:, None] + np.arange(rails)
        out[at, inside] = leaves + (unit * rails + rail)[at]
        here = np.flatnonzero(kind == 2)
        below = (unit * servers)[here][:, None] + np.arange(servers)
        out[here, :servers] = below * rails + rail[here][:, None]
        up = self.tops * self.links
        out[here, servers : servers + up] = spines + np.arange(up) // self.links
        top = self._degrees[3]
        out[kind == 3, :top] = leaves + np.arange(top) // self.links
        return out

    @cached_property
    def _small(self) -> RailOptimized:
        """The same with at most two of each: what is equal in a pair of nodes decides all."""
        rails, servers, units, tops = (
            min(x, 2) for x in (self.rails, self.servers, self.units, self.tops)
        )
        return RailOptimized(rails, servers, units, tops, inside=self.inside)

    @cached_property
    def hops(self) -> IntArray:
        """Distances in the small one, by search."""
        order = self._small.order
        rows = self._small.neighbours(np.arange(order))
        table = np.full((order, order), -1)
        for start in range(order):
            table[start, start], queue = 0, [start]
            for v in queue:
                fresh = [u for u in rows[v].tolist() if u >= 0 and table[start, u] < 0]
                for u in fresh:
                    if table[start, u] < 0:
                        table[start, u] = table[start, v] + 1
                        queue.append(u)
        return table

    def small_node(self, places: IntArray) -> IntArray:
        """The node of the small one at these places (negative ones do not matter)."""
        kind, unit, server, rail, spine = np.maximum(places, 0).T
        s = self._small
        index = np.choose(
            kind,
            [
                (unit * s.servers + server) * s.rails + rail,
                unit * s.servers + server,
                unit * s.rails + rail,
                spine,
            ],
        )
        return np.asarray(s.starts[:4])[kind] + index

    def facts(self) -> Facts:
        links = self.sizes[0] * (1 + self.inside) + self.sizes[2] * self.tops * self.links
        degrees = [d for d, size in zip(self._degrees, self.sizes, strict=True) if size]
        eccentricity = self.hops.max(axis=1)
        diameter, radius = int(eccentricity.max()), int(eccentricity.min())
        return Facts.duplex(links, min(degrees), max(degrees), diameter=diameter, radius=radius)

    def symmetry(self) -> Symmetry:
        kinds = [i for i in range(4) if self.sizes[i]]
        return Symmetry(tuple(self.starts[i] for i in kinds), tuple(self.sizes[i] for i in kinds))

    def router(self, network: Network) -> Router:
        return RailRouter(network, self)

    def layout(self) -> Layout:
        ends, inner, leaves, tops = self.sizes
        rows = tiers([inner or ends, ends, leaves, max(tops, 1)]).positions
        first, second = rows[: inner or ends], rows[inner or ends :]
        order = [second[:ends], first[:inner], second[ends : ends + leaves + tops]]
        return Layout(np.concatenate(order))

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Servers of eight accelerators; leaves with half of their ports up, or fewer."""
        radix, wanted = requirement.ports, requirement.throughput
        tapers = (1, 2) if wanted is None or wanted <= 0.5 else (1,)
        for taper in tapers if radix >= 8 else ():
            servers = radix * taper // (taper + 1)
            up = radix - servers
            for size in requirement.sizes(8 * servers):
                units = size // (8 * servers)
                fitting = [n for n in range(1, up + 1) if up % n == 0 and 8 * units * n <= radix]
                if units and fitting:
                    yield cls(8, servers, units, up // max(fitting), max(fitting)).spec


class RailRouter(FamilyRouter[RailOptimized]):
    """Inside the server by its switch, along a rail by its leaf, else over the own server (PXN).

    What is equal in two nodes (unit, server, rail) decides how far they are apart. Between two
    rails of a unit, a message first goes to the accelerator of the other rail in its own server, as
    collective libraries do, and not over the spines; both are equally long.
    """

    name = "rail by rail"

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        family = self._family
        a, b = family.places(at), family.places(to)
        both = (a >= 0) & (b >= 0)
        other = np.where(both, (a != b).astype(np.int64), 0)
        here, there = np.zeros_like(a), other
        here[:, 0], there[:, 0] = a[:, 0], b[:, 0]
        return family.hops[family.small_node(here), family.small_node(there)]

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        mask = self.shortest_ports(at, to)
        chosen = pick(mask, spread(at, to))
        if not self._family.inside:
            return chosen
        return np.where((at < self._family.starts[1]) & mask[:, 0], 0, chosen)
