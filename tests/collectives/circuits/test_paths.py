"""Circuits by augmenting paths against networkx's maximum flow."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from conftest import simple_graph
from hopscape import verify
from hopscape.collectives.circuits.path_kernels import link_disjoint, node_disjoint
from hopscape.collectives.circuits.paths import circuits_towards, wires_of
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network

SPECS = ("torus(5, 4)", "petersen", "mesh(4, 5)", "hypercube(4)", "random_regular(24, 3)")


def split_flow(network, informed, wanting):
    """Most circuits without common nodes: maximum flow on the graph with split nodes."""
    graph = nx.DiGraph()
    for v in range(network.order):
        if informed[v]:
            graph.add_edge("s", ("out", v))
        elif wanting[v]:
            graph.add_edge(("in", v), "t", capacity=1)
        else:
            graph.add_edge(("in", v), ("out", v), capacity=1)
    for v, w in zip(network.tails.tolist(), network.heads.tolist(), strict=True):
        if not wanting[v] and not informed[w]:
            graph.add_edge(("out", v), ("in", w), capacity=1)
    return nx.maximum_flow_value(graph, "s", "t") if "t" in graph and "s" in graph else 0


def link_flow(network, informed, wanting):
    graph = nx.DiGraph()
    for v, w in zip(network.tails.tolist(), network.heads.tolist(), strict=True):
        graph.add_edge(v, w, capacity=1)
    for v in range(network.order):
        if informed[v]:
            graph.add_edge("s", v)
        if wanting[v]:
            graph.add_edge(v, "t", capacity=1)
    return nx.maximum_flow_value(graph, "s", "t") if "t" in graph and "s" in graph else 0


@pytest.mark.interpreted
@settings(max_examples=150)
@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(0, 8), st.data())
def test_kernels_find_as_many_on_any_small_graph(seed, order, more, data):
    """Sparse graphs, where a circuit often has to give way to another."""
    network = simple_graph(seed, order, more)
    chosen = np.random.default_rng(seed).permutation(order)
    sources = data.draw(st.integers(1, min(4, order - 1)))
    informed, wanting = np.zeros((2, order), dtype=bool)
    informed[chosen[:sources]] = True
    goals = chosen[sources : sources + data.draw(st.integers(1, 8))].astype(np.int64)
    wanting[goals] = True
    room = np.where(informed, network.degrees, -1).astype(np.int64)
    before = node_disjoint(wires_of(network), room, wanting, goals, False)
    assert int((before[goals] >= 0).sum()) == split_flow(network, informed, wanting)
    for goal in goals[before[goals] >= 0].tolist():
        while not informed[goal]:
            assert before[goal] in network.neighbours(goal)
            goal = int(before[goal])
    served, _, _ = link_disjoint(wires_of(network), room, goals, False)
    assert int(served.sum()) == link_flow(network, informed, wanting)


@pytest.mark.interpreted
@settings(deadline=None, max_examples=60)
@given(st.sampled_from(SPECS), st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 14))
def test_kernels_find_as_many_circuits_as_a_flow(spec, seed, sources, targets):
    network = hopscape.build(spec)
    chosen = np.random.default_rng(seed).permutation(network.order)
    informed = np.zeros(network.order, dtype=bool)
    informed[chosen[:sources]] = True
    goals = chosen[sources : sources + targets].astype(np.int64)
    wanting = np.zeros(network.order, dtype=bool)
    wanting[goals] = True
    room = np.where(informed, network.degrees, -1).astype(np.int64)
    before = node_disjoint(wires_of(network), room, wanting, goals, False)
    assert int((before[goals] >= 0).sum()) == split_flow(network, informed, wanting)
    served, flows, _ = link_disjoint(wires_of(network), room, goals, False)
    assert int(served.sum()) == link_flow(network, informed, wanting)
    assert not (flows & flows[network.reverse]).any()


@settings(deadline=None, max_examples=40)
@given(
    st.sampled_from(SPECS),
    st.integers(0, 10**6),
    st.sampled_from(["vertex", "edge"]),
    st.integers(1, 4),
)
def test_broadcasts_towards_any_sets_hold(spec, seed, disjoint, count):
    network = hopscape.build(spec)
    generator = np.random.default_rng(seed)
    sets = [generator.permutation(network.order)[: 4**r] for r in range(1, count + 1)]
    root = int(generator.integers(network.order))
    schedule = circuits_towards(network, root, sets, disjoint)
    assert verify(schedule)
    strict = circuits_towards(network, root, sets, disjoint, strict=True)
    assert strict is None or (verify(strict) and strict.rounds <= count + 1)


def test_simplex_networks_are_refused():
    network = Network.from_links(3, np.array([0, 1, 2]), np.array([1, 2, 0]), duplex=False)
    with pytest.raises(ArgumentError, match="simplex"):
        circuits_towards(network, 0, [])
