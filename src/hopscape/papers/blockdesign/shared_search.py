"""Search for base blocks: more supernodes for M, c and w than the constructions join.

Annealing in the cyclic group of every order between what is built and the bound, the largest
first; where planes leave ports over, with the difference set of a plane in every block, which
needs the rest of the elements only for the second and third way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Unpack

import numpy as np

from hopscape.algebra.fields import prime_power
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.papers.blockdesign.difference_sets import AbelianGroup, singer
from hopscape.papers.blockdesign.sharing import cell, most_points
from hopscape.store import Task, Work, run_tasks

__all__ = ["cells", "improve_cell", "search_blocks"]

_HOT, _COLD = 1.2, 0.12
_SHARE = 0.42  # of the differences: base blocks found by annealing alone cover hardly more


def anneal(
    order: int, start: IntArray, free: IntArray, ways: int, steps: int, seed: Sequence[int]
) -> IntArray | None:
    """Base blocks of the cyclic group with every difference often enough, or None."""
    from hopscape.papers.blockdesign.shared_kernels import anneal_blocks

    every = np.arange(order)
    table = AbelianGroup((order,)).subtract(every[:, None], every[None, :]).astype(np.int32)
    generator = np.random.default_rng(list(seed))
    blocks = start.copy()
    for b in range(len(blocks)):
        fixed = np.setdiff1d(np.arange(blocks.shape[1]), free[free[:, 0] == b, 1])
        rest = np.setdiff1d(every, blocks[b, fixed])
        places = free[free[:, 0] == b, 1]
        blocks[b, places] = generator.choice(rest, len(places), replace=False)
    moves = generator.integers(0, 1 << 30, size=(steps, 3))
    luck = generator.random(steps)
    short = anneal_blocks(blocks, free, table, ways, moves, luck, np.array([_HOT, _COLD]))
    return blocks if short == 0 else None
