"""Butterflies: levels of 2^d words, whose links to the next level keep a word or flip one bit.

The plain butterfly has d + 1 levels in a row, the wrapped one d in a ring, the Beneš network a
butterfly and its mirror image, 2d + 1. (Folded at its last level a butterfly is
``kary_ntree(2, d)``.)

A route walks along the levels so that it comes over a link of each bit that differs.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

import numpy as np

from hopscape.core.addresses import Addresses, MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.family import Facts, Family, Layout, Symmetry, integers
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement
from hopscape.core.router import FamilyRouter, Router, pick, spread

__all__ = ["Benes", "Butterfly", "WrappedButterfly"]

_MOST = 50  # dimensions: node numbers stay below 2^62


class _Levels(Family):
    """Address (level, word). Ports: on with the word, on with a bit flipped, back, back flipped."""

    def __init__(self, d: int) -> None:
        self.d = d

    @property
    @abstractmethod
    def bits(self) -> tuple[int, ...]:
        """The bit that is flipped between level i and i + 1."""

    @property
    def levels(self) -> int:
        """Number of levels."""
        return len(self.bits) + 1

    @property
    def order(self) -> int:
        return self.levels << self.d

    @property
    def ports(self) -> int:
        return 4

    @property
    def addresses(self) -> Addresses:
        return MixedRadix((self.levels, 1 << self.d))

    def neighbours(self, nodes: IntArray) -> IntArray:
        level, word = nodes >> self.d, nodes & (1 << self.d) - 1
        flips = 1 << np.asarray(self.bits, dtype=np.int64)
        out = np.full((len(nodes), 4), -1, dtype=np.int64)
        for step, ports in ((1, (0, 1)), (-1, (2, 3))):
            other = (level + step) % self.levels
            link = np.minimum(level, other) if self.levels > len(flips) else level - (step < 0)
            wired = (level + step == other) | (self.levels == len(flips))
            flip = flips[link % len(flips)]
            out[:, ports[0]] = np.where(wired, other << self.d | word, -1)
            out[:, ports[1]] = np.where(wired, other << self.d | word ^ flip, -1)
        return out

    def symmetry(self) -> Symmetry | None:
        """Flipping bits of all words moves a node to any other of its level."""
        words = 1 << self.d
        firsts = tuple(words * level for level in range(self.levels))
        return Symmetry(firsts, (words,) * self.levels)

    def facts(self) -> Facts:
        links = 2 * len(self.bits) << self.d
        return Facts.duplex(
            links,
            2,
            4 if len(self.bits) > 1 else 2,
            diameter=2 * self.d,
            girth=4,
            node_connectivity=2,
            edge_connectivity=2,
        )

    def router(self, network: Network) -> Router:
        return LevelsRouter(network, self)

    def layout(self) -> Layout:
        level, word = np.divmod(np.arange(self.order), 1 << self.d)
        return Layout(np.stack([word, -1.5 * level], axis=1).astype(float))

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        if requirement.ports >= 4:
            every = (cls(d) for d in range(3, _MOST + 1))
            yield from (one.spec for one in every if requirement.fits(one.order))


class Butterfly(_Levels):
    """d + 1 levels of 2^d words; between level i and i + 1 bit i."""

    name = "butterfly"
    summary = "butterfly: d + 1 levels of 2^d words, a bit flipped or not from level to level"
    parameters = integers(d=("dimension", 1, _MOST))
    example = "butterfly(3)"

    @property
    def bits(self) -> tuple[int, ...]:
        return tuple(range(self.d))


class Benes(_Levels):
    """2d + 1 levels of 2^d words; bits 0 to d - 1 and back (Beneš 1965)."""

    name = "benes"
    summary = "Beneš network: a butterfly and its mirror image, 2d + 1 levels of 2^d words"
    parameters = integers(d=("dimension", 1, _MOST))
    example = "benes(2)"

    @property
    def bits(self) -> tuple[int, ...]:
        return (*range(self.d), *range(self.d - 1, -1, -1))


class LevelsRouter(FamilyRouter[_Levels]):
    """The shortest walk along the levels that comes over a link of each bit that differs.

    A walk from level a to b that goes down to `low` and up to `high` has
    2 (high - low) - |a - b| hops; of each low the least high will do: O(levels · d).
    """

    name = "covering walks"

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        d, bits = self._family.d, self._family.bits
        differ = (at ^ to) & (1 << d) - 1
        a, b = at >> d, to >> d
        first, last = np.minimum(a, b), np.maximum(a, b)
        best = np.full(len(at), 4 * len(bits), dtype=np.int64)
        for low in range(len(bits) + 1):
            high = np.maximum(last, low)
            fits = first >= low
            for bit in range(d):
                links = [i for i, one in enumerate(bits) if one == bit and i >= low]
                needed = differ >> bit & 1 == 1
                if links:
                    high = np.where(needed, np.maximum(high, links[0] + 1), high)
                else:
                    fits &= ~needed
            hops = 2 * (high - low) - (last - first)
            best = np.where(fits, np.minimum(best, hops), best)
        return best

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        return pick(self.shortest_ports(at, to), spread(at, to))


class WrappedButterfly(_Levels):
    """d levels of 2^d words in a ring; between level i and i + 1 bit i, all nodes alike."""

    name = "wrapped_butterfly"
    summary = "wrapped butterfly: a butterfly whose first and last level are one, d·2^d nodes"
    parameters = integers(d=("dimension", 3, _MOST))
    example = "wrapped_butterfly(3)"
    transitive = True

    @property
    def bits(self) -> tuple[int, ...]:
        return tuple(range(self.d))

    @property
    def levels(self) -> int:
        return self.d

    def symmetry(self) -> Symmetry:
        return Symmetry.of_transitive(self.order)

    def translate(self, by: IntArray, nodes: IntArray) -> IntArray:
        """Turn the levels, and the words with them; then flip bits."""
        d, ones = self.d, (1 << self.d) - 1
        turn, word = by >> d, nodes & ones
        turned = (word << turn | word >> (d - turn)) & ones
        return ((nodes >> d) + turn) % d << d | turned ^ (by & ones)

    def facts(self) -> Facts:
        return Facts.symmetric(self.order, 4, 3 * self.d // 2, girth=4 if self.d > 3 else 3)

    def router(self, network: Network) -> Router:
        return WrappedRouter(network, self)

    def layout(self) -> Layout:
        level, word = np.divmod(np.arange(self.order), 1 << self.d)
        turn = 2 * np.pi * (level / self.d + word / self.order)
        return Layout(np.stack([np.cos(turn), np.sin(turn)], axis=1) * (1 + word[:, None] % 2))


class WrappedRouter(FamilyRouter[WrappedButterfly]):
    """The shortest walk round the ring of levels that comes over the links of all bits that differ.

    One of the two arcs between start and goal is walked once; of the other all but the longest
    stretch without such a link there and back.
    """

    name = "covering walks"

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        d = self._family.d
        differ = (at ^ to) & (1 << d) - 1
        start = at >> d
        goal = ((to >> d) - start) % d
        free = [np.zeros(len(at), dtype=np.int64), np.zeros(len(at), dtype=np.int64)]
        run = np.zeros(len(at), dtype=np.int64)
        for i in range(d):  # links from the start upwards: first those before the goal
            run = np.where((differ >> (start + i) % d & 1 == 1) | (goal == i), 0, run)
            run = run + (differ >> (start + i) % d & 1 == 0)
            free[0] = np.where(i < goal, np.maximum(free[0], run), free[0])
            free[1] = np.where(i < goal, free[1], np.maximum(free[1], run))
        over = goal + 2 * (d - goal - free[1])
        under = d - goal + 2 * (goal - free[0])
        return np.minimum(over, under)

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        return pick(self.shortest_ports(at, to), spread(at, to))
