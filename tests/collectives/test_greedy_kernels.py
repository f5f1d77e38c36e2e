"""Greedy rounds and trees against lists and dictionaries that follow the same rule."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import connected_graph
from hopscape.collectives.greedy_kernels import (
    Rules,
    balanced_trees,
    flow_trees,
    prune_trees,
    route_packets,
)
from hopscape.reference.graphs import hop_table

pytestmark = pytest.mark.interpreted


def slow_rounds(network, begin, follow, ports, half, packed):
    """Move items (number, channel, priority); `follow(item)` lists what comes of one that moved.

    A channel takes the item of highest priority, the one that came last among equals; channels
    choose by the highest priority that waits for them, the lower number first.
    """
    tails, heads, mates = (a.tolist() for a in (network.tails, network.heads, network.reverse))
    waiting = defaultdict(list)
    for item in begin:
        waiting[item[1]].append(item)
    log, r = [], 0
    while any(waiting.values()):
        urgent = sorted(
            (c for c in waiting if waiting[c]), key=lambda c: (-max(i[2] for i in waiting[c]), c)
        )
        if ports == 0 and not half:
            urgent.sort()
        sent, got, busy, moved = Counter(), Counter(), set(), []
        for c in urgent:
            u, v = tails[c], heads[c]
            if half and mates[c] in busy:
                continue
            if ports and half and max(sent[u] + got[u], sent[v] + got[v]) >= ports:
                continue
            if ports and not half and (sent[u] >= ports or got[v] >= ports):
                continue
            sent[u] += 1
            got[v] += 1
            busy.add(c)
            waiting[c].sort(key=lambda item: item[2])  # stable: the last is the latest of the best
            for _ in range(len(waiting[c]) if packed else 1):
                moved.append(waiting[c].pop())
        log += [(r, c, number) for number, c, _ in moved]
        for item in moved:
            for later in follow(item):
                waiting[later[1]].append(later)
        r += 1
    return log


@st.composite
def walks(draw):
    """A network, and random walks on it, some of no hop at all."""
    order = draw(st.integers(1, 7))
    duplex = draw(st.booleans())
    seed = draw(st.integers(0, 10**6))
    network = connected_graph(seed, order, draw(st.integers(0, 6)), duplex)
    rng = np.random.default_rng(seed)
    paths = []
    for _ in range(draw(st.integers(0, 9))):
        at, path = int(rng.integers(order)), []
        for _ in range(int(rng.integers(0, 6))):
            low, high = network.indptr[at], network.indptr[at + 1]
            if low == high:
                break
            path.append(int(rng.integers(low, high)))
            at = int(network.heads[path[-1]])
        paths.append(path)
    return network, paths


MODELS = st.tuples(st.integers(0, 3), st.booleans(), st.booleans())


@given(walks(), MODELS)
def test_packets_move_as_by_hand(case, model):
    network, paths = case
    if model[0] == 1 and model[1] and any(network.tails == network.heads):
        return  # a loop needs two ports of its node
    starts = np.cumsum([0, *map(len, paths)]).astype(np.int64)
    flat = np.array([c for path in paths for c in path], dtype=np.int64)
    at = [0] * len(paths)

    def next_hop(k):
        left = len(paths[k]) - at[k]
        return [(k, paths[k][at[k]], left)] if left else []

    def follow(item):
        at[item[0]] += 1
        return next_hop(item[0])

    begin = [item for k in reversed(range(len(paths))) for item in next_hop(k)]
    found = route_packets(starts, flat, Rules.of(network, *model))
    log = list(zip(*(a.tolist() for a in found)))
    assert log == slow_rounds(network, begin, follow, *model)


def grown(network, distance):
    n = network.order
    parent, height = np.empty((n, n), np.int32), np.empty((n, n), np.int16)
    balanced_trees(network.indptr, network.heads, distance, parent, height)
    return parent, height


def slow_parents(network, distance):
    """Each node hangs from the least used channel; ties by the source's own order."""
    n, load = network.order, Counter()
    parent = np.full((n, n), -1)
    for s in range(n):
        for v in range(n):
            into = [
                c
                for k in range(n)
                for c in range(*network.indptr[(s + k) % n : (s + k) % n + 2].tolist())
                if network.heads[c] == v and 1 <= distance[s, v] < 255
                if int(distance[s, (s + k) % n]) + 1 == distance[s, v]
            ]
            if into:
                parent[s, v] = min(into, key=lambda c: load[c])
        load.update(c for c in parent[s].tolist() if c >= 0)
    return parent


def slow_height(network, parents, v):
    below = [w for w, c in enumerate(parents.tolist()) if c >= 0 and network.tails[c] == v]
    return max([slow_height(network, parents, w) + 1 for w in below], default=0)


networks = st.builds(
    connected_graph, st.integers(0, 10**6), st.integers(1, 8), st.integers(0, 8), st.booleans()
)


@given(networks)
def test_trees_hang_from_the_least_used_channels(network):
    distance = hop_table(network)
    parent, height = grown(network, distance)
    assert np.array_equal(parent, slow_parents(network, distance))
    for s in range(network.order):
        for v in range(network.order):
            assert height[s, v] == slow_height(network, parent[s], v)


@given(networks, st.data())
def test_pruned_trees_keep_what_leads_to_endpoints(network, data):
    n = network.order
    ends = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    distance = hop_table(network)
    parent, _ = grown(network, distance)
    whole = parent.copy()
    prune_trees(network.tails, ends, distance, parent)
    for s in range(n):
        needed = set()
        for v in np.flatnonzero(ends).tolist() if ends[s] else []:
            while whole[s, v] >= 0:
                needed.add(v)
                v = int(network.tails[whole[s, v]])
        assert set(np.flatnonzero(parent[s] >= 0).tolist()) == needed
        assert all(parent[s, v] == whole[s, v] for v in needed)


@settings(max_examples=40)
@given(networks, MODELS)
def test_trees_flow_as_by_hand(network, model):
    n = network.order
    parent, height = grown(network, hop_table(network))

    def offers(s, v):
        return [
            (s, c, int(height[s, network.heads[c]]))
            for c in range(network.indptr[v], network.indptr[v + 1])
            if parent[s, network.heads[c]] == c
        ]

    begin = [item for s in range(n) for item in offers(s, s)]
    found = flow_trees(network.indptr, parent, height, Rules.of(network, *model))
    log = list(zip(*(a.tolist() for a in found)))
    assert log == slow_rounds(
        network, begin, lambda item: offers(item[0], int(network.heads[item[1]])), *model
    )
