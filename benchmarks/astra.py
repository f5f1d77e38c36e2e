"""ASTRA-sim beside ours, under its own network model.

python benchmarks/astra.py collectives --astra AstraSim_Analytical_Congestion_Aware

collectives: its native algorithms (ring, direct, halvingDoubling, doubleBinaryTree) for four
collectives of 1 MiB and 1 GiB among 8, 16 and 64 ranks on Ring, Switch and FullyConnected, whole or
in 8 splits: 432 runs; ours executes the same messages with `executor="astra"`.

schedules: schedules of ours, written as Chakra traces, that ASTRA-sim runs as custom collectives.

steps FOLDER: a step as Chakra traces (NAME.RANK.et and a JSON file of groups), such as ASTRA-sim's
symbolic tensor graph generator makes, on the three topologies.

The program is ASTRA-sim's congestion-aware analytical backend; --astra says where it is. --only
names topologies, algorithms or numbers of ranks.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import hopscape
from hopscape.collectives.contest import compete
from hopscape.core.errors import HopscapeError
from hopscape.core.goal import Goal
from hopscape.formats.chakra import write_chakra
from hopscape.workloads import (
    Fabric,
    GroupPlan,
    Placement,
    Timeline,
    Workload,
    WorkloadBuilder,
    execute,
    read_chakra,
    write_workload,
)

RATE, LATENCY = 50.0, 500.0
"""GiB/s of a link, and ns that a message takes to the next node."""
COSTS = {"alpha": 1e-3, "beta": 1e6 / (RATE * 2**30), "gamma": 0.0, "delta": LATENCY / 1e3}
"""Its endpoint delay is a whole number of ns and must not be 0: a message takes one to start, and
the last one takes one more."""
SPECS = {"Ring": "ring({})", "Switch": "xgft([{}], [1])", "FullyConnected": "complete({})"}
NATIVE = {
    "all-reduce": ("ring", "direct", "halvingDoubling", "doubleBinaryTree"),
    "all-gather": ("ring", "direct", "halvingDoubling"),
    "reduce-scatter": ("ring", "direct", "halvingDoubling"),
    "all-to-all": ("ring", "direct"),
}
RANKS = (8, 16, 64)
SIZES = (2**20, 2**30)
SPLITS = (1, 8)
SCHEDULED = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all")
COUNT, CHUNKS = 8, 2**20
CLOSE = 1e-3
MICRO = 1e-6


class RingWays(hopscape.Router):
    """ASTRA-sim's way round a ring: the shorter one, forwards where both are as long."""

    def distances(self, at: np.ndarray, to: np.ndarray) -> np.ndarray:
        ahead = (to - at) % self.network.order
        return np.minimum(ahead, self.network.order - ahead)

    def next_ports(self, at: np.ndarray, to: np.ndarray) -> np.ndarray:
        ahead = (to - at) % self.network.order
        step = np.where(2 * ahead <= self.network.order, 1, -1)
        there = (at + step) % self.network.order
        return (self.network.rows(at) == there[:, None]).argmax(axis=1)


# -- algorithms --------------------------------------------------------------------------------


class Messages:
    """A plan while it is written: messages, and which ones each waits for."""

    def __init__(self, name: str, members: int) -> None:
        self.name, self.members = name, members
        self.rows: list[tuple[int, int, float]] = []
        self.after: list[list[int]] = []

    def add(self, source: int, target: int, share: float, after: list[int]) -> int:
        self.rows.append((source, target, share))
        self.after.append(after)
        return len(self.rows) - 1

    def plan(self) -> GroupPlan:
        return GroupPlan.of_messages(self.name, self.members, self.rows, self.after)


def native(goal: str, name: str, n: int, splits: int) -> GroupPlan:
    """An algorithm of ASTRA-sim among n members, as its source has it."""
    out = Messages(name, n)
    if name == "doubleBinaryTree":
        double_tree(out, splits)
    elif name == "halvingDoubling":
        halving(out, goal, splits)
    elif name == "direct":
        direct(out, goal, splits)
    else:
        around(out, goal, splits)
    return out.plan()


def around(out: Messages, goal: str, splits: int) -> None:
    """A ring; an all-to-all sends n (n - 1) / 2 blocks to the next one, each after the last."""
    n = out.members
    steps = {"all-reduce": 2 * (n - 1), "all-to-all": n * (n - 1) // 2}.get(goal, n - 1)
    last: dict[tuple[int, int], list[int]] = {}
    for _ in range(steps):
        now = {}
        for r in range(n):
            for s in range(splits):
                sent = out.add(r, (r + 1) % n, 1 / n / splits, last.get((r, s), []))
                now[(r + 1) % n, s] = [sent]
        last = now


def direct(out: Messages, goal: str, splits: int) -> None:
    """Everybody to everybody; sums go back to all when all have arrived."""
    n = out.members
    got: dict[tuple[int, int], list[int]] = {}
    for _ in range(2 if goal == "all-reduce" else 1):
        now: dict[tuple[int, int], list[int]] = {}
        for r in range(n):
            for s in range(splits):
                for d in range(1, n):
                    to = (r + d) % n
                    sent = out.add(r, to, 1 / n / splits, got.get((r, s), []))
                    now.setdefault((to, s), []).append(sent)
        got = now


def halving(out: Messages, goal: str, splits: int) -> None:
    """Partners at distances 1, 2, 4, ... add up halves; blocks are gathered from far to near."""
    n = out.members
    near = [2**k for k in range(n.bit_length() - 1)]
    forth = [(d, 1 / (2 * d)) for d in near]
    back = [(d, 1 / (2 * d)) for d in reversed(near)]
    steps = {"all-reduce": forth + back, "reduce-scatter": forth, "all-gather": back}[goal]
    last: dict[tuple[int, int], list[int]] = {}
    for distance, share in steps:
        now = {}
        for r in range(n):
            for s in range(splits):
                sent = out.add(r, r ^ distance, share / splits, last.get((r, s), []))
                now[r ^ distance, s] = [sent]
        last = now


def double_tree(out: Messages, splits: int) -> None:
    """Up a binary tree and down again; its root is the last rank and the first one by turns."""
    n = out.members
    for s in range(splits):
        root = 0 if s % 2 else n - 1
        children: dict[int, list[int]] = {}
        children[root] = [subtree(children, *((1, n) if s % 2 else (0, n - 1)))]
        arrived: dict[int, list[int]] = {}
        for v, parent in upwards(children, root):
            sent = out.add(v, parent, 1 / splits, arrived.get(v, []))
            arrived.setdefault(parent, []).append(sent)
        told = {root: arrived[root]}
        order = [root]
        for v in order:
            for child in children.get(v, []):
                told[child] = [out.add(v, child, 1 / splits, told[v])]
                order.append(child)


def subtree(children: dict[int, list[int]], low: int, high: int) -> int:
    """The binary tree of ranks low..high - 1 in order; its root."""
    middle = (low + high - 1) // 2
    if high - low > 1:
        halves = ((low, middle), (middle + 1, high))
        children[middle] = [subtree(children, *half) for half in halves]
    return middle


def upwards(children: dict[int, list[int]], root: int) -> list[tuple[int, int]]:
    """Children with their parents, leaves first."""
    pairs, order = [], [root]
    for v in order:
        for child in children.get(v, []):
            pairs.append((child, v))
            order.append(child)
    return pairs[::-1]


# -- both programs -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Program:
    """ASTRA-sim with its files in a folder."""

    path: str
    folder: Path

    def nanoseconds(
        self, topology: str, ranks: int, traces: str, system: dict[str, object], rate: float = RATE
    ) -> int | None:
        """When the last rank ends; None where some never do."""
        network = {
            "topology": topology, "npus_count": ranks, "bandwidth": rate, "latency": LATENCY
        }  # fmt: skip
        lines = [f"{key}: [ {value} ]" for key, value in network.items()]
        (self.folder / "network.yml").write_text("\n".join(lines) + "\n")
        (self.folder / "system.json").write_text(json.dumps(system))
        (self.folder / "memory.json").write_text('{"memory-type": "NO_MEMORY_EXPANSION"}')
        groups = sorted(Path(traces).parent.glob("*.json"))
        command = [
            self.path,
            f"--workload-configuration={traces}",
            f"--comm-group-configuration={groups[0]}",
            f"--system-configuration={self.folder / 'system.json'}",
            f"--remote-memory-configuration={self.folder / 'memory.json'}",
            f"--network-configuration={self.folder / 'network.yml'}",
        ]
        done = subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, check=False, timeout=600
        )
        ends = re.findall(r"sys\[(\d+)\] finished, (\d+) cycles", done.stdout + done.stderr)
        if done.returncode and not ends:
            sys.exit(
                f"ASTRA-sim ended with {done.returncode}: {(done.stdout + done.stderr)[-300:]}"
            )
        if len({rank for rank, _ in ends}) < ranks:
            return None
        return max(int(end) for _, end in ends)


def system(splits: int, **more: object) -> dict[str, object]:
    """Its system layer without anything that takes time beside the network."""
    return {
        "scheduling-policy": "FIFO",
        "endpoint-delay": 1,
        "active-chunks-per-dimension": splits,
        "preferred-dataset-splits": splits,
        "collective-optimization": "localBWAware",
        "local-mem-bw": 10**9,
        "boost-mode": 0,
        **{f"{goal}-implementation": ["ring"] for goal in NATIVE},
        **more,
    }


def fabric(topology: str, ranks: int, **more: object) -> Fabric:
    network = hopscape.build(SPECS[topology].format(ranks))
    placement = Placement.in_order(network, ranks)
    routing = RingWays(network) if topology == "Ring" else "auto"
    options = {"costs": COSTS, "routing": routing, **more}
    return Fabric(network, placement, executor="astra", **options)


def one_collective(goal: str, ranks: int, size: float) -> Workload:
    draft = WorkloadBuilder(ranks)
    draft.collective(goal, range(ranks), size)
    return draft.workload()


def compared(name: str, theirs: int | None, found: Timeline, last: float = 0.0) -> float:
    """Print both; how far ours is off, which takes `last` µs more."""
    if theirs is None or not found.verdict:
        same = theirs is None and not found.verdict
        words = found.verdict.reason if not found.verdict else f"{found.seconds / MICRO:,.2f} µs"
        print(f"{name:52} {'never ends' if theirs is None else theirs:>14}  {words[:120]}")
        return 0.0 if same else float("inf")
    ours = found.seconds / MICRO + last
    off = 1e3 * ours / theirs - 1
    print(f"{name:52} {theirs / 1e3:14,.3f} {ours:14,.3f} {100 * off:+8.3f} %", flush=True)
    return abs(off)


def collectives(program: Program, only: set[str]) -> Iterator[float]:
    for topology in SPECS:
        for ranks in RANKS:
            for goal, names in NATIVE.items():
                for size in SIZES:
                    whole = size * ranks if goal == "all-gather" else size
                    work = one_collective(goal, ranks, whole)
                    folder = program.folder / f"{goal}.{ranks}.{size}"
                    if not folder.exists():
                        write_workload(work, folder)
                    for name in names:
                        words = {topology, name, goal, str(ranks)}
                        if only and not only <= words:
                            continue
                        for splits in SPLITS:
                            told = system(splits, **{f"{goal}-implementation": [name]})
                            theirs = program.nanoseconds(
                                topology, ranks, f"{folder}/step", told
                            )  # fmt: skip
                            plan = native(goal, name, ranks, splits)
                            found = execute(
                                work, fabric(topology, ranks, algorithms={goal: plan})
                            )  # fmt: skip
                            yield compared(
                                f"{topology} {ranks}, {goal} of {size >> 20} MiB, {name}/{splits}",
                                theirs,
                                found,
                                COSTS["alpha"],
                            )


def schedules(program: Program, only: set[str]) -> Iterator[float]:
    """Ours as custom collectives: theirs has no start-up here, for it issues what is free."""
    started = {**COSTS, "alpha": 0.0}
    for topology, spec in SPECS.items():
        network = hopscape.build(spec.format(COUNT))
        work = one_collective("all-reduce", COUNT, CHUNKS)
        base = program.folder / "custom"
        if not base.exists():
            write_workload(work, base)
        for goal in SCHEDULED:
            contest = compete(network, Goal(goal), COSTS, size=CHUNKS)
            for entry in contest.entries:
                if only and not only <= {topology, goal, entry.algorithm}:
                    continue
                bytes_each = CHUNKS // entry.chunks
                folder = program.folder / f"{topology}-{goal}-{entry.algorithm}"
                try:
                    write_chakra(entry.schedule, folder, "ours", chunk_bytes=bytes_each)
                except HopscapeError:
                    continue  # stops at switches
                custom = {"all-reduce-implementation-custom": [f"{folder}/ours"]}
                theirs = program.nanoseconds(topology, COUNT, f"{base}/step", system(1, **custom))
                plan = traced(entry.schedule, entry.algorithm, bytes_each / CHUNKS)
                ours = fabric(topology, COUNT, costs=started, algorithms={"all-reduce": plan})
                name = f"{topology}, {goal}, {entry.algorithm}"
                yield compared(name, theirs, execute(work, ours))


def traced(schedule: hopscape.Schedule, name: str, share: float) -> GroupPlan:
    """What the traces of a schedule say: a transfer waits for what brought its chunk."""
    ends = {node: i for i, node in enumerate(schedule.network.endpoints.tolist())}
    columns = (schedule.round, schedule.source, schedule.target, schedule.chunk)
    rows = sorted(zip(*(x.tolist() for x in columns), strict=True))
    out = Messages(name, len(ends))
    held: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for now, a, b, chunk in rows:
        before = [sent for sent, when in held.get((a, chunk), []) if when < now]
        sent = out.add(ends[a], ends[b], share, before)
        held.setdefault((b, chunk), []).append((sent, now))
    return out.plan()


def steps(program: Program, given: argparse.Namespace, only: set[str]) -> Iterator[float]:
    """A step of traces; a rank has one collective or message under way in both.

    What is added up is read twice and written once at the memory's speed.
    """
    work = read_chakra(given.folder).timed(1e12 * given.tflops, 1e9 * given.memory)
    name = next(Path(given.folder).glob("*.0.et")).name.removesuffix(".0.et")
    for topology in SPECS:
        for rate in given.rates:
            if only and topology not in only:
                continue
            told = {"peak-perf": given.tflops, "local-mem-bw": given.memory, "roofline-enabled": 1}
            traces = f"{Path(given.folder).resolve()}/{name}"
            theirs = program.nanoseconds(
                topology, work.ranks, traces, system(1, **told), rate
            )  # fmt: skip
            costs = {**COSTS, "beta": 1e6 / (rate * 2**30), "gamma": 3e-3 / given.memory}
            costs["alpha"] = 0.01
            named = {"all-reduce": "ring-one-way", "all-gather": "ring", "reduce-scatter": "ring"}
            found = execute(work, fabric(topology, work.ranks, costs=costs, algorithms=named))
            yield compared(f"{topology} {work.ranks}, {rate:g} GiB/s", theirs, found)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("what", choices=["collectives", "schedules", "steps"])
    asked.add_argument("folder", nargs="?", help="for steps: with the traces")
    asked.add_argument("--astra", required=True, help="the program")
    asked.add_argument("--only", default="", help="words that must all fit, separated by commas")
    asked.add_argument("--tflops", type=int, default=900, help="of a rank, for steps")
    asked.add_argument("--memory", type=int, default=3350, help="GB/s of a rank, for steps")
    asked.add_argument("--rates", type=float, nargs="+", default=[25, 50, 100, 400], help="GiB/s")
    given = asked.parse_args()
    only = set(filter(None, given.only.split(",")))
    with tempfile.TemporaryDirectory() as folder:
        program = Program(str(Path(given.astra).resolve()), Path(folder))
        if given.what == "steps":
            off = list(steps(program, given, only))
        else:
            runs = schedules if given.what == "schedules" else collectives
            off = list(runs(program, only))
    ended = [x for x in off if np.isfinite(x)]
    print(
        f"{len(off)} runs: {sum(x <= CLOSE for x in off)} within {100 * CLOSE:g} %, largest"
        f" difference {100 * max(ended, default=0.0):.3f} %, {len(off) - len(ended)} end in one"
        " program only"
    )


if __name__ == "__main__":
    main()
