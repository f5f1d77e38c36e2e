"""Placement of ranks by greedy choice and swaps (numba): a quadratic assignment, approximately."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.annealing_kernels import allowance, linear
from hopscape.core.arrays import IntArray
from hopscape.core.kernel import helper, kernel


class TrafficMatrix(NamedTuple):
    """What every two ranks send each other, in rows by rank.

    Attributes:
        start: int64[ranks + 1]
        other, weight (int64[...]): Chunks that go to the other rank, or come from it.
        sends (bool[...]): Do they go?
    """

    start: IntArray
    other: IntArray
    weight: IntArray
    sends: IntArray


@helper
def _rank_cost(traffic, hops, placement, rank, place, except_rank):  # type: ignore[no-untyped-def]
    """Hops of all chunks of a rank if it stood there, but for those to and from one other rank."""
    cost = 0
    for k in range(traffic.start[rank], traffic.start[rank + 1]):
        other = traffic.other[k]
        if other == except_rank or placement[other] < 0:
            continue
        there = placement[other]
        cost += traffic.weight[k] * (hops[place, there] if traffic.sends[k] else hops[there, place])
    return cost


@kernel
def greedy_placement(traffic: TrafficMatrix, hops: IntArray, first: int) -> IntArray:
    """Place the rank that exchanges most with those placed, where its chunks go least far.

    Args:
        hops (int32[ranks, ranks]): Between places.
        first: The place of rank 0.
    """
    ranks = len(traffic.start) - 1
    placement, free = np.full(ranks, -1, np.int64), np.ones(ranks, np.bool_)
    drawn = np.zeros(ranks, np.int64)
    rank, place = 0, first
    for _ in range(ranks):
        placement[rank] = place
        free[place] = False
        for k in range(traffic.start[rank], traffic.start[rank + 1]):
            drawn[traffic.other[k]] += traffic.weight[k]
        rank = -1
        for r in range(ranks):
            if placement[r] < 0 and (rank < 0 or drawn[r] > drawn[rank]):
                rank = r
        if rank < 0:
            break
        least, place = np.int64(-1), -1
        for s in range(ranks):
            if free[s]:
                cost = _rank_cost(traffic, hops, placement, rank, s, -1)
                if place < 0 or cost < least:
                    least, place = cost, s
    return placement


@kernel
def placement_cost(traffic: TrafficMatrix, hops: IntArray, placement: IntArray) -> int:
    """Hops of all chunks."""
    cost = 0
    for rank in range(len(placement)):
        cost += _rank_cost(traffic, hops, placement, rank, placement[rank], -1)
    return cost // 2


@kernel
def swap_placement(
    traffic: TrafficMatrix,
    hops: IntArray,
    placement: IntArray,
    keep: int,
    heat: float,
    seed: int,
    moves: int,
) -> int:
    """Swap ranks (annealing): what the cost has changed by.

    Args:
        placement (int64[ranks]): Changed in place.
        keep: So many ranks, the first ones, stay where they are.
        heat: The temperature at the beginning; it falls to nothing.
    """
    np.random.seed(seed)  # noqa: NPY002 (numba's own generator)
    ranks, change = len(placement), 0
    for now in linear(heat, 0.0, moves):
        a = keep + int((ranks - keep) * np.random.random())  # noqa: NPY002
        b = keep + int((ranks - keep) * np.random.random())  # noqa: NPY002
        if a == b:
            continue
        here, there = placement[a], placement[b]
        before = _rank_cost(traffic, hops, placement, a, here, b) + _rank_cost(
            traffic, hops, placement, b, there, a
        )
        after = _rank_cost(traffic, hops, placement, a, there, b) + _rank_cost(
            traffic, hops, placement, b, here, a
        )
        for k in range(traffic.start[a], traffic.start[a + 1]):  # what the two have with each other
            if traffic.other[k] == b:
                back = hops[there, here] - hops[here, there]
                after += traffic.weight[k] * (back if traffic.sends[k] else -back)
        worse = after - before
        if worse <= 0 or worse <= allowance(now, np.random.random()):  # noqa: NPY002
            placement[a], placement[b] = there, here
            change += worse
    return change
