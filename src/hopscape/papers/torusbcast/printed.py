"""What the torus paper prints: matrices, digits, words and formulas, as data."""

from __future__ import annotations

from fractions import Fraction

__all__ = [
    "DIGITS_3D",
    "EXAMPLE",
    "MATRICES",
    "RATIO_3D",
    "RATIO_ELEVEN",
    "WORDS_2D",
    "WORDS_3D",
    "length_2d",
    "round_length_2d",
    "unit_3d",
]

MATRICES: dict[int, tuple[tuple[int, ...], ...]] = {
    2: ((2, 1), (1, -2)),
    3: ((-1, 1, -1), (-2, -1, 0), (1, 1, 2)),
}
"""B in two and in three dimensions (example 3, section 4)."""

DIGITS_3D = (
    (0, 0, 0),
    (1, 1, 0),
    (1, -1, 0),
    (-1, 1, 0),
    (-1, -1, 0),
    (0, 0, 1),
    (0, 0, -1),
)
"""The digits of section 4 taken literally: 0, ±e_1 ±e_2, ±e_3 (a comma is missing)."""

EXAMPLE: tuple[str, tuple[tuple[int, int], ...]] = (
    "YXXy",
    ((0, 0), (0, 1), (1, 1), (2, 1), (2, 0)),
)
"""The path that explains the notation (section 3.1); a small letter is a step down."""

WORDS_2D: dict[int, tuple[str, ...]] = {
    1: ("XXY", "xxy", "YYx", "yyX"),
    0: ("X", "x", "Y", "y"),
}
"""Words of u = 1 by r mod 2 (section 3.1)."""

WORDS_3D: dict[int, tuple[str, ...]] = {
    2: ("YxYYxYz", "yXyyXyZ", "xxyZZx", "XXYzzX", "ZZxYYZ", "zzXyyz"),
    1: ("yZxy", "YzXY", "XyZ", "xYz", "ZxZ", "zXz"),
    0: ("X", "x", "Y", "y", "Z", "z"),
}
"""Words of u = 1 by the printed case r mod 3 (section 4)."""

RATIO_3D = Fraction(4, 3)
"""Longest path over diameter in three dimensions."""

RATIO_ELEVEN = Fraction(11, 9)
"""The same with digits that change by round."""


def unit_3d(m: int, r: int) -> float:
    """The printed unit u of round r in three dimensions: 7^((m - i)/3), r = i mod 3."""
    return float(7 ** ((m - r % 3) / 3))


def length_2d(m: int) -> int:
    """The printed closed form of the longest path in two dimensions (section 3.2)."""
    return 5 ** (m - 1) - 1


def round_length_2d(m: int, r: int) -> int:
    """The printed length of the paths of round r in two dimensions (section 3.2)."""
    return 3 * 5 ** ((2 * m - r - 1) // 2) if r % 2 else 5 ** ((2 * m - r) // 2)
