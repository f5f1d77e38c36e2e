"""HyperX (flattened butterfly): products of complete graphs with parallel links.

Boxes of routers in which all that differ in one coordinate are joined, by parallel links.

FatClique: cliques of cliques of cliques.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, prod

import numpy as np

from hopscape.core.addresses import Addresses, MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.facts import Points, circle
from hopscape.core.family import Facts, Layout, Parameter, integers
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement
from hopscape.core.router import Router
from hopscape.families.datacenter.groups import GlobalLinks
from hopscape.families.datacenter.routers import (
    TERMINALS,
    FormulaFamily,
    Levels,
    TerminalRouter,
    with_endpoints,
)

__all__ = ["Box", "FatClique", "HyperX"]

_CUBES = 6_000  # routers up to which boxes of three axes of any shape are looked at


class HyperX(FormulaFamily):
    """Routers are points of a box; all that differ in one coordinate are joined.

    Ahn, Binkert, Davis, McLaren and Schreiber, "HyperX: topology, routing, and packaging of
    efficient large-scale networks", SC 2009: sides S, parallel links K, terminals T. With one
    terminal group per dimension it is a flattened butterfly (Kim, Dally and Abts, ISCA 2007).
    """

    name = "hyperx"
    summary = "HyperX (flattened butterfly): product of complete graphs, p endpoints per router"
    parameters = (
        Parameter("sides", "ints", "routers along each axis", low=2),
        TERMINALS,
        Parameter("links", "ints", "parallel links along each axis; 1 each", low=1, default=None),
    )
    example = "hyperx([3, 4], p=2)"
    routers_alike = True

    def __init__(
        self, sides: Sequence[int], p: int | None = None, links: Sequence[int] | None = None
    ) -> None:
        if not sides:
            raise ArgumentError("hyperx needs at least one side")
        if links is not None and len(links) != len(sides):
            raise ArgumentError(
                f"links has {len(links)} entries; it must have {len(sides)}, one for each side"
            )
        self.sides, self.p = tuple(sides), p
        self.links = None if links is None or set(links) == {1} else tuple(links)
        self.box = Box(self.sides, links or (1,) * len(self.sides))

    @property
    def routers(self) -> int:
        return prod(self.sides)

    @property
    def balanced(self) -> int:
        """As many as links along the axis that has the fewest: enough for uniform traffic."""
        return min((side - 1) * t for side, t in zip(self.sides, self.box.trunks, strict=True))

    @property
    def router_degree(self) -> int:
        return self.box.degree

    @property
    def addresses(self) -> Addresses:
        if self.terminals == 0:
            return MixedRadix(self.sides)
        return Levels([(*self.sides, self.terminals), (*self.sides, 1)])

    @classmethod
    def shapes(cls, ports: int, routers: int) -> Iterator[HyperX]:
        """Boxes whose sides differ by at most 1, with up to five axes."""
        for axes in range(1, 6):
            for side in range(2, ports + 2):
                for longer in range(axes):
                    sides = (side,) * (axes - longer) + (side + 1,) * longer
                    degree = sum(sides) - axes
                    if degree > ports or prod(sides) > routers:
                        continue
                    yield cls(sides, 0)
                    if 3 * degree <= ports:
                        yield cls(sides, 0, (2,) * axes)

    @classmethod
    def candidates(cls, requirement: Requirement) -> Iterator[HyperX]:
        """For a switched machine also boxes of any shape, with the links that each axis needs.

        Of the traffic of a router's endpoints, a part in every `side` moves along an axis to each
        of its other routers; for any permutation by Valiant's routing it is twice as much.
        """
        yield from cls.shapes(requirement.ports, requirement.high)
        share = requirement.throughput
        for sides in () if share is None else _sides(requirement):
            each = -(-requirement.low // prod(sides))
            for times in (1, 2):
                links = tuple(ceil(times * (share or 0) * each / side - 1e-9) for side in sides)
                degree = sum((side - 1) * k for side, k in zip(sides, links, strict=True))
                if degree + each <= requirement.ports:
                    yield cls(sides, 0, links)

    @classmethod
    def limits(cls, radix: int, throughput: float) -> Iterator[tuple[int, str]]:
        """One dimension: every switch has a link to every other one, and p endpoints.

        Two switches exchange p·p of the p·s - 1 parts of what an endpoint sends.

        Examples:
            >>> list(HyperX.limits(64, 1.0))
            [(1056, 'a second dimension')]
        """
        sizes = ((radix - p + 1, p) for p in range(1, radix))
        most = max((s * p for s, p in sizes if throughput * p * p <= s * p - 1), default=0)
        yield most, "a second dimension"

    def router_neighbours(self, routers: IntArray) -> IntArray:
        return self.box.neighbours(routers)

    def facts(self) -> Facts:
        links = self.routers * self.router_degree // 2 + self.ends
        alike = self.terminals == 0
        lowest = self.router_degree if alike else 1
        return Facts.duplex(
            links,
            lowest,
            self.router_degree + self.terminals,
            diameter=self.hops(len(self.sides)),
            edge_connectivity=lowest if self.links is None or not alike else None,
            node_connectivity=None if alike else 1,
            vertex_transitive=alike or None,
        )

    def router(self, network: Network) -> Router:
        return BoxRouter(network, self)

    def layout(self) -> Layout:
        """Rows and columns, long links as arcs; further axes as blocks; one axis as a circle."""
        sides = [side for side in self.sides if side > 1] or [1]
        if len(sides) == 1:
            return with_endpoints(circle(sides[0]), np.zeros((sides[0], 2)), self.terminals)
        digits = MixedRadix(sides).tuples(np.arange(prod(sides))).astype(float)
        steps = np.zeros((len(sides), 2))
        reach = [1.0, 1.0]
        for axis in range(len(sides) - 1, -1, -1):
            across = (len(sides) - 1 - axis) % 2
            steps[axis, across] = (reach[across], -reach[across])[across]
            reach[across] *= sides[axis] + 0.8
        places = digits @ steps

        def arcs(tails: IntArray, heads: IntArray) -> Points:
            move = np.abs(digits[heads] - digits[tails]).max(axis=1)
            return np.where(move > 1, 0.13, 0.0)

        below = places + np.array([1.0, 1.0])
        return with_endpoints(places, below, self.terminals, arcs)


def _sides(requirement: Requirement) -> Iterator[tuple[int, ...]]:
    """Rising sides of boxes of up to three axes whose routers have a port for every endpoint.

    Up to six times as many routers as it takes at least; of three axes up to `_CUBES`.
    """
    least = max(2, -(-requirement.low // requirement.ports))
    most = 6 * least
    for side in range(2, min(most, requirement.ports) + 1):
        if side >= least:
            yield (side,)
        for other in range(side, min(most // side, requirement.ports) + 1):
            if side * other >= least:
                yield (side, other)
            for third in range(other, most // (side * other) + 1) if most <= _CUBES else ():
                if side * other * third >= least and third < requirement.ports:
                    yield (side, other, third)


class BoxRouter(TerminalRouter):
    """Dimension order; every order of the coordinates is shortest."""

    name = "dimension order"
    _family: HyperX

    def router_distances(self, at: IntArray, to: IntArray) -> IntArray:
        return self._family.box.distances(at, to)

    def router_ports(self, at: IntArray, to: IntArray, choice: IntArray) -> IntArray:
        return self._family.box.ports(at, to, choice)

    def router_port(self, at: int, to: int, choice: int) -> int:
        return self._family.box.port(at, to, choice)

    def router_masks(self, at: IntArray, to: IntArray) -> IntArray:
        return self._family.box.masks(at, to)


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


class FatClique(FormulaFamily):
    """Switches form complete sub-blocks, sub-blocks a complete block, blocks a complete whole.

    Zhang, Mysore, Supittayapornpong and Govindan, "Understanding lifecycle management complexity of
    datacenter topologies", NSDI 2019. A switch has `inner` ports to other sub-blocks of its block
    and `outer` ports to other blocks; any two parts have the same number of links, as many as these
    ports allow.
    """

    name = "fatclique"
    summary = "FatClique: complete sub-blocks in complete blocks, joined completely"
    parameters = (
        *integers(
            size="switches of a sub-block",
            subblocks="sub-blocks of a block",
            blocks="number of blocks",
        ),
        Parameter("inner", "int", "ports of a switch to other sub-blocks", low=1, default=1),
        Parameter("outer", "int", "ports of a switch to other blocks", low=1, default=1),
        TERMINALS,
    )
    example = "fatclique(3, 2, 3, p=1)"

    def __init__(
        self,
        size: int,
        subblocks: int,
        blocks: int,
        inner: int = 1,
        outer: int = 1,
        p: int | None = None,
    ) -> None:
        self.subblocks, self.blocks, self.inner, self.outer = subblocks, blocks, inner, outer
        self.size, self.p = size, p
        self.part = size * subblocks
        self.clique = Box((size,), (1,))
        self.near = GlobalLinks(subblocks, size, inner, "relative")
        self.wide = GlobalLinks(blocks, self.part, outer, "relative")
        if subblocks > 1 and not self.near.copies:
            raise ArgumentError(
                f"subblocks is {subblocks}; with {size} switches of {inner} inner ports it must"
                f" be at most {size * inner + 1}"
            )
        if blocks > 1 and not self.wide.copies:
            raise ArgumentError(
                f"blocks is {blocks}; with {self.part} switches of {outer} outer ports it must be"
                f" at most {self.part * outer + 1}"
            )

    @property
    def routers(self) -> int:
        return self.part * self.blocks

    @property
    def router_degree(self) -> int:
        return self.clique.degree + self.near.degree + self.wide.degree

    @property
    def balanced(self) -> int:
        """A third of the ports between switches, but at least 1."""
        return max(1, self.router_degree // 3)

    @property
    def addresses(self) -> Addresses:
        sides = (self.blocks, self.subblocks, self.size)
        if self.terminals == 0:
            return MixedRadix(sides)
        return Levels([(*sides, self.terminals), (*sides, 1)])

    def router_neighbours(self, routers: IntArray) -> IntArray:
        out = np.full((len(routers), self.router_degree), -1, dtype=routers.dtype)
        local, sub = routers % self.size, routers // self.size % self.subblocks
        block, within = routers // self.part, routers % self.part
        first = self.clique.degree
        out[:, :first] = (routers - local)[:, None] + self.clique.neighbours(local)
        if self.near.slots:
            there, switch, wired = self.near.neighbours(sub, local)
            other = (block * self.part)[:, None] + there * self.size + switch
            out[:, first : first + self.near.degree] = np.where(wired, other, -1)
        if self.wide.slots:
            there, switch, wired = self.wide.neighbours(block, within)
            out[:, first + self.near.degree :] = np.where(wired, there * self.part + switch, -1)
        return out

    def facts(self) -> Facts:
        cliques = self.routers * self.clique.degree // 2
        links = cliques + self.blocks * self.near.links + self.wide.links + self.ends
        return Facts.duplex(links)

    @classmethod
    def candidates(cls, requirement: Requirement) -> Iterator[FatClique]:
        """Three alike: sub-blocks, blocks and their number, a quarter of the ports to each."""
        quarter = requirement.ports // 4
        for switches in range(max(2, quarter // 2), quarter + 2):
            for p in (quarter, quarter + 1):
                sizes = requirement.sizes(switches * switches * p) if p else []
                for blocks in {size // (switches * switches * p) for size in sizes}:
                    ports = max(1, requirement.ports - p - switches + 1)
                    if 2 <= blocks <= switches * switches * (ports // 2) and ports > 1:
                        yield cls(switches, switches, blocks, ports - ports // 2, ports // 2, 0)
