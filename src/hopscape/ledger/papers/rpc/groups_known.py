"""The best groups of RPC, RP and large tori in closed form, and what the paper prints.

`hopscape groups` searches; these formulas reach as far as the paper does (3136 nodes). The tests
compare them with the search wherever that runs to its end.
"""

from __future__ import annotations

import math

__all__ = [
    "largest_rpc_group",
    "printed_rp_group",
    "printed_rpc_group",
    "printed_torus_group",
    "rp_group",
    "rpc_group",
    "torus_group",
]

_USUAL = (1, 3, 6, 12, 18)
_SMALL_RINGS = {
    1: (1, 3, 4, 6, 8),
    2: (1, 3, 6, 9, 12),
    3: (1, 3, 9, 12, 18),
    5: (1, 3, 6, 15, 21),
    7: (1, 3, 6, 12, 21),
}


def largest_rpc_group(t: int, k: int) -> int:
    """The most nodes of RPC(k) that are pairwise at distance t or less.

    Examples:
        >>> [largest_rpc_group(t, 8) for t in range(8)]
        [1, 3, 6, 12, 18, 30, 60, 90]
    """
    if t >= k // 2 + 5:
        return 30 * k
    if t <= 4:
        return _SMALL_RINGS.get(k, _USUAL)[t]
    return 30 * (t - 4)


def rpc_group(m: int, k: int) -> int:
    """The smallest diameter of a group of m nodes of RPC(k)."""
    return next(t for t in range(k // 2 + 6) if largest_rpc_group(t, k) >= m)


def rp_group(m: int, k: int) -> int:
    """The smallest diameter of a group of m nodes of RP(k)."""
    if m <= 2 or (m == 3 and k == 3):
        return min(m - 1, 1)
    return min(2 + (m - 1) // 10, k // 2 + 2)


def torus_group(m: int) -> int:
    """The smallest diameter of a group of m nodes of a large 2-D torus: diamonds.

    Examples:
        >>> [torus_group(m) for m in (1, 2, 3, 5, 6, 8, 9, 13)]
        [0, 1, 2, 2, 3, 3, 4, 4]
    """
    t = 0
    while ((t + 1) ** 2 // 2 if t % 2 else t * t // 2 + t + 1) < m:
        t += 1
    return t


def printed_rpc_group(m: int) -> int:
    """Equation (1) as printed."""
    for t, most in enumerate((1, 3, 6, 12, 20)):
        if m <= most:
            return t
    return 5 + (m - 1) // 30


def printed_rp_group(m: int) -> int:
    """Equation (2) as printed."""
    return m - 1 if m <= 2 else 2 + (m - 1) // 10


def printed_torus_group(m: int) -> float:
    """Equation (3) as printed."""
    return 2 * (math.sqrt(m) - 1)
