"""Checking messages that run through whole paths and share channels, and what a round costs."""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.kernel import kernel
from hopscape.core.verify_kernels import (
    NOT_ONE_HOP,
    OK,
    RECEIVES,
    SENDS,
    SOURCE_TAKES_PART,
    SWITCH_END,
    TARGET_TAKES_PART,
    Transfers,
    _same_path,
    _walk,
)

__all__ = ["additions", "check_shared"]


@kernel
def check_shared(
    transfers: Transfers,
    order: IntArray,
    lane: IntArray,
    speed: Floats,
    limits: IntArray,
    half: bool,
    packed: bool,
    may_end: IntArray,
) -> tuple[int, int, int, int, float, int]:
    """Check paths, ends and port limits; channels may be shared.

    Args:
        order (int64[transfers]): The transfers by round, and within a round by message.
        lane (int64[channels]): What the load of a channel is counted on: itself, or one of the two
            channels of its link.
        speed: float64[channels]
        limits (int64[2, nodes]): Messages that each node may send and receive in a round; in half
            duplex the first row is for both together.
        may_end (bool[nodes]): Where a message may start and end.

    Returns:
        code, transfer, other (int): The first violation, or OK.
        messages: int
        sizes (float): Sum over rounds of the time of the busiest channel, in chunks per capacity.
        hops (int): Sum over rounds of the longest path.
    """
    round_start, source, target, path_start, channels, indptr, heads = transfers
    nodes = len(indptr) - 1
    load = np.zeros(len(heads), np.float64)
    loaded = np.full(len(heads), -1, np.int64)
    count = np.zeros((2, nodes), np.int64)
    counted = np.full((2, nodes), -1, np.int64)
    by = np.full((2, nodes), -1, np.int64)
    messages, sizes, hops = 0, 0.0, 0
    for r in range(len(round_start) - 1):
        largest, longest = 0.0, 0
        for i in range(round_start[r], round_start[r + 1]):
            t = order[i]
            code, other = _walk(t, source, target, path_start, channels, indptr, heads)
            if code != OK:
                return code, t, other, messages, sizes, hops
            length = path_start[t + 1] - path_start[t]
            if length < 1:
                return NOT_ONE_HOP, t, length, messages, sizes, hops
            longest = max(longest, length)
            for j in range(path_start[t], path_start[t + 1]):
                c = lane[channels[j]]
                if loaded[c] != r:
                    loaded[c] = r
                    load[c] = 0.0
                load[c] += 1.0 / speed[c]
                largest = max(largest, load[c])
            if packed and i > round_start[r]:
                before = order[i - 1]
                if source[before] == source[t] and _same_path(before, t, path_start, channels):
                    continue
            messages += 1
            u, v = source[t], target[t]
            if not may_end[u]:
                return SWITCH_END, t, u, messages, sizes, hops
            if not may_end[v]:
                return SWITCH_END, t, v, messages, sizes, hops
            for side in range(2):
                node = v if side else u
                row = 0 if half else side
                if counted[row, node] != r:
                    counted[row, node] = r
                    count[row, node] = 0
                count[row, node] += 1
                if count[row, node] > limits[row, node]:
                    if half:
                        code = TARGET_TAKES_PART if side else SOURCE_TAKES_PART
                    else:
                        code = RECEIVES if side else SENDS
                    return code, t, max(by[row, node], 0), messages, sizes, hops
                by[row, node] = t
        sizes += largest
        hops += longest
    return OK, -1, -1, messages, sizes, hops


@kernel(steps=lambda round_start, target, adds, nodes: 2 * len(target))
def additions(round_start: IntArray, target: IntArray, adds: IntArray, nodes: int) -> int:
    """Sum over rounds of the most chunks that one node adds up; `adds` marks the transfers."""
    count = np.zeros(nodes, np.int64)
    counted = np.full(nodes, -1, np.int64)
    total = 0
    for r in range(len(round_start) - 1):
        most = 0
        for t in range(round_start[r], round_start[r + 1]):
            if adds[t]:
                v = target[t]
                if counted[v] != r:
                    counted[v] = r
                    count[v] = 0
                count[v] += 1
                most = max(most, count[v])
        total += most
    return total
