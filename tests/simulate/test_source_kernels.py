"""Births of packets, drawn one by one with whole numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_packet_kernels import slow_splitmix

import hopscape
from hopscape.simulate import Settings, build_setup, layout, make_traffic
from hopscape.simulate.measurement import make_source, start
from hopscape.simulate.source_kernels import put_ready, silence, wake
from hopscape.simulate.traffic import read_trace

pytestmark = pytest.mark.interpreted
NEVER = 2**30


def slow_births(state, source, until):
    """All births of one endpoint before `until`, from the state of its random numbers."""

    def unit():
        nonlocal state
        state, bits = slow_splitmix(state)
        return ((bits >> 11) + 1) / 2**53

    rate, on_rate, off_rate = source.rates.tolist()
    trials = int(source.kind[2])
    out, trial, on = [], -1, False  # trials from the start on, some in every cycle
    if rate <= 0:
        return out
    while True:
        if source.kind[1] == layout.BERNOULLI:
            trial += 1 + (int(math.log(unit()) / math.log1p(-rate)) if rate < 1 else 0)
        else:
            while True:
                trial += 1
                if trial % trials == 0:
                    on = unit() > off_rate if on else unit() <= on_rate
                if (on and unit() <= rate) or trial >= until * trials:
                    break
        if trial >= until * trials:
            return out
        out.append(trial // trials)


@settings(max_examples=25)
@given(
    st.sampled_from([0.0, 0.03, 0.4, 1.0]),
    st.booleans(),
    st.integers(0, 99),
    st.integers(0, 300),
    st.integers(1, 3),
)
def test_births_are_those_of_the_twin(each, bursts, seed, until, injectors):
    load = each * injectors
    setup = build_setup(hopscape.build("ring(3)"), Settings(packet=(1,), injectors=injectors))
    traffic = make_traffic("uniform-others", 3)
    if bursts and each < 0.2:
        traffic = traffic.bursty(0.1, 0.3)
    source = make_source(traffic, setup.settings, load)
    state = start(setup, traffic, source, seed)
    fresh = np.array(start(setup, traffic, make_source(traffic, setup.settings, 0.0), seed).random)
    slow = [slow_births(int(fresh[e]), source, 400) for e in range(3)]
    assert state.ends[:, layout.E_BIRTH].tolist() == [
        row[0] if row else state.ends[e, layout.E_BIRTH] for e, row in enumerate(slow)
    ]
    state.scalars[layout.NOW] = until
    state.scalars[layout.BEGIN], state.scalars[layout.END] = 50, 200
    waiting = 0
    for e in range(3):
        silence(state, source, e)
        waiting += sum(birth < until for birth in slow[e])
        assert state.scalars[layout.CREATED] == state.scalars[layout.LOST] == waiting
        assert state.ends[e, layout.E_BIRTH] == NEVER
    measured = sum(50 <= birth < min(until, 200) for row in slow for birth in row)
    assert state.scalars[layout.MEASURED] == state.scalars[layout.LOST_MEASURED] == measured


def test_births_of_a_trace(tmp_path):
    path = tmp_path / "some.trace"
    path.write_text("3,0,1,1\n3,1,2,4\n7,0,2,1\n9,2,0,1\n")
    setup = build_setup(hopscape.build("ring(3)"), Settings(packet=(4,)))
    traffic = read_trace(path, 3)
    source = make_source(traffic, setup.settings, 1.0)
    state = start(setup, traffic, source, 1)
    assert state.ends[:, layout.E_BIRTH].tolist() == [3, 3, 9]
    state.scalars[layout.NOW] = 8
    for e, lost in enumerate((2, 3, 3)):
        silence(state, source, e)
        assert state.scalars[layout.LOST] == lost
    assert state.ends[:, layout.E_BIRTH].tolist() == [NEVER] * 3


@given(st.permutations(range(6)), st.lists(st.integers(0, 2), min_size=6, max_size=6))
def test_transfers_wait_in_line_and_for_each_other(turns, waits):
    """Six transfers of two sources; the first wakes all others, once each."""
    ends = np.full((2, layout.END_FIELDS), -1, dtype=np.int64)
    moves = np.zeros((6, layout.T_FIELDS), dtype=np.int32)
    moves[:, layout.T_SOURCE] = [0, 0, 1, 1, 0, 1]
    for transfer in turns:
        put_ready(ends, moves, transfer)
    for e in range(2):
        line, at = [], int(ends[e, layout.E_READY])
        while at >= 0:
            line.append(at)
            at = int(moves[at, layout.T_NEXT])
        assert line == [t for t in turns if moves[t, layout.T_SOURCE] == e]
    ends[:, layout.E_READY] = -1
    moves[:, layout.T_WAITS] = waits
    moves[2, layout.T_WAKE], moves[2, layout.T_WAKE_END] = 1, 7
    wake(ends, moves, np.array([-1, *turns, -1], dtype=np.int32), 2)
    ready = [t for t in turns if waits[t] == 1]
    assert moves[:, layout.T_WAITS].tolist() == [w - 1 for w in waits]
    for e in range(2):
        mine = [t for t in ready if moves[t, layout.T_SOURCE] == e]
        assert ends[e, layout.E_READY] == (mine[0] if mine else -1)
