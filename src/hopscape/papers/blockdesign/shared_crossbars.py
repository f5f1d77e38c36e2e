"""Endpoints with several crossbars: any two meet in w of them or more, and how they get there.

The crossbars between the supernodes of a machine, as a network of its own: each supernode is an
endpoint with c·M ports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.facts import circle
from hopscape.core.family import Facts, Family, Layout, Parameter, Symmetry, integers
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.requirement import Requirement
from hopscape.core.router import FamilyRouter, Route, Router, pick, spread
from hopscape.papers.blockdesign.sharing import (
    MOST_CROSSBARS,
    MOST_RADIX,
    Sharing,
    find_sharing,
    sharings,
)

__all__ = ["SharedCrossbars", "SharedRouter"]

_BATCH = 1 << 22  # pairs times ports looked at together: arrays of 4 MiB
_MOST_POINTS = 8 * MOST_RADIX**2 + 1


class SharedCrossbars(Family):
    """N endpoints, then at most c·N crossbars of m ports: every pair shares w crossbars or more."""

    name = "shared_crossbars"
    summary = "N endpoints with c crossbars m × m for each: every two endpoints meet in w of them"
    parameters = (
        *integers(
            n=("endpoints: w(N - 1) is at most cm(m - 1)", 3, _MOST_POINTS),
            m=("ports of a crossbar", 2, MOST_RADIX),
        ),
        Parameter(
            "crossbars", "int", "crossbars for each endpoint", low=1, high=MOST_CROSSBARS, default=1
        ),
        Parameter(
            "ways", "int", "crossbars that two endpoints share", low=1, high=MOST_CROSSBARS,
            default=1,
        ),
    )  # fmt: skip
    example = "shared_crossbars(13, 3, crossbars=2)"
    leaf_endpoints = True

    def __init__(self, n: int, m: int, crossbars: int = 1, ways: int = 1) -> None:
        self.sharing: Sharing = find_sharing(n, m, crossbars, ways)
        self.n, self.m, self.crossbars, self.ways = n, m, crossbars, ways
        require_memory(64 * n * m * crossbars, f"the wiring of {self.spec}")

    @cached_property
    def blocks(self) -> IntArray:
        """The endpoint at each port of each crossbar; -1 where nothing is wired."""
        return self.sharing.blocks()

    @cached_property
    def seats(self) -> tuple[IntArray, IntArray]:
        """The crossbar at each port of each endpoint, -1 where none is; and the port there.

        With a group, an endpoint has the same port for the same element of a base block; else its
        ports follow the numbers of its crossbars.
        """
        crossbar, seat = np.nonzero(self.blocks >= 0)
        point = self.blocks[crossbar, seat]
        if self.sharing.moduli:
            widths = (self.blocks[:: self.n] >= 0).sum(axis=1)
            port = (np.cumsum(widths) - widths)[crossbar // self.n] + seat
        else:
            order = np.argsort(point, kind="stable")
            crossbar, seat, point = crossbar[order], seat[order], point[order]
            port = np.arange(len(point)) - np.searchsorted(point, point)
        out = np.full((2, self.n, int(port.max()) + 1), -1, dtype=np.int64)
        out[0, point, port], out[1, point, port] = crossbar, seat
        return out[0], out[1]

    @cached_property
    def port_at(self) -> IntArray:
        """The port of an endpoint to a crossbar, -1 where there is none: int16[N, crossbars]."""
        count = len(self.blocks)
        require_memory(2 * self.n * count, f"the ports of {self.spec}")
        table = np.full((self.n, count), -1, dtype=np.int16)
        crossbars, _ = self.seats
        point, port = np.nonzero(crossbars >= 0)
        table[point, crossbars[point, port]] = port
        return table

    def shared(self, a: IntArray, b: IntArray) -> IntArray:
        """bool[pairs, ports]: which ports of endpoints lead to a crossbar of the other endpoint."""
        crossbars = self.seats[0][a]
        met = self.port_at[b[:, None], np.maximum(crossbars, 0)] >= 0
        return met & (crossbars >= 0) & (a != b)[:, None]

    @property
    def order(self) -> int:
        return self.n + len(self.blocks)

    @property
    def ports(self) -> int:
        return max(self.seats[0].shape[1], self.blocks.shape[1])

    def switches(self) -> range:
        return range(self.n, self.order)

    def neighbours(self, nodes: IntArray) -> IntArray:
        out = np.full((len(nodes), self.ports), -1, dtype=np.int64)
        point = nodes < self.n
        crossbars = self.seats[0][nodes[point]]
        out[point, : crossbars.shape[1]] = np.where(crossbars >= 0, crossbars + self.n, -1)
        out[~point, : self.blocks.shape[1]] = self.blocks[nodes[~point] - self.n]
        return out

    def facts(self) -> Facts:
        degrees = np.concatenate([(self.seats[0] >= 0).sum(axis=1), (self.blocks >= 0).sum(axis=1)])
        links = int((self.blocks >= 0).sum())
        return Facts.duplex(links, int(degrees.min()), int(degrees.max()))

    def symmetry(self) -> Symmetry | None:
        if not self.sharing.moduli:
            return None
        first = range(0, self.order, self.n)
        return Symmetry(tuple(first), (self.n,) * len(first))

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Two or three crossbars for each endpoint, and two ways: the nearest orders."""
        candidates: list[tuple[int, int, str]] = []
        for crossbars, ways in ((2, 1), (3, 1), (3, 2), (4, 2)):
            m = min(requirement.ports // crossbars, MOST_RADIX)
            if m < 3:
                continue
            for sharing in sharings(m, crossbars, ways):
                if requirement.fits(sharing.points) and sharing.points > m:
                    gap = abs(sharing.points - requirement.nodes)
                    text = f"{cls.name}({sharing.points}, {m}, crossbars={crossbars}"
                    text += f", ways={ways})" if ways > 1 else ")"
                    candidates.append((gap, crossbars, text))
        yield from (spec for _, _, spec in sorted(candidates)[:2])

    def router(self, network: Network) -> Router:
        return SharedRouter(network, self)

    def detours(
        self, network: Network, dead_nodes: Sequence[int], dead_links: Sequence[tuple[int, int]]
    ) -> Callable[[int, int], Route | None]:
        from hopscape.core.detours import pair_detours

        return pair_detours(network, dead_nodes, dead_links)

    def layout(self) -> Layout:
        return Layout(np.concatenate([circle(self.n), circle(len(self.blocks), 0.55)]))


class SharedRouter(FamilyRouter[SharedCrossbars]):
    """Two hops between endpoints; of the ports of shortest paths a hash of the pair takes one."""

    name = "shared crossbars"

    def __init__(self, network: Network, family: SharedCrossbars) -> None:
        super().__init__(network, family)
        self.table_bytes = family.port_at.nbytes

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        family = self._family
        n = family.n
        up, over = at < n, to < n
        out = np.where(at == to, 0, 2).astype(np.int64)
        mixed = up != over
        point, crossbar = np.where(up, at, to)[mixed], np.where(up, to, at)[mixed] - n
        out[mixed] = np.where(family.port_at[point, crossbar] >= 0, 1, 3)
        between = np.nonzero(~up & ~over & (at != to))[0]
        apart = ~self._common(at[between] - n, to[between] - n).any(axis=1)
        out[between[apart]] = 4
        return out

    def _common(self, first: IntArray, second: IntArray) -> IntArray:
        """bool[pairs, ports]: which ports of crossbars lead to an endpoint of the other one."""
        points = self._family.blocks[first]
        held = self._family.port_at[np.maximum(points, 0), second[:, None]] >= 0
        return held & (points >= 0)

    def shortest_ports(self, at: IntArray, to: IntArray) -> IntArray:
        step = max(1, _BATCH // self.network.ports)
        parts = [
            self._shortest(at[low : low + step], to[low : low + step])
            for low in range(0, len(at), step)
        ]
        width = self.network.ports
        return np.concatenate(parts) if parts else np.empty((0, width), dtype=bool)

    def _shortest(self, at: IntArray, to: IntArray) -> IntArray:
        family, n = self._family, self._family.n
        out = np.zeros((len(at), self.network.ports), dtype=bool)
        up, over = at < n, to < n
        both = np.nonzero(up & over)[0]
        out[both, : family.seats[0].shape[1]] = family.shared(at[both], to[both])
        rest = np.nonzero(~(up & over) & (at != to))[0]
        out[rest] = super().shortest_ports(at[rest], to[rest])
        return out

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        return pick(self.shortest_ports(at, to), spread(at, to))
