"""Next ports against distances by networkx."""

from __future__ import annotations

import tracemalloc

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopscape
from conftest import fresh_graph
from hopscape.deadlock import port_rings, routing_table
from hopscape.deadlock.dependency_kernels import fill_ports
from hopscape.deadlock.routes import NO_PORT, table_of
from hopscape.metrics.routes import all_routes

pytestmark = pytest.mark.interpreted
NOTHING = 0xFFFF


def hops_towards(network, dtype):
    """towards[goal, node]: hops from node to goal, the largest value where there is no path."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(network.order))
    graph.add_edges_from(zip(network.tails.tolist(), network.heads.tolist()))
    table = np.full((network.order, network.order), np.iinfo(dtype).max, dtype=dtype)
    for node, row in nx.all_pairs_shortest_path_length(graph):
        for goal, hops in row.items():
            table[goal, node] = hops
    return table


def slow_port(network, towards, node, goal):
    """The first port that leads one hop nearer."""
    if node == goal or towards[goal, node] == np.iinfo(towards.dtype).max:
        return NOTHING
    nearer = [int(towards[goal, w]) + 1 == towards[goal, node] for w in network.neighbours(node)]
    return nearer.index(True)


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(0, 16), st.booleans(), st.booleans())
def test_ports_are_those_of_the_twin(seed, order, links, duplex, wide):
    network = fresh_graph(seed, order, links, duplex)
    towards = hops_towards(network, np.uint16 if wide else np.uint8)
    port = np.full((order, order), NOTHING, dtype=np.uint16)
    fill_ports(network.indptr, network.heads, towards, port)
    nodes = range(order)
    slow = [[slow_port(network, towards, node, goal) for goal in nodes] for node in nodes]
    assert port.tolist() == slow


def slow_other(network, router, at, to):
    """The other direction round the same ring where the router calls both shortest."""
    taken = int(router.next_ports(np.array([at]), np.array([to]))[0])
    short = np.flatnonzero(router.shortest_ports(np.array([at]), np.array([to]))[0]).tolist()
    rings = port_rings(network)
    straight = int(network.channel_at(np.array([at]), np.array([taken]))[0])
    second = straight
    if taken ^ 1 in short:
        turned = int(network.channel_at(np.array([at]), np.array([taken ^ 1]))[0])
        back = int(network.reverse[straight])
        if turned >= 0 and back >= 0 and rings[back] >= 0 and rings[back] == rings[turned]:
            second = turned
    return second - int(network.indptr[at])


@pytest.mark.parametrize(
    "spec",
    ["ring(6)", "ring(2)", "torus(4, 3)", "torus(2, 4)", "circulant(12, 1, 6)"],
)
def test_both_ways_of_ties_round_a_ring(spec):
    network = hopscape.build(spec)
    router = network.router()
    table = routing_table(network)
    other = table.port if table.other is None else table.other
    for at in range(network.order):
        for to in range(network.order):
            if at != to:
                assert other[at, to] == slow_other(network, router, at, to)


def test_a_table_of_known_routes_needs_no_more_than_it_says():
    """Two bytes a pair, and next to nothing on the way; NO_PORT on arrival and nowhere else."""
    net = hopscape.build("random_regular(600, 5, seed=7)")
    routes = all_routes(net)
    tracemalloc.start()
    table = table_of(routes)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2.3 * net.order**2
    assert ((table.port == NO_PORT) == np.eye(net.order, dtype=bool)).all()
    assert (table.port.T[routes.table != 255] == routes.table[routes.table != 255]).all()
