"""All-gather, reduce-scatter and all-reduce at the bandwidth bound, on any network."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil

import numpy as np

from hopscape.collectives.forest.arcs import Arcs
from hopscape.collectives.forest.cut import bottleneck
from hopscape.collectives.forest.packing import Bundle, pack_trees
from hopscape.collectives.forest.splitting import Logical, split_switches
from hopscape.collectives.groups import gathered_backwards, gathered_twice
from hopscape.collectives.plan import PathPlan, Plan
from hopscape.core.arrays import IntArray
from hopscape.core.errors import TooLargeError
from hopscape.core.family import Collective
from hopscape.core.goal import Goal
from hopscape.core.memory import require_memory
from hopscape.core.model import Model, Served
from hopscape.core.network import Network
from hopscape.core.progress import check_time, human_time
from hopscape.core.schedule import Schedule

__all__ = [
    "ALL_GATHER",
    "ALL_REDUCE",
    "REDUCE_SCATTER",
    "best_pieces",
    "forest_plan",
    "forest_schedule",
]

_SECONDS = 1.5e-7
_LONGEST = 600.0
_AT_ONCE = 1_000_000


def forest_schedule(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """Everybody's data down packed trees: no channel carries more than the worst cut demands.

    With c pieces of every datum the busiest channel carries ⌈c·t⌉ pieces, where t are the rounds
    per chunk that the worst cut proves (:func:`~hopscape.collectives.forest.cut.bottleneck`): no
    schedule has less. Some rounds come on top until the first pieces arrive. Where the pieces are a
    multiple of :func:`best_pieces`, the same trees are used again and again, a period of t·c rounds
    apart. Reduce-scatter runs backwards, all-reduce is both.

    Examples:
        >>> import hopscape
        >>> made = forest_schedule(hopscape.build("petersen"), Goal.all_gather())
        >>> made.rounds, hopscape.verify(made).holds
        (3, True)
    """
    if goal.kind == "reduce-scatter":
        return gathered_backwards(network, goal, model, forest_schedule)
    if goal.kind == "all-reduce":
        return gathered_twice(network, goal, model, forest_schedule, "forest")
    hop_by_hop = model.switching == "store-and-forward"
    if network.endpoint_count > 1 and hop_by_hop:
        period = bottleneck(network).rounds
        times, rest = divmod(goal.chunks, period.denominator)
        if times > 1 and not rest:
            base = forest_plan(network, period.denominator).by_hops(network)
            return _repeated(network, goal, base, period.numerator, times, model)
    return forest_plan(network, goal.chunks).schedule(network, goal, "forest", model)


def _repeated(
    network: Network, goal: Goal, base: Plan, period: int, times: int, model: Model
) -> Schedule:
    """The same trees again and again: period by period or all at once, whichever is shorter."""
    steady = base.repeated(network, goal, period, times, "forest", model)
    if steady.transfers > _AT_ONCE or steady.rounds <= period * times + 1:
        return steady
    eager = base.in_pieces(times).schedule(network, goal, "forest", model)
    return min(steady, eager, key=lambda made: made.rounds)


def forest_plan(network: Network, pieces: int = 1) -> PathPlan:
    """The packed trees as a plan; piece p of the j-th endpoint is chunk j·pieces + p."""
    ends = network.endpoints.astype(np.int64)
    if len(ends) < 2:
        nothing = np.zeros(0, dtype=np.int64)
        return PathPlan(np.zeros(1, dtype=np.int64), nothing, nothing, nothing)
    _check_effort(network, pieces)
    scale = ceil(pieces * bottleneck(network).rounds)
    if network.has_switches:
        logical = split_switches(network, pieces, scale)
    else:
        plain, real = Arcs.of(network), np.nonzero(network.tails != network.heads)[0]
        logical = Logical(
            Arcs(plain.nodes, plain.tails, plain.heads, plain.capacity * scale),
            [(c,) for c in real.tolist()],
        )
    place = np.full(network.order, -1, dtype=np.int64)
    place[ends] = np.arange(len(ends))
    arcs = logical.arcs
    graph = Arcs(len(ends), place[arcs.tails], place[arcs.heads], arcs.capacity)
    bundles = pack_trees(graph, pieces, network.spec)
    return _paths(graph, logical.paths, bundles, pieces)


def _check_effort(network: Network, pieces: int) -> None:
    """Say before it is begun when packing would take very long."""
    ends, channels = network.endpoint_count, len(network.heads)
    require_memory(200 * pieces * ends * ends, f"the trees of {ends} roots in {network.spec}")
    kinds = min(pieces, 4)
    needed = _SECONDS * kinds * ends * ends * (channels + 10 * ends)
    if needed > _LONGEST:
        raise TooLargeError(
            f"packing trees for {ends} roots into {channels} channels would take about"
            f" {human_time(needed)}; beyond {human_time(_LONGEST)} it is not begun"
        )
    check_time(f"packing the trees of {network.spec}", needed / 20)


def _paths(
    graph: Arcs, paths: list[tuple[int, ...]], bundles: list[Bundle], pieces: int
) -> PathPlan:
    """The arcs of all trees, each a path of channels after the one to its tail."""
    start, channels = [0], []
    before: list[int] = []
    chunks: list[int] = []
    for bundle in bundles:
        chunk = bundle.root * pieces
        for row, copies in zip(bundle.arc, bundle.copies.tolist(), strict=True):
            order = _top_down(graph, row, bundle.root)
            for _ in range(copies):
                last = {bundle.root: -1}
                for v in order:
                    last[v] = len(before)
                    before.append(last[int(graph.tails[row[v]])])
                    channels += paths[row[v]]
                    start.append(len(channels))
                    chunks.append(chunk)
                chunk += 1
    made = (np.asarray(column, dtype=np.int64) for column in (start, channels, before, chunks))
    return PathPlan(*made)


def _top_down(graph: Arcs, row: IntArray, root: int) -> list[int]:
    """The nodes of a tree but its root, parents first."""
    below: dict[int, list[int]] = {}
    for v, arc in enumerate(row.tolist()):
        if arc >= 0:
            below.setdefault(int(graph.tails[arc]), []).append(v)
    order = [root]
    for v in order:
        order += below.get(v, [])
    return order[1:]


def best_pieces(network: Network) -> int:
    """In how many pieces every datum must come so that no channel idles at the bound.

    Examples:
        >>> import hopscape
        >>> best_pieces(hopscape.build("torus(8, 8)"))
        4
    """
    rate: Fraction = bottleneck(network).rounds
    return rate.denominator


_WHAT = "spanning trees packed to the bandwidth bound, for any network"
_SERVES = Served(
    ports=(None,),
    duplex=("full",),
    switching=("store-and-forward", "circuit", "cut-through"),
)
ALL_GATHER = Collective("forest", "all-gather", _WHAT, forest_schedule, _SERVES)
REDUCE_SCATTER = replace(ALL_GATHER, goal="reduce-scatter")
ALL_REDUCE = replace(ALL_GATHER, goal="all-reduce")
