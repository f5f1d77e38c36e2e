"""The claims of the paper, in its order.

How the claims of this paper are written down.

Claims of sections 5 and 6, and what the paper does not say.
"""

from __future__ import annotations

from pathlib import Path

from hopscape.ledger.claim import Entries, Paper
from hopscape.papers.heawood import (
    checks_expanded as expanded,
)
from hopscape.papers.heawood import (
    checks_folded as folded,
)
from hopscape.papers.heawood import (
    checks_graph as graph,
)
from hopscape.papers.heawood import (
    checks_performance as beyond,
)
from hopscape.papers.heawood import (
    checks_performance as performance,
)

__all__ = ["CLAIMS", "LATER_CLAIMS", "PAPER", "also", "claim"]

claim, also = Entries("heawood").claim, Entries("heawood").also


_PERFORMANCE = (
    claim(
        "heawood-sizes",
        "section 5",
        "the new networks have 14^(n-1) nodes",
        "both built for n = 1, 2",
        folded.check_sizes,
    ),
    claim(
        "classic-hypercube-row",
        "table 1, hypercube",
        "the hypercube has 2^n nodes, degree n, diameter n",
        "built for n = 1..9; breadth-first search from up to four nodes",
        performance.check_hypercube_row,
    ),
    claim(
        "classic-ccc-degree",
        "table 1, CCC",
        "cube-connected cycles have n·2^n nodes of degree 3",
        "built for n = 3..8",
        performance.check_ccc_row,
    ),
    claim(
        "heawood-ccc-diameter",
        "table 1, CCC",
        "cube-connected cycles have diameter (2n-1)+floor(n/2)",
        "covering walks on the cycle for n = 3..40, breadth-first search for n = 3..8",
        performance.check_ccc_diameter,
    ),
    claim(
        "heawood-folded-rows",
        "table 1, F-P and F-H, and section 5",
        "10^(n+1) and 14^(n+1) nodes, degree 3n+3, diameters 2n+2 and 3n+3; F-H costs 9n²+18n+9",
        "built with n+1 factors and measured for n = 0, 1, 2",
        folded.check_rows,
    ),
    claim(
        "heawood-expanded-cost",
        "section 5",
        "RE-H costs 36n+18",
        "true degree times true diameter, n = 0..14",
        performance.check_expanded_cost,
    ),
    claim(
        "heawood-table-costs",
        "table 1, cost",
        "costs n², about 7.5n, 6n², 24n, 9n² and 36n",
        "against true costs at the largest n, or at n = 10,000",
        performance.check_costs,
    ),
    claim(
        "heawood-cost-order",
        "section 5, figure 5",
        "the cost of RE-P and RE-H has the order of CCC's",
        "true costs against the smallest CCC of at least the same size; printed costs per bit",
        performance.check_cost_order,
    ),
    claim(
        "heawood-cost-one-nth",
        "section 5, figure 5",
        "the cost of RE-P and RE-H is 1/n of the hypercube's",
        "true and printed costs of every member, n up to 14 and 10, against k² with N = 2^k",
        performance.check_one_nth,
    ),
    claim(
        "heawood-folded-diameter",
        "section 5, figure 6, and section 6",
        "the diameter of F-H is slightly above F-P's and below hypercube and CCC",
        "printed formulas for 2^k nodes, k = 5..100; whole members of 2^k nodes or more, k <= 100",
        performance.check_diameter_order,
    ),
    claim(
        "heawood-range",
        "section 5, figures 5 and 6",
        "the families are compared up to 2^100 nodes",
        "smallest members of at least 2^k nodes, k = 0..100",
        performance.check_range,
    ),
    claim(
        "heawood-cheaper-than-hypercube",
        "section 6",
        "F-H and RE-H are far cheaper than the hypercube",
        "printed formulas at 2^100 nodes and where they cross; true costs of RE-H",
        performance.check_cheaper,
    ),
    claim(
        "heawood-order-n",
        "section 6",
        "routing and broadcast of both networks take O(n), as on folded Petersen networks",
        "steps of the repaired algorithms for n = 1, 2, 3",
        performance.check_order_n,
    ),
)

_BEYOND = (
    also(
        "classic-heawood-distances",
        "from any node 1, 3, 6, 4 nodes lie at distance 0, 1, 2, 3",
        "breadth-first search from all nodes",
        graph.check_levels,
    ),
    also(
        "classic-heawood-opposite",
        "nodes x and x + 7 of the Heawood graph are at distance 3",
        "breadth-first search from all nodes",
        graph.check_opposite,
    ),
    also(
        "classic-heawood-bisection",
        "the Heawood graph has bisection width 7",
        "all 1716 halvings",
        graph.check_bisection,
    ),
    also(
        "heawood-cayley",
        "it is a Cayley graph of the dihedral group of order 14, by three reflections",
        "our 14 translations: automorphisms, closed, one per node",
        graph.check_cayley,
    ),
    also(
        "heawood-expanded-distance",
        "distance in RE is a covering walk in the base plus the distances in the levels",
        "our router against breadth-first search on RE-H(1), RE-H(2) and RE-P(2), drawn sources",
        beyond.check_distance,
    ),
    also(
        "heawood-expanded-cuts",
        "at n = 1 the connectors, and no other nodes, are cut nodes of RE-H and RE-P",
        "articulation points by networkx; our closed form",
        beyond.check_cut_nodes,
    ),
    also(
        "heawood-permutations",
        "any permutation of H takes at most 3 all-port rounds, of FH(n) 3(2n-1)",
        "two dozen permutations of H and two of FH(2), verified",
        beyond.check_permutation,
    ),
    also(
        "heawood-exchange",
        "gossip and total exchange of FH(1), FH(2) and total exchange of RE-H(1) meet their bounds",
        "verified schedules and lower bounds: 5, 9, 33, 126 and 9·14² rounds",
        beyond.check_exchange,
    ),
    also(
        "heawood-cheaper-still",
        "Petersen-connected cycles and duplex Kautz networks are cheaper than all six",
        "smallest members of at least 2^k nodes, k up to 100; PCC(4) measured",
        beyond.check_cheaper_still,
    ),
)


def _with_chords(rows: object, nodes: object) -> object:
    rows[:, 2] = (nodes + 7) % 14  # type: ignore[index, operator]
    return rows


LATER_CLAIMS = (*_PERFORMANCE, *_BEYOND)


_GRAPH = (
    claim(
        "heawood-petersen",
        "introduction",
        "the Petersen graph has 10 nodes of degree 3 and diameter 2",
        "built; breadth-first search from all nodes",
        graph.check_petersen,
        searches=False,
    ),
    claim(
        "heawood-hypercube-properties",
        "introduction",
        "hypercubes are symmetric and regular, tolerate many faults and route themselves",
        "n = 1..5: degrees, distances from every node, least cuts (networkx), all routes",
        graph.check_hypercube,
    ),
    claim(
        "heawood-graph",
        "section 2, definition 1 and figure 1",
        "14 nodes, 21 links, cubic, diameter 3; the addressings are isomorphic, also backwards",
        "built; breadth-first search; isomorphism by networkx and by the map x → -x",
        graph.check_graph,
        searches=False,
    ),
    claim(
        "heawood-neighbours",
        "section 2.1, property 1",
        "X is wired to X+1, X-1 and X+5 (X odd) or X-5 (X even), mod 14",
        "all 14 nodes of the network, and the symmetry of the rule",
        graph.check_neighbours,
    ),
    claim(
        "classic-heawood-connectivity",
        "section 2.1, property 2",
        "three different paths join any two nodes",
        "node-disjoint paths of all 91 pairs (networkx)",
        graph.check_connectivity,
    ),
    claim(
        "heawood-more-than-hypercube",
        "section 2.1, property 2",
        "it has the diameter of the hypercube (of its degree), and more nodes",
        "both built; breadth-first search from all nodes",
        graph.check_against_cube,
        searches=False,
    ),
    claim(
        "heawood-cycle",
        "section 2.1, property 3",
        "the shortest cycle through any two nodes has length 6",
        "pairs of disjoint simple paths of all 91 pairs",
        graph.check_cycles,
    ),
    claim(
        "heawood-paths",
        "section 2.1, property 3",
        "three disjoint paths join any two nodes, of lengths (1,5,5), (2,4,4) or (3,3,3)",
        "all triples of disjoint simple paths of up to 6 hops, all 91 pairs",
        graph.check_paths,
    ),
    claim(
        "heawood-basic-route",
        "section 2.2, Basic_Route",
        "looking one hop ahead routes by shortest paths",
        "all 182 ordered pairs, the rule written out again beside our routers",
        graph.check_basic_route,
    ),
    claim(
        "heawood-basic-broadcast",
        "section 2.2, Basic_Broadcast and figure 2",
        "three sends reach all nodes; without pruning 3, 5, 7 and 11 get three copies",
        "the steps written out; our schedules verified from all roots",
        graph.check_basic_broadcast,
    ),
    claim(
        "heawood-one-copy",
        "section 2.2, figure 2",
        "four nodes would get three copies in the third send, so that one each is enough",
        "from all 14 roots: copies without pruning, and the third round of our schedules",
        graph.check_one_copy,
    ),
)

_FOLDED = (
    claim(
        "heawood-folded-symmetry",
        "section 3.1",
        "folded Heawood networks are node- and edge-symmetric",
        "automorphisms of the base and the exchange of entries, on all nodes and links of FH(2)",
        folded.check_symmetric,
    ),
    claim(
        "heawood-folded-definition",
        "section 3.1, definition 2",
        "FH_n has 14^n nodes; a link changes one entry along a link of H",
        "the definition written out, against FH(1), FH(2) and FH(3)",
        folded.check_definition,
    ),
    claim(
        "heawood-folded-route",
        "section 3.2, FH_n_Route",
        "routing one entry after the other takes O(n) steps (and is shortest)",
        "FH(1), FH(2), FH(3) from 25 drawn sources, against breadth-first search; our routes too",
        folded.check_route,
    ),
    claim(
        "heawood-folded-broadcast",
        "section 3.2, FH_n_Broadcast",
        "broadcasting level by level reaches all nodes in O(n) steps",
        "schedules by the source alone and by every holder, verified on FH(1..3), from 230 roots",
        folded.check_broadcast,
    ),
)

_EXPANDED = (
    claim(
        "heawood-expanded-sizes",
        "section 4",
        "RE-P has 10^(n+1) nodes for n up to 10, RE-H 14^(n+1) for n up to 14",
        "built at n = 0, 1 and the largest n; one level more is refused",
        expanded.check_range,
    ),
    claim(
        "heawood-expanded-regular",
        "section 4.1 and table 1",
        "the expanded networks are regular of degree 6",
        "degrees in closed form for n = 0..14, counted for n = 0, 1, 2",
        expanded.check_regular,
    ),
    claim(
        "heawood-scalable",
        "sections 5 and 6",
        "the new networks are highly scalable",
        "sizes of all members up to n = 14, one after the other",
        expanded.check_scalable,
    ),
    claim(
        "heawood-enough",
        "section 4",
        "10^11 nodes of RE-P are enough for practical use",
        "the largest members counted",
        expanded.check_enough,
        searches=False,
    ),
    claim(
        "heawood-expanded-links",
        "section 4.1",
        "nodes of address 0 to i have 6 links, 3 of level 0 and 3 of level i; the others, i+1 to n,"
        " have 3",
        "the entries that change along every link of RE-H(1), RE-H(2) and RE-H(3), with i = n",
        expanded.check_links,
    ),
    claim(
        "heawood-expanded-diameter",
        "section 4 and table 1",
        "RE-H has diameter 6n+3",
        "covering walks for n = 0..14 by search, breadth-first search for n = 1, 2, 3",
        lambda: expanded.check_diameters("heawood"),
    ),
    claim(
        "heawood-expanded-petersen-diameter",
        "section 4 and table 1",
        "RE-P has diameter 4n+2",
        "covering walks for n = 0..10 by search, breadth-first search for n = 1, 2, 3",
        lambda: expanded.check_diameters("petersen"),
    ),
    claim(
        "heawood-expanded-route",
        "section 4.2, H_n^Z_Route",
        "the recursive routing delivers in O(n) steps",
        "written out, as printed and repaired, on RE-H(1); our own beside it; lengths up to n = 8",
        expanded.check_route,
    ),
    claim(
        "heawood-expanded-broadcast",
        "section 4.2, H_n^Z_Broadcast",
        "6n+3 rounds of forwarding reach all nodes",
        "written out on RE-H(1), as printed and repaired; our flood verified",
        expanded.check_broadcast,
    ),
)

CLAIMS = (*_GRAPH, *_FOLDED, *_EXPANDED, *LATER_CLAIMS)

PAPER = Paper(
    "heawood",
    "Tang, Lin, Jiang: scalable interconnection networks based on the Heawood graph (in Chinese)",
    (
        "petersen",
        "heawood",
        "hypercube",
        "ccc",
        "folded",
        "expanded",
    ),
    CLAIMS,
    pinned=Path(__file__).with_name("pinned.jsonl"),
)
