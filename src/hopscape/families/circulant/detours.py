"""Routing round dead nodes and links, without tables.

Two kinds of knowledge. *Known*: the source knows what is dead, and searches for a shortest path
around it (:func:`hopscape.core.detours.search_around`) along vectors of the sound network. *Met*:
nobody knows; a node sees only that its own neighbours do not answer, and the message carries what
was seen so far. While nothing was seen, it leaves by the productive port with the most steps to go,
so that choices stay open. Then it plans by the same search on the network less what was seen: that
finds other shortest vectors first, then detours, then ways back. A neighbour that did not answer
counts as dead; if that leaves no path, only the link to it does. A plan that fails has met what is
new, so a message arrives whenever there is a path, and otherwise says so.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from hopscape.algebra.reduction import Vector, l1
from hopscape.core.arrays import IntArray
from hopscape.core.detours import Plan, search_around
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.faults import Faults
from hopscape.core.network import NodeLike
from hopscape.core.router import Guide
from hopscape.families.circulant.routing import CirculantRouter

__all__ = ["FaultRoute", "FaultRouter", "Survey", "VectorGuide", "survey"]

_LONGEST = 1_000_000  # hops of a route that is followed one by one: a second


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
        self._faults = Faults.of(router.network, dead_nodes, dead_links)
        self.dead_nodes, self.dead_links = self._faults.nodes, self._faults.links
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
        return self._faults.works(u, v)

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
                detour = self._replan(here, end, seen, set(path))
                if isinstance(detour, str):
                    return FaultRoute(False, tuple(path), tuple(ports), far, detour)
                plan = deque(detour)
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
        return search_around(VectorGuide(self, end), start, faults)


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


class VectorGuide(Guide):
    """Distances as lengths of shortest vectors.

    A vector less one of its steps leads on from the next node, so that only nodes off the vectors
    need one of their own; it is looked for when their turn comes.
    """

    def __init__(self, faults: FaultRouter, target: int) -> None:
        super().__init__(faults.router.network, target)
        self._router = faults
        self._vectors: dict[int, Vector] = {}

    def _vector(self, node: int) -> Vector:
        if node not in self._vectors:
            self._vectors[node] = self._router.vector(node, self.target)
        return self._vectors[node]

    def distance(self, node: int) -> int:
        apart = (self.target - node) % self._router.router.components
        return -1 if apart else l1(self._vector(node))

    def exits(self, node: int) -> Iterator[tuple[int, int, int, int]]:
        """The largest coordinate of the vector ranks first."""
        vector = self._vector(node)
        left = l1(vector) - 1
        for port, head in self._router.ports(node):
            axis, sign = port // 2, -1 if port % 2 else 1
            steps = vector[axis] * sign
            if steps > 0 and head not in self._vectors:
                self._vectors[head] = (*vector[:axis], vector[axis] - sign, *vector[axis + 1 :])
            yield port, head, left, -max(steps, 0)

    def entries(self, node: int) -> Iterator[int]:
        return (head for _, head in self._router.ports(node))
