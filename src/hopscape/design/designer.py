"""The designer: candidates are measured in stages, so that there is always an answer.

Of direct machines, stage 1 looks at sizes, distances and cables of all; stage 2 at routes, deadlock
and faults of those that are left; stage 3 at schedules and cuts of the finalists. Of switched
machines every family is asked for those with the fewest switches that meet all demands, and all
figures of these are measured. When it is interrupted, what is known so far is ranked.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from hopscape.core.compile_ahead import compile_ahead
from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.core.measured import Measured
from hopscape.core.methods import method
from hopscape.core.numbers import counted
from hopscape.core.progress import STEPS_PER_SECOND, time_limit
from hopscape.core.tables import Records
from hopscape.design.asking import OtherAnswer, infeasible, other_answers
from hopscape.design.boxes import DEALT_ANEW, MOST_DEALT
from hopscape.design.candidates import Candidate, find_candidates, nearest_sizes
from hopscape.design.columns import columns_of, columns_of_stage, find_column, new_evaluation
from hopscape.design.conditions import Conditions
from hopscape.design.demands import question_of
from hopscape.design.family_search import FAMILY_STEPS, ask_family, deal_anew
from hopscape.design.improve import Improvement, improve
from hopscape.design.machine import deep_figures, optimal_figures, tables_throughput
from hopscape.design.names import Shown, distinct, shortlist
from hopscape.design.offers import Offer
from hopscape.design.question import Kind, Question
from hopscape.design.ranking import Presentation, few_names, grades, misses, rank
from hopscape.design.reduce_time import allreduce_time
from hopscape.design.requirements import Requirements
from hopscape.design.steps import JobRequirements, finalists, step_words, time_machines
from hopscape.design.switched_columns import GROWTH, SURVIVAL
from hopscape.design.switched_requirements import SwitchedRequirements
from hopscape.design.table import machine_records, ranking_records
from hopscape.design.words import certificate, sentences
from hopscape.metrics.columns import Evaluation, measure_columns
from hopscape.proofs.make import Proof
from hopscape.registry import all_families, build, family, member, spec_files
from hopscape.store import Processes, Store, Task, opened, renamed_arguments, run_tasks
from hopscape.store.records import digest

__all__ = ["Clock", "Design", "design", "usual_workers"]

_STAGES = 3
_SHORT_LIST = 34  # of stage 2: the best of each family that has a member, and the first besides
_ROUTED_PAIRS = 40_000_000  # of all on the short list, which is shorter for large machines
_FINALISTS = 8  # schedules take longest: as many as a reader compares
_LARGE = 2_000
"""Endpoints beyond which a machine takes seconds: what the trade's usual ones cost then says which
others are looked at."""
_LAST = 2  # of the parts in which families are asked: networks whose nodes become switches
_DEARER = 1.25  # times the best: what other machines may cost to be looked at
_DEEP_ORDER = 16_000  # largest network on the short list whose routes are all followed
_LEAST_SECONDS = 1.0  # for direct machines: figures in closed form are there in no time
_FULL_SHARES = 4  # candidates that may take all their share: most are known in closed form
_FEW: Mapping[Kind, int] = {"direct": 160, "switched": 600}
"""Endpoints below which one process is done before a second has started."""

Run = Callable[..., Iterator[tuple[Task, Any]]]
"""What runs tasks: :func:`hopscape.store.run_tasks` with its store and its workers."""

_PLOTS: Mapping[Kind, tuple[tuple[str, str, str], ...]] = {
    "direct": (
        ("links", "hops", "cables against mean hops: lower left is better"),
        ("cable", "throughput", "metres of cable against throughput: upper left is better"),
        ("worst_permutation", "throughput",
         "worst permutation against uniform throughput: upper left is better"),
    ),
    "switched": (
        ("money", "guaranteed_throughput",
         "cost against guaranteed throughput: upper left is better"),
        ("money", "hops", "cost against mean hops: lower left is better"),
        ("hops", "guaranteed_throughput",
         "mean hops against guaranteed throughput: upper left is better"),
    ),
}  # fmt: skip
_TABLE: Mapping[Kind, str] = {"direct": "design", "switched": "machines"}
_SIMULATED: Mapping[Kind, str] = {"direct": "throughput", "switched": "line_throughput"}


@dataclass(repr=False)
class Design:
    """What the designer found.

    Attributes:
        requirements: The question; its `kind` says which kind of machine was asked for.
        candidates: The best first; those that break a requirement last.
        complete: False when it was interrupted.
        finalists: How many were measured in full.
        curve_points: Points of simulations of direct machines, as ``hopscape simulate`` prints
            them.
        saturations: Simulated saturation of switched machines.
        notes: What else there is to say.
        unfit: Families whose endpoints have more lines than those asked for.
        search: How the finalists were improved.
        late: Families in which a time limit cut the search short.
        others: What other demands on a switched machine would choose.
        examined: Of switched machines: for each family how many were looked at and what ruled
            others out, as :class:`hopscape.design.offers.Counted` has it.
        dear, dear_own: Cost beyond which switched machines were not looked at, and those of
            families with switches of their own.
    """

    requirements: Question
    candidates: list[Candidate]
    complete: bool = True
    finalists: int = _FINALISTS
    curve_points: list[dict[str, Any]] = field(default_factory=list)
    saturations: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unfit: str = ""
    search: Improvement | None = None
    late: list[str] = field(default_factory=list)
    others: list[OtherAnswer] = field(default_factory=list)
    examined: list[dict[str, Any]] = field(default_factory=list)
    dear: float = math.inf
    dear_own: float = math.inf

    @property
    def kind(self) -> Kind:
        """Which kind of machine was asked for."""
        return self.requirements.kind

    @property
    def currency(self) -> str:
        """In which switched machines are priced."""
        asked = self.requirements
        return asked.price_list.currency if isinstance(asked, SwitchedRequirements) else ""

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

    def shortlist(self) -> list[Shown]:
        """The few machines to look at first, each with the reason; of switched machines."""
        return shortlist(self.candidates) if self.kind == "switched" else []

    def records(self) -> list[dict[str, Any]]:
        """The candidates for scripts, under the keys of their kind of machine."""
        if self.kind == "switched":
            return machine_records(self.candidates, self.candidates)
        return ranking_records(self.candidates)

    def proof(self) -> Proof:
        """What the cheapest machine costs, and what no machine costs less than; a proof."""
        from hopscape.design.proof import prove_cost, require_provable

        require_provable(self.requirements)
        fit = [one for one in self.candidates if not one.trouble] or self.candidates
        return prove_cost(min(fit, key=lambda one: float(one.value("money"))), self.requirements)

    def ranking(self) -> Records:
        """The candidates as rows, the best first: every figure under its name."""
        return Records(self.records(), self.requirements.title)

    def to_dict(self) -> list[dict[str, Any]]:
        """The ranking as JSON knows it."""
        return self.ranking().to_dict()

    def to_frame(self) -> Any:
        """The ranking as a data frame (pandas, or polars where pandas is not installed)."""
        return self.ranking().to_frame()

    def __repr__(self) -> str:
        count = counted(len(self.candidates), "candidate")
        best = f", the best is {self.candidates[0].spec}" if self.candidates else ""
        return f"<Design: {self.requirements.title}; {count}{best}>"

    def _repr_html_(self) -> str:
        view: str = method("design_view")(self)
        return view

    @property
    def command(self) -> str:
        """The command line that asks for the same."""
        more = "" if self.search is None else f" --search {self.search.seconds:g}s"
        return self.requirements.command() + more

    @property
    def presentation(self) -> Presentation:
        """How the report shows it."""
        question = self.requirements
        return Presentation(
            f"A network for {question.short_title}",
            question.words(),
            tuple(columns_of(_TABLE[self.kind])),
            _PLOTS[self.kind],
            tuple(question.criterion_columns),
            question.weights,
            grades(self.candidates, question),
            _SIMULATED[self.kind],
            tuple(sentences(self.candidates, question, self.others)),
        )

    @property
    def answer(self) -> str:
        """What to build and why, in words."""
        from hopscape.design.proof import no_less

        words = sentences(self.candidates, self.requirements, self.others)
        if isinstance(self.requirements, JobRequirements):
            words = step_words(self.candidates, self.requirements) + words
        prices = [float(one.value("money") or 0) for one in self.candidates if not one.trouble]
        words += certificate(
            self.examined,
            (self.dear, self.dear_own),
            min(prices, default=math.inf),
            self.requirements,
            no_less(self.requirements),
        )
        if self.late:
            words.append(f"The time limit cut the search short in {few_names(self.late)}.")
        return " ".join(words)


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
            figures = measure_columns(_evaluation(spec, conditions), columns)
    except HopscapeError as error:
        return str(error)
    return {name: figure.packed() for name, figure in figures.items()}


def _final(result: dict[str, list[Any]] | str) -> bool:
    """Is it the same with more time? What is not known may be known then."""
    return not isinstance(result, str) and all(
        Measured.unpacked(figure).how != "unknown" for figure in result.values()
    )


Report = Callable[[int, Sequence[Candidate]], None]


def usual_workers(question: Question) -> int:
    """Processes by the size of the work: to start another takes longer than small networks do.

    Examples:
        >>> usual_workers(Requirements(64, 4)), usual_workers(SwitchedRequirements(64, 8))
        (1, 1)
    """
    return 1 if question.size_asked < _FEW[question.kind] else os.cpu_count() or 1


@renamed_arguments(jobs="workers", table="resume")
def design(
    question: Question | None = None,
    *,
    workers: int | None = 1,
    resume: Store | str | Path | None = None,
    dask: str | None = None,
    finalists: int = _FINALISTS,
    columns: Sequence[str] = (),
    show: int | None = None,
    seconds: float | None = None,
    search: Improvement | None = None,
    on_stage: Report | None = None,
    **demands: Any,
) -> Design:
    """Find, measure and rank networks that meet requirements.

    Args:
        question: About a direct machine (:class:`Requirements`) or a switched one
            (:class:`SwitchedRequirements`); or nothing, and what is asked in `demands`.
        workers: Processes that measure; 1 measures in this one, None goes by the size of the work.
        resume: What is measured, a :class:`hopscape.store.Store` or its file; a later run, of this
            or another question, goes on from there.
        dask: Address of a Dask scheduler whose workers measure instead.
        finalists: How many direct machines to measure in full.
        columns: Columns that are asked for: measured for all that keep the requirements, whatever
            stage they are in otherwise.
        show: Measure these for the first so many only.
        seconds: Time that measuring may take; what it does not suffice for stays unknown, with the
            reason.
        search: Let the graph search improve direct finalists; its time is not counted in `seconds`.
            An interrupt ends the search, and what it has found is measured.
        on_stage: Told the number of each stage and the ranking after it.
        **demands: The options of the command line: ``design(endpoints=64, radix=16, worst=0.5)``.

    Raises:
        ArgumentError: When nothing fits; the message names the nearest choice.

    Examples:
        >>> result = design(nodes=16, ports=4, families="torus,hypercube")
        >>> sorted(one.spec for one in result.candidates)
        ['hypercube(4)', 'torus(3, 6)', 'torus(4, 4)']
        >>> asked = SwitchedRequirements(32, 16, families=("fat_tree", "complete"))
        >>> result = design(asked)
        >>> result.best.spec, result.best.value("switches")
        ('populated(concentrated(complete(5), 7, trunk=2), 32, ends=(7, 7, 7, 7, 4), pairs=31)', 5)
    """
    if question is None:
        question = question_of(**demands)
    elif demands:
        raise ArgumentError(f"{', '.join(demands)}: give a question or demands, not both")
    if workers is None:
        workers = usual_workers(question)
    if workers < 1 or finalists < 1:
        name, few = ("workers", workers) if workers < 1 else ("finalists", finalists)
        raise ArgumentError(f"{name} is {few}; it must be at least 1")
    columns = [find_column(name).name for name in columns]
    out = Design(question, _first_candidates(question), finalists=finalists, search=search)
    clock = Clock.started(seconds, _STAGES + bool(columns), _LEAST_SECONDS)
    if question.kind == "switched":
        clock = Clock.started(seconds, 1)
    apart = workers > 1 and dask is None
    with opened(resume) as store, Processes(workers) if apart else nullcontext() as pool:
        run = partial(run_tasks, store=store, processes=1, dask=dask, pool=pool)
        try:
            if isinstance(question, JobRequirements):
                _ask_families(out, question.by_cost, run, clock, on_stage)
                _time_steps(out, question, run)
            elif isinstance(question, SwitchedRequirements):
                _ask_families(out, question, run, clock, on_stage)
            else:
                _measure_in_stages(out, run, clock, on_stage)
            if search is not None:
                clock = _improve(out, search, run, clock, workers, store, dask)
            lacking = _lacking(out.candidates, columns, show)
            conditions = _conditions(question, _STAGES + 1)
            _run_stage(run, lacking, _STAGES + 1, columns, conditions, clock)
        except KeyboardInterrupt:
            out.complete = False
            if pool is not None:
                pool.close()
            out.candidates = _ranked_so_far(out)
    return out


def _ranked_so_far(out: Design) -> list[Candidate]:
    """What an interrupted design knows; while none of it meets the demands, there is no answer."""
    known = [one for one in out.candidates if one.stage]
    try:
        ranked = rank(known, out.requirements, out.late)
    except ArgumentError:
        ranked = []
    if not ranked:
        raise KeyboardInterrupt
    return ranked


# -- switched machines ----------------------------------------------------------------------------


def _ask_families(
    out: Design, question: SwitchedRequirements, run: Run, clock: Clock, on_stage: Report | None
) -> None:
    """Ask every family for machines, rank what they answer, and ask what words speak of."""
    aside = Design(question, [])

    def ask(other: SwitchedRequirements) -> list[Candidate]:
        aside.candidates = []
        _collect(aside, other, run, clock, alone=True)
        return aside.candidates

    _collect(out, question, run, clock, on_stage=on_stage)
    if all(misses(one.figures, question) for one in out.candidates):
        rank_nothing = "" if not out.late else f" (too little time for {few_names(out.late)})"
        for one in out.candidates:
            one.trouble = "; ".join(misses(one.figures, question).values())
        raise ArgumentError(infeasible(question, out.candidates, ask) + rank_nothing)
    out.candidates = distinct(rank(out.candidates, question, out.late))
    out.others = other_answers(question, rank(out.candidates, question)[0], ask)
    new = [other.best for other in out.others if other.best is not None]
    out.candidates = distinct(rank([*out.candidates, *new], question, out.late))
    first = out.candidates[0]  # which may meet another demand at the same price
    same = (first.spec, *first.also)
    out.others = [one for one in out.others if one.best is None or one.best.spec not in same]
    _look_closer(out, question)


def _time_steps(out: Design, question: JobRequirements, run: Run) -> None:
    """Time a step of the job on machines that differ; these come first."""
    chosen = finalists(out.candidates)
    time_machines(chosen, question, run)
    specs = {one.spec for one in chosen}
    rest = [one for one in out.candidates if one.spec not in specs]
    out.candidates = [*rank(chosen, question), *rest]


def _collect(
    out: Design,
    question: SwitchedRequirements,
    run: Run,
    clock: Clock,
    *,
    alone: bool = False,
    on_stage: Report | None = None,
) -> None:
    """Put what all families answer into `out`, not ranked; also late ones, notes and counts.

    Families with switches of their own are asked first. Of the others, all that may be cheaper than
    the best of these is looked at; what costs more only up to what the standard machines and full
    rate for any permutation cost, since nothing beyond is worth its price.

    Args:
        alone: Only the cheapest machine is of interest.
    """
    kinds = [family(name) for name in question.families] or all_families().values()
    names = sorted({kind.name for kind in kinds})
    needed: dict[int, set[str]] = {}
    money_alone = {name for name, weight in question.weights.items() if weight} == {"cost"}
    first = [name for name in names if _has_switches(name)] if money_alone else []
    if question.every_family:
        first = []
    large = question.endpoints > _LARGE
    usual = [name for name in first if large and family(name).standard]
    own = [name for name in first if name not in usual]
    best = dear = math.inf
    for stage, part in enumerate((usual, own, [name for name in names if name not in first])):
        tasks = _family_tasks(part, question, clock, best if stage == _LAST else math.inf, dear)
        text = _stage_words(stage, part, out)
        for task, records in run(tasks, ask_family, keep=_in_time, text=text):
            _take_in(out, task.arguments[0], records, needed)
        met = [one for one in out.candidates if not misses(one.figures, _unbudgeted(question))]
        if stage < _LAST and part and met:
            best = min(float(one.value("money")) for one in met)
            dear = best if alone and stage else _worth(met, best)
            out.dear, out.dear_own = dear, out.dear
            if on_stage is not None and stage:
                on_stage(stage, rank(out.candidates, _unbudgeted(question)))
    _deal_anew(out, question, run)
    _require_candidates(out, question)
    out.unfit = "; ".join(
        f"{', '.join(sorted(families))}, whose endpoints have {counted(lines, 'line')}"
        f" (--nics {lines})"
        for lines, families in sorted(needed.items())
    )


def _deal_anew(out: Design, question: SwitchedRequirements, run: Run) -> None:
    """Deal the endpoints of the cheapest machines unequally, where that makes them cheaper."""
    asked = _unbudgeted(question)
    met = [one for one in out.candidates if not misses(one.figures, asked)]
    if not met or question.endpoints > MOST_DEALT or question.grow is not None:
        return
    met.sort(key=lambda one: (float(one.value("money")), one.spec))
    below = float(met[0].value("money"))
    given = asdict(question) | {"prices": asdict(question.price_list)}
    given |= {"budget": None, "weights": None, "families": None, "below": below}
    chosen = [one for one in met if float(one.value("money")) < _DEARER * below][:DEALT_ANEW]
    tasks = [
        Task(
            digest("deals", [one.spec, given], spec_files(one.spec)),
            (one.spec, question, float(one.value("money")), below),
            about=one.spec,
        )
        for one in chosen
    ]
    names = {one.spec: one.family for one in chosen}
    known = {one.spec for one in out.candidates}
    for task, records in run(
        tasks, deal_anew, text=f"endpoints of {counted(len(tasks), 'machine')}"
    ):
        for record in records:
            if record["spec"] not in known:
                figures = {k: Measured.unpacked(v) for k, v in record["figures"].items()}
                name = names[task.arguments[0]]
                out.candidates.append(Candidate(record["spec"], name, figures, stage=_STAGES))


def _unbudgeted(question: SwitchedRequirements) -> SwitchedRequirements:
    return question if question.budget is None else replace(question, budget=None)


def _has_switches(name: str) -> bool:
    """Has a family endpoints of its own, at switches of its own?"""
    try:
        return member(family(name).example).switches() is not None
    except HopscapeError:
        return False


def _worth(met: Sequence[Candidate], best: float) -> float:
    """Cost beyond which machines are not looked at: of the dearest that must be shown."""
    full = [one for one in met if float(one.value("guaranteed_throughput") or 0) >= 1 - 1e-9]
    standard = [one for one in met if family(one.family).standard]
    dearest = [min(float(one.value("money")) for one in some) for some in (full, standard) if some]
    return max([_DEARER * best, *dearest])


def _stage_words(stage: int, names: Sequence[str], out: Design) -> str:
    """What the progress bar says."""
    count = "1 family" if len(names) == 1 else f"{len(names)} families"
    what = f"{count} with switches" if stage < _LAST else f"{count} of networks"
    prices = [float(one.value("money")) for one in out.candidates if not one.trouble]
    return f"{what}, {min(prices):,.0f} so far" if stage and prices else what


def _take_in(
    out: Design, name: str, records: Sequence[Mapping[str, Any]], needed: dict[int, set[str]]
) -> None:
    """Put what a family answers into the design."""
    known = {one.spec for one in out.candidates}
    for record in records:
        if "late" in record:
            out.late += [name] if name not in out.late else []
        elif "counted" in record:
            out.examined.append({"family": name} | record["counted"])
        elif "lines" in record:
            needed.setdefault(record["lines"], set()).add(name)
        elif record["spec"] not in known:
            figures = {k: Measured.unpacked(v) for k, v in record["figures"].items()}
            out.candidates.append(Candidate(record["spec"], name, figures, stage=_STAGES))


def _require_candidates(out: Design, question: SwitchedRequirements) -> None:
    if not out.candidates and out.late:
        raise ArgumentError(
            f"the time limit left too little time to find a machine: {few_names(out.late)} had not"
            " enough; give a larger --time-limit"
        )
    if not out.candidates and (gaps := question.price_list.gaps(question.radix)):
        raise ArgumentError(
            f"no machine of {question.endpoints:,} endpoints can be priced: the price list"
            f" {question.price_list.name!r} has {gaps}"
        )
    reasons = [str(one["reason"]) for one in out.examined if one["reason"]]
    if not out.candidates and reasons:
        raise ArgumentError(
            f"no machine of {question.endpoints:,} endpoints could be judged; the first that was"
            f" tried, {reasons[0]}"
        )
    if not out.candidates:
        which = "none of the families asked for" if question.families else "no family"
        raise ArgumentError(
            f"{which} has a machine of {_sizes(question.low, question.high)} endpoints, each"
            f" with {counted(question.nics, 'line')}, at switches of {question.radix} ports; take a"
            " larger radix"
        )


def _sizes(low: int, high: int) -> str:
    return f"exactly {low:,}" if low == high else f"{low:,} to {high:,}"


def _look_closer(out: Design, question: SwitchedRequirements) -> None:
    """Of the first machines also what takes long: tables of the hand-over, the best split."""
    first = [one for one in out.candidates if not one.trouble][:1]
    few = [shown.candidate for shown in shortlist(out.candidates)]
    for one in {one.spec: one for one in (*few, *first)}.values():
        one.figures["tables_throughput"] = tables_throughput(build(one.spec))
        given = question.message, question.alpha, question.price_list.rate
        one.figures["reduce_time"] = allreduce_time(Offer.of(one.spec).machine(), *given)
        if one.figures["throughput_limit"].how == "unknown":
            one.figures |= deep_figures(Offer.of(one.spec).machine())
        if question.routing == "optimal" and one.value("guaranteed_routing") != "optimal":
            one.figures |= optimal_figures(Offer.of(one.spec).machine(), one.figures)
    out.candidates = rank(out.candidates, question, out.late)


def _family_tasks(
    names: Sequence[str],
    question: SwitchedRequirements,
    clock: Clock,
    best: float = math.inf,
    dear: float = math.inf,
) -> list[Task]:
    """A task for each family and number of planes; prices count by what the list says."""
    given = asdict(question) | {"prices": asdict(question.price_list)}
    given |= {"budget": None, "weights": None, "families": None, "best": best, "dear": dear}
    steps = min(FAMILY_STEPS, clock.steps(len(names)))
    return [
        _Timed(
            digest("machines", [name, planes, rails, given], spec_files(family(name).example)),
            (name, planes, rails, question, best, dear, steps),
            about=name,
            clock=clock,
        )
        for name in names
        for planes in question.splits
        for rails in question.rail_splits
    ]


def _in_time(records: Sequence[Mapping[str, Any]]) -> bool:
    """Would it be the same with more time?"""
    return not any("late" in record for record in records)


# -- direct machines ------------------------------------------------------------------------------


def _first_candidates(question: Question) -> list[Candidate]:
    """What the stages begin with: members of a direct machine's families."""
    if not isinstance(question, Requirements):
        return []
    candidates = find_candidates(question)
    if not candidates:
        raise ArgumentError(
            f"no network has {_sizes(question.low, question.high)} nodes and at most"
            f" {counted(question.ports, 'port')}; {nearest_sizes(question)}"
        )
    compile_ahead("design", question.high)
    return candidates


def _columns(question: Question, stage: int) -> list[str]:
    """What is measured in a stage; what is left after failures only where these are asked for."""
    optional = {*SURVIVAL, *GROWTH}
    if isinstance(question, Requirements):
        optional -= set(SURVIVAL) if question.survive is not None else set()
        optional -= set(GROWTH) if question.grow is not None else set()
    return [name for name in columns_of_stage(stage) if name not in optional]


def _measure_in_stages(out: Design, run: Run, clock: Clock, on_stage: Report | None) -> None:
    for stage in range(1, _STAGES + 1):
        chosen = _chosen(out, stage)
        conditions = _conditions(out.requirements, stage)
        _run_stage(run, chosen, stage, _columns(out.requirements, stage), conditions, clock)
        out.candidates = rank(out.candidates, out.requirements)
        if on_stage is not None:
            on_stage(stage, out.candidates)


def _improve(
    out: Design,
    search: Improvement,
    run: Run,
    clock: Clock,
    workers: int,
    store: Store,
    dask: str | None,
) -> Clock:
    """Search for better graphs than the finalists, and measure them in full.

    Returns the clock, put back by the time of the search.
    """
    begun = time.monotonic()
    question = out.requirements
    seed = question.conditions.seed
    finalists = _chosen(out, _STAGES)
    better, notes = improve(finalists, search, seed=seed, workers=workers, store=store, dask=dask)
    clock = replace(clock, end=clock.end + time.monotonic() - begun)
    known = {one.spec for one in out.candidates}
    new = [one for one in better if one.spec not in known]
    out.notes += notes
    for stage in range(1, _STAGES + 1):
        conditions = _conditions(question, stage)
        _run_stage(run, new, stage, _columns(question, stage), conditions, clock)
    out.candidates = rank([*out.candidates, *new], question)
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
    most = max(out.finalists, min(_SHORT_LIST, _ROUTED_PAIRS // out.requirements.size_asked**2))
    return [*first, *others, *rest][:most]


def _lacking(
    candidates: Sequence[Candidate], columns: Sequence[str], show: int | None
) -> list[Candidate]:
    """Whom the columns asked for are still missing of."""
    allowed = [one for one in candidates if not one.trouble][:show]
    return [one for one in allowed if any(name not in one.figures for name in columns)]


# -- tasks ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Clock:
    """Shares a time limit among stages and candidates.

    What a candidate is measured of is decided by a share of work that depends on the limit alone;
    the clock only ends a stage that takes longer.

    Attributes:
        limit: Seconds for all stages.
        end: When they are over, by the monotonic clock.
        stages: Of which each gets the same.
        least: Seconds that are left at any time.
        stage: The one that runs, counted from 1.
    """

    limit: float
    end: float
    stages: int
    least: float
    stage: int = 1

    @classmethod
    def started(cls, seconds: float | None, stages: int, least: float = 0.0) -> Clock:
        """A clock that starts now."""
        limit = math.inf if seconds is None else seconds
        return cls(limit, time.monotonic() + limit, stages, least)

    def seconds(self) -> float | None:
        """Seconds that are left for this stage."""
        if self.end == math.inf:
            return None
        left = max(self.least, self.end - time.monotonic())
        return left / max(1, self.stages + 1 - self.stage)

    def steps(self, tasks: int) -> float:
        """Work for each of so many candidates of a stage."""
        share = min(1.0, _FULL_SHARES / max(1, tasks))
        return max(self.least, self.limit / self.stages) * share * STEPS_PER_SECOND


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


def _conditions(question: Question, stage: int) -> Conditions:
    """The conditions of a stage: the first looks at more networks, each less deeply."""
    given = question.conditions
    if isinstance(question, Requirements) and question.faults is not None and given.faults is None:
        given = replace(given, faults=question.faults)
    if isinstance(question, Requirements) and question.survive is not None:
        given = replace(given, survive=question.survive)
    if isinstance(question, Requirements) and question.grow is not None:
        given = replace(given, grow=(question.grow, question.network_ports))
    if stage > 1:
        given = replace(given, routes_order=max(given.routes_order, _DEEP_ORDER))
    return given


def _run_stage(
    run: Run,
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
            figures = {name: Measured(None, "unknown", result) for name in columns}
        else:
            figures = {name: Measured.unpacked(figure) for name, figure in result.items()}
        if stage > _STAGES:  # asked for besides: nothing is judged by it
            one.figures = figures | one.figures
        elif isinstance(result, str):
            one.failure = result
        else:
            one.figures |= figures
            one.stage = stage
