"""The memoryless broadcast as a rule for one node: what to send on, without any array.

A copy carries its vector: how many steps of each generator it has made, forwards or backwards. A
node gets the message by the *smallest* shortest vector, the first in lexicographic order of those
that lead to it from the root, and by its steps in the order of the generators from the last to the
first. Lexicographic order does not change when the same vector is added on both sides, so that the
smallest vector less its last step is the smallest vector of the node before: every node is served
once, by one of its neighbours, at its distance from the root. To know whom to serve, a node asks of
each of its neighbours whether its own vector, one step longer, is that neighbour's smallest.

Broadcast round dead nodes and links: who hears nothing in time asks its neighbours.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopscape.algebra.reduction import Vector, l1
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distances_from
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network, NodeLike
from hopscape.core.processes import require_memory
from hopscape.core.schedule import Schedule
from hopscape.families.circulant.detours import FaultRouter
from hopscape.families.circulant.routing import MOST_GENERATORS, CirculantRouter

__all__ = [
    "Copy",
    "ForwardingRule",
    "MemorylessTree",
    "Repair",
    "Stop",
    "generators_of",
    "memoryless_tree",
    "repaired_broadcast",
]


@dataclass(frozen=True)
class MemorylessTree:
    """The tree of smallest shortest vectors, rooted at node 0.

    Attributes:
        vectors (int64[order, generators]): Of all shortest vectors to a node, the first in
            lexicographic order.
        depth: int64[order]
        port (int64[order]): The port by which the parent sends; -1 for the root.
        parent: int64[order]
    """

    vectors: IntArray
    depth: IntArray
    port: IntArray
    parent: IntArray


def memoryless_tree(network: Network) -> MemorylessTree:
    """Smallest shortest vectors of all nodes, shell by shell.

    Lexicographic order does not change when the same vector is added on both sides, so the smallest
    vector less one of its steps is again the smallest of its node: prefixes of paths are paths of
    the tree, and a node that knows its own vector knows to whom it must send.
    """
    generators = generators_of(network)
    order, n = network.order, len(generators)
    require_memory(8 * order * (3 * n + 6), f"the broadcast tree of {network.spec}")
    nodes = np.arange(order)
    depth = _depths(network)
    if (depth < 0).any():
        lost = int(np.argmax(depth < 0))
        raise DisconnectedError(f"node {lost} cannot be reached from node 0 in {network.spec}")
    vectors = np.zeros((order, n), dtype=np.int64)
    by_depth = np.argsort(depth, kind="stable")
    bounds = np.searchsorted(depth[by_depth], np.arange(int(depth.max()) + 2))
    for r in range(1, len(bounds) - 1):
        shell = by_depth[bounds[r] : bounds[r + 1]]
        best = np.full((len(shell), n), np.iinfo(np.int64).max)
        for axis, s in enumerate(generators):
            for sign in (-1,) if 2 * s == order else (1, -1):  # ±N/2: -1 is the smaller name
                before = (shell - sign * s) % order
                candidates = vectors[before]
                candidates[:, axis] += sign
                better = (depth[before] == r - 1) & _before(candidates, best)
                best[better] = candidates[better]
        vectors[shell] = best
    last = np.argmax(vectors != 0, axis=1)
    signs, by = np.sign(vectors[nodes, last]), np.asarray(generators)[last]
    backwards = (signs < 0) & (2 * by != order)
    port = np.where(depth > 0, 2 * last + backwards, -1)
    return MemorylessTree(vectors, depth, port, (nodes - by * signs) % order)


def _before(candidates: IntArray, best: IntArray) -> IntArray:
    """Row by row: is found before best in lexicographic order?"""
    differs = candidates != best
    first = np.argmax(differs, axis=1)
    rows = np.arange(len(candidates))
    smaller: IntArray = candidates[rows, first] < best[rows, first]
    return smaller & differs.any(axis=1)


def generators_of(network: Network) -> tuple[int, ...]:
    """The generators of a circulant, or an error that names the network."""
    generators = getattr(network.family, "generators", None)
    if generators is None:
        raise ArgumentError(f"{network.spec} is not a circulant")
    return tuple(generators)


def _depths(network: Network) -> IntArray:
    """Distances of all nodes from node 0: by the router, or by search with many generators."""
    if len(generators_of(network)) > MOST_GENERATORS:
        return distances_from(network, 0).astype(np.int64)
    nodes = np.arange(network.order)
    return network.router("closed").distances(np.zeros_like(nodes), nodes)


@dataclass(frozen=True)
class Copy:
    """A copy that a node sends: by which port, to whom, and the vector that it carries."""

    port: int
    to: int
    vector: Vector


@dataclass(frozen=True)
class Stop:
    """What a broadcast does at one node.

    Attributes:
        vector: Of the copy that arrives; all 0 at the root.
        round: After how many rounds it arrives: the distance from the root.
        sender, port: Who sends it, and by which of the sender's ports; None at the root.
        sends: What the node sends in the next round.
    """

    node: int
    root: int
    vector: Vector
    round: int
    sender: int | None
    port: int | None
    sends: tuple[Copy, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "node": self.node,
            "root": self.root,
            "vector": list(self.vector),
            "round": self.round,
            "sender": self.sender,
            "port": self.port,
            "sends": [
                {"port": copy.port, "to": copy.to, "vector": list(copy.vector)}
                for copy in self.sends
            ],
        }


class ForwardingRule:
    """Broadcast at breadth-first times with N - 1 messages, decided node by node.

    Args:
        network: A circulant with one to six generators, of any order.

    Examples:
        >>> import hopscape
        >>> rule = ForwardingRule(hopscape.build("circulant(13, 1, 5)"))
        >>> rule.forward(6, (1, 1))
        []
        >>> [(copy.port, copy.to, copy.vector) for copy in rule.forward(5, (0, 1))]
        [(0, 6, (1, 1)), (1, 4, (-1, 1)), (2, 10, (0, 2))]
        >>> far = ForwardingRule(hopscape.build("circulant(1000000000039, 1, 20, 77777)"))
        >>> stop = far.at(123456789, root=5)
        >>> stop.sender, stop.round, [copy.to for copy in stop.sends]
        (123456788, 2826, [123456790])
    """

    def __init__(self, network: Network) -> None:
        router = network.router("closed")
        if not isinstance(router, CirculantRouter):
            raise ArgumentError(f"{network.spec} is not a circulant with a router of its own")
        self.network = network
        self._router = router

    def forward(self, node: NodeLike, vector: Sequence[int]) -> list[Copy]:
        """The copies that a node sends on when a copy with this vector has arrived.

        Nothing else has to be known: neither the root, nor the port, nor what came before.

        Raises:
            ArgumentError: When no broadcast brings a copy with such a vector.
        """
        at, come = self.network.node(node), tuple(vector)
        if len(come) != len(self._router.generators):
            raise ArgumentError(
                f"the vector {come} must have {len(self._router.generators)} coordinates,"
                " one for each generator"
            )
        if not self._router.lattice.is_smallest(come):
            raise ArgumentError(
                f"no copy arrives with the vector {come}; a smaller one leads there"
            )
        return [copy for copy in self._onward(at, come) if self._serves(copy)]

    def _serves(self, copy: Copy) -> bool:
        return self._router.lattice.is_smallest(copy.vector)

    def _onward(self, node: int, come: Vector) -> Iterator[Copy]:
        """One step more, of the last generator used or an earlier one."""
        last = next((i for i, x in enumerate(come) if x), len(come) - 1)
        for axis, s in enumerate(self._router.generators[: last + 1]):
            half = 2 * s == self._router.nodes
            for sign in (-1,) if half else (1, -1):  # ±N/2 is one link; -1 is the smaller name
                if come[axis] * sign >= 0:
                    after = (*come[:axis], come[axis] + sign, *come[axis + 1 :])
                    port = 2 * axis + (sign < 0 and not half)
                    yield Copy(port, (node + sign * s) % self._router.nodes, after)

    def at(self, node: NodeLike, root: NodeLike = 0) -> Stop:
        """What the broadcast from a root does at a node.

        Raises:
            DisconnectedError: When the root's copies do not get there.
        """
        here, source = self.network.node(node), self.network.node(root)
        router = self._router
        gap = (here - source) % router.nodes
        if gap % router.components:
            raise DisconnectedError(
                f"node {here} cannot be reached from node {source}: {self.network.spec} has"
                f" {router.components} components"
            )
        vector = router.lattice.smallest(gap // router.components)
        sender = port = None
        if any(vector):
            axis = next(i for i, x in enumerate(vector) if x)
            sign = 1 if vector[axis] > 0 else -1
            s = router.generators[axis]
            sender = (here - sign * s) % router.nodes
            port = 2 * axis + (sign < 0 and 2 * s != router.nodes)
        sends = tuple(self.forward(here, vector))
        return Stop(here, source, vector, l1(vector), sender, port, sends)


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
