"""Checks of the claims about full rings and their schedules (chapter 2).

Checks of the claims about full rings in Gemini's torus (chapters 1 and 3).
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np

from hopscape.core.network import Network
from hopscape.ledger.claim import Correction, Outcome, Tally, judge
from hopscape.papers.multiring import printed
from hopscape.papers.multiring.capacity import (
    balanced_schedule,
    cable,
    heuristic_schedule,
    moore_bound,
    shortest_schedule,
)
from hopscape.papers.multiring.checks_common import RingCheck, multiring
from hopscape.papers.multiring.reference import chord, rings_of, signed, walk
from hopscape.papers.multiring.rings import circuits
from hopscape.papers.multiring.search import PRINTED_FAMILY, search_cell
from hopscape.papers.multiring.torus import TorusLine, torus_capacity

_SETS = ((16, (1, 3)), (12, (1, 2, 3)), (15, (2, 5)), (37, (1, 2, 3, 7)), (9, (1,)))


def start_nodes() -> Outcome:
    cross, exceptions = RingCheck(), []
    cross.tally.expect("rings", 24 * 23 // 2 - 1)  # 2 + 3 + ... + 23
    for n in range(3, 25):
        for s in cross.tally.each("rings", range(1, n)):
            parts = {frozenset((x + k * s) % n for k in range(n)) for x in range(n)}
            starts = sorted(min(part) for part in parts)
            member = multiring(n, (1, s) if s > 1 else (1,), simplex=True)
            mine = [c.nodes for c in circuits(member) if c.ports[0] == member.ports - 1]
            begins = sorted(int(nodes.min()) for nodes in mine)
            cross.same(f"N = {n}, S = {s}: where mini-rings begin", begins, starts)
            if starts != printed.ring_starts(n, s):
                exceptions.append(f"N = {n}, S = {s}: {len(starts)} of them, not {s}")
            cross.same(f"N = {n}, S = {s}: 0..gcd(S, N)-1", list(range(math.gcd(s, n))), starts)
    return cross.judge(exceptions, "they begin at 0..gcd(S, N)-1")


def counter_rings() -> Outcome:
    exceptions, tally = [], Tally()
    tally.expect("rings", 40 * 39 // 2 - 1)  # 2 + 3 + ... + 39
    for n in range(3, 41):
        for s in tally.each("rings", range(1, n)):
            arcs = {(x, (x + s) % n) for x in range(n)}
            back = {(int(a), int(b)) for b, a in _arcs(n, n - s)}
            if arcs != back:
                exceptions.append(f"N = {n}, S = {s}")
    text = "the arcs of ring N - S turned round are those of S"
    return judge(exceptions, text, searched=tally)


def _arcs(n: int, s: int) -> list[tuple[int, int]]:
    """Arcs of a ring as the network wires it."""
    member = multiring(n, (1, s), simplex=True) if s != 1 else multiring(n, (1,), simplex=True)
    column = member.neighbours(np.arange(n))[:, -1]
    return list(enumerate(column.tolist()))


def symmetric() -> Outcome:
    cross, exceptions = RingCheck(), []
    cross.tally.expect("turns", 15 + 11 + 14 + 36 + 8)
    for n, steps in _SETS:
        network = Network.of(multiring(n, steps))
        arcs = sorted(zip(network.tails.tolist(), network.heads.tolist()))
        walked = sorted((v, (v + s) % n) for v in range(n) for s in rings_of(n, steps))
        cross.same(f"N = {n}, steps {steps}: arcs", arcs, walked)
        for turn in cross.tally.each("turns", range(1, n)):
            if sorted(((a + turn) % n, (b + turn) % n) for a, b in arcs) != arcs:
                exceptions.append(f"N = {n}, steps {steps}: a turn by {turn} moves arcs")
    return cross.judge(exceptions, f"all turns keep the arcs of {len(_SETS)} sets")


def duplex_distribution() -> Outcome:
    cross, capacities = RingCheck(), {}
    n = 32
    distributions = {
        "uniform": None,
        "near": [Fraction(int(min(r, n - r) <= 4)) for r in range(1, n)],
        "far": [Fraction(int(min(r, n - r) >= 12)) for r in range(1, n)],
    }
    for name, weights in cross.tally.each("distributions", distributions.items(), 3):
        capacities[name] = cross.balanced(n, (1,), weights=weights)
    text = ", ".join(f"{name} routes {float(c):.3f}" for name, c in capacities.items())
    same = [] if len(set(capacities.values())) > 1 else ["the capacity is the same for all routes"]
    return cross.judge(same, f"N = {n}: {text}")


def multiple_rings() -> Outcome:
    """Capacity above 1, whatever the routes: the worst are all of N - 1 arcs."""
    cross, exceptions, least = RingCheck(), [], Fraction(99)
    cross.tally.expect("orders and lengths", 2 + 5 * 4)  # two lengths for N = 3
    for n in (3, 5, 8, 13, 21, 32):
        lengths = {1, n // 2, n - 2, n - 1} - {0}
        for longest in cross.tally.each("orders and lengths", lengths):
            weights = [Fraction(int(r == longest)) for r in range(1, n)]
            capacity = balanced_schedule(multiring(n, (1,), simplex=True), weights).capacity
            cross.same(f"N = {n}, routes of {longest}", capacity, Fraction(n, longest))
            least = min(least, capacity)
            if capacity <= 1:
                exceptions.append(f"N = {n}, all routes of {longest} arcs: c = {capacity}")
    return cross.judge(exceptions, f"never below {least} = {float(least):.3f}")


def sum_of_routes() -> Outcome:
    n, steps = printed.EXAMPLE
    cross = RingCheck()
    cross.shortest(n, steps)
    schedule = shortest_schedule(multiring(n, steps))
    rings = len(schedule.rings)
    last = {"n-1": rings - 1, "N-1": n - 1}
    sums = {
        name: sum((sum(row[:end], Fraction(0)) for row in schedule.shares), Fraction(0))
        for name, end in last.items()
    }
    cross.same("routes of all rings", sum(schedule.traffic), sums["N-1"])
    wrong = {name: f"routes to {name}: {x} of {n - 1}" for name, x in sums.items() if x != n - 1}
    text = ", ".join(f"to {name}: {x} of {n - 1} routes" for name, x in sums.items())
    return cross.judge(
        [wrong[printed.ROUTES_SUMMED]] if printed.ROUTES_SUMMED in wrong else [],
        text,
        Correction("the sum runs to N - 1", [wrong["N-1"]] if "N-1" in wrong else []),
    )


def two_formulas() -> Outcome:
    cross, exceptions = RingCheck(), []
    for (n, _), steps in cross.tally.each("printed sets", printed.TABLE_2_4.items(), 8):
        both = (
            (cross.shortest(n, steps), shortest_schedule),
            (cross.balanced(n, steps), balanced_schedule),
        )
        for capacity, build in cross.tally.each("schedules", both, 2):
            schedule = build(multiring(n, steps))
            ratios = []
            for s, shares in zip(schedule.rings, schedule.shares):
                row = walk(n, s)[1:]
                d = sum(shares, Fraction(0))
                length = sum((p * k for p, k in zip(shares, row)), Fraction(0))
                if d:
                    ratios.append(Fraction(n) / (length / d) / d)
            rates = [c / d for c, d in zip(schedule.ring_capacities, schedule.traffic) if c and d]
            cross.same(f"N = {n}, {steps}: least c/d", min(rates), min(ratios))
            if (n - 1) * min(ratios) != capacity:
                exceptions.append(f"N = {n}, {steps}: {(n - 1) * min(ratios)}, not {capacity}")
    return cross.judge(exceptions, "equal for both schedules of all printed sets")


def simplex_capacity() -> Outcome:
    cross, exceptions = RingCheck(), []
    others: list[Fraction] = []
    cross.tally.expect("orders and distributions", 6 * 3)
    for n in (8, 13, 24, 37, 48, 64):
        for most in cross.tally.each("orders and distributions", (n - 1, n // 4, n // 2)):
            weights = [Fraction(int(r <= most)) for r in range(1, n)]
            capacity = balanced_schedule(multiring(n, (1,), simplex=True), weights).capacity
            mean = Fraction(sum(r for r in range(1, most + 1)), most)
            cross.same(f"N = {n}, routes up to {most}", capacity, n / mean)
            if most < n - 1:
                others.append(capacity)
            if capacity != printed.SIMPLEX_CAPACITY:
                exceptions.append(f"N = {n}, routes up to {most}: c = {float(capacity):.3f}")
    low, high = float(min(others)), float(max(others))
    text = f"c = N / mean route: 2 for uniform routes, {low:.2f} to {high:.2f} for near ones"
    return cross.judge(exceptions, text)


def duplex_capacity() -> Outcome:
    cross, exceptions, corrected, worst = RingCheck(), [], [], Fraction(0)
    for n in cross.tally.each("orders", (*range(4, 21), 64, 101, 200), 17 + 3):
        capacity = cross.balanced(n, (1,))
        loads = set(shortest_schedule(multiring(n, (1,))).loads)
        exact = Fraction(8 * (n - 1), n) if n % 2 == 0 else Fraction(8 * n, n + 1)
        if capacity != printed.DUPLEX_CAPACITY or len(loads) != 1:
            exceptions.append(f"N = {n}: C = {float(capacity):.3f}")
        if capacity != exact or 2 * printed.EACH_OF_A_PAIR != printed.DUPLEX_CAPACITY:
            corrected.append(f"N = {n}: {capacity}")
        worst = capacity
    return cross.judge(
        exceptions,
        f"N = {n}: {float(worst):.3f}, the same in both directions",
        Correction("8(N-1)/N, or 8N/(N+1) for odd N, of which half in each direction", corrected),
    )


def table_2_1() -> Outcome:
    """Sequences of nodes, and lengths weighted by the shares."""
    n, steps = printed.EXAMPLE
    exceptions, tally = [], Tally()
    tally.expect("printed numbers", 4 * 15 + 20)  # 15 nodes a ring, 20 weighted lengths
    schedule = shortest_schedule(multiring(n, steps))
    rings = {c.name: c.nodes for c in circuits(multiring(n, steps))}
    for s, row in printed.TABLE_2_1.items():
        sequence = rings[str(s)].tolist()[1:]
        pairs = enumerate(zip(sequence, map(int, row.split())), 1)
        exceptions += [
            f"ring {s}, place {i}: {a}, printed {b}"
            for i, (a, b) in tally.each("printed numbers", pairs)
            if a != b
        ]
        mine = schedule.rings.index(s % n)
        weighted = sorted(p * k for p, k in zip(schedule.shares[mine], walk(n, s)[1:]) if p)
        want = sorted(map(Fraction, printed.WEIGHTED_2_1[s].split()))
        tally.add("printed numbers", len(weighted))
        if weighted != want:
            exceptions.append(f"ring {s}: weighted lengths {', '.join(map(str, weighted))}")
    return judge(exceptions, "rings ±1, ±3 of 16 nodes", searched=tally)


def table_2_2() -> Outcome:
    return _printed_shares(printed.TABLE_2_2, printed.SHORTEST_EXAMPLE, "shortest")


def table_2_3() -> Outcome:
    return _printed_shares(printed.TABLE_2_3, printed.BALANCED_EXAMPLE, "balanced")


def _printed_shares(table: dict[int, str], capacity: Fraction, name: str) -> Outcome:
    """The printed shares carry what is printed, as much as the library's own schedule."""
    n, steps = printed.EXAMPLE
    cross, exceptions = RingCheck(), []
    shares = {s: [Fraction(x) for x in row.split()] for s, row in table.items()}
    for r in cross.tally.each("routes of the table", range(n - 1), 15):
        if sum(row[r] for row in shares.values()) != 1:
            exceptions.append(f"route {r + 1} has shares of sum other than 1")
    loads = {
        s: sum((p * k for p, k in zip(row, walk(n, s)[1:])), Fraction(0))
        for s, row in shares.items()
    }
    carried = Fraction(n * (n - 1)) / max(loads.values())
    best = cross.shortest(n, steps) if name == "shortest" else cross.balanced(n, steps)
    if name == "shortest":
        schedule = shortest_schedule(multiring(n, steps))
        own = {signed(s, n): list(row) for s, row in zip(schedule.rings, schedule.shares)}
        exceptions += [f"ring {s}: other shares" for s in shares if own[s] != shares[s]]
    if carried != best:
        exceptions.append(f"the printed shares carry {carried}, the {name} schedule {best}")
    if abs(carried - capacity) >= Fraction(1, 20):
        exceptions.append(f"C = {float(carried):.4g}, printed {float(capacity):g}")
    text = f"C = {carried} = {float(carried):.4g}, loads {', '.join(map(str, loads.values()))}"
    return cross.judge(exceptions, text)


def shortest_uneven() -> Outcome:
    cross, exceptions, losses = RingCheck(), [], []
    for (n, _), steps in cross.tally.each("printed sets", printed.TABLE_2_4.items(), 8):
        short, best = cross.shortest(n, steps), cross.balanced(n, steps)
        loads = set(shortest_schedule(multiring(n, steps)).loads)
        losses.append(1 - short / best)
        if len(loads) == 1 or short >= best:
            exceptions.append(f"N = {n}, {steps}: {len(loads)} loads, {short} of {best}")
    low, high = 100 * float(min(losses)), 100 * float(max(losses))
    return cross.judge(exceptions, f"{low:.1f} to {high:.1f} % lost in the printed sets")


def heuristic_steps() -> Outcome:
    """Moves of shares from the fullest to the emptiest ring, counted."""
    exceptions, most, gained, tally = [], Fraction(0), [], Tally()
    tally.expect("cells", 3 * 7 - 1)  # 20 rings of 32 nodes would need a step of 16
    for n in (32, 64, 128):
        for rings in (4, 6, 8, 10, 12, 16, 20):
            odd = tuple(range(5, rings + 1, 2))
            steps = PRINTED_FAMILY.get(rings, (1, 2, 3, *odd)[: rings // 2])
            if 2 * max(steps) >= n or len(steps) != rings // 2:
                continue
            schedule = heuristic_schedule(multiring(n, steps))
            loads = [
                sum((p * k for p, k in zip(row, walk(n, s)[1:])), Fraction(0))
                for s, row in zip(schedule.rings, schedule.shares)
            ]
            if Fraction(n * (n - 1)) / max(loads) != schedule.capacity or schedule.moves is None:
                exceptions.append(f"N = {n}, n = {rings}: loads do not add up")
                continue
            most = max(most, Fraction(schedule.moves, rings))
            gained.append(schedule.capacity / shortest_schedule(multiring(n, steps)).capacity)
            if schedule.moves > _MOVES_PER_RING * rings:
                exceptions.append(f"N = {n}, n = {rings}: {schedule.moves} moves")
            tally.add("cells")
    if not any(gain > 1 for gain in gained):
        exceptions.append("nothing is gained by moving")
    return judge(
        exceptions,
        f"at most {float(most):.2f} moves per ring, N = 32..128, n = 4..20",
        note="counted for a procedure of the paper's kind; its own rule is not printed",
        searched=tally,
    )


_MOVES_PER_RING = 3


def square_law() -> Outcome:
    """A schedule for every cell, from averages of whole assignments; Moore's bound above."""
    exceptions, ratios = [], {}
    rng = np.random.default_rng(0)
    for n in range(5, printed.LARGEST_ORDER + 1):
        lengths = _folded_lengths(n)
        for rings in (4, 6, 8, 10, 12):
            if rings > 2 * ((n - 1) // 2):
                continue
            capacity = _scheduled(n, rings // 2, lengths, rng)
            ratios[n, rings] = capacity / rings**2
            if not Fraction(1, 2) <= ratios[n, rings] < 2:
                exceptions.append(f"N = {n}, n = {rings}: k = {float(ratios[n, rings]):.3f}")
            if moore_bound(n, rings) < capacity:
                exceptions.append(f"N = {n}, n = {rings}: above the bound {moore_bound(n, rings)}")
    cross = RingCheck()
    for cell in cross.tally.each("best cells", ((14, 12), (16, 6), (24, 4)), 3):
        best = Fraction(cell[0] * (cell[0] - 1)) / Fraction(search_cell(*cell)["load"])
        if best < ratios[cell] * cell[1] ** 2:
            cross.same(f"N = {cell[0]}, n = {cell[1]}: best capacity", best, ratios[cell])
        elif best > moore_bound(*cell):
            exceptions.append(f"N = {cell[0]}, n = {cell[1]}: {best} is above the bound")
    cross.tally.expect("cells", 120 * 5 - 20)  # rings that there are: none of 6 for N = 5, ...
    cross.tally.add("cells", len(ratios))
    low = min(ratios, key=lambda cell: ratios[cell])
    return cross.judge(
        exceptions,
        f"k from {float(ratios[low]):.2f} (N = {low[0]}, n = {low[1]}) to"
        f" {float(max(ratios.values())):.2f} with schedules for all {len(ratios)} cells, N <="
        f" {printed.LARGEST_ORDER}, n = 4..12",
    )


def _folded_lengths(n: int) -> np.ndarray:
    """Arcs of routes 1..N/2 on every duplex ring, walked; a large number where there is none."""
    steps, places = np.arange(1, (n - 1) // 2 + 1)[:, None], np.arange(1, n)[None, :]
    length = n // np.gcd(steps, n)
    there = steps * places % n
    inside = places < length
    out = np.full((len(steps), n // 2 + 1), 10**6)
    row = np.broadcast_to(np.arange(len(steps))[:, None], there.shape)
    shorter = np.minimum(places, length - places)
    np.minimum.at(out, (row[inside], np.minimum(there, n - there)[inside]), shorter[inside])
    return out[:, 1:]


def _scheduled(n: int, pairs: int, lengths: np.ndarray, rng: np.random.Generator) -> Fraction:
    """Capacity of a schedule for one of some duplex sets that hold step 1."""
    rows, tries, rounds = len(lengths), 40, 24
    if math.comb(rows - 1, pairs - 1) <= tries:
        sets = np.asarray([(0, *rest) for rest in combinations(range(1, rows), pairs - 1)])
    else:
        rest = np.argsort(rng.random((tries, rows - 1)), axis=1)[:, : pairs - 1] + 1
        sets = np.concatenate([np.zeros((tries, 1), dtype=np.int64), rest], axis=1)
    flow = np.full(n // 2, 2)
    if n % 2 == 0:
        flow[-1] = 1
    best = sets[np.argmin((lengths[sets].min(axis=1) * flow).sum(axis=1))]
    table = lengths[best]
    work, every = flow * table, np.arange(n // 2)
    prices, sums, least = np.zeros(pairs), np.zeros(pairs, dtype=np.int64), (0, 0)
    for r in range(1, rounds + 1):
        chosen = (np.exp(prices)[:, None] * table).argmin(axis=0)
        loads = np.bincount(chosen, weights=work[chosen, every], minlength=pairs).astype(np.int64)
        sums += loads
        if r == 1 or int(sums.max()) * least[1] < least[0] * r:
            least = (int(sums.max()), r)
        prices += 0.4 / math.sqrt(r) * (loads / loads.max() - 1)
    return Fraction(2 * n * (n - 1) * least[1], least[0])


def table_2_4() -> Outcome:
    cross, exceptions = RingCheck(), []
    ratios = {
        (n, k): cross.balanced(n, steps) / k**2
        for (n, k), steps in cross.tally.each("cells", printed.TABLE_2_4.items(), 8)
    }
    exceptions += [f"N = {n}, n = {k}: k = {float(r):.3f}" for (n, k), r in ratios.items()
                   if not 1 <= r < 2]  # fmt: skip
    by_rings = {k: set(steps) for (_, k), steps in sorted(printed.TABLE_2_4.items())}
    for a, b in cross.tally.each("larger sets", pairwise(sorted(by_rings)), 4):
        if not by_rings[a] < by_rings[b]:
            exceptions.append(f"the set of {b} rings does not hold that of {a}")
    for (_, k), steps in cross.tally.each("printed sets", printed.TABLE_2_4.items(), 8):
        if PRINTED_FAMILY[k] != steps:
            cross.same(f"printed set of {k} rings", PRINTED_FAMILY[k], steps)
    low, high = float(min(ratios.values())), float(max(ratios.values()))
    return cross.judge(exceptions, f"k from {low:.3f} to {high:.3f}, each set in the next")


def table_2_4_band() -> Outcome:
    cross = RingCheck()
    ratios = {
        (n, k): cross.balanced(n, steps) / n
        for (n, k), steps in cross.tally.each("cells", printed.TABLE_2_4.items(), 8)
    }
    low, high = printed.BAND
    outside = [
        f"N = {n}, n = {k}: K = {float(r):.2f}"
        for (n, k), r in ratios.items()
        if not low <= r <= high
    ]
    text = f"K from {float(min(ratios.values())):.2f} to {float(max(ratios.values())):.2f}"
    return cross.judge(outside, text)


def cable_sum() -> Outcome:
    cross, exceptions = RingCheck(), []
    for n in cross.tally.each("numbers of rings", range(4, 65, 2), 31):
        total, closed = printed.cable_sum(n), printed.cable_closed(n)
        if abs(total - closed) > Fraction(total, 10):
            exceptions.append(f"n = {n}: the sum is {total}, the closed form {closed}")
        cross.same(f"n = {n}: n²/2 - 2n + 6", total, Fraction(n * n, 2) - 2 * n + 6)
    text = f"the sum is n²/2 - 2n + 6; {len(exceptions)} of 31 numbers are more than a tenth off"
    return cross.judge(exceptions, text)


def cable_of_family() -> Outcome:
    exceptions, corrected, cables, tally = [], [], [], Tally()
    for (n, k), steps in tally.each("printed sets", printed.TABLE_2_4.items(), 8):
        real = cable(n, multiring(n, steps).rings)
        spans = sum(min(s, n - s) for s in rings_of(n, steps))
        cables.append(real)
        if real != printed.cable_sum(k):
            exceptions.append(f"n = {k}: {real}, not {printed.cable_sum(k)}")
        if real != spans or spans != 2 * sum(steps):
            corrected.append(f"n = {k}: {real}, and {spans} counted")
    return judge(
        exceptions,
        f"cable of the printed sets {', '.join(map(str, dict.fromkeys(cables)))} ring lengths",
        Correction("twice the sum of the steps", corrected),
        searched=tally,
    )


def gemini_size() -> Outcome:
    cross, exceptions, nodes, ports = RingCheck(), [], 1, 0
    for n, copies in cross.tally.each("dimensions", printed.GEMINI.values(), 3):
        member = multiring(n, (1,), copies)
        network = Network.of(member)
        arcs = sorted(zip(network.tails.tolist(), network.heads.tolist()))
        walked = sorted((v, (v + s) % n) for v in range(n) for s in rings_of(n, (1,), copies))
        cross.same(f"arcs of {member.spec}", arcs, walked)
        cross.same(f"ports of {member.spec}", member.ports, int(network.degrees.max()))
        cross.same(f"nodes of {member.spec}", member.order, len(set(network.tails.tolist())))
        nodes *= len(set(network.tails.tolist()))
        ports += int(network.degrees.max())
    if nodes != printed.GEMINI_NODES:
        exceptions.append(f"{nodes} nodes, not {printed.GEMINI_NODES}")
    if ports != printed.GEMINI_PORTS:
        exceptions.append(f"{ports} ports, not {printed.GEMINI_PORTS}")
    text = f"{nodes} nodes with {ports} ports each, counted in the wiring"
    return cross.judge(exceptions, text)


def gemini_z() -> Outcome:
    cross = RingCheck()
    n, copies = printed.GEMINI["z"]
    capacity = cross.balanced(n, (1,), copies)
    wrong = [] if capacity == printed.GEMINI_Z else [f"C = {capacity}, printed {printed.GEMINI_Z}"]
    return cross.judge(wrong, f"{capacity} packets per slot exactly")


def x_shortest() -> Outcome:
    cross = RingCheck()
    capacity = cross.shortest(32, printed.X_STEPS)
    wrong = [] if int(capacity) == printed.X_SHORTEST else [f"C = {float(capacity):.2f}"]
    return cross.judge(wrong, f"{capacity} = {float(capacity):.2f} packets per slot")


def x_balanced() -> Outcome:
    cross, exceptions, parts = RingCheck(), [], []
    for n, value in cross.tally.each("orders", printed.X_BALANCED.items(), 4):
        capacity = cross.balanced(n, printed.X_STEPS)
        more = 100 * float(capacity / value - 1)
        parts.append(f"{float(capacity):.2f}")
        if abs(capacity - value) > Fraction(1, 2):
            exceptions.append(f"N = {n}: {float(capacity):.2f}, {more:.0f} % more than {value}")
    return cross.judge(exceptions, f"{', '.join(parts)} packets per slot, proved")


def mini_rings() -> Outcome:
    n = 32
    exceptions, tally = [], Tally()
    rings = circuits(multiring(n, printed.X_STEPS))
    tally.expect("rings with their parts", 6 + 2 * 2)  # ±1, ±3, ±7, and two parts of ±2
    parts = [
        sorted(c.nodes.tolist())
        for c in tally.each("rings with their parts", rings)
        if c.name in ("2", "-2")
    ]
    even, odd = list(range(0, n, 2)), list(range(1, n, 2))
    if sorted(parts) != sorted([even, odd] * 2):
        exceptions.append(f"rings ±2 are {len(parts)} mini-rings")
    others = [c.name for c in circuits(multiring(n, printed.X_STEPS)) if len(c.nodes) < n]
    if set(others) != {"2", "-2"}:
        exceptions.append(f"rings {', '.join(sorted(set(others)))} are split")
    text = f"N = {n}: rings ±2 in {len(parts) // 2} parts, even and odd nodes"
    return judge(exceptions, text, searched=tally)


def primes() -> Outcome:
    exceptions, tally = [], Tally()
    tally.expect("rings", 2 * 8)
    for n in printed.PRIMES:
        for c in tally.each("rings", circuits(multiring(n, printed.X_STEPS))):
            if len(set(c.nodes.tolist())) != n:
                exceptions.append(
                    f"N = {n}: ring {c.name} passes {len(set(c.nodes.tolist()))} nodes"
                )
    text = f"all rings of N = {', '.join(map(str, printed.PRIMES))} are whole"
    return judge(exceptions, text, searched=tally)


def gains() -> Outcome:
    cross = RingCheck()
    z = cross.balanced(*printed.EXAMPLE) / cross.balanced(16, (1,), 2)
    x = cross.balanced(32, printed.X_STEPS) / cross.balanced(32, (1,), 4)
    exceptions = []
    if round(float(z), 1) != float(printed.GAIN_Z):
        exceptions.append(f"z gains {float(z):.3f} times")
    if x <= printed.GAIN_X:
        exceptions.append(f"x gains {float(x):.3f} times")
    return cross.judge(exceptions, f"{float(z):.3f} times in z, {float(x):.3f} in x and y")


def times_of_best() -> Outcome:
    """Several times as much in each dimension, with the best rings there are."""
    cross, exceptions, parts = RingCheck(), [], []
    for name in cross.tally.each("dimensions", ("z", "x"), 2):
        n, copies = printed.GEMINI[name]
        cell = search_cell(n, 2 * copies)
        best = cross.balanced(n, tuple(cell["sets"][0]))
        cross.same(f"N = {n}: best capacity", Fraction(n * (n - 1)) / Fraction(cell["load"]), best)
        times = best / cross.balanced(n, (1,), copies)
        parts.append(f"{float(times):.2f} times in {name}")
        if times < 2:
            exceptions.append(f"{float(times):.2f} times in {name}, with the best set of all")
    return cross.judge(exceptions, ", ".join(parts))


def _line(cross: RingCheck, n: int, steps: tuple[int, ...], copies: int = 1) -> TorusLine:
    member = multiring(n, steps, copies)
    capacity = cross.balanced(n, steps, copies)
    return TorusLine(member.spec, n, member.ports, capacity, cable(n, member.rings))


def whole_torus() -> Outcome:
    cross = RingCheck()
    (nz, cz), (nx, cx) = printed.GEMINI["z"], printed.GEMINI["x"]
    old = [_line(cross, nz, (1,), cz), *[_line(cross, nx, (1,), cx)] * 2]
    new = [_line(cross, *printed.EXAMPLE), *[_line(cross, nx, printed.X_STEPS)] * 2]
    nodes = nz * nx * nx
    for lines in (old, new):
        walked = min(x.capacity / (x.nodes - 1) for x in lines) * (nodes - 1)
        cross.same("packets per slot of the torus", torus_capacity(lines), walked)
    ratio = torus_capacity(new) / torus_capacity(old)
    slow = min(new, key=lambda x: x.capacity / (x.nodes - 1))
    wrong = [f"{float(ratio):.4f} times, since {slow.spec} limits"]
    even = {x.capacity / (x.nodes - 1) for x in old}
    text = f"{ratio} = {float(ratio):.4f} times; the lines of Gemini allow {len(even)} rate"
    return cross.judge(wrong if ratio < Fraction(19, 10) else [], text)


def gain_formula() -> Outcome:
    more, less = printed.GAIN_CAPACITIES
    cross, exceptions = RingCheck(), []
    for s in cross.tally.each("loads", range(less), 31):
        gain = Fraction(more - s, less - s)
        if abs(gain - printed.gain_approximation(s)) > gain / 20:
            exceptions.append(
                f"s = {s}: {float(gain):.2f}, not {float(printed.gain_approximation(s)):.2f}"
            )
        cross.same(f"s = {s}", gain, 1 + Fraction(more - less, less - s))
    text = f"it is 1 + {more - less}/({less} - s); {len(exceptions)} of {less} loads are off"
    return cross.judge(exceptions, text)


def gain_numbers() -> Outcome:
    more, less = printed.GAIN_CAPACITIES
    exceptions, parts = [], []
    tally = Tally()
    for share, times in tally.each("loads", printed.GAINS.items(), 2):
        s = share * less
        gain = (more - s) / (less - s)
        parts.append(f"{float(gain):.2f} at {float(share):g} C")
        if gain <= times:
            exceptions.append(f"{float(gain):.2f} at {float(share):g} C, not more than {times}")
    return judge(exceptions, f"by its own formula {', '.join(parts)}", searched=tally)


def cable_ratio() -> Outcome:
    n = 32
    cross = RingCheck()
    new, old = (
        cable(n, multiring(n, steps, copies).rings)
        for steps, copies in ((printed.X_STEPS, 1), ((1,), 4))
    )
    for length, steps, copies in ((new, printed.X_STEPS, 1), (old, (1,), 4)):
        spans = sum(min(s, n - s) for s in rings_of(n, steps, copies))
        cross.same(f"cable of steps {steps}", length, spans)
    ratio = Fraction(new, old)
    wrong = [] if ratio == printed.CABLE_RATIO else [f"{float(ratio):g} times"]
    return cross.judge(wrong, f"{new} ring lengths against {old}: {float(ratio):g} times")


def chords() -> Outcome:
    n = 32
    spans = sum(printed.X_STEPS)
    straight = sum(chord(n, s) for s in printed.X_STEPS)
    saved = 100 * (1 - straight / spans)
    wrong = [] if straight < spans else [f"{straight:.2f} straight, {spans} along the ring"]
    return judge(wrong, f"{saved:.1f} % less cable along chords of a circle, N = {n}")
