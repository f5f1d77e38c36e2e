"""Automorphism groups against igraph and against all permutations."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopscape as hs
from hopscape.algebra import automorphism_group
from hopscape.core.errors import TooLargeError
from hopscape.core.network import Network


def _all(net: Network) -> list[tuple[int, ...]]:
    """Every automorphism, by trying all permutations."""
    channels = sorted(zip(net.tails.tolist(), net.heads.tolist()))
    return [
        image
        for image in permutations(range(net.order))
        if sorted((image[a], image[b]) for a, b in channels) == channels
    ]


@given(st.data())
def test_small_graphs_against_all_permutations(data: st.DataObject) -> None:
    nodes = data.draw(st.integers(1, 6))
    node = st.integers(0, nodes - 1)
    pairs = data.draw(st.lists(st.tuples(node, node), max_size=12))
    duplex = data.draw(st.booleans())
    net = Network.from_links(nodes, [a for a, _ in pairs], [b for _, b in pairs], duplex=duplex)
    group = automorphism_group(net)
    expected = _all(net)
    assert group.order == len(expected)
    assert {tuple(g.tolist()) for g in group.generators} <= set(expected)
    orbits = {frozenset(image[v] for image in expected) for v in range(nodes)}
    assert {frozenset(orbit) for orbit in group.orbits()} == orbits
    if pairs:
        channels = set(zip(net.tails.tolist(), net.heads.tolist()))
        moved = {frozenset((i[a], i[b]) for i in expected) for a, b in channels}
        assert group.pair_orbits(net.tails, net.heads) == len(moved)


@pytest.mark.parametrize(
    "spec",
    ["petersen", "heawood", "hypercube(6)", "torus(8, 9)", "torus(12, 12)", "complete(60)",
     "hoffman_singleton", "ccc(5)", "mesh(9, 9)", "fat_tree(6)", "dragonfly(2, 4, 2)",
     "slim_fly(5)", "product(petersen, petersen)", "random_regular(60, 3)", "fat_tree(12)",
     "kary_ntree(3, 4)", "hyperx((4, 5, 6))", "product(complete(5), petersen)",
     "dragonfly(4, 8, 4)"],
)  # fmt: skip
def test_against_igraph(spec: str) -> None:
    net = hs.build(spec)
    group = automorphism_group(net)
    graph = net.to_igraph()
    switch = np.ones(net.order, dtype=int)
    switch[net.endpoints] = 0
    assert group.order == graph.count_automorphisms(color=switch.tolist())
    assert automorphism_group(net, kinds=False).order == graph.count_automorphisms()
    channels = net.tails.astype(np.int64) * net.order + net.heads
    for g in group.generators[:50]:
        moved = g[net.tails] * net.order + g[net.heads]
        assert np.array_equal(np.sort(moved), np.sort(channels))


def test_frucht_has_no_symmetry_and_files_are_decided_without_igraph(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import igraph

    lcf = igraph.Graph.LCF(12, [-5, -2, -4, 2, 5, -2, 2, 5, -2, -5, 4, 2], 1)
    frucht = hs.build(lcf.get_edgelist())
    assert automorphism_group(frucht).order == 1
    monkeypatch.setitem(__import__("sys").modules, "igraph", None)
    assert hs.metrics.vertex_transitive(frucht).value is False
    cube = hs.build(hs.build("hypercube(3)").to_networkx())
    assert hs.metrics.vertex_transitive(cube).value is True


def test_what_is_too_large_is_refused() -> None:
    with pytest.raises(TooLargeError, match="up to 5,000"):
        automorphism_group(hs.build("ring(5001)"))
