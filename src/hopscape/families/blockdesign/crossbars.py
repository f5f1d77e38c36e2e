"""The wiring of endpoints and crossbars: by a block design, and by digits."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from functools import cached_property

import numpy as np

from hopscape.algebra.designs.constructions import Design
from hopscape.core.arrays import IntArray
from hopscape.core.family import Facts, Family, Layout, Symmetry, integers
from hopscape.core.layout import circle
from hopscape.families.blockdesign.ports import GroupPorts, Ports, ports_of

__all__ = ["Crossbars", "SimplexCrossbars"]


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
    def design(self) -> Design:
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
