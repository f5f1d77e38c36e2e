"""Pairing the channels of duplex links, without sorting (numba)."""

from __future__ import annotations

import numpy as np
from numba import njit

from hopscape.core.arrays import IntArray


@njit(cache=True, nogil=True)
def pair_channels(indptr: IntArray, heads: IntArray) -> IntArray:
    """Match the k-th channel u→v with the k-th channel v→u; -1 where there is none.

    Needs no working memory; the time is the sum of squared degrees.
    """
    reverse = np.empty(len(heads), dtype=np.int32)
    for u in range(len(indptr) - 1):
        for c in range(indptr[u], indptr[u + 1]):
            v = heads[c]
            rank = 0
            for other in range(indptr[u], c):
                rank += heads[other] == v
            reverse[c] = -1
            for other in range(indptr[v], indptr[v + 1]):
                if heads[other] == u:
                    if rank == 0:
                        reverse[c] = other
                        break
                    rank -= 1
    return reverse
