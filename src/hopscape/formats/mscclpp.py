"""MSCCL++: schedules between endpoints as execution plans, by the rules of its executor.

A rank's program: in every round it puts chunks into fresh places in the scratch memory of its
peers, signals them, waits for what comes and adds it up. Nothing is written twice in a run, so
that only what is read must be waited for. Where a next run could overwrite what was not yet read,
those who read it say so in the end.

The threads of a block run freely between two ``nop`` operations, which are barriers of the block.
One is placed before an operation that depends on one since the last barrier, and nowhere else: a
signal on the puts before it, whatever reads a chunk on the operation that made it or on the wait
for it. A block holds 64 operations, 16 channels and 16 buffers of peers; longer programs go on in
the next block, which waits for a semaphore. The whole is there several times, each copy for its
own part of every chunk, since one block alone does not fill the links of a GPU.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from hopscape.core.errors import TooLargeError
from hopscape.core.files import write_text
from hopscape.core.schedule import Schedule
from hopscape.core.verify import require_right
from hopscape.formats.mscclpp_check import (
    ALIGNMENT,
    MOST_AT_ONCE,
    MOST_CHANNELS,
    MOST_OPERATIONS,
    late_writes,
    plan_of,
)
from hopscape.formats.rank_moves import Buffers, Move, Place, moves_of_ranks

__all__ = ["write_mscclpp"]

_MOST_BLOCKS = 64  # of a rank: all of them wait for each other, so a GPU must run them at once
_COPIES = 4  # thread blocks that share the work of one: half the bandwidth of a GPU's links
_MOST_WRITTEN = 50_000  # operations of a plan with copies, some 10 MB


@dataclass
class _Op:
    """An operation of a rank.

    Attributes:
        peers: Of a put, of each part; of signals and waits, one for each channel.
        after: Operations that all threads must have ended before this one begins.
        behind: The same, but only where another thread block does them.
    """

    name: str
    peers: list[int] = field(default_factory=list)
    sources: list[Place] = field(default_factory=list)
    targets: list[Place] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    behind: list[int] = field(default_factory=list)


class _Rank:
    """The program of a rank while it grows: what was made by which operation."""

    def __init__(self) -> None:
        self.ops: list[_Op] = []
        self.scratch = 0
        self.made: dict[Place, int] = {}
        self.put: dict[int, int] = {}
        self.synced: dict[tuple[str, int], tuple[int, int]] = {}

    def add(self, op: _Op) -> int:
        """Append an operation on data, after what made its sources."""
        at = len(self.ops)
        op.after = sorted({self.made[x] for x in op.sources if x in self.made})
        if op.name == "put":
            self.put.update(dict.fromkeys(op.peers, at))
        else:
            self.made.update(dict.fromkeys(op.targets, at))
        self.ops.append(op)
        return at

    def sync(self, name: str, peers: Sequence[int]) -> None:
        """Append signals to peers, or waits for them; thread i does the i-th."""
        for first in range(0, len(peers), MOST_AT_ONCE):
            some = list(peers[first : first + MOST_AT_ONCE])
            op, at = _Op(name, some), len(self.ops)
            for thread, peer in enumerate(some):
                before = self.synced.get((name, peer))
                if before is not None:  # the same thread keeps the order, but not across blocks
                    (op.behind if before[1] == thread else op.after).append(before[0])
                self.synced[name, peer] = at, thread
                if name == "signal" and peer in self.put:
                    op.after.append(self.put[peer])
            self.ops.append(op)

    def slot(self) -> Place:
        """A fresh place into which a peer puts a chunk."""
        self.scratch += 1
        return "s", self.scratch - 1


def _programs(buffers: Buffers, rounds: list[list[Move]]) -> list[_Rank]:
    """What every rank does, in one row."""
    ranks = [_Rank() for _ in range(buffers.ranks)]
    last: dict[tuple[int, int], int] = {}
    rounds = [[m for m in moves if m.op != "none"] for moves in rounds]
    for now, moves in enumerate(rounds):
        last.update({(m.target, m.chunk): now for m in moves})
    where: dict[tuple[int, int], Place] = {}
    for r, one in enumerate(ranks):
        for chunk in range(buffers.chunks):
            held, wanted = buffers.held(r, chunk), buffers.wanted(r, chunk)
            if held is not None:
                where[r, chunk] = held
                if wanted is not None and (r, chunk) not in last:
                    one.add(_Op("copy", [], [held], [wanted]))
    for now, moves in enumerate(rounds):
        _add_round(ranks, moves, where, {key for key, at in last.items() if at == now}, buffers)
    return ranks


def _add_round(
    ranks: list[_Rank],
    moves: list[Move],
    where: dict[tuple[int, int], Place],
    final: set[tuple[int, int]],
    buffers: Buffers,
) -> None:
    """Puts and signals of a round, then waits, then sums and what a rank wants to keep."""
    slots = [ranks[m.target].slot() for m in moves]
    puts: dict[tuple[int, str], list[tuple[int, Place, Place]]] = {}
    for m, slot in zip(moves, slots, strict=True):
        source = where[m.source, m.chunk]
        puts.setdefault((m.source, source[0]), []).append((m.target, source, slot))
    for (r, _), parts in puts.items():
        for first in range(0, len(parts), MOST_AT_ONCE):
            peers, sources, targets = zip(*parts[first : first + MOST_AT_ONCE], strict=True)
            ranks[r].add(_Op("put", list(peers), list(sources), list(targets)))
    pairs = sorted({(m.source, m.target) for m in moves})
    for a, some in groupby(pairs, lambda pair: pair[0]):
        ranks[a].sync("signal", [b for _, b in some])
    for b, found in groupby(sorted((b, a) for a, b in pairs), lambda pair: pair[0]):
        ranks[b].sync("wait", [a for _, a in found])
    left = Counter((m.target, m.chunk) for m in moves)
    for m, slot in zip(moves, slots, strict=True):
        one, key = ranks[m.target], (m.target, m.chunk)
        one.made[slot] = one.synced["wait", m.source][0]
        left[key] -= 1
        wanted = buffers.wanted(*key) if key in final and not left[key] else None
        if m.op == "add":
            one.add(_Op("re", [], [slot, where[key]], [wanted or slot]))
        elif wanted is not None:
            one.add(_Op("copy", [], [slot], [wanted]))
        where[key] = wanted or slot


# -- thread blocks ----------------------------------------------------------------------------


@dataclass
class _Block:
    """Operations of a program from `first` on, and before which of them there are barriers."""

    first: int
    ops: list[_Op] = field(default_factory=list)
    barriers: list[int] = field(default_factory=list)
    last: bool = True
    closed: bool = False  # is there a barrier before the semaphore is released?

    @property
    def size(self) -> int:
        """Operations with barriers and semaphores."""
        ends = (self.first > 0) + (0 if self.last else 1 + self.closed)
        return len(self.ops) + len(self.barriers) + ends


def _blocks(ops: list[_Op]) -> list[_Block]:
    """Cut a program into thread blocks, with a barrier wherever one is needed."""
    used = [-1] * len(ops)  # the last operation that needs this one to have ended
    for i, op in enumerate(ops):
        for x in (*op.after, *op.behind):
            used[x] = i
    blocks = [_Block(0)]
    peers: set[int] = set()
    for i, op in enumerate(ops):
        now = blocks[-1]
        more = peers | set(op.peers)
        if len(more) > MOST_CHANNELS or now.size + 4 > MOST_OPERATIONS:
            start = now.barriers[-1] if now.barriers else now.first
            now.last, now.closed = False, any(used[x] >= i for x in range(start, i))
            now, more = _Block(i), set(op.peers)
            blocks.append(now)
        peers = more
        start = now.barriers[-1] if now.barriers else now.first
        begun = bool(now.barriers)
        if any(x >= start or (x < now.first and not begun) for x in op.after) or (
            not begun and any(x < now.first for x in op.behind)
        ):
            now.barriers.append(i)
        now.ops.append(op)
    return blocks


def write_mscclpp(schedule: Schedule, path: str | Path) -> None:
    """Write a schedule as an execution plan of MSCCL++, out of place, over memory channels.

    Raises:
        ArgumentError: For goals that MSCCL++ does not have, and schedules in which switches take
            part.
        CheckFailedError: For a schedule that does not hold.
        TooLargeError: For a rank that needs more thread blocks than a GPU runs at once.
    """
    buffers, rounds = moves_of_ranks(schedule)
    require_right(schedule, "written")
    ranks = _programs(buffers, rounds)
    blocks = [_blocks(one.ops) for one in ranks]
    most = max(map(len, blocks))
    if most > _MOST_BLOCKS:
        r = next(r for r, one in enumerate(blocks) if len(one) == most)
        raise TooLargeError(
            f"rank {r} has {len(ranks[r].ops):,} operations, {most} thread blocks of"
            f" {MOST_OPERATIONS}; plans of MSCCL++ are written for up to {_MOST_BLOCKS}, which"
            " a GPU runs at once"
        )
    _acknowledge(buffers, ranks, name := f"hopscape {schedule.network.spec} {buffers.kind}")
    blocks = [_blocks(one.ops) for one in ranks]
    written = sum(block.size for one in blocks for block in one)
    copies = max(
        c
        for c in (1, 2, _COPIES)
        if c == 1 or (c * most <= _MOST_BLOCKS and c * written <= _MOST_WRITTEN)
    )
    plan = _plan(name, buffers, ranks, blocks, copies)
    write_text(path, json.dumps(plan, separators=(",", ":")) + "\n")


def _acknowledge(buffers: Buffers, ranks: list[_Rank], name: str) -> None:
    """Let those who put something wait in the end, where a next run could overwrite it unread."""
    blocks = [_blocks(one.ops) for one in ranks]
    late = late_writes(plan_of(_plan(name, buffers, ranks, blocks, 1)))
    numbers = [[[i for i, _ in _sequence(block)] for block in mine] for mine in blocks]
    readers: dict[int, dict[int, set[int]]] = {}
    for one in late:
        at = numbers[one.rank][one.block][one.operation]
        assert at is not None
        readers.setdefault(one.rank, {}).setdefault(one.writer, set()).add(at)
    for r, writers in sorted(readers.items()):
        first = len(ranks[r].ops)
        ranks[r].sync("signal", sorted(writers))
        for op in ranks[r].ops[first:]:
            op.after += [at for peer in op.peers for at in writers[peer]]
    for r, rank in enumerate(ranks):
        rank.sync("wait", sorted(b for b, writers in readers.items() if r in writers))


def _plan(
    name: str, buffers: Buffers, ranks: list[_Rank], blocks: list[list[_Block]], copies: int
) -> dict[str, Any]:
    """The plan as it stands in the file."""
    longest = max(buffers.inputs, buffers.outputs, *(one.scratch for one in ranks))
    whole = buffers.outputs if buffers.kind == "all-gather" else buffers.inputs
    return {
        "name": name,
        "collective": buffers.kind.replace("-", ""),
        "protocol": "Simple",
        "inplace": False,
        "reuse_resources": False,
        "use_double_scratch_buffer": False,
        "buffer_alignment": ALIGNMENT,
        "num_threads_per_block": 1024,
        "min_message_size": ALIGNMENT * whole,
        "max_message_size": ((1 << 32) - 1) // longest // ALIGNMENT * ALIGNMENT * whole,
        "gpus": [
            _gpu(buffers, r, one, mine, copies)
            for r, (one, mine) in enumerate(zip(ranks, blocks, strict=True))
        ],
    }


def _gpu(buffers: Buffers, r: int, one: _Rank, blocks: list[_Block], copies: int) -> dict[str, Any]:
    peers = sorted({peer for op in one.ops for peer in op.peers})
    remote = [{"rank": p, "type": "s", "access_channel_types": ["memory"]} for p in peers]
    links = len(blocks) - 1
    return {
        "id": r,
        "input_chunks": buffers.inputs,
        "output_chunks": buffers.outputs,
        "scratch_chunks": one.scratch,
        "threadblocks": [
            _threadblock(block, at, copy, copies, peers)
            for at, block in enumerate(blocks)
            for copy in range(copies)
        ],
        "channels": [{"channel_type": "memory", "connected_to": peers * copies}],
        "remote_buffers": remote,
        "semaphores": [{"init_value": 0}] * (links * copies),
    }


def _threadblock(
    block: _Block, at: int, copy: int, copies: int, peers: list[int]
) -> dict[str, Any]:
    """A thread block: its channels and buffers are numbered anew from 0."""
    mine = sorted({peer for op in block.ops for peer in op.peers})
    number = {peer: i for i, peer in enumerate(mine)}
    release: dict[str, Any] = {"name": "sem_release", "semaphore_ids": [at * copies + copy]}
    acquire: dict[str, Any] = {"name": "sem_acquire", "semaphore_ids": [(at - 1) * copies + copy]}
    ops: list[dict[str, Any]] = []
    words = {"nop": {"name": "nop"}, "acquire": acquire, "release": release}
    for _, op in _sequence(block):
        if isinstance(op, _Op):
            ops.append(_operation(op, number, copy, copies))
        else:
            ops.append(words[op])
    ids = [bisect_left(peers, peer) for peer in mine]
    channels = [copy * len(peers) + i for i in ids]
    return {
        "id": at * copies + copy,
        "ops": ops,
        "channels": [{"channel_type": "memory", "channel_ids": channels}],
        "remote_buffer_refs": [{"access_channel_type": "memory", "remote_buffer_ids": ids}],
    }


def _sequence(block: _Block) -> Iterator[tuple[int | None, _Op | str]]:
    """What a thread block does; operations of the program with their numbers."""
    if block.first:
        yield None, "acquire"
    barriers = set(block.barriers)
    for i, op in enumerate(block.ops, block.first):
        if i in barriers:
            yield None, "nop"
        yield i, op
    if not block.last:
        if block.closed:
            yield None, "nop"
        yield None, "release"


def _operation(op: _Op, number: dict[int, int], copy: int, copies: int) -> dict[str, Any]:
    if op.name in ("signal", "wait"):
        ids = [number[peer] for peer in op.peers]
        return {"name": op.name, "channel_ids": ids, "channel_type": "memory"}
    record: dict[str, Any] = {"name": op.name, "src_buff": [_local(x) for x in op.sources]}
    if op.name == "put":
        record["dst_buff"] = [
            {"buffer_id": number[peer], "index": place[1], "size": 1}
            for peer, place in zip(op.peers, op.targets, strict=True)
        ]
        record["channel_type"] = "memory"
    else:
        record["dst_buff"] = [_local(x) for x in op.targets]
    if op.name == "re":
        record["reduce_op"] = "sum"
    if copies > 1:
        record["tbg_info"] = {"tb_id": copy, "tbg_size": copies}
    return record


def _local(place: Place) -> dict[str, Any]:
    return {"type": place[0], "index": place[1], "size": 1}
