"""Searching for a path around faults, from both ends.

The search ahead looks at little more than the way itself; the search behind tells when the end
cannot be reached, without looking at the rest of the network.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from hopscape.algebra.reduction import Vector, l1

__all__ = ["Ahead", "Behind", "Faults", "Plan"]

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
