"""Collectives among what is left when nodes and links are dead.

The network of the survivors is planned for by itself, with numbers of its own; the schedule is then
told in the numbers of the whole network, as a goal among the group of live endpoints.

Collectives among groups of endpoints: the others forward, several groups run at once.

A group is served on the same wiring with the other endpoints as switches, so that every algorithm
for networks with switches serves groups. What several groups do at once is planned as one: the hops
of all groups get their rounds together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hopscape.collectives.checked import check_schedule, verified
from hopscape.collectives.plan import Plan
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, DisconnectedError, ScheduleError
from hopscape.core.faults import Faults
from hopscape.core.goal import Goal
from hopscape.core.model import ALL_PORT_ONLY, Model
from hopscape.core.network import Network
from hopscape.core.partial_sums import PartialSums
from hopscape.core.schedule import Schedule

__all__ = [
    "Survivors",
    "among_groups",
    "check_alive",
    "dead_channels",
    "dead_transfer",
    "gathered_backwards",
    "gathered_twice",
    "survivors",
]

_NAMED = 12  # lost nodes that a message names


@dataclass(frozen=True)
class Survivors:
    """What is left of a network.

    Attributes:
        whole, left: Before and after; nodes of `left` are numbered anew.
        nodes (int64[left nodes]): Their numbers in the whole network.
        channels (int64[left channels]): The numbers of the channels in the whole network.
    """

    whole: Network
    left: Network
    nodes: IntArray
    channels: IntArray

    def inside(self, goal: Goal) -> Goal:
        """A goal of the whole network in the numbers of what is left.

        Raises:
            ArgumentError: When a node of the goal is dead.
        """
        root = None if goal.root is None else self._number(goal.root, "the root")
        targets = tuple(self._number(v, "a target") for v in goal.targets)
        groups = tuple(tuple(self._number(v, "a member") for v in g) for g in goal.groups)
        sources = tuple(self._number(v, "a source") for v in goal.sources)
        return replace(goal, root=root, targets=targets, groups=groups, sources=sources)

    def _number(self, node: int, what: str) -> int:
        at = int(np.searchsorted(self.nodes, node))
        if at == len(self.nodes) or self.nodes[at] != node:
            raise ArgumentError(f"{what}, node {node}, is dead; it must be alive")
        return at

    def outside(self, goal: Goal) -> Goal:
        """A goal of what is left in the numbers of the whole network: among the live endpoints."""
        groups = [self.nodes[list(group)].tolist() for group in goal.groups]
        if not groups and goal.kind != "one-to-many":
            groups = [self.nodes[self.left.endpoints].tolist()]
        return Goal(
            goal.kind,
            None if goal.root is None else int(self.nodes[goal.root]),
            goal.chunks,
            tuple(self.nodes[list(goal.targets)].tolist()),
            tuple(map(tuple, groups)),
            tuple(self.nodes[list(goal.sources)].tolist()),
        )

    @property
    def faults(self) -> Faults:
        """What is dead."""
        whole = self.whole
        nodes = np.setdiff1d(np.arange(whole.order), self.nodes)
        gone = np.setdiff1d(np.arange(len(whole.heads)), self.channels)
        pairs = zip(whole.tails[gone].tolist(), whole.heads[gone].tolist(), strict=True)
        links = frozenset(frozenset(pair) for pair in pairs if len(set(pair)) == 2)
        return Faults(frozenset(nodes.tolist()), links)

    def within(self, schedule: Schedule, goal: Goal) -> Schedule:
        """A schedule of the whole network, which uses no dead part, in the numbers of the rest."""
        number = np.full(len(self.whole.heads), -1, dtype=np.int64)
        number[self.channels] = np.arange(len(self.channels))
        return Schedule.from_columns(
            self.left,
            schedule.model,
            goal,
            round=schedule.round,
            chunk=schedule.chunk,
            path_start=schedule.path_start,
            channels=number[schedule.channels],
            rounds=schedule.rounds,
            name=schedule.name,
        )

    def told(self, schedule: Schedule) -> Schedule:
        """A schedule of what is left in the numbers of the whole network, checked there."""
        told = Schedule.from_columns(
            self.whole,
            schedule.model,
            self.outside(schedule.goal),
            round=schedule.round,
            chunk=schedule.chunk,
            path_start=schedule.path_start,
            channels=self.channels[schedule.channels],
            rounds=schedule.rounds,
            name=schedule.name,
        )
        if isinstance(schedule, PartialSums):
            told = schedule.as_moved(told)
        check_schedule(told, f"{schedule.name!r}, told on {self.whole.spec},")
        return told


def dead_channels(
    network: Network, dead_nodes: Sequence[int], dead_links: Sequence[tuple[int, int]]
) -> IntArray:
    """bool[channels]: which channels are dead; all links between the two nodes of a dead one are.

    Raises:
        ArgumentError: When there is no such link.
    """
    return Faults.of(network, dead_nodes, dead_links).channels(network)


def dead_transfer(schedule: Schedule, dead: IntArray) -> int | None:
    """The first transfer that uses a dead channel, or None."""
    if not schedule.transfers:
        return None
    hits = np.logical_or.reduceat(dead[schedule.channels], schedule.path_start[:-1])
    return int(np.argmax(hits)) if hits.any() else None


def check_alive(
    schedule: Schedule, nodes: Sequence[int], links: Sequence[tuple[int, int]], holds: bool
) -> dict[str, Any]:
    """What a check says of dead parts; the verdict fails where a transfer uses one."""
    record: dict[str, Any] = {"dead_nodes": list(nodes), "dead_links": [list(x) for x in links]}
    t = dead_transfer(schedule, dead_channels(schedule.network, nodes, links))
    if t is None or not holds:
        return record
    when = int(np.searchsorted(schedule.round_start, t, side="right"))
    ends = f"node {schedule.source[t]} → node {schedule.target[t]}"
    where = {"rule": "dead", "round": when, "transfer": t}
    reason = f"round {when}, transfer {t} ({ends}, chunk {schedule.chunk[t]}) uses a dead part"
    return record | {"verdict": "fails", "reason": reason, "where": where}


def survivors(
    network: Network, dead_nodes: Sequence[int], dead_links: Sequence[tuple[int, int]]
) -> Survivors:
    """The live nodes and links as a network.

    Raises:
        DisconnectedError: When live endpoints are cut off from the others; they are named.

    Examples:
        >>> import hopscape
        >>> found = survivors(hopscape.build("torus(4, 4)"), [5], [(0, 1)])
        >>> found.left.order, found.left.links, found.nodes[5]
        (15, 27, np.int64(6))
    """
    left, nodes, channels = Faults.of(network, dead_nodes, dead_links).rest(network)
    result = Survivors(network, left, nodes, channels)
    _check_reach(result)
    return result


def _check_reach(result: Survivors) -> None:
    """Refuse what falls apart, and name who is cut off from most of the others."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    left = result.left
    ones = np.ones(len(left.heads), dtype=np.int8)
    graph = csr_array((ones, left.heads, left.indptr), shape=(left.order, left.order))
    _, part = connected_components(graph, directed=True, connection="strong")
    mine = part[left.endpoints]
    most = np.bincount(mine).argmax()
    lost = result.nodes[left.endpoints[mine != most]].tolist()
    if not lost:
        return
    named = ", ".join(map(str, lost[:_NAMED])) + (", …" if len(lost) > _NAMED else "")
    verb = "node {} is" if len(lost) == 1 else f"{len(lost)} nodes ({{}}) are"
    raise DisconnectedError(
        f"{verb.format(named)} alive but cut off from the others in {result.left.spec}"
    )


Build = Callable[[Network, Goal, Model], Schedule]


@verified
def among_groups(network: Network, goal: Goal, model: Model, build: Build) -> Schedule:
    """Serve the groups of a goal by an algorithm for goals without groups.

    Args:
        goal: With groups.
        model: Hop by hop with all ports the hops of all groups get their rounds together; else
            groups begin together where the rules allow it, and one after the other where not.
        build: The algorithm: takes network, goal and model.

    Examples:
        >>> import hopscape
        >>> from hopscape.collectives import make_schedule
        >>> net = hopscape.build("torus(4, 4)")
        >>> rows = Goal.all_gather(groups=[[0, 1, 2, 3], [4, 5, 6, 7]])
        >>> print(hopscape.verify(among_groups(net, rows, hopscape.Model(), make_schedule)))
        holds: all-gather among 2 groups of 4 endpoints: 8 of 8 nodes reached in 2 rounds, ...
    """
    if len(goal.groups) == 1:
        goal.members(network)
        view = network.among(goal.groups[0])
        made = build(view, goal.everywhere(), model)
        if made.goal != goal.everywhere():
            raise ArgumentError(f"it is for {made.goal.describe()}, not {goal.kind} among groups")
        return made.meant_for(network, goal)
    hops = ALL_PORT_ONLY.allows(model) and model.packing == "unit"
    whole = goal.kind == "all-reduce" and goal.chunks % len(goal.groups[0])
    if not hops or whole:
        return _side_by_side(network, goal, model, build)
    if goal.kind == "all-reduce":
        return _all_reduce(network, goal, model, build)
    if goal.kind == "reduce-scatter":
        return gathered_backwards(network, goal, model, build)
    alone = [among_groups(network, part, model, build) for part in goal.parts()]
    try:
        plans = [Plan.of(schedule) for schedule in alone]
    except ScheduleError as error:
        raise ArgumentError(
            f"it does not serve several groups at once: its {goal.kind} is none ({error})"
        ) from error
    counts = [part.chunk_count(network) for part in goal.parts()]
    offsets = np.cumsum([0, *counts[:-1]]).tolist()
    joined = Plan.joined(plans, offsets).schedule(network, goal, alone[0].name, model)
    return joined.under(model)


def _side_by_side(network: Network, goal: Goal, model: Model, build: Build) -> Schedule:
    """The schedules of all groups, each from the first round on or after those before it."""
    from hopscape.core.verify import breaks_rules

    parts = goal.parts()
    offsets = np.cumsum([0, *(part.chunk_count(network) for part in parts)]).tolist()
    joined: Schedule | None = None
    for part, offset in zip(parts, offsets, strict=False):
        alone = among_groups(network, part, model, build)
        begun = [] if joined is None else [joined]
        for later in (0, joined.rounds if joined is not None else 0):
            columns = [*begun, alone]
            shifts = [(0, 0)] * len(begun) + [(later, offset)]
            made = _joined(network, goal, model, columns, shifts)
            if not begun or later or not breaks_rules(made):
                break
        joined = made
    assert joined is not None
    return joined


def _joined(
    network: Network,
    goal: Goal,
    model: Model,
    schedules: Sequence[Schedule],
    shifts: Sequence[tuple[int, int]],
) -> Schedule:
    """Schedules as one, their rounds and chunks counted from these on."""
    lengths = np.concatenate([np.diff(one.path_start) for one in schedules])
    pairs = list(zip(schedules, shifts, strict=True))
    return Schedule.from_columns(
        network,
        model,
        goal,
        round=np.concatenate([one.round.astype(np.int64) + r for one, (r, _) in pairs]),
        channels=np.concatenate([one.channels for one in schedules]),
        path_start=np.concatenate([[0], np.cumsum(lengths)]),
        chunk=np.concatenate([one.chunk + c for one, (_, c) in pairs]),
        rounds=max(one.rounds + r for one, (r, _) in pairs),
        name=schedules[-1].name,
    )


@verified
def gathered_backwards(network: Network, goal: Goal, model: Model, build: Build) -> Schedule:
    """A reduce-scatter: the all-gather of the same groups and pieces backwards."""
    aim = replace(goal, kind="all-gather")
    make = among_groups if goal.groups else _plainly
    forth = make(network, aim, model, build)
    return forth.reversed(goal, name=forth.name)


@verified
def gathered_twice(network: Network, goal: Goal, model: Model, build: Build, name: str) -> Schedule:
    """An all-reduce of a block per endpoint: an all-gather backwards, then forwards."""
    ends = network.endpoint_count
    if goal.chunks % ends:
        raise ArgumentError(
            f"algorithm {name!r} needs data in {ends} chunks, one per endpoint (--sliced), or a"
            f" multiple, not {goal.chunks}"
        )
    forth = build(network, Goal.all_gather(goal.chunks // ends), model)
    return forth.reversed(goal).then(forth, goal, name=name)


def _plainly(network: Network, goal: Goal, model: Model, build: Build) -> Schedule:
    return build(network, goal, model)


def _all_reduce(network: Network, goal: Goal, model: Model, build: Build) -> Schedule:
    """Groups that add up at once: a reduce-scatter, then an all-gather, both planned for all."""
    sizes = {len(group) for group in goal.groups}
    if len(sizes) > 1 or goal.chunks % sizes.pop():
        raise ArgumentError(
            f"an all-reduce of {len(goal.groups)} groups at once needs groups of one size and that"
            f" many chunks or a multiple, not {goal.chunks}"
        )
    pieces = goal.chunks // len(goal.groups[0])
    gather = Goal.all_gather(pieces, goal.groups)
    forth = among_groups(network, gather, model, build)
    back = forth.reversed(goal)
    return back.then(forth, goal, name=forth.name)
