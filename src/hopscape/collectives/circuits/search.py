"""Circuit-switched broadcast on any network, by search.

Round by round as many nodes are called as circuits can reach at once, far apart from each other
and from those that have the message. Where the last of the fewest possible rounds does not serve
everybody, the targets of the round before it are moved about (annealing; circuits by augmenting
paths, kept from move to move).

Circuits share no link; that they might use a link in both directions would not help, because two
circuits that meet head-on can change places. On request they share no node: the same search on a
network with every node cut in two.

Circuit-switched broadcast in dimension order: every circuit is the route of its ends.

On tori, meshes, hypercubes, HyperX and other products of lines a circuit runs along the first axis,
then the second, and so on (each by a shortest path), as routers that route in dimension order
connect it. So only the pairs of a round can be chosen, which is done as for any circuits: far apart
at first, then circuits are pushed about until a round serves as many as it can.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from hopscape.collectives.bounds import informed_at_most, lower_bounds
from hopscape.collectives.checked import verified
from hopscape.collectives.circuits.chains import MOST_STEPS, shortest
from hopscape.collectives.circuits.kindred import by_kindred
from hopscape.collectives.circuits.paths import Paths, assemble, split_wires, wires_of
from hopscape.core.arrays import IntArray
from hopscape.core.dimension_order import grid_for
from hopscape.core.errors import ArgumentError, DisconnectedError, TooLargeError
from hopscape.core.family import Collective, Family
from hopscape.core.goal import Goal
from hopscape.core.model import Disjoint, Model, Served
from hopscape.core.network import Network
from hopscape.core.progress import check_time
from hopscape.core.schedule import Schedule

if TYPE_CHECKING:
    from hopscape.collectives.circuits.path_kernels import Wires

__all__ = [
    "BROADCAST",
    "ONE_TO_MANY",
    "SHORT_CHAINS",
    "SHORT_TO_MANY",
    "ordered_circuits",
    "search_circuits",
]

_MOST_NODES = 150_000
"""Nodes up to which circuits are searched: growing one broadcast takes 50 µs per node."""
_TRIES = 4
"""Broadcasts whose targets are moved about before another round is allowed."""
_MOVES, _PORTION = 5_000, 250
"""Moves of targets in all, and in one call of the kernel."""
_WORK = 1_000_000_000
"""Moves of all tries together times nodes squared, about 10 s: a move took 0.1 ms on 100 nodes and
1.9 ms on 400."""


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


@verified
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
    left = max(1, _WORK // task.network.order**2)
    for rounds in range(task.least, len(best)):
        for attempt in range(_TRIES):
            made = best if attempt == 0 else _grown(task, generator)
            if len(made) <= rounds:
                best = made
                break
            moves = min(_MOVES, left)
            moved = _moved(task, made, rounds, attempt, moves)
            if moved is not None:
                best = moved
                break
            left -= moves
            if left <= 0:
                return best
        if len(best) <= rounds:
            break
    return best


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
    task: _Task, grown: list[_Round], rounds: int, seed: int, moves: int
) -> list[_Round] | None:
    """The first rounds of a broadcast, its targets moved so that one more round is the last."""
    from hopscape.collectives.circuits.search_kernels import last_round, move_targets

    if rounds < 2:
        return None
    earlier = grown[: rounds - 1]
    last = earlier[-1]
    targets, after, flows = last.targets.copy(), last.after.copy(), last.flows.copy()
    room = last.before.copy()
    room[targets] = task.full[targets]
    *state, lacking = last_round(task.wires, room, task.wanted)
    for portion, first in enumerate(range(0, moves, _PORTION)):
        if not lacking:
            break
        check_time(f"circuits on {task.network.spec}")
        lacking = move_targets(
            task.wires,
            task.full,
            task.wanted,
            targets,
            (after, flows),
            tuple(state),
            seed + 1000 * portion,
            min(_PORTION, moves - first),
        )
    if lacking:
        return None
    room = last.before.copy()
    room[targets] = task.full[targets]
    end = _Round(task.lacking(room), room, state[0], state[1])
    return [*earlier[:-1], _Round(targets, last.before, after, flows), end]


def circuit_cost(network: Network, goal: Goal, model: Model) -> float:
    """Steps of the search, about: most broadcasts reach the fewest rounds with few moves."""
    return 5e3 * network.order + min(3e3 * network.order**2, _WORK / 10)


CIRCUITS = Served(switching=("circuit",))
_WHAT = "circuits to nodes far apart, moved about until the fewest rounds do (any network)"


def _circuits(network: Network, goal: Goal, model: Model) -> Schedule:
    return by_kindred(network, goal, model, search_circuits)


BROADCAST = Collective(
    "circuit", "broadcast", _WHAT, _circuits, CIRCUITS, one_piece=True, cost=circuit_cost
)
ONE_TO_MANY = replace(BROADCAST, goal="one-to-many")


def _short_circuits(network: Network, goal: Goal, model: Model) -> Schedule:
    if model.circuits != "any":
        raise ArgumentError(f"chains of {model.circuits} circuits are not moved about")

    def plan(network: Network, goal: Goal, model: Model) -> Schedule:
        family = network.family
        own = family.collectives() if isinstance(family, Family) else ()
        mine = [one.build for one in own if (one.name, one.goal) == (BROADCAST.name, goal.kind)]
        return (mine[0] if mine else search_circuits)(network, goal, model)

    return by_kindred(network, goal, model, plan, shortest)


def _short_cost(network: Network, goal: Goal, model: Model) -> float:
    return circuit_cost(network, goal, model) + MOST_STEPS


_SHORT = "circuits in chains no longer than the largest distance if possible, in more rounds"
SHORT_CHAINS = replace(
    BROADCAST, name="short-chains", summary=_SHORT, build=_short_circuits, cost=_short_cost
)
SHORT_TO_MANY = replace(SHORT_CHAINS, goal="one-to-many")


_ORDERED_MOST_NODES = 10_000
_ORDERED_TRIES = 24
"""Broadcasts that are tried, by lot or far apart; each must have fewer rounds than the best."""
_ORDERED_EFFORT, _ORDERED_PORTION = 4_000_000, 50
"""Moves of a round times nodes, and moves in one call of the kernel."""


@verified
def ordered_circuits(network: Network, goal: Goal, model: Model, *, seed: int = 0) -> Schedule:
    """A broadcast, or one to many, by dimension-ordered circuits, in as few rounds as it finds.

    Args:
        network: One whose channels each change one entry of the address.
        goal: Of one chunk, from one root or several sources.

    Examples:
        >>> import hopscape
        >>> model = Model(switching="circuit", circuits="dimension-ordered")
        >>> ordered_circuits(hopscape.build("torus(5, 5)"), Goal.broadcast(0), model).rounds
        3
    """
    if network.order > _ORDERED_MOST_NODES:
        raise TooLargeError(
            f"dimension-ordered circuits are searched for up to {_ORDERED_MOST_NODES:,} nodes;"
            f" {network.spec} has {network.order:,}"
        )
    search = _Search(network, goal, model)
    bounds = lower_bounds(network, goal, model)
    least = bounds[0].rounds if bounds else 0
    generator, best = np.random.default_rng(seed), list[Paths]()
    for attempt in range(_ORDERED_TRIES):
        check_time(f"circuits on {network.spec}")
        most = len(best) - 1 if attempt else network.order
        made = search.rounds(generator, most, attempt % 3 == 0)
        if made is not None:
            best = made
        if len(best) <= least:
            break
    return assemble(network, goal, replace(model, disjoint=model.shares), best, "circuit")


class _Search:
    """The network and what is to be served."""

    def __init__(self, network: Network, goal: Goal, model: Model) -> None:
        self.network, self.wires = network, wires_of(network)
        self.grid = grid_for(network, model.circuits)
        self.wanted = goal.on(network).wanted
        assert goal.root is not None
        self.have = [goal.root, *goal.sources]
        self.full = network.degrees.astype(np.int64)
        if model.ports is not None:
            self.full = np.minimum(self.full, model.ports)
        self.apart = model.shares == "vertex"
        channels = np.arange(len(network.heads))
        mate = np.where(network.reverse < 0, channels, network.reverse)
        shared = {"vertex": network.heads, "edge": np.minimum(channels, mate), "arc": channels}
        self.share = shared[model.shares].astype(np.int64)

    def rounds(self, generator: np.random.Generator, most: int, spread: bool) -> list[Paths] | None:
        """Rounds that serve as many as they can, far apart or by lot; None: `most` do not do."""
        room, made = np.full(self.network.order, -1, dtype=np.int64), list[Paths]()
        room[self.have] = self.full[self.have]
        while len(lack := self.wanted[room[self.wanted] < 0]):
            if len(made) >= most:
                return None
            targets, paths = self._round(room, generator.permutation(lack), generator, spread)
            made.append(paths)
            room[targets] = self.full[targets]
        return made

    def _round(
        self, room: IntArray, lack: IntArray, generator: np.random.Generator, spread: bool
    ) -> tuple[IntArray, Paths]:
        from hopscape.collectives.circuits import search_kernels as kernels

        owner = np.full(max(len(self.share), len(room)), -1, dtype=np.int64)
        if self.apart:
            owner[: len(room)][room >= 0] = -2  # no circuit runs through a node that has it
        state = (room.copy(), owner, np.full_like(room, -1), np.zeros_like(room))
        most = min(int(room[room >= 0].sum()), len(lack))
        served = kernels.begin(
            self.wires, self.grid, self.share, state, lack, spread and most < len(lack)
        )
        for _ in range(max(min(_ORDERED_EFFORT // len(room), 4_000) // _ORDERED_PORTION, 1)):
            if served >= most:
                break
            seed = int(generator.integers(2**31))
            served = kernels.improve(
                self.wires, self.grid, self.share, state, lack, most, seed, _ORDERED_PORTION
            )
        targets = lack[state[2][lack] >= 0]
        return targets, kernels.circuits(self.wires, self.grid, state[2], state[3], targets)
