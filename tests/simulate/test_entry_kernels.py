"""Entries of the engine's tables against their fields one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopscape.simulate import layout
from hopscape.simulate.table_kernels import pack_entries

pytestmark = pytest.mark.interpreted


def slow_entry(port, other, kind):
    """One entry, field by field."""
    if port == 0xFFFF:
        return layout.NO_ROUTE
    tie = layout.TIE if port != other else 0
    return port | tie | kind << layout.ENTRY_SET_SHIFT


@given(st.integers(0, 2**32 - 1), st.integers(0, 6), st.booleans())
def test_ports_classes_and_ties_are_packed(seed, order, dated):
    draw = np.random.default_rng(seed)
    port = draw.integers(0, 2046, (order, order)).astype(np.uint16)
    other = np.where(draw.random((order, order)) < 0.5, port, port ^ 1).astype(np.uint16)
    missing = draw.random((order, order)) < 0.3
    port[missing] = other[missing] = 0xFFFF
    kinds = draw.integers(0, 16, (order, order) if dated else (0, 0)).astype(np.uint8)
    packed = pack_entries(port, other, kinds)
    for at in range(order):
        for goal in range(order):
            kind = int(kinds[at, goal]) if dated else 0
            want = slow_entry(int(port[at, goal]), int(other[at, goal]), kind)
            assert int(packed[at, goal]) == want
