"""Ethernet: BGP unnumbered with ECMP for FRR, and the same fabric for containerlab.

Every node that forwards is a router with an AS number of its own, so that BGP's shortest AS path is
a shortest way, and all shortest ways share the traffic; link addresses are IPv6 link-local ones
(RFC 5549, RFC 7938). Endpoints that hang on switches are hosts on a /31 of their leaf. Router v has
the address 10.0.0.0 + v + 1 and AS 4200000000 + v; the hosts' links count from 10.128.0.0.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Address
from pathlib import Path

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows
from hopscape.core.errors import ArgumentError
from hopscape.core.files import make_folder, write_text
from hopscape.core.network import Network
from hopscape.formats.graphs.libraries import link_ends

__all__ = ["MOST_ROUTERS", "EthernetFabric", "write_frr"]

MOST_ROUTERS = 400  # a folder for each, and a table of their squares
_MOST_PATHS = 256  # next hops of a route, as FRR is built in Debian
_FIRST_AS = 4_200_000_000  # of the private ones (RFC 6996)
_ROUTERS, _HOSTS = IPv4Address("10.0.0.0"), IPv4Address("10.128.0.0")
_DAEMONS = "zebra=yes\nbgpd=yes\nvtysh_enable=yes\n"
_CONF = """\
frr defaults datacenter
hostname {name}
!
interface lo
 ip address {address}/32
!
{hosts}router bgp {asn}
 bgp router-id {address}
 bgp bestpath as-path multipath-relax
 neighbor fabric peer-group
 neighbor fabric remote-as external
{neighbours} !
 address-family ipv4 unicast
  redistribute connected
  maximum-paths {paths}
 exit-address-family
!
"""


@dataclass(frozen=True)
class EthernetFabric:
    """Who routes, who is a host, and by which addresses.

    Attributes:
        hosts: Nodes that are hosts, ascending.
    """

    network: Network
    hosts: tuple[int, ...]

    @classmethod
    def of(cls, network: Network) -> EthernetFabric:
        """The fabric of a network.

        Raises:
            ArgumentError: For what BGP unnumbered is not written for.
        """
        spec = network.spec
        if not network.duplex:
            raise ArgumentError(f"{spec} has simplex channels; Ethernet links go both ways")
        ends = np.zeros(network.order, dtype=bool)
        ends[network.endpoints] = network.has_switches
        forwards = (ends[network.tails] & ends[network.heads]).any()
        hosts = () if forwards else tuple(np.flatnonzero(ends).tolist())
        lines = int(network.degrees[list(hosts)].max(initial=1))
        if lines > 1:
            raise ArgumentError(
                f"endpoints of {spec} have up to {lines} lines; BGP unnumbered is written for hosts"
                " with one"
            )
        if network.order - len(hosts) > MOST_ROUTERS:
            raise ArgumentError(
                f"{spec} has {network.order - len(hosts):,} routers; configurations are written for"
                f" up to {MOST_ROUTERS}"
            )
        if network.ports > _MOST_PATHS:
            raise ArgumentError(
                f"{spec} has {network.ports} ports; FRR takes up to {_MOST_PATHS} next hops"
            )
        return cls(network, hosts)

    @cached_property
    def routers(self) -> IntArray:
        """Nodes that forward, ascending."""
        return np.setdiff1d(np.arange(self.network.order), self.hosts)

    def name(self, node: int) -> str:
        return f"H{node}" if node in self._place else f"S{node}"

    @cached_property
    def _place(self) -> dict[int, int]:
        return {v: i for i, v in enumerate(self.hosts)}

    def address(self, node: int) -> IPv4Address:
        """Of a router, or of a host."""
        if node in self._place:
            return _HOSTS + 2 * self._place[node] + 1
        return _ROUTERS + node + 1

    def prefix(self, node: int) -> str:
        """What the others have a route to: the router, or the link of a host."""
        if node in self._place:
            return f"{self.address(node) - 1}/31"
        return str(self.address(node))

    def leaf(self, node: int) -> int:
        """The router behind which a node is reached: itself, or that of a host."""
        return self.lines(node)[0][1] if node in self._place else node

    def configuration(self, router: int) -> str:
        """The frr.conf of a router."""
        hosts, neighbours, net = io.StringIO(), io.StringIO(), self.network
        for port, other in self.lines(router):
            if other in self._place:
                address = self.address(other) - 1
                hosts.write(f"interface eth{port}\n ip address {address}/31\n!\n")
            else:
                neighbours.write(f" neighbor eth{port} interface peer-group fabric\n")
        return _CONF.format(
            name=self.name(router),
            address=self.address(router),
            asn=_FIRST_AS + router,
            hosts=hosts.getvalue(),
            neighbours=neighbours.getvalue(),
            paths=max(1, min(net.ports, _MOST_PATHS)),
        )

    def lines(self, node: int) -> list[tuple[int, int]]:
        """Port (from 1) and neighbour of every line."""
        net = self.network
        own = np.arange(net.indptr[node], net.indptr[node + 1])
        ports = (net.port_of(own) + 1).tolist()
        return list(zip(ports, net.heads[own].tolist(), strict=True))

    def links(self) -> list[tuple[str, str, str, str]]:
        """Each cable: name and interface at both ends."""
        tails, heads, channels = link_ends(self.network)
        out = self.network.port_of(channels) + 1
        into = self.network.port_of(self.network.reverse[channels]) + 1
        return [
            (self.name(u), f"eth{p}", self.name(v), f"eth{q}")
            for u, v, p, q in zip(*map(np.ndarray.tolist, (tails, heads, out, into)), strict=True)
        ]

    def next_hops(self, without: int | None = None) -> IntArray:
        """Equal next hops of each router (row) to each (column); 0 to itself and where no way is.

        Args:
            without: A link, by its place among all, that is cut.
        """
        net = self.network
        tails, heads, _ = link_ends(net)
        place = np.full(net.order, -1)
        place[self.routers] = np.arange(len(self.routers))
        stays = (place[tails] >= 0) & (place[heads] >= 0)
        if without is not None:
            stays[without] = False
        inner = Network.from_links(len(self.routers), place[tails[stays]], place[heads[stays]])
        hops = distance_rows(inner, np.arange(inner.order))
        counts = np.zeros((inner.order, inner.order), dtype=np.int64)
        for u, v in zip(inner.tails.tolist(), inner.heads.tolist(), strict=True):
            counts[u] += (hops[v] == hops[u] - 1) & (hops[v] >= 0)
        return counts


def write_frr(network: Network, folder: str | Path) -> str:
    """Write ``NAME/frr.conf``, ``daemons``, ``ecmp.csv`` and ``fabric.clab.yml``; what it is.

    Raises:
        ArgumentError: As :meth:`EthernetFabric.of`.
    """
    fabric = EthernetFabric.of(network)
    top = make_folder(folder)
    write_text(top / "daemons", _DAEMONS)
    for router in fabric.routers.tolist():
        own = make_folder(top / fabric.name(router))
        write_text(own / "frr.conf", f"! hopscape {network.spec}\n{fabric.configuration(router)}")
    names = [fabric.name(v) for v in fabric.routers.tolist()]
    counts = fabric.next_hops()
    rows = [",".join(["at", *names])]
    rows += [
        f"{name},{','.join(map(str, row))}"
        for name, row in zip(names, counts.tolist(), strict=True)
    ]
    write_text(top / "ecmp.csv", f"# hopscape {network.spec}\n" + "\n".join(rows) + "\n")
    write_text(top / "fabric.clab.yml", _containerlab(fabric))
    most = int(counts.max(initial=0))
    return (
        f"BGP unnumbered for FRR: {len(names)} routers, each an AS of its own, {len(fabric.hosts)}"
        f" hosts, up to {most} equal next hops (ecmp.csv); fabric.clab.yml for containerlab"
    )


def _containerlab(fabric: EthernetFabric) -> str:
    out = io.StringIO()
    out.write(f"# hopscape {fabric.network.spec}\nname: hopscape\ntopology:\n  nodes:\n")
    for router in fabric.routers.tolist():
        name = fabric.name(router)
        out.write(
            f"    {name}:\n      kind: linux\n      image: frrouting/frr:latest\n      binds:\n"
            f"        - {name}/frr.conf:/etc/frr/frr.conf\n        - daemons:/etc/frr/daemons\n"
            "      exec:\n        - sysctl -w net.ipv4.ip_forward=1\n"
            "        - sysctl -w net.ipv4.fib_multipath_hash_policy=1\n"
        )
    for host in fabric.hosts:
        [(port, _)] = fabric.lines(host)
        address = fabric.address(host)
        out.write(
            f"    {fabric.name(host)}:\n      kind: linux\n      image: alpine:latest\n"
            "      exec:\n"
            f"        - ip address add {address}/31 dev eth{port}\n"
            f"        - ip route replace default via {address - 1}\n"
        )
    out.write("  links:\n")
    for a, p, b, q in fabric.links():
        out.write(f'    - endpoints: ["{a}:{p}", "{b}:{q}"]\n')
    return out.getvalue()
