"""Equations solved exactly, and the elimination behind them against its twin."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopscape.papers.multiring import rational


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 9), st.integers(0, 4), st.integers(0, 2**32 - 1))
def test_equations_are_solved_exactly(unknowns, more, seed):
    rng = np.random.default_rng(seed)
    truth = [Fraction(int(a), int(b)) for a, b in rng.integers(1, 30, size=(unknowns, 2))]
    scale = math.lcm(*(x.denominator for x in truth))
    matrix = rng.integers(-3, 4, size=(unknowns + more, unknowns))
    right = [int(sum(int(a) * x for a, x in zip(row, truth)) * scale) for row in matrix]
    found = rational.solve_exactly(matrix, right, [float(x * scale) for x in truth])
    for row, b in zip(matrix.tolist(), right):
        value = sum(a * x for a, x in zip(row, found))
        rank = np.linalg.matrix_rank(matrix.astype(float))
        if rank == unknowns:
            assert value == b
    if np.linalg.matrix_rank(matrix.astype(float)) == unknowns:
        assert found == [x * scale for x in truth]


def test_large_coefficients_and_free_unknowns():
    found = rational.solve_exactly([[10**30, 1]], [10**30 + 5], [1.0, 5.0])
    assert found[0] * 10**30 + found[1] == 10**30 + 5
    assert rational.solve_exactly([[0, 0]], [0], [0.25, 0.5]) == [Fraction(1, 4), Fraction(1, 2)]
    assert rational.solve_exactly(np.zeros((1, 2001), dtype=int), [0], [0.0] * 2001) is None


def slow_echelon(matrix, prime):
    """The rows of the reduced echelon form modulo a prime, and the columns of their ones."""
    rows, used = [[int(x) % prime for x in row] for row in matrix], []
    for k in range(len(rows[0])):
        free = rows[len(used) :]
        pivot = next((row for row in free if row[k]), None)
        if pivot is None:
            continue
        rows.remove(pivot)
        pivot = [x * pow(pivot[k], -1, prime) % prime for x in pivot]
        rows = [[(x - row[k] * y) % prime for x, y in zip(row, pivot)] for row in rows]
        rows.insert(len(used), pivot)
        used.append(k)
    return rows[: len(used)], used


@pytest.mark.interpreted
@pytest.mark.parametrize("shape", [(1, 1), (3, 1), (1, 4), (5, 4), (6, 9), (12, 12)])
def test_elimination_kernel_gives_the_echelon_form(shape):
    from hopscape.papers.multiring.rational_kernels import eliminate

    rng = np.random.default_rng(shape[0])
    for low in (0, -1):
        matrix = rng.integers(low, 3, size=shape) % 101
        work = matrix.copy()
        rows, used = eliminate(work, shape[1], 101)
        assert (work[rows].tolist(), used.tolist()) == slow_echelon(matrix, 101)


@pytest.mark.parametrize("shape", [(5, 4), (12, 12), (40, 30), (30, 40)])
def test_elimination_kernel_against_its_twin(shape):
    rng = np.random.default_rng(shape[0])
    prime = rational._PRIME
    matrix = rng.integers(0, 3, size=shape)
    matrix[:, 1] = matrix[:, 0]  # not of full rank
    slow, fast = matrix.copy(), matrix.copy()
    from hopscape.papers.multiring.rational_kernels import eliminate

    few = rational._FEW
    assert slow.size <= few
    rows, used = rational._eliminate(slow, shape[1], prime)
    kernel_rows, kernel_used = eliminate(fast, shape[1], prime)
    assert used.tolist() == kernel_used.tolist()
    assert rows.tolist() == kernel_rows.tolist()
    assert (slow == fast).all()
    assert len(used) == np.linalg.matrix_rank(matrix)
