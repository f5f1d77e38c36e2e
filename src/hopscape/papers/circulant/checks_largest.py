"""Checks of the largest circulants with three generators: theorems 1 and 2 and the way to them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import cache

import numpy as np

from hopscape.families.circulant.closed_forms import (
    ball,
    find_multiplier,
    fold,
    max_order,
    set_17,
    set_18,
    set_two_parameter,
)
from hopscape.ledger.claim import Correction, Outcome, judge
from hopscape.papers.circulant import printed
from hopscape.papers.circulant.families import GammaCirculant, OptimalCirculant, theorem1_order
from hopscape.papers.circulant.printed import diameter, distances, in_d, polynomial, shown, wired
from hopscape.papers.circulant.scanning import scan_slice

_SEARCHED = 7
Sets = tuple[tuple[int, ...], ...]


def lemma() -> Outcome:
    rng = np.random.default_rng(7)
    wrong, intervals = [], 0
    for _ in range(80):
        nodes = int(rng.integers(20, 300))
        s2, s3 = sorted(rng.choice(np.arange(2, nodes // 2 + 1), 2, replace=False).tolist())
        hops = np.append(distances(nodes, (1, s2, s3)), 0)
        skeleton = np.nonzero(hops == np.append(distances(nodes, (s2, s3)), 0))[0]
        for u, v in itertools.pairwise(skeleton.tolist()):
            intervals += 1
            most, place = largest_between(u, v, int(hops[u]), int(hops[v]))
            if hops[u : v + 1].max() != most or hops[place] != most:
                wrong.append(f"({nodes}; 1, {s2}, {s3}), from {u} to {v}")
    return judge(wrong, f"{intervals:,} intervals compared")


def largest_between(u: int, v: int, at_u: int, at_v: int) -> tuple[int, int]:
    """The lemma: the largest distance between two vertices, and where."""
    return (v - u + at_u + at_v) // 2, (v + u + at_v - at_u) // 2


def _formula(name: str, d: int) -> tuple[int, ...] | None:
    """The pair of (17), (5) or (18) as printed."""
    rest = d % 3
    pair: Sequence[Sequence[int]] | None = printed.SETS_5.get((rest, name))
    if pair is None and name in ("17", "18"):
        pair = (printed.SETS_17 if name == "17" else printed.SETS_18)[rest]
    return None if pair is None else tuple(polynomial(row, d // 3) for row in pair)


def table() -> Outcome:
    wrong: list[str] = []
    folded: list[str] = []
    graphs = 0
    for d, (nodes, *pairs) in printed.TABLE.items():
        if not nodes == max_order(d, 3) == in_d(printed.LARGEST, d):
            wrong.append(f"d = {d}: order {nodes}")
        for name, pair in zip(("17", "5", "18"), pairs, strict=True):
            if pair is None:
                continue
            graphs += 1
            formula = _formula(name, d)
            if diameter(nodes, (1, *pair)) != d or formula is None:
                wrong.append(f"d = {d}: {shown(nodes, (1, *pair))}")
            elif formula != pair:
                same = fold(nodes, formula) == fold(nodes, pair)
                (folded if same else wrong).append(f"d = {d}, ({name}): {pair} for {formula}")
    note = f"folded, not as the formula: {'; '.join(folded)}" if folded else ""
    return judge(wrong, f"{graphs} graphs measured", note=note)


def families() -> Outcome:
    wrong, graphs = [], 0
    for d in range(1, 21):
        variants = {"17": printed.LARGEST}
        if d % 3 == 1 and d > 1:
            variants |= {"5+": printed.THEOREM_1, "5-": printed.THEOREM_1}
        elif d > 1:
            variants |= {"5": printed.THEOREM_1, "18": printed.LARGEST}
        for variant, orders in variants.items():
            member = OptimalCirculant(d, variant)
            graphs += 1
            order = in_d(orders, d)
            pair = _formula(variant, d)
            assert pair is not None
            same = fold(order, member.generators) == fold(order, (1, *pair))
            if member.order != order or not same or int(wired(member).max()) != d:
                wrong.append(f"d = {d}, ({variant}): {shown(member.order, member.generators)}")
    return judge(wrong, f"{graphs} graphs measured")


def two_parameters() -> Outcome:
    wrong, graphs, beyond = [], 0, 0
    for d in range(2, 11):
        for p in range(1, 2 * d - 1):
            graphs += 1
            beyond += p > d
            nodes, steps = set_two_parameter(d, p)
            c = -(-p // 2)
            by_13, by_14 = 2 * d + 1 - 2 * c, (2 * nodes - steps[1]) / (2 * p + 1)
            if 2 * nodes != printed.order_15(d, p) or steps[1:] != (by_13, by_14):
                wrong.append(f"d = {d}, p3 = {p}: {shown(nodes, steps)}")
            elif diameter(nodes, steps) != d:
                wrong.append(f"{shown(nodes, steps)} has diameter {diameter(nodes, steps)}")
    return judge(wrong, f"{graphs} graphs measured, {beyond} of them with p3 > d")


def best_split() -> Outcome:
    wrong, most = [], 99
    for d in range(2, most + 1):
        values = {p: printed.order_15(d, p) for p in range(1, 2 * d - 1)}
        best = tuple(p for p, value in values.items() if value == max(values.values()))
        if best != printed.split_16(d) or max(values.values()) != 2 * in_d(printed.THEOREM_1, d):
            wrong.append(f"d = {d}: largest for p3 = {', '.join(map(str, best))}")
    return judge(wrong, f"d = 2..{most}, every p3 <= 2d - 2")


def equations() -> Outcome:
    wrong, graphs = [], 0
    for d in range(2, 60):
        for variant in ("5+", "5-") if d % 3 == 1 else ("5",):
            graphs += 1
            n = in_d(printed.THEOREM_1, d)
            pair = _formula(variant, d)
            assert pair is not None
            s2, s3 = pair
            p = n // s3
            r = n - p * s3 if p % 2 == 0 else (p + 1) * s3 - n
            rest = d - -(-p // 2)
            told = {
                "(10)": 2 * n == (2 * p + 1) * s3 + s2,
                "(11)": r == max_order(rest, 2) and s2 == 2 * rest + 1,
                "1 <= r < s3": 1 <= r < s3,
                "s2 < r": s2 < r,
            }
            wrong += [
                f"d = {d}, ({variant}): not {name}" for name, true in told.items() if not true
            ]
    return judge(wrong, f"{graphs} graphs of (5), d = 2..59")


@cache
def _ring_sets(nodes: int, d: int) -> Sets:
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
    return tuple(sorted(s for s in out if 0 <= diameter(nodes, s) <= d))


def theorem2() -> Outcome:
    wrong, counts = [], []
    for d in range(1, _SEARCHED + 1):
        largest = next((n for n in range(ball(d, 3), 5, -1) if _ring_sets(n, d)), 0)
        counts.append(f"{largest} ({len(_ring_sets(largest, d))})")
        if not largest == max_order(d, 3) == in_d(printed.LARGEST, d):
            wrong.append(f"d = {d}: {largest}")
    measured = f"largest orders (number of ring sets): {', '.join(counts)}"
    return judge(
        wrong,
        measured,
        note="beyond the search only as far as the proof, which assumes polynomials",
    )


def _wide(sets: Sets) -> list[tuple[int, ...]]:
    return [s for s in sets if s[1] < s[2] - s[1]]


def theorem1() -> Outcome:
    wrong, orders = [], []
    for d in range(2, _SEARCHED + 1):
        order = next((n for n in range(ball(d, 3), 5, -1) if _wide(_ring_sets(n, d))), 0)
        orders.append(str(order))
        if not order == theorem1_order(d) == in_d(printed.THEOREM_1, d):
            wrong.append(f"d = {d}: {order}")
    return judge(wrong, f"largest orders {', '.join(orders)}")


def odd() -> Outcome:
    d, n = 3, 4
    found: list[list[int]] = []
    for nodes in range(ball(d, n), 2 * n, -1):
        found = scan_slice(nodes, n, d, [(1, 2, nodes // 2 + 1)])["sets"]
        if found:
            break
    even = [f"M({e}, {m})" for e in range(200) for m in (1, 2, 3) if max_order(e, m) % 2 == 0]
    if nodes % 2 == 0 and found and diameter(nodes, found[0]) <= d:
        even.append(f"M({d}, {n}) = {nodes} by {shown(nodes, found[0])}")
    tried = f"M({d}, {n}) = {nodes}; closed forms for n <= 3 and d < 200"
    return judge(even, tried)


def even_s2() -> Outcome:
    even: list[tuple[int, str]] = []
    for d in range(2, _SEARCHED + 1):
        order = theorem1_order(d)
        for s in _wide(_ring_sets(order, d)):
            if s[1] % 2 == 0:
                even.append((d, f"d = {d}: {shown(order, s)}"))
    wrong = [text for d, text in even if d != 2]
    if not even:
        wrong = ["there is none for d = 2 either"]
    return judge(wrong, f"even s2: {'; '.join(text for _, text in even) or 'none'}")


def double_s2() -> Outcome:
    """As printed s3 may also stand for N - s3, as d = 1 needs it."""
    folded: list[tuple[int, str]] = []
    signed: list[tuple[int, str]] = []
    for d in range(1, _SEARCHED + 1):
        order = max_order(d, 3)
        for s in _ring_sets(order, d):
            if 2 * s[1] == s[2]:
                folded.append((d, f"d = {d}: {shown(order, s)}"))
            for i, j in ((1, 2), (2, 1)):
                if 2 * s[i] == order - s[j]:
                    signed.append((d, f"d = {d}: {shown(order, (1, s[i], order - s[j]))}"))
    found = folded + signed
    wrong = [text for d, text in found if d != 1]
    if len(wrong) == len(found):
        wrong.append("d = 1: none")
    told = ["; ".join(text for _, text in some) or "none" for some in (folded, signed)]
    return judge(
        wrong,
        f"folded to N/2: {told[0]}; unfolded: {told[1]}",
        Correction(
            "true for generators up to N/2 and d >= 2", [text for d, text in folded if d != 1]
        ),
    )


def equivalent_18() -> Outcome:
    wrong, shown_ones = [], []
    for d in range(2, 31):
        pair, other = _formula("18", d), set_18(d)
        if pair is None or other is None:
            wrong += [f"d = {d}"] if pair != other else []
            continue
        order = in_d(printed.LARGEST, d)
        u = find_multiplier(order, set_17(d), (1, *pair))
        image = None if u is None else fold(order, [u * s for s in set_17(d)])
        if image != fold(order, (1, *pair)) or fold(order, other) != image:
            wrong.append(f"d = {d}: no multiplier")
        shown_ones.append(f"{d}: {u}")
    return judge(wrong, f"{len(shown_ones)} multipliers, by d {', '.join(shown_ones[:6])}, ...")


def wide_sets() -> Outcome:
    wrong, late, pairs = [], [], 0
    for d in range(1, 60):
        for name in ("17", "18"):
            pair = _formula(name, d)
            if pair is not None and (name == "17" or d > 1):
                pairs += 1
                if not pair[0] > pair[1] - pair[0]:
                    wrong.append(f"d = {d}, ({name}): {pair}")
                    late += wrong[-1:] if d > 1 else []
    return judge(wrong, f"{pairs} pairs, d < 60", Correction("for d >= 2", late))


def gamma() -> Outcome:
    wrong, graphs = [], 0
    for p in range(2, 21, 2):
        graphs += 1
        member, d = GammaCirculant(p), 3 * p // 2
        pair = _formula("5", d)
        assert pair is not None
        same = (member.order, member.generators) == (in_d(printed.THEOREM_1, d), (1, *pair))
        if not same or (p <= 12 and int(wired(member).max()) != d):
            wrong.append(f"p = {p}: {shown(member.order, member.generators)}")
    return judge(wrong, f"{graphs} graphs compared with (4) and (5), p = 2, 4, ..., 20")
