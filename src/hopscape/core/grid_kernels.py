"""Distances along the axes of a network (numba)."""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.kernel import kernel


@kernel
def line_hops(
    indptr: IntArray,
    heads: IntArray,
    axis: IntArray,
    place: IntArray,
    start: IntArray,
    side: IntArray,
) -> IntArray:
    """Hops from every node along each axis to each place of its line, -1 where none leads there."""
    order, axes = place.shape
    hops = np.full(order * side.sum(), -1, np.int32)
    queue = np.empty(side.max() if axes else 1, np.int64)
    for a in range(axes):
        for v in range(order):
            row = start[a] + v * side[a]
            hops[row + place[v, a]] = 0
            queue[0] = v
            first, last = 0, 1
            while first < last:
                u = queue[first]
                first += 1
                for c in range(indptr[u], indptr[u + 1]):
                    w = heads[c]
                    if axis[c] == a and hops[row + place[w, a]] < 0:
                        hops[row + place[w, a]] = hops[row + place[u, a]] + 1
                        queue[last] = w
                        last += 1
    return hops
