"""Compiled kernel for one shortest path: two searches that meet."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import Int32s, Int64s
from hopscape.core.kernel import helper, kernel

__all__ = ["Searches", "new_searches", "shortest_channels"]


class Searches(NamedTuple):
    """A network in rows, both ways round, and room for a search from each end.

    Attributes:
        indptr, heads, back_indptr, tails: Compressed rows of the channels, and of the channels
            turned round.
        ahead, behind (int64[n]): Hops from the source and to the target, above the stamp of the
            latest search; less is old.
        queues: int32[2, n]
        stamp: int64[1]
    """

    indptr: Int64s
    heads: Int32s
    back_indptr: Int64s
    tails: Int32s
    ahead: Int64s
    behind: Int64s
    queues: Int32s
    stamp: Int64s


def new_searches(rows: tuple[Int64s, Int32s], turned: tuple[Int64s, Int32s]) -> Searches:
    """Room for searches in a network, given by its rows and those of the channels turned round."""
    n = len(rows[0]) - 1
    old, queues = np.full((2, n), -1, np.int64), np.empty((2, n), np.int32)
    return Searches(*rows, *turned, old[0], old[1], queues, np.zeros(1, np.int64))


@helper
def _widen(
    indptr: Int64s,
    heads: Int32s,
    mine: Int64s,
    theirs: Int64s,
    queue: Int32s,
    span: Int64s,
    stamp: int,
) -> bool:
    """One more level of a search; does it meet the other one? `span` is its last level."""
    begin, end = span
    tail, met = end, False
    for i in range(begin, end):
        v = queue[i]
        hops = mine[v] + 1
        for channel in range(indptr[v], indptr[v + 1]):
            w = heads[channel]
            if mine[w] < stamp:
                mine[w] = hops
                queue[tail] = w
                tail += 1
                met |= theirs[w] >= stamp
    span[0], span[1] = end, tail
    return met


@helper
def _trace_back(searches: Searches, span: Int64s, stamp: int) -> None:
    """Tell the nodes on shortest paths before the meeting their hops to the target."""
    ahead, behind, queue = searches.ahead, searches.behind, searches.queues[0]
    tail = 0  # the queue of the search ahead has served; its last level is read before it is lost
    for i in range(span[0], span[1]):
        if behind[queue[i]] >= stamp:
            queue[tail] = queue[i]
            tail += 1
    at = 0
    while at < tail:
        v = queue[at]
        at += 1
        for channel in range(searches.back_indptr[v], searches.back_indptr[v + 1]):
            u = searches.tails[channel]
            if ahead[u] >= stamp and ahead[u] == ahead[v] - 1 and behind[u] < stamp:
                behind[u] = behind[v] + 1
                queue[tail] = u
                tail += 1


@kernel
def shortest_channels(searches: Searches, source: int, target: int) -> Int64s:
    """The channels of a shortest path, at every node the first that begins one.

    Both ends are searched level by level, always the end with the smaller level, until the searches
    meet (I. Pohl, Bi-directional search, 1971). Nodes on shortest paths are then told their hops to
    the target, and the path goes down these.

    Returns:
        int64[hops]: Empty when source and target are equal; a single -1 where there is no path.
    """
    n = searches.indptr.size - 1
    searches.stamp[0] += 2 * n + 2
    stamp = searches.stamp[0]
    ahead, behind = searches.ahead, searches.behind
    ahead[source] = behind[target] = stamp
    searches.queues[0, 0], searches.queues[1, 0] = source, target
    spans = np.asarray([[0, 1], [0, 1]])
    met, hops = source == target, 0
    while not met:
        if spans[0, 0] == spans[0, 1] or spans[1, 0] == spans[1, 1]:
            return np.full(1, -1)
        hops += 1
        if spans[0, 1] - spans[0, 0] <= spans[1, 1] - spans[1, 0]:
            met = _widen(
                searches.indptr, searches.heads, ahead, behind, searches.queues[0], spans[0], stamp
            )
        else:
            met = _widen(
                searches.back_indptr, searches.tails, behind, ahead, searches.queues[1], spans[1],
                stamp,
            )  # fmt: skip
    _trace_back(searches, spans[0], stamp)
    out = np.empty(hops, np.int64)
    v = source
    for i in range(hops):
        left = stamp + hops - i - 1
        for channel in range(searches.indptr[v], searches.indptr[v + 1]):
            if behind[searches.heads[channel]] == left:
                out[i] = channel
                break
        v = searches.heads[out[i]]
    return out
