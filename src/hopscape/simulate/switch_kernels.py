"""Inside the routers: allocation of the switch, and the way of a flit through it."""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import Integer
from hopscape.core.kernel import kernel
from hopscape.simulate.layout import (
    ACTIVE,
    B_ARRIVALS,
    B_CREDITS,
    COUNT,
    CREDIT,
    DRAIN,
    FILLED,
    FLIT_HOPS,
    FRONT,
    HEAD,
    IDLE,
    L_SENDERS,
    L_TOUCHED,
    L_WAITERS,
    L_WINS,
    LAST,
    LAST_MOVE,
    LISTED,
    MISC,
    N_CHANNELS,
    N_CREDIT,
    N_DEPTH,
    N_EASE,
    N_PRIORITY,
    N_ROUTING,
    N_SHIFT,
    N_SPEEDUP,
    N_TAIL_CREDIT,
    N_TRAVERSAL,
    N_VC_ALLOC,
    N_VCS,
    NOW,
    OUT,
    PATIENCE,
    READY,
    SENDERS,
    STATE,
    TRANSIT,
    U_BEST,
    U_CREDIT,
    U_DELAY,
    U_FREE,
    U_GIVE,
    U_INS,
    U_KEY,
    U_OUT,
    U_OUTS,
    U_PAIR,
    U_SIDE,
    U_TAILS,
    V_IN,
    V_SIDE,
    WAITERS,
    WAITING,
    X_KEY,
    X_OFFSET,
    X_ROW,
    X_TAKE,
    Counters,
    FabricArrays,
    State,
)
from hopscape.simulate.packet_kernels import bury, copied, fetch, inner, send_credit, send_flit

__all__ = ["allocate_switch", "choose_senders"]


@inner
def choose_senders(fabric: FabricArrays, state: State, listed: Integer) -> Integer:
    """First half of iSLIP for the switch: every output chooses; how many outputs did.

    Only the first `listed` senders are looked at; the later ones have just got their channels and
    wait for the next cycle. The list is left with those that no output has chosen.
    """
    numbers = fabric.numbers
    scalars, vcs, units, sides = state.scalars, state.vcs, state.units, state.sides
    lists = state.lists
    shift, per, speedup = numbers[N_SHIFT], numbers[N_VCS], numbers[N_SPEEDUP]
    transit = numbers[N_PRIORITY] == TRANSIT
    entering = numbers[N_CHANNELS] << shift if transit else len(vcs)  # rows that step back
    now, late, low = scalars[NOW], scalars[NOW] - PATIENCE, (1 << shift) - 1
    ease, depth = numbers[N_EASE], numbers[N_DEPTH]
    touched = kept = 0
    for i in range(listed):
        if i + 16 < listed:
            fetch(vcs, lists[L_SENDERS, i + 16], 0)
            fetch(sides, (lists[L_SENDERS, i + 16] >> shift) * speedup, 0)
            ahead = vcs[lists[L_SENDERS, i + 8], OUT]
            fetch(vcs, max(ahead, 0), 0)
            fetch(units, max(ahead, 0) >> shift, 0)
        row = np.int64(lists[L_SENDERS, i])
        standing = vcs[row, STATE]
        if vcs[row, COUNT] == 0 or standing < ACTIVE:
            vcs[row, MISC] &= ~LISTED
            continue
        out = vcs[row, OUT]
        if vcs[row, READY] > now or (standing == ACTIVE and vcs[out, CREDIT] == 0):
            lists[L_SENDERS, kept] = row
            kept += 1
            continue
        if standing == DRAIN:
            _discard(fabric, state, row)
            lists[L_SENDERS, kept] = row
            kept += 1
            continue
        to = out >> shift
        side = vcs[row, V_SIDE]
        key = side + speedup * (vcs[row, V_IN] - (row >> shift)) - units[to, U_GIVE]
        lap = units[to, U_INS] * speedup
        key += lap if key < 0 else 0
        full = vcs[out, CREDIT] * ease < depth
        key += lap * ((row >= entering) & full & (vcs[row, READY] > late))
        turn = (row & low) - sides[side, X_OFFSET]
        turn += per if turn < 0 else 0
        key = key * 32 + turn
        if units[to, U_BEST] < 0:
            lists[L_TOUCHED, touched] = to
            touched += 1
        else:
            best = units[to, U_BEST]
            lists[L_SENDERS, kept] = best if key < units[to, U_KEY] else row
            kept += 1
            if key >= units[to, U_KEY]:
                continue
        units[to, U_BEST] = row
        units[to, U_KEY] = key
        units[to, U_SIDE] = side
    for i in range(listed, scalars[SENDERS]):
        lists[L_SENDERS, kept] = lists[L_SENDERS, i]
        kept += 1
    scalars[SENDERS] = kept
    return touched


@inner
def allocate_switch(
    fabric: FabricArrays, state: State, counters: Counters, touched: Integer
) -> None:
    """Second half: every input takes the first output that chose it, and its flit goes.

    Who is not taken, or has more to send, is put back on the list.
    """
    numbers = fabric.numbers
    scalars, vcs, units, sides = state.scalars, state.vcs, state.units, state.sides
    lists, flits = state.lists, state.flits
    span, used = counters.span, counters.used
    shift, per, speedup = numbers[N_SHIFT], numbers[N_VCS], numbers[N_SPEEDUP]
    chosen, kept = 0, scalars[SENDERS]
    for i in range(touched):
        if i + 16 < touched:
            fetch(units, lists[L_TOUCHED, i + 16], 0)
            fetch(sides, units[lists[L_TOUCHED, i + 8], U_SIDE], 0)
        to = lists[L_TOUCHED, i]
        row = units[to, U_BEST]
        units[to, U_BEST] = -1
        side = units[to, U_SIDE]
        key, lap = units[to, U_OUT] - sides[side, X_TAKE], units[to, U_OUTS]
        key += lap if key < 0 else 0
        if sides[side, X_ROW] < 0:
            lists[L_WINS, chosen] = side
            chosen += 1
        else:
            lists[L_SENDERS, kept] = sides[side, X_ROW] if key < sides[side, X_KEY] else row
            kept += 1
            if key >= sides[side, X_KEY]:
                continue
        sides[side, X_ROW] = row
        sides[side, X_KEY] = key
    for i in range(chosen):
        if i + 16 < chosen:
            ahead = sides[lists[L_WINS, i + 16], X_ROW]
            fetch(vcs, ahead, 0)
            fetch(units, ahead >> shift, 0)
            ahead = np.int64(sides[lists[L_WINS, i + 8], X_ROW])
            if vcs[ahead, COUNT] > 1:
                fetch(flits, ahead, vcs[ahead, HEAD])
            ahead = np.int64(vcs[ahead, OUT])
            fetch(vcs, ahead, 0)
            fetch(units, ahead >> shift, 0)
        side = lists[L_WINS, i]
        row = np.int64(sides[side, X_ROW])
        sides[side, X_ROW] = -1
        unit, to = row >> shift, np.int64(vcs[row, OUT]) >> shift
        v = row - (unit << shift)
        place = side + speedup * (vcs[row, V_IN] - unit) + 1
        units[to, U_GIVE] = place if place < units[to, U_INS] * speedup else 0
        place = units[to, U_OUT] + 1
        sides[side, X_TAKE] = place if place < units[to, U_OUTS] else 0
        v += speedup
        while v >= per:
            v -= per
        sides[side, X_OFFSET] = v
        _traverse(fabric, state, row, unit, to)
        if vcs[row, STATE] >= ACTIVE and vcs[row, COUNT] > 0:
            lists[L_SENDERS, kept] = row
            kept += 1
        else:
            vcs[row, MISC] &= ~LISTED
        if span[0] <= scalars[NOW] < span[1]:
            used[to] += 1
    scalars[SENDERS] = kept


@kernel(error_model="numpy", _nrt=False, inline="always")
def _traverse(fabric: FabricArrays, state: State, row: Integer, unit: Integer, to: Integer) -> None:
    """The front flit of a virtual channel goes through the switch and over its link."""
    numbers = fabric.numbers
    scalars, vcs, units = state.scalars, state.vcs, state.units
    ejections = state.ejections
    now = scalars[NOW]
    flit = vcs[row, FRONT]
    out = np.int64(vcs[row, OUT])
    vcs[out, CREDIT] -= 1
    units[to, U_CREDIT] -= 1
    due = now + 1 + numbers[N_TRAVERSAL] + units[to, U_DELAY]
    if to < numbers[N_CHANNELS]:
        block = state.blocks[B_ARRIVALS, units[to, U_PAIR]]
        send_flit(state.arrivals, block, due, out, flit)
    else:
        slot = due & (len(ejections) - 1)
        place = ejections[slot, FILLED] + 1
        ejections[slot, place] = out
        ejections[slot, place + 1] = flit
        ejections[slot, FILLED] = place + 1
    scalars[FLIT_HOPS] += 1
    scalars[LAST_MOVE] = max(scalars[LAST_MOVE], now)
    if flit & LAST:
        if numbers[N_TAIL_CREDIT]:
            units[to, U_TAILS] |= 1 << (out - (to << numbers[N_SHIFT]))
        else:
            units[to, U_FREE] |= 1 << (out - (to << numbers[N_SHIFT]))
    _pop(fabric, state, row, unit, flit)


@copied
def _pop(fabric: FabricArrays, state: State, row: Integer, unit: Integer, flit: Integer) -> None:
    """Take the front flit off a buffer: credit back, and the next packet steps forward."""
    numbers = fabric.numbers
    scalars, vcs, units, lists = state.scalars, state.vcs, state.units, state.lists
    now = scalars[NOW]
    at = vcs[row, HEAD] + 1 if vcs[row, HEAD] + 1 < numbers[N_DEPTH] else 0
    left = vcs[row, COUNT] - 1
    vcs[row, HEAD] = at
    vcs[row, COUNT] = left
    if left:
        vcs[row, FRONT] = state.flits[row, at]
    block = state.blocks[B_CREDITS, units[unit, U_PAIR]]
    due = now + 1 + units[unit, U_DELAY] + numbers[N_CREDIT]
    send_credit(state.credits, block, due, row)
    if not flit & LAST:
        return
    if left == 0:
        vcs[row, STATE] = IDLE
        return
    vcs[row, STATE] = WAITING
    vcs[row, OUT] = -1
    vcs[row, READY] = now + numbers[N_ROUTING] + numbers[N_VC_ALLOC]
    lists[L_WAITERS, scalars[WAITERS]] = row
    scalars[WAITERS] += 1


@inner
def _discard(fabric: FabricArrays, state: State, row: Integer) -> None:
    """Throw away the front flit of a packet that is lost."""
    numbers = fabric.numbers
    scalars, vcs, ends = state.scalars, state.vcs, state.ends
    packets, flit = state.packets, vcs[row, FRONT]
    scalars[LAST_MOVE] = scalars[NOW]
    _pop(fabric, state, row, row >> numbers[N_SHIFT], flit)
    if flit & LAST:
        bury(scalars, ends, packets, flit >> 2)
