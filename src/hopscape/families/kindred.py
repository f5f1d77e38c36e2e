"""Members of equal wiring: which one stands for all of them, and where each node is in it.

A circulant whose generators split the cycle into factors is a torus, a circulant of one generator a
ring; multiplying all generators by a unit renames the nodes. Sides of a torus or mesh come in any
order, sides of 1 are none, a square is the product of two links, and grids look alike from either
end of an axis. What is searched for on the member that stands for its kindred is the same for all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hopscape.core.addresses import MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.family import Family, Kindred
from hopscape.families.circulant import Circulant
from hopscape.families.classic import Hypercube
from hopscape.families.product import Product
from hopscape.families.torus import Mesh, Path, Ring, Torus

__all__ = ["kindred_member"]

_MOST_NODES = 200_000
"""Nodes up to which a member is renamed: it takes arrays of all nodes and channels."""
_GRAY = np.array([0, 1, 3, 2])
"""Where a pair of bits stands on a cycle of four."""


@dataclass(frozen=True)
class _Axis:
    """A ring or a line, and where every node of the network is on it."""

    side: int
    wraps: bool
    at: IntArray


def kindred_member(family: Family, root: int) -> Kindred | None:
    """The member that stands for a family's, seen from a node; None: the member itself.

    Examples:
        >>> member, places = kindred_member(Circulant(15, (3, 5)), 0)
        >>> member.spec, places[:6].tolist()
        ('torus(5, 3)', [0, 8, 13, 3, 11, 1])
        >>> kindred_member(Circulant(569, (233,)), 0)[0].spec
        'ring(569)'
        >>> kindred_member(Circulant(100, (7, 30)), 0)[0].spec
        'circulant(100, 1, 10)'
    """
    if not 1 < family.order <= _MOST_NODES:
        return None
    found: Kindred | None = None
    axes = _axes(family)
    if axes is not None:
        found = _of_axes(axes, root)
    elif isinstance(family, Circulant):
        found = _of_generators(family, root)
    if found is None:
        return None
    member, places = found
    same = member.spec == family.spec and bool((places == np.arange(family.order)).all())
    return None if same else found


def _axes(family: Family | None) -> list[_Axis] | None:
    """The axes of a product of rings or of lines; None where it is none."""
    if isinstance(family, Product):
        parts = [_axes(factor.family) for factor in family.factors]
        box = MixedRadix([factor.order for factor in family.factors])
        at = box.tuples(np.arange(family.order)).astype(np.int64)
        axes = []
        for k, part in enumerate(parts):
            if part is None:
                return None
            axes += [_Axis(axis.side, axis.wraps, axis.at[at[:, k]]) for axis in part]
        return axes
    if isinstance(family, Hypercube):
        return _grid_axes((2,) * family.d, wraps=True)
    if isinstance(family, Torus | Mesh):
        return _grid_axes(family.sides, wraps=family.wraps)
    return _factors(family) if isinstance(family, Circulant) else None


def _grid_axes(sides: Sequence[int], wraps: bool) -> list[_Axis]:
    at = MixedRadix(sides).tuples(np.arange(math.prod(sides))).astype(np.int64)
    return [_Axis(side, wraps, at[:, k]) for k, side in enumerate(sides)]


def _factors(family: Circulant) -> list[_Axis] | None:
    """The rings of a circulant whose generators have orders that multiply to its order."""
    n, generators = family.n, family.generators
    sides = [n // math.gcd(n, s) for s in generators]
    if math.prod(sides) != n:
        return None
    steps = MixedRadix(sides).tuples(np.arange(n)).astype(np.int64)
    node = steps @ np.asarray(generators, dtype=np.int64) % n
    if len(np.unique(node)) != n:
        return None
    at = np.empty_like(steps)
    at[node] = steps
    return [_Axis(side, True, at[:, k]) for k, side in enumerate(sides)]


def _of_axes(axes: list[_Axis], root: int) -> Kindred | None:
    axes = [axis for axis in axes if axis.side > 1]
    if all(axis.wraps or axis.side == 2 for axis in axes):
        return _as_torus(axes, root)
    if any(axis.wraps and axis.side > 2 for axis in axes):
        return None
    turned = []
    for axis in axes:
        here = int(axis.at[root])
        other = axis.side - 1 - here
        turned.append((axis.side, here, axis.at) if here <= other else (
            axis.side, other, axis.side - 1 - axis.at))  # fmt: skip
    turned.sort(key=lambda axis: (-axis[0], axis[1]))
    sides = tuple(axis[0] for axis in turned)
    member = Mesh(sides) if len(sides) > 1 else Path(sides[0])
    return member, _numbers(sides, [axis[2] for axis in turned])


def _as_torus(axes: list[_Axis], root: int) -> Kindred:
    """The root at the origin, pairs of links as squares, the longest side first."""
    rings = [(axis.side, (axis.at - axis.at[root]) % axis.side) for axis in axes]
    links = [at for side, at in rings if side == 2]
    rings = [ring for ring in rings if ring[0] > 2]
    while len(links) > 1:
        rings.append((4, _GRAY[2 * links.pop() + links.pop()]))
    rings += [(2, at) for at in links]
    rings.sort(key=lambda ring: -ring[0])
    sides = tuple(side for side, _ in rings)
    member = Torus(sides) if len(sides) > 1 else Ring(sides[0])
    return member, _numbers(sides, [at for _, at in rings])


def _numbers(sides: Sequence[int], columns: Sequence[IntArray]) -> IntArray:
    numbers: IntArray = MixedRadix(sides).numbers(np.stack(columns, axis=1)).astype(np.int64)
    return numbers


def _of_generators(family: Circulant, root: int) -> Kindred | None:
    """The generators multiplied by the unit that makes their sorted list the least."""
    n = family.n
    steps = np.asarray(family.generators, dtype=np.int64)
    short = np.minimum(steps, n - steps)
    if family.components > 1 or len(np.unique(short)) < len(short):
        return None
    units = np.arange(1, n // 2 + 1, dtype=np.int64)
    units = units[np.gcd(units, n) == 1]
    multiples = units[:, None] * short % n
    multiples = np.sort(np.minimum(multiples, n - multiples), axis=1)
    best = int(np.lexsort(multiples.T[::-1])[0])
    member = Circulant(n, tuple(multiples[best].tolist()))
    places: IntArray = units[best] * (np.arange(n) - root) % n
    return member, places
