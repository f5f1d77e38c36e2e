"""Next ports from a table of distances, and both ways of ties."""

from __future__ import annotations

import numpy as np
from numba import njit

from hopscape.core.arrays import NO_PORT, IntArray

__all__ = ["fill_ports", "fill_ties"]


@njit(cache=True, nogil=True)
def fill_ports(indptr: IntArray, heads: IntArray, towards: IntArray, port: IntArray) -> None:
    """Write into `port` the first channel of each node that begins a shortest way.

    ``towards[goal, node]`` is the distance from node to goal, its largest value where there is no
    way; ``port[node, goal]`` keeps its value on arrival and where there is no way.
    """
    order = len(indptr) - 1
    for goal in range(order):
        row = towards[goal]
        for node in range(order):
            if node == goal:
                continue
            want = int(row[node]) - 1
            for channel in range(indptr[node], indptr[node + 1]):
                if int(row[heads[channel]]) == want:
                    port[node, goal] = channel - indptr[node]
                    break


@njit(cache=True, nogil=True)
def fill_ties(
    indptr: IntArray, heads: IntArray, twin: IntArray, port: IntArray, other: IntArray
) -> int:
    """Write into `other` the twin of a node's channel where that begins a way as short.

    The routes of `port` are shortest; ``twin[channel]`` is what to compare with, -1 for nothing.
    The number of ties is returned.
    """
    order = len(indptr) - 1
    distance, line = np.empty(order, np.int32), np.empty(order, np.int64)
    ties = 0
    for goal in range(order):
        distance[:] = -1
        distance[goal] = 0
        for source in range(order):
            at, size = source, 0
            while distance[at] < 0 and port[at, goal] != NO_PORT:
                line[size] = at
                size += 1
                at = heads[indptr[at] + port[at, goal]]
            for i in range(size - 1, -1, -1):
                distance[line[i]] = distance[at] + size - i if distance[at] >= 0 else -2
        for node in range(order):
            if distance[node] > 0:
                turned = twin[indptr[node] + port[node, goal]]
                if turned >= 0 and distance[heads[turned]] == distance[node] - 1:
                    other[node, goal] = turned - indptr[node]
                    ties += 1
    return ties
