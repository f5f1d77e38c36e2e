"""Covering walks: the shortest walk in a small graph that visits given nodes on its way.

W(s, T, d) is the least number of hops of a walk from s to d that visits all of T. It is looked up
in a table made once by the dynamic program of Held and Karp, or, on a cycle, computed from gaps.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property, lru_cache

import numpy as np

from hopscape.algebra.groups import automorphism_group
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows
from hopscape.core.errors import TooLargeError
from hopscape.core.network import Network
from hopscape.core.numbers import byte_count
from hopscape.families.classic.ring_walks import total_of_walks, walk_length, walk_lengths

__all__ = ["CoveringWalks", "CycleWalks", "TableWalks", "covering_walks", "held_karp"]

_MOST_BYTES = 1 << 26  # of the table of covering walks, 2^connectors rows
_FAR = 1 << 14  # above every walk; two of them still fit into 16 bits


class CoveringWalks(ABC):
    """Lengths of covering walks through marked nodes of a base network.

    Attributes:
        marks: The nodes that a walk may be asked to visit.
    """

    table_bytes: int = 0

    def __init__(self, base: Network, marks: Sequence[int]) -> None:
        self.base = base
        self.marks = tuple(marks)

    @abstractmethod
    def lengths(self, starts: IntArray, wanted: IntArray, ends: IntArray) -> IntArray:
        """Lengths W(s, T, d): `wanted` is bool[m, marks], the others int64[m]."""

    @abstractmethod
    def length(self, start: int, wanted: int, end: int) -> int:
        """One of these lengths; bit i of `wanted` asks for mark i."""

    def through_all(self) -> IntArray:
        """W(s, all marks, d) for all s and d."""
        size = self.base.order
        starts, ends = np.divmod(np.arange(size * size), size)
        wanted = np.ones((len(starts), len(self.marks)), dtype=bool)
        return self.lengths(starts, wanted, ends).reshape(size, size)


def covering_walks(base: Network, marks: Sequence[int]) -> CoveringWalks:
    """The best way to know the covering walks of a base.

    Raises:
        TooLargeError: When the base is not a cycle and the table would be too large.
    """
    if base.order > 2 and bool((base.degrees == 2).all()):
        reach = distance_rows(base, np.asarray([0]))
        if int(reach.max()) == base.order // 2:
            return CycleWalks(base, marks)
    return TableWalks(base, marks)


class TableWalks(CoveringWalks):
    """Covering walks from a table, independent of what hangs on the base.

    With m marks and N nodes a full table has N · N · 2^m entries. Where automorphisms move every
    node to node 0, walks from node 0 are enough: N · 2^N entries. The smaller one is built.

    Held and Karp's recursion takes 2^m · m · (m + N) operations for each start.

    Attributes:
        table (ndarray[rows, sets, nodes]): Lengths by start, set of visited nodes (as bits) and
            end.
        row (int64[nodes]): The row of each start.
        bit (int64[nodes, marks]): What visiting a mark adds to the number of the set, for walks
            from each start.
        image (int64[nodes, nodes]): The column of each end, for walks from each start.
    """

    def __init__(self, base: Network, marks: Sequence[int]) -> None:
        super().__init__(base, marks)
        size, count = base.order, len(self.marks)
        full, reduced = size * size << count, size << size
        moves = _moves_to_zero(base) if reduced < full and reduced <= _MOST_BYTES else None
        if moves is None and full > _MOST_BYTES:
            raise TooLargeError(
                f"the covering walks of {base.spec} through {count} nodes need a table of"
                f" {byte_count(full)}; at most {byte_count(_MOST_BYTES)} are built"
            )
        nodes = np.arange(size)
        distance = distance_rows(base, nodes).astype(np.int64)
        if moves is None:
            self.row = nodes
            self.bit = np.broadcast_to(1 << np.arange(count), (size, count)).copy()
            self.image = np.broadcast_to(nodes, (size, size)).copy()
            self.table = held_karp(distance, nodes, np.asarray(self.marks, dtype=np.int64))
        else:
            self.row = np.zeros(size, dtype=np.int64)
            self.bit = 1 << moves[:, list(self.marks)]
            self.image = moves
            self.table = held_karp(distance, nodes[:1], nodes)
        self.table_bytes = self.table.nbytes

    def lengths(self, starts: IntArray, wanted: IntArray, ends: IntArray) -> IntArray:
        sets = np.where(wanted, self.bit[starts], 0).sum(axis=1)
        return self.table[self.row[starts], sets, self.image[starts, ends]].astype(np.int64)

    def length(self, start: int, wanted: int, end: int) -> int:
        visited = 0
        for byte in self._visits[start]:
            visited |= byte[wanted & 255]
            wanted >>= 8
        return int(self.table[self.row[start], visited, self.image[start, end]])

    @cached_property
    def _visits(self) -> list[list[list[int]]]:
        """By start and byte of a set of marks: its part of the number of the set, by its value."""
        visits = []
        for bits in self.bit.tolist():
            bytes_ = [bits[low : low + 8] for low in range(0, len(bits), 8)]
            visits.append(
                [
                    [sum(b for i, b in enumerate(byte) if value >> i & 1) for value in range(256)]
                    for byte in bytes_
                ]
            )
        return visits


@lru_cache(maxsize=8)
def _moves_to_zero(base: Network) -> IntArray | None:
    """For each node an automorphism that moves it to node 0; None when one has none."""
    try:
        moves = automorphism_group(base).moves_to(0)
    except TooLargeError:
        return None
    if len(moves) < base.order:
        return None
    return np.stack([moves[v] for v in range(base.order)])


def held_karp(distance: IntArray, starts: IntArray, marks: IntArray) -> IntArray:
    """Lengths of covering walks from `starts`, for every subset of `marks` and every end.

    Args:
        distance: int64[nodes, nodes]
        starts, marks: int64[...]

    Returns:
        uint8 or uint16[starts, 2 ** marks, nodes]
    """
    size, count = len(distance), len(marks)
    longest = int(distance.max()) * (count + 1)
    dtype = np.uint8 if longest < 255 else np.uint16
    out = np.empty((len(starts), 1 << count, size), dtype=dtype)
    between = distance[np.ix_(marks, marks)].astype(np.int16)
    to_end = distance[marks].astype(np.int16)
    sets = np.arange(1 << count)
    weight = np.bitwise_count(sets)
    for i, start in enumerate(starts):
        out[i, 0] = distance[start]
        at_mark = np.full((1 << count, count), _FAR, dtype=np.int16)  # last visited is column j
        at_mark[1 << np.arange(count), np.arange(count)] = distance[start, marks]
        for level in range(1, count + 1):
            layer = sets[weight == level]
            for j in range(count):
                mine = layer[(layer >> j & 1).astype(bool)]
                if level > 1:
                    before = at_mark[mine ^ (1 << j)]
                    at_mark[mine, j] = (before + between[:, j]).min(axis=1)
            best = np.full((len(layer), size), _FAR, dtype=np.int16)
            for j in range(count):
                np.minimum(best, at_mark[layer, j, None] + to_end[j], out=best)
            out[i, layer] = best
    return out


class CycleWalks(CoveringWalks):
    """Covering walks on a cycle, without a table (:mod:`hopscape.families.classic.ring_walks`)."""

    def __init__(self, base: Network, marks: Sequence[int]) -> None:
        super().__init__(base, marks)
        place = np.zeros(base.order, dtype=np.int64)
        before, here = 0, base.neighbours(0)[0]
        for step in range(1, base.order):
            place[here] = step
            onwards = [v for v in base.neighbours(here) if v >= 0 and v != before]
            before, here = here, onwards[0]
        self._place, self._places = place, place.tolist()

    def lengths(self, starts: IntArray, wanted: IntArray, ends: IntArray) -> IntArray:
        size, zero = self.base.order, self._place[starts]
        marks = (self._place[list(self.marks)] - zero[:, None]) % size
        stops = np.zeros((size, len(starts)), dtype=bool)
        rows, columns = np.nonzero(wanted)
        stops[marks[rows, columns], rows] = True
        return walk_lengths(stops, (self._place[ends] - zero) % size)

    def through_all(self) -> IntArray:
        size, place = self.base.order, self._place
        marked = np.zeros(size, dtype=bool)
        marked[place[list(self.marks)]] = True
        at = np.arange(size)
        out = np.empty((size, size), dtype=np.int64)
        for start in range(size):
            ahead = np.append(np.roll(marked, -place[start]), True)
            skipped, skipped_back = _largest_gaps(ahead)[:-1], _largest_gaps(ahead[::-1])[:0:-1]
            lengths = np.minimum(size + at - 2 * skipped, 2 * size - at - 2 * skipped_back)
            out[start] = lengths[(place - place[start]) % size]
        return out

    def total(self, differ: int, same: int) -> int:
        """Sum of W(s, T, d) over all s, d and sets T of nodes; every node must be a mark.

        A set counts `differ` for each node in it and `same` for each other.
        """
        return self.base.order * total_of_walks(self.base.order, differ, same)

    def length(self, start: int, wanted: int, end: int) -> int:
        size, zero = self.base.order, self._places[start]
        stops = [
            (self._places[m] - zero) % size for i, m in enumerate(self.marks) if wanted >> i & 1
        ]
        return walk_length(size, stops, (self._places[end] - zero) % size)


def _largest_gaps(stops: IntArray) -> IntArray:
    """Largest gap between neighbouring stops of 0..r, the ends 0 and r included, for every r."""
    at = np.arange(len(stops))
    before = np.append(0, np.maximum.accumulate(np.where(stops, at, 0))[:-1])
    within = np.maximum.accumulate(np.where(stops, at - before, 0))
    return np.maximum(np.append(0, within[:-1]), at - before)
