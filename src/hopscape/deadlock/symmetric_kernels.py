"""Layers of pairs whose routes there and back close no cycle, filled one after the other."""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.kernel import helper, kernel
from hopscape.deadlock.layer_kernels import add_dependency
from hopscape.deadlock.layout import Dependencies, Wiring

__all__ = ["fill_pairs"]

_ONE = np.uint64(1)


@kernel
def fill_pairs(
    wiring: Wiring,
    toward: IntArray,
    first: IntArray,
    second: IntArray,
    layer: int,
    held: IntArray,
    dependencies: Dependencies,
) -> int:
    """Put pairs into a layer as far as both their routes fit; how many do not.

    Args:
        toward (uint8[order, order]): Which channel of a node (second) leads to a goal (first).
        first, second (int64[pairs]): The two nodes of each pair, in the order in which they are
            tried.
        held (uint8[pairs]): The layer of each pair; 255 for those that have none yet.
        dependencies: Those of the layer.
    """
    indptr, heads = wiring.indptr, wiring.heads
    graph = dependencies.graph
    order = len(indptr) - 1
    route = np.empty(2 * order + 2, np.int64)
    left = 0
    for i in range(len(first)):
        if held[i] != 255:
            continue
        there = _follow(wiring, toward[second[i]], first[i], second[i], route, 0)
        size = _follow(wiring, toward[first[i]], second[i], first[i], route, there)
        new = False
        for j in range(size - 1):
            if j + 1 != there and not graph[route[j], route[j + 1] - indptr[heads[route[j]]]]:
                new = True
        if new and not _agree(route, there, size, dependencies.leads):
            left += 1
            continue
        held[i] = layer
        for j in range(size - 2, -1, -1):
            if new and j + 1 != there:
                add_dependency(wiring, route[j], route[j + 1], dependencies)
    return left


@helper
def _follow(
    wiring: Wiring, ports: IntArray, source: int, goal: int, route: IntArray, size: int
) -> int:
    """Append the channels of a route; the new size."""
    indptr, heads = wiring.indptr, wiring.heads
    at = source
    while at != goal:
        route[size] = indptr[at] + ports[at]
        at = heads[route[size]]
        size += 1
    return size


@helper
def _leads(leads: IntArray, a: int, b: int) -> bool:
    return (leads[a, b >> 6] >> np.uint64(b & 63)) & _ONE != 0


@kernel
def _agree(route: IntArray, there: int, size: int, leads: IntArray) -> bool:
    """Do two routes fit into a layer? Their channels must not lead to each other in a circle."""
    for j in range(1, size):  # what rules most of them out: one leads back to one before it
        for i in range(there if j >= there else 0, j):
            if _leads(leads, route[j], route[i]):
                return False
    number = np.full(size, -1, np.int64)
    count = 0
    for j in range(size):
        for i in range(j):
            if route[i] == route[j]:
                number[j] = number[i]
        if number[j] < 0:
            number[j] = count
            count += 1
    after = np.zeros((count, count), np.bool_)
    for j in range(size):
        for i in range(size):
            if _leads(leads, route[i], route[j]):
                after[number[i], number[j]] = True
        if j and j != there:
            after[number[j - 1], number[j]] = True
    return _acyclic(after)


@kernel
def _acyclic(after: IntArray) -> bool:
    """Can what has nothing before it be taken away until all is gone?"""
    count = len(after)
    before = np.zeros(count, np.int64)
    for i in range(count):
        for j in range(count):
            before[j] += after[i, j]
    ready = np.empty(count, np.int64)
    size = gone = 0
    for j in range(count):
        if before[j] == 0:
            ready[size] = j
            size += 1
    while gone < size:
        i = ready[gone]
        gone += 1
        for j in range(count):
            if after[i, j]:
                before[j] -= 1
                if before[j] == 0:
                    ready[size] = j
                    size += 1
    return gone == count
