"""Classes of virtual channels where routes look alike from every node: one row of the table.

On rings, tori, circulants and hypercubes the difference of two addresses decides on the port
(:attr:`~hopscape.core.router.Router.cyclic`). So one column of the routing table holds them all,
and what :func:`~hopscape.deadlock.classes.find_classes` finds in one class or on datelines follows
from it in time and memory that grow with the channels. Only the datelines do not look alike from
every node: whether a packet crosses one follows from the hops that it stays in its ring, and from
how far ahead the dateline is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np

from hopscape.core.arrays import NO_PORT, IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.router import Router
from hopscape.deadlock.classes import Certificate, Classes, mark_datelines, single_class
from hopscape.deadlock.layers import blank_graph
from hopscape.deadlock.routes import RouteColumns

__all__ = ["ShiftRoutes", "classes_by_shifts", "is_cyclic", "shift_bytes"]

_ALIKE = np.zeros((1, 1), dtype=np.uint8)


def is_cyclic(network: Network, router: Router | None) -> bool:
    """Does the difference of two addresses decide on the port, and are all nodes endpoints?"""
    sides = router.cyclic if router is not None and router.chained else ()
    return bool(sides) and prod(sides) == network.order and not network.has_switches


def shift_bytes(network: Network) -> int:
    """Bytes that routes and classes take at most while they are found.

    Examples:
        >>> import hopscape
        >>> shift_bytes(hopscape.build("torus(1000, 1000)")) // 10**6
        916
    """
    ports, channels = network.ports, network.order * network.ports
    return channels * (16 * ports + 28 + 14 * 8) + 100 * network.order


@dataclass(frozen=True)
class ShiftRoutes:
    """The routes of a network that looks alike from every node, and is routed so.

    Attributes:
        columns: The whole table, goal by goal.
        sides: Of the box of addresses.
        port, other (uint16[order]): Port by the difference of a node from its goal, as a node
            number, and the other way of a tie.
        classes, certificate: As of :func:`~hopscape.deadlock.classes.find_classes`, but for the
            entries to the rings.
        ahead (int32[channels]): Hops from each channel to the end of the dateline of its ring;
            empty where there are none.
    """

    columns: RouteColumns
    sides: tuple[int, ...]
    port: IntArray
    other: IntArray
    classes: Classes
    certificate: Certificate
    ahead: IntArray

    @cached_property
    def runs(self) -> IntArray:
        """int32[2, order]: hops by the first port, by either way of a tie."""
        from hopscape.deadlock.shift_kernels import ring_runs

        network = self.columns.network
        runs: IntArray = ring_runs(network.heads, _ports(network), self.port, self.other)[0]
        return runs


def classes_by_shifts(network: Network, router: Router) -> ShiftRoutes | None:
    """One class, or else datelines, if they leave no cycle; None where they do not serve.

    Args:
        router: One with :func:`is_cyclic`.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("torus(5, 6)")
        >>> found = classes_by_shifts(net, net.router())
        >>> found.classes.method, found.certificate.dependencies
        ('dateline', 332)
    """
    from hopscape.deadlock.shift_kernels import followers

    columns = RouteColumns(network, router)
    if columns.parallel or not _alike(columns, router.cyclic):
        return None
    block = columns.columns(np.zeros(1, dtype=np.int64))
    port, other = block.port[:, 0].copy(), block.other[:, 0].copy()
    if (port[1:] == NO_PORT).any():
        raise ArgumentError(f"{network.spec} is not connected: some endpoints have no route")
    bare = RouteColumns(network, router, ties=False)
    tied = not np.array_equal(port, other)
    none = np.empty(0, dtype=np.int32)
    tables = ((columns, other), (bare, port)) if tied else ((columns, other),)
    for one, second in tables:
        after = followers(network.heads, _ports(network), port, second)
        if not _has_circle(after):
            waits = network.order * int(after.sum())
            proof = Certificate(True, 1, "single", columns.router, waits)
            return ShiftRoutes(one, router.cyclic, port, second, single_class(one), proof, none)
    for one, second in tables:
        dated = _on_datelines(one, port, second)
        if dated is not None:
            return ShiftRoutes(one, router.cyclic, port, second, *dated)
    return None


def _ports(network: Network) -> int:
    return len(network.heads) // network.order


def _alike(columns: RouteColumns, sides: tuple[int, ...]) -> bool:
    """Has every node the same ports, and is each port one step of the group?"""
    network = columns.network
    ports = _ports(network)
    if (
        not ports
        or (network.degrees != ports).any()
        or (columns.offsets != columns.offsets[0]).any()
    ):
        return False
    heads, nodes = network.heads.reshape(-1, ports), np.arange(network.order)
    return all(
        np.array_equal(_shifted(nodes, int(heads[0, p]), sides), heads[:, p]) for p in range(ports)
    )


def _shifted(nodes: IntArray, by: int, sides: tuple[int, ...]) -> IntArray:
    """The sum of addresses, as node numbers."""
    out, stride = np.zeros_like(nodes), 1
    for side in reversed(sides):
        out += (nodes // stride + by // stride) % side * stride
        stride *= side
    return out


def _has_circle(after: IntArray) -> bool:
    """Can ports follow each other in a circle? Repeated, they then close one in the network."""
    left = np.ones(len(after), dtype=bool)
    while left.any():
        free = left & ~after[left].any(axis=0)
        if not free.any():
            return True
        left &= ~free
    return False


def _on_datelines(
    columns: RouteColumns, port: IntArray, other: IntArray
) -> tuple[Classes, Certificate, IntArray] | None:
    from hopscape.deadlock.dependency_kernels import cyclic_part
    from hopscape.deadlock.shift_kernels import dated_waits, ring_places, ring_runs

    network, rings = columns.network, columns.rings
    if rings is None or (rings < 0).any():
        return None
    marks = mark_datelines(network, rings)
    classes = Classes("dateline", 2, rings, _ALIKE, _ALIKE, _ALIKE, (1, 2), datelines=marks)
    heads, ports = network.heads, _ports(network)
    runs, before = ring_runs(heads, ports, port, other)
    require_memory(24 * ports**2 * int(runs.max()), f"the channel dependencies of {network.spec}")
    ahead, back = ring_places(heads, ports, marks)
    graph = blank_graph(network, 2)
    dated_waits(heads, port, other, runs, before, ahead, back, graph)
    if cyclic_part(network.indptr, heads, graph, 2).any():
        return None
    proof = Certificate(True, 2, "dateline", columns.router, int(np.count_nonzero(graph)))
    return classes, replace(proof, at_least=2), ahead
