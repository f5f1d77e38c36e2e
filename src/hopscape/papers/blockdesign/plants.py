"""Errors that the checks of the claims about switches and machines must notice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from hopscape.core.verdict import Verdict
from hopscape.ledger.claim import PlantedError, printed_as

__all__: list[str] = []

_ROOM = "hopscape.papers.blockdesign"
_DESIGNS = "hopscape.algebra.designs"
_PRINTED = "hopscape.papers.blockdesign.printed"
print_as = partial(printed_as, _PRINTED)


def _exchanged(right: Any) -> Any:
    def make(n: int, m: int, sigma: int) -> Any:
        design = right(n, m, sigma)
        blocks = [set(row) for row in design.blocks.tolist()]
        for other in blocks[1:]:
            mine, theirs = sorted(blocks[0] - other), sorted(other - blocks[0])
            if mine and theirs:
                blocks[0] ^= {mine[0], theirs[0]}
                other ^= {mine[0], theirs[0]}
                break
        return replace(design, blocks=np.array([sorted(b) for b in blocks]), base=None)

    return make


def _moved_wire(port: int) -> Callable[[Any], Any]:
    """Port `port` of node 0 leads to where that of node 1 leads."""

    def broken(right: Any) -> Any:
        def neighbours(self: Any, nodes: Any) -> Any:
            out = right(self, nodes).copy()
            there = right(self, np.array([1]))[0, port]
            out[np.asarray(nodes) == 0, port] = there
            return out

        return neighbours

    return broken


def _other_port(right: Any) -> Any:
    def next_ports(self: Any, at: Any, to: Any) -> Any:
        out = right(self, at, to)
        astray = (out >= 0) & (at < self._n) & (to == 1)
        return np.where(astray, (out + 1) % self.network.ports, out)

    return next_ports


def _by_company(right: Any) -> Any:
    def next_ports(self: Any, at: Any, to: Any) -> Any:
        out = right(self, at, to)
        return (out + 1) % self.network.ports if len(at) > 1 else out

    return next_ports


def _one_more(name: str) -> Callable[[Any], Any]:
    def broken(right: Any) -> Any:
        return lambda *given, **more: _raised(right(*given, **more), name)

    return broken


def _raised(found: Any, name: str) -> Any:
    if name == "details":
        details = dict(found.details)
        return replace(found, details=details | {"conflicts": details["conflicts"] + 1})
    return replace(found, **{name: getattr(found, name) + 1})


def _unbuilt(*sizes: int) -> Callable[[Any], Any]:
    """Planes of these M taken for not built."""

    def broken(right: Any) -> Any:
        def existence(n: int, m: int, sigma: int) -> Any:
            found = right(n, m, sigma)
            return replace(found, built=False) if m in sizes and sigma == 1 else found

        return existence

    return broken


def _other_machines(right: Any) -> Any:
    return lambda: tuple(
        replace(m, size=m.size + 1, supernodes=m.supernodes + 1, ports=m.ports + 1) for m in right()
    )


def _slower(right: Any) -> Any:
    def classes_at(self: Any, nodes: Any) -> Any:
        out = right(self, nodes).copy()
        out[np.asarray(nodes) == 0, 0] = out.max()
        return out

    return classes_at


def _changed_cell(right: Any) -> Any:
    def table(m: int) -> Any:
        rows = right(m)
        rows[1]["to"][0] = rows[1]["to"][0] % (m * m) + 1
        return rows

    return table


def _more_load(right: Any) -> Any:
    def load(*given: Any, **more: Any) -> Any:
        found = right(*given, **more)
        return replace(found, throughput=found.throughput * 1.05)

    return load


DESIGN = PlantedError(
    "two elements of two blocks exchanged",
    f"{_DESIGNS}.symmetric:make_design",
    _exchanged,
)
PLANE = PlantedError(
    "Singer sets with one element off by 1", f"{_DESIGNS}.difference:DifferenceSet.blocks",
    lambda right: lambda self: _one_off(right(self)),
)  # fmt: skip
ROUTES = PlantedError(
    "routes of two-level machines one hop longer",
    f"{_ROOM}.twolevel_routing:OrbitRouter.distances",
    lambda right: lambda self, at, to: right(self, at, to) + (at != to),
)
PORT = PlantedError(
    "packets for endpoint 1 leave by the next port", f"{_ROOM}.routing:SwitchRouter.next_ports",
    _other_port,
)  # fmt: skip
COMPANY = PlantedError(
    "the port depends on who else sends", f"{_ROOM}.routing:SwitchRouter.next_ports", _by_company
)
REFUSED = PlantedError(
    "every permutation refused", "hopscape.papers.blockdesign.contention:check_permutation",
    lambda right: lambda *given, **more: Verdict(False, "refused"),
)  # fmt: skip
CONFLICTS = PlantedError(
    "one conflict too many",
    "hopscape.papers.blockdesign.contention:check_traffic",
    _one_more("details"),
)
LINKS = PlantedError(
    "one link too many", f"{_ROOM}.switches:SwitchFamily.facts", _one_more("links")
)
STRANDED = PlantedError(
    "one pair too many lost", f"{_ROOM}.routing:stranded_pairs",
    lambda right: lambda *given: right(*given) + 1,
)  # fmt: skip
STEPS = PlantedError(
    "the last ring has another step", f"{_ROOM}.digraph:SwitchedMultiring.steps",
    lambda right: property(lambda self: (*right.func(self)[:-1], right.func(self)[-1] + 1)),
)  # fmt: skip
DIGRAPH = PlantedError(
    "one wire of the digraph moved", f"{_ROOM}.digraph:QuasicompleteDigraph.neighbours",
    _moved_wire(0),
)  # fmt: skip
CELL = PlantedError(
    "one cell of the wiring table off", f"{_ROOM}.digraph:wiring_table", _changed_cell
)
SYMBOL = PlantedError(
    "Hilbert symbols always 1",
    f"{_DESIGNS}.existence:hilbert_symbol",
    lambda right: lambda a, b, p: 1,
)
COVER = PlantedError(
    "the block multiplied by 5", f"{_DESIGNS}.covers:difference_cover",
    lambda right: lambda order, size, **more: _multiplied(right(order, size, **more), order),
)  # fmt: skip
ELEMENT = PlantedError(
    "one element of a block off by 1", f"{_DESIGNS}.covers:difference_cover",
    lambda right: lambda order, size, **more: _shifted(right(order, size, **more), order),
)  # fmt: skip
EXCLUDED = PlantedError(
    "groups of 40 forgotten", f"{_DESIGNS}.covers:largest_cover",
    lambda right: lambda size: (right(size)[0], [c for c in right(size)[1] if c.moduli != (41,)]),
)  # fmt: skip
SQUARES = PlantedError("planes of 5 and 9 not built", f"{_DESIGNS}.existence:existence",
                _unbuilt(5, 9, 10, 17, 26, 28))  # fmt: skip
PLANE_42 = PlantedError(
    "the plane of M = 42 not built", f"{_DESIGNS}.existence:existence", _unbuilt(42)
)
COUNT = PlantedError(
    "one supernode too few", "hopscape.papers.blockdesign.machines:supernode_count",
    lambda right: lambda *given: right(*given) - 1,
)  # fmt: skip
OUTER = PlantedError(
    "one wire between supernodes moved", f"{_ROOM}.twolevel:TwoLevel.neighbours", _moved_wire(-1)
)
INNER = PlantedError(
    "one wire inside a supernode moved", f"{_ROOM}.twolevel:TwoLevel.neighbours", _moved_wire(0)
)
CLASSES = PlantedError(
    "a channel of another kind", f"{_ROOM}.twolevel:TwoLevel.classes_at", _slower
)
MACHINES = PlantedError(
    "one node too many counted",
    "hopscape.papers.blockdesign.machines:paper_machines",
    _other_machines,
)
JUMPS = PlantedError(
    "one jump too many", "hopscape.papers.blockdesign.jumps:jumps_from",
    lambda right: lambda *given, **more: right(*given, **more) + 1,
)  # fmt: skip
RESERVE = PlantedError(
    "one reserve jump too many", "hopscape.papers.blockdesign.jumps:reserve_jumps",
    lambda right: lambda *given, **more: (right(*given, **more)[0], right(*given, **more)[1] + 1),
)  # fmt: skip
LOAD = PlantedError("throughput 5 % too high", "hopscape.metrics.load:channel_load", _more_load)


def _one_off(blocks: Any) -> Any:
    out = blocks.copy()
    free = np.setdiff1d(np.arange(len(out)), out[0])
    out[0, 0] = free[0]
    return out


def _multiplied(cover: Any, order: int) -> Any:
    if cover.elements is None:
        return cover
    return replace(cover, elements=tuple(sorted(5 * x % order for x in cover.elements)))


def _shifted(cover: Any, order: int) -> Any:
    if cover.elements is None:
        return cover
    first, *rest = cover.elements[::-1]
    moved = next(x % order for x in range(first + 1, first + order) if x % order not in rest)
    return replace(cover, elements=(*rest[::-1], moved))
