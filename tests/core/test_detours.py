"""Detours against searches in the damaged network."""

from __future__ import annotations

from itertools import pairwise

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from conftest import is_known
from hopscape.collectives.survivors import survivors
from hopscape.core import detours
from hopscape.core.detours import DetourRouter, route_around
from hopscape.core.errors import ArgumentError, DisconnectedError, TooLargeError
from hopscape.core.faults import Faults, read_link
from hopscape.formats.graphs import to_networkx
from hopscape.metrics import disjoint_paths
from hopscape.simulate.faults import read_faults

SPECS = ["heawood", "folded(petersen, 2)", "expanded(petersen, 2)", "expanded(heawood, 1)"]


@settings(deadline=None, max_examples=30)
@given(st.sampled_from([spec for spec in SPECS if is_known(spec)]), st.data())
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


@pytest.mark.parametrize(
    "spec",
    ["circulant(1000000007, 1, 3567, 98765, 4445553)", "hypercube(60)", "torus(100000, 100000)"],
)
@pytest.mark.parametrize("end", ["source", "target"])
def test_an_end_that_is_cut_off_is_named(spec, end):
    """In networks that are never built, whichever end it is."""
    net = hopscape.build(spec)
    a, b = 5, net.order - 7
    lonely = a if end == "source" else b
    with pytest.raises(DisconnectedError, match=f"no route is left; node {lonely} is cut off"):
        route_around(net, a, b, dead_nodes=net.neighbours(lonely))
    cables = [(w, lonely) for w in net.neighbours(lonely)]
    with pytest.raises(DisconnectedError, match=f"node {lonely} is cut off"):
        route_around(net, a, b, dead_links=cables)


def test_a_large_part_that_is_cut_off():
    """Two halves of a path: no end runs out of nodes soon, so that arrays decide."""
    net = hopscape.build("torus(200, 60)")
    walls = [(x, y) for x in (0, 100) for y in range(60)]
    inside, outside = net.node((50, 0)), net.node((150, 30))
    with pytest.raises(DisconnectedError, match="no route is left"):
        route_around(net, inside, outside, dead_nodes=walls)
    gap = route_around(net, inside, outside, dead_nodes=walls[1:])
    assert net.node(walls[0]) in gap.path


def test_directed_networks():
    net = hopscape.build("kautz(3, 4)")
    graph = to_networkx(net)
    graph.remove_nodes_from([7, 20])
    graph.remove_edges_from([(0, net.neighbours(0)[0]), (net.neighbours(0)[0], 0)])
    lengths = networkx.single_source_shortest_path_length(networkx.DiGraph(graph), 0)
    for b in range(1, net.order, 9):
        if b in (7, 20):
            continue
        cut = [(0, net.neighbours(0)[0])]
        assert route_around(net, 0, b, dead_nodes=[7, 20], dead_links=cut).length == lengths[b]


def test_links_that_do_not_exist_are_refused():
    torus, switch = hopscape.build("torus(4, 4)"), hopscape.build("distributed_switch(7, 3, 1)")
    for ask in (
        lambda: route_around(torus, 0, 5, dead_links=[(0, 5)]),
        lambda: DetourRouter(torus, dead_links=[(0, 5)]),
        lambda: disjoint_paths(torus, 0, 5, dead_links=[(0, 5)]),
        lambda: survivors(torus, [], [(0, 5)]),
        lambda: read_faults(torus, ["0-5"]),
        lambda: read_link(torus, "(0, 0) - (1, 1)"),
        lambda: read_link(switch, "0-3"),
    ):
        with pytest.raises(ArgumentError, match="no such link"):
            ask()
    with pytest.raises(ArgumentError, match="two nodes with '-' between them"):
        read_link(torus, "0")
    assert read_link(torus, "4-0") == read_link(torus, "(1, 0) - (0, 0)") == (4, 0)


def test_a_cut_cable_is_dead_in_both_directions():
    net = hopscape.build("kautz(2, 2)")
    u, v = next((u, v) for u in range(net.order) for v in net.neighbours(u)
                if u in net.neighbours(v))  # fmt: skip
    for link in ((u, v), (v, u)):
        dead = Faults.of(net, dead_links=[link]).channels(net)
        ends = {(int(net.tails[c]), int(net.heads[c])) for c in dead.nonzero()[0]}
        assert ends == {(u, v), (v, u)}
    one_way = next((u, v) for u in range(net.order) for v in net.neighbours(u)
                   if u not in net.neighbours(v))  # fmt: skip
    assert Faults.of(net, dead_links=[one_way[::-1]]).channels(net).sum() == 1


@pytest.mark.parametrize("dead", [{"dead_nodes": [78]}, {"dead_links": [(1, 3)]}])
def test_a_long_route_is_kept_where_nothing_on_it_is_dead(dead, monkeypatch):
    """Both ways to a long route are as short as the search in what is left."""
    net = hopscape.build("circulant(30001, 1, 2)")
    route = route_around(net, 0, 14_001, **dead)
    searched = DetourRouter(net, **dead).route(0, 14_001)
    assert route.length == searched.length == 7001
    monkeypatch.setattr(detours, "_LONG_ROUTE", 100)
    kept = route_around(net, 0, 14_001, **dead)
    assert kept.length == 7001
    assert not {78} & set(kept.path) or "dead_links" in dead
    assert (1, 3) not in pairwise(kept.path) or "dead_nodes" in dead
    assert (kept == net.router().route(0, 14_001)) is ("dead_nodes" in dead)


def test_a_route_that_is_too_long_to_search(monkeypatch):
    monkeypatch.setattr(detours, "_MOST_HOPS", 12_000)
    net = hopscape.build("circulant(1000000000039, 1, 2)")
    with pytest.raises(TooLargeError, match="61728394506 hops"):
        route_around(net, 0, 123456789012, dead_nodes=[7])
    with pytest.raises(TooLargeError, match="15,000 hops meets what is dead"):
        route_around(net, 0, 30_000, dead_links=[(2, 4)])
