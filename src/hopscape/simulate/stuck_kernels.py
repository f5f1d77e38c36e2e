"""Deadlock in a running network: virtual channels that can never move again.

A virtual channel may move when it could do so now, or when one of those that it waits for may move.
All that may are marked, again and again until no more are found; the rest waits for itself. Flits
and credits under way count as movement: what depends on them is judged at a later look.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import IntArray, Integer
from hopscape.core.kernel import kernel
from hopscape.simulate.entry_kernels import shortest_of
from hopscape.simulate.layout import (
    ACTIVE,
    ADAPTIVE,
    B_ARRIVALS,
    COUNT,
    CREDIT,
    CUT_THROUGH,
    DRAIN,
    DST,
    E_HOME,
    ESCAPED,
    FIRST,
    FRONT,
    HEAD,
    I_HOLD,
    I_SENDING,
    IDLE,
    LINE,
    MARKS,
    N_CHANNELS,
    N_DEPTH,
    N_EXITS,
    N_MODE,
    N_SHARED,
    N_SHIFT,
    N_SWITCHING,
    N_VCS,
    NEVER,
    OUT,
    SIZE,
    STATE,
    STORE_FORWARD,
    U_FREE,
    U_TO,
    V_ALLOWED,
    FabricArrays,
    State,
)
from hopscape.simulate.packet_kernels import asks_room, inner

__all__ = ["Movement", "find_owners", "follow_waits", "mark_moving"]


class Movement(NamedTuple):
    """What is known of the rows: what comes, who sends where, and who may move."""

    coming: IntArray
    """int64[rows]: flits under way to each row."""
    returning: IntArray
    """int64[rows]: credits under way for each row."""
    owner: IntArray
    """int64[rows]: the row that sends into each row, or -1."""
    front: IntArray
    """int64[injection lines]: the row with the first flit of the packet each sends, or -1."""
    moving: IntArray
    """uint8[rows]: 1 for rows that may move."""


@kernel(error_model="numpy", _nrt=False)
def find_owners(fabric: FabricArrays, state: State, movement: Movement) -> None:
    """Who sends into each row, and in which row the first flit of each injector's packet is."""
    vcs, flits, depth = state.vcs, state.flits, fabric.numbers[N_DEPTH]
    arrivals, blocks = state.arrivals, state.blocks
    for row in range(len(vcs)):
        if vcs[row, STATE] == ACTIVE:
            movement.owner[vcs[row, OUT]] = row
        for i in range(vcs[row, COUNT]):
            _note_front(state, movement, row, flits[row, (vcs[row, HEAD] + i) % depth])
    for slot in range(len(arrivals)):
        for pair in range(blocks.shape[1]):
            first = blocks[B_ARRIVALS, pair] + 1
            for i in range(first, first + arrivals[slot, first - 1], 2):
                _note_front(state, movement, arrivals[slot, i], arrivals[slot, i + 1])


@inner
def _note_front(state: State, movement: Movement, row: Integer, flit: Integer) -> None:
    """A flit that is in a row, or on its way there."""
    line = state.packets[flit >> 2, LINE]
    if flit & FIRST and state.injectors[line, I_SENDING] == flit >> 2:
        movement.front[line] = row


@kernel(error_model="numpy", _nrt=False)
def mark_moving(fabric: FabricArrays, state: State, movement: Movement) -> None:
    """Mark the rows that may move, idle ones included."""
    vcs, moving = state.vcs, movement.moving
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
                free = _fed(fabric, state, movement, row)
            elif standing == ACTIVE:
                out = np.int64(vcs[row, OUT])
                free = vcs[out, CREDIT] > 0 or _drains(fabric, movement, out)
            else:
                free = _gets_channel(fabric, state, movement, row)
            if free:
                moving[row] = 1
                changed = True


@inner
def _fed(fabric: FabricArrays, state: State, movement: Movement, row: Integer) -> bool:
    """Will more flits come into a row?"""
    if movement.coming[row]:
        return True
    owner, front, moving = movement.owner, movement.front, movement.moving
    unit, channels = row >> fabric.numbers[N_SHIFT], fabric.numbers[N_CHANNELS]
    if unit < channels:
        return owner[row] < 0 or moving[owner[row]] == 1
    line = unit - channels
    if state.injectors[line, I_HOLD] < NEVER or front[line] < 0:
        return True
    return moving[front[line]] == 1  # a circuit: the source waits until the first flit has arrived


@inner
def _drains(fabric: FabricArrays, movement: Movement, row: Integer) -> bool:
    """Will places in the buffer of a row become free?"""
    numbers = fabric.numbers
    ejects = row >> numbers[N_SHIFT] >= numbers[N_EXITS]
    return ejects or movement.returning[row] > 0 or movement.moving[row] == 1


@inner
def _gets_channel(fabric: FabricArrays, state: State, movement: Movement, row: Integer) -> bool:
    """Will the packet at the front of a waiting row get a virtual channel?"""
    numbers, vcs, packets = fabric.numbers, state.vcs, state.packets
    who = vcs[row, FRONT] >> 2
    switching = numbers[N_SWITCHING]
    whole = switching in (CUT_THROUGH, STORE_FORWARD)
    size = np.int64(packets[who, SIZE]) if whole else asks_room(numbers, packets, who)
    if switching == STORE_FORWARD and vcs[row, COUNT] < size:
        return _fed(fabric, state, movement, row)
    unit = np.int64(vcs[row, OUT])
    if unit < 0:
        return True
    if _opens(fabric, state, movement, unit, np.int64(vcs[row, V_ALLOWED]), size):
        return True
    inside = unit < numbers[N_CHANNELS]
    if numbers[N_MODE] != ADAPTIVE or not inside or packets[who, MARKS] & ESCAPED:
        return False
    here = state.units[row >> numbers[N_SHIFT], U_TO]
    bits = shortest_of(fabric, here, state.ends[packets[who, DST], E_HOME])
    unit, roaming = fabric.indptr[here], fabric.masks[len(fabric.masks) - 1]
    if not numbers[N_SHARED]:
        size = min(np.int64(packets[who, SIZE]), numbers[N_DEPTH])
    while bits:
        if bits & 1 and _opens(fabric, state, movement, unit, roaming, size):
            return True
        bits >>= 1
        unit += 1
    return False


@inner
def _opens(
    fabric: FabricArrays,
    state: State,
    movement: Movement,
    unit: Integer,
    mask: Integer,
    size: Integer,
) -> bool:
    """Will one of the virtual channels of a unit be free, with room for `size` flits?"""
    numbers, owner = fabric.numbers, movement.owner
    for v in range(numbers[N_VCS]):
        if not mask >> v & 1:
            continue
        row = (unit << numbers[N_SHIFT]) + v
        if state.units[unit, U_FREE] >> v & 1:
            if state.vcs[row, CREDIT] >= size or _drains(fabric, movement, row):
                return True
        elif owner[row] >= 0:
            if movement.moving[owner[row]]:
                return True
        elif _drains(fabric, movement, row):
            return True
    return False


@kernel
def follow_waits(
    fabric: FabricArrays, state: State, owner: IntArray, front: IntArray, row: Integer
) -> IntArray:
    """From a stuck row to one that it waits for, and on: the rows of the circle at the end."""
    numbers, vcs, units = fabric.numbers, state.vcs, state.units
    packets, shift = state.packets, numbers[N_SHIFT]
    place = np.full(len(vcs), -1, dtype=np.int64)
    chain = np.empty(len(vcs), dtype=np.int64)
    size = 0
    while place[row] < 0:
        place[row] = size
        chain[size] = row
        size += 1
        whole = 0
        if numbers[N_SWITCHING] == STORE_FORWARD and vcs[row, STATE] != ACTIVE:
            whole = packets[vcs[row, FRONT] >> 2, SIZE] if vcs[row, COUNT] else 1
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
                return chain[size - 1 : size]
            row = (unit << shift) + v
            if not units[unit, U_FREE] >> v & 1 and owner[row] >= 0:
                row = owner[row]
    return chain[place[row] : size]
