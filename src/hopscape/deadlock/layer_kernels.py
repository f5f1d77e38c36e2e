"""Layers of routes whose dependencies have no cycle, filled one after the other.

Which channel leads to which by the dependencies of a layer is kept as bits. A route fits into the
layer when none of its channels leads back to one before it; that is all there is to test, and what
has been put in never has to be taken out. All routes to a goal form a tree, whose rest of a route
that fits comes with it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hopscape.core.arrays import NO_PORT, IntArray

__all__ = ["add_dependency", "count_uses", "fill_layer"]

_ONE, _EIGHT, _BYTE = np.uint64(1), np.uint64(8), np.uint64(255)


@njit(cache=True, nogil=True)
def _climb(
    indptr: IntArray,
    heads: IntArray,
    ports: IntArray,
    goal: int,
    order_of: IntArray,
    stack: IntArray,
    known: IntArray,
) -> int:
    """List the nodes of the tree of a goal, each after the next one on its way; how many."""
    known[:] = 0
    known[goal] = 2
    listed = 0
    for source in range(len(ports)):
        at, size = source, 0
        while known[at] == 0:
            known[at] = 1
            stack[size] = at
            size += 1
            if ports[at] == NO_PORT:
                break
            at = heads[indptr[at] + ports[at]]
        good = known[at] == 2
        for i in range(size - 1, -1, -1):
            known[stack[i]] = 2 if good else 3  # 3: no way, or round in circles
            if good:
                order_of[listed] = stack[i]
                listed += 1
    return listed


@njit(cache=True, nogil=True)
def count_uses(
    indptr: IntArray,
    heads: IntArray,
    toward: IntArray,
    layers: IntArray,
    sets: IntArray,
    layer: int,
    begins: IntArray,
    goals: IntArray,
    graph: IntArray,
) -> None:
    """Add to ``graph[channel, port]`` how many routes go on by that port in a layer.

    ``layers[goal, source]`` is the number of a route's set of layers, which are bits of `sets`.
    """
    order = len(indptr) - 1
    line, stack = np.empty(order, np.int32), np.empty(order + 1, np.int32)
    known, weight = np.empty(order, np.uint8), np.empty(order, np.int32)
    for goal in goals:
        ports = toward[goal]
        listed = _climb(indptr, heads, ports, goal, line, stack, known)
        weight[:] = 0
        for i in range(listed - 1, -1, -1):
            at = line[i]
            if begins[at] and sets[layers[goal, at]] >> layer & 1:
                weight[at] += 1
            if weight[at] == 0:
                continue
            channel = indptr[at] + ports[at]
            then = heads[channel]
            if then != goal:
                weight[then] += weight[at]
                graph[channel, ports[then]] += weight[at]


@njit(cache=True, nogil=True)
def fill_layer(
    indptr: IntArray,
    heads: IntArray,
    toward: IntArray,
    bits: IntArray,
    layer: int,
    again: int,
    begins: IntArray,
    goals: IntArray,
    graph: IntArray,
    leads: IntArray,
    comes: IntArray,
) -> int:
    """Put routes into a layer as far as they fit; how many do not.

    Parameters
    ----------
    toward : uint16[order, order]
        Next port of a node (second) to a goal (first).
    bits : uint32[order, order]
        The layers that each route is in, by goal and source.
    layer : int
    again : bool
        Put routes that are in other layers here too; otherwise those that are in none.
    begins : uint8[order]
        Nodes where routes begin.
    goals : int[goals]
        In the order in which they are tried.
    graph : uint8[channels, ports]
        Dependencies of the layer.
    leads, comes : uint64[channels, words]
        Channels that each channel leads to, and comes from, as bits.
    """
    order = len(indptr) - 1
    line, stack = np.empty(order, np.int32), np.empty(order + 1, np.int32)
    known = np.empty(order, np.uint8)
    way = np.empty(order + 1, np.int64)
    mine = np.uint32(1 << layer)
    left = 0
    for goal in goals:
        ports = toward[goal]
        listed = _climb(indptr, heads, ports, goal, line, stack, known)
        for i in range(listed - 1, -1, -1):  # longest first, within each branch
            source = line[i]
            held = bits[goal, source]
            if not begins[source] or held & mine or (held and not again):
                continue
            size, at, new = 0, source, False
            while at != goal:
                way[size] = indptr[at] + ports[at]
                at = heads[way[size]]
                if at != goal and not graph[way[size], ports[at]]:
                    new = True
                size += 1
            if new and not _fits(way, size, leads):
                left += 1
                continue
            if new:
                _put(indptr, heads, way, size, graph, leads, comes)
            at = source
            while at != goal:
                if begins[at] and (again or not bits[goal, at]):
                    bits[goal, at] |= mine
                at = heads[indptr[at] + ports[at]]
    return left


@njit(cache=True, nogil=True)
def _fits(way: IntArray, size: int, leads: IntArray) -> bool:
    """Does no channel of a way lead back to one before it?"""
    for j in range(1, size):
        row = leads[way[j]]
        for i in range(j):
            if row[way[i] >> 6] >> np.uint64(way[i] & 63) & _ONE:
                return False
    return True


@njit(cache=True, nogil=True)
def _put(
    indptr: IntArray,
    heads: IntArray,
    way: IntArray,
    size: int,
    graph: IntArray,
    leads: IntArray,
    comes: IntArray,
) -> None:
    """Add the dependencies of a way, from its end on."""
    for j in range(size - 2, -1, -1):
        add_dependency(indptr, heads, way[j], way[j + 1], graph, leads, comes)


@njit(cache=True, nogil=True)
def add_dependency(
    indptr: IntArray,
    heads: IntArray,
    first: int,
    second: int,
    graph: IntArray,
    leads: IntArray,
    comes: IntArray,
) -> None:
    """Add the dependency of a channel on the next, and what leads to what because of it."""
    port = second - indptr[heads[first]]
    if graph[first, port]:
        return
    graph[first, port] = 1
    if leads[first, second >> 6] >> np.uint64(second & 63) & _ONE:
        return
    before, after = comes[first].copy(), leads[second].copy()
    before[first >> 6] |= _ONE << np.uint64(first & 63)
    after[second >> 6] |= _ONE << np.uint64(second & 63)
    led, came = leads[first].copy(), comes[second].copy()
    _spread(leads, before, came, after)
    _spread(comes, after, led, before)


@njit(cache=True, nogil=True)
def _spread(table: IntArray, rows: IntArray, done: IntArray, bits: IntArray) -> None:
    """Add bits to those rows of a table that are not done yet."""
    for word in range(len(rows)):
        todo = rows[word] & ~done[word]
        row = word << 6
        while todo:
            if not todo & _BYTE:
                todo >>= _EIGHT
                row += 8
                continue
            if todo & _ONE:
                line = table[row]
                for k in range(len(line)):
                    line[k] |= bits[k]
            todo >>= _ONE
            row += 1
