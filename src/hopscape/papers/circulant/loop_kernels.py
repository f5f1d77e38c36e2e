"""Directed circulants by bit sets: sums of distances, best sets, largest orders."""

from __future__ import annotations

from typing import Any

import numpy as np

from hopscape.core.arrays import Array, Integer
from hopscape.core.kernel import helper, kernel
from hopscape.families.circulant.ball_kernels import ONE, count_ones, look_bits, wrap_ball

__all__ = ["largest_order", "loop_total", "scan_loops"]


@helper
def _total(nodes: int, generators: Array, d: int, ball: Array, wider: Array) -> Integer:
    """Sum of distances from node 0; -1 if one is above d. The bit sets are room to work in."""
    words = (nodes + 63) >> 6
    last = np.uint64(nodes & 63)
    ball[:] = np.uint64(0)
    ball[0] = ONE
    wrap_ball(ball, nodes)
    reached, total = 1, np.int64(0)
    for _ in range(d):
        if reached == nodes:
            break
        total += nodes - reached
        now = 0
        for w in range(words):
            x = ball[w]
            for s in generators:
                x |= look_bits(ball, (64 * w - s) % nodes)
            if w == words - 1 and last != 0:
                x &= (ONE << last) - ONE
            wider[w] = x
            now += count_ones(x)
        if now == reached:
            return -1
        reached = now
        ball[:words] = wider[:words]
        wrap_ball(ball, nodes)
    return total if reached == nodes else -1


@kernel
def loop_total(nodes: int, generators: Array, d: int) -> int:
    """Sum of distances from node 0 along v -> v + s; -1 if one is above d. O(d · k · N / 64)."""
    words = ((nodes + 127) >> 6) + 2
    return _total(nodes, generators, d, np.zeros(words, np.uint64), np.zeros(words, np.uint64))


@kernel
def scan_loops(nodes: int, count: int, first: int, allowed: Array, d: int, out: Array) -> Any:
    """Sets {first, s2 < s3 < ...} of diameter at most d with the least sum of distances.

    Args:
        allowed (bool[N]): Which others may be taken.
        out (int64[room, count]): The sets.

    Returns:
        found, total, tested (int): Number of best sets (may exceed the room, then scan again with
            more), their sum of distances (-1 when there is none), and the sets looked at.
    """
    words = ((nodes + 127) >> 6) + 2
    ball, wider = np.zeros(words, np.uint64), np.zeros(words, np.uint64)
    chosen = np.zeros(count, np.int64)
    chosen[0] = first
    best, found, tested = np.int64(-1), 0, 0
    level = 1
    while level >= 1:
        chosen[level] += 1
        s = chosen[level]
        if s >= nodes:
            level -= 1
            continue
        if not allowed[s]:
            continue
        if level < count - 1:
            level += 1
            chosen[level] = s
            continue
        tested += 1
        total = _total(nodes, chosen, d, ball, wider)
        if total < 0 or (best >= 0 and total > best):
            continue
        if total != best:
            best, found = total, 0
        if found < len(out):
            out[found] = chosen
        found += 1
    return found, best, tested


@kernel
def largest_order(generators: Array, d: int, high: int) -> int:
    """The largest order up to `high` whose nodes are all within d of node 0 along generators."""
    words = ((high + 127) >> 6) + 2
    ball, wider = np.zeros(words, np.uint64), np.zeros(words, np.uint64)
    for nodes in range(high, 1, -1):
        if _total(nodes, generators, d, ball, wider) >= 0:
            return nodes
    return 1
