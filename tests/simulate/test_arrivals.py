"""Packets asked for one by one, against the formula of an empty network and the counts of a run."""

from __future__ import annotations

import numpy as np
import pytest

import hopscape
from hopscape.core.errors import ArgumentError
from hopscape.simulate import Settings, build_setup
from hopscape.simulate.arrivals import arrivals
from hopscape.simulate.measurement import blank_counters, make_source, start
from hopscape.simulate.run import Run
from hopscape.simulate.traffic import traced


def test_alone_a_packet_takes_what_the_formula_says() -> None:
    network = hopscape.build("torus(4, 4)")
    settings = Settings(vcs=2)
    setup = build_setup(network, settings, network.router("closed"))
    far = network.router().distances
    for source, target, flits in ((0, 5, 1), (3, 8, 6), (15, 0, 2)):
        came = arrivals(setup, np.array([[17, source, target, flits]]))
        hops = int(far(np.array([source]), np.array([target]))[0])
        assert came.tolist() == [17 + settings.zero_load(hops + 1, flits)]


def test_the_mean_is_that_of_a_run() -> None:
    setup = build_setup(hopscape.build("mesh(3, 3)"), Settings(vcs=2, buffer=3, window="none"))
    random = np.random.default_rng(3)
    births = np.concatenate([random.choice(400, 60, replace=False) for _ in range(9)])
    packets = np.stack(
        [
            births,
            np.repeat(np.arange(9), 60),
            random.integers(0, 9, 540),
            random.integers(1, 9, 540),
        ]
    ).T
    came = arrivals(setup, packets)
    traffic = traced(packets, 9)
    source = make_source(traffic, setup.settings, 1.0)
    state, counters = start(setup, traffic, source, 0), blank_counters(setup, 1)
    counters.span[:2] = 0, 10**6
    Run(setup, state, source, counters).to(20_000)
    late = np.repeat(np.arange(counters.histogram.shape[1]), counters.histogram[0])
    assert sorted((came - packets[:, 0]).tolist()) == late.tolist()


def test_two_births_at_once_are_refused() -> None:
    setup = build_setup(hopscape.build("ring(4)"), Settings(vcs=2))
    with pytest.raises(ArgumentError, match="born in the same cycle"):
        arrivals(setup, np.array([[0, 1, 2, 1], [0, 1, 3, 1]]))
