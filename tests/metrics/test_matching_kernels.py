"""Largest matchings by networkx, and on cases that take others minutes."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopscape.metrics.matching_kernels import largest_matching


def slow_matching(pairs: list[tuple[int, int]]) -> int:
    """Most pairs without a common end, by networkx."""
    graph = nx.Graph((("from", a), ("to", b)) for a, b in pairs)
    found = nx.bipartite.maximum_matching(graph, [v for v in graph if v[0] == "from"])
    return len(found) // 2


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 9), st.data())
def test_matchings_by_networkx(nodes: int, data: st.DataObject) -> None:
    every = [(a, b) for a in range(nodes) for b in range(nodes)]
    pairs = data.draw(st.lists(st.sampled_from(every), unique=True))
    table = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    assert largest_matching(table, len(table), nodes) == slow_matching(pairs)


@pytest.mark.compiled
@pytest.mark.parametrize(("nodes", "channel"), [(60, 4), (300, 132), (1500, 716)])
def test_pairs_over_one_channel_of_a_ring(nodes: int, channel: int) -> None:
    """Rows and columns of a staircase, turned: scipy's matching takes minutes for the last one.

    Each of the half of the nodes before the channel sends to one behind it.
    """
    half = nodes // 2
    before, behind = np.nonzero(np.add.outer(np.arange(half), np.arange(half)) < half)
    pairs = np.stack([(channel - before) % nodes, (channel + 1 + behind) % nodes], axis=1)
    assert largest_matching(pairs, len(pairs), nodes) == half
