"""Distances in expanded networks for many pairs at once (numba)."""

from __future__ import annotations

from hopscape.core.arrays import IntArray
from hopscape.core.kernel import kernel


@kernel
def pair_distances(
    at: IntArray,
    to: IntArray,
    levels: int,
    size: int,
    states: int,
    lamp: IntArray,
    mark_of: IntArray,
    table: IntArray,
    row: IntArray,
    bit: IntArray,
    image: IntArray,
    out: IntArray,
) -> None:
    """Write the distance of each pair (at, to) of int64 node numbers to `out`.

    `lamp` holds distances between lamp states, `mark_of` the mark (column of `bit`) of each level;
    the others are the arrays of TableWalks.
    """
    for p in range(len(at)):
        a, b = at[p], to[p]
        s, d = a % size, b % size
        a //= size
        b //= size
        sets = 0
        total = 0
        for i in range(levels):
            if a == b:
                break
            x, y = a % states, b % states
            a //= states
            b //= states
            if x != y:
                total += lamp[x, y]
                sets |= bit[s, mark_of[i]]
        out[p] = total + table[row[s], sets, image[s, d]]
