"""Grids: distances and dimension-order ports against coordinates taken apart by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopscape.families.torus.routing_kernels import grid_distances, grid_ports, packed

pytestmark = pytest.mark.interpreted


def slow_offsets(sides, wraps, at, to):
    """Signed steps along each axis, the last axis fastest; up on a tie."""
    out = []
    for side in reversed(sides):
        gap = to % side - at % side
        if wraps:
            gap %= side
            gap -= side if 2 * gap > side else 0
        out.append(gap)
        at, to = at // side, to // side
    return out[::-1]


@settings(max_examples=30)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=3), st.booleans(), st.booleans())
def test_grids_are_those_of_the_twin(sides, wraps, table):
    order = int(np.prod(sides))
    at, to = (x.ravel() for x in np.indices((order, order)))
    array = np.array(sides, dtype=np.int64)
    places = packed(array) if table else np.empty((0, 0), dtype=np.int32)
    gaps = [slow_offsets(sides, wraps, a, b) for a, b in zip(at.tolist(), to.tolist())]
    far = grid_distances(places, array, wraps, at, to)
    assert far.tolist() == [sum(map(abs, row)) for row in gaps]
    ports = [next((2 * i + (x < 0) for i, x in enumerate(row) if x), -1) for row in gaps]
    assert grid_ports(places, array, wraps, at, to).tolist() == ports
