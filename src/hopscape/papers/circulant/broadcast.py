"""Collectives on circulants: trees that no node has to remember, and one tree for all sources.

A tree rooted at node 0, moved by w, is a tree rooted at node w. So one tree serves every source,
and an all-gather is a timetable of the tree's links: link (u, port) in round r means that in round
r every node v passes on, by this port, the chunk of v - u. Two links of the same port need
different rounds; nothing else can collide.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.distances import distances_from
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.family import Collective, Family
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.schedule import Schedule
from hopscape.families.circulant.closed_forms import RingForm, recognise
from hopscape.families.circulant.routing import MOST_GENERATORS
from hopscape.families.circulant.wiring import Circulant

__all__ = [
    "MemorylessTree",
    "all_gather",
    "all_reduce",
    "broadcast",
    "circulant_collectives",
    "memoryless_tree",
    "node_local_broadcast",
    "reduce",
]


def circulant_collectives(family: Family) -> tuple[Collective, ...]:
    """The algorithms for circulants, and none for other families."""
    if not isinstance(family, Circulant) or not family.generators:
        return ()
    nodes, generators = family.n, family.generators
    found = [
        Collective(
            "memoryless",
            "broadcast",
            "tree of smallest shortest vectors: N - 1 messages at BFS times, no memory",
            lambda network, goal, model: broadcast(network, _root(goal), model),
        ),
        Collective(
            "memoryless",
            "reduce",
            "the memoryless broadcast tree backwards",
            lambda network, goal, model: reduce(network, _root(goal), model),
        ),
        Collective(
            "translations",
            "all-gather",
            "one tree of balanced ports for all sources at once",
            lambda network, goal, model: all_gather(network, model),
        ),
        Collective(
            "translations",
            "all-reduce",
            "reduce-scatter and all-gather by one tree (--sliced), or reduce and broadcast",
            lambda network, goal, model: all_reduce(network, goal, model),
        ),
    ]
    form = recognise(nodes, generators)
    if isinstance(form, RingForm):
        found += [
            Collective(
                "node-local",
                "broadcast",
                "the paper's rule at each node, corrected: no duplicate, no memory",
                lambda network, goal, model: node_local_broadcast(network, _root(goal), model),
            ),
        ]
    return tuple(found)


def _root(goal: Goal) -> int:
    assert goal.root is not None
    return goal.root


def _generators(network: Network) -> tuple[int, ...]:
    generators = getattr(network.family, "generators", None)
    if generators is None:
        raise ArgumentError(f"{network.spec} is not a circulant")
    return tuple(generators)


def _depths(network: Network) -> IntArray:
    """Distances of all nodes from node 0: by the router, or by search with many generators."""
    if len(_generators(network)) > MOST_GENERATORS:
        return distances_from(network, 0).astype(np.int64)
    everybody = np.arange(network.order)
    return network.router("closed").distances(np.zeros_like(everybody), everybody)


def _rules(model: Model) -> Model:
    """These schedules use all ports, both ways, one hop at a time."""
    if model.ports is not None or model.duplex != "full" or model.switching == "circuit":
        raise ArgumentError(
            f"the algorithms of circulants are for all ports, full duplex, store-and-forward,"
            f" not for {model.describe()}"
        )
    return model


# -- the paper's broadcast --------------------------------------------------------------------


def node_local_broadcast(
    network: Network, root: int, model: Model = Model(), *, printed: bool = False
) -> Schedule:
    """The paper's broadcast: each node decides from the port and three counters of a copy.

    Args:
        network: Of family (13)-(15) or (19).
        printed: As printed: a node drops every copy but the first, and U is not limited. Otherwise
            as corrected: U <= h - 1 (p in family (19)), then no node gets a second copy and none
            has to remember. The correction gives a perfect tree when p <= d.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("gamma_circulant(4)")
        >>> for printed in (True, False):
        ...     print(hopscape.verify(node_local_broadcast(net, 0, printed=printed)).reason)
        broadcast from node 0: 333 of 333 nodes served in 6 rounds, 342 messages, 10 duplicates
        broadcast from node 0: 333 of 333 nodes served in 6 rounds, 332 messages, 0 duplicates
    """
    rules = _rules(model)
    form = recognise(network.order, _generators(network))
    if not isinstance(form, RingForm):
        raise ArgumentError(f"the node-local broadcast is for family (13)-(15), not {network.spec}")
    ports = _paper_ports(form)
    heard = np.zeros(network.order, dtype=bool)
    heard[root] = True
    copies = [(root, out, (0, 0, 0)) for out in range(1, 7)]
    rounds: list[int] = []
    tails: list[int] = []
    taken: list[int] = []
    step = 0
    while copies:
        arrived = []
        for node, out, counters in copies:
            rounds.append(step)
            tails.append(node)
            taken.append(ports[out])
            into = int(network.neighbours(node)[ports[out]])
            arrived.append((into, _OPPOSITE[out], counters))
        copies = []
        for node, port, counters in arrived:
            if printed and heard[node]:
                continue
            heard[node] = True
            passed = _pass_on(port, counters, form, limit_u=not printed)
            copies += [(node, out, after) for out, after in passed]
        step += 1
        if step > network.order:
            raise ArgumentError(f"the node-local broadcast does not end on {network.spec}")
    channels = network.channel_at(np.asarray(tails), np.asarray(taken))
    return Schedule.from_columns(
        network,
        rules,
        Goal.broadcast(root),
        round=np.asarray(rounds),
        channels=channels,
        name="node-local-printed" if printed else "node-local",
    )


_OPPOSITE = {1: 3, 3: 1, 2: 4, 4: 2, 5: 6, 6: 5}


def _paper_ports(form: RingForm) -> dict[int, int]:
    """The paper's ports 1..6 are +s3, +s2, -s3, -s2, +1, -1; ours by generator and sign."""
    ways = {1: (2, 1), 2: (1, 1), 3: (2, -1), 4: (1, -1), 5: (0, 1), 6: (0, -1)}
    return {
        port: 2 * form.slots[axis] + (sign * form.signs[axis] < 0)
        for port, (axis, sign) in ways.items()
    }


def _pass_on(
    port: int, counters: tuple[int, int, int], form: RingForm, *, limit_u: bool
) -> list[tuple[int, tuple[int, int, int]]]:
    """What a node does with a copy that came in by a port: (port out, counters) of new copies."""
    u, v, w = counters
    d = form.diameter
    if port in (5, 6):
        u += 1
        if u + v + w == d or (limit_u and u == form.h - 1):
            return []
        return [(11 - port, (u, v, w))]
    straight_on = port % 2 == 1
    if straight_on:
        w += 1
    else:
        v += 1
    if v + w == d:
        return []
    out = [5, 6]
    if limit_u and form.h == 1:
        out = []
    if v == 0 or (w == 0 and v < form.q):
        out.append((port + 2) % 4 + 1)
    if not ((straight_on and w == form.p) or (not straight_on and v == form.q)):
        out.append((port + 1) % 4 + 1)
    return [(to, (u, v, w)) for to in out]


# -- the memoryless tree on any circulant -----------------------------------------------------


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
    generators = _generators(network)
    order, n = network.order, len(generators)
    require_memory(8 * order * (3 * n + 6), f"the broadcast tree of {network.spec}")
    everybody = np.arange(order)
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
                found = vectors[before]
                found[:, axis] += sign
                better = (depth[before] == r - 1) & _before(found, best)
                best[better] = found[better]
        vectors[shell] = best
    last = np.argmax(vectors != 0, axis=1)
    signs, by = np.sign(vectors[everybody, last]), np.asarray(generators)[last]
    backwards = (signs < 0) & (2 * by != order)
    port = np.where(depth > 0, 2 * last + backwards, -1)
    return MemorylessTree(vectors, depth, port, (everybody - by * signs) % order)


def _before(found: IntArray, best: IntArray) -> IntArray:
    """Row by row: is found before best in lexicographic order?"""
    differs = found != best
    first = np.argmax(differs, axis=1)
    rows = np.arange(len(found))
    smaller: IntArray = found[rows, first] < best[rows, first]
    return smaller & differs.any(axis=1)


def broadcast(network: Network, root: int, model: Model = Model()) -> Schedule:
    """Broadcast down the memoryless tree: N - 1 messages, every node at its BFS time."""
    rules = _rules(model)
    tree = memoryless_tree(network)
    nodes = np.nonzero(tree.port >= 0)[0]
    tails = (tree.parent[nodes] + root) % network.order
    return Schedule.from_columns(
        network,
        rules,
        Goal.broadcast(root),
        round=tree.depth[nodes] - 1,
        channels=network.channel_at(tails, tree.port[nodes]),
        name="memoryless",
    )


def reduce(network: Network, root: int, model: Model = Model()) -> Schedule:
    """The memoryless broadcast backwards."""
    return broadcast(network, root, model).reversed(Goal.reduce(root), name="memoryless")


# -- one tree for all sources -----------------------------------------------------------------


def all_gather(network: Network, model: Model = Model()) -> Schedule:
    """Every source sends down the same tree, moved; ports are used evenly.

    Examples:
        >>> import hopscape
        >>> print(hopscape.verify(all_gather(hopscape.build("circulant(55, 1, 5, 21)"))).reason)
        all-gather: 55 of 55 nodes served in 9 rounds, 2970 messages, 0 duplicates
    """
    rules = _rules(model)
    order = network.order
    require_memory(100 * order * order, f"all-gather among {order} nodes")
    port, parent, when = _timetable(network)
    nodes = np.nonzero(port >= 0)[0]
    sources = np.arange(order)
    tails = (parent[nodes][:, None] + sources) % order
    channels = network.channel_at(tails, np.broadcast_to(port[nodes][:, None], tails.shape))
    return Schedule.from_columns(
        network,
        rules,
        Goal.all_gather(),
        round=np.repeat(when[nodes], order),
        channels=channels.ravel(),
        chunk=np.tile(sources, len(nodes)),
        name="translations",
    )


def all_reduce(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """With a chunk per node: the all-gather backwards, then forwards; with one: down one tree."""
    if goal.chunks == 1:
        up, down = reduce(network, 0, model), broadcast(network, 0, model)
        return up.then(down, goal, name="translations")
    if goal.chunks != network.order:
        raise ArgumentError(f"all-reduce by translation takes 1 or {network.order} chunks")
    gathered = all_gather(network, model)
    return gathered.reversed(goal).then(gathered, goal, name="translations")


def _timetable(network: Network) -> tuple[IntArray, IntArray, IntArray]:
    """Port into each node, its parent, and the round of the link, for the tree of node 0."""
    tree = memoryless_tree(network)
    generators = _generators(network)
    order = network.order
    everybody = np.arange(order)
    options = np.zeros((order, network.ports), dtype=bool)
    for axis, s in enumerate(generators):
        for back in (0,) if 2 * s == order else (0, 1):
            before = (everybody + (s if back else -s)) % order
            options[:, 2 * axis + back] = tree.depth[before] == tree.depth - 1
    port = _balance(options)
    axes = np.maximum(port, 0) // 2
    steps = np.asarray(generators)[axes] * np.where(port % 2 == 1, -1, 1)
    parent = (everybody - steps) % order
    return port, parent, _serve(tree.depth, port, parent, network.ports)


def _balance(options: IntArray) -> IntArray:
    """Give each node one of its ports so that the fullest port is as empty as possible."""
    order, ports = options.shape
    port = np.full(order, -1, dtype=np.int64)
    load = np.zeros(ports, dtype=np.int64)
    usable: IntArray = np.asarray(options.any(axis=0))
    choices = options.sum(axis=1)
    for v in np.argsort(choices, kind="stable").tolist():
        if choices[v]:
            allowed = np.nonzero(options[v])[0]
            port[v] = allowed[np.argmin(load[allowed])]
            load[port[v]] += 1
    while True:
        full = int(np.argmax(load))
        goal = load[full] - 2
        came: dict[int, int] = {full: -1}
        queue = [full]
        end = -1
        for a in queue:
            if load[a] <= goal and usable[a]:
                end = a
                break
            for b in np.nonzero(options[port == a].any(axis=0))[0].tolist():
                if b not in came:
                    came[b] = a
                    queue.append(b)
        if end < 0:
            return port
        load[full] -= 1
        load[end] += 1
        while came[end] >= 0:  # one node moves along each step of the chain
            a = came[end]
            port[np.nonzero((port == a) & options[:, end])[0][0]] = end
            end = a


def _serve(depth: IntArray, port: IntArray, parent: IntArray, ports: int) -> IntArray:
    """Rounds: every port carries one link a round, a link waits for its parent; tallest first."""
    order = len(port)
    height = np.zeros(order, dtype=np.int64)
    children: list[list[int]] = [[] for _ in range(order)]
    for v in np.argsort(-depth, kind="stable").tolist():
        if port[v] >= 0:
            height[parent[v]] = max(height[parent[v]], height[v] + 1)
            children[int(parent[v])].append(v)
    ready: list[list[tuple[int, int]]] = [[] for _ in range(ports)]
    for v in children[0]:
        heapq.heappush(ready[port[v]], (-int(height[v]), v))
    when = np.full(order, -1, dtype=np.int64)
    left, r = order - 1, 0
    while left:
        served = [heapq.heappop(queue)[1] for queue in ready if queue]
        for v in served:
            when[v] = r
            for w in children[v]:
                heapq.heappush(ready[port[w]], (-int(height[w]), w))
        left -= len(served)
        r += 1
    return when
