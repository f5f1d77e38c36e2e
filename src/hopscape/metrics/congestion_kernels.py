"""Laying guest links over host links so that none is crowded: local search (numba)."""

from __future__ import annotations

import numpy as np
from numba import njit

from hopscape.core.arrays import IntArray

_LONGER = 2  # a path may be so many hops longer than the shortest, within the dilation
_FAR = 3  # what a hop beyond the dilation costs


@njit(cache=True, nogil=True)
def _excess(load, target):  # type: ignore[no-untyped-def]
    return (load - target) ** 2 if load > target else 0


@njit(cache=True, nogil=True)
def _lay(a, b, limit, indptr, ends, heads, lanes, far, load, target, cost, came, lists, out):  # type: ignore[no-untyped-def]
    """Write the channels of the cheapest path from a to b to `out`; how many there are.

    The price of a lane is what one more link adds to its excess over the target; its load and a
    little luck decide between equal ones. cost (infinite at first, and again on return), came and
    lists have a row per hop.
    """
    limit = max(int(far[a, b]), min(limit, int(far[a, b]) + _LONGER))
    size = np.zeros(limit + 1, np.int64)
    cost[0, a] = 0.0
    lists[0, 0] = a
    size[0] = 1
    last, least = 0, np.inf
    for hop in range(limit):
        for i in range(size[hop]):
            u = lists[hop, i]
            for c in range(indptr[u], indptr[u + 1]):
                v = heads[c]
                if far[v, b] > limit - hop - 1:
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
        out[hop - 1] = c
        v = ends[c]
    for hop in range(limit + 1):
        cost[hop, b] = np.inf
        for i in range(size[hop]):
            cost[hop, lists[hop, i]] = np.inf
    return last


@njit(cache=True, nogil=True)
def _book(routes, lengths, link, lanes, load, target, sign):  # type: ignore[no-untyped-def]
    """Add a link's route to the loads (or take it off); by how much the total excess changes."""
    change = 0
    for i in range(lengths[link]):
        lane = lanes[routes[link, i]]
        change += _excess(load[lane] + sign, target) - _excess(load[lane], target)
        load[lane] += sign
    return change


@njit(cache=True, nogil=True)
def _stretch(v, tails, tips, starts, links, place, far, limit):  # type: ignore[no-untyped-def]
    """Hops of the links at guest v beyond the limit."""
    over = 0
    for i in range(starts[v], starts[v + 1]):
        e = links[i]
        over += max(0, int(far[place[tails[e]], place[tips[e]]]) - limit)
    return over


@njit(cache=True, nogil=True)
def relieve(
    tails: IntArray,
    tips: IntArray,
    starts: IntArray,
    links: IntArray,
    indptr: IntArray,
    ends: IntArray,
    heads: IntArray,
    lanes: IntArray,
    far: IntArray,
    place: IntArray,
    limit: int,
    target: int,
    moves: int,
    heat: float,
    swap: bool,
    seed: int,
) -> tuple[int, IntArray, IntArray]:
    """Look for routes with at most `target` guest links on every host link.

    Each link takes a path of at most `limit` hops. A move lays one link anew or, with `swap`,
    exchanges what stands at two hosts and lays the links there anew; it stays when the total excess
    does not grow, or by luck that gets rarer.

    Parameters
    ----------
    tails, tips : int64[guest links]
    starts, links : int64
        The links at guest v are ``links[starts[v]:starts[v + 1]]``.
    indptr, ends, heads : arrays
        The host's channels: by node, their tails, their heads.
    lanes : int64[host channels]
        The host link of each channel.
    far : int[hosts, hosts]
        Host distances.
    place : int64[guests]
        Changed in place, with `swap`.
    heat : float
        How much worse a move may be at first; a twelfth of it at the end.

    Returns
    -------
    peak : int
        Links over the busiest host link at the end; larger than `target` when the search failed.
    routes : int64[guest links, hops]
        The channels that each guest link takes.
    lengths : int64[guest links]
    """
    np.random.seed(seed)  # noqa: NPY002 (numba's own generator)
    hosts, guests, count = len(far), len(place), len(tails)
    load = np.zeros(len(heads), np.int64)
    longest = max(limit, int(far.max()))
    cost = np.full((longest + 1, hosts), np.inf)
    came = np.zeros((longest + 1, hosts), np.int64)
    lists = np.zeros((longest + 1, hosts), np.int64)
    routes = np.zeros((count, longest), np.int64)
    lengths = np.zeros(count, np.int64)
    holder = np.full(hosts, -1, np.int64)
    for v in range(guests):
        holder[place[v]] = v
    total = 0
    for e in range(count):
        lengths[e] = _lay(
            place[tails[e]], place[tips[e]], limit, indptr, ends, heads, lanes, far, load,
            target, cost, came, lists, routes[e],
        )  # fmt: skip
        total += _book(routes, lengths, e, lanes, load, target, 1)
        total += _FAR * max(0, int(far[place[tails[e]], place[tips[e]]]) - limit)
    most = 1
    for v in range(guests):
        most = max(most, starts[v + 1] - starts[v])
    touched = np.empty(2 * most, np.int64)
    old_routes = np.empty((2 * most, longest), np.int64)
    old_lengths = np.empty(2 * most, np.int64)
    cooling = (1.0 / 12.0) ** (1.0 / max(moves, 1))
    for move in range(moves):
        if total == 0:
            break
        heat *= cooling
        a = b = v = w = -1
        changed, change = 0, 0
        if swap and move % 4 != 0:
            v = np.random.randint(guests)  # noqa: NPY002 (numba's own generator)
            a = place[v]
            b = np.random.randint(hosts)  # noqa: NPY002 (numba's own generator)
            w = holder[b]
            if a == b:
                continue
            change -= _FAR * _stretch(v, tails, tips, starts, links, place, far, limit)
            if w >= 0:
                change -= _FAR * _stretch(w, tails, tips, starts, links, place, far, limit)
            for i in range(starts[v], starts[v + 1]):
                touched[changed] = links[i]
                changed += 1
            if w >= 0:
                for i in range(starts[w], starts[w + 1]):
                    e = links[i]
                    if tails[e] != v and tips[e] != v:
                        touched[changed] = e
                        changed += 1
                place[w] = a
            place[v], holder[b], holder[a] = b, v, w
            change += _FAR * _stretch(v, tails, tips, starts, links, place, far, limit)
            if w >= 0:
                change += _FAR * _stretch(w, tails, tips, starts, links, place, far, limit)
            if change > 8 * heat:
                holder[a], holder[b], place[v] = v, w, a
                if w >= 0:
                    place[w] = b
                continue
        else:
            touched[0] = np.random.randint(count)  # noqa: NPY002 (numba's own generator)
            changed = 1
        for i in range(changed):
            e = touched[i]
            old_lengths[i] = lengths[e]
            for j in range(lengths[e]):
                old_routes[i, j] = routes[e, j]
            change += _book(routes, lengths, e, lanes, load, target, -1)
        for i in range(changed):
            e = touched[i]
            lengths[e] = _lay(
                place[tails[e]], place[tips[e]], limit, indptr, ends, heads, lanes, far, load,
                target, cost, came, lists, routes[e],
            )  # fmt: skip
            change += _book(routes, lengths, e, lanes, load, target, 1)
        luck = np.random.random()  # noqa: NPY002 (numba's own generator)
        if change <= 0 or luck < np.exp(-change / heat):
            total += change
            continue
        for i in range(changed):
            _book(routes, lengths, touched[i], lanes, load, target, -1)
        for i in range(changed):
            e = touched[i]
            lengths[e] = old_lengths[i]
            for j in range(lengths[e]):
                routes[e, j] = old_routes[i, j]
            _book(routes, lengths, e, lanes, load, target, 1)
        if v >= 0:
            place[v], holder[a], holder[b] = a, v, w
            if w >= 0:
                place[w] = b
    return int(load.max()), routes, lengths
