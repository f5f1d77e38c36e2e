"""Circuits by constraint programming, where ortools is installed; the stored calls in any case."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from conftest import connected_graphs, simple_graph
from hopscape import Goal, Model, verify
from hopscape.collectives.circuits.exact import exact_circuits, quarter_turn, short_chains, solve
from hopscape.collectives.circuits.paths import chain_lengths, circuits_towards
from hopscape.collectives.circuits.search import search_circuits
from hopscape.collectives.contest import compete
from hopscape.core.errors import ArgumentError, DisconnectedError, TooLargeError
from hopscape.core.network import Network

VERTEX = Model(switching="circuit", disjoint="vertex")
SHORT = [
    ("torus(3, 3, 3)", 2, 3),
    ("torus(7, 7)", 3, 6),
    ("torus(9, 9)", 3, 8),
    ("torus(5, 5, 5)", 3, 6),
]


@pytest.mark.parametrize(("spec", "rounds", "chain"), SHORT)
def test_chains_of_small_tori_are_as_short_as_the_diameter(spec, rounds, chain):
    network = hopscape.build(spec)
    made = compete(network, Goal.broadcast(1), {"switching": "circuit"}).best.schedule
    assert verify(made, model=VERTEX)
    assert made.rounds == rounds
    assert verify(made).details["max_path"] == chain == network.diameter


@pytest.mark.parametrize(("spec", "rounds", "chain"), SHORT[:2])
def test_the_calls_are_found_again(spec, rounds, chain):
    pytest.importorskip("ortools")
    network = hopscape.build(spec)
    made = short_chains(network, rounds, chain)
    assert verify(made, model=VERTEX)
    assert chain_lengths(made).max() == chain
    turn = quarter_turn(network.family.sides)
    calls = {(int(a), int(b)) for a, b in zip(made.source, made.target)}
    assert {(int(turn[a]), int(turn[b])) for a, b in calls} == calls
    assert short_chains(network, rounds, chain - 1) is None


def all_first_rounds(network, root):
    """Is there a vertex-disjoint broadcast in two rounds? By trying every set of the first."""
    others = [v for v in range(network.order) if v != root]
    for count in range(int(network.degrees[root]) + 1):
        for chosen in combinations(others, count):
            if circuits_towards(
                network, root, [np.array(chosen, dtype=int)], "vertex", strict=True
            ):
                return True
    return False


@settings(deadline=None, max_examples=12)
@given(st.integers(0, 10**6), st.integers(5, 8), st.integers(0, 4))
def test_two_rounds_by_brute_force(seed, order, more):
    pytest.importorskip("ortools")
    network = simple_graph(seed, order, more)
    made = solve(network, Goal.broadcast(0), 2, VERTEX)
    assert (made is not None) == all_first_rounds(network, 0)
    if made is not None:
        assert verify(made, model=VERTEX)


@settings(deadline=None, max_examples=12)
@given(
    connected_graphs(2, 10, 8), st.sampled_from([None, 1, 2]), st.sampled_from(["vertex", "edge"])
)
def test_exact_is_never_beaten(network, ports, disjoint):
    pytest.importorskip("ortools")
    model = replace(VERTEX, ports=ports, disjoint=disjoint)
    goal = Goal.broadcast(0, sources=[network.order - 1])
    made = exact_circuits(network, goal, model)
    verdict = verify(made, model=model)
    assert verdict, verdict.reason
    assert made.rounds <= search_circuits(network, goal, model).rounds


def test_a_proof_raises_the_bound():
    pytest.importorskip("ortools")
    network = hopscape.build("generalized_petersen(7, 2)")
    found = compete(network, Goal.broadcast(0), {"switching": "circuit", "disjoint": "vertex"})
    assert found.best.rounds == found.bounds[0].rounds == 3
    assert "proved impossible" in found.bounds[0].why
    assert found.bounds[1].rounds == 2


def test_wrong_questions():
    net = hopscape.build("torus(4, 4)")
    with pytest.raises(ArgumentError, match="one chunk"):
        solve(net, Goal.broadcast(0, 2), 2)
    with pytest.raises(ArgumentError, match="share no node"):
        solve(net, Goal.broadcast(0), 2, longest=4)
    with pytest.raises(ArgumentError, match="dimension-ordered"):
        solve(net, Goal.broadcast(0), 2, replace(VERTEX, circuits="dimension-ordered"))
    with pytest.raises(TooLargeError, match="channels times rounds"):
        exact_circuits(hopscape.build("torus(50, 50)"), Goal.broadcast(0))
    with pytest.raises(ArgumentError, match="two equal"):
        quarter_turn((3, 4))
    with pytest.raises(DisconnectedError, match="node 2"):
        exact_circuits(Network.from_links(4, [0, 2], [1, 3]), Goal.broadcast(0))
