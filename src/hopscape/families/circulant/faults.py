"""Routing and broadcast round dead nodes and links, without tables.

Two kinds of knowledge. *Known*: the source knows what is dead; the best way round it is found by a
best-first search whose estimate is the exact distance of the sound network, so it looks at little
more than the way itself. *Met*: nobody knows; a node sees only that its own neighbours do not
answer, and the message carries what was seen so far. While nothing was seen, it leaves by the
productive port with the most steps to go, so that choices stay open. Then it plans by the same
search on the network less what was seen: that finds other shortest vectors first, then detours,
then ways back. A neighbour that did not answer counts as dead; if that leaves no way, only the
link to it does. A plan that fails has met something new, so a message arrives whenever there is a
way, and otherwise says so.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network, NodeLike
from hopscape.core.schedule import Schedule
from hopscape.families.circulant.collectives import memoryless_tree
from hopscape.families.circulant.reduction import Vector, l1
from hopscape.families.circulant.routing import CirculantRouter

_ALL_PORTS = Model()

__all__ = ["FaultRoute", "FaultRouter", "Repair", "Survey", "repaired_broadcast", "survey"]


@dataclass(frozen=True)
class FaultRoute:
    """What became of a message.

    Attributes
    ----------
    delivered : bool
        False when there is no way left.
    path, ports : tuple of int
        Where it went.
    distance : int
        Length of a shortest way in the sound network.
    """

    delivered: bool
    path: tuple[int, ...]
    ports: tuple[int, ...]
    distance: int

    @property
    def hops(self) -> int:
        """Hops made."""
        return len(self.ports)


class FaultRouter:
    """Routes round dead nodes and links of a circulant.

    Parameters
    ----------
    router : CirculantRouter
    dead_nodes : iterable of nodes
    dead_links : iterable of pairs of nodes
        All links between the two are dead, both ways.

    Examples
    --------
    >>> import hopscape
    >>> router = hopscape.build("circulant(55, 1, 5, 21)").router()
    >>> faults = FaultRouter(router, dead_nodes=[1, 5, 21, 54, 50])
    >>> route = faults.route(10, 0)
    >>> route.delivered, route.path[-2:]
    (True, (34, 0))
    """

    def __init__(
        self,
        router: CirculantRouter,
        dead_nodes: Iterable[NodeLike] = (),
        dead_links: Iterable[tuple[NodeLike, NodeLike]] = (),
    ) -> None:
        self.router = router
        network = router.network
        self.dead_nodes = frozenset(network.node(v) for v in dead_nodes)
        self.dead_links = frozenset(
            frozenset((network.node(u), network.node(v))) for u, v in dead_links
        )
        self._vector = lru_cache(maxsize=65536)(self._gap_vector)

    def _gap_vector(self, gap: int) -> Vector:
        return self.router._one(gap // self.router.components)

    def distance(self, a: int, b: int) -> int:
        """Hops in the sound network; -1 without a way."""
        gap = (b - a) % self.router.nodes
        return -1 if gap % self.router.components else l1(self._vector(gap))

    def works(self, u: int, v: int) -> bool:
        """Is the link from u to v usable?"""
        return v not in self.dead_nodes and not (
            self.dead_links and frozenset((u, v)) in self.dead_links
        )

    def route(self, a: NodeLike, b: NodeLike, *, known: bool = False) -> FaultRoute:
        """Send a message.

        Parameters
        ----------
        a, b : node
            Both alive.
        known : bool
            The source knows all faults: the route is a shortest one of what is left. Otherwise
            each node finds out about its own neighbours only.
        """
        start, end = self.router.network.node(a), self.router.network.node(b)
        for node in (start, end):
            if node in self.dead_nodes:
                raise ArgumentError(f"node {node} is dead; a route needs two live ends")
        far = self.distance(start, end)
        if far < 0:
            return FaultRoute(False, (start,), (), far)
        if known:
            plan = self._plan(start, end, self.works)
            if plan is None:
                return FaultRoute(False, (start,), (), far)
            return self._record(True, [start, *(v for _, v in plan)], [p for p, _ in plan], far)
        return self._walk(start, end, far)

    def _walk(self, start: int, end: int, far: int) -> FaultRoute:
        seen: set[tuple[int, int]] = set()
        here = start
        path = [start]
        ports: list[int] = []
        plan: list[tuple[int, int]] | None = []
        while here != end:
            new = {(here, v) for _, v in self._ports(here) if not self.works(here, v)} - seen
            seen |= new
            if new or not plan:
                if seen:
                    plan = self._replan(here, end, seen, set(path))
                else:
                    plan = [self._productive(here, end)]
            if plan is None:
                return self._record(False, path, ports, far)
            port, here = plan.pop(0)
            path.append(here)
            ports.append(port)
        return self._record(True, path, ports, far)

    def _replan(
        self, here: int, end: int, seen: set[tuple[int, int]], visited: set[int]
    ) -> list[tuple[int, int]] | None:
        """A way after what was seen; at first who did not answer counts as dead."""
        dead = {v for _, v in seen} - visited - {end}
        plan = self._plan(here, end, lambda u, v: v not in dead and _hopes(seen, u, v))
        return plan or self._plan(here, end, lambda u, v: _hopes(seen, u, v))

    def _record(self, delivered: bool, path: list[int], ports: list[int], far: int) -> FaultRoute:
        return FaultRoute(delivered, tuple(path), tuple(ports), far)

    def _ports(self, node: int) -> Iterator[tuple[int, int]]:
        """Wired ports of a node and where they lead."""
        nodes = self.router.nodes
        for i, s in enumerate(self.router.generators):
            yield 2 * i, (node + s) % nodes
            if 2 * s != nodes:
                yield 2 * i + 1, (node - s) % nodes

    def _productive(self, here: int, end: int) -> tuple[int, int]:
        """The port along the largest coordinate of the path vector."""
        vector = self._vector((end - here) % self.router.nodes)
        axis = max(range(len(vector)), key=lambda i: abs(vector[i]))
        s = self.router.generators[axis]
        forth = vector[axis] > 0 or 2 * s == self.router.nodes
        return 2 * axis + (not forth), (here + (s if forth else -s)) % self.router.nodes

    def _plan(
        self, start: int, end: int, usable: Callable[[int, int], bool]
    ) -> list[tuple[int, int]] | None:
        """A shortest way over usable links as (port, node) pairs; None when there is none."""
        nodes = self.router.nodes
        came: dict[int, tuple[int, int]] = {}
        cost = {start: 0}
        queue = [(self.distance(start, end), 0, 0, start)]
        count = 0
        while queue:
            _, minus, _, u = heapq.heappop(queue)
            if u == end:
                break
            if -minus > cost[u]:
                continue
            vector = self._vector((end - u) % nodes)
            for port, v in self._ports(u):
                if cost[u] + 1 < cost.get(v, 1 << 62) and usable(u, v):
                    cost[v] = cost[u] + 1
                    came[v] = (u, port)
                    count += 1
                    estimate = cost[v] + self.distance(v, end)
                    spread = -abs(vector[port // 2])  # largest coordinate first
                    heapq.heappush(queue, (estimate, -cost[v], spread * (1 << 32) + count, v))
        if end not in cost:
            return None
        way = []
        at = end
        while at != start:
            before, port = came[at]
            way.append((port, at))
            at = before
        return way[::-1]


def _hopes(seen: set[tuple[int, int]], u: int, v: int) -> bool:
    """May a message still hope for the link u → v, after what it has seen?"""
    return (u, v) not in seen and (v, u) not in seen


@dataclass(frozen=True)
class Survey:
    """How messages between all live pairs fare.

    Attributes
    ----------
    pairs : int
        Ordered pairs of live nodes.
    delivered : int
    blocked : int
        Pairs whose message found all productive ports of one vector dead somewhere.
    detours : int
        Pairs with more hops than the faulty network needs.
    extra : int
        The most hops more than needed.
    """

    pairs: int
    delivered: int
    blocked: int
    detours: int
    extra: int


def survey(router: CirculantRouter, dead_nodes: Iterable[int]) -> Survey:
    """Send a message between all ordered pairs of live nodes, faults unknown before they are met.

    Pairs that always find a live productive port, largest coordinate first, are walked in arrays;
    only the others are routed one by one. (A study of all pairs, so that it holds all vectors.)
    """
    nodes = router.nodes
    faults = FaultRouter(router, dead_nodes)
    dead = np.zeros(nodes, dtype=bool)
    dead[list(faults.dead_nodes)] = True
    alive = np.nonzero(~dead)[0]
    table = router.vectors(np.zeros(nodes, dtype=np.int64), np.arange(nodes))
    steps = np.asarray(router.generators)
    blocked = detours = extra = delivered = 0
    for source in alive.tolist():
        stuck = _stuck(source, alive, table, steps, dead)
        delivered += len(alive) - 1 - len(stuck)
        blocked += len(stuck)
        for target in stuck.tolist():
            met = faults.route(source, target)
            best = faults.route(source, target, known=True)
            delivered += met.delivered
            detours += met.delivered and met.hops > best.hops
            extra = max(extra, met.hops - best.hops if met.delivered else 0)
    return Survey(len(alive) * (len(alive) - 1), delivered, blocked, detours, extra)


def _stuck(
    source: int, targets: IntArray, table: IntArray, steps: IntArray, dead: IntArray
) -> IntArray:
    """Targets to which some node on the way finds no live productive port of its vector."""
    nodes = len(dead)
    vectors = table[(targets - source) % nodes].copy()
    here = np.full(len(targets), source)
    stuck = np.zeros(len(targets), dtype=bool)
    rows = np.arange(len(targets))
    while True:
        going = ~stuck & vectors.any(axis=1)
        if not going.any():
            return targets[stuck]
        signs = np.sign(vectors)
        ahead = (here[:, None] + signs * steps) % nodes
        open_ = (vectors != 0) & ~dead[ahead]
        size = np.where(open_, np.abs(vectors), 0)
        axis = np.argmax(size, axis=1)
        stuck |= going & ~open_.any(axis=1)
        move = going & ~stuck
        here = np.where(move, ahead[rows, axis], here)
        vectors[rows[move], axis[move]] -= signs[rows[move], axis[move]]


@dataclass(frozen=True)
class Repair:
    """A broadcast round faults.

    Attributes
    ----------
    schedule : Schedule
        From the root to every live node that can be reached, over live links only.
    asked : int
        Nodes that heard nothing in time and asked a neighbour outside the tree.
    lost : tuple of int
        Live nodes that cannot be reached.
    """

    schedule: Schedule
    asked: int
    lost: tuple[int, ...]


def repaired_broadcast(
    network: Network,
    root: int,
    dead_nodes: Iterable[NodeLike] = (),
    dead_links: Iterable[tuple[NodeLike, NodeLike]] = (),
) -> Repair:
    """The memoryless broadcast; who hears nothing by its time asks its neighbours.

    Node v should hear in round D(v). If it does not, it asks all neighbours in round D(v) + 1, and
    the first of them that has the message answers, in round D(v) + 2 at the earliest.

    Examples
    --------
    >>> import hopscape
    >>> net = hopscape.build("circulant(55, 1, 5, 21)")
    >>> repair = repaired_broadcast(net, 0, dead_nodes=[1])
    >>> hopscape.verify(repair.schedule).holds, repair.lost
    (True, ())
    """
    router = network.router("closed")
    assert isinstance(router, CirculantRouter)
    faults = FaultRouter(router, dead_nodes, dead_links)
    root = network.node(root)
    if root in faults.dead_nodes:
        raise ArgumentError(f"the root, node {root}, is dead")
    tree = memoryless_tree(network)
    order = network.order
    when = np.full(order, -1, dtype=np.int64)
    into: dict[int, tuple[int, int]] = {}
    when[root] = 0
    for offset in np.argsort(tree.depth, kind="stable")[1:].tolist():
        v, u = (offset + root) % order, (int(tree.parent[offset]) + root) % order
        if when[u] >= 0 and faults.works(u, v):
            when[v] = tree.depth[offset]
            into[v] = (u, int(tree.port[offset]))
    due = np.roll(tree.depth, root)
    asked = _answer(faults, when, due, into)
    lost = tuple(v for v in range(order) if when[v] < 0 and v not in faults.dead_nodes)
    served = list(into)
    schedule = Schedule.from_columns(
        network,
        _ALL_PORTS,
        Goal.one_to_many(root, served),
        round=when[served] - 1,
        channels=network.channel_at(
            np.asarray([into[v][0] for v in served], dtype=np.int64),
            np.asarray([into[v][1] for v in served], dtype=np.int64),
        ),
        name="memoryless, repaired",
    )
    return Repair(schedule, asked, lost)


def _answer(
    faults: FaultRouter, when: IntArray, due: IntArray, into: dict[int, tuple[int, int]]
) -> int:
    """Serve those who heard nothing, each from the neighbour that has the message first."""
    queue = [(int(when[v]), v) for v in np.nonzero(when >= 0)[0].tolist()]
    heapq.heapify(queue)
    asked = 0
    while queue:
        t, u = heapq.heappop(queue)
        if t > when[u]:
            continue
        for port, v in faults._ports(u):
            reach = max(t, int(due[v]) + 1) + 1
            late = when[v] < 0 or (when[v] > reach and when[v] > due[v])
            if late and faults.works(u, v):
                asked += when[v] < 0
                when[v] = reach
                into[v] = (u, port)
                heapq.heappush(queue, (reach, v))
    return asked
