"""The event loop against a slow twin, ASTRA-sim's own figures, and steps that never end."""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import hopscape
from hopscape.core.errors import ArgumentError
from hopscape.core.model import MACHINE
from hopscape.workloads import (
    Fabric,
    GroupPlan,
    Placement,
    Timeline,
    Workload,
    WorkloadBuilder,
    execute,
)
from hopscape.workloads.bounds import workload_bounds
from hopscape.workloads.contested import CONTEST, contested
from hopscape.workloads.detours import place_around
from hopscape.workloads.plans import Placed, plan_named
from hopscape.workloads.step import _shares, _slack

_GOALS = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast")
_NETWORKS = ("ring(6)", "torus(2, 3)", "xgft([6], [1])", "rail_optimized(2, 3)", "complete(6)")


def random_work(seed: int) -> Workload:
    """Computations, messages and collectives of six ranks, in an order that all of them keep."""
    chance = random.Random(seed)
    draft = WorkloadBuilder(6)
    last: list[list[int]] = [[] for _ in range(6)]
    for _ in range(chance.randrange(3, 20)):
        kind = chance.choice(("compute", "message", "collective", "collective"))
        label = chance.choice(("tp", "dp"))
        if kind == "compute":
            rank = chance.randrange(6)
            last[rank] = [draft.compute(rank, chance.random() * 1e-4, after=last[rank])]
        elif kind == "message":
            a, b = chance.sample(range(6), 2)
            sent, got = draft.message(a, b, chance.choice((1e3, 1e6)), after=last[a])
            last[a] = [sent]
            last[b] = [*last[b], got]
        else:
            group = chance.sample(range(6), chance.randrange(1, 7))
            parts = draft.collective(
                chance.choice(_GOALS), group, chance.choice((6e3, 6e5, 3e6)),
                after=[last[r] for r in group], label=label, lane=chance.choice((-1, 1)),
            )  # fmt: skip
            for rank, part in zip(group, parts, strict=True):
                last[rank] = [part]
    return draft.workload()


def slow_ends(found: Timeline, behind: Sequence[str] = ()) -> list[float]:
    """When each part ends, by objects and a heap; the plans are those of the execution."""
    work, fabric = found.workload, found.fabric
    astra = fabric.executor == "astra"
    unit, cost = fabric.unit, {k: v * 1e-6 / fabric.unit for k, v in fabric.costs.items()}
    ends: dict[int, float] = {}
    begun: dict[int, float] = {}
    events: list[tuple[float, tuple[int, ...], Any]] = []
    lanes: dict[tuple[int, int], list[int]] = {}
    free: dict[int, float] = {}
    adder: dict[int, float] = {}
    waits = {p: int(n) for p, n in enumerate(np.diff(work.after_start))}
    inside = {(int(work.together[p]), int(work.seat[p])): p for p in range(len(work))}
    needs: dict[tuple[int, int], int] = {}
    left: dict[int, int] = {}
    for op, plan_number in enumerate(found.plan_of.tolist()):
        plan = found.placed[plan_number].plan
        for m in range(len(plan.source)):
            needs[op, m] = int(plan.needs[m]) + (1 if astra else 2)
            for seat in (plan.source[m], plan.target[m]):
                left[inside[op, int(seat)]] = left.get(inside[op, int(seat)], 0) + 1
    turn = 0

    def push(time: float, what: Any, *leaves: int) -> None:
        nonlocal turn
        heapq.heappush(events, (time, leaves or (-1, turn), what))
        turn += 1

    def lane(part: int) -> tuple[int, int] | None:
        number = int(work.lane[part])
        if astra:
            number = {0: 0, 3: -1}.get(int(work.kind[part]), 1)
        return None if number < 0 else (int(work.rank[part]), number)

    def ready(part: int, now: float) -> None:
        line = lane(part)
        if line is not None:
            row = lanes.setdefault(line, [])
            row.append(part)
            if astra:
                row[1:] = sorted(row[1:])
            if row[0] != part:
                return
        begin(part, now)

    def next_in(line: tuple[int, int], now: float) -> None:
        lanes[line].pop(0)
        if lanes[line]:
            begin(lanes[line][0], now)

    def begin(part: int, now: float) -> None:
        begun[part] = now
        op = int(work.together[part])
        if op < 0:
            lasts = work.seconds[part] / unit
            push(now + (math.floor(lasts) if astra else lasts), ("end", part))
            return
        plan = found.placed[found.plan_of[op]].plan
        for side in (plan.source,) if astra else (plan.source, plan.target):
            for m in np.flatnonzero(side == work.seat[part]).tolist():
                lower(op, m, now)
        if not left.get(part, 0):
            push(now, ("end", part))

    def lower(op: int, m: int, now: float) -> None:
        needs[op, m] -= 1
        if needs[op, m] == 0:
            push(now + cost["alpha"], ("hop", op, m, 0, 0.0), m, op)

    def travel(op: int, m: int, hop: int, tail: float, now: float) -> bool:
        """A message reaches a channel; False where its path has ended."""
        one = found.placed[found.plan_of[op]]
        path = one.path[one.path_start[m] : one.path_start[m + 1]].tolist()
        if hop == len(path):
            return False
        label = work.labels[work.label[inside[op, 0]]]
        if hop == 0 and label in behind and free.get(path[0], 0.0) > now:
            push(free[path[0]], ("hop", op, m, 0, 0.0), 10**9 + m, op)
            return True
        start = max(now, free.get(path[hop], 0.0))
        lasts = float(one.plan.share[m] * work.size[op]) * fabric.per_byte[path[hop]] / unit
        end = start + (math.floor(lasts) if astra else lasts)
        if hop and not astra:
            end = max(end, tail + cost["delta"])
        free[path[hop]] = end
        on = end if astra or hop == len(path) - 1 else start
        push(on + cost["delta"], ("hop", op, m, hop + 1, end))
        return True

    for part in range(len(work)):
        if waits[part] == 0:
            ready(part, 0.0)
    while events:
        now, _, what = heapq.heappop(events)
        if what[0] == "end":
            part = what[1]
            ends[part] = now * unit
            line = lane(part)
            if line is not None and not astra:
                next_in(line, now)
            for other in range(len(work)):
                row = work.after[work.after_start[other] : work.after_start[other + 1]].tolist()
                if part in row:
                    waits[other] -= row.count(part)
                    if waits[other] == 0:
                        ready(other, now)
            if line is not None and astra:  # what has just become ready may have a smaller number
                next_in(line, now)
            continue
        op, m = what[1], what[2]
        one = found.placed[found.plan_of[op]]
        size = float(one.plan.share[m] * work.size[op])
        target = inside[op, int(one.plan.target[m])]
        if what[0] == "hop" and travel(op, m, what[3], what[4], now):
            continue
        if what[0] == "hop" and one.plan.adds[m] and cost["gamma"]:
            rank = int(work.rank[target])
            adder[rank] = max(now, adder.get(rank, 0.0)) + cost["gamma"] * size
            push(adder[rank], ("added", op, m))
            continue
        for part in (inside[op, int(one.plan.source[m])], target):
            left[part] -= 1
            if left[part] == 0 and part in begun:
                push(now, ("end", part))
        for other in one.plan.next[one.plan.next_start[m] : one.plan.next_start[m + 1]].tolist():
            lower(op, other, now)
    return [ends.get(part, -1.0) for part in range(len(work))]


@pytest.mark.parametrize("executor", ["cut-through", "astra"])
def test_events_equal_the_slow_twin_and_no_bound_is_beaten(executor: Any) -> None:
    for seed in range(25):
        network = hopscape.build(_NETWORKS[seed % len(_NETWORKS)])
        work = random_work(seed)
        found = execute(work, Fabric(network, Placement.in_order(network, 6), executor=executor))
        assert np.allclose(found.end, slow_ends(found), rtol=1e-9, atol=1e-15), seed
        if found.verdict:
            assert sum(_shares(found).values()) == pytest.approx(found.seconds)
            for bound in workload_bounds(work, found.fabric, _slack(found)):
                assert bound.seconds <= found.seconds * (1 + 1e-9), (seed, bound)


@pytest.mark.slower
def test_what_lets_others_go_first_equals_the_slow_twin() -> None:
    gained = 0
    for seed in range(10):
        network = hopscape.build(_NETWORKS[seed % len(_NETWORKS)])
        work = random_work(seed)
        fabric = Fabric(network, Placement.in_order(network, 6))
        queued = execute(work, fabric)
        found = execute(work, fabric, like=queued, behind=["dp"])
        assert np.allclose(found.end, slow_ends(found, ["dp"]), rtol=1e-9, atol=1e-15), seed
        gained += found.seconds != queued.seconds
    assert gained > 2


def test_gradients_behind_others_hold_nobody_up() -> None:
    """A sum of 64 MB and one of 1 MB share their ports: the small one waits for a piece at most."""
    network = hopscape.build("xgft([4], [1])")
    draft = WorkloadBuilder(4)
    draft.collective("reduce-scatter", range(4), 64e6, label="dp")
    small = draft.collective("reduce-scatter", range(4), 1e6, label="tp", lane=2)
    fabric = Fabric(network, Placement.in_order(network, 4), {**MACHINE, "gamma": 0.0})
    queued, behind = (execute(draft.workload(), fabric, behind=x) for x in ((), ("dp",)))
    first = [float(found.end[list(small)].max()) for found in (queued, behind)]
    assert first[1] < 0.3 * first[0]
    assert behind.seconds < 1.05 * queued.seconds


ASTRA = [
    ("ring(8)", "all-reduce", 2**20, "ring-one-way", 34.66),
    ("ring(8)", "all-reduce", 2**30, "ring-one-way", 35001),
    ("ring(16)", "all-reduce", 2**30, "ring-one-way", 37501),
    ("ring(8)", "all-to-all", 2**30, "direct", 25001),
    ("complete(8)", "all-reduce", 2**30, "direct", 5000.5),
    ("complete(16)", "all-reduce", 2**30, "direct", 2500.5),
    ("complete(64)", "all-reduce", 2**30, "direct", 625.5),
    ("xgft([8], [1])", "all-reduce", 2**30, "direct", 35314),
    ("xgft([16], [1])", "all-reduce", 2**30, "direct", 37657),
    ("xgft([8], [1])", "all-reduce", 2**20, "direct", 35.47),
    ("xgft([64], [1])", "all-reduce", 2**20, "direct", 39.34),
    ("xgft([16], [1])", "all-to-all", 2**20, "direct", 19.39),
    ("xgft([64], [1])", "all-to-all", 2**20, "direct", 20.19),
]
"""Runs of ASTRA-sim 8d387f89, congestion-aware, 50 GiB/s, 500 ns a hop, 8 splits: µs."""


@pytest.mark.parametrize("spec", ["complete(8)", "mesh(2, 4)", "leaf_spine(2, 2, 4)", "ring(8)"])
def test_paths_around_what_is_busy_lead_from_end_to_end(spec: str) -> None:
    network = hopscape.build(spec)
    ends = network.endpoints.tolist()
    groups = [ends[:4], ends[4:8]]
    for goal, name in (("all-reduce", "ring"), ("all-to-all", "direct"), ("all-gather", "bruck")):
        plan = plan_named(goal, 4, name, 2)
        for group, one in zip(groups, place_around(plan, groups, network), strict=True):
            for j, (at, to) in enumerate(zip(plan.source, plan.target, strict=True)):
                path = one.path[one.path_start[j] : one.path_start[j + 1]]
                stops = [group[at], *network.heads[path].tolist()]
                assert stops[:-1] == network.tails[path].tolist()
                assert stops[-1] == group[to]
                assert len(set(stops)) == len(stops)
                if network.has_switches:
                    assert not set(stops[1:-1]) & set(ends)


@pytest.mark.parametrize("members", [5, 8])
def test_an_exchange_through_a_switch_keeps_to_its_shifts(members: int) -> None:
    """Begun together, everybody sends to the next, the one after, ...: no port waits."""
    network = hopscape.build(f"xgft([{members}], [1])")
    work = WorkloadBuilder(members)
    work.collective("all-to-all", range(members), 1e6 * members)
    costs = {"alpha": 0.0, "beta": 1e-5, "gamma": 0.0, "delta": 0.0}
    found = execute(work.workload(), Fabric(network, Placement.in_order(network, members), costs))
    assert found.seconds == pytest.approx((members - 1) * 1e-5 * 1e6 * 1e-6, rel=1e-9)


def test_idle_links_carry_pieces() -> None:
    """Four pairs in a full mesh: no link carries more than half of what the direct ones would."""
    network = hopscape.build("complete(8)")
    pairs = [(i, i + 1) for i in range(0, 8, 2)]
    placed = place_around(plan_named("all-reduce", 2, "doubling", 4), pairs, network)
    load = np.bincount(np.concatenate([one.path for one in placed]), minlength=network.channels)
    assert load.max() == 2  # quarters of a message
    work = WorkloadBuilder(8)
    for pair in pairs:
        work.collective("all-reduce", pair, 4e6)
    fabric = Fabric(network, Placement.in_order(network, 8), costs={**MACHINE, "gamma": 0.0})
    found = execute(work.workload(), fabric)
    (name,) = found.plans.values()
    assert name.endswith("/around")
    alone = execute(work.workload(), replace(fabric, algorithms={"all-reduce": "ring"}))
    assert found.seconds < 0.55 * alone.seconds
    for more in ({"executor": "astra"}, {"routing": "updown"}, {"dead_links": ((0, 1),)}):
        with pytest.raises(ArgumentError, match="looks for paths of its own"):
            replace(fabric, algorithms={"all-reduce": name}, **more)


@pytest.mark.parametrize("spec", ["torus(3, 3)", "mesh(2, 4)", "petersen", "complete(5)"])
@pytest.mark.parametrize("goal", ["all-gather", "reduce-scatter", "all-reduce", "all-to-all"])
def test_schedules_of_contests_bring_everything(spec: str, goal: str) -> None:
    """Paths lead from member to member, nobody waits for ever, and all have heard of all."""
    network = hopscape.build(spec)
    ends = network.endpoints.tolist()
    half = len(ends) // 2
    for groups in ([ends], [ends[:half], ends[half : 2 * half]]):
        found = list(contested(goal, 1e6, groups, network, MACHINE, {}))
        assert found or len(groups) > 1
        for name, placed in found:
            assert name.endswith(CONTEST)
            for group, one in zip(groups, placed, strict=True):
                _check_placed(goal, group, one, network)


def _check_placed(goal: str, group: list[int], one: Placed, network: hopscape.Network) -> None:
    plan, n = one.plan, len(group)
    for j, (a, b) in enumerate(zip(plan.source.tolist(), plan.target.tolist(), strict=True)):
        path = one.path[one.path_start[j] : one.path_start[j + 1]]
        stops = [group[a], *network.heads[path].tolist()]
        assert stops[:-1] == network.tails[path].tolist()
        assert stops[-1] == group[b]
    sent = np.bincount(plan.source, plan.share, minlength=n)
    got = np.bincount(plan.target, plan.share, minlength=n)
    least = {"all-gather": (0, 1 - 1 / n), "reduce-scatter": (1 - 1 / n, 0)}
    low = least.get(goal, (1 - 1 / n,) * 2)
    assert (sent >= low[0] - 1e-9).all()
    assert (got >= low[1] - 1e-9).all()
    ready, left = np.flatnonzero(plan.needs == 0).tolist(), plan.needs.copy()
    done, reach = 0, [{i} for i in range(n)]
    while ready:
        message = ready.pop()
        done += 1
        reach[plan.target[message]] |= reach[plan.source[message]]
        for other in plan.next[plan.next_start[message] : plan.next_start[message + 1]].tolist():
            left[other] -= 1
            if left[other] == 0:
                ready.append(other)
    assert done == len(plan.source)  # nobody waits for ever
    assert all(len(one) == n for one in reach)


def test_a_step_takes_schedules_made_for_its_network() -> None:
    """A ring of ranks uses two of the four links of a node of a torus; made for it, all four."""
    network = hopscape.build("torus(4, 4)")
    work = WorkloadBuilder(16)
    work.collective("all-gather", range(16), 16e6)
    place = Placement.in_order(network, 16)
    found = execute(work.workload(), Fabric(network, place))
    (name,) = found.plans.values()
    assert name.endswith(CONTEST)
    again = execute(work.workload(), Fabric(network, place, algorithms={"all-gather": name}))
    assert again.seconds == found.seconds
    ring = execute(work.workload(), Fabric(network, place, algorithms={"all-gather": "ring/2"}))
    assert found.seconds < 0.7 * ring.seconds
    with pytest.raises(ArgumentError, match="has no all-gather algorithm 'zigzag'"):
        execute(
            work.workload(), Fabric(network, place, algorithms={"all-gather": "zigzag/contest"})
        )


def test_astra_gives_what_astra_sim_gives() -> None:
    costs = {"alpha": 0.0, "beta": 1e6 / (50 * 2**30), "gamma": 0.0, "delta": 0.5}
    for spec, goal, size, plan, micros in ASTRA:
        network = hopscape.build(spec)
        count = network.endpoint_count
        draft = WorkloadBuilder(count)
        draft.collective(goal, range(count), size)
        fabric = Fabric(
            network, Placement.in_order(network, count), costs, "astra", 8, {goal: plan}
        )
        digits = 2 if micros < 100 else 1 if micros < 10_000 else 0
        found = round(execute(draft.workload(), fabric).seconds * 1e6, 6)
        assert abs(found - micros) <= 0.51 * 10**-digits, (spec, goal, found)


def test_plans_of_ones_own_are_executed() -> None:
    """Halves are exchanged over one bit of the rank after the other, and gathered back."""
    costs = {"alpha": 0.0, "beta": 1e6 / (50 * 2**30), "gamma": 0.0, "delta": 0.5}
    network = hopscape.build("complete(8)")
    messages: list[tuple[int, int, float]] = []
    after: list[list[int]] = []
    last: dict[int, list[int]] = {}
    for bit, share in ((1, 1 / 2), (2, 1 / 4), (4, 1 / 8), (4, 1 / 8), (2, 1 / 4), (1, 1 / 2)):
        now = {}
        for rank in range(8):
            messages.append((rank, rank ^ bit, share))
            after.append(last.get(rank, []))
            now[rank ^ bit] = [len(messages) - 1]
        last = now
    plan = GroupPlan.of_messages("halves", 8, messages, after)
    draft = WorkloadBuilder(8)
    draft.collective("all-reduce", range(8), 2**20)
    place = Placement.in_order(network, 8)
    own = Fabric(network, place, costs, "astra", None, {"all-reduce": plan})
    found = execute(draft.workload(), own)
    assert list(found.plans.values()) == ["halves"]
    by_hand = sum(math.floor(2**20 * share / (50 * 2**30) * 1e9) + 500 for _, _, share in messages)
    assert round(found.seconds * 1e9) == by_hand // 8
    half = WorkloadBuilder(8)
    half.collective("all-reduce", range(4), 2**20)
    with pytest.raises(ArgumentError, match="'halves' is for 8 members, and a group of this"):
        execute(half.workload(), replace(own, placement=place))
    for rows, waits, words in (
        ([], [], "has no messages"),
        ([(0, 1, 1.0)], [], "1 messages, 0 rows"),
        ([(0, 2, 1.0)], [[]], "goes from 0 to 2"),
        ([(0, 1, 1.0), (0, 1, 1.0)], [[], [0]], "waits for message 0, which does not arrive"),
    ):
        with pytest.raises(ArgumentError, match=words):
            GroupPlan.of_messages("wrong", 2, rows, waits)


def test_astra_takes_the_part_of_the_smallest_number() -> None:
    """Two messages wait for the first one to leave; the later one to be ready has the number."""
    draft = WorkloadBuilder(3)
    draft.message(0, 1, 1e6)
    slow, fast = draft.compute(0, 2e-6), draft.compute(0, 1e-6, lane=1)
    first, _ = draft.message(0, 1, 1e6, after=[slow])
    second, _ = draft.message(0, 2, 1e6, after=[fast])
    last, _ = draft.message(0, 1, 1e6, after=[first])
    network = hopscape.build("complete(3)")
    found = execute(
        draft.workload(), Fabric(network, Placement.in_order(network, 3), executor="astra")
    )
    assert found.verdict
    assert np.allclose(found.end, slow_ends(found))
    assert found.start[first] < found.start[second] < found.start[last]
    queued = draft.workload()
    other = Fabric(network, Placement.in_order(network, 3))
    lanes = np.where(np.isin(np.arange(len(queued)), [0, first, second, last]), 2, queued.lane)
    in_turn = execute(replace(queued, lane=lanes), other)
    assert in_turn.start[second] < in_turn.start[first]


def test_parts_of_one_rank_that_wait_in_a_circle_are_named() -> None:
    draft = WorkloadBuilder(1)
    first = draft.compute(0, 1e-3)
    draft.compute(0, 1e-3, after=[first])
    work = draft.workload()
    circle = replace(work, after_start=np.asarray([0, 1, 2]), after=np.asarray([1, 0]))
    network = hopscape.build("ring(3)")
    found = execute(circle, Fabric(network, Placement.in_order(network, 1)))
    assert not found.verdict
    assert "parts 0, 1 of rank 0 wait in a circle" in found.verdict.reason


def test_a_step_that_never_ends_is_named() -> None:
    """Three ranks, each in two groups, which they enter in different orders, one at a time."""
    draft = WorkloadBuilder(3)
    groups = [(0, 1), (1, 2), (2, 0)]
    draft.operations += [hopscape.workloads.Together("all-reduce", group, 1e3) for group in groups]
    for rank in range(3):
        mine = [i for i, group in enumerate(groups) if rank in group]
        order = [rank, next(i for i in mine if i != rank)]
        before: tuple[int, ...] = ()
        for number in order:
            part = hopscape.workloads.Part(
                rank, "collective", before, 1, "tp", together=number,
                seat=groups[number].index(rank),
            )  # fmt: skip
            before = (draft.add(part),)
    network = hopscape.build("complete(3)")
    found = execute(draft.workload(), Fabric(network, Placement.in_order(network, 3)))
    assert not found.verdict
    cycle = found.verdict.where["cycle"]
    assert [(s["rank"], s["group"], s["for"]) for s in cycle] == [(0, 0, 1), (1, 1, 2), (2, 2, 0)]
    assert "rank 0 waits for 1 in group 0" in found.verdict.reason
    assert "; group 2: ranks 2, 0" in found.verdict.reason
