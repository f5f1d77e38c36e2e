"""Random numbers of kernels against splitmix64 with whole numbers."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hopscape.core.grid_kernels import draw, seeded, shuffle, uniform


def slow_draws(seed):
    full, state = 2**64 - 1, seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & full
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & full
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & full
        yield (z ^ (z >> 31)) >> 1


@given(st.integers(0, 2**62), st.integers(1, 10**6), st.integers(0, 9))
def test_numbers_are_those_of_the_twin(seed, bound, size):
    state, slow = seeded(seed), slow_draws(seed)
    assert [draw(state, bound) for _ in range(3)] == [next(slow) % bound for _ in range(3)]
    assert uniform(state) == (next(slow) % 2**52 + 1) / 2**52
    items, want = np.arange(size), list(range(size))
    shuffle(state, items)
    for i in range(size - 1, 0, -1):
        j = next(slow) % (i + 1)
        want[i], want[j] = want[j], want[i]
    assert items.tolist() == want
