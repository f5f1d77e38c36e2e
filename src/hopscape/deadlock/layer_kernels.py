"""Layers of routes whose dependencies have no cycle, filled one after the other.

Which channel leads to which by the dependencies of a layer is kept as bits. A route fits into the
layer when none of its channels leads back to one before it; that is all there is to test, and what
has been put in never has to be taken out. All routes to a goal form a tree, whose rest of a route
that fits comes with it.

Layers of pairs whose routes there and back close no cycle, filled one after the other.

Classes that rise where a route turns up again: how many are needed, and who can wait for whom.

Tables have a row for each target: the channel, from the first of its node on, by which each node
leaves for it; without a route, a number beyond the node's channels. A vertex of the dependency
graph is ``channel * classes + class``; its successors are ``offset at the head * classes + class``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import NO_PORT, IntArray
from hopscape.core.kernel import helper, kernel
from hopscape.deadlock.layout import Dependencies, Wiring

__all__ = ["add_dependency", "count_uses", "fill_layer", "fill_pairs", "most_falls", "rising_waits"]

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
            layers = bits[goal, source]
            if not begins[source] or layers & mine or (layers and not again):
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


@kernel
def fill_pairs(
    wiring: Wiring,
    toward: IntArray,
    first: IntArray,
    second: IntArray,
    layer: int,
    layer_of: IntArray,
    dependencies: Dependencies,
) -> int:
    """Put pairs into a layer as far as both their routes fit; how many do not.

    Args:
        toward (uint8[order, order]): Which channel of a node (second) leads to a goal (first).
        first, second (int64[pairs]): The two nodes of each pair, in the order in which they are
            tried.
        layer_of (uint8[pairs]): The layer of each pair; 255 for those that have none yet.
        dependencies: Those of the layer.
    """
    indptr, heads = wiring.indptr, wiring.heads
    graph = dependencies.graph
    order = len(indptr) - 1
    route = np.empty(2 * order + 2, np.int64)
    left = 0
    for i in range(len(first)):
        if layer_of[i] != 255:
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
        layer_of[i] = layer
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


class _Room(NamedTuple):
    """Working memory for the routes to one target after the other."""

    known: IntArray
    stack: IntArray
    order: IntArray


@kernel
def _room(nodes: int) -> _Room:
    return _Room(np.empty(nodes, np.uint8), np.empty(nodes, np.int64), np.empty(nodes, np.int64))


@helper
def _sequence(
    wiring: Wiring, ports: IntArray, target: int, is_end: IntArray, room: _Room
) -> IntArray:
    """Nodes on the routes of all endpoints to an endpoint, each after the next one.

    Nodes without a route are left out; nothing leads to a target that is no endpoint.
    """
    if not is_end[target]:
        return room.order[:0]
    indptr, heads = wiring.indptr, wiring.heads
    known, stack, order = room
    known[:] = 0
    known[target] = 1
    count = 0
    for source in range(len(is_end)):
        if not is_end[source]:
            continue
        v, height = source, 0
        while known[v] == 0:
            stack[height] = v
            height += 1
            if ports[v] >= indptr[v + 1] - indptr[v]:
                known[v] = 2
                break
            known[v] = 1
            v = heads[indptr[v] + ports[v]]
        lost = known[v] == 2
        for i in range(height - 1, -1, -1):
            if lost:
                known[stack[i]] = 2
            else:
                order[count] = stack[i]
                count += 1
    return order[:count]


@kernel
def most_falls(
    wiring: Wiring,
    table: IntArray,
    targets: IntArray,
    is_end: IntArray,
    down: IntArray,
    each: IntArray,
) -> int:
    """How often, at most, a route goes up again after it went down.

    ``each[node, target]`` gets the number for every route, unless it is empty.
    """
    indptr, heads = wiring.indptr, wiring.heads
    room, falls = _room(len(is_end)), np.empty(len(is_end), np.int64)
    most = 0
    for row in range(len(table)):
        target = targets[row]
        falls[target] = 0
        for v in _sequence(wiring, table[row], target, is_end, room):
            c = indptr[v] + table[row, v]
            w = heads[c]
            falls[v] = falls[w]
            if w != target and down[c] and not down[indptr[w] + table[row, w]]:
                falls[v] += 1
            if is_end[v] and falls[v] > most:
                most = falls[v]
            if len(each):
                each[v, target] = min(falls[v], 255)
    return most


@kernel
def rising_waits(
    wiring: Wiring,
    table: IntArray,
    targets: IntArray,
    is_end: IntArray,
    down: IntArray,
    classes: int,
    first: IntArray,
    waits: IntArray,
) -> int:
    """Mark who waits for whom when a packet rises where it turns up again.

    It starts in any of the classes from 0 to ``first[node, target]`` (0 for all if that has but one
    entry). Returns how many classes are used, or 0 once they are not enough.
    """
    indptr, heads = wiring.indptr, wiring.heads
    room, here = _room(len(is_end)), np.empty(len(is_end), np.uint64)
    used = 1
    for row in range(len(table)):
        target = targets[row]
        order = _sequence(wiring, table[row], target, is_end, room)
        for v in order:
            more = np.uint64(first[v, target] if len(first) > 1 else 0) + np.uint64(1)
            here[v] = (np.uint64(1) << more) - np.uint64(1) if is_end[v] else 0
        for v in order[::-1]:
            c = indptr[v] + table[row, v]
            w = heads[c]
            if w == target:
                continue
            out = np.int64(table[row, w])
            rise = 1 if down[c] and not down[indptr[w] + out] else 0
            for k in range(classes):
                if here[v] >> np.uint64(k) & np.uint64(1):
                    used = max(used, k + rise + 1)
                    if used > classes:
                        return 0
                    here[w] |= np.uint64(1) << np.uint64(k + rise)
                    waits[c * classes + k, out * classes + k + rise] = 1
    return used
