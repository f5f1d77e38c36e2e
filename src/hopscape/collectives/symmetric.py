"""Networks under a group of symmetries: orbits, plans for one node of each, and their images.

Let a group of automorphisms act freely: none but the identity leaves a node in place. Then a
channel is never carried to itself, and the channels fall into kinds, each with one channel for
every member of the group. If the chunks of one node per orbit use no kind twice in a round, the
group carries their hops to a schedule of all chunks in which no channel is used twice.

One planner builds on it, :mod:`~hopscape.collectives.symmetric_plans`, whatever the group is: maps
that a family knows (:class:`Orbits`, the algorithm 'bandwidth'), translations of Cayley graphs and
their products (:mod:`~hopscape.collectives.symmetric_translations`, the algorithm 'translations'),
or the first of these that is known ('breadth-first' on large networks).

On large networks the images are never written out (:class:`Carried`): the group, the kinds and the
hops of the chunks that stand for all others are checked as they are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ScheduleError, TooLargeError
from hopscape.core.goal import Goal
from hopscape.core.model import ALL_PORT_ONLY, Model
from hopscape.core.network import Network
from hopscape.core.numbers import byte_count
from hopscape.core.processes import require_memory
from hopscape.core.schedule import Schedule
from hopscape.core.verdict import Verdict

__all__ = ["WRITTEN", "Carried", "OrbitPlan", "Orbits", "View", "is_written"]

WRITTEN = 3000
"""Nodes up to which all transfers are written out."""


def is_written(network: Network) -> bool:
    """Are all transfers of a plan written out? Else only those of one node of each orbit."""
    return network.order <= WRITTEN


class Orbits:
    """The orbits of nodes and channels under a group that acts freely.

    Args:
        network: Of parallel links, the first is carried to the first, and so on.
        moves (int64[members, order], optional): The group, one permutation of the nodes in each
            row; what the family answers (:meth:`Family.rotations`) when left out, or the identity
            alone.

    Attributes:
        own (int64[orbits]): The lowest node of each orbit.
        orbit (int64[order]): The orbit of each node.
        move (int64[order]): The member that moves the lowest node of its orbit to each node.
        kinds (int64[channels]): The kind of each channel.
    """

    def __init__(self, network: Network, moves: IntArray | None = None) -> None:
        self.network = network
        nodes = np.arange(network.order)
        if moves is None and network.family is not None:
            moves = network.family.rotations()
        self.moves = nodes[None, :] if moves is None else moves
        require_memory(24 * self.moves.size, f"the symmetries of {network.spec}")
        self.inverse = np.argsort(self.moves, axis=1)
        first = self.moves.min(axis=0)
        self.own, self.orbit = np.unique(first, return_inverse=True)
        self.move = np.argmax(self.inverse == first[None, :], axis=0)
        tails, heads = network.tails.astype(np.int64), network.heads.astype(np.int64)
        self._keys = tails * network.order + heads
        self._sorted = np.argsort(self._keys, kind="stable")
        self._among = np.empty(len(tails), dtype=np.int64)  # parallel links: which one
        self._among[self._sorted] = np.arange(len(tails)) - np.searchsorted(
            self._keys, self._keys[self._sorted], sorter=self._sorted
        )
        own = self.own[self.orbit[tails]]
        home = self.channels(own, self.inverse[self.move[tails], heads], self._among)
        _, self.kinds = np.unique(home, return_inverse=True)

    @property
    def members(self) -> int:
        """Size of the group."""
        return len(self.moves)

    def fault(self) -> str:
        """What is wrong with the group or the kinds of channels; empty when nothing is.

        Automorphisms that generate all the others, none of which leaves a node in place.
        """
        nodes = np.arange(self.network.order)
        still = (self.moves == nodes).sum(axis=1)
        if sorted(still.tolist()) != [0] * (self.members - 1) + [self.network.order]:
            return "a symmetry leaves some nodes in place and moves others"
        row_of = np.full(self.network.order, -1)
        row_of[self.moves[:, 0]] = np.arange(self.members)
        for move in self._generators(row_of):
            if (self.moves[row_of[move[self.moves[:, 0]]]] != move[self.moves]).any():
                return "the symmetries are no group"
            tails, heads = move[self.network.tails], move[self.network.heads]
            channels = self.channels(tails, heads, self._among)
            if (self._keys[channels] != tails * self.network.order + heads).any():
                return "a symmetry does not lead links to links"
            if (self.kinds[channels] != self.kinds).any():
                return "a symmetry leads a channel to one of another kind"
        if (np.bincount(self.kinds) != self.members).any():
            return "a kind has more or fewer channels than there are symmetries"
        return ""

    def _generators(self, row_of: IntArray) -> list[IntArray]:
        """Members that generate the group, by where they lead node 0."""
        reached = np.zeros(self.members, dtype=bool)
        reached[row_of[0]] = True
        chosen: list[IntArray] = []
        while not reached.all():
            row = int(np.argmin(reached))
            chosen.append(self.moves[row])
            reached[row] = True
            fresh = self.moves[reached, 0]
            while len(fresh):
                rows = np.unique(row_of[np.concatenate([move[fresh] for move in chosen])])
                rows = rows[(rows >= 0) & ~reached[rows]]
                reached[rows] = True
                fresh = self.moves[rows, 0]
        return chosen

    def channels(self, tails: IntArray, heads: IntArray, among: IntArray | int = 0) -> IntArray:
        """The channels between neighbours; `among` says which of parallel ones."""
        wanted = np.asarray(tails, dtype=np.int64) * self.network.order + heads
        place = np.searchsorted(self._keys, wanted, sorter=self._sorted) + among
        return self._sorted[np.minimum(place, len(self._sorted) - 1)]

    def spread(
        self, rounds: IntArray, channels: IntArray, origins: IntArray, targets: IntArray | None
    ) -> tuple[IntArray, IntArray, IntArray]:
        """Rounds, channels and chunks of all nodes from those of one node per orbit.

        Chunks are numbered by origin, or by origin and target.
        """
        order, group = self.network.order, len(self.moves)
        require_memory(60 * group * len(rounds), f"a schedule on {self.network.spec}")
        tails, heads = self.network.tails[channels], self.network.heads[channels]
        among = self._among[channels]
        images = np.empty((group, len(rounds)), dtype=np.int64)
        chunks = np.empty((group, len(rounds)), dtype=np.int64)
        for i, move in enumerate(self.moves):
            images[i] = self.channels(move[tails], move[heads], among)
            chunks[i] = move[origins] if targets is None else move[origins] * order + move[targets]
        return np.tile(rounds, group), images.ravel(), chunks.ravel()


_COLUMNS = {"round_start", "source", "target", "chunk", "path_start", "channels"}


class View(Protocol):
    """A network under a group that acts freely.

    Attributes:
        own (int64[orbits]): A node of each orbit.
        kinds (int64[channels]): The orbit of each channel.
    """

    network: Network
    own: IntArray
    kinds: IntArray

    @property
    def members(self) -> int:
        """Size of the group."""

    def fault(self) -> str:
        """What is wrong with the group or the kinds; empty when nothing is."""


@dataclass(frozen=True)
class OrbitPlan:
    """Hops of the chunks of one node per orbit.

    Attributes:
        round, channel, origin (int64[hops]): `origin` is one of the view's own nodes.
        target (int64[hops] or None): Where the chunk goes; None in an all-gather, in which it goes
            everywhere.
    """

    view: View
    round: IntArray
    channel: IntArray
    origin: IntArray
    target: IntArray | None = None

    @property
    def rounds(self) -> int:
        """Rounds of the whole schedule."""
        return int(self.round.max(initial=-1)) + 1

    @property
    def transfers(self) -> int:
        """Transfers of the whole schedule."""
        return len(self.round) * self.view.members

    def busiest(self) -> tuple[int, int]:
        """A channel that carries most, and how many chunks that is."""
        if not len(self.channel):
            return 0, 0
        load = np.bincount(self.view.kinds[self.channel])
        return int(np.argmax(self.view.kinds == load.argmax())), int(load.max())

    def sent(self) -> int:
        """Sum over rounds of the most chunks that one node sends."""
        nodes = self.view.network.tails[self.channel]
        orbit = self.orbit[nodes]
        count = len(self.view.own)
        each = np.bincount(self.round * count + orbit, minlength=self.rounds * count)
        return int(each.reshape(-1, count).max(axis=1, initial=0).sum())

    @cached_property
    def orbit(self) -> IntArray:
        """The orbit of each node."""
        if len(self.view.own) == 1:
            return np.zeros(self.view.network.order, dtype=np.int64)
        return np.asarray(self.view.orbit, dtype=np.int64)  # type: ignore[attr-defined]

    @cached_property
    def fault(self) -> str:
        """What is wrong with the schedule that the plan stands for; empty when nothing is."""
        kinds = self.view.kinds
        slots = self.round.astype(np.int64) * (int(kinds.max(initial=0)) + 1) + kinds[self.channel]
        if len(np.unique(slots)) != len(slots):
            return "two hops use one kind of channel in one round"
        if len(self.origin) and not np.isin(self.origin, self.view.own).all():
            return "it has chunks of nodes that do not stand for their orbits"
        return self.view.fault() or (
            self._gather_fault() if self.target is None else self._exchange_fault()
        )

    def _gather_fault(self) -> str:
        network, own = self.view.network, self.view.own
        row = np.searchsorted(own, self.origin)
        tails, heads = network.tails[self.channel], network.heads[self.channel]
        came = np.full((len(own), network.order), -1, dtype=np.int64)
        came[np.arange(len(own)), own] = 0
        arrivals = row * network.order + heads
        if len(np.unique(arrivals)) != len(arrivals) or (heads == self.origin).any():
            return "a chunk comes to a node twice"
        came[row, heads] = self.round + 1
        if (came < 0).any():
            i, v = np.unravel_index(int((came < 0).argmax()), came.shape)
            return f"the chunk of node {own[i]} does not come to node {v}"
        if (came[row, tails] > self.round).any():
            return "a node sends what it does not hold before the round"
        return ""

    def _exchange_fault(self) -> str:
        network, own = self.view.network, self.view.own
        assert self.target is not None
        row = np.searchsorted(own, self.origin)
        job = row * network.order + self.target
        order = np.lexsort((self.round, job))
        job, when, channel = job[order], self.round[order], self.channel[order]
        tails, heads = network.tails[channel], network.heads[channel]
        first = np.concatenate([[True], job[1:] != job[:-1]])[: len(job)]
        last = np.concatenate([job[1:] != job[:-1], [True]])[: len(job)]
        wanted = len(own) * (network.order - 1)
        if int(first.sum()) != wanted or (self.origin == self.target).any():
            return f"{int(first.sum())} chunks move instead of {wanted}"
        if (tails[first] != own[job[first] // network.order]).any():
            return "a chunk does not start at its origin"
        if (heads[last] != job[last] % network.order).any():
            return "a chunk does not end at its target"
        inner = ~first
        before = np.nonzero(inner)[0] - 1
        if (tails[inner] != heads[before]).any() or (when[inner] <= when[before]).any():
            return "a node sends what it does not hold before the round"
        return ""


class Carried(Schedule):
    """A schedule that is the images of a plan under a group; its columns are not written out.

    Args:
        turns: The plan forwards (False) or backwards (True), one after the other: (True, False) is
            an all-reduce.
    """

    def __init__(
        self,
        plan: OrbitPlan,
        goal: Goal,
        model: Model,
        name: str,
        turns: Sequence[bool] = (False,),
    ) -> None:
        self.plan, self.turns = plan, tuple(turns)
        self.network, self.goal, self.model, self.name = plan.view.network, goal, model, name

    def __getattr__(self, name: str) -> Any:
        if name not in _COLUMNS:
            raise AttributeError(name)
        raise TooLargeError(
            f"the {self.goal.kind} of {self.network.spec} has {self.transfers:,} transfers, about"
            f" {byte_count(40 * self.transfers)}: it is kept as the plan of one node per orbit,"
            " and its transfers are not written out, listed or drawn"
        )

    @property
    def rounds(self) -> int:
        """Number of rounds."""
        return len(self.turns) * self.plan.rounds

    @property
    def transfers(self) -> int:
        """Number of transfers."""
        return len(self.turns) * self.plan.transfers

    def busiest(self) -> tuple[int, int]:
        """A channel that carries most, and how many chunks that is."""
        channel, load = self.plan.busiest()
        return channel, load * len(self.turns)

    def reversed(self, goal: Goal, name: str = "") -> Schedule:
        """Backwards in time and direction."""
        if not self.network.duplex:
            raise ScheduleError(f"{self.network.spec} has simplex channels, which have no reverse")
        turns = tuple(not turn for turn in reversed(self.turns))
        return Carried(self.plan, goal, self.model, name or f"reversed {self.name}", turns)

    def then(self, later: Schedule, goal: Goal, name: str = "") -> Schedule:
        """This schedule, and `later` after its last round."""
        if not isinstance(later, Carried) or later.plan is not self.plan:
            raise ScheduleError("a schedule that is not written out goes on with its own plan only")
        title = name or f"{self.name}, then {later.name}"
        return Carried(self.plan, goal, self.model, title, self.turns + later.turns)

    def own_verdict(self, network: Network, goal: Goal, model: Model) -> Verdict:
        """The verdict by symmetry."""
        if network is not self.network or goal != self.goal:
            raise ScheduleError("a schedule that is not written out is checked as it is only")
        details: dict[str, Any] = {"rounds": self.rounds, "transfers": self.transfers}
        why = self._unserved(model) or self.plan.fault
        if why:
            return Verdict(False, why, {"rule": "symmetry"}, details)
        details |= {
            "messages": self.transfers,
            "sum_round_max": self.rounds,
            "sizes": self.rounds,
            "duplicates": 0,
            "reached": network.order,
        }
        if self.turns[0]:
            details["added"] = self.plan.sent()
        time = model.time(self.rounds, self.rounds, self.rounds)
        details["time"] = time + model.gamma * details.get("added", 0)
        text = (
            f"{goal.describe()}: {network.order} of {network.order} nodes reached in {self.rounds}"
            f" rounds, {self.transfers} messages, 0 duplicates, by symmetry"
        )
        return Verdict(True, text, details=details)

    def _unserved(self, model: Model) -> str:
        """Why the plan, or the same backwards, does not serve the goal or the model."""
        turns = {"reduce-scatter": (True,), "all-reduce": (True, False)}
        if self.turns != turns.get(self.goal.kind, (False,)):
            return f"it is no {self.goal.kind}"
        if self.plan.target is not None and self.goal.kind != "all-to-all":
            return f"its chunks have single targets, in no {self.goal.kind}"
        hop_by_hop = model.switching == "store-and-forward"
        if model.ports is not None or model.duplex == "half" or model.switching == "circuit":
            return f"it is for {ALL_PORT_ONLY.describe()}, not {model.describe()}"
        if not hop_by_hop and (self.network.capacities() != 1).any():
            return "its channels differ in capacity"
        return ""
