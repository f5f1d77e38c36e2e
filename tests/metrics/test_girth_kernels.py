"""Girth against plain searches and networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopscape.metrics import girth_kernels
from hopscape.reference.graphs import NO_CYCLE, PlainGraph
from plain_graphs import graphs


@settings(max_examples=100, deadline=None)
@given(graph=graphs(largest=25))
def test_girth(graph):
    twin = graph.girth()
    arguments = (*graph.forward, graph.reverse)
    assert girth_kernels.girth(*arguments, np.arange(graph.n), NO_CYCLE) == twin
    found = [girth_kernels.girth(*arguments, np.array([v]), NO_CYCLE) for v in range(graph.n)]
    assert min(found) == twin
    assert girth_kernels.girth(*arguments, np.arange(graph.n), min(twin + 1, NO_CYCLE)) == twin
    assert girth_kernels.girth(*arguments, np.arange(graph.n), 1) == 1


@settings(max_examples=60, deadline=None)
@given(n=st.integers(1, 60), seed=st.integers(0, 999), directed=st.booleans())
def test_girth_of_simple_graphs_by_networkx(n, seed, directed):
    twin = nx.gnp_random_graph(n, 1.5 / n, seed=seed, directed=directed)
    edges = list(twin.edges)
    graph = PlainGraph(n, simplex=edges) if directed else PlainGraph(n, edges)
    found = girth_kernels.girth(*graph.forward, graph.reverse, np.arange(n), NO_CYCLE)
    if directed:
        cycles = [
            nx.shortest_path_length(twin, head, tail) + 1
            for tail, head in edges
            if nx.has_path(twin, head, tail)
        ]
        assert found == min(cycles, default=NO_CYCLE)
    else:
        expected = nx.girth(twin)
        assert found == (NO_CYCLE if expected == float("inf") else expected)


@pytest.mark.parametrize(
    ("graph", "girth"),
    [
        (PlainGraph(1), NO_CYCLE),
        (PlainGraph(1, [(0, 0)]), 1),
        (PlainGraph(1, simplex=[(0, 0)]), 1),
        (PlainGraph(2, [(0, 1)]), NO_CYCLE),
        (PlainGraph(2, [(0, 1), (0, 1)]), 2),
        (PlainGraph(2, simplex=[(0, 1), (0, 1)]), NO_CYCLE),
        (PlainGraph(2, simplex=[(0, 1), (1, 0)]), 2),
        (PlainGraph(2, [(0, 1)], [(0, 1)]), 2),
        (PlainGraph(5, [(v, (v + 1) % 5) for v in range(5)]), 5),
        (PlainGraph(5, simplex=[(v, (v + 1) % 5) for v in range(5)]), 5),
    ],
)
def test_girth_of_small_cases(graph, girth):
    assert girth_kernels.girth(*graph.forward, graph.reverse, np.arange(graph.n), NO_CYCLE) == girth
