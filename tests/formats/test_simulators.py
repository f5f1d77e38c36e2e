"""Files for other simulators and launchers, read by the rules of their readers.

Their scripts are executed with stand-ins for their objects, which keep what they are told.
"""

from __future__ import annotations

import csv
import json
import sys
import types
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from commands import ask, refused
from hopscape.core.distances import distance_rows
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.design.floorplan import place
from hopscape.formats.astra import clos_tiers, write_analytical, write_htsim, write_ns3
from hopscape.formats.garnet import write_garnet
from hopscape.formats.netbox import FILES, write_netbox
from hopscape.formats.rank_files import write_rank_files
from hopscape.formats.slurm import write_slurm
from hopscape.formats.sst import write_sst, write_sst_routes
from hopscape.metrics.routes import all_routes
from hopscape.metrics.throughput import switch_graph
from hopscape.registry import build
from hopscape.workloads import read_placement

DIRECT = ["ring(5)", "torus(3, 4)", "polarfly(3)", "circulant(13, 1, 5)", "mesh(2, 3, 2)"]
SWITCHED = ["dragonfly(2, 1, p=1)", "leaf_spine(4, 2, 3)", "fat_tree(4)", "hyperx([3, 3], p=2)"]
CLOS = ["leaf_spine(4, 2, 8)", "fat_tree(4)", "kary_ntree(2, 3)", "xgft([4, 4, 2], [1, 2, 2])"]


def _host_distances(graph: nx.Graph, hosts: int) -> np.ndarray:
    """Hops between hosts of a graph in which hosts do not forward."""
    out = np.zeros((hosts, hosts), dtype=int)
    for a in range(hosts):
        reached, at, hops = {a: 0}, [a], 0
        while at:
            hops += 1
            new = {w for v in at for w in graph[v] if w not in reached}
            reached |= dict.fromkeys(new, hops)
            at = [w for w in new if w >= hosts]
        out[a] = [reached[b] for b in range(hosts)]
    return out


def _between_endpoints(spec: str) -> np.ndarray:
    network = build(spec)
    ends = network.endpoints
    return distance_rows(network, ends)[:, ends].astype(int)


@pytest.mark.parametrize("spec", DIRECT + SWITCHED)
def test_ns3_reads_the_network(spec, tmp_path):
    """Numbers, one after the other, as SetupNetwork of its common.h takes them from the stream."""
    write_ns3(build(spec), tmp_path / "n.txt")
    words = iter((tmp_path / "n.txt").read_text().split())
    nodes, switches, links = (int(next(words)) for _ in range(3))
    kinds = [int(next(words)) for _ in range(switches)]
    hosts = nodes - switches
    assert kinds == list(range(hosts, nodes))
    graph = nx.Graph()
    for _ in range(links):
        a, b = int(next(words)), int(next(words))
        rate, delay, errors = next(words), next(words), next(words)
        assert not graph.has_edge(a, b)
        assert (rate[-4:], delay[-2:], errors) == ("Gbps", "ms", "0")
        assert float(delay[:-2]) > 0
        graph.add_edge(a, b)
    assert not list(words)
    ours = _between_endpoints(spec)
    doubled = 0 if build(spec).has_switches else 2
    theirs = _host_distances(graph, hosts)
    assert np.array_equal(theirs, np.where(ours == 0, 0, ours + doubled))
    logical = json.loads((tmp_path / "logical.json").read_text())
    assert logical == {"logical-dims": [str(hosts)]}


def _htsim(text: str) -> nx.MultiGraph:
    """The fat tree that htsim makes of a .topo file: every agg of a pod, cores in blocks by agg."""
    head: dict[str, int] = {}
    tiers: list[dict[str, int]] = []
    for line in filter(None, text.splitlines()):
        key, value = line.split()
        if key == "Tier":
            tiers.append({})
        (tiers[-1] if tiers else head)[key] = int(value)
    nodes, pod = head["Nodes"], head["Podsize"]
    pods, tors = nodes // pod, pod // tiers[0]["Radix_Down"]
    bundle = tiers[1]["Bundle"]
    aggs = tiers[0]["Radix_Up"] // bundle
    assert tiers[1]["Radix_Down"] == tors * bundle
    assert tiers[0]["Oversubscribed"] == tiers[0]["Radix_Down"] // tiers[0]["Radix_Up"]
    graph = nx.MultiGraph()
    for host in range(nodes):
        graph.add_edge(host, ("tor", host // tiers[0]["Radix_Down"]))
    for p in range(pods):
        for t in range(tors):
            for a in range(aggs):
                for _ in range(bundle):
                    graph.add_edge(("tor", p * tors + t), ("agg", p * aggs + a))
    if head["Tiers"] == 3:
        top = tiers[2]["Bundle"]
        assert tiers[2]["Radix_Down"] == pods * top
        for p in range(pods):
            for a in range(aggs):
                for up in range(tiers[1]["Radix_Up"]):
                    core = a * (tiers[1]["Radix_Up"] // top) + up // top
                    graph.add_edge(("agg", p * aggs + a), ("core", core))
    return graph


@pytest.mark.parametrize("spec", CLOS)
def test_htsim_builds_the_same_fat_tree(spec, tmp_path):
    network = build(spec)
    write_htsim(network, tmp_path / "n.topo")
    theirs = _htsim((tmp_path / "n.topo").read_text())
    assert theirs.number_of_nodes() == network.order
    assert theirs.number_of_edges() == network.links
    labels = {v: i for i, v in enumerate(sorted(theirs, key=lambda v: (isinstance(v, tuple), v)))}
    graph = nx.relabel_nodes(theirs, labels)
    count = network.endpoint_count
    assert np.array_equal(_host_distances(graph, count), _between_endpoints(spec))
    ours = nx.Graph(zip(network.tails.tolist(), network.heads.tolist(), strict=True))
    assert nx.could_be_isomorphic(nx.Graph(graph), ours)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("torus(4, 4)", "one line each"),
        ("rail_optimized(4, 4)", "one line each"),
        ("dragonfly(4, 2, p=2)", "levels"),
        ("kary_ntree(2, 4)", "levels"),
        ("leaf_spine(4, 3, 8)", "whole ratios"),
    ],
)
def test_htsim_has_fat_trees_only(spec, said, tmp_path):
    with pytest.raises(ArgumentError, match=said):
        write_htsim(build(spec), tmp_path / "n.topo")
    assert not list(tmp_path.iterdir())


def test_a_tree_wired_in_another_way_is_refused():
    """The hosts of a leaf follow each other, or not."""
    for leaves, same in (((4, 4, 5, 5), True), ((4, 5, 4, 5), False)):
        tails, heads = [0, 1, 2, 3, 4, 5], [*leaves, 6, 6]
        network = Network.from_links(7, tails, heads, spec="mine", switches=np.arange(4, 7))
        if same:
            assert clos_tiers(network)[0] == {"down": 2, "up": 1, "bundle": 1, "pod": 4}
        else:
            with pytest.raises(ArgumentError, match="wired in another way"):
                clos_tiers(network)


@pytest.mark.parametrize(
    ("spec", "kind"),
    [("ring(6)", "Ring"), ("complete(5)", "FullyConnected"), ("xgft([7], [1])", "Switch")],
)
def test_the_analytical_back_end_has_three_networks(spec, kind, tmp_path):
    write_analytical(build(spec), tmp_path / "n.yml")
    lines = (tmp_path / "n.yml").read_text().splitlines()
    keys = dict(line.split(": ", 1) for line in lines)
    assert keys["topology"] == f"[ {kind} ]"
    assert float(keys["bandwidth"].strip("[ ]")) * 2**30 == pytest.approx(25e9)
    for other in ("torus(3, 3)", "path(4)", "leaf_spine(2, 2, 2)", "circulant(6, 1, 2)"):
        with pytest.raises(ArgumentError, match="no ring"):
            write_analytical(build(other), tmp_path / "none")


@pytest.mark.parametrize(
    ("write", "spec", "said"),
    [
        (write_ns3, "kautz(2, 2)", "one-way"),
        (write_ns3, "trunked(ring(4), 2)", "parallel"),
        (write_ns3, "bcube(4, 1)", "do not forward"),
        (write_garnet, "trunked(ring(4), 2)", "parallel"),
        (write_garnet, "bcube(4, 1)", "several lines"),
    ],
)
def test_what_a_format_cannot_hold_is_refused_first(write, spec, said, tmp_path):
    with pytest.raises(ArgumentError, match=said):
        write(build(spec), tmp_path / "n")
    assert not list(tmp_path.iterdir())


# -- SST ---------------------------------------------------------------------------------------


class _Anything:
    """Stands for any object of a library: takes every argument, keeps what is set."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


def _run_sst(script: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    told: dict[str, Any] = {}

    class Topology(_Anything):
        def import_graph(self, path: str) -> None:
            told["graph"] = nx.read_graphml(path)

        def getNumNodes(self) -> int:
            return sum(int(n) for _, n in told["graph"].nodes(data="endpoints"))

    class Nic(_Anything):
        def addPlugin(self, name: str, routing_table: Any) -> None:
            told[name] = routing_table

    class Job(_Anything):
        def __init__(self, _: int, nodes: int) -> None:
            told["nodes"] = nodes

    class System(_Anything):
        def setTopology(self, topology: Any) -> None:
            told["vcs"] = topology.vcs_per_vn

    names = {"topoAny": Topology, "EndpointNIC": Nic, "OfferedLoadJob": Job, "System": System}
    names |= {"hr_router": _Anything, "UniformTarget": _Anything}
    for name in ("sst", "sst.merlin", *(f"sst.merlin.{x}" for x in
                 ("base", "endpoint", "interface", "targetgen", "topology"))):  # fmt: skip
        module = types.ModuleType(name)
        module.__dict__.update(names)
        monkeypatch.setitem(sys.modules, name, module)
    exec(compile(script.read_text(), str(script), "exec"), {"__file__": str(script)})
    return told


@pytest.mark.parametrize(
    "spec", ["torus(3, 4)", "dragonfly(4, 2, p=2)", "hyperx([3, 3], p=2)", "polarfly(3, p=2)"]
)
def test_sst_is_told_our_routes(spec, tmp_path, monkeypatch):
    """Every way follows links; together they load each link as the routes of routing.csv do."""
    network = build(spec)
    routes = all_routes(network)
    write_sst(network, tmp_path / "sst.graphml")
    write_sst_routes(routes, tmp_path / "sst", bandwidth=25e9, latency=1e-7)
    told = _run_sst(tmp_path / "sst" / "run.py", monkeypatch)
    graph, table = told["graph"], told["sourceRoutingPlugin"]
    ends = [int(graph.nodes[str(v)]["endpoints"]) for v in range(len(graph))]
    assert told["nodes"] == network.endpoint_count
    loads: Counter[tuple[int, int]] = Counter()
    longest = 0
    for a, row in table.items():
        for b, ways in row.items():
            assert sum(w for w, _ in ways) == pytest.approx(1)
            for weight, way in ways:
                assert way[-1] == b
                assert len(set(way) | {a}) == len(way) + 1
                longest = max(longest, len(way))
                for u, v in zip([a, *way], way):
                    assert graph.has_edge(str(u), str(v))
                    loads[u, v] += weight * ends[a] * ends[b]
    assert told["vcs"] == longest + 1
    inner = np.ones(network.order, dtype=bool)
    if len(graph) < network.order:
        inner[network.endpoints] = False
    label = np.cumsum(inner) - 1
    for c in np.flatnonzero(inner[network.tails] & inner[network.heads]).tolist():
        pair = int(label[network.tails[c]]), int(label[network.heads[c]])
        assert loads[pair] == pytest.approx(int(routes.loads[c]))


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("kautz(2, 2)", "one-way"),
        ("trunked(ring(4), 2)", "parallel"),
        ("fat_tree(4)", "12 routers without endpoints"),
        ("rail_optimized(2, 4)", "several lines"),
        ("xgft([8], [1])", "no links"),
    ],
)
def test_what_anytopo_does_not_build_is_refused(spec, said, tmp_path):
    with pytest.raises(ArgumentError, match=said):
        write_sst_routes(all_routes(build(spec)), tmp_path / "sst", bandwidth=1, latency=1)
    assert not list(tmp_path.iterdir())


# -- gem5 --------------------------------------------------------------------------------------


def _make_topology(path: Path, controllers: list[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """What Ruby is given: the network with its links, as makeTopology leaves it."""

    class Simple:
        pass

    stands = {"MemorySize": int, "SimpleTopology": Simple, "FileSystemConfig": _Anything}
    for name in ("m5", "m5.objects", "m5.params", "common", "topologies",
                 "topologies.BaseTopology"):  # fmt: skip
        module = types.ModuleType(name)
        module.__dict__.update(stands)
        monkeypatch.setitem(sys.modules, name, module)
    space: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    topology = space["Hopscape"]([types.SimpleNamespace(type=kind) for kind in controllers])
    cpus = controllers.count("L1Cache_Controller")
    options = types.SimpleNamespace(num_cpus=cpus, router_latency=1, link_latency=1)
    network = types.SimpleNamespace()
    keep = types.SimpleNamespace
    topology.makeTopology(options, network, keep, keep, keep)
    return network


def _controllers(count: int) -> list[str]:
    return ["L1Cache_Controller"] * count + ["Directory_Controller"] * count + ["DMA_Controller"]


@pytest.mark.parametrize("spec", DIRECT + SWITCHED + ["kautz(2, 2)"])
def test_gem5_is_told_the_network(spec, tmp_path, monkeypatch):
    network = build(spec)
    write_garnet(network, tmp_path / "Hopscape.py")
    made = _make_topology(
        tmp_path / "Hopscape.py", _controllers(network.endpoint_count), monkeypatch
    )
    routers = switch_graph(network)
    assert [r.router_id for r in made.routers] == list(range(routers.order))
    numbers = [link.link_id for link in [*made.ext_links, *made.int_links]]
    assert numbers == list(range(len(numbers)))
    links = sorted((x.src_node.router_id, x.dst_node.router_id) for x in made.int_links)
    tails = np.repeat(np.arange(routers.order), np.diff(routers.indptr)).tolist()
    assert links == sorted(zip(tails, routers.heads.tolist()))
    homes = Counter(
        x.int_node.router_id for x in made.ext_links if x.ext_node.type == "L1Cache_Controller"
    )
    assert [homes[v] for v in range(routers.order)] == routers.ends.tolist()
    outports = [(x.src_node.router_id, x.src_outport) for x in made.int_links]
    assert len(set(outports)) == len(outports)


@pytest.mark.parametrize(
    "spec", ["mesh(3, 4)", "torus(3, 5)", "hypercube(3)", "circulant(13, 1, 5)"]
)
def test_garnets_table_takes_shortest_ways_first_axis_first(spec, tmp_path, monkeypatch):
    """Ways of least weight, and of these the links that weigh least, as RoutingUnit chooses."""
    network = build(spec)
    write_garnet(network, tmp_path / "Hopscape.py")
    made = _make_topology(tmp_path / "Hopscape.py", _controllers(network.order), monkeypatch)
    graph = nx.DiGraph()
    for x in made.int_links:
        graph.add_edge(x.src_node.router_id, x.dst_node.router_id, weight=x.weight)
    far = dict(nx.all_pairs_dijkstra_path_length(graph))
    hops = distance_rows(network, np.arange(network.order)).astype(int)
    for a in graph:
        for b in graph:
            if a == b:
                continue
            on = [v for v in graph[a] if graph[a][v]["weight"] + far[v][b] == far[a][b]]
            least = min(graph[a][v]["weight"] for v in on)
            for v in on:
                if graph[a][v]["weight"] == least:
                    assert hops[v, b] == hops[a, b] - 1
    if spec == "mesh(3, 4)":
        taken = [v for v in graph[0] if graph[0][v]["weight"] + far[v][11] == far[0][11]]
        assert min(taken, key=lambda v: graph[0][v]["weight"]) == 4


def test_gem5_says_what_does_not_fit(tmp_path, monkeypatch):
    write_garnet(build("ring(5)"), tmp_path / "Hopscape.py")
    with pytest.raises(ValueError, match="not 5"):
        _make_topology(tmp_path / "Hopscape.py", _controllers(4), monkeypatch)
    with pytest.raises(ValueError, match="too many"):
        _make_topology(
            tmp_path / "Hopscape.py", [*_controllers(5), "L2Cache_Controller"], monkeypatch
        )


# -- NetBox, Slurm, launchers --------------------------------------------------------------------

NETBOX = {  # columns that the import forms of NetBox 4.6 must have, and others that they take
    "1-sites.csv": ({"name", "slug", "status"}, {"region", "facility", "description"}),
    "2-manufacturers.csv": ({"name", "slug"}, {"description"}),
    "3-device-types.csv": ({"manufacturer", "model", "slug"}, {"u_height", "part_number"}),
    "4-device-roles.csv": ({"name", "slug"}, {"parent", "color", "vm_role"}),
    "5-racks.csv": ({"site", "name", "status"}, {"location", "width", "u_height", "serial"}),
    "6-devices.csv": (
        {"role", "manufacturer", "device_type", "status", "site"},
        {"name", "location", "rack", "position", "face", "serial"},
    ),
    "7-interfaces.csv": ({"device", "name", "type"}, {"label", "enabled", "speed"}),
    "8-cables.csv": (
        {"side_a_type", "side_a_name", "side_b_type", "side_b_name"},
        {"side_a_device", "side_b_device", "status", "label", "color", "length", "length_unit"},
    ),
}


@pytest.mark.parametrize(
    "spec", ["leaf_spine(4, 2, 3)", "trunked(ring(4), 2)", "rail_optimized(2, 4)"]
)
def test_netbox_is_told_devices_ports_and_cables(spec, tmp_path):
    network = build(spec)
    placed = place(network, None)
    places = [placed.plan.name(int(p)) for p in placed.places]
    write_netbox(network, tmp_path, places, placed.lengths.tolist(), placed.plan.slots)
    tables: dict[str, list[dict[str, str]]] = {}
    for name, (must, may) in NETBOX.items():
        with (tmp_path / name).open(newline="") as file:
            reader = csv.DictReader(file)
            assert reader.fieldnames is not None
            assert must <= set(reader.fieldnames) <= must | may
            tables[name] = list(reader)
    assert {path.name for path in tmp_path.iterdir()} == set(NETBOX) == set(FILES)
    devices = {row["name"]: row for row in tables["6-devices.csv"]}
    assert len(devices) == network.order
    known = {row["model"] for row in tables["3-device-types.csv"]}
    racks = {row["name"]: int(row["u_height"]) for row in tables["5-racks.csv"]}
    stands = {(row["rack"], row["position"]) for row in devices.values()}
    assert len(stands) == network.order
    for row in devices.values():
        assert row["device_type"] in known
        assert 1 <= int(row["position"]) <= racks[row["rack"]]
    ports = {(row["device"], row["name"]) for row in tables["7-interfaces.csv"]}
    assert len(ports) == len(tables["7-interfaces.csv"]) == len(network.heads)
    met = set()
    found: Counter[tuple[int, int]] = Counter()
    for row in tables["8-cables.csv"]:
        sides = [(row[f"side_{x}_device"], row[f"side_{x}_name"]) for x in "ab"]
        assert {row["side_a_type"], row["side_b_type"]} == {"dcim.interface"}
        assert not met & set(sides)
        met |= set(sides)
        u, v = (int(device[1:]) for device, _ in sides)
        found[min(u, v), max(u, v)] += 1
        for (device, port), w in zip(sides, (v, u)):
            channel = network.indptr[int(device[1:])] + int(port[1:]) - 1
            assert network.heads[channel] == w
    assert met == ports
    ours = Counter((int(a), int(b)) for a, b in zip(network.tails, network.heads) if a < b)
    assert found == ours


def test_netbox_has_racks_of_a_hundred_units(tmp_path):
    network = build("ring(4)")
    for slots, spec in ((101, "ring(4)"), (32, "kautz(2, 2)")):
        with pytest.raises(ArgumentError, match="NetBox"):
            write_netbox(build(spec), tmp_path / "n", [], [], slots)
    assert network.order == 4
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("spec", ["leaf_spine(4, 2, 3)", "fat_tree(4)", "dragonfly(2, 1, p=1)"])
def test_topology_yaml_says_what_topology_conf_says(spec, tmp_path):
    write_slurm(build(spec), tmp_path / "topology.conf")
    head, *items = (tmp_path / "topology.yaml").read_text().split("      - switch: ")
    assert [line.strip() for line in head.splitlines()[2:]] == [
        "- topology: hopscape", "cluster_default: true", "tree:", "switches:",
    ]  # fmt: skip
    words = {"children": "Switches", "nodes": "Nodes"}
    found = []
    for item in items:
        name, second = item.splitlines()
        key, value = second.strip().split(": ")
        found.append(f"SwitchName={name} {words[key]}={value}")
    assert found == (tmp_path / "topology.conf").read_text().splitlines()[1:]


def test_ranks_go_where_the_placement_says(tmp_path):
    network = build("leaf_spine(2, 2, 4)")
    nodes = (5, 0, 7, 2)
    write_rank_files(nodes, tmp_path / "r", network.spec)
    assert read_placement(str(tmp_path / "r" / "placement.txt"), network).nodes == nodes
    hosts = [f"H{v}" for v in nodes]
    assert (tmp_path / "r" / "slurm_hostfile").read_text().split() == hosts
    assert (tmp_path / "r" / "hostfile").read_text().split() == [f"{h}:1" for h in hosts]
    lines = (tmp_path / "r" / "rankfile").read_text().splitlines()
    assert lines == [f"rank {i}={h} slot=0" for i, h in enumerate(hosts)]


JOB = """
[model]
hidden = 256
layers = 2
heads = 4
seq = 64
vocab = 1000
[job]
batch = 8
tp = 2
dp = 2
[chip]
tflops = 10
"""


def test_a_step_writes_the_placement_that_it_took(tmp_path):
    job = tmp_path / "job.toml"
    job.write_text(JOB)
    (tmp_path / "at").write_text("3\n1\n0\n2\n")
    out = tmp_path / "ranks"
    words = ["step", str(job), "--on", "ring(4)", "--rank-files", str(out)]
    ask(*words, "--place", str(tmp_path / "at"))
    assert (out / "slurm_hostfile").read_text().split() == ["H3", "H1", "H0", "H2"]
    ask(*words, "--place", "search", "--force")
    again = read_placement(str(out / "placement.txt"), build("ring(4)")).nodes
    assert sorted(again) == [0, 1, 2, 3]
    assert "names 2 networks" in refused(*words, "--on", "ring(5)")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "rankfile").write_text("mine")
    refused("step", str(job), "--on", "ring(4)", "--rank-files", str(tmp_path / "mine"))
    assert (tmp_path / "mine" / "rankfile").read_text() == "mine"


def test_a_hand_over_has_all_of_it_and_says_who_has_read_it(tmp_path):
    ask("handover", "leaf_spine(2, 2, 2)", "--out", str(tmp_path / "f"))
    top = tmp_path / "f"
    for name in ("astra/ns3_topology.txt", "astra/network.topo", "astra/all-to-all.json",
                 "astra/workload/step.0.et", "gem5/Hopscape.py", "netbox/8-cables.csv",
                 "topology.yaml"):  # fmt: skip
        assert (top / name).is_file(), name
    told = json.loads((top / "astra" / "all-to-all.json").read_text())
    traces = told["all-reduce-implementation-custom"]
    assert [(top / f"{one}.0.et").is_file() for one in traces] == [True]
    text = (top / "README.md").read_text()
    rows = text.partition("Which programs have seen")[2].splitlines()
    seen = defaultdict(str, {row.split("|")[1].strip(): row for row in rows if row.startswith("|")})
    assert "no program" in seen["netbox/"]
    assert "not gem5" in seen["gem5/"]
    assert "sst/" not in seen
    assert "no sst/" in text
