"""Checks of what the paper does not say but what is true of multirings as well."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from hopscape.core.network import Network
from hopscape.families.multiring.routing import route_rows
from hopscape.families.multiring.sparse import SparseMultiring
from hopscape.families.multiring.wiring import Multiring
from hopscape.ledger.claim import Outcome
from hopscape.ledger.papers.multiring import printed
from hopscape.ledger.papers.multiring.walks import Books, rings_of
from hopscape.metrics.rings.capacity import balanced_schedule, moore_bound
from hopscape.metrics.rings.sparse_capacity import sparse_capacity
from hopscape.search.multiring.faults import Faults, damaged_capacity

_PERFECT = ((13, (1, 3, 4)), (17, (1, 3, 4, 5)), (25, (1, 4, 5, 6, 9, 11)),
            (37, (1, 6, 8, 10, 11, 14)))  # fmt: skip
_BETTER = (
    (2, 10, (4, 8, 9, 7, 2, 5, 6, 3, 1, 0)),
    (4, 16, (7, 15, 9, 13, 12, 0, 10, 6, 3, 11, 1, 5, 4, 8, 14, 2)),
)


def moore() -> Outcome:
    books, exceptions, best = Books(), [], Fraction(0)
    rng = np.random.default_rng(2)
    sets = [(n, tuple(steps)) for n, steps in _PERFECT]
    for n in rng.integers(8, 41, size=20).tolist():
        others = rng.choice(np.arange(2, (n + 1) // 2), size=2, replace=False).tolist()
        sets.append((n, (1, *sorted(others))))
    for n, steps in sets:
        rings = 2 * len(steps)
        farthest = sum(1 + i // rings for i in range(n - 1))
        bound = Fraction(rings * n * (n - 1), farthest)
        books.same(f"N = {n}, n = {rings}: the bound", moore_bound(n, rings), bound)
        share = books.balanced(n, steps) / bound
        best = max(best, share)
        if share > 1 or ((n, steps) in _PERFECT and share != 1) or bound >= 2 * rings**2:
            exceptions.append(f"N = {n}, steps {steps}: {float(share):.3f} of the bound")
    text = f"{len(sets)} sets up to {float(best):g} of the bound, {len(_PERFECT)} meet it"
    return books.judge(exceptions, text)


def units() -> Outcome:
    books, exceptions, multiples = Books(), [], 0
    for n, steps in ((16, (1, 3)), (15, (1, 4, 6)), (25, (1, 2, 5)), (12, (1, 2, 3))):
        base = books.balanced(n, steps)
        for u in range(2, n):
            if math.gcd(u, n) == 1:
                turned = tuple(sorted({min(u * s % n, -u * s % n) for s in steps}))
                multiples += 1
                if books.balanced(n, turned) != base:
                    exceptions.append(f"N = {n}, {steps} times {u}")
    return books.judge(exceptions, f"{multiples} multiples of four sets carry the same")


def split_routes() -> Outcome:
    books, exceptions, counts = Books(), [], []
    for (n, _), steps in printed.TABLE_2_4.items():
        books.balanced(n, steps)
        shares = balanced_schedule(Multiring(n, steps)).shares
        split = 0
        for r in range(1, n // 2 + 1):
            used = {j // 2 for j, row in enumerate(shares) if row[r - 1] or row[n - r - 1]}
            split += len(used) > 1
        counts.append(split)
        if split > len(steps) - 1:
            exceptions.append(f"N = {n}, steps {steps}: {split} split routes")
    text = f"{', '.join(map(str, counts))} split routes in the printed cells"
    return books.judge(exceptions, text)


def _carried(books: Books, member: SparseMultiring) -> Fraction:
    """What the library's balanced schedule carries, its ways walked round the rings."""
    table = member.table().tolist()
    size = len(table[0])
    loads: dict[tuple[str, int], Fraction] = {}
    sums: dict[tuple[int, int], Fraction] = {}
    for row in route_rows(Network.of(member), "balanced", range(member.order)):
        ring = table[int(row["ring"][:-1])]
        side = 1 if row["ring"][-1] == "+" else -1
        if row["source"] not in ring:
            books.wrong.append(f"ring {row['ring']} does not pass node {row['source']}")
            return Fraction(0)
        at = ring.index(row["source"])
        end = ring[(at + side * row["length"]) % size]
        books.same(f"end of the way from {row['source']}", end, row["target"])
        pair = row["source"], row["target"]
        sums[pair] = sums.get(pair, Fraction(0)) + row["share"]
        for k in range(row["length"]):
            arc = row["ring"], (at + side * k) % size
            loads[arc] = loads.get(arc, Fraction(0)) + row["share"]
    books.same("sums of shares", set(sums.values()), {Fraction(1)})
    books.same("pairs", len(sums), member.order * (member.order - 1))
    found = Fraction(len(sums)) / max(loads.values())
    library = sparse_capacity(member).balanced
    books.same(f"capacity of {member.spec[:30]}", library.capacity, found)
    return found


def reordered() -> Outcome:
    books, exceptions, parts = Books(), [], []
    for m, k, order in _BETTER:
        better, old = _carried(books, SparseMultiring(m, k, order)), books.sparse(m, k)
        parts.append(f"{float(better):.3f} against {float(old):.3f}")
        if better <= old:
            exceptions.append(f"m = {m}, K = {k}: {better}, not more than {old}")
    return books.judge(exceptions, "; ".join(parts))


def other_designs() -> Outcome:
    books = Books()
    m, k, sigma = 4, 16, 2
    member = SparseMultiring(m, k, sigma=sigma)
    rings = m * (m - 1) // sigma + 1
    nodes = rings * k // m
    found = _carried(books, member)
    exact = Fraction(8 * rings * (nodes - 1), nodes)
    wrong = [] if found == exact else [f"C = {found}, not {exact}"]
    return books.judge(wrong, f"{found} packets per slot, {nodes} nodes on {rings} rings")


def dead_arc() -> Outcome:
    """The whole program of what is left, in floating point, beside the exact one."""
    n, steps = printed.EXAMPLE
    books = Books()
    found = damaged_capacity(Network.of(Multiring(n, steps)), Faults(arcs=((0, 1, ""),)))
    walked = _walked_program(n, rings_of(n, steps), (0, 1))
    if abs(float(found.capacity) - walked) > 1e-6:
        books.same("capacity with arc 0-1 dead", f"{float(found.capacity):.4f}", f"{walked:.4f}")
    share = found.capacity / books.balanced(n, steps)
    wrong = [] if share >= Fraction(7, 8) else [f"{float(share):.3f} of the capacity"]
    return books.judge(wrong, f"{found.capacity} packets per slot, {float(share):.3f} of all")


def _walked_program(n: int, rings: Sequence[int], dead: tuple[int, int]) -> float:
    from scipy.optimize import linprog

    ways: list[tuple[int, list[int]]] = []
    for i, s in enumerate(rings):
        for a in range(n):
            at, arcs = a, list[int]()
            while (at + s) % n != a and (at, (at + s) % n) != dead:
                arcs.append(i * n + at)
                at = (at + s) % n
                ways.append((a * n + at, list(arcs)))
    pairs = sorted({pair for pair, _ in ways})
    upper = np.zeros((len(rings) * n, len(ways) + 1))
    equal = np.zeros((len(pairs), len(ways) + 1))
    for column, (pair, arcs) in enumerate(ways):
        upper[arcs, column] = 1
        equal[pairs.index(pair), column] = 1
    upper[:, -1] = -1
    cost = np.zeros(len(ways) + 1)
    cost[-1] = 1
    found: Any = linprog(cost, upper, np.zeros(len(upper)), equal, np.ones(len(pairs)))
    return len(pairs) / float(found.fun)
