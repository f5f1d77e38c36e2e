"""Self-routing: the crossbar of a pair, all ways of a pair, and ways round what is dead.

Do the ports by which the packets of a distributed switch are sent lead where they must?

Traffic is checked by ports, which is fast and blind: ports that lead elsewhere are never wanted
twice either. So the ports are held against the wiring first.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.detours import route_around as search
from hopscape.core.errors import ArgumentError
from hopscape.core.faults import Faults
from hopscape.core.network import Network
from hopscape.core.router import Route, Router
from hopscape.core.verdict import Verdict
from hopscape.papers.blockdesign.crossbars import Crossbars, Ports, SimplexCrossbars
from hopscape.papers.blockdesign.supernodes import Supernodes

__all__ = [
    "SwitchRouter",
    "all_routes",
    "check_ports",
    "route_around",
    "route_options",
    "stranded_pairs",
]


class SwitchRouter(Router):
    """Two hops between endpoints and between crossbars, one or three from one kind to the other."""

    name = "self-routing"

    def __init__(self, network: Network, n: int, ports: Ports) -> None:
        super().__init__(network)
        self._n, self._ports = n, ports
        self.table_bytes = ports.table_bytes

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        n = self._n
        out = np.where(at == to, 0, 2).astype(np.int64)
        mixed = (at < n) != (to < n)
        element = np.where(at < n, at, to)[mixed]
        block = np.where(at < n, to, at)[mixed] - n
        out[mixed] = np.where(self._ports.to_block(element, block) >= 0, 1, 3)
        return out

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        n, ports = self._n, self._ports
        out = np.full(len(at), -1, dtype=np.int64)
        up, over = at < n, to < n
        for from_element, to_element, port in (
            (True, True, ports.pair),
            (False, False, ports.meet),
            (True, False, ports.to_block),
            (False, True, ports.to_element),
        ):
            chosen = np.nonzero((up == from_element) & (over == to_element) & (at != to))[0]
            here = at[chosen] - (0 if from_element else n)
            there = to[chosen] - (0 if to_element else n)
            out[chosen] = np.maximum(port(here, there), 0)  # not incident: every port is shortest
        return out


def _family(network: Network) -> Crossbars | SimplexCrossbars:
    if not isinstance(network.family, Crossbars | SimplexCrossbars):
        raise ArgumentError(
            f"{network.spec} is neither a distributed switch nor a two-level machine"
        )
    return network.family


def _endpoints(network: Network, *nodes: int) -> list[int]:
    numbers = [network.node(node) for node in nodes]
    for node in numbers:
        if node >= network.endpoint_count:
            raise ArgumentError(f"node {node} is a crossbar; routes are between endpoints")
    return numbers


def all_routes(network: Network, a: int, b: int, *, most: int = 1000) -> list[Route]:
    """All shortest routes between two endpoints.

    In a distributed switch σ of two hops, through different crossbars; in a quasi-complete digraph
    one; in a two-level machine whatever there is, but not more than `most`.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("distributed_switch(7, 4, 2)")
        >>> [route.path for route in all_routes(net, 0, 1)]
        [(0, 9, 1), (0, 10, 1)]
        >>> net = hopscape.build("two_level(complete(4), complete(5))")
        >>> [route.path for route in all_routes(net, 0, 11)]
        [(0, 1, 10, 11), (0, 7, 4, 11)]
    """
    first, second = _endpoints(network, a, b)
    if first == second:
        return []
    if isinstance(network.family, Supernodes):
        return _shortest_routes(network, first, second, most)
    _family(network)
    routes = []
    for port, crossbar in enumerate(network.neighbours(first)):
        after = network.neighbours(crossbar)
        if second in after:
            routes.append(Route((first, crossbar, second), (port, after.index(second))))
    return sorted(routes, key=lambda route: route.path)


def _shortest_routes(network: Network, a: int, b: int, most: int) -> list[Route]:
    """Follow every port that shortens the way, the lowest first."""
    router = network.router()
    routes: list[Route] = []

    def follow(path: tuple[int, ...], ports: tuple[int, ...]) -> None:
        if len(routes) >= most:
            return
        if path[-1] == b:
            routes.append(Route(path, ports))
            return
        row = network.neighbours(path[-1])
        for port in router.all_ports(path[-1], b):
            follow((*path, row[port]), (*ports, port))

    follow((a,), ())
    return routes


def route_around(
    network: Network,
    a: int,
    b: int,
    *,
    dead_switches: Iterable[int] = (),
    dead_links: Iterable[tuple[int, int]] = (),
) -> Route:
    """A shortest route between endpoints when crossbars or links are dead.

    Two hops where one of the σ routes is whole; else a search (:mod:`hopscape.core.detours`).

    Args:
        network: A distributed or partial switch, a quasi-complete digraph or a two-level machine.
        a, b: Endpoints.
        dead_switches: Node numbers of crossbars.
        dead_links (iterable of (int, int)): Pairs of node numbers, in either order.

    Raises:
        ArgumentError: When there is no such crossbar or link.
        DisconnectedError: When nothing is left.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("distributed_switch(7, 4, 2)")
        >>> route_around(net, 0, 1, dead_switches=[9]).path
        (0, 10, 1)
    """
    first, second = _endpoints(network, a, b)
    faults = Faults.of(network, _crossbars(network, dead_switches), dead_links)
    if first == second:
        return Route((first,), ())
    for route in all_routes(network, first, second):
        if all(faults.works(u, v) for u, v in pairwise(route.path)):
            return route
    return search(network, first, second, dead_nodes=faults.nodes, dead_links=faults.pairs())


def stranded_pairs(network: Network, dead_switches: Iterable[int]) -> int | None:
    """Ordered pairs of endpoints that lose all their two-hop routes with these crossbars.

    None in a two-level machine, whose ways are longer.

    Examples:
        >>> import hopscape
        >>> stranded_pairs(hopscape.build("distributed_switch(13, 4, 1)"), [13])
        12
        >>> stranded_pairs(hopscape.build("distributed_switch(7, 4, 2)"), [7])
        0
    """
    if isinstance(network.family, Supernodes):
        return None
    count = _family(network).n
    alive = np.ones(network.order, dtype=bool)
    alive[_crossbars(network, dead_switches)] = False
    lost = 0
    for a in range(count):
        mine = np.asarray(network.neighbours(a))
        reached = np.zeros(network.order, dtype=bool)
        reached[network.neighbours(mine[alive[mine]]).ravel()] = True
        reached[a] = True
        lost += count - int(reached[:count].sum())
    return lost


def _crossbars(network: Network, nodes: Iterable[int]) -> list[int]:
    numbers = [network.node(s) for s in nodes]
    for node in numbers:
        if node < network.endpoint_count:
            raise ArgumentError(f"node {node} is an endpoint, not a crossbar")
    return numbers


_ROUTED = 1 << 12  # pairs that are followed hop by hop; the table is checked for all


def route_options(family: Crossbars | SimplexCrossbars) -> IntArray:
    """Ports of all ways of a pair, as :attr:`Ports.options` has them."""
    return family.wiring.options if isinstance(family, Crossbars) else family.options


def check_ports(
    network: Network,
    family: Crossbars | SimplexCrossbars,
    sources: IntArray,
    targets: IntArray,
) -> Verdict:
    """Does every way of every pair, and the router's way of these pairs, go by one crossbar?

    Args:
        sources, targets (int arrays): Endpoints; the router is followed for up to 4096 pairs of
            them, evenly spread.
    """
    heads = network.heads.reshape(network.order, -1).astype(np.int64)
    options = route_options(family)
    if options.shape[0] == 1:
        wrong = _not_developed(heads, family.n, both=not network.duplex)
        if wrong is not None:
            return wrong
        first, second = np.zeros(family.n, dtype=np.int64), np.arange(family.n)
        table = options[0]
    else:
        first, second = (axis.ravel() for axis in np.indices((family.n, family.n)))
        table = options.reshape(family.n**2, *options.shape[2:])
    verdict = _check_table(heads, first, second, table, network.duplex)
    some = slice(None, None, -(-len(sources) // _ROUTED) or None)
    return verdict if not verdict else _check_router(network, sources[some], targets[some])


def _not_developed(heads: IntArray, n: int, both: bool) -> Verdict | None:
    """Where the wiring of one endpoint is not that of the others, shifted."""
    for kind, rows in (("endpoint", heads[:n] - n), ("crossbar", heads[n:])):
        if kind == "crossbar" and not both:
            continue
        step = (rows - np.arange(n)[:, None]) % n
        off = (step != step[0]).any(axis=1)
        if off.any():
            k = int(off.argmax())
            text = f"{kind} {k} is not wired as {kind} 0 is, shifted by {k}"
            return Verdict(False, text, {kind: k})
    return None


def _check_table(
    heads: IntArray, first: IntArray, second: IntArray, table: IntArray, duplex: bool
) -> Verdict:
    """Hold the ports of ways against the wiring."""
    leave, arrive = table[..., 0].astype(np.int64), table[..., 1].astype(np.int64)
    given = (leave >= 0) & (first != second)[:, None]
    lost = (first != second) & ~given.any(axis=1)
    if lost.any():
        k = int(lost.argmax())
        where = {"source": int(first[k]), "target": int(second[k])}
        return Verdict(False, f"there is no route from {first[k]} to {second[k]}", where)
    up = heads[first[:, None], np.maximum(leave, 0)]
    if duplex:
        off = given & (up != heads[second[:, None], np.maximum(arrive, 0)])
    else:
        off = given & (heads[up, np.maximum(arrive, 0)] != second[:, None])
    if off.any():
        k, i = (int(x) for x in np.argwhere(off)[0])
        a, b = int(first[k]), int(second[k])
        text = (
            f"port {leave[k, i]} of endpoint {a} leads to crossbar {up[k, i]}, which does not"
            f" lead to endpoint {b} by port {arrive[k, i]}"
        )
        return Verdict(False, text, {"source": a, "target": b, "port": int(leave[k, i])})
    return Verdict(True, "every way goes by one crossbar")


def _check_router(network: Network, sources: IntArray, targets: IntArray) -> Verdict:
    """Two hops by the router's own ports must end at the target."""
    moving = sources != targets
    a, b = sources[moving], targets[moving]
    router = network.router()
    here = a
    for _ in range(2):
        channel = network.channel_at(here, router.next_ports(here, b))
        here = np.where(channel >= 0, network.heads[channel], here).astype(np.int64)
    if (here != b).any():
        k = int(np.argmax(here != b))
        text = f"the router's two hops from {a[k]} to {b[k]} end at node {here[k]}"
        return Verdict(False, text, {"source": int(a[k]), "target": int(b[k])})
    return Verdict(True, "every way goes by one crossbar")
