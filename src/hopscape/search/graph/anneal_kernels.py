"""Compiled local search on lifts: simulated annealing and tabu search.

Annealing as in :mod:`hopscape.core.annealing`; F. Glover, "Future paths for integer programming and
links to artificial intelligence", 1986. The time is steps times that of measuring a lift, the
memory that of the measurement and of a second lift for the best so far.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.annealing_kernels import allowance, geometric
from hopscape.core.arrays import Int16s, Int32s, Int64s, UInt64s
from hopscape.core.grid_kernels import uniform
from hopscape.core.kernel import helper, kernel
from hopscape.search.graph.measure_kernels import DistanceTask, Room, measure
from hopscape.search.graph.move_kernels import Lift, propose, restore

__all__ = ["Memory", "anneal", "excess", "tabu"]

_HUGE = 1 << 60


class Memory(NamedTuple):
    """What a search keeps from step to step.

    Attributes:
        state (uint64[1]): Of the random numbers.
        score (int64[4]): Cost and excess of the lift; diameter and sum of distances of the best so
            far.
        best_mate, best_volt (int32[darts]): The best within all limits, by diameter and then by the
            sum of distances.
        prices (int16[limits, n, n]): What a link counts for each limit (only where the group is
            trivial).
        most (int64[limits]): Twice what all links together may count.
        spent (int64[limits]): Twice what they do count.
    """

    state: UInt64s
    room: Room
    score: Int64s
    best_mate: Int32s
    best_volt: Int32s
    prices: Int16s
    most: Int64s
    spent: Int64s


@kernel
def excess(memory: Memory) -> int:
    """By how much the links are above all limits together."""
    over = 0
    for i in range(memory.most.size):
        over += max(memory.spent[i] - memory.most[i], 0)
    return over


@helper
def _pay(lift: Lift, memory: Memory, saved: Int32s, count: int, sign: int) -> None:
    """Book a move (sign 1), or take it back from the books before it is restored (-1)."""
    for limit in range(memory.most.size):
        for i in range(count):
            dart = saved[i, 0]
            u = lift.owner[dart]
            if lift.volt[dart] >= 0:
                memory.spent[limit] += sign * memory.prices[limit, u, lift.owner[lift.mate[dart]]]
            if saved[i, 2] >= 0:
                memory.spent[limit] -= sign * memory.prices[limit, u, lift.owner[saved[i, 1]]]


@helper
def _note(lift: Lift, memory: Memory, cost: int, over: int, depth: int, total: int) -> bool:
    """A move was taken; is it the best so far?"""
    score = memory.score
    score[0], score[1] = cost, over
    if over > 0 or depth > score[2] or (depth == score[2] and total >= score[3]):
        return False
    score[2], score[3] = depth, total
    for dart in range(lift.mate.size):
        memory.best_mate[dart] = lift.mate[dart]
        memory.best_volt[dart] = lift.volt[dart]
    return True


@kernel
def anneal(
    lift: Lift, task: DistanceTask, memory: Memory, steps: int, hot: float, cold: float
) -> None:
    """Simulated annealing for some steps, the temperature falling from hot to cold.

    How much worse a move may be is drawn before it is measured, so that measuring stops as soon as
    it is worse than that. A move that brings the links nearer to their limits is always taken, one
    that leads away from them never.
    """
    saved = np.empty((4, 3), np.int32)
    limited = memory.most.size > 0
    score = memory.score
    for heat in geometric(hot, cold, steps):
        count = propose(lift, memory.state, saved, limited)
        if count == 0:
            continue
        _pay(lift, memory, saved, count, 1)
        over = excess(memory)
        limit = score[0] + int(allowance(heat, uniform(memory.state)))
        if over < score[1]:
            limit = _HUGE
        cost, depth, total = limit + 1, 0, 0
        if over <= score[1]:
            cost, depth, total = measure(lift, task, limit, memory.room)
        if cost > limit:
            _pay(lift, memory, saved, count, -1)
            restore(lift, saved, count)
        else:
            _note(lift, memory, cost, over, depth, total)


@kernel
def tabu(
    lift: Lift, task: DistanceTask, memory: Memory, steps: int, sample: int, rest: int
) -> None:
    """Tabu search: the best of a few random moves is taken even if it is worse.

    Darts that were moved are left alone for the next `rest` moves, unless the move leads to the
    best graph so far.
    """
    saved = np.empty((4, 3), np.int32)
    chosen = np.empty((4, 3), np.int32)
    limited = memory.most.size > 0
    until = np.zeros(lift.mate.size, np.int64)
    moves = 0
    for _ in range(max(steps // sample, 1)):
        best, best_depth, best_total, count_best, over_best = _HUGE, 0, 0, 0, 0
        for _ in range(sample):
            count = propose(lift, memory.state, saved, limited)
            if count == 0:
                continue
            _pay(lift, memory, saved, count, 1)
            over = excess(memory)
            if over <= memory.score[1]:
                cost, depth, total = measure(lift, task, best, memory.room)
                free = True
                for i in range(count):
                    free &= until[saved[i, 0]] <= moves
                record = depth < memory.score[2] or (
                    depth == memory.score[2] and total < memory.score[3]
                )
                if cost < best and (free or record):
                    best, best_depth, best_total, over_best = cost, depth, total, over
                    count_best = count
                    for i in range(count):
                        chosen[i, 0] = saved[i, 0]
                        chosen[i, 1] = lift.mate[saved[i, 0]]
                        chosen[i, 2] = lift.volt[saved[i, 0]]
            _pay(lift, memory, saved, count, -1)
            restore(lift, saved, count)
        if count_best == 0:
            continue
        for i in range(count_best):
            dart = chosen[i, 0]
            saved[i, 0], saved[i, 1], saved[i, 2] = dart, lift.mate[dart], lift.volt[dart]
            until[dart] = moves + rest
        restore(lift, chosen, count_best)
        _pay(lift, memory, saved, count_best, 1)
        moves += 1
        _note(lift, memory, best, over_best, best_depth, best_total)
