"""Short chains of calls: circuits laid anew, and who is called when moved about.

The last node to hear of a message hears of it over a chain of calls; the hops of all its circuits
are at least its distance from the root. Circuits that reach as many nodes as can be, far apart,
make chains that lead away and back. Here the rounds stay, and chains become as short as the largest
distance, or little longer; with more rounds than the fewest they reach it more often.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hopscape.collectives.checked import verified
from hopscape.collectives.circuits.paths import (
    Paths,
    assemble,
    chain_lengths,
    split_wires,
    wires_of,
)
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distances_from
from hopscape.core.network import Network
from hopscape.core.progress import check_time
from hopscape.core.schedule import Schedule

if TYPE_CHECKING:
    from hopscape.collectives.circuits.path_kernels import Wires

__all__ = ["MOST_STEPS", "shortened", "shortest"]

_LONGER = 1.15
"""Chains so many times as long as the largest distance are left as they are."""
_WORK, _MOVES, _PORTION = 400_000_000, 6_000, 250
"""Nodes times channels of all moves together, about 3 s, moves at most, and in one call."""
_MORE_ROUNDS = 4
"""Rounds beyond the fewest that are tried for chains no longer than the largest distance."""
MOST_STEPS = 1.5e9
"""Steps of all that together, about 15 s."""


def shortened(schedule: Schedule, times: float = _LONGER, rounds: int | None = None) -> Schedule:
    """The same broadcast with shorter chains of calls, in as many rounds.

    Args:
        schedule: A broadcast or one-to-many by circuits that share no link or no node, each node
            called once.
        times: Chains may be so many times as long as the largest distance.
        rounds: More rounds than it has now.

    Examples:
        >>> import hopscape
        >>> from hopscape import Goal
        >>> from hopscape.collectives.circuits.search import search_circuits
        >>> made = search_circuits(hopscape.build("mesh(5, 6)"), Goal.broadcast(0))
        >>> short = shortened(made)
        >>> [(x.rounds, int(chain_lengths(x).max())) for x in (made, short)]
        [(3, 15), (3, 10)]
    """
    network, goal, model = schedule.network, schedule.goal, schedule.model
    steps = network.order * max(len(network.heads), 1)
    fits = model.switching == "circuit" and model.shares != "arc" and model.circuits == "any"
    if not fits or steps > _WORK // 10 or not schedule.transfers or goal.root is None:
        return schedule
    have = np.array([goal.root, *goal.sources], dtype=np.int64)
    order = schedule.target.astype(np.int64)
    bound = int(times * _farthest(network, have, order))
    longest = _longest(schedule)
    counts = np.bincount(schedule.round, minlength=schedule.rounds).astype(np.int64)
    counts = _spread_out(counts, (rounds or schedule.rounds) - schedule.rounds)
    if longest <= bound or len(np.unique(order)) < len(order):
        return schedule
    paths = _moved(schedule, have, order, counts, bound)
    if paths is None:
        return schedule
    shorter = assemble(network, goal, model, paths, schedule.name)
    return shorter if _longest(shorter) < longest else schedule


@verified
def shortest(schedule: Schedule) -> Schedule:
    """The same broadcast with chains as short as are found, in some more rounds where that helps.

    No chain can be shorter than the largest distance; what reaches it in the fewest rounds is kept.
    """
    best = schedule
    for rounds in range(schedule.rounds, schedule.rounds + _MORE_ROUNDS + 1):
        made = shortened(schedule, 1.0, rounds)
        if _longest(made) < _longest(best):
            best = made
        if best.transfers and _longest(best) <= _distance(best):
            break
    return best


def _distance(schedule: Schedule) -> int:
    goal = schedule.goal
    have = np.array([goal.root, *goal.sources], dtype=np.int64)
    return _farthest(schedule.network, have, schedule.target.astype(np.int64))


def _farthest(network: Network, have: IntArray, order: IntArray) -> int:
    away = np.stack([distances_from(network, v)[order] for v in have.tolist()])
    return int(away.min(axis=0).max())


def _longest(schedule: Schedule) -> int:
    return int(chain_lengths(schedule).max(initial=0))


def _spread_out(counts: IntArray, more: int) -> IntArray:
    """Calls of the largest rounds shared with rounds that come after them."""
    out = counts.tolist()
    for _ in range(more):
        r = int(np.argmax(out))
        if out[r] < 2:
            break
        out[r : r + 1] = [out[r] // 2, out[r] - out[r] // 2]
    return np.array(out, dtype=np.int64)


def _moved(
    schedule: Schedule, have: IntArray, order: IntArray, counts: IntArray, bound: int
) -> list[Paths] | None:
    """The circuits of all rounds after who is called when has been moved about."""
    from hopscape.collectives.circuits.chain_kernels import shorten

    network, model = schedule.network, schedule.model
    wires = split_wires(network) if model.shares == "vertex" else wires_of(network)
    full = network.degrees.astype(np.int64)
    if model.ports is not None:
        full = np.minimum(full, model.ports)
    full = np.resize(full, len(wires.gate))
    order, left = order.copy(), _WORK // (network.order * len(network.heads))
    for portion, first in enumerate(range(0, min(left, _MOVES), _PORTION)):
        check_time(f"circuits on {network.spec}")
        moves = min(_PORTION, left - first)
        if shorten(wires, full, have, (order, counts), bound * wires.hop, moves, portion) <= 0:
            break
    return _laid(network, (wires, full, have), order, counts)


def _laid(
    network: Network, task: tuple[Wires, IntArray, IntArray], order: IntArray, counts: IntArray
) -> list[Paths] | None:
    """The circuits of all rounds, None where one cannot serve its own."""
    from hopscape.collectives.circuits.chain_kernels import cheapest_flows
    from hopscape.collectives.circuits.path_kernels import unwind_all

    wires, full, have = task
    chain = np.zeros(len(full), dtype=np.int64)
    room = np.full(len(full), -1, dtype=np.int64)
    room[have] = full[have]
    paths: list[Paths] = []
    for targets in np.split(order, np.cumsum(counts)[:-1]):
        gates = np.zeros(len(wires.heads), dtype=np.bool_)
        on = wires.gate[room >= 0]
        gates[on[on >= 0]] = True
        flows, left = gates.copy(), room.copy()
        if not cheapest_flows(wires, left, chain, flows, targets):
            return None
        flows &= ~gates
        lengths, channels = unwind_all(
            wires, flows, np.maximum(room, 0) - np.maximum(left, 0), targets
        )
        starts = wires.tails[channels[np.cumsum(lengths) - lengths]]
        chain[targets] = chain[starts] + lengths
        room[targets] = full[targets]
        paths.append((lengths // wires.hop, channels[channels < len(network.heads)]))
    return paths
