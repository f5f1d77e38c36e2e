"""MSCCL: schedules between endpoints as XML for its executor, and as MSCCL++ execution plans.

Every chunk has a place in the buffers of each rank. Rounds become steps: a send reads what its
place held before the round, a receive writes it after the sends of the round have read it; where
these would wait for each other, the chunk is received into scratch memory and moved later.
Dependencies are explicit and all point back in the order of rounds, so that nothing deadlocks even
where a send waits for its receive.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from hopscape.core.arrays import OPERATIONS
from hopscape.core.errors import ArgumentError, ScheduleError, TooLargeError
from hopscape.core.files import write_text
from hopscape.core.partial_sums import PartialSums
from hopscape.core.schedule import Schedule
from hopscape.core.verify import require_right

__all__ = ["write_msccl", "write_mscclpp"]

_MOST_TRANSFERS = 300_000  # the file has two lines for each: some 80 MB, and 15 s to write
_NAMES = {
    "all-gather": ("allgather", "allgather"),
    "reduce-scatter": ("reduce_scatter", "reducescatter"),
    "all-reduce": ("allreduce", "allreduce"),
    "all-to-all": ("alltoall", "alltoall"),
}
_MESSAGES = 32  # chunks between two ranks by one channel
_MOST_STEPS = 256  # of a thread block, MSCCL_MAX_NUM_STEPS of the runtime
_MOST_CHANNELS = 32  # MAXCHANNELS of NCCL
_MOST_PEERS = 32  # connections of a rank in the executor
Place = tuple[str, int]
"""A buffer (i, o or s) and an offset in chunks."""


@dataclass(frozen=True)
class _Move:
    """A transfer between ranks."""

    source: int
    target: int
    chunk: int
    op: str


@dataclass
class _Layout:
    """Where each rank keeps each chunk.

    Attributes:
        inputs, outputs: Chunks of the buffers of a rank.
    """

    kind: str
    ranks: int
    chunks: int
    scratch: list[int]
    inputs: int = 0
    outputs: int = 0
    _slots: dict[tuple[int, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        gather, all_reduce = self.kind == "all-gather", self.kind == "all-reduce"
        exchange = self.kind == "all-to-all"
        self.pieces = self.chunks // (
            self.ranks**2 if exchange else 1 if all_reduce else self.ranks
        )
        self.inputs = self.pieces if gather else self.pieces * (1 if all_reduce else self.ranks)
        one = self.kind in ("reduce-scatter",)
        self.outputs = self.pieces * (1 if one or all_reduce else self.ranks)

    def slot(self, rank: int) -> Place:
        """A fresh place in the scratch memory of a rank."""
        self.scratch[rank] += 1
        return "s", self.scratch[rank] - 1

    def place(self, rank: int, chunk: int) -> Place:
        """Where a rank works on a chunk."""
        if self.kind == "all-gather" and chunk // self.pieces == rank:
            return "i", chunk % self.pieces
        if self.kind in ("all-gather", "all-reduce"):
            return "o", chunk
        if self.kind == "all-to-all":
            datum, piece = divmod(chunk, self.pieces)
            source, target = divmod(datum, self.ranks)
            if source == rank:
                return "i", target * self.pieces + piece
            if target == rank:
                return "o", source * self.pieces + piece
        if (rank, chunk) not in self._slots:
            self._slots[rank, chunk] = self.slot(rank)[1]
        return "s", self._slots[rank, chunk]

    def before(self, rank: int) -> Iterator[tuple[Place, Place]]:
        """Copies that a rank makes before the first round."""
        if self.kind == "all-reduce":
            yield from ((("i", c), ("o", c)) for c in range(self.chunks))
        elif self.kind == "reduce-scatter":
            yield from ((("i", c), self.place(rank, c)) for c in range(self.chunks))
        elif self.kind == "all-gather":
            yield from ((("i", p), ("o", rank * self.pieces + p)) for p in range(self.pieces))
        else:
            at = rank * self.pieces
            yield from ((("i", at + p), ("o", at + p)) for p in range(self.pieces))

    def after(self, rank: int) -> Iterator[tuple[Place, Place]]:
        """Copies that it makes after the last."""
        if self.kind == "reduce-scatter":
            for p in range(self.pieces):
                yield self.place(rank, rank * self.pieces + p), ("o", p)


def _rounds(schedule: Schedule) -> tuple[_Layout, list[list[_Move]]]:
    """Transfers between ranks, round by round, or why MSCCL cannot run them."""
    kind = schedule.goal.kind
    if kind not in _NAMES:
        raise ArgumentError(f"MSCCL has no {kind}; {', '.join(_NAMES)} are written")
    if schedule.goal.to_dict().get("groups"):
        raise ArgumentError("MSCCL files are for all endpoints; this schedule is for groups")
    if isinstance(schedule, PartialSums):
        raise ArgumentError(
            f"a rank keeps one sum of a chunk in MSCCL files; {schedule.name!r} keeps several,"
            " take another --algorithm"
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
    moves: list[list[_Move]] = [[] for _ in range(schedule.rounds)]
    columns = schedule.round, schedule.source, schedule.target, schedule.chunk
    rows = zip(*(x.tolist() for x in columns), schedule.operations().tolist(), strict=True)
    for t, (now, a, b, chunk, op) in enumerate(rows):
        if a not in rank or b not in rank:
            switch = b if a in rank else a
            raise ScheduleError(f"transfer {t} ends at node {switch}, a switch and not a rank")
        moves[now].append(_Move(rank[a], rank[b], chunk, OPERATIONS[op]))
    chunks = schedule.goal.chunk_count(schedule.network)
    return _Layout(kind, len(ends), chunks, [0] * len(ends)), moves


# -- XML --------------------------------------------------------------------------------------


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
    layout, rounds = _rounds(schedule)
    require_right(schedule, "written")
    ranks = [_Rank() for _ in range(layout.ranks)]
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
    layout: _Layout, ranks: list[_Rank], moves: list[_Move], sent: dict[tuple[int, int], int]
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
    channels = 1 + max(block.channel for one in ranks for block in one.blocks)
    loop = max(layout.outputs, layout.inputs)
    name = quoteattr(f"hopscape {schedule.network.spec} {schedule.goal.kind}")
    lines = [
        f'<algo name={name} proto="Simple" nchannels="{channels}" nchunksperloop="{loop}"'
        f' ngpus="{layout.ranks}" coll="{_NAMES[layout.kind][0]}" inplace="0" outofplace="1"'
        ' minBytes="0" maxBytes="0">'
    ]
    for r, one in enumerate(ranks):
        sizes = f'i_chunks="{layout.inputs}" o_chunks="{layout.outputs}"'
        lines.append(f'  <gpu id="{r}" {sizes} s_chunks="{layout.scratch[r]}">')
        for b, block in enumerate(one.blocks):
            peers = f'send="{block.send}" recv="{block.recv}" chan="{block.channel}"'
            lines.append(f'    <tb id="{b}" {peers}>')
            for step in block.steps:
                lines += _step_lines(one, step)
            lines.append("    </tb>")
        lines.append("  </gpu>")
    return "\n".join([*lines, "</algo>", ""])


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


# -- MSCCL++ ----------------------------------------------------------------------------------


def write_mscclpp(schedule: Schedule, path: str | Path) -> None:
    """Write a schedule as an execution plan of MSCCL++: one thread block a rank, memory channels.

    Every chunk is put into a place of its own in the scratch memory of its target, which moves it
    after the sends of the round. At the end ranks wait for their peers, so that plans can be run
    again at once.
    """
    layout, rounds = _rounds(schedule)
    require_right(schedule, "written")
    ops: list[list[dict[str, Any]]] = [
        [_local("copy", [source], target) for source, target in layout.before(r)]
        for r in range(layout.ranks)
    ]
    peers: list[list[int]] = [[] for _ in range(layout.ranks)]
    pairs = sorted({(m.source, m.target) for moves in rounds for m in moves})
    for a, b in sorted({*pairs, *((b, a) for a, b in pairs)}):
        peers[a].append(b)
    for moves in rounds:
        _plan_round(layout, ops, peers, moves)
    for r in range(layout.ranks):
        ops[r] += [_local("copy", [source], target) for source, target in layout.after(r)]
        ops[r] += [_sync("signal", k) for k in range(len(peers[r]))]
        ops[r] += [_sync("wait", k) for k in range(len(peers[r]))]
    plan = {
        "name": f"hopscape {schedule.network.spec} {layout.kind}",
        "collective": _NAMES[layout.kind][1],
        "protocol": "Simple",
        "inplace": False,
        "reuse_resources": False,
        "use_double_scratch_buffer": False,
        "buffer_alignment": 16,
        "num_threads_per_block": 1024,
        "min_message_size": 0,
        "max_message_size": 18446744073709551615,
        "gpus": [_gpu(layout, r, ops[r], peers[r]) for r in range(layout.ranks)],
    }
    write_text(path, json.dumps(plan, separators=(",", ":")) + "\n")


def _plan_round(
    layout: _Layout, ops: list[list[dict[str, Any]]], peers: list[list[int]], moves: list[_Move]
) -> None:
    """Puts and signals of a round, then waits, then what came is moved to its place."""
    slots = [layout.slot(m.target) for m in moves]
    for m, slot in zip(moves, slots, strict=True):
        k = peers[m.source].index(m.target)
        place = layout.place(m.source, m.chunk)
        put = _sync("put", k) | {"src_buff": [_buffer(place)]}
        ops[m.source].append(put | {"dst_buff": [{"buff_id": k, "index": slot[1], "size": 1}]})
    pairs = list(dict.fromkeys((m.source, m.target) for m in moves))
    for a, b in pairs:
        ops[a].append(_sync("signal", peers[a].index(b)))
    for a, b in pairs:
        ops[b].append(_sync("wait", peers[b].index(a)))
    for m, slot in zip(moves, slots, strict=True):
        place = layout.place(m.target, m.chunk)
        if m.op == "add":
            ops[m.target].append(_local("re", [place, slot], place))
        elif m.op == "copy":
            ops[m.target].append(_local("copy", [slot], place))


def _buffer(place: Place) -> dict[str, Any]:
    return {"type": place[0], "index": place[1], "size": 1}


def _local(name: str, sources: list[Place], target: Place) -> dict[str, Any]:
    return {"name": name, "src_buff": [_buffer(x) for x in sources], "dst_buff": [_buffer(target)]}


def _sync(name: str, channel: int) -> dict[str, Any]:
    return {"name": name, "channel_ids": [channel], "channel_type": "memory"}


def _gpu(layout: _Layout, r: int, ops: list[dict[str, Any]], peers: list[int]) -> dict[str, Any]:
    ids = list(range(len(peers)))
    block = {
        "id": 0,
        "ops": ops,
        "channels": [{"channel_type": "memory", "channel_ids": ids}],
        "remote_buffer_refs": [{"access_channel_type": "memory", "remote_buffer_ids": ids}],
    }
    remote = [{"rank": p, "type": "s", "access_channel_types": ["memory"]} for p in peers]
    return {
        "id": r,
        "input_chunks": layout.inputs,
        "output_chunks": layout.outputs,
        "scratch_chunks": layout.scratch[r],
        "threadblocks": [block],
        "channels": [{"channel_type": "memory", "type": "memory", "connected_to": peers}],
        "remote_buffers": remote,
        "semaphores": [],
    }
