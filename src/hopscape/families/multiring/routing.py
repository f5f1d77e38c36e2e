"""Routers on multirings: shortest with changes of ring, and staying on one ring."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.distances import distances_from
from hopscape.core.memory import require_memory
from hopscape.core.network import Network
from hopscape.core.router import Router

__all__ = ["DifferenceRouter", "OneRingRouter"]


class DifferenceRouter(Router):
    """Shortest ways, from one table of N distances: only the difference of two nodes counts."""

    name = "difference table"

    def __init__(self, network: Network) -> None:
        super().__init__(network)
        self._from_zero = distances_from(network, 0).astype(np.int32)
        self.table_bytes = self._from_zero.nbytes

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        return self._from_zero[(to - at) % self.network.order].astype(np.int64)

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        good = self.shortest_ports(at, to)
        return np.where(good.any(axis=1), good.argmax(axis=1), -1)


class OneRingRouter(Router):
    """The shortest way that stays on one ring from source to destination; the first on a tie.

    A packet keeps its ring, so that :meth:`walk` is not a chain of :meth:`next_ports`: the first
    port is that of the chosen ring, and later ones are the same.

    Parameters
    ----------
    network : Network
    lengths : sequence of arrays
        For each port (ring): arcs from node 0 to every node, 0 where the ring does not go.
    """

    name = "one ring"
    exact = False

    def __init__(self, network: Network, lengths: Sequence[IntArray]) -> None:
        super().__init__(network)
        require_memory(8 * len(lengths) * network.order, f"the ring lengths of {network.spec}")
        table = np.stack(lengths).astype(np.int64)
        far = np.where(table > 0, table, np.iinfo(np.int64).max)
        self._ring = far.argmin(axis=0)
        self._length = far.min(axis=0)
        self._length[0], self._ring[0] = 0, -1
        self.table_bytes = self._ring.nbytes + self._length.nbytes

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        found: IntArray = self._length[(to - at) % self.network.order]
        return found

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        found: IntArray = self._ring[(to - at) % self.network.order]
        return found

    def walk(self, at: IntArray, to: IntArray) -> tuple[IntArray, IntArray]:
        length, ring = self.distances(at, to), self.next_ports(at, to)
        longest = int(length.max(initial=0))
        require_memory(16 * len(at) * (longest + 1), f"{len(at)} routes of up to {longest} hops")
        nodes = np.full((len(at), longest + 1), -1, dtype=np.int64)
        ports = np.full((len(at), longest), -1, dtype=np.int64)
        nodes[:, 0] = at
        for hop in range(longest):
            going = np.nonzero(length > hop)[0]
            rows = self.network._rows(nodes[going, hop])
            nodes[going, hop + 1] = rows[np.arange(len(going)), ring[going]]
            ports[going, hop] = ring[going]
        return nodes, ports
