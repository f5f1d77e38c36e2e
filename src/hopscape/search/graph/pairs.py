"""Dense graphs, whose nodes are nearly all within two links of each other."""

from __future__ import annotations

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.search.graph.lifts import Shape
from hopscape.search.graph.problem import Problem

__all__ = ["anneal_links", "seconds_per_exchange", "suits_pairs"]

_HOT, _WARM, _COLD = 0.8, 0.5, 0.3
_MOST_NODES = 4096
_MOST_BEYOND = 1.12
_PIECE = 4_000_000


def suits_pairs(shape: Shape, problem: Problem) -> bool:
    """Is the number of pairs farther apart than two links what decides?

    Examples:
        >>> [suits_pairs(Shape("cyclic(1)", n, 0, 8), Problem(n, 8)) for n in (9, 64, 72, 100)]
        [False, True, True, False]
    """
    plain = shape.fold == 1 and problem.free and not problem.bipartite
    n, within = shape.order, 1 + shape.degree**2
    return plain and 2 < shape.degree < n - 1 and n <= min(_MOST_NODES, _MOST_BEYOND * within)


def seconds_per_exchange(shape: Shape) -> float:
    """About how long an exchange of two links takes: the same on every machine."""
    return 2e-8 + 1e-7 * shape.degree


def anneal_links(
    nodes: int, degree: int, links: IntArray, steps: int, seed: int, *, reheat: bool = False
) -> IntArray:
    """Exchange ends of links until as few pairs as possible are more than two links apart.

    Args:
        links (int[m, 2]): Of a simple graph.
        reheat: The links are good already: begin less hot.

    Returns:
        int[m, 2]: The best links; degrees are as before.

    Examples:
        >>> ring = np.asarray([(i, (i + s) % 10) for i in range(10) for s in (1, 2)])
        >>> best = anneal_links(10, 4, ring, 2000, 1)
        >>> np.bincount(best.ravel()).tolist()
        [4, 4, 4, 4, 4, 4, 4, 4, 4, 4]
    """
    from hopscape.search.graph.pair_kernels import Pairs, anneal_pairs, count_pairs

    pairs = Pairs(
        np.ascontiguousarray(links, dtype=np.int32),
        np.zeros((nodes, degree), dtype=np.int32),
        np.zeros(nodes, dtype=np.int32),
        np.zeros((nodes, nodes), dtype=np.int16),
        np.zeros(1, dtype=np.int64),
    )
    count_pairs(pairs)
    best, least = pairs.links.copy(), int(pairs.far[0])
    state = np.asarray([(seed * 0x9E3779B9 + 54321) % 2**64], dtype=np.uint64)
    pieces = [min(_PIECE, steps - at) for at in range(0, steps, _PIECE)]
    hot = _WARM if reheat else _HOT
    fall = (_COLD / hot) ** (1 / max(len(pieces), 1))
    for i, piece in enumerate(pieces):
        warm = hot * fall**i
        least = anneal_pairs(pairs, state, piece, warm, warm * fall, best, least)
        if least == 0:
            break
    return best.astype(np.int64)
