"""Channel dependencies: who waits for whom, cycles, and layers that have none.

A vertex is a channel and a class of virtual channels, ``channel * classes + class``. Its possible
successors are the channels of the node it leads to, so that the graph is a table of bytes (or
counts) with one column per (channel offset, class).

Next ports from a table of distances, and both ways of ties.
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import NO_PORT, IntArray
from hopscape.core.kernel import helper, kernel
from hopscape.deadlock.layout import PortTable, RingEntries, Wiring

__all__ = [
    "collect_plain",
    "collect_rings",
    "cyclic_part",
    "fill_ports",
    "fill_ties",
    "layer_pairs",
    "offset_ports",
    "pairs_over",
    "ring_classes",
    "shortest_cycle",
    "used_pairs",
]


@helper(error_model="numpy", _nrt=False)
def _departure(table: PortTable, node: int, column: int, turn: int) -> int:
    """The channel by which packets for the goal of a column leave a node, or -1.

    With `turn` 1, the other channel of a tie.
    """
    out = table.other[node, column] if turn else table.port[node, column]
    if node == table.goals[column] or out == NO_PORT:
        return -1
    if turn and out == table.port[node, column]:
        return -1
    return table.indptr[node] + out


@kernel(steps=lambda table, begins, columns, graph: 12 * len(columns) * len(begins))
def collect_plain(table: PortTable, begins: IntArray, columns: IntArray, graph: IntArray) -> None:
    """Count the dependencies of the routes from nodes marked in `begins` to the goals of some
    columns, in one class."""
    heads, port, other = table.heads, table.port, table.other
    order = len(port)
    seen, stack = np.empty(order, np.uint8), np.empty(order, np.int64)
    for column in columns:
        goal = table.goals[column]
        size = 0
        for source in range(order):
            seen[source] = begins[source] and source != goal
            if seen[source]:
                stack[size] = source
                size += 1
        seen[goal] = 1
        while size:
            size -= 1
            source = stack[size]
            for turn in range(2):
                channel = _departure(table, source, column, turn)
                if channel < 0:
                    continue
                at = heads[channel]
                if at == goal:
                    continue
                if port[at, column] != NO_PORT:
                    graph[channel, port[at, column]] += 1
                if other[at, column] != NO_PORT and other[at, column] != port[at, column]:
                    graph[channel, other[at, column]] += 1
                if not seen[at]:
                    seen[at] = 1
                    stack[size] = at
                    size += 1


@kernel(steps=lambda table, *_: 20 * table.port.size)
def ring_classes(
    table: PortTable,
    rings: IntArray,
    first: IntArray,
    second: IntArray,
    free: int,
    entry: IntArray,
    entry_other: IntArray,
) -> None:
    """How a packet enters a ring: 1 when its straight run crosses the first dateline, else 0 when
    it crosses the second, else `free`."""
    heads = table.heads
    crosses = np.zeros(len(heads), np.uint8)  # of the run that goes on from each channel
    stamp = np.zeros(len(heads), np.int32)  # for which target that is known
    run = np.empty(len(heads), np.int64)
    for column in range(len(table.goals)):
        goal = table.goals[column]
        for source in range(len(table.port)):
            for turn in range(2):
                channel = start = _departure(table, source, column, turn)
                if start < 0:
                    continue
                size, crossed = 0, np.uint8(free)
                while channel >= 0 and rings[channel] >= 0:
                    if stamp[channel] == goal + 1:
                        crossed = crosses[channel]
                        break
                    run[size] = channel
                    size += 1
                    stamp[channel] = goal + 1
                    crosses[channel] = free
                    if first[channel]:
                        break
                    at, ring = heads[channel], rings[channel]
                    channel = -1 if at == goal else _onward(table, rings, at, column, ring)
                for i in range(size - 1, -1, -1):
                    if first[run[i]]:
                        crossed = np.uint8(1)
                    elif second[run[i]] and crossed != 1:
                        crossed = np.uint8(0)
                    crosses[run[i]] = crossed
                crossed = crosses[start] if rings[start] >= 0 else np.uint8(0)
                if turn == 0:
                    entry[source, column] = crossed
                entry_other[source, column] = crossed


@helper(error_model="numpy", _nrt=False)
def _onward(table: PortTable, rings: IntArray, at: int, column: int, ring: int) -> int:
    """The channel by which a route goes on in the same ring, or -1."""
    for turn in range(2):
        channel = _departure(table, at, column, turn)
        if channel >= 0 and rings[channel] == ring:
            return channel
    return -1


@kernel(steps=lambda table, *_: 25 * table.port.size)
def collect_rings(table: PortTable, entries: RingEntries, graph: IntArray) -> None:
    """Mark the dependencies when a packet keeps its class as long as it stays in one ring.

    It enters in any class of a set, whose classes are the bits of `sets`.
    """
    entry, entry_other, sets = entries.entry, entries.entry_other, entries.sets
    stamp = np.zeros(2 * len(table.heads), np.int32)  # the last target for which this was followed
    for column in range(len(table.goals)):
        for source in range(len(table.port)):
            for turn in range(2):
                first = _departure(table, source, column, turn)
                mine = sets[entry[source, column] if turn == 0 else entry_other[source, column]]
                for kind in range(2):
                    if mine >> kind & 1:
                        _collect_run(table, entries, graph, stamp, column, first, kind)


@helper(error_model="numpy", _nrt=False)
def _collect_run(
    table: PortTable,
    entries: RingEntries,
    graph: IntArray,
    stamp: IntArray,
    column: int,
    channel: int,
    kind: int,
) -> None:
    """Dependencies of a straight run in one class, and of the turns at its nodes.

    None from channel -1, and from there on where the run was followed for the same goal before.
    """
    indptr, heads = table.indptr, table.heads
    rings, sets = entries.rings, entries.sets
    entry, entry_other = entries.entry, entries.entry_other
    goal = table.goals[column]
    while channel >= 0 and stamp[channel * 2 + kind] != goal + 1:
        stamp[channel * 2 + kind] = goal + 1
        at, before = heads[channel], channel
        channel = -1
        for turn in range(2):
            follower = _departure(table, at, column, turn)
            if follower < 0:
                continue
            then = follower - indptr[at]
            if rings[before] >= 0 and rings[follower] == rings[before]:
                channel = follower
                graph[before * 2 + kind, then * 2 + kind] = 1
                continue
            theirs = sets[entry[at, column] if turn == 0 else entry_other[at, column]]
            for level in range(2):
                if theirs >> level & 1:
                    graph[before * 2 + kind, then * 2 + level] = 1


@kernel(steps=lambda indptr, heads, graph, classes: graph.size)
def cyclic_part(indptr: IntArray, heads: IntArray, graph: IntArray, classes: int) -> IntArray:
    """Marks the vertices that are left when those without predecessors are taken off again and
    again: none when the graph has no cycle.

    A. B. Kahn, "Topological sorting of large networks", 1962; linear in the table.
    """
    count = len(heads) * classes
    before = np.zeros(count, dtype=np.int64)
    width = graph.shape[1]
    for vertex in range(count):
        base = indptr[heads[vertex // classes]] * classes
        for column in range(width):
            if graph[vertex, column]:
                before[base + column] += 1
    stack = np.empty(count, dtype=np.int64)
    left = np.ones(count, dtype=np.uint8)
    size = 0
    for vertex in range(count):
        if before[vertex] == 0:
            stack[size] = vertex
            size += 1
    while size:
        size -= 1
        vertex = stack[size]
        left[vertex] = 0
        base = indptr[heads[vertex // classes]] * classes
        for column in range(width):
            if graph[vertex, column]:
                before[base + column] -= 1
                if before[base + column] == 0:
                    stack[size] = base + column
                    size += 1
    return left


@kernel(steps=lambda indptr, heads, graph, classes, left, starts: starts * graph.size)
def shortest_cycle(
    indptr: IntArray, heads: IntArray, graph: IntArray, classes: int, left: IntArray, starts: int
) -> IntArray:
    """The vertices of a shortest cycle through one of the first `starts` marked vertices.

    A breadth-first search from each of them.
    """
    count = len(heads) * classes
    width = graph.shape[1]
    distance = np.full(count, -1, dtype=np.int64)
    parent = np.empty(count, dtype=np.int64)
    queue = np.empty(count, dtype=np.int64)
    best = np.empty(0, dtype=np.int64)
    limit = count + 1
    for root in range(count):
        if not left[root]:
            continue
        if starts == 0:
            break
        starts -= 1
        size, at, end = 1, 0, -1
        queue[0] = root
        distance[root] = 0
        while at < size and end < 0:
            vertex = queue[at]
            at += 1
            if distance[vertex] + 1 >= limit:
                break
            base = indptr[heads[vertex // classes]] * classes
            for column in range(width):
                if graph[vertex, column]:
                    follower = base + column
                    if follower == root:
                        end = vertex
                        break
                    if left[follower] and distance[follower] < 0:
                        distance[follower] = distance[vertex] + 1
                        parent[follower] = vertex
                        queue[size] = follower
                        size += 1
        if end >= 0:
            limit = distance[end] + 1
            best = np.empty(limit, dtype=np.int64)
            vertex = end
            for i in range(limit - 1, -1, -1):
                best[i] = vertex
                vertex = parent[vertex]
        for i in range(size):
            distance[queue[i]] = -1
    return best


@kernel
def used_pairs(
    wiring: Wiring,
    toward: IntArray,
    layers: IntArray,
    layer: int,
    begins: IntArray,
    goals: IntArray,
    cut: IntArray,
    moved: int,
) -> int:
    """Move the pairs of a layer that use a cut dependency to the layer `moved`; how many.

    `toward` and `layers` are by goal and source.
    """
    indptr, heads = wiring.indptr, wiring.heads
    order = len(indptr) - 1
    count = 0
    for goal in goals:
        ports = toward[goal]
        for source in range(order):
            if source == goal or layers[goal, source] != layer or not begins[source]:
                continue
            at, before = source, -1
            while at != goal:
                out = ports[at]
                if out == NO_PORT:
                    break
                if before >= 0 and cut[before, out]:
                    layers[goal, source] = moved
                    count += 1
                    break
                before = indptr[at] + out
                at = heads[before]
    return count


@kernel
def layer_pairs(indptr: IntArray, heads: IntArray, graph: IntArray, cut: IntArray) -> int:
    """Mark in `cut` dependencies whose removal leaves no cycle, the least used of each found.

    `graph` holds how many pairs use each dependency; those cut are set to 0.
    """
    count = len(heads)
    width = graph.shape[1]
    colour = np.zeros(count, dtype=np.uint8)
    stack = np.empty(count + 1, dtype=np.int64)
    column = np.zeros(count, dtype=np.int64)
    place = np.empty(count, dtype=np.int64)  # on the stack, for those of colour 1
    total = 0
    for root in range(count):
        if colour[root]:
            continue
        size = 1
        stack[0] = root
        colour[root], place[root], column[root] = 1, 0, 0
        while size:
            vertex = stack[size - 1]
            at = column[vertex]
            if at == width:
                colour[vertex] = 2
                size -= 1
                continue
            column[vertex] = at + 1
            if not graph[vertex, at]:
                continue
            follower = indptr[heads[vertex]] + at
            if colour[follower] == 0:
                stack[size] = follower
                colour[follower], place[follower], column[follower] = 1, size, 0
                size += 1
            elif colour[follower] == 1:
                total += 1
                size = _cut_weakest(stack, size, place, column, colour, graph, cut, follower)
    return total


@helper(_nrt=False)
def _cut_weakest(
    stack: IntArray,
    size: int,
    place: IntArray,
    column: IntArray,
    colour: IntArray,
    graph: IntArray,
    cut: IntArray,
    closing: int,
) -> int:
    """Cut the least used dependency of the cycle on the stack, and step back to before it."""
    low, where = np.int64(2**62), -1
    for i in range(place[closing], size):
        vertex = stack[i]
        weight = graph[vertex, column[vertex] - 1]
        if weight < low:
            low, where = weight, i
    vertex = stack[where]
    cut[vertex, column[vertex] - 1] = 1
    graph[vertex, column[vertex] - 1] = 0
    for i in range(where + 1, size):
        colour[stack[i]] = 0
    return where + 1


@kernel
def pairs_over(indptr: IntArray, heads: IntArray, port: IntArray, channel: int) -> IntArray:
    """uint8[order, order]: which pairs (source, goal) are routed over a channel."""
    order = len(indptr) - 1
    out = np.zeros((order, order), dtype=np.uint8)
    for goal in range(order):
        for source in range(order):
            at = source
            while at != goal:
                step = port[at, goal]
                if step == NO_PORT:
                    break
                taken = indptr[at] + step
                if taken == channel:
                    out[source, goal] = 1
                    break
                at = heads[taken]
    return out


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
