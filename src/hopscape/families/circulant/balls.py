"""How many nodes of a circulant are how far, by growing the ball round node 0 as a bit set.

A circulant with N nodes needs N/4 bytes and, for every distance, a look at 2k shifted copies of
N/64 words: a thousand million nodes take seconds to minutes, with any number of generators. The
lattice (:mod:`hopscape.algebra.lattices.census`) is quicker for few generators, and the only way at
far larger orders.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hopscape.core.errors import TooLargeError
from hopscape.core.memory import require_memory
from hopscape.core.progress import human_time, track

__all__ = ["ball_sizes", "seconds_to_grow"]

_PER_WORD = 7e-9  # seconds for one generator, 64 nodes and one distance
_MOST_SECONDS = 4 * 3600.0


def seconds_to_grow(nodes: int, generators: int, radius: int) -> float:
    """About how long the balls up to this radius take."""
    return float(radius * generators * (nodes // 64 + 1) * _PER_WORD)


def ball_sizes(nodes: int, generators: Sequence[int], radius: int) -> list[int]:
    """How many nodes are within 0, 1, 2, ... hops, up to the radius or until all are.

    Args:
        generators: From 1 to N/2.

    Raises:
        TooLargeError: When two bit sets do not fit into memory, or four hours would not be enough.

    Examples:
        >>> ball_sizes(48, (1, 20), 9)
        [1, 5, 13, 25, 41, 48]
    """
    words = ((nodes + 127) >> 6) + 2
    require_memory(16 * words, f"counting {nodes:,} nodes by distance")
    seconds = seconds_to_grow(nodes, len(generators), radius)
    if seconds > _MOST_SECONDS:
        raise TooLargeError(
            f"counting {nodes:,} nodes by distance, up to {radius:,}, would take"
            f" {human_time(seconds)}"
        )
    from hopscape.families.circulant.ball_kernels import first_ball, grow_ball

    ball, wider = np.zeros(words, np.uint64), np.zeros(words, np.uint64)
    steps = np.asarray(generators, dtype=np.int64)
    first_ball(ball, nodes)
    sizes = [1]
    for _ in track(range(radius), f"balls of {nodes:,} nodes"):
        if sizes[-1] == nodes:
            break
        sizes.append(int(grow_ball(ball, wider, nodes, steps)))
        ball, wider = wider, ball
    return sizes
