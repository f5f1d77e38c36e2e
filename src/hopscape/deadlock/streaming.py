"""Classes of virtual channels for closed forms on large networks, goal by goal.

What :func:`hopscape.deadlock.classes.find_classes` finds in one class or on datelines, without a
table of all pairs: the routes towards a few goals are asked for, put into classes, added to the
channel dependency graph and handed to a visitor, who keeps of them what it needs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.deadlock.classes import (
    Certificate,
    Classes,
    few_goals,
    mark_datelines,
    single_class,
)
from hopscape.deadlock.layering import begin_marks, blank_graph
from hopscape.deadlock.layout import PortTable, RingEntries
from hopscape.deadlock.tables import RouteColumns

__all__ = ["Visitor", "classes_by_columns", "suits_columns"]

Visitor = Callable[[PortTable, IntArray, IntArray], None]
"""Takes ports and, on datelines, the sets of classes (uint8[order, columns]) by either way."""

_NONE = np.zeros((0, 0), dtype=np.uint8)


def suits_columns(asked: RouteColumns) -> bool:
    """Is the network large, without parallel links, over which tables share the routes out?

    Examples:
        >>> from hopscape import build
        >>> nets = [build(spec) for spec in ("torus(8, 8)", "torus(32, 32)")]
        >>> [suits_columns(RouteColumns(net, net.router())) for net in nets]
        [False, True]
    """
    network = asked.network
    links = network.tails.astype(np.int64) * network.order + network.heads
    return few_goals(network) is not None and len(np.unique(links)) == len(links)


def classes_by_columns(
    asked: RouteColumns, visit: Visitor, *, anywhere: bool = False
) -> tuple[Classes, Certificate] | None:
    """One class, or else datelines, if they leave no cycle; None where they do not serve.

    Args:
        asked: Of a network that :func:`suits_columns`.
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
        >>> asked = RouteColumns(net, net.router())
        >>> classes, proof = classes_by_columns(asked, lambda t, a, b: seen.extend(t.goals))
        >>> classes.method, proof.deadlock_free, len(seen)
        ('dateline', True, 1024)
    """
    few = few_goals(asked.network)
    if few is None:
        return None
    sample = asked.columns(few)
    if not _has_cycle(asked, sample, anywhere):
        return _in_one_class(asked, visit, anywhere)
    rings = asked.rings
    if rings is None or (rings < 0).all():
        return None
    if not _has_cycle(asked, sample._replace(other=sample.port), anywhere):
        return None
    return _on_datelines(asked, rings, visit)


def _has_cycle(asked: RouteColumns, sample: PortTable, anywhere: bool) -> bool:
    """Do the routes to a few goals close a cycle in one class?"""
    from hopscape.deadlock.dependency_kernels import collect_plain, cyclic_part

    graph = blank_graph(asked.network)
    collect_plain(sample, begin_marks(asked.network, anywhere), np.arange(len(sample.goals)), graph)
    return bool(cyclic_part(sample.indptr, sample.heads, graph, 1).any())


def _in_one_class(
    asked: RouteColumns, visit: Visitor, anywhere: bool
) -> tuple[Classes, Certificate] | None:
    from hopscape.deadlock.dependency_kernels import collect_plain

    graph = blank_graph(asked.network)
    begins = begin_marks(asked.network, anywhere)
    ends = begin_marks(asked.network)
    for block in asked.blocks(lambda block: block):
        collect_plain(block, begins, np.flatnonzero(ends[block.goals]), graph)
        visit(block, _NONE, _NONE)
    return _judged(asked, single_class(asked), graph)


def _on_datelines(
    asked: RouteColumns, rings: IntArray, visit: Visitor
) -> tuple[Classes, Certificate] | None:
    from hopscape.deadlock.dependency_kernels import collect_rings, ring_classes

    first = mark_datelines(asked.network, rings)
    alike = np.zeros((1, 1), dtype=np.uint8)
    classes = Classes("dateline", 2, rings, alike, alike, alike, (1, 2), datelines=first)
    sets = np.asarray(classes.sets, dtype=np.int64)
    graph = blank_graph(asked.network, 2)

    def dated(block: PortTable) -> tuple[PortTable, IntArray, IntArray]:
        entry = np.zeros_like(block.port, dtype=np.uint8)
        entry_other = entry if block.other is block.port else np.zeros_like(entry)
        ring_classes(block, rings, first, np.zeros_like(first), 0, entry, entry_other)
        return block, entry, entry_other

    for block, entry, entry_other in asked.blocks(dated):
        collect_rings(block, RingEntries(rings, entry, entry_other, sets), graph)
        visit(block, entry, entry_other)
    found = _judged(asked, classes, graph)
    return None if found is None else (classes, replace(found[1], at_least=2))


def _judged(
    asked: RouteColumns, classes: Classes, graph: IntArray
) -> tuple[Classes, Certificate] | None:
    """The classes and their certificate, if the graph has no cycle."""
    from hopscape.deadlock.dependency_kernels import cyclic_part

    network, count = asked.network, classes.count
    if cyclic_part(network.indptr, network.heads, graph, count).any():
        return None
    dependencies = int(np.count_nonzero(graph))
    return classes, Certificate(True, count, classes.method, asked.router, dependencies)
