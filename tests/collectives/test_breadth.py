"""Breadth-first broadcasts: balance by brute force, steps by the diameter, schedules by verify."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from conftest import connected_graphs
from hopscape import Goal, Model, verify
from hopscape.collectives import run_algorithm
from hopscape.collectives.breadth_first import breadth_first, breadth_first_schedule
from hopscape.collectives.breadth_kernels import balance
from hopscape.core.errors import ArgumentError, DisconnectedError


def slow_balance(allowed, room):
    """The least rounds over all choices."""
    options = [np.nonzero(row)[0].tolist() for row in allowed]
    loads = (np.bincount(pick, minlength=len(room)) for pick in product(*options))
    return min(int((-(-load // room)).max()) for load in loads) if len(options) else 0


@settings(deadline=None, max_examples=120, derandomize=True)
@given(st.data())
def test_balance(data):
    lanes, units = data.draw(st.integers(1, 4)), data.draw(st.integers(0, 6))
    rows = st.lists(st.booleans(), min_size=lanes, max_size=lanes).filter(any)
    allowed = np.array([data.draw(rows) for _ in range(units)], dtype=bool).reshape(-1, lanes)
    room = np.array(data.draw(st.lists(st.integers(1, 2), min_size=lanes, max_size=lanes)))
    rounds, chosen = balance(allowed, room)
    assert rounds == slow_balance(allowed, room)
    assert all(allowed[i, lane] for i, lane in enumerate(chosen.tolist()))
    assert (np.bincount(chosen, minlength=lanes) <= rounds * room).all()


@settings(deadline=None, max_examples=40, derandomize=True)
@given(connected_graphs(1, 9, 9), st.integers(1, 2))
def test_any_network(net, pieces):
    trees = breadth_first(net, pieces)
    for goal in (Goal.all_gather(pieces), Goal.reduce_scatter(pieces)):
        assert verify(breadth_first_schedule(net, goal)).holds
    packed = breadth_first_schedule(net, Goal.all_gather(pieces), Model(packing="packed"))
    verdict = verify(packed)
    assert verdict.holds
    assert packed.rounds == len(trees.rounds)
    assert verdict.details["max_path"] == len(trees.rounds)
    both = breadth_first_schedule(net, Goal.all_reduce(net.order * pieces), Model(packing="packed"))
    assert verify(both).holds
    assert both.rounds == 2 * len(trees.rounds)


@pytest.mark.parametrize(
    ("spec", "pieces", "rounds"),
    [
        pytest.param("torus(8, 8)", 4, 63, marks=pytest.mark.compiled),
        ("torus(4, 4)", 4, 15),
        ("petersen", 1, 3),
        pytest.param("fat_tree(4)", 4, 61, marks=pytest.mark.compiled),
    ],
)
def test_latency_and_bandwidth_at_once(spec, pieces, rounds):
    net = hopscape.build(spec)
    made = run_algorithm(net, Goal.all_gather(pieces), "breadth-first")
    assert verify(made).holds
    assert made.rounds == rounds


def test_refused():
    parts = hopscape.Network.from_links(3, [0], [1], spec="parts")
    with pytest.raises(DisconnectedError, match="parts has nodes that cannot be reached"):
        breadth_first(parts)
    net = hopscape.build("ring(4)")
    with pytest.raises(ArgumentError, match="not 1-port"):
        breadth_first_schedule(net, Goal.all_gather(), Model(ports=1))
    with pytest.raises(ArgumentError, match="needs data in 4 chunks"):
        breadth_first_schedule(net, Goal.all_reduce(2))
