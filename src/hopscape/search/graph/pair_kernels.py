"""Compiled annealing of dense graphs: only pairs farther apart than two links are counted.

Where almost all pairs can be within two links of each other, the sum of distances follows from the
number of those that are not. Common neighbours are counted for every pair, so that a move, the
exchange of the ends of two links, is graded by the few pairs that it changes and not by a search.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import Int16s, Int32s, Int64s, UInt64s
from hopscape.core.kernel import helper, kernel
from hopscape.core.random_kernels import draw, uniform

__all__ = ["Pairs", "anneal_pairs", "count_pairs"]


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
    fall = math.log(cold / hot) / max(steps, 1)
    for step in range(steps if count > 1 else 0):
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
        if worse > 0 and worse > -math.log(uniform(state)) * hot * math.exp(fall * step):
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
