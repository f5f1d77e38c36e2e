"""Routing tables as the engine reads them."""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import NO_PORT, IntArray
from hopscape.core.kernel import kernel
from hopscape.simulate.layout import ENTRY_SET_SHIFT, NO_ROUTE, TIE

__all__ = ["pack_entries"]


@kernel(steps=lambda port, *_: 3 * port.size)
def pack_entries(port: IntArray, other: IntArray, kinds: IntArray) -> IntArray:
    """Ports with the sets of classes beside them, and a bit where the other way differs.

    Args:
        port, other: uint16[order, goals]
        kinds (uint8[order, goals]): Sets of classes; empty for none.
    """
    order, goals = port.shape
    entries = np.empty((goals, order), np.uint16).T  # target by target in memory
    for goal in range(goals):
        for at in range(order):
            if port[at, goal] == NO_PORT:
                entries[at, goal] = NO_ROUTE
                continue
            entry = np.uint16(port[at, goal])
            if kinds.size:
                entry |= np.uint16(np.uint16(kinds[at, goal]) << ENTRY_SET_SHIFT)
            if other[at, goal] != port[at, goal]:
                entry |= np.uint16(TIE)
            entries[at, goal] = entry
    return entries
