"""Permutations by whole routes of the network's own router, for any network of any size."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from hopscape.collectives.checked import verified
from hopscape.core.arrays import IntArray
from hopscape.core.detours import DetourRouter
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Collective
from hopscape.core.faults import Faults
from hopscape.core.goal import Goal
from hopscape.core.model import Model, Served
from hopscape.core.network import Network
from hopscape.core.router import Router
from hopscape.core.schedule import Schedule

__all__ = ["ROUTED", "first_free", "routed_around", "routed_permutation"]


@verified
def routed_permutation(network: Network, goal: Goal, model: Model) -> Schedule:
    """Whole routes past switches that only forward, each in the first round that is free.

    Shortest routes of the network's own router, the longest first; time and memory grow with the
    sum of their hops times the number of rounds.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("fat_tree(4)")
        >>> targets = np.random.default_rng(1).permutation(16)
        >>> model = Model(switching="circuit")
        >>> made = routed_permutation(net, Goal.permutation(targets), model)
        >>> made.rounds, hopscape.verify(made).holds
        (2, True)
    """
    if model.shares != "arc":
        raise ArgumentError("routed permutations need circuits that may cross at a node")
    moving, source, target = _moving(network, goal)
    lengths, channels = _routes(network.router(pairs=len(moving)), source, target)
    return _written(network, goal, model, moving, lengths, channels)


@verified
def routed_around(network: Network, goal: Goal, faults: Faults) -> Schedule:
    """The same, with detours for the routes that meet a dead part.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("fat_tree(4)")
        >>> goal = Goal.permutation(np.roll(np.arange(16), 5))
        >>> faults = Faults.of(net, dead_links=[(16, 24)])
        >>> made = routed_around(net, goal, faults)
        >>> hopscape.verify(made).holds, bool(faults.channels(net)[made.channels].any())
        (True, False)
    """
    moving, source, target = _moving(network, goal)
    lengths, channels = _routes(network.router(pairs=len(moving)), source, target)
    meets = np.zeros(len(moving), dtype=bool)
    path = np.repeat(np.arange(len(moving)), lengths)
    meets[path[faults.channels(network)[channels]]] = True
    if meets.any():
        detours = DetourRouter(network, faults.nodes, faults.pairs())
        more, others = _routes(detours, source[meets], target[meets])
        order = np.argsort(np.concatenate([np.nonzero(~meets)[0], np.nonzero(meets)[0]]))
        avoiding = channels[~meets[path]]
        starts = np.cumsum([0, *lengths[~meets], *more])
        lengths = np.diff(starts)[order]
        at = np.repeat(starts[:-1][order] - np.cumsum([0, *lengths[:-1]]), lengths)
        channels = np.concatenate([avoiding, others])[at + np.arange(len(at))]
    return _written(network, goal, ROUTED.serves.model(), moving, lengths, channels)


def _moving(network: Network, goal: Goal) -> tuple[IntArray, IntArray, IntArray]:
    """Data that go to another node: their chunks, from where and where to."""
    promise = goal.on(network)
    moving = np.nonzero(promise.origins != promise.destinations)[0]
    return moving, promise.origins[moving], promise.destinations[moving]


def _routes(router: Router, source: IntArray, target: IntArray) -> tuple[IntArray, IntArray]:
    """Hops of each route, and the channels of all."""
    nodes, ports = router.walk(source, target)
    taken = ports >= 0
    channels = router.network.channel_at(nodes[:, :-1][taken], ports[taken])
    return taken.sum(axis=1), channels.astype(np.int64)


def _written(
    network: Network,
    goal: Goal,
    model: Model,
    moving: IntArray,
    lengths: IntArray,
    channels: IntArray,
) -> Schedule:
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Schedule.from_columns(
        network,
        model,
        goal,
        round=first_free(starts, channels, np.argsort(-lengths, kind="stable")),
        channels=channels,
        chunk=moving,
        path_start=starts,
        name="routed",
    )


def first_free(starts: IntArray, channels: IntArray, order: IntArray) -> IntArray:
    """The first round for each path, in a given order, in which all its channels are free.

    Args:
        starts (int64[paths + 1]): Where the channels of each path begin in `channels`.

    Examples:
        >>> first_free(np.array([0, 2, 3, 4]), np.array([0, 1, 1, 0]), np.arange(3)).tolist()
        [0, 1, 1]
    """
    lanes, ends = channels.tolist(), starts.tolist()
    paths = [lanes[i:j] for i, j in pairwise(ends)]
    held: list[set[int]] = []
    when = np.zeros(len(paths), dtype=np.int64)
    for k in order.tolist():
        now = 0
        while now < len(held) and not held[now].isdisjoint(paths[k]):
            now += 1
        if now == len(held):
            held.append(set())
        held[now].update(paths[k])
        when[k] = now
    return when


ROUTED = Collective(
    "routed",
    "permutation",
    "whole shortest routes, switches only forward, each in the first free round",
    routed_permutation,
    serves=Served((None,), ("full",), ("circuit", "cut-through")),
    around=routed_around,
)
