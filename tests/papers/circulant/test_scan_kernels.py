"""Scans of generator sets against breadth-first search on every set."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopscape.papers.circulant.scanning import generator_tables
from hopscape.papers.circulant.search_kernels import scan

pytestmark = pytest.mark.interpreted


def sum_of_distances(nodes, generators, d):
    """Sum of distances from node 0, or None where one is above d."""
    ball, total = {0}, 0
    for _ in range(d):
        total += nodes - len(ball)
        ball |= {(v + sign * s) % nodes for v in ball for s in generators for sign in (1, -1)}
    return total if len(ball) == nodes else None


def slow_scan(nodes, count, d, first, low, high):
    """{set: sum} of all sets that the scan may take."""
    allowed, mirror = generator_tables(nodes, first)
    out = {}
    for others in combinations(range(first + 1, nodes // 2 + 1), count - 1):
        inverse_earlier = any(0 < mirror[s] < others[0] for s in others)
        if low <= others[0] < high and all(allowed[list(others)]) and not inverse_earlier:
            total = sum_of_distances(nodes, (first, *others), d)
            if total is not None:
                out[(first, *others)] = total
    return out


@settings(max_examples=40)
@given(st.integers(4, 75), st.integers(2, 3), st.integers(1, 5), st.booleans(), st.data())
def test_scans_are_those_of_the_twin(nodes, count, d, every, data):
    if count == 3:
        nodes = min(nodes, 24) if nodes < 64 else 64
    first = data.draw(st.integers(1, 2))
    low = data.draw(st.integers(0, nodes // 2))
    high = data.draw(st.integers(low, nodes // 2 + 1))
    if nodes == 64:
        low, high = max(low, 4), min(high, 9)
    slow = slow_scan(nodes, count, d, first, low, high)
    best = min(slow.values(), default=-1)
    out = np.zeros((len(slow) + 1, count), dtype=np.int64)
    args = (nodes, count, d, first, *generator_tables(nodes, first), low, high, every, False)
    found, total, _ = scan(*args, out)
    want = [s for s, x in sorted(slow.items()) if every or x == best]
    assert (found, total) == (len(want), best)
    assert [tuple(row) for row in out[:found].tolist()] == want
    assert scan(*args, out[:0])[0] == found
