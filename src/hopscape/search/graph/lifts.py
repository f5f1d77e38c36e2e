"""Lifts as objects: made from a shape, started, improved, written down and read again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.memory import require_memory
from hopscape.families.cayley import Voltage, group

__all__ = ["Shape", "Solution"]

_MOST_ELEMENTS = 1 << 24
_SAMPLES = 8


@dataclass(frozen=True)
class Shape:
    """What a lift is made of: a group, vertices of the base graph, fixed nodes, ports.

    Attributes:
        group: Such as ``semidirect(7, 3, 2)``; ``cyclic(1)`` for graphs without a symmetry.
        base: Vertices of the base graph.
        fixed: Nodes that the group leaves where they are.
        degree: Ports of each node.
        bipartite: Vertices 0, 2, ... of the base graph on one side, the others on the other side.
        ports: Ports of each node where they differ (only with the trivial group).

    Examples:
        >>> Shape("dihedral(4)", 2, 0, 3).order
        16
    """

    group: str
    base: int
    fixed: int
    degree: int
    bipartite: bool = False
    ports: tuple[int, ...] = ()

    @property
    def fold(self) -> int:
        """Order of the group."""
        return group(self.group).order

    @property
    def order(self) -> int:
        """Number of nodes."""
        return self.base * self.fold + self.fixed

    @property
    def spokes(self) -> int:
        """Orbits that a fixed node is wired to."""
        return self.degree // self.fold if self.fixed else 0

    @property
    def darts(self) -> int:
        """Ends of links of the base graph."""
        return len(self.owner)

    @cached_property
    def owner(self) -> IntArray:
        """Vertex of each dart."""
        counts = self.ports or [self.degree] * self.base
        counts = [*counts, *[self.spokes] * self.fixed]
        return np.repeat(np.arange(len(counts)), counts).astype(np.int32)

    @cached_property
    def column(self) -> IntArray:
        """First port of each dart."""
        counts = np.bincount(self.owner, minlength=self.base + self.fixed)
        first = np.cumsum(counts) - counts
        within = np.arange(len(self.owner)) - first[self.owner]
        step = np.where(self.owner < self.base, 1, self.fold)
        return (within * step).astype(np.int32)

    def inner(self) -> list[tuple[int, int]]:
        """Links between fixed nodes, which use the ports that spokes leave over."""
        left = min(self.degree - self.spokes * self.fold, self.fixed - 1)
        steps = range(1, left // 2 + 1)
        links = [(i, (i + s) % self.fixed) for s in steps for i in range(self.fixed)]
        if left % 2 and self.fixed % 2 == 0:
            links += [(i, i + self.fixed // 2) for i in range(self.fixed // 2)]
        return [(a, b) for a, b in links if a != b]


Elements = tuple[IntArray, IntArray, IntArray, IntArray]


def elements(name: str, seed: int, known: Iterable[int] = ()) -> Elements:
    """Voltages to choose from: their numbers, right[g, h] = h·g, inverses, involutions.

    All elements of the group, or of a large group as many random ones as fit, with their
    inverses and those that are known to be used. The first one is the identity.
    """
    m = group(name).order
    if m * m <= _MOST_ELEMENTS:
        return _table(name, 0, ())
    return _table(name, 1 + seed % _SAMPLES, tuple(sorted(set(known))))


@lru_cache(maxsize=8)
def _table(name: str, seed: int, known: tuple[int, ...]) -> Elements:
    found = group(name)
    m = found.order
    every = np.arange(m, dtype=np.int64)
    most = max(_MOST_ELEMENTS // m, 64)
    chosen = every
    if seed:
        some = np.random.default_rng(seed).choice(m, size=most // 2, replace=False)
        back = found.inverse(every)
        own = every[(back == every) & (every > 0)][: most // 4]
        chosen = np.unique(np.concatenate([[0], some, back[some], own, known]))
        chosen = chosen.astype(np.int64)
    require_memory(4 * len(chosen) * m, f"the table of {name}")
    right = found.product(every[None, :], chosen[:, None]).astype(np.int32)
    place = np.searchsorted(chosen, found.inverse(chosen))
    own = np.flatnonzero((place == np.arange(len(chosen))) & (chosen > 0))
    return chosen, right, place.astype(np.int32), own.astype(np.int32)


@dataclass(frozen=True)
class Solution:
    """A lift by its darts.

    Attributes:
        mate: With which dart each one is paired (itself: an involution, or void).
        volt: The group element of each dart; -1 where it is void.
    """

    shape: Shape
    mate: tuple[int, ...]
    volt: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for a file."""
        return {"mate": list(self.mate), "volt": list(self.volt)}

    def base_links(self) -> list[tuple[int, int, int]]:
        """Links of the base graph: two vertices and the voltage; fixed nodes follow the base."""
        owner = self.shape.owner
        found = [
            (int(owner[k]), int(owner[t]), g)
            for k, (t, g) in enumerate(zip(self.mate, self.volt, strict=True))
            if g >= 0 and k <= t
        ]
        base = self.shape.base
        return found + [(base + a, base + b, 0) for a, b in self.shape.inner()]

    def links(self) -> IntArray:
        """Links of the whole graph, each once: int64[links, 2]."""
        shape = self.shape
        flat = [number for link in self.base_links() for number in link]
        ends = Voltage(shape.group, shape.base, flat, shape.fixed).links()
        return np.unique(np.sort(np.stack(ends, axis=1), axis=1), axis=0).astype(np.int64)
