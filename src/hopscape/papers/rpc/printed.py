"""What the paper on RPC(k) prints: numbers and formulas, as the checks read them."""

from __future__ import annotations

import math

__all__: list[str] = []

# -- introduction and section 1 ------------------------------------------------------------------

RP_BEATS_MESH_BELOW = 300
RELATIVES = (5, 7, 11)
"""Degree of RP, and the degrees that its extensions have."""
PETERSEN = (10, 3, 2)
"""Nodes, degree, diameter."""
PATHS = {1: (1, 4, 4), 2: (2, 3, 3)}
"""Lengths of three disjoint paths, by distance."""

# -- section 2 -----------------------------------------------------------------------------------

PC = (30, 3, 5)
"""Nodes, degree, diameter."""


def degree(k: int) -> int:
    """Property 1."""
    return 3 if k == 1 else 5


def diameter(k: int) -> int:
    """Property 2; the bracket is a floor, as the text says."""
    return k // 2 + 5


def rp_diameter(k: int) -> int:
    """Table 1: RP with 30k nodes."""
    return 3 * k // 2 + 2


def torus_diameter(k: int) -> int:
    """Table 1: the 2-D torus with 30k nodes."""
    return 2 * math.floor(math.sqrt(30 * k) / 2)


def ring_diameter(k: int) -> int:
    """Table 1: the ring with 30k nodes."""
    return 15 * k


TABLE_DEGREES = {"RPC": 5, "RP": 5, "torus": 4, "ring": 2}
SMALLER_THAN_RP_ABOVE = 90
SMALLER_THAN_TORUS_BELOW = 2940
RATIO = 1 / 3
"""What the ratio of RPC to RP comes closer to."""
PROCESSORS = (2940, (2, 16), (5880, 47040))
"""Nodes, processors per node, processors."""
GROUPS_BEAT_RP = (3, 46)
"""Groups of this size, and of more than that."""
GROUPS_BEAT_TORUS = 3136
HALF_OF_TORUS = (81, 441)

# -- section 3 -----------------------------------------------------------------------------------

FEW_SLICES = (5, 3, 3)
"""Sends of a broadcast in one, two and three slices."""
CYCLE_PERMUTATION = 1
SLICE_PERMUTATION = (2, 2, 5, 2, 2)
"""Rounds of the five steps, 13 in all."""
BEFORE_STEP_3 = (9, 3)
"""The most packets for other cycles in a cycle, and at a node."""
SIMPLE_PERMUTATION = 12
"""Rounds beside k."""
AT_ONE_NODE = 30
"""The most packets at one node before Incomplete-Permutation."""
THIRDS = (10, 10, 9)
"""Nodes behind the three links of a node, itself left out: equal but for one."""
INCOMPLETE_PERMUTATION = 10
PERMUTATION = 9
"""Rounds beside k."""
PERMUTATION_BEATS_RP_ABOVE = 0
ALL_GATHER_BEATS_RP_ABOVE = 2
BROADCAST_BEATS_RP_ABOVE = 3
CYCLE_ALL_GATHER = 2
SLICE_ALL_GATHER = 10
ALL_GATHER = 9
"""Rounds beside k."""


def one_by_one(k: int) -> int:
    """Every node broadcasts in turn."""
    return 30 * k * (k // 2 + 5)
