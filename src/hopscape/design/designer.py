"""The designer: candidates are measured in stages, so that there is always an answer.

Stage 1 looks at sizes, distances and cables of all; stage 2 at routes, deadlock and faults of those
that are left; stage 3 at schedules and cuts of the finalists. When it is interrupted, what is known
so far is ranked.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache, partial
from typing import Any

from hopscape.core.compile_ahead import compile_ahead
from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.core.measured import Measured
from hopscape.core.progress import STEPS_PER_SECOND, time_limit
from hopscape.core.tables import Records
from hopscape.design.candidates import Candidate, find_candidates, nearest_sizes
from hopscape.design.columns import columns_of, columns_of_stage, find_column, new_evaluation
from hopscape.design.conditions import Conditions
from hopscape.design.direct_words import sentences
from hopscape.design.improve import Improvement, improve
from hopscape.design.ranked import Ranked
from hopscape.design.ranking import Presentation, grades, rank
from hopscape.design.requirements import CRITERIA, Requirements
from hopscape.design.table import ranking_records
from hopscape.metrics.columns import Evaluation, measure_columns
from hopscape.registry import build, spec_files
from hopscape.store import Processes, Store, Task, run_tasks
from hopscape.store.records import digest

__all__ = ["Clock", "Design", "design", "measure_asked", "usual_processes"]

_STAGES = 3

_SHORT_LIST = 34
_ROUTED_PAIRS = 40_000_000
_FINALISTS = 8
_DEEP_ORDER = 16_000
_LEAST_SECONDS = 1.0
_FULL_SHARES = 4  # candidates that may take all their share: most are known in closed form
_FEW_NODES = 160


_PLOTS = (
    ("links", "hops", "cables against mean hops: lower left is better"),
    ("cable", "throughput", "metres of cable against throughput: upper left is better"),
    ("worst_permutation", "throughput", "worst permutation against uniform throughput"),
)


@dataclass
class Design(Ranked):
    """What the designer found.

    Attributes:
        candidates: The best first; those that break a requirement last.
        complete: False when it was interrupted.
        finalists: How many were measured in full.
        curve_points: Points of simulations, as ``hopscape simulate`` prints them.
        notes: What else there is to say.
        search: How the finalists were improved.
    """

    requirements: Requirements
    candidates: list[Candidate]
    complete: bool = True
    finalists: int = _FINALISTS
    curve_points: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    search: Improvement | None = None

    def ranking(self) -> Records:
        """The candidates as rows, the best first: every figure under its name."""
        asked = self.requirements
        title = f"{asked.size} {asked.nodes} nodes, at most {asked.ports} ports"
        return Records(ranking_records(self.candidates), title)

    def to_dict(self) -> list[dict[str, Any]]:
        """The ranking as JSON knows it."""
        return self.ranking().to_dict()

    def to_frame(self) -> Any:
        """The ranking as a data frame (pandas, or polars where pandas is not installed)."""
        return self.ranking().to_frame()

    @property
    def command(self) -> str:
        """The command line that asks for the same."""
        more = "" if self.search is None else f" --search {self.search.seconds:g}s"
        return self.requirements.command() + more

    @property
    def presentation(self) -> Presentation:
        """How the report shows it."""
        asked = self.requirements
        return Presentation(
            f"A network for {asked.nodes} nodes and {asked.ports} ports",
            asked.words(),
            tuple(columns_of("design")),
            _PLOTS,
            tuple((one.name, column) for one in CRITERIA.values() for column in one.columns),
            asked.weights,
            grades(self.candidates),
            answer=tuple(sentences(self.candidates, asked)),
        )

    @property
    def answer(self) -> str:
        """What to build and why, in words."""
        return " ".join(sentences(self.candidates, self.requirements))


@lru_cache(maxsize=2)
def _evaluation(spec: str, conditions: Conditions) -> Evaluation:
    return new_evaluation(build(spec), conditions)


def measure(
    spec: str,
    columns: Sequence[str],
    conditions: Conditions,
    steps: float | None = None,
    seconds: float | None = None,
) -> dict[str, list[Any]] | str:
    """One task of a worker: figures, packed, or the reason why there are none."""
    try:
        with time_limit(seconds, steps):
            found = measure_columns(_evaluation(spec, conditions), columns)
    except HopscapeError as error:
        return str(error)
    return {name: figure.packed() for name, figure in found.items()}


def _final(result: dict[str, list[Any]] | str) -> bool:
    """Is it the same with more time? What is not known may be known then."""
    return not isinstance(result, str) and all(
        Measured.unpacked(figure).how != "unknown" for figure in result.values()
    )


Report = Callable[[int, Sequence[Candidate]], None]


def usual_processes(requirements: Requirements) -> int:
    """Processes by the size of the work: to start another takes longer than small networks do.

    Examples:
        >>> usual_processes(Requirements(64, 4))
        1
    """
    return 1 if requirements.nodes < _FEW_NODES else os.cpu_count() or 1


def design(
    requirements: Requirements,
    *,
    jobs: int | None = 1,
    table: Store | None = None,
    dask: str | None = None,
    finalists: int = _FINALISTS,
    columns: Sequence[str] = (),
    show: int | None = None,
    seconds: float | None = None,
    search: Improvement | None = None,
    on_stage: Report | None = None,
) -> Design:
    """Find, measure and rank networks that meet requirements.

    Args:
        jobs: Processes that measure; 1 measures in this one, None goes by the size of the work.
        table: Keeps what is measured; a later run, of this or another question, goes on from there.
        dask: Address of a Dask scheduler whose workers measure instead.
        finalists: How many to measure in full.
        columns: Columns that are asked for: measured for all that keep the requirements, whatever
            stage they are in otherwise.
        show: Measure these for the first so many only.
        seconds: Time that measuring may take; what it does not suffice for stays unknown, with the
            reason.
        search: Let the graph search improve the finalists; its time is not counted in `seconds`. An
            interrupt ends the search, and what it has found is measured.
        on_stage: Told the number of each stage and the ranking after it.

    Raises:
        ArgumentError: When nothing fits; the message names the nearest choice.

    Examples:
        >>> found = design(Requirements(16, 4, families=("torus", "hypercube")))
        >>> sorted(one.spec for one in found.candidates)
        ['hypercube(4)', 'torus(3, 6)', 'torus(4, 4)']
    """
    if jobs is None:
        jobs = usual_processes(requirements)
    if jobs < 1 or finalists < 1:
        raise ArgumentError(f"jobs is {jobs} and finalists {finalists}; both must be at least 1")
    columns = [find_column(name).name for name in columns]
    candidates = find_candidates(requirements)
    if not candidates:
        raise ArgumentError(
            f"no network has from {requirements.low} to {requirements.high} nodes and at most"
            f" {requirements.ports} ports; {nearest_sizes(requirements)}"
        )
    compile_ahead("design", requirements.high)
    out = Design(requirements, candidates, finalists=finalists, search=search)
    clock = Clock.started(seconds, _STAGES + bool(columns))
    kept = table if table is not None else Store()
    with Processes(jobs) if jobs > 1 and dask is None else nullcontext() as pool:
        run = partial(run_tasks, store=kept, processes=1, dask=dask, pool=pool)
        try:
            for stage in range(1, _STAGES + 1):
                chosen = _chosen(out, stage)
                given = _given(requirements, stage)
                _run_stage(run, chosen, stage, columns_of_stage(stage), given, clock)
                out.candidates = rank(out.candidates, requirements)
                if on_stage is not None:
                    on_stage(stage, out.candidates)
            if search is not None:
                clock = _improve(out, search, run, clock, jobs, kept, dask)
            given = _given(requirements, _STAGES + 1)
            asked = _asked(out.candidates, columns, show)
            _run_stage(run, asked, _STAGES + 1, columns, given, clock)
        except KeyboardInterrupt:
            out.complete = False
            out.candidates = rank([c for c in out.candidates if c.stage], requirements)
            if pool is not None:
                pool.close()
            if not out.candidates:
                raise
    return out


def _improve(
    out: Design,
    search: Improvement,
    run: Callable[..., Iterator[tuple[Task, Any]]],
    clock: Clock,
    jobs: int,
    store: Store,
    dask: str | None,
) -> Clock:
    """Search for better graphs than the finalists, and measure them in full.

    Returns the clock, put back by the time of the search.
    """
    begun = time.monotonic()
    asked = out.requirements
    finalists = _chosen(out, _STAGES)
    seed = asked.conditions.seed
    found, notes = improve(finalists, search, seed=seed, jobs=jobs, store=store, dask=dask)
    clock = replace(clock, end=clock.end + time.monotonic() - begun)
    known = {one.spec for one in out.candidates}
    new = [one for one in found if one.spec not in known]
    out.notes += notes
    for stage in range(1, _STAGES + 1):
        _run_stage(run, new, stage, columns_of_stage(stage), _given(asked, stage), clock)
    out.candidates = rank([*out.candidates, *new], asked)
    return clock


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


def measure_asked(
    run: Callable[..., Iterator[tuple[Task, Any]]],
    candidates: Sequence[Candidate],
    columns: Sequence[str],
    show: int | None,
    conditions: Conditions,
    clock: Clock,
) -> None:
    """Measure columns that are asked for besides, of the first so many; nothing is judged by them.

    Args:
        run: :func:`hopscape.store.run_tasks` with its store and its workers.
    """
    given = replace(conditions, routes_order=max(conditions.routes_order, _DEEP_ORDER))
    asked = _asked(candidates, columns, show)
    _run_stage(run, asked, _STAGES + 1, columns, given, clock)


def _asked(
    candidates: Sequence[Candidate], columns: Sequence[str], show: int | None
) -> list[Candidate]:
    """Whom the columns asked for are still missing of."""
    allowed = [one for one in candidates if not one.trouble][:show]
    return [one for one in allowed if any(name not in one.figures for name in columns)]


@dataclass(frozen=True)
class Clock:
    """Shares a time limit among stages and candidates.

    What a candidate is measured of is decided by a share of work that depends on the limit alone;
    the clock only ends a stage that takes longer.

    Attributes:
        limit: Seconds for all stages.
        end: When they are over, by the monotonic clock.
        stages: Of which each gets the same.
        stage: The one that runs, counted from 1.
    """

    limit: float
    end: float
    stages: int
    stage: int = 1

    @classmethod
    def started(cls, seconds: float | None, stages: int) -> Clock:
        """A clock that starts now."""
        limit = math.inf if seconds is None else seconds
        return cls(limit, time.monotonic() + limit, stages)

    def seconds(self) -> float | None:
        """Seconds that are left for this stage."""
        if self.end == math.inf:
            return None
        left = max(_LEAST_SECONDS, self.end - time.monotonic())
        return left / max(1, self.stages + 1 - self.stage)

    def steps(self, tasks: int) -> float:
        """Work for each of so many candidates of a stage."""
        share = min(1.0, _FULL_SHARES / max(1, tasks))
        return max(_LEAST_SECONDS, self.limit / self.stages) * share * STEPS_PER_SECOND


@dataclass(frozen=True)
class _Timed(Task):
    """A task that is told when it begins how much time is left."""

    clock: Clock | None = None

    def ready(self) -> tuple[Any, ...]:
        assert self.clock is not None
        return (*self.arguments, self.clock.seconds())


def _tasks(
    chosen: Sequence[Candidate], columns: Sequence[str], conditions: Conditions, clock: Clock
) -> list[Task]:
    return [
        _Timed(
            digest("design", [one.spec, list(columns), asdict(conditions)], spec_files(one.spec)),
            (one.spec, list(columns), conditions, clock.steps(len(chosen))),
            about=one.spec,
            clock=clock,
        )
        for one in chosen
    ]


def _given(requirements: Requirements, stage: int) -> Conditions:
    """The conditions of a stage: the first looks at more networks, each less deeply."""
    given = requirements.conditions
    if requirements.faults is not None and given.faults is None:
        given = replace(given, faults=requirements.faults)
    if stage > 1:
        given = replace(given, routes_order=max(given.routes_order, _DEEP_ORDER))
    return given


def _run_stage(
    run: Callable[..., Iterator[tuple[Task, Any]]],
    chosen: Sequence[Candidate],
    stage: int,
    columns: Sequence[str],
    given: Conditions,
    clock: Clock,
) -> None:
    if not columns:
        return
    names = ("distances", "routes", "schedules", "columns")
    text = f"{names[stage - 1]} of {len(chosen)} candidates"
    by_spec = {one.spec: one for one in chosen}
    tasks = _tasks(chosen, columns, given, replace(clock, stage=min(stage, clock.stages)))
    for task, result in run(tasks, measure, keep=_final, text=text):
        one = by_spec[task.arguments[0]]
        if isinstance(result, str):
            found = {name: Measured(None, "unknown", result) for name in columns}
        else:
            found = {name: Measured.unpacked(figure) for name, figure in result.items()}
        if stage > _STAGES:  # asked for besides: nothing is judged by it
            one.figures = found | one.figures
        elif isinstance(result, str):
            one.failure = result
        else:
            one.figures |= found
            one.stage = stage
