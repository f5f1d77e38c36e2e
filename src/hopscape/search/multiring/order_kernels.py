"""Kernels of the search for a better order of the places round sparse rings."""

from __future__ import annotations

from typing import Any

import numpy as np

from hopscape.core.kernel import helper, kernel

__all__ = ["anneal", "total_arcs"]


@kernel
def total_arcs(place: Any, m: int, starts: Any, mine: Any, theirs: Any) -> int:
    """Arcs of the shortest paths between all parts and kinds of pairs.

    Args:
        place (int64[places]): Where each slot is round the ring.
        starts (int64[kinds + 1]): First meeting of each kind of pair.
        mine, theirs (int64[meetings]): Places in their parts of the two nodes.
    """
    places = place.shape[0]
    total = 0
    for g in range(places // m):
        for h in range(places // m):
            for kind in range(starts.shape[0] - 1):
                least = places
                for i in range(starts[kind], starts[kind + 1]):
                    d = abs(place[g * m + mine[i]] - place[h * m + theirs[i]])
                    least = min(least, d, places - d)
                total += least
    return total


@kernel
def anneal(
    order: Any, m: int, starts: Any, mine: Any, theirs: Any, moves: Any, luck: Any, heats: Any
) -> Any:
    """Exchange two places at a time, for shorter ways in sum; worse orders are taken by luck.

    `order` holds the slot at every place and is changed; returns the best one seen.
    """
    place = np.empty_like(order)
    for p in range(order.shape[0]):
        place[order[p]] = p
    value = total_arcs(place, m, starts, mine, theirs)
    best, kept = value, order.copy()
    for i in range(moves.shape[0]):
        a, b = moves[i]
        _exchange(order, place, a, b)
        changed = total_arcs(place, m, starts, mine, theirs)
        if changed <= value or luck[i] < np.exp((value - changed) / 2 / heats[i]):
            value = changed
            if value < best:
                best = value
                kept[:] = order
        else:
            _exchange(order, place, a, b)
    return kept


@helper
def _exchange(order: Any, place: Any, a: int, b: int) -> None:
    order[a], order[b] = order[b], order[a]
    place[order[a]], place[order[b]] = a, b
