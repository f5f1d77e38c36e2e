"""Choices of paths: nobody wants another one when the others stay."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopscape.papers.rpc.balance_kernels import choose_paths

pytestmark = pytest.mark.interpreted


def cheapest(paths, others, base):
    """The least price of a packet's paths over the load that the others make."""
    load = Counter(lane for path in others for lane in path)
    prices = [sum(base ** load[lane] + 0.01 for lane in path) for path in paths]
    return min(prices), prices


@settings(max_examples=40)
@given(
    st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 6), st.sampled_from([1.3, 2.0, 8.0])
)
def test_settled_choices_are_best_answers(seed, rows, packets, base):
    rng = np.random.default_rng(seed)
    choices = [
        [rng.permutation(7)[: rng.integers(1, 4)].tolist() for _ in range(rng.integers(1, 4))]
        for _ in range(rows)
    ]
    pairs = rng.integers(0, rows, size=packets)
    flat = [path for row in choices for path in row]
    first = np.cumsum([0, *map(len, choices)])
    start = np.cumsum([0, *map(len, flat)])
    lane = np.array([x for path in flat for x in path])
    before = None
    for sweeps in range(1, 9):
        chosen = choose_paths(pairs, first, start, lane, 7, base, sweeps, seed)
        assert ((first[pairs] <= chosen) & (chosen < first[pairs + 1])).all()
        if before is not None and np.array_equal(before, chosen):
            break
        before = chosen
    else:
        return
    for i, p in enumerate(chosen.tolist()):
        others = [flat[q] for j, q in enumerate(chosen.tolist()) if j != i]
        least, prices = cheapest(choices[pairs[i]], others, base)
        assert prices[p - first[pairs[i]]] <= least * (1 + 1e-5)
