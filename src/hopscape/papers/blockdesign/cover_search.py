"""Depth-first search for difference covers: plain Python, which numba makes fast for long ones."""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray

__all__ = ["search_cover"]


def search_cover(
    difference: IntArray, size: int, count: int, multiplicity: int, gaps: bool, budget: int
) -> tuple[IntArray, int]:
    """Depth-first search for blocks, each with 0, whose differences are everything often enough.

    Exponential in the size of the blocks; a step takes O(size). Memory is the table of differences,
    4 · N² bytes.

    Args:
        difference (int32[N, N]): difference[a, b] is a - b in the group.
        size: Elements of a block.
        count: Blocks; their second elements do not fall.
        multiplicity: How often each element other than 0 must be a difference.
        gaps: The group is cyclic: blocks are turned so that their first gap is their smallest.
        budget: Most steps.

    Returns:
        elements (int64[count · size]): The blocks, or -1 everywhere when there are none.
        steps (int): Steps made; more than `budget` when the search was cut short.
    """
    order, total = len(difference), size * count
    spare = count * size * (size - 1) - multiplicity * (order - 1)
    chosen = np.full(total, -1, np.int64)
    times = np.zeros(order, np.int64)
    following = np.zeros(total + 1, np.int64)
    steps, repeats, depth = 0, 0, 0
    while depth >= 0:
        if depth == total:
            return chosen, steps
        start = depth - depth % size
        x = following[depth]
        over = x >= order
        if depth == start:  # every block begins with 0
            over = x > 0
        elif gaps and not over:  # room for the rest, no gap below the first
            first = chosen[start + 1] if depth > start + 1 else x
            over = order - x < (start + size - depth) * first
        if over:
            following[depth] = 0
            depth -= 1
            if depth < 0:
                break
            start = depth - depth % size
            y = chosen[depth]
            for i in range(start, depth):
                for d in (difference[y, chosen[i]], difference[chosen[i], y]):
                    times[d] -= 1
                    if times[d] >= multiplicity:
                        repeats -= 1
            following[depth] = y + 1
            chosen[depth] = -1
            continue
        steps += 1
        if steps > budget:
            break
        added = 0
        for i in range(start, depth):
            for d in (difference[x, chosen[i]], difference[chosen[i], x]):
                if times[d] >= multiplicity:
                    added += 1
                times[d] += 1
        if repeats + added > spare:
            for i in range(start, depth):
                times[difference[x, chosen[i]]] -= 1
                times[difference[chosen[i], x]] -= 1
            following[depth] = x + 1
            continue
        repeats += added
        chosen[depth] = x
        depth += 1
        if depth % size == 0:
            following[depth] = 0
        elif depth % size == 1 and depth > size:
            following[depth] = chosen[depth - size]
        elif gaps and depth % size > 1:
            following[depth] = x + chosen[depth - depth % size + 1]
        else:
            following[depth] = x + 1
    chosen[:] = -1
    return chosen, steps
