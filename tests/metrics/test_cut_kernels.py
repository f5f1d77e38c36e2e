"""Bisections against all balanced partitions of small graphs and known widths of larger ones."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopscape.metrics import bisection_kernels as bk
from hopscape.metrics import cut_kernels as ck


def csr(n, links):
    """Give the symmetric CSR of a graph from its links."""
    ends = sorted([(u, v) for u, v in links] + [(v, u) for u, v in links])
    tails = np.array([u for u, _ in ends], np.int64)
    heads = np.array([v for _, v in ends], np.int32)
    return np.searchsorted(tails, np.arange(n + 1)).astype(np.int64), heads


def of(graph):
    graph = nx.convert_node_labels_to_integers(graph)
    return csr(len(graph), list(graph.edges()))


def all_counted(indptr):
    return np.ones(indptr.size - 1, np.uint8)


def petersen_of_triangles():
    petersen = nx.petersen_graph()
    graph = nx.Graph([((u, v), (v, u)) for u, v in petersen.edges()])
    for v in petersen:
        graph.add_edges_from(itertools.combinations([(v, w) for w in petersen[v]], 2))
    return graph


def balanced(side, counted):
    ones = int(side[counted == 1].sum())
    total = int((counted == 1).sum())
    return total // 2 <= ones <= (total + 1) // 2


def crossing(links, side):
    return sum(side[u] != side[v] for u, v in links)


def least_cut(n, links, counted):
    """Try all balanced partitions."""
    sides = np.array(list(itertools.product((0, 1), repeat=n)), np.int64)
    ones = sides[:, counted == 1].sum(axis=1)
    total = int((counted == 1).sum())
    sides = sides[(ones >= total // 2) & (ones <= (total + 1) // 2)]
    cuts = np.zeros(len(sides), np.int64)
    for u, v in links:
        cuts += sides[:, u] != sides[:, v]
    return int(cuts.min())


@st.composite
def graphs(draw):
    """Any small multigraph, loops and loose nodes included, and which nodes count."""
    n = draw(st.integers(1, 10))
    node = st.integers(0, n - 1)
    links = draw(st.lists(st.tuples(node, node), max_size=30))
    if draw(st.booleans()):
        counted = np.ones(n, np.uint8)
    else:
        counted = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)), np.uint8)
    return n, links, counted


@settings(max_examples=150, deadline=None)
@given(graphs(), st.integers(1, 3))
def test_exact_is_least_of_all(case, starts):
    n, links, counted = case
    indptr, heads = csr(n, links)
    truth = least_cut(n, links, counted)

    upper, side = ck.multistart(indptr, heads, counted, starts, seed=1)
    assert balanced(side, counted)
    assert upper == crossing(links, side) >= truth

    # From a start nobody improved, so that the search has to find the best one by itself.
    poor = ck.listed_start(counted, np.arange(n)[::-1].copy())
    assert balanced(poor, counted)
    cut, side, finished, _ = bk.exact_bisection(indptr, heads, counted, poor, 10**6)
    assert finished
    assert cut == truth == crossing(links, side)
    assert balanced(side, counted)


@settings(max_examples=60, deadline=None)
@given(graphs(), st.randoms(use_true_random=False))
def test_starts_are_balanced_and_refinement_never_worsens(case, random):
    n, links, counted = case
    indptr, heads = csr(n, links)
    order = np.array(random.sample(range(n), n), np.int64)
    for side in (
        ck.grown_start(indptr, heads, counted, order),
        ck.listed_start(counted, order),
    ):
        assert balanced(side, counted)
        before = side.copy()
        cut, better = ck.refine_bisection(indptr, heads, counted, side, 20)
        assert np.array_equal(side, before)
        assert balanced(better, counted)
        assert cut == ck.cut_size(indptr, heads, better) == crossing(links, better)
        assert cut <= crossing(links, side)
        again, same = ck.refine_bisection(indptr, heads, counted, side, 20)
        assert again == cut
        assert np.array_equal(same, better)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 6), st.integers(0, 30), st.integers(0, 2**32 - 1))
def test_no_swap_with_a_node_of_most_gain_is_left(half, count, seed):
    """A pass moves such a node, then the best of the other side, since balance has to return."""
    n, draw = 2 * half, np.random.default_rng(seed)
    links = draw.integers(0, n, (count, 2)).tolist()
    indptr, heads = csr(n, links)
    counted = all_counted(indptr)
    start = ck.listed_start(counted, draw.permutation(n))
    cut, side = ck.refine_bisection(indptr, heads, counted, start, count + 1)

    def flipped(*nodes):
        other = side.copy()
        other[list(nodes)] ^= 1
        return crossing(links, other)

    least = min(flipped(v) for v in range(n))
    best = [v for v in range(n) if flipped(v) == least]
    assert any(all(flipped(v, w) >= cut for w in range(n) if side[v] != side[w]) for v in best)


@pytest.mark.parametrize(
    ("graph", "width"),
    [
        (nx.petersen_graph(), 5),
        (nx.heawood_graph(), 7),
        (nx.hypercube_graph(4), 8),
        (nx.hypercube_graph(5), 16),
        (petersen_of_triangles(), 5),
        (nx.grid_graph((4, 4), periodic=True), 8),
        (nx.grid_graph((6, 6), periodic=True), 12),
        (nx.grid_graph((5, 5)), 6),
        (nx.grid_graph((8, 8)), 8),
        (nx.complete_graph(9), 20),
        (nx.complete_bipartite_graph(6, 6), 18),
        (nx.cycle_graph(21), 2),
        (nx.star_graph(8), 4),
        (nx.disjoint_union(nx.complete_graph(6), nx.complete_graph(6)), 0),
        (nx.empty_graph(5), 0),
        (nx.empty_graph(1), 0),
    ],
)
def test_known_widths(graph, width):
    indptr, heads = of(graph)
    counted = all_counted(indptr)
    upper, side = ck.multistart(indptr, heads, counted, 20, seed=0)
    assert upper == width
    cut, side, finished, visited = bk.exact_bisection(indptr, heads, counted, side, 10**6)
    assert (cut, finished) == (width, True)
    assert visited < 10**5
    assert balanced(side, counted)


@pytest.mark.parametrize("seed", range(4))
def test_exact_agrees_with_plain_bounds_on_cubic_graphs(seed):
    indptr, heads = of(nx.random_regular_graph(3, 44, seed=seed))
    counted = all_counted(indptr)
    poor = ck.listed_start(counted, np.arange(44))
    upper, side = ck.multistart(indptr, heads, counted, 40, seed=0)
    from_poor = bk.exact_bisection(indptr, heads, counted, poor, 10**6)
    from_good = bk.exact_bisection(indptr, heads, counted, side, 10**6)
    assert from_poor[2]
    assert from_good[2]
    assert from_poor[0] == from_good[0] <= upper


def test_search_in_slices():
    indptr, heads = of(nx.hypercube_graph(5))
    counted = all_counted(indptr)
    poor = ck.listed_start(counted, np.random.default_rng(0).permutation(32))
    search = bk.start_bisection(indptr, heads, counted, poor)
    slices = 1
    while not bk.run_bisection(search, 10):
        slices += 1
        assert search.numbers[1] >= 16
    cut, side, finished, visited = bk.exact_bisection(indptr, heads, counted, poor, 10**6)
    assert slices > 1
    assert (int(search.numbers[1]), int(search.numbers[2])) == (cut, visited) == (16, visited)
    assert np.array_equal(search.best_side, side)
    assert finished
    assert not bk.exact_bisection(indptr, heads, counted, poor, 3)[2]


def test_only_endpoints_are_counted():
    # Two switches with four endpoints each, joined by three links.
    links = [(0, v) for v in range(2, 6)] + [(1, v) for v in range(6, 10)] + [(0, 1)] * 3
    indptr, heads = csr(10, links)
    counted = np.array([0, 0] + [1] * 8, np.uint8)
    _, side = ck.multistart(indptr, heads, counted, 4, seed=0)
    assert bk.exact_bisection(indptr, heads, counted, side, 1000)[0] == 3
    # With more links between the switches it is better to leave both on one side.
    indptr, heads = csr(10, links + [(0, 1)] * 3)
    _, side = ck.multistart(indptr, heads, counted, 4, seed=0)
    assert bk.exact_bisection(indptr, heads, counted, side, 1000)[0] == 4


def test_large_graph_bound():
    indptr, heads = of(nx.grid_graph((60, 60)))
    counted = all_counted(indptr)
    cut, side = ck.multistart(indptr, heads, counted, 6, seed=0)
    assert balanced(side, counted)
    assert cut == ck.cut_size(indptr, heads, side) == 60


def test_one_way_channels_are_refused():
    indptr, heads = np.array([0, 1, 1], np.int64), np.array([1], np.int32)
    with pytest.raises(ValueError, match="not symmetric"):
        bk.start_bisection(indptr, heads, np.ones(2, np.uint8), np.array([0, 1], np.int8))


@pytest.mark.interpreted
@settings(deadline=None, max_examples=40)
@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
def test_lists_of_gains_lead_both_ways(n, seed):
    """Every node stands once in the list of its side and gain, and knows who stands before it."""
    draw = np.random.default_rng(seed)
    indptr, heads = of(nx.gnm_random_graph(n, int(draw.integers(0, 2 * n)), seed=seed % 1000))
    side, counted = draw.integers(0, 2, n).astype(np.int8), draw.integers(0, 2, n).astype(np.uint8)
    shift = int(np.diff(indptr).max())
    buckets = ck._fill(indptr, heads, counted, side, shift)
    seen = []
    for kind, gain in np.ndindex(*buckets.first.shape):
        before, v = -1, int(buckets.first[kind, gain])
        while v >= 0:
            cut = sum(1 if side[u] != side[v] else -1 for u in heads[indptr[v] : indptr[v + 1]])
            assert (buckets.before[v], buckets.gain[v], gain) == (before, shift + cut, shift + cut)
            assert kind == (side[v] if counted[v] else 2)
            assert gain <= buckets.top[kind]
            seen.append(v)
            before, v = v, int(buckets.after[v])
    assert sorted(seen) == list(range(n))
