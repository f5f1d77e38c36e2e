"""Distances along the axes of a network (numba).

Pairing the channels of duplex links, without sorting (numba).

Random numbers inside kernels (numba): the state is an array of one word.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hopscape.core.arrays import Array, IntArray, UInt64s
from hopscape.core.kernel import kernel

__all__ = ["draw", "seeded", "shuffle", "uniform"]


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


@kernel
def seeded(seed: int) -> UInt64s:
    """The state of a seed (from 0)."""
    state = np.empty(1, np.uint64)
    state[0] = np.uint64(seed)
    return state


@kernel
def draw(state: UInt64s, bound: int) -> Any:
    """A random number from 0 to `bound` - 1.

    Splitmix64 (G. L. Steele, D. Lea, C. H. Flood. "Fast splittable pseudorandom number generators."
    OOPSLA 2014); the remainder is not quite uniform, which for bounds below 2^32 nobody can tell.
    """
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(1)) % bound


@kernel
def uniform(state: UInt64s) -> float:
    """A random number above 0 and up to 1."""
    return (draw(state, 1 << 52) + 1) / (1 << 52)


@kernel
def shuffle(state: UInt64s, items: Array) -> None:
    """Put items into random order."""
    for i in range(items.size - 1, 0, -1):
        j = draw(state, i + 1)
        items[i], items[j] = items[j], items[i]
