"""Which port leads where: closed form for difference sets, lists for other designs.

Element a has port j to one of its blocks, block s has port j to one of its elements. With a
difference set D, port j of a leads to block a - D[j] and port j of s to element s + D[j], so that
everything about a pair follows from its difference.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np

from hopscape.algebra.designs.constructions import Design
from hopscape.algebra.designs.difference import DifferenceSet
from hopscape.core.arrays import IntArray
from hopscape.core.memory import require_memory

__all__ = ["GroupPorts", "ListedPorts", "Ports", "ports_of"]


class Ports(ABC):
    """Ports of elements and blocks; all methods take arrays of numbers from 0 to N - 1."""

    blocks: IntArray
    blocks_of: IntArray
    table_bytes: int

    @abstractmethod
    def pair(self, a: IntArray, b: IntArray) -> IntArray:
        """Port of element a to the first block that it shares with element b."""

    @abstractmethod
    def meet(self, s: IntArray, t: IntArray) -> IntArray:
        """Port of block s to the first element that it shares with block t."""

    @abstractmethod
    def to_block(self, a: IntArray, s: IntArray) -> IntArray:
        """Port of element a to block s, -1 where it is not in it."""

    @abstractmethod
    def to_element(self, s: IntArray, a: IntArray) -> IntArray:
        """Port of block s to element a, -1 where it is not in it."""

    @cached_property
    @abstractmethod
    def options(self) -> IntArray:
        """Ports of all ways of a pair: int32[rows, N, ways, 2], filled up with -1.

        ``[..., 0]`` is the port by which the packet leaves its source, ``[..., 1]`` the port of
        its destination by which it arrives. One row means: look up the difference b - a mod N;
        else the row is the source.
        """


class GroupPorts(Ports):
    """Everything from the differences of D; tables of N entries."""

    def __init__(self, base: DifferenceSet, blocks: IntArray, blocks_of: IntArray) -> None:
        self.base = base
        self.blocks, self.blocks_of = blocks, blocks_of
        group, elements = base.group, base.base
        self._index = np.full(group.order, -1, dtype=np.int64)
        self._index[elements] = np.arange(len(elements))
        difference = group.subtract(elements[None, :], elements[:, None])  # [i, j]: D[j] - D[i]
        self._out = np.full(group.order, -1, dtype=np.int64)
        self._in = np.full(group.order, -1, dtype=np.int64)
        first, second = np.nonzero(~np.eye(len(elements), dtype=bool))
        found = difference[first, second]
        self._out[found[::-1]] = first[::-1]
        self._in[found[::-1]] = second[::-1]
        self._ways = (first, second, found)
        self.table_bytes = 3 * 8 * group.order

    def pair(self, a: IntArray, b: IntArray) -> IntArray:
        return np.asarray(self._out[self.base.group.subtract(b, a)])

    def meet(self, s: IntArray, t: IntArray) -> IntArray:
        return np.asarray(self._in[self.base.group.subtract(t, s)])

    def to_block(self, a: IntArray, s: IntArray) -> IntArray:
        return np.asarray(self._index[self.base.group.subtract(a, s)])

    def to_element(self, s: IntArray, a: IntArray) -> IntArray:
        return np.asarray(self._index[self.base.group.subtract(a, s)])

    @cached_property
    def by_difference(self) -> IntArray:
        """Ways of each difference: int32[N, ways, 2]."""
        first, second, found = self._ways
        order = np.argsort(found, kind="stable")
        first, second, found = first[order], second[order], found[order]
        starts = np.searchsorted(found, np.arange(self.base.group.order + 1))
        ways = int(np.diff(starts).max(initial=0))
        out = np.full((self.base.group.order, ways, 2), -1, dtype=np.int32)
        within = np.arange(len(found)) - starts[found]
        out[found, within, 0], out[found, within, 1] = first, second
        return out

    @cached_property
    def options(self) -> IntArray:
        table = self.by_difference
        count = self.base.group.order
        if len(self.base.moduli) == 1:
            return table[None]
        require_memory(count * table.nbytes, f"the ways of all pairs of {count} elements")
        every = np.arange(count)
        return np.asarray(table[self.base.group.subtract(every[None, :], every[:, None])])


class ListedPorts(Ports):
    """Positions in lists; tables of N² entries."""

    def __init__(self, design: Design) -> None:
        self.blocks, self.blocks_of = design.blocks, design.blocks_of
        count, size = self.blocks.shape
        require_memory(4 * count * count, f"ports of {count} elements and blocks")
        narrow = np.int16 if size < 2**15 else np.int32
        self._block_at = np.full((count, count), -1, dtype=narrow)
        self._element_at = np.full((count, count), -1, dtype=narrow)
        rows = np.arange(count)[:, None]
        self._block_at[rows, self.blocks_of] = np.arange(size)
        self._element_at[rows, self.blocks] = np.arange(size)
        self.table_bytes = self._block_at.nbytes + self._element_at.nbytes

    def pair(self, a: IntArray, b: IntArray) -> IntArray:
        shared = self._block_at[np.asarray(b)[:, None], self.blocks_of[a]] >= 0
        return np.where(shared.any(axis=1), shared.argmax(axis=1), -1)

    def meet(self, s: IntArray, t: IntArray) -> IntArray:
        shared = self._element_at[np.asarray(t)[:, None], self.blocks[s]] >= 0
        return np.where(shared.any(axis=1), shared.argmax(axis=1), -1)

    def to_block(self, a: IntArray, s: IntArray) -> IntArray:
        return self._block_at[a, s].astype(np.int64)

    def to_element(self, s: IntArray, a: IntArray) -> IntArray:
        return self._element_at[s, a].astype(np.int64)

    @cached_property
    def options(self) -> IntArray:
        count, size = self.blocks.shape
        ways = 0
        rows: list[tuple[IntArray, IntArray, IntArray]] = []
        for a in range(count):
            met = self.blocks[self.blocks_of[a]]
            port = np.repeat(np.arange(size), size)
            other = met.ravel()
            arrive = self._block_at[other, np.repeat(self.blocks_of[a], size)]
            keep = other != a
            order = np.argsort(other[keep], kind="stable")
            rows.append((other[keep][order], port[keep][order], arrive[keep][order]))
            ways = max(ways, int(np.bincount(rows[-1][0]).max(initial=0)))
        require_memory(8 * count * count * ways, f"the ways of all pairs of {count} elements")
        out = np.full((count, count, ways, 2), -1, dtype=np.int32)
        for a, (other, port, arrive) in enumerate(rows):
            starts = np.searchsorted(other, np.arange(count))
            within = np.arange(len(other)) - starts[other]
            out[a, other, within, 0], out[a, other, within, 1] = port, arrive
        return out


def ports_of(design: Design) -> Ports:
    """The ports of a design, by the best means that it allows."""
    if design.base is not None:
        return GroupPorts(design.base, design.blocks, design.blocks_of)
    return ListedPorts(design)
