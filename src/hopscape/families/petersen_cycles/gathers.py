"""All-gather: the paper's, the packed one in few rounds, the unit one at the bandwidth bound."""

from __future__ import annotations

from functools import cache

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.core.goal import Goal
from hopscape.core.memory import require_memory
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.families.petersen_cycles.orientations import oriented_rounds
from hopscape.families.petersen_cycles.phases import Phases, halved, rules_of, stack_of
from hopscape.families.petersen_cycles.turns import TURNS, act, representatives

__all__ = [
    "bandwidth_all_gather",
    "bandwidth_all_reduce",
    "packed_all_gather",
    "paper_all_gather",
]

_SIZE = 30
_SEEDS = 200


def paper_all_gather(network: Network, goal: Goal, model: Model | None = None) -> Schedule:
    """The paper's: five steps in every slice, then k - 1 steps clockwise round the rings."""
    require_memory(60 * network.order**2, f"all-gather among {network.order} nodes")
    phases = Phases(network, rules_of(model), goal)
    k = phases.family.loops[0].size
    rows = phases.family.slice.rows
    place = np.arange(_SIZE)
    cycle = place // 3

    def round_the_cycle(data: IntArray) -> None:
        """Every node sends what it has to the next of its cycle, then what it got."""
        for back in (0, 1):
            holder = rows[place, 1] if back else place
            _send(phases, k, place, rows[place, 0], data[holder])

    round_the_cycle(place[:, None])
    own = 3 * cycle[:, None] + np.arange(3)
    _send(phases, k, place, rows[place, 2], own)
    near = own[rows[place, 2]]  # what came across: the three data of the neighbouring cycle
    round_the_cycle(near)
    mates = np.concatenate([near[rows[place, 0]], near[rows[place, 1]]], axis=1)
    _send(phases, k, place, rows[place, 2], mates)
    round_the_cycle(mates[rows[place, 2]])
    everything = np.broadcast_to(place, (_SIZE, _SIZE))
    for step in range(k - 1):
        _clockwise(phases, k, everything, step)
    return phases.schedule("paper")


def _send(phases: Phases, k: int, at: IntArray, to: IntArray, data: IntArray) -> None:
    """In every slice, node at[i] sends data[i] (places of the origins) to its neighbour to[i]."""
    offset = _SIZE * np.arange(k)[:, None, None]
    shape = (k, *data.shape)
    tails = np.broadcast_to(at[None, :, None] + offset, shape)
    heads = np.broadcast_to(to[None, :, None] + offset, shape)
    chunks = np.broadcast_to(data[None] + offset, shape)
    phases.hop(tails.ravel(), heads.ravel(), chunks.ravel())


def _clockwise(phases: Phases, k: int, data: IntArray, step: int) -> None:
    """Every node sends the data of the slice `step` behind it one slice on."""
    slices = np.arange(k)[:, None, None]
    shape = (k, *data.shape)
    place = np.arange(_SIZE)[None, :, None]
    tails = np.broadcast_to(_SIZE * slices + place, shape)
    heads = np.broadcast_to(_SIZE * ((slices + 1) % k) + place, shape)
    chunks = np.broadcast_to(_SIZE * ((slices - step) % k) + data[None], shape)
    phases.hop(tails.ravel(), heads.ravel(), chunks.ravel())


def packed_all_gather(network: Network, goal: Goal, model: Model | None = None) -> Schedule:
    """Packed messages in few rounds: the diameter in full duplex, 7 + ⌈k/2⌉ + 1 in half duplex."""
    rules = rules_of(model)
    if rules.packing != "packed" or rules.ports is not None:
        raise ArgumentError(
            f"algorithm 'packed' needs packed messages on all ports, not {rules.describe()}"
        )
    k = stack_of(network).loops[0].size
    require_memory(40 * network.order**2, f"all-gather among {network.order} nodes")
    if rules.duplex == "full":
        ways = np.arange(network.channels)
        rounds = [ways] * int(network.facts.diameter or 0)
    else:
        rounds = half_duplex_rounds(network, k)
    return _flood(network, rules, goal, rounds, "packed")


def half_duplex_rounds(network: Network, k: int) -> list[IntArray]:
    """The channels that carry in each round: the slices first, then the rings."""
    direct = _direct_rounds(k)
    if direct is not None:
        phases = Phases(network, Model(), Goal.all_gather())
        return [phases.channels_between(row[:, 0], row[:, 1]) for row in direct]
    slice_rounds = _direct_rounds(1)
    if slice_rounds is None:
        raise HopscapeError("no directions were found for a slice in 7 rounds")
    phases = Phases(network, Model(), Goal.all_gather())
    found = []
    offset = _SIZE * np.arange(k)[:, None]
    for row in slice_rounds:
        tails, heads = (row[:, 0] + offset).ravel(), (row[:, 1] + offset).ravel()
        found.append(phases.channels_between(tails, heads))
    place = np.arange(_SIZE)
    for senders in ring_rounds(k):
        a, b = senders[:, 0, None] * _SIZE + place, senders[:, 1, None] * _SIZE + place
        found.append(phases.channels_between(a.ravel(), b.ravel()))
    return found


@cache
def _direct_rounds(k: int) -> list[IntArray] | None:
    """Directions found by search, for one slice (7 rounds) and for two (7 as well)."""
    if k > 2:
        return None
    from hopscape.families.petersen_cycles.networks import RingOfPetersenCycles

    return oriented_rounds(Network.of(RingOfPetersenCycles(k)), k, 7)


def ring_rounds(k: int) -> list[IntArray]:
    """Half-duplex packed all-gather on a ring: for each round the (from, to) of all senders.

    Colours send in turn, ⌈k/2⌉ + 1 rounds for k >= 4. On an odd ring one link joins two nodes of
    the same colour; it carries one way in their rounds and the other way in between. Three nodes
    send round the ring twice.
    """
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
    return Schedule.from_columns(
        network,
        rules,
        goal,
        round=np.concatenate(when),
        channels=np.concatenate(ways),
        chunk=np.concatenate(what),
        name=name,
    )


def bandwidth_all_gather(network: Network, goal: Goal, model: Model | None = None) -> Schedule:
    """Unit messages at the bandwidth bound: in every round a new datum by every channel.

    The rounds are the same for all nodes up to the 5k symmetries, so that six nodes are scheduled
    for all: each takes from its neighbours, matched so that as many channels as possible bring
    something new, what few of them have. Seeds are tried until the bound is met; if none does, a
    round more is allowed. Half duplex serves the directions in turn.
    """
    rules = rules_of(model)
    if rules.ports is not None:
        raise ArgumentError(f"algorithm 'bandwidth' needs all ports, not {rules.ports}")
    k = stack_of(network).loops[0].size
    require_memory(60 * network.order**2, f"all-gather among {network.order} nodes")
    record = _symmetric_record(network, k)
    schedule = _spread(network, k, record, Model(packing=rules.packing), goal)
    if rules.duplex == "half":
        schedule = halved(schedule)
    schedule.name = "bandwidth"
    return schedule.under(rules)


def _symmetric_record(network: Network, k: int) -> IntArray:
    from hopscape.families.petersen_cycles.gather_kernels import symmetric_gather

    own = np.asarray(representatives())
    chunks = np.arange(network.order)
    orbit_of = np.empty(_SIZE, dtype=np.int64)
    turn_of = np.empty(_SIZE, dtype=np.int64)
    for r, v in enumerate(own.tolist()):
        images = act(np.full(TURNS, v), 1, 0, np.arange(TURNS))
        orbit_of[images], turn_of[images] = r, np.arange(TURNS)
    rows = network._rows(own)
    rows = rows[:, (rows >= 0).all(axis=0)]
    source = orbit_of[rows % _SIZE]
    moved = np.empty((*rows.shape, network.order), dtype=np.int64)
    for r, lane in np.ndindex(rows.shape):
        shift, turn = int(rows[r, lane]) // _SIZE, int(turn_of[rows[r, lane] % _SIZE])
        moved[r, lane] = act(chunks, k, -shift % k, -turn % TURNS)
    steps = -(-(network.order - 1) // rows.shape[1])
    while True:
        for seed in range(_SEEDS):
            lost, record = symmetric_gather(source, moved, own, steps, seed)
            if lost == 0:
                return record
        steps += 1


def _spread(network: Network, k: int, record: IntArray, rules: Model, goal: Goal) -> Schedule:
    """The schedule of all nodes from that of the six."""
    own = np.asarray(representatives())
    rows = network._rows(own)
    rows = rows[:, (rows >= 0).all(axis=0)]
    step, orbit, lane = np.nonzero(record >= 0)
    chunk = record[step, orbit, lane]
    tail, head = rows[orbit, lane], own[orbit]
    phases = Phases(network, rules, goal)
    when, ways, what = [], [], []
    for turn in range(TURNS):
        for shift in range(k):
            tails, heads = act(tail, k, shift, turn), act(head, k, shift, turn)
            ways.append(phases.channels_between(tails, heads))
            what.append(act(chunk, k, shift, turn))
            when.append(step)
    return Schedule.from_columns(
        network,
        rules,
        goal,
        round=np.concatenate(when),
        channels=np.concatenate(ways),
        chunk=np.concatenate(what),
        name="bandwidth",
    )


def bandwidth_all_reduce(network: Network, goal: Goal, model: Model | None = None) -> Schedule:
    """A chunk per node: the bandwidth all-gather backwards (reduce-scatter), then forwards."""
    if goal.chunks != network.order:
        raise ArgumentError(
            f"algorithm 'bandwidth' needs data in {network.order} chunks, one per node (--sliced), "
            f"not {goal.chunks}"
        )
    gathered = bandwidth_all_gather(network, Goal.all_gather(), model)
    return gathered.reversed(goal).then(gathered, goal, name="bandwidth")
