"""Compiled kernels that grade a graph: the sum of its distances, given up once it is too large.

A graph is a table ``near[node, port]``; a port that is not wired leads back to its node. Distances
are taken from some nodes only, one of each orbit, each with the number of nodes it stands for. The
kernels follow 64 to 1,024 of these sources at a time, one bit for each (see
:mod:`hopscape.core.distance_kernels`); for a few of them a breadth-first search each is quicker.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hopscape.core.vector_kernels import (
    Lanes,
    Words,
    bits_and,
    bits_or,
    bits_xor,
    count,
    equal,
    load,
    store,
)

__all__ = ["Task", "measure"]

_FEW_SOURCES = 3


class Task(NamedTuple):
    """What is graded, apart from the graph.

    Attributes
    ----------
    sources : int64[s]
        One node of each orbit; those of weight ``low + extra`` first.
    weights : int64[s]
        How many nodes each one stands for (times its terminals).
    marked : uint64[batches · words]
        Bits of the sources of weight ``low + extra``.
    low, extra : int
        The two weights of sources.
    nodes : int64[n]
        Weight of each node as a target.
    lanes : tuple
        As many zeros as words are used for each node.
    aim, beyond : int
        A pair farther apart than ``aim`` costs ``beyond`` more for each step.
    least : int64[s + 1]
        A lower bound on the cost of the last i sources.
    """

    sources: NDArray[np.int64]
    weights: NDArray[np.int64]
    marked: Words
    low: int
    extra: int
    nodes: NDArray[np.int64]
    lanes: Lanes
    aim: int
    beyond: int
    least: NDArray[np.int64]


@njit(cache=True, nogil=True)
def _price(task: Task, level: int) -> int:
    """What a pair at this distance costs."""
    return level + max(level - task.aim, 0) * task.beyond


@njit(cache=True, nogil=True)
def measure(
    near: NDArray[np.int32], task: Task, limit: int, now: Words, after: Words
) -> tuple[int, int, int]:
    """Cost, diameter and sum of distances of a graph.

    Parameters
    ----------
    near : int32[n, ports]
    task : Task
    limit : int
        Give up with a cost of ``limit + 1`` once it is certain to be above.
    now, after : uint64[n · words]
        Room to work in.

    Returns
    -------
    cost, diameter, total : int
        Weighted as `task` says. A pair without a way counts as n steps.
    """
    if task.sources.size <= _FEW_SOURCES:
        return _by_search(near, task, limit, now.view(np.int32), after.view(np.int32))
    return _by_bits(near, task, limit, now, after)


@njit(cache=True, nogil=True)
def _by_bits(
    near: NDArray[np.int32], task: Task, limit: int, now: Words, after: Words
) -> tuple[int, int, int]:
    lanes = task.lanes
    n, words, sources = near.shape[0], len(lanes), task.sources.size
    cost, total, depth = 0, 0, 0
    whole = task.nodes.sum()
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
            missing += task.weights[start + bit] * (whole - task.nodes[source])
        full = load(full_row, 0, lanes)
        marked = load(task.marked, start // (64 * words), lanes)
        later = task.least[sources - start - batch]
        level = 0
        while missing > 0:
            level += 1
            if cost + later + _price(task, level) * missing > limit:
                return limit + 1, 0, 0
            fresh, grew = _step(near, task, full, marked, now, after)
            if not grew:
                cost += _price(task, n) * missing
                total += n * missing
                depth = n
                break
            cost += _price(task, level) * fresh
            total += level * fresh
            missing -= fresh
            depth = max(depth, level)
            now, after = after, now
    if cost > limit:
        return limit + 1, 0, 0
    return cost, depth, total


@njit(cache=True, nogil=True)
def _step(
    near: NDArray[np.int32], task: Task, full: Any, marked: Any, now: Words, after: Words
) -> tuple[int, bool]:
    """One level more for every node: the weight of the pairs it adds, and if there are any."""
    lanes = task.lanes
    fresh, grew = 0, False
    for v in range(near.shape[0]):
        old = load(now, v, lanes)
        row = old
        if not equal(old, full):
            for port in range(near.shape[1]):
                row = bits_or(row, load(now, np.int64(near[v, port]), lanes))
            change = bits_xor(row, old)
            found = task.low * count(change)
            if task.extra != 0:
                found += task.extra * count(bits_and(change, marked))
            fresh += task.nodes[v] * found
            grew |= not equal(row, old)
        store(after, v, lanes, row)
    return fresh, grew


@njit(cache=True, nogil=True)
def _by_search(
    near: NDArray[np.int32],
    task: Task,
    limit: int,
    seen: NDArray[np.int32],
    queue: NDArray[np.int32],
) -> tuple[int, int, int]:
    """The same by one breadth-first search for each source."""
    n, sources = near.shape[0], task.sources.size
    cost, total, depth = 0, 0, 0
    whole = task.nodes.sum()
    for i in range(sources):
        source, weight = task.sources[i], task.weights[i]
        later = task.least[sources - i - 1]
        seen[:n] = 0
        seen[source] = 1
        queue[0] = source
        begin, end = 0, 1
        missing = weight * (whole - task.nodes[source])
        level = 0
        while missing > 0:
            level += 1
            if cost + later + _price(task, level) * missing > limit:
                return limit + 1, 0, 0
            tail, fresh = end, 0
            for at in range(begin, end):
                v = queue[at]
                for port in range(near.shape[1]):
                    u = near[v, port]
                    if seen[u] == 0:
                        seen[u] = 1
                        queue[tail] = u
                        tail += 1
                        fresh += task.nodes[u]
            begin, end = end, tail
            fresh *= weight
            if begin == end:
                cost += _price(task, n) * missing
                total += n * missing
                depth = n
                break
            cost += _price(task, level) * fresh
            total += level * fresh
            missing -= fresh
            depth = max(depth, level)
    if cost > limit:
        return limit + 1, 0, 0
    return cost, depth, total
