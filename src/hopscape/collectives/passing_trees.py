"""An all-reduce whose sums run past nodes that would add too much.

Sums go up some spanning trees and results down others, as many of each root. On the way up, what a
node need not add up runs past it as a whole, to be added elsewhere. A linear program shares out the
channels such that what the busiest carries and what the busiest node adds up cost least together;
switches stand for what runs past nodes, and are split off as those of a network (Bang-Jensen, Frank
and Jackson 1995), and the trees of either way are packed (Edmonds 1973).

In a period every tree takes one chunk. It has so many rounds that no node sends more messages in
one than it has channels; each hop takes the round in which it costs least.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import ceil, sqrt
from typing import Any, NamedTuple

import numpy as np

from hopscape.collectives.checked import verified
from hopscape.collectives.forest import Arcs, bottleneck, has_room, pack_rooted
from hopscape.collectives.forest_schedules import Logical, split_switches, two_digits
from hopscape.collectives.two_way import cost_of_adding, unit_of_room
from hopscape.core.arrays import Floats, IntArray
from hopscape.core.distances import distance_rows
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.family import Collective
from hopscape.core.goal import Goal
from hopscape.core.model import Model, Served
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.progress import check_time
from hopscape.core.schedule import Schedule

__all__ = [
    "PASSING",
    "Passing",
    "Shares",
    "Timing",
    "passing_schedule",
    "passing_shares",
    "passing_trees",
]

_VARIABLES = 30_000
"""Flows times channels and nodes up to which channels are shared out: some seconds."""
_SECOND = 8_000
"""The same that takes about a second."""
_WORTH = 1.02
"""Times as much as must be carried and added up, at least."""
_PERIODS, _TREES = (6, 12, 24, 48), 64
"""Units of a period, up to each of which the best is tried, and trees at most."""
_CENTRAL = 1e-4
"""What roots at the rim cost, in chunks on a channel."""
_ROUNDS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)
"""Rounds of a period that are tried."""
_TRIES, _PROBES = 12, 40_000
"""Orders in which hops take rounds where channels take one at once, and hops times rounds of all
these orders."""
_WAVES = 30.0
"""Periods after which a round of waiting at the start is made good."""
_TRANSFERS, _PASSES = 400_000, 60


class Shares(NamedTuple):
    """What is given to either way, in a period or for one chunk.

    Attributes:
        down, up (by channel): Room for results, and for sums; both along the channel away from the
            root, so that sums run against it.
        roots (by node): Trees with each node as root.
        busy: What the busiest channel carries, by its room.
        added: What the busiest node adds up.
    """

    down: Floats
    up: Floats
    roots: Floats
    busy: float
    added: float


def passing_shares(network: Network, adding: float, central: bool = False) -> Shares:
    """The cheapest shares for one chunk.

    From the roots one chunk flows to every node, down within the one shares and against the sums
    within the others. What comes up to a node beyond its one chunk runs past it: a node adds up as
    much as its sums bring, less what leaves it beyond its own.

    Args:
        adding: What it costs to add up a chunk, in costs of carrying it on a channel of room 1.
        central: Of shares of equal price, those whose roots are near to all nodes.

    Examples:
        >>> import hopscape
        >>> made = passing_shares(hopscape.build("path(4)"), 0.5)
        >>> round(made.busy, 6), round(made.added, 6)
        (1.0, 1.0)
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, eye_array, hstack, kron, vstack

    nodes, channels = network.order, len(network.heads)
    width, own = channels + nodes, 2 * channels + nodes + 2
    flows = 2 * nodes * width
    pick: Any = csr_array(eye_array(own))
    down, up, roots = pick[:channels], pick[channels : 2 * channels], pick[2 * channels : own - 2]
    comes, goes = _ends(network)
    begin = (goes - comes) @ up - roots  # and one: what a node adds up
    parts = [vstack([down, roots])] * nodes + [vstack([up, roots])] * nodes
    others = np.flatnonzero(np.eye(nodes).ravel() == 0)
    starts: Any = csr_array(hstack([csr_array((nodes, channels)), eye_array(nodes)]))
    begun: Any = csr_array(kron(eye_array(nodes), starts))[others]
    room, ones = network.room().astype(float)[:, None], np.ones((nodes, 1))
    blocks: list[Any] = [
        hstack([eye_array(flows), -vstack(parts)]),
        _beside(flows, down + up[network.reverse] - csr_array(room) @ pick[own - 2 : own - 1]),
        _beside(flows, begin - csr_array(ones) @ pick[own - 1 :]),
        hstack([csr_array((len(others), nodes * width)), begun, -vstack([begin] * nodes)[others]]),
    ]
    high = [np.zeros(flows + channels), -np.ones(nodes), np.ones(len(others))]
    arrive = kron(eye_array(2 * nodes), hstack([comes - goes, eye_array(nodes)]))
    once = csr_array(np.ones((1, nodes))) @ roots
    equal: Any = vstack([hstack([arrive, csr_array((arrive.shape[0], own))]), _beside(flows, once)])
    price = np.zeros(flows + own)
    price[-2:] = 1.0, adding
    if central:
        far = distance_rows(network, np.arange(nodes)).max(axis=1)
        price[-2 - nodes : -2] = _CENTRAL * far / far.max()
    solution: Any = linprog(
        price,
        A_ub=vstack(blocks),
        b_ub=np.concatenate(high),
        A_eq=equal,
        b_eq=np.append(np.tile(np.eye(nodes).ravel(), 2), 1.0),
        method="highs-ds",
    )
    if solution.status != 0:
        raise ArgumentError(f"the channels of {network.spec} could not be shared out")
    x = solution.x[flows:]
    return Shares(
        x[:channels], x[channels : 2 * channels], x[2 * channels : -2], float(x[-2]), float(x[-1])
    )


def _ends(network: Network) -> tuple[Any, Any]:
    """Which channels lead into each node, and which out of it."""
    from scipy.sparse import csr_array

    shape, span = (network.order, len(network.heads)), np.arange(len(network.heads))
    return tuple(
        csr_array((np.ones(len(span)), (at, span)), shape=shape)
        for at in (network.heads, network.tails)
    )  # type: ignore[return-value]


def _beside(flows: int, block: Any) -> Any:
    """Rows in which no flow stands."""
    from scipy.sparse import csr_array, hstack

    return hstack([csr_array((block.shape[0], flows)), block])


class _Whole(NamedTuple):
    """Shares in whole numbers.

    Attributes:
        down, up (int64[channels]), roots (int64[nodes]): As in :class:`Shares`.
        begin, end (int64[nodes]): Sums that end at each node, and that it sends (on the way up).
        busy, added: What the busiest channel carries by its room, and the busiest node adds up.
    """

    down: IntArray
    up: IntArray
    roots: IntArray
    begin: IntArray
    end: IntArray
    busy: float
    added: int


def _whole(network: Network, shares: Shares, period: int) -> _Whole | None:
    """The shares of a period in whole numbers that have room for the trees; None: none are seen."""
    rates = period / shares.busy
    down, up = (np.rint(rates * part).astype(np.int64) for part in (shares.down, shares.up))
    reverse, room = network.reverse, network.room()
    over = np.maximum(down + up[reverse] - period * room, 0)
    less = np.minimum(over, up[reverse])
    up[reverse] -= less
    down -= over - less
    roots = np.rint(rates * shares.roots).astype(np.int64)
    ends = network.tails.astype(np.int64), network.heads.astype(np.int64)
    goes, comes = (np.bincount(at, up, network.order).astype(np.int64) for at in ends)
    while roots.any():
        end = int(roots.sum()) - roots
        begin = goes - comes + end
        fits = bool((begin >= roots).all()) and int(roots.sum()) <= _TREES
        if fits and has_room(Arcs(network.order, *ends, down), roots):
            past = _past(network, up, begin, end)
            if has_room(past, np.concatenate([roots, 0 * roots]), network.order):
                busy = float(((down + up[reverse]) / room).max())
                return _Whole(down, up, roots, begin, end, busy, int(begin.max()))
        roots[int(roots.argmax())] -= 1
    return None


def _past(network: Network, up: IntArray, begin: IntArray, end: IntArray) -> Arcs:
    """Nodes, each before what runs past it: the node v, and v + order for its channels."""
    nodes = np.arange(network.order)
    channels = network.tails.astype(np.int64), network.heads.astype(np.int64)
    tails = np.concatenate([channels[0] + network.order, nodes, nodes + network.order])
    heads = np.concatenate([channels[1] + network.order, nodes + network.order, nodes])
    return Arcs(2 * network.order, tails, heads, np.concatenate([up, begin, end]))


def _best_wholes(network: Network, shares: Shares, adding: float) -> list[_Whole]:
    """The cheapest of all periods, of all but the longest, and so on: short ones fill soon."""
    out: list[_Whole] = []
    least = np.inf
    for low, high in pairwise((0, *_PERIODS)):
        best: _Whole | None = None
        for period in range(low + 1, high + 1):
            check_time(f"sharing out the channels of {network.spec}")
            made = _whole(network, shares, period)
            if made is None:
                continue
            price = (made.busy + adding * made.added) / int(made.roots.sum())
            if price < least * (1 - 1e-9):
                best, least = made, price
        out += [best] if best is not None else []
    if not out:
        raise ArgumentError(f"no trees of {network.spec} fit into periods up to {_PERIODS[-1]}")
    return out


@dataclass(frozen=True)
class Hops:
    """Hops of all trees of one way, outward: each a path that leaves a node after one before it.

    Attributes:
        trees: How many trees.
        tree (int64[hops]): Every tree has as many hops as the network nodes, but one.
        depth (int64[hops]): Hops from the root to where it leads.
        before (int64[hops]): The hop that leads to where it begins; -1: that is the root.
        paths: Its channels.
    """

    trees: int
    tree: IntArray
    depth: IntArray
    before: IntArray
    paths: list[tuple[int, ...]]


def _packed(network: Network, logical: Logical, roots: IntArray) -> Hops:
    """Shallow trees of all roots in this room, by their roots."""
    from hopscape.collectives.forest_kernels import shorten_trees

    nodes, tops, arcs = network.order, np.flatnonzero(roots), logical.arcs
    graph = Arcs(nodes, arcs.tails, arcs.heads, arcs.capacity).with_top(tops)
    graph.capacity[-len(tops) :] = roots[tops]
    bundle = pack_rooted(graph, nodes, int(roots.sum()), network.spec)
    arc = np.repeat(bundle.arc, bundle.copies, axis=0)
    free = graph.capacity - np.bincount(arc[arc >= 0], minlength=len(graph.capacity))
    by_head = np.argsort(graph.heads, kind="stable")
    first = np.concatenate([[0], np.cumsum(np.bincount(graph.heads, minlength=graph.nodes))])
    start = np.full(len(arc), nodes, dtype=np.int64)
    depth = shorten_trees(graph.tails, first, by_head, arc, free, start, _PASSES)[:, :nodes] - 1
    hung = arc[:, :nodes] < len(arcs.tails)
    root = (~hung).argmax(axis=1)
    order = np.lexsort((depth.max(axis=1), root))
    arc, depth, hung = arc[order, :nodes], depth[order], hung[order]
    number = np.where(hung, np.cumsum(hung).reshape(hung.shape) - 1, -1)
    tree, node = np.nonzero(hung)
    taken = arc[tree, node]
    return Hops(
        len(arc),
        tree.astype(np.int64),
        depth[tree, node],
        number[tree, arcs.tails[taken]],
        [logical.paths[a] for a in taken.tolist()],
    )


@dataclass(frozen=True)
class Timing:
    """Rounds of the hops for the first chunks; the same again with the next, a period later.

    Attributes:
        rounds: Rounds of a period.
        when (int64[hops]): Of the hops up, then of those down.
        busy, added: What the busiest channels of all rounds of a period carry, and the busiest
            nodes add up.
        longest: Hops of the longest paths of all rounds of a period.
    """

    rounds: int
    when: IntArray
    busy: float
    added: int
    longest: int

    @property
    def fill(self) -> float:
        """Periods until the first chunks are through, beyond one."""
        return (int(self.when.max()) + 1 - self.rounds) / self.rounds


class _Calendar:
    """What channels carry and nodes add up in the rounds of a period."""

    def __init__(self, network: Network, whole: _Whole, rounds: int, adding: float) -> None:
        self.network, self.rounds, self.adding = network, rounds, adding
        self.room, self.wait = network.room(), whole.busy / rounds / _WAVES
        self.load = np.zeros((rounds, len(self.room)))
        self.adds = np.zeros((rounds, network.order), dtype=np.int64)
        self.peak = np.full(rounds, whole.busy / rounds)
        self.most = np.full(rounds, max(whole.added // rounds, 1))
        ends = network.tails, network.heads
        self.limits = [np.bincount(at, self.room, network.order) for at in ends]
        self.met = np.zeros((2, rounds, network.order), dtype=np.int64)
        self.messages: list[set[tuple[int, ...]]] = [set() for _ in range(rounds)]

    def take(self, path: tuple[int, ...], ready: int, adds: bool) -> int | None:
        """The round, from this one on, in which one more on this path costs least."""
        source = int(self.network.tails[path[0]])
        target = int(self.network.heads[path[-1]])
        at = list(path)
        best, least = -1, np.inf
        for when in range(ready, ready + self.rounds):
            r = when % self.rounds
            sent, got = self.met[0, r, source], self.met[1, r, target]
            full = sent >= self.limits[0][source] or got >= self.limits[1][target]
            if full and path not in self.messages[r]:
                continue
            busy = float(((self.load[r, at] + 1) / self.room[at]).max()) - self.peak[r]
            more = self.adds[r, target] + adds - self.most[r]
            late = self.wait * (when - ready)
            if late >= least:
                break
            price = max(busy, 0.0) + self.adding * max(more, 0) + late
            if price < least - 1e-9:
                best, least = when, price
        if best < 0:
            return None
        r = best % self.rounds
        if path not in self.messages[r]:
            self.messages[r].add(path)
            self.met[0, r, source] += 1
            self.met[1, r, target] += 1
        self.load[r, at] += 1
        self.adds[r, target] += adds
        self.peak[r] = max(self.peak[r], float((self.load[r, at] / self.room[at]).max()))
        self.most[r] = max(self.most[r], self.adds[r, target])
        return best

    def timing(self, when: IntArray) -> Timing:
        """What all that was taken costs."""
        busy = float((self.load / self.room).max(axis=1).sum())
        longest = sum(max((len(path) for path in made), default=0) for made in self.messages)
        return Timing(self.rounds, when, busy, int(self.adds.max(axis=1).sum()), longest)


def _timed(
    network: Network, up: Hops, down: Hops, period: tuple[_Whole, int, float], seed: int
) -> Timing | None:
    """Rounds for all hops: sums from the deepest on, then results; None: too many messages."""
    calendar = _Calendar(network, *period)
    noise = np.random.default_rng(seed).permutation(len(up.tree))
    rises = np.zeros(len(up.tree), dtype=np.int64)
    ready = np.zeros(len(up.tree), dtype=np.int64)
    done = np.zeros(up.trees, dtype=np.int64)
    for h in np.lexsort((noise, -up.depth)).tolist():
        path = tuple(network.reverse[list(up.paths[h][::-1])].tolist())
        when = calendar.take(path, int(ready[h]), True)
        if when is None:
            return None
        rises[h] = when
        if up.before[h] >= 0:
            ready[up.before[h]] = max(ready[up.before[h]], when + 1)
        else:
            done[up.tree[h]] = max(done[up.tree[h]], when + 1)
    falls = np.zeros(len(down.tree), dtype=np.int64)
    for h in np.lexsort((noise, down.depth)).tolist():
        early = falls[down.before[h]] + 1 if down.before[h] >= 0 else done[down.tree[h]]
        when = calendar.take(down.paths[h], int(early), False)
        if when is None:
            return None
        falls[h] = when
    return calendar.timing(np.concatenate([rises, falls]))


class Passing(NamedTuple):
    """The trees of a period, and all timings of it that were found.

    Attributes:
        tree (int64[hops]): Of the hops up, then of those down.
        start, channel: Hop h takes ``channel[start[h]:start[h + 1]]``.
    """

    trees: int
    tree: IntArray
    start: IntArray
    channel: IntArray
    timings: tuple[Timing, ...]

    def prices(
        self, model: Model, waves: int | None = None
    ) -> Iterator[tuple[float, float, Timing]]:
        """Times with so many periods (None: as many as are best), these, and the timing.

        Costs are those of one chunk, or without periods of as much as all chunks of one are.
        """
        for timing in self.timings:
            each = model.alpha * timing.rounds + model.delta * timing.longest
            moved = model.beta * timing.busy + model.gamma * timing.added
            if waves is None:
                moved /= self.trees
                many = max(sqrt(timing.fill * moved / each), 1.0) if each else 1e9
                yield (many + timing.fill) * (each + moved / many), many, timing
            else:
                yield (waves + timing.fill) * (each + moved), waves, timing


def passing_trees(network: Network, adding: float) -> tuple[Passing, ...]:
    """The trees of a network and their rounds, for some lengths of a period.

    Args:
        adding: What it costs to add up a chunk, in costs of carrying it on a channel of room 1.

    Examples:
        >>> import hopscape
        >>> made = passing_trees(hopscape.build("path(4)"), 0.5)[0]
        >>> made.trees, [(one.rounds, one.busy, one.added) for one in made.timings]
        (1, [(1, 1.0, 1)])
    """
    return _passing_trees(network, adding, network.endpoints.tobytes())


@lru_cache(maxsize=8)
def _passing_trees(network: Network, adding: float, ends_as_bytes: bytes) -> tuple[Passing, ...]:
    if network.has_switches or not network.duplex or (network.tails == network.heads).any():
        raise ArgumentError("sums run past the nodes of networks without switches and loops")
    if network.order < 3 or not adding:
        raise ArgumentError("it gains nothing where adding up costs nothing, or for two nodes")
    if _variables(network) > _VARIABLES:
        raise TooLargeError(
            f"sharing out the channels of {network.spec} is for at most {_VARIABLES:,} flows times"
            " channels and nodes"
        )
    _check_worth(network, adding)
    made = [
        _passing(network, whole, adding)
        for central in (False, True)
        for whole in _best_wholes(network, passing_shares(network, adding, central), adding)
    ]
    if not any(one.timings for one in made):
        raise ArgumentError(f"nodes of {network.spec} would send too many messages in a round")
    return tuple(made)


def _check_worth(network: Network, adding: float) -> None:
    """Refuse networks where all channels and all nodes have as much to do without it."""
    nodes, room = network.order, network.room()
    least = 2 * (nodes - 1) / float(room.sum()) + adding * (nodes - 1) / nodes
    even = len(set(np.bincount(network.tails, room, nodes).tolist())) == 1
    plain = 2 * float(bottleneck(network).rounds) / nodes + adding * (nodes - 1) / nodes
    if even and plain < _WORTH * least:
        raise ArgumentError(
            f"on {network.spec} a reduce-scatter and an all-gather let as many chunks through"
        )


def _passing(network: Network, whole: _Whole, adding: float) -> Passing:
    """The trees of one period."""
    past = whole.begin, whole.end
    up = _packed(network, split_switches(network, whole.roots, whole.up, past), whole.roots)
    ends = network.tails.astype(np.int64), network.heads.astype(np.int64)
    plain = Arcs(network.order, *ends, whole.down)
    own = Logical(plain, [(c,) for c in range(len(network.heads))])
    down = _packed(network, own, whole.roots)
    timings = []
    for rounds in sorted({*_ROUNDS, ceil(whole.busy)}):
        check_time(f"rounds for the trees of {network.spec}")
        if rounds > ceil(whole.busy):
            break
        tight = rounds == ceil(whole.busy) > 1
        tries = min(_TRIES, _PROBES // (len(up.tree) * rounds)) if tight else 1
        for attempt in range(max(1, tries)):
            made = _timed(network, up, down, (whole, rounds, adding), attempt)
            timings += [made] if made is not None else []
    paths = [tuple(network.reverse[list(path[::-1])].tolist()) for path in up.paths] + down.paths
    start = np.concatenate([[0], np.cumsum([len(path) for path in paths])]).astype(np.int64)
    channel = np.asarray([c for path in paths for c in path], dtype=np.int64)
    tree = np.concatenate([up.tree, down.tree])
    return Passing(up.trees, tree, start, channel, tuple(timings))


def _variables(network: Network) -> int:
    """Variables of the linear program, but a few."""
    return 2 * network.order * (len(network.heads) + network.order)


@verified
def passing_schedule(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """Chunk c up and down tree c modulo their number, a period after the chunk before it.

    Examples:
        >>> import hopscape
        >>> rules = Model(switching="cut-through", packing="packed", beta=2.0, gamma=1.0)
        >>> made = passing_schedule(hopscape.build("mesh(3, 4)"), Goal.all_reduce(340), rules)
        >>> made.rounds, hopscape.verify(made).holds
        (58, True)
    """
    costs = replace(model, beta=model.beta / unit_of_room(network))
    _, timing, trees = min(
        (
            (price, timing, trees)
            for trees in passing_trees(network, cost_of_adding(network, model))
            for price, _, timing in trees.prices(costs, -(-goal.chunks // trees.trees))
        ),
        key=lambda one: one[0],
    )
    waves, hops = -(-goal.chunks // trees.trees), len(trees.tree)
    require_memory(200 * waves * len(trees.channel), f"{goal.chunks} chunks on {network.spec}")
    wave = np.repeat(np.arange(waves), hops)
    chunk = np.tile(trees.tree, waves) + trees.trees * wave
    keep = chunk < goal.chunks
    lengths = np.tile(np.diff(trees.start), waves)
    return Schedule.from_columns(
        network,
        model,
        goal,
        round=(np.tile(timing.when, waves) + timing.rounds * wave)[keep],
        channels=np.tile(trees.channel, waves)[np.repeat(keep, lengths)],
        path_start=np.concatenate([[0], np.cumsum(lengths[keep])]).astype(np.int64),
        chunk=chunk[keep],
        name="passing-forest",
    )


def _chunks(network: Network, goal: Goal, model: Model, size: float) -> list[int]:
    """Chunks for which time is least: long pipelines wait for rounds, short ones fill slowly."""
    try:
        trees = passing_trees(network, cost_of_adding(network, model))
    except (ArgumentError, TooLargeError):  # the algorithm says why
        return []
    costs = replace(model, beta=model.beta * size / unit_of_room(network), gamma=model.gamma * size)
    _, waves, best = min(
        ((price, many, one) for one in trees for price, many, _ in one.prices(costs)),
        key=lambda one: one[0],
    )
    most = min(_TRANSFERS / len(best.tree), size / best.trees)
    return [best.trees * two_digits(max(min(waves, most), 1.0))]


def _cost(network: Network, goal: Goal, model: Model) -> float:
    """Steps of the linear programs."""
    return 2e8 * (_variables(network) / _SECOND) ** 1.5


PASSING = Collective(
    "passing-forest",
    "all-reduce",
    "sums up packed spanning trees, past nodes that would add too much, and results down others",
    passing_schedule,
    Served(ports=(None,), duplex=("full",), switching=("cut-through",), packing=("packed",)),
    chunks=_chunks,
    cost=_cost,
)
