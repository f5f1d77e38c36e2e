"""Compiled kernels that grade a graph: the sum of its distances, given up once it is too large.

A graph is a table ``near[port, node]``; a port that is not wired leads back to its node. Distances
are taken from some nodes only, one of each orbit, each with the number of nodes it stands for.
There are three kernels for it, told apart by :attr:`Task.kernel`:

- BITS follows 64 to 1,024 sources at a time, one bit for each (see
  :mod:`hopscape.core.distance_kernels`);
- SEARCH is one breadth-first search after the other, which turns to the nodes that are left once
  these are fewer than the links to follow (S. Beamer, K. Asanović, D. Patterson.
  "Direction-optimizing breadth-first search." 2012);
- ROWS has the neighbours of every node as a row of bits, and joins the rows of all nodes that it
  has reached.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hopscape.core.arrays import Int32s, Int64s, UInt8s, UInt64s
from hopscape.core.kernel import helper, kernel
from hopscape.core.vector_kernels import (
    Lanes,
    bits_and,
    bits_or,
    bits_xor,
    count,
    equal,
    load,
    lowest,
    new_rows,
    store,
)
from hopscape.search.graph.move_kernels import Lift

__all__ = ["BITS", "ROWS", "SEARCH", "DistanceTask", "measure"]

BITS, SEARCH, ROWS = 0, 1, 2
_LEVELS_AHEAD = 8


class DistanceTask(NamedTuple):
    """What is graded, apart from the graph.

    Attributes:
        sources (int64[s]): One node of each orbit; those of weight ``low + extra`` first.
        weights (int64[s]): How many nodes each one stands for (times its terminals).
        marked (uint64[batches · words]): Bits of the sources of weight ``low + extra``.
        low, extra: The two weights of sources.
        nodes (int64[n]): Weight of each node as a target.
        whole: The sum of these weights.
        alike: Are all of them 1?
        kernel: BITS, SEARCH or ROWS.
        lanes: As many zeros as words are used for each node.
        aim, beyond: A pair farther apart than ``aim`` costs ``beyond`` more for each step.
        least (int64[s + 1]): A lower bound on the cost of the last i sources.
    """

    sources: Int64s
    weights: Int64s
    marked: UInt64s
    low: int
    extra: int
    nodes: Int64s
    whole: int
    alike: bool
    kernel: int
    lanes: Lanes
    aim: int
    beyond: int
    least: Int64s


@helper
def _price(aim: int, beyond: int, level: int) -> int:
    """What a pair at this distance costs."""
    return level + max(level - aim, 0) * beyond


@helper
def _at_least(aim: int, beyond: int, level: int, missing: int, fresh: int, growth: int) -> int:
    """What the pairs that are missing cost at least, if no more are added than links allow.

    The nodes `fresh` of the level before have at most `growth` new neighbours each; 0 if unknown.
    """
    cost = 0
    if level > 1 and growth > 0:
        for _ in range(_LEVELS_AHEAD):
            fresh *= growth
            if fresh >= missing:
                break
            cost += _price(aim, beyond, level) * fresh
            missing -= fresh
            level += 1
    return cost + _price(aim, beyond, level) * missing


class Room(NamedTuple):
    """Room for distances to be measured in.

    Attributes:
        now, after: uint64[n · words]
        seen, queue (uint8[...], int32[...]): The same memory, seen otherwise.
    """

    now: UInt64s
    after: UInt64s
    seen: UInt8s
    queue: Int32s

    @classmethod
    def of(cls, n: int, lanes: tuple[int, ...]) -> Room:
        now, after = new_rows(n, lanes), new_rows(n, lanes)
        return cls(now, after, now.view(np.uint8), after.view(np.int32))


@kernel
def measure(lift: Lift, task: DistanceTask, limit: int, room: Room) -> tuple[int, int, int]:
    """Cost, diameter and sum of distances of a graph.

    Args:
        limit: Give up with a cost of ``limit + 1`` once it is certain to be above.

    Returns:
        cost, diameter, total (int): Weighted as `task` says. A pair without a route counts as n
            steps.
    """
    if task.kernel == ROWS:
        return _by_rows(lift, task, limit, room.after)
    if task.kernel == SEARCH:
        return _by_search(lift.near, task, limit, room.seen, room.queue)
    return _by_bits(lift.near, task, limit, room.now, room.after)


@kernel
def _by_bits(
    near: Int32s, task: DistanceTask, limit: int, now: UInt64s, after: UInt64s
) -> tuple[int, int, int]:
    lanes = task.lanes
    n, words, sources = near.shape[1], len(lanes), task.sources.size
    aim, beyond = task.aim, task.beyond
    growth = near.shape[0] - 1 if task.alike else 0
    cost, total, depth = 0, 0, 0
    full_row = np.zeros(words, np.uint64)
    for start in range(0, sources, 64 * words):
        batch = min(64 * words, sources - start)
        now[:] = 0
        full_row[:] = 0
        missing = 0
        for bit in range(batch):
            mask = np.uint64(1) << np.uint64(bit & 63)
            source = task.sources[start + bit]
            now[source * words + (bit >> 6)] |= mask
            full_row[bit >> 6] |= mask
            missing += task.weights[start + bit] * (task.whole - task.nodes[source])
        full = load(full_row, 0, lanes)
        marked = load(task.marked, start // (64 * words), lanes)
        later = task.least[sources - start - batch]
        level, fresh = 0, 0
        while missing > 0:
            level += 1
            if cost + later + _at_least(aim, beyond, level, missing, fresh, growth) > limit:
                return limit + 1, 0, 0
            fresh, grew = _step(near, task, full, marked, now, after)
            if not grew:
                cost += _price(aim, beyond, n) * missing
                total += n * missing
                depth = n
                break
            cost += _price(aim, beyond, level) * fresh
            total += level * fresh
            missing -= fresh
            depth = max(depth, level)
            now, after = after, now
    if cost > limit:
        return limit + 1, 0, 0
    return cost, depth, total


@helper
def _step(
    near: Int32s, task: DistanceTask, full: Any, marked: Any, now: UInt64s, after: UInt64s
) -> tuple[int, bool]:
    """One level more for every node: the weight of the pairs it adds, and if there are any."""
    lanes, nodes, low, extra = task.lanes, task.nodes, task.low, task.extra
    fresh, grew = 0, False
    for v in range(near.shape[1]):
        old = load(now, v, lanes)
        row = old
        if not equal(old, full):
            for port in range(near.shape[0]):
                row = bits_or(row, load(now, np.int64(near[port, v]), lanes))
            change = bits_xor(row, old)
            pairs = low * count(change)
            if extra != 0:
                pairs += extra * count(bits_and(change, marked))
            fresh += nodes[v] * pairs
            grew |= not equal(row, old)
        store(after, v, lanes, row)
    return fresh, grew


@helper
def _by_search(
    near: Int32s,
    task: DistanceTask,
    limit: int,
    seen: UInt8s,
    queue: Int32s,
) -> tuple[int, int, int]:
    """The same by one breadth-first search for each source."""
    n, ports, sources = near.shape[1], near.shape[0], task.sources
    aim, beyond, weights, least, nodes = task.aim, task.beyond, task.weights, task.least, task.nodes
    alike, whole = task.alike, task.whole
    growth = ports - 1 if alike else 0
    cost, total, depth = 0, 0, 0
    for i in range(sources.size):
        source, weight = sources[i], weights[i]
        later = least[sources.size - i - 1]
        seen[:n] = 0
        seen[source] = 1
        queue[0] = source
        begin, end, left = 0, 1, n
        missing = weight * (whole - nodes[source])
        level, fresh = 0, 0
        while missing > 0:
            level += 1
            if cost + later + _at_least(aim, beyond, level, missing, fresh, growth) > limit:
                return limit + 1, 0, 0
            if left < n or n - end < (end - begin) * ports:
                left = _pull(near, seen, queue, end, left)
                tail = n - left
            else:
                tail = _push(near, seen, queue, begin, end)
            begin, end = end, tail
            if begin == end:
                cost += _price(aim, beyond, n) * missing
                total += n * missing
                depth = n
                break
            fresh = end - begin
            if not alike:
                fresh = 0
                for at in range(begin, end):
                    fresh += nodes[queue[at]]
            fresh *= weight
            cost += _price(aim, beyond, level) * fresh
            total += level * fresh
            missing -= fresh
            depth = max(depth, level)
    if cost > limit:
        return limit + 1, 0, 0
    return cost, depth, total


@helper
def _push(near: Int32s, seen: UInt8s, queue: Int32s, begin: int, end: int) -> int:
    """Follow all links of the last level; returns where the queue ends now."""
    tail = end
    for at in range(begin, end):
        v = queue[at]
        for port in range(near.shape[0]):
            u = near[port, v]
            queue[tail] = u
            tail += 1 - seen[u]
            seen[u] = 1
    return tail


@helper
def _pull(near: Int32s, seen: UInt8s, queue: Int32s, end: int, left: int) -> int:
    """Look for a link to nodes that were reached from those that are left; returns their number.

    These stand in the second half of the queue from the first such level on.
    """
    n = near.shape[1]
    if left == n:
        left = 0
        for v in range(n):
            queue[n + left] = v
            left += 1 - seen[v]
    kept, tail = 0, end
    for at in range(n, n + left):
        v = queue[at]
        hit = False
        for port in range(near.shape[0]):
            if seen[near[port, v]]:
                hit = True
                break
        if hit:
            queue[tail] = v
            tail += 1
        else:
            queue[n + kept] = v
            kept += 1
    for at in range(end, tail):
        seen[queue[at]] = 1
    return kept


@helper
def _by_rows(lift: Lift, task: DistanceTask, limit: int, room: UInt64s) -> tuple[int, int, int]:
    """The same for nodes that all have the weight 1, by rows of neighbours."""
    lanes, rows, near, sources = task.lanes, lift.rows, lift.near, task.sources
    n, ports, growth = near.shape[1], near.shape[0], near.shape[0] - 1
    aim, beyond, weights, least = task.aim, task.beyond, task.weights, task.least
    cost, total, depth = 0, 0, 0
    for i in range(sources.size):
        source, weight = sources[i], weights[i]
        later = least[sources.size - i - 1]
        reached = load(rows, source, lanes)
        before = reached
        missing = n - 1
        level, fresh = 1, count(reached) - 1
        while missing > 0:
            if fresh == 0:
                cost += _price(aim, beyond, n) * weight * missing
                total += n * weight * missing
                depth = n
                break
            cost += _price(aim, beyond, level) * weight * fresh
            total += level * weight * fresh
            missing -= fresh
            depth = max(depth, level)
            if missing == 0:
                break
            level += 1
            if (
                cost + later + weight * _at_least(aim, beyond, level, missing, fresh, growth)
                > limit
            ):
                return limit + 1, 0, 0
            old = reached
            if level == 2:
                for port in range(ports):
                    u = np.int64(near[port, source])
                    reached = bits_or(reached, load(rows, u, lanes))
            elif missing < fresh:
                reached = _joined(rows, lanes, reached, room, n)
            else:
                store(room, 0, lanes, bits_xor(reached, before))
                reached = _spread(rows, lanes, reached, room)
            before = old
            fresh = count(bits_xor(reached, old))
    if cost > limit:
        return limit + 1, 0, 0
    return cost, depth, total


@helper
def _spread(rows: UInt64s, lanes: Lanes, reached: Any, room: UInt64s) -> Any:
    """Add the rows of the nodes whose bits stand in the first row of `room`."""
    for word in range(len(lanes)):
        bits = room[word]
        while bits != 0:
            v = lowest(bits) + 64 * word
            reached = bits_or(reached, load(rows, v, lanes))
            bits &= bits - np.uint64(1)
    return reached


@helper
def _joined(rows: UInt64s, lanes: Lanes, reached: Any, room: UInt64s, n: int) -> Any:
    """Add the nodes that are wired to one that is reached."""
    store(room, 0, lanes, reached)
    store(room, 1, lanes, reached)
    zero = bits_xor(reached, reached)
    for word in range((n + 63) // 64):
        bits = ~room[word]
        if n - 64 * word < 64:
            bits &= (np.uint64(1) << np.uint64(n - 64 * word)) - np.uint64(1)
        while bits != 0:
            v = lowest(bits)
            if not equal(bits_and(reached, load(rows, v + 64 * word, lanes)), zero):
                room[len(lanes) + word] |= np.uint64(1) << np.uint64(v)
            bits &= bits - np.uint64(1)
    return load(room, 1, lanes)
