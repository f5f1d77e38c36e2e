"""Disjoint paths: the two methods behind one front against each other and against networkx."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from conftest import fresh_graph
from hopscape.core.errors import ArgumentError
from hopscape.formats.graphs import to_networkx
from hopscape.metrics import disjoint_paths
from hopscape.metrics.disjoint import _augmented, most_disjoint

SPECS = [
    "heawood",
    "folded(petersen, 2)",
    "expanded(petersen, 2)",
    "expanded(heawood, 1)",
    "torus(4, 5)",
    "mesh(3, 4)",
    "circulant(8, 1, 4)",
    "circulant(7, 1, 1, 6)",
    "kautz(2, 3)",
    "rpc(2)",
]


def ways_are_disjoint(net, a, b, ways, edges=False):
    inner = [v for way in ways for v in way[1:-1]]
    assert edges or len(inner) == len(set(inner))
    used = Counter(step for way in ways for step in pairwise(way))
    for (u, v), times in used.items():
        assert net.neighbours(u).count(v) >= times
    for way in ways:
        assert (way[0], way[-1]) == (a, b)
        assert len(set(way)) == len(way)


def check_pair(net, a, b, edges):
    """As many ways without arrays as with them, which are the shortest."""
    short = disjoint_paths(net, a, b, edges=edges)
    found = _augmented(net, a, b, most_disjoint(net, a, b), edges)
    for ways in (short, found):
        ways_are_disjoint(net, a, b, ways, edges)
        assert len(ways) == len(short) <= most_disjoint(net, a, b)
        assert [len(way) for way in ways] == sorted(len(way) for way in ways)
    assert sum(map(len, short)) <= sum(map(len, found))


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(SPECS), st.booleans(), st.data())
def test_both_methods_find_as_many(spec, edges, data):
    net = hopscape.build(spec)
    node = st.integers(0, net.order - 1)
    a, b = data.draw(st.tuples(node, node).filter(lambda pair: pair[0] != pair[1]))
    check_pair(net, a, b, edges)
    if net.duplex and not edges and b not in net.neighbours(a):
        graph = networkx.Graph(to_networkx(net))
        expected = len(list(networkx.node_disjoint_paths(graph, a, b)))
        assert len(disjoint_paths(net, a, b)) == expected


@pytest.mark.parametrize("duplex", [True, False])
@pytest.mark.parametrize("links", [6, 14, 25])
@pytest.mark.parametrize("seed", range(4))
def test_random_multigraphs(seed, links, duplex):
    """Loops, parallel links, islands, simplex channels."""
    net = fresh_graph(seed, 9, links, duplex)
    for a, b in [(0, 8), (3, 4), (7, 2)]:
        for edges in (False, True):
            check_pair(net, a, b, edges)


@pytest.mark.parametrize("edges", [False, True])
@pytest.mark.parametrize(
    "spec",
    ["expanded(heawood, 14)", "torus(60, 60, 60)", "rpc(3400)", "folded(petersen, 6)"],
)
def test_networks_that_cannot_be_built(spec, edges):
    net = hopscape.build(spec)
    for a, b in ((0, 100), (0, net.order - 1), (net.order // 3, net.order // 2)):
        ways = disjoint_paths(net, a, b, edges=edges)
        ways_are_disjoint(net, a, b, ways, edges)
        assert len(ways) == most_disjoint(net, a, b) == net.facts.degree_max
        (one,) = disjoint_paths(net, a, b, count=1, edges=edges)
        assert len(one) - 1 == net.router().distance(a, b)
    assert not net.materialised


def test_arrays_that_exist_are_used():
    net = hopscape.build("torus(400, 400)")
    assert len(disjoint_paths(net, 0, 1)) == 4
    assert not net.materialised
    assert len(net.heads) == 4 * net.order
    assert [len(way) - 1 for way in disjoint_paths(net, 0, 1)] == [1, 3, 3, 9]


def test_refusals():
    net = hopscape.build("petersen")
    assert disjoint_paths(net, 3, 3) == []
    for count in (0, -1):
        with pytest.raises(ArgumentError, match="must be at least 1"):
            disjoint_paths(net, 0, 1, count=count)


@pytest.mark.parametrize("spec", ["torus(4, 5)", "rpc(2)", "kautz(2, 3)"])
def test_dead_parts_are_avoided_and_nothing_else(spec):
    net = hopscape.build(spec)
    dead, link = net.order // 2 + 1, (1, net.neighbours(1)[0])
    graph = networkx.DiGraph(to_networkx(net))
    graph.remove_node(dead)
    graph.remove_edges_from([link, link[::-1]])
    for a, b in [(0, net.order - 1), (1, 3), (link[1], net.order - 2)]:
        ways = disjoint_paths(net, a, b, dead_nodes=[dead], dead_links=[link])
        ways_are_disjoint(net, a, b, ways)
        assert all(step in graph.edges for way in ways for step in pairwise(way))
        if not graph.has_edge(a, b):
            assert len(ways) == networkx.node_connectivity(graph, a, b)
        assert disjoint_paths(net, a, b, count=1, dead_nodes=[dead], dead_links=[link]) == ways[:1]
    assert disjoint_paths(net, dead, 0, dead_nodes=[dead]) == []


def test_dead_parts_of_networks_that_are_not_built():
    net = hopscape.build("expanded(heawood, 14)")
    whole = disjoint_paths(net, 0, 100)
    left = disjoint_paths(net, 0, 100, dead_nodes=[whole[0][1]], dead_links=[whole[1][:2]])
    assert left == whole[2:]
