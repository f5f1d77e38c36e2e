"""Workload: operations of ranks with dependencies, and where the ranks stand.

An operation is a computation of one rank, a collective of a group, or a message between two ranks.
Each rank that takes part has its *part* of it; a part waits for parts of the same rank, and ranks
wait for each other only through what they do together. Nothing here knows models or networks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.faults import Faults
from hopscape.core.network import Network
from hopscape.core.reading import TextFile

__all__ = [
    "GOALS",
    "KINDS",
    "Part",
    "Placement",
    "Together",
    "Workload",
    "WorkloadBuilder",
    "live_endpoints",
    "read_placement",
]

Kind = Literal["compute", "collective", "send", "receive", "launch"]
KINDS: tuple[str, ...] = get_args(Kind)
COMPUTE, COLLECTIVE, SEND, RECEIVE, LAUNCH = range(5)
GOALS = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast", "message")
"""What ranks do together. Bytes are those of the largest buffer of a member."""
FREE = -1
"""The lane of parts that wait for nothing but their dependencies."""


@dataclass(frozen=True)
class Together:
    """A collective or a message: what several ranks do together.

    Attributes:
        goal: One of :data:`GOALS`, or ``message``, from the first rank of the group to the second.
        group: The ranks; the first one is the root of a broadcast.
        size: Bytes: of the message, or of the largest buffer of a member.
    """

    goal: str
    group: tuple[int, ...]
    size: float

    def __post_init__(self) -> None:
        if self.goal not in GOALS:
            raise ArgumentError(f"goal {self.goal!r} is unknown; choose one of {', '.join(GOALS)}")
        if len(set(self.group)) < len(self.group) or len(self.group) < 1:
            raise ArgumentError(f"group {self.group} must name different ranks, at least one")
        if not 0 <= self.size < float("inf"):
            raise ArgumentError(f"size is {self.size}; it must be a number of at least 0")


@dataclass(frozen=True)
class Part:
    """What one rank does in an operation.

    Attributes:
        after: Parts of the same rank that end before it begins, by number.
        lane: Parts of a rank on the same lane run one at a time, those that are ready first first;
            -1 is no lane.
        label: What it is called in shares and pictures (``forward``, ``tp``, ...).
        seconds: Of a computation; or `flops` and `moved` (bytes), which a chip takes time for. Of
            a launch: the host's, which the rank's chip need not wait for.
    """

    rank: int
    kind: Kind
    after: tuple[int, ...] = ()
    lane: int = FREE
    label: str = ""
    seconds: float = 0.0
    flops: float = 0.0
    moved: float = 0.0
    together: int = -1
    seat: int = 0


@dataclass(frozen=True)
class Workload:
    """Operations of ranks in columns, a row for each part.

    Build one with :class:`WorkloadBuilder`, :func:`hopscape.workloads.read_job` or
    :func:`hopscape.workloads.read_chakra`.

    Attributes:
        ranks: How many there are.
        rank, kind, lane, label (int64[parts]): See :class:`Part`; `kind` counts :data:`KINDS`,
            `label` counts `labels`.
        together, seat (int64[parts]): The operation of several ranks that it is part of, or -1, and
            the place of the rank in its group.
        seconds, flops, moved: float64[parts]
        after_start, after: Part i waits for ``after[after_start[i]:after_start[i + 1]]``.
        goal, group, size: Of each operation of several ranks; `goal` counts :data:`GOALS`, `group`
            counts `groups`.
        uniform: Are the members of every group alike, so that any two could change places? Then
            bounds may share out what a group does among its members.
    """

    ranks: int
    labels: tuple[str, ...]
    groups: tuple[tuple[int, ...], ...]
    goal: IntArray
    group: IntArray
    size: Floats
    rank: IntArray
    kind: IntArray
    lane: IntArray
    label: IntArray
    together: IntArray
    seat: IntArray
    seconds: Floats
    flops: Floats
    moved: Floats
    after_start: IntArray
    after: IntArray
    name: str = ""
    uniform: bool = False

    def __len__(self) -> int:
        return len(self.rank)

    def __repr__(self) -> str:
        return f"<Workload {self.name or 'unnamed'}: {self.ranks} ranks, {len(self)} parts>"

    def timed(self, rate: float, bandwidth: float) -> Workload:
        """Computations that say flops and bytes get seconds: the longer of the two (a roofline).

        Args:
            rate, bandwidth: Flops and bytes of a second.

        Examples:
            >>> draft = WorkloadBuilder(1)
            >>> _ = draft.compute(0, flops=2e9, moved=1e9)
            >>> draft.workload().timed(1e9, 1e9).seconds.tolist()
            [2.0]
        """
        roof = np.maximum(self.flops / rate, self.moved / bandwidth)
        return replace(self, seconds=np.where(self.seconds > 0, self.seconds, roof))

    @property
    def operations(self) -> tuple[Together, ...]:
        """What several ranks do together, one by one."""
        columns = zip(self.goal.tolist(), self.group.tolist(), self.size.tolist(), strict=True)
        return tuple(Together(GOALS[g], self.groups[x], size) for g, x, size in columns)

    def members(self) -> tuple[IntArray, IntArray]:
        """The parts of each operation in the order of its group: offsets and parts."""
        shared = np.flatnonzero(self.together >= 0)
        order = shared[np.lexsort((self.seat[shared], self.together[shared]))]
        return np.searchsorted(self.together[order], np.arange(len(self.goal) + 1)), order


class WorkloadBuilder:
    """A workload while it is written.

    Examples:
        >>> draft = WorkloadBuilder(2)
        >>> work = [draft.compute(rank, 1e-3) for rank in range(2)]
        >>> parts = draft.collective("all-reduce", [0, 1], 4096, after=work)
        >>> draft.workload()
        <Workload unnamed: 2 ranks, 4 parts>
    """

    def __init__(self, ranks: int, name: str = "") -> None:
        if ranks < 1:
            raise ArgumentError(f"ranks is {ranks}; it must be at least 1")
        self.ranks, self.name = ranks, name
        self.parts: list[Part] = []
        self.operations: list[Together] = []

    def _rank(self, rank: int) -> int:
        if not 0 <= rank < self.ranks:
            raise ArgumentError(f"rank {rank} is not one of 0..{self.ranks - 1}")
        return rank

    def add(self, part: Part) -> int:
        """A part; its number."""
        self._rank(part.rank)
        number = len(self.parts)
        for other in part.after:
            if not 0 <= other < number:
                raise ArgumentError(f"part {number} waits for part {other}, which is not there")
            if self.parts[other].rank != part.rank:
                raise ArgumentError(
                    f"part {number} of rank {part.rank} waits for part {other}, which is of rank"
                    f" {self.parts[other].rank}; ranks wait for each other by messages"
                )
        self.parts.append(part)
        return number

    def compute(
        self,
        rank: int,
        seconds: float = 0.0,
        *,
        flops: float = 0.0,
        moved: float = 0.0,
        after: Iterable[int] = (),
        label: str = "compute",
        lane: int = 0,
    ) -> int:
        """A computation of one rank; its part."""
        work = {"seconds": seconds, "flops": flops, "moved": moved}
        for name, value in work.items():
            if not 0 <= value < float("inf"):
                raise ArgumentError(f"{name} is {value}; it must be a number of at least 0")
        return self.add(Part(rank, "compute", tuple(after), lane, label, seconds, flops, moved))

    def collective(
        self,
        goal: str,
        group: Sequence[int],
        size: float,
        *,
        after: Sequence[int | Iterable[int]] | None = None,
        label: str = "collective",
        lane: int = FREE,
    ) -> list[int]:
        """A collective; the parts of its members, in the order of the group.

        Args:
            after: What the part of each member waits for: a part, or several.
        """
        ranks = tuple(self._rank(r) for r in group)
        number = len(self.operations)
        self.operations.append(Together(goal, ranks, size))
        waits = [()] * len(ranks) if after is None else [_several(one) for one in after]
        if len(waits) != len(ranks):
            raise ArgumentError(f"after names parts of {len(waits)} members, not of {len(ranks)}")
        return [
            self.add(Part(rank, "collective", wait, lane, label, together=number, seat=seat))
            for seat, (rank, wait) in enumerate(zip(ranks, waits, strict=True))
        ]

    def message(
        self,
        source: int,
        target: int,
        size: float,
        *,
        after: Iterable[int] = (),
        label: str = "message",
    ) -> tuple[int, int]:
        """A message; the parts of its source and its target."""
        number = len(self.operations)
        self.operations.append(Together("message", (self._rank(source), self._rank(target)), size))
        sent = self.add(Part(source, "send", tuple(after), FREE, label, together=number))
        got = Part(target, "receive", (), FREE, label, together=number, seat=1)
        return sent, self.add(got)

    def workload(self, *, uniform: bool = False) -> Workload:
        """What was written."""
        labels = tuple(dict.fromkeys(part.label for part in self.parts))
        groups = tuple(dict.fromkeys(one.group for one in self.operations))
        place = {label: i for i, label in enumerate(labels)}
        where = {group: i for i, group in enumerate(groups)}

        def column(name: str, kind: type = np.int64) -> IntArray:
            return np.asarray([getattr(part, name) for part in self.parts], kind)

        return Workload(
            self.ranks,
            labels,
            groups,
            np.asarray([GOALS.index(one.goal) for one in self.operations], np.int64),
            np.asarray([where[one.group] for one in self.operations], np.int64),
            np.asarray([one.size for one in self.operations], np.float64),
            rank=column("rank"),
            kind=np.asarray([KINDS.index(part.kind) for part in self.parts], np.int64),
            lane=column("lane"),
            label=np.asarray([place[part.label] for part in self.parts], np.int64),
            together=column("together"),
            seat=column("seat"),
            seconds=column("seconds", np.float64),
            flops=column("flops", np.float64),
            moved=column("moved", np.float64),
            after_start=np.cumsum([0, *(len(part.after) for part in self.parts)], dtype=np.int64),
            after=np.asarray([x for part in self.parts for x in part.after], np.int64),
            name=self.name,
            uniform=uniform,
        )


def _several(wait: int | Iterable[int]) -> tuple[int, ...]:
    return (int(wait),) if isinstance(wait, int | np.integer) else tuple(wait)


@dataclass(frozen=True)
class Placement:
    """Where ranks stand: rank i at node ``nodes[i]``, each at another endpoint.

    Examples:
        >>> import hopscape
        >>> Placement.in_order(hopscape.build("ring(8)"), 4).nodes
        (0, 1, 2, 3)
    """

    nodes: tuple[int, ...]

    @classmethod
    def in_order(
        cls,
        network: Network,
        ranks: int,
        dead: Sequence[int] = (),
        dead_links: Sequence[tuple[int, int]] = (),
    ) -> Placement:
        """Ranks at the first endpoints that are alive and reach each other."""
        ends = live_endpoints(network, dead, dead_links)
        if ranks > len(ends):
            alive = " that are alive and reach each other" if len(dead) or len(dead_links) else ""
            raise ArgumentError(
                f"the job has {ranks} ranks; {network.spec} has {len(ends)} endpoints{alive}"
            )
        return cls(tuple(int(v) for v in ends[:ranks]))

    def check(self, network: Network, ranks: int, dead: Sequence[int] = ()) -> Placement:
        """The same, if it is a placement of so many ranks on endpoints that are alive."""
        if len(self.nodes) != ranks:
            raise ArgumentError(
                f"the placement names {len(self.nodes)} endpoints for {ranks} ranks"
            )
        ends = set(network.endpoints.tolist()) - set(dead)
        seen: dict[int, int] = {}
        for rank, node in enumerate(self.nodes):
            if node not in ends:
                raise ArgumentError(
                    f"rank {rank} stands at node {node}, which is no live endpoint of"
                    f" {network.spec}"
                )
            if node in seen:
                raise ArgumentError(f"ranks {seen[node]} and {rank} both stand at node {node}")
            seen[node] = rank
        return self


def live_endpoints(
    network: Network, dead: Sequence[int] = (), dead_links: Sequence[tuple[int, int]] = ()
) -> IntArray:
    """Endpoints of the largest part of the network that hangs together without dead parts.

    Examples:
        >>> import hopscape
        >>> live_endpoints(hopscape.build("xgft([2, 2], [1, 1])"), dead=[4]).tolist()
        [2, 3]
    """
    if not len(dead) and not len(dead_links):
        return network.endpoints
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    faults = Faults.of(network, dead, dead_links)
    alive = ~faults.channels(network)
    ends = (network.tails[alive], network.heads[alive])
    wires = coo_array((np.ones(len(ends[0])), ends), shape=(network.order, network.order))
    part = connected_components(wires, connection="strong")[1]
    ends_left = network.endpoints[~np.isin(network.endpoints, list(faults.nodes))]
    counts = np.bincount(part[ends_left], minlength=1)
    left: IntArray = ends_left[part[ends_left] == counts.argmax()]
    return left


def read_placement(path: str, network: Network) -> Placement:
    """A placement from a file: the node of each rank, rank by rank.

    Raises:
        FileFormatError: For what is no node of the network, with its line.
    """
    file = TextFile(path)
    words = [word for line in file.lines("#") for word in line.words()]
    return Placement(tuple(word.integer("a node", 0, network.order - 1) for word in words))
