"""Largest matchings of bipartite graphs (Hopcroft and Karp).

scipy has them too, but its function takes seconds for the pairs over one channel of a ring of 500
nodes, and minutes for 1,500 (`benchmarks/matching.py`); this takes milliseconds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import Array
from hopscape.core.kernel import helper, kernel


class _Graph(NamedTuple):
    """The right nodes of each left one, the partners of both, and the layers of the left nodes."""

    start: Array
    rights: Array
    mate: Array
    owner: Array
    level: Array


@kernel
def largest_matching(pairs: Array, count: int, nodes: int) -> int:
    """Most of the first `count` pairs (left, right) of which no two share an end."""
    start = np.zeros(nodes + 1, np.int64)
    for i in range(count):
        start[pairs[i, 0] + 1] += 1
    for v in range(nodes):
        start[v + 1] += start[v]
    fill = start[:-1].copy()
    rights = np.empty(count, np.int64)
    for i in range(count):
        rights[fill[pairs[i, 0]]] = pairs[i, 1]
        fill[pairs[i, 0]] += 1
    mate = np.full(nodes, -1, np.int64)
    owner = np.full(nodes, -1, np.int64)
    size = 0
    for v in range(nodes):
        for i in range(start[v], start[v + 1]):
            if owner[rights[i]] < 0:
                mate[v], owner[rights[i]] = rights[i], v
                size += 1
                break
    graph = _Graph(start, rights, mate, owner, np.empty(nodes, np.int64))
    queue, at = np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    while _layers(graph, queue):
        for v in range(nodes):
            at[v] = start[v]
        for v in range(nodes):
            if mate[v] < 0 and start[v] < start[v + 1]:
                size += _augment(v, graph, queue, at)
    return size


@helper
def _layers(graph: _Graph, queue: Array) -> bool:
    """Distances from the free left nodes along alternating ways; is there a free right node?"""
    start, rights, mate, owner, level = graph
    done, count = 0, 0
    for v in range(len(mate)):
        level[v] = -1
        if mate[v] < 0:
            level[v] = 0
            queue[count] = v
            count += 1
    found = False
    while done < count:
        v = queue[done]
        done += 1
        for i in range(start[v], start[v + 1]):
            w = owner[rights[i]]
            if w < 0:
                found = True
            elif level[w] < 0:
                level[w] = level[v] + 1
                queue[count] = w
                count += 1
    return found


@helper
def _augment(root: int, graph: _Graph, stack: Array, at: Array) -> int:
    """Follow the layers from a free left node to a free right one and turn the way round."""
    start, rights, mate, owner, level = graph
    height = 1
    stack[0] = root
    while height:
        v = stack[height - 1]
        if at[v] == start[v + 1]:
            level[v] = -1
            height -= 1
            if height:
                at[stack[height - 1]] += 1
            continue
        w = owner[rights[at[v]]]
        if w < 0:
            for i in range(height):
                u = stack[i]
                mate[u] = rights[at[u]]
                owner[rights[at[u]]] = u
            return 1
        if level[w] == level[v] + 1:
            stack[height] = w
            height += 1
        else:
            at[v] += 1
    return 0
