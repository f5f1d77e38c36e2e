"""Shortest paths by two searches that meet (numba)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.distance_kernels import live_distances
from hopscape.core.kernel import helper, kernel

__all__ = ["Wires", "add_trees", "meet"]


class Wires(NamedTuple):
    """The channels of a network, by the nodes that they leave and reach."""

    indptr: IntArray
    """int64[nodes + 1]"""
    tails: IntArray
    heads: IntArray
    """int32[channels]"""
    back_indptr: IntArray
    """int64[nodes + 1]"""
    back_channel: IntArray
    """int[channels]: the channels that enter each node."""


@kernel
def meet(wires: Wires, dead: IntArray, at: IntArray, to: IntArray) -> tuple[IntArray, IntArray]:
    """One shortest path for each pair: search from both ends, the smaller front first.

    Args:
        dead (bool[channels]): Channels that do not work; empty when all do.
        at, to: int64[pairs]

    Returns:
        starts (int64[pairs + 1]): Where the channels of each way begin; a pair without a path, or
            at home, has none.
        channels: int64[hops]
    """
    tails, heads = wires.tails, wires.heads
    order = len(wires.indptr) - 1
    seen = np.full((2, order), -1, np.int64)  # the pair for which a node was reached last
    by = np.empty((2, order), np.int64)  # and the channel by which
    fronts = np.empty((2, order), np.int64)
    starts = np.zeros(len(at) + 1, np.int64)
    out = np.empty(8 * len(at) + 64, np.int64)
    filled = 0
    for k in range(len(at)):
        middle = -1
        if at[k] != to[k]:
            middle = _meet_one(wires, dead, (seen, by, fronts), at[k], to[k], k)
        if middle >= 0:
            hops = _count(tails, heads, by, middle)
            if filled + hops > len(out):
                longer = np.empty(2 * (filled + hops), np.int64)
                longer[:filled] = out[:filled]
                out = longer
            _write(tails, heads, by, middle, out[filled : filled + hops])
            filled += hops
        starts[k + 1] = filled
    return starts, out[:filled]


@kernel
def _meet_one(
    wires: Wires,
    dead: IntArray,
    work: tuple[IntArray, IntArray, IntArray],
    start: int,
    goal: int,
    k: int,
) -> int:
    """A node in the middle of a shortest path, or -1.

    While no node is known from both ends, the way is longer than both radii together; so the first
    node that is found from both is on a shortest one.
    """
    indptr, tails, heads, back_indptr, back_channel = wires
    seen, by, fronts = work
    seen[0, start] = seen[1, goal] = k
    by[0, start] = by[1, goal] = -1
    fronts[0, 0], fronts[1, 0] = start, goal
    low, high = np.zeros(2, np.int64), np.ones(2, np.int64)
    while low[0] < high[0] and low[1] < high[1]:
        side = 0 if high[0] - low[0] <= high[1] - low[1] else 1
        end = high[side]
        while low[side] < end:
            u = fronts[side, low[side]]
            low[side] += 1
            first = indptr[u] if side == 0 else back_indptr[u]
            last = indptr[u + 1] if side == 0 else back_indptr[u + 1]
            for c in range(first, last):
                channel = c if side == 0 else np.int64(back_channel[c])
                if len(dead) > 0 and dead[channel]:
                    continue
                v = heads[channel] if side == 0 else tails[channel]
                if seen[side, v] == k:
                    continue
                seen[side, v] = k
                by[side, v] = channel
                if seen[1 - side, v] == k:
                    return v
                fronts[side, high[side]] = v
                high[side] += 1
    return -1


@helper(_nrt=False)
def _count(tails: IntArray, heads: IntArray, by: IntArray, middle: int) -> int:
    hops = 0
    v = middle
    while by[0, v] >= 0:
        hops += 1
        v = tails[by[0, v]]
    v = middle
    while by[1, v] >= 0:
        hops += 1
        v = heads[by[1, v]]
    return hops


@kernel
def _write(tails: IntArray, heads: IntArray, by: IntArray, middle: int, out: IntArray) -> None:
    place = 0
    v = middle
    while by[0, v] >= 0:  # backwards, turned round below
        out[place] = by[0, v]
        place += 1
        v = tails[by[0, v]]
    out[:place] = out[:place][::-1].copy()
    v = middle
    while by[1, v] >= 0:
        out[place] = by[1, v]
        place += 1
        v = heads[by[1, v]]


@kernel
def add_trees(
    wires: Wires,
    targets: IntArray,
    sends: IntArray,
    loads: IntArray,
) -> tuple[int, int]:
    """Add what all nodes send to each target, down a tree of shortest paths, to the loads.

    Args:
        targets: int64[targets]
        sends (float64[nodes]): What each node sends to each target other than itself.
        loads (float64[channels]): Added to.

    Returns:
        source, target (int): A sender that has no path, or -1 and -1.
    """
    indptr, tails, heads, back_indptr, back_channel = wires
    order = len(indptr) - 1
    far = np.empty(order, np.int64)
    flow = np.empty(order, np.float64)
    queue = np.empty(order, np.int64)
    found = np.empty(order, np.int64)
    live = np.ones(len(heads), np.bool_)
    for target in targets:
        flow[:] = sends
        flow[target] = 0
        high = live_distances(back_indptr, back_channel, tails, live, target, far, queue)
        if high < order:
            for u in range(order):
                if far[u] < 0 and sends[u] > 0:
                    return u, target
        for i in range(high - 1, 0, -1):
            u = queue[i]
            many = 0
            for c in range(indptr[u], indptr[u + 1]):
                if far[heads[c]] == far[u] - 1:
                    found[many] = c
                    many += 1
            c = found[(target * 2654435761 + u * 40503) // 256 % 65521 % many]
            loads[c] += flow[u]
            flow[heads[c]] += flow[u]
    return -1, -1
