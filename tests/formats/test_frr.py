"""BGP unnumbered for FRR: shortest ways by AS numbers, all of them; run in network namespaces."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from ipaddress import IPv4Address
from pathlib import Path

import networkx
import pytest
from real_programs import needs

from hopscape.core.errors import ArgumentError
from hopscape.design.handover import hand_over
from hopscape.formats.check import COMPONENTS, CheckSettings, check_folder
from hopscape.formats.frr import EthernetFabric, write_frr
from hopscape.registry import build

SPECS = ["leaf_spine(4, 2, 2)", "fat_tree(4)", "torus(3, 4)", "trunked(ring(4), 2)", "petersen"]


@pytest.mark.parametrize("spec", SPECS)
def test_equal_next_hops_are_those_of_shortest_ways(spec: str) -> None:
    fabric = EthernetFabric.of(build(spec))
    net = fabric.network
    graph = networkx.Graph((int(u), int(v)) for u, v in zip(net.tails, net.heads, strict=True))
    graph.remove_nodes_from(fabric.hosts)
    lines = {(u, v): list(net.neighbours(u)).count(v) for u in graph for v in graph[u]}
    counts = fabric.next_hops()
    routers = fabric.routers.tolist()
    for i, a in enumerate(routers):
        for j, b in enumerate(routers):
            first = {p[1] for p in networkx.all_shortest_paths(graph, a, b)} if a != b else set()
            assert counts[i, j] == sum(lines[a, v] for v in first), (a, b)


@pytest.mark.parametrize("spec", SPECS)
def test_configurations_and_the_laboratory_say_the_same(spec: str, tmp_path: Path) -> None:
    net = build(spec)
    fabric = EthernetFabric.of(net)
    write_frr(net, tmp_path)
    asn, known = set(), set()
    links = {}
    text = (tmp_path / "fabric.clab.yml").read_text()
    for ends in re.findall(r"endpoints: (\[.*\])", text):
        a, b = json.loads(ends)
        assert a not in links
        assert b not in links
        links[a], links[b] = b, a
    assert len(links) == 2 * net.links
    for router in fabric.routers.tolist():
        name = fabric.name(router)
        conf = (tmp_path / name / "frr.conf").read_text()
        peers = re.findall(r"neighbor (eth\d+) interface", conf)
        hosts = re.findall(r"interface (eth\d+)\n ip address (\S+)/31", conf)
        assert {links[f"{name}:{port}"][0] for port in peers} <= {"S"}
        assert len(peers) + len(hosts) == int(net.degrees[router])
        for port, address in hosts:
            host = links[f"{name}:{port}"].partition(":")[0]
            assert f"{IPv4Address(address) + 1}/31" in text.partition(f"    {host}:\n")[2]
            known.add(address)
        asn.add(re.search(r"router bgp (\d+)", conf)[1])  # type: ignore[index]
        known.add(re.search(r"router-id (\S+)", conf)[1])  # type: ignore[index]
    assert len(asn) == len(fabric.routers)
    assert len(known) == net.order


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("kautz(2, 2)", "simplex channels"),
        ("rail_optimized(2, 4)", "have up to"),
        ("ring(401)", "401 routers"),
        ("leaf_spine(2, 1, 257)", "ports; FRR takes up to 256"),
    ],
)
def test_what_it_cannot_hold_is_refused(spec: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=words):
        write_frr(build(spec), tmp_path / "ethernet")
    assert not (tmp_path / "ethernet").exists()


class TestReal:
    """FRR itself."""

    pytestmark = needs("frr")

    @pytest.mark.parametrize("spec", ["leaf_spine(2, 2, 1)", "ring(4)"])
    def test_it_converges(self, spec: str, tmp_path: Path) -> None:
        hand_over(spec, tmp_path / "f")
        [found] = check_folder(tmp_path / "f", ["frr"])
        assert found.verdict, found
        ends = build(spec).endpoint_count
        assert found.verdict.details["pings"] == ends * (ends - 1)
        assert "cut" in found.verdict.details

    def test_a_wrong_count_is_seen(self, tmp_path: Path) -> None:
        hand_over("leaf_spine(2, 2, 1)", tmp_path / "f")
        table = tmp_path / "f" / "ethernet" / "ecmp.csv"
        table.write_text(table.read_text().replace("S2,0,2,", "S2,0,1,"))
        settings = CheckSettings(seconds=60, changed=True)
        [found] = check_folder(tmp_path / "f", ["frr"], settings)
        assert found.verdict is not None
        assert not found.verdict
        assert "2 equal next hops in the kernel, 1 were promised" in found.verdict.reason


def test_a_fabric_too_large_for_one_machine_is_left_aside(tmp_path, monkeypatch) -> None:
    """Unless it is asked for: then that is a no."""
    hand_over(build("leaf_spine(2, 1, 1)"), tmp_path / "plan")
    monkeypatch.setattr("hopscape.formats.frr_check._MOST_NODES", 3)
    for name in COMPONENTS:
        missing = list if name == "frr" else lambda name=name: [name]
        monkeypatch.setitem(COMPONENTS, name, replace(COMPONENTS[name], missing=missing))
    checked = {one.component: one for one in check_folder(tmp_path / "plan")}
    assert checked["frr"].verdict is None
    assert "up to 3 are run on one machine" in checked["frr"].aside
    asked = check_folder(tmp_path / "plan", ["frr"])[0]
    assert not asked.verdict.holds
