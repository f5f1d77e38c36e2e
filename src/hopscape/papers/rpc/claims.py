"""The claims of the paper on RPC(k), in its order, each with errors that its check must notice.

How the claims of this paper are written down.

Claims of section 3, and what the paper does not say.
"""

from __future__ import annotations

from hopscape.ledger.claim import Entries, Paper, PlantedError
from hopscape.papers.rpc import (
    checks_collectives as beyond,
)
from hopscape.papers.rpc import (
    checks_collectives as collectives,
)
from hopscape.papers.rpc import checks_groups as groups
from hopscape.papers.rpc import (
    checks_routing as routing,
)
from hopscape.papers.rpc import checks_structure as structure
from hopscape.papers.rpc import (
    plants,
)
from hopscape.papers.rpc.checks_routing import guarded

__all__ = ["CLAIMS", "LATER_CLAIMS", "PAPER", "also", "claim"]

_ENTRIES = Entries("rpc", guard=guarded)
claim, also = _ENTRIES.claim, _ENTRIES.also


_ROUTING = (
    claim(
        "rpc-def7",
        "definition 7",
        "a slice falls into three equal parts behind the links of any node",
        "all trees of shortest paths from every node; our parts",
        routing.check_thirds,
        plants.THIRDS,
        plants.print_as("THIRDS", (10, 10, 10)),
    ),
    claim(
        "rpc-p7",
        "section 3.1, property 7",
        "unicast takes shortest paths, at most floor(k/2) + 5, above 90 nodes fewer than RP's",
        "all pairs, k = 1..6, by the lengths of its two parts; 120 of our routes for each k",
        routing.check_unicast,
        plants.ROUTES,
        plants.print_as("diameter", lambda k: k // 2 + 6, "printed one larger"),
    ),
    claim(
        "rpc-th2",
        "theorem 2",
        "a permutation within a cycle takes 1 round",
        "all six permutations, both duplexes",
        routing.check_cycle_permutation,
        plants.print_as("CYCLE_PERMUTATION", 2),
        plants.slower("cycle"),
    ),
    claim(
        "rpc-th3",
        "theorem 3",
        "a permutation within a slice takes at most 13 rounds",
        "the five steps written out for a permutation found by climbing; our schedules verified",
        routing.check_slice_permutation,
        plants.print_as("SLICE_PERMUTATION", (2, 2, 6, 2, 2)),
        plants.slower("slice"),
    ),
    claim(
        "rpc-th4",
        "theorem 4",
        "a simple permutation takes at most k + 12 rounds",
        "k = 4, every slice to the one before it, within it a bad permutation; verified",
        routing.check_simple_permutation,
        plants.print_as("SIMPLE_PERMUTATION", 13),
        plants.slower("simple"),
        plants.unfinished("simple"),
    ),
    claim(
        "rpc-ring-phase",
        "sections 3.2.3 and 3.2.4",
        "k - 1 rounds clockwise bring all packets to their slices without conflict, up to 30 to "
        "one node",
        "a ring that sends all to one slice, k up to 32, round by round",
        routing.check_ring_phase,
        plants.print_as("AT_ONE_NODE", 29),
        plants.RING_WALK,
    ),
    claim(
        "rpc-th5",
        "theorem 5",
        "an incomplete permutation of a slice takes at most 10 rounds",
        "written out for 13 sets of sources; packets per link in half duplex; our rounds",
        routing.check_incomplete,
        plants.print_as("INCOMPLETE_PERMUTATION", 9),
        plants.print_as("INCOMPLETE_PERMUTATION", 20),
        plants.INCOMPLETE,
    ),
    claim(
        "rpc-th3-th5",
        "theorems 3 and 5",
        "13 rounds for permutations and 10 for any sources stand side by side",
        "one permutation by both, in both duplexes",
        routing.check_consistency,
        plants.print_as("INCOMPLETE_PERMUTATION", 14),
        plants.slower("general"),
    ),
    claim(
        "rpc-p8",
        "property 8",
        "a permutation takes at most k + 9 rounds",
        "verified schedules, reversal and random, k = 1..7; packets per link in half duplex",
        routing.check_general,
        plants.print_as("PERMUTATION", 11),
        plants.print_as("PERMUTATION", 4),
        plants.unfinished("general"),
    ),
    claim(
        "rpc-p8-better",
        "property 8",
        "permutations take fewer rounds than on RP, for every k",
        "the same algorithm on RP(3k), verified, k = 1..5; the diameter of RP(3k) for k up to 2000",
        collectives.check_permutation_better,
        plants.print_as("PERMUTATION_BEATS_RP_ABOVE", 1),
        plants.RP_FORM,
        plants.unfinished("general"),
    ),
)

_COLLECTIVES = (
    claim(
        "rpc-two-slices",
        "before theorem 1",
        "broadcast needs 5 sends in one slice, 3 in two and in three",
        "breadth-first search and verified schedules",
        collectives.check_few_slices,
        plants.print_as("FEW_SLICES", (5, 6, 6)),
        plants.slower("tree"),
    ),
    claim(
        "rpc-th1",
        "theorem 1, section 3.3",
        "broadcast takes floor(k/2) + 5 rounds, by either strategy",
        "verified schedules, k = 1..8, three roots, both duplexes, against search",
        collectives.check_broadcast,
        plants.print_as("diameter", lambda k: k // 2 + 6, "printed one larger"),
        plants.slower("slice-first"),
        plants.unfinished("tree"),
    ),
    claim(
        "rpc-p9",
        "property 9",
        "for k > 3 broadcast takes fewer rounds than on RP",
        "verified schedules of both, k = 1..8; diameters for k up to 2000",
        collectives.check_broadcast_better,
        plants.print_as("BROADCAST_BEATS_RP_ABOVE", 2),
        plants.slower("tree"),
    ),
    claim(
        "rpc-naive",
        "section 3.4",
        "one broadcast after the other takes 30k (floor(k/2) + 5) rounds, which is too many",
        "verified broadcasts from every 15th node, k = 1..4, and all together",
        collectives.check_one_by_one,
        plants.print_as("one_by_one", lambda k: 30 * k * (k // 2 + 6), "printed with one more"),
        plants.slower("tree"),
    ),
    claim(
        "rpc-th6",
        "theorem 6",
        "all-to-all within a cycle takes 2 rounds",
        "all directions of three links, round by round; the first rounds of our schedule",
        collectives.check_cycle_gather,
        plants.print_as("CYCLE_ALL_GATHER", 1),
        plants.print_as("CYCLE_ALL_GATHER", 3),
        PlantedError(
            "the cycles turn once instead of twice",
            "hopscape.papers.rpc.gathers:_in_stages",
            lambda right: (
                lambda network, goal, model, stages, name: right(
                    network, goal, model, [*stages[1:], stages[0]], name
                )
            ),
        ),
    ),
    claim(
        "rpc-th7",
        "theorem 7",
        "all-to-all within a slice takes 10 rounds",
        "written out, and our schedule verified",
        collectives.check_slice_gather,
        plants.print_as("SLICE_ALL_GATHER", 9),
        plants.slower("paper"),
    ),
    claim(
        "rpc-p10",
        "property 10",
        "all-to-all takes k + 9 rounds",
        "verified schedules, k = 1..7",
        collectives.check_all_gather,
        plants.print_as("ALL_GATHER", 8),
        plants.slower("paper"),
        plants.unfinished("paper"),
    ),
    claim(
        "rpc-p10-better",
        "property 10",
        "for k > 2 all-to-all takes fewer rounds than on RP",
        "verified schedules on RP(3k), k = 1..7; the diameter of RP(3k) for k up to 2000",
        collectives.check_gather_better,
        plants.print_as("ALL_GATHER_BEATS_RP_ABOVE", 7),
        plants.RP_FORM,
        plants.unfinished("packed"),
    ),
    claim(
        "rpc-third",
        "abstract, properties 7 to 10 and conclusion",
        "as k grows, all four algorithms come close to 1/3 of the rounds on RP",
        "rounds that eight more slices cost, by the same algorithms on RPC and RP, verified",
        collectives.check_third,
        plants.print_as("RATIO", 1 / 2),
        plants.unfinished("slice-first"),
    ),
)

_BEYOND = (
    also(
        "rpc-pc-paths",
        "3, 4, 5 nodes must fail to part RPC(k), k = 1, 2, 3: as many disjoint paths join any two",
        "least cuts by networkx; our closed forms",
        beyond.check_connectivity,
        plants.CUT,
    ),
    also(
        "rpc-symmetries",
        "PC has 120 automorphisms, those of the Petersen graph",
        "all of them by networkx",
        beyond.check_symmetries,
        plants.WIRES,
    ),
    also(
        "rpc-mean",
        "RPC(k) has 75k links from k = 3 on; distances from a node add up to 101k + 30 floor(k²/4)",
        "breadth-first search, k = 1..8; our closed forms",
        beyond.check_mean,
        plants.WIRES,
        PlantedError(
            "our mean distance 1 % too large",
            "hopscape.papers.rpc.families:RingOfPetersenCycles.facts",
            plants.wrong_facts(mean_distance=lambda d: d * 101 / 100),
        ),
    ),
    also(
        "rpc-detours",
        "with detours in its third step Slice-Permutation takes at most 11 rounds",
        "two bad and twelve random permutations, verified",
        beyond.check_detours,
        plants.slower("slice-detour"),
        plants.unfinished("slice-detour"),
    ),
    also(
        "rpc-two-way",
        "both ways round the rings a permutation takes at most floor(k/2) + 10 rounds",
        "verified schedules, k = 1..6 and 16",
        beyond.check_two_way,
        PlantedError(
            "packets go one way round only",
            "hopscape.papers.rpc.permutations:_ring_then_slices",
            lambda right: (
                lambda network, goal, model, both_ways: right(network, goal, model, both_ways=False)
            ),
        ),
        plants.unfinished("two-way"),
    ),
    also(
        "rpc-gathers",
        "all-to-all meets its bound with single messages, k = 1, 2, 3; packed, 7 rounds do on PC",
        "verified schedules; data to deliver over links",
        beyond.check_gathers,
        plants.slower("bandwidth"),
        plants.slower("packed"),
    ),
)


LATER_CLAIMS = (*_ROUTING, *_COLLECTIVES, *_BEYOND)


_STRUCTURE = (
    claim(
        "rpc-intro-mesh",
        "introduction",
        "below 300 nodes RP is clearly better than the 2-D mesh, above 300 no longer",
        "diameters against meshes and tori of all shapes, k up to 500",
        structure.check_mesh,
        plants.print_as("RP_BEATS_MESH_BELOW", 1440),
        plants.RP_FORM,
    ),
    claim(
        "rpc-relatives",
        "introduction",
        "the extensions of RP are shallower, but raise its degree from 5 to 7 or 11",
        "DLCPG, TCP, DCP and HRN with 250 nodes, as reconstructed here; breadth-first search",
        structure.check_relatives,
        plants.print_as("RELATIVES", (5, 7, 9)),
        plants.CUT,
    ),
    claim(
        "rpc-petersen",
        "section 1.2",
        "the Petersen graph has degree 3, diameter 2, is symmetric, and has three disjoint paths "
        "of lengths 1, 4, 4 or 2, 3, 3 between any two nodes",
        "breadth-first search, all automorphisms, all triples of disjoint paths",
        structure.check_petersen,
        plants.PETERSEN_WIRES,
        plants.print_as("PATHS", {1: (1, 4, 4), 2: (2, 3, 4)}),
    ),
    claim(
        "rpc-pc",
        "section 2.1",
        "PC has 30 nodes of degree 3, diameter 5, and is regular and symmetric",
        "breadth-first search from every node, all automorphisms",
        structure.check_pc,
        plants.WIRES,
        plants.print_as("PC", (30, 3, 6)),
    ),
    claim(
        "rpc-pc-cycles",
        "section 2.1, definition 6",
        "two cycles of PC are joined, by nodes (m, n) and (n, m), or both joined to a third",
        "all 45 pairs of cycles",
        structure.check_pc_cycles,
        plants.WIRES,
    ),
    claim(
        "rpc-construction",
        "section 2.2",
        "RPC(k) has 30k nodes: k copies of PC, equal nodes joined to 30 rings",
        "the definition written out, all nodes for k = 1..7",
        structure.check_construction,
        plants.WIRES,
        plants.CUT,
    ),
    claim(
        "rpc-degree",
        "property 1",
        "RPC(k) is regular, of degree 3 for k = 1 and 5 for k > 1",
        "counted for k = 1..8",
        structure.check_degree,
        plants.print_as("degree", lambda k: {1: 3, 2: 4}.get(k, 5), "printed with 4 at k = 2"),
        plants.CUT,
    ),
    claim(
        "rpc-diameter",
        "property 2",
        "the diameter of RPC(k) is floor(k/2) + 5",
        "breadth-first search, k = 1..14 and 24",
        structure.check_diameter,
        plants.print_as("diameter", lambda k: -(-k // 2) + 5, "printed with a ceiling"),
        plants.DIAMETER,
    ),
    claim(
        "rpc-table-1",
        "table 1",
        "degrees 5, 5, 4, 2 and diameters floor(k/2) + 5, floor(3k/2) + 2, "
        "2 floor(sqrt(30k)/2), 15k",
        "RPC, RP and ring by search for k = 3..6, tori of all shapes for k = 1..200",
        structure.check_table,
        plants.print_as("rp_diameter", lambda k: 3 * k // 2 + 3, "RP printed one larger"),
        plants.print_as("TABLE_DEGREES", {"RPC": 5, "RP": 5, "torus": 5, "ring": 2}),
        plants.CUT,
        plants.TORI,
    ),
    claim(
        "rpc-p3",
        "property 3",
        "above 90 nodes RPC has a smaller diameter than RP",
        "k = 1..2000 by closed forms that are measured for k = 1..7",
        structure.check_p3,
        plants.print_as("SMALLER_THAN_RP_ABOVE", 60),
        plants.print_as("SMALLER_THAN_RP_ABOVE", 120),
        plants.RPC_FORM,
    ),
    claim(
        "rpc-p3-limit",
        "property 3",
        "the larger k, the closer comes the diameter to 1/3 of RP's",
        "k = 4..2000",
        structure.check_p3_limit,
        plants.print_as("RATIO", 1 / 2),
        plants.RP_FORM,
    ),
    claim(
        "rpc-p4",
        "property 4",
        "below 2940 nodes RPC has a smaller diameter than the 2-D torus",
        "the printed formula and tori of all shapes",
        structure.check_p4,
        plants.print_as("SMALLER_THAN_TORUS_BELOW", 4000),
        plants.TORI,
        plants.RPC_FORM,
    ),
    claim(
        "rpc-2940",
        "section 2.3",
        "2940 nodes of 2 to 16 processors make 5880 to 47040; up to there RPC is below the torus",
        "multiplied out; diameters against tori of all shapes",
        structure.check_processors,
        plants.print_as("PROCESSORS", (2940, (2, 16), (5880, 47000))),
        plants.print_as("PROCESSORS", (2910, (2, 16), (5820, 46560)), "97 slices instead of 98"),
        plants.RPC_FORM,
    ),
)

_GROUPS = (
    claim(
        "rpc-eq1",
        "equation (1)",
        "the best group of m nodes of RPC has diameter 1, 2, 3, 4 "
        "up to m = 3, 6, 12, 20, then 5 + (m - 1) div 30",
        "searches on RPC(8), m = 2..62; cliques by networkx for distances 1 to 4",
        groups.check_eq1,
        plants.formula_as(
            "rpc",
            lambda m: 4 if m == 13 else m,
            "equation (1) printed as m",
        ),
        plants.SEARCH,
    ),
    claim(
        "rpc-eq2",
        "equation (2)",
        "the best group of m nodes of RP has diameter 2 + (m - 1) div 10 (1 for m = 2)",
        "searches on RP(12), m = 2..41; cliques by networkx for distances 1 to 4",
        groups.check_eq2,
        plants.formula_as("rp", lambda m: 2 + m // 10, "equation (2) printed with m div 10"),
        plants.SEARCH,
    ),
    claim(
        "rpc-eq3",
        "equation (3)",
        "the best group of m nodes of a 2-D torus has diameter 2 (sqrt(m) - 1)",
        "searches on a 12 x 12 torus, m = 2..25; cliques by networkx for distances 1 to 4",
        groups.check_eq3,
        plants.formula_as(
            "torus",
            lambda m: next(t for t in range(9) if ((t + 1) ** 2 + 1 - t % 2) // 2 >= m),
            "equation (3) printed with diamonds",
        ),
        plants.SEARCH,
    ),
    claim(
        "rpc-p5",
        "property 5",
        "for m = 3 and m > 46 the groups of RPC are better than those of RP",
        "true values, m = 2..3136, by closed forms held against searches",
        groups.check_p5,
        plants.print_as("GROUPS_BEAT_RP", (7, 46)),
        plants.group_form("rp"),
    ),
    claim(
        "rpc-p5-limit",
        "property 5",
        "the larger m, the closer comes the group to 1/3 of RP's diameter",
        "true values, m = 100..3136",
        groups.check_p5_limit,
        plants.print_as("RATIO", 1 / 2),
        plants.group_form("rpc"),
    ),
    claim(
        "rpc-p6",
        "property 6",
        "for m <= 3136 the groups of RPC are better than those of the 2-D torus",
        "true values, m = 2..3136",
        groups.check_p6,
        plants.print_as("GROUPS_BEAT_TORUS", 1500),
        plants.group_form("torus"),
    ),
    claim(
        "rpc-p6-half",
        "property 6",
        "for 81 <= m <= 441 the groups of RPC have less than half the diameter of the torus's",
        "true values and printed formulas",
        groups.check_p6_half,
        plants.print_as("HALF_OF_TORUS", (81, 80), "no size named"),
        plants.group_form("torus"),
    ),
)

CLAIMS = (*_STRUCTURE, *_GROUPS, *LATER_CLAIMS)

PAPER = Paper(
    "rpc",
    "Xing, Liu, Yang: a practical interconnection network RPC(k)",
    (
        "petersen",
        "pc",
        "rpc",
        "rp",
        "ring_of_cycles",
        "dlcpg",
        "dcp",
        "tcp",
        "hrn",
    ),
    CLAIMS,
)
