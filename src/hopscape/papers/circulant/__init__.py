"""Circulant networks of degree 6 (E. A. Monakhova, paper 000): the system on one page.

The circulant (N; s1, ..., sn) joins node v to v ± s1, ..., v ± sn modulo N. The paper asks for the
most nodes M(d, 3) that three generators can hold within diameter d, gives them in closed form, and
routes and broadcasts on them without tables. Wiring and the exact router of any circulant belong to
the toolkit (`hopscape.families.circulant`); this room holds what the paper adds.

    hopscape show "optimal_circulant(6)"              a member, its closed forms
    hopscape circulant show "circulant(333, 1, 9, 73)"   what is known of one circulant
    hopscape search circulant --nodes 40:60           the best of every order, by exhaustive search
    hopscape atlas circulant --degree 6 --nodes 55    the same from the shipped atlas
    hopscape broadcast "optimal_circulant(6)" -a memoryless
    hopscape study circulant --out FOLDER             tables and figures
    hopscape ledger --paper circulant                 every claim, judged

Networks
    families    the paper's families (5), (17), (18), (13)-(15), (19), and those it compares with
Broadcast
    broadcast   trees that no node has to remember, the printed rule, all-gather by translations
    memoryless  the same as a rule for one node; broadcasts round dead nodes
Searches
    scanning, search, search_kernels, search_gpu   all generator sets of an order, on CPU and GPU
    lattice_search, orbit_search, orbit_kernels   larger ones of a degree and diameter, out of
                lattices and of orbits of multipliers
    loops, loop_kernels   directed circulants: the same searches
    formulas    large ones of degree 8 to 11 in closed form
    atlas       the results for every order, shipped and proved again
What is known of one circulant
    describe    records for `circulant show`
Ledger
    printed     formulas, table and algorithms as the paper prints them
    checks_bounds, checks_largest, checks_exchange   the checks, chapter by chapter
    claims      the claims, in the paper's order
Command line
    commands    `hopscape circulant`, `search circulant`, `atlas`, `study circulant`
"""

from hopscape.core.plugins import later

__getattr__ = later(
    __name__,
    {
        "families": (
            "BestCirculant",
            "ChenJia",
            "DoubleLoop",
            "GammaCirculant",
            "LargestDoubleLoop",
            "OptimalCirculant",
            "TwoParameterCirculant",
            "WongCoppersmith",
            "Yebra",
        ),
        "memoryless": ("ForwardingRule",),
        "search": (
            "CirculantOptimum",
            "best_circulants",
            "largest_circulants",
        ),
    },
)
