"""One step of a job for the page: what every rank does and what every link carries, by moments.

A moment is a two-hundredth of what was executed. A message is taken to load the channels of its
path evenly from when it is sent until it has arrived.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.show.explore.packing import PageLinks, pack
from hopscape.workloads import ModelJob, Timeline, Workload, execute, step
from hopscape.workloads.workload import COMPUTE, LAUNCH, RECEIVE

__all__ = ["channel_moments", "rank_moments", "step_data"]

MOMENTS = 200
_PARTS = 50_000
"""Of the piece of a step that a page plays: some seconds, and some hundred kilobytes."""
_FULL = 100
"""Of a share on the page: a channel that carries data during the whole moment."""


def step_data(network: Network, links: PageLinks, job: ModelJob | Workload) -> dict[str, Any]:
    """What is executed of a step of a job on a network, to scrub through.

    ``names``: what ranks do, the first of them nothing; ``works`` and ``data`` (rank by rank within
    each moment): what the rank computes, and which data are under way for it; ``busy`` (channel of
    the page by channel within each moment): per cent of the moment; ``nodes`` of the ranks.

    Raises:
        ArgumentError: When the step never ends, or there are too few endpoints.
    """
    found = step(job, network, most_parts=_PARTS, prove=False)
    if not found.verdict or found.seconds is None:
        raise ArgumentError(f"there is no step to show: {found.verdict.reason}")
    made = found.timeline
    if not len(made.sent):
        made = execute(made.workload, made.fabric, keep=True, like=made)
    work = made.workload
    busy = np.zeros((MOMENTS, 2 * len(links.tails)))
    busy[:, links.channel] = channel_moments(made, MOMENTS)
    works, data = (rank_moments(made, MOMENTS, computes) for computes in (True, False))
    part = f"; executed: a piece of {1e3 * made.seconds:.4g} ms" if found.repeated else ""
    return {
        "words": f"One step of {work.name or 'the traces'}: {found.seconds:.4g} s{part}.",
        "seconds": made.seconds,
        "moments": MOMENTS,
        "ranks": work.ranks,
        "nodes": pack(np.asarray(made.fabric.placement.nodes)),
        "names": ["", *work.labels],
        "works": pack(works),
        "data": pack(data),
        "busy": pack(np.minimum(np.rint(_FULL * busy), _FULL).astype(np.int64)),
    }


def rank_moments(found: Timeline, moments: int, computes: bool) -> IntArray:
    """What each rank does longest in each moment: 0 for nothing, else one more than the label.

    Args:
        computes: Its computations; otherwise the data that are under way for it.

    Returns:
        int64[moments, ranks]
    """
    work = found.workload
    mine = np.flatnonzero((work.kind == COMPUTE) == computes)
    mine = mine[work.kind[mine] != LAUNCH]
    low, high = found.start[mine], found.end[mine]
    low = np.where(work.kind[mine] == RECEIVE, high, low)  # a receive is posted long before
    room = np.zeros((moments, work.ranks, len(work.labels) + 1))
    room[:, :, 0] = 1e-12
    for label in range(len(work.labels)):
        these = work.label[mine] == label
        room[:, :, 1 + label] = _spread(
            (low[these], high[these], np.ones(int(these.sum()))),
            work.rank[mine[these]],
            (moments, work.ranks),
            found.seconds,
        )
    return room.argmax(axis=2)


def channel_moments(found: Timeline, moments: int) -> Floats:
    """The part of each moment in which each channel carries data.

    Returns:
        float64[moments, channels]
    """
    fabric, work = found.fabric, found.workload
    shape = (moments, fabric.network.channels)
    columns: list[tuple[Floats, ...]] = []
    for i, plan_number in enumerate(found.plan_of.tolist()):
        placed, base = found.placed[plan_number], found.message_base[i]
        count = len(placed.plan.source)
        hops = np.diff(placed.path_start)
        sent, arrived = (
            np.repeat(x[base : base + count], hops) for x in (found.sent, found.arrived)
        )
        lasts = np.repeat(placed.plan.share * work.size[i], hops) * fabric.per_byte[placed.path]
        columns.append((sent, arrived, lasts, placed.path.astype(np.float64)))
    if not columns:
        return np.zeros(shape)
    sent, arrived, lasts, path = (np.concatenate(rows) for rows in zip(*columns, strict=True))
    rate = lasts / np.maximum(arrived - sent, 1e-300)
    return _spread((sent, arrived, rate), path.astype(np.int64), shape, found.seconds)


def _spread(
    spans: tuple[Floats, Floats, Floats], where: IntArray, shape: tuple[int, int], seconds: float
) -> Floats:
    """Rates from a start to an end, as means over equal moments and columns.

    The integral up to the end of each moment: what began before adds its rate from then on.
    """
    moments, width = shape
    each = seconds / moments
    begun, slope = np.zeros((moments + 1) * width), np.zeros((moments + 1) * width)
    low, high, rate = spans
    for at, weight in ((low, rate), (high, -rate)):
        turn = np.clip(np.ceil(at / max(each, 1e-300)), 0, moments).astype(np.int64)
        place = turn * width + where
        begun += np.bincount(place, weight * (turn * each - at), minlength=len(begun))
        slope += np.bincount(place, weight, minlength=len(slope))
    rising = np.cumsum(slope.reshape(-1, width), axis=0)
    total = np.cumsum(begun.reshape(-1, width), axis=0)
    total[1:] += each * np.cumsum(rising[:-1], axis=0)
    means: Floats = np.diff(total, axis=0) / max(each, 1e-300)
    return np.maximum(means, 0.0)
