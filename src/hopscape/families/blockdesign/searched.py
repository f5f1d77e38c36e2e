"""Designs that were found by search, as blocks under a cyclic group of turns."""

from __future__ import annotations

import numpy as np

from hopscape.core.addresses import IntArray

__all__ = ["SEARCHED", "turned_design"]

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

    Examples
    --------
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
