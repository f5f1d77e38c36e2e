"""Graph files: what is written is read again; what is broken is said in one sentence."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
import scipy.sparse

import hopscape
from conftest import fresh_graph
from hopscape.core.errors import ArgumentError, FileFormatError, HopscapeError
from hopscape.core.network import Network
from hopscape.formats.graphs import ENDINGS, read_network, write_network
from hopscape.formats.graphs.libraries import link_ends

GRAPHS = {
    "duplex": hopscape.build("petersen"),
    "directed": hopscape.build("kautz(2, 3)"),
    "parallel": hopscape.build("circulant(7, 1, 1, 6)"),
    "loops": hopscape.build("debruijn(2, 3)"),
    "islands": Network.from_links(6, [1, 2], [2, 4]),
    "no links": Network.from_links(3, [], []),
    "one node": hopscape.build("ring(1)"),
    "anything": fresh_graph(3, 6, 14),
    "anything directed": fresh_graph(4, 6, 14, duplex=False),
}


def links(net):
    ends = np.stack(link_ends(net)[:2], axis=1).tolist()
    return sorted(sorted(pair) if net.duplex else pair for pair in ends)


SAYS_DIRECTION = (".graphml", ".gexf", ".gml", ".dot", ".gv", ".json", ".adjlist")
REFUSED = {  # by formats that cannot hold them
    ".golf": {"directed", "loops", "islands", "no links", "one node", "anything directed"},
    ".g6": {"directed", "loops", "parallel", "anything", "anything directed"},
    ".s6": {"directed", "loops", "anything directed"},
}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("kind", GRAPHS)
def test_round_trip(ending, kind, tmp_path):
    net = GRAPHS[kind]
    path = tmp_path / f"graph{ending}"
    if kind in REFUSED.get(ending, ()):
        with pytest.raises(ArgumentError, match=r"cannot|parallel"):
            write_network(net, path)
        assert list(tmp_path.iterdir()) == []
        return
    write_network(net, path)
    again = read_network(path, directed=not net.duplex and ending not in SAYS_DIRECTION)
    assert (again.order, again.duplex, links(again)) == (net.order, net.duplex, links(net))
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    built = hopscape.build(again.spec)
    assert (built.spec, built.order, links(built)) == (again.spec, net.order, links(net))


@pytest.mark.parametrize("ending", [".edges", ".csv", *SAYS_DIRECTION])
def test_directions_are_remembered(ending, tmp_path):
    path = tmp_path / f"graph{ending}"
    write_network(GRAPHS["directed"], path)
    assert not read_network(path).duplex


@pytest.mark.parametrize("ending", SAYS_DIRECTION[:-1])
def test_switches_are_remembered(ending, tmp_path):
    net = Network.from_links(3, [0, 1], [1, 2], switches=np.array([1]))
    write_network(net, tmp_path / f"s{ending}")
    built = hopscape.build(str(tmp_path / f"s{ending}"))
    assert built.endpoints.tolist() == [0, 2]


def test_specs_with_line_breaks_stay_in_their_comment(tmp_path):
    odd = tmp_path / "a\u2028b\nc.edges"
    odd.write_text("0 1\n")
    net = hopscape.build(f"file({hopscape.core.spec.write_value(str(odd))})")
    for ending in ENDINGS:
        write_network(net, tmp_path / f"copy{ending}")
        assert read_network(tmp_path / f"copy{ending}").links == 1


@pytest.mark.parametrize(
    ("text", "names", "pairs"),
    [
        ("0 1\n1 2\n", None, [[0, 1], [1, 2]]),
        ("\ufeff0 1\n", "0 1", [[0, 1]]),
        ("# hello\n\n0,1\n1;2 % more\n", None, [[0, 1], [1, 2]]),
        ("source,target\n1,0\n", None, [[0, 1]]),
        ("source target\nleft right\n", "left right", [[0, 1]]),
        ("u v\n0 1\n", None, [[0, 1]]),
        ("a b\nb c\n", "a b c", [[0, 1], [1, 2]]),
        ("a b\nc d\n", "a b c d", [[0, 1], [2, 3]]),
        ("a b\n", "a b", [[0, 1]]),
        ("from to\nto from\n", "from to", [[0, 1], [0, 1]]),
        ("10 20\n20 30\n", "10 20 30", [[0, 1], [1, 2]]),
        ("x y\ny x\n", "x y", [[0, 1], [0, 1]]),
        ("# nodes 5\n1 0\n", None, [[0, 1]]),
        ("# nodes: 2\nx y\n", "x y", [[0, 1]]),
    ],
)
def test_edge_lists(text, names, pairs, tmp_path):
    path = tmp_path / "graph.edges"
    path.write_text(text)
    net = read_network(path)
    assert links(net) == pairs
    if names is not None:
        assert [net.addresses.text(v) for v in range(net.order)] == names.split()
        assert net.node(names.split()[-1]) == net.order - 1


MARKET = b"%%MatrixMarket matrix coordinate integer general\n"
XML = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">'
BROKEN = {
    "empty.edges": (b"", "has no links in it"),
    "comment.edges": (b"# nothing\n", "has no links in it"),
    "heading.csv": (b"source,target\n", "has no links in it"),
    "binary.edges": (b"\x00\xff\x01", "line 1: not a text file"),
    "three.edges": (b"0 1\n0 1 2\n", "line 2: expected two node names, found"),
    "one.csv": (b"0\n", "line 1: expected"),
    "gap.csv": (b",1\n", "line 1: expected"),
    "few.edges": (b"# nodes 2\n0 5\n", "says it has 2 nodes, but a link names node 5"),
    "more.edges": (b"# nodes 9\na b\n", "says it has 9 nodes, but names 2"),
    "zero.edges": (b"# nodes 0\n", "must be from 1 to 2147483647"),
    "many.edges": (b"# nodes " + b"9" * 5000, "must be a whole number"),
    "empty.graphml": (b"", "is not a GraphML graph"),
    "binary.graphml": (b"\x00\xff\x01", "is not a GraphML graph"),
    "half.graphml": (XML.encode() + b'<node id="1"/><ed', "is not a GraphML graph"),
    "other.graphml": (b"<html><body/></html>", "is not a GraphML graph"),
    "none.graphml": (XML.encode() + b"</graph></graphml>", "no nodes"),
    "empty.mtx": (b"", "does not begin with"),
    "binary.mtx": (b"\x00\xff\x01", "not a text file"),
    "half.mtx": (MARKET + b"2 2 2\n1 1 1\n", "line 2: 2 entries are promised, 1 lines follow"),
    "shape.mtx": (MARKET + b"2 3 1\n1 1 1\n", "square, not of shape"),
    "minus.mtx": (MARKET + b"2 2 1\n1 2 -1\n", "integers from 0 on"),
    "beyond.mtx": (MARKET + b"2 2 1\n1 5 1\n", "line 3: a place is 5; it must be from 1 to 2"),
    "huge.mtx": (
        MARKET + b"2 2 1\n1 2 99999999999999999999999\n",
        "line 3, column 5: an entry is 1e",
    ),
    "empty.npz": (b"", "not a whole .npz"),
    "binary.npz": (b"\x00\xff\x01", "not a whole .npz"),
    "zip.npz": (b"PK\x03\x04abc", "not a whole .npz"),
    "plain.xyz": (b"0 1\n", "unknown ending"),
    "encoding.graphml": (
        b'<?xml version="1.0" encoding="klingon"?><graphml/>',
        "is not a GraphML graph",
    ),
    "cut.edges.gz": (gzip.compress(b"0 1\n" * 99)[:-9], "not a whole gzip file"),
    "other.edges.gz": (b"\x1f\x8bnonsense", "cannot be read"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files(name, tmp_path):
    data, says = BROKEN[name]
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(FileFormatError, match=says) as caught:
        read_network(path)
    assert "\n" not in str(caught.value)
    with pytest.raises(HopscapeError):
        hopscape.build(f'file("{path}")')


def test_broken_arrays(tmp_path):
    np.savez(tmp_path / "other.npz", a=np.eye(3))
    with open(tmp_path / "array.npz", "wb") as out:
        np.save(out, np.eye(3))
    scipy.sparse.save_npz(tmp_path / "oblong.npz", scipy.sparse.csr_array(np.ones((2, 3))))
    scipy.sparse.save_npz(tmp_path / "minus.npz", scipy.sparse.csr_array(-np.eye(2)))
    for name in ("other", "array", "oblong", "minus"):
        with pytest.raises(FileFormatError):
            read_network(tmp_path / f"{name}.npz")


def test_matrices_too_large_for_memory(tmp_path, monkeypatch):
    monkeypatch.setenv("HOPSCAPE_MEMORY", "1G")
    for name, entry in {
        "a": b"900000000 900000000 1\n1 2 1\n",
        "b": b"2 2 1\n1 2 100000000\n",
    }.items():
        (tmp_path / f"{name}.mtx").write_bytes(MARKET + entry)
        with pytest.raises(HopscapeError, match="would need"):
            read_network(tmp_path / f"{name}.mtx")
    (tmp_path / "c.edges").write_text("# nodes 2000000000\n")
    with pytest.raises(HopscapeError, match="would need 32 GB"):
        read_network(tmp_path / "c.edges")


@pytest.mark.parametrize("ending", ENDINGS)
def test_missing_files_and_folders(ending, tmp_path):
    with pytest.raises(FileFormatError, match="cannot be read"):
        read_network(tmp_path / f"none{ending}")
    folder = tmp_path / f"folder{ending}"
    folder.mkdir()
    with pytest.raises(FileFormatError, match=r"cannot be read|is not a sparse matrix"):
        read_network(folder)
    with pytest.raises(ArgumentError, match="is a folder"):
        write_network(GRAPHS["duplex"], folder)
    with pytest.raises(ArgumentError, match="cannot be written"):
        write_network(GRAPHS["duplex"], tmp_path / "no" / f"such{ending}")
    assert [p.name for p in tmp_path.iterdir()] == [folder.name]


def test_names_no_file_can_have():
    for name in ("a\0b.edges", "\ud800.graphml", "a\0.mtx", "a\0.npz"):
        with pytest.raises(FileFormatError):
            read_network(name)


def test_odd_node_names_in_graphml(tmp_path):
    path = tmp_path / "odd.graphml"
    path.write_text(f'{XML}<node id="²"/><node id="x y"/></graph></graphml>', encoding="utf-8")
    net = read_network(path)
    assert net.node("²") == 0
    assert net.node("x y") == 1


def test_unknown_ending_for_writing(tmp_path):
    with pytest.raises(ArgumentError, match="unknown ending"):
        write_network(GRAPHS["duplex"], tmp_path / "graph.xyz")
