"""Choosing among paths so that no lane carries much more than the others (numba).

The shallowest circulant of degree 5, by trying all pairs of steps (numba).
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.kernel import kernel


@kernel
def choose_paths(
    pairs: IntArray,
    first: IntArray,
    path_start: IntArray,
    lane: IntArray,
    lanes: int,
    base: float,
    sweeps: int,
    seed: int,
) -> IntArray:
    """One path for every packet, taken again and again while the others stay.

    The price of a lane grows by the factor `base` with each packet on it; a packet takes its
    cheapest path, every hop costing a little as well.

    Args:
        pairs (int64[packets]): Row of `first` for each packet.
        first (int64[rows + 1]): The paths of a row are first[row]..first[row + 1] - 1.
        path_start, lane: The lanes of every path.

    Returns:
        int64[packets]: Numbers of paths.
    """
    np.random.seed(seed)  # noqa: NPY002 (numba's own generator)
    packets = len(pairs)
    load = np.zeros(lanes, np.int64)
    chosen = np.full(packets, -1, np.int64)
    for _ in range(sweeps):
        for i in np.random.permutation(packets):  # noqa: NPY002 (numba's own generator)
            if chosen[i] >= 0:
                for j in range(path_start[chosen[i]], path_start[chosen[i] + 1]):
                    load[lane[j]] -= 1
            best, least = -1, np.inf
            for p in range(first[pairs[i]], first[pairs[i] + 1]):
                price = 0.0
                for j in range(path_start[p], path_start[p + 1]):
                    price += base ** load[lane[j]] + 0.01
                price *= 1 + 1e-6 * np.random.random()  # noqa: NPY002 (numba's own generator)
                if price < least:
                    best, least = p, price
            chosen[i] = best
            for j in range(path_start[best], path_start[best + 1]):
                load[lane[j]] += 1
    return chosen


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
