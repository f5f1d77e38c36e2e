"""One step of a transformer as a workload: layers, micro-batches and collectives in their order.

All ranks of a stage run the same *program*; it is written once and stamped on every rank. Ranks are
numbered with the tensor-parallel ones next to each other, then those that share a sequence, the
batch, and the pipeline.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.processes import require_memory
from hopscape.workloads.job import ModelJob
from hopscape.workloads.workload import (
    COLLECTIVE,
    COMPUTE,
    GOALS,
    LAUNCH,
    RECEIVE,
    SEND,
    Workload,
)

__all__ = [
    "PART_BYTES",
    "StageProgram",
    "make_gradients",
    "make_step",
    "message_ends",
    "parts_of_rank",
    "rank_groups",
    "stage_program",
]

LANES = {"compute": 0, "tp": 1, "cp": 2, "ep": 3, "dp": 4, "edp": 5, "prefetch": 6, "launch": 7}
"""Each kind of communication has a stream of its own, and so has the host that launches kernels."""
LABELS = ("forward", "backward", "optimizer", "tp", "cp", "ep", "dp", "pp", "launch")


@dataclass
class StageProgram:
    """What every rank of a stage does.

    Attributes:
        rows: kind, seconds, flops, lane, label, key of each part; the key names the group and the
            goal, or the message.
        after: What each part waits for.
        cursor: Parts that the next computation waits for.
        late: Parts that the computation after the next waits for.
        seen: Parts that the host waits for before it launches the next computation.
    """

    rows: list[tuple[int, float, float, int, str]] = field(default_factory=list)
    keys: list[tuple[Any, ...] | None] = field(default_factory=list)
    after: list[list[int]] = field(default_factory=list)
    cursor: list[int] = field(default_factory=list)
    late: list[int] = field(default_factory=list)
    seen: list[int] = field(default_factory=list)
    streams: dict[int, int] = field(default_factory=dict)

    def _add(
        self,
        row: tuple[int, float, float, int, str],
        key: tuple[Any, ...] | None,
        after: Iterable[int],
    ) -> int:
        lane = row[3]
        waits = list(after)
        if lane >= 0 and lane in self.streams:
            waits.append(self.streams[lane])
        self.rows.append(row)
        self.keys.append(key)
        self.after.append(sorted(set(waits)))
        number = len(self.rows) - 1
        if lane >= 0:
            self.streams[lane] = number
        return number

    def launch(self, seconds: float) -> list[int]:
        """The host launches a computation, after what it launched before and what it has to see."""
        row = (LAUNCH, seconds, 0.0, LANES["launch"], "launch")
        made, self.seen = self._add(row, None, self.seen), []
        return [made]

    def compute(self, seconds: float, flops: float, label: str, also: Iterable[int] = ()) -> int:
        """A computation after all that blocks."""
        waits = [*self.cursor, *also]
        made = self._add((COMPUTE, seconds, flops, 0, label), None, waits)
        self.cursor, self.late = [made, *self.late], []
        return made

    def collective(
        self,
        goal: str,
        over: str,
        size: float,
        *,
        hidden: bool = False,
        after: Iterable[int] | None = None,
        lane: str = "",
    ) -> int:
        """A collective after what blocks; a hidden one blocks the computation after the next."""
        label = "dp" if over == "edp" else over
        waits = self.cursor if after is None else after
        key = ("collective", goal, over, size)
        made = self._add((COLLECTIVE, 0.0, 0.0, LANES[lane or over], label), key, waits)
        if after is None and hidden:
            self.late.append(made)
        elif after is None:
            self.cursor = [made]
        return made

    def send(self, key: tuple[Any, ...], size: float, blocks: bool) -> None:
        """A message to another stage."""
        made = self._add(
            (SEND, 0.0, 0.0, -1, "pp"), ("message", key, size), [*self.cursor, *self.late]
        )
        if blocks:
            self.cursor = [*self.cursor, made]

    def wait_for(self, received: int) -> None:
        """The next computation, and the host that launches it, wait for a message."""
        self.cursor = [*self.cursor, received]
        self.seen = [received]

    def receive(self, key: tuple[Any, ...], size: float) -> int:
        """A message from another stage; it waits for nothing."""
        return self._add((RECEIVE, 0.0, 0.0, -1, "pp"), ("message", key, size), ())


def make_step(job: ModelJob) -> Workload:
    """The workload of one step of a job.

    Examples:
        >>> from hopscape.workloads.job import Chip, LanguageModel, Split
        >>> model = LanguageModel(hidden=512, layers=4, heads=8, seq=128, vocab=1000)
        >>> make_step(ModelJob(model, Split(batch=8, tp=2, pp=2, dp=2), Chip(tflops=100)))
        <Workload model: 8 ranks, 672 parts>
    """
    programs = [stage_program(job, stage) for stage in range(job.split.pp)]
    return _stamp(job, programs)


def make_gradients(job: ModelJob) -> Workload:
    """The end of a step of a job: gradients are summed up, weights move on and are gathered."""
    programs = []
    for number in range(job.split.pp):
        stage = _Stage(job, number)
        stage.finish()
        programs.append(stage.program)
    return _stamp(job, programs)


def rank_groups(job: ModelJob) -> dict[str, IntArray]:
    """The groups of each kind inside one stage: ranks counted from the first of the stage."""
    split = job.split
    grid = np.arange(split.dp * split.cp * split.tp).reshape(split.dp, split.cp, split.tp)
    experts = grid.reshape(split.dp // split.ep, split.ep, split.cp, split.tp)
    return {
        "tp": grid.reshape(-1, split.tp),
        "cp": grid.transpose(0, 2, 1).reshape(-1, split.cp),
        "dp": grid.reshape(split.dp * split.cp, split.tp).T.copy(),
        "ep": experts.transpose(0, 2, 3, 1).reshape(-1, split.ep),
        "edp": experts.transpose(1, 3, 0, 2).reshape(split.ep * split.tp, -1),
    }


class _Stage:
    """Writes the program of one stage."""

    def __init__(self, job: ModelJob, stage: int) -> None:
        self.job, self.stage, self.program = job, stage, StageProgram()
        model, split = job.model, job.split
        length = 1 if split.kind == "decode" else model.seq
        self.tokens = split.micro * length / split.cp
        self.activation = self.tokens * model.hidden * model.bytes
        self.forward_only = split.kind != "training"
        self.sharded = split.shard == "parameters" and split.dp * split.cp > 1

    # -- work of a layer --------------------------------------------------------------------

    def _attention(self) -> tuple[float, float, float, float]:
        """Flops of products, flops of the core, bytes of weights (and cache), bytes moved."""
        model, split = self.job.model, self.job.split
        products = 2 * self.tokens * self.job.attention_weights
        core = 4 * self.tokens * model.seq * model.attended / split.tp
        if model.flash and split.kind != "decode":
            core /= 2  # no token looks ahead, and what it does not see is left out
        read = self.job.attention_weights * model.bytes
        if split.kind == "decode":
            read += split.micro * model.seq / split.cp * self.job.token_cache
        thin = split.tp if split.sequence else 1
        wide = 5 * model.hidden / thin + 4 * model.attended / split.tp
        moved = self.tokens * model.bytes * wide
        if not model.flash:
            moved += 5 * model.bytes * model.heads * model.seq * self.tokens / split.tp
        return products, core, read, moved

    def _ffn(self, dense: bool) -> tuple[float, float, float]:
        """Flops, bytes of weights and bytes moved: results are read and written once more.

        Tokens that go to experts are put in order before they leave and after they are back.
        """
        model, split = self.job.model, self.job.split
        thin = split.tp if split.sequence else 1
        routed = model.experts and not dense
        each = max(model.top, 1) + model.shared if routed else 1
        here = max(model.experts // split.ep, 1) + model.shared if routed else 1
        flops = 2 * self.tokens * each * model.ffn_weights(dense) / split.tp
        wide = model.dense_ffn if dense and model.dense_ffn else model.ffn_width
        moved = 5 * model.hidden / thin + (3 if model.gated else 2) * each * wide / split.tp
        if routed:
            moved += 4 * model.top * model.hidden / thin
            flops += 2 * self.tokens * model.hidden * model.experts / split.tp
        read = here * model.ffn_weights(dense) / split.tp * model.bytes
        return flops, read, self.tokens * model.bytes * moved

    def _seconds(self, flops: float, read: float, moved: float) -> float:
        return self.job.chip.seconds(flops, read, moved)

    @cached_property
    def _host(self) -> float:
        """Seconds to launch half a layer; 0 where the host is ahead whatever happens."""
        launch = 1e-6 * self.job.chip.overhead
        shortest = launch
        for dense in (True, False):
            products, core, read, moved = self._attention()
            halves = self._seconds(products + core, read, moved), self._seconds(*self._ffn(dense))
            shortest = min(shortest, *halves)
        return launch if shortest < launch else 0.0

    def _half(
        self, seconds: float, flops: float, label: str, times: int, fetched: list[int]
    ) -> None:
        """Half a layer, which the host launches."""
        launched = self.program.launch(times * self._host) if self._host else []
        self.program.compute(seconds, flops, label, also=[*fetched, *launched])

    # -- collectives ------------------------------------------------------------------------

    def _tensor(self, opens: bool) -> None:
        """What tensor-parallel ranks do before (`opens`) and after a part of a layer."""
        split, program = self.job.split, self.program
        if split.tp == 1:
            return
        hidden = self.job.overlap.tp
        if split.sequence:
            goal = "all-gather" if opens else "reduce-scatter"
            program.collective(goal, "tp", self.activation, hidden=hidden)
        elif not opens:
            program.collective("all-reduce", "tp", self.activation, hidden=hidden)

    def _context(self, back: bool) -> None:
        split = self.job.split
        if split.cp == 1:
            return
        size = self.tokens * split.cp * self.job.token_cache
        for goal in ("all-gather", "reduce-scatter") if back else ("all-gather",):
            self.program.collective(goal, "cp", size, hidden=self.job.overlap.cp)

    def _experts(self, dense: bool) -> None:
        split, model = self.job.split, self.job.model
        if split.ep == 1 or dense:
            return
        thin = split.tp if split.sequence else 1
        size = self.activation * model.top / thin
        self.program.collective("all-to-all", "ep", size, hidden=self.job.overlap.ep)

    def _fetch(self, dense: bool) -> list[int]:
        """Weights of a layer, gathered where ranks of the batch share them out."""
        if not self.sharded:
            return []
        after = [] if self.job.overlap.dp else self.program.cursor
        out = []
        for over, weights in zip(("dp", "edp"), self.job.layer_weights(dense), strict=True):
            if weights and self._size(over) > 1:
                size = weights * self.job.model.bytes
                out.append(
                    self.program.collective("all-gather", over, size, after=after, lane="prefetch")
                )
        return out

    def _size(self, over: str) -> int:
        split = self.job.split
        return split.dp * split.cp // (split.ep if over == "edp" else 1)

    def _layers(self, depth: int) -> list[bool]:
        """Has each layer of a part of the pipeline no experts, in a model that has some?"""
        dense, others = self.job.dense_layers(depth)
        return [True] * dense + [False] * others

    # -- layers -----------------------------------------------------------------------------

    def forward(self, dense: bool, label: str = "forward") -> None:
        """A layer, forwards."""
        fetched = self._fetch(dense)
        self._tensor(opens=True)
        self._context(back=False)
        products, core, read, moved = self._attention()
        seconds = self._seconds(products + core, read, moved)
        self._half(seconds, products + core, label, 1, fetched)
        self._tensor(opens=False)
        self._tensor(opens=True)
        self._experts(dense)
        flops, read, moved = self._ffn(dense)
        self._half(self._seconds(flops, read, moved), flops, label, 1, [])
        self._experts(dense)
        self._tensor(opens=False)

    def backward(self, dense: bool) -> None:
        """A layer, backwards: twice the work, after what is computed again."""
        split = self.job.split
        if split.recompute == "full":
            self.forward(dense, "backward")
        fetched = self._fetch(dense) if split.recompute != "full" else []
        self._tensor(opens=True)
        self._experts(dense)
        flops, read, moved = self._ffn(dense)
        self._half(2 * self._seconds(flops, read, moved), 2 * flops, "backward", 2, fetched)
        self._experts(dense)
        self._tensor(opens=False)
        self._tensor(opens=True)
        self._context(back=True)
        products, core, read, moved = self._attention()
        work = 2 * (products + core) + (core if split.recompute == "selective" else 0.0)
        again = 1.5 if split.recompute == "selective" and not self.job.model.flash else 1.0
        self._half(self._seconds(work, 2 * read, 2 * again * moved), work, "backward", 2, [])
        self._tensor(opens=False)

    def _head(self, times: float, label: str) -> None:
        """Scores of all words, in the last stage."""
        model, split = self.job.model, self.job.split
        flops = times * 2 * self.tokens * model.hidden * model.vocab / split.tp
        read = model.hidden * model.vocab / split.tp * model.bytes
        moved = times * 4 * self.tokens * model.vocab / split.tp * model.bytes
        self.program.compute(self._seconds(flops, read, moved), flops, label)

    # -- the whole program ------------------------------------------------------------------

    def write(self) -> StageProgram:
        """All micro-batches in the order of the schedule, then the optimizer."""
        split = self.job.split
        last = split.micro_batches - 1
        sent: list[int] = []
        done = 0
        for way, chunk, micro in _order(self.job, self.stage):
            if way == "F":
                self._forward(chunk, micro)
                continue
            done += 1
            sent += self._backward(chunk, micro, micro == last)
        if not self.forward_only:
            self.finish(sent)
        return self.program

    def finish(self, sent: Iterable[int] = ()) -> None:
        """What comes after the last way back."""
        self._optimizer([*sent, *self._gradients_at_end()])

    def _crossing(self) -> float:
        """Bytes between stages: each tensor-parallel rank sends its part."""
        return self.activation / self.job.split.tp

    def _cross(self, key: tuple[str, int, int]) -> None:
        """Activations from another stage, whole again at every tensor-parallel rank."""
        split, program = self.job.split, self.program
        program.wait_for(program.receive(key, self._crossing()))
        if split.tp > 1 and not split.sequence:
            program.collective("all-gather", "tp", self.activation)

    def _forward(self, chunk: int, micro: int) -> None:
        split, program = self.job.split, self.program
        depth = chunk * split.pp + self.stage
        final = split.pp * split.interleave - 1
        if depth > 0 and split.pp > 1:
            self._cross(("F", depth - 1, micro))
        for dense in self._layers(depth):
            self.forward(dense)
        if depth == final:
            self._head(1.0, "forward")
        elif split.pp > 1:
            program.send(("F", depth, micro), self._crossing(), not self.job.overlap.pp)

    def _backward(self, chunk: int, micro: int, is_last: bool) -> list[int]:
        """The way back of a micro-batch; collectives of gradients that it starts."""
        split, program = self.job.split, self.program
        depth = chunk * split.pp + self.stage
        final = split.pp * split.interleave - 1
        if depth < final and split.pp > 1:
            self._cross(("B", depth + 1, micro))
        elif depth == final:
            self._head(2.0, "backward")
        out = []
        goal = "reduce-scatter" if self.sharded else ""
        sends = self.sharded or (is_last and self.job.overlap.dp)
        tables = self.job.table_weights(self.stage) if sends else 0.0
        if depth == final and tables and final > 0:
            out += self._reduce((tables, 0.0), goal)
        for dense in reversed(self._layers(depth)):
            self.backward(dense)
            if sends:
                out += self._reduce(self.job.layer_weights(dense), goal)
        if depth == 0 and tables:
            out += self._reduce((tables, 0.0), goal)
        if depth > 0 and split.pp > 1:
            program.send(("B", depth, micro), self._crossing(), not self.job.overlap.pp)
        return out

    def _reduce(self, weights: tuple[float, float], goal: str = "") -> list[int]:
        """Gradients of dense weights and of experts, summed up over the batch."""
        split = self.job.split
        out = []
        usual = "all-reduce" if split.shard == "none" else "reduce-scatter"
        for over, count in zip(("dp", "edp"), weights, strict=True):
            if count and self._size(over) > 1:
                size = count * split.grad_bytes
                out.append(
                    self.program.collective(goal or usual, over, size, after=self.program.cursor)
                )
        return out

    def _gradients_at_end(self) -> list[int]:
        if self.sharded or self.job.overlap.dp:
            return []
        return self._reduce(self.job.weights(self.stage))

    def _optimizer(self, sent: list[int]) -> None:
        """Weights move on; where the optimizer is shared out, they are gathered again."""
        split, model = self.job.split, self.job.model
        dense, experts = self.job.weights(self.stage)
        if split.shard != "none":
            dense, experts = dense / self._size("dp"), experts / self._size("edp")
        moved = (dense + experts) * (2 * 12 + split.grad_bytes + model.bytes)
        program = self.program
        program.compute(self._seconds(0.0, 0.0, moved), 0.0, "optimizer", also=sent)
        if split.shard in ("optimizer", "gradients"):
            waits = list(program.cursor)
            for over, weights in zip(("dp", "edp"), self.job.weights(self.stage), strict=True):
                if weights and self._size(over) > 1:
                    program.collective("all-gather", over, weights * model.bytes, after=waits)


def stage_program(job: ModelJob, stage: int) -> StageProgram:
    """What every rank of a stage does.

    Raises:
        TooLargeError: When there are too many micro-batches and layers for the memory.
    """
    require_memory(PART_BYTES * parts_of_rank(job), "the program of a rank of this job")
    return _Stage(job, stage).write()


PART_BYTES = 500
"""Of a part of a program as Python's lists, with what it waits for: 420 measured."""


def parts_of_rank(job: ModelJob) -> int:
    """Parts of a rank's program, roughly."""
    split = job.split
    passes = 1 if split.kind != "training" else 3 if split.recompute == "full" else 2
    each = 2 + (4 if split.sequence else 2) * (split.tp > 1) + 2 * (split.ep > 1) + (split.cp > 1)
    return split.micro_batches * job.model.layers // split.pp * each * passes


def _order(job: ModelJob, stage: int) -> list[tuple[str, int, int]]:
    """Forward and backward passes of a stage: way, part of the layers, micro-batch."""
    split = job.split
    count = split.micro_batches
    if split.kind != "training":
        return [("F", chunk, i) for i in range(count) for chunk in range(split.interleave)]
    forth = [("F", 0, i) for i in range(count)]
    back = [("B", 0, i) for i in range(count)]
    if split.schedule == "gpipe":
        return forth + back
    warm = min(split.pp - stage - 1, count)
    if split.schedule == "interleaved":
        pp, parts = split.pp, split.interleave
        turns = range(count * parts)
        where = [(k % (pp * parts) // pp, k // (pp * parts) * pp + k % pp) for k in turns]
        forth = [("F", chunk, i) for chunk, i in where]
        back = [("B", parts - 1 - chunk, i) for chunk, i in where]
        warm = min(2 * (pp - stage - 1) + (parts - 1) * pp, len(forth))
    steady = [x for pair in zip(forth[warm:], back, strict=False) for x in pair]
    return [*forth[:warm], *steady, *back[len(forth) - warm :]]


class _Operations:
    """The groups and operations of all stages, numbered as they come."""

    def __init__(self, job: ModelJob) -> None:
        self.job, self.width = job, job.split.dp * job.split.cp * job.split.tp
        self.groups: list[tuple[int, ...]] = []
        self.goal: list[IntArray] = []
        self.group: list[IntArray] = []
        self.size: list[IntArray] = []
        self.count = 0
        self._rows = rank_groups(job)
        self._first: dict[Any, int] = {}
        self._messages: dict[Any, int] = {}
        self._seats: dict[str, tuple[IntArray, IntArray]] = {}

    def collective(
        self, stage: int, name: str, over: str, size: float
    ) -> tuple[IntArray, IntArray]:
        """The operation of each rank of a stage, and its seat there."""
        rows = self._rows[over]
        if (over, stage) not in self._first:
            shifted = (rows + stage * self.width).tolist()
            self._groups((over, stage), [tuple(row) for row in shifted])
        if over not in self._seats:
            index, seat = np.zeros(self.width, np.int64), np.zeros(self.width, np.int64)
            index[rows] = np.arange(len(rows))[:, None]
            seat[rows] = np.arange(rows.shape[1])[None, :]
            self._seats[over] = index, seat
        index, seat = self._seats[over]
        groups = self._first[over, stage] + np.arange(len(rows))
        return self._operate(name, groups, size) + index, seat

    def message(self, tag: Any, size: float) -> IntArray:
        """The operation of each rank of both stages between which a message goes."""
        if tag not in self._messages:
            source, target = message_ends(self.job, tag)
            width, ranks = self.width, np.arange(self.width)
            pairs = [(source * width + r, target * width + r) for r in range(width)]
            first = self._groups((source, target), pairs)
            self._messages[tag] = self._operate("message", first + ranks, size)
        return self._messages[tag] + np.arange(self.width)

    def _groups(self, key: Any, rows: Sequence[tuple[int, ...]]) -> int:
        if key not in self._first:
            self._first[key] = len(self.groups)
            self.groups += rows
        return self._first[key]

    def _operate(self, name: str, groups: IntArray, size: float) -> int:
        """One operation for each group; the number of the first."""
        first = self.count
        members = len(self.groups[groups[0]])
        self.goal.append(np.full(len(groups), GOALS.index(name), np.int64))
        self.group.append(groups)
        self.size.append(np.full(len(groups), float(-(-size // members) * members)))
        self.count += len(groups)
        return first


def _stamp_stage(stage: int, program: StageProgram, made: _Operations) -> dict[str, IntArray]:
    """The columns of one stage: its program on each of its ranks."""
    width, length = made.width, len(program.rows)
    together = np.full((width, length), -1, np.int64)
    seats = np.zeros((width, length), np.int64)
    for k, key in enumerate(program.keys):
        if key is not None and key[0] == "collective":
            _, name, over, size = key
            together[:, k], seats[:, k] = made.collective(stage, str(name), str(over), float(size))
        elif key is not None:
            _, tag, size = key
            together[:, k] = made.message(tag, float(size))
            seats[:, k] = int(program.rows[k][0] == RECEIVE)
    kind, seconds, flops, lane, label = zip(*program.rows, strict=True)
    each = {
        "kind": np.asarray(kind, np.int64),
        "seconds": np.asarray(seconds, float),
        "flops": np.asarray(flops, float),
        "lane": np.asarray(lane, np.int64),
        "label": np.asarray([LABELS.index(name) for name in label], np.int64),
        "waits": np.asarray([len(x) for x in program.after], np.int64),
    }
    return {name: np.tile(column, width) for name, column in each.items()} | {
        "rank": np.repeat(stage * width + np.arange(width), length),
        "together": together.ravel(),
        "seat": seats.ravel(),
    }


def _stamp(job: ModelJob, programs: list[StageProgram]) -> Workload:
    """Programs on all ranks of their stages."""
    made, base = _Operations(job), 0
    stages, after = [], [np.zeros(0, np.int64)]
    for stage, program in enumerate(programs):
        stages.append(_stamp_stage(stage, program, made))
        flat = np.asarray([x for row in program.after for x in row], np.int64)
        shifts = base + len(program.rows) * np.arange(made.width)
        after.append((flat[None, :] + shifts[:, None]).ravel())
        base += len(program.rows) * made.width
    columns = {name: np.concatenate([one[name] for one in stages]) for name in stages[0]}
    nothing = np.zeros(0, np.int64)
    return Workload(
        job.split.ranks,
        LABELS,
        tuple(made.groups),
        np.concatenate([nothing, *made.goal]),
        np.concatenate([nothing, *made.group]),
        np.concatenate([np.zeros(0), *made.size]),
        columns["rank"],
        columns["kind"],
        columns["lane"],
        columns["label"],
        columns["together"],
        columns["seat"],
        columns["seconds"],
        columns["flops"],
        np.zeros(base),
        np.concatenate([[0], np.cumsum(columns["waits"])]).astype(np.int64),
        np.concatenate(after),
        job.name,
        uniform=True,
    )


def message_ends(job: ModelJob, tag: tuple[str, int, int]) -> tuple[int, int]:
    """The stages that a message goes from and to."""
    way, depth, _ = tag
    pp = job.split.pp
    return depth % pp, (depth + 1 if way == "F" else depth - 1) % pp
