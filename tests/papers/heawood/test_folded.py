"""Folded networks: factors, closed forms, routing."""

from __future__ import annotations

import pytest

import hopscape
from hopscape.core.errors import ArgumentError, SpecError
from hopscape.core.router_check import check_router
from hopscape.formats.graphs import to_igraph
from hopscape.metrics import distance_profile
from hopscape.papers.heawood.routing import look_ahead_route


def test_factors_and_addresses():
    net = hopscape.build("folded(heawood, 3)")
    assert len(net.family.factors) == 3
    assert net.order == 14**3
    assert net.address(14 * 14 * 3 + 14 * 5 + 2) == (3, 5, 2)
    assert net.spec == "folded(heawood, 3)"
    assert hopscape.build("folded(heawood(mirrored=true), 2)").spec == (
        "folded(heawood(mirrored=true), 2)"
    )


@pytest.mark.parametrize(("base", "size", "far"), [("heawood", 14, 3), ("petersen", 10, 2)])
@pytest.mark.parametrize("n", [1, 2, 10, 40])
def test_table_facts(base, size, far, n):
    net = hopscape.build(f"folded({base}, {n})")
    facts = net.facts
    assert net.order == size**n
    assert facts.degree_min == facts.degree_max == 3 * n
    assert facts.diameter == far * n
    assert facts.node_connectivity == facts.edge_connectivity == 3 * n
    assert facts.links == 3 * n * size**n // 2
    assert facts.vertex_transitive


@pytest.mark.parametrize(
    "spec",
    [
        "folded(heawood, 2)",
        "folded(petersen, 2)",
        "folded(petersen, 1)",
        "product(hypercube(2), folded(petersen, 1))",
        "product(hypercube(3), petersen)",
        "folded(path(3), 3)",
    ],
)
def test_facts_and_router_against_search(spec):
    net = hopscape.build(spec)
    profile = distance_profile(net, exact=True)
    assert profile.diameter == net.facts.diameter
    assert profile.mean == net.facts.mean_distance
    if net.order <= 100:
        assert to_igraph(net).vertex_connectivity() == net.facts.node_connectivity
    assert check_router(net.router(), targets=30)


def test_relatives_of_the_paper():
    """FPQ(n, k): 2^n 10^k nodes, degree n+3k, diameter n+2k; HP(n): 1.25·2^n, n, n-1."""
    net = hopscape.build("product(hypercube(3), folded(petersen, 2))")
    assert (net.order, net.facts.degree_max, net.facts.diameter) == (800, 9, 7)
    net = hopscape.build("product(hypercube(4), petersen)")
    assert (net.order, net.facts.degree_max, net.facts.diameter) == (160, 7, 6)


def test_huge_addresses():
    net = hopscape.build("folded(heawood, 30)")
    route = net.router().route(0, (7,) * 30)
    assert route.length == 90
    assert net.address(route.path[-1]) == (7,) * 30


def test_basic_route_by_readings():
    net = hopscape.build("heawood")
    router = net.router()
    assert router.name == "basic"
    for a in range(14):
        for b in range(14):
            way = look_ahead_route(net, a, b)
            assert way == router.path(a, b)
            assert len(way) - 1 == router.distance(a, b)
    pairs = [(a, b) for a in range(14) for b in range(14) if a != b]
    assert sum(look_ahead_route(net, *p, last_is_tested=True) is None for p in pairs) == 56
    assert sum(look_ahead_route(net, *p, self_adjacent=False) is None for p in pairs) == 112


def test_bad_input():
    with pytest.raises(SpecError, match="'n' of folded is 0"):
        hopscape.build("folded(heawood, 0)")
    with pytest.raises(ArgumentError, match="not connected"):
        hopscape.build("folded(circulant(6, 2), 2)")
    with pytest.raises(SpecError, match="must be a network"):
        hopscape.build("folded(3, 2)")
