"""Detours and disjoint ways against searches in the damaged network."""

from __future__ import annotations

from itertools import pairwise

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape.core.detours import disjoint_routes, route_around
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.interchange import to_networkx

SPECS = ["heawood", "folded(petersen, 2)", "expanded(petersen, 2)", "expanded(heawood, 1)"]


def ways_are_disjoint(net, a, b, ways):
    inner = [v for way in ways for v in way[1:-1]]
    assert len(inner) == len(set(inner))
    for way in ways:
        assert (way[0], way[-1]) == (a, b)
        assert all(v in net.neighbours(u) for u, v in pairwise(way))


@settings(deadline=None, max_examples=30)
@given(st.sampled_from(SPECS), st.data())
def test_detours_are_shortest_in_what_is_left(spec, data):
    net = hopscape.build(spec)
    node = st.integers(0, net.order - 1)
    a, b = data.draw(st.tuples(node, node))
    dead = data.draw(st.sets(node, max_size=4)) - {a, b}
    cut = [(v, net.neighbours(v)[0]) for v in data.draw(st.lists(node, max_size=3))]
    graph = networkx.Graph(to_networkx(net))
    graph.remove_nodes_from(dead)
    graph.remove_edges_from(cut)
    if not networkx.has_path(graph, a, b):
        with pytest.raises(DisconnectedError, match="no way is left"):
            route_around(net, a, b, dead_nodes=dead, dead_links=cut)
        return
    found = route_around(net, a, b, dead_nodes=dead, dead_links=cut)
    assert found.length == networkx.shortest_path_length(graph, a, b)
    assert networkx.is_path(graph, list(found.path))
    assert [net.neighbours(v)[p] for v, p in zip(found.path, found.ports)] == list(found.path[1:])


@settings(deadline=None, max_examples=30)
@given(st.sampled_from([*SPECS, "torus(4, 5)", "mesh(3, 4)"]), st.data())
def test_as_many_disjoint_ways_as_there_are(spec, data):
    net = hopscape.build(spec)
    a = data.draw(st.integers(0, net.order - 1))
    b = data.draw(st.integers(0, net.order - 1).filter(lambda v: v != a))
    ways = disjoint_routes(net, a, b)
    ways_are_disjoint(net, a, b, ways)
    graph = networkx.Graph(to_networkx(net))
    assert len(ways) == len(list(networkx.node_disjoint_paths(graph, a, b)))


def test_networks_that_cannot_be_built():
    net = hopscape.build("expanded(heawood, 14)")
    a, b = 0, net.order - 1
    ways = disjoint_routes(net, a, b)
    ways_are_disjoint(net, a, b, ways)
    assert len(ways) == 6
    first = net.router().route(a, b).path[1]
    round_ = route_around(net, a, b, dead_nodes=[first])
    assert first not in round_.path
    assert round_.length >= net.router().distance(a, b)


def test_bad_input():
    net = hopscape.build("heawood")
    with pytest.raises(ArgumentError, match="node 3 is dead"):
        route_around(net, 3, 1, dead_nodes=[3])
    with pytest.raises(ArgumentError, match="two different nodes"):
        disjoint_routes(net, 2, 2)
