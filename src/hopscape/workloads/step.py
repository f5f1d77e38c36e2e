"""How long one step takes on a network: executed, with a proved bound, and where the time goes.

A step repeats itself: its micro-batches are alike, and so are its layers. Where it is long, a few
of each are executed, and the rest is counted: the step grows by the same amount with every further
layer and micro-batch. Three points in each direction say how far that is true.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from hopscape.core.arrays import Floats
from hopscape.core.errors import ArgumentError, CheckFailedError, TooLargeError
from hopscape.core.model import MACHINE
from hopscape.core.network import Network
from hopscape.core.router import Router
from hopscape.core.verdict import Verdict
from hopscape.workloads.bounds import StepBound, job_bounds, workload_bounds
from hopscape.workloads.chakra import read_chakra
from hopscape.workloads.job import Chip, ModelJob, Split, read_job_file
from hopscape.workloads.plans import GroupPlan
from hopscape.workloads.timeline import Executor, Fabric, Timeline, execute
from hopscape.workloads.transformer import make_gradients, make_step, parts_of_rank
from hopscape.workloads.workload import COMPUTE, RECEIVE, Placement, Workload

__all__ = ["Step", "read_job", "search_placement", "step"]

_WHOLE = 400_000
"""Parts up to which a step is executed whole."""
_MOST_PARTS = 1_000_000
"""Parts of the largest piece that is executed, where a smaller one would do."""
_MOST_LEAST = _MOST_PARTS
"""Parts of one layer in the fewest micro-batches beyond which some replicas stand for all."""
_MOST_REPLICAS = 400_000
"""Parts of these replicas: as many as some minutes allow."""
_LEVELS = ((4, 2), (2, 1), (1, 1))
"""Layers of the least piece, and how many more the others have."""
_WINDOW = 4
"""Part of the least micro-batches by which the others have more: where messages meet others by
chance, a micro-batch takes some per cent more or less, and a single one stood for all the rest."""
_CLOSE = 1e-4
"""Second differences that count as none, against the piece."""
_SAME_SIZE = 1.01
"""Sizes for which the other order of gradients takes over plans: those of one layer and of all
differ, and so may their best plans."""
_BEHIND = "behind"
_ROUNDING = 1e-9  # of sums of floats, in another order
_COMPUTING = ("forward", "backward", "optimizer", "compute")


@dataclass(frozen=True, eq=False)
class Step:
    """One step of a job on a network.

    Attributes:
        seconds: As executed; None when it never ends.
        bounds: What no execution beats, the strongest first.
        shares: Seconds of an average rank by what it does or waits for: ``compute``, ``bubble``,
            and the exposed part of each kind of data. They add up to the step.
        busy (float64[channels]): Seconds that each channel carries data.
        repeated: Which part was executed, when it was not the whole.
        timeline: What was executed.
        memory: GB of the fullest rank, by what it holds.
        gradients: When they are summed up, where both were tried: ``at once`` while the rank
            computes on, or ``at the end``. Where parameters are shared out they cannot wait: ``at
            once``, or ``behind`` all other data.
    """

    job: ModelJob | Workload
    network: Network
    seconds: float | None
    bounds: tuple[StepBound, ...]
    shares: Mapping[str, float]
    busy: Floats
    verdict: Verdict
    timeline: Timeline
    repeated: str = ""
    memory: Mapping[str, float] = field(default_factory=dict)
    gradients: str = ""

    def __repr__(self) -> str:
        job = self.job if isinstance(self.job, Workload) else self.job.model
        name = f"{job.name} on {self.network.spec}"
        if self.seconds is None:
            return f"<Step of {name}: never ends>"
        return f"<Step of {name}: {self.seconds:.4g} s, at least {self.bound.seconds:.4g} s>"

    @property
    def bound(self) -> StepBound:
        """The strongest bound."""
        return self.bounds[0]

    def workload(self) -> Workload:
        """The whole step, in the order that was executed."""
        if isinstance(self.job, Workload):
            return self.job
        return make_step(_orders(self.job)[self.gradients])

    def _repr_svg_(self) -> str | None:
        """What was executed, as notebooks show it."""
        from hopscape.workloads.gantt import timeline_svg

        return timeline_svg(self.timeline, str(self.network.spec)) if self.verdict else None

    def record(self, links: int = 5) -> dict[str, Any]:
        """The result under the names that scripts rely on."""
        job = self.job
        ranks = job.split.ranks if isinstance(job, ModelJob) else job.ranks
        out: dict[str, Any] = {
            "network": self.network.spec,
            "job": self.job.name,
            "ranks": ranks,
            "step_s": self.seconds,
            "at_least_s": self.bound.seconds,
            "bound": self.bound.reason,
            "gap": None
            if not self.seconds
            else self.seconds / self.bound.seconds - 1
            if self.bound.seconds
            else None,
            "verdict": "ends" if self.verdict else "never ends",
            "reason": self.verdict.reason,
            "shares_s": dict(self.shares),
            "memory_gb": dict(self.memory),
            "executor": self.timeline.fabric.executor,
            "plans": [
                {"goal": goal, "bytes": size, "members": members, "for": label, "algorithm": name}
                for (goal, size, members, label), name in self.timeline.plans.items()
            ],
            "busiest": self._busiest(links),
            "repeated": self.repeated,
            "gradients": self.gradients,
        }
        if not self.verdict:
            out |= dict(self.verdict.where)
        return out

    def _busiest(self, count: int) -> list[dict[str, Any]]:
        whole = self.seconds or self.timeline.seconds
        shown = replace(self.timeline, busy=self.busy).busiest(count)
        return [row | {"share": row["busy_s"] / whole if whole else 0.0} for row in shown]


def read_job(path: str | Path) -> ModelJob | Workload:
    """A job from a TOML file, or the workload of a folder of Chakra traces.

    Raises:
        FileFormatError: With the place of what is wrong.
    """
    if Path(path).is_dir():
        return _timed(read_chakra(path), None, str(path))
    described = read_job_file(path)
    if isinstance(described, ModelJob):
        return described
    folder, chip = described
    return _timed(read_chakra(folder), chip, str(path))


def _timed(workload: Workload, chip: Chip | None, origin: str) -> Workload:
    """Seconds for what says flops only."""
    bare = (workload.kind == COMPUTE) & (workload.seconds == 0) & (workload.flops > 0)
    if chip is None:
        if bare.any():
            raise ArgumentError(
                f"{origin}: {int(bare.sum())} computations say flops and no time; a TOML file with"
                ' chakra = "FOLDER" and a [chip] says how fast they are'
            )
        return workload
    return workload.timed(1e12 * chip.tflops * chip.efficiency, 1e9 * chip.bandwidth)


def step(
    job: ModelJob | Workload | str | Path,
    network: Network | str,
    *,
    placement: Placement | None = None,
    costs: Mapping[str, float] | None = None,
    executor: Executor = "cut-through",
    splits: int | None = None,
    algorithms: Mapping[str, str | GroupPlan] | None = None,
    dead_nodes: Sequence[int] = (),
    dead_links: Sequence[tuple[int, int]] = (),
    whole: bool = False,
    router: str | Router = "auto",
    most_parts: int = _MOST_PARTS,
    prove: bool = True,
    replicas: int | None = None,
) -> Step:
    """How long one step takes: what ``hopscape step`` prints.

    Args:
        job: A job, a workload, or the name of a TOML file or of a folder of traces.
        costs: alpha, beta, gamma, delta in µs; the usual ones where they are left out.
        whole: Execute everything, however long the step is.
        router: Who decides the paths of messages: see :class:`Fabric`.
        most_parts: Of the largest piece that is executed, where a smaller one would do.
        prove: Prove bounds of a job as well; for many layers and micro-batches that takes longest.
        replicas: Of the model that are executed, where gradients wait for the end; what the others
            do until then is the same, if those that share channels are executed together. Without,
            all are, but for jobs so large that they cannot be.

    Examples:
        >>> from hopscape.workloads import Chip, ModelJob, LanguageModel, Split
        >>> model = LanguageModel(hidden=1024, layers=4, heads=8, seq=512, vocab=1000)
        >>> job = ModelJob(model, Split(batch=8, tp=2, dp=4), Chip(tflops=100))
        >>> found = step(job, "torus(2, 4)")
        >>> found.bound.seconds <= found.seconds
        True
    """
    from hopscape.registry import build

    made = read_job(job) if isinstance(job, str | Path) else job
    net = build(network) if isinstance(network, str) else network
    ranks = made.split.ranks if isinstance(made, ModelJob) else made.ranks
    places = placement or Placement.in_order(net, ranks, dead_nodes, dead_links)
    fabric = Fabric(
        net,
        places.check(net, ranks, dead_nodes),
        {**MACHINE, **(costs or {})},
        executor,
        splits,
        dict(algorithms or {}),
        tuple(dead_nodes),
        tuple(dead_links),
        router,
    )
    if isinstance(made, Workload):
        return _of_workload(made, fabric)
    return _of_job(made, fabric, whole, most_parts, prove, replicas)


def _of_workload(workload: Workload, fabric: Fabric) -> Step:
    timeline = execute(workload, fabric, keep=len(workload) <= _WHOLE)
    bounds = workload_bounds(workload, fabric, _slack(timeline))
    seconds = timeline.seconds if timeline.verdict else None
    return Step(
        workload,
        fabric.network,
        seconds,
        tuple(bounds),
        _shares(timeline) if timeline.verdict else {},
        timeline.busy,
        timeline.verdict,
        timeline,
    )


def _of_job(
    job: ModelJob, fabric: Fabric, whole: bool, most_parts: int, prove: bool, replicas: int | None
) -> Step:
    fullest = max(
        (job.memory(stage) for stage in range(job.split.pp)), key=lambda m: sum(m.values())
    )
    orders = _orders(job)
    thin = _asked(orders, fabric, whole, replicas)
    if thin is None and not whole:
        thin = _thinned(orders, fabric)
    if thin is not None:
        order, first, repeated, (seconds, shares, busy) = _by_replicas(*thin, fabric, most_parts)
    else:
        order, first, repeated, (seconds, shares, busy) = _executed(
            orders, fabric, whole, most_parts
        )
    bounds = [StepBound(0.0, "bounds were not asked for")]
    if prove:
        slack = _slack(first)
        try:
            per_plan = [job_bounds(way, fabric, slack) for way in _different(orders)]
            bounds = min(per_plan, key=lambda several: several[0].seconds)
        except TooLargeError as error:  # by repetition the step is short all the same
            bounds = [StepBound(0.0, f"nothing: {error}")]
    if repeated and first.verdict and seconds < bounds[0].seconds * (1 - _ROUNDING):
        raise CheckFailedError(
            f"by repetition ({repeated}) the step takes {seconds:.6g} s, and none takes less than"
            f" {bounds[0].seconds:.6g} s: {bounds[0].reason}; --whole (whole=True) executes all"
        )
    return Step(
        job,
        fabric.network,
        seconds if first.verdict else None,
        tuple(bounds),
        shares if first.verdict else {},
        busy,
        first.verdict,
        first,
        repeated,
        fullest,
        order,
    )


def _orders(job: ModelJob) -> dict[str, ModelJob]:
    """When gradients are summed up: as soon as they are there, or after the last way back.

    Where they may move while the rank computes, they need not: on ports that the tensor-parallel
    ranks use as well they hold up what is waited for. Where parameters are shared out, they and
    their gradients move all the time, but may let all other data go first.
    """
    split = job.split
    if split.kind != "training" or split.dp * split.cp == 1 or not job.overlap.dp:
        return {"": job}
    if split.shard == "parameters":
        return {"at once": job, _BEHIND: job}
    return {"at once": job, "at the end": replace(job, overlap=replace(job.overlap, dp=False))}


def _different(orders: Mapping[str, ModelJob]) -> list[ModelJob]:
    return list({id(job): job for job in orders.values()}.values())


Figures = tuple[float, dict[str, float], Floats]


def _executed(
    ways: Mapping[str, ModelJob], fabric: Fabric, whole: bool, most_parts: int
) -> tuple[str, Timeline, str, Figures]:
    """A step executed whole, or by repetition, in the faster order of its gradients."""
    job = next(iter(ways.values()))
    split = job.split
    layers = job.model.layers // (split.pp * split.interleave)
    micro, stride = _fewest(split)
    for low, wide in _LEVELS:
        alike = not job.model.dense  # layers of two kinds are executed all
        cuts = (alike and layers > low + 2 * wide, split.micro_batches > micro + 2 * stride)
        most = _part_of(job, low + 2 * wide if cuts[0] else layers, micro)
        if (low, wide) == _LEVELS[-1] or _part_count(most) <= most_parts:
            break
    repeats = not whole and any(cuts) and _part_count(job) > min(_WHOLE, most_parts)
    if not repeats:
        cuts = (False, False)
    made: list[tuple[float, str, _Repetition]] = []
    for order, way in ways.items():
        if order == _BEHIND and fabric.executor == "astra":
            continue  # it has one way
        like = made[0][2].first if made else None
        one = _Repetition(way, fabric, cuts, (low, wide), (micro, stride), like, order == _BEHIND)
        made.append((one.at(0, 0)[0] if one.first.verdict else np.inf, order, one))
    _, order, best = min(made, key=lambda row: row[0])
    return order, *best.result()


def _asked(
    ways: Mapping[str, ModelJob], fabric: Fabric, whole: bool, replicas: int | None
) -> tuple[str, ModelJob, int] | None:
    """The replicas that were asked for, if they may stand for all."""
    order, job = list(ways.items())[-1]
    split = job.split
    if replicas is None or replicas == split.dp:
        return None
    if replicas < 1 or split.dp % replicas or replicas % split.ep:
        raise ArgumentError(
            f"replicas is {replicas}; it must divide dp = {split.dp} and be a multiple of"
            f" ep = {split.ep}"
        )
    if whole or not _late(job) or fabric.executor == "astra":
        raise ArgumentError(
            f"replicas is {replicas}; some stand for all in a training job by repetition that does"
            " not share out its parameters, and not as ASTRA-sim executes it"
        )
    return order, job, replicas


def _late(job: ModelJob) -> bool:
    """Do replicas of the model send each other nothing before their last way back?"""
    split = job.split
    return split.kind == "training" and not job.overlap.dp and split.shard != "parameters"


def _thinned(ways: Mapping[str, ModelJob], fabric: Fabric) -> tuple[str, ModelJob, int] | None:
    """A job too large to be executed layer by layer: its order, the job, and fewer replicas."""
    order, job = list(ways.items())[-1]
    split = job.split
    least = _part_of(job, 1, _fewest(split)[0])
    if not _late(job) or fabric.executor == "astra" or _part_count(least) <= _MOST_LEAST:
        return None
    fitting = [
        d
        for d in range(2, split.dp)
        if split.dp % d == 0
        and d % split.ep == 0
        and _part_count(least) * d / split.dp <= _MOST_REPLICAS
    ]
    return (order, job, max(fitting)) if fitting else None


def _by_replicas(
    order: str, job: ModelJob, few: int, fabric: Fabric, most_parts: int
) -> tuple[str, Timeline, str, Figures]:
    """Some replicas of the model, and what more it takes to sum up the gradients of all.

    Until its last way back a replica does what the others do, and they send each other nothing.
    """
    split = job.split
    some = replace(job, split=replace(split, dp=few, batch=split.batch // split.dp * few))
    nodes = np.asarray(fabric.placement.nodes).reshape(split.pp, split.dp, -1)
    places = Placement(tuple(nodes[:, :few].ravel().tolist()))
    part = replace(fabric, placement=places)
    _, first, repeated, figures = _executed({order: some}, part, False, most_parts)
    if not first.verdict:
        return order, first, repeated, figures
    sums = execute(make_gradients(some), part), execute(make_gradients(job), fabric)
    more = sums[1].seconds - sums[0].seconds
    seconds, shares, busy = figures
    shares = shares | {"dp": shares.get("dp", 0.0) + more}
    load = busy - sums[0].busy + sums[1].busy
    words = ", ".join(filter(None, [f"{split.dp} replicas from {few}", repeated]))
    return order, first, words, (seconds + more, shares, load)


def _fewest(split: Split) -> tuple[int, int]:
    """Micro-batches of the least piece of a step, and by how many more the others have more."""
    if split.schedule == "interleaved":
        return 2 * split.pp, split.pp
    micro = split.pp + 2
    return micro, max(1, micro // _WINDOW)


def _part_count(job: ModelJob) -> int:
    """Parts of a step, roughly."""
    return job.split.ranks * parts_of_rank(job)


class _Repetition:
    """From a few layers and micro-batches to all.

    Every further micro-batch adds the same time, and so does every further layer, up to a rest that
    is said: the last of three points, and how far they are from a line.
    """

    def __init__(
        self,
        job: ModelJob,
        fabric: Fabric,
        cuts: tuple[bool, bool],
        layers: tuple[int, int],
        micro: tuple[int, int],
        like: Timeline | None = None,
        behind: bool = False,
    ) -> None:
        self.behind = ("dp",) if behind else ()
        self.job, self.fabric, self.cuts, self.layers, self.micro = job, fabric, cuts, layers, micro
        self.known: dict[tuple[int, int], Figures] = {}
        self.first = self._execute(0, 0, like)

    def _execute(self, i: int, j: int, like: Timeline | None) -> Timeline:
        """A point: so many layers and micro-batches more than the least; all, where none is cut."""
        made = self.job
        if any(self.cuts):
            split = made.split
            layers = made.model.layers // (split.pp * split.interleave)
            some = self.layers[0] + i * self.layers[1] if self.cuts[0] else layers
            micro = self.micro[0] + j * self.micro[1] if self.cuts[1] else split.micro_batches
            made = _part_of(made, some, micro)
        keep = not any(self.cuts) and _part_count(made) <= _WHOLE
        near = 4.0 if like is None or self.known else _SAME_SIZE
        work = make_step(made)
        timeline = execute(work, self.fabric, keep=keep, like=like, near=near, behind=self.behind)
        self.known[i, j] = timeline.seconds, _shares(timeline), timeline.busy
        return timeline

    def at(self, i: int, j: int) -> Floats:
        """Seconds, shares and loads at a point, in one row."""
        if (i, j) not in self.known:
            self._execute(i, j, self.first)
        seconds, shares, busy = self.known[i, j]
        return np.concatenate([[seconds], list(shares.values()), busy])

    def result(self) -> tuple[Timeline, str, Figures]:
        """The whole step."""
        first, figures = self.first, self.known[0, 0]
        if not first.verdict or not any(self.cuts):
            return first, "", figures
        split = self.job.split
        words = []
        total = self.at(2, 0) if self.cuts[0] else self.at(0, 0)
        x = y = 0.0
        if self.cuts[0]:
            layers = self.job.model.layers // (split.pp * split.interleave)
            low, wide = self.layers
            x = (layers - low) / wide
            slope = self.at(2, 0) - self.at(1, 0)
            total = total + (x - 2) * slope
            bend = (slope - self.at(1, 0) + self.at(0, 0))[0] / self.at(1, 0)[0]
            words.append(f"{layers} layers of a stage from {low} to {low + 2 * wide}{_bent(bend)}")
        if self.cuts[1]:
            low, wide = self.micro
            y = (split.micro_batches - low) / wide
            slope = self.at(0, 2) - self.at(0, 1)
            bend = (slope - self.at(0, 1) + self.at(0, 0))[0] / self.at(0, 1)[0]
            if self.cuts[0]:  # a micro-batch of more layers takes longer
                slope = slope + x / 2 * (
                    self.at(2, 1) - self.at(2, 0) - self.at(0, 1) + self.at(0, 0)
                )
            total = total + y * slope
            words.append(
                f"{split.micro_batches} micro-batches from {low} to {low + 2 * wide}{_bent(bend)}"
            )
        shares, busy = figures[1], figures[2]
        named = dict(zip(shares, total[1 : 1 + len(shares)].tolist(), strict=True))
        return first, ", ".join(words), (float(total[0]), named, total[-len(busy) :])


def _bent(bend: float) -> str:
    """How far three points are from a line, where it can be seen."""
    return f" (off a line by {100 * abs(bend):.2g} %)" if abs(bend) > _CLOSE else ""


def _part_of(job: ModelJob, layers: int, micro: int) -> ModelJob:
    """The same job with fewer layers in a stage and fewer micro-batches."""
    split = job.split
    count = layers * split.pp * split.interleave
    return replace(
        job,
        model=replace(job.model, layers=count, dense=min(job.model.dense, count)),
        split=replace(split, batch=micro * split.dp * split.micro),
    )


def _shares(found: Timeline) -> dict[str, float]:
    """Seconds of an average rank by what it does or waits for."""
    from hopscape.workloads.share_kernels import Finished, waiting_times

    workload = found.workload
    if not found.verdict or not len(workload):
        return {}
    order = np.lexsort((found.end, found.start, workload.rank)).astype(np.int64)
    first = np.searchsorted(workload.rank[order], np.arange(workload.ranks + 1)).astype(np.int64)
    joined = np.zeros(len(workload.goal))
    shared = np.flatnonzero(workload.together >= 0)
    given = shared[workload.kind[shared] != RECEIVE]
    np.maximum.at(joined, workload.together[given], found.start[given])
    labels = len(workload.labels)
    room = np.zeros((workload.ranks, labels + 1))
    run = Finished(
        order,
        first,
        (workload.kind == COMPUTE).astype(np.int64),
        workload.after_start,
        workload.after,
        found.start,
        found.end,
        workload.label,
        workload.together,
        joined,
        room,
    )
    waiting_times(run, found.seconds)
    spent = room.mean(axis=0)
    out = {"compute": 0.0, "bubble": float(spent[labels])}
    for name, value in zip(workload.labels, spent[:labels].tolist(), strict=True):
        if name in _COMPUTING:
            out["compute"] += value
        elif value or name in workload.labels:
            out[name] = value
    return out


def _slack(found: Timeline) -> float:
    """The least part of its time that a channel takes for a message: ASTRA-sim truncates to ns."""
    fabric, workload = found.fabric, found.workload
    if fabric.executor != "astra":
        return 1.0
    least = 1.0
    for operation, plan in enumerate(found.plan_of.tolist()):
        share = found.placed[plan].plan.share
        if len(share) and workload.size[operation] > 0:
            lasts = float(share.min()) * workload.size[operation] * fabric.per_byte / fabric.unit
            least = min(least, float((np.floor(lasts) / np.maximum(lasts, 1e-300)).min()))
    return least


def search_placement(
    job: ModelJob, network: Network, dead_nodes: Sequence[int] = (), **options: Any
) -> Placement:
    """The best of the orders in which the dimensions of a job can lie along the endpoints.

    Ranks that share a tensor, a sequence, the batch or a pipeline are next to each other in one of
    all orders; each is executed, the first of the shortest wins.
    """
    from itertools import permutations

    split = job.split
    lost = options.get("dead_links") or ()
    usual = np.asarray(Placement.in_order(network, split.ranks, dead_nodes, lost).nodes)
    grid = np.arange(split.ranks).reshape(split.pp, split.dp, split.cp, split.tp)
    wide = [i for i, size in enumerate(grid.shape) if size > 1]
    best: tuple[float, Placement] | None = None
    for order in permutations(wide):
        axes = [*(i for i in range(4) if i not in wide), *order]
        nodes = np.empty(split.ranks, np.int64)
        nodes[grid.transpose(axes).ravel()] = usual
        there = Placement(tuple(nodes.tolist()))
        timed = step(job, network, placement=there, dead_nodes=dead_nodes, **options)
        if timed.seconds is not None and (best is None or timed.seconds < best[0]):
            best = timed.seconds, there
    if best is None:
        raise ArgumentError(f"no placement lets the step of {job.name} end")
    return best[1]
