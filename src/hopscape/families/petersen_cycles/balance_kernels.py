"""Choosing among paths so that no lane carries much more than the others (numba)."""

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
