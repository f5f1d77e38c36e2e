"""Balls round node 0 of a circulant as bit sets.

A ball is a set of N bits, written a little past its end (N + 128 bits, going round) so that 64
nodes at any place are two words and two shifts.
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import Array
from hopscape.core.kernel import helper, kernel

__all__ = ["FULL", "ONE", "count_ones", "first_ball", "grow_ball", "look_bits", "wrap_ball"]

FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
ONE = np.uint64(1)
_64 = np.uint64(64)


@kernel(inline="always")
def look_bits(bits: Array, place: int) -> np.uint64:
    """64 bits from any place."""
    word = place >> 6
    shift = np.uint64(place & 63)
    if shift == 0:
        return bits[word]
    return (bits[word] >> shift) | (bits[word + 1] << (_64 - shift))


@kernel(inline="always")
def count_ones(x: np.uint64) -> int:
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@helper
def wrap_ball(bits: Array, nodes: int) -> None:
    """Write the first bits again behind bit N - 1."""
    words = len(bits)
    last = nodes >> 6
    used = np.uint64(nodes & 63)
    if used != 0:
        bits[last] &= (ONE << used) - ONE
    else:
        bits[last] = np.uint64(0)
    for w in range(last + 1, words):
        bits[w] = np.uint64(0)
    done = nodes
    while done < 64 * (words - 1):  # copy words, doubling what there is when N is small
        word, shift = done >> 6, np.uint64(done & 63)
        piece = look_bits(bits, done - nodes)
        room = min(64, done) if done < 64 else 64
        if nodes < 64:
            room = min(room, nodes)
            piece &= (ONE << np.uint64(room)) - ONE if room < 64 else FULL
        bits[word] |= piece << shift
        if shift != 0:
            bits[word + 1] |= piece >> (_64 - shift)
        done += room


@kernel
def first_ball(ball: Array, nodes: int) -> None:
    """Fill an empty bit set with the ball of radius 0: node 0 alone."""
    ball[0] = ONE
    wrap_ball(ball, nodes)


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
            if x == FULL:
                break
            forth = place - s if place >= s else place - s + nodes
            back = place + s if place + s < nodes else place + s - nodes
            x |= look_bits(ball, forth) | look_bits(ball, back)
        if w == words - 1 and last != 0:
            x &= (ONE << np.uint64(last)) - ONE
        wider[w] = x
        total += count_ones(x)
    wrap_ball(wider, nodes)
    return total
