"""Tables round dead channels, and routes over them, by networkx and by walking."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import fresh_graph
from hopscape.deadlock.layout import Wiring
from hopscape.simulate.table_kernels import mend_ports, routes_over

pytestmark = pytest.mark.interpreted
NO_PORT = 0xFFFF


def slow_ports(network, alive, old):
    """The old port where it is on a shortest live way, else the first that is, else none."""
    n, graph = network.order, nx.DiGraph()
    graph.add_nodes_from(range(n))
    live = zip(network.tails[alive].tolist(), network.heads[alive].tolist())
    graph.add_edges_from(live)
    out = np.full((n, n), NO_PORT)
    for goal in range(n):
        far = nx.single_source_shortest_path_length(graph.reverse(), goal)
        for v in set(far) - {goal}:
            good = [
                port
                for port, c in enumerate(range(network.indptr[v], network.indptr[v + 1]))
                if alive[c] and far.get(int(network.heads[c]), n) == far[v] - 1
            ]
            out[v, goal] = old[v, goal] if old[v, goal] in good else good[0]
    return out


def slow_over(network, port, alive, source, goal):
    """Does the route take a dead channel before it ends?"""
    at = source
    while at != goal and port[at, goal] != NO_PORT:
        channel = network.indptr[at] + port[at, goal]
        if not alive[channel]:
            return True
        at = network.heads[channel]
    return False


@given(st.integers(0, 10**6), st.integers(1, 8), st.integers(0, 16), st.booleans(), st.data())
def test_tables_are_mended_as_by_hand(seed, order, links, duplex, data):
    network = fresh_graph(seed, order, links, duplex)
    rng = np.random.default_rng(seed)
    heads = network.heads
    wiring = Wiring(network.indptr, heads)
    everything = np.ones(len(heads), dtype=bool)
    old = np.full((order, order), NO_PORT, dtype=np.uint16)
    for share in (0.0, data.draw(st.sampled_from([0.1, 0.5, 1.0]))):
        alive = rng.random(len(heads)) >= share
        port = np.full_like(old, NO_PORT)
        mend_ports(wiring, network.incoming(), alive, old, port)
        assert np.array_equal(port, slow_ports(network, alive, old))
        over = np.full((order, order), 7, dtype=np.uint8)
        dead = rng.random(len(heads)) >= 0.2
        for good in (everything, dead):
            routes_over(network.indptr, heads, port, good, over)
            nodes = range(order)
            slow = [[slow_over(network, port, good, a, b) for b in nodes] for a in nodes]
            assert over.tolist() == slow
        old = port
