"""All ways to cut a job over its ranks, each executed; the fastest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.workloads.job import ModelJob, Split
from hopscape.workloads.step import step

__all__ = ["search_parallelism", "splits_of"]

_MICRO = (1, 2, 4, 8)


def _divisors(n: int) -> list[int]:
    return [d for d in range(1, n + 1) if n % d == 0]


def splits_of(job: ModelJob) -> Iterator[ModelJob]:
    """The same job cut in other ways: as many ranks, the same batch; those that fit memory."""
    split = job.split
    ranks = split.ranks
    for tp in _divisors(ranks):
        for pp in _divisors(ranks // tp):
            dp = ranks // (tp * pp * split.cp)
            if tp * pp * split.cp * dp != ranks:
                continue
            for micro in _MICRO:
                made = _cut(job, replace(split, tp=tp, pp=pp, dp=dp, micro=micro, ep=1))
                for ep in _divisors(dp) if job.model.experts else [1]:
                    one = made and _cut(job, replace(made.split, ep=ep))
                    if one is not None:
                        yield one


def _cut(job: ModelJob, split: Split) -> ModelJob | None:
    """The job with another split; None where that does not divide or fit."""
    if split.schedule == "interleaved" and split.pp == 1:
        split = replace(split, schedule="1f1b", interleave=1)
    try:
        made = replace(job, split=split)
    except ArgumentError:
        return None
    if split.micro_batches < 1:
        return None
    need = max(sum(made.memory(stage).values()) for stage in range(split.pp))
    return made if need <= job.chip.memory or (split.ep == 1 and job.model.experts) else None


def search_parallelism(job: ModelJob, network: Network, **options: Any) -> list[dict[str, Any]]:
    """Every split that fits memory, the fastest first.

    Raises:
        ArgumentError: When none fits.
    """
    rows = []
    for one in splits_of(job):
        need = max(sum(one.memory(stage).values()) for stage in range(one.split.pp))
        if need > job.chip.memory:
            continue
        timed = step(one, network, **options)
        if timed.seconds is None:
            continue
        split = one.split
        names = ("tp", "pp", "dp", "ep", "cp", "micro")
        rows.append(
            {name: getattr(split, name) for name in names}
            | {
                "step_s": timed.seconds,
                "at_least_s": timed.bound.seconds,
                "memory_gb": need,
            }
        )
    if not rows:
        raise ArgumentError(
            f"no way to cut {job.name} over {job.split.ranks} ranks fits"
            f" {job.chip.memory:g} GB of memory"
        )
    return sorted(rows, key=lambda row: row["step_s"])
