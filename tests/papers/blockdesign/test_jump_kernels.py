"""Jumps from endpoint to endpoint against shortest paths with switches for free."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import fresh_graph
from hopscape.papers.blockdesign.jump_kernels import count_jumps

pytestmark = pytest.mark.interpreted


def slow_jumps(network, switch, dead, source):
    """Leaving an endpoint (or the source) is a jump, leaving a switch is none."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(network.order))
    for c, (u, v) in enumerate(zip(network.tails.tolist(), network.heads.tolist())):
        if not (len(dead) and dead[c]) and v != source:
            graph.add_edge(u, v, weight=0 if switch[u] and u != source else 1)
    far = nx.single_source_dijkstra_path_length(graph, source)
    return [far.get(v, -1) for v in range(network.order)]


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(0, 18), st.booleans(), st.data())
def test_jumps_are_those_of_the_twin(seed, order, links, duplex, data):
    network = fresh_graph(seed, order, links, duplex)
    rng = np.random.default_rng(seed)
    switch = rng.random(order) < 0.5
    dead = rng.random(len(network.heads)) < 0.2 if data.draw(st.booleans()) else np.zeros(0, bool)
    source = data.draw(st.integers(0, order - 1))
    jumps = np.empty(order, dtype=np.int64)
    nobody = np.zeros(0, dtype=bool)
    count_jumps(network.indptr, network.heads, switch, dead, source, nobody, jumps)
    slow = slow_jumps(network, switch, dead, source)
    assert jumps.tolist() == slow
    wanted = rng.random(order) < 0.3
    count_jumps(network.indptr, network.heads, switch, dead, source, wanted, jumps)
    for v in np.flatnonzero(wanted | (jumps >= 0)).tolist():
        assert jumps[v] == slow[v]
