"""Larger circulants of a degree and diameter by their lattices of closed walks.

As in the formulas of degrees 10 and 11: rows with about 4d/n on the diagonal, for n generators, and
an antisymmetric pattern of ±1 and 0 beside it, and half the sum of the rows as well. For even
degrees that half is a closed walk, for odd ones it leads to N/2. Diagonals add up to 4d + 2 and 4d.
Patterns are drawn at random; the determinant is the order, the diameter is measured.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from hopscape.algebra.reduction import solve
from hopscape.families.circulant.closed_forms import canonical
from hopscape.families.circulant.figures import ball_sizes
from hopscape.papers.circulant.atlas import most_nodes

__all__ = ["try_lattices", "walk_lattices"]

_PATTERNS = 1000  # of a task
_SPARSE = 0.3  # at least so many of the entries beside the diagonal are ±1
_PAIRS = 8  # of units that are added for a generator of the cyclic group
_DRAWN, _SOLVED = 2e3, 4e4  # words of bit sets that take as long as a pattern; as its generators


def try_lattices(degree: int, d: int, above: int, number: int, seed: int) -> dict[str, Any]:
    """Look for a circulant of more than `above` nodes among some random patterns.

    Returns:
        dict: Nodes and generators (none: not found), no multiplier, lattices measured, and words of
            bit sets written.
    """
    rng, most = np.random.default_rng([seed, degree, d, number]), most_nodes(d, degree)
    best, held, words, orders = above, [], _PATTERNS * _DRAWN, 0
    for lattice in walk_lattices(degree, d, above, rng):
        words += _SOLVED
        known = _generators(lattice)
        if known is None or not best < known[0] <= most:
            continue
        nodes, generators = known
        generators += [nodes // 2] if degree % 2 else []
        if len(set(generators)) < len(generators) or 0 in generators:
            continue
        orders += 1
        words += d * len(generators) * (nodes // 32 + 8)
        if ball_sizes(nodes, generators, d)[-1] == nodes:
            best, held = nodes, list(canonical(nodes, generators))
    return {
        "nodes": best,
        "generators": held,
        "multiplier": None,
        "orders": orders,
        "words": words,
    }


def walk_lattices(
    degree: int, d: int, above: int, rng: np.random.Generator
) -> Iterator[list[list[int]]]:
    """Random lattices of the kind above whose order is larger, different ones, by their rows."""
    n, total = degree // 2, 4 * d + (0 if degree % 2 else 2)
    rows, columns = np.triu_indices(n, 1)
    share = rng.uniform(_SPARSE, 1, size=(_PATTERNS, 1))
    signs = rng.integers(0, 2, size=(_PATTERNS, len(rows))) * 2 - 1
    signs *= rng.random(signs.shape) < share
    matrices = np.zeros((_PATTERNS, n, n), dtype=np.int64)
    matrices[:, rows, columns], matrices[:, columns, rows] = signs, -signs
    ends = np.abs(matrices).sum(axis=1)  # half the sum of the rows is whole: its parity is theirs
    diagonal = total // n + (total // n + ends) % 2
    order = np.argsort(diagonal + rng.random(diagonal.shape), axis=1)
    left = (total - diagonal.sum(axis=1)) // 2
    place = np.empty_like(order)
    np.put_along_axis(place, order, np.broadcast_to(np.arange(n), order.shape), axis=1)
    diagonal += 2 * ((left[:, None] - place + n - 1) // n)
    matrices[:, np.arange(n), np.arange(n)] = diagonal
    marks = [np.rint(np.linalg.det(matrices + t * np.eye(n))) for t in (0, 1, 2)]
    _, first = np.unique(np.stack([*marks, diagonal.max(axis=1)]), axis=1, return_index=True)
    for i in sorted(first.tolist()):
        if marks[0][i] > above * (1 if degree % 2 else 2) and diagonal[i].min() > 0:
            lattice = matrices[i].tolist()
            if degree % 2 == 0:
                lattice[-1] = [sum(column) // 2 for column in zip(*lattice, strict=True)]
            yield lattice


def _generators(lattice: list[list[int]]) -> tuple[int, list[int]] | None:
    """Order and generators of the circulant; None where the group is not cyclic, as far as seen."""
    n = len(lattice)
    solved = solve(lattice, np.eye(n, dtype=np.int64).tolist())
    if solved is None:
        return None
    columns, nodes = [list(column) for column in zip(*solved[0], strict=True)], solved[1]
    pairs = list(combinations(range(n), 2))[:_PAIRS]
    sums = [[x + y for x, y in zip(columns[i], columns[j], strict=True)] for i, j in pairs]
    for column in (*columns, *sums):
        if math.gcd(nodes, *column) == 1:
            return nodes, sorted(min(x % nodes, -x % nodes) for x in column)
    return None
