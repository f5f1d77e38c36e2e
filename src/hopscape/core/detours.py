"""Ways round dead nodes and links, without building the network.

The search is A* (P. E. Hart, N. J. Nilsson and B. Raphael, 1968): it follows an exact router's
distances in the whole network, so that only nodes near a shortest path are looked at, whatever the
size of the network.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable

import numpy as np

from hopscape.core.addresses import node_dtype
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distances_to
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.network import Network, NodeLike
from hopscape.core.router import Route, Router, SearchRouter
from hopscape.core.wired import Wired

__all__ = ["DetourRouter", "Guide", "route_around"]

_MOST_STEPS = 200_000


class DetourRouter(SearchRouter):
    """A router of what is left when nodes and links are dead: shortest paths, ports as before.

    Dead nodes have no path to or from anywhere; distances are -1 where none is left. One
    breadth-first search per destination, the latest ones kept.

    Args:
        network: Network
        dead_nodes: iterable of nodes
        dead_links (iterable of pairs of nodes): All links between the two are dead, in both
            directions.

    Attributes:
        left (Network): What is left: the same nodes, the channels that work.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("distributed_switch(7, 3, 1)")
        >>> router = DetourRouter(net, dead_nodes=net.neighbours(0)[:2])
        >>> [router.distance(0, b) for b in range(1, 7)]
        [4, 4, 4, 2, 2, 4]
    """

    name = "detours"

    def __init__(
        self,
        network: Wired,
        dead_nodes: Iterable[NodeLike] = (),
        dead_links: Iterable[tuple[NodeLike, NodeLike]] = (),
    ) -> None:
        super().__init__(network)
        self.dead = np.zeros(network.order, dtype=bool)
        self.dead[[network.node(v) for v in dead_nodes]] = True
        pairs = [(network.node(u), network.node(v)) for u, v in dead_links]
        numbers = [u * network.order + v for a, b in pairs for u, v in ((a, b), (b, a))]
        self._cut = np.unique(np.asarray(numbers, dtype=np.int64))
        alive = self._usable(network.tails, network.heads)
        self.left = Network.from_links(
            network.order,
            network.tails[alive],
            network.heads[alive],
            duplex=False,
            classes=network.classes,
            kinds=network.class_of(np.nonzero(alive)[0]),
        )

    def _usable(self, tails: IntArray, heads: IntArray) -> IntArray:
        usable: IntArray = ~(self.dead[tails] | self.dead[heads])
        if len(self._cut):
            usable &= ~np.isin(tails.astype(np.int64) * self.network.order + heads, self._cut)
        return usable

    def shortest_ports(self, at: IntArray, to: IntArray) -> IntArray:
        rows = self.network.rows(at)
        tails = np.broadcast_to(at[:, None], rows.shape)
        mask: IntArray = super().shortest_ports(at, to)
        return mask & self._usable(tails, np.maximum(rows, 0))

    def _to(self, target: int) -> IntArray:
        if target not in self._kept:
            found = distances_to(self.left, target).copy()
            found[self.dead] = -1
            self._keep(target, found)
        return super()._to(target)


class Guide:
    """Neighbours of a node with their distances to the target in the whole network.

    Args:
        router: The network's own when left out; a search where it is not exact.
    """

    def __init__(self, network: Network, target: int, router: Router | None = None) -> None:
        routing = router if router is not None else network.router()
        self.router = routing if routing.exact else SearchRouter(network)
        self.network, self.target = network, target
        self._kept: dict[int, list[tuple[int, int, int]]] = {}

    def distance(self, node: int) -> int:
        """Hops from a node to the target; -1 when there is no path."""
        return int(self.router.distance(node, self.target))

    def exits(self, node: int) -> list[tuple[int, int, int]]:
        """(port, neighbour, its distance to the target)."""
        if node not in self._kept:
            at = np.asarray([node], dtype=node_dtype(self.network.order))
            row = self.network.rows(at)[0]
            wired = [p for p in range(len(row)) if row[p] >= 0]
            heads = np.asarray([int(row[p]) for p in wired], dtype=at.dtype)
            goal = np.asarray([self.target] * len(wired), dtype=at.dtype)
            left = self.router.distances(heads, goal)
            self._kept[node] = [
                (p, int(v), int(d)) for p, v, d in zip(wired, heads, left, strict=True)
            ]
        return self._kept[node]


def route_around(
    network: Network,
    a: NodeLike,
    b: NodeLike,
    *,
    dead_nodes: Iterable[NodeLike] = (),
    dead_links: Iterable[tuple[NodeLike, NodeLike]] = (),
    router: Router | None = None,
) -> Route:
    """A shortest route that avoids dead nodes and dead links.

    Args:
        a, b: nodes
        dead_nodes: iterable of nodes
        dead_links (iterable of pairs of nodes): Dead in both directions.
        router: An exact one; the network's own when left out.

    Raises:
        ArgumentError: When an end is dead itself.
        DisconnectedError: When no route is left, or none was found among the first 200,000 nodes.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("heawood")
        >>> route_around(net, 0, 1, dead_links=[(0, 1)]).length
        5
    """
    start, end = network.node(a), network.node(b)
    dead = {network.node(v) for v in dead_nodes}
    cut = {(network.node(u), network.node(v)) for u, v in dead_links}
    cut |= {(v, u) for u, v in cut}
    for node in (start, end):
        if node in dead:
            raise ArgumentError(f"node {node} is dead; a route needs both its ends")
    guide = Guide(network, end, router)
    best = {start: 0}
    came: dict[int, tuple[int, int]] = {}
    queue = [(0, 0, start)]
    for _ in range(_MOST_STEPS):
        if not queue:
            break
        _, minus, node = heapq.heappop(queue)
        if node == end:
            return _unwind(came, start, end)
        if -minus > best[node]:
            continue
        for port, there, left in guide.exits(node):
            hops = best[node] + 1
            if (
                left < 0
                or there in dead
                or (node, there) in cut
                or hops >= best.get(there, hops + 1)
            ):
                continue
            best[there] = hops
            came[there] = (node, port)
            heapq.heappush(queue, (hops + left, -hops, there))
    reason = "no route is left" if not queue else f"none was found in {_MOST_STEPS} steps"
    raise DisconnectedError(f"from node {start} to node {end} in {network.spec}: {reason}")


def _unwind(came: dict[int, tuple[int, int]], start: int, end: int) -> Route:
    path, ports = [end], []
    while path[-1] != start:
        before, port = came[path[-1]]
        path.append(before)
        ports.append(port)
    return Route(tuple(path[::-1]), tuple(ports[::-1]))
