"""Distributed switches: symmetric block designs as networks of endpoints and crossbars.

======================= ========================================================================
spec                    what it is
======================= ========================================================================
distributed_switch      N endpoints, N crossbars m × m, every pair shares σ of them
partial_switch          the same from a difference cover: every pair shares at least one
quasicomplete_digraph   m² endpoints and crossbars, simplex, one crossbar per ordered pair
switched_multiring      p^r nodes, rings of steps d·p^k: what the digraph is made of
design_expansion        any network in N copies, its terminals shared out by a design
two_level               supernodes of any network, joined by any network
======================= ========================================================================
"""

from hopscape.core.plugins import later

__getattr__ = later(
    __name__,
    {
        "covers": (
            "difference_cover",
            "largest_cover",
        ),
        "designs": (
            "check_design",
            "existence",
            "make_design",
            "table",
        ),
        "difference_sets": (
            "DifferenceSet",
            "singer",
        ),
        "families": (
            "DesignExpansion",
            "DistributedSwitch",
            "PartialSwitch",
            "QuasicompleteDigraph",
            "SwitchedMultiring",
        ),
        "routing": (
            "all_routes",
            "route_around",
        ),
        "two_level": ("TwoLevel",),
    },
)
