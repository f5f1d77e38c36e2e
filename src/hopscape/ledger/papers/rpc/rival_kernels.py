"""The shallowest circulant of degree 5, by trying all pairs of steps (numba)."""

from __future__ import annotations

import numpy as np

from hopscape.core.kernel import kernel


@kernel
def best_circulant(nodes: int, enough: int) -> tuple[int, int, int]:
    """The steps r, s that make the circulant (nodes; r, s, nodes/2) shallowest.

    A set of odd degree holds nodes/2, and a multiplier that is a unit turns r into its greatest
    common divisor with the number of nodes; hence only divisors are tried for r, 1 first.

    Args:
        nodes: Even.
        enough: Stop at the first pair of this diameter (a lower bound).

    Returns:
        first, step, diameter: int
    """
    best, other, least = 1, 1, nodes
    seen = np.zeros(nodes, np.int64)
    queue = np.empty(nodes, np.int64)
    half = nodes // 2
    stamp = 0
    for r in range(1, half):
        if nodes % r != 0:
            continue
        for s in range(1, half):
            if least <= enough:
                return best, other, least
            if s == r:
                continue
            queue[0], head, tail = 0, 0, 1
            stamp += 1
            seen[0] = stamp
            level = 0
            while head < tail < nodes and level < least - 1:
                level += 1
                end = tail
                while head < end:
                    v = queue[head]
                    head += 1
                    for step in (r, nodes - r, s, nodes - s, half):
                        w = v + step
                        if w >= nodes:
                            w -= nodes
                        if seen[w] != stamp:
                            seen[w] = stamp
                            queue[tail] = w
                            tail += 1
            if tail == nodes and level < least:
                best, other, least = r, s, level
    return best, other, least
