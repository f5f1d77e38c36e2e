"""Circulants by formula, and the routing algorithm as it is printed."""

from __future__ import annotations

import hopscape
from hopscape.algebra.reduction import l1
from hopscape.core.distances import distances_from
from hopscape.families.circulant.closed_forms import (
    set_two_parameter,
)
from hopscape.families.circulant.wiring import Circulant
from hopscape.papers.circulant.printed import printed_distance, printed_vector
from plain_circulants import bfs


def test_printed_algorithm() -> None:
    for p in (2, 4):
        nodes, generators = set_two_parameter(3 * p // 2, p)
        truth = bfs(nodes, generators)
        for v in range(nodes):
            x = printed_vector(p, v)
            assert printed_distance(p, v) == truth[v] == l1(x)
            assert sum(a * s for a, s in zip(x, generators, strict=True)) % nodes == v


def test_families_by_formula() -> None:
    specs = {
        "optimal_circulant(6)": (333, (1, 36, 46)),
        'optimal_circulant(6, variant="5")': (333, (1, 9, 73)),
        'optimal_circulant(7, variant="5+")': (505, (1, 11, 111)),
        'optimal_circulant(7, variant="5-")': (505, (1, 9, 91)),
        'optimal_circulant(8, variant="18")': (737, (1, 329, 341)),
        "gamma_circulant(3)": (154, (1, 7, 43)),
        "double_loop(100)": (100, (7, 8)),
        'double_loop(14, variant="ulb")': (14, (3, 4)),
        "largest_double_loop(4)": (41, (1, 9)),
        "yebra(4)": (61, (1, 13, 14)),
        "wong_coppersmith(5, 3)": (125, (1, 5, 25)),
        "chen_jia(7, 3)": (292, (1, 8, 64)),
        "two_parameter_circulant(6, 9)": (125, (1, 3, 13)),
    }
    for spec, (order, generators) in specs.items():
        network = hopscape.build(spec)
        assert isinstance(network.family, Circulant)
        assert (network.order, network.family.generators) == (order, generators)
        assert hopscape.build(network.spec).family.generators == generators
        far = distances_from(network, 0)
        facts = network.facts
        assert facts.diameter in (None, far.max())
        if facts.mean_distance is not None:
            assert facts.mean_distance * (order - 1) == far.sum()
