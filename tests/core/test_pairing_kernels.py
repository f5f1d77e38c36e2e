"""Channels are paired as a dictionary of lists would pair them."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import fresh_graph
from hopscape.core.grid_kernels import link_rows, pair_channels

pytestmark = pytest.mark.interpreted


def slow_pairs(indptr, heads):
    """The k-th channel u→v belongs to the k-th channel v→u."""
    between = defaultdict(list)
    for u in range(len(indptr) - 1):
        for c in range(indptr[u], indptr[u + 1]):
            between[u, int(heads[c])].append(c)
    reverse = [-1] * len(heads)
    for (u, v), channels in between.items():
        for one, other in zip(channels, between.get((v, u), [])):
            reverse[one] = other
    return reverse


@given(st.integers(0, 10**6), st.integers(1, 7), st.integers(0, 24), st.booleans())
def test_pairs_are_those_of_the_twin(seed, order, links, duplex):
    network = fresh_graph(seed, order, links, duplex=duplex)
    indptr, heads = network.indptr, network.heads
    assert pair_channels(indptr, heads).tolist() == slow_pairs(indptr, heads)


def test_nothing_to_pair():
    empty = np.empty(0, dtype=np.int32)
    assert pair_channels(np.zeros(1, dtype=np.int64), empty).tolist() == []
    assert pair_channels(np.zeros(4, dtype=np.int64), empty).tolist() == []


def test_rows_of_a_list_of_links():
    tails, heads = np.array([2, 0, 2]), np.array([0, 1, 1])
    indptr, towards, reverse = link_rows(4, tails, heads, True)
    assert indptr.tolist() == [0, 2, 4, 6, 6]
    assert towards.tolist() == [2, 1, 0, 2, 0, 1]
    assert reverse.tolist() == [4, 2, 1, 5, 0, 3]
    indptr, towards, reverse = link_rows(4, tails, heads, False)
    assert indptr.tolist() == [0, 1, 1, 3, 3]
    assert towards.tolist() == [1, 0, 1]
    assert reverse.tolist() == [-1] * 3
