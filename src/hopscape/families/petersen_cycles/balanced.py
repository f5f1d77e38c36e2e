"""A slice scheduler that evens out the load, with paths up to two hops longer than needed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.families.petersen_cycles.gathers import half_duplex_rounds
from hopscape.families.petersen_cycles.phases import Phases, rules_of, stack_of

__all__ = ["balanced_permutation", "balanced_slice", "packed_permutation"]

_LONGER = 2
_VARIANTS = ((1.6, 3), (2.5, 3), (4.0, 4), (1.3, 2), (8.0, 6), (2.0, 8))
_MOST_PATHS = 1_000_000


@dataclass(frozen=True)
class _Paths:
    """All simple paths of a slice that are at most so many hops longer than the shortest."""

    first: IntArray
    start: IntArray
    channels: IntArray


@cache
def _paths(network: Network) -> _Paths:
    """Those of one slice; two hops longer where they are not too many, else one or none."""
    part = stack_of(network).slice
    size, ports = part.size, part.ports
    hops = part.distances.astype(int).tolist()
    longer = next(
        (x for x in range(_LONGER, -1, -1) if size * 3 * 2 ** (part.diameter + x) <= _MOST_PATHS),
        None,
    )
    if longer is None:
        raise TooLargeError(f"the paths of {part.name} are too many to balance")
    rows = network.heads.reshape(size, ports).tolist()
    by_pair: list[list[list[int]]] = [[] for _ in range(size * size)]

    def extend(start: int, path: list[int], ways: list[int]) -> None:
        at = path[-1]
        if at != start and len(ways) <= hops[start][at] + longer:
            by_pair[start * size + at].append(ways)
        if len(ways) == max(hops[start]) + longer:
            return
        for port, to in enumerate(rows[at]):
            if to not in path:
                extend(start, [*path, to], [*ways, ports * at + port])

    for node in range(size):
        extend(node, [node], [])
    flat = [path for paths in by_pair for path in sorted(paths, key=len)]
    return _Paths(
        np.concatenate([[0], np.cumsum([len(paths) for paths in by_pair])]),
        np.concatenate([[0], np.cumsum([len(path) for path in flat])]),
        np.concatenate([np.asarray(path) for path in flat]),
    )


def balanced_slice(network: Network, at: IntArray, to: IntArray, model: Model) -> Schedule:
    """Packets of one slice in few rounds: the best of several choices of paths.

    Any multiset of sources and targets. Canonical paths are among the choices, so that the result
    is never worse than Incomplete-Permutation: on PC at most 10 rounds in full duplex, 20 in half.

    Args:
        network: A single slice.
        at, to: int64[packets]

    Returns:
        Schedule: Chunk i is the i-th packet. Its goal is a placeholder.
    """
    from hopscape.families.petersen_cycles.balance_kernels import choose_paths
    from hopscape.families.petersen_cycles.permutations import incomplete

    goal = Goal.all_gather()
    best = Phases(network, model, goal)
    incomplete(best, at, to, np.arange(len(at)))
    paths = _paths(network)
    half = model.duplex == "half"
    channels = paths.channels
    lane = np.minimum(channels, network.reverse[channels]) if half else channels
    moving = np.nonzero(at != to)[0]
    pairs = (at * network.order + to)[moving]
    floor = _floor(network, at, to, half)
    for seed, (base, sweeps) in enumerate(_VARIANTS):
        if best.now <= floor:
            break
        chosen = choose_paths(
            pairs, paths.first, paths.start, lane, network.channels, base, sweeps, seed
        )
        lengths = paths.start[chosen + 1] - paths.start[chosen]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        within = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
        ways = channels[np.repeat(paths.start[chosen], lengths) + within]
        other = Phases(network, model, goal)
        other.walk_shorter(starts, ways, moving)
        if other.now < best.now:
            best = other
    return best.schedule("balanced")


def _floor(network: Network, at: IntArray, to: IntArray, half: bool) -> int:
    """What no schedule of these packets can beat: distance and traffic."""
    hops = stack_of(network).slice.distances[at, to].astype(np.int64)
    lanes = network.links if half else network.channels
    return max(int(hops.max(initial=0)), -(-int(hops.sum()) // lanes))


def balanced_permutation(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """The shorter way to the target slice, then every slice by its own balanced schedule."""
    rules = rules_of(model)
    if rules.ports is not None:
        raise ArgumentError(f"algorithm 'balanced' needs all ports, not {rules.ports}")
    promise = goal.on(network)
    chunks = np.arange(network.order)
    phases = Phases(network, rules, goal)
    small = phases.family.few_slices(1)
    size = small.order
    at = phases.ring_walk(promise.origins.copy(), promise.destinations, chunks, both_ways=True)
    when, ways, what = [], [], []
    for s in range(network.order // size):
        here = np.nonzero(promise.destinations // size == s)[0]
        part = balanced_slice(small, at[here] % size, promise.destinations[here] % size, rules)
        nodes = small.tails[part.channels].astype(np.int64) + s * size
        ports = small.port_of(part.channels)
        when.append(part.round.astype(np.int64))
        ways.append(network.channel_at(nodes, ports))
        what.append(here[part.chunk])
    phases.add(np.concatenate(when), np.concatenate(ways), np.concatenate(what))
    return phases.schedule("balanced")


def packed_permutation(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """The shorter way to the target slice, then along the packed all-gather of the slices."""
    rules = rules_of(model)
    if rules.packing != "packed" or rules.ports is not None:
        raise ArgumentError(
            f"algorithm 'packed' needs packed messages on all ports, not {rules.describe()}"
        )
    promise = goal.on(network)
    chunks = np.arange(network.order)
    phases = Phases(network, rules, goal)
    small = phases.family.few_slices(1)
    size = small.order
    slices, targets = promise.destinations // size, promise.destinations % size
    at = phases.ring_walk(promise.origins.copy(), promise.destinations, chunks, both_ways=True)
    everything = [np.arange(small.channels)] * phases.family.slice.diameter
    rounds = everything if rules.duplex == "full" else half_duplex_rounds(small)
    came = _arrivals(small, rounds)
    when, ways, what = [], [], []
    for i in chunks.tolist():
        start, node = int(at[i] % size), int(targets[i])
        while node != start:
            r, channel = came[start][node]
            when.append(r)
            ways.append((int(slices[i]), channel))
            what.append(i)
            node = int(small.tails[channel])
    if when:
        copy, channel = np.asarray(ways).T
        nodes = small.tails[channel] + copy * size
        phases.add(
            np.asarray(when), network.channel_at(nodes, small.port_of(channel)), np.asarray(what)
        )
    return phases.schedule("packed")


def _arrivals(network: Network, rounds: list[IntArray]) -> list[dict[int, tuple[int, int]]]:
    """For every origin and node: the round and channel by which the origin's datum first came."""
    came: list[dict[int, tuple[int, int]]] = [{} for _ in range(network.order)]
    held = np.eye(network.order, dtype=bool)
    for r, channels in enumerate(rounds):
        after = held.copy()
        for channel in channels.tolist():
            tail, head = int(network.tails[channel]), int(network.heads[channel])
            for origin in np.nonzero(held[tail] & ~after[head])[0].tolist():
                came[origin][head] = (r, channel)
                after[head, origin] = True
        held = after
    return came
