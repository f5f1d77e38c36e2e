"""Compiled generators of random graphs (numba): pairing with repair, and random lifts."""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.grid_kernels import draw, seeded, shuffle
from hopscape.core.kernel import helper, kernel

__all__ = ["lifted_links", "regular_links"]

_TRIES = 200  # switches for a bad pair; where all fail the circulant is switched instead
_SWITCHES = 20  # attempts per link, so that little of the circulant is left


@kernel
def _linked(neighbours: IntArray, used: IntArray, u: int, v: int) -> bool:
    linked = False
    for i in range(used[u]):
        linked |= neighbours[u, i] == v
    return linked


@helper
def _link(neighbours: IntArray, used: IntArray, u: int, v: int) -> None:
    neighbours[u, used[u]] = v
    neighbours[v, used[v]] = u
    used[u] += 1
    used[v] += 1


@helper
def _replace(neighbours: IntArray, used: IntArray, u: int, old: int, new: int) -> None:
    for i in range(used[u]):
        if neighbours[u, i] == old:
            neighbours[u, i] = new
            return


@helper
def _pair(state: IntArray, ends: IntArray, neighbours: IntArray, used: IntArray) -> bool:
    """Pair the ends at random, then repair loops and double links by switches with others."""
    links = ends.size // 2
    bad = 0
    for i in range(links):  # bad pairs are gathered at the front
        u, v = ends[2 * i], ends[2 * i + 1]
        if u == v or _linked(neighbours, used, u, v):
            ends[2 * i], ends[2 * i + 1] = ends[2 * bad], ends[2 * bad + 1]
            ends[2 * bad], ends[2 * bad + 1] = u, v
            bad += 1
        else:
            _link(neighbours, used, u, v)
    for i in range(bad - 1, -1, -1):
        u, v = ends[2 * i], ends[2 * i + 1]
        done = False
        for _ in range(_TRIES):
            if links == i + 1:
                break
            j = i + 1 + draw(state, links - i - 1)
            flip = draw(state, np.int64(2))
            x, y = ends[2 * j + flip], ends[2 * j + 1 - flip]
            if (
                u == x
                or v == y
                or _linked(neighbours, used, u, x)
                or _linked(neighbours, used, v, y)
            ):
                continue
            _replace(neighbours, used, x, y, u)
            _replace(neighbours, used, y, x, v)
            neighbours[u, used[u]] = x
            used[u] += 1
            neighbours[v, used[v]] = y
            used[v] += 1
            ends[2 * i], ends[2 * i + 1] = u, x
            ends[2 * j], ends[2 * j + 1] = v, y
            done = True
            break
        if not done:
            return False
    return True


@kernel
def _switched(state: IntArray, ends: IntArray, neighbours: IntArray, used: IntArray) -> None:
    """The slow way, which never fails: a circulant, then many random switches."""
    n, degree = neighbours.shape
    used[:] = 0
    at = 0
    for step in range(1, degree // 2 + 1 + degree % 2):
        half = step == degree // 2 + 1
        for u in range(n // 2 if half else n):
            v = u + n // 2 if half else (u + step) % n
            _link(neighbours, used, u, v)
            ends[at], ends[at + 1] = u, v
            at += 2
    links = ends.size // 2
    for _ in range(_SWITCHES * links):
        i, j, flip = draw(state, links), draw(state, links), draw(state, np.int64(2))
        u, v, x, y = ends[2 * i], ends[2 * i + 1], ends[2 * j + flip], ends[2 * j + 1 - flip]
        if (
            i == j
            or u == x
            or v == y
            or _linked(neighbours, used, u, x)
            or _linked(neighbours, used, v, y)
        ):
            continue
        _replace(neighbours, used, u, v, x)
        _replace(neighbours, used, x, y, u)
        _replace(neighbours, used, v, u, y)
        _replace(neighbours, used, y, x, v)
        ends[2 * i + 1] = x
        ends[2 * j], ends[2 * j + 1] = v, y


@kernel(steps=lambda n, degree, seed: n * degree * (30 + degree))
def regular_links(n: int, degree: int, seed: int) -> tuple[IntArray, IntArray]:
    """Links of a random simple graph with all degrees equal, sorted.

    O(n · degree²) steps expected: each new link looks through the links of its ends.

    Args:
        n, degree: ``n · degree`` even, ``degree`` at most ``n // 2``.

    Returns:
        tails, heads (int32[n · degree / 2]): The smaller end first.

    Note:
        The ends of links are paired at random (the configuration model); a pair that is a loop or a
        second link between two nodes is switched with random other pairs [1]_. Working memory is
        that of the result, twice.

        .. [1] B. D. McKay, N. C. Wormald. "Uniform generation of random regular graphs of moderate
           degree." Journal of Algorithms 11 (1990).
    """
    state = seeded(seed)
    ends = np.empty(n * degree, np.int32)
    for i in range(ends.size):
        ends[i] = i // degree
    neighbours = np.empty((n, degree), np.int32)
    used = np.zeros(n, np.int32)
    shuffle(state, ends)
    if not _pair(state, ends, neighbours, used):
        _switched(state, ends, neighbours, used)
    tails, heads = ends[: ends.size // 2], ends[ends.size // 2 :]
    place = np.zeros(n + 1, np.int64)
    for u in range(n):
        for i in range(degree):
            place[u + 1] += neighbours[u, i] > u
        place[u + 1] += place[u]
    for v in range(n):  # the larger ends come in order: nothing is left to be sorted
        for i in range(degree):
            u = neighbours[v, i]
            if u < v:
                tails[place[u]], heads[place[u]] = u, v
                place[u] += 1
    return tails, heads


@kernel(steps=lambda tails, heads, fold, seed: 10 * len(tails) * fold)
def lifted_links(
    tails: IntArray, heads: IntArray, fold: int, seed: int
) -> tuple[IntArray, IntArray]:
    """Links of a random lift: each link becomes a random matching of two layers of `fold` nodes.

    Args:
        tails, heads: int64[links]

    Returns:
        tails, heads (int32[links · fold]): Node i over vertex v is v · fold + i; the links over one
            link stand together.
    """
    state = seeded(seed)
    first = np.empty(tails.size * fold, np.int32)
    second = np.empty(tails.size * fold, np.int32)
    order = np.arange(fold)
    for link in range(tails.size):
        shuffle(state, order)
        for i in range(fold):
            first[link * fold + i] = tails[link] * fold + i
            second[link * fold + i] = heads[link] * fold + order[i]
    return first, second
