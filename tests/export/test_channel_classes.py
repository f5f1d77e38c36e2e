"""Capacity, delay and length of channels in files for other software."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest
from typer.testing import CliRunner

from hopscape.cli.app import app
from hopscape.core.channels import ChannelClass
from hopscape.core.network import Network
from hopscape.export.simgrid import write_simgrid
from hopscape.export.sst import write_sst
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
