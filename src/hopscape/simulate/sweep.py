"""Jobs run: points of a curve, the saturation load, a schedule replayed, a BookSim file."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from hopscape.core.compile_ahead import processors
from hopscape.core.errors import ArgumentError
from hopscape.core.gpu import cupy
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.registry import build
from hopscape.simulate import measurement
from hopscape.simulate.engine_gpu import Batch
from hopscape.simulate.faults import read_faults
from hopscape.simulate.jobs import Job
from hopscape.simulate.measurement import Point, run_point
from hopscape.simulate.replay import Replay, lines_of
from hopscape.simulate.replay import replay as replay_on
from hopscape.simulate.run import PATIENCE
from hopscape.simulate.settings import Settings
from hopscape.simulate.traffic import Traffic
from hopscape.store import Store, Task, opened, run_tasks

__all__ = [
    "Saturation",
    "parse_loads",
    "replay",
    "saturation",
    "saturations",
    "simulate",
    "simulate_network",
]

_MOST_LOADS = 100_000


def parse_loads(text: str) -> list[float]:
    """Loads as ``0.3``, ``0.1,0.2`` or ``0.1:0.9:0.1`` (both ends, and the step).

    Examples:
        >>> parse_loads("0.1:0.3:0.1")
        [0.1, 0.2, 0.3]
    """
    out: list[float] = []
    for part in text.split(","):
        try:
            numbers = [float(x) for x in part.split(":")]
        except ValueError as error:
            raise ArgumentError(f"load {part!r} is not a number or LOW:HIGH:STEP") from error
        if len(numbers) == 1:
            out.append(numbers[0])
        elif len(numbers) == 3 and numbers[2] > 0 and numbers[1] >= numbers[0]:
            steps = (numbers[1] - numbers[0]) / numbers[2] + 1e-9
            if not steps < _MOST_LOADS:
                raise ArgumentError(
                    f"load {part!r} has about {steps:.3g} steps; give at most {_MOST_LOADS} loads"
                )
            out += [round(numbers[0] + i * numbers[2], 10) for i in range(int(steps) + 1)]
        else:
            raise ArgumentError(f"load {part!r} must be a number or LOW:HIGH:STEP with a step > 0")
    if not out or not all(0 <= x < math.inf for x in out) or len(out) > _MOST_LOADS:
        raise ArgumentError(f"load {text!r}: give from 1 to {_MOST_LOADS} loads of at least 0")
    return out


def run_job(job: Job, batch: Batch | None = None, threads: int = 1) -> dict[str, Any]:
    """Run one point; the record carries its whole configuration.

    Args:
        threads: How many advance the network together.
    """
    setup = job.setup()
    point = run_point(
        setup,
        job.pattern(),
        job.load,
        seed=job.seed,
        warmup=job.warmup,
        cycles=job.cycles,
        latency_limit=job.latency_limit,
        faults=read_faults(setup.network, job.fail_links, job.fail_nodes),
        fault_routing=job.fault_routing,
        batch=batch,
        threads=threads,
    )
    return point.to_dict() | {"spec": setup.network.spec, "key": job.key}


def simulate(
    jobs: Job | Sequence[Job],
    *,
    workers: int | None = None,
    resume: Store | str | Path | None = None,
    dask: str | None = None,
    device: str = "cpu",
) -> list[dict[str, Any]]:
    """Run points side by side, in any order; records come back in the order of the jobs.

    Args:
        workers: Threads, one for every processor when left out. They run points side by side; where
            they are more than points, and networks have 1,024 routers, several advance one network
            together. The records are the same for any number.
        resume: Finished points, a :class:`hopscape.store.Store` or its file: what is there is not
            run again, what gets finished is added.
        dask: Address of a Dask scheduler; the points run on its workers.
        device ({'cpu', 'gpu'}): On a graphics processor the points of a network go side by side, to
            the same records.

    Examples:
        >>> from hopscape.simulate import Job, Settings
        >>> [point] = simulate(Job("mesh(4, 4)", "uniform", 0.1, Settings(vcs=2), cycles=1000))
        >>> point["saturated"], abs(point["accepted"] - 0.1) < 0.02
        (False, True)
    """
    wanted = [jobs] if isinstance(jobs, Job) else jobs
    tasks = [
        Task(job.key, (job,), _IDLE + job.load, f"{job.spec}, load {job.load}") for job in wanted
    ]
    with opened(resume) as kept:
        todo = [job for job in wanted if job.key not in kept]
        side, threads = 1, 1
        if todo and dask is None:  # build once, before threads would do it side by side
            side, threads = _share(workers, len(todo), todo[0].setup().network.order)
        tasks.sort(key=lambda task: task.arguments[0].load, reverse=True)  # these take longest
        if device == "gpu":
            done = _on_device(tasks, kept, dask)
        else:
            work = run_job if threads == 1 else partial(run_job, threads=threads)
            done = run_tasks(tasks, work, kept, threads=side, dask=dask, text="simulation")
        records = {task.key: record for task, record in done}
        return [records[job.key] for job in wanted]


_IDLE = 0.05  # load at which moving flits takes as long as looking at endpoints without any
_LARGE = 1024  # routers from which on threads share a network: cycles take longer than meeting
_FEW = 2  # points of large networks side by side, unless more are asked for: each has its buffers


def _share(workers: int | None, points: int, routers: int) -> tuple[int, int]:
    """How many points run side by side, and how many threads advance each."""
    many = workers or processors()
    side = max(1, min(many, points))
    if routers < _LARGE:
        return side, 1
    if workers is None:
        side = min(side, _FEW)
    return side, min(many // side, 2 * routers // _LARGE)


_SIDE_BY_SIDE = 256  # points of a batch: each has a thread that measures it


def _on_device(tasks: list[Task], kept: Store, dask: str | None) -> Iterator[tuple[Task, Any]]:
    """Points on the graphics processor: those of one network and traffic together."""
    if dask is not None:
        raise ArgumentError("device is 'gpu'; the workers of a Dask scheduler compute on the CPU")
    cupy()  # whoever has none hears it before any tables are made
    known = [task for task in tasks if task.key in kept]
    yield from run_tasks(known, run_job, kept, threads=1)
    groups: list[tuple[Job, Traffic, list[Task]]] = []
    for task in tasks:
        if task.key in kept:
            continue
        job = task.arguments[0]
        for first, pattern, group in groups:
            alike = replace(first, load=job.load, seed=job.seed) == job
            if alike and len(group) < _SIDE_BY_SIDE and pattern.same_as(job.pattern()):
                group.append(task)
                break
        else:
            groups.append((job, job.pattern(), [task]))
    for first, _, group in groups:
        batch = Batch(first.setup(), len(group), PATIENCE)
        work = partial(_run_in, batch)
        yield from run_tasks(group, work, kept, threads=len(group), text="simulation")


def _run_in(batch: Batch, job: Job) -> dict[str, Any]:
    try:
        return run_job(job, batch)
    finally:
        batch.leave()


def simulate_network(
    network: Network,
    loads: Sequence[float],
    traffic: str,
    *,
    cycles: int,
    seed: int,
    **settings: Any,
) -> list[dict[str, Any]]:
    """What :meth:`hopscape.Network.simulate` shows: a record for each load."""
    router = Settings(**settings)
    return simulate(
        [Job(network.spec, traffic, load, router, cycles=cycles, seed=seed) for load in loads]
    )


@dataclass(frozen=True)
class Saturation:
    """The largest load that a network carries.

    Attributes:
        load: In flits per endpoint and cycle.
        points: What was simulated on the way, by load.
    """

    spec: str
    load: float
    points: tuple[Point, ...]

    def records(self) -> list[dict[str, Any]]:
        """The points as :func:`simulate` gives them."""
        return [point.to_dict() | {"spec": self.spec} for point in self.points]


def saturation(job: Job, *, precision: float = 0.005) -> Saturation:
    """Find the largest load that is carried, by bisection; the load of the job is not used.

    Args:
        job: Without faults: the network would be another one after each.
        precision: The answer is exact to this share of itself.

    Examples:
        >>> from hopscape.simulate import Job, Settings
        >>> job = Job("ring(8)", "tornado", 0, Settings(vcs=8), cycles=1000)
        >>> 0 < saturation(job, precision=0.1).load < 0.5
        True
    """
    return saturations([job], precision=precision, workers=1)[0]


def saturations(
    jobs: Sequence[Job],
    *,
    precision: float = 0.005,
    workers: int | None = None,
    resume: Store | str | Path | None = None,
    dask: str | None = None,
    device: str = "cpu",
    tell: Callable[[str, Point], None] | None = None,
) -> list[Saturation]:
    """The saturation loads of several networks, side by side as :func:`simulate` runs points.

    Args:
        tell: Given the spec and each point when it is known, but for those of a Dask scheduler.

    Examples:
        >>> from hopscape.simulate import Job, Settings
        >>> rings = ("ring(4)", "ring(8)")
        >>> jobs = [Job(spec, "uniform", 0, Settings(), cycles=500) for spec in rings]
        >>> short, long = saturations(jobs, precision=0.1)
        >>> short.load > long.load
        True
    """
    for job in jobs:
        require_whole(job, "the saturation load")
    side, threads = _share(1 if dask else workers, len(jobs), min(map(_routers, jobs), default=0))
    tasks = [
        Task(
            f"{job.key}-saturation-{precision}",
            (job, precision, device, threads),
            about=f"{job.spec}, saturation",
        )
        for job in (replace(job, load=0.0) for job in jobs)
    ]
    work = run_saturation if tell is None or dask else partial(run_saturation, tell=tell)
    with opened(resume) as kept:
        done = run_tasks(tasks, work, kept, threads=side, dask=dask, text="saturation")
        return [
            Saturation(found["spec"], found["load"], tuple(Point(**p) for p in found["points"]))
            for _, found in done
        ]


def _routers(job: Job) -> int:
    return build(job.spec).order


def run_saturation(
    job: Job,
    precision: float,
    device: str = "cpu",
    threads: int = 1,
    tell: Callable[[str, Point], None] | None = None,
) -> dict[str, Any]:
    """Find one saturation load; the record has the points on the way."""
    setup = job.setup()
    spec = setup.network.spec
    load, points = measurement.saturation(
        setup,
        job.pattern(),
        seed=job.seed,
        warmup=job.warmup,
        cycles=job.cycles,
        precision=precision,
        device=device,
        threads=threads,
        tell=None if tell is None else partial(tell, spec),
    )
    each = [point.to_dict() for point in points]
    return {"spec": spec, "load": load, "points": each}


def replay(job: Job, schedule: Schedule, *, flits: int = 1, barrier: bool = False) -> Replay:
    """Replay a collective schedule flit by flit, beside the traffic of the job.

    Args:
        job: Its network is that of the schedule; its load, 0 for none, is in the background. Alone,
            a schedule gets as many lines at every node as its model has ports; beside other traffic
            it shares the endpoints that there are.
        flits: Flits per transfer.
        barrier: Rounds wait for each other.

    Examples:
        >>> import hopscape
        >>> from hopscape.collectives.generic import broadcast
        >>> from hopscape.simulate import Job, Settings
        >>> schedule = broadcast(hopscape.build("ring(6)"), 0)
        >>> done = replay(Job("ring(6)", "uniform", 0.0, Settings(vcs=2)), schedule)
        >>> done.rounds, done.deadlocked
        (3, False)
    """
    require_whole(job, "a schedule")
    lines = lines_of(schedule)
    if not job.load and job.settings.concentration < lines:
        job = replace(job, settings=replace(job.settings, concentration=lines))
    return replay_on(
        job.setup(),
        schedule,
        flits=flits,
        barrier=barrier,
        background=job.load,
        traffic=job.pattern(),
        seed=job.seed,
    )


def require_whole(job: Job, what: str) -> None:
    if job.has_faults:
        raise ArgumentError(f"{what} goes with no fault; faults go with points at a load")
