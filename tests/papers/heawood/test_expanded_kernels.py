"""Distances of many pairs in expanded networks against searches on the wiring."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import hopscape
from hopscape.papers.heawood.routing import ExpandedRouter

pytestmark = pytest.mark.interpreted


def slow_distances(network, source):
    links = zip(network.tails.tolist(), network.heads.tolist())
    far = nx.single_source_shortest_path_length(nx.DiGraph([(source, source), *links]), source)
    return [far[v] for v in range(network.order)]


@pytest.mark.parametrize(
    "spec",
    [
        "expanded(petersen, 2, connectors=(3, 8))",
        "expanded(ring(4), 4, lamp=complete(2))",
        "expanded(path(3), 4, lamp=ring(3), reuse=true)",
        "expanded(ring(3), 2, lamp=mesh(2, 3))",
        "expanded(ring(5), 0)",
    ],
)
def test_pairs_by_search(spec, monkeypatch):
    monkeypatch.setattr("hopscape.papers.heawood.routing._MANY", 1)  # always by the kernel
    network = hopscape.build(spec)
    router = network.router()
    assert isinstance(router, ExpandedRouter)
    everybody = np.arange(network.order)
    for source in (0, 1, network.order // 2, network.order - 1):
        at = np.full(network.order, source)
        assert router.distances(at, everybody).tolist() == slow_distances(network, source)
