"""Errors that the checks of this paper must notice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from hopscape.ledger.claim import PlantedError, printed_as
from hopscape.ledger.planting import crossed, cut, longer, lost_transfer, shifted, wrong_facts

__all__ = ["cut", "longer", "shifted"]

_PRINTED = "hopscape.papers.heawood.printed"
_FAMILIES = "hopscape.families"
print_as = partial(printed_as, _PRINTED)


HEAWOOD_WIRES = PlantedError(
    "two wires of the Heawood graph exchanged",
    f"{_FAMILIES}.classic.small:Heawood.neighbours",
    crossed,
)
PETERSEN_WIRES = PlantedError(
    "two wires of the Petersen graph exchanged",
    f"{_FAMILIES}.classic.small:GeneralizedPetersen.neighbours",
    crossed,
)
CUBE_WIRES = PlantedError(
    "hypercubes with two wires exchanged",
    f"{_FAMILIES}.classic.cubes:Hypercube.neighbours",
    crossed,
)
CCC_WIRES = PlantedError(
    "cube-connected cycles with two wires exchanged",
    f"{_FAMILIES}.classic.cubes:CubeConnectedCycles.neighbours",
    crossed,
)
PRODUCT_WIRES = PlantedError(
    "products with two wires exchanged",
    "hopscape.core.product:ProductFamily.neighbours",
    crossed,
)
EXPANDED_WIRES = PlantedError(
    "level links at the next place of the base",
    f"{_FAMILIES}.expanded.wiring:Expanded._find_levels",
    lambda right: lambda self: np.roll(right(self), 1, axis=0),
)
LONG_ROUTES = PlantedError(
    "routes in products go forth and back first",
    "hopscape.core.product:ProductRouter.trace",
    longer,
)


def _detour(right: Any) -> Any:
    def route(network: Any, source: int, target: int, **reading: Any) -> Any:
        path = right(network, source, target, **reading)
        return [*path[:2], *path] if path is not None and len(path) > 2 else path

    return route


LOOK_AHEAD = PlantedError(
    "looking ahead goes forth and back first",
    "hopscape.papers.heawood.routing:look_ahead_route",
    _detour,
)
WALKS = PlantedError(
    "covering walks one hop too long",
    f"{_FAMILIES}.expanded.walks:TableWalks.through_all",
    lambda right: lambda self: right(self) + 1,
)
CYCLE_WALKS = PlantedError(
    "covering walks on cycles one hop too long",
    f"{_FAMILIES}.expanded.walks:CycleWalks.through_all",
    lambda right: lambda self: right(self) + 1,
)


def _lost_step(right: Any) -> Any:
    return (*right[:2], right[2][:-1])


def _right_steps(_: Any) -> Any:
    from hopscape.families.classic import heawood as room

    return vars(room)["_STEPS"]


def _other_row(name: str, **changed: Any) -> Callable[[Any], Any]:
    """The printed table with a row changed."""
    return lambda right: tuple(replace(r, **changed) if r.name == name else r for r in right)


def table_as(name: str, error: str, **changed: Any) -> PlantedError:
    """A row of table 1 printed otherwise."""
    where = "hopscape.papers.heawood.comparison:PRINTED"
    return PlantedError(error, where, _other_row(name, **changed))


def facts_of(where: str, error: str, **wrong: Any) -> PlantedError:
    """Closed forms of a family changed."""
    return PlantedError(error, f"{_FAMILIES}.{where}.facts", wrong_facts(**wrong))


BROADCAST_STEPS = PlantedError(
    "our broadcast without its last send", f"{_FAMILIES}.classic.heawood:_STEPS", _lost_step
)
PRINTED_STEPS = PlantedError(
    "our printed steps are the right ones", f"{_FAMILIES}.classic.heawood:_PRINTED", _right_steps
)
BASIC_ROUTER = PlantedError(
    "the router of the Heawood graph takes the next port",
    f"{_FAMILIES}.classic.heawood:BasicRouter.next_ports",
    lambda right: lambda self, at, to: np.where(at == to, -1, (right(self, at, to) + 1) % 3),
)
AXES = PlantedError(
    "broadcasts by axes lack their last transfer",
    "hopscape.collectives.products:broadcast_by_axes",
    lost_transfer,
)
MEMBERS = PlantedError(
    "our diameters of the compared families one too large",
    "hopscape.papers.heawood.comparison:members",
    lambda right: (
        lambda *given: None if (m := right(*given)) is None else replace(m, diameter=m.diameter + 1)
    ),
)
FLOODED = PlantedError(
    "our flood lacks its last transfer", f"{_FAMILIES}.expanded.collectives:flood", lost_transfer
)
PRINTED_ROUTE = PlantedError(
    "our printed route gives up",
    f"{_FAMILIES}.expanded.routing:printed_route",
    lambda right: (
        lambda family, source, target, **more: (
            None if source[0] != target[0] else right(family, source, target, **more)
        )
    ),
)
DEGREES = PlantedError(
    "our degrees one too large",
    f"{_FAMILIES}.expanded.facts:degree_counts",
    lambda right: lambda family: {degree + 1: nodes for degree, nodes in right(family).items()},
)
LAMP_DISTANCES = PlantedError(
    "our distances in expanded networks one too large for pairs that are far",
    f"{_FAMILIES}.expanded.routing:ExpandedRouter.distances",
    lambda right: lambda self, at, to: (d := right(self, at, to)) + (d > 5),
)
LONG_WALKS = PlantedError(
    "routes in expanded networks go forth and back first",
    f"{_FAMILIES}.expanded.routing:ExpandedRouter.trace",
    longer,
)
EVEN_PATHS = PlantedError(
    "total exchange planned with one packet missing",
    "hopscape.collectives.orbits:exchange_plan",
    lambda right: lambda orbits: tuple(column[:-1] for column in right(orbits)),
)
PERMUTED = PlantedError(
    "permutations by rows lack their last transfer",
    "hopscape.collectives.products:permute_by_rows",
    lost_transfer,
)


def _any_ways(right: Any) -> Any:
    def match(factor: Any, distance: Any, aim: Any) -> Any:
        chosen = right(factor, distance, aim)
        for packet, path in chosen.items():
            ways = [
                [path[0], u, v, path[3]]
                for u in factor.neighbours(path[0])
                for v in factor.neighbours(u)
                if distance[u, path[3]] == 2 and distance[v, path[3]] == 1
            ]
            chosen[packet] = ways[packet % 3]
        return chosen

    return match


NO_MIDDLES = PlantedError(
    "middle links of permutations are not matched",
    "hopscape.collectives.products:_match_middles",
    _any_ways,
)
