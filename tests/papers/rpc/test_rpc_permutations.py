"""Permutations on RPC(k): every schedule verified, every bound kept."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape.collectives import lower_bounds, run_algorithm
from hopscape.core.errors import ArgumentError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.papers.rpc.checks_routing import (
    climb_permutation,
    climb_sources,
    incomplete_rounds,
    reversal,
    swap_cycles,
)
from hopscape.papers.rpc.gathers import thirds
from hopscape.papers.rpc.permutations import balanced_slice
from hopscape.papers.rpc.slices import triangle_plan

FULL, HALF = Model(), Model(duplex="half")
FULL_PACKED = Model(packing="packed")
PAPER = Model(duplex="half", packing="packed")
MODELS = (FULL, HALF, FULL_PACKED, PAPER)


def rounds(spec, targets, name, model):
    """Rounds of a schedule that holds and keeps the lower bound."""
    net = hopscape.build(spec)
    made = run_algorithm(net, Goal.permutation(np.asarray(targets).tolist()), name, model)
    verdict = hopscape.verify(made)
    assert verdict, verdict.reason
    assert made.model == model
    bounds = lower_bounds(net, made.goal, model)
    assert made.rounds >= max((bound.rounds for bound in bounds), default=0)
    return made.rounds


@given(st.integers(1, 7), st.integers(0, 10**6), st.sampled_from(MODELS))
@settings(deadline=None, max_examples=30)
def test_any_permutation_is_served(k, seed, model):
    targets = np.random.default_rng(seed).permutation(30 * k)
    general = rounds(f"rpc({k})", targets, "general", model)
    two_way = rounds(f"rpc({k})", targets, "two-way", model)
    balanced = rounds(f"rpc({k})", targets, "balanced", model)
    assert balanced <= two_way
    if model.duplex == "full":
        assert general <= k + 9
        assert two_way <= k // 2 + 10
    else:
        assert general <= max(k - 1, 2 * (k == 2)) + 20
    if model.packing == "packed":
        ring = k // 2 if model.duplex == "full" else 2 * (k // 2) + 1
        slice_ = 5 if model.duplex == "full" else 7
        assert rounds(f"rpc({k})", targets, "packed", model) <= ring + slice_


@given(st.permutations(range(30)), st.sampled_from(MODELS))
@settings(deadline=None, max_examples=40)
def test_slice_permutations_keep_their_bounds(targets, model):
    bound = {FULL: 14, HALF: 22, FULL_PACKED: 7, PAPER: 14}[model]
    better = {FULL: 14, HALF: 19, FULL_PACKED: 6, PAPER: 11}[model]
    assert rounds("pc", targets, "slice", model) <= bound
    assert rounds("pc", targets, "slice-detour", model) <= better


@pytest.mark.parametrize(
    ("name", "model", "worst"),
    [("slice", PAPER, 14), ("slice-detour", PAPER, 11), ("slice", HALF, 22)],
)
def test_worst_slice_permutations_are_found(name, model, worst):
    net = hopscape.build("pc")
    found = [
        climb_permutation(net, name, model, steps=150, seed=seed, start=swap_cycles(30))
        for seed in range(3)
    ]
    best, targets = max(found, key=lambda item: item[0])
    assert best == worst == rounds("pc", targets, name, model)


@pytest.mark.parametrize("k", [1, 3, 4])
@given(st.data())
@settings(deadline=None, max_examples=10)
def test_simple_permutations(k, data):
    """Ring by ring a permutation of the slices, then slice by slice one of the nodes."""
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    slices = np.stack([rng.permutation(k) for _ in range(30)], axis=1)
    inner = np.stack([rng.permutation(30) for _ in range(k)])
    targets = np.empty((k, 30), dtype=np.int64)
    for s, x in product(range(k), range(30)):
        targets[s, x] = 30 * slices[s, x] + inner[slices[s, x], x]
    assert rounds(f"rpc({k})", targets.ravel(), "simple", PAPER) <= k + 13
    assert rounds(f"rpc({k})", targets.ravel(), "simple-detour", PAPER) <= k + 10


def test_permutations_within_cycles():
    swap = np.arange(60).reshape(20, 3)[:, [1, 0, 2]].ravel()
    turn = np.arange(60).reshape(20, 3)[:, [1, 2, 0]].ravel()
    assert [rounds("rpc(2)", p, "cycle", HALF) for p in (swap, turn)] == [2, 1]
    assert [rounds("rpc(2)", p, "cycle", FULL) for p in (swap, turn)] == [1, 1]


def test_algorithms_refuse_what_they_cannot_serve():
    with pytest.raises(ArgumentError, match="stay in its cycle"):
        rounds("pc", reversal(30), "cycle", FULL)
    with pytest.raises(ArgumentError, match="stay in its slice"):
        rounds("rpc(2)", reversal(60), "slice", FULL)
    targets = np.arange(60)
    targets[[0, 31]] = [31, 0]
    with pytest.raises(ArgumentError, match="another node of the same ring"):
        rounds("rpc(2)", targets, "simple", FULL)
    with pytest.raises(ArgumentError, match="packed messages"):
        rounds("pc", reversal(30), "packed", HALF)
    with pytest.raises(ArgumentError, match="all ports"):
        rounds("pc", reversal(30), "balanced", Model(ports=1))


@pytest.mark.parametrize("targets", [[0] * 30, list(range(29)), [*range(29), 30]])
def test_what_is_no_permutation_is_refused(targets):
    with pytest.raises(ArgumentError, match=r"permutation|node 30 is out of range"):
        rounds("pc", targets, "general", FULL)


def test_reversal_is_the_half_duplex_counter_example():
    assert rounds("pc", reversal(30), "general", HALF) == 12
    assert rounds("pc", reversal(30), "balanced", HALF) <= 8


def test_incomplete_permutations():
    net = hopscape.build("pc")
    worst = max(climb_sources(net, incomplete_rounds, FULL, steps=200, seed=s)[0] for s in range(2))
    assert worst == 10
    behind = next(part for part in thirds(net, 0) if 1 in part)
    eleven = np.arange(30)
    eleven[behind], eleven[0] = 0, 1
    assert incomplete_rounds(net, eleven, HALF) == 11
    other = next(part for part in thirds(net, 1) if 0 in part)
    exchange = np.arange(30)
    exchange[other], exchange[behind] = 1, 0
    assert 11 <= incomplete_rounds(net, exchange, HALF) <= 20


@given(st.lists(st.integers(0, 29), min_size=30, max_size=30), st.sampled_from([FULL, HALF]))
@settings(deadline=None, max_examples=25)
def test_balanced_slices_deliver_from_any_sources(sources, model):
    """The slow twin: move every packet by hand and look where it ends."""
    net = hopscape.build("pc")
    at, to = np.asarray(sources), np.arange(30)
    made = balanced_slice(net, at, to, model)
    place = at.copy()
    for r in range(made.rounds):
        now = slice(made.round_start[r], made.round_start[r + 1])
        lanes = made.channels[now]
        if model.duplex == "half":
            lanes = np.minimum(lanes, net.reverse[lanes])
        assert len(set(lanes.tolist())) == len(lanes)
        before = place.copy()
        for packet, a, b in zip(made.chunk[now], made.source[now], made.target[now], strict=True):
            assert before[packet] == a
            place[packet] = b
    assert place.tolist() == to.tolist()
    assert made.rounds <= incomplete_rounds(net, at, model) <= (10 if model == FULL else 20)


def test_triangles_need_three_rounds_half_duplex_and_two_full():
    """Every demand of at most three packets from and to each node, played through."""
    pairs = ((0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1))
    longest = {True: 0, False: 0}
    for demand in product(range(4), repeat=6):
        table = dict(zip(pairs, demand, strict=True))
        rows = [sum(n for (a, _), n in table.items() if a == x) for x in range(3)]
        columns = [sum(n for (_, b), n in table.items() if b == x) for x in range(3)]
        if max(rows + columns) > 3:
            continue
        for half in (True, False):
            plan = triangle_plan(demand, half)
            longest[half] = max(longest[half], len(plan))
            held = dict(table)
            for moves in plan:
                ways = [(min(a, b), max(a, b)) if half else (a, b) for a, b, _ in moves]
                assert len(set(ways)) == len(ways)
                for a, _, final in moves:
                    held[a, final] -= 1
                assert min(held.values()) >= 0
                for _, b, final in moves:
                    if b != final:
                        held[b, final] += 1
            assert set(held.values()) == {0}
    assert longest == {True: 3, False: 2}
