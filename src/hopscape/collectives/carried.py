"""Schedules of large symmetric networks: the chunks of one node per orbit, never written out.

Let a group of automorphisms act freely: none but the identity leaves a node in place. Then the
channels fall into kinds, each with one channel for every member of the group. If the chunks of one
node per orbit use no kind twice in a round, the group carries their hops to a schedule of all
chunks in which no channel is used twice. It is checked as it is kept: the group, the kinds, and the
hops of the chunks that stand for all others.
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
from hopscape.core.schedule import Schedule
from hopscape.core.verdict import Verdict

__all__ = ["Carried", "OrbitPlan", "View"]

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
            f"{goal.describe()}: {network.order} of {network.order} nodes served in {self.rounds}"
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
