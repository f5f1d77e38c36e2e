"""Scanning generator sets with bit sets: which of them have a diameter of at most d?

The ball of radius r round node 0 is a set of N bits, written a little past its end (N + 128 bits,
going round) so that 64 nodes at any place are two words and two shifts. With one generator s more,

    ball'(r) = ball(r)  ∪  ball'(r-1) + s  ∪  ball'(r-1) - s  =  ∪_j  ball(r - |j|) + j·s,

the first to build all balls, the second to look at 64 nodes alone: most sets fail at the first
look.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hopscape.core.arrays import Array
from hopscape.core.kernel import helper, kernel

__all__ = ["first_ball", "grow_ball", "scan"]

_FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ONE = np.uint64(1)
_SIX = np.uint64(6)
_LOW = np.uint64(63)
_64 = np.uint64(64)


@kernel(inline="always")
def _look(bits: Array, place: int) -> np.uint64:
    """64 bits from any place."""
    word = place >> 6
    shift = np.uint64(place & 63)
    if shift == 0:
        return bits[word]
    return (bits[word] >> shift) | (bits[word + 1] << (_64 - shift))


@kernel(inline="always")
def _ones(x: np.uint64) -> int:
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@helper
def _wrap(bits: Array, nodes: int) -> None:
    """Write the first bits again behind bit N - 1."""
    words = len(bits)
    last = nodes >> 6
    used = np.uint64(nodes & 63)
    if used != 0:
        bits[last] &= (_ONE << used) - _ONE
    else:
        bits[last] = np.uint64(0)
    for w in range(last + 1, words):
        bits[w] = np.uint64(0)
    done = nodes
    while done < 64 * (words - 1):  # copy words, doubling what there is when N is small
        word, shift = done >> 6, np.uint64(done & 63)
        piece = _look(bits, done - nodes)
        room = min(64, done) if done < 64 else 64
        if nodes < 64:
            room = min(room, nodes)
            piece &= (_ONE << np.uint64(room)) - _ONE if room < 64 else _FULL
        bits[word] |= piece << shift
        if shift != 0:
            bits[word + 1] |= piece >> (_64 - shift)
        done += room


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
                x |= _look(after[r - 1], forth) | _look(after[r - 1], back)
            if w == words - 1 and last != 0:
                x &= (_ONE << last) - _ONE
            after[r, w] = x
            total += _ones(x)
        sizes[r] = total
        _wrap(after[r], nodes)


@kernel
def first_ball(ball: Array, nodes: int) -> None:
    """Fill an empty bit set with the ball of radius 0: node 0 alone."""
    ball[0] = _ONE
    _wrap(ball, nodes)


@kernel
def grow_ball(ball: Array, wider: Array, nodes: int, generators: Array) -> int:
    """Fill `wider` with the ball whose radius is larger by one; its size."""
    words = (nodes + 63) >> 6
    last = nodes & 63
    total = 0
    for w in range(words):
        x = ball[w]
        place = 64 * w
        for s in generators:
            if x == _FULL:
                break
            forth = place - s if place >= s else place - s + nodes
            back = place + s if place + s < nodes else place + s - nodes
            x |= _look(ball, forth) | _look(ball, back)
        if w == words - 1 and last != 0:
            x &= (_ONE << np.uint64(last)) - _ONE
        wider[w] = x
        total += _ones(x)
    _wrap(wider, nodes)
    return total


@helper
def _covers(balls: Array, nodes: int, s: int, d: int) -> bool:
    """Does one more generator s bring everybody within d? Half the nodes tell, by symmetry."""
    for w in range(((nodes >> 1) >> 6) + 1):
        place = 64 * w
        seen = _look(balls[d], place % nodes)
        forth = place
        back = place
        for j in range(1, d + 1):
            if seen == _FULL:
                break
            forth -= s
            if forth < 0:
                forth += nodes
            back += s
            if back >= nodes:
                back -= nodes
            seen |= _look(balls[d - j], forth) | _look(balls[d - j], back)
        if seen != _FULL:
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
        start[r, 0] = _ONE
        if paired and r > 0:
            start[r, half >> 6] |= _ONE << np.uint64(half & 63)
        _wrap(start[r], nodes)
    _add_generator(start, balls[0], nodes, first, d, sizes[0])
    chosen = np.zeros(count, np.int64)
    chosen[0] = first
    found, best, tested = 0, np.int64(-1), 0
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
                found = 0
        if every or total == best:
            if found < len(out):
                out[found] = chosen
            found += 1
    return found, best, tested


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
