"""Pairing the channels of duplex links, without sorting (numba)."""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.kernel import kernel


@kernel
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


@kernel
def link_rows(
    order: int, tails: IntArray, heads: IntArray, duplex: bool
) -> tuple[IntArray, IntArray, IntArray]:
    """Rows of a list of links: ports follow its order at each node.

    Returns:
        indptr: int64[order + 1]
        heads, reverse (int32[channels]): Nodes that the channels lead to; paired channels, or -1
            where links are simplex.
    """
    indptr = np.zeros(order + 1, np.int64)
    for link in range(tails.size):
        indptr[tails[link] + 1] += 1
        if duplex:
            indptr[heads[link] + 1] += 1
    for v in range(order):
        indptr[v + 1] += indptr[v]
    towards = np.empty(indptr[order], np.int32)
    reverse = np.full(indptr[order], -1, np.int32)
    used = np.zeros(order, np.int32)
    for link in range(tails.size):
        u, v = tails[link], heads[link]
        channel = indptr[u] + used[u]
        used[u] += 1
        towards[channel] = v
        if duplex:
            back = indptr[v] + used[v]
            used[v] += 1
            towards[back] = u
            reverse[channel], reverse[back] = back, channel
    return indptr, towards, reverse
