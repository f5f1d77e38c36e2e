"""Checks of the claims about simulated rings: capacities, delays (chapters 2 and 3).

Checks of what the paper does not say but what is true of multirings as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from hopscape.core.errors import HopscapeError
from hopscape.core.network import Network
from hopscape.ledger.claim import Correction, Outcome, Tally, judge
from hopscape.papers.multiring import printed
from hopscape.papers.multiring.capacity import balanced_schedule, moore_bound, shortest_schedule
from hopscape.papers.multiring.checks_common import RingCheck, multiring
from hopscape.papers.multiring.families import Multiring, SparseMultiring
from hopscape.papers.multiring.faults import RingFaults, damaged_capacity
from hopscape.papers.multiring.reference import rings_of, walk, walked_wait
from hopscape.papers.multiring.routing import route_rows
from hopscape.papers.multiring.slots import _Machine, ring_traffic, simulate
from hopscape.papers.multiring.sparse_capacity import sparse_capacity

_KINDS = {"segmented": False, "register insertion": True}


@dataclass(frozen=True)
class _Measured:
    rate: float = math.nan
    usable: float = math.nan
    wait: float = math.nan
    error: float = math.nan


def _run(
    cross: RingCheck, member: Multiring, mode: str, schedule: str = "balanced", **settings: Any
) -> _Measured:
    """A simulation; one far above a proved bound is refused there, and counts as a disagreement."""
    try:
        run = simulate(ring_traffic(member, schedule), mode, seed=1, **settings)
    except HopscapeError as error:
        cross.wrong.append(str(error))
        return _Measured()
    values = [run.throughput, run.effective, run.wait, run.wait_half_width]
    return _Measured(*(math.nan if x is None else x for x in values))


def open_wait(
    cross: RingCheck, n: int, steps: tuple[int, ...], copies: int, load: float, insertion: bool
) -> float:
    """The mean wait of a run, checked by a slow simulation; copies 0 means one simplex ring."""
    member = multiring(n, steps, max(copies, 1), simplex=copies == 0)
    run = _run(cross, member, "open", load=load, slots=20_000, insertion=insertion)
    if cross.wrong:
        return run.wait
    schedule = balanced_schedule(member)
    lengths = []
    for s, shares in zip(schedule.rings, schedule.shares):
        table: dict[int, Fraction] = {}
        for k, p in zip(walk(n, s)[1:], shares):
            if p:
                table[k] = table.get(k, Fraction(0)) + p
        lengths.append(table)
    slow = sum(walked_wait(n, lengths, schedule.rings, load, insertion=insertion, slots=1200))
    cross.tally.expect("rings simulated twice", 2 * len(steps) * copies or 1)
    cross.tally.add("rings simulated twice", len(schedule.rings))
    if abs(run.wait - slow) > 0.12 * slow + 3 * run.error:
        cross.same(f"N = {n}, steps {steps}, load {load:g}: wait", f"{run.wait:.2f}", f"{slow:.2f}")
    return run.wait


def saturated_rate(cross: RingCheck, member: Multiring, insertion: bool) -> float:
    """Packets per slot of saturated rings, as simulated."""
    return _run(cross, member, "saturated", insertion=insertion).rate


def ring_capacity() -> Outcome:
    """Packets per slot of each ring when it never starves, against N over the mean way."""
    n, steps = printed.EXAMPLE
    cross, exceptions, parts = RingCheck(), [], []
    cross.shortest(n, steps)
    schedule = shortest_schedule(multiring(n, steps))
    machine = _Machine(ring_traffic(multiring(n, steps), "shortest"), 0, 1, 0.0, False, 5)
    machine.run(200)
    slots = 60_000
    counts, _, _ = machine.run(slots)
    rings = zip(schedule.rings, schedule.shares, counts / slots, schedule.ring_capacities)
    for s, shares, rate, exact in cross.tally.each("rings", rings, 4):
        length = sum((p * k for p, k in zip(shares, walk(n, s)[1:])), Fraction(0))
        c = n / (length / sum(shares, Fraction(0)))
        cross.same(f"ring {s}: capacity", exact, c)
        parts.append(f"{rate:.3f} of {float(c):.3f}")
        if abs(rate - float(c)) > 0.01 * float(c):
            exceptions.append(f"ring {s}: {rate:.3f} simulated, N over the mean way {float(c):.3f}")
    return cross.judge(exceptions, f"simulated {'; '.join(parts)} packets per slot")


def other_rings() -> Outcome:
    """Rings whose packets go all the way round before they are taken off."""
    exceptions, most, tally = [], 0.0, Tally()
    for n in tally.each("rings", (8, 16, 32), 3):
        traffic = ring_traffic(multiring(n, (1,), simplex=True))
        traffic.lengths[0].clear()
        traffic.lengths[0][n] = Fraction(n - 1)
        machine = _Machine(traffic, 0, 1, 0.0, False, 1)
        machine.run(n)
        rate = int(machine.run(100 * n)[0].sum()) / (100 * n)
        most = max(most, rate)
        if rate > printed.OTHER_RINGS:
            exceptions.append(f"N = {n}: {rate:.3f} packets per slot")
    text = f"{most:.3f} packets per slot at most, N = 8, 16, 32"
    return judge(exceptions, text, searched=tally)


def sum_of_rings() -> Outcome:
    """The sum is missed where the rings are loaded unevenly, and reached where they are not."""
    cross, exceptions, corrected, parts = RingCheck(), [], [], []
    sets = {
        printed.EXAMPLE: "shortest",
        (13, (1, 3, 4)): "shortest",
        (32, (1, 2, 3, 7)): "shortest",
    }
    for (n, steps), schedule in cross.tally.each("sets", sets.items(), 3):
        cross.shortest(n, steps)
        shortest = shortest_schedule(multiring(n, steps))
        run = _run(cross, multiring(n, steps), "window", schedule, window=512, slots=10_000)
        total, got = float(shortest.total_of_rings), run.rate
        own = Fraction(0)
        for s, shares in zip(shortest.rings, shortest.shares):
            length = sum((p * k for p, k in zip(shares, walk(n, s)[1:])), Fraction(0))
            own += n * sum(shares, Fraction(0)) / length
        cross.same(f"N = {n}, steps {steps}: sum of the rings", shortest.total_of_rings, own)
        parts.append(f"N = {n}: sum {total:.2f}, simulated {got:.2f}")
        reached = got > 0.98 * total
        if reached:
            exceptions.append(f"N = {n}, steps {steps}: {got:.2f} of {total:.2f}")
        if (
            reached != (len(set(shortest.loads)) == 1)
            or abs(got / float(shortest.capacity) - 1) > 0.03
        ):
            corrected.append(f"N = {n}, steps {steps}: {got:.2f}, effective {shortest.capacity}")
    return cross.judge(
        exceptions,
        "; ".join(parts),
        Correction("where all rings carry the same load, it is reached", corrected),
    )


def same_capacity() -> Outcome:
    n, steps = printed.EXAMPLE
    cross, exceptions = RingCheck(), []
    exact = float(cross.balanced(n, steps))
    carried = {}
    for kind, insertion in cross.tally.each("kinds of rings", _KINDS.items(), 2):
        carried[kind] = _run(cross, multiring(n, steps), "saturated", insertion=insertion).usable
        if abs(carried[kind] - exact) > 0.01 * exact:
            exceptions.append(f"{kind} rings carry {carried[kind]:.2f}, not {exact:.2f}")
    text = ", ".join(f"{value:.2f} {kind}" for kind, value in carried.items())
    return cross.judge(exceptions, f"{text}; {exact:.2f} exactly")


def no_buffers() -> Outcome:
    """On segmented rings packets are on the arcs for as many slots as their ways have arcs."""
    n, steps = 32, printed.X_STEPS
    traffic = ring_traffic(multiring(n, steps))
    schedule = balanced_schedule(multiring(n, steps))
    mean = sum(
        (
            p * k
            for s, row in zip(schedule.rings, schedule.shares)
            for p, k in zip(row, walk(n, s)[1:])
        ),
        Fraction(0),
    ) / (n - 1)
    machine = _Machine(traffic, 2, 1, 40.0, False, 2)
    machine.run(500)
    sent = busy = 0.0
    slots, tally = 3000, Tally()
    for _ in tally.each("slots", range(slots), 3000):
        sent += float(machine.run(1)[0].sum())
        busy += float((machine.state.slots >= machine.now).sum())
    flight = busy / sent
    good = abs(flight - float(mean)) < 0.03 * float(mean)
    text = f"{flight:.3f} slots on the way, ways of {float(mean):.3f} arcs"
    wrong = [] if good else [f"{flight:.3f} slots for {float(mean):.3f} arcs"]
    return judge(wrong, text, searched=tally)


def delay_at_rest() -> Outcome:
    cross, exceptions, parts = RingCheck(), [], []
    for kind, insertion in cross.tally.each("kinds of rings", _KINDS.items(), 2):
        wait = open_wait(cross, 32, (1,), 4, 0.31, insertion)
        parts.append(f"{wait:.3f} B {kind}")
        if abs(wait - float(printed.WAIT_AT_REST[kind])) > 0.02:
            exceptions.append(f"{kind}: {wait:.3f} B, printed {printed.WAIT_AT_REST[kind]} B")
    return cross.judge(exceptions, f"{', '.join(parts)} at 1 % load")


def delay_law() -> Outcome:
    cross, exceptions, waits = RingCheck(), [], {}
    cross.tally.expect("simulations", 2 * 2)
    for copies, c in ((0, Fraction(2)), (1, Fraction(31, 8))):
        for kind, insertion in cross.tally.each("simulations", _KINDS.items()):
            half = float(c * max(2 * copies, 1) / 2)
            f = open_wait(cross, 32, (1,), copies, half, insertion) * float(c) / 2
            waits[kind, c] = f
            want = float(printed.WAIT_AT_HALF[kind])
            if abs(f - want) > 0.1 * want:
                exceptions.append(f"{kind}, c = {float(c):g}: F(c/2) = {f:.2f} B, not {want:g} B")
    for kind in _KINDS:
        a, b = (waits[kind, c] for c in (Fraction(2), Fraction(31, 8)))
        if abs(a - b) > 0.1 * b:
            exceptions.append(f"{kind}: F depends on c, {a:.2f} B and {b:.2f} B")
    text = ", ".join(f"{f:.2f} B {kind} at c = {float(c):g}" for (kind, c), f in waits.items())
    values = {f"{kind}, c = {float(c):g}": round(f, 1) for (kind, c), f in waits.items()}
    return cross.judge(exceptions, f"F(c/2) = {text}", values=values)


def delays_alike() -> Outcome:
    """Both kinds of rings within a quarter, as 2.5 B and 2 B are; corrected: half a slot apart."""
    cross, exceptions, corrected, parts = RingCheck(), [], [], []
    for share in cross.tally.each("loads", (0.25, 0.8), 2):
        load = 31 * share
        a, b = (open_wait(cross, 32, (1,), 4, load, insertion) for insertion in (False, True))
        parts.append(f"{a:.2f} and {b:.2f} B at {share:g} C")
        if max(a, b) > 1.25 * min(a, b):
            exceptions.append(f"{a:.2f} and {b:.2f} B at {share:g} C")
        if not 0.3 < a - b < 1.0:
            corrected.append(f"{a - b:.2f} B apart at {share:g} C")
    return cross.judge(
        exceptions,
        "; ".join(parts),
        Correction("segmented rings wait about half a slot longer", corrected),
    )


def delay_places() -> Outcome:
    """Where packets wait on register-insertion rings: in the registers of others, or at home."""
    cross = RingCheck()
    load, n = 15.5, 32
    traffic = ring_traffic(multiring(n, (1,), 4))
    machine = _Machine(traffic, 2, 1, load, True, 4)
    machine.run(500)
    own = others = 0
    for _ in cross.tally.each("slots", range(4000), 4000):
        machine.run(1)
        own += int(machine.state.queue.sum())
        others += int((machine.state.registers > 0).sum())
    share = others / (own + others)
    lengths = [dict(table) for table in traffic.lengths]
    mine, theirs = walked_wait(
        n, lengths, multiring(n, (1,), 4).rings, load, insertion=True, slots=1500
    )
    if abs(share - theirs / (mine + theirs)) > 0.05:
        slow = f"{theirs / (mine + theirs):.2f}"
        cross.same("part of the wait in registers", f"{share:.2f}", slow)
    total = open_wait(cross, n, (1,), 4, load, True)
    away, home = total * share, total * (1 - share)
    text = f"at C/2 {away:.2f} B in registers on the way, {home:.2f} B in the own buffer"
    exceptions = [f"{100 * (1 - share):.0f} % of the wait is in the own buffer"]
    values = {"share of the wait in registers": round(share, 2)}
    return cross.judge(exceptions if share < 0.9 else [], text, values=values)


def gain_of_delay() -> Outcome:
    cross, exceptions, parts = RingCheck(), [], []
    values = {}
    for share, times in cross.tally.each("loads", printed.GAINS.items(), 2):
        load = float(share * 31)
        old = open_wait(cross, 32, (1,), 4, load, False)
        new = open_wait(cross, 32, printed.X_STEPS, 1, load, False)
        parts.append(f"{old / new:.2f} times at {float(share):g} C")
        values[f"times at {share} C"] = round(old / new, 1)
        if old / new <= times:
            exceptions.append(f"{old / new:.2f} times at {float(share):g} C, not more than {times}")
    return cross.judge(exceptions, f"waits fall {', '.join(parts)}", values=values)


def gemini_x() -> Outcome:
    cross = RingCheck()
    capacity = cross.balanced(32, (1,), 4)
    rate = _run(cross, multiring(32, (1,), 4), "window", window=64, slots=20_000).rate
    text = f"{capacity} exactly, {rate:.2f} simulated with 64 packets per node"
    wrong = (
        []
        if capacity == printed.GEMINI_X
        else [f"C = {capacity}, printed {float(printed.GEMINI_X)}"]
    )
    if not 0.95 * capacity < rate <= float(capacity):
        cross.same("packets per slot with 64 per node", f"{rate:.2f}", f"below {capacity}")
    return cross.judge(wrong, text)


_PERFECT = ((13, (1, 3, 4)), (17, (1, 3, 4, 5)), (25, (1, 4, 5, 6, 9, 11)),
            (37, (1, 6, 8, 10, 11, 14)))  # fmt: skip
_BETTER = (
    (2, 10, (4, 8, 9, 7, 2, 5, 6, 3, 1, 0)),
    (4, 16, (7, 15, 9, 13, 12, 0, 10, 6, 3, 11, 1, 5, 4, 8, 14, 2)),
)


def moore() -> Outcome:
    cross, exceptions, best = RingCheck(), [], Fraction(0)
    rng = np.random.default_rng(2)
    sets = [(n, tuple(steps)) for n, steps in _PERFECT]
    for n in rng.integers(8, 41, size=20).tolist():
        others = rng.choice(np.arange(2, (n + 1) // 2), size=2, replace=False).tolist()
        sets.append((n, (1, *sorted(others))))
    for n, steps in cross.tally.each("sets", sets, 4 + 20):
        rings = 2 * len(steps)
        farthest = sum(1 + i // rings for i in range(n - 1))
        bound = Fraction(rings * n * (n - 1), farthest)
        cross.same(f"N = {n}, n = {rings}: the bound", moore_bound(n, rings), bound)
        share = cross.balanced(n, steps) / bound
        best = max(best, share)
        if share > 1 or ((n, steps) in _PERFECT and share != 1) or bound >= 2 * rings**2:
            exceptions.append(f"N = {n}, steps {steps}: {float(share):.3f} of the bound")
    text = f"{len(sets)} sets up to {float(best):g} of the bound, {len(_PERFECT)} meet it"
    return cross.judge(exceptions, text)


def units() -> Outcome:
    cross, exceptions = RingCheck(), []
    cross.tally.expect("multiples", 8 + 8 + 20 + 4 - 4)  # Euler's totients, 1 left out
    for n, steps in ((16, (1, 3)), (15, (1, 4, 6)), (25, (1, 2, 5)), (12, (1, 2, 3))):
        base = cross.balanced(n, steps)
        for u in range(2, n):
            if math.gcd(u, n) == 1:
                turned = tuple(sorted({min(u * s % n, -u * s % n) for s in steps}))
                cross.tally.add("multiples")
                if cross.balanced(n, turned) != base:
                    exceptions.append(f"N = {n}, {steps} times {u}")
    return cross.judge(exceptions, "all multiples of four sets carry the same")


def split_routes() -> Outcome:
    cross, exceptions, counts = RingCheck(), [], []
    for (n, _), steps in cross.tally.each("printed sets", printed.TABLE_2_4.items(), 8):
        cross.balanced(n, steps)
        shares = balanced_schedule(multiring(n, steps)).shares
        split = 0
        for r in cross.tally.each("routes of a half", range(1, n // 2 + 1), n // 2):
            used = {j // 2 for j, row in enumerate(shares) if row[r - 1] or row[n - r - 1]}
            split += len(used) > 1
        counts.append(split)
        if split > len(steps) - 1:
            exceptions.append(f"N = {n}, steps {steps}: {split} split routes")
    text = f"{', '.join(map(str, counts))} split routes in the printed cells"
    return cross.judge(exceptions, text)


def _carried(cross: RingCheck, member: SparseMultiring) -> Fraction:
    """What the library's balanced schedule carries, its ways walked round the rings."""
    table = member.table().tolist()
    size = len(table[0])
    loads: dict[tuple[str, int], Fraction] = {}
    sums: dict[tuple[int, int], Fraction] = {}
    for row in route_rows(Network.of(member), "balanced", range(member.order)):
        ring = table[int(row["ring"][:-1])]
        side = 1 if row["ring"][-1] == "+" else -1
        if row["source"] not in ring:
            cross.wrong.append(f"ring {row['ring']} does not pass node {row['source']}")
            return Fraction(0)
        at = ring.index(row["source"])
        end = ring[(at + side * row["length"]) % size]
        cross.same(f"end of the way from {row['source']}", end, row["target"])
        pair = row["source"], row["target"]
        sums[pair] = sums.get(pair, Fraction(0)) + row["share"]
        for k in range(row["length"]):
            arc = row["ring"], (at + side * k) % size
            loads[arc] = loads.get(arc, Fraction(0)) + row["share"]
    cross.same("sums of shares", set(sums.values()), {Fraction(1)})
    cross.same("pairs", len(sums), member.order * (member.order - 1))
    nodes = len({node for ring in table for node in ring})
    cross.tally.expect("pairs of the schedule", nodes * (nodes - 1))
    cross.tally.add("pairs of the schedule", len(sums))
    capacity = Fraction(len(sums)) / max(loads.values())
    library = sparse_capacity(member).balanced
    cross.same(f"capacity of {member.spec[:30]}", library.capacity, capacity)
    return capacity


def reordered() -> Outcome:
    cross, exceptions, parts = RingCheck(), [], []
    for m, k, order in cross.tally.each("orders of the places", _BETTER, 2):
        better, old = _carried(cross, SparseMultiring(m, k, order)), cross.sparse(m, k)
        parts.append(f"{float(better):.3f} against {float(old):.3f}")
        if better <= old:
            exceptions.append(f"m = {m}, K = {k}: {better}, not more than {old}")
    return cross.judge(exceptions, "; ".join(parts))


def other_designs() -> Outcome:
    cross = RingCheck()
    m, k, sigma = 4, 16, 2
    member = SparseMultiring(m, k, sigma=sigma)
    rings = m * (m - 1) // sigma + 1
    nodes = rings * k // m
    capacity = _carried(cross, member)
    exact = Fraction(8 * rings * (nodes - 1), nodes)
    wrong = [] if capacity == exact else [f"C = {capacity}, not {exact}"]
    return cross.judge(wrong, f"{capacity} packets per slot, {nodes} nodes on {rings} rings")


def dead_arc() -> Outcome:
    """The whole program of what is left, in floating point, beside the exact one."""
    n, steps = printed.EXAMPLE
    cross = RingCheck()
    damage = damaged_capacity(Network.of(multiring(n, steps)), RingFaults(arcs=((0, 1, ""),)))
    walked = _walked_program(n, rings_of(n, steps), (0, 1))
    if abs(float(damage.capacity) - walked) > 1e-6:
        cross.same("capacity with arc 0-1 dead", f"{float(damage.capacity):.4f}", f"{walked:.4f}")
    share = damage.capacity / cross.balanced(n, steps)
    wrong = [] if share >= Fraction(7, 8) else [f"{float(share):.3f} of the capacity"]
    return cross.judge(wrong, f"{damage.capacity} packets per slot, {float(share):.3f} of all")


def _walked_program(n: int, rings: Sequence[int], dead: tuple[int, int]) -> float:
    from scipy.optimize import linprog

    routes: list[tuple[int, list[int]]] = []
    for i, s in enumerate(rings):
        for a in range(n):
            at, arcs = a, list[int]()
            while (at + s) % n != a and (at, (at + s) % n) != dead:
                arcs.append(i * n + at)
                at = (at + s) % n
                routes.append((a * n + at, list(arcs)))
    pairs = sorted({pair for pair, _ in routes})
    upper = np.zeros((len(rings) * n, len(routes) + 1))
    equal = np.zeros((len(pairs), len(routes) + 1))
    for column, (pair, arcs) in enumerate(routes):
        upper[arcs, column] = 1
        equal[pairs.index(pair), column] = 1
    upper[:, -1] = -1
    cost = np.zeros(len(routes) + 1)
    cost[-1] = 1
    solution: Any = linprog(cost, upper, np.zeros(len(upper)), equal, np.ones(len(pairs)))
    return len(pairs) / float(solution.fun)
