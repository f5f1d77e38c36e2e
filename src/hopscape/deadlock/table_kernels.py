"""Next ports from a table of distances, and both ways of ties."""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import NO_PORT, IntArray
from hopscape.core.kernel import kernel

__all__ = ["fill_ports", "fill_ties", "offset_ports"]


@kernel(steps=lambda offsets, taken: len(taken))
def offset_ports(offsets: IntArray, taken: IntArray) -> IntArray:
    """uint16[order, goals]: which of its channels every node takes by its port.

    ``taken`` holds the ports of all nodes towards one goal after the other, -1 for none;
    ``offsets[node, port]`` is the channel among those of the node, its last column for no port.
    """
    order = offsets.shape[0]
    goals = taken.size // order
    out = np.empty((goals, order), np.uint16)
    for goal in range(goals):
        for node in range(order):
            out[goal, node] = offsets[node, taken[goal * order + node]]
    return out.T


@kernel
def fill_ports(indptr: IntArray, heads: IntArray, towards: IntArray, port: IntArray) -> None:
    """Write into `port` the first channel of each node that begins a shortest path.

    ``towards[goal, node]`` is the distance from node to goal, its largest value where there is no
    way; ``port[node, goal]`` keeps its value on arrival and where there is no path.
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


@kernel(steps=lambda indptr, heads, twin, port, *_: 3 * port.size)
def fill_ties(
    indptr: IntArray,
    heads: IntArray,
    twin: IntArray,
    port: IntArray,
    other: IntArray,
    goals: IntArray,
) -> None:
    """Write into `other` the twin of a node's channel where that begins a path as short.

    The routes of `port`, one column for each of the goals, are shortest; ``twin[channel]`` is what
    to compare with, -1 for nothing.
    """
    order = len(indptr) - 1
    distance, line = np.empty(order, np.int32), np.empty(order, np.int64)
    for column in range(len(goals)):
        goal = goals[column]
        distance[:] = -1
        distance[goal] = 0
        for source in range(order):
            at, size = source, 0
            while distance[at] < 0 and port[at, column] != NO_PORT:
                line[size] = at
                size += 1
                at = heads[indptr[at] + port[at, column]]
            for i in range(size - 1, -1, -1):
                distance[line[i]] = distance[at] + size - i if distance[at] >= 0 else -2
        for node in range(order):
            if distance[node] > 0:
                turned = twin[indptr[node] + port[node, column]]
                if turned >= 0 and distance[heads[turned]] == distance[node] - 1:
                    other[node, column] = turned - indptr[node]
