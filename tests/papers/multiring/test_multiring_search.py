"""Best step sets: the kernel and the search against going through everything."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.papers.multiring.capacity import balanced_schedule, cable
from hopscape.papers.multiring.families import Multiring
from hopscape.papers.multiring.search import (
    StepSpace,
    _cables,
    _refined_bound,
    best_step_sets,
    canonical_steps,
    cheapest_multiple,
    grow_family,
    pareto_front,
    search_cell,
)
from hopscape.papers.multiring.sparse_capacity import sparse_capacity
from hopscape.papers.multiring.tables import best_multirings, full_lines, sparse_lines
from hopscape.store import Store


def every_set(n, rings, simplex):
    top = n - 1 if simplex else (n - 1) // 2
    count = rings if simplex else rings // 2
    for others in combinations(range(2, top + 1), count - 1):
        yield (1, *others)


def load_of(n, steps, simplex):
    return balanced_schedule(Multiring(n, steps, simplex=simplex)).load


@pytest.mark.parametrize(
    ("n", "rings", "simplex"),
    [(9, 4, False), (12, 6, False), (13, 6, False), (11, 2, False), (14, 8, False), (7, 3, True),
     (8, 4, True)],
)  # fmt: skip
def test_search_finds_all_best_sets(n, rings, simplex):
    loads = {s: load_of(n, s, simplex) for s in every_set(n, rings, simplex)}
    best = min(loads.values())
    want = {canonical_steps(n, s, simplex=simplex) for s, x in loads.items() if x == best}
    found = search_cell(n, rings, simplex)
    assert Fraction(found["load"]) == best
    assert {tuple(s) for s in found["sets"]} == want
    assert found["tested"] == len(loads)


@pytest.mark.interpreted
@settings(deadline=None, max_examples=25)
@given(st.integers(7, 20), st.integers(1, 4), st.booleans(), st.integers(0, 100))
def test_scan_kernel_against_combinations(n, count, simplex, percent):
    rings = count if simplex else 2 * count
    if count > ((n - 1) if simplex else (n - 1) // 2):
        return
    space = StepSpace(n, count, simplex)
    sums = {}
    for i, steps in enumerate(every_set(n, rings, simplex)):
        table = np.array([space.lengths[s - 1] for s in steps])
        sums[steps] = int((table.min(axis=0) * space.weights).sum())
        if i % 199 == 0:
            assert space.bound(sums[steps]) <= load_of(n, steps, simplex)
    limit = int(np.percentile(list(sums.values()), percent))
    kept, totals, found = space.scan(limit, len(sums))
    mine = {space.steps(row): int(total) for row, total in zip(kept, totals)}
    assert mine == {s: x for s, x in sums.items() if x <= limit}
    assert found == len(mine)
    assert sorted(totals.tolist()) == totals.tolist()


def test_refined_bound_never_drops_a_better_set():
    space = StepSpace(17, 3, False)
    loads = {s: space.load(s) for s in every_set(17, 6, False)}
    best = min(loads.values())
    for steps, load in loads.items():
        if load <= best:
            assert _refined_bound(space, steps, best)
    assert not all(_refined_bound(space, s, best) for s in loads)


def test_unit_multiples():
    assert canonical_steps(32, (2, 5, 11)) == canonical_steps(32, (1, 6, 15)) == (1, 6, 15)
    assert cheapest_multiple(32, (1, 6, 15)) == (36, (2, 5, 11))
    space = StepSpace(21, 3, False)
    kept, _, _ = space.scan(1 << 40, space.sets)
    want = [cheapest_multiple(21, space.steps(row))[0] for row in kept]
    assert _cables(space, kept).tolist() == want


def test_cable_budget_and_front():
    n, rings = 16, 6
    loads = {s: load_of(n, s, False) for s in every_set(n, rings, False)}
    front = pareto_front(n, rings)
    costs = {s: cheapest_multiple(n, s)[0] for s in loads}
    for budget in sorted(set(costs.values())):
        best = min(x for s, x in loads.items() if costs[s] <= budget)
        assert best_step_sets(n, rings, cable=budget)[0].load == best
        assert min(found.load for found in front if found.cable <= budget) == best
    assert search_cell(n, rings, cable=3)["sets"] == []
    assert [found.cable for found in front] == sorted({found.cable for found in front})
    assert [found.load for found in front] == sorted({f.load for f in front}, reverse=True)


def test_known_cells():
    got = {cell: row["capacity_decimal"] for cell, row in zip(
        CELLS, best_multirings(list(CELLS), workers=1))}  # fmt: skip
    assert {c: round(x, 3) for c, x in got.items()} == CELLS


CELLS = {(16, 8): 68.710, (32, 6): 50.017, (32, 8): 80.675, (37, 6): 52.419, (37, 8): 93.570}


def test_unpaired_rings_can_win():
    paired, free = (search_cell(16, 8, simplex) for simplex in (False, True))
    assert Fraction(free["load"]) < Fraction(paired["load"])
    assert 240 / Fraction(free["load"]) >= Fraction(7411, 100)


@pytest.mark.parametrize(
    ("n", "rings", "simplex", "words"),
    [(2, 2, False, "nodes is 2"), (16, 5, False, "an even number from 2 to 14"),
     (16, 16, False, "rings is 16"), (16, 0, True, "an integer from 1 to 15")],
)  # fmt: skip
def test_bad_cells(n, rings, simplex, words):
    with pytest.raises(ArgumentError, match=words):
        search_cell(n, rings, simplex)


def test_too_many_sets_are_refused_with_their_number():
    with pytest.raises(TooLargeError, match="too many to go through"):
        search_cell(1000, 20)
    with pytest.raises(TooLargeError, match="too many to weigh"):
        pareto_front(128, 14)


def test_search_resumes_from_its_table(tmp_path):
    path = tmp_path / "cells.jsonl"
    cells = [(9, 4), (10, 4)]
    with Store(path) as table:
        first = list(best_multirings(cells[:1], resume=table, workers=1))
    with Store(path) as table:
        assert len(table) == 1
        both = list(best_multirings(cells, resume=table, workers=1))
    assert both[0] == first[0]
    assert path.read_text().count("\n") >= 2


def test_lines_of_a_torus():
    lines = full_lines([(9, 4), (10, 4)], workers=1)
    for n in (9, 10):
        best = max(found.capacity for found in lines if found.nodes == n)
        assert best == Fraction(n * (n - 1)) / Fraction(search_cell(n, 4)["load"])
    for found in lines:  # what a line says of itself is what its spec gives
        member = hopscape.build(found.spec).family
        assert balanced_schedule(member).capacity == found.capacity
        assert cable(member.n, member.rings) == found.cable
        assert (member.order, member.ports) == (found.nodes, found.ports)
    lines = sparse_lines(8, 22, reorder=True, workers=1)
    assert {"sparse_multiring(3, 9)", "sparse_multiring(4, 8, sigma=2)"} <= {x.spec for x in lines}
    assert any("order" in found.spec for found in lines)
    for found in lines:
        member = hopscape.build(found.spec).family
        assert sparse_capacity(member).balanced.capacity == found.capacity
        assert (member.order, member.ports) == (found.nodes, found.ports)
        assert found.nodes <= 22


def test_growing_family():
    found = grow_family([(8, 2), (13, 4), (16, 6)], beam=200)
    assert found.steps[0] == 1
    assert len(found.steps) == 3
    shares = []
    for (n, rings), capacity in zip([(8, 2), (13, 4), (16, 6)], found.capacities):
        steps = found.steps[: rings // 2]
        assert balanced_schedule(Multiring(n, steps)).capacity == capacity
        shares.append(capacity * Fraction(search_cell(n, rings)["load"]) / (n * (n - 1)))
    assert min(shares) == found.worst
    assert math.isclose(float(found.worst), 1.0, rel_tol=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("rings", [4, 6, 8, 10])
def test_whole_grid(rings):
    for n in (16, 32, 37, 64, 67, 124, 128):
        [found] = best_multirings([(n, rings)], workers=1)
        assert found["proved"]
        assert found["gain"] is None or found["gain"] >= 0
