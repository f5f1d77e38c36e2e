"""The broadcasts that the claims are about, walked once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from hopscape.collectives.circuits.programs import Disjoint, to_schedule, uniform_program
from hopscape.collectives.circuits.schemes import scheme
from hopscape.collectives.circuits.words import parse_word
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.core.verify import verify
from hopscape.families.torus.grids import Torus
from hopscape.ledger.papers.torusbcast.walks import Walked, walk_broadcast

__all__ = ["READINGS", "called", "faults", "run", "walked"]

READINGS: tuple[Disjoint, ...] = ("vertex", "edge", "arc")


@cache
def run(name: str, side: int, dimension: int) -> Schedule:
    """The schedule of a named scheme, from vertex 0."""
    network = Network.of(Torus((side,) * dimension))
    return to_schedule(scheme(name, (side,) * dimension), network, 0, Model(), name)


@cache
def walked(name: str, side: int, dimension: int, disjoint: Disjoint = "vertex") -> Walked:
    """The same, walked call by call."""
    return walk_broadcast(run(name, side, dimension), side, dimension, disjoint)


def faults(name: str, side: int, dimension: int, disjoint: Disjoint) -> list[str]:
    """How a scheme breaks the definition, walked by hand; and where `verify` sees it otherwise."""
    found = walked(name, side, dimension, disjoint).faults
    model = Model(switching="circuit", disjoint=disjoint)
    verdict = verify(run(name, side, dimension), model=model)
    if bool(verdict) == bool(found):
        found = [*found, f"verify differs: {verdict.reason}"]
    return [f"side {side}, {disjoint}-disjoint: {fault}" for fault in found]


def called(side: int, dimension: int, rounds: Sequence[tuple[Sequence[str], int]]) -> Schedule:
    """All who know send along the same words, each letter so many steps, round by round."""
    words = [
        [parse_word("".join(f"{letter}{unit}" for letter in word)) for word in row]
        for row, unit in rounds
    ]
    sides = (side,) * dimension
    return to_schedule(
        uniform_program(sides, words), Network.of(Torus(sides)), 0, Model(), "as written"
    )
