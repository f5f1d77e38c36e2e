"""Boxes of routers in which all that differ in one coordinate are joined, by parallel links."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from hopscape.core.addresses import MixedRadix
from hopscape.core.arrays import IntArray

__all__ = ["Box"]


class Box:
    """A product of complete graphs; the links of an axis are `trunks`-fold.

    Ports: axis by axis; along an axis to all other coordinates from 0 up, each over its parallel
    links.
    """

    def __init__(self, sides: Sequence[int], trunks: Sequence[int]) -> None:
        self.sides, self.trunks = tuple(sides), tuple(trunks)
        self.order = prod(self.sides)
        widths = [(side - 1) * t for side, t in zip(self.sides, self.trunks, strict=True)]
        self.starts = [sum(widths[:axis]) for axis in range(len(widths) + 1)]
        self.degree = self.gate_degree = self.starts[-1]
        self._digits = MixedRadix(self.sides)

    def neighbours(self, nodes: IntArray) -> IntArray:
        """Whom the ports lead to: shape (m,) in, (m, degree) out."""
        out = np.empty((len(nodes), self.degree), dtype=nodes.dtype)
        stride = self.order
        for axis, (side, trunk) in enumerate(zip(self.sides, self.trunks, strict=True)):
            stride //= side
            digit = (nodes // stride % side)[:, None]
            other = np.arange((side - 1) * trunk) // trunk
            other = other + (other >= digit)
            row = nodes[:, None] + (other - digit) * stride
            out[:, self.starts[axis] : self.starts[axis + 1]] = row
        return out

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        """Number of coordinates that differ."""
        differs: IntArray = self._digits.tuples(at) != self._digits.tuples(to)
        return differs.sum(axis=1)

    def ports(self, at: IntArray, to: IntArray, choice: IntArray) -> IntArray:
        """Dimension order: the first coordinate that differs is set right; -1 on arrival."""
        here, there = self._digits.tuples(at), self._digits.tuples(to)
        out = np.full(len(at), -1)
        for axis in range(len(self.sides) - 1, -1, -1):
            a, b, trunk = here[:, axis], there[:, axis], self.trunks[axis]
            port = self.starts[axis] + (b - (b > a)) * trunk + choice % trunk
            out = np.where(a != b, port, out)
        return out

    def port(self, at: int, to: int, choice: int) -> int:
        """The same for one pair of different nodes."""
        stride = self.order
        for start, side, trunk in zip(self.starts, self.sides, self.trunks, strict=False):
            stride //= side
            a, b = at // stride % side, to // stride % side
            if a != b:
                return start + (b - (b > a)) * trunk + choice % trunk
        return -1

    def masks(self, at: IntArray, to: IntArray) -> IntArray:
        """All ports that set a coordinate right: bool[m, degree]."""
        here, there = self._digits.tuples(at), self._digits.tuples(to)
        mask = np.zeros((len(at), self.degree), dtype=bool)
        for axis, trunk in enumerate(self.trunks):
            a, b = here[:, axis], there[:, axis]
            rows = np.flatnonzero(a != b)
            first = self.starts[axis] + (b - (b > a))[rows] * trunk
            for copy in range(trunk):
                mask[rows, (first + copy).astype(np.int64)] = True
        return mask
