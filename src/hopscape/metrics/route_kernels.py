"""Routing tables as arrays: filling them, adding up loads, channel dependencies.

A table holds, for every destination, the offset of the channel by which each node leaves for it:
``table[to, at] = channel - indptr[at]``, and NO_OFFSET on arrival or where there is no path.
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import NO_OFFSET, Array
from hopscape.core.kernel import helper, kernel


@kernel
def _by_depth(far_of: Array, none: int, out: Array) -> int:
    """Sort nodes by distance, those without a path left out; returns how many."""
    far = 0
    for v in range(len(far_of)):
        if far_of[v] != none:
            far = max(far, int(far_of[v]))
    start = np.zeros(far + 2, np.int64)
    for v in range(len(far_of)):
        if far_of[v] != none:
            start[int(far_of[v]) + 1] += 1
    for d in range(far + 1):
        start[d + 1] += start[d]
    count = start[far + 1]
    for v in range(len(far_of)):
        if far_of[v] != none:
            out[start[int(far_of[v])]] = v
            start[int(far_of[v])] += 1
    return int(count)


@kernel
def balanced_table(
    indptr: Array,
    heads: Array,
    towards: Array,
    targets: Array,
    is_end: Array,
    level: Array,
    most: int,
    load: Array,
    table: Array,
) -> None:
    """Shortest paths, each node's on the channel that carries least so far.

    Ways that fall in `level` more than `most` times are left to nodes that have no other. Rows
    that are filled already are taken off the load and chosen anew.

    Args:
        towards (uint8 or more, shape (destinations, nodes)): Distances to the destinations; the
            largest value of the type is no path.
        targets: int64[destinations]
        level: int64[channels]
        load (int64[channels]): Added to: how many sources use each channel.
        table (uint8, shape (destinations, nodes)): Filled.
    """
    nodes = len(indptr) - 1
    flow, falls = np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    by_depth = np.empty(nodes, np.int64)
    none = np.iinfo(towards.dtype).max
    for row in range(len(towards)):
        count = _by_depth(towards[row], none, by_depth)
        target = targets[row]
        if count > 1 and is_end[target] and table[row, by_depth[1]] != NO_OFFSET:
            _add_tree(indptr, heads, table[row], by_depth[:count], is_end, flow, np.int64(-1), load)
        table[row, :] = NO_OFFSET
        falls[target] = 0
        for i in range(1, count):
            v = by_depth[i]
            best, fewest = -1, 0
            for c in range(indptr[v], indptr[v + 1]):
                w = heads[c]
                if int(towards[row, w]) + 1 != towards[row, v]:
                    continue
                turns = falls[w]
                if w != target and level[indptr[w] + table[row, w]] <= level[c]:
                    turns += 1
                better = best < 0 or max(turns, most) < max(fewest, most)
                same = best >= 0 and max(turns, most) == max(fewest, most)
                if better or (same and load[c] < load[best]):
                    best, fewest = c, turns
            table[row, v] = best - indptr[v]
            falls[v] = fewest
        if is_end[target]:
            _add_tree(indptr, heads, table[row], by_depth[:count], is_end, flow, np.int64(1), load)


@helper
def _add_tree(
    indptr: Array,
    heads: Array,
    ways: Array,
    by_depth: Array,
    is_end: Array,
    flow: Array,
    sign: int,
    load: Array,
) -> None:
    """Add one for every endpoint to the channels of its way to the root of a tree."""
    for v in range(len(flow)):
        flow[v] = is_end[v]
    for i in range(len(by_depth) - 1, 0, -1):
        v = by_depth[i]
        c = indptr[v] + ways[v]
        load[c] += sign * flow[v]
        flow[heads[c]] += flow[v]


@kernel
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
                if table[row, v] == NO_OFFSET or height >= nodes:
                    return -1
                stack[height] = v
                height += 1
                v = heads[indptr[v] + table[row, v]]
            below = depth[v]
            for i in range(height - 1, -1, -1):
                below += 1
                depth[stack[i]] = below
            far = max(far, below)
        count = _by_depth(depth, -1, by_depth)
        _add_tree(indptr, heads, table[row], by_depth[:count], is_end, flow, np.int64(1), load)
        longest = max(longest, far)
    return longest


@kernel
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
