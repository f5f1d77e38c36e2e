"""What capacities ask of rings: steps of full ones, places of sparse ones."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from hopscape.algebra.designs.places import Blocks
from hopscape.core.arrays import IntArray

__all__ = ["FullSteps", "SparsePlaces", "ring_lengths"]


class FullSteps(Protocol):
    """Rings of some steps through the nodes 0..n-1.

    Attributes:
        rings: The step of each simplex ring, the copies of all one after the other.
        paired: Is there a ring the other way round beside each?
    """

    n: int
    copies: int
    paired: bool
    rings: tuple[int, ...]

    @property
    def spec(self) -> str: ...


class SparsePlaces(Protocol):
    """Rings with `places` positions, in parts of m, each with some of the residues.

    Attributes:
        blocks: Which residue sits where.
        spare: Places that stay empty.
    """

    m: int
    parts: int
    places: int
    spare: int
    sigma: int
    ring_count: int

    @property
    def spec(self) -> str: ...
    @property
    def order(self) -> int: ...
    @property
    def ports(self) -> int: ...
    @property
    def blocks(self) -> Blocks: ...
    @property
    def reordered(self) -> bool: ...
    def place_of(self, slots: IntArray) -> IntArray: ...


def ring_lengths(n: int, step: int) -> IntArray:
    """Arcs from node 0 to each node along the ring of a step; 0 where the ring does not go.

    Examples:
        >>> ring_lengths(8, 3).tolist(), ring_lengths(8, -2).tolist()
        ([0, 3, 6, 1, 4, 7, 2, 5], [0, 0, 3, 0, 2, 0, 1, 0])
    """
    shared = math.gcd(step, n)
    around = n // shared
    out = np.zeros(n, dtype=np.int64)
    hops = np.arange(1, around, dtype=np.int64)
    out[hops * (step % n) % n] = hops
    return out
