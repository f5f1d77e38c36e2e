"""A replay without contention takes as long as α, β and δ say."""

from __future__ import annotations

from dataclasses import replace

import pytest

import hopscape
from hopscape import Goal, verify
from hopscape.collectives.contest import compete
from hopscape.simulate import Settings, build_setup
from hopscape.simulate.replay import replay

ALPHA, DELTA = 6, 5


@pytest.mark.parametrize(
    ("spec", "goal"),
    [
        ("ring(8)", Goal.all_gather()),
        ("torus(4, 4)", Goal.all_reduce()),
        ("path(5)", Goal.broadcast(0)),
    ],
)
@pytest.mark.parametrize("flits", [8, 64])
def test_the_replay_is_within_5_percent_of_the_prediction(spec, goal, flits) -> None:
    network = hopscape.build(spec)
    asked = {"ports": 1, "switching": "cut-through"}
    found = compete(network, goal, asked)
    setup = build_setup(network, Settings(vcs=2))
    tried = set()
    for entry in found.entries:
        schedule = entry.schedule
        details = entry.verdict.details
        if details["sizes"] > entry.rounds or details["messages"] != schedule.transfers:
            continue  # messages share channels, or are longer than a chunk
        model = replace(schedule.model, alpha=ALPHA, beta=flits, delta=DELTA)
        predicted = verify(schedule, model=model).details["time"]
        cycles = replay(setup, schedule, flits=flits, barrier=True).cycles
        assert cycles == pytest.approx(predicted, rel=0.05), entry.algorithm
        tried.add(entry.algorithm)
    assert len(tried) >= 2
