"""Which virtual channels the routers give to a packet, cycle by cycle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape.simulate import Settings, build_setup, layout, make_traffic
from hopscape.simulate.engine_kernels import advance
from hopscape.simulate.measurement import blank_counters, make_source, start

pytestmark = pytest.mark.interpreted


def cycles_of(setup, load, cycles):
    """The state of a run after every cycle."""
    traffic = make_traffic("uniform-others", setup.endpoints)
    source = make_source(traffic, setup.settings, load)
    state, counters = start(setup, traffic, source, 1), blank_counters(setup, 1)
    for cycle in range(cycles):
        assert advance(setup.fabric, state, source, counters, cycle + 1, 1000) == 0
        yield state


def test_classes_rise_where_a_packet_turns_up_again_and_nowhere_else():
    setup = build_setup(hopscape.build("ring(7)"), Settings(vcs=5, packet=(2,)), method="rising")
    down, shift = setup.classes.rings, int(setup.fabric.numbers[layout.N_SHIFT])
    masks = setup.fabric.masks[: setup.classes.count].tolist()
    class_of = [next(k for k, mask in enumerate(masks) if mask >> v & 1) for v in range(5)]
    seen = set()
    for state in cycles_of(setup, 0.5, 80):
        inside = state.vcs[: len(down) << shift]
        for row in np.flatnonzero(inside[:, layout.STATE] == layout.ACTIVE).tolist():
            (a, v), (b, w) = (divmod(int(x), 1 << shift) for x in (row, inside[row, layout.OUT]))
            if b < len(down):
                rise = class_of[w] - class_of[v]
                assert rise == (1 if down[a] and not down[b] else 0)
                seen.add(rise)
    assert seen == {0, 1}


@settings(max_examples=40)
@given(st.integers(0, 8), st.lists(st.integers(0, 4), min_size=3, max_size=3))
def test_a_packet_enters_where_the_limit_leaves_enough_buffers_free(eighths, free):
    """A limit in eighths, and the free places of the three buffers of the only channel."""
    limited = Settings(vcs=3, buffer=4, packet=(1,), injection_limit=eighths / 8)
    setup = build_setup(hopscape.build("path(2)"), limited)
    entered = False
    for state in cycles_of(setup, 1.0, 12):
        entered |= bool(state.units[0, layout.U_FREE] != 0b111)
        if state.scalars[layout.NOW] == 1:
            state.vcs[:3, layout.CREDIT] = free
            state.units[0, layout.U_CREDIT] = sum(free)
    assert entered == (8 * sum(free) >= eighths * 12)
