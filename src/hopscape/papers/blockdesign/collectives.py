"""Collectives of distributed switches: two hops to all, permutations at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hopscape.collectives.colouring import colour_edges
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Collective
from hopscape.core.goal import Goal
from hopscape.core.model import Model, Served
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.schedule import Schedule
from hopscape.papers.blockdesign.crossbars import Crossbars, SimplexCrossbars
from hopscape.papers.blockdesign.routing import route_options

__all__ = ["COLLECTIVES"]


def _two_hop(network: Network, a: IntArray, b: IntArray) -> IntArray:
    """The two channels from endpoints a to endpoints b: shape (pairs, 2)."""
    if not len(a):
        return np.empty((0, 2), dtype=np.int64)
    nodes, ports = network.router("closed").walk(a, b)
    return network.channel_at(nodes[:, :2], ports[:, :2])


def _schedule(
    network: Network,
    model: Model,
    goal: Goal,
    when: IntArray,
    channels: IntArray,
    chunk: IntArray,
    name: str,
) -> Schedule:
    """Circuits of two hops, or both hops one after the other."""
    if model.switching == "circuit":
        starts = np.arange(0, 2 * len(when) + 1, 2)
        return Schedule.from_columns(
            network,
            model,
            goal,
            round=when,
            channels=channels.ravel(),
            chunk=chunk,
            path_start=starts,
            name=name,
        )
    return Schedule.from_columns(
        network,
        model,
        goal,
        round=np.concatenate([when, when + 1]),
        channels=np.concatenate([channels[:, 0], channels[:, 1]]),
        chunk=np.concatenate([chunk, chunk]),
        name=name,
    )


def _direct_permutation(network: Network, goal: Goal, model: Model) -> Schedule:
    """All packets at once: one round of circuits, or two hops."""
    if model.duplex == "half" or model.shares != "arc":
        raise ArgumentError(
            "direct permutations need full duplex links and circuits that may cross"
        )
    if model.switching != "circuit" and model.ports is not None:
        raise ArgumentError("direct permutations by store-and-forward need all ports of a crossbar")
    promise = goal.on(network)
    moving = promise.origins != promise.destinations
    channels = _two_hop(network, promise.origins[moving], promise.destinations[moving])
    chunk = np.arange(len(moving))[moving]
    when = np.zeros(len(channels), dtype=np.int64)
    return _schedule(network, model, goal, when, channels, chunk, "direct")


def _direct_all_to_all(network: Network, goal: Goal, model: Model) -> Schedule:
    """Ways balanced over the ports, rounds by edge colouring of port to port."""
    if model.ports is not None or model.duplex == "half" or model.shares != "arc":
        raise ArgumentError("the direct all-to-all needs all ports and full duplex links")
    family = network.family
    assert isinstance(family, Crossbars | SimplexCrossbars)
    n = family.n
    require_memory(100 * n * n, f"all-to-all among {n} endpoints")
    options = route_options(family)
    a, b = np.nonzero(~np.eye(n, dtype=bool))
    if options.shape[0] == 1:  # the same for every source: colour one of them
        table = options[0, 1:]
        choice = _balance(table, family.m)
        picked = table[np.arange(n - 1), choice]
        colours, _ = colour_edges(picked[:, 0], picked[:, 1])
        delta = (b - a) % n - 1
        when, leave, arrive = colours[delta], picked[delta, 0], picked[delta, 1]
    else:
        table = options[a, b]
        keys = table + np.stack([a, b], axis=1)[:, None, :] * family.m * (table >= 0)
        choice = _balance(np.where(table >= 0, keys, -1), n * family.m)
        picked = table[np.arange(len(a)), choice]
        leave, arrive = picked[:, 0], picked[:, 1]
        when, _ = colour_edges(a * family.m + leave, b * family.m + arrive)
    channels = _channels(network, a, b, leave, arrive)
    return _schedule(network, model, goal, when, channels, a * n + b, "direct")


def _balance(table: IntArray, lanes: int) -> IntArray:
    """Choose one way per row so that no lane of either side carries much more than the others."""
    rows, options, _ = table.shape
    choice = np.zeros(rows, dtype=np.int64)
    if options == 1:
        return choice
    load = np.zeros((2, lanes), dtype=np.int64)
    for sweep in range(8):
        moved = False
        for r in range(rows):
            if sweep:
                load[0, table[r, choice[r], 0]] -= 1
                load[1, table[r, choice[r], 1]] -= 1
            best = min(
                (max(load[0, x], load[1, y]), load[0, x] + load[1, y], w)
                for w, (x, y) in enumerate(table[r])
                if x >= 0
            )[2]
            moved = moved or best != choice[r]
            choice[r] = best
            load[0, table[r, best, 0]] += 1
            load[1, table[r, best, 1]] += 1
        if sweep and not moved:
            break
    return choice


def _channels(
    network: Network, a: IntArray, b: IntArray, leave: IntArray, arrive: IntArray
) -> IntArray:
    """Channels out of a by port `leave` and into b by its port `arrive`."""
    up = network.channel_at(a, leave)
    if network.duplex:
        return np.stack([up, network.reverse[network.channel_at(b, arrive)]], axis=1)
    return np.stack([up, network.channel_at(network.heads[up].astype(np.int64), arrive)], axis=1)


def _two_hop_broadcast(network: Network, goal: Goal, model: Model) -> Schedule:
    """All ports: to all crossbars, from them to all endpoints, each once."""
    if model.ports is not None or model.switching == "circuit" or model.duplex == "half":
        raise ArgumentError("the two-hop broadcast is store-and-forward with all ports")
    root = _endpoint(network, goal)
    others = np.setdiff1d(network.endpoints, [root])
    channels = _two_hop(network, np.full(len(others), root), others)
    up = np.unique(channels[:, 0])
    when = np.concatenate([np.zeros(len(up), np.int64), np.ones(len(others), np.int64)])
    return Schedule.from_columns(
        network,
        model,
        goal,
        round=when,
        channels=np.concatenate([up, channels[:, 1]]),
        name="two-hop",
    )


def _doubling_broadcast(network: Network, goal: Goal, model: Model) -> Schedule:
    """One port: every informed endpoint tells another in every round."""
    if model.switching != "circuit" or model.duplex == "half" or model.shares != "arc":
        raise ArgumentError("the doubling broadcast needs circuits and full duplex links")
    root = _endpoint(network, goal)
    endpoints = np.concatenate([[root], np.setdiff1d(network.endpoints, [root])])
    senders, receivers, when = [], [], []
    known, step = 1, 0
    while known < len(endpoints):
        more = min(known, len(endpoints) - known)
        senders.append(endpoints[:more])
        receivers.append(endpoints[known : known + more])
        when.append(np.full(more, step))
        known, step = known + more, step + 1
    channels = _two_hop(network, np.concatenate(senders), np.concatenate(receivers))
    times = np.concatenate(when)
    zero = np.zeros(len(times), dtype=np.int64)
    return _schedule(network, replace(model, ports=1), goal, times, channels, zero, "doubling")


def _endpoint(network: Network, goal: Goal) -> int:
    assert goal.root is not None
    if goal.root >= network.endpoint_count or goal.chunks > 1:
        raise ArgumentError(f"{goal.describe()}: the root must be an endpoint, with one chunk")
    return goal.root


COLLECTIVES = (
    Collective(
        "direct",
        "permutation",
        "every permutation in one round of circuits",
        _direct_permutation,
        serves=Served(duplex=("full",), switching=("circuit", "store-and-forward")),
    ),
    Collective(
        "direct",
        "all-to-all",
        "every pair by its own crossbar, ports in turn",
        _direct_all_to_all,
        serves=Served((None,), ("full",), ("circuit", "store-and-forward")),
    ),
    Collective(
        "two-hop",
        "broadcast",
        "all crossbars, then all endpoints: 2 rounds",
        _two_hop_broadcast,
        serves=Served((None,), ("full",), ("store-and-forward",)),
    ),
    Collective(
        "doubling",
        "broadcast",
        "one port and circuits: twice as many in every round",
        _doubling_broadcast,
        serves=Served((1, None), ("full",), ("circuit",)),
    ),
)
