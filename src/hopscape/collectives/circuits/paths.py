"""Broadcast by circuits on any duplex network, towards given sets.

Which nodes shall know the message after which round is given; how the circuits run is found by
augmenting paths. Who cannot be reached in a round is tried again in the next.

Search for informed sets on small tori: which nodes should know the message after which round.

From the last round backwards: the set before the last round is moved about, point by point, until
circuits to all others exist; then a subset of it is chosen from which it can be reached, and so on.
Circuits are found exactly (augmenting paths), so that a set that is accepted is right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from hopscape.collectives.checked import verified
from hopscape.core.annealing import allowance, linear
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.progress import track
from hopscape.core.schedule import Schedule

if TYPE_CHECKING:
    from hopscape.collectives.circuits.path_kernels import Wires

__all__ = [
    "Paths",
    "assemble",
    "chain_lengths",
    "circuits_towards",
    "link_circuits",
    "node_circuits",
    "search_sets",
    "shorten_sets",
    "split_wires",
    "wires_of",
]

_HOT, _COLD = 0.85, 0.05
"""Temperatures, in nodes that are not served: one more is taken now and then, at last never."""

Paths = tuple[IntArray, IntArray]
"""The circuits of a round: their lengths, and all their channels, one circuit after the other."""


@verified
def circuits_towards(
    network: Network,
    root: int,
    sets: Sequence[IntArray],
    disjoint: Literal["vertex", "edge"] = "vertex",
    name: str = "circuits",
    strict: bool = False,
) -> Schedule | None:
    """Broadcast so that the nodes of ``sets[r]`` are informed by round r, where possible.

    Args:
        network: Connected, with duplex links.
        sets (sequence of int arrays): The last one is followed by more rounds until everybody is
            informed.
        disjoint ({'vertex', 'edge'}): What the circuits of one round may not share.
        strict: Give up (None) as soon as somebody cannot be reached in the round that is meant.

    Examples:
        >>> import hopscape
        >>> from hopscape import verify
        >>> net = hopscape.build("petersen")
        >>> print(verify(circuits_towards(net, 0, [np.array(net.neighbours(0))])))
        holds: broadcast from node 0: 10 of 10 nodes reached in 2 rounds, 9 messages, 0 duplicates
    """
    if not network.duplex:
        raise ArgumentError(f"{network.spec} has simplex channels; circuits need duplex links")
    wires, degrees = wires_of(network), network.degrees.astype(np.int64)
    informed = np.zeros(network.order, dtype=np.bool_)
    informed[root] = True
    find = node_circuits if disjoint == "vertex" else link_circuits
    paths: list[Paths] = []
    wanted = np.zeros(network.order, dtype=np.bool_)
    while not informed.all():
        r = len(paths)
        if strict and r > len(sets):
            return None
        late = wanted & ~informed
        wanted[sets[r] if r < len(sets) else slice(None)] = True
        new = wanted & ~informed & ~late
        targets = np.concatenate([np.flatnonzero(late), np.flatnonzero(new)])
        lengths, channels = find(wires, np.where(informed, degrees, -1), targets, strict)
        if strict and len(lengths) < len(targets):
            return None
        if not len(lengths) and r >= len(sets):
            raise DisconnectedError(f"{network.spec} has nodes that node {root} cannot reach")
        paths.append((lengths, channels))
        ends = np.cumsum(lengths) - 1
        informed[network.heads[channels[ends]]] = True
    model = Model(switching="circuit", disjoint=disjoint)
    return assemble(network, Goal.broadcast(root), model, paths, name)


def assemble(
    network: Network, goal: Goal, model: Model, paths: Sequence[Paths], name: str
) -> Schedule:
    """The schedule of circuits, given round by round as lengths and channels."""
    none = np.empty(0, dtype=np.int64)
    lengths = np.concatenate([none, *(p[0] for p in paths)])
    return Schedule.from_columns(
        network,
        model,
        goal,
        round=np.repeat(np.arange(len(paths)), [len(p[0]) for p in paths]),
        channels=np.concatenate([none, *(p[1] for p in paths)]),
        path_start=np.concatenate([[0], np.cumsum(lengths)]),
        rounds=len(paths),
        name=name,
    )


def node_circuits(wires: Wires, room: IntArray, targets: IntArray, strict: bool) -> Paths:
    """Circuits that share no node: their lengths, and all channels, one circuit after the other.

    Parameters as for :func:`~hopscape.collectives.circuits.path_kernels.link_disjoint`.
    """
    from hopscape.collectives.circuits.path_kernels import node_disjoint

    wanting = np.zeros(len(room), dtype=np.bool_)
    wanting[targets] = True
    before = node_disjoint(wires, room, wanting, targets, strict)
    into = np.full(len(room), -1, dtype=np.int64)
    on = np.flatnonzero(before >= 0)
    for k in range(int(np.diff(wires.into_start).max(initial=0))):
        place = wires.into_start[on] + k
        there = place < wires.into_start[on + 1]
        channel = wires.into[np.where(there, place, 0)]
        hit = there & (wires.tails[channel] == before[on])
        into[on[hit]] = channel[hit]
    ends = targets[before[targets] >= 0]
    at, trail = ends.copy(), []
    going = np.arange(len(ends))
    while len(going):
        trail.append((going, into[at[going]]))
        at[going] = before[at[going]]
        going = going[room[at[going]] < 0]
    return _untrail(len(ends), trail)


def _untrail(count: int, trail: Sequence[tuple[IntArray, IntArray]]) -> Paths:
    """Paths that were followed from their ends, all at once, put the right way round."""
    lengths = np.zeros(count, dtype=np.int64)
    for going, _ in trail:
        lengths[going] += 1
    ends = np.cumsum(lengths)
    channels = np.empty(int(lengths.sum()), dtype=np.int64)
    for k, (going, taken) in enumerate(trail):
        channels[ends[going] - 1 - k] = taken
    return lengths, channels


def link_circuits(wires: Wires, room: IntArray, targets: IntArray, strict: bool) -> Paths:
    """As :func:`node_circuits`, circuits that share no link."""
    from hopscape.collectives.circuits.path_kernels import link_disjoint, unwind_all

    served, flows, left = link_disjoint(wires, room, targets, strict)
    return unwind_all(wires, flows, room - left, targets[served])


def wires_of(network: Network) -> Wires:
    """The channels as the kernels take them."""
    from hopscape.collectives.circuits.path_kernels import Wires

    indptr, heads = network.indptr.astype(np.int64), network.heads.astype(np.int64)
    mate = network.reverse.astype(np.int64)
    if network.duplex:
        start, into = indptr, mate
    else:
        _, start, into = network.incoming()
    gate = np.full(network.order, -1, dtype=np.int64)
    return Wires(indptr, heads, network.tails.astype(np.int64), start, into, mate, gate, 1)


def split_wires(network: Network) -> Wires:
    """The channels with every node v cut in two: circuits that share no channel share no node.

    Circuits arrive at ``order + v``, go on to v by one more channel, and leave from v. A node that
    has the message is not passed: its own channel is barred by its gate, a channel that leads
    nowhere. The channels of the network keep their numbers.
    """
    from hopscape.collectives.circuits.path_kernels import Wires

    order, count = network.order, len(network.heads)
    nodes, nowhere = np.arange(order), np.full(order, 2 * order)
    heads = np.concatenate([network.heads.astype(np.int64) + order, nodes, nowhere])
    tails = np.concatenate([network.tails.astype(np.int64), nodes + order, nowhere])
    indptr = np.searchsorted(tails, np.arange(2 * order + 2)).astype(np.int64)
    start = np.concatenate([[0], np.cumsum(np.bincount(heads, minlength=2 * order + 1))])
    mate = np.full(len(heads), -1, dtype=np.int64)
    gate = np.full(2 * order + 1, -1, dtype=np.int64)
    mate[count : count + order] = gate[:order] = count + order + nodes
    return Wires(indptr, heads, tails, start, np.argsort(heads, kind="stable"), mate, gate, 2)


def search_sets(
    network: Network, rounds: int, *, seed: int = 0, tries: int = 4, moves: int = 20_000
) -> list[IntArray] | None:
    """Informed sets of a vertex-disjoint broadcast from node 0 in this many rounds, or None.

    Args:
        network: Duplex, all nodes of one degree.
        tries: How often to begin anew.
        moves: How many changes to try in each set.

    Returns:
        list of arrays: Nodes informed after rounds 1, ..., rounds - 1.

    Examples:
        >>> import hopscape
        >>> [len(s) for s in search_sets(hopscape.build("torus(4, 4)"), 2)]
        [4]
    """
    generator = np.random.default_rng(seed)
    factor = int(network.degrees.max(initial=0)) + 1
    even = math.ceil(network.order ** (1 / rounds))
    wires, degrees = wires_of(network), network.degrees.astype(np.int64)
    for attempt in track(range(tries), "searching informed sets"):
        growth = factor if attempt % 2 else min(factor, even + attempt // 2)
        sets: list[IntArray] = []
        above = np.arange(network.order)
        for r in range(rounds - 1, 0, -1):
            size = min(growth**r, len(above))
            settled = _settle(wires, above, size, r == rounds - 1, generator, moves)
            if settled is None:
                break
            sets.insert(0, settled)
            above = settled
        else:
            if _unserved(wires, degrees, np.array([0]), above) == 0:
                return sets
    return None


def _settle(
    wires: Wires,
    above: IntArray,
    size: int,
    everywhere: bool,
    generator: np.random.Generator,
    moves: int,
) -> IntArray | None:
    """A subset with node 0 from which circuits lead to all of `above`."""
    others = above[above != 0]
    chosen = np.concatenate([[0], generator.permutation(others)[: size - 1]])
    degrees = np.diff(wires.indptr)
    cost = _unserved(wires, degrees, chosen, above)
    for heat in linear(_HOT, _COLD, moves):
        if cost == 0:
            return np.sort(chosen)
        i = int(generator.integers(1, size)) if size > 1 else 0
        if everywhere and generator.random() < 0.8:
            row = wires.heads[wires.indptr[chosen[i]] : wires.indptr[chosen[i] + 1]]
            new = int(generator.choice(row))
        else:
            new = int(generator.choice(others))
        if new == 0 or (chosen == new).any() or i == 0:
            continue
        trial = chosen.copy()
        trial[i] = new
        worse = _unserved(wires, degrees, trial, above) - cost
        if worse <= 0 or worse <= allowance(heat, generator.random()):
            chosen, cost = trial, cost + worse
    return np.sort(chosen) if cost == 0 else None


def _unserved(wires: Wires, degrees: IntArray, sources: IntArray, above: IntArray) -> int:
    from hopscape.collectives.circuits.path_kernels import node_disjoint

    room = np.full(len(degrees), -1, dtype=np.int64)
    room[sources] = degrees[sources]
    targets = above[room[above] < 0].astype(np.int64)
    wanting = np.zeros(len(room), dtype=np.bool_)
    wanting[targets] = True
    before = node_disjoint(wires, room, wanting, targets, False)
    return int((before[targets] < 0).sum())


def chain_lengths(schedule: Schedule) -> IntArray:
    """Hops of the calls from the root to each node of a broadcast, one after the other."""
    hops = np.zeros(schedule.network.order, dtype=np.int64)
    sizes = np.diff(schedule.path_start)
    for r in range(schedule.rounds):
        now = slice(int(schedule.round_start[r]), int(schedule.round_start[r + 1]))
        hops[schedule.target[now]] = hops[schedule.source[now]] + sizes[now]
    return hops


def shorten_sets(
    network: Network, sets: list[IntArray], *, seed: int = 0, moves: int = 2000
) -> list[IntArray]:
    """Move points of informed sets about as long as chains of calls get no longer.

    Sets that are accepted have circuits, in the same number of rounds. First the longest chain
    counts, then how many nodes have chains that long, then the sum of all.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("torus(6, 6)")
        >>> found = search_sets(net, 3, seed=1)
        >>> for sets in (found, shorten_sets(net, found, moves=100)):
        ...     print(chain_lengths(circuits_towards(net, 0, sets, strict=True)).max())
        9
        6
    """
    generator = np.random.default_rng(seed)
    best = _merit(network, sets)
    for _ in range(moves):
        r = int(generator.integers(len(sets)))
        trial = _moved(network, sets, r, generator)
        if trial is None:
            continue
        merit = _merit(network, trial)
        if merit is not None and (best is None or merit <= best):
            sets, best = trial, merit
    return sets


def _merit(network: Network, sets: list[IntArray]) -> tuple[int, int, int] | None:
    plan = circuits_towards(network, 0, sets, strict=True)
    if plan is None:
        return None
    hops = chain_lengths(plan)
    longest = int(hops.max())
    return longest, int((hops == longest).sum()), int(hops.sum())


def _moved(
    network: Network, sets: list[IntArray], r: int, generator: np.random.Generator
) -> list[IntArray] | None:
    """One point that set r and the later ones have more than the sets before goes elsewhere."""
    before = sets[r - 1] if r else np.array([0])
    own = np.setdiff1d(sets[r], before)
    if not len(own):
        return None
    old = int(generator.choice(own))
    if generator.random() < 0.7:
        row = network.heads[network.indptr[old] : network.indptr[old + 1]]
        new = int(generator.choice(row))
    else:
        new = int(generator.integers(network.order))
    if (sets[r] == new).any():
        return None
    out = list(sets[:r])
    for later in sets[r:]:  # where both are there already, they have changed places
        has = (later == new).any()
        out.append(later if has else np.sort(np.append(later[later != old], new)))
    return out
