"""Circuits planned on the member that stands for all of equal wiring, told on the one asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from hopscape.collectives.circuits.chains import shortened
from hopscape.core.arrays import IntArray
from hopscape.core.family import Family
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule

__all__ = ["by_kindred"]

Plan = Callable[[Network, Goal, Model], Schedule]
Polish = Callable[[Schedule], Schedule]


def by_kindred(
    network: Network, goal: Goal, model: Model, plan: Plan, polish: Polish = shortened
) -> Schedule:
    """A broadcast or one-to-many, the same on networks of equal wiring.

    Args:
        plan: Makes it on the network itself, where no other member stands for it.
        polish: Makes its chains of calls shorter.

    Examples:
        >>> import hopscape
        >>> from hopscape.collectives.circuits.search import search_circuits
        >>> model = Model(switching="circuit", disjoint="edge")
        >>> net = hopscape.build("circulant(569, 233)")
        >>> by_kindred(net, hopscape.Goal.broadcast(7), model, search_circuits).rounds
        6
    """
    family = network.family
    if not isinstance(family, Family) or goal.root is None or model.circuits != "any":
        return polish(plan(network, goal, model))
    found = family.kindred(goal.root)
    if found is None:
        return polish(plan(network, goal, model))
    member, places = found
    other = Network.of(member)
    inner = replace(
        goal,
        root=int(places[goal.root]),
        sources=tuple(int(places[v]) for v in goal.sources),
        targets=tuple(sorted(int(places[v]) for v in goal.targets)),
    )
    own = {one.name: one.build for one in member.collectives() if one.goal == goal.kind}
    made = polish(own.get("circuit", plan)(other, inner, model))
    return Schedule.from_columns(
        network,
        made.model,
        goal,
        round=made.round,
        channels=_channels(network, other, places)[made.channels],
        path_start=made.path_start,
        rounds=made.rounds,
        name=made.name,
    )


def _channels(network: Network, other: Network, places: IntArray) -> IntArray:
    """The channel of `network` that each channel of `other` is."""
    order = network.order
    own = places[network.tails].astype(np.int64) * order + places[network.heads]
    theirs = other.tails.astype(np.int64) * order + other.heads
    by_ends = np.argsort(own, kind="stable")
    found: IntArray = by_ends[np.searchsorted(own[by_ends], theirs)]
    return found
