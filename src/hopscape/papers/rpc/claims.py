"""The claims of the paper on RPC(k), in its order.

How the claims of this paper are written down.

Claims of section 3, and what the paper does not say.
"""

from __future__ import annotations

from pathlib import Path

from hopscape.ledger.claim import Entries, Paper
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
    ),
    claim(
        "rpc-p7",
        "section 3.1, property 7",
        "unicast takes shortest paths, at most floor(k/2) + 5, above 90 nodes fewer than RP's",
        "all pairs, k = 1..6, by the lengths of its two parts; our distances, and drawn routes",
        routing.check_unicast,
    ),
    claim(
        "rpc-th2",
        "theorem 2",
        "a permutation within a cycle takes 1 round",
        "all six permutations, both duplexes",
        routing.check_cycle_permutation,
    ),
    claim(
        "rpc-th3",
        "theorem 3",
        "a permutation within a slice takes at most 13 rounds",
        "the five steps written out for a permutation found by climbing; our schedules verified",
        routing.check_slice_permutation,
    ),
    claim(
        "rpc-th4",
        "theorem 4",
        "a simple permutation takes at most k + 12 rounds",
        "k = 4, every slice to the one before it, within it a bad permutation; verified",
        routing.check_simple_permutation,
    ),
    claim(
        "rpc-ring-phase",
        "sections 3.2.3 and 3.2.4",
        "k - 1 rounds clockwise bring all packets to their slices without conflict, up to 30 to "
        "one node",
        "a ring that sends all to one slice, k up to 32, round by round",
        routing.check_ring_phase,
    ),
    claim(
        "rpc-th5",
        "theorem 5",
        "an incomplete permutation of a slice takes at most 10 rounds",
        "written out for 13 sets of sources; packets per link in half duplex; our rounds",
        routing.check_incomplete,
    ),
    claim(
        "rpc-th3-th5",
        "theorems 3 and 5",
        "13 rounds for permutations and 10 for any sources stand side by side",
        "one permutation by both, in both duplexes",
        routing.check_consistency,
        searches=False,
    ),
    claim(
        "rpc-p8",
        "property 8",
        "a permutation takes at most k + 9 rounds",
        "verified schedules, reversal and random, k = 1..7; packets per link in half duplex",
        routing.check_general,
    ),
    claim(
        "rpc-p8-better",
        "property 8",
        "permutations take fewer rounds than on RP, for every k",
        "the same algorithm on RP(3k), verified, k = 1..5; the diameter of RP(3k) for k up to 2000",
        collectives.check_permutation_better,
    ),
)

_COLLECTIVES = (
    claim(
        "rpc-two-slices",
        "before theorem 1",
        "broadcast needs 5 sends in one slice, 3 in two and in three",
        "breadth-first search and verified schedules",
        collectives.check_few_slices,
    ),
    claim(
        "rpc-th1",
        "theorem 1, section 3.3",
        "broadcast takes floor(k/2) + 5 rounds, by either strategy",
        "verified schedules, k = 1, 2 from all roots, k = 3..8 from ten drawn ones, both duplexes",
        collectives.check_broadcast,
    ),
    claim(
        "rpc-p9",
        "property 9",
        "for k > 3 broadcast takes fewer rounds than on RP",
        "verified schedules of both, k = 1..8; diameters for k up to 2000",
        collectives.check_broadcast_better,
    ),
    claim(
        "rpc-naive",
        "section 3.4",
        "one broadcast after the other takes 30k (floor(k/2) + 5) rounds, which is too many",
        "verified broadcasts from every 15th node, k = 1..4, and all together",
        collectives.check_one_by_one,
    ),
    claim(
        "rpc-th6",
        "theorem 6",
        "all-to-all within a cycle takes 2 rounds",
        "all directions of three links, round by round; the first rounds of our schedule",
        collectives.check_cycle_gather,
    ),
    claim(
        "rpc-th7",
        "theorem 7",
        "all-to-all within a slice takes 10 rounds",
        "written out, and our schedule verified",
        collectives.check_slice_gather,
        searches=False,
    ),
    claim(
        "rpc-p10",
        "property 10",
        "all-to-all takes k + 9 rounds",
        "verified schedules, k = 1..7",
        collectives.check_all_gather,
    ),
    claim(
        "rpc-p10-better",
        "property 10",
        "for k > 2 all-to-all takes fewer rounds than on RP",
        "verified schedules on RP(3k), k = 1..7; the diameter of RP(3k) for k up to 2000",
        collectives.check_gather_better,
    ),
    claim(
        "rpc-third",
        "abstract, properties 7 to 10 and conclusion",
        "as k grows, all four algorithms come close to 1/3 of the rounds on RP",
        "rounds that eight more slices cost, by the same algorithms on RPC and RP, verified",
        collectives.check_third,
    ),
)

_BEYOND = (
    also(
        "rpc-pc-paths",
        "3, 4, 5 nodes must fail to part RPC(k), k = 1, 2, 3: as many disjoint paths join any two",
        "least cuts by networkx; our closed forms",
        beyond.check_connectivity,
    ),
    also(
        "rpc-symmetries",
        "PC has 120 automorphisms, those of the Petersen graph",
        "all of them by networkx",
        beyond.check_symmetries,
    ),
    also(
        "rpc-mean",
        "RPC(k) has 75k links from k = 3 on; distances from a node add up to 101k + 30 floor(k²/4)",
        "breadth-first search, k = 1..8; our closed forms",
        beyond.check_mean,
    ),
    also(
        "rpc-detours",
        "with detours in its third step Slice-Permutation takes at most 11 rounds",
        "two bad and twelve random permutations, verified",
        beyond.check_detours,
    ),
    also(
        "rpc-two-way",
        "both ways round the rings a permutation takes at most floor(k/2) + 10 rounds",
        "verified schedules, k = 1..6 and 16",
        beyond.check_two_way,
    ),
    also(
        "rpc-gathers",
        "all-to-all meets its bound with single messages, k = 1, 2, 3; packed, 7 rounds do on PC",
        "verified schedules; data to deliver over links",
        beyond.check_gathers,
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
    ),
    claim(
        "rpc-relatives",
        "introduction",
        "the extensions of RP are shallower, but raise its degree from 5 to 7 or 11",
        "DLCPG, TCP, DCP and HRN with 250 nodes, as reconstructed here; breadth-first search",
        structure.check_relatives,
    ),
    claim(
        "rpc-petersen",
        "section 1.2",
        "the Petersen graph has degree 3, diameter 2, is symmetric, and has three disjoint paths "
        "of lengths 1, 4, 4 or 2, 3, 3 between any two nodes",
        "breadth-first search, all automorphisms, all triples of disjoint paths",
        structure.check_petersen,
    ),
    claim(
        "rpc-pc",
        "section 2.1",
        "PC has 30 nodes of degree 3, diameter 5, and is regular and symmetric",
        "breadth-first search from every node, all automorphisms",
        structure.check_pc,
    ),
    claim(
        "rpc-pc-cycles",
        "section 2.1, definition 6",
        "two cycles of PC are joined, by nodes (m, n) and (n, m), or both joined to a third",
        "all 45 pairs of cycles",
        structure.check_pc_cycles,
    ),
    claim(
        "rpc-construction",
        "section 2.2",
        "RPC(k) has 30k nodes: k copies of PC, equal nodes joined to 30 rings",
        "the definition written out, all nodes for k = 1..7",
        structure.check_construction,
    ),
    claim(
        "rpc-degree",
        "property 1",
        "RPC(k) is regular, of degree 3 for k = 1 and 5 for k > 1",
        "counted for k = 1..8",
        structure.check_degree,
    ),
    claim(
        "rpc-diameter",
        "property 2",
        "the diameter of RPC(k) is floor(k/2) + 5",
        "breadth-first search, k = 1..14 and 24",
        structure.check_diameter,
    ),
    claim(
        "rpc-table-1",
        "table 1",
        "degrees 5, 5, 4, 2 and diameters floor(k/2) + 5, floor(3k/2) + 2, "
        "2 floor(sqrt(30k)/2), 15k",
        "RPC, RP and ring by search for k = 3..6, tori of all shapes for k = 1..200",
        structure.check_table,
    ),
    claim(
        "rpc-p3",
        "property 3",
        "above 90 nodes RPC has a smaller diameter than RP",
        "k = 1..2000 by closed forms that are measured for k = 1..7",
        structure.check_p3,
    ),
    claim(
        "rpc-p3-limit",
        "property 3",
        "the larger k, the closer comes the diameter to 1/3 of RP's",
        "k = 4..2000",
        structure.check_p3_limit,
    ),
    claim(
        "rpc-p4",
        "property 4",
        "below 2940 nodes RPC has a smaller diameter than the 2-D torus",
        "the printed formula and tori of all shapes",
        structure.check_p4,
    ),
    claim(
        "rpc-2940",
        "section 2.3",
        "2940 nodes of 2 to 16 processors make 5880 to 47040; up to there RPC is below the torus",
        "multiplied out; diameters against tori of all shapes",
        structure.check_processors,
    ),
)

_EXTENSION = (
    claim(
        "rpc-extend",
        "abstract, section 2.2 and conclusion",
        "RPC(k) is easy to extend",
        "RPC(k) and RPC(k + 1) compared link by link, k = 1..12",
        structure.check_extend,
    ),
    claim(
        "rpc-table-regular",
        "table 1, first row",
        "RPC, RP, the 2-D torus and the ring are regular",
        "degrees of all nodes, k = 1..24, the torus of the best shape",
        structure.check_regular_row,
    ),
    claim(
        "rpc-recurrence",
        "theorem 1, proof",
        "C_1 = 5, C_2n = C_(2n-1) + 1 and C_(2n+1) = C_2n",
        "eccentricities of the nodes of a slice by search, k = 1..16",
        structure.check_recurrence,
    ),
    claim(
        "rpc-th3-inner",
        "theorem 3, proof",
        "steps 1, 2, 4, 5 take 2 rounds, step 3 takes 5; before it a cycle holds at most 9 packets"
        " for others, a node 3",
        "the steps written out for 403 permutations, three of them bad on purpose",
        routing.check_inner_steps,
    ),
    claim(
        "rpc-one-each",
        "section 3.2.3",
        "in a simple permutation every node holds exactly one packet after the rings",
        "fifty simple permutations drawn, k = 1, 2, 3, 4, 7; our ring phase beside it",
        routing.check_one_each,
    ),
    claim(
        "rpc-all-four",
        "introduction, conclusion",
        "all four algorithms take fewer rounds than those of RP",
        "the paper's algorithms on RPC(k) and RP(3k), verified, k = 1..8 and 12",
        collectives.check_all_four,
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
    ),
    claim(
        "rpc-eq2",
        "equation (2)",
        "the best group of m nodes of RP has diameter 2 + (m - 1) div 10 (1 for m = 2)",
        "searches on RP(12), m = 2..41; cliques by networkx for distances 1 to 4",
        groups.check_eq2,
    ),
    claim(
        "rpc-eq3",
        "equation (3)",
        "the best group of m nodes of a 2-D torus has diameter 2 (sqrt(m) - 1)",
        "searches on a 12 x 12 torus, m = 2..25; cliques by networkx for distances 1 to 4",
        groups.check_eq3,
    ),
    claim(
        "rpc-p5",
        "property 5",
        "for m = 3 and m > 46 the groups of RPC are better than those of RP",
        "true values, m = 2..3136, by closed forms held against searches and a matching argument",
        groups.check_p5,
    ),
    claim(
        "rpc-p5-limit",
        "property 5",
        "the larger m, the closer comes the group to 1/3 of RP's diameter",
        "true values, m = 100..3136",
        groups.check_p5_limit,
    ),
    claim(
        "rpc-p6",
        "property 6",
        "for m <= 3136 the groups of RPC are better than those of the 2-D torus",
        "true values, m = 2..3136",
        groups.check_p6,
    ),
    claim(
        "rpc-p6-half",
        "property 6",
        "for 81 <= m <= 441 the groups of RPC have less than half the diameter of the torus's",
        "true values and printed formulas",
        groups.check_p6_half,
    ),
)

CLAIMS = (*_STRUCTURE, *_EXTENSION, *_GROUPS, *LATER_CLAIMS)

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
    pinned=Path(__file__).with_name("pinned.jsonl"),
)
