"""Endpoints dealt anew to the switches of a machine, so that its parts or its cables cost less.

Where a list has switches of several sizes, those of a network may be some larger and some smaller
ones, with as many endpoints as each leaves room for; and which switch has how many decides how long
cables are. Deals are drawn by lot, always in the same order; what carries the traffic that is asked
for is kept.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.design.machine import Machine
from hopscape.design.prices import PriceList
from hopscape.families.concentrated import dealt

__all__ = ["DEALT_ANEW", "MOST_DEALT", "BoxRoom", "exchanged"]

DEALT_ANEW = 8
"""Machines whose endpoints are dealt anew, from the cheapest up."""
MOST_DEALT = 2_000
"""Endpoints: of more, a few moved change the cost by little and take long to try."""
_MIXES = 24  # numbers of switches of each size that are tried, from the cheapest up
_LOTS = 12  # ways to say which switch is of which size
_SWAPPED = 0.5  # of the moves: two switches change places
_MOST_MIXES = 100_000  # beyond, machines are large and a mix saves little


class BoxRoom(NamedTuple):
    """What the switches with endpoints of one plane may be bought as.

    Attributes:
        between: int64[sites], ports to other switches.
        sizes, price: Ports and prices that there are, each dearer than the one before.
        lines: Of an endpoint.
        endpoints: To deal.
    """

    between: IntArray
    sizes: IntArray
    price: Floats
    lines: int
    endpoints: int

    @classmethod
    def of(cls, machine: Machine, sites: IntArray, prices: PriceList, radix: int) -> BoxRoom:
        """Of these switches of a machine, of which so many ports may be used.

        Examples:
            >>> from hopscape.design.offers import Offer
            >>> from hopscape.design.prices import load_prices
            >>> machine = Offer.of("concentrated(ring(5), 10, trunk=6)").machine()
            >>> room = BoxRoom.of(machine, np.arange(5), load_prices(), 48)
            >>> room.sizes.tolist(), room.between.tolist(), room.endpoints
            ([16, 32, 48], [12, 12, 12, 12, 12], 50)
        """
        graph = machine.graph
        between = (np.diff(graph.indptr) * machine.trunk)[sites]
        sizes = sorted({min(radix, int(item.size)) for item in prices.switches})
        price = [prices.switch(size).price for size in sizes]
        kept = [i for i in range(len(sizes)) if all(x > price[i] for x in price[i + 1 :])]
        return cls(
            between.astype(np.int64),
            np.array([sizes[i] for i in kept]),
            np.array([price[i] for i in kept]),
            graph.lines,
            graph.endpoints,
        )

    def cost(self, ends: IntArray) -> float:
        """Of the switches with these endpoints; infinite where there are none so large."""
        at = np.searchsorted(self.sizes, self.between + ends * self.lines)
        return float(np.append(self.price, math.inf)[at].sum())

    def deals(self, below: float, draw: random.Random) -> Iterator[IntArray]:
        """Deals to switches that cost less than this, those of the cheapest sizes first."""
        mixes = list(itertools.islice(self._mixes(below), _MIXES))
        for _, counts in mixes:
            size = np.repeat(self.sizes, counts)
            for _ in range(_LOTS):
                order = np.array(draw.sample(range(len(size)), len(size)))
                room = (size[order] - self.between) // self.lines
                if (room >= 0).all() and room.sum() >= self.endpoints:
                    yield dealt(room, self.endpoints)

    def _mixes(self, below: float) -> Iterator[tuple[float, IntArray]]:
        """Price and number of switches of each size, where these have room for all endpoints."""
        n, kinds = len(self.between), len(self.sizes)
        if kinds < 2 or math.comb(n + kinds - 1, kinds - 1) > _MOST_MIXES:
            return
        counts = _counts(n, kinds)
        price = counts @ self.price
        ports = counts @ self.sizes - int(self.between.sum())
        good = np.flatnonzero((price < below) & (ports >= self.endpoints * self.lines))
        for i in good[np.argsort(price[good], kind="stable")].tolist():
            yield float(price[i]), counts[i]


@lru_cache(maxsize=8)
def _counts(n: int, kinds: int) -> IntArray:
    """int64[ways, kinds]: all ways to choose how many of n switches are of each kind."""
    bars = np.array(list(itertools.combinations(range(n + kinds - 1), kinds - 1)))
    first, last = np.full((len(bars), 1), -1), np.full((len(bars), 1), n + kinds - 1)
    return np.asarray(np.diff(np.concatenate([first, bars, last], axis=1)) - 1)


def exchanged(ends: IntArray, draw: random.Random) -> IntArray:
    """A deal that differs in two switches: some endpoints moved, or all exchanged.

    Examples:
        >>> exchanged(np.array([4, 4, 4]), random.Random(3)).tolist()
        [3, 4, 5]
    """
    i, j = draw.sample(range(len(ends)), 2)
    other = ends.copy()
    if ends[i] != ends[j] and draw.random() < _SWAPPED:
        other[i], other[j] = ends[j], ends[i]
    else:
        many = min(int(ends[i]), draw.choice((1, 1, 1, 2, 4)))
        other[i], other[j] = ends[i] - many, ends[j] + many
    return other
