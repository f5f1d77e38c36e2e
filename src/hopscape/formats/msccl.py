"""MSCCL: schedules between endpoints as XML for its executor.

Every chunk has a place in the buffers of each rank. Rounds become steps: a send reads what its
place held before the round, a receive writes it after the sends of the round have read it; where
these would wait for each other, the chunk is received into scratch memory and moved later.
Dependencies are explicit and all point back in the order of rounds, so that nothing deadlocks even
where a send waits for its receive.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import quoteattr

from hopscape.core.errors import TooLargeError
from hopscape.core.files import write_text
from hopscape.core.schedule import Schedule
from hopscape.core.verify import require_right
from hopscape.formats.rank_moves import Buffers, Move, Place, moves_of_ranks

__all__ = ["write_msccl"]

_NAMES = {"reduce-scatter": "reduce_scatter"}
_MESSAGES = 32  # chunks between two ranks by one channel
_MOST_STEPS = 256  # of a thread block, MSCCL_MAX_NUM_STEPS of the runtime
_MOST_CHANNELS = 32  # MAXCHANNELS of NCCL
_MOST_PEERS = 32  # connections of a rank in the executor
_MOST_BYTES = 4 << 30  # of a buffer: what a rank of today's clusters reduces at once
_MOST_SCRATCH = 1 << 30  # bytes that the executor allocates in proportion to the buffer


@dataclass
class _Layout:
    """Where each rank works on each chunk.

    Attributes:
        scratch: Chunks of the scratch memory of each rank.
    """

    buffers: Buffers
    scratch: list[int]
    _slots: dict[tuple[int, int], int] = field(default_factory=dict)

    def slot(self, rank: int) -> Place:
        """A fresh place in the scratch memory of a rank."""
        self.scratch[rank] += 1
        return "s", self.scratch[rank] - 1

    def place(self, rank: int, chunk: int) -> Place:
        """Where a rank works on a chunk."""
        buffers = self.buffers
        found = None if buffers.kind == "reduce-scatter" else buffers.wanted(rank, chunk)
        if buffers.kind in ("all-gather", "all-to-all"):
            found = buffers.held(rank, chunk) or found
        if found is not None:
            return found
        if (rank, chunk) not in self._slots:
            self._slots[rank, chunk] = self.slot(rank)[1]
        return "s", self._slots[rank, chunk]

    def before(self, rank: int) -> Iterator[tuple[Place, Place]]:
        """Copies that a rank makes before the first round."""
        for chunk in range(self.buffers.chunks):
            held = self.buffers.held(rank, chunk)
            if held is None:
                continue
            if self.buffers.kind == "reduce-scatter":
                yield held, self.place(rank, chunk)
            elif (wanted := self.buffers.wanted(rank, chunk)) is not None:
                yield held, wanted

    def after(self, rank: int) -> Iterator[tuple[Place, Place]]:
        """Copies that it makes after the last."""
        if self.buffers.kind == "reduce-scatter":
            for p in range(self.buffers.pieces):
                yield self.place(rank, rank * self.buffers.pieces + p), ("o", p)


@dataclass
class _Step:
    kind: str
    source: Place
    target: Place
    deps: dict[int, int]
    """The last step to wait for, by block."""
    needed: bool = False
    number: int = -1


@dataclass
class _Block:
    """A thread block: steps in order, with one peer to send to or to receive from."""

    send: int
    recv: int
    channel: int
    steps: list[_Step] = field(default_factory=list)


class _Rank:
    """The blocks of a rank, and who last wrote and since read each place."""

    def __init__(self) -> None:
        self.blocks: list[_Block] = []
        self.by_peer: dict[tuple[str, int, int], int] = {}
        self.writer: dict[Place, tuple[int, int]] = {}
        self.readers: dict[Place, list[tuple[int, int]]] = {}

    def block(self, direction: str, peer: int, channel: int) -> int:
        key = direction, peer, channel
        if key not in self.by_peer:
            self.by_peer[key] = len(self.blocks)
            send, recv = (
                (peer if direction == "send" else -1),
                (peer if direction == "recv" else -1),
            )
            self.blocks.append(_Block(send, recv, channel))
        return self.by_peer[key]

    def add(self, at: int, kind: str, source: Place, target: Place) -> None:
        """Append a step that waits for what wrote what it reads, and what uses what it writes."""
        reads = [] if kind == "r" else [source]
        writes = [] if kind == "s" else [target]
        reads += writes if kind in ("re", "rrc") else []
        waits = [self.writer[place] for place in reads if place in self.writer]
        for place in writes:
            waits += [self.writer[place]] if place in self.writer else []
            waits += self.readers.get(place, [])
        deps: dict[int, int] = {}
        for block, step in waits:
            if block != at:
                deps[block] = max(step, deps.get(block, -1))
        mine = self.blocks[at].steps
        mine.append(_Step(kind, source, target, deps))
        for place in writes:
            self.writer[place] = (at, len(mine) - 1)
            self.readers[place] = []
        for place in reads:
            if place not in writes:
                self.readers.setdefault(place, []).append((at, len(mine) - 1))


def write_msccl(schedule: Schedule, path: str | Path) -> None:
    """Write a schedule as an MSCCL algorithm, out of place.

    Raises:
        ArgumentError: For goals that MSCCL does not have, and schedules in which switches take
            part.
        CheckFailedError: For a schedule that does not hold.
        TooLargeError: For more ranks, steps or channels than its executor holds.
    """
    buffers, rounds = moves_of_ranks(schedule)
    require_right(schedule, "written")
    layout = _Layout(buffers, [0] * buffers.ranks)
    ranks = [_Rank() for _ in range(buffers.ranks)]
    for r, one in enumerate(ranks):
        for source, target in layout.before(r):
            one.add(one.block("local", -1, 0), "cpy", source, target)
    sent: dict[tuple[int, int], int] = {}
    for moves in rounds:
        _add_round(layout, ranks, moves, sent)
    for r, one in enumerate(ranks):
        for source, target in layout.after(r):
            one.add(one.block("local", -1, 0), "cpy", source, target)
    write_text(path, _xml(schedule, layout, ranks))


def _add_round(
    layout: _Layout, ranks: list[_Rank], moves: list[Move], sent: dict[tuple[int, int], int]
) -> None:
    """Sends and receives of a round; what must wait for its sends is received aside and moved."""
    reads = {(m.source, layout.place(m.source, m.chunk)) for m in moves}
    later = []
    channels = []
    for m in moves:
        count = sent[m.source, m.target] = sent.get((m.source, m.target), -1) + 1
        channels.append(count // _MESSAGES)
        if channels[-1] >= _MOST_CHANNELS:
            raise TooLargeError(
                f"rank {m.source} sends more than {_MESSAGES * _MOST_CHANNELS} chunks to rank"
                f" {m.target}, which MSCCL's {_MOST_CHANNELS} channels do not hold"
            )
        one, place = ranks[m.source], layout.place(m.source, m.chunk)
        one.add(one.block("send", m.target, channels[-1]), "s", place, place)
    for m, channel in zip(moves, channels, strict=True):
        one, place = ranks[m.target], layout.place(m.target, m.chunk)
        at = one.block("recv", m.source, channel)
        aside = m.op == "none" or (m.target, place) in reads
        if not aside:
            one.add(at, "rrc" if m.op == "add" else "r", place, place)
            continue
        slot = layout.slot(m.target)
        one.add(at, "r", slot, slot)
        if m.op != "none":
            later.append((one, at, "re" if m.op == "add" else "cpy", slot, place))
    for one, at, kind, slot, place in later:
        one.add(at, kind, slot, place)


def _number(ranks: list[_Rank]) -> None:
    """Number the steps, with a nop before a step for each dependency beyond its first."""
    for r, one in enumerate(ranks):
        for block in one.blocks:
            at = 0
            for step in block.steps:
                at += max(0, len(step.deps) - 1)
                step.number = at
                at += 1
                for other, place in step.deps.items():
                    one.blocks[other].steps[place].needed = True
            if at > _MOST_STEPS:
                raise TooLargeError(
                    f"a thread block of rank {r} has {at} steps; MSCCL holds {_MOST_STEPS}"
                )
        peers = {b.send for b in one.blocks} | {b.recv for b in one.blocks}
        if len(peers) - 1 > _MOST_PEERS:
            raise TooLargeError(f"rank {r} has {len(peers) - 1} peers; MSCCL holds {_MOST_PEERS}")


def _xml(schedule: Schedule, layout: _Layout, ranks: list[_Rank]) -> str:
    _number(ranks)
    buffers = layout.buffers
    channels = 1 + max(block.channel for one in ranks for block in one.blocks)
    loop = max(buffers.outputs, buffers.inputs)
    name = quoteattr(f"hopscape {schedule.network.spec} {schedule.goal.kind}")
    coll = _NAMES.get(buffers.kind, buffers.kind.replace("-", ""))
    lines = [
        f'<algo name={name} proto="Simple" nchannels="{channels}" nchunksperloop="{loop}"'
        f' ngpus="{buffers.ranks}" coll="{coll}" inplace="0" outofplace="1"'
        f' minBytes="{loop}" maxBytes="{_most_bytes(loop, max(layout.scratch))}">'
    ]
    for r, one in enumerate(ranks):
        sizes = f'i_chunks="{buffers.inputs}" o_chunks="{buffers.outputs}"'
        lines.append(f'  <gpu id="{r}" {sizes} s_chunks="{layout.scratch[r]}">')
        for b, block in enumerate(one.blocks):
            peers = f'send="{block.send}" recv="{block.recv}" chan="{block.channel}"'
            lines.append(f'    <tb id="{b}" {peers}>')
            for step in block.steps:
                lines += _step_lines(one, step)
            lines.append("    </tb>")
        lines.append("  </gpu>")
    return "\n".join([*lines, "</algo>", ""])


def _most_bytes(chunks: int, scratch: int) -> int:
    """The size up to which the algorithm is taken: its scratch memory grows with it.

    MSCCL takes an algorithm from minBytes to below maxBytes; for RCCL 0 would be any size as well.
    """
    most = min(_MOST_BYTES, _MOST_SCRATCH * chunks // max(scratch, 1))
    return most // chunks * chunks


def _step_lines(one: _Rank, step: _Step) -> Iterator[str]:
    waits = [(b, one.blocks[b].steps[s].number) for b, s in sorted(step.deps.items())] or [(-1, -1)]
    for i, (block, at) in enumerate(waits):
        last = i == len(waits) - 1
        number = step.number - (len(waits) - 1 - i)
        source, target = (step.source, step.target) if last else (("i", -1), ("o", -1))
        yield (
            f'      <step s="{number}" type="{step.kind if last else "nop"}"'
            f' srcbuf="{source[0]}" srcoff="{source[1]}" dstbuf="{target[0]}"'
            f' dstoff="{target[1]}" cnt="{int(last)}" depid="{block}" deps="{at}"'
            f' hasdep="{int(last and step.needed)}"/>'
        )
