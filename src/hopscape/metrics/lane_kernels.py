"""Classes of virtual channels on routing tables: who can wait for whom.

Tables are those of :mod:`hopscape.metrics.route_kernels`. A vertex of the dependency graph is
``channel * classes + class``; its successors are ``offset at the head * classes + class``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

NONE = 255

Array = np.ndarray[Any, np.dtype[Any]]


@njit(cache=True, nogil=True)
def _sequence(
    indptr: Array,
    heads: Array,
    ways: Array,
    target: int,
    is_end: Array,
    known: Array,
    stack: Array,
    out: Array,
) -> int:
    """Nodes on the ways of all endpoints to a target, each after the next one on its way.

    Nodes without a way are left out.
    """
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
            if ways[v] >= indptr[v + 1] - indptr[v]:
                known[v] = 2
                break
            known[v] = 1
            v = heads[indptr[v] + ways[v]]
        lost = known[v] == 2
        for i in range(height - 1, -1, -1):
            if lost:
                known[stack[i]] = 2
            else:
                out[count] = stack[i]
                count += 1
    return count


@njit(cache=True, nogil=True)
def most_falls(
    indptr: Array, heads: Array, table: Array, targets: Array, is_end: Array, down: Array
) -> int:
    """How often, at most, a way goes up again after it went down."""
    nodes = len(indptr) - 1
    known, stack = np.empty(nodes, np.uint8), np.empty(nodes, np.int64)
    order, falls = np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    most = 0
    for row in range(len(table)):
        target = targets[row]
        if not is_end[target]:
            continue
        count = _sequence(indptr, heads, table[row], target, is_end, known, stack, order)
        falls[target] = 0
        for i in range(count):
            v = order[i]
            c = indptr[v] + table[row, v]
            w = heads[c]
            falls[v] = falls[w]
            if w != target and down[c] and not down[indptr[w] + table[row, w]]:
                falls[v] += 1
            if is_end[v] and falls[v] > most:
                most = falls[v]
    return most


@njit(cache=True, nogil=True)
def rising_waits(
    indptr: Array,
    heads: Array,
    table: Array,
    targets: Array,
    is_end: Array,
    down: Array,
    classes: int,
    waits: Array,
) -> int:
    """Mark who waits for whom when a packet starts in class 0 and rises where it turns up again.

    Returns how many classes are used, or 0 once they are not enough.
    """
    nodes = len(indptr) - 1
    known, stack = np.empty(nodes, np.uint8), np.empty(nodes, np.int64)
    order, here = np.empty(nodes, np.int64), np.empty(nodes, np.uint64)
    used = 1
    for row in range(len(table)):
        target = targets[row]
        if not is_end[target]:
            continue
        count = _sequence(indptr, heads, table[row], target, is_end, known, stack, order)
        for i in range(count):
            here[order[i]] = is_end[order[i]]
        for i in range(count - 1, -1, -1):
            v = order[i]
            c = indptr[v] + table[row, v]
            w = heads[c]
            if w == target:
                continue
            out = np.int64(table[row, w])
            rise = 1 if down[c] and not down[indptr[w] + out] else 0
            for k in range(classes):
                if here[v] >> np.uint64(k) & np.uint64(1):
                    if k + rise >= classes:
                        return 0
                    used = max(used, k + rise + 1)
                    here[w] |= np.uint64(1) << np.uint64(k + rise)
                    waits[c * classes + k, out * classes + k + rise] = 1
    return used


@njit(cache=True, nogil=True)
def ring_waits(
    indptr: Array,
    heads: Array,
    table: Array,
    targets: Array,
    is_end: Array,
    rings: Array,
    dateline: Array,
    waits: Array,
) -> None:
    """Mark who waits for whom when a packet keeps its class within a ring.

    The class is 1 when its straight run in the ring crosses the ring's dateline, 0 otherwise.
    """
    nodes = len(indptr) - 1
    known, stack = np.empty(nodes, np.uint8), np.empty(nodes, np.int64)
    order, here = np.empty(nodes, np.int64), np.empty(nodes, np.uint8)
    entry = np.empty(nodes, np.uint8)
    for row in range(len(table)):
        target = targets[row]
        if not is_end[target]:
            continue
        count = _sequence(indptr, heads, table[row], target, is_end, known, stack, order)
        for i in range(count):
            v = order[i]
            c = indptr[v] + table[row, v]
            w = heads[c]
            entry[v] = 0
            if rings[c] >= 0:
                entry[v] = dateline[c]
                if w != target and rings[indptr[w] + table[row, w]] == rings[c]:
                    entry[v] |= entry[w]
            here[v] = 1 << entry[v] if is_end[v] else 0
        for i in range(count - 1, -1, -1):
            v = order[i]
            c = indptr[v] + table[row, v]
            w = heads[c]
            if w == target:
                continue
            out = np.int64(table[row, w])
            stays = rings[c] >= 0 and rings[indptr[w] + out] == rings[c]
            for k in range(2):
                if here[v] >> k & 1:
                    then = k if stays else np.int64(entry[w])
                    here[w] |= 1 << then
                    waits[c * 2 + k, out * 2 + then] = 1


@njit(cache=True, nogil=True)
def cyclic_vertices(indptr: Array, heads: Array, waits: Array, classes: int) -> int:
    """How many (channel, class) remain when those that nobody waits for are taken off for good."""
    count = len(heads) * classes
    left = np.zeros(count, np.int64)
    width = waits.shape[1]
    for x in range(count):
        base = indptr[heads[x // classes]] * classes
        for k in range(width):
            if waits[x, k]:
                left[base + k] += 1
    queue = np.empty(count, np.int64)
    done, size = 0, 0
    for x in range(count):
        if left[x] == 0:
            queue[size] = x
            size += 1
    while done < size:
        x = queue[done]
        done += 1
        base = indptr[heads[x // classes]] * classes
        for k in range(width):
            if waits[x, k]:
                left[base + k] -= 1
                if left[base + k] == 0:
                    queue[size] = base + k
                    size += 1
    return count - size
