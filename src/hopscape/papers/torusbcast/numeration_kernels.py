"""Digits of many points (numba)."""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.kernel import kernel


@kernel
def block_digits(
    points: IntArray,
    base: int,
    inverse: int,
    sums: IntArray,
    digits: IntArray,
    blocks: int,
    out: IntArray,
) -> None:
    """Expand points block by block: d digits at a time, looked up by the residue modulo `base`.

    Args:
        points: int64[count, d]
        base: Odd.
        inverse: Of what a block scales by, modulo 2^64: exact division is one multiplication.
        sums (int64[base^d, d]): For each residue (first coordinate slowest) the point of the
            block's tile that has it.
        digits (int8[base^d, d]): And the digits of that point.
        out: int8[count, d * blocks]
    """
    count, dimension = points.shape
    small = np.uint32(base)
    lift = base * ((1 << 30) // base)
    many = 512  # points that are expanded side by side
    at = np.empty((dimension, many), np.int64)
    key = np.empty(many, np.int64)
    for start in range(0, count, many):
        now = min(many, count - start)
        narrow = True
        for i in range(now):
            for a in range(dimension):
                at[a, i] = points[start + i, a]
                narrow = narrow and -lift <= at[a, i] < lift
        for block in range(blocks):
            for i in range(now):
                key[i] = 0
            for a in range(dimension):
                if narrow:  # dividing 32 bits is several times as quick
                    for i in range(now):
                        key[i] = key[i] * base + np.int64(np.uint32(at[a, i] + lift) % small)
                else:
                    for i in range(now):
                        key[i] = key[i] * base + at[a, i] % base
            for a in range(dimension):
                place = block * dimension + a
                for i in range(now):
                    at[a, i] = (at[a, i] - sums[key[i], a]) * inverse
                    out[start + i, place] = digits[key[i], a]
