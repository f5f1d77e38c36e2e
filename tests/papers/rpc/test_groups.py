"""Best groups, against brute force and against closed forms."""

from __future__ import annotations

from itertools import combinations

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from conftest import fresh_graph
from hopscape.core.distances import distance_rows
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.papers.rpc.clique_kernels import FOUND, NONE, find_clique
from hopscape.papers.rpc.comparison import group_rows
from hopscape.papers.rpc.groups import (
    _bits,
    best_group,
    group_diameter,
    largest_rpc_group,
    rp_group,
    rpc_group,
    torus_group,
)


def largest_clique(mask):
    """By networkx, which lists them all."""
    return max(len(clique) for clique in networkx.find_cliques(networkx.from_numpy_array(mask)))


@given(st.integers(0, 10**6), st.integers(1, 70), st.floats(0.1, 0.95))
@settings(deadline=None, max_examples=60)
def test_clique_search_agrees_with_networkx(seed, nodes, density):
    mask = np.random.default_rng(seed).random((nodes, nodes)) < density
    mask = np.triu(mask, 1)
    mask |= mask.T
    largest = largest_clique(mask)
    everybody = _bits(np.ones((1, nodes), dtype=bool), loops=True)[0]
    near = _bits(mask)
    status, clique, _ = find_clique(near, everybody, largest, 10**7)
    assert status == FOUND
    members = clique[:largest].tolist()
    assert len(set(members)) == largest
    assert all(mask[a, b] for a, b in combinations(members, 2))
    assert find_clique(near, everybody, largest + 1, 10**7)[0] == NONE


def test_a_colour_too_many_is_spared_by_moving_a_node():
    """The path 0 - 2 - 3 - 1 gets three colours in this order; 1 moves, and no branch is left."""
    mask = np.zeros((4, 4), dtype=bool)
    for a, b in ((0, 2), (2, 3), (3, 1)):
        mask[a, b] = mask[b, a] = True
    everybody = _bits(np.ones((1, 4), dtype=bool), loops=True)[0]
    status, _, branches = find_clique(_bits(mask), everybody, 3, 10**7)
    assert (status, branches) == (NONE, 0)


@given(st.integers(0, 10**6), st.integers(2, 8), st.data())
@settings(deadline=None, max_examples=40)
def test_groups_agree_with_brute_force(seed, order, data):
    net = fresh_graph(seed, order, 3 * order)
    table = distance_rows(net, np.arange(order)).astype(int)
    size = data.draw(st.integers(1, order))
    if (table > order).any():
        with pytest.raises(DisconnectedError):
            best_group(net, size)
        return
    best = min(
        max((table[a, b] for a, b in combinations(some, 2)), default=0)
        for some in combinations(range(order), size)
    )
    group = best_group(net, size)
    assert (group.diameter, group.exact, group.lower_bound) == (best, True, best)
    assert group_diameter(net, group.nodes) == best
    assert len(set(group.nodes)) == size


@pytest.mark.compiled
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 7])
def test_largest_groups_of_rpc(k):
    net = hopscape.build(f"rpc({k})")
    for t in range(1, min(6, k // 2 + 5)):
        most = largest_rpc_group(t, k)
        full, over = best_group(net, most), best_group(net, most + 1)
        assert full.exact
        assert over.exact
        assert full.diameter <= t < over.diameter
        assert group_diameter(net, full.nodes) == full.diameter


@pytest.mark.parametrize("m", [3, 6, 12, 13, 18, 19, 20, 30, 31, 60, 61])
def test_groups_of_rpc_8(m):
    group = best_group(hopscape.build("rpc(8)"), m)
    assert group.exact
    assert group.diameter == rpc_group(m, 8)


@pytest.mark.parametrize(("spec", "known"), [("rp(3)", 3), ("rp(7)", 7), ("rp(8)", 8)])
def test_groups_of_rp(spec, known):
    net = hopscape.build(spec)
    for m in (2, 3, 10, 11, 20, 21):
        group = best_group(net, m)
        assert group.exact
        assert group.diameter == rp_group(m, known)


@pytest.mark.compiled
def test_groups_of_tori_are_diamonds():
    net = hopscape.build("torus(11, 12)")
    for m in (2, 3, 5, 6, 8, 9, 13, 14, 18, 19):
        group = best_group(net, m)
        assert group.exact
        assert group.diameter == torus_group(m)


def test_printed_equations_against_true_values():
    rows = {row["m"]: row for row in group_rows()}
    assert [m for m, r in rows.items() if r["rpc"] != r["rpc_printed"]] == [19, 20]
    assert [m for m, r in rows.items() if r["rp"] != r["rp_printed"]] == []
    assert [m for m, r in rows.items() if r["rpc"] < r["rp"]] == [3, *range(51, 3137)]
    assert min(m for m, r in rows.items() if r["rpc"] > r["torus"]) == 1501
    assert all(rows[m]["rpc"] > rows[m]["torus"] for m in range(1531, 3137))
    assert not any(2 * r["rpc"] < r["torus"] for r in rows.values())


def test_a_small_budget_is_honest():
    group = best_group(hopscape.build("random_regular(300, 3, seed=1)"), 60, budget=3)
    assert not group.exact
    assert group.lower_bound < group.diameter
    assert len(group.nodes) == 60
    assert group_diameter(hopscape.build("random_regular(300, 3, seed=1)"), group.nodes) == (
        group.diameter
    )


@pytest.mark.parametrize("size", [0, -1, 11])
def test_sizes_that_do_not_exist(size):
    with pytest.raises(ArgumentError, match="from 1 to 10"):
        best_group(hopscape.build("petersen"), size)
