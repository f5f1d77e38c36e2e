"""Good bisections by local search, from many starts.

The graph is undirected, given as a symmetric CSR (every link as two channels); the cost of a
partition is the number of links between its sides, parallel ones counted. A partition is
*balanced* if neither side has more than half, rounded up, of the counted nodes; nodes that are
not counted (switches, say) go where they cost least.
"""

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import Bools, Int8s, Int32s, Int64s, UInt8s
from hopscape.core.kernel import helper, kernel
from hopscape.core.progress import time_left


@kernel
def cut_size(indptr: Int64s, heads: Int32s, side: Int8s) -> int:
    """Count the links between nodes on different sides."""
    crossing = 0
    for v in range(indptr.size - 1):
        for c in range(indptr[v], indptr[v + 1]):
            crossing += side[v] < side[heads[c]]
    return crossing


class _Buckets(NamedTuple):
    """Nodes by gain, in doubly linked lists, one row of lists for each class of nodes.

    Class 0 and 1 are the counted nodes of that side, class 2 the nodes not counted.
    """

    first: Int32s  # (3, gains): the first node of each list, or -1
    after: Int32s
    before: Int32s
    top: Int64s  # for each class, no list above this one holds a node
    gain: Int64s  # of each node, shifted to be non-negative


@helper(_nrt=False)
def _insert(buckets: _Buckets, v: int, kind: int) -> None:
    """Put a node in front of the list of its gain."""
    g = buckets.gain[v]
    old = buckets.first[kind, g]
    buckets.after[v], buckets.before[v] = old, -1
    if old >= 0:
        buckets.before[old] = v
    buckets.first[kind, g] = v
    buckets.top[kind] = max(buckets.top[kind], g)


@helper(_nrt=False)
def _remove(buckets: _Buckets, v: int, kind: int) -> None:
    """Take a node out of the list of its gain."""
    nxt, prev = buckets.after[v], buckets.before[v]
    if nxt >= 0:
        buckets.before[nxt] = prev
    if prev >= 0:
        buckets.after[prev] = nxt
    else:
        buckets.first[kind, buckets.gain[v]] = nxt


@kernel
def _fill(indptr: Int64s, heads: Int32s, counted: UInt8s, side: Int8s, shift: int) -> _Buckets:
    """Sort all nodes by what moving them to the other side would gain."""
    n = indptr.size - 1
    buckets = _Buckets(
        np.full((3, 2 * shift + 1), -1, np.int32),
        np.full(n, -1, np.int32),
        np.full(n, -1, np.int32),
        np.full(3, -1, np.int64),
        np.empty(n, np.int64),
    )
    for v in range(n):
        gain = shift
        for c in range(indptr[v], indptr[v + 1]):
            if heads[c] != v:
                gain += 1 if side[heads[c]] != side[v] else -1
        buckets.gain[v] = gain
        _insert(buckets, v, side[v] if counted[v] else 2)
    return buckets


@helper(_nrt=False)
def _choose(buckets: _Buckets, excess: int) -> int:
    """Pick the movable node of most gain; ``excess`` is how many more are on side 0 than 1."""
    best, choice = -1, -1
    for kind in range(3):
        # From a smaller side only free nodes may leave, so balance returns after one move.
        if (kind == 0 and excess < 0) or (kind == 1 and excess > 0):
            continue
        while buckets.top[kind] >= 0 and buckets.first[kind, buckets.top[kind]] < 0:
            buckets.top[kind] -= 1
        if buckets.top[kind] > best:
            best = buckets.top[kind]
            choice = buckets.first[kind, best]
    return choice


@helper(_nrt=False)
def _move(
    indptr: Int64s,
    heads: Int32s,
    counted: UInt8s,
    side: Int8s,
    buckets: _Buckets,
    locked: Bools,
    v: int,
) -> None:
    """Move a node to the other side, lock it, and update the gains around it."""
    _remove(buckets, v, side[v] if counted[v] else 2)
    locked[v] = True
    side[v] = 1 - side[v]
    for c in range(indptr[v], indptr[v + 1]):
        w = np.int64(heads[c])
        if locked[w]:
            continue
        kind = side[w] if counted[w] else 2
        _remove(buckets, w, kind)
        buckets.gain[w] += 2 if side[w] != side[v] else -2
        _insert(buckets, w, kind)


@kernel
def _pass(
    indptr: Int64s, heads: Int32s, counted: UInt8s, side: Int8s, shift: int, patience: int
) -> int:
    """Move every node once, in order of gain, and keep the best balanced state on the way.

    Gives the improvement; stops after ``patience`` moves without one.
    """
    n = side.size
    buckets = _fill(indptr, heads, counted, side, shift)
    locked = np.zeros(n, np.bool_)
    moves = np.empty(n, np.int32)
    excess, parity = np.int64(0), 0
    for v in range(n):
        if counted[v]:
            excess += 1 - 2 * int(side[v])
            parity ^= 1
    total = best = keep = size = 0
    while size < n and size - keep <= patience:
        v = _choose(buckets, excess)
        if v < 0:
            break
        total += buckets.gain[v] - shift
        if counted[v]:
            excess -= 2 if side[v] == 0 else -2
        _move(indptr, heads, counted, side, buckets, locked, v)
        moves[size] = v
        size += 1
        if total > best and abs(excess) <= parity:
            best, keep = total, size
    for k in range(keep, size):
        side[moves[k]] = 1 - side[moves[k]]
    return best


@kernel(steps=lambda indptr, heads, *_: 40 * len(heads))
def refine_bisection(
    indptr: Int64s, heads: Int32s, counted: UInt8s, side: Int8s, passes: int
) -> tuple[int, Int8s]:
    """Improve a balanced partition by passes of Fiduccia and Mattheyses.

    Args:
        indptr, heads: The symmetric graph.
        counted: 1 for the nodes to be balanced, 0 for the others.
        side: A balanced partition into 0 and 1; it is not changed.
        passes: The most passes to make; it ends earlier once a pass improves nothing.

    Returns:
        cut (int): The number of links between the sides, never more than at the start.
        side (ndarray of int8): The better partition. The same input always gives the same one.
    """
    side = side.copy()
    shift = np.int64(0)
    for v in range(side.size):
        shift = max(shift, indptr[v + 1] - indptr[v])
    patience = max(1000, side.size // 10)
    for _ in range(passes):
        if _pass(indptr, heads, counted, side, shift, patience) == 0:
            break
    return cut_size(indptr, heads, side), side


@kernel(steps=lambda indptr, heads, *_: 2 * len(heads))
def grown_start(indptr: Int64s, heads: Int32s, counted: UInt8s, order: Int64s) -> Int8s:
    """Grow side 0 breadth first, from the first node of ``order``, to half of the nodes.

    Where a component ends, it goes on from the next node in ``order``.
    """
    n = indptr.size - 1
    half = int(counted.sum()) // 2
    side = np.ones(n, np.int8)
    queue = np.empty(n, np.int64)
    first = last = 0
    for root in order:
        if side[root] == 1 and half >= counted[root]:
            side[root] = 0
            half -= int(counted[root])
            queue[last] = root
            last += 1
        while first < last and half > 0:
            v = queue[first]
            first += 1
            for c in range(indptr[v], indptr[v + 1]):
                w = heads[c]
                if side[w] == 1 and half >= counted[w]:
                    side[w] = 0
                    half -= int(counted[w])
                    queue[last] = w
                    last += 1
        if half == 0:
            break
    return side


@kernel(steps=lambda counted, order: 4 * len(order))
def listed_start(counted: UInt8s, order: Int64s) -> Int8s:
    """Put the first half of ``order`` on side 0, counted nodes and others each by themselves."""
    side = np.ones(order.size, np.int8)
    for kind in range(2):
        half = 0
        for v in order:
            half += counted[v] == kind
        half //= 2
        for v in order:
            if counted[v] == kind and half > 0:
                side[v] = 0
                half -= 1
    return side


def multistart(
    indptr: Int64s, heads: Int32s, counted: UInt8s, starts: int, seed: int, passes: int = 50
) -> tuple[int, Int8s]:
    """Find a good bisection from several starts.

    Start 0 halves the nodes as they are numbered, which suits most constructed networks; the
    others are grown breadth first from random nodes, every fourth one is random altogether.

    Args:
        indptr, heads, counted: As for `refine_bisection`.
        starts: How many starts to make, at least one.
        seed: The seed of the random choices.
        passes: The most passes of refinement for each start.

    Returns:
        cut (int): The number of links between the sides: an upper bound on the bisection width.
        side (ndarray of int8): The balanced partition with this cut.
    """
    n = indptr.size - 1
    rng = np.random.default_rng(seed)
    best, best_side = refine_bisection(
        indptr, heads, counted, listed_start(counted, np.arange(n)), passes
    )
    for k in range(1, starts):
        if time_left() <= 0:  # the best so far is a bound as well
            break
        order = rng.permutation(n)
        if k % 4 == 3:
            side = listed_start(counted, order)
        else:
            side = grown_start(indptr, heads, counted, order)
        cut, side = refine_bisection(indptr, heads, counted, side, passes)
        if cut < best:
            best, best_side = cut, side
    return int(best), best_side
