"""Shifts: Latin squares, and the ones that keep channels least busy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopscape
from hopscape import Goal
from hopscape.collectives.flows.schedules import flow_schedule
from hopscape.collectives.flows.shifts import Shifts, best_shifts
from hopscape.core.model import Model

THROUGH = Model(switching="cut-through")


@given(groups=st.integers(2, 9), size=st.integers(1, 6), skew=st.integers(0, 8))
def test_everybody_sends_to_everybody_once(groups, size, skew):
    """A round is a permutation; over all rounds nobody is missed and nobody served twice."""
    ends = groups * size
    shifts = Shifts(ends, size, skew) if skew else Shifts(ends)
    seen = np.zeros((ends, ends), dtype=int)
    for targets in shifts.rounds():
        assert sorted(targets.tolist()) == list(range(ends))
        seen[np.arange(ends), targets] += 1
    assert (seen + (0 if skew else np.eye(ends, dtype=int)) == 1).all()


@pytest.mark.parametrize(
    ("spec", "size"), [("fat_tree(4)", 1), ("dragonfly(4, 2, p=2)", 8), ("torus(5, 5)", None)]
)
def test_members_of_a_dragonfly_group_send_to_different_groups(spec, size):
    network = hopscape.build(spec)
    found = best_shifts(network)
    assert size is None or found.size == size
    assert found.ends == network.endpoint_count
    assert (found.skew > 0) == (found.size > 1)


def test_an_all_to_all_at_the_bound_where_shifts_need_four_times_as_long():
    """dragonfly(6, 3, p=1): every link between two groups is the only one."""
    network = hopscape.build("dragonfly(6, 3, p=1)")
    made = flow_schedule(network, Goal.all_to_all(), THROUGH)
    verdict = hopscape.verify(made)
    assert verdict.holds
    assert made.rounds <= network.endpoint_count
