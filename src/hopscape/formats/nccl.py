"""NCCL: what stands in a server (``NCCL_TOPO_FILE``), and which algorithm to take (a tuner's CSV).

The endpoints behind one switch inside a server (NVLink, an island) are its GPUs; elsewhere a server
has one. Every line of an endpoint is a network adapter beside it. Bus addresses are made up.
Attributes and limits were read in NCCL's ``graph/xml.cc`` and ``graph/topo.cc``, the columns of the
CSV in its example of a tuner plugin.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np

from hopscape.collectives.contest import compete
from hopscape.core.arrays import Bools, IntArray
from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.core.files import make_folder, write_text
from hopscape.core.goal import Goal
from hopscape.core.network import Network

__all__ = ["GpuServer", "servers_of", "tuner_rows", "write_nccl"]

_MOST_RANKS = 128  # whose algorithms are compared: some seconds
_LEAST_BYTES, _MOST_BYTES = 1 << 22, (1 << 40) - 1
"""Buffers for which an algorithm is chosen. Smaller ones are a matter of NCCL's protocols, of which
a network says nothing."""
_CHANNEL = 20e9  # bytes per second that a channel moves, as the example plugin has it
_MOST_CHANNELS = 32
_GENERATIONS = ((800, 100, 50e9, "64.0 GT/s PCIe"), (0, 90, 25e9, "32.0 GT/s PCIe"))
"""From which Gb/s of a line on: compute capability, bytes per second of an NVLink one way, PCIe."""
_GPU, _SWITCH, _BRIDGE, _ADAPTER = "0x030200", "0x068000", "0x060400", "0x020700"  # PCI classes
_MOST_GPUS, _MOST_ADAPTERS = 15, 14  # 16 bus addresses each, below that of the switch inside
_MOST_ELEMENTS = 256  # of NCCL's reader
_COLUMNS = "collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks"


@dataclass(frozen=True)
class GpuServer:
    """What stands in one server.

    Attributes:
        gpus: Its endpoints.
        inside: What a channel of the switch inside carries, in lines; 0 without one.
        adapters: Of each GPU, (rail, speed in lines) of each line that leaves the server.
    """

    gpus: tuple[int, ...]
    inside: int
    adapters: tuple[tuple[tuple[int, int], ...], ...]

    @property
    def shape(self) -> tuple[int, tuple[tuple[tuple[int, int], ...], ...]]:
        """What servers of one file have in common."""
        return self.inside, self.adapters


def servers_of(network: Network) -> list[GpuServer]:
    """The servers of a machine with switches.

    Raises:
        ArgumentError: Where nodes are routers, or a server has more than bus addresses are for.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("rails(concentrated(complete(3), 4), 2, 4)")
        >>> servers_of(net)[1].gpus, servers_of(net)[1].adapters[:2]
        ((4, 5, 6, 7), (((0, 1),), ((1, 1),)))
    """
    if not network.has_switches:
        raise ArgumentError(f"NCCL's files are for machines with switches, not for {network.spec}")
    inner = _inner_switches(network)
    rail = _rails(network, inner)
    capacity = network.capacities()
    groups: dict[int, list[int]] = {}
    within: dict[int, int] = {}
    lines: dict[int, tuple[tuple[int, int], ...]] = {}
    for v in network.endpoints.tolist():
        own = range(int(network.indptr[v]), int(network.indptr[v + 1]))
        local = [c for c in own if inner[network.heads[c]]]
        key = int(network.heads[local[0]]) if local else network.order + v
        groups.setdefault(key, []).append(v)
        within[key] = sum(int(capacity[c]) for c in local)
        lines[v] = tuple(
            (int(rail[network.heads[c]]), int(capacity[c])) for c in own if c not in local
        )
    made = [
        GpuServer(tuple(gpus), within[key], tuple(lines[v] for v in gpus))
        for key, gpus in groups.items()
    ]
    for one in made:
        counts = list(map(len, one.adapters))
        elements = 2 + (3 + (one.inside > 0)) * len(counts) + 3 * sum(counts)
        if len(counts) > _MOST_GPUS or max(counts) > _MOST_ADAPTERS or elements > _MOST_ELEMENTS:
            raise ArgumentError(
                f"a server of {network.spec} has {len(counts)} GPUs with up to {max(counts)} lines"
                f" each; NCCL reads {_MOST_ELEMENTS} elements, files are written for up to"
                f" {_MOST_GPUS} GPUs with {_MOST_ADAPTERS} lines"
            )
    return made


def _inner_switches(network: Network) -> Bools:
    """bool[nodes]: switches that stand inside servers."""
    inner = np.zeros(network.order, dtype=bool)
    if network.family is not None:
        inner[list(network.family.inner_switches())] = True
    return inner


def _rails(network: Network, inner: Bools) -> IntArray:
    """Of each switch, the part of the machine that it belongs to when servers are taken away."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    between = ~inner
    between[network.endpoints] = False
    stays = between[network.tails] & between[network.heads]
    ends = network.tails[stays], network.heads[stays]
    shape = (network.order, network.order)
    _, part = connected_components(coo_array((np.ones(len(ends[0])), ends), shape=shape))
    rail = np.full(network.order, -1)
    rail[between] = np.unique(part[between], return_inverse=True)[1]
    return rail


def topology(server: GpuServer, gbps: float) -> str:
    """The XML of a server whose lines are of so many Gb/s."""
    capability, nvlink, pcie = next(g[1:] for g in _GENERATIONS if gbps >= g[0])
    system = Element("system", version="1")
    cpu = _add(system, "cpu", numaid=0, affinity="ffffffff", arch="x86_64",
               vendor="GenuineIntel", familyid=6, modelid=143)  # fmt: skip

    def pci(parent: Element, bus: int, kind: str) -> Element:
        place = {"busid": f"0000:{bus:02x}:00.0", "class": kind}
        return _add(parent, "pci", **place, link_speed=pcie, link_width=16)

    count = 0
    several = len({rail for lines in server.adapters for rail, _ in lines}) > 1
    for i, lines in enumerate(server.adapters):
        bridge = pci(cpu, 16 * i, _BRIDGE)
        gpu = _add(pci(bridge, 16 * i + 1, _GPU), "gpu", dev=i, sm=capability, rank=i, gdr=1)
        if server.inside:
            links = max(1, round(server.inside * gbps * 1e9 / 8 / nvlink))
            _add(gpu, "nvlink", target="0000:f0:00.0", count=links, tclass=_SWITCH)
        for j, (rail, speed) in enumerate(lines):
            nic = _add(pci(bridge, 16 * i + 2 + j, _ADAPTER), "nic")
            more = {"rail": rail} if several else {}
            _add(nic, "net", name=f"mlx5_{count}", dev=count, port=1, gdr=1,
                 speed=round(speed * gbps * 1000), guid=f"0x{count + 1:x}", **more)  # fmt: skip
            count += 1
    indent(system)
    return tostring(system, encoding="unicode").replace(" />", "/>") + "\n"


def _add(parent: Element, tag: str, **attributes: str | int) -> Element:
    return SubElement(parent, tag, {key: str(value) for key, value in attributes.items()})


def tuner_rows(network: Network, gbps: float, alpha: float = 1.0) -> list[str]:
    """Rows of the CSV: which of NCCL's algorithms the model finds quicker, by size of the buffer.

    An all-reduce goes round a ring or up and down two trees; a gathering round a ring or, where
    every server has one GPU, by doubling (PAT). For the others NCCL has rings alone, but the plugin
    would leave a collective without a row one channel.

    Args:
        alpha: Microseconds to start a message.
    """
    servers, ranks = servers_of(network), network.endpoint_count
    if ranks > _MOST_RANKS:
        raise ArgumentError(
            f"{network.spec} has {ranks:,} endpoints; algorithms are compared for up to"
            f" {_MOST_RANKS}"
        )
    busiest = max(s.inside + sum(speed for _, speed in s.adapters[0]) for s in servers)
    channels = min(_MOST_CHANNELS, max(2, math.ceil(busiest * gbps * 1e9 / 8 / _CHANNEL)))
    gather = {"ring": "ring"} | ({"pat": "bruck"} if len(servers) == ranks else {})
    rows = []
    for name, goal, ways in (
        ("allreduce", Goal.all_reduce(), {"ring": "ring", "tree": "double-binary-tree"}),
        ("allgather", Goal.all_gather(), gather),
        ("reducescatter", Goal.reduce_scatter(), gather),
        ("broadcast", Goal.broadcast(0), {"ring": ""}),
        ("reduce", Goal.reduce(0), {"ring": ""}),
    ):
        rows += [
            f"{name},{low},{high},{best},simple,{channels},{len(servers)},{ranks}"
            for low, high, best in _winners(network, goal, ways, alpha, 8e-3 / gbps)
        ]
    return rows


def _winners(
    network: Network, goal: Goal, ways: dict[str, str], alpha: float, beta: float
) -> Iterator[tuple[int, int, str]]:
    """(from, to, NCCL's word) of each range of sizes, by powers of two.

    Args:
        ways: Our algorithm for each word of NCCL's.
    """
    if len(ways) == 1:
        yield _LEAST_BYTES, _MOST_BYTES, next(iter(ways))
        return
    costs = {"alpha": alpha, "beta": beta}
    held = {
        word: compete(network, goal, costs, size=_LEAST_BYTES, algorithm=ours)
        for word, ours in ways.items()
    }

    def quickest(size: int) -> str:
        return min(held, key=lambda word: (at := held[word].at(size)).best.time(at.costs, size))

    sizes = range(_LEAST_BYTES.bit_length() - 1, _MOST_BYTES.bit_length())
    runs = [(word, next(run)) for word, run in groupby((1 << k for k in sizes), quickest)]
    ends = [first - 1 for _, first in runs[1:]] + [_MOST_BYTES]
    for (word, first), last in zip(runs, ends, strict=True):
        yield first, last, word


def write_nccl(network: Network, folder: str | Path, gbps: float) -> str:
    """Write ``topology.xml``, or one for each kind of server, and ``tuner.csv``; what they are.

    Args:
        gbps: Gb/s of a line.

    Raises:
        ArgumentError: As :func:`servers_of`.
    """
    kinds: dict[object, list[GpuServer]] = {}
    for server in servers_of(network):
        kinds.setdefault(server.shape, []).append(server)
    top = make_folder(folder)
    told = []
    for i, alike in enumerate(kinds.values(), 1):
        name = "topology.xml" if len(kinds) == 1 else f"topology-{i}.xml"
        ends, spec = ", ".join(map(str, alike[0].gpus)), network.spec.replace("--", "- -")
        head = f"<!-- hopscape {spec}: {len(alike)} servers, the first with {ends} -->"
        write_text(top / name, f"{head}\n{topology(alike[0], gbps)}")
        told.append(f"{name} is for {len(alike)} servers of {len(alike[0].gpus)} GPUs")
    told[0] += " (NCCL_TOPO_FILE; put in your own bus addresses)"
    try:
        rows = tuner_rows(network, gbps)
    except HopscapeError as error:
        told.append(f"no tuner.csv: {error}")
    else:
        head = f"# hopscape {network.spec}\n# {_COLUMNS}\n"
        write_text(top / "tuner.csv", head + "".join(row + "\n" for row in rows))
        told.append(
            "tuner.csv is for NCCL's example of a tuner plugin (NCCL_TUNER_CONFIG_FILE), buffers"
            f" from {_LEAST_BYTES >> 20} MiB; one channel for {_CHANNEL / 1e9:.0f} GB/s is assumed,"
            " and the plugin gives smaller buffers a single one"
        )
    return "; ".join(told)
