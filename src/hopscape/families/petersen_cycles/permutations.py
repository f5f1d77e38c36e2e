"""Permutations: the paper's algorithms, and better ones.

All are phases with a barrier after each. The paper counts with half-duplex links and packs some
messages and not others; here the model is explicit, and `packing='packed'` packs where the paper
packs: on cross links and rings. Inside a cycle it always sends one datum per message.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.families.petersen_cycles.phases import Phases, laid_out, rules_of, stack_of
from hopscape.families.petersen_cycles.triangles import triangle_plan
from hopscape.families.petersen_cycles.wiring import Cycles, Loop

__all__ = [
    "cycle_permutation",
    "general_permutation",
    "incomplete",
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
                near = next(i for i, n in enumerate(row) if hops[n, target] == hops[m, target] - 1)
                out[m * degree : (m + 1) * degree, target] = m * degree + near
    return out


def _cycles(network: Network, name: str) -> Cycles:
    family = stack_of(network)
    if not isinstance(family, Cycles):
        raise ArgumentError(f"algorithm {name!r} needs slices made of cycles, not {network.spec}")
    return family


def _packets(network: Network, goal: Goal) -> tuple[IntArray, IntArray, IntArray]:
    promise = goal.on(network)
    return promise.origins.copy(), promise.destinations, np.arange(len(promise.origins))


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
    ways = phases.channels_between(np.asarray(tails, dtype=np.int64), np.asarray(heads))
    phases.add(np.asarray(rounds, dtype=np.int64), ways, chunks[np.asarray(what, dtype=np.int64)])


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


def general_permutation(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """The paper's: clockwise to the target slice, then Incomplete-Permutation in every slice."""
    if not all(loop.plain for loop in stack_of(network).loops):
        raise ArgumentError(
            f"algorithm 'general' needs ordinary rings, not those of {network.spec}"
        )
    return _ring_then_slices(network, goal, model, both_ways=False)


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
    ways = network.channel_at(nodes[:, :-1][taken], ports[taken])
    starts = np.concatenate([[0], np.cumsum(taken.sum(axis=1))]).astype(np.int64)
    phases.walk_shorter(starts, ways, chunks[moving])
