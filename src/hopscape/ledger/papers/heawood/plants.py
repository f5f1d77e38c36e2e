"""Errors that the checks of this paper must notice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hopscape.ledger.claim import Plant

__all__: list[str] = []

_PRINTED = "hopscape.ledger.papers.heawood.printed"
_FAMILIES = "hopscape.families"


def print_as(name: str, value: Any, error: str = "") -> Plant:
    """The printed value, or formula, changed."""
    return Plant(error or f"{name} printed as {value}", f"{_PRINTED}:{name}", lambda _: value)


def crossed(right: Any) -> Any:
    """Wires of the first and of the last node exchange their ends (in networks of 8 nodes up)."""

    def neighbours(self: Any, nodes: Any) -> Any:
        out = right(self, nodes).copy()
        if self.order < 8 or self.order > 2**40:
            return out
        ends = np.asarray([0, self.order - 1])
        (a, c), (b, d) = (
            ends.tolist(),
            (next(w for w in row if w >= 0) for row in right(self, ends)),
        )
        near = right(self, np.asarray([a, c, b, d])).tolist()
        if len({a, b, c, d}) < 4 or d in near[0] or b in near[1]:
            return out
        for v, old, new in ((a, b, d), (b, a, c), (c, d, b), (d, c, a)):
            out[(np.asarray(nodes) == v)[:, None] & (out == old)] = new
        return out

    return neighbours


def cut(v: int, w: int) -> Callable[[Any], Any]:
    """The wire between two nodes cut."""

    def broken(right: Any) -> Any:
        def neighbours(self: Any, nodes: Any) -> Any:
            out = right(self, nodes).copy()
            for a, b in ((v, w), (w, v)):
                out[(np.asarray(nodes) == a)[:, None] & (out == b)] = -1
            return out

        return neighbours

    return broken


def longer(right: Any) -> Any:
    """Routes of two and more hops go forth and back on their first hop before they go on."""

    def trace(self: Any, at: int, to: int) -> Any:
        nodes, ports = right(self, at, to)
        if len(ports) < 2:
            return nodes, ports
        back = list(self.network.neighbours(nodes[1])).index(nodes[0])
        return [*nodes[:2], *nodes], [ports[0], back, *ports]

    return trace


def shifted(by: int) -> Callable[[Any], Any]:
    """A function whose result is off by so much."""
    return lambda right: lambda *given, **more: right(*given, **more) + by


def lost_transfer(right: Any) -> Any:
    """Schedules without their last transfer."""

    def build(*given: Any, **more: Any) -> Any:
        from hopscape.core.schedule import Schedule

        made = right(*given, **more)
        return Schedule.from_columns(
            made.network,
            made.model,
            made.goal,
            round=made.round[:-1],
            channels=made.channels[:-1],
            chunk=made.chunk[:-1],
            rounds=made.rounds,
            name=made.name,
        )

    return build


HEAWOOD_WIRES = Plant(
    "two wires of the Heawood graph exchanged",
    f"{_FAMILIES}.classic.small:Heawood.neighbours",
    crossed,
)
PETERSEN_WIRES = Plant(
    "two wires of the Petersen graph exchanged",
    f"{_FAMILIES}.classic.small:GeneralizedPetersen.neighbours",
    crossed,
)
CUBE_WIRES = Plant(
    "hypercubes with two wires exchanged",
    f"{_FAMILIES}.classic.cubes:Hypercube.neighbours",
    crossed,
)
CCC_WIRES = Plant(
    "cube-connected cycles with two wires exchanged",
    f"{_FAMILIES}.classic.cubes:CubeConnectedCycles.neighbours",
    crossed,
)
PRODUCT_WIRES = Plant(
    "products with two wires exchanged",
    "hopscape.core.product:ProductFamily.neighbours",
    crossed,
)
EXPANDED_WIRES = Plant(
    "level links at the next place of the base",
    f"{_FAMILIES}.expanded.wiring:Expanded._find_levels",
    lambda right: lambda self: np.roll(right(self), 1, axis=0),
)
LONG_ROUTES = Plant(
    "routes in products go forth and back first",
    "hopscape.core.product:ProductRouter.trace",
    longer,
)


def _detour(right: Any) -> Any:
    def route(network: Any, source: int, target: int, **reading: Any) -> Any:
        way = right(network, source, target, **reading)
        return [*way[:2], *way] if way is not None and len(way) > 2 else way

    return route


LOOK_AHEAD = Plant(
    "looking ahead goes forth and back first", "hopscape.core.lookahead:look_ahead_route", _detour
)
WALKS = Plant(
    "covering walks one hop too long",
    f"{_FAMILIES}.expanded.walks:TableWalks.through_all",
    lambda right: lambda self: right(self) + 1,
)
CYCLE_WALKS = Plant(
    "covering walks on cycles one hop too long",
    f"{_FAMILIES}.expanded.walks:CycleWalks.through_all",
    lambda right: lambda self: right(self) + 1,
)
