"""The best checked schedule for a goal: the family's own algorithms and the generic one compete."""

from __future__ import annotations

from dataclasses import dataclass

from hopscape.collectives.choose import GENERIC, named_algorithms, run_algorithm
from hopscape.core.errors import DisconnectedError, HopscapeError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.core.verify import verify

__all__ = ["ALL_PORT", "ONE_PORT", "VerifiedSchedule", "best_schedule"]

ONE_PORT = Model(ports=1)
ALL_PORT = Model()

_SEARCHES = ("flow", "forest")
"""Algorithms that take minutes on some hundred endpoints, too long for one column of a ranking."""
_SEARCHED_ENDPOINTS = 300


@dataclass(frozen=True)
class VerifiedSchedule:
    """A schedule that was verified under its model.

    Attributes:
        algorithm: Its name: 'generic', or one of the family's own.
    """

    schedule: Schedule
    algorithm: str

    @property
    def rounds(self) -> int:
        """Rounds of the schedule."""
        return self.schedule.rounds


def best_schedule(
    network: Network, goal: Goal, model: Model, least: int = 0
) -> VerifiedSchedule | None:
    """The schedule of fewest rounds that holds under a model; None when no algorithm gives one.

    Args:
        model: Every schedule is verified under it, whatever model an algorithm had in mind.
        least: A lower bound on the rounds: no need to go on once it is reached.

    Raises:
        DisconnectedError: When some node cannot be reached.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("folded(complete(8), 2)")
        >>> found = best_schedule(net, Goal.all_gather(), ALL_PORT)
        >>> found.algorithm, found.rounds
        ('translations', 5)
    """
    few = network.endpoint_count <= _SEARCHED_ENDPOINTS
    names = [
        one.name
        for one in named_algorithms(network, goal)
        if one.serves.allows(model) and (few or one.name not in _SEARCHES)
    ]
    best: VerifiedSchedule | None = None
    for name in [*names, GENERIC]:
        if best is not None and best.rounds <= least:
            break
        try:
            schedule = run_algorithm(network, goal, name, model)
        except DisconnectedError:
            raise
        except HopscapeError:
            continue  # the algorithm is for another model, or too large
        shorter = best is None or schedule.rounds < best.rounds
        if shorter and verify(schedule, model=model):
            best = VerifiedSchedule(schedule, name)
    return best
