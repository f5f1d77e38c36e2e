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

import numpy as np

__all__ = ["Balance", "LoadProblem", "balance", "dual_bound", "solve_exactly"]

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


def float_optimum(
    problem: LoadProblem,
) -> tuple[float, np.ndarray[tuple[int], np.dtype[np.float64]], list[list[float]]]:
    """Optimal load, dual weights and shares in floating point."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_matrix

    h, count = len(problem.lengths), len(problem.weights)
    table = np.asarray(problem.lengths, dtype=float)
    ring, route = np.nonzero(table)
    weight = np.asarray([float(w) for w in problem.weights])
    variables = len(ring)
    cost = np.zeros(variables + 1)
    cost[-1] = 1.0
    rows = np.concatenate([ring, np.arange(h)])
    columns = np.concatenate([np.arange(variables), np.full(h, variables)])
    values = np.concatenate([table[ring, route] * weight[route], np.full(h, -1.0)])
    upper = coo_matrix((values, (rows, columns)), shape=(h, variables + 1)).tocsr()
    equal = coo_matrix(
        (np.ones(variables), (route, np.arange(variables))), shape=(count, variables + 1)
    ).tocsr()
    found = linprog(
        cost,
        A_ub=upper,
        b_ub=np.zeros(h),
        A_eq=equal,
        b_eq=np.ones(count),
        bounds=(0, None),
        method="highs-ds",
    )
    shares = np.zeros((h, count))
    shares[ring, route] = found.x[:-1]
    return float(found.fun), -np.asarray(found.ineqlin.marginals), shares.tolist()


def balance(problem: LoadProblem) -> Balance:
    """The schedule of least largest load, exact, with its certificate."""
    load, weights, shares = float_optimum(problem)
    exact = _exact_shares(problem, load, shares)
    loads = _loads(problem, exact)
    best = max(loads)
    dual = _exact_dual(problem, weights, load, best)
    return Balance(exact, best, dual, dual_bound(problem, dual))


def _loads(problem: LoadProblem, shares: list[list[Fraction]]) -> list[Fraction]:
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
    fixed = _loads(problem, exact)
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
    weights: np.ndarray[tuple[int], np.dtype[np.float64]],
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
