"""Errors that the checks of the claims about broadcasts on tori must notice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from hopscape.ledger.claim import PlantedError, printed_as

__all__ = [
    "FAR",
    "LATE_DIGIT",
    "LONGER_WORD",
    "LONGER_WORDS",
    "LOST_CALL",
    "MOVED_WIRE",
    "ONE_ROUND",
    "SHORTCUT",
    "SWAPPED_ROUNDS",
    "TURNED_WORD",
    "VERIFIER_ASLEEP",
    "changed",
    "print_as",
    "shifted",
]

_ROOM = "hopscape.collectives.circuits"
_PRINTED = "hopscape.papers.torusbcast.printed"
print_as = partial(printed_as, _PRINTED)


def changed(error: str, place: str, change: Callable[[Any], Any]) -> PlantedError:
    """What a function of the family returns, changed; place is ``module:name``."""

    def broken(right: Any) -> Any:
        return lambda *given, **named: change(right(*given, **named))

    return PlantedError(error, f"{_ROOM}.{place}", broken)


def shifted(place: str, error: str = "") -> PlantedError:
    """A number, or an array, one too large."""
    return changed(error or f"{place} one too large", place, lambda found: found + 1)


def _reworded(change: Callable[[Any, int], Any]) -> Callable[[Any], Any]:
    """The words of each round of a program changed; change takes words and the round."""

    def reworded(program: Any) -> Any:
        rounds = tuple(
            tuple(replace(calls, words=change(calls.words, r)) for calls in now)
            for r, now in enumerate(program.rounds)
        )
        return replace(program, rounds=rounds)

    return reworded


def _turned(words: Any, r: int) -> Any:
    """The first word of the first round walked in the other order of its runs."""
    return (tuple(reversed(words[0])), *words[1:]) if r == 0 else words


def _detour(words: Any) -> Any:
    """The first word goes one step aside, there and back."""
    axis = words[0][0][0]
    aside = (axis + 1) % (1 + max(a for word in words for a, _ in word))
    return (((aside, 1), *words[0], (aside, -1)), *words[1:])


def _first_two_swapped(program: Any) -> Any:
    one, two, *rest = program.rounds
    words = one[0].words, two[0].words
    first = (replace(one[0], words=words[1]), *one[1:])
    second = (replace(two[0], words=words[0]), *two[1:])
    return replace(program, rounds=(first, second, *rest))


LOST_CALL = changed(
    "the last call of every round is not made",
    "schemes:scheme",
    _reworded(lambda words, _: words[:-1]),
)
TURNED_WORD = changed(
    "a word of the first round turns too early", "schemes:scheme", _reworded(_turned)
)
LONGER_WORD = changed(
    "a word of the first round makes a detour",
    "schemes:scheme",
    _reworded(lambda words, r: words if r else _detour(words)),
)
LONGER_WORDS = changed(
    "a word of every round makes a detour",
    "schemes:scheme",
    _reworded(lambda words, _: _detour(words)),
)
SWAPPED_ROUNDS = changed(
    "the words of the first two rounds exchanged", "schemes:scheme", _first_two_swapped
)
ONE_ROUND = changed(
    "all calls made in one round",
    "schemes:scheme",
    lambda program: replace(program, rounds=(sum(program.rounds, ()),)),
)


def _last_digit_lost(digits: Any) -> Any:
    out = digits.copy()
    out[:, -1] = 0
    return out


LATE_DIGIT = changed(
    "the last digit is forgotten", "numeration:MixedSystem.digits", _last_digit_lost
)


def _wired(move: int) -> Callable[[Any], Any]:
    def broken(right: Any) -> Any:
        def neighbours(self: Any, nodes: Any) -> Any:
            out = right(self, nodes)
            out[:, 0] = np.where(nodes % 5 == 0, (nodes + move) % self.order, out[:, 0])
            return out

        return neighbours

    return broken


_WIRES = "hopscape.families.torus.grids:_Grid.neighbours"
MOVED_WIRE = PlantedError("some wires of the torus moved", _WIRES, _wired(2))
SHORTCUT = PlantedError("some wires of the torus lead far away", _WIRES, _wired(13))


FAR = PlantedError(
    "searches find everybody one hop farther",
    "hopscape.core.distances:distances_from",
    lambda right: lambda *given: right(*given) + 1,
)


def _asleep(right: Any) -> Any:
    from hopscape.core.verdict import Verdict

    return lambda *given, **named: Verdict(False, "asleep")


VERIFIER_ASLEEP = PlantedError(
    "the verifier refuses everything", "hopscape.core.verify:verify", _asleep
)

COARSE = changed(
    "coarse cells one off",
    "numeration:MixedSystem.coarse_cells",
    lambda cells: cells + (np.arange(len(cells)) == 2)[:, None],
)
