"""Broadcast round dead nodes and links: who hears nothing in time asks its neighbours."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network, NodeLike
from hopscape.core.schedule import Schedule
from hopscape.families.circulant.collectives import memoryless_tree
from hopscape.families.circulant.faults import FaultRouter
from hopscape.families.circulant.routing import CirculantRouter

__all__ = ["Repair", "repaired_broadcast"]

_ALL_PORTS = Model()


@dataclass(frozen=True)
class Repair:
    """A broadcast round faults.

    Attributes:
        schedule: From the root to every live node that can be reached, over live links only.
        asked: Nodes that heard nothing in time and asked a neighbour outside the tree.
        lost: Live nodes that cannot be reached.
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

    Examples:
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
        for port, v in faults.ports(u):
            reach = max(t, int(due[v]) + 1) + 1
            late = when[v] < 0 or (when[v] > reach and when[v] > due[v])
            if late and faults.works(u, v):
                asked += when[v] < 0
                when[v] = reach
                into[v] = (u, port)
                heapq.heappush(queue, (reach, v))
    return asked
