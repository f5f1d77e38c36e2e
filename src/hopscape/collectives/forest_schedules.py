"""All-gather, reduce-scatter and all-reduce at the bandwidth bound, on any network.

Switches taken out of a network: arcs between endpoints that stand for paths through switches.

Switches forward, they neither copy nor keep. An arc into a switch and one out of it can be replaced
by one arc past the switch; done with care, all switches go and every cut stays wide enough (edge
splitting: Bang-Jensen, Frank and Jackson 1995; for collectives: Zhao et al., ForestColl, 2024).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import ceil, sqrt
from typing import TYPE_CHECKING

import numpy as np

from hopscape.collectives.checked import verified
from hopscape.collectives.forest import Arcs, Bundle, bottleneck, pack_trees
from hopscape.collectives.plan import PathPlan, Plan
from hopscape.collectives.survivors import gathered_backwards, gathered_twice
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.family import Collective
from hopscape.core.goal import Goal
from hopscape.core.model import Model, Served
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.progress import check_time, track
from hopscape.core.schedule import Schedule

if TYPE_CHECKING:
    from hopscape.collectives.forest_kernels import SplitState

__all__ = [
    "ALL_GATHER",
    "ALL_REDUCE",
    "REDUCE_SCATTER",
    "Logical",
    "best_pieces",
    "forest_plan",
    "forest_schedule",
    "paths_of_trees",
    "shallow",
    "split_switches",
]

_STEPS, _SWITCHED = 15.0, 5.0
"""Steps per endpoint squared and channel (ten per endpoint as well), and how many times as many
where switches have to be split off: measured on 64 to 144 nodes, and on a fat tree of 128."""
_MOST_STEPS = 6e10
"""Beyond it, ten minutes, no packing is begun."""
_AT_ONCE = 1_000_000
_EXCHANGES, _PASSES = 100_000_000, 20
"""Pairs of trees, at every node, that are tried for an exchange of arcs; times over all."""
_FINE = 16
"""Pieces up to which trees through switches are packed for twice as many as the optimum asks for:
if they come out shallower, what is left over of a wave fits into fewer rounds."""
_SMALL_PLAN = 5_000
"""Arcs of trees, about, up to which many plans are kept: some 300 kB each."""
_MOST_PATHS, _MOST_PIECES, _FILL = 200_000, 128, 4
"""Paths of a schedule in pieces, pieces that the optimum may ask for, and rounds until the first
pieces have come through the trees, about."""


@verified
def forest_schedule(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """Everybody's data down packed trees: no channel carries more than the worst cut demands.

    With c pieces of every datum the busiest channel carries ⌈c·t⌉ pieces, where t are the rounds
    per chunk that the worst cut proves (:func:`~hopscape.collectives.forest.bottleneck`): no
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
    if model.switching == "cut-through" and (not network.has_switches or model.in_network):
        hops = replace(model, switching="store-and-forward")  # a hop is a short path
        return forest_schedule(network, goal, hops).under(model)
    if network.endpoint_count < 2:
        return forest_plan(network, goal.chunks).schedule(network, goal, "forest", model)
    period = bottleneck(network).rounds
    times, rest = divmod(goal.chunks, period.denominator)
    if rest or times < 2:
        return _base_plan(network, goal.chunks).schedule(network, goal, "forest", model)
    from hopscape.collectives.plan_kernels import heights

    pieces = period.denominator
    if model.switching == "store-and-forward":
        single = _base_plan(network, pieces).by_hops(network)
        return _repeated(network, goal, single, period.numerator, times, model)
    base = _base_plan(network, pieces)
    if times % 2 == 0 and 2 * pieces <= _FINE:
        fine = _base_plan(network, 2 * pieces)
        if heights(fine.before).mean() < heights(base.before).mean():
            times, base = times // 2, fine
    plan = base.in_pieces(times)
    return plan.schedule(network, goal, "forest", model, times)


def _base_plan(network: Network, pieces: int) -> PathPlan:
    """The trees that are used again and again, packed once."""
    small = pieces * network.endpoint_count**2 <= _SMALL_PLAN
    return (_packed if small else _packed_large)(network, pieces, network.endpoints.tobytes())


@lru_cache(maxsize=256)  # the groups of a goal, in several pieces each
def _packed(network: Network, pieces: int, ends_as_bytes: bytes) -> PathPlan:
    return forest_plan(network, pieces)


@lru_cache(maxsize=8)
def _packed_large(network: Network, pieces: int, ends_as_bytes: bytes) -> PathPlan:
    return forest_plan(network, pieces)


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
        needs = np.zeros(network.order, dtype=np.int64)
        needs[ends] = pieces
        logical = split_switches(network, needs, Arcs.of(network).capacity * scale)
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
    bundles = shallow(graph, pack_trees(graph, pieces, network.spec))
    return paths_of_trees(graph, logical.paths, bundles, pieces)


def shallow(graph: Arcs, bundles: list[Bundle]) -> list[Bundle]:
    """The same trees with nodes hung nearer to their roots, where trees can exchange arcs."""
    from hopscape.collectives.forest_kernels import shorten_trees

    rows = [np.repeat(bundle.arc, bundle.copies, axis=0) for bundle in bundles]
    arc = np.concatenate(rows)
    work = len(arc) ** 2 * graph.nodes
    if work > _EXCHANGES:
        return bundles
    roots = np.repeat([bundle.root for bundle in bundles], [len(row) for row in rows])
    free = graph.capacity - np.bincount(arc[arc >= 0], minlength=len(graph.capacity))
    by_head = np.argsort(graph.heads, kind="stable")
    first = np.concatenate([[0], np.cumsum(np.bincount(graph.heads, minlength=graph.nodes))])
    passes = max(1, min(_PASSES, _EXCHANGES // work))
    shorten_trees(graph.tails, first, by_head, arc, free, roots.astype(np.int64), passes)
    cuts = np.cumsum([len(row) for row in rows])[:-1]
    return [
        Bundle(bundle.root, row, np.ones(len(row), dtype=np.int64))
        for bundle, row in zip(bundles, np.split(arc, cuts), strict=True)
    ]


def _check_effort(network: Network, pieces: int) -> None:
    """Say before it is begun when packing would take very long."""
    ends, channels = network.endpoint_count, len(network.heads)
    require_memory(200 * pieces * ends * ends, f"the trees of {ends} roots in {network.spec}")
    if packing_cost(network) > _MOST_STEPS:
        raise TooLargeError(
            f"packing trees for {ends} roots into {channels} channels would take about"
            f" {packing_cost(network):.2g} steps; beyond {_MOST_STEPS:.2g} it is not begun"
        )


def packing_cost(network: Network, goal: Goal | None = None, model: Model | None = None) -> float:
    """Steps of packing spanning trees, about; the pieces of the data hardly matter."""
    ends, channels = network.endpoint_count, len(network.heads)
    steps = _STEPS * (_SWITCHED if network.has_switches else 1.0)
    return steps * ends * ends * (channels + 10 * ends)


def paths_of_trees(
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


def forest_pieces(network: Network, goal: Goal, model: Model, size: float) -> list[int]:
    """Pieces of every datum for a buffer of so many bytes, in chunks of the goal.

    So many that no channel idles at the bound, and times as many that filling the trees takes as
    long as starting the rounds.
    """
    ends = network.endpoint_count
    if ends < 2:
        return []
    period = bottleneck(network).rounds
    least = period.denominator
    unit = float(network.capacities().max(initial=1.0)) / float(network.room().max(initial=1))
    moved = model.beta * size * float(period) / (ends * unit)
    each = model.alpha + model.delta
    rounds = sqrt(_FILL * moved / each) if each else 1.0
    most = max(1, _MOST_PATHS // (ends * (ends - 1) * least))
    waves = rounds / period.numerator
    times = {1, *(min(two_digits(x), most) for x in (waves / 3, waves / 2, waves, rounds))}
    blocks = ends if goal.kind == "all-reduce" else 1
    return [blocks * c for c in sorted({1, *(least * t for t in times if least <= _MOST_PIECES)})]


def two_digits(number: float) -> int:
    """The nearest of 1, 2, 3, 4, 6, 8, 12, ...: near enough, and good for a range of sizes.

    Examples:
        >>> [two_digits(x) for x in (0.3, 1.4, 5.2, 37, 1000)]
        [1, 1, 6, 32, 1024]
    """
    power = 1
    while 2 * power <= number:
        power *= 2
    return min((power, 3 * power // 2, 2 * power), key=lambda x: abs(x - number))


_WHAT = "spanning trees packed to the bandwidth bound, for any network"
_SERVES = Served(
    ports=(None,),
    duplex=("full",),
    switching=("store-and-forward", "circuit", "cut-through"),
)
ALL_GATHER = Collective(
    "forest", "all-gather", _WHAT, forest_schedule, _SERVES,
    chunks=forest_pieces, cost=packing_cost,
)  # fmt: skip
REDUCE_SCATTER = replace(ALL_GATHER, goal="reduce-scatter")
ALL_REDUCE = replace(ALL_GATHER, goal="all-reduce")


_SHUFFLES = 8  # orders that are tried, half of them by each rule


@dataclass(frozen=True)
class Logical:
    """A graph of endpoints only.

    Attributes:
        arcs: Nodes are numbered as in the network; switches have no arcs.
        paths: The channels that each arc stands for.
    """

    arcs: Arcs
    paths: list[tuple[int, ...]]


def split_switches(
    network: Network,
    trees: IntArray,
    capacity: IntArray,
    stops: int | tuple[IntArray, IntArray] | None = None,
) -> Logical:
    """Replace all switches by arcs past them, with room for the trees of all roots.

    Args:
        trees (int64[order]): Spanning trees with each node as root.
        capacity: Room of the channels that are no loops; no cut may be too narrow for the trees.
        stops: What may end, and begin, at an endpoint; what more its channels carry runs past it,
            as if it were a switch with an endpoint beside it. Or what may begin, and end, at each
            node.

    Raises:
        ArgumentError: When a switch takes in more than it gives out, or less.
    """
    real = np.nonzero(network.tails != network.heads)[0]
    plain = Arcs.of(network)
    work = _Splitter(network, trees)
    past = work.passed(plain, capacity, stops)
    for c, u, v, room in zip(
        real.tolist(),
        past[plain.tails].tolist(),
        past[plain.heads].tolist(),
        capacity.tolist(),
        strict=True,
    ):
        work.add(u, v, (c,), room)
    switches = np.setdiff1d(np.arange(network.order), network.endpoints)
    distance = distance_rows(network, network.endpoints)[:, switches].min(axis=0)
    switches = switches[np.argsort(-distance.astype(np.int64), kind="stable")]
    switches = np.concatenate([switches, past[past >= network.order]])
    for w in track(switches.tolist(), f"switches of {network.spec}", len(switches)):
        work.remove(w)
    return work.logical()


class _Splitter:
    """Arcs by their ends, each with the paths it stands for and the room on them."""

    def __init__(self, network: Network, trees: IntArray) -> None:
        self.network = network
        self.ends = network.endpoints.astype(np.int64)
        self.roots = self.ends[trees[self.ends] > 0]
        self.trees = trees[self.roots]
        self.nodes = network.order
        self.lanes: dict[tuple[int, int], dict[tuple[int, ...], int]] = {}
        self.generator = np.random.default_rng(0)

    def passed(
        self, plain: Arcs, capacity: IntArray, stops: int | tuple[IntArray, IntArray] | None
    ) -> IntArray:
        """Where the channels of each node lead: to the node, or to a switch that it hangs from."""
        past = np.arange(self.nodes)
        if stops is None:
            return past
        ends = (plain.heads, plain.tails)
        into, out = (np.bincount(at, capacity, self.nodes).astype(np.int64) for at in ends)
        begin, end = stops if isinstance(stops, tuple) else (np.full(self.nodes, stops),) * 2
        wide = self.ends[((out > begin) & (into + begin == out + end))[self.ends]]
        past[wide] += self.nodes
        self.nodes *= 2
        for v in wide.tolist():
            self.add(v, int(past[v]), (), int(begin[v]))
            self.add(int(past[v]), v, (), int(end[v]))
        return past

    def add(self, u: int, v: int, path: tuple[int, ...], room: int) -> None:
        """More room on a path from u to v."""
        lane = self.lanes.setdefault((u, v), {})
        lane[path] = lane.get(path, 0) + room

    def room(self, u: int, v: int) -> int:
        return sum(self.lanes.get((u, v), {}).values())

    def remove(self, w: int) -> None:
        """Split off all arcs at a switch: at once if the cuts stay wide, else pair by pair."""
        check_time(f"the switches of {self.network.spec}")
        into = {u: self.room(u, v) for u, v in self.lanes if v == w}
        out = {v: self.room(u, v) for u, v in self.lanes if u == w}
        if sum(into.values()) != sum(out.values()):
            raise ArgumentError(
                f"switch {w} of {self.network.spec} takes in {sum(into.values())} and gives out"
                f" {sum(out.values())}; trees through switches need the same both ways"
            )
        before = {key: dict(lane) for key, lane in self.lanes.items()}
        if all(room == out.get(u, 0) for u, room in into.items()):
            self.drop(w)  # a switch that nobody needs is left out
            if self.wide():
                return
        for attempt in range(_SHUFFLES):
            self.lanes = {key: dict(lane) for key, lane in before.items()}
            pair = _spread if attempt < _SHUFFLES // 2 else _pairs
            pairs = pair(into, out, self.generator)
            if pairs is None:
                continue
            for (u, v), room in pairs.items():
                self.split(u, w, v, room)
            self.drop(w)
            if self.wide():
                return
        self.lanes = before
        self.pair_by_pair(w, list(into), list(out))
        self.drop(w)

    def drop(self, w: int) -> None:
        self.lanes = {key: lane for key, lane in self.lanes.items() if w not in key}

    def split(self, u: int, w: int, v: int, room: int) -> None:
        """Turn room on the arcs u → w and w → v into room on an arc u → v (none, if u is v)."""
        first, second = self.lanes[u, w], self.lanes[w, v]
        while room:
            one, two = next(iter(first)), next(iter(second))
            some = min(room, first[one], second[two])
            for lane, path in ((first, one), (second, two)):
                lane[path] -= some
                if not lane[path]:
                    del lane[path]
            if u != v:
                self.add(u, v, one + two, some)
            room -= some

    def pair_by_pair(self, w: int, into: list[int], out: list[int]) -> None:
        """Split off at w as much of every pair as the cuts allow."""
        from hopscape.collectives.forest_kernels import split_off

        crossing = self.crossing(w, into, out)
        for j, v in enumerate(out):
            check_time(f"the switches of {self.network.spec}")
            for u, some in zip(into, split_off(crossing, j).tolist(), strict=True):
                self.split(u, w, v, some)
        rest = sum(self.room(w, v) for v in out)
        if rest:
            self.end_loops(w, into)

    def crossing(self, w: int, into: list[int], out: list[int]) -> SplitState:
        """The graph around a switch as the kernel takes it, with helpers for cuts at its ends."""
        from hopscape.collectives.forest_kernels import SplitState

        near = sorted({*into, *out})
        top, drain = self.nodes, self.nodes + 1
        own = [(u, v) for u in into for v in out]
        own += [(u, w) for u in into] + [(w, v) for v in out]
        known = set(own)
        rooms = [self.room(u, v) for u, v in own]
        helpers = [(top, x) for x in [*near, w]] + [(x, drain) for x in [*near, w]]
        helpers += [(drain, sink) for sink in self.ends.tolist()]
        ends = own + helpers + [(top, root) for root in self.roots.tolist()]
        rooms += [0] * len(helpers) + self.trees.tolist()
        others = [key for key, lane in self.lanes.items() if lane and key not in known]
        ends += others
        rooms += [self.room(u, v) for u, v in others]
        tails, heads = (np.asarray(side, dtype=np.int64) for side in zip(*ends, strict=True))
        graph = Arcs(self.nodes + 2, tails, heads, np.asarray(rooms, dtype=np.int64))
        first, last, beside = (np.asarray(side, dtype=np.int64) for side in (into, out, near))
        wanted = int(self.trees.sum())
        return SplitState(*graph.csr(), first, last, beside, self.ends, top, wanted)

    def end_loops(self, w: int, into: list[int]) -> None:
        """What is left at a switch leads back to where it came from: let it go."""
        for u in into:
            both = min(self.room(u, w), self.room(w, u))
            if both:
                self.split(u, w, u, both)

    def arcs(self) -> Arcs:
        keys = [key for key, lane in self.lanes.items() if lane]
        ends = np.asarray(keys, dtype=np.int64).reshape(-1, 2)
        room = np.asarray([self.room(u, v) for u, v in keys], dtype=np.int64)
        return Arcs(self.nodes, ends[:, 0], ends[:, 1], room)

    def wide(self) -> bool:
        """Is every cut wide enough for the trees of the endpoints inside?"""
        from hopscape.metrics.flow_kernels import least_flow_to

        indptr, arcs, heads, left = self.arcs().with_top(self.roots).csr()
        left[-2 * len(self.roots) :: 2] = self.trees
        wanted = int(self.trees.sum())
        top = self.nodes
        return least_flow_to(indptr, arcs, heads, left, top, self.ends, wanted, wanted) == wanted

    def logical(self) -> Logical:
        """One arc for every path."""
        rows = [
            (u, v, path, room) for (u, v), lane in self.lanes.items() for path, room in lane.items()
        ]
        ends = np.asarray([row[:2] for row in rows], dtype=np.int64).reshape(-1, 2)
        room = np.asarray([row[3] for row in rows], dtype=np.int64)
        arcs = Arcs(self.network.order, ends[:, 0], ends[:, 1], room)
        return Logical(arcs, [self.straight(row[2]) for row in rows])

    def straight(self, path: tuple[int, ...]) -> tuple[int, ...]:
        """A path without the round trips that bring it back to where it was."""
        heads = self.network.heads
        seen = {int(self.network.tails[path[0]]): 0}
        out: list[int] = []
        for c in path:
            out.append(c)
            v = int(heads[c])
            if v in seen:
                del out[seen[v] :]
            else:
                seen[v] = len(out)
            seen = {node: at for node, at in seen.items() if at <= len(out)}
        return tuple(out)


def _spread(
    into: dict[int, int], out: dict[int, int], generator: np.random.Generator
) -> dict[tuple[int, int], int] | None:
    """As :func:`_pairs`, everybody with everybody as evenly as whole numbers allow.

    Trees past the switch are then shallow.
    """
    total = sum(out.values())
    widest = max((into.get(v, 0) + out.get(v, 0) for v in {*into, *out}), default=0) // 2
    if total <= widest:
        return None
    pairs: dict[tuple[int, int], int] = {}
    for u, share in into.items():
        for v, other in out.items():
            some = share * other // total if u != v else 0
            if some:
                pairs[u, v] = some
    more_in, more_out = dict(into), dict(out)
    for (u, v), some in pairs.items():
        more_in[u] -= some
        more_out[v] -= some
    rest = _pairs(more_in, more_out, generator)
    if rest is None:
        return None
    for key, some in rest.items():
        pairs[key] = pairs.get(key, 0) + some
    return pairs


def _pairs(
    into: dict[int, int], out: dict[int, int], generator: np.random.Generator
) -> dict[tuple[int, int], int] | None:
    """Room of arcs in paired with room of arcs out, none with its own way back.

    None where a neighbour would meet itself.
    """
    total = sum(out.values())
    names = generator.permutation(sorted({*into, *out})).tolist()
    if not total:
        return {}
    widest = max(max(into.get(v, 0), out.get(v, 0)) for v in names)
    low, high = (widest, total - widest) if 2 * widest <= total else (0, total - 1)
    shift = int(generator.integers(low, high + 1))
    spans = []
    for share in (into, out):
        bounds = np.cumsum([0, *(share.get(v, 0) for v in names)])
        spans.append(bounds)
    marks = sorted({*spans[0].tolist(), *(((spans[1] + shift) % total).tolist()), 0, total})
    pairs: dict[tuple[int, int], int] = {}
    for low, high in pairwise(marks):
        if high > low:
            u = names[int(np.searchsorted(spans[0], low, side="right")) - 1]
            v = names[int(np.searchsorted(spans[1], (low - shift) % total, side="right")) - 1]
            if u == v:
                return None
            pairs[u, v] = pairs.get((u, v), 0) + high - low
    return pairs
