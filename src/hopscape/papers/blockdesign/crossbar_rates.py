"""What a machine with shared crossbars carries, exactly, and not from pairs of its nodes.

Traffic between two supernodes is shared out evenly among their ways (the router ``ways``), or goes
over a third one that is any of all with equal chance (``valiant``). The load of every channel then
follows from how often every two supernodes meet: no route is walked outside a supernode.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.papers.blockdesign.crossbar_machine import CrossbarMachine
from hopscape.papers.blockdesign.machines import jumps_from
from hopscape.papers.blockdesign.sharing import pair_multiplicities

__all__ = ["CrossbarCrossings", "Loss", "Rates", "crossbar_losses", "machine_rates"]


@dataclass(frozen=True)
class Loss:
    """What is lost with one crossbar.

    Attributes:
        crossbar: Its number, from 0.
        ports: Supernodes that it joins.
        parted: Pairs of supernodes that met in no other.
        kept: Share of all pairs of supernodes that still meet.
    """

    crossbar: int
    ports: int
    parted: int
    kept: float


@dataclass(frozen=True)
class Rates:
    """What every endpoint can send, in units of a channel of speed 1, and what bounds it.

    Attributes:
        uniform: Evenly to all others, by the ways between supernodes.
        one: Every supernode to the next, by the ways between the two only.
        valiant: The same over supernodes taken by lot.
        share: valiant / uniform.
        bound_by: The kind of channel that bounds ``uniform``.
    """

    uniform: float
    one: float
    valiant: float
    share: float
    bound_by: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


class CrossbarCrossings:
    """Loads of a machine when every endpoint sends 1."""

    def __init__(self, family: CrossbarMachine) -> None:
        self.family = family
        self.crossbar, self.seat = family.shared.seats
        self.place = family.crossings[0]
        self.size, self.count = family.size, family.count
        require_memory(24 * self.count**2, f"the pairs of supernodes of {family.spec}")

    @cached_property
    def often(self) -> IntArray:
        """In how many crossbars every two supernodes meet; 1 on the diagonal, where nobody asks."""
        table = pair_multiplicities(self.family.shared.blocks, self.count)
        np.fill_diagonal(table, 1)
        return table

    @cached_property
    def alike(self) -> IntArray:
        """Supernodes that stand for all: the first, where shifts move it to every other one."""
        shifted = bool(self.family.shared.sharing.moduli)
        return np.arange(1 if shifted else self.count)

    @cached_property
    def through(self) -> Floats:
        """Of every port of a supernode, the sum of 1 / ways over the others at its crossbar."""
        blocks = self.family.shared.blocks
        out = np.zeros(self.crossbar.shape)
        for port in range(len(self.place)):
            held = np.nonzero(self.crossbar[:, port] >= 0)[0]
            others = blocks[self.crossbar[held, port]]
            wanted = (others >= 0) & (others != held[:, None])
            out[held, port] = (wanted / self.often[held[:, None], np.maximum(others, 0)]).sum(
                axis=1
            )
        return out

    def at_places(self, values: Floats) -> Floats:
        """Sums over the ports of each place of a supernode."""
        out = np.zeros((len(values), self.size))
        for port, place in enumerate(self.place):
            out[:, place] += values[:, port]
        return out

    def meeting(self, group: int) -> tuple[IntArray, IntArray, Floats]:
        """The others that a supernode meets, by which of its places, and which share of the way."""
        blocks = self.family.shared.blocks[self.crossbar[group]]
        port, seat = np.nonzero((blocks >= 0) & (self.crossbar[group] >= 0)[:, None])
        other = blocks[port, seat]
        wanted = other != group
        other, port = other[wanted], port[wanted]
        return other, self.place[port], 1.0 / self.often[group, other]

    # -- channels --------------------------------------------------------------------------

    @cached_property
    def speeds(self) -> tuple[Floats, Floats, tuple[str, ...]]:
        """Of the channels of one supernode, of the ports of every supernode; names of kinds."""
        family = self.family
        kinds = family.channel_classes()
        speed = np.array([kind.speed for kind in kinds])
        ends = np.arange(family.ends).reshape(self.count, self.size)
        outer = np.zeros(self.crossbar.shape)
        own = family.crossings[1]
        for group in range(self.count) if len(family.lanes) > 1 else range(1):
            table = family.classes_at(ends[group])
            outer[group] = speed[np.maximum(table[self.place, own], 0)]
        if len(family.lanes) < 2:
            outer[:] = outer[0].max()
        network = family.supernode
        inside = family.classes_at(family.node_at(np.zeros(1, dtype=np.int64), self._channels[0]))
        local = speed[np.maximum(inside[np.arange(len(inside)), self._channels[1]], 0)]
        assert len(local) == len(network.heads)
        return local, outer, tuple(kind.name for kind in kinds)

    @cached_property
    def _channels(self) -> tuple[IntArray, IntArray]:
        """Place and port of every channel of a supernode."""
        network = self.family.supernode
        places = self.family.places[network.tails]
        return places, network.port_of(np.arange(len(network.heads)))

    @cached_property
    def _paths(self) -> tuple[IntArray, IntArray]:
        """Channels inside a supernode and the pair (source · K + target) whose route takes each."""
        family = self.family
        every = np.arange(self.size * self.size)
        ends = family.locals
        nodes, ports = family.supernode.router().walk(
            ends[every // self.size], ends[every % self.size]
        )
        pair, hop = np.nonzero(ports >= 0)
        channel = family.supernode.channel_at(nodes[pair, hop], ports[pair, hop])
        return channel, pair

    def inside(self, demand: Floats) -> float:
        """Largest load / speed of a channel inside, for demands between places: [..., K, K]."""
        channel, pair = self._paths
        most, speed = 0.0, self.speeds[0]
        for row in demand.reshape(-1, self.size * self.size):
            load = np.bincount(channel, row[pair], len(speed))
            most = max(most, float((load / speed).max(initial=0.0)))
        return most

    def uniform(self) -> tuple[float, float]:
        """Largest load / speed between supernodes and inside, when all send evenly to others."""
        others = self.count * self.size - 1
        outer = self.size**2 / others * self.through / self.speeds[1]
        held = self.size / others * self.at_places(self.through[self.alike])
        demand = held[:, None, :] + held[:, :, None] + 1 / others
        return float(outer.max()), self.inside(demand)

    def one(self, step: int) -> tuple[float, float]:
        """The same when supernode g sends to g + step, by their own ways only."""
        most, inner = 0.0, 0.0
        for group in self.alike.tolist():
            out = self._towards(group, (group + step) % self.count)
            into = self._towards(group, (group - step) % self.count)
            table = self.often[group, (group + step) % self.count]
            ports = self._ports(group, (group + step) % self.count)
            most = max(most, float((self.size / table / self.speeds[1][group, ports]).max()))
            inner = max(inner, self.inside(out[None, :] + into[:, None]))
        return most, inner

    def valiant(self, step: int) -> tuple[float, float]:
        """The same over all supernodes by lot."""
        share = self.size / self.count
        outer = 2 * share * self.through / self.speeds[1]
        inner = 0.0
        held = self.at_places(self.through) / self.count
        for group in self.alike.tolist():
            to, before = (group + step) % self.count, (group - step) % self.count
            out = held[group] + self._towards(group, to) / self.count
            into = held[group] + self._towards(group, before) / self.count
            demand = out[None, :] + into[:, None] + share * self._over(group, step)
            inner = max(inner, self.inside(demand))
        return float(outer.max()), inner

    def _ports(self, group: int, other: int) -> IntArray:
        """Ports of a supernode to crossbars where it meets another."""
        pair = np.array([group]), np.array([other])
        return np.nonzero(self.family.shared.shared(*pair)[0])[0]

    def _towards(self, group: int, other: int) -> Floats:
        """Share of the traffic to another supernode that leaves by each place."""
        ports = self._ports(group, other)
        out = np.bincount(self.place[ports], minlength=self.size) / len(ports)
        return np.asarray(out, dtype=float)

    def _over(self, group: int, step: int) -> Floats:
        """Place by place, how much of what passes over a supernode enters and leaves: [K, K]."""
        other, place, part = self.meeting(group)
        order = np.argsort(other, kind="stable")
        other, place, part = other[order], place[order], part[order]
        goal = (other + step) % self.count
        low, high = np.searchsorted(other, goal), np.searchsorted(other, goal, side="right")
        times = high - low
        row = np.repeat(np.arange(len(other)), times)
        column = np.arange(len(row)) - np.repeat(np.cumsum(times) - times, times) + low[row]
        out = np.zeros((self.size, self.size))
        np.add.at(out, (place[row], place[column]), part[row] * part[column])
        return out


def machine_rates(family: CrossbarMachine, *, step: int = 1) -> Rates:
    """Exact rates of a machine with shared crossbars.

    Args:
        step: Supernode g sends to supernode g + step, where it sends to one other.

    Examples:
        >>> import hopscape
        >>> machine = hopscape.build("crossbar_machine(complete(4), 13)").family
        >>> rates = machine_rates(machine)
        >>> rates.uniform, rates.one, round(rates.share, 3), rates.bound_by
        (1.0625, 0.25, 0.51, 'global')
    """
    if not 1 <= step < family.count:
        raise ArgumentError(f"step is {step}; it must be from 1 to {family.count - 1}")
    crossings = CrossbarCrossings(family)
    uniform, one = crossings.uniform(), crossings.one(step)
    valiant = crossings.valiant(step)
    bound = "global" if uniform[0] >= uniform[1] else "local"
    share = max(uniform) / max(valiant)
    return Rates(1 / max(uniform), 1 / max(one), 1 / max(valiant), share, bound)


def crossbar_losses(family: CrossbarMachine) -> list[Loss]:
    """What is lost with each crossbar alone, exactly: one entry for every crossbar.

    Examples:
        >>> import hopscape
        >>> machine = hopscape.build("crossbar_machine(complete(4), 13)").family
        >>> {(loss.parted, round(loss.kept, 4)) for loss in crossbar_losses(machine)}
        {(6, 0.9231)}
    """
    often = pair_multiplicities(family.shared.blocks, family.count)
    pairs = family.count * (family.count - 1) // 2
    out = []
    for i, block in enumerate(family.shared.blocks):
        held = block[block >= 0]
        met = often[held[:, None], held[None, :]] == 1
        parted = int(np.triu(met, 1).sum())
        out.append(Loss(i, len(held), parted, 1 - parted / pairs))
    return out


def jumps_without(network: Network, crossbar: int) -> int:
    """Longest way in jumps between any two supernodes that met in a dead crossbar only, or -1.

    A search from every endpoint of all these supernodes but the last; 3 where no pair is parted.
    """
    family = network.family
    assert isinstance(family, CrossbarMachine)
    block = family.shared.blocks[crossbar]
    held = block[block >= 0]
    often = pair_multiplicities(family.shared.blocks, family.count)
    node = family.first_outer + crossbar
    dead = (network.heads == node) | (network.tails == node)
    longest = 0
    for i, group in enumerate(held.tolist()):
        parted = [other for other in held[i + 1 :].tolist() if often[group, other] == 1]
        if not parted:
            continue
        place = np.arange(family.size)
        targets = (np.asarray(parted)[:, None] * family.size + place).ravel()
        for source in (group * family.size + place).tolist():
            reached = jumps_from(network, source, dead, targets)[targets]
            if (reached < 0).any():
                return -1
            longest = max(longest, int(reached.max()))
    return longest
