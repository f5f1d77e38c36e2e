"""Times against sizes: who wins where, and where the winner changes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hopscape.collectives.contest import Contest, Entry
from hopscape.core.errors import ArgumentError

__all__ = ["Crossing", "crossings", "curve", "read_sizes", "size_grid"]

_UNITS = {
    "": 1,
    "K": 10**3,
    "M": 10**6,
    "G": 10**9,
    "T": 10**12,
    "KI": 2**10,
    "MI": 2**20,
    "GI": 2**30,
    "TI": 2**40,
}
_MOST = 10**18
_POINTS = 25


def read_sizes(text: str) -> tuple[int, int]:
    """A size such as ``64KB``, or a range such as ``1KB:1GB``: its ends.

    Examples:
        >>> read_sizes("64KB"), read_sizes("1KiB:1GB")
        ((64000, 64000), (1024, 1000000000))
    """
    words = text.split(":")
    if len(words) > 2:
        raise ArgumentError(f"bytes is {text!r}; write a size such as 64KB, or a range 1KB:1GB")
    found = [_size(word, text) for word in words]
    if found[0] > found[-1]:
        raise ArgumentError(f"bytes is {text!r}; a range must rise")
    return found[0], found[-1]


def _size(word: str, text: str) -> int:
    match = re.fullmatch(r"\s*(\d{1,18}(?:\.\d{1,6})?)\s*([KMGT]?I?)B?\s*", word, re.IGNORECASE)
    unit = None if match is None else _UNITS.get(match[2].upper())
    if match is None or unit is None:
        raise ArgumentError(f"bytes is {text!r}; write a size such as 64KB, or a range 1KB:1GB")
    size = round(float(match[1]) * unit)
    if not 1 <= size <= _MOST:
        raise ArgumentError(f"bytes is {text!r}; it must be from 1 to 10^18 bytes")
    return size


def size_grid(low: float, high: float) -> list[float]:
    """Sizes between the two ends, equally far apart by their logarithm."""
    if low == high:
        return [low]
    return np.geomspace(low, high, _POINTS).tolist()


@dataclass(frozen=True)
class Crossing:
    """From this size on another entry is the fastest."""

    size: float
    before: Entry
    after: Entry


def crossings(
    entries: Sequence[Entry], costs: Mapping[str, float], low: float, high: float
) -> tuple[Entry, list[Crossing]]:
    """The fastest entry at the low end, and where the fastest changes up to the high end.

    Times are straight lines over the size, so that the changes are where lines of the lower
    envelope meet.
    """
    lines = [entry.line(costs) for entry in entries]
    at = low
    now = min(range(len(lines)), key=lambda i: (lines[i][0] + lines[i][1] * at, lines[i][1], i))
    first = entries[now]
    out: list[Crossing] = []
    while True:
        still, each = lines[now]
        meets = [
            ((other[0] - still) / (each - other[1]), other[1], i)
            for i, other in enumerate(lines)
            if other[1] < each
        ]
        meets = [meet for meet in meets if meet[0] > at]
        if not meets or min(meets)[0] > high:
            return first, out
        at, _, after = min(meets)
        out.append(Crossing(at, entries[now], entries[after]))
        now = after


def curve(contest: Contest, low: float, high: float) -> list[dict[str, object]]:
    """The fastest entry at sizes between the ends, with its time and the bound."""
    rows: list[dict[str, object]] = []
    for size in size_grid(low, high):
        times = [entry.time(contest.costs, size) for entry in contest.entries]
        best = int(np.argmin(times))
        entry, least = contest.entries[best], contest.least_time(size)
        rows.append(
            {
                "bytes": round(size),
                "algorithm": entry.algorithm,
                "rounds": entry.rounds,
                "chunks": entry.chunks,
                "time_us": times[best],
                "bound_us": least,
                "gap": times[best] / least if least else None,
            }
        )
    return rows
