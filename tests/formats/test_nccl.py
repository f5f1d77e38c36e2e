"""Files for NCCL against the network they describe; the tuner against contests of one size."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hopscape.collectives.contest import compete
from hopscape.core.errors import ArgumentError
from hopscape.core.goal import Goal
from hopscape.core.network import Network
from hopscape.formats.infiniband import write_subnets
from hopscape.formats.nccl import servers_of, tuner_rows, write_nccl
from hopscape.metrics.routes import all_routes
from hopscape.registry import build

MACHINES = (
    "rails(leaf_spine(4, 4, 4), 1, 8)",
    "rails(concentrated(complete(3), 4), 2, 4)",
    "rail_optimized(4, 2, units=2)",
    "planes(clos(8, 2), 2)",
    "leaf_spine(4, 4, 4)",
)


def inside(net: Network) -> set[int]:
    """Switches whose neighbours are all endpoints with lines to other switches as well."""
    ends = set(net.endpoints.tolist())
    near = {v: {w for w in net.neighbours(v) if w >= 0} for v in range(net.order)}
    return {
        v
        for v in set(range(net.order)) - ends
        if near[v] <= ends and all(near[w] - {v} for w in near[v])
    }


@pytest.mark.parametrize("spec", MACHINES[:3] + MACHINES[4:])
def test_gpus_behind_a_switch_of_their_own_are_a_server(spec: str) -> None:
    net = build(spec)
    made = servers_of(net)
    assert sorted(v for one in made for v in one.gpus) == net.endpoints.tolist()
    for one in made:
        for v, adapters in zip(one.gpus, one.adapters, strict=True):
            near = [w for w in net.neighbours(v) if w >= 0]
            out = [w for w in near if w not in inside(net)]
            own = [w for w in near if w in inside(net)]
            assert len(adapters) == len(out)
            assert {w for u in one.gpus for w in net.neighbours(u)} >= set(own)
            assert (one.inside > 0) == bool(own)
    assert len(made) == (len(inside(net)) or net.endpoint_count)


@pytest.mark.parametrize("spec", MACHINES)
def test_the_topology_has_every_line_and_the_bandwidth_inside(spec: str, tmp_path: Path) -> None:
    net, gbps = build(spec), 400
    write_nccl(net, tmp_path, gbps)
    text = (tmp_path / "topology.xml").read_text()
    system = ElementTree.fromstring(text)
    server = servers_of(net)[0]
    assert len(system.findall(".//gpu")) == len(server.gpus)
    speeds = sum(int(one.get("speed", "")) for one in system.findall(".//net"))
    assert speeds == 1000 * gbps * sum(speed for lines in server.adapters for _, speed in lines)
    for link in system.findall(".//nvlink"):  # an NVLink of that generation: 25 GB/s one way
        wanted = server.inside * gbps / 8
        assert abs(25 * int(link.get("count", "")) - wanted) <= 12.5 or wanted < 25
        assert link.get("tclass") == "0x068000"
    assert bool(system.findall(".//nvlink")) == bool(inside(net))
    places = [one.get("busid") for one in system.iter("pci")]
    assert len(set(places)) == len(places)
    assert " />" not in text  # NCCL's reader takes it for an attribute without a name
    assert len(list(system.iter())) <= 256


def test_adapters_name_their_rail() -> None:
    net = build("rails(concentrated(complete(3), 4), 2, 4)")
    rails = Counter(rail for one in servers_of(net) for lines in one.adapters for rail, _ in lines)
    assert rails == {0: 12, 1: 12}
    assert [lines[0][0] for lines in servers_of(net)[0].adapters] == [0, 1, 0, 1]


@pytest.mark.parametrize("spec", ["hyperx((4, 4), p=4)", "rails(leaf_spine(4, 4, 16), 2, 8)"])
def test_rows_of_the_tuner_name_the_quicker_algorithm(spec: str) -> None:
    net, beta = build(spec), 8e-3 / 400
    rows = [row.split(",") for row in tuner_rows(net, 400)]
    ours = {"ring": "ring", "tree": "double-binary-tree", "pat": "bruck"}
    goals = {"allreduce": Goal.all_reduce(), "allgather": Goal.all_gather()}
    words = {row[0]: set() for row in rows}  # type: dict[str, set[str]]
    for name, low, high, word, protocol, channels, servers, ranks in rows:
        words[name].add(word)
        assert (protocol, int(ranks)) == ("simple", net.endpoint_count)
        assert int(channels) >= 2
        assert int(servers) == len(servers_of(net))
        if name not in goals:
            continue
        single = int(servers) == net.endpoint_count
        others = {"allreduce": ("ring", "tree"), "allgather": ("ring", "pat")[: 1 + single]}[name]
        for size in (int(low), min(int(high) // 2 + 1, 1 << 32)):
            times = {}
            for other in others:
                costs = {"alpha": 1.0, "beta": beta}
                one = compete(net, goals[name], costs, size=size, algorithm=ours[other])
                times[other] = one.best.time(one.costs, size)
            assert times[word] == min(times.values())
    for name, seen in words.items():
        ranges = sorted((int(r[1]), int(r[2])) for r in rows if r[0] == name)
        assert (ranges[0][0], ranges[-1][1]) == (1 << 22, (1 << 40) - 1)
        assert all(a[1] + 1 == b[0] for a, b in pairwise(ranges)), seen
    assert len(set().union(*words.values())) == 2  # each machine has a choice that depends on size


def test_what_nccl_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="machines with switches"):
        write_nccl(build("torus(4, 4)"), tmp_path / "a", 400)
    assert not (tmp_path / "a").exists()
    with pytest.raises(ArgumentError, match="16 GPUs"):
        write_nccl(build("rails(leaf_spine(4, 4, 8), 1, 16)"), tmp_path / "b", 400)
    assert "compared for up to 128" in write_nccl(
        build("rails(leaf_spine(8, 4, 17), 1, 8)"), tmp_path / "c", 400
    )
    assert [one.name for one in (tmp_path / "c").iterdir()] == ["topology.xml"]


def test_islands_stand_outside_infiniband(tmp_path: Path) -> None:
    net = build("rails(concentrated(complete(3), 4), 2, 4)")
    written = write_subnets(all_routes(net), tmp_path)
    assert [len(plane.hosts) for plane, _ in written] == [12, 12]
    fast = set(range(net.endpoint_count, net.endpoint_count + 6))
    assert not fast & {int(v) for plane, _ in written for v in plane.labels.tolist()}
