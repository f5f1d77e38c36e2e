"""Hops along the axes of grids, by networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import hopscape
from hopscape.core.dimension_order import grid_of


def hops_by_networkx(network, a, v):
    """Hops along one axis only, from a node to all of its line."""
    at = network.addresses.tuples(np.arange(network.order))
    graph = nx.DiGraph()
    graph.add_nodes_from(range(network.order))
    for u, w in zip(network.tails.tolist(), network.heads.tolist(), strict=True):
        if at[u][a] != at[w][a]:
            graph.add_edge(u, w)
    return nx.single_source_shortest_path_length(graph, v)


@pytest.mark.parametrize(
    "spec", ["torus(4, 5)", "mesh(3, 2, 4)", "hypercube(3)", "ring(5)", "path(1)"]
)
def test_hops_along_axes(spec):
    network = hopscape.build(spec)
    grid = grid_of(network)
    for a in range(len(grid.side)):
        for v in range(network.order):
            line = hops_by_networkx(network, a, v)
            row = grid.hops[grid.start[a] + v * grid.side[a] :][: grid.side[a]]
            assert [row[grid.place[w, a]] for w in line] == list(line.values())
            assert len(line) == grid.side[a]
