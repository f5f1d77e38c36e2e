"""Execution plans of MSCCL++, read as its executor reads them and carried out in any order.

What the executor takes silently (a missing ``buffer_id`` is its buffer 0, the 65th operation of a
block stops it, the 17th channel writes behind its table) is refused here with a reason.

The threads of a block are not ordered between two ``nop`` operations, the i-th channel of a signal
or wait is served by the i-th thread, and a signal tells what all threads had ended before the last
barrier. Whatever the order in which the threads then run, two of them never touch the same place,
one writing: this is decided once, by vector clocks, after Fidge (1988) and Mattern (1989), not by
trying orders. A plan is run twice in a row, as programs do. Time and memory: operations times
blocks of all ranks.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import FileFormatError
from hopscape.core.reading import load_json
from hopscape.core.verdict import Verdict

__all__ = [
    "ALIGNMENT",
    "MOST_AT_ONCE",
    "MOST_CHANNELS",
    "MOST_OPERATIONS",
    "ExecutionPlan",
    "LateWrite",
    "late_writes",
    "plan_of",
    "run_mscclpp",
]

MOST_OPERATIONS = 64
"""Operations of a thread block (MAX_OPERATION of the executor)."""
MOST_CHANNELS = 16
"""Channels and remote buffers of a thread block (MAX_CHANNEL)."""
MOST_AT_ONCE = 8
"""Channels of an operation (MAX_CHANNEL_PER_OPERATION)."""
ALIGNMENT = 16
"""Bytes: a buffer is a multiple of so many times its chunks."""
_MOST_BUFFERS = 2 + MOST_AT_ONCE  # of an operation
_KINDS = ("allgather", "reducescatter", "allreduce", "alltoall")
_BUFFERS = {"i": "input_chunks", "o": "output_chunks", "s": "scratch_chunks"}
Cell = tuple[int, str, int]
"""A rank, a buffer of it, and a part of a chunk."""


@dataclass(frozen=True)
class Range:
    """Parts of chunks that an operation reads or writes."""

    rank: int
    buffer: str
    first: int
    last: int

    def cells(self) -> Iterator[Cell]:
        """Every part."""
        return ((self.rank, self.buffer, x) for x in range(self.first, self.last))


@dataclass(frozen=True)
class Op:
    """An operation, its channels as (peer, number among those to this peer), or its semaphores."""

    name: str
    sources: tuple[Range, ...] = ()
    targets: tuple[Range, ...] = ()
    channels: tuple[tuple[int, int], ...] = ()
    semaphores: tuple[int, ...] = ()


@dataclass
class ExecutionPlan:
    """A plan as the executor understands it.

    Attributes:
        blocks: Operations of each thread block of each rank.
        sizes: Chunks of the buffers of each rank.
        parts: Parts into which thread blocks that share an operation cut a chunk.
        semaphores: Their values at first, by rank.
    """

    collective: str
    blocks: list[list[list[Op]]]
    sizes: list[dict[str, int]]
    parts: int
    semaphores: list[list[int]]


# -- reading ----------------------------------------------------------------------------------


def _need(record: Any, key: str, kind: type, where: str) -> Any:
    """A value of a record that the executor reads without a default."""
    if not isinstance(record, dict) or key not in record:
        raise FileFormatError(f"{where} has no {key}, which the executor reads")
    value = record[key]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise FileFormatError(f"{where}: {key} is {value!r:.40}, no {kind.__name__}")
    return value


def _numbers(record: Any, key: str, most: int, where: str) -> list[int]:
    """A list of numbers below a bound."""
    values = _need(record, key, list, where)
    for value in values:
        if type(value) is not int or not 0 <= value < most:
            raise FileFormatError(f"{where}: {key} names {value!r:.40}; there are {most}")
    return values


class _Gpu:
    """A rank of the file while its thread blocks are read."""

    def __init__(self, record: Any, rank: int, ranks: int, parts: int) -> None:
        self.rank, self.parts, self.where = rank, parts, f"rank {rank}"
        if _need(record, "id", int, self.where) != rank:
            raise FileFormatError(f"{self.where} has the id {record['id']}")
        self.sizes = {k: _need(record, v, int, self.where) for k, v in _BUFFERS.items()}
        self.channels: list[tuple[int, int]] = []
        for one in _need(record, "channels", list, self.where):
            if _need(one, "channel_type", str, self.where) != "memory":
                raise FileFormatError(f"{self.where}: channels are {one['channel_type']!r:.20}")
            for peer in _numbers(one, "connected_to", ranks, self.where):
                self.channels.append((peer, sum(p == peer for p, _ in self.channels)))
        self.remote: list[tuple[int, str]] = []
        for one in _need(record, "remote_buffers", list, self.where):
            kind = _need(one, "type", str, self.where)
            if kind not in _BUFFERS or "memory" not in one.get("access_channel_types", ()):
                raise FileFormatError(f"{self.where}: a remote buffer is of the type {kind!r:.20}")
            self.remote.append(
                (_numbers({"rank": [one.get("rank")]}, "rank", ranks, self.where)[0], kind)
            )
        self.semaphores = [
            _need(x, "init_value", int, self.where) for x in record.get("semaphores", [])
        ]
        self.blocks = [
            self._block(x, at, len(record["threadblocks"]))
            for at, x in enumerate(_need(record, "threadblocks", list, self.where))
        ]

    def _block(self, record: Any, at: int, blocks: int) -> list[Op]:
        where = f"block {at} of rank {self.rank}"
        if _need(record, "id", int, where) != at:
            raise FileFormatError(f"{where} has the id {record['id']} (the executor counts)")
        channels: list[tuple[int, int]] = []
        for one in _need(record, "channels", list, where):
            if _need(one, "channel_type", str, where) != "memory":
                raise FileFormatError(f"{where}: a channel is {one['channel_type']!r:.20}")
            ids = _numbers(one, "channel_ids", len(self.channels), where)
            channels += [self.channels[x] for x in ids]
        remote: list[tuple[int, str]] = []
        for one in record.get("remote_buffer_refs", []):
            ids = _numbers(one, "remote_buffer_ids", len(self.remote), where)
            remote += [self.remote[x] for x in ids]
        ops = [
            self._operation(x, channels, remote, f"operation {i} of {where}")
            for i, x in enumerate(_need(record, "ops", list, where))
        ]
        for have, most, what in (
            (len(ops), MOST_OPERATIONS, "operations"),
            (len(channels), MOST_CHANNELS, "channels"),
            (len(remote), MOST_CHANNELS, "remote buffers"),
        ):
            if have > most:
                raise FileFormatError(f"{where} has {have} {what}; the executor holds {most}")
        return ops

    def _operation(
        self, op: Any, channels: list[tuple[int, int]], remote: list[tuple[int, str]], where: str
    ) -> Op:
        name = _need(op, "name", str, where)
        if name == "nop":
            return Op(name)
        if name in ("sem_acquire", "sem_release"):
            ids = _numbers(op, "semaphore_ids", len(self.semaphores), where)
            return Op(name, semaphores=tuple(ids))
        if name in ("signal", "wait"):
            ids = _numbers(op, "channel_ids", len(channels), where)
            if op.get("channel_type") != "memory" or not 0 < len(ids) <= MOST_AT_ONCE:
                raise FileFormatError(f"{where}: 1 to {MOST_AT_ONCE} memory channels, not {ids}")
            return Op(name, channels=tuple(channels[x] for x in ids))
        if name not in ("put", "copy", "re"):
            raise FileFormatError(f"{where} is {name!r:.20}; this check knows none such")
        share = op.get("tbg_info", {"tb_id": 0, "tbg_size": 1})
        cut = share["tb_id"], share["tbg_size"]
        sources = self._ranges(op, "src_buff", None, cut, where)
        targets = self._ranges(op, "dst_buff", remote if name == "put" else None, cut, where)
        if name == "put" and (op.get("channel_type") != "memory" or len(sources) != len(targets)):
            raise FileFormatError(
                f"{where}: a put has memory channels and a source for each target"
            )
        if name == "put" and len({x.buffer for x in sources}) > 1:
            raise FileFormatError(f"{where}: all sources of a put are taken from its first buffer")
        if name != "put" and (len(targets) != 1 or (name == "copy" and len(sources) != 1)):
            raise FileFormatError(f"{where} has {len(sources)} sources and {len(targets)} targets")
        lengths = {x.last - x.first for x in (*sources, *targets)}
        if not sources or len(lengths) != 1:
            raise FileFormatError(f"{where}: its sources and targets differ in size")
        return Op(name, sources, targets)

    def _ranges(
        self,
        op: Any,
        key: str,
        remote: list[tuple[int, str]] | None,
        cut: tuple[int, int],
        where: str,
    ) -> tuple[Range, ...]:
        """Places of an operation, as parts of chunks; the block's share of each of them."""
        out = []
        for one in _need(op, key, list, where):
            if remote is None:
                rank, kind = self.rank, _need(one, "type", str, f"{where}: {key}")
                if kind not in _BUFFERS or "buffer_id" in one:
                    raise FileFormatError(f"{where}: {key} is no buffer of the rank itself")
            else:
                which = _need(one, "buffer_id", int, f"{where}: {key}")
                if not 0 <= which < len(remote):
                    raise FileFormatError(f"{where}: buffer_id is {which}; there are {len(remote)}")
                rank, kind = remote[which]
            index, size = (_need(one, x, int, f"{where}: {key}") for x in ("index", "size"))
            whole = size * self.parts
            first, last = (index * self.parts + x * whole // cut[1] for x in (cut[0], cut[0] + 1))
            out.append(Range(rank, kind, first, last))
        if len(out) > _MOST_BUFFERS:
            raise FileFormatError(f"{where} has {len(out)} buffers; it may have {_MOST_BUFFERS}")
        return tuple(out)


def _parts(record: Any) -> int:
    """Into how many parts the thread blocks that share operations cut a chunk."""
    sizes = {1}
    for gpu in record["gpus"]:
        for block in gpu.get("threadblocks", ()):
            for op in block.get("ops", ()):
                share = op.get("tbg_info")
                if share is None:
                    continue
                size = _need(share, "tbg_size", int, "tbg_info")
                if not 0 <= _need(share, "tb_id", int, "tbg_info") < size <= 64:
                    raise FileFormatError(f"tbg_info is {share}: a block is one of up to 64")
                sizes.add(size)
    return math.lcm(*sizes)


def plan_of(record: Any) -> ExecutionPlan:
    """A plan, read by the rules of the executor.

    Raises:
        FileFormatError: What the executor would refuse, and what it would take for something else.
    """
    _need(record, "name", str, "the plan")
    collective = _need(record, "collective", str, "the plan")
    if collective not in _KINDS:
        raise FileFormatError(f"collective {collective!r:.40} is none of {', '.join(_KINDS)}")
    if _need(record, "protocol", str, "the plan") != "Simple":
        raise FileFormatError(f"protocol {record['protocol']!r:.20} is not known to this check")
    if _need(record, "inplace", bool, "the plan"):
        raise FileFormatError("the plan is in place; this check knows plans out of place")
    gpus = _need(record, "gpus", list, "the plan")
    parts = _parts(record)
    read = [_Gpu(gpu, r, len(gpus), parts) for r, gpu in enumerate(gpus)]
    plan = ExecutionPlan(
        collective,
        [one.blocks for one in read],
        [one.sizes for one in read],
        parts,
        [one.semaphores for one in read],
    )
    _check_sizes(plan, record)
    return plan


def _check_sizes(plan: ExecutionPlan, record: Any) -> None:
    """Do buffers fit the collective and each other, and places their buffers?"""
    ranks = len(plan.sizes)
    for r, (size, blocks) in enumerate(zip(plan.sizes, plan.blocks, strict=True)):
        times = {"allgather": (ranks, 1), "reducescatter": (1, ranks)}.get(plan.collective, (1, 1))
        if size != {**plan.sizes[0], "s": size["s"]} or size["i"] < 1:
            raise FileFormatError(f"rank {r} has buffers of other sizes than rank 0")
        if size["o"] * times[1] != size["i"] * times[0]:
            raise FileFormatError(
                f"rank {r} has {size['i']} and {size['o']} chunks of input and output, which is"
                f" no {plan.collective} of {ranks} ranks"
            )
        for b, ops in enumerate(blocks):
            for op in ops:
                for x in (*op.sources, *op.targets):
                    have = plan.sizes[x.rank][x.buffer] * plan.parts
                    if not 0 <= x.first <= x.last <= have:
                        raise FileFormatError(
                            f"block {b} of rank {r}: {op.name} goes beyond buffer {x.buffer} of"
                            f" rank {x.rank}, which has {have // plan.parts} chunks"
                        )
    alignment = record.get("buffer_alignment", ALIGNMENT)
    most = record.get("max_message_size", 2**64 - 1)
    whole = plan.sizes[0]["o" if plan.collective == "allgather" else "i"]
    longest = max(x for size in plan.sizes for x in size.values())
    if alignment % ALIGNMENT or most // whole * longest >= 1 << 32:
        raise FileFormatError(
            f"max_message_size {most} makes {longest} chunks longer than the offsets of the"
            " executor, which have 32 bits"
        )


# -- running ----------------------------------------------------------------------------------


@dataclass
class _Event:
    """Something that a block did between two of its barriers, which are counted."""

    block: int
    epoch: int
    at: int


@dataclass
class _Block:
    """A thread block that runs: its clock says how many epochs of each block had ended."""

    rank: int
    ops: list[Op]
    clock: IntArray
    at: int = 0
    epoch: int = 0
    threads: dict[int, IntArray] = field(default_factory=dict)


@dataclass(frozen=True)
class LateWrite:
    """An operation that may use a place after the next run has overwritten it.

    Attributes:
        rank, block, operation: Which one.
        writer: The rank that writes.
    """

    rank: int
    block: int
    operation: int
    writer: int


class _Race(Exception):
    """Two threads may touch a place in either order."""


class _Machine:
    """All ranks of a plan, each run of which begins when the rank has ended the one before."""

    def __init__(self, plan: ExecutionPlan, seed: int, runs: int) -> None:
        self.plan, self.draw, self.runs = plan, random.Random(seed), runs
        total = sum(map(len, plan.blocks))
        self.blocks = [
            _Block(r, ops, np.zeros(total, np.int64))
            for r, blocks in enumerate(plan.blocks)
            for ops in blocks
        ]
        self.of_rank = [
            [b for b, block in enumerate(self.blocks) if block.rank == r]
            for r in range(len(plan.blocks))
        ]
        self.run = [0] * len(plan.blocks)
        self.value: dict[Cell, int] = {}
        self.given: dict[Cell, int] = {}
        self.wrote: dict[Cell, tuple[int, _Event]] = {}
        self.read: dict[Cell, dict[tuple[int, int], int]] = {}
        self.late: set[LateWrite] | None = None
        self.signals: dict[tuple[int, int, int], list[IntArray]] = {}
        self.taken: dict[tuple[int, int, int], int] = {}
        self.last: dict[tuple[str, int, int, int], tuple[int, int, int]] = {}
        zero = np.zeros(total, np.int64)
        self.released = {
            (r, s): [zero] * value
            for r, values in enumerate(plan.semaphores)
            for s, value in enumerate(values)
        }
        self.acquired: dict[tuple[int, int], int] = {}
        for r, size in enumerate(plan.sizes):
            for x in range(size["i"] * plan.parts):
                self.given[r, "i", x] = self.draw.getrandbits(62)
        self.value.update(self.given)

    # what threads know

    def known(self, b: int, thread: int) -> IntArray:
        block = self.blocks[b]
        if thread not in block.threads:
            clock = block.clock.copy()
            clock[b] = block.epoch
            block.threads[thread] = clock
        return block.threads[thread]

    def barrier(self, b: int) -> None:
        block = self.blocks[b]
        for clock in block.threads.values():
            np.maximum(block.clock, clock, out=block.clock)
        block.threads.clear()
        block.epoch += 1
        block.clock[b] = block.epoch

    def end(self, rank: int) -> None:
        """All blocks of a rank have ended: what they know, the next run knows."""
        for b in self.of_rank[rank]:
            self.barrier(b)
        clock = np.max([self.blocks[b].clock for b in self.of_rank[rank]], axis=0)
        for b in self.of_rank[rank]:
            self.blocks[b].clock, self.blocks[b].at = clock.copy(), 0
        self.run[rank] += 1

    # operations

    def before(self, b: int, event: _Event) -> bool:
        """Had an event ended, for all threads of a block, before their last barrier?"""
        if event.block == b:
            return event.epoch < self.blocks[b].epoch
        return bool(self.blocks[b].clock[event.block] > event.epoch)

    def tell(self, b: int, cell: Cell, event: _Event, what: str) -> None:
        if not self.before(b, event):
            rank, buffer, part = cell
            raise _Race(
                f"{what} chunk {part // self.plan.parts} of buffer {buffer} of rank {rank}: block"
                f" {self._name(b)} does not wait for block {self._name(event.block)}"
            )

    def _name(self, b: int) -> str:
        rank = self.blocks[b].rank
        return f"{self.of_rank[rank].index(b)} of rank {rank}"

    def load(self, b: int, cell: Cell) -> int:
        block, made = self.blocks[b], self.wrote.get(cell)
        if made is not None:
            self.tell(b, cell, made[1], "a race to read")
        if cell[1] != "i" and (made is None or made[0] != self.run[block.rank]):
            raise _Race(
                f"rank {block.rank} reads chunk {cell[2] // self.plan.parts} of its buffer"
                f" {cell[1]}, into which nothing was written"
            )
        self.read.setdefault(cell, {})[b, block.epoch] = block.at
        return self.value[cell]

    def store(self, b: int, cell: Cell, value: int, own: bool) -> None:
        """Write, after all that was written and read there; `own`: the operation read it."""
        made, block = self.wrote.get(cell), self.blocks[b]
        used = [_Event(*key, at) for key, at in self.read.pop(cell, {}).items()]
        if own:
            used = [x for x in used if (x.block, x.epoch) != (b, block.epoch)]
        if made is not None:
            used.append(made[1])
        for event in used:
            other = self.blocks[event.block].rank
            if self.late is None or other == block.rank:
                self.tell(b, cell, event, "a race to write over")
            elif not self.before(b, event):
                which = self.of_rank[other].index(event.block)
                self.late.add(LateWrite(other, which, event.at, block.rank))
        self.wrote[cell] = self.run[block.rank], _Event(b, block.epoch, block.at)
        self.value[cell] = value

    def data(self, b: int, op: Op) -> None:
        if op.name in ("put", "copy"):
            for source, target in zip(op.sources, op.targets, strict=True):
                for x, y in zip(source.cells(), target.cells(), strict=True):
                    self.store(b, y, self.load(b, x), False)
            return
        cells = [list(x.cells()) for x in op.sources]
        for k, y in enumerate(op.targets[0].cells()):
            mine = [row[k] for row in cells]
            self.store(b, y, sum(self.load(b, x) for x in mine), y in mine)

    def order(self, b: int, name: str, key: tuple[int, int, int], thread: int) -> None:
        """Signals of a channel, and waits, come one after the other."""
        before = self.last.get((name, *key))
        self.last[name, *key] = b, self.blocks[b].epoch, thread
        if before is None or before == (b, self.blocks[b].epoch, thread):
            return
        other, epoch, was = before
        same = other == b and epoch == self.blocks[b].epoch and was == thread
        if not same and not self.known(b, thread)[other] > epoch:
            a, peer = (key[0], key[1]) if name == "signal" else (key[1], key[0])
            raise _Race(f"two {name}s between ranks {a} and {peer} may come in either order")

    def signal(self, b: int, op: Op) -> None:
        r = self.blocks[b].rank
        for thread, (peer, number) in enumerate(op.channels):
            key = r, peer, number
            self.order(b, "signal", key, thread)
            self.signals.setdefault(key, []).append(self.known(b, thread).copy())

    def wait(self, b: int, op: Op) -> bool:
        r = self.blocks[b].rank
        keys = [(peer, r, number) for peer, number in op.channels]
        if any(self.taken.get(k, 0) >= len(self.signals.get(k, ())) for k in keys):
            return False
        for thread, key in enumerate(keys):
            self.order(b, "wait", key, thread)
            at = self.taken.get(key, 0)
            self.taken[key] = at + 1
            known = self.known(b, thread)
            np.maximum(known, self.signals[key][at], out=known)
        return True

    def acquire(self, b: int, op: Op) -> bool:
        r = self.blocks[b].rank
        if any(self.acquired.get((r, s), 0) >= len(self.released[r, s]) for s in op.semaphores):
            return False
        for thread, s in enumerate(op.semaphores):
            at = self.acquired.get((r, s), 0)
            self.acquired[r, s] = at + 1
            known = self.known(b, thread)
            np.maximum(known, self.released[r, s][at], out=known)
        return True

    def advance(self, b: int) -> bool:
        """Carry out the next operation of a block if it can be."""
        block = self.blocks[b]
        if self.run[block.rank] == self.runs or block.at == len(block.ops):
            return False
        op = block.ops[block.at]
        if op.name in ("wait", "sem_acquire"):
            if not (self.wait(b, op) if op.name == "wait" else self.acquire(b, op)):
                return False
        elif op.name == "nop":
            self.barrier(b)
        elif op.name == "signal":
            self.signal(b, op)
        elif op.name == "sem_release":
            for thread, s in enumerate(op.semaphores):
                self.released[block.rank, s].append(self.known(b, thread).copy())
        else:
            self.data(b, op)
        block.at += 1
        return True

    def carry_out(self) -> Verdict | None:
        """Do everything; the deadlock where there is one."""
        order, moved = list(range(len(self.blocks))), True
        while moved:
            self.draw.shuffle(order)
            moved = False
            for b in order:
                while self.advance(b):
                    moved = True
            ended = [
                r
                for r, mine in enumerate(self.of_rank)
                if self.run[r] < self.runs
                and all(self.blocks[b].at == len(self.blocks[b].ops) for b in mine)
            ]
            if self.late is not None and len(ended) < len(self.of_rank):
                continue  # first all reads of a run, then the writes of the next
            for r in ended:
                self.end(r)
                moved = True
        for b, block in enumerate(self.blocks):
            if self.run[block.rank] < self.runs and block.at < len(block.ops):
                where = {"rank": block.rank, "operation": block.at}
                return Verdict(
                    False,
                    f"deadlock: block {self._name(b)} never gets past operation {block.at}"
                    f" ({block.ops[block.at].name})",
                    where,
                )
        return None


def late_writes(plan: ExecutionPlan) -> set[LateWrite]:
    """What one run does to places that nothing keeps from the writes of the next.

    Raises:
        FileFormatError: For a plan with another fault.
    """
    machine = _Machine(plan, 0, 2)
    machine.late = set()
    try:
        stuck = machine.carry_out()
    except _Race as race:
        raise FileFormatError(str(race)) from race
    if stuck is not None:
        raise FileFormatError(stuck.reason)
    return machine.late


def run_mscclpp(path: str | Path, *, seed: int = 0) -> Verdict:
    """Read an execution plan of MSCCL++ and carry it out on the CPU, twice in a row.

    Returns:
        Verdict: Fails on a deadlock, on a race of threads, whatever the order in which they happen
            to run, and where a rank ends with a wrong chunk. `details`: ranks, blocks, operations.

    Raises:
        FileFormatError: For what the executor would refuse or misread.
    """
    plan = plan_of(load_json(Path(path)))
    machine = _Machine(plan, seed, 2)
    try:
        stuck = machine.carry_out()
    except _Race as race:
        return Verdict(False, str(race))
    if stuck is not None:
        return stuck
    left = any(machine.taken.get(k, 0) < len(v) for k, v in machine.signals.items())
    if left or any(machine.acquired.get(k, 0) < len(v) for k, v in machine.released.items()):
        return Verdict(False, "a signal is left that nobody waits for: a next run would go wrong")
    details = {
        "ranks": len(plan.blocks),
        "blocks": len(machine.blocks),
        "operations": sum(len(block.ops) for block in machine.blocks),
    }
    wrong = _wrong(plan, machine)
    if wrong is not None:
        rank, chunk = wrong
        text = f"rank {rank} ends with a wrong chunk {chunk} of its output"
        return Verdict(False, text, {"rank": rank, "chunk": chunk}, details)
    return Verdict(True, f"{plan.collective} on {len(plan.blocks)} ranks", details=details)


def _wrong(plan: ExecutionPlan, machine: _Machine) -> tuple[int, int] | None:
    """A rank and a chunk of its output that is not what the collective promises."""
    ranks, given = len(plan.blocks), machine.given
    for r, size in enumerate(plan.sizes):
        whole = size["o"] * plan.parts
        for x in range(whole):
            if plan.collective == "allgather":
                right = given[x // (whole // ranks), "i", x % (whole // ranks)]
            elif plan.collective == "alltoall":
                piece = whole // ranks
                right = given[x // piece, "i", r * piece + x % piece]
            else:
                at = x + (r * whole if plan.collective == "reducescatter" else 0)
                right = sum(given[q, "i", at] for q in range(ranks))
            if machine.value.get((r, "o", x)) != right:
                return r, x // plan.parts
    return None
