"""Kernels of the slot-level simulation of rings.

Slots are numbered in the frame that moves with them, so that nothing is copied when they advance:
at time t the place p of a ring of length L sees slot (p - t) mod L.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import Floats, IntArray, Integer
from hopscape.core.kernel import helper, kernel

__all__ = ["RingState", "RingTables", "run_insertion", "run_segmented"]

SATURATED, WINDOW, OPEN = 0, 1, 2

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_UNIT = 2.0**-53  # doubles have 53 bits: random numbers from (0, 1]


class RingTables(NamedTuple):
    """What does not change while slots move."""

    starts: IntArray
    """int64[rings]: first place of each ring."""
    sizes: IntArray
    """int64[rings]: its number of places."""
    classes: IntArray
    """int64[places]: row of the table of lengths."""
    owner: IntArray
    """int64[places]: node."""
    cut: IntArray
    """uint64[classes, columns]: alias table of lengths."""
    values: IntArray
    """int64[classes, columns, 2]: the column's own length, and the other."""
    kind: IntArray
    """int64[nodes]: row of the alias table of its ports."""
    node_cut: IntArray
    """uint64[kinds, ports]: that table."""
    node_other: IntArray
    """int64[kinds, ports]: its other columns."""
    ports: IntArray
    """int64[nodes, ports]: places of the ports."""


class RingState(NamedTuple):
    """Everything that moves."""

    slots: IntArray
    """int64[places], in the moving frame: the time from which each slot of a segmented ring is
    free; what is on each arc of a register-insertion ring (hops left after the next node)."""
    registers: IntArray
    """int64[places]: hops left from here of what is in each register, 0 for nothing."""
    queue: IntArray
    """int64[places]: packets that wait; when never empty, 1 at places that send, which only
    registers look at."""
    random: IntArray
    """uint64[1]: state of the random numbers."""
    clock: Floats
    """float64[1]: time of the next arrival."""
    counts: IntArray
    """int64[classes]: packets sent are added, by the class of their place."""


@helper(error_model="numpy", _nrt=False)
def _next(random: IntArray) -> np.uint64:
    """xorshift64*: 64 random bits."""
    x = random[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    random[0] = x
    return x * np.uint64(0x2545F4914F6CDD1D)


@helper(error_model="numpy", _nrt=False)
def _draw(random: IntArray, cut: IntArray, other: IntArray, row: Integer) -> Integer:
    """A column of an alias table, by its weights."""
    bits = _next(random)
    column = np.int64(((bits >> _HALF) * np.uint64(cut.shape[1])) >> _HALF)
    if (bits & _LOW) < cut[row, column]:
        return column
    return other[row, column]


@helper(error_model="numpy", _nrt=False)
def _length(random: IntArray, cut: IntArray, values: IntArray, row: Integer) -> Integer:
    """A length, by the weights of its class."""
    bits = _next(random)
    column = np.int64(((bits >> _HALF) * np.uint64(cut.shape[1])) >> _HALF)
    return values[row, column, np.int64((bits & _LOW) >= cut[row, column])]


@helper(error_model="numpy", _nrt=False)
def _gap(random: IntArray, rate: float) -> float:
    """Time to the next arrival of a Poisson stream."""
    u = (float(_next(random) >> np.uint64(11)) + 1.0) * _UNIT
    return -np.log(u) / rate


@helper(error_model="numpy", _nrt=False)
def _new_packet(tables: RingTables, state: RingState, node: Integer) -> None:
    """A packet of this node, put into the queue of the ring that it will take."""
    port = _draw(state.random, tables.node_cut, tables.node_other, tables.kind[node])
    state.queue[tables.ports[node, port]] += 1


@helper(error_model="numpy", _nrt=False)
def _arrivals(tables: RingTables, state: RingState, until: float, rate: float) -> Integer:
    """Packets of a Poisson stream over all nodes until a time; how many there were."""
    random, clock = state.random, state.clock
    count = 0
    nodes = np.uint64(tables.kind.shape[0])
    while clock[0] <= until:
        node = np.int64(((_next(random) >> _HALF) * nodes) >> _HALF)
        _new_packet(tables, state, node)
        clock[0] += _gap(random, rate)
        count += 1
    return count


@helper(error_model="numpy", _nrt=False)
def _pass(
    tables: RingTables,
    state: RingState,
    slot: Integer,
    place: Integer,
    count: Integer,
    now: Integer,
) -> None:
    """Fill every free slot of a run of places whose queues are never empty.

    A class without packets has length 0, which leaves the slot free.
    """
    classes, cut, values = tables.classes, tables.cut, tables.values
    free, counts = state.slots, state.counts
    width = np.uint64(cut.shape[1])
    x = state.random[0]
    for i in range(count):
        if free[slot + i] <= now:
            row = classes[place + i]
            x ^= x >> np.uint64(12)
            x ^= x << np.uint64(25)
            x ^= x >> np.uint64(27)
            bits = x * np.uint64(0x2545F4914F6CDD1D)
            column = np.int64(((bits >> _HALF) * width) >> _HALF)
            side = np.int64((bits & _LOW) >= cut[row, column])
            free[slot + i] = now + values[row, column, side]
            counts[row] += 1
    state.random[0] = x


@helper(error_model="numpy", _nrt=False)
def _send_waiting(
    tables: RingTables, state: RingState, first: Integer, size: Integer, now: Integer, mode: Integer
) -> None:
    """Every free slot of a segmented ring that passes a queue takes a packet from it."""
    free, queue = state.slots, state.queue
    back = now % size
    for i in range(size):
        place = first + i
        if queue[place] == 0:
            continue
        slot = first + (i - back if i >= back else i - back + size)
        if free[slot] <= now:
            row = tables.classes[place]
            free[slot] = now + _length(state.random, tables.cut, tables.values, row)
            state.counts[row] += 1
            queue[place] -= 1
            if mode == WINDOW:
                _new_packet(tables, state, tables.owner[place])


@kernel(error_model="numpy", _nrt=False)
def run_segmented(
    tables: RingTables, state: RingState, begin: Integer, slots: Integer, mode: Integer, rate: float
) -> tuple[Integer, Integer]:
    """Segmented rings for so many slots; a free slot that passes takes a waiting packet.

    Args:
        mode: 0: no queue is ever empty; 1: every packet sent is replaced at its node; 2: Poisson.
        rate: Packets per slot in all, when open.

    Returns:
        waiting, came (Integer): Sum over slots of packets that wait after the slot has passed;
            packets that arrived.
    """
    starts, sizes, queue = tables.starts, tables.sizes, state.queue
    waiting = 0
    came = 0
    for now in range(begin, begin + slots):
        if mode == OPEN:
            came += _arrivals(tables, state, float(now), rate)
        for ring in range(starts.shape[0]):
            first, size = starts[ring], sizes[ring]
            back = now % size
            if mode == SATURATED:
                _pass(tables, state, first, first + back, size - back, now)
                _pass(tables, state, first + size - back, first, back, now)
            else:
                _send_waiting(tables, state, first, size, now, mode)
        if mode == OPEN:
            for place in range(queue.shape[0]):
                waiting += queue[place]
    return waiting, came


@kernel(error_model="numpy", _nrt=False)
def run_insertion(
    tables: RingTables, state: RingState, begin: Integer, slots: Integer, mode: Integer, rate: float
) -> tuple[Integer, Integer]:
    """Register-insertion rings: a node with an empty register sends its own packet at once.

    A packet that comes through meanwhile waits in the register; while it is full, the node sends
    from it. Otherwise as :func:`run_segmented`; `waiting` counts registers, too.
    """
    starts, sizes, classes = tables.starts, tables.sizes, tables.classes
    cell, register, queue = state.slots, state.registers, state.queue
    waiting = 0
    came = 0
    for now in range(begin, begin + slots):
        if mode == OPEN:
            came += _arrivals(tables, state, float(now), rate)
        for ring in range(starts.shape[0]):
            first, size = starts[ring], sizes[ring]
            slot = first + (size - now % size) % size
            last = first + size
            for place in range(first, last):
                passing = cell[slot]
                if register[place] > 0:
                    cell[slot] = register[place] - 1
                    register[place] = passing
                elif queue[place] > 0:
                    row = classes[place]
                    cell[slot] = _length(state.random, tables.cut, tables.values, row) - 1
                    register[place] = passing
                    state.counts[row] += 1
                    if mode > SATURATED:
                        queue[place] -= 1
                        if mode == WINDOW:
                            _new_packet(tables, state, tables.owner[place])
                elif passing > 0:
                    cell[slot] = passing - 1
                if mode == OPEN and register[place] > 0:
                    waiting += 1
                slot += 1
                if slot == last:
                    slot = first
        if mode == OPEN:
            for place in range(queue.shape[0]):
                waiting += queue[place]
    return waiting, came
