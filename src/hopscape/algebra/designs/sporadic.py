"""Designs without a difference set: the biplanes of 56 and 79, Hadamard designs, B(36, 15, 6)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from hopscape.algebra.fields import galois_field, prime_power
from hopscape.core.arrays import IntArray

__all__ = [
    "biplane_56",
    "biplane_79",
    "hadamard_design",
    "hadamard_maker",
    "hadamard_matrix",
    "latin_square_design",
]


def biplane_56() -> IntArray:
    """B(56, 11, 2): closed neighbourhoods of the Gewirtz graph.

    Its vertices are a class of 56 hyperovals of the projective plane of order 4 that meet each
    other in an even number of points; two are neighbours when they are disjoint.
    """
    field = galois_field(4)
    points = [(1, y, z) for y in range(4) for z in range(4)]
    points += [(0, 1, z) for z in range(4)] + [(0, 0, 1)]
    array = np.asarray(points)
    dots = np.zeros((21, 21), dtype=np.int64)
    for i in range(3):
        dots = field.add(dots, field.multiply(array[:, None, i], array[None, :, i]))
    lines = [int(sum(1 << int(p) for p in np.nonzero(row == 0)[0])) for row in dots]
    ovals = _hyperovals(lines)
    first = ovals[0]
    family = [oval for oval in ovals if (oval & first).bit_count() % 2 == 0]
    return np.asarray(
        [
            [j for j, other in enumerate(family) if other == oval or not oval & other]
            for oval in family
        ]
    )


def _hyperovals(lines: list[int]) -> list[int]:
    """All sets of six points, no three on a line, as bit masks."""
    through = {
        (p, q): next(line for line in lines if line >> p & 1 and line >> q & 1)
        for p, q in combinations(range(21), 2)
    }
    found: list[int] = []

    def grow(chosen: list[int], closed: int) -> None:
        if len(chosen) == 6:
            found.append(sum(1 << p for p in chosen))
            return
        start = chosen[-1] + 1 if chosen else 0
        for p in range(start, 21):
            if closed >> p & 1:
                continue
            shut = closed
            for q in chosen:
                shut |= through[q, p]
            grow([*chosen, p], shut)

    grow([], 0)
    return found


_FIXED_79 = (0, 2, 13, 25, 31, 38, 45, 54, 55, 59, 62, 72, 74)
_SECOND_79 = (1, 2, 13, 26, 32, 37, 41, 52, 53, 64, 67, 76, 78)
_MOVED_79 = (2, 8, 15, 17, 24, 25, 27, 28, 35, 49, 53, 70, 75)


def biplane_79() -> IntArray:
    """B(79, 13, 2), from three blocks and a group of order 55.

    Points 0 and 1 stay; point 2 + 11k + x is x of the k-th of seven copies of Z11. The group is
    x → x + 1 on all copies, and x → 3x, which also moves the last five copies round. The three
    blocks were found by search: orbit sizes force the counts (2, 2 | 4, 1, 2, 0, 2), and then the
    correlations of the parts leave few sets.
    """
    blocks = [
        [0, 1, *range(2, 13)],
        [0, 1, *range(13, 24)],
    ]
    blocks += [_turn_79(_FIXED_79, t) for t in range(11)]
    blocks += [_turn_79(_SECOND_79, t) for t in range(11)]
    moved = list(_MOVED_79)
    for _ in range(5):
        blocks += [_turn_79(moved, t) for t in range(11)]
        moved = [_triple_79(x) for x in moved]
    return np.sort(np.asarray(blocks), axis=1)


def _turn_79(block: tuple[int, ...] | list[int], t: int) -> list[int]:
    return [x if x < 2 else 2 + (x - 2) // 11 * 11 + ((x - 2) % 11 + t) % 11 for x in block]


def _triple_79(x: int) -> int:
    if x < 2:
        return x
    copy, value = divmod(x - 2, 11)
    if copy >= 2:
        copy = 2 + (copy - 1) % 5
    return 2 + 11 * copy + 3 * value % 11


def latin_square_design() -> IntArray:
    """B(36, 15, 6): cells of a Latin square of order 6 that share row, column or symbol."""
    cells = [(r, c, (r + c) % 6) for r in range(6) for c in range(6)]
    return np.asarray(
        [
            [j for j, y in enumerate(cells) if y != x and any(a == b for a, b in zip(x, y))]
            for x in cells
        ]
    )


def hadamard_matrix(order: int) -> IntArray | None:
    """A matrix of ±1 with orthogonal rows by Paley, doubling and products, or None.

    Examples:
        >>> h = hadamard_matrix(12)
        >>> bool((h @ h.T == 12 * np.eye(12)).all())
        True
        >>> hadamard_matrix(92) is None
        True
    """
    make = hadamard_maker(order)
    return None if make is None else make()


def hadamard_maker(order: int) -> Callable[[], IntArray] | None:
    """What makes a Hadamard matrix of this order when it is called, or None."""
    if order in (1, 2):
        return lambda: np.array([[1]]) if order == 1 else np.array([[1, 1], [1, -1]])
    if order % 4:
        return None
    if prime_power(order - 1) is not None:
        return lambda: _paley_1(order - 1)
    half = order // 2 - 1
    if half % 4 == 1 and prime_power(half) is not None:
        return lambda: _paley_2(half)
    for left in range(2, int(order**0.5) + 1):
        if order % left == 0:
            first, second = hadamard_maker(left), hadamard_maker(order // left)
            if first is not None and second is not None:
                return lambda one=first, other=second: np.kron(one(), other())  # type: ignore[misc]
    return None


def _paley_1(q: int) -> IntArray:
    out = np.ones((q + 1, q + 1), dtype=np.int64)
    out[1:, 1:] = _jacobsthal(q) + np.eye(q, dtype=np.int64)
    out[1:, 0] = -1
    return out


def _paley_2(q: int) -> IntArray:
    conference = np.ones((q + 1, q + 1), dtype=np.int64)
    conference[0, 0] = 0
    conference[1:, 1:] = _jacobsthal(q)
    same, none = np.array([[1, 1], [1, -1]]), np.array([[1, -1], [-1, -1]])
    return np.kron(conference, same) + np.kron(np.eye(q + 1, dtype=np.int64), none)


def _jacobsthal(q: int) -> IntArray:
    """The quadratic character of x - y, for all x and y of GF(q)."""
    field = galois_field(q)
    sign = np.where(field.log % 2 == 0, 1, -1)
    sign[0] = 0
    every = np.arange(q)
    return np.asarray(sign[field.subtract(every[:, None], every[None, :])])


def hadamard_design(points: int) -> IntArray | None:
    """B(4n - 1, 2n - 1, n - 1) from a Hadamard matrix of order 4n = points + 1, or None."""
    matrix = hadamard_matrix(points + 1)
    if matrix is None or points < 3:
        return None
    matrix = matrix * matrix[0][None, :]
    matrix = matrix * matrix[:, 0][:, None]
    core = matrix[1:, 1:]
    return np.asarray([np.nonzero(row > 0)[0] for row in core])
