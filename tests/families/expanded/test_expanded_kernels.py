"""Distances of many pairs in expanded networks against searches on the wiring."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

import hopscape
from hopscape.families.expanded.routing import ExpandedRouter

pytestmark = pytest.mark.interpreted


def slow_distances(network, source):
    far, queue = {source: 0}, deque([source])
    while queue:
        v = queue.popleft()
        for w in network.heads[network.indptr[v] : network.indptr[v + 1]].tolist():
            if w not in far:
                far[w] = far[v] + 1
                queue.append(w)
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
    monkeypatch.setattr("hopscape.families.expanded.routing._MANY", 1)  # always by the kernel
    network = hopscape.build(spec)
    router = network.router()
    assert isinstance(router, ExpandedRouter)
    everybody = np.arange(network.order)
    for source in (0, 1, network.order // 2, network.order - 1):
        at = np.full(network.order, source)
        assert router.distances(at, everybody).tolist() == slow_distances(network, source)
