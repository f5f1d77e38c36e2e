"""Building schedules of several phases: each starts when the one before has ended."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.papers.rpc.wiring import Loop, Stack

__all__ = ["Phases", "laid_out", "rules_of", "stack_of"]


def rules_of(model: Model) -> Model:
    """The model wanted, store-and-forward; all-port full duplex with unit messages by default."""
    return replace(model, switching="store-and-forward")


def stack_of(network: Network) -> Stack:
    """The family of a network, which must be one of this room."""
    if not isinstance(network.family, Stack):
        raise ArgumentError(f"{network.spec} is not a stack of slices")
    return network.family


class Phases:
    """A schedule in the making.

    Args:
        network, model, goal: What the schedule is for.
    """

    def __init__(self, network: Network, model: Model, goal: Goal) -> None:
        self.network, self.model, self.goal = network, model, goal
        self.family = stack_of(network)
        self.now = 0
        self.lengths: list[int] = []
        self._columns: list[tuple[IntArray, IntArray, IntArray]] = []

    def add(self, rounds: IntArray, channels: IntArray, chunks: IntArray) -> None:
        """A phase whose rounds are known, counted from its own start."""
        length = int(rounds.max(initial=-1)) + 1
        if length:
            self._columns.append((rounds + self.now, channels, chunks))
            self.now += length
        self.lengths.append(length)

    def hop(self, at: IntArray, to: IntArray, chunks: IntArray, *, single: bool = False) -> None:
        """Every packet makes one hop to a neighbour, or stays; a link may have to be used often.

        Args:
            at, to, chunks: arrays of int
            single: One datum per message even where the model would pack.
        """
        moving = at != to
        channels = self.channels_between(at[moving], to[moving])
        self.walk(np.arange(len(channels) + 1), channels, chunks[moving], single=single)

    def walk(
        self, starts: IntArray, channels: IntArray, chunks: IntArray, *, single: bool = False
    ) -> None:
        """Packets along given paths of channels, the farthest to go first."""
        self._add_timed(self._timed(starts, channels, self.model, single=single), chunks)

    def walk_shorter(self, starts: IntArray, channels: IntArray, chunks: IntArray) -> None:
        """As :meth:`walk`; in half duplex the directions may take turns.

        Rounds of a full-duplex schedule are split in two then, up the node numbers and down, and
        empty ones are left out. The shorter of both is taken.
        """
        moves = self._timed(starts, channels, self.model)
        if self.model.duplex == "half" and self.model.ports is None:
            rounds, used, packet = self._timed(starts, channels, replace(self.model, duplex="full"))
            down = self.network.tails[used] > self.network.heads[used]
            _, turns = np.unique(2 * rounds + down, return_inverse=True)
            if turns.max(initial=-1) < moves[0].max(initial=-1):
                moves = turns, used, packet
        self._add_timed(moves, chunks)

    def _timed(
        self, starts: IntArray, channels: IntArray, model: Model, *, single: bool = False
    ) -> tuple[IntArray, IntArray, IntArray]:
        """Round, channel and packet of every hop."""
        from hopscape.collectives.greedy_kernels import Rules, route_packets

        if not len(channels):
            nothing = np.empty(0, dtype=np.int64)
            return nothing, nothing, nothing
        packed = model.packing == "packed" and not single
        rules = Rules.of(self.network, model.ports, model.duplex == "half", packed)
        return route_packets(starts.astype(np.int64), channels.astype(np.int64), rules)

    def _add_timed(self, moves: tuple[IntArray, IntArray, IntArray], chunks: IntArray) -> None:
        rounds, used, packet = moves
        self.add(rounds, used, chunks[packet])

    def channels_between(self, at: IntArray, to: IntArray) -> IntArray:
        """The channels between neighbours."""
        rows = self.family.neighbours(at)
        hit = rows == to[:, None]
        return self.network.channel_at(at, hit.argmax(axis=1))

    def ring_walk(
        self, at: IntArray, to: IntArray, chunks: IntArray, *, both_ways: bool
    ) -> IntArray:
        """All packets along their rings to the slices of their targets; their places then.

        One ring after the other, clockwise or the shorter way. From one packet per node, packets of
        one direction of a first ordinary ring keep in step and never meet.
        """
        size = self.family.slice.size
        stride, first = self.family.order, self.family.slice.ports
        for i, loop in enumerate(self.family.loops):
            stride //= loop.size
            here = at // stride % loop.size
            gap = (to // stride - here) % loop.size
            starts, step, port, offset = laid_out(loop, gap, both_ways)
            who = np.repeat(np.arange(len(at)), np.diff(starts))
            nodes = at[who] + ((here[who] + offset) % loop.size - here[who]) * stride
            channels = self.network.channel_at(nodes, first + port)
            apart = self.model.duplex == "full" or (not both_ways and loop.size > 2)
            if i == 0 and loop.plain and apart and self.model.ports is None:
                self.add(step, channels, chunks[who])  # nobody is in anybody's way
            else:
                self.walk(starts, channels, chunks)
            at = at + ((here + gap) % loop.size - here) * stride
            first += 2 * len(loop.steps)
        assert (at // size == to // size).all()
        return at

    def schedule(self, name: str) -> Schedule:
        """Everything so far."""
        if not self._columns:
            empty = np.empty(0, dtype=np.int64)
            return Schedule.from_columns(
                self.network, self.model, self.goal, round=empty, channels=empty, name=name
            )
        rounds, channels, chunks = (np.concatenate(c) for c in zip(*self._columns, strict=True))
        return Schedule.from_columns(
            self.network,
            self.model,
            self.goal,
            round=rounds,
            channels=channels,
            chunk=chunks,
            name=name,
        )


def laid_out(
    loop: Loop, gap: IntArray, both_ways: bool
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Hops over given gaps, packet by packet: where they start, and the number, port and offset
    from the first position of each."""
    if loop.plain:
        up = 2 * gap <= loop.size if both_ways else np.ones(len(gap), dtype=bool)
        hops = np.where(up, gap, loop.size - gap)
        starts = np.concatenate([[0], np.cumsum(hops)])
        step = np.arange(starts[-1]) - np.repeat(starts[:-1], hops)
        down = np.repeat(~up, hops)
        return starts, step, down.astype(np.int64), np.where(down, -step, step)
    walks = [loop.walk(g) for g in range(loop.size)]
    moves = [np.asarray(walk, dtype=np.int64).reshape(-1, 2) for walk in walks]
    hops = np.asarray([len(walk) for walk in walks], dtype=np.int64)[gap]
    starts = np.concatenate([[0], np.cumsum(hops)])
    step = np.arange(starts[-1]) - np.repeat(starts[:-1], hops)
    port, offset = [], []
    for g in gap.tolist():
        port.append(moves[g][:, 0])
        offset.append(np.cumsum(moves[g][:, 1]) - moves[g][:, 1])
    return starts, step, np.concatenate(port), np.concatenate(offset)
