"""Routing tables as arrays: filling them, adding up loads, channel dependencies.

A table holds, for every destination, the offset of the channel by which each node leaves for it:
``table[to, at] = channel - indptr[at]``, and NONE on arrival or where there is no way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

NONE = 255

Array = np.ndarray[Any, np.dtype[Any]]


@njit(cache=True, nogil=True)
def balanced_table(
    indptr: Array,
    heads: Array,
    towards: Array,
    first: int,
    is_end: Array,
    load: Array,
    table: Array,
) -> None:
    """Shortest ways, each node's on the channel that carries least so far.

    Parameters
    ----------
    towards : uint8 or more, shape (destinations, nodes)
        Distances to destinations first, first + 1, ...; the largest value of the type is no way.
    load : int64[channels]
        Added to: how many sources use each channel.
    table : uint8, shape (destinations, nodes)
        Filled.
    """
    nodes = len(indptr) - 1
    flow = np.empty(nodes, np.int64)
    by_depth = np.empty(nodes, np.int64)
    none = np.iinfo(towards.dtype).max
    for row in range(len(towards)):
        far = 0
        for v in range(nodes):
            flow[v] = is_end[v]
            if towards[row, v] != none:
                far = max(far, int(towards[row, v]))
        start = np.zeros(far + 2, np.int64)
        for v in range(nodes):
            if towards[row, v] != none:
                start[int(towards[row, v]) + 1] += 1
        for d in range(far + 1):
            start[d + 1] += start[d]
        count = start[far + 1]
        for v in range(nodes):
            if towards[row, v] != none:
                by_depth[start[int(towards[row, v])]] = v
                start[int(towards[row, v])] += 1
            table[row, v] = NONE
        served = is_end[first + row]
        for i in range(count - 1, 0, -1):
            v = by_depth[i]
            best = -1
            for c in range(indptr[v], indptr[v + 1]):
                nearer = towards[row, heads[c]] + 1 == towards[row, v]
                if nearer and (best < 0 or load[c] < load[best]):
                    best = c
            table[row, v] = best - indptr[v]
            if served:
                load[best] += flow[v]
                flow[heads[best]] += flow[v]


@njit(cache=True, nogil=True)
def add_loads(
    indptr: Array, heads: Array, table: Array, targets: Array, is_end: Array, load: Array
) -> int:
    """Follow every endpoint's way to the destinations of the rows: the longest, or -1.

    -1 means that some way does not arrive.
    """
    nodes = len(indptr) - 1
    depth = np.empty(nodes, np.int64)
    flow = np.empty(nodes, np.int64)
    stack = np.empty(nodes, np.int64)
    by_depth = np.empty(nodes, np.int64)
    longest = 0
    for row in range(len(table)):
        target = targets[row]
        if not is_end[target]:
            continue
        depth[:] = -1
        depth[target] = 0
        far = 0
        for s in range(nodes):
            if not is_end[s]:
                continue
            v, height = s, 0
            while depth[v] < 0:
                if table[row, v] == NONE or height >= nodes:
                    return -1
                stack[height] = v
                height += 1
                v = heads[indptr[v] + table[row, v]]
            below = depth[v]
            for i in range(height - 1, -1, -1):
                below += 1
                depth[stack[i]] = below
            far = max(far, below)
        start = np.zeros(far + 2, np.int64)
        for v in range(nodes):
            flow[v] = is_end[v]
            if depth[v] >= 0:
                start[depth[v] + 1] += 1
        for d in range(far + 1):
            start[d + 1] += start[d]
        count = start[far + 1]
        for v in range(nodes):
            if depth[v] >= 0:
                by_depth[start[depth[v]]] = v
                start[depth[v]] += 1
        for i in range(count - 1, 0, -1):
            v = by_depth[i]
            c = indptr[v] + table[row, v]
            load[c] += flow[v]
            flow[heads[c]] += flow[v]
        longest = max(longest, far)
    return longest


@njit(cache=True, nogil=True)
def add_dependencies(
    indptr: Array, heads: Array, table: Array, targets: Array, is_end: Array, waits: Array
) -> None:
    """Mark who can wait for whom: waits[c, k] = 1 when channel c feeds the k-th of its head."""
    nodes = len(indptr) - 1
    used = np.empty(nodes, np.uint8)
    for row in range(len(table)):
        target = targets[row]
        if not is_end[target]:
            continue
        used[:] = 0
        for s in range(nodes):
            if not is_end[s]:
                continue
            v = s
            while v != target and used[v] == 0:
                used[v] = 1
                c = indptr[v] + table[row, v]
                v = heads[c]
                if v != target:
                    waits[c, table[row, v]] = 1


@njit(cache=True, nogil=True)
def cyclic_channels(indptr: Array, heads: Array, waits: Array) -> int:
    """How many channels remain when those that wait for nobody are taken away, again and again."""
    channels = len(heads)
    left = np.zeros(channels, np.int64)
    for c in range(channels):
        v = heads[c]
        for k in range(indptr[v + 1] - indptr[v]):
            if waits[c, k]:
                left[indptr[v] + k] += 1
    queue = np.empty(channels, np.int64)
    done, size = 0, 0
    for c in range(channels):
        if left[c] == 0:
            queue[size] = c
            size += 1
    while done < size:
        c = queue[done]
        done += 1
        v = heads[c]
        for k in range(indptr[v + 1] - indptr[v]):
            if waits[c, k]:
                d = indptr[v] + k
                left[d] -= 1
                if left[d] == 0:
                    queue[size] = d
                    size += 1
    return channels - size


@njit(cache=True, nogil=True)
def pairs_through(
    indptr: Array, heads: Array, table: Array, is_end: Array, channel: int, tail: int, out: Array
) -> int:
    """Write the (source, destination) pairs whose way uses a channel; returns how many."""
    nodes = len(indptr) - 1
    mark = np.empty(nodes, np.int8)
    stack = np.empty(nodes, np.int64)
    count = 0
    for target in range(nodes):
        if not is_end[target] or target == tail:
            continue
        if indptr[tail] + table[target, tail] != channel:
            continue
        mark[:] = -1
        mark[target] = 0
        mark[tail] = 1
        for s in range(nodes):
            if not is_end[s]:
                continue
            v, height = s, 0
            while mark[v] < 0:
                stack[height] = v
                height += 1
                v = heads[indptr[v] + table[target, v]]
            for i in range(height):
                mark[stack[i]] = mark[v]
            if mark[s] == 1 and count < len(out):
                out[count, 0] = s
                out[count, 1] = target
                count += 1
    return count
