"""Butterflies and Cayley graphs of permutations against networkx and breadth-first search."""

from __future__ import annotations

from itertools import permutations, product

import networkx
import numpy as np
import pytest

import hopscape
from hopscape.core.distances import distances_from
from hopscape.core.router_check import check_router

LEVELS = {
    "butterfly": lambda d: (d + 1, list(range(d))),
    "benes": lambda d: (2 * d + 1, [*range(d), *range(d - 1, -1, -1)]),
    "wrapped_butterfly": lambda d: (d, list(range(d))),
}


def slow_levels(name: str, d: int) -> networkx.Graph:
    """By definition: (level, word) and the next level with a bit of the word flipped or not."""
    levels, bits = LEVELS[name](d)
    graph = networkx.Graph()
    for (i, bit), word, flip in product(enumerate(bits), range(1 << d), (0, 1)):
        graph.add_edge((i << d) + word, ((i + 1) % levels << d) + (word ^ flip << bit))
    return graph


def slow_sorting(name: str, n: int) -> networkx.Graph:
    """By definition, nodes numbered as their words in the dictionary."""
    number = {word: i for i, word in enumerate(permutations(range(n)))}
    graph = networkx.Graph()
    for word, i in number.items():
        for k in range(n - 1):
            if name == "pancake":
                other = (*word[k + 1 :: -1], *word[k + 2 :])
            else:
                other = (*word[:k], word[k + 1], word[k], *word[k + 2 :])
            graph.add_edge(i, number[other])
    return graph


@pytest.mark.parametrize(
    ("name", "size"),
    [
        *(("butterfly", d) for d in (1, 2, 3, 4)),
        *(("benes", d) for d in (1, 2, 3)),
        *(("wrapped_butterfly", d) for d in (3, 4, 5)),
        *((name, n) for name in ("bubble_sort", "pancake") for n in (2, 3, 4, 5)),
    ],
)
def test_wires_routes_and_facts(name: str, size: int) -> None:
    network = hopscape.build(f"{name}({size})")
    slow = slow_levels(name, size) if name in LEVELS else slow_sorting(name, size)
    wires = zip(network.tails.tolist(), network.heads.tolist(), strict=True)
    assert {tuple(sorted(wire)) for wire in wires} == {tuple(sorted(edge)) for edge in slow.edges}
    assert network.channels == 2 * slow.number_of_edges()
    assert check_router(network.router("closed"))
    assert network.diameter == networkx.diameter(slow)


@pytest.mark.parametrize("spec", ["wrapped_butterfly(5)", "bubble_sort(4)", "pancake(4)"])
def test_translations_keep_the_wires(spec: str) -> None:
    network = hopscape.build(spec)
    maps = network.family.translations()
    wires = network.tails * network.order + network.heads
    for v, image in enumerate(maps):
        assert image[0] == v
        moved = image[network.tails] * network.order + image[network.heads]
        assert np.array_equal(np.sort(moved), np.sort(wires))


@pytest.mark.parametrize(("n", "far"), [(6, 7), (7, 8), (8, 9)])
def test_diameters_of_pancake_graphs(n: int, far: int) -> None:
    network = hopscape.build(f"pancake({n})")
    assert distances_from(network, 0).max() == far == network.diameter


@pytest.mark.parametrize("spec", ["wrapped_butterfly(50)", "benes(40)", "butterfly(45)"])
def test_long_routes_go_on_as_they_begin(spec: str) -> None:
    network = hopscape.build(spec)
    router = network.router()
    generator = np.random.default_rng(1)
    at, to = generator.integers(0, network.order, size=(2, 50))
    hops, ports = router.distances(at, to), router.next_ports(at, to)
    heads = network.rows(at)[np.arange(50), ports]
    assert np.array_equal(router.distances(heads, to), hops - 1)
