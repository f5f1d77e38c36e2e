"""All-gather and total exchange planned for one node of each orbit under a group of symmetries.

Up to 3,000 nodes (:data:`~hopscape.collectives.symmetric.WRITTEN`) by matchings round by round and
by shortest paths that load all kinds of channels alike, written out; beyond, by trees of one node
per orbit whose images are not written out.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hopscape.collectives.bounds import lower_bounds
from hopscape.collectives.checked import verified
from hopscape.collectives.plan import hop_rounds
from hopscape.collectives.symmetric import Carried, OrbitPlan, Orbits, View, is_written
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows, unreached
from hopscape.core.errors import ArgumentError, DisconnectedError, TooLargeError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.progress import check_time, paced
from hopscape.core.schedule import Schedule

__all__ = [
    "breadth_first_plan",
    "exchange_by_orbit",
    "exchange_under",
    "gather_by_orbit",
    "gather_under",
    "symmetric_all_gather",
    "symmetric_all_reduce",
    "symmetric_all_to_all",
]

_SEEDS = 12
"""Matchings are drawn from so many seeds until a lower bound is met."""
_WORK = 2_000_000_000
"""Comparisons of all seeds together, 14 s; one seed is always tried."""
_STEPS = 0.7
"""Steps of a comparison, 7 ns."""
_MOST_WORK = 80_000_000_000
"""Comparisons beyond which nothing is begun: ten minutes."""


def _all_port(model: Model) -> Model:
    if model.ports is not None or model.switching == "circuit":
        raise ArgumentError(
            f"algorithm 'bandwidth' needs all ports and store-and-forward, not {model.describe()}"
        )
    return model


def _finished(
    network: Network,
    goal: Goal,
    rules: Model,
    columns: tuple[IntArray, IntArray, IntArray],
    name: str,
) -> Schedule:
    """The schedule; in half duplex each round is split in two, one for each direction."""
    rounds, channels, chunks = columns
    if rules.duplex == "half" and len(rounds):
        down = network.tails[channels] > network.heads[channels]
        _, rounds = np.unique(2 * rounds + down, return_inverse=True)
    return Schedule.from_columns(
        network, rules, goal, round=rounds, channels=channels, chunk=chunks, name=name
    )


# -- all-gather --------------------------------------------------------------------------------


@verified
def symmetric_all_gather(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """All-gather with unit messages: in every round a new datum by every channel, if there is one.

    One node of each orbit takes from its neighbours, matched so that as many channels as possible
    bring something new, what few of them have; seeds are tried until a lower bound is met. Half
    duplex serves the two directions in turn.

    Time is as :func:`matching_cost` says, about rounds times nodes times the nodes within two hops
    for every orbit and seed; memory 60 bytes per pair of nodes.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("folded(petersen, 2)")
        >>> made = symmetric_all_gather(net, Goal.all_gather())
        >>> made.rounds, hopscape.verify(made).holds
        (17, True)
    """
    return gather_under(Orbits(network), goal, _all_port(model), "bandwidth")


@verified
def gather_under(view: View, goal: Goal, rules: Model, name: str) -> Schedule:
    """An all-gather under a group: matched round by round where it is written out."""
    network = view.network
    if not isinstance(view, Orbits) or not is_written(network):
        return Carried(gather_by_orbit(view), Goal.all_gather(), rules, name)
    require_memory(60 * network.order**2, f"all-gather among {network.order} nodes")
    record, sources = _gather_record(view)
    step, orbit, lane = np.nonzero(record >= 0)
    channels = sources[orbit, lane]
    columns = view.spread(step, channels, record[step, orbit, lane], None)
    return _finished(network, goal, rules, columns, name)


def _gather_record(orbits: Orbits) -> tuple[IntArray, IntArray]:
    """What the lowest node of each orbit takes in every step, and its channels in."""
    from hopscape.collectives.symmetric_kernels import symmetric_gather

    network = orbits.network
    bounds = lower_bounds(network, Goal.all_gather(), Model())
    bound = max((b.rounds for b in bounds), default=0)
    hoods = _neighbourhoods(orbits)
    most = network.order * (network.order > 1)
    work = bound * hoods.moved.size * 2
    _check_effort(network, work)
    best = None
    for seed in range(max(1, min(_SEEDS, _WORK // max(work, 1)))):
        weight = hoods.weight if seed % 2 == 0 else hoods.weight * (hoods.weight == 1)
        used, record = symmetric_gather(
            hoods.source, hoods.lanes, hoods.moved, orbits.own, hoods.near, weight, most, seed
        )
        if used <= most:
            best, most = record[:used], used - 1
        if used <= bound:
            break
    if best is None:
        raise DisconnectedError(f"{network.spec} has nodes that cannot reach each other")
    return best, hoods.channels


def _check_effort(network: Network, work: int) -> None:
    """Say before it is begun when matching would take very long."""
    if work > _MOST_WORK:
        raise TooLargeError(
            f"matching the channels of {network.spec} round by round would take about"
            f" {work:,} comparisons; beyond {_MOST_WORK:,} it is not begun"
        )


def matching_cost(network: Network, goal: Goal, model: Model) -> float:
    """Steps of the matchings of an all-gather, about, from the sizes of the network alone.

    A round compares what the nodes within two hops of one node of each orbit have.
    """
    if goal.kind == "all-to-all" or not is_written(network) or network.symmetry is None:
        return 0.0
    order, ports = network.order, max(1, network.ports)
    within = min(order, ports + ports * (ports - 1))
    work = 2.0 * order / ports * len(network.symmetry.representatives) * within * order
    return _STEPS * max(work, min(_SEEDS * work, _WORK))


@dataclass(frozen=True)
class _Hoods:
    """The nodes within two hops of each representative, as the kernel wants them."""

    channels: IntArray
    lanes: IntArray
    near: IntArray
    source: IntArray
    moved: IntArray
    weight: IntArray


def _neighbourhoods(orbits: Orbits) -> _Hoods:
    network, count = orbits.network, len(orbits.own)
    _, starts, into = network.incoming()
    inward = [into[starts[v] : starts[v + 1]] for v in orbits.own.tolist()]
    first = [network.tails[w].astype(np.int64) for w in inward]
    beyond = [np.concatenate([into[starts[u] : starts[u + 1]] for u in f] or [f]) for f in first]
    second = [
        np.setdiff1d(network.tails[w], [*f, v])
        for w, f, v in zip(beyond, first, orbits.own, strict=True)
    ]
    near = np.asarray([len(f) + len(s) for f, s in zip(first, second, strict=True)])
    widest = int(near.max(initial=0))
    require_memory(8 * count * widest * network.order, f"all-gather on {network.spec}")
    lanes = np.asarray([len(f) for f in first])
    channels = np.zeros((count, int(lanes.max(initial=0))), dtype=np.int64)
    source = np.zeros((count, widest), dtype=np.int64)
    weight = np.zeros((count, widest))
    moved = np.zeros((count, widest, network.order), dtype=np.int32)
    for r, (f, s) in enumerate(zip(first, second, strict=True)):
        channels[r, : len(f)] = inward[r]
        nodes = np.concatenate([f, s])
        source[r, : len(nodes)] = orbits.orbit[nodes]
        moved[r, : len(nodes)] = orbits.inverse[orbits.move[nodes]]
        weight[r, : len(nodes)] = np.where(np.arange(len(nodes)) < len(f), 1.0, 0.5)
    return _Hoods(channels, lanes, near, source, moved, weight)


@verified
def symmetric_all_reduce(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """A chunk per node: the symmetric all-gather backwards (reduce-scatter), then forwards."""
    if goal.chunks != network.order:
        raise ArgumentError(
            f"algorithm 'bandwidth' needs data in {network.order} chunks, one per node (--sliced), "
            f"not {goal.chunks}"
        )
    gathered = symmetric_all_gather(network, Goal.all_gather(), model)
    return gathered.reversed(goal).then(gathered, goal, name="bandwidth")


# -- total exchange ----------------------------------------------------------------------------


@verified
def symmetric_all_to_all(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """Total exchange along shortest paths that load all kinds of channels evenly.

    Time and memory grow with nodes squared (distances) and with the hops of the packets of one node
    per orbit, before they are written out for all.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("expanded(petersen, 1)")
        >>> made = symmetric_all_to_all(net, Goal.all_to_all())
        >>> made.rounds < 510, hopscape.verify(made).holds  # the bound is 500
        (True, True)
    """
    return exchange_under(Orbits(network), goal, _all_port(model), "bandwidth")


@verified
def exchange_under(view: View, goal: Goal, rules: Model, name: str) -> Schedule:
    """A total exchange under a group: evenly loaded paths where it is written out."""
    if not isinstance(view, Orbits) or not is_written(view.network):
        return Carried(exchange_by_orbit(view), Goal.all_to_all(), rules, name)
    rounds, channels, origins, targets = exchange_plan(view)
    columns = view.spread(rounds, channels, origins, targets)
    return _finished(view.network, goal, rules, columns, name)


def exchange_plan(orbits: Orbits) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Round, channel, origin and target of every hop of the packets of one node per orbit."""
    from hopscape.collectives.greedy_kernels import Rules, route_packets
    from hopscape.collectives.symmetric_kernels import even_paths

    network = orbits.network
    order = network.order
    require_memory(order * order, f"the distances of {network.spec}")
    hops = distance_rows(network, np.arange(order), towards=True)
    if unreached(hops).any():
        raise DisconnectedError(f"{network.spec} has nodes that cannot reach each other")
    source, target = np.repeat(orbits.own, order), np.tile(np.arange(order), len(orbits.own))
    apart = source != target
    source, target = source[apart], target[apart]
    start = np.concatenate([[0], np.cumsum(hops[target, source].astype(np.int64))])
    require_memory(40 * int(start[-1]), f"all-to-all on {network.spec}")
    load = np.zeros(int(orbits.kinds.max(initial=0)) + 1, dtype=np.int64)
    best: tuple[IntArray, IntArray, IntArray] | None = None
    for seed in range(3):
        channels = even_paths(
            network.indptr,
            network.heads,
            orbits.kinds,
            hops,
            source,
            target,
            start,
            load,
            3,
            8,
            seed,
        )
        nobody = np.zeros(len(load), dtype=np.int32)
        rules = Rules(nobody, nobody, nobody, order, 0, False, False)
        rounds, _, packet = route_packets(start, orbits.kinds[channels], rules)
        hop = np.argsort(np.argsort(packet, kind="stable"))  # a packet's entries are its hops
        if best is None or rounds[-1] < best[0][-1]:
            best = rounds, channels[hop], packet
        if not len(rounds) or rounds[-1] + 1 <= int(load.max()):
            break
    rounds, channels, packet = best if best is not None else (load[:0],) * 3
    return rounds, channels, source[packet], target[packet]


_MOST_HOPS, _MOST_TIMED = 20_000_000, 3_000_000
"""Hops of an all-gather, and of an all-to-all, beyond which no plan is made."""
_ONE_BY_ONE = 50_000
"""Pairs (own node, node) whose words are chosen one by one, in Python; more inwards, by kernel."""
_TRIES = 2
"""Orders in which hops get their rounds: few, as plans of large networks are long."""


@dataclass(frozen=True)
class _Level:
    """Pairs (own node, node) at one distance, and the channels that may bring the chunk there."""

    row: IntArray
    node: IntArray
    pair: IntArray
    channel: IntArray


class _Layers:
    """The nodes at each distance from the own nodes of a view."""

    def __init__(self, view: View) -> None:
        self.view, self.network = view, view.network
        order = self.network.order
        _check_hops(view, len(view.own) * order, "a plan")
        require_memory(16 * len(view.own) * order, f"trees on {self.network.spec}")
        self.distance = distance_rows(self.network, view.own).astype(np.int64)
        if (self.distance >= order).any():
            raise DisconnectedError(f"{self.network.spec} has nodes that cannot reach each other")
        self.deep = int(self.distance.max(initial=0))
        _, self.start, self.into = self.network.incoming()

    def level(self, t: int) -> _Level:
        """The nodes at distance t."""
        row, node = np.nonzero(self.distance == t)
        count = self.start[node + 1] - self.start[node]
        pair = np.repeat(np.arange(len(node)), count)
        within = np.arange(len(pair)) - np.repeat(np.cumsum(count) - count, count)
        channel = self.into[self.start[node][pair] + within]
        closer = self.distance[row[pair], self.network.tails[channel]] == t - 1
        return _Level(row, node, pair[closer], channel[closer])


def _shared_out(level: _Level, kinds: IntArray, used: IntArray) -> IntArray:
    """A channel for every pair, such that no kind is used often, what it was used before counted.

    By flows through the kinds, the limit raised until all pairs are served.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    pairs, kind = len(level.node), kinds[level.channel]
    present = np.unique(kind)
    place = np.searchsorted(present, kind)
    top = len(present)
    tails = np.concatenate([np.zeros(top, int), 1 + place, 1 + top + np.arange(pairs)])
    end = 1 + top + pairs
    heads = np.concatenate([1 + np.arange(top), 1 + top + level.pair, np.full(pairs, end)])
    low = int(-(-(pairs + used[present].sum()) // top))
    limit = max(low, int(used[present].min()) + 1)
    while True:
        room = np.minimum(np.maximum(limit - used[present], 0), pairs)
        sizes = np.concatenate([room, np.ones(len(kind) + pairs, int)]).astype(np.int32)
        graph = csr_array((sizes, (tails, heads)), shape=(end + 1, end + 1))
        result = maximum_flow(graph, 0, end)
        if result.flow_value == pairs:
            break
        limit += max(1, -(-(pairs - int(result.flow_value)) // top))
    flow = result.flow.tocoo()
    taken = (flow.data > 0) & (flow.row >= 1) & (flow.row <= top) & (flow.col > top)
    pick = np.full(pairs, -1, dtype=np.int64)
    pick[flow.col[taken] - 1 - top] = flow.row[taken] - 1
    chosen = place == pick[level.pair]
    out = np.empty(pairs, dtype=np.int64)
    out[level.pair[chosen][::-1]] = level.channel[chosen][::-1]
    return out


def _trees(layers: _Layers, by_step: bool) -> tuple[IntArray, list[int]]:
    """The channel by which each chunk comes to each node, and the busiest kind of every step."""
    view = layers.view
    kinds = int(view.kinds.max(initial=-1)) + 1
    parent = np.full(layers.distance.shape, -1, dtype=np.int64)
    used = np.zeros(kinds, dtype=np.int64)
    steps = []
    for t in range(1, layers.deep + 1):
        check_time(f"trees on {layers.network.spec}")
        level = layers.level(t)
        chosen = _shared_out(level, view.kinds, 0 * used if by_step else used)
        parent[level.row, level.node] = chosen
        here = np.bincount(view.kinds[chosen], minlength=kinds)
        used += here
        steps.append(int(here.max()))
    return parent, steps


def gather_by_orbit(view: View) -> OrbitPlan:
    """All-gather with unit messages: breadth-first trees, all kinds of channels loaded alike.

    Time is one maximum flow through the kinds of channels for each distance, memory 16 bytes per
    node and orbit besides the plan.

    Examples:
        >>> import hopscape
        >>> from hopscape.collectives.symmetric import Orbits
        >>> plan = gather_by_orbit(Orbits(hopscape.build("torus(8, 8)")))
        >>> plan.rounds, plan.fault
        (16, '')
    """
    _check_hops(view, len(view.own) * view.network.order, "all-gather")
    if len(view.own) > 1:
        return _round_by_round(view)
    parent, _ = _trees(_Layers(view), by_step=False)
    row, node = np.nonzero(parent >= 0)
    channel = parent[row, node]
    number = np.full(parent.shape, -1, dtype=np.int64)
    number[row, node] = np.arange(len(node))
    before = number[row, view.network.tails[channel]]
    rounds = _timed(view, channel, before)
    return OrbitPlan(view, rounds, channel, view.own[row])


def _round_by_round(view: View, seed: int = 0) -> OrbitPlan:
    """In every round every kind of channel brings a chunk to a node that lacks it, if it can.

    For networks whose nodes are not all alike: trees of shortest paths would load some kinds of
    channels more than others.
    """
    from hopscape.collectives.symmetric_kernels import gather_rounds

    network = view.network
    by_kind = np.argsort(view.kinds, kind="stable").reshape(-1, view.members)
    came = np.zeros((len(view.own), network.order), dtype=np.int32)
    came[np.arange(len(view.own)), view.own] = 1
    made = np.zeros((came.size - len(view.own), 3), dtype=np.int64)
    state = np.asarray([0, 0, seed], dtype=np.int64)
    least = -(-len(made) // max(1, len(by_kind)))
    tails, heads = network.tails[by_kind], network.heads[by_kind]
    for part in paced(least, f"rounds on {network.spec}", 16):
        gather_rounds(tails, heads, came, made, state, part.stop)
    done = -1
    while done < state[1] < len(made):
        done = int(state[1])
        check_time(f"rounds on {network.spec}")
        gather_rounds(tails, heads, came, made, state, int(state[0]) + 16)
    if state[1] < len(made):
        raise DisconnectedError(f"{network.spec} has nodes that cannot reach each other")
    return OrbitPlan(
        view,
        made[:, 0],
        by_kind[made[:, 1], made[:, 2] % view.members],
        view.own[made[:, 2] // view.members],
    )


def breadth_first_plan(view: View) -> tuple[OrbitPlan, list[int]]:
    """All-gather in as many steps as the diameter, and the load of the busiest channel in each.

    As :func:`hopscape.collectives.breadth_first.breadth_first`, for one node per orbit: in the
    plan every step takes as many rounds as its busiest channel carries.
    """
    layers = _Layers(view)
    parent, steps = _trees(layers, by_step=True)
    row, node = np.nonzero(parent >= 0)
    channel, step = parent[row, node], layers.distance[row, node] - 1
    slot = step * (int(view.kinds.max(initial=0)) + 1) + view.kinds[channel]
    order = np.argsort(slot, kind="stable")
    ranked = slot[order]
    begins = np.searchsorted(ranked, ranked)
    turn = np.empty(len(slot), dtype=np.int64)
    turn[order] = np.arange(len(slot)) - begins
    starts = np.concatenate([[0], np.cumsum(steps)]).astype(np.int64)
    return OrbitPlan(view, starts[step] + turn, channel, view.own[row]), steps


def _check_hops(view: View, hops: int, what: str, most: int = _MOST_HOPS) -> None:
    """Refuse plans of very many hops."""
    if hops > most:
        raise TooLargeError(
            f"{what} on {view.network.spec} makes {hops:,} hops for one node of each orbit of its"
            f" known symmetries; plans are made for up to {most:,}"
        )


def _timed(view: View, channel: IntArray, before: IntArray) -> IntArray:
    room = np.ones(int(view.kinds.max(initial=-1)) + 1, dtype=np.int64)
    return hop_rounds(view.kinds[channel], before, room, _TRIES)


def exchange_by_orbit(view: View) -> OrbitPlan:
    """All-to-all along shortest paths that load all kinds of channels alike.

    Time is proportional to the hops of the packets of one node per orbit, memory 80 bytes for each.

    Examples:
        >>> import hopscape
        >>> from hopscape.collectives.symmetric import Orbits
        >>> plan = exchange_by_orbit(Orbits(hopscape.build("torus(6, 6)")))
        >>> plan.rounds, plan.fault  # the bound is 27
        (27, '')
    """
    layers = _Layers(view)
    hops = int(layers.distance.sum())
    _check_hops(view, hops, "all-to-all", _MOST_TIMED)
    require_memory(80 * hops, f"the all-to-all plan of {view.network.spec}")
    parent = _words(layers)
    row, node = np.nonzero(layers.distance > 0)
    length = layers.distance[row, node]
    start = np.concatenate([[0], np.cumsum(length)])
    channel = np.empty(hops, dtype=np.int64)
    here = node.copy()
    for back in range(1, layers.deep + 1):
        on = length >= back
        channels = parent[row[on], here[on]]
        channel[start[1:][on] - back] = channels
        here[on] = view.network.tails[channels]
    before = np.arange(hops) - 1
    before[start[:-1]] = -1
    rounds = _timed(view, channel, before)
    packet = np.repeat(np.arange(len(node)), length)
    return OrbitPlan(view, rounds, channel, view.own[row[packet]], node[packet])


def _words(layers: _Layers) -> IntArray:
    """Trees whose paths, one to every node, use all kinds of channels alike.

    A node takes the channel with the cheapest path, where a kind costs what it has been used.
    """
    view, tails = layers.view, layers.network.tails
    kinds = int(view.kinds.max(initial=-1)) + 1
    if layers.distance.size > _ONE_BY_ONE or layers.distance.size * kinds > 100 * _ONE_BY_ONE:
        return _words_inwards(layers)
    counts = np.zeros((*layers.distance.shape, kinds), dtype=np.int64)
    parent = np.full(layers.distance.shape, -1, dtype=np.int64)
    used = np.zeros(kinds)
    for t in range(1, layers.deep + 1):
        check_time(f"paths on {layers.network.spec}")
        level = layers.level(t)
        words = counts[level.row[level.pair], tails[level.channel]]
        kind = view.kinds[level.channel]
        ends = np.searchsorted(level.pair, np.arange(len(level.node) + 1)).tolist()
        for i, (low, high) in enumerate(pairwise(ends)):
            best = low
            if high - low > 1:
                best += int(np.argmin(words[low:high] @ used + used[kind[low:high]]))
            word = words[best]
            word[kind[best]] += 1
            used += word
            counts[level.row[i], level.node[i]] = word
            parent[level.row[i], level.node[i]] = level.channel[best]
    return parent


def _words_inwards(layers: _Layers) -> IntArray:
    """As :func:`_words`, quickly, for many nodes.

    From the farthest nodes inwards, every node comes in by the kind that is used least so far; a
    channel is used by the paths to all nodes behind it.
    """
    from hopscape.collectives.symmetric_kernels import least_used

    view, tails = layers.view, layers.network.tails
    parent = np.full(layers.distance.shape, -1, dtype=np.int64)
    behind = np.ones(layers.distance.shape, dtype=np.int64)
    used = np.zeros(int(view.kinds.max(initial=-1)) + 1, dtype=np.int64)
    for t in range(layers.deep, 0, -1):
        check_time(f"paths on {layers.network.spec}")
        level = layers.level(t)
        ends = np.searchsorted(level.pair, np.arange(len(level.node) + 1))
        weight = behind[level.row, level.node]
        order = np.argsort(-weight, kind="stable")
        pick = least_used(ends, view.kinds[level.channel], weight, order, used)
        chosen = level.channel[pick]
        parent[level.row, level.node] = chosen
        np.add.at(behind, (level.row, tails[chosen]), weight)
    return parent
