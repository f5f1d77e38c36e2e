"""Classes that rise where a route turns up again: how many are needed, and who can wait for whom.

Tables have a row for each target: the channel, from the first of its node on, by which each node
leaves for it; without a route, a number beyond the node's channels. A vertex of the dependency
graph is ``channel * classes + class``; its successors are ``offset at the head * classes + class``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.kernel import helper, kernel
from hopscape.deadlock.layout import Wiring

__all__ = ["most_falls", "rising_waits"]


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
