"""Up*/down* routing: free of deadlock on one virtual channel in any connected duplex network.

M. D. Schroeder et al., "Autonet: a high-speed, self-configuring local area network using
point-to-point links", 1991.
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.distances import distances_from
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.memory import require_memory
from hopscape.core.network import Network
from hopscape.core.router import Router

__all__ = ["UpDownRouter"]


class UpDownRouter(Router):
    """Up towards a root as far as needed, then only down.

    Nodes are ranked by their distance from the root, then by number. A route goes down by the
    shortest downward way as soon as there is one, else up where the rest is shortest. No route
    turns from down to up, so the channel dependency graph has no cycle. With `partial` a network
    may fall into parts; each has its own root, its node of least number.

    Examples:
        >>> import hopscape
        >>> UpDownRouter(hopscape.build("ring(6)")).path(2, 4)
        [2, 1, 0, 5, 4]
    """

    name = "up*/down*"
    exact = False

    def __init__(self, network: Network, root: int = 0, *, partial: bool = False) -> None:
        super().__init__(network)
        if not network.duplex:
            raise ArgumentError(
                f"{network.spec} has simplex channels; up*/down* needs duplex links"
            )
        order = network.order
        require_memory(6 * order * order, f"the up*/down* tables of {network.spec}")
        level = distances_from(network, network.node(root))
        while partial and int(level.min()) < 0:
            further = distances_from(network, int(np.argmin(level)))
            level = np.where(further >= 0, further, level)
        if int(level.min()) < 0:
            raise DisconnectedError(f"{network.spec} is not connected")
        rank = np.empty(order, dtype=np.int64)
        rank[np.lexsort((np.arange(order), level))] = np.arange(order)
        self._down, self._length = self._measure(rank)
        self._ports = self._choose(rank)
        self.table_bytes = self._length.nbytes + self._ports.nbytes

    def _measure(self, rank: IntArray) -> tuple[IntArray, IntArray]:
        """Lengths of downward ways, and of whole routes: [node, goal]."""
        network = self.network
        order = network.order
        hops = np.int32(2**30)
        down = np.full((order, order), hops, dtype=np.int32)
        length = np.full((order, order), hops, dtype=np.int32)
        by_rank = np.argsort(rank)
        for v in by_rank[::-1].tolist():  # deepest first: all lower neighbours are known
            down[v, v] = 0
            for w in network.heads[network.indptr[v] : network.indptr[v + 1]].tolist():
                if rank[w] > rank[v]:
                    np.minimum(down[v], down[w] + 1, out=down[v])
        for v in by_rank.tolist():  # highest first: all upper neighbours are known
            length[v] = down[v]
            away = down[v] >= hops
            for w in network.heads[network.indptr[v] : network.indptr[v + 1]].tolist():
                if rank[w] < rank[v]:
                    better = away & (length[w] + 1 < length[v])
                    length[v, better] = length[w, better] + 1
        return down, length

    def _choose(self, rank: IntArray) -> IntArray:
        network = self.network
        order = network.order
        ports = np.full((order, order), -1, dtype=np.int16)
        hops = 2**30
        for v in range(order):
            low, high = int(network.indptr[v]), int(network.indptr[v + 1])
            numbers = network.port_of(np.arange(low, high))
            for channel, port in zip(range(low, high), numbers.tolist(), strict=True):
                w = int(network.heads[channel])
                if rank[w] > rank[v]:
                    fits = (self._down[v] < hops) & (self._down[w] == self._down[v] - 1)
                elif rank[w] < rank[v]:
                    fits = (self._down[v] >= hops) & (self._length[w] == self._length[v] - 1)
                else:
                    continue
                ports[v, fits & (ports[v] < 0)] = port
        return ports

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        return self._length[at, to].astype(np.int64)

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        return self._ports[at, to].astype(np.int64)
