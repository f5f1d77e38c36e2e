"""How many pairs of nodes lie at each distance, without visiting them.

A distance is a covering walk through the connectors of the levels that differ, plus the distances
in these levels. So pairs are counted set by set: the walks by their length, the levels by a
polynomial whose coefficient of x^d is the number of pairs of lamp states at distance d.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows
from hopscape.core.network import Network
from hopscape.families.expanded.walks import CoveringWalks, TableWalks

__all__ = ["Census"]

Kind = tuple[int, ...]
_SLICE = 1 << 12


class Census:
    """Pairs of nodes of an expanded network, counted by distance.

    Args:
        walks: Over the distinct connectors.
        times: How many levels each connector serves.
    """

    def __init__(self, walks: CoveringWalks, times: Sequence[int], lamp: Network) -> None:
        self.walks, self.times, self.lamp = walks, tuple(times), lamp
        self._lamp_rows = distance_rows(lamp, np.arange(lamp.order)).astype(np.int64)

    @cached_property
    def kinds(self) -> tuple[int, ...]:
        """The different numbers of levels per connector."""
        return tuple(sorted(set(self.times)))

    def sets(self) -> Iterator[tuple[Kind, IntArray]]:
        """Slices of all sets of connectors: how many of each kind a set has, and its members."""
        count = len(self.times)
        numbers = np.arange(1 << count)
        member = (numbers[:, None] >> np.arange(count) & 1).astype(bool)
        kind = np.asarray([self.kinds.index(t) for t in self.times], dtype=np.int64)
        has = np.zeros((len(numbers), len(self.kinds)), dtype=np.int64)
        for k in range(len(self.kinds)):
            has[:, k] = member[:, kind == k].sum(axis=1)
        for row in sorted({tuple(row) for row in has.tolist()}):
            chosen = member[(has == row).all(axis=1)]
            for low in range(0, len(chosen), _SLICE):
                yield row, chosen[low : low + _SLICE]

    @property
    def _alike(self) -> bool:
        """Do all starts look alike, all nodes of the base being connectors of equal use?"""
        known = isinstance(self.walks, TableWalks) and len(self.walks.table) == 1
        return known and len(self.times) == self.walks.base.order and len(self.kinds) == 1

    @property
    def work(self) -> int:
        """How many walks must be counted."""
        size = self.walks.base.order
        return size * (1 if self._alike else size) << len(self.times)

    @cached_property
    def walk_counts(self) -> dict[Kind, Counter[int]]:
        """By kind of set: how many triples (start, set, end) have a walk of each length."""
        size = self.walks.base.order
        found: dict[Kind, Counter[int]] = defaultdict(Counter)
        starts = np.arange(1 if self._alike else size)
        scale = size if self._alike else 1
        ends = np.arange(size)
        for kind, members in self.sets():
            for start in starts:
                wanted = np.repeat(members, size, axis=0)
                at = np.full(len(wanted), start)
                lengths = self.walks.lengths(at, wanted, np.tile(ends, len(members)))
                for length, count in enumerate(np.bincount(lengths).tolist()):
                    if count:
                        found[kind][length] += scale * count
        return dict(found)

    @cached_property
    def _apart(self) -> list[int]:
        """Pairs of lamp states by distance, equal ones included."""
        return np.bincount(self._lamp_rows.ravel()).tolist()

    def _differing(self, levels: int) -> list[int]:
        """Pairs of states of so many levels by distance, without those that are all equal."""
        out = _power(self._apart, levels)
        out[0] -= self.lamp.order**levels
        return out

    def level_counts(self, kind: Kind) -> list[int]:
        """Pairs of lamp states by distance, for sets of one kind."""
        out = [1]
        for times, chosen in zip(self.kinds, kind, strict=True):
            out = _times(out, _power(self._differing(times), chosen))
            left = self.times.count(times) - chosen
            out = [x * self.lamp.order ** (times * left) for x in out]
        return out

    def histogram(self) -> tuple[int, ...]:
        """Ordered pairs at distance 0, 1, 2, ..."""
        total: Counter[int] = Counter()
        for kind, lengths in self.walk_counts.items():
            levels = self.level_counts(kind)
            for length, count in lengths.items():
                for d, pairs in enumerate(levels):
                    if pairs:
                        total[length + d] += count * pairs
        return tuple(total[d] for d in range(max(total) + 1))

    def mean(self) -> Fraction:
        """Mean distance over ordered pairs of distinct nodes."""
        counts = self.histogram()
        return Fraction(sum(d * c for d, c in enumerate(counts)), sum(counts[1:]))

    @property
    def diameter(self) -> int:
        """Every level as far apart as can be, and the longest walk through all connectors."""
        hops = int(self._lamp_rows.max()) * sum(self.times)
        return hops + int(self.walks.through_all().max())

    @property
    def radius(self) -> int:
        """Least eccentricity: of the best start, with every lamp in a central state."""
        hops = int(self._lamp_rows.max(axis=1).min()) * sum(self.times)
        return hops + int(self.walks.through_all().max(axis=1).min())


def _times(a: Sequence[int], b: Sequence[int]) -> list[int]:
    out = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        if x:
            for j, y in enumerate(b):
                out[i + j] += x * y
    return out


def _power(a: Sequence[int], exponent: int) -> list[int]:
    out = [1]
    for _ in range(exponent):
        out = _times(out, a)
    return out
