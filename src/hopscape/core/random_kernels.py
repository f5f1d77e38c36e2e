"""Random numbers inside kernels (numba): the state is an array of one word."""

from __future__ import annotations

from typing import Any

import numpy as np

from hopscape.core.arrays import Array, UInt64s
from hopscape.core.kernel import kernel

__all__ = ["draw", "seeded", "shuffle", "uniform"]


@kernel
def seeded(seed: int) -> UInt64s:
    """The state of a seed (from 0)."""
    state = np.empty(1, np.uint64)
    state[0] = np.uint64(seed)
    return state


@kernel
def draw(state: UInt64s, bound: int) -> Any:
    """A random number from 0 to `bound` - 1.

    Splitmix64 (G. L. Steele, D. Lea, C. H. Flood. "Fast splittable pseudorandom number generators."
    OOPSLA 2014); the remainder is not quite uniform, which for bounds below 2^32 nobody can tell.
    """
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(1)) % bound


@kernel
def uniform(state: UInt64s) -> float:
    """A random number above 0 and up to 1."""
    return (draw(state, 1 << 52) + 1) / (1 << 52)


@kernel
def shuffle(state: UInt64s, items: Array) -> None:
    """Put items into random order."""
    for i in range(items.size - 1, 0, -1):
        j = draw(state, i + 1)
        items[i], items[j] = items[j], items[i]
