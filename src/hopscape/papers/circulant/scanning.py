"""Looking at all generator sets of an order, up to multipliers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.families.circulant.closed_forms import canonical

__all__ = ["ScanPart", "ScanResult", "generator_tables", "scan_on_cpu", "scan_slice"]

# sets that are kept at first; more are counted, and the part is scanned again with room for all
_ROOM = 1 << 12


@dataclass(frozen=True)
class ScanPart:
    """Generator sets {first, s2, ...} with s2 from low to high - 1, and what else they must be.

    Attributes:
        allowed, mirror: As :func:`generator_tables` gives them.
        every: Keep all sets of diameter at most d, not only those with the least mean distance.
        half: N/2 is a generator besides.
    """

    nodes: int
    count: int
    d: int
    first: int
    low: int
    high: int
    allowed: IntArray
    mirror: IntArray
    every: bool
    half: bool


ScanResult = tuple[int, int, Iterable[Sequence[int]]]
"""Sets tested, the least sum of distances (-1: none), and the sets that are kept."""


def scan_on_cpu(part: ScanPart, best: int) -> Iterator[ScanResult]:
    """Look at all sets of a part on this processor, whatever the best so far."""
    from hopscape.papers.circulant.search_kernels import scan

    room = _ROOM
    while True:
        out = np.zeros((room, part.count), dtype=np.int64)
        count, total, checked = scan(
            part.nodes,
            part.count,
            part.d,
            part.first,
            part.allowed,
            part.mirror,
            part.low,
            part.high,
            part.every,
            part.half,
            out,
        )
        if count <= room:
            break
        room = count
    yield int(checked), int(total) if count else -1, out[:count].tolist()


def scan_slice(
    nodes: int,
    count: int,
    d: int,
    slices: Sequence[tuple[int, int, int]],
    every: bool = False,
    half: bool | None = None,
    scanner: Callable[[ScanPart, int], Iterator[ScanResult]] = scan_on_cpu,
) -> dict[str, Any]:
    """The best generator sets of diameter at most d in some slices.

    Args:
        nodes, count, d: Order, number of generators (at least 2), diameter.
        slices (sequence of (first, low, high)): Sets {first, s2, ...} with s2 from low to high - 1.
        every: Keep all sets of diameter at most d, not only those with the least mean distance.
        half: True: N/2 is a generator besides; False: it is none; it may be one when left out.
        scanner: Who looks at the sets of a part, given the best sum of distances so far.

    Returns:
        dict: ``total``: least sum of distances from a node (-1: no set); ``sets``: canonical forms,
            sorted; ``tested``: sets tested.

    Examples:
        >>> scan_slice(21, 3, 2, [(1, 2, 11)])["sets"]
        [[1, 2, 8], [1, 3, 8], [1, 4, 6]]
    """
    best, tested = -1, 0
    sets: set[tuple[int, ...]] = set()
    more = [nodes // 2] if half else []
    for first, low, high in slices:
        allowed, mirror = generator_tables(nodes, first)
        if half is not None and nodes % 2 == 0:
            allowed[nodes // 2] = False
        part = ScanPart(nodes, count, d, first, low, high, allowed, mirror, every, bool(half))
        for checked, total, rows in scanner(part, best):
            tested += checked
            if total >= 0 and (best < 0 or total < best):
                best, sets = total, sets if every else set()
            if every or total == best:
                sets |= {canonical(nodes, [*row, *more]) for row in rows}
    return {"total": best, "sets": sorted(map(list, sets)), "tested": tested}


def generator_tables(nodes: int, first: int) -> tuple[IntArray, IntArray]:
    """Which generators may stand beside `first`, and the folded inverses of the units."""
    half = nodes // 2
    divisor = np.gcd(np.arange(half + 1), nodes)
    allowed = divisor >= first
    allowed[0] = False
    mirror = np.zeros(half + 1, dtype=np.int64)
    if first == 1:
        for s in np.nonzero(divisor == 1)[0].tolist():
            u = pow(s, -1, nodes)
            mirror[s] = min(u, nodes - u)
    return allowed, mirror
