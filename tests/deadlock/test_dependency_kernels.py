"""Dependencies, their cycles and the cuts that leave none, by walking and by networkx."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise, permutations

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from conftest import connected_graph, fresh_graph
from hopscape.deadlock.dependency_kernels import (
    collect_plain,
    cyclic_part,
    layer_pairs,
    pairs_over,
    ring_classes,
    shortest_cycle,
    used_pairs,
)
from hopscape.deadlock.layout import PortTable, Wiring
from hopscape.deadlock.routes import routing_table
from hopscape.registry import build

NO_PORT = 0xFFFF


def any_ports(network, rng, shortest):
    """Next ports: shortest ones, or random ones that may run in circles; some ways are missing."""
    n, degrees = network.order, np.diff(network.indptr)
    port = np.full((n, n), NO_PORT, dtype=np.uint16)
    graph = nx.DiGraph(zip(network.tails.tolist(), network.heads.tolist()))
    graph.add_nodes_from(range(n))
    for goal in range(n):
        far = nx.single_source_shortest_path_length(graph.reverse(), goal)
        for v in range(n):
            heads = network.heads[network.indptr[v] : network.indptr[v + 1]].tolist()
            good = [k for k, w in enumerate(heads) if far.get(w, n) + 1 == far.get(v, -1)]
            if v != goal and degrees[v] and rng.random() > 0.05:
                some = good if shortest else range(len(heads))
                port[v, goal] = rng.choice(list(some)) if len(some) else NO_PORT
    return port


def way(network, port, source, goal):
    """Channels of a route until it ends: at its goal, nowhere, or where it was before."""
    at, channels, seen = source, [], set()
    while at != goal and port[at, goal] != NO_PORT and at not in seen:
        seen.add(at)
        channels.append(int(network.indptr[at] + port[at, goal]))
        at = int(network.heads[channels[-1]])
    return channels


networks = st.builds(
    connected_graph, st.integers(0, 10**6), st.integers(1, 7), st.integers(0, 7), st.booleans()
) | st.builds(fresh_graph, st.integers(0, 10**6), st.integers(1, 7), st.integers(1, 12))


def width_of(network):
    return max(1, int(np.diff(network.indptr).max()))


@given(networks, st.integers(0, 99))
def test_pairs_over_a_channel_by_walking(network, seed):
    port = any_ports(network, np.random.default_rng(seed), shortest=True)
    nodes = range(network.order)
    for channel in range(len(network.heads)):
        slow = [[a != b and channel in way(network, port, a, b) for b in nodes] for a in nodes]
        assert pairs_over(network.indptr, network.heads, port, channel).tolist() == slow


def slow_counts(network, port, other, begins, goals):
    """How many goals make each pair of channels follow each other."""
    count = Counter()
    for goal in goals:
        reached, stack = set(), [s for s in range(network.order) if begins[s] and s != goal]
        follow = set()
        while stack:
            at = stack.pop()
            if at in reached or at == goal:
                continue
            reached.add(at)
            for out in {int(port[at, goal]), int(other[at, goal])} - {NO_PORT}:
                channel = int(network.indptr[at]) + out
                then = int(network.heads[channel])
                stack.append(then)
                if then != goal:
                    ports = {int(port[then, goal]), int(other[then, goal])} - {NO_PORT}
                    follow |= {(channel, k) for k in ports}
        count.update(follow)
    return count


@given(networks, st.integers(0, 99), st.booleans(), st.data())
def test_dependencies_are_counted_by_goal(network, seed, ties, data):
    rng = np.random.default_rng(seed)
    port = any_ports(network, rng, shortest=True)
    other = any_ports(network, rng, shortest=True) if ties else port
    n = network.order
    begins = np.array(data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)), np.uint8)
    goals = np.array(data.draw(st.lists(st.integers(0, n - 1), unique=True)), dtype=np.int64)
    graph = np.zeros((len(network.heads), width_of(network)), dtype=np.uint32)
    table = PortTable(network.indptr, network.heads, port, other, np.arange(n))
    collect_plain(table, begins, goals, graph)
    slow = slow_counts(network, port, other, begins, goals.tolist())
    assert {(c, k): graph[c, k] for c, k in zip(*np.nonzero(graph))} == slow


def any_dependencies(network, classes, rng):
    """Random edges from (channel, class) to (channel, class) at its head."""
    width = width_of(network) * classes
    graph = (rng.random((len(network.heads) * classes, width)) < 0.3) * rng.integers(1, 9, width)
    for x in range(len(graph)):
        head = network.heads[x // classes]
        graph[x, classes * (network.indptr[head + 1] - network.indptr[head]) :] = 0
    return graph.astype(np.int64)


def as_networkx(network, graph, classes):
    out = nx.DiGraph()
    out.add_nodes_from(range(len(graph)))
    for x, k in zip(*(a.tolist() for a in np.nonzero(graph))):
        base = int(network.indptr[network.heads[x // classes]]) * classes
        out.add_edge(x, base + k, weight=int(graph[x, k]))
    return out


def shortest_round(graph):
    """Vertices of a shortest cycle, 0 where there is none."""
    back = [
        nx.shortest_path_length(graph, v, u) + 1 for u, v in graph.edges if nx.has_path(graph, v, u)
    ]
    return min(back, default=0)


@given(networks, st.integers(1, 2), st.integers(0, 999))
def test_cycles_and_cuts_by_networkx(network, classes, seed):
    graph = any_dependencies(network, classes, np.random.default_rng(seed))
    slow = as_networkx(network, graph, classes)
    parts = nx.strongly_connected_components(slow)
    ring = {x for part in parts for x in part if len(part) > 1} | set(nx.nodes_with_selfloops(slow))
    behind = ring.union(*(nx.descendants(slow, x) for x in ring))
    left = cyclic_part(network.indptr, network.heads, graph, classes)
    assert set(np.flatnonzero(left).tolist()) == behind
    cycle = shortest_cycle(network.indptr, network.heads, graph, classes, left, len(graph))
    assert len(cycle) == shortest_round(slow)
    assert all(slow.has_edge(a, b) for a, b in pairwise([*cycle.tolist(), *cycle[:1].tolist()]))
    assert len(shortest_cycle(network.indptr, network.heads, graph, classes, left, 0)) == 0
    if classes == 1:
        cut, rest = np.zeros_like(graph, dtype=np.uint8), graph.copy()
        total = layer_pairs(network.indptr, network.heads, rest, cut)
        assert total == cut.sum()
        assert bool(total) == bool(ring)
        assert np.array_equal(rest, np.where(cut, 0, graph))
        assert nx.is_directed_acyclic_graph(as_networkx(network, rest, 1))
        assert all(behind >= {c} for c in np.flatnonzero(cut.sum(axis=1)).tolist())


def test_the_least_used_dependency_of_a_ring_is_cut():
    network = build("kautz(2, 1)")  # 3 nodes, all channels simplex
    for weakest in range(3):
        ends = list(zip(network.tails.tolist(), network.heads.tolist()))
        ring = [ends.index((a, (a + 1) % 3)) for a in range(3)]
        graph = np.zeros((6, 2), dtype=np.int64)
        for i, c in enumerate(ring):
            follower = ring[(i + 1) % 3] - network.indptr[network.heads[c]]
            graph[c, follower] = 3 if i == weakest else 5
        cut = np.zeros((6, 2), dtype=np.uint8)
        assert layer_pairs(network.indptr, network.heads, graph, cut) == 1
        assert np.flatnonzero(cut.sum(axis=1)).tolist() == [ring[weakest]]


@given(networks, st.integers(0, 99), st.data())
def test_pairs_that_use_a_cut_are_moved(network, seed, data):
    rng = np.random.default_rng(seed)
    n, port = network.order, any_ports(network, rng, shortest=True)
    begins = np.array(data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)), np.uint8)
    goals = np.array(data.draw(st.lists(st.integers(0, n - 1), unique=True)), dtype=np.int64)
    cut = rng.integers(0, 2, size=(len(network.heads), width_of(network))).astype(np.uint8)
    layers = rng.integers(0, 2, size=(n, n)).astype(np.uint8)
    slow, moved = layers.copy(), 0
    for goal in goals.tolist():
        for source in range(n):
            if source != goal and begins[source] and layers[goal, source] == 1:
                steps = pairwise(way(network, port, source, goal))
                if any(cut[a, b - network.indptr[network.heads[a]]] for a, b in steps):
                    slow[goal, source] = 7
                    moved += 1
    toward = np.ascontiguousarray(port.T)
    wiring = Wiring(network.indptr, network.heads)
    assert used_pairs(wiring, toward, layers, 1, begins, goals, cut, 7) == moved
    assert np.array_equal(layers, slow)


def straight_run(network, table, ports, at, goal):
    """The channels of a route, begun by some ports, until it leaves the ring of the first."""
    run = []
    while at != goal:
        channel = int(network.indptr[at] + ports[at, goal])
        if run and table.rings[channel] != table.rings[run[0]]:
            channel = int(network.indptr[at] + table.other[at, goal])
        if table.rings[channel] < 0 or (run and table.rings[channel] != table.rings[run[0]]):
            break
        run.append(channel)
        ports, at = table.port, int(network.heads[channel])
    return run


@given(
    st.sampled_from(["ring(5)", "ring(6)", "torus(4, 3)", "mesh(2, 3)", "circulant(12, 1, 5)"]),
    st.integers(0, 999),
    st.booleans(),
)
def test_entries_tell_whether_a_straight_run_crosses_a_dateline(spec, seed, spread):
    network, rng = build(spec), np.random.default_rng(seed)
    table = routing_table(network)
    n, free = network.order, 2 if spread else 0
    first, second = (rng.random((2, len(network.heads))) < 0.2).astype(np.uint8)
    other = table.port if table.other is None else table.other
    columns = PortTable(network.indptr, network.heads, table.port, other, np.arange(n))
    entries = np.zeros((2, n, n), dtype=np.uint8)
    ring_classes(columns, table.rings, first, second, free, *entries)
    table = replace(table, other=other)
    for at, goal in permutations(range(n), 2):
        for ports, entry in zip((table.port, table.other), entries, strict=True):
            run = straight_run(network, table, ports, at, goal)
            crossed = 1 if first[run].any() else 0 if second[run].any() else free
            assert entry[at, goal] == (crossed if run else 0)
