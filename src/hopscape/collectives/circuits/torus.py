"""Words: paths on a grid written as steps along axes.

A capital letter is a step up along its axis, a small one a step down: X, Y, Z, W, V, T, S, R for
axes 0 to 7. A number repeats a letter (``X2Y`` is X X Y); in a template, ``u`` is a unit that is
given later (``Y2u-1`` is 2u - 1 steps along Y).

Programs of circuits on a torus: who calls by which words in which round.

A :class:`Program` starts at the origin and knows nothing of node numbers; :func:`to_schedule` puts
it on a network, at any root. Programs are stretched, refined and composed: a broadcast to the
points of a coarse grid, followed by one inside every cell of the grid at once, is a broadcast.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from hopscape.core.addresses import MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.schedule import Schedule

__all__ = [
    "LETTERS",
    "Calls",
    "Disjoint",
    "Program",
    "Word",
    "compose",
    "displacement",
    "grid_points",
    "inverse",
    "length",
    "parse_word",
    "parse_words",
    "reach",
    "refine",
    "scale",
    "steps",
    "stretch",
    "to_schedule",
    "uniform_program",
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
        run = _RUN.match(compact, place)
        if run is None or run[1].upper() not in LETTERS:
            raise ArgumentError(
                f"word {text!r} cannot be read at {compact[place:]!r}; a step is one of the letters"
                f" {', '.join(LETTERS)} (small for down) and an optional count"
            )
        count = int(run[2] or 1) * (unit if run[3] else 1) + int(run[4] or 0)
        if count < 0:
            raise ArgumentError(f"word {text!r} with unit {unit} has a run of {count} steps")
        if count:
            runs.append((LETTERS.index(run[1].upper()), count if run[1].isupper() else -count))
        place = run.end()
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


Disjoint = Literal["vertex", "edge", "arc"]


@dataclass(frozen=True)
class Calls:
    """In one round, all these sources send along all these words.

    Attributes:
        sources: int64[count, dimension]
    """

    sources: IntArray
    words: tuple[Word, ...]


@dataclass(frozen=True)
class Program:
    """Rounds of calls on the torus of these sides, from the origin.

    Attributes:
        disjoint ({'vertex', 'edge', 'arc'}): What the circuits of a round are meant not to share.
    """

    sides: tuple[int, ...]
    rounds: tuple[tuple[Calls, ...], ...]
    disjoint: Disjoint = "vertex"

    @property
    def dimension(self) -> int:
        """Number of axes."""
        return len(self.sides)

    @property
    def round_lengths(self) -> tuple[int, ...]:
        """The longest call of each round."""
        return tuple(
            max((length(w) for calls in now for w in calls.words), default=0) for now in self.rounds
        )

    @property
    def hops(self) -> int:
        """Channels held, summed over all calls."""
        return sum(
            len(calls.sources) * length(word)
            for now in self.rounds
            for calls in now
            for word in calls.words
        )


def uniform_program(sides: Sequence[int], words: Sequence[Sequence[Word]]) -> Program:
    """In round r every informed vertex sends along the words ``words[r]``."""
    box = np.asarray(sides, dtype=np.int64)
    informed = np.zeros((1, len(box)), dtype=np.int64)
    rounds = []
    for now in words:
        rounds.append((Calls(informed, tuple(now)),))
        ends = np.array([displacement(w, len(box)) for w in now], dtype=np.int64)
        new = (informed[:, None, :] + ends[None]).reshape(-1, len(box)) % box
        informed = np.concatenate([informed, new])
    return Program(tuple(sides), tuple(rounds))


def reach(program: Program) -> list[IntArray]:
    """The ends of the calls of each round, in order of calls."""
    box = np.asarray(program.sides, dtype=np.int64)
    out = []
    for now in program.rounds:
        ends = [
            (calls.sources + np.array(displacement(word, len(box)))) % box
            for calls in now
            for word in calls.words
        ]
        out.append(np.concatenate(ends) if ends else np.empty((0, len(box)), np.int64))
    return out


def stretch(program: Program, units: Sequence[int]) -> Program:
    """The same calls on a torus whose axis i is units[i] times as long.

    Paths keep to the lines through multiples of the units, so that what was disjoint stays so.
    """
    by = np.asarray(units, dtype=np.int64)
    rounds = tuple(
        tuple(
            Calls(calls.sources * by, tuple(scale(w, list(units)) for w in calls.words))
            for calls in now
        )
        for now in program.rounds
    )
    sides = tuple(side * unit for side, unit in zip(program.sides, units, strict=True))
    return replace(program, sides=sides, rounds=rounds)


_STRENGTH: tuple[Disjoint, ...] = ("arc", "edge", "vertex")


def weaker(one: Disjoint, other: Disjoint) -> Disjoint:
    """The weaker of two ways to be disjoint."""
    return min(one, other, key=_STRENGTH.index)


def refine(outer: Program, inner: Program) -> Program:
    """`outer` informs the multiples of inner's sides; then each of them runs `inner`.

    All copies of `inner` run at once, one in every cell. They do not meet: two paths that met would
    meet modulo the sides of the cell as well.
    """
    cells = [a // b for a, b in zip(outer.sides, inner.sides, strict=True)]
    if any(b * c != a for a, b, c in zip(outer.sides, inner.sides, cells, strict=True)):
        raise ArgumentError(f"sides {inner.sides} do not divide {outer.sides}")
    corners = grid_points(cells) * np.asarray(inner.sides)
    rounds = tuple(
        tuple(
            Calls((corners[:, None, :] + calls.sources[None]).reshape(-1, len(cells)), calls.words)
            for calls in now
        )
        for now in inner.rounds
    )
    return Program(outer.sides, outer.rounds + rounds, weaker(outer.disjoint, inner.disjoint))


def compose(outer: Program, inner: Program) -> Program:
    """A broadcast on the torus of sides outer x inner: `outer` stretched, then `inner`."""
    return refine(stretch(outer, inner.sides), inner)


def grid_points(sides: Sequence[int]) -> IntArray:
    """All points of a box, the last coordinate fastest."""
    box = MixedRadix(sides)
    return box.tuples(np.arange(box.order))


def to_schedule(
    program: Program,
    network: Network,
    root: int,
    model: Model,
    name: str,
    goal: Goal | None = None,
    keep: Callable[[IntArray], IntArray] | None = None,
) -> Schedule:
    """Put a program on a torus, as it stands: a paper's may be wrong, which its claim says.

    Args:
        network: A torus with the program's sides, port 2i up and 2i + 1 down along axis i.
        model: Its costs are taken over; circuits and what they may not share stay the program's.
        goal: A broadcast from `root` when left out.
        keep: Takes ends of calls (node numbers), says which calls are made.
    """
    require_memory(40 * program.hops, f"{name} on {network.spec}")
    box = np.asarray(program.sides, dtype=np.int64)
    shift = np.asarray(MixedRadix(program.sides).tuple(root), dtype=np.int64)
    strides = np.cumprod(np.concatenate([[1], box[:0:-1]]))[::-1].astype(np.int64)
    when: list[IntArray] = []
    counts: list[IntArray] = []
    channels: list[IntArray] = []
    for r, now in enumerate(program.rounds):
        for calls in now:
            starts = calls.sources + shift
            for word in calls.words:
                offsets, ports = steps(word, len(box))
                nodes = ((starts[:, None, :] + offsets[None]) % box) @ strides
                if keep is not None:
                    nodes = nodes[keep(nodes[:, -1])]
                channels.append(_channels(network, program.sides, nodes[:, :-1], ports).ravel())
                when.append(np.full(len(nodes), r, dtype=np.int64))
                counts.append(np.full(len(nodes), len(ports), dtype=np.int64))
    none = np.empty(0, dtype=np.int64)
    path_start = np.concatenate([[0], np.cumsum(np.concatenate([none, *counts]))])
    return Schedule.from_columns(
        network,
        own_model(model, program.disjoint),
        goal if goal is not None else Goal.broadcast(root),
        round=np.concatenate([none, *when]),
        channels=np.concatenate([none, *channels]),
        path_start=path_start,
        rounds=len(program.rounds),
        name=name,
    )


def own_model(model: Model, disjoint: Disjoint) -> Model:
    """Circuits with all ports, at the costs that were asked for."""
    return Model(
        switching="circuit",
        disjoint=disjoint,
        alpha=model.alpha,
        beta=model.beta,
        delta=model.delta,
    )


def _channels(
    network: Network, sides: tuple[int, ...], nodes: IntArray, ports: IntArray
) -> IntArray:
    width = 2 * len(sides)
    if len(network.heads) == width * network.order:
        return nodes * width + ports
    if network.family is not None and getattr(network.family, "wraps", False):
        short = np.array([sides[p // 2] == 2 for p in range(width)])
        ports = np.where(short[ports], ports - ports % 2, ports)  # an axis of side 2 has one link
    return network.channel_at(nodes, np.broadcast_to(ports, nodes.shape))
