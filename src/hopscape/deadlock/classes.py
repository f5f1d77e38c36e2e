"""Classes of virtual channels that keep a routing free of deadlock, and their certificate.

This is the one place where anybody asks about deadlock: the designer, the simulator, the command
and the files that are handed over.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.core.router import Router
from hopscape.deadlock.layers import begin_marks, blank_graph, find_layers
from hopscape.deadlock.layout import PortTable, RingEntries, Wiring
from hopscape.deadlock.routes import RouteColumns, RoutingTable, own_table
from hopscape.deadlock.sources import (
    SourceRoutes,
    count_rises,
    find_rising,
    latest_starts,
    source_routes,
)
from hopscape.metrics.routes import downward

__all__ = [
    "Certificate",
    "Classes",
    "Method",
    "Spread",
    "certify",
    "few_goals",
    "find_classes",
    "find_source_classes",
    "mark_datelines",
    "single_class",
]

Method = Literal["auto", "single", "dateline", "layers", "rising"]
Spread = Literal["none", "pairs", "all"]
_MOST_CLASSES = 31  # sets of classes are bits of a number of 32, with a sign
# nodes up to which layers, which take all pairs in turn, are held against rising classes
_LAYERED_ORDER = 400
# channels from which the shortest cycle is looked for; a longer one proves as much
_CYCLE_STARTS = 4096
# goals of a sample, on machines of more than _LARGE: a cycle among them ends the work
_FEW_GOALS, _LARGE = 64, 640
_ALIKE = np.zeros((1, 1), dtype=np.uint8)


@dataclass(frozen=True)
class Classes:
    """Which classes of virtual channels a packet may use on each channel.

    A packet chooses one class of a set: where it enters a ring ('dateline'), or at its source. It
    keeps the class in the ring, or on its way, but for classes that rise.

    Attributes:
        method ({'single', 'dateline', 'layers', 'rising'}): One class; two classes, kept within a
            ring and chosen by whether the straight run crosses the ring's dateline; classes by pair
            of nodes; or a class that rises where a way that went down turns up again.
        count: Number of classes.
        rings (int32[channels]): Ring of each channel, -1 for none ('dateline'); 1 for channels that
            go down, 0 for those that go up ('rising').
        entry, entry_other (uint8[order, order]): Set of classes with which a packet at a node
            enters a ring, by either way of a tie ('dateline').
        layers (uint8[order, order]): Set of classes of a pair ('layers', 'rising'); with one entry,
            that of all pairs.
        sets: The sets, their classes as bits.
        datelines (uint8[channels] or None): Marks the channels that are datelines ('dateline').
        ranks (int64[order] or None): Ranks of the nodes ('rising').
        steps (uint8[steps] or None): Class of every step of routes that their sources choose.
    """

    method: Literal["single", "dateline", "layers", "rising"]
    count: int
    rings: IntArray
    entry: IntArray
    entry_other: IntArray
    layers: IntArray
    sets: tuple[int, ...] = (1,)
    datelines: IntArray | None = None
    ranks: IntArray | None = None
    steps: IntArray | None = None


@dataclass(frozen=True)
class Certificate:
    """What the channel dependency graph says about a routing and its classes.

    Attributes:
        deadlock_free: The graph has no cycle (Dally and Seitz).
        classes: Classes of virtual channels used: at least so many virtual channels are needed.
        dependencies: Edges of the graph.
        cycle (list of (tail, head, class)): A shortest cycle found, empty when there is none.
        at_least: No assignment for these routes has fewer classes: 2 where one class has a cycle.
        caveat: Why the graph says nothing about the routing as it is simulated, if so.
    """

    deadlock_free: bool
    classes: int
    method: str
    router: str
    dependencies: int
    cycle: tuple[tuple[int, int, int], ...] = ()
    at_least: int = 1
    caveat: str = ""

    @property
    def least(self) -> str:
        """Is the number of classes proved to be the least for these routes?"""
        if not self.deadlock_free:
            return "not enough"
        return "proved least" if self.classes == self.at_least else "upper bound"

    def words(self) -> str:
        """The certificate in one sentence."""
        if self.caveat:
            return self.caveat
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
    table: RoutingTable | SourceRoutes,
    classes: Classes,
    *,
    anywhere: bool = False,
    explain: bool = True,
) -> Certificate:
    """Build the channel dependency graph and look for a cycle.

    Routes go from endpoints to endpoints; with `anywhere` they begin at switches as well. Without
    `explain` a cycle is not named, which takes less time.

    W. J. Dally and C. L. Seitz, "Deadlock-free message routing in multiprocessor interconnection
    networks", 1987: no cycle, no deadlock. Every entry of the table is looked at once, O(nodes ·
    goals · classes); the graph takes 4 bytes for each pair of consecutive channels and classes.
    """
    from hopscape.deadlock.dependency_kernels import cyclic_part, shortest_cycle

    network = table.network
    dependencies = 0
    for graph, kinds, offset in _graphs(table, classes, anywhere):
        dependencies += int(np.count_nonzero(graph))
        left = cyclic_part(network.indptr, network.heads, graph, kinds)
        if not left.any():
            continue
        if not explain:
            return Certificate(False, classes.count, classes.method, table.router, dependencies)
        starts = _CYCLE_STARTS
        if network.symmetry is not None and network.symmetry.transitive and kinds == 1:
            starts = max(64, int(network.degrees[0]))
        channels = shortest_cycle(network.indptr, network.heads, graph, kinds, left, starts)
        cycle = tuple(
            (
                int(network.tails[x // kinds]),
                int(network.heads[x // kinds]),
                int(x % kinds) + offset,
            )
            for x in channels
        )
        return Certificate(False, classes.count, classes.method, table.router, dependencies, cycle)
    return Certificate(True, classes.count, classes.method, table.router, dependencies)


def _port_table(table: RoutingTable) -> PortTable:
    """The table as kernels take it: without ties both ports are the same."""
    network, port = table.network, table.port
    other = table.other if table.other is not None else port
    return PortTable(network.indptr, network.heads, port, other, np.arange(port.shape[1]))


def _graphs(table: RoutingTable | SourceRoutes, classes: Classes, anywhere: bool) -> Any:
    """The dependency graphs: (counts, classes inside, number of the first class)."""
    from hopscape.deadlock.dependency_kernels import collect_plain, collect_rings
    from hopscape.deadlock.layer_kernels import count_uses

    network = table.network
    if isinstance(table, SourceRoutes):
        steps = classes.steps if classes.steps is not None else np.zeros_like(table.channels)
        yield table.graph(classes.count, steps), classes.count, 0
        return
    port, whole = table.port, _port_table(table)
    sets = np.asarray(classes.sets, dtype=np.int64)
    if classes.method == "dateline":
        graph = blank_graph(network, 2)
        entries = RingEntries(classes.rings, classes.entry, classes.entry_other, sets)
        collect_rings(whole, entries, graph)
        yield graph, 2, 0
        return
    goals = network.endpoints
    begins = begin_marks(network, anywhere)
    if classes.method == "single":
        graph = blank_graph(network)
        collect_plain(whole, begins, goals, graph)
        yield graph, 1, 0
        return
    if classes.method == "rising":
        graph = blank_graph(network, classes.count)
        down, first = classes.rings, classes.layers
        count_rises(table, down, classes.count, first, graph, anywhere=anywhere)
        yield graph, classes.count, 0
        return
    for layer in range(classes.count):
        graph = blank_graph(network)
        wiring = Wiring(network.indptr, network.heads)
        count_uses(wiring, port.T, classes.layers.T, sets, layer, begins, goals, graph)
        yield graph, 1, layer


def find_classes(
    network: Network,
    router: Router | RoutingTable | None = None,
    *,
    method: Method = "auto",
    most: int | None = None,
    anywhere: bool = False,
    spread: Spread = "none",
    explain: bool = True,
) -> tuple[RoutingTable, Classes, Certificate]:
    """Find the fewest classes of virtual channels for a routing.

    Args:
        router: The network's own when left out: its closed form, or tables that share channels
            evenly.
        method ({'auto', 'single', 'dateline', 'layers', 'rising'}): ``auto`` takes one class or
            datelines if they have no cycle; else layers where they are no more than rising classes
            (they are looked for up to 400 nodes), or these. Both ways of ties are kept where they
            cost no further class.
        most: So many classes at most; the certificate then may be one of failure.
        anywhere: Routes begin at switches too, as the escape of an adaptive packet does.
        spread ({'none', 'pairs', 'all'}): Let packets choose among all classes in which their way
            closes no cycle, so that the classes are used evenly: with ``pairs`` where classes go by
            pairs of nodes (layers and rising classes), with ``all`` on datelines too. Otherwise
            each packet has one class.
        explain: Name the cycle where one is left.

    Examples:
        >>> import hopscape
        >>> _, classes, certificate = find_classes(hopscape.build("ring(16)"))
        >>> classes.method, certificate.deadlock_free
        ('dateline', True)
    """
    if method not in get_args(Method):
        raise ArgumentError(f"method {method!r} is unknown; choose {', '.join(get_args(Method))}")
    table = router if isinstance(router, RoutingTable) else own_table(network, router)
    hasty = method == "auto" and most is None
    name_it = explain and (method == "single" or most is not None)  # else one class is only a step
    single = _in_one_class(table, hasty, anywhere, name_it)
    if method == "single" or (method == "auto" and (single.deadlock_free or most == 1)):
        return table, single_class(table), single
    least = 1 if single.deadlock_free else 2
    bare, alone = table, single
    if table.other is not None and method != "dateline":
        bare = replace(table, other=None)
        alone = _in_one_class(bare, hasty, anywhere, name_it)
        if alone.deadlock_free and method == "auto":
            return bare, single_class(bare), alone
    if method in ("auto", "dateline"):
        for one in (table, bare):
            dated = _ring_classes(one, spread == "all", method == "dateline", explain)
            if dated is not None:
                return one, dated[0], replace(dated[1], at_least=least)
    if method == "dateline":
        raise ArgumentError(f"the ports of {network.spec} do not run round rings: no datelines")
    chosen = _layers_or_rising(bare, method, most, anywhere, spread != "none")
    if chosen is None:
        if method == "auto" and most is not None:
            return bare, single_class(bare), alone
        raise ArgumentError(
            f"{network.spec} needs more than {most or _MOST_CLASSES} classes with its"
            f" {bare.router} routes ({method}); up*/down* (--router updown) needs 1"
        )
    proof = certify(bare, chosen, anywhere=anywhere, explain=explain)
    return bare, chosen, replace(proof, at_least=1 if alone.deadlock_free else 2)


def few_goals(network: Network) -> IntArray | None:
    """Goals whose routes alone mostly close a cycle where there is one; None in small networks."""
    goals = network.endpoints
    return goals[:: max(1, len(goals) // _FEW_GOALS)] if len(goals) > _LARGE else None


def _in_one_class(table: RoutingTable, hasty: bool, anywhere: bool, explain: bool) -> Certificate:
    """What one class is worth; in haste, a cycle among the routes to a few goals is enough."""
    from hopscape.deadlock.dependency_kernels import collect_plain, cyclic_part

    network, one = table.network, single_class(table)
    few = few_goals(network)
    if hasty and few is not None:
        graph = blank_graph(network)
        begins = begin_marks(network, anywhere)
        collect_plain(_port_table(table), begins, few, graph)
        if cyclic_part(network.indptr, network.heads, graph, 1).any():
            return Certificate(False, 1, one.method, table.router, int(np.count_nonzero(graph)))
    return certify(table, one, anywhere=anywhere, explain=explain)


def _ring_classes(
    table: RoutingTable, spread: bool, forced: bool, explain: bool
) -> tuple[Classes, Certificate] | None:
    """Datelines if they serve a table; those that spread packets over both classes if they can."""
    for both in (True, False) if spread else (False,):
        classes = _dateline(table, both)
        if classes is None:
            return None
        proof = certify(table, classes, explain=explain)
        if proof.deadlock_free or (forced and not both):
            return classes, proof
    return None


def find_source_classes(
    network: Network, router: Router, *, method: Method = "auto"
) -> tuple[SourceRoutes, Classes, Certificate]:
    """Classes for routes that their sources choose: one where that has no cycle, else datelines.

    Where routes follow no rings a packet changes its class at every fall of the router's ranks.

    Args:
        router: Asked for all ways of all pairs.
        method: {'auto', 'single', 'dateline', 'rising'}

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("multiring(16, 1, 3)")
        >>> _, classes, proof = find_source_classes(net, net.router("balanced-rings"))
        >>> classes.method, proof.deadlock_free
        ('dateline', True)
    """
    routes = source_routes(network, router)
    if method not in ("auto", "single", "dateline", "rising"):
        raise ArgumentError(f"method {method!r} is for tables; {routes.router} takes datelines")
    single = certify(routes, single_class(routes), explain=method == "single")
    if method == "single" or (method == "auto" and single.deadlock_free):
        return routes, single_class(routes), single
    gates = router.gates()
    steps = routes.datelines() if gates is None else routes.behind(gates)
    if steps is not None and method != "rising":
        classes = replace(single_class(routes), method="dateline", count=2, steps=steps)
    elif method == "dateline":
        raise ArgumentError(f"{routes.router} routes of {routes.network.spec} follow no rings")
    else:
        level = routes.rising()
        count = int(level.max(initial=0)) + 1
        if count > _MOST_CLASSES:
            raise ArgumentError(
                f"{routes.router} routes of {routes.network.spec} need {count} classes of virtual"
                f" channels, one for every fall; at most {_MOST_CLASSES}"
            )
        narrow = level.astype(np.uint8)
        classes = replace(single_class(routes), method="rising", count=count, steps=narrow)
    least = 1 if single.deadlock_free else 2
    return routes, classes, replace(certify(routes, classes), at_least=least)


def _layers_or_rising(
    table: RoutingTable, method: Method, most: int | None, anywhere: bool, spread: bool
) -> Classes | None:
    """Layers where they are no more than rising classes, else these; None above `most`."""
    limit = most or _MOST_CLASSES
    if method == "layers":
        return _layers(table, limit, anywhere, spread)
    count, ranks = find_rising(table, anywhere=anywhere)
    if method == "auto" and table.network.order <= _LAYERED_ORDER:
        chosen = _layers(table, min(count, limit), anywhere, spread)
        if chosen is not None:
            return chosen
    return _rising(table, count, ranks, anywhere, spread) if count <= limit else None


def single_class(table: RoutingTable | RouteColumns | SourceRoutes) -> Classes:
    """All packets in one class."""
    rings = np.full(len(table.network.heads), -1, dtype=np.int32)
    return Classes("single", 1, rings, _ALIKE, _ALIKE, _ALIKE)


def _dateline(table: RoutingTable, spread: bool) -> Classes | None:
    """Class 1 for straight runs that cross the dateline of their ring, class 0 for others.

    Where packets are spread, a second dateline lies half way round the ring: who crosses it takes
    class 0, and who crosses neither takes any ("Cray's partition", as BookSim calls it).
    """
    from hopscape.deadlock.dependency_kernels import ring_classes

    network, rings = table.network, table.rings
    if rings is None or (rings < 0).all():
        return None
    entry = np.zeros_like(table.port, dtype=np.uint8)
    entry_other = np.zeros_like(entry) if table.other is not None else entry
    first = mark_datelines(network, rings)
    second = _half_way(network, rings, first) if spread else np.zeros_like(first)
    ring_classes(_port_table(table), rings, first, second, 2 if spread else 0, entry, entry_other)
    sets = (1, 2, 3) if spread else (1, 2)
    return Classes("dateline", 2, rings, entry, entry_other, _ALIKE, sets, datelines=first)


def mark_datelines(network: Network, rings: IntArray) -> IntArray:
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


def _half_way(network: Network, rings: IntArray, first: IntArray) -> IntArray:
    """Marks the channel half way round each ring from the one that is marked."""
    closed = np.flatnonzero(rings >= 0)
    follow = np.zeros(len(rings), dtype=np.int64)
    by_tail = closed[np.lexsort((network.tails[closed], rings[closed]))]
    by_head = closed[np.lexsort((network.heads[closed], rings[closed]))]
    follow[by_head] = by_tail
    at = np.flatnonzero(first)
    left = np.bincount(rings[closed])[rings[at]] // 2
    while (left > 0).any():
        at = np.where(left > 0, follow[at], at)
        left -= 1
    marked = np.zeros_like(first)
    marked[at] = 1
    return marked


def _layers(table: RoutingTable, most: int, anywhere: bool, spread: bool) -> Classes | None:
    layers = find_layers(table, most, anywhere=anywhere, spread=spread)
    if layers is None:
        return None
    rings = np.full(len(table.network.heads), -1, dtype=np.int32)
    return Classes("layers", layers[0], rings, _ALIKE, _ALIKE, *layers[1:])


def _rising(
    table: RoutingTable, count: int, ranks: IntArray, anywhere: bool, spread: bool
) -> Classes:
    down = downward(table.network, ranks).astype(np.int32)
    if not spread:
        return Classes("rising", count, down, _ALIKE, _ALIKE, _ALIKE, ranks=ranks)
    starts = latest_starts(table, ranks, count, anywhere=anywhere)
    sets = tuple((2 << last) - 1 for last in range(count))
    return Classes("rising", count, down, _ALIKE, _ALIKE, starts, sets, ranks=ranks)
