"""Shifts: Latin squares, and the ones that keep channels least busy."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopscape
from hopscape import Goal
from hopscape.collectives.flow_schedules import (
    ShiftSequence,
    _by_shifts,
    best_shifts,
    flow_schedule,
)
from hopscape.core.model import Model

THROUGH = Model(switching="cut-through")


@given(groups=st.integers(2, 9), size=st.integers(1, 6), skew=st.integers(0, 8))
def test_everybody_sends_to_everybody_once(groups, size, skew):
    """A round is a permutation; over all rounds nobody is missed and nobody served twice."""
    ends = groups * size
    shifts = ShiftSequence(ends, size, skew) if skew else ShiftSequence(ends)
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


def busiest(network, targets):
    """Routes of the network's own router over its busiest channel, one by one."""
    router, ends, load = network.router(), network.endpoints.tolist(), Counter()
    for i, j in enumerate(targets.tolist()):
        load.update(pairwise(router.path(ends[i], ends[j])))
    return max(load.values())


def test_skewed_shifts_share_out_the_links_between_groups():
    """dragonfly(8, 4, p=2): every link between two groups is the only one."""
    network = hopscape.build("dragonfly(8, 4, p=2)")
    skewed, plain = (
        sum(busiest(network, targets) for targets in shifts.rounds(100))
        for shifts in (best_shifts(network), ShiftSequence(network.endpoint_count))
    )
    assert skewed < 0.3 * plain


@pytest.mark.slow
def test_skewed_shifts_last_less_long_after_rerouting_too():
    network = hopscape.build("dragonfly(6, 3, p=2)")
    made, busy = _by_shifts(network, Goal.all_to_all(), THROUGH, best_shifts(network))
    plain, longer = _by_shifts(
        network, Goal.all_to_all(), THROUGH, ShiftSequence(network.endpoint_count)
    )
    assert hopscape.verify(made).holds
    assert hopscape.verify(plain).holds
    assert busy < 0.6 * longer


def test_a_small_network_wastes_no_round():
    """Four switches, linked in pairs, with three endpoints each: shifts need no skew."""
    switches = range(12, 16)
    links = [(end, 12 + end // 3) for end in range(12)]
    links += [(a, b) for a in switches for b in switches if a < b]
    network = hopscape.Network.from_links(
        16, *zip(*links, strict=True), switches=list(switches), spec="four switches"
    )
    made = flow_schedule(network, Goal.all_to_all(), THROUGH)
    assert hopscape.verify(made).holds
    assert made.rounds == 11
