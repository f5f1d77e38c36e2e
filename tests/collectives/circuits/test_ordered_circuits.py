"""Circuits in dimension order: the search keeps to it, and verify holds others against it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape import Goal, Model, verify
from hopscape.collectives import run_algorithm
from hopscape.collectives.bounds import lower_bounds
from hopscape.collectives.circuits.search import ordered_circuits, search_circuits
from hopscape.collectives.contest import compete
from hopscape.core.dimension_order import grid_of
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.schedule import Schedule

ORDERED = Model(switching="circuit", circuits="dimension-ordered")


def route_by_hand(sides, wrap, a, b):
    """Hops of the route, and per axis how many."""
    steps = []
    for side, x, y in zip(sides, a, b):
        up, down = (y - x) % side, (x - y) % side
        steps.append(min(up, down) if wrap else abs(x - y))
    return steps


@settings(deadline=None, max_examples=20)
@given(
    st.sampled_from(["torus", "mesh"]),
    st.lists(st.integers(2, 5), min_size=1, max_size=3),
    st.sampled_from(["arc", "edge", "vertex"]),
    st.sampled_from([None, 1, 2]),
    st.integers(1, 3),
    st.integers(0, 10**6),
)
def test_every_circuit_is_in_order(kind, sides, disjoint, ports, sources, seed):
    network = hopscape.build(f"{kind}({', '.join(map(str, sides))})")
    places = np.random.default_rng(seed).permutation(network.order)[:sources].tolist()
    goal = Goal.broadcast(places[0], sources=places[1:])
    model = replace(ORDERED, disjoint=disjoint, ports=ports)
    made = ordered_circuits(network, goal, model)
    verdict = verify(made, model=model)
    assert verdict, verdict.reason
    assert made.rounds >= max((b.rounds for b in lower_bounds(network, goal, model)), default=0)
    at = [tuple(map(int, row)) for row in network.addresses.tuples(np.arange(network.order))]
    for t in range(made.transfers):
        path = made.channels[made.path_start[t] : made.path_start[t + 1]].tolist()
        axes = []
        for c in path:
            u, v = at[int(network.tails[c])], at[int(network.heads[c])]
            axes.append(next(a for a in range(len(sides)) if u[a] != v[a]))
        steps = route_by_hand(sides, kind == "torus", at[made.source[t]], at[made.target[t]])
        assert axes == [a for a, count in enumerate(steps) for _ in range(count)]


@pytest.mark.parametrize(
    ("spec", "rounds"), [("torus(8, 8)", 3), ("mesh(8, 8)", 4), ("torus(5, 5, 5)", 3)]
)
def test_the_bound_is_met_in_order(spec, rounds):
    network = hopscape.build(spec)
    found = compete(
        network, Goal.broadcast(0), {"switching": "circuit", "circuits": "dimension-ordered"}
    )
    assert found.best.rounds == rounds == found.bounds[0].rounds
    assert found.best.schedule.model.circuits == "dimension-ordered"


@pytest.mark.parametrize("circuits", ["dimension-ordered", "last-axis-first"])
@pytest.mark.parametrize("spec", ["torus(8, 8)", "mesh(4, 3, 2)", "torus(5, 3)"])
def test_a_reduce_keeps_to_the_order_too(spec, circuits):
    """Found as a broadcast along the axes in the other order, and run backwards."""
    network = hopscape.build(spec)
    asked = {"switching": "circuit", "circuits": circuits}
    found, forth = (compete(network, goal, asked) for goal in (Goal.reduce(0), Goal.broadcast(0)))
    best = found.best.schedule
    assert best.model.circuits == circuits
    assert found.best.rounds == forth.best.rounds
    grid = grid_of(network)
    for t in range(best.transfers):
        low, high = best.path_start[t : t + 2]
        axes = grid.axis[best.channels[low:high]].tolist()
        assert axes == sorted(axes, reverse=circuits == "last-axis-first")


@pytest.mark.parametrize(
    ("word", "right"),
    [
        ((0, 2), True),  # down, then right
        ((2, 0), False),
        ((0, 0, 2, 2), True),
        ((0, 2, 2, 0), False),
        ((1, 1, 1), False),  # the long way round
    ],
)
def test_verify_knows_the_order(word, right):
    network = hopscape.build("torus(5, 5)")
    at, channels = 0, []
    for port in word:
        channels.append(int(network.indptr[at]) + port)
        at = int(network.heads[channels[-1]])
    plan = Schedule.from_columns(
        network,
        ORDERED,
        Goal.one_to_many(0, [at]),
        round=np.array([0]),
        channels=np.array(channels),
        path_start=np.array([0, len(channels)]),
    )
    verdict = verify(plan)
    assert bool(verdict) == right
    assert right or verdict.where["rule"] == "order"
    assert verify(plan, model=replace(ORDERED, circuits="any"))
    backwards = replace(ORDERED, circuits="last-axis-first")
    assert bool(verify(plan, model=backwards)) == (word == (2, 0))


def test_a_file_keeps_the_rule(tmp_path):
    made = search_circuits(hopscape.build("torus(3, 4)"), Goal.broadcast(5), ORDERED)
    made.save(tmp_path / "plan.json")
    assert Schedule.load(tmp_path / "plan.json", hopscape.build).model == made.model


@pytest.mark.parametrize(
    "spec", ["petersen", "circulant(9, 1, 2)", "ccc(3)", "fat_tree(4)", "kautz(2, 3)"]
)
def test_networks_without_axes_are_refused(spec):
    network = hopscape.build(spec)
    with pytest.raises(ArgumentError, match="dimension-ordered circuits are for tori"):
        grid_of(network)
    with pytest.raises(ArgumentError, match="dimension-ordered circuits are for tori"):
        compete(
            network,
            Goal.broadcast(int(network.endpoints[0])),
            {"switching": "circuit", "circuits": "dimension-ordered"},
        )


def test_degenerate_orders():
    assert search_circuits(hopscape.build("path(5)"), Goal.broadcast(0), ORDERED).rounds == 2
    assert search_circuits(hopscape.build("path(1)"), Goal.broadcast(0), ORDERED).rounds == 0
    assert search_circuits(hopscape.build("ring(3)"), Goal.broadcast(2), ORDERED).rounds == 1
    with pytest.raises(ArgumentError, match="no circuits"):
        Model(circuits="dimension-ordered")
    with pytest.raises(TooLargeError, match="nodes"):
        search_circuits(hopscape.build("torus(200, 200)"), Goal.broadcast(0), ORDERED)


@pytest.mark.parametrize("ports", [None, 3])
@pytest.mark.parametrize("disjoint", ["arc", "edge"])
def test_reductions_keep_what_their_circuits_share(ports, disjoint):
    """Circuits that may use a link both ways are not said to share no link."""
    model = {"switching": "circuit", "circuits": "dimension-ordered", "ports": ports}
    made = run_algorithm(
        hopscape.build("torus(5, 5)"), Goal.reduce(4), "circuit", {**model, "disjoint": disjoint}
    )
    assert made.model.disjoint == disjoint
    assert made.rounds == 3
