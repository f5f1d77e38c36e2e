"""The engine: input-queued virtual-channel routers with credits, cycle by cycle.

Only what has work is visited: lists of virtual channels that wait for an output virtual channel
(`waiters`) or send through the switch (`senders`), and wheels of flits and credits under way. Both
allocators are one iteration of iSLIP: every output gives to the first asker from its pointer on,
every input takes the first offer from its pointer on, and pointers move only past a match. The
winner of each output is kept while the askers are gone through, so no request matrix exists.

A flit is written once per hop, into the buffer at the far end of its link; the wheel tells when it
becomes visible there. A cycle is: credits, arrivals, injection, allocation of virtual channels,
allocation of the switch.
"""

from __future__ import annotations

import math

import numpy as np

from hopscape.core.arrays import Integer
from hopscape.core.kernel import kernel
from hopscape.simulate.layout import (
    BORN,
    CIRCUIT,
    COUNT,
    CREDIT,
    DELIVERED,
    DELIVERED_FLITS,
    DST,
    E_GAIN,
    E_LOSS,
    E_WINDOW,
    FILLED,
    FIRST,
    HOPS,
    I_HOLD,
    IDLE,
    IN_FLIGHT,
    KILLED,
    L_SENDERS,
    L_WAITERS,
    LAST,
    LAST_MOVE,
    LATE,
    LINE,
    LISTED,
    MARKS,
    MISC,
    N_CREDIT,
    N_DEPTH,
    N_INJECTORS,
    N_LINK,
    N_ROUTING,
    N_SHIFT,
    N_SW_ALLOC,
    N_SWITCHING,
    N_TRAVERSAL,
    N_VC_ALLOC,
    N_WINDOW,
    NOW,
    OUT,
    READY,
    SENDERS,
    SENT,
    SIZE,
    SRC,
    STATE,
    STORE_FORWARD,
    T_DONE,
    TAG,
    TAIL_OUT,
    U_CREDIT,
    U_DELAY,
    U_FREE,
    W_COUNT,
    W_DECAY,
    W_FLITS,
    W_GAIN,
    W_HOPS,
    W_LATENCY,
    W_NETWORK,
    W_SHIFT,
    WAITERS,
    WAITING,
    Counters,
    FabricArrays,
    Source,
    State,
)
from hopscape.simulate.packet_kernels import bury, fetch, inner, release, send_credit
from hopscape.simulate.router_kernels import allocate_vcs
from hopscape.simulate.source_kernels import inject, wake
from hopscape.simulate.switch_kernels import allocate_switch, choose_senders

__all__ = ["advance"]


@kernel(error_model="numpy", _nrt=False)
def advance(
    fabric: FabricArrays,
    state: State,
    source: Source,
    counters: Counters,
    until: Integer,
    patience: Integer,
) -> Integer:
    """Run to cycle `until`; stop early, returning 1, when nothing has moved for `patience`."""
    numbers, scalars, ejections = fabric.numbers, state.scalars, state.ejections
    at_once = numbers[N_ROUTING] + numbers[N_VC_ALLOC] == 1
    while scalars[NOW] < until:
        waiting = scalars[WAITERS]
        _return_credits(fabric, state)
        _receive(fabric, state)
        if ejections[scalars[NOW] & (len(ejections) - 1), 0]:
            _eject(fabric, state, source, counters)
        inject(fabric, state, source)
        listed = scalars[SENDERS]
        if at_once:  # who has just come is ready
            waiting = scalars[WAITERS]
        if waiting > 0:
            allocate_vcs(fabric, state, source, waiting)
        if listed > 0:
            touched = choose_senders(fabric, state, listed)
            if touched:
                allocate_switch(fabric, state, counters, touched)
        if scalars[IN_FLIGHT] == 0:
            scalars[LAST_MOVE] = scalars[NOW]
        elif scalars[NOW] - scalars[LAST_MOVE] > patience:
            return 1
        scalars[NOW] += 1
    return 0


@inner
def _return_credits(fabric: FabricArrays, state: State) -> None:
    numbers = fabric.numbers
    scalars, vcs, units, credits = state.scalars, state.vcs, state.units, state.credits
    shift, depth = numbers[N_SHIFT], numbers[N_DEPTH]
    slot = scalars[NOW] & (len(credits) - 1)
    many = credits[slot, FILLED]
    for i in range(1, many + 1):
        if i + 16 <= many:
            fetch(vcs, credits[slot, i + 16], 0)
            fetch(units, credits[slot, i + 16] >> shift, 0)
        row = credits[slot, i]
        unit = row >> shift
        vcs[row, CREDIT] += 1
        units[unit, U_CREDIT] += 1
        if vcs[row, MISC] & TAIL_OUT and vcs[row, CREDIT] == depth:
            vcs[row, MISC] &= ~TAIL_OUT
            units[unit, U_FREE] |= 1 << (row - (unit << shift))
    credits[slot, FILLED] = 0


@inner
def _receive(fabric: FabricArrays, state: State) -> None:
    """Flits that come off their links become visible in their buffers."""
    numbers = fabric.numbers
    scalars, vcs, lists, arrivals = state.scalars, state.vcs, state.lists, state.arrivals
    now = scalars[NOW]
    waiting, sending = scalars[WAITERS], scalars[SENDERS]
    slot = now & (len(arrivals) - 1)
    many = arrivals[slot, FILLED]
    for i in range(1, many + 1):
        if i + 16 <= many:
            fetch(vcs, arrivals[slot, i + 16], 0)
        row = arrivals[slot, i]
        vcs[row, COUNT] += 1
        standing = vcs[row, STATE]
        if standing == IDLE:
            vcs[row, STATE] = WAITING
            vcs[row, OUT] = -1
            vcs[row, READY] = now + numbers[N_ROUTING] + numbers[N_VC_ALLOC] - 1
            lists[L_WAITERS, waiting] = row
            waiting += 1
        elif standing != WAITING and not vcs[row, MISC] & LISTED:
            vcs[row, READY] = now + numbers[N_SW_ALLOC] - 1
            vcs[row, MISC] |= LISTED
            lists[L_SENDERS, sending] = row
            sending += 1
    arrivals[slot, FILLED] = 0
    scalars[WAITERS] = waiting
    scalars[SENDERS] = sending


@inner
def _eject(fabric: FabricArrays, state: State, source: Source, counters: Counters) -> None:
    """Flits that reach their endpoints: count them and return their credits."""
    numbers = fabric.numbers
    scalars, units, ends, packets = state.scalars, state.units, state.ends, state.packets
    ejections, credits = state.ejections, state.credits
    transfers, wakes = source.transfers, source.wakes
    span, windows, histogram = counters.span, counters.windows, counters.histogram
    received = counters.received
    now = scalars[NOW]
    slot = now & (len(ejections) - 1)
    begin, end, width = span[0], span[1], span[2]
    at = now // width
    many = ejections[slot, FILLED]
    for i in range(1, many, 2):
        if i + 17 < many:
            fetch(packets, ejections[slot, i + 17] >> 2, 0)
        row, flit = np.int64(ejections[slot, i]), ejections[slot, i + 1]
        unit = row >> numbers[N_SHIFT]
        send_credit(credits, now + 1 + units[unit, U_DELAY] + numbers[N_CREDIT], row)
        who = flit >> 2
        if flit & FIRST and numbers[N_SWITCHING] == CIRCUIT and packets[who, SIZE] > 1:
            stages = numbers[N_ROUTING] + numbers[N_VC_ALLOC] + numbers[N_SW_ALLOC]
            each = stages + numbers[N_TRAVERSAL] + numbers[N_LINK]
            lonely = each * packets[who, HOPS] + 3 - numbers[N_LINK]
            wait = min(now - packets[who, SENT], lonely) // 2
            state.injectors[packets[who, LINE], I_HOLD] = now + wait
            scalars[LAST_MOVE] = max(scalars[LAST_MOVE], now + wait)  # the acknowledgement moves
        if packets[who, MARKS] & KILLED:
            if flit & LAST:
                bury(scalars, ends, packets, who)
            continue
        if at < len(windows):
            windows[at, W_FLITS] += 1
        if begin <= now < end:
            received[packets[who, DST]] += 1
        scalars[DELIVERED_FLITS] += 1
        if not flit & LAST:
            continue
        late, net = now - packets[who, BORN], now - packets[who, SENT]
        born_in = packets[who, BORN] // width
        if born_in < len(windows):
            windows[born_in, W_COUNT] += 1
            windows[born_in, W_LATENCY] += late
            windows[born_in, W_NETWORK] += net
            windows[born_in, W_HOPS] += packets[who, HOPS]
        if begin <= packets[who, BORN] < end:
            histogram[0, min(late, histogram.shape[1] - 1)] += 1
            histogram[1, min(net, histogram.shape[1] - 1)] += 1
        scalars[DELIVERED] += 1
        if packets[who, TAG] >= 0:
            transfers[packets[who, TAG], T_DONE] = now
            wake(ends, transfers, wakes, packets[who, TAG])
        elif numbers[N_WINDOW]:
            _pace(fabric, state, who, net)
        release(scalars, ends, packets, who)
    ejections[slot, FILLED] = 0


@inner
def _pace(fabric: FabricArrays, state: State, who: Integer, taken: Integer) -> None:
    """A packet has arrived: its source's window shrinks if it was late, or grows.

    The window holds at most what one flit per cycle and injector could have under way without
    being late. This is congestion control by delay, as network cards do it (Kumar et al., Swift,
    SIGCOMM 2020).
    """
    numbers = fabric.numbers
    ends, packets = state.ends, state.packets
    e, size = packets[who, SRC], packets[who, SIZE]
    stages = numbers[N_ROUTING] + numbers[N_VC_ALLOC] + numbers[N_SW_ALLOC]
    hops = packets[who, HOPS]
    head = (stages + numbers[N_TRAVERSAL] + numbers[N_LINK]) * hops + 3 - numbers[N_LINK]
    body = (size - 1) * (hops if numbers[N_SWITCHING] == STORE_FORWARD else 1)
    limit = LATE * (head + body)
    if taken > limit:
        ends[e, E_LOSS] += min(int(math.sqrt(size)), 1 << (W_DECAY - 2))
    elif ends[e, E_WINDOW] < min(numbers[N_INJECTORS] * limit << W_SHIFT, 2**30):
        ends[e, E_GAIN] += W_GAIN * size
