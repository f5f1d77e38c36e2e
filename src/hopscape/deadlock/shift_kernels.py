"""Routes that look alike from every node: runs round rings, and who waits for whom on datelines.

A state is the difference of a packet's node from its goal, as a node number, and the way of a tie
that it takes there (0 or 1). All nodes have the same ports, and the port p of all is one step of
the group: channel ``node * ports + p``.
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import NO_PORT, IntArray
from hopscape.core.kernel import helper, kernel

__all__ = ["dated_waits", "followers", "ring_places", "ring_runs"]

_NONE = 2**30


@helper(error_model="numpy", _nrt=False)
def _leaves_by(port: IntArray, other: IntArray, gap: int, turn: int) -> int:
    """The port of a state, or -1."""
    if gap == 0 or port[gap] == NO_PORT or (turn and other[gap] == port[gap]):
        return -1
    return other[gap] if turn else port[gap]


@helper(error_model="numpy", _nrt=False)
def _goes_on(heads: IntArray, ports: int, port: IntArray, other: IntArray, state: int) -> int:
    """The state behind a state that goes on by the same port, or -1."""
    gap = state >> 1
    taken = _leaves_by(port, other, gap, state & 1)
    then = heads[gap * ports + taken]
    for turn in range(2):
        if _leaves_by(port, other, then, turn) == taken:
            return 2 * then + turn
    return -1


@kernel
def ring_runs(
    heads: IntArray, ports: int, port: IntArray, other: IntArray
) -> tuple[IntArray, IntArray]:
    """int32[2, nodes] twice: hops by the same port from a state on, and before it; 0 without."""
    order = len(port)
    runs, before = np.zeros((2, order), np.int32), np.zeros((2, order), np.int32)
    entered = np.zeros(2 * order, np.uint8)
    for state in range(2, 2 * order):
        if _leaves_by(port, other, state >> 1, state & 1) >= 0:
            then = _goes_on(heads, ports, port, other, state)
            if then >= 0:
                entered[then] = 1
    line = np.empty(order + 1, np.int64)
    for first in range(2, 2 * order):
        if entered[first] or _leaves_by(port, other, first >> 1, first & 1) < 0:
            continue
        size, state = 0, first
        while state >= 0:
            line[size] = state
            before[state & 1, state >> 1] = size
            size += 1
            state = _goes_on(heads, ports, port, other, state)
        for i in range(size):
            runs[line[i] & 1, line[i] >> 1] = size - i
    return runs, before


@kernel
def ring_places(heads: IntArray, ports: int, marks: IntArray) -> tuple[IntArray, IntArray]:
    """int32[channels] twice: hops to the end of the dateline of the ring, and back to its
    beginning."""
    ahead, back = np.zeros(len(heads), np.int32), np.zeros(len(heads), np.int32)
    for mark in range(len(heads)):
        if not marks[mark]:
            continue
        channel, size = mark, 0
        while size == 0 or channel != mark:
            channel = heads[channel] * ports + mark % ports
            size += 1
        for i in range(size):
            channel = heads[channel] * ports + mark % ports
            ahead[channel], back[channel] = size - i, i + 1
    return ahead, back


@kernel
def followers(heads: IntArray, ports: int, port: IntArray, other: IntArray) -> IntArray:
    """uint8[ports, ports]: which port follows which on some route."""
    out = np.zeros((ports, ports), np.uint8)
    for state in range(2, 2 * len(port)):
        taken = _leaves_by(port, other, state >> 1, state & 1)
        if taken < 0:
            continue
        then = heads[(state >> 1) * ports + taken]
        for turn in range(2):
            follower = _leaves_by(port, other, then, turn)
            if follower >= 0:
                out[taken, follower] = 1
    return out


@helper
def _turns(
    heads: IntArray,
    ports: int,
    port: IntArray,
    other: IntArray,
    runs: IntArray,
    before: IntArray,
    longest: int,
) -> tuple[IntArray, IntArray]:
    """The least and the most hops of a run that follows one by another port.

    int32[ports, ports, longest + 2] each: behind runs of at most so many hops, of at least so
    many, and with at least so many before the state. A run that goes on counts as 0 hops.
    """
    shape = (3, ports, ports, longest + 2)
    low, high = np.full(shape, _NONE, np.int32), np.full(shape, -1, np.int32)
    for state in range(2, 2 * len(port)):
        gap, way = state >> 1, state & 1
        taken = _leaves_by(port, other, gap, way)
        if taken < 0:
            continue
        then = heads[gap * ports + taken]
        for turn in range(2):
            follower = _leaves_by(port, other, then, turn)
            if follower < 0:
                continue
            hops = np.int32(0) if follower == taken else runs[turn, then]
            for kind in range(3):
                place = before[way, gap] if kind == 2 else runs[way, gap]
                low[kind, taken, follower, place] = min(low[kind, taken, follower, place], hops)
                high[kind, taken, follower, place] = max(high[kind, taken, follower, place], hops)
    for p in range(ports):
        for q in range(ports):
            for i in range(1, longest + 2):
                low[0, p, q, i] = min(low[0, p, q, i], low[0, p, q, i - 1])
                high[0, p, q, i] = max(high[0, p, q, i], high[0, p, q, i - 1])
            for i in range(longest, -1, -1):
                for kind in range(1, 3):
                    low[kind, p, q, i] = min(low[kind, p, q, i], low[kind, p, q, i + 1])
                    high[kind, p, q, i] = max(high[kind, p, q, i], high[kind, p, q, i + 1])
    return low, high


@kernel
def dated_waits(
    heads: IntArray,
    port: IntArray,
    other: IntArray,
    runs: IntArray,
    before: IntArray,
    ahead: IntArray,
    back: IntArray,
    graph: IntArray,
) -> None:
    """Mark who waits for whom when the runs that cross a dateline are in class 1, others in 0.

    A run may have begun at any state before. It is in class 0 on a channel if it ends before the
    dateline and began behind it: one that begins there does. It is in class 1 if it goes as far as
    the dateline, or has come from there.
    """
    longest, ports = np.int64(runs.max()), len(heads) // len(port)
    low, high = _turns(heads, ports, port, other, runs, before, longest)
    for channel in range(len(heads)):
        p = channel % ports
        short = min(np.int64(ahead[channel]) - 1, longest + 1)
        far = min(np.int64(ahead[channel]), longest + 1)
        late = min(np.int64(back[channel]), longest + 1)
        for q in range(ports):
            hops = ahead[heads[channel] * ports + q]
            least = min(low[1, p, q, far], low[2, p, q, late])
            most = max(high[1, p, q, far], high[2, p, q, late])
            if p == q:
                graph[2 * channel, 2 * q] = low[0, p, q, short] < _NONE
                graph[2 * channel + 1, 2 * q + 1] = least < _NONE
                continue
            graph[2 * channel, 2 * q] = low[0, p, q, short] < hops
            graph[2 * channel, 2 * q + 1] = high[0, p, q, short] >= hops
            graph[2 * channel + 1, 2 * q] = least < hops
            graph[2 * channel + 1, 2 * q + 1] = most >= hops
