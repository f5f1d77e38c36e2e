"""Can a routing deadlock with so many virtual channels, and how many does it need?

Classes of virtual channels for closed forms on large networks, goal by goal.

What :func:`hopscape.deadlock.classes.find_classes` finds in one class or on datelines, without a
table of all pairs: the routes towards a few goals are asked for, put into classes, added to the
channel dependency graph and handed to a visitor, who keeps of them what it needs.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.core.progress import human_time
from hopscape.core.router import Router, TableRouter
from hopscape.deadlock.classes import (
    Certificate,
    Classes,
    Method,
    certify,
    few_goals,
    find_classes,
    find_source_classes,
    mark_datelines,
    single_class,
)
from hopscape.deadlock.layers import begin_marks, blank_graph
from hopscape.deadlock.layout import PortTable, RingEntries
from hopscape.deadlock.leaves import classes_by_leaves, has_leaves
from hopscape.deadlock.routes import RouteColumns, RoutingTable
from hopscape.deadlock.shifts import classes_by_shifts, is_cyclic
from hopscape.deadlock.sources import SourceRoutes
from hopscape.metrics.routes import closed_router

__all__ = [
    "Judgement",
    "Routing",
    "Visitor",
    "classes_by_columns",
    "judge",
    "phases",
    "required_vcs",
    "suits_columns",
]

_STEPS = 10**8  # of looking for a short cycle of a large network, from some of its channels
_TOGETHER = 8  # goals of a large network whose routes are asked for together
_A_WHILE = 1.0  # seconds
_Large = tuple[RouteColumns, Classes, Certificate, int, Certificate]
Routing = Literal["fixed", "adaptive", "valiant", "ugal"]
_WORDS = {
    "fixed": "",
    "adaptive": "; adaptive packets may leave for these channels at any node, and keep them",
    "valiant": "; once for each of the two phases",
    "ugal": "; once for each of the two phases",
}
"""What each routing adds to the certificate of its routes."""


def phases(routing: Routing) -> int:
    """How often a packet is routed: twice if by way of another node."""
    return 2 if routing in ("valiant", "ugal") else 1


def required_vcs(routing: Routing, classes: int) -> int:
    """Virtual channels that classes take: once for each phase, and one to roam if adaptive.

    Examples:
        >>> [required_vcs(routing, 2) for routing in ("fixed", "adaptive", "valiant")]
        [2, 3, 4]
    """
    return classes * phases(routing) + (routing == "adaptive")


@dataclass(frozen=True)
class Judgement:
    """Whether a routing can deadlock with so many virtual channels.

    Attributes:
        vcs: Virtual channels that it is judged with.
        needed: With so many it is free of deadlock.
        certificate: Of the classes that it needs.
        judged: The certificate by which it is judged: that one, or the one of a single class.
        followed: Endpoints to which routes were followed; all others are alike.
        seconds: Processor time that the judgement took.
    """

    network: Network
    router: str
    routing: Routing
    vcs: int
    needed: int
    classes: Classes
    certificate: Certificate
    judged: Certificate
    followed: int
    seconds: float

    def __bool__(self) -> bool:
        return self.deadlock_free

    @property
    def deadlock_free(self) -> bool:
        """Certified with these virtual channels?"""
        enough = self.vcs >= self.needed or self.routing == "fixed"
        return self.judged.deadlock_free and enough

    @property
    def least(self) -> str:
        """Is the number of virtual channels proved to be the least?"""
        return self.certificate.least if self.routing == "fixed" else "upper bound"

    @property
    def addition(self) -> str:
        """What the routing adds to the certificate of its routes."""
        return _WORDS[self.routing]

    def words(self) -> str:
        """Why."""
        if self.judged.deadlock_free and not self.deadlock_free:
            return (
                f"{self.routing} routing is certified with {self.needed} virtual channels, not"
                f" with {self.vcs}"
            )
        return self.judged.words()

    def cost(self) -> str:
        """How much was looked at for the certificate, and how long it took if that is a while."""
        ends = self.network.endpoint_count
        routes = "all endpoints" if self.followed == ends else f"{self.followed:,} of {ends:,}"
        alike = "" if self.followed == ends else " endpoints, to which the others are alike"
        took = f", {human_time(self.seconds)}" if self.seconds >= _A_WHILE else ""
        number = self.certificate.dependencies
        return f"{number:,} dependencies by the routes to {routes}{alike}{took}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        whole = self.judged is self.certificate
        return {
            "spec": self.network.spec,
            "router": self.router,
            "routing": self.routing,
            "deadlock_free": self.deadlock_free,
            "vcs": self.needed,
            "least": self.least,
            "at_least": self.certificate.at_least * phases(self.routing),
            "cycle": [list(step) for step in self.judged.cycle] or None,
            "words": self.words(),
            "method": self.classes.method,
            "judged_with": min(self.vcs, self.classes.count) if whole else 1,
            "dependencies": self.judged.dependencies,
            "certified_dependencies": self.certificate.dependencies,
            "followed": self.followed,
            "certificate": self.certificate.words() + self.addition,
        }


def judge(
    network: Network,
    router: Router | None = None,
    *,
    vcs: int = 1,
    method: Method = "auto",
    routing: Routing = "fixed",
) -> Judgement:
    """Can a routing deadlock with so many virtual channels?

    Args:
        router: As in :func:`find_classes`; routes that their sources choose are fixed.
        method: How classes are found, as in :func:`find_classes`.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("ring(8)")
        >>> bool(judge(net)), judge(net).needed, bool(judge(net, vcs=2))
        (False, 2, True)
    """
    if vcs < 1:
        raise ArgumentError(f"vcs is {vcs}; it must be at least 1")
    if routing not in get_args(Routing):
        raise ArgumentError(f"routing is {routing!r}; choose {', '.join(get_args(Routing))}")
    anywhere, begin = routing == "adaptive", time.process_time()
    table: RoutingTable | SourceRoutes | RouteColumns
    followed = network.endpoint_count
    large = _without_table(network, router, anywhere) if method == "auto" else None
    one: Certificate | None = None
    if large is not None:
        table, classes, proof, followed, one = large
    elif router is not None and not router.chained:
        if routing != "fixed":
            raise ArgumentError(f"routing is {routing!r}; {router.name} routes are fixed")
        table, classes, proof = find_source_classes(network, router, method=method)
    else:
        table, classes, proof = find_classes(network, router, method=method, anywhere=anywhere)
    needed = required_vcs(routing, classes.count)
    if vcs >= needed:
        judged = proof
    elif one is not None:
        judged = one
    else:
        assert not isinstance(table, RouteColumns)
        judged = certify(table, single_class(table), anywhere=anywhere)
    spent = time.process_time() - begin
    return Judgement(
        network, table.router, routing, vcs, needed, classes, proof, judged, followed, spent
    )


def _without_table(network: Network, router: Router | None, anywhere: bool) -> _Large | None:
    """Classes of a large network by its closed form.

    By one row where all nodes are alike, over the switches where endpoints are leaves, else goal by
    goal. None where these do not serve, or do not name the cycle of one class.
    """
    closed = router if router is not None else closed_router(network)
    if closed is None or type(closed) is TableRouter or not closed.chained:
        return None
    if few_goals(network) is None:
        return None
    found: tuple[RouteColumns, Classes, Certificate, int] | None = None
    if is_cyclic(network, closed):
        alike = classes_by_shifts(network, closed)
        if alike is not None:
            found = alike.columns, alike.classes, alike.certificate, 1
    elif has_leaves(network, closed):
        leaves = classes_by_leaves(network, closed, anywhere=anywhere)
        if leaves is not None:
            found = leaves.columns, leaves.classes, leaves.certificate, leaves.followed
    columns = RouteColumns(network, closed) if found is None else found[0]
    if found is None and suits_columns(columns):
        certified = classes_by_columns(columns, lambda *_: None, anywhere=anywhere)
        if certified is not None:
            found = columns, *certified, network.endpoint_count
    if found is None:
        return None
    one = found[2] if found[1].count == 1 else _cycle_of_few(found[0], anywhere)
    return None if one is None else (*found, one)


def _cycle_of_few(columns: RouteColumns, anywhere: bool) -> Certificate | None:
    """A cycle that the routes to a few goals close in one class."""
    from hopscape.deadlock.dependency_kernels import collect_plain, cyclic_part, shortest_cycle

    network, few = columns.network, few_goals(columns.network)
    assert few is not None
    graph, begins = blank_graph(network), begin_marks(network, anywhere)
    wires = network.indptr, network.heads, graph, 1
    for low in range(0, len(few), _TOGETHER):
        sample = columns.columns(few[low : low + _TOGETHER])
        collect_plain(sample, begins, np.arange(len(sample.goals)), graph)
        left = cyclic_part(*wires)
        if left.any():
            channels = shortest_cycle(*wires, left, 1 + _STEPS // len(graph))
            ends = network.tails[channels].tolist(), network.heads[channels].tolist()
            cycle = tuple((a, b, 0) for a, b in zip(*ends, strict=True))
            waits = int(np.count_nonzero(graph))
            return Certificate(False, 1, "single", columns.router, waits, cycle)
    return None


Visitor = Callable[[PortTable, IntArray, IntArray], None]
"""Takes ports and, on datelines, the sets of classes (uint8[order, columns]) by either way."""

_NONE = np.zeros((0, 0), dtype=np.uint8)


def suits_columns(columns: RouteColumns) -> bool:
    """Is the network large, without parallel links, over which tables share the routes out?

    Examples:
        >>> from hopscape import build
        >>> nets = [build(spec) for spec in ("torus(8, 8)", "torus(32, 32)")]
        >>> [suits_columns(RouteColumns(net, net.router())) for net in nets]
        [False, True]
    """
    return few_goals(columns.network) is not None and not columns.parallel


def classes_by_columns(
    columns: RouteColumns, visit: Visitor, *, anywhere: bool = False
) -> tuple[Classes, Certificate] | None:
    """One class, or else datelines, if they leave no cycle; None where they do not serve.

    Args:
        columns: Of a network that :func:`suits_columns`.
        visit: Is given all routes, some goals at a time. What it was given is void when None is
            returned.
        anywhere: Routes begin at switches too.

    Returns:
        classes, certificate: As from :func:`hopscape.deadlock.classes.find_classes`, but for the
            entries to the rings, which only the visitor has seen.

    Examples:
        >>> from hopscape import build
        >>> net = build("torus(32, 32)")
        >>> seen = []
        >>> columns = RouteColumns(net, net.router())
        >>> classes, proof = classes_by_columns(columns, lambda t, a, b: seen.extend(t.goals))
        >>> classes.method, proof.deadlock_free, len(seen)
        ('dateline', True, 1024)
    """
    few = few_goals(columns.network)
    if few is None:
        return None
    sample = columns.columns(few)
    if not _has_cycle(columns, sample, anywhere):
        return _in_one_class(columns, visit, anywhere)
    rings = columns.rings
    if rings is None or (rings < 0).all():
        return None
    if not _has_cycle(columns, sample._replace(other=sample.port), anywhere):
        return None
    return _on_datelines(columns, rings, visit)


def _has_cycle(columns: RouteColumns, sample: PortTable, anywhere: bool) -> bool:
    """Do the routes to a few goals close a cycle in one class?"""
    from hopscape.deadlock.dependency_kernels import collect_plain, cyclic_part

    graph = blank_graph(columns.network)
    collect_plain(
        sample, begin_marks(columns.network, anywhere), np.arange(len(sample.goals)), graph
    )
    return bool(cyclic_part(sample.indptr, sample.heads, graph, 1).any())


def _in_one_class(
    columns: RouteColumns, visit: Visitor, anywhere: bool
) -> tuple[Classes, Certificate] | None:
    from hopscape.deadlock.dependency_kernels import collect_plain

    graph = blank_graph(columns.network)
    begins = begin_marks(columns.network, anywhere)
    ends = begin_marks(columns.network)
    for block in columns.blocks(lambda block: block):
        collect_plain(block, begins, np.flatnonzero(ends[block.goals]), graph)
        visit(block, _NONE, _NONE)
    return _judged(columns, single_class(columns), graph)


def _on_datelines(
    columns: RouteColumns, rings: IntArray, visit: Visitor
) -> tuple[Classes, Certificate] | None:
    from hopscape.deadlock.dependency_kernels import collect_rings, ring_classes

    first = mark_datelines(columns.network, rings)
    alike = np.zeros((1, 1), dtype=np.uint8)
    classes = Classes("dateline", 2, rings, alike, alike, alike, (1, 2), datelines=first)
    sets = np.asarray(classes.sets, dtype=np.int64)
    graph = blank_graph(columns.network, 2)

    def dated(block: PortTable) -> tuple[PortTable, IntArray, IntArray]:
        entry = np.zeros_like(block.port, dtype=np.uint8)
        entry_other = entry if block.other is block.port else np.zeros_like(entry)
        ring_classes(block, rings, first, np.zeros_like(first), 0, entry, entry_other)
        return block, entry, entry_other

    for block, entry, entry_other in columns.blocks(dated):
        collect_rings(block, RingEntries(rings, entry, entry_other, sets), graph)
        visit(block, entry, entry_other)
    judged = _judged(columns, classes, graph)
    return None if judged is None else (classes, replace(judged[1], at_least=2))


def _judged(
    columns: RouteColumns, classes: Classes, graph: IntArray
) -> tuple[Classes, Certificate] | None:
    """The classes and their certificate, if the graph has no cycle."""
    from hopscape.deadlock.dependency_kernels import cyclic_part

    network, count = columns.network, classes.count
    if cyclic_part(network.indptr, network.heads, graph, count).any():
        return None
    dependencies = int(np.count_nonzero(graph))
    return classes, Certificate(True, count, classes.method, columns.router, dependencies)
