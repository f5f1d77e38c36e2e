"""Jumps from endpoint to endpoint, crossbars passed for free (numba)."""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.kernel import kernel


@kernel
def count_jumps(
    indptr: IntArray,
    heads: IntArray,
    switch: IntArray,
    dead: IntArray,
    source: int,
    wanted: IntArray,
    jumps: IntArray,
) -> None:
    """Fewest jumps from a node to all nodes, layer by layer of endpoints.

    Args:
        switch (bool[nodes]): Nodes that are passed for free.
        dead (bool[channels]): Channels that do not work; empty when all do.
        wanted (bool[nodes]): Stop when all these are reached; empty to go on to the end.
        jumps (int64[nodes]): Filled; -1 where there is no path.
    """
    order = len(indptr) - 1
    jumps[:] = -1
    jumps[source] = 0
    layer = np.empty(order, np.int64)
    following = np.empty(order, np.int64)
    passing = np.empty(order, np.int64)
    layer[0] = source
    size, left = 1, -1
    if len(wanted) > 0:
        left = wanted.sum() - wanted[source]
    reached = 0
    while size > 0 and left != 0:
        reached += 1
        fresh = 0
        for i in range(size):
            passing[0] = layer[i]
            through = 1
            while through > 0:
                through -= 1
                u = passing[through]
                for c in range(indptr[u], indptr[u + 1]):
                    v = heads[c]
                    if jumps[v] >= 0 or (len(dead) > 0 and dead[c]):
                        continue
                    jumps[v] = reached
                    if len(wanted) > 0 and wanted[v]:
                        left -= 1
                    if switch[v]:
                        passing[through] = v
                        through += 1
                    else:
                        following[fresh] = v
                        fresh += 1
        layer, following = following, layer
        size = fresh
