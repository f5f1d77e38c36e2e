"""Throughput of switched machines against slow twins: fractions, all permutations, programs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import hopscape
from hopscape.core.errors import ArgumentError, DisconnectedError, TooLargeError
from hopscape.core.measured import Measured
from hopscape.core.network import Network
from hopscape.metrics import throughput
from hopscape.metrics.concurrent import concurrent_flow
from hopscape.metrics.load import channel_load, switch_load
from hopscape.metrics.throughput import (
    SwitchGraph,
    cut_bound,
    rational_loads,
    switch_graph,
    throughput_limit,
)

MACHINES = [
    "concentrated(complete(5), 3)",
    "concentrated(ring(6), 2)",
    "concentrated(torus(3, 4), 2, trunk=2)",
    "concentrated(petersen, 2, lines=2)",
    "fat_tree(4)",
    "concentrated(fat_tree(4), 4)",
    "slim_fly(3, p=2)",
    "dragonfly(2, 2, p=2)",
    "distributed_switch(7, 3, 1)",
    "planes(concentrated(complete(4), 2), 2)",
]


def graph_of(spec: str) -> SwitchGraph:
    return switch_graph(hopscape.build(spec))


def paths_between(graph: SwitchGraph, start: int, goal: int) -> list[tuple[int, ...]]:
    """All shortest paths as channels, by plain search."""
    layer = {start: [()]}
    while goal not in layer:
        following: dict[int, list[tuple[int, ...]]] = {}
        for node, ways in layer.items():
            for channel in range(graph.indptr[node], graph.indptr[node + 1]):
                head = int(graph.heads[channel])
                following.setdefault(head, []).extend((*way, channel) for way in ways)
        layer = following
    return layer[goal]


def shares(graph: SwitchGraph) -> dict[tuple[int, int], np.ndarray]:
    """For every two switches with endpoints, the share of their traffic on each channel."""
    ends = np.flatnonzero(graph.ends).tolist()
    out = {}
    for s in ends:
        for t in ends:
            row = np.zeros(len(graph.heads))
            if s != t:
                ways = paths_between(graph, s, t)
                for way in ways:
                    row[list(way)] += 1 / len(ways)
            out[s, t] = row
    return out


@pytest.mark.parametrize("spec", MACHINES)
def test_uniform_loads_are_those_of_all_paths(spec):
    graph = graph_of(spec)
    slow = sum(graph.ends[s] * graph.ends[t] * row for (s, t), row in shares(graph).items())
    load = (slow / graph.speeds).max() * graph.lines / (graph.endpoints - 1)
    assert graph.uniform().load == pytest.approx(load)
    assert [float(x) for x in rational_loads(graph)] == pytest.approx(list(slow))
    fraction = graph.fraction()
    assert fraction is not None
    assert float(fraction) == pytest.approx(min(1.0, 1 / load))


SMALL = [
    *("concentrated(complete(5), 3)", "concentrated(ring(6), 2)", "concentrated(mesh(2, 3), 2)"),
    *(
        "concentrated(ring(5), 2, trunk=2)",
        "distributed_switch(7, 3, 1)",
        "concentrated(path(4), 1)",
    ),
]


@pytest.mark.parametrize("spec", SMALL)
def test_worst_permutation_is_the_worst_of_all(spec):
    graph = graph_of(spec)
    ends = np.flatnonzero(graph.ends).tolist()
    rows, most = shares(graph), int(graph.ends.max()) * graph.lines
    worst = max(
        float((sum(rows[s, t] for s, t in zip(ends, image, strict=True)) / graph.speeds).max())
        for image in permutations(ends)
    )
    assert graph.worst_minimal().value == pytest.approx(min(1.0, 1 / (worst * most)))
    assert graph.worst_minimal().how == "exact"
    image = graph.worst_permutation()
    assert sorted(image.tolist()) == list(range(len(ends)))
    met = sum(rows[s, ends[to]] for s, to in zip(ends, image.tolist(), strict=True))
    assert float((met / graph.speeds).max()) == pytest.approx(worst)


@pytest.mark.parametrize("spec", MACHINES)
def test_bounds_are_in_order(spec):
    graph = graph_of(spec)
    guaranteed, best = graph.guaranteed().value, graph.optimum().value
    assert guaranteed is not None
    assert best is not None
    assert guaranteed <= best + 1e-7 <= graph.bound().value + 2e-7
    assert guaranteed <= graph.uniform().throughput + 1e-9


@pytest.mark.parametrize("spec", MACHINES)
def test_cuts_bound_what_any_routing_guarantees(spec):
    graph = graph_of(spec)
    limit = throughput_limit(graph).value
    assert graph.guaranteed().value <= limit + 1e-9
    assert limit <= min(graph.bound().value, cut_bound(graph).value)


@pytest.mark.parametrize("spec", SMALL)
def test_a_cut_is_no_better_than_the_best_of_all(spec):
    graph = graph_of(spec)
    best = 1.0
    for sides in product([False, True], repeat=graph.order):
        side = np.array(sides)
        across = side[graph.tails] & ~side[graph.heads]
        fewer = min(graph.ends[side].sum(), graph.ends[~side].sum()) * graph.lines
        if fewer:
            best = min(best, float(graph.speeds[across].sum() / fewer))
    assert best - 1e-9 <= cut_bound(graph).value <= 1
    if "ring" in spec or "path" in spec:
        assert cut_bound(graph).value == pytest.approx(best)


def test_the_guarantee_is_kept_under_random_permutations():
    """Valiant's loads, added up path by path, never exceed what was promised."""
    graph = graph_of("concentrated(torus(3, 3), 2)")
    rows, ends = shares(graph), range(graph.order)
    generator = np.random.default_rng(1)
    for _ in range(20):
        image = generator.permutation(graph.order)
        load = sum(
            (rows[s, m] + rows[m, int(image[s])]) * 2 / graph.order for s in ends for m in ends
        )
        assert 1 / load.max() >= graph.valiant() - 1e-9


@given(st.integers(2, 9), st.integers(1, 4), st.data())
def test_random_machines(order, each, data):
    tails = list(range(1, order))
    heads = [data.draw(st.integers(0, node - 1)) for node in tails]
    more = data.draw(st.lists(st.tuples(st.integers(0, order - 1), st.integers(0, order - 1))))
    pairs = [*zip(tails, heads, strict=True), *((a, b) for a, b in more if a != b)]
    net = Network.from_links(order, [a for a, _ in pairs], [b for _, b in pairs])
    plain = switch_graph(net)
    graph = SwitchGraph(plain.indptr, plain.heads, plain.speeds, np.full(order, each))
    most = max(rational_loads(graph))
    found = graph.uniform()
    assert found.load == pytest.approx(float(most) / (order * each - 1))
    guaranteed = graph.guaranteed().value
    assert guaranteed is not None
    assert 0 < guaranteed <= min(1.0, graph.bound().value) + 1e-9
    assert graph.fraction() == min(
        Fraction(1), Fraction(order * each - 1) / most if found.load > 1 - 1e-9 else Fraction(1)
    )


def test_a_router_is_asked_switch_by_switch():
    for spec in ("fat_tree(4)", "slim_fly(3, p=2)", "dragonfly(2, 2, p=2)"):
        net = hopscape.build(spec)
        switch = np.ones(net.order, dtype=bool)
        switch[net.endpoints] = False
        loads = channel_load(net).loads[switch[net.tails] & switch[net.heads]]
        assert switch_load(net, net.router()) == pytest.approx(loads.max())


def test_large_machines_look_at_kinds_of_channels():
    found = graph_of("fat_tree(16)").worst_minimal()
    assert (found.value, found.how) == (1.0, "symmetry")
    random = graph_of("concentrated(random_regular(200, 8), 2)").worst_minimal()
    assert random.how == "bound"
    assert graph_of("concentrated(random_regular(200, 8), 2)").guaranteed().note.startswith("Val")


@pytest.mark.parametrize("spec", ["fat_tree(24)", "clos(64, 3, pods=16)", "kary_ntree(14, 3)"])
def test_large_fat_trees_serve_any_permutation(spec):
    """Non-blocking trees of hundreds of switches: proved, in spite of their many symmetries."""
    graph = graph_of(spec)
    assert graph.order >= 500
    found = graph.guaranteed()
    assert (found.low, found.high) == pytest.approx((1, 1))
    assert found.exact


@pytest.mark.parametrize(
    "spec",
    [
        "dragonfly(4, 2, p=2)",
        "slim_fly(5, p=2)",
        "concentrated(generalized_petersen(9, 2), 2)",
        "fat_tree(4)",
        "hyperx((3, 4), p=2)",
        "oft(3)",
        "concentrated(random_regular(20, 4), 2)",
        "concentrated(product(ring(4), path(3)), 2)",
    ],
)
def test_what_symmetry_proves_is_so(spec, monkeypatch):
    """One channel of each orbit tells what all channels do; what is not proved is a bound."""
    whole = graph_of(spec).worst_minimal()
    assert whole.how == "exact"
    monkeypatch.setattr(throughput, "_ALL_SHARES", 0)
    found = graph_of(spec).worst_minimal()
    assert found.how in ("symmetry", "bound")
    assert found.high >= whole.value - 1e-12
    if found.exact:
        assert found.value == pytest.approx(whole.value, rel=1e-12)


@pytest.mark.parametrize("spec", ["concentrated(generalized_petersen(7, 2), 2)", "fat_tree(4)"])
def test_orbits_of_channels_are_those_of_networkx(spec):
    graph = graph_of(spec)
    twin = nx.DiGraph(list(zip(graph.tails.tolist(), graph.heads.tolist(), strict=True)))
    nx.set_node_attributes(twin, dict(enumerate(graph.ends.tolist())), "ends")
    same = nx.algorithms.isomorphism.categorical_node_match("ends", 0)
    maps = nx.algorithms.isomorphism.DiGraphMatcher(twin, twin, node_match=same)
    classes = nx.utils.UnionFind(twin.edges)
    for image in maps.isomorphisms_iter():
        for u, v in twin.edges:
            classes.union((u, v), (image[u], image[v]))
    labels = graph._orbits()
    assert labels is not None
    ours = {}
    for u, v, label in zip(graph.tails.tolist(), graph.heads.tolist(), labels, strict=True):
        ours.setdefault(int(label), set()).add((u, v))
    assert sorted(map(sorted, ours.values())) == sorted(map(sorted, classes.to_sets()))


def test_symmetries_keep_endpoints_and_speeds():
    """A ring of which one switch has more endpoints, or one link is quicker, has fewer."""
    ring = graph_of("concentrated(ring(6), 2)")
    assert len(set(ring._orbits().tolist())) == 1
    speeds = ring.speeds.copy()
    quick = {int(ring.tails[0]), int(ring.heads[0])}
    speeds[[{int(u), int(v)} == quick for u, v in zip(ring.tails, ring.heads, strict=True)]] = 2
    assert len(set(replace(ring, speeds=speeds)._orbits().tolist())) > 1
    ends = ring.ends.copy()
    ends[0] += 1
    assert len(set(replace(ring, ends=ends)._orbits().tolist())) == 6


def test_quick_bound_is_the_bound_where_all_nodes_are_alike():
    graph = graph_of("concentrated(torus(4, 4), 3)")
    assert graph.quick_bound() == pytest.approx(1 / graph.uniform().load)
    assert graph_of("concentrated(complete(1), 4)").quick_bound() == float("inf")


def test_what_cannot_be():
    apart = Network.from_links(4, [0, 2], [1, 3])
    with pytest.raises(DisconnectedError):
        switch_graph(apart).uniform()
    uneven = Network.from_links(4, [0, 0, 1], [2, 3, 2], switches=np.array([2, 3]))
    with pytest.raises(ArgumentError, match="different numbers of lines"):
        switch_graph(uneven)


def test_switches_apart_are_refused_though_there_are_no_channels():
    with pytest.raises(DisconnectedError):
        switch_graph(Network.from_links(2, [], [])).guaranteed()


@pytest.mark.parametrize("spec", ["concentrated(path(1030), 1, trunk=2)", "trunked(ring(3000), 2)"])
def test_paths_beyond_counting_are_refused(spec):
    """2 to the 1029th shortest paths: no share of infinity passes for a throughput."""
    with pytest.raises(TooLargeError, match="shortest paths"):
        graph_of(spec).guaranteed()
    with pytest.raises(TooLargeError, match="shortest paths"):
        _ = graph_of(spec)._paths


@given(st.data())
def test_unequal_endpoints_against_all_permutations(data):
    """Loads of all permutations of endpoints, every one tried."""
    order = data.draw(st.integers(2, 4))
    parents = [data.draw(st.integers(0, v - 1)) for v in range(1, order)]
    more = data.draw(st.lists(st.tuples(st.integers(0, order - 1), st.integers(0, order - 1))))
    pairs = [*enumerate(parents, 1), *((a, b) for a, b in more[:4] if a != b)]
    net = Network.from_links(order, [a for a, _ in pairs], [b for _, b in pairs])
    ends = np.array(data.draw(st.lists(st.integers(0, 3), min_size=order, max_size=order)))
    owner = np.repeat(np.arange(order), ends)
    assume(2 <= len(owner) <= 6)
    graph = replace(switch_graph(net), ends=ends)
    share = shares(graph)
    most = 0.0
    for image in permutations(owner.tolist()):
        sent = [share[s, t] for s, t in zip(owner.tolist(), image, strict=True) if s != t]
        most = max(most, float((sum(sent) / graph.speeds).max()) if sent else 0.0)
    worst = min(1.0, 1 / most) if most else 1.0
    found = graph.worst_minimal()
    assert found.exact
    assert found.value == pytest.approx(worst)
    assert graph.bound().value >= worst - 1e-9
    assert graph.guaranteed().value == pytest.approx(max(worst, graph.valiant()))


def test_no_traffic_and_one_switch():
    graph = graph_of("concentrated(complete(1), 4)")
    assert (graph.uniform().throughput, graph.guaranteed().value, graph.valiant()) == (1, 1, 1)
    assert concurrent_flow(graph_of("ring(4)"), np.zeros((4, 4))) == float("inf")


@pytest.mark.parametrize(
    ("minimal", "expected"),
    [
        (Measured(1.0, "bound", "two sides", 1.0, 1.0), (1.0, 1.0)),
        (Measured(1.0, "exact", "", 0.5, 1.0), (0.625, 1.0)),
        (Measured.at_most(0.75), (0.625, 0.75)),
        (Measured.at_most(0.5), (0.625, 0.625)),
        (Measured(0.25, "exact"), (0.625, 0.625)),
        (Measured(None, "unknown"), (0.625, 1.0)),
    ],
)
def test_what_is_guaranteed_is_proved_by_bounds(monkeypatch, minimal, expected):
    """Whatever a figure is called: it is proved when its bounds meet.

    Valiant's routing is a lower bound where minimal routing may be better.
    """
    graph = graph_of("concentrated(complete(5), 4)")
    monkeypatch.setattr(type(graph), "worst_minimal", lambda self, least=0.0: minimal)
    found = graph.guaranteed()
    assert (found.low, found.high) == pytest.approx(expected)
    assert found.value == found.low
