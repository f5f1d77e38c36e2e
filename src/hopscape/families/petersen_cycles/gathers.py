"""All-gather: the paper's, slices first, and the packed one in few rounds."""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.goal import Goal
from hopscape.core.memory import require_memory
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.families.petersen_cycles.orientations import oriented_rounds
from hopscape.families.petersen_cycles.phases import Phases, rules_of, stack_of
from hopscape.families.petersen_cycles.wiring import Cycles, Loop

__all__ = [
    "half_duplex_rounds",
    "packed_all_gather",
    "paper_all_gather",
    "ring_rounds",
    "slices_first_all_gather",
]


def paper_all_gather(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """The paper's: five steps in every slice, then k - 1 steps clockwise round the rings.

    Round every cycle, across, round the cycles with what came, across with that, and so on, as
    often as the base graph is wide (twice for the Petersen graph).
    """
    family = stack_of(network)
    if not isinstance(family, Cycles):
        raise ArgumentError(f"algorithm 'paper' needs slices made of cycles, not {network.spec}")
    stages: list[tuple[int, ...]] = [(0,)] * (family.cycle - 1)
    for _ in range(int(family.base_distances.max())):
        stages += [(2,), *[(0,)] * (family.cycle - 1)]
    return _in_stages(network, goal, model, stages, "paper")


def slices_first_all_gather(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """Every slice floods all its links, then k - 1 steps clockwise round every ring in turn."""
    family = stack_of(network)
    everywhere = tuple(range(family.slice.ports))
    stages = [everywhere] * family.slice.diameter
    return _in_stages(network, goal, model, stages, "slice-first")


def _in_stages(
    network: Network, goal: Goal, model: Model, stages: list[tuple[int, ...]], name: str
) -> Schedule:
    """By the given ports of the slice in each stage, then clockwise: all that the others lack.

    A stage lasts as long as its busiest link; nothing that arrives in it goes on before its end.
    """
    family = stack_of(network)
    require_memory(60 * network.order**2, f"all-gather among {network.order} nodes")
    if not all(loop.plain for loop in family.loops):
        raise ArgumentError(f"algorithm {name!r} needs ordinary rings, not those of {network.spec}")
    phases = Phases(network, rules_of(model), goal)
    first = family.slice.ports
    for loop in family.loops:
        stages = stages + [(first,)] * (loop.size - 1)
        first += 2
    held = np.eye(network.order, dtype=bool)
    rows = network.rows(np.arange(network.order))
    for ports in stages:
        after = held.copy()
        tails, heads, data = [], [], []
        for port in ports:
            sent = held & ~after[rows[:, port]]
            tail, chunk = np.nonzero(sent)
            after[rows[tail, port], chunk] = True
            tails.append(tail)
            heads.append(rows[tail, port])
            data.append(chunk)
        phases.hop(np.concatenate(tails), np.concatenate(heads), np.concatenate(data))
        held = after
    return phases.schedule(name)


def packed_all_gather(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """Packed messages in few rounds: the diameter in full duplex, on RPC(k) ⌈k/2⌉ + 8 in half."""
    rules = rules_of(model)
    if rules.packing != "packed" or rules.ports is not None:
        raise ArgumentError(
            f"algorithm 'packed' needs packed messages on all ports, not {rules.describe()}"
        )
    require_memory(40 * network.order**2, f"all-gather among {network.order} nodes")
    if rules.duplex == "full":
        rounds = [np.arange(network.channels)] * int(network.facts.diameter or 0)
    else:
        rounds = half_duplex_rounds(network)
    return _flood(network, rules, goal, rounds, "packed")


def half_duplex_rounds(network: Network) -> list[IntArray]:
    """The channels that carry in each round: the slices first, then ring after ring.

    Directions for all links of a slice are searched for; two slices on one ring are searched as a
    whole, since their ring is a single link.
    """
    family = stack_of(network)
    size = family.slice.size
    phases = Phases(network, Model(), Goal.all_gather())
    if [loop.size for loop in family.loops if loop.size > 1] == [2]:
        whole = oriented_rounds(family.few_slices(2), family.packed_rounds)
        return [phases.channels_between(row[:, 0], row[:, 1]) for row in whole]
    found = []
    corners = size * np.arange(family.positions)[:, None]
    for row in oriented_rounds(family.few_slices(1), family.packed_rounds):
        tails, heads = (row[:, 0] + corners).ravel(), (row[:, 1] + corners).ravel()
        found.append(phases.channels_between(tails, heads))
    nodes, stride = np.arange(network.order), network.order
    for loop in family.loops:
        stride //= loop.size
        at = nodes // stride % loop.size
        for pairs in ring_rounds(loop.size) if loop.plain else _turns(loop):
            ways = []
            for a, b in pairs.tolist():
                here = nodes[at == a]
                ways.append(phases.channels_between(here, here + (b - a) * stride))
            found.append(np.concatenate(ways))
    return found


def ring_rounds(k: int) -> list[IntArray]:
    """Half-duplex packed all-gather on a ring: for each round the (from, to) of all senders.

    Colours send in turn, ⌈k/2⌉ + 1 rounds for k >= 4. On an odd ring one link joins two nodes of
    the same colour; it carries one way in their rounds and the other way in between. Three nodes
    send round the ring twice.
    """
    if k == 1:
        return []
    if k == 2:
        return [np.asarray([[0, 1]]), np.asarray([[1, 0]])]
    at = np.arange(k)
    if k == 3:
        return [np.stack([at, (at + 1) % 3], axis=1)] * 2
    found = []
    for r in range(-(-k // 2) + 1):
        pairs = []
        for u in at.tolist():
            v = (u + 1) % k
            if k % 2 and v == 0:
                pairs.append((u, v) if r % 2 == 0 else (v, u))
            else:
                pairs.append((u, v) if u % 2 == r % 2 else (v, u))
        found.append(np.asarray(pairs))
    return found


def _turns(loop: Loop) -> list[IntArray]:
    """On a double loop: all links one way, then all the other way, as often as it is wide."""
    up = [
        (v, (v + step) % loop.size)
        for step, wired, _ in loop.wired
        if wired
        for v in range(loop.size if 2 * step != loop.size else step)
    ]
    pairs = np.asarray(up, dtype=np.int64).reshape(-1, 2)
    return [pairs, pairs[:, ::-1]] * loop.diameter


def _flood(
    network: Network, rules: Model, goal: Goal, rounds: list[IntArray], name: str
) -> Schedule:
    """In every round the given channels carry all that their heads have not got yet."""
    held = np.eye(network.order, dtype=bool)
    when, ways, what = [], [], []
    for r, channels in enumerate(rounds):
        after = held.copy()
        for channel in channels.tolist():
            tail, head = network.tails[channel], network.heads[channel]
            new = np.nonzero(held[tail] & ~after[head])[0]
            after[head, new] = True
            when.append(np.full(len(new), r))
            ways.append(np.full(len(new), channel))
            what.append(new)
        held = after
    empty = [np.empty(0, dtype=np.int64)]
    return Schedule.from_columns(
        network,
        rules,
        goal,
        round=np.concatenate(when or empty),
        channels=np.concatenate(ways or empty),
        chunk=np.concatenate(what or empty),
        name=name,
    )
