"""The shallowest circulant of degree 5, by trying all second steps (numba)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

IntArray = np.ndarray[Any, np.dtype[Any]]


@njit(cache=True, nogil=True)
def best_circulant(nodes: int, enough: int) -> tuple[int, int]:
    """The step s from 2 to nodes/2 - 1 that makes the circulant (nodes; 1, s, nodes/2) shallowest.

    Parameters
    ----------
    nodes : int
        Even.
    enough : int
        Stop at the first step of this diameter (a lower bound).

    Returns
    -------
    step, diameter : int
    """
    best, least = 1, nodes
    seen = np.zeros(nodes, np.int64)
    queue = np.empty(nodes, np.int64)
    half = nodes // 2
    for s in range(2, half):
        if least <= enough:
            break
        queue[0], head, tail = 0, 0, 1
        seen[0] = s
        level = 0
        while tail < nodes and level < least - 1:
            level += 1
            end = tail
            while head < end:
                v = queue[head]
                head += 1
                for step in (1, nodes - 1, s, nodes - s, half):
                    w = v + step
                    if w >= nodes:
                        w -= nodes
                    if seen[w] != s:
                        seen[w] = s
                        queue[tail] = w
                        tail += 1
        if tail == nodes and level < least:
            best, least = s, level
    return best, least
