"""Node-local rules: a node finds its round, its parent and its calls from its own address.

Nothing is stored but the tables of one level (p^d places), so that a torus of 40 million nodes is
asked node by node, or as many nodes as an array holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from hopscape.collectives.circuits.programs import Program
from hopscape.collectives.circuits.schemes import LEVELS, Level, power_of, scheme
from hopscape.collectives.circuits.words import Word, displacement
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.verdict import Verdict

__all__ = ["LocalRule"]


class LocalRule:
    """The rule of a named scheme on a cubic torus of side (2d + 1)^m.

    Args:
        name: One of :data:`hopscape.collectives.circuits.schemes.SCHEMES`.

    Examples:
        >>> rule = LocalRule("numeration", 25, 2)
        >>> rounds, parents = rule.roles(np.array([[0, 0], [10, 5], [11, 5]]))
        >>> rounds, parents.tolist()
        (array([0, 1, 4]), [[0, 0], [0, 0], [10, 5]])
        >>> rule.calls((10, 5), 2)
        (((0, 5),), ((0, -5),), ((1, 5),), ((1, -5),))
    """

    def __init__(self, name: str, side: int, dimension: int) -> None:
        self.base = 2 * dimension + 1
        levels = power_of(side, self.base)
        if (name, dimension) not in LEVELS or not levels:
            scheme(name, (side,) * dimension)  # says what is allowed
            raise ArgumentError(f"side is {side}; it must be a power of {self.base}")
        self.name, self.side, self.dimension, self.levels = name, side, dimension, levels
        self.rounds = dimension * levels
        self._upper, self._last = LEVELS[name, dimension]

    @cached_property
    def _tables(self) -> list[tuple[IntArray, IntArray]]:
        """Of each level, the finest first: round within it and call to each place."""
        return [self._table(k) for k in range(self.levels)]

    def _level(self, k: int) -> tuple[Program, int]:
        level: Level = self._last if k == 0 else self._upper
        unit = self.base**k
        return level(unit), unit

    def _table(self, k: int) -> tuple[IntArray, IntArray]:
        program, unit = self._level(k)
        size = self.base**self.dimension
        when = np.zeros(size, dtype=np.int64)
        move = np.zeros((size, self.dimension), dtype=np.int64)
        for r, now in enumerate(program.rounds, start=1):
            for calls in now:
                for word in calls.words:
                    jump = np.array(displacement(word, self.dimension)) // unit
                    places = self._key(calls.sources // unit + jump)
                    when[places] = r
                    move[places] = jump
        return when, move

    def _key(self, points: IntArray) -> IntArray:
        key = np.zeros(points.shape[:-1], dtype=np.int64)
        for axis in range(self.dimension):
            key = key * self.base + points[..., axis] % self.base
        return key

    def roles(self, points: IntArray) -> tuple[IntArray, IntArray]:
        """When and by whom points are informed.

        Returns:
            rounds (int64[count]): 0 for the origin.
            parents: int64[count, d]
        """
        at = np.asarray(points, dtype=np.int64)
        rounds = np.zeros(len(at), dtype=np.int64)
        parents = at.copy()
        rest = np.ones(len(at), dtype=bool)
        for k, (when, move) in enumerate(self._tables):
            unit = self.base**k
            key = self._key(at // unit)
            here = rest & (key > 0)
            rounds[here] = self.dimension * (self.levels - 1 - k) + when[key[here]]
            parents[here] -= unit * move[key[here]]
            rest &= key == 0
        return rounds, parents % self.side

    def calls(self, point: Sequence[int], round: int) -> tuple[Word, ...]:
        """The words that a node calls along in a round (from 1); none before it is informed."""
        at = np.asarray([point], dtype=np.int64)
        if not 1 <= round <= self.rounds:
            raise ArgumentError(f"round is {round}; it must be from 1 to {self.rounds}")
        if int(self.roles(at)[0][0]) >= round:
            return ()
        above, within = divmod(round - 1, self.dimension)
        program, unit = self._level(self.levels - 1 - above)
        place = at[0] % (self.base * unit)
        return tuple(
            word
            for calls in program.rounds[within]
            if (calls.sources == place).all(axis=1).any()
            for word in calls.words
        )

    def check_sample(self, count: int, seed: int = 0) -> Verdict:
        """Ask random nodes: is each called by its parent, in its round, and does it hang from o?"""
        generator = np.random.default_rng(seed)
        points = generator.integers(0, self.side, (count, self.dimension))
        rounds, parents = self.roles(points)
        chain, now = rounds, parents
        while chain.any():
            before, now_parents = self.roles(now)
            wrong = np.flatnonzero((chain > 0) & (before >= chain))
            if len(wrong):
                where = points[wrong[0]].tolist()
                return Verdict(
                    False, f"a node before {where} is informed too late", {"node": where}
                )
            chain, now = before, now_parents
        for point, parent, r in zip(points[:200], parents[:200], rounds[:200], strict=True):
            if r == 0:
                continue
            ends = [
                (parent + np.array(displacement(w, self.dimension))) % self.side
                for w in self.calls(parent.tolist(), int(r))
            ]
            if sum(np.array_equal(end, point) for end in ends) != 1:
                where = point.tolist()
                return Verdict(False, f"the parent of {where} does not call it", {"node": where})
        return Verdict(True, f"{count} of {self.side**self.dimension} nodes asked, all served")
