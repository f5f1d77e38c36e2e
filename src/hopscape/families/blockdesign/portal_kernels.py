"""Walks by portals (numba)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.kernel import helper, kernel

__all__ = ["Portals", "walk"]


class Portals(NamedTuple):
    """Lengths inside supernodes and between their portals."""

    group: IntArray
    place: IntArray
    """int64[nodes]: supernode and place of each node; -1 and the rank of outer switches."""
    reach: IntArray
    enter: IntArray
    """int64[places, portals]: lengths to the portals of a supernode, and from them."""
    table: IntArray
    """int32[all portals, all portals]"""
    local: IntArray
    """int64[places, places]"""
    outer: int
    """Row of the first outer switch in the table."""


@helper
def _length(portals: Portals, u: int, v: int) -> int:
    """Distance from u to v: inside one supernode, or from portal to portal."""
    if u == v:
        return 0
    group, place, reach, enter, table, local, outer = portals
    width = reach.shape[1]
    first = group[u] * width if group[u] >= 0 else outer + place[u]
    last = group[v] * width if group[v] >= 0 else outer + place[v]
    best = 1 << 40
    if group[u] >= 0 and group[u] == group[v]:
        best = int(local[place[u], place[v]])
    for p in range(width if group[u] >= 0 else 1):
        out = reach[place[u], p] if group[u] >= 0 else 0
        if out >= best:
            continue
        for q in range(width if group[v] >= 0 else 1):
            into = enter[place[v], q] if group[v] >= 0 else 0
            best = min(best, out + table[first + p, last + q] + into)
    return best


@kernel
def walk(
    portals: Portals,
    indptr: IntArray,
    heads: IntArray,
    at: IntArray,
    to: IntArray,
    channels: IntArray,
) -> None:
    """Channels of a shortest path of every pair; of several a hash of node and target takes one.

    Args:
        channels (int64[pairs, longest]): Filled; -1 beyond the end.
    """
    found = np.empty(int((indptr[1:] - indptr[:-1]).max()), np.int64)
    for k in range(len(at)):
        u, goal = at[k], to[k]
        hops = 0
        left = _length(portals, u, goal)
        while left > 0:
            many = 0
            for c in range(indptr[u], indptr[u + 1]):
                rest = _length(portals, heads[c], goal)
                if rest == left - 1:
                    found[many] = c
                    many += 1
            c = found[(goal * 2654435761 + u * 40503) // 256 % 65521 % many]
            channels[k, hops] = c
            hops += 1
            u = heads[c]
            left -= 1
