"""Messages that run through whole paths: rules, loads and sums against slow twins."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape import Goal, Model, verify
from hopscape.core.channels import ChannelClass
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.core.verify_kernels import additions

CUT = Model(switching="cut-through", packing="packed")


def slow_loads(schedule, half):
    """Sum over rounds of the busiest channel or link by capacity, and of the longest path."""
    network = schedule.network
    speeds = network.capacities().tolist()
    sizes = hops = 0
    for r in range(schedule.rounds):
        load, longest = Counter(), 0
        for t in range(schedule.round_start[r], schedule.round_start[r + 1]):
            path = schedule.channels[schedule.path_start[t] : schedule.path_start[t + 1]].tolist()
            longest = max(longest, len(path))
            for c in path:
                lane = min(c, int(network.reverse[c])) if half else c
                load[lane] += 1 / speeds[c]
        sizes += max(load.values(), default=0)
        hops += longest
    return sizes, hops


def slow_additions(schedule, adds):
    """Sum over rounds of the most chunks that a node adds."""
    total = 0
    for r in range(schedule.rounds):
        part = range(schedule.round_start[r], schedule.round_start[r + 1])
        total += max(Counter(int(schedule.target[t]) for t in part if adds[t]).values(), default=0)
    return total


def routed(network, pairs, model, goal, chunks):
    """A schedule of (round, source, target), each along the network's own route."""
    router = network.router()
    starts, channels = [0], []
    for _, u, v in pairs:
        route = router.route(u, v)
        hops = zip(route.path, route.ports, strict=False)
        channels += [int(network.channel_at(np.array([a]), np.array([p]))[0]) for a, p in hops]
        starts.append(len(channels))
    return Schedule.from_columns(
        network,
        model,
        goal,
        round=[r for r, _, _ in pairs],
        channels=channels,
        chunk=chunks,
        path_start=starts,
    )


@settings(max_examples=40, deadline=None)
@given(st.data(), st.sampled_from(["ring(6)", "torus(3, 4)", "fat_tree(4)"]), st.booleans())
def test_loads_are_counted_channel_by_channel(data, spec, half) -> None:
    network = hopscape.build(spec)
    ends = network.endpoints.tolist()
    end = st.sampled_from(ends)
    moves = data.draw(st.lists(st.tuples(st.integers(0, 2), end, end), max_size=25))
    moves = sorted({m for m in moves if m[1] != m[2]})
    model = replace(CUT, duplex="half" if half else "full", ports=None)
    schedule = routed(network, moves, model, Goal.broadcast(ends[0]), [0] * len(moves))
    verdict = verify(schedule)
    limit = network.degrees.tolist()
    broken = False
    for r in range(schedule.rounds):
        sent = Counter(u for when, u, v in moves if when == r)
        got = Counter(v for when, u, v in moves if when == r)
        both = sent + got
        over = both if half else Counter({v: max(sent[v], got[v]) for v in both})
        broken = broken or any(over[v] > limit[v] for v in over)
    assert (verdict.where.get("rule") == "ports") == broken
    if not broken:
        sizes, hops = slow_loads(schedule, half)
        assert verdict.details["sizes"] == pytest.approx(sizes)
        assert verdict.details["sum_round_max"] == hops


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5), st.booleans()), max_size=30))
def test_additions_are_counted_node_by_node(rows) -> None:
    rows = sorted(rows)
    network = hopscape.build("complete(7)")
    adds = np.asarray([a for _, _, a in rows], dtype=np.uint8)
    channels = [int(network.indptr[6]) + v for _, v, _ in rows]
    made = Schedule.from_columns(
        network, CUT, Goal.broadcast(6), round=[r for r, _, _ in rows], channels=channels
    )
    assert additions(made.round_start, made.target, adds, 7) == slow_additions(made, adds)


def test_switches_only_forward_unless_it_is_said() -> None:
    network = hopscape.build("fat_tree(4)")
    first = int(network.indptr[0])
    switch = int(network.heads[first])
    goal = Goal.broadcast(0)
    schedule = Schedule.from_columns(network, CUT, goal, round=[0], channels=[first])
    assert switch not in network.endpoints
    assert verify(schedule).where["rule"] == "switch"
    assert f"node {switch} is a switch" in verify(schedule).reason
    allowed = verify(schedule, model=replace(CUT, in_network=True))
    assert allowed.where["rule"] == "delivery"


def test_chunks_on_one_path_are_one_message_and_share_its_port() -> None:
    network = hopscape.build("path(3)")
    goal = Goal.broadcast(0, 2)
    moves = [(0, 0, 2), (0, 0, 2), (1, 0, 1), (1, 2, 1)]
    schedule = routed(network, moves, replace(CUT, ports=1), goal, [0, 1, 0, 1])
    assert verify(schedule).where["rule"] == "ports"  # node 1 receives twice in round 2
    schedule = routed(network, moves, CUT, goal, [0, 1, 0, 1])
    verdict = verify(schedule)
    assert verdict
    assert verdict.details["messages"] == 3
    assert verdict.details["sizes"] == 3
    apart = verify(schedule, model=replace(CUT, packing="unit"))
    assert apart.where["rule"] == "ports"  # node 0 has one channel, and sends two messages


def test_a_fast_channel_is_busy_for_less_time() -> None:
    kinds = [ChannelClass("slow", 1), ChannelClass("fast", 4)]
    network = Network.from_links(3, [0, 1], [1, 2], classes=kinds, kinds=[1, 0])
    schedule = routed(network, [(0, 0, 1), (1, 1, 2)], CUT, Goal.broadcast(0), [0, 0])
    assert verify(schedule).details["sizes"] == pytest.approx(1 / 4 + 1)


def test_sums_cost_gamma() -> None:
    network = hopscape.build("complete(4)")
    into = [int(network.reverse[c]) for c in range(3)]
    made = Schedule.from_columns(
        network, Model(gamma=0.5), Goal.reduce(0), round=[0] * 3, channels=into
    )
    verdict = verify(made)
    assert verdict
    assert verdict.details["added"] == 3
    assert verdict.details["time"] == 1 + 0.5 * 3


@pytest.mark.parametrize("value", [1, "yes", None])
def test_in_network_is_true_or_false(value) -> None:
    with pytest.raises(ArgumentError, match="in_network"):
        Model(in_network=value)
