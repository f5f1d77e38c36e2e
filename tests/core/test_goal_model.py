"""What goals and models accept, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import hopscape
from hopscape import Goal, Model, Network
from hopscape.core.errors import AddressError, ArgumentError

GOALS = [
    Goal.broadcast(1),
    Goal.broadcast(0, 3),
    Goal.one_to_many(2, [3, 0, 3]),
    Goal.scatter(1),
    Goal.gather(1),
    Goal.reduce(3, 2),
    Goal.all_gather(),
    Goal.all_reduce(4),
    Goal.all_to_all(),
    Goal.permutation([3, 2, 1, 0]),
]
# A switch in the middle (node 1) and endpoints 0, 2, 3.
SWITCHED = Network.from_links(4, [1, 1, 1], [0, 2, 3], switches=np.array([1]))


@pytest.mark.parametrize("goal", GOALS, ids=lambda goal: goal.kind)
def test_goals_come_back_from_plain_values(goal):
    assert Goal.from_dict(goal.to_dict()) == goal
    assert goal.kind in goal.describe()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("gossip",), "goal 'gossip' is unknown; choose one of broadcast"),
        (("broadcast",), "broadcast needs root"),
        (("all-gather", 3), "all-gather has no root, not 3"),
        (("broadcast", 0, 0), "0 chunks"),
        (("scatter", 0, 2), "scatter with 2 chunks is not a goal"),
        (("broadcast", "0"), "must be integers"),
        (("broadcast", 1.0), "must be integers"),
        (("broadcast", 0, 1.5), "must be integers"),
        (("permutation", None, 1, (0.5,)), "must be integers"),
        (("permutation", None, 1, ("0",)), "must be integers"),
        (("broadcast", 0, 1, (1, 2)), "broadcast has no targets"),
    ],
)
def test_goals_that_make_no_sense(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        Goal(*arguments)


def test_numpy_integers_become_plain_ones():
    goal = Goal.one_to_many(np.int64(3), np.array([2, 1]), chunks=np.int32(2))
    assert goal == Goal.one_to_many(3, [1, 2], 2)
    assert [type(x) for x in (goal.root, goal.chunks, *goal.targets)] == [int] * 4


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        ([0, 2], "a permutation of 3 endpoints has 3 entries, not 2"),
        ([0, 1, 2], "maps to node 1, which is not an endpoint"),
        ([0, 2, 9], "maps to node 9, which is not an endpoint"),
        ([0, 2, 2], "maps two nodes to node 2"),
    ],
)
def test_permutations_speak_of_node_numbers(targets, message):
    with pytest.raises(ArgumentError, match=message):
        Goal.permutation(targets).on(SWITCHED)


def test_promises_on_a_network_with_a_switch():
    moved = Goal.permutation([3, 0, 2]).on(SWITCHED)
    assert (moved.origins.tolist(), moved.destinations.tolist()) == ([0, 2, 3], [3, 0, 2])
    exchanged = Goal.all_to_all().on(SWITCHED)
    assert exchanged.origins.tolist() == [0, 0, 0, 2, 2, 2, 3, 3, 3]
    assert exchanged.destinations.tolist() == [0, 2, 3] * 3
    assert Goal.all_gather().on(SWITCHED).origins.tolist() == [0, 2, 3]
    assert Goal.broadcast(1).on(SWITCHED).wanted.tolist() == [0, 2, 3]
    assert Goal.scatter(0).chunk_count(SWITCHED) == 3


def test_nodes_that_are_not_there():
    ring = hopscape.build("ring(5)")
    for goal in (Goal.broadcast(5), Goal.reduce(-1), Goal.one_to_many(0, [7])):
        with pytest.raises(AddressError, match="out of range"):
            goal.on(ring)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ports": 0}, "ports is 0; it must be at least 1"),
        ({"ports": 1.5}, "ports is 1.5"),
        ({"ports": True}, "ports is True"),
        ({"duplex": "simplex"}, "duplex is 'simplex'; choose full or half"),
        ({"switching": "wormhole"}, "switching is 'wormhole'"),
        ({"disjoint": None}, "disjoint is None"),
        ({"packing": ["unit"]}, "packing is"),
        ({"alpha": -1}, "alpha is -1; a cost must be"),
        ({"beta": float("nan")}, "beta is nan"),
        ({"delta": float("inf")}, "delta is inf"),
        ({"delta": "1"}, "delta is '1'"),
    ],
)
def test_models_that_make_no_sense(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        Model(**arguments)


def test_models_come_back_from_plain_values():
    model = Model(2, "half", "circuit", "vertex", "packed", 1.5, 2, 3)
    assert Model.from_dict(model.to_dict()) == model
    assert model.time(2, 3, 4) == 2 * 1.5 + 3 * 2 + 4 * 3


def test_models_in_words():
    assert Model().describe() == "all-port, full duplex, store-and-forward, unit messages"
    words = Model(2, "half", "circuit", packing="packed").describe()
    assert words == "2-port, half duplex, circuit-switched, edge-disjoint, packed messages"
