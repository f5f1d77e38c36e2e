"""Router: how to get there, port by port.

A router answers for one node or for whole arrays. The family's own routers are closed formulas;
:class:`TableRouter` and :class:`SearchRouter` serve every other network.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import cache, cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, runtime_checkable

import numpy as np

from hopscape.core.addresses import node_dtype
from hopscape.core.arrays import Floats, IntArray, NoWay
from hopscape.core.distances import PairSearch, distance_rows, distances_to, signed_distances
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.measured import How
from hopscape.core.plugins import load_plugin, plugin_entries
from hopscape.core.processes import require_memory
from hopscape.core.wired import NodeLike, Wired

if TYPE_CHECKING:
    from hopscape.core.formula import Value

__all__ = [
    "FamilyRouter",
    "Guide",
    "Route",
    "Router",
    "SearchRouter",
    "TableRouter",
    "choose_router",
    "pick",
    "spread",
]


_TABLE_ORDER = 10_000  # nodes: a table of 100 MB; beyond, distances are searched for
_CACHED_TARGETS = 64  # distances to as many targets are kept; a table pays where more are asked for
# nodes up to which rows of next ports are kept: 690 -> 5,900 routes a second on dragonfly(8, 4)
_ROWS_ORDER = 4096
_SMALL = 1024  # nodes up to which a plain search ends before the compiler is imported
_LEGS_ORDER = 128  # nodes of a factor whose routes are all kept: 16,384 lists at most
_MANY_SOURCES = 64  # searches from both ends cost about as much as one over the whole network
_MOST_ENTRIES = 1 << 20  # ports of nodes that are looked at together
_LONG_ROUTE = 1_000_000  # hops: 80 MB as lists; shorter routes need no look at the memory


F = TypeVar("F")

_ONE = (int, np.integer, str, tuple)
"""What names a single node."""
_KINDS = ("auto", "closed", "table", "search")


@dataclass(frozen=True)
class Route:
    """One way through the network: the nodes on it and the ports taken."""

    path: tuple[int, ...]
    ports: tuple[int, ...]

    @property
    def length(self) -> int:
        """Number of hops."""
        return len(self.ports)


class Router(ABC):
    """Answers where to go next and how far it is.

    Subclasses give :meth:`distances` and :meth:`next_ports` for arrays of node numbers that are in
    range; everything else follows from these two.

    Attributes:
        name: What kind of router it is.
        exact: Are all its routes shortest?
        table_bytes: Memory that grows with the network (0 for a closed form).
        chained: Does every route go on, from each node on it, like the route that begins there?
            Then a table by destination holds it; otherwise the source decides (:meth:`multipath`).
        cyclic: Sides of the box of addresses where the difference of two addresses, modulo the
            sides, decides on the port, and leads on by it; empty where it does not.
    """

    name: str = "router"
    exact: bool = True
    table_bytes: int = 0
    chained: bool = True
    cyclic: tuple[int, ...] = ()

    def __init__(self, network: Wired) -> None:
        self.network = network
        self._next: dict[int, memoryview] = {}
        self._heads: list[list[int]] = []
        self._legs_kept: dict[tuple[int, int], tuple[list[int], list[int]]] = {}

    def __repr__(self) -> str:
        routes = "shortest routes" if self.exact else "routes that may be longer than the shortest"
        return f"<Router {self.name} of {self.network.spec}: {routes}>"

    @abstractmethod
    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        """Lengths of the routes; -1 where there is none."""

    @abstractmethod
    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        """The port to leave by; -1 on arrival or where there is no path."""

    def shortest_ports(self, at: IntArray, to: IntArray) -> IntArray:
        """All ports that begin a shortest path: bool[m, ports]."""
        rows = self.network.rows(at)
        wired = rows >= 0
        here = self.distances(at, to)
        if not wired.all():  # endpoints have far fewer ports than switches
            node, port = np.nonzero(wired)
            left = self.distances(rows[node, port], to[node])
            mask: IntArray = np.zeros(rows.shape, dtype=bool)
            mask[node, port] = (left >= 0) & (left == here[node] - 1)
            return mask
        target = np.broadcast_to(to[:, None], rows.shape)
        left = self.distances(rows.ravel(), target.ravel()).reshape(rows.shape)
        shorter: IntArray = (left >= 0) & (left == here[:, None] - 1)
        return shorter

    def uniform_loads(self, seed: int = 0) -> tuple[Floats, How] | None:
        """Load of every channel when each endpoint sends 1 evenly to all others, and how known.

        None when there is no better way than to follow the routes one by one.
        """
        return None

    def multipath(self, at: IntArray, to: IntArray) -> Iterator[tuple[Floats, IntArray, IntArray]]:
        """All routes that the traffic of each pair is shared out among.

        Yields:
            shares, nodes, ports: One route of every pair: its share, and what :meth:`walk` returns.
                The shares of a pair add up to 1 over all that is yielded; a route of share 0 may be
                anything.
        """
        nodes, ports = self.walk(at, to)
        yield np.ones(len(at)), nodes, ports

    def shared_routes(self, a: NodeLike, b: NodeLike) -> list[tuple[float, Route]]:
        """The routes that the traffic from a to b is shared out among, each with its share.

        Examples:
            >>> import hopscape
            >>> router = hopscape.build("multiring(7, 1, 2)").router("balanced-rings")
            >>> [(share, route.path) for share, route in router.shared_routes(0, 3)]
            [(0.6, (0, 5, 3)), (0.4, (0, 1, 2, 3))]
        """
        kind = node_dtype(self.network.order)
        at = np.asarray([self.network.node(a)], dtype=kind)
        to = np.asarray([self.network.node(b)], dtype=kind)
        routes = []
        for shares, nodes, ports in self.multipath(at, to):
            taken = tuple(int(p) for p in ports[0] if p >= 0)
            if shares[0] > 0 and taken:
                path = tuple(int(v) for v in nodes[0][: len(taken) + 1])
                routes.append((float(shares[0]), Route(path, taken)))
        return routes

    def rings(self) -> IntArray | None:
        """Rings that routes run round without a turn: int64[channels], or None when not known.

        Asked of routers whose routes are not chained, for datelines.
        """
        return None

    def gates(self) -> IntArray | None:
        """Channels from which on a packet is in its second class: bool[channels], or None.

        Asked of routers whose routes are not chained and follow no rings.
        """
        return None

    def ranks(self) -> IntArray | None:
        """Ranks of channels by which routes rise, but for a few falls: int64[channels], or None.

        Asked of routers whose routes are not chained, follow no rings and have no gates: a packet
        changes its class of virtual channels at every fall, and at every hop where no ranks are
        known.
        """
        return None

    def goal_keys(self) -> tuple[IntArray, IntArray] | None:
        """What tells endpoints with one line each apart, as goals; None when that is not known.

        Returns:
            aside (uint8[order]), keys (int64[2, order]): The port of a switch v towards an endpoint
                e at another switch depends on ``keys[aside[v], e]`` only.
        """
        return None

    @property
    def turn(self) -> int:
        """Switch s + turn sends to key k + turn by the port by which s sends to k, modulo all.

        For routers whose :meth:`goal_keys` are switches, of which every one has endpoints; 0 where
        that is not so.
        """
        return 0

    def formula(self, at: Value, to: Value) -> Value:
        """What :meth:`next_ports` computes, as a formula that can be printed as code.

        Closed forms give their own; by default all ports stand in a table.

        Raises:
            TooLargeError: When the table would be too large.
        """
        from hopscape.core.formula import table_formula

        return table_formula(self.network, self.next_ports, at, to)

    # -- for people: numbers, addresses, texts, lists and arrays -----------------------------

    def distance(self, a: NodeLike | IntArray, b: NodeLike | IntArray) -> Any:
        """Length of the route from a to b (-1 when there is none).

        Examples:
            >>> import hopscape
            >>> router = hopscape.build("torus(8, 8)").router()
            >>> router.distance(0, (4, 4)), router.distance([0, 1], 63).tolist()
            (8, [2, 3])
        """
        at, to, scalar, shape = self._pairs(a, b)
        hops = self.distances(at, to)
        return int(hops[0]) if scalar else hops.reshape(shape)

    def next_port(self, a: NodeLike | IntArray, b: NodeLike | IntArray) -> Any:
        """The port by which to leave a on the way to b; -1 on arrival."""
        at, to, scalar, shape = self._pairs(a, b)
        ports = self.next_ports(at, to)
        return int(ports[0]) if scalar else ports.reshape(shape)

    def all_ports(self, a: NodeLike, b: NodeLike) -> tuple[int, ...]:
        """All ports of a that begin a shortest path to b."""
        at, to, _, _ = self._pairs(a, b)
        return tuple(int(p) for p in np.nonzero(self.shortest_ports(at, to)[0])[0])

    def path(self, a: NodeLike | IntArray, b: NodeLike | IntArray) -> Any:
        """The nodes on the route from a to b.

        Returns:
            list of int, or ndarray of shape (..., longest + 1): Rows of an array are filled up with
                -1.

        Raises:
            DisconnectedError: When there is no route.
        """
        if isinstance(a, _ONE) and isinstance(b, _ONE):
            return self.trace(self.network.node(a), self.network.node(b))[0]
        at, to, _, shape = self._pairs(a, b)
        nodes, _ = self.walk(at, to)
        return nodes.reshape(*shape, nodes.shape[1])

    def route(self, a: NodeLike, b: NodeLike) -> Route:
        """The route from a to b with the ports taken."""
        nodes, ports = self.trace(self.network.node(a), self.network.node(b))
        return Route(tuple(nodes), tuple(ports))

    def trace(self, at: int, to: int) -> tuple[list[int], list[int]]:
        """Nodes and ports of one route: the row that :meth:`walk` gives for this pair.

        Arrays of one entry are slow. So small networks keep, for each target, the next port of
        every node; routers of large ones give their own `trace` where they have a formula.
        """
        own = type(self)
        if own.walk is not Router.walk or own._ports_from is not Router._ports_from:  # no chains
            kind = node_dtype(self.network.order)
            rows = self.walk(np.asarray([at], dtype=kind), np.asarray([to], dtype=kind))
            return [int(v) for v in rows[0][0]], [int(p) for p in rows[1][0]]
        return self._trace_by_ports(at, to)

    def _trace_by_ports(self, at: int, to: int) -> tuple[list[int], list[int]]:
        """One route, from next port to next port."""
        small = self.network.order <= _ROWS_ORDER and self._row_entries <= _MOST_ENTRIES
        step = self._kept_step if small else self._step
        if self.network.order > _LONG_ROUTE:
            self._require_route(self.distance(at, to))
        nodes: list[int] = [at]
        ports: list[int] = []
        while at != to:
            port, at = step(at, to)
            if at < 0:
                raise self._lost(nodes[0], to, port)
            nodes.append(at)
            ports.append(port)
            self._require_progress(ports)
        return nodes, ports

    def leg(self, at: int, to: int) -> tuple[list[int], list[int]]:
        """What :meth:`trace` returns, kept for small networks: part of many routes, only read."""
        if self.network.order > _LEGS_ORDER:
            return self.trace(at, to)
        leg = self._legs_kept.get((at, to))
        if leg is None:
            leg = self._legs_kept[at, to] = self.trace(at, to)
        return leg

    def _trace_by_difference(
        self, at: int, to: int, first: Sequence[int], after: Sequence[int]
    ) -> tuple[list[int], list[int]]:
        """A route where the difference of two nodes decides on the port.

        Args:
            at, to: With a path between them.
            first: Port by difference.
            after: The difference that is left behind that port (:meth:`_left_after`).
        """
        n = self.network.order
        gap = (to - at) % n
        gaps: list[int] = []
        while gap and len(gaps) <= n:
            gaps.append(gap)
            gap = after[gap]
        self._require_progress(gaps)
        return [(to - gap) % n for gap in gaps] + [to], [first[gap] for gap in gaps]

    def _left_after(self, first: IntArray, moves: Sequence[int]) -> memoryview:
        """By difference, what is left of it behind its first port (-1: it stays).

        Args:
            first: int[order]
            moves: What each port adds to a node number, modulo the order.
        """
        n = self.network.order
        left = (np.arange(n) - np.asarray([*moves, 0])[first]) % n
        return left.astype(np.min_scalar_type(n)).data

    def _require_progress(self, taken: Sized) -> None:
        """Refuse a route with more ports than there are nodes."""
        if len(taken) > self.network.order:
            raise ArgumentError(f"the {self.name} router of {self.network.spec} runs in circles")

    def _require_route(self, hops: int) -> None:
        """Refuse a single route that would not fit, before it is walked."""
        for each in (16, 80) if hops > _LONG_ROUTE else ():  # in arrays, in lists
            require_memory(each * hops, f"a route of up to {hops} hops")

    def _step(self, at: int, to: int) -> tuple[int, int]:
        """The next port and node; -1 where there is none."""
        kind = node_dtype(self.network.order)
        here = np.asarray([at], dtype=kind)
        port = int(self.next_ports(here, np.asarray([to], dtype=kind))[0])
        return port, int(self.network.rows(here)[0, port]) if port >= 0 else -1

    def _kept_step(self, at: int, to: int) -> tuple[int, int]:
        """The same from a list for each target, made when a target is first asked for."""
        if to not in self._next:
            self._keep_rows(to)
        port = self._next[to][at]
        return port, self._heads[at][port] if port >= 0 else -1

    @property
    def _row_entries(self) -> int:
        """Ports of all nodes together: what a question about one target looks at."""
        return max(self.network.order * self.network.ports, 1)

    def _keep_rows(self, to: int) -> None:
        """Rows for a target, and for as many after it as are kept already: few long questions."""
        nodes = np.arange(self.network.order)
        self._heads = self._heads or self.network.rows(nodes).tolist()
        count = min(len(self._next) + 1, _MOST_ENTRIES // self._row_entries)
        following = ((to + i) % len(nodes) for i in range(max(count, 1)))
        wanted = [goal for goal in following if goal not in self._next]
        goals = np.asarray(wanted, dtype=np.int64)
        at, into = np.tile(nodes, len(goals)), np.repeat(goals, len(nodes))
        rows = self.next_ports(at, into).astype(np.int32).reshape(len(goals), -1)
        self._next.update((goal, row.data) for goal, row in zip(wanted, rows, strict=True))

    def _lost(self, at: int, to: int, port: int) -> ArgumentError | DisconnectedError:
        """What to say when the next port is -1, or leads nowhere."""
        if port < 0:
            spec = self.network.spec
            return DisconnectedError(f"there is no route from node {at} to node {to} in {spec}")
        return ArgumentError(
            f"the {self.name} router of {self.network.spec} takes a port that is not wired"
        )

    def walk(self, at: IntArray, to: IntArray) -> tuple[IntArray, IntArray]:
        """Follow the ports: nodes (m, longest + 1) and ports (m, longest), filled up with -1."""
        longest = max(int(self.distances(at, to).max(initial=0)), 0)
        require_memory(16 * len(at) * (longest + 1), f"{len(at)} routes of up to {longest} hops")
        here = at.copy()
        columns: list[IntArray] = [here.copy()]
        ports: list[IntArray] = []
        going = np.nonzero(here != to)[0]
        while len(going):
            port = self._ports_from(at[going], here[going], to[going])
            if (port < 0).any():
                lost = going[port < 0][0]
                raise self._lost(at[lost], to[lost], -1)
            rows = self.network.rows(here[going])
            here[going] = rows[np.arange(len(going)), port.astype(np.int64)]
            if (here[going] < 0).any():
                raise self._lost(-1, -1, 0)
            column = np.full_like(at, -1)
            column[going] = here[going]
            taken = np.full(len(at), -1, dtype=np.int64)
            taken[going] = port
            columns.append(column)
            ports.append(taken)
            going = going[here[going] != to[going]]
            self._require_progress(ports)
        stacked = np.stack(ports, axis=1) if ports else np.empty((len(at), 0), dtype=np.int64)
        return np.stack(columns, axis=1), stacked

    def _ports_from(self, sources: IntArray, at: IntArray, to: IntArray) -> IntArray:
        """Next ports of packets on their way; routes may depend on where they began."""
        return self.next_ports(at, to)

    def _pairs(self, a: Any, b: Any) -> tuple[IntArray, IntArray, bool, tuple[int, ...]]:
        at, first = self.network.resolve(a)
        to, second = self.network.resolve(b)
        if first and second:
            return at, to, True, ()
        left = at.reshape(()) if first else at
        right = to.reshape(()) if second else to
        try:
            at, to = np.broadcast_arrays(left, right)
        except ValueError as error:
            raise ArgumentError(
                f"{left.shape} sources and {right.shape} targets do not pair up"
            ) from error
        return at.ravel(), to.ravel(), False, at.shape


class FamilyRouter(Router, Generic[F]):
    """A router that follows from the definition of a family."""

    def __init__(self, network: Wired, family: F) -> None:
        super().__init__(network)
        self._family = family


class TableRouter(Router):
    """Shortest routes from a table of all distances; fits any network that is not too large.

    One byte per ordered pair for diameters below 255. Ties go to the lowest port.

    The table takes one bit-parallel search from all nodes (channels · diameter · nodes / 64
    operations), a next port O(degree).
    """

    name = "table"

    def __init__(self, network: Wired) -> None:
        super().__init__(network)
        require_memory(network.order**2, f"a routing table of {network.spec}")
        self._table = distance_rows(network, np.arange(network.order), towards=True)
        self._none = NoWay(self._table.dtype).value
        self._near: list[Callable[[Any], tuple[int, ...]]] = []
        self.table_bytes = self._table.nbytes

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        return signed_distances(self._table[to, at])

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        return _first(self.shortest_ports(at, to))

    def trace(self, at: int, to: int) -> tuple[list[int], list[int]]:
        """Walks down the distances to the target, which a row of the table holds."""
        if not _defined_together(type(self)):  # next ports of its own
            return super().trace(at, to)
        if not self._near:
            self._keep_heads()
        row = self._table[to].data
        left = row[at]
        if left == self._none:
            raise self._lost(at, to, -1)
        nodes: list[int] = [at]
        ports: list[int] = []
        while left:
            left -= 1
            port = self._nearer(self._near[at](row), left, at, to)
            at = self._heads[at][port]
            nodes.append(at)
            ports.append(port)
        return nodes, ports

    def _keep_heads(self) -> None:
        """Heads by node and port, and what reads their entries of a row at once.

        A port that is not wired, and one more for nodes of a single port, stands for its node.
        """
        self._heads = self.network.rows(np.arange(self.network.order)).tolist()
        self._near = [
            itemgetter(*(w if w >= 0 else v for w in heads), v, v)
            for v, heads in enumerate(self._heads)
        ]

    def _nearer(self, seen: tuple[int, ...], left: int, at: int, to: int) -> int:
        """The next port, from the hops that are left after each: the first with so many."""
        return seen.index(left)


@cache
def _defined_together(kind: type[TableRouter]) -> bool:
    """Does the class that defines the next ports for arrays define those for one pair?"""
    return next("_nearer" in c.__dict__ for c in kind.__mro__ if "next_ports" in c.__dict__)


class SearchRouter(Router):
    """Shortest routes by searches in the built network; ties go to the lowest port.

    A pair whose target few others share is searched for from both ends
    (:class:`~hopscape.core.distances.PairSearch`); targets of many have one breadth-first search
    each, and the latest ones are kept.
    """

    name = "search"
    _spreads = False
    """Does a hash of node and target pick among ports alike, instead of the lowest?"""

    def __init__(self, network: Wired) -> None:
        super().__init__(network)
        self._kept: OrderedDict[int, IntArray] = OrderedDict()

    @cached_property
    def _pair_search(self) -> PairSearch:
        return PairSearch(self.network, spread=self._spreads)

    def _shared(self, to: IntArray) -> IntArray:
        """Which pairs are answered by a search from their target."""
        if self.network.order <= _SMALL:  # importing the compiler takes longer
            return np.ones(len(to), dtype=bool)
        targets, inverse, often = np.unique(to, return_inverse=True, return_counts=True)
        shared = (often >= _MANY_SOURCES) | np.isin(targets, list(self._kept))
        return shared[inverse]

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        out = np.empty(len(at), dtype=np.int64)
        shared = self._shared(to)
        if not shared.all():
            out[~shared] = self._pair_search.paths(at[~shared], to[~shared])[0]
        for target in np.unique(to[shared]):
            chosen = shared & (to == target)
            out[chosen] = self._to(int(target))[at[chosen]]
        return out

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        out = np.empty(len(at), dtype=np.int64)
        shared = self._shared(to)
        mask = self.shortest_ports(at[shared], to[shared])
        digit = spread(at[shared], to[shared]) if self._spreads else None
        out[shared] = _first(mask) if digit is None else pick(mask, digit)
        single = np.nonzero(~shared)[0]
        if len(single):
            hops, channels = self._pair_search.paths(at[single], to[single])
            taken = np.maximum(hops, 0)
            out[single] = -1
            moving = taken > 0
            first = (np.cumsum(taken) - taken)[moving]
            out[single[moving]] = self.network.port_of(channels[first])
        return out

    def shortest_ports(self, at: IntArray, to: IntArray) -> IntArray:
        rows = self.network.rows(at)
        mask: IntArray = np.zeros(rows.shape, dtype=bool)
        for target in np.unique(to):
            chosen = to == target
            hops, heads = self._to(int(target)), rows[chosen]
            left = np.where(heads >= 0, hops[heads], -1)
            mask[chosen] = (left >= 0) & (left == hops[at[chosen]][:, None] - 1)
        return mask

    def trace(self, at: int, to: int) -> tuple[list[int], list[int]]:
        if self.network.order <= _SMALL:
            return self._trace_by_ports(at, to)
        hops, channels = self._pair_search.paths(np.asarray([at]), np.asarray([to]))
        if hops[0] < 0:
            raise self._lost(at, to, -1)
        self._require_route(len(channels))
        heads = self.network.heads[channels].tolist()
        return [at, *heads], self.network.port_of(channels).tolist()

    def walk(self, at: IntArray, to: IntArray) -> tuple[IntArray, IntArray]:
        shared = self._shared(to)
        if shared.all():
            return super().walk(at, to)
        hops, channels = self._pair_search.paths(at, to)
        if (hops < 0).any():
            lost = int(np.argmax(hops < 0))
            raise self._lost(int(at[lost]), int(to[lost]), -1)
        longest = int(hops.max(initial=0))
        require_memory(16 * len(at) * (longest + 1), f"{len(at)} routes of up to {longest} hops")
        nodes = np.full((len(at), longest + 1), -1, dtype=np.int64)
        ports = np.full((len(at), longest), -1, dtype=np.int64)
        row = np.repeat(np.arange(len(at)), hops)
        column = np.arange(len(channels)) - np.repeat(np.cumsum(hops) - hops, hops)
        nodes[:, 0] = at
        nodes[row, column + 1] = self.network.heads[channels]
        ports[row, column] = self.network.port_of(channels)
        return nodes, ports

    def _to(self, target: int) -> IntArray:
        if target not in self._kept:
            self._keep(target, distances_to(self.network, target))
        self._kept.move_to_end(target)
        return self._kept[target]

    def _keep(self, target: int, distances: IntArray) -> None:
        self._kept[target] = distances
        if len(self._kept) > _CACHED_TARGETS:
            self._kept.popitem(last=False)


class Guide(ABC):
    """What a search around dead parts knows of the whole network, for one target.

    A family may have its own (:meth:`~hopscape.core.network.RoutedStructure.guide`).

    Attributes:
        network, target: What is searched, and where to.
    """

    def __init__(self, network: Wired, target: int) -> None:
        self.network, self.target = network, target

    @abstractmethod
    def distance(self, node: int) -> int:
        """Hops from a node to the target with nothing dead; -1 when there is no path."""

    @abstractmethod
    def exits(self, node: int) -> Iterable[tuple[int, int, int, int]]:
        """Wired ports of a node.

        Yields:
            port, head, left, rank: `left` is at most the distance of the head from the target (-1
                without a path); of two as good the one of lower rank is looked at first.
        """

    @abstractmethod
    def entries(self, node: int) -> Iterable[int] | None:
        """The nodes from which a channel enters a node; None when they are not known."""


def _first(mask: IntArray) -> IntArray:
    """Index of the first True of each row, or -1."""
    if mask.shape[1] == 0:
        return np.full(len(mask), -1, dtype=np.int64)
    return np.where(mask.any(axis=1), mask.argmax(axis=1), -1)


def pick(mask: IntArray, digit: IntArray) -> IntArray:
    """Of the ports allowed in each row, the one that a number chooses; -1 where there is none."""
    if mask.shape[1] == 0:
        return np.full(len(mask), -1, dtype=np.int64)
    count = mask.sum(axis=1)
    rank = digit % np.maximum(count, 1) + 1
    chosen = (np.cumsum(mask, axis=1) == rank[:, None]) & mask
    return np.where(count > 0, chosen.argmax(axis=1), -1)


Nodes = TypeVar("Nodes", int, IntArray)


def spread(at: Nodes, to: Nodes) -> Nodes:
    """A number for each pair that chooses among ports alike; the same pair, the same number."""
    return (to * 2654435761 + at * 40503) // 256 % 65521


@runtime_checkable
class HasRouters(Protocol):
    """What a family answers of its routers, as seen from below."""

    def router(self, network: Any) -> Router | None:
        """A router in closed form, or None."""

    def named_routers(self) -> Mapping[str, Callable[[Any], Router]]:
        """Other routers, by name."""


def choose_router(network: Wired, kind: str = "auto", pairs: int | None = None) -> Router:
    """The router that :meth:`~hopscape.core.network.Network.router` hands out."""
    if pairs is not None and pairs < 0:
        raise ArgumentError(f"pairs is {pairs}; it must be at least 0")
    family = network.family if isinstance(network.family, HasRouters) else None
    named: Mapping[str, Callable[[Any], Router]] = {}
    if family is not None:
        named = family.named_routers()
    packaged = plugin_entries("routings")
    if kind in named:
        return named[kind](network)
    if kind in packaged:
        made: Router = load_plugin(packaged[kind])(network)
        return made
    if kind not in _KINDS:
        names = ", ".join(dict.fromkeys([*_KINDS, *packaged, *named]))
        raise ArgumentError(f"router {kind!r} is unknown; for {network.spec} choose {names}")
    if kind in ("auto", "closed"):
        closed = family.router(network) if family is not None else None
        if closed is not None:
            return closed
        if kind == "closed":
            raise ArgumentError(f"{network.spec} has no router in closed form; use table or search")
    many = pairs is None or pairs > _CACHED_TARGETS  # for a few a search is cheaper than tables
    if kind == "table" or (kind == "auto" and many and network.order <= _TABLE_ORDER):
        return TableRouter(network)
    return SearchRouter(network)
