"""What the paper prints: numbers, formulas and rules, as the checks read them."""

from __future__ import annotations

import math

__all__: list[str] = []

# -- section 1 and 2: the graphs ---------------------------------------------------------------

PETERSEN = (10, 3, 2)
"""Nodes, degree, diameter."""
HEAWOOD = (14, 21, 3, 3)
"""Nodes, links, degree, diameter."""
LEVELS = (1, 3, 6, 4)
"""Not printed: nodes at distance 0, 1, 2, 3."""
CHORD = 5
"""Node X is wired to X + 5 where X is odd, to X - 5 where it is even."""
SHORTEST_CYCLE = 6
PATHS = {1: (1, 5, 5), 2: (2, 4, 4), 3: (3, 3, 3)}
"""Lengths of three disjoint paths, by distance."""
SENDS = 3
"""Sends until a broadcast has reached all nodes."""
THREE_COPIES = (3, 5, 7, 11)
"""Nodes that get three copies of a message from node 0."""
THIRD_BRANCH_TESTED = True
"""Basic_Route: is the third branch tested as well (else ... then)?"""
FURTHER_STEPS = {"+": ("-", "c"), "-": ("+", "c"), "c": ("-", "+")}
"""Basic_Broadcast, step 2: by which ports the neighbours of the source go on."""
LAST_STEPS = {("+", "-"): ("+", "c"), ("+", "c"): ("+", "-")}
"""Step 3: who goes on, given by the ports from the source, and by which ports."""

# -- section 3: folded networks ----------------------------------------------------------------

EVERY_HOLDER_ACTS = False
"""FH_n_Broadcast: does everybody who has the message go on along the next level?"""

# -- section 4: expanded networks --------------------------------------------------------------

EXPANDED_SIZES = {"heawood": (14, 14), "petersen": (10, 10)}
"""Size of the graph, and the largest number of levels."""
EXPANDED_DEGREE = 6
ENOUGH_NODES = 10**11
"""Of RE-P, "enough for practical use"."""


def six_links(n: int) -> tuple[int, int]:
    """Section 4.1 with i = n: the first and last address whose nodes have 6 links."""
    return 0, n


LEVEL_ROUTE = (0, True, False)
"""H_n^Z_Route: it walks to the node at level 0 with address i + this for level i (it is i - 1);
is the third branch tested; does it walk to the target's place at level 0 in the end?"""
FLOOD = (0, False)
"""H_n^Z_Broadcast: what a flag holds before the message has come, and whether the counter
k = 6n + 3 is handed down (it is set anew in every call)."""


def expanded_diameter(n: int, base: str) -> int:
    """Section 4 and table 1."""
    return 6 * n + 3 if base == "heawood" else 4 * n + 2


# -- section 5: table 1 and the text -----------------------------------------------------------


def text_nodes(n: int) -> int:
    """Total nodes of both new networks, in the text."""
    return 14 ** (n - 1) if n >= 1 else 0


def folded_cost(n: int) -> int:
    """Cost of F-H, in the text."""
    return 9 * n**2 + 18 * n + 9


def expanded_cost(n: int) -> int:
    """Cost of RE-H, in the text."""
    return 36 * n + 18


def ccc_diameter(n: int) -> int:
    """Table 1."""
    return 2 * n - 1 + math.floor(n / 2)


COSTS = {
    "hypercube": lambda n: n**2,
    "CCC": lambda n: 7.5 * n,
    "F-P": lambda n: 6 * n**2,
    "RE-P": lambda n: 24 * n,
    "F-H": lambda n: 9 * n**2,
    "RE-H": lambda n: 36 * n,
}
"""The last column of table 1; all but the first are "about"."""
FARTHEST_BITS = 100
"""The figures go up to 2^100 nodes."""
SLIGHTLY = 0.1
"""What we take "slightly higher" to mean: at most a tenth."""
