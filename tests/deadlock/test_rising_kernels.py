"""Rising classes: the kernel against a walk over every route."""

from __future__ import annotations

import numpy as np
import pytest

import hopscape
from hopscape.deadlock.layer_kernels import rising_waits
from hopscape.deadlock.layers import blank_graph
from hopscape.deadlock.layout import Wiring
from hopscape.deadlock.routes import own_table

pytestmark = pytest.mark.interpreted


def walked(network, port, down, classes, first):
    """Dependencies and number of classes used, route by route."""
    waits, used = blank_graph(network, classes).astype(bool), 1
    for target in range(network.order):
        for source in range(network.order):
            for kind in range(first[source, target] + 1) if source != target else ():
                node, before = source, -1
                while node != target:
                    out = int(port[node, target])
                    channel = int(network.indptr[node]) + out
                    if before >= 0:
                        after = kind + bool(down[before] and not down[channel])
                        used = max(used, after + 1)
                        if after < classes:
                            waits[before * classes + kind, out * classes + after] = True
                        kind = min(after, classes - 1)
                    node, before = int(network.heads[channel]), channel
    return waits, used


@pytest.mark.parametrize("spec", ["ring(7)", "petersen", "hypercube(3)", "mesh(3, 4)"])
@pytest.mark.parametrize("seed", range(3))
def test_rising_waits_are_those_of_all_routes(spec, seed):
    network = hopscape.build(spec)
    rng = np.random.default_rng(seed)
    ranks = rng.permutation(network.order)
    down = (ranks[network.heads] < ranks[network.tails]).astype(np.uint8)
    port = own_table(network, None).port
    first = rng.integers(0, 2, (network.order, network.order)).astype(np.uint8)
    _, needed = walked(network, port, down, 16, first)
    wiring, goals = Wiring(network.indptr, network.heads), np.arange(network.order)
    everybody = np.ones(network.order, dtype=np.uint8)
    for classes in (needed + 1, needed, needed - 1):
        graph = blank_graph(network, classes)
        told = rising_waits(wiring, port.T, goals, everybody, down, classes, first, graph)
        if classes < needed:
            assert told == 0
        else:
            waits, _ = walked(network, port, down, classes, first)
            assert told == needed
            assert np.array_equal(graph > 0, waits)
