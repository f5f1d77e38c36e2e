"""Placing the nodes of one network in another: annealing, and a search that can prove (numba).

The search goes back where a node has no place left, and places the node with least choice first
(R. M. Haralick and G. L. Elliott, "Increasing tree search efficiency for constraint satisfaction
problems", 1980).

Laying guest links over host links so that none is crowded: local search (numba).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.annealing_kernels import allowance, geometric
from hopscape.core.arrays import Floats, IntArray, Integer
from hopscape.core.kernel import helper, kernel

FOUND, NONE, STOPPED = 1, 0, -1

_HOT, _COLD = 2.0, 0.05
"""Temperatures, in hops: at first a move may be a few hops worse, at last hardly by one."""


@helper
def _cost(v, at, skip, indptr, heads, place, far, price):  # type: ignore[no-untyped-def]
    """What the links of guest node v cost when it stands at `at`."""
    total = 0
    for i in range(indptr[v], indptr[v + 1]):
        w = heads[i]
        if w in (v, skip):
            continue
        total += price[far[at, place[w]]]
    return total


@kernel
def anneal(
    indptr: IntArray,
    heads: IntArray,
    far: IntArray,
    place: IntArray,
    price: IntArray,
    moves: int,
    seed: int,
) -> int:
    """Improve `place` in place: the prices of all guest links, by length, are to be small.

    Moves swap what stands at two host nodes (one may be empty).

    Returns:
        int: What is left over (every link counted twice): 0 when every link is free of charge.
    """
    np.random.seed(seed)  # noqa: NPY002 (numba's own generator)
    guests, hosts = len(indptr) - 1, len(far)
    holder = np.full(hosts, -1, np.int64)
    for v in range(guests):
        holder[place[v]] = v
    total = 0
    for v in range(guests):
        total += _cost(v, place[v], -1, indptr, heads, place, far, price)
    for heat in geometric(_HOT, _COLD, moves):
        if total == 0:
            return 0
        v = np.random.randint(guests)  # noqa: NPY002 (numba's own generator)
        a = place[v]
        b = np.random.randint(hosts)  # noqa: NPY002 (numba's own generator)
        if a == b:
            continue
        w = holder[b]
        before = _cost(v, a, w, indptr, heads, place, far, price)
        after = _cost(v, b, w, indptr, heads, place, far, price)
        if w >= 0:
            before += _cost(w, b, v, indptr, heads, place, far, price)
            after += _cost(w, a, v, indptr, heads, place, far, price)
        change = after - before
        luck = np.random.random()  # noqa: NPY002 (numba's own generator)
        if change <= 0 or change <= allowance(heat, luck):
            place[v] = b
            holder[b] = v
            holder[a] = w
            if w >= 0:
                place[w] = a
            total += 2 * change
    return total


@helper
def _count(row):  # type: ignore[no-untyped-def]
    total = 0
    for w in range(len(row)):
        x = row[w]
        while x:
            x &= x - np.uint64(1)
            total += 1
    return total


@helper
def _next_host(row, after):  # type: ignore[no-untyped-def]
    """The first host of a bit set beyond `after`, or -1."""
    for h in range(after + 1, 64 * len(row)):
        word = row[h >> 6] >> np.uint64(h & 63)
        if word == np.uint64(0):
            continue
        if word & np.uint64(1):
            return h
    return -1


@helper
def _tightest(place, open_, indptr):  # type: ignore[no-untyped-def]
    """The guest not yet placed that has least choice; of several, the one with most links."""
    best, least, linked = -1, 1 << 30, -1
    for v in range(len(place)):
        if place[v] >= 0:
            continue
        size = _count(open_[v])
        degree = indptr[v + 1] - indptr[v]
        if size < least or (size == least and degree > linked):
            best, least, linked = v, size, degree
    return best


@kernel
def place_all(
    indptr: IntArray, heads: IntArray, near: IntArray, domains: IntArray, budget: int
) -> tuple[int, IntArray, int]:
    """Place every guest node so that linked ones are near, one to a host; the tightest node first.

    Args:
        near (uint64[hosts, words]): For each host the hosts that a linked node may stand at (not
            itself).
        domains (uint64[guests, words]): Where each guest may stand at first.
        budget: Give up after so many placements.

    Returns:
        status: {FOUND, NONE, STOPPED}
        place: int64[guests]
        used: int
    """
    guests, words = domains.shape
    place = np.full(guests, -1, np.int64)
    chosen = np.full(guests, -1, np.int64)
    tried = np.full(guests, -1, np.int64)
    open_ = np.zeros((guests + 1, guests, words), np.uint64)
    open_[0] = domains
    depth, used = 0, 0
    while depth >= 0:
        if depth == guests:
            return FOUND, place, used
        if chosen[depth] < 0:
            chosen[depth] = _tightest(place, open_[depth], indptr)
            tried[depth] = -1
        v = chosen[depth]
        place[v] = -1
        h = _next_host(open_[depth, v], tried[depth])
        if h < 0:
            chosen[depth] = -1
            depth -= 1
            continue
        tried[depth] = h
        used += 1
        if used > budget:
            return STOPPED, place, used
        place[v] = h
        open_[depth + 1] = open_[depth]
        alive = True
        gone = ~(np.uint64(1) << np.uint64(h & 63))
        for w in range(guests):
            if place[w] < 0:
                open_[depth + 1, w, h >> 6] &= gone
        for i in range(indptr[v], indptr[v + 1]):
            w = heads[i]
            if place[w] < 0:
                for x in range(words):
                    open_[depth + 1, w, x] &= near[h, x]
        for w in range(guests):
            if place[w] < 0 and _count(open_[depth + 1, w]) == 0:
                alive = False
                break
        if alive:
            depth += 1
            if depth < guests:
                chosen[depth] = -1
    return NONE, place, used


_LONGER = 2  # a path may be so many hops longer than the shortest, within the dilation
_BEYOND = 3  # what a hop beyond the dilation costs


class Guest(NamedTuple):
    """The links to be laid."""

    tails: IntArray
    """int64[links]"""
    tips: IntArray
    """int64[links]"""
    starts: IntArray
    """int64[guests + 1]: the links at guest v are ``links[starts[v]:starts[v + 1]]``."""
    links: IntArray
    """int64"""


class Host(NamedTuple):
    """The channels that they are laid over."""

    indptr: IntArray
    """int64[hosts + 1]: channels by node."""
    ends: IntArray
    """int64[channels]: tails."""
    heads: IntArray
    """int64[channels]"""
    lanes: IntArray
    """int64[channels]: the link of each channel."""
    distances: IntArray
    """int[hosts, hosts]"""


class Annealing(NamedTuple):
    """How to search."""

    moves: int
    heat: float
    """How much worse a move may be at first; a twelfth of it at the end."""
    swap: bool
    """Whether guests may change places."""
    seed: int


class _Layout(NamedTuple):
    """Where guests stand and links run at the moment, and working memory."""

    place: IntArray
    holder: IntArray
    load: IntArray
    routes: IntArray
    lengths: IntArray
    cost: Floats
    came: IntArray
    lists: IntArray
    size: IntArray
    touched: IntArray
    old_routes: IntArray
    old_lengths: IntArray


@helper(error_model="numpy", _nrt=False)
def _excess(load: Integer, target: Integer) -> Integer:
    return (load - target) ** 2 if load > target else 0


@helper(error_model="numpy", _nrt=False)
def _lay(guest: Guest, host: Host, state: _Layout, link: Integer, limit: int, target: int) -> int:
    """Lay a link anew, over the cheapest path; by how much the total excess changes.

    The price of a lane is what one more link adds to its excess over the target; its load and a
    little luck decide between equal ones. cost (infinite at first, and again on return), came and
    lists have a row per hop, size a place.
    """
    indptr, heads, lanes, distances = host.indptr, host.heads, host.lanes, host.distances
    load, cost, came, lists = state.load, state.cost, state.came, state.lists
    size = state.size
    a, b = state.place[guest.tails[link]], state.place[guest.tips[link]]
    limit = max(int(distances[a, b]), min(limit, int(distances[a, b]) + _LONGER))
    size[: limit + 1] = 0
    cost[0, a] = 0.0
    lists[0, 0] = a
    size[0] = 1
    last, least = 0, np.inf
    for hop in range(limit):
        for i in range(size[hop]):
            u = lists[hop, i]
            for c in range(indptr[u], indptr[u + 1]):
                v = heads[c]
                if distances[v, b] > limit - hop - 1:
                    continue
                x = load[lanes[c]]
                price = _excess(x + 1, target) - _excess(x, target) + 0.02 * x
                luck = 0.01 * np.random.random()  # noqa: NPY002 (numba's own generator)
                total = cost[hop, u] + price + 0.05 + luck
                if cost[hop + 1, v] == np.inf and v != b:
                    lists[hop + 1, size[hop + 1]] = v
                    size[hop + 1] += 1
                if total < cost[hop + 1, v]:
                    cost[hop + 1, v] = total
                    came[hop + 1, v] = c
        if cost[hop + 1, b] < least:
            last, least = hop + 1, cost[hop + 1, b]
    v = b
    for hop in range(last, 0, -1):
        c = came[hop, v]
        state.routes[link, hop - 1] = c
        v = host.ends[c]
    for hop in range(limit + 1):
        cost[hop, b] = np.inf
        for i in range(size[hop]):
            cost[hop, lists[hop, i]] = np.inf
    state.lengths[link] = last
    return _book(host, state, link, target, 1)


@helper(error_model="numpy", _nrt=False)
def _book(host: Host, state: _Layout, link: Integer, target: int, sign: int) -> int:
    """Add a link's route to the loads (or take it off); by how much the total excess changes."""
    load, change = state.load, 0
    for i in range(state.lengths[link]):
        lane = host.lanes[state.routes[link, i]]
        change += _excess(load[lane] + sign, target) - _excess(load[lane], target)
        load[lane] += sign
    return change


@helper(error_model="numpy", _nrt=False)
def _stretch(guest: Guest, host: Host, place: IntArray, v: Integer, limit: int) -> int:
    """What the hops of the links at guest v beyond the limit cost."""
    over = 0
    if v < 0:
        return over
    for i in range(guest.starts[v], guest.starts[v + 1]):
        e = guest.links[i]
        over += max(0, int(host.distances[place[guest.tails[e]], place[guest.tips[e]]]) - limit)
    return _BEYOND * over


@helper(error_model="numpy", _nrt=False)
def _put(state: _Layout, v: Integer, a: Integer, w: Integer, b: Integer) -> None:
    """Guest v stands at host a from now on, and w (none when negative) at b."""
    state.place[v], state.holder[a], state.holder[b] = a, v, w
    if w >= 0:
        state.place[w] = b


@helper(error_model="numpy", _nrt=False)
def _touch(guest: Guest, state: _Layout, v: Integer, w: Integer) -> int:
    """List the links at guests v and w (none when negative), each once; how many."""
    changed = 0
    for i in range(guest.starts[v], guest.starts[v + 1]):
        state.touched[changed] = guest.links[i]
        changed += 1
    if w >= 0:
        for i in range(guest.starts[w], guest.starts[w + 1]):
            e = guest.links[i]
            if guest.tails[e] != v and guest.tips[e] != v:
                state.touched[changed] = e
                changed += 1
    return changed


@helper(error_model="numpy", _nrt=False)
def _lay_touched(
    guest: Guest, host: Host, state: _Layout, changed: int, limit: int, target: int
) -> int:
    """Keep the routes of the touched links aside and lay them anew; how the excess changes."""
    change = 0
    for i in range(changed):
        e = state.touched[i]
        state.old_lengths[i] = state.lengths[e]
        for j in range(state.lengths[e]):
            state.old_routes[i, j] = state.routes[e, j]
        change += _book(host, state, e, target, -1)
    for i in range(changed):
        change += _lay(guest, host, state, state.touched[i], limit, target)
    return change


@helper(error_model="numpy", _nrt=False)
def _restore_touched(host: Host, state: _Layout, changed: int, target: int) -> None:
    """Give the touched links their old routes again."""
    for i in range(changed):
        _book(host, state, state.touched[i], target, -1)
    for i in range(changed):
        e = state.touched[i]
        state.lengths[e] = state.old_lengths[i]
        for j in range(state.lengths[e]):
            state.routes[e, j] = state.old_routes[i, j]
        _book(host, state, e, target, 1)


@kernel
def _blank_layout(guest: Guest, host: Host, place: IntArray, limit: int) -> _Layout:
    """The guests at their places; no link is laid."""
    hosts, count = len(host.distances), len(guest.tails)
    longest = max(limit, int(host.distances.max()))
    most = 1
    for v in range(len(place)):
        most = max(most, guest.starts[v + 1] - guest.starts[v])
    state = _Layout(
        place,
        np.full(hosts, -1, np.int64),
        np.zeros(len(host.heads), np.int64),
        np.zeros((count, longest), np.int64),
        np.zeros(count, np.int64),
        np.full((longest + 1, hosts), np.inf),
        np.zeros((longest + 1, hosts), np.int64),
        np.zeros((longest + 1, hosts), np.int64),
        np.zeros(longest + 1, np.int64),
        np.empty(2 * most, np.int64),
        np.empty((2 * most, longest), np.int64),
        np.empty(2 * most, np.int64),
    )
    for v in range(len(place)):
        state.holder[place[v]] = v
    return state


@kernel
def relieve(
    guest: Guest, host: Host, place: IntArray, limit: int, target: int, search: Annealing
) -> tuple[int, IntArray, IntArray]:
    """Look for routes with at most `target` guest links on every host link.

    Each link takes a path of at most `limit` hops. A move lays one link anew or, with `swap`,
    exchanges what stands at two hosts and lays the links there anew; it stays when the total excess
    does not grow, or by luck that gets rarer. `place` (int64[guests]) is changed with `swap`.

    Returns:
        peak (int): Links over the busiest host link at the end; larger than `target` when the
            search failed.
        routes (int64[guest links, hops]): The channels that each guest link takes.
        lengths: int64[guest links]
    """
    np.random.seed(search.seed)  # noqa: NPY002 (numba's own generator)
    state = _blank_layout(guest, host, place, limit)
    total = 0
    for e in range(len(guest.tails)):
        total += _lay(guest, host, state, e, limit, target)
        beyond = int(host.distances[place[guest.tails[e]], place[guest.tips[e]]]) - limit
        total += _BEYOND * max(0, beyond)
    for move, heat in enumerate(geometric(search.heat, search.heat / 12.0, search.moves)):
        if total == 0:
            break
        a = b = v = w = -1
        change = 0
        if search.swap and move % 4 != 0:
            v = np.random.randint(len(place))  # noqa: NPY002 (numba's own generator)
            a = place[v]
            b = np.random.randint(len(host.distances))  # noqa: NPY002 (numba's own generator)
            w = state.holder[b]
            if a == b:
                continue
            change -= _stretch(guest, host, place, v, limit)
            change -= _stretch(guest, host, place, w, limit)
            changed = _touch(guest, state, v, w)
            _put(state, v, b, w, a)
            change += _stretch(guest, host, place, v, limit)
            change += _stretch(guest, host, place, w, limit)
            if change > 8 * heat:
                _put(state, v, a, w, b)
                continue
        else:
            state.touched[0] = np.random.randint(len(guest.tails))  # noqa: NPY002 (numba's own generator)
            changed = 1
        change += _lay_touched(guest, host, state, changed, limit, target)
        luck = np.random.random()  # noqa: NPY002 (numba's own generator)
        if change <= 0 or change <= allowance(heat, luck):
            total += change
            continue
        _restore_touched(host, state, changed, target)
        if v >= 0:
            _put(state, v, a, w, b)
    return int(state.load.max()), state.routes, state.lengths
