"""Permutations: the paper's algorithms, and better ones.

All are phases with a barrier after each. The paper counts with half-duplex links and packs some
messages and not others; here the model is explicit, and `packing='packed'` packs where the paper
packs: on cross links and rings. Inside a cycle it always sends one datum per message.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.families.petersen_cycles.phases import Phases, halved, rules_of, stack_of
from hopscape.families.petersen_cycles.slices import PETERSEN, cycle_ports
from hopscape.families.petersen_cycles.triangles import triangle_plan

__all__ = [
    "cycle_permutation",
    "general_permutation",
    "incomplete",
    "simple_permutation",
    "slice_permutation",
    "two_way_permutation",
]

_SIZE = 30


@cache
def _exits() -> IntArray:
    """int64[30, 10]: the exit port of a node's cycle towards a cycle; -1 within the cycle."""
    number = {port: i for i, port in enumerate(cycle_ports(PETERSEN))}
    out = np.full((_SIZE, 10), -1, dtype=np.int64)
    for (m, _), i in number.items():
        for target in range(10):
            if target in PETERSEN[m]:
                out[i, target] = number[m, target]
            elif target != m:
                middle = next(c for c in PETERSEN[m] if c in PETERSEN[target])
                out[i, target] = number[m, middle]
    return out


def _packets(network: Network, goal: Goal) -> tuple[IntArray, IntArray, IntArray]:
    promise = goal.on(network)
    return promise.origins.copy(), promise.destinations, np.arange(len(promise.origins))


def cycle_permutation(network: Network, goal: Goal, model: Model | None = None) -> Schedule:
    """Within the cycles: every datum straight to its target."""
    at, to, chunks = _packets(network, goal)
    _refuse(network, at // 3 != to // 3, at, to, "cycle", "it must stay in its cycle")
    phases = Phases(network, rules_of(model), goal)
    phases.hop(at, to, chunks, single=True)
    return phases.schedule("cycle")


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
    network: Network, goal: Goal, model: Model | None = None, *, detours: bool = False
) -> Schedule:
    """Slice-Permutation of the paper, for permutations that keep every slice.

    Parameters
    ----------
    detours : bool
        Allow the third step to go the long way round a triangle, which evens out the load.
    """
    name = "slice-detour" if detours else "slice"
    at, to, chunks = _packets(network, goal)
    wrong = at // _SIZE != to // _SIZE
    _refuse(network, wrong, at, to, name, "it must stay in its slice")
    phases = Phases(network, rules_of(model), goal)
    _five_steps(phases, at, to, chunks, detours)
    return phases.schedule(name)


def _five_steps(
    phases: Phases, at: IntArray, to: IntArray, chunks: IntArray, detours: bool
) -> None:
    """To the exit port, across, to the exit port, across, to the target."""
    goal_cycle = to % _SIZE // 3
    rows = phases.family.slice.rows
    for turn in range(2):
        place, base = at % _SIZE, at - at % _SIZE
        away = place // 3 != goal_cycle
        exit_ = np.where(away, base + _exits()[place, goal_cycle], at)
        if turn == 1 and detours and phases.model.ports is None:
            _over_triangles(phases, at, exit_, chunks)
        else:
            phases.hop(at, exit_, chunks, single=True)
        across = np.where(away, base + rows[exit_ % _SIZE, 2], exit_)
        phases.hop(exit_, across, chunks)
        at = across
    phases.hop(at, to, chunks, single=True)


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
    network: Network, goal: Goal, model: Model | None = None, *, detours: bool = False
) -> Schedule:
    """Clockwise to the target slice, then Slice-Permutation.

    Only for simple permutations: the data of one ring go to different slices.
    """
    name = "simple-detour" if detours else "simple"
    at, to, chunks = _packets(network, goal)
    k = stack_of(network).loops[0].size
    key = at % _SIZE * k + to // _SIZE
    _, first, count = np.unique(key, return_index=True, return_counts=True)
    wrong = np.zeros(len(at), dtype=bool)
    wrong[first[count > 1]] = True
    rule = "and another node of the same ring goes to that slice too"
    _refuse(network, wrong, at, to, name, rule)
    phases = Phases(network, rules_of(model), goal)
    at = phases.ring_walk(at, to // _SIZE, chunks, both_ways=False)
    _five_steps(phases, at, to, chunks, detours)
    return phases.schedule(name)


def general_permutation(network: Network, goal: Goal, model: Model | None = None) -> Schedule:
    """The paper's: clockwise to the target slice, then Incomplete-Permutation in every slice."""
    return _ring_then_slices(network, goal, model, both_ways=False)


def two_way_permutation(network: Network, goal: Goal, model: Model | None = None) -> Schedule:
    """The shorter way to the target slice, then Incomplete-Permutation: at most ⌊k/2⌋ + 10 rounds
    in full duplex."""
    return _ring_then_slices(network, goal, model, both_ways=True)


def _ring_then_slices(
    network: Network, goal: Goal, model: Model | None, both_ways: bool
) -> Schedule:
    name = "two-way" if both_ways else "general"
    at, to, chunks = _packets(network, goal)
    phases = Phases(network, rules_of(model), goal)
    at = phases.ring_walk(at, to // _SIZE, chunks, both_ways=both_ways)
    incomplete(phases, at, to, chunks)
    return phases.schedule(name)


def incomplete(phases: Phases, at: IntArray, to: IntArray, chunks: IntArray) -> None:
    """Incomplete-Permutation: canonical paths in the slices, most hops left first.

    Any multiset of sources; in full duplex at most 10 rounds. In half duplex the directions take
    turns, or links serve the most urgent packet, whichever is shorter: at most 20.
    """
    network, model = phases.network, phases.model
    moving = at != to
    nodes, ports = network.router().walk(at[moving], to[moving])
    taken = ports >= 0
    ways = network.channel_at(nodes[:, :-1][taken], ports[taken])
    starts = np.concatenate([[0], np.cumsum(taken.sum(axis=1))]).astype(np.int64)
    what = chunks[moving]
    if model.duplex == "full" or model.ports is not None:
        phases.walk(starts, ways, what)
        return
    greedy = Phases(network, model, phases.goal)
    greedy.walk(starts, ways, what)
    full = Phases(network, Model(packing=model.packing), phases.goal)
    full.walk(starts, ways, what)
    turns = halved(full.schedule(""))
    best = turns if turns.rounds < greedy.now else greedy.schedule("")
    phases.add(best.round.astype(np.int64), best.channels, best.chunk)
