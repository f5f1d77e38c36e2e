"""Nodes that are numbered level by level, endpoints first: addresses and drawings.

What the families of this room share: routers with terminals, endpoints first.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import ClassVar

import numpy as np

from hopscape.core.addresses import Addresses, MixedRadix, node_dtype
from hopscape.core.arrays import IntArray
from hopscape.core.errors import AddressError
from hopscape.core.facts import Layout, Points, with_leaves
from hopscape.core.family import Family, ListedFamily, Parameter, Symmetry
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.requirement import Requirement
from hopscape.core.router import FamilyRouter, Router, TableRouter, pick, spread

__all__ = [
    "TERMINALS",
    "FormulaFamily",
    "Levels",
    "OwnedRouter",
    "RouterFamily",
    "SpreadTableRouter",
    "TerminalFamily",
    "TerminalRouter",
    "tiers",
    "with_endpoints",
]

Bend = Callable[[IntArray, IntArray], Points]


class Levels(Addresses):
    """Addresses (level, digits...): each level is a box, the levels follow each other.

    Args:
        boxes (sequence of sequences of int): Sides of each level, as many for one as for the other.

    Examples:
        >>> tree = Levels([(2, 3), (2, 1)])
        >>> tree.order, tree.tuple(4), tree.tuple(7), tree.number((1, 1, 0))
        (8, (0, 1, 1), (1, 1, 0), 7)
    """

    def __init__(self, boxes: Sequence[Sequence[int]]) -> None:
        self._boxes = [MixedRadix(sides) for sides in boxes]
        self.starts = [0]
        for box in self._boxes:
            self.starts.append(self.starts[-1] + box.order)
        self.order = self.starts[-1]
        self.width = 1 + self._boxes[0].width

    def tuples(self, nodes: IntArray) -> IntArray:
        given = np.asarray(nodes, dtype=node_dtype(self.order))
        out = np.zeros((*given.shape, self.width), dtype=given.dtype)
        for level, box in enumerate(self._boxes):
            here = (given >= self.starts[level]) & (given < self.starts[level + 1])
            out[here, 0] = level
            out[here, 1:] = box.tuples(given[here] - self.starts[level])
        return out

    def numbers(self, addresses: IntArray) -> IntArray:
        given = self.entries(addresses)
        level = given[..., 0]
        wrong = (level < 0) | (level >= len(self._boxes))
        if wrong.any():
            bad = given[wrong][0].tolist()
            raise AddressError(
                f"address ({', '.join(map(str, bad))}) is out of range; expected {self.describe()}"
            )
        out = np.zeros(given.shape[:-1], dtype=node_dtype(self.order))
        for number, box in enumerate(self._boxes):
            here = level == number
            if here.any():
                numbers = box.numbers(given[here][..., 1:]).astype(out.dtype)
                out[here] = self.starts[number] + numbers
        return out

    def describe(self) -> str:
        kinds = [
            f"({level}, {', '.join(f'0..{side - 1}' for side in box.sides)})"
            for level, box in enumerate(self._boxes)
            if box.order
        ]
        return "an address " + " or ".join(kinds)


def with_endpoints(
    routers: Points, centres: Points, terminals: int, bend: Bend | None = None
) -> Layout:
    """Routers where they stand, their endpoints beside them, looking away from a centre each.

    Args:
        routers, centres: ndarrays, shape (routers, 2)
        bend: As in :class:`Layout`, for routers numbered from 0.
    """
    if not terminals:
        return Layout(routers, bend)
    owners = np.arange(len(routers) * terminals) // terminals
    return with_leaves(Layout(routers, bend), owners, centres[owners], 0.3)


def tiers(sizes: Sequence[int]) -> Layout:
    """One row for each level, the first at the bottom, all rows of the same width."""
    widest = max(sizes)
    rows: list[Points] = []
    for level, size in enumerate(sizes):
        across = (np.arange(size) + 0.5) * widest / max(size, 1)
        rows.append(np.stack([across, np.full(size, 0.35 * widest * level)], axis=1))
    return Layout(np.concatenate(rows))


_TABLE_ORDER = 10_000  # nodes: as in core/router.py, a table of 100 MB
_LINK_BYTES = 80  # ends, kinds and pairing of a link while the wiring is made
_BLOCK = 256  # routers whose heads are looked up together
_PLAIN_ORDER, _PLAIN_PORTS = 1 << 31, 1 << 12
_MOST_KEPT = 1 << 20  # heads

TERMINALS = Parameter(
    "p",
    "int",
    "endpoints per router; 0: the routers themselves; a balanced number when left out",
    low=0,
    default=None,
)


class TerminalFamily(Family):
    """Endpoint i of router s is node s·p + i; the routers follow; ports 0..p-1 lead to endpoints.

    Where not all routers carry endpoints, those that do come first. With p = 0 the routers are the
    endpoints.
    """

    p: int | None
    routers_alike: ClassVar[bool] = False
    """Does a symmetry of the network lead from any router to any other?"""

    @property
    @abstractmethod
    def routers(self) -> int:
        """Number of routers."""

    @property
    @abstractmethod
    def balanced(self) -> int:
        """Endpoints per router when none are asked for."""

    @property
    @abstractmethod
    def router_degree(self) -> int:
        """The most ports of a router that lead to others."""

    @property
    def carriers(self) -> int:
        """Number of routers with endpoints."""
        return self.routers

    @property
    def terminals(self) -> int:
        """Endpoints per router that carries any."""
        return self.balanced if self.p is None else self.p

    @property
    def ends(self) -> int:
        """Number of the first router."""
        return self.carriers * self.terminals

    @property
    def order(self) -> int:
        return self.ends + self.routers

    @property
    def ports(self) -> int:
        return max(self.router_degree + self.terminals, int(self.terminals > 0))

    def switches(self) -> range | None:
        if self.terminals == 0:
            return None
        return range(self.ends, self.order)

    def put(self, table: IntArray, rows: IntArray, carrier: IntArray, values: IntArray) -> None:
        """Write what concerns ports between routers behind those that lead to endpoints."""
        some: IntArray
        for some, first in ((carrier, self.terminals), (~carrier, 0)):
            width = min(values.shape[1], self.ports - first)
            table[rows[some], first : first + width] = values[some, :width]

    def hops(self, between_routers: int) -> int:
        """Diameter, given that of the routers that carry endpoints."""
        return between_routers + 2 * (self.terminals > 0)

    def symmetry(self) -> Symmetry | None:
        if not self.routers_alike:
            return super().symmetry()
        if self.terminals == 0:
            return Symmetry.of_transitive(self.order)
        return Symmetry((0, self.ends), (self.ends, self.routers))

    def router(self, network: Network) -> Router | None:
        return SpreadTableRouter(network) if self.order <= _TABLE_ORDER else None

    @classmethod
    def shapes(cls, ports: int, routers: int) -> Iterable[TerminalFamily]:
        """Members with p = 0, at most so many ports and routers."""
        return ()

    @classmethod
    def candidates(cls, requirement: Requirement) -> Iterable[TerminalFamily]:
        """The shapes that are worth a look for this requirement."""
        return cls.shapes(requirement.ports, requirement.high)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Every shape with as many endpoints at a router as its other ports leave room for.

        For a switched machine: the balanced members, then the fewest routers that may carry what
        is asked for.
        """
        others: list[tuple[int, int, str]] = []
        balanced: list[tuple[int, int, str]] = []
        switched = requirement.throughput is not None
        for shape in cls.candidates(requirement):
            for p in shape.concentrations(requirement, shape.router_degree):
                size = shape.carriers * max(p, 1)
                rank = shape.routers if switched else abs(size - requirement.nodes)
                one = (rank, size if switched else shape.routers, shape.named(p))
                (balanced if switched and p == shape.balanced else others).append(one)
        first = sorted(set(balanced))[: requirement.most // 2]
        yield from (spec for _, _, spec in [*first, *sorted(set(others))][: requirement.most])

    def named(self, p: int) -> str:
        """The spec of the same routers with so many endpoints each."""
        given = {q.name: getattr(self, q.name) for q in self.parameters}
        return type(self)(**(given | {"p": p})).spec

    def concentrations(self, requirement: Requirement, degree: int) -> list[int]:
        """Endpoints per router that fit: all, or those worth a look in a switched machine."""
        room = range(requirement.ports - degree + 1)
        fitting = [p for p in room if requirement.fits(self.carriers * max(p, 1))]
        if requirement.throughput is None:
            return fitting
        least = [p for p in fitting if p and requirement.carries(self.routers, degree, p)][:1]
        balanced = [self.balanced] if self.balanced in fitting else []
        return sorted({*least, *balanced})


class RouterFamily(TerminalFamily, ListedFamily):
    """Routers with terminals whose links are listed."""

    @abstractmethod
    def router_links(self) -> tuple[IntArray, IntArray]:
        """Links between routers, numbered from 0."""

    @cached_property
    def _wires(self) -> tuple[IntArray, IntArray]:
        links = self.facts().links or 0
        require_memory(_LINK_BYTES * links, f"the wiring of {self.spec}")
        tails, heads = self.router_links()
        endpoints = np.arange(self.ends)
        owner = endpoints // max(self.terminals, 1) + self.ends
        return (
            np.concatenate([endpoints, tails + self.ends]).astype(np.int64),
            np.concatenate([owner, heads + self.ends]).astype(np.int64),
        )

    def links(self) -> tuple[IntArray, IntArray]:
        return self._wires


class FormulaFamily(TerminalFamily):
    """Routers with terminals whose neighbours are a formula."""

    @abstractmethod
    def router_neighbours(self, routers: IntArray) -> IntArray:
        """Whom the ports between routers lead to: routers from 0 in and out, -1: not wired."""

    def neighbours(self, nodes: IntArray) -> IntArray:
        p, ends = self.terminals, self.ends
        out = np.full((len(nodes), self.ports), -1, dtype=nodes.dtype)
        if p:
            is_end = nodes < ends
            out[is_end, 0] = ends + nodes[is_end] // p
        here = np.flatnonzero(nodes >= ends)
        router = nodes[here] - ends
        carrier = router < self.carriers
        if p:
            out[here[carrier], :p] = router[carrier][:, None] * p + np.arange(p)
        beyond = self.router_neighbours(router)
        self.put(out, here, carrier, np.where(beyond >= 0, beyond + ends, -1))
        return out


class OwnedRouter(FamilyRouter[TerminalFamily]):
    """A router of a :class:`TerminalFamily`: endpoints are as far as their routers, and one hop.

    Subclasses say how far it is from router to router (numbered from 0).
    """

    @abstractmethod
    def router_distances(self, at: IntArray, to: IntArray) -> IntArray:
        """Hops from router to router."""

    def _owners(self, nodes: IntArray) -> tuple[IntArray, IntArray]:
        """Is it an endpoint, and the router that it hangs on (or is)?"""
        ends, p = self._family.ends, max(self._family.terminals, 1)
        is_end = nodes < ends
        owners = np.where(is_end, nodes // p, nodes - ends)
        return is_end, owners.astype(node_dtype(self._family.routers))

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        (end_a, a), (end_b, b) = self._owners(at), self._owners(to)
        between = np.where(a == b, 0, self.router_distances(a, b))
        out = between + end_a.astype(np.int64) + end_b.astype(np.int64)
        return np.where(at == to, 0, out).astype(np.int64)

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        return pick(self.shortest_ports(at, to), spread(at, to))


class TerminalRouter(OwnedRouter):
    """One that also knows the ports between routers by a formula.

    `choice` is a number for each pair that chooses among ports alike.
    """

    def __init__(self, network: Network, family: TerminalFamily) -> None:
        super().__init__(network, family)
        self._kept: dict[int, list[list[int]]] = {}
        self._shape = family.terminals, family.ends, family.carriers
        # beyond, numbers that choose overflow in arrays, or rows are long
        self._plain = family.order <= _PLAIN_ORDER and family.ports <= _PLAIN_PORTS

    @abstractmethod
    def router_ports(self, at: IntArray, to: IntArray, choice: IntArray) -> IntArray:
        """The port between routers to leave by, counted from 0; anything on arrival."""

    @abstractmethod
    def router_port(self, at: int, to: int, choice: int) -> int:
        """The same for one pair of different routers."""

    @abstractmethod
    def router_masks(self, at: IntArray, to: IntArray) -> IntArray:
        """All ports between routers that begin a route: bool[m, router_degree]."""

    def trace(self, at: int, to: int) -> tuple[list[int], list[int]]:
        if not self._plain:
            return super().trace(at, to)
        p, ends, carriers = self._shape
        nodes: list[int] = [at]
        ports: list[int] = []
        if at == to:
            return nodes, ports
        goal = to // p if to < ends else to - ends
        if at < ends:
            at = ends + at // p
            nodes.append(at)
            ports.append(0)
        while (a := at - ends) != goal:
            port = self.router_port(a, goal, spread(at, to)) + (p if a < carriers else 0)
            at = self._heads_of(a)[port]
            nodes.append(at)
            ports.append(port)
            self._require_progress(ports)
        if at != to:
            nodes.append(to)
            ports.append(to % p)
        return nodes, ports

    def _heads_of(self, router: int) -> list[int]:
        """Whom its ports lead to; kept by blocks, a single question takes as long as many."""
        block = router // _BLOCK
        if block not in self._kept:
            ends, last = self._family.ends, self._family.order
            first = ends + block * _BLOCK
            nodes = np.arange(first, min(first + _BLOCK, last), dtype=node_dtype(last))
            if len(self._kept) * _BLOCK * self._family.ports > _MOST_KEPT:
                self._kept.clear()
            self._kept[block] = self.network.rows(nodes).tolist()
        return self._kept[block][router % _BLOCK]

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        p = self._family.terminals
        (end_a, a), (end_b, b) = self._owners(at), self._owners(to)
        kind = node_dtype(self._family.ports)
        first = (a < self._family.carriers).astype(kind) * p
        choice = spread(at, to).astype(np.int64)
        ports = first + self.router_ports(a, b, choice).astype(kind)
        arrived = np.where(end_b, (to % max(p, 1)).astype(kind), -1)
        out = np.where(a == b, arrived, ports)
        return np.where(at == to, -1, np.where(end_a, 0, out))

    def shortest_ports(self, at: IntArray, to: IntArray) -> IntArray:
        p = self._family.terminals
        (end_a, a), (end_b, b) = self._owners(at), self._owners(to)
        require_memory(len(at) * self._family.ports, f"all ports of routers of {self.network.spec}")
        mask = np.zeros((len(at), self._family.ports), dtype=bool)
        there = np.flatnonzero(~end_a & (a != b))
        carrier = a[there] < self._family.carriers
        self._family.put(mask, there, carrier, self.router_masks(a[there], b[there]))
        if p:
            mask[:, 0] |= (end_a & (at != to)).astype(bool)
            last = np.flatnonzero(~end_a & end_b & (a == b))
            mask[last, (to[last] % p).astype(np.int64)] = True
        return mask


class SpreadTableRouter(TableRouter):
    """Shortest routes from a table; where several ports will do, a hash of the pair chooses."""

    name = "spread table"

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        return pick(self.shortest_ports(at, to), spread(at, to))

    def _nearer(self, seen: tuple[int, ...], left: int, at: int, to: int) -> int:
        if seen.count(left) == 1:
            return seen.index(left)
        ports = [port for port, hops in enumerate(seen) if hops == left]
        return ports[spread(at, to) % len(ports)]
