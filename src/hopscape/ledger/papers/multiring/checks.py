"""Checks of the claims about full rings (chapters 2 and 3)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from hopscape.core.distances import distances_from
from hopscape.core.network import Network
from hopscape.families.multiring.capacity import balanced_schedule, cable, shortest_schedule
from hopscape.families.multiring.search import PRINTED_FAMILY, search_cell
from hopscape.families.multiring.slots import RingRun, ring_traffic, simulate
from hopscape.families.multiring.torus import Line, torus_capacity
from hopscape.families.multiring.wiring import Multiring
from hopscape.ledger.claim import Outcome

TABLE_2_4 = ((16, 4), (16, 6), (32, 6), (32, 8), (64, 8), (64, 10), (128, 10), (128, 12))


def _balanced(n: int, steps: tuple[int, ...], copies: int = 1) -> Fraction:
    found = balanced_schedule(Multiring(n, steps, copies))
    if not found.proved:
        raise AssertionError(f"the certificate of {steps} on {n} nodes does not close")
    return found.capacity


def _run(member: Multiring, mode: str, schedule: str = "balanced", **settings: Any) -> RingRun:
    return simulate(ring_traffic(member, schedule), mode, seed=1, **settings)


def start_nodes() -> Outcome:
    wrong = None
    for n in range(3, 41):
        for s in range(1, n):
            components = {frozenset((x + k * s) % n for k in range(n)) for x in range(n)}
            starts = {min(part) for part in components}
            assert starts == set(range(math.gcd(s, n)))
            if wrong is None and starts != set(range(s)):
                wrong = f"N = {n}, S = {s}: {len(starts)} mini-ring(s), not {s}"
    return Outcome("refuted", wrong or "", "they begin at 0..gcd(S, N)-1")


def symmetric() -> Outcome:
    members = [Multiring(16, (1, 3)), Multiring(37, (1, 2, 3, 7)), Multiring(12, (1, 5, -2)),
               Multiring(15, (2, 5)), Multiring(9, (1,), 3)]  # fmt: skip
    for member in members:
        network = Network.of(member)
        rows = [np.roll(distances_from(network, v), -v).tolist() for v in range(member.n)]
        if any(row != rows[0] for row in rows):
            return Outcome("refuted", f"{member.spec} differs between nodes")
    return Outcome("holds", "distances by difference are equal from all nodes of 5 sets")


def sum_of_routes() -> Outcome:
    found = shortest_schedule(Multiring(16, (1, 3)))
    whole, cut = sum(found.traffic), Fraction(0)
    for row in found.shares:
        cut += sum(row[: len(found.rings) - 1], Fraction(0))
    return Outcome(
        "holds corrected",
        f"routes to N - 1: {whole} of {found.n - 1}; routes to n - 1: {cut}",
        "the upper limit is N - 1",
    )


def two_formulas() -> Outcome:
    sets = 0
    for n, rings in TABLE_2_4:
        member = Multiring(n, PRINTED_FAMILY[rings])
        for found in (shortest_schedule(member), balanced_schedule(member)):
            ratios = [
                c / d for c, d in zip(found.ring_capacities, found.traffic) if c is not None and d
            ]
            if (n - 1) * min(ratios) != found.capacity:
                return Outcome("refuted", f"N = {n}, {member.steps}")
            sets += 1
    return Outcome("holds", f"equal for {sets} schedules")


def simplex_capacity() -> Outcome:
    uniform, others = set(), []
    for n in range(8, 65):
        member = Multiring(n, (1,), simplex=True)
        uniform.add(balanced_schedule(member).capacity)
        near = [Fraction(int(r <= n // 4)) for r in range(1, n)]
        found = balanced_schedule(member, near).capacity
        mean = sum((r * w for r, w in enumerate(near, 1)), Fraction(0)) / sum(near)
        assert found == n / mean
        others.append(found)
    if uniform != {2}:
        return Outcome("refuted", f"uniform routes: {sorted(uniform)[:3]}")
    return Outcome(
        "refuted",
        f"uniform 2; routes up to N/4: {float(min(others)):.2f} to {float(max(others)):.2f}",
        "c = N / mean route; 2 holds when the mean is N/2, as for uniform routes",
    )


def duplex_capacity() -> Outcome:
    for n in range(4, 401):
        found = shortest_schedule(Multiring(n, (1,)))
        exact = Fraction(8 * (n - 1), n) if n % 2 == 0 else Fraction(8 * n, n + 1)
        if found.capacity != exact or len(set(found.loads)) != 1:
            return Outcome("refuted", f"N = {n}: {found.capacity}")
    return Outcome(
        "holds corrected", f"N = 400: {float(exact):.3f}", "8(N-1)/N, or 8N/(N+1) for odd N"
    )


def sum_of_rings() -> Outcome:
    member = Multiring(16, (1, 3))
    exact = shortest_schedule(member)
    run = _run(member, "window", "shortest", window=512, slots=40_000)
    text = f"sum {exact.total_of_rings}, effective {exact.capacity}, simulated {run.throughput:.2f}"
    below = run.throughput + run.throughput_half_width < float(exact.total_of_rings)
    return Outcome("holds" if below and exact.capacity < exact.total_of_rings else "refuted", text)


_SHARES_2_2 = {
    1: "1 1 0 1/2 1 0 0 1/4 0 0 0 0 0 0 0",
    3: "0 0 1 0 0 1 0 1/4 1 0 0 1/2 0 0 0",
    13: "0 0 0 1/2 0 0 1 1/4 0 1 0 0 1 0 0",
    15: "0 0 0 0 0 0 0 1/4 0 0 1 1/2 0 1 1",
}
"""Table 2.2 as printed, by step."""


def table_2_2() -> Outcome:
    found = shortest_schedule(Multiring(16, (1, 3)))
    printed = {s: [Fraction(x) for x in row.split()] for s, row in _SHARES_2_2.items()}
    same = all(list(row) == printed[s] for s, row in zip(found.rings, found.shares))
    loads = ", ".join(map(str, found.loads))
    return Outcome(
        "holds" if same and found.capacity == 20 else "refuted",
        f"C = {found.capacity}, loads {loads}; shares as printed: {same}",
    )


def table_2_3() -> Outcome:
    found = balanced_schedule(Multiring(16, (1, 3)))
    good = found.proved and abs(float(found.capacity) - 21.8) < 0.05
    return Outcome(
        "holds" if good else "refuted",
        f"{found.capacity} = {float(found.capacity):.3f}, all loads {found.load}, proved optimal",
    )


def square_law() -> Outcome:
    ratios = []
    for n in (16, 24, 37, 64, 100, 124):
        for rings in (4, 6):
            best = Fraction(n * (n - 1)) / Fraction(search_cell(n, rings)["load"])
            ratios.append(float(best / rings**2))
    good = min(ratios) > 1 and max(ratios) < 2
    return Outcome("holds" if good else "refuted", f"k from {min(ratios):.2f} to {max(ratios):.2f}")


def table_2_4() -> Outcome:
    cells = [*TABLE_2_4, (37, 8), (67, 8)]
    ratios = [float(_balanced(n, PRINTED_FAMILY[k]) / k**2) for n, k in cells]
    good = min(ratios) > 1 and max(ratios) < 2
    return Outcome("holds" if good else "refuted", f"k from {min(ratios):.3f} to {max(ratios):.3f}")


def table_2_4_band() -> Outcome:
    ratios = {(n, k): float(_balanced(n, PRINTED_FAMILY[k]) / n) for n, k in TABLE_2_4}
    outside = [f"N = {n}, n = {k}: {r:.2f}" for (n, k), r in ratios.items() if not 0.5 <= r <= 2]
    text = f"K from {min(ratios.values()):.2f} to {max(ratios.values()):.2f}"
    return Outcome("refuted" if outside else "holds", text, "; ".join(outside))


def cable_sum() -> Outcome:
    for n in range(4, 65, 2):
        total = 4 + sum(2 * (2 * i - 1) for i in range(1, n // 2))
        assert 2 * total == n * n - 4 * n + 12
    return Outcome(
        "refuted", "n = 8: the sum is 22, n²/2 - 4n is 0", "the sum is n²/2 - 2n + 6 exactly"
    )


def delay_at_rest() -> Outcome:
    member = Multiring(32, (1,), 4)
    waits = [
        _run(member, "open", load=0.31, slots=60_000, insertion=kind).wait for kind in (False, True)
    ]
    assert waits[0] is not None
    assert waits[1] is not None
    good = abs(waits[0] - 0.5) < 0.02 and waits[1] < 0.02
    return Outcome(
        "holds" if good else "refuted", f"{waits[0]:.3f} B and {waits[1]:.3f} B at 1 % load"
    )


def delay_law() -> Outcome:
    found = []
    for member in (Multiring(32, (1,), simplex=True), Multiring(32, (1,))):
        c = balanced_schedule(member).capacity / len(member.rings)
        for insertion in (False, True):
            half = float(c * len(member.rings) / 2)
            run = _run(member, "open", load=half, slots=40_000, insertion=insertion)
            assert run.wait is not None
            found.append(run.wait * float(c) / 2)
    text = "F(c/2) = {:.2f}B, {:.2f}B at c = 2; {:.2f}B, {:.2f}B at c = 3.875".format(*found)
    free = abs(found[0] - found[2]) < 0.25 and abs(found[1] - found[3]) < 0.25
    good = free and abs(found[0] - 2.5) < 0.25 and abs(found[1] - 2) < 0.25
    note = "F grows with c: T = B f(s/c) / (1 - s/c) fits, T = F/(c - s) does not"
    return Outcome("holds" if good else "refuted", text, "" if good else note)


def same_capacity() -> Outcome:
    member = Multiring(16, (1, 3))
    runs = [_run(member, "saturated", insertion=kind) for kind in (False, True)]
    a, b = (run.effective or 0.0 for run in runs)
    good = abs(a - b) < 0.01 * a
    return Outcome("holds" if good else "refuted", f"{a:.2f} segmented, {b:.2f} with registers")


def gemini_z() -> Outcome:
    found = _balanced(16, (1,), 2)
    return Outcome("holds" if found == 15 else "refuted", f"{found} exactly")


def gemini_x() -> Outcome:
    member = Multiring(32, (1,), 4)
    found = _balanced(32, (1,), 4)
    run = _run(member, "window", window=64, slots=40_000)
    return Outcome(
        "holds" if found == Fraction(61, 2) else "refuted",
        f"{found} exactly; {run.throughput:.2f} ± {run.throughput_half_width:.2f} simulated"
        " with 64 packets per node",
        "30.5 is a figure of finite buffers; the paper itself uses 31 later",
    )


def x_shortest() -> Outcome:
    found = shortest_schedule(Multiring(32, (1, 2, 3, 7))).capacity
    good = int(found) == 58
    return Outcome("holds" if good else "refuted", f"{found} = {float(found):.2f}")


def x_balanced() -> Outcome:
    printed = {32: 65, 37: 66, 64: 66, 67: 65}
    found = {n: _balanced(n, (1, 2, 3, 7)) for n in printed}
    text = ", ".join(f"{float(c):.2f}" for c in found.values())
    good = all(round(float(found[n])) == printed[n] for n in printed)
    low = [f"{100 * float(c / printed[n] - 1):.0f} %" for n, c in found.items()]
    return Outcome(
        "holds" if good else "refuted",
        text,
        f"reachable, but the best schedules carry {', '.join(low)} more",
    )


def gains() -> Outcome:
    z = _balanced(16, (1, 3)) / _balanced(16, (1,), 2)
    x = _balanced(32, (1, 2, 3, 7)) / _balanced(32, (1,), 4)
    good = round(float(z), 1) == 1.5 and x > 2
    return Outcome("holds" if good else "refuted", f"{float(z):.3f} and {float(x):.3f}")


def _line(n: int, steps: tuple[int, ...], copies: int = 1) -> Line:
    member = Multiring(n, steps, copies)
    capacity = _balanced(n, steps, copies)
    return Line(member.spec, n, member.ports, capacity, cable(n, member.rings))


def whole_torus() -> Outcome:
    gemini = torus_capacity([_line(16, (1,), 2), _line(32, (1,), 4), _line(32, (1,), 4)])
    new = torus_capacity([_line(16, (1, 3)), *[_line(32, (1, 2, 3, 7))] * 2])
    ratio = new / gemini
    return Outcome(
        "holds" if ratio >= Fraction(19, 10) else "refuted",
        f"{ratio} = {float(ratio):.4f}",
        "dimension z limits; Gemini's three dimensions are exactly balanced",
    )


def gemini_size() -> Outcome:
    members = [Multiring(16, (1,), 2), Multiring(32, (1,), 4), Multiring(32, (1,), 4)]
    nodes, ports = math.prod(m.order for m in members), sum(m.ports for m in members)
    good = (nodes, ports) == (16 * 1024, 20)
    return Outcome("holds" if good else "refuted", f"{nodes} nodes, {ports} ports")


def gain_formula() -> Outcome:
    exact = {s: Fraction(64 - s, 31 - s) for s in range(31)}
    assert all(gain == 1 + Fraction(33, 31 - s) for s, gain in exact.items())
    wrong = [s for s, gain in exact.items() if gain != 1 + Fraction(1, 31 - s)]
    return Outcome(
        "refuted" if wrong else "holds",
        f"s = 15: {float(exact[15]):.2f} against {1 + 1 / 16:.2f}",
        "it is 1 + 33/(31-s)",
    )


def gain_of_delay() -> Outcome:
    old, new = Multiring(32, (1,), 4), Multiring(32, (1, 2, 3, 7))
    found = []
    for load in (15.5, 24.8):
        waits = [_run(m, "open", load=load, slots=40_000).wait for m in (old, new)]
        assert waits[0] is not None
        assert waits[1] is not None
        found.append(waits[0] / waits[1])
    good = found[0] > 3 and found[1] > 6
    return Outcome(
        "holds" if good else "refuted",
        f"{found[0]:.2f} times at C/2, {found[1]:.2f} times at 0.8 C",
        "" if good else "waits in buffers; with the travel the gains are smaller still",
    )


def cable_ratio() -> Outcome:
    found = Fraction(
        cable(32, Multiring(32, (1, 2, 3, 7)).rings), cable(32, Multiring(32, (1,), 4).rings)
    )
    return Outcome("holds" if found == Fraction(13, 4) else "refuted", f"{float(found)} times")
