"""Timeline: when every part of a workload begins and ends on a network, and over which channels.

:func:`execute` places the workload, gives every collective a plan of messages and runs the events.
Each kind of collective gets the plan that is done first when all groups that have it run it at once
on the real channels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.detours import DetourRouter, TableDetours
from hopscape.core.errors import ArgumentError
from hopscape.core.model import COSTS, MACHINE
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.router import Router
from hopscape.core.verdict import Verdict
from hopscape.workloads.contested import CONTEST, MOST_CONTESTED, contested
from hopscape.workloads.detours import MOST_ROUTED, place_around
from hopscape.workloads.plans import (
    AROUND,
    GroupPlan,
    Placed,
    in_pieces,
    place,
    plan_named,
    plan_names,
)
from hopscape.workloads.workload import FREE, GOALS, Placement, Workload

__all__ = ["EXECUTORS", "Fabric", "Timeline", "execute"]

PlanKey = tuple[str, float, int, str]
"""Goal, bytes, members and label of a kind of collective."""
Executor = Literal["cut-through", "astra"]
EXECUTORS: tuple[str, ...] = ("cut-through", "astra")
_MOST_TRIED = 1_000_000
"""Messages of a plan in all groups together beyond which it is not tried."""
_MOST_TABLED = 20_000
"""Nodes up to which all distances around dead parts are kept: 400 MB."""
_ALIKE = 1.005
"""Plans that take so many times the least are as good; the one of fewest messages serves."""
_MEMBERS = 8
"""Ranks of a group that are named in a sentence; JSON has all."""
_PIECES = 4
"""Pieces that data which are added up may be cut into: what waits for the last sum is a quarter as
long; eight would gain half of the rest for twice the messages."""
_FINE, _MOST_FINE = 16, 20_000
"""Pieces of collectives that let others go first, and messages of all groups together up to which
they are cut: eight pieces hold up others for twice as long, 32 gain a third of a per cent."""
_AROUND = (1, 2, 4)
"""Pieces of messages that look for paths of their own: a node of more links gains little more."""
_NEAR_PORTS = 1.05
"""Times what the ports of members need at least: a plan that is so near needs no contest."""
_NATIVE = {
    "all-reduce": "ring-one-way",
    "all-to-all": "direct",
    "message": "message",
    "broadcast": "binomial-tree",
}


@dataclass(frozen=True)
class Fabric:
    """A network with ranks on it, and what moving data costs.

    Attributes:
        costs: alpha, beta, gamma, delta in µs, as everywhere (:data:`hopscape.core.model.MACHINE`).
        executor ({'cut-through', 'astra'}): How messages move. ``astra`` is the congestion-aware
            model of ASTRA-sim: whole messages are stored at every node, times are whole ns, and a
            rank has one collective or message under way; those that wait go by their numbers.
        splits: Pieces that the data of every collective are cut into; None: one, or four where that
            is done first, since a piece goes on while the next one is added up.
        algorithms: Plans by goal, instead of the best; ``ring/4`` is a ring in four pieces,
            ``ring/4/around`` one whose pieces take paths around what is busy; or a plan of your
            own (:meth:`~hopscape.workloads.GroupPlan.of_messages`).
        routing: ``auto`` takes shortest paths and spreads ties; another name (``updown``, say) or a
            router of your own decides every path by itself.
    """

    network: Network
    placement: Placement
    costs: Mapping[str, float] = field(default_factory=lambda: dict(MACHINE))
    executor: Executor = "cut-through"
    splits: int | None = None
    algorithms: Mapping[str, str | GroupPlan] = field(default_factory=dict)
    dead_nodes: tuple[int, ...] = ()
    dead_links: tuple[tuple[int, int], ...] = ()
    routing: str | Router = "auto"

    def __post_init__(self) -> None:
        if self.executor not in EXECUTORS:
            raise ArgumentError(
                f"executor {self.executor!r} is unknown; choose {' or '.join(EXECUTORS)}"
            )
        if self.routing != "auto" and (self.dead_nodes or self.dead_links):
            raise ArgumentError("a router by name knows no dead parts; leave it out with them")
        if self.splits is not None and self.splits < 1:
            raise ArgumentError(f"splits is {self.splits}; it must be at least 1")
        for name in COSTS:
            if not 0 <= self.costs.get(name, -1.0) < float("inf"):
                raise ArgumentError(f"{name} is {self.costs.get(name)}; it must be at least 0")
        for goal, text in self.algorithms.items():
            if goal not in GOALS:
                raise ArgumentError(f"goal {goal!r} is unknown; there are {', '.join(GOALS)}")
            if isinstance(text, GroupPlan):
                continue
            name, pieces = in_pieces(text)
            if text.endswith(CONTEST) and self.free_paths:
                continue
            worded = pieces == 0 and not text.partition("/")[2].partition("/")[0].isdecimal()
            if name not in plan_names(goal) or worded:
                known = ", ".join(plan_names(goal))
                raise ArgumentError(f"plan {text!r} of {goal!r} is unknown; there are {known}")
            if pieces == 0:
                raise ArgumentError(f"plan {text!r} of {goal!r} has no pieces; there must be one")
            if text.endswith(AROUND) and not self.free_paths:
                raise ArgumentError(
                    f"plan {text!r} looks for paths of its own; that does not go with a router by"
                    " name, dead parts or ASTRA-sim's model"
                )

    @cached_property
    def router(self) -> Router:
        """Of what is alive."""
        if self.dead_nodes or self.dead_links:
            few = self.network.order > _MOST_TABLED
            made = DetourRouter if few else TableDetours
            return made(self.network, self.dead_nodes, self.dead_links)
        if isinstance(self.routing, Router):
            return self.routing
        return self.network.router(self.routing)

    @property
    def free_paths(self) -> bool:
        """May messages take any path, longer ones too?"""
        dead = self.dead_nodes or self.dead_links
        return self.routing == "auto" and self.executor != "astra" and not dead

    @cached_property
    def found_paths(self) -> dict[Any, Any]:
        """Plans whose paths have been looked for, by plan and groups; schedules of contests."""
        return {}

    @property
    def unit(self) -> float:
        """Seconds in the kernel's unit of time: ASTRA-sim counts ns."""
        return 1e-9 if self.executor == "astra" else 1.0

    @cached_property
    def per_byte(self) -> Floats:
        """Seconds that each channel takes for a byte."""
        out: Floats = 1e-6 * self.costs["beta"] / self.network.capacities()
        return out


@dataclass(frozen=True, eq=False)
class Timeline:
    """Start and end of every part, in seconds; -1 for what never began or ended.

    Attributes:
        verdict: Does the step end? If not, who waits for whom.
        busy (float64[channels]): Seconds that each channel carries data.
        plans: The algorithm of each kind of collective, by goal, bytes, members and label.
        placed: Placed plans; `plan_of` counts them for each operation.
        sent, arrived (float64[messages]): Of each message, operation by operation (`message_base`);
            empty when they are not kept.
    """

    workload: Workload
    fabric: Fabric
    start: Floats
    end: Floats
    busy: Floats
    verdict: Verdict
    plans: Mapping[PlanKey, str]
    placed: Sequence[Placed]
    plan_of: IntArray
    message_base: IntArray
    sent: Floats
    arrived: Floats

    def __repr__(self) -> str:
        parts = f"{len(self.workload):,} parts of {self.workload.ranks:,} ranks"
        return f"<Timeline: {parts} in {self.seconds:.4g} s>"

    @property
    def seconds(self) -> float:
        """When the last part ends."""
        return float(self.end.max(initial=0.0))

    def busiest(self, count: int = 5) -> list[dict[str, Any]]:
        """The channels that carry data longest."""
        order = np.argsort(-self.busy, kind="stable")[:count]
        network, whole = self.fabric.network, max(self.seconds, 1e-300)
        return [
            {
                "channel": int(c),
                "from": int(network.tails[c]),
                "to": int(network.heads[c]),
                "busy_s": float(self.busy[c]),
                "share": float(self.busy[c]) / whole,
            }
            for c in order.tolist()
            if self.busy[c] > 0
        ]

    def messages(self) -> Iterator[dict[str, Any]]:
        """Every message: operation, ranks, bytes, start, end and channels."""
        groups, workload = self.workload.groups, self.workload
        for i, base in enumerate(self.message_base[:-1].tolist() if len(self.sent) else []):
            one, ranks = self.placed[self.plan_of[i]], groups[workload.group[i]]
            for j in range(len(one.plan.source)):
                yield {
                    "operation": i,
                    "goal": GOALS[workload.goal[i]],
                    "from": ranks[one.plan.source[j]],
                    "to": ranks[one.plan.target[j]],
                    "bytes": float(one.plan.share[j] * workload.size[i]),
                    "start": float(self.sent[base + j]),
                    "end": float(self.arrived[base + j]),
                    "channels": one.path[one.path_start[j] : one.path_start[j + 1]].tolist(),
                }


def execute(
    workload: Workload,
    fabric: Fabric,
    *,
    keep: bool = False,
    like: Timeline | None = None,
    near: float = 4.0,
    behind: Sequence[str] = (),
) -> Timeline:
    """Run a workload on a fabric, event by event.

    Args:
        like: An execution whose plans serve collectives of the same goal, members and about the
            same size here, without another contest.
        near: How many times larger or smaller that is.
        keep: Keep the times of all messages.
        behind: Labels of collectives that let all others go first: cut in many pieces, each of
            which leaves when its first channel is idle.

    Examples:
        >>> import hopscape
        >>> from hopscape.workloads import WorkloadBuilder
        >>> draft = WorkloadBuilder(4)
        >>> parts = draft.collective("all-gather", range(4), 4e6)
        >>> ring = hopscape.build("ring(4)")
        >>> found = execute(draft.workload(), Fabric(ring, Placement.in_order(ring, 4)))
        >>> bool(found.verdict), round(found.seconds * 1e6, 1)
        (True, 31.1)
    """
    fabric.placement.check(fabric.network, workload.ranks, fabric.dead_nodes)
    known = {} if like is None else like.plans
    placed, plan_of, names = _choose(workload, fabric, known, near, behind)
    return _run(workload, fabric, placed, plan_of, names, keep, behind)


Chosen = tuple[list[Placed], IntArray, dict[PlanKey, str]]


def _choose(
    workload: Workload,
    fabric: Fabric,
    known: Mapping[PlanKey, str],
    near: float,
    behind: Sequence[str],
) -> Chosen:
    """The plan of every operation: the best for its goal, size and label, all groups at once."""
    placed: list[Placed] = []
    names: dict[PlanKey, str] = {}
    plan_of = np.zeros(len(workload.goal), np.int64)
    if not len(workload.goal):
        return placed, plan_of, names
    counts = np.asarray([len(group) for group in workload.groups], np.int64)
    label = _labels(workload)
    keys = np.stack([workload.goal, counts[workload.group], workload.size, label], axis=1)
    kinds, which = np.unique(keys, axis=0, return_inverse=True)
    which = which.ravel()
    seats: dict[tuple[str, int, int], int] = {}
    for i, (goal_number, members, size, label_number) in enumerate(kinds.tolist()):
        goal = GOALS[int(goal_number)]
        kind = (goal, size, int(members), workload.labels[int(label_number)])
        mine = np.flatnonzero(which == i)
        groups = np.unique(workload.group[mine])
        asked = fabric.algorithms.get(goal) or _known(known, kind, near)
        ranks = [workload.groups[g] for g in groups]
        name, made = _best(goal, int(members), size, ranks, fabric, asked)
        if kind[3] in behind and not fabric.algorithms.get(goal):
            finer = _finer(name, goal, int(members), len(ranks))
            if finer is not None:
                name, made = _best(goal, int(members), size, ranks, fabric, finer)
        names[kind] = name
        own = (
            i if name.endswith((AROUND, CONTEST)) else -1
        )  # its paths keep clear of groups of its kind
        where = np.zeros(len(groups), np.int64)
        for at, (g, one) in enumerate(zip(groups.tolist(), made, strict=True)):
            key = (f"{goal}/{name}", g, own)
            if key not in seats:
                seats[key] = len(placed)
                placed.append(one)
            where[at] = seats[key]
        plan_of[mine] = where[np.searchsorted(groups, workload.group[mine])]
    return placed, plan_of, names


def _labels(workload: Workload) -> IntArray:
    """The label of every operation."""
    label = np.zeros(len(workload.goal), np.int64)
    shared = workload.together >= 0
    label[workload.together[shared]] = workload.label[shared]
    return label


def _finer(name: str, goal: str, members: int, groups: int) -> str | None:
    """The same plan in pieces that hold nobody up; None where there are too many, or it has some.

    Schedules of contests, and pieces with paths of their own, stay what they are.
    """
    plain, _ = in_pieces(name)
    if name.endswith((AROUND, CONTEST)) or members < 2:
        return None
    count = len(plan_named(goal, members, plain).source)
    return f"{plain}/{_FINE}" if count * groups * _FINE <= _MOST_FINE else None


def _known(known: Mapping[PlanKey, str], kind: PlanKey, near: float) -> str | None:
    """The plan that served about the same size before."""
    goal, size, members, label = kind
    others = [
        (abs(np.log(max(other, 1.0) / max(size, 1.0))), name)
        for (what, other, count, words), name in known.items()
        if (what, count, words) == (goal, members, label)
    ]
    return min(others)[1] if others and min(others)[0] < np.log(near) else None


def _best(
    goal: str,
    members: int,
    size: float,
    groups: Sequence[tuple[int, ...]],
    fabric: Fabric,
    asked: str | GroupPlan | None,
) -> tuple[str, list[Placed]]:
    """The plan that is done first when all groups run it together."""
    nodes = [[fabric.placement.nodes[rank] for rank in group] for group in groups]
    if isinstance(asked, GroupPlan):
        if asked.members != members:
            raise ArgumentError(
                f"plan {asked.name!r} is for {asked.members} members, and a group of this"
                f" {goal} has {members}"
            )
        return asked.name, _paths(asked.name, asked, nodes, fabric)
    if asked and asked.endswith(CONTEST):
        made_before = next(_contest(goal, size, nodes, fabric, asked.removesuffix(CONTEST)), None)
        if made_before is not None:
            return made_before
        asked = None  # a group of one, or a goal that has no contest
    names = [asked] if asked else list(_candidates(goal, fabric))
    timed: list[tuple[float, int, str, list[Placed]]] = []
    plans: list[tuple[int, int, str, GroupPlan]] = []
    why = ""
    for turn, text in enumerate(names):
        name, pieces = in_pieces(text)
        usual = 1 if goal == "message" else fabric.splits or 1
        try:
            plan = plan_named(goal, members, name, pieces or usual)
        except ArgumentError as error:
            why = str(error)
            continue
        plans.append((len(plan.source), turn, text, plan))
    fewest = min(plans, default=(0,))[0]
    for count, turn, text, plan in plans:
        if count > fewest and count * len(groups) > _MOST_TRIED:
            continue
        made = _paths(text, plan, nodes, fabric)
        if asked or members == 1:
            return text, made
        timed.append((_alone(goal, size, groups, made, fabric), turn, text, made))
    if not timed:
        raise ArgumentError(f"no plan for {goal} among {members} ranks: {why}")
    for text, plan in _around(goal, members, min(timed)[2], len(groups), fabric):
        made = _paths(text, plan, nodes, fabric)
        timed.append((_alone(goal, size, groups, made, fabric), len(timed), text, made))
    if _worth_contest(goal, members, size, nodes, fabric, min(timed)[0]):
        for text, made in _contest(goal, size, nodes, fabric):
            timed.append((_alone(goal, size, groups, made, fabric), len(timed), text, made))
    least = min(timed)[0] * _ALIKE
    _, _, text, made = min(
        (one for one in timed if one[0] <= least),
        key=lambda one: (len(one[3][0].plan.source), one[1]),
    )
    return text, made


def _contest(
    goal: str,
    size: float,
    nodes: Sequence[Sequence[int]],
    fabric: Fabric,
    algorithm: str | None = None,
) -> Iterator[tuple[str, list[Placed]]]:
    """Schedules that were made for this network, for all groups together."""
    made = fabric.found_paths.setdefault((goal, tuple(map(tuple, nodes))), {})
    return contested(goal, size, nodes, fabric.network, fabric.costs, made, algorithm)


def _worth_contest(
    goal: str,
    members: int,
    size: float,
    nodes: Sequence[Sequence[int]],
    fabric: Fabric,
    seconds: float,
) -> bool:
    """Is the network small, and the best plan far from what the ports of members need at least?"""
    network = fabric.network
    small = len(nodes) * members * network.channels <= MOST_CONTESTED
    if not small or not fabric.free_paths or fabric.splits is not None:
        return False
    rate = np.bincount(network.tails, 1 / np.maximum(fabric.per_byte, 1e-300), network.order)
    ports = float(rate[np.asarray(nodes)].sum(axis=1).min())
    moved = (2.0 if goal == "all-reduce" else 1.0) * (members - 1) * size
    start = 1e-6 * (fabric.costs["alpha"] + fabric.costs["delta"])
    return seconds > _NEAR_PORTS * (moved / ports + start)


def _paths(
    text: str, plan: GroupPlan, nodes: Sequence[Sequence[int]], fabric: Fabric
) -> list[Placed]:
    """A plan on groups of nodes: by the router, or around what is busy."""
    if not text.endswith(AROUND):
        own = fabric.routing != "auto"
        return place(plan, nodes, fabric.network, fabric.router, spreads=not own)
    key = (plan, tuple(map(tuple, nodes)))
    if key not in fabric.found_paths:
        fabric.found_paths[key] = place_around(plan, nodes, fabric.network)
    return fabric.found_paths[key]


def _around(
    goal: str, members: int, best: str, groups: int, fabric: Fabric
) -> Iterator[tuple[str, GroupPlan]]:
    """The best plan so far in pieces with paths of their own, where these can be looked for."""
    if not fabric.free_paths or fabric.splits is not None:
        return
    name = in_pieces(best)[0]
    whole = len(plan_named(goal, members, name).source) * groups * fabric.network.channels
    for pieces in _AROUND:
        if whole * pieces <= MOST_ROUTED:
            yield f"{name}/{pieces}{AROUND}", plan_named(goal, members, name, pieces)


def _candidates(goal: str, fabric: Fabric) -> Iterator[str]:
    """Plans that compete, whole first."""
    if fabric.executor == "astra":
        yield _NATIVE.get(goal, "ring")
        return
    yield from plan_names(goal)
    if fabric.splits is None and goal in ("all-reduce", "reduce-scatter") and fabric.costs["gamma"]:
        yield from (f"{name}/{_PIECES}" for name in plan_names(goal))


def _alone(
    goal: str,
    size: float,
    groups: Sequence[tuple[int, ...]],
    made: list[Placed],
    fabric: Fabric,
) -> float:
    """How long all groups take for one collective, begun at once."""
    seats = np.concatenate([np.arange(len(group)) for group in groups])
    ranks = np.concatenate([np.asarray(group) for group in groups])
    count = len(ranks)
    none, zero = np.zeros(count, np.float64), np.zeros(count, np.int64)
    together = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    workload = Workload(
        int(ranks.max()) + 1,
        ("",),
        tuple(groups),
        np.full(len(groups), GOALS.index(goal), np.int64),
        np.arange(len(groups)),
        np.full(len(groups), size),
        rank=ranks,
        kind=np.ones(count, np.int64),
        lane=np.full(count, -1, np.int64),
        label=zero,
        together=together,
        seat=seats,
        seconds=none,
        flops=none,
        moved=none,
        after_start=np.zeros(count + 1, np.int64),
        after=zero[:0],
    )
    return _run(workload, fabric, made, np.arange(len(groups)), {}, False).seconds


def _run(
    workload: Workload,
    fabric: Fabric,
    placed: Sequence[Placed],
    plan_of: IntArray,
    names: Mapping[PlanKey, str],
    keep: bool,
    behind: Sequence[str] = (),
) -> Timeline:
    """The events of a workload whose operations have their plans."""
    from hopscape.workloads.timeline_kernels import PartTable, Progress, run_events

    unit = fabric.unit
    templates, needs0, touched0 = _templates(placed)
    sizes = np.diff(np.concatenate([templates.first]))
    template = templates.template[plan_of] if len(plan_of) else plan_of
    counts = sizes[template] if len(template) else template
    message_base = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    starts, parts = workload.members()
    members = np.diff(templates.seat_base)[template] if len(template) else template
    if not np.array_equal(np.diff(starts), members):
        raise ArgumentError("an operation has fewer parts than its group has members")
    total = int(message_base[-1])
    require_memory(64 * total + 200 * len(workload), f"{total:,} messages of a step")
    next_start, following, waits = _successors(workload)
    astra = fabric.executor == "astra"
    meets = not astra
    needs = _stamp(needs0, templates.first, template, message_base)
    needs += 2 if meets else 1
    lanes = _lanes(workload, astra)
    lane_count = int(lanes.max(initial=-1)) + 1
    seconds = workload.seconds / unit
    work = PartTable(
        lanes,
        np.floor(seconds) if astra else seconds,
        workload.together,
        workload.seat,
        next_start,
        following,
        plan_of.astype(np.int64),
        message_base[:-1],
        starts[:-1].astype(np.int64),
        parts.astype(np.int64),
        workload.size,
        np.isin(workload.labels, behind)[_labels(workload)].astype(np.int64),
    )
    count, channels = len(workload), fabric.network.channels
    kept = total if keep else 0
    state = Progress(
        waits,
        np.full(count, -1.0),
        np.full(count, -1.0),
        needs,
        np.zeros(total),
        np.zeros(len(parts), np.int64),
        _stamp(touched0, templates.seat_base, template, starts.astype(np.int64)),
        np.zeros(channels),
        np.zeros(channels),
        np.zeros(workload.ranks),
        workload.rank,
        np.full(lane_count, -1, np.int64),
        np.full(lane_count, -1, np.int64),
        np.full(lane_count, -1, np.int64),
        np.full(count, -1, np.int64),
        np.full(kept, -1.0),
        np.full(kept, -1.0),
    )
    ended = run_events(work, templates, _machine(fabric), state, _heap(count, total))
    times = [np.where(x < 0, -1.0, x * unit) for x in (state.start, state.end)]
    if ended == count:
        verdict = Verdict(True, f"all {count:,} parts of {workload.ranks:,} ranks end")
    else:
        verdict = _stuck(workload, state.start, state.end, lanes, state.holder)
    return Timeline(
        workload,
        fabric,
        times[0],
        times[1],
        state.busy * unit,
        verdict,
        names,
        placed,
        plan_of,
        message_base,
        state.sent * unit,
        state.arrived * unit,
    )


def _heap(parts: int, messages: int) -> Any:
    """Room for the events that may wait at once."""
    from hopscape.workloads.timeline_kernels import Events

    room = parts + messages + 1
    return Events(
        np.empty(room),
        np.empty(2 * room, np.int64),
        np.zeros(2, np.int64),
        np.empty(parts, np.int64),
    )


def _machine(fabric: Fabric) -> Any:
    """The costs of a fabric for the event loop, in its unit of time."""
    from hopscape.workloads.timeline_kernels import LinkTiming

    unit, costs = fabric.unit, fabric.costs
    astra = fabric.executor == "astra"
    return LinkTiming(
        fabric.per_byte / unit,
        1e-6 * costs["alpha"] / unit,
        1e-6 * costs["delta"] / unit,
        1e-6 * costs["gamma"] / unit,
        astra,
        astra,
        not astra,
        astra,
    )


def _templates(placed: Sequence[Placed]) -> tuple[Any, IntArray, IntArray]:
    """All plans in a row; each plan once, whatever the number of its groups."""
    from hopscape.workloads.timeline_kernels import Templates

    plans = list({id(one.plan): one.plan for one in placed}.values())
    number = {id(plan): i for i, plan in enumerate(plans)}
    nothing = np.zeros(0, np.int64)

    def joined(rows: list[IntArray], shift: bool = False) -> IntArray:
        """Columns one after the other; with `shift` offsets, each from where the last one ended."""
        if not shift:
            return np.concatenate([nothing, *rows])
        ends = np.cumsum([0, *(int(row[-1]) for row in rows)])
        parts = [row[:-1] + base for row, base in zip(rows, ends[:-1], strict=True)]
        return np.concatenate([nothing, *parts, ends[-1:]]).astype(np.int64)

    first = np.cumsum([0, *(len(plan.source) for plan in plans)]).astype(np.int64)
    sizes = [len(one.plan.source) for one in placed]
    templates = Templates(
        np.asarray([number[id(one.plan)] for one in placed], np.int64),
        np.cumsum([0, *sizes]).astype(np.int64)[:-1],
        first,
        joined([plan.source for plan in plans]),
        joined([plan.target for plan in plans]),
        np.concatenate([np.zeros(0), *(plan.share for plan in plans)]),
        joined([plan.adds for plan in plans]),
        joined([plan.next_start for plan in plans], shift=True),
        joined([plan.next for plan in plans]),
        np.cumsum([0, *(plan.members for plan in plans)]).astype(np.int64),
        joined([plan.touch_start for plan in plans], shift=True),
        joined([plan.touch for plan in plans]),
        joined([one.path_start for one in placed], shift=True),
        joined([one.path for one in placed]),
    )
    needs = joined([plan.needs for plan in plans])
    touched = joined([np.diff(plan.touch_start) for plan in plans])
    return templates, needs, touched


def _stamp(rows: IntArray, first: IntArray, which: IntArray, base: IntArray) -> IntArray:
    """A copy of the rows of its template for every operation."""
    if not len(which):
        return np.zeros(0, np.int64)
    counts = np.diff(base)
    within = np.arange(int(base[-1])) - np.repeat(base[:-1], counts)
    return rows[np.repeat(first[which], counts) + within].astype(np.int64)


def _successors(workload: Workload) -> tuple[IntArray, IntArray, IntArray]:
    """Parts that wait for each part, and how many each waits for."""
    waits = np.diff(workload.after_start)
    waiting = np.repeat(np.arange(len(workload)), waits)
    order = np.argsort(workload.after, kind="stable")
    starts = np.searchsorted(workload.after[order], np.arange(len(workload) + 1))
    return starts.astype(np.int64), waiting[order].astype(np.int64), waits.astype(np.int64)


def _lanes(workload: Workload, astra: bool) -> IntArray:
    """Numbers of the lanes of all ranks; ASTRA-sim has one for work and one for data."""
    lane = workload.lane
    if astra:
        lane = np.array([0, 1, 1, FREE, 2])[workload.kind]  # by kind
    width = int(lane.max(initial=-1)) + 1
    return np.where(lane < 0, -1, workload.rank * width + lane).astype(np.int64)


def _stuck(
    workload: Workload, start: Floats, end: Floats, lanes: IntArray, holder: IntArray
) -> Verdict:
    """Who waits for whom when nothing happens any more: the first cycle of ranks and groups."""
    offsets, parts = workload.members()

    def waits_for(part: int) -> int:
        """A part that must go on before this one can."""
        if start[part] < 0:
            low, high = workload.after_start[part], workload.after_start[part + 1]
            for other in workload.after[low:high].tolist():
                if end[other] < 0:
                    return int(other)
            return int(holder[lanes[part]])
        operation = int(workload.together[part])
        mates = parts[offsets[operation] : offsets[operation + 1]]
        return int(mates[start[mates] < 0][0])

    seen: dict[int, int] = {}
    part = int(np.flatnonzero(end < 0)[0])
    path: list[int] = []
    while part not in seen:
        seen[part] = len(path)
        path.append(part)
        part = waits_for(part)
    cycle = path[seen[part] :]
    steps = [
        {
            "rank": int(workload.rank[one]),
            "group": int(workload.group[workload.together[one]]),
            "for": int(workload.rank[other]),
        }
        for one, other in zip(cycle, [*cycle[1:], cycle[0]], strict=True)
        if workload.rank[one] != workload.rank[other]
    ]
    left = int((end < 0).sum())
    words = ", ".join(f"rank {s['rank']} waits for {s['for']} in group {s['group']}" for s in steps)
    if not steps:
        words = f"parts {', '.join(map(str, cycle))} of rank {workload.rank[part]} wait in a circle"
    groups = {str(s["group"]): list(workload.groups[s["group"]]) for s in steps}
    reason = f"the step never ends: {left:,} parts are left; {words}"
    for name, ranks in groups.items():  # a trace may call them otherwise
        some = ", ".join(map(str, ranks[:_MEMBERS])) + (", ..." if len(ranks) > _MEMBERS else "")
        reason += f"; group {name}: ranks {some}"
    return Verdict(False, reason, {"cycle": steps, "groups": groups}, {"left": left})
