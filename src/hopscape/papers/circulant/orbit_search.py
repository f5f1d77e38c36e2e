"""Larger circulants of a degree and diameter than the table has, of lattices and multipliers.

Random lattices of closed walks (``lattice_search``) come first: they find most at diameters from
about the number of generators on. Then sets made of orbits of multipliers.

Many orders are looked at shortly rather than few for long: of those within reach above the best,
most have no such set that a longer climb would find either.
"""

from __future__ import annotations

import math
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopscape.core.errors import ArgumentError, CheckFailedError
from hopscape.core.grid_kernels import seeded
from hopscape.families.circulant.closed_forms import canonical
from hopscape.families.circulant.figures import ball_sizes
from hopscape.papers.circulant.atlas import largest_table, most_nodes
from hopscape.papers.circulant.lattice_search import try_lattices
from hopscape.papers.circulant.orbit_kernels import (
    OrbitParts,
    climb_orbits,
    multiplier_orders,
    orbits_of,
)
from hopscape.store import Processes, Store, Task, run_tasks

__all__ = ["LargerCirculant", "improve_largest", "try_order"]

_WINDOW = 1.3  # times the best order: sets that are larger still were never found first
_BATCH = 32  # orders between two looks at what was found
_LATTICES = 16  # tasks of random lattices in the first turn, twice as many in every next one
_TOGETHER = 4  # of them between two looks at what was found
_LATTICE_SECONDS = 0.1  # measured; only the progress bar depends on it
_MULTIPLIERS, _SHAPES = 6, 3  # of an order in the first turn; more in later ones
_MOST_PARTS = 4  # orbits of a set
_FREE = 6  # times the words of a climb go to climbs among any sets, short ones
_WORDS = 400_000  # of bit sets that a climb may write in the first turn
_WORDS_PER_SECOND = 270e6  # measured; plans and the progress bar count in it
_MOST_TURNS = 16


@dataclass(frozen=True)
class LargerCirculant:
    """The largest circulant of a degree and diameter that a search knows in the end.

    Attributes:
        before: Nodes of the table's entry; equal to `nodes` if nothing larger was found.
        multiplier: Its orbits make up the generators; None for a lattice and the table's own entry.
        tried: Orders and lattices looked at.
        complete: Was the plan done, rather than stopped?
    """

    degree: int
    diameter: int
    nodes: int
    generators: tuple[int, ...]
    multiplier: int | None
    before: int
    tried: int
    complete: bool = True
    interrupted: bool = False

    @property
    def bound(self) -> int:
        """No circulant of the degree and diameter has more nodes."""
        return most_nodes(self.diameter, self.degree)

    @property
    def spec(self) -> str:
        """What builds it."""
        return f"circulant({', '.join(map(str, (self.nodes, *self.generators)))})"

    def to_dict(self) -> dict[str, Any]:
        """The record that scripts rely on."""
        return {
            "degree": self.degree,
            "diameter": self.diameter,
            "nodes": self.nodes,
            "generators": list(self.generators),
            "spec": self.spec,
            "multiplier": self.multiplier,
            "before": self.before,
            "bound": self.bound,
            "tried": self.tried,
            "complete": self.complete,
        }


@dataclass
class _Search:
    """What a search has so far, and what is left of its effort in words of bit sets."""

    degree: int
    diameter: int
    nodes: int
    words: float
    generators: tuple[int, ...]
    multiplier: int | None = None
    tried: int = 0

    def window(self) -> range:
        """Orders within reach above the best."""
        last = min(most_nodes(self.diameter, self.degree), int(_WINDOW * self.nodes) + 1)
        step = 1 + self.degree % 2
        return range(self.nodes + step, last + 1, step)

    def take(self, found: dict[str, Any]) -> None:
        self.tried += found["orders"]
        self.words -= found["words"]
        if found["generators"] and found["nodes"] > self.nodes:
            self.nodes, self.multiplier = found["nodes"], found["multiplier"]
            self.generators = tuple(found["generators"])


def improve_largest(
    degree: int,
    diameter: int,
    *,
    effort: float = 60.0,
    seconds: float | None = None,
    seed: int = 0,
    resume: Store | None = None,
    workers: int | None = 1,
) -> LargerCirculant:
    """Look for a larger circulant of a cell of the table, and measure its diameter.

    Args:
        effort: Processor seconds to plan for, on a machine like the one it was measured on: the
            same effort and seed give the same set, on any number of workers.
        seconds: Stop after so many seconds, wherever the plan is.
        resume: Keeps the orders that were tried; a later search goes on from there.
        workers: Processes; None takes all processors.

    Returns:
        LargerCirculant: When interrupted (Ctrl-C), the best so far.

    Examples:
        >>> found = improve_largest(13, 3, effort=0.2)
        >>> found.nodes >= found.before
        True
    """
    if not effort > 0:
        raise ArgumentError(f"effort is {effort}; it must be above 0")
    if not 0 <= seed < 2**31:
        raise ArgumentError(f"seed is {seed}; it must be from 0 to {2**31 - 1}")
    search = _begin(degree, diameter, effort)
    before, interrupted, complete = search.nodes, False, False
    try:
        complete = _turns(search, seconds, seed, resume, workers)
    except KeyboardInterrupt:
        interrupted = True
    sizes = ball_sizes(search.nodes, search.generators, diameter)
    if sizes[-1] < search.nodes:
        text = f"circulant{(search.nodes, *search.generators)}"
        raise CheckFailedError(f"{text} has a diameter above {diameter}")
    return LargerCirculant(
        degree,
        len(sizes) - 1,
        search.nodes,
        search.generators,
        search.multiplier,
        before,
        search.tried,
        complete,
        interrupted,
    )


def _begin(degree: int, diameter: int, effort: float) -> _Search:
    """From the table's entry; refuse what it does not have, and what is proved."""
    table = {(row["degree"], row["diameter"]): row for row in largest_table()}
    row = table.get((degree, diameter))
    if row is None:
        degrees, diameters = zip(*table)
        raise ArgumentError(
            f"degree {degree} and diameter {diameter} are not in the table, which has degrees"
            f" {min(degrees)} to {max(degrees)} and diameters {min(diameters)} to {max(diameters)}"
        )
    if row["known"] == "proved":
        raise ArgumentError(
            f"no circulant of degree {degree} and diameter {diameter} has more than"
            f" {row['nodes']} nodes: that is proved"
        )
    words = effort * _WORDS_PER_SECOND
    return _Search(degree, diameter, row["nodes"], words, tuple(row["generators"]))


def _turns(
    search: _Search, seconds: float | None, seed: int, store: Store | None, workers: int | None
) -> bool:
    """All orders of the window in random order, again and again, and longer each time."""
    begun = time.monotonic()
    count = workers if workers is not None else os.cpu_count() or 1
    with closing(Processes(count)) if count > 1 else nullcontext() as pool:
        for turn in range(_MOST_TURNS):
            for tasks, look in _batches(search, turn, seed):
                text = f"turn {turn + 1}: {search.nodes:,} nodes"
                for _, found in run_tasks(
                    tasks, look, store, processes=workers, pool=pool, text=text
                ):
                    search.take(found)
                if search.words <= 0:
                    return True
                if seconds is not None and time.monotonic() - begun > seconds:
                    return False
    return True


def _batches(
    search: _Search, turn: int, seed: int
) -> Iterator[tuple[list[Task], Callable[..., dict[str, Any]]]]:
    """Tasks of a turn, made as they are asked for: random lattices, then orders of the window."""
    cell = search.degree, search.diameter
    for first in range(_LATTICES * ((1 << turn) - 1), _LATTICES * ((2 << turn) - 1), _TOGETHER):
        yield (
            [
                Task.of(
                    try_lattices,
                    (*cell, search.nodes, number, seed),
                    _LATTICE_SECONDS,
                    f"circulant lattices degree={search.degree} number={number}",
                )
                for number in range(first, first + _TOGETHER)
            ],
            try_lattices,
        )
    orders = list(search.window())
    random.Random(f"{seed}.{turn}").shuffle(orders)
    for at in range(0, len(orders), _BATCH):
        yield (
            [
                Task.of(
                    try_order,
                    (nodes, *cell, turn, seed),
                    _most_words(turn) / _WORDS_PER_SECOND,
                    f"circulant nodes={nodes} degree={search.degree} turn={turn}",
                )
                for nodes in orders[at : at + _BATCH]
                if nodes > search.nodes
            ],
            try_order,
        )


def _most_words(turn: int) -> int:
    """No order takes more, about."""
    return _MULTIPLIERS * _SHAPES * (_WORDS << turn)


def try_order(nodes: int, degree: int, d: int, turn: int, seed: int) -> dict[str, Any]:
    """Look for a circulant of one order: single orbits, any sets, then sets of several orbits.

    Returns:
        dict: Nodes and generators (none: not found), the multiplier, orders looked at, and the
            words of bit sets written.
    """
    rng = random.Random(f"{seed}.{turn}.{nodes}.{degree}.{d}")
    generators: tuple[int, ...] = ()
    multiplier = None
    tried: list[_Climb] = []
    for climb, shape in _climbs(nodes, degree, d, turn, rng):
        if climb not in tried[-1:]:
            tried.append(climb)
        reached, held = climb.run(shape, _WORDS << turn, rng.randrange(2**62))
        if reached == nodes and len(set(held)) == len(held):
            generators, multiplier = canonical(nodes, held), climb.u
            break
    words = nodes * (degree // 2) / 8  # powers of units take their time as well
    words += sum(climb.words for climb in tried)
    return {
        "nodes": nodes,
        "generators": list(generators),
        "multiplier": multiplier,
        "orders": 1,
        "words": words,
    }


def _climbs(
    nodes: int, degree: int, d: int, turn: int, rng: random.Random
) -> Iterator[tuple[_Climb, tuple[int, ...]]]:
    """What is tried at one order: orbits, and the lengths of those that make up a set."""
    half = degree // 2
    orders = multiplier_orders(nodes, half)
    whole = np.flatnonzero(orders == half).tolist() if turn == 0 else []
    for u in whole:
        if _is_first(u, half, nodes):
            yield _Climb(nodes, degree, d, u, half), (half,)
    free = _Climb(nodes, degree, d, 1, 1)
    while free.words < _FREE * _WORDS << turn:
        yield free, (1,) * half
    fewer = np.flatnonzero((orders > 0) & (orders < half))[1:].tolist()  # 1 was just tried
    for u in rng.sample(fewer, min(_MULTIPLIERS, len(fewer))):
        climb = _Climb(nodes, degree, d, u, int(orders[u]))
        shapes = climb.shapes()
        for shape in rng.sample(shapes, min(_SHAPES, len(shapes))):
            yield climb, shape


def _is_first(u: int, k: int, nodes: int) -> bool:
    """Of the multipliers with the same orbits, one is tried."""
    powers = (pow(u, j, nodes) for j in range(2, k) if math.gcd(j, k) == 1)
    return all(u <= min(power, nodes - power) for power in powers) and 2 * u <= nodes


class _Climb:
    """The orbits of a multiplier, and the climbs among sets of them.

    Attributes:
        words: Written so far.
    """

    def __init__(self, nodes: int, degree: int, d: int, u: int, k: int) -> None:
        self.nodes, self.degree, self.d, self.u, self.k = nodes, degree, d, u, k
        orbits, lengths = orbits_of(nodes, u, k)
        self._first = orbits[0]  # that of 1
        by_length = np.argsort(lengths, kind="stable")
        self._orbits = orbits[by_length]
        self._lengths = lengths[by_length]
        self._many = Counter(lengths.tolist())
        self.words = orbits.size / 8

    def shapes(self) -> list[tuple[int, ...]]:
        """Lengths of orbits that make up a set, the orbit of 1 among them."""
        found: list[tuple[int, ...]] = []
        lengths = sorted(self._many, reverse=True)

        def extend(shape: tuple[int, ...], left: int) -> None:
            if left == 0:
                if all(shape.count(size) <= self._many[size] for size in shape):
                    found.append(shape)
                return
            if len(shape) < _MOST_PARTS:
                for size in lengths:
                    if size <= min(left, shape[-1]):
                        extend((*shape, size), left - size)

        extend((self.k,), self.degree // 2 - self.k)
        return found

    def run(self, shape: tuple[int, ...], words: int, seed: int) -> tuple[int, list[int]]:
        """Nodes that are reached, and the generators."""
        half = self.degree // 2
        generators = np.zeros(half + self.degree % 2, np.int64)
        generators[: self.k] = self._first[: self.k]
        if self.degree % 2:
            generators[-1] = self.nodes // 2
        each = self.d * len(generators) * (self.nodes // 32 + 8)
        sizes = np.array(shape, np.int64)
        low = np.searchsorted(self._lengths, sizes, "left")
        high = np.searchsorted(self._lengths, sizes, "right")
        patience = min(2 * int((high - low)[1:].sum()), words // each)
        parts = OrbitParts(self._orbits, sizes, low, high)
        reached, looked = climb_orbits(
            self.nodes, self.d, parts, generators, patience, seeded(seed)
        )
        self.words += each * looked
        return int(reached), generators.tolist()
