# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"
"""Deadlock in a running network: virtual channels that can never move again.

A virtual channel may move when it could do so now, or when one of those that it waits for may move.
All that may are marked, again and again until no more are found; the rest waits for itself. Flits
and credits under way count as movement: what depends on them is judged at a later look.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hopscape.simulate.layout import (
    ACTIVE,
    ADAPTIVE,
    COUNT,
    CREDIT,
    CUT_THROUGH,
    DRAIN,
    DST,
    E_HOLD,
    E_HOME,
    E_SENDING,
    ESCAPED,
    FIRST,
    HEAD,
    IDLE,
    MARKS,
    N_CHANNELS,
    N_DEPTH,
    N_ENDPOINTS,
    N_MODE,
    N_SHARED,
    N_SHIFT,
    N_SWITCHING,
    N_VCS,
    NEVER,
    OUT,
    SIZE,
    SRC,
    STATE,
    STORE_FORWARD,
    U_FREE,
    U_TO,
    V_ALLOWED,
)
from hopscape.simulate.packet_kernels import asks_room

__all__ = ["find_owners", "follow_waits", "mark_moving"]


@njit(cache=True, nogil=True)
def find_owners(numbers, vcs, ends, flits, packets, coming, owner, front):
    """Who sends into each row, and in which row the first flit of each endpoint's packet is."""
    depth = numbers[N_DEPTH]
    for row in range(len(vcs)):
        if vcs[row, STATE] == ACTIVE:
            owner[vcs[row, OUT]] = row
        for i in range(vcs[row, COUNT] + coming[row]):
            flit = flits[row, (vcs[row, HEAD] + i) % depth]
            e = packets[flit >> 2, SRC]
            if flit & FIRST and ends[e, E_SENDING] == flit >> 2:
                front[e] = row


@njit(cache=True, nogil=True)
def mark_moving(
    numbers,
    indptr,
    masks,
    ways,
    vcs,
    units,
    ends,
    flits,
    packets,
    coming,
    returning,
    owner,
    front,
    moving,
):
    """Mark the rows that may move, idle ones included."""
    changed = True
    while changed:
        changed = False
        for row in range(len(vcs)):
            if moving[row]:
                continue
            standing = vcs[row, STATE]
            if standing == IDLE or (standing == DRAIN and vcs[row, COUNT]):
                free = True
            elif vcs[row, COUNT] == 0:
                free = _fed(numbers, ends, coming, owner, front, moving, row)
            elif standing == ACTIVE:
                out = np.int64(vcs[row, OUT])
                free = vcs[out, CREDIT] > 0 or _drains(numbers, returning, moving, out)
            else:
                free = _hopes(
                    numbers,
                    indptr,
                    masks,
                    ways,
                    vcs,
                    units,
                    ends,
                    flits,
                    packets,
                    coming,
                    returning,
                    owner,
                    front,
                    moving,
                    row,
                )
            if free:
                moving[row] = 1
                changed = True


@njit(cache=True, nogil=True)
def _fed(numbers, ends, coming, owner, front, moving, row):
    """Will more flits come into a row?"""
    if coming[row]:
        return True
    unit = row >> numbers[N_SHIFT]
    if unit < numbers[N_CHANNELS]:
        return owner[row] < 0 or moving[owner[row]] == 1
    e = unit - numbers[N_CHANNELS]
    if ends[e, E_HOLD] < NEVER or front[e] < 0:
        return True
    return moving[front[e]] == 1  # a circuit: the source waits until the first flit has arrived


@njit(cache=True, nogil=True)
def _drains(numbers, returning, moving, row):
    """Will places in the buffer of a row become free?"""
    ejects = row >> numbers[N_SHIFT] >= numbers[N_CHANNELS] + numbers[N_ENDPOINTS]
    return ejects or returning[row] > 0 or moving[row] == 1


@njit(cache=True, nogil=True)
def _hopes(
    numbers,
    indptr,
    masks,
    ways,
    vcs,
    units,
    ends,
    flits,
    packets,
    coming,
    returning,
    owner,
    front,
    moving,
    row,
):
    """Will the packet at the front of a waiting row get a virtual channel?"""
    who = flits[row, vcs[row, HEAD]] >> 2
    switching = numbers[N_SWITCHING]
    whole = switching in (CUT_THROUGH, STORE_FORWARD)
    size = packets[who, SIZE] if whole else asks_room(numbers, packets, who)
    if switching == STORE_FORWARD and vcs[row, COUNT] < size:
        return _fed(numbers, ends, coming, owner, front, moving, row)
    unit = np.int64(vcs[row, OUT])
    if unit < 0:
        return True
    mask = vcs[row, V_ALLOWED]
    if _opens(numbers, vcs, units, returning, owner, moving, unit, mask, size):
        return True
    inside = unit < numbers[N_CHANNELS]
    if numbers[N_MODE] != ADAPTIVE or not inside or packets[who, MARKS] & ESCAPED:
        return False
    here = units[row >> numbers[N_SHIFT], U_TO]
    bits = np.int64(ways[here, ends[packets[who, DST], E_HOME]])
    unit, roaming = indptr[here], masks[len(masks) - 1]
    if not numbers[N_SHARED]:
        size = min(packets[who, SIZE], numbers[N_DEPTH])
    while bits:
        if bits & 1 and _opens(numbers, vcs, units, returning, owner, moving, unit, roaming, size):
            return True
        bits >>= 1
        unit += 1
    return False


@njit(cache=True, nogil=True)
def _opens(numbers, vcs, units, returning, owner, moving, unit, mask, size):
    """Will one of the virtual channels of a unit be free, with room for `size` flits?"""
    for v in range(numbers[N_VCS]):
        if not mask >> v & 1:
            continue
        row = (unit << numbers[N_SHIFT]) + v
        if units[unit, U_FREE] >> v & 1:
            if vcs[row, CREDIT] >= size or _drains(numbers, returning, moving, row):
                return True
        elif owner[row] >= 0:
            if moving[owner[row]]:
                return True
        elif _drains(numbers, returning, moving, row):
            return True
    return False


@njit(cache=True, nogil=True)
def follow_waits(numbers, vcs, units, flits, packets, owner, front, row):
    """From a stuck row to one that it waits for, and on: the rows of the circle at the end."""
    shift = numbers[N_SHIFT]
    place = np.full(len(vcs), -1, dtype=np.int64)
    way = np.empty(len(vcs), dtype=np.int64)
    size = 0
    while place[row] < 0:
        place[row] = size
        way[size] = row
        size += 1
        whole = 0
        if numbers[N_SWITCHING] == STORE_FORWARD and vcs[row, STATE] != ACTIVE:
            whole = packets[flits[row, vcs[row, HEAD]] >> 2, SIZE] if vcs[row, COUNT] else 1
        if vcs[row, COUNT] == 0 or vcs[row, COUNT] < whole:
            unit = row >> shift
            row = owner[row] if unit < numbers[N_CHANNELS] else front[unit - numbers[N_CHANNELS]]
        elif vcs[row, STATE] == ACTIVE:
            row = np.int64(vcs[row, OUT])
        else:
            unit, mask = np.int64(vcs[row, OUT]), vcs[row, V_ALLOWED]
            v = 0
            while v < numbers[N_VCS] and not mask >> v & 1:
                v += 1
            if v == numbers[N_VCS]:  # no channel at all may be asked for
                return way[size - 1 : size]
            row = (unit << shift) + v
            if not units[unit, U_FREE] >> v & 1 and owner[row] >= 0:
                row = owner[row]
    return way[place[row] : size]
