"""Broadcasts on small tori that were found by search.

``small_calls.json`` has the calls of those whose chains are as short as the diameter, found by
:func:`hopscape.collectives.circuits.exact.short_chains` (in seconds, with the extra ``cpsat``).
``small_sets.json`` has the informed sets of others (vertex-disjoint, least number of rounds, found
by :func:`hopscape.collectives.circuits.settle.search_sets` and made shorter by
:func:`~hopscape.collectives.circuits.settle.shorten_sets`); their circuits are found again.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from hopscape.collectives.circuits.paths import circuits_towards
from hopscape.collectives.circuits.programs import Calls, Program
from hopscape.collectives.circuits.words import LETTERS, Word, parse_word
from hopscape.core.addresses import MixedRadix
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule

__all__ = ["TorusOf", "alike", "program_of", "small_program", "small_sides"]


@cache
def _calls() -> dict[tuple[int, ...], list[dict[str, str]]]:
    text = files("hopscape.collectives.circuits").joinpath("small_calls.json").read_text()
    return {tuple(map(int, key.split(","))): rows for key, rows in json.loads(text).items()}


@cache
def _sets() -> dict[tuple[int, ...], list[list[int]]]:
    text = files("hopscape.collectives.circuits").joinpath("small_sets.json").read_text()
    return {tuple(map(int, key.split(","))): rows for key, rows in json.loads(text).items()}


def small_sides() -> list[tuple[int, ...]]:
    """The tori for which there are calls or sets."""
    return sorted({*_calls(), *_sets()})


TorusOf = Callable[[tuple[int, ...]], Network]


def alike(network: Network) -> TorusOf:
    """What makes a torus of other sides, of the same family as a torus."""
    family: Any = type(network.family)
    return _maker(family)


@cache
def _maker(family: Any) -> TorusOf:
    return lambda sides: Network.of(family.of_sides(sides))


@cache
def small_program(sides: tuple[int, ...], torus: TorusOf) -> Program | None:
    """The broadcast found for these sides, or None.

    Examples:
        >>> import hopscape
        >>> network = hopscape.build("torus(5, 5)")
        >>> len(small_program((10, 10), alike(network)).rounds)
        3
    """
    if sides in _calls():
        return Program(sides, tuple(map(_round, _calls()[sides])))
    rows = _sets().get(sides)
    if rows is None:
        return None
    found = circuits_towards(torus(sides), 0, [np.array(row) for row in rows], strict=True)
    return program_of(found, sides) if found is not None else None


def _round(row: dict[str, str]) -> tuple[Calls, ...]:
    """The calls of a round, written as the words of each source."""
    return tuple(
        Calls(
            np.array([list(map(int, source.split(",")))], dtype=np.int64),
            tuple(map(parse_word, words.split())),
        )
        for source, words in row.items()
    )


def program_of(schedule: Schedule, sides: tuple[int, ...]) -> Program:
    """The program of a schedule that starts at node 0."""
    box = MixedRadix(sides)
    ports = schedule.network.port_of(schedule.channels).tolist()
    rounds = []
    for r in range(schedule.rounds):
        words: dict[int, list[Word]] = {}
        for t in range(int(schedule.round_start[r]), int(schedule.round_start[r + 1])):
            path = ports[int(schedule.path_start[t]) : int(schedule.path_start[t + 1])]
            text = "".join(LETTERS[p // 2] if p % 2 == 0 else LETTERS[p // 2].lower() for p in path)
            words.setdefault(int(schedule.source[t]), []).append(parse_word(text))
        rounds.append(
            tuple(
                Calls(np.array([box.tuple(source)], dtype=np.int64), tuple(said))
                for source, said in sorted(words.items())
            )
        )
    return Program(sides, tuple(rounds))
