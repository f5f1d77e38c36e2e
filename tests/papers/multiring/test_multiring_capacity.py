"""Schedules of routes: exact, proved, and against slow twins."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from hopscape.core.errors import ArgumentError
from hopscape.papers.multiring.capacity import (
    balanced_schedule,
    cable,
    capacity_report,
    heuristic_schedule,
    moore_bound,
    shortest_schedule,
)
from hopscape.papers.multiring.exact_loads import optimum, ring_program
from hopscape.papers.multiring.families import Multiring, SparseMultiring
from hopscape.papers.multiring.sparse_capacity import (
    arc_program,
    sparse_capacity,
    sparse_closed_form,
    sparse_upper_bound,
)


def walked(n, step):
    """Length of every route along a ring, by walking; None where it does not go."""
    out, at, hops = [None] * n, step % n, 1
    while at:
        out[at] = hops
        at, hops = (at + step) % n, hops + 1
    return out


def slow_balanced_load(n, rings, weights=None):
    """The whole program, unfolded, in floating point."""
    tables = [walked(n, s) for s in rings]
    pairs = [(j, r) for j, t in enumerate(tables) for r in range(1, n) if t[r]]
    share = [1.0] * n if weights is None else [0.0, *map(float, weights)]
    cost = [0.0] * len(pairs) + [1.0]
    upper = np.zeros((len(rings), len(cost)))
    equal = np.zeros((n - 1, len(cost)))
    for i, (j, r) in enumerate(pairs):
        upper[j, i] = tables[j][r] * share[r]
        equal[r - 1, i] = 1
    upper[:, -1] = -1
    return linprog(cost, upper, [0] * len(rings), equal, [1] * (n - 1)).fun


@st.composite
def multirings(draw):
    n = draw(st.integers(3, 40))
    if draw(st.booleans()):
        steps = draw(st.sets(st.integers(1, (n - 1) // 2), min_size=1, max_size=5))
    else:
        steps = draw(st.sets(st.integers(1, n - 1), min_size=1, max_size=5))
        steps = {s if 2 * s <= n else s - n for s in steps} | {-1}
    steps |= {1}
    return Multiring(n, tuple(sorted(steps)), copies=draw(st.integers(1, 2)))


@settings(deadline=None, max_examples=40)
@given(multirings())
def test_balanced_is_optimal_and_proved(member):
    found = balanced_schedule(member)
    assert found.proved
    assert math.isclose(found.load, slow_balanced_load(member.n, member.rings), rel_tol=1e-7)
    short = shortest_schedule(member)
    by_hand = heuristic_schedule(member)
    assert found.load <= by_hand.load <= short.load
    assert found.capacity <= moore_bound(member.n, len(member.rings))
    for schedule in (found, short, by_hand):
        for r in range(member.n - 1):
            assert sum(row[r] for row in schedule.shares) == 1
        assert min(p for row in schedule.shares for p in row) >= 0
        assert sum(schedule.traffic) == member.n - 1
        loads = []
        for row, s in zip(schedule.shares, member.rings):
            table = walked(member.n, s)
            assert all(table[r + 1] for r, p in enumerate(row) if p)
            loads.append(sum(p * (table[r + 1] or 0) for r, p in enumerate(row)))
        assert tuple(loads) == schedule.loads


@settings(deadline=None, max_examples=25)
@given(multirings(), st.data())
def test_given_distributions(member, data):
    count = member.n - 1
    raw = data.draw(st.lists(st.integers(0, 5), min_size=count, max_size=count))
    raw[0] += 1
    weights = [Fraction(x) for x in raw]
    found = balanced_schedule(member, weights)
    scaled = [w * count / sum(raw) for w in raw]
    assert found.proved
    assert math.isclose(
        found.load, slow_balanced_load(member.n, member.rings, scaled), rel_tol=1e-6
    )
    if len(member.rings) == 1:
        mean = sum(r * w for r, w in enumerate(weights, 1)) / sum(weights)
        assert found.capacity == member.n / mean


@pytest.mark.parametrize("wrong", [[1, 2], [0] * 15, [-1, *[1] * 14]])
def test_bad_distributions(wrong):
    with pytest.raises(ArgumentError, match="weights"):
        shortest_schedule(Multiring(16, (1, 3)), [Fraction(x) for x in wrong])


@pytest.mark.parametrize(
    ("n", "steps", "shortest", "load"),
    [
        (16, (1, 3), "20", "11"),
        (16, (1, 2, 3), "40", "133/23"),
        (32, (1, 2, 3), "248/7", "1313/55"),
        (32, (1, 2, 3, 7), "992/17", "4048/289"),
        (37, (1, 2, 3, 7), "1332/29", "28758/1469"),
        (64, (1, 2, 3, 7), "1344/29", "46848/815"),
        (67, (1, 2, 3, 7), "1474/29", "283189/4619"),
        (64, (1, 2, 3, 5, 7), "4032/47", "9011/239"),
        (128, (1, 2, 3, 5, 7), "4064/47", "4587724/30633"),
        (37, (1, 6, 8, 10, 11, 14), "222", "6"),
        (16, (1, 3, 4, 5, 7), "120", "2"),
        (16, (1, 2, 3, 7, -7, -4, -3, -1), "48", "2568/793"),
    ],
)
def test_known_numbers(n, steps, shortest, load):
    member = Multiring(n, steps)
    assert shortest_schedule(member).capacity == Fraction(shortest)
    found = balanced_schedule(member)
    assert found.load == Fraction(load)
    assert found.proved
    half = len(steps) if member.paired else len(member.rings)
    assert found.split_routes <= 2 * half


def test_identical_rings_and_the_single_ring():
    for n in range(3, 50):
        one = balanced_schedule(Multiring(n, (1,)))
        assert one.capacity == (Fraction(8 * (n - 1), n) if n % 2 == 0 else Fraction(8 * n, n + 1))
        three = balanced_schedule(Multiring(n, (1,), copies=3))
        assert three.capacity == 3 * one.capacity
        assert three.proved
        assert balanced_schedule(Multiring(n, (1,), simplex=True)).capacity == 2


def test_unit_multiples_carry_the_same():
    base = balanced_schedule(Multiring(25, (1, 4, 6))).load
    for unit in (2, 3, 7, 12):
        steps = tuple(unit * s % 25 for s in (1, 4, 6))
        assert balanced_schedule(Multiring(25, steps)).load == base


def test_certificates_catch_wrong_weights():
    program = ring_program([[1, 2, 3], [3, 2, 1]], [Fraction(1)] * 3)
    found = optimum(program)
    assert found.proved
    assert found.load == 2
    assert program.bound([Fraction(9, 10), Fraction(1, 10)]) < found.load


def test_report_has_the_keys_that_scripts_use():
    record = capacity_report(Multiring(16, (1, 3))).to_dict()
    for name in ("shortest", "balanced"):
        for key in ("capacity", "load", "loads"):
            assert key in record[name]
            assert f"{key}_decimal" in record[name]
    assert record["shortest"]["total_of_rings"] == 22
    assert record["shortest"]["limited_by"] == [1, -1]
    assert record["balanced"]["proved"]
    assert record["cable"] == cable(16, (1, -1, 3, -3)) == 8


def slow_sparse_loads(member):
    """All pairs of nodes of the whole network, shortest paths, ties split: load of every arc."""
    table = member.table().tolist()
    size = len(table[0])
    loads = {}
    for a in range(member.order):
        for b in range(member.order):
            ways = []
            for i, ring in enumerate(table):
                if a != b and a in ring and b in ring:
                    p, q = ring.index(a), ring.index(b)
                    ways += [(i, 1, p, (q - p) % size), (i, -1, p, (p - q) % size)]
            least = min((w[3] for w in ways), default=0)
            best = [w for w in ways if w[3] == least]
            for i, side, p, length in best:
                for k in range(length):
                    arc = (i, side, (p + side * k) % size)
                    loads[arc] = loads.get(arc, 0) + Fraction(1, len(best))
    return loads


@pytest.mark.parametrize(("m", "K", "order"), [(2, 8, ()), (3, 6, ()), (3, 9, ()), (2, 10, ()),
                                               (2, 8, (3, 0, 5, 1, 7, 2, 4, 6))])  # fmt: skip
def test_sparse_loads_of_the_whole_network(m, K, order):
    member = SparseMultiring(m, K, order)
    found = sparse_capacity(member)
    slow = slow_sparse_loads(member)
    assert max(slow.values()) == found.shortest.load
    by_side = {side: sorted(x for (i, s, _), x in slow.items() if i == 0 and s == side)
               for side in (1, -1)}  # fmt: skip
    assert by_side[1] == sorted(found.shortest.loads[: member.places])
    assert by_side[-1] == sorted(found.shortest.loads[member.places :])
    assert found.balanced.bound <= found.balanced.load <= found.shortest.load
    assert found.balanced.capacity <= sparse_upper_bound(member)


@pytest.mark.parametrize(
    ("m", "K", "capacity"),
    [(2, 8, "22"), (2, 10, "420/19"), (3, 12, "54"), (3, 15, "595/11"), (4, 8, "100"),
     (4, 12, "494/5"), (4, 16, "102"), (4, 19, "102")],
)  # fmt: skip
def test_sparse_numbers(m, K, capacity):
    member = SparseMultiring(m, K)
    found = sparse_capacity(member)
    assert found.balanced.capacity == Fraction(capacity) == sparse_closed_form(m, member.places)
    assert found.balanced.proved
    record = found.to_dict()
    assert record["spare_places"] == K % m
    assert len(record["balanced"]["loads"]) == 2 * member.ring_count
    assert len(arc_program(member).program.weights) >= member.ring_count - 1
