"""Checks of the paper's bounds, of circulants with two generators, and of the older families."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np

from hopscape.families.circulant.closed_forms import (
    ball,
    find_multiplier,
    fold,
    least_mean,
    max_order,
    ulb,
)
from hopscape.families.circulant.wiring import Circulant
from hopscape.ledger.claim import Correction, Outcome, Searched, Tally, judge
from hopscape.papers.circulant import printed
from hopscape.papers.circulant.families import (
    ChenJia,
    DoubleLoop,
    LargestDoubleLoop,
    WongCoppersmith,
    Yebra,
    chen_jia_order,
)
from hopscape.papers.circulant.printed import diameter, distances, polynomial, shown, wired


@cache
def _points(d: int, n: int) -> int:
    """Points within d steps in n dimensions, by the recurrence of Delannoy's numbers."""
    if d == 0 or n == 0:
        return 1
    return _points(d - 1, n) + _points(d, n - 1) + _points(d - 1, n - 1)


def _radius(nodes: int, n: int) -> int:
    """The least d with as many points within it, one after the other."""
    return next(d for d in itertools.count() if _points(d, n) >= nodes)


def ball_formula() -> Outcome:
    wrong, tally = [], Tally()
    balls = itertools.product(range(1, 5), range(6))
    for n, d in tally.each("balls counted point by point", balls, 4 * 6):
        box = itertools.product(range(-d, d + 1), repeat=n)
        points = sum(sum(map(abs, x)) <= d for x in box)
        terms = (math.comb(n, i) * math.comb(d, n - i) * 2 ** (n - i) for i in range(n + 1))
        if not points == ball(d, n) == sum(terms):
            wrong.append(f"d = {d}, n = {n}: {points} points, {ball(d, n)} by the formula")
    polynomials = itertools.product(range(200), (1, 2, 3))
    for d, n in tally.each("values of polynomials", polynomials, 200 * 3):
        scale = 3 if n == 3 else 1
        if scale * ball(d, n) != polynomial(printed.BALLS[n - 1], d):
            wrong.append(f"d = {d}, n = {n}: {ball(d, n)} against the polynomial")
    return judge(
        wrong,
        "counts and polynomials compared",
        values={"N(5, n)": [ball(5, n) for n in range(1, 5)]},
        searched=tally,
    )


def ulb_two() -> Outcome:
    wrong, tally = [], Tally()
    for nodes in tally.each("orders", range(1, 4001), 4000):
        least = next(d for d in itertools.count() if 2 * d * d + 2 * d + 1 >= nodes)
        root = math.isqrt(2 * nodes - 2) + 1 if nodes > 1 else 1  # ⌈√(2N-1)⌉
        if not -(-(root - 1) // 2) == ulb(nodes, 2) == least:
            wrong.append(f"N = {nodes}: {ulb(nodes, 2)}, the least is {least}")
    return judge(wrong, "N = 1..4,000", searched=tally)


def ulb_bound() -> Outcome:
    tally = Tally()
    pairs = itertools.product(range(1, 7), range(1, 800))
    wrong = [
        f"N = {nodes}, n = {n}: ulb = {ulb(nodes, n)}, the least radius {_radius(nodes, n)}"
        for n, nodes in tally.each("pairs of N and n", pairs, 6 * 799)
        if ulb(nodes, n) != _radius(nodes, n)
        or (2 * _radius(nodes, n) + n + 1) ** n < math.factorial(n) * nodes
    ]
    return judge(
        wrong,
        "n = 1..6, N < 800",
        values={"ulb(799, n)": [ulb(799, n) for n in range(1, 7)]},
        searched=tally,
    )


def ulb_below() -> Outcome:
    rng = np.random.default_rng(3)
    wrong, equal, tally = [], 0, Tally()
    for _ in tally.each("random graphs", range(400), 400):
        nodes, n = int(rng.integers(12, 200)), int(rng.integers(1, 5))
        steps = [1, *rng.choice(np.arange(2, nodes // 2 + 1), n - 1, replace=False).tolist()]
        measured, least = diameter(nodes, steps), ulb(nodes, n)
        equal += measured == least
        if measured < least or least != _radius(nodes, n):
            wrong.append(f"{shown(nodes, steps)}: {measured}, ulb {least}")
    return judge(
        wrong,
        f"{equal} of 400 random graphs of the least diameter",
        values={"of least diameter": equal},
        searched=tally,
    )


def max_small_n() -> Outcome:
    wrong, graphs = [], 0
    for d in range(1, 31):
        loop = LargestDoubleLoop(d)
        for n, nodes, hops in (
            (1, 2 * d + 1, diameter(2 * d + 1, (1,))),
            (2, 2 * d * d + 2 * d + 1, int(wired(loop).max())),
        ):
            graphs += 1
            if hops != d or not nodes == ball(d, n) == max_order(d, n):
                wrong.append(f"n = {n}, d = {d}: diameter {hops} with {nodes} nodes")
        if (loop.order, fold(loop.order, loop.generators)) != (
            2 * d * d + 2 * d + 1,
            fold(2 * d * d + 2 * d + 1, (1, 2 * d + 1)),
        ):
            wrong.append(f"d = {d}: {loop.generators}")
    return judge(wrong, f"{graphs} graphs measured", searched=[Searched("graphs", graphs, 2 * 30)])


def max_below() -> Outcome:
    wrong, less, gaps = [], 0, []
    for d in range(1, 200):
        most, points = max_order(d, 3), ball(d, 3)
        if most > points or (most, points) != (_largest(d), _points(d, 3)):
            wrong.append(f"d = {d}: {most} nodes, {points} points")
        less += most < points
        gaps += [points - most]
    return judge(
        wrong,
        f"d = 1..199, n = 3: less for {less}, equal for {199 - less}",
        values={"N(d, 3) - M(d, 3), d = 1..12": gaps[:12]},
        searched=[Searched("diameters", len(gaps), 199)],
    )


def _largest(d: int) -> int:
    """M(d, 3) as theorem 2 prints it."""
    return polynomial(printed.LARGEST[d % 3], d // 3)


def _double_loops(variant: str, tally: Tally) -> tuple[list[str], int]:
    """Exceptions to the least diameter, and orders of the least mean."""
    wrong, least = [], 0
    for nodes in tally.each("orders", range(5, 201), 200 - 4):
        s = ulb(nodes, 2)
        if variant == "nearest":
            s = next(x for x in itertools.count() if 4 * (x + 1) ** 2 > 2 * nodes - 1)
        loop = DoubleLoop(nodes, variant)
        hops = wired(loop)
        if int(hops.max()) != ulb(nodes, 2) or loop.generators != (s, s + 1):
            wrong.append(f"{shown(nodes, loop.generators)} has diameter {hops.max()}")
        shells = least_mean(nodes, 2) * (nodes - 1)
        least += int(hops.sum()) == shells
    return wrong, least


def double_loop_nearest() -> Outcome:
    tally = Tally()
    wrong, least = _double_loops("nearest", tally)
    if least < 196:
        wrong.append(f"the mean distance is not least for {196 - least} of 196 orders")
    text = f"least diameter and mean distance for {least} of 196 orders"
    return judge(wrong, text, searched=tally)


def double_loop_ulb() -> Outcome:
    tally = Tally()
    wrong, least = _double_loops("ulb", tally)
    note = f"the mean distance is not least for {196 - least} of the 196 orders"
    text = f"least diameter for {196 - len(wrong)} of 196 orders"
    return judge(wrong, text, note=note, searched=tally)


def yebra() -> Outcome:
    wrong, tally = [], Tally()
    for d in tally.each("graphs", range(1, 21), 20):
        nodes, member = 3 * d * d + 3 * d + 1, Yebra(d)
        mine, other = (1, 3 * d + 1, 3 * d + 2), (d, d + 1, 2 * d + 1)
        if (member.order, member.generators) != (nodes, mine) or int(wired(member).max()) != d:
            wrong.append(f"d = {d}: {shown(member.order, member.generators)}")
        u = find_multiplier(nodes, mine, other)
        if u is None or fold(nodes, [u * s for s in mine]) != fold(nodes, other):
            wrong.append(f"d = {d}: no multiplier")
    return judge(wrong, "d = 1..20", searched=tally)


def wong_coppersmith() -> Outcome:
    cases = [(b, n) for b in (3, 5, 7, 9, 11) for n in (1, 2, 3, 4, 5) if b**n <= 3000]
    wrong, tally = [], Tally()
    for b, n in tally.each("graphs", cases, 5 + 4 + 4 + 3 + 3):  # powers up to 3,000, by base
        member = WongCoppersmith(b, n)
        measured = int(wired(member).max())
        if 2 * measured != n * (b - 1) or member.generators != tuple(b**i for i in range(n)):
            wrong.append(f"b = {b}, n = {n}: diameter {measured}")
    return judge(wrong, "b = 3, 5, ..., 11", searched=tally)


def wong_third() -> Outcome:
    wrong, most, tally = [], 0.0, Tally()
    for b in tally.each("orders", range(3, 400, 2), 400 // 2 - 1):
        member = WongCoppersmith(b, 3)
        d = member.known_diameter()
        rest = abs(27 * member.order - 8 * d**3)
        most = max(most, rest / (27 * d * d))
        if rest > 3 * 27 * d * d or (member.order, 2 * d) != (b**3, 3 * (b - 1)):
            wrong.append(f"b = {b}: order {member.order}, diameter {d}")
    text = f"b = 3..399: N differs from (8/27)d³ by at most {most:.3g}·d²"
    values = {"largest difference by d²": round(most, 9)}
    return judge(wrong, text, values=values, searched=tally)


def chen_jia() -> Outcome:
    wrong, missing, diameters, tally = [], [], [], Tally()
    below, late = list[str](), list[str]()
    tally.expect("pairs (d, n) without a graph", sum(n - 3 for n in (3, 4, 5)))  # d < 2n - 3
    tally.expect("graphs", 4 * 3 + 2 * 4 + 1 * 5)  # n of each k: k = 1..4, 1..2 and 1
    for n in (3, 4, 5):
        for d in itertools.count(n):
            k = (d - n + 3) // n
            if k == 0:
                missing.append((d, n))
                below.append(f"no graph for d = {d}, n = {n}: k = 0")
                late += [f"d = {d}, n = {n}"] if d >= 2 * n - 3 else []
                tally.add("pairs (d, n) without a graph")
                continue
            nodes = 2 * k * sum((4 * k) ** i for i in range(n))
            if nodes > 3000:
                break
            member = ChenJia(d, n)
            measured = int(wired(member).max())
            diameters.append([d, n, member.order, measured])
            if measured > d or (member.order, chen_jia_order(d, n)) != (nodes, nodes):
                wrong.append(f"d = {d}, n = {n}: {member.order} nodes, diameter {measured}")
            tally.add("graphs")
    return judge(
        wrong + below,
        f"{len(diameters)} graphs measured; k = 0 for {len(missing)} pairs (d, n)",
        Correction("the range is d >= 2n - 3", wrong + late),
        values={"d, n, N, diameter": diameters, "no graph for d, n": missing},
        searched=tally,
    )


def bermond() -> Outcome:
    wrong, tally = [], Tally()
    for d in tally.each("diameters", range(3, 60), 60 - 3):
        k = d // 3
        if 32 * k**3 + 8 * k**2 + 2 * k != chen_jia_order(d, 3):
            wrong.append(f"d = {d}: {chen_jia_order(d, 3)}")
    return judge(wrong, "d = 3..59", searched=tally)


def polynomials() -> Outcome:
    """Differences of the third order vanish for polynomials of the second degree."""
    rows = {
        "M(d, 1)": [max_order(d, 1) for d in range(1, 40)],
        "M(d, 2)": [max_order(d, 2) for d in range(1, 40)],
        "Yebra's N": [Yebra(d).order for d in range(1, 40)],
        "Yebra's s3": [Yebra(d).generators[2] for d in range(1, 40)],
    }
    formulas, tally = ((1, 2), (1, 2, 2), (1, 3, 3), (2, 3)), Tally()
    tally.expect("values", 4 * 39)
    wrong = [
        name
        for (name, row), formula in zip(rows.items(), formulas, strict=True)
        if np.diff(row, 3).any()
        or row != [polynomial(formula, d) for d in tally.each("values", range(1, 40))]
    ]
    degrees = ", ".join(f"{name} {2 if np.diff(row, 2).any() else 1}" for name, row in rows.items())
    return judge(wrong, f"degrees: {degrees}", searched=tally)


def above_older() -> Outcome:
    wrong, late, tally = [], [], Tally()
    for d in tally.each("diameters", range(1, 300), 299):
        base = 2 * d // 3 + 1  # largest odd b with 3(b - 1)/2 <= d
        older = max(3 * d * d + 3 * d + 1, (base - (base % 2 == 0)) ** 3)
        older = max(older, chen_jia_order(d, 3) if d >= 3 else 0)
        if max_order(d, 3) != _largest(d):
            late.append(f"d = {d}: {max_order(d, 3)} by the closed form, {_largest(d)} printed")
        if max_order(d, 3) <= older:
            wrong.append(f"d = {d}: {max_order(d, 3)} against {older}")
            late += wrong[-1:] if d > 1 else []
    return judge(
        wrong + [one for one in late if one not in wrong],
        f"larger for {299 - len(wrong)} of 299",
        Correction("for d >= 2", late),
        values={"not larger for": wrong},
        searched=tally,
    )


def eight_ninths() -> Outcome:
    return Outcome("open", "-", "the text gives no generators for this family")


def translation() -> Outcome:
    from hopscape.core.distances import distances_from
    from hopscape.core.network import Network

    wrong, tally = [], Tally()
    tally.expect("pairs", sum(n * -(-n // 3) for n in (48, 55, 117, 30)))
    for nodes, steps in ((48, (1, 20)), (55, (1, 5, 21)), (117, (1, 16, 22)), (30, (2, 15, 7))):
        plain, network = distances(nodes, steps), Network.of(Circulant(nodes, steps))
        for u in range(0, nodes, 3):
            row = distances_from(network, u)
            bad = np.nonzero(row != plain[(np.arange(nodes) - u) % nodes])[0]
            wrong += [f"{shown(nodes, steps)}: from {u} to {v}" for v in bad.tolist()]
            tally.add("pairs", len(row))
    return judge(wrong, "from every third node of four circulants", searched=tally)
