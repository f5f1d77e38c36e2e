"""Scanning generator sets with bit sets: which of them have a diameter of at most d?

With one generator s more, the ball of radius r round node 0 is

    ball'(r) = ball(r)  ∪  ball'(r-1) + s  ∪  ball'(r-1) - s  =  ∪_j  ball(r - |j|) + j·s,

the first to build all balls, the second to look at 64 nodes alone: most sets fail at the first
look.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hopscape.core.arrays import Array
from hopscape.core.kernel import helper, kernel
from hopscape.families.circulant.ball_kernels import FULL, ONE, count_ones, look_bits, wrap_ball

__all__ = ["scan"]


@helper
def _add_generator(before: Array, after: Array, nodes: int, s: int, d: int, sizes: Array) -> None:
    """Balls with one generator more, and their sizes."""
    words = (nodes + 63) >> 6
    last = np.uint64(nodes & 63)
    for r in range(d + 1):
        total = 0
        for w in range(words):
            x = before[r, w]
            if r > 0:
                forth = (64 * w - s) % nodes
                back = (64 * w + s) % nodes
                x |= look_bits(after[r - 1], forth) | look_bits(after[r - 1], back)
            if w == words - 1 and last != 0:
                x &= (ONE << last) - ONE
            after[r, w] = x
            total += count_ones(x)
        sizes[r] = total
        wrap_ball(after[r], nodes)


@helper
def _covers(balls: Array, nodes: int, s: int, d: int) -> bool:
    """Does one more generator s bring everybody within d? Half the nodes tell, by symmetry."""
    for w in range(((nodes >> 1) >> 6) + 1):
        place = 64 * w
        seen = look_bits(balls[d], place % nodes)
        forth = place
        back = place
        for j in range(1, d + 1):
            if seen == FULL:
                break
            forth -= s
            if forth < 0:
                forth += nodes
            back += s
            if back >= nodes:
                back -= nodes
            seen |= look_bits(balls[d - j], forth) | look_bits(balls[d - j], back)
        if seen != FULL:
            return False
    return True


@kernel
def scan(
    nodes: int,
    count: int,
    d: int,
    first: int,
    allowed: Array,
    mirror: Array,
    low: int,
    high: int,
    every: bool,
    paired: bool,
    out: Array,
) -> Any:
    """Sets {first < s2 < ... < s_count} of diameter at most d with the least sum of distances.

    A set is tested in O(d · count · N / 64) word operations at most; memory (d + 1) · count · N / 8
    bytes for the balls.

    Args:
        first: The first generator.
        allowed (bool[N/2 + 1]): Which others may be taken.
        mirror (int64[N/2 + 1]): The folded inverse of each unit s (0 for others): the multiplier
            1/s turns a set with s into one with 1 and mirror[s], so that a set with mirror[s] < s2
            is equivalent to an earlier one.
        low, high: s2 from low to high - 1.
        every: Keep all sets of diameter at most d, not only the best.
        paired: N/2 is a generator besides.
        out (int64[room, count]): The sets.

    Returns:
        found, total, tested (int): Number of best sets (may exceed the room, then scan again with
            more), their sum of distances from a node (-1 when there is none), and the number of
            sets looked at.
    """
    words = ((nodes + 127) >> 6) + 2
    half = nodes >> 1
    balls = np.zeros((count, d + 1, words), np.uint64)
    sizes = np.zeros((count, d + 1), np.int64)
    start = np.zeros((d + 1, words), np.uint64)
    for r in range(d + 1):
        start[r, 0] = ONE
        if paired and r > 0:
            start[r, half >> 6] |= ONE << np.uint64(half & 63)
        wrap_ball(start[r], nodes)
    _add_generator(start, balls[0], nodes, first, d, sizes[0])
    chosen = np.zeros(count, np.int64)
    chosen[0] = first
    count_best, best, tested = 0, np.int64(-1), 0
    level = 1
    chosen[1] = max(low, first + 1) - 1
    while level >= 1:
        chosen[level] += 1
        s = chosen[level]
        end = high if level == 1 else half + 1
        if s >= end:
            level -= 1
            continue
        if not allowed[s]:
            continue
        if mirror[s] != 0 and mirror[s] < (chosen[1] if level > 1 else s):
            continue
        if level < count - 1:
            _add_generator(balls[level - 1], balls[level], nodes, s, d, sizes[level])
            least = _least_total(sizes[level], nodes, d, count - 1 - level)
            if least >= 0 and (every or best < 0 or least <= best):
                level += 1
                chosen[level] = s
            continue
        tested += 1
        if not _covers(balls[level - 1], nodes, s, d):
            continue
        _add_generator(balls[level - 1], balls[level], nodes, s, d, sizes[level])
        total = np.int64(0)
        for r in range(d):
            total += nodes - sizes[level, r]
        if best < 0 or total < best:
            best = total
            if not every:
                count_best = 0
        if every or total == best:
            if count_best < len(out):
                out[count_best] = chosen
            count_best += 1
    return count_best, best, tested


@kernel
def _least_total(sizes: Array, nodes: int, d: int, more: int) -> int:
    """No `more` generators give a smaller sum of distances; -1: they cannot reach N nodes at all.

    As if all sums of generators were different.
    """
    counts = sizes.copy()
    for _ in range(more):
        wider = np.zeros_like(counts)
        for r in range(d + 1):
            total = counts[r]
            for j in range(1, r + 1):
                total += 2 * counts[r - j]
            wider[r] = total
        counts = wider
    if counts[d] < nodes:
        return -1
    total = 0
    for r in range(d):
        total += nodes - min(counts[r], nodes)
    return total
