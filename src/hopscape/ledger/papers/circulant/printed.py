"""The paper's own distance formula and path vectors for family (19), as printed."""

from __future__ import annotations

from hopscape.families.circulant.reduction import Vector

__all__ = ["printed_distance", "printed_vector"]


def _places(p: int, v: int) -> tuple[int, int, int, int, bool]:
    r, s2, s3 = 2 * p * p + 2 * p + 1, 2 * p + 1, 4 * p * p + 2 * p + 1
    i, delta = divmod(v, s3)
    mirrored = delta > r
    if mirrored:
        delta = 2 * r - delta
    j, e = divmod(delta, s2)
    return i, j, e, e - p - 1, mirrored


def _is_far(p: int, i: int, j: int, k: int) -> bool:
    between = p <= 2 * (i + j) <= 3 * p
    return (between and 2 * abs(k) <= 2 * (i + j) - p) or 2 * (i + j) > 3 * p


def printed_distance(p: int, v: int) -> int:
    """Theorem 3: the distance from node 0 to node v of family (19), even p.

    Examples
    --------
    >>> printed_distance(4, 100)
    4
    """
    i, j, _, k, _ = _places(p, v)
    return 2 * p - i - j + abs(k) if _is_far(p, i, j, k) else p + 1 + i + j - abs(k)


def printed_vector(p: int, v: int) -> Vector:
    """The O(1) algorithm for a path vector from node 0 to node v of family (19), even p.

    Examples
    --------
    >>> printed_vector(4, 100)
    (0, 3, 1)
    """
    i, j, e, k, mirrored = _places(p, v)
    if _is_far(p, i, j, k):
        return (-k, p - j, i - p) if mirrored else (k, j - p, i - p)
    low = 2 * (i + j) < p and k <= 0
    middle = p <= 2 * (i + j) <= 3 * p and 2 * k < p - 2 * (i + j)
    found = (e, j, i) if low or middle else (e - (2 * p + 1), j + 1, i)
    return (-found[0], 1 - found[1], found[2] + 1) if mirrored else found
