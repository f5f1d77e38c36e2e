"""What ranks wait for while they do not compute."""

from __future__ import annotations

from typing import NamedTuple

from hopscape.core.arrays import Floats, Int64s, Integer
from hopscape.core.kernel import helper, kernel

__all__ = ["Finished", "waiting_times"]


class Finished(NamedTuple):
    """Parts that have ended.

    Attributes:
        order, first: Parts of each rank, by their start.
        joined: When the last member of each operation was there.
        spent: Room for the seconds of each rank by label; the last column is idle.
    """

    order: Int64s
    first: Int64s
    computes: Int64s
    after_start: Int64s
    after: Int64s
    start: Floats
    end: Floats
    label: Int64s
    together: Int64s
    joined: Floats
    spent: Floats


@helper
def _walk(part: Integer, low: float, rank: Integer, run: Finished) -> None:
    """Follow what a part waited for back to a time: the last one to end, and what that waited for.

    What is done with others counts from when all were there; before, it is a wait (the last
    column).
    """
    idle = run.spent.shape[1] - 1
    now = run.start[part]
    at = part
    while now > low:
        last = -1
        for i in range(run.after_start[at], run.after_start[at + 1]):
            if last < 0 or run.end[run.after[i]] > run.end[last]:
                last = run.after[i]
        if last < 0 or run.end[last] <= low:
            run.spent[rank, idle] += now - low
            return
        run.spent[rank, idle] += max(now - run.end[last], 0.0)
        now = min(now, run.end[last])
        begun = max(run.start[last], low)
        if run.together[last] >= 0:
            ready = min(max(run.joined[run.together[last]], begun), now)
            run.spent[rank, run.label[last]] += now - ready
            run.spent[rank, idle] += ready - begun
        else:
            run.spent[rank, run.label[last]] += now - begun
        now = begun
        at = last


@kernel
def waiting_times(run: Finished, whole: float) -> None:
    """Seconds of each rank by label; the last column is idle. A row adds up to the whole."""
    ranks, labels = len(run.first) - 1, run.spent.shape[1] - 1
    for rank in range(ranks):
        low = 0.0
        latest = -1
        for i in range(run.first[rank], run.first[rank + 1]):
            part = run.order[i]
            if latest < 0 or run.end[part] > run.end[latest]:
                latest = part
            if not run.computes[part]:
                continue
            if run.start[part] > low:
                _walk(part, low, rank, run)
            run.spent[rank, run.label[part]] += max(run.end[part] - max(run.start[part], low), 0.0)
            low = max(low, run.end[part])
        if latest >= 0 and run.end[latest] > low:
            begun = max(run.start[latest], low)
            ready = begun
            if run.together[latest] >= 0:
                ready = min(max(run.joined[run.together[latest]], begun), run.end[latest])
            run.spent[rank, run.label[latest]] += run.end[latest] - ready
            run.spent[rank, labels] += ready - begun
            if begun > low:
                _walk(latest, low, rank, run)
            low = run.end[latest]
        run.spent[rank, labels] += max(whole - low, 0.0)
