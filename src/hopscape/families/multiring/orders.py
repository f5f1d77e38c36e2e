"""Sparse rings in a better order: where nodes stand round the rings is free.

Nodes of the same residue share m rings but need only one, so that they should be close on one and
far on the others. All rings keep the same order of places, which leaves them alike. Annealing makes
the ways short in sum; the linear program then says what the order carries.
"""

from __future__ import annotations

import math

import numpy as np

from hopscape.core.errors import ArgumentError
from hopscape.core.progress import track
from hopscape.families.multiring.sparse import SparseMultiring
from hopscape.families.multiring.sparse_capacity import SparseCapacity, sparse_capacity

__all__ = ["better_order", "saved_arcs"]

_STEPS = 12_000
_HOT, _COLD = 4.0, 0.15


def saved_arcs(m: int, order: list[int]) -> int:
    """Arcs on a ring that pairs of the same residue need not use, each pair once.

    Examples
    --------
    >>> saved_arcs(2, list(range(10)))
    30
    """
    places = len(order)
    place = [0] * places
    for p, slot in enumerate(order):
        place[slot] = p
    parts, total = places // m, 0
    for g in range(parts):
        for h in range(g + 1, parts):
            far = least = 0
            for t in range(m):
                d = abs(place[g * m + t] - place[h * m + t])
                d = min(d, places - d)
                far += d
                least = d if t == 0 or d < least else least
            total += far - least
    return total


def _anneal(m: int, places: int, generator: np.random.Generator) -> tuple[int, list[int]]:
    order = [int(x) for x in generator.permutation(places)]
    value = saved_arcs(m, order)
    best, best_order = value, list(order)
    moves = generator.integers(0, places, size=(_STEPS, 2)).tolist()
    luck = generator.random(_STEPS).tolist()
    for i, (a, b) in enumerate(moves):
        heat = _HOT * (_COLD / _HOT) ** (i / _STEPS)
        order[a], order[b] = order[b], order[a]
        changed = saved_arcs(m, order)
        if changed >= value or luck[i] < math.exp((changed - value) / heat):
            value = changed
            if value > best:
                best, best_order = value, list(order)
        else:
            order[a], order[b] = order[b], order[a]
    return best, best_order


def better_order(member: SparseMultiring, *, seed: int = 0, tries: int = 8) -> SparseCapacity:
    """A better order of the places, by seeded annealing and a linear program.

    Parameters
    ----------
    member : SparseMultiring
        Its order is what has to be beaten.
    seed : int
    tries : int
        Annealing runs; the best capacity of all is kept.

    Returns
    -------
    SparseCapacity
        Of the member in its best order (its own, when nothing better was found).
    """
    if tries < 1:
        raise ArgumentError(f"tries is {tries}; it must be at least 1")
    generator = np.random.default_rng(seed)
    best = sparse_capacity(member)
    if member.parts < 2:
        return best
    for _ in track(range(tries), f"orders of {member.spec}", tries):
        _, order = _anneal(member.m, member.places, generator)
        found = sparse_capacity(SparseMultiring(member.m, member.K, order))
        if found.balanced.capacity > best.balanced.capacity:
            best = found
    return best
