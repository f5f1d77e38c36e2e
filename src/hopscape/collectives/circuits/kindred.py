"""Circuits planned on the member that stands for all of equal wiring, told on the one asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from hopscape.collectives.checked import verified
from hopscape.collectives.circuits.chains import shortened
from hopscape.core.arrays import IntArray
from hopscape.core.family import Family
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.plugins import load_plugin, plugin_entries
from hopscape.core.schedule import Schedule

__all__ = ["by_kindred"]

_MOST_NODES = 200_000
"""Nodes up to which a network is renamed: it takes arrays of all nodes and channels."""
Plan = Callable[[Network, Goal, Model], Schedule]
Polish = Callable[[Schedule], Schedule]


@verified
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
    family, root = network.family, goal.root
    plain = network.order > _MOST_NODES or network.order < 2 or model.circuits != "any"
    if plain or root is None or not isinstance(family, Family):
        return polish(plan(network, goal, model))
    kin = family.kindred(root)
    if kin is None:
        return polish(plan(network, goal, model))
    member, places = (
        load_plugin(plugin_entries("families")[kin.family])(*kin.arguments),
        kin.places,
    )
    if member.spec == family.spec and np.array_equal(places, np.arange(network.order)):
        return polish(plan(network, goal, model))
    other = Network.of(member)
    inner = replace(
        goal,
        root=int(places[root]),
        sources=tuple(int(places[v]) for v in goal.sources),
        targets=tuple(sorted(int(places[v]) for v in goal.targets)),
    )
    named = {one.name: one.build for one in member.collectives() if one.goal == goal.kind}
    made = polish(named.get("circuit", plan)(other, inner, model))
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
    matching: IntArray = by_ends[np.searchsorted(own[by_ends], theirs)]
    return matching
