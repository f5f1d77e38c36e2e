"""Difference covers against all sets of their size."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopscape.families.blockdesign.cover_kernels import search_cover

pytestmark = pytest.mark.interpreted


def slow_cover(order, size):
    """The first set with 0 whose differences are everything, in the order of combinations."""
    for others in combinations(range(1, order), size - 1):
        some = (0, *others)
        if {(a - b) % order for a in some for b in some} == set(range(order)):
            return some
    return None


@given(st.integers(1, 13), st.integers(1, 5))
def test_covers_are_those_of_the_twin(order, size):
    if not size <= order <= size * (size - 1) + 1:
        return
    every = np.arange(order)
    table = ((every[:, None] - every[None, :]) % order).astype(np.int32)
    found, steps = search_cover(table, size, 10**6)
    want = slow_cover(order, size)
    assert found.tolist() == (list(want) if want else [-1] * size)
    if steps > 1:
        assert search_cover(table, size, steps - 1)[1] > steps - 1
