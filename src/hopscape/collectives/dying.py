"""What becomes of the winner of a contest where parts die under way, and what it costs.

Two ways are weighed against each other each time: to send what is missing another way, and to begin
again among the living with what has arrived; sums begin again in any case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hopscape.collectives.checked import check_schedule
from hopscape.collectives.contest import (
    Contest,
    ContestEntry,
    buffer_chunks,
    compete,
    contest_entry,
)
from hopscape.collectives.survivors import Survivors, survivors
from hopscape.collectives.under_way import Death, among_living, cumulated, patched, renumbered
from hopscape.core.errors import ArgumentError, DisconnectedError, HopscapeError, TooLargeError
from hopscape.core.faults import Faults
from hopscape.core.goal import Goal
from hopscape.core.partial_sums import PartialSums
from hopscape.core.schedule import Schedule

__all__ = ["RepairedPlan", "repair_record", "repair_under_way"]


@dataclass(frozen=True)
class RepairedPlan:
    """A schedule around what dies.

    Attributes:
        plan: As it was, with what it costs.
        entry: As it is now.
        deaths: What dies, and when.
        kept, dropped, added: Transfers from the first death on: made as planned, not made, new.
        anew: Did the living begin again, at the last death?
        anew_rounds: Rounds if they do; None where they cannot.
    """

    plan: ContestEntry
    entry: ContestEntry
    deaths: tuple[Death, ...]
    kept: int
    dropped: int
    added: int
    anew: bool
    anew_rounds: int | None

    @property
    def schedule(self) -> Schedule:
        """The repaired schedule."""
        return self.entry.schedule


def repair_under_way(
    contest: Contest,
    schedule: Schedule,
    deaths: Sequence[Death],
    left: Survivors | None = None,
    rules: Mapping[str, Any] | None = None,
    seconds: float | None = None,
) -> RepairedPlan:
    """The winner of a contest on a network some of whose parts die.

    Args:
        schedule: The winner, in the numbers of the whole network.
        left: What the contest was held on, where parts were dead before.
        rules, seconds: As in :func:`compete`, for beginning again.

    Raises:
        DisconnectedError: When the living are cut off from each other, or a chunk is lost.

    Examples:
        >>> import hopscape
        >>> contest = compete(hopscape.build("torus(4, 4)"), Goal.all_gather())
        >>> repair = repair_under_way(contest, contest.best.schedule, [Death(2, node=5)])
        >>> repair.plan.rounds, repair.entry.rounds, repair.anew_rounds, repair.anew
        (4, 5, 6, False)
    """
    whole = schedule.network
    now = plan = _entry(schedule)
    counts, anew, anew_rounds = np.zeros(3, dtype=np.int64), False, None
    for when, faults in cumulated(whole, deaths, Faults() if left is None else left.faults):
        goal = among_living(now.schedule.goal, whole, faults)
        lost = survivors(whole, sorted(faults.nodes), faults.pairs())
        repairs: list[tuple[ContestEntry, tuple[int, int, int]]] = []
        wrong: HopscapeError | None = None
        if not goal.on(whole).combines:
            try:
                patch = patched(now.schedule, goal, when, faults)
                repairs.append((_entry(patch.schedule), (patch.kept, patch.dropped, patch.added)))
            except (TooLargeError, ArgumentError) as error:
                wrong = error
        fresh = _anew(contest, now.schedule, goal, when, lost, rules, seconds)
        if fresh is not None:
            late = int((now.schedule.round >= when - 1).sum())
            new = int((fresh.schedule.round >= when - 1).sum())
            repairs.append((fresh, (0, late, new)))
            anew_rounds = fresh.rounds
        if not repairs:
            raise wrong or ArgumentError(f"nothing is left to do for {goal.kind}")
        now, steps = min(repairs, key=lambda way: _price(way[0], plan, contest))
        anew, counts = now is fresh, counts + steps
    kept, dropped, added = counts.tolist()
    return RepairedPlan(plan, now, tuple(deaths), kept, dropped, added, anew, anew_rounds)


def _entry(schedule: Schedule) -> ContestEntry:
    """A schedule, checked, with what it costs."""
    verdict = check_schedule(schedule, f"{schedule.name!r}, repaired on {schedule.network.spec},")
    return contest_entry(schedule.name, schedule, verdict)


def _price(entry: ContestEntry, plan: ContestEntry, contest: Contest) -> tuple[float, int]:
    """What repairs are ranked by."""
    return entry.cost(contest.costs, _bytes(entry, plan, contest)), entry.schedule.transfers


def _bytes(entry: ContestEntry, plan: ContestEntry, contest: Contest) -> float | None:
    """Of a node's buffer; blocks keep their bytes, dead nodes have none."""
    if contest.size is None:
        return None
    before, after = (
        buffer_chunks(one.schedule.network, replace(one.schedule.goal, chunks=1))
        for one in (plan, entry)
    )
    return contest.size * after / before


def _anew(
    contest: Contest,
    schedule: Schedule,
    goal: Goal,
    when: int,
    left: Survivors,
    rules: Mapping[str, Any] | None,
    seconds: float | None,
) -> ContestEntry | None:
    """What has arrived, and then the best that the living have; None where they cannot."""
    sums = goal.on(schedule.network).combines
    asked = {**(rules or {}), "switching": contest.model.switching}
    size = contest.size if sums else None
    if sums:
        before, after = len(schedule.goal.members(schedule.network)), len(left.left.endpoints)
        times, rest = divmod(contest.goal.chunks, before)
        sliced = goal.kind == "all-reduce" and len(goal.groups) == 1 and not rest
        goal = replace(goal, chunks=times * after if sliced else contest.goal.chunks)
    elif contest.size is not None:  # the chunks are what they are
        share = contest.size / contest.best.chunks
        per_chunk = {"beta": share, "gamma": share}
        asked |= {name: cost * per_chunk.get(name, 1) for name, cost in contest.costs.items()}
        asked["packing"] = contest.model.packing
    try:
        inside = left.inside(goal)
        living = tuple(left.left.endpoints.tolist())
        if inside.groups == (living,):
            inside = inside.everywhere()
        best = compete(
            left.left, inside, asked, size=size, seconds=seconds, left=left
        ).best.schedule
        told = left.told(best)
    except DisconnectedError:
        raise
    except HopscapeError:
        return None
    return _entry(_after(schedule, told.under(schedule.model), when - 1, sums))


def _after(schedule: Schedule, told: Schedule, first: int, sums: bool) -> Schedule:
    """What has arrived before a round, and a schedule that begins with it."""
    chunk = renumbered(schedule.goal, told.goal, schedule.network)[schedule.chunk]
    early = (schedule.round < first) & (chunk >= 0) & (not sums)
    channels = np.repeat(early, np.diff(schedule.path_start))
    lengths = [np.diff(schedule.path_start)[early], np.diff(told.path_start)]
    made = Schedule.from_columns(
        schedule.network,
        schedule.model,
        told.goal,
        round=np.concatenate([schedule.round[early], told.round + first]),
        channels=np.concatenate([schedule.channels[channels], told.channels]),
        path_start=np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int64),
        chunk=np.concatenate([chunk[early], told.chunk]),
        rounds=first + told.rounds,
        name=told.name,
    )
    return told.as_moved(made) if isinstance(told, PartialSums) else made


def repair_record(repair: RepairedPlan, contest: Contest) -> dict[str, Any]:
    """What is printed of a repair: how it was repaired, and the price."""
    record: dict[str, Any] = {
        "dies": [_named(death) for death in repair.deaths],
        "repair": "anew" if repair.anew else "patched",
        "kept": repair.kept,
        "dropped": repair.dropped,
        "added": repair.added,
        "planned_rounds": repair.plan.rounds,
        "planned_duration": repair.plan.duration,
        "anew_rounds": repair.anew_rounds,
        "duration": repair.entry.duration,
        "chunks": repair.entry.chunks,
        "bytes": None,
    }
    if contest.size is not None:
        size = _bytes(repair.entry, repair.plan, contest)
        record |= {
            "bytes": size,
            "costs_us": contest.costs,
            "time_us": repair.entry.time(contest.costs, size or 0.0),
            "bound_us": None,
            "planned_time_us": repair.plan.time(contest.costs, contest.size),
        }
    return record


def _named(death: Death) -> dict[str, Any]:
    what = {"node": death.node} if death.link is None else {"link": list(death.link)}
    return {**what, "round": death.round}
