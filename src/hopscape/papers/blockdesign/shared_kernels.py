"""Annealing of base blocks whose differences cover a group (numba)."""

from __future__ import annotations

import numpy as np

from hopscape.core.annealing_kernels import allowance, geometric
from hopscape.core.arrays import Floats, IntArray
from hopscape.core.kernel import helper, kernel


@helper
def _move(
    difference: IntArray, row: IntArray, place: int, times: IntArray, ways: int, sign: int
) -> int:
    """Add (sign 1) or take away (-1) the differences of one element of a block: the shortage."""
    worse, x = 0, row[place]
    for j in range(len(row)):
        if j == place:
            continue
        for d in (difference[x, row[j]], difference[row[j], x]):
            if sign > 0:
                worse -= times[d] < ways
            else:
                worse += times[d] <= ways
            times[d] += sign
    return worse


@kernel
def anneal_blocks(
    blocks: IntArray,
    free: IntArray,
    difference: IntArray,
    ways: int,
    moves: IntArray,
    luck: Floats,
    heats: Floats,
) -> int:
    """Move free elements of the blocks until every element but 0 is a difference often enough.

    A step takes O(M), and sometimes O(N) to look for a difference that is short.

    Args:
        blocks (int64[c, M]): Changed in place; the elements of a block differ.
        free (int64[free, 2]): Block and place of the elements that may move.
        difference (int32[N, N]): difference[a, b] is a - b in the group.
        ways: How often each element other than 0 must be a difference.
        moves (int64[steps, 3]): Random numbers from 0: which element; where to, or from where on a
            short difference is looked for; 2·(with which other element) + (0: anywhere).
        luck (float64[steps]): Random numbers from 0 to 1.
        heats (float64[2]): First and last temperature.

    Returns:
        int: How many differences are short, each counted as often as it lacks; 0 is a cover.
    """
    order = len(difference)
    times = np.zeros(order, np.int64)
    for b in range(len(blocks)):
        for i in range(blocks.shape[1]):
            for j in range(blocks.shape[1]):
                if i != j:
                    times[difference[blocks[b, i], blocks[b, j]]] += 1
    times[0] = ways
    short = 0
    for d in range(1, order):
        short += max(0, ways - times[d])
    step = -1
    for heat in geometric(heats[0], heats[1], len(moves)):
        step += 1
        if short == 0:
            break
        b, i = free[moves[step, 0] % len(free)]
        row = blocks[b]
        y = moves[step, 1] % order
        if moves[step, 2] % 2 == 1:  # so that a short difference comes about
            for _ in range(order):
                if times[y] < ways:
                    break
                y = y + 1 if y + 1 < order else 0
            other = moves[step, 2] // 2 % len(row)
            if other == i:
                continue
            y = difference[row[other], difference[0, y]]
        held = False
        for j in range(len(row)):
            held = held or row[j] == y
        if held:
            continue
        x = row[i]
        worse = _move(difference, row, i, times, ways, -1)
        row[i] = y
        worse += _move(difference, row, i, times, ways, 1)
        if worse > 0 and worse > allowance(heat, luck[step]):
            _move(difference, row, i, times, ways, -1)
            row[i] = x
            _move(difference, row, i, times, ways, 1)
        else:
            short += worse
    return short
