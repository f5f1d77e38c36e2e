"""Inside the routers: routes and allocation of virtual channels."""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray, Integer
from hopscape.core.kernel import kernel
from hopscape.simulate.entry_kernels import entry_of, other_entry, set_of, shortest_of
from hopscape.simulate.layout import (
    ACTIVE,
    ADAPTIVE,
    AGE,
    BORN,
    BY_RING,
    COUNT,
    CREDIT,
    CUT_THROUGH,
    DRAIN,
    DST,
    ENTRY_SET_MASK,
    ENTRY_SET_SHIFT,
    ESCAPED,
    FRONT,
    GOAL,
    HOPS,
    KILLED,
    L_OFFER,
    L_SENDERS,
    L_TOUCHED,
    L_WAITERS,
    LISTED,
    MARKS,
    MID,
    MISC,
    N_CHANNELS,
    N_DEPTH,
    N_EASE,
    N_EJECTORS,
    N_EXITS,
    N_LIMIT,
    N_METHOD,
    N_MODE,
    N_PRIORITY,
    N_SETS,
    N_SHARED,
    N_SHIFT,
    N_SW_ALLOC,
    N_SWITCHING,
    N_VCS,
    NO_ROUTE,
    NOW,
    OUT,
    PATH,
    PATIENCE,
    PORT_MASK,
    READY,
    RENEW,
    RISING,
    SECOND,
    SENDERS,
    SIZE,
    STATE,
    STORE_FORWARD,
    T_PATH_END,
    TAG,
    TAILS,
    TIE,
    TRANSIT,
    U_ASK,
    U_CREDIT,
    U_FREE,
    U_INS,
    U_OUT,
    U_OUTS,
    U_RING,
    U_TO,
    V_ALLOWED,
    V_GIVE,
    V_IN,
    V_MASK,
    V_NEXT,
    V_TAKE,
    WAITERS,
    WHOLE,
    FabricArrays,
    Source,
    State,
)
from hopscape.simulate.packet_kernels import (
    asks_room,
    coins,
    copied,
    fetch,
    inner,
    ring_first,
)

__all__ = ["allocate_vcs"]


@inner
def _exit(fabric: FabricArrays, state: State, row: Integer, who: Integer) -> Integer:
    """The ejection line of a packet's endpoint with the most credit, from that of its input on."""
    numbers, units = fabric.numbers, state.units
    per = numbers[N_EJECTORS]
    first = numbers[N_EXITS] + per * np.int64(state.packets[who, DST])
    own = np.int64(state.vcs[row, V_IN]) % per
    best = first + own
    for i in range(1, per):
        line = first + (own + i) % per
        best = line if units[line, U_CREDIT] > units[best, U_CREDIT] else best
    return best


@copied
def _route(fabric: FabricArrays, state: State, source: Source, row: Integer) -> Integer:
    """The unit for the packet at the front of a virtual channel, or -1 when it has no path.

    V_ALLOWED gets the virtual channels of the unit that the packet may ask for.
    """
    numbers, indptr, masks, sets = fabric.numbers, fabric.indptr, fabric.masks, fabric.sets
    kinds = fabric.kinds
    chosen = fabric.chosen
    vcs, units, packets = state.vcs, state.units, state.packets
    random = state.random
    transfers, paths = source.transfers, source.paths
    unit = row >> numbers[N_SHIFT]
    here = units[unit, U_TO]
    who = vcs[row, FRONT] >> 2
    marks = packets[who, MARKS]
    if marks & KILLED:
        return -1
    packets[who, HOPS] += 1
    vcs[row, V_ALLOWED] = masks[len(masks) - 2]
    if packets[who, PATH] >= 0:
        step = packets[who, PATH] + packets[who, HOPS] - 1
        if packets[who, TAG] < 0:
            if packets[who, GOAL] == here:
                return _exit(fabric, state, row, who)
            vcs[row, V_ALLOWED] = masks[chosen.steps[step] & 0xFF]
            return np.int64(chosen.steps[step] >> 8)
        if step >= transfers[packets[who, TAG], T_PATH_END]:
            return _exit(fabric, state, row, who)
        vcs[row, V_ALLOWED] = masks[0]
        return np.int64(paths[step])
    goal = packets[who, GOAL]
    fresh = unit >= numbers[N_CHANNELS] or marks & RENEW != 0
    if packets[who, MID] >= 0:
        if packets[who, MID] == here:
            packets[who, MID] = -1
            marks |= SECOND
            packets[who, MARKS] = marks
            fresh = True
        else:
            goal = packets[who, MID]
    if here == goal:
        return _exit(fabric, state, row, who)
    entry = entry_of(fabric, here, goal)
    if entry & TIE and coins(random, row, state.scalars[NOW]) & 1:
        entry = other_entry(fabric, here, goal)
    if entry & PORT_MASK == NO_ROUTE:
        return -1
    out = indptr[here] + (entry & PORT_MASK)
    if marks & RENEW:
        packets[who, MARKS] = marks & ~RENEW
    if numbers[N_MODE] == ADAPTIVE and not marks & ESCAPED:
        fresh = True  # the escape would begin here
    ring, method = units[unit, U_RING], numbers[N_METHOD]
    base = numbers[N_SETS] if marks & SECOND else 0
    if method == BY_RING:
        fresh = fresh or ring < 0 or ring != units[out, U_RING]
        allowed = sets[base + ((entry >> ENTRY_SET_SHIFT) & ENTRY_SET_MASK)]
    elif fresh:
        allowed = sets[base + set_of(fabric, here, goal)]
    if not fresh:
        level = kinds[row - (unit << numbers[N_SHIFT])]
        if method == RISING and ring == 1 and units[out, U_RING] == 0:  # up again after down
            level += 1
        allowed = masks[level]
    vcs[row, V_ALLOWED] = allowed
    return out


@inner
def _roomy(
    numbers: IntArray, vcs: IntArray, unit: Integer, allowed: Integer, need: Integer
) -> Integer:
    """Of the free virtual channels of a unit those whose buffer holds a whole packet."""
    mask, left = np.int64(0), np.int64(allowed)
    while left:
        v = ring_first(left, 0)
        left &= left - 1
        if vcs[(unit << numbers[N_SHIFT]) + v, CREDIT] >= need:
            mask |= 1 << v
    return mask


@inner
def _has_room(
    numbers: IntArray, vcs: IntArray, unit: Integer, allowed: Integer, need: Integer
) -> bool:
    """Is :func:`_roomy` not empty?"""
    left = np.int64(allowed)
    while left:
        if vcs[(unit << numbers[N_SHIFT]) + ring_first(left, 0), CREDIT] >= need:
            return True
        left &= left - 1
    return False


@inner
def _crowded(numbers: IntArray, vcs: IntArray, unit: Integer, mask: Integer) -> bool:
    """Have the buffers of some virtual channels of a unit less room than new packets need?"""
    room, total, left = np.int64(0), np.int64(0), np.int64(mask)
    while left:
        room += vcs[(unit << numbers[N_SHIFT]) + ring_first(left, 0), CREDIT]
        total += numbers[N_DEPTH]
        left &= left - 1
    return 1000 * room < numbers[N_LIMIT] * total


@inner
def _emptiest(fabric: FabricArrays, state: State, row: Integer, need: Integer) -> Integer:
    """Adaptive routing: the emptiest shortest unit with a free adaptive channel, or -1.

    A channel counts as free when its buffer has room for `need` flits, unless that is 0.
    """
    numbers, indptr, masks = fabric.numbers, fabric.indptr, fabric.masks
    vcs, units, packets = state.vcs, state.units, state.packets
    random = state.random
    here = units[row >> numbers[N_SHIFT], U_TO]
    who = vcs[row, FRONT] >> 2
    goal = packets[who, GOAL]
    if here == goal or packets[who, MARKS] & ESCAPED:
        return -1
    roaming = masks[len(masks) - 1]
    bits = shortest_of(fabric, here, goal)
    best, most = np.int64(-1), np.int64(-1)
    swap = np.int64(0)
    if bits & (bits - 1):  # a choice
        swap = coins(random, row, state.scalars[NOW]) >> 1
    plenty = (numbers[N_VCS] - 1) * numbers[N_DEPTH] + need  # then every buffer has room
    while bits:
        out = indptr[here] + ring_first(bits, 0)
        bits &= bits - 1
        fit, room = units[out, U_FREE] & roaming, np.int64(units[out, U_CREDIT])
        if fit == 0 or room + swap <= most:
            continue
        if need == 0 or room >= plenty or _has_room(numbers, vcs, out, fit, need):
            best, most = out, room
    return best


@kernel(error_model="numpy", _nrt=False, inline="always")
def allocate_vcs(fabric: FabricArrays, state: State, source: Source, listed: Integer) -> None:
    """One iteration of iSLIP between waiting packets and free output virtual channels.

    Only the first `listed` waiters are looked at; the later ones have just come and are not ready.
    """
    scalars, lists = state.scalars, state.lists
    touched, kept = _ask(fabric, state, source, listed)
    for i in range(listed, scalars[WAITERS]):
        lists[L_WAITERS, kept] = lists[L_WAITERS, i]
        kept += 1
    scalars[WAITERS] = _answer(fabric, state, touched, kept)


@kernel(error_model="numpy", _nrt=False, inline="always")
def _fetch_ahead(fabric: FabricArrays, state: State, i: Integer) -> None:
    """Eight waiters ahead for each of: channel, packet, route."""
    shift, waiters = fabric.numbers[N_SHIFT], state.lists[L_WAITERS]
    vcs, units, packets = state.vcs, state.units, state.packets
    ahead = waiters[i + 32]
    fetch(vcs, ahead, 0)
    fetch(units, ahead >> shift, 0)
    ahead = waiters[i + 24]
    fetch(packets, vcs[ahead, FRONT] >> 2, 0)
    ahead = waiters[i + 12]
    who = vcs[ahead, FRONT] >> 2
    if fabric.fold.kind[0] == WHOLE:
        fetch(fabric.table, units[ahead >> shift, U_TO], packets[who, GOAL])


@inner
def _ask(
    fabric: FabricArrays, state: State, source: Source, listed: Integer
) -> tuple[Integer, Integer]:
    """Every waiter that is ready asks one unit; units that are asked, and waiters left on the list.

    Those who ask hang on their unit (U_ASK, V_NEXT) with the channels that they may have (V_MASK).
    """
    numbers, masks = fabric.numbers, fabric.masks
    scalars, vcs, units, lists = state.scalars, state.vcs, state.units, state.lists
    packets = state.packets
    now, switching, adaptive = scalars[NOW], numbers[N_SWITCHING], numbers[N_MODE] == ADAPTIVE
    whole = switching in (CUT_THROUGH, STORE_FORWARD)
    channels, limit = numbers[N_CHANNELS], numbers[N_LIMIT]
    entering = channels << numbers[N_SHIFT] if limit else len(vcs)  # rows that may be held back
    depth = numbers[N_DEPTH]
    sized = whole or adaptive
    others = (numbers[N_VCS] - 1) * depth  # places in all buffers of a unit but one
    touched = kept = np.int64(0)
    for i in range(listed):
        if i + 32 < listed:
            _fetch_ahead(fabric, state, i)
        row = np.int64(lists[L_WAITERS, i])
        lists[L_WAITERS, kept] = row  # stays on the list unless it asks or gives up
        kept += 1
        if vcs[row, READY] > now:
            continue
        size = packets[vcs[row, FRONT] >> 2, SIZE] if sized else 1
        if switching == STORE_FORWARD and vcs[row, COUNT] < size:
            continue
        if vcs[row, OUT] == -1:
            out = _route(fabric, state, source, row)
            if out < 0:
                _give_up(state, row)
                kept -= 1
                continue
            vcs[row, OUT] = out
        unit, allowed = np.int64(vcs[row, OUT]), np.int64(vcs[row, V_ALLOWED])
        need = size if whole else 0
        if adaptive and unit < channels:
            room = need if numbers[N_SHARED] else min(size, depth)
            roaming = _emptiest(fabric, state, row, room)
            if roaming >= 0:
                unit, allowed, need = roaming, masks[len(masks) - 1], room
        mask = allowed & units[unit, U_FREE]
        if need == 0 and units[unit, U_CREDIT] <= others:
            need = asks_room(numbers, packets, vcs[row, FRONT] >> 2)
        if mask and need and units[unit, U_CREDIT] < others + need:
            mask = _roomy(numbers, vcs, unit, mask, need)
        if mask == 0:
            continue
        if row >= entering and unit < channels and now - vcs[row, READY] < PATIENCE:
            tight = 1000 * (units[unit, U_CREDIT] - others) < limit * depth
            if tight and _crowded(numbers, vcs, unit, allowed):
                continue
        kept -= 1
        likely = (unit << numbers[N_SHIFT]) + _first_choice(numbers, vcs, units, unit, row, mask)
        fetch(vcs, likely, 0)
        vcs[row, V_MASK] = mask
        lists[L_TOUCHED, touched] = unit
        touched += units[unit, U_ASK] < 0
        vcs[row, V_NEXT] = units[unit, U_ASK]
        units[unit, U_ASK] = row
    return touched, kept


@inner
def _answer(fabric: FabricArrays, state: State, touched: Integer, kept: Integer) -> Integer:
    """The units that are asked give their virtual channels; how many waiters are then listed."""
    numbers, vcs, units, lists = fabric.numbers, state.vcs, state.units, state.lists
    for i in range(touched):
        if i + 16 < touched:
            fetch(units, lists[L_TOUCHED, i + 16], 0)
            fetch(vcs, units[lists[L_TOUCHED, i + 8], U_ASK], 0)
        unit = np.int64(lists[L_TOUCHED, i])
        first = np.int64(units[unit, U_ASK])
        if vcs[first, V_NEXT] < 0:
            v = _first_choice(numbers, vcs, units, unit, first, np.int64(vcs[first, V_MASK]))
            _grant(fabric, state, unit, v, first)
        else:
            kept = _match_vcs(fabric, state, unit, kept)
        units[unit, U_ASK] = -1
    return kept


@inner
def _give_up(state: State, row: Integer) -> None:
    """There is no path for the packet at the front: its flits are thrown away as they come."""
    scalars, vcs, packets = state.scalars, state.vcs, state.packets
    vcs[row, STATE] = DRAIN
    vcs[row, READY] = scalars[NOW]
    who = vcs[row, FRONT] >> 2
    if not packets[who, MARKS] & KILLED:
        packets[who, MARKS] |= KILLED
        packets[who, TAILS] = 1
    _send_list(state, row)


@copied
def _send_list(state: State, row: Integer) -> None:
    scalars, vcs, lists = state.scalars, state.vcs, state.lists
    if not vcs[row, MISC] & LISTED:
        vcs[row, MISC] |= LISTED
        lists[L_SENDERS, scalars[SENDERS]] = row
        scalars[SENDERS] += 1


@copied
def _grant(fabric: FabricArrays, state: State, unit: Integer, v: Integer, row: Integer) -> None:
    """Virtual channel v of a unit goes to the packet that waits in `row`."""
    numbers, masks = fabric.numbers, fabric.masks
    scalars, vcs, units = state.scalars, state.vcs, state.units
    packets = state.packets
    shift, per = numbers[N_SHIFT], numbers[N_VCS]
    out = (unit << shift) + v
    mine = vcs[row, V_IN] * per + (row & ((1 << shift) - 1)) + 1
    vcs[out, V_GIVE] = mine if mine < units[unit, U_INS] * per else 0
    theirs = units[unit, U_OUT] * per + v + 1
    vcs[row, V_TAKE] = theirs if theirs < units[unit, U_OUTS] * per else 0
    units[unit, U_FREE] &= ~(1 << v)
    vcs[row, STATE] = ACTIVE
    vcs[row, OUT] = out
    vcs[row, READY] = scalars[NOW] + numbers[N_SW_ALLOC]
    inside = unit < numbers[N_CHANNELS]
    if numbers[N_MODE] == ADAPTIVE and inside and not masks[len(masks) - 1] & (1 << v):
        packets[vcs[row, FRONT] >> 2, MARKS] |= ESCAPED
    _send_list(state, row)


@copied
def _first_choice(
    numbers: IntArray, vcs: IntArray, units: IntArray, unit: Integer, row: Integer, mask: Integer
) -> Integer:
    """The first of the offered channels of a unit from the asker's pointer on."""
    per = numbers[N_VCS]
    v = vcs[row, V_TAKE] - units[unit, U_OUT] * per
    return ring_first(mask, v if 0 <= v < per else 0)


@inner
def _match_vcs(fabric: FabricArrays, state: State, unit: Integer, kept: Integer) -> Integer:
    """Several askers at one unit: every free channel offers itself, every asker takes one.

    Those without an offer go back on the list of waiters, behind the first `kept`.
    """
    numbers = fabric.numbers
    scalars, vcs, units, lists = state.scalars, state.vcs, state.units, state.lists
    packets = state.packets
    shift, per = numbers[N_SHIFT], numbers[N_VCS]
    lap, priority = np.int64(units[unit, U_INS]) * per, numbers[N_PRIORITY]
    last, wanted = np.int64(2**62), np.int64(0)
    rings, late = numbers[N_METHOD] == BY_RING, scalars[NOW] - PATIENCE
    row = np.int64(units[unit, U_ASK])
    while row >= 0:
        wanted |= vcs[row, V_MASK]
        row = np.int64(vcs[row, V_NEXT])
    left = wanted
    while left:
        v = ring_first(left, 0)
        left &= left - 1
        given = np.int64(vcs[(unit << shift) + v, V_GIVE])
        full = vcs[(unit << shift) + v, CREDIT] * numbers[N_EASE] < numbers[N_DEPTH]
        transit = priority == TRANSIT and full
        offer, low = np.int64(-1), last
        row = np.int64(units[unit, U_ASK])
        while row >= 0:
            key = vcs[row, V_IN] * per + (row & ((1 << shift) - 1)) - given
            key += lap if key < 0 else 0
            if transit and vcs[row, READY] > late:
                line = row >> shift
                key += lap if line >= numbers[N_CHANNELS] else 0
                key += lap if rings and units[line, U_RING] != units[unit, U_RING] else 0
            elif priority == AGE:
                key += lap * packets[vcs[row, FRONT] >> 2, BORN]
            key = key if (vcs[row, V_MASK] >> v) & 1 else last
            offer = row if key < low else offer
            low = min(key, low)
            row = np.int64(vcs[row, V_NEXT])
        lists[L_OFFER, v] = offer
    row = np.int64(units[unit, U_ASK])
    while row >= 0:
        offered, left = np.int64(0), wanted & vcs[row, V_MASK]
        while left:
            v = ring_first(left, 0)
            left &= left - 1
            offered |= np.int64(lists[L_OFFER, v] == row) << v
        if offered:
            v = _first_choice(numbers, vcs, units, unit, row, offered)
            _grant(fabric, state, unit, v, row)
        else:
            lists[L_WAITERS, kept] = row
            kept += 1
        row = np.int64(vcs[row, V_NEXT])
    return kept
