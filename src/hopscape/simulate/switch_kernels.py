# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"
"""Inside the routers: allocation of the switch, and the way of a flit through it."""

from __future__ import annotations

import numpy as np
from numba import njit

from hopscape.simulate.layout import (
    ACTIVE,
    COUNT,
    CREDIT,
    DRAIN,
    FIRST,
    FLIT_HOPS,
    HEAD,
    HOPS,
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
    N_ROUTING,
    N_SHIFT,
    N_SPEEDUP,
    N_TAIL_CREDIT,
    N_TRAVERSAL,
    N_VC_ALLOC,
    N_VCS,
    NOW,
    OUT,
    READY,
    SENDERS,
    STATE,
    TAIL_OUT,
    U_BEST,
    U_CREDIT,
    U_DELAY,
    U_FREE,
    U_GIVE,
    U_INS,
    U_KEY,
    U_OUT,
    U_OUTS,
    V_PLACE,
    V_SIDE,
    WAITERS,
    WAITING,
    WRITE,
    X_KEY,
    X_OFFSET,
    X_ROW,
    X_TAKE,
)
from hopscape.simulate.packet_kernels import bury, send_credit

__all__ = ["allocate_switch", "choose_senders"]


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False)
def choose_senders(numbers, scalars, vcs, units, sides, lists, flits, packets, credits):
    """First half of iSLIP for the switch: every output chooses; how many outputs did."""
    shift, per, speedup = numbers[N_SHIFT], numbers[N_VCS], numbers[N_SPEEDUP]
    now = scalars[NOW]
    low = (1 << shift) - 1
    touched = kept = 0
    for i in range(scalars[SENDERS]):
        row = np.int64(lists[L_SENDERS, i])
        standing = vcs[row, STATE]
        if vcs[row, COUNT] == 0 or standing < ACTIVE:
            vcs[row, MISC] &= ~LISTED
            continue
        lists[L_SENDERS, kept] = row
        kept += 1
        if vcs[row, READY] > now:
            continue
        if standing == DRAIN:
            _discard(numbers, scalars, vcs, units, lists, flits, packets, credits, row)
            continue
        out = vcs[row, OUT]
        if vcs[out, CREDIT] == 0:
            continue
        to = out >> shift
        key = vcs[row, V_PLACE] - units[to, U_GIVE]
        if key < 0:
            key += units[to, U_INS] * speedup
        turn = (row & low) - sides[vcs[row, V_SIDE], X_OFFSET]
        if turn < 0:
            turn += per
        key = key * 32 + turn
        if units[to, U_BEST] < 0:
            lists[L_TOUCHED, touched] = to
            touched += 1
        elif key >= units[to, U_KEY]:
            continue
        units[to, U_BEST] = row
        units[to, U_KEY] = key
    scalars[SENDERS] = kept
    return touched


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False)
def allocate_switch(
    numbers,
    scalars,
    vcs,
    units,
    sides,
    lists,
    flits,
    packets,
    arrivals,
    ejections,
    credits,
    span,
    used,
    touched,
):
    """Second half: every input takes the first output that chose it, and its flit goes."""
    shift, per, speedup = numbers[N_SHIFT], numbers[N_VCS], numbers[N_SPEEDUP]
    chosen = 0
    for i in range(touched):
        to = lists[L_TOUCHED, i]
        row = units[to, U_BEST]
        units[to, U_BEST] = -1
        unit = row >> shift
        side = vcs[row, V_SIDE]
        key = units[to, U_OUT] - sides[side, X_TAKE]
        if key < 0:
            key += units[unit, U_OUTS]
        if sides[side, X_ROW] < 0:
            lists[L_WINS, chosen] = side
            chosen += 1
        elif key >= sides[side, X_KEY]:
            continue
        sides[side, X_ROW] = row
        sides[side, X_KEY] = key
    for i in range(chosen):
        side = lists[L_WINS, i]
        row = np.int64(sides[side, X_ROW])
        sides[side, X_ROW] = -1
        unit, to = row >> shift, np.int64(vcs[row, OUT]) >> shift
        v = row - (unit << shift)
        place = vcs[row, V_PLACE] + 1
        units[to, U_GIVE] = place if place < units[to, U_INS] * speedup else 0
        place = units[to, U_OUT] + 1
        sides[side, X_TAKE] = place if place < units[unit, U_OUTS] else 0
        v += speedup
        while v >= per:
            v -= per
        sides[side, X_OFFSET] = v
        _traverse(
            numbers,
            scalars,
            vcs,
            units,
            lists,
            flits,
            packets,
            arrivals,
            ejections,
            credits,
            row,
            unit,
            to,
        )
        if span[0] <= scalars[NOW] < span[1]:
            used[to] += 1


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")
def _traverse(
    numbers,
    scalars,
    vcs,
    units,
    lists,
    flits,
    packets,
    arrivals,
    ejections,
    credits,
    row,
    unit,
    to,
):
    """The front flit of a virtual channel goes through the switch and over its link."""
    now = scalars[NOW]
    flit = flits[row, vcs[row, HEAD]]
    out = np.int64(vcs[row, OUT])
    if flit & FIRST:
        packets[flit >> 2, HOPS] += 1
    vcs[out, CREDIT] -= 1
    units[to, U_CREDIT] -= 1
    slot = (now + 1 + numbers[N_TRAVERSAL] + units[to, U_DELAY]) & (len(arrivals) - 1)
    if to < numbers[N_CHANNELS]:
        at = vcs[out, WRITE]
        flits[out, at] = flit
        vcs[out, WRITE] = at + 1 if at + 1 < numbers[N_DEPTH] else 0
        arrivals[slot, 0] += 1
        arrivals[slot, arrivals[slot, 0]] = out
    else:
        place = ejections[slot, 0] + 1
        ejections[slot, place] = out
        ejections[slot, place + 1] = flit
        ejections[slot, 0] = place + 1
    scalars[FLIT_HOPS] += 1
    scalars[LAST_MOVE] = now
    if flit & LAST:
        if numbers[N_TAIL_CREDIT]:
            vcs[out, MISC] |= TAIL_OUT
        else:
            units[to, U_FREE] |= 1 << (out - (to << numbers[N_SHIFT]))
    _pop(numbers, scalars, vcs, units, lists, credits, row, unit, flit)


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")
def _pop(numbers, scalars, vcs, units, lists, credits, row, unit, flit):
    """Take the front flit off a buffer: credit back, and the next packet steps forward."""
    now = scalars[NOW]
    at = vcs[row, HEAD] + 1
    vcs[row, HEAD] = at if at < numbers[N_DEPTH] else 0
    vcs[row, COUNT] -= 1
    send_credit(credits, now + 1 + units[unit, U_DELAY] + numbers[N_CREDIT], row)
    if not flit & LAST:
        return
    if vcs[row, COUNT] == 0:
        vcs[row, STATE] = IDLE
        return
    vcs[row, STATE] = WAITING
    vcs[row, OUT] = -1
    vcs[row, READY] = now + numbers[N_ROUTING] + numbers[N_VC_ALLOC]
    lists[L_WAITERS, scalars[WAITERS]] = row
    scalars[WAITERS] += 1


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False)
def _discard(numbers, scalars, vcs, units, lists, flits, packets, credits, row):
    """Throw away the front flit of a packet that is lost."""
    flit = flits[row, vcs[row, HEAD]]
    scalars[LAST_MOVE] = scalars[NOW]
    _pop(numbers, scalars, vcs, units, lists, credits, row, row >> numbers[N_SHIFT], flit)
    if flit & LAST:
        bury(scalars, packets, flit >> 2)
