"""A replay without contention takes as long as α, β and δ say."""

from __future__ import annotations

from dataclasses import replace

import pytest

import hopscape
from hopscape import Goal, verify
from hopscape.collectives.contest import compete
from hopscape.core.errors import ArgumentError
from hopscape.simulate import Job, Settings, build_setup, replay
from hopscape.simulate.replay import lines_of
from hopscape.simulate.replay import replay as replay_on

ALPHA, DELTA = 6, 5


@pytest.mark.parametrize(
    ("spec", "goal", "asked"),
    [
        ("ring(8)", Goal.all_gather(), {"ports": 1, "switching": "cut-through"}),
        ("torus(4, 4)", Goal.all_reduce(), {"ports": 1, "switching": "cut-through"}),
        ("path(5)", Goal.broadcast(0), {"ports": 1, "switching": "cut-through"}),
        ("torus(4, 4)", Goal.all_gather(), {}),
        ("petersen", Goal.all_to_all(), {}),
        ("torus(5, 5)", Goal.broadcast(7), {"switching": "circuit"}),
        ("mesh(3, 4)", Goal.scatter(0), {"ports": 2}),
    ],
)
@pytest.mark.parametrize("flits", [8, 64])
def test_the_replay_is_within_5_percent_of_the_prediction(spec, goal, asked, flits) -> None:
    network = hopscape.build(spec)
    found = compete(network, goal, asked)
    job = Job(spec, "uniform", 0.0, Settings(vcs=2))
    tried = set()
    for entry in found.entries:
        schedule = entry.schedule
        details = entry.verdict.details
        if details["sizes"] > entry.rounds or details["messages"] != schedule.transfers:
            continue  # messages share channels, or are longer than a chunk
        model = replace(schedule.model, alpha=ALPHA, beta=flits, delta=DELTA)
        predicted = verify(schedule, model=model).details["time"]
        cycles = replay(job, schedule, flits=flits, barrier=True).cycles
        assert cycles == pytest.approx(predicted, rel=0.05), entry.algorithm
        tried.add(entry.algorithm)
    assert len(tried) >= 1 + (goal.kind != "scatter")


def test_one_line_holds_up_a_node_with_four_ports() -> None:
    """With one line the four messages of a round leave one after the other."""
    network = hopscape.build("torus(4, 4)")
    schedule = compete(network, Goal.all_gather()).best.schedule
    assert lines_of(schedule) == 4
    times = [
        replay_on(
            build_setup(network, Settings(vcs=2, concentration=c)), schedule, flits=64, barrier=True
        ).cycles
        for c in (1, 2, 4)
    ]
    assert times[0] > times[1] > times[2]
    assert times[0] > 3 * times[2]


def test_a_replay_starts_and_ends_at_endpoints() -> None:
    network = hopscape.build("fat_tree(4)")
    best = compete(network, Goal.broadcast(int(network.endpoints[0]))).best.schedule
    done = replay(Job("fat_tree(4)", "uniform", 0.0, Settings(vcs=2)), best, flits=4, barrier=True)
    assert done.cycles > 0
    stops = compete(network, Goal.broadcast(int(network.endpoints[0])), {"in_network": True})
    with pytest.raises(ArgumentError, match="a switch of fat_tree"):
        replay(Job("fat_tree(4)", "uniform", 0.0, Settings(vcs=2)), stops.best.schedule)
