"""What the checks measure with: breadth-first search on numbers, and over the wires built."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.distances import distances_from
from hopscape.core.network import Network
from hopscape.families.circulant.wiring import Circulant

__all__ = ["diameter", "distances", "in_d", "polynomial", "shown", "wired"]


def distances(nodes: int, generators: Sequence[int]) -> IntArray:
    """From node 0, by breadth-first search on the numbers alone; -1 where there is no path."""
    steps = np.asarray([t for s in generators for t in (s, -s)], dtype=np.int64)
    hops = np.full(nodes, -1)
    hops[0] = 0
    fresh, level = np.zeros(1, dtype=np.int64), 0
    while len(fresh):
        level += 1
        reached = np.unique((fresh[:, None] + steps) % nodes)
        fresh = reached[hops[reached] < 0]
        hops[fresh] = level
    return hops


def diameter(nodes: int, generators: Sequence[int]) -> int:
    """By :func:`distances`; -1 when not connected."""
    hops = distances(nodes, generators)
    return int(hops.max()) if hops.min() >= 0 else -1


def wired(family: Circulant) -> IntArray:
    """Distances from node 0 over the wires of the network that the family builds."""
    return distances_from(Network.of(family), 0)


def polynomial(coefficients: Sequence[int], x: int) -> int:
    """The constant comes first."""
    return sum(c * x**i for i, c in enumerate(coefficients))


def in_d(table: Sequence[Sequence[int]], d: int) -> int:
    """A polynomial in ⌊d/3⌋ chosen by d mod 3."""
    return polynomial(table[d % 3], d // 3)


def shown(nodes: int, generators: Sequence[int]) -> str:
    """As the paper writes a circulant."""
    return f"({nodes}; {', '.join(map(str, generators))})"
