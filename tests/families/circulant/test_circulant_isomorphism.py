"""Isomorphism of circulants against networkx and against the automorphisms of networks."""

from __future__ import annotations

from itertools import combinations

import networkx
import numpy as np
import pytest

import hopscape
from hopscape.core.distances import distances_from
from hopscape.families.circulant.closed_forms import canonical
from hopscape.families.circulant.isomorphism import (
    compare_circulants,
    count_classes,
    find_isomorphism,
    isomorphism_classes,
    multipliers_suffice,
)

Sets = list[tuple[int, ...]]


def all_sets(nodes: int, sizes: range | None = None) -> Sets:
    """All sets of generators up to multipliers."""
    half = nodes // 2
    counts = range(half + 1) if sizes is None else sizes
    sets = (one for count in counts for one in combinations(range(1, half + 1), count))
    return sorted({canonical(nodes, one) for one in sets})


def slow_classes(nodes: int, sets: Sets) -> list[Sets]:
    """By networkx, pair by pair."""
    classes: list[tuple[networkx.Graph, Sets]] = []
    for one in sets:
        graph = networkx.circulant_graph(nodes, one)
        for other, members in classes:
            if networkx.faster_could_be_isomorphic(graph, other) and networkx.is_isomorphic(
                graph, other
            ):
                members.append(one)
                break
        else:
            classes.append((graph, [one]))
    return [members for _, members in classes]


# circulant graphs by order, up to isomorphism: A049287 of the Encyclopedia of Integer Sequences
COUNTS = [1, 2, 2, 4, 3, 8, 4, 12, 8, 20, 8, 48, 14, 48, 44, 84, 36]


@pytest.mark.parametrize("nodes", range(1, 12))
def test_classes_are_those_of_networkx(nodes: int) -> None:
    sets = all_sets(nodes)
    found = isomorphism_classes(nodes, sets)
    assert sorted(map(sorted, found)) == sorted(map(sorted, slow_classes(nodes, sets)))


def test_counts_are_those_of_the_encyclopedia() -> None:
    found = [len(isomorphism_classes(n, all_sets(n))) for n in range(1, 18)]
    assert found == COUNTS


def test_order_16_has_four_pairs_that_no_multiplier_finds() -> None:
    sets = all_sets(16)
    found = isomorphism_classes(16, sets)
    assert (len(sets), len(found)) == (88, 84)
    pairs = [members for members in found if len(members) > 1]
    assert [len(members) for members in pairs] == [2] * 4
    for one, other in pairs:
        first, second = (networkx.circulant_graph(16, s) for s in (one, other))
        assert networkx.is_isomorphic(first, second)


@pytest.mark.parametrize(
    ("nodes", "sizes"), [(24, range(3, 4)), (25, range(3, 4)), (27, range(3, 4))]
)
def test_classes_are_those_of_automorphisms(nodes: int, sizes: range) -> None:
    sets = all_sets(nodes, sizes)
    found = isomorphism_classes(nodes, sets)
    assert sum(map(len, found)) == len(sets)
    number = {one: i for i, members in enumerate(found) for one in members}
    networks = {one: hopscape.build(f"circulant({nodes}, {str(one)[1:-1]})") for one in sets}
    rows = {one: tuple(np.bincount(distances_from(networks[one], 0) + 1)) for one in sets}
    for one, other in combinations(sets, 2):
        if rows[one] == rows[other] and len(one) == len(other):
            same = networks[one].is_isomorphic(networks[other])
            assert same == (number[one] == number[other]), (one, other)


@pytest.mark.parametrize("nodes", [15, 17, 18, 20, 21, 22])
def test_multipliers_suffice_where_the_theorem_says_so(nodes: int) -> None:
    sets = all_sets(nodes, range(1, 5))
    assert multipliers_suffice(nodes)
    assert len(isomorphism_classes(nodes, sets)) == len(sets) == count_classes(nodes, sets)


@pytest.mark.parametrize(
    ("nodes", "one", "other"),
    [
        (16, (1, 2, 7), (2, 3, 5)),
        (16, (1, 2, 7, 8), (2, 3, 5, 8)),
        (16, (1, 1, 7, 2, 7), (3, 2, 3, 5, 5)),
        (32, (2, 4, 14), (4, 6, 10)),
        (21, (1, 4, 6), (1, 5, 9)),
        (48, (3, 6, 21), (6, 9, 15)),
    ],
)
def test_maps_send_links_to_links(nodes: int, one: tuple[int, ...], other: tuple[int, ...]) -> None:
    image = find_isomorphism(nodes, one, other)
    assert image is not None
    assert sorted(image.tolist()) == list(range(nodes))
    ends = []
    for image_of, generators in ((image, one), (np.arange(nodes), other)):
        links = [
            tuple(sorted((int(image_of[v]), int(image_of[(v + s) % nodes]))))
            for s in generators
            for v in range(nodes)
        ]
        ends.append(sorted(links))
    assert ends[0] == ends[1]


def test_parallel_links_count() -> None:
    assert find_isomorphism(16, (1, 1, 2, 7), (2, 3, 5, 5)) is None
    assert find_isomorphism(16, (1, 2, 7), (2, 3, 5, 5)) is None


def test_what_is_not_searched_is_said() -> None:
    assert compare_circulants(10**6, (1, 2, 7), (1, 2, 5)) == (
        None,
        "no multiplier; other maps are looked for up to 20000 nodes",
    )
    assert compare_circulants(10**9 + 7, (1, 2, 7), (1, 2, 5))[0] is False
    assert compare_circulants(10**9 + 7, (1, 2, 7), (5, 10, 35)) == (True, "by a multiplier")
