"""A schedule under way: parts die in some round, and what is missing is sent another way.

What has arrived before stays, and so do all later transfers that can still be made. Chunks that are
missing then go by the first way that has room, from whoever has them: hop by hop a search for the
earliest arrival (Dijkstra 1959, over the free slots of channels and ports), else the shortest path
in the first round that has one.

Sums cannot be taken apart: where shares are added up, the living begin again.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, DisconnectedError, TooLargeError
from hopscape.core.faults import Faults, read_link
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.progress import check_time
from hopscape.core.schedule import Schedule

__all__ = [
    "Death",
    "Patch",
    "among_living",
    "check_dying",
    "cumulated",
    "first_late_use",
    "patched",
    "renumbered",
]

_MOST_STEPS = 100_000_000
"""Missing chunks times channels that are looked at: some minutes of plain Python."""
_FROM_ROOT = ("broadcast", "one-to-many", "scatter")


@dataclass(frozen=True)
class Death:
    """A node or a link that dies.

    Attributes:
        round: The first round without it, from 1.
        node, link: One of the two.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("torus(4, 4)")
        >>> Death.read(net, "5@3"), Death.read(net, "(0, 1) - (0, 2)@2")
        (Death(round=3, node=5, link=None), Death(round=2, node=None, link=(1, 2)))
    """

    round: int
    node: int | None = None
    link: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if self.round < 1:
            raise ArgumentError(f"the round of a death is {self.round}; rounds count from 1")

    @property
    def name(self) -> str:
        """The node, or the two ends of the link."""
        return str(self.node) if self.link is None else f"{self.link[0]}-{self.link[1]}"

    @classmethod
    def read(cls, network: Network, text: str) -> Death:
        """From ``NODE@ROUND`` or ``A-B@ROUND``."""
        what, _, when = text.rpartition("@")
        if not what.strip() or not when.strip().isdigit():
            raise ArgumentError(f"dies is {text!r}; it must be NODE@ROUND or A-B@ROUND")
        round_ = int(when)
        simple = what.strip()
        between = " - " in simple or (simple.count("-") == 1 and not simple.startswith("-"))
        if between:
            return cls(round_, link=read_link(network, simple, "dying link"))
        return cls(round_, node=network.node(simple))


def cumulated(network: Network, deaths: Iterable[Death], dead: Faults) -> list[tuple[int, Faults]]:
    """The rounds in which parts die, and all that is dead from each of them on."""
    out: list[tuple[int, Faults]] = []
    nodes, links = dead.nodes, dead.links
    for when in sorted({death.round for death in deaths}):
        now = [death for death in deaths if death.round == when]
        more = Faults.of(
            network,
            [death.node for death in now if death.node is not None],
            [death.link for death in now if death.link is not None],
        )
        nodes, links = nodes | more.nodes, links | more.links
        out.append((when, Faults(nodes, links)))
    return out


def first_late_use(schedule: Schedule, deaths: Sequence[Death]) -> int | None:
    """The first transfer that uses a part in or after the round in which it dies, or None.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("ring(5)")
        >>> made = hopscape.collectives.broadcast(net, 0)
        >>> first_late_use(made, [Death(3, node=1)]), first_late_use(made, [Death(2, node=1)])
        (None, 2)
    """
    for when, faults in cumulated(schedule.network, deaths, Faults()):
        hits = faults.channels(schedule.network)[schedule.channels]
        late = np.repeat(schedule.round + 1 >= when, np.diff(schedule.path_start))
        if (hits & late).any():
            at = int(np.argmax(hits & late))
            return int(np.searchsorted(schedule.path_start, at, side="right")) - 1
    return None


def check_dying(schedule: Schedule, deaths: Sequence[Death], holds: bool) -> dict[str, Any]:
    """What a check says of dying parts; the verdict fails where a transfer comes too late."""
    said = [f"{death.name}@{death.round}" for death in deaths]
    t = first_late_use(schedule, deaths)
    if t is None or not holds:
        return {"dying": said}
    when = int(schedule.round[t]) + 1
    ends = f"node {schedule.source[t]} → node {schedule.target[t]}"
    reason = f"round {when}, transfer {t} ({ends}, chunk {schedule.chunk[t]}) uses a dead part"
    where = {"rule": "dead", "round": when, "transfer": t}
    return {"dying": said, "verdict": "fails", "reason": reason, "where": where}


def among_living(goal: Goal, network: Network, faults: Faults) -> Goal:
    """The goal without endpoints that are dead; a dead root keeps what it has and had to give.

    Raises:
        ArgumentError: When there is no such goal.
    """
    if goal.kind == "permutation":
        raise ArgumentError(
            "a permutation without some of its nodes is another one; plan it with --dead"
        )
    roots = {goal.root, *goal.sources}
    if goal.root in faults.nodes and goal.kind not in _FROM_ROOT:
        raise ArgumentError(f"the root, node {goal.root}, dies; a {goal.kind} ends there")
    if goal.kind == "one-to-many":
        targets = tuple(v for v in goal.targets if v not in faults.nodes)
        if not targets:
            raise ArgumentError("all targets die")
        return replace(goal, targets=targets)
    keep = faults.nodes - roots if goal.kind in _FROM_ROOT else faults.nodes
    groups = goal.groups or (tuple(network.endpoints.tolist()),)
    living = tuple(tuple(v for v in group if v not in keep) for group in groups)
    return replace(goal, groups=tuple(group for group in living if group))


def renumbered(before: Goal, after: Goal, network: Network) -> IntArray:
    """int64[chunks before]: the number of each chunk in the other goal, or -1."""
    number = {key: c for c, key in enumerate(_keys(after, network))}
    return np.asarray([number.get(key, -1) for key in _keys(before, network)], dtype=np.int64)


def _keys(goal: Goal, network: Network) -> list[tuple[int, int, int, int]]:
    """What a chunk is, whatever its number: group, origin, destination, and which piece."""
    out: list[tuple[int, int, int, int]] = []
    for part in goal.parts():
        promise = part.on(network)
        group = min(part.groups[0]) if len(goal.groups) > 1 else 0
        seen: Counter[tuple[int, int]] = Counter()
        for ends in zip(promise.origins.tolist(), promise.destinations.tolist(), strict=True):
            out.append((group, *ends, seen[ends]))
            seen[ends] += 1
    return out


@dataclass(frozen=True)
class Patch:
    """A schedule around what has died.

    Attributes:
        kept, dropped: Transfers from that round on that are made as planned, or not.
        added: New ones.
    """

    schedule: Schedule
    kept: int
    dropped: int
    added: int


def patched(schedule: Schedule, goal: Goal, when: int, faults: Faults) -> Patch:
    """The schedule, with what is missing from this round on sent another way.

    Args:
        goal: Of the living, as :func:`among_living` says it.
        when: The first round without the dead parts, from 1.

    Raises:
        DisconnectedError: When a chunk is lost: only dead nodes have it.
        TooLargeError: When it would take very long.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("torus(4, 4)")
        >>> made, dead = hopscape.collectives.broadcast(net, 0), Faults.of(net, [1])
        >>> patch = patched(made, among_living(made.goal, net, dead), 2, dead)
        >>> patch.schedule.rounds, hopscape.verify(patch.schedule).holds
        (4, True)
    """
    work = _Repair(schedule, goal, when - 1, faults)
    work.replay()
    missing = work.missing()
    steps = len(missing) * len(schedule.network.heads)
    if steps > _MOST_STEPS:
        raise TooLargeError(f"{len(missing):,} chunks are missing; too many to send one by one")
    for node, chunk in missing:
        check_time(f"repairing {goal.kind} on {schedule.network.spec}")
        if chunk not in work.times[node]:
            work.send(node, chunk)
    return work.patch()


class _Repair:
    """Who has what when, which slots are taken, and what is sent."""

    def __init__(self, schedule: Schedule, goal: Goal, first: int, faults: Faults) -> None:
        self.schedule, self.goal, self.first = schedule, goal, first
        self.net = schedule.network
        self.dead = faults.channels(self.net)
        self.gone = faults.nodes
        self.slots = _Slots(self.net, schedule.model, self.dead)
        self.times: list[dict[int, int]] = [{} for _ in range(self.net.order)]
        """For every node, the first round in which it can send each chunk on."""
        self.holders: dict[int, set[int]] = {}
        self.rows: list[tuple[int, int, tuple[int, ...]]] = []
        self.kept = self.dropped = self.added = 0
        self.planned: dict[tuple[int, int], int] = {}

    def give(self, node: int, chunk: int, time: int) -> None:
        if time < self.times[node].get(chunk, time + 1):
            self.times[node][chunk] = time
            self.holders.setdefault(chunk, set()).add(node)

    def replay(self) -> None:
        """All transfers that are made as planned."""
        plan = self.schedule
        chunks = renumbered(plan.goal, self.goal, self.net)[plan.chunk].tolist()
        low = 0
        for part in self.goal.parts():
            promise = part.on(self.net)
            for c, origin in enumerate(promise.origins.tolist(), low):
                for node in (origin, *promise.also):
                    self.give(int(node), c, 0)
            low += len(promise.origins)
        columns = plan.round.tolist(), plan.source.tolist(), plan.target.tolist(), chunks
        starts, channels = plan.path_start.tolist(), plan.channels.tolist()
        dead = self.dead.tolist()
        for t, (when, u, v, c) in enumerate(zip(*columns, strict=True)):
            path = tuple(channels[starts[t] : starts[t + 1]])
            if c < 0:
                continue
            late = when >= self.first
            cut = late and any(dead[a] for a in path)
            if cut or self.times[u].get(c, when + 1) > when:
                self.dropped += 1
                self.planned.setdefault((v, c), when)
                continue
            self.kept += late
            self.make(when, path, u, v, c)

    def make(self, when: int, path: tuple[int, ...], u: int, v: int, chunk: int) -> None:
        self.rows.append((when, chunk, path))
        self.slots.take(when, path, u, v)
        self.give(v, chunk, when + 1)

    def missing(self) -> list[tuple[int, int]]:
        """Nodes and chunks that the plan would have brought together; the earliest first."""
        out: list[tuple[int, int]] = []
        low = 0
        for part in self.goal.parts():
            promise = part.on(self.net)
            for c, to in enumerate(promise.destinations.tolist(), low):
                wanted = promise.wanted.tolist() if to < 0 else [to]
                out += [(v, c) for v in wanted if c not in self.times[v] and v not in self.gone]
            low += len(promise.origins)
        return sorted(out, key=lambda pair: (self.planned.get(pair, 0), *pair))

    def send(self, node: int, chunk: int) -> None:
        """One chunk to one node, from whoever has it, as early as there is room."""
        have = {v: self.times[v][chunk] for v in self.holders[chunk] if v not in self.gone}
        if not have:
            raise DisconnectedError(
                f"chunk {chunk} is lost: in round {self.first + 1} only dead nodes have it"
            )
        hops = self.slots.model.switching == "store-and-forward"
        find = self.slots.by_hops if hops else self.slots.through
        for when, path in find(have, node, self.first):
            u, v = int(self.net.tails[path[0]]), int(self.net.heads[path[-1]])
            self.make(when, path, u, v, chunk)
            self.added += 1

    def patch(self) -> Patch:
        when = np.asarray([row[0] for row in self.rows], dtype=np.int64)
        lengths = [len(row[2]) for row in self.rows]
        made = Schedule.from_columns(
            self.net,
            self.schedule.model,
            self.goal,
            round=when,
            channels=np.asarray([a for row in self.rows for a in row[2]], dtype=np.int64),
            path_start=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            chunk=np.asarray([row[1] for row in self.rows], dtype=np.int64),
            rounds=min(self.schedule.rounds, self.first),
            name=self.schedule.name,
        )
        return Patch(made, self.kept, self.dropped, self.added)


Step = tuple[int, tuple[int, ...]]
"""A round from 0, and the channels of a path."""


class _Slots:
    """What channels and ports still take, round by round."""

    def __init__(self, network: Network, model: Model, dead: IntArray) -> None:
        if model.circuits != "any":
            raise ArgumentError(
                f"a schedule under way is not repaired by {model.circuits} circuits"
            )
        self.net, self.model = network, model
        half, own = model.duplex == "half", np.arange(len(network.heads))
        both = half or (model.switching == "circuit" and model.shares != "arc")
        mates = network.reverse if both else own
        self.lane = np.where(mates >= 0, np.minimum(own, mates), own).tolist()
        hop = model.switching == "store-and-forward"
        self.room = network.room().tolist() if hop else [1] * len(own)
        self.shared = model.switching == "cut-through"
        self.alone = model.switching == "circuit" and model.shares == "vertex"
        self.half = half
        self.tails, self.heads = network.tails.tolist(), network.heads.tolist()
        many = network.room() if self.shared else np.full(len(own), len(own))
        limits = [np.bincount(at, many, network.order) for at in (network.tails, network.heads)]
        most = np.minimum(limits, model.ports if model.ports is not None else np.inf)
        self.most = most.astype(np.int64).tolist()
        self.out: list[list[int]] = [[] for _ in range(network.order)]
        for a in np.nonzero(~dead)[0].tolist():
            self.out[self.tails[a]].append(a)
        self.used: Counter[tuple[int, int]] = Counter()
        self.ends: tuple[Counter[tuple[int, int]], Counter[tuple[int, int]]] = (
            Counter(),
            Counter(),
        )
        self.met: set[tuple[int, int]] = set()
        self.messages: set[Step] = set()

    def take(self, when: int, path: tuple[int, ...], u: int, v: int) -> None:
        """Use a path; chunks that are packed on the same way go with the first."""
        if self.model.packing == "packed":
            if (when, path) in self.messages:
                return
            self.messages.add((when, path))
        for a in path:
            self.used[when, self.lane[a]] += 1
            self.met |= {(when, self.tails[a]), (when, self.heads[a])}
        self.ends[0][when, u] += 1
        self.ends[0 if self.half else 1][when, v] += 1

    def carries(self, when: int, a: int) -> bool:
        """Has a channel room?"""
        return self.shared or self.used[when, self.lane[a]] < self.room[a]

    def sends(self, when: int, node: int) -> bool:
        return self.ends[0][when, node] < self.most[0][node] and not self._met(when, node)

    def takes(self, when: int, node: int) -> bool:
        at = self.ends[0 if self.half else 1]
        return at[when, node] < self.most[1][node] and not self._met(when, node)

    def _met(self, when: int, node: int) -> bool:
        return self.alone and (when, node) in self.met

    def by_hops(self, have: dict[int, int], to: int, first: int) -> list[Step]:
        """Hops that bring a chunk to a node as early as any."""
        best = {v: max(time, first) for v, time in have.items()}
        came: dict[int, tuple[int, int]] = {}
        heap = [(time, v) for v, time in best.items()]
        heapify(heap)
        while heap:
            time, u = heappop(heap)
            if u == to:
                break
            if time > best[u]:
                continue
            for a in self.out[u]:
                v = self.heads[a]
                if best.get(v, time + 2) <= time + 1:
                    continue
                when = next(
                    r
                    for r in count(time)
                    if self.carries(r, a) and self.sends(r, u) and self.takes(r, v)
                )
                if when + 1 < best.get(v, when + 2):
                    best[v] = when + 1
                    came[v] = when, a
                    heappush(heap, (when + 1, v))
        out: list[Step] = []
        while to in came:
            when, a = came[to]
            out.append((when, (a,)))
            to = self.tails[a]
        return out[::-1]

    def through(self, have: dict[int, int], to: int, first: int) -> list[Step]:
        """A shortest path in the first round that has one."""
        for when in count(max(first, min(have.values()))):
            if not self.takes(when, to):
                continue
            begin = sorted(v for v, t in have.items() if t <= when and self.sends(when, v))
            path = self._path(begin, to, when)
            if path:
                return [(when, path)]
        return []

    def _path(self, begin: list[int], to: int, when: int) -> tuple[int, ...]:
        came: dict[int, int] = dict.fromkeys(begin, -1)
        queue = deque(begin)
        while queue and to not in came:
            u = queue.popleft()
            for a in self.out[u]:
                v = self.heads[a]
                if v not in came and self.carries(when, a) and not self._met(when, v):
                    came[v] = a
                    queue.append(v)
        out: list[int] = []
        while to in came and came[to] >= 0:
            out.append(came[to])
            to = self.tails[came[to]]
        return tuple(out[::-1])
