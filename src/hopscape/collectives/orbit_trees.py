"""Trees of one node per orbit that load all kinds of channels alike: plans for large networks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hopscape.collectives.carried import OrbitPlan, View
from hopscape.collectives.plan import hop_rounds
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows
from hopscape.core.errors import DisconnectedError, TooLargeError
from hopscape.core.processes import require_memory
from hopscape.core.progress import check_time, paced

__all__ = ["breadth_first_plan", "exchange_by_orbit", "gather_by_orbit"]

_MOST_HOPS = 20_000_000
_MOST_TIMED = 3_000_000
_ONE_BY_ONE = 50_000
_TRIES = 2


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
        near = self.distance[row[pair], self.network.tails[channel]] == t - 1
        return _Level(row, node, pair[near], channel[near])


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
        found = maximum_flow(graph, 0, end)
        if found.flow_value == pairs:
            break
        limit += max(1, -(-(pairs - int(found.flow_value)) // top))
    flow = found.flow.tocoo()
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

    Examples:
        >>> import hopscape
        >>> from hopscape.collectives.free_group import Orbits
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
    from hopscape.collectives.orbit_kernels import gather_rounds

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

    Examples:
        >>> import hopscape
        >>> from hopscape.collectives.free_group import Orbits
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
        ways = parent[row[on], here[on]]
        channel[start[1:][on] - back] = ways
        here[on] = view.network.tails[ways]
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
        ways = counts[level.row[level.pair], tails[level.channel]]
        kind = view.kinds[level.channel]
        ends = np.searchsorted(level.pair, np.arange(len(level.node) + 1)).tolist()
        for i, (low, high) in enumerate(pairwise(ends)):
            best = low
            if high - low > 1:
                best += int(np.argmin(ways[low:high] @ used + used[kind[low:high]]))
            word = ways[best]
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
    from hopscape.collectives.orbit_kernels import least_used

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
