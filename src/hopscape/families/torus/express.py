"""Meshes with express links, and the grids of Tofu machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from hopscape.core.addresses import MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Facts, Layout, Parameter, integers
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement
from hopscape.core.router import FamilyRouter, Router, pick, spread
from hopscape.families.torus.grids import Mesh, OnAxes, Torus

__all__ = ["ExpressMesh", "Tofu"]

_LONGEST = 2048  # places of an axis: the table of its distances has the square, 32 MiB


class _Axis:
    """A path with links of these lengths, at all nodes or at multiples of the length."""

    def __init__(self, side: int, spans: Sequence[int], interchange: bool) -> None:
        self.side = side
        nodes = np.arange(side)
        rows = []
        for span in (1, *spans):
            station = nodes % span == 0 if interchange else np.full(side, True)
            for there in (nodes + span, nodes - span):
                rows.append(np.where((there >= 0) & (there < side) & station, there, -1))
        self.rows = np.stack(rows, axis=1)

    @cached_property
    def hops(self) -> IntArray:
        """Distances between all places."""
        side = self.side
        out, mark = np.full(side * side, -1), np.empty(side * side, dtype=np.int64)
        front, depth = np.arange(side) * (side + 1), 0  # source * side + place
        while len(front):
            out[front] = depth
            depth += 1
            neighbours = self.rows[front % side]
            pairs = ((front - front % side)[:, None] + neighbours)[neighbours >= 0]
            pairs = pairs[out[pairs] < 0]
            mark[pairs] = np.arange(len(pairs))
            front = pairs[mark[pairs] == np.arange(len(pairs))]  # each pair once
        return out.reshape(side, side)


class ExpressMesh(OnAxes):
    """A mesh with more links along each axis, of the lengths `spans`.

    From every node (the multi-hop links of ruche networks), or, with `interchange`, only between
    the nodes whose coordinate is a multiple of the length, as Dally's express cubes have them
    ("Express cubes: improving the performance of k-ary n-cube interconnection networks", IEEE
    Transactions on Computers 40, 1991). The ports of an axis lead up and down by one, then up and
    down by each span.
    """

    name = "express_mesh"
    summary = "mesh with express links of some lengths along each axis"
    parameters = (
        Parameter("sides", "ints", "length of each axis", low=1, high=_LONGEST),
        Parameter("spans", "ints", "lengths of the express links", low=2, high=_LONGEST),
        Parameter("interchange", "flag", "only between nodes at multiples of a span?", default=0),
    )
    example = "express_mesh([5, 4], [3])"

    def __init__(
        self, sides: Sequence[int], spans: Sequence[int], interchange: bool | int = False
    ) -> None:
        if not sides or not spans:
            raise ArgumentError("express_mesh needs the length of at least one axis and one span")
        if len(set(spans)) < len(spans):
            raise ArgumentError(f"spans is {list(spans)}; all must be different")
        self.sides, self.spans, self.interchange = tuple(sides), tuple(spans), bool(interchange)
        kinds = {side: _Axis(side, spans, self.interchange) for side in set(self.sides)}
        self.axes = [kinds[side] for side in self.sides]
        self.width = 2 + 2 * len(self.spans)

    @property
    def ports(self) -> int:
        return self.width * len(self.sides)

    def neighbours(self, nodes: IntArray) -> IntArray:
        out = np.full((len(nodes), self.ports), -1, dtype=nodes.dtype)
        stride = self.order
        for number, axis in enumerate(self.axes):
            stride //= axis.side
            digit = (nodes // stride % axis.side).astype(np.int64)
            there = axis.rows[digit]
            moved = nodes[:, None] + (there - digit[:, None]).astype(nodes.dtype) * stride
            first = self.width * number
            out[:, first : first + self.width] = np.where(there >= 0, moved, -1)
        return out

    def port_classes(self) -> tuple[str, ...]:
        names = ("", *(f"express{span}" for span in self.spans))
        kinds = [f"axis{axis}{kind}" for axis in range(len(self.sides)) for kind in names]
        return tuple(kind for kind in kinds for _ in range(2))

    def facts(self) -> Facts:
        order = self.order
        degrees = [(axis.rows >= 0).sum(axis=1) for axis in self.axes]
        shares = [order // side for side in self.sides]
        channels = sum(int(d.sum()) * share for d, share in zip(degrees, shares, strict=True))
        reach = [axis.hops.max(axis=1) for axis in self.axes]
        total = sum(
            int(axis.hops.sum()) * share**2 for axis, share in zip(self.axes, shares, strict=True)
        )
        return Facts(
            degree_min=sum(int(d.min()) for d in degrees),
            degree_max=sum(int(d.max()) for d in degrees),
            links=channels // 2,
            channels=channels,
            connected=True,
            diameter=sum(int(r.max()) for r in reach),
            radius=sum(int(r.min()) for r in reach),
            mean_distance=Fraction(total, order * (order - 1)) if order > 1 else None,
        )

    def router(self, network: Network) -> Router:
        return ExpressRouter(network, self)

    def layout(self) -> Layout | None:
        return Mesh(self.sides).layout()

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Boxes near a cube with as many axes as the ports allow; spans near the root of a side."""
        axes = min(requirement.ports // 4, 4)
        for sides in requirement.boxes(axes, least=4) if axes else ():
            if max(sides) > _LONGEST:
                continue
            yield cls(sides, (max(2, round(max(sides) ** 0.5)),)).spec


class ExpressRouter(FamilyRouter[ExpressMesh]):
    """Axis by axis, along each by express where that is shorter."""

    name = "dimension order"

    def __init__(self, network: Network, family: ExpressMesh) -> None:
        super().__init__(network, family)
        self._box = MixedRadix(family.sides)

    def _digits(self, at: IntArray, to: IntArray) -> tuple[IntArray, IntArray]:
        here, there = self._box.tuples(at), self._box.tuples(to)
        return here.astype(np.int64), there.astype(np.int64)

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        here, there = self._digits(at, to)
        axes = enumerate(self._family.axes)
        return np.sum([axis.hops[here[:, i], there[:, i]] for i, axis in axes], axis=0)

    def shortest_ports(self, at: IntArray, to: IntArray) -> IntArray:
        here, there = self._digits(at, to)
        mask = np.zeros((len(at), self._family.ports), dtype=bool)
        for i, axis in enumerate(self._family.axes):
            beyond = axis.rows[here[:, i]]
            left = axis.hops[np.maximum(beyond, 0), there[:, i][:, None]]
            closer = left == axis.hops[here[:, i], there[:, i]][:, None] - 1
            first = self._family.width * i
            mask[:, first : first + self._family.width] = (beyond >= 0) & closer
        return mask

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        mask, free = self.shortest_ports(at, to), np.full(len(at), True)
        width = self._family.width
        for first in range(0, mask.shape[1], width):
            mask[:, first : first + width] &= free[:, None]
            free &= ~mask[:, first : first + width].any(axis=1)
        return pick(mask, spread(at, to))


class Tofu(Torus):
    """The six-dimensional grid of the K computer and Fugaku: x by y by z units of 2 by 3 by 2.

    Ajima, Sumimoto and Shimizu, "Tofu: a 6D mesh/torus interconnect for exascale computers",
    Computer 42, 2009. X, Y, Z and B are rings, A and C have two nodes each: ten links per node.
    """

    name = "tofu"
    summary = "Tofu: torus of x by y by z units, each of 2 by 3 by 2 nodes; ten links per node"
    parameters = integers(x="units along x", y="units along y", z="units along z")
    example = "tofu(2, 1, 3)"

    def __init__(self, x: int, y: int, z: int) -> None:
        super().__init__((x, y, z, 2, 3, 2))
        self.x, self.y, self.z = x, y, z

    @classmethod
    def of_sides(cls, sides: Sequence[int]) -> Torus:
        return Torus(sides)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Boxes of units near a cube."""
        if requirement.ports < 10:
            return
        units = Requirement(
            max(1, requirement.nodes // 12), -(-requirement.low // 12), requirement.high // 12, 6
        )
        yield from (cls(*sides).spec for sides in units.boxes(3, least=2))
