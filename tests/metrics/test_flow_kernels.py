"""Disjoint paths and connectivity against networkx, which knows nothing of these kernels."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hopscape.metrics import connectivity_kernels as conn
from hopscape.metrics import flow_kernels as fk


def csr(n, links, duplex):
    """Give the CSR of a graph from its links, each one both ways if duplex."""
    ends = [(u, v) for u, v in links]
    if duplex:
        ends += [(v, u) for u, v in links]
    ends.sort()
    tails = np.array([u for u, _ in ends], np.int64)
    heads = np.array([v for _, v in ends], np.int32)
    return np.searchsorted(tails, np.arange(n + 1)).astype(np.int64), heads


def of(graph):
    graph = nx.convert_node_labels_to_integers(graph)
    return csr(len(graph), list(graph.edges()), not graph.is_directed())


@st.composite
def graphs(draw, least=2):
    """Any small multigraph, loops and loose nodes included, directed or duplex."""
    n = draw(st.integers(least, 7))
    node = st.integers(0, n - 1)
    links = draw(st.lists(st.tuples(node, node), max_size=20))
    return n, links, draw(st.booleans())


def tails_of(indptr):
    return np.repeat(np.arange(indptr.size - 1), np.diff(indptr))


def simple(n, indptr, heads):
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from((u, v) for u, v in zip(tails_of(indptr), heads) if u != v)
    return graph


def unit_flow(n, indptr, heads, source, target, node_disjoint):
    """Build the flow problem in the plainest way, one network node in the middle of each arc."""
    net = nx.DiGraph()
    for v in range(n):
        inner = 1 if node_disjoint and v not in (source, target) else 1000
        net.add_edge(("in", v), ("out", v), capacity=inner, weight=0)
    for c, (u, v) in enumerate(zip(tails_of(indptr).tolist(), heads.tolist())):
        net.add_edge(("out", u), ("channel", c), capacity=1, weight=1)
        net.add_edge(("channel", c), ("in", v), capacity=1, weight=0)
    return net, ("out", source), ("in", target)


def disjoint_count(indptr, heads, source, target, node_disjoint, limit):
    pairs = np.array([[source, target]], np.int32)
    return fk.least_flow(fk.residual_network(indptr, heads, node_disjoint), pairs, limit)


@settings(max_examples=60, deadline=None)
@given(graphs(), st.booleans(), st.integers(0, 6), st.data())
def test_count_and_least_total_length(case, node_disjoint, wanted, data):
    n, links, duplex = case
    indptr, heads = csr(n, links, duplex)
    source, target = data.draw(st.permutations(range(n)))[:2]
    net, start, end = unit_flow(n, indptr, heads, source, target, node_disjoint)
    most = nx.maximum_flow_value(net, start, end)
    assert disjoint_count(indptr, heads, source, target, node_disjoint, 100) == most
    assert disjoint_count(indptr, heads, source, target, node_disjoint, 1) == min(most, 1)

    found, channels, offsets = fk.disjoint_paths(
        indptr, heads, source, target, node_disjoint, wanted
    )
    assert found == min(most, wanted) == offsets.size - 1
    net.add_edge("begin", start, capacity=found, weight=0)
    cost = nx.cost_of_flow(net, nx.max_flow_min_cost(net, "begin", end))
    assert channels.size == cost == offsets[-1]
    check_paths(indptr, heads, channels, offsets, (source, target), node_disjoint, duplex)


def check_paths(indptr, heads, channels, offsets, ends, node_disjoint, duplex):
    tails = tails_of(indptr)
    source, target = ends
    assert len(set(channels.tolist())) == channels.size
    assert np.all(np.diff(np.diff(offsets)) >= 0)
    inner = []
    for low, high in itertools.pairwise(offsets):
        path = channels[low:high]
        assert tails[path[0]] == source
        assert heads[path[-1]] == target
        assert np.array_equal(heads[path[:-1]], tails[path[1:]])
        assert len({source, *heads[path].tolist()}) == path.size + 1
        inner += heads[path[:-1]].tolist()
    if node_disjoint:
        assert len(set(inner)) == len(inner)
    if duplex:  # no more uses of a link, both directions together, than there are links
        every = list(zip(tails.tolist(), heads.tolist()))
        used = [tuple(sorted(every[c])) for c in channels]
        assert all(used.count(link) <= every.count(link) for link in used)


@pytest.mark.parametrize(
    ("graph", "lengths"),
    [
        (nx.heawood_graph(), {1: (1, 5, 5), 2: (2, 4, 4), 3: (3, 3, 3)}),
        (nx.petersen_graph(), {1: (1, 4, 4), 2: (2, 3, 3)}),
    ],
    ids=["heawood", "petersen"],
)
def test_container_lengths(graph, lengths):
    indptr, heads = of(graph)
    distance = dict(nx.all_pairs_shortest_path_length(graph))
    for u, v in itertools.permutations(graph, 2):
        found, _, offsets = fk.disjoint_paths(indptr, heads, u, v, True, 3)
        assert found == 3
        assert tuple(np.diff(offsets)) == lengths[distance[u][v]]


def test_shortest_path_is_given_up_when_it_blocks_the_second():
    # The trap for greedy searches: 0-1-2-7, the shortest path, meets every other one.
    links = [(0, 1), (1, 2), (2, 7), (1, 3), (3, 4), (4, 7), (0, 5), (5, 6), (6, 2)]
    indptr, heads = csr(8, links, False)
    assert fk.disjoint_paths(indptr, heads, 0, 7, True, 1)[1].size == 3
    found, channels, offsets = fk.disjoint_paths(indptr, heads, 0, 7, True, 2)
    assert found == 2
    assert channels.size == 8
    check_paths(indptr, heads, channels, offsets, (0, 7), True, False)


def test_direct_channels_and_no_way():
    indptr, heads = csr(3, [(0, 1), (0, 1), (0, 0), (1, 1)], False)
    for node_disjoint in (False, True):
        assert disjoint_count(indptr, heads, 0, 1, node_disjoint, 9) == 2
        assert disjoint_count(indptr, heads, 1, 0, node_disjoint, 9) == 0
        assert fk.disjoint_paths(indptr, heads, 0, 2, node_disjoint, 9)[0] == 0


def connectivity_of_nodes(n, indptr, heads):
    """Try all sets of nodes to remove."""
    graph = simple(n, indptr, heads)
    for size in range(n - 1):
        for gone in itertools.combinations(range(n), size):
            rest = graph.subgraph(set(graph) - set(gone))
            if not nx.is_strongly_connected(rest):
                return size
    return n - 1


@settings(max_examples=80, deadline=None)
@given(graphs(least=1))
def test_connectivity(case):
    n, links, duplex = case
    indptr, heads = csr(n, links, duplex)
    nodes = connectivity_of_nodes(n, indptr, heads)
    assert conn.node_connectivity(indptr, heads, duplex, False) == nodes
    assert conn.node_connectivity(indptr, heads, False, False) == nodes
    weighted = nx.DiGraph()
    for u, v in zip(tails_of(indptr).tolist(), heads.tolist()):
        old = weighted.get_edge_data(u, v, {"capacity": 0})["capacity"]
        weighted.add_edge(u, v, capacity=old + 1)
    weighted.add_nodes_from(range(n))
    pairs = itertools.permutations(range(n), 2)
    edges = min((nx.maximum_flow_value(weighted, u, v) for u, v in pairs), default=0)
    assert conn.edge_connectivity(indptr, heads, duplex) == edges
    assert conn.edge_connectivity(indptr, heads, False) == edges


@st.composite
def dense_graphs(draw):
    """Directed, with loops; few of the channels are missing."""
    n = draw(st.integers(2, 6))
    every = list(itertools.product(range(n), repeat=2))
    missing = draw(st.sets(st.sampled_from(every), max_size=2 * n))
    return n, [ends for ends in every if ends not in missing], draw(st.booleans())


@settings(max_examples=60, deadline=None)
@given(st.one_of(graphs(), dense_graphs()))
@example((4, [(3, 0), *itertools.permutations(range(1, 4), 2), (0, 1), (0, 2)], False))  # 1 into 0
def test_bound_and_pairs_of_node_connectivity(case):
    n, links, duplex = case
    indptr, heads = csr(n, links, duplex)
    graph = simple(n, indptr, heads)
    degrees = [d for count in (graph.out_degree, graph.in_degree) for _, d in count]
    assert conn.node_connectivity_bound(indptr, heads) == min(degrees)
    pairs = conn.node_connectivity_pairs(indptr, heads, duplex, False).tolist()
    assert not any(u == v or graph.has_edge(u, v) for u, v in pairs)


@settings(max_examples=30, deadline=None)
@given(st.integers(4, 14), st.sets(st.integers(1, 13), min_size=1, max_size=3), st.booleans())
def test_transitive_shortcut(n, jumps, duplex):
    links = [(v, (v + j) % n) for v in range(n) for j in jumps]
    indptr, heads = csr(n, links, duplex)
    general = conn.node_connectivity(indptr, heads, duplex, False)
    assert conn.node_connectivity(indptr, heads, duplex, True) == general
    if duplex:
        assert general == nx.node_connectivity(simple(n, indptr, heads).to_undirected())


@pytest.mark.parametrize(
    ("graph", "nodes", "edges"),
    [
        (nx.complete_graph(6), 5, 5),
        (nx.complete_graph(1), 0, 0),
        (nx.complete_graph(2), 1, 1),
        (nx.complete_bipartite_graph(3, 5), 3, 3),
        (nx.hypercube_graph(5), 5, 5),
        (nx.barbell_graph(4, 0), 1, 1),
        (nx.disjoint_union(nx.cycle_graph(4), nx.cycle_graph(3)), 0, 0),
        (nx.windmill_graph(3, 4), 1, 3),
        (nx.complete_graph(5, nx.DiGraph), 4, 4),
        (nx.cycle_graph(5, nx.DiGraph), 1, 1),
        (nx.path_graph(3, nx.DiGraph), 0, 0),
    ],
)
def test_known_connectivity(graph, nodes, edges):
    indptr, heads = of(graph)
    duplex = not graph.is_directed()
    assert conn.node_connectivity(indptr, heads, duplex, False) == nodes
    assert conn.edge_connectivity(indptr, heads, duplex) == edges


def test_slices_give_the_same_and_leave_the_network_alone():
    indptr, heads = of(nx.connected_caveman_graph(4, 5))
    for node_disjoint in (False, True):
        if node_disjoint:
            best = conn.node_connectivity_bound(indptr, heads)
            pairs = conn.node_connectivity_pairs(indptr, heads, True, False)
            whole = conn.node_connectivity(indptr, heads, True, False)
        else:
            best = conn.edge_connectivity_bound(indptr, heads)
            pairs = conn.edge_connectivity_pairs(indptr.size - 1, True)
            whole = conn.edge_connectivity(indptr, heads, True)
        network = fk.residual_network(indptr, heads, node_disjoint)
        before = network.capacity.copy()
        for low in range(0, len(pairs), 3):
            best = fk.least_flow(network, pairs[low : low + 3], best)
        assert best == whole == 2
        assert np.array_equal(network.capacity, before)


def test_long_paths_outgrow_the_trail():
    # Paths of more than 1024 channels: the flow has to be cleared everywhere between pairs.
    indptr, heads = of(nx.cycle_graph(2600))
    pairs = np.array([[0, 1300], [0, 1300], [1, 2000]], np.int32)
    for node_disjoint in (False, True):
        network = fk.residual_network(indptr, heads, node_disjoint)
        assert fk.least_flow(network, pairs, 5) == 2
