"""InfiniBand: an ibsim netlist of the fabric, and forwarding tables for OpenSM's file engine.

Every router is a switch. An endpoint that hangs on one switch by one link is a host (Hca). Where
all lines of endpoints lead to switches, an endpoint with several has an adapter with several ports,
which forward nothing: what is left without the endpoints are the planes, each a subnet of its own,
and switches inside servers (NVLink) are in none. Elsewhere every other endpoint is a switch with a
host on a port of its own, the one behind its last.

Two routings for OpenSM that cannot deadlock are written. *One lane* needs nothing from the hosts:
its routes close no cycle of channel dependencies. *Service levels* keeps the shortest routes, or
takes detours where these need more than eight levels, and puts pairs of hosts into layers, each on
a virtual lane of its own, by a policy that hosts ask the subnet administrator for.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.distances import distances_from
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.faults import Faults
from hopscape.core.files import make_folder, write_text
from hopscape.core.network import Network
from hopscape.deadlock.lane_search import routes_on_lanes
from hopscape.deadlock.layers import symmetric_layers
from hopscape.deadlock.one_lane import cyclic_channels, one_lane_routes
from hopscape.deadlock.repair import repaired_one_lane, repaired_shortest
from hopscape.metrics.routes import Routes, all_routes

__all__ = [
    "MOST_LEVELS",
    "MOST_LIDS",
    "PORT_WORDS",
    "OpenSM",
    "Rewritten",
    "Subnet",
    "fabric_of",
    "forwarding_tables",
    "subnets_of",
    "write_fabric",
    "write_infiniband",
    "write_opensm",
    "write_rest",
    "write_subnets",
]

MOST_LIDS = 0xBFFF  # unicast LIDs 1 to 0xBFFF of the InfiniBand specification
MOST_PORTS = 253  # 254 external ports of the specification, one of them for the manager's host
PORT_WORDS = "Nodes count from 0, ports from 1."
_SWITCH_GUID = 0x100000  # first numbers of switches and hosts: apart for up to 2^20 switches
_HOST_GUID = 0x200000  # a host takes its own and one for each port
# nodes up to which each line names its target; beyond, lines are a fifth as long
_NAMED_ORDER = 300


@dataclass(frozen=True)
class Subnet:
    """Who is a switch, who is a host, and the ports between them.

    Attributes:
        hosts (int64[...]): Nodes with a host, ascending.
        owner: Place of a node among the hosts.
        alone (bool[order]): Nodes that are hosts and no switches.
        labels (int64[order]): Numbers of the nodes in the whole machine.
        lines (int64[order]): The port of the adapter at which a host is, from 1.
        numbers (int64[channels]): Ports of the channels in the whole machine, from 1.
        channels (int64[channels]): Their numbers in the whole machine.
        step: GUIDs of an adapter: its own and one for each port.
        wide: Ports of a switch, those of the whole machine.
        plane: Its number among the subnets of the machine; 0 where there is one.
        lids (int64[2, order] or None): Local identifiers as a host and as a switch, where they are
            those of a larger fabric.
    """

    network: Network
    hosts: IntArray
    owner: dict[int, int]
    alone: IntArray
    labels: IntArray
    lines: IntArray
    numbers: IntArray
    channels: IntArray
    step: int
    wide: int
    plane: int = 0
    lids: IntArray | None = None

    @property
    def manager(self) -> int:
        """The host that runs the subnet manager."""
        return int(self.hosts[0])

    @cached_property
    def switches(self) -> IntArray:
        """Nodes that are switches, ascending."""
        return np.setdiff1d(np.arange(self.network.order), np.flatnonzero(self.alone))

    @cached_property
    def _twice(self) -> frozenset[int]:
        """Endpoints with several ports in this subnet."""
        found, counts = np.unique(self.labels[self.hosts], return_counts=True)
        return frozenset(found[counts > 1].tolist())

    @property
    def host_port(self) -> int:
        """The port of a switch that leads to its own host."""
        return self.wide + 1

    def host_name(self, node: int) -> str:
        """The name of a host, with its port where the endpoint has several in this subnet."""
        v = int(self.labels[node])
        return f"H{v}_{self.lines[node]}" if v in self._twice else f"H{v}"

    def switch_name(self, node: int) -> str:
        return f"S{self.labels[node]}"

    def name(self, node: int) -> str:
        """What the cables of a node hang on: its switch, else its host."""
        return self.host_name(node) if self.alone[node] else self.switch_name(node)

    def host_guid(self, node: int) -> int:
        """GUID of a host's port; in ibsim, whose adapters have one, the node's GUID is one less."""
        return _HOST_GUID + self.step * int(self.labels[node]) + int(self.lines[node])

    def switch_guid(self, node: int) -> int:
        return _SWITCH_GUID + int(self.labels[node])

    def lid(self, node: int) -> int:
        """Local identifier of a host (by its node): from 1."""
        return self.owner[node] + 1 if self.lids is None else int(self.lids[0, node])

    def switch_lid(self, node: int) -> int:
        if self.lids is not None:
            return int(self.lids[1, node])
        return len(self.hosts) + 1 + int(np.searchsorted(self.switches, node))


def fabric_of(network: Network) -> Subnet:
    """The fabric of a network as one subnet, or why InfiniBand cannot hold it."""
    _require_links(network)
    hosts = network.endpoints.astype(np.int64)
    is_host = np.zeros(network.order, dtype=bool)
    is_host[hosts] = True
    alone = np.zeros(network.order, dtype=bool)
    single = hosts[network.degrees[hosts] == 1]
    next_to = network.heads[network.indptr[single]]
    alone[single[~is_host[next_to]]] = True
    return _subnet(
        network,
        alone,
        labels=np.arange(network.order),
        lines=np.ones(network.order, dtype=np.int64),
        numbers=network.port_of(np.arange(len(network.heads))) + 1,
        channels=np.arange(len(network.heads)),
        step=2,
        wide=network.ports,
    )


def _require_links(network: Network) -> None:
    if not network.duplex:
        raise ArgumentError(f"{network.spec} has simplex channels; InfiniBand links go both ways")
    if network.ports > MOST_PORTS:
        raise ArgumentError(
            f"{network.spec} has {network.ports} ports; switches have up to {MOST_PORTS},"
            " one more for the host"
        )


def _subnet(network: Network, alone: IntArray, **more: Any) -> Subnet:
    hosts = network.endpoints.astype(np.int64)
    fabric = Subnet(network, hosts, {int(v): i for i, v in enumerate(hosts)}, alone, **more)
    if len(hosts) + len(fabric.switches) > MOST_LIDS:
        raise ArgumentError(
            f"{network.spec} needs {len(hosts) + len(fabric.switches)} local identifiers;"
            f" InfiniBand has {MOST_LIDS}"
        )
    return fabric


def subnets_of(network: Network) -> list[Subnet]:
    """The subnets of a machine: one, or its planes where endpoints are adapters of several ports.

    Raises:
        ArgumentError: Why InfiniBand cannot hold it.
    """
    ends = np.zeros(network.order, dtype=bool)
    ends[network.endpoints] = True
    several = network.has_switches and int(network.degrees[network.endpoints].max(initial=0)) > 1
    if not several or (ends[network.tails] & ends[network.heads]).any():
        return [fabric_of(network)]
    _require_links(network)
    inner = np.zeros(network.order, dtype=bool)
    inner[list(network.family.inner_switches() if network.family is not None else ())] = True
    plane = _planes(network, ends | inner)
    lines = _adapter_ports(network, ends, inner)
    return [
        _plane(network, plane, p, lines)
        for p in range(1, int(plane.max(initial=0)) + 1)
        if ends[network.heads[plane[network.tails] == p]].any()
    ]


def _planes(network: Network, left_out: IntArray) -> IntArray:
    """The component of each switch among the switches, from 1; 0 for what is left out."""
    plane = np.zeros(network.order, dtype=np.int64)
    for start in np.flatnonzero(~left_out).tolist():
        if plane[start]:
            continue
        number, stack = int(plane.max()) + 1, [start]
        plane[start] = number
        while stack:
            v = stack.pop()
            for w in network.heads[network.indptr[v] : network.indptr[v + 1]].tolist():
                if not left_out[w] and not plane[w]:
                    plane[w] = number
                    stack.append(w)
    return plane


def _adapter_ports(network: Network, ends: IntArray, inner: IntArray) -> IntArray:
    """The number of each channel among the lines of its endpoint into InfiniBand, from 1."""
    counted = ends[network.tails] & ~inner[network.heads]
    before = np.concatenate([[0], np.cumsum(counted)])
    number: IntArray = before[1:] - before[network.indptr[network.tails]]
    return np.where(counted, number, 0)


def _plane(network: Network, plane: IntArray, p: int, lines: IntArray) -> Subnet:
    """A plane as a network: each line of an endpoint a host of one port, then the switches."""
    forth = np.flatnonzero((lines > 0) & (plane[network.heads] == p))
    switches = np.flatnonzero(plane == p)
    place = np.full(network.order, -1)
    place[switches] = len(forth) + np.arange(len(switches))
    across = np.flatnonzero((plane[network.tails] == p) & (plane[network.heads] == p))
    across = across[across < network.reverse[across]]
    tails = np.concatenate([np.arange(len(forth)), place[network.tails[across]]])
    heads = np.concatenate([place[network.heads[forth]], place[network.heads[across]]])
    own = np.concatenate([forth, across])
    order = len(forth) + len(switches)
    made = Network.from_links(
        order, tails, heads, spec=network.spec, switches=np.arange(len(forth), order)
    )
    first = np.stack([own, network.reverse[own]], axis=1).ravel()  # of each end of each link
    ends = np.stack([tails, heads], axis=1).ravel()
    channel = first[np.argsort(ends, kind="stable")]
    alone = np.zeros(order, dtype=bool)
    alone[: len(forth)] = True
    return _subnet(
        made,
        alone,
        labels=np.concatenate([network.tails[forth], switches]).astype(np.int64),
        lines=np.concatenate([lines[forth], np.ones(len(switches), dtype=np.int64)]),
        numbers=np.where(lines[channel] > 0, 1, network.port_of(channel) + 1),
        channels=channel,
        step=max(2, int(lines.max()) + 1),
        wide=network.ports,
        plane=p,
    )


def write_infiniband(routes: Routes, folder: str | Path) -> None:
    """Write ``fabric.net`` (ibsim), ``routes.lfts`` (OpenSM -R file -U) and ``guid2lid``.

    Raises:
        ArgumentError: For simplex channels, or more nodes or ports than InfiniBand has.
    """
    fabric = fabric_of(routes.network)
    write_fabric(fabric, folder)
    write_text(Path(folder) / "routes.lfts", forwarding_tables(fabric, routes))


def write_fabric(fabric: Subnet, folder: str | Path) -> None:
    """Write ``fabric.net`` for ibsim and ``guid2lid`` for the cache folder of OpenSM."""
    place = make_folder(folder)
    write_text(place / "fabric.net", _netlist(fabric))
    write_text(place / "guid2lid", _lids(fabric))


def _netlist(fabric: Subnet) -> str:
    net, text = fabric.network, io.StringIO()
    plane = f", plane {fabric.plane}" if fabric.plane else ""
    nodes = int(fabric.labels.max()) + 1
    text.write(f"# hopscape {net.spec}\n# nodes {nodes}\n# {PORT_WORDS}{plane}\n\n")
    ports, back = fabric.numbers, fabric.numbers[net.reverse]
    for v in fabric.switches.tolist():
        text.write(f"switchguid={fabric.switch_guid(v):#x}\n")
        text.write(f'Switch\t{fabric.wide + 1} "{fabric.switch_name(v)}"\n')
        for c in range(int(net.indptr[v]), int(net.indptr[v + 1])):
            text.write(f'[{ports[c]}]\t"{fabric.name(int(net.heads[c]))}"[{back[c]}]\n')
        if v in fabric.owner:
            text.write(f'[{fabric.host_port}]\t"{fabric.host_name(v)}"[1]\n')
        text.write("\n")
    for v in fabric.hosts.tolist():
        text.write(f'caguid={fabric.host_guid(v) - 1:#x}\nHca\t1 "{fabric.host_name(v)}"\n')
        if fabric.alone[v]:
            c = int(net.indptr[v])
            text.write(f'[1]\t"{fabric.switch_name(int(net.heads[c]))}"[{back[c]}]\n\n')
        else:
            text.write(f'[1]\t"{fabric.switch_name(v)}"[{fabric.host_port}]\n\n')
    return text.getvalue()


def forwarding_tables(fabric: Subnet, routes: Routes) -> str:
    """Forwarding tables as OpenSM dumps and loads them, to hosts and to switches."""
    net = fabric.network
    switches, hosts = fabric.switches.tolist(), fabric.hosts
    lids, ports = _ports_by_lid(fabric, routes)
    top = max(lids, default=0)
    named = net.order <= _NAMED_ORDER  # OpenSM takes the lids of guid2lid where no guid is told
    before = [f"{lid:#06x} " for lid in lids]
    after = ["\n"] * len(before)
    if named:
        after = [
            f" # Channel Adapter portguid {_guid(fabric.host_guid(h))}: '{fabric.host_name(h)}'\n"
            for h in hosts.tolist()
        ]
        after += [
            f" # Switch portguid {_guid(fabric.switch_guid(s))}: '{fabric.switch_name(s)}'\n"
            for s in switches
        ]
    width = 3 if named else 1
    digits = [f"{port:0{width}d}" for port in range(fabric.host_port + 1)]
    parts = [f"# {net.spec}, {routes.name} routes. {PORT_WORDS}\n"]
    for v in switches:
        head = f"switch Lid {fabric.switch_lid(v)} guid {_guid(fabric.switch_guid(v))}"
        parts.append(f"Unicast lids [0-{top}] of {head} ('{fabric.switch_name(v)}'):")
        taken = ports[:, v]
        texts = map(digits.__getitem__, taken.tolist())
        parts += ["\n", *(a + b + c for a, b, c in zip(before, texts, after, strict=True))]
        parts.append(f"{len(taken)} valid lids dumped\n")
    return "".join(parts)


def _ports_by_lid(fabric: Subnet, routes: Routes) -> tuple[list[int], IntArray]:
    """Local identifiers, and the port by which each node leaves for them, [lid, at]."""
    net, hosts = fabric.network, fabric.hosts
    channels = np.stack([routes.channels_to(to) for to in range(net.order)])  # [to, at]
    ports = np.append(fabric.numbers, 0)[channels]  # the last where there is none
    taken = ports[np.concatenate([hosts, fabric.switches])]
    taken[np.arange(len(hosts)), hosts] = fabric.host_port
    switches = fabric.switches.tolist()
    return [*map(fabric.lid, hosts.tolist()), *map(fabric.switch_lid, switches)], taken


def _guid(number: int) -> str:
    return f"{number:#018x}"


def _lids(fabric: Subnet) -> str:
    lines = []
    for h in fabric.hosts.tolist():
        lid = fabric.lid(h)
        lines.append(f"{_guid(fabric.host_guid(h))} {lid:#06x} {lid:#06x}\n")
    for s in fabric.switches.tolist():
        lid = fabric.switch_lid(s)
        lines.append(f"{_guid(fabric.switch_guid(s))} {lid:#06x} {lid:#06x}\n")
    return "\n".join(lines)


@dataclass(frozen=True)
class Rewritten:
    """What a subnet manager rewrites on switches when parts die.

    Attributes:
        subnet: What is left.
        switches, entries: Switches of one lane that change, and entries of their tables.
        anew: Hosts to which ways that still work were given up too, so that none waits in a circle.
        rows: Each (switch, its GUID, LID, port before, port now) as text; 0 for no port.
    """

    subnet: Subnet
    switches: int
    entries: int
    anew: int
    rows: Sequence[str]

    def words(self) -> str:
        """In one sentence."""
        of = len(self.subnet.switches)
        hosts = len(self.subnet.hosts)
        how = "what still works is as before"
        if self.anew:
            how += f" but to {self.anew} of {hosts} hosts" if self.anew < hosts else " nowhere"
        return f"{self.entries} entries of {self.switches} of {of} switches change; {how}"


def write_rest(
    routes: Routes, faults: Faults, folder: str | Path
) -> list[tuple[Subnet, OpenSM, Rewritten]]:
    """Write :func:`write_subnets` for what is left when parts die.

    Names, GUIDs, LIDs and ports are those of the whole fabric. Ways that still work stay as they
    are; ``changes.csv`` of each subnet lists the entries of the one-lane tables that change.

    Args:
        routes: The shortest routes of the whole.

    Raises:
        ArgumentError: As :func:`write_subnets`; where no endpoint is left.
        DisconnectedError: Where what is left of a subnet hangs apart.
    """
    subnets, top = subnets_of(routes.network), Path(folder)
    found = []
    for one in subnets:
        place = top / f"plane-{one.plane}" if one.plane else top
        mine = all_routes(one.network) if one.plane else routes
        found.append(_write_rest(one, mine, faults, place))
    return found


def _write_rest(
    whole: Subnet, routes: Routes, faults: Faults, folder: Path
) -> tuple[Subnet, OpenSM, Rewritten]:
    own = _inside(whole, faults)
    left, nodes, channels = _rest_of(whole, own)
    shortest = repaired_shortest(routes, left.network, nodes, channels)
    before = one_lane_routes(whole.network, routes)
    if before is routes and cyclic_channels(shortest) == 0:
        one_lane, anew = shortest, 0
    else:
        one_lane, anew = repaired_one_lane(before, left.network, nodes, channels, shortest)
    written = _write_subnet(left, shortest, folder, one_lane)
    rows = list(_changed(whole, before, left, one_lane))
    text = "switch,guid,lid,port_before,port_now\n" + "".join(row + "\n" for row in rows)
    write_text(folder / "changes.csv", f"# hopscape {whole.network.spec}\n# {PORT_WORDS}\n{text}")
    touched = {row.partition(",")[0] for row in rows}
    return left, written, Rewritten(left, len(touched), len(rows), anew, rows)


def _inside(fabric: Subnet, faults: Faults) -> Faults:
    """The dead parts that are in a subnet, by its own nodes, with all that they cut off."""
    net, labels = fabric.network, fabric.labels
    dead = set(np.flatnonzero(np.isin(labels, list(faults.nodes))).tolist())
    ends = zip(net.tails.tolist(), net.heads.tolist(), strict=True)
    links = {
        frozenset(pair)
        for pair in ends
        if frozenset((int(labels[pair[0]]), int(labels[pair[1]]))) in faults.links
    }
    return Faults(frozenset(dead), frozenset(links)).with_cut_off(net)


def _rest_of(fabric: Subnet, faults: Faults) -> tuple[Subnet, IntArray, IntArray]:
    """What is left of a subnet under its old names, and its nodes and channels in the whole."""
    net = fabric.network
    left, nodes, channels = faults.rest(net)
    apart = np.flatnonzero(distances_from(left, 0) < 0)
    if len(apart):
        a, b = int(fabric.labels[nodes[0]]), int(fabric.labels[nodes[apart[0]]])
        raise DisconnectedError(
            f"what is left of {net.spec} hangs apart: no way leads from node {a} to node {b}"
        )
    lids = np.zeros((2, left.order), dtype=np.int64)
    switches = set(fabric.switches.tolist())
    for i, v in enumerate(nodes.tolist()):
        lids[0, i] = fabric.lid(v) if v in fabric.owner else 0
        lids[1, i] = fabric.switch_lid(v) if v in switches else 0
    hosts = left.endpoints.astype(np.int64)
    rest = replace(
        fabric,
        network=left,
        hosts=hosts,
        owner={int(v): i for i, v in enumerate(hosts)},
        alone=fabric.alone[nodes],
        labels=fabric.labels[nodes],
        lines=fabric.lines[nodes],
        numbers=fabric.numbers[channels],
        channels=fabric.channels[channels],
        lids=lids,
    )
    return rest, nodes, channels


def _changed(whole: Subnet, before: Routes, left: Subnet, now: Routes) -> Iterator[str]:
    """Entries of switches that live on whose port is another one than before, by line of a list."""
    old, new = _entries(whole, before), _entries(left, now)
    for (name, lid), (guid, port) in sorted(new.items()):
        was = old[name, lid][1]
        if was != port:
            yield f"{name},{_guid(guid)},{lid},{was},{port}"


def _entries(fabric: Subnet, routes: Routes) -> dict[tuple[str, int], tuple[int, int]]:
    """GUID of the switch and port, by its name and a local identifier."""
    lids, ports = _ports_by_lid(fabric, routes)
    found = {}
    for v in fabric.switches.tolist():
        name, guid = fabric.switch_name(v), fabric.switch_guid(v)
        for lid, port in zip(lids, ports[:, v].tolist(), strict=True):
            found[name, lid] = guid, port
    return found


MOST_LEVELS = 8  # virtual lanes VL0 to VL7 of common switches
_GUIDS_A_LINE = 8  # a line stays readable
_ONE_LANE = """\
# {spec}: one lane. Run in this folder: opensm -F opensm.conf
# {numbering}
routing_engine file,no_fallback
lfts_file routes.lfts
qos FALSE
"""
_LEVELS = """\
# {spec}: {name} routes on {levels} service levels. Run in this folder: opensm -F opensm.conf
# The subnet manager belongs on host {manager}, whose pairs are all on service level 0.
# {numbering}
routing_engine file,no_fallback
lfts_file routes.lfts
sm_sl 0
qos TRUE
qos_policy_file qos-policy.conf
qos_max_vls {lanes}
qos_high_limit 0
qos_vlarb_high {high}
qos_vlarb_low {low}
qos_sl2vl {table}
"""


@dataclass(frozen=True)
class OpenSM:
    """What was written for OpenSM.

    Attributes:
        layers (uint8[hosts, hosts] or None): Service levels; None where eight do not suffice.
        levelled: The routes on service levels: the shortest, or such with detours where the
            shortest need more than eight levels.
    """

    one_lane: Routes
    shortest: Routes
    layers: IntArray | None
    levelled: Routes

    @property
    def levels(self) -> int:
        """Service levels that are taken; 0 where eight do not suffice."""
        return 0 if self.layers is None else int(self.layers.max(initial=0)) + 1

    def words(self) -> str:
        """The two hand-overs in a sentence each."""
        if self.one_lane is self.shortest:
            first = "shortest" if self.shortest.exact else "the family's"
            return (
                f"{first} routes cannot deadlock on one lane: use opensm.conf; there are no service"
                " levels"
            )
        one, short, levelled = self.one_lane, self.shortest, self.levelled
        kind = "shortest" if short.exact else "family's"
        rows = f"one lane (opensm.conf): {_beside(one, short, kind)}; "
        if self.layers is None:
            return rows + f"service levels: none, the {kind} routes need more than {MOST_LEVELS}"
        if levelled is short:
            return rows + f"service-levels/: the {kind} routes on {self.levels} service levels"
        return (
            f"{rows}service-levels/: the {kind} routes need more than {MOST_LEVELS}; with detours"
            f" on {self.levels}: {_beside(levelled, short, kind)}"
        )


def _beside(routes: Routes, short: Routes, kind: str) -> str:
    """What routes cost, in words, beside the shortest."""
    return (
        f"mean hops {routes.mean:.3f} ({kind} {short.mean:.3f}), at most {routes.longest}"
        f" ({short.longest}), busiest link {int(routes.loads.max())} pairs"
        f" ({int(short.loads.max())}), throughput {_throughput(routes):.3f}"
        f" ({_throughput(short):.3f}) of an endpoint's link"
    )


def _throughput(routes: Routes) -> float:
    return 1 / max(1.0, routes.uniform_load())


def write_opensm(shortest: Routes, folder: str | Path) -> OpenSM:
    """Write ``fabric.net``, ``guid2lid``, the one-lane tables and, below, the service levels.

    Args:
        shortest: To all nodes.

    Raises:
        ArgumentError: For simplex channels, or more nodes or ports than InfiniBand has.
    """
    return _write_subnet(fabric_of(shortest.network), shortest, Path(folder))


def write_subnets(routes: Routes, folder: str | Path) -> list[tuple[Subnet, OpenSM]]:
    """Write :func:`write_opensm` for every subnet, each plane into a folder of its own.

    Args:
        routes: The shortest routes; planes have their own, which pass through no endpoint.

    Raises:
        ArgumentError: For simplex channels, or more nodes or ports than InfiniBand has.
    """
    subnets = subnets_of(routes.network)
    if not subnets[0].plane:
        return [(subnets[0], _write_subnet(subnets[0], routes, Path(folder)))]
    return [
        (one, _write_subnet(one, all_routes(one.network), Path(folder) / f"plane-{one.plane}"))
        for one in subnets
    ]


def _write_subnet(
    fabric: Subnet, shortest: Routes, folder: Path, one_lane: Routes | None = None
) -> OpenSM:
    network = fabric.network
    if not len(fabric.hosts):
        raise ArgumentError(f"{network.spec} has no endpoints; OpenSM runs on one")
    if one_lane is None:
        one_lane = one_lane_routes(network, shortest)
    top = make_folder(folder)
    write_fabric(fabric, top)
    write_text(top / "routes.lfts", forwarding_tables(fabric, one_lane))
    write_text(top / "opensm.conf", _ONE_LANE.format(spec=network.spec, numbering=PORT_WORDS))
    if one_lane is shortest:
        return OpenSM(one_lane, shortest, None, shortest)
    levelled = shortest
    layers = symmetric_layers(shortest, MOST_LEVELS, first=fabric.manager)
    if layers is None:
        found = routes_on_lanes(shortest, MOST_LEVELS, first=fabric.manager)
        levelled, layers = found or (shortest, None)
    if layers is not None:
        _write_levels(fabric, levelled, layers, make_folder(top / "service-levels"))
    return OpenSM(one_lane, shortest, layers, levelled)


def _write_levels(fabric: Subnet, routes: Routes, layers: IntArray, folder: Path) -> None:
    """Tables, configuration, policy, and the same levels and lanes for ibdmchk."""
    levels = int(layers.max(initial=0)) + 1
    lanes = next(n for n in (1, 2, 4, 8) if n >= levels)  # what switches can be set to
    conf = _LEVELS.format(
        spec=fabric.network.spec,
        name=routes.name,
        levels=levels,
        manager=fabric.host_name(fabric.manager),
        numbering=PORT_WORDS,
        lanes=lanes,
        high=",".join(f"{vl}:0" for vl in range(lanes)),
        low=",".join(f"{vl}:64" for vl in range(lanes)),
        table=",".join(str(sl) if sl < levels else "15" for sl in range(16)),
    )
    write_text(folder / "opensm.conf", conf)
    write_text(folder / "routes.lfts", forwarding_tables(fabric, routes))
    write_text(folder / "qos-policy.conf", _policy(fabric, layers))
    lids = [fabric.lid(int(h)) for h in fabric.hosts]
    nodes = [_guid(fabric.host_guid(int(h)) - 1) for h in fabric.hosts]
    lines = (
        f"{nodes[a]} {lids[b]} {layers[a, b]}\n"
        for a in range(len(lids))
        for b in range(len(lids))
        if a != b
    )
    write_text(folder / "path-sl.txt", "".join(lines))


def _policy(fabric: Subnet, layers: IntArray) -> str:
    """Match rules: hosts with the same partners on a level share one rule."""
    guids = [_guid(fabric.host_guid(int(h))) for h in fabric.hosts]
    groups, rules = io.StringIO(), io.StringIO()
    for level in range(1, int(layers.max(initial=0)) + 1):
        rows, place = np.unique(layers == level, axis=0, return_inverse=True)
        for k, row in enumerate(rows):
            if not row.any():
                continue
            _group(groups, f"from-{level}-{k}", [guids[i] for i in np.flatnonzero(place == k)])
            _group(groups, f"to-{level}-{k}", [guids[i] for i in np.flatnonzero(row)])
            rules.write(
                f"  qos-match-rule\n    source: from-{level}-{k}\n    destination: to-{level}-{k}\n"
                f"    qos-level-name: level-{level}\n  end-qos-match-rule\n"
            )
    levels = "".join(
        f"  qos-level\n    name: {'DEFAULT' if not sl else f'level-{sl}'}\n    sl: {sl}\n"
        "  end-qos-level\n"
        for sl in range(int(layers.max(initial=0)) + 1)
    )
    return (
        f"# {fabric.network.spec}: the service level of every pair of hosts. {PORT_WORDS}\n"
        f"port-groups\n{groups.getvalue()}end-port-groups\n"
        f"qos-levels\n{levels}end-qos-levels\n"
        f"qos-match-rules\n{rules.getvalue()}end-qos-match-rules\n"
    )


def _group(out: io.StringIO, name: str, guids: list[str]) -> None:
    out.write(f"  port-group\n    name: {name}\n")
    for i in range(0, len(guids), _GUIDS_A_LINE):
        out.write(f"    port-guid: {','.join(guids[i : i + _GUIDS_A_LINE])}\n")
    out.write("  end-port-group\n")
