"""Routing tables packed for the engine: some goals at a time, or folded."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import NO_PORT, IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.deadlock.classes import Classes
from hopscape.deadlock.layout import PortTable
from hopscape.deadlock.leaves import LeafRoutes
from hopscape.deadlock.routes import RoutingTable
from hopscape.deadlock.shifts import ShiftRoutes
from hopscape.simulate.layout import (
    ENTRY_SET_SHIFT,
    FLIPS,
    LEAVES,
    NO_ROUTE,
    SHIFTS,
    TIE,
    WHOLE,
    Fold,
    Ties,
)

__all__ = ["Packed", "Packer", "no_ties", "pack_leaves", "pack_shifts", "pack_table", "whole"]

_PAIRS = 1 << 20
_NONE = np.zeros((0, 0), dtype=np.uint8)


class Packed(NamedTuple):
    """A routing table as the engine reads it: ``table``, ``ties`` and ``fold`` of its arrays."""

    cells: IntArray
    ties: Ties
    fold: Fold


def whole() -> Fold:
    """Tables that are not folded."""

    def none(kind: type, *shape: int) -> IntArray:
        return np.zeros(shape, dtype=kind)

    return Fold(
        np.array([WHOLE]), none(np.int64, 0), none(np.int32, 0), none(np.uint16, 0),
        none(np.int32, 2, 0), none(np.uint8, 0), none(np.int32, 2, 0), none(np.int32, 2, 0),
        none(np.int32, 0),
    )  # fmt: skip


class Packer:
    """Collects the columns of a routing table as the engine reads them.

    Args:
        complete: Refuse columns that do not lead from every endpoint to every other.

    Attributes:
        cells (uint16[order, order]): Port, set of classes and tie bit, target by target in memory.
    """

    def __init__(self, network: Network, *, complete: bool = False) -> None:
        self._network, self._complete = network, complete
        self._ends = network.endpoints
        self.cells: IntArray = np.empty((network.order,) * 2, dtype=np.uint16, order="F")
        self._counts = np.zeros(network.order, dtype=np.int64)
        self._nodes: list[IntArray] = []
        self._entries: list[IntArray] = []

    def visit(self, block: PortTable, entry: IntArray, entry_other: IntArray) -> None:
        """Pack the columns of some goals that follow each other."""
        from hopscape.simulate.table_kernels import pack_entries

        if self._complete:
            self._require_routes(block)
        here = slice(int(block.goals[0]), int(block.goals[-1]) + 1)
        packed = self.cells[:, here] = pack_entries(block.port, block.other, entry)
        if block.other is block.port:
            return
        column, node = np.nonzero(packed.T & TIE)
        if len(node):
            back = block.other[node, column]
            if entry_other.size:
                back |= entry_other[node, column].astype(np.uint16) << ENTRY_SET_SHIFT
            self._counts[here] = np.bincount(column, minlength=len(block.goals))
            self._nodes.append(node.astype(np.int32))
            self._entries.append(back)

    def _require_routes(self, block: PortTable) -> None:
        network, ends = self._network, self._ends
        port, goals = block.port, block.goals
        if len(ends) < network.order:
            mine = np.isin(goals, ends)
            port, goals = port[ends][:, mine], goals[mine]
        if np.count_nonzero(port == NO_PORT) != len(goals):
            raise ArgumentError(f"{network.spec} is not connected: some endpoints have no route")

    @property
    def packed(self) -> Packed:
        """All that was packed, with the other ways of all pairs that have two."""
        starts = np.concatenate([[0], np.cumsum(self._counts)])
        ties = Ties(
            starts,
            np.concatenate([np.empty(0, np.int32), *self._nodes]),
            np.concatenate([np.empty(0, np.uint16), *self._entries]),
        )
        return Packed(self.cells, ties, whole())


def no_ties() -> Ties:
    """Of tables without ties, or that keep them themselves."""
    none = np.zeros(0, dtype=np.int32)
    return Ties(np.zeros(1, dtype=np.int64), none, none.astype(np.uint16))


def pack_shifts(routes: ShiftRoutes) -> Packed:
    """Pack the one row of routes that look alike from every node."""
    cells = np.empty((len(routes.port), 2), dtype=np.uint16, order="F")
    for turn, ports in enumerate((routes.port, routes.other)):
        cells[:, turn] = np.where(ports == NO_PORT, NO_ROUTE, ports)
    cells[routes.port != routes.other, 0] |= TIE
    kind = FLIPS if set(routes.sides) == {2} else SHIFTS
    fold = whole()._replace(kind=np.array([kind]), sides=np.array(routes.sides))
    if len(routes.ahead):
        fold = fold._replace(runs=routes.runs, ahead=routes.ahead)
    return Packed(cells, no_ties(), fold)


def pack_leaves(routes: LeafRoutes) -> Packed:
    """Pack a table over the switches of leaves."""
    table = routes.table
    fold = whole()._replace(
        kind=np.array([LEAVES]),
        switch=table.number,
        port=table.exit,
        column=table.column,
        aside=table.aside,
        sort=routes.sort,
    )
    return Packed(np.minimum(table.port, np.uint16(NO_ROUTE)), no_ties(), fold)


def pack_table(table: RoutingTable, classes: Classes, *, complete: bool = False) -> Packed:
    """Pack a table that is there already."""
    network, packer = table.network, Packer(table.network, complete=complete)
    step = max(1, _PAIRS // network.order)
    other = table.other if table.other is not None else table.port
    dated = classes.method == "dateline"
    for low in range(0, table.port.shape[1], step):
        goals = np.arange(low, min(low + step, network.order))
        here = np.s_[:, low : low + len(goals)]
        port = table.port[here]
        second = port if table.other is None else other[here]
        block = PortTable(network.indptr, network.heads, port, second, goals)
        entries = (classes.entry[here], classes.entry_other[here]) if dated else (_NONE, _NONE)
        packer.visit(block, *entries)
    return packer.packed
