"""Errors that the checks of this paper must notice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
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
    """A wire of the first node and one far from it exchange their ends (from 8 nodes up)."""

    def neighbours(self: Any, nodes: Any) -> Any:
        out = right(self, nodes).copy()
        ends = _two_wires(self, right) if 8 <= self.order <= 2**20 else None
        if ends is not None:
            (a, b), (c, d) = ends
            for v, old, new in ((a, b, d), (b, a, c), (c, d, b), (d, c, a)):
                out[(np.asarray(nodes) == v)[:, None] & (out == old)] = new
        return out

    return neighbours


def _two_wires(family: Any, right: Any) -> Any:
    """Wires a - b and c - d of four nodes, with no wire between a and d or c and b."""
    rows = right(family, np.arange(family.order)[[0, *range(-6, 0)]]).tolist()
    a, b = 0, next(w for w in rows[0] if w >= 0)
    beside_b = right(family, np.asarray([b]))[0].tolist()
    for c, row in zip(range(family.order - 1, family.order - 7, -1), rows[:0:-1], strict=True):
        for d in row:
            if d >= 0 and len({a, b, c, d}) == 4 and d not in rows[0] and c not in beside_b:
                return (a, b), (c, d)
    return None


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


def _lost_step(right: Any) -> Any:
    return (*right[:2], right[2][:-1])


def _right_steps(_: Any) -> Any:
    from hopscape.families.classic import heawood as room

    return vars(room)["_STEPS"]


def _facts(**wrong: Any) -> Callable[[Any], Any]:
    def broken(right: Any) -> Any:
        def facts(self: Any) -> Any:
            true = right(self)
            return replace(
                true, **{name: change(getattr(true, name)) for name, change in wrong.items()}
            )

        return facts

    return broken


def _other_row(name: str, **changed: Any) -> Callable[[Any], Any]:
    """The printed table with a row changed."""
    return lambda right: tuple(replace(r, **changed) if r.name == name else r for r in right)


def table_as(name: str, error: str, **changed: Any) -> Plant:
    """A row of table 1 printed otherwise."""
    where = "hopscape.ledger.papers.heawood.comparison:PRINTED"
    return Plant(error, where, _other_row(name, **changed))


def facts_of(where: str, error: str, **wrong: Any) -> Plant:
    """Closed forms of a family changed."""
    return Plant(error, f"{_FAMILIES}.{where}.facts", _facts(**wrong))


BROADCAST_STEPS = Plant(
    "our broadcast without its last send", f"{_FAMILIES}.classic.heawood:_STEPS", _lost_step
)
PRINTED_STEPS = Plant(
    "our printed steps are the right ones", f"{_FAMILIES}.classic.heawood:_PRINTED", _right_steps
)
BASIC_ROUTER = Plant(
    "the router of the Heawood graph takes the next port",
    f"{_FAMILIES}.classic.heawood:BasicRouter.next_ports",
    lambda right: lambda self, at, to: np.where(at == to, -1, (right(self, at, to) + 1) % 3),
)
AXES = Plant(
    "broadcasts by axes lack their last transfer",
    "hopscape.collectives.products:broadcast_by_axes",
    lost_transfer,
)
MEMBERS = Plant(
    "our diameters of the compared families one too large",
    "hopscape.ledger.papers.heawood.comparison:members",
    lambda right: (
        lambda *given: None if (m := right(*given)) is None else replace(m, diameter=m.diameter + 1)
    ),
)
FLOODED = Plant(
    "our flood lacks its last transfer", f"{_FAMILIES}.expanded.collectives:flood", lost_transfer
)
PRINTED_ROUTE = Plant(
    "our printed route gives up",
    f"{_FAMILIES}.expanded.routing:printed_route",
    lambda right: (
        lambda family, source, target, **more: (
            None if source[0] != target[0] else right(family, source, target, **more)
        )
    ),
)
DEGREES = Plant(
    "our degrees one too large",
    f"{_FAMILIES}.expanded.facts:degree_counts",
    lambda right: lambda family: {degree + 1: nodes for degree, nodes in right(family).items()},
)
LAMP_DISTANCES = Plant(
    "our distances in expanded networks one too large for pairs that are far",
    f"{_FAMILIES}.expanded.routing:ExpandedRouter.distances",
    lambda right: lambda self, at, to: (d := right(self, at, to)) + (d > 5),
)
LONG_WALKS = Plant(
    "routes in expanded networks go forth and back first",
    f"{_FAMILIES}.expanded.routing:ExpandedRouter.trace",
    longer,
)
EVEN_PATHS = Plant(
    "total exchange planned with one packet missing",
    "hopscape.collectives.orbits:exchange_plan",
    lambda right: lambda orbits: tuple(column[:-1] for column in right(orbits)),
)
PERMUTED = Plant(
    "permutations by rows lack their last transfer",
    "hopscape.collectives.products:permute_by_rows",
    lost_transfer,
)


def _any_ways(right: Any) -> Any:
    def match(factor: Any, distance: Any, aim: Any) -> Any:
        chosen = right(factor, distance, aim)
        for packet, way in chosen.items():
            ways = [
                [way[0], u, v, way[3]]
                for u in factor.neighbours(way[0])
                for v in factor.neighbours(u)
                if distance[u, way[3]] == 2 and distance[v, way[3]] == 1
            ]
            chosen[packet] = ways[packet % 3]
        return chosen

    return match


NO_MIDDLES = Plant(
    "middle links of permutations are not matched",
    "hopscape.collectives.products:_match_middles",
    _any_ways,
)
