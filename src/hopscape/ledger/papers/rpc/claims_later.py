"""Claims of section 3, and what the paper does not say."""

from __future__ import annotations

from hopscape.ledger.claim import PlantedError
from hopscape.ledger.papers.rpc import beyond, collectives, plants, routing
from hopscape.ledger.papers.rpc.entries import also, claim

__all__ = ["LATER_CLAIMS"]

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
            "hopscape.families.petersen_cycles.gathers:_in_stages",
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
            "hopscape.families.petersen_cycles.networks:RingOfPetersenCycles.facts",
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
            "hopscape.families.petersen_cycles.permutations:_ring_then_slices",
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
