"""Multigraphs by lot, for the tests of kernels that search them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hopscape.reference.graphs import PlainGraph


@st.composite
def graphs(draw, largest=150, kinds=("duplex", "simplex", "mixed")):
    n = draw(st.integers(1, largest))
    kind = draw(st.sampled_from(kinds))
    channels = draw(st.integers(0, 3 * n))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    pairs = generator.integers(n, size=(channels, 2))
    if draw(st.booleans()):  # near neighbours only: large distances
        pairs[:, 1] = np.minimum(pairs[:, 0] + generator.integers(0, 3, channels), n - 1)
    if draw(st.booleans()):
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    pairs = pairs.tolist()
    split = {"duplex": len(pairs), "simplex": 0, "mixed": len(pairs) // 2}[kind]
    return PlainGraph(n, pairs[:split], pairs[split:])
