"""Rounds of plans against lists and dictionaries that follow the same rule."""

from __future__ import annotations

from collections import Counter
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape import Goal, Model, Network, verify
from hopscape.collectives.contest import compete
from hopscape.collectives.forest_schedules import forest_plan
from hopscape.collectives.generic import broadcast, make_schedule
from hopscape.collectives.plan import PathPlan, Plan, hop_rounds
from hopscape.collectives.plan_kernels import (
    WaveMessages,
    heights,
    place_messages,
    place_periodically,
    push_hops,
    push_paths,
    settle_paths,
    time_hops,
    time_paths,
    tree_hops,
)
from hopscape.collectives.pushed import HeldPaths, pushed_rounds
from hopscape.core.channels import ChannelClass
from hopscape.core.errors import ArgumentError, ScheduleError


@st.composite
def forests(draw, channels=4):
    """Channels, hops before (in any order) and room."""
    hops = draw(st.integers(1, 25))
    names = draw(st.permutations(range(hops)))
    before = np.full(hops, -1)
    for i in range(1, hops):
        before[names[i]] = names[draw(st.integers(0, i - 1))] if draw(st.booleans()) else -1
    channel = draw(st.lists(st.integers(0, channels - 1), min_size=hops, max_size=hops))
    room = draw(st.lists(st.integers(1, 3), min_size=channels, max_size=channels))
    return np.array(channel), before, np.array(room)


def slow_times(channel, before, urgent, room, order):
    """In every round each channel serves the most urgent; among equals the one that came last."""
    done, waiting, r = {}, {c: [] for c in range(len(room))}, 0
    fresh = [e for e in order if before[e] < 0]
    while len(done) < len(channel):
        for e in fresh:
            waiting[channel[e]].append(e)
        fresh = []
        for c in range(len(room)):
            for _ in range(room[c]):
                if waiting[c]:
                    top = max(urgent[e] for e in waiting[c])
                    e = [e for e in waiting[c] if urgent[e] == top][-1]
                    waiting[c].remove(e)
                    done[e] = r
                    fresh += [x for x in range(len(channel)) if before[x] == e]
        r += 1
    return [done[e] for e in range(len(channel))]


def is_timed(channel, before, room, rounds):
    """Every hop after the one before it, no channel beyond its room."""
    assert all(b < 0 or rounds[b] < rounds[e] for e, b in enumerate(before))
    used = Counter(zip(channel.tolist(), rounds.tolist()))
    assert all(count <= room[c] for (c, _), count in used.items())
    return True


def is_early(channel, before, room, rounds):
    """No hop could go earlier by itself: its channel is full since the hop before it."""
    used = Counter(zip(channel.tolist(), rounds.tolist()))
    return all(
        used[c, r] == room[c]
        for e, c in enumerate(channel.tolist())
        for r in range(rounds[before[e]] + 1 if before[e] >= 0 else 0, rounds[e])
    )


def slow_height(before, e):
    below = [slow_height(before, x) + 1 for x in range(len(before)) if before[x] == e]
    return max(below, default=0)


@settings(deadline=None, max_examples=120, derandomize=True)
@given(forests(), st.randoms(use_true_random=False))
def test_hops_get_their_rounds(forest, random):
    channel, before, room = forest
    height = heights(before)
    assert height.tolist() == [slow_height(before, e) for e in range(len(before))]
    order = np.array(random.sample(range(len(before)), len(before)))
    rounds = time_hops(channel, before, height, room, order)
    assert rounds.tolist() == slow_times(channel, before, height, room, order.tolist())
    assert is_timed(channel, before, room, rounds)
    pushed = rounds.copy()
    used = push_hops(channel, before, room, pushed, 0, 5)
    assert used == pushed.max() + 1 <= rounds.max() + 1
    assert pushed.min() >= 0
    assert is_timed(channel, before, room, pushed)
    assert is_early(channel, before, room, pushed)
    best = hop_rounds(channel, before, room)
    assert is_timed(channel, before, room, best)
    assert best.max() <= rounds.max()


@settings(deadline=None, max_examples=80, derandomize=True)
@given(forests(), st.integers(0, 4))
def test_periods_do_not_meet(forest, more):
    channel, before, room = forest
    load = int((-(-np.bincount(channel, minlength=len(room)) // room)).max())
    first = hop_rounds(channel, before, room)
    order = np.argsort(first, kind="stable")
    rounds = place_periodically(channel, before, room, order, load + more)
    assert all(b < 0 or rounds[b] < rounds[e] for e, b in enumerate(before))
    assert is_timed(channel, np.full(len(before), -1), room, rounds % (load + more))


@settings(deadline=None, max_examples=80, derandomize=True)
@given(st.data())
def test_paths_are_held_as_a_whole(data):
    paths = data.draw(
        st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=3, unique=True), min_size=1)
    )
    starts = np.cumsum([0, *map(len, paths)])
    before = np.array([data.draw(st.integers(-1, p - 1)) for p in range(len(paths))])
    room = np.ones(6, dtype=np.int64)
    flat = np.array([c for path in paths for c in path])
    order = np.array(data.draw(st.permutations(range(len(paths)))))
    rounds = time_paths(starts, flat, before, room, order)
    waiting, done, r = order.tolist(), {}, 0
    while waiting:
        used = set()
        for p in list(waiting):
            late = before[p] >= 0 and done.get(before[p], r) >= r
            if not late and not used & set(paths[p]):
                used |= set(paths[p])
                done[p] = r
                waiting.remove(p)
        r += 1
    assert rounds.tolist() == [done[p] for p in range(len(paths))]


def test_a_chunk_goes_on_from_where_it_has_come():
    net = hopscape.build("path(5)")
    way = {(u, v): c for c, (u, v) in enumerate(zip(net.tails.tolist(), net.heads.tolist()))}
    right = [way[v, v + 1] for v in range(4)]
    starts, flat = np.array([0, 2, 5, 6]), np.array([*right[:2], *right[:3], right[0]])
    ends = net.tails.astype(np.int64), net.heads.astype(np.int64)
    made = tree_hops(starts, flat, np.zeros(3, dtype=np.int64), ends, 5)
    assert [x.tolist() for x in made] == [right[:3], [-1, 0, 1], [0, 0, 1]]


@settings(deadline=None, max_examples=30, derandomize=True)
@given(st.integers(1, 3), st.sampled_from(["ring(5)", "kautz(2, 2)", "path(4)", "complete(4)"]))
def test_a_schedule_has_a_plan(pieces, spec):
    net = hopscape.build(spec)
    for goal in (Goal.all_gather(), Goal.all_to_all()):
        made = make_schedule(net, goal)
        plan = Plan.of(made)
        for e, b in enumerate(plan.before.tolist()):
            came = net.heads[plan.channel[b]] if b >= 0 else goal.on(net).origins[plan.chunk[e]]
            assert came == net.tails[plan.channel[e]]
            assert b < 0 or plan.chunk[b] == plan.chunk[e]
        aim = Goal(goal.kind, None, pieces)
        again = plan.in_pieces(pieces).schedule(net, aim, "again")
        assert verify(again).holds
        assert again.rounds >= plan.load(net) * pieces


def test_fast_channels_carry_more():
    kinds = [ChannelClass("slow", 1), ChannelClass("fast", 3)]
    net = Network.from_links(3, [0, 1], [1, 2], classes=kinds, kinds=[1, 0])
    plan = Plan(np.zeros(6, np.int64), np.full(6, -1), np.arange(6))
    made = plan.schedule(net, Goal.all_to_all(), "fast")
    assert made.rounds == 2
    goal = Goal.broadcast(0, 6)
    three = Plan(np.tile(np.array([0, 2]), 6), np.tile([-1, 0], 6), np.repeat(np.arange(6), 2))
    before = np.where(three.before < 0, -1, 2 * np.repeat(np.arange(6), 2))
    served = Plan(three.channel, before, three.chunk).schedule(net, goal, "pipeline")
    assert verify(served).holds
    assert served.rounds == 7


def test_refused():
    net = hopscape.build("ring(4)")
    plan = Plan.of(broadcast(net, 0))
    with pytest.raises(ArgumentError, match="is planned for all-port"):
        plan.schedule(net, Goal.broadcast(0), "x", Model(ports=1))
    alone = PathPlan(np.array([0, 1]), np.array([0]), np.array([-1]), np.array([0]))
    with pytest.raises(ArgumentError, match="paths that share no channel"):
        alone.schedule(net, Goal.broadcast(0), "x", Model(switching="circuit", disjoint="edge"))
    lost = make_schedule(net, Goal.broadcast(0)).meant_for(net, Goal.broadcast(2))
    with pytest.raises(ScheduleError, match="which never came"):
        Plan.of(lost)


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 30), st.integers(1, 6), st.integers(1, 8), st.integers(0, 99), st.data())
def test_settled_paths_meet_as_often_as_is_said(paths, channels, total, seed, data):
    """The number of paths that still meet others, counted one by one."""
    lengths = [data.draw(st.integers(1, min(3, channels))) for _ in range(paths)]
    ways = [data.draw(st.permutations(range(channels)))[:n] for n in lengths]
    room = np.asarray([data.draw(st.integers(1, 2)) for _ in range(channels)])
    start = np.concatenate([[0], np.cumsum(lengths)])
    rounds = np.asarray([data.draw(st.integers(0, 9)) for _ in range(paths)])
    flat = np.asarray([c for way in ways for c in way], dtype=np.int64)
    left = settle_paths(start, flat, room, rounds, total, 2000, seed)
    assert rounds.max() < total
    used = Counter((r, c) for r, way in zip(rounds.tolist(), ways, strict=True) for c in way)
    full = {key for key, count in used.items() if count > room[key[1]]}
    meets = sum(
        any((r, c) in full for c in way) for r, way in zip(rounds.tolist(), ways, strict=True)
    )
    assert meets == left
    if (np.bincount(flat, minlength=channels) <= room).all():
        assert left == 0


@settings(deadline=None, max_examples=60, derandomize=True)
@given(forests(), st.integers(1, 6), st.integers(1, 3))
def test_messages_again_and_again(forest, period, most):
    """Paths of one channel, of which each end takes some; chunks on one channel are one message."""
    channel, before, room = forest
    start = np.arange(len(channel) + 1)
    limits = np.full((2, len(room)), most)
    order = np.argsort(-heights(before), kind="stable")
    alike = WaveMessages(channel, channel, channel, limits)
    slots, busy = place_messages(start, channel, before, room, order, alike, period, 1.0)
    assert len(slots) == len(channel)  # a channel is one way, so that nobody has too many messages
    assert (slots[before >= 0] > slots[before[before >= 0]]).all()
    carried = Counter(zip((slots % period).tolist(), channel.tolist()))
    peaks = [max(carried[s, c] / room[c] for c in range(len(room))) for s in range(period)]
    assert busy == pytest.approx(sum(peaks))
    apart = alike._replace(way=np.arange(len(channel)))  # every path a way of its own
    slots, _ = place_messages(start, channel, before, room, order, apart, period, 1.0)
    sent = Counter(zip((slots % period).tolist(), channel.tolist()))
    crowd = Counter(channel.tolist())
    assert (len(slots) > 0) == (max(crowd.values()) <= most * period)
    assert max(sent.values(), default=0) <= most


def slow_pushes(ways, before, room, order, total, late):
    """The first round (late: the last) that is free on all channels of a path, one by one."""
    used, out = Counter(), {}
    for p in order:
        after = [e for e in range(len(ways)) if before[e] == p]
        low = out[before[p]] + 1 if not late and before[p] >= 0 else 0
        high = min((out[e] for e in after), default=total) if late else total
        rounds = range(high - 1, -1, -1) if late else range(low, total)
        free = [r for r in rounds if all(used[r, c] < room[c] for c in ways[p])]
        if not free:
            return []
        out[p] = free[0]
        used.update((free[0], c) for c in ways[p])
    return [out[p] for p in range(len(ways))]


@settings(deadline=None, max_examples=60, derandomize=True)
@given(forests(), st.integers(1, 30), st.booleans(), st.data())
def test_paths_take_the_first_free_round_or_the_last(forest, total, late, data):
    channel, before, room = forest
    ways = [sorted({c, data.draw(st.integers(0, len(room) - 1))}) for c in channel.tolist()]
    start = np.cumsum([0, *map(len, ways)])
    flat = np.asarray([c for way in ways for c in way])
    noise = np.asarray([data.draw(st.integers(0, 3)) for _ in ways])
    order = np.lexsort((noise, heights(before) * (1 if late else -1)))
    made = push_paths(start, flat, before, room, order, total, late)
    assert made.tolist() == slow_pushes(ways, before.tolist(), room, order.tolist(), total, late)


def test_waves_of_paths_fill_every_round_but_a_few():
    """All channels of this machine are at the bound; put one after the other, it took 12 a wave."""
    net = hopscape.build("dcell(3, 1)")
    waves, plan = 6, forest_plan(net, 2)
    held = HeldPaths(*astuple(plan.in_pieces(waves))[:3], net.room())
    rounds = pushed_rounds(held, waves)
    assert rounds is not None
    assert 11 * waves <= int(rounds.max()) + 1 <= 11 * waves + 6
    lengths = np.diff(held.start)
    used = Counter(zip(np.repeat(rounds, lengths).tolist(), held.channel.tolist()))
    assert max(used.values()) == 1
    later = held.before >= 0
    assert (rounds[later] > rounds[held.before[later]]).all()


def test_long_data_through_switches_near_the_optimum():
    """1.09 times the least time before paths were pushed to and fro."""
    contest = compete(hopscape.build("dcell(3, 1)"), Goal.all_gather(), size=1e9)
    assert contest.best.time(contest.costs, 1e9) <= 1.05 * contest.least_time(1e9)
