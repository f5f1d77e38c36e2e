"""All-to-all by flows: bounds against another linear program, paths against networkx."""

from __future__ import annotations

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import hopscape
from conftest import connected_graph, connected_graphs
from hopscape import Goal, Model, Network, verify
from hopscape.collectives import run_algorithm
from hopscape.collectives.flow_path_kernels import priced_paths, tree_loads
from hopscape.collectives.flow_schedules import flow_routes, flow_schedule
from hopscape.collectives.flows import (
    each_alone,
    exchange_bound,
    orbits_of,
    weighted_bound,
    whole_weights,
)
from hopscape.core.errors import ArgumentError, DisconnectedError, TooLargeError


def slow_exchange(network):
    """The least load of fractional routes: a flow for every pair by itself."""
    channels, ends = len(network.heads), network.endpoints.tolist()
    pairs = [(s, t) for s in ends for t in ends if s != t]
    rows, right = [], []
    for i, (s, t) in enumerate(pairs):
        for v in range(network.order):
            row = np.zeros(len(pairs) * channels + 1)
            own = row[i * channels : (i + 1) * channels]
            own[network.heads == v] += 1
            own[network.tails == v] -= 1
            rows.append(row)
            right.append((v == t) - (v == s))
    shared = np.hstack([np.tile(np.eye(channels), len(pairs)), -network.room()[:, None]])
    price = np.append(np.zeros(len(pairs) * channels), 1.0)
    found = linprog(price, shared, np.zeros(channels), np.array(rows), np.array(right))
    return found.fun


@settings(deadline=None, max_examples=25, derandomize=True)
@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(0, 5), st.booleans())
def test_the_bound_is_the_linear_program(seed, order, more, duplex):
    net = connected_graph(seed, order, more, duplex)
    if order > 2 and seed % 2:
        net = net.among(range(1, order))
    found = exchange_bound(net)
    assert found.exact
    assert float(found.rounds) == pytest.approx(slow_exchange(net), rel=1e-6)
    grown = exchange_bound(net, most=0)
    assert not grown.exact
    assert grown.rounds <= found.rounds


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.integers(0, 10**6), st.integers(2, 9), st.integers(0, 9))
def test_weighted_distances(seed, order, more):
    net = connected_graph(seed, order, more)
    weight = np.random.default_rng(seed).integers(1, 9, len(net.heads))
    graph = slow_graph(net, weight)
    everybody = np.arange(order)
    total, load = tree_loads(
        net.indptr, net.heads, net.tails, weight.astype(float), everybody, everybody
    )
    lengths = dict(nx.all_pairs_dijkstra_path_length(graph))
    assert total == sum(sum(row.values()) for row in lengths.values())
    assert (load * weight).sum() == total
    offered = int(weight.sum())
    assert weighted_bound(net, weight, each_alone(net)) == Fraction(round(total), offered)


def slow_graph(net, weight):
    graph = nx.DiGraph()
    graph.add_nodes_from(range(net.order))
    for u, v, w in zip(net.tails.tolist(), net.heads.tolist(), weight.tolist()):
        if u != v:
            old = graph.get_edge_data(u, v, {"weight": w})["weight"]
            graph.add_edge(u, v, weight=min(w, old))
    return graph


def six_packets(seed, order, more):
    """A network, and where six packets come from and go to."""
    rng = np.random.default_rng(seed)
    source = rng.integers(0, order, 6)
    target = (source + rng.integers(1, order, 6)) % order
    return connected_graph(seed, order, more), rng, source, target


@settings(deadline=None, max_examples=40, derandomize=True)
@given(st.integers(0, 10**6), st.integers(2, 8), st.integers(0, 9), st.floats(0, 20))
def test_packets_take_the_cheapest_path(seed, order, more, sharp):
    """One after the other, each at the prices that those before and after it leave."""
    net, rng, source, target = six_packets(seed, order, more)
    path, length = np.zeros((6, order), np.int32), np.zeros(6, np.int64)
    load, kinds = np.zeros(len(net.heads), np.int64), np.arange(len(net.heads))
    room, level = np.ones(len(kinds), np.int64), 2.0
    args = (net.indptr, net.heads, net.tails, kinds, room, source, target, path, length, load)
    for p in rng.integers(0, 6, 12).tolist():
        others = load.copy()
        np.subtract.at(others, path[p, : length[p]], 1)
        price = np.exp(sharp * ((others + 1) / level - 1)) + 1e-6
        priced_paths(*args, np.array([p]), sharp, level)
        taken = path[p, : length[p]]
        ways = [int(source[p]), *net.heads[taken].tolist()]
        assert net.tails[taken].tolist() == ways[:-1]
        assert ways[-1] == target[p]
        least = nx.dijkstra_path_length(slow_graph(net, price), int(source[p]), int(target[p]))
        assert price[taken].sum() == pytest.approx(least)
        np.add.at(others, taken, 1)
        assert (others == load).all()


@settings(deadline=None, max_examples=40, derandomize=True)
@given(st.integers(0, 10**6), st.integers(2, 8), st.integers(0, 9), st.floats(0, 20))
def test_packets_at_once_go_as_one_by_one(seed, order, more, sharp):
    net, rng, source, target = six_packets(seed, order, more)
    turns, kinds = rng.integers(0, 6, 12), np.arange(len(net.heads))
    room = np.ones(len(kinds), np.int64)

    def paths(*calls):
        path, length = np.zeros((6, order), np.int32), np.zeros(6, np.int64)
        load = np.zeros(len(kinds), np.int64)
        args = (net.indptr, net.heads, net.tails, kinds, room, source, target, path, length, load)
        for call in calls:
            priced_paths(*args, call, sharp, 2.0)
        return [path[p, : length[p]].tolist() for p in range(6)]

    assert paths(turns) == paths(*turns[:, None])


@pytest.mark.compiled
@settings(deadline=None, max_examples=30, derandomize=True)
@given(connected_graphs(1, 8, 9), st.integers(1, 2))
def test_any_network(net, pieces):
    for goal in (Goal.all_to_all(pieces), Goal.all_gather(pieces)):
        for switching in ("store-and-forward", "circuit", "cut-through"):
            made = flow_schedule(net, goal, Model(switching=switching))
            assert verify(made).holds, verify(made)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("spec", "bound", "rounds"),
    [
        ("circulant(16, 1, 4)", "8", 8),
        ("kautz(2, 3, duplex=true)", "13/2", 7),
        ("torus(3, 5)", "9", 9),
        ("torus(4, 4)", "8", 8),
        ("petersen", "5", 5),
        ("heawood", "9", 9),
        ("mesh(4, 4)", "16", 16),
        ("torus(4, 4, 4)", "32", 33),
    ],
)
def test_known_exchanges(spec, bound, rounds):
    net = hopscape.build(spec)
    assert str(exchange_bound(net).rounds) == bound
    made = run_algorithm(net, Goal.all_to_all(), "flow")
    assert verify(made).holds
    assert made.rounds <= rounds


@pytest.mark.compiled
@pytest.mark.parametrize("goal", [Goal.all_to_all(), Goal.all_gather()], ids=lambda g: g.kind)
def test_a_fat_tree_is_full_in_every_round(goal):
    made = flow_schedule(hopscape.build("fat_tree(4)"), goal, Model(switching="cut-through"))
    verdict = verify(made, model=Model(switching="cut-through", alpha=0.0, beta=1.0))
    assert verdict.holds
    assert made.rounds == 15
    assert verdict.details["time"] == 15


def test_symmetric_routes_are_those_of_one_node():
    net = hopscape.build("torus(5, 5)")
    assert len(orbits_of(net).own) == 1
    assert len(flow_routes(net, orbits_of(net)).source) == 24
    parallel = Network.from_links(3, [0, 0, 1, 2], [1, 1, 2, 0])
    assert len(set(orbits_of(parallel).kinds.tolist())) == len(parallel.heads)


def test_whole_weights():
    assert whole_weights(np.array([0.25, 0.5, 0.0])).tolist() == [1, 2, 0]
    assert whole_weights(np.array([1 / 3, 1.0])).tolist() == [1, 3]


def test_refused():
    parts = Network.from_links(3, [0], [1], spec="parts")
    with pytest.raises(DisconnectedError, match="cannot be reached"):
        flow_schedule(parts, Goal.all_to_all())
    with pytest.raises(ArgumentError, match="not 1-port"):
        flow_schedule(hopscape.build("ring(4)"), Goal.all_to_all(), Model(ports=1))
    with pytest.raises(TooLargeError, match=r"packets by prices .* would take about"):
        flow_schedule(hopscape.build("random_regular(2000, 8)"), Goal.all_to_all())
