"""Ways to go about a problem, and one run of one of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.search.graph.anneal_gpu import Heats, anneal_together
from hopscape.search.graph.climb import Climb, keeps_rows
from hopscape.search.graph.dense import (
    anneal_lift,
    anneal_links,
    seconds_per_exchange,
    seconds_per_orbit,
    suits_orbits,
    suits_pairs,
)
from hopscape.search.graph.lifts import LiftShape, Solution, shapes
from hopscape.search.graph.problem import Problem
from hopscape.search.graph.starts import algebraic_starts, plan_start, solution_of

__all__ = ["METHODS", "Arm", "arms", "run", "run_together", "seconds_per_step"]

METHODS = ("random", "rotation", "cayley", "voltage", "algebraic")
"""Random graphs; symmetric under a rotation; Cayley graphs; lifts by any group; algebra."""

_MOST_BASE = 64  # orbits of nodes of a lift: more symmetry is quicker to measure
_MOST_RANDOM = 8192  # nodes up to which graphs without symmetry are measured often enough
_HOT, _COLD = 1.0, 0.2  # temperatures in quanta: what the least change of the cost is
_REHEAT, _ROUGH = 0.5, 4.0  # times as hot: from a good start; where far pairs cost more
_STEP, _VISIT = 2.0e-6, 0.8e-9  # seconds: a move, and a channel looked at when it is measured


@dataclass(frozen=True)
class Arm:
    """A shape and where to begin.

    Attributes:
        start: ``""`` for a random start, ``plan`` for a floor plan, ``existing``, or the name of an
            algebraic graph.
    """

    shape: LiftShape
    start: str = ""

    @property
    def method(self) -> str:
        """Which share of the time it belongs to."""
        shape = self.shape
        if shape.fold == 1:
            return "plain"
        if shape.fixed:
            return "fixed"
        return "one orbit" if shape.base == 1 else "orbits"

    @property
    def about(self) -> str:
        """In words."""
        shape = self.shape
        fixed = f", {shape.fixed} nodes fixed" if shape.fixed else ""
        group = "no symmetry" if shape.fold == 1 else f"{shape.base} orbits of {shape.group}"
        return group + fixed + (f", from {self.start}" if self.start else "")


def arms(problem: Problem, methods: Sequence[str] = METHODS) -> list[Arm]:
    """All ways to go about a problem that the methods allow.

    Raises:
        ArgumentError: For an unknown method, or when none is left.
    """
    for method in methods:
        if method not in METHODS:
            raise ArgumentError(f"method {method!r} is unknown; choose from {', '.join(METHODS)}")
    chosen_arms = list(_arms(problem, set(methods)))
    if not chosen_arms:
        raise ArgumentError(
            f"no graph of {problem.nodes} nodes can be looked for by {', '.join(methods)} alone"
        )
    return chosen_arms


def _arms(problem: Problem, methods: set[str]) -> Iterator[Arm]:
    n, d = problem.nodes, problem.degree
    ports = problem.ports
    plain = LiftShape("cyclic(1)", n, 0, max(ports, default=d), problem.bipartite, ports)
    if not problem.free:
        given = "existing" if problem.links is not None else "plan" if problem.grid else ""
        yield Arm(plain, given)
        return
    if "algebraic" in methods and n <= _MOST_RANDOM and not problem.bipartite:
        known = sorted((abs(order - n), name) for name, order, _ in algebraic_starts(n, d))
        yield from (Arm(plain, name) for _, name in known)
    if "random" in methods and n <= _MOST_RANDOM:
        yield Arm(plain)
    for shape in shapes(n, d, most_base=_MOST_BASE, bipartite=problem.bipartite):
        turning = shape.group == f"cyclic({shape.fold})" and shape.base > 1
        whole = shape.base == 1 and not shape.fixed
        if (
            "voltage" in methods
            or ("rotation" in methods and turning)
            or ("cayley" in methods and whole)
        ):
            yield Arm(shape)


def seconds_per_step(shape: LiftShape) -> float:
    """About how long one move takes: the same on every machine, so that plans are the same."""
    sources, n, d = shape.base + shape.fixed, shape.order, max(shape.degree, 2)
    levels = math.log(max(n, 3)) / math.log(max(d - 1, 2)) + 1
    if keeps_rows(sources, n):
        return _STEP + _VISIT * n * d * levels / 2
    if sources <= 3:
        return _STEP + 3 * _VISIT * n * d * sources
    words = -(-sources // 64)
    return _STEP + _VISIT * n * d * levels * max(1.0, words / 2)


def run(
    problem: dict[str, Any],
    shape: tuple[Any, ...],
    start: str | dict[str, Any],
    seed: int,
    tries: int,
    steps: int,
    aim: int | None,
    local: str,
) -> dict[str, Any] | None:
    """Begin, improve, and hand back the best of some tries; None when none keeps the limits.

    Args:
        problem, shape: As plain values, for other processes.
        start: As in :class:`Arm`, a solution of this shape or the links of a graph to go on from.
        tries, steps: How often to begin, and how many moves to make each time.
        aim: Pairs farther apart than this cost more.
        local: {'anneal', 'tabu', 'none'}
    """
    wanted, form = Problem(**problem), LiftShape(*shape)
    weights = None if wanted.terminals is None else np.asarray(wanted.terminals)
    limits = wanted.limits()
    hot, cold = _temperatures(form, weights, bool(start), aim)
    best: Climb | None = None
    for number in range(seed << 8, (seed << 8) + tries):
        begun = _begin(wanted, form, start, number)
        plain, turned = suits_pairs(form, wanted), suits_orbits(form, wanted)
        if local == "anneal" and plain:
            begun = _dense(form, begun, steps, number)
        elif local == "anneal" and turned:
            count = int(steps * seconds_per_step(form) / seconds_per_orbit(form))
            begun = anneal_lift(form, begun, count, number)
        climb = Climb(form, number, begun, aim=aim, weights=weights, limits=limits)
        if local == "anneal" and not (plain or turned):
            climb.anneal(steps, hot, cold)
        elif local == "tabu":
            climb.tabu(steps)
        if best is None or (climb.diameter, climb.total) < (best.diameter, best.total):
            best = climb
    return None if best is None else _outcome(best)


def _outcome(climb: Climb) -> dict[str, Any] | None:
    if not climb.within_limits:
        return None
    return {"diameter": climb.diameter, "total": climb.total} | climb.best.to_dict()


def _temperatures(
    shape: LiftShape, weights: IntArray | None, begun: bool, aim: int | None
) -> tuple[float, float]:
    """Of the first step of annealing, and of the last."""
    quantum = 2.0 * shape.fold
    if weights is not None:
        quantum *= max(float(weights.mean()), 1.0) ** 2
    hot = _HOT * (_REHEAT if begun else 1.0) * (_ROUGH if aim is not None else 1.0)
    return hot * quantum, _COLD * quantum


def run_together(
    arguments: Sequence[tuple[Any, ...]], stop: Callable[[], bool]
) -> tuple[list[dict[str, Any] | None], bool]:
    """What :func:`run` does, for many arguments at once on a GPU; symmetric graphs only.

    Args:
        stop: Asked about twice a second; when it says so, what has been found by then counts.

    Returns:
        results, interrupted: The latter after Ctrl-C.
    """
    climbs: list[Climb] = []
    heats: list[Heats] = []
    for problem, shape, start, seed, tries, steps, aim, _ in arguments:
        wanted, form = Problem(**problem), LiftShape(*shape)
        for number in range(seed << 8, (seed << 8) + tries):
            climbs.append(Climb(form, number, _begin(wanted, form, start, number), aim=aim))
            heats.append(Heats(steps, *_temperatures(form, None, bool(start), aim)))
    interrupted = False
    try:
        anneal_together(climbs, heats, stop=stop)
    except KeyboardInterrupt:
        interrupted = True
    results = []
    for _, _, _, _, tries, *_ in arguments:
        best = min(climbs[:tries], key=lambda climb: (climb.diameter, climb.total))
        del climbs[:tries]
        results.append(_outcome(best))
    return results, interrupted


def _dense(shape: LiftShape, begun: Solution | None, steps: int, seed: int) -> Solution:
    """Anneal a graph by its far pairs for as long as so many steps of other graphs take."""
    n, generator = shape.order, np.random.default_rng(seed)
    known = [] if begun is None else [(u, v) for u, v, _ in begun.base_links()]
    first = np.asarray(known, dtype=np.int64).reshape(-1, 2)
    filled = solution_of(shape, n, first, generator).base_links()
    count = int(steps * seconds_per_step(shape) / seconds_per_exchange(shape))
    links = np.asarray(filled, dtype=np.int64)[:, :2]
    links = anneal_links(n, shape.degree, links, count, seed, reheat=begun is not None)
    return solution_of(shape, n, links, generator)


def _begin(
    problem: Problem, shape: LiftShape, start: str | dict[str, Any], seed: int
) -> Solution | None:
    generator = np.random.default_rng(seed)
    if isinstance(start, dict) and "links" in start:
        ends = np.asarray(start["links"], dtype=np.int64).reshape(-1, 2)
        return solution_of(shape, problem.nodes, ends, generator)
    if isinstance(start, dict):
        return Solution(shape, tuple(start["mate"]), tuple(start["volt"]))
    if start == "":
        return None
    if start == "plan":
        return plan_start(problem, shape, generator)
    if start == "existing":
        ends = np.asarray(problem.links, dtype=np.int64).reshape(-1, 2)
        return solution_of(shape, problem.nodes, ends, generator)
    for name, order, links in algebraic_starts(problem.nodes, problem.degree):
        if name == start:
            return solution_of(shape, order, links, generator)
    raise ArgumentError(f"start {start!r} is unknown")
