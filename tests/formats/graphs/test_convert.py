"""To other libraries and back: the same links, kinds and directions."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from conftest import fresh_graph
from hopscape.core.errors import ArgumentError, FileFormatError, TooLargeError
from hopscape.core.network import Network
from hopscape.formats import graphs as interchange
from hopscape.formats.graphs.libraries import link_ends


def links(net):
    """All links, sorted; a duplex link with its lower end first."""
    ends = np.stack(link_ends(net)[:2], axis=1).tolist()
    return sorted(sorted(pair) if net.duplex else pair for pair in ends)


def same(a, b):
    assert (a.order, a.duplex, links(a)) == (b.order, b.duplex, links(b))
    assert a.endpoints.tolist() == b.endpoints.tolist()


@st.composite
def networks(draw):
    order = draw(st.integers(1, 7))
    count = draw(st.integers(0, 12))
    return fresh_graph(draw(st.integers(0, 10**6)), order, count, draw(st.booleans()))


@given(networks())
@settings(max_examples=60, deadline=None)
def test_round_trips(net):
    if net.duplex and (net.tails == net.heads).any():
        for there, back in ((interchange.to_networkx, interchange.from_networkx),
                            (interchange.to_igraph, interchange.from_igraph)):  # fmt: skip
            with pytest.raises(FileFormatError, match="linked to itself"):
                back(there(net))
        same(net, interchange.from_networkx(interchange.to_networkx(net), loops=True))
    else:
        same(net, interchange.from_networkx(interchange.to_networkx(net)))
        same(net, interchange.from_igraph(interchange.to_igraph(net)))
    same(net, interchange.from_scipy(interchange.to_scipy(net), duplex=net.duplex))


@given(networks())
@settings(max_examples=30, deadline=None)
def test_scipy_counts_channels(net):
    dense = np.zeros((net.order, net.order), dtype=int)
    np.add.at(dense, (net.tails, net.heads), 1)
    assert np.array_equal(interchange.to_scipy(net).toarray(), dense)
    assert interchange.to_scipy(net).sum() == net.channels


@pytest.mark.parametrize("spec", ["petersen", "mesh(3, 4)", "kautz(2, 3)", "circulant(7, 1, 1, 6)"])
def test_families_round_trip(spec):
    net = hopscape.build(spec)
    same(net, interchange.from_networkx(interchange.to_networkx(net)))
    same(net, interchange.from_igraph(interchange.to_igraph(net)))
    same(net, interchange.from_scipy(interchange.to_scipy(net)))


def test_networkx_graph_has_the_right_type_and_attributes():
    kinds = {"petersen": nx.Graph, "kautz(2, 2)": nx.DiGraph, "circulant(7, 1, 1)": nx.MultiGraph}
    for spec, kind in kinds.items():
        assert type(interchange.to_networkx(hopscape.build(spec))) is kind
    twice = Network.from_links(2, [0, 0], [1, 1], duplex=False)
    assert type(interchange.to_networkx(twice)) is nx.MultiDiGraph
    net = hopscape.build("mesh(2, 3)")
    graph = interchange.to_networkx(net)
    assert graph.graph["spec"] == "mesh(2, 3)"
    assert graph.nodes[5] == {"address": (1, 2), "kind": "endpoint"}
    for a, b, data in graph.edges(data=True):
        tail, head = min(a, b), max(a, b)
        assert net.neighbours(tail)[data["port"]] == head
        assert net.neighbours(head)[data["back_port"]] == tail


def test_switches_survive():
    net = Network.from_links(4, [0, 1, 2], [1, 2, 3], switches=np.array([1, 2]))
    graph = interchange.to_networkx(net)
    assert [graph.nodes[v]["kind"] for v in range(4)] == [
        "endpoint",
        "switch",
        "switch",
        "endpoint",
    ]
    same(net, interchange.from_networkx(graph))
    same(net, interchange.from_igraph(interchange.to_igraph(net)))


def test_names_become_labels():
    import igraph

    graph = nx.Graph([("b", "a"), ("a", "c")])
    other = igraph.Graph([(0, 1), (1, 2)])
    other.vs["name"] = ["b", "a", "c"]
    for net in (interchange.from_networkx(graph), interchange.from_igraph(other)):
        assert [net.addresses.text(v) for v in range(3)] == ["b", "a", "c"]
        assert net.neighbours("a") == (0, 2)
    shuffled = nx.Graph([(2, 0), (0, 1)])
    assert links(interchange.from_networkx(shuffled)) == [[0, 1], [0, 2]]
    with pytest.raises(ArgumentError, match="two nodes have the same name"):
        interchange.from_networkx(nx.Graph([(1, "1")]))


def test_symmetric_matrices_are_duplex_unless_told():
    matrix = np.array([[0, 2], [2, 0]])
    assert interchange.from_scipy(matrix).links == 2
    assert interchange.from_scipy(matrix, duplex=False).links == 4
    for dtype in (bool, np.uint8, float):
        assert interchange.from_scipy(np.array([[0, 1], [1, 0]], dtype=dtype)).duplex
    assert not interchange.from_scipy(np.array([[0, 1], [0, 0]])).duplex


def test_a_duplex_loop_is_two_channels():
    assert interchange.from_scipy(np.array([[2, 1], [1, 0]])).links == 2
    one_way = interchange.from_scipy(np.array([[1, 1], [1, 0]]))
    assert not one_way.duplex
    assert one_way.channels == 3


def test_repeated_entries_add_up():
    matrix = scipy.sparse.coo_array(([1, 1, 1], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    assert interchange.from_scipy(matrix).channels == 3
    matrix = scipy.sparse.coo_array(([1, 1, 2], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    assert interchange.from_scipy(matrix).links == 2


@pytest.mark.parametrize(
    "matrix",
    [
        np.zeros((2, 3)),
        np.zeros((0, 0)),
        np.zeros(3),
        np.array([[0, -1], [-1, 0]]),
        np.array([[0, 0.5], [0.5, 0]]),
        np.array([[np.nan]]),
        np.array([[1j]]),
        np.array([["a"]]),
        None,
    ],
)
def test_matrices_that_are_none(matrix):
    with pytest.raises(FileFormatError):
        interchange.from_scipy(matrix)


def test_matrices_that_do_not_fit():
    for count in (np.inf, 1e18):
        with pytest.raises(TooLargeError, match="the wiring of matrix would need"):
            interchange.from_scipy(np.array([[0, count], [0, 0]]))


def test_not_symmetric_is_not_duplex():
    with pytest.raises(FileFormatError, match="not symmetric"):
        interchange.from_scipy(np.array([[0, 1], [0, 0]]), duplex=True)


@pytest.mark.parametrize("library", ["networkx", "igraph"])
def test_no_nodes(library):
    read = interchange.from_networkx if library == "networkx" else interchange.from_igraph
    with pytest.raises(FileFormatError, match="no nodes"):
        read(pytest.importorskip(library).Graph())


NAMES = {
    "numbers": st.integers(0, 8),
    "texts": st.text(max_size=3),
    "tuples": st.tuples(st.integers(-3, 3), st.integers(0, 3)),
    "mixed": st.one_of(st.integers(-5, 99), st.text(max_size=2), st.tuples(st.integers(0, 3))),
}


@given(st.data(), st.sampled_from(sorted(NAMES)), st.booleans())
@settings(max_examples=100, deadline=None)
def test_networkx_and_back_is_exact(data, names, directed):
    nodes = data.draw(st.lists(NAMES[names], unique_by=str, min_size=1, max_size=9))
    graph = nx.DiGraph() if directed else nx.Graph()
    graph.add_nodes_from(nodes)
    pairs = [(a, b) for a in nodes for b in nodes if a != b]
    for a, b in data.draw(st.lists(st.sampled_from(pairs), max_size=12)) if pairs else []:
        graph.add_edge(a, b, capacity=data.draw(st.sampled_from([1, 2, 2.5])))
    net = interchange.from_networkx(graph)
    back = interchange.to_networkx(net)
    assert set(back.nodes) == set(graph.nodes)
    assert {(type(v), v) for v in back.nodes} == {(type(v), v) for v in graph.nodes}

    def speeds(some):
        ends = (lambda a, b: (a, b)) if directed else (lambda a, b: frozenset((a, b)))
        return {ends(a, b): d.get("capacity", 1) for a, b, d in some.edges(data=True)}

    assert speeds(back) == speeds(graph)
    again = interchange.from_networkx(back)
    same(net, again)
    assert [again.addresses.text(v) for v in again] == [net.addresses.text(v) for v in net]


def test_addresses_are_tuples_and_come_back():
    net = hopscape.build("torus(3, 4)")
    back = interchange.from_networkx(interchange.to_networkx(net))
    assert [back.address(v) for v in back] == [net.address(v) for v in net]
    assert back.node((2, 3)) == net.node((2, 3)) == back.node("(2, 3)")


def test_weights_are_not_guessed():
    graph = nx.Graph()
    graph.add_edge("a", "b", weight=4)
    graph.add_edge("b", "c", weight=1)
    with pytest.raises(FileFormatError, match="weight='capacity'"):
        hopscape.build(graph)
    fast = hopscape.from_networkx(graph, weight="capacity")
    assert sorted(fast.capacities().tolist()) == [1, 1, 4, 4]
    assert hopscape.from_networkx(graph, weight="ignore").one_speed
    assert interchange.from_networkx(graph, weight="length").lengths(np.array([0])) == [4]
    with pytest.raises(ArgumentError, match="weight is 'cost'"):
        hopscape.from_networkx(graph, weight="cost")
    nx.set_edge_attributes(graph, 1, "weight")
    assert hopscape.build(graph).links == 2


@pytest.mark.parametrize("graph", [nx.Graph([(0, 0), (0, 1)]), [(0, 1), (1, 1)]])
def test_loops_are_refused(graph):
    with pytest.raises(FileFormatError, match="linked to itself"):
        hopscape.build(graph)
