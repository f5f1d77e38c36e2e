"""Least largest load as a linear program, with an exact rational optimum and its certificate.

HiGHS finds an optimal corner of the program and one of its dual in floating point. Which shares are
positive and which rings are full is then known, and the corners are the solutions of two small
systems of equations, solved in fractions. Both sides are evaluated exactly: the optimum is proved
when they are equal, whatever the floating-point part did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.errors import HopscapeError

__all__ = [
    "Balance",
    "LoadProblem",
    "balance",
    "dual_bound",
    "least_largest",
    "loads_of",
    "solve_exactly",
]

Floats = np.ndarray[Any, np.dtype[np.float64]]

_ZERO = 1e-9
_TIGHT = 1e-7


@dataclass(frozen=True)
class LoadProblem:
    """Routes with weights, and the length of each on every ring (0: not on this ring)."""

    lengths: Sequence[Sequence[int]]
    weights: Sequence[Fraction]


@dataclass(frozen=True)
class Balance:
    """A schedule, its largest load, and dual weights with the bound that they prove."""

    shares: list[list[Fraction]]
    load: Fraction
    dual: tuple[Fraction, ...]
    bound: Fraction

    @property
    def proved(self) -> bool:
        """Do both sides agree?"""
        return self.load == self.bound


def dual_bound(problem: LoadProblem, dual: Sequence[Fraction]) -> Fraction:
    """What ring weights of sum 1 prove: no schedule has a smaller largest load."""
    total = Fraction(0)
    for r, weight in enumerate(problem.weights):
        if weight:
            options = [w * row[r] for w, row in zip(dual, problem.lengths) if row[r]]
            total += weight * min(options)
    return total


def float_optimum(problem: LoadProblem) -> tuple[float, Floats, list[list[float]]]:
    """Optimal load, dual weights and shares in floating point."""
    h = len(problem.lengths)
    table = np.asarray(problem.lengths, dtype=float)
    ring, route = np.nonzero(table)
    weight = np.asarray([float(w) for w in problem.weights])
    found, dual = least_largest(
        ring, np.arange(len(ring)), table[ring, route] * weight[route], route, h
    )
    shares: Any = np.zeros(table.shape)
    shares[ring, route] = found[:-1]
    return float(found[-1]), dual, shares.tolist()


def least_largest(
    carriers: IntArray, columns: IntArray, values: Floats, demands: IntArray, count: int
) -> tuple[Floats, Floats]:
    """Shares that make the fullest of `count` carriers as empty as can be (HiGHS).

    Parameters
    ----------
    carriers, columns, values : arrays
        Entries: share `column` puts `value` on a carrier.
    demands : array
        The demand that each share belongs to; shares of a demand add up to 1.
    count : int

    Returns
    -------
    shares : ndarray
        With the largest load as one more entry at the end.
    dual : ndarray
        Weights of the carriers.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_matrix

    shares = len(demands)
    every = np.arange(count)
    data = np.concatenate([np.asarray(values, dtype=float), np.full(count, -1.0)])
    places = (np.concatenate([carriers, every]), np.concatenate([columns, np.full(count, shares)]))
    upper: Any = coo_matrix((data, places), shape=(count, shares + 1)).tocsr()
    rows = int(np.max(demands)) + 1
    equal: Any = coo_matrix(
        (np.ones(shares), (demands, np.arange(shares))), shape=(rows, shares + 1)
    ).tocsr()
    cost = np.zeros(shares + 1)
    cost[-1] = 1.0
    found: Any = linprog(
        cost,
        A_ub=upper,
        b_ub=np.zeros(count),
        A_eq=equal,
        b_eq=np.ones(rows),
        bounds=(0, None),
        method="highs-ds",
    )
    if found.x is None:
        raise HopscapeError(f"the linear program was not solved: {found.message}")
    return found.x, -np.asarray(found.ineqlin.marginals)


def balance(problem: LoadProblem) -> Balance:
    """The schedule of least largest load, exact, with its certificate."""
    load, weights, shares = float_optimum(problem)
    exact = _exact_shares(problem, load, shares)
    loads = loads_of(problem, exact)
    best = max(loads)
    dual = _exact_dual(problem, weights, load, best)
    return Balance(exact, best, dual, dual_bound(problem, dual))


def loads_of(problem: LoadProblem, shares: list[list[Fraction]]) -> list[Fraction]:
    """Load of every ring under a schedule."""
    return [
        sum((p * w * k for p, w, k in zip(row, problem.weights, lengths) if p), Fraction(0))
        for row, lengths in zip(shares, problem.lengths)
    ]


def _exact_shares(
    problem: LoadProblem, load: float, shares: list[list[float]]
) -> list[list[Fraction]]:
    """The corner with these positive shares and full rings, in fractions."""
    h, count = len(problem.lengths), len(problem.weights)
    exact = [[Fraction(0)] * count for _ in range(h)]
    split: list[tuple[int, int]] = []
    split_routes: list[int] = []
    for r in range(count):
        used = [j for j in range(h) if shares[j][r] > _ZERO]
        if len(used) == 1:
            exact[used[0]][r] = Fraction(1)
        else:
            split_routes.append(r)
            split += [(j, r) for j in used]
    fixed = loads_of(problem, exact)
    approximate = [
        sum(shares[j][r] * float(problem.weights[r]) * problem.lengths[j][r] for r in range(count))
        for j in range(h)
    ]
    full = [j for j in range(h) if approximate[j] > load * (1 - _TIGHT)]
    place = {pair: i for i, pair in enumerate(split)}
    unknowns = len(split) + 1
    rows: list[list[Fraction]] = []
    for r in split_routes:
        row = [Fraction(0)] * unknowns + [Fraction(1)]
        for (_, route), i in place.items():
            if route == r:
                row[i] = Fraction(1)
        rows.append(row)
    for j in full:
        row = [Fraction(0)] * unknowns + [-fixed[j]]
        for (ring, r), i in place.items():
            if ring == j:
                row[i] = problem.weights[r] * problem.lengths[j][r]
        row[-2] = Fraction(-1)
        rows.append(row)
    guess = [shares[j][r] for j, r in split] + [load]
    solution = solve_exactly(rows, guess)
    for pair, i in place.items():
        exact[pair[0]][pair[1]] = solution[i] if solution is not None else Fraction(guess[i])
    return _feasible(exact)


def _feasible(shares: list[list[Fraction]]) -> list[list[Fraction]]:
    """Clip to at least 0 and scale every route to 1, so that a rounded schedule is one, too."""
    for r in range(len(shares[0])):
        column = [max(row[r], Fraction(0)) for row in shares]
        total = sum(column)
        for j, row in enumerate(shares):
            row[r] = column[j] / total
    return shares


def _exact_dual(
    problem: LoadProblem,
    weights: Floats,
    load: float,
    best: Fraction,
) -> tuple[Fraction, ...]:
    """The corner of the dual near these ring weights, in fractions."""
    h = len(problem.lengths)
    scale = float(weights.sum()) or 1.0
    approximate = [max(float(w), 0.0) / scale for w in weights]
    rows: list[list[Fraction]] = [[Fraction(1)] * h + [Fraction(1)]]
    for j in range(h):
        if approximate[j] < _ZERO:
            rows.append([Fraction(int(i == j)) for i in range(h)] + [Fraction(0)])
    for r in range(len(problem.weights)):
        costs = [
            (approximate[j] * problem.lengths[j][r], j) for j in range(h) if problem.lengths[j][r]
        ]
        least, first = min(costs)
        for cost, j in costs:
            if j != first and cost - least <= _ZERO * max(load, 1.0) and problem.weights[r]:
                row = [Fraction(0)] * (h + 1)
                row[first] = Fraction(problem.lengths[first][r])
                row[j] = Fraction(-problem.lengths[j][r])
                rows.append(row)
    solution = solve_exactly(rows, approximate)
    tries = [] if solution is None else [solution]
    tries.append([Fraction(w).limit_denominator(10**12) for w in approximate])
    kept = []
    for found in tries:
        positive = [max(w, Fraction(0)) for w in found]
        total = sum(positive)
        kept.append(tuple(w / total for w in positive))
    return max(kept, key=lambda w: min(dual_bound(problem, w), best))


def solve_exactly(rows: list[list[Fraction]], guess: Sequence[float]) -> list[Fraction] | None:
    """Solve linear equations (last column: right side) in fractions.

    Unknowns that the equations leave free take their guess, rounded. None when the equations
    contradict each other.

    Examples
    --------
    >>> two = [[Fraction(1), Fraction(1), Fraction(3)], [Fraction(1), Fraction(-1), Fraction(1)]]
    >>> [str(x) for x in solve_exactly(two, [0.0, 0.0])]
    ['2', '1']
    """
    matrix = [list(row) for row in rows]
    unknowns = len(guess)
    pivots: list[int] = []
    at = 0
    for column in range(unknowns):
        pivot = next((i for i in range(at, len(matrix)) if matrix[i][column]), None)
        if pivot is None:
            continue
        matrix[at], matrix[pivot] = matrix[pivot], matrix[at]
        lead = matrix[at][column]
        matrix[at] = [x / lead for x in matrix[at]]
        for i, row in enumerate(matrix):
            if i != at and row[column]:
                factor = row[column]
                matrix[i] = [x - factor * y if y else x for x, y in zip(row, matrix[at])]
        pivots.append(column)
        at += 1
    if any(row[-1] for row in matrix[at:]):
        return None
    solution = [Fraction(g).limit_denominator(10**6) for g in guess]
    for i, column in enumerate(pivots):
        rest = sum(
            (matrix[i][c] * solution[c] for c in range(unknowns) if c not in pivots),
            Fraction(0),
        )
        solution[column] = matrix[i][-1] - rest
    return solution
