"""Claims of the paper on multirings: chapters 2, 3, 7 and 8."""

from __future__ import annotations

from hopscape.ledger.claim import Claim
from hopscape.ledger.papers.multiring import checks as full
from hopscape.ledger.papers.multiring import checks_sparse as sparse

__all__ = ["CLAIMS"]

_EXACT = "exact fractions"


def _claim(key: str, where: str, says: str, how: str, check: object) -> Claim:
    assert callable(check)
    return Claim(f"multiring-{key}", "multiring", where, says, how, check)


CLAIMS = (
    _claim("start-nodes", "section 2", "a ring of step S has mini-rings that begin at 0..S-1",
           "walk all rings of N up to 40", full.start_nodes),
    _claim("symmetric", "section 2", "a multiring looks the same from every node",
           "distances from every node of five sets", full.symmetric),
    _claim("formula-2-2", "formula 2.2", "the sum over routes runs to n - 1",
           "routes of {±1, ±3}, N = 16", full.sum_of_routes),
    _claim("formula-2-4", "formulas 2.3, 2.4", "(N-1) min c/d equals N(N-1) / max L",
           "all printed sets, both schedules, " + _EXACT, full.two_formulas),
    _claim("simplex-capacity", "section 2", "a simplex ring has c = 2 for any distribution",
           "uniform, near and far routes, N = 8..64, " + _EXACT, full.simplex_capacity),
    _claim("duplex-capacity", "section 2", "a duplex ring has C = 8, each of its rings c = 4",
           "N = 4..400, " + _EXACT, full.duplex_capacity),
    _claim("sum-of-rings", "section 2", "the sum of ring capacities is not reached",
           "{±1, ±3}, N = 16: exact, and simulated with 512 packets per node",
           full.sum_of_rings),
    _claim("table-2-1", "tables 2.1, 2.2", "shortest schedule of {±1, ±3}, N = 16: C = 20",
           "all 60 printed shares, " + _EXACT, full.table_2_2),
    _claim("table-2-3", "table 2.3", "balanced schedule of {±1, ±3}, N = 16: C = 21.8",
           "linear program with exact certificate", full.table_2_3),
    _claim("square-law", "formula 2.5", "some duplex set has C = k n² with k = O(1), N <= 124",
           "best sets of n = 4 and 6 for six orders, each proved", full.square_law),
    _claim("table-2-4", "table 2.4", "the growing family keeps C = k n² with k = O(1)",
           "ten cells, linear program, " + _EXACT, full.table_2_4),
    _claim("table-2-4-band", "table 2.4", "C = K N with 0.5 <= K <= 2 in the cells of the table",
           "eight cells, linear program, " + _EXACT, full.table_2_4_band),
    _claim("cable-sum", "section 2", "4 + Σ 2(2i-1) is about n²/2 - 4n",
           "n = 4..64, whole numbers", full.cable_sum),
    _claim("delay-at-rest", "section 2", "T(0) is B/2 on segmented rings, 0 with registers",
           "simulated at 1 % of the capacity", full.delay_at_rest),
    _claim("delay-law", "formula 2.1", "T = F/(c-s), F free of c: F(c/2) = 2.5B and 2B",
           "simulated, N = 32, c = 2 and c = 3.875", full.delay_law),
    _claim("same-capacity", "section 2", "segmented and register-insertion rings carry the same",
           "simulated, saturated, {±1, ±3}, N = 16", full.same_capacity),
    _claim("gemini-z", "section 3", "two duplex rings, N = 16: C = 15",
           _EXACT, full.gemini_z),
    _claim("gemini-x", "section 3", "four duplex rings, N = 32: C = 30.5",
           _EXACT + ", and simulated with 64 packets per node", full.gemini_x),
    _claim("x-shortest", "section 3", "±1,2,3,7 with shortest schedule, N = 32: 58",
           _EXACT, full.x_shortest),
    _claim("x-balanced", "section 3", "±1,2,3,7 balanced, N = 32, 37, 64, 67: 65, 66, 66, 65",
           "linear program with exact certificate", full.x_balanced),
    _claim("gains", "section 3", "dimension z gains 1.5 times, x and y more than 2 times",
           _EXACT, full.gains),
    _claim("whole-torus", "section 3", "(implied) the torus gains about 2 times",
           "least of the dimensions, " + _EXACT, full.whole_torus),
    _claim("gemini-size", "section 3", "16 x 32 x 32 nodes are 16K, with 20 ports each",
           "counted from the specs", full.gemini_size),
    _claim("gain-formula", "section 3", "(64-s)/(31-s) is about 1 + 1/(31-s)",
           "s = 0..30, " + _EXACT, full.gain_formula),
    _claim("gain-of-delay", "section 3", "times of delivery fall 3 times at C/2, 6 at 0.8 C",
           "simulated waits, N = 32, balanced ±1,2,3,7", full.gain_of_delay),
    _claim("cable-ratio", "section 3", "cable grows 3.25 times", "sum of steps", full.cable_ratio),
    _claim("table-7-1", "table 7.1", "connection of 15 nodes, m = 2, K = 10 (body lost)",
           "regenerated; every pair of nodes shares a ring", sparse.table_7_1),
    _claim("table-7-2", "table 7.2", "connection of nodes, m = 4, K = 16",
           "all 156 printed cells", sparse.table_7_2),
    _claim("sparse-nodes-z", "section 8", "m = 2, K = 10 joins 15 nodes",
           "counted", sparse.nodes_z),
    _claim("sparse-nodes-x", "section 8", "m = 4, K = 16 joins 35 nodes",
           "counted", sparse.nodes_x),
    _claim("sparse-capacity", "section 7", "C is about 8N, and is the effective capacity",
           "m = 2..6, K = 2m..8m, " + _EXACT + " with certificate", sparse.capacity_law),
    _claim("sparse-z", "section 8", "m = 2, K = 10: C = 22.5", _EXACT, sparse.capacity_z),
    _claim("sparse-x", "section 8", "m = 4, K = 16: C = 97.5", _EXACT, sparse.capacity_x),
    _claim("sparse-gains", "section 8", "1.5 times Gemini in z, 3 times in x; 1.5 times full rings",
           _EXACT, sparse.gains),
    _claim("sparse-torus-size", "section 8", "the torus has 15·35² = 18375 nodes",
           "counted", sparse.torus_size),
    _claim("sparse-ports", "section 8", "20 ports are enough", "counted", sparse.ports),
    _claim("sparse-twice", "table 7.3", "sparse rings have twice the capacity of full ones",
           "best full sets of equal nodes and ports, proved, m = 2, 3, 4", sparse.twice),
    _claim("sparse-equal-nodes", "table 7.3", "both kinds have 4m² nodes at K = 4m",
           "counted, m = 2..6", sparse.equal_nodes),
    _claim("full-cable", "table 7.3", "full rings need about 2m(m-4) of cable",
           "m = 2..12, whole numbers", sparse.full_cable),
    _claim("sparse-cable", "table 7.3", "sparse rings need 2N, about 2m(m-1), of cable",
           "counted, m = 2..6", sparse.sparse_cable),
)  # fmt: skip
"""Every claim is computed when its check runs."""
