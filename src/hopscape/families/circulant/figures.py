"""Diameter, mean distance and distance counts of one circulant, by whatever gives them soonest.

With one or two generators the lattice is as good as a closed form. With three it is quicker than
a search of the network beyond a million nodes. With four and five the diameter takes
seconds; with six the search for it is cut short, and mostly there are bounds only. The mean
distance takes a minute with four generators; with more all nodes are counted, see :mod:`balls`.

How many nodes of a circulant are how far, by growing the ball round node 0 as a bit set.

A circulant with N nodes needs N/4 bytes and, for every distance, a look at 2k shifted copies of
N/64 words: a thousand million nodes take seconds to minutes, with any number of generators. The
lattice (:mod:`hopscape.algebra.lattices.census`) is quicker for few generators, and the only way at
far larger orders.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

import numpy as np

from hopscape.algebra.lattices.cell import Farthest, Lattice, farthest
from hopscape.algebra.lattices.census import CENSUS_DIMENSIONS, Census
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.measured import Measured
from hopscape.core.numbers import number
from hopscape.core.processes import require_memory
from hopscape.core.progress import human_time, track
from hopscape.families.circulant.closed_forms import fold, least_mean, ulb

__all__ = ["Figures", "ball_sizes", "seconds_to_grow"]

_SOONER = {1: 0, 2: 0, 3: 10**6}  # from how many nodes on the lattice is quicker than a search
_SEARCHED = 10**7  # nodes up to which a search is quicker with four and more generators
_COUNTED = 10**6  # up to so many nodes a search lists the distances soon enough
_MOST_ROWS = 100_000  # distances that are counted one by one, ten thousand in a second
_MOST_DIMENSIONS = 6  # boxes of the lattice cell grow exponentially with the generators
_BOXES = {6: 4_000}  # after which the search for the farthest node is cut short
_MOST_BOXES = 20_000  # of up to 64 bits; longer numbers take longer
_CENSUS_SECONDS = 60.0  # with four generators
_PIECES = 2_000  # of the cell of three generators; mostly it has some hundred
_SAMPLE = 400  # nodes: the standard error of the mean is a twentieth of the spread of the distances


@dataclass(frozen=True)
class Figures:
    """Exact figures of a connected circulant from its lattice.

    Args:
        folded: Different generators from 1 to N/2.

    Examples:
        >>> figures = Figures.of(10**18 + 9, (1, 10**9))
        >>> figures.farthest.most, figures.within(999999995), figures.within(999999996)
        (999999996, 1000000000000000001, 1000000000000000009)
        >>> round(float(figures.known_mean()), 3)
        500000000.0
    """

    nodes: int
    folded: tuple[int, ...]

    @classmethod
    def of(cls, nodes: int, generators: Sequence[int]) -> Figures:
        """Of a circulant with any generators; those that mean the same links count once."""
        return _figures(nodes, tuple(sorted(set(fold(nodes, generators)))))

    @cached_property
    def lattice(self) -> Lattice:
        """Of the different generators."""
        return Lattice(self.nodes, self.folded)

    @cached_property
    def farthest(self) -> Farthest:
        """The largest distance, or bounds for it."""
        most = _BOXES.get(len(self.folded), _MOST_BOXES)
        return farthest(self.lattice, most * 64 // max(64, self.nodes.bit_length()))

    @cached_property
    def census(self) -> Census:
        """The numbers of nodes by distance, however long it takes; with up to four generators."""
        return self._quick_census or Census(self.lattice)

    @cached_property
    def _quick_census(self) -> Census | None:
        """The same with up to three generators, unless their cell is cut into many pieces."""
        if len(self.folded) not in _SOONER:
            return None
        try:
            return Census(self.lattice, _PIECES)
        except TooLargeError:
            return None

    @property
    def searched(self) -> bool:
        """Is a search of the network quicker than the lattice?"""
        return self.nodes <= _SOONER.get(len(self.folded), _SEARCHED)

    def known_diameter(self) -> int | None:
        """The diameter, where a search would take longer; None otherwise."""
        if self.nodes == 1:
            return 0
        if len(self.folded) > _MOST_DIMENSIONS or self.searched:
            return None
        distance = self.farthest
        return distance.most if distance.most == distance.least else None

    def known_mean(self) -> Fraction | None:
        """The mean distance, where a search would take longer; None otherwise."""
        if self.nodes == 1 or self.searched or self._quick_census is None:
            return None
        return Fraction(self._quick_census.distance_sum, self.nodes - 1)

    def known_counts(self) -> list[int] | None:
        """How many nodes are at each distance, where a search would take longer; None otherwise.

        Examples:
            >>> sum(Figures.of(10**9 + 7, (1, 44721)).known_counts())
            1000000007
        """
        if self.nodes <= _COUNTED or self._quick_census is None:
            return None
        most = self.farthest.most
        rows = _MOST_ROWS if len(self.folded) < 3 else _MOST_ROWS // 20
        return self._quick_census.histogram(most) if most < rows else None

    def within(self, radius: int) -> int:
        """How many nodes are at most this far from any node, itself included."""
        if radius < 0:
            raise ArgumentError(f"the distance is {radius}; it must be at least 0")
        if self.nodes == 1:
            return 1
        if len(self.folded) > CENSUS_DIMENSIONS:
            return ball_sizes(self.nodes, self.folded, radius)[-1]
        return self.census.within(radius)

    @property
    def seconds_to_count(self) -> float:
        """About how long :meth:`count` takes with four generators and more."""
        few = len(self.folded) <= CENSUS_DIMENSIONS
        return min(self._seconds_to_grow, _CENSUS_SECONDS if few else math.inf)

    @property
    def _seconds_to_grow(self) -> float:
        return seconds_to_grow(self.nodes, len(self.folded), self._diameter_bounds()[1])

    def count(self) -> tuple[Fraction, list[int] | None]:
        """The exact mean distance and the numbers of nodes by distance, however long it takes.

        The numbers are None where the lattice gives the mean much sooner.

        Examples:
            >>> Figures.of(1001, (1, 5, 25, 125, 500)).count()[1]
            [1, 10, 46, 126, 226, 270, 210, 94, 18]
        """
        if self._seconds_to_grow > 2 * self.seconds_to_count:
            return Fraction(self.census.distance_sum, self.nodes - 1), None
        sizes = ball_sizes(self.nodes, self.folded, self._diameter_bounds()[1])
        counts = [b - a for a, b in zip([0, *sizes], sizes, strict=False)]
        return Fraction(sum(r * c for r, c in enumerate(counts)), self.nodes - 1), counts

    def estimate(self, fact: str) -> Measured[Any] | None:
        """What can be said of a diameter or mean distance that is not known."""
        if fact not in ("diameter", "radius", "mean_distance"):
            return None
        least, most = self._diameter_bounds()
        if fact != "mean_distance":
            note = f"from {least:,} to {most:,}; not exactly with {len(self.folded)} generators"
            return Measured(most, "bound", note, least, most)
        mean = least_mean(self.nodes, len(self.folded))
        note = f"from {number(float(mean))} to {most:,}"
        if len(self.folded) > _MOST_DIMENSIONS:
            return Measured(most, "bound", note, mean, most)
        note += f"; the mean of {_SAMPLE} random nodes"
        return Measured(self._sampled_mean(), "sampled", note, mean, most)

    def _diameter_bounds(self) -> tuple[int, int]:
        bound = ulb(self.nodes, len(self.folded))
        if len(self.folded) > _MOST_DIMENSIONS:
            return bound, self.lattice.reach
        return max(self.farthest.least, bound), self.farthest.most

    def _sampled_mean(self) -> float:
        digits = np.random.default_rng(0).integers(
            0, 2**31, (_SAMPLE, 1 + len(str(self.nodes)) // 4)
        )
        nodes = [sum(int(d) << 31 * i for i, d in enumerate(row)) % self.nodes for row in digits]
        return sum(sum(map(abs, self.lattice.shortest(v))) for v in nodes) / _SAMPLE


@cache
def _figures(nodes: int, folded: tuple[int, ...]) -> Figures:
    return Figures(nodes, folded)


_PER_WORD = 7e-9  # seconds for one generator, 64 nodes and one distance
_MOST_SECONDS = 4 * 3600.0  # a night's run is refused by its estimate, not by its end


def seconds_to_grow(nodes: int, generators: int, radius: int) -> float:
    """About how long the balls up to this radius take."""
    return float(radius * generators * (nodes // 64 + 1) * _PER_WORD)


def ball_sizes(nodes: int, generators: Sequence[int], radius: int) -> list[int]:
    """How many nodes are within 0, 1, 2, ... hops, up to the radius or until all are.

    Args:
        generators: From 1 to N/2.

    Raises:
        TooLargeError: When two bit sets do not fit into memory, or four hours would not be enough.

    Examples:
        >>> ball_sizes(48, (1, 20), 9)
        [1, 5, 13, 25, 41, 48]
    """
    words = ((nodes + 127) >> 6) + 2
    require_memory(16 * words, f"counting {nodes:,} nodes by distance")
    seconds = seconds_to_grow(nodes, len(generators), radius)
    if seconds > _MOST_SECONDS:
        raise TooLargeError(
            f"counting {nodes:,} nodes by distance, up to {radius:,}, would take"
            f" {human_time(seconds)}"
        )
    from hopscape.families.circulant.ball_kernels import first_ball, grow_ball

    ball, wider = np.zeros(words, np.uint64), np.zeros(words, np.uint64)
    steps = np.asarray(generators, dtype=np.int64)
    first_ball(ball, nodes)
    sizes = [1]
    for _ in track(range(radius), f"balls of {nodes:,} nodes"):
        if sizes[-1] == nodes:
            break
        sizes.append(int(grow_ball(ball, wider, nodes, steps)))
        ball, wider = wider, ball
    return sizes
