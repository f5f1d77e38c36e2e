"""Routes and lanes that change together: one destination's routes at a time, in annealing.

All routes to a goal are a tree of the routers. Both ways between two routers are in one layer, and
the turns of each layer agree with an order of the channels of its own, which is kept while turns
come and go: D. J. Pearce and P. H. J. Kelly, "A dynamic topological sort algorithm for directed
acyclic graphs", ACM Journal of Experimental Algorithmics 11, 2007.

A pair that fits into no layer may stand outside all of them for a while (`soft`), at a price.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from hopscape.core.annealing_kernels import allowance, geometric
from hopscape.core.arrays import Floats, IntArray
from hopscape.core.kernel import helper, kernel

__all__ = ["LaneState", "anneal_lanes", "settle"]

_HOT, _COLD = 0.01, 0.0005  # parts of the energy: what a move may cost at first and at last
_POWER = 8  # the energy is the sum of (load / mean)^8: the busiest channels are most of it
_FLOOR = 0.3  # price of an idle channel, beside (load / mean)^7, the slope of the energy
_WIGGLE = 0.5  # prices are drawn up to so much above what they are
_OUTSIDE = 10.0
_LATER = 3.0  # mean prices, times 3 at each try, for channels at the front of the order
_TRIES = 3


class LaneState(NamedTuple):
    """Routers (nodes but hosts on one line), the trees to all goals, and the layers of pairs."""

    indptr: IntArray
    """int64[routers + 1]: the channels of a router."""
    heads: IntArray
    tails: IntArray
    starts: IntArray
    """int64[routers + 1]: ``into[starts[v]:starts[v + 1]]`` are the channels into a router."""
    into: IntArray
    first: IntArray
    """int64[routers + 1]: the goals at a router, which are as many senders."""
    home: IntArray
    """int64[goals]: the router of each goal."""
    out: IntArray
    """int64[goals, routers]: the channel by which a router leaves for a goal; -1 at its home."""
    layer: IntArray
    """int64[routers, routers]: symmetric; the number of layers for pairs outside all of them."""
    uses: IntArray
    """int32[layers, channels, ports]: ways that turn from a channel into a port of its head."""
    place: IntArray
    """int64[layers, channels]: an order with which all turns of a layer agree."""
    load: IntArray
    """int64[channels]: pairs of endpoints that use it."""
    room: IntArray
    """int64[2, channels]: working memory."""
    marked: IntArray
    """uint8[channels]: working memory, 0."""
    held: int
    """The router whose pairs stay where they are, or -1."""


@kernel
def settle(lanes: LaneState, seed: int) -> int:
    """Put the pairs that are outside into the first layers that they fit into; how many do not.

    Pairs that are in a layer must fit into it (-1: they do not); counts and loads are 0 before.
    """
    np.random.seed(seed)  # noqa: NPY002 (numba's own generator)
    routers, layers = len(lanes.indptr) - 1, len(lanes.uses)
    for goal in range(len(lanes.home)):
        _shift(lanes, goal, 1)
        for at in range(routers):
            k = lanes.layer[at, lanes.home[goal]]
            if at != lanes.home[goal] and k < layers and not _add_way(lanes, k, goal, at):
                return -1
    for to in range(routers):
        if lanes.held >= 0:
            _settle_pair(lanes, lanes.held, to)
    left = 0
    for at in np.random.permutation(routers):  # noqa: NPY002
        for to in np.random.permutation(routers):  # noqa: NPY002
            if to < at:
                left += not _settle_pair(lanes, at, to)
    return left


@helper
def _settle_pair(lanes: LaneState, at: int, to: int) -> bool:
    """Put a pair into the first layer that it fits into, if it is in none and sends."""
    layers = len(lanes.uses)
    if at == to or lanes.layer[at, to] < layers or not _both_send(lanes, at, to):
        return True
    for k in range(1 if lanes.held in (at, to) else layers):
        if _put_pair(lanes, k, lanes.first[to], at, True):
            _name(lanes, at, to, k)
            return True
    return False


@helper
def _both_send(lanes: LaneState, at: int, to: int) -> bool:
    first = lanes.first
    return first[at] < first[at + 1] and first[to] < first[to + 1]


@helper
def _name(lanes: LaneState, at: int, to: int, layer: int) -> None:
    lanes.layer[at, to] = layer
    lanes.layer[to, at] = layer


@helper
def _shift(lanes: LaneState, goal: int, sign: int) -> None:
    """Add the ways of all senders to a goal to the loads, or take them off."""
    out, home = lanes.out[goal], lanes.home[goal]
    for sender in range(len(lanes.indptr) - 1):
        at, many = sender, sign * (lanes.first[sender + 1] - lanes.first[sender])
        while at != home and many:
            lanes.load[out[at]] += many
            at = lanes.heads[out[at]]


# -- turns of a layer ---------------------------------------------------------------------------


@helper
def _add_turn(lanes: LaneState, k: int, channel: int, then: int) -> bool:
    """Count a turn; False, and nothing changes, where it would close a cycle."""
    count, place = lanes.uses[k], lanes.place[k]
    port = then - lanes.indptr[lanes.heads[channel]]
    if not count[channel, port] and place[channel] >= place[then]:
        later = _behind(lanes, k, then, channel)
        if not len(later):
            return False
        _reorder(place, _before(lanes, k, channel, place[then]), later)
    count[channel, port] += 1
    return True


@helper
def _behind(lanes: LaneState, k: int, start: int, end: int) -> IntArray:
    """What a channel leads to up to the place of another; nothing if it leads to that one."""
    count, place, found, marked = lanes.uses[k], lanes.place[k], lanes.room[0], lanes.marked
    found[0], size, i, closed = start, 1, 0, False
    while i < size and not closed:
        base = lanes.indptr[lanes.heads[found[i]]]
        for port in range(lanes.indptr[lanes.heads[found[i]] + 1] - base):
            then = base + port
            if count[found[i], port] and place[then] <= place[end] and not marked[then]:
                closed |= then == end
                marked[then] = 1
                found[size] = then
                size += 1
        i += 1
    marked[found[:size]] = 0
    return found[: 0 if closed else size]


@helper
def _before(lanes: LaneState, k: int, start: int, low: int) -> IntArray:
    """What leads to a channel from behind a place."""
    count, place, found, marked = lanes.uses[k], lanes.place[k], lanes.room[1], lanes.marked
    found[0], size, i = start, 1, 0
    while i < size:
        at = lanes.tails[found[i]]
        for j in range(lanes.starts[at], lanes.starts[at + 1]):
            c = lanes.into[j]
            used = count[c, found[i] - lanes.indptr[at]]
            if used and place[c] > low and not marked[c]:
                marked[c] = 1
                found[size] = c
                size += 1
        i += 1
    marked[found[:size]] = 0
    return found[:size]


@helper
def _reorder(place: IntArray, sooner: IntArray, later: IntArray) -> None:
    """Put some channels before others, in the places that both have."""
    both = np.concatenate((sooner[np.argsort(place[sooner])], later[np.argsort(place[later])]))
    place[both] = np.sort(place[both])


@helper
def _drop_way(lanes: LaneState, k: int, goal: int, at: int, turns: int) -> None:
    """Take the first turns of a way out of a layer, at most all."""
    out, home = lanes.out[goal], lanes.home[goal]
    channel = out[at]
    while lanes.heads[channel] != home and turns:
        node = lanes.heads[channel]
        lanes.uses[k, channel, out[node] - lanes.indptr[node]] -= 1
        channel = out[node]
        turns -= 1


@helper
def _add_way(lanes: LaneState, k: int, goal: int, at: int) -> bool:
    """Put a way into a layer; False, and nothing is in it, where it closes a cycle."""
    out, home = lanes.out[goal], lanes.home[goal]
    channel, turns = out[at], 0
    while lanes.heads[channel] != home:
        then = out[lanes.heads[channel]]
        if not _add_turn(lanes, k, channel, then):
            _drop_way(lanes, k, goal, at, turns)
            return False
        channel = then
        turns += 1
    return True


# -- pairs of routers ---------------------------------------------------------------------------


@helper
def _way(lanes: LaneState, goal: int, at: int, i: int) -> tuple[int, int]:
    """The i-th way between `at` and the home of a goal: its goal, and where it begins."""
    home = lanes.home[goal]
    there = lanes.first[home + 1] - lanes.first[home]
    if i < there:
        return lanes.first[home] + i, at
    return lanes.first[at] + i - there, home


@helper
def _ways(lanes: LaneState, goal: int, at: int) -> int:
    first, home = lanes.first, lanes.home[goal]
    return first[home + 1] - first[home] + first[at + 1] - first[at]


@helper
def _put_pair(lanes: LaneState, k: int, goal: int, at: int, own: bool) -> bool:
    """Put all ways between `at` and the home of a goal into a layer, or none.

    Args:
        own: The way from `at` to the goal, too.
    """
    for i in range(_ways(lanes, goal, at)):
        to, start = _way(lanes, goal, at, i)
        if (own or to != goal) and not _add_way(lanes, k, to, start):
            _drop_pair(lanes, k, goal, at, own, i)
            return False
    return True


@helper
def _drop_pair(lanes: LaneState, k: int, goal: int, at: int, own: bool, count: int) -> None:
    """Take the first so many of the ways of a pair out of a layer."""
    for i in range(count):
        to, start = _way(lanes, goal, at, i)
        if own or to != goal:
            _drop_way(lanes, k, to, start, len(lanes.home) + len(lanes.indptr))


@helper
def _fits(lanes: LaneState, goal: int, at: int) -> bool:
    """Put a new way into the layer of its pair, or the pair with it into another one."""
    home, layers = lanes.home[goal], len(lanes.uses)
    now = lanes.layer[at, home]
    if layers > 1 and lanes.first[at] == lanes.first[at + 1]:
        return True  # nobody sends from here
    if now < layers and _add_way(lanes, now, goal, at):
        return True
    for k in range(1 if lanes.held in (at, home) else layers):
        if k != now and _put_pair(lanes, k, goal, at, True):
            _leave(lanes, goal, at)
            _name(lanes, at, home, k)
            return True
    return False


@helper
def _leave(lanes: LaneState, goal: int, at: int) -> None:
    """Take a pair, but for the way to the goal, out of its layer."""
    k = lanes.layer[at, lanes.home[goal]]
    if k < len(lanes.uses):
        _drop_pair(lanes, k, goal, at, False, _ways(lanes, goal, at))


# -- trees --------------------------------------------------------------------------------------


@helper
def _forget(lanes: LaneState, goal: int) -> None:
    """Take the ways to a goal out of their layers."""
    home = lanes.home[goal]
    for at in range(len(lanes.indptr) - 1):
        k = lanes.layer[at, home]
        if lanes.out[goal, at] >= 0 and k < len(lanes.uses):
            _drop_way(lanes, k, goal, at, len(lanes.indptr))
    lanes.out[goal] = -1


@helper
def _draw(price: float) -> float:
    return price * (1 + _WIGGLE * np.random.random())  # noqa: NPY002


@helper
def _grow(lanes: LaneState, goal: int, price: Floats, soft: bool) -> bool:
    """Grow the tree of a goal backwards, the cheapest channel that fits next; False if it cannot.

    With `soft`, pairs that fit nowhere leave all layers when nothing else is left.
    """
    out, home = lanes.out[goal], lanes.home[goal]
    heap = [(0.0, np.int64(-1))]
    kept = [(0.0, np.int64(-1))]
    heap.clear()
    kept.clear()
    left, at, cost = len(lanes.indptr) - 2, home, 0.0
    while True:
        for i in range(lanes.starts[at], lanes.starts[at + 1]):
            c = lanes.into[i]
            if lanes.tails[c] != home and out[lanes.tails[c]] < 0:
                heapq.heappush(heap, (cost + _draw(price[c]), c))
        fits = False
        while left and not fits and (len(heap) or (soft and len(kept))):
            again = not len(heap)
            cost, c = heapq.heappop(kept) if again else heapq.heappop(heap)
            at = lanes.tails[c]
            if out[at] >= 0:
                continue
            out[at] = c
            fits = again or _fits(lanes, goal, at)
            if again:
                _leave(lanes, goal, at)
                _name(lanes, at, home, len(lanes.uses))
            elif not fits:
                out[at] = -1
                heapq.heappush(kept, (cost, c))
        if not fits:
            return left == 0
        left -= 1


@helper
def _grown(lanes: LaneState, goal: int, scale: float, soft: bool) -> bool:
    """A new tree by the loads; on one lane with less and less regard for them if it gets stuck."""
    price = _FLOOR + (lanes.load / scale) ** (_POWER - 1)
    if _grow(lanes, goal, price, soft):
        return True
    late = 1 - lanes.place[0] / len(lanes.load)
    step = _LATER * price.mean()
    for _ in range(_TRIES):
        _forget(lanes, goal)
        if _grow(lanes, goal, price + step * late, soft):
            return True
        step *= 3
    return False


@helper
def _undo(lanes: LaneState, goal: int, out: IntArray, layer: IntArray) -> None:
    """Back to an older tree and the layers of its pairs, which fit as they did."""
    home, layers = lanes.home[goal], len(lanes.uses)
    _forget(lanes, goal)
    moved = np.flatnonzero(lanes.layer[home] != layer)
    for at in moved:
        _leave(lanes, goal, at)
        _name(lanes, at, home, layer[at])
    for at in moved:
        if layer[at] < layers:
            _put_pair(lanes, layer[at], goal, at, False)
    lanes.out[goal] = out
    for start in range(len(layer)):
        if start != home and layer[start] < layers:
            _add_way(lanes, layer[start], goal, start)


@helper
def _outside(lanes: LaneState, to: int) -> int:
    """Pairs of a router that are in no layer though they send."""
    found = 0
    for at in range(len(lanes.indptr) - 1):
        if at != to and lanes.layer[at, to] == len(lanes.uses):
            found += _both_send(lanes, at, to)
    return found


@helper
def _chosen(lanes: LaneState, left: int) -> int:
    """A goal by lot; every other time one with pairs outside, as long as there are any."""
    goals = len(lanes.home)
    goal = np.random.randint(goals)  # noqa: NPY002
    if left and np.random.random() < 0.5:  # noqa: NPY002
        while not _outside(lanes, lanes.home[goal]):
            goal = (goal + 1) % goals
    return goal


@kernel
def anneal_lanes(
    lanes: LaneState, moves: int, seed: int, soft: bool, out: IntArray, layer: IntArray
) -> int:
    """Lay the routes to one goal after the other anew; the least load of the busiest channel.

    Args:
        out, layer: Get the trees and layers with that load; they stay as they are, and the answer
            is -1, where some pair is outside all layers to the end.
    """
    np.random.seed(seed)  # noqa: NPY002 (numba's own generator)
    scale, best, least, left = max(1.0, lanes.load.mean()), -1, 0, 0
    for to in range(len(lanes.indptr) - 1):
        left += _outside(lanes, to)
    left //= 2
    now = ((lanes.load / scale) ** _POWER).sum()
    for heat in geometric(_HOT, _COLD, moves):
        busiest, used = int(lanes.load.max()), int(lanes.load.sum())
        if not left and (best < 0 or busiest < best or (busiest == best and used < least)):
            best, least = busiest, used
            out[:] = lanes.out
            layer[:] = lanes.layer
        goal = _chosen(lanes, left)
        home = lanes.home[goal]
        old_out, old_layer = lanes.out[goal].copy(), lanes.layer[home].copy()
        before = _outside(lanes, home)
        _shift(lanes, goal, -1)
        _forget(lanes, goal)
        good = _grown(lanes, goal, scale, soft)
        if good:
            _shift(lanes, goal, 1)
            after = _outside(lanes, home)
            energy = ((lanes.load / scale) ** _POWER).sum()
            worse = energy / now - 1 + _OUTSIDE * _HOT * (after - before)
            good = worse <= allowance(heat, np.random.random())  # noqa: NPY002
            if good:
                now, left = energy, left + after - before
            else:
                _shift(lanes, goal, -1)
        if not good:
            _undo(lanes, goal, old_out, old_layer)
            _shift(lanes, goal, 1)
    return best
