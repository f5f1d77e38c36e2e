"""Distributed switches: wiring, routing, traffic, collectives."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape.collectives.bounds import lower_bounds
from hopscape.collectives.choose import run_algorithm
from hopscape.collectives.colouring import colour_edges
from hopscape.core.check import check_router
from hopscape.core.detours import DetourRouter
from hopscape.core.errors import ArgumentError, DisconnectedError, SpecError, TooLargeError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.families.blockdesign.digraph import wiring_table
from hopscape.families.blockdesign.routing import all_routes, route_around, stranded_pairs
from hopscape.families.blockdesign.traffic import (
    check_permutation,
    check_traffic,
    plan_rounds,
    random_traffic,
)
from hopscape.metrics import distance_profile
from refusals import refusals

SWITCHES = [
    "distributed_switch(3, 2, 1)",
    "distributed_switch(7, 4, 2)",
    "distributed_switch(13, 4, 1)",
    "distributed_switch(16, 6, 2)",
    "distributed_switch(36, 15, 6)",
    "distributed_switch(56, 11, 2)",
    "distributed_switch(57, 8, 1)",
    "distributed_switch(79, 13, 2)",
    "partial_switch(12, 4)",
    "partial_switch(39, 7)",
]
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


def slow_conflicts(network, sources, targets, half):
    """Walk the router; count packets that meet a channel (a link, in half duplex) already held."""
    router = network.router("closed")
    held, refused = set(), 0
    for a, b in zip(sources, targets, strict=True):
        if a == b:
            continue
        path = router.path(int(a), int(b))
        hops = [tuple(sorted(h)) if half else h for h in itertools.pairwise(path)]
        if held & set(hops):
            refused += 1
        else:
            held |= set(hops)
    return refused


@pytest.mark.interpreted
@given(st.data())
@settings(deadline=None, max_examples=60)
def test_traffic_kernel_against_walking(data):
    spec = data.draw(st.sampled_from([*SWITCHES[1:], "quasicomplete_digraph(4)"]))
    network = hopscape.build(spec)
    count = network.endpoint_count
    kind = data.draw(st.sampled_from(["random", "relation", "permutation"]))
    rounds, seed = data.draw(st.integers(1, 3)), data.draw(st.integers(0, 10**6))
    half = network.duplex and data.draw(st.booleans())
    sources, targets = random_traffic(count, kind, rounds=rounds, seed=seed)
    verdict = check_traffic(network, sources, targets, half_duplex=half)
    assert verdict.details["conflicts"] == slow_conflicts(network, sources, targets, half)
    assert verdict.holds == (verdict.details["conflicts"] == 0)
    spread = check_traffic(network, sources, targets, half_duplex=half, spread=True)
    if rounds == 1 and kind != "random" and not half:
        assert verdict
        assert spread


def test_all_permutations_of_seven():
    every = np.array(list(itertools.permutations(range(7))))
    for spec in ("distributed_switch(7, 3, 1)", "distributed_switch(7, 4, 2)"):
        assert check_permutation(hopscape.build(spec), every)
    rows = np.array(list(itertools.permutations(range(9))))[::97]
    assert check_permutation(hopscape.build("quasicomplete_digraph(3)"), rows)


@pytest.mark.parametrize(("n", "m"), [(307, 18), (993, 32), (4161, 65)])
def test_thousands_of_random_permutations(n, m):
    network = hopscape.build(f"distributed_switch({n}, {m}, 1)")
    generator = np.random.default_rng(n)
    rows = np.array([generator.permutation(n) for _ in range(1000)])
    verdict = check_permutation(network, rows)
    assert verdict
    assert verdict.details["packets"] == int((rows != np.arange(n)).sum())


def test_partial_permutations_pass_and_other_traffic_does_not():
    network = hopscape.build("distributed_switch(57, 8, 1)")
    generator = np.random.default_rng(0)
    rows = np.array([generator.permutation(57) for _ in range(50)])
    rows[generator.random(rows.shape) < 0.4] = -1
    assert check_permutation(network, rows)
    refused = [
        check_traffic(network, *random_traffic(57, "relation", rounds=2, seed=s)).details[
            "conflicts"
        ]
        for s in range(50)
    ]
    assert 0.08 < np.sum(refused) / (50 * 112) < 0.14
    exchange = np.arange(57).reshape(-1)
    exchange[[0, 1]] = [1, 0]
    assert check_permutation(network, exchange)
    assert not check_permutation(network, exchange, half_duplex=True)
    second = hopscape.build("distributed_switch(37, 9, 2)")
    swap = np.arange(37)
    swap[[0, 1]] = [1, 0]
    assert not check_permutation(second, swap, half_duplex=True)
    assert check_permutation(second, swap, half_duplex=True, spread=True)


def test_permutation_refuses_what_is_none():
    network = hopscape.build("distributed_switch(7, 3, 1)")
    with pytest.raises(ArgumentError, match="two packets"):
        check_permutation(network, [1, 1, 2, 3, 4, 5, 6])
    with pytest.raises(ArgumentError, match="7 integers"):
        check_permutation(network, [1, 0])
    with pytest.raises(ArgumentError, match="endpoints"):
        check_permutation(network, [7, 1, 2, 3, 4, 5, 6])
    with pytest.raises(ArgumentError, match="simplex"):
        check_permutation(
            hopscape.build("quasicomplete_digraph(2)"), [1, 0, 2, 3], half_duplex=True
        )
    with pytest.raises(ArgumentError, match="distributed switch"):
        check_traffic(hopscape.build("petersen"), [0], [1], spread=True)


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


@pytest.mark.parametrize("spec", ["distributed_switch(57, 8, 1)", "distributed_switch(56, 11, 2)",
                                  "quasicomplete_digraph(5)"])  # fmt: skip
@pytest.mark.parametrize("one_port", [True, False])
def test_relations_take_as_many_rounds_as_the_theorem_says(spec, one_port):
    network = hopscape.build(spec)
    count = network.endpoint_count
    for h in (1, 3, 6):
        sources, targets = random_traffic(count, "relation", rounds=h, seed=h)
        plan = plan_rounds(network, sources, targets, one_port=one_port)
        assert plan.rounds == plan.bound
        assert plan.rounds <= h
        if one_port and h > 1:
            assert plan.rounds >= h - 1  # packets to oneself may thin out the busiest
        for r in range(plan.rounds):
            chosen = plan.round == r
            assert check_traffic(network, sources[chosen], targets[chosen])
        assert (plan.round[sources == targets] == -1).all()


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


def slow_half_duplex(network, sources, targets, rounds):
    """No link, either way, twice in a round."""
    router, held = network.router("closed"), set()
    for a, b, r in zip(sources.tolist(), targets.tolist(), rounds.tolist(), strict=True):
        if a != b:
            for hop in itertools.pairwise(router.path(a, b)):
                assert (r, frozenset(hop)) not in held
                held.add((r, frozenset(hop)))


@pytest.mark.parametrize("kind", ["permutation", "random", "relation"])
def test_half_duplex_plans_hold(kind):
    network = hopscape.build("distributed_switch(57, 8, 1)")
    for seed in range(3):
        sources, targets = random_traffic(57, kind, rounds=2, seed=seed)
        plan = plan_rounds(network, sources, targets, half_duplex=True)
        slow_half_duplex(network, sources, targets, plan.round)
        assert plan.bound <= plan.rounds <= 2 * plan.bound - 1  # first fit: two links of a packet
        duplex = plan_rounds(network, sources, targets)
        assert plan.rounds >= duplex.rounds
        held = check_traffic(network, sources, targets, half_duplex=True)
        assert held.holds == (plan.rounds <= 1)
    with pytest.raises(ArgumentError, match="half duplex"):
        plan_rounds(hopscape.build("quasicomplete_digraph(3)"), [0], [1], half_duplex=True)


def test_shares_of_refused_packets_are_those_of_the_digest():
    network = hopscape.build("distributed_switch(57, 8, 1)")
    shares = {}
    for kind, rounds, half in (("permutation", 2, 0), ("random", 1, 0), ("permutation", 1, 1)):
        total = refused = 0
        for seed in range(60):
            traffic = random_traffic(57, kind, rounds=rounds, seed=seed)
            details = check_traffic(network, *traffic, half_duplex=bool(half)).details
            total, refused = total + details["packets"], refused + details["conflicts"]
        shares[kind, rounds, half] = refused / total
    assert 0.08 < shares["permutation", 2, 0] < 0.20
    assert 0.04 < shares["random", 1, 0] < 0.09
    assert 0.10 < shares["permutation", 1, 1] < 0.18


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


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.lists(st.integers(-1, 6), min_size=7, max_size=7), min_size=1, max_size=4),
)
def test_a_destination_of_two_packets_is_refused(rows):
    """The first row that has one, and its least such destination, whoever stays at home."""
    net = hopscape.build("distributed_switch(7, 3, 1)")
    twice = [min((v for v in row if v >= 0 and row.count(v) > 1), default=None) for row in rows]
    named = next((v for v in twice if v is not None), None)
    if named is None:
        check_permutation(net, rows)
    else:
        with pytest.raises(ArgumentError, match=f"endpoint {named} is the destination of two"):
            check_permutation(net, rows)
