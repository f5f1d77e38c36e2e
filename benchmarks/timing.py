"""Seconds of the fastest of some runs, and options, for the other files here."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["best", "read_options"]


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


def read_options(doc: str | None, **numbers: int) -> argparse.Namespace:
    """The options of a benchmark: numbers with their defaults, and --json for the results."""
    parser = argparse.ArgumentParser(description=doc)
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()
