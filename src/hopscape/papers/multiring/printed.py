"""What the paper prints, as it is printed (chapters 1, 2, 3, 7 and 8)."""

from __future__ import annotations

from fractions import Fraction

__all__: list[str] = []


def ring_starts(n: int, step: int) -> list[int]:
    """First nodes of the mini-rings of a step: 0..S-1."""
    return list(range(step))


ROUTES_SUMMED = "n-1"
SIMPLEX_CAPACITY = 2
DUPLEX_CAPACITY = 8
EACH_OF_A_PAIR = 4
OTHER_RINGS = 1
"""Capacity of a ring whose packets are not taken off by their receivers, at most."""

EXAMPLE = (16, (1, 3))
TABLE_2_1 = {
    1: "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15",
    3: "3 6 9 12 15 2 5 8 11 14 1 4 7 10 13",
    -3: "13 10 7 4 1 14 11 8 5 2 15 12 9 6 3",
    -1: "15 14 13 12 11 10 9 8 7 6 5 4 3 2 1",
}
"""Nodes in the order of each ring, from node 0 on."""
WEIGHTED_2_1 = {1: "1 2 2 5 2", 3: "1 2 3 2 2", -3: "1 2 3 2 2", -1: "1 2 2 5 2"}
"""Weighted lengths beside them."""
TABLE_2_2 = {
    1: "1 1 0 1/2 1 0 0 1/4 0 0 0 0 0 0 0",
    3: "0 0 1 0 0 1 0 1/4 1 0 0 1/2 0 0 0",
    -3: "0 0 0 1/2 0 0 1 1/4 0 1 0 0 1 0 0",
    -1: "0 0 0 0 0 0 0 1/4 0 0 1 1/2 0 1 1",
}
SHORTEST_EXAMPLE = Fraction(20)
TABLE_2_3 = {
    1: "1 1 0 1/2 1 0 0 1/8 0 0 0 0 0 0 0",
    3: "0 0 1 0 0 1 0 3/8 1 0 0 1/2 0 0 0",
    -3: "0 0 0 1/2 0 0 1 3/8 0 1 0 0 1 0 0",
    -1: "0 0 0 0 0 0 0 1/8 0 0 1 1/2 0 1 1",
}
BALANCED_EXAMPLE = Fraction(218, 10)

LARGEST_ORDER = 124
TABLE_2_4 = {
    (16, 4): (1, 3),
    (16, 6): (1, 2, 3),
    (32, 6): (1, 2, 3),
    (32, 8): (1, 2, 3, 7),
    (64, 8): (1, 2, 3, 7),
    (64, 10): (1, 2, 3, 5, 7),
    (128, 10): (1, 2, 3, 5, 7),
    (128, 12): (1, 2, 3, 5, 7, 9),
}
BAND = (Fraction(1, 2), Fraction(2))


def cable_sum(n: int) -> int:
    """E(n) = 4 + Σ 2(2i - 1), i = 1..n/2 - 1."""
    return 4 + sum(2 * (2 * i - 1) for i in range(1, n // 2))


def cable_closed(n: int) -> Fraction:
    """n²/2 - 4n."""
    return Fraction(n * n, 2) - 4 * n


WAIT_AT_REST = {"segmented": Fraction(1, 2), "register insertion": Fraction(0)}
WAIT_AT_HALF = {"segmented": Fraction(5, 2), "register insertion": Fraction(2)}
"""F(c/2) in T = F/(c - s)."""

GEMINI = {"z": (16, 2), "x": (32, 4), "y": (32, 4)}
"""Nodes and identical duplex rings of each dimension."""
GEMINI_NODES, GEMINI_PORTS = 16 * 1024, 20
GEMINI_Z = Fraction(15)
GEMINI_X = Fraction(305, 10)
X_STEPS = (1, 2, 3, 7)
X_SHORTEST = 58
X_BALANCED = {32: 65, 37: 66, 64: 66, 67: 65}
GAIN_Z, GAIN_X = Fraction(3, 2), 2
PRIMES = (37, 67)
GAIN_CAPACITIES = (64, 31)
GAINS = {Fraction(1, 2): 3, Fraction(4, 5): 6}
"""How many times the delay falls, above these shares of the capacity."""


def gain_approximation(s: int) -> Fraction:
    """(64 - s)/(31 - s) is about 1 + 1/(31 - s)."""
    return 1 + Fraction(1, GAIN_CAPACITIES[1] - s)


CABLE_RATIO = Fraction(13, 4)

TABLE_7_2 = """
1 13 11 5 14 26 24 18 27 39 50 44 | 2 1 12 6 15 14 25 19 28 27 51 45
3 2 13 7 16 15 26 20 29 28 52 46 | 4 3 1 8 17 16 14 21 30 29 40 47
5 4 2 9 18 17 15 22 31 30 41 48 | 6 5 3 10 19 18 16 23 32 31 42 49
7 6 4 11 20 19 17 24 33 32 43 50 | 8 7 5 12 21 20 18 25 34 33 44 51
9 8 6 13 22 21 19 26 35 34 45 52 | 10 9 7 1 23 22 20 14 36 35 46 40
11 10 8 2 24 23 21 15 37 36 47 41 | 12 11 9 3 25 24 22 16 38 37 48 42
13 12 10 4 26 25 23 17 39 38 49 43
"""
"""Rings 1..13, places 1..10, 15, 16."""
PLACES_7_2 = (*range(10), 14, 15)
SPARSE_Z, SPARSE_X = (2, 10), (4, 16)
"""m and K of the two sparse multirings."""
SPARSE_RINGS_Z, SPARSE_RINGS_X = 3, 13
SPARSE_NODES_Z, SPARSE_NODES_X = 15, 35
SPARSE_CAPACITY_Z, SPARSE_CAPACITY_X = Fraction(45, 2), Fraction(195, 2)
SPARSE_GAINS = {"z against Gemini": Fraction(3, 2), "x against full rings": Fraction(3, 2)}
SPARSE_GAIN_X = 3
SPARSE_TORUS = 18375
SPARSE_TIMES_FULL = 2
SPARSE_LAW = 8
"""C is about 8N."""


def first_number(j: int, n: int) -> int:
    """The first abonent of the j-th part: jN."""
    return j * n


def parts(k: int, m: int) -> range:
    """The parts of a ring: 1 <= j < ceil(K/m)."""
    return range(1, -(-k // m))


def full_nodes(m: int) -> int:
    """Table 7.3, both columns: 4m²."""
    return 4 * m * m


def full_capacity(m: int) -> int:
    """Table 7.3: about 4m²."""
    return 4 * m * m


def sparse_capacity(m: int) -> int:
    """Table 7.3: about 8m(m - 1)."""
    return 8 * m * (m - 1)


def full_cable(m: int) -> int:
    """Table 7.3: about 2m(m - 4)."""
    return 2 * m * (m - 4)


def sparse_cable(m: int) -> int:
    """Table 7.3: about 2m(m - 1)."""
    return 2 * m * (m - 1)


LEAST_RINGS = 2
"""Rings of a multiring at least, by definition 2.1."""


def most_rings(n: int) -> int:
    """Rings of a multiring at most, by definition 2.1."""
    return n - 1
