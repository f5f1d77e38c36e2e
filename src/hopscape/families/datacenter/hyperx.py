"""HyperX (flattened butterfly): products of complete graphs with parallel links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from hopscape.core.addresses import Addresses, MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Facts, Parameter
from hopscape.core.network import Network
from hopscape.core.router import Router
from hopscape.families.datacenter.boxes import Box
from hopscape.families.datacenter.levels import Levels
from hopscape.families.datacenter.routers import TERMINALS, FormulaFamily, TerminalRouter

__all__ = ["HyperX"]


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
