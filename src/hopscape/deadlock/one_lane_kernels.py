"""Routes to one destination that close no cycle with the routes to all others.

The search grows backwards from the destination over channels, the cheapest next, and takes a
channel only if it may be followed by the next one: because it stands before it in a fixed order of
channels, or because that dependency closes no cycle with those that were taken before.
"""

from __future__ import annotations

import heapq

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.kernel import kernel
from hopscape.deadlock.layer_kernels import add_dependency
from hopscape.deadlock.layout import Dependencies, Incoming, Wiring

__all__ = ["grow_routes", "shift_loads"]

_ONE = np.uint64(1)


@kernel
def grow_routes(
    wiring: Wiring, incoming: Incoming, goal: int, price: Floats, noise: Floats, place: IntArray,
    dependencies: Dependencies, out: IntArray,
) -> int:  # fmt: skip
    """Grow the routes to one goal as far as they close no cycle; how many nodes have one.

    Args:
        price (float64[channels]): What a channel costs; routes are the cheapest that are allowed.
        noise (float64[channels]): Breaks ties.
        place (int64[channels]): A channel may be followed by those of higher place. Empty: by all
            that close no cycle with `dependencies`, to which the dependencies that are used are
            added.
        out (int64[order]): The channel by which each node leaves; -1 at the goal and without a
            route.
    """
    indptr, heads, tails = wiring.indptr, wiring.heads, incoming.tails
    into_start, into = incoming.starts, incoming.channels
    graph, leads = dependencies.graph, dependencies.leads
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
                add_dependency(wiring, c, follow, dependencies)
        out[at] = c
        count += 1
        for i in range(into_start[at], into_start[at + 1]):
            d = into[i]
            if tails[d] != goal and out[tails[d]] < 0:
                heapq.heappush(heap, (cost + price[d], noise[d], np.int64(d)))
    return count


@kernel
def shift_loads(
    heads: IntArray, out: IntArray, goal: int, senders: IntArray, amount: int, load: IntArray
) -> None:
    """Add an amount to every channel on the ways of the senders to a goal."""
    for at in senders:
        while at != goal:
            load[out[at]] += amount
            at = heads[out[at]]
