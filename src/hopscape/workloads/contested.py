"""Schedules of the contest of collectives in a step: made for one network, all groups together.

A schedule says which transfer goes by which channels in which round. Here rounds are no barriers: a
message waits for what its source has received of its chunks in earlier rounds, and for nothing
else. Source: :mod:`hopscape.collectives.contest`, whose schedules are verified.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hopscape.collectives.contest import ContestEntry, compete
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.core.goal import Goal
from hopscape.core.network import Network
from hopscape.core.verify import transfers_that_add
from hopscape.workloads.plans import GroupPlan, Placed

__all__ = ["CONTEST", "MOST_CONTESTED", "contested"]

CONTEST = "/contest"
"""Ends the name of a plan that is a schedule of the contest."""
MOST_CONTESTED = 20_000
"""Members times channels up to which there is a contest: some seconds of a processor."""
_SECONDS = 0.5
"""Work of one search, in seconds of 10⁸ steps: there is a contest for every kind of collective."""
_ENTRIES = 3
"""Algorithms whose schedules are executed: the best by rounds need not be the best without."""
_GOALS = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all")


def contested(
    goal: str,
    size: float,
    groups: Sequence[Sequence[int]],
    network: Network,
    costs: Mapping[str, float],
    made: dict[Any, Any],
    algorithm: str | None = None,
) -> Iterator[tuple[str, list[Placed]]]:
    """Plans of groups of nodes by the best schedules of a contest, with the paths of messages.

    Args:
        made: Schedules that were made for other sizes; new ones are added.
        algorithm: Only this one, and an error where it does not serve.
    """
    if goal not in _GOALS or len(groups[0]) < 2:
        return
    rows = tuple(tuple(group) for group in groups)
    alone = len(rows) == 1 and set(rows[0]) == set(network.endpoints.tolist())
    aim = Goal(goal, groups=() if alone else rows)  # type: ignore[arg-type]
    try:
        contest = compete(
            network, aim, costs, size=size, algorithm=algorithm, seconds=_SECONDS, made=made
        )
    except HopscapeError:
        if algorithm is not None:
            raise
        return
    names: set[str] = set()
    for entry in contest.entries:
        if entry.algorithm in names or len(names) == _ENTRIES:
            continue
        placed = _placed(entry, rows)
        if placed is not None:
            names.add(entry.algorithm)
            yield entry.algorithm + CONTEST, placed
    if algorithm is not None and not names:
        raise ArgumentError(f"{algorithm} stops at nodes that are no members of a group")


def _placed(entry: ContestEntry, groups: Sequence[tuple[int, ...]]) -> list[Placed] | None:
    """The messages of a schedule, group by group; None where others take part."""
    schedule = entry.schedule
    group, seat = (np.full(schedule.network.order, -1, np.int64) for _ in range(2))
    for g, row in enumerate(groups):
        group[list(row)], seat[list(row)] = g, np.arange(len(row))
    source, target = schedule.source, schedule.target
    if (group[source] != group[target]).any() or (group[source] < 0).any():
        return None
    adds = transfers_that_add(schedule).astype(np.int64)
    starts = schedule.path_start.astype(np.int64)
    channels = schedule.channels.astype(np.int64)
    way = _ways(starts, channels)
    out = []
    for g, row in enumerate(groups):
        mine = np.flatnonzero(group[source] == g)
        columns = schedule.round[mine], seat[source[mine]], seat[target[mine]], schedule.chunk[mine]
        plan, one = GroupPlan.of(
            entry.algorithm + CONTEST,
            len(row),
            tuple(x.astype(np.int64) for x in columns),  # type: ignore[arg-type]
            1 / entry.chunks,
            adds[mine],
            way[mine],
        )
        hops = np.diff(starts)[mine[one]]
        begins = np.concatenate([[0], np.cumsum(hops)]).astype(np.int64)
        at = np.repeat(starts[mine[one]] - begins[:-1], hops) + np.arange(begins[-1])
        out.append(Placed(plan, begins, channels[at]))
    return out


def _ways(starts: IntArray, channels: IntArray) -> IntArray:
    """A number for each path: equal for equal ones."""
    known: dict[bytes, int] = {}
    flat = starts.tolist()
    paths = (channels[a:b].tobytes() for a, b in itertools.pairwise(flat))
    return np.asarray([known.setdefault(path, len(known)) for path in paths], np.int64)
