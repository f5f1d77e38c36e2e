"""Circuits on any network by search: every schedule holds, and the bound is met where it can be."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from conftest import connected_graph, simple_graph
from hopscape import Goal, Model, verify
from hopscape.collectives.bounds import informed_at_most, lower_bounds
from hopscape.collectives.circuits.path_kernels import link_disjoint, node_disjoint
from hopscape.collectives.circuits.paths import split_wires, wires_of
from hopscape.collectives.circuits.search import search_circuits
from hopscape.collectives.circuits.search_kernels import far_targets, last_round, move_targets
from hopscape.core.errors import ArgumentError, DisconnectedError, TooLargeError
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule

CIRCUIT = Model(switching="circuit")


def flow_with_ports(network, room, targets, apart):
    """Most circuits by networkx: nodes split, so many circuits from each source."""
    graph = nx.DiGraph()
    wanted = set(targets.tolist())
    graph.add_nodes_from(["s", "t"])
    for v in range(network.order):
        if room[v] >= 0:
            graph.add_edge("s", ("out", v), capacity=int(room[v]))
        elif v in wanted:
            graph.add_edge(("in", v), "t", capacity=1)
        if room[v] < 0 and not (apart and v in wanted):
            graph.add_edge(("in", v), ("out", v), capacity=1 if apart else 10**6)
        if room[v] >= 0 and not apart:
            graph.add_edge(("in", v), ("out", v), capacity=10**6)
    for u, v in zip(network.tails.tolist(), network.heads.tolist(), strict=True):
        graph.add_edge(("out", u), ("in", v), capacity=1)
    return nx.maximum_flow_value(graph, "s", "t")


@pytest.mark.interpreted
@settings(deadline=None, max_examples=100)
@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(0, 8), st.integers(1, 3), st.data())
def test_kernels_keep_to_ports(seed, order, more, ports, data):
    network = simple_graph(seed, order, more)
    chosen = np.random.default_rng(seed).permutation(order)
    sources = data.draw(st.integers(1, min(4, order - 1)))
    targets = chosen[sources : sources + data.draw(st.integers(1, 8))].astype(np.int64)
    room = np.full(order, -1, dtype=np.int64)
    room[chosen[:sources]] = np.minimum(network.degrees[chosen[:sources]], ports)
    wires, wanting = wires_of(network), np.zeros(order, dtype=bool)
    wanting[targets] = True
    served, _, left = link_disjoint(wires, room, targets, False)
    assert served.sum() == flow_with_ports(network, room, targets, apart=False)
    assert (room - left).sum() == served.sum()
    assert (left[room >= 0] >= 0).all()
    before = node_disjoint(wires, room, wanting, targets, False)
    assert (before[targets] >= 0).sum() == flow_with_ports(network, room, targets, apart=True)
    split = split_wires(network)
    flows = np.zeros(len(split.heads), dtype=bool)
    left = np.append(room, np.full(order + 1, -1))
    assert far_targets(split, left, flows, targets)[1] == (before[targets] >= 0).sum()
    starts = np.bincount(before[before >= 0], minlength=order)
    assert (starts[room >= 0] <= room[room >= 0]).all()


@pytest.mark.interpreted
@pytest.mark.parametrize("wired", [wires_of, split_wires])
def test_moving_targets_keeps_both_rounds_right(wired):
    """After many moves the circuits kept are those that would be found from nothing."""
    network = hopscape.build("torus(5, 5)")
    wires = wired(network)
    full = np.resize(network.degrees.astype(np.int64), len(wires.gate))
    everybody = np.arange(25)
    for seed in range(4):
        room = np.full(len(full), -1, dtype=np.int64)
        room[0] = 4
        left, flows = room.copy(), np.zeros(len(wires.heads), dtype=bool)
        order, count = far_targets(
            wires, left, flows, np.random.default_rng(seed).permutation(everybody[1:])
        )
        assert count == 4  # one becomes five
        targets = order[:count].copy()
        room[targets] = 4
        *state, lacking = last_round(wires, room, everybody)
        less = move_targets(wires, full, everybody, targets, (left, flows), tuple(state), seed, 60)
        assert less <= lacking or less <= 6
        room[:] = -1
        room[[0, *targets]] = 4
        assert last_round(wires, room, everybody)[3] == less
        assert int(state[2].sum()) == 20 - less
        assert link_disjoint(wires, np.where(np.arange(len(full)) == 0, 4, -1), targets, True)[
            0
        ].all()


@settings(deadline=None, max_examples=40)
@given(
    st.integers(0, 10**6),
    st.integers(2, 40),
    st.integers(0, 60),
    st.sampled_from([None, 1, 2]),
    st.sampled_from(["vertex", "edge", "arc"]),
    st.sampled_from(["full", "half"]),
    st.integers(1, 4),
)
def test_any_graph_is_served(seed, order, more, ports, disjoint, duplex, sources):
    network = connected_graph(seed, order, more)
    root, *rest = np.random.default_rng(seed).permutation(order)[:sources].tolist()
    model = replace(CIRCUIT, ports=ports, disjoint=disjoint, duplex=duplex, alpha=2.0)
    goal = Goal.broadcast(root, sources=rest)
    made = search_circuits(network, goal, model)
    assert made.goal == goal
    verdict = verify(made, model=model)
    assert verdict, verdict.reason
    assert verdict.details["duplicates"] == 0
    bounds = lower_bounds(network, goal, model)
    assert made.rounds >= (bounds[0].rounds if bounds else 0)


@pytest.mark.parametrize(
    ("spec", "rounds"),
    [
        ("torus(11, 11)", 3),
        ("torus(3, 50)", 4),
        ("torus(13, 13, 13)", 4),
        ("torus(5, 5, 5, 5)", 3),
        ("torus(2, 2, 2, 2, 2)", 2),
        ("mesh(17, 6)", 4),
        ("mesh(10, 10)", 4),
        ("circulant(100, 1, 10)", 3),
        ("circulant(16, 1, 4)", 2),
        ("hypercube(6)", 3),
        ("random_regular(100, 8)", 3),
        ("fat_tree(4)", 4),
        ("debruijn(2, 5)", 4),
    ],
)
def test_networks_that_meet_the_bound(spec, rounds):
    network = hopscape.build(spec)
    goal = Goal.broadcast(int(network.endpoints[0]))
    made = search_circuits(network, goal)
    assert verify(made)
    assert made.rounds == rounds == lower_bounds(network, goal, made.model)[0].rounds


@pytest.mark.parametrize(
    ("spec", "rounds"),
    [("circulant(100, 1, 10)", 3), ("mesh(10, 10)", 4), ("petersen", 2), ("hypercube(6)", 3)],
)
def test_circuits_without_common_nodes(spec, rounds):
    network = hopscape.build(spec)
    model = replace(CIRCUIT, disjoint="vertex")
    made = search_circuits(network, Goal.broadcast(0), model)
    assert verify(made, model=model)
    assert made.rounds == rounds == lower_bounds(network, made.goal, model)[0].rounds


def test_one_to_many_calls_only_the_targets():
    network = hopscape.build("torus(8, 8)")
    goal = Goal.one_to_many(0, [5, 9, 17, 33, 60])
    made = search_circuits(network, goal, CIRCUIT)
    assert verify(made)
    assert made.rounds == 2
    assert set(made.target.tolist()) == {5, 9, 17, 33, 60}


def test_degenerate_and_wrong_requests():
    assert search_circuits(hopscape.build("path(1)"), Goal.broadcast(0)).rounds == 0
    assert search_circuits(hopscape.build("path(2)"), Goal.broadcast(1)).rounds == 1
    apart = Network.from_links(4, [0, 2], [1, 3])
    for disjoint in ("vertex", "edge"):
        with pytest.raises(DisconnectedError):
            search_circuits(apart, Goal.broadcast(0), replace(CIRCUIT, disjoint=disjoint))
    with pytest.raises(ArgumentError, match="one chunk"):
        search_circuits(hopscape.build("ring(5)"), Goal.broadcast(0, 4))
    with pytest.raises(TooLargeError, match="nodes"):
        search_circuits(hopscape.build("torus(400, 400)"), Goal.broadcast(0))


@pytest.mark.parametrize("spec", ["mesh(3, 3)", "path(7)", "complete(5)", "ring(6)", "mesh(2, 4)"])
def test_the_growth_bound_is_one(spec):
    """No set of so many nodes, the root among them, has more links than the bound counts."""
    network = hopscape.build(spec)
    degrees = network.degrees
    most = informed_at_most(degrees[[0]], np.delete(degrees, 0), network.order)
    for before, after in pairwise(most):
        size = min(before, network.order)
        sets = combinations(range(1, network.order), size - 1)
        assert max(int(degrees[[0, *some]].sum()) for some in sets) + before == after


def test_sources_are_held_against_the_schedule(tmp_path):
    """A further source has the data from the start; without it the same schedule fails."""
    network = hopscape.build("ring(9)")
    goal = Goal.broadcast(0, sources=[3, 6, 3, 0])
    assert goal.sources == (3, 6)
    assert Goal.from_dict(goal.to_dict()) == goal
    made = search_circuits(network, goal)
    assert made.rounds == 1
    assert verify(made)
    alone = verify(made, goal=Goal.broadcast(0))
    assert not alone
    assert alone.where["rule"] == "holding"
    made.save(tmp_path / "plan.json")
    assert verify(Schedule.load(tmp_path / "plan.json", hopscape.build)).holds
    with pytest.raises(ArgumentError, match="one root"):
        Goal("scatter", 0, sources=(1,))
    with pytest.raises(ArgumentError, match="not in the group"):
        Goal("broadcast", 0, groups=((0, 1),), sources=(2,))


def test_circuits_end_at_no_switch():
    network = hopscape.build("fat_tree(4)")
    up = int(network.heads[network.indptr[network.endpoints[0]]])
    channel = int(network.indptr[network.endpoints[0]])
    stop = Schedule.from_columns(
        network,
        CIRCUIT,
        Goal.broadcast(int(network.endpoints[0])),
        round=np.array([0]),
        channels=np.array([channel]),
    )
    verdict = verify(stop)
    assert not verdict
    assert verdict.where["rule"] == "switch"
    assert f"node {up} is a switch" in verdict.reason
    assert verify(stop, model=replace(CIRCUIT, in_network=True)).where["rule"] == "delivery"
