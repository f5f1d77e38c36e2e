"""Collectives among groups of endpoints: the others forward, several groups run at once.

A group is served on the same wiring with the other endpoints as switches, so that every algorithm
for networks with switches serves groups. What several groups do at once is planned as one: the hops
of all groups get their rounds together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from hopscape.collectives.plan import Plan
from hopscape.core.errors import ArgumentError, ScheduleError
from hopscape.core.goal import Goal
from hopscape.core.model import ALL_PORT_ONLY, Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule

__all__ = ["among_groups", "gathered_backwards", "gathered_twice"]

Build = Callable[[Network, Goal, Model], Schedule]


def among_groups(network: Network, goal: Goal, model: Model, build: Build) -> Schedule:
    """Serve the groups of a goal by an algorithm for goals without groups.

    Args:
        goal: With groups.
        model: Several groups at once need all ports, full duplex and store-and-forward.
        build: The algorithm: takes network, goal and model.

    Examples:
        >>> import hopscape
        >>> from hopscape.collectives import make_schedule
        >>> net = hopscape.build("torus(4, 4)")
        >>> rows = Goal.all_gather(groups=[[0, 1, 2, 3], [4, 5, 6, 7]])
        >>> print(hopscape.verify(among_groups(net, rows, hopscape.Model(), make_schedule)))
        holds: all-gather among 2 groups of 4 endpoints: 8 of 8 nodes served in 2 rounds, ...
    """
    if len(goal.groups) == 1:
        goal.members(network)
        view = network.among(goal.groups[0])
        made = build(view, goal.everywhere(), model)
        if made.goal != goal.everywhere():
            raise ArgumentError(f"it is for {made.goal.describe()}, not {goal.kind} among groups")
        return made.meant_for(network, goal)
    if not ALL_PORT_ONLY.allows(model):
        raise ArgumentError(
            f"several groups at once are planned for {ALL_PORT_ONLY.describe()}, not"
            f" {model.describe()}"
        )
    if goal.kind == "all-reduce":
        return _all_reduce(network, goal, model, build)
    if goal.kind == "reduce-scatter":
        return gathered_backwards(network, goal, model, build)
    alone = [among_groups(network, part, model, build) for part in goal.parts()]
    try:
        plans = [Plan.of(schedule) for schedule in alone]
    except ScheduleError as error:
        raise ArgumentError(
            f"it does not serve several groups at once: its {goal.kind} is none ({error})"
        ) from error
    counts = [part.chunk_count(network) for part in goal.parts()]
    offsets = np.cumsum([0, *counts[:-1]]).tolist()
    joined = Plan.joined(plans, offsets).schedule(network, goal, alone[0].name, model)
    return joined.under(model)


def gathered_backwards(network: Network, goal: Goal, model: Model, build: Build) -> Schedule:
    """A reduce-scatter: the all-gather of the same groups and pieces backwards."""
    aim = replace(goal, kind="all-gather")
    make = among_groups if goal.groups else _plainly
    forth = make(network, aim, model, build)
    return forth.reversed(goal, name=forth.name)


def gathered_twice(network: Network, goal: Goal, model: Model, build: Build, name: str) -> Schedule:
    """An all-reduce of a block per endpoint: an all-gather backwards, then forwards."""
    ends = network.endpoint_count
    if goal.chunks % ends:
        raise ArgumentError(
            f"algorithm {name!r} needs data in {ends} chunks, one per endpoint (--sliced), or a"
            f" multiple, not {goal.chunks}"
        )
    forth = build(network, Goal.all_gather(goal.chunks // ends), model)
    return forth.reversed(goal).then(forth, goal, name=name)


def _plainly(network: Network, goal: Goal, model: Model, build: Build) -> Schedule:
    return build(network, goal, model)


def _all_reduce(network: Network, goal: Goal, model: Model, build: Build) -> Schedule:
    """Groups that add up at once: a reduce-scatter, then an all-gather, both planned for all."""
    sizes = {len(group) for group in goal.groups}
    if len(sizes) > 1 or goal.chunks % sizes.pop():
        raise ArgumentError(
            f"an all-reduce of {len(goal.groups)} groups at once needs groups of one size and that"
            f" many chunks or a multiple, not {goal.chunks}"
        )
    pieces = goal.chunks // len(goal.groups[0])
    gather = Goal.all_gather(pieces, goal.groups)
    forth = among_groups(network, gather, model, build)
    back = forth.reversed(goal)
    return back.then(forth, goal, name=forth.name)
