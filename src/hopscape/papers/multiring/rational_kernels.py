"""Kernels of exact linear algebra."""

from __future__ import annotations

from typing import Any

import numpy as np

from hopscape.core.kernel import kernel

__all__ = ["eliminate"]


@kernel
def eliminate(work: Any, columns: int, prime: int) -> tuple[Any, Any]:
    """Gauss and Jordan modulo a prime below 2^31, in place, over the first columns.

    Of the rows that can clear a column the one with the fewest entries does.

    Returns:
        rows, used (int64[rank]): The row with the 1 of each pivot, and its column.
    """
    height, width = work.shape
    rows = np.empty(min(height, columns), dtype=np.int64)
    used = np.empty(min(height, columns), dtype=np.int64)
    taken = np.zeros(height, dtype=np.uint8)
    entries = np.zeros(height, dtype=np.int64)
    places = np.empty(width, dtype=np.int64)
    for i in range(height):
        for j in range(width):
            entries[i] += work[i, j] != 0
    rank = 0
    for k in range(columns):
        pivot = -1
        for i in range(height):
            if work[i, k] and not taken[i] and (pivot < 0 or entries[i] < entries[pivot]):
                pivot = i
        if pivot < 0:
            continue
        lead, power, exponent = np.int64(1), work[pivot, k], prime - 2
        while exponent:
            if exponent & 1:
                lead = lead * power % prime
            power = power * power % prime
            exponent >>= 1
        filled = 0
        for j in range(width):
            if work[pivot, j]:
                work[pivot, j] = work[pivot, j] * lead % prime
                places[filled] = j
                filled += 1
        for i in range(height):
            if i == pivot or work[i, k] == 0:
                continue
            factor = prime - work[i, k]
            for p in range(filled):
                j = places[p]
                old = work[i, j]
                work[i, j] = (old + factor * work[pivot, j]) % prime
                entries[i] += np.int64(work[i, j] != 0) - np.int64(old != 0)
        taken[pivot] = 1
        rows[rank], used[rank] = pivot, k
        rank += 1
        if rank == height:
            break
    return rows[:rank], used[:rank]
