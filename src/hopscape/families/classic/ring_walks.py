"""Shortest walks on a ring that visit a set of positions on their way.

A walk from position 0 to a goal that visits given stops leaves one gap between two neighbouring
stops untouched and turns round at both sides of it. The part of the ring between start and goal
that does not hold the gap is walked once, the rest of it there and back. To go once round is to
leave out a gap of length 0. So a walk of a ring of `d` nodes is known from the largest gaps on the
two sides between start and goal: O(d) time and memory, no table. Routes of cube-connected cycles
are such walks (Meliksetian and Chen, "Optimal routing algorithm and the diameter of the
cube-connected cycles", 1993).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from hopscape.core.arrays import IntArray

__all__ = ["total_of_walks", "walk_legs", "walk_length", "walk_lengths"]

_CELLS = 1 << 18  # positions of walks that are looked at together: they stay in the cache


def walk_lengths(stops: IntArray, goals: IntArray) -> IntArray:
    """Hops of the shortest walks from position 0 to the goals that visit all stops.

    Args:
        stops: bool[d, m], by position and walk; position 0 is visited anyway.
        goals: int64[m]

    Returns:
        int64[m]

    Examples:
        >>> stops = np.zeros((8, 2), dtype=bool)
        >>> stops[[1, 6], 0] = True  # up to 1, down to 6, back to 7
        >>> walk_lengths(stops, np.asarray([7, 4])).tolist()
        [5, 4]
    """
    size, count = stops.shape
    out = np.empty(count, dtype=np.int64)
    block = max(1, _CELLS // size)
    for low in range(0, count, block):
        part = slice(low, low + block)
        out[part] = _walk_lengths(stops[:, part], goals[part])
    return out


def _walk_lengths(stops: IntArray, goals: IntArray) -> IntArray:
    size, count = stops.shape
    visited = np.empty((size + 1, count), dtype=bool)
    visited[:size] = stops
    visited[goals, np.arange(count)] = True
    visited[size] = True  # the start again
    last = np.zeros(count, dtype=np.int32)
    before = np.zeros(count, dtype=np.int32)  # largest gaps before and after the goal
    after = np.zeros(count, dtype=np.int32)
    for at in range(1, size + 1):
        gap = np.where(visited[at], at - last, 0)
        passed = goals < at
        np.maximum(before, np.where(passed, 0, gap), out=before)
        np.maximum(after, np.where(passed, gap, 0), out=after)
        last[visited[at]] = at
    lengths: IntArray = np.minimum(size + goals - 2 * before, 2 * size - goals - 2 * after)
    return lengths


def walk_length(size: int, stops: Iterable[int], goal: int) -> int:
    """Hops of the shortest walk from position 0 to the goal that visits all stops.

    Args:
        size: Nodes of the ring.
        stops: Positions 0..size - 1, in any order.
    """
    best, last = size if goal == 0 else 2 * size, 0
    for stop in sorted({*stops, goal, size} - {0}):
        once = goal if goal <= last else size - goal
        best = min(best, 2 * (size - stop + last) - once)
        last = stop
    return best


def walk_legs(size: int, stops: Iterable[int], goal: int) -> tuple[int, ...]:
    """Such a walk as steps up (or down, if negative) between its turns.

    Of all shortest walks the one that goes up wherever one of them does.

    Examples:
        >>> walk_legs(8, [1, 6], 7)
        (1, -3, 1)
    """
    legs: tuple[int, ...] = (size,) if goal == 0 else ()
    best, last = size if goal == 0 else 2 * size, 0
    for stop in sorted({*stops, goal, size} - {0}):
        below = size - stop  # steps down to the far side of the gap from last to stop
        if goal > last:
            plan = last, -last - below, below - (size - goal)
        elif goal == 0:
            plan = last, -last - below, below
        else:
            plan = -below, below + last, goal - last
        length = sum(map(abs, plan))
        if length < best or (length == best and _goes_up(plan, legs)):
            best, legs = length, plan
        last = stop
    return tuple(leg for leg in legs if leg)


def _goes_up(plan: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Does a plan go up longer than the other, or turn up earlier if both begin downwards?"""
    first, second = (next((leg for leg in legs if leg), 0) for legs in (plan, other))
    return first > second


def total_of_walks(size: int, differ: int, same: int) -> int:
    """Sum of the lengths of shortest walks over all goals and sets of stops, exact.

    A set counts `differ` for each position in it and `same` for each other. A walk depends on the
    largest gaps on the two sides between start and goal alone, and how many sets leave no gap
    longer than g on a side follows from where its first stop is: O(size³) operations.

    Examples:
        >>> total_of_walks(3, 1, 1)  # 8 sets of stops, 3 goals
        38
    """
    either = differ + same
    most = [_gaps_at_most(gap, size, differ, same) for gap in range(size + 1)]

    def sets(gap: int, length: int) -> int:
        """Sets on a side of this length without longer gaps."""
        return most[min(gap, length)][length] if gap >= 0 else 0

    total = either * sum(sets((2 * size - t - 1) // 2, size) for t in range(size))
    for goal in range(1, size):
        least = 0  # the sum of min(x, y) is that of the pairs with x > t and y > t
        for t in range(2 * size):
            before = sets((size + goal - t - 1) // 2, goal)
            after = sets((2 * size - goal - t - 1) // 2, size - goal)
            if not before or not after:
                break
            least += before * after
        total += either * either * least
    return total


def _gaps_at_most(longest: int, size: int, differ: int, same: int) -> list[int]:
    """Sets of the inner points of 0..L that leave no longer gap, by L from 0 to `size`."""
    counts, later = [0], 0  # later: those whose first stop is an inner point
    for length in range(1, size + 1):
        counts.append(later + (same ** (length - 1) if length <= longest else 0))
        later = same * later + differ * counts[length]
        if length > longest:
            later -= same**longest * differ * counts[length - longest]
    return counts
