"""Routing tables: filled, walked, added up and searched for cycles, all by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import connected_graph, fresh_graph
from hopscape.core.arrays import NO_OFFSET as NONE
from hopscape.metrics.route_kernels import add_loads, balanced_table, pairs_through
from hopscape.reference.graphs import hop_table

pytestmark = pytest.mark.interpreted


def way(network, table, source, target):
    """Channels from source to target by the table, or None when they do not arrive."""
    at, channels = source, []
    while at != target:
        if table[target, at] == NONE or len(channels) > network.order:
            return None
        channels.append(int(network.indptr[at] + table[target, at]))
        at = int(network.heads[channels[-1]])
    return channels


def ways(network, table, ends):
    return {
        (s, t): way(network, table, s, t)
        for t in range(network.order)
        for s in range(network.order)
        if ends[s] and ends[t] and s != t
    }


def hops_towards(network):
    return np.ascontiguousarray(hop_table(network).T)


def slow_table(network, towards, ends, level, most, load, table):
    """Row by row, near nodes first: fewest falls beyond `most`, then least load."""
    n = network.order
    for t in range(n):
        reached = sorted((v for v in range(n) if towards[t, v] < 255), key=lambda v: towards[t, v])
        for sign in (-1, 1):
            if sign > 0:
                table[t], falls = NONE, {t: 0}
                for v in reached[1:]:
                    choices = []
                    for c in range(network.indptr[v], network.indptr[v + 1]):
                        w = int(network.heads[c])
                        if int(towards[t, w]) + 1 == towards[t, v]:
                            turn = w != t and level[network.indptr[w] + table[t, w]] <= level[c]
                            choices.append((falls[w] + int(turn), c))
                    falls[v], best = min(choices, key=lambda x: (max(x[0], most), load[x[1]], x[1]))
                    table[t, v] = best - network.indptr[v]
            if ends[t] and (sign > 0 or any(table[t] != NONE)):
                for s in reached[1:]:
                    for c in way(network, table, s, t) if ends[s] else []:
                        load[c] += sign


networks = st.builds(
    connected_graph, st.integers(0, 10**6), st.integers(1, 8), st.integers(0, 8), st.booleans()
)
loose = st.builds(
    fresh_graph, st.integers(0, 10**6), st.integers(1, 8), st.integers(0, 14), st.booleans()
)


def drawn_ends(data, order):
    return np.array(data.draw(st.lists(st.booleans(), min_size=order, max_size=order)))


@given(networks | loose, st.integers(0, 2), st.data())
def test_tables_are_those_of_the_twin(network, most, data):
    n, towards = network.order, hops_towards(network)
    ends = drawn_ends(data, n)
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    level = rng.integers(0, 4, size=len(network.heads))
    load, slow_load = np.zeros((2, len(network.heads)), dtype=np.int64)
    table, slow = np.full((2, n, n), NONE, dtype=np.uint8)
    for _ in range(2):  # the second time rows are taken off and chosen anew
        args = (network.indptr, network.heads, towards, np.arange(n), ends, level, most)
        balanced_table(*args, load, table)
        slow_table(network, towards, ends, level, most, slow_load, slow)
        assert np.array_equal(table, slow)
        assert np.array_equal(load, slow_load)


def any_table(network, rng):
    """A table that may run in circles or end nowhere."""
    degrees = np.diff(network.indptr)
    ports = rng.integers(0, np.maximum(degrees, 1), size=(network.order, network.order))
    lost = (degrees == 0) | (rng.random((network.order, network.order)) < 0.02)
    return np.where(lost, NONE, ports).astype(np.uint8)


@given(networks, st.booleans(), st.data())
def test_loads_dependencies_and_pairs_by_walking(network, shortest, data):
    n, targets = network.order, np.arange(network.order)
    ends = drawn_ends(data, n)
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    if shortest:
        table, load = np.full((n, n), NONE, np.uint8), np.zeros(len(network.heads), np.int64)
        balanced_table(
            network.indptr, network.heads, hops_towards(network), targets, ends, load, 0,
            np.zeros_like(load), table,
        )  # fmt: skip
    else:
        table = any_table(network, rng)
    walked = ways(network, table, ends)
    load = np.zeros(len(network.heads), dtype=np.int64)
    longest = add_loads(network.indptr, network.heads, table, targets, ends, load)
    if any(channels is None for channels in walked.values()):
        assert longest == -1
        return
    assert longest == max(map(len, walked.values()), default=0)
    slow = Counter(c for channels in walked.values() for c in channels)
    assert load.tolist() == [slow[c] for c in range(len(load))]
    for channel in range(len(network.heads)):
        out = np.empty((n * n, 2), dtype=np.int64)
        tail = int(network.tails[channel])
        args = (network.indptr, network.heads, table, ends, channel, tail)
        over = [pair for pair, channels in walked.items() if channel in channels]
        found = pairs_through(*args, out)
        assert [tuple(pair) for pair in out[:found].tolist()] == over
        assert pairs_through(*args, out[:1]) == min(found, 1)
