"""Words: paths on a grid written as steps along axes.

A capital letter is a step up along its axis, a small one a step down: X, Y, Z, W, V, T, S, R for
axes 0 to 7. A number repeats a letter (``X2Y`` is X X Y); in a template, ``u`` is a unit that is
given later (``Y2u-1`` is 2u - 1 steps along Y).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError

__all__ = [
    "LETTERS",
    "Word",
    "displacement",
    "inverse",
    "length",
    "parse_word",
    "parse_words",
    "scale",
    "steps",
    "with_inverses",
    "write_word",
]

Word = tuple[tuple[int, int], ...]
"""Runs of a path: (axis, signed number of steps)."""

LETTERS = "XYZWVTSR"
_RUN = re.compile(r"([A-Za-z])(\d*)(u?)([+-]\d+)?")


def parse_word(text: str, unit: int = 1) -> Word:
    """Read a word.

    Examples:
        >>> parse_word("X2Yz")
        ((0, 2), (1, 1), (2, -1))
        >>> parse_word("z Y2u-1 Z", unit=5)
        ((2, -1), (1, 9), (2, 1))
    """
    runs: list[tuple[int, int]] = []
    place, compact = 0, text.replace(" ", "")
    while place < len(compact):
        found = _RUN.match(compact, place)
        if found is None or found[1].upper() not in LETTERS:
            raise ArgumentError(
                f"word {text!r} cannot be read at {compact[place:]!r}; a step is one of the letters"
                f" {', '.join(LETTERS)} (small for down) and an optional count"
            )
        count = int(found[2] or 1) * (unit if found[3] else 1) + int(found[4] or 0)
        if count < 0:
            raise ArgumentError(f"word {text!r} with unit {unit} has a run of {count} steps")
        if count:
            runs.append((LETTERS.index(found[1].upper()), count if found[1].isupper() else -count))
        place = found.end()
    return _merged(runs)


def parse_words(text: str, unit: int = 1) -> tuple[Word, ...]:
    """Read words separated by commas."""
    return tuple(parse_word(part, unit) for part in text.split(","))


def write_word(word: Word) -> str:
    """A word as :func:`parse_word` reads it.

    Examples:
        >>> write_word(((0, 2), (1, -1)))
        'X2y'
    """
    texts = []
    for axis, run in word:
        letter = LETTERS[axis] if run > 0 else LETTERS[axis].lower()
        texts.append(letter + (str(abs(run)) if abs(run) > 1 else ""))
    return "".join(texts)


def _merged(runs: Iterable[tuple[int, int]]) -> Word:
    out: list[tuple[int, int]] = []
    for axis, run in runs:
        if out and out[-1][0] == axis and (out[-1][1] > 0) == (run > 0):
            out[-1] = (axis, out[-1][1] + run)
        else:
            out.append((axis, run))
    return tuple(out)


def scale(word: Word, units: int | Sequence[int]) -> Word:
    """Every step along axis i becomes units[i] steps."""
    if isinstance(units, int):
        return tuple((axis, run * units) for axis, run in word)
    return tuple((axis, run * units[axis]) for axis, run in word)


def inverse(word: Word) -> Word:
    """The word that points the other way at every step (not the way back)."""
    return tuple((axis, -run) for axis, run in word)


def with_inverses(words: Iterable[Word]) -> tuple[Word, ...]:
    """Each word followed by its inverse."""
    return tuple(w for word in words for w in (word, inverse(word)))


def length(word: Word) -> int:
    """Number of steps."""
    return sum(abs(run) for _, run in word)


def displacement(word: Word, dimension: int) -> tuple[int, ...]:
    """Where the word leads, seen from its start.

    Examples:
        >>> displacement(parse_word("YxY2xYz"), 3)
        (-2, 4, -1)
    """
    out = [0] * dimension
    for axis, run in word:
        out[axis] += run
    return tuple(out)


def steps(word: Word, dimension: int) -> tuple[IntArray, IntArray]:
    """The word step by step.

    Returns:
        places (int64[length + 1, dimension]): Where the path is before each step and at its end,
            seen from its start.
        ports (int64[length]): Ports taken: 2 axis for up, 2 axis + 1 for down.
    """
    counts = [abs(run) for _, run in word]
    ports = np.repeat([2 * axis + (run < 0) for axis, run in word], counts).astype(np.int64)
    moves = np.zeros((len(ports) + 1, dimension), dtype=np.int64)
    moves[np.arange(1, len(ports) + 1), ports // 2] = 1 - 2 * (ports % 2)
    return np.cumsum(moves, axis=0), ports
