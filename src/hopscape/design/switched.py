"""The designer of switched machines: every family's cheapest machines that do the job.

A task asks one family for machines, those with few switches first, until some meet all demands;
all figures of these are measured. Who misses a demand is never ranked above who meets it.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.core.measured import Measured
from hopscape.core.tables import in_table
from hopscape.design.candidates import Candidate, mark_equal
from hopscape.design.columns import ALL_COLUMNS, columns_of, find_column
from hopscape.design.designer import Clock, measure_asked
from hopscape.design.machine import Machine, machine_figures
from hopscape.design.offers import Offer, family_offers, lines_needed
from hopscape.design.ranked import Ranked
from hopscape.design.ranking import Presentation, column_grades, mark_dominated
from hopscape.design.requirements import parse_weights
from hopscape.design.switched_requirements import SwitchedRequirements
from hopscape.design.words import sentences
from hopscape.registry import all_families, family, spec_files
from hopscape.store import Processes, Store, Task, run_tasks
from hopscape.store.records import digest

__all__ = [
    "SwitchedDesign",
    "design_switched",
    "parse_switched_weights",
    "usual_jobs",
]

_MEETING = 2
_TRIES = 24
_MANY_ENDPOINTS = 6_000
_FAMILY_SECONDS = 6.0
_HOPELESS = 0.97
_SLACK = 1e-9
_FEW_ENDPOINTS = 600
_CRITERIA: Mapping[str, str] = {
    "cost": "money",
    "latency": "hops",
    "bandwidth": "line_throughput",
    "worst-case": "guaranteed_throughput",
    "power": "watts_per_endpoint",
}
_JUDGED = ("money", "watts_per_endpoint", "line_throughput", "guaranteed_throughput", "hops")
_PLOTS = (
    ("money", "guaranteed_throughput", "cost against guaranteed throughput: upper left is better"),
    ("money", "hops", "cost against mean hops: lower left is better"),
    ("hops", "guaranteed_throughput", "mean hops against guaranteed throughput: upper left"),
)


@dataclass
class SwitchedDesign(Ranked):
    """What the designer of switched machines found.

    Attributes:
        candidates: Those that meet all demands first, the best of them first.
        complete: False when it was interrupted.
        curve_points: Points of load-latency curves: none, finalists are simulated to saturation
            only.
        saturations: Simulated saturation of finalists.
    """

    requirements: SwitchedRequirements
    candidates: list[Candidate]
    complete: bool = True
    finalists: int = 8
    curve_points: list[dict[str, Any]] = field(default_factory=list)
    saturations: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    answer: str = ""

    @property
    def presentation(self) -> Presentation:
        """How the report shows it."""
        return Presentation(
            f"A network for {self.requirements.title}",
            self.requirements.words(),
            tuple(columns_of("machines")),
            _PLOTS,
            tuple(_CRITERIA.items()),
            self.requirements.weights,
            machine_grades(self.candidates),
            "line_throughput",
            tuple(sentences(self.candidates, self.requirements)),
        )


def parse_switched_weights(text: str) -> dict[str, float]:
    """Read ``cost=2,latency``, as :func:`~hopscape.design.requirements.parse_weights` does.

    Raises:
        ArgumentError: For a criterion that switched machines are not judged by.

    Examples:
        >>> parse_switched_weights("cost=2, power")
        {'cost': 2.0, 'power': 1.0}
    """
    return parse_weights(text, _CRITERIA)


# -- demands --------------------------------------------------------------------------------------


def misses(figures: Mapping[str, Measured[Any]], asked: SwitchedRequirements) -> dict[str, str]:
    """Demands that a machine does not meet, each with what it has instead."""
    out: dict[str, str] = {}
    radix, ends = figures["radix_used"].value, figures["endpoints"].value
    if radix > asked.radix:
        out["radix"] = f"uses {radix} of {asked.radix} ports"
    if not asked.low <= ends <= asked.high:
        out["endpoints"] = f"has {ends} endpoints"
    for demand, column in (("throughput", "line_throughput"), ("worst", "guaranteed_throughput")):
        least, figure = getattr(asked, demand), figures[column]
        if least is not None and (figure.value is None or float(figure.value) < least - _SLACK):
            shown = in_table(None if figure.value is None else float(figure.value))
            title = ALL_COLUMNS[column].title
            out[demand] = f"{title} {figure.sign}{shown} instead of {least:g}"
    cost = figures["money"].value
    if asked.budget is not None and cost > asked.budget:
        currency = asked.price_list.currency
        out["budget"] = f"costs {cost:,.0f} {currency}, {cost - asked.budget:,.0f} too much"
    return out


def demands(asked: SwitchedRequirements) -> list[str]:
    """Names of what is asked for."""
    optional = [name for name in ("worst", "budget") if getattr(asked, name) is not None]
    return ["endpoints", "radix", "throughput", *optional]


# -- one family -----------------------------------------------------------------------------------


def ask_family(
    name: str, planes: int, asked: SwitchedRequirements, seconds: float | None = None
) -> list[dict[str, Any]]:
    """One task: the machines of a family that meet the demands, or else the nearest.

    Returns:
        list of dict: Spec and packed figures; ``{"lines": n}`` for a family that only has endpoints
            with n lines; first ``{"late": True}`` where less time than usual cut the search short.
    """
    search = _Search(asked, math.inf if seconds is None else time.process_time() + seconds)
    for batch in family_offers(family(name), asked, planes):
        for offer in batch:
            if search.done:
                hurried = search.late and seconds is not None and seconds < _FAMILY_SECONDS
                return [{"late": True}] * hurried + search.records()
            search.look_at(offer)
    if (records := search.records()) or (lines := lines_needed(family(name), asked)) is None:
        return records
    return [{"lines": lines}]


class _Search:
    """Offers of a family one after the other: those that meet the demands, and the nearest."""

    def __init__(self, asked: SwitchedRequirements, end: float) -> None:
        self.asked, self.end = asked, end
        self.meeting: list[dict[str, Any]] = []
        self.nearest: tuple[float, Offer, Machine] | None = None
        self.tries = 0
        self.attached = False

    @property
    def late(self) -> bool:
        return time.process_time() > self.end

    @property
    def done(self) -> bool:
        share = 2 if self.attached and self.asked.endpoints > _MANY_ENDPOINTS else 1
        return self.late or len(self.meeting) * share >= _MEETING or self.tries * share >= _TRIES

    def look_at(self, offer: Offer) -> None:
        """Measure an offer as far as it takes to see whether it meets the demands."""
        self.attached = offer.each > 0
        try:
            machine = offer.machine()
            if not self._is_machine(machine):
                return
            share = min(1.0, machine.flow.quick_bound())
            if share >= _HOPELESS * self.asked.throughput:
                self.tries += 1
                share = machine.flow.uniform().throughput
            if share >= self.asked.throughput - _SLACK:
                share = self._measure(offer, machine)
        except HopscapeError:
            return
        if share < math.inf and (self.nearest is None or share > self.nearest[0]):
            self.nearest = (share, offer, machine)

    def _is_machine(self, machine: Machine) -> bool:
        asked = self.asked
        fits = asked.low <= machine.endpoints <= asked.high and machine.nics == asked.nics
        return fits and machine.radix_used <= asked.radix

    def _figures(self, offer: Offer, machine: Machine) -> dict[str, Measured[Any]]:
        return machine_figures(machine, self.asked.price_list, self.asked.plan, spec=offer.base)

    def _measure(self, offer: Offer, machine: Machine) -> float:
        """All figures; infinite when they meet the demands, else how near they come."""
        figures = self._figures(offer, machine)
        if misses(figures, self.asked):
            return 1.0 + -_shortfall(figures, self.asked)[0]
        packed = _packed(figures)
        if all(packed != one["figures"] for one in self.meeting):  # else the same, by another seed
            self.meeting.append({"spec": offer.spec, "figures": packed})
        return math.inf

    def records(self) -> list[dict[str, Any]]:
        if self.meeting or self.nearest is None:
            return self.meeting
        _, offer, machine = self.nearest
        figures = self._figures(offer, machine)
        return [{"spec": offer.spec, "figures": _packed(figures)}]


def _packed(figures: Mapping[str, Measured[Any]]) -> dict[str, list[Any]]:
    return {name: figure.packed() for name, figure in figures.items()}


def _shortfall(
    figures: Mapping[str, Measured[Any]], asked: SwitchedRequirements
) -> tuple[float, float]:
    """How far a machine is from the demands, and its cost."""
    share = float(figures["line_throughput"].value) / asked.throughput
    if asked.worst is not None:
        share = min(share, float(figures["guaranteed_throughput"].value or 0.0) / asked.worst)
    cost = float(figures["money"].value)
    if asked.budget is not None:
        share = min(share, asked.budget / cost if cost else 1.0)
    return (-min(1.0, share), cost)


# -- all of them ----------------------------------------------------------------------------------


def usual_jobs(asked: SwitchedRequirements) -> int:
    """Processes by the size of the work: small questions are answered sooner by one."""
    return 1 if asked.endpoints < _FEW_ENDPOINTS else os.cpu_count() or 1


def design_switched(
    asked: SwitchedRequirements,
    *,
    jobs: int | None = None,
    table: Store | None = None,
    dask: str | None = None,
    columns: Sequence[str] = (),
    show: int | None = None,
    seconds: float | None = None,
) -> SwitchedDesign:
    """Find, measure and rank switched machines.

    Args:
        jobs: Processes; by the size of the question when left out.
        table: Keeps what is measured.
        dask: Address of a Dask scheduler.
        columns, show: Columns that are asked for besides, of the first so many that meet all
            demands.
        seconds: Time that measuring may take; every family gets its share of it, at most 6 s of a
            processor, and is looked at as far as that suffices.

    Raises:
        ArgumentError: When nothing meets the demands; the message names the nearest and what it
            lacks.

    Examples:
        >>> asked = SwitchedRequirements(32, 16, families=("fat_tree", "complete"))
        >>> found = design_switched(asked)
        >>> found.best.spec, found.best.value("switches")
        ('concentrated(complete(5), 7, trunk=2)', 5)
    """
    names = sorted({family(n).name for n in asked.families} or {k.name for k in _kinds()})
    count = jobs if jobs is not None else usual_jobs(asked)
    if count < 1:
        raise ArgumentError(f"jobs is {count}; it must be at least 1")
    share = math.inf if seconds is None else seconds * count / len(names)
    each = min(_FAMILY_SECONDS, share)
    columns = [find_column(name).name for name in columns]
    clock = Clock.started(seconds, 1)
    heard = _Heard()
    kept = table if table is not None else Store()
    with Processes(count) if count > 1 and dask is None else nullcontext() as pool:
        run = partial(run_tasks, store=kept, processes=1, dask=dask, pool=pool)
        try:
            tasks = _tasks(names, asked, each)
            for task, records in run(tasks, ask_family, keep=_final, text="machines"):
                heard.take(task.arguments[0], records)
            ranked = rank_machines(list(heard.candidates.values()), asked, heard.late)
            measure_asked(run, ranked, columns, show, asked.conditions, clock)
            complete = True
        except KeyboardInterrupt:
            complete = False
            if pool is not None:
                pool.close()
            if not heard.candidates:
                raise
            ranked = rank_machines(list(heard.candidates.values()), asked, heard.late)
    found = SwitchedDesign(asked, ranked, complete)
    found.notes += heard.notes()
    words = sentences(found.candidates, asked)
    if heard.late:
        words.append(f"The time limit cut the search short in {_few(heard.late)}.")
    found.answer = " ".join(words)
    return found


def _tasks(names: Sequence[str], asked: SwitchedRequirements, seconds: float) -> list[Task]:
    """A task for each family and number of planes; prices count by what the list says."""
    given = asdict(asked) | {"prices": asdict(asked.price_list)}
    return [
        Task(
            digest("machines", [name, planes, given], spec_files(family(name).example)),
            (name, planes, asked, seconds),
            about=name,
        )
        for name in names
        for planes in asked.splits
    ]


def _final(records: Sequence[Mapping[str, Any]]) -> bool:
    """Is it the same with more time?"""
    return not any("late" in record for record in records)


class _Heard:
    """What families have answered."""

    def __init__(self) -> None:
        self.candidates: dict[str, Candidate] = {}
        self.needed: dict[int, set[str]] = {}
        self.late: list[str] = []

    def take(self, name: str, records: Sequence[Mapping[str, Any]]) -> None:
        """The answer of one task."""
        for record in records:
            if "late" in record:
                self.late += [name] if name not in self.late else []
            elif "lines" in record:
                self.needed.setdefault(record["lines"], set()).add(name)
            else:
                figures = {k: Measured.unpacked(v) for k, v in record["figures"].items()}
                one = Candidate(record["spec"], name, figures, stage=3)
                self.candidates.setdefault(one.spec, one)

    def notes(self) -> list[str]:
        return [
            f"{', '.join(sorted(names))}: endpoints have {lines} lines (--nics {lines})"
            for lines, names in sorted(self.needed.items())
        ]


def _kinds() -> list[Any]:
    return list(all_families().values())


def rank_machines(
    candidates: Sequence[Candidate], asked: SwitchedRequirements, late: Sequence[str] = ()
) -> list[Candidate]:
    """Those that meet all demands by score, the others after them by what they lack.

    The score is the weighted mean of best / own.

    Args:
        late: Families in which time cut the search short.

    Raises:
        ArgumentError: When nothing meets the demands.
    """
    if not candidates and late:
        raise ArgumentError(
            f"the time limit left too little time to find a machine: {_few(late)} had not enough;"
            " give a larger --time-limit"
        )
    if not candidates:
        raise ArgumentError(
            f"no family has a machine of {asked.low} to {asked.high} endpoints with switches of"
            f" {asked.radix} ports and {asked.nics} lines an endpoint; take a larger radix"
        )
    for one in candidates:
        lacks = misses(one.figures, asked)
        one.trouble = "; ".join(lacks.values())
        one.meets = tuple(name for name in demands(asked) if name not in lacks)
        one.score, one.dominated_by, one.equals, one.better_in = None, "", "", ()
    allowed = [one for one in candidates if not one.trouble]
    if not allowed:
        near = min(candidates, key=lambda one: _shortfall(one.figures, asked))
        raise ArgumentError(
            f"none of {len(candidates)} machines meets all demands; the nearest, {near.spec}:"
            f" {near.trouble}" + (f" (too little time for {_few(late)})" if late else "")
        )
    _score(allowed, asked)
    mark_dominated(allowed, [(name, ALL_COLUMNS[name].better) for name in _JUDGED], _order)
    rest = [one for one in candidates if one.trouble]
    ranked = sorted(allowed, key=_order)
    mark_equal(ranked, ("endpoints", "planes", "switches", "cables_optical", *_JUDGED))
    return ranked + sorted(rest, key=lambda x: _shortfall(x.figures, asked))


def _few(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) < 4 else f"{len(names)} families"


def _order(one: Candidate) -> tuple[float, float, float, int, str]:
    worst = float(one.value("guaranteed_throughput") or 0.0)
    return (-(one.score or 0.0), -worst, float(one.value("money")), len(one.spec), one.spec)


def machine_grades(candidates: Sequence[Candidate]) -> dict[str, dict[str, float]]:
    """What each criterion gives each machine that meets all demands: 1 for the best, by spec."""
    allowed = [one for one in candidates if not one.trouble]
    grades = {
        name: column_grades(allowed, column, ALL_COLUMNS[column].better)
        for name, column in _CRITERIA.items()
    }
    return {one.spec: {name: grades[name][one.spec] for name in grades} for one in allowed}


def _score(allowed: Sequence[Candidate], asked: SwitchedRequirements) -> None:
    total, found = sum(asked.weights.values()), machine_grades(allowed)
    for one in allowed:
        own = found[one.spec]
        parts = (weight * own[name] for name, weight in asked.weights.items())
        one.score = round(sum(parts) / total, 6)
