"""Many points: on threads (the kernels hold no lock), on a Dask cluster, resumed from a file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from hopscape.core.addresses import MixedRadix
from hopscape.core.errors import ArgumentError
from hopscape.deadlock.classes import Method, certify, single_class
from hopscape.deadlock.layering import find_layers
from hopscape.deadlock.tables import routing_table
from hopscape.registry import build, spec_files
from hopscape.simulate.booksim import BookSimJob
from hopscape.simulate.delays import channel_delays
from hopscape.simulate.fabric import Plant, build_plant
from hopscape.simulate.faults import plan_epochs, read_faults
from hopscape.simulate.measurement import run_point
from hopscape.simulate.sampling import run_samples
from hopscape.simulate.settings import Settings
from hopscape.simulate.traffic import (
    Traffic,
    make_traffic,
    read_matrix,
    read_trace,
    worst_permutation,
)
from hopscape.store import Store, Task, digest, file_digest, run_tasks

_LAYERS = 8
_MOST_LOADS = 100_000

__all__ = [
    "Job",
    "certificate_record",
    "fault_records",
    "parse_loads",
    "plant_of",
    "run_booksim",
    "run_jobs",
    "traffic_for",
]

_TRAFFIC_FILES = (".csv", ".trace")


@dataclass(frozen=True)
class Job:
    """Everything that decides one point: what is needed to run it again.

    Attributes
    ----------
    spec, traffic : str
    load : float
    settings : Settings
    router : {'auto', 'closed', 'table', 'updown'} or one of the family's own
    seed : int
    warmup : int or None
    cycles : int
    unsafe : bool
        Simulate even where the routing may deadlock.
    on_off : (float, float) or None
    latency_limit : float or None
    fail_links, fail_nodes : tuple of str
        Faults, as :func:`hopscape.simulate.faults.read_faults` takes them.
    fault_routing : {'family', 'tables'}
    link_delays : tuple of (str, int)
        Cycles of classes of links (:func:`hopscape.simulate.delays.link_classes`); all others take
        the delay of the settings.
    """

    spec: str
    traffic: str
    load: float
    settings: Settings
    router: str = "auto"
    seed: int = 0
    warmup: int | None = None
    cycles: int = 10_000
    unsafe: bool = False
    on_off: tuple[float, float] | None = None
    latency_limit: float | None = None
    fail_links: tuple[str, ...] = ()
    fail_nodes: tuple[str, ...] = ()
    fault_routing: str = "family"
    link_delays: tuple[tuple[str, int], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values for a file."""
        out = dict(self.__dict__)
        out["settings"] = self.settings.to_dict()
        return out

    @property
    def key(self) -> str:
        """A digest of all that the point depends on, the content of files too."""
        files = spec_files(self.spec)
        if self.traffic.endswith(_TRAFFIC_FILES):
            files = [*files, self.traffic]
        return digest("simulate", self.to_dict(), files)


def parse_loads(text: str) -> list[float]:
    """Loads as ``0.3``, ``0.1,0.2`` or ``0.1:0.9:0.1`` (both ends, and the step).

    Examples
    --------
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


@lru_cache(maxsize=4)
def _plant(
    spec: str,
    settings: Settings,
    router: str,
    unsafe: bool,
    delays: tuple[tuple[str, int], ...],
    contents: tuple[str, ...],
) -> Plant:
    """Kept by all that decides it; the contents of files change without a change of their names."""
    network = build(spec)
    way = None if router == "auto" else network.router(router)
    links = channel_delays(network, settings.link_delay, delays)
    return build_plant(network, settings, way, unsafe=unsafe, link_delays=links)


def traffic_for(plant: Plant, text: str, seed: int) -> Traffic:
    """A traffic by name or file (``.csv``: a matrix, ``.trace``: packets)."""
    count = plant.endpoints
    if text.endswith(".csv"):
        return read_matrix(text, count)
    if text.endswith(".trace"):
        return read_trace(text, count)
    if text == "worst" and plant.chosen is not None:
        raise ArgumentError(f"the worst permutation of {plant.chosen.router} routes is not known")
    if text == "worst":
        return worst_permutation(plant.network, plant.table, plant.home)
    addresses = plant.network.addresses
    sides = addresses.sides if isinstance(addresses, MixedRadix) else None
    return make_traffic(text, count, sides, seed)


def run_job(job: Job) -> dict[str, Any]:
    """Run one point; the record carries its whole configuration."""
    plant = plant_of(job)
    traffic = traffic_for(plant, job.traffic, job.seed)
    if job.on_off is not None:
        traffic = traffic.bursty(*job.on_off)
    point = run_point(
        plant,
        traffic,
        job.load,
        seed=job.seed,
        warmup=job.warmup,
        cycles=job.cycles,
        latency_limit=job.latency_limit,
        faults=read_faults(plant.network, job.fail_links, job.fail_nodes),
        fault_routing=job.fault_routing,
    )
    return point.to_dict() | {"spec": plant.network.spec, "key": job.key}


def run_jobs(
    jobs: Sequence[Job],
    *,
    workers: int = 2,
    resume: str | Path | None = None,
    dask: str | None = None,
) -> list[dict[str, Any]]:
    """Run points side by side, in any order; records come back in the order of the jobs.

    Parameters
    ----------
    jobs : sequence of Job
    workers : int
        Threads.
    resume : path, optional
        A file of finished points (:class:`hopscape.store.Store`): what is there is not run again,
        what gets finished is added.
    dask : str, optional
        Address of a Dask scheduler; the points run on its workers.
    """
    tasks = [Task(job.key, (job,), about=f"{job.spec}, load {job.load}") for job in jobs]
    with Store(resume) as kept:
        todo = [job for job in jobs if job.key not in kept]
        if todo and dask is None:  # build once, before threads would do it side by side
            plant_of(todo[0])
        done = run_tasks(tasks, run_job, kept, threads=workers, dask=dask, text="simulation")
        return [record for _, record in done]


def plant_of(job: Job) -> Plant:
    """The network of a job, ready to run (kept for the next one like it)."""
    contents = tuple(file_digest(path) for path in spec_files(job.spec))
    return _plant(job.spec, job.settings, job.router, job.unsafe, job.link_delays, contents)


def certificate_record(spec: str, common: dict[str, Any]) -> dict[str, Any]:
    """What is known about deadlock on a network that has been simulated."""
    proof = plant_of(Job(spec, "uniform", 0.0, **common)).certificate
    return {
        "deadlock_free": proof.deadlock_free,
        "classes": proof.classes,
        "method": proof.method,
        "words": proof.words(),
    }


def fault_records(spec: str, common: dict[str, Any]) -> list[dict[str, Any]]:
    """The network after each fault: where its routes come from, and their certificate."""
    plant = plant_of(Job(spec, "uniform", 0.0, **common))
    faults = read_faults(plant.network, common["fail_links"], common["fail_nodes"])
    return [e.to_dict() for e in plan_epochs(plant, faults, common["fault_routing"])]


def run_booksim(job: BookSimJob) -> dict[str, Any]:
    """Run a BookSim configuration; ``unstable`` in the record is BookSim's own verdict."""
    import numpy as np

    network, router = build(job.spec) if job.network is None else job.network, None
    method: Method = "auto"
    if job.network is not None:  # anynet: BookSim's min goes by the lowest port
        router = routing_table(network, network.router("table"))
        few = find_layers(router, _LAYERS)
        single = certify(router, single_class(router)).deadlock_free
        method = "single" if single else "layers" if few is not None else "rising"
    delays = None if job.link_delays is None else np.asarray(job.link_delays, dtype=np.int32)
    plant = build_plant(
        network, job.settings, router, unsafe=job.unsafe, method=method, link_delays=delays
    )
    traffic = traffic_for(plant, job.traffic, job.seed)
    if job.on_off is not None:
        traffic = traffic.bursty(*job.on_off)
    point, unstable = run_samples(plant, traffic, job.load, job.sampling, seed=job.seed)
    return point.to_dict() | {"spec": network.spec, "unstable": unstable}
