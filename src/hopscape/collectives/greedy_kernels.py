"""Greedy rounds for many packets or many trees at once (numba).

Both kernels keep, for every channel, the items that wait for it in buckets by priority (hops still
to go), and grant a channel to the item with most hops left. An item that crosses in one round is
available at the far end in the next.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from hopscape.core.arrays import IntArray


@njit(cache=True, nogil=True)
def _push(item, channel, priority, first, after):  # type: ignore[no-untyped-def]
    after[item] = first[channel, priority]
    first[channel, priority] = item


@njit(cache=True, nogil=True)
def _top(channel, first):  # type: ignore[no-untyped-def]
    """Highest priority that waits for a channel, or -1."""
    for p in range(first.shape[1] - 1, -1, -1):
        if first[channel, p] >= 0:
            return p
    return -1


@njit(cache=True, nogil=True)
def _rank(waiting, first, top, ranked):  # type: ignore[no-untyped-def]
    """Write the channels with something waiting to `ranked`, most urgent first; how many."""
    channels, levels = first.shape
    begin = np.zeros(levels + 1, np.int64)
    for c in range(channels):
        top[c] = _top(c, first) if waiting[c] > 0 else -1
        if top[c] >= 0:
            begin[levels - top[c]] += 1
    for i in range(levels):
        begin[i + 1] += begin[i]
    for c in range(channels):
        if top[c] >= 0:
            place = levels - 1 - top[c]
            ranked[begin[place]] = c
            begin[place] += 1
    return begin[levels]


@njit(cache=True, nogil=True)
def _grants(waiting, first, tails, heads, reverse, ports, half, granted, scratch):  # type: ignore[no-untyped-def]
    """Choose the channels that carry something in this round, most urgent first.

    waiting[c] counts the items at channel c. Returns how many channels were written to `granted`.
    """
    channels = len(first)
    sent, got, busy, top, ranked = scratch
    count = 0
    if ports == 0 and not half:
        for c in range(channels):
            if waiting[c] > 0:
                granted[count] = c
                count += 1
        return count
    sent[:] = 0
    got[:] = 0
    busy[:] = 0
    for i in range(_rank(waiting, first, top, ranked)):
        c = ranked[i]
        u, v = tails[c], heads[c]
        if half and reverse[c] >= 0 and busy[reverse[c]]:
            continue
        if ports > 0:
            if half and (sent[u] + got[u] >= ports or sent[v] + got[v] >= ports):
                continue
            if not half and (sent[u] >= ports or got[v] >= ports):
                continue
        sent[u] += 1
        got[v] += 1
        busy[c] = 1
        granted[count] = c
        count += 1
    return count


@njit(cache=True, nogil=True)
def route_packets(
    path_start: IntArray,
    path: IntArray,
    tails: IntArray,
    heads: IntArray,
    reverse: IntArray,
    nodes: int,
    ports: int,
    half: bool,
    packed: bool,
) -> tuple[IntArray, IntArray, IntArray]:
    """Move packets along given paths, farthest to go first.

    Returns
    -------
    round, channel, packet : int64[...]
        One entry per hop, by rising round.
    """
    packets = len(path_start) - 1
    channels = len(heads)
    longest = 0
    for k in range(packets):
        longest = max(longest, path_start[k + 1] - path_start[k])
    first = np.full((channels, longest + 1), -1, np.int64)
    after = np.full(packets, -1, np.int64)
    waiting = np.zeros(channels, np.int64)
    at = path_start[:-1].copy()
    for k in range(packets - 1, -1, -1):
        if at[k] < path_start[k + 1]:
            _push(k, path[at[k]], path_start[k + 1] - at[k], first, after)
            waiting[path[at[k]]] += 1
    total = len(path)
    rounds = np.empty(total, np.int64)
    used = np.empty(total, np.int64)
    moved = np.empty(total, np.int64)
    granted = np.empty(channels, np.int64)
    scratch = (
        np.zeros(nodes, np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(channels, np.int64),
        np.zeros(channels, np.int64),
        np.empty(channels, np.int64),
    )
    done, r = 0, 0
    while done < total:
        begin = done
        count = _grants(waiting, first, tails, heads, reverse, ports, half, granted, scratch)
        for i in range(count):
            c = granted[i]
            while waiting[c] > 0:
                p = _top(c, first)
                k = first[c, p]
                first[c, p] = after[k]
                waiting[c] -= 1
                rounds[done], used[done], moved[done] = r, c, k
                done += 1
                if not packed:
                    break
        for i in range(begin, done):
            k = moved[i]
            at[k] += 1
            if at[k] < path_start[k + 1]:
                _push(k, path[at[k]], path_start[k + 1] - at[k], first, after)
                waiting[path[at[k]]] += 1
        r += 1
    return rounds, used, moved


@njit(cache=True, nogil=True)
def balanced_trees(
    indptr: IntArray, heads: IntArray, distance: IntArray, parent: IntArray, height: IntArray
) -> None:
    """A shortest-path tree for every source, channels shared evenly.

    Each node hangs from the least used of the channels that reach it on a shortest path.

    Parameters
    ----------
    distance : uint8 or more, shape (nodes, nodes)
        distance[s, v] from s to v.
    parent, height : int32, int16, shape (nodes, nodes)
        Filled: the channel into v in the tree of s (-1 at the root), and the height of the tree
        below v.
    """
    nodes = len(indptr) - 1
    load = np.zeros(len(heads), np.int64)
    least = np.empty(nodes, np.int64)
    by_depth = np.empty(nodes, np.int64)
    for s in range(nodes):
        far: Any = 0
        for v in range(nodes):
            parent[s, v] = -1
            height[s, v] = 0
            least[v] = np.iinfo(np.int64).max
            far = max(far, np.int64(distance[s, v]))
        for k in range(nodes):  # a different node first for every source, to spread the ties
            u = (s + k) % nodes
            for c in range(indptr[u], indptr[u + 1]):
                v = heads[c]
                if distance[s, v] == int(distance[s, u]) + 1 and load[c] < least[v]:
                    least[v] = load[c]
                    parent[s, v] = c
        count = np.zeros(far + 2, np.int64)
        for v in range(nodes):
            if parent[s, v] >= 0:
                load[parent[s, v]] += 1
            count[np.int64(distance[s, v]) + 1] += 1
        for d in range(far + 1):
            count[d + 1] += count[d]
        for v in range(nodes):
            depth = np.int64(distance[s, v])
            by_depth[count[depth]] = v
            count[depth] += 1
        _fill_heights(s, by_depth, indptr, parent, height)


@njit(cache=True, nogil=True)
def _fill_heights(s, by_depth, indptr, parent, height):  # type: ignore[no-untyped-def]
    nodes = len(indptr) - 1
    for i in range(nodes - 1, 0, -1):
        v = by_depth[i]
        c = parent[s, v]
        if c < 0:
            continue
        u = np.searchsorted(indptr, c, side="right") - 1
        height[s, u] = max(height[s, u], height[s, v] + 1)


@njit(cache=True, nogil=True)
def prune_trees(tails: IntArray, is_end: IntArray, distance: IntArray, parent: IntArray) -> None:
    """Cut off, in place, the trees of switches and the branches that lead to no endpoint."""
    nodes = len(parent)
    keep = np.empty(nodes, np.bool_)
    for s in range(nodes):
        if not is_end[s]:
            parent[s] = -1
            continue
        keep[:] = is_end
        for v in np.argsort(distance[s])[::-1]:
            if parent[s, v] >= 0 and keep[v]:
                keep[tails[parent[s, v]]] = True
        for v in range(nodes):
            if not keep[v]:
                parent[s, v] = -1


@njit(cache=True, nogil=True)
def flow_trees(
    indptr: IntArray,
    heads: IntArray,
    tails: IntArray,
    reverse: IntArray,
    parent: IntArray,
    height: IntArray,
    ports: int,
    half: bool,
    packed: bool,
) -> tuple[IntArray, IntArray, IntArray]:
    """Every source's chunk down its own tree, all at once; the tallest subtree first.

    Returns
    -------
    round, channel, chunk : int64[...]
    """
    nodes = len(indptr) - 1
    channels = len(heads)
    tallest: Any = 0
    for s in range(nodes):
        tallest = max(tallest, np.int64(height[s, s]))
    first = np.full((channels, tallest + 1), -1, np.int64)
    after = np.full(nodes * nodes, -1, np.int64)  # item s * nodes + v: chunk s on its way into v
    waiting = np.zeros(channels, np.int64)
    total = 0
    for s in range(nodes):
        for v in range(nodes):
            total += parent[s, v] >= 0
        _offer(s, s, nodes, indptr, heads, parent, height, first, after, waiting)
    rounds = np.empty(total, np.int64)
    used = np.empty(total, np.int64)
    moved = np.empty(total, np.int64)
    granted = np.empty(channels, np.int64)
    scratch = (
        np.zeros(nodes, np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(channels, np.int64),
        np.zeros(channels, np.int64),
        np.empty(channels, np.int64),
    )
    done, r = 0, 0
    while done < total:
        begin = done
        count = _grants(waiting, first, tails, heads, reverse, ports, half, granted, scratch)
        for i in range(count):
            c = granted[i]
            while waiting[c] > 0:
                p = _top(c, first)
                item = first[c, p]
                first[c, p] = after[item]
                waiting[c] -= 1
                rounds[done], used[done], moved[done] = r, c, item // nodes
                done += 1
                if not packed:
                    break
        for i in range(begin, done):
            s, v = moved[i], heads[used[i]]
            _offer(s, v, nodes, indptr, heads, parent, height, first, after, waiting)
        r += 1
    return rounds, used, moved


@njit(cache=True, nogil=True)
def _offer(s, v, nodes, indptr, heads, parent, height, first, after, waiting):  # type: ignore[no-untyped-def]
    """Chunk s has come to v: let it wait for the channels to v's children in the tree of s."""
    for c in range(indptr[v], indptr[v + 1]):
        w = heads[c]
        if parent[s, w] == c:
            _push(s * nodes + w, c, height[s, w], first, after)
            waiting[c] += 1
