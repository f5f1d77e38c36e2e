"""Routing round dead nodes and links, without tables.

Two kinds of knowledge. *Known*: the source knows what is dead; the best way round it is found by a
best-first search whose estimate is the exact distance of the sound network, so it looks at little
more than the way itself. *Met*: nobody knows; a node sees only that its own neighbours do not
answer, and the message carries what was seen so far. While nothing was seen, it leaves by the
productive port with the most steps to go, so that choices stay open. Then it plans by the same
search on the network less what was seen: that finds other shortest vectors first, then detours,
then ways back. A neighbour that did not answer counts as dead; if that leaves no path, only the
link to it does. A plan that fails has met something new, so a message arrives whenever there is a
way, and otherwise says so.

While the search goes on from the source, another one goes backwards from the target: whichever of
the two has nowhere left to go tells that its end is cut off, however large the rest is.

Searching for a path around faults, from both ends.

The search ahead looks at little more than the way itself; the search behind tells when the end
cannot be reached, without looking at the rest of the network.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np

from hopscape.algebra.reduction import Vector, l1
from hopscape.core.arrays import IntArray
from hopscape.core.detours import DetourRouter
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.network import NodeLike
from hopscape.families.circulant.routing import CirculantRouter

__all__ = ["Ahead", "Behind", "FaultRoute", "FaultRouter", "Faults", "Plan", "Survey", "survey"]

_FEW_STEPS = 1_000
_MOST_STEPS = 20_000
_MOST_CHANNELS = 20_000_000
_LONGEST = 1_000_000


@dataclass(frozen=True)
class FaultRoute:
    """What became of a message.

    Attributes:
        delivered: False when there is no path left.
        path, ports: Where it went.
        distance: Length of a shortest path in the sound network; -1 without one.
        cut_off ({'', 'source', 'target'}): Which end has no way out of its part of what is left;
            the smaller part, where both are known. Empty when the message is delivered, or when
            there was no path before either.
    """

    delivered: bool
    path: tuple[int, ...]
    ports: tuple[int, ...]
    distance: int
    cut_off: str = ""

    @property
    def hops(self) -> int:
        """Hops made."""
        return len(self.ports)


class FaultRouter:
    """Routes round dead nodes and links of a circulant.

    Args:
        dead_nodes: iterable of nodes
        dead_links (iterable of pairs of nodes): All links between the two are dead, both ways.

    Examples:
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
        self._faults = Faults(self.dead_nodes, self.dead_links)
        self._vectors = lru_cache(maxsize=65536)(self._gap_vector)

    def _gap_vector(self, gap: int) -> Vector:
        return self.router._one(gap // self.router.components)

    def vector(self, a: int, b: int) -> Vector:
        """A shortest path vector from a to b in the sound network, which has a path."""
        return self._vectors((b - a) % self.router.nodes)

    def distance(self, a: int, b: int) -> int:
        """Hops in the sound network; -1 without a path."""
        apart = (b - a) % self.router.components
        return -1 if apart else l1(self.vector(a, b))

    def works(self, u: int, v: int) -> bool:
        """Is the link from u to v usable?"""
        return self._faults.open(u, v)

    def route(self, a: NodeLike, b: NodeLike, *, known: bool = False) -> FaultRoute:
        """Send a message.

        Args:
            a, b (node): Both alive.
            known: The source knows all faults: the route is a shortest one of what is left.
                Otherwise each node finds out about its own neighbours only.

        Raises:
            TooLargeError: When the way has over a million hops, or when the network is large, no
                path was found after tens of thousands of steps, and neither end is cut off with so
                few nodes.
        """
        start, end = self.router.network.node(a), self.router.network.node(b)
        for node in (start, end):
            if node in self.dead_nodes:
                raise ArgumentError(f"node {node} is dead; a route needs two live ends")
        hops = self.distance(start, end)
        if hops > _LONGEST:
            raise TooLargeError(
                f"the way from node {start} to node {end} has {hops:,} hops; ways of up to"
                f" {_LONGEST:,} are followed"
            )
        if hops < 0:
            return FaultRoute(False, (start,), (), hops)
        if not known:
            return self._walk(start, end, hops)
        plan = self._plan(start, end, self._faults)
        if isinstance(plan, str):
            return FaultRoute(False, (start,), (), hops, plan)
        path = (start, *(v for _, v in plan))
        return FaultRoute(True, path, tuple(p for p, _ in plan), hops)

    def _walk(self, start: int, end: int, far: int) -> FaultRoute:
        seen: set[tuple[int, int]] = set()
        here = start
        vector = list(self.vector(start, end))
        path = [start]
        ports: list[int] = []
        plan: deque[tuple[int, int]] = deque()
        while here != end:
            new = {(here, v) for _, v in self.ports(here) if not self.works(here, v)} - seen
            if new:
                seen |= new
                found = self._replan(here, end, seen, set(path))
                if isinstance(found, str):
                    return FaultRoute(False, tuple(path), tuple(ports), far, found)
                plan = deque(found)
            port, here = plan.popleft() if plan else self._productive(here, vector)
            path.append(here)
            ports.append(port)
        return FaultRoute(True, tuple(path), tuple(ports), far)

    def _replan(
        self, here: int, end: int, seen: set[tuple[int, int]], visited: set[int]
    ) -> Plan | str:
        """A way after what was seen; at first who did not answer counts as dead."""
        links = frozenset(map(frozenset, seen))
        dead = frozenset({v for _, v in seen} - visited - {end})
        plan = self._plan(here, end, Faults(dead, links))
        return (
            plan if not isinstance(plan, str) else self._plan(here, end, Faults(frozenset(), links))
        )

    def ports(self, node: int) -> Iterator[tuple[int, int]]:
        """Wired ports of a node and where they lead."""
        nodes = self.router.nodes
        for i, s in enumerate(self.router.generators):
            yield 2 * i, (node + s) % nodes
            if 2 * s != nodes:
                yield 2 * i + 1, (node - s) % nodes

    def _productive(self, here: int, vector: list[int]) -> tuple[int, int]:
        """A step along the largest coordinate of the vector, which is then one shorter."""
        axis = max(range(len(vector)), key=lambda i: abs(vector[i]))
        s = self.router.generators[axis]
        sign = 1 if vector[axis] > 0 else -1
        vector[axis] -= sign
        back = sign < 0 and 2 * s != self.router.nodes
        return 2 * axis + back, (here + sign * s) % self.router.nodes

    def _plan(self, start: int, end: int, faults: Faults) -> Plan | str:
        """A shortest path as (port, node) pairs, or which end is cut off."""
        forth, back = Ahead(self, start, end, faults), Behind(self, end, faults)
        network = self.router.network
        small = network.order * network.ports <= _MOST_CHANNELS
        steps = _FEW_STEPS if small else _MOST_STEPS + 4 * self.distance(start, end)
        for _ in range(steps):
            if not forth.step():
                return forth.path() or ("source" if start != end else [])
            if not back.met and not back.step(forth):
                return "target"
        if small:
            return self._sweep(start, end, faults)
        raise TooLargeError(
            f"no route from node {start} to node {end} of {network.spec} was found in {steps:,}"
            " steps, and neither of them is cut off with so few nodes"
        )

    def _sweep(self, start: int, end: int, faults: Faults) -> Plan | str:
        """The same by breadth-first search over all nodes, in arrays."""
        links = [(min(link), max(link)) for link in faults.links]
        rest = DetourRouter(self.router.network, faults.nodes, links)
        everybody = np.arange(self.router.nodes)
        left = rest.distances(everybody, np.full_like(everybody, end))
        if left[start] < 0:
            mine = rest.distances(everybody, np.full_like(everybody, start))
            return "source" if (mine >= 0).sum() < (left >= 0).sum() else "target"
        plan: Plan = []
        at = start
        while at != end:
            plan.append(
                next(
                    (port, v)
                    for port, v in self.ports(at)
                    if left[v] == left[at] - 1 and faults.open(at, v)
                )
            )
            at = plan[-1][1]
        return plan


@dataclass(frozen=True)
class Survey:
    """How messages between all live pairs fare.

    Attributes:
        pairs: Ordered pairs of live nodes.
        blocked: Pairs whose message found all productive ports of one vector dead somewhere.
        detours: Pairs with more hops than the faulty network needs.
        extra: The most hops more than needed.
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


Plan = list[tuple[int, int]]


class Ground(Protocol):
    """The sound network."""

    def ports(self, node: int) -> Iterable[tuple[int, int]]:
        """Wired ports of a node and where they lead."""

    def vector(self, a: int, b: int) -> Vector:
        """A shortest path vector from a to b."""


@dataclass(frozen=True)
class Faults:
    """Dead nodes and dead links; a link is a set of its ends."""

    nodes: frozenset[int]
    links: frozenset[frozenset[int]]

    def open(self, u: int, v: int) -> bool:
        """May the link from u to v be used?"""
        return v not in self.nodes and not (self.links and frozenset((u, v)) in self.links)


class Ahead:
    """Best-first search from the start, by hops made plus hops to go in the sound network.

    A vector less one of its steps leads on from the next node, so that only nodes off the vectors
    need one of their own; it is looked for when their turn comes.
    """

    def __init__(self, ground: Ground, start: int, end: int, faults: Faults) -> None:
        self._ground, self.end, self.faults = ground, end, faults
        self.came: dict[int, tuple[int, int]] = {}
        self.cost = {start: 0}
        self._vectors = {start: ground.vector(start, end)}
        self._queue = [(l1(self._vectors[start]), 0, 0, start)]

    def step(self) -> bool:
        """Look at one node more; False when the end was reached or nothing is left."""
        if not self._queue:
            return False
        promise, minus, order, u = heapq.heappop(self._queue)
        if u == self.end:
            return False
        hops = self.cost[u]
        if hops < -minus:
            return True  # it was reached by a shorter way since
        if u not in self._vectors:
            self._vectors[u] = self._ground.vector(u, self.end)
        vector = self._vectors[u]
        if hops + l1(vector) > promise:
            heapq.heappush(self._queue, (hops + l1(vector), minus, order, u))
        else:
            self._spread(u, hops + 1, vector)
        return True

    def _spread(self, u: int, hops: int, vector: Vector) -> None:
        left = l1(vector) - 1
        for port, v in self._ground.ports(u):
            if hops >= self.cost.get(v, hops + 1) or not self.faults.open(u, v):
                continue
            self.cost[v] = hops
            self.came[v] = (u, port)
            axis, sign = port // 2, -1 if port % 2 else 1
            steps = vector[axis] * sign
            if steps > 0 and v not in self._vectors:
                self._vectors[v] = (*vector[:axis], vector[axis] - sign, *vector[axis + 1 :])
            order = -max(steps, 0) * (1 << 32) + len(self.came)  # largest coordinate first
            heapq.heappush(self._queue, (hops + left, -hops, order, v))

    def path(self) -> Plan:
        """The path to the end; empty when it was not reached."""
        found = []
        at = self.end
        while at in self.came:
            before, port = self.came[at]
            found.append((port, at))
            at = before
        return found[::-1]


class Behind:
    """Breadth-first search backwards from the end: is there a path to it at all?"""

    def __init__(self, ground: Ground, end: int, faults: Faults) -> None:
        self._ground, self.faults = ground, faults
        self.met = False
        self._seen = {end}
        self._queue = deque([end])

    def step(self, other: Ahead) -> bool:
        """Look at one node more; False when nothing is left."""
        if not self._queue:
            return False
        u = self._queue.popleft()
        for _, v in self._ground.ports(u):
            alive = v not in self.faults.nodes
            if v not in self._seen and alive and self.faults.open(v, u):
                self.met = self.met or v in other.cost
                self._seen.add(v)
                self._queue.append(v)
        return True
