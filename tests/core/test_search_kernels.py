"""Shortest paths by searches from both ends, against plain breadth-first search."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopscape
from conftest import fresh_graph
from hopscape.core.distances import PairSearch, distances_to
from hopscape.core.errors import DisconnectedError
from hopscape.core.router import SearchRouter, spread


def slow_channels(net, source, target, dead, spreads):
    """Channels that lead nearer, hops by a search from the target: the first, or one by a hash."""
    into = [[] for _ in range(net.order)]
    for channel, head in enumerate(net.heads.tolist()):
        if not dead[channel]:
            into[head].append(int(net.tails[channel]))
    hops, queue = {target: 0}, deque([target])
    while queue:
        v = queue.popleft()
        for u in into[v]:
            if u not in hops:
                hops[u] = hops[v] + 1
                queue.append(u)
    if source not in hops:
        return None
    path, v = [], source
    while v != target:
        row = range(int(net.indptr[v]), int(net.indptr[v + 1]))
        nearer = [c for c in row if not dead[c] and hops.get(int(net.heads[c])) == hops[v] - 1]
        path.append(nearer[spread(v, target) % len(nearer) if spreads else 0])
        v = int(net.heads[path[-1]])
    return path


@given(
    seed=st.integers(0, 10_000),
    order=st.integers(1, 40),
    links=st.integers(0, 90),
    duplex=st.booleans(),
    spreads=st.booleans(),
    broken=st.sampled_from([None, 0.0, 0.15, 0.5]),
)
def test_the_paths_are_those_of_the_twin(seed, order, links, duplex, spreads, broken):
    net = fresh_graph(seed, order, links, duplex)
    rng = np.random.default_rng(seed)
    dead = rng.random(len(net.heads)) < (broken or 0)
    search = PairSearch(net, None if broken is None else dead, spread=spreads)
    at, to = rng.integers(0, order, (2, 30))
    slow = [
        slow_channels(net, a, b, dead, spreads)
        for a, b in zip(at.tolist(), to.tolist(), strict=True)
    ]
    for _ in range(2):  # what earlier searches left in memory must not be seen
        hops, channels = search.paths(at, to)
        assert hops.tolist() == [-1 if path is None else len(path) for path in slow]
        assert channels.tolist() == [c for path in slow for c in path or ()]


def test_long_paths_are_written_whole():
    net = hopscape.build("ring(4001)")
    hops, channels = PairSearch(net).paths(np.asarray([0, 7]), np.asarray([2000, 5]))
    assert hops.tolist() == [2000, 2]
    assert net.heads[channels].tolist() == [*range(1, 2001), 6, 5]


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
        assert router.trace(a, b) == router._trace_by_ports(a, b)
        assert router.distance(a, b) == len(router.trace(a, b)[1]) == distances_to(net, b)[a]


@pytest.mark.parametrize("order", [60, 1500])
@pytest.mark.parametrize("duplex", [False, True])
def test_arrays_of_pairs_are_pairs_one_by_one(order, duplex):
    """Targets of a few sources and of many, with and without a path, in one question."""
    net = fresh_graph(1, order, 3 * order // 2, duplex)
    at, to = np.random.default_rng(2).integers(0, order, (2, 200))
    to[:80] = to[0]
    router = SearchRouter(net)
    pairs = list(zip(at.tolist(), to.tolist(), strict=True))
    truth = [int(distances_to(net, b)[a]) for a, b in pairs]
    assert router.distances(at, to).tolist() == truth
    masks = SearchRouter(net).shortest_ports(at, to)
    slow = [int(mask.argmax()) if hops > 0 else -1 for mask, hops in zip(masks, truth, strict=True)]
    assert SearchRouter(net).next_ports(at, to).tolist() == slow
    there = np.asarray(truth) >= 0
    nodes, taken = router.walk(at[there], to[there])
    for i, (a, b) in enumerate(zip(at[there].tolist(), to[there].tolist(), strict=True)):
        path, ports = router.trace(a, b)
        assert [v for v in nodes[i].tolist() if v >= 0] == path
        assert [p for p in taken[i].tolist() if p >= 0] == ports


def test_two_parts():
    net = hopscape.Network.from_links(1500, [0, 1], [1, 2], spec="two parts")
    assert SearchRouter(net).trace(0, 2) == ([0, 1, 2], [0, 1])
    with pytest.raises(DisconnectedError, match="no route from node 0 to node 7"):
        SearchRouter(net).trace(0, 7)
