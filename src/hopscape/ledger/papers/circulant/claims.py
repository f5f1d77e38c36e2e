"""What the paper on three-dimensional circulants claims, checked by computation."""

from __future__ import annotations

from collections.abc import Callable

from hopscape.ledger.claim import Claim, Outcome
from hopscape.ledger.papers.circulant import checks

__all__ = ["CLAIMS"]


def _claim(key: str, where: str, says: str, how: str, check: Callable[[], Outcome]) -> Claim:
    return Claim(f"circulant-{key}", "circulant", where, says, how, check)


CLAIMS = (
    _claim(
        "ball",
        "section 1",
        "N(d, n) = Σ C(n,i) C(d,n-i) 2^(n-i) points within d steps; polynomials for n = 1, 2, 3",
        "points counted one by one for n <= 4, d <= 5; polynomials for d < 200",
        checks.ball_formula,
    ),
    _claim(
        "ulb2",
        "section 1",
        "ulb(N, 2) = ⌈(√(2N-1) - 1)/2⌉",
        "in integers against the definition, N <= 20,000",
        checks.ulb_two,
    ),
    _claim(
        "ulb-bound",
        "section 1",
        "ulb(N, n) >= (n! N)^(1/n)/2 - (n+1)/2",
        "in integers, n <= 6, N < 3,000",
        checks.ulb_bound,
    ),
    _claim(
        "max-small-n",
        "section 1",
        "M(d, n) = N(d, n) for n <= 2",
        "(2d+1; 1) and (2d²+2d+1; 1, 2d+1) by breadth-first search, d <= 40",
        checks.max_small_n,
    ),
    _claim(
        "double-loop-nearest",
        "section 1",
        "(N; s, s+1), s nearest to (√(2N-1) - 1)/2, has least diameter and mean distance",
        "breadth-first search against the bounds of the L1 ball, 5 <= N <= 300",
        checks.double_loop_nearest,
    ),
    _claim(
        "double-loop-ulb",
        "section 1",
        "(N; u, u+1), u = ulb(N, 2), has least diameter",
        "breadth-first search, 5 <= N <= 300",
        checks.double_loop_ulb,
    ),
    _claim(
        "lemma",
        "lemma",
        "between neighbouring vertices whose distance needs no ±1 link the largest distance is"
        " (v - u + D(u) + D(v))/2, reached at (v + u + D(v) - D(u))/2",
        "all intervals of 120 seeded random ring circulants, N <= 400",
        checks.lemma,
    ),
    _claim(
        "table",
        "table",
        "orders and generators for d = 1..18",
        "breadth-first search on every graph of the table; generators against the formulas",
        checks.table,
    ),
    _claim(
        "families",
        "theorems 1 and 2, (17), (18)",
        "the graphs (4)+(5), (17) and (18) have diameter d",
        "breadth-first search, d <= 20",
        checks.families,
    ),
    _claim(
        "two-parameters",
        "(13)-(15)",
        "the graphs behind the proof have diameter d",
        "breadth-first search for d <= 10 and all p3 <= 2d - 2",
        checks.two_parameters,
    ),
    _claim(
        "theorem2",
        "theorem 2",
        "M(d, 3) is the largest order of a ring circulant with three generators and diameter d",
        "every generator pair of every order up to the ball's bound, d <= 8",
        checks.theorem2,
    ),
    _claim(
        "theorem1",
        "theorem 1",
        "(4) is the largest order when s2 < s3 - s2",
        "all ring sets of diameter d of every larger order, d = 2..8",
        checks.theorem1,
    ),
    _claim(
        "odd",
        "section 2",
        "M(d, n) is odd for all d and n",
        "all sets for d = 3, n = 4 from N(3, 4) downwards; closed forms for n <= 3, d < 200",
        checks.odd,
    ),
    _claim(
        "even-s2",
        "theorem 1",
        "an even s2 is never extremal in theorem 1, except for d = 2",
        "all extremal ring sets with s2 < s3 - s2, d = 2..8",
        checks.even_s2,
    ),
    _claim(
        "double-s2",
        "section 2",
        "2·s2 = s3 is extremal only for d = 1",
        "all extremal ring sets, d = 1..8, also up to sign",
        checks.double_s2,
    ),
    _claim(
        "18-equivalent",
        "(18)",
        "(18) is equivalent to (17)",
        "a multiplier found and applied, d <= 30",
        checks.equivalent_18,
    ),
    _claim(
        "yebra",
        "section 1",
        "(3d²+3d+1; 1, 3d+1, 3d+2) has diameter d and is equivalent to (N; d, d+1, 2d+1)",
        "breadth-first search and multiplier, d <= 20",
        checks.yebra,
    ),
    _claim(
        "wong-coppersmith",
        "section 1",
        "(b^n; 1, b, ..., b^(n-1)), b odd, has diameter n(b-1)/2",
        "breadth-first search, 12 graphs of up to 7,000 nodes",
        checks.wong_coppersmith,
    ),
    _claim(
        "chen-jia",
        "section 1",
        "the graphs of Chen and Jia have diameter at most d for d >= n >= 3",
        "breadth-first search for n = 3, 4, 5 and all d with at most 7,000 nodes",
        checks.chen_jia,
    ),
    _claim(
        "bermond",
        "section 1",
        "the order 32k³+8k²+2k of Bermond and others is that of Chen and Jia for n = 3",
        "formulas, d < 60",
        checks.bermond,
    ),
    _claim(
        "above-older",
        "section 2",
        "M(d, 3) is far above the older families",
        "formulas, d < 300",
        checks.above_older,
    ),
    _claim(
        "bermond-eight-ninths",
        "section 1",
        "a family of order (8/9)d³ + O(d²) exists (Bermond and others)",
        "no generators are given",
        checks.eight_ninths,
    ),
    _claim(
        "theorem3",
        "theorem 3",
        "the formula for D(v) on family (19), even p",
        "every node for p = 2, 4, 6, 8 against breadth-first search",
        checks.theorem3,
    ),
    _claim(
        "path-vector",
        "routing algorithm",
        "a shortest path vector is found in constant time",
        "every node for p = 2, 4, 6, 8: leads there, and has length D(v)",
        checks.path_vector,
    ),
    _claim(
        "broadcast-complete",
        "broadcast algorithm",
        "the broadcast reaches all nodes in d steps",
        "simulated as printed and verified, N = 55, 333, 1027 (ports of the lost figure recovered)",
        checks.broadcast_complete,
    ),
    _claim(
        "broadcast-time",
        "broadcast algorithm",
        "the broadcast takes the least time",
        "each node's first copy against its distance, N = 55, 333, 1027",
        checks.broadcast_time,
    ),
    _claim(
        "broadcast-load",
        "abstract, broadcast algorithm",
        "the broadcast sends no superfluous message",
        "copies counted by the verifier, as printed and with the limit U <= p",
        checks.broadcast_load,
    ),
    _claim(
        "np-hard",
        "introduction",
        "shortest paths in general circulants are NP-hard",
        "a cited result for an unbounded number of generators",
        checks.np_hard,
    ),
    _claim(
        "machines",
        "introduction",
        "circulants are used in machines and are survivable",
        "vertex connectivity measured, N = 21, 55, 111, 117",
        checks.machines,
    ),
    _claim(
        "faults",
        "conclusion",
        "fault-tolerant routing and broadcast are simple changes of the algorithms",
        "no algorithm is given; ours is measured on N = 55",
        checks.faults,
    ),
)
