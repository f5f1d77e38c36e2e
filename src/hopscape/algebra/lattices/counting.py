"""Exact numbers of whole points under planes, at any size: by polynomials, not one by one.

The points are those of a box 0 <= y_i <= high_i under planes Σ_T y_i <= c. Coordinates that no
plane ties together are counted apart. One plane across all coordinates has a closed form. Otherwise
one coordinate t is fixed: between two neighbouring corners of the body the number of points of its
section is a quasi-polynomial in t, the period of which divides the determinants of the planes (E.
Ehrhart; with parameters: Ph. Clauss, "Counting solutions to linear and nonlinear constraints
through Ehrhart polynomials", ICS 1996). A few sections give it, and its sum follows.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np

from hopscape.algebra.reduction import Vector

__all__ = ["count_points"]

Tally = tuple[int, int]
_PERIODS = (1, 1, 1, 2, 6, 60)  # lcm of the determinants of 0/1 matrices, by their size
_SMALL = 2**40  # sums of so small numbers are exact in 64 bits


def count_points(high: Vector, planes: Mapping[Vector, int]) -> Tally:
    """How many whole points there are, and the sum of all their coordinates.

    Args:
        high: 0 <= y_i <= high_i.
        planes (mapping from T to c): Σ_T y_i <= c, with T a sorted tuple of coordinates.

    Examples:
        >>> count_points((2, 2), {(0, 1): 3})
        (8, 14)
        >>> count_points((10**9, 10**9, 10**9), {(0, 1): 10**9, (1, 2): 10**9})[0]
        333333334833333335500000001
    """
    kept = {}
    for columns, c in planes.items():
        if c < 0:
            return 0, 0
        if sum([high[i] for i in columns]) > c:
            if len(columns) == 1:
                high = (*high[: columns[0]], c, *high[columns[0] + 1 :])
            else:
                kept[columns] = c
    count, total = 1, 0
    for part, tied in _parts(len(high), kept):
        more, its_sum = _tied(tuple([high[i] for i in part]), tied)
        count, total = count * more, total * more + count * its_sum
    return count, total


def _parts(n: int, planes: dict[Vector, int]) -> Iterable[tuple[Vector, dict[Vector, int]]]:
    """Coordinates that planes tie together, each with its planes, renumbered."""
    groups: list[set[int]] = []
    for columns in planes:
        joined = set(columns)
        for group in [g for g in groups if not joined.isdisjoint(g)]:
            groups.remove(group)
            joined |= group
        groups.append(joined)
    for i in set(range(n)).difference(*groups):
        yield (i,), {}
    for group in groups:
        part = tuple(sorted(group))
        place = {i: k for k, i in enumerate(part)}
        yield (
            part,
            {
                tuple([place[i] for i in columns]): c
                for columns, c in planes.items()
                if columns[0] in group
            },
        )


def _tied(high: Vector, planes: dict[Vector, int]) -> Tally:
    n = len(high)
    if not planes:
        return high[0] + 1, high[0] * (high[0] + 1) // 2
    if len(planes) == 1 and len(next(iter(planes))) == n:
        return _simplex(high, next(iter(planes.values())))
    uses = [sum(i in columns for columns in planes) for i in range(n)]
    axis = max(range(n), key=uses.__getitem__)
    return _sections(high, planes, axis)


def _simplex(high: Vector, c: int) -> Tally:
    """One plane across all coordinates: inclusion and exclusion of those that are too large."""
    n = len(high)
    count = total = 0
    for signs in itertools.product((0, 1), repeat=n):
        off = sum([h + 1 for h, s in zip(high, signs, strict=True) if s])
        room = c - off
        if room >= 0:
            points = math.comb(room + n, n)
            sign = -1 if sum(signs) % 2 else 1
            count += sign * points
            total += sign * (off * points + n * math.comb(room + n, n + 1))
    return count, total


def _sections(high: Vector, planes: dict[Vector, int], axis: int) -> Tally:
    """Sum over the sections across one coordinate."""
    n = len(high)
    others = [i for i in range(n) if i != axis]
    place = {i: k for k, i in enumerate(others)}
    flat = tuple([high[i] for i in others])
    cuts = [
        (tuple([place[i] for i in columns if i != axis]), c, axis in columns)
        for columns, c in planes.items()
    ]

    def section(t: int) -> Tally:
        left: dict[Vector, int] = {}
        for columns, c, touched in cuts:
            c -= t * touched
            left[columns] = min(c, left.get(columns, c))
        count, total = count_points(flat, left)
        return count, total + t * count

    starts = _corners(high, planes, axis)
    count = total = 0
    for first, after in itertools.pairwise(starts):
        more, its_sum = _add_up(section, first, after, n, _PERIODS[n - 1])
        count += more
        total += its_sum
    return count, total


def _add_up(
    section: Callable[[int], Tally], first: int, after: int, degree: int, period: int
) -> Tally:
    """Sum of a quasi-polynomial from `first` to before `after`."""
    if after - first <= period * (degree + 1):
        found = [section(t) for t in range(first, after)]
        return sum(a for a, _ in found), sum(b for _, b in found)
    count = total = 0
    for begin in range(first, first + period):
        terms = -(-(after - begin) // period)
        found = [section(begin + period * j) for j in range(degree + 1)]
        count += _sum_by_differences([a for a, _ in found], terms)
        total += _sum_by_differences([b for _, b in found], terms)
    return count, total


def _sum_by_differences(values: list[int], terms: int) -> int:
    """Newton: the sum of so many values of a polynomial whose first values these are."""
    result, k = 0, 1
    while values:
        result += values[0] * math.comb(terms, k)
        values = [b - a for a, b in itertools.pairwise(values)]
        k += 1
    return result


def _corners(high: Vector, planes: dict[Vector, int], axis: int) -> list[int]:
    """Where the sections change their shape: the corners' places on the axis, rounded up.

    The last is one behind the last section.
    """
    normals, inverses, determinants, chosen = _systems(len(high), tuple(planes))
    sides = [*([0] * len(high)), *high, *planes.values()]
    large = max(sides) > _SMALL
    c = np.asarray(sides, dtype=object if large else np.int64)
    points = (inverses.astype(c.dtype) * c[chosen][:, None, :]).sum(axis=2)  # times determinant
    room = c[None, :] * determinants[:, None] - points @ normals.T.astype(c.dtype)
    corner = np.asarray(room >= 0, dtype=bool).all(axis=1)
    at = -(-points[corner, axis] // determinants[corner])
    last = (points[corner, axis] // determinants[corner]).max()
    return sorted({*at.tolist(), int(last) + 1})


@cache
def _systems(n: int, planes: tuple[Vector, ...]) -> tuple[Any, Any, Any, Any]:
    """All choices of n sides that meet in one point: what their right-hand sides are times."""
    normals = np.zeros((2 * n + len(planes), n), dtype=np.int64)
    for i in range(n):
        normals[i, i], normals[n + i, i] = -1, 1
    for k, columns in enumerate(planes):
        normals[2 * n + k, list(columns)] = 1
    choices = [
        rows
        for rows in itertools.combinations(range(len(normals)), n)
        if not any(i + n in rows for i in rows if i < n)
    ]
    chosen = np.asarray(choices)
    matrices = normals[chosen].astype(float)
    determinants = np.rint(np.linalg.det(matrices)).astype(np.int64)
    regular = determinants != 0
    chosen, matrices, determinants = chosen[regular], matrices[regular], determinants[regular]
    inverses = np.rint(np.linalg.inv(matrices) * determinants[:, None, None]).astype(np.int64)
    signs = np.sign(determinants)
    return normals, inverses * signs[:, None, None], determinants * signs, chosen
