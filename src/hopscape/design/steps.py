"""How long one step of a job takes on the machines of a ranking, and what a dead switch costs.

The machines that are timed differ in price and in the share of the line rate that they carry: a
job may be as fast on a cheaper one. Of each kind of switch the busiest one is taken out; where it
takes endpoints with it and none are spare, the job goes on with fewer replicas of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.core.measured import Measured
from hopscape.core.network import Network
from hopscape.design.candidates import Candidate
from hopscape.design.names import called
from hopscape.design.question import SWITCHED_CRITERIA, Criterion
from hopscape.design.switched_requirements import SwitchedRequirements
from hopscape.registry import build, spec_files
from hopscape.store import Task
from hopscape.store.records import digest
from hopscape.workloads import ModelJob, Step, Timeline, Workload, live_endpoints, read_job, step

__all__ = [
    "FINALISTS",
    "JobRequirements",
    "best_timeline",
    "finalists",
    "step_words",
    "time_machine",
    "time_machines",
]

FINALISTS = 10
"""Machines that are timed: ten of 1,024 endpoints in some minutes."""
_PARTS = 100_000
"""Of the largest piece of a step that is executed: a tenth of what ``hopscape step`` executes."""
_KINDS = 3
"""Kinds of switches of which one is taken out."""
_SHARES = (1.0, 0.5, 0.25, 0.0)
"""Shares of the line rate under uniform traffic, of each of which some machines are timed."""
_LEAST = 0.25
"""Share of the line rate that machines have unless one is asked for: the job decides."""


@dataclass(frozen=True)
class JobRequirements(SwitchedRequirements):
    """What is asked of a switched machine that is judged by one step of a job.

    Attributes:
        job: A TOML file, or a folder of Chakra traces.
        throughput: A quarter of the line rate unless more is asked for: the step decides.
    """

    criteria: ClassVar[Mapping[str, Criterion]] = dict(SWITCHED_CRITERIA) | {
        one.name: one
        for one in (
            Criterion("step", ("step",), "time of one step of the job"),
            Criterion("step-cost", ("step_cost",), "time of a step times the cost of the machine"),
            Criterion("faults", ("step_loss",), "what is lost when a switch dies"),
        )
    }
    default_weights: ClassVar[Mapping[str, float]] = {"step-cost": 1.0}

    throughput: float = _LEAST
    job: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        ranks = _ranks(read_job(self.job))
        if ranks > self.endpoints:
            raise ArgumentError(
                f"{self.job} has {ranks:,} ranks; --endpoints is {self.endpoints:,}, take at least"
                f" {ranks}"
            )

    @property
    def by_cost(self) -> SwitchedRequirements:
        """The same question, judged by cost alone: how the machines that are timed are found."""
        return replace(self, weights={"cost": 1.0})

    def words(self) -> str:
        return f"{super().words()[:-1]}; judged by one step of {read_job(self.job).name}."

    def command(self) -> str:
        usual = super().command()
        return f"{usual} --job {self.job}"

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"job": self.job}


def _ranks(job: ModelJob | Workload) -> int:
    return job.split.ranks if isinstance(job, ModelJob) else job.ranks


def finalists(ranked: Sequence[Candidate], count: int = FINALISTS) -> list[Candidate]:
    """Machines that differ: of each share of the line rate the cheapest of other kinds.

    Args:
        ranked: The best first; those that break a demand are left out.
    """
    rows = [_cheapest(ranked, least, most) for most, least in _bands()]
    out: dict[str, Candidate] = {}
    for i in range(count):
        for row in rows:
            if i < len(row) and len(out) < count:
                out.setdefault(row[i].spec, row[i])
    return list(out.values())


def _bands() -> Iterator[tuple[float, float]]:
    yield float("inf"), _SHARES[0]
    yield from pairwise(_SHARES)


def _cheapest(ranked: Sequence[Candidate], least: float, most: float) -> list[Candidate]:
    """The cheapest of each family within a band of shares, the cheapest first."""
    out: dict[tuple[str, float], Candidate] = {}
    allowed = [one for one in ranked if not one.trouble and not one.equals]
    for one in sorted(allowed, key=lambda one: float(one.value("money"))):
        share = float(one.value("line_throughput") or 0.0) + 1e-9
        if least <= share < most:
            out.setdefault((one.family, round(float(one.value("money")), 2)), one)
    first: dict[str, Candidate] = {}
    for (family, _), one in out.items():
        first.setdefault(family, one)
    return list(first.values())


Run = Callable[..., Iterator[tuple[Task, Any]]]


def time_machines(chosen: Sequence[Candidate], question: JobRequirements, run: Run) -> None:
    """Put what a step takes into the figures of machines.

    Args:
        run: What runs tasks: :func:`hopscape.store.run_tasks` with its store and its workers.
    """
    rate = question.price_list.rate
    tasks = [
        Task(
            digest("step", [one.spec, rate], [question.job, *spec_files(one.spec)]),
            (one.spec, question.job, rate),
            about=one.spec,
        )
        for one in chosen
    ]
    by_spec = {one.spec: one for one in chosen}
    for task, record in run(tasks, time_machine, text=f"a step on {len(chosen)} machines"):
        one = by_spec[task.arguments[0]]
        one.figures |= _figures(record, float(one.value("money")))


def _figures(record: dict[str, Any] | str, money: float) -> dict[str, Measured[Any]]:
    if isinstance(record, str):
        none: Measured[Any] = Measured(None, "unknown", record)
        return dict.fromkeys(("step", "step_bound", "step_cost", "step_loss"), none)
    seconds, least = record["step_s"], record["at_least_s"]
    spent = Measured(seconds, "bound", record["note"], low=least, high=seconds)
    loss: Measured[Any] = Measured(None, "unknown", record["lost"])
    if record["loss"] is not None:
        loss = Measured(record["loss"], "sampled", record["lost"])
    return {
        "step": spent,
        "step_bound": Measured(least, "bound", record["bound"], low=least),
        "step_cost": spent.mapped(lambda x: x * money / 1e3),
        "step_loss": loss,
    }


def step_words(ranked: Sequence[Candidate], question: JobRequirements) -> list[str]:
    """What a step takes on the first, on the fastest and on the cheapest machine."""
    timed = [one for one in ranked if one.value("step") is not None]
    if not timed:
        return []
    best = timed[0]
    seconds, money = float(best.value("step")), float(best.value("money"))
    words = [
        f"One step of {read_job(question.job).name} takes {seconds:.4g} s on"
        f" {called(best, article=True)}; no execution there takes less than"
        f" {float(best.value('step_bound')):.4g} s."
    ]
    others = (
        ("fastest", min(timed, key=lambda one: float(one.value("step")))),
        ("cheapest", min(timed, key=lambda one: float(one.value("money")))),
    )
    for what, one in others:
        if one is not best:
            more = 100 * (float(one.value("step")) / seconds - 1)
            dearer = 100 * (float(one.value("money")) / money - 1)
            words.append(
                f"The {what}, {called(one, article=True)}: {more:+.1f} % in time,"
                f" {dearer:+.1f} % in cost."
            )
    if best.value("step_loss") is not None:
        loss = 100 * float(best.value("step_loss"))
        words.append(f"When a switch dies it does {loss:.1f} % less in a second.")
    return words


def best_timeline(question: Any, spec: str) -> Timeline | None:
    """What is executed in a step on a machine; None where no job was asked for, or it never ends.

    The piece that is executed: a few layers and micro-batches of a long step.
    """
    if not isinstance(question, JobRequirements):
        return None
    costs = {"beta": 8e-3 / question.price_list.rate}
    timeline = step(question.job, spec, costs=costs, most_parts=_PARTS, prove=False)
    return timeline.timeline if timeline.verdict else None


def time_machine(spec: str, job: str, rate: float) -> dict[str, Any] | str:
    """One task of a worker: a step on a machine, and on what is left of it; or why not."""
    try:
        network, made = build(spec), read_job(job)
        costs = {"beta": 8e-3 / rate}
        timeline = step(made, network, costs=costs, most_parts=_PARTS)
        if timeline.seconds is None:
            return timeline.verdict.reason
        loss, words = _loss(made, network, timeline, costs)
    except HopscapeError as error:
        return str(error)
    return {
        "step_s": timeline.seconds,
        "at_least_s": timeline.bound.seconds,
        "bound": timeline.bound.reason,
        "note": timeline.repeated,
        "loss": loss,
        "lost": words,
    }


def _loss(
    job: ModelJob | Workload, network: Network, found: Step, costs: dict[str, float]
) -> tuple[float | None, str]:
    """The largest part of the work done in a second that a dead switch costs; and which."""
    worst, words = 0.0, "no switch that may die"
    for switch in _switches(network, found):
        left = live_endpoints(network, [switch])
        other = _shrunk(job, len(left))
        if other is None:
            return 1.0, f"without switch {switch} {len(left):,} endpoints are left, too few"
        made = step(other, network, costs=costs, most_parts=_PARTS, dead_nodes=[switch])
        if made.seconds is None or not found.seconds:
            return None, made.verdict.reason
        work = _work(other) / _work(job)
        loss = max(0.0, 1 - work * found.seconds / made.seconds)
        if loss >= worst:
            fewer = _ranks(job) - _ranks(other)
            worst, words = loss, f"without switch {switch}: {made.seconds:.4g} s"
            words += f", {fewer} ranks fewer" if fewer else ""
    return worst, f"{words}; of each kind of switch the busiest one was taken out"


def _switches(network: Network, found: Step) -> list[int]:
    """The busiest switch of each kind: so many endpoints, so many other links."""
    ends = np.zeros(network.order, bool)
    ends[network.endpoints] = True
    hosts = np.bincount(network.tails, ends[network.heads], minlength=network.order)
    load = np.bincount(network.tails, found.busy, minlength=network.order)
    kinds: dict[tuple[int, int], int] = {}
    for switch in np.flatnonzero(~ends).tolist():
        kind = int(hosts[switch]), int(network.degrees[switch])
        if kind not in kinds or load[switch] > load[kinds[kind]]:
            kinds[kind] = switch
    return sorted(kinds.values(), key=lambda switch: -load[switch])[:_KINDS]


def _work(job: ModelJob | Workload) -> float:
    return float(job.split.batch) if isinstance(job, ModelJob) else 1.0


def _shrunk(job: ModelJob | Workload, endpoints: int) -> ModelJob | Workload | None:
    """The job on so many endpoints: with fewer replicas and a smaller batch, if need be."""
    if _ranks(job) <= endpoints:
        return job
    if isinstance(job, Workload):
        return None
    split = job.split
    replicas = endpoints // (split.ranks // split.dp)
    replicas -= replicas % split.ep
    if replicas < 1:
        return None
    return replace(job, split=replace(split, dp=replicas, batch=split.batch // split.dp * replicas))
