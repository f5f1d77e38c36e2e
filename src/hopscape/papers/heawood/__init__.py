"""Networks from the Heawood graph (Tang, Lin, Jiang, paper 002): the system on one page.

Two ways to make a small graph large. The folded network FH(n) is its Cartesian power with n
factors: a node is a word of n letters, a link changes one letter along a link of the graph. The
recursively expanded network RE(base, lamp, n) gives every node of a base graph n lamps: at place
i - 1 of the base a link may change lamp i; elsewhere links only move in the base. Base and lamp are
the Heawood graph for RE-H, the Petersen graph for RE-P; with a cycle and K2 it is the
cube-connected cycles. A distance in RE is a covering walk in the base plus the distances of the
lamps, which makes routing exact without tables.

    hopscape show "folded(heawood, 2)"
    hopscape route "expanded(heawood, 3)" 0 38415
    hopscape broadcast "expanded(heawood, 2)"
    hopscape search bases --degree 6 --bits 10        which base and which lamp are cheapest
    hopscape study heawood --out FOLDER               table 1 and figures 5 and 6, printed and true
    hopscape ledger --paper heawood

Networks
    folded, expanded     the two families
    structure, facts     wiring and symmetry of RE; degrees, distances and cuts in closed form
Routing
    walks                covering walks by Held and Karp's recursion, O(2^n n²) for n places
    routing, route_kernels   exact routes, and the paper's digit-by-digit ones beside them
Collectives
    collectives          broadcast by a local rule, pruned trees, permutations, bounds by levels
Comparison and search
    comparison, study    printed formulas against true members; tables of the study
    bases                the best base and the best lamp
Ledger
    printed              numbers, formulas and rules as the paper prints them
    checks_graph, checks_folded, checks_expanded, checks_performance   sections 2 to 6
    claims               the claims, in the paper's order
Command line
    commands
"""

from hopscape.core.plugins import later

__getattr__ = later(
    __name__,
    {
        "expanded": ("Expanded",),
        "folded": ("Folded",),
    },
)
