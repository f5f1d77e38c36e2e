"""Collectives of products and Cayley graphs, verified, against bounds that nothing beats."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape import Goal, Model, verify
from hopscape.collectives import lower_bounds, run_algorithm
from hopscape.collectives.colouring import colour_edges
from hopscape.collectives.products import (
    _match_middles,
    _small_permutation,
    broadcast_by_axes,
    permute_by_rows,
)
from hopscape.collectives.symmetric import OrbitPlan, Orbits
from hopscape.collectives.symmetric_plans import exchange_plan, exchange_under, gather_under
from hopscape.collectives.symmetric_translations import Shifts, under_translations
from hopscape.core.distances import distance_rows
from hopscape.core.errors import ArgumentError
from hopscape.families.classic.heawood import basic_broadcast


@pytest.mark.parametrize("spec", ["heawood", "heawood(mirrored=true)"])
def test_basic_broadcast_from_every_root(spec):
    net = hopscape.build(spec)
    for root in range(14):
        good = verify(run_algorithm(net, Goal.broadcast(root), "basic"))
        assert good
        assert (good.details["rounds"], good.details["messages"]) == (3, 13)
        assert good.details["duplicates"] == 0
        printed = verify(basic_broadcast(net, root, printed=True))
        assert not printed
        assert (printed.details["reached"], printed.details["duplicates"]) == (10, 4)


@pytest.mark.parametrize(
    ("spec", "rounds"),
    [("folded(heawood, 3)", 9), ("folded(petersen, 2)", 4), ("product(mesh(2, 3), ring(5))", 5)],
)
def test_broadcast_by_axes(spec, rounds):
    net = hopscape.build(spec)
    verdict = verify(run_algorithm(net, Goal.broadcast(0), "axes"))
    assert verdict
    assert verdict.details["rounds"] == rounds
    assert verdict.details["messages"] == net.order - 1
    assert verdict.details["duplicates"] == 0


@pytest.mark.parametrize("n", [1, 2, 3])
def test_only_the_source_goes_on_as_printed(n):
    net = hopscape.build(f"folded(heawood, {n})")
    verdict = verify(broadcast_by_axes(net, net.family.factors, 5, source_only=True))
    assert verdict.details["reached"] == 1 + 13 * n


@pytest.mark.parametrize(("n", "rounds"), [(1, 4), (2, 8)])
def test_one_port_broadcast(n, rounds):
    net = hopscape.build(f"folded(heawood, {n})")
    plan = run_algorithm(net, Goal.broadcast(3), "axes", Model(ports=1))
    assert verify(plan)
    assert plan.rounds == rounds


@settings(deadline=None, max_examples=60)
@given(st.permutations(range(14)))
def test_any_permutation_of_heawood_in_three_rounds(targets):
    net = hopscape.build("heawood")
    plan = run_algorithm(net, Goal.permutation(targets), "rows")
    assert verify(plan)
    assert plan.rounds <= 3


def test_three_rounds_for_the_hardest_permutations():
    """All packets at distance 3: every matching of nodes with nodes at distance 3."""
    net = hopscape.build("heawood")
    far = [[b for b in range(14) if net.router().distance(a, b) == 3] for a in range(14)]
    table = distance_rows(net, np.arange(14)).astype(int)
    rng = np.random.default_rng(0)
    found = 0
    while found < 50:
        targets, free = [], set(range(14))
        for a in range(14):
            options = [b for b in far[a] if b in free]
            if not options:
                break
            targets.append(int(rng.choice(options)))
            free.remove(targets[-1])
        if len(targets) == 14:
            found += 1
            assert _match_middles(net, table, tuple(targets)) is not None
            assert _small_permutation(net, tuple(targets))[1] == 3


def first_fit(net, table, targets):
    """Give each far packet the first middle link that is left; False where one finds none."""
    taken = set()
    for packet, target in enumerate(targets):
        if table[packet, target] != 3:
            continue
        links = [
            (u, v)
            for u in net.neighbours(packet)
            if table[u, target] == 2
            for v in net.neighbours(u)
            if table[v, target] == 1 and (u, v) not in taken
        ]
        if not links:
            return False
        taken.add(links[0])
    return True


def test_middle_links_change_hands():
    """A Heawood graph with its nodes renamed, where the first link left is not good enough."""
    names = np.random.default_rng(0).permutation(14)
    heawood = hopscape.build("heawood")
    links = [(u, v) for u in range(14) for v in heawood.neighbours(u) if u < v]
    net = hopscape.Network.from_links(
        14, names[[u for u, _ in links]].tolist(), names[[v for _, v in links]].tolist()
    )
    targets = (7, 9, 4, 12, 10, 8, 13, 11, 6, 1, 0, 2, 3, 5)
    table = distance_rows(net, np.arange(14)).astype(int)
    assert not first_fit(net, table, targets)
    chosen = _match_middles(net, table, targets)
    assert sorted(chosen) == list(range(14))
    assert len({(path[1], path[2]) for path in chosen.values()}) == 14
    plan = permute_by_rows(net, [net], targets)
    assert plan.rounds == 3
    assert verify(plan)


@pytest.mark.parametrize(
    ("spec", "most"),
    [("folded(heawood, 2)", 9), ("folded(petersen, 2)", 6), ("product(ring(6), path(4))", None)],
)
def test_permutations_by_rows(spec, most):
    net = hopscape.build(spec)
    for seed in range(4):
        targets = np.random.default_rng(seed).permutation(net.order).tolist()
        plan = run_algorithm(net, Goal.permutation(targets), "rows")
        assert verify(plan)
        assert most is None or plan.rounds <= most


def test_small_permutations_of_any_factor():
    net = hopscape.build("path(4)")
    for targets in permutations(range(4)):
        assert verify(
            run_algorithm(
                hopscape.build("product(path(4), path(1))"), Goal.permutation(targets), "rows"
            )
        )
        assert _small_permutation(net, targets)[1] >= 0


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 8), st.integers(1, 5), st.integers(0, 999))
def test_colouring(width, colours, seed):
    rng = np.random.default_rng(seed)
    left = np.repeat(np.arange(width), colours)
    right = np.concatenate([rng.permutation(width) for _ in range(colours)])
    right = right.reshape(colours, width).T.ravel()
    found, used = colour_edges(left, right)
    assert used == colours
    for side in (left, right):
        assert set(Counter(zip(side.tolist(), found.tolist())).values()) == {1}


@pytest.mark.parametrize("spec", ["heawood", "heawood(mirrored=true)"])
def test_translations_are_a_regular_group(spec):
    net = hopscape.build(spec)
    rows = net.family.translations()
    links = {(u, v) for u in range(14) for v in net.neighbours(u)}
    assert rows[:, 0].tolist() == list(range(14))
    group = {tuple(row) for row in rows.tolist()}
    for row in rows:
        assert {(int(row[u]), int(row[v])) for u, v in links} == links
        assert all(tuple(row[other].tolist()) in group for other in rows)


@pytest.mark.parametrize(
    ("spec", "gossip", "exchange"),
    [("heawood", 5, 9), ("folded(heawood, 1)", 5, 9), ("folded(heawood, 2)", 33, 126)],
)
def test_gossip_and_total_exchange_reach_their_bounds(spec, gossip, exchange):
    net = hopscape.build(spec)
    for goal, rounds in ((Goal.all_gather(), gossip), (Goal.all_to_all(), exchange)):
        plan = run_algorithm(net, goal, "translations")
        assert verify(plan)
        assert plan.rounds == rounds == lower_bounds(net, goal)[0].rounds


def test_total_exchange_of_three_factors():
    """One node's plan meets the bound and is sound."""
    view = under_translations(hopscape.build("folded(heawood, 3)"), [hopscape.build("heawood")] * 3)
    plan = OrbitPlan(view, *exchange_plan(view))
    assert plan.rounds == 1764
    assert plan.fault == ""


@pytest.mark.parametrize("spec", ["circulant(8, 1, 1)", "circulant(5, 1, 1, 2)"])
def test_parallel_links_are_carried_one_by_one(spec):
    """Of two links between the same nodes each has its own kind."""
    net = hopscape.build(spec)
    turns = (np.arange(net.order)[:, None] + np.arange(net.order)) % net.order
    orbits = Orbits(net, turns)
    assert orbits.fault() == ""
    assert np.bincount(orbits.kinds).tolist() == [net.order] * (len(net.heads) // net.order)
    for goal, make in ((Goal.all_gather(), gather_under), (Goal.all_to_all(), exchange_under)):
        assert verify(make(orbits, goal, Model(), "turns"))


@pytest.mark.slow
def test_gossip_of_three_factors():
    net = hopscape.build("folded(heawood, 3)")
    plan = run_algorithm(net, Goal.all_gather(), "translations")
    assert plan.rounds == 305
    assert verify(plan)


def test_all_port_only():
    net = hopscape.build("folded(heawood, 1)")
    for goal, name in (
        (Goal.all_gather(), "translations"),
        (Goal.permutation(list(range(14))), "rows"),
    ):
        with pytest.raises(ArgumentError, match="serves all-port"):
            run_algorithm(net, goal, name, Model(ports=1))
    with pytest.raises(ArgumentError, match="no translations"):
        Shifts([hopscape.build("petersen")])
