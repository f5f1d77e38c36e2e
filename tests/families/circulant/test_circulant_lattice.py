"""Bounds, multipliers, closed forms and the exact search, against counting and search."""

from __future__ import annotations

import itertools
import math
import random
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import hopscape
from hopscape.algebra.closest import Search
from hopscape.algebra.lattices.cell import Lattice
from hopscape.algebra.reduction import l1
from hopscape.core.errors import ArgumentError, DisconnectedError, SpecError, TooLargeError
from hopscape.core.formula import evaluate, inputs
from hopscape.core.network import Network
from hopscape.core.router import Router
from hopscape.core.router_check import check_router
from hopscape.families.circulant.closed_forms import (
    ball,
    canonical,
    find_multiplier,
    fold,
    least_mean,
    max_order,
    recognise,
    set_17,
    set_18,
    set_two_parameter,
    ulb,
)
from hopscape.families.circulant.routing import CirculantRouter
from hopscape.families.circulant.wiring import Circulant
from plain_circulants import bfs
from refusals import refusals


def router_of(nodes: int, generators: tuple[int, ...], method: str = "auto") -> CirculantRouter:
    return CirculantRouter(Network.of(Circulant(nodes, generators)), nodes, generators, method)


@st.composite
def circulants(draw: st.DrawFn, most: int = 4, order: int = 300) -> tuple[int, tuple[int, ...]]:
    """Random and nasty generator sets: tiny ones, ones near N/2 and N/3, repeated ones."""
    nodes = draw(st.integers(2, order))
    near = [max(1, min(nodes - 1, nodes // k + e)) for k in (2, 3, 4) for e in (-1, 0, 1)]
    pick = st.one_of(
        st.integers(1, nodes - 1), st.integers(1, min(5, nodes - 1)), st.sampled_from(near)
    )
    return nodes, tuple(draw(st.lists(pick, min_size=1, max_size=most)))


def test_ball_counts_points() -> None:
    for n, d in itertools.product(range(4), range(5)):
        box = itertools.product(range(-d, d + 1), repeat=n)
        assert ball(d, n) == sum(sum(map(abs, x)) <= d for x in box)
    assert ball(3, 10**30) == ball(10**30, 3)
    assert ball(10**18, 3) == (4 * 10**54 + 6 * 10**36 + 8 * 10**18 + 3) // 3


@given(st.integers(1, 10**40), st.integers(1, 8))
def test_ulb_is_the_least_radius(nodes: int, n: int) -> None:
    d = ulb(nodes, n)
    assert ball(d, n) >= nodes
    assert d == 0 or ball(d - 1, n) < nodes


def test_bounds_refuse_what_they_do_not_know() -> None:
    with pytest.raises(ArgumentError, match="n = 4"):
        max_order(3, 4)
    with pytest.raises(ArgumentError, match="at least 0"):
        ball(-1, 2)
    with pytest.raises(ArgumentError, match="nodes is 0"):
        ulb(0, 2)
    assert max_order(1, 7) == 15
    assert least_mean(13, 2).numerator == 5


@settings(deadline=None, max_examples=60)
@given(circulants(most=6, order=150))
@example((12, (2, 4, 6)))
@example((2, (1, 1)))
def test_exact_search_agrees_with_bfs(case: tuple[int, tuple[int, ...]]) -> None:
    nodes, generators = case
    truth = bfs(nodes, generators)
    router = router_of(nodes, generators, "lattice")
    for v in range(0, nodes, max(1, nodes // 12)):
        if truth[v] < 0:
            assert router.distance(0, v) == -1
            with pytest.raises(DisconnectedError, match="components"):
                router.vector(0, v)
            continue
        vector = router.vector(0, v)
        assert l1(vector) == truth[v]
        assert sum(x * s for x, s in zip(vector, generators, strict=True)) % nodes == v
        assert router.certify(0, v).holds


@settings(deadline=None, max_examples=40)
@given(circulants(most=5, order=700))
def test_kernel_agrees_with_bfs(case: tuple[int, tuple[int, ...]]) -> None:
    nodes, generators = case
    router = router_of(nodes, generators, "lattice")
    everybody = np.arange(nodes)
    start = np.zeros(nodes, dtype=np.int64)
    assert router.distances(start, everybody).tolist() == bfs(nodes, generators)


@settings(deadline=None, max_examples=30)
@given(circulants(most=3, order=60))
def test_all_shortest_vectors(case: tuple[int, tuple[int, ...]]) -> None:
    nodes, generators = case
    if math.gcd(nodes, *generators) != 1:
        return
    truth = bfs(nodes, generators)
    lattice = Lattice(nodes, generators)
    for v in range(0, nodes, max(1, nodes // 5)):
        d = truth[v]
        box = itertools.product(range(-d, d + 1), repeat=len(generators))
        wanted = {
            x
            for x in box
            if l1(x) == d and sum(a * s for a, s in zip(x, generators, strict=True)) % nodes == v
        }
        found = lattice.all_shortest(v)
        assert set(found) == wanted
        assert len(found) == len(wanted)


def test_certificate_refuses_a_longer_vector() -> None:
    lattice = Lattice(333, (1, 9, 73))
    assert lattice.nothing_shorter((0, 3, 1)) is not None
    assert lattice.nothing_shorter((9, 2, 1)) is None


def test_huge_orders_are_exact() -> None:
    rng = np.random.default_rng(5)
    for n in range(1, 7):
        nodes = 10**18 - 11
        generators = tuple(int(x) for x in rng.integers(1, nodes, n))
        router = router_of(nodes, generators)
        goals = rng.integers(0, nodes, 60)
        vectors = router.vector(0, goals)  # the kernel, where the lattice is short enough
        for v, row in zip(goals.tolist()[:6], vectors.tolist()[:6], strict=True):
            assert sum(x * s for x, s in zip(row, generators, strict=True)) % nodes == v
            assert l1(row) == l1(router.lattice.shortest(v))
            assert router.lattice.nothing_shorter(tuple(row)) is not None


def test_skewed_huge_lattice() -> None:
    router = router_of(10**9 + 7, (1, 2, 3))
    assert router.distance(0, 5 * 10**8) == -(-5 * 10**8 // 3)
    many = np.arange(30) * 10**7
    wanted = [min(-(-v // 3), -(-(10**9 + 7 - v) // 3)) for v in many.tolist()]
    assert router.distance(0, many).tolist() == wanted


def test_closed_forms_of_all_families() -> None:
    cases = [set_two_parameter(d, p) for d in range(2, 9) for p in range(1, 2 * d - 1)]
    cases += [
        (4 * p**3 + 4 * p**2 + 3 * p + 1, (1, 2 * p + 1, 4 * p * p + 2 * p + 1))
        for p in range(1, 7)
    ]
    cases += [(max_order(d, 3), set_17(d)) for d in range(1, 12)]
    cases += [(max_order(d, 3), s) for d in range(2, 12) if (s := set_18(d)) is not None]
    for nodes, generators in cases:
        form = recognise(nodes, generators)
        assert form is not None, (nodes, generators)
        truth = bfs(nodes, generators)
        assert form.diameter == max(truth)
        for v in range(nodes):  # the slow twin
            x = form.vector(v)
            assert l1(x) == truth[v]
            assert sum(a * s for a, s in zip(x, generators, strict=True)) % nodes == v
        router = router_of(nodes, generators, "closed")
        found = router.vectors(np.zeros(nodes, dtype=np.int64), np.arange(nodes))
        assert [tuple(row) for row in found.tolist()] == [form.vector(v) for v in range(nodes)]


def test_closed_form_survives_order_and_sign() -> None:
    for generators in ((9, 1, 73), (260, 324, 332), (297, 1, 46), (144, 152, 1)):
        router = router_of(333, generators)
        assert router.name.startswith("closed form")
        assert check_router(router, targets=20)


def test_array_shapes_and_paths() -> None:
    router = hopscape.build("circulant(333, 1, 9, 73)").router()
    assert router.vector(0, 100) == (0, 3, 1)
    assert router.vector([0, 1, 2], 100).shape == (3, 3)
    assert router.route(5, 105).length == 4
    assert router.all_vectors(0, 0) == [(0, 0, 0)]
    half = hopscape.build("circulant(20, 3, 10)").router()
    assert half.all_vectors(0, 10) == [(0, 1)]


@settings(deadline=None, max_examples=40)
@given(circulants(most=3, order=40))
def test_canonical_form_is_least_over_all_multipliers(case: tuple[int, tuple[int, ...]]) -> None:
    nodes, generators = case
    units = [u for u in range(1, nodes) if math.gcd(u, nodes) == 1]
    wanted = min(fold(nodes, [u * s for s in generators]) for u in units)
    assert canonical(nodes, generators) == wanted
    u = find_multiplier(nodes, generators, wanted)
    assert u is not None
    assert fold(nodes, [u * s for s in generators]) == wanted
    assert math.gcd(u, nodes) == 1


@pytest.mark.interpreted
@pytest.mark.parametrize(
    "spec", ["circulant(36, 2, 6, 10)", "circulant(96, 4, 6, 22)", "circulant(72, 2, 10, 22)"]
)
def test_formulas_settle_ties_of_parts_like_the_router(spec, monkeypatch) -> None:
    """Two parts each; without its ties put right the formula takes another shortest path.

    The last one has a tie on either half of the way round.
    """
    router = hopscape.build(spec).router()
    gaps = np.arange(router.nodes)
    zero, wanted = np.zeros_like(gaps), router.next_ports(np.zeros_like(gaps), gaps)
    assert (evaluate(router.formula(*inputs(router.nodes)), zero, gaps) == wanted).all()
    monkeypatch.setattr(router, "_settled", lambda port, gap: port)
    assert (evaluate(router.formula(*inputs(router.nodes)), zero, gaps) != wanted).any()


test_bad_parameters_get_one_sentence = refusals(
    SpecError,
    ("circulant(10, 10)", "1 to N - 1"),
    ('optimal_circulant(4, variant="18")', "0 or 2 mod 3"),
    ('optimal_circulant(6, variant="5+")', "1 mod 3"),
    ('optimal_circulant(6, variant="x")', "choose one of"),
    ("two_parameter_circulant(4, 7)", "1 to 2d - 2"),
    ("chen_jia(4, 4)", "2n - 3"),
    ("wong_coppersmith(4, 2)", "odd"),
)


def test_disconnected_circulant_names_its_components() -> None:
    network = hopscape.build("circulant(12, 4, 6)")
    assert network.facts.connected is False
    assert network.family.components == 2
    assert network.family.component_spec == "circulant(6, 2, 3)"


@pytest.mark.parametrize("seed", range(6))
def test_the_smallest_of_many_shortest_vectors(seed):
    """First in lexicographic order, ties settled coordinate by coordinate; all are listed here."""
    rng = random.Random(seed)
    for _ in range(25):
        nodes = rng.randrange(5, 3000)
        base = rng.randrange(1, nodes // 2)
        generators = {min(g % nodes, -g % nodes) for g in range(base, base + rng.randrange(1, 6))}
        generators = tuple(sorted(generators - {0}))
        if not generators or math.gcd(nodes, *generators) != 1:
            continue
        lattice = Lattice(nodes, generators)
        v = rng.randrange(nodes)
        shortest = lattice.all_shortest(v, 100_000)
        assert lattice.smallest(v) == min(shortest)
        assert [x for x in shortest[:50] if lattice.is_smallest(x)] in ([], [min(shortest)])
        assert lattice.is_smallest(min(shortest))
        longer = tuple(2 * x + b for x, b in zip(min(shortest), lattice.basis[0], strict=True))
        assert lattice.is_smallest(longer) == (
            longer == min(lattice.all_shortest(_end(longer, lattice)))
        )


def _end(x, lattice):
    return sum(a * s for a, s in zip(x, lattice.generators, strict=True)) % lattice.nodes


@pytest.mark.parametrize(
    ("nodes", "generators", "node"),
    [
        (706419675530572239785324899274, (194952, 194961, 194979, 194991, 195001),
         220130902998489930859694013717),
        (931807621504269252572551653426, (563366888160030, 563366888160038, 563366888160043,
         563366888160047, 563366888160062), 693928592323675004361687243326 // 13 * 13),
        (449667386177057358581534226226, (542861524484916, 542861524484919, 542861524484920,
         542861524484922, 542861524484924, 542861524484927), 348900471647584499099052867624),
    ],
)  # fmt: skip
def test_nearly_equal_generators_take_few_branches(nodes, generators, node):
    """Faces of millions of shortest vectors: work is counted in branches, not in seconds."""
    lattice = Lattice(nodes, generators)
    x, visited = lattice.shortest(node), 0
    for chain in lattice._tie_chains:
        search = Search(chain)
        x = search.run(x)[0]
        visited += search.visited
    assert visited < 500
    assert lattice.smallest(node) == x
    for axis in range(len(x)):
        y = (*x[:axis], x[axis] + 1, *x[axis + 1 :])
        for chain in lattice._tie_chains if lattice.nothing_shorter(y) else ():
            search = Search(chain)
            search.run(y)
            assert search.visited < 500


def test_what_takes_too_many_branches_is_refused():
    generators = tuple(8131381821178922822769284000 + x for x in (104, 135, 177, 293, 404, 452))
    lattice = Lattice(130940727132814180180317219815, generators)
    with pytest.raises(TooLargeError, match="given up after 5,000 branches"):
        lattice.smallest(116011392459431249257820628940)


@settings(deadline=None, max_examples=25)
@given(st.integers(5, 3000) | st.integers(10**6, 10**9), st.data())
def test_many_hops_at_a_time_are_the_hops_one_by_one(n, data):
    most = n // 2
    steps = data.draw(st.sets(st.integers(1, most) | st.sampled_from([1, 2, most]), min_size=1,
                              max_size=4))  # fmt: skip
    net = hopscape.build(f"circulant({n}, {', '.join(map(str, sorted(steps)))})")
    router = CirculantRouter(net, n, tuple(sorted(steps)))
    node = st.integers(0, n - 1)
    at, to = data.draw(node), data.draw(node)
    if 0 <= router.distance(at, to) <= 2000:
        plain = Router._trace_by_ports(router, at, to)
        assert router._trace_by_vectors(at, to) == plain
        with patch("hopscape.families.circulant.routing._MANY_HOPS", 2):  # looks for ties first
            assert router._trace_by_vectors(at, to) == plain
