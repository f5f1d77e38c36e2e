"""Broadcast and reduce of long data at the least cut: chunks follow each other down packed trees.

As many trees as the narrowest cut between the root and an endpoint is wide can be packed such that
no channel is in more of them than it carries chunks in a round (Edmonds 1973); switches, which only
forward, are split off first, as for the trees of an all-gather. Every tree takes one chunk a round,
so that in the long run as much arrives as any schedule can bring. Some rounds come on top until the
first chunks reach the deepest nodes: trees are made shallow by exchanging arcs between them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import sqrt

import numpy as np

from hopscape.collectives.forest import Arcs, pack_rooted, root_cut
from hopscape.collectives.forest_schedules import Logical, split_switches, two_digits
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.family import Collective
from hopscape.core.goal import Goal
from hopscape.core.model import Model, Served
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.schedule import Schedule

__all__ = ["BROADCAST", "ONE_TO_MANY", "RootedTrees", "pipelined_trees", "rooted_trees"]

_MOST_TREES = 64
"""More trees than this are not packed; capacities are rounded down instead."""
_STEPS, _SWITCHED = 15.0, 5.0
_PASSES = 60
_MOST_STEPS = 6e10
_TRANSFERS = 400_000


@dataclass(frozen=True)
class RootedTrees:
    """Trees from one root to all endpoints.

    Attributes:
        nodes (int64[endpoints - 1]): All but the root.
        arc (int64[trees, endpoints - 1]): The arc by which each of them hangs.
        depth (int64[trees, endpoints - 1]): Arcs from the root.
        start, channel: Arc a stands for the channels ``channel[start[a]:start[a + 1]]``.
    """

    nodes: IntArray
    arc: IntArray
    depth: IntArray
    start: IntArray
    channel: IntArray

    @property
    def trees(self) -> int:
        """How many trees."""
        return len(self.arc)


def rooted_trees(network: Network, root: int) -> RootedTrees:
    """Trees without common room, as many as the narrowest cut allows, and shallow.

    Examples:
        >>> import hopscape
        >>> trees = rooted_trees(hopscape.build("torus(4, 4)"), 0)
        >>> trees.trees, len(np.unique(trees.arc)), int(trees.depth.max()) <= 6
        (4, 60, True)
    """
    return _rooted_trees(network, root, network.endpoints.tobytes())


@lru_cache(maxsize=16)
def _rooted_trees(network: Network, root: int, ends_as_bytes: bytes) -> RootedTrees:
    from hopscape.collectives.forest_kernels import shorten_trees

    ends = network.endpoints.astype(np.int64)
    logical, trees = _logical(network, root)
    place = np.full(network.order, -1, dtype=np.int64)
    place[ends] = np.arange(len(ends))
    arcs = logical.arcs
    graph = Arcs(len(ends), place[arcs.tails], place[arcs.heads], arcs.capacity)
    at = int(place[root])
    bundle = pack_rooted(graph, at, trees, network.spec)
    arc = np.repeat(bundle.arc, bundle.copies, axis=0)
    free = graph.capacity - np.bincount(arc[arc >= 0], minlength=len(graph.capacity))
    by_head = np.argsort(graph.heads, kind="stable")
    first = np.concatenate([[0], np.cumsum(np.bincount(graph.heads, minlength=graph.nodes))])
    roots = np.full(len(arc), at, dtype=np.int64)
    depth = shorten_trees(graph.tails, first, by_head, arc, free, roots, _PASSES)
    others = np.arange(len(ends)) != at
    lengths = [len(path) for path in logical.paths]
    return RootedTrees(
        ends[others],
        arc[:, others],
        depth[:, others],
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.asarray([c for path in logical.paths for c in path], dtype=np.int64),
    )


def _logical(network: Network, root: int) -> tuple[Logical, int]:
    """The graph of endpoints, with room for the trees, and how many they are."""
    cut = root_cut(network, root)
    real = np.nonzero(network.tails != network.heads)[0]
    plain = Arcs.of(network)
    room, trees = plain.capacity, cut
    if cut > _MOST_TREES:
        room = plain.capacity * _MOST_TREES // cut
        thinned = Arcs(plain.nodes, plain.tails, plain.heads, room)
        trees = _least_flow(thinned, root, network.endpoints.astype(np.int64), _MOST_TREES)
        if not trees:
            raise TooLargeError(f"the capacities of {network.spec} are too far apart to pack trees")
    if network.has_switches:
        needs = np.zeros(network.order, dtype=np.int64)
        needs[root] = trees
        return split_switches(network, needs, room), trees
    return Logical(replace(plain, capacity=room), [(c,) for c in real.tolist()]), trees


def _least_flow(graph: Arcs, root: int, ends: IntArray, most: int) -> int:
    from hopscape.metrics.flow_kernels import least_flow_to

    return int(least_flow_to(*graph.csr(), root, np.setdiff1d(ends, [root]), most, 0))


def pipelined_trees(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """Chunk c goes down tree c modulo their number, a round behind the chunk before it.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("petersen")
        >>> made = pipelined_trees(net, Goal.broadcast(0, 30))
        >>> made.rounds, hopscape.verify(made).holds
        (13, True)
    """
    root = goal.root
    if root is None or goal.sources:
        raise ArgumentError("pipelined trees have one root")
    if network.has_switches and model.switching == "store-and-forward":
        raise ArgumentError("pipelined trees run past switches; store-and-forward stops at them")
    if network.endpoint_count < 2:
        return Schedule.from_columns(network, model, goal, round=[], channels=[], name="forest")
    if packing_cost(network, goal, model) > _MOST_STEPS:
        raise TooLargeError(f"packing trees of {network.spec} would take more than ten minutes")
    trees = rooted_trees(network, root)
    chunks, many = goal.chunks, len(trees.nodes)
    require_memory(200 * chunks * many, f"{chunks} chunks on {network.spec}")
    tree = np.arange(chunks) % trees.trees
    arc = trees.arc[tree]
    when = trees.depth[tree] - 1 + (np.arange(chunks) // trees.trees)[:, None]
    keep = _needed(trees, goal, network)[tree]
    arc, when = arc[keep], when[keep]
    chunk = np.repeat(np.arange(chunks), many).reshape(chunks, many)[keep]
    lengths = np.diff(trees.start)[arc]
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    within = np.arange(int(starts[-1])) - np.repeat(starts[:-1], lengths)
    return Schedule.from_columns(
        network,
        model,
        goal,
        round=when,
        channels=trees.channel[np.repeat(trees.start[arc], lengths) + within],
        path_start=starts,
        chunk=chunk,
        name="forest",
    )


def _needed(trees: RootedTrees, goal: Goal, network: Network) -> IntArray:
    """bool[trees, nodes]: who is a target or has one below."""
    keep = np.ones(trees.arc.shape, dtype=bool)
    if goal.kind != "one-to-many":
        return keep
    place = np.full(network.order, -1, dtype=np.int64)
    place[trees.nodes] = np.arange(len(trees.nodes))
    keep[:] = np.isin(trees.nodes, np.asarray(goal.targets))
    tails = place[network.tails[trees.channel[trees.start[trees.arc]]]]
    for t in range(trees.trees):
        for v in np.argsort(-trees.depth[t], kind="stable").tolist():
            if keep[t, v] and tails[t, v] >= 0:
                keep[t, tails[t, v]] = True
    return keep


def packing_cost(network: Network, goal: Goal, model: Model) -> float:
    """Steps of packing the trees of one root, about."""
    ends, channels = network.endpoint_count, len(network.heads)
    width = min(network.ports, _MOST_TREES) if network.one_speed else _MOST_TREES
    steps = _STEPS * (_SWITCHED if network.has_switches else 1.0)
    return steps * width * ends * (channels + 10 * ends)


def pipelined_chunks(network: Network, goal: Goal, model: Model, size: float) -> list[int]:
    """Chunks for which time is least: long pipelines wait for many rounds, short ones fill slowly.

    With m chunks down every tree, (m + d - 1) rounds take α + δ + β·s/(m·trees) each. A number with
    two leading binary digits is near enough, and serves a range of sizes.
    """
    if goal.root is None or goal.sources or network.endpoint_count < 2:
        return []
    trees = rooted_trees(network, goal.root)
    unit = float(network.capacities().max(initial=1.0)) / float(network.room().max(initial=1))
    hops = int(np.diff(trees.start)[trees.arc].max(initial=1))
    moved = model.beta * size / (trees.trees * unit)
    fill = max(int(trees.depth.max()) - 1, 1)
    each = model.alpha + model.delta * hops
    wanted = sqrt(moved * fill / each) if each else size
    most = max(min(size / trees.trees, _TRANSFERS / (trees.trees * len(trees.nodes))), 1.0)
    return [trees.trees * two_digits(min(wanted, most))]


_WHAT = "chunks in a pipeline down spanning trees, as many as the narrowest cut is wide"
_SERVES = Served(ports=(None,), duplex=("full",), switching=("store-and-forward", "cut-through"))
BROADCAST = Collective(
    "forest", "broadcast", _WHAT, pipelined_trees, _SERVES,
    cost=packing_cost, chunks=pipelined_chunks,
)  # fmt: skip
ONE_TO_MANY = replace(BROADCAST, goal="one-to-many", summary=f"{_WHAT}, pruned")
