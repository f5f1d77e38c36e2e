"""Programs of circuits on a torus: who calls by which words in which round.

A :class:`Program` starts at the origin and knows nothing of node numbers; :func:`to_schedule` puts
it on a network, at any root. Programs are stretched, refined and composed: a broadcast to the
points of a coarse grid, followed by one inside every cell of the grid at once, is a broadcast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from hopscape.collectives.circuits.words import Word, displacement, length, scale, steps
from hopscape.core.addresses import MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.goal import Goal
from hopscape.core.memory import require_memory
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule

__all__ = [
    "Calls",
    "Disjoint",
    "Program",
    "compose",
    "grid_points",
    "reach",
    "refine",
    "stretch",
    "to_schedule",
    "uniform_program",
]

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
    """Put a program on a torus.

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
