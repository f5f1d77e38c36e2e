"""Linear equations with integer coefficients, solved in fractions.

A square system of full rank is picked and inverted modulo a prime; the digits of the solution in
that base follow by lifting (J. D. Dixon, Exact solution of linear equations
using p-adic expansions, Numerische Mathematik 40, 1982), and the fractions by the extended
Euclidean algorithm. Whoever calls checks what comes out, so that nothing rests on the rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from hopscape.core.arrays import Array

__all__ = ["solve_exactly"]

_PRIME = 67_108_859
"""Below 2^26: products of two residues can be added up 2^11 times in 64 bits."""
_MOST = 2000  # unknowns: sums of as many products of residues fit into 64 bits
_FEW = 4096  # entries that NumPy eliminates sooner than the kernel is imported
_SMALL = 1 << 36  # sums of rows: times a residue below 2^26 they stay below 2^62
_DIGITS = 6000  # of the solution to the base of the prime: about 45,000 decimal digits


def solve_exactly(
    matrix: Sequence[Sequence[int]] | Array, right: Sequence[int], guess: Sequence[float]
) -> list[Fraction] | None:
    """Solve equations that have a solution near a guess.

    Unknowns that the equations leave free take their guess, rounded.

    O(n³) operations modulo the prime, then O(n²) for each digit of the solution; memory is two
    matrices of n² residues.

    Args:
        matrix: integers, equations × unknowns

    Returns:
        list of Fraction, or None: A solution of as many independent equations as there are; None
            when there are more than 2000 unknowns, or fractions of more than about 45 000 digits.

    Examples:
        >>> [str(x) for x in solve_exactly([[1, 1], [1, -1], [3, 1]], [3, 1, 7], [0.0, 0.0])]
        ['2', '1']
    """
    table = np.asarray(matrix, dtype=object).reshape(-1, len(guess))
    target = np.asarray([int(x) for x in right], dtype=object)
    if table.shape[1] > _MOST:
        return None
    out = [Fraction(g).limit_denominator(10**6) for g in guess]
    rows, columns = _eliminate(_residues(table, _PRIME), len(guess), _PRIME)
    if not len(columns):
        return out
    free = np.setdiff1d(np.arange(len(guess)), columns)
    scale = math.lcm(*(out[int(c)].denominator for c in free)) if len(free) else 1
    moved = target[rows] * scale
    for c in free:
        moved = moved - table[rows, c] * int(out[int(c)] * scale)
    values = _square(table[np.ix_(rows, columns)], moved, _PRIME)
    if values is None:
        return None
    for c, x in zip(columns, values):
        out[int(c)] = x / scale
    return out


def _square(table: Array, right: Array, prime: int) -> list[Fraction] | None:
    """Solve a square system that is regular modulo a prime, by lifting."""
    n = len(table)
    work = np.concatenate([_residues(table, prime), np.eye(n, dtype=np.int64)], axis=1)
    rows, _ = _eliminate(work, n, prime)
    inverse = work[rows, n:]
    small = int(np.abs(table).max()) * n < _SMALL and int(np.abs(right).max()) < _SMALL * n
    matrix = table.astype(np.int64) if small else table
    left = right.astype(np.int64) if small else right
    total = np.zeros(n, dtype=object)
    power, next_try = 1, 2
    for digit in range(1, _DIGITS):
        step = inverse @ (left % prime).astype(np.int64) % prime
        total = total + step.astype(object) * power
        power *= prime
        left = (left - matrix @ (step if small else step.astype(object))) // prime
        if digit >= next_try or not left.any():
            values = _fractions(total.tolist(), power)
            if values is not None and _solves(table, right, values):
                return values
            next_try = digit + max(2, digit // 2)
    return None


def _residues(table: Array, prime: int) -> Array:
    return (table % prime).astype(np.int64)


def _eliminate(work: Array, columns: int, prime: int) -> tuple[Array, Array]:
    """As the kernel of this name, which is not worth its import for a few rows."""
    if work.size > _FEW:
        from hopscape.papers.multiring.rational_kernels import eliminate

        pivots: tuple[Array, Array] = eliminate(work, columns, prime)
        return pivots
    rows: list[int] = []
    used: list[int] = []
    for k in range(columns):
        able = [i for i in np.nonzero(work[:, k])[0].tolist() if i not in rows]
        if not able:
            continue
        pivot = min(able, key=lambda i: np.count_nonzero(work[i]))
        work[pivot] = work[pivot] * pow(int(work[pivot, k]), -1, prime) % prime
        factors = work[:, k].copy()
        factors[pivot] = 0
        work -= factors[:, None] * work[pivot]
        work %= prime
        rows.append(pivot)
        used.append(k)
    return np.asarray(rows, dtype=np.int64), np.asarray(used, dtype=np.int64)


def _fractions(residues: Sequence[int], power: int) -> list[Fraction] | None:
    """The fractions of small parts with these residues, all over one denominator."""
    limit = math.isqrt(power // 2)
    common, out = 1, list[int]()
    for residue in residues:
        scaled = residue * common % power
        small = scaled if scaled <= power // 2 else scaled - power
        if abs(small) > limit:
            reduced = _fraction(scaled, power, limit)
            if reduced is None:
                return None
            top, bottom = reduced
            common *= bottom
            out = [x * bottom for x in out]
            small = top
            if common > limit:
                return None
        out.append(small)
    return [Fraction(x, common) for x in out]


def _fraction(residue: int, power: int, limit: int) -> tuple[int, int] | None:
    """Numerator and denominator of at most `limit` with this residue, by Euclid's algorithm."""
    before, now = power, residue
    below, under = 0, 1
    while now > limit:
        times = before // now
        before, now = now, before - times * now
        below, under = under, below - times * under
    if under == 0 or abs(under) > limit:
        return None
    return (now, under) if under > 0 else (-now, -under)


def _solves(table: Array, right: Array, values: Sequence[Fraction]) -> bool:
    scale = math.lcm(*(x.denominator for x in values))
    whole = np.asarray([int(x * scale) for x in values], dtype=object)
    return bool((table @ whole == right * scale).all())
