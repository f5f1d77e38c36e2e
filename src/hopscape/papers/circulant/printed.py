"""The paper's formulas, table and routing algorithm, as printed.

What the checks measure with: breadth-first search on numbers, and over the wires built.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hopscape.algebra.reduction import Vector
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distances_from
from hopscape.core.network import Network
from hopscape.families.circulant.wiring import Circulant

__all__ = [
    "BALLS",
    "LARGEST",
    "SETS_5",
    "SETS_17",
    "SETS_18",
    "TABLE",
    "THEOREM_1",
    "diameter",
    "distances",
    "in_d",
    "order_15",
    "polynomial",
    "printed_distance",
    "printed_vector",
    "shown",
    "split_16",
    "wired",
]

# polynomials, the constant first: N(d, n) for n = 1, 2, 3, three times the last one
BALLS = ((1, 2), (1, 2, 2), (3, 8, 6, 4))

# polynomials in k = ⌊d/3⌋ by d mod 3
THEOREM_1 = ((1, 6, 16, 32), (5, 26, 48, 32), (21, 70, 80, 32))
LARGEST = ((1, 6, 16, 32), (7, 30, 48, 32), (21, 70, 80, 32))
SETS_5 = {
    (0, "5"): ((1, 4), (1, 4, 16)),
    (1, "5+"): ((3, 4), (7, 20, 16)),
    (1, "5-"): ((1, 4), (3, 12, 16)),
    (2, "5"): ((3, 4), (13, 28, 16)),
}
SETS_17 = (((0, 2, 8), (2, 6, 8)), ((2, 6, 8), (4, 10, 8)), ((4, 10, 8), (6, 14, 8)))
SETS_18 = (((0, 0, 4, 16), (0, 4, 4, 16)), None, ((5, 26, 36, 16), (9, 30, 36, 16)))

TABLE = {
    1: (7, (2, 4), None, None),
    2: (21, (4, 6), (3, 8), (5, 9)),
    3: (55, (10, 16), (5, 21), (20, 24)),
    4: (117, (16, 22), None, None),
    5: (203, (22, 28), (7, 57), (83, 91)),
    6: (333, (36, 46), (9, 73), (144, 152)),
    7: (515, (46, 56), None, None),
    8: (737, (56, 66), (11, 133), (329, 341)),
    9: (1027, (78, 92), (13, 157), (468, 480)),
    10: (1393, (92, 106), None, None),
    11: (1815, (106, 120), (15, 241), (839, 855)),
    12: (2329, (136, 154), (17, 273), (1088, 1104)),
    13: (2943, (154, 172), None, None),
    14: (3629, (172, 190), (19, 381), (1709, 1729)),
    15: (4431, (210, 232), (21, 421), (2100, 2120)),
    16: (5357, (232, 254), None, None),
    17: (6371, (254, 276), (23, 553), (3035, 3059)),
    18: (7525, (300, 326), (25, 601), (3600, 3624)),
}


def order_15(d: int, p: int) -> int:
    """Twice the order by (15)."""
    odd = p % 2
    return 2 * p**3 - (8 * d + 1) * p**2 + 8 * d**2 * p + 4 * d**2 + 4 * d + 2 - odd


def split_16(d: int) -> tuple[int, ...]:
    """The values of p3 by (16) that make (15) largest."""
    k, rest = divmod(d, 3)
    return {0: (2 * k,), 1: (2 * k, 2 * k + 1), 2: (2 * k + 1,)}[rest]


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

    Examples:
        >>> printed_distance(4, 100)
        4
    """
    i, j, _, k, _ = _places(p, v)
    return 2 * p - i - j + abs(k) if _is_far(p, i, j, k) else p + 1 + i + j - abs(k)


def printed_vector(p: int, v: int) -> Vector:
    """The O(1) algorithm for a path vector from node 0 to node v of family (19), even p.

    Examples:
        >>> printed_vector(4, 100)
        (0, 3, 1)
    """
    i, j, e, k, mirrored = _places(p, v)
    if _is_far(p, i, j, k):
        return (-k, p - j, i - p) if mirrored else (k, j - p, i - p)
    low = 2 * (i + j) < p and k <= 0
    middle = p <= 2 * (i + j) <= 3 * p and 2 * k < p - 2 * (i + j)
    vector = (e, j, i) if low or middle else (e - (2 * p + 1), j + 1, i)
    return (-vector[0], 1 - vector[1], vector[2] + 1) if mirrored else vector


def distances(nodes: int, generators: Sequence[int]) -> IntArray:
    """From node 0, by breadth-first search on the numbers alone; -1 where there is no path."""
    steps = np.asarray([t for s in generators for t in (s, -s)], dtype=np.int64)
    hops = np.full(nodes, -1)
    hops[0] = 0
    fresh, level = np.zeros(1, dtype=np.int64), 0
    while len(fresh):
        level += 1
        reached = np.unique((fresh[:, None] + steps) % nodes)
        fresh = reached[hops[reached] < 0]
        hops[fresh] = level
    return hops


def diameter(nodes: int, generators: Sequence[int]) -> int:
    """By :func:`distances`; -1 when not connected."""
    hops = distances(nodes, generators)
    return int(hops.max()) if hops.min() >= 0 else -1


def wired(family: Circulant) -> IntArray:
    """Distances from node 0 over the wires of the network that the family builds."""
    return distances_from(Network.of(family), 0)


def polynomial(coefficients: Sequence[int], x: int) -> int:
    """The constant comes first."""
    return sum(c * x**i for i, c in enumerate(coefficients))


def in_d(table: Sequence[Sequence[int]], d: int) -> int:
    """A polynomial in ⌊d/3⌋ chosen by d mod 3."""
    return polynomial(table[d % 3], d // 3)


def shown(nodes: int, generators: Sequence[int]) -> str:
    """As the paper writes a circulant."""
    return f"({nodes}; {', '.join(map(str, generators))})"
