"""All-gather and total exchange on networks with many symmetries, planned for one node per orbit.

Let a group of automorphisms act freely: none of them but the identity leaves any node in place.
Then a channel is never carried to itself, and channels fall into kinds, each with one channel for
every member of the group. A plan in which the packets of one node per orbit use each kind at most
once in a round becomes a schedule for all when the group is applied to it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hopscape.collectives.bounds import lower_bounds
from hopscape.collectives.carried import Carried
from hopscape.collectives.free_group import Orbits
from hopscape.collectives.orbit_trees import exchange_by_orbit, gather_by_orbit
from hopscape.collectives.translations import is_written
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows, unreached
from hopscape.core.errors import ArgumentError, DisconnectedError, TooLargeError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.schedule import Schedule

__all__ = [
    "Orbits",
    "symmetric_all_gather",
    "symmetric_all_reduce",
    "symmetric_all_to_all",
]

_SEEDS = 12
_WORK = 2_000_000_000
"""Comparisons of all seeds together, 14 s; one seed is always tried."""
_STEPS = 0.7
"""Steps of a comparison, 7 ns."""
_MOST_WORK = 80_000_000_000
"""Comparisons beyond which nothing is begun: ten minutes."""


def _all_port(model: Model) -> Model:
    if model.ports is not None or model.switching == "circuit":
        raise ArgumentError(
            f"algorithm 'bandwidth' needs all ports and store-and-forward, not {model.describe()}"
        )
    return model


def _finished(
    network: Network,
    goal: Goal,
    rules: Model,
    columns: tuple[IntArray, IntArray, IntArray],
) -> Schedule:
    """The schedule; in half duplex each round is split in two, one for each direction."""
    rounds, channels, chunks = columns
    if rules.duplex == "half" and len(rounds):
        down = network.tails[channels] > network.heads[channels]
        _, rounds = np.unique(2 * rounds + down, return_inverse=True)
    return Schedule.from_columns(
        network, rules, goal, round=rounds, channels=channels, chunk=chunks, name="bandwidth"
    )


# -- all-gather --------------------------------------------------------------------------------


def symmetric_all_gather(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """All-gather with unit messages: in every round a new datum by every channel, if there is one.

    One node of each orbit takes from its neighbours, matched so that as many channels as possible
    bring something new, what few of them have; seeds are tried until a lower bound is met. Half
    duplex serves the two directions in turn.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("folded(petersen, 2)")
        >>> made = symmetric_all_gather(net, Goal.all_gather())
        >>> made.rounds, hopscape.verify(made).holds
        (17, True)
    """
    rules = _all_port(model)
    orbits = Orbits(network)
    if not is_written(network):
        return Carried(gather_by_orbit(orbits), Goal.all_gather(), rules, "bandwidth")
    require_memory(60 * network.order**2, f"all-gather among {network.order} nodes")
    record, sources = _gather_record(orbits)
    step, orbit, lane = np.nonzero(record >= 0)
    channels = sources[orbit, lane]
    columns = orbits.spread(step, channels, record[step, orbit, lane], None)
    return _finished(network, goal, rules, columns)


def _gather_record(orbits: Orbits) -> tuple[IntArray, IntArray]:
    """What the lowest node of each orbit takes in every step, and its channels in."""
    from hopscape.collectives.orbit_kernels import symmetric_gather

    network = orbits.network
    bounds = lower_bounds(network, Goal.all_gather(), Model())
    bound = max((b.rounds for b in bounds), default=0)
    hoods = _neighbourhoods(orbits)
    most = network.order * (network.order > 1)
    work = bound * hoods.moved.size * 2
    _check_effort(network, work)
    best = None
    for seed in range(max(1, min(_SEEDS, _WORK // max(work, 1)))):
        weight = hoods.weight if seed % 2 == 0 else hoods.weight * (hoods.weight == 1)
        used, record = symmetric_gather(
            hoods.source, hoods.lanes, hoods.moved, orbits.own, hoods.near, weight, most, seed
        )
        if used <= most:
            best, most = record[:used], used - 1
        if used <= bound:
            break
    if best is None:
        raise DisconnectedError(f"{network.spec} has nodes that cannot reach each other")
    return best, hoods.channels


def _check_effort(network: Network, work: int) -> None:
    """Say before it is begun when matching would take very long."""
    if work > _MOST_WORK:
        raise TooLargeError(
            f"matching the channels of {network.spec} round by round would take about"
            f" {work:,} comparisons; beyond {_MOST_WORK:,} it is not begun"
        )


def matching_cost(network: Network, goal: Goal, model: Model) -> float:
    """Steps of the matchings of an all-gather, about, from the sizes of the network alone.

    A round compares what the nodes within two hops of one node of each orbit have.
    """
    if goal.kind == "all-to-all" or not is_written(network) or network.symmetry is None:
        return 0.0
    order, ports = network.order, max(1, network.ports)
    within = min(order, ports + ports * (ports - 1))
    work = 2.0 * order / ports * len(network.symmetry.representatives) * within * order
    return _STEPS * max(work, min(_SEEDS * work, _WORK))


@dataclass(frozen=True)
class _Hoods:
    """The nodes within two hops of each representative, as the kernel wants them."""

    channels: IntArray
    lanes: IntArray
    near: IntArray
    source: IntArray
    moved: IntArray
    weight: IntArray


def _neighbourhoods(orbits: Orbits) -> _Hoods:
    network, count = orbits.network, len(orbits.own)
    _, starts, into = network.incoming()
    ways = [into[starts[v] : starts[v + 1]] for v in orbits.own.tolist()]
    first = [network.tails[w].astype(np.int64) for w in ways]
    beyond = [np.concatenate([into[starts[u] : starts[u + 1]] for u in f] or [f]) for f in first]
    second = [
        np.setdiff1d(network.tails[w], [*f, v])
        for w, f, v in zip(beyond, first, orbits.own, strict=True)
    ]
    near = np.asarray([len(f) + len(s) for f, s in zip(first, second, strict=True)])
    widest = int(near.max(initial=0))
    require_memory(8 * count * widest * network.order, f"all-gather on {network.spec}")
    lanes = np.asarray([len(f) for f in first])
    channels = np.zeros((count, int(lanes.max(initial=0))), dtype=np.int64)
    source = np.zeros((count, widest), dtype=np.int64)
    weight = np.zeros((count, widest))
    moved = np.zeros((count, widest, network.order), dtype=np.int32)
    for r, (f, s) in enumerate(zip(first, second, strict=True)):
        channels[r, : len(f)] = ways[r]
        nodes = np.concatenate([f, s])
        source[r, : len(nodes)] = orbits.orbit[nodes]
        moved[r, : len(nodes)] = orbits.inverse[orbits.move[nodes]]
        weight[r, : len(nodes)] = np.where(np.arange(len(nodes)) < len(f), 1.0, 0.5)
    return _Hoods(channels, lanes, near, source, moved, weight)


def symmetric_all_reduce(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """A chunk per node: the symmetric all-gather backwards (reduce-scatter), then forwards."""
    if goal.chunks != network.order:
        raise ArgumentError(
            f"algorithm 'bandwidth' needs data in {network.order} chunks, one per node (--sliced), "
            f"not {goal.chunks}"
        )
    gathered = symmetric_all_gather(network, Goal.all_gather(), model)
    return gathered.reversed(goal).then(gathered, goal, name="bandwidth")


# -- total exchange ----------------------------------------------------------------------------


def symmetric_all_to_all(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """Total exchange along shortest paths that load all kinds of channels evenly.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("expanded(petersen, 1)")
        >>> made = symmetric_all_to_all(net, Goal.all_to_all())
        >>> made.rounds < 510, hopscape.verify(made).holds  # the bound is 500
        (True, True)
    """
    rules = _all_port(model)
    orbits = Orbits(network)
    if not is_written(network):
        return Carried(exchange_by_orbit(orbits), Goal.all_to_all(), rules, "bandwidth")
    rounds, channels, origins, targets = exchange_plan(orbits)
    columns = orbits.spread(rounds, channels, origins, targets)
    return _finished(network, goal, rules, columns)


def exchange_plan(orbits: Orbits) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Round, channel, origin and target of every hop of the packets of one node per orbit."""
    from hopscape.collectives.greedy_kernels import Rules, route_packets
    from hopscape.collectives.orbit_kernels import even_paths

    network = orbits.network
    order = network.order
    require_memory(order * order, f"the distances of {network.spec}")
    hops = distance_rows(network, np.arange(order), towards=True)
    if unreached(hops).any():
        raise DisconnectedError(f"{network.spec} has nodes that cannot reach each other")
    source, target = np.repeat(orbits.own, order), np.tile(np.arange(order), len(orbits.own))
    apart = source != target
    source, target = source[apart], target[apart]
    start = np.concatenate([[0], np.cumsum(hops[target, source].astype(np.int64))])
    require_memory(40 * int(start[-1]), f"all-to-all on {network.spec}")
    load = np.zeros(int(orbits.kinds.max(initial=0)) + 1, dtype=np.int64)
    best: tuple[IntArray, IntArray, IntArray] | None = None
    for seed in range(3):
        ways = even_paths(
            network.indptr,
            network.heads,
            orbits.kinds,
            hops,
            source,
            target,
            start,
            load,
            3,
            8,
            seed,
        )
        nobody = np.zeros(len(load), dtype=np.int32)
        rules = Rules(nobody, nobody, nobody, order, 0, False, False)
        rounds, _, packet = route_packets(start, orbits.kinds[ways], rules)
        hop = np.argsort(np.argsort(packet, kind="stable"))  # a packet's entries are its hops
        if best is None or rounds[-1] < best[0][-1]:
            best = rounds, ways[hop], packet
        if not len(rounds) or rounds[-1] + 1 <= int(load.max()):
            break
    rounds, ways, packet = best if best is not None else (load[:0],) * 3
    return rounds, ways, source[packet], target[packet]
