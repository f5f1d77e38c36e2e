"""Every collective among one group, on families with algorithms of their own for all endpoints."""

from __future__ import annotations

import pytest

import hopscape
from hopscape import Goal, verify
from hopscape.collectives.contest import compete

GROUPS = ([5], [5, 6], [0, 4, 8])


def goals(group):
    several = (tuple(group),)
    yield from (
        Goal("reduce", group[0], groups=several),
        Goal("broadcast", group[0], groups=several),
        Goal("scatter", group[0], groups=several),
        Goal("gather", group[0], groups=several),
        Goal.all_gather(groups=several),
        Goal("reduce-scatter", groups=several),
        Goal("all-reduce", groups=several),
        Goal("all-to-all", groups=several),
    )


@pytest.mark.parametrize("spec", ["torus(3, 3)", "circulant(13, 1, 5)", "hypercube(4)", "rpc(2)"])
def test_every_goal_among_a_group(spec):
    network = hopscape.build(spec)
    for group in GROUPS:
        for goal in goals(group):
            contest = compete(network, goal, seconds=5)
            best = contest.entries[0].schedule
            assert verify(best), (goal.kind, group)
            assert best.goal == goal
