"""Building schedules of several phases: each starts when the one before has ended."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.families.petersen_cycles.wiring import Stack

__all__ = ["Phases", "halved", "rules_of", "stack_of"]


def rules_of(model: Model | None) -> Model:
    """The model wanted, store-and-forward; all-port full duplex with unit messages by default."""
    return replace(model if model is not None else Model(), switching="store-and-forward")


def stack_of(network: Network) -> Stack:
    """The family of a network, which must be one of this room with a single ring."""
    family = network.family
    if not isinstance(family, Stack) or len(family.loops) != 1:
        raise ArgumentError(f"{network.spec} is no ring of slices")
    return family


class Phases:
    """A schedule in the making.

    Parameters
    ----------
    network, model, goal
        What the schedule is for.
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

        Parameters
        ----------
        at, to, chunks : arrays of int
        single : bool
            One datum per message even where the model would pack.
        """
        moving = at != to
        ways = self.channels_between(at[moving], to[moving])
        self.walk(np.arange(len(ways) + 1), ways, chunks[moving], single=single)

    def walk(
        self, starts: IntArray, ways: IntArray, chunks: IntArray, *, single: bool = False
    ) -> None:
        """Packets along given paths of channels, the farthest to go first."""
        from hopscape.collectives.greedy_kernels import route_packets

        if not len(ways):
            self.lengths.append(0)
            return
        rounds, used, packet = route_packets(
            starts.astype(np.int64),
            ways.astype(np.int64),
            self.network.tails,
            self.network.heads,
            self.network.reverse,
            self.network.order,
            self.model.ports or 0,
            self.model.duplex == "half",
            self.model.packing == "packed" and not single,
        )
        self.add(rounds, used, chunks[packet])

    def channels_between(self, at: IntArray, to: IntArray) -> IntArray:
        """The channels between neighbours."""
        rows = self.family.neighbours(at)
        hit = rows == to[:, None]
        return self.network.channel_at(at, hit.argmax(axis=1))

    def ring_walk(
        self, at: IntArray, slices: IntArray, chunks: IntArray, *, both_ways: bool
    ) -> IntArray:
        """All packets along their rings to a slice, clockwise or the shorter way; their places.

        From one packet per node, packets of one direction keep in step and never meet.
        """
        size, k = self.family.slice.size, self.family.loops[0].size
        gap = (slices - at // size) % k
        up = np.ones(len(at), dtype=bool)
        if both_ways:
            up = 2 * gap <= k
        hops = np.where(up, gap, k - gap)
        ports = np.where(up | (k == 2), self.family.slice.ports, self.family.slice.ports + 1)
        starts = np.concatenate([[0], np.cumsum(hops)])
        step = np.arange(starts[-1]) - np.repeat(starts[:-1], hops)
        place, first = np.repeat(at % size, hops), np.repeat(at // size, hops)
        sign = np.repeat(np.where(up, 1, -1), hops)
        nodes = (first + sign * step) % k * size + place
        ways = self.network.channel_at(nodes, np.repeat(ports, hops))
        in_step = not both_ways and k > 2
        if self.model.ports is None and (in_step or self.model.duplex == "full"):
            self.add(step, ways, np.repeat(chunks, hops))  # nobody is in anybody's way
        else:
            self.walk(starts, ways, chunks)
        return slices * size + at % size

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


def halved(schedule: Schedule) -> Schedule:
    """A full-duplex schedule for half duplex: every round in two, up the node numbers, then down.

    Rounds that would be empty are left out, so that it takes at most twice as long.
    """
    down = (schedule.source > schedule.target).astype(np.int64)
    split = 2 * schedule.round.astype(np.int64) + down
    _, rounds = np.unique(split, return_inverse=True)
    return Schedule.from_columns(
        schedule.network,
        replace(schedule.model, duplex="half"),
        schedule.goal,
        round=rounds,
        channels=schedule.channels,
        chunk=schedule.chunk,
        name=f"{schedule.name}, directions in turn",
    )
