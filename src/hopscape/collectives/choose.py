"""Which algorithms there are for a goal on a network, and running one by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hopscape.collectives.bounds import lower_bounds
from hopscape.collectives.generic import make_schedule
from hopscape.collectives.orbits import (
    symmetric_all_gather,
    symmetric_all_reduce,
    symmetric_all_to_all,
)
from hopscape.collectives.translations import invariant_all_gather, invariant_all_to_all
from hopscape.core.distances import distances_from
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Collective, Family
from hopscape.core.goal import Goal
from hopscape.core.model import Disjoint, Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.core.verify import verify

__all__ = ["GENERIC", "algorithms", "named_algorithms", "report", "run_algorithm"]

GENERIC = "generic"
_TURNED = {
    "all-gather": symmetric_all_gather,
    "all-reduce": symmetric_all_reduce,
    "all-to-all": symmetric_all_to_all,
}
_CARRIED = {"all-gather": invariant_all_gather, "all-to-all": invariant_all_to_all}
_STRONGER: dict[Disjoint, tuple[Disjoint, ...]] = {
    "arc": ("vertex", "edge"),
    "edge": ("vertex",),
    "vertex": (),
}


def algorithms(network: Network, goal: Goal) -> dict[str, str]:
    """Names of the algorithms for a goal, with one line each; the generic one first."""
    found = {GENERIC: "trees of breadth-first search and greedy rounds, for any network"}
    return found | {one.name: one.summary for one in named_algorithms(network, goal)}


def named_algorithms(network: Network, goal: Goal) -> tuple[Collective, ...]:
    """The algorithms of a network's family for a goal, those that its translations give included.

    Examples
    --------
    >>> import hopscape
    >>> found = named_algorithms(hopscape.build("hypercube(3)"), Goal.all_gather())
    >>> [one.name for one in found]
    ['translations']
    """
    family = network.family
    if family is None:
        return ()
    found = [one for one in family.collectives() if one.goal == goal.kind]
    turns = type(family).rotations is not Family.rotations
    if turns and goal.kind in _TURNED and all(one.name != "bandwidth" for one in found):
        what = "unit messages near the bandwidth bound, planned for one node of each orbit"
        found.append(Collective("bandwidth", goal.kind, what, _TURNED[goal.kind]))
    moves = type(family).translations is not Family.translations
    if moves and goal.kind in _CARRIED and all(one.name != "translations" for one in found):
        carry = _CARRIED[goal.kind]
        what = "one node's schedule carried to all by translations, all-port"
        found.append(
            Collective(
                "translations", goal.kind, what, lambda net, _, model: carry(net, [net], model)
            )
        )
    return tuple(found)


def run_algorithm(
    network: Network, goal: Goal, name: str = GENERIC, model: Model | None = None
) -> Schedule:
    """Make a schedule by an algorithm's name.

    Raises
    ------
    ArgumentError
        When the network has no such algorithm; the message lists those it has.
    """
    known = algorithms(network, goal)
    if name not in known:
        raise ArgumentError(
            f"{network.spec} has no {goal.kind} algorithm {name!r}; it has {', '.join(known)}"
        )
    if name == GENERIC:
        return make_schedule(network, goal, model)
    chosen = next(one for one in named_algorithms(network, goal) if one.name == name)
    return chosen.build(network, goal, model)


def report(schedule: Schedule) -> dict[str, Any]:
    """A schedule with its verdict and the lower bound, under the names that scripts rely on."""
    verdict = verify(schedule)
    bounds = lower_bounds(schedule.network, schedule.goal, schedule.model)
    details = dict(verdict.details)
    if schedule.model.switching == "circuit":
        details |= _circuit_details(schedule, bool(verdict))
    return {
        "spec": schedule.network.spec,
        "goal": schedule.goal.to_dict(),
        "algorithm": schedule.name,
        "model": schedule.model.to_dict(),
        "rounds": schedule.rounds,
        "steps": schedule.rounds,
        "lower_bound": bounds[0].rounds if bounds else 0,
        "lower_bounds": [{"rounds": b.rounds, "why": b.why} for b in bounds],
        "messages": details.pop("messages", 0),
        "duplicates": details.pop("duplicates", None),
        "reached": details.pop("reached", None),
        "verdict": "holds" if verdict else "fails",
        "reason": verdict.reason,
        "where": dict(verdict.where),
        **{key: value for key, value in details.items() if key != "rounds"},
    }


def _circuit_details(schedule: Schedule, holds: bool) -> dict[str, Any]:
    """What the circuits of a round do not share (the strongest that holds), and a bound.

    `disjoint` is null when the schedule fails; `path_lower_bound` is the largest distance from the
    root, which no chain of calls can be shorter than.
    """
    found: str | None = None
    if holds:
        own = schedule.model.disjoint
        stronger = _STRONGER[own]
        tried = (k for k in stronger if verify(schedule, model=replace(schedule.model, disjoint=k)))
        found = next(tried, own)
    out: dict[str, Any] = {"disjoint": found}
    if schedule.goal.kind == "broadcast" and schedule.goal.root is not None:
        reach = distances_from(schedule.network, schedule.goal.root)
        out["path_lower_bound"] = int(reach.max(initial=0))
    return out
