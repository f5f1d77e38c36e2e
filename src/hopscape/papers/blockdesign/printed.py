"""What chapters 1, 4, 5 and 6 of the paper print about switches and machines, as it is printed."""

from __future__ import annotations

__all__: list[str] = []

CHANNELS = {"K1": 7, "K2": 24, "K3": 16}
"""Channels of a node, by kind."""
SPEEDS = {"K1": 5, "K2": 1, "K3": 2}
"""Their speeds in units of V2: V2 = V1/5, V3 = 2 V2."""
SUPERNODE = 32
GROUPS = (4, 8)
"""Groups of a supernode, and nodes of a group."""
SUPERNODE_CHANNELS = 512
SUPERNODES = 513
PROCESSORS_PER_NODE = 4
PROCESSORS = 64 * 1024
JUMPS = 3
TIMES = 2
"""'Several times' as many: at least this."""
CROSSBAR_CHANNELS = 1
"""Channels K3 of a node that lead to crossbars."""

EXAMPLE = (7, 4, 2)
TABLE_4_1 = (
    ((1, 9, 8), (1, 4, 7)), ((2, 1, 9), (2, 5, 8)), ((3, 2, 1), (3, 6, 9)),
    ((4, 3, 2), (4, 7, 1)), ((5, 4, 3), (5, 8, 2)), ((6, 5, 4), (6, 9, 3)),
    ((7, 6, 5), (7, 1, 4)), ((8, 7, 6), (8, 2, 5)), ((9, 8, 7), (9, 3, 6)),
)  # fmt: skip
TABLE_4_2 = (
    (1, 2, 3, 4), (1, 2, 5, 7), (1, 3, 5, 6), (1, 4, 6, 7),
    (2, 3, 6, 7), (2, 4, 5, 6), (3, 4, 5, 7),
)  # fmt: skip
LAST_DIGITS = {1: "3 1 1 3 7 3 1 11 33", 2: "1 6 2 9 7 6 6"}
"""By sigma: what the scan keeps of N in tables 4.3 and 4.4, up to the largest m."""
LARGEST_M = {1: 12, 2: 11}
FIGURE_4_2 = (9, (1, 2, 3, 6))


def order_of_design(m: int, sigma: int) -> int:
    """Elements of a symmetric design."""
    return m * (m - 1) // sigma + 1


def long_step(j: int, p: int) -> int:
    """Steps of the rings p..2(p-1) of a two-dimensional multiring."""
    return (j - p) * (p - 1)


def order_of_digraph(m: int) -> int:
    """Endpoints of a quasi-complete digraph."""
    return m * m


def left_side(i: int, j: int, n: int) -> int:
    """Endpoint that the wiring table of a digraph has on the left, counted from 1."""
    return (i - j) % n + 1


def right_side(i: int, j: int, n: int, m: int) -> int:
    """Endpoint that the wiring table of a digraph has on the right, counted from 1."""
    return (i + (j - 1) * m) % n + 1


NO_DESIGN = (43, 7, 1)
COVER = (39, 7)
SECOND_WAYS = (1, 2)
"""Second ways lead from i to i ± these."""
COUNTS = {
    "1561": (39, 40, 1, 1561),
    "781": (39, 40, 2, 781),
    "1960": (49, 40, 1, 1960),
    "980": (49, 40, 2, 980),
}
"""Nodes of a supernode, channels of a node, channels of a pair, supernodes."""
TIMES_513 = 3
RESERVE = (5, 3)
"""Longest reserve path in jumps, with single and with doubled channels."""
DIGRAPH = 49


def supernodes_by_crossbars(m: int) -> int:
    """Supernodes that crossbars M x M join, by graph or digraph."""
    return m * m


CROSSBAR_FOR_39 = 42
BUILT = (32, 38, 42, 44)
