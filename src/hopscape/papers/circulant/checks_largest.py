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
    ulb,
)
from hopscape.ledger.claim import Correction, Outcome, Searched, Tally, judge
from hopscape.ledger.crosscheck import settled
from hopscape.papers.circulant import printed
from hopscape.papers.circulant.atlas import atlas_row, atlas_rows, largest_order
from hopscape.papers.circulant.families import GammaCirculant, OptimalCirculant, theorem1_order
from hopscape.papers.circulant.printed import diameter, distances, in_d, polynomial, shown, wired
from hopscape.papers.circulant.scanning import scan_slice

_BY_SUMS = 4
"""Up to this diameter every pair of generators is tried by adding up: a second of numpy."""
_SEARCHED = 7
"""Up to this one by the search itself, every order down from the ball's bound: seconds."""
_PROVED = 19
"""Up to this one the atlas holds every order up to the ball's bound, N(19, 3) = 9,919."""
_LARGEST_3_4 = 104
"""M(3, 4), by exhaustive search with another program."""
_SEED = 36
"""Of what is drawn."""
Sets = tuple[tuple[int, ...], ...]


def lemma() -> Outcome:
    rng = np.random.default_rng(7)
    wrong, intervals, tally = [], 0, Tally()
    for _ in tally.each("random circulants", range(80), 80):
        nodes = int(rng.integers(20, 300))
        s2, s3 = sorted(rng.choice(np.arange(2, nodes // 2 + 1), 2, replace=False).tolist())
        hops = np.append(distances(nodes, (1, s2, s3)), 0)
        tally.expect("nodes of intervals", nodes)
        skeleton = np.nonzero(hops == np.append(distances(nodes, (s2, s3)), 0))[0]
        for u, v in itertools.pairwise(skeleton.tolist()):
            intervals += 1
            most, place = largest_between(u, v, int(hops[u]), int(hops[v]))
            if hops[u : v + 1].max() != most or hops[place] != most:
                wrong.append(f"({nodes}; 1, {s2}, {s3}), from {u} to {v}")
            tally.add("nodes of intervals", v - u)
    return judge(wrong, f"{intervals:,} intervals compared", searched=tally)


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
    tally = Tally()
    tally.expect("graphs", 18 + 2 * 12)  # (17) always, (5) and (18) unless d = 1, 4, 7, ...
    for d, (nodes, *pairs) in tally.each("rows", printed.TABLE.items(), 18):
        if not nodes == max_order(d, 3) == in_d(printed.LARGEST, d):
            wrong.append(f"d = {d}: order {nodes}")
        for name, pair in zip(("17", "5", "18"), pairs, strict=True):
            if pair is None:
                continue
            formula = _formula(name, d)
            if diameter(nodes, (1, *pair)) != d or formula is None:
                wrong.append(f"d = {d}: {shown(nodes, (1, *pair))}")
            elif formula != pair:
                same = fold(nodes, formula) == fold(nodes, pair)
                (folded if same else wrong).append(f"d = {d}, ({name}): {pair} for {formula}")
            tally.add("graphs")
    note = f"folded, not as the formula: {'; '.join(folded)}" if folded else ""
    return judge(wrong, "d = 1..18", note=note, searched=tally)


def families() -> Outcome:
    wrong, tally = [], Tally()
    tally.expect("graphs", 1 + 19 * 3)
    for d in range(1, 21):
        variants = {"17": printed.LARGEST}
        if d % 3 == 1 and d > 1:
            variants |= {"5+": printed.THEOREM_1, "5-": printed.THEOREM_1}
        elif d > 1:
            variants |= {"5": printed.THEOREM_1, "18": printed.LARGEST}
        for variant, orders in tally.each("graphs", variants.items()):
            member = OptimalCirculant(d, variant)
            order = in_d(orders, d)
            pair = _formula(variant, d)
            assert pair is not None
            same = fold(order, member.generators) == fold(order, (1, *pair))
            if member.order != order or not same or int(wired(member).max()) != d:
                wrong.append(f"d = {d}, ({variant}): {shown(member.order, member.generators)}")
    return judge(wrong, "d = 1..20", searched=tally)


def two_parameters() -> Outcome:
    wrong, beyond, tally = [], 0, Tally()
    tally.expect("graphs", 9 * 10)  # 2 + 4 + ... + 18
    for d in range(2, 11):
        for p in tally.each("graphs", range(1, 2 * d - 1)):
            beyond += p > d
            nodes, steps = set_two_parameter(d, p)
            c = -(-p // 2)
            by_13, by_14 = 2 * d + 1 - 2 * c, (2 * nodes - steps[1]) / (2 * p + 1)
            if 2 * nodes != printed.order_15(d, p) or steps[1:] != (by_13, by_14):
                wrong.append(f"d = {d}, p3 = {p}: {shown(nodes, steps)}")
            elif diameter(nodes, steps) != d:
                wrong.append(f"{shown(nodes, steps)} has diameter {diameter(nodes, steps)}")
    return judge(wrong, f"{beyond} graphs with p3 > d", searched=tally)


def best_split() -> Outcome:
    wrong, most, tally = [], 99, Tally()
    tally.expect("splits", 98 * 99)  # 2 + 4 + ... + 196
    for d in range(2, most + 1):
        values = {p: printed.order_15(d, p) for p in tally.each("splits", range(1, 2 * d - 1))}
        best = tuple(p for p, value in values.items() if value == max(values.values()))
        if best != printed.split_16(d) or max(values.values()) != 2 * in_d(printed.THEOREM_1, d):
            wrong.append(f"d = {d}: largest for p3 = {', '.join(map(str, best))}")
    return judge(wrong, f"d = 2..{most}, every p3 <= 2d - 2", searched=tally)


def equations() -> Outcome:
    wrong, tally = [], Tally()
    tally.expect("graphs", 58 + 19)  # one for each d, two for d = 4, 7, ..., 58
    for d in range(2, 60):
        for variant in tally.each("graphs", ("5+", "5-") if d % 3 == 1 else ("5",)):
            n = in_d(printed.THEOREM_1, d)
            pair = _formula(variant, d)
            assert pair is not None
            s2, s3 = pair
            p = n // s3
            r = n - p * s3 if p % 2 == 0 else (p + 1) * s3 - n
            rest = d - -(-p // 2)
            values = {
                "(10)": 2 * n == (2 * p + 1) * s3 + s2,
                "(11)": r == max_order(rest, 2) and s2 == 2 * rest + 1,
                "1 <= r < s3": 1 <= r < s3,
                "s2 < r": s2 < r,
            }
            wrong += [
                f"d = {d}, ({variant}): not {name}" for name, true in values.items() if not true
            ]
    return judge(wrong, "graphs of (5), d = 2..59", searched=tally)


@cache
def _scanned(nodes: int, d: int) -> tuple[Sets, int]:
    """All ring sets of three generators of diameter at most d, not only up to multipliers.

    And how many sets the search has tried.
    """
    if nodes < 6:
        return (), 0
    scan = scan_slice(nodes, 3, d, [(1, 2, nodes // 2 + 1)], every=True)
    out = {
        fold(nodes, [pow(u, -1, nodes) * s for s in row])
        for row in scan["sets"]
        for u in row
        if math.gcd(u, nodes) == 1
    }
    return tuple(sorted(s for s in out if 0 <= diameter(nodes, s) <= d)), scan["tested"]


def _ring_sets(nodes: int, d: int) -> Sets:
    return _scanned(nodes, d)[0]


@cache
def _pairs_to_try(nodes: int, d: int) -> int:
    """How many pairs s2 < s3 a search has to try, from theory.

    Neither pairs that the multiplier 1/s2 or 1/s3 turns into an earlier one, nor those in which
    {1, s2} reaches so few that no third generator could bring everybody within d.
    """
    half = nodes // 2
    inverse = np.arange(half + 1)
    for s in range(2, half + 1):
        if math.gcd(s, nodes) == 1:
            u = pow(s, -1, nodes)
            inverse[s] = min(u, nodes - u)
    firsts = np.nonzero(inverse >= np.arange(half + 1))[0][2:]
    rows, reached = np.arange(len(firsts)), np.zeros((len(firsts), nodes), dtype=bool)
    could = np.zeros(len(firsts), dtype=np.int64)
    for r in range(d + 1):  # a + b·s2 with |a| + |b| = r
        for a in range(-r, r + 1):
            for b in (r - abs(a), abs(a) - r):
                reached[rows, (a + b * firsts) % nodes] = True
        could += (1 if r == d else 2) * reached.sum(axis=1)
    return sum(int((inverse[s2 + 1 :] >= s2).sum()) for s2 in firsts[could >= nodes].tolist())


def _drawn_orders(count: int) -> list[tuple[int, int]]:
    """Orders above the largest of their diameter, drawn from the seed: the search finds nothing."""
    rng = np.random.default_rng(_SEED)
    diameters = rng.integers(_BY_SUMS, _SEARCHED + 1, count).tolist()
    return [(int(rng.integers(max_order(d, 3) + 1, ball(d, 3) + 1)), d) for d in diameters]


def _counted(wrong: list[str]) -> tuple[int, int]:
    """Pairs that the search tries at drawn orders without a graph, and pairs that are to try."""
    tried = theory = 0
    for nodes, d in _drawn_orders(6):
        sets, tested = _scanned(nodes, d)
        wrong += [f"d = {d}, N = {nodes}: {sets[0]}"] if sets else []
        tried, theory = tried + tested, theory + _pairs_to_try(nodes, d)
    return tried, theory


def _covering_pairs(nodes: int, d: int) -> tuple[list[tuple[int, ...]], int]:
    """Ring sets of three generators of diameter at most d, by counting sums; and pairs tried.

    Nothing of the search is used: {a + b·s2 + c·s3 : |a| + |b| + |c| <= d} must hold all residues.
    O(N² · N(d, 3)) sums.
    """
    box = itertools.product(range(-d, d + 1), repeat=3)
    points = np.asarray([x for x in box if sum(map(abs, x)) <= d])
    pairs = np.asarray(list(itertools.combinations(range(2, nodes // 2 + 1), 2)))
    covering: list[tuple[int, ...]] = []
    for some in np.array_split(pairs, max(1, len(pairs) * len(points) // 2_000_000)):
        sums = (points[:, :1] + points[:, 1:] @ some.T) % nodes
        seen = np.zeros((nodes, len(some)), dtype=bool)
        seen[sums, np.arange(len(some))] = True
        covering += [(1, *row) for row in some[seen.all(axis=0)].tolist()]
    return covering, len(pairs)


def theorem2() -> Outcome:
    """By sums for small d, by the search for larger ones, by the atlas as far as it is proved."""
    wrong, largest, sets, tried, theory = [], {}, {}, 0, 0
    for d in range(1, _BY_SUMS + 1):
        for nodes in range(ball(d, 3), 5, -1):
            covering, pairs = _covering_pairs(nodes, d)
            tried += pairs
            theory += math.comb(nodes // 2 - 1, 2)
            if set(covering) != set(_ring_sets(nodes, d)):
                wrong.append(f"d = {d}, N = {nodes}: the search finds other sets than the sums")
            if covering:
                largest[d], sets[d] = nodes, len(covering)
                break
    scanned = tested = to_test = 0
    for d in range(_BY_SUMS + 1, _SEARCHED + 1):
        largest[d] = next((n for n in range(ball(d, 3), 5, -1) if _ring_sets(n, d)), 0)
        sets[d] = len(_ring_sets(largest[d], d))
        scanned += sum(1 for n in range(largest[d], ball(d, 3) + 1) if _scanned(n, d)[1])
        tested += sum(_scanned(n, d)[1] for n in range(largest[d], ball(d, 3) + 1))
        to_test += sum(_pairs_to_try(n, d) for n in range(max_order(d, 3), ball(d, 3) + 1))
    counted = _counted(wrong)
    rows, rows_theory, unproved = 0, 0, []
    for d in range(1, _PROVED + 1):
        found_row = largest_order(d, 6)
        if found_row is None or not found_row[1]:
            unproved.append(d)
            continue
        row = found_row[0]
        if d <= _SEARCHED and row.nodes != largest[d]:
            wrong.append(f"d = {d}: the atlas says {row.nodes}, the search {largest[d]}")
        largest[d] = row.nodes
        if any(diameter(row.nodes, s) != d for s in row.sets):
            wrong.append(f"d = {d}: {shown(row.nodes, row.sets[0])} has another diameter")
        above = list(atlas_rows(6, row.nodes + 1, ball(d, 3)))
        rows += len(above)
        rows_theory += ball(d, 3) - row.nodes
        wrong += [f"d = {d}: {shown(r.nodes, r.sets[0])}" for r in above if r.diameter <= d]
    rng = np.random.default_rng(_SEED)
    tally = Tally()
    for nodes in tally.each("drawn orders", rng.integers(60, max_order(5, 3), 12).tolist(), 12):
        drawn = atlas_row(nodes, 6)
        low = ulb(nodes, 3)
        least = next((d for d in range(low, low + 3) if _ring_sets(nodes, d)), -1)
        if drawn is None or drawn.diameter != least or diameter(nodes, drawn.sets[0]) != least:
            wrong.append(f"N = {nodes}: the atlas says {drawn}, the search {least}")
    wrong += [
        f"d = {d}: {n}"
        for d, n in tally.each("largest orders", sorted(largest.items()), _PROVED)
        if not n == max_order(d, 3) == in_d(printed.LARGEST, d)
    ]
    wrong += [f"d = {d} is not proved by the atlas" for d in unproved]
    orders = [largest[d] for d in sorted(largest)]
    counts = ", ".join(f"{largest[d]} ({sets[d]})" for d in sets)
    return judge(
        wrong,
        f"largest orders (number of ring sets), d = 1..{_SEARCHED}: {counts}; by the atlas"
        f" d = 1..{_PROVED}: {', '.join(map(str, orders[_SEARCHED:]))}",
        note="beyond the atlas only as far as the proof, which assumes polynomials",
        values={"orders": orders, "sets": list(sets.values())},
        searched=[
            Searched("pairs by sums", tried, theory),
            Searched(
                "orders scanned",
                scanned,
                sum(
                    ball(d, 3) - in_d(printed.LARGEST, d) + 1
                    for d in range(_BY_SUMS + 1, _SEARCHED + 1)
                ),
            ),
            Searched("pairs tried by the search", tested, to_test),
            Searched("pairs at drawn orders", *counted),
            Searched("larger orders in the atlas", rows, rows_theory),
            *tally,
        ],
    )


def _wide(sets: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    return [s for s in sets if s[1] < s[2] - s[1]]


def theorem1() -> Outcome:
    wrong, orders, tried, theory, tested, to_test = [], [], 0, 0, 0, 0
    for d in range(2, _SEARCHED + 1):
        order = 0
        for order in range(ball(d, 3), 5, -1):
            if d <= _BY_SUMS:
                ring_sets, pairs = _covering_pairs(order, d)
                tried, theory = tried + pairs, theory + math.comb(order // 2 - 1, 2)
                if set(_wide(ring_sets)) != set(_wide(_ring_sets(order, d))):
                    wrong.append(f"d = {d}, N = {order}: the search finds other sets than the sums")
            else:
                ring_sets = list(_ring_sets(order, d))
                tested += _scanned(order, d)[1]
            if _wide(ring_sets):
                break
        if d > _BY_SUMS:
            down = range(in_d(printed.THEOREM_1, d), ball(d, 3) + 1)
            to_test += sum(_pairs_to_try(n, d) for n in down)
        orders.append(order)
        if not order == theorem1_order(d) == in_d(printed.THEOREM_1, d):
            wrong.append(f"d = {d}: {order}")
    counted = _counted(wrong)
    return judge(
        wrong,
        f"largest orders {', '.join(map(str, orders))}",
        values={"orders": orders},
        searched=[
            Searched("pairs by sums", tried, theory),
            Searched("pairs tried by the search", tested, to_test),
            Searched("pairs at drawn orders", *counted),
        ],
    )


def odd() -> Outcome:
    """M(3, 4) by all sets of four generators with a 1; an order that is drawn is searched twice."""
    d, n = 3, 4
    sets: list[list[int]] = []
    tested = []
    for nodes in range(ball(d, n), 2 * n, -1):
        scan = scan_slice(nodes, n, d, [(1, 2, nodes // 2 + 1)])
        sets = scan["sets"]
        tested.append(scan["tested"])
        if sets:
            break
    ours = []
    drawn = int(np.random.default_rng(_SEED).integers(60, nodes))  # below the largest: sets exist
    mine = _fours(drawn, d)
    theirs = bool(scan_slice(drawn, n, d, [(1, 2, drawn // 2 + 1)])["sets"])
    if mine != theirs or (_fours(nodes, d, sets[0]) if sets else False) is False:
        ours.append(f"N = {drawn}: sets of diameter {d} exist: {mine}, the search says {theirs}")
    even = [f"M({e}, {m})" for e in range(200) for m in (1, 2, 3) if max_order(e, m) % 2 == 0]
    if nodes % 2 == 0 and sets and diameter(nodes, sets[0]) <= d:
        even.append(f"M({d}, {n}) = {nodes} by {shown(nodes, sets[0])}")
    tried = f"M({d}, {n}) = {nodes}; closed forms for n <= 3 and d < 200"
    outcome = judge(
        even,
        tried,
        values={"M(3, 4)": nodes, "sets": len(sets), "set": sets[0] if sets else []},
        searched=[
            Searched("orders", len(tested), ball(d, n) - _LARGEST_3_4 + 1),
            Searched("sets", sum(tested)),
        ],
    )
    return settled(ours, outcome)


def _fours(nodes: int, d: int, given: Sequence[int] | None = None) -> bool:
    """Does a set of four generators with a 1 (or the given one) have diameter <= d? By sums."""
    box = itertools.product(range(-d, d + 1), repeat=4)
    points = np.asarray([x for x in box if sum(map(abs, x)) <= d])
    if given is not None:
        return len(np.unique(points @ np.asarray(given) % nodes)) == nodes
    rest = np.asarray(list(itertools.combinations(range(2, nodes // 2 + 1), 3)))
    for some in np.array_split(rest, max(1, len(rest) * len(points) // 2_000_000)):
        sums = (points[:, :1] + points[:, 1:] @ some.T) % nodes
        seen = np.zeros((nodes, len(some)), dtype=bool)
        seen[sums, np.arange(len(some))] = True
        if seen.all(axis=0).any():
            return True
    return False


def even_s2() -> Outcome:
    even: list[tuple[int, str]] = []
    tried = theory = 0
    for d in range(2, _SEARCHED + 1):
        order = theorem1_order(d)
        tried, theory = tried + _scanned(order, d)[1], theory + _pairs_to_try(order, d)
        for s in _wide(_ring_sets(order, d)):
            if s[1] % 2 == 0:
                even.append((d, f"d = {d}: {shown(order, s)}"))
    wrong = [text for d, text in even if d != 2]
    if not even:
        wrong = ["there is none for d = 2 either"]
    return judge(
        wrong,
        f"even s2: {'; '.join(text for _, text in even) or 'none'}",
        values={"even": len(even), "d": [d for d, _ in even]},
        searched=[Searched("pairs tried by the search", tried, theory)],
    )


def double_s2() -> Outcome:
    """As printed s3 may also stand for N - s3, as d = 1 needs it."""
    folded: list[tuple[int, str]] = []
    signed: list[tuple[int, str]] = []
    tried = theory = 0
    for d in range(1, _SEARCHED + 1):
        order = max_order(d, 3)
        tried, theory = tried + _scanned(order, d)[1], theory + _pairs_to_try(order, d)
        for s in _ring_sets(order, d):
            if 2 * s[1] == s[2]:
                folded.append((d, f"d = {d}: {shown(order, s)}"))
            for i, j in ((1, 2), (2, 1)):
                if 2 * s[i] == order - s[j]:
                    signed.append((d, f"d = {d}: {shown(order, (1, s[i], order - s[j]))}"))
    doubled = folded + signed
    wrong = [text for d, text in doubled if d != 1]
    if len(wrong) == len(doubled):
        wrong.append("d = 1: none")
    texts = ["; ".join(text for _, text in some) or "none" for some in (folded, signed)]
    return judge(
        wrong,
        f"folded to N/2: {texts[0]}; unfolded: {texts[1]}",
        Correction(
            "true for generators up to N/2 and d >= 2", [text for d, text in folded if d != 1]
        ),
        values={"folded": [d for d, _ in folded], "unfolded": [d for d, _ in signed]},
        searched=[Searched("pairs tried by the search", tried, theory)],
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
    return judge(
        wrong,
        f"multipliers by d {', '.join(shown_ones[:6])}, ...",
        searched=[Searched("multipliers", len(shown_ones), 2 * 10)],  # d = 2..30 but 4, 7, ..., 28
    )


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
    return judge(
        wrong,
        "d < 60",
        Correction("for d >= 2", late),
        values={"exceptions": len(wrong)},
        searched=[Searched("pairs", pairs, 59 + sum(d % 3 != 1 for d in range(2, 60)))],
    )


def gamma() -> Outcome:
    wrong, tally = [], Tally()
    for p in tally.each("graphs", range(2, 21, 2), 10):
        member, d = GammaCirculant(p), 3 * p // 2
        pair = _formula("5", d)
        assert pair is not None
        same = (member.order, member.generators) == (in_d(printed.THEOREM_1, d), (1, *pair))
        if not same or (p <= 12 and int(wired(member).max()) != d):
            wrong.append(f"p = {p}: {shown(member.order, member.generators)}")
    return judge(wrong, "compared with (4) and (5), p = 2, 4, ..., 20", searched=tally)
