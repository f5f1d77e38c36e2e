"""What the families of this room share: routers with terminals, endpoints first."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.family import ListedFamily, Parameter
from hopscape.core.memory import require_memory
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement
from hopscape.core.router import Router, TableRouter, pick, spread
from hopscape.core.spec import write_value

__all__ = ["TERMINALS", "RouterFamily", "SpreadTableRouter"]

_TABLE_ORDER = 10_000

TERMINALS = Parameter(
    "p",
    "int",
    "endpoints per router; 0: the routers themselves; a balanced number when left out",
    low=0,
    default=None,
)


class RouterFamily(ListedFamily):
    """Endpoint i of router s is node s·p + i; the routers follow; ports 0..p-1 lead to endpoints.

    With p = 0 the routers are the endpoints.
    """

    p: int | None

    @property
    @abstractmethod
    def routers(self) -> int:
        """Number of routers."""

    @property
    @abstractmethod
    def balanced(self) -> int:
        """Endpoints per router when none are asked for."""

    @abstractmethod
    def router_links(self) -> tuple[IntArray, IntArray]:
        """Links between routers, numbered from 0."""

    @property
    def terminals(self) -> int:
        """Endpoints per router."""
        return self.balanced if self.p is None else self.p

    @property
    def order(self) -> int:
        return self.routers * (1 + self.terminals)

    def switches(self) -> IntArray | None:
        if self.terminals == 0:
            return None
        return np.arange(self.routers * self.terminals, self.order)

    def require_links(self, count: int) -> None:
        """Refuse what would not fit, before it is listed."""
        require_memory(80 * (count + self.routers * self.terminals), f"the wiring of {self.spec}")

    @cached_property
    def _wires(self) -> tuple[IntArray, IntArray]:
        tails, heads = self.router_links()
        ends = self.routers * self.terminals
        everybody = np.arange(ends)
        owner = everybody // max(self.terminals, 1) + ends
        return (
            np.concatenate([everybody, tails + ends]).astype(np.int64),
            np.concatenate([owner, heads + ends]).astype(np.int64),
        )

    def links(self) -> tuple[IntArray, IntArray]:
        return self._wires

    @classmethod
    def shapes(cls, ports: int, routers: int) -> Iterable[RouterFamily]:
        """Members with p = 0, at most so many ports and routers."""
        return ()

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Every shape with as many endpoints at a router as its other ports leave room for.

        For a switched machine: the balanced members, and the fewest routers that may carry what
        is asked for.
        """
        found: list[tuple[int, int, str]] = []
        switched = requirement.throughput is not None
        for shape in cls.shapes(requirement.ports, requirement.high):
            routers, degree = shape.routers, shape.router_degree
            for p in shape.concentrations(requirement, degree):
                named = [
                    write_value(getattr(shape, q.name)) for q in cls.parameters if q.name != "p"
                ]
                size = routers * max(p, 1)
                far = routers if switched else abs(size - requirement.nodes)
                spec = f"{cls.name}({', '.join(named)}, p={p})"
                found.append((far, size if switched else routers, spec))
        yield from (spec for _, _, spec in sorted(found)[: requirement.most])

    @property
    def router_degree(self) -> int:
        """Ports of a router that lead to others; families that know it without wiring say so."""
        return int(np.bincount(np.concatenate(self.router_links())).max(initial=0))

    def concentrations(self, requirement: Requirement, degree: int) -> list[int]:
        """Endpoints per router that fit: all, or those worth a look in a switched machine."""
        room = range(requirement.ports - degree + 1)
        fitting = [p for p in room if requirement.fits(self.routers * max(p, 1))]
        if requirement.throughput is None:
            return fitting
        least = [p for p in fitting if p and requirement.carries(self.routers, degree, p)][:1]
        balanced = [self.balanced] if self.balanced in fitting else []
        return sorted({*least, *balanced})

    def router(self, network: Network) -> Router | None:
        return SpreadTableRouter(network) if self.order <= _TABLE_ORDER else None

    def hops(self, between_routers: int) -> int:
        """Diameter, given that of the routers."""
        return between_routers + 2 * (self.terminals > 0)


class SpreadTableRouter(TableRouter):
    """Shortest routes from a table; where several ports will do, a hash of the pair chooses."""

    name = "spread table"

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        return pick(self.shortest_ports(at, to), spread(at, to))
