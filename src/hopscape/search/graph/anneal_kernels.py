"""Compiled local search on lifts: simulated annealing and tabu search."""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hopscape.core.vector_kernels import Words
from hopscape.search.graph.measure_kernels import Task, measure
from hopscape.search.graph.move_kernels import Lift, Nodes, propose, restore, uniform

__all__ = ["anneal"]


@njit(cache=True, nogil=True)
def anneal(
    lift: Lift,
    task: Task,
    state: NDArray[np.uint64],
    now: Words,
    after: Words,
    score: NDArray[np.int64],
    best_mate: Nodes,
    best_volt: Nodes,
    steps: int,
    hot: float,
    cold: float,
) -> None:
    """Simulated annealing for some steps, the temperature falling from hot to cold.

    Parameters
    ----------
    lift, task
        What is changed, and how it is graded.
    state : uint64[1]
        Of the random numbers.
    now, after
        Room to work in.
    score : int64[3]
        Cost of the lift; diameter and sum of distances of the best, replaced when beaten.
    best_mate, best_volt : int32[darts]
        The best, by diameter and then by the sum of distances.
    """
    saved = np.empty((4, 3), np.int32)
    fall = math.log(cold / hot) / max(steps, 1) if hot > 0 else 0.0
    for step in range(steps):
        count = propose(lift, state, saved)
        if count == 0:
            continue
        slack = -math.log(uniform(state)) * hot * math.exp(fall * step)
        cost, depth, total = measure(lift.near, task, score[0] + int(slack), now, after)
        if cost > score[0] + int(slack):
            restore(lift, saved, count)
            continue
        score[0] = cost
        if depth < score[1] or (depth == score[1] and total < score[2]):
            score[1], score[2] = depth, total
            best_mate[:] = lift.mate
            best_volt[:] = lift.volt
