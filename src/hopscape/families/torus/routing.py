"""Dimension-order routing on grids: exact, without tables."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from hopscape.core.addresses import MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.network import Network
from hopscape.core.router import Router

if TYPE_CHECKING:
    from hopscape.core.formula import Value

__all__ = ["GridRouter"]

_FEW_PAIRS = 20_000  # NumPy ends sooner than numba is imported (half a second)
_TABLE_ORDER = 1 << 18  # nodes whose coordinates are kept: 1 MiB an axis
_LONG_SIDE = 1000  # routes on shorter sides fit into any memory and need no check
_KERNELS = "hopscape.families.torus.routing_kernels"


class GridRouter(Router):
    """Goes along the first axis that differs, the shorter way round; up on a tie."""

    name = "dimension order"

    def __init__(self, network: Network, sides: Sequence[int], wraps: bool) -> None:
        super().__init__(network)
        self._box = MixedRadix(sides)
        self._wraps = wraps
        self.cyclic = tuple(sides) if wraps else ()
        self._axes = [(side, prod(sides[i + 1 :])) for i, side in enumerate(sides)]
        self._long = max(sides, default=0) > _LONG_SIDE

    def _offsets(self, at: IntArray, to: IntArray) -> IntArray:
        """Signed steps along each axis, in (-side/2, side/2] on a ring."""
        gap = self._box.tuples(to) - self._box.tuples(at)
        if not self._wraps:
            return gap
        sides = np.asarray(self._box.sides, dtype=gap.dtype)
        gap = gap % sides
        return np.where(2 * gap > sides, gap - sides, gap)

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        if self._by_kernel(at):
            from hopscape.families.torus.routing_kernels import grid_distances

            distances: IntArray = grid_distances(*self._tables, self._wraps, at, to)
            return distances
        total: IntArray = np.abs(self._offsets(at, to)).sum(axis=1)
        return total

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        if self._by_kernel(at):
            from hopscape.families.torus.routing_kernels import grid_ports

            ports: IntArray = grid_ports(*self._tables, self._wraps, at, to)
            return ports
        offsets = self._offsets(at, to)
        differs = (offsets != 0).astype(bool)
        axis = differs.argmax(axis=1)
        step = offsets[np.arange(len(offsets)), axis]
        return np.where(differs.any(axis=1), 2 * axis + (step < 0), -1)

    def _by_kernel(self, at: IntArray) -> bool:
        """Many pairs, or the kernels are there already: importing numba takes half a second."""
        return at.dtype == np.int64 and (len(at) > _FEW_PAIRS or _KERNELS in sys.modules)

    @cached_property
    def _tables(self) -> tuple[IntArray, IntArray]:
        """Coordinates of all nodes (none where the grid is large), and sides."""
        from hopscape.families.torus.routing_kernels import packed

        sides = np.asarray(self._box.sides, dtype=np.int64)
        small = self._box.order <= _TABLE_ORDER
        return packed(sides) if small else np.empty((0, 0), dtype=np.int32), sides

    def trace(self, at: int, to: int) -> tuple[list[int], list[int]]:
        nodes, ports = [at], []
        if self._long:
            self._require_route(self.distance(at, to))
        for axis, (side, stride) in enumerate(self._axes):
            here, there = at // stride % side, to // stride % side
            if here == there:
                continue
            up, around = there > here, abs(there - here)
            if self._wraps and (2 * around > side or (2 * around == side and not up)):
                up, around = not up, side - around
            last, step = nodes[-1], stride if up else -stride
            straight = min(around, side - 1 - here if up else here)
            nodes += range(last + step, last + (straight + 1) * step, step)
            if straight < around:  # on from the other edge
                edge = last + (straight - side + 1) * step
                nodes += range(edge, edge + (around - straight) * step, step)
            ports += [2 * axis + (not up)] * around
        return nodes, ports

    def shortest_ports(self, at: IntArray, to: IntArray) -> IntArray:
        offsets = self._offsets(at, to)
        mask = np.zeros((len(offsets), 2 * offsets.shape[1]), dtype=bool)
        mask[:, 0::2] = offsets > 0
        mask[:, 1::2] = offsets < 0
        if self._wraps:  # half way round a ring both ways are shortest (a side of 2 has one link)
            sides = np.asarray(self._box.sides, dtype=offsets.dtype)
            mask[:, 1::2] |= (2 * offsets == sides) & (sides > 2)
        return mask

    def formula(self, at: Value, to: Value) -> Value:
        from hopscape.core.formula import choose, constant, digits, equal, less, wrapped

        here, there = (digits(node, self._box.sides) for node in (at, to))
        port = constant(-1)
        for axis in range(len(here) - 1, -1, -1):
            side = self._box.sides[axis]
            gap = there[axis] - here[axis]
            if self._wraps:
                gap = wrapped(gap, side).named(f"gap{axis}", f"steps up along axis {axis}")
                down = less(side // 2, gap)
            else:
                gap = gap.named(f"gap{axis}", f"signed steps along axis {axis}")
                down = less(gap, 0)
            step = choose(down, constant(2 * axis + 1), constant(2 * axis))
            port = choose(equal(gap, 0), port, step).named(f"port{axis}")
        return port
