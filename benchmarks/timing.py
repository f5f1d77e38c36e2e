"""Seconds of the fastest of some runs, for the other files here."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

__all__ = ["best"]


def best(
    work: Callable[[], Any], repeats: int, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Least seconds of some runs, after one that compiles."""
    work()
    times = []
    for _ in range(repeats):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)
