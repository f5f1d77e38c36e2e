"""Generator sets of circulants on a graphics processor; the kernels are in ``search_gpu.cu``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.gpu import compiled, cupy
from hopscape.families.circulant.isomorphism import canonical
from hopscape.families.circulant.scanning import generator_tables

__all__ = ["beginnings", "diameters_within", "scan_slice"]

_THREADS = 64
_BLOCKS = 1 << 20
_ROOM = 1 << 16
_LEAST_NODES = 64
_MOST_RADIUS = 23
_SHARED = 200_000
_NOT_FOUND = np.uint64(2**64 - 1)
LEAST, BEST, EVERY = 0, 1, 2


def diameters_within(nodes: int, sets: IntArray, d: int) -> IntArray:
    """Which generator sets give a circulant of diameter at most d.

    Parameters
    ----------
    nodes : int
    sets : ndarray of int, shape (sets, generators)
        Generators from 1 to N/2.
    d : int

    Returns
    -------
    ndarray of bool
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
    found: IntArray = out.get().astype(bool)
    return found


def scan_slice(
    nodes: int, count: int, d: int, slices: Sequence[tuple[int, int, int]], every: bool = False
) -> dict[str, Any]:
    """The same as :func:`hopscape.families.circulant.scanning.scan_slice`, from 3 generators on."""
    if count < 3:
        raise ArgumentError(f"generators is {count}; a GPU searches from 3 on")
    shared = 8 * (d + 1) * ((nodes + 31) // 32 + 2)
    _check(nodes, d, shared)
    kernel = _kernel("scan", shared)
    best, tested = -1, 0
    sets: set[tuple[int, ...]] = set()
    for first, low, high in slices:
        allowed, mirror = generator_tables(nodes, first)
        for rows in _chunks(beginnings(nodes, count, first, low, high, allowed, mirror)):
            scan = _Scan(kernel, shared, rows, (count, nodes, d), allowed, mirror)
            looked, total, found = scan.run(EVERY if every else BEST)
            tested += looked
            if total >= 0 and (best < 0 or total < best):
                best, sets = total, sets if every else set()
            if every or total == best:
                sets |= {canonical(nodes, row) for row in found}
    return {"total": best, "sets": sorted(map(list, sets)), "tested": tested}


def beginnings(
    nodes: int, count: int, first: int, low: int, high: int, allowed: IntArray, mirror: IntArray
) -> Iterator[tuple[int, ...]]:
    """All but the last two generators: ``first``, one from `low` to `high` - 1, larger ones.

    As in the search of the CPU, a set is left out when a multiplier turns it into an earlier one.
    """
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
    kernel = compiled("hopscape.families.circulant", "search_gpu.cu", THREADS=_THREADS)
    found = kernel.get_function(name)
    if shared > 48_000:
        found.max_dynamic_shared_size_bytes = shared
    return found


class _Scan:
    """One launch after the other over the same beginnings."""

    def __init__(
        self,
        kernel: Any,
        shared: int,
        rows: IntArray,
        numbers: tuple[int, int, int],
        allowed: IntArray,
        mirror: IntArray,
    ) -> None:
        xp = self._xp = cupy()
        self._kernel, self._shared, self._rows = kernel, shared, rows
        self._before = (xp.asarray(rows), *(np.int32(x) for x in numbers))
        self._tables = (xp.asarray(allowed, xp.uint8), xp.asarray(mirror, xp.int32))

    def run(self, keep: int) -> tuple[int, int, list[tuple[int, ...]]]:
        """Sets tested, the least sum of distances (-1: no set), and the sets."""
        found = self._xp.asarray(np.asarray([0, 0, _NOT_FOUND], dtype=np.uint64))
        if keep == BEST:
            self._launch(LEAST, 0, found)
        tested = int(found[1])
        room = _ROOM
        while True:
            found[:2] = 0
            out = self._launch(keep, room, found)
            kept = int(found[0])
            if kept <= room:
                break
            room = kept
        tested = max(tested, int(found[1]))
        total = int(found[2])
        rows = [(*self._rows[block].tolist(), s, x) for block, s, x in out[:kept].get().tolist()]
        return tested, total if total < _NOT_FOUND else -1, rows

    def _launch(self, keep: int, room: int, found: Any) -> Any:
        out = self._xp.zeros((max(room, 1), 3), dtype=self._xp.int32)
        grid = (len(self._rows),)
        rest = (np.int32(keep), out, np.uint64(room), found)
        arguments = (*self._before, *self._tables, *rest)
        self._kernel(grid, (_THREADS,), arguments, shared_mem=self._shared)
        return out
