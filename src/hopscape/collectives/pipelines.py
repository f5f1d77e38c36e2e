"""Broadcast and reduce of long data at the least cut: chunks follow each other down packed trees.

As many trees as the narrowest cut between the root and an endpoint is wide can be packed such that
no channel is in more of them than it carries chunks in a round (Edmonds 1973); switches, which only
forward, are split off first, as for the trees of an all-gather. Every tree takes one chunk a round,
so that in the long run as much arrives as any schedule can bring. Some rounds come on top until the
first chunks reach the deepest nodes: trees are made shallow by exchanging arcs between them.

In even trees no node sends more chunks in a round than there are trees, where the network allows
it: so they serve few ports, and backwards no node adds up more than the root. Where messages run
through whole paths, it always does: what a node would send beyond that runs past it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache, partial
from math import sqrt

import numpy as np

from hopscape.collectives.checked import verified
from hopscape.collectives.forest import Arcs, even_sends, most_sent, pack_rooted, root_cut
from hopscape.collectives.forest_schedules import Logical, split_switches, two_digits
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.family import Collective
from hopscape.core.goal import Goal
from hopscape.core.model import Model, Served
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.schedule import Schedule

__all__ = [
    "BROADCAST",
    "EVEN_ALL_REDUCE",
    "EVEN_BROADCAST",
    "EVEN_ONE_TO_MANY",
    "ONE_TO_MANY",
    "RootedTrees",
    "even_trees",
    "pipelined_trees",
    "rooted_trees",
    "summed_at_centre",
]

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
        sends: Arcs that begin at one endpoint, in all trees together, at most.
    """

    nodes: IntArray
    arc: IntArray
    depth: IntArray
    start: IntArray
    channel: IntArray
    sends: int

    @property
    def trees(self) -> int:
        """How many trees."""
        return len(self.arc)


def rooted_trees(
    network: Network,
    root: int,
    even: bool = False,
    ports: int | None = None,
    past: bool = False,
) -> RootedTrees:
    """Trees without common room, as many as the narrowest cut allows, and shallow.

    Args:
        even: No node has more children, in all trees together, than there are trees, if it can be.
        ports: No more trees than this, and no more children (even trees only).
        past: Even trees whose arcs may run past endpoints.

    Raises:
        ArgumentError: When some node needs more children than it has ports.

    Examples:
        >>> import hopscape
        >>> trees = rooted_trees(hopscape.build("torus(4, 4)"), 0)
        >>> trees.trees, len(np.unique(trees.arc)), int(trees.depth.max()) <= 6
        (4, 60, True)
    """
    return _rooted_trees(network, root, even, ports, past, network.endpoints.tobytes())


@lru_cache(maxsize=16)
def _rooted_trees(
    network: Network, root: int, even: bool, ports: int | None, past: bool, ends_as_bytes: bytes
) -> RootedTrees:
    from hopscape.collectives.forest_kernels import shorten_trees

    ends = network.endpoints.astype(np.int64)
    logical, trees = _logical(network, root, ports, past)
    place = np.full(network.order, -1, dtype=np.int64)
    place[ends] = np.arange(len(ends))
    arcs = logical.arcs
    graph = Arcs(len(ends), place[arcs.tails], place[arcs.heads], arcs.capacity)
    at = int(place[root])
    if even and not past:
        graph = _evened(graph, at, trees, ports, network)
    bundle = pack_rooted(graph, at, trees, network.spec)
    arc = np.repeat(bundle.arc, bundle.copies, axis=0)
    free = graph.capacity - np.bincount(arc[arc >= 0], minlength=len(graph.capacity))
    by_head = np.argsort(graph.heads, kind="stable")
    first = np.concatenate([[0], np.cumsum(np.bincount(graph.heads, minlength=graph.nodes))])
    roots = np.full(len(arc), at, dtype=np.int64)
    depth = shorten_trees(graph.tails, first, by_head, arc, free, roots, _PASSES)
    others = np.arange(len(ends)) != at
    lengths = [len(path) for path in logical.paths]
    sent = np.bincount(graph.tails[arc[:, others]].ravel())
    return RootedTrees(
        ends[others],
        arc[:, others],
        depth[:, others],
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.asarray([c for path in logical.paths for c in path], dtype=np.int64),
        int(sent.max(initial=0)),
    )


def _even_or_past(network: Network, root: int, even: bool, rules: Model) -> RootedTrees:
    """The trees that the rules ask for: even ones run past endpoints only where they must."""
    if not even or rules.switching != "cut-through":
        return rooted_trees(network, root, even, rules.ports)
    trees = None
    try:
        trees = rooted_trees(network, root, even, rules.ports)
    except ArgumentError:
        if rules.ports is None:
            raise
    if trees is not None and trees.sends <= trees.trees:
        return trees
    past = rooted_trees(network, root, even, rules.ports, past=True)
    return past if trees is None or past.sends < trees.sends else trees


def _evened(graph: Arcs, root: int, trees: int, ports: int | None, network: Network) -> Arcs:
    """The graph with what nodes send evened out."""
    wanted = np.zeros(graph.nodes, dtype=np.int64)
    wanted[root] = trees
    if ports is None and most_sent(graph) <= trees:
        raise ArgumentError(f"all trees of {network.spec} are even: no node can send more (forest)")
    graph = even_sends(graph, wanted, trees)
    if ports is not None and most_sent(graph) > ports:
        raise ArgumentError(
            f"no {trees} trees of {network.spec} were found in which nodes send to at most {ports}"
        )
    return graph


def _logical(network: Network, root: int, ports: int | None, past: bool) -> tuple[Logical, int]:
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
    trees = min(trees, ports or trees)
    if network.has_switches or past:
        needs = np.zeros(network.order, dtype=np.int64)
        needs[root] = trees
        return split_switches(network, needs, room, trees if past else None), trees
    return Logical(replace(plain, capacity=room), [(c,) for c in real.tolist()]), trees


def _least_flow(graph: Arcs, root: int, ends: IntArray, most: int) -> int:
    from hopscape.metrics.flow_kernels import least_flow_to

    return int(least_flow_to(*graph.csr(), root, np.setdiff1d(ends, [root]), most, 0))


@verified
def pipelined_trees(
    network: Network, goal: Goal, model: Model = Model(), even: bool = False
) -> Schedule:
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
    if model.ports is not None and not network.one_speed:
        raise ArgumentError(
            f"few ports are served where all links are alike, not on {network.spec}"
        )
    trees = _even_or_past(network, root, even, model)
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
        name="even-forest" if even else "forest",
    )


@verified
def even_trees(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """The same down even trees.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("mesh(4, 4)")
        >>> made = even_trees(net, Goal.broadcast(0, 100), Model(ports=2))
        >>> made.rounds < 65, hopscape.verify(made).holds
        (True, True)
    """
    return pipelined_trees(network, goal, model, even=True)


@verified
def summed_at_centre(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """An all-reduce through one root: a reduce up even trees, then a broadcast down the same.

    Where nodes differ in ports, it takes less time than a reduce-scatter and an all-gather, in
    which the nodes with most ports add up most.

    Examples:
        >>> import hopscape
        >>> made = summed_at_centre(hopscape.build("mesh(3, 3)"), Goal.all_reduce(20))
        >>> made.rounds, hopscape.verify(made).holds
        (28, True)
    """
    forth = even_trees(network, Goal.broadcast(_centre(network), goal.chunks), model)
    return forth.reversed(goal).then(forth, goal, name="even-forest")


def _centre(network: Network) -> int:
    """An endpoint from which the farthest is nearest, so that pipelines fill soon."""
    ends = network.endpoints.astype(np.int64)
    reach = distance_rows(network, ends)[:, ends].max(axis=1)
    return int(ends[reach.argmin()])


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


def even_cost(network: Network, goal: Goal, model: Model) -> float:
    """Steps of evening out, a flow for every channel, and of packing."""
    flows = 10.0 * len(network.heads) ** 2
    return flows + packing_cost(network, goal, model)


def pipelined_chunks(
    network: Network, goal: Goal, model: Model, size: float, even: bool = False
) -> list[int]:
    """Chunks for which time is least: long pipelines wait for many rounds, short ones fill slowly.

    With m chunks down every tree, (m + d - 1) rounds take α + δ + β·s/(m·trees) each. A number with
    two leading binary digits is near enough, and serves a range of sizes.
    """
    if goal.root is None or goal.sources or network.endpoint_count < 2:
        return []
    try:
        trees = _even_or_past(network, goal.root, even, model)
    except ArgumentError:  # the algorithm says why
        return []
    unit = float(network.capacities().max(initial=1.0)) / float(network.room().max(initial=1))
    hops = int(np.diff(trees.start)[trees.arc].max(initial=1))
    moved = model.beta * size / (trees.trees * unit)
    fill = max(int(trees.depth.max()) - 1, 1)
    each = model.alpha + model.delta * hops
    wanted = sqrt(moved * fill / each) if each else size
    most = max(min(size / trees.trees, _TRANSFERS / (trees.trees * len(trees.nodes))), 1.0)
    return [trees.trees * two_digits(min(wanted, most))]


def centre_chunks(network: Network, goal: Goal, model: Model, size: float) -> list[int]:
    """As for a broadcast from the centre."""
    aim = Goal.broadcast(_centre(network))
    return pipelined_chunks(network, aim, model, size, even=True)


_WHAT = "chunks in a pipeline down spanning trees, as many as the narrowest cut is wide"
_SERVES = Served(ports=(None,), duplex=("full",), switching=("store-and-forward", "cut-through"))
BROADCAST = Collective(
    "forest", "broadcast", _WHAT, pipelined_trees, _SERVES,
    cost=packing_cost, chunks=pipelined_chunks,
)  # fmt: skip
ONE_TO_MANY = replace(BROADCAST, goal="one-to-many", summary=f"{_WHAT}, pruned")
EVEN_BROADCAST = replace(
    BROADCAST,
    name="even-forest",
    summary="chunks in a pipeline down packed spanning trees in which nodes send equally many",
    build=even_trees,
    serves=replace(_SERVES, ports=None),
    cost=even_cost,
    chunks=partial(pipelined_chunks, even=True),
)
EVEN_ONE_TO_MANY = replace(
    EVEN_BROADCAST, goal="one-to-many", summary=f"{EVEN_BROADCAST.summary}, pruned"
)
EVEN_ALL_REDUCE = replace(
    EVEN_BROADCAST,
    goal="all-reduce",
    summary="sums up and results down packed trees of one root in which nodes send equally many",
    build=summed_at_centre,
    chunks=centre_chunks,
)
