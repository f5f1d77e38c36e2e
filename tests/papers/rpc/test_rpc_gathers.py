"""Broadcast, all-gather, all-reduce and total exchange on RPC(k)."""

from __future__ import annotations

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape.collectives import lower_bounds, run_algorithm
from hopscape.core.errors import ArgumentError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.papers.rpc.gathers import branch_sizes, ring_rounds, slice_trees, thirds

FULL, HALF = Model(), Model(duplex="half")
FULL_PACKED = Model(packing="packed")
PAPER = Model(duplex="half", packing="packed")


def made(k, goal, name, model):
    net = hopscape.build(f"rpc({k})")
    schedule = run_algorithm(net, goal, name, model)
    verdict = hopscape.verify(schedule)
    assert verdict, verdict.reason
    assert schedule.model == model
    return schedule, lower_bounds(net, schedule.goal, model)[0].rounds


@given(st.integers(1, 12), st.data())
@settings(deadline=None, max_examples=30)
def test_both_broadcasts_take_the_diameter(k, data):
    root = data.draw(st.integers(0, 30 * k - 1))
    for name in ("tree", "slice-first"):
        for model in (FULL, HALF):
            schedule, bound = made(k, Goal.broadcast(root), name, model)
            assert schedule.rounds == bound == k // 2 + 5
            assert schedule.transfers == 30 * k - 1
        one, _ = made(k, Goal.broadcast(root), name, Model(ports=1))
        assert one.rounds <= k // 2 + 10
    assert made(k, Goal.reduce(root), "slice-first", FULL)[0].rounds == k // 2 + 5


def test_three_parts_of_a_slice():
    net = hopscape.build("rpc(2)")
    for v in range(60):
        parts = thirds(net, v)
        assert [len(part) for part in parts] == [10, 10, 9]
        members = sorted([v, *(int(x) for part in parts for x in part)])
        assert members == list(range(30 * (v // 30), 30 * (v // 30) + 30))
    part = net.family.slice
    trees = slice_trees(part, 0)
    assert sum(branch_sizes(part, 0, tree) == [9, 10, 10] for tree in trees) == 5
    assert len(trees) == 16


@pytest.mark.parametrize("k", [1, 2, 3, 4, 7])
def test_all_gather_of_the_paper(k):
    packed = 12 if k == 2 else k + 9
    assert made(k, Goal.all_gather(), "paper", PAPER)[0].rounds == packed
    assert made(k, Goal.all_gather(), "paper", FULL_PACKED)[0].rounds == k + 7
    if k != 2:
        assert made(k, Goal.all_gather(), "paper", HALF)[0].rounds == 30 * k + 8


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 8, 9])
def test_packed_all_gather(k):
    half = {1: 7, 2: 7, 3: 9}.get(k, -(-k // 2) + 8)
    assert made(k, Goal.all_gather(), "packed", PAPER)[0].rounds == half
    schedule, bound = made(k, Goal.all_gather(), "packed", FULL_PACKED)
    assert schedule.rounds == bound == k // 2 + 5


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 9])
def test_unit_all_gather_meets_the_bandwidth_bound(k):
    known = {1: 10, 2: 15}.get(k, 6 * k)
    for model, rounds in ((FULL, known), (HALF, 2 * known)):
        schedule, bound = made(k, Goal.all_gather(), "bandwidth", model)
        assert schedule.rounds == bound == rounds


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6, 7, 8, 11, 12])
def test_rings_in_half_duplex(k):
    """Colours in turn: everything is everywhere after so many rounds; each link used one way."""
    held = [{v} for v in range(k)]
    rounds = ring_rounds(k)
    for pairs in rounds:
        assert len({frozenset(pair) for pair in pairs.tolist()}) == len(pairs)
        before = [set(have) for have in held]
        for a, b in pairs.tolist():
            assert (a - b) % k in (1, k - 1)
            held[b] |= before[a]
    assert all(len(have) == k for have in held)
    assert len(rounds) == (2 if k < 4 else -(-k // 2) + 1)


@pytest.mark.parametrize(("k", "model", "rounds"), [(1, FULL, 20), (2, FULL, 30), (3, HALF, 72)])
def test_sliced_all_reduce(k, model, rounds):
    goal = Goal.all_reduce(chunks=30 * k)
    schedule, bound = made(k, goal, "bandwidth", model)
    assert schedule.rounds == rounds
    assert bound in (rounds, rounds - 1)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_total_exchange_is_bound_by_the_cross_links(k):
    schedule, bound = made(k, Goal.all_to_all(), "split", FULL)
    assert schedule.rounds == bound == 45 * k
    schedule, bound = made(k, Goal.all_to_all(), "split", HALF)
    assert bound == 90 * k <= schedule.rounds <= 90 * k + 6


def test_total_exchange_on_long_rings_is_bound_by_the_rings():
    schedule, bound = made(14, Goal.all_to_all(), "split", FULL)
    assert bound == 15 * (14 * 14 // 4)
    assert schedule.rounds <= bound + 20


def test_cross_bound_is_true():
    """45 per node: the Petersen distances between the cycles, added up."""
    far = dict(networkx.all_pairs_shortest_path_length(networkx.petersen_graph()))
    assert sum(3 * far[0][v] for v in far) == 45


def test_algorithms_refuse_other_models():
    with pytest.raises(ArgumentError, match="packed messages"):
        made(2, Goal.all_gather(), "packed", HALF)
    with pytest.raises(ArgumentError, match="all ports"):
        made(2, Goal.all_gather(), "bandwidth", Model(ports=1))
    with pytest.raises(ArgumentError, match="--sliced"):
        made(2, Goal.all_reduce(), "bandwidth", FULL)
