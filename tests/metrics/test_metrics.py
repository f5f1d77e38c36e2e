"""What is measured, against networkx, brute force and slow twins."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

import hopscape
from conftest import fresh_graph
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.network import Network
from hopscape.formats.graphs import to_networkx
from hopscape.metrics import (
    bisection,
    channel_load,
    degree_statistics,
    diameter,
    disjoint_paths,
    distance_profile,
    edge_connectivity,
    girth,
    mean_distance,
    moore_bound,
    moore_diameter,
    moore_mean_distance,
    node_connectivity,
    radius,
    vertex_transitive,
)

RANDOM = [fresh_graph(seed, 5 + seed % 8, 4 + 2 * seed % 23, seed % 3 > 0) for seed in range(12)]
GIVEN = [
    hopscape.build(s)
    for s in (
        "mesh(3, 4)",
        "kautz(2, 3)",
        "generalized_petersen(7, 2)",
        "path(1)",
        "circulant(9, 3)",
    )
]


# -- distances ---------------------------------------------------------------------------------


def truth(net, among=None):
    """Histogram over ordered pairs, and eccentricities, by networkx."""
    lengths = dict(nx.all_pairs_shortest_path_length(to_networkx(net)))
    among = range(net.order) if among is None else among
    pairs = Counter(lengths[a].get(b, -1) for a in among for b in among)
    lost = pairs.pop(-1, 0)
    histogram = tuple(pairs[d] for d in range(max(pairs) + 1))
    far = [max(lengths[a].get(b, 0) for b in among) for a in among]
    return histogram, lost, far


@pytest.mark.parametrize("net", GIVEN + RANDOM, ids=lambda net: net.spec)
def test_profile_against_networkx(net):
    histogram, lost, far = truth(net)
    for exact in (True, False):
        profile = distance_profile(net, exact=exact)
        assert (profile.histogram, profile.unreachable) == (histogram, lost)
        assert profile.connected == (lost == 0)
        assert profile.farthest == len(histogram) - 1
        if lost:
            assert profile.diameter is profile.radius is profile.mean is None
            continue
        assert (profile.diameter, profile.radius) == (max(far), min(far))
        hops = sum(d * count for d, count in enumerate(histogram))
        pairs = net.order * (net.order - 1)
        assert profile.mean == (Fraction(hops, pairs) if pairs else None)


def test_symmetry_is_used_and_says_so():
    net = hopscape.build("mesh(5, 4)")
    by_orbits, full = distance_profile(net), distance_profile(net, exact=True)
    assert (by_orbits.how, by_orbits.sources) == ("symmetry", 6)
    assert (full.how, full.sources) == ("exact", 20)
    assert by_orbits.histogram == full.histogram
    assert by_orbits.mean == full.mean == net.facts.mean_distance


@pytest.mark.compiled
@pytest.mark.parametrize("threads", [None, 1, 3])
def test_kernels_and_threads_agree_with_the_small_way(threads, monkeypatch):
    nets = [hopscape.build("random_regular(300, 3)"), hopscape.build("kautz(2, 7)")]
    nets.append(fresh_graph(8, 260, 300, duplex=False))
    found = [distance_profile(net, exact=True, threads=threads) for net in nets]
    monkeypatch.setattr("hopscape.metrics.distances._FEW_SOURCES", 10**9)
    assert found == [distance_profile(net, exact=True) for net in nets]


def test_sample(monkeypatch):
    net = hopscape.build("random_regular(60, 3)")
    full = distance_profile(net)
    some = distance_profile(net, sample=7, seed=3)
    assert (some.how, some.sources, some.histogram[0]) == ("sampled", 7, 7)
    assert sum(some.histogram) == 7 * 60
    assert full.radius <= some.radius <= some.diameter <= full.diameter
    assert some == distance_profile(net, sample=7, seed=3)
    assert some != distance_profile(net, sample=7, seed=4)
    assert distance_profile(net, sample=600).how == "exact"
    monkeypatch.setattr("hopscape.metrics.distances._FULL_WORK", 1000)
    monkeypatch.setattr("hopscape.metrics.distances._SAMPLE", 5)
    found = diameter(net)
    assert (found.sign, found.note) == ("≥", "from 5 sources")
    assert radius(net).how == mean_distance(net).how == "sampled"
    assert diameter(net, exact=True).how == "exact"
    with pytest.raises(ArgumentError, match="sample is 0; it must be at least 1"):
        distance_profile(net, sample=0)
    with pytest.raises(ArgumentError, match="threads is 0; it must be at least 1"):
        distance_profile(net, threads=0)


def test_how_it_is_known():
    torus = hopscape.build("torus(4, 4)")
    assert (diameter(torus).value, diameter(torus).how) == (4, "closed form")
    assert (diameter(torus, exact=True).value, diameter(torus, exact=True).how) == (4, "exact")
    assert mean_distance(torus).value == mean_distance(torus, exact=True).value == Fraction(32, 15)
    assert radius(torus, exact=True).value == 4
    apart = hopscape.build("circulant(9, 3)")
    assert (diameter(apart).value, diameter(apart).note) == (None, "not connected")
    assert diameter(apart, exact=True).note == "not connected"
    assert radius(apart).value is mean_distance(apart).value is None


def test_endpoints_only():
    star = Network.from_links(5, [4] * 4, range(4), switches=np.array([4]))
    profile = distance_profile(star, endpoints=True)
    assert (profile.histogram, profile.diameter, profile.radius) == ((4, 0, 12), 2, 2)
    assert profile.mean == 2
    assert distance_profile(star).mean == Fraction(8, 5)
    for net in RANDOM:
        switched = Network.from_links(
            net.order, net.tails, net.heads, duplex=False, switches=np.array([0, 2])
        )
        histogram, lost, far = truth(switched, switched.endpoints.tolist())
        profile = distance_profile(switched, endpoints=True)
        assert (profile.histogram, profile.unreachable) == (histogram, lost)
        assert lost or (profile.diameter, profile.radius) == (max(far), min(far))
    nobody = Network.from_links(2, [0], [1], switches=np.array([0, 1]))
    with pytest.raises(ArgumentError, match="no endpoints"):
        distance_profile(nobody, endpoints=True)


# -- structure ---------------------------------------------------------------------------------


def slow_girth(net):
    """Shortest cycle: remove each channel (and its mate) and go back from its head."""
    best = None
    for c, (tail, head) in enumerate(zip(net.tails.tolist(), net.heads.tolist())):
        graph = nx.MultiDiGraph()
        graph.add_nodes_from(range(net.order))
        gone = {c, int(net.reverse[c])}
        keep = [i for i in range(net.channels) if i not in gone]
        graph.add_edges_from((int(net.tails[i]), int(net.heads[i])) for i in keep)
        if nx.has_path(graph, head, tail):
            found = 1 + nx.shortest_path_length(graph, head, tail)
            best = found if best is None else min(best, found)
    return best


@pytest.mark.parametrize("net", GIVEN + RANDOM, ids=lambda net: net.spec)
def test_girth(net):
    assert girth(net, exact=True).value == slow_girth(net)


def simple(net):
    graph = to_networkx(net)
    return (nx.Graph if net.duplex else nx.DiGraph)((a, b) for a, b in graph.edges() if a != b)


def slow_connectivity(graph):
    """The fewest nodes to take away until some pair has no path (or one node is left)."""
    whole = nx.is_strongly_connected if graph.is_directed() else nx.is_connected
    for count in range(len(graph) - 1):
        for gone in itertools.combinations(graph, count):
            if not whole(graph.subgraph(set(graph) - set(gone))):
                return count
    return len(graph) - 1


@pytest.mark.parametrize("net", [*GIVEN, *RANDOM], ids=lambda net: net.spec)
def test_connectivity_the_slow_way(net):
    graph = simple(net)
    graph.add_nodes_from(range(net.order))
    if net.order > 1:
        assert node_connectivity(net, exact=True).value == slow_connectivity(graph)
        for (a, b), count in Counter(zip(net.tails.tolist(), net.heads.tolist())).items():
            if a != b:
                graph.edges[a, b]["capacity"] = count
        cuts = [nx.maximum_flow_value(graph, a, b) for a, b in itertools.permutations(graph, 2)]
        assert edge_connectivity(net, exact=True).value == min(cuts)
    else:
        assert node_connectivity(net, exact=True).value == 0


@pytest.mark.parametrize(
    "net", [hopscape.build("petersen"), *GIVEN[:3], *RANDOM], ids=lambda n: n.spec
)
def test_disjoint_paths(net):
    graph = simple(net)
    graph.add_nodes_from(range(net.order))
    for a, b in itertools.islice(itertools.permutations(range(net.order), 2), 0, None, 7):
        paths = disjoint_paths(net, a, b)
        assert all(path[0] == a and path[-1] == b for path in paths)
        assert all(v in graph[u] for path in paths for u, v in itertools.pairwise(path))
        inner = [v for path in paths for v in path[1:-1]]
        assert len(inner) == len(set(inner))
        if not graph.has_edge(a, b):
            assert len(paths) == len(list(_disjoint(graph, a, b)))
        assert [len(p) for p in paths] == sorted(len(p) for p in paths)
        (*one,) = disjoint_paths(net, a, b, count=1)
        if paths:
            assert len(one) == 1
            assert len(one[0]) - 1 == nx.shortest_path_length(graph, a, b)
        by_edges = disjoint_paths(net, a, b, edges=True)
        assert len(by_edges) >= len(paths)
        used = Counter(step for path in by_edges for step in itertools.pairwise(path))
        wired = Counter(zip(net.tails.tolist(), net.heads.tolist()))
        assert all(count <= wired[step] for step, count in used.items())


def _disjoint(graph, a, b):
    try:
        yield from nx.node_disjoint_paths(graph, a, b)
    except nx.NetworkXNoPath:
        return


def test_degrees():
    found = degree_statistics(Network.from_links(4, [0, 0, 0], [1, 1, 2]))
    assert (found.minimum, found.maximum, found.mean) == (0, 3, 1.5)
    assert found.histogram == {0: 1, 1: 1, 2: 1, 3: 1}
    assert degree_statistics(hopscape.build("hypercube(100)")).histogram == {100: 2**100}


def test_vertex_transitive():
    asked = {"petersen": True, "random_regular(4, 3)": True, "random_regular(12, 3)": False}
    for spec, answer in asked.items():
        assert vertex_transitive(hopscape.build(spec)).value is answer
    assert vertex_transitive(hopscape.build("lcf([3, -3], 4)")).value is True
    one_way = Network.from_links(4, [0, 1, 2, 3], [1, 2, 3, 0], duplex=False)
    assert vertex_transitive(one_way).value is True
    tail = Network.from_links(4, [0, 1, 2, 3], [1, 2, 0, 0], duplex=False)
    assert vertex_transitive(tail).value is False
    loop = Network.from_links(2, [0, 1], [0, 1])
    assert (vertex_transitive(loop).value, vertex_transitive(loop).how) == (True, "exact")


# -- bisection ---------------------------------------------------------------------------------


def brute_bisection(net):
    ends = set(net.endpoints.tolist())
    best = None
    for sides in itertools.product((0, 1), repeat=net.order):
        if abs(2 * sum(sides[v] for v in ends) - len(ends)) <= 1:
            side = np.array(sides)
            cut = int((side[net.tails] != side[net.heads]).sum()) // (2 if net.duplex else 1)
            best = cut if best is None else min(best, cut)
    return best


@pytest.mark.parametrize("net", RANDOM, ids=lambda net: net.spec)
@pytest.mark.parametrize("switches", [None, [0, 3]])
def test_bisection_against_all_partitions(net, switches):
    if switches:
        tails, heads = net.tails, net.heads
        net = Network.from_links(net.order, tails, heads, duplex=False, switches=np.array(switches))
    found = bisection(net, exact=True)
    assert found.value == brute_bisection(net)
    assert found.how == "exact"
    cut = int((found.side[net.tails] != found.side[net.heads]).sum()) // (2 if net.duplex else 1)
    assert cut == found.value
    halves = np.bincount(found.side[net.endpoints], minlength=2)
    assert abs(halves[0] - halves[1]) <= 1


def test_bisection_bounds_of_a_larger_network():
    net = hopscape.build("random_regular(600, 3)")
    found = bisection(net, starts=3)
    assert 0 < found.lower <= found.upper < 300
    assert found.how == "bound"
    assert found.value is None
    again = bisection(net, starts=3)
    assert (again.lower, again.upper) == (found.lower, found.upper)
    assert bisection(hopscape.build("torus(100, 100)")).how == "closed form"


# -- loads -------------------------------------------------------------------------------------


def slow_load(net, router, matrix):
    loads = np.zeros(net.channels)
    ends = net.endpoints.tolist()
    for (i, a), (j, b) in itertools.permutations(enumerate(ends), 2):
        route = router.route(a, b) if matrix[i, j] else None
        for v, port in zip(route.path, route.ports) if route else ():
            loads[int(net.channel_at(np.array([v]), np.array([port]))[0])] += matrix[i, j]
    return loads


@pytest.mark.parametrize("spec", ["mesh(3, 4)", "kautz(2, 3)", "petersen", "circulant(7, 1, 1)"])
def test_loads_against_the_slow_way(spec, monkeypatch):
    net = hopscape.build(spec)
    monkeypatch.setattr("hopscape.metrics.load._BATCH", 50)
    n = net.order
    uniform = (np.ones((n, n)) - np.eye(n)) / (n - 1)
    some = np.random.default_rng(1).random((n, n)) * (np.random.default_rng(2).random((n, n)) < 0.4)
    for traffic, matrix in (("uniform", uniform), (some, some), (some.tolist(), some)):
        found = channel_load(net, traffic=traffic)
        want = slow_load(net, net.router(), matrix)
        assert np.allclose(found.loads, want)
        assert found.largest == pytest.approx(want.max())
        assert found.throughput == pytest.approx(1 / want.max())
        assert found.mean == pytest.approx(want.mean())
    assert channel_load(net).hops == pytest.approx(float(distance_profile(net).mean))


def test_loads_between_endpoints():
    star = Network.from_links(5, [4] * 4, range(4), switches=np.array([4]))
    found = channel_load(star)
    assert np.allclose(found.loads, 1)
    assert (found.hops, found.how) == (pytest.approx(2), "exact")


def test_sampled_loads(monkeypatch):
    monkeypatch.setattr("hopscape.metrics.load._FULL_PAIRS", 10_000)
    found = channel_load(hopscape.build("torus(12, 12)"), seed=1)
    assert found.how == "sampled"
    assert found.hops == pytest.approx(6 * 144 / 143, rel=0.05)


def test_loads_of_nothing_and_refusals():
    alone = channel_load(hopscape.build("ring(1)"))
    assert (alone.largest, alone.throughput) == (0.0, float("inf"))
    net = hopscape.build("ring(4)")
    assert channel_load(net, traffic=np.eye(4)).throughput == float("inf")
    with pytest.raises(ArgumentError, match="traffic 'all' is unknown"):
        channel_load(net, traffic="all")
    for bad in (np.ones((3, 3)), -np.ones((4, 4)), np.full((4, 4), np.nan), [["a"]], None):
        with pytest.raises(ArgumentError, match="the traffic matrix"):
            channel_load(net, traffic=bad)
    with pytest.raises(DisconnectedError):
        channel_load(hopscape.build("circulant(9, 3)"))


# -- Moore -------------------------------------------------------------------------------------


def test_moore_bounds_are_met_by_moore_graphs():
    assert moore_bound(3, 2) == 10
    assert moore_bound(7, 2) == 50
    assert moore_bound(2, 4) == 9
    assert [moore_bound(d, k, directed=True) for d, k in ((1, 3), (2, 2))] == [4, 7]
    assert [moore_bound(0, k) for k in (0, 1, 5)] == [1, 1, 1]
    assert [moore_bound(1, k) for k in (0, 1, 5)] == [1, 2, 2]


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("degree", [0, 1, 2, 3, 5])
def test_moore_diameter_and_mean_are_the_least(degree, directed):
    for order in range(1, 40):
        most = [moore_bound(degree, k, directed=directed) for k in range(order)]
        fits = [k for k, bound in enumerate(most) if bound >= order]
        assert moore_diameter(order, degree, directed=directed) == (fits[0] if fits else None)
        mean = moore_mean_distance(order, degree, directed=directed)
        if not fits or order == 1:
            assert mean is None
            continue
        ball = [min(bound, order) for bound in most]  # most nodes within each distance
        hops = sum(order - within for within in ball[: fits[0]])
        assert mean == Fraction(hops, order - 1)


def test_moore_mean_of_real_networks():
    for spec in ("petersen", "hoffman_singleton", "ring(9)", "complete(6)"):
        net = hopscape.build(spec)
        degree = net.facts.degree_max
        assert moore_mean_distance(net.order, degree) == mean_distance(net, exact=True).value
    for bad in ((0, 3), (5, -1)):
        with pytest.raises(ArgumentError):
            moore_diameter(*bad)
    with pytest.raises(ArgumentError):
        moore_bound(-1, 2)
    for directed, degree in ((True, 1), (False, 2)):
        with pytest.raises(ArgumentError, match="too long a chain"):
            moore_diameter(10**9, degree, directed=directed)
