"""The classic algorithms: every plan verified, steps and loads as their papers say."""

from __future__ import annotations

from math import ceil, log, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape import Goal, Model, verify
from hopscape.collectives.classics import (
    CLASSICS,
    CUT_THROUGH,
    exchange,
    gathering,
    rooted,
    to_schedule,
)
from hopscape.collectives.classics.placing import groups_of, ring_order
from hopscape.core.errors import ArgumentError, HopscapeError, TooLargeError

NETWORKS = ["torus(4, 4)", "fat_tree(4)", "hypercube(3)", "path(2)", "complete(1)", "kautz(2, 2)"]


def by_rules(plan, ranks, have, ports=1):
    """Play a plan on sets; `have[r]` is what rank r holds. Returns the sets at the end."""
    held = [set(x) for x in have]
    for step in range(plan.steps):
        mine = np.nonzero(plan.step == step)[0]
        fresh = []
        pairs = set()
        for t in mine:
            u, v, c = int(plan.source[t]), int(plan.target[t]), int(plan.chunk[t])
            assert u != v
            assert c in held[u], (step, u, v, c)
            fresh.append((v, c))
            pairs.add((u, v))
        for r in range(ranks):
            assert sum(u == r for u, _ in pairs) <= ports
            assert sum(v == r for _, v in pairs) <= ports
        for v, c in fresh:
            held[v].add(c)
    return held


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 70), st.integers(1, 9))
def test_traeff_takes_n_minus_1_plus_log_p_steps(ranks, chunks) -> None:
    plan = rooted.circulant_broadcast(ranks, chunks)
    held = by_rules(plan, ranks, [range(chunks), *([()] * (ranks - 1))])
    assert all(x == set(range(chunks)) for x in held)
    assert plan.steps == (chunks - 1 + ceil(log2(ranks)) if ranks > 1 else 0)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 30), st.integers(1, 6))
def test_traeffs_all_broadcast_takes_as_many_steps_as_one_broadcast(ranks, pieces) -> None:
    plan = gathering.circulant_all_gather(ranks, pieces)
    own = [range(r * pieces, (r + 1) * pieces) for r in range(ranks)]
    held = by_rules(plan, ranks, own)
    assert all(x == set(range(ranks * pieces)) for x in held)
    assert plan.steps == (pieces - 1 + ceil(log2(ranks)) if ranks > 1 else 0)
    assert len(plan.step) == ranks * (ranks - 1) * pieces  # nothing comes twice


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 60), st.integers(1, 4), st.integers(1, 3))
def test_bruck_gathers_in_log_steps_with_k_ports(ranks, ports, pieces) -> None:
    plan = gathering.bruck(ranks, pieces, ports)
    blocks = [set(range(r * pieces, (r + 1) * pieces)) for r in range(ranks)]
    held = by_rules(plan, ranks, blocks, ports)
    assert all(x == set(range(ranks * pieces)) for x in held)
    assert len(plan.step) == ranks * (ranks - 1) * pieces  # nothing comes twice
    least = 0
    while (ports + 1) ** least < ranks:
        least += 1
    assert plan.steps == least


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 40), st.integers(1, 8), st.integers(1, 2))
def test_trees_and_chains_bring_everything(ranks, chunks, ports) -> None:
    start = [range(chunks), *([()] * (ranks - 1))]
    for plan in (
        rooted.binomial_broadcast(ranks, chunks, ports),
        rooted.double_tree_broadcast(ranks, chunks, ports),
        rooted.chain_broadcast(ranks, chunks),
    ):
        held = by_rules(plan, ranks, start, ports)
        assert all(x == set(range(chunks)) for x in held)
    if ranks > 1:
        assert rooted.chain_broadcast(ranks, chunks).steps == ranks - 2 + chunks
        assert rooted.binomial_broadcast(ranks, 1, ports).steps == ceil(
            round(log(ranks) / log(ports + 1), 9)
        )


def test_who_forwards_in_one_tree_is_a_leaf_of_the_other() -> None:
    for ranks in range(2, 40):
        plan = rooted.double_tree_broadcast(ranks, 2)
        inner = [set(plan.source[plan.chunk == c].tolist()) - {0} for c in (0, 1)]
        assert not inner[0] & inner[1]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 40))
def test_exchanges_bring_to_each_its_own(ranks) -> None:
    have = [range(r * ranks, (r + 1) * ranks) for r in range(ranks)]
    for plan, steps in (
        (exchange.direct_exchange(ranks), ranks - 1),
        (exchange.bruck_exchange(ranks), ceil(log2(ranks)) if ranks > 1 else 0),
    ):
        held = by_rules(plan, ranks, have)
        assert all(s * ranks + r in held[r] for r in range(ranks) for s in range(ranks))
        assert plan.steps == steps


@pytest.mark.parametrize(
    ("plan", "steps"),
    [
        (gathering.ring(7), 6),
        (gathering.bucket((3, 4, 2)), 2 + 3 + 1),
        (gathering.recursive_doubling(16), 4),
        (gathering.swing(16), 4),
        (gathering.swing(64, 1, (8, 8)), 6),
        (gathering.swing(32, 1, (4, 8)), 5),
        (gathering.hierarchical(np.arange(12).reshape(3, 4)), 4),
    ],
)
def test_gathers_on_one_port(plan, steps) -> None:
    ranks = int(plan.source.max()) + 1
    held = by_rules(plan, ranks, [[r] for r in range(ranks)])
    assert all(x == set(range(ranks)) for x in held)
    assert plan.steps == steps
    assert len(plan.step) == ranks * (ranks - 1)


def test_pieces_of_a_bucket_leave_by_different_ports() -> None:
    """2d pieces begin along every dimension both ways; with two ports, along the first alone."""
    for ports, beside in ((4, {1, 3, 4, 12}), (2, {4, 12}), (1, {4})):
        plan = gathering.bucket((4, 4), 4, ports)
        begin = (plan.step == 0) & (plan.source == 0)
        assert set(plan.target[begin].tolist()) == beside
        held = by_rules(plan, 16, [[4 * r + j for j in range(4)] for r in range(16)], ports=4)
        assert all(x == set(range(64)) for x in held)


def test_trivance_takes_log3_steps_with_two_messages_at_once() -> None:
    plan = gathering.trivance(27)
    held = by_rules(plan, 27, [[r] for r in range(27)], ports=2)
    assert all(len(x) == 27 for x in held)
    assert plan.steps == 3
    net = hopscape.build("torus(9, 9)")
    made = to_schedule(
        exchange.trivance_all_reduce(81, (9, 9)), net, Goal.all_reduce(), "trivance", CUT_THROUGH
    )
    verdict = verify(made)
    assert verdict
    assert made.rounds == 4


def test_sizes_that_an_algorithm_cannot_serve_are_refused() -> None:
    for make in (gathering.recursive_doubling, gathering.swing):
        with pytest.raises(ArgumentError, match="power of 2"):
            make(6)
    with pytest.raises(ArgumentError, match="power of 3"):
        gathering.trivance(8)
    huge = hopscape.build("ring(5000)")
    with pytest.raises(TooLargeError, match="up to 4,096 endpoints"):
        _named("binomial-tree", "broadcast").build(huge, Goal.broadcast(0), CUT_THROUGH)


def _named(name, kind):
    return next(one for one in CLASSICS if (one.name, one.goal) == (name, kind))


def goals_of(network):
    ends = network.endpoints
    n, last = len(ends), int(ends[-1])
    return [
        Goal.all_gather(),
        Goal.reduce_scatter(),
        Goal.all_reduce(),
        Goal.all_reduce(n),
        Goal.broadcast(last),
        Goal.broadcast(last, 5),
        Goal.reduce(last),
        Goal.reduce(last, 3),
        Goal.scatter(last),
        Goal.gather(last),
        Goal.all_to_all(),
        Goal.permutation(np.roll(ends, 1)),
        Goal.one_to_many(last, ends[: max(1, n // 2)].tolist()),
    ]


MODELS = [CUT_THROUGH, Model(), Model(1, "half", "cut-through", packing="packed")]


@pytest.mark.parametrize("spec", NETWORKS)
def test_every_schedule_holds_on_every_network(spec) -> None:
    network = hopscape.build(spec)
    held = 0
    for goal in goals_of(network):
        for model in MODELS:
            through = model is None or model.switching == "cut-through"
            if network.has_switches and not through:
                continue
            for one in CLASSICS:
                if one.goal != goal.kind:
                    continue
                try:
                    made = one.build(network, goal, model)
                except HopscapeError:
                    continue  # it says why it does not serve this
                verdict = verify(made)
                if verdict:
                    held += 1
                else:  # a plan for more ports than there are, or sums split over half duplex
                    assert verdict.where["rule"] in ("ports", "counting"), (one.name, goal, model)
                assert made.goal == goal
    assert held >= 20


def test_ring_on_a_hamiltonian_cycle_has_no_congestion() -> None:
    for spec in (
        "torus(4, 4)",
        "torus(5, 7)",
        "torus(3, 5, 4)",
        "mesh(4, 5)",
        "heawood",
        "random_regular(60, 4)",
    ):
        network = hopscape.build(spec)
        walk = ring_order(network, network.endpoints)
        assert sorted(walk.tolist()) == list(range(network.order))
        near = network.router().distances(walk, np.roll(walk, -1))
        assert (near == 1).all(), spec
        made = _named("ring", "all-gather").build(network, Goal.all_gather(), CUT_THROUGH)
        assert verify(made).details["sizes"] == network.order - 1


def test_groups_are_those_at_a_switch_or_along_a_line() -> None:
    fat = hopscape.build("fat_tree(4)")
    groups = groups_of(fat, fat.endpoints)
    first = fat.heads[fat.indptr[fat.endpoints[groups]]]
    assert groups.shape == (8, 2)
    assert (first == first[:, :1]).all()
    grid = hopscape.build("torus(3, 4)")
    assert groups_of(grid, grid.endpoints).shape == (3, 4)
    assert groups_of(hopscape.build("petersen"), np.arange(10)) is None


def test_shifts_do_not_meet_in_a_fat_tree() -> None:
    fat = hopscape.build("fat_tree(4)")
    made = _named("direct", "all-to-all").build(fat, Goal.all_to_all(), CUT_THROUGH)
    verdict = verify(made)
    assert verdict
    assert made.rounds == 15
    assert verdict.details["sizes"] == 15  # every shift at full bandwidth


def test_reductions_by_rabenseifner_send_the_least() -> None:
    net = hopscape.build("hypercube(4)")
    made = _named("rabenseifner", "all-reduce").build(net, Goal.all_reduce(16), CUT_THROUGH)
    verdict = verify(made)
    assert verdict
    assert made.rounds == 8
    assert verdict.details["sizes"] == 2 * 15
    assert verdict.details["added"] == 15
