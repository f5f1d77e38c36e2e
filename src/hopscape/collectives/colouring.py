"""Sorting transfers into rounds: edge colouring of bipartite multigraphs."""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.processes import require_memory

__all__ = ["colour_edges"]


def colour_edges(left: IntArray, right: IntArray) -> tuple[IntArray, int]:
    """Colour the edges of a bipartite multigraph so that edges of one colour share no end.

    Args:
        left, right (int arrays): The ends of each edge; the two sides are numbered on their own.

    Returns:
        colours: int64[edges]
        count (int): Number of colours: the largest degree, which no colouring can beat.

    Examples:
        >>> colours, count = colour_edges(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
        >>> count, colours.tolist()
        (2, [0, 1, 1, 0])
    """
    from hopscape.collectives.colouring_kernels import colour_bipartite

    if len(left) == 0:
        return np.empty(0, dtype=np.int64), 0
    lefts, first = np.unique(left, return_inverse=True)
    rights, second = np.unique(right, return_inverse=True)
    most = max(int(np.bincount(first).max()), int(np.bincount(second).max()))
    require_memory(4 * (len(lefts) + len(rights)) * most, f"colouring {len(left)} edges")
    colours = colour_bipartite(
        first.astype(np.int64), second.astype(np.int64), len(lefts), len(rights), most
    )
    return colours.astype(np.int64), most
