"""Paths around what is busy: messages of a plan in pieces, each where least is under way.

Shortest paths leave most links of a direct network idle while a few groups talk. Here every piece
of every message of all groups takes the path that adds least to the sum of fourth powers of the
loads of its step, longer ones too; then each is taken out and routed once more, as wires of a chip
are (McMurchie and Ebeling, PathFinder, 1995). A Dijkstra search for each, in the order of steps and
groups: time O(messages x channels log nodes).
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Sequence

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import DisconnectedError
from hopscape.core.network import Network
from hopscape.workloads.plans import GroupPlan, Placed

__all__ = ["MOST_ROUTED", "place_around", "plan_levels"]

MOST_ROUTED = 400_000
"""Messages times channels up to which paths are looked for: about a second of a processor."""
_ROUNDS = 2
"""How often each message is routed: more changed nothing on tori, cubes, dragonflies and meshes."""
_POWER = 4
"""Of loads: with squares the fullest link of four pairs in a full mesh has half as much more."""
_SAME = 1e-12
"""Relative difference of sums in another order."""


def plan_levels(plan: GroupPlan) -> IntArray:
    """How many messages come before each one, in the longest chain.

    Examples:
        >>> from hopscape.workloads.plans import plan_named
        >>> plan_levels(plan_named("all-gather", 3, "ring")).tolist()
        [0, 0, 0, 1, 1, 1]
    """
    level = np.zeros(len(plan.source), np.int64)
    left = plan.needs.copy()
    ready = np.flatnonzero(left == 0).tolist()
    while ready:
        one = ready.pop()
        for other in plan.next[plan.next_start[one] : plan.next_start[one + 1]].tolist():
            level[other] = max(level[other], level[one] + 1)
            left[other] -= 1
            if left[other] == 0:
                ready.append(other)
    return level


def place_around(
    plan: GroupPlan, groups: Sequence[Sequence[int]], network: Network
) -> list[Placed]:
    """A plan on groups of nodes; messages of a step keep clear of each other where they can."""
    level = plan_levels(plan)
    graph = _Graph(network)
    nodes = np.asarray(groups, np.int64)
    paths: dict[tuple[int, int], list[int]] = {}
    for step in range(int(level.max(initial=-1)) + 1):
        mine = np.flatnonzero(level == step).tolist()
        load = [0.0] * network.channels
        asked = [
            ((g, j), int(row[plan.source[j]]), int(row[plan.target[j]]), float(plan.share[j]))
            for j in mine
            for g, row in enumerate(nodes)
        ]
        for turn in range(_ROUNDS):
            for key, at, to, share in asked:
                if turn:
                    for channel in paths[key]:
                        load[channel] -= share
                paths[key] = graph.path(at, to, share, load)
                for channel in paths[key]:
                    load[channel] += share
    out = []
    for g in range(len(nodes)):
        rows = [paths[g, j] for j in range(len(plan.source))]
        starts = np.cumsum([0, *map(len, rows)]).astype(np.int64)
        out.append(Placed(plan, starts, np.asarray([c for row in rows for c in row], np.int64)))
    return out


class _Graph:
    """Channels that a message may take next; endpoints pass on where there are no switches."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.slow = (1 / network.capacities()).tolist()
        starts, heads = network.indptr.tolist(), network.heads.tolist()
        self.next = [[(c, heads[c]) for c in range(a, b)] for a, b in itertools.pairwise(starts)]
        passes = np.ones(network.order, bool)
        if network.has_switches:
            passes[network.endpoints] = False
        self.passes = passes.tolist()

    def path(self, at: int, to: int, share: float, load: Sequence[float]) -> list[int]:
        """The path that adds least to the powers of loads; the first of those."""
        slow = self.slow
        dist = {at: 0.0}
        came: dict[int, tuple[int, int]] = {}
        heap, done = [(0.0, at)], set()
        while heap:
            cost, here = heapq.heappop(heap)
            if here in done:
                continue
            done.add(here)
            if here == to:
                break
            if here != at and not self.passes[here]:
                continue
            for channel, head in self.next[here]:
                new = (
                    cost
                    + ((load[channel] + share) ** _POWER - load[channel] ** _POWER) * slow[channel]
                )
                if head not in dist or new < dist[head] * (1 - _SAME):
                    dist[head] = new
                    came[head] = (here, channel)
                    heapq.heappush(heap, (new, head))
        if to not in came:
            raise DisconnectedError(
                f"node {to} cannot be reached from node {at} in {self.network.spec}"
            )
        out: list[int] = []
        while to != at:
            to, channel = came[to]
            out.append(channel)
        return out[::-1]
