"""The distance kernels against slow, obvious twins."""

from __future__ import annotations

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopscape.core import distance_kernels as kernels
from hopscape.reference.graphs import PlainGraph
from plain_graphs import graphs


def path(n):
    return PlainGraph(n, [(v, v + 1) for v in range(n - 1)])


@settings(max_examples=60, deadline=None)
@given(graph=graphs(), data=st.data())
def test_bfs_distances(graph, data):
    source = data.draw(st.integers(0, graph.n - 1))
    found = kernels.bfs_distances(*graph.forward, source)
    assert found.dtype == np.int32
    twin = graph.distances(source)
    assert found.tolist() == [twin.get(v, -1) for v in range(graph.n)]


@settings(max_examples=60, deadline=None)
@given(graph=graphs(), data=st.data())
def test_distances_over_live_channels(graph, data):
    source = data.draw(st.integers(0, graph.n - 1))
    size = len(graph.heads)
    live = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)), np.bool_)
    order = np.random.default_rng(size).permutation(size)  # the channels in any order
    channels = order[np.argsort(np.array(graph.tails, np.int64)[order], kind="stable")]
    distance, queue = np.empty(graph.n, np.int32), np.empty(graph.n, np.int32)
    count = kernels.live_distances(
        graph.indptr, channels, graph.heads, live, source, distance, queue
    )
    rest = nx.DiGraph([(t, h) for t, h, on in zip(graph.tails, graph.heads.tolist(), live) if on])
    rest.add_node(source)
    twin = nx.single_source_shortest_path_length(rest, source)
    assert distance.tolist() == [twin.get(v, -1) for v in range(graph.n)]
    reached = queue[:count].tolist()
    assert sorted(reached) == sorted(twin)
    assert distance[reached].tolist() == sorted(distance[reached].tolist())


@pytest.mark.compiled
@settings(max_examples=80, deadline=None)
@given(graph=graphs(), words=st.sampled_from([1, 8]), seed=st.integers(0, 99))
def test_distance_sweep(graph, words, seed):
    check_sweep(graph, words, seed)


@settings(max_examples=20, deadline=None)
@given(graph=graphs(largest=40), words=st.sampled_from([1, 2]), seed=st.integers(0, 99))
def test_distance_sweep_of_small_graphs(graph, words, seed):
    check_sweep(graph, words, seed)


def check_sweep(graph, words, seed):
    generator = np.random.default_rng(seed)
    sources = generator.integers(graph.n, size=generator.integers(0, 2 * graph.n + 1))
    twins = [graph.distances(source) for source in sources.tolist()]
    counts = Counter(distance for twin in twins for distance in twin.values())
    histogram, eccentricity, reached = kernels.distance_sweep(*graph.reversed, sources, words)
    assert histogram.tolist() == [counts[d] for d in range(max(counts, default=0) + 1)]
    assert eccentricity.tolist() == [max(twin.values()) for twin in twins]
    assert reached.tolist() == [len(twin) for twin in twins]
    for threads in (1, 3):
        again = kernels.distance_sweep_parallel(*graph.reversed, sources, words, threads)
        for one, other in zip((histogram, eccentricity, reached), again, strict=True):
            np.testing.assert_array_equal(one, other)
            assert one.dtype == other.dtype


def test_parts_of_a_sweep_are_put_together():
    """160 sources are three batches of 64, shared out among threads."""
    sources = np.tile(np.arange(4), 40)
    one = kernels.distance_sweep(*path(4).reversed, sources, 1)
    many = kernels.distance_sweep_parallel(*path(4).reversed, sources, 1, 2)
    assert one[0].tolist() == many[0].tolist() == [160, 240, 160, 80]
    assert one[1].tolist() == many[1].tolist() == [3, 2, 2, 3] * 40
    assert one[2].tolist() == many[2].tolist() == [4] * 160


@pytest.mark.compiled
def test_distance_sweep_of_a_long_path():
    histogram, eccentricity, reached = kernels.distance_sweep(*path(300).forward, np.arange(300), 1)
    assert histogram.tolist() == [300] + [2 * (300 - d) for d in range(1, 300)]
    assert eccentricity.tolist() == [max(v, 299 - v) for v in range(300)]
    assert set(reached) == {300}


@settings(max_examples=60, deadline=None)
@given(graph=graphs(largest=128), every=st.booleans(), seed=st.integers(0, 99))
def test_distance_rows(graph, every, seed):
    sources, dtype = np.arange(graph.n), np.uint8
    if not every:
        dtype = np.int32
        sources = np.random.default_rng(seed).integers(graph.n, size=5)
    out = np.zeros((sources.size, graph.n), dtype)
    kernels.distance_rows(*graph.forward, sources, out)
    unreached = np.iinfo(dtype).max
    for row, source in zip(out, sources.tolist(), strict=True):
        twin = graph.distances(source)
        assert row.tolist() == [twin.get(v, unreached) for v in range(graph.n)]


@pytest.mark.compiled
@pytest.mark.parametrize("every", [True, False])
def test_distance_rows_overflow(every, monkeypatch):
    monkeypatch.setattr(kernels, "choose_words", lambda n, sources: 2)  # compiled already
    for n, isolated in [(255, 2), (256, 1)] if every else [(255, 0), (255, 2), (256, 0), (300, 2)]:
        graph = PlainGraph(n + isolated, [(v, v + 1) for v in range(n - 1)])
        sources = np.arange(n + isolated) if every else np.array([0, n - 1])
        out = np.zeros((sources.size, graph.n), np.uint8)
        if n == 255:
            kernels.distance_rows(*graph.forward, sources, out)
            assert out[0].tolist() == [*range(255), *[255] * isolated]
        else:
            with pytest.raises(OverflowError):
                kernels.distance_rows(*graph.forward, sources, out)


def test_choose_words():
    assert kernels.choose_words(10_000, 10_000) == 16
    assert kernels.choose_words(1_000_000, 1_000_000) == 4
    assert kernels.choose_words(10**8, 10**8) == 1
    for sources, words in [(0, 1), (1, 1), (64, 1), (65, 2), (500, 8), (1000, 16)]:
        assert kernels.choose_words(100, sources) == words
