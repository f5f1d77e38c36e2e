"""Exhaustive search for difference covers (numba)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

IntArray = np.ndarray[Any, np.dtype[Any]]


@njit(cache=True, nogil=True)
def search_cover(difference: IntArray, size: int, budget: int) -> tuple[IntArray, int]:
    """Depth-first search for `size` elements, 0 among them, whose differences are everything.

    Parameters
    ----------
    difference : int32[N, N]
        difference[a, b] is a - b in the group.
    size : int
    budget : int
        Most steps.

    Returns
    -------
    elements : int64[size]
        The set, or -1 everywhere when there is none.
    steps : int
        Steps made; more than `budget` when the search was cut short.
    """
    order = len(difference)
    spare = size * (size - 1) - (order - 1)
    chosen = np.full(size, -1, np.int64)
    times = np.zeros(order, np.int64)
    following = np.zeros(size + 1, np.int64)
    steps, repeats, depth = 0, 0, 1
    chosen[0] = 0
    following[1] = 1
    while depth >= 1:
        if depth == size:
            return chosen, steps
        x = following[depth]
        if x >= order:
            depth -= 1
            if depth == 0:
                break
            y = chosen[depth]
            for i in range(depth):
                for d in (difference[y, chosen[i]], difference[chosen[i], y]):
                    times[d] -= 1
                    if times[d] > 0:
                        repeats -= 1
            following[depth] = y + 1
            chosen[depth] = -1
            continue
        steps += 1
        if steps > budget:
            break
        added = 0
        for i in range(depth):
            for d in (difference[x, chosen[i]], difference[chosen[i], x]):
                if times[d] > 0:
                    added += 1
                times[d] += 1
        if repeats + added > spare:
            for i in range(depth):
                times[difference[x, chosen[i]]] -= 1
                times[difference[chosen[i], x]] -= 1
            following[depth] = x + 1
            continue
        repeats += added
        chosen[depth] = x
        depth += 1
        following[depth] = x + 1
    chosen[:] = -1
    return chosen, steps
