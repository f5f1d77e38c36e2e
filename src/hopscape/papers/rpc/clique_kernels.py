"""Cliques of a wanted size by branch and bound on bit sets (numba).

The bound is a greedy colouring: a clique takes at most one node of each colour. A node whose colour
is too high tries to change places with one of a lower colour before it counts (Tomita's re-colour).
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.kernel import helper, kernel
from hopscape.core.vector_kernels import lowest

FOUND, NONE, STOPPED = 1, 0, -1
_ONE = np.uint64(1)


@helper
def _bit(v):  # type: ignore[no-untyped-def]
    return np.uint64(1) << np.uint64(v & 63)


@helper
def _recolour(v, colour, spare, neighbours, classes):  # type: ignore[no-untyped-def]
    """Move v to a class below `spare` by moving its only neighbour there to another such class."""
    words = neighbours.shape[1]
    for a in range(spare - 1):
        hits, only = 0, -1
        for w in range(words):
            both = classes[a, w] & neighbours[v, w]
            while both and hits < 2:
                only = 64 * w + lowest(both)
                both &= both - _ONE
                hits += 1
            if hits > 1:
                break
        if hits != 1:
            continue
        for b in range(a + 1, spare):
            clash = False
            for w in range(words):
                if classes[b, w] & neighbours[only, w]:
                    clash = True
                    break
            if not clash:
                classes[colour, v >> 6] &= ~_bit(v)
                classes[a, only >> 6] &= ~_bit(only)
                classes[b, only >> 6] |= _bit(only)
                classes[a, v >> 6] |= _bit(v)
                return True
    return False


@helper
def _branches(open_, neighbours, spare, classes, branch, bound, rest, left):  # type: ignore[no-untyped-def]
    """The nodes that have to be branched on: those that `spare` colours cannot cover.

    Returns how many were written to `branch`, with their colour numbers in `bound`.
    """
    words = neighbours.shape[1]
    rest[:] = open_
    count, colour = 0, 0
    while True:
        empty = True
        for w in range(words):
            if rest[w]:
                empty = False
            left[w] = rest[w]
            classes[colour, w] = np.uint64(0)
        if empty:
            return count
        for w in range(words):
            while left[w]:
                v = 64 * w + lowest(left[w])
                rest[w] &= ~_bit(v)
                left[w] &= ~_bit(v)
                classes[colour, w] |= _bit(v)
                for x in range(w, words):
                    left[x] &= ~neighbours[v, x]
                if colour >= spare and not _recolour(v, colour, spare, neighbours, classes):
                    branch[count] = v
                    bound[count] = colour + 1
                    count += 1
        filled = False
        for w in range(words):
            if classes[colour, w]:
                filled = True
                break
        if filled or colour < spare:
            colour += 1


@kernel
def find_clique(
    neighbours: IntArray, start: IntArray, size: int, budget: int
) -> tuple[int, IntArray, int]:
    """Look for a clique of `size` nodes among the nodes of the bit set `start`.

    E. Tomita et al., "A simple and faster branch-and-bound algorithm for finding a maximum clique",
    2010, on bit sets. Exponential at worst; memory O(nodes · (size + nodes / 64)) words.

    Args:
        neighbours (uint64[nodes, words]): Neighbours of each node as a bit set (not itself).
        start (uint64[words]): The nodes that may be used.
        size: At least 1.
        budget: Give up after so many branches.

    Returns:
        status: {FOUND, NONE, STOPPED}
        clique: int64[size]
        branches: int
    """
    nodes, words = neighbours.shape
    clique = np.empty(max(size, 1), np.int64)
    if size <= 0:
        return FOUND, clique, 0
    open_ = np.zeros((size + 1, words), np.uint64)
    branch = np.empty((size + 1, nodes), np.int64)
    bound = np.empty((size + 1, nodes), np.int64)
    count = np.zeros(size + 1, np.int64)
    classes = np.zeros((nodes + 2, words), np.uint64)
    rest, left = np.zeros(words, np.uint64), np.zeros(words, np.uint64)
    depth, used = 0, 0
    open_[0] = start
    count[0] = _branches(open_[0], neighbours, size - 1, classes, branch[0], bound[0], rest, left)
    while depth >= 0:
        if count[depth] == 0 or depth + bound[depth, count[depth] - 1] < size:
            depth -= 1
            continue
        count[depth] -= 1
        v = branch[depth, count[depth]]
        clique[depth] = v
        open_[depth, v >> 6] &= ~_bit(v)
        if depth + 1 == size:
            return FOUND, clique, used
        used += 1
        if used > budget:
            return STOPPED, clique, used
        for w in range(words):
            open_[depth + 1, w] = open_[depth, w] & neighbours[v, w]
        depth += 1
        count[depth] = _branches(
            open_[depth],
            neighbours,
            size - depth - 1,
            classes,
            branch[depth],
            bound[depth],
            rest,
            left,
        )
    return NONE, clique, used
