"""Fabrics with dead parts handed over: old numbers, plans around what is dead, honest refusals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from real_programs import needs

from commands import ask, refused, shown
from hopscape.core.errors import FileFormatError
from hopscape.core.faults import Faults
from hopscape.core.schedule import Schedule
from hopscape.core.verify import verify
from hopscape.design.broken import hand_over_broken
from hopscape.design.handover import hand_over
from hopscape.formats.check import check_folder
from hopscape.formats.infiniband import write_rest, write_subnets
from hopscape.formats.opensm_check import Netlist, check_opensm, read_lids, read_tables, trace
from hopscape.formats.programs import read_back
from hopscape.formats.tables import read_cables, read_faults, read_routing_table
from hopscape.metrics.routes import all_routes
from hopscape.registry import build


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A ladder of a torus whole, and with a dead node and a dead link."""
    top = tmp_path_factory.mktemp("broken")
    hand_over("torus(2, 4)", top / "whole")
    net = build("torus(2, 4)")
    hand_over_broken(net, Faults.of(net, [3], [(0, 4)]), top / "rest")
    return top / "whole", top / "rest"


def test_names_and_numbers_stay(folders: tuple[Path, Path]) -> None:
    whole, rest = folders
    assert read_faults(rest / "cables.csv") == Faults.of(build("torus(2, 4)"), [3], [(0, 4)])
    for name in ("guid2lid", "fabric.net"):
        before = (whole / "opensm" / name).read_text().splitlines()
        after = (rest / "opensm" / name).read_text().splitlines()
        assert {x for x in after if not x.startswith("#")} < set(before), name
    a, b = ((f / "cables.csv").read_text().splitlines() for f in (whole, rest))
    cables = [line for line in b if line[0].isdigit()]
    assert set(cables) < set(a)
    assert len(cables) == build("torus(2, 4)").links - 3 - 1 - (len(cables) < 8)


def test_routes_lead_round_what_is_dead(folders: tuple[Path, Path]) -> None:
    net, table = read_back(folders[1]), read_routing_table(folders[1] / "routing.csv")
    live = [v for v in range(8) if v != 3]
    assert (table[3] == -1).all()
    assert (table[:, 3] == -1).all()
    for a in live:
        for b in live:
            at, steps = a, 0
            while at != b:
                to = net.neighbours(at)[table[at, b]]
                assert to != 3
                assert {at, to} != {0, 4}
                at, steps = to, steps + 1
                assert steps < 8


def test_changes_are_the_difference(folders: tuple[Path, Path]) -> None:
    whole, rest = (read_tables(folder / "opensm" / "routes.lfts") for folder in folders)
    rows = [
        line.split(",")
        for line in (folders[1] / "opensm" / "changes.csv").read_text().splitlines()
        if line.startswith("S") and "0x" in line
    ]
    told = {(int(guid, 16), int(lid)): (int(was), int(now)) for _, guid, lid, was, now in rows}
    found = {
        (guid, lid): (whole[guid][lid], port)
        for guid, table in rest.items()
        for lid, port in table.items()
        if whole[guid][lid] != port
    }
    assert told == found
    assert told


def test_plans_are_those_of_the_live(folders: tuple[Path, Path]) -> None:
    for name in ("broadcast.json", "all-reduce.json", "all-to-all.json"):
        schedule = Schedule.load(folders[1] / name, build)
        assert verify(schedule)
        dead = Faults.of(schedule.network, [3], [(0, 4)]).channels(schedule.network)
        assert not dead[schedule.channels].any()
        assert schedule.goal.groups == ((0, 1, 2, 4, 5, 6, 7),)
    assert len(list((folders[1] / "chakra").glob("all-gather.*.et"))) == 7
    [checked] = check_folder(folders[1], ["msccl"])
    assert checked.verdict, checked


def test_a_cable_that_is_dead_is_noticed_when_listed(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    cables = tmp_path / "cables.csv"
    text = (folders[1] / "cables.csv").read_text()
    cables.write_text(text.replace("# dead 3", "# dead 2"))
    with pytest.raises(FileFormatError, match="without its dead parts"):
        read_back(tmp_path)
    assert len(read_cables(cables)[1])


def test_planes_lose_a_line_each(tmp_path: Path) -> None:
    """An adapter that loses its line into one plane lives on in the others."""
    net = build("rail_optimized(2, 4, spines=0)")
    routes = all_routes(net)
    end = int(net.endpoints[0])
    subnet = write_subnets(routes, tmp_path / "whole")[0][0]
    leaf = next(v for v in net.neighbours(end) if v in set(subnet.labels.tolist()))
    found = write_rest(routes, Faults.of(net, [], [(end, leaf)]), tmp_path / "rest")
    hosts = [len(left.hosts) for left, _, _ in found]
    assert sorted(hosts) == sorted([len(subnet.hosts) - 1, *hosts[1:]])
    for place in sorted((tmp_path / "rest").glob("plane-*")):
        netlist, lids = Netlist.read(place / "fabric.net"), read_lids(place / "guid2lid")
        assert trace(netlist, read_tables(place / "routes.lfts"), lids)


def test_commands(tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    words = ("handover", "fat_tree(4)", "--dead", "33", "--out", out)
    files = {row["file"]: row["what"] for row in ask(*words)}
    assert "switches change" in files["opensm/"]
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["dead_nodes"] == [33]
    assert "prices" in refused(*words, "--prices", "usual")
    left = refused("handover", "path(5)", "--dead", "2", "--out", out + "2")
    assert "cut off from the others" in left
    assert not Path(out + "2").exists()
    assert "no such link" in refused("handover", "ring(4)", "--dead-link", "0-2", "--out", out)
    [row] = ask("check", out, "--with", "msccl", "--dead", "32")
    assert row["holds"], row
    assert "--changed" in refused("check", out, "--changed", "--dead", "32")


@pytest.mark.parametrize("language", ["python", "c"])
def test_routers_around_dead_parts(language: str, tmp_path: Path) -> None:
    file = tmp_path / f"route.{language}"
    words = ("emit", "torus(3, 3)", "--to", language, "--dead", "4", "--dead-link", "0-1")
    shown(*words, "-o", str(file), "--check")
    assert "Around what is dead: 4, 0-1" in file.read_text()
    assert "--router" in refused(*words, "--router", "table")
    assert "--dead" in refused(
        "emit", "ring(4)", "--to", "verilog", "--with-router", "--dead", "1", "-o", str(file)
    )


class TestReal:
    """With OpenSM, ibsim and ibdmchk."""

    pytestmark = needs("opensm")

    @pytest.mark.parametrize("spec", ["fat_tree(4)", "torus(4, 4)"])
    def test_the_broken_fabric_is_accepted(self, spec: str, tmp_path: Path) -> None:
        net = build(spec)
        switches = np.setdiff1d(np.arange(net.order), net.endpoints)
        last = int(switches[-1]) if len(switches) else net.order - 1
        faults = Faults.of(net, [], [(last, int(net.heads[net.indptr[last]]))])
        write_rest(all_routes(net), faults, tmp_path / "opensm")
        found = check_opensm(tmp_path, pairs=6)
        assert found, found.reason
