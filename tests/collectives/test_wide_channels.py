"""Machines whose channels carry several messages at once: no bound is above what is delivered."""

from __future__ import annotations

import pytest

import hopscape
from hopscape.collectives import lower_bounds
from hopscape.core.goal import Goal
from hopscape.core.model import Model

GOALS = [
    Goal.all_gather(), Goal.all_to_all(), Goal.broadcast(0), Goal.broadcast(0, 4), Goal.reduce(0),
    Goal.scatter(0), Goal.gather(0), Goal.reduce_scatter(), Goal.all_reduce(),
]  # fmt: skip


@pytest.mark.parametrize("goal", GOALS, ids=lambda goal: f"{goal.kind}-{goal.chunks}")
@pytest.mark.parametrize("speed", [2, 9])
def test_no_bound_is_above_what_is_delivered(goal, speed):
    net = hopscape.build(f"rails(leaf_spine(2, 1, 2), 2, 4, speed={speed})")
    schedule = hopscape.collectives.contest.compete(net, goal).best.schedule
    rules = Model(switching=schedule.model.switching)
    assert hopscape.verify(schedule).holds
    assert max(bound.rounds for bound in lower_bounds(net, goal, rules)) <= schedule.rounds


def test_a_wide_channel_brings_several_messages_in_a_round():
    net = hopscape.build("rails(leaf_spine(2, 1, 2), 2, 4, speed=9)")
    schedule = net.all_gather()
    into = net.heads[schedule.channels[schedule.path_start[1:] - 1]]
    most = max(
        sum((into == node) & (schedule.round == one))
        for node in net.endpoints.tolist()
        for one in range(schedule.rounds)
    )
    assert most > net.degrees[net.endpoints].max()
