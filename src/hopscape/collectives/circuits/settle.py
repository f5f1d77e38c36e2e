"""Search for informed sets on small tori: which nodes should know the message after which round.

From the last round backwards: the set before the last round is moved about, point by point, until
circuits to all others exist; then a subset of it is chosen from which it can be reached, and so on.
Circuits are found exactly (augmenting paths), so that a set that is accepted is right.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hopscape.collectives.circuits.paths import circuits_towards, wires_of
from hopscape.core.arrays import IntArray
from hopscape.core.network import Network
from hopscape.core.progress import track
from hopscape.core.schedule import Schedule

if TYPE_CHECKING:
    from hopscape.collectives.circuits.path_kernels import Wires

__all__ = ["chain_lengths", "search_sets", "shorten_sets"]


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
            found = _settle(wires, above, size, r == rounds - 1, generator, moves)
            if found is None:
                break
            sets.insert(0, found)
            above = found
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
    for step in range(moves):
        if cost == 0:
            return np.sort(chosen)
        heat = 0.8 * (1 - step / moves) + 0.05
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
        if worse <= 0 or generator.random() < math.exp(-worse / heat):
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
