"""Sparse rings in a better order: where nodes stand round the rings is free.

Nodes that share several rings need only one, so that they should be close on one and may be far on
the others. All rings keep the same order of places. Annealing makes the ways short in sum; the
linear program then says what the order carries.
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.progress import track
from hopscape.families.multiring.sparse import SparseMultiring
from hopscape.metrics.rings.sparse_capacity import SparseCapacity, sparse_capacity

__all__ = ["better_order", "kinds_of_pairs"]

_STEPS = 12_000
_HOT, _COLD = 4.0, 0.15


def kinds_of_pairs(member: SparseMultiring) -> tuple[IntArray, IntArray, IntArray]:
    """The meetings of all kinds of pairs: first of each kind, and the places of the two nodes."""
    blocks = member.blocks
    starts, mine, theirs = [0], [], []
    for a in range(1 if blocks.base is not None else member.ring_count):
        for shared in blocks.meetings(a):
            mine += [t for _, t, _ in shared]
            theirs += [u for _, _, u in shared]
            starts.append(len(mine))
    return np.asarray(starts), np.asarray(mine), np.asarray(theirs)


def better_order(member: SparseMultiring, *, seed: int = 0, tries: int = 8) -> SparseCapacity:
    """A better order of the places, by seeded annealing and a linear program.

    Args:
        member: Its order is what has to be beaten.
        tries: Annealing runs; the best capacity of all is kept.

    Returns:
        SparseCapacity: Of the member in its best order (its own, when nothing better was found).
    """
    from hopscape.search.multiring.order_kernels import anneal

    if tries < 1 or seed < 0:
        raise ArgumentError(f"tries {tries} and seed {seed} must be at least 1 and 0")
    generator = np.random.default_rng(seed)
    best = sparse_capacity(member)
    if best.balanced.arcs is None:
        raise TooLargeError(f"{member.spec} has too many places to look for a better order")
    if member.parts < 2:
        return best
    pairs = kinds_of_pairs(member)
    heats = _HOT * (_COLD / _HOT) ** (np.arange(_STEPS) / _STEPS)
    for _ in track(range(tries), f"orders of {member.spec}", tries):
        order = generator.permutation(member.places)
        moves = generator.integers(0, member.places, size=(_STEPS, 2))
        luck = generator.random(_STEPS)
        order = anneal(order, member.m, *pairs, moves, luck, heats)
        found = sparse_capacity(member.in_order(order.tolist()))
        if found.balanced.capacity > best.balanced.capacity:
            best = found
    return best
