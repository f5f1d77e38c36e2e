"""Circuit-switched broadcast on a torus or mesh of any sides: the best this project knows.

Several ways are tried and the best result kept (fewest rounds, then shortest circuits):

* a named scheme, when the side is a power of 2d + 1;
* a level when all sides are multiples of 2d + 1, then the same on the smaller torus;
* shrinking: the informed sets of a scheme on a larger torus, pushed together, with circuits found
  by augmenting paths (first without common nodes, then without common links);
* widening: a scheme on a smaller torus with lines put in between;
* one axis after the other;
* where all these need more rounds than must be, a search (:mod:`.search`).

Broadcast along one axis after the other: for every torus and mesh.

On a line two calls per round are possible, to the left and to the right, so that the number of
informed nodes grows by the factor three.

Broadcasts on small tori that were found by search.

``small_calls.json`` has the calls of those whose chains are as short as the diameter, found by
:func:`hopscape.collectives.circuits.exact.short_chains` (in seconds, with the extra ``cpsat``).
``small_sets.json`` has the informed sets of others (vertex-disjoint, least number of rounds, found
by :func:`hopscape.collectives.circuits.paths.search_sets` and made shorter by
:func:`~hopscape.collectives.circuits.paths.shorten_sets`); their circuits are found again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import numpy as np

from hopscape.collectives.bounds import informed_at_most
from hopscape.collectives.checked import verified
from hopscape.collectives.circuits.paths import circuits_towards
from hopscape.collectives.circuits.schemes import scheme, scheme_names, short_level, word_level
from hopscape.collectives.circuits.search import search_circuits
from hopscape.collectives.circuits.torus import (
    LETTERS,
    Calls,
    Program,
    Word,
    compose,
    grid_points,
    own_model,
    parse_word,
    reach,
    refine,
    to_schedule,
)
from hopscape.core.addresses import MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule

__all__ = [
    "TorusOf",
    "alike",
    "best_schedule",
    "fill_gap",
    "growth_rounds",
    "known_program",
    "line_calls",
    "line_program",
    "mesh_schedule",
    "program_of",
    "small_program",
    "small_sides",
    "widened",
]

_FLOW_NODES = 60_000
_STRICT_NODES = 40_000
_SEARCHED = 60_000
_FACTORS = 10
_READINGS: tuple[Literal["vertex", "edge"], ...] = ("vertex", "edge")
_LEVEL_WORDS = {1: "1", 2: "2", 3: "3-ten", 4: "4", 5: "5"}


def growth_rounds(order: int, degree: int) -> int:
    """Rounds that any broadcast needs: a node becomes at most degree + 1 in a round."""
    rounds, informed = 0, 1
    while informed < order:
        informed *= degree + 1
        rounds += 1
    return rounds


@verified
def best_schedule(network: Network, root: int, model: Model) -> Schedule:
    """The best broadcast on a torus that this project knows.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("torus(12, 12)")
        >>> best_schedule(net, 0, Model()).rounds
        4
    """
    sides = tuple(network.family.sides)  # type: ignore[union-attr]
    degree = sum(min(side - 1, 2) for side in sides)
    least = growth_rounds(network.order, degree)
    apart = model.shares == "vertex"
    best: Schedule | None = None
    for candidate in _candidates(network, root, model, sides, least):
        if apart and candidate.model.disjoint != "vertex":
            continue
        if best is None or _merit(candidate) < _merit(best):
            best = candidate
        if best.rounds <= least and best.model.disjoint == "vertex":
            break
    assert best is not None
    return _or_searched(best, network, model, least)


def _or_searched(best: Schedule, network: Network, model: Model, least: int) -> Schedule:
    """What a search finds, where it takes fewer rounds."""
    if best.rounds <= least or network.order > _SEARCHED:
        return best
    asked = own_model(model, "vertex" if model.shares == "vertex" else "edge")
    other = search_circuits(network, best.goal, asked)
    return other if other.rounds < best.rounds else best


def _merit(schedule: Schedule) -> tuple[int, int]:
    lengths = np.diff(schedule.path_start)
    longest = [
        int(lengths[a:b].max(initial=0))
        for a, b in zip(schedule.round_start[:-1], schedule.round_start[1:], strict=True)
    ]
    return schedule.rounds, sum(longest)


def _candidates(
    network: Network, root: int, model: Model, sides: tuple[int, ...], least: int
) -> Iterator[Schedule]:
    program = known_program(sides, alike(network))
    yield to_schedule(program, network, root, model, "circuit")
    if len(program.rounds) == least:
        return
    if network.order <= _FLOW_NODES:
        yield from _shrunk(network, root, model, sides, least, len(program.rounds))
    wide = widened(network, root, model, sides)
    if wide is not None:
        yield wide


def known_program(sides: tuple[int, ...], torus: TorusOf) -> Program:
    """The best program that needs no search."""
    live = [axis for axis, side in enumerate(sides) if side > 1]
    if len(live) < len(sides):
        return _spread(known_program(tuple(sides[a] for a in live), torus), sides, live)
    dimension = len(sides)
    lines = line_program(sides)
    if not sides:
        return lines
    if "optimal" in scheme_names(sides):
        return scheme("optimal", sides)
    base = 2 * dimension + 1
    small = small_program(sides, torus)
    if small is not None:
        return small
    if dimension not in _LEVEL_WORDS or any(side % base for side in sides):
        return lines
    units = tuple(side // base for side in sides)
    if dimension == 3 and len(set(units)) == 1 and units[0] >= 3:
        peeled = refine(short_level(units[0]), known_program(units, torus))
    else:
        peeled = compose(word_level(_LEVEL_WORDS[dimension])(1), known_program(units, torus))
    return min(peeled, lines, key=lambda p: (len(p.rounds), sum(p.round_lengths)))


def _spread(program: Program, sides: tuple[int, ...], live: Sequence[int]) -> Program:
    """A program on some of the axes, the others having side 1."""
    rounds = []
    for now in program.rounds:
        row = []
        for calls in now:
            sources = np.zeros((len(calls.sources), len(sides)), dtype=np.int64)
            sources[:, list(live)] = calls.sources
            words = tuple(tuple((live[a], run) for a, run in word) for word in calls.words)
            row.append(Calls(sources, words))
        rounds.append(tuple(row))
    return Program(sides, tuple(rounds), program.disjoint)


def _larger(
    sides: tuple[int, ...], least: int, most: int, torus: TorusOf
) -> Iterator[tuple[int, Program]]:
    """Programs on cubic tori that are not smaller, by rising number of rounds."""
    dimension = sum(side > 1 for side in sides)
    if dimension not in _LEVEL_WORDS:
        return
    base, side = 2 * dimension + 1, max(sides)
    by_rounds: dict[int, tuple[int, Program]] = {}
    power = 1
    while power // base < side:
        for factor in range(1, _FACTORS + 1):
            big = power * factor
            if big >= side and big**dimension <= 50 * _FLOW_NODES:
                program = known_program((big,) * dimension, torus)
                rounds = len(program.rounds)
                if rounds < most and (rounds not in by_rounds or big < by_rounds[rounds][0]):
                    by_rounds[rounds] = (big, program)
        power *= base
    for rounds in sorted(by_rounds):
        yield by_rounds[rounds]


def _shrunk(
    network: Network,
    root: int,
    model: Model,
    sides: tuple[int, ...],
    least: int,
    most: int,
) -> Iterator[Schedule]:
    live = [axis for axis, side in enumerate(sides) if side > 1]
    target = tuple(sides[axis] for axis in live)
    for big, program in _larger(sides, least, most, alike(network)):
        got = None
        for shift in (0, big // 2, big // 4, 3 * big // 4):
            sets = _pushed_together(program, target, shift, network, root, live)
            for disjoint in _READINGS:
                if disjoint == "vertex" and network.order > _STRICT_NODES:
                    continue
                if disjoint == "edge" and got is not None:
                    continue
                schedule = circuits_towards(
                    network,
                    root,
                    sets,
                    disjoint,
                    "circuit",
                    strict=True,
                )
                if schedule is not None:
                    got = schedule.under(own_model(model, disjoint))
                    yield got
                    if disjoint == "vertex":
                        return
        if got is not None:
            return
        sets = _pushed_together(program, target, 0, network, root, live)
        for disjoint in _READINGS:
            patient = circuits_towards(network, root, sets, disjoint, "circuit")
            if patient is not None and patient.rounds < most:
                yield patient.under(own_model(model, disjoint))
                most = patient.rounds


def _pushed_together(
    program: Program,
    sides: tuple[int, ...],
    shift: int,
    network: Network,
    root: int,
    live: Sequence[int],
) -> list[IntArray]:
    """Informed sets of a program on a larger torus, every axis shortened evenly."""
    box = MixedRadix(network.family.sides)  # type: ignore[union-attr]
    large, small = np.asarray(program.sides), np.asarray(sides)
    origin = np.asarray(box.tuple(root))
    sets = []
    for points in reach(program)[:-1]:
        places = np.tile(origin, (len(points), 1))
        places[:, list(live)] += (points * small + shift) // large
        sets.append(np.unique(box.numbers(places % np.asarray(box.sides))))
    return sets


@verified
def widened(network: Network, root: int, model: Model, sides: tuple[int, ...]) -> Schedule | None:
    """A power of 2d + 1 below the shortest side, with lines in between that are served at the end.

    Costs about one round more per axis than the smaller torus (as long as sides are below three
    times as long).
    """
    dimension = len(sides)
    base = 2 * dimension + 1
    if dimension not in _LEVEL_WORDS or min(sides) < base:
        return None
    small = max(
        base**m * f
        for f in range(1, _FACTORS + 1)
        for m in range(40)
        if base <= base**m * f <= min(sides)
    )
    program = known_program((small,) * dimension, alike(network))
    lines = [np.arange(small) * side // small for side in sides]
    core = _stretched_schedule(program, lines, network, root, model)
    rest = _between(sides, lines)
    if not rest.rounds:
        return core
    return core.then(to_schedule(rest, network, root, model, "circuit"), core.goal, name="circuit")


def _stretched_schedule(
    program: Program,
    lines: Sequence[IntArray],
    network: Network,
    root: int,
    model: Model,
) -> Schedule:
    """Every step of the program becomes the steps from one line to the next."""
    small = alike(network)(program.sides)
    plain = to_schedule(program, small, 0, model, "circuit")
    ports = small.port_of(plain.channels)
    at = MixedRadix(program.sides).tuples(small.tails[plain.channels].astype(np.int64))
    box = np.asarray(network.family.sides)  # type: ignore[union-attr]
    axis, sign = ports // 2, 1 - 2 * (ports % 2)
    rows = np.arange(len(ports))
    here = at[rows, axis]
    gap = np.empty(len(ports), dtype=np.int64)
    start = np.empty_like(at)
    for i, places in enumerate(lines):
        ends = np.append(places, box[i])
        on = axis == i
        before = np.where(sign[on] > 0, here[on], (here[on] - 1) % len(places))
        gap[on] = np.diff(ends)[before]
        start[:, i] = places[at[:, i]]
    nodes = np.repeat(start, gap, axis=0)
    inner = np.arange(len(nodes)) - np.repeat(np.cumsum(gap) - gap, gap)
    nodes[np.arange(len(nodes)), np.repeat(axis, gap)] += inner * np.repeat(sign, gap)
    nodes = (nodes + np.asarray(MixedRadix(box.tolist()).tuple(root))) % box
    numbers = MixedRadix(box.tolist()).numbers(nodes)
    starts = np.concatenate([[0], np.cumsum(gap)])[plain.path_start]
    return Schedule.from_columns(
        network,
        plain.model,
        Goal.broadcast(root),
        round=plain.round,
        channels=network.channel_at(numbers, np.repeat(ports, gap)),
        path_start=starts,
        rounds=plain.rounds,
        name="circuit",
    )


def _between(sides: tuple[int, ...], lines: Sequence[IntArray]) -> Program:
    """Serve what lies between the lines, one axis after the other."""
    rounds: list[tuple[Calls, ...]] = []
    for axis, side in enumerate(sides):
        parts = [
            np.arange(sides[a]) if a < axis else lines[a] if a > axis else np.zeros(1, np.int64)
            for a in range(len(sides))
        ]
        others = np.stack(np.meshgrid(*parts, indexing="ij"), axis=-1).reshape(-1, len(sides))
        now: dict[int, list[Calls]] = {}
        ends = np.append(lines[axis], side)
        for low, inside in zip(ends[:-1].tolist(), (np.diff(ends) - 1).tolist(), strict=True):
            for r, calls in enumerate(fill_gap(inside)):
                for start, end in calls:
                    sources = others.copy()
                    sources[:, axis] = (low + start) % side
                    now.setdefault(r, []).append(Calls(sources, (((axis, end - start),),)))
        rounds += [tuple(now[r]) for r in sorted(now)]
    return Program(sides, tuple(rounds))


@verified
def mesh_schedule(network: Network, root: int, model: Model) -> Schedule:
    """One axis after the other on a mesh, or what a search finds when that is quicker."""
    sides = tuple(network.family.sides)  # type: ignore[union-attr]
    roots = MixedRadix(sides).tuple(root)
    program = line_program(sides, roots)
    best = to_schedule(program, network, 0, model, "circuit", goal=Goal.broadcast(root))
    degrees = network.degrees.astype(np.int64)
    most = informed_at_most(degrees[[root]], np.delete(degrees, root), network.order)
    return _or_searched(best, network, model, len(most) - 1)


def line_calls(count: int, root: int) -> list[list[tuple[int, int]]]:
    """Calls (from, to) on a line of `count` nodes, round by round; the fewest rounds possible.

    Examples:
        >>> line_calls(9, 4)
        [[(4, 1), (4, 7)], [(1, 0), (1, 2), (4, 3), (4, 5), (7, 6), (7, 8)]]
    """
    return _serve_all([(-1, root, False, True), (root, count, True, False)])


def fill_gap(length: int) -> list[list[tuple[int, int]]]:
    """Calls that inform the nodes 1..length between the informed nodes 0 and length + 1."""
    return _serve_all([(0, length + 1, True, True)])


def _serve_all(gaps: list[tuple[int, int, bool, bool]]) -> list[list[tuple[int, int]]]:
    """Calls of all gaps, round by round, until none is left."""
    rounds: list[list[tuple[int, int]]] = []
    while True:
        calls: list[tuple[int, int]] = []
        gaps = [part for gap in gaps for part in _serve(gap, calls)]
        if not calls:
            return rounds
        rounds.append(sorted(calls))


def _serve(
    gap: tuple[int, int, bool, bool], calls: list[tuple[int, int]]
) -> list[tuple[int, int, bool, bool]]:
    """One round in a gap between `low` and `high` (flags: is that end informed?)."""
    low, high, from_low, from_high = gap
    inside = high - low - 1
    if inside <= 0:
        return []
    if from_low and from_high and inside > 1:
        third, more = divmod(inside - 2, 3)
        a = low + 1 + third + (more > 1)
        b = high - 1 - third - (more > 0)
        calls += [(low, a), (high, b)]
        return [(low, a, True, True), (a, b, True, True), (b, high, True, True)]
    far = (inside - 1) // 3
    if from_low:
        at = high - 1 - (0 if from_high else far)
        calls.append((low, at))
        return [(low, at, True, True), (at, high, True, from_high)]
    at = low + 1 + far
    calls.append((high, at))
    return [(low, at, False, True), (at, high, True, True)]


def line_program(sides: Sequence[int], roots: Sequence[int] | None = None) -> Program:
    """One axis after the other.

    Args:
        roots: For a mesh: where the root is. Left out for a torus: the root is the origin, and
            every axis is cut opposite to it.
    """
    rounds: list[tuple[Calls, ...]] = []
    for axis, side in enumerate(sides):
        root = roots[axis] if roots is not None else (side - 1) // 2
        shift = 0 if roots is not None else -root
        for calls in line_calls(side, root):
            now = []
            for start, end in calls:
                sources = _slab(sides, axis, start + shift, roots)
                now.append(Calls(sources, (((axis, end - start),),)))
            rounds.append(tuple(now))
    return Program(tuple(sides), tuple(rounds))


def _slab(sides: Sequence[int], axis: int, place: int, roots: Sequence[int] | None) -> IntArray:
    """Free on the axes before, at `place` on this one, at the root on those after."""
    out = np.zeros((int(np.prod(sides[:axis], initial=1)), len(sides)), dtype=np.int64)
    if axis:
        out[:, :axis] = grid_points(sides[:axis])
    out[:, axis] = place % sides[axis]
    if roots is not None:
        out[:, axis + 1 :] = roots[axis + 1 :]
    return out


@cache
def _calls() -> dict[tuple[int, ...], list[dict[str, str]]]:
    text = files("hopscape.collectives.circuits").joinpath("small_calls.json").read_text("utf-8")
    return {tuple(map(int, key.split(","))): rows for key, rows in json.loads(text).items()}


@cache
def _sets() -> dict[tuple[int, ...], list[list[int]]]:
    text = files("hopscape.collectives.circuits").joinpath("small_sets.json").read_text("utf-8")
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
    schedule = circuits_towards(torus(sides), 0, [np.array(row) for row in rows], strict=True)
    return program_of(schedule, sides) if schedule is not None else None


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
