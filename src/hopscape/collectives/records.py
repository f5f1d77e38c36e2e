"""A contest under the names that scripts rely on.

Times against sizes: who wins where, and where the winner changes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from hopscape.collectives.choose import report
from hopscape.collectives.contest import Contest, ContestEntry, compete
from hopscape.collectives.executed import executed_time
from hopscape.collectives.survivors import Survivors
from hopscape.core.errors import ArgumentError
from hopscape.core.schedule import Schedule

__all__ = [
    "Crossing",
    "contest_record",
    "curve",
    "fault_record",
    "pareto",
    "read_sizes",
    "size_grid",
    "transfer_rows",
    "winners_over",
]


def contest_record(contest: Contest, sizes: tuple[int, int] | None = None) -> dict[str, Any]:
    """The best schedule, its competitors, the bound, and times for sizes.

    Args:
        sizes: The ends of a range of sizes: times over it and the sizes at which the fastest
            changes.
    """
    best = contest.best
    bound = contest.bounds[0].rounds if contest.bounds else 0
    busy = best.schedule.busiest()[0]
    network = contest.network
    ends = [int(network.tails[busy]), int(network.heads[busy])] if best.busiest else []
    record = {
        **report(best.schedule, best.verdict),
        "algorithm": best.algorithm,
        "schedule": best.schedule.name,
        "chunks": best.chunks,
        "busiest_channel": best.busiest,
        "busiest_ends": ends,
        "duration": best.duration,
        "bound": bound,
        "bound_reason": contest.bounds[0].why if contest.bounds else "",
        "gap": best.duration / bound if bound else None,
        "bytes": contest.size,
        "time_us": None,
        "bound_us": None,
        "competitors": [_row(contest, entry) for entry in contest.entries],
        "left_out": [{"algorithm": x.algorithm, "reason": x.reason} for x in contest.left_out],
        "pareto": pareto(contest),
    }
    if bound > record["lower_bound"]:  # an exact search has proved more
        record["lower_bound"] = bound
        record["lower_bounds"] = [{"rounds": b.rounds, "why": b.why} for b in contest.bounds]
    if contest.size is None:
        record["time"] = best.cost(contest.costs, None)
    else:
        least = contest.least_time(contest.size)
        record["time_us"] = best.time(contest.costs, contest.size)
        record["bound_us"] = least
        share = contest.size / best.chunks
        record["executed_us"] = executed_time(best.schedule, contest.costs, share)
        record["executed_bound_us"] = contest.least_executed(contest.size)
        record["gap"] = record["time_us"] / least if least else None
        record["costs_us"] = contest.costs
    if sizes is not None and sizes[0] < sizes[1]:
        record |= _over_sizes(contest, *sizes)
    return record


def fault_record(
    contest: Contest,
    left: Survivors,
    dead_nodes: Sequence[int],
    dead_links: Sequence[tuple[int, int]],
    *,
    asked: Mapping[str, Any] | None = None,
    seconds: float | None = None,
) -> dict[str, Any]:
    """What a contest on what is left adds: what is dead, and the price against the whole network.

    Args:
        left: Where the contest was held: what :func:`survivors` leaves without the dead parts.
        asked, seconds: As in :func:`compete`, for the contest on the whole network.
    """
    inside, best = contest.goal, contest.best
    outside = left.outside(inside)
    record: dict[str, Any] = {
        "spec": left.whole.spec,
        "goal": left.outside(best.schedule.goal).to_dict(),
        "dead_nodes": list(dead_nodes),
        "dead_links": [list(link) for link in dead_links],
        "busiest_ends": [],
    }
    channel = best.schedule.channels
    if len(channel):
        busy = int(left.channels[int(np.bincount(channel).argmax())])
        record["busiest_ends"] = [int(left.whole.tails[busy]), int(left.whole.heads[busy])]
    if inside.kind != "permutation":
        everywhere = outside if inside.groups else outside.everywhere()
        healthy = compete(left.whole, everywhere, asked, size=contest.size, seconds=seconds).best
        record["healthy_rounds"] = healthy.rounds
        if contest.size is not None:
            record["healthy_time_us"] = healthy.time(contest.costs, contest.size)
    return record


def pareto(contest: Contest) -> list[dict[str, Any]]:
    """The entries that no other beats in both rounds and load, by rising rounds.

    The first is the best for short data, the last the best for long data. The load is what the
    busiest channels of all rounds carry, in buffers of a node.

    Examples:
        >>> import hopscape
        >>> from hopscape.collectives.contest import compete
        >>> contest = compete(hopscape.build("torus(4, 4)"), hopscape.Goal.all_gather(), size=10**6)
        >>> steps = pareto(contest)
        >>> steps[0]["rounds"], steps[-1]["load"] < steps[0]["load"]
        (2, True)
    """
    rows: list[dict[str, Any]] = []
    loads = {
        id(entry): entry.verdict.details.get("sizes", 0) / entry.chunks for entry in contest.entries
    }
    for entry in sorted(contest.entries, key=lambda one: (one.rounds, loads[id(one)])):
        load = loads[id(entry)]
        if entry.verdict and (not rows or load < rows[-1]["load"] * (1 - 1e-9)):
            rows.append(
                {
                    "algorithm": entry.algorithm,
                    "chunks": entry.chunks,
                    "rounds": entry.rounds,
                    "load": load,
                }
            )
    return rows


def _row(contest: Contest, entry: ContestEntry) -> dict[str, Any]:
    bound = contest.bounds[0].rounds if contest.bounds else 0
    row: dict[str, Any] = {
        "algorithm": entry.algorithm,
        "rounds": entry.rounds,
        "duration": entry.duration,
        "chunks": entry.chunks,
        "messages": entry.verdict.details.get("messages"),
        "busiest_channel": entry.busiest,
        "time_us": None,
        "gap": entry.duration / bound if bound else None,
    }
    if contest.size is not None:
        row["time_us"] = entry.time(contest.costs, contest.size)
        least = contest.least_time(contest.size)
        row["gap"] = row["time_us"] / least if least else None
    return row


def _over_sizes(contest: Contest, low: int, high: int) -> dict[str, Any]:
    held = [contest.at(size) for size in size_grid(low, high)]
    changes = winners_over(held)
    return {
        "bytes_range": [low, high],
        "fastest_at_least": held[0].best.algorithm,
        "crossovers": [
            {
                "bytes": change.size,
                "before": change.before.algorithm,
                "after": change.after.algorithm,
                "before_chunks": change.before.chunks,
                "after_chunks": change.after.chunks,
            }
            for change in changes
        ],
        "curve": curve(held),
    }


def transfer_rows(schedule: Schedule) -> list[dict[str, Any]]:
    """One row per transfer: its round from 1, ends, chunk and the nodes of its path.

    Examples:
        >>> import hopscape
        >>> from hopscape.collectives.generic import broadcast
        >>> transfer_rows(broadcast(hopscape.build("path(3)"), 0))[1]
        {'round': 2, 'source': 1, 'target': 2, 'chunk': 0, 'hops': 1, 'path': [1, 2]}
    """
    heads = schedule.network.heads[schedule.channels]
    starts = schedule.path_start.tolist()
    columns = (schedule.round + 1, schedule.source, schedule.target, schedule.chunk)
    rows = []
    for i, (when, u, v, c) in enumerate(zip(*(x.tolist() for x in columns), strict=True)):
        path = [u, *heads[starts[i] : starts[i + 1]].tolist()]
        rows.append(
            {
                "round": when,
                "source": u,
                "target": v,
                "chunk": c,
                "hops": len(path) - 1,
                "path": path,
            }
        )
    return rows


_UNITS = {
    "": 1,
    "K": 10**3,
    "M": 10**6,
    "G": 10**9,
    "T": 10**12,
    "KI": 2**10,
    "MI": 2**20,
    "GI": 2**30,
    "TI": 2**40,
}
_MOST = 10**18
_POINTS = 25


def read_sizes(text: str) -> tuple[int, int]:
    """A size such as ``64KB``, or a range such as ``1KB:1GB``: its ends.

    Examples:
        >>> read_sizes("64KB"), read_sizes("1KiB:1GB")
        ((64000, 64000), (1024, 1000000000))
    """
    words = text.split(":")
    if len(words) > 2:
        raise ArgumentError(f"bytes is {text!r}; write a size such as 64KB, or a range 1KB:1GB")
    sizes = [_size(word, text) for word in words]
    if sizes[0] > sizes[-1]:
        raise ArgumentError(f"bytes is {text!r}; a range must rise")
    return sizes[0], sizes[-1]


def _size(word: str, text: str) -> int:
    match = re.fullmatch(r"\s*(\d{1,18}(?:\.\d{1,6})?)\s*([KMGT]?I?)B?\s*", word, re.IGNORECASE)
    unit = None if match is None else _UNITS.get(match[2].upper())
    if match is None or unit is None:
        raise ArgumentError(f"bytes is {text!r}; write a size such as 64KB, or a range 1KB:1GB")
    size = round(float(match[1]) * unit)
    if not 1 <= size <= _MOST:
        raise ArgumentError(f"bytes is {text!r}; it must be from 1 to 10^18 bytes")
    return size


def size_grid(low: float, high: float) -> list[float]:
    """Whole sizes between the two ends, about equally far apart by their logarithm."""
    if low == high:
        return [low]
    return [float(round(size)) for size in np.geomspace(low, high, _POINTS).tolist()]


@dataclass(frozen=True)
class Crossing:
    """From this size on another entry is the fastest."""

    size: float
    before: ContestEntry
    after: ContestEntry


def winners_over(held: Sequence[Contest]) -> list[Crossing]:
    """Where the winner changes between contests of rising sizes: where their times are equal."""
    out: list[Crossing] = []
    for one, two in pairwise(held):
        before, after = one.best, two.best
        if (before.algorithm, before.chunks) == (after.algorithm, after.chunks):
            continue
        low, high = float(one.size or 0), float(two.size or 0)
        (still, each), (later, less) = before.line(one.costs), after.line(one.costs)
        meet = (later - still) / (each - less) if each != less else low
        out.append(Crossing(min(max(meet, low), high), before, after))
    return out


def curve(held: Sequence[Contest]) -> list[dict[str, object]]:
    """The fastest entry of contests for several sizes, with its time and the bound."""
    rows: list[dict[str, object]] = []
    for contest in held:
        assert contest.size is not None
        entry, least = contest.best, contest.least_time(contest.size)
        time = entry.time(contest.costs, contest.size)
        rows.append(
            {
                "bytes": round(contest.size),
                "algorithm": entry.algorithm,
                "rounds": entry.rounds,
                "chunks": entry.chunks,
                "time_us": time,
                "bound_us": least,
                "gap": time / least if least else None,
            }
        )
    return rows
