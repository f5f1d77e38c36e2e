"""Searches and routes among positions and elements (numba).

Walks by portals (numba).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.kernel import helper, kernel

__all__ = [
    "Portals",
    "Shifted",
    "count_loads",
    "fill_distances",
    "next_ports",
    "walk",
    "walk_portals",
]


class Shifted(NamedTuple):
    """Wiring and distances by position and element."""

    leads: IntArray
    shifts: IntArray
    """int32[positions, ports]: position and shift of the node at each port; position -1 where
    nothing is wired."""
    moduli: IntArray
    """int64[axes]"""
    table: IntArray
    """unsigned or int32[positions, positions, elements]: distances; the largest number where there
    is no route."""


@kernel(inline="always")
def _sum(a: int, b: int, sign: int, moduli: IntArray) -> int:
    """a ± b in the product of cyclic groups; the last digit is the fastest."""
    if len(moduli) == 1:
        c = a + sign * b
        if c < 0:
            return c + moduli[0]
        return c - moduli[0] if c >= moduli[0] else c
    out, scale = 0, 1
    for i in range(len(moduli) - 1, -1, -1):
        side = moduli[i]
        digit = (a % side + sign * (b % side)) % side
        out += digit * scale
        scale *= side
        a //= side
        b //= side
    return out


@kernel
def fill_distances(leads: IntArray, shifts: IntArray, moduli: IntArray, out: IntArray) -> bool:
    """Breadth-first search from element 0 of every position.

    Args:
        leads, shifts (int32[positions, ports]): Position and shift of the node at each port;
            position -1 where nothing is wired.
        moduli: int64[axes]
        out (unsigned or int32[positions, positions, elements]): Filled with the largest number,
            which stays where there is no path.

    Returns:
        bool: False when a distance does not fit below the largest number.
    """
    positions, ports = leads.shape
    count = out.shape[2]
    none = out[0, 0, 0]
    queue = np.empty(positions * count, np.int64)
    for source in range(positions):
        row = out[source]
        row[source, 0] = 0
        queue[0] = source * count
        low, high = 0, 1
        while low < high:
            position, element = queue[low] // count, queue[low] % count
            low += 1
            after = row[position, element] + 1
            for p in range(ports):
                there = leads[position, p]
                if there < 0:
                    continue
                moved = _sum(element, shifts[position, p], 1, moduli)
                if row[there, moved] == none:
                    if after >= none:
                        return False
                    row[there, moved] = after
                    queue[high] = there * count + moved
                    high += 1
    return True


@kernel(inline="always")
def _choose(
    leads: IntArray,
    shifts: IntArray,
    moduli: IntArray,
    table: IntArray,
    at: int,
    to: int,
    gap: int,
    chosen: IntArray,
) -> int:
    """A port on a shortest path from position `at` to position `to` and difference `gap`, or -1.

    Of all such ports a hash of the three numbers takes one.
    """
    wanted = table[at, to, gap]
    if wanted == 0 or wanted == np.iinfo(table.dtype).max:
        return -1
    many = 0
    for p in range(leads.shape[1]):
        there = leads[at, p]
        if there >= 0 and table[there, to, _sum(gap, shifts[at, p], -1, moduli)] + 1 == wanted:
            chosen[many] = p
            many += 1
    mixed = np.uint64(at) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= np.uint64(to) * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed ^= np.uint64(gap) * np.uint64(0x165667B19E3779F9)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    return chosen[np.int64(mixed % np.uint64(many))]


@kernel
def next_ports(
    wiring: Shifted,
    at: IntArray,
    to: IntArray,
    gaps: IntArray,
) -> IntArray:
    """Ports to leave by, for pairs of positions and differences; -1: on arrival, or no path."""
    leads, shifts, moduli, table = wiring
    out = np.empty(len(at), np.int64)
    chosen = np.empty(leads.shape[1], np.int64)
    for k in range(len(at)):
        out[k] = _choose(leads, shifts, moduli, table, at[k], to[k], gaps[k], chosen)
    return out


@kernel
def walk(
    wiring: Shifted,
    at: IntArray,
    to: IntArray,
    gaps: IntArray,
    positions: IntArray,
    ports: IntArray,
) -> None:
    """Follow the ports: what is left of the gap stands for the element.

    Args:
        positions (int64[pairs, longest + 1, 2]): Filled with positions and gaps; -1 beyond the end.
        ports: int64[pairs, longest]
    """
    leads, shifts, moduli, table = wiring
    chosen = np.empty(leads.shape[1], np.int64)
    for k in range(len(at)):
        here, gap = at[k], gaps[k]
        hop = 0
        positions[k, 0, 0], positions[k, 0, 1] = here, gap
        while True:
            port = _choose(leads, shifts, moduli, table, here, to[k], gap, chosen)
            if port < 0:
                break
            gap = _sum(gap, shifts[here, port], -1, moduli)
            here = leads[here, port]
            ports[k, hop] = port
            hop += 1
            positions[k, hop, 0], positions[k, hop, 1] = here, gap


@kernel
def count_loads(wiring: Shifted, ends: int) -> tuple[IntArray, int]:
    """Routes from endpoints of element 0 to all endpoints, counted by position and port.

    Returns:
        counts: int64[positions, ports]
        lost (int): A position that does not reach all others, or -1.
    """
    leads, shifts, moduli, table = wiring
    positions, ports = leads.shape
    counts = np.zeros((positions, ports), np.int64)
    chosen = np.empty(ports, np.int64)
    none = np.iinfo(table.dtype).max
    for source in range(ends):
        for target in range(ends):
            for element in range(table.shape[2]):
                if table[source, target, element] == none:
                    return counts, source
                here, gap = source, element
                while True:
                    port = _choose(leads, shifts, moduli, table, here, target, gap, chosen)
                    if port < 0:
                        break
                    counts[here, port] += 1
                    gap = _sum(gap, shifts[here, port], -1, moduli)
                    here = leads[here, port]
    return counts, -1


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
def walk_portals(
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
    candidates = np.empty(int((indptr[1:] - indptr[:-1]).max()), np.int64)
    for k in range(len(at)):
        u, goal = at[k], to[k]
        hops = 0
        left = _length(portals, u, goal)
        while left > 0:
            many = 0
            for c in range(indptr[u], indptr[u + 1]):
                rest = _length(portals, heads[c], goal)
                if rest == left - 1:
                    candidates[many] = c
                    many += 1
            c = candidates[(goal * 2654435761 + u * 40503) // 256 % 65521 % many]
            channels[k, hops] = c
            hops += 1
            u = heads[c]
            left -= 1
