"""What ranks wait for while they do not compute."""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import Floats, Int64s, Integer
from hopscape.core.kernel import helper, kernel

__all__ = ["waiting_times"]


@helper
def _walk(
    part: Integer,
    low: float,
    rank: Integer,
    after_start: Int64s,
    after: Int64s,
    start: Floats,
    end: Floats,
    label: Int64s,
    together: Int64s,
    joined: Floats,
    spent: Floats,
) -> None:
    """Follow what a part waited for back to a time: the last one to end, and what that waited for.

    What is done with others counts from when all were there; before, it is a wait (the last
    column).
    """
    idle = spent.shape[1] - 1
    now = start[part]
    at = part
    while now > low:
        last = -1
        for i in range(after_start[at], after_start[at + 1]):
            if last < 0 or end[after[i]] > end[last]:
                last = after[i]
        if last < 0 or end[last] <= low:
            spent[rank, idle] += now - low
            return
        spent[rank, idle] += max(now - end[last], 0.0)
        now = min(now, end[last])
        begun = max(start[last], low)
        if together[last] >= 0:
            ready = min(max(joined[together[last]], begun), now)
            spent[rank, label[last]] += now - ready
            spent[rank, idle] += ready - begun
        else:
            spent[rank, label[last]] += now - begun
        now = begun
        at = last


@kernel
def waiting_times(
    order: Int64s,
    first: Int64s,
    computes: Int64s,
    after_start: Int64s,
    after: Int64s,
    start: Floats,
    end: Floats,
    label: Int64s,
    together: Int64s,
    joined: Floats,
    labels: int,
    whole: float,
) -> Floats:
    """Seconds of each rank by label; the last column is idle. A row adds up to the whole.

    Args:
        order, first: Parts of each rank, by their start.
        joined: When the last member of each operation was there.
    """
    ranks = len(first) - 1
    spent = np.zeros((ranks, labels + 1))
    for rank in range(ranks):
        low = 0.0
        latest = -1
        for i in range(first[rank], first[rank + 1]):
            part = order[i]
            if latest < 0 or end[part] > end[latest]:
                latest = part
            if not computes[part]:
                continue
            if start[part] > low:
                _walk(
                    part, low, rank, after_start, after, start, end, label, together, joined, spent
                )
            spent[rank, label[part]] += max(end[part] - max(start[part], low), 0.0)
            low = max(low, end[part])
        if latest >= 0 and end[latest] > low:
            begun = max(start[latest], low)
            ready = begun
            if together[latest] >= 0:
                ready = min(max(joined[together[latest]], begun), end[latest])
            spent[rank, label[latest]] += end[latest] - ready
            spent[rank, labels] += ready - begun
            if begun > low:
                _walk(
                    latest,
                    low,
                    rank,
                    after_start,
                    after,
                    start,
                    end,
                    label,
                    together,
                    joined,
                    spent,
                )
            low = end[latest]
        spent[rank, labels] += max(whole - low, 0.0)
    return spent
