# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"
"""Routing tables as the engine reads them."""

from __future__ import annotations

import numpy as np
from numba import njit

from hopscape.simulate.layout import ENTRY_SET_SHIFT, NO_WAY, TIE

__all__ = ["pack_entries"]

_NO_PORT = 0xFFFF


@njit(cache=True, nogil=True)
def pack_entries(port, other, kinds):
    """Ports with the sets of classes beside them, and a bit where the other way differs.

    Parameters
    ----------
    port, other : uint16[order, order]
    kinds : uint8[order, order]
        Sets of classes; empty for none.
    """
    order = port.shape[0]
    entries = np.empty((order, order), np.uint16).T  # target by target in memory
    for goal in range(port.shape[1]):
        for at in range(order):
            if port[at, goal] == _NO_PORT:
                entries[at, goal] = NO_WAY
                continue
            entry = np.uint16(port[at, goal])
            if kinds.size:
                entry |= np.uint16(np.uint16(kinds[at, goal]) << ENTRY_SET_SHIFT)
            if other[at, goal] != port[at, goal]:
                entry |= np.uint16(TIE)
            entries[at, goal] = entry
    return entries
