"""Capacity, delay and length of channels in files for other software."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest
from typer.testing import CliRunner

import hopscape
from hopscape.cli.app import app
from hopscape.core.channels import ChannelClass
from hopscape.core.network import Network
from hopscape.design.handover import hand_over
from hopscape.formats.graphs.files import write_network
from hopscape.formats.programs import read_back
from hopscape.formats.simgrid import write_simgrid
from hopscape.formats.sst import write_sst
from hopscape.metrics.routes import all_routes

KINDS = [ChannelClass("slow", 1, delay=3, length=0.5), ChannelClass("fast", 4), ChannelClass("x")]


def _ring() -> Network:
    """Four switches in a ring of links of three kinds, each with an endpoint."""
    tails, heads = [0, 1, 2, 3, 0, 1, 2, 3], [1, 2, 3, 0, 4, 5, 6, 7]
    kinds = [0, 1, 2, 0, 1, 1, 1, 1]
    return Network.from_links(8, tails, heads, switches=range(4), classes=KINDS, kinds=kinds)


def test_simgrid_links_are_as_fast_and_as_far_as_their_channels(tmp_path: Path) -> None:
    net = _ring()
    write_simgrid(all_routes(net), tmp_path / "x.xml", bandwidth=10, latency=0.5)
    links = [one.attrib for one in ElementTree.parse(tmp_path / "x.xml").iter("link")]
    kinds = [KINDS[k] for k in net.class_of(np.arange(net.channels)).tolist()]
    assert [link["bandwidth"] for link in links] == [f"{10 * kind.speed}Bps" for kind in kinds]
    expected = ["1.5s" if kind.delay == 3 else "0.5s" for kind in kinds]
    assert [link["latency"] for link in links] == expected
    assert set(expected) == {"1.5s", "0.5s"}


def test_sst_links_say_what_is_known_of_them(tmp_path: Path) -> None:
    graph = nx.read_graphml(write_sst(_ring(), tmp_path / "x.graphml"), force_multigraph=True)
    told = {
        tuple(sorted((int(u), int(v)))): {k: x for k, x in data.items() if k != "id"}
        for u, v, data in graph.edges(data=True)
    }
    slow = {"capacity": 1, "delay": 3, "length": 0.5}
    assert told == {(0, 1): slow, (1, 2): {"capacity": 4}, (2, 3): {"capacity": 1}, (0, 3): slow}


@pytest.mark.parametrize("what", ["capacity", "delay", "length"])
def test_routers_in_verilog_say_that_their_links_are_alike(tmp_path: Path, what: str) -> None:
    (tmp_path / "ring.csv").write_text(f"source,target,{what}\n0,1,2\n1,2,3\n2,0,2\n")
    target = str(tmp_path / "x.v")
    spec = f"file('{tmp_path / 'ring.csv'}')"
    options = ["--to", "verilog", "--with-router", "-o", target, "--format", "json"]
    said = CliRunner().invoke(app, ["emit", spec, *options])
    assert said.exit_code == 0, said.output
    assert f"links are wires, all alike; the {what} of the channels is left aside" in said.output
    plain = CliRunner().invoke(app, ["emit", "ring(3)", *options])
    assert "left aside" not in plain.output


def test_a_column_of_graphml_has_one_type(tmp_path: Path) -> None:
    """Whole and broken capacities: igraph refuses a file that declares an attribute twice."""
    import igraph

    (tmp_path / "x.csv").write_text("source,target,capacity\n0,1,2\n1,2,1.5\n2,0,1\n")
    net = hopscape.build(f"file('{tmp_path / 'x.csv'}')")
    graph = igraph.Graph.Read_GraphML(str(write_sst(net, tmp_path / "sst.graphml")))
    assert sorted(graph.es["capacity"]) == [1, 1.5, 2]
    write_network(net, tmp_path / "net.graphml")
    again = igraph.Graph.Read_GraphML(str(tmp_path / "net.graphml"))
    assert sorted(again.es["capacity"]) == [1, 1.5, 2]


def test_links_of_which_little_is_known_are_handed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list of links cannot say them; the other files do, and agree."""
    monkeypatch.chdir(tmp_path)
    graph = nx.Graph([(0, 1, {"delay": 3}), (1, 2, {"capacity": 2}), (2, 0)])
    nx.write_graphml(graph, tmp_path / "x.graphml")
    net = hopscape.build(f"file('{tmp_path / 'x.graphml'}')")
    told = hand_over(net, tmp_path / "out")
    assert any(line.startswith("(no network.edges)") for line in told)
    assert read_back(tmp_path / "out").links == 3
