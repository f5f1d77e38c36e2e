"""Classes of virtual channels that keep a routing free of deadlock, and their certificate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.core.router import Router
from hopscape.deadlock.layering import blank_graph, find_layers, marks
from hopscape.deadlock.rising import count_rises, find_rising
from hopscape.deadlock.sources import SourceRoutes, source_routes
from hopscape.deadlock.tables import NO_PORT, RoutingTable, routing_table

__all__ = [
    "Certificate",
    "Classes",
    "Method",
    "certify",
    "find_classes",
    "find_source_classes",
    "single_class",
]

Method = Literal["auto", "single", "dateline", "layers", "rising"]
_MOST_LAYERS, _USUAL_LAYERS, _MOST_RISES = 15, 8, 31
_TABLE_ORDER = 4096
_CYCLE_STARTS = 4096


@dataclass(frozen=True)
class Classes:
    """Which class of virtual channels a packet uses on each channel.

    Attributes
    ----------
    method : {'single', 'dateline', 'layers', 'rising'}
        One class; two classes, kept within a ring and chosen by whether the straight run crosses
        the ring's dateline; one class per pair of nodes; or a class that rises where a way that
        went down turns up again.
    count : int
        Number of classes.
    rings : int32[channels]
        Ring of each channel, -1 for none ('dateline'); 1 for channels that go down, 0 for those
        that go up ('rising').
    entry, entry_other : uint8[order, order]
        Class with which a packet at a node enters a ring, by either way of a tie ('dateline').
    layers : uint8[order, order]
        Class of a pair ('layers').
    steps : uint8[steps] or None
        Class of every step of routes that their sources choose.
    """

    method: Literal["single", "dateline", "layers", "rising"]
    count: int
    rings: IntArray
    entry: IntArray
    entry_other: IntArray
    layers: IntArray
    steps: IntArray | None = None


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
    at_least : int
        No assignment for these routes has fewer classes: 2 where one class has a cycle.
    """

    deadlock_free: bool
    classes: int
    method: str
    router: str
    dependencies: int
    cycle: tuple[tuple[int, int, int], ...] = ()
    at_least: int = 1

    @property
    def least(self) -> str:
        """Is the number of classes proved to be the least for these routes?"""
        if not self.deadlock_free:
            return "not enough"
        return "proved least" if self.classes == self.at_least else "upper bound"

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


def certify(
    table: RoutingTable | SourceRoutes, classes: Classes, *, anywhere: bool = False
) -> Certificate:
    """Build the channel dependency graph and look for a cycle.

    Routes go from endpoints to endpoints; with `anywhere` they begin at switches as well.
    """
    from hopscape.deadlock.dependency_kernels import cyclic_part, shortest_cycle

    network = table.network
    dependencies = 0
    for graph, kinds, offset in _graphs(table, classes, anywhere):
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


def _graphs(table: RoutingTable | SourceRoutes, classes: Classes, anywhere: bool) -> Any:
    """The dependency graphs: (counts, classes inside, number of the first class)."""
    from hopscape.deadlock.dependency_kernels import collect_plain, collect_rings
    from hopscape.deadlock.layer_kernels import count_uses

    network = table.network
    if isinstance(table, SourceRoutes):
        steps = classes.steps if classes.steps is not None else np.zeros_like(table.channels)
        yield table.graph(classes.count, steps), classes.count, 0
        return
    port = table.port
    other = table.other if table.other is not None else port
    if classes.method == "dateline":
        graph = blank_graph(network, 2)
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
    goals = network.endpoints
    begins = marks(network, np.arange(network.order) if anywhere else goals)
    if classes.method == "single":
        graph = blank_graph(network)
        collect_plain(network.indptr, network.heads, port, other, begins, goals, graph)
        yield graph, 1, 0
        return
    if classes.method == "rising":
        graph = blank_graph(network, classes.count)
        count_rises(table, classes.rings, classes.count, graph, anywhere=anywhere)
        yield graph, classes.count, 0
        return
    toward, layers = np.ascontiguousarray(port.T), np.ascontiguousarray(classes.layers.T)
    for layer in range(classes.count):
        graph = blank_graph(network)
        count_uses(network.indptr, network.heads, toward, layers, layer, begins, goals, graph)
        yield graph, 1, layer


def find_classes(
    network: Network,
    router: Router | RoutingTable | None = None,
    *,
    method: Method = "auto",
    most: int | None = None,
    anywhere: bool = False,
) -> tuple[RoutingTable, Classes, Certificate]:
    """Find classes of virtual channels for a routing.

    Parameters
    ----------
    network : Network
    router : Router or RoutingTable, optional
        The network's own when left out.
    method : {'auto', 'single', 'dateline', 'layers', 'rising'}
        ``auto`` takes the first of one class, datelines, datelines with the lowest shortest ports
        (unless a router is given) and up to eight layers that has no cycle; else rising classes.
    most : int, optional
        So many classes at most; the certificate then may be one of failure.
    anywhere : bool
        Routes begin at switches too, as the escape of an adaptive packet does.

    Examples
    --------
    >>> import hopscape
    >>> _, classes, certificate = find_classes(hopscape.build("ring(16)"))
    >>> classes.method, certificate.deadlock_free
    ('dateline', True)
    """
    if method not in get_args(Method):
        raise ArgumentError(f"method {method!r} is unknown; choose {', '.join(get_args(Method))}")
    table = router if isinstance(router, RoutingTable) else routing_table(network, router)
    single = certify(table, single_class(table), anywhere=anywhere)
    if method == "single" or (method == "auto" and (single.deadlock_free or most == 1)):
        return table, single_class(table), single
    least = 1 if single.deadlock_free else 2
    if method in ("auto", "dateline"):
        dated = _dateline(table)
        if dated is None and method == "dateline":
            raise ArgumentError(f"the ports of {network.spec} do not run round rings: no datelines")
        proof = certify(table, dated) if dated is not None else single
        if dated is not None and (proof.deadlock_free or method == "dateline"):
            return table, dated, replace(proof, at_least=least)
    if method == "auto" and router is None and network.order <= _TABLE_ORDER:
        found = _plain_datelines(network, anywhere)
        if found is not None:
            return found
    if table.other is not None:
        table, single, done = _without_ties(network, table, router, anywhere)
        if done and method == "auto":
            return table, single_class(table), single
        least = 1 if done else 2
    chosen = _layers_or_rising(table, method, most, anywhere)
    if chosen is None:
        if method == "auto" and most is not None:
            return table, single_class(table), single
        raise ArgumentError(
            f"{network.spec} needs more than {most or _MOST_LAYERS} classes with its {table.router}"
            f" routes ({method}); up*/down* (--router updown) needs 1"
        )
    return table, chosen, replace(certify(table, chosen, anywhere=anywhere), at_least=least)


def find_source_classes(
    network: Network, router: Router, *, method: Method = "auto"
) -> tuple[SourceRoutes, Classes, Certificate]:
    """Classes for routes that their sources choose: one where that has no cycle, else datelines.

    Parameters
    ----------
    network : Network
    router : Router
        Asked for all ways of all pairs.
    method : {'auto', 'single', 'dateline'}

    Examples
    --------
    >>> import hopscape
    >>> net = hopscape.build("multiring(16, 1, 3)")
    >>> _, classes, proof = find_source_classes(net, net.router("balanced-rings"))
    >>> classes.method, proof.deadlock_free
    ('dateline', True)
    """
    routes = source_routes(network, router)
    if method not in ("auto", "single", "dateline"):
        raise ArgumentError(f"method {method!r} is for tables; {routes.router} takes datelines")
    single = certify(routes, single_class(routes))
    if method == "single" or (method == "auto" and single.deadlock_free):
        return routes, single_class(routes), single
    steps = routes.datelines()
    if steps is None:
        raise ArgumentError(f"{routes.router} routes of {routes.network.spec} follow no rings")
    dated = replace(single_class(routes), method="dateline", count=2, steps=steps)
    least = 1 if single.deadlock_free else 2
    return routes, dated, replace(certify(routes, dated), at_least=least)


def _layers_or_rising(
    table: RoutingTable, method: Method, most: int | None, anywhere: bool
) -> Classes | None:
    """Few layers where they are enough, else rising classes; None above `most`."""
    chosen: Classes | None = None
    limit = min(most or _MOST_LAYERS, _MOST_LAYERS if method == "layers" else _USUAL_LAYERS)
    if method != "rising":
        chosen = _layers(table, limit, anywhere)
    if chosen is None and method != "layers":
        count, down = find_rising(table, anywhere=anywhere)
        if method == "auto" and count - 1 > limit:
            chosen = _layers(table, min(count - 1, most or _MOST_LAYERS), anywhere)
        if chosen is None and count <= (most or _MOST_RISES):
            none = np.empty((0, 0), dtype=np.uint8)
            chosen = Classes("rising", count, down.astype(np.int32), none, none, none)
    return chosen


def _plain_datelines(
    network: Network, anywhere: bool
) -> tuple[RoutingTable, Classes, Certificate] | None:
    """Shortest routes by lowest ports, which keep to the rings better, if datelines serve them."""
    plain = routing_table(network, network.router("table"))
    dated = _dateline(plain)
    if dated is None:
        return None
    proof = certify(plain, dated)
    if not proof.deadlock_free:
        return None
    single = certify(plain, single_class(plain), anywhere=anywhere)
    if single.deadlock_free:
        return plain, single_class(plain), single
    return plain, dated, replace(proof, at_least=2)


def _without_ties(
    network: Network, table: RoutingTable, router: Any, anywhere: bool
) -> tuple[RoutingTable, Certificate, bool]:
    """One way for every pair, and whether one class is enough then."""
    if isinstance(router, RoutingTable):
        table = RoutingTable(network, table.router, table.port, None, table.rings)
    else:
        table = routing_table(network, router, ties=False)
    proof = certify(table, single_class(table), anywhere=anywhere)
    return table, proof, proof.deadlock_free


def single_class(table: RoutingTable | SourceRoutes) -> Classes:
    """All packets in one class."""
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


def _layers(table: RoutingTable, most: int, anywhere: bool) -> Classes | None:
    found = find_layers(table, most, anywhere=anywhere)
    if found is None:
        return None
    none = np.empty((0, 0), dtype=np.uint8)
    rings = np.full(len(table.network.heads), -1, dtype=np.int32)
    return Classes("layers", found[0], rings, none, none, found[1])


def reachable(table: RoutingTable) -> bool:
    """Does the table lead from every endpoint to every other?"""
    ends = table.network.endpoints
    inner = table.port[np.ix_(ends, ends)]
    return int((inner == NO_PORT).sum()) == len(ends)
