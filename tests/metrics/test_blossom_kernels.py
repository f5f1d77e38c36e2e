"""Largest matchings of any graph by networkx, and the proof that they are."""

from __future__ import annotations

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hopscape.metrics.blossom_kernels import match_nodes


def slow_alone(nodes: int, edges: list[tuple[int, int]]) -> int:
    """Nodes without a partner in a largest matching, by networkx."""
    graph = nx.Graph(edges)
    return nodes - 2 * len(nx.max_weight_matching(graph, maxcardinality=True))


def matched(nodes: int, edges: list[tuple[int, int]]):
    """Partners, labels and how many are alone."""
    rows = [[b for a, b in [*edges, *((b, a) for a, b in edges)] if a == v] for v in range(nodes)]
    start = np.cumsum([0, *map(len, rows)])
    heads = np.array([w for row in rows for w in row], dtype=np.int64)
    mate, label = np.full(nodes, -1), np.zeros(nodes, dtype=np.int64)
    return mate, label, match_nodes(start, heads, mate, label)


def proved_alone(nodes: int, edges: list[tuple[int, int]], label) -> int:
    """By how many the odd parts are more than the nodes that part them (Berge)."""
    graph = nx.Graph()
    graph.add_nodes_from(range(nodes))
    graph.add_edges_from(edges)
    barrier = [v for v in range(nodes) if label[v] == 2]
    graph.remove_nodes_from(barrier)
    return sum(len(part) % 2 for part in nx.connected_components(graph)) - len(barrier)


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 14), st.data())
def test_matchings_by_networkx(nodes: int, data: st.DataObject) -> None:
    every = [(a, b) for a in range(nodes) for b in range(a)]
    edges = data.draw(st.lists(st.sampled_from(every), unique=True, max_size=2 * nodes))
    mate, label, alone = matched(nodes, edges)
    assert alone == slow_alone(nodes, edges) == proved_alone(nodes, edges, label)
    joined = {frozenset(edge) for edge in edges}
    for v, w in enumerate(mate.tolist()):
        assert w < 0 or (mate[w] == v and frozenset((v, w)) in joined)
    assert (mate < 0).sum() == alone


def test_blossoms_inside_blossoms() -> None:
    """Triangles on a path, several deep, and large sparse graphs."""
    rng = np.random.default_rng(5)
    for nodes in (60, 61, 200):
        edges = [(v, v - 1) for v in range(1, nodes)] + [(v, v - 2) for v in range(2, nodes, 3)]
        edges += [tuple(sorted(pair, reverse=True)) for pair in rng.integers(0, nodes, (20, 2))]
        edges = sorted({(int(a), int(b)) for a, b in edges if a != b})
        kept = [edge for edge in edges if rng.random() < 0.8]
        _, label, alone = matched(nodes, kept)
        assert alone == slow_alone(nodes, kept) == proved_alone(nodes, kept, label)
