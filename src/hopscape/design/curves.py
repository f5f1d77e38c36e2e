"""Load-latency curves of the finalists, by flit-level simulation."""

from __future__ import annotations

from typing import Any

from hopscape.core.errors import HopscapeError
from hopscape.design.designer import Design
from hopscape.store import Store

__all__ = ["simulate_finalists"]

_SHARES = (0.1, 0.3, 0.5, 0.7, 0.8, 0.9)
_LANES = 16
_LOOKS = 8


def simulate_finalists(
    found: Design,
    *,
    count: int = 3,
    cycles: int = 2000,
    workers: int = 2,
    table: Store | None = None,
) -> list[dict[str, Any]]:
    """Simulate the first of the ranking under uniform traffic, up to their ideal throughput.

    A candidate whose routes the simulator cannot make free of deadlock is left out with a note.

    Args:
        found: Gets the points as `curve_points`.
        count: How many candidates.
        cycles, workers: Cycles measured at every point; points side by side.
        table: Keeps the points; those that are there are not simulated again.

    Returns:
        list of dict: The points, as ``hopscape simulate`` prints them.
    """
    from hopscape.simulate.jobs import Job
    from hopscape.simulate.settings import Settings
    from hopscape.simulate.sweep import simulate

    rows: list[dict[str, Any]] = []
    asked, column = found.requirements, found.presentation.simulated
    settings = Settings(vcs=asked.vcs or _LANES, concentration=asked.conditions.endpoints)
    allowed = [one for one in found.candidates if not one.trouble and one.value(column)]
    done = 0
    for one in allowed[:_LOOKS]:
        top = min(1.0, float(one.value(column)))
        seed = asked.conditions.seed
        jobs = [
            Job(one.spec, "uniform", round(share * top, 4), settings, seed=seed, cycles=cycles)
            for share in _SHARES
        ]
        try:
            rows += simulate(jobs, workers=workers, resume=table)
            done += 1
        except HopscapeError as error:
            found.notes.append(f"{one.spec} was not simulated: {error}")
        if done == count:
            break
    found.curve_points = rows
    if rows:
        found.notes.append(
            f"Simulated flit by flit under uniform traffic with {settings.vcs} virtual channels and"
            " one injection line per endpoint."
        )
    return rows
