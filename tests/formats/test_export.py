"""Files for other software: written, read back, and the same network."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from hopscape.core.errors import ArgumentError, FileFormatError
from hopscape.core.network import Network
from hopscape.design import place
from hopscape.formats import (
    read_cables,
    read_netlist,
    read_routing_table,
    write_cables,
    write_infiniband,
    write_routing_table,
)
from hopscape.metrics.routes import all_routes
from hopscape.registry import build

SPECS = ["torus(3, 4)", "petersen", "mesh(2, 3)", "circulant(9, 1, 2)", "fat_tree(4)"]


def _same(a: Network, b: Network) -> bool:
    pairs = [sorted(zip(x.tails.tolist(), x.heads.tolist(), strict=True)) for x in (a, b)]
    ends = np.array_equal(a.endpoints, b.endpoints)
    return a.order == b.order and a.duplex == b.duplex and pairs[0] == pairs[1] and ends


@pytest.mark.parametrize("spec", [*SPECS, "kautz(2, 3)"])
def test_cables_come_back(spec: str, tmp_path: Path) -> None:
    net = build(spec)
    placed = place(net)
    names = [placed.plan.name(int(p)) for p in placed.places]
    write_cables(net, tmp_path / "cables.csv", names, placed.lengths.tolist())
    again, ports = read_cables(tmp_path / "cables.csv")
    assert _same(net, again)
    assert again.spec == spec
    text = (tmp_path / "cables.csv").read_text().splitlines()
    rows = [line.split(",") for line in text if line[0].isdigit()]
    assert len(rows) == net.links
    for row, (p, q) in zip(rows, ports.tolist(), strict=True):
        u, v = int(row[10]), int(row[11])
        assert net.neighbours(u)[p] == v
        if net.duplex:
            assert net.neighbours(v)[q] == u
        assert names[u] == tuple(map(int, row[1:4]))


def test_a_broken_cable_list_is_refused(tmp_path: Path) -> None:
    bad = tmp_path / "cables.csv"
    bad.write_text("a,b\n1,2\n")
    with pytest.raises(FileFormatError, match="not a cable list"):
        read_cables(bad)
    with pytest.raises(FileFormatError, match="cannot be read"):
        read_cables(tmp_path / "none.csv")


@pytest.mark.parametrize("spec", SPECS)
def test_routing_tables_lead_there(spec: str, tmp_path: Path) -> None:
    net, routes = build(spec), all_routes(build(spec))
    write_routing_table(routes, tmp_path / "routing.csv")
    table = read_routing_table(tmp_path / "routing.csv")
    for s in net.endpoints.tolist():
        for t in net.endpoints.tolist():
            at, hops = s, 0
            while at != t:
                at = net.neighbours(at)[table[at, t]]
                hops += 1
                assert hops <= net.order
            assert hops == net.router().distance(s, t)


@pytest.mark.parametrize("spec", SPECS)
def test_infiniband_files_lead_there(spec: str, tmp_path: Path) -> None:
    """Follow the tables through the netlist, as a switch would: by LID and port."""
    net = build(spec)
    write_infiniband(all_routes(net), tmp_path)
    assert _same(net, read_netlist(tmp_path / "fabric.net"))
    wires, here = {}, ""
    for line in (tmp_path / "fabric.net").read_text().splitlines():
        if match := re.match(r'(?:Switch|Hca)\s+\d+ "(\w+)"', line):
            here = match[1]
        elif match := re.match(r'\[(\d+)\]\s+"(\w+)"\[(\d+)\]', line):
            wires[here, int(match[1])] = (match[2], int(match[3]))
    for (a, p), (b, q) in wires.items():
        assert wires[b, q] == (a, p)
    lids, tables = {}, {}
    for line in (tmp_path / "routes.lfts").read_text().splitlines():
        if match := re.match(r"Unicast lids .* switch Lid (\d+) guid \S+ \('(\w+)'\)", line):
            here = match[2]
            lids[here] = int(match[1])
        elif match := re.match(r"(0x\w+) (\d+) # .*'(\w+)'", line):
            tables[here, int(match[1], 16)] = int(match[2])
            assert lids.setdefault(match[3], int(match[1], 16)) == int(match[1], 16)
    hosts = sorted(name for name in lids if name.startswith("H"))
    assert len(hosts) == net.endpoint_count
    for a in hosts:
        for b in hosts:
            if a == b:
                continue
            at, hops = wires[a, 1][0], 0
            while at != b:
                at = wires[at, tables[at, lids[b]]][0]
                hops += 1
                assert hops <= net.order + 2
    for name, lid in lids.items():
        if name.startswith("S"):
            assert tables[name, lid] == 0  # a switch's own port
            for other in lids:
                if other.startswith("S") and other != name:
                    assert wires[name, tables[name, lids[other]]]
    said = {line.split()[1] for line in (tmp_path / "guid2lid").read_text().splitlines() if line}
    assert said == {f"{lid:#06x}" for lid in lids.values()}


def test_simplex_networks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="simplex"):
        write_infiniband(all_routes(build("kautz(2, 3)")), tmp_path)


@pytest.mark.acceptance
@pytest.mark.skipif(
    shutil.which("opensm") is None or shutil.which("ibsim") is None,
    reason="needs OpenSM and ibsim (Debian: opensm, ibsim-utils)",
)
def test_a_real_subnet_manager_takes_the_tables(tmp_path: Path) -> None:
    """OpenSM loads the tables on a simulated fabric and dumps them without difference."""
    import os
    import subprocess

    write_infiniband(all_routes(build("torus(3, 4)")), tmp_path)
    env = os.environ | {
        "IBSIM_SOCKNAME": f"hopscape{os.getpid()}",
        "SIM_HOST": "H0",
        "OSM_TMP_DIR": str(tmp_path),
        "OSM_CACHE_DIR": str(tmp_path),
    }
    fabric = subprocess.Popen(
        ["ibsim", "-s", "--no-console", "fabric.net"],
        cwd=tmp_path,
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        command = "ibsim-run opensm --once -R file -U routes.lfts -f osm.log -D 0x43"
        run = subprocess.run(
            [*command.split(), "--log_limit", "0", "--dump_files_dir", str(tmp_path)],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert run.returncode == 0, run.stdout
    finally:
        fabric.terminate()
        fabric.wait()

    def entries(name: str) -> set[tuple[str, str, str]]:
        found, switch = set(), ""
        for line in (tmp_path / name).read_text().splitlines():
            if match := re.search(r"switch Lid \d+ guid (0x\w+)", line):
                switch = match[1]
            elif match := re.match(r"(0x\w+) (\d+)\b", line):
                found.add((switch, match[1], match[2]))
        return found

    assert "file tables configured" in (tmp_path / "osm.log").read_text()
    assert entries("routes.lfts") == entries("opensm-lfts.dump")
