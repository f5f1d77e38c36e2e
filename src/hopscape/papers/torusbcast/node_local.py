"""Node-local rules: a node finds its round, its parent and its calls from its own address.

Nothing is stored but the tables of one level (p^d places), so that a torus of 40 million nodes is
asked node by node, or as many nodes as an array holds.

Broadcast from many sources: the same rules, entered later.

If the (2d + 1)^s vertices that a scheme informs in its first s rounds all hold the message at the
beginning, the remaining rounds finish the broadcast. With k sources on N vertices no broadcast is
quicker than log_{2d+1}(N/k) rounds, and this one takes exactly so many.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from hopscape.collectives.circuits.schemes import LEVELS, Level, power_of, scheme
from hopscape.collectives.circuits.torus import Program, Word, displacement, reach, to_schedule
from hopscape.core.addresses import MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.core.verdict import Verdict
from hopscape.core.verify import verify

__all__ = ["LocalRule", "ManySources", "feed"]


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


class ManySources:
    """A named scheme that starts from the vertices of its first `start` rounds.

    Args:
        name: One of :data:`hopscape.collectives.circuits.schemes.SCHEMES`.
        side, dimension: A cubic torus of side (2d + 1)^m.
        start: Rounds that are skipped, from 0 (one source) to d·m (everybody has it).

    Examples:
        >>> many = ManySources("numeration", 25, 2, 1)
        >>> many.count, many.rounds, many.lower_bound
        (5, 3, 3)
        >>> many.sources().tolist()
        [[0, 0], [10, 5], [15, 20], [20, 10], [5, 15]]
        >>> many.roles(np.array([[10, 5], [11, 5]]))[0]
        array([0, 3])
    """

    def __init__(self, name: str, side: int, dimension: int, start: int) -> None:
        self.rule = LocalRule(name, side, dimension)
        if not 0 <= start <= self.rule.rounds:
            raise ArgumentError(f"start is {start}; it must be from 0 to {self.rule.rounds}")
        self.start = start

    @property
    def count(self) -> int:
        """Number of sources."""
        return int(self.rule.base**self.start)

    @property
    def rounds(self) -> int:
        """Rounds that are left."""
        return self.rule.rounds - self.start

    @property
    def lower_bound(self) -> int:
        """Rounds that any broadcast from so many sources needs."""
        informed, rounds = self.count, 0
        while informed < self.rule.side**self.rule.dimension:
            informed *= self.rule.base
            rounds += 1
        return rounds

    @property
    def _sides(self) -> tuple[int, ...]:
        return (self.rule.side,) * self.rule.dimension

    def sources(self) -> IntArray:
        """The vertices that hold the message at the beginning, the origin first."""
        program = scheme(self.rule.name, self._sides)
        origin = np.zeros((1, self.rule.dimension), dtype=np.int64)
        return np.concatenate([origin, *reach(program)[: self.start]])

    def roles(self, points: IntArray) -> tuple[IntArray, IntArray]:
        """Round (from 1; 0 at a source) and parent (of a source: itself) of points, by address."""
        rounds, parents = self.rule.roles(points)
        late = np.maximum(rounds - self.start, 0)
        at = np.asarray(points, dtype=np.int64) % self.rule.side
        return late, np.where(late[:, None] > 0, parents, at)

    def calls(self, point: Sequence[int], round: int) -> tuple[Word, ...]:
        """The words that a node calls along in a round (from 1), by its address."""
        if not 1 <= round <= self.rounds:
            raise ArgumentError(f"round is {round}; it must be from 1 to {self.rounds}")
        return self.rule.calls(point, self.start + round)

    def schedule(self, network: Network, model: Model = Model()) -> Schedule:
        """The broadcast with a feeder, :func:`feed`: its round 0 brings the message to the sources.

        Goals have one root, so the feeder is it; the rounds after round 0 are those of the torus,
        channel by channel.
        """
        whole = to_schedule(
            scheme(self.rule.name, self._sides),
            network,
            0,
            model,
            self.rule.name,
            Goal.broadcast(0),
        )
        sources = MixedRadix(self._sides).numbers(self.sources())
        return feed(whole, self.start, sources)

    def report(self, network: Network) -> dict[str, Any]:
        """Build, verify, and compare with the lower bound."""
        verdict = verify(self.schedule(network))
        return {
            "algorithm": self.rule.name,
            "spec": network.spec,
            "sources": self.count,
            "rounds": int(verdict.details["rounds"]) - 1,
            "lower_bound": self.lower_bound,
            "max_path": int(verdict.details.get("max_path", 0)) - 1,
            "verdict": "holds" if verdict else "fails",
            "reason": verdict.reason,
        }


def feed(schedule: Schedule, start: int, sources: IntArray) -> Schedule:
    """The rounds of a schedule from `start` on, after a round in which a feeder serves the sources.

    The feeder is one more node, the last, with a link to each source and no other use. The result
    is right exactly when the later rounds are a broadcast from these sources.
    """
    net = schedule.network
    own = np.flatnonzero(net.tails < net.heads)
    first = np.concatenate([net.tails[own], np.full(len(sources), net.order)]).astype(np.int64)
    second = np.concatenate([net.heads[own], sources]).astype(np.int64)
    fed = Network.from_links(net.order + 1, first, second, spec=f"{net.spec} with a feeder")
    begin = int(schedule.round_start[start])
    channels = schedule.channels[int(schedule.path_start[begin]) :]
    starts = schedule.path_start[begin:] - schedule.path_start[begin]
    count = len(sources)
    tails = np.concatenate([np.full(count, net.order), net.tails[channels]])
    heads = np.concatenate([sources, net.heads[channels]])
    return Schedule.from_columns(
        fed,
        schedule.model,
        Goal.broadcast(net.order),
        round=np.concatenate([np.zeros(count, np.int64), schedule.round[begin:] - start + 1]),
        channels=_channels(fed, tails, heads),
        path_start=np.concatenate([np.arange(count), starts + count]),
        rounds=schedule.rounds - start + 1,
        name=schedule.name,
    )


def _channels(network: Network, tails: IntArray, heads: IntArray) -> IntArray:
    """The channels between given ends (no two links join the same nodes)."""
    keys = network.tails.astype(np.int64) * network.order + network.heads
    order = np.argsort(keys)
    wanted = tails.astype(np.int64) * network.order + heads
    channels: IntArray = order[np.searchsorted(keys[order], wanted)]
    return channels
