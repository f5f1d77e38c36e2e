"""A schedule executed without barriers (numba)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.kernel import helper, kernel


class Messages(NamedTuple):
    """Transfers in the order in which channels serve them.

    Attributes:
        order (int64[transfers]): Transfers of one message follow each other.
        first (int64[messages + 1]): Where each message begins in `order`.
        round (int[transfers]): What comes in a round is added after it.
        source, target, chunk: int[transfers]
        start, lane (int64[...]): Transfer t holds ``lane[start[t]:start[t + 1]]``.
        added (uint8[transfers]): Is it added to what its target has, or copied?
    """

    order: IntArray
    first: IntArray
    round: IntArray
    source: IntArray
    target: IntArray
    chunk: IntArray
    start: IntArray
    lane: IntArray
    added: IntArray


@helper
def _soonest(free, node):  # type: ignore[no-untyped-def]
    """The port of a node that is free first."""
    best = 0
    for k in range(1, free.shape[1]):
        if free[node, k] < free[node, best]:
            best = k
    return best


@kernel(steps=lambda messages, *_: 30 * len(messages.lane))
def execute_messages(
    messages: Messages,
    have: Floats,
    per_chunk: Floats,
    ports: Floats,
    costs: tuple[float, float, float],
    adds: bool,
    shared: bool,
) -> float:
    """When the last message has come.

    A channel carries one message after the other, in the order given. A message starts when its
    node has all of its chunks; the start-up holds the channels at both ends, the head of the
    message goes a hop on after each `delta`, and data follow at the speed of the slowest channel.

    Args:
        have (float64[nodes, chunks]): When each node has each chunk; filled.
        per_chunk (float64[lanes]): Time of a chunk on each lane.
        ports (float64[2, nodes, k]): When the ports of each node are free to send and to receive,
            all 0; k = 0: every channel has its own.
        costs: alpha, delta, and gamma for a chunk.
        adds: Are sums formed? What comes in a round is there for the next; a node adds one chunk
            after the other.
        shared: Is a port either sending or receiving?
    """
    order, first, rounds, source, target, chunk, start, lane, added = messages
    alpha, delta, gamma = costs
    free = np.zeros(len(per_chunk), np.float64)
    came = np.empty(len(order) if adds else 0, np.float64)
    adder = np.zeros(len(have), np.float64)
    last, open_ = 0.0, 0
    for m in range(len(first) - 1):
        t = order[first[m]]
        if adds and rounds[t] != rounds[order[open_]]:
            for i in range(open_, first[m]):
                v, c = target[order[i]], chunk[order[i]]
                ready = came[i]
                if added[order[i]]:
                    adder[v] = max(adder[v], ready) + gamma
                    ready = adder[v]
                have[v, c] = max(have[v, c], ready)
                last = max(last, ready)
            open_ = first[m]
        u, v, count = source[t], target[t], first[m + 1] - first[m]
        begin = 0.0
        for i in range(first[m], first[m + 1]):
            begin = max(begin, have[u, chunk[order[i]]])
        out, into = 0, 0
        if ports.shape[2] > 0:
            out, into = _soonest(ports[0], u), _soonest(ports[0 if shared else 1], v)
            begin = max(begin, ports[0, u, out], ports[0 if shared else 1, v, into])
        end, low, high = 0.0, start[t], start[t + 1]
        begin = max(begin, free[lane[low]]) + alpha
        for j in range(low, high):
            k = lane[j]
            if j > low:
                begin = max(begin + delta, free[k] + (alpha if j == high - 1 else 0.0))
            end = max(begin + count * per_chunk[k], end + (delta if j > low else 0.0))
            free[k] = end
            if j == low and ports.shape[2] > 0:
                ports[0, u, out] = end
        if ports.shape[2] > 0:
            ports[0 if shared else 1, v, into] = end
        end += delta
        last = max(last, end)
        for i in range(first[m], first[m + 1]):
            c = chunk[order[i]]
            if adds:
                came[i] = end
            elif end < have[v, c]:
                have[v, c] = end
    for i in range(open_, len(came)):
        if added[order[i]]:
            v = target[order[i]]
            adder[v] = max(adder[v], came[i]) + gamma
            last = max(last, adder[v])
    return last
