"""Random graphs: simple, regular, the same by the same seed; kernels against slow twins."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape.core.grid_kernels import draw, link_rows, seeded, shuffle
from hopscape.core.network import Network
from hopscape.core.wired import _link_rows
from hopscape.families.classic import random_kernels


def graph_of(network: Network) -> nx.MultiGraph:
    graph = nx.MultiGraph()
    graph.add_nodes_from(range(network.order))
    channels = np.arange(len(network.heads))
    once = channels < network.reverse
    graph.add_edges_from(zip(network.tails[once].tolist(), network.heads[once].tolist()))
    return graph


@given(n=st.integers(1, 60), degree=st.integers(0, 59), seed=st.integers(0, 2**63 - 1))
@settings(max_examples=150, deadline=None)
def test_random_regular_is_simple_and_regular(n: int, degree: int, seed: int) -> None:
    degree = min(degree, n - 1)
    if n * degree % 2:
        degree -= 1
    network = hopscape.build(f"random_regular({n}, {degree}, seed={seed})")
    graph = graph_of(network)
    assert nx.number_of_selfloops(graph) == 0
    assert len(set(graph.edges())) == graph.number_of_edges() == n * degree // 2
    assert {d for _, d in graph.degree()} == {degree}
    again = hopscape.build(network.spec)
    assert (again.heads == network.heads).all()


def slow_pairing(n: int, degree: int, seed: int) -> set[frozenset[int]] | None:
    """Shuffled ends in pairs, bad pairs switched with random later ones; None if that fails."""
    state = seeded(seed)
    ends = np.repeat(np.arange(n, dtype=np.int32), degree)
    shuffle(state, ends)
    links = [tuple(pair) for pair in ends.reshape(-1, 2).tolist()]
    good: set[frozenset[int]] = set()
    bad = 0
    for i, (u, v) in enumerate(links):
        if u == v or frozenset((u, v)) in good:
            links[i], links[bad] = links[bad], (u, v)
            bad += 1
        else:
            good.add(frozenset((u, v)))
    for i in reversed(range(bad)):
        u, v = links[i]
        for _ in range(200 if len(links) > i + 1 else 0):
            j = i + 1 + int(draw(state, len(links) - i - 1))
            x, y = links[j][::-1] if draw(state, 2) else links[j]
            if u != x and v != y and not {frozenset((u, x)), frozenset((v, y))} & good:
                good -= {frozenset((x, y))}
                good |= {frozenset((u, x)), frozenset((v, y))}
                links[i], links[j] = (u, x), (v, y)
                break
        else:
            return None
    return good


@given(n=st.integers(2, 40), degree=st.integers(1, 20), seed=st.integers(0, 2**63 - 1))
def test_pairing_with_repair_against_sets(n: int, degree: int, seed: int) -> None:
    degree = min(degree, n // 2)
    if n * degree % 2:
        n += 1
    expected = slow_pairing(n, degree, seed)
    links = list(zip(*(x.tolist() for x in random_kernels.regular_links(n, degree, seed))))
    assert links == sorted(links)
    assert all(u < v for u, v in links)
    if expected is not None:
        assert set(map(frozenset, links)) == expected


def test_seeds_differ_and_all_graphs_occur() -> None:
    """The cubic graphs on 6 labelled nodes: all 70 of them, about equally often."""
    counts: dict[bytes, int] = {}
    for seed in range(7000):
        tails, heads = random_kernels.regular_links(6, 3, seed)
        counts[bytes(tails) + bytes(heads)] = counts.get(bytes(tails) + bytes(heads), 0) + 1
    assert len(counts) == 70
    assert 50 < min(counts.values()) <= max(counts.values()) < 170


@pytest.mark.parametrize(("n", "degree"), [(2, 1), (9, 4), (10, 5), (40, 3), (12, 6)])
def test_the_slow_way_of_pairing(n: int, degree: int) -> None:
    """What is done when repairs fail: a circulant, shuffled by switches."""
    ends = np.empty(n * degree, np.int32)
    near = np.full((n, degree), -1, np.int32)
    used = np.zeros(n, np.int32)
    random_kernels._switched(seeded(3), ends, near, used)
    links = {tuple(sorted(link)) for link in ends.reshape(-1, 2).tolist()}
    assert len(links) == n * degree // 2
    assert all(u != v for u, v in links)
    for v in range(n):
        expected = sorted(a + b - v for a, b in links if v in (a, b))
        assert sorted(near[v].tolist()) == expected


def test_kernels_draw_like_splitmix64() -> None:
    def slow(state: int) -> int:
        z = state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return (z ^ (z >> 31)) >> 1

    state = seeded(17)
    for i in range(1, 50):
        assert draw(state, 1000) == slow((17 + i * 0x9E3779B97F4A7C15) % 2**64) % 1000
    items = np.arange(20)
    shuffle(state, items)
    assert sorted(items.tolist()) == list(range(20))
    assert items.tolist() != list(range(20))


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_rows_of_links_by_kernel_and_by_numpy(data: st.DataObject) -> None:
    order = data.draw(st.integers(1, 12))
    node = st.integers(0, order - 1)
    links = data.draw(st.lists(st.tuples(node, node), max_size=30))
    ends = np.asarray(links, dtype=np.int64).reshape(-1, 2)
    for duplex in (True, False):
        slow = _link_rows(order, ends[:, 0], ends[:, 1], duplex)
        fast = link_rows(order, ends[:, 0], ends[:, 1], duplex)
        assert all((a == b).all() and a.dtype == b.dtype for a, b in zip(slow, fast, strict=True))


@pytest.mark.parametrize(
    ("spec", "base"),
    [
        ("random_lift(petersen, 5, seed=2)", "petersen"),
        ("random_lift(torus(3, 4), 1)", "torus(3, 4)"),
        ("random_lift(complete(1), 3)", "complete(1)"),
        ("random_lift(kautz(2, 2), 4)", "kautz(2, 2)"),
        ("xpander(4, 6, seed=1)", "complete(5)"),
        ("xpander(1, 3)", "complete(2)"),
    ],
)
def test_lifts_cover_their_base(spec: str, base: str) -> None:
    """Forgetting the copy, every link of a lift is one of the base, and each is covered k times."""
    network, below = hopscape.build(spec), hopscape.build(base)
    k = network.order // below.order
    down = sorted(zip((network.tails // k).tolist(), (network.heads // k).tolist()))
    expected = sorted(list(zip(below.tails.tolist(), below.heads.tolist())) * k)
    assert down == expected
    pairs = set(zip(network.tails.tolist(), network.heads.tolist()))
    assert len(pairs) == len(network.heads)
    assert (hopscape.build(spec).heads == network.heads).all()


def test_many_links_take_the_kernel() -> None:
    """The result is the same on both sides of the border between numpy and the kernel."""
    network = hopscape.build("random_regular(60000, 6, seed=5)")
    tails, heads = random_kernels.regular_links(60000, 6, 5)
    indptr, towards, reverse = _link_rows(60000, tails, heads, True)
    assert (network.indptr == indptr).all()
    assert (network.heads == towards).all()
    assert (network.reverse == reverse).all()
