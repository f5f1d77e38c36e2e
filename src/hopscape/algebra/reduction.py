"""Short bases of integer lattices, in Python's integers: exact and bounded at any size.

Lattices here have at most a handful of dimensions, so that the plain integer form of the algorithm
of Lenstra, Lenstra and Lovász serves ("Factoring polynomials with rational coefficients", Math.
Ann. 261, 1982; in integers as by de Weger, J. Number Theory 26, 1987).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import mul

__all__ = ["Vector", "closed_walks", "dot", "l1", "lll", "minus", "solve"]

Vector = tuple[int, ...]


def dot(a: Sequence[int], b: Sequence[int]) -> int:
    """Inner product."""
    return sum(map(mul, a, b))


def l1(vector: Sequence[int]) -> int:
    """Sum of the absolute values."""
    return sum(map(abs, vector))


def minus(a: Vector, t: int, b: Vector) -> Vector:
    """The vector a - t b."""
    return tuple([x - t * y for x, y in zip(a, b, strict=True)])


def closed_walks(nodes: int, generators: Sequence[int]) -> tuple[list[list[int]], Vector]:
    """Some basis of {x : x·S ≡ 0 mod N}, and some u with u·S ≡ 1, for gcd(N, S) = 1.

    Euclid's algorithm on rows (x | x·S).

    Examples:
        >>> basis, unit = closed_walks(55, (1, 5, 21))
        >>> [dot(row, (1, 5, 21)) % 55 for row in basis], dot(unit, (1, 5, 21)) % 55
        ([0, 0, 0], 1)
    """
    n = len(generators)
    rows = [[int(i == j) for j in range(n)] + [s] for i, s in enumerate(generators)]
    rows.append([0] * n + [nodes])
    while True:
        rows.sort(key=lambda row: abs(row[-1]) or math.inf)
        if len(rows) == 1 or rows[1][-1] == 0:
            break
        for row in rows[1:]:
            t = row[-1] // rows[0][-1]
            for j in range(n + 1):
                row[j] -= t * rows[0][j]
    sign = rows[0][-1]
    return [row[:n] for row in rows[1:]], tuple(sign * x for x in rows[0][:n])


def lll(basis: Sequence[Sequence[int]]) -> list[list[int]]:
    """LLL reduction in integers: `gram[i]` are determinants, `mu[i][j]` scaled coefficients.

    O(d⁴ log B) operations for d vectors with entries up to B, on integers of O(d log B) digits.

    Examples:
        >>> lll([[1, 0, 331], [0, 1, 77], [0, 0, 1009]])
        [[-4, 4, -7], [-4, -9, 1], [-7, 4, 9]]
    """
    b = [list(row) for row in basis]
    n = len(b)
    gram = [1] + [0] * n
    mu = [[0] * n for _ in range(n)]
    for k in range(n):
        for j in range(k + 1):
            u = dot(b[k], b[j])
            for i in range(j):
                u = (gram[i + 1] * u - mu[k][i] * mu[j][i]) // gram[i]
            if j < k:
                mu[k][j] = u
            else:
                gram[k + 1] = u
    k = 1
    while k < n:
        _reduce_by(b, gram, mu, k, k - 1)
        if 100 * gram[k + 1] * gram[k - 1] < 99 * gram[k] ** 2 - 100 * mu[k][k - 1] ** 2:
            _swap(b, gram, mu, k)
            k = max(k - 1, 1)
            continue
        for j in range(k - 2, -1, -1):
            _reduce_by(b, gram, mu, k, j)
        k += 1
    return b


def _reduce_by(b: list[list[int]], gram: list[int], mu: list[list[int]], k: int, j: int) -> None:
    """Subtract a multiple of b_j from b_k."""
    q = (2 * mu[k][j] + gram[j + 1]) // (2 * gram[j + 1])
    if q:
        b[k] = [x - q * y for x, y in zip(b[k], b[j], strict=True)]
        mu[k][j] -= q * gram[j + 1]
        for i in range(j):
            mu[k][i] -= q * mu[j][i]


def _swap(b: list[list[int]], gram: list[int], mu: list[list[int]], k: int) -> None:
    """Exchange b_{k-1} and b_k and bring determinants and coefficients up to date."""
    b[k], b[k - 1] = b[k - 1], b[k]
    for j in range(k - 1):
        mu[k][j], mu[k - 1][j] = mu[k - 1][j], mu[k][j]
    m = mu[k][k - 1]
    new = (gram[k - 1] * gram[k + 1] + m * m) // gram[k]
    for i in range(k + 1, len(b)):
        t = mu[i][k]
        mu[i][k] = (gram[k + 1] * mu[i][k - 1] - m * t) // gram[k]
        mu[i][k - 1] = (new * t + m * mu[i][k]) // gram[k + 1]
    gram[k] = new


def solve(
    matrix: Sequence[Sequence[int]], right: Sequence[Sequence[int]]
) -> tuple[list[list[int]], int] | None:
    """Solve A X = B in integers: (D·X, D) with D = |det A|, or None when A is singular.

    E. H. Bareiss, "Sylvester's identity and multistep integer-preserving Gaussian elimination",
    1968: O(n³) operations, entries never longer than minors of the matrix.

    Examples:
        >>> solve([[2, 1], [0, 3]], [[1], [1]])
        ([[2], [2]], 6)
    """
    size = len(matrix)
    rows = [[*a, *b] for a, b in zip(matrix, right, strict=True)]
    before = 1
    for k in range(size):
        pivot = next((r for r in range(k, size) if rows[r][k]), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for r in range(size):  # fraction-free elimination, above and below the pivot
            if r != k:
                factor, lead = rows[r][k], rows[k][k]
                rows[r] = [
                    (lead * x - factor * y) // before for x, y in zip(rows[r], rows[k], strict=True)
                ]
        before = rows[k][k]
    sign = 1 if before > 0 else -1
    return [[sign * x for x in row[size:]] for row in rows], abs(before)
