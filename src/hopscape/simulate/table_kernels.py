"""Routing tables as the engine reads them.

Routing tables around dead channels, and which routes have to change.
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import NO_PORT, Incoming, IntArray
from hopscape.core.distance_kernels import live_distances
from hopscape.core.kernel import kernel
from hopscape.deadlock.layout import Wiring
from hopscape.simulate.layout import ENTRY_SET_SHIFT, NO_ROUTE, TIE

__all__ = ["mend_ports", "pack_entries", "routes_over"]


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


@kernel
def mend_ports(
    wiring: Wiring, incoming: Incoming, alive: IntArray, old: IntArray, port: IntArray
) -> None:
    """Shortest next ports over live channels; the old port stays wherever it is one of them."""
    indptr, heads = wiring
    tails, starts, channels = incoming
    order = len(indptr) - 1
    distance = np.empty(order, np.int32)
    queue = np.empty(order, np.int32)
    for goal in range(order):
        reached = live_distances(starts, channels, tails, alive, goal, distance, queue)
        for node in queue[1:reached]:
            want = distance[node] - 1
            kept = old[node, goal]
            if kept != NO_PORT:
                channel = indptr[node] + kept
                if alive[channel] and distance[heads[channel]] == want:
                    port[node, goal] = kept
                    continue
            for channel in range(indptr[node], indptr[node + 1]):
                if alive[channel] and distance[heads[channel]] == want:
                    port[node, goal] = channel - indptr[node]
                    break


@kernel
def routes_over(
    indptr: IntArray, heads: IntArray, port: IntArray, alive: IntArray, over: IntArray
) -> None:
    """Mark in ``over[at, to]`` the pairs whose route takes a dead channel."""
    order = len(indptr) - 1
    known = np.empty(order, np.int8)
    stack = np.empty(order + 1, np.int32)
    for goal in range(order):
        known[:] = -1
        known[goal] = 0
        for source in range(order):
            size, at = 0, source
            while known[at] < 0:
                stack[size] = at
                size += 1
                out = port[at, goal]
                if out == NO_PORT:
                    known[at] = 0
                elif not alive[indptr[at] + out]:
                    known[at] = 1
                else:
                    at = heads[indptr[at] + out]
            for i in range(size - 1, -1, -1):
                known[stack[i]] = known[at]
                at = stack[i]
        for source in range(order):
            over[source, goal] = known[source]
