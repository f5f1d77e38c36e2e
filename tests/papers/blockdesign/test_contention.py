"""Traffic that passes in one go, and the rounds of other traffic, against slow twins."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from switches import SWITCHES

import hopscape
from hopscape.core.errors import ArgumentError
from hopscape.papers.blockdesign.contention import (
    check_permutation,
    check_traffic,
    random_traffic,
)
from hopscape.papers.blockdesign.rounds import plan_rounds

SPECS = [*SWITCHES[1:], "quasicomplete_digraph(4)"]


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
    spec = data.draw(st.sampled_from(SPECS))
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


def require_disjoint(plan):
    """Every packet has a path, and none of its resources is held twice in a round."""
    held = set()
    for r, path in zip(plan.round.tolist(), plan.paths, strict=True):
        assert (r < 0) == (not path)
        assert not held & {(r, x) for x in path}
        held |= {(r, x) for x in path}
    assert set(plan.round[plan.round >= 0].tolist()) == set(range(plan.rounds))


def minimal_paths(network, a, b):
    """All shortest paths as channels, walked in breadth from the source (no router)."""
    rows = [network.neighbours(v) for v in range(network.order)]
    layer = [(a, ())]
    while True:
        done = [path for v, path in layer if v == b]
        if done:
            return done
        layer = [
            (w, (*path, (v, port))) for v, path in layer for port, w in enumerate(rows[v]) if w >= 0
        ]


def least_rounds(network, sources, targets, half):
    """The truth by an integer program: packets, minimal paths, rounds."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    rows = [network.neighbours(v) for v in range(network.order)]

    def resource(hop):
        v, port = hop
        if not half:
            return hop
        w = rows[v][port]  # the i-th link of a pair is the same from both sides
        twin = rows[v][:port].count(w)
        return (min(v, w), max(v, w), twin)

    moving = [(int(a), int(b)) for a, b in zip(sources, targets, strict=True) if a != b]
    if not moving:
        return 0
    paths = [[[resource(h) for h in path] for path in minimal_paths(network, a, b)]
             for a, b in moving]  # fmt: skip
    for rounds in range(1, len(moving) + 1):
        variables = [(p, k, r) for p, row in enumerate(paths) for k in range(len(row))
                     for r in range(rounds)]  # fmt: skip
        capacity, once = {}, {}
        for i, (p, k, r) in enumerate(variables):
            once.setdefault(p, []).append(i)
            for x in paths[p][k]:
                capacity.setdefault((x, r), []).append(i)
        matrix = np.zeros((len(once) + len(capacity), len(variables)))
        for row, columns in enumerate([*once.values(), *capacity.values()]):
            matrix[row, columns] = 1
        low = [1.0] * len(once) + [0.0] * len(capacity)
        result = milp(
            np.zeros(len(variables)),
            integrality=np.ones(len(variables)),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(matrix, low, 1),
        )
        assert result.status in (0, 2)
        if result.status == 0:
            return rounds
    raise AssertionError("one packet per round is always possible")


PATTERN_SPECS = ["distributed_switch(7, 4, 2)", "distributed_switch(7, 3, 1)",
                 "distributed_switch(11, 5, 2)", "partial_switch(12, 4)",
                 "quasicomplete_digraph(3)", "two_level(complete(3), complete(4))",
                 "two_level(complete(3), complete(4), copies=2)", "torus(3, 3)", "ring(6)",
                 "petersen", "hypercube(3)", "distributed_switch(4, 3, 2)", "path(5)",
                 "fat_tree(4)", "design_expansion(ring(6), 3, 2)"]  # fmt: skip


def random_pattern(rng):
    """A small network and traffic of a few packets, some of them alike."""
    network = hopscape.build(PATTERN_SPECS[rng.integers(len(PATTERN_SPECS))])
    count = int(rng.integers(1, 15))
    ends = network.endpoints
    few = rng.choice(ends, size=int(rng.integers(2, min(5, len(ends)) + 1)), replace=False)
    pool = few if rng.random() < 0.6 else ends
    half = bool(network.duplex and rng.random() < 0.3)
    return network, rng.choice(pool, size=count), rng.choice(pool, size=count), half


def require_true_bounds(rng):
    network, sources, targets, half = random_pattern(rng)
    plan = plan_rounds(network, sources, targets, half_duplex=half)
    truth = least_rounds(network, sources, targets, half)
    require_disjoint(plan)
    assert plan.bound <= truth <= plan.rounds, (network.spec, sources, targets, half)
    return plan.bound == plan.rounds


def test_bounds_are_true():
    rng = np.random.default_rng(7)
    assert sum(require_true_bounds(rng) for _ in range(75)) >= 71


@pytest.mark.slow
def test_bounds_are_true_ten_thousand_times():
    rng = np.random.default_rng(8)
    assert sum(require_true_bounds(rng) for _ in range(10_000)) >= 9_900


def test_the_spare_paths_are_used():
    """Two packets of one pair pass at once by σ = 2 crossbars, and by two copies of a link."""
    plan = plan_rounds(hopscape.build("distributed_switch(7, 4, 2)"), [0, 0, 0], [1, 1, 1])
    assert (plan.rounds, plan.bound) == (2, 2)
    for spec, rounds in (("two_level(complete(3), complete(4))", 2),
                         ("two_level(complete(3), complete(4), copies=2)", 1)):  # fmt: skip
        network = hopscape.build(spec)
        between = next(int(v) for u, v in zip(network.tails, network.heads) if u == 0 and v > 2)
        plan = plan_rounds(network, [0, 0], [between, between])
        single = network.neighbours(0).count(between) == 1
        assert plan.rounds == plan.bound == (2 if single else rounds)


@pytest.mark.parametrize(
    "spec",
    [
        "distributed_switch(13, 4, 1)",
        "distributed_switch(16, 6, 2)",
        "torus(4, 4)",
        "two_level(complete(4), complete(5))",
    ],
)
def test_what_passes_at_once_needs_one_round(spec):
    network = hopscape.build(spec)
    spread = spec.startswith("distributed")
    for seed in range(40):
        ranks = random_traffic(network.endpoint_count, "random", seed=seed)
        a, b = (network.endpoints[x][:5] for x in ranks)
        held = check_traffic(network, a, b, spread=spread)
        plan = plan_rounds(network, a, b)
        if held:
            assert plan.rounds <= 1
            assert plan.bound <= 1


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
        require_disjoint(plan)
        assert (plan.round[sources == targets] == -1).all()


@pytest.mark.parametrize("kind", ["permutation", "random", "relation"])
def test_half_duplex_plans_hold(kind):
    network = hopscape.build("distributed_switch(57, 8, 1)")
    for seed in range(3):
        sources, targets = random_traffic(57, kind, rounds=2, seed=seed)
        plan = plan_rounds(network, sources, targets, half_duplex=True)
        require_disjoint(plan)
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
