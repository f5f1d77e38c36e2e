"""Longest paths through a workload: no part begins before all that it must wait for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import Floats, Int64s
from hopscape.core.kernel import kernel

__all__ = ["PathWork", "longest_paths"]


class PathWork(NamedTuple):
    """Parts and what they wait for.

    Attributes:
        waits: How many parts each waits for.
        next_start, next: Parts that wait for a part.
        lasts (float64[parts]): No part is shorter.
        together: The operation of several ranks that a part is of, or -1.
        gives, takes: Do the others wait for a part, and does it wait for them? Nobody waits for the
            receiver of a message, say.
        member_start, members: Parts of each operation.
        latency (float64[operations]): Who takes is not done sooner after one who gives has
            begun.
    """

    waits: Int64s
    next_start: Int64s
    next: Int64s
    lasts: Floats
    together: Int64s
    gives: Int64s
    takes: Int64s
    member_start: Int64s
    members: Int64s
    latency: Floats


@kernel
def longest_paths(work: PathWork) -> tuple[Floats, Floats]:
    """Earliest start and end of every part; infinite where parts wait for each other."""
    count = len(work.lasts)
    start = np.zeros(count)
    end = np.full(count, np.inf)
    left = work.waits.copy()
    missing = work.member_start[1:] - work.member_start[:-1]
    stack = np.empty(count, np.int64)
    size = 0
    for part in range(count):
        if left[part] == 0:
            stack[size] = part
            size += 1
    done = np.empty(count, np.int64)
    while size > 0:
        size -= 1
        part = stack[size]
        operation = work.together[part]
        ready = 0
        if operation < 0:
            end[part] = start[part] + work.lasts[part]
            done[0] = part
            ready = 1
        else:
            missing[operation] -= 1
            if missing[operation] == 0:
                last = 0.0
                low = work.member_start[operation]
                high = work.member_start[operation + 1]
                for i in range(low, high):
                    if work.gives[work.members[i]]:
                        last = max(last, start[work.members[i]])
                for i in range(low, high):
                    mate = work.members[i]
                    end[mate] = start[mate] + work.lasts[mate]
                    if work.takes[mate]:
                        end[mate] = max(end[mate], last + work.latency[operation])
                    done[ready] = mate
                    ready += 1
        for j in range(ready):
            ended = done[j]
            for i in range(work.next_start[ended], work.next_start[ended + 1]):
                other = work.next[i]
                start[other] = max(start[other], end[ended])
                left[other] -= 1
                if left[other] == 0:
                    stack[size] = other
                    size += 1
    return start, end
