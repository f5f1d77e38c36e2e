"""Detours against searches in the damaged network."""

from __future__ import annotations

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape.core.detours import route_around
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.formats.graphs import to_networkx

SPECS = ["heawood", "folded(petersen, 2)", "expanded(petersen, 2)", "expanded(heawood, 1)"]


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
        with pytest.raises(DisconnectedError, match="no route is left"):
            route_around(net, a, b, dead_nodes=dead, dead_links=cut)
        return
    found = route_around(net, a, b, dead_nodes=dead, dead_links=cut)
    assert found.length == networkx.shortest_path_length(graph, a, b)
    assert networkx.is_path(graph, list(found.path))
    assert [net.neighbours(v)[p] for v, p in zip(found.path, found.ports)] == list(found.path[1:])


def test_networks_that_cannot_be_built():
    net = hopscape.build("expanded(heawood, 14)")
    a, b = 0, net.order - 1
    first = net.router().route(a, b).path[1]
    round_ = route_around(net, a, b, dead_nodes=[first])
    assert first not in round_.path
    assert round_.length >= net.router().distance(a, b)


def test_bad_input():
    net = hopscape.build("heawood")
    with pytest.raises(ArgumentError, match="node 3 is dead"):
        route_around(net, 3, 1, dead_nodes=[3])
