"""Spectra, expansion, distance-regularity and best known values against other ways to find them."""

from __future__ import annotations

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopscape as hs
from hopscape.core.errors import HopscapeError
from hopscape.metrics import best_known, edge_transitive, intersection_array, moore_bound, spectrum
from hopscape.metrics.cost import GRAPH_GOLF, LARGEST


@given(st.integers(2, 9), st.integers(0, 2**32 - 1))
def test_conductance_lies_between_the_cheeger_bounds(nodes: int, seed: int) -> None:
    graph = networkx.gnp_random_graph(nodes, 0.6, seed=seed)
    net = hs.build(graph)
    found = spectrum(net)
    assert sum(found.multiplicities) == nodes
    values = np.repeat(found.values, found.multiplicities)
    expected = np.sort(np.linalg.eigvalsh(networkx.to_numpy_array(graph)))[::-1]
    assert values == pytest.approx(expected, abs=1e-6)
    if networkx.is_connected(graph):
        sets = [[v for v in range(nodes) if code >> v & 1] for code in range(1, 2**nodes - 1)]
        conductance = min(networkx.conductance(graph, part) for part in sets)
        assert found.cheeger_low - 1e-9 <= conductance <= found.cheeger_high + 1e-9
        laplacian = networkx.normalized_laplacian_matrix(graph).toarray()
        assert found.gap == pytest.approx(np.linalg.eigvalsh(laplacian)[1], abs=1e-9)


@pytest.mark.parametrize(
    ("spec", "regular"),
    [("petersen", True), ("heawood", True), ("hypercube(4)", True), ("complete(5)", True),
     ("ring(7)", True), ("torus(4, 4)", True), ("torus(3, 5)", False), ("ccc(3)", False),
     ("path(4)", False), ("desargues", True), ("tutte_coxeter", True), ("mcgee", False)],
)  # fmt: skip
def test_distance_regular_as_networkx_says(spec: str, regular: bool) -> None:
    net = hs.build(spec)
    found = intersection_array(net)
    graph = net.to_networkx()
    assert networkx.is_distance_regular(graph) is regular is (found is not None)
    if found is not None:
        further, nearer = networkx.intersection_array(graph)
        assert found == (tuple(further), tuple(nearer))


def test_edge_transitivity() -> None:
    yes = ("petersen", "torus(5, 5)", "hypercube(5)", "ring(6)", "complete(6)", "path(3)")
    no = ("torus(4, 6)", "ccc(4)", "mesh(3, 3)", "generalized_petersen(7, 2)")
    assert [spec for spec in yes if not edge_transitive(hs.build(spec))] == []
    assert [spec for spec in no if edge_transitive(hs.build(spec))] == []


def test_best_known_values_keep_the_bounds() -> None:
    for degree, row in LARGEST.items():
        assert list(row) == sorted(row)
        for diameter, nodes in enumerate(row, 2):
            assert nodes <= moore_bound(degree, diameter)
            assert best_known(nodes, degree, diameter).largest == nodes
    for (nodes, degree), (diameter, mean) in GRAPH_GOLF.items():
        assert moore_bound(degree, diameter) >= nodes
        assert float(hs.metrics.moore_mean_distance(nodes, degree)) <= mean + 5e-4
        assert mean < diameter
    for spec in ("petersen", "hoffman_singleton"):
        net = hs.build(spec)
        found = best_known(net.order, int(net.degrees[0]), net.diameter)
        assert found.largest == found.moore == net.order
    assert best_known(8, 2, 4).largest == 9
    assert best_known(5, 0, None).moore is None


def test_one_way_channels_have_no_spectrum() -> None:
    with pytest.raises(HopscapeError, match="one-way"):
        spectrum(hs.build("debruijn(2, 3)"))
