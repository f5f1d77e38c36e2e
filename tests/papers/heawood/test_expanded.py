"""Expanded networks: wiring, closed forms, covering walks, exact routing, printed routing."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, permutations

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape import Goal, verify
from hopscape.collectives import run_algorithm
from hopscape.core.distances import distance_rows
from hopscape.core.errors import AddressError, ArgumentError, TooLargeError
from hopscape.core.router_check import check_router
from hopscape.formats.graphs import to_igraph, to_networkx
from hopscape.metrics import distance_profile
from hopscape.papers.heawood import routing
from hopscape.papers.heawood.collectives import flood
from hopscape.papers.heawood.comparison import (
    best_connectors,
    ccc_diameter,
    digit_stretch,
    members,
    pcc_diameter,
)
from hopscape.papers.heawood.expanded import Expanded
from hopscape.papers.heawood.routing import LevelRouter, printed_route
from hopscape.papers.heawood.walks import CycleWalks, TableWalks, covering_walks
from refusals import refusals

RE_H = [3, 9, 12, 17, 20, 25, 28, 31, 36, 39, 43, 47, 50, 53, 56]
RE_P = [2, 6, 9, 12, 15, 17, 20, 23, 25, 29, 31]

SMALL = [
    "expanded(heawood, 0)",
    "expanded(heawood, 1)",
    "expanded(petersen, 2)",
    "expanded(petersen, 2, connectors=(3, 8))",
    "expanded(ring(4), 4, lamp=complete(2))",
    "expanded(ring(5), 2, lamp=petersen)",
    "expanded(path(3), 4, lamp=ring(3), reuse=true)",
    "expanded(complete(1), 3, lamp=path(3), reuse=true)",
    "expanded(ring(3), 3, lamp=path(3))",
    "expanded(mesh(2, 3), 3, lamp=path(2), connectors=(5, 0, 5), reuse=true)",
    "expanded(ring(3), 2, lamp=mesh(2, 3))",
]


def slow_walk(base, start, wanted, end):
    """Try every order of visits."""
    far = distance_rows(base, np.arange(base.order)).astype(int)
    best = None
    for order in permutations(sorted(wanted)):
        stops = [start, *order, end]
        length = sum(far[a, b] for a, b in pairwise(stops))
        best = length if best is None else min(best, length)
    return best


@settings(deadline=None, max_examples=80)
@given(
    st.sampled_from(["heawood", "petersen", "ring(7)", "ring(8)", "path(5)", "mesh(3, 3)"]),
    st.data(),
)
def test_covering_walks(spec, data):
    base = hopscape.build(spec)
    node = st.integers(0, base.order - 1)
    marks = data.draw(st.lists(node, unique=True, min_size=1, max_size=6))
    walks = covering_walks(base, marks)
    assert isinstance(walks, CycleWalks if spec.startswith("ring") else TableWalks)
    start, end = data.draw(node), data.draw(node)
    wanted = [data.draw(st.booleans()) for _ in marks]
    found = walks.lengths(np.asarray([start]), np.asarray([wanted]), np.asarray([end]))[0]
    chosen = {m for m, w in zip(marks, wanted) if w}
    assert found == slow_walk(base, start, chosen, end)


def test_reduced_and_full_tables_agree():
    base = hopscape.build("petersen")
    reduced = TableWalks(base, range(10))
    assert len(reduced.table) == 1
    full = TableWalks(base, range(5))
    assert len(full.table) == 10
    starts, ends = np.divmod(np.arange(100), 10)
    for number in range(32):
        wanted = np.asarray([[number >> i & 1 for i in range(5)]] * 100, dtype=bool)
        more = np.concatenate([wanted, np.zeros((100, 5), dtype=bool)], axis=1)
        assert (full.lengths(starts, wanted, ends) == reduced.lengths(starts, more, ends)).all()


def slow_links(net):
    """The definition, word by word."""
    family = net.family
    out = {}
    for v in range(net.order):
        address = list(net.address(v))
        place, near = address[-1], []
        for w in family.base.neighbours(place):
            near += [net.node([*address[:-1], w])] if w >= 0 else []
        for level, connector in enumerate(family.connectors, 1):
            if connector == place:
                entry = family.n - level
                for w in family.lamp.neighbours(address[entry]):
                    changed = [*address]
                    changed[entry] = w
                    near += [net.node(changed)] if w >= 0 else []
        out[v] = near
    return out


@pytest.mark.parametrize("spec", SMALL)
def test_wiring(spec):
    net = hopscape.build(spec)
    truth = slow_links(net)
    for v in range(net.order):
        assert [w for w in net.neighbours(v) if w >= 0] == truth[v]
    assert net.spec == spec
    assert hopscape.build(net.spec).order == net.order


@pytest.mark.parametrize("spec", SMALL)
def test_closed_forms(spec):
    net = hopscape.build(spec)
    facts = net.facts
    graph = to_igraph(net)
    rows = np.asarray(graph.distances(), dtype=np.int64)
    histogram = tuple(np.bincount(rows.ravel()).tolist())
    assert histogram == net.family.histogram()
    assert (rows.max(), rows.max(axis=1).min()) == (facts.diameter, facts.radius)
    assert facts.mean_distance == Fraction(int(rows.sum()), net.order * (net.order - 1))
    values, counts = np.unique(net.degrees, return_counts=True)
    assert net.family.degree_counts() == dict(zip(values.tolist(), counts.tolist()))
    assert (facts.channels, facts.links) == (len(net.heads), len(net.heads) // 2)
    assert facts.girth == graph.girth()
    if net.order <= 100:
        assert facts.node_connectivity in (None, graph.vertex_connectivity())
    assert facts.edge_connectivity in (None, graph.edge_connectivity())
    if net.symmetry is not None:
        assert distance_profile(net).histogram == histogram


@pytest.mark.parametrize("spec", SMALL)
def test_router(spec):
    net = hopscape.build(spec)
    assert check_router(net.router(), targets=20)
    assert check_router(LevelRouter(net, net.family), targets=20)


def test_all_shortest_ports():
    net = hopscape.build("expanded(petersen, 2)")
    rng = np.random.default_rng(0)
    at, to = rng.integers(0, net.order, (2, 300))
    exact = net.router().shortest_ports(at, to)
    assert (exact == net.router("search").shortest_ports(at, to)).all()


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 14), st.integers(0, 2**32))
def test_kernel_and_exact_integers_agree(n, seed):
    net = hopscape.build(f"expanded(heawood, {n})")
    router = net.router()
    rng = np.random.default_rng(seed)
    at, to = rng.integers(0, net.order, (2, 5000))
    fast = router.distances(at, to)
    slow = router._slow_distances(at[:200], to[:200])
    assert (fast[:200] == slow).all()
    assert fast.max() <= RE_H[n]


def test_diameters_of_the_paper():
    assert [hopscape.build(f"expanded(heawood, {n})").facts.diameter for n in range(15)] == RE_H
    assert [hopscape.build(f"expanded(petersen, {n})").facts.diameter for n in range(11)] == RE_P


def test_facts_of_fourteen_levels():
    net = hopscape.build("expanded(heawood, 14)")
    facts = net.facts
    assert net.order == 14**15
    assert facts.links == 21 * 14**13 * 28
    assert (facts.degree_min, facts.degree_max, facts.radius) == (6, 6, 56)
    assert facts.vertex_transitive
    assert facts.edge_connectivity == 6
    assert sum(net.family.histogram()) == net.order**2
    assert net.router().table_bytes < 4_000_000
    sample = np.random.default_rng(0).integers(0, net.order, (2, 20_000))
    mean = net.router().distances(*sample).mean()
    assert abs(mean - float(facts.mean_distance)) < 0.2


@pytest.mark.parametrize("n", range(1, 14))
def test_degrees_and_connectivity(n):
    net = hopscape.build(f"expanded(heawood, {n})")
    assert net.family.degree_counts() == {3: (14 - n) * 14**n, 6: n * 14**n}
    assert net.facts.links == 21 * 14 ** (n - 1) * (14 + n)
    assert net.facts.node_connectivity == min(n, 3)


def test_histogram_by_search_and_by_counting():
    net = hopscape.build("expanded(heawood, 3)")
    assert distance_profile(net).histogram == net.family.histogram()


@pytest.mark.slow
def test_four_levels_by_search():
    net = hopscape.build("expanded(heawood, 4)")
    assert distance_profile(net).histogram == net.family.histogram()


@pytest.mark.parametrize("n", [3, 4, 5])
def test_cube_connected_cycles_are_a_case(n):
    mine = hopscape.build(f"expanded(ring({n}), {n}, lamp=complete(2))")
    theirs = hopscape.build(f"ccc({n})")
    assert distance_profile(mine).histogram == distance_profile(theirs).histogram
    if n < 5:
        graphs = [networkx.Graph(to_networkx(net)) for net in (mine, theirs)]
        assert networkx.is_isomorphic(*graphs)
    assert mine.facts.vertex_transitive


@pytest.mark.parametrize("n", [3, 9, 40, 100])
def test_cube_connected_cycles_are_routed_alike(n):
    """Numbered alike too: the toolkit's closed form and this paper's, at sizes beyond search."""
    mine = hopscape.build(f"expanded(ring({n}), {n}, lamp=complete(2))")
    theirs = hopscape.build(f"ccc({n})")
    for fact in ("diameter", "mean_distance", "girth"):
        assert getattr(mine.facts, fact) == getattr(theirs.facts, fact)
    rng = np.random.default_rng(n)
    ends = [int.from_bytes(rng.bytes(20), "little") % mine.order for _ in range(40)]
    for a, b in zip(ends[::2], ends[1::2], strict=True):
        assert mine.router().path(a, b) == theirs.router().path(a, b)


def test_cycles_as_bases():
    for m in range(3, 40):
        ccc = hopscape.build(f"expanded(ring({m}), {m}, lamp=complete(2))")
        pcc = hopscape.build(f"expanded(ring({m}), {m}, lamp=petersen)")
        assert ccc.facts.diameter == ccc_diameter(m)
        assert pcc.facts.diameter == pcc_diameter(m)
        assert pcc.order == m * 10**m
    far = pcc.router().route(0, pcc.order - 1)
    assert far.length == pcc.router().distance(0, pcc.order - 1)


def wrapped_butterfly(n):
    """Row w, level i: wired to level i + 1, in the same row and in that which differs in bit i."""
    tails = [i * 2**n + w for i in range(n) for w in range(2**n) for _ in range(2)]
    heads = [
        (i + 1) % n * 2**n + v for i in range(n) for w in range(2**n) for v in (w, w ^ (1 << i))
    ]
    return hopscape.Network.from_links(n * 2**n, tails, heads)


def measured(net):
    """(nodes, largest degree, diameter), by breadth-first search from every node."""
    far = distance_rows(net, np.arange(net.order)).max()
    return net.order, max(len(set(net.neighbours(v))) for v in range(net.order)), int(far)


@pytest.mark.parametrize(
    ("name", "sizes", "make"),
    [
        ("WBF", range(3, 8), wrapped_butterfly),
        ("Kautz 2", range(3, 9), lambda n: hopscape.build(f"kautz(2, {n}, duplex=true)")),
        ("Kautz 3", range(3, 6), lambda n: hopscape.build(f"kautz(3, {n}, duplex=true)")),
        ("CCC", range(3, 8), lambda n: hopscape.build(f"ccc({n})")),
    ],
)
def test_rivals_of_the_study_by_search(name, sizes, make):
    bases = hopscape.build("heawood"), hopscape.build("petersen")
    for n in sizes:
        rival = members(name, n, *bases)
        assert (rival.nodes, rival.degree, rival.diameter) == measured(make(n))


def test_heawood_connected_cycles():
    heawood, petersen = hopscape.build("heawood"), hopscape.build("petersen")
    for m in range(3, 9):
        rival = members("HCC", m, heawood, petersen)
        net = hopscape.build(f"expanded(ring({m}), {m}, lamp=heawood)")
        assert (rival.nodes, rival.degree) == (net.order, 5)
        assert rival.diameter == net.facts.diameter
    small = hopscape.build("expanded(ring(3), 3, lamp=heawood)")  # vertex-transitive
    assert distance_rows(small, np.arange(1)).max() == members("HCC", 3, heawood, petersen).diameter


def test_more_levels_than_connectors():
    net = hopscape.build("expanded(heawood, 16, reuse=true)")
    assert net.family.connectors[14:] == (0, 1)
    assert net.facts.degree_max == 9
    rng = np.random.default_rng(1)
    digits = rng.integers(0, 14, (2, 17))
    a, b = (net.node(tuple(row.tolist())) for row in digits)
    assert net.router().route(a, b).length == net.router().distance(a, b)
    small = hopscape.build("expanded(ring(3), 5, lamp=complete(2), reuse=true)")
    assert check_router(small.router())


def test_best_connectors():
    base = hopscape.build("heawood")
    found = {n: [x + 3 * n for x in best_connectors(base, n)] for n in (2, 8, 10, 13)}
    assert found == {2: [12, 14], 8: [35, 38], 10: [42, 44], 13: [53, 53]}


def test_stretch_of_digit_by_digit_routes():
    family = hopscape.build("expanded(petersen, 2)").family
    net = hopscape.Network.of(family)
    at, to = np.divmod(np.arange(net.order**2), net.order)
    exact = net.router().distances(at, to)
    digits = LevelRouter(net, family).distances(at, to)
    apart = exact > 0
    found = digit_stretch(family)
    assert found.longest == digits.max()
    assert float(found.worst) == pytest.approx((digits[apart] / exact[apart]).max())
    assert found.mean == pytest.approx((digits[apart] / exact[apart]).mean())
    for n in (1, 2, 3, 6):
        assert digit_stretch(hopscape.build(f"expanded(heawood, {n})").family).longest == 4 * n + 5


@pytest.mark.interpreted
def test_printed_route_fails_as_told():
    family = hopscape.build("expanded(heawood, 1)").family
    addresses = [(a, b) for a in range(14) for b in range(14)]
    pairs = [(s, d) for s in addresses[::9] for d in addresses]

    def count(**repairs):
        return sum(printed_route(family, s, d, **repairs) is not None for s, d in pairs)

    assert count() == len(addresses[::9])
    assert 14 * count(connector_off_by_one=False, last_is_tested=False) == len(pairs)
    right = {"connector_off_by_one": False, "last_is_tested": False, "final_leg": True}
    assert count(**right) == len(pairs)
    deep = hopscape.build("expanded(heawood, 3)").family
    path = printed_route(deep, (0, 0, 0, 0), (3, 5, 9, 2), **right)
    assert path is not None
    assert all(sum(a != b for a, b in zip(u, v, strict=True)) == 1 for u, v in pairwise(path))


@pytest.mark.interpreted
@pytest.mark.parametrize(
    "spec", ["expanded(complete(2), 3, reuse=true)", "expanded(ring(3), 4, reuse=true)"]
)
def test_ports_of_a_route_where_one_place_has_several_levels(spec):
    net = hopscape.build(spec)
    assert max(map(len, net.family.levels_at)) > 1
    router = net.router()
    for at, to in np.random.default_rng(0).integers(0, net.order, (40, 2)).tolist():
        nodes, ports = router.trace(at, to)
        assert (nodes[0], nodes[-1], len(ports)) == (at, to, len(nodes) - 1)
        for here, port, there in zip(nodes, ports, nodes[1:], strict=False):
            assert net.rows(np.asarray([here]))[0, port] == there


@pytest.mark.parametrize(("n", "rounds"), [(1, 6), (2, 10), (3, 14)])
def test_broadcast_by_next_hops(n, rounds):
    net = hopscape.build(f"expanded(heawood, {n})")
    verdict = verify(run_algorithm(net, Goal.broadcast(0), "next-hop"))
    assert verdict
    assert verdict.details["rounds"] == rounds
    assert verdict.details["messages"] == net.order - 1
    assert verdict.details["duplicates"] == 0


def test_flood_of_the_paper():
    net = hopscape.build("expanded(heawood, 1)")
    verdict = verify(flood(net, 0, 9))
    assert verdict
    assert (verdict.details["messages"], verdict.details["duplicates"]) == (1364, 1169)
    assert flood(net, 0, 1, flag=0).transfers == 0
    assert np.diff(flood(net, 0, 90).round_start)[-1] == 217


def test_multicast_and_permutations():
    net = hopscape.build("expanded(heawood, 2)")
    rng = np.random.default_rng(0)
    goal = Goal.one_to_many(7, rng.choice(net.order, 20, replace=False).tolist())
    verdict = verify(run_algorithm(net, goal, "next-hop"))
    assert verdict
    far = max(net.router().distance(7, list(goal.targets)))
    assert verdict.details["rounds"] == far
    digits = net.addresses.tuples(np.arange(net.order)).astype(np.int64)
    digits[:, :-1] = (digits[:, :-1] + 7) % 14
    for targets in (net.addresses.numbers(digits), rng.permutation(net.order)):
        plan = run_algorithm(net, Goal.permutation(targets.tolist()), "spread")
        assert verify(plan)
        assert plan.rounds <= 30
        hops = net.router().distances(np.arange(net.order), targets)
        assert plan.transfers == hops.sum()


test_bad_input = refusals(
    ArgumentError,
    ("expanded(heawood, 15)", "at most 14 unless reuse=true"),
    ("expanded(heawood, -1)", "'n' of expanded is -1"),
    ("expanded(circulant(6, 2), 2)", "base circulant.6, 2. is not connected"),
    ("expanded(ring(4), 2, lamp=circulant(6, 2))", "lamp .* is not connected"),
    ("expanded(heawood, 2, connectors=(0,))", "has 1 entries; with n = 2 it needs 2"),
    ("expanded(heawood, 2, connectors=(0, 14))", "connector 14 is not a node"),
    ("expanded(heawood, 2, connectors=(3, 3))", "needs reuse=true"),
    ("expanded(kautz(2, 2), 1)", "duplex links"),
    ("expanded(4, 2)", "must be a network"),
)


def test_bad_digits_and_tables_that_are_too_large():
    net = hopscape.build("expanded(heawood, 2)")
    with pytest.raises(AddressError, match="out of range"):
        net.node((0, 14, 0))
    assert net.router().distance(5, 5) == 0
    assert net.router().next_port(5, 5) == -1
    large = hopscape.build("expanded(hoffman_singleton, 40)")
    with pytest.raises(TooLargeError, match="covering walks of hoffman_singleton"):
        covering_walks(large.family.base, large.family.marks)
    assert large.facts.diameter is None
    assert hopscape.build("expanded(heawood, 1, lamp=none)").spec == "expanded(heawood, 1)"
    assert isinstance(large.family, Expanded)


def test_degrees_of_networks_too_large_to_build_are_told():
    from hopscape.metrics.summary import summarise

    for n, least, most in ((13, 3, 6), (14, 6, 6)):
        record = summarise(hopscape.build(f"expanded(heawood, {n})"))
        assert record["degree"] == {"min": least, "max": most}


def test_mean_distance_round_cycles_needs_no_census():
    for m, n, lamp in ((3, 3, "petersen"), (5, 5, "path(3)"), (4, 8, "complete(2)")):
        net = hopscape.build(f"expanded(ring({m}), {n}, lamp={lamp}, reuse=true)")
        told = net.facts.mean_distance
        assert "census" not in vars(net.family)
        assert told == net.family.census.mean()


@pytest.mark.parametrize(
    "spec", ["expanded(ring(3), 3, lamp=path(3))", "expanded(ring(5), 2, lamp=petersen)"]
)
def test_a_lamp_without_a_table_of_distances(spec, monkeypatch):
    """The router of a large lamp answers itself."""
    monkeypatch.setattr(routing, "_LAMP_TABLE", 1)
    router = hopscape.build(spec).router()
    assert isinstance(router, routing.ExpandedRouter)
    verdict = check_router(router)
    assert verdict, verdict.reason
