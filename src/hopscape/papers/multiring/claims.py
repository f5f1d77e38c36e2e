"""Claims of the paper on multirings: chapters 1, 2, 3, 7 and 8."""

from __future__ import annotations

from pathlib import Path

from hopscape.ledger.claim import Entries, Paper
from hopscape.papers.blockdesign.claims import CLAIMS as SWITCHES
from hopscape.papers.multiring import checks_access as access
from hopscape.papers.multiring import checks_delay as beyond
from hopscape.papers.multiring import checks_delay as delay
from hopscape.papers.multiring import checks_full as full
from hopscape.papers.multiring import checks_full as torus
from hopscape.papers.multiring import checks_sparse as sparse

__all__ = ["CLAIMS", "PAPER"]

_EXACT = "exact fractions, loads walked and prices checked"


_ENTRIES = Entries("multiring", "multiring-", elsewhere="-")
_claim, _beyond = _ENTRIES.claim, _ENTRIES.also


_CHAPTER_2 = (
    _claim("start-nodes", "section 2", "a ring of step S has mini-rings that begin at 0..S-1",
           "all rings of N up to 24 walked", full.start_nodes),
    _claim("counter-ring", "section 2", "a ring S >= N/2 is the counter-ring of N - S",
           "arcs of all rings of N up to 40", full.counter_rings),
    _claim("ring-numbers", "definition 2.1", "a multiring has 2 <= n <= N - 1 different rings",
           "rings of all steps of N up to 16 told apart, all of them together",
           access.ring_counts),
    _claim("any-length", "section 2", "register-insertion rings take packets of any length",
           "four mixes of lengths followed cell by cell, saturated", access.any_length),
    _claim("least-delivery", "section 2", "segmented rings deliver packets in the least time",
           "wait and travel of both kinds, simulated twice, {±1}, N = 16",
           access.least_delivery),
    _claim("symmetric", "section 2", "a turn by any multiple of 2π/N keeps all arcs",
           "all turns of five sets", full.symmetric),
    _claim("non-multiple", "section 2", "rings that are not multiple have c <= 1",
           "slots simulated, packets taken off by their senders", delay.other_rings),
    _claim("multiple", "section 2", "a multiple ring has c > 1",
           "routes all of one length, six orders to 32, exact fractions", full.multiple_rings),
    _claim("formula-2-1", "formula 2.1 (second)", "c_j = N / mean way on ring j (formula lost)",
           "{±1, ±3}, N = 16, every ring simulated", delay.ring_capacity),
    _claim("formula-2-2", "formula 2.2", "the sum over routes runs to n - 1",
           "routes of {±1, ±3}, N = 16", full.sum_of_routes),
    _claim("formula-2-4", "formulas 2.3, 2.4", "(N-1) min c/d equals N(N-1) / max L",
           "all printed sets, both schedules, " + _EXACT, full.two_formulas),
    _claim("simplex-capacity", "section 2", "a simplex ring has c = 2 for any distribution",
           "uniform and near routes, six orders to 64, exact fractions", full.simplex_capacity),
    _claim("duplex-capacity", "section 2", "a duplex ring has C = 8, each of its rings c = 4",
           "N = 4..20, 64, 101, 200, " + _EXACT, full.duplex_capacity),
    _claim("duplex-distribution", "section 2", "C of a duplex ring depends on the distribution",
           "uniform, near and far routes, N = 32, " + _EXACT, full.duplex_distribution),
    _claim("sum-of-rings", "section 2", "for n > 2 the sum of ring capacities is not reached",
           "three sets simulated with 512 packets per node", delay.sum_of_rings),
    _claim("table-2-1", "table 2.1", "nodes in the order of the rings ±1, ±3, weighted lengths",
           "all printed numbers", full.table_2_1),
    _claim("table-2-2", "table 2.2", "shortest schedule of {±1, ±3}, N = 16: C = 20",
           "all 60 printed shares, " + _EXACT, full.table_2_2),
    _claim("table-2-3", "table 2.3", "balanced schedule of {±1, ±3}, N = 16: C = 21.8",
           "loads of all 60 printed shares, optimum by certificate", full.table_2_3),
    _claim("shortest-uneven", "section 2", "shortest schedules leave rings unevenly loaded",
           "eight printed sets, " + _EXACT, full.shortest_uneven),
    _claim("heuristic-steps", "section 2", "the balancing procedure takes O(n) steps",
           "moves counted, growing N and n", full.heuristic_steps),
    _claim("square-law", "formula 2.5", "for every N <= 124 some duplex set has C = k n², k = O(1)",
           "a schedule for every N and n = 4..12, Moore's bound above", full.square_law),
    _claim("table-2-4", "table 2.4", "the family keeps C = k n² and grows by adding rings only",
           "eight cells, " + _EXACT, full.table_2_4),
    _claim("table-2-4-band", "table 2.4", "C = K N with 0.5 <= K <= 2 in the cells of the table",
           "eight cells, " + _EXACT, full.table_2_4_band),
    _claim("cable-sum", "section 2", "4 + Σ 2(2i-1) is about n²/2 - 4n",
           "n = 4..64, whole numbers", full.cable_sum),
    _claim("cable-of-family", "section 2", "the cable of the family is 4 + Σ 2(2i-1)",
           "steps of the printed sets added up", full.cable_of_family),
    _claim("same-capacity", "section 2", "segmented and register-insertion rings carry the same",
           "simulated, saturated, {±1, ±3}, N = 16", delay.same_capacity),
    _claim("no-buffers", "section 2", "on segmented rings packets meet no buffers on the way",
           "slots in flight, simulated, ±1,2,3,7, N = 32", delay.no_buffers),
    _claim("delay-at-rest", "section 2", "T(0) is B/2 on segmented rings, 0 with registers",
           "simulated twice at 1 % of the capacity", delay.delay_at_rest),
    _claim("delay-law", "formula 2.1", "T = F/(c-s), F free of c: F(c/2) = 2.5B and 2B",
           "simulated twice, N = 32, c = 2 and c = 3.875", delay.delay_law),
    _claim("delays-alike", "section 2", "delays of both kinds of rings are practically the same",
           "simulated twice, four ±1, N = 32", delay.delays_alike),
    _claim("delay-places", "section 2",
           "with registers packets wait in the buffers of others, not in their own",
           "simulated twice, four ±1, N = 32, half load", delay.delay_places),
)  # fmt: skip

_CHAPTER_3 = (
    _claim("several-times", "section 1", "other rings carry several times as much in each line",
           "best sets of all, proved, against identical rings", torus.times_of_best),
    _claim("gemini-size", "sections 1, 3", "16 x 32 x 32 nodes are 16K, with 20 ports each",
           "counted in the wiring", torus.gemini_size),
    _claim("gemini-z", "section 3", "two duplex rings, N = 16: C = 15",
           _EXACT, torus.gemini_z),
    _claim("gemini-x", "section 3", "four duplex rings, N = 32: C = 30.5",
           _EXACT + ", and simulated with 64 packets per node", delay.gemini_x),
    _claim("x-shortest", "section 3", "±1,2,3,7 with shortest schedule, N = 32: 58",
           _EXACT, torus.x_shortest),
    _claim("x-balanced", "section 3", "±1,2,3,7 balanced, N = 32, 37, 64, 67: 65, 66, 66, 65",
           _EXACT, torus.x_balanced),
    _claim("mini-rings", "section 3", "rings ±2 of N = 32 are two, through even and odd nodes",
           "walked", torus.mini_rings),
    _claim("primes", "section 3", "with N = 37 or 67 no ring is split",
           "walked", torus.primes),
    _claim("gains", "section 3", "dimension z gains 1.5 times, x and y more than 2 times",
           _EXACT, torus.gains),
    _claim("whole-torus", "section 3", "(implied) the torus gains about 2 times",
           "least of the dimensions, " + _EXACT, torus.whole_torus),
    _claim("gain-formula", "section 3", "(64-s)/(31-s) is about 1 + 1/(31-s)",
           "s = 0..30, exact fractions", torus.gain_formula),
    _claim("gain-numbers", "section 3", "by the formula delays fall 3 times at C/2, 6 at 0.8 C",
           "exact fractions", torus.gain_numbers),
    _claim("gain-of-delay", "section 3", "times of delivery fall 3 times at C/2, 6 at 0.8 C",
           "simulated twice, N = 32, balanced ±1,2,3,7", delay.gain_of_delay),
    _claim("cable-ratio", "section 3", "cable grows 3.25 times", "steps added up",
           torus.cable_ratio, searches=False),
    _claim("chords", "section 3", "laid along chords the arcs need less cable",
           "chords of a circle of 32 nodes", torus.chords, searches=False),
)  # fmt: skip

_CHAPTER_7 = (
    _claim("sparse-node-ports", "section 7, table 7.3", "a node has 2m duplex ports",
           "counted in the wiring, m = 2..6", sparse.node_ports),
    _claim("part-index", "section 7", "parts are numbered 1 <= j < K/m",
           "counted in three tables", sparse.part_index),
    _claim("part-numbers", "section 7", "part j holds nodes jN..(j+1)N-1, each N more",
           "table 7.2", sparse.part_numbers),
    _claim("parts-are-designs", "section 7", "each part of all rings is a design B(N, m, 1)",
           "three parts each, m = 2..6", sparse.parts_are_designs),
    _claim("figure-7-1", "fig. 7.1", "PMK(7, 3, 1): seven duplex rings of three nodes",
           "counted (the picture is lost)", sparse.figure_7_1),
    _claim("table-7-1", "table 7.1", "connection of 15 nodes, m = 2, K = 10 (body lost)",
           "regenerated; every pair of nodes shares a ring", sparse.table_7_1),
    _claim("table-7-2", "table 7.2", "connection of nodes, m = 4, K = 16",
           "all 156 printed cells", sparse.table_7_2),
    _claim("sparse-nodes", "section 7", "the number of nodes (formula lost)",
           "counted, m = 2..6", sparse.number_of_nodes),
    _claim("sparse-capacity", "section 7", "C is about 8N",
           "m = 2..5, all ways of all pairs walked", sparse.capacity_law),
    _claim("sparse-effective", "section 7", "C is the effective capacity as well",
           "loads of all arcs, and three networks simulated", sparse.effective_capacity),
    _claim("sparse-more", "section 1", "sparse rings carry more than full ones",
           "best full sets of equal nodes and ports, proved, up to 21 nodes",
           sparse.more_than_full),
    _claim("sparse-twice", "section 7", "sparse rings have twice the capacity of full ones",
           "best full sets of equal nodes and ports, proved, K = 4m, m = 2, 3", sparse.twice),
    _claim("sparse-more-cable", "section 7", "sparse rings need slightly more cable",
           "printed full sets, m = 2..6", sparse.more_cable),
    _claim("sparse-equal-nodes", "table 7.3", "both kinds have 4m² nodes at K = 4m",
           "counted, m = 2..6", sparse.equal_nodes),
    _claim("full-capacity", "table 7.3", "full rings carry about 4m²",
           "printed sets on 4m² nodes, m = 2..6, " + _EXACT, sparse.full_capacity),
    _claim("sparse-capacity-7-3", "table 7.3", "sparse rings carry about 8m(m-1)",
           "m = 2..5, all ways of all pairs walked", sparse.capacity_7_3),
    _claim("full-cable", "table 7.3", "full rings need about 2m(m-4) of cable",
           "m = 2..12, whole numbers", sparse.full_cable),
    _claim("sparse-cable", "table 7.3", "sparse rings need 2N, about 2m(m-1), of cable",
           "rings counted, m = 2..6", sparse.sparse_cable),
)  # fmt: skip

_CHAPTER_8 = (
    _claim("sparse-rings", "section 8", "3 duplex rings of 10 nodes in z, 13 of 16 in x and y",
           "counted", sparse.ring_numbers),
    _claim("sparse-nodes-z", "section 8", "m = 2, K = 10 joins 15 nodes",
           "counted", sparse.nodes_z),
    _claim("sparse-nodes-x", "section 8", "m = 4, K = 16 joins 35 nodes",
           "counted", sparse.nodes_x),
    _claim("sparse-z", "section 8", "m = 2, K = 10: C = 22.5",
           "all ways of all pairs walked", sparse.capacity_z),
    _claim("sparse-x", "section 8", "m = 4, K = 16: C = 97.5",
           "all ways of all pairs walked", sparse.capacity_x),
    _claim("sparse-gains", "section 8", "1.5 times Gemini in z, 3 times in x; 1.5 times full rings",
           "walked", sparse.gains),
    _claim("sparse-little-more", "section 8", "in z slightly more than full rings",
           "walked", sparse.little_more),
    _claim("sparse-torus-size", "section 8", "the torus has 15·35² = 18375 nodes",
           "counted", sparse.torus_size),
    _claim("sparse-torus-larger", "section 8", "the torus is larger than Gemini's",
           "counted", sparse.torus_larger),
    _claim("sparse-ports", "section 8", "20 ports are enough",
           "counted in the wiring", sparse.ports),
)  # fmt: skip

_ALSO_TRUE = (
    _beyond("moore", "no multiring of n simplex rings carries more than Moore's bound, so k < 2",
            "random sets, perfect ones meet it", beyond.moore),
    _beyond("units", "multiplying all steps by a unit changes nothing but the cable",
            "all units of eight sets, " + _EXACT, beyond.units),
    _beyond("split-routes", "at most (duplex rings - 1) routes of each half need to be split",
            "optimal schedules of the printed sets", beyond.split_routes),
    _beyond("reordered", "sparse rings in another order carry more than in the printed one",
            "m = 2, K = 10 and m = 4, K = 16, loads walked", beyond.reordered),
    _beyond("other-designs", "sparse rings by B(7, 4, 2) carry 8N(R-1)/R as well",
            "four parts, all ways of all pairs walked", beyond.other_designs),
    _beyond("one-dead-arc", "with one dead arc {±1, ±3}, N = 16 still carries 7/8 of its capacity",
            "all ways that are left walked, with prices", beyond.dead_arc),
)  # fmt: skip

CLAIMS = (*_CHAPTER_2, *_CHAPTER_3, *_CHAPTER_7, *_CHAPTER_8, *_ALSO_TRUE)
"""Every claim is computed when its check runs."""

PAPER = Paper(
    "multiring",
    "M. F. Karavay, V. S. Podlazov: topological reserves of supercomputer interconnect",
    (
        "multiring",
        "sparse_multiring",
        "distributed_switch",
        "partial_switch",
        "quasicomplete_digraph",
        "switched_multiring",
        "design_expansion",
        "two_level",
    ),
    (
        *CLAIMS,
        *SWITCHES,
    ),
    pinned=Path(__file__).with_name("pinned.jsonl"),
)
