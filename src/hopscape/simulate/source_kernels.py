"""The endpoints: births, targets, sizes, and the way into the network.

A source queue is never stored. Births are drawn in order, each when the one before has entered the
network, so that a backlog of any length is one number: the cycle of the next birth.
"""

from __future__ import annotations

import math

import numpy as np

from hopscape.core.arrays import Floats, IntArray, Integer
from hopscape.core.kernel import kernel
from hopscape.simulate.entry_kernels import entry_of, hops_of, is_cut_off
from hopscape.simulate.layout import (
    B_ARRIVALS,
    BEGIN,
    BERNOULLI,
    BORN,
    CIRCUIT,
    CREATED,
    CREDIT,
    DST,
    E_BIRTH,
    E_GAIN,
    E_HOME,
    E_LOSS,
    E_ON,
    E_READY,
    E_READY_END,
    E_TRACE,
    E_TRIAL,
    E_UNDERWAY,
    E_WINDOW,
    END,
    FIRST,
    FIRST_END,
    FIRST_PACKET,
    FREE,
    FRESH,
    GOAL,
    HOPS,
    I_HOLD,
    I_LAST,
    I_SENDING,
    I_VC,
    IN_FLIGHT,
    KILLED,
    LAST,
    LAST_END,
    LEFT,
    LINE,
    LOST,
    LOST_MEASURED,
    MARKS,
    MEASURED,
    MID,
    MOVED,
    N_BIAS,
    N_CHANNELS,
    N_DEPTH,
    N_INJECTORS,
    N_MODE,
    N_SHIFT,
    N_SWITCHING,
    N_TAIL_CREDIT,
    N_VCS,
    N_WINDOW,
    NOW,
    OWNER,
    PART,
    PATH,
    PORT_MASK,
    REROUTED,
    SECOND,
    SENT,
    SILENT,
    SIZE,
    SPARE,
    SRC,
    T_NEXT,
    T_PATH,
    T_SIZE,
    T_SOURCE,
    T_TARGET,
    T_WAITS,
    T_WAKE,
    T_WAKE_END,
    TABLE,
    TAG,
    TAILS,
    TRACE,
    TRACE_BIRTH,
    TRACE_SIZE,
    TRACE_TARGET,
    U_CREDIT,
    U_DELAY,
    U_FREE,
    U_PAIR,
    U_TAILS,
    UGAL,
    UNIFORM,
    UNIFORM_OTHERS,
    VALIANT,
    W_DECAY,
    W_SHIFT,
    FabricArrays,
    Source,
    State,
)
from hopscape.simulate.packet_kernels import copied, inner, random_bits, random_unit, send_flit

__all__ = ["first_births", "inject", "put_ready", "silence", "wake"]

_NEVER = 2**30


@kernel(error_model="numpy", _nrt=False)
def first_births(state: State, source: Source) -> None:
    """Draw the first birth of every endpoint."""
    for e in range(len(state.ends)):
        state.ends[e, E_BIRTH], state.ends[e, E_TRIAL] = -1, source.kind[2] - 1
        _draw_birth(state.ends, state.random, source, e)


@kernel(error_model="numpy", _nrt=False)
def silence(state: State, source: Source, e: Integer) -> None:
    """An endpoint dies: the packets that wait in its queue are lost, and none are born."""
    scalars, ends = state.scalars, state.ends
    while ends[e, E_BIRTH] < scalars[NOW]:
        scalars[CREATED] += 1
        scalars[LOST] += 1
        if scalars[BEGIN] <= ends[e, E_BIRTH] < scalars[END]:
            scalars[MEASURED] += 1
            scalars[LOST_MEASURED] += 1
        if source.kind[1] == TRACE:
            ends[e, E_TRACE] += 1
        _draw_birth(ends, state.random, source, e)
    ends[e, E_BIRTH] = _NEVER


@copied
def _draw_birth(ends: IntArray, random: IntArray, source: Source, e: Integer) -> None:
    """Move the next birth of an endpoint to its next packet.

    Every cycle has as many trials as the endpoint has injectors, each with the same chance.
    """
    kind, trials, rates = source.kind[1], source.kind[2], source.rates
    if kind == TRACE:
        at = ends[e, E_TRACE]
        ends[e, E_BIRTH] = source.trace[at, TRACE_BIRTH] if at < source.starts[e + 1] else _NEVER
        return
    rate = rates[0]
    if kind == SILENT or rate <= 0:
        ends[e, E_BIRTH] = _NEVER
        return
    when, trial = np.int64(ends[e, E_BIRTH]), np.int64(ends[e, E_TRIAL]) + 1
    if kind == BERNOULLI:
        if rate < 1:
            trial += int(math.log(random_unit(random, e)) / math.log1p(-rate))
        ends[e, E_BIRTH] = min(when + trial // trials, _NEVER)
        ends[e, E_TRIAL] = trial % trials
        return
    on = ends[e, E_ON]
    while when < _NEVER:
        if trial >= trials:
            trial = np.int64(0)
            when += 1
            chance = random_unit(random, e)
            if on:
                on = 0 if chance <= rates[2] else 1
            else:
                on = 1 if chance <= rates[1] else 0
        if on and random_unit(random, e) <= rate:
            break
        trial += 1
    ends[e, E_ON] = on
    ends[e, E_BIRTH] = when
    ends[e, E_TRIAL] = trial


@copied
def _draw_target(ends: IntArray, random: IntArray, source: Source, e: Integer) -> Integer:
    kind, many = source.kind[0], len(ends)
    if kind == TABLE:
        return np.int64(source.targets[e])
    if kind == UNIFORM:
        return np.int64(random_bits(random, e) % np.uint64(many))
    if kind == UNIFORM_OTHERS:
        other = np.int64(random_bits(random, e) % np.uint64(many - 1))
        return other + 1 if other >= e else other
    low, high = source.starts[e], source.starts[e + 1]
    draw = random_unit(random, e)
    return np.int64(source.targets[_place(source.shares, low, high, draw)])


@copied
def _draw_size(random: IntArray, source: Source, e: Integer) -> Integer:
    if len(source.sizes) == 1:
        return np.int64(source.sizes[0])
    draw = random_unit(random, e)
    return np.int64(source.sizes[_place(source.size_shares, 0, len(source.sizes), draw)])


@copied
def _place(shares: Floats, low: Integer, high: Integer, draw: float) -> Integer:
    """The first of shares[low:high], which rise, that reaches a draw; else the last."""
    low, last = np.int64(low), np.int64(high) - 1
    while low < last:
        middle = (low + last) >> 1
        if shares[middle] < draw:
            low = middle + 1
        else:
            last = middle
    return min(low, last)


@copied
def _new_packet(state: State, e: Integer, target: Integer, size: Integer, born: Integer) -> Integer:
    scalars, ends, packets = state.scalars, state.ends, state.packets
    if scalars[FREE] > 0:
        scalars[FREE] -= 1
        who = np.int64(packets[scalars[FIRST_PACKET] + scalars[FREE], SPARE])
    else:
        who = scalars[FIRST_PACKET] + scalars[FRESH]
        scalars[FRESH] += 1
    packets[who, DST] = target
    packets[who, GOAL] = ends[target, E_HOME]
    packets[who, BORN] = born
    packets[who, SENT] = scalars[NOW]
    packets[who, SIZE] = size
    packets[who, SRC] = e
    packets[who, HOPS] = 0
    packets[who, MARKS] = 0
    packets[who, MID] = -1
    packets[who, TAG] = -1
    packets[who, PATH] = -1
    packets[who, LEFT] = size
    packets[who, TAILS] = 0
    packets[who, OWNER] = scalars[PART]
    scalars[IN_FLIGHT] += 1
    scalars[CREATED] += 1
    if scalars[BEGIN] <= born < scalars[END]:
        scalars[MEASURED] += 1
    return who


@kernel(error_model="numpy", _nrt=False)
def wake(ends: IntArray, transfers: IntArray, wakes: IntArray, transfer: Integer) -> None:
    """A transfer of a replay has arrived: those that waited for it alone may start."""
    for i in range(transfers[transfer, T_WAKE], transfers[transfer, T_WAKE_END]):
        later = wakes[i]
        transfers[later, T_WAITS] -= 1
        if transfers[later, T_WAITS] == 0:
            put_ready(ends, transfers, later)


@kernel(error_model="numpy", _nrt=False)
def put_ready(ends: IntArray, transfers: IntArray, transfer: Integer) -> None:
    """Queue a transfer of a replay at its source."""
    e = transfers[transfer, T_SOURCE]
    transfers[transfer, T_NEXT] = -1
    if ends[e, E_READY] < 0:
        ends[e, E_READY] = transfer
    else:
        transfers[ends[e, E_READY_END], T_NEXT] = transfer
    ends[e, E_READY_END] = transfer


@copied
def _next_packet(fabric: FabricArrays, state: State, source: Source, e: Integer) -> Integer:
    """Make the next packet of an endpoint: a ready transfer first, then its own traffic."""
    moved, chosen = fabric.moved, fabric.chosen
    scalars, ends, packets = state.scalars, state.ends, state.packets
    random = state.random
    now = scalars[NOW]
    transfer = ends[e, E_READY]
    if transfer >= 0:
        transfers = source.transfers
        ends[e, E_READY] = transfers[transfer, T_NEXT]
        target, size = (
            np.int64(transfers[transfer, T_TARGET]),
            np.int64(transfers[transfer, T_SIZE]),
        )
        who = _new_packet(state, e, target, size, now)
        packets[who, TAG] = transfer
        packets[who, PATH] = transfers[transfer, T_PATH]
        return who
    born = np.int64(ends[e, E_BIRTH])
    if source.kind[1] == TRACE:
        at = ends[e, E_TRACE]
        target = np.int64(source.trace[at, TRACE_TARGET])
        size = np.int64(source.trace[at, TRACE_SIZE])
        ends[e, E_TRACE] = at + 1
    else:
        target, size = _draw_target(ends, random, source, e), _draw_size(random, source, e)
    _draw_birth(ends, random, source, e)
    who = _new_packet(state, e, target, size, born)
    if len(chosen.first):
        _choose_route(fabric, state, who, e, target)
        return who
    _plan(fabric, state, who, e, target)
    if len(moved):
        here, mid, goal = ends[e, E_HOME], packets[who, MID], ends[target, E_HOME]
        if moved[here, goal] if mid < 0 else moved[here, mid] or moved[mid, goal]:
            packets[who, MARKS] |= MOVED
            scalars[REROUTED] += 1
    return who


@inner
def _choose_route(
    fabric: FabricArrays, state: State, who: Integer, e: Integer, target: Integer
) -> None:
    """The source chooses the whole route, by the shares of its ways."""
    chosen = fabric.chosen
    ends, packets, random = state.ends, state.packets, state.random
    here, goal = ends[e, E_HOME], ends[target, E_HOME]
    low, high = chosen.first[here, goal], chosen.first[here, goal + 1]
    if low == high:
        return
    if high - low > 1:
        draw = random_unit(random, e)
        low = _place(chosen.shares, low, high, draw)
    packets[who, PATH] = chosen.starts[low]


@kernel(error_model="numpy", _nrt=False, inline="always")
def _plan(fabric: FabricArrays, state: State, who: Integer, e: Integer, target: Integer) -> None:
    """What is decided at the source: the router in between."""
    numbers, indptr = fabric.numbers, fabric.indptr
    units, ends, packets, random = state.units, state.ends, state.packets, state.random
    here, goal = ends[e, E_HOME], ends[target, E_HOME]
    mode = numbers[N_MODE]
    if here == goal or (mode != VALIANT and mode != UGAL):
        return
    if is_cut_off(fabric, here, goal):
        return
    mid = ends[np.int64(random_bits(random, e) % np.uint64(len(ends))), E_HOME]
    if mid in (here, goal) or is_cut_off(fabric, here, mid) or is_cut_off(fabric, mid, goal):
        packets[who, MARKS] |= SECOND
        return
    if mode == UGAL:
        straight = indptr[here] + (entry_of(fabric, here, goal) & PORT_MASK)
        around = indptr[here] + (entry_of(fabric, here, mid) & PORT_MASK)
        full = numbers[N_VCS] * numbers[N_DEPTH]
        short = (full - units[straight, U_CREDIT]) * hops_of(fabric, here, goal)
        detour = hops_of(fabric, here, mid) + hops_of(fabric, mid, goal)
        if short <= (full - units[around, U_CREDIT]) * detour + numbers[N_BIAS]:
            packets[who, MARKS] |= SECOND
            return
    packets[who, MID] = mid


@inner
def inject(fabric: FabricArrays, state: State, source: Source) -> None:
    """Every injector of an endpoint sends at most one flit into its router."""
    per, scalars = fabric.numbers[N_INJECTORS], state.scalars
    for i in range(scalars[FIRST_END], scalars[LAST_END]):
        e = np.int64(state.own[i])
        if state.ends[e, E_LOSS] | state.ends[e, E_GAIN]:
            _set_window(state.ends, e)
        for line in range(e * per, (e + 1) * per):
            _send(fabric, state, source, e, line)


@copied
def _set_window(ends: IntArray, e: Integer) -> None:
    """What arrived in this cycle changes a window at once: first the losses, then the gains."""
    window = np.int64(ends[e, E_WINDOW])
    if ends[e, E_LOSS]:
        window = max(window - (window * ends[e, E_LOSS] >> W_DECAY), np.int64(1 << W_SHIFT))
    ends[e, E_WINDOW] = window + ends[e, E_GAIN]
    ends[e, E_LOSS] = ends[e, E_GAIN] = 0


@kernel(error_model="numpy", _nrt=False, inline="always")
def _send(fabric: FabricArrays, state: State, source: Source, e: Integer, line: Integer) -> None:
    """An injector sends the next flit of its packet, or begins with the next one in the queue."""
    numbers, now = fabric.numbers, state.scalars[NOW]
    vcs, units, ends, packets = state.vcs, state.units, state.ends, state.packets
    injectors = state.injectors
    who = np.int64(injectors[line, I_SENDING])
    if who < 0 and ends[e, E_BIRTH] > now and ends[e, E_READY] < 0:
        return
    unit = numbers[N_CHANNELS] + line
    if who < 0:
        if numbers[N_WINDOW] and _is_full(ends, e):
            return
        v = _entry_vc(numbers, vcs, units, unit, injectors[line, I_LAST])
        if v < 0:
            return
        who = _next_packet(fabric, state, source, e)
        packets[who, LINE] = line
        ends[e, E_UNDERWAY] += packets[who, SIZE]
        injectors[line, I_SENDING] = who
        injectors[line, I_VC] = v
        injectors[line, I_LAST] = v
        units[unit, U_FREE] &= ~(1 << v)
    if injectors[line, I_HOLD] > now:
        if not packets[who, MARKS] & KILLED:
            return
        injectors[line, I_HOLD] = now  # no circuit will stand: its other flits follow and are lost
    row = (unit << numbers[N_SHIFT]) + injectors[line, I_VC]
    if vcs[row, CREDIT] > 0:
        _enter(fabric, state, now, line, who, row)


@copied
def _is_full(ends: IntArray, e: Integer) -> bool:
    """Is all under way that the window of an endpoint allows? Replayed transfers ask nobody."""
    return ends[e, E_READY] < 0 and ends[e, E_UNDERWAY] << W_SHIFT >= ends[e, E_WINDOW]


@kernel(error_model="numpy", _nrt=False, inline="always")
def _enter(
    fabric: FabricArrays, state: State, now: Integer, line: Integer, who: Integer, row: Integer
) -> None:
    """The next flit of a packet leaves its endpoint."""
    numbers = fabric.numbers
    vcs, units, injectors, packets = state.vcs, state.units, state.injectors, state.packets
    unit = row >> numbers[N_SHIFT]
    left = packets[who, LEFT]
    flit = who * 4
    if left == packets[who, SIZE]:
        flit |= FIRST
        if numbers[N_SWITCHING] == CIRCUIT and left > 1:
            injectors[line, I_HOLD] = _NEVER
    packets[who, LEFT] = left - 1
    vcs[row, CREDIT] -= 1
    units[unit, U_CREDIT] -= 1
    if left == 1:
        flit |= LAST
        injectors[line, I_SENDING] = -1
        if numbers[N_TAIL_CREDIT]:
            units[unit, U_TAILS] |= 1 << injectors[line, I_VC]
        else:
            units[unit, U_FREE] |= 1 << injectors[line, I_VC]
    block = state.blocks[B_ARRIVALS, units[unit, U_PAIR]]
    send_flit(state.arrivals, block, now + 1 + units[unit, U_DELAY], row, flit)


@copied
def _entry_vc(
    numbers: IntArray, vcs: IntArray, units: IntArray, unit: Integer, last: Integer
) -> Integer:
    """The next free virtual channel of an injection line after the last one used, or -1."""
    per = numbers[N_VCS]
    v = last
    for _ in range(per):
        v += 1
        if v >= per:
            v = 0
        if units[unit, U_FREE] & (1 << v) and vcs[(unit << numbers[N_SHIFT]) + v, CREDIT] > 0:
            return v
    return -1
