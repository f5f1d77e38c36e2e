"""Formats of other programs: read by them, written by them, and broken on purpose."""

from __future__ import annotations

import io
import json

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape.core.errors import ArgumentError, FileFormatError, HopscapeError
from hopscape.core.network import Network
from hopscape.formats.graphs import read_network, write_network
from hopscape.formats.graphs.libraries import link_ends

NET = hopscape.build("torus(3, 4)")


def links(net):
    ends = np.stack(link_ends(net)[:2], axis=1).tolist()
    return sorted(sorted(pair) if net.duplex else pair for pair in ends)


def pairs(graph):
    return sorted(sorted((int(a), int(b))) for a, b in graph.edges())


@pytest.mark.parametrize(
    ("ending", "read"),
    [
        (".g6", nx.read_graph6),
        (".s6", nx.read_sparse6),
        (".gml", lambda p: nx.read_gml(p, label="id")),
        (".gexf", lambda p: nx.read_gexf(p, node_type=int)),
        (".adjlist", lambda p: nx.read_adjlist(p, nodetype=int)),
        (".graphml", lambda p: nx.read_graphml(p, node_type=int)),
        (".golf", lambda p: nx.read_edgelist(p, nodetype=int)),
        (".json", lambda p: nx.node_link_graph(json.loads(p.read_text()), edges="links")),
    ],
)
def test_networkx_reads_what_is_written(ending, read, tmp_path):
    write_network(NET, tmp_path / f"graph{ending}")
    assert pairs(read(tmp_path / f"graph{ending}")) == links(NET)


def test_networkx_reads_parallel_links_of_gml(tmp_path):
    net = hopscape.build("trunked(ring(5), 2)")
    write_network(net, tmp_path / "graph.gml")
    graph = nx.read_gml(tmp_path / "graph.gml", label="id")
    assert graph.is_multigraph()
    assert graph.number_of_edges() == net.links == 10
    assert links(read_network(tmp_path / "graph.gml")) == links(net)


@pytest.mark.parametrize(
    ("ending", "write"),
    [
        (".g6", nx.write_graph6),
        (".s6", nx.write_sparse6),
        (".gml", nx.write_gml),
        (".gexf", nx.write_gexf),
        (".adjlist", nx.write_adjlist),
        (".json", lambda g, p: p.write_text(json.dumps(nx.node_link_data(g, edges="edges")))),
        (".dot", lambda g, p: p.write_text("\n".join(["graph {", *_dot_lines(g), "}"]))),
    ],
)
def test_what_networkx_writes_is_read(ending, write, tmp_path):
    graph = nx.petersen_graph()
    write(graph, tmp_path / f"graph{ending}")
    assert links(read_network(tmp_path / f"graph{ending}")) == pairs(graph)


def _dot_lines(graph):
    return [f"{a} -- {b}" for a, b in graph.edges()]


@pytest.mark.filterwarnings("ignore:Composite vertex attribute")
def test_igraph_reads_bare_edges(tmp_path):
    igraph = pytest.importorskip("igraph")
    write_network(NET, tmp_path / "graph.golf")
    assert igraph.Graph.Read_Edgelist(str(tmp_path / "graph.golf"), directed=False).ecount() == 24
    write_network(NET, tmp_path / "graph.gml")
    assert igraph.Graph.Read_GML(str(tmp_path / "graph.gml")).vcount() == 12


@settings(deadline=None, max_examples=60)
@given(
    st.integers(1, 90),
    st.lists(st.tuples(st.integers(0, 89), st.integers(0, 89)), max_size=60),
)
def test_sparse6_and_graph6_agree_with_networkx(tmp_path_factory, order, given_):
    folder = tmp_path_factory.mktemp("six")
    ends = [(a % order, b % order) for a, b in given_]
    net = Network.from_links(order, [a for a, _ in ends], [b for _, b in ends])
    write_network(net, folder / "a.s6")
    found = nx.from_sparse6_bytes((folder / "a.s6").read_bytes().strip())
    assert (found.number_of_nodes(), pairs(found)) == (order, links(net))
    assert links(read_network(folder / "a.s6")) == links(net)
    plain = sorted({(min(e), max(e)) for e in ends if e[0] != e[1]})
    net = Network.from_links(order, [a for a, _ in plain], [b for _, b in plain])
    write_network(net, folder / "a.g6")
    assert pairs(nx.from_graph6_bytes((folder / "a.g6").read_bytes().strip())) == links(net)
    again = read_network(folder / "a.g6")
    assert (again.order, links(again)) == (order, links(net))


def test_places_are_written(tmp_path):
    net = hopscape.build("mesh(3, 2)")
    write_network(net, tmp_path / "m.graphml")
    graph = nx.read_graphml(tmp_path / "m.graphml", node_type=int)
    across = [graph.nodes[v]["x"] for v in range(6)]
    assert across[0] == across[2] == across[4] < across[1] == across[3] == across[5]
    write_network(net, tmp_path / "m.gexf")
    viz = nx.read_gexf(tmp_path / "m.gexf", node_type=int).nodes[3]["viz"]["position"]
    assert viz["x"] == pytest.approx(across[3], abs=1e-3)
    for ending, sign in ((".dot", 'pos="'), (".gml", "graphics"), (".json", '"x"')):
        write_network(net, tmp_path / f"m{ending}")
        assert (tmp_path / f"m{ending}").read_text().count(sign) == 6
    plain = Network.from_links(5, [0, 1], [1, 2])  # of no family: round a circle
    write_network(plain, tmp_path / "p.graphml")
    assert len({d["x"] for _, d in nx.read_graphml(tmp_path / "p.graphml").nodes(data=True)}) > 2


@pytest.mark.parametrize("ending", [".dot", ".gml", ".gexf", ".json", ".graphml"])
def test_capacities_are_kept(ending, tmp_path):
    (tmp_path / "c.edges").write_text("source target capacity length\n0 1 2 3.5\n1 2 1 0.5\n")
    net = read_network(tmp_path / "c.edges")
    write_network(net, tmp_path / f"c{ending}")
    again = read_network(tmp_path / f"c{ending}")
    for one in (net, again):
        found = [one.classes[k] for k in one.class_of(link_ends(one)[2]).tolist()]
        assert [(k.speed, k.length) for k in found] == [(2, 3.5), (1, 0.5)]
    with pytest.raises(ArgumentError, match="several kinds"):
        write_network(net, tmp_path / "c.g6")


DOT = """// a comment
strict digraph "a graph" {
  rankdir = LR; node [shape=box]
  subgraph cluster_0 { a; b [kind="switch"] }
  a -> b -> "c d":n [capacity=2]; a -> b
  /* long
     comment */ # and this
}
"""


def test_dot_in_full(tmp_path):
    (tmp_path / "g.dot").write_text(DOT)
    net = read_network(tmp_path / "g.dot")
    assert not net.duplex
    assert [net.addresses.text(v) for v in range(3)] == ["a", "b", "c d"]
    assert links(net) == [[0, 1], [1, 2]]
    assert net.endpoints.tolist() == [0, 2]
    assert {kind.speed for kind in net.classes} == {2}


@pytest.mark.parametrize(
    ("text", "order", "found"),
    [
        ("0 1 2\n1\n2 3\n", 4, [[0, 1], [0, 2], [2, 3]]),
        ("0: 1 2\n1: 0\n2: 0\n", 3, [[0, 1], [0, 2]]),
        ("# nodes 4\n# directed\n0 1\n1 0\n", 4, [[0, 1], [1, 0]]),
        ("a b\nb a\n", 2, [[0, 1]]),
    ],
)
def test_adjacency_lists(text, order, found, tmp_path):
    (tmp_path / "g.adjlist").write_text(text)
    net = read_network(tmp_path / "g.adjlist")
    assert (net.order, links(net)) == (order, found)


BROKEN = {
    "a.dot": ("graph { 0 -- }", r"line 1, column 14: expected a name"),
    "b.dot": ("graph {\n 0 -> 1\n}", r"line 2, column 4: expected --, found '->'"),
    "c.dot": ("graph { 0 -- 1", "breaks off"),
    "d.dot": ("graph { 0 -- { 1 2 } }", "whole group"),
    "e.dot": ("graph { } graph { }", "more than one graph"),
    "f.dot": ("graph { 0 -- 1 [capacity=-2] }", "line 1, column 9: capacity"),
    "g.dot": ("graph { \x01 }", r"'\\x01' is not expected"),
    "h.dot": ("graph " + "{" * 4000, "deep"),
    "i.dot": ("graph { }", "no nodes"),
    "a.gml": ("graph [ node [ id 0 ] edge [ source 0 target 7 ] ]", "'7', which is not listed"),
    "b.gml": ("graph [\n node [ label 3 ] ]", "line 2, column 2: node has no id"),
    "c.gml": ("graph [ node [ id 0 ]", "breaks off"),
    "d.gml": ("node 3", "0 graphs"),
    "e.gml": ("graph [ node [ id 0 ] node [ id 0 ] ]", "there twice"),
    "f.gml": ("a [ " * 3000, "expected a value"),
    "a.gexf": ("<gexf><graph>", "not a GEXF graph: no element found: line 1, column 13"),
    "b.gexf": ("<gexf/>", "no graph in a gexf element"),
    "c.gexf": ("<gexf><graph><nodes><node/></nodes></graph></gexf>", "has no id"),
    "a.g6": ("C", "characters of links, not 0"),
    "b.g6": ("C~\nC~\n", "2 graphs"),
    "c.g6": ("C\x7f", r"line 1, column 2: a character outside"),
    "d.g6": ("?", "no nodes"),
    "e.s6": (":~~?~~~~~", "would need"),
    "f.s6": (":~", "breaks off before the number"),
    "a.json": ('{"nodes": [', "line 1, column"),
    "b.json": ("[]", "not a node-link graph"),
    "c.json": ('{"nodes": [{"id": 1.5}], "links": []}', r"nodes\[0\] has no id"),
    "d.json": ('{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]}', r"links\[0\]"),
    "e.json": (
        '{"nodes": [{"id": 0}], "links": [{"source": 0, "target": 0, "delay": "x"}]}',
        r"links\[0\]: delay",
    ),
    "a.adjlist": ("0 1: 2\n", "line 1: expected one node before the colon"),
    "b.adjlist": ("# nodes 99999999999\n", "line 1, column 9"),
    "c.adjlist": ("", "no nodes"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files(name, tmp_path):
    text, said = BROKEN[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(HopscapeError, match=said):
        read_network(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nothing.dot", "nothing.dot cannot be read: No such file"),
        ("nothing.g6", "nothing.g6 cannot be read: No such file"),
        ("some folder/nothing.json", "cannot be read: No such file"),
        ("graph.xyz", "graph.xyz has an unknown ending; graph files end in"),
        ("my network.xls", "has an unknown ending"),
        ("torus(3,3).dot", "torus(3,3).dot cannot be read: No such file"),
    ],
)
def test_specs_that_look_like_files_are_spoken_of_as_files(text, said):
    with pytest.raises(FileFormatError) as caught:
        hopscape.build(text)
    assert said in str(caught.value)


def test_written_bytes_are_text(tmp_path):
    for ending in (".dot", ".gml", ".gexf", ".json", ".adjlist", ".g6", ".s6", ".golf"):
        write_network(NET, tmp_path / f"g{ending}")
        io.StringIO((tmp_path / f"g{ending}").read_text(encoding="ascii"))
