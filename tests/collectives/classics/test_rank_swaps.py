"""Ranks seated by greedy choice and swaps: costs against a slow twin, placements that pay."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from conftest import connected_graph
from hopscape import Goal, verify
from hopscape.collectives.classics import placing, table
from hopscape.collectives.classics.exchange import direct_exchange
from hopscape.collectives.classics.gathering import recursive_doubling
from hopscape.collectives.classics.placing import swapped_order
from hopscape.collectives.classics.plans import RankPlan
from hopscape.collectives.classics.swap_kernels import (
    greedy_placement,
    placement_cost,
    swap_placement,
)
from hopscape.collectives.contest import compete


def slow_cost(plan, hops, placement):
    """Hops of all chunks, one by one."""
    pairs = zip(plan.source.tolist(), plan.target.tolist(), strict=True)
    return sum(int(hops[placement[a], placement[b]]) for a, b in pairs)


@pytest.mark.interpreted
@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(4, 12), st.integers(1, 40), st.integers(0, 3))
def test_costs_of_swaps(seed, ranks, messages, first):
    generator = np.random.default_rng(seed)
    source = generator.integers(ranks, size=messages)
    target = (source + generator.integers(1, ranks, size=messages)) % ranks
    plan = RankPlan(np.zeros(messages, int), source, target, np.zeros(messages, int))
    hops = generator.integers(1, 9, size=(ranks, ranks))  # simplex: not the same both ways
    np.fill_diagonal(hops, 0)
    traffic = placing._traffic_matrix(plan, ranks)
    placement = greedy_placement(traffic, hops, first)
    assert sorted(placement.tolist()) == list(range(ranks))
    assert placement[0] == first
    before = placement_cost(traffic, hops, placement)
    assert before == slow_cost(plan, hops, placement)
    change = swap_placement(traffic, hops, placement, 1, 3.0, seed, 50)
    assert placement[0] == first
    assert before + change == slow_cost(plan, hops, placement)


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6), st.integers(17, 40), st.data())
def test_any_network_and_root(seed, order, data):
    network = connected_graph(seed, order, 20)
    root = data.draw(st.integers(0, order - 1))
    found = compete(
        network, Goal.broadcast(root), {"switching": "cut-through"}, algorithm="binomial-tree"
    )
    assert verify(found.best.schedule)
    assert int(found.best.schedule.source[0]) == root


@pytest.mark.parametrize("spec", ["random_regular(64, 4)", "fat_tree(4)", "circulant(48, 1, 7)"])
def test_swaps_never_cost_and_often_pay(spec, monkeypatch):
    network = hopscape.build(spec)
    asked = {"switching": "cut-through", "packing": "packed"}
    swapped = compete(network, Goal.all_gather(), asked, algorithm="bruck").best
    monkeypatch.setattr(table, "swapped_order", lambda *_: None)
    plain = compete(network, Goal.all_gather(), asked, algorithm="bruck").best
    loads = [entry.verdict.details["sizes"] for entry in (swapped, plain)]
    assert loads[0] <= loads[1]
    assert spec != "random_regular(64, 4)" or loads[0] < 0.9 * loads[1]


def test_an_all_to_all_is_spread():
    """In the order of the numbers whole groups send to one group at once."""
    network = hopscape.build("dragonfly(4, 2, p=2)")
    found = compete(network, Goal.all_to_all(), algorithm="direct").best
    plain = table._placed(
        table.Case(network, Goal.all_to_all(), found.schedule.model),
        "direct",
        direct_exchange(72),
        np.arange(72),
    )
    assert found.duration < 0.8 * verify(plain).details["sizes"]


def test_too_many_ranks_and_too_much_talk_stay_where_they_are(monkeypatch):
    network = hopscape.build("torus(6, 6)")
    plan = recursive_doubling(32)
    assert swapped_order(network, network.endpoints[:32], plan, 5)[0] == 5
    monkeypatch.setattr(placing, "_SWAPPED", 31)
    assert swapped_order(network, network.endpoints[:32], plan, 0) is None
    monkeypatch.setattr(placing, "_SWAPPED", 100)
    monkeypatch.setattr(placing, "_PARTNERS", 2)
    drawn = swapped_order(network, network.endpoints[:32], plan, 7)
    assert drawn[0] == 7
    assert sorted(drawn.tolist()) == list(range(32))
