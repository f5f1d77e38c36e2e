"""What the tables say of two routers, folded or not: the one place that reads them.

A table of all pairs has one entry for each. Where endpoints hang on one line (LEAVES), rows are of
switches: a leaf has one port, and its switch knows the port that leads to it. Where routes look
alike from every node (SHIFTS, FLIPS), the difference of two addresses decides: on a box with sides
that wrap, or bit by bit. The set of classes then follows from the hops that a packet stays in a
ring: it crosses the dateline if that is not farther ahead.
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray, Integer
from hopscape.simulate.layout import (
    ENTRY_SET_SHIFT,
    FLIPS,
    LEAVES,
    NO_ROUTE,
    PORT_MASK,
    WHOLE,
    FabricArrays,
    Fold,
    Ties,
)
from hopscape.simulate.packet_kernels import copied, inner

__all__ = ["entry_of", "hops_of", "is_cut_off", "other_entry", "set_of", "shortest_of"]


@inner
def _difference(fold: Fold, here: Integer, goal: Integer) -> Integer:
    """The address of one node as seen from another, as a number: `here` less `goal`."""
    if fold.kind[0] == FLIPS:
        return np.int64(here) ^ np.int64(goal)
    at, to = np.int64(here), np.int64(goal)
    stride, out = np.int64(1), np.int64(0)
    for axis in range(len(fold.sides) - 1, -1, -1):
        side = fold.sides[axis]
        above, beyond = at // side, to // side
        gap = (at - above * side) - (to - beyond * side)
        out += stride * (gap + side if gap < 0 else gap)
        stride *= side
        at, to = above, beyond
    return out


@inner
def _dated(fabric: FabricArrays, here: Integer, gap: Integer, turn: Integer) -> Integer:
    """The entry of a difference at a router, by either way of a tie."""
    fold = fabric.fold
    entry = np.int64(fabric.table[gap, turn])
    if len(fold.ahead) and entry & PORT_MASK != NO_ROUTE:
        out = fabric.indptr[here] + (entry & PORT_MASK)
        entry |= np.int64(fold.runs[turn, gap] >= fold.ahead[out]) << ENTRY_SET_SHIFT
    return entry


@inner
def _folded(fabric: FabricArrays, here: Integer, goal: Integer) -> Integer:
    """:func:`entry_of` for tables that are folded."""
    fold = fabric.fold
    if fold.kind[0] != LEAVES:
        return _dated(fabric, here, _difference(fold, here, goal), 0)
    switch = np.int64(fold.switch[here])
    if switch < 0:
        return np.int64(0)
    if switch == -1 - np.int64(fold.switch[goal]):
        return np.int64(fold.port[goal])
    return np.int64(fabric.table[switch, fold.column[fold.aside[switch], goal]])


@copied
def entry_of(fabric: FabricArrays, here: Integer, goal: Integer) -> Integer:
    """Port, set of classes and tie bit of a router towards another."""
    if fabric.fold.kind[0] == WHOLE:
        return np.int64(fabric.table[here, goal])
    return _folded(fabric, here, goal)


@inner
def other_entry(fabric: FabricArrays, here: Integer, goal: Integer) -> Integer:
    """The entry of the other way of a tie."""
    if fabric.fold.kind[0] != WHOLE:
        return _dated(fabric, here, _difference(fabric.fold, here, goal), 1)
    ties: Ties = fabric.ties
    low, high = ties.starts[goal], ties.starts[goal + 1]
    while high - low > 1:
        middle = (low + high) >> 1
        if ties.nodes[middle] <= here:
            low = middle
        else:
            high = middle
    return np.int64(ties.entries[low])


@inner
def is_cut_off(fabric: FabricArrays, here: Integer, goal: Integer) -> bool:
    """Is there no route?"""
    return entry_of(fabric, here, goal) & PORT_MASK == NO_ROUTE


@inner
def hops_of(fabric: FabricArrays, here: Integer, goal: Integer) -> Integer:
    """The distance of two different endpoints (UGAL)."""
    fold, distances = fabric.fold, fabric.distances
    if fold.kind[0] == WHOLE:
        return np.int64(distances[here, goal])
    if fold.kind[0] == LEAVES:
        return np.int64(distances[-1 - fold.switch[here], -1 - fold.switch[goal]]) + 2
    return np.int64(distances[_difference(fold, here, goal), 0])


@inner
def shortest_of(fabric: FabricArrays, here: Integer, goal: Integer) -> Integer:
    """All shortest ports of a router towards an endpoint, as bits (adaptive routing)."""
    fold, shortest = fabric.fold, fabric.shortest
    if fold.kind[0] == WHOLE:
        return np.int64(shortest[here, goal])
    if fold.kind[0] != LEAVES:
        return np.int64(shortest[_difference(fold, here, goal), 0])
    switch, theirs = np.int64(fold.switch[here]), -1 - np.int64(fold.switch[goal])
    if switch < 0:
        return np.int64(1)
    return (
        np.int64(1) << fold.port[goal] if switch == theirs else np.int64(shortest[switch, theirs])
    )


@inner
def set_of(fabric: FabricArrays, here: Integer, goal: Integer) -> Integer:
    """The set of classes of a pair (layers and rising classes)."""
    layers: IntArray = fabric.layers
    if len(layers) <= 1:
        return np.int64(layers[0, 0])
    if fabric.fold.kind[0] == WHOLE:
        return np.int64(layers[here, goal])
    return np.int64(layers[fabric.fold.sort[0, here], fabric.fold.sort[1, goal]])
