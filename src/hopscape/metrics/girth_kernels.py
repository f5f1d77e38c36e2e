"""Compiled kernels for the girth: the shortest cycle that a search from each source closes.

In duplex networks by the searches of A. Itai and M. Rodeh, "Finding a minimum circuit in a graph",
1978; with simplex channels by a rule of our own (:func:`_girth_directed`).
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import Int32s, Int64s, UInt8s
from hopscape.core.kernel import helper, kernel

__all__ = ["girth"]


@helper(_nrt=False, forceinline=True)
def _girth_duplex(
    indptr: Int64s,
    heads: Int32s,
    reverse: Int32s | Int64s,
    source: int,
    best: int,
    depth: Int32s,
    parent: Int64s,
    queue: Int64s,
) -> int:
    """Shortest cycle closed by a search from ``source`` where every channel is paired.

    ``depth`` must hold -1 throughout and does so again afterwards.
    """
    depth[source] = 0
    parent[source] = -1
    queue[0] = source
    i, tail = 0, 1
    while i < tail:
        v = queue[i]
        i += 1
        if 2 * depth[v] + 1 >= best:
            break
        back = reverse[parent[v]] if parent[v] >= 0 else -1
        for channel in range(indptr[v], indptr[v + 1]):
            if channel == back:
                continue
            u = heads[channel]
            if depth[u] < 0:
                depth[u] = depth[v] + 1
                parent[u] = channel
                queue[tail] = u
                tail += 1
            else:
                best = min(best, 1 if u == v else depth[v] + depth[u] + 1)
    for j in range(tail):
        depth[queue[j]] = -1
    return best


@helper(_nrt=False, forceinline=True)
def _girth_directed(
    indptr: Int64s,
    heads: Int32s,
    reverse: Int32s | Int64s,
    source: int,
    best: int,
    visits: UInt8s,
    first: Int64s,
    queue: Int64s,
) -> int:
    """Shortest closed walk from ``source`` that never turns back on a link.

    ``visits`` must hold 0 throughout and does so again afterwards.  The queue holds channels.
    Where a walk may go on depends on the channel it arrived by, but two arrivals at a node are
    enough: the first goes on by all channels except its own link, the second by that link.
    """
    tail = 0
    for channel in range(indptr[source], indptr[source + 1]):
        u = heads[channel]
        if u == source:
            best = min(best, 1)
        tail = _arrive(channel, u, reverse, visits, first, queue, tail)
    begin, level = 0, 1
    while begin < tail and level + 1 < best:
        level += 1
        end = tail
        for i in range(begin, end):
            arrival = queue[i]
            v = heads[arrival]
            if first[v] == arrival:
                start, stop, back = indptr[v], indptr[v + 1], np.int64(reverse[arrival])
            else:
                start, back = np.int64(reverse[first[v]]), np.int64(-1)
                stop = start + 1
            for channel in range(start, stop):
                if channel == back:
                    continue
                u = heads[channel]
                if u == source:
                    best = min(best, level)
                tail = _arrive(channel, u, reverse, visits, first, queue, tail)
        begin = end
    for j in range(tail):
        visits[heads[queue[j]]] = 0
    return best


@helper(_nrt=False, forceinline=True)
def _arrive(
    channel: int,
    u: int,
    reverse: Int32s | Int64s,
    visits: UInt8s,
    first: Int64s,
    queue: Int64s,
    tail: int,
) -> int:
    """Queue an arrival at ``u`` if it can go on in a new way; return the new end of the queue."""
    if visits[u] == 0:
        first[u] = channel
    elif visits[u] == 2 or reverse[first[u]] < 0:
        return tail
    visits[u] += 1
    queue[tail] = channel
    return tail + 1


@kernel(steps=lambda indptr, heads, reverse, sources, best: len(sources) * len(heads))
def girth(
    indptr: Int64s, heads: Int32s, reverse: Int32s | Int64s, sources: Int64s, best: int
) -> int:
    """Length of a shortest cycle, by a pruned search from each of some sources.

    A cycle does not go back at once over the duplex link that it came by.  Two parallel links
    make a cycle of length 2 and a self-loop one of length 1.

    Args:
        indptr, heads (ndarray of int64 and of int32): Forward rows.
        reverse (ndarray of int32 or int64): The other channel of each duplex link, -1 for a simplex
            channel.
        sources (ndarray of int): Where to search from.  With all nodes the answer is the girth; so
            it is with one node of each orbit of a symmetry.
        best: Only shorter cycles are looked for.

    Returns:
        int: The smaller of ``best`` and the shortest cycle found.
    """
    n = indptr.size - 1
    duplex = True
    for channel in range(heads.size):
        duplex = duplex and reverse[channel] >= 0
    best = int(best)
    if duplex:
        depth = np.full(n, -1, np.int32)
        parent = np.empty(n, np.int64)
        queue = np.empty(n, np.int64)
        for i in range(sources.size):
            best = _girth_duplex(indptr, heads, reverse, sources[i], best, depth, parent, queue)
    else:
        visits = np.zeros(n, np.uint8)
        first = np.empty(n, np.int64)
        arrivals = np.empty(2 * n, np.int64)
        for i in range(sources.size):
            best = _girth_directed(
                indptr, heads, reverse, sources[i], best, visits, first, arrivals
            )
    return best
