"""A planned fabric beside the built one: each mistake is one finding, ends are the list's."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest

from commands import ask, refused, shown
from hopscape.core.faults import Faults
from hopscape.design.broken import hand_over_broken
from hopscape.design.built import Comparison, compare_fabric
from hopscape.design.handover import hand_over
from hopscape.formats.graphs.fabrics import FabricListing, Plug, read_fabric
from hopscape.registry import build


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("planned")
    hand_over("leaf_spine(4, 2, 3)", top / "plan")
    return top / "plan"


def write_fabric(fabric: FabricListing, path: Path) -> Path:
    """A netlist with other cables."""
    lines = []
    for name, switch in fabric.switches.items():
        kind = "Switch" if switch else "Hca"
        lines += ["", f'{kind}\t{fabric.ports[name]} "{name}"']
        lines += [
            f'[{a.port}]\t"{b.node}"[{b.port}]' for a, b in fabric.wires.items() if a.node == name
        ]
    path.write_text("\n".join(lines) + "\n")
    return path


def lay(fabric: FabricListing, old: list[tuple[Plug, Plug]], new: list[tuple[Plug, Plug]]) -> None:
    """Take cables away, then lay others."""
    for a, b in old:
        assert fabric.wires.pop(a) == b
        del fabric.wires[b]
    for a, b in new:
        assert a not in fabric.wires
        assert b not in fabric.wires
        fabric.wires[a], fabric.wires[b] = b, a


def rows_of(folder: Path) -> dict[int, dict[str, str]]:
    lines = [x for x in (folder / "cables.csv").read_text().splitlines() if x[0] != "#"]
    return {int(row["cable"]): row for row in csv.DictReader(lines)}


def test_as_planned(folder: Path) -> None:
    found = compare_fabric(folder, [folder / "opensm" / "fabric.net"])
    assert found
    assert found.laid == found.cables == build("leaf_spine(4, 2, 3)").links
    told = shown("compare-fabric", str(folder), str(folder / "opensm" / "fabric.net"))
    assert f"{found.cables} of {found.cables}" in told


def test_a_swapped_pair_is_one_finding(folder: Path, tmp_path: Path) -> None:
    fabric = read_fabric(folder / "opensm" / "fabric.net")
    (a, b), (c, d) = [x for x in fabric.wires.items() if x[0].node.startswith("H")][:2]
    lay(fabric, [(a, b), (c, d)], [(a, d), (c, b)])
    path = write_fabric(fabric, tmp_path / "built.net")
    for planned in (folder, folder / "cables.csv", "leaf_spine(4, 2, 3)"):
        record = ask("compare-fabric", str(planned), str(path), code=1)
        [finding] = record["findings"]
        assert finding["finding"] == "swapped"
        assert record["as_planned"] == record["cables"] - 2
        assert [record[x] for x in ("swapped", "missing", "extra", "moved")] == [1, 0, 0, 0]
        rows = rows_of(folder)
        for cable in finding["planned"]:
            row = rows[cable["cable"]]
            for end in ("from", "to"):
                for name in ("row", "rack", "slot", "port", "node"):
                    assert str(cable[end][name]) == row[f"{end}_{name}"], (end, name)
        told = {cable[end]["node"] for cable in finding["built"] for end in ("from", "to")}
        assert told == {int(x.node[1:]) for x in (a, b, c, d)}
    text = shown("compare-fabric", str(folder), str(path), code=1)
    assert "swapped" in text
    assert "to 1/1/" in text
    plain = ask("compare-fabric", str(folder / "opensm" / "fabric.net"), str(path), code=1)
    assert plain["findings"][0]["planned"][0]["from"].keys() == {"name", "port"}


def test_missing_extra_and_moved(folder: Path, tmp_path: Path) -> None:
    fabric = read_fabric(folder / "opensm" / "fabric.net")
    cables = [x for x in fabric.wires.items() if x[0].node.startswith("H")]
    (a, b), (c, d), _ = cables[0], cables[3], cables[6]
    free = Plug(b.node, fabric.ports[b.node])
    other = Plug(d.node, fabric.ports[d.node])
    lay(fabric, [(a, b), (c, d)], [(c, other)])
    found = compare_fabric(folder, [write_fabric(fabric, tmp_path / "a.net")])
    assert [x.kind for x in found.findings] == ["missing", "moved"]
    assert found.findings[1].built[0]["to"]["port"] == other.port
    spare = Plug(a.node.replace("H", "S"), 99)
    assert spare not in fabric.wires
    lay(fabric, [], [(a, b)])
    lay(fabric, [(c, other)], [(c, d), (free, other)])
    found = compare_fabric(folder, [write_fabric(fabric, tmp_path / "b.net")])
    assert [x.kind for x in found.findings] == ["extra"]
    assert found.laid == found.cables


def test_a_path_of_several_is_one_finding(folder: Path, tmp_path: Path) -> None:
    """One cable between ends of two planned ones, which are not there."""
    fabric = read_fabric(folder / "opensm" / "fabric.net")
    (a, b), (c, d) = [x for x in fabric.wires.items() if x[0].node.startswith("H")][:2]
    lay(fabric, [(a, b), (c, d)], [(a, d)])
    [one] = compare_fabric(folder, [write_fabric(fabric, tmp_path / "a.net")]).findings
    assert (one.kind, len(one.planned), len(one.built)) == ("displaced", 2, 1)


@pytest.mark.parametrize("seed", range(6))
def test_findings_are_the_difference(folder: Path, tmp_path: Path, seed: int) -> None:
    """Any rewiring: every cable that differs is in one finding, and findings share no port."""
    random_ = random.Random(seed)
    planned = read_fabric(folder / "opensm" / "fabric.net")
    fabric = read_fabric(folder / "opensm" / "fabric.net")
    free = [
        Plug(name, port)
        for name in fabric.switches
        for port in range(1, fabric.ports[name] + 1)
        if Plug(name, port) not in fabric.wires
    ]
    for _ in range(random_.randrange(1, 12)):
        a, b = random_.choice(sorted(fabric.wires.items()))
        c, d = random_.choice(sorted(fabric.wires.items()))
        if random_.random() < 0.3 and free:
            lay(fabric, [(a, b)], [(a, free.pop())])
        elif random_.random() < 0.4:
            lay(fabric, [(a, b)], [])
        elif {a, b} != {c, d}:
            lay(fabric, [(a, b), (c, d)], [(a, d), (c, b)])
    found = compare_fabric(folder, [write_fabric(fabric, tmp_path / "a.net")])
    assert found.laid == len(planned.cables() & fabric.cables())
    for told, cables in (
        ("planned", planned.cables() - fabric.cables()),
        ("built", fabric.cables() - planned.cables()),
    ):
        ends = [
            frozenset((cable["from"]["name"], cable["to"]["name"]))
            for one in found.findings
            for cable in getattr(one, told)
        ]
        assert sorted(map(sorted, ends)) == sorted(sorted({x.node for x in c}) for c in cables)
    ports = [
        {(c[e]["name"], c[e]["port"]) for c in one.planned + one.built for e in ("from", "to")}
        for one in found.findings
    ]
    assert sum(map(len, ports)) == len(set().union(*ports))


def test_names_of_others(folder: Path, tmp_path: Path) -> None:
    text = (folder / "opensm" / "fabric.net").read_text()
    fabric = read_fabric(folder / "opensm" / "fabric.net")
    called = {name: f"rack-{i} unit" for i, name in enumerate(fabric.switches)}
    for name, other in called.items():
        text = text.replace(f'"{name}"', f'"{other}"')
    path = tmp_path / "built.net"
    path.write_text(text)
    assert "--names FILE says which" in refused("compare-fabric", str(folder), str(path))
    names = tmp_path / "names.csv"
    names.write_text("planned,built\n" + "".join(f"{a},{b}\n" for a, b in called.items()))
    assert compare_fabric(folder, [path], names)
    guids = "".join(f"{name},{fabric.guids[name]:#x}\n" for name in fabric.switches)
    names.write_text("planned,built\n" + guids)
    assert compare_fabric(folder, [path], names)
    names.write_text("planned,built\nS1,a\nS1,b\n")
    assert "line 3" in refused("compare-fabric", str(folder), str(path), "--names", str(names))
    names.write_text("a,b\n")
    words = refused("compare-fabric", str(folder), str(path), "--names", str(names))
    assert "it begins with the line 'planned,built'" in words


def test_planes_and_dead_parts(tmp_path: Path) -> None:
    spec = "rail_optimized(2, 4, spines=0)"
    hand_over(spec, tmp_path / "plan")
    nets = sorted((tmp_path / "plan" / "opensm").glob("plane-*/fabric.net"))
    found = compare_fabric(spec, nets)
    assert found
    assert found.cables == 8  # a line of each GPU; NVLink is in no subnet
    told = refused("compare-fabric", spec, str(nets[0]))
    assert f"has {len(nets)} planes" in told
    assert "list the same plane" in refused("compare-fabric", spec, str(nets[0]), str(nets[0]))
    net = build("torus(3, 3)")
    hand_over_broken(net, Faults.of(net, [4], [(0, 1)]), tmp_path / "rest")
    hand_over(net, tmp_path / "whole")
    left = tmp_path / "rest" / "opensm" / "fabric.net"
    assert compare_fabric(tmp_path / "rest", [left])
    missed = compare_fabric(tmp_path / "whole", [left])
    assert [x.kind for x in missed.findings] == ["missing"] * 6  # 4 at node 4, its host, and 0-1
    assert missed.absent == ("H4", "S4")
    assert isinstance(missed, Comparison)


def test_ports_are_those_of_the_machine(tmp_path: Path) -> None:
    """An adapter's line into a plane is named by its port in the cable list."""
    spec = "rail_optimized(2, 4, spines=0)"
    hand_over(spec, tmp_path / "plan")
    nets = sorted((tmp_path / "plan" / "opensm").glob("plane-*/fabric.net"))
    fabric = read_fabric(nets[1])
    a, b = next(x for x in fabric.wires.items() if x[0].node.startswith("H"))
    lay(fabric, [(a, b)], [])
    nets[1] = write_fabric(fabric, tmp_path / "b.net")
    [one] = compare_fabric(tmp_path / "plan", nets).findings
    row = rows_of(tmp_path / "plan")[one.planned[0]["cable"]]
    for end in ("from", "to"):
        assert str(one.planned[0][end]["port"]) == row[f"{end}_port"]
        assert str(one.planned[0][end]["node"]) == row[f"{end}_node"]
