"""Routes that their sources choose: their dependency graph against a walk over every route."""

from __future__ import annotations

import numpy as np
import pytest

import hopscape
from hopscape.deadlock import source_routes
from hopscape.deadlock.layers import blank_graph


@pytest.mark.parametrize("name", ["balanced-rings", "one-ring"])
def test_the_graph_counts_every_step_of_every_route(name):
    network = hopscape.build("multiring(10, 1, 3)")
    routes = source_routes(network, network.router(name))
    dated = routes.datelines()
    assert dated is not None
    for kinds, classes in ((1, np.zeros_like(dated)), (2, dated)):
        counted = blank_graph(network, kinds)
        for begin, end in zip(routes.starts[:-1], routes.starts[1:], strict=True):
            for i in range(begin, end - 1):
                here, there = int(routes.channels[i]), int(routes.channels[i + 1])
                port = there - int(network.indptr[network.heads[here]])
                counted[here * kinds + classes[i], port * kinds + classes[i + 1]] += 1
        assert np.array_equal(routes.graph(kinds, classes), counted)
        assert counted.sum() == len(routes.channels) - len(routes.shares)
