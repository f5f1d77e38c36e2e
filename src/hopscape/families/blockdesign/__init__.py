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

from hopscape.algebra.designs import (
    DifferenceSet,
    check_design,
    difference_cover,
    existence,
    largest_cover,
    make_design,
    singer,
    table,
)
from hopscape.families.blockdesign.digraph import QuasicompleteDigraph, SwitchedMultiring
from hopscape.families.blockdesign.expansion import DesignExpansion
from hopscape.families.blockdesign.routing import all_routes, route_around
from hopscape.families.blockdesign.switches import DistributedSwitch, PartialSwitch
from hopscape.families.blockdesign.twolevel import TwoLevel

__all__ = [
    "DesignExpansion",
    "DifferenceSet",
    "DistributedSwitch",
    "PartialSwitch",
    "QuasicompleteDigraph",
    "SwitchedMultiring",
    "TwoLevel",
    "all_routes",
    "check_design",
    "difference_cover",
    "existence",
    "largest_cover",
    "make_design",
    "route_around",
    "singer",
    "table",
]
