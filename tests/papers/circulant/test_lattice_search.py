"""Circulants out of random lattices of closed walks."""

from __future__ import annotations

import numpy as np
import pytest

from hopscape.papers.circulant.formulas import closed_form
from hopscape.papers.circulant.lattice_search import try_lattices, walk_lattices
from plain_circulants import bfs


@pytest.mark.parametrize(("degree", "d", "above"), [(8, 4, 150), (10, 5, 800), (12, 7, 8000)])
def test_lattices_of_even_degrees_are_as_they_say(degree, d, above):
    n, count = degree // 2, 0
    for lattice in walk_lattices(degree, d, above, np.random.default_rng(1)):
        rows = np.array(lattice)
        assert round(np.linalg.det(rows)) > above
        rows[-1] = 2 * rows[-1] - rows[:-1].sum(axis=0)  # the last was half the sum of all
        beside = rows - np.diag(np.diag(rows))
        assert (beside == -beside.T).all()
        assert abs(beside).max() <= 1
        assert np.trace(rows) == 4 * d + 2
        assert np.diag(rows).min() > 0
        assert rows.shape == (n, n)
        count += 1
    assert count > 5


def test_lattices_of_odd_degrees_are_as_they_say():
    count = 0
    for lattice in walk_lattices(11, 6, 2000, np.random.default_rng(1)):
        rows = np.array(lattice)
        beside = rows - np.diag(np.diag(rows))
        assert (beside == -beside.T).all()
        assert (rows.sum(axis=0) % 2 == 0).all()  # half the sum is whole: a walk to N/2
        assert np.trace(rows) == 24
        count += 1
    assert count > 5


@pytest.mark.parametrize(("degree", "d"), [(10, 6), (11, 6)])
def test_the_largest_by_formula_are_found(degree, d):
    best, held = 100, []
    for number in range(12):
        found = try_lattices(degree, d, best, number, 1)
        assert found == try_lattices(degree, d, best, number, 1)
        if found["generators"]:
            best, held = found["nodes"], found["generators"]
            assert max(bfs(best, tuple(held))) == d
            assert len({s % best for g in held for s in (g, -g)}) == degree
    assert best == closed_form(degree, d)[0]
    assert try_lattices(degree, d, best, 0, 1)["generators"] == []
