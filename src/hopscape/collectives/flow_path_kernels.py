"""Paths for many packets by prices on channels (numba)."""

from __future__ import annotations

import heapq

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.kernel import kernel


@kernel
def _cheapest(indptr, heads, kind, price, s, t, cost, into, stamp, now):  # type: ignore[no-untyped-def]
    """Search from s until t is settled (all nodes, if t is -1); `into` has the channels taken."""
    cost[s] = 0.0
    stamp[s] = now
    queue = [(0.0, np.int64(s))]
    while queue:
        d, v = heapq.heappop(queue)
        if d > cost[v]:
            continue
        if v == t:
            return
        for c in range(indptr[v], indptr[v + 1]):
            u = np.int64(heads[c])
            if t >= 0 and u != t and indptr[u + 1] - indptr[u] == 1 and heads[indptr[u]] == v:
                continue  # an endpoint on its switch leads nowhere else
            new = d + price[kind[c]]
            if stamp[u] != now or new < cost[u]:
                stamp[u] = now
                cost[u] = new
                into[u] = c
                heapq.heappush(queue, (new, u))


@kernel
def priced_paths(
    indptr: IntArray,
    heads: IntArray,
    tails: IntArray,
    kind: IntArray,
    room: IntArray,
    source: IntArray,
    target: IntArray,
    path: IntArray,
    length: IntArray,
    load: IntArray,
    order: IntArray,
    sharpness: float,
    level: float,
) -> None:
    """Give every packet of `order` the cheapest path at the prices of the moment, in place.

    A kind of channel costs the more, the nearer its load comes to `level` or the farther it is
    beyond: a factor of e for every 1 / `sharpness` of the level. Paths that the table has no room
    for stay as they were.

    Args:
        kind: int64[channels]
        room: int64[kinds]
        source, target: int64[packets]
        path: int32[packets, longest]
        length (int64[packets]): 0: no path yet.
        load (int64[kinds]): Kept up to date.
    """
    nodes = len(indptr) - 1
    cost = np.empty(nodes, np.float64)
    into = np.empty(nodes, np.int64)
    stamp = np.full(nodes, -1, np.int64)
    price = np.empty(len(load), np.float64)
    for k in range(len(load)):
        price[k] = np.exp(sharpness * ((load[k] + 1) / (room[k] * level) - 1)) + 1e-6
    for i in range(len(order)):
        p = order[i]
        for j in range(length[p]):
            k = kind[path[p, j]]
            load[k] -= 1
            price[k] = np.exp(sharpness * ((load[k] + 1) / (room[k] * level) - 1)) + 1e-6
        _cheapest(indptr, heads, kind, price, source[p], target[p], cost, into, stamp, i)
        count, v = 0, target[p]
        while v != source[p]:
            count += 1
            v = tails[into[v]]
        if count <= path.shape[1]:
            length[p] = count
            v = target[p]
            while v != source[p]:
                count -= 1
                path[p, count] = into[v]
                v = tails[into[v]]
        for j in range(length[p]):
            k = kind[path[p, j]]
            load[k] += 1
            price[k] = np.exp(sharpness * ((load[k] + 1) / (room[k] * level) - 1)) + 1e-6


def _tree_steps(
    _: IntArray, heads: IntArray, __: IntArray, ___: Floats, sources: IntArray, wanted: IntArray
) -> int:
    return 10 * len(sources) * (len(heads) + len(wanted))


@kernel(steps=_tree_steps)
def tree_loads(
    indptr: IntArray,
    heads: IntArray,
    tails: IntArray,
    weight: Floats,
    sources: IntArray,
    wanted: IntArray,
) -> tuple[float, IntArray]:
    """Everything along cheapest paths from all sources to all wanted nodes.

    Returns:
        total (float): Sum of the weighted distances; infinite where there is no path.
        load (int64[channels]): How many of these paths run over each channel.
    """
    nodes = len(indptr) - 1
    cost = np.empty(nodes, np.float64)
    into = np.empty(nodes, np.int64)
    stamp = np.full(nodes, -1, np.int64)
    same = np.arange(len(heads))
    load = np.zeros(len(heads), np.int64)
    total = 0.0
    for i in range(len(sources)):
        s = sources[i]
        _cheapest(indptr, heads, same, weight, s, np.int64(-1), cost, into, stamp, i)
        for v in wanted:
            if stamp[v] != i:
                return np.inf, load
            total += cost[v]
            u = v
            while u != s:
                load[into[u]] += 1
                u = tails[into[u]]
    return total, load
