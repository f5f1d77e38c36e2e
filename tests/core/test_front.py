"""A network as people use it in Python: built from anything, asked for everything."""

from __future__ import annotations

import inspect
import math
import subprocess
import sys
from pathlib import Path

import networkx
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import hopscape as hs
from hopscape.core.errors import ArgumentError, HopscapeError, MissingPackageError
from hopscape.core.tables import Records, frame
from hopscape.families.product import Product


def _edges(net: hs.Network) -> set[tuple[int, int]]:
    return set(zip(net.tails.tolist(), net.heads.tolist()))


@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
def test_all_ways_in_give_the_same_network(nodes: int, seed: int) -> None:
    graph = networkx.gnp_random_graph(nodes, 0.5, seed=seed)
    graph.add_edge(0, nodes - 1)
    matrix = networkx.to_numpy_array(graph, nodelist=range(nodes))
    ways = [graph, matrix, scipy.sparse.csr_array(matrix)]
    igraph = pytest.importorskip("igraph")
    ways.append(igraph.Graph(n=nodes, edges=list(graph.edges)))
    expected = {(a, b) for a, b in graph.edges} | {(b, a) for a, b in graph.edges}
    for one in ways:
        assert _edges(hs.build(one)) == expected
    pairs = [[int(a), int(b)] for a, b in graph.edges]
    if len(pairs) > 2 and {v for p in pairs for v in p} == set(range(nodes)):
        assert _edges(hs.build(pairs)) == expected
        assert _edges(hs.build(np.asarray(pairs))) == expected


def test_rustworkx() -> None:
    rustworkx = pytest.importorskip("rustworkx")
    graph = rustworkx.generators.cycle_graph(6)
    net = hs.build(graph)
    assert (net.order, net.links, net.duplex, net.diameter) == (6, 6, True, 3)
    one_way = rustworkx.generators.directed_cycle_graph(6)
    net = hs.build(one_way)
    assert (net.duplex, net.diameter) == (False, 5)
    named = rustworkx.PyGraph()
    a, b = named.add_nodes_from(["left", "right"])
    named.add_edge(a, b, None)
    assert hs.build(named).node("right") == 1


def test_paths_and_names(tmp_path: Path) -> None:
    place = tmp_path / "graph.edges"
    place.write_text("a b\nb c\n")
    assert hs.build(place).node("c") == 2
    net = hs.build([("x", "y"), ("y", "z")])
    assert (net.node("z"), net.diameter) == (2, 2)
    odd = hs.build([(100, 5), (5, 7)])
    assert (odd.order, odd.node("7")) == (3, 2)


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        (3, "cannot be made of int"),
        ([], "edge list is empty"),
        ([(0, 1, 2)], "not a pair of nodes"),
        (["ab"], "not a pair of nodes"),
        (np.zeros((3, 4)), "3 × 4"),
        (np.zeros(4), "the array is 4"),
        (networkx.Graph(), "no nodes"),
        (None, "cannot be made of NoneType"),
        ({"a": 1}, "cannot be made of dict"),
    ],
)
def test_what_is_no_graph_is_refused(thing: object, words: str) -> None:
    with pytest.raises(HopscapeError, match=words):
        hs.build(thing)


@pytest.mark.parametrize("spec", ["torus(4, 4)", "petersen", "path(1)", "debruijn(2, 3)"])
def test_figures_agree_with_networkx(spec: str) -> None:
    net = hs.build(spec)
    graph = net.to_networkx()
    lengths = [d for _, row in networkx.all_pairs_shortest_path_length(graph) for d in row.values()]
    assert net.diameter == max(lengths)
    assert net.histogram() == np.bincount(lengths).tolist()
    if net.order > 1:
        assert net.mean_distance == pytest.approx(sum(lengths) / (net.order * (net.order - 1)))


def test_unconnected_and_huge() -> None:
    two = hs.build([(0, 1), (2, 3)])
    assert (two.diameter, two.mean_distance) == (math.inf, math.inf)
    huge = hs.build("hypercube(100)")
    assert huge.diameter == 100
    assert "hypercube(100)" in huge._repr_html_()


def test_equal_builds_are_equal(tmp_path: Path) -> None:
    a, b = hs.build("torus(4, 4)"), hs.build("torus(4,4)")
    assert a == b
    assert len({a, b}) == 1
    assert a != hs.build("torus(4, 5)")
    assert a != "torus(4, 4)"
    assert hs.build([(0, 1), (1, 2)]) == hs.build([(0, 1), (1, 2)])
    assert hs.build([(0, 1), (1, 2)]) != hs.build([(0, 1), (0, 2)])
    assert hs.build([("a", "b")]) != hs.build([("a", "c")])
    place = tmp_path / "g.edges"
    place.write_text("0 1\n1 2\n")
    before = hs.build(str(place))
    assert before.links == 2
    place.write_text("0 1\n0 2\n")
    assert before != hs.build(str(place))


def test_networks_made_of_others_are_equal_when_these_are(tmp_path: Path) -> None:
    """A spec tells them apart unless a file, or a network without a family, is inside."""

    def both(part: hs.Network) -> hs.Network:
        return hs.Network.of(Product([part, hs.build("ring(3)")]))

    one, other = hs.build([(0, 1), (1, 2)]), hs.build([(0, 1), (0, 2)])
    assert one.spec == other.spec
    assert both(one) == both(hs.build([(0, 1), (1, 2)]))
    assert both(one) != both(other)
    place = tmp_path / "g.edges"
    place.write_text("0 1\n1 2\n")
    before = hs.build(f'product(file("{place}"), ring(3))')
    place.write_text("0 1\n0 2\n")
    assert before != hs.build(before.spec)


def test_notebooks(tmp_path: Path) -> None:
    net = hs.build("petersen")
    assert "<svg" in net._repr_html_()
    picture = net.draw()
    assert picture is not None
    assert "<svg" in picture._repr_svg_()
    net.draw(tmp_path / "p.svg")
    assert (tmp_path / "p.svg").stat().st_size > 1000
    curve = hs.build("mesh(3, 3)").simulate(0.1, cycles=300)
    assert "<svg" in curve._repr_svg_()
    assert "<table>" in curve._repr_html_()
    assert curve.to_frame()["offered"].tolist() == [0.1]
    assert isinstance(curve[:1], type(curve))
    plan = net.broadcast(3)
    assert "<table>" in plan._repr_html_()
    assert len(plan.to_frame()) == plan.transfers
    verdict = hs.verify(plan)
    assert "holds" in verdict._repr_html_()
    assert verdict.to_dict()["holds"] is True
    with pytest.raises(ArgumentError, match="build it from the file"):
        hs.build([(0, 1), (1, 2)]).simulate(0.1)


def test_frames_by_whichever_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"a": 1, "b": 0.5}, {"a": 2, "b": None}]
    pytest.importorskip("pandas")
    assert list(Records(rows).to_frame().columns) == ["a", "b"]
    monkeypatch.setitem(sys.modules, "pandas", None)
    polars = pytest.importorskip("polars")
    assert isinstance(frame(rows), polars.DataFrame)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingPackageError, match="pandas or polars"):
        frame(rows)


def test_one_import_is_enough_and_light() -> None:
    code = (
        "import sys, hopscape as hs\n"
        "heavy = {'numba', 'scipy', 'matplotlib', 'networkx', 'pandas', 'rich'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
        "net = hs.build('heawood')\n"
        "print(hs.metrics.girth(net).value, hs.search.__name__, 'show' in dir(hs))\n"
        "try: hs.nothing\nexcept AttributeError as error: print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == [
        "[]",
        "6 hopscape.search True",
        "module 'hopscape' has no attribute 'nothing'",
    ]


def test_families_are_functions() -> None:
    assert hs.torus(8, 8) == hs.build("torus(8, 8)")
    assert hs.hyperx((4, 4), p=2) == hs.build("hyperx((4, 4), p=2)")
    assert hs.product(hs.petersen(), hs.ring(8)).spec == "product(petersen, ring(8))"
    assert hs.multiring(16, 1, 3, copies=2).spec == "multiring(16, 1, 3, copies=2)"
    for name, of in hs.all_families().items():
        assert inspect.signature(hs.constructor(name)).return_annotation is hs.Network
        assert of.summary in (hs.constructor(name).__doc__ or "")
    with pytest.raises(HopscapeError, match="must be"):
        hs.torus(8, "x")
    with pytest.raises(AttributeError, match="no attribute 'tours'"):
        hs.tours  # noqa: B018
    with pytest.raises(HopscapeError, match="known to this session only"):
        hs.product(hs.build([(0, 1)]), hs.ring(3))


def test_completion_offers_what_people_call() -> None:
    offered = {name for name in dir(hs) if not name.startswith("_")}
    assert {"torus", "build", "metrics", "Network", "from_networkx"} <= offered
    assert not offered & {"Any", "TYPE_CHECKING", "importlib", "later", "prepare_kernel_cache"}
    assert all(getattr(hs, name) is not None for name in offered)


@given(st.integers(2, 9), st.integers(0, 2**32 - 1), st.booleans())
def test_a_network_is_a_collection(nodes: int, seed: int, directed: bool) -> None:
    graph = networkx.gnp_random_graph(nodes, 0.5, seed=seed, directed=directed)
    net = hs.build(graph)
    assert list(net) == list(net.nodes) == list(graph.nodes)
    assert sorted(map(sorted, net.edges)) == sorted(map(sorted, graph.edges))
    assert all(sorted(net.neighbors(v)) == sorted(graph[v]) for v in net)
    assert net.degree == max(len(graph[v]) for v in graph)
    assert 0 in net
    assert nodes not in net
    assert "none" not in net
    if not directed:
        assert net.girth == networkx.girth(graph)
        other = networkx.gnm_random_graph(nodes, graph.number_of_edges(), seed=seed)
        assert net.is_isomorphic(other) == networkx.is_isomorphic(graph, other)
        assert net.is_isomorphic(networkx.relabel_nodes(graph, lambda v: nodes - 1 - v))


@given(st.integers(3, 9), st.integers(0, 2**32 - 1), st.data())
def test_what_is_left_is_what_networkx_leaves(nodes: int, seed: int, data: st.DataObject) -> None:
    graph = networkx.gnp_random_graph(nodes, 0.6, seed=seed)
    gone = data.draw(st.sets(st.integers(0, nodes - 1), max_size=nodes - 1))
    edges = [e for e in graph.edges if not gone & set(e)]
    cut = data.draw(st.lists(st.sampled_from(edges), unique=True)) if edges else []
    left = hs.build(graph).without(nodes=gone, links=cut)
    graph.remove_nodes_from(gone)
    graph.remove_edges_from(cut)
    back = left.to_networkx()
    assert set(back.nodes) == set(graph.nodes)
    assert {frozenset(e) for e in back.edges} == {frozenset(e) for e in graph.edges}


def test_what_is_left_keeps_addresses_and_kinds() -> None:
    broken = hs.torus(3, 4).without(nodes=[(1, 1)], links=[((0, 0), (0, 1))])
    assert (broken.order, broken.links) == (11, 24 - 4 - 1)
    assert broken.address(broken.node((2, 3))) == (2, 3)
    with pytest.raises(HopscapeError, match="there is no node"):
        broken.node((1, 1))
    tree = hs.fat_tree(4).without(nodes=[int(hs.fat_tree(4).endpoints[0])])
    assert tree.endpoint_count == 15
    with pytest.raises(ArgumentError, match="no such link"):
        hs.ring(5).without(links=[(0, 2)])
    with pytest.raises(ArgumentError, match="no endpoint"):
        hs.ring(3).without(nodes=[0, 1, 2])


def test_things_say_what_they_are() -> None:
    net = hs.torus(4, 4)
    assert "torus(4, 4)" in repr(net.router())
    assert "0x" not in repr(net.router())
    assert "save" in repr(net.draw())
    with pytest.raises(HopscapeError, match="lies between"):
        _ = hs.random_regular(200, 7).bisection
    assert net.bisection == 8


def test_a_page_is_written(tmp_path: Path) -> None:
    place = tmp_path / "page.html"
    assert hs.petersen().explore(place, schedules=()) == str(place)
    assert "petersen" in place.read_text(encoding="utf-8")
    with pytest.raises(ArgumentError, match="not a page"):
        hs.petersen().explore(tmp_path / "page.pdf")
