"""Circuit-switched broadcast on small networks, exactly: is it possible in so many rounds?

A constraint program, solved by CP-SAT (the extra ``cpsat``): who is called in which round, and
which channels carry a circuit in it. A proof that there is no solution is a lower bound. With a
limit on the hops of the calls one after the other it finds the shortest chains of small tori, by
way of broadcasts that look the same after a quarter turn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hopscape.collectives.bounds import lower_bounds
from hopscape.collectives.checked import verified
from hopscape.collectives.circuits.paths import Paths, assemble, wires_of
from hopscape.core.addresses import MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distances_from_each
from hopscape.core.errors import (
    ArgumentError,
    DisconnectedError,
    MissingPackageError,
    TooLargeError,
)
from hopscape.core.family import Collective
from hopscape.core.goal import Goal
from hopscape.core.model import Disjoint, Model, Served
from hopscape.core.network import Network
from hopscape.core.progress import check_time, time_left
from hopscape.core.schedule import Schedule

__all__ = ["BROADCAST", "ONE_TO_MANY", "exact_circuits", "quarter_turn", "short_chains", "solve"]

_MOST = 6_000
_SOLVER_TIME = 20.0
"""Deterministic time of CP-SAT for one number of rounds, about a second of one core each: it counts
what the solver does, so that the answer is the same on every machine."""
_STEPS = 4e5
"""Steps per channel, as most small networks take; a hard one takes up the solver's time."""
_CIRCUIT = Model(switching="circuit", disjoint="edge")


@verified
def exact_circuits(network: Network, goal: Goal, model: Model = _CIRCUIT) -> Schedule:
    """A broadcast, or one to many, in the fewest rounds that are possible, which is proved.

    Raises:
        TooLargeError: Beyond 6,000 channels times rounds, and when a number of rounds could
            neither be had nor be ruled out.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("mesh(4, 4)")
        >>> exact_circuits(net, Goal.broadcast(0)).rounds  # doctest: +SKIP
        3
    """
    bounds = lower_bounds(network, goal, model)
    rounds = bounds[0].rounds if bounds else 0
    if len(goal.on(network).wanted):
        _check_reach(network, goal)
    while True:
        made = solve(network, goal, rounds, model)
        if made is not None:
            return made
        rounds += 1


def _check_reach(network: Network, goal: Goal) -> None:
    """Refuse nodes that no circuit can reach."""
    assert goal.root is not None
    reach = distances_from_each(network, (goal.root, *goal.sources))
    lost = goal.on(network).wanted[reach.max(axis=0)[goal.on(network).wanted] < 0]
    if len(lost):
        raise DisconnectedError(f"{network.spec} has nodes that cannot be reached (node {lost[0]})")


@verified
def short_chains(network: Network, rounds: int, longest: int) -> Schedule | None:
    """A vertex-disjoint broadcast from node 0 of a torus whose chains have at most so many hops.

    It looks the same after :func:`quarter_turn`, which makes the search short; None: there is none
    that does.
    """
    model = replace(_CIRCUIT, disjoint="vertex")
    turn = quarter_turn(tuple(network.family.sides))  # type: ignore[union-attr]
    return solve(network, Goal.broadcast(0), rounds, model, longest=longest, turn=turn)


def quarter_turn(sides: Sequence[int]) -> IntArray:
    """Where the nodes of a torus go when the first two axes turn and the others change direction.

    Examples:
        >>> quarter_turn((3, 3)).tolist()
        [0, 6, 3, 1, 7, 4, 2, 8, 5]
    """
    if len(sides) < 2 or sides[0] != sides[1]:
        raise ArgumentError(f"the sides are {tuple(sides)}; a turn needs two equal ones first")
    box = MixedRadix(sides)
    at = box.tuples(np.arange(int(np.prod(sides))))
    turned = -at
    turned[:, 0], turned[:, 1] = -at[:, 1], at[:, 0]
    return box.numbers(turned % np.asarray(sides))


@verified
def solve(
    network: Network,
    goal: Goal,
    rounds: int,
    model: Model = _CIRCUIT,
    *,
    longest: int | None = None,
    turn: IntArray | None = None,
) -> Schedule | None:
    """A broadcast, or one to many, in exactly so many rounds or fewer, or None: there is none.

    Args:
        goal: Of one chunk.
        model: Ports and what circuits may not share are kept to.
        longest: Hops of the calls from a source to any node, one after the other, at most
            (``disjoint="vertex"`` only).
        turn (int array, optional): An automorphism; only schedules that it leaves as they are.
    """
    if goal.chunks > 1:
        raise ArgumentError(f"exact circuits are for one chunk, not {goal.chunks}")
    if model.circuits != "any":
        raise ArgumentError(f"exact circuits take any routes, not {model.circuits} ones")
    if longest is not None and model.shares != "vertex":
        raise ArgumentError("chains are limited for circuits that share no node only")
    if len(network.heads) * rounds > _MOST:
        raise TooLargeError(
            f"exact circuits are for up to {_MOST:,} channels times rounds; {network.spec} in"
            f" {rounds} rounds has {len(network.heads) * rounds:,}"
        )
    question = _Question(network, goal, rounds, model, longest, _orbits(network, turn))
    return question.answer()


def _orbits(network: Network, turn: IntArray | None) -> tuple[IntArray, IntArray]:
    """The first node and the first channel of the orbit of each."""
    nodes, channels = np.arange(network.order), np.arange(len(network.heads))
    if turn is None:
        return nodes, channels
    key = network.tails.astype(np.int64) * network.order + network.heads
    order = np.argsort(key)
    moved = turn[network.tails].astype(np.int64) * network.order + turn[network.heads]
    return _cycles(turn), _cycles(order[np.searchsorted(key[order], moved)])


def _cycles(moved: IntArray) -> IntArray:
    """The least of each cycle of a permutation."""
    least, at = np.arange(len(moved)), moved
    while not np.array_equal(at, np.arange(len(moved))):
        least, at = np.minimum(least, at), moved[at]
    return least


@dataclass
class _Question:
    """The constraint program: variables by round, and what they must keep to."""

    network: Network
    goal: Goal
    rounds: int
    model: Model
    longest: int | None
    orbits: tuple[IntArray, IntArray]

    def answer(self) -> Schedule | None:
        """Ask CP-SAT."""
        try:
            from ortools.sat.python import cp_model
        except ImportError as error:
            raise MissingPackageError(
                "exact circuits need the package ortools: pip install 'hopscape[cpsat]'"
            ) from error
        program = cp_model.CpModel()
        self._variables(program)
        for node in np.unique(self.orbits[0]).tolist():
            self._node(program, node)
        self._links(program)
        check_time("an exact search for circuits")
        solver = cp_model.CpSolver()
        solver.parameters.max_deterministic_time = _SOLVER_TIME
        solver.parameters.interleave_search = True  # the same search however many threads there are
        solver.parameters.num_workers = 8
        if time_left() < math.inf:
            solver.parameters.max_time_in_seconds = time_left()
        status = solver.solve(program)
        if status == cp_model.INFEASIBLE:
            return None
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            check_time("an exact search for circuits")
            raise TooLargeError(
                f"whether {self.rounds} rounds do was not decided in {_SOLVER_TIME:g} units of the"
                " solver's deterministic time"
            )
        return self._schedule(lambda x: bool(solver.value(x)))

    def _variables(self, program: Any) -> None:
        """Who is called, which channels are used, hops so far: one for each orbit and round."""
        nodes, channels = (orbit.tolist() for orbit in self.orbits)
        span = range(self.rounds)
        calls = {v: [program.new_bool_var("") for _ in span] for v in sorted(set(nodes))}
        used = {c: [program.new_bool_var("") for _ in span] for c in sorted(set(channels))}
        self.called = [calls[v] for v in nodes]
        self.used = [used[c] for c in channels]
        most = self.longest or 0
        hops = {v: [program.new_int_var(0, most, "") for _ in span] for v in calls}
        self.hops = [hops[v] for v in nodes]
        assert self.goal.root is not None
        self.have = {self.goal.root, *self.goal.sources}
        self.wanted = set(self.goal.on(self.network).wanted.tolist())
        all_stop = self.model.in_network or not self.network.has_switches
        self.may = set(range(self.network.order) if all_stop else self.network.endpoints.tolist())
        self.full = self.network.degrees.tolist()
        if self.model.ports is not None:
            self.full = [min(degree, self.model.ports) for degree in self.full]
        self.out: list[list[int]] = [[] for _ in range(self.network.order)]
        self.into: list[list[int]] = [[] for _ in range(self.network.order)]
        for c, (u, v) in enumerate(self._ends()):
            self.out[u].append(c)
            self.into[v].append(c)

    def _ends(self) -> zip[tuple[int, int]]:
        return zip(self.network.tails.tolist(), self.network.heads.tolist(), strict=True)

    def _node(self, program: Any, node: int) -> None:
        """A node is called once, and what comes to it or begins there ends there or goes on."""
        first = node in self.have
        times = sum(self.called[node])
        if first or node not in self.may:
            program.add(times == 0)
        elif node in self.wanted:
            program.add(times == 1)
        else:
            program.add(times <= 1)
        for r in range(self.rounds):
            has = 1 if first else sum(self.called[node][:r])
            come = sum(self.used[c][r] for c in self.into[node])
            begun = program.new_int_var(0, self.full[node], "")
            program.add(begun <= self.full[node] * has)
            leave = sum(self.used[c][r] for c in self.out[node])
            program.add(come + begun == leave + self.called[node][r])
            if (
                self.model.shares == "vertex"
            ):  # what would pass a node with the message begins there
                program.add(come <= 1 - has)
            if self.longest is not None and r:
                program.add(self.hops[node][r - 1] <= self.hops[node][r])

    def _links(self, program: Any) -> None:
        """A link carries one circuit; a hop adds one to the hops so far."""
        own = np.unique(self.orbits[1])
        for c, mate in zip(own.tolist(), self.network.reverse[own].tolist(), strict=True):
            for r in range(self.rounds):
                if mate >= 0:
                    program.add_at_most_one(self.used[c][r], self.used[mate][r])
                if self.longest is not None:
                    u, v = int(self.network.tails[c]), int(self.network.heads[c])
                    more = program.add(self.hops[v][r] >= self.hops[u][r] + 1)
                    more.only_enforce_if(self.used[c][r])

    def _schedule(self, true: Any) -> Schedule:
        """The circuits of a solution."""
        from hopscape.collectives.circuits.path_kernels import unwind_all

        wires, rounds = wires_of(self.network), list[Paths]()
        for r in range(self.rounds):
            flows = np.array([true(x[r]) for x in self.used], dtype=np.bool_)
            targets = np.flatnonzero([true(x[r]) for x in self.called])
            begun = np.zeros(self.network.order, dtype=np.int64)
            np.add.at(begun, self.network.tails[flows], 1)
            np.add.at(begun, self.network.heads[flows], -1)
            begun[targets] += 1
            rounds.append(unwind_all(wires, flows, begun, targets))
        disjoint: Disjoint = "vertex" if self.model.shares == "vertex" else "edge"
        model = replace(self.model, disjoint=disjoint)
        return assemble(self.network, self.goal, model, rounds, "exact")


_WHAT = "circuits in the fewest rounds, proved by CP-SAT (any small network)"
_SERVES = Served(switching=("circuit",))
BROADCAST = Collective(
    "exact",
    "broadcast",
    _WHAT,
    exact_circuits,
    _SERVES,
    cost=lambda network, goal, model: _STEPS * len(network.heads) * (goal.chunks == 1),
)
ONE_TO_MANY = replace(BROADCAST, goal="one-to-many")
