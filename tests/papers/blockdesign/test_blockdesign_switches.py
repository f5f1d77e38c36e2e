"""Distributed switches: wiring, routing, traffic, collectives."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from switches import SWITCHES

import hopscape
from hopscape.collectives.bounds import lower_bounds
from hopscape.collectives.choose import run_algorithm
from hopscape.collectives.colouring import colour_edges
from hopscape.core.detours import DetourRouter
from hopscape.core.errors import ArgumentError, DisconnectedError, SpecError, TooLargeError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.router_check import check_router
from hopscape.metrics import distance_profile
from hopscape.papers.blockdesign.families import wiring_table
from hopscape.papers.blockdesign.routing import all_routes, route_around, stranded_pairs
from refusals import refusals

DIGRAPHS = [f"quasicomplete_digraph({m})" for m in (2, 3, 7)]
MULTIRINGS = [
    "switched_multiring(2, r=4)",
    "switched_multiring(3)",
    "switched_multiring(4, r=3)",
    "switched_multiring(5, r=3, duplex=true)",
    "switched_multiring(3, r=4, duplex=true)",
]


@pytest.mark.parametrize("spec", SWITCHES + DIGRAPHS + MULTIRINGS)
def test_routers_and_facts(spec):
    network = hopscape.build(spec)
    assert hopscape.build(network.spec).spec == network.spec
    verdict = check_router(network.router("closed"))
    assert verdict, verdict
    profile = distance_profile(network, exact=True)
    assert profile.diameter == network.facts.diameter
    assert profile.mean == network.facts.mean_distance
    assert len(network.heads) == network.facts.channels
    assert int(network.degrees.max()) == network.facts.degree_max
    if network.symmetry is not None:
        assert distance_profile(network).histogram == profile.histogram


@pytest.mark.parametrize("spec", SWITCHES)
def test_all_ways_are_the_common_neighbours(spec):
    network = hopscape.build(spec)
    count = network.endpoint_count
    assert network.endpoints.tolist() == list(range(count))
    for a, b in itertools.islice(itertools.combinations(range(count), 2), 200):
        common = sorted(set(network.neighbours(a)) & set(network.neighbours(b)))
        ways = all_routes(network, a, b)
        assert [way.path for way in ways] == [(a, s, b) for s in common]
        assert len(common) >= getattr(network.family, "sigma", 1)
        for way in ways:
            at = a
            for node, port in zip(way.path[1:], way.ports, strict=True):
                assert network.neighbours(at)[port] == node
                at = node


def test_pairs_share_sigma_and_doubled_pairs_are_named():
    network = hopscape.build("partial_switch(39, 7)")
    extra = {
        b for b in range(1, 39) if len(set(network.neighbours(0)) & set(network.neighbours(b))) > 1
    }
    assert extra == {1, 2, 37, 38}


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_colouring_uses_the_largest_degree(data):
    size = data.draw(st.integers(1, 12))
    pairs = data.draw(st.lists(st.tuples(st.integers(0, size), st.integers(0, size)), max_size=90))
    left = np.array([a for a, _ in pairs], dtype=np.int64)
    right = np.array([b for _, b in pairs], dtype=np.int64)
    colours, used = colour_edges(left, right)
    degree = max([np.bincount(left).max(), np.bincount(right).max()], default=0) if pairs else 0
    assert used == degree
    assert len(colours) == len(pairs)
    for side in (left, right):
        ends = list(zip(side.tolist(), colours.tolist(), strict=True))
        assert len(set(ends)) == len(ends)
    assert all(0 <= c < used for c in colours)


def test_faults():
    network = hopscape.build("distributed_switch(13, 4, 1)")
    for s in range(13, 26):
        assert stranded_pairs(network, [s]) == 12
    for a, b in itertools.permutations(range(13), 2):
        way = all_routes(network, a, b)[0]
        detour = route_around(network, a, b, dead_switches=[way.path[1]])
        assert detour.length == 4
        assert way.path[1] not in detour.path
        cut = route_around(network, a, b, dead_links=[(way.path[1], b)])
        assert cut.length == 4
        for u, v in itertools.pairwise(cut.path):
            assert v in network.neighbours(u)
            assert {u, v} != {way.path[1], b}
    double = hopscape.build("distributed_switch(37, 9, 2)")
    assert all(stranded_pairs(double, [s]) == 0 for s in range(37, 74))
    assert stranded_pairs(double, [37, 38]) == 2
    with pytest.raises(DisconnectedError):
        route_around(network, 0, 1, dead_switches=network.neighbours(0))
    with pytest.raises(ArgumentError, match="crossbar"):
        all_routes(network, 0, 20)


@pytest.mark.parametrize(
    "spec", ["distributed_switch(16, 6, 2)", "quasicomplete_digraph(4)", "partial_switch(12, 4)"]
)
def test_detour_router_agrees_with_ways_around(spec):
    network = hopscape.build(spec)
    count = network.endpoint_count
    generator = np.random.default_rng(5)
    dead = (count + generator.choice(count, 2, replace=False)).tolist()
    cut = [(a, network.neighbours(a)[0]) for a in (0, 3)]
    router = DetourRouter(network, dead, cut)
    broken = {frozenset(link) for link in cut}
    for a, b in itertools.permutations(range(count), 2):
        best = route_around(network, a, b, dead_switches=dead, dead_links=cut)
        assert router.distance(a, b) == best.length
        path = router.path(a, b)
        assert not set(path) & set(dead)
        assert not broken & {frozenset(hop) for hop in itertools.pairwise(path)}
    assert router.distance(0, dead[0]) == -1
    assert check_router(DetourRouter(network))


CIRCUIT = Model(switching="circuit")


@pytest.mark.parametrize("spec", [*SWITCHES, *DIGRAPHS])
def test_collectives_hold_and_are_best(spec):
    network = hopscape.build(spec)
    count = network.endpoint_count
    goal = Goal.permutation(np.random.default_rng(3).permutation(count).tolist())
    for model, rounds in ((CIRCUIT, 1), (Model(), 2)):
        schedule = run_algorithm(network, goal, "direct", model)
        assert hopscape.verify(schedule)
        assert schedule.rounds == rounds
    schedule = run_algorithm(network, Goal.broadcast(1), "two-hop")
    assert hopscape.verify(schedule)
    assert schedule.rounds == 2
    assert hopscape.verify(schedule).details["duplicates"] == 0
    schedule = run_algorithm(network, Goal.broadcast(1), "doubling")
    assert schedule.model.ports == 1
    assert hopscape.verify(schedule)
    assert schedule.rounds == math.ceil(math.log2(count))


@pytest.mark.parametrize("spec", [*SWITCHES, *DIGRAPHS])
def test_all_to_all(spec):
    network = hopscape.build(spec)
    goal = Goal.all_to_all()
    schedule = run_algorithm(network, goal, "direct", CIRCUIT)
    assert hopscape.verify(schedule)
    bound = lower_bounds(network, goal, CIRCUIT)[0].rounds
    group = getattr(network.family, "sigma", 1) == 1
    assert bound <= schedule.rounds <= bound + (0 if group else 1)
    stored = run_algorithm(network, goal, "direct", Model())
    assert hopscape.verify(stored)
    assert stored.rounds == schedule.rounds + 1


@pytest.mark.parametrize("model", [CIRCUIT, Model(), Model(packing="packed")])
@pytest.mark.parametrize(
    "spec", ["distributed_switch(7, 4, 2)", "partial_switch(4, 3)", *DIGRAPHS[:1]]
)
def test_permutations_under_which_little_or_nothing_moves(spec, model):
    network = hopscape.build(spec)
    still = list(range(network.endpoint_count))
    for targets, moved in ((still, 0), ([1, 0, *still[2:]], 2)):
        schedule = run_algorithm(network, Goal.permutation(targets), "direct", model)
        assert hopscape.verify(schedule)
        assert len(schedule.round) == moved * (1 if model.switching == "circuit" else 2)


def test_collectives_refuse_other_models():
    network = hopscape.build("distributed_switch(7, 3, 1)")
    half = Model(duplex="half", switching="circuit")
    for goal, name in (
        (Goal.permutation(range(7)), "direct"),
        (Goal.all_to_all(), "direct"),
        (Goal.broadcast(0), "two-hop"),
        (Goal.broadcast(0), "doubling"),
    ):
        with pytest.raises(ArgumentError):
            run_algorithm(network, goal, name, half)
    with pytest.raises(ArgumentError, match="endpoint"):
        run_algorithm(network, Goal.broadcast(9), "two-hop")


def test_digraph_table_is_the_wiring():
    for m in (2, 3, 5):
        network = hopscape.build(f"quasicomplete_digraph({m})")
        n = m * m
        for row in wiring_table(m):
            s = row["switch"] - 1 + n
            assert [x - 1 for x in row["to"]] == list(network.neighbours(s))
            hears = [a for a in range(n) if s in network.neighbours(a)]
            assert sorted(x - 1 for x in row["from"]) == hears
    assert wiring_table(3)[0] == {"switch": 1, "from": [1, 9, 8], "to": [1, 4, 7]}


test_bad_specs = refusals(
    SpecError,
    ("distributed_switch(43, 7, 1)", "Bruck-Ryser-Chowla"),
    ("distributed_switch(40, 7, 1)", "43"),
    ("distributed_switch(7, 0, 1)", "at least 2"),
    ("partial_switch(41, 7)", "exhausted"),
    ("partial_switch(60, 7)", "at most 42 differences"),
    ("switched_multiring(4, duplex=true)", "odd p"),
    ("quasicomplete_digraph(1)", "from 2 to 1024"),
)


def test_too_large_is_refused_with_its_size():
    q = 2**17 - 1
    with pytest.raises(TooLargeError, match=r"GB|TB|PB"):
        hopscape.build(f"distributed_switch({q * q + q + 1}, {q + 1}, 1)")
