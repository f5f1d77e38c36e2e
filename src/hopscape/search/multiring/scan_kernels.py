"""Kernels of the search for best step sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from hopscape.core.kernel import kernel

__all__ = ["scan_sets"]


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
