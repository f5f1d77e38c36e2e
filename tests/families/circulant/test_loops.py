"""Directed circulants: L-shapes by brute force, routes by breadth-first search, formulas."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape.core.errors import HopscapeError
from hopscape.core.formula import evaluate, inputs
from hopscape.core.router_check import check_router
from hopscape.families.circulant.loops import DirectedRouter, LShape, loop_distances


def slow_cells(nodes: int, a: int, b: int) -> set[tuple[int, int]]:
    """The shortest vector to every node, of several the one with the fewest steps of a."""
    best: dict[int, tuple[int, int]] = {}
    for x, y in product(range(nodes), repeat=2):
        node = (a * x + b * y) % nodes
        best[node] = min(best.get(node, (2 * nodes, 0)), (x + y, x))
    return {(x, hops - x) for hops, x in best.values()}


@pytest.mark.parametrize("nodes", [*range(2, 15), 20, 24])
def test_the_shape_holds_the_shortest_vectors(nodes: int) -> None:
    for a, b in product(range(1, nodes), repeat=2):
        if math.gcd(nodes, a, b) > 1:
            continue
        shape, cells = LShape.of(nodes, a, b), slow_cells(nodes, a, b)
        inner, up = shape.long - shape.wide, shape.high - shape.deep
        filled = {
            (x, y) for x in range(shape.long) for y in range(shape.high) if x < inner or y < up
        }
        assert filled == cells, (nodes, a, b)
        assert shape.nodes == nodes
        lengths = [x + y for x, y in cells]
        assert (shape.diameter, shape.total) == (max(lengths), sum(lengths))


@settings(max_examples=60)
@given(st.integers(1, 400), st.lists(st.integers(1, 10**6), max_size=4))
def test_routes_are_shortest(nodes: int, steps: list[int]) -> None:
    generators = [s % nodes for s in steps if s % nodes]
    network = hopscape.build(f"directed_circulant({', '.join(map(str, [nodes, *generators]))})")
    router = network.router()
    assert check_router(router, targets=5)
    assert (router.name == "L-shape") == (1 <= len(generators) <= 2)


@settings(max_examples=30)
@given(st.integers(10**9, 2**62), st.integers(1, 10**8), st.integers(1, 10**8), st.data())
def test_long_routes_go_on_as_they_begin(nodes: int, a: int, b: int, data: st.DataObject) -> None:
    network = hopscape.build(f"directed_circulant({nodes}, {a}, {b})")
    router = network.router()
    assert isinstance(router, DirectedRouter)
    g = math.gcd(nodes, a, b)
    start = data.draw(st.integers(0, nodes - 1))
    end = (start + g * data.draw(st.integers(0, nodes // g - 1))) % nodes
    if start != end:
        hops, port = router.distance(start, end), router.next_port(start, end)
        assert router.distance((start + (a, b)[port]) % nodes, end) == hops - 1
    if g > 1:
        assert router.distance(start, (start + 1) % nodes) == -1


def test_the_vector_of_a_route_leads_there() -> None:
    network = hopscape.build("directed_circulant(1000003, 7, 1000)")
    router = network.router()
    assert isinstance(router, DirectedRouter)
    to = np.arange(0, 1000003, 1009)
    x, y = router.vectors(np.zeros_like(to), to)
    assert ((7 * x + 1000 * y) % 1000003 == to).all()
    far = loop_distances(1000003, (7, 1000))
    assert (x + y == far[to]).all()
    facts = network.family.facts()
    assert (facts.diameter, facts.mean_distance) == (far.max(), Fraction(int(far.sum()), 1000002))


@pytest.mark.parametrize("spec", ["(9, 1, 4)", "(12, 2, 3)", "(12, 4, 6)", "(7, 3)", "(30, 29, 1)"])
def test_the_formula_is_the_router(spec: str) -> None:
    network = hopscape.build(f"directed_circulant{spec}")
    router, n = network.router(), network.order
    at, to = np.repeat(np.arange(n), n), np.tile(np.arange(n), n)
    assert (evaluate(router.formula(*inputs(n)), at, to) == router.next_ports(at, to)).all()


def test_generators_are_below_the_order() -> None:
    with pytest.raises(HopscapeError, match="generator 9 is not from 1 to N - 1 = 8"):
        hopscape.build("directed_circulant(9, 1, 9)")
