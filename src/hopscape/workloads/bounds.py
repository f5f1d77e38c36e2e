"""What no schedule can beat: longest paths, ports, cuts and volumes, each proved.

A path adds up computations and, for every collective on it, what its members must send and receive
at least. Where all members of a group are alike (a job), what they must move together is shared out
evenly: a solution that favours some of them, averaged over all ways to change their places, is as
good. A cut adds up what all groups must send across it; whatever a kind of collective sends comes
after the earliest of its starts and before the shortest of its tails.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.faults import Faults
from hopscape.core.processes import require_memory
from hopscape.workloads.flow_bounds import GroupDemand, least_seconds
from hopscape.workloads.job import ModelJob
from hopscape.workloads.timeline import Fabric
from hopscape.workloads.transformer import (
    PART_BYTES,
    message_ends,
    parts_of_rank,
    rank_groups,
    stage_program,
)
from hopscape.workloads.workload import GOALS, RECEIVE, SEND, Workload

__all__ = ["StepBound", "job_bounds", "workload_bounds"]

_MOST_CUTS = 200
_MOST_PAIRS = 400_000


@dataclass(frozen=True)
class StepBound:
    """No execution takes less: seconds, and why."""

    seconds: float
    reason: str


@dataclass(frozen=True)
class _Demand:
    """Collectives of one goal and label: groups of ranks (k, n), bytes of each, times around."""

    goal: str
    label: str
    members: IntArray
    size: Floats
    head: float
    tail: float


class _Limits:
    """What the endpoints of ranks can send and receive, and what a message takes at least."""

    def __init__(self, fabric: Fabric, slack: float = 1.0) -> None:
        network = fabric.network
        alive = ~Faults.of(network, fabric.dead_nodes, fabric.dead_links).channels(network)
        self.rate = np.where(alive, 1 / np.maximum(fabric.per_byte * slack, 1e-300), 0.0)
        self.alive = alive
        order = network.order
        out = np.bincount(network.tails, self.rate, minlength=order)
        into = np.bincount(network.heads, self.rate, minlength=order)
        where = np.asarray(fabric.placement.nodes)
        self.out, self.into = out[where], into[where]
        apart = network.has_switches and not _neighbours(fabric)
        hops = 2 if apart else 1
        self.latency = 1e-6 * (fabric.costs["alpha"] + hops * fabric.costs["delta"])
        self.meets = fabric.executor != "astra"
        if not self.meets:
            self.latency = self.work(self.latency)

    def work(self, seconds: Any) -> Any:
        """Seconds of computations: ASTRA-sim counts whole ns."""
        return seconds if self.meets else np.floor(np.asarray(seconds) * 1e9) * 1e-9

    def even(self, goal: str, members: int, size: float) -> float:
        """Seconds of a part when the members share out what they must send evenly."""
        if members < 2 or not size:
            return 0.0
        each = {"all-reduce": 2.0, "message": members / 2 / (members - 1)}.get(goal, 1.0)
        moved = each * (members - 1) / members * size
        if goal == "broadcast":
            moved = 0.0
        return self.latency + moved / float(self.out.max())

    def alone(self, goal: str, seat: int, members: int, size: float) -> tuple[float, float]:
        """Bytes that one member must send, and receive."""
        if members < 2:
            return 0.0, 0.0
        rest = (members - 1) / members * size
        if goal == "all-reduce":
            return size, size
        if goal == "reduce-scatter":
            return rest, size / members
        if goal == "all-gather":
            return size / members, rest
        if goal == "all-to-all":
            return rest, rest
        return (size, 0.0) if seat == 0 else (0.0, size)


def _neighbours(fabric: Fabric) -> bool:
    """Are endpoints linked to endpoints?"""
    network = fabric.network
    end = np.zeros(network.order, bool)
    end[network.endpoints] = True
    return bool((end[network.tails] & end[network.heads]).any())


# -- jobs: one rank of each stage stands for all -----------------------------------------------


def job_bounds(job: ModelJob, fabric: Fabric, slack: float = 1.0) -> list[StepBound]:
    """Bounds of a job, the strongest first; its workload is not written out.

    Args:
        slack: The least part of its time that a channel takes for a message, where times are
            truncated.

    Raises:
        TooLargeError: When there are too many micro-batches and layers for the memory.
    """
    parts = parts_of_rank(job) * job.split.pp
    require_memory(2 * PART_BYTES * parts, "a bound of this job")
    limits = _Limits(fabric, slack)
    programs = [stage_program(job, stage) for stage in range(job.split.pp)]
    local = rank_groups(job)
    sizes = {over: rows.shape[1] for over, rows in local.items()}
    counts = [len(program.rows) for program in programs]
    base = np.cumsum([0, *counts])
    even, single, together, ends = [], [], [], []
    tags: dict[Any, int] = {}
    latency: list[float] = []
    best_out, best_in = float(limits.out.max()), float(limits.into.max())
    for program in programs:
        for row, key in zip(program.rows, program.keys, strict=True):
            operation = -1
            if key is None:
                even.append(float(limits.work(row[1])))
                single.append(even[-1])
            elif key[0] == "collective":
                _, goal, over, size = key
                n = sizes[str(over)]
                even.append(limits.even(str(goal), n, float(size)))
                out, into = limits.alone(str(goal), 0, n, float(size))
                moved = max(out / best_out, into / best_in if limits.meets else 0.0)
                single.append(limits.latency * (n > 1) + moved)
            else:
                _, tag, size = key
                even.append(0.0)
                single.append(0.0)
                if tag not in tags:
                    tags[tag] = len(latency)
                    latency.append(limits.latency + float(size) / min(best_out, best_in))
                operation = tags[tag]
            together.append(operation)
            ends.append(row[0])
    after = [
        [x + int(base[i]) for x in row]
        for i, program in enumerate(programs)
        for row in program.after
    ]
    graph = _Graph(
        after, np.asarray(together, np.int64), np.asarray(ends), np.asarray(latency), limits
    )
    path = graph.longest(np.asarray(even))
    bounds = [StepBound(path, "critical path")]
    head, tail = graph.around(np.asarray(single))
    by_name: dict[tuple[str, str, int], list[float]] = {}
    spans: dict[tuple[str, str, int], list[float]] = {}
    pairs: dict[tuple[int, int, str], list[float]] = {}
    label_of: dict[tuple[str, str, int], str] = {}
    for stage, program in enumerate(programs):
        for k, key in enumerate(program.keys):
            at = int(base[stage]) + k
            if key is None or program.rows[k][0] == RECEIVE:
                continue
            if key[0] == "collective":
                name = (str(key[1]), str(key[2]), stage)
                label_of[name] = program.rows[k][4]
                by_name.setdefault(name, []).append(float(key[3]))
                spans.setdefault(name, []).extend([head[at], tail[at]])
            else:
                source, target = message_ends(job, key[1])
                pairs.setdefault((source, target, "pp"), []).append(float(key[2]))
                spans.setdefault(("message", str(source), target), []).extend([head[at], tail[at]])
    width = job.split.dp * job.split.cp * job.split.tp
    demands = []
    for name, bytes_ in by_name.items():
        goal, over, stage = name
        rows = local[over] + stage * width
        span = spans[name]
        total = np.full(len(rows), sum(bytes_))
        demands.append(_Demand(goal, label_of[name], rows, total, min(span[::2]), min(span[1::2])))
    for (source, target, label), bytes_ in pairs.items():
        ranks = np.arange(width)
        rows = np.stack([source * width + ranks, target * width + ranks], axis=1)
        span = spans["message", str(source), target]
        total = np.full(width, sum(bytes_))
        demands.append(_Demand("message", label, rows, total, min(span[::2]), min(span[1::2])))
    bounds += _of_demands(demands, fabric, limits)
    return sorted(dict.fromkeys(bounds), key=lambda bound: -bound.seconds)


# -- any workload ------------------------------------------------------------------------------


def workload_bounds(workload: Workload, fabric: Fabric, slack: float = 1.0) -> list[StepBound]:
    """Bounds of any workload, the strongest first."""
    limits = _Limits(fabric, slack)
    starts, members = workload.members()
    seconds = limits.work(workload.seconds)
    lasts = seconds.copy()
    latency = np.zeros(len(workload.goal))
    for i in range(len(workload.goal)):
        goal, size = GOALS[workload.goal[i]], float(workload.size[i])
        ranks = workload.groups[workload.group[i]]
        if len(ranks) < 2 or not size:
            continue
        latency[i] = limits.latency
        if goal == "message":
            latency[i] += size / min(limits.out[ranks[0]], limits.into[ranks[1]])
            continue
        for seat, part in enumerate(members[starts[i] : starts[i + 1]].tolist()):
            out, into = limits.alone(goal, seat, len(ranks), size)
            into = into if limits.meets else 0.0
            lasts[part] = max(out / limits.out[ranks[seat]], into / limits.into[ranks[seat]])
            if goal != "broadcast":
                lasts[part] += limits.latency
    cuts = workload.after_start.tolist()
    flat = workload.after.tolist()
    after = [flat[a:b] for a, b in itertools.pairwise(cuts)]
    roots = workload.seat * (workload.goal[workload.together] == GOALS.index("broadcast"))
    follows = (workload.together >= 0) & (roots > 0)
    kinds = np.where(follows, RECEIVE, workload.kind)
    graph = _Graph(after, workload.together, kinds, latency, limits)
    bounds = [StepBound(graph.longest(lasts), "critical path")]
    one_lane = np.bincount(workload.rank, (workload.lane == 0) * seconds, minlength=workload.ranks)
    bounds.append(StepBound(float(one_lane.max(initial=0.0)), "computations of one rank"))
    head, tail = graph.around(lasts)
    bounds += _of_demands(list(_demands(workload, head, tail, starts, members)), fabric, limits)
    return sorted(dict.fromkeys(bounds), key=lambda bound: -bound.seconds)


def _demands(
    workload: Workload, head: Floats, tail: Floats, starts: IntArray, members: IntArray
) -> Iterator[_Demand]:
    kinds: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    for i in range(len(workload.goal)):
        label = int(workload.label[members[starts[i]]])
        count = len(workload.groups[workload.group[i]])
        kinds[int(workload.goal[i]), label, count].append(i)
    for (goal, label, count), mine in kinds.items():
        if count < 2:
            continue
        rows = np.asarray([workload.groups[workload.group[i]] for i in mine])
        parts = np.concatenate([members[starts[i] : starts[i + 1]] for i in mine])
        if GOALS[goal] == "message":
            parts = parts[workload.kind[parts] == SEND]
        yield _Demand(
            GOALS[goal],
            workload.labels[label],
            rows,
            workload.size[mine],
            float(head[parts].min()),
            float(tail[parts].min()),
        )


class _Graph:
    """Paths through parts, forwards and backwards."""

    def __init__(
        self,
        after: Sequence[Sequence[int]],
        together: IntArray,
        kinds: IntArray,
        latency: Floats,
        limits: _Limits,
    ) -> None:
        waits = np.asarray([len(row) for row in after], np.int64)
        before = np.asarray([x for row in after for x in row], np.int64)
        later = np.repeat(np.arange(len(after)), waits)
        self.edges = before, later
        self.together = together.astype(np.int64)
        shared = np.flatnonzero(together >= 0)
        self.members = shared[np.argsort(together[shared], kind="stable")].astype(np.int64)
        self.member_start = np.searchsorted(
            together[self.members], np.arange(len(latency) + 1)
        ).astype(np.int64)
        self.latency = np.asarray(latency, np.float64)
        silent = kinds == RECEIVE
        if limits.meets:  # a message leaves when both ends are there
            silent = silent & False
        self.leads = (~silent).astype(np.int64)

    def _run(self, lasts: Floats, back: bool) -> tuple[Floats, Floats]:
        from hopscape.workloads.path_kernels import PathWork, longest_paths

        before, later = self.edges[::-1] if back else self.edges
        count = len(lasts)
        order = np.argsort(before, kind="stable")
        everybody = np.ones(count, np.int64)
        paths: tuple[Floats, Floats] = longest_paths(
            PathWork(
                np.bincount(later, minlength=count).astype(np.int64),
                np.searchsorted(before[order], np.arange(count + 1)).astype(np.int64),
                later[order].astype(np.int64),
                np.asarray(lasts, np.float64),
                self.together,
                everybody if back else self.leads,
                self.leads if back else everybody,
                self.member_start,
                self.members,
                self.latency,
            )
        )
        return paths

    def longest(self, lasts: Floats) -> float:
        """The longest path; 0 where parts wait for each other."""
        end = self._run(lasts, back=False)[1]
        return float(end.max(initial=0.0)) if np.isfinite(end).all() else 0.0

    def around(self, lasts: Floats) -> tuple[Floats, Floats]:
        """What comes before each part begins, and after it has ended."""
        head, tail = self._run(lasts, back=False)[0], self._run(lasts, back=True)[0]
        return head, tail


# -- demands of all groups together ------------------------------------------------------------


def _of_demands(demands: Sequence[_Demand], fabric: Fabric, limits: _Limits) -> list[StepBound]:
    out: list[StepBound] = []
    if not demands:
        return out
    for inside, name in _sides(demands, fabric, limits):
        ranks = inside[np.asarray(fabric.placement.nodes)]
        out += _across(demands, ranks, _crossing(fabric, limits, inside), name)
    out += _flows(demands, fabric, limits)
    capacity = float(limits.rate.sum())
    hops = sum(_byte_hops(one, fabric) for one in demands)
    out.append(StepBound(hops / capacity, "bytes times hops over all channels"))
    ports = float(limits.out.sum())
    moved = sum(float(one.size.sum()) * _shared(one.goal, one.members.shape[1]) for one in demands)
    out.append(StepBound(moved / ports, "ports of all ranks together"))
    return out


def _flows(demands: Sequence[_Demand], fabric: Fabric, limits: _Limits) -> Iterator[StepBound]:
    """What channels must carry, whoever routes: kind by kind, and all groups together."""
    nodes = np.asarray(fabric.placement.nodes)
    labels = list(dict.fromkeys(one.label for one in demands))
    parts = [[one for one in demands if one.label == label] for label in labels]
    names = [f"{label}: linear program of all its groups" for label in labels]
    if len(labels) > 1:
        parts.append(list(demands))
        names.append("linear program of all groups together")
    for part, name in zip(parts, names, strict=True):
        asked = [GroupDemand(one.goal, nodes[one.members], one.size) for one in part]
        seconds = least_seconds(asked, fabric.network, limits.rate)
        if seconds:
            head, tail = min(one.head for one in part), min(one.tail for one in part)
            yield StepBound(float(head + seconds + tail), name)


def _shared(goal: str, members: int) -> float:
    """Bytes that all members together must send, in sizes of the collective."""
    if goal == "message":
        return 1.0
    each = {"all-reduce": 2.0, "all-to-all": 1.0, "broadcast": 1.0}.get(goal, 1.0)
    return each * (members - 1)


def _crossing(fabric: Fabric, limits: _Limits, inside: IntArray) -> tuple[float, float]:
    """Bytes of a second out of a side, and into it."""
    tails, heads = inside[fabric.network.tails], inside[fabric.network.heads]
    return float(limits.rate[tails & ~heads].sum()), float(limits.rate[~tails & heads].sum())


def _across(
    demands: Sequence[_Demand], inside: IntArray, rates: tuple[float, float], name: str
) -> Iterator[StepBound]:
    """What must cross a cut, kind by kind and all together."""
    total = [0.0, 0.0]
    kinds: dict[str, list[float]] = {}
    for one in demands:
        out, into = _moved(one, inside)
        if not out and not into:
            continue
        total[0] += out
        total[1] += into
        kind = kinds.setdefault(one.label, [0.0, 0.0, np.inf, np.inf])
        kind[0] += out
        kind[1] += into
        kind[2], kind[3] = min(kind[2], one.head), min(kind[3], one.tail)
    for label, (out, into, head, tail) in kinds.items():
        for moved, rate in ((out, rates[0]), (into, rates[1])):
            if moved and rate:
                yield StepBound(float(head + moved / rate + tail), f"{label} through {name}")
    for moved, rate in zip(total, rates, strict=True):
        if moved and rate:
            yield StepBound(float(moved / rate), f"all data through {name}")


def _moved(one: _Demand, inside: IntArray) -> tuple[float, float]:
    """Bytes that must leave a side, and enter it."""
    n = one.members.shape[1]
    mine = inside[one.members]
    here = mine.sum(axis=1)
    cut = (here > 0) & (here < n)
    size, part = one.size[cut], here[cut] / n
    if one.goal in ("message", "broadcast"):
        first = mine[cut, 0]
        return float(size[first].sum()), float(size[~first].sum())
    if one.goal == "all-reduce":
        return float(size.sum()), float(size.sum())
    if one.goal == "all-to-all":
        both = float((size * n * part * (1 - part)).sum())
        return both, both
    out, into = float((size * (1 - part)).sum()), float((size * part).sum())
    return (out, into) if one.goal == "reduce-scatter" else (into, out)


def _sides(
    demands: Sequence[_Demand], fabric: Fabric, limits: _Limits
) -> Iterator[tuple[IntArray, str]]:
    """Sides of cuts worth a look: single endpoints, switches with theirs, blocks and groups."""
    network = fabric.network
    nodes = np.asarray(fabric.placement.nodes)
    end = np.zeros(network.order, bool)
    end[network.endpoints] = True
    step = max(1, len(nodes) // 32)
    for rank in range(0, len(nodes), step):
        alone = np.zeros(network.order, bool)
        alone[nodes[rank]] = True
        yield alone, f"the ports of rank {rank}"
    if network.has_switches:
        links = ~end[network.tails] & end[network.heads]
        switches = np.unique(network.tails[links])
        for switch in switches[:_MOST_CUTS].tolist():
            side = np.zeros(network.order, bool)
            side[network.heads[links & (network.tails == switch)]] = True
            yield _with_switches(side, end, fabric, limits), f"switch {switch}"
    for parts in (2, 4, 8, 16):
        width = len(nodes) // parts
        for i in range(parts if width > 1 and parts > 2 else min(parts, 1)):
            if width < 1:
                break
            side = np.zeros(network.order, bool)
            side[nodes[i * width : (i + 1) * width]] = True
            last = (i + 1) * width - 1
            yield _with_switches(side, end, fabric, limits), f"ranks {i * width} to {last}"
    for one in demands:
        side = np.zeros(network.order, bool)
        side[nodes[one.members[0]]] = True
        yield _with_switches(side, end, fabric, limits), f"a group of {one.label}"


def _with_switches(side: IntArray, end: IntArray, fabric: Fabric, limits: _Limits) -> IntArray:
    """Switches join the side that most of their links go to."""
    network = fabric.network
    inside = side.copy()
    for _ in range(4):
        weight = np.where(inside[network.heads], limits.rate, -limits.rate)
        pull = np.bincount(network.tails, weight, minlength=network.order)
        after = np.where(end, side, pull > 0)
        if np.array_equal(after, inside):
            break
        inside = after
    return inside


def _byte_hops(one: _Demand, fabric: Fabric) -> float:
    """Bytes times the channels that they must cross at least."""
    nodes = np.asarray(fabric.placement.nodes)
    faulty = fabric.dead_nodes or fabric.dead_links
    router = fabric.router if faulty else fabric.network.router()
    n = one.members.shape[1]
    pairs = len(one.members) * (n * n if one.goal == "all-to-all" else n)
    if pairs > _MOST_PAIRS or not router.exact:
        return float(one.size.sum()) * _shared(one.goal, n)
    if one.goal == "all-to-all":
        left, right = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
        apart = left.ravel() != right.ravel()
        at = nodes[one.members[:, left.ravel()[apart]]]
        to = nodes[one.members[:, right.ravel()[apart]]]
        hops = router.distances(at.ravel(), to.ravel()).reshape(at.shape)
        return float((hops.sum(axis=1) * one.size / n).sum())
    if one.goal == "message":
        hops = router.distances(nodes[one.members[:, 0]], nodes[one.members[:, 1]])
        return float((hops * one.size).sum())
    return float(one.size.sum()) * _shared(one.goal, n)
