"""Routing tables: what a router answers for every pair of nodes, as channels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from hopscape.core.arrays import NO_OFFSET, NO_PORT, IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import ListedFamily
from hopscape.core.network import Network
from hopscape.core.processes import one_ahead, require_memory
from hopscape.core.progress import track
from hopscape.core.router import Router, TableRouter
from hopscape.deadlock.layout import PortTable
from hopscape.metrics.route_check import check_ways
from hopscape.metrics.routes import MOST_DEGREE, Routes, all_routes, closed_router

__all__ = [
    "RouteColumns",
    "RoutingTable",
    "own_table",
    "port_rings",
    "routing_table",
    "table_of",
]

Made = TypeVar("Made")

_PAIRS = 1 << 18  # asked for together: arrays of 2 MiB
_MOST_PORTS = 2046  # a port and the mark for none share 11 bits of an entry of the flit engine


@dataclass(frozen=True)
class RoutingTable:
    """The channel by which every node leaves for every other.

    Attributes:
        router: Name of the router that it was filled from.
        port (uint16[order, order]): Entry (at, to): which of the channels of `at` to take; NO_PORT
            on arrival or without route.
        other (uint16[order, order] or None): The other way of a tie, equal to `port` where there is
            none.
        rings (int32[channels] or None): Rings that the ports run round: a packet that goes on by
            the same port stays in its ring.
    """

    network: Network
    router: str
    port: IntArray
    other: IntArray | None
    rings: IntArray | None

    def __post_init__(self) -> None:
        # target by target in memory, which is how everybody goes through them
        object.__setattr__(self, "port", np.asfortranarray(self.port))
        if self.other is not None:
            object.__setattr__(self, "other", np.asfortranarray(self.other))

    def columns(self, goals: IntArray) -> PortTable:
        """The ports towards some goals."""
        network, port = self.network, np.asfortranarray(self.port[:, goals])
        other = port if self.other is None else np.asfortranarray(self.other[:, goals])
        return PortTable(network.indptr, network.heads, port, other, goals)


class RouteColumns:
    """The routing table of a closed form, asked for a few goals at a time and never kept.

    Args:
        ties: Keep both directions of a ring where both are shortest.

    Examples:
        >>> import hopscape
        >>> ring = hopscape.build("ring(4)")
        >>> columns = RouteColumns(ring, ring.router()).columns(np.array([2]))
        >>> columns.port.ravel().tolist(), columns.other.ravel().tolist()
        ([0, 0, 65535, 1], [1, 0, 65535, 1])
    """

    def __init__(self, network: Network, router: Router, *, ties: bool = True) -> None:
        if not router.chained:
            raise ArgumentError(
                f"{router.name} routes of {network.spec} fit no table by destination"
            )
        if int(network.degrees.max(initial=0)) > _MOST_PORTS:
            raise ArgumentError(
                f"{network.spec} has a node with {int(network.degrees.max())} channels;"
                f" routing tables hold up to {_MOST_PORTS}"
            )
        self.network, self.router, self._router = network, router.name, router
        self.rings = port_rings(network)
        self.offsets = _offsets(network)
        self._nodes = np.arange(network.order, dtype=np.int64)
        both = ties and self.rings is not None and router.exact
        self._twins = _twins(network, self.rings) if both and self.rings is not None else None

    @cached_property
    def parallel(self) -> bool:
        """Are there parallel links, over which tables share the routes out?"""
        network = self.network
        links = network.tails.astype(np.int64) * network.order + network.heads
        return len(np.unique(links)) < len(links)

    @property
    def tied(self) -> bool:
        """Can two ways be as short?"""
        return self._twins is not None

    def columns(self, goals: IntArray) -> PortTable:
        """The ports towards some goals."""
        from hopscape.deadlock.dependency_kernels import fill_ties, offset_ports

        network = self.network
        at, to = np.tile(self._nodes, len(goals)), np.repeat(goals, network.order)
        port = offset_ports(self.offsets, self._router.next_ports(at, to))
        other = port
        if self._twins is not None:
            other = port.copy(order="F")
            fill_ties(network.indptr, network.heads, self._twins, port, other, goals)
        return PortTable(network.indptr, network.heads, port, other, goals)

    def blocks(self, make: Callable[[PortTable], Made]) -> Iterator[Made]:
        """What is made of the ports towards all goals, some at a time, one block ahead."""
        order = self.network.order
        step = max(1, _PAIRS // order)
        starts = track(range(0, order, step), f"routing table of {self.network.spec}")
        goals = (np.arange(low, min(order, low + step), dtype=np.int64) for low in starts)
        return one_ahead(lambda few: make(self.columns(few)), goals)

    @cached_property
    def whole(self) -> RoutingTable:
        """The table of all goals."""
        return routing_table(self.network, self._router, ties=self.tied)


def routing_table(
    network: Network, router: Router | None = None, *, ties: bool = True
) -> RoutingTable:
    """Ask a router about all pairs.

    Args:
        router: The network's own when left out.
        ties: Where both directions of one ring are shortest, keep both: traffic is split evenly.

    Examples:
        >>> import hopscape
        >>> routing_table(hopscape.build("ring(5)")).port[0].tolist()
        [65535, 0, 0, 1, 1]

    Raises:
        CheckFailedError: When a way does not arrive, or is longer than an exact router says.
    """
    order = network.order
    routing = router if router is not None else network.router()
    columns = RouteColumns(network, routing, ties=ties)
    require_memory(4 * order * order, f"the routing table of {network.spec}")
    rings = columns.rings
    port: IntArray = np.full((order, order), NO_PORT, dtype=np.uint16, order="F")
    if type(routing) is TableRouter and order > 200:
        from hopscape.deadlock.dependency_kernels import fill_ports

        fill_ports(network.indptr, network.heads, routing._table, port)
        made = RoutingTable(network, routing.name, *_spread(network, port, None, ties), rings)
        return _checked(made, routing.exact)
    other = np.empty_like(port) if columns.tied else port
    for block in columns.blocks(lambda block: block):
        here = slice(int(block.goals[0]), int(block.goals[-1]) + 1)
        port[:, here] = block.port
        if columns.tied:
            other[:, here] = block.other
    second = other if columns.tied and not np.array_equal(other, port) else None
    made = RoutingTable(network, routing.name, *_spread(network, port, second, ties), rings)
    return _checked(made, routing.exact)


def _checked(table: RoutingTable, exact: bool) -> RoutingTable:
    """A table whose ways all arrive, by either way of a tie."""
    others = None if table.other is None else table.other.T
    nodes = np.arange(table.network.order)
    check_ways(table.network, table.router, nodes, table.port.T, others, exact=exact)
    return table


def own_table(network: Network, router: Router | None = None) -> RoutingTable:
    """The table of a router; without one, of the network's own routes.

    These are the family's closed form or, where it has none, tables that share the channels evenly
    (:func:`hopscape.metrics.routes.all_routes`): what the designer measures and hands over.
    """
    if router is not None or closed_router(network) is not None:
        return routing_table(network, router)
    if int(network.degrees.max(initial=0)) > MOST_DEGREE:
        return routing_table(network, TableRouter(network))
    table = table_of(all_routes(network))
    port, other = _spread(network, table.port, None, True)
    return _checked(replace(table, port=port, other=other), exact=True)


def table_of(routes: Routes) -> RoutingTable:
    """The table of routes that are there already, without the other ways of ties."""
    network = routes.network
    require_memory(2 * routes.table.size, f"the routing table of {network.spec}")
    port = routes.table.astype(np.uint16)
    for row in port:  # row by row: a mask of them all would be half as large again
        row[row == NO_OFFSET] = NO_PORT
    return RoutingTable(network, routes.name, port.T, None, port_rings(network))


def _spread(
    network: Network, port: IntArray, other: IntArray | None, ties: bool
) -> tuple[IntArray, IntArray | None]:
    """Share the routes out among parallel links: by their goals, and with ties two for each."""
    if not len(network.heads):
        return port, other
    pairs = network.tails.astype(np.int64) * network.order + network.heads
    by_pair = np.argsort(pairs, kind="stable")
    _, group, sizes = np.unique(pairs, return_inverse=True, return_counts=True)
    if int(sizes.max()) == 1:
        return port, other
    first = np.cumsum(sizes) - sizes
    goals = np.arange(network.order)
    rest = other if other is not None else port.copy()
    second = rest.copy()
    for v in range(network.order):
        taken = port[v] != NO_PORT
        base, goal = int(network.indptr[v]), goals[taken]
        mine = group[base + port[v, taken].astype(np.int64)]
        theirs = group[base + rest[v, taken].astype(np.int64)]  # the same where there is no tie
        turn = goal + (mine == theirs)
        port[v, taken] = by_pair[first[mine] + goal % sizes[mine]] - base
        second[v, taken] = by_pair[first[theirs] + turn % sizes[theirs]] - base
    return port, second if ties and not np.array_equal(second, port) else None


def _offsets(network: Network) -> IntArray:
    """Which of its channels a node's ports are; the last entry of each row is for no port."""
    nodes = np.arange(network.order)
    channels = network.channel_at(nodes[:, None], np.arange(network.ports))
    offsets = np.full((network.order, network.ports + 1), NO_PORT, dtype=np.uint16)
    offsets[:, :-1] = np.where(channels >= 0, channels - network.indptr[:-1, None], NO_PORT)
    return offsets


def _twins(network: Network, rings: IntArray) -> IntArray:
    """The channel of the same node that runs round its ring in the other direction, or -1."""
    channels = np.arange(len(network.heads))
    twins = network.port_of(channels) ^ 1
    real = twins < network.ports
    turned = np.where(real, network.channel_at(network.tails, np.where(real, twins, 0)), -1)
    back = network.reverse
    same = (back >= 0) & (turned >= 0) & (rings[back] >= 0) & (rings[back] == rings[turned])
    return np.where(same, turned, -1)


def port_rings(network: Network) -> IntArray | None:
    """Rings that arise when every node is left by the same port, or None when a port is not a ring.

    Returns:
        int32[channels] or None: The number of the ring of each channel; -1 for channels of ports
            that not every node on the way has (the lines of a mesh), which cannot close a ring.

    Examples:
        >>> import hopscape
        >>> port_rings(hopscape.build("torus(3, 3)"))[:4].tolist()
        [0, 3, 6, 9]
    """
    family = network.family
    if family is None or isinstance(family, ListedFamily) or not len(network.heads):
        return None
    channels = np.arange(len(network.heads))
    ports = network.port_of(channels)
    rings = np.full(len(channels), -1, dtype=np.int32)
    count = 0
    for p in range(network.ports):
        mine = channels[ports == p]
        follow = np.full(network.order, -1, dtype=np.int64)
        follow[network.tails[mine]] = network.heads[mine]
        if len(np.unique(network.heads[mine])) != len(mine):
            return None
        label = _labels(follow)
        own = label[network.tails[mine]]
        closed = np.bincount(own, minlength=network.order) == np.bincount(
            label, minlength=network.order
        )
        names, place = np.unique(own, return_inverse=True)
        rings[mine] = np.where(closed[own], count + place, -1)
        count += len(names)
    return rings


def _labels(follow: IntArray) -> IntArray:
    """The smallest node of the line or ring that each node is on, where each has one next."""
    label = np.arange(len(follow))
    moved = follow >= 0
    while True:  # each sweep at least halves what is left of the longest line or ring
        fresh = label.copy()
        np.minimum.at(fresh, follow[moved], label[moved])
        fresh[moved] = np.minimum(fresh[moved], label[follow[moved]])
        fresh = fresh[fresh]
        if np.array_equal(fresh, label):
            return label
        label = fresh
