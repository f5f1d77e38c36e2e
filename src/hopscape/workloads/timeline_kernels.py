"""The event loop: parts begin when they may, messages queue at channels, nothing waits for a round.

A channel serves messages in the order in which they reach it. In cut-through a message goes on when
its head is there, in store-and-forward when its tail is. At the same time, what is under way goes
first, in the order in which it came about; then messages leave in the order of their plan, so that
an all-to-all whose members begin together keeps to its shifts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from hopscape.core.arrays import Floats, Int64s, Integer
from hopscape.core.kernel import helper, kernel

__all__ = ["Events", "LinkTiming", "PartTable", "Progress", "Templates", "run_events"]


class PartTable(NamedTuple):
    """Parts and operations.

    Attributes:
        lane, seconds, together, seat: Of each part.
        next_start, next: Parts that wait for a part.
        plan, message_base, member_base: Of each operation: its placed plan, and where its messages
            and members begin in :class:`Progress`.
        part_of: The part of each member of each operation.
        behind: Operations whose messages leave when their first channel is idle and nothing else
            leaves by it: they do not queue, and others go first.
    """

    lane: Int64s
    seconds: Floats
    together: Int64s
    seat: Int64s
    next_start: Int64s
    next: Int64s
    plan: Int64s
    message_base: Int64s
    member_base: Int64s
    part_of: Int64s
    size: Floats
    behind: Int64s


class Templates(NamedTuple):
    """Plans of messages, all in a row.

    Attributes:
        template, path_base: Of each placed plan: its template, and where the paths of its messages
            begin.
        first: Where the messages of a template begin.
        source, target, share, adds: Of each message: members, part of the size, is it added?
        next_start, next: Messages (counted from the first of the template) that wait for a message.
        seat_base, touch_start, touch: Messages that a member sends or receives.
        path_start, path: Channels of each placed message.
    """

    template: Int64s
    path_base: Int64s
    first: Int64s
    source: Int64s
    target: Int64s
    share: Floats
    adds: Int64s
    next_start: Int64s
    next: Int64s
    seat_base: Int64s
    touch_start: Int64s
    touch: Int64s
    path_start: Int64s
    path: Int64s


class LinkTiming(NamedTuple):
    """Costs: time per byte of each channel, start-up, hop, byte added; how messages move.

    With `numbered` the parts that wait for a lane go by their numbers, not by when they came.
    """

    per_byte: Floats
    alpha: float
    delta: float
    gamma: float
    stores: bool
    truncates: bool
    meets: bool
    numbered: bool


class Progress(NamedTuple):
    """What changes: waits left, times, queues.

    Attributes:
        waits, start, end: Of each part; times are -1 before they are known.
        needs, tail: Of each message.
        entered, left: Of each member of each operation.
        free, busy: Of each channel.
        adder: When each part's rank can add again, by `rank`.
        holder, head, last: Of each lane; `following` links the parts in its queue.
    """

    waits: Int64s
    start: Floats
    end: Floats
    needs: Int64s
    tail: Floats
    entered: Int64s
    left: Int64s
    free: Floats
    busy: Floats
    adder: Floats
    rank: Int64s
    holder: Int64s
    head: Int64s
    last: Int64s
    following: Int64s
    sent: Floats
    arrived: Floats


class Events(NamedTuple):
    """A heap of events: times, turn and key of each, how many there are and the next turn.

    Attributes:
        pending: Room for the parts that an event makes ready.
    """

    time: Floats
    key: Int64s
    sizes: Int64s
    pending: Int64s


_HOP = 1 << 60
_ADDED = 1 << 61
_OPERATION = 1 << 36
_MESSAGE = 1 << 12
_LEAVING = 1 << 50
"""Turns of messages that leave come after all others; 24 bits say the message, 24 the operation."""
_BEHIND = 1 << 51
"""Turns of messages that let others go first."""


@helper(error_model="numpy", _nrt=False)
def _insert(
    times: Floats, keys: Int64s, count: Int64s, time: float, key: Integer, turn: Integer
) -> None:
    at = count[0]
    count[0] += 1
    while at > 0:
        up = (at - 1) >> 1
        if times[up] < time or (times[up] == time and keys[2 * up] < turn):
            break
        times[at] = times[up]
        keys[2 * at] = keys[2 * up]
        keys[2 * at + 1] = keys[2 * up + 1]
        at = up
    times[at] = time
    keys[2 * at] = turn
    keys[2 * at + 1] = key


@helper(error_model="numpy", _nrt=False)
def _push(times: Floats, keys: Int64s, count: Int64s, time: float, key: Integer) -> None:
    turn = count[1]
    count[1] += 1
    _insert(times, keys, count, time, key, turn)


@helper(error_model="numpy", _nrt=False)
def _leave(
    times: Floats, keys: Int64s, count: Int64s, time: float, operation: Integer, message: Integer
) -> None:
    """A message may leave."""
    key = _HOP + operation * _OPERATION + message * _MESSAGE
    _insert(times, keys, count, time, key, _LEAVING + message * (1 << 24) + operation)


@helper(error_model="numpy", _nrt=False)
def _drop(times: Floats, keys: Int64s, count: Int64s) -> None:
    """Take the first event away."""
    count[0] -= 1
    size = count[0]
    time = times[size]
    turn = keys[2 * size]
    key = keys[2 * size + 1]
    at = 0
    while True:
        down = 2 * at + 1
        if down >= size:
            break
        other = down + 1
        if other < size and (
            times[other] < times[down]
            or (times[other] == times[down] and keys[2 * other] < keys[2 * down])
        ):
            down = other
        if time < times[down] or (time == times[down] and turn < keys[2 * down]):
            break
        times[at] = times[down]
        keys[2 * at] = keys[2 * down]
        keys[2 * at + 1] = keys[2 * down + 1]
        at = down
    times[at] = time
    keys[2 * at] = turn
    keys[2 * at + 1] = key


@helper(error_model="numpy", _nrt=False)
def _queue(part: Integer, lane: Integer, numbered: bool, state: Progress) -> None:
    """A part waits for its lane: behind all others, or behind those of smaller numbers."""
    before = state.last[lane] if state.head[lane] >= 0 else -1
    if numbered and before > part:
        before, behind = -1, state.head[lane]
        while behind < part:
            before, behind = behind, state.following[behind]
    if before < 0:
        state.following[part] = state.head[lane]
        state.head[lane] = part
    else:
        state.following[part] = state.following[before]
        state.following[before] = part
    if state.following[part] < 0:
        state.last[lane] = part


@helper(error_model="numpy", _nrt=False)
def _begin(
    part: Integer,
    now: float,
    work: PartTable,
    plans: Templates,
    machine: LinkTiming,
    state: Progress,
    heap: Events,
) -> None:
    """A part that waits for nothing runs, enters its operation, or queues for its lane."""
    lane = work.lane[part]
    if lane >= 0 and state.holder[lane] >= 0 and state.holder[lane] != part:
        _queue(part, lane, machine.numbered, state)
        return
    if lane >= 0:
        state.holder[lane] = part
    state.start[part] = now
    operation = work.together[part]
    if operation < 0:
        _push(heap.time, heap.key, heap.sizes, now + work.seconds[part], part)
        return
    seat = work.seat[part]
    member = work.member_base[operation] + seat
    state.entered[member] = 1
    template = plans.template[work.plan[operation]]
    first = plans.first[template]
    row = plans.seat_base[template] + seat
    base = work.message_base[operation]
    for j in range(plans.touch_start[row], plans.touch_start[row + 1]):
        message = plans.touch[j]
        if not machine.meets and plans.source[first + message] != seat:
            continue
        state.needs[base + message] -= 1
        if state.needs[base + message] == 0:
            _leave(heap.time, heap.key, heap.sizes, now + machine.alpha, operation, message)
    if state.left[member] == 0:
        _push(heap.time, heap.key, heap.sizes, now, part)


@helper(error_model="numpy", _nrt=False)
def _next_in_lane(lane: Integer, state: Progress, pending: Int64s, ready: Integer) -> Integer:
    """The first part in the queue of a lane has it; how many may begin now."""
    first = state.head[lane]
    state.holder[lane] = first
    if first < 0:
        return ready
    state.head[lane] = state.following[first]
    pending[ready] = first
    return ready + 1


@helper(error_model="numpy", _nrt=False)
def _end(
    part: Integer,
    now: float,
    work: PartTable,
    machine: LinkTiming,
    state: Progress,
    pending: Int64s,
) -> Integer:
    """A part ends; how many may begin now, in `pending`."""
    ready = 0
    state.end[part] = now
    lane = work.lane[part]
    if lane >= 0 and not machine.numbered:
        ready = _next_in_lane(lane, state, pending, ready)
    for i in range(work.next_start[part], work.next_start[part + 1]):
        other = work.next[i]
        state.waits[other] -= 1
        if state.waits[other] == 0:
            if machine.numbered and lane >= 0 and work.lane[other] == lane:
                _queue(other, lane, True, state)
            else:
                pending[ready] = other
                ready += 1
    if lane >= 0 and machine.numbered:
        ready = _next_in_lane(lane, state, pending, ready)
    return ready


@helper(error_model="numpy", _nrt=False)
def _travel(
    key: Integer,
    now: float,
    work: PartTable,
    plans: Templates,
    machine: LinkTiming,
    state: Progress,
    heap: Events,
) -> bool:
    """A message reaches a channel, or the node that adds it up; is it still under way?"""
    operation, message, hop = key // _OPERATION, key % _OPERATION // _MESSAGE, key % _MESSAGE
    plan = work.plan[operation]
    first = plans.first[plans.template[plan]]
    where = work.message_base[operation] + message
    row = plans.path_base[plan] + message
    low = plans.path_start[row]
    hops = plans.path_start[row + 1] - low
    size = plans.share[first + message] * work.size[operation]
    if hop < hops:
        channel = plans.path[low + hop]
        if hop == 0 and work.behind[operation] and state.free[channel] > now:
            turn = _BEHIND + message * (1 << 24) + operation
            _insert(heap.time, heap.key, heap.sizes, state.free[channel], _HOP + key, turn)
            return True
        start = max(now, state.free[channel])
        lasts = size * machine.per_byte[channel]
        if machine.truncates:
            lasts = math.floor(lasts)
        end = start + lasts
        if hop > 0 and not machine.stores:
            end = max(end, state.tail[where] + machine.delta)
        if hop == 0 and len(state.sent):
            state.sent[where] = start
        state.tail[where] = end
        state.free[channel] = end
        state.busy[channel] += lasts
        on = end if machine.stores or hop == hops - 1 else start
        _push(heap.time, heap.key, heap.sizes, on + machine.delta, _HOP + key + 1)
        return True
    if plans.adds[first + message] and machine.gamma > 0:
        target = work.member_base[operation] + plans.target[first + message]
        rank = state.rank[work.part_of[target]]
        done = max(now, state.adder[rank]) + machine.gamma * size
        state.adder[rank] = done
        _push(heap.time, heap.key, heap.sizes, done, _ADDED + key - hop)
        return True
    return False


@helper(error_model="numpy", _nrt=False)
def _arrive(
    key: Integer,
    now: float,
    work: PartTable,
    plans: Templates,
    machine: LinkTiming,
    state: Progress,
    heap: Events,
) -> None:
    """A message has arrived: its ends are nearer to leaving, what waited for it may go."""
    operation, message = key // _OPERATION, key % _OPERATION // _MESSAGE
    first = plans.first[plans.template[work.plan[operation]]]
    base = work.message_base[operation]
    if len(state.arrived):
        state.arrived[base + message] = now
    for side in range(2):
        seat = plans.target[first + message] if side else plans.source[first + message]
        member = work.member_base[operation] + seat
        state.left[member] -= 1
        if state.left[member] == 0 and state.entered[member]:
            _push(heap.time, heap.key, heap.sizes, now, work.part_of[member])
    for i in range(plans.next_start[first + message], plans.next_start[first + message + 1]):
        other = plans.next[i]
        state.needs[base + other] -= 1
        if state.needs[base + other] == 0:
            _leave(heap.time, heap.key, heap.sizes, now + machine.alpha, operation, other)


@kernel(error_model="numpy", _nrt=False)
def run_events(
    work: PartTable, plans: Templates, machine: LinkTiming, state: Progress, heap: Events
) -> int:
    """Run until nothing happens any more; the number of parts that have ended.

    One loop: parts that may begin do so (a computation runs, a member enters its operation), then
    the next event: a part ends, a message reaches a channel, or it has arrived.
    """
    pending = heap.pending
    ready = 0
    for part in range(len(work.lane)):
        if state.waits[part] == 0:
            pending[ready] = part
            ready += 1
    ended = 0
    now = 0.0
    while True:
        for i in range(ready):
            _begin(pending[i], now, work, plans, machine, state, heap)
        ready = 0
        if heap.sizes[0] == 0:
            return ended
        now = heap.time[0]
        key = heap.key[1]
        _drop(heap.time, heap.key, heap.sizes)
        if key < _HOP:
            ready = _end(key, now, work, machine, state, pending)
            ended += 1
        elif key >= _ADDED:
            _arrive(key - _ADDED, now, work, plans, machine, state, heap)
        elif not _travel(key - _HOP, now, work, plans, machine, state, heap):
            _arrive(key - _HOP, now, work, plans, machine, state, heap)
