"""Designs without a difference set: the biplanes of 56 and 79, Hadamard designs, B(36, 15, 6).

Designs that were found by search, as blocks under a cyclic group of turns.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from hopscape.algebra.fields import galois_field, prime_power
from hopscape.core.arrays import IntArray

__all__ = [
    "SEARCHED",
    "biplane_56",
    "biplane_79",
    "hadamard_design",
    "hadamard_maker",
    "hadamard_matrix",
    "latin_square_design",
    "turned_design",
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
    hyperovals: list[int] = []

    def grow(chosen: list[int], closed: int) -> None:
        if len(chosen) == 6:
            hyperovals.append(sum(1 << p for p in chosen))
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
    return hyperovals


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


SEARCHED: dict[tuple[int, int, int], tuple[int, tuple[str, ...]]] = {
    (25, 9, 3): (
        3,
        (
            "0 1 2 4 11 12 14 17 19",
            "0 3 4 7 13 14 18 22 23",
            "0 4 8 9 12 16 20 21 22",
            "1 2 3 4 5 6 7 8 9",
            "1 2 7 15 16 18 19 21 22",
            "1 6 8 10 12 17 18 22 23",
            "2 5 6 11 14 20 21 22 23",
            "3 8 9 10 11 14 15 19 22",
            "5 6 9 12 13 14 16 18 19",
        ),
    ),
    (31, 10, 3): (
        3,
        (
            "0 1 4 6 11 18 19 21 23 29",
            "0 1 4 8 9 14 15 20 22 25",
            "0 1 9 10 11 13 16 17 27 30",
            "0 22 23 24 25 26 27 28 29 30",
            "1 2 5 6 10 15 18 24 25 27",
            "1 2 6 7 8 17 20 26 29 30",
            "1 2 8 10 12 13 19 22 23 28",
            "1 13 14 16 18 20 21 24 26 28",
            "4 5 7 10 13 14 18 22 29 30",
            "4 7 8 10 16 17 21 23 24 25",
            "4 7 10 11 15 19 20 26 27 28",
        ),
    ),
    (41, 16, 6): (
        5,
        (
            "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15",
            "0 1 7 10 13 14 16 22 25 28 29 31 37 38 39 40",
            "0 2 5 8 9 11 17 18 19 20 22 25 28 29 31 36",
            "0 3 4 6 12 15 16 22 25 28 29 32 33 34 35 36",
            "1 2 5 6 8 9 16 23 24 26 28 29 33 34 37 40",
            "1 3 4 11 12 15 17 20 23 24 26 28 29 31 38 39",
            "2 5 7 10 12 15 16 17 20 26 31 32 35 36 37 40",
            "3 4 8 9 13 14 17 20 22 23 24 25 32 35 37 40",
            "6 7 10 11 13 14 18 19 23 24 26 28 29 32 35 36",
        ),
    ),
    (49, 16, 5): (
        5,
        (
            "0 1 9 10 15 18 22 24 25 31 33 38 39 43 46 48",
            "0 2 4 6 15 16 19 22 28 30 31 34 37 39 44 45",
            "0 3 4 5 10 13 19 20 26 28 32 34 38 41 43 48",
            "0 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18",
            "1 2 4 6 9 13 18 19 23 24 26 35 36 40 43 44",
            "1 3 4 5 9 15 17 20 22 29 30 34 36 40 46 47",
            "1 4 5 6 7 8 24 25 26 27 28 29 30 31 32 33",
            "2 3 4 10 12 14 15 24 25 30 32 35 41 42 44 46",
            "2 9 10 11 12 13 19 20 21 22 23 29 30 31 32 33",
            "3 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28",
            "4 5 11 13 18 21 22 25 27 32 37 40 44 45 46 48",
            "4 6 11 17 18 20 23 25 29 30 38 39 41 42 43 45",
            "4 10 11 14 17 23 27 28 31 33 34 35 36 37 43 46",
        ),
    ),
    (66, 26, 10): (
        11,
        (
            "0 12 14 15 16 20 23 25 26 27 31 34 36 37 38 42 46 50 51 52 54 57 61 62 63 65",
            "1 3 4 5 9 11 23 25 26 27 31 35 39 40 41 43 45 47 48 49 53 57 61 62 63 65",
            "1 3 4 5 9 13 17 18 19 21 23 25 26 27 31 33 46 50 51 52 54 56 58 59 60 64",
            "2 6 7 8 10 12 14 15 16 20 23 25 26 27 31 35 39 40 41 43 44 56 58 59 60 64",
            "2 6 7 8 10 13 17 18 19 21 22 35 39 40 41 43 46 50 51 52 54 57 61 62 63 65",
            "2 6 7 8 10 13 17 18 19 21 23 25 26 27 31 34 36 37 38 42 45 47 48 49 53 55",
        ),
    ),
    (70, 24, 8): (
        7,
        (
            "0 1 2 4 7 8 9 11 21 24 26 27 29 31 37 41 46 47 49 53 56 57 63 65",
            "0 1 2 4 14 17 19 20 21 22 23 25 30 31 39 41 43 47 52 55 61 62 66 68",
            "0 1 2 12 13 17 20 24 28 32 33 36 43 46 48 54 56 58 59 60 62 63 65 66",
            "0 1 4 10 13 17 19 26 32 37 38 39 42 44 48 49 50 51 52 54 56 57 61 69",
            "0 1 8 10 12 14 15 16 21 24 28 37 39 40 42 44 45 47 48 55 58 63 67 68",
            "0 2 4 10 12 19 20 27 29 30 33 35 36 38 44 49 53 55 59 63 64 67 68 69",
            "0 2 9 10 13 14 16 18 21 27 28 31 32 33 34 35 43 45 46 49 50 52 61 67",
            "0 3 7 8 9 14 17 18 22 24 30 32 33 36 37 38 39 41 45 53 58 59 61 69",
            "0 7 8 9 11 14 17 19 20 22 23 25 28 35 42 49 50 51 56 58 60 63 64 67",
            "7 14 21 24 26 27 28 31 33 35 38 41 42 47 48 51 52 54 59 60 62 64 68 69",
        ),
    ),
    (71, 15, 3): (
        7,
        (
            "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14",
            "0 1 8 16 17 19 32 34 39 42 48 49 54 58 66",
            "0 1 8 23 24 26 29 36 43 50 52 57 61 64 65",
            "1 2 11 15 24 28 36 41 45 46 47 49 56 60 66",
            "1 2 11 17 21 22 31 38 43 58 63 65 68 69 70",
            "1 3 14 15 26 27 30 33 34 35 43 46 54 62 70",
            "1 3 14 19 20 22 29 40 47 51 52 53 55 66 69",
            "1 4 9 18 26 28 31 32 37 40 41 42 51 61 70",
            "1 4 9 19 21 25 33 39 47 50 56 57 59 62 63",
            "8 9 11 15 16 18 22 23 25 34 40 45 52 62 68",
            "8 9 11 29 33 37 38 46 48 51 54 59 60 64 69",
        ),
    ),
    (71, 21, 6): (
        7,
        (
            "0 1 2 10 12 16 20 24 27 35 36 37 38 44 47 58 60 62 63 69 70",
            "0 1 3 9 12 17 18 25 26 30 31 41 43 45 47 53 55 66 67 69 70",
            "0 1 4 12 13 15 17 24 26 29 32 33 36 41 49 50 51 52 56 59 63",
            "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21",
            "1 2 3 5 8 15 29 32 34 36 39 42 43 48 49 54 55 58 60 66 70",
            "1 2 4 17 19 20 22 23 25 34 40 45 50 51 54 58 59 60 64 67 69",
            "1 2 8 10 14 18 23 26 28 37 40 45 47 48 49 50 52 56 61 62 66",
            "1 3 8 12 13 21 23 24 27 30 32 33 34 44 45 54 57 61 62 65 67",
            "1 4 11 12 14 16 22 27 28 29 34 38 40 41 42 52 55 61 67 68 70",
            "1 8 15 18 20 21 25 27 28 29 31 35 36 40 41 43 44 46 50 57 64",
            "8 9 13 15 16 20 31 32 38 40 45 49 51 53 56 57 60 61 68 69 70",
        ),
    ),
    (78, 22, 6): (
        13,
        (
            "0 2 5 6 7 8 11 14 16 22 27 29 35 41 44 45 54 57 58 67 70 71",
            "4 10 12 14 16 22 30 36 38 41 44 45 52 53 55 56 61 62 64 72 73 76",
            "4 10 12 17 23 25 27 29 35 41 44 45 59 60 63 65 66 68 69 74 75 77",
            "7 8 11 13 14 16 17 22 23 25 28 31 32 43 49 51 53 55 61 69 75 77",
            "7 8 11 15 18 19 26 27 29 30 35 36 38 43 49 51 56 62 64 66 68 74",
            "7 8 11 20 21 24 33 34 37 39 41 44 45 46 47 50 53 55 61 66 68 74",
        ),
    ),
}
"""By (N, m, σ): the order p of the group, and one block of each of its orbits."""


def turned_design(n: int, m: int, sigma: int) -> IntArray:
    """All blocks of a design of :data:`SEARCHED`.

    The first N mod p points stay; the others are turned round in cycles of p, point f + pj + x to
    f + pj + (x + 1 mod p). The blocks were found by prescribing these turns, in most cases also a
    multiplier x → ax of all cycles at once, listing all blocks that meet their own images in σ
    points, and looking for a clique of blocks that meet all images of each other in σ points (the
    method of tactical decompositions of Janko and Tran van Trung, 1985).

    Four have an automorphism of order 3 besides that also permutes cycles. B(70, 24, 8),
    B(71, 15, 3) and B(71, 21, 6): x → 2x, the first four cycles stay, the others are exchanged by
    threes (a Frobenius group of order 21). B(49, 16, 5): x stays, points 1, 2, 3 and all cycles are
    exchanged by threes (a cyclic group of order 15, as in Brouwer and Wilbrink, 1984).

    Examples:
        >>> turned_design(25, 9, 3).shape
        (25, 9)
    """
    period, bases = SEARCHED[n, m, sigma]
    still = n % period
    base = np.array([line.split() for line in bases], dtype=np.int64)
    cycle, place = np.divmod(base - still, period)
    turns = np.arange(period)[:, None, None]
    moved = still + cycle * period + (place + turns) % period
    blocks = np.sort(np.where(base < still, base, moved).reshape(-1, m), axis=1)
    return np.unique(blocks, axis=0)
