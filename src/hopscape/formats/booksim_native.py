"""Topologies that BookSim builds itself, with its numbering, its ways and its cycles per link.

Endpoints hang on routers there: nodes are routers only, several endpoints to each (of a fat tree,
to the lowest ones).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.core.router import Router, TableRouter

__all__ = ["NATIVE", "NativeTopology", "native_setup"]

_LOCAL, _GLOBAL = 10, 100  # cycles of a dragonfly's links, fixed when BookSim is compiled
_FAR_CLIENTS = 9  # endpoints of a flatfly router: with more, some lie further away than a cycle
_MOST_ROUTERS = 1 << 14  # a table of all pairs takes 256 MB


class NativeTopology(NamedTuple):
    """A network as BookSim builds it.

    Attributes:
        network: Of routers; those without endpoints are its switches.
        concentration: Endpoints of each of the others.
        router: BookSim's ways, drawn at the source where it draws them.
        delays: Cycles of each channel.
        home: Router of each endpoint, where they are not in order.
        vcs: How many virtual channels its ways use; None for all.
    """

    network: Network
    concentration: int
    router: Router
    delays: IntArray
    home: IntArray | None = None
    vcs: int | None = None

    def vcs_of(self, values: Mapping[str, Any]) -> int:
        """Virtual channels that packets use of those of a configuration."""
        given = int(values["num_vcs"])
        if self.vcs is not None and given < self.vcs:
            raise ArgumentError(
                f"num_vcs = {given}; {values['routing_function']} of {values['topology']} uses"
                f" {self.vcs}"
            )
        return given if self.vcs is None else self.vcs


class _Ways(TableRouter):
    """One way of each pair, given by its routers after the first."""

    name = "BookSim's"

    def __init__(self, network: Network) -> None:
        super().__init__(network)
        self.wiring = network

    @abstractmethod
    def through(self, at: IntArray, to: IntArray, draw: int) -> tuple[Floats, IntArray]:
        """Share of a way of each pair, and its routers, the first one too, -1 behind the last."""

    def multipath(self, at: IntArray, to: IntArray) -> Iterator[tuple[Floats, IntArray, IntArray]]:
        for draw in range(self.draws()):
            shares, nodes = self.through(at, to, draw)
            yield shares, nodes, self._ports(nodes)

    def draws(self) -> int:
        """Ways of a pair that BookSim draws from."""
        return 1

    def walk(self, at: IntArray, to: IntArray) -> tuple[IntArray, IntArray]:
        _, nodes = self.through(at, to, 0)
        return nodes, self._ports(nodes)

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        return self._ports(self.through(at, to, 0)[1][:, :2])[:, 0]

    def _ports(self, nodes: IntArray) -> IntArray:
        ports = np.full((len(nodes), nodes.shape[1] - 1), -1, dtype=np.int64)
        for hop in range(ports.shape[1]):
            on = np.flatnonzero(nodes[:, hop + 1] >= 0)
            rows = self.wiring.rows(nodes[on, hop])
            ports[on, hop] = (rows == nodes[on, hop + 1][:, None]).argmax(axis=1)
        return ports


class _RowsFirst(_Ways):
    """flatfly, ran_min: along x, then along y, one hop each."""

    def __init__(self, network: Network, side: int) -> None:
        super().__init__(network)
        self.side = side

    def through(self, at: IntArray, to: IntArray, draw: int) -> tuple[Floats, IntArray]:
        corner = at - at % self.side + to % self.side
        nodes = np.stack([at, corner, to], axis=1)
        straight = (corner == at) | (corner == to)
        nodes[straight, 1], nodes[straight, 2] = to[straight], -1
        nodes[at == to, 1:] = -1
        return np.ones(len(at)), nodes


class _UpAnywhere(_Ways):
    """fattree, nca: any way up to the level that spans both, drawn port by port, then down."""

    chained = False

    def __init__(self, network: Network, arity: int, levels: int) -> None:
        super().__init__(network)
        self.arity, self.levels = arity, levels
        self.leaves = arity ** (levels - 1)

    def draws(self) -> int:
        return self.leaves

    def through(self, at: IntArray, to: IntArray, draw: int) -> tuple[Floats, IntArray]:
        k, top = self.arity, self.levels - 1
        leaf = (at < self.leaves) & (to < self.leaves)
        height = sum(((at // k**i != to // k**i).astype(np.int64) for i in range(top)), at * 0)
        height[~leaf] = 0
        nodes = np.full((len(at), 2 * top + 1), -1, dtype=np.int64)
        nodes[:, 0] = at
        place = at.copy()
        for i in range(top):  # one level up sets digit i to a drawn one
            up = height > i
            digit = draw // k**i % k
            place[up] += (digit - place[up] // k**i % k) * k**i
            nodes[up, i + 1] = (i + 1) * self.leaves + place[up]
        for i in reversed(range(top)):  # and one level down sets it to the target's
            down = height > i
            place[down] += (to[down] // k**i % k - place[down] // k**i % k) * k**i
            nodes[down, 2 * height[down] - i] = i * self.leaves + place[down]
        drawn = draw < k**height
        return np.where(leaf & drawn, 1.0 / k**height, 0.0), nodes


class _OverOneGlobal(_Ways):
    """dragonflynew, min: to the router with the global link, over it, to the target.

    Behind the global link a packet is in the second virtual channel.
    """

    chained = False

    def __init__(self, network: Network, ports: int) -> None:
        super().__init__(network)
        self.ports, self.group = ports, 2 * ports

    def gate(self, here: IntArray, there: IntArray) -> IntArray:
        """The router of one group that has the link to another one."""
        turn = np.where(here > there, there, there - 1)
        gate: IntArray = turn // self.ports + here * self.group
        return gate

    def through(self, at: IntArray, to: IntArray, draw: int) -> tuple[Floats, IntArray]:
        here, there = at // self.group, to // self.group
        nodes = np.full((len(at), 4), -1, dtype=np.int64)
        nodes[:, 0] = at
        held = np.ones(len(at), dtype=np.int64)
        far = here != there
        out, back = self.gate(here, there), self.gate(there, here)
        for wanted, place in ((far, out), (far, back), (np.full(len(at), True), to)):
            now = nodes[np.arange(len(at)), held - 1]
            go = np.flatnonzero(wanted & (now != place))
            nodes[go, held[go]] = place[go]
            held[go] += 1
        return np.ones(len(at)), nodes

    def gates(self) -> IntArray:
        crossing: IntArray = self.wiring.tails // self.group != self.wiring.heads // self.group
        return crossing


def _flatfly(values: Mapping[str, Any]) -> NativeTopology:
    side, clients = int(values["k"]), int(values["c"])
    width = math.isqrt(clients)
    if width**2 != clients:
        raise ArgumentError(f"topology = flatfly has c = {clients}; it must be a square number")
    _require("flatfly", values, {"n": 2, "x": side, "y": side, "xr": width, "yr": width})
    _require_size(side**2)
    noc = bool(values["use_noc_latency"])
    if noc and clients > _FAR_CLIENTS:
        raise ArgumentError(
            f"c = {clients} with use_noc_latency = 1: lines to endpoints take several cycles there,"
            f" and one here; up to c = {_FAR_CLIENTS} they take one"
        )
    grid = np.arange(side**2).reshape(side, side)
    lines = [*grid.tolist(), *grid.T.tolist()]
    network = _network("flatfly", side**2, [p for one in lines for p in combinations(one, 2)])
    gap = np.abs(network.tails - network.heads)
    length = width * np.where(gap % side, gap, gap // side) if noc else np.ones_like(gap)
    ends = np.arange(side**2 * clients)
    row, column = ends // (side * width) // width, ends % (side * width) // width
    return NativeTopology(
        network, clients, _RowsFirst(network, side), length, home=row * side + column
    )


def _fattree(values: Mapping[str, Any]) -> NativeTopology:
    k, n = int(values["k"]), int(values["n"])
    if n < 2:
        raise ArgumentError(f"topology = fattree has n = {n}; it needs two levels at least")
    _require_size(n * k ** (n - 1))
    leaves = k ** (n - 1)
    place = np.arange(leaves)
    pairs = [
        (low * leaves + at, (low + 1) * leaves + at + (digit - at // k**low % k) * k**low)
        for low in range(n - 1)
        for at in place
        for digit in range(k)
    ]
    network = _network("fattree", n * leaves, pairs, np.arange(leaves, n * leaves))
    return NativeTopology(network, k, _UpAnywhere(network, k, n), np.ones_like(network.heads))


def _dragonfly(values: Mapping[str, Any]) -> NativeTopology:
    p = int(values["k"])
    _require("dragonflynew", values, {"n": 1})
    a, groups = 2 * p, 2 * p * p + 1
    _require_size(a * groups)
    inner = [p for g in range(groups) for p in combinations(range(g * a, g * a + a), 2)]
    outer = [
        (low * a + (high - 1) // p, high * a + low // p)
        for high in range(groups)
        for low in range(high)
    ]
    network = _network("dragonflynew", a * groups, inner + outer)
    router = _OverOneGlobal(network, p)
    delays = np.where(router.gates(), _GLOBAL, _LOCAL)
    return NativeTopology(network, p, router, delays, vcs=2)


def _network(
    name: str, order: int, pairs: list[tuple[int, int]], switches: IntArray | None = None
) -> Network:
    ends = np.asarray(pairs, dtype=np.int64)
    return Network.from_links(order, ends[:, 0], ends[:, 1], spec=name, switches=switches)


def _require(topology: str, values: Mapping[str, Any], wanted: Mapping[str, int]) -> None:
    for key, value in wanted.items():
        if values[key] != value:
            raise ArgumentError(
                f"topology = {topology} has {key} = {values[key]}; {key} = {value} is known here"
            )


def _require_size(routers: int) -> None:
    if routers > _MOST_ROUTERS:
        raise ArgumentError(f"{routers} routers; at most {_MOST_ROUTERS} are known here")


NATIVE = {
    "flatfly": (_flatfly, "ran_min"),
    "fattree": (_fattree, "nca"),
    "dragonflynew": (_dragonfly, "min"),
}
"""What builds a topology, and the routing that it is known with."""


def native_setup(values: Mapping[str, Any]) -> NativeTopology:
    """The topology of a configuration, with its routing.

    Raises:
        ArgumentError: For a routing or numbers that have no counterpart here.

    Examples:
        >>> found = native_setup({"topology": "dragonflynew", "k": 2, "n": 1,
        ...                       "routing_function": "min"})
        >>> found.network.order, found.concentration, sorted(set(found.delays.tolist()))
        (36, 2, [10, 100])
    """
    topology = str(values["topology"])
    make, routing = NATIVE[topology]
    if values["routing_function"] != routing:
        raise ArgumentError(
            f"routing_function = {values['routing_function']} is not known here for {topology};"
            f" choose {routing}"
        )
    if int(values["k"]) < 2 and topology != "dragonflynew":
        raise ArgumentError(f"topology = {topology} has k = {values['k']}; it must be at least 2")
    if int(values["k"]) < 1:
        raise ArgumentError(f"topology = {topology} has k = {values['k']}; it must be at least 1")
    return make(values)
