"""Largest matchings of any graph (Edmonds 1965): blossoms are shrunk by union and find."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import Array
from hopscape.core.kernel import helper, kernel

FREE, OUTER, INNER = 0, 1, 2


class _Search(NamedTuple):
    """Partners, labels of a search, who came before, bases of blossoms, and marks of walks."""

    mate: Array
    label: Array
    before: Array
    base: Array
    mark: Array


@kernel
def match_nodes(start: Array, heads: Array, mate: Array, label: Array) -> int:
    """Pair as many nodes with a neighbour as is possible; count those that are left alone.

    A greedy pairing first, then from every lonely node a search for an alternating path to another
    one. A search that fails never meets a later path again (Edmonds), so its nodes are left out.
    Time: nodes times edges at worst; searches are short while many are alone.

    Args:
        start, heads (int64): Rows of the graph; every edge stands in two rows, loops in none.
        mate (int64[nodes]): All -1; the partners come here, -1 for none.
        label (int64[nodes]): All 0; of failed searches, 1 for nodes at an even and 2 for those at
            an odd place only. Without those of 2, those of 1 fall into odd parts: as many more of
            them as nodes are left alone prove that no pairing leaves fewer (Berge 1958).
    """
    nodes = len(mate)
    for v in range(nodes):
        for i in range(start[v], start[v + 1]):
            if mate[v] < 0 and mate[heads[i]] < 0:
                mate[v], mate[heads[i]] = heads[i], v
    before = np.full(nodes, -1, np.int64)
    base = np.arange(nodes)
    search = _Search(mate, label, before, base, np.full(nodes, -1, np.int64))
    queue = np.empty(nodes, np.int64)
    walk = np.zeros(2, np.int64)
    alone = 0
    for root in range(nodes):
        if mate[root] >= 0:
            continue
        walk[1] = 0
        if not _grow(root, start, heads, search, queue, walk):
            alone += 1
            continue
        for i in range(walk[1]):  # the next search begins with nothing
            for v in (queue[i], mate[queue[i]]):
                label[v], before[v], base[v] = FREE, -1, v
    return alone


@helper
def _grow(
    root: int, start: Array, heads: Array, search: _Search, queue: Array, walk: Array
) -> bool:
    """Search from a lonely node; turn the path round where it meets another one."""
    mate, label, before, base, _ = search
    label[root], queue[0], walk[1] = OUTER, root, 1
    done = 0
    while done < walk[1]:
        u = queue[done]
        done += 1
        for i in range(start[u], start[u + 1]):
            v = heads[i]
            if label[v] == INNER or _find(base, u) == _find(base, v):
                continue
            if label[v] == OUTER:
                meeting = _meet(u, v, search, walk)
                _shrink(u, v, meeting, search, queue, walk)
                _shrink(v, u, meeting, search, queue, walk)
                continue
            label[v], before[v] = INNER, u
            if mate[v] < 0:
                while v >= 0:
                    w = before[v]
                    after = mate[w]
                    mate[v], mate[w] = w, v
                    v = after
                return True
            label[mate[v]] = OUTER
            queue[walk[1]] = mate[v]
            walk[1] += 1
    return False


@helper
def _find(base: Array, v: int) -> int:
    """The base of the blossom of a node; paths are halved."""
    while base[v] != v:
        base[v] = base[base[v]]
        v = base[v]
    return v


@helper
def _meet(u: int, v: int, search: _Search, walk: Array) -> int:
    """The first base that two walks to the root have in common."""
    walk[0] += 1
    while True:
        if u >= 0:
            u = _find(search.base, u)
            if search.mark[u] == walk[0]:
                return u
            search.mark[u] = walk[0]
            u = search.before[search.mate[u]] if search.mate[u] >= 0 else -1
        u, v = v, u


@helper
def _shrink(u: int, v: int, meeting: int, search: _Search, queue: Array, walk: Array) -> None:
    """Make one side of a blossom one node: what was at odd places is at even ones as well."""
    mate, label, before, base, _ = search
    while _find(base, u) != meeting:
        before[u] = v
        v = mate[u]
        if label[v] == INNER:
            label[v] = OUTER
            queue[walk[1]] = v
            walk[1] += 1
        if _find(base, u) == u:
            base[u] = meeting
        if _find(base, v) == v:
            base[v] = meeting
        u = before[v]
