"""Kernels of the search for best step sets.

Kernels of the search for a better order of the places round sparse rings.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hopscape.core.annealing_kernels import allowance, geometric
from hopscape.core.kernel import helper, kernel

__all__ = ["anneal", "scan_sets", "total_arcs"]


@kernel
def scan_sets(
    lengths: Any,
    weights: Any,
    count: int,
    low: int,
    high: int,
    limit: int,
    out: Any,
    totals: Any,
) -> tuple[int, int]:
    """Sets {0, c2 < c3 < ...} of rows, c2 from low to high - 1, with a total of at most `limit`.

    Args:
        lengths (int64[rows, routes]): Length of each route on the ring of each row, large where the
            ring does not go. Row 0 is in every set.
        weights: int64[routes]
        count: Rows in a set.
        limit: Sets whose sum over routes of weight times least length is at most this are kept.
        out (int64[room, count]): Kept sets; only the first `room` are written.
        totals (int64[room]): Their sums.

    Returns:
        found, looked (int): Sets kept (perhaps more than there is room for), and looked at.
    """
    rows, routes = lengths.shape
    least = np.empty((count, routes), dtype=np.int64)
    least[0] = lengths[0]
    chosen = np.zeros(count, dtype=np.int64)
    found = 0
    looked = 0
    if count == 1:
        total = 0
        for r in range(routes):
            total += weights[r] * lengths[0, r]
        if total <= limit:
            if out.shape[0] > 0:
                out[0, 0] = 0
                totals[0] = total
            found = 1
        return found, 1
    depth = 1
    chosen[1] = low - 1
    while depth >= 1:
        chosen[depth] += 1
        c = chosen[depth]
        end = high if depth == 1 else rows
        if c >= min(end, rows - (count - 1 - depth)):
            depth -= 1
            continue
        if depth < count - 1:
            for r in range(routes):
                a = least[depth - 1, r]
                b = lengths[c, r]
                least[depth, r] = a if a < b else b
            depth += 1
            chosen[depth] = c
            continue
        total = 0
        for r in range(routes):
            a = least[depth - 1, r]
            b = lengths[c, r]
            total += weights[r] * (a if a < b else b)
        looked += 1
        if total <= limit:
            if found < out.shape[0]:
                for i in range(count):
                    out[found, i] = chosen[i]
                totals[found] = total
            found += 1
    return found, looked


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
    order: Any,
    m: int,
    pairs: tuple[Any, Any, Any],
    moves: Any,
    luck: Any,
    hot: float,
    cold: float,
) -> Any:
    """Exchange two places at a time, for shorter ways in sum; worse orders are taken by luck.

    Args:
        order (int64[places]): The slot at every place; changed.
        pairs (starts, mine, theirs): As for :func:`total_arcs`.
        moves (int64[steps, 2]), luck (float64[steps]): Random numbers.
        hot, cold: Temperatures, in arcs per ordered pair.

    Returns:
        int64[places]: The best order seen.
    """
    starts, mine, theirs = pairs
    place = np.empty_like(order)
    for p in range(order.shape[0]):
        place[order[p]] = p
    value = total_arcs(place, m, starts, mine, theirs)
    best, kept = value, order.copy()
    for i, heat in enumerate(geometric(hot, cold, moves.shape[0])):
        a, b = moves[i]
        _exchange(order, place, a, b)
        changed = total_arcs(place, m, starts, mine, theirs)
        if changed <= value or (changed - value) / 2 <= allowance(heat, luck[i]):
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
