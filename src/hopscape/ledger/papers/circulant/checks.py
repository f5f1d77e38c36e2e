"""The checks behind :mod:`claims`; each computes, and would find the claim wrong if it were."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.distances import distances_from
from hopscape.core.network import Network
from hopscape.core.verify import verify
from hopscape.families.circulant.bounds import ball, least_mean, max_order, ulb
from hopscape.families.circulant.collectives import node_local_broadcast
from hopscape.families.circulant.forms import set_17, set_18, set_two_parameter
from hopscape.families.circulant.isomorphism import find_multiplier, fold
from hopscape.families.circulant.named import (
    DoubleLoop,
    GammaCirculant,
    OptimalCirculant,
    chen_jia_order,
    theorem1_order,
)
from hopscape.families.circulant.scanning import scan_slice
from hopscape.families.circulant.wiring import Circulant
from hopscape.ledger.claim import Outcome
from hopscape.ledger.papers.circulant.printed import printed_distance, printed_vector

_SEARCHED = 8
_TABLE = {
    1: (7, (2, 4), None, None),
    2: (21, (4, 6), (3, 8), (5, 9)),
    3: (55, (10, 16), (5, 21), (20, 24)),
    4: (117, (16, 22), None, None),
    5: (203, (22, 28), (7, 57), (83, 91)),
    6: (333, (36, 46), (9, 73), (144, 152)),
    7: (515, (46, 56), None, None),
    8: (737, (56, 66), (11, 133), (329, 341)),
    9: (1027, (78, 92), (13, 157), (468, 480)),
    10: (1393, (92, 106), None, None),
    11: (1815, (106, 120), (15, 241), (839, 855)),
    12: (2329, (136, 154), (17, 273), (1088, 1104)),
    13: (2943, (154, 172), None, None),
    14: (3629, (172, 190), (19, 381), (1709, 1729)),
    15: (4431, (210, 232), (21, 421), (2100, 2120)),
    16: (5357, (232, 254), None, None),
    17: (6371, (254, 276), (23, 553), (3035, 3059)),
    18: (7525, (300, 326), (25, 601), (3600, 3624)),
}


def _distances(nodes: int, generators: tuple[int, ...]) -> IntArray:
    """From node 0, by breadth-first search."""
    return distances_from(Network.of(Circulant(nodes, generators)), 0)


def _diameter(nodes: int, generators: tuple[int, ...]) -> int:
    far = _distances(nodes, generators)
    return int(far.max()) if far.min() >= 0 else -1


def _ruled(wrong: list[str], measured: str, note: str = "") -> Outcome:
    if wrong:
        return Outcome("refuted", measured, f"{len(wrong)} exceptions, the first: {wrong[0]}")
    return Outcome("holds", measured, note)


def ball_formula() -> Outcome:
    wrong = []
    for n, d in itertools.product(range(1, 5), range(6)):
        box = itertools.product(range(-d, d + 1), repeat=n)
        if sum(sum(map(abs, x)) <= d for x in box) != ball(d, n):
            wrong.append(f"d = {d}, n = {n}")
    for d in range(200):
        three = (2 * d + 1, 2 * d * d + 2 * d + 1, (4 * d**3 + 6 * d**2 + 8 * d + 3) // 3)
        wrong += [f"d = {d}, n = {n}" for n in (1, 2, 3) if ball(d, n) != three[n - 1]]
    return _ruled(wrong, "24 counts and 600 values of polynomials agree")


def ulb_two() -> Outcome:
    wrong = []
    for nodes in range(1, 20_001):
        root = math.isqrt(2 * nodes - 2) + 1 if nodes > 1 else 1  # ⌈√(2N-1)⌉
        if -(-(root - 1) // 2) != ulb(nodes, 2):
            wrong.append(f"N = {nodes}")
    return _ruled(wrong, "20,000 orders agree")


def ulb_bound() -> Outcome:
    wrong = [
        f"N = {nodes}, n = {n}"
        for n in range(1, 7)
        for nodes in range(1, 3000)
        if (2 * ulb(nodes, n) + n + 1) ** n < math.factorial(n) * nodes
    ]
    return _ruled(wrong, "17,994 cases hold")


def max_small_n() -> Outcome:
    wrong = []
    for d in range(1, 41):
        if _diameter(2 * d + 1, (1,)) != d or ball(d, 1) != 2 * d + 1:
            wrong.append(f"n = 1, d = {d}")
        if d > 0 and _diameter(ball(d, 2), (1, 2 * d + 1) if d > 1 else (1, 2)) != d:
            wrong.append(f"n = 2, d = {d}")
    return _ruled(wrong, "80 graphs reach the bound of the ball")


def double_loop_nearest() -> Outcome:
    wrong = []
    for nodes in range(5, 301):
        far = _distances(nodes, DoubleLoop(nodes).generators)
        if far.max() != ulb(nodes, 2) or far.sum() != least_mean(nodes, 2) * (nodes - 1):
            wrong.append(f"N = {nodes}")
    return _ruled(wrong, "296 orders reach both bounds")


def double_loop_ulb() -> Outcome:
    wrong, worse = [], 0
    for nodes in range(5, 301):
        far = _distances(nodes, DoubleLoop(nodes, "ulb").generators)
        if far.max() != ulb(nodes, 2):
            wrong.append(f"N = {nodes}")
        worse += int(far.sum()) != least_mean(nodes, 2) * (nodes - 1)
    return _ruled(
        wrong,
        "296 orders reach the bound",
        f"the mean distance is not least for {worse} of the 296 orders",
    )


def lemma() -> Outcome:
    rng = np.random.default_rng(7)
    wrong, intervals = [], 0
    for _ in range(120):
        nodes = int(rng.integers(20, 400))
        s2, s3 = sorted(rng.choice(np.arange(2, nodes // 2 + 1), 2, replace=False).tolist())
        far = np.append(_distances(nodes, (1, s2, s3)), 0)
        without = np.append(_distances(nodes, (s2, s3)), 0)
        skeleton = np.nonzero(far == without)[0]
        for u, v in itertools.pairwise(skeleton.tolist()):
            intervals += 1
            most = (v - u + int(far[u]) + int(far[v])) // 2
            place = (v + u + int(far[v]) - int(far[u])) // 2
            if far[u : v + 1].max() != most or far[place] != most:
                wrong.append(f"({nodes}; 1, {s2}, {s3}), from {u} to {v}")
    return _ruled(wrong, f"{intervals} intervals agree")


def table() -> Outcome:
    wrong: list[str] = []
    folded: list[str] = []
    graphs = 0
    for d, (nodes, *pairs) in _TABLE.items():
        if nodes != max_order(d, 3):
            wrong.append(f"d = {d}: order {nodes}")
        families = {"17": set_17(d), "5": None, "18": set_18(d)}
        if d > 1 and d % 3 != 1:
            families["5"] = OptimalCirculant(d, "5").generators
        for (name, formula), pair in zip(families.items(), pairs, strict=True):
            if pair is None:
                continue
            graphs += 1
            if _diameter(nodes, (1, *pair)) != d or formula is None:
                wrong.append(f"d = {d}: (1, {pair[0]}, {pair[1]})")
            elif tuple(formula[1:]) != pair:
                same = fold(nodes, formula) == fold(nodes, (1, *pair))
                (folded if same else wrong).append(f"d = {d}, ({name})")
    return _ruled(
        wrong, f"{graphs} graphs have the diameter", f"folded, not as the formula: {folded[0]}"
    )


def families() -> Outcome:
    wrong, graphs = [], 0
    for d in range(1, 21):
        variants = ["17"]
        if d > 1:
            variants += ["5+", "5-"] if d % 3 == 1 else ["5", "18"]
        for variant in variants:
            member = OptimalCirculant(d, variant)
            graphs += 1
            order = theorem1_order(d) if variant.startswith("5") else max_order(d, 3)
            if member.order != order or _diameter(member.order, member.generators) != d:
                wrong.append(f"d = {d}, ({variant})")
    return _ruled(
        wrong, f"{graphs} graphs", "(5) needs d >= 2; at d = 1 its minus variant has s2 = 1"
    )


def two_parameters() -> Outcome:
    wrong, graphs = [], 0
    for d in range(2, 11):
        for p in range(1, 2 * d - 1):
            graphs += 1
            if _diameter(*set_two_parameter(d, p)) != d:
                wrong.append(f"d = {d}, p3 = {p}")
    return _ruled(wrong, f"{graphs} graphs, also those with p3 > d")


@cache
def _ring_sets(nodes: int, d: int) -> tuple[tuple[int, ...], ...]:
    """All ring sets of three generators of diameter at most d, not only up to multipliers."""
    if nodes < 6:
        return ()
    found = scan_slice(nodes, 3, d, [(1, 2, nodes // 2 + 1)], every=True)["sets"]
    out = {
        fold(nodes, [pow(u, -1, nodes) * s for s in row])
        for row in found
        for u in row
        if math.gcd(u, nodes) == 1
    }
    return tuple(sorted(out))


def theorem2() -> Outcome:
    wrong, counts = [], []
    for d in range(1, _SEARCHED + 1):
        largest = next(n for n in range(ball(d, 3), 5, -1) if _ring_sets(n, d))
        counts.append(f"{largest} ({len(_ring_sets(largest, d))})")
        if largest != max_order(d, 3):
            wrong.append(f"d = {d}: {largest}")
    measured = f"largest orders (number of ring sets): {', '.join(counts)}"
    return _ruled(
        wrong, measured, "beyond the search only as far as the proof, which assumes polynomials"
    )


def _wide(sets: tuple[tuple[int, ...], ...]) -> list[tuple[int, ...]]:
    return [s for s in sets if s[1] < s[2] - s[1]]


def theorem1() -> Outcome:
    wrong = []
    for d in range(2, _SEARCHED + 1):
        order = theorem1_order(d)
        larger = [n for n in range(ball(d, 3), order, -1) if _wide(_ring_sets(n, d))]
        if larger or not _wide(_ring_sets(order, d)):
            wrong.append(f"d = {d}: {larger[:1] or order}")
    return _ruled(wrong, f"orders {', '.join(str(theorem1_order(d)) for d in range(2, 9))}")


def odd() -> Outcome:
    small = all(max_order(d, n) % 2 for d in range(200) for n in (1, 2, 3))
    d, n = 3, 4
    for nodes in range(ball(d, n), 2 * n, -1):
        found = scan_slice(nodes, n, d, [(1, 2, nodes // 2 + 1)])["sets"]
        if found:
            break
    shown = ", ".join(map(str, found[0]))
    measured = f"M(3, 4) = {nodes} by ({nodes}; {shown})"
    if nodes % 2 or not small or _diameter(nodes, tuple(found[0])) != d:
        return Outcome("holds" if small else "refuted", measured)
    return Outcome("refuted", measured, "even for n = 4; the closed forms for n <= 3 are odd")


def even_s2() -> Outcome:
    exceptions: list[str] = []
    wrong: list[str] = []
    for d in range(2, _SEARCHED + 1):
        order = theorem1_order(d)
        for s in _wide(_ring_sets(order, d)):
            if s[1] % 2 == 0:
                (exceptions if d == 2 else wrong).append(f"({order}; {', '.join(map(str, s))})")
    return _ruled(wrong, f"even s2 only in {', '.join(exceptions)}")


def double_s2() -> Outcome:
    """Folded generators first; then s3 may also stand for N - s3."""
    folded, signed = [], []
    for d in range(1, _SEARCHED + 1):
        order = max_order(d, 3)
        for s in _ring_sets(order, d):
            if 2 * s[1] == s[2]:
                folded.append(f"({order}; {', '.join(map(str, s))})")
            for i, j in ((1, 2), (2, 1)):
                if 2 * s[i] == order - s[j]:
                    signed.append(f"({order}; 1, {s[i]}, {order - s[j]})")
    measured = (
        f"folded to N/2: {', '.join(folded) or 'none'}; unfolded: {', '.join(signed) or 'none'}"
    )
    if folded:
        return Outcome("refuted", measured)
    if len(signed) == 1:
        return Outcome("holds", measured)
    note = "true for folded generators and d >= 2; unfolded, as d = 1 needs it, there is another"
    return Outcome("holds corrected", measured, note)


def equivalent_18() -> Outcome:
    wrong, shown = [], []
    for d in range(2, 31):
        other = set_18(d)
        if other is None:
            continue
        order = max_order(d, 3)
        u = find_multiplier(order, set_17(d), other)
        if u is None or fold(order, [u * s for s in set_17(d)]) != fold(order, other):
            wrong.append(f"d = {d}")
        shown.append(f"{d}: {u}")
    return _ruled(wrong, f"multipliers by d: {', '.join(shown[:6])}, ...")


def yebra() -> Outcome:
    wrong = []
    for d in range(1, 21):
        nodes = 3 * d * d + 3 * d + 1
        mine, other = (1, 3 * d + 1, 3 * d + 2), (d, d + 1, 2 * d + 1)
        if _diameter(nodes, mine) != d or find_multiplier(nodes, mine, other) is None:
            wrong.append(f"d = {d}")
    return _ruled(wrong, "20 graphs")


def wong_coppersmith() -> Outcome:
    cases = [(b, n) for b in (3, 5, 7, 9, 11) for n in (1, 2, 3, 4, 5) if b**n <= 7000]
    wrong = [
        f"b = {b}, n = {n}"
        for b, n in cases
        if _diameter(b**n, tuple(b**i for i in range(n))) != n * (b - 1) // 2
    ]
    return _ruled(wrong, f"{len(cases)} graphs")


def chen_jia() -> Outcome:
    wrong, missing, graphs = [], [], 0
    for n in (3, 4, 5):
        for d in itertools.count(n):
            k = (d - n + 3) // n
            if k == 0:
                missing.append((d, n))
                continue
            if chen_jia_order(d, n) > 7000:
                break
            graphs += 1
            if _diameter(chen_jia_order(d, n), tuple((4 * k) ** i for i in range(n))) > d:
                wrong.append(f"d = {d}, n = {n}")
    if wrong:
        return _ruled(wrong, f"{graphs} graphs")
    right = all(d < 2 * n - 3 for d, n in missing)
    return Outcome(
        "holds corrected" if right and missing else "holds",
        f"{graphs} graphs hold; no graph for (d, n) = {', '.join(map(str, missing))}",
        "the range is d >= 2n - 3: below it k = 0 and there is no graph",
    )


def bermond() -> Outcome:
    wrong = []
    for d in range(3, 60):
        k = d // 3
        if 32 * k**3 + 8 * k**2 + 2 * k != chen_jia_order(d, 3):
            wrong.append(f"d = {d}")
    return _ruled(wrong, "57 values agree")


def above_older() -> Outcome:
    wrong = []
    for d in range(1, 300):
        base = 2 * d // 3 + 1  # largest odd b with 3(b - 1)/2 <= d
        older = max(3 * d * d + 3 * d + 1, (base - (base % 2 == 0)) ** 3)
        older = max(older, chen_jia_order(d, 3) if d >= 3 else 0)
        if max_order(d, 3) <= older:
            wrong.append(f"d = {d}: {max_order(d, 3)} against {older}")
    if wrong == ["d = 1: 7 against 7"]:
        return Outcome("holds corrected", "larger for d = 2..299", "a tie, 7 = 7, at d = 1")
    return _ruled(wrong, "larger for d = 1..299")


def eight_ninths() -> Outcome:
    return Outcome("open", "-", "the text gives no generators for this family")


def theorem3() -> Outcome:
    wrong, nodes = [], 0
    for p in (2, 4, 6, 8):
        member = GammaCirculant(p)
        far = _distances(member.order, member.generators).tolist()
        nodes += member.order
        wrong += [f"p = {p}, v = {v}" for v, d in enumerate(far) if printed_distance(p, v) != d]
    return _ruled(wrong, f"{nodes} nodes agree")


def path_vector() -> Outcome:
    wrong, nodes = [], 0
    for p in (2, 4, 6, 8):
        member = GammaCirculant(p)
        far = _distances(member.order, member.generators).tolist()
        nodes += member.order
        for v, d in enumerate(far):
            x = printed_vector(p, v)
            there = sum(a * s for a, s in zip(x, member.generators, strict=True)) % member.order
            if there != v or sum(map(abs, x)) != d:
                wrong.append(f"p = {p}, v = {v}")
    return _ruled(wrong, f"{nodes} nodes agree")


def _printed(p: int, printed: bool = True) -> tuple[int, int, int, bool, bool]:
    """Rounds, messages, duplicates, everybody served, everybody at its distance."""
    member = GammaCirculant(p)
    network = Network.of(member)
    schedule = node_local_broadcast(network, 0, printed=printed)
    verdict = verify(schedule)
    first = np.full(network.order, -1)
    first[0] = 0
    rounds = schedule.round
    for t in range(schedule.transfers - 1, -1, -1):
        if schedule.target[t] != 0:
            first[schedule.target[t]] = rounds[t] + 1
    in_time = bool((first == distances_from(network, 0)).all())
    details = verdict.details
    return schedule.rounds, details["messages"], details["duplicates"], verdict.holds, in_time


def broadcast_complete() -> Outcome:
    found = {p: _printed(p) for p in (2, 4, 6)}
    wrong = [f"p = {p}" for p, f in found.items() if not f[3] or f[0] != 3 * p // 2]
    return _ruled(wrong, f"rounds {', '.join(str(f[0]) for f in found.values())}")


def broadcast_time() -> Outcome:
    wrong = [f"p = {p}" for p in (2, 4, 6) if not _printed(p)[4]]
    return _ruled(wrong, "every node gets its first copy at its distance")


def broadcast_load() -> Outcome:
    printed = [_printed(p) for p in (2, 4, 6)]
    corrected = [_printed(p, printed=False) for p in (2, 4, 6)]
    extra = [f[2] for f in printed]
    measured = f"duplicates as printed: {', '.join(map(str, extra))}"
    if not any(extra):
        return Outcome("holds", measured)
    if any(f[2] for f in corrected) or not all(f[3] and f[4] for f in corrected):
        return Outcome("refuted", measured)
    formula = extra == [(p - 1) ** 2 + 1 for p in (2, 4, 6)]
    how = " = (p-1)² + 1" if formula else ""
    return Outcome(
        "refuted",
        measured + how,
        "with a copy also stopped when U = p there are N - 1 messages and no duplicate",
    )


def np_hard() -> Outcome:
    return Outcome(
        "open",
        "-",
        "cited, for an unbounded number of generators; for up to six the router here is exact",
    )


def machines() -> Outcome:
    from hopscape.metrics import node_connectivity

    cases = ((21, (1, 3, 8)), (55, (1, 5, 21)), (111, (1, 7, 43)), (117, (1, 16, 22)))
    found = [node_connectivity(Network.of(Circulant(n, s))).value for n, s in cases]
    return Outcome(
        "open",
        f"vertex connectivity {', '.join(map(str, found))} for N = 21, 55, 111, 117",
        "names of machines and adjectives cannot be computed",
    )


def faults() -> Outcome:
    from hopscape.families.circulant.faults import survey
    from hopscape.families.circulant.repair import repaired_broadcast

    network = Network.of(Circulant(55, (1, 5, 21)))
    router = network.router("closed")
    result = survey(router, (3, 17, 30, 31, 44))  # type: ignore[arg-type]
    repair = repaired_broadcast(network, 0, (3, 17, 30, 31, 44))
    served = verify(repair.schedule).holds and not repair.lost
    return Outcome(
        "open",
        f"with 5 dead nodes {result.delivered} of {result.pairs} pairs delivered,"
        f" {result.detours} by a detour; broadcast repaired: {'yes' if served else 'no'}",
        "the paper gives no algorithm",
    )
