"""Seats of ranks by greedy choice and swaps (numba): a quadratic assignment, approximately."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.kernel import helper, kernel


class Talk(NamedTuple):
    """Who talks with whom, by rank.

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
def _cost_at(talk, hops, seats, rank, seat, but):  # type: ignore[no-untyped-def]
    """Hops of all chunks of a rank if it sat there; what it has with rank `but` is left out."""
    cost = 0
    for k in range(talk.start[rank], talk.start[rank + 1]):
        other = talk.other[k]
        if other == but or seats[other] < 0:
            continue
        there = seats[other]
        cost += talk.weight[k] * (hops[seat, there] if talk.sends[k] else hops[there, seat])
    return cost


@kernel
def greedy_seats(talk: Talk, hops: IntArray, first: int) -> IntArray:
    """Seats one by one: the rank that talks most with those seated, where its chunks go least far.

    Args:
        hops (int32[ranks, ranks]): Between seats.
        first: The seat of rank 0.
    """
    ranks = len(talk.start) - 1
    seats, free = np.full(ranks, -1, np.int64), np.ones(ranks, np.bool_)
    drawn = np.zeros(ranks, np.int64)
    rank, seat = 0, first
    for _ in range(ranks):
        seats[rank] = seat
        free[seat] = False
        for k in range(talk.start[rank], talk.start[rank + 1]):
            drawn[talk.other[k]] += talk.weight[k]
        rank = -1
        for r in range(ranks):
            if seats[r] < 0 and (rank < 0 or drawn[r] > drawn[rank]):
                rank = r
        if rank < 0:
            break
        least, seat = np.int64(-1), -1
        for s in range(ranks):
            if free[s]:
                cost = _cost_at(talk, hops, seats, rank, s, -1)
                if seat < 0 or cost < least:
                    least, seat = cost, s
    return seats


@kernel
def total_cost(talk: Talk, hops: IntArray, seats: IntArray) -> int:
    """Hops of all chunks."""
    cost = 0
    for rank in range(len(seats)):
        cost += _cost_at(talk, hops, seats, rank, seats[rank], -1)
    return cost // 2


@kernel
def swap_seats(
    talk: Talk, hops: IntArray, seats: IntArray, keep: int, heat: float, seed: int, moves: int
) -> int:
    """Swap ranks (annealing): what the cost has changed by.

    Args:
        seats (int64[ranks]): Changed in place.
        keep: So many ranks, the first ones, stay where they are.
        heat: The temperature at the beginning; it falls to nothing.
    """
    np.random.seed(seed)  # noqa: NPY002 (numba's own generator)
    ranks, change = len(seats), 0
    for step in range(moves):
        a = keep + int((ranks - keep) * np.random.random())  # noqa: NPY002
        b = keep + int((ranks - keep) * np.random.random())  # noqa: NPY002
        if a == b:
            continue
        here, there = seats[a], seats[b]
        before = _cost_at(talk, hops, seats, a, here, b) + _cost_at(talk, hops, seats, b, there, a)
        after = _cost_at(talk, hops, seats, a, there, b) + _cost_at(talk, hops, seats, b, here, a)
        for k in range(talk.start[a], talk.start[a + 1]):  # what the two have with each other
            if talk.other[k] == b:
                back = hops[there, here] - hops[here, there]
                after += talk.weight[k] * (back if talk.sends[k] else -back)
        worse = after - before
        now = heat * (1 - step / moves)
        if worse <= 0 or (now > 0 and np.random.random() < np.exp(-worse / now)):  # noqa: NPY002
            seats[a], seats[b] = there, here
            change += worse
    return change
