"""The machine of chapter 6: supernodes with c crossbars, w disjoint ways between any two.

Routers that cross between supernodes once, by any of the ways, or twice, over a supernode that is
taken by lot (L. G. Valiant, 1982).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Parameter, integers
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement
from hopscape.core.router import Router, spread
from hopscape.papers.blockdesign.shared_crossbars import SharedCrossbars
from hopscape.papers.blockdesign.sharing import MOST_CROSSBARS, MOST_RADIX, sharings
from hopscape.papers.blockdesign.two_level import TwoLevel

__all__ = ["CrossbarMachine", "WaysRouter"]


class CrossbarMachine(TwoLevel):
    """``two_level`` with crossbars between the supernodes, shared as ``shared_crossbars`` says.

    Port t of a supernode is served by its endpoint t mod K, so that with crossbars of as many ports
    as a supernode has endpoints every endpoint has one port for each crossbar of its supernode.
    """

    name = "crossbar_machine"
    summary = "supernodes joined by crossbars: c for each, any two supernodes meet in w of them"
    parameters = (
        Parameter("supernode", "network", "the network inside a supernode"),
        *integers(n=("supernodes", 3)),
        Parameter(
            "crossbars", "int", "crossbars for each supernode", low=1, high=MOST_CROSSBARS,
            default=1,
        ),
        Parameter(
            "ways", "int", "crossbars in which two supernodes meet", low=1, high=MOST_CROSSBARS,
            default=1,
        ),
        Parameter(
            "radix", "int", "ports of a crossbar; 0: as many as a supernode has endpoints",
            low=0, high=MOST_RADIX, default=0,
        ),
        Parameter(
            "group", "int", "endpoints whose links are a kind of their own; 0: no groups",
            low=0, default=0,
        ),
        Parameter("lanes", "ints", "an endpoint's outer links by kind", low=1, default=()),
        Parameter("speeds", "ints", "speed of each kind, in a common unit", low=1, default=()),
    )  # fmt: skip
    example = "crossbar_machine(complete(3), 13, crossbars=2)"

    def __init__(
        self,
        supernode: Network,
        n: int,
        crossbars: int = 1,
        ways: int = 1,
        radix: int = 0,
        group: int = 0,
        lanes: Sequence[int] = (),
        speeds: Sequence[int] = (),
    ) -> None:
        m = radix or supernode.endpoint_count
        if not radix and not 2 <= m <= MOST_RADIX:
            raise ArgumentError(
                f"{supernode.spec} has {m} endpoints, and a crossbar from 2 to {MOST_RADIX} ports:"
                " give a radix"
            )
        if radix == 1:
            raise ArgumentError(f"radix is 1; it must be 0, or from 2 to {MOST_RADIX}")
        if not supernode.duplex:
            raise ArgumentError(
                f"the links of {supernode.spec} are simplex; crossbar_machine needs duplex ones"
            )
        self.n, self.crossbars, self.ways, self.radix = n, crossbars, ways, radix
        self.shared = SharedCrossbars(n, m, crossbars, ways)
        super().__init__(supernode, Network.of(self.shared), 1, group, lanes, speeds)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Complete supernodes with one to four crossbars, the fewest ports first."""
        candidates: list[tuple[int, int, str]] = []
        for crossbars, ways in ((1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (4, 2)):
            for size in range(3, min(requirement.ports - crossbars + 1, MOST_RADIX) + 1):
                ports = size - 1 + crossbars
                wanted = round(requirement.nodes / size)
                if wanted <= size or wanted * ways > crossbars * size * size:
                    continue
                for sharing in sharings(size, crossbars, ways):
                    nodes = sharing.points * size
                    if requirement.fits(nodes) and sharing.points > size:
                        text = f"{cls.name}(complete({size}), {sharing.points}"
                        text += f", crossbars={crossbars}" if crossbars > 1 else ""
                        text += f", ways={ways})" if ways > 1 else ")"
                        candidates.append((ports, abs(nodes - requirement.nodes), text))
        yield from (spec for _, _, spec in sorted(candidates)[:3])

    def named_routers(self) -> Mapping[str, Callable[[Network], Router]]:
        """By every way between two supernodes, and over a third one."""
        return {
            "ways": lambda network: WaysRouter(network, self),
            "valiant": lambda network: WaysRouter(network, self, over=True),
        }

    @cached_property
    def crossings(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Of every port of a supernode: its place, its node's port, its crossbar, the port there.

        The first two are int64[ports]; crossbars and their ports int64[supernodes, ports], -1 where
        nothing is wired.
        """
        crossbar, seat = self.shared.seats
        port = np.arange(crossbar.shape[1])
        own = self.supernode.ports + port // self.size
        return port % self.size, own, crossbar, seat


class WaysRouter(Router):
    """Routes inside a supernode to a port, through a crossbar, and on inside the next supernode.

    By default one crossing, by one of the w ways; with `over`, two, by way of a supernode that is
    any of all N, the first and the last too (then there is one crossing only). A hash of the pair
    chooses; :meth:`multipath` shares the traffic out evenly. Nodes that are no endpoints have the
    shortest routes of the machine.
    """

    exact = False
    chained = False

    network: Network

    def __init__(self, network: Network, family: CrossbarMachine, *, over: bool = False) -> None:
        super().__init__(network)
        self.name = "valiant" if over else "ways"
        self._family, self._over = family, over

    @cached_property
    def _shortest(self) -> Router:
        router = self._family.router(self.network)
        assert router is not None
        return router

    @cached_property
    def _local(self) -> Router:
        return self._family.supernode.router()

    def ranks(self) -> IntArray:
        """To a switch of a supernode, from there to a node, to a crossbar, and from it."""
        family, network = self._family, self.network
        tails, heads = network.tails.astype(np.int64), network.heads.astype(np.int64)
        inner = (heads >= family.ends) & (heads < family.first_outer)
        out = np.where(inner, 0, 1)
        out[heads >= family.first_outer] = 2
        out[tails >= family.first_outer] = 3
        return out

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        return np.asarray((self.walk(at, to)[1] >= 0).sum(axis=1))

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        ports = self.walk(at, to)[1]
        return ports[:, 0] if ports.shape[1] else np.full(len(at), -1, dtype=np.int64)

    def walk(self, at: IntArray, to: IntArray) -> tuple[IntArray, IntArray]:
        luck = spread(at, to)
        middle = luck % self._family.count if self._over else None
        return self._routes(at, to, middle, luck // 7, luck // 3)

    def multipath(self, at: IntArray, to: IntArray) -> Iterator[tuple[Floats, IntArray, IntArray]]:
        family = self._family
        if not self._over:
            here, there = at // family.size, to // family.size
            ways = self._count(at, to, here, there)
            for way in range(int(ways.max(initial=1))):
                chosen = np.full(len(at), way)
                share = np.where(way < ways, 1 / ways, 0.0)
                yield share, *self._routes(at, to, None, chosen, chosen)
            return
        crossed = self._inside(at, to) & (at // family.size != to // family.size)
        for middle in range(family.count):
            over = np.full(len(at), middle)
            first = self._count(at, to, at // family.size, over)
            second = self._count(at, to, over, to // family.size)
            part = np.where(crossed, 1 / family.count, float(middle == 0))
            for i in range(int(first.max(initial=1))):
                for j in range(int(second.max(initial=1))):
                    share = np.where((i < first) & (j < second), part / (first * second), 0.0)
                    both = np.full(len(at), i), np.full(len(at), j)
                    yield share, *self._routes(at, to, over, *both)

    def _inside(self, at: IntArray, to: IntArray) -> IntArray:
        """bool[pairs]: pairs of endpoints, which are routed here."""
        ends = self._family.ends
        return (at < ends) & (to < ends)

    def _count(self, at: IntArray, to: IntArray, here: IntArray, there: IntArray) -> IntArray:
        """Ways from supernode to supernode; 1 where no crossing is needed."""
        chosen = self._inside(at, to) & (at // self._family.size != to // self._family.size)
        out = np.ones(len(at), dtype=np.int64)
        pairs = np.nonzero(chosen & (here != there))[0]
        shared = self._family.shared.shared(here[pairs], there[pairs])
        out[pairs] = shared.sum(axis=1)
        return out

    def _routes(
        self, at: IntArray, to: IntArray, middle: IntArray | None, first: IntArray,
        second: IntArray,
    ) -> tuple[IntArray, IntArray]:  # fmt: skip
        """Nodes and ports, by way number `first`, and `second` after a supernode in the middle."""
        size = self._family.size
        nodes, ports = [], []
        inside = self._inside(at, to)
        pairs = np.nonzero(inside)[0]
        here, goal = at[pairs], to[pairs]
        crossed = here // size != goal // size
        legs: list[tuple[IntArray, IntArray, IntArray]] = []
        if middle is not None:
            on = np.where(crossed, middle[pairs], here // size)
            here = self._cross(pairs, here, on, first[pairs], legs)
        here = self._cross(pairs, here, goal // size, second[pairs], legs)
        self._step_inside(pairs, here, goal, legs)
        others = np.nonzero(~inside)[0]
        if len(others):
            walked = self._shortest.walk(at[others], to[others])
            legs.append((others, walked[0][:, 1:], walked[1]))
        for rows, visited, taken in legs:
            wide = np.full((2, len(at), taken.shape[1]), -1, dtype=np.int64)
            wide[0, rows], wide[1, rows] = visited, taken
            nodes.append(wide[0])
            ports.append(wide[1])
        every, left = np.concatenate(nodes, axis=1), np.concatenate(ports, axis=1)
        order = np.argsort(left < 0, axis=1, kind="stable")
        longest = int((left >= 0).sum(axis=1).max(initial=0))
        order = order[:, :longest]
        every, left = np.take_along_axis(every, order, 1), np.take_along_axis(left, order, 1)
        return np.concatenate([at[:, None], every], axis=1), left

    def _step_inside(
        self, rows: IntArray, at: IntArray, to: IntArray,
        legs: list[tuple[IntArray, IntArray, IntArray]],
    ) -> None:  # fmt: skip
        """A leg inside supernodes, added to the others."""
        family = self._family
        group = at // family.size
        locals_ = family.locals
        nodes, ports = self._local.walk(locals_[at % family.size], locals_[to % family.size])
        place = family.places[np.maximum(nodes[:, 1:], 0)]
        moved = np.where(nodes[:, 1:] >= 0, family.node_at(group[:, None], place), -1)
        legs.append((rows, moved, ports))

    def _cross(
        self, rows: IntArray, at: IntArray, there: IntArray, way: IntArray,
        legs: list[tuple[IntArray, IntArray, IntArray]],
    ) -> IntArray:  # fmt: skip
        """Legs to a port, and through its crossbar into a supernode: the nodes where they end."""
        family = self._family
        place, own, crossbar, seat = family.crossings
        here = at // family.size
        moving = np.nonzero(here != there)[0]
        a, b = here[moving], there[moving]
        shared = family.shared.shared(a, b)
        rank = way[moving] % shared.sum(axis=1) + 1
        port = ((np.cumsum(shared, axis=1) == rank[:, None]) & shared).argmax(axis=1)
        block = crossbar[a, port]
        enter = family.shared.port_at[b, block].astype(np.int64)
        leave_node = a * family.size + place[port]
        enter_node = b * family.size + place[enter]
        self._step_inside(rows[moving], at[moving], leave_node, legs)
        through = np.stack([block + family.first_outer, enter_node], axis=1)
        legs.append((rows[moving], through, np.stack([own[port], seat[b, enter]], axis=1)))
        out = at.copy()
        out[moving] = enter_node
        return out
