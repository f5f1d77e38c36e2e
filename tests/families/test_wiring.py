"""Who is wired to whom, against definitions and the generators of networkx."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest

import hopscape
from conftest import EXAMPLES
from hopscape.core.errors import ArgumentError


def edges(net):
    """All links as a sorted list of address pairs (duplex ones with the lower end first)."""
    pairs = []
    for v in range(net.order):
        pairs += [(net.address(v), net.address(u)) for u in net.neighbours(v) if u >= 0]
    if net.duplex:
        pairs = [pair for pair in pairs if pair[0] < pair[1]]
    return sorted(pairs)


def same_edges(net, graph):
    """Equal to the graph whose nodes are the addresses."""
    directed = graph.is_directed()
    want = [pair if directed else tuple(sorted(pair)) for pair in graph.edges()]
    assert directed != net.duplex
    assert net.order == len(graph)
    assert edges(net) == sorted(want)


def numbered(graph):
    return nx.relabel_nodes(graph, {v: (v,) for v in graph})


@pytest.mark.parametrize("d", range(1, 6))
def test_hypercube(d):
    graph = nx.hypercube_graph(d)
    if d == 1:
        graph = numbered(graph)
    same_edges(hopscape.build(f"hypercube({d})"), graph)


@pytest.mark.parametrize(
    "sides", [(1,), (2,), (3,), (5, 4), (2, 3), (1, 4), (2, 2, 3), (3, 1, 2, 4)]
)
@pytest.mark.parametrize("family", ["torus", "mesh"])
def test_grids(family, sides):
    graph = nx.Graph()
    graph.add_nodes_from(itertools.product(*map(range, sides)))
    for v in list(graph):
        for axis, side in enumerate(sides):
            up = v[axis] + 1
            if up < side or (family == "torus" and side > 2):
                graph.add_edge(v, (*v[:axis], up % side, *v[axis + 1 :]))
    same_edges(hopscape.build(f"{family}({', '.join(map(str, sides))})"), graph)
    if family == "mesh" or min(sides) > 2:
        grid = nx.grid_graph(sides[::-1], periodic=family == "torus")
        assert nx.is_isomorphic(grid, graph)


@pytest.mark.parametrize("n", [1, 2, 3, 8])
def test_ring_path_and_complete(n):
    ring = nx.cycle_graph(n) if n > 2 else nx.path_graph(n)
    same_edges(hopscape.build(f"ring({n})"), numbered(ring))
    same_edges(hopscape.build(f"path({n})"), numbered(nx.path_graph(n)))
    same_edges(hopscape.build(f"complete({n})"), numbered(nx.complete_graph(n)))


@pytest.mark.parametrize("numbers", [(8, 1, 4), (21, 1, 3, 8), (9, 3), (6, 3), (5,)])
def test_circulant(numbers):
    spec = f"circulant({', '.join(map(str, numbers))})"
    same_edges(hopscape.build(spec), numbered(nx.circulant_graph(numbers[0], list(numbers[1:]))))


def test_circulant_with_repeated_generators_has_parallel_links():
    net = hopscape.build("circulant(7, 1, 1, 6)")
    once = hopscape.build("circulant(7, 1)")
    assert edges(net) == sorted(edges(once) * 3)


@pytest.mark.parametrize(("n", "k"), [(3, 1), (5, 2), (7, 3), (8, 3), (10, 4), (12, 5)])
def test_generalized_petersen(n, k):
    graph = nx.Graph()
    for i in range(n):
        graph.add_edge(i, (i + 1) % n)
        graph.add_edge(i, n + i)
        graph.add_edge(n + i, n + (i + k) % n)
    same_edges(hopscape.build(f"generalized_petersen({n}, {k})"), numbered(graph))


@pytest.mark.parametrize(
    ("spec", "graph"),
    [
        ("petersen", nx.petersen_graph()),
        ("heawood", nx.heawood_graph()),
        ("lcf([3, -3], 4)", nx.LCF_graph(8, [3, -3], 4)),
        ("moebius_kantor", nx.moebius_kantor_graph()),
        ("pappus", nx.pappus_graph()),
        ("desargues", nx.desargues_graph()),
        ("dodecahedron", nx.dodecahedral_graph()),
        ("hoffman_singleton", nx.hoffman_singleton_graph()),
    ],
)
def test_named_graphs(spec, graph):
    net = hopscape.build(spec)
    mine = nx.Graph((a[0], b[0]) for a, b in edges(net))
    if spec in ("petersen",):
        assert set(map(frozenset, mine.edges)) == set(map(frozenset, graph.edges))
    elif net.order < 50:
        assert nx.is_isomorphic(mine, graph)
    else:  # the Moore graph of degree 7 is unique
        assert {d for _, d in mine.degree} == {7}
        assert nx.diameter(mine) == 2


@pytest.mark.parametrize(("d", "n"), [(2, 1), (2, 4), (3, 1), (3, 3), (4, 2)])
@pytest.mark.parametrize("family", ["debruijn", "kautz"])
def test_words(family, d, n):
    letters = range(d + (family == "kautz"))
    words = [
        w
        for w in itertools.product(letters, repeat=n)
        if family == "debruijn" or all(a != b for a, b in itertools.pairwise(w))
    ]
    graph = nx.DiGraph()
    graph.add_nodes_from(words)
    graph.add_edges_from((a, b) for a in words for b in words if a[1:] == b[:-1])
    if family == "kautz":
        graph.remove_edges_from([(w, w) for w in words])
    same_edges(hopscape.build(f"{family}({d}, {n})"), graph)
    both = graph.to_undirected()
    both.remove_edges_from(list(nx.selfloop_edges(both)))
    same_edges(hopscape.build(f"{family}({d}, {n}, duplex=true)"), both)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5])
def test_cube_connected_cycles(d):
    graph = nx.Graph()
    for word, i in itertools.product(range(2**d), range(d)):
        graph.add_edge((word, i), (word ^ 1 << i, i))
        if d > 1:
            graph.add_edge((word, i), (word, (i + 1) % d))
    same_edges(hopscape.build(f"ccc({d})"), graph)


@pytest.mark.parametrize(
    ("a", "b"),
    [("petersen", "ring(4)"), ("path(3)", "complete(4)"), ("ring(1)", "heawood"),
     ("kautz(2, 2)", "debruijn(2, 2)"), ("circulant(6, 2)", "random_regular(6, 3)")],
)  # fmt: skip
def test_product(a, b):
    def graph(spec):
        net = hopscape.build(spec)
        kind = nx.Graph if net.duplex else nx.DiGraph
        out = kind()
        out.add_nodes_from(range(net.order))
        out.add_edges_from((net.node(x), net.node(y)) for x, y in edges(net))
        return out

    net = hopscape.build(f"product({a}, {b})")
    same_edges(net, nx.cartesian_product(graph(a), graph(b)))


def test_product_of_three_is_nested_product():
    three = hopscape.build("product(ring(3), path(2), ring(4))")
    nested = hopscape.build("product(product(ring(3), path(2)), ring(4))")
    nodes = np.arange(24)
    assert np.array_equal(three.neighbours(nodes), nested.neighbours(nodes))


def test_product_refuses_switches(tmp_path):
    path = tmp_path / "s.graphml"
    graph = nx.path_graph(2)
    nx.set_node_attributes(graph, {0: "switch"}, "kind")
    nx.write_graphml(graph, path)
    with pytest.raises(ArgumentError, match="has switches"):
        hopscape.build(f'product(file("{path}"), ring(3))')


def test_random_regular_is_simple_regular_and_seeded():
    net = hopscape.build("random_regular(30, 4, seed=5)")
    assert set(net.degrees.tolist()) == {4}
    assert len(set(edges(net))) == 60
    assert edges(net) == edges(hopscape.build("random_regular(30, 4, seed=5)"))
    assert edges(net) != edges(hopscape.build("random_regular(30, 4, seed=6)"))


@pytest.mark.parametrize("spec", EXAMPLES)
def test_examples_are_simple_graphs_of_their_own_spec(spec):
    net = hopscape.build(spec)
    assert hopscape.build(net.spec).spec == net.spec
    found = edges(net)
    assert len(found) == net.links
    if net.family.name != "trunked":  # whose links are parallel by definition
        assert len(set(found)) == len(found)
