"""Routes between leaves, followed from switch to switch.

Leaves are endpoints with one line to one switch. Their channels wait for nobody, or nobody waits
for them, and what happens between switches does not depend on which leaf of a switch sends. So
each goal is followed from its switch outwards, and leaves count by how many are alike.
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import NO_PORT, IntArray
from hopscape.core.kernel import helper, kernel
from hopscape.deadlock.layout import LeafTable

__all__ = ["leaf_falls", "leaf_waits"]


@helper(error_model="numpy", _nrt=False)
def _departs(table: LeafTable, switch: int, goal: int) -> int:
    """The channel of a switch towards a leaf of another one, or -1."""
    port = table.port[switch, table.column[table.aside[switch], goal]]
    return table.base[switch] + port if port != NO_PORT else -1


@helper(error_model="numpy", _nrt=False)
def _listed(
    table: LeafTable,
    goal: int,
    turn: int,
    anywhere: bool,
    known: IntArray,
    channel: IntArray,
    line: IntArray,
) -> int:
    """List the switches on routes to a leaf, each after the next one on its way; how many.

    ``channel[switch]`` is the way by which each is left. -1 when a way does not arrive.
    """
    home = -1 - table.number[goal]
    known[home] = turn
    channel[home] = table.base[home] + table.exit[goal]
    count = 1 if anywhere or table.sources[home, 0] + table.sources[home, 1] > 1 else 0
    line[0] = home
    top = len(line)
    for first in range(len(table.nodes)):
        if not anywhere and table.sources[first, 0] + table.sources[first, 1] == 0:
            continue
        height, at = top, first
        while known[at] != turn:
            height -= 1
            if height < count:
                return -1  # round in circles
            line[height] = at
            known[at] = turn
            channel[at] = _departs(table, at, goal)
            if channel[at] < 0:
                return -1
            at = table.then[channel[at]]
            if at < 0:
                return -1
        if height < top and count == 0:
            line[0], count = home, 1
        for i in range(height, top):
            line[count + i - height] = line[i]
        count += top - height
    return int(count)


@kernel
def leaf_falls(
    indptr: IntArray,
    table: LeafTable,
    goals: IntArray,
    down: IntArray,
    anywhere: bool,
    each: IntArray,
) -> int:
    """How often, at most, a route between leaves goes up again after it went down.

    ``each[goal, source]`` gets the number for every pair that it has, unless it is empty: sources
    are leaves by switch, whose channel goes up, then those whose channel goes down, then switches.
    -1 when a route does not arrive.
    """
    switches = len(table.nodes)
    known, channel = np.full(switches, -1, np.int32), np.empty(switches, np.int64)
    line, falls = np.empty(2 * switches + 2, np.int64), np.empty(switches, np.int64)
    most = np.int64(0)
    for place in range(len(goals)):
        goal = goals[place]
        count = _listed(table, goal, place, anywhere, known, channel, line)
        if count < 0:
            return -1
        home = -1 - table.number[goal]
        back = indptr[goal]
        for i in range(count):
            v = line[i]
            c = channel[v]
            falls[v] = 0
            if v != home:
                w = table.then[c]
                falls[v] = falls[w] + (down[c] and not down[channel[w]])
            for way in range(2):
                leaves = table.sources[v, way] - (v == home and down[back] == way)
                if leaves <= 0:
                    continue
                start = falls[v] + (way and not down[c])
                most = max(most, start)
                if len(each):
                    each[place, way * switches + v] = min(start, 255)
            if anywhere:
                most = max(most, falls[v])
                if len(each):
                    each[place, 2 * switches + v] = min(falls[v], 255)
    return int(most)


@kernel
def leaf_waits(
    indptr: IntArray,
    table: LeafTable,
    goals: IntArray,
    down: IntArray,
    first: IntArray,
    anywhere: bool,
    seen: IntArray,
    graph: IntArray,
) -> int:
    """Mark who waits for whom when a packet rises where it turns up again.

    Args:
        goals (int64[2, goals]): Leaves, and how many each stands for.
        first: As `each` of :func:`leaf_falls`: the last class in which a packet starts; with one
            entry, that of all.
        seen (uint[channels, ports]): Zeros; gets the classes, as bits, in which packets go from a
            channel between switches to a port behind it. A quarter of `graph`: what is looked up
            for every switch and goal should fit into caches.
        graph (uint8[channels * classes, ports * classes]): Gets the same, class by class.

    Returns:
        Dependencies, all leaves counted, but for those of leaves of one switch; -1 when a route
        does not arrive or the classes are not enough.
    """
    switches, classes = len(table.nodes), len(graph) // len(down)
    known, channel = np.full(switches, -1, np.int32), np.empty(switches, np.int64)
    line, here = np.empty(2 * switches + 2, np.int64), np.empty(switches, np.int64)
    entered = np.zeros((len(down), 2), np.uint8)  # classes in which leaves wait for a channel
    total = np.int64(0)
    for place in range(goals.shape[1]):
        goal = goals[0, place]
        count = _listed(table, goal, place, anywhere, known, channel, line)
        if count < 0:
            return -1
        home, back = -1 - table.number[goal], indptr[goal]
        for i in range(count):
            here[line[i]] = 0
        for i in range(count - 1, -1, -1):
            v = line[i]
            c = channel[v]
            if anywhere:
                last = first[place, 2 * switches + v] if first.size > 1 else 0
                here[v] |= (np.int64(2) << last) - 1
            for way in range(2):
                leaves = table.sources[v, way] - (v == home and down[back] == way)
                if leaves <= 0:
                    continue
                last = first[place, way * switches + v] if first.size > 1 else 0
                rise = np.int64(way and not down[c])
                if last + rise >= classes:
                    return -1
                here[v] |= ((np.int64(2) << last) - 1) << rise
                if v != home and last >= entered[c, way]:  # at home all leaves but the goal wait
                    total += table.sources[v, way] * (last + 1 - entered[c, way])
                    entered[c, way] = last + 1
            if v == home:
                continue
            w = table.then[c]
            out = channel[w] - table.base[w]
            rise = np.int64(down[c] and not down[channel[w]])
            if here[v] << rise >> classes:
                return -1
            here[w] |= here[v] << rise
            more = here[v] & ~np.int64(seen[c, out])
            if more:
                seen[c, out] |= more
                total += _ones(more) * (goals[1, place] if w == home else 1)
    _spread(table, down, seen, classes, graph)
    return int(total)


@helper(error_model="numpy", _nrt=False)
def _ones(bits: int) -> int:
    """How many bits are set."""
    count = np.int64(0)
    while bits:
        bits &= bits - 1
        count += 1
    return int(count)


@helper(error_model="numpy", _nrt=False)
def _spread(
    table: LeafTable, down: IntArray, seen: IntArray, classes: int, graph: IntArray
) -> None:
    """The graph of channels and classes from the bits."""
    for c in range(len(seen)):
        w = table.then[c]
        for out in range(seen.shape[1]):
            if seen[c, out]:
                rise = np.int64(down[c] and not down[table.base[w] + out])
                for k in range(classes):
                    if seen[c, out] >> k & 1:
                        graph[c * classes + k, out * classes + k + rise] = 1
