"""Circuit-switched broadcast on any network, by search.

Round by round as many nodes are called as circuits can reach at once, far apart from each other
and from those that have the message. Where the last of the fewest possible rounds does not serve
everybody, the targets of the round before it are moved about (annealing; circuits by augmenting
paths, kept from move to move).

Circuits share no link; that they might use a link in both directions would not help, because two
circuits that meet head-on can change places. On request they share no node: the same search on a
network with every node cut in two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from hopscape.collectives.bounds import informed_at_most
from hopscape.collectives.circuits.ordered import ordered_circuits
from hopscape.collectives.circuits.paths import Paths, assemble, split_wires, wires_of
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, DisconnectedError, TooLargeError
from hopscape.core.family import Collective
from hopscape.core.goal import Goal
from hopscape.core.model import Disjoint, Model, Served
from hopscape.core.network import Network
from hopscape.core.progress import time_left
from hopscape.core.schedule import Schedule

if TYPE_CHECKING:
    from hopscape.collectives.circuits.path_kernels import Wires

__all__ = ["BROADCAST", "ONE_TO_MANY", "search_circuits"]

_MOST_NODES = 150_000
_TRIES = 4
_MOVES, _PORTION = 5_000, 250
"""Moves of targets in all, and in one call of the kernel."""
_EFFORT = 20_000_000
_SPENT = 0.5


@dataclass
class _Task:
    """What is to be served on which wires."""

    network: Network
    goal: Goal
    full: IntArray
    wanted: IntArray
    disjoint: str
    wires: Wires = field(init=False)

    def __post_init__(self) -> None:
        split = self.disjoint == "vertex"
        self.wires = split_wires(self.network) if split else wires_of(self.network)
        self.full = np.resize(self.full, len(self.wires.gate))

    @property
    def have(self) -> list[int]:
        """Who has the message at first."""
        assert self.goal.root is not None
        return [self.goal.root, *self.goal.sources]

    @property
    def room(self) -> IntArray:
        """How many circuits may begin at each node at first, -1 at those without the message."""
        room = np.full(len(self.wires.gate), -1, dtype=np.int64)
        room[self.have] = self.full[self.have]
        return room

    @property
    def least(self) -> int:
        """Rounds that are needed whatever the circuits are."""
        lack = self.lacking(self.room)
        others = np.setdiff1d(self.network.endpoints, self.have)
        whom = len(self.have) + len(lack)
        return len(informed_at_most(self.full[self.have], self.full[others], whom)) - 1

    def lacking(self, room: IntArray) -> IntArray:
        """Who lacks the message."""
        return self.wanted[room[self.wanted] < 0]


@dataclass
class _Round:
    """Targets of a round, the room of the nodes before it and after it, the channels in use."""

    targets: IntArray
    before: IntArray
    after: IntArray
    flows: IntArray

    def paths(self, task: _Task) -> Paths:
        """The circuits."""
        from hopscape.collectives.circuits.path_kernels import unwind_all

        begun = self.before - self.after
        lengths, channels = unwind_all(task.wires, self.flows.copy(), begun, self.targets)
        own = channels[channels < len(task.network.heads)]  # the others lead through a node
        return lengths // task.wires.hop, own


def search_circuits(
    network: Network,
    goal: Goal,
    model: Model = Model(switching="circuit", disjoint="edge"),
    *,
    seed: int = 0,
) -> Schedule:
    """A broadcast, or one to many, by circuits on any network, in as few rounds as it finds.

    Args:
        network: Links may be simplex; messages start and end at endpoints, switches forward.
        goal: Broadcast or one-to-many, of one chunk, from one root or several sources.
        model: With k ports a node begins at most k circuits in a round; ``disjoint="vertex"`` keeps
            them apart at nodes as well; ``circuits`` may ask for routes in the order of axes.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("circulant(100, 1, 10)")
        >>> search_circuits(net, Goal.broadcast(0)).rounds  # 5 · 5 · 5 ≥ 100
        3
        >>> search_circuits(net, Goal.broadcast(0), Model(ports=1, switching="circuit")).rounds
        7
    """
    if goal.chunks > 1:
        raise ArgumentError(f"circuits are searched for one chunk, not {goal.chunks}")
    if model.circuits != "any":
        return ordered_circuits(network, goal, model, seed=seed)
    if network.order > _MOST_NODES:
        raise TooLargeError(
            f"circuits are searched for up to {_MOST_NODES:,} nodes; {network.spec} has"
            f" {network.order:,}"
        )
    full = network.degrees.astype(np.int64)
    if model.ports is not None:
        full = np.minimum(full, model.ports)
    disjoint: Disjoint = "vertex" if model.shares == "vertex" else "edge"
    task = _Task(network, goal, full, goal.on(network).wanted, disjoint)
    rounds = [one.paths(task) for one in _searched(task, seed)]
    return assemble(network, goal, replace(model, disjoint=disjoint), rounds, "circuit")


def _lost(task: _Task, room: IntArray) -> DisconnectedError:
    node = int(task.lacking(room)[0])
    return DisconnectedError(
        f"{task.network.spec} has nodes that cannot be reached, so that no schedule exists"
        f" (node {node})"
    )


def _searched(task: _Task, seed: int) -> list[_Round]:
    """As few rounds as are found."""
    generator = np.random.default_rng(seed)
    best = _grown(task, np.random.default_rng(seed))
    started = time_left()
    for rounds in range(task.least, len(best)):
        for attempt in range(_TRIES):
            made = best if attempt == 0 else _grown(task, generator)
            if len(made) <= rounds:
                best = made
                break
            moved = _moved(task, made, rounds, attempt, started)
            if moved is not None:
                best = moved
                break
            if _out_of_time(started):
                break
        if len(best) <= rounds:
            break
    return best


def _out_of_time(started: float) -> bool:
    """Is half of the time that there was gone?"""
    return time_left() < _SPENT * started if started < np.inf else False


def _grown(task: _Task, generator: np.random.Generator) -> list[_Round]:
    """Rounds that inform as many as can be, far apart."""
    from hopscape.collectives.circuits.search_kernels import far_targets

    room, rounds = task.room, []
    while len(lack := task.lacking(room)):
        after, flows = room.copy(), np.zeros(len(task.wires.heads), dtype=np.bool_)
        order, count = far_targets(task.wires, after, flows, generator.permutation(lack))
        if not count:
            raise _lost(task, room)
        targets = order[:count].copy()
        rounds.append(_Round(targets, room.copy(), after, flows))
        room[targets] = task.full[targets]
    return rounds


def _moved(
    task: _Task, grown: list[_Round], rounds: int, seed: int, started: float
) -> list[_Round] | None:
    """The first rounds of a broadcast, its targets moved so that one more round is the last."""
    from hopscape.collectives.circuits.search_kernels import last_round, move_targets

    if rounds < 2:
        return None
    kept = grown[: rounds - 1]
    last = kept[-1]
    targets, after, flows = last.targets.copy(), last.after.copy(), last.flows.copy()
    room = last.before.copy()
    room[targets] = task.full[targets]
    *state, lacking = last_round(task.wires, room, task.wanted)
    for portion in _portions(task.network.order):
        if not lacking or _out_of_time(started):
            break
        lacking = move_targets(
            task.wires,
            task.full,
            task.wanted,
            targets,
            (after, flows),
            tuple(state),
            seed + 1000 * portion,
            _PORTION,
        )
    if lacking:
        return None
    room = last.before.copy()
    room[targets] = task.full[targets]
    end = _Round(task.lacking(room), room, state[0], state[1])
    return [*kept[:-1], _Round(targets, last.before, after, flows), end]


def _portions(order: int) -> Iterator[int]:
    """Numbers of portions of moves, fewer on large networks."""
    yield from range(max(min(_MOVES, _EFFORT // order) // _PORTION, 1))


CIRCUITS = Served(switching=("circuit",))
_WHAT = "circuits to nodes far apart, moved about until the fewest rounds do (any network)"
BROADCAST = Collective("circuit", "broadcast", _WHAT, search_circuits, CIRCUITS)
ONE_TO_MANY = Collective("circuit", "one-to-many", _WHAT, search_circuits, CIRCUITS)
