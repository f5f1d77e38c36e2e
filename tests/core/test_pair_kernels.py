"""One shortest path by two searches, against plain breadth-first search."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopscape
from conftest import fresh_graph
from hopscape.core.errors import DisconnectedError
from hopscape.core.pair_kernels import new_searches, shortest_channels
from hopscape.core.router import Router, SearchRouter


def slow_channels(net, source, target):
    """The first channel of every node that leads nearer, hops by a search from the target."""
    into = [[] for _ in range(net.order)]
    for channel, head in enumerate(net.heads.tolist()):
        into[head].append(int(net.tails[channel]))
    hops, queue = {target: 0}, deque([target])
    while queue:
        v = queue.popleft()
        for u in into[v]:
            if u not in hops:
                hops[u] = hops[v] + 1
                queue.append(u)
    if source not in hops:
        return [-1]
    found, v = [], source
    while v != target:
        row = range(int(net.indptr[v]), int(net.indptr[v + 1]))
        found.append(next(c for c in row if hops.get(int(net.heads[c])) == hops[v] - 1))
        v = int(net.heads[found[-1]])
    return found


@given(
    seed=st.integers(0, 10_000),
    order=st.integers(1, 40),
    links=st.integers(0, 90),
    duplex=st.booleans(),
)
def test_the_path_is_that_of_the_twin(seed, order, links, duplex):
    net = fresh_graph(seed, order, links, duplex)
    searches = new_searches((net.indptr, net.heads), net.reversed_csr())
    for source, target in np.random.default_rng(seed).integers(0, order, (30, 2)).tolist():
        found = shortest_channels(searches, source, target).tolist()
        assert found == slow_channels(net, source, target)


@pytest.mark.parametrize(
    "spec",
    ["random_regular(1500, 3)", "kautz(3, 6)", "ring(1300)", "mesh(36, 36)", "fat_tree(18)"],
)
def test_single_routes_are_those_of_arrays(spec):
    """The search router takes the lowest port on a tie, one route at a time or many."""
    net = hopscape.build(spec)
    router = SearchRouter(net)
    for a, b in np.random.default_rng(3).integers(0, net.order, (25, 2)).tolist():
        nodes, ports = router.walk(np.asarray([a]), np.asarray([b]))
        assert router.trace(a, b) == (nodes[0].tolist(), ports[0].tolist())
        assert router.trace(a, b) == Router.trace(router, a, b)


def test_two_parts():
    net = hopscape.Network.from_links(1500, [0, 1], [1, 2], spec="two parts")
    assert SearchRouter(net).trace(0, 2) == ([0, 1, 2], [0, 1])
    with pytest.raises(DisconnectedError, match="no route from node 0 to node 7"):
        SearchRouter(net).trace(0, 7)
