"""Generator sets of circulants on a graphics processor; the kernels are in ``search_gpu.cu``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.gpu import compiled, cupy
from hopscape.papers.circulant.scanning import ScanPart, ScanResult

__all__ = ["beginnings", "diameters_within", "fits", "scan_on_gpu"]

_THREADS = 64  # of a block, which looks at one set: two warps
_BLOCKS = 1 << 20  # beginnings of sets in a launch
_LEAST_BLOCKS = 1 << 12  # in a launch, so that all multiprocessors have work
_ROOM = 1 << 16  # sets that are kept at first, as in scanning.py
_LEAST_NODES = 64  # bit sets repeat their first 64 bits behind their end
_MOST_RADIUS = 23  # the kernel holds 24 radii, from 0 on
_SHARED = 200_000  # bytes of shared memory of a block, below the 227 KiB of compute capability 9
_NOT_FOUND = np.uint64(2**64 - 1)


def diameters_within(nodes: int, sets: IntArray, d: int) -> IntArray:
    """Which generator sets give a circulant of diameter at most d.

    Args:
        sets (ndarray of int, shape (sets, generators)): Generators from 1 to N/2.
    """
    given = np.asarray(sets)
    if given.ndim != 2 or not given.size or given.min() < 1 or given.max() > nodes // 2:
        raise ArgumentError(f"sets must be rows of generators from 1 to {nodes // 2}")
    shared = 4 * (2 * ((nodes + 31) // 32 + 2) + 2 * given.shape[1])
    _check(nodes, d, shared)
    kernel = _kernel("within", shared)
    xp = cupy()
    out = xp.zeros(len(given), dtype=xp.uint8)
    numbers = [np.int32(x) for x in (*given.shape, nodes, d)]
    blocks = min(len(given), _BLOCKS)
    kernel((blocks,), (_THREADS,), (xp.asarray(given, xp.int32), *numbers, out), shared_mem=shared)
    within: IntArray = out.get().astype(bool)
    return within


def scan_on_gpu(part: ScanPart, best: int) -> Iterator[ScanResult]:
    """Look at all sets of a part, from 3 generators on, in several launches."""
    nodes, count, d = part.nodes, part.count, part.d
    if count < 3:
        raise ArgumentError(f"generators is {count}; a GPU searches from 3 on")
    shared = _shared(nodes, d)
    _check(nodes, d, shared)
    kernel = _kernel("scan", shared)
    for rows in _chunks(beginnings(part)):
        numbers = (count, nodes, d, part.half)
        scan = _Scan(kernel, shared, rows, numbers, part.allowed, part.mirror)
        looked, total, sets = scan.run(part.every, best)
        if total >= 0 and (best < 0 or total < best):
            best = total
        yield looked, total, sets


def fits(nodes: int, count: int, d: int) -> bool:
    """Can a GPU scan sets of this size?"""
    large = nodes >= _LEAST_NODES and count >= 3
    return large and d <= _MOST_RADIUS and _shared(nodes, d) <= _SHARED


def _shared(nodes: int, d: int) -> int:
    """Bytes of the balls of all radii, twice."""
    return 8 * (d + 1) * ((nodes + 31) // 32 + 2)


def beginnings(part: ScanPart) -> Iterator[tuple[int, ...]]:
    """All but the last two generators: ``first``, one from `low` to `high` - 1, larger ones.

    As in the search of the CPU, a set is left out when a multiplier turns it into an earlier one.
    """
    nodes, count, allowed, mirror = part.nodes, part.count, part.allowed, part.mirror
    first, low, high = part.first, part.low, part.high
    if count == 3:
        if low <= first + 1 and high > nodes // 2:
            yield (first,)
            return
        raise ArgumentError("with 3 generators a GPU searches whole orders, not slices")
    free = [int(s) for s in np.nonzero(allowed)[0] if s > first]
    for second in range(max(low, first + 1), high):
        if not allowed[second] or 0 < mirror[second] < second:
            continue
        more = [s for s in free if s > second and not 0 < mirror[s] < second]
        for rest in combinations(more, count - 4):
            yield (first, second, *rest)


def _chunks(rows: Iterator[tuple[int, ...]]) -> Iterator[IntArray]:
    while chunk := list(islice(rows, _BLOCKS)):
        yield np.asarray(chunk, dtype=np.int32)


def _check(nodes: int, d: int, shared: int) -> None:
    if not 1 <= d <= _MOST_RADIUS:
        raise ArgumentError(f"diameter is {d}; on a GPU it must be from 1 to {_MOST_RADIUS}")
    if nodes < _LEAST_NODES or shared > _SHARED:
        raise ArgumentError(
            f"nodes is {nodes}; on a GPU it must be at least {_LEAST_NODES}, and its bit sets must"
            f" fit into {_SHARED} bytes (they take {shared})"
        )


def _kernel(name: str, shared: int) -> Any:
    kernel = compiled("hopscape.papers.circulant", "search_gpu.cu", THREADS=_THREADS)
    function = kernel.get_function(name)
    if shared > 48_000:
        function.max_dynamic_shared_size_bytes = shared
    return function


class _Scan:
    """A launch over some beginnings, again with more room where it was too little."""

    def __init__(
        self,
        kernel: Any,
        shared: int,
        rows: IntArray,
        numbers: tuple[int, int, int, bool],
        allowed: IntArray,
        mirror: IntArray,
    ) -> None:
        xp = self._xp = cupy()
        self._kernel, self._shared, self._rows = kernel, shared, rows
        self._before = (xp.asarray(rows), *(np.int32(x) for x in numbers))
        self._tables = (xp.asarray(allowed, xp.uint8), xp.asarray(mirror, xp.int32))

    def run(self, every: bool, best: int) -> tuple[int, int, list[tuple[int, ...]]]:
        """Sets tested, the least sum of distances (-1: none up to `best`), and the sets."""
        limit = _NOT_FOUND if best < 0 else np.uint64(best)
        room = _ROOM
        while True:
            counters = self._xp.asarray(np.asarray([0, 0, limit], dtype=np.uint64))
            out = self._launch(every, room, counters)
            count, tested, total = (int(x) for x in counters.get())
            if count <= room:
                break
            room = count
        rows = out[:count].get().tolist()
        if not every:
            rows = [row for row in rows if row[3] == total]
        sets = [(*self._rows[block].tolist(), s, x) for block, s, x, _ in rows]
        return tested, total if rows else -1, sets

    def _launch(self, every: bool, room: int, counters: Any) -> Any:
        out = self._xp.zeros((room, 4), dtype=self._xp.int32)
        grid = (len(self._rows), max(1, _LEAST_BLOCKS // len(self._rows)))
        rest = (np.int32(every), out, np.uint64(room), counters)
        arguments = (*self._before, *self._tables, *rest)
        self._kernel(grid, (_THREADS,), arguments, shared_mem=self._shared)
        return out
