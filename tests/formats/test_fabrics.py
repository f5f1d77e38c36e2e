"""Listings of fabrics as graph files: ibsim's netlist, ibnetdiscover, iblinkinfo."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fabric_listings import list_fabric
from real_programs import needs

import hopscape
from commands import ask, refused
from hopscape.core.errors import FileFormatError
from hopscape.core.network import Network
from hopscape.formats import write_infiniband
from hopscape.formats.graphs import read_network
from hopscape.formats.graphs.fabrics import Plug, read_fabric
from hopscape.formats.infiniband import write_subnets
from hopscape.metrics.routes import all_routes

TOPOLOGY = """\
#
# Topology file: generated on Thu Nov 19 17:01:09 2026
#
# Initiated from node 0002c9030000abcd port 0002c9030000abce

vendid=0x2c9
devid=0xc738
sysimgguid=0x2c9030000aa00
switchguid=0x2c9030000aa00(2c9030000aa00)
Switch\t36 "S-0002c9030000aa00"\t\t# "MF0;leaf-1:SX6036/U1" enhanced port 0 lid 3 lmc 0
[1]\t"H-0002c9030000abcd"[1](2c9030000abce) \t\t# "node-1 HCA-1" lid 1 4xFDR
[2]\t"H-0002c9030000dcba"[1](2c9030000dcbb) \t\t# "node-2 HCA-1" lid 2 4xFDR
[36]\t"S-0002c9030000bb00"[1]\t\t# "MF0;spine:SX6036/U1" lid 4 4xFDR

vendid=0x2c9
switchguid=0x2c9030000bb00(2c9030000bb00)
Switch\t36 "S-0002c9030000bb00"\t\t# "MF0;spine:SX6036/U1" enhanced port 0 lid 4 lmc 0
[1]\t"S-0002c9030000aa00"[36]\t\t# "MF0;leaf-1:SX6036/U1" lid 3 4xFDR
[2]\t"H-0002c9030000abcd"[2](2c9030000abcf) \t\t# "node-1 HCA-1" lid 5 4xFDR

vendid=0x2c9
caguid=0x2c9030000abcd
Ca\t2 "H-0002c9030000abcd"\t\t# "node-1 HCA-1"
[1](2c9030000abce) \t"S-0002c9030000aa00"[1]\t\t# lid 1 lmc 0 "MF0;leaf-1:SX6036/U1" lid 3 4xFDR
[2](2c9030000abcf) \t"S-0002c9030000bb00"[2]\t\t# lid 5 lmc 0 "MF0;spine:SX6036/U1" lid 4 4xFDR

caguid=0x2c9030000dcba
Ca\t1 "H-0002c9030000dcba"\t\t# "node-2 HCA-1"
[1](2c9030000dcbb) \t"S-0002c9030000aa00"[2]\t\t# lid 2 lmc 0 "MF0;leaf-1:SX6036/U1" lid 3 4xFDR
"""
_UP = "==( 4X          14.0625 Gbps Active/  LinkUp)==>"
LINKS = f"""\
Switch: 0x0002c9030000aa00 MF0;leaf-1:SX6036/U1:
           3    1[  ] {_UP}       1    1[  ] "node-1 HCA-1" ( )
           3    2[  ] {_UP}       2    1[  ] "node-2 HCA-1" ( )
           3    3[  ] ==(                Down/ Polling)==>             [  ] "" ( )
           3   36[  ] {_UP}       4    1[  ] "MF0;spine:SX6036/U1" ( )
Switch: 0x0002c9030000bb00 MF0;spine:SX6036/U1:
           4    1[  ] {_UP}       3   36[  ] "MF0;leaf-1:SX6036/U1" ( )
           4    2[  ] {_UP}       5    2[  ] "node-1 HCA-1" (Could be 56)
CA: node-1 HCA-1:
      0x0002c9030000abce      1    1[  ] {_UP}       3    1[  ] "MF0;leaf-1:SX6036/U1" ( )
      0x0002c9030000abcf      5    2[  ] {_UP}       4    2[  ] "MF0;spine:SX6036/U1" ( )
CA: node-2 HCA-1:
      0x0002c9030000dcbb      2    1[  ] {_UP}       3    2[  ] "MF0;leaf-1:SX6036/U1" ( )
"""


@pytest.mark.parametrize(("ending", "text"), [("ibnetdiscover", TOPOLOGY), ("iblinkinfo", LINKS)])
def test_a_fabric_of_others(ending: str, text: str, tmp_path: Path) -> None:
    leaf, spine, one, two = (
        *("MF0;leaf-1:SX6036/U1", "MF0;spine:SX6036/U1"),
        *("node-1 HCA-1", "node-2 HCA-1"),
    )
    path = tmp_path / f"f.{ending}"
    path.write_text(text)
    fabric = read_fabric(path)
    assert fabric.cables() == {
        frozenset({Plug(leaf, 1), Plug(one, 1)}),
        frozenset({Plug(leaf, 2), Plug(two, 1)}),
        frozenset({Plug(leaf, 36), Plug(spine, 1)}),
        frozenset({Plug(spine, 2), Plug(one, 2)}),
    }
    assert fabric.guids[leaf] == 0x2C9030000AA00
    for file in (path, tmp_path / "f.txt"):
        file.write_text(text)
        net = hopscape.build(str(file))
        names = [net.addresses.text(v) for v in range(net.order)]
        assert sorted(names[v] for v in net.endpoints.tolist()) == [one, two]
        assert sorted(names[v] for v in net.neighbours(names.index(leaf))) == sorted(
            [one, two, spine]
        )


def test_old_lists_have_switches_only(tmp_path: Path) -> None:
    (tmp_path / "f.iblinkinfo").write_text(
        LINKS[: LINKS.index("CA:")].replace(" 5    2", " 1    2")
    )
    net = hopscape.build(str(tmp_path / "f.iblinkinfo"))
    assert (net.order, net.links, net.endpoint_count) == (4, 4, 2)


def test_equal_names_have_their_guid_beside(tmp_path: Path) -> None:
    (tmp_path / "f.ibnetdiscover").write_text(TOPOLOGY.replace("node-2", "node-1"))
    names = set(read_fabric(tmp_path / "f.ibnetdiscover").switches)
    assert {"node-1 HCA-1 0x2c9030000abcd", "node-1 HCA-1 0x2c9030000dcba"} < names


def _same(a: Network, b: Network) -> bool:
    pairs = [np.sort(net.tails.astype(np.int64) * net.order + net.heads) for net in (a, b)]
    ends = [set(net.endpoints.tolist()) for net in (a, b)]
    return a.order == b.order and np.array_equal(*pairs) and ends[0] == ends[1]


@pytest.mark.parametrize("spec", ["torus(3, 4)", "fat_tree(4)", "petersen", "trunked(ring(5), 2)"])
def test_our_netlist_is_our_network(spec: str, tmp_path: Path) -> None:
    net = hopscape.build(spec)
    write_infiniband(all_routes(net), tmp_path)
    assert _same(net, read_network(tmp_path / "fabric.net"))
    shown = ask("show", str(tmp_path / "fabric.net"))
    assert shown["diameter"] == ask("show", spec)["diameter"]


def test_a_plane_has_its_own_names(tmp_path: Path) -> None:
    write_subnets(all_routes(hopscape.build("rail_optimized(2, 4, spines=0)")), tmp_path)
    net = read_network(tmp_path / "plane-2" / "fabric.net")
    subnet = write_subnets(all_routes(hopscape.build("rail_optimized(2, 4, spines=0)")), tmp_path)
    labels = {str(x) for x in subnet[1][0].labels.tolist()}
    assert {net.addresses.text(v) for v in range(net.order)} == labels


WRONG = {
    "nothing.net": ("# a remark\n", "it lists no fabric"),
    "pajek.net": ("*Vertices 3\n1 a\n", "line 1: this is not a line of a netlist"),
    "port.net": ('Switch 3 "S0"\n[0]\t"S0"[1]\n', "line 2: a port is 0; it must be from 1 to 255"),
    "wide.net": ('Switch 3 "S0"\n[1]\t"S0"[1000]\n', "line 2: a port is 1000"),
    "far.net": ('Switch 3 "S0"\n[1]\t"S7"[1]\n', "line 2: a cable leads to 'S7', which is not"),
    "first.net": ('[1]\t"S7"[1]\n', "line 1: a wire stands before any node"),
    "twice.net": ('Switch 3 "S0"\nSwitch 3 "S0"\n', "line 2: 'S0' is listed twice"),
    "other.net": (
        'Switch 3 "S0"\n[1]\t"S1"[1]\n[2]\t"S1"[1]\nSwitch 3 "S1"\n',
        "line 3: port 1 of S1 leads to port 2 of S0, and elsewhere to port 1 of S0",
    ),
    "a.iblinkinfo": (LINKS.splitlines()[1], "line 1: a port stands before any node"),
    "b.iblinkinfo": (LINKS + "what?\n", "line 14: this is not a line of iblinkinfo"),
    "c.iblinkinfo": (
        LINKS.replace("node-2", "node-1").replace(" 2    1[", " 1    1["),
        "two nodes are called 'node-1 HCA-1' and have LID 1",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_ones_are_refused(name: str, tmp_path: Path) -> None:
    text, complaint = WRONG[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(FileFormatError) as told:
        read_network(tmp_path / name)
    assert complaint in str(told.value)
    assert complaint.partition("'")[0] in refused("show", str(tmp_path / name))


class TestReal:
    """As the programs print it."""

    pytestmark = needs("opensm")

    @pytest.mark.parametrize("spec", ["torus(3, 3)", "fat_tree(4)", "trunked(ring(3), 2)"])
    def test_read_as_the_network(self, spec: str, tmp_path: Path) -> None:
        net = hopscape.build(spec)
        write_infiniband(all_routes(net), tmp_path)
        planned = read_fabric(tmp_path / "fabric.net")
        for path in list_fabric(tmp_path / "fabric.net", tmp_path):
            assert _same(net, hopscape.build(str(path))), path
            assert read_fabric(path).cables() == planned.cables()
            assert read_fabric(path).switches == planned.switches

    def test_a_swap_is_seen(self, tmp_path: Path) -> None:
        """Two cables of a torus exchange ends; both programs' output says so in one finding."""
        net = hopscape.build("torus(3, 3)")
        write_infiniband(all_routes(net), tmp_path)
        text = (tmp_path / "fabric.net").read_text()
        for a, b in (('[1]\t"S3"[2]', '[1]\t"S4"[2]'), ('[2]\t"S0"[1]', '[2]\t"S1"[1]')):
            assert text.count(a) == text.count(b) == 1
            text = text.replace(a, "first").replace(b, a).replace("first", b)
        (tmp_path / "fabric.net").write_text(text)
        for path in list_fabric(tmp_path / "fabric.net", tmp_path):
            record = ask("compare-fabric", "torus(3, 3)", str(path), code=1)
            assert [x["finding"] for x in record["findings"]] == ["swapped"], path
            [one] = record["findings"]
            ends = {(c[e]["node"], c[e]["port"]) for c in one["built"] for e in ("from", "to")}
            assert ends == {(0, 1), (3, 2), (1, 1), (4, 2)}
