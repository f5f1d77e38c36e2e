"""Placing the nodes of one network in another: annealing, and a search that can prove (numba).

Annealing as S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi (1983) describe it; the search goes back
where a node has no place left, and places the node with least choice first (R. M. Haralick and
G. L. Elliott, "Increasing tree search efficiency for constraint satisfaction problems", 1980).
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.kernel import helper, kernel

FOUND, NONE, STOPPED = 1, 0, -1


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
    heat = 2.0
    cooling = (0.05 / heat) ** (1.0 / max(moves, 1))
    for _ in range(moves):
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
        if change <= 0 or luck < np.exp(-change / heat):
            place[v] = b
            holder[b] = v
            holder[a] = w
            if w >= 0:
                place[w] = a
            total += 2 * change
        heat *= cooling
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
