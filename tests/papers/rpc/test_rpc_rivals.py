"""RPC(k) beside its rivals: the numbers behind the ledger and the study."""

from __future__ import annotations

from itertools import combinations

import pytest

from hopscape.papers.rpc.balance_kernels import best_circulant
from hopscape.papers.rpc.comparison import best_torus, circulant_floor, compare, crossovers, ranges
from hopscape.registry import build


def test_table_1():
    rows = {row["k"]: row for row in compare([1, 2, 3, 4, 5, 10, 50, 98, 100], circulants=False)}
    columns = ("rpc", "rp", "torus_formula", "torus", "torus_shape", "ring")
    assert [rows[k][c] for k in (1, 10, 98) for c in columns] == [
        *(5, 3, 4, 5, "5x6", 15),
        *(10, 17, 16, 17, "15x20", 150),
        *(54, 149, 54, 54, "49x60", 1470),
    ]
    assert [round(rows[k]["rpc_mean"], 4) for k in (1, 2, 50)] == [3.4828, 3.9322, 15.8773]


def test_best_torus_by_building_all():
    for nodes in (30, 60, 90):
        far = [
            build(f"torus({a}, {nodes // a})").facts.diameter
            for a in range(1, nodes + 1)
            if nodes % a == 0
        ]
        assert best_torus(nodes)[2] == min(far)


def circulant_diameter(nodes, steps):
    """Breadth-first search with sets; None when it is not connected."""
    seen, edge, far = {0}, {0}, 0
    while len(seen) < nodes:
        edge = {(v + s) % nodes for v in edge for t in steps for s in (t, -t)} - seen
        if not edge:
            return None
        seen |= edge
        far += 1
    return far


@pytest.mark.interpreted
@pytest.mark.parametrize("nodes", [30, 60])
def test_best_circulant_by_trying_all_sets(nodes):
    half = nodes // 2
    far = {
        (r, s): circulant_diameter(nodes, (r, s, half)) for r, s in combinations(range(1, half), 2)
    }
    first, step, least = best_circulant(nodes, 0)
    assert least == min(d for d in far.values() if d is not None)
    assert least == far[min(first, step), max(first, step)]


def test_a_circulant_without_step_one_can_be_better():
    """No set with 1 (or with another unit, which is the same) has diameter 22 at 1860 nodes."""
    first, step, least = best_circulant(1860, circulant_floor(1860))
    assert (first, step, least) == (2, 171, 22)
    assert circulant_diameter(1860, (2, 171, 930)) == 22
    assert min(circulant_diameter(1860, (1, s, 930)) for s in range(20, 60)) == 23


def test_crossovers():
    found = {row["rival"]: row for row in crossovers(compare(range(1, 98), circulants=False))}
    assert (found["rp"]["equal"], found["rp"]["worse"]) == ("3", "1-2")
    assert (found["torus"]["equal"], found["torus"]["worse"]) == ("1", "never")
    assert ranges([]) == "never"
