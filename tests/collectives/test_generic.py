"""The collectives for any network: right under every model, and never below the bounds."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

import hopscape
from hopscape import Goal, Model, Network, verify
from hopscape.collectives import lower_bounds, shortest_path_tree
from hopscape.collectives.generic import (
    all_gather,
    all_reduce,
    all_to_all,
    broadcast,
    gather,
    make_schedule,
    one_to_many,
    permutation,
    reduce,
    scatter,
)
from hopscape.core.distances import distances_from
from hopscape.core.errors import AddressError, ArgumentError, DisconnectedError

MODELS = [
    Model(ports, duplex, packing=packing)
    for ports, duplex, packing in itertools.product(
        (None, 1, 3), ("full", "half"), ("unit", "packed")
    )
] + [
    Model(ports, duplex, "circuit", disjoint)
    for ports, duplex, disjoint in itertools.product(
        (None, 2), ("full", "half"), ("vertex", "edge", "arc")
    )
]


def leaf_and_spine(spines=2, leaves=3, hosts=2):
    """Hosts on leaf switches, and every leaf wired to every spine; hosts come last."""
    switches = spines + leaves
    links = [(s, spines + leaf) for s in range(spines) for leaf in range(leaves)]
    links += [
        (spines + leaf, switches + leaf * hosts + h) for leaf in range(leaves) for h in range(hosts)
    ]
    return Network.from_links(
        switches + leaves * hosts,
        *zip(*links),
        switches=np.arange(switches),
        spec="leaf and spine",
    )


def one_way_switches():
    """A directed ring of endpoints and switches with a chord, and a switch that leads nowhere."""
    tails = [0, 1, 2, 3, 4, 5, 1, 4]
    heads = [1, 2, 3, 4, 5, 0, 4, 6]
    return Network.from_links(
        7, tails, heads, duplex=False, switches=np.array([1, 3, 6]), spec="one way"
    )


def random_network(seed, order=9, duplex=True):
    """A random tree (or cycle, one way) with random links on top, some of them parallel."""
    random = np.random.default_rng(seed)
    if duplex:
        links = [(int(random.integers(v)), v) for v in range(1, order)]
    else:
        links = [(v, (v + 1) % order) for v in range(order)]
    links += random.integers(order, size=(order, 2)).tolist()
    return Network.from_links(order, *zip(*links), duplex=duplex, spec=f"random {seed}")


NETWORKS = {
    "ring": lambda: hopscape.build("ring(7)"),
    "mesh": lambda: hopscape.build("mesh(3, 4)"),
    "torus": lambda: hopscape.build("torus(3, 4)"),
    "complete": lambda: hopscape.build("complete(8)"),
    "hypercube": lambda: hopscape.build("hypercube(3)"),
    "debruijn": lambda: hopscape.build("debruijn(2, 3)"),
    "kautz": lambda: hopscape.build("kautz(2, 2)"),
    "petersen": lambda: hopscape.build("petersen"),
    "random": lambda: random_network(1),
    "random one way": lambda: random_network(2, duplex=False),
    "leaf and spine": leaf_and_spine,
    "one way": one_way_switches,
    "one node": lambda: Network.from_links(1, [], [], spec="one node"),
    "two nodes": lambda: Network.from_links(2, [0], [1], spec="two nodes"),
}


def goals_for(network):
    ends = network.endpoints.tolist()
    first, last = ends[0], ends[-1]
    rooted = [Goal.broadcast, Goal.reduce, Goal.scatter, Goal.gather]
    goals = [make(root) for make in rooted for root in {first, last, network.order - 1}]
    goals += [Goal.one_to_many(first, ends[::2]), Goal.one_to_many(last, ends[:1])]
    goals += [Goal.one_to_many(first, []), Goal.all_gather(), Goal.all_to_all(), Goal.all_reduce()]
    goals += [Goal.permutation(ends[::-1]), Goal.permutation(ends)]
    if network.duplex:
        goals.append(Goal.all_reduce(len(ends)))
    if network.spec == "one way":  # its last node leads nowhere
        goals = [g for g in goals if g.root != network.order - 1]
    return goals


@pytest.mark.parametrize("name", NETWORKS)
def test_every_goal_under_every_model(name):
    network = NETWORKS[name]()
    refused = set()
    for goal, plain in itertools.product(goals_for(network), MODELS):
        stops = plain.switching == "circuit" and network.has_switches
        model = replace(plain, in_network=stops)  # every hop ends at a node
        try:
            schedule = make_schedule(network, goal, model)
        except ArgumentError:  # hop by hop, packets meet at nodes
            refused.add((goal.kind, model.switching, model.disjoint))
            continue
        assert schedule.goal == goal
        verdict = verify(schedule)
        assert verdict, (goal, model, verdict.reason)
        assert verdict.details["duplicates"] == 0, (goal, model)
        assert schedule.model.ports == model.ports
        assert schedule.model.duplex == model.duplex
        for bound in lower_bounds(network, goal, model):
            assert schedule.rounds >= bound.rounds, (goal, model, bound)
    assert {(switching, disjoint) for _, switching, disjoint in refused} <= {("circuit", "vertex")}
    assert not {kind for kind, *_ in refused} & {"broadcast", "reduce"}


@pytest.mark.parametrize("name", NETWORKS)
def test_broadcast_with_all_ports_is_best(name):
    network = NETWORKS[name]()
    for root in network.endpoints.tolist():
        verdict = verify(broadcast(network, root))
        assert verdict.details["duplicates"] == 0
        away = distances_from(network, root)[network.endpoints]
        assert verdict.details["rounds"] == away.max() == verdict.details["max_path"]
        if not network.has_switches:
            assert verdict.details["messages"] == network.order - 1


@pytest.mark.parametrize(
    ("spec", "ports", "rounds"),
    [
        ("complete(16)", 1, 4),
        ("complete(17)", 1, 5),
        ("complete(16)", 3, 2),
        ("hypercube(3)", 1, 3),
        ("hypercube(5)", 1, 5),
        ("ring(9)", 1, 5),
        ("path(8)", 1, 7),
        ("petersen", 1, 4),
        ("petersen", None, 2),
    ],
)
def test_known_rounds_of_a_broadcast(spec, ports, rounds):
    network = hopscape.build(spec)
    assert broadcast(network, 0, Model(ports)).rounds == rounds
    assert reduce(network, 0, Model(ports)).rounds == rounds


@pytest.mark.parametrize(
    ("schedule", "rounds"),
    [
        (lambda: all_to_all(hopscape.build("complete(9)")), 1),
        (lambda: all_gather(hopscape.build("complete(9)")), 1),
        (lambda: all_gather(hopscape.build("ring(9)")), 4),
        (lambda: all_gather(hopscape.build("ring(9)"), Model(ports=1, duplex="full")), 8),
        (lambda: scatter(hopscape.build("path(6)"), 0), 5),
        (lambda: gather(hopscape.build("path(6)"), 0), 5),
        (lambda: all_reduce(hopscape.build("hypercube(4)")), 8),
        (lambda: permutation(hopscape.build("ring(8)"), np.roll(np.arange(8), 1)), 1),
    ],
)
def test_known_rounds_of_the_others(schedule, rounds):
    made = schedule()
    assert verify(made)
    assert made.rounds == rounds


def test_all_gather_over_switches_uses_them_at_once():
    network = leaf_and_spine(2, 4, 4)
    made = all_gather(network)
    assert verify(made)
    best = lower_bounds(network, Goal.all_gather())[0].rounds
    assert made.rounds <= 2 * best


def test_a_directed_all_reduce():
    network = hopscape.build("debruijn(2, 4)")
    assert verify(all_reduce(network, Model(ports=1)))
    with pytest.raises(ArgumentError, match="simplex channels; a sliced all-reduce needs duplex"):
        all_reduce(network, sliced=True)


def test_circuits_that_share_no_nodes_reduce_one_by_one():
    model = Model(switching="circuit", disjoint="vertex")
    made = reduce(hopscape.build("complete(8)"), 0, model)
    assert made.model == model
    assert verify(made)
    assert made.rounds == 3


def test_permutations_are_node_numbers():
    network = leaf_and_spine()
    ends = network.endpoints.tolist()
    made = permutation(network, ends[1:] + ends[:1])
    assert verify(made)
    with pytest.raises(ArgumentError, match="maps to node 0, which is not an endpoint"):
        permutation(network, range(len(ends)))


def test_the_root_may_be_a_switch():
    network = leaf_and_spine()
    for make in (broadcast, reduce, scatter, gather):
        assert verify(make(network, 0)), make


def test_one_to_many_takes_only_the_branches_it_needs():
    made = one_to_many(hopscape.build("path(9)"), 4, [5, 6])
    assert (made.rounds, made.transfers) == (2, 2)


def test_trees_reach_only_what_is_wanted():
    tree = shortest_path_tree(one_way_switches(), 0)
    assert 6 not in tree.nodes.tolist()


TWO_PARTS = Network.from_links(5, [0, 1, 3], [1, 2, 4], spec="two parts")
ONE_WAY_OUT = Network.from_links(3, [0, 1], [1, 2], duplex=False, spec="one way out")


@pytest.mark.parametrize("network", [TWO_PARTS, ONE_WAY_OUT], ids=["two parts", "one way out"])
@pytest.mark.parametrize("model", [Model(), Model(ports=1), Model(switching="circuit")])
def test_no_way_is_an_error(network, model):
    last = network.order - 1
    ends = network.endpoints.tolist()
    goals = [Goal.broadcast(last), Goal.reduce(0), Goal.scatter(last), Goal.gather(0)]
    goals += [Goal.all_gather(), Goal.all_to_all(), Goal.all_reduce(), Goal.permutation(ends[::-1])]
    goals += [Goal.one_to_many(last, [0])]
    for goal in goals:
        with pytest.raises(DisconnectedError, match=r"no route|cannot be reached"):
            make_schedule(network, goal, model)


def test_what_is_not_wanted_may_be_out_of_reach():
    assert verify(one_to_many(TWO_PARTS, 0, [2]))
    assert verify(permutation(TWO_PARTS, [1, 2, 0, 4, 3]))
    assert verify(broadcast(ONE_WAY_OUT, 0))
    assert verify(gather(ONE_WAY_OUT, 2))


def test_nodes_that_are_not_there():
    ring = hopscape.build("ring(5)")
    for bad in (5, -1):
        for make in (broadcast, reduce, scatter, gather):
            with pytest.raises(AddressError, match="out of range"):
                make(ring, bad)
        with pytest.raises(AddressError, match="out of range"):
            one_to_many(ring, 0, [bad])
        with pytest.raises(AddressError, match="out of range"):
            one_to_many(ring, bad, [0])


def test_there_is_no_generic_schedule_in_slices():
    ring = hopscape.build("ring(5)")
    with pytest.raises(ArgumentError, match="no generic schedule for broadcast from node 0 in 2"):
        make_schedule(ring, Goal.broadcast(0, 2))
    with pytest.raises(ArgumentError, match="no generic schedule for all-reduce in 3 chunks"):
        make_schedule(ring, Goal.all_reduce(3))
