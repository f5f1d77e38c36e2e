"""OpenSM on a simulated fabric takes both hand-overs, and ibdmchk finds no credit loop."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from real_programs import needs

from hopscape.core.errors import ArgumentError, FileFormatError
from hopscape.core.network import Network
from hopscape.formats.infiniband import write_opensm, write_subnets
from hopscape.formats.opensm_check import (
    Netlist,
    check_opensm,
    compare_tables,
    read_lids,
    read_tables,
    trace,
)
from hopscape.metrics.routes import all_routes
from hopscape.registry import build

SEVEN = {
    "circulant(64, 1, 14)": 2,
    "rpc(8)": 8,
    "folded(heawood, 2)": 6,
    "torus(4, 4, 4)": 4,
    "distributed_switch(13, 4, 1)": 1,
    "fat_tree(4)": 1,
    "slim_fly(5, p=3)": 2,
}


def _written(spec: str, folder: Path) -> Path:
    write_opensm(all_routes(build(spec)), folder / "opensm")
    return folder


class TestReal:
    """With the programs."""

    pytestmark = needs("opensm")

    @pytest.mark.parametrize("spec", SEVEN)
    def test_the_seven_networks(self, spec: str, tmp_path: Path) -> None:
        found = check_opensm(_written(spec, tmp_path), pairs=6)
        assert found, found.reason
        net = build(spec)
        pairs = net.endpoint_count * (net.endpoint_count - 1)
        assert found.details["one_lane"]["pairs"] == pairs
        levels = found.details.get("service_levels", {"levels": 1})
        assert levels["levels"] <= SEVEN[spec]

    def test_planes(self, tmp_path: Path) -> None:
        write_subnets(all_routes(build("rail_optimized(2, 4, spines=0)")), tmp_path / "opensm")
        found = check_opensm(tmp_path, pairs=4)
        assert found, found.reason
        assert len(found.details) == 2

    @pytest.mark.parametrize("spec", ["rail_optimized(8, 2)", "hammingmesh(2, 2, 2, 2)"])
    def test_ports_that_differ(self, spec: str, tmp_path: Path) -> None:
        found = check_opensm(_written(spec, tmp_path), pairs=4)
        assert found, found.reason

    @pytest.mark.parametrize("spec", ["ring(5)", "petersen", "complete(2)", "hyperx((2, 2), p=2)"])
    def test_others(self, spec: str, tmp_path: Path) -> None:
        found = check_opensm(_written(spec, tmp_path), pairs=4)
        assert found, found.reason

    def test_shortest_routes_on_one_lane_are_refused(self, tmp_path: Path) -> None:
        """The control: ibdmchk finds the loop that the one-lane tables avoid."""
        top = _written("ring(5)", tmp_path) / "opensm"
        shutil.copy(top / "service-levels" / "routes.lfts", top)
        shutil.rmtree(top / "service-levels")
        found = check_opensm(tmp_path, pairs=4)
        assert not found
        assert "credit loop" in found.reason

    def test_a_table_that_cannot_be_read_is_no_silent_fallback(self, tmp_path: Path) -> None:
        top = _written("path(3)", tmp_path) / "opensm"
        text = (top / "routes.lfts").read_text()
        (top / "routes.lfts").write_text(text.replace("Unicast lids", "Unicast lid", 1))
        found = check_opensm(tmp_path, pairs=0, seconds=60)
        assert not found
        assert re.search("did not take the tables|ends on the way|the file says", found.reason)

    def test_without_no_fallback_the_fallback_is_noticed(self, tmp_path: Path) -> None:
        top = _written("path(3)", tmp_path) / "opensm"
        conf = top / "opensm.conf"
        text = conf.read_text().replace("file,no_fallback", "file")
        conf.write_text(text.replace("lfts_file routes.lfts", "lfts_file nothing.lfts"))
        found = check_opensm(tmp_path, pairs=0, seconds=60)
        assert not found
        assert "did not take the tables" in found.reason

    def test_a_policy_that_promises_other_levels_is_noticed(self, tmp_path: Path) -> None:
        place = _written("ring(5)", tmp_path) / "opensm" / "service-levels"
        policy = place / "qos-policy.conf"
        policy.write_text(policy.read_text().replace("sl: 1", "sl: 0"))
        found = check_opensm(tmp_path, pairs=20)
        assert not found
        assert "saquery answers service level 0" in found.reason

    def test_nothing_is_left_running_when_it_is_killed(self, tmp_path: Path) -> None:
        _written("torus(4, 4)", tmp_path)
        code = "import sys; from pathlib import Path; from hopscape.formats.opensm_check import *\n"
        code += "check_opensm(Path(sys.argv[1]), pairs=100000)"
        process = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)])
        mine = f"hopscape-{process.pid}-"

        def running() -> list[str]:
            lines = []
            for path in Path("/proc").glob("[0-9]*/environ"):
                try:
                    if mine.encode() in path.read_bytes():
                        lines.append((path.parent / "comm").read_text().strip())
                except OSError:
                    continue
            return lines

        for _ in range(600):
            if {"ibsim", "opensm"} <= set(running()):
                break
            time.sleep(0.1)
        else:
            process.kill()
            pytest.fail("OpenSM never ran")
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        for _ in range(100):
            if not running():
                break
            time.sleep(0.1)
        assert running() == []


# -- without the programs ----------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["ring(5)", "petersen", "fat_tree(4)", "slim_fly(3, p=2)"])
def test_the_files_lead_everywhere(spec: str, tmp_path: Path) -> None:
    top = _written(spec, tmp_path) / "opensm"
    netlist, lids = Netlist.read(top / "fabric.net"), read_lids(top / "guid2lid")
    for place in (top, top / "service-levels"):
        if place.is_dir():
            found = trace(netlist, read_tables(place / "routes.lfts"), lids)
            assert found, found.reason


@pytest.mark.parametrize("line", ["event_plugin_name evil", "lfts_file /etc/passwd"])
def test_options_that_no_hand_over_has_are_refused(line: str, tmp_path: Path) -> None:
    """A folder may come from a stranger; OpenSM would load what its configuration names."""
    conf = _written("path(3)", tmp_path) / "opensm" / "opensm.conf"
    conf.write_text(f"{conf.read_text()}{line}\n")
    with pytest.raises(FileFormatError, match="no such option"):
        check_opensm(tmp_path)


def test_a_wrong_entry_is_found(tmp_path: Path) -> None:
    top = _written("ring(5)", tmp_path) / "opensm"
    netlist, lids = Netlist.read(top / "fabric.net"), read_lids(top / "guid2lid")
    tables, right = read_tables(top / "routes.lfts"), read_tables(top / "routes.lfts")
    guid = netlist.guids["S0"]
    lid = lids[netlist.guids["H1"] + 1]
    tables[guid][lid] = netlist.wires["H0", 1][1]  # back to its own host
    assert not compare_tables(right, tables)
    found = trace(netlist, tables, lids)
    assert found.where == {"source": "H0", "target": "H1"}


def test_levels_of_policy_and_path_file_agree(tmp_path: Path) -> None:
    """Match rules read as OpenSM reads them: the first that fits, else the default."""
    place = _written("torus(4, 4)", tmp_path) / "opensm" / "service-levels"
    text = (place / "qos-policy.conf").read_text()
    groups = {}
    for name, body in re.findall(r"name: (\S+)\n((?:\s+port-guid: \S+\n)+)", text):
        groups[name] = set(re.findall(r"0x[0-9a-f]+", body))
    rules = re.findall(r"source: (\S+)\n\s+destination: (\S+)\n\s+qos-level-name: level-(\d)", text)
    lids = {lid: f"{guid:#018x}" for guid, lid in read_lids(tmp_path / "opensm/guid2lid").items()}
    levels = {}
    for line in (place / "path-sl.txt").read_text().splitlines():
        node, lid, level = line.split()
        source, target = f"{int(node, 16) + 1:#018x}", lids[int(lid)]
        fit = [int(sl) for a, b, sl in rules if source in groups[a] and target in groups[b]]
        assert fit in ([], [int(level)])
        assert bool(fit) == (int(level) > 0)
        levels[source, target] = int(level)
    assert len(levels) == 16 * 15
    assert all(levels[a, b] == levels[b, a] for a, b in levels)


def test_what_infiniband_cannot_hold_is_refused_with_the_number(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="254 ports; switches have up to 253"):
        write_opensm(all_routes(build("complete(255)")), tmp_path)
    with pytest.raises(ArgumentError, match="simplex"):
        write_opensm(all_routes(build("kautz(2, 2)")), tmp_path)
    star = Network.from_links(2, [0], [1], spec="no ends", switches=np.arange(2))
    with pytest.raises(ArgumentError, match="no endpoints"):
        write_opensm(all_routes(star), tmp_path)


PLANES = {  # adapters' ports by plane, pairs of endpoints that share one
    "rail_optimized(4, 3)": [12],
    "rail_optimized(2, 4, spines=0)": [4, 4],
    "planes(concentrated(complete(3), 2), 2)": [6, 6],
    "bcube(3, 1)": [3] * 6,
}


@pytest.mark.parametrize("spec", PLANES)
def test_no_route_passes_through_an_adapter(spec: str, tmp_path: Path) -> None:
    """Every plane is a subnet: its hosts meet over switches, by ports of the machine."""
    net = build(spec)
    written = write_subnets(all_routes(net), tmp_path)
    assert [len(one.hosts) for one, _ in written] == PLANES[spec]
    inner = set(net.family.inner_switches())
    guids: Counter[int] = Counter()
    for one, _ in written:
        top = tmp_path / f"plane-{one.plane}"
        lists, tables = Netlist.read(top / "fabric.net"), read_tables(top / "routes.lfts")
        lids = read_lids(top / "guid2lid")
        guids.update(guid for guid in lids if guid >= 0x200000)
        assert trace(lists, tables, lids)
        assert len(lists.switches) == len(tables)
        for (name, port), (far, back) in lists.wires.items():
            if name.startswith("S"):
                v = int(name[1:])
                assert v not in inner
                channel = int(net.channel_at(np.array([v]), np.array([port - 1]))[0])
                assert int(net.heads[channel]) == int(far[1:].split("_")[0])
                if far.startswith("S"):
                    assert back == int(net.port_of(net.reverse[[channel]])[0]) + 1
    assert set(guids.values()) == {1}  # every port of an adapter has a GUID of its own


def test_an_adapter_with_two_ports_in_one_subnet(tmp_path: Path) -> None:
    """Dual-homed hosts: both ports are hosts of the subnet, with names and GUIDs of their own."""
    tails = [2, 2, 3, 3, 4, 4, 0]
    net = Network.from_links(5, tails, [0, 1, 0, 1, 0, 1, 1], spec="dual", switches=[0, 1])
    assert len(write_subnets(all_routes(net), tmp_path)) == 1
    lists = Netlist.read(tmp_path / "plane-1" / "fabric.net")
    assert sorted(lists.hosts) == ["H2_1", "H2_2", "H3_1", "H3_2", "H4_1", "H4_2"]
    assert len(set(lists.guids.values())) == 8
    lids = read_lids(tmp_path / "plane-1" / "guid2lid")
    assert trace(lists, read_tables(tmp_path / "plane-1" / "routes.lfts"), lids)


def test_routes_that_are_not_shortest_are_not_called_so(tmp_path: Path) -> None:
    """Local, global, local: two global links would be shorter for some pairs of a dragonfly."""
    for spec, word in (("dragonfly(2, 2, p=1)", "family's"), ("circulant(10, 1, 3)", "shortest")):
        words = write_opensm(all_routes(build(spec)), tmp_path / spec).words()
        other = {"family's", "shortest"} - {word}
        assert word in words
        assert not [one for one in other if one in words]
