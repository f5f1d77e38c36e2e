"""The grid families: wiring, facts and drawing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hopscape.core.addresses import Addresses, MixedRadix, Numbers
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.facts import Points, circle
from hopscape.core.family import (
    Collective,
    Facts,
    Family,
    Layout,
    Parameter,
    Symmetry,
    integers,
)
from hopscape.core.kindred import Kindred, ProductAxis, grid_axes
from hopscape.core.network import Network
from hopscape.core.router import Router
from hopscape.families.torus.routing import GridRouter

if TYPE_CHECKING:
    from hopscape.core.requirement import Requirement

__all__ = ["Mesh", "OnAxes", "Path", "Ring", "Torus"]

_SIDES = Parameter("sides", "int", "length of each axis", low=1, variadic=True)


class OnAxes(Family):
    """Nodes at the points of a grid, numbered row by row, with two ports along every axis."""

    sides: tuple[int, ...]

    @property
    def order(self) -> int:
        return math.prod(self.sides)

    @property
    def ports(self) -> int:
        return 2 * len(self.sides)

    @property
    def addresses(self) -> Addresses:
        return MixedRadix(self.sides)


class _Grid(OnAxes):
    """What torus and mesh share."""

    parameters: ClassVar[tuple[Parameter, ...]] = (_SIDES,)
    wraps: ClassVar[bool]

    def __init__(self, sides: Sequence[int]) -> None:
        if not sides:
            raise ArgumentError(f"{self.name} needs the length of at least one axis")
        self.sides = tuple(sides)

    @classmethod
    def of_sides(cls, sides: Sequence[int]) -> _Grid:
        """A grid of this kind with other sides, for algorithms that work on parts of it."""
        return cls(sides)

    def neighbours(self, nodes: IntArray) -> IntArray:
        out = np.full((len(nodes), self.ports), -1, dtype=nodes.dtype)
        stride = self.order
        for axis, side in enumerate(self.sides):
            stride //= side
            digit = nodes // stride % side
            top, bottom = digit == side - 1, digit == 0
            if self.wraps and side > 1:
                around = side * stride
                out[:, 2 * axis] = nodes + stride - top.astype(nodes.dtype) * around
                if side > 2:
                    out[:, 2 * axis + 1] = nodes - stride + bottom.astype(nodes.dtype) * around
            elif side > 1:
                out[:, 2 * axis] = np.where(top, -1, nodes + stride)
                out[:, 2 * axis + 1] = np.where(bottom, -1, nodes - stride)
        return out

    def port_classes(self) -> tuple[str, ...]:
        return tuple(f"axis{port // 2}" for port in range(self.ports))

    def router(self, network: Network) -> Router:
        return GridRouter(network, self.sides, self.wraps)

    def product_axes(self) -> list[ProductAxis]:
        return grid_axes(self.sides, self.wraps)

    def kindred(self, root: int) -> Kindred | None:
        from hopscape.families.kindred import grid_kindred

        return grid_kindred(self.product_axes(), root)

    def layout(self) -> Layout | None:
        return _grid_layout(self.sides, self.wraps)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Boxes near a cube, with as many axes as the ports allow and with one fewer."""
        most = requirement.ports // 2
        for axes in range(most, max(1, most - 2), -1):
            for sides in requirement.boxes(axes, least=3 if cls.wraps else 2):
                yield cls(sides).spec


class Torus(_Grid):
    """Grid with every axis closed to a ring."""

    name = "torus"
    plain = "torus"
    summary = "grid of any dimensions with every axis closed to a ring"
    example = "torus(4, 4)"
    wraps = True
    transitive = True

    def facts(self) -> Facts:
        order = self.order
        degree = sum(min(side - 1, 2) for side in self.sides)
        total = sum(side * side // 4 * (order // side) for side in self.sides)
        sides = [side for side in self.sides if side > 1]
        return Facts.symmetric(
            order,
            degree,
            sum(side // 2 for side in self.sides),
            mean_distance=Fraction(total, order - 1) if order > 1 else None,
            girth=_torus_girth(sides),
            bisection=_torus_bisection(sides),
        )

    def translate(self, by: IntArray, nodes: IntArray) -> IntArray | None:
        if min(self.sides) < 3:
            return None
        out: IntArray = np.zeros(np.broadcast_shapes(by.shape, nodes.shape), dtype=np.int64)
        stride = self.order
        for side in self.sides:
            stride //= side
            out += (by // stride % side + nodes // stride % side) % side * stride
        return out

    def collectives(self) -> tuple[Collective, ...]:
        from hopscape.families.torus.collectives import torus_collectives

        return torus_collectives(self.sides)


def _torus_girth(sides: Sequence[int]) -> int | None:
    cycles = [side for side in sides if side > 2] + [4] * (len(sides) > 1)
    return min(cycles, default=None)


def _torus_bisection(sides: Sequence[int]) -> int | None:
    """Known in closed form when all sides are alike and even (or there is one axis)."""
    if len(sides) == 1:
        return min(sides[0] - 1, 2)
    if sides and len(set(sides)) == 1 and sides[0] % 2 == 0:
        return min(sides[0] - 1, 2) * sides[0] ** (len(sides) - 1)
    return None


class Mesh(_Grid):
    """Grid with open ends."""

    name = "mesh"
    plain = "mesh"
    summary = "grid of any dimensions with open ends"
    example = "mesh(4, 4)"
    wraps = False

    def facts(self) -> Facts:
        order = self.order
        total = sum(side * (side * side - 1) // 3 * (order // side) ** 2 for side in self.sides)
        sides = [side for side in self.sides if side > 1]
        links = sum((side - 1) * (order // side) for side in sides)
        even_cube = bool(sides) and len(set(sides)) == 1 and sides[0] % 2 == 0
        return Facts.duplex(
            links,
            len(sides),
            sum(min(side - 1, 2) for side in sides),
            diameter=sum(side - 1 for side in sides),
            radius=sum(side // 2 for side in sides),
            mean_distance=Fraction(total, order * (order - 1)) if order > 1 else None,
            girth=4 if len(sides) > 1 else None,
            node_connectivity=len(sides),
            edge_connectivity=len(sides),
            bisection=sides[0] ** (len(sides) - 1) if even_cube or len(sides) == 1 else None,
            vertex_transitive=all(side == 2 for side in sides),
        )

    def symmetry(self) -> Symmetry | None:
        """Each axis can be turned round, so one half (and the middle) of it represents all."""
        halves = [(side + 1) // 2 for side in self.sides]
        if math.prod(halves) > 1_000_000:
            return None
        digits = MixedRadix(halves).tuples(np.arange(math.prod(halves)))
        middle = 2 * digits == np.asarray(self.sides) - 1
        sizes = np.where(middle, 1, 2).prod(axis=1)
        nodes = MixedRadix(self.sides).numbers(digits)
        return Symmetry(tuple(nodes.tolist()), tuple(sizes.tolist()))

    def collectives(self) -> tuple[Collective, ...]:
        from hopscape.families.torus.collectives import mesh_collectives

        return mesh_collectives()


class _Line(_Grid):
    """A grid of one axis, whose nodes are numbers."""

    parameters: ClassVar[tuple[Parameter, ...]] = integers(n="number of nodes")

    def __init__(self, n: int) -> None:
        super().__init__((n,))
        self.n = n

    @property
    def addresses(self) -> Addresses:
        return Numbers(self.n)


class Ring(_Line, Torus):
    """The cycle: a torus with one axis."""

    name = "ring"
    plain = "ring"
    summary = "cycle of n nodes"
    example = "ring(8)"

    def layout(self) -> Layout:
        return Layout(circle(self.n))

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        if requirement.ports >= 2:
            yield from (cls(n).spec for n in requirement.sizes()[:1])


class Path(_Line, Mesh):
    """The path: a mesh with one axis."""

    name = "path"
    plain = "path"
    summary = "path of n nodes"
    example = "path(8)"

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        if requirement.ports >= 2 or requirement.high == 2:
            yield from (cls(n).spec for n in requirement.sizes()[:1])


def _grid_layout(sides: tuple[int, ...], wraps: bool) -> Layout:
    """Rows and columns; a third axis as sheets, further ones as copies; wrap-around links bent."""
    shown = [axis for axis, side in enumerate(sides) if side > 1] or [0]
    lengths = [sides[axis] for axis in shown]
    if wraps and len(shown) == 1:
        return Layout(circle(lengths[0]))
    digits = MixedRadix(lengths).tuples(np.arange(math.prod(lengths))).astype(float)
    steps, room = _grid_steps(lengths)
    places = digits @ steps

    def bend(tails: IntArray, heads: IntArray) -> Points:
        move = digits[heads] - digits[tails]
        axis = np.abs(move).argmax(axis=1)
        shift = move[np.arange(len(move)), axis]
        length = np.hypot(*(places[heads] - places[tails]).T)
        bent = np.sign(shift) * room[axis] / np.maximum(length, 1e-9)
        return np.where(np.abs(shift) > 1, bent, 0.0)

    return Layout(places, bend)


def _grid_steps(sides: Sequence[int]) -> tuple[Points, Points]:
    """Where one step along each axis leads, and how far to the left its wrap-around links keep."""
    count = len(sides)
    steps, room = np.zeros((count, 2)), np.full(count, 0.4)
    steps[-1], room[-1] = (1.0, 0.0), 0.4
    if count == 1:
        return steps, room
    steps[-2], room[-2] = (0.0, -1.0), -0.4
    if count == 2:
        return steps, room
    steps[-1], steps[-2], room[-1], room[-2] = (2.0, 0.0), (-0.8, -0.6), 0.26, -0.3
    reach = [2.0 * sides[-1] + 0.8 * (sides[-2] - 1) + 0.4, 0.6 * (sides[-2] - 1) + 1.2]
    for axis in range(count - 3, -1, -1):
        across = (count - 3 - axis) % 2
        steps[axis] = (0.0, -reach[1]) if across == 0 else (reach[0], -0.31)
        room[axis] = (-0.2, 0.45)[across]
        reach[1 - across] *= sides[axis] + 0.15
    return steps, room
