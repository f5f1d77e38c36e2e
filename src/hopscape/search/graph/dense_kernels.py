"""Compiled annealing of dense graphs with a symmetry: whole orbits of links are exchanged.

As in :func:`anneal_pairs` only pairs farther apart than two links are counted, here from one node
of each orbit: with a row of bits for the neighbours of every node, the rows of the neighbours of a
node, joined, are all that is within two links of it.

Compiled annealing of dense graphs: only pairs farther apart than two links are counted.

Where almost all pairs can be within two links of each other, the sum of distances follows from the
number of those that are not. Common neighbours are counted for every pair, so that a move, the
exchange of the ends of two links, is graded by the few pairs that it changes and not by a search.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.annealing_kernels import allowance, geometric
from hopscape.core.arrays import Int16s, Int32s, Int64s, UInt64s
from hopscape.core.grid_kernels import draw, uniform
from hopscape.core.kernel import helper, kernel
from hopscape.core.vector_kernels import count, load, lowest

__all__ = [
    "LinkOrbits",
    "Pairs",
    "anneal_orbits",
    "anneal_pairs",
    "count_pairs",
    "far_pairs",
    "wire_orbits",
]


class LinkOrbits(NamedTuple):
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
def wire_orbits(orbits: LinkOrbits) -> None:
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
    orbits: LinkOrbits,
    state: UInt64s,
    steps: int,
    hot: float,
    cold: float,
    best: Int32s,
    least: int,
) -> int:
    """Simulated annealing on the number of far pairs, which are ordered here.

    The rest is as for :func:`hopscape.search.graph.dense_kernels.anneal_pairs`.
    """
    links, act, rows = orbits.links, orbits.act, orbits.rows
    sources, weights = orbits.sources, orbits.weights
    number, fold = links.shape[0], act.shape[0]
    now = far_pairs(rows, sources, weights, 1 << 60)
    for heat in geometric(hot, cold, steps if number > 1 else 0):
        i, j, k = draw(state, number), draw(state, number), draw(state, 4 * fold)
        a, b = links[i, k & 1], links[i, 1 - (k & 1)]
        c, d = act[k >> 2, links[j, (k >> 1) & 1]], act[k >> 2, links[j, 1 - ((k >> 1) & 1)]]
        if i == j or not _free(act, rows, a, c) or not _free(act, rows, b, d):
            continue
        if _same(act, a, c, b, d):
            continue
        limit = now + int(allowance(heat, uniform(state)))
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


class Pairs(NamedTuple):
    """A simple graph and what is counted.

    Attributes:
        links (int32[links, 2]): The ends of each link.
        near (int32[n, degree]): Neighbours of each node; as many as its degree are meaningful.
        degrees: int32[n]
        common (int16[n, n]): For u < v in row u: 1 if they are linked, and 1 for each common
            neighbour.
        far (int64[1]): Pairs for which this is 0.
    """

    links: Int32s
    near: Int32s
    degrees: Int32s
    common: Int16s
    far: Int64s


@helper
def _change(pairs: Pairs, u: int, v: int, by: int) -> None:
    """One way of at most two links more or less between two nodes."""
    low, high = min(u, v), max(u, v)
    before = pairs.common[low, high]
    pairs.common[low, high] = before + by
    if before == 0:
        pairs.far[0] -= 1
    elif before + by == 0:
        pairs.far[0] += 1


@helper
def _remove(pairs: Pairs, u: int, v: int) -> None:
    """Take a link away."""
    for a, b in ((u, v), (v, u)):
        row = pairs.near[a]
        last = pairs.degrees[a] - 1
        for i in range(last + 1):
            if row[i] == b:
                row[i] = row[last]
                break
        pairs.degrees[a] = last
        for i in range(last):
            _change(pairs, row[i], b, -1)
    _change(pairs, u, v, -1)


@helper
def _add(pairs: Pairs, u: int, v: int) -> None:
    """Put a link in."""
    for a, b in ((u, v), (v, u)):
        for i in range(pairs.degrees[a]):
            _change(pairs, pairs.near[a, i], b, 1)
    for a, b in ((u, v), (v, u)):
        pairs.near[a, pairs.degrees[a]] = b
        pairs.degrees[a] += 1
    _change(pairs, u, v, 1)


@helper
def _linked(pairs: Pairs, u: int, v: int) -> bool:
    found = False
    for i in range(pairs.degrees[u]):
        found |= pairs.near[u, i] == v
    return found


@kernel
def count_pairs(pairs: Pairs) -> None:
    """Fill all but the links."""
    n = pairs.degrees.size
    pairs.degrees[:] = 0
    pairs.common[:] = 0
    pairs.far[0] = n * (n - 1) // 2
    for i in range(pairs.links.shape[0]):
        _add(pairs, pairs.links[i, 0], pairs.links[i, 1])


@kernel
def anneal_pairs(
    pairs: Pairs, state: UInt64s, steps: int, hot: float, cold: float, best: Int32s, least: int
) -> int:
    """Simulated annealing on the number of far pairs.

    Args:
        state (uint64[1]): Of the random numbers.
        hot, cold: Temperatures, in pairs.
        best (int32[links, 2]): The links with the fewest far pairs so far.
        least: That number.

    Returns:
        int: The new least number.
    """
    links = pairs.links
    count = links.shape[0]
    for heat in geometric(hot, cold, steps if count > 1 else 0):
        i, j, flip = draw(state, count), draw(state, count), draw(state, np.int64(2))
        a, b = links[i, 0], links[i, 1]
        c, d = links[j, flip], links[j, 1 - flip]
        if a in (c, d) or b in (c, d):
            continue
        if _linked(pairs, a, c) or _linked(pairs, b, d):
            continue
        before = pairs.far[0]
        _remove(pairs, a, b)
        _remove(pairs, c, d)
        _add(pairs, a, c)
        _add(pairs, b, d)
        worse = pairs.far[0] - before
        if worse > 0 and worse > allowance(heat, uniform(state)):
            _remove(pairs, a, c)
            _remove(pairs, b, d)
            _add(pairs, a, b)
            _add(pairs, c, d)
            continue
        links[i, 0], links[i, 1] = a, c
        links[j, 0], links[j, 1] = b, d
        if pairs.far[0] < least:
            least = pairs.far[0]
            best[:] = links
    return least
