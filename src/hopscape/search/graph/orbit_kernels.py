"""Compiled annealing of dense graphs with a symmetry: whole orbits of links are exchanged.

As in :mod:`pair_kernels` only pairs farther apart than two links are counted, here from one node of
each orbit: with a row of bits for the neighbours of every node, the rows of the neighbours of a
node, joined, are all that is within two links of it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import Int32s, Int64s, UInt64s
from hopscape.core.kernel import helper, kernel
from hopscape.core.random_kernels import draw, uniform
from hopscape.core.vector_kernels import count, load, lowest

__all__ = ["Orbits", "anneal_orbits", "far_pairs", "wire_orbits"]


class Orbits(NamedTuple):
    """A graph and a group that acts on it.

    Attributes:
        links (int32[orbits, 2]): One link of each orbit of links that moves may change; these
            orbits are as large as the group.
        others (int32[..., 2]): All other links, one by one.
        act (int32[fold, n]): Where each element of the group takes each node.
        sources, weights (int64[s]): One node of each orbit, and the size of the orbit.
        rows (uint64[n, words]): Bits of the neighbours of each node, and of itself.
    """

    links: Int32s
    others: Int32s
    act: Int32s
    sources: Int64s
    weights: Int64s
    rows: UInt64s


@helper
def _flip(rows: UInt64s, act: Int32s, u: int, v: int) -> None:
    """Put an orbit of links in, or take it away."""
    for g in range(act.shape[0]):
        x, y = act[g, u], act[g, v]
        rows[x, y >> 6] ^= np.uint64(1) << np.uint64(y & 63)
        rows[y, x >> 6] ^= np.uint64(1) << np.uint64(x & 63)


@helper
def _free(act: Int32s, rows: UInt64s, u: int, v: int) -> bool:
    """Is there no link u-v, and is its orbit as large as the group?"""
    free = (rows[u, v >> 6] >> np.uint64(v & 63)) & np.uint64(1) == 0
    for g in range(1, act.shape[0]):
        x, y = act[g, u], act[g, v]
        free &= not ((x == v and y == u) or (x == u and y == v))
    return free


@helper
def _same(act: Int32s, a: int, b: int, c: int, d: int) -> bool:
    """Are the links a-b and c-d in one orbit?"""
    same = False
    for g in range(act.shape[0]):
        x, y = act[g, a], act[g, b]
        same |= (x == c and y == d) or (x == d and y == c)
    return same


@kernel
def far_pairs(rows: UInt64s, sources: Int64s, weights: Int64s, limit: int) -> int:
    """Ordered pairs farther apart than two links; some number above `limit` if there are more."""
    n, words = rows.shape
    joined = np.zeros(words, np.uint64)
    far, i = 0, 0
    while i < sources.size and far <= limit:
        joined[:] = 0
        for word in range(words):
            bits = rows[sources[i], word]
            while bits != 0:
                u = lowest(bits) + 64 * word
                for k in range(words):
                    joined[k] |= rows[u, k]
                bits &= bits - np.uint64(1)
        near = 0
        for k in range(words):
            near += count(load(joined, k, (0,)))
        far += weights[i] * (n - near)
        i += 1
    return far


@kernel
def wire_orbits(orbits: Orbits) -> None:
    """Fill the rows."""
    rows, act, links, others = orbits.rows, orbits.act, orbits.links, orbits.others
    rows[:] = 0
    for v in range(rows.shape[0]):
        rows[v, v >> 6] |= np.uint64(1) << np.uint64(v & 63)
    for i in range(links.shape[0]):
        _flip(rows, act, links[i, 0], links[i, 1])
    for i in range(others.shape[0]):
        _flip(rows, act[:1], others[i, 0], others[i, 1])


@kernel
def anneal_orbits(
    orbits: Orbits, state: UInt64s, steps: int, hot: float, cold: float, best: Int32s, least: int
) -> int:
    """Simulated annealing on the number of far pairs, which are ordered here.

    The rest is as for :func:`hopscape.search.graph.pair_kernels.anneal_pairs`.
    """
    links, act, rows = orbits.links, orbits.act, orbits.rows
    sources, weights = orbits.sources, orbits.weights
    number, fold = links.shape[0], act.shape[0]
    fall = math.log(cold / hot) / max(steps, 1)
    now = far_pairs(rows, sources, weights, 1 << 60)
    for step in range(steps if number > 1 else 0):
        i, j, k = draw(state, number), draw(state, number), draw(state, 4 * fold)
        a, b = links[i, k & 1], links[i, 1 - (k & 1)]
        c, d = act[k >> 2, links[j, (k >> 1) & 1]], act[k >> 2, links[j, 1 - ((k >> 1) & 1)]]
        if i == j or not _free(act, rows, a, c) or not _free(act, rows, b, d):
            continue
        if _same(act, a, c, b, d):
            continue
        limit = now + int(-math.log(uniform(state)) * hot * math.exp(fall * step))
        _flip(rows, act, a, b)
        _flip(rows, act, c, d)
        _flip(rows, act, a, c)
        _flip(rows, act, b, d)
        far = far_pairs(rows, sources, weights, limit)
        if far > limit:
            _flip(rows, act, a, b)
            _flip(rows, act, c, d)
            _flip(rows, act, a, c)
            _flip(rows, act, b, d)
            continue
        now = far
        links[i, 0], links[i, 1] = a, c
        links[j, 0], links[j, 1] = b, d
        if now < least:
            least = now
            best[:] = links
    return least
