"""Layers of routes whose dependencies have no cycle, filled one after the other.

Which channel leads to which by the dependencies of a layer is kept as bits. A route fits into the
layer when none of its channels leads back to one before it; that is all there is to test, and what
has been put in never has to be taken out. All routes to a goal form a tree, whose rest of a route
that fits comes with it.
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import NO_PORT, IntArray
from hopscape.core.kernel import helper, kernel
from hopscape.deadlock.layout import Dependencies, Wiring

__all__ = ["add_dependency", "count_uses", "fill_layer"]

_ONE, _EIGHT, _BYTE = np.uint64(1), np.uint64(8), np.uint64(255)


@helper(_nrt=False)
def _climb(
    wiring: Wiring, ports: IntArray, goal: int, order_of: IntArray, stack: IntArray, known: IntArray
) -> int:
    """List the nodes of the tree of a goal, each after the next one on its route; how many."""
    indptr, heads = wiring.indptr, wiring.heads
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
            known[stack[i]] = 2 if good else 3  # 3: no route, or round in circles
            if good:
                order_of[listed] = stack[i]
                listed += 1
    return listed


@kernel
def count_uses(
    wiring: Wiring,
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
    indptr, heads = wiring.indptr, wiring.heads
    order = len(indptr) - 1
    line, stack = np.empty(order, np.int32), np.empty(order + 1, np.int32)
    known, weight = np.empty(order, np.uint8), np.empty(order, np.int32)
    for goal in goals:
        ports = toward[goal]
        listed = _climb(wiring, ports, goal, line, stack, known)
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


@kernel
def fill_layer(
    wiring: Wiring,
    toward: IntArray,
    bits: IntArray,
    layer: int,
    again: bool,
    begins: IntArray,
    goals: IntArray,
    dependencies: Dependencies,
) -> int:
    """Put routes into a layer as far as they fit; how many do not.

    Args:
        toward (uint16[order, order]): Next port of a node (second) to a goal (first).
        bits (uint32[order, order]): The layers that each route is in, by goal and source.
        again: Put routes that are in other layers here too; otherwise those that are in none.
        begins (uint8[order]): Nodes where routes begin.
        goals (int[goals]): In the order in which they are tried.
        dependencies: Those of the layer.
    """
    indptr, heads = wiring.indptr, wiring.heads
    graph = dependencies.graph
    order = len(indptr) - 1
    line, stack = np.empty(order, np.int32), np.empty(order + 1, np.int32)
    known = np.empty(order, np.uint8)
    route = np.empty(order + 1, np.int64)
    mine = np.uint32(1 << layer)
    left = 0
    for goal in goals:
        ports = toward[goal]
        listed = _climb(wiring, ports, goal, line, stack, known)
        for i in range(listed - 1, -1, -1):  # longest first, within each branch
            source = line[i]
            held = bits[goal, source]
            if not begins[source] or held & mine or (held and not again):
                continue
            size, at, new = 0, source, False
            while at != goal:
                route[size] = indptr[at] + ports[at]
                at = heads[route[size]]
                if at != goal and not graph[route[size], ports[at]]:
                    new = True
                size += 1
            if new and not _fits(route, size, dependencies.leads):
                left += 1
                continue
            if new:
                _put(wiring, route, size, dependencies)
            at = source
            while at != goal:
                if begins[at] and (again or not bits[goal, at]):
                    bits[goal, at] |= mine
                at = heads[indptr[at] + ports[at]]
    return left


@helper(_nrt=False)
def _fits(route: IntArray, size: int, leads: IntArray) -> bool:
    """Does no channel of a route lead back to one before it?"""
    for j in range(1, size):
        row = leads[route[j]]
        for i in range(j):
            if row[route[i] >> 6] >> np.uint64(route[i] & 63) & _ONE:
                return False
    return True


@helper
def _put(wiring: Wiring, route: IntArray, size: int, dependencies: Dependencies) -> None:
    """Add the dependencies of a route, from its end on."""
    for j in range(size - 2, -1, -1):
        add_dependency(wiring, route[j], route[j + 1], dependencies)


@kernel
def add_dependency(wiring: Wiring, first: int, second: int, dependencies: Dependencies) -> None:
    """Add the dependency of a channel on the next, and what leads to what because of it."""
    graph, leads, comes = dependencies.graph, dependencies.leads, dependencies.comes
    port = second - wiring.indptr[wiring.heads[first]]
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


@helper(_nrt=False)
def _spread(table: IntArray, rows: IntArray, done: IntArray, bits: IntArray) -> None:
    """Add bits to those rows of a table that are not done yet."""
    low, high = len(bits), 0  # the words that hold any
    for k in range(len(bits)):
        if bits[k]:
            low, high = min(low, k), k + 1
    for word in range(len(rows)):
        todo = rows[word] & ~done[word]
        row = word << 6
        while todo:
            if not todo & _BYTE:
                todo >>= _EIGHT
                row += 8
                continue
            if todo & _ONE:
                for k in range(low, high):
                    table[row, k] |= bits[k]
            todo >>= _ONE
            row += 1
