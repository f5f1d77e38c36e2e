"""Errors that the checks of this paper must notice."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from hopscape.ledger.claim import PlantedError, printed_as
from hopscape.ledger.planting import (
    altered,
    crossed,
    cut,
    longer,
    lost_transfer,
    shifted,
    wrong_facts,
)

__all__ = ["wrong_facts"]

_HOME = "hopscape.papers.rpc"
_STACKS = "hopscape.families.petersen_cycles"
print_as = partial(printed_as, f"{_HOME}.printed")


def formula_as(name: str, value: Any, error: str) -> PlantedError:
    """A printed formula for groups changed."""
    return PlantedError(error, f"hopscape.papers.rpc.groups:printed_{name}_group", lambda _: value)


def off_by(name: str, by: int, error: str) -> PlantedError:
    """One of our closed forms for comparisons changed."""
    return PlantedError(error, f"{_HOME}.comparison:{name}", shifted(by))


PETERSEN_WIRES = PlantedError(
    "two wires of the Petersen graph exchanged",
    "hopscape.families.classic.small:GeneralizedPetersen.neighbours",
    crossed,
)
WIRES = PlantedError(
    "two wires of a stack exchanged", f"{_STACKS}.wiring:Stack.neighbours", crossed
)
CUT = PlantedError("a wire of a stack cut", f"{_STACKS}.wiring:Stack.neighbours", cut(0, 1))
ROUTES = PlantedError(
    "routes in stacks go forth and back first", f"{_STACKS}.routing:StackRouter.trace", longer
)
DIAMETER = PlantedError(
    "our diameter of RPC(k) one too large",
    f"{_STACKS}.networks:RingOfPetersenCycles.facts",
    wrong_facts(diameter=lambda d: d + 1),
)
RPC_FORM = off_by("rpc_diameter", 1, "our diameters of RPC one too large in comparisons")
RP_FORM = off_by("rp_diameter", -1, "our diameters of RP one too small in comparisons")
TORI = PlantedError(
    "the best torus taken as the longest",
    f"{_HOME}.comparison:best_torus",
    lambda right: lambda nodes: (1, nodes, nodes // 2),
)


def _loose_group(right: Any) -> Any:
    """A search that gives up one step too early."""
    from dataclasses import replace

    def search(network: Any, m: int, **more: Any) -> Any:
        found = right(network, m, **more)
        return replace(found, diameter=found.diameter + 1) if m == 12 else found

    return search


SEARCH = PlantedError(
    "the search misses the best group of 12 nodes",
    "hopscape.papers.rpc.groups:best_group",
    _loose_group,
)


def group_form(name: str) -> PlantedError:
    """Our closed form of the best groups, one too large from 25 nodes on."""
    return PlantedError(
        f"our groups of {name} one too large from 25 nodes on",
        f"hopscape.papers.rpc.groups:{name}_group",
        lambda right: lambda m, *more: right(m, *more) + (m >= 25),
    )


_later = altered(
    lambda made: {
        "round": np.where(made.round == made.rounds - 1, made.rounds, made.round),
        "rounds": made.rounds + 1,
    }
)
"""Schedules with an empty round before their last."""


def _built(change: Callable[[Any], Any], name: str) -> Callable[[Any], Any]:
    """Results of `run_algorithm` changed where the algorithm has this name."""

    def broken(right: Any) -> Any:
        def run(network: Any, goal: Any, algorithm: str, *more: Any, **named: Any) -> Any:
            return (change(right) if algorithm == name else right)(
                network, goal, algorithm, *more, **named
            )

        return run

    return broken


def slower(name: str) -> PlantedError:
    """An algorithm that takes a round more."""
    return PlantedError(
        f"algorithm {name!r} takes an empty round more",
        "hopscape.collectives.choose:run_algorithm",
        _built(_later, name),
    )


def unfinished(name: str) -> PlantedError:
    """An algorithm that forgets its last transfer."""
    return PlantedError(
        f"algorithm {name!r} forgets its last transfer",
        "hopscape.collectives.choose:run_algorithm",
        _built(lost_transfer, name),
    )


THIRDS = PlantedError(
    "our parts of a slice without their last node",
    f"{_STACKS}.broadcasts:thirds",
    lambda right: lambda *given: [part[:-1] for part in right(*given)],
)
INCOMPLETE = PlantedError(
    "packets of an incomplete permutation wait a round first",
    f"{_HOME}.worst:incomplete_rounds",
    shifted(1),
)
RING_WALK = PlantedError(
    "packets stop a slice too early",
    f"{_STACKS}.phases:Phases.ring_walk",
    lambda right: (
        lambda self, at, to, chunks, **more: right(self, at, (to + 30) % len(to), chunks, **more)
    ),
)
