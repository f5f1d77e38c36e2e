"""SST: the graph of the routers as GraphML, with how many endpoints each carries, and our routes.

merlin's anytopo builds the graph and takes a table of routes from router to router, each with a
weight; packets carry theirs, and take a virtual channel more at every hop.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.files import make_folder, write_atomically, write_text
from hopscape.core.network import Network
from hopscape.formats.graphs.libraries import XML_BYTES, link_attributes, require_graph_memory
from hopscape.metrics.routes import Routes
from hopscape.metrics.throughput import SwitchGraph, switch_graph

__all__ = ["router_paths", "write_sst", "write_sst_routes"]

_MOST_STEPS = 300_000  # of routes, in a file that Python reads and SST is told as text
_RUN = '''\
"""{spec} in SST's merlin: topology anytopo, routes of routes.json. Run it with: sst run.py

Every endpoint offers LOAD of its line rate to all others evenly.
"""

import json
import pathlib

import sst
from sst.merlin.base import *
from sst.merlin.endpoint import *
from sst.merlin.interface import *
from sst.merlin.targetgen import *
from sst.merlin.topology import *

LOAD = 0.1
BANDWIDTH, LATENCY = "{gigabits:g}Gb/s", "{nanoseconds:g}ns"
here = pathlib.Path(__file__).resolve().parent


def routing_table():
    """The routes by source and destination router: lists of (weight, routers after the first)."""
    found = json.loads((here / "routes.json").read_text())
    return {{
        int(a): {{int(b): [(w, list(way)) for w, way in ways] for b, ways in row.items()}}
        for a, row in found.items()
    }}


topo = topoAny()
topo.routing_mode = "source_routing"
topo.topo_name = "hopscape"
topo.import_graph(str(here.parent / "sst.graphml"))
topo.link_latency = topo.host_link_latency = LATENCY
topo.vcs_per_vn = {vcs}  # a virtual channel for each hop: no deadlock

router = hr_router()
router.link_bw = router.xbar_bw = BANDWIDTH
router.flit_size = "32B"
router.input_latency = router.output_latency = "0ns"
router.input_buf_size = router.output_buf_size = "32kB"
router.num_vns = 1
router.xbar_arb = "merlin.xbar_arb_rr"
topo.router = router

nic = EndpointNIC(use_reorderLinkControl=True, topo=topo)
nic.addPlugin("sourceRoutingPlugin", routing_table=routing_table())
nic.link_bw = BANDWIDTH
nic.input_buf_size = nic.output_buf_size = "32kB"
nic.vn_remap = [0]

job = OfferedLoadJob(0, topo.getNumNodes())
job.setEndpointNIC(nic)
job.pattern = UniformTarget()
job.offered_load = LOAD
job.link_bw = BANDWIDTH
job.message_size = "32B"
job.warmup_time = job.collect_time = "200us"
job.drain_time = "1000us"

system = System()
system.setTopology(topo)
system.allocateNodes(job, "linear")
system.build()
'''


def write_sst(network: Network, path: str | Path) -> Path:
    """Write the routers and the links between them; parallel links are parallel edges.

    Every node has the attribute ``endpoints``: how many hang on the router. In a network without
    switches every node is a router with one endpoint, its own. Links have ``capacity``, ``delay``
    and ``length`` where the network knows them.

    Examples:
        >>> import hopscape, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     text = write_sst(hopscape.build("ring(4)"), f"{folder}/ring.graphml").read_text()
        >>> text.count("<node "), text.count("<edge ")
        (4, 4)
    """
    import networkx as nx

    require_graph_memory(network, XML_BYTES)
    routers = switch_graph(network)
    tails = np.repeat(np.arange(routers.order), np.diff(routers.indptr))
    graph = nx.MultiGraph() if network.duplex else nx.MultiDiGraph()
    graph.add_nodes_from((v, {"endpoints": int(n)}) for v, n in enumerate(routers.ends))
    once = tails < routers.heads if network.duplex else np.full(len(tails), True)
    links = zip(tails[once].tolist(), routers.heads[once].tolist(), strict=True)
    attributes = link_attributes(network, _channels(network, routers)[once])
    graph.add_edges_from(
        (u, v, attributes[i] if attributes else {}) for i, (u, v) in enumerate(links)
    )
    write_atomically(path, lambda out: nx.write_graphml(graph, out))
    return Path(path)


def _channels(network: Network, routers: SwitchGraph) -> IntArray:
    """The network's numbers of the channels between its routers."""
    ends = np.zeros(network.order, dtype=bool)
    if routers.order < network.order:
        ends[network.endpoints] = True
    between: IntArray = np.nonzero(~(ends[network.tails] | ends[network.heads]))[0]
    return between


def router_paths(routes: Routes) -> dict[tuple[int, int], list[tuple[float, tuple[int, ...]]]]:
    """Routes by pair of routers of the graph: weights, and routers after the first.

    Where pairs of endpoints at the same two routers take several ways, each way has its share of
    the pairs as weight.
    """
    network = routes.network
    label = _labels(network)
    ends = network.endpoints.tolist()
    taken: dict[tuple[int, int], Counter[tuple[int, ...]]] = defaultdict(Counter)
    for to in ends:
        table = routes.table[to].tolist()
        for source in ends:
            path, at = [], source
            while at != to:
                if label[at] >= 0:
                    path.append(label[at])
                at = int(network.heads[int(network.indptr[at]) + table[at]])
            if label[to] >= 0:
                path.append(label[to])
            if len(path) > 1:
                taken[path[0], path[-1]][tuple(path[1:])] += 1
    return {
        pair: [(n / sum(ways.values()), way) for way, n in sorted(ways.items())]
        for pair, ways in sorted(taken.items())
    }


def _labels(network: Network) -> list[int]:
    """Number of each node as a router of the graph; -1 for endpoints that hang on one."""
    inner = np.ones(network.order, dtype=bool)
    if switch_graph(network).order < network.order:
        inner[network.endpoints] = False
    return np.where(inner, np.cumsum(inner) - 1, -1).tolist()


def write_sst_routes(
    routes: Routes, folder: str | Path, *, bandwidth: float, latency: float
) -> str:
    """Write ``routes.json``, anytopo's table, and ``run.py``, a simulation of ``../sst.graphml``.

    Args:
        bandwidth: Bytes per second of a channel.
        latency: Seconds of a channel.

    Returns:
        str: What it is.

    Raises:
        ArgumentError: For what anytopo does not build: one-way or parallel links, endpoints at
            several routers, channels that are not alike, routers without endpoints.
    """
    network = routes.network
    routers = switch_graph(network)
    if not network.duplex:
        raise ArgumentError(f"{network.spec} has one-way links; anytopo takes undirected graphs")
    tails = np.repeat(np.arange(routers.order), np.diff(routers.indptr))
    if not len(tails):
        raise ArgumentError(f"{network.spec} has no links between routers; anytopo needs some")
    if len(np.unique(tails * routers.order + routers.heads)) < len(tails):
        raise ArgumentError(f"{network.spec} has parallel links; anytopo adds each of them twice")
    if routers.hosted:
        raise ArgumentError(f"endpoints of {network.spec} have several lines; anytopo has one each")
    if (routers.ends == 0).any():
        raise ArgumentError(
            f"{network.spec} has {int((routers.ends == 0).sum())} routers without endpoints;"
            " anytopo stops at a router that has none"
        )
    if network.unheeded("", "capacity", "delay"):
        raise ArgumentError(f"channels of {network.spec} are of several kinds; run.py has one")
    steps = int(routes.loads.sum())
    if steps > _MOST_STEPS:
        raise TooLargeError(
            f"the routes of {network.spec} have {steps:,} steps; written up to {_MOST_STEPS:,}"
        )
    paths = router_paths(routes)
    table: dict[int, dict[int, list[tuple[float, tuple[int, ...]]]]] = defaultdict(dict)
    for (a, b), ways in paths.items():
        table[a][b] = ways
    longest = max((len(way) for ways in paths.values() for _, way in ways), default=0)
    spread = sum(len(ways) > 1 for ways in paths.values())
    top = make_folder(Path(folder))
    write_text(top / "routes.json", json.dumps(table) + "\n")
    spec = network.spec.replace("\\", "").replace('"', "")
    text = _RUN.format(
        spec=spec, gigabits=8e-9 * bandwidth, nanoseconds=1e9 * latency, vcs=longest + 1
    )
    write_text(top / "run.py", text)
    several = f", {spread} of them by several ways with weights" if spread else ""
    return (
        f"anytopo's table of {len(paths)} pairs of routers{several}, the routes of routing.csv, and"
        f" a simulation, run.py; {longest + 1} virtual channels, one more at every hop"
    )
