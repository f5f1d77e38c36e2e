"""Edge colouring of bipartite multigraphs (numba)."""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.kernel import kernel


@kernel
def colour_bipartite(
    left: IntArray, right: IntArray, lefts: int, rights: int, colours: int
) -> IntArray:
    """Colour edges one by one; where no colour is free at both ends, swap along a path.

    `colours` is the largest degree; König's theorem says that it is enough.
    """
    edges = len(left)
    total = lefts + rights
    at = np.full((total, colours), -1, np.int32)
    out = np.full(edges, -1, np.int32)
    lowest = np.zeros(total, np.int32)  # every colour below it is taken at the node
    path = np.empty(total, np.int64)
    for e in range(edges):
        u, v = left[e], right[e] + lefts
        while at[u, lowest[u]] >= 0:
            lowest[u] += 1
        while at[v, lowest[v]] >= 0:
            lowest[v] += 1
        a, b = lowest[u], lowest[v]
        if at[u, b] < 0:
            a = b
        elif at[v, a] >= 0:  # a is free at u only, b at v only: swap them along the path from v
            x, c, length = v, a, 0
            while at[x, c] >= 0:
                f = at[x, c]
                path[length] = f
                length += 1
                x = right[f] + lefts if x < lefts else left[f]
                c = a + b - c
            for i in range(length):
                f = path[i]
                at[left[f], out[f]] = -1
                at[right[f] + lefts, out[f]] = -1
            for i in range(length):
                f = path[i]
                out[f] = a + b - out[f]
                at[left[f], out[f]] = f
                at[right[f] + lefts, out[f]] = f
            lowest[v] = min(lowest[v], a)
            lowest[x] = min(lowest[x], min(a, b))
        at[u, a] = e
        at[v, a] = e
        out[e] = a
    return out
