"""Shortest routes around dead nodes and links, also in networks that are never built.

Two searches. The forward search is A* (P. E. Hart, N. J. Nilsson and B. Raphael, 1968) along the
exact distances of the whole network, so that it looks at little more than the route itself,
whatever the size of the network. The backward search is breadth-first, from the target: whichever
of the two has no frontier left tells that its end is cut off, however large the rest is. Where both
go on for long and the arrays of the network fit, a compiled search in these decides.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np

from hopscape.core.addresses import node_dtype
from hopscape.core.arrays import IntArray
from hopscape.core.distances import (
    PairSearch,
    distance_rows,
    distances_from,
    distances_to,
    signed_distances,
)
from hopscape.core.errors import ArgumentError, DisconnectedError, TooLargeError
from hopscape.core.faults import Faults
from hopscape.core.network import Network, NodeLike, RoutedStructure
from hopscape.core.processes import require_memory
from hopscape.core.router import Guide, Route, Router, SearchRouter, TableRouter
from hopscape.core.wired import Wired

__all__ = [
    "BackwardSearch",
    "DetourRouter",
    "ForwardSearch",
    "Plan",
    "RouterGuide",
    "TableDetours",
    "pair_detours",
    "route_around",
    "search_around",
]

_FEW_STEPS = 1_000  # about as long as building a network of a million channels
_MOST_STEPS = 20_000  # a second or two, where no arrays can decide
_LONG_ROUTE = 10_000  # hops; the network's own route is asked first whether it meets what is dead
_MOST_HOPS = 1_000_000  # half a minute of search and a gigabyte
_MOST_CHANNELS = 20_000_000  # arrays of half a gigabyte

Plan = list[tuple[int, int]]
"""A path: ports taken, each with the node that it leads to."""
CutOff = Literal["source", "target"]


class DetourRouter(SearchRouter):
    """A router of what is left when nodes and links are dead: shortest paths, ports as before.

    Dead nodes have no path to or from anywhere; distances are -1 where none is left.

    Args:
        network: Network
        dead_nodes: iterable of nodes
        dead_links (iterable of pairs of nodes): All links between the two are dead, in both
            directions.

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
        self.faults = Faults.of(network, dead_nodes, dead_links)
        self._dead = self.faults.channels(network)

    @cached_property
    def left(self) -> Network:
        """What is left: the same nodes, the channels that work."""
        network, alive = self.network, ~self._dead
        return Network.from_links(
            network.order,
            network.tails[alive],
            network.heads[alive],
            duplex=False,
            classes=network.classes,
            kinds=network.class_of(np.nonzero(alive)[0]),
        )

    @cached_property
    def _pair_search(self) -> PairSearch:
        return PairSearch(self.network, self._dead)

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        out = super().distances(at, to)
        if self.faults.nodes:  # a pair search finds a dead node at home
            out[np.isin(at, list(self.faults.nodes))] = -1
        return out

    def shortest_ports(self, at: IntArray, to: IntArray) -> IntArray:
        mask = super().shortest_ports(at, to)
        node, port = np.nonzero(mask)
        mask[node, port] = ~self._dead[self.network.channel_at(at[node], port)]
        return mask

    def _to(self, target: int) -> IntArray:
        if target not in self._kept:
            hops = distances_to(self.left, target).copy()
            hops[list(self.faults.nodes)] = -1
            self._keep(target, hops)
        return super()._to(target)


class TableDetours(DetourRouter):
    """The same by a table of all distances that are left, for many pairs of many targets.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("torus(4, 4)")
        >>> few, many = DetourRouter(net, dead_nodes=[1]), TableDetours(net, dead_nodes=[1])
        >>> at, to = np.arange(16), (np.arange(16) + 2) % 16
        >>> bool((few.distances(at, to) == many.distances(at, to)).all())
        True
    """

    def __init__(
        self,
        network: Wired,
        dead_nodes: Iterable[NodeLike] = (),
        dead_links: Iterable[tuple[NodeLike, NodeLike]] = (),
    ) -> None:
        super().__init__(network, dead_nodes, dead_links)
        require_memory(network.order**2, f"a routing table of {network.spec}")
        self._table = distance_rows(self.left, np.arange(network.order), towards=True)

    def _shared(self, to: IntArray) -> IntArray:
        return np.ones(len(to), dtype=bool)

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        out = signed_distances(self._table[to, at])
        if self.faults.nodes:
            out[np.isin(at, list(self.faults.nodes))] = -1
        return out

    def shortest_ports(self, at: IntArray, to: IntArray) -> IntArray:
        mask = Router.shortest_ports(self, at, to)
        node, port = np.nonzero(mask)
        mask[node, port] = ~self._dead[self.network.channel_at(at[node], port)]
        return mask


class RouterGuide(Guide):
    """Distances by an exact router.

    Args:
        router: The network's own when left out; a search where it is not exact.
    """

    def __init__(self, network: Network, target: int, router: Router | None = None) -> None:
        super().__init__(network, target)
        routing = router if router is not None else network.router()
        self.router = routing if routing.exact else SearchRouter(network)
        self._exits: dict[int, list[tuple[int, int, int, int]]] = {}
        self._distances: dict[int, int] = {}

    def distance(self, node: int) -> int:
        if node not in self._distances:
            self._distances[node] = int(self.router.distance(node, self.target))
        return self._distances[node]

    def exits(self, node: int) -> list[tuple[int, int, int, int]]:
        if node not in self._exits:
            at = np.asarray([node], dtype=node_dtype(self.network.order))
            row = self.network.rows(at)[0]
            wired = [p for p in range(len(row)) if row[p] >= 0]
            heads = np.asarray([int(row[p]) for p in wired], dtype=at.dtype)
            goal = np.asarray([self.target] * len(wired), dtype=at.dtype)
            left = [int(hops) for hops in self.router.distances(heads, goal)]
            ends = [int(v) for v in heads]
            self._distances |= zip(ends, left, strict=True)
            self._exits[node] = [
                (p, v, hops, 0) for p, v, hops in zip(wired, ends, left, strict=True)
            ]
        return self._exits[node]

    def entries(self, node: int) -> list[int] | None:
        if self.network.duplex:
            return [v for v in self.network.neighbours(node) if v >= 0]
        if not self.network.materialised:
            return None
        indptr, tails = self.network.reversed_csr()
        entering: list[int] = tails[indptr[node] : indptr[node + 1]].tolist()
        return entering


class ForwardSearch:
    """Best-first search from the source, by hops made plus hops to go in the whole network."""

    def __init__(self, guide: Guide, source: int, faults: Faults) -> None:
        self._guide, self._faults = guide, faults
        self.hops = {source: 0}
        self._parents: dict[int, tuple[int, int]] = {}
        self._queue = [(guide.distance(source), 0, 0, 0, source)]

    def step(self) -> bool:
        """Look at one node more; False when the target was reached or no frontier is left."""
        if not self._queue:
            return False
        promise, minus, rank, number, u = heapq.heappop(self._queue)
        if u == self._guide.target:
            return False
        hops = self.hops[u]
        if hops < -minus:
            return True  # it was reached by a shorter path since
        total = hops + self._guide.distance(u)
        if total > promise:
            heapq.heappush(self._queue, (total, minus, rank, number, u))
            return True
        hops += 1
        for port, v, left, rank in self._guide.exits(u):
            if left < 0 or hops >= self.hops.get(v, hops + 1) or not self._faults.works(u, v):
                continue
            self.hops[v] = hops
            self._parents[v] = (u, port)
            heapq.heappush(self._queue, (hops + left, -hops, rank, len(self._parents), v))
        return True

    def path(self) -> Plan:
        """The path to the target; empty when it was not reached."""
        plan = []
        at = self._guide.target
        while at in self._parents:
            before, port = self._parents[at]
            plan.append((port, at))
            at = before
        return plan[::-1]


class BackwardSearch:
    """Breadth-first search backwards from the target: is there a path to it at all?"""

    def __init__(self, guide: Guide, faults: Faults) -> None:
        self._guide, self._faults = guide, faults
        self._seen = {guide.target}
        self._queue = deque([guide.target])
        self.idle = guide.entries(guide.target) is None
        """Has it met the forward search, or can it not be made?"""

    def step(self, forward: ForwardSearch) -> bool:
        """Look at one node more; False when no frontier is left."""
        if not self._queue:
            return False
        u = self._queue.popleft()
        for v in self._guide.entries(u) or ():
            alive = v not in self._faults.nodes and self._faults.works(v, u)
            if v not in self._seen and alive:
                self.idle = self.idle or v in forward.hops
                self._seen.add(v)
                self._queue.append(v)
        return True


def search_around(guide: Guide, source: int, faults: Faults) -> Plan | CutOff:
    """A shortest path to the guide's target, or which end is cut off from the other.

    Takes at most some thousand steps, then decides in arrays if there are up to 20,000,000
    channels.

    With little dead the forward search asks the guide about as many nodes as the route has
    neighbours; memory grows with the nodes looked at, not with the network.

    Args:
        guide: Of a network with a path from source to target when nothing is dead.
        source: Alive, as the target.

    Raises:
        TooLargeError: When the network is large, no path was found after tens of thousands of
            steps, and neither end is cut off with so few nodes.
    """
    network, target = guide.network, guide.target
    forward, backward = ForwardSearch(guide, source, faults), BackwardSearch(guide, faults)
    small = network.order * network.ports <= _MOST_CHANNELS
    steps = (_FEW_STEPS if small else _MOST_STEPS) + 4 * guide.distance(source)
    for _ in range(steps):
        if not forward.step():
            return forward.path() or ("source" if source != target else [])
        if not backward.idle and not backward.step(forward):
            return "target"
    if small:
        return _search_arrays(network, source, target, faults)
    raise TooLargeError(
        f"no route from node {source} to node {target} of {network.spec} was found in {steps:,}"
        " steps, and neither of them is cut off with so few nodes"
    )


def _search_arrays(network: Wired, source: int, target: int, faults: Faults) -> Plan | CutOff:
    """The same in the built network; of two parts the smaller is the one cut off."""
    rest = DetourRouter(network, faults.nodes, faults.pairs())
    ends = np.asarray([source]), np.asarray([target])
    if rest.distances(*ends)[0] < 0:
        ahead = (distances_from(rest.left, source) >= 0).sum()
        return "source" if ahead < (distances_to(rest.left, target) >= 0).sum() else "target"
    nodes, ports = rest.trace(source, target)
    return list(zip(ports, nodes[1:], strict=True))


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
        ArgumentError: When an end is dead itself, or there is no such link.
        DisconnectedError: When no route is left.
        TooLargeError: When the network is large, and neither a route nor that there is none was
            found in tens of thousands of steps, or the route has more than a million hops.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("heawood")
        >>> route_around(net, 0, 1, dead_links=[(0, 1)]).length
        5
    """
    start, end = network.node(a), network.node(b)
    faults = Faults.of(network, dead_nodes, dead_links)
    for node in (start, end):
        if node in faults.nodes:
            raise ArgumentError(f"node {node} is dead; a route needs both its ends")
    ends = f"from node {start} to node {end} in {network.spec}"
    guide = _guide(network, end, router)
    if guide is None:
        plan = _search_arrays(network, start, end, faults)
    elif guide.distance(start) < 0:
        raise DisconnectedError(f"{ends}: there is no route, with nothing dead either")
    else:
        if guide.distance(start) > _LONG_ROUTE:
            route = (router if router is not None else network.router(pairs=1)).route(start, end)
            if route.length == guide.distance(start) and _avoids(route, faults):
                return route
        if guide.distance(start) > _MOST_HOPS:
            raise TooLargeError(
                f"{ends}: the route of {guide.distance(start):,} hops meets what is dead; at most"
                f" {_MOST_HOPS:,} hops are searched"
            )
        plan = search_around(guide, start, faults)
    if isinstance(plan, str):
        node = start if plan == "source" else end
        raise DisconnectedError(f"{ends}: no route is left; node {node} is cut off")
    return Route((start, *(v for _, v in plan)), tuple(port for port, _ in plan))


def _avoids(route: Route, faults: Faults) -> bool:
    """Does a route pass by all that is dead?"""
    if not faults.nodes.isdisjoint(route.path):
        return False
    return not faults.links or all(faults.works(u, v) for u, v in pairwise(route.path))


def pair_detours(
    network: Wired, dead_nodes: Iterable[int], dead_links: Iterable[tuple[int, int]]
) -> Callable[[int, int], Route | None]:
    """Shortest routes of what is left of a built network, pair by pair; None without a path."""
    router = DetourRouter(network, dead_nodes, dead_links)

    def route(a: int, b: int) -> Route | None:
        try:
            return router.route(a, b)
        except DisconnectedError:
            return None

    return route


def _guide(network: Network, target: int, router: Router | None) -> Guide | None:
    """What knows distances without a search; None when nothing does."""
    if router is None and isinstance(network.family, RoutedStructure):
        own = network.family.guide(network, target)
        if own is not None:
            return own
    routing = router if router is not None else network.router(pairs=1)
    searched = isinstance(routing, SearchRouter | TableRouter)
    return RouterGuide(network, target, routing) if routing.exact and not searched else None
