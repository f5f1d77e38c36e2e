"""Shortest paths of pairs by searches from both ends (numba).

Bidirectional breadth-first search (I. Pohl, Bi-directional search, 1971): both ends are searched
level by level, always the end with the smaller frontier, until the searches meet. On expanders it
looks at about the square root of the nodes that one search would look at.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import Bools, Int32s, Int64s
from hopscape.core.kernel import helper, kernel

__all__ = ["Rows", "Scratch", "new_scratch", "shortest_paths"]


class Rows(NamedTuple):
    """A network in compressed rows, as its channels are and with every channel turned round.

    Attributes:
        indptr, heads: Channels that leave each node: int64[n + 1], int32[channels].
        back_indptr, back_tails: The nodes from where channels enter each node.
        back_channel: int[channels], the channels that enter each node.
        dead: bool[channels], channels that do not work; empty when all do.
    """

    indptr: Int64s
    heads: Int32s
    back_indptr: Int64s
    back_tails: Int32s
    back_channel: Int64s
    dead: Bools


class Scratch(NamedTuple):
    """Memory for a search from each end: 24 bytes for each node.

    Attributes:
        forward, backward (int64[n]): Hops from the source and to the target, above the stamp of the
            latest search; less is old.
        queues: int32[2, n]
        stamp: int64[1]
    """

    forward: Int64s
    backward: Int64s
    queues: Int32s
    stamp: Int64s


def new_scratch(order: int) -> Scratch:
    """Memory for searches in a network of so many nodes."""
    old = np.full((2, order), -1, np.int64)
    return Scratch(old[0], old[1], np.empty((2, order), np.int32), np.zeros(1, np.int64))


@helper
def _advance(rows: Rows, scratch: Scratch, side: int, frontier: Int64s, stamp: int) -> bool:
    """One more level of a search; does it meet the other one? `frontier` is its last level."""
    indptr, heads = rows.indptr, rows.heads
    mine, theirs = scratch.forward, scratch.backward
    if side == 1:
        indptr, heads = rows.back_indptr, rows.back_tails
        mine, theirs = scratch.backward, scratch.forward
    queue = scratch.queues[side]
    begin, end = frontier[0], frontier[1]
    tail, met = end, False
    for i in range(begin, end):
        v = queue[i]
        hops = mine[v] + 1
        for c in range(indptr[v], indptr[v + 1]):
            w = heads[c]
            if mine[w] >= stamp:
                continue
            if rows.dead.size > 0 and rows.dead[c if side == 0 else rows.back_channel[c]]:
                continue
            mine[w] = hops
            queue[tail] = w
            tail += 1
            met |= theirs[w] >= stamp
    frontier[0], frontier[1] = end, tail
    return met


@helper
def _mark_back(rows: Rows, scratch: Scratch, frontier: Int64s, stamp: int) -> None:
    """Tell the nodes on shortest paths before the meeting their hops to the target."""
    forward, backward, queue = scratch.forward, scratch.backward, scratch.queues[0]
    tail = 0  # the forward queue has served; its last level is read before it is overwritten
    for i in range(frontier[0], frontier[1]):
        if backward[queue[i]] >= stamp:
            queue[tail] = queue[i]
            tail += 1
    at = 0
    while at < tail:
        v = queue[at]
        at += 1
        for c in range(rows.back_indptr[v], rows.back_indptr[v + 1]):
            u = rows.back_tails[c]
            if forward[u] < stamp or forward[u] != forward[v] - 1 or backward[u] >= stamp:
                continue
            if rows.dead.size > 0 and rows.dead[rows.back_channel[c]]:
                continue
            backward[u] = backward[v] + 1
            queue[tail] = u
            tail += 1


@helper
def _meet(rows: Rows, scratch: Scratch, source: int, target: int) -> int:
    """Search from both ends; hops of a shortest path, or -1."""
    scratch.stamp[0] += 2 * (rows.indptr.size + 1)
    stamp = scratch.stamp[0]
    scratch.forward[source] = scratch.backward[target] = stamp
    scratch.queues[0, 0], scratch.queues[1, 0] = source, target
    frontiers = np.asarray([[0, 1], [0, 1]])
    hops = 0
    met = source == target
    while not met:
        sizes = frontiers[:, 1] - frontiers[:, 0]
        if sizes[0] == 0 or sizes[1] == 0:
            return -1
        side = 0 if sizes[0] <= sizes[1] else 1
        hops += 1
        met = _advance(rows, scratch, side, frontiers[side], stamp)
    _mark_back(rows, scratch, frontiers[0], stamp)
    return hops


@helper(_nrt=False)
def _choose(rows: Rows, backward: Int64s, v: int, left: int, target: int, spread: bool) -> int:
    """The channel of a node on a shortest path: the first, or one that a hash of the pair picks."""
    count, first = 0, -1
    for c in range(rows.indptr[v], rows.indptr[v + 1]):
        if backward[rows.heads[c]] == left and not (rows.dead.size > 0 and rows.dead[c]):
            if not spread:
                return c
            first = c if count == 0 else first
            count += 1
    rank = (target * 2654435761 + v * 40503) // 256 % 65521 % count  # as core.router.spread
    for c in range(first, rows.indptr[v + 1]):
        if backward[rows.heads[c]] == left and not (rows.dead.size > 0 and rows.dead[c]):
            if rank == 0:
                return c
            rank -= 1
    return -1


@kernel
def shortest_paths(
    rows: Rows, scratch: Scratch, at: Int64s, to: Int64s, spread: bool
) -> tuple[Int64s, Int64s]:
    """The channels of a shortest path for each pair.

    Nodes on shortest paths are told their hops to the target, and the path goes down these: at
    every node by the first channel that begins a shortest path, or by one that a hash of node and
    target picks among them.

    A pair takes O(nodes + channels) at worst; memory 24 bytes a node, kept between pairs.

    Args:
        at, to: int64[pairs]
        spread: Pick by the hash.

    Returns:
        hops (int64[pairs]): -1 where there is no path.
        channels (int64[sum of hops]): Those of all paths, one path after the other.
    """
    hops = np.empty(at.size, np.int64)
    out = np.empty(8 * at.size + 64, np.int64)
    filled = 0
    for k in range(at.size):
        hops[k] = _meet(rows, scratch, at[k], to[k])
        if hops[k] <= 0:
            continue
        if filled + hops[k] > out.size:
            longer = np.empty(2 * (filled + hops[k]), np.int64)
            for i in range(filled):
                longer[i] = out[i]
            out = longer
        v = at[k]
        stamp = scratch.stamp[0]
        for i in range(hops[k]):
            left = stamp + hops[k] - i - 1
            channel = _choose(rows, scratch.backward, v, left, to[k], spread)
            out[filled] = channel
            filled += 1
            v = np.int64(rows.heads[channel])
    return hops, out[:filled]
