"""How many nodes a circulant can have, and how small its diameter can be: exact integers."""

from __future__ import annotations

import math
from fractions import Fraction

from hopscape.core.errors import ArgumentError

__all__ = ["ball", "least_mean", "max_order", "nearest_double_loop", "ulb"]


def ball(d: int, n: int) -> int:
    """N(d, n): points of Z^n with at most `d` steps from the origin.

    No circulant with n generators and diameter d has more nodes.

    Args:
        d: Radius, at least 0.
        n: Dimension, at least 0.

    Examples:
        >>> ball(3, 3), ball(18, 3), ball(10**6, 2)
        (63, 8473, 2000002000001)
    """
    _require("d", d, 0)
    _require("n", n, 0)
    few = min(d, n)
    return sum(math.comb(n, i) * math.comb(d, i) << i for i in range(few + 1))


def ulb(nodes: int, n: int) -> int:
    """The least diameter that the ball allows: the smallest d with ``ball(d, n) >= nodes``.

    Examples:
        >>> ulb(7525, 3), ulb(21, 3), ulb(13, 2), ulb(14, 2)
        (18, 2, 2, 3)
    """
    _require("nodes", nodes, 1)
    _require("n", n, 1)
    high = 1
    while ball(high, n) < nodes:
        high *= 2
    low = -1  # ball(low) < nodes <= ball(high)
    while high - low > 1:
        middle = (low + high) // 2
        if middle >= 0 and ball(middle, n) >= nodes:
            high = middle
        else:
            low = middle
    return high


def max_order(d: int, n: int) -> int:
    """M(d, n): the most nodes that a ring circulant of diameter d with n generators has.

    Known in closed form for up to three generators, and for d <= 1. For three it is the paper's
    Theorem 2, whose proof is not complete; exhaustive search agrees as far as it went (d = 12).

    Raises:
        ArgumentError: Where no closed form is known; ``hopscape search circulant --diameter``
            searches.

    Examples:
        >>> [max_order(d, 3) for d in (1, 2, 3, 4, 18)]
        [7, 21, 55, 117, 7525]
        >>> max_order(60, 2)
        7321
    """
    _require("d", d, 0)
    _require("n", n, 1)
    if n <= 2 or d <= 1:
        return ball(d, n)
    if n > 3:
        raise ArgumentError(
            f"no closed form is known for the largest order with n = {n} generators and"
            f" diameter {d}; 'hopscape search circulant --diameter {d} --generators {n}' searches"
        )
    k, rest = divmod(d, 3)
    if rest == 0:
        return 32 * k**3 + 16 * k**2 + 6 * k + 1
    if rest == 1:
        return 32 * k**3 + 48 * k**2 + 30 * k + 7
    return 32 * k**3 + 80 * k**2 + 70 * k + 21


def least_mean(nodes: int, n: int) -> Fraction:
    """The least mean distance that the ball allows: as many nodes as possible as near as possible.

    Examples:
        >>> least_mean(13, 2), least_mean(2, 1)
        (Fraction(5, 3), Fraction(1, 1))
    """
    _require("nodes", nodes, 2)
    radius = ulb(nodes, n)
    # each node counts once for every shell below it, and ball(r) = Σ C(n, i) C(r, i) 2^i
    balls = sum(math.comb(n, i) * math.comb(radius, i + 1) * 2**i for i in range(n + 1))
    return Fraction(radius * nodes - balls, nodes - 1)


def _require(name: str, value: int, low: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise ArgumentError(f"{name} is {value!r}; it must be an integer of at least {low}")


def nearest_double_loop(nodes: int) -> int:
    """The s of (N; s, s+1), which has the least diameter and mean with two generators.

    Examples:
        >>> [nearest_double_loop(nodes) for nodes in (5, 13, 25, 100)]
        [1, 2, 3, 7]
    """
    return math.isqrt(2 * nodes - 1) // 2
