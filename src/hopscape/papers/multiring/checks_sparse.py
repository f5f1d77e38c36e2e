"""Checks of the claims about sparse rings (chapters 7 and 8)."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from hopscape.core.errors import HopscapeError
from hopscape.core.network import Network
from hopscape.ledger.claim import Correction, Outcome, Tally, judge
from hopscape.papers.blockdesign import check_design
from hopscape.papers.multiring import printed
from hopscape.papers.multiring.capacity import cable
from hopscape.papers.multiring.checks_common import RingCheck, multiring
from hopscape.papers.multiring.families import SparseMultiring
from hopscape.papers.multiring.reference import sparse_table
from hopscape.papers.multiring.search import search_cell
from hopscape.papers.multiring.slots import ring_traffic, simulate
from hopscape.papers.multiring.sparse_capacity import sparse_capacity, sparse_closed_form

_FAMILY = (2, 3, 4, 5, 6)


def _nodes(cross: RingCheck, m: int, k: int) -> int:
    """Nodes on all rings together, as many as the network says it has."""
    member = SparseMultiring(m, k)
    nodes = len({x for ring in member.table().tolist() for x in ring})
    cross.same(f"nodes of {member.spec}", member.order, nodes)
    cross.tally.expect("nodes in tables", (m * (m - 1) + 1) * k // m)
    cross.tally.add("nodes in tables", nodes)
    return nodes


def _wired(cross: RingCheck, member: SparseMultiring) -> Network:
    """The network, whose channels must join neighbours on the rings of the table."""
    network = Network.of(member)
    pairs = []
    for ring in member.table().tolist():
        for a, b in zip(ring, [*ring[1:], ring[0]]):
            pairs += [(a, b), (b, a)]
    channels = sorted(zip(network.tails.tolist(), network.heads.tolist()))
    if channels != sorted(pairs):
        cross.same(f"channels of {member.spec}", channels[:3], sorted(pairs)[:3])
        cross.wrong.append(f"the channels of {member.spec} do not follow its rings")
    return network


def node_ports() -> Outcome:
    cross, exceptions = RingCheck(), []
    for m in cross.tally.each("networks", _FAMILY, 5):
        network = _wired(cross, SparseMultiring(m, 2 * m))
        rings = [
            sum(v in row for row in SparseMultiring(m, 2 * m).table().tolist()) for v in (0, 1)
        ]
        if set(network.degrees.tolist()) != {2 * m} or rings != [m, m]:
            exceptions.append(f"m = {m}: {set(network.degrees.tolist())} ports, {rings} rings")
    text = f"2m ports on m duplex rings, m = {_FAMILY[0]}..{_FAMILY[-1]}"
    return cross.judge(exceptions, text)


def part_index() -> Outcome:
    exceptions, corrected, tally = [], [], Tally()
    for m, k in tally.each("tables", (printed.SPARSE_Z, printed.SPARSE_X, (3, 15)), 3):
        count = SparseMultiring(m, k).parts
        walked = len({x // (m * (m - 1) + 1) for ring in sparse_table(m, k // m) for x in ring})
        if len(printed.parts(k, m)) != count:
            exceptions.append(f"m = {m}, K = {k}: {count} parts, not {len(printed.parts(k, m))}")
        if count != k // m or walked != count:
            corrected.append(f"m = {m}, K = {k}: {count} parts")
    text = "parts counted in the tables of m = 2, 4 and 3"
    correction = Correction("j runs to K/m inclusive", corrected)
    return judge(exceptions, text, correction, searched=tally)


def part_numbers() -> Outcome:
    m, k = printed.SPARSE_X
    n = m * (m - 1) + 1
    table = (SparseMultiring(m, k).table() + 1).tolist()
    exceptions, corrected, tally = [], [], Tally()
    for j in tally.each("parts", range(1, k // m + 1), 4):
        block = sorted({x for ring in table for x in ring[(j - 1) * m : j * m]})
        first = printed.first_number(j, n)
        if block != list(range(first, first + n)):
            exceptions.append(f"part {j}: {block[0]}..{block[-1]}, not {first}..{first + n - 1}")
        if block != list(range((j - 1) * n + 1, j * n + 1)):
            corrected.append(f"part {j}: {block[0]}..{block[-1]}")
        moved = [[x - (j - 1) * n for x in ring[(j - 1) * m : j * m]] for ring in table]
        if moved != [ring[:m] for ring in table]:
            corrected.append(f"part {j} is not the first one moved by {(j - 1) * n}")
    return judge(
        exceptions,
        f"{k // m} parts of {n} nodes, each the first one with N added",
        Correction("part j holds (j - 1)N + 1..jN, as table 7.2 prints it", corrected),
        searched=tally,
    )


def parts_are_designs() -> Outcome:
    exceptions, tally = [], Tally()
    tally.expect("pairs of nodes", 3 * sum(n * (n - 1) // 2 for n in (3, 7, 13, 21, 31)))
    for m in tally.each("networks", _FAMILY, 5):
        member = SparseMultiring(m, 3 * m)
        table = member.table()
        for j in tally.each("parts", range(member.parts), 3):
            blocks = table[:, j * m : (j + 1) * m] - j * member.ring_count
            verdict = check_design(blocks, sigma=1)
            pairs = {p for row in blocks.tolist() for p in combinations(sorted(row), 2)}
            tally.add("pairs of nodes", len(pairs))
            whole = member.ring_count * (member.ring_count - 1) // 2
            other = blocks.copy()
            other[j, 0] = next(x for x in range(1, member.ring_count + 1) if x not in blocks[j])
            if check_design(other, sigma=1):
                exceptions.append(f"m = {m}, part {j + 1}: a changed block is no exception")
            if not verdict or len(pairs) != whole:
                exceptions.append(f"m = {m}, part {j + 1}: {verdict.reason}")
    return judge(exceptions, "all parts are designs B(N, m, 1), m = 2..6", searched=tally)


def figure_7_1() -> Outcome:
    cross, member = RingCheck(), SparseMultiring(3, 3)
    nodes = _nodes(cross, 3, 3)
    _wired(cross, member)
    table = member.table().tolist()
    shared = {p for ring in table for p in combinations(sorted(ring), 2)}
    exceptions = []
    if (len(table), {len(set(ring)) for ring in table}) != (7, {3}):
        exceptions.append(f"{len(table)} rings of {len(table[0])}")
    cross.tally.expect("pairs of nodes", 7 * 6 // 2)
    cross.tally.add("pairs of nodes", len(shared))
    if len(shared) != 21 or nodes != 7:
        exceptions.append(f"{len(shared)} pairs of {nodes} nodes share a ring")
    text = f"{len(table)} duplex rings of 3, all {len(shared)} pairs on one"
    return cross.judge(exceptions, text)


def table_7_1() -> Outcome:
    m, k = printed.SPARSE_Z
    cross = RingCheck()
    member = SparseMultiring(m, k)
    cross.same("who sits where", member.table().tolist(), sparse_table(m, k // m))
    _wired(cross, member)
    shared = {p for ring in member.table().tolist() for p in combinations(sorted(ring), 2)}
    pairs = member.order * (member.order - 1) // 2
    cross.tally.expect("pairs of nodes", 15 * 14 // 2)
    cross.tally.add("pairs of nodes", len(shared))
    ring = " ".join(map(str, (member.table()[0] + 1).tolist()))
    text = f"{len(shared)} of {pairs} pairs share a ring; ring 1: {ring}"
    lost = [f"{pairs - len(shared)} pairs share none"] if len(shared) != pairs else []
    return cross.judge(
        ["the body of the table is lost"],
        text,
        Correction("rebuilt by the rule of table 7.2", lost),
    )


def table_7_2() -> Outcome:
    m, k = printed.SPARSE_X
    cross = RingCheck()
    _wired(cross, SparseMultiring(m, k))
    table = (SparseMultiring(m, k).table() + 1).tolist()
    rows = [
        [int(word) for word in row.split()]
        for line in printed.TABLE_7_2.strip().splitlines()
        for row in line.split("|")
    ]
    exceptions = []
    cross.tally.expect("printed cells", 13 * 12)
    for i, row in enumerate(rows):
        for p, value in cross.tally.each("printed cells", zip(printed.PLACES_7_2, row)):
            if table[i][p] != value:
                exceptions.append(f"ring {i + 1}, place {p + 1}: {table[i][p]}, printed {value}")
    return cross.judge(exceptions, f"{len(exceptions)} printed cells differ")


def number_of_nodes() -> Outcome:
    cross, exceptions = RingCheck(), []
    cross.tally.expect("networks", 5 * 3)
    for m in _FAMILY:
        for parts in cross.tally.each("networks", (1, 2, 5)):
            nodes = _nodes(cross, m, m * parts)
            if nodes != (m * (m - 1) + 1) * parts:
                exceptions.append(f"m = {m}, K = {m * parts}: {nodes} nodes")
    return cross.judge(
        ["the formula is lost"],
        "nodes counted in the tables, m = 2..6",
        Correction("R = N K / m", exceptions),
    )


def nodes_z() -> Outcome:
    cross = RingCheck()
    return cross.rule(_count("nodes", _nodes(cross, *printed.SPARSE_Z), printed.SPARSE_NODES_Z))


def nodes_x() -> Outcome:
    cross = RingCheck()
    cross.tally.expect("networks", 20 + 13 + 10 + 8 + 6)  # K up to 40, a multiple of m
    others = [
        f"m = {a}, K = {b}"
        for a in _FAMILY
        for b in cross.tally.each("networks", range(a, 41, a))
        if _nodes(cross, a, b) == printed.SPARSE_NODES_X
    ]
    outcome = _count("nodes", _nodes(cross, *printed.SPARSE_X), printed.SPARSE_NODES_X)
    if outcome.ruling != "holds":
        note = f"{outcome.note}, which {' or '.join(others) or 'nothing'} has"
        outcome = Outcome(outcome.ruling, outcome.measured, note)
    return cross.rule(outcome)


def _count(what: str, counted: int, value: int) -> Outcome:
    wrong = [] if counted == value else [f"{counted} {what}, printed {value}"]
    return judge(wrong, f"{counted} {what} counted")


def capacity_law() -> Outcome:
    cross, exceptions, corrected, off = RingCheck(), [], [], Fraction(0)
    cross.tally.expect("networks", 2 * 5 + 2 * 3)
    for m in (2, 3, 4, 5):
        for parts in cross.tally.each("networks", range(2, 7 if m < 4 else 5)):
            nodes, limit = (m * (m - 1) + 1) * parts, printed.SPARSE_LAW * (m * (m - 1) + 1)
            capacity = cross.sparse(m, m * parts)
            closed = sparse_closed_form(m, m * parts)
            cross.same(f"m = {m}, {parts} parts: closed form", closed, capacity)
            off = max(off, abs(capacity / limit - 1))
            if abs(capacity / limit - 1) > Fraction(1, 20):
                exceptions.append(f"m = {m}, {parts} parts: {float(capacity):.2f}, 8N is {limit}")
            k = m * parts
            arcs = k * (k * k // 4) - (m - 1) * k * (parts * parts // 4)
            even = parts % 2 or capacity == Fraction(8 * (m * (m - 1) + 1) * (nodes - 1), nodes)
            if capacity != Fraction(2 * k * nodes * (nodes - 1), arcs) or not even:
                corrected.append(f"m = {m}, {parts} parts: {capacity}")
    return cross.judge(
        exceptions,
        f"off 8N by up to {100 * float(off):.1f} %, m = 2..5",
        Correction(
            "8N(R-1)/R for an even number J of parts, for any 2K R(R-1)/t with"
            " t = K⌊K²/4⌋ - (m-1)K⌊J²/4⌋",
            corrected,
        ),
    )


def effective_capacity() -> Outcome:
    """The sum over the rings when none starves is what uniform traffic gets."""
    cross, exceptions, parts = RingCheck(), [], []
    for m, k in cross.tally.each("networks", (printed.SPARSE_Z, printed.SPARSE_X, (3, 12)), 3):
        exact = cross.sparse(m, k)
        report = sparse_capacity(SparseMultiring(m, k))
        if len(set(report.shortest.loads)) != 1:
            exceptions.append(f"m = {m}, K = {k}: arcs are loaded unevenly")
        try:
            run = simulate(ring_traffic(SparseMultiring(m, k)), slots=8000, seed=1)
        except HopscapeError as error:
            cross.wrong.append(str(error))
            break
        parts.append(f"{run.throughput:.2f} of {float(exact):.2f}")
        if abs(run.throughput / float(exact) - 1) > 0.01:
            exceptions.append(
                f"m = {m}, K = {k}: {run.throughput:.2f} sent, {float(exact):.2f} used"
            )
    return cross.judge(exceptions, f"{'; '.join(parts)} packets per slot")


def capacity_z() -> Outcome:
    return _capacity(*printed.SPARSE_Z, printed.SPARSE_CAPACITY_Z)


def capacity_x() -> Outcome:
    return _capacity(*printed.SPARSE_X, printed.SPARSE_CAPACITY_X)


def _capacity(m: int, k: int, value: Fraction) -> Outcome:
    cross = RingCheck()
    capacity = cross.sparse(m, k)
    wrong = [] if capacity == value else [f"C = {float(capacity):.3f}, printed {float(value):g}"]
    return cross.judge(wrong, f"{capacity} = {float(capacity):.3f} packets per slot")


def gains() -> Outcome:
    cross, exceptions = RingCheck(), []
    z, x = cross.sparse(*printed.SPARSE_Z), cross.sparse(*printed.SPARSE_X)
    full = cross.balanced(32, printed.X_STEPS)
    ratios = {
        "z against Gemini": z / cross.balanced(16, (1,), 2),
        "x against Gemini": x / cross.balanced(32, (1,), 4),
        "x against full rings": x / full,
    }
    for name, value in cross.tally.each("printed gains", printed.SPARSE_GAINS.items(), 2):
        if abs(ratios[name] / value - 1) > Fraction(1, 20):
            exceptions.append(f"{name}: {float(ratios[name]):.2f} times")
    if not printed.SPARSE_GAIN_X < ratios["x against Gemini"] < printed.SPARSE_GAIN_X + 1:
        exceptions.append(f"x against Gemini: {float(ratios['x against Gemini']):.2f} times")
    text = ", ".join(f"{name} {float(r):.2f}" for name, r in ratios.items())
    return cross.judge(exceptions, text)


def little_more() -> Outcome:
    cross = RingCheck()
    sparse, full = cross.sparse(*printed.SPARSE_Z), cross.balanced(*printed.EXAMPLE)
    more = 100 * float(sparse / full - 1)
    wrong = [] if 0 < more < 10 else [f"{more:.1f} % more"]
    return cross.judge(wrong, f"{float(sparse):.3f} against {float(full):.3f}, {more:.1f} % more")


def torus_size() -> Outcome:
    cross = RingCheck()
    nodes = _nodes(cross, *printed.SPARSE_Z) * _nodes(cross, *printed.SPARSE_X) ** 2
    return cross.rule(_count("nodes", nodes, printed.SPARSE_TORUS))


def torus_larger() -> Outcome:
    cross = RingCheck()
    nodes = _nodes(cross, *printed.SPARSE_Z) * _nodes(cross, *printed.SPARSE_X) ** 2
    wrong = [] if nodes > printed.GEMINI_NODES else [f"{nodes} nodes"]
    return cross.judge(wrong, f"{nodes} nodes, Gemini has {printed.GEMINI_NODES}")


def ports() -> Outcome:
    cross, total = RingCheck(), 0
    lines = (SparseMultiring(*printed.SPARSE_Z), *[SparseMultiring(*printed.SPARSE_X)] * 2)
    for member in cross.tally.each("dimensions", lines, 3):
        wired = int(_wired(cross, member).degrees.max())
        cross.same(f"ports of {member.spec}", member.ports, wired)
        total += wired
    return cross.rule(_count("ports", total, printed.GEMINI_PORTS))


def ring_numbers() -> Outcome:
    exceptions, tally = [], Tally()
    tally.expect("rings", 3 + 13)
    for (m, k), value in ((printed.SPARSE_Z, printed.SPARSE_RINGS_Z),
                          (printed.SPARSE_X, printed.SPARSE_RINGS_X)):  # fmt: skip
        tally.add("rings", len(SparseMultiring(m, k).table()))
        table = SparseMultiring(m, k).table().tolist()
        if len(table) != value or {len(set(ring)) for ring in table} != {k}:
            exceptions.append(f"m = {m}: {len(table)} rings of {len(table[0])}")
    text = "3 rings of 10 and 13 of 16, counted" if not exceptions else "counted"
    return judge(exceptions, text, searched=tally)


def _best_full(nodes: int, rings: int) -> Fraction:
    return Fraction(nodes * (nodes - 1)) / Fraction(search_cell(nodes, rings)["load"])


def twice() -> Outcome:
    return _against_full(printed.SPARSE_TIMES_FULL, (4,), (2, 3), 2)


def more_than_full() -> Outcome:
    return _against_full(1, (2, 3, 4), (2, 3, 4), 3 + 2)  # 3j and 7j up to 21, no 13j


def _against_full(
    times: int, parts: tuple[int, ...], family: tuple[int, ...], networks: int
) -> Outcome:
    """Sparse rings against the best full ones of as many nodes and ports."""
    cross, exceptions, ratios = RingCheck(), [], []
    cross.tally.expect("networks", networks)
    for m in family:
        for j in parts:
            nodes = (m * (m - 1) + 1) * j
            if nodes > 21 and len(parts) > 1:
                continue
            cell = search_cell(nodes, 2 * m)
            full = cross.balanced(nodes, tuple(cell["sets"][0]))
            cross.same(f"N = {nodes}: best full rings", _best_full(nodes, 2 * m), full)
            ratio = cross.sparse(m, m * j) / full
            ratios.append(ratio)
            if ratio < times if times > 1 else ratio <= times:
                exceptions.append(f"m = {m}, {nodes} nodes: {float(ratio):.3f} times")
            cross.tally.add("networks")
    text = f"{float(min(ratios)):.2f} to {float(max(ratios)):.2f} times the best full rings"
    return cross.judge(exceptions, text)


def equal_nodes() -> Outcome:
    cross, exceptions, orders = RingCheck(), list[str](), list[int]()
    for m in cross.tally.each("networks", _FAMILY, 5):
        nodes = _nodes(cross, m, 4 * m)
        orders.append(nodes)
        if nodes != printed.full_nodes(m):
            exceptions.append(f"m = {m}: {nodes} nodes, not {printed.full_nodes(m)}")
        cross.same(f"m = {m}: 4(m² - m + 1)", nodes, 4 * (m * m - m + 1))
    text = f"sparse rings join 4(m² - m + 1) nodes: {', '.join(map(str, orders))} for m = 2..6"
    return cross.judge(exceptions, text)


def full_capacity() -> Outcome:
    """The printed family on 4m² nodes."""
    cross, ratios, exceptions = RingCheck(), [], []
    sets = {k: steps for (_, k), steps in printed.TABLE_2_4.items()}
    for m in cross.tally.each("printed sets", _FAMILY, 5):
        capacity = cross.balanced(4 * m * m, sets[2 * m])
        ratios.append(capacity / printed.full_capacity(m))
        if not Fraction(1, 2) < ratios[-1] < Fraction(3, 2):
            exceptions.append(f"m = {m}: {float(capacity):.1f}, 4m² is {printed.full_capacity(m)}")
    low, high = float(min(ratios)), float(max(ratios))
    return cross.judge(exceptions, f"{low:.2f} to {high:.2f} times 4m², m = 2..6")


def capacity_7_3() -> Outcome:
    cross, exceptions, corrected = RingCheck(), [], []
    for m in cross.tally.each("networks", (2, 3, 4, 5), 4):
        capacity = cross.sparse(m, 4 * m)
        if abs(capacity / printed.sparse_capacity(m) - 1) > Fraction(1, 20):
            exceptions.append(f"m = {m}: {float(capacity):g}, not {printed.sparse_capacity(m)}")
        if capacity != 8 * (m * m - m + 1) - 2:
            corrected.append(f"m = {m}: {capacity}")
    return cross.judge(
        exceptions,
        f"{len(exceptions)} of 4 off by more than a twentieth, m = 2..5",
        Correction("8(m² - m + 1) - 2 exactly, with 4(m² - m + 1) nodes", corrected),
    )


def full_cable() -> Outcome:
    cross, exceptions = RingCheck(), []
    for m in cross.tally.each("numbers of rings", range(2, 13), 11):
        total = printed.cable_sum(2 * m)
        if abs(total - printed.full_cable(m)) > Fraction(total, 10):
            exceptions.append(f"m = {m}: the sum is {total}, printed {printed.full_cable(m)}")
        cross.same(f"m = {m}: 2m(m-2) + 6", total, 2 * m * (m - 2) + 6)
    text = f"its own sum is 2m(m-2) + 6; {len(exceptions)} of 11 are more than a tenth off"
    return cross.judge(exceptions, text)


def _rings(m: int, places: int) -> list[list[int]]:
    """The nodes round every sparse ring: each node once on m of them, every two residues together.

    Raises:
        AssertionError: When the rings are not so; nothing can then be said about them.
    """
    rings: list[list[int]] = SparseMultiring(m, places).table().tolist()
    count = m * (m - 1) + 1
    held = [node for ring in rings for node in set(ring)]
    if sorted(held) != sorted([*range(count * (places // m))] * m):
        raise AssertionError(f"m = {m}: not every node is on {m} rings")
    pairs = {pair for ring in rings for pair in combinations(sorted({v % count for v in ring}), 2)}
    if len(pairs) != count * (count - 1) // 2:
        raise AssertionError(f"m = {m}: {len(pairs)} pairs of residues share a ring")
    return rings


def sparse_cable() -> Outcome:
    exceptions, corrected, tally = [], [], Tally()
    for m in tally.each("networks", _FAMILY, 5):
        record = sparse_capacity(SparseMultiring(m, 2 * m)).to_dict()["cable"]
        rings = 2 * len(_rings(m, 2 * m))
        if abs(record - printed.sparse_cable(m)) > record / 10:
            exceptions.append(f"m = {m}: {record} ring lengths, not {printed.sparse_cable(m)}")
        if record != rings or rings != 2 * m * (m - 1) + 2:
            corrected.append(f"m = {m}: {record}, and {rings} simplex rings")
    return judge(
        exceptions,
        "one length for every simplex ring, m = 2..6",
        Correction("2N = 2m(m-1) + 2", corrected),
        searched=tally,
    )


def more_cable() -> Outcome:
    """Sparse rings against the printed full ones, laid along the ring."""
    sets = {k: steps for (_, k), steps in printed.TABLE_2_4.items()}
    cross, exceptions, ratios = RingCheck(), [], []
    for m in cross.tally.each("networks", _FAMILY, 5):
        full = cable(4 * m * m, multiring(4 * m * m, sets[2 * m]).rings)
        sparse = 2 * len(_rings(m, 4 * m))
        ratios.append(Fraction(sparse, full))
        cross.same(f"m = {m}: cable of full rings", full, 2 * sum(sets[2 * m]))
        cross.same(f"m = {m}: sparse rings", sparse, 2 * (m * (m - 1) + 1))
        if not 1 <= ratios[-1] <= Fraction(5, 4):
            exceptions.append(f"m = {m}: {sparse} against {full} ring lengths")
    text = ", ".join(f"{float(r):.2f}" for r in ratios)
    return cross.judge(exceptions, f"{text} times the cable, m = 2..6")
