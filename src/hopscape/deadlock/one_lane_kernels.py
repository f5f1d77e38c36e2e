"""Routes to one destination that close no cycle with the routes to all others.

The search grows backwards from the destination over channels, the cheapest next, and takes a
channel only if it may be followed by the next one: because it stands before it in a fixed order of
channels, or because that dependency closes no cycle with those that were taken before.
"""

from __future__ import annotations

import heapq

import numpy as np
from numba import njit

from hopscape.core.arrays import IntArray
from hopscape.deadlock.layer_kernels import add_dependency

__all__ = ["grow_routes", "shift_loads"]

_ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def grow_routes(
    indptr: IntArray,
    heads: IntArray,
    tails: IntArray,
    into_start: IntArray,
    into: IntArray,
    goal: int,
    price: IntArray,
    noise: IntArray,
    place: IntArray,
    graph: IntArray,
    leads: IntArray,
    comes: IntArray,
    out: IntArray,
) -> int:
    """Grow the routes to one goal as far as they close no cycle; how many nodes have one.

    Parameters
    ----------
    into_start, into : int64[...]
        The channels into each node.
    price : float64[channels]
        What a channel costs; ways are the cheapest that are allowed.
    noise : float64[channels]
        Breaks ties.
    place : int64[channels]
        A channel may be followed by those of higher place. Empty: by all that close no cycle with
        `graph`, to which the dependencies that are used are added.
    graph : uint8[channels, ports]
    leads, comes : uint64[channels, words]
        Channels that each channel leads to, and comes from, as bits.
    out : int64[order]
        The channel by which each node leaves; -1 at the goal and without a way.
    """
    fixed = len(place) > 0
    out[:] = -1
    count = 1
    heap = [(0.0, 0.0, np.int64(-1))]
    heapq.heappop(heap)
    for i in range(into_start[goal], into_start[goal + 1]):
        heapq.heappush(heap, (price[into[i]], noise[into[i]], np.int64(into[i])))
    while len(heap):
        cost, _, c = heapq.heappop(heap)
        at, then = tails[c], heads[c]
        if at == goal or out[at] >= 0:
            continue
        if then != goal:
            follow = out[then]
            if fixed:
                if place[c] >= place[follow]:
                    continue
            elif not graph[c, follow - indptr[then]]:
                if leads[follow, c >> 6] >> np.uint64(c & 63) & _ONE:
                    continue
                add_dependency(indptr, heads, c, follow, graph, leads, comes)
        out[at] = c
        count += 1
        for i in range(into_start[at], into_start[at + 1]):
            d = into[i]
            if tails[d] != goal and out[tails[d]] < 0:
                heapq.heappush(heap, (cost + price[d], noise[d], np.int64(d)))
    return count


@njit(cache=True, nogil=True)
def shift_loads(
    heads: IntArray, out: IntArray, goal: int, senders: IntArray, amount: int, load: IntArray
) -> None:
    """Add an amount to every channel on the ways of the senders to a goal."""
    for at in senders:
        while at != goal:
            load[out[at]] += amount
            at = heads[out[at]]
