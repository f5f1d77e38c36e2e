"""The designer: candidates are measured in stages, so that there is always an answer.

Stage 1 looks at sizes, distances and cables of all; stage 2 at routes, deadlock and faults of those
that are left; stage 3 at schedules and cuts of the finalists. When it is interrupted, what is known
so far is ranked.
"""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from multiprocessing import get_context
from typing import Any

from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.core.measured import Measured
from hopscape.core.progress import time_limit, track
from hopscape.design.candidates import Candidate, find_candidates, nearest_sizes
from hopscape.design.columns import find_column, subject
from hopscape.design.conditions import Conditions
from hopscape.design.ranking import rank
from hopscape.design.requirements import Requirements
from hopscape.metrics.columns import Subject, measure_columns
from hopscape.registry import build

__all__ = ["STAGES", "Design", "design"]

_SIZE = (
    "nodes routers endpoints ports degree links hops far diameter moore_diameter diameter_gap"
    " mean_distance moore_mean mean_gap throughput_bound table_bytes cable cable_longest"
)
_ROUTES = (
    "route_hops throughput uniform_load worst_permutation worst_throughput vcs deadlock_certified"
    " fault_pairs fault_stretch broadcast broadcast_bound growth"
)
_SCHEDULES = (
    "node_connectivity bisection bisection_bound allgather allgather_bound allreduce"
    " allreduce_bound vertex_transitive"
)
STAGES = tuple(tuple(names.split()) for names in (_SIZE, _ROUTES, _SCHEDULES))
"""Columns of each stage."""

_SHORT_LIST = 34
_ROUTED_PAIRS = 40_000_000
_FINALISTS = 8
_DEEP_ORDER = 16_000
_LEAST_SECONDS = 1.0


@dataclass
class Design:
    """What the designer found.

    Attributes
    ----------
    requirements : Requirements
    candidates : list of Candidate
        The best first; those that break a requirement last.
    complete : bool
        False when it was interrupted.
    finalists : int
        How many were measured in full.
    curves : dict
        Pictures of simulations: name, caption and SVG.
    curve_points : list of dict
        Their points.
    notes : list of str
        What else there is to say.
    """

    requirements: Requirements
    candidates: list[Candidate]
    complete: bool = True
    finalists: int = _FINALISTS
    curves: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    curve_points: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def best(self) -> Candidate:
        """The first of the ranking."""
        return self.candidates[0]

    def find(self, spec: str) -> Candidate:
        """A candidate by its spec, however it is written, or by its place in the ranking."""
        if spec.strip().isdigit():
            place = int(spec)
            if not 1 <= place <= len(self.candidates):
                raise ArgumentError(f"place {place} must be from 1 to {len(self.candidates)}")
            return self.candidates[place - 1]
        wanted = build(spec).spec
        for one in self.candidates:
            if one.spec in (spec, wanted):
                return one
        names = ", ".join(one.spec for one in self.candidates[:5])
        raise ArgumentError(f"{spec} is none of the candidates, which are {names}, ...")


@lru_cache(maxsize=2)
def _subject(spec: str, conditions: Conditions) -> Subject:
    return subject(build(spec), conditions)


def _measure(
    spec: str, columns: Sequence[str], conditions: Conditions, seconds: float | None = None
) -> dict[str, Measured[Any]] | str:
    """One task of a worker: figures, or the reason why there are none."""
    try:
        with time_limit(seconds):
            return measure_columns(_subject(spec, conditions), columns)
    except HopscapeError as error:
        return str(error)


Report = Callable[[int, Sequence[Candidate]], None]


def design(
    requirements: Requirements,
    *,
    jobs: int = 1,
    finalists: int = _FINALISTS,
    columns: Sequence[str] = (),
    show: int | None = None,
    seconds: float | None = None,
    on_stage: Report | None = None,
) -> Design:
    """Find, measure and rank networks that meet requirements.

    Parameters
    ----------
    requirements : Requirements
    jobs : int
        Processes that measure; 1 measures in this one.
    finalists : int
        How many to measure in full.
    columns : sequence of str
        Columns that are asked for: measured for all that keep the requirements, whatever stage
        they are in otherwise.
    show : int, optional
        Measure these for the first so many only.
    seconds : float, optional
        Time that measuring may take; what it does not suffice for stays unknown, with the reason.
    on_stage : callable, optional
        Told the number of each stage and the ranking after it.

    Raises
    ------
    ArgumentError
        When nothing fits; the message names the nearest choice.

    Examples
    --------
    >>> found = design(Requirements(16, 4, families=("torus", "hypercube")))
    >>> sorted(one.spec for one in found.candidates)
    ['hypercube(4)', 'torus(3, 6)', 'torus(4, 4)']
    """
    if jobs < 1 or finalists < 1:
        raise ArgumentError(f"jobs is {jobs} and finalists {finalists}; both must be at least 1")
    columns = [find_column(name).name for name in columns]
    candidates = find_candidates(requirements)
    if not candidates:
        raise ArgumentError(
            f"no network has from {requirements.low} to {requirements.high} nodes and at most"
            f" {requirements.ports} ports; {nearest_sizes(requirements)}"
        )
    out = Design(requirements, candidates, finalists=finalists)
    pool = _pool(jobs)
    end = math.inf if seconds is None else time.monotonic() + seconds
    clock = _Clock(end, jobs, len(STAGES) + bool(columns))
    try:
        for stage, usual in enumerate(STAGES, 1):
            chosen = _chosen(out, stage)
            _run_stage(pool, chosen, stage, usual, requirements, clock)
            out.candidates = rank(out.candidates, requirements)
            if on_stage is not None:
                on_stage(stage, out.candidates)
        asked = _asked(out, columns, show)
        _run_stage(pool, asked, len(STAGES) + 1, columns, requirements, clock)
    except KeyboardInterrupt:
        out.complete = False
        out.candidates = rank([c for c in out.candidates if c.stage], requirements)
        if not out.candidates:
            raise
    finally:
        if pool is not None:
            _close(pool, at_once=not out.complete)
    return out


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Hold Ctrl-C back while processes start: they take over that they are not to be stopped."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _close(pool: ProcessPoolExecutor, *, at_once: bool) -> None:
    """End the worker processes, in the middle of their work if need be."""
    workers = list((pool._processes or {}).values())
    pool.shutdown(wait=not at_once, cancel_futures=True)
    if at_once:
        for worker in workers:
            worker.terminate()


def _pool(jobs: int) -> ProcessPoolExecutor | None:
    if jobs == 1:
        return None
    return ProcessPoolExecutor(jobs, get_context("spawn"))


def _chosen(out: Design, stage: int) -> list[Candidate]:
    """Whom a stage looks at: all; then the short list; then the finalists.

    The short list begins with the best of every family and is as long as time allows.
    """
    allowed = [one for one in out.candidates if not one.trouble]
    if stage == 1:
        return allowed
    if stage == 3:
        return allowed[: out.finalists]
    best: dict[str, Candidate] = {}
    for one in allowed:
        best.setdefault(one.family, one)
    first = allowed[: out.finalists]
    others = [one for one in best.values() if one not in first]
    rest = [one for one in allowed if one not in first and one not in others]
    most = max(out.finalists, min(_SHORT_LIST, _ROUTED_PAIRS // out.requirements.nodes**2))
    return [*first, *others, *rest][:most]


def _asked(out: Design, columns: Sequence[str], show: int | None) -> list[Candidate]:
    """Whom the columns asked for are still missing of."""
    allowed = [one for one in out.candidates if not one.trouble][:show]
    return [one for one in allowed if any(name not in one.figures for name in columns)]


@dataclass(frozen=True)
class _Clock:
    """Shares the time among the stages and candidates that are left.

    Attributes
    ----------
    end : float
        When the time is up, by the monotonic clock.
    jobs : int
        Processes.
    stages : int
        That are left, this one too.
    """

    end: float
    jobs: int
    stages: int

    def before(self, stage: int) -> _Clock:
        """The clock of a stage, counted from 1."""
        return replace(self, stages=max(1, self.stages + 1 - stage))

    def share(self, tasks: int) -> float | None:
        """Seconds for one of so many tasks that are left in this stage."""
        if self.end == math.inf:
            return None
        left = max(_LEAST_SECONDS, self.end - time.monotonic())
        return left / self.stages * min(1.0, self.jobs / max(1, tasks))


def _run_stage(
    pool: ProcessPoolExecutor | None,
    chosen: Sequence[Candidate],
    stage: int,
    columns: Sequence[str],
    requirements: Requirements,
    clock: _Clock,
) -> None:
    given = requirements.conditions
    if requirements.faults is not None and given.faults is None:
        given = replace(given, faults=requirements.faults)
    if stage > 1:
        given = replace(given, routes_order=max(given.routes_order, _DEEP_ORDER))
    names = ("distances", "routes", "schedules", "columns")
    text = f"{names[stage - 1]} of {len(chosen)} candidates"
    by_spec = {one.spec: one for one in chosen}
    results = _results(pool, list(by_spec), columns, given, clock.before(stage))
    for spec, found in track(results, text, total=len(chosen)):
        one = by_spec[spec]
        if stage > len(STAGES):  # asked for besides: nothing is judged by it
            missing = {name: Measured(None, "unknown", str(found)) for name in columns}
            one.figures = (missing if isinstance(found, str) else found) | one.figures
        elif isinstance(found, str):
            one.failure = found
        else:
            one.figures |= found
            one.stage = stage


def _results(
    pool: ProcessPoolExecutor | None,
    specs: Sequence[str],
    columns: Sequence[str],
    conditions: Conditions,
    clock: _Clock,
) -> Iterator[tuple[str, dict[str, Measured[Any]] | str]]:
    """Figures of all specs; a task is handed out when a worker is free, with its share of time."""
    if pool is None:
        for done, spec in enumerate(specs):
            seconds = clock.share(len(specs) - done)
            yield spec, _measure(spec, columns, conditions, seconds)
        return
    waiting = list(specs)[::-1]
    futures: dict[Future[Any], str] = {}
    while waiting or futures:
        with _without_interrupts():
            while waiting and len(futures) < 2 * clock.jobs:
                seconds = clock.share(len(waiting) + len(futures))
                spec = waiting.pop()
                futures[pool.submit(_measure, spec, columns, conditions, seconds)] = spec
        ready, _ = wait(futures, return_when=FIRST_COMPLETED)
        for one in ready:
            yield futures.pop(one), one.result()
