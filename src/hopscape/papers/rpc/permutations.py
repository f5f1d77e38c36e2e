"""Permutations: the paper's algorithms, and better ones.

All are phases with a barrier after each. The paper counts with half-duplex links and packs some
messages and not others; here the model is explicit, and `packing='packed'` packs where the paper
packs: on cross links and rings. Inside a cycle it always sends one datum per message.

A slice scheduler that evens out the load, with paths up to two hops longer than needed.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache

import numpy as np

from hopscape.collectives.checked import verified
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.papers.rpc.gathers import half_duplex_rounds
from hopscape.papers.rpc.phases import Phases, laid_out, rules_of, stack_of
from hopscape.papers.rpc.slices import triangle_plan
from hopscape.papers.rpc.wiring import Cycles, Loop

__all__ = [
    "balanced_permutation",
    "balanced_slice",
    "cycle_permutation",
    "general_permutation",
    "incomplete",
    "packed_permutation",
    "simple_permutation",
    "slice_permutation",
    "two_way_permutation",
]


def _exits(family: Cycles) -> IntArray:
    """int64[ports, vertices]: the exit port of a node's cycle towards a cycle; -1 within the cycle.

    The way leads along a shortest path of the base graph, by the lowest neighbour on a tie.
    """
    base, hops = family.neighbours_of_base, family.base_distances
    out = np.full((family.slice.size, len(base)), -1, dtype=np.int64)
    degree = len(base[0])
    for m, row in enumerate(base):
        for target in range(len(base)):
            if target != m:
                exit_port = next(
                    i for i, n in enumerate(row) if hops[n, target] == hops[m, target] - 1
                )
                out[m * degree : (m + 1) * degree, target] = m * degree + exit_port
    return out


def _cycles(network: Network, name: str) -> Cycles:
    family = stack_of(network)
    if not isinstance(family, Cycles):
        raise ArgumentError(f"algorithm {name!r} needs slices made of cycles, not {network.spec}")
    return family


def _packets(network: Network, goal: Goal) -> tuple[IntArray, IntArray, IntArray]:
    promise = goal.on(network)
    return promise.origins.copy(), promise.destinations, np.arange(len(promise.origins))


@verified
def cycle_permutation(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """Within the cycles: every datum straight to its target, the shorter way round."""
    degree = _cycles(network, "cycle").cycle
    at, to, chunks = _packets(network, goal)
    _refuse(network, at // degree != to // degree, at, to, "cycle", "it must stay in its cycle")
    phases = Phases(network, rules_of(model), goal)
    _around(phases, at, to, chunks)
    return phases.schedule("cycle")


def _around(phases: Phases, at: IntArray, to: IntArray, chunks: IntArray) -> None:
    """Packets along their cycles, one datum per message, the shorter way (up on a tie)."""
    degree = _cycles(phases.network, "cycle").cycle
    starts, _, port, offset = laid_out(Loop(degree), (to - at) % degree, both_ways=True)
    who = np.repeat(np.arange(len(at)), np.diff(starts))
    nodes = at[who] - at[who] % degree + (at[who] + offset) % degree
    phases.walk(starts, phases.network.channel_at(nodes, port), chunks, single=True)


def _refuse(
    network: Network, wrong: IntArray, at: IntArray, to: IntArray, name: str, rule: str
) -> None:
    if wrong.any():
        i = int(np.argmax(wrong))
        a, b = network.addresses.text(int(at[i])), network.addresses.text(int(to[i]))
        raise ArgumentError(
            f"algorithm {name!r} cannot serve this permutation: it maps {a} to {b}; {rule}"
        )


@verified
def slice_permutation(
    network: Network, goal: Goal, model: Model = Model(), *, detours: bool = False
) -> Schedule:
    """Slice-Permutation of the paper, for permutations that keep every slice.

    To the exit port of the cycle and across, as often as the base graph is wide, and to the target.

    Args:
        detours: Allow the third step to go the long way round a triangle, which evens out the load.
    """
    name = "slice-detour" if detours else "slice"
    size = _cycles(network, name).slice.size
    at, to, chunks = _packets(network, goal)
    wrong = at // size != to // size
    _refuse(network, wrong, at, to, name, "it must stay in its slice")
    phases = Phases(network, rules_of(model), goal)
    _five_steps(phases, at, to, chunks, detours)
    return phases.schedule(name)


def _five_steps(
    phases: Phases, at: IntArray, to: IntArray, chunks: IntArray, detours: bool
) -> None:
    """To the exit port, across, to the exit port, across, ..., to the target."""
    family = _cycles(phases.network, "slice")
    size, rows, exits = family.slice.size, family.slice.rows, _exits(family)
    goal_cycle = to % size // family.cycle
    for turn in range(int(family.base_distances.max())):
        place, base = at % size, at - at % size
        away = place // family.cycle != goal_cycle
        exit_ = np.where(away, base + exits[place, goal_cycle], at)
        if turn > 0 and detours and family.cycle == 3 and phases.model.ports is None:
            _over_triangles(phases, at, exit_, chunks)
        else:
            _around(phases, at, exit_, chunks)
        across = np.where(away, base + rows[exit_ % size, 2], exit_)
        phases.hop(exit_, across, chunks)
        at = across
    _around(phases, at, to, chunks)


def _over_triangles(phases: Phases, at: IntArray, to: IntArray, chunks: IntArray) -> None:
    """Packets to other nodes of their triangle in the fewest rounds, detours allowed."""
    waiting: dict[int, dict[tuple[int, int], list[int]]] = defaultdict(lambda: defaultdict(list))
    for i in np.nonzero(at != to)[0].tolist():
        waiting[int(at[i]) // 3][int(at[i]) % 3, int(to[i]) % 3].append(i)
    pairs = ((0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1))
    rounds, tails, heads, what = [], [], [], []
    half = phases.model.duplex == "half"
    for triangle, queues in waiting.items():
        plan = triangle_plan(tuple(len(queues[pair]) for pair in pairs), half)
        for r, moves in enumerate(plan):
            taken = [(move, queues[move[0], move[2]].pop()) for move in moves]
            for (a, b, final), packet in taken:
                if b != final:
                    queues[b, final].append(packet)
                rounds.append(r)
                tails.append(3 * triangle + a)
                heads.append(3 * triangle + b)
                what.append(packet)
    channels = phases.channels_between(np.asarray(tails, dtype=np.int64), np.asarray(heads))
    phases.add(
        np.asarray(rounds, dtype=np.int64), channels, chunks[np.asarray(what, dtype=np.int64)]
    )


@verified
def simple_permutation(
    network: Network, goal: Goal, model: Model = Model(), *, detours: bool = False
) -> Schedule:
    """Clockwise to the target slice, then Slice-Permutation.

    Only for simple permutations: the data of one ring go to different slices.
    """
    name = "simple-detour" if detours else "simple"
    family = _cycles(network, name)
    size = family.slice.size
    at, to, chunks = _packets(network, goal)
    key = at % size * family.positions + to // size
    _, first, count = np.unique(key, return_index=True, return_counts=True)
    wrong = np.zeros(len(at), dtype=bool)
    wrong[first[count > 1]] = True
    rule = "and another node of the same ring goes to that slice too"
    _refuse(network, wrong, at, to, name, rule)
    phases = Phases(network, rules_of(model), goal)
    at = phases.ring_walk(at, to, chunks, both_ways=False)
    _five_steps(phases, at, to, chunks, detours)
    return phases.schedule(name)


@verified
def general_permutation(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """The paper's: clockwise to the target slice, then Incomplete-Permutation in every slice."""
    if not all(loop.plain for loop in stack_of(network).loops):
        raise ArgumentError(
            f"algorithm 'general' needs ordinary rings, not those of {network.spec}"
        )
    return _ring_then_slices(network, goal, model, both_ways=False)


@verified
def two_way_permutation(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """The shorter way to the target slice, then Incomplete-Permutation: at most ⌊k/2⌋ + 10 rounds
    in full duplex on RPC(k)."""
    return _ring_then_slices(network, goal, model, both_ways=True)


def _ring_then_slices(network: Network, goal: Goal, model: Model, both_ways: bool) -> Schedule:
    name = "two-way" if both_ways else "general"
    at, to, chunks = _packets(network, goal)
    phases = Phases(network, rules_of(model), goal)
    at = phases.ring_walk(at, to, chunks, both_ways=both_ways)
    incomplete(phases, at, to, chunks)
    return phases.schedule(name)


def incomplete(phases: Phases, at: IntArray, to: IntArray, chunks: IntArray) -> None:
    """Incomplete-Permutation: canonical paths in the slices, most hops left first.

    Any multiset of sources; on PC in full duplex at most 10 rounds. In half duplex the directions
    take turns, or links serve the most urgent packet, whichever is shorter: at most 20.
    """
    network = phases.network
    moving = at != to
    nodes, ports = network.router().walk(at[moving], to[moving])
    taken = ports >= 0
    channels = network.channel_at(nodes[:, :-1][taken], ports[taken])
    starts = np.concatenate([[0], np.cumsum(taken.sum(axis=1))]).astype(np.int64)
    phases.walk_shorter(starts, channels, chunks[moving])


_LONGER = 2  # hops beyond the shortest that paths may have, where they are not too many
# base of the price of a load, and sweeps; the best schedule of all is kept
_VARIANTS = ((1.6, 3), (2.5, 3), (4.0, 4), (1.3, 2), (8.0, 6), (2.0, 8))
_MOST_PATHS = 1_000_000  # of a slice, listed once


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

    def extend(start: int, path: list[int], channels: list[int]) -> None:
        at = path[-1]
        if at != start and len(channels) <= hops[start][at] + longer:
            by_pair[start * size + at].append(channels)
        if len(channels) == max(hops[start]) + longer:
            return
        for port, to in enumerate(rows[at]):
            if to not in path:
                extend(start, [*path, to], [*channels, ports * at + port])

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
    from hopscape.papers.rpc.balance_kernels import choose_paths

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
        route = channels[np.repeat(paths.start[chosen], lengths) + within]
        other = Phases(network, model, goal)
        other.walk_shorter(starts, route, moving)
        if other.now < best.now:
            best = other
    return best.schedule("balanced")


def _floor(network: Network, at: IntArray, to: IntArray, half: bool) -> int:
    """What no schedule of these packets can beat: distance and traffic."""
    hops = stack_of(network).slice.distances[at, to].astype(np.int64)
    lanes = network.links if half else network.channels
    return max(int(hops.max(initial=0)), -(-int(hops.sum()) // lanes))


@verified
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
    when, channel_parts, what = [], [], []
    for s in range(network.order // size):
        here = np.nonzero(promise.destinations // size == s)[0]
        part = balanced_slice(small, at[here] % size, promise.destinations[here] % size, rules)
        nodes = small.tails[part.channels].astype(np.int64) + s * size
        ports = small.port_of(part.channels)
        when.append(part.round.astype(np.int64))
        channel_parts.append(network.channel_at(nodes, ports))
        what.append(here[part.chunk])
    phases.add(np.concatenate(when), np.concatenate(channel_parts), np.concatenate(what))
    return phases.schedule("balanced")


@verified
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
    arrivals = _arrivals(small, rounds)
    when, channel_parts, what = [], [], []
    for i in chunks.tolist():
        start, node = int(at[i] % size), int(targets[i])
        while node != start:
            r, channel = arrivals[start][node]
            when.append(r)
            channel_parts.append((int(slices[i]), channel))
            what.append(i)
            node = int(small.tails[channel])
    if when:
        copy, channel = np.asarray(channel_parts).T
        nodes = small.tails[channel] + copy * size
        phases.add(
            np.asarray(when), network.channel_at(nodes, small.port_of(channel)), np.asarray(what)
        )
    return phases.schedule("packed")


def _arrivals(network: Network, rounds: list[IntArray]) -> list[dict[int, tuple[int, int]]]:
    """For every origin and node: the round and channel by which the origin's datum first came."""
    arrivals: list[dict[int, tuple[int, int]]] = [{} for _ in range(network.order)]
    held = np.eye(network.order, dtype=bool)
    for r, channels in enumerate(rounds):
        after = held.copy()
        for channel in channels.tolist():
            tail, head = int(network.tails[channel]), int(network.heads[channel])
            for origin in np.nonzero(held[tail] & ~after[head])[0].tolist():
                arrivals[origin][head] = (r, channel)
                after[head, origin] = True
        held = after
    return arrivals
