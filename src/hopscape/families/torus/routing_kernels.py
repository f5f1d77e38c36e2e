"""Compiled distances and next ports on grids (numba).

Node numbers are taken apart by a table of packed coordinates where the grid is small enough for
one, by divisions where it is not.
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.kernel import kernel

__all__ = ["grid_distances", "grid_ports", "packed"]

_BLOCK = 1024  # pairs worked on together: 8 KiB an array


@kernel
def packed(sides: IntArray) -> IntArray:
    """Coordinates of all nodes, one row for each axis."""
    order = 1
    for side in sides:
        order *= side
    out = np.empty((sides.size, order), np.int32)
    stride = order
    for axis in range(sides.size):
        stride //= sides[axis]
        for node in range(order):
            out[axis, node] = node // stride % sides[axis]
    return out


@kernel(inline="always")
def _port(gap: int, side: int, wraps: bool, axis: int, later: int) -> int:
    """The port along an axis, the shorter way round and upwards on a tie; `later` without a gap."""
    up = gap > 0
    if wraps:
        around = gap + side * (gap < 0)
        up = 2 * around <= side
    return later if gap == 0 else 2 * axis + 1 - up


@kernel(inline="always")
def _step(previous: int, gap: int, side: int, wraps: bool, axis: int, ports: bool) -> int:
    """What is known of a pair with one axis more: the port, or the distance."""
    if ports:
        return _port(gap, side, wraps, axis, previous)
    apart = abs(gap)
    return previous + (min(apart, side - apart) if wraps else apart)


@kernel(inline="always")
def _over_axes(places, sides, wraps, at, to, out, ports):  # type: ignore[no-untyped-def]
    """Go over the axes from the last to the first, block by block of the pairs."""
    for start in range(0, at.size, _BLOCK):
        end = min(start + _BLOCK, at.size)
        stride = 1
        for axis in range(sides.size - 1, -1, -1):
            side = sides[axis]
            if places.size > 0:
                row = places[axis]
                for i in range(start, end):
                    gap = np.int64(row[np.uint64(to[i])]) - row[np.uint64(at[i])]
                    out[i] = _step(out[i], gap, side, wraps, axis, ports)
            else:
                for i in range(start, end):
                    gap = to[i] // stride % side - at[i] // stride % side
                    out[i] = _step(out[i], gap, side, wraps, axis, ports)
            stride *= side


@kernel
def grid_distances(
    places: IntArray, sides: IntArray, wraps: bool, at: IntArray, to: IntArray
) -> IntArray:
    """Distances on a grid.

    Args:
        places (int32[axes, order]): From :func:`packed`, or empty: then node numbers are divided.
        sides: int64[axes]
        wraps: Is every axis closed to a ring?
        at, to: int64[pairs]
    """
    out = np.zeros(at.size, np.int64)
    _over_axes(places, sides, wraps, at, to, out, False)
    return out


@kernel
def grid_ports(
    places: IntArray, sides: IntArray, wraps: bool, at: IntArray, to: IntArray
) -> IntArray:
    """Ports of dimension-order routing: the first axis that differs; -1 on arrival."""
    out = np.full(at.size, -1, np.int64)
    _over_axes(places, sides, wraps, at, to, out, True)
    return out
