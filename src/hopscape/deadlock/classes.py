"""Classes of virtual channels that keep a routing free of deadlock, and their certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.memory import require_memory
from hopscape.core.network import Network
from hopscape.core.router import Router
from hopscape.deadlock.tables import NO_PORT, RoutingTable, routing_table

__all__ = ["Certificate", "Classes", "certify", "find_classes"]

Method = Literal["auto", "single", "dateline", "layers"]
_MOST_LAYERS = 15
_TABLE_ORDER = 4096
_CYCLE_STARTS = 4096


@dataclass(frozen=True)
class Classes:
    """Which class of virtual channels a packet uses on each channel.

    Attributes
    ----------
    method : {'single', 'dateline', 'layers'}
        One class; two classes, kept within a ring and chosen by whether the straight run crosses
        the ring's dateline; or one class per pair of nodes.
    count : int
        Number of classes.
    rings : int32[channels]
        Ring of each channel, -1 for none ('dateline').
    entry, entry_other : uint8[order, order]
        Class with which a packet at a node enters a ring, by either way of a tie ('dateline').
    layers : uint8[order, order]
        Class of a pair ('layers').
    """

    method: Literal["single", "dateline", "layers"]
    count: int
    rings: IntArray
    entry: IntArray
    entry_other: IntArray
    layers: IntArray


@dataclass(frozen=True)
class Certificate:
    """What the channel dependency graph says about a routing and its classes.

    Attributes
    ----------
    deadlock_free : bool
        The graph has no cycle (Dally and Seitz).
    classes : int
        Classes of virtual channels used: at least so many virtual channels are needed.
    method : str
    router : str
    dependencies : int
        Edges of the graph.
    cycle : list of (tail, head, class)
        A shortest cycle found, empty when there is none.
    """

    deadlock_free: bool
    classes: int
    method: str
    router: str
    dependencies: int
    cycle: tuple[tuple[int, int, int], ...] = ()

    def words(self) -> str:
        """The certificate in one sentence."""
        if self.deadlock_free:
            plural = "es" if self.classes != 1 else ""
            return (
                f"no cycle among {self.dependencies} channel dependencies with {self.classes}"
                f" class{plural} of virtual channels ({self.method})"
            )
        steps = [
            f"{a}→{b}" + (f" (class {k})" if self.classes > 1 else "") for a, b, k in self.cycle
        ]
        return f"{len(steps)} channels can wait for each other in a circle: " + " waits for ".join(
            [*steps, steps[0]]
        )


def certify(table: RoutingTable, classes: Classes) -> Certificate:
    """Build the channel dependency graph and look for a cycle."""
    from hopscape.deadlock.dependency_kernels import cyclic_part, shortest_cycle

    network = table.network
    dependencies = 0
    for graph, kinds, offset in _graphs(table, classes):
        dependencies += int(np.count_nonzero(graph))
        left = cyclic_part(network.indptr, network.heads, graph, kinds)
        if not left.any():
            continue
        starts = _CYCLE_STARTS
        if network.symmetry is not None and network.symmetry.transitive and kinds == 1:
            starts = max(64, int(network.degrees[0]))
        found = shortest_cycle(network.indptr, network.heads, graph, kinds, left, starts)
        cycle = tuple(
            (
                int(network.tails[x // kinds]),
                int(network.heads[x // kinds]),
                int(x % kinds) + offset,
            )
            for x in found
        )
        return Certificate(False, classes.count, classes.method, table.router, dependencies, cycle)
    return Certificate(True, classes.count, classes.method, table.router, dependencies)


def _graphs(table: RoutingTable, classes: Classes) -> Any:
    """The dependency graphs: (counts, classes inside, number of the first class)."""
    from hopscape.deadlock.dependency_kernels import collect_plain, collect_rings

    network = table.network
    port = table.port
    other = table.other if table.other is not None else port
    if classes.method == "dateline":
        graph = _blank(network, 2)
        collect_rings(
            network.indptr,
            network.heads,
            port,
            other,
            classes.rings,
            classes.entry,
            classes.entry_other,
            graph,
        )
        yield graph, 2, 0
        return
    everyone = _sources(network)
    layers = classes.layers if classes.method == "layers" else np.empty((0, 0), np.uint8)
    for layer in range(classes.count):
        graph = _blank(network, 1)
        collect_plain(network.indptr, network.heads, port, other, layers, layer, everyone, graph)
        yield graph, 1, layer


def _blank(network: Network, classes: int) -> IntArray:
    width = int(network.degrees.max(initial=1)) * classes
    size = len(network.heads) * classes
    require_memory(4 * size * width, f"the channel dependency graph of {network.spec}")
    return np.zeros((size, width), dtype=np.int32)


def _sources(network: Network) -> IntArray:
    marks = np.zeros(network.order, dtype=np.uint8)
    marks[network.endpoints] = 1
    return marks


def find_classes(
    network: Network,
    router: Router | RoutingTable | None = None,
    *,
    method: Method = "auto",
    most: int | None = None,
) -> tuple[RoutingTable, Classes, Certificate]:
    """Find classes of virtual channels for a routing.

    Parameters
    ----------
    network : Network
    router : Router or RoutingTable, optional
        The network's own when left out.
    method : {'auto', 'single', 'dateline', 'layers'}
        ``auto`` takes the first of one class, datelines, datelines with the lowest shortest ports
        (unless a router is given) and layers that has no cycle.
    most : int, optional
        So many classes at most; the certificate then may be one of failure.

    Examples
    --------
    >>> import hopscape
    >>> _, classes, certificate = find_classes(hopscape.build("ring(16)"))
    >>> classes.method, certificate.deadlock_free
    ('dateline', True)
    """
    if method not in ("auto", "single", "dateline", "layers"):
        raise ArgumentError(f"method {method!r} is unknown; choose auto, single, dateline, layers")
    given = isinstance(router, RoutingTable)
    table = router if isinstance(router, RoutingTable) else routing_table(network, router)
    if method in ("auto", "single"):
        classes = _single(table)
        proof = certify(table, classes)
        if proof.deadlock_free or method == "single" or most == 1:
            return table, classes, proof
        failed = (table, classes, proof)
    if method in ("auto", "dateline"):
        dated = _dateline(table)
        if dated is not None:
            proof = certify(table, dated)
            if proof.deadlock_free or method == "dateline":
                return table, dated, proof
        elif method == "dateline":
            raise ArgumentError(f"the ports of {network.spec} do not run round rings: no datelines")
    if method == "auto" and router is None and network.order <= _TABLE_ORDER:
        plain = routing_table(network, network.router("table"))
        dated = _dateline(plain)
        if dated is not None:  # shortest routes by lowest ports keep to the rings better
            proof = certify(plain, dated)
            if proof.deadlock_free:
                return plain, dated, proof
    if table.other is not None:
        table = (
            RoutingTable(network, table.router, table.port, None, table.rings)
            if given
            else routing_table(network, router, ties=False)  # type: ignore[arg-type]
        )
        if method == "auto":
            proof = certify(table, _single(table))
            if proof.deadlock_free:
                return table, _single(table), proof
    layered = _layers(table, most or _MOST_LAYERS)
    if layered is None:
        if method == "auto" and most is not None:
            return failed
        raise ArgumentError(
            f"{network.spec} needs more than {most or _MOST_LAYERS} layers with its router"
        )
    return table, layered, certify(table, layered)


def _single(table: RoutingTable) -> Classes:
    none = np.empty((0, 0), dtype=np.uint8)
    rings = np.full(len(table.network.heads), -1, dtype=np.int32)
    return Classes("single", 1, rings, none, none, none)


def _dateline(table: RoutingTable) -> Classes | None:
    from hopscape.deadlock.dependency_kernels import ring_classes

    network, rings = table.network, table.rings
    if rings is None or (rings < 0).all():
        return None
    entry = np.zeros_like(table.port, dtype=np.uint8)
    entry_other = np.zeros_like(entry)
    other = table.other if table.other is not None else table.port
    dateline = _datelines(network, rings)
    ring_classes(
        network.indptr, network.heads, table.port, other, rings, dateline, entry, entry_other
    )
    return Classes("dateline", 2, rings, entry, entry_other, np.empty((0, 0), dtype=np.uint8))


def _datelines(network: Network, rings: IntArray) -> IntArray:
    """Marks one channel of each ring; the two directions of a ring share their dateline."""
    marks = np.zeros(len(rings), dtype=np.uint8)
    closed = np.nonzero(rings >= 0)[0]
    by_head = closed[np.lexsort((network.heads[closed], rings[closed]))]
    first = np.concatenate([[True], rings[by_head][1:] != rings[by_head][:-1]])
    chosen = by_head[first]
    taken: set[int] = set()
    for channel in chosen.tolist():
        ring = int(rings[channel])
        if ring in taken:
            continue
        marks[channel] = 1
        taken.add(ring)
        back = int(network.reverse[channel])
        if back >= 0 and rings[back] >= 0 and int(rings[back]) not in taken:
            marks[back] = 1
            taken.add(int(rings[back]))
    return marks


def _layers(table: RoutingTable, most: int) -> Classes | None:
    """Layers in the manner of DFSSSP: pairs on the weakest dependency of a cycle move up."""
    from hopscape.deadlock.dependency_kernels import collect_plain, layer_pairs, used_pairs

    network = table.network
    everyone = _sources(network)
    layers = np.zeros((network.order, network.order), dtype=np.uint8)
    for layer in range(most):
        graph = _blank(network, 1)
        collect_plain(
            network.indptr, network.heads, table.port, table.port, layers, layer, everyone, graph
        )
        cut = np.zeros(graph.shape, dtype=np.uint8)
        if layer_pairs(network.indptr, network.heads, graph, cut) == 0:
            none = np.empty((0, 0), dtype=np.uint8)
            rings = np.full(len(network.heads), -1, dtype=np.int32)
            return Classes("layers", layer + 1, rings, none, none, layers)
        used_pairs(
            network.indptr, network.heads, table.port, layers, layer, everyone, cut, layer + 1
        )
    return None


def reachable(table: RoutingTable) -> bool:
    """Does the table lead from every endpoint to every other?"""
    ends = table.network.endpoints
    inner = table.port[np.ix_(ends, ends)]
    return int((inner == NO_PORT).sum()) == len(ends)
