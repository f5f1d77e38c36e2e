"""The wiring of endpoints and crossbars: by a block design, and by digits.

Which port leads where: closed form for difference sets, lists for other designs.

Element a has port j to one of its blocks, block s has port j to one of its elements. With a
difference set D, port j of a leads to block a - D[j] and port j of s to element s + D[j], so that
everything about a pair follows from its difference.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from functools import cached_property

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.facts import circle
from hopscape.core.family import Facts, Family, Layout, Symmetry, integers
from hopscape.core.processes import require_memory
from hopscape.papers.blockdesign.designs import SymmetricDesign
from hopscape.papers.blockdesign.difference_sets import DifferenceSet

__all__ = ["Crossbars", "GroupPorts", "ListedPorts", "Ports", "SimplexCrossbars", "ports_of"]


class _Crossbars(Family):
    """N endpoints with m ports, and N crossbars m × m as further nodes N..2N-1."""

    n: int
    m: int

    @property
    def order(self) -> int:
        return 2 * self.n

    @property
    def ports(self) -> int:
        return self.m

    def switches(self) -> range:
        return range(self.n, 2 * self.n)

    def _mean(self) -> Fraction:
        """To the others of its kind two hops; to m of the other kind one, to all others three."""
        n, m = self.n, self.m
        return Fraction(2 * (n - 1) + m + 3 * (n - m), 2 * n - 1)


class Crossbars(_Crossbars):
    """Duplex, wired as a block design says."""

    leaf_endpoints = True

    @property
    @abstractmethod
    def design(self) -> SymmetricDesign:
        """Which endpoint is wired to which crossbar."""

    @cached_property
    def wiring(self) -> Ports:
        """Ports of endpoints and crossbars."""
        return ports_of(self.design)

    def neighbours(self, nodes: IntArray) -> IntArray:
        out = np.empty((len(nodes), self.m), dtype=np.int64)
        element = nodes < self.n
        out[element] = self.wiring.blocks_of[nodes[element]] + self.n
        out[~element] = self.wiring.blocks[nodes[~element] - self.n]
        return out

    def facts(self) -> Facts:
        reach = 2 if self.n == self.m else 3
        return Facts.regular(
            self.order,
            self.m,
            connected=True,
            diameter=reach,
            radius=reach,
            mean_distance=self._mean(),
        )

    def symmetry(self) -> Symmetry | None:
        if isinstance(self.wiring, GroupPorts):
            return Symmetry((0, self.n), (self.n, self.n))
        return None

    def layout(self) -> Layout:
        turn = 2 * np.pi * np.arange(self.n) / self.n
        ring = np.stack([np.sin(turn), np.cos(turn)], axis=1)
        return Layout(np.concatenate([ring, 0.55 * ring]))


class SimplexCrossbars(_Crossbars):
    """Simplex: endpoint a to crossbars a + u, crossbar s to endpoints s + v·m, u and v below m.

    Every delta below m² is u + v·m in one way, so that one crossbar, a + (delta mod m), leads from
    a to b.
    """

    name = "quasicomplete_digraph"
    summary = "m² endpoints and m² crossbars m × m, simplex: one crossbar for every ordered pair"
    parameters = integers(m=("ports each way", 2, 1024))
    example = "quasicomplete_digraph(3)"
    duplex = False

    def __init__(self, m: int) -> None:
        self.m = m
        self.n = m * m

    def neighbours(self, nodes: IntArray) -> IntArray:
        n, m = self.n, self.m
        port = np.arange(m, dtype=nodes.dtype)
        element = (nodes < n)[:, None]
        up = (nodes[:, None] + port) % n + n
        down = (nodes[:, None] - n + port * m) % n
        wired: IntArray = np.where(element, up, down)
        return wired

    def facts(self) -> Facts:
        return Facts.regular(
            self.order,
            self.m,
            duplex=False,
            connected=True,
            diameter=3,
            radius=3,
            mean_distance=self._mean(),
        )

    def symmetry(self) -> Symmetry:
        return Symmetry((0, self.n), (self.n, self.n))

    @cached_property
    def options(self) -> IntArray:
        """Ports by difference, as :attr:`Ports.options` has them: leave by u, arrive by v."""
        delta = np.arange(self.n, dtype=np.int32)
        return np.stack([delta % self.m, delta // self.m], axis=1)[None, :, None, :]

    def layout(self) -> Layout:
        ring = circle(self.n)
        return Layout(np.concatenate([ring, 0.55 * ring]))


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
        differences = difference[first, second]
        self._out[differences[::-1]] = first[::-1]
        self._in[differences[::-1]] = second[::-1]
        self._ways = (first, second, differences)
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
        first, second, difference = self._ways
        order = np.argsort(difference, kind="stable")
        first, second, difference = first[order], second[order], difference[order]
        starts = np.searchsorted(difference, np.arange(self.base.group.order + 1))
        most = int(np.diff(starts).max(initial=0))
        out = np.full((self.base.group.order, most, 2), -1, dtype=np.int32)
        within = np.arange(len(difference)) - starts[difference]
        out[difference, within, 0], out[difference, within, 1] = first, second
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

    def __init__(self, design: SymmetricDesign) -> None:
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
        most = 0
        rows: list[tuple[IntArray, IntArray, IntArray]] = []
        for a in range(count):
            met = self.blocks[self.blocks_of[a]]
            port = np.repeat(np.arange(size), size)
            other = met.ravel()
            arrive = self._block_at[other, np.repeat(self.blocks_of[a], size)]
            keep = other != a
            order = np.argsort(other[keep], kind="stable")
            rows.append((other[keep][order], port[keep][order], arrive[keep][order]))
            most = max(most, int(np.bincount(rows[-1][0]).max(initial=0)))
        require_memory(8 * count * count * most, f"the ways of all pairs of {count} elements")
        out = np.full((count, count, most, 2), -1, dtype=np.int32)
        for a, (other, port, arrive) in enumerate(rows):
            starts = np.searchsorted(other, np.arange(count))
            within = np.arange(len(other)) - starts[other]
            out[a, other, within, 0], out[a, other, within, 1] = port, arrive
        return out


def ports_of(design: SymmetricDesign) -> Ports:
    """The ports of a design, by the best means that it allows."""
    if design.base is not None:
        return GroupPorts(design.base, design.blocks, design.blocks_of)
    return ListedPorts(design)
