"""Which residues sit on which ring: the blocks of a design or of a difference cover.

A part of a ring has m places. In place t of ring i sits one residue, and every residue sits once in
each place, so that a node has one ring for every place.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from hopscape.algebra.designs.covers import find_cover
from hopscape.algebra.designs.difference import DifferenceSet
from hopscape.algebra.designs.symmetric import make_design
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.memory import require_memory

__all__ = ["Blocks", "ring_blocks", "ring_count"]


@dataclass(frozen=True)
class Blocks:
    """Residues by ring and place, and rings by residue and place.

    Attributes:
        residue (int64[rings, m]): In each place of each ring.
        ring (int64[residues, m]): On which each residue sits in each place.
        base: Ring i holds i - d for every d of this set, so that all rings look alike; None when
            the blocks come from no group.
    """

    residue: IntArray
    ring: IntArray
    base: DifferenceSet | None

    def meetings(self, a: int) -> list[list[tuple[int, int, int]]]:
        """For each residue b the rings that it shares with a: ring, place of a, place of b."""
        out: list[list[tuple[int, int, int]]] = [[] for _ in range(len(self.ring))]
        for t, i in enumerate(self.ring[a].tolist()):
            for u, b in enumerate(self.residue[i].tolist()):
                out[b].append((i, t, u))
        return out


def ring_count(m: int, sigma: int, rings: int | None) -> int:
    """How many rings there are: m(m - 1)/σ + 1 for a design, as given for a cover.

    Raises:
        ArgumentError: When σ does not fit, or both are given.
    """
    if rings is None:
        if not 1 <= sigma < max(m, 2):
            raise ArgumentError(f"sigma is {sigma}; a design needs 1 <= sigma < m = {m}")
        count, rest = divmod(m * (m - 1), sigma)
        if rest:
            raise ArgumentError(f"sigma is {sigma}; it must divide m(m - 1) = {m * (m - 1)}")
        return count + 1
    if sigma != 1:
        raise ArgumentError(f"sigma is {sigma} and rings {rings}; a cover has no sigma: give one")
    if not m <= rings <= m * (m - 1) + 1:
        raise ArgumentError(
            f"rings is {rings}; a cover by m = {m} has from {m} to m(m - 1) + 1 = {m * (m - 1) + 1}"
        )
    return rings


@lru_cache(maxsize=16)
def ring_blocks(m: int, sigma: int = 1, rings: int | None = None) -> Blocks:
    """The blocks of a symmetric design, or of a difference cover of so many residues.

    Raises:
        ArgumentError: When there is none, or none is known.
        TooLargeError: When the blocks would not fit in memory.

    Examples:
        >>> ring_blocks(4).residue[0].tolist(), ring_blocks(4).base.elements
        ([0, 12, 10, 4], (0, 1, 3, 9))
    """
    count = ring_count(m, sigma, rings)
    require_memory(64 * count * m, f"{count} rings with {m} places in each part")
    base: DifferenceSet | None
    if count == m:
        base = DifferenceSet((m,), tuple(range(m)), "everybody on every ring")
    elif count == m * (m - 1) // sigma + 1:
        design = make_design(count, m, sigma)
        base = design.base
        if base is None:
            return _arranged(design.blocks)
    else:
        cover = find_cover(count, m)
        if cover.elements is None:
            raise ArgumentError(
                f"rings is {count}; a cover by m = {m} is not possible: {cover.reason}"
            )
        base = cover.difference_set()
    group, every = base.group, np.arange(count)[:, None]
    steps = group.subtract(base.base, base.base[0])
    return Blocks(group.subtract(every, steps[None, :]), group.add(every, steps[None, :]), base)


def _arranged(blocks: IntArray) -> Blocks:
    """Blocks in an order in which every element stands once in each place (König's theorem)."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import maximum_bipartite_matching

    count, m = blocks.shape
    left = np.zeros((count, count), dtype=np.int8)
    np.put_along_axis(left, blocks, 1, axis=1)
    residue = np.empty((count, m), dtype=np.int64)
    ring = np.empty((count, m), dtype=np.int64)
    every = np.arange(count)
    for t in range(m):
        match = maximum_bipartite_matching(csr_matrix(left), perm_type="column")
        left[every, match] = 0
        residue[:, t] = match
        ring[match, t] = every
    return Blocks(residue, ring, None)
