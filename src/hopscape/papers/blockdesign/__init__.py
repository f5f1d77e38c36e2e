"""Distributed switches: symmetric block designs as networks of endpoints and crossbars.

Paper 001 (M. F. Karavay and V. S. Podlazov, topological reserves of supercomputer interconnect),
sections 1, 4, 5 and 6; its rings are the room ``multiring``.

A symmetric design B(N, m, σ) has N blocks of m of N elements, any two elements in σ blocks. Blocks
become crossbars m × m, elements become endpoints with m ports: any two endpoints have σ crossbars
in common, two hops apart, and every permutation passes at once, since a channel next to an endpoint
carries its packets only. Supernodes of such switches, joined by further ones or pairwise, are the
two-level machines that the paper sets against Blue Waters.

======================= ========================================================================
spec                    what it is
======================= ========================================================================
distributed_switch      N endpoints, N crossbars m × m, every pair shares σ of them
partial_switch          the same from a difference cover: every pair shares at least one
quasicomplete_digraph   m² endpoints and crossbars, simplex, one crossbar per ordered pair
switched_multiring      p^r nodes, rings of steps d·p^k: what the digraph is made of
design_expansion        any network in N copies, its terminals shared out by a design
two_level               supernodes of any network, joined by any network
shared_crossbars        N endpoints, c crossbars for each, every pair shares w of them
crossbar_machine        supernodes joined by shared crossbars
======================= ========================================================================

Designs: ``designs`` (which exist, built, checked, read), ``difference_sets``, ``known_designs``
(those without a difference set), ``covers``. Switches: ``crossbars`` (wiring),
``families``, ``routing`` (self-routing, spare paths, detours), ``collectives``. Traffic:
``contention`` with its kernels (what passes at once), ``rounds`` (bounds and plans over all minimal
paths). Machines: ``supernodes`` (wiring), ``lanes`` (kinds of their outer links), ``two_level``
(routers) with its kernels, ``shifts`` (symmetry), ``meeting`` with its kernels (routes by two
searches), ``machines`` (the paper's and your own, their jumps). Shared crossbars (chapter 6):
``sharing`` (how many supernodes meet), ``shared_covers`` and ``shared_search`` with its kernels
(base blocks), ``shared_crossbars``, ``crossbar_machine`` (routes by all ways, Valiant),
``crossbar_rates`` (exact rates and survivors), ``machine_search``, ``crossbar_commands``. The
paper: ``printed``, ``reference`` (counts in the wires alone), ``checks_designs``,
``checks_switches``,
``checks_expansion``, ``checks_machines`` and ``claims``; ``commands`` and ``command_group``.

Type::

    hopscape blockdesign list --sigma 2
    hopscape blockdesign permutation "distributed_switch(56, 11, 2)" --at-once 3 --spread
    hopscape blockdesign routes "distributed_switch(7, 4, 2)" 0 1 --dead 9
    hopscape blockdesign machines --measure 2
    hopscape blockdesign rates "crossbar_machine(complete(4), 13)" --simulate 3000
    hopscape permute "two_level(complete(32), complete(513))" --permutation random:1
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
        "crossbar_machine": ("CrossbarMachine",),
        "crossbar_rates": ("machine_rates",),
        "routing": (
            "all_routes",
            "route_around",
        ),
        "shared_crossbars": ("SharedCrossbars",),
        "sharing": ("find_sharing",),
        "two_level": ("TwoLevel",),
    },
)
