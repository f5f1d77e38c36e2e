"""Looking at all generator sets of an order, up to multipliers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.families.circulant.isomorphism import canonical

__all__ = ["generator_tables", "scan_slice"]

_ROOM = 1 << 12


def scan_slice(
    nodes: int,
    count: int,
    d: int,
    slices: Sequence[tuple[int, int, int]],
    every: bool = False,
    half: bool | None = None,
) -> dict[str, Any]:
    """The best generator sets of diameter at most d in some slices.

    Args:
        nodes, count, d: Order, number of generators (at least 2), diameter.
        slices (sequence of (first, low, high)): Sets {first, s2, ...} with s2 from low to high - 1.
        every: Keep all sets of diameter at most d, not only those with the least mean distance.
        half: True: N/2 is a generator besides; False: it is none; it may be one when left out.

    Returns:
        dict: ``total``: least sum of distances from a node (-1: no set); ``sets``: canonical forms,
            sorted; ``tested``: sets looked at.

    Examples:
        >>> scan_slice(21, 3, 2, [(1, 2, 11)])["sets"]
        [[1, 2, 8], [1, 3, 8], [1, 4, 6]]
    """
    from hopscape.search.circulant.scan_kernels import scan

    best, tested = -1, 0
    sets: set[tuple[int, ...]] = set()
    for first, low, high in slices:
        allowed, mirror = generator_tables(nodes, first)
        if half is not None and nodes % 2 == 0:
            allowed[nodes // 2] = False
        room = _ROOM
        while True:
            out = np.zeros((room, count), dtype=np.int64)
            found, total, looked = scan(
                nodes, count, d, first, allowed, mirror, low, high, every, bool(half), out
            )
            if found <= room:
                break
            room = found
        tested += int(looked)
        if found and (best < 0 or total < best):
            best, sets = int(total), sets if every else set()
        if found and (every or total == best):
            more = [nodes // 2] if half else []
            sets |= {canonical(nodes, row + more) for row in out[:found].tolist()}
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
