"""Schedules between endpoints as transfers between ranks, for the formats of GPU executors.

What MSCCL and MSCCL++ share: ranks instead of nodes, the buffers that a collective has on every
rank, and where its chunks lie in them at first and at last.
"""

from __future__ import annotations

from dataclasses import dataclass

from hopscape.core.arrays import OPERATIONS
from hopscape.core.errors import ArgumentError, ScheduleError, TooLargeError
from hopscape.core.partial_sums import PartialSums
from hopscape.core.schedule import Schedule

__all__ = ["COLLECTIVES", "Buffers", "Move", "Place", "moves_of_ranks"]

_MOST_TRANSFERS = 300_000  # the files have two lines for each: some 80 MB, and 15 s to write
COLLECTIVES = ("all-gather", "reduce-scatter", "all-reduce", "all-to-all")
"""Goals that the executors know."""
Place = tuple[str, int]
"""A buffer (i, o or s) and an offset in chunks."""


@dataclass(frozen=True)
class Move:
    """A transfer between ranks."""

    source: int
    target: int
    chunk: int
    op: str


@dataclass(frozen=True)
class Buffers:
    """The buffers of a collective: how many chunks they have, and which chunk lies where.

    Attributes:
        pieces: Chunks of a datum.
    """

    kind: str
    ranks: int
    chunks: int

    @property
    def pieces(self) -> int:
        """Chunks of a datum."""
        data = {"all-to-all": self.ranks**2, "all-reduce": 1}.get(self.kind, self.ranks)
        return self.chunks // data

    @property
    def inputs(self) -> int:
        """Chunks of the input buffer of a rank."""
        many = self.kind in ("reduce-scatter", "all-to-all")
        return self.pieces * (self.ranks if many else 1)

    @property
    def outputs(self) -> int:
        """Chunks of the output buffer of a rank."""
        many = self.kind in ("all-gather", "all-to-all")
        return self.pieces * (self.ranks if many else 1)

    def held(self, rank: int, chunk: int) -> Place | None:
        """Where in its input a rank has a chunk from the beginning."""
        if self.kind in ("all-reduce", "reduce-scatter"):
            return "i", chunk
        datum, piece = divmod(chunk, self.pieces)
        if self.kind == "all-gather":
            return ("i", piece) if datum == rank else None
        source, target = divmod(datum, self.ranks)
        return ("i", target * self.pieces + piece) if source == rank else None

    def wanted(self, rank: int, chunk: int) -> Place | None:
        """Where in its output a rank wants a chunk in the end."""
        if self.kind in ("all-gather", "all-reduce"):
            return "o", chunk
        datum, piece = divmod(chunk, self.pieces)
        if self.kind == "reduce-scatter":
            return ("o", piece) if datum == rank else None
        source, target = divmod(datum, self.ranks)
        return ("o", source * self.pieces + piece) if target == rank else None


def moves_of_ranks(schedule: Schedule) -> tuple[Buffers, list[list[Move]]]:
    """Transfers between ranks, round by round.

    Raises:
        ArgumentError: Why the executors cannot run them.
    """
    kind = schedule.goal.kind
    if kind not in COLLECTIVES:
        raise ArgumentError(f"MSCCL has no {kind}; {', '.join(COLLECTIVES)} are written")
    if schedule.goal.to_dict().get("groups"):
        raise ArgumentError("MSCCL files are for all endpoints; this schedule is for groups")
    if isinstance(schedule, PartialSums):
        other = "binomial-tree" if schedule.network.has_switches else "generic"
        raise ArgumentError(
            f"a rank keeps one sum of a chunk in MSCCL files; {schedule.name!r} keeps several, take"
            f" --algorithm {other}"
        )
    ends = schedule.network.endpoints.tolist()
    if len(ends) < 2:
        raise ArgumentError(f"MSCCL files are for at least 2 ranks, not {len(ends)}")
    if schedule.transfers > _MOST_TRANSFERS:
        raise TooLargeError(
            f"MSCCL files are written for up to {_MOST_TRANSFERS:,} transfers, not"
            f" {schedule.transfers:,}"
        )
    rank = {node: i for i, node in enumerate(ends)}
    moves: list[list[Move]] = [[] for _ in range(schedule.rounds)]
    columns = schedule.round, schedule.source, schedule.target, schedule.chunk
    rows = zip(*(x.tolist() for x in columns), schedule.operations().tolist(), strict=True)
    for t, (now, a, b, chunk, op) in enumerate(rows):
        if a not in rank or b not in rank:
            switch = b if a in rank else a
            raise ScheduleError(f"transfer {t} ends at node {switch}, a switch and not a rank")
        moves[now].append(Move(rank[a], rank[b], chunk, OPERATIONS[op]))
    return Buffers(kind, len(ends), schedule.goal.chunk_count(schedule.network)), moves
