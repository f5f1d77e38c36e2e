"""Checks of the claims about sparse rings (chapters 7 and 8)."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from hopscape.families.multiring.capacity import balanced_schedule
from hopscape.families.multiring.search import search_cell
from hopscape.families.multiring.sparse import SparseMultiring
from hopscape.families.multiring.sparse_capacity import sparse_capacity, sparse_closed_form
from hopscape.families.multiring.wiring import Multiring
from hopscape.ledger.claim import Outcome

_PRINTED_7_2 = """
1 13 11 5 14 26 24 18 27 39 50 44 | 2 1 12 6 15 14 25 19 28 27 51 45
3 2 13 7 16 15 26 20 29 28 52 46 | 4 3 1 8 17 16 14 21 30 29 40 47
5 4 2 9 18 17 15 22 31 30 41 48 | 6 5 3 10 19 18 16 23 32 31 42 49
7 6 4 11 20 19 17 24 33 32 43 50 | 8 7 5 12 21 20 18 25 34 33 44 51
9 8 6 13 22 21 19 26 35 34 45 52 | 10 9 7 1 23 22 20 14 36 35 46 40
11 10 8 2 24 23 21 15 37 36 47 41 | 12 11 9 3 25 24 22 16 38 37 48 42
13 12 10 4 26 25 23 17 39 38 49 43
"""
"""Table 7.2 as printed: rings 1..13, places 1..10, 15, 16."""

_FAMILY = (2, 3, 4, 5, 6)


def _common_rings(member: SparseMultiring) -> dict[tuple[int, int], int]:
    """How many rings each pair of nodes shares."""
    shared: dict[tuple[int, int], int] = {}
    for ring in member.table().tolist():
        for pair in combinations(sorted(ring), 2):
            shared[pair] = shared.get(pair, 0) + 1
    return shared


def table_7_1() -> Outcome:
    member = SparseMultiring(2, 10)
    shared = _common_rings(member)
    pairs = member.order * (member.order - 1) // 2
    text = f"{len(shared)} of {pairs} pairs share a ring; ring 1: "
    text += " ".join(map(str, (member.table()[0] + 1).tolist()))
    return Outcome(
        "holds corrected" if len(shared) == pairs else "refuted",
        text,
        "the body is lost; rebuilt by the rule of table 7.2",
    )


def table_7_2() -> Outcome:
    table = (SparseMultiring(4, 16).table() + 1).tolist()
    printed = [
        [int(word) for word in row.split()]
        for line in _PRINTED_7_2.strip().splitlines()
        for row in line.split("|")
    ]
    places = [*range(10), 14, 15]
    same = sum(table[i][p] == row[k] for i, row in enumerate(printed) for k, p in enumerate(places))
    cells = sum(map(len, printed))
    return Outcome(
        "holds" if same == cells == 156 else "refuted", f"{same} of {cells} printed cells agree"
    )


def nodes_z() -> Outcome:
    found = len({x for ring in SparseMultiring(2, 10).table().tolist() for x in ring})
    return Outcome("holds" if found == 15 else "refuted", f"{found} nodes")


def nodes_x() -> Outcome:
    found = len({x for ring in SparseMultiring(4, 16).table().tolist() for x in ring})
    other = SparseMultiring(3, 15).order
    return Outcome(
        "holds" if found == 35 else "refuted", f"{found} nodes", f"{other} belong to m = 3, K = 15"
    )


def capacity_law() -> Outcome:
    checked, worst = 0, 0.0
    for m in _FAMILY:
        for parts in range(2, 9):
            member = SparseMultiring(m, m * parts)
            found = sparse_capacity(member)
            assert found.balanced.proved
            assert found.balanced.capacity == sparse_closed_form(m, member.places)
            limit = 8 * member.ring_count
            if parts % 2 == 0:
                assert found.balanced.capacity == Fraction(limit * (member.order - 1), member.order)
            worst = max(worst, abs(float(found.balanced.capacity / limit) - 1))
            checked += 1
    return Outcome(
        "holds corrected",
        f"{checked} members, off 8N by up to {100 * worst:.1f} %",
        "8N(R-1)/R for an even number of parts; shortest is optimal in this order",
    )


def capacity_z() -> Outcome:
    found = sparse_capacity(SparseMultiring(2, 10)).balanced.capacity
    return Outcome(
        "holds" if found == Fraction(45, 2) else "refuted",
        f"{found} = {float(found):.3f}",
        "7.5 for one ring belongs to 16 places and full rings",
    )


def capacity_x() -> Outcome:
    found = sparse_capacity(SparseMultiring(4, 16)).balanced.capacity
    return Outcome(
        "holds" if found == Fraction(195, 2) else "refuted",
        f"{found} exactly",
        "13 · 7.5 counts pairs of the same residue on all four of their rings",
    )


def gains() -> Outcome:
    z = sparse_capacity(SparseMultiring(2, 10)).balanced.capacity
    x = sparse_capacity(SparseMultiring(4, 16)).balanced.capacity
    full = balanced_schedule(Multiring(32, (1, 2, 3, 7))).capacity
    ratios = [float(z / 15), float(x / 31), float(x / full)]
    good = abs(ratios[0] - 1.5) < 0.05 and ratios[1] > 3 and abs(ratios[2] - 1.5) < 0.1
    return Outcome(
        "holds" if good else "refuted",
        "{:.2f} in z, {:.2f} in x, {:.2f} against full rings".format(*ratios),
    )


def torus_size() -> Outcome:
    z, x = SparseMultiring(2, 10).order, SparseMultiring(4, 16).order
    found = z * x * x
    return Outcome(
        "holds" if found == 18375 else "refuted",
        f"{z}·{x}² = {found}",
        "15·35² is 18375, but 35 is wrong",
    )


def ports() -> Outcome:
    members = [SparseMultiring(2, 10), *[SparseMultiring(4, 16)] * 2]
    found = sum(member.ports for member in members)
    return Outcome("holds" if found == 20 else "refuted", f"{found} ports")


def twice() -> Outcome:
    ratios = []
    for m in (2, 3, 4):
        member = SparseMultiring(m, 4 * m)
        nodes = member.order
        load = Fraction(search_cell(nodes, 2 * m)["load"])
        full = Fraction(nodes * (nodes - 1)) / load
        ratios.append(float(sparse_capacity(member).balanced.capacity / full))
    good = min(ratios) >= 1.9
    return Outcome(
        "holds" if good else "refuted",
        "{:.2f}, {:.2f}, {:.2f} times the best full rings".format(*ratios),
        "by its own formulas it would be 2(1 - 1/m)",
    )


def equal_nodes() -> Outcome:
    found = [SparseMultiring(m, 4 * m).order for m in _FAMILY]
    wanted = [4 * m * m for m in _FAMILY]
    return Outcome(
        "holds" if found == wanted else "refuted",
        f"sparse {', '.join(map(str, found))}; 4m² is {', '.join(map(str, wanted))}",
        "sparse rings join 4(m² - m + 1) nodes",
    )


def full_cable() -> Outcome:
    for m in range(2, 13):
        total = 4 + sum(2 * (2 * i - 1) for i in range(1, m))
        assert total == 2 * m * (m - 2) + 6
    return Outcome(
        "refuted", "m = 4: the sum is 22, 2m(m-4) is 0", "it is 2m(m-2) + 6, from the same sum"
    )


def sparse_cable() -> Outcome:
    found = {m: 2 * SparseMultiring(m, 4 * m).ring_count for m in _FAMILY}
    good = all(length == 2 * m * (m - 1) + 2 for m, length in found.items())
    return Outcome("holds" if good else "refuted", ", ".join(map(str, found.values())))
