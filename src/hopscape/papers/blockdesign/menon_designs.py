"""Menon designs B(4u², 2u² - u, u² - u) from regular Hadamard matrices; Higman's B(176, 50, 14).

A Hadamard matrix of order 4u² whose rows and columns all have the sum 2u is such a design: the
places of -1 in its rows are the blocks. Products of two of them, for u and v, are one for 2uv.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.papers.blockdesign.known_designs import latin_square_design

__all__ = ["higman_design", "menon_design", "menon_how", "regular_hadamard"]

_WILLIAMSON_5 = (
    (1, 2, 3, 6, 8, 17, 19, 22, 23, 24),
    (1, 5, 7, 8, 12, 13, 17, 18, 20, 24),
    (1, 6, 7, 9, 10, 15, 16, 18, 19, 24),
    (4, 6, 7, 8, 11, 14, 17, 18, 19, 21),
)
"""Places of -1 in the first rows of four symmetric circulants of order 25 with row sums 5, found by
search among all such sets: every difference occurs 15 times in all four together."""


def _williamson() -> IntArray:
    """Order 100: Williamson's array, the first circulant and three rows of it negated."""
    turn = (np.arange(25)[None, :] - np.arange(25)[:, None]) % 25
    a, b, c, d = (1 - 2 * np.isin(turn, places).astype(np.int64) for places in _WILLIAMSON_5)
    return np.block([[-a, b, c, d], [b, a, d, -c], [c, -d, a, b], [d, c, -b, a]])


def _latin() -> IntArray:
    out = np.ones((36, 36), dtype=np.int64)
    np.put_along_axis(out, latin_square_design(), -1, axis=1)
    return out


_MAKERS: dict[int, tuple[str, Callable[[], IntArray]]] = {
    1: ("order 4", lambda: 1 - 2 * np.eye(4, dtype=np.int64)),
    3: ("order 36", _latin),
    5: ("Williamson's array of order 100", _williamson),
}


def _factors(half: int) -> tuple[int, ...] | None:
    """Members of the table whose product of matrices has the row sum 2·half."""
    if half in _MAKERS:
        return (half,)
    for first in _MAKERS:
        if half % (2 * first) == 0:
            rest = _factors(half // (2 * first))
            if rest is not None:
                return (first, *rest)
    return None


def regular_hadamard(half: int) -> IntArray | None:
    """A Hadamard matrix of order 4·half² whose rows and columns have the sum 2·half, or None.

    Examples:
        >>> h = regular_hadamard(10)
        >>> h.shape, set(h.sum(axis=0).tolist()), bool((h @ h.T == 400 * np.eye(400)).all())
        ((400, 400), {20}, True)
        >>> regular_hadamard(7) is None
        True
    """
    factors = _factors(half)
    if factors is None:
        return None
    out = np.ones((1, 1), dtype=np.int64)
    for one in factors:
        out = np.kron(out, _MAKERS[one][1]())
    return out


def menon_how(half: int) -> str | None:
    """How :func:`menon_design` makes the design, in words; None where it has no way."""
    factors = _factors(half)
    if factors is None:
        return None
    names = " by ".join(_MAKERS[one][0] for one in factors)
    return f"regular Hadamard matrix: {names}"


def menon_design(half: int) -> IntArray:
    """B(4u², 2u² - u, u² - u) for a u that :func:`menon_how` knows."""
    matrix = regular_hadamard(half)
    assert matrix is not None
    return np.nonzero(matrix < 0)[1].reshape(len(matrix), -1)


_GOLAY = 0b110001110101  # generates the binary Golay code of length 23


def higman_design() -> IntArray:
    """B(176, 50, 14) of G. Higman (1969), by the octads of the Steiner system S(5, 8, 24).

    Points are the octads with the first and without the second of two elements, blocks those with
    the second and without the first; they are incident when they share 0 or 4 elements. Octads are
    the words of weight 8 of the extended Golay code.
    """
    words = [0]
    for shift in range(12):
        word = _GOLAY << shift
        words += [other ^ word for other in words]
    extended = [word << 1 | word.bit_count() & 1 for word in words]
    octads = [word for word in extended if word.bit_count() == 8]
    points = np.asarray([word for word in octads if word & 3 == 1])
    blocks = np.asarray([word for word in octads if word & 3 == 2])
    shared = np.bitwise_count(blocks[:, None] & points[None, :])
    return np.nonzero((shared == 0) | (shared == 4))[1].reshape(len(blocks), -1)
