"""Loads of trees of shortest paths (numba)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.distance_kernels import live_distances
from hopscape.core.kernel import kernel

__all__ = ["Crossings", "add_trees"]


class Crossings(NamedTuple):
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
def add_trees(
    wires: Crossings,
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
    candidates = np.empty(order, np.int64)
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
                    candidates[many] = c
                    many += 1
            c = candidates[(target * 2654435761 + u * 40503) // 256 % 65521 % many]
            loads[c] += flow[u]
            flow[heads[c]] += flow[u]
    return -1, -1
