"""Which torus or mesh a product of rings or of lines is.

Sides come in any order, sides of 1 are none, a square is the product of two links, and grids look
alike from either end of an axis.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hopscape.core.addresses import MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.kindred import Kindred, ProductAxis

__all__ = ["grid_kindred"]

_GRAY = np.array([0, 1, 3, 2])
"""Where a pair of bits stands on a cycle of four."""


def grid_kindred(axes: Sequence[ProductAxis], root: int) -> Kindred | None:
    """The torus or mesh that a product of rings or of lines is, seen from a node.

    None where there are rings beside lines.

    Examples:
        >>> from hopscape.core.kindred import grid_axes
        >>> family, arguments, places = grid_kindred(grid_axes((2, 5, 1, 2), wraps=True), 0)
        >>> family, arguments, places[:6].tolist()
        ('torus', ((5, 4),), [0, 3, 4, 7, 8, 11])
    """
    axes = [axis for axis in axes if axis.side > 1]
    if all(axis.wraps or axis.side == 2 for axis in axes):
        return _as_torus(axes, root)
    if any(axis.wraps and axis.side > 2 for axis in axes):
        return None
    turned = []
    for axis in axes:
        here = int(axis.at[root])
        other = axis.side - 1 - here
        nearer = (here, axis.at) if here <= other else (other, axis.side - 1 - axis.at)
        turned.append((axis.side, *nearer))
    turned.sort(key=lambda axis: (-axis[0], axis[1]))
    return _grid("mesh", "path", [(side, at) for side, _, at in turned])


def _as_torus(axes: Sequence[ProductAxis], root: int) -> Kindred:
    """The root at the origin, pairs of links as squares, the longest side first."""
    rings = [(axis.side, (axis.at - axis.at[root]) % axis.side) for axis in axes]
    links = [at for side, at in rings if side == 2]
    rings = [ring for ring in rings if ring[0] > 2]
    while len(links) > 1:
        rings.append((4, _GRAY[2 * links.pop() + links.pop()]))
    rings += [(2, at) for at in links]
    rings.sort(key=lambda ring: -ring[0])
    return _grid("torus", "ring", rings)


def _grid(many: str, one: str, axes: Sequence[tuple[int, IntArray]]) -> Kindred:
    sides = tuple(side for side, _ in axes)
    at = np.stack([at for _, at in axes], axis=1)
    places: IntArray = MixedRadix(sides).numbers(at).astype(np.int64)
    return Kindred(many, (sides,), places) if len(sides) > 1 else Kindred(one, sides, places)
