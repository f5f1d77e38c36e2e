"""Folders: written, listed, changed by hand, and checked by the components."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import pytest
from real_programs import needs

from commands import ask, refused
from hopscape.core.errors import ArgumentError, FileFormatError
from hopscape.core.verdict import Verdict
from hopscape.design.handover import hand_over
from hopscape.design.schedules import write_schedules
from hopscape.formats.astra_check import check_astra
from hopscape.formats.booksim import native_topology, write_booksim
from hopscape.formats.booksim_check import check_booksim
from hopscape.formats.check import CheckSettings, check_folder
from hopscape.formats.mpi_check import check_mpi
from hopscape.formats.programs import SCHEDULES, ProgramError, changed_files, read_back, run_program
from hopscape.formats.simgrid_check import between, check_simgrid, judged
from hopscape.formats.tables import read_routing_table
from hopscape.formats.verilog_check import check_verilog
from hopscape.registry import build
from hopscape.simulate.settings import Settings

Folders = Callable[[str], Path]


def test_one_numbering_of_ports(folders: Folders) -> None:
    """Cables, routing table, GraphML, SimGrid and schedules name the same port of every link."""
    folder = folders("torus(3, 4)")
    net = build("torus(3, 4)")
    table = read_routing_table(folder / "routing.csv") + 1
    graph = nx.read_graphml(folder / "network.graphml", force_multigraph=True)
    for a, b, data in graph.edges(data=True):
        assert net.neighbours(int(a))[data["port"] - 1] == int(b)
        assert net.neighbours(int(b))[data["back_port"] - 1] == int(a)
    plan = json.loads((folder / "all-gather.json").read_text())["transfers"]
    for a, b, ports in zip(plan["source"], plan["target"], plan["ports"], strict=True):
        assert net.neighbours(a)[ports[0] - 1] == b
    root = ElementTree.parse(folder / "simgrid" / "platform.xml").getroot()
    for route in root.iter("route"):
        a, b = int(route.attrib["src"][1:]), int(route.attrib["dst"][1:])
        assert route[0].attrib["id"] == f"n{a}p{table[a, b]}"
    assert "ports from 1" in (folder / "README.md").read_text()
    assert "ports from 1" in (folder / "opensm" / "routes.lfts").read_text().splitlines()[0]


@pytest.mark.parametrize(
    "spec", ["kautz(2, 3)", "fat_tree(4)", "multiring(12, 1, 5)", "complete(1)"]
)
def test_any_network(spec: str, tmp_path: Path) -> None:
    told = hand_over(spec, tmp_path)
    assert read_back(tmp_path).spec == build(spec).spec
    assert changed_files(tmp_path) == []
    assert any(line.startswith(("opensm/", "(no opensm/)")) for line in told)


def test_a_second_hand_over_leaves_nothing_of_the_first(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("kept")
    hand_over("ring(5)", tmp_path)
    assert (tmp_path / "opensm" / "service-levels").is_dir()
    hand_over("path(3)", tmp_path)
    assert not (tmp_path / "opensm" / "service-levels").exists()
    assert (tmp_path / "mine.txt").read_text() == "kept"
    assert changed_files(tmp_path) == []


def test_a_file_changed_by_hand_is_named(tmp_path: Path) -> None:
    hand_over("ring(5)", tmp_path)
    place = tmp_path / "opensm" / "routes.lfts"
    place.write_text(place.read_text() + "\n")
    with pytest.raises(FileFormatError, match=r"opensm/routes\.lfts was changed"):
        check_folder(tmp_path, ["msccl"])
    assert check_folder(tmp_path, ["msccl"], CheckSettings(changed=True))[0].verdict
    place.unlink()
    with pytest.raises(FileFormatError, match=r"opensm/routes\.lfts is missing"):
        check_folder(tmp_path)


def test_what_cannot_be_checked_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileFormatError, match="is not a hand-over"):
        check_folder(tmp_path)
    hand_over("path(2)", tmp_path)
    with pytest.raises(ArgumentError, match="'gem5' is unknown"):
        check_folder(tmp_path, ["gem5"])
    monkeypatch.setenv("PATH", "")
    assert "Debian: opensm ibsim-utils" in refused("check", str(tmp_path), "--with", "opensm")
    rows = {row["component"]: row for row in ask("check", str(tmp_path), "--with", "all")}
    assert rows["opensm"]["holds"] is None
    assert "ibutils" in rows["opensm"]["reason"]
    assert rows["msccl"]["holds"] is True


def _fake(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.write_text(f"#!{sys.executable}\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_a_program_that_fails_is_heard(
    folders: Folders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fake(tmp_path, "booksim", "print('cannot allocate a router'); raise SystemExit(7)")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    found = check_folder(folders("torus(3, 4)"), ["booksim"])[0].verdict
    assert found is not None
    assert not found
    assert "cannot allocate a router" in found.reason
    with pytest.raises(ProgramError, match=r"exit code 7; its last words: cannot allocate"):
        run_program(["booksim"], tmp_path, seconds=60)
    _fake(tmp_path, "booksim", "import time; print('busy', flush=True); time.sleep(600)")
    with pytest.raises(ProgramError, match=r"was ended after 1 s; its last words: busy"):
        run_program(["booksim"], tmp_path, seconds=1)


class TestVerilog:
    """With Icarus Verilog."""

    pytestmark = needs("iverilog")

    def test_ports_are_the_routers(self, tmp_path: Path) -> None:
        hand_over("torus(3, 4)", tmp_path)
        assert check_verilog(tmp_path)
        path = tmp_path / "verilog" / "router.v"
        assert "port p + 1" in path.read_text()


class TestProof:
    """With Yosys and z3."""

    pytestmark = needs("yosys")

    def test_ports_are_proved(self, tmp_path: Path) -> None:
        hand_over("torus(3, 4)", tmp_path)
        found = check_folder(tmp_path, ["yosys"])[0].verdict
        assert found is not None
        assert found.reason == "proved: all 144 pairs take the router's port"
        path = tmp_path / "verilog" / "router.v"
        path.write_text(path.read_text().replace("arrived = chosen < 0", "arrived = 1'b0"))
        found = check_folder(tmp_path, ["yosys"], CheckSettings(changed=True))[0].verdict
        assert found is not None
        assert "does not say that it has arrived" in found.reason


class TestSwitched:
    """Schedules through switches, which only forward, on MPI ranks that are endpoints."""

    pytestmark = needs("mpi")

    def test_endpoints_alone_are_ranks(self, folders: Folders) -> None:
        found = check_mpi(folders("leaf_spine(3, 2, 2)"))
        assert found, found.reason
        assert set(found.details) == set(SCHEDULES)
        assert all(one["ranks"] == 6 for one in found.details.values())


class TestSimGrid:
    """With SimGrid."""

    pytestmark = needs("simgrid")

    @pytest.mark.parametrize("spec", ["torus(3, 4)", "fat_tree(4)", "path(2)"])
    def test_routes_and_times(self, spec: str, folders: Folders) -> None:
        found = check_simgrid(folders(spec), pairs=12)
        assert found, found.reason
        assert found.details["all_to_all_seconds"] >= 0.999 * found.details["all_to_all_least"]
        ours = found.details["schedules_ours"]
        assert set(found.details["schedules"]) == set(ours) != set()
        for name, seconds in found.details["schedules"].items():
            assert seconds == pytest.approx(ours[name], rel=0.01)

    def test_another_route_is_noticed(self, tmp_path: Path) -> None:
        hand_over("ring(5)", tmp_path)
        path = tmp_path / "simgrid" / "platform.xml"
        text = path.read_text()
        old = '<route src="n0" dst="n1" symmetrical="NO"><link_ctn id="n0p1"/>'
        assert old in text
        new = old.replace("n0p1", "n0p2")
        path.write_text(text.replace(old, new))
        found = check_simgrid(tmp_path, pairs=0)
        assert found.where["source"] == "n0"


class TestAstra:
    """With ASTRA-sim."""

    pytestmark = needs("astra")

    @pytest.mark.parametrize("spec", ["ring(5)", "ring(8)", "complete(6)", "xgft([8], [1])"])
    def test_schedules_take_what_they_take_here(self, spec: str, tmp_path: Path) -> None:
        hand_over(spec, tmp_path)
        found = check_astra(tmp_path)
        assert found, found.reason
        assert len(found.details["nanoseconds"]) == 4

    def test_another_time_is_noticed(self, tmp_path: Path) -> None:
        hand_over("ring(5)", tmp_path)
        path = tmp_path / "astra" / "times.json"
        said = json.loads(path.read_text())
        said["nanoseconds"]["all-gather"] *= 1.01
        path.write_text(json.dumps(said))
        assert check_astra(tmp_path).where["schedule"] == "all-gather"


def test_the_price_of_rounds_by_hand() -> None:
    """Two messages share link x in the first round; the longest way counts, not the busiest."""
    links = {"x": (1e6, 1.0), "y": (2e6, 2.0), "z": (1e6, 4.0)}
    paths = [("x",), ("x", "y"), ("z", "y")]
    assert between(paths, [[0, 1], [2]], links) == (2 + 1, 2 + 1 + 3 + 6)
    found = Verdict(True, "routes", {}, {})
    bounds = {"a": (3.0, 12.0), "b": (1.0, 1.0)}
    assert judged({"a": 12.0, "b": 1.0}, bounds, found)
    assert judged({"a": 2.9, "b": 1.0}, bounds, found).where["schedule"] == "a"
    assert judged({"a": 12.0, "b": 1.06}, bounds, found).where["schedule"] == "b"


class TestBookSim:
    """With BookSim."""

    pytestmark = needs("booksim")

    @pytest.mark.parametrize("spec", ["torus(3, 3)", "petersen", "dragonfly(2, 1, p=1)"])
    def test_it_runs_by_routes_of_the_right_length(self, spec: str, tmp_path: Path) -> None:
        hand_over(spec, tmp_path)
        found = check_booksim(tmp_path)
        assert found, found.reason


@pytest.mark.parametrize(
    ("spec", "topology"),
    [
        *(("torus(4, 4, 4)", "torus"), ("mesh(3, 3)", "mesh"), ("hypercube(4)", "mesh")),
        *(("dragonfly(4, 2, p=2)", "dragonflynew"), ("hyperx((3, 3), p=4)", "flatfly")),
        *(("torus(3, 4)", None), ("petersen", None), ("complete(1)", None)),
    ],
)
def test_topologies_that_booksim_has(spec: str, topology: str | None) -> None:
    found = native_topology(build(spec))
    assert (found or {}).get("topology") == topology


def test_booksim_configurations_say_whether_they_can_deadlock(tmp_path: Path) -> None:
    for spec, words in (("rpc(2)", "CAN deadlock"), ("fat_tree(4)", "cannot deadlock")):
        said = write_booksim(build(spec), Settings(), tmp_path / "x.cfg").routes
        assert words in said
        head = " ".join(
            x[3:] for x in (tmp_path / "x.cfg").read_text().splitlines() if x[:2] == "//"
        )
        assert said in head
        assert "without deadlock avoidance" in head


def test_the_commands(tmp_path: Path) -> None:
    out = tmp_path / "f"
    names = {row["file"] for row in ask("handover", "ring(4)", "--out", str(out))}
    assert {
        "cables.csv",
        "opensm/",
        "msccl/*.xml",
        "msccl/*.json",
        "simgrid/",
        "all-reduce.json",
    } <= names
    assert ask("check", str(out), "--with", "msccl")[0]["holds"] is True
    (tmp_path / "file").write_text("")
    refused("handover", "ring(4)", "--out", str(tmp_path / "file"))
    refused("check", str(out), "--with", ",")
    refused("check", str(out), "--time-limit", "0")
    refused("run-mpi", str(out / "summary.json"))
    refused("handover", "ring(4)", "--out", str(out), "--floor", "1x1x2")


def test_every_file_with_ports_says_how_they_count(folders: Folders) -> None:
    top = folders("rpc(2)")
    for name in (
        *("README.md", "cables.csv", "routing.csv", "network.graphml", "broadcast.json"),
        *("opensm/fabric.net", "opensm/opensm.conf", "opensm/routes.lfts", "simgrid/platform.xml"),
        *("opensm/service-levels/opensm.conf", "opensm/service-levels/qos-policy.conf"),
    ):
        words = (top / name).read_text(encoding="utf-8")
        assert re.search("Nodes count from 0, ports( and rounds)? from 1", words), name
    assert "ports count from 0" in (top / "verilog/router.v").read_text(encoding="utf-8")


@pytest.mark.slower  # a cache that slower tests fill, else its own work
def test_the_summary_has_figures(folders: Folders) -> None:
    figures = json.loads((folders("rpc(2)") / "summary.json").read_text())["figures"]
    assert (figures["degree"], figures["diameter"], figures["bisection"]) == (4, 6, 10)
    assert figures["mean_distance_exact"] == "232/59"
    assert figures["how"]["channel_load"] == "exact"


@pytest.mark.parametrize("spec", ["torus(4, 4)", "fat_tree(4)", "random_regular(12, 3)"])
def test_the_readme_and_the_files_name_the_same_algorithm(spec: str, tmp_path: Path) -> None:
    told = dict(write_schedules(build(spec), tmp_path))
    names = [name for name in told if name.endswith(".json") and "/" not in name]
    assert len(names) == 6
    for name in names:
        word = json.loads((tmp_path / name).read_text())["name"]
        assert f"by the {word} algorithm" in told[name]


def test_direct_networks_enter_the_contest_too(tmp_path: Path) -> None:
    told = dict(write_schedules(build("torus(4, 4)"), tmp_path))
    assert "4 rounds" in told["all-reduce.json"]  # halving by swings; along trees 8
