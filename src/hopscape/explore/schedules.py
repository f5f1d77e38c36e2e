"""Schedules for the page: rounds of transfers over channels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hopscape.core.errors import ArgumentError, HopscapeError, TooLargeError
from hopscape.core.goal import Goal
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.explore.links import Links
from hopscape.explore.packing import pack

__all__ = ["SCHEDULES", "schedule_data", "schedules_data", "usual_schedules"]

_MOST_TRANSFERS = 300_000
_SECONDS = 30.0

SCHEDULES: dict[str, tuple[str, dict[str, Any]]] = {
    "broadcast": ("broadcast", {}),
    "circuit": ("broadcast", {"switching": "circuit"}),
    "one-port": ("broadcast", {"ports": 1}),
    "reduce": ("reduce", {}),
    "scatter": ("scatter", {}),
    "gather": ("gather", {}),
    "all-gather": ("all-gather", {}),
    "half-duplex": ("all-gather", {"duplex": "half"}),
    "reduce-scatter": ("reduce-scatter", {}),
    "all-reduce": ("all-reduce", {}),
    "all-to-all": ("all-to-all", {}),
}
"""What ``--schedules`` takes: the goal, and the rules of the model that are asked for."""
_ROOTED = ("broadcast", "reduce", "scatter", "gather")


def usual_schedules(network: Network) -> tuple[str, ...]:
    """The schedules that a page has when none is asked for."""
    ends = network.endpoint_count
    if ends < 2 or network.order > 2000:
        return ()
    if ends > 128:
        return ("broadcast",)
    return ("broadcast", "circuit", "all-gather", "half-duplex", "all-reduce")


def schedules_data(
    network: Network, links: Links, names: Sequence[str], *, usual: bool = False
) -> tuple[list[dict[str, Any]], list[str]]:
    """The best schedule for each name, verified, and notes on what there is none of.

    Raises:
        ArgumentError: For an unknown name; unless `usual`, also where no algorithm serves.
        TooLargeError: Unless `usual`, when a schedule has more transfers than a page can hold.
    """
    out, notes = [], []
    for name in names:
        try:
            out.append(_best(network, links, name))
        except HopscapeError as error:
            if not usual:
                raise
            notes.append(f"No {name} schedule: {str(error).splitlines()[0][:300]}")
    return out, notes


def _best(network: Network, links: Links, name: str) -> dict[str, Any]:
    from hopscape.collectives.contest import compete

    if name not in SCHEDULES:
        raise ArgumentError(f"schedule {name!r} is unknown; choose {', '.join(SCHEDULES)}")
    kind, asked = SCHEDULES[name]
    if network.endpoint_count < 2:
        raise ArgumentError(f"{network.spec} has fewer than 2 endpoints: nothing to schedule")
    pairs = network.endpoint_count**2
    if kind not in _ROOTED and pairs > _MOST_TRANSFERS:
        raise TooLargeError(
            f"{kind} among {network.endpoint_count:,} endpoints has about {pairs:,} transfers;"
            f" the page plays up to {_MOST_TRANSFERS:,} (broadcast has fewer)"
        )
    root = int(network.endpoints[0]) if kind in _ROOTED else None
    goal = Goal(kind, root)  # type: ignore[arg-type]
    contest = compete(network, goal, asked, seconds=_SECONDS)
    best = contest.best
    bound = contest.bounds[0] if contest.bounds else None
    data = schedule_data(best.schedule, links, name)
    data["bound"] = bound.rounds if bound else 0
    data["why"] = bound.why if bound else ""
    data["verdict"] = "holds" if best.verdict else best.verdict.reason
    data["words"] = f"{goal.describe()}, algorithm {best.algorithm}"
    return data


def schedule_data(schedule: Schedule, links: Links, name: str = "") -> dict[str, Any]:
    """A schedule for the page.

    ``starts`` (first transfer of each round), ``hops`` (channels of each transfer), ``channels``
    (of all transfers, as the page numbers them) and ``chunks`` are packed.

    Raises:
        TooLargeError: When it has more transfers than a page can hold.
    """
    if schedule.transfers > _MOST_TRANSFERS:
        raise TooLargeError(
            f"{schedule.name} has {schedule.transfers:,} transfers;"
            f" the page plays up to {_MOST_TRANSFERS:,}"
        )
    goal = schedule.goal
    known = np.asarray(schedule.channels) if len(schedule.channels) else np.zeros(0, np.int64)
    return {
        "name": name or schedule.name,
        "title": f"{name or goal.kind}: {schedule.name}",
        "words": goal.describe(),
        "model": schedule.model.describe(),
        "kind": goal.kind,
        "root": -1 if goal.root is None else int(goal.root),
        "rounds": schedule.rounds,
        "transfers": schedule.transfers,
        "bound": 0,
        "why": "",
        "verdict": "",
        "starts": pack(schedule.round_start),
        "hops": pack(np.diff(schedule.path_start)),
        "channels": pack(links.channel[known]),
        "chunks": pack(schedule.chunk),
    }
