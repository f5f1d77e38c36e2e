"""The mean age of packets, counted one by one."""

from __future__ import annotations

import pytest

import hopscape
from hopscape.simulate import Settings, build_setup, layout, make_traffic
from hopscape.simulate.engine_kernels import advance
from hopscape.simulate.faults import census
from hopscape.simulate.measurement import _age, blank_counters, make_source, start

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
    state.ends[1, layout.E_SENDING] = 0
    state.ends[3, layout.E_SENDING] = 7
    assert census(setup.settings.buffer, state) == {0, 7}
