"""The ages of packets that have not arrived, counted one by one and cycle by cycle."""

from __future__ import annotations

import pytest

import hopscape
from hopscape.simulate import Settings, build_setup, layout, make_traffic
from hopscape.simulate.engine_kernels import advance
from hopscape.simulate.faults import census
from hopscape.simulate.measurement import (
    _age,
    blank_counters,
    make_source,
    start,
    unfinished,
)
from hopscape.simulate.traffic import read_trace

pytestmark = pytest.mark.interpreted


def slow_age(setup, state, rate, total, count):
    """Packets in the network by their births, those in the queues by the oldest and the rate."""
    now = int(state.scalars[layout.NOW])
    for who in census(setup.settings.buffer, state):
        total += now - int(state.packets[who, layout.BORN])
        count += 1
    for birth in state.ends[:, layout.E_BIRTH].tolist():
        waited = max(now - birth, 0)
        total += waited * waited * rate / 2
        count += waited * rate
    return total / max(1.0, count)


@pytest.mark.parametrize("load", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("cycles", [0, 7, 60])
def test_ages_are_counted_one_by_one(load, cycles):
    setup = build_setup(hopscape.build("ring(4)"), Settings(packet=(2,)))
    traffic = make_traffic("uniform-others", 4)
    source = make_source(traffic, setup.settings, load)
    state = start(setup, traffic, source, 5)
    advance(setup.fabric, state, source, blank_counters(setup, 10), cycles, 1000)
    for total, count in ((0.0, 0.0), (31.0, 4.0)):
        slow = slow_age(setup, state, load / 2, total, count)
        assert _age(state, source, total, count) == pytest.approx(slow)


def test_a_packet_at_its_source_is_counted_the_first_of_all_too():
    setup = build_setup(hopscape.build("ring(4)"), Settings(packet=(2,)))
    traffic = make_traffic("uniform-others", 4)
    state = start(setup, traffic, make_source(traffic, setup.settings, 0.1), 5)
    assert census(setup.settings.buffer, state) == set()
    state.injectors[1, layout.I_SENDING] = 0
    state.injectors[3, layout.I_SENDING] = 7
    assert census(setup.settings.buffer, state) == {0, 7}


@pytest.mark.parametrize(("first", "last"), [(0, 80), (13, 50)])
def test_ages_of_all_that_has_not_arrived_are_the_waits_of_every_cycle(tmp_path, first, last):
    """Little: the latencies so far are the packets that are there, summed over the cycles.

    The queues of a trace are known packet by packet. Every second of node 0 goes far, three flits
    each, in every cycle: far more than it can send.
    """
    lines = [f"{t},{s},{(s + 1 + t % 2) % 4},3" for t in range(60) for s in (0, 1, 1)]
    path = tmp_path / "heavy.trace"
    path.write_text("\n".join(lines))
    setup = build_setup(hopscape.build("ring(4)"), Settings(vcs=2))
    traffic = read_trace(path, 4)
    source = make_source(traffic, setup.settings, 0.0)
    state = start(setup, traffic, source, 1)
    counters = blank_counters(setup, 10)
    counters.span[:2] = first, last
    births = [int(line.split(",")[0]) for line in lines]
    mine = [t for t in births if first <= t < last]
    waits = 0
    for cycle in range(80):
        advance(setup.fabric, state, source, counters, cycle + 1, 1000)
        waits += sum(t <= cycle for t in mine) - int(counters.histogram[0].sum())
    late = unfinished(state, source, first, last)
    arrived = int(counters.histogram[0].sum())
    assert 0 < arrived < len(mine)
    assert late.number == len(mine) - arrived
    done = int(counters.histogram[0] @ range(counters.histogram.shape[1]))
    assert done + late.total == waits
    assert len(late.inside)


@pytest.mark.parametrize("injectors", [1, 4])
@pytest.mark.parametrize("bursts", [None, (0.1, 0.3)])
def test_queues_of_random_births_hold_what_the_rate_makes(bursts, injectors):
    setup = build_setup(hopscape.build("ring(4)"), Settings(injectors=injectors))
    traffic = make_traffic("uniform-others", 4)
    traffic = traffic if bursts is None else traffic.bursty(*bursts)
    source = make_source(traffic, setup.settings, 0.2)
    state = start(setup, traffic, source, 5)
    state.scalars[layout.NOW] = 100
    state.ends[:, layout.E_BIRTH] = [40, 99, 100, 2**30]
    state.ends[:, layout.E_TRIAL] = 0
    rest = 0.2 * (injectors - 1) / injectors  # of the cycle in which the first one was born
    late = unfinished(state, source, 30, 90)
    assert late.number == pytest.approx(1 + rest + 0.2 * 49)
    assert late.total == pytest.approx(60 * (1 + rest) + 0.2 * sum(range(11, 60)))
    assert unfinished(state, source, 50, 90).number == pytest.approx(0.2 * 40)
