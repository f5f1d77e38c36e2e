"""The annealing loop: temperatures and acceptance against their definitions, compiled and not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopscape.core import annealing
from hopscape.core.annealing_kernels import allowance, geometric, linear
from hopscape.core.grid_kernels import draw, seeded, uniform
from hopscape.core.kernel import kernel


@kernel
def heats(hot, cold, steps, falls_linearly):
    """All temperatures, as a kernel sees them."""
    seen = []
    if falls_linearly:
        for heat in linear(hot, cold, steps):
            seen.append(heat)
    else:
        for heat in geometric(hot, cold, steps):
            seen.append(heat)
    return seen


@kernel
def visits(costs, heat, steps, seed):
    """How often each state is seen by a walk at one temperature."""
    state, counts, at = seeded(seed), np.zeros(len(costs)), 0
    for now in geometric(heat, heat, steps):
        to = draw(state, len(costs))
        worse = costs[to] - costs[at]
        if worse <= 0 or worse <= allowance(now, uniform(state)):
            at = to
        counts[at] += 1
    return counts / steps


def slow_heats(hot, cold, steps, falls_linearly):
    parts = [step / steps for step in range(steps)]
    if falls_linearly:
        return [hot + (cold - hot) * part for part in parts]
    return [hot ** (1 - part) * cold**part for part in parts]


@pytest.mark.interpreted
@given(st.floats(0.1, 50), st.floats(0.01, 0.1), st.integers(0, 30), st.booleans())
def test_temperatures_are_those_of_the_twin(hot, cold, steps, falls_linearly):
    want = slow_heats(hot, cold, steps, falls_linearly)
    assert list(heats(hot, cold, steps, falls_linearly)) == pytest.approx(want)
    plain = annealing.linear if falls_linearly else annealing.geometric
    assert list(plain(hot, cold, steps)) == pytest.approx(want)


@pytest.mark.parametrize("heat", [0.5, 2.0])
def test_a_walk_at_one_temperature_comes_to_boltzmann(heat):
    """The rule of Metropolis: states are seen as often as exp(-cost / heat) says."""
    costs = np.asarray([0, 1, 2, 4])
    want = np.exp(-costs / heat) / np.exp(-costs / heat).sum()
    assert visits(costs, heat, 400_000, 7) == pytest.approx(want, abs=0.01)


def test_luck_of_nought_and_no_heat():
    assert math.isfinite(annealing.allowance(1.0, 0.0))
    assert annealing.allowance(0.0, 0.0) == 0


@given(st.integers(0, 60), st.integers(1, 20), st.floats(1, 9), st.floats(0.1, 1))
def test_pieces_are_the_whole(steps, most, hot, cold):
    cut = list(annealing.pieces(steps, most, hot, cold))
    assert sum(count for count, _, _ in cut) == steps
    assert all(0 < count <= most for count, _, _ in cut)
    ends = [hot, *(low for _, _, low in cut)]
    assert [high for _, high, _ in cut] == pytest.approx(ends[:-1])
    assert not cut or ends[-1] == pytest.approx(cold)
