"""Kernels of the slot-level simulation of rings.

Slots are numbered in the frame that moves with them, so that nothing is copied when they advance:
at time t the place p of a ring of length L sees slot (p - t) mod L.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["SATURATED", "WINDOW", "run_insertion", "run_segmented"]

SATURATED, WINDOW, OPEN = 0, 1, 2

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_UNIT = 2.0**-53


@njit(cache=True, nogil=True)
def _next(random: Any) -> Any:
    """xorshift64*: 64 random bits."""
    x = random[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    random[0] = x
    return x * np.uint64(0x2545F4914F6CDD1D)


@njit(cache=True, nogil=True)
def _draw(random: Any, cut: Any, other: Any, row: int) -> Any:
    """A column of an alias table, by its weights."""
    bits = _next(random)
    column = np.int64(((bits >> _HALF) * np.uint64(cut.shape[1])) >> _HALF)
    if (bits & _LOW) < cut[row, column]:
        return column
    return other[row, column]


@njit(cache=True, nogil=True)
def _length(random: Any, cut: Any, values: Any, row: int) -> Any:
    """A length, by the weights of its class."""
    bits = _next(random)
    column = np.int64(((bits >> _HALF) * np.uint64(cut.shape[1])) >> _HALF)
    return values[row, column, np.int64((bits & _LOW) >= cut[row, column])]


@njit(cache=True, nogil=True)
def _gap(random: Any, rate: float) -> float:
    """Time to the next arrival of a Poisson stream."""
    u = (float(_next(random) >> np.uint64(11)) + 1.0) * _UNIT
    return -np.log(u) / rate


@njit(cache=True, nogil=True)
def _new_packet(
    random: Any, node: int, kind: Any, node_cut: Any, node_other: Any, ports: Any, queue: Any
) -> None:
    """A packet of this node, put into the queue of the ring that it will take."""
    queue[ports[node, _draw(random, node_cut, node_other, kind[node])]] += 1


@njit(cache=True, nogil=True)
def _arrivals(
    random: Any, clock: Any, until: float, rate: float, kind: Any, node_cut: Any,
    node_other: Any, ports: Any, queue: Any,
) -> int:  # fmt: skip
    """Packets of a Poisson stream over all nodes until a time; how many there were."""
    count = 0
    nodes = np.uint64(kind.shape[0])
    while clock[0] <= until:
        node = np.int64(((_next(random) >> _HALF) * nodes) >> _HALF)
        _new_packet(random, node, kind, node_cut, node_other, ports, queue)
        clock[0] += _gap(random, rate)
        count += 1
    return count


@njit(cache=True, nogil=True)
def _pass(
    slot: int, place: int, count: int, now: int, free: Any, classes: Any, cut: Any, values: Any,
    random: Any, counts: Any,
) -> None:  # fmt: skip
    """Fill every free slot of a run of places whose queues are never empty.

    A class without packets has length 0, which leaves the slot free.
    """
    width = np.uint64(cut.shape[1])
    x = random[0]
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
    random[0] = x


@njit(cache=True, nogil=True)
def run_segmented(
    starts: Any, sizes: Any, classes: Any, owner: Any,
    cut: Any, values: Any,
    kind: Any, node_cut: Any, node_other: Any, ports: Any,
    free: Any, queue: Any, random: Any, clock: Any,
    begin: int, slots: int, mode: int, rate: float, counts: Any,
) -> tuple[int, int]:  # fmt: skip
    """Segmented rings for so many slots; a free slot that passes takes a waiting packet.

    Parameters
    ----------
    starts, sizes : int64[rings]
        First place and number of places of each ring.
    classes, owner : int64[places]
        Row of the table of lengths, and node, of each place.
    cut : uint64[classes, columns]
    values : int64[classes, columns, 2]
        Alias table of lengths: the column's own, and the other.
    kind, node_cut, node_other, ports : arrays
        For each node the row of the alias table of its ports, and the places of its ports.
    free : int64[places]
        Time from which each slot is free (in the moving frame).
    queue : int64[places]
        When never empty: 1 at places that send, which only registers look at.
    random, clock : arrays of one
        State of the random numbers; time of the next arrival.
    begin, slots : int
    mode : int
        0: no queue is ever empty; 1: every packet sent is replaced at its node; 2: Poisson.
    rate : float
        Packets per slot in all, when open.
    counts : int64[classes]
        Packets sent are added, by the class of their place.

    Returns
    -------
    waiting, came : int
        Sum over slots of packets that wait after the slot has passed; packets that arrived.
    """
    waiting = 0
    came = 0
    for now in range(begin, begin + slots):
        if mode == 2:
            came += _arrivals(
                random, clock, float(now), rate, kind, node_cut, node_other, ports, queue
            )
        for ring in range(starts.shape[0]):
            first, size = starts[ring], sizes[ring]
            back = now % size
            if mode == 0:
                _pass(
                    first, first + back, size - back, now, free, classes, cut, values, random,
                    counts,
                )  # fmt: skip
                _pass(
                    first + size - back, first, back, now, free, classes, cut, values, random,
                    counts,
                )  # fmt: skip
                continue
            for i in range(size):
                place = first + i
                if queue[place] == 0:
                    continue
                slot = first + (i - back if i >= back else i - back + size)
                if free[slot] <= now:
                    row = classes[place]
                    free[slot] = now + _length(random, cut, values, row)
                    counts[row] += 1
                    queue[place] -= 1
                    if mode == 1:
                        _new_packet(random, owner[place], kind, node_cut, node_other, ports, queue)
        if mode == 2:
            for place in range(queue.shape[0]):
                waiting += queue[place]
    return waiting, came


@njit(cache=True, nogil=True)
def run_insertion(
    starts: Any, sizes: Any, classes: Any, owner: Any,
    cut: Any, values: Any,
    kind: Any, node_cut: Any, node_other: Any, ports: Any,
    cell: Any, register: Any, queue: Any, random: Any, clock: Any,
    begin: int, slots: int, mode: int, rate: float, counts: Any,
) -> tuple[int, int]:  # fmt: skip
    """Register-insertion rings: a node with an empty register sends its own packet at once.

    A packet that comes through meanwhile waits in the register; while it is full, the node sends
    from it. `cell` holds what is on each arc (hops left after the next node), `register` hops left
    from here, 0 for nothing. Otherwise as :func:`run_segmented`; `waiting` counts registers, too.
    """
    waiting = 0
    came = 0
    for now in range(begin, begin + slots):
        if mode == 2:
            came += _arrivals(
                random, clock, float(now), rate, kind, node_cut, node_other, ports, queue
            )
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
                    cell[slot] = _length(random, cut, values, row) - 1
                    register[place] = passing
                    counts[row] += 1
                    if mode > 0:
                        queue[place] -= 1
                        if mode == 1:
                            _new_packet(
                                random, owner[place], kind, node_cut, node_other, ports, queue
                            )
                elif passing > 0:
                    cell[slot] = passing - 1
                if mode == 2 and register[place] > 0:
                    waiting += 1
                slot += 1
                if slot == last:
                    slot = first
        if mode == 2:
            for place in range(queue.shape[0]):
                waiting += queue[place]
    return waiting, came
