"""The claims of the paper, in its order, each with errors that its check must notice."""

from __future__ import annotations

from hopscape.ledger.claim import PlantedError
from hopscape.ledger.papers.heawood import expanded, folded, graph, plants
from hopscape.ledger.papers.heawood.claims_later import LATER_CLAIMS
from hopscape.ledger.papers.heawood.entries import claim

__all__ = ["CLAIMS"]

_GRAPH = (
    claim(
        "heawood-petersen",
        "introduction",
        "the Petersen graph has 10 nodes of degree 3 and diameter 2",
        "built; breadth-first search from all nodes",
        graph.check_petersen,
        plants.PETERSEN_WIRES,
        plants.print_as("PETERSEN", (10, 3, 3)),
    ),
    claim(
        "heawood-hypercube-properties",
        "introduction",
        "hypercubes are symmetric and regular, tolerate many faults and route themselves",
        "n = 1..5: degrees, distances from every node, least cuts (networkx), all routes",
        graph.check_hypercube,
        plants.CUBE_WIRES,
        PlantedError(
            "routes in hypercubes go forth and back first",
            "hopscape.families.classic.cubes:HypercubeRouter.trace",
            plants.longer,
        ),
    ),
    claim(
        "heawood-graph",
        "section 2, definition 1 and figure 1",
        "14 nodes, 21 links, cubic, diameter 3; the addressings are isomorphic, also backwards",
        "built; breadth-first search; isomorphism by networkx and by the map x → -x",
        graph.check_graph,
        plants.HEAWOOD_WIRES,
        plants.print_as("HEAWOOD", (14, 22, 3, 3)),
    ),
    claim(
        "heawood-neighbours",
        "section 2.1, property 1",
        "X is wired to X+1, X-1 and X+5 (X odd) or X-5 (X even), mod 14",
        "all 14 nodes of the network, and the symmetry of the rule",
        graph.check_neighbours,
        plants.HEAWOOD_WIRES,
        plants.print_as("CHORD", 3),
    ),
    claim(
        "classic-heawood-connectivity",
        "section 2.1, property 2",
        "three different paths join any two nodes",
        "node-disjoint paths of all 91 pairs (networkx)",
        graph.check_connectivity,
        PlantedError(
            "a chord of the Heawood graph cut",
            "hopscape.families.classic.small:Heawood.neighbours",
            plants.cut(0, 9),
        ),
        plants.print_as("HEAWOOD", (14, 21, 4, 3)),
    ),
    claim(
        "heawood-more-than-hypercube",
        "section 2.1, property 2",
        "it has the diameter of the hypercube (of its degree), and more nodes",
        "both built; breadth-first search from all nodes",
        graph.check_against_cube,
        PlantedError(
            "the Heawood graph without its chords",
            "hopscape.families.classic.small:Heawood.neighbours",
            lambda right: lambda self, nodes: right(self, nodes)[:, :2],
        ),
        PlantedError(
            "a wire of the hypercube cut",
            "hopscape.families.classic.cubes:Hypercube.neighbours",
            plants.cut(0, 1),
        ),
    ),
    claim(
        "heawood-cycle",
        "section 2.1, property 3",
        "the shortest cycle through any two nodes has length 6",
        "pairs of disjoint simple paths of all 91 pairs",
        graph.check_cycles,
        plants.HEAWOOD_WIRES,
        plants.print_as("SHORTEST_CYCLE", 5),
    ),
    claim(
        "heawood-paths",
        "section 2.1, property 3",
        "three disjoint paths join any two nodes, of lengths (1,5,5), (2,4,4) or (3,3,3)",
        "all triples of disjoint simple paths of up to 6 hops, all 91 pairs",
        graph.check_paths,
        plants.HEAWOOD_WIRES,
        plants.print_as("PATHS", {1: (1, 5, 5), 2: (2, 4, 4), 3: (3, 3, 5)}),
    ),
    claim(
        "heawood-basic-route",
        "section 2.2, Basic_Route",
        "looking one hop ahead routes by shortest paths",
        "all 182 ordered pairs, the rule written out again beside our routers",
        graph.check_basic_route,
        plants.LOOK_AHEAD,
        plants.BASIC_ROUTER,
        plants.print_as("THIRD_BRANCH_TESTED", False, "the third branch printed as a plain else"),
    ),
    claim(
        "heawood-basic-broadcast",
        "section 2.2, Basic_Broadcast and figure 2",
        "three sends reach all nodes; without pruning 3, 5, 7 and 11 get three copies",
        "the steps written out; our schedules verified from all roots",
        graph.check_basic_broadcast,
        plants.BROADCAST_STEPS,
        plants.PRINTED_STEPS,
        plants.print_as("THREE_COPIES", (3, 5, 7, 12)),
    ),
)

_FOLDED = (
    claim(
        "heawood-folded-symmetry",
        "section 3.1",
        "folded Heawood networks are node- and edge-symmetric",
        "automorphisms of the base and the exchange of entries, on all nodes and links of FH(2)",
        folded.check_symmetric,
        plants.PRODUCT_WIRES,
        plants.HEAWOOD_WIRES,
    ),
    claim(
        "heawood-folded-definition",
        "section 3.1, definition 2",
        "FH_n has 14^n nodes; a link changes one entry along a link of H",
        "the definition written out, against FH(1), FH(2) and FH(3)",
        folded.check_definition,
        plants.PRODUCT_WIRES,
        PlantedError(
            "one factor too many",
            "hopscape.families.folded.wiring:Folded.__init__",
            lambda right: lambda self, base, n: right(self, base, n + 1),
        ),
    ),
    claim(
        "heawood-folded-route",
        "section 3.2, FH_n_Route",
        "routing one entry after the other takes O(n) steps (and is shortest)",
        "FH(1), FH(2), FH(3) from 25 sources, against breadth-first search; our routes as well",
        folded.check_route,
        plants.LONG_ROUTES,
        plants.PRODUCT_WIRES,
    ),
    claim(
        "heawood-folded-broadcast",
        "section 3.2, FH_n_Broadcast",
        "broadcasting level by level reaches all nodes in O(n) steps",
        "schedules by the source alone and by every holder, verified on FH(1..3)",
        folded.check_broadcast,
        plants.AXES,
        plants.print_as("EVERY_HOLDER_ACTS", True, "printed with every holder acting"),
    ),
)

_EXPANDED = (
    claim(
        "heawood-expanded-sizes",
        "section 4",
        "RE-P has 10^(n+1) nodes for n up to 10, RE-H 14^(n+1) for n up to 14",
        "built at n = 0, 1 and the largest n; one level more is refused",
        expanded.check_range,
        plants.print_as("EXPANDED_SIZES", {"heawood": (14, 13), "petersen": (10, 10)}),
        PlantedError(
            "orders of a level too few",
            "hopscape.families.expanded.wiring:Expanded.order",
            lambda right: property(lambda self: right.fget(self) // max(1, self.n * 14)),
        ),
    ),
    claim(
        "heawood-expanded-regular",
        "section 4.1 and table 1",
        "the expanded networks are regular of degree 6",
        "degrees in closed form for n = 0..14, counted for n = 0, 1, 2",
        expanded.check_regular,
        PlantedError(
            "all degrees told as 6",
            "hopscape.families.expanded.facts:degree_counts",
            lambda right: lambda family: {6: family.order},
        ),
        plants.DEGREES,
    ),
    claim(
        "heawood-expanded-links",
        "section 4.1",
        "connectors have 6 links, 3 of level 0 and 3 of one other level; the rest have 3",
        "the entries that change along every link of RE-H(1) and RE-H(2)",
        expanded.check_links,
        plants.EXPANDED_WIRES,
        PlantedError(
            "a chord of the Heawood graph cut",
            "hopscape.families.classic.small:Heawood.neighbours",
            plants.cut(0, 9),
        ),
    ),
    claim(
        "heawood-expanded-diameter",
        "section 4 and table 1",
        "RE-H has diameter 6n+3",
        "covering walks for n = 0..14 by search, breadth-first search for n = 1, 2, 3",
        lambda: expanded.check_diameters("heawood"),
        plants.WALKS,
        plants.print_as(
            "expanded_diameter",
            lambda n, base: [3, 9, 12, 17, 20, 25, 28, 31, 36, 39, 43, 47, 50, 53, 56][n],
            "printed with the true values",
        ),
    ),
    claim(
        "heawood-expanded-petersen-diameter",
        "section 4 and table 1",
        "RE-P has diameter 4n+2",
        "covering walks for n = 0..10 by search, breadth-first search for n = 1, 2, 3",
        lambda: expanded.check_diameters("petersen"),
        plants.WALKS,
        plants.print_as(
            "expanded_diameter",
            lambda n, base: [2, 6, 9, 12, 15, 17, 20, 23, 25, 29, 31][n],
            "printed with the true values",
        ),
    ),
    claim(
        "heawood-expanded-route",
        "section 4.2, H_n^Z_Route",
        "the recursive routing delivers in O(n) steps",
        "written out, as printed and repaired, on RE-H(1); our own beside it; lengths up to n = 8",
        expanded.check_route,
        plants.PRINTED_ROUTE,
        plants.LOOK_AHEAD,
        plants.print_as("LEVEL_ROUTE", (-1, False, True), "printed with all three put right"),
    ),
    claim(
        "heawood-expanded-broadcast",
        "section 4.2, H_n^Z_Broadcast",
        "6n+3 rounds of forwarding reach all nodes",
        "written out on RE-H(1), as printed and repaired; our flood verified",
        expanded.check_broadcast,
        plants.FLOODED,
        plants.print_as("FLOOD", (-1, True), "printed with both put right"),
    ),
)

CLAIMS = (*_GRAPH, *_FOLDED, *_EXPANDED, *LATER_CLAIMS)
