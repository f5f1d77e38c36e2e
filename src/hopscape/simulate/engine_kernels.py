"""The engine: input-queued virtual-channel routers with credits, cycle by cycle.

Only what has work is visited: lists of virtual channels that wait for an output virtual channel
(`waiters`) or send through the switch (`senders`), and wheels of flits and credits under way. Both
allocators are one iteration of iSLIP: every output gives to the first asker from its pointer on,
every input takes the first offer from its pointer on, and pointers move only past a match. The
winner of each output is kept while the askers are gone through, so no request matrix exists.

A flit is written once per hop, into the wheel, and comes from there into the buffer at the far end
of its link. A cycle is: credits, arrivals, injection, allocation of virtual channels, allocation of
the switch.

A network may be cut into parts, each advanced by a thread of its own (``parts.py``). A router, what
senders know of the channels that leave it, and the buffers of those that come to it belong to one
part, which alone writes them. What goes from one part to another goes by wheels, each block of
which one part fills and another one empties in a later cycle, and by lists of packets that have
arrived. Parts meet twice a cycle: when all flits have arrived, and at the end. So no order of
threads decides anything, and the results are those of one part.
"""

from __future__ import annotations

import math

import numpy as np

from hopscape.core.arrays import Integer
from hopscape.core.kernel import kernel
from hopscape.simulate.gate_kernels import meet
from hopscape.simulate.layout import (
    B_ARRIVALS,
    B_CREDITS,
    BORN,
    CIRCUIT,
    CREDIT,
    DELIVERED,
    DELIVERED_FLITS,
    DST,
    E_GAIN,
    E_LOSS,
    E_WINDOW,
    FILLED,
    FIRST,
    G_INSIDE,
    G_MOVE,
    G_TURN,
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
    OWNER,
    PART,
    PARTS,
    READY,
    SENDERS,
    SENT,
    SIZE,
    SRC,
    STATE,
    STORE_FORWARD,
    T_DONE,
    TAG,
    U_CREDIT,
    U_DELAY,
    U_FREE,
    U_PAIR,
    U_TAILS,
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
from hopscape.simulate.packet_kernels import bury, fetch, inner, put_flit, release, send_credit
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
    """Run one part to cycle `until`.

    Returns:
        1, early, when nothing has moved for `patience`; 2 when another part has failed; else 0.
    """
    numbers, scalars, ejections = fabric.numbers, state.scalars, state.ejections
    at_once = numbers[N_ROUTING] + numbers[N_VC_ALLOC] == 1
    parts, part = scalars[PARTS], scalars[PART]
    turn = np.int64(state.gates[part, G_TURN])
    while scalars[NOW] < until:
        waiting = scalars[WAITERS]
        _return_credits(fabric, state)
        _receive(fabric, state)
        if ejections[scalars[NOW] & (len(ejections) - 1), 0]:
            _eject(fabric, state, source, counters)
        if parts > 1:
            turn += 1
            if not meet(state.gates, part, turn):
                return 2
        _take_home(fabric, state)
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
        inside, moved = scalars[IN_FLIGHT], scalars[LAST_MOVE]
        if parts > 1:
            turn += 1
            _tell(state)
            if not meet(state.gates, part, turn):
                return 2
            inside, moved = _ask_all(state)
        if inside == 0:
            scalars[LAST_MOVE] = scalars[NOW]
        elif scalars[NOW] - moved > patience:
            return 1
        scalars[NOW] += 1
    return 0


@inner
def _tell(state: State) -> None:
    """Show the other parts what this one has under way, and when it moved last."""
    scalars, gates = state.scalars, state.gates
    parity = scalars[NOW] & 1
    gates[scalars[PART], G_INSIDE + parity] = scalars[IN_FLIGHT]
    gates[scalars[PART], G_MOVE + parity] = scalars[LAST_MOVE]


@inner
def _ask_all(state: State) -> tuple[Integer, Integer]:
    """Packets under way in all parts, and the cycle in which something moved last."""
    gates, parity = state.gates, state.scalars[NOW] & 1
    inside, moved = np.int64(0), np.int64(0)
    for part in range(state.scalars[PARTS]):
        inside += gates[part, G_INSIDE + parity]
        moved = max(moved, gates[part, G_MOVE + parity])
    return inside, moved


@inner
def _return_credits(fabric: FabricArrays, state: State) -> None:
    numbers = fabric.numbers
    scalars, vcs, units, credits = state.scalars, state.vcs, state.units, state.credits
    shift, depth = numbers[N_SHIFT], numbers[N_DEPTH]
    slot = scalars[NOW] & (len(credits) - 1)
    for other in range(scalars[PARTS]):  # credits of channels from here to there
        block = state.blocks[B_CREDITS, scalars[PART] * scalars[PARTS] + other]
        many = credits[slot, block + FILLED]
        for i in range(block + 1, block + 1 + many):
            if i + 16 <= block + many:
                fetch(vcs, credits[slot, i + 16], 0)
                fetch(units, credits[slot, i + 16] >> shift, 0)
            row = credits[slot, i]
            unit = row >> shift
            vcs[row, CREDIT] += 1
            units[unit, U_CREDIT] += 1
            if units[unit, U_TAILS] and vcs[row, CREDIT] == depth:
                bit = units[unit, U_TAILS] & (1 << (row - (unit << shift)))
                units[unit, U_TAILS] ^= bit
                units[unit, U_FREE] |= bit
        credits[slot, block + FILLED] = 0


@inner
def _receive(fabric: FabricArrays, state: State) -> None:
    """Flits come off their links into their buffers."""
    numbers, flits = fabric.numbers, state.flits
    scalars, vcs, lists, arrivals = state.scalars, state.vcs, state.lists, state.arrivals
    now = scalars[NOW]
    waiting, sending = scalars[WAITERS], scalars[SENDERS]
    slot = now & (len(arrivals) - 1)
    for other in range(scalars[PARTS]):  # flits from there
        block = state.blocks[B_ARRIVALS, other * scalars[PARTS] + scalars[PART]]
        many = arrivals[slot, block + FILLED]
        for i in range(block + 1, block + 1 + many, 2):
            if i + 32 < block + many:
                fetch(vcs, arrivals[slot, i + 32], 0)
            row = np.int64(arrivals[slot, i])
            put_flit(numbers, vcs, flits, row, arrivals[slot, i + 1])
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
        arrivals[slot, block + FILLED] = 0
    scalars[WAITERS] = waiting
    scalars[SENDERS] = sending


@inner
def _eject(fabric: FabricArrays, state: State, source: Source, counters: Counters) -> None:
    """Flits that reach their endpoints: count them and return their credits.

    Whole packets go onto the lists of the parts that their sources are in.
    """
    numbers = fabric.numbers
    scalars, units, ends, packets = state.scalars, state.units, state.ends, state.packets
    ejections, homes = state.ejections, state.homes
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
        block = state.blocks[B_CREDITS, units[unit, U_PAIR]]
        due = now + 1 + units[unit, U_DELAY] + numbers[N_CREDIT]
        send_credit(state.credits, block, due, row)
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
        home = scalars[PART] * scalars[PARTS] + packets[who, OWNER]
        homes[home, FILLED] += 1
        homes[home, homes[home, FILLED]] = who
    ejections[slot, FILLED] = 0


@inner
def _take_home(fabric: FabricArrays, state: State) -> None:
    """Sources hear of the packets that have arrived in this cycle."""
    scalars, ends, packets, homes = state.scalars, state.ends, state.packets, state.homes
    paced = fabric.numbers[N_WINDOW] != 0
    for other in range(scalars[PARTS]):
        home = other * scalars[PARTS] + scalars[PART]
        for i in range(1, 1 + homes[home, FILLED]):
            who = np.int64(homes[home, i])
            if paced and packets[who, TAG] < 0:
                _pace(fabric, state, who, scalars[NOW] - packets[who, SENT])
            release(scalars, ends, packets, who)
        homes[home, FILLED] = 0


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
