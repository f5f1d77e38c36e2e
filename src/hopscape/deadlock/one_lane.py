"""Routes without deadlock on one lane, that share the channels evenly.

Routes by destination are free of deadlock when all their dependencies agree with one order of the
channels (Dally and Seitz). Several orders are tried: up*/down* for ranks of nodes by number, by
depth-first search (Sancho and Robles, ISHPC 2000) and by breadth-first search (Schroeder et al.,
Autonet, 1991), and orders that arise when the routes are grown one destination after the other and
only close no cycle (as in Nue; Domke, Hoefler and Matsuoka, HPDC 2016). In each of them routes are
ripped up and laid again where the channels are less busy. The best three are annealed, their orders
with them (:mod:`hopscape.deadlock.lane_search`).

Up*/down* routing: free of deadlock on one virtual channel in any connected duplex network.

M. D. Schroeder et al., "Autonet: a high-speed, self-configuring local area network using
point-to-point links", 1991.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from hopscape.core.arrays import NO_OFFSET, Floats, IntArray
from hopscape.core.distances import distances_from
from hopscape.core.errors import ArgumentError, CheckFailedError, DisconnectedError
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.progress import track
from hopscape.core.router import Router
from hopscape.deadlock.lane_search import annealed_one_lane
from hopscape.deadlock.layers import begin_marks, blank_graph
from hopscape.deadlock.layout import Dependencies, PortTable, Wiring
from hopscape.deadlock.routes import table_of
from hopscape.metrics.route_check import check_ways
from hopscape.metrics.routes import Routes, all_routes

__all__ = ["UpDownRouter", "cyclic_channels", "one_lane_routes"]

# goals times channels laid in all; the rest of passes and orders is left out beyond
_WORK = 10_000_000
_PASSES = 6  # times that all routes are laid anew by the loads of the last; the best pass is kept
_MOST_ORDERS = 10  # orders of the nodes that are tried
# channels up to which orders are also grown turn by turn, which looks at all of them
_GROWN_CHANNELS = 4000
# price of a channel: 1 + 0.2 (load / mean)^4, flat below the mean and steep above it
_DETOUR, _STEEPNESS = 0.2, 4
_NONE: IntArray = np.empty(0, dtype=np.int64)


def one_lane_routes(network: Network, shortest: Routes | None = None, *, seed: int = 0) -> Routes:
    """Routes that cannot deadlock on one lane, with little load on the busiest channel.

    A pass lays the routes to each goal by Dijkstra's algorithm, O(goals · channels log channels);
    memory 8 · nodes² bytes for the routes of an order.

    Args:
        shortest: The shortest routes, if they are known already: the answer where they have no
            cycle.

    Raises:
        ArgumentError: For simplex channels.
        DisconnectedError: When some node cannot be reached.

    Examples:
        >>> import hopscape
        >>> routes = one_lane_routes(hopscape.build("torus(4, 4)"))
        >>> cyclic_channels(routes), routes.longest <= 6
        (0, True)
        >>> one_lane_routes(hopscape.build("hypercube(4)")).exact
        True
    """
    if not network.duplex:
        raise ArgumentError(f"{network.spec} has simplex channels; one lane needs duplex links")
    if network.order and int(distances_from(network, 0).min()) < 0:
        raise DisconnectedError(f"{network.spec} is not connected")
    direct = shortest if shortest is not None else all_routes(network)
    if cyclic_channels(direct) == 0:
        return direct
    routes = _Search(network, seed).best()
    check_ways(network, routes.name, routes.targets, routes.table, exact=False)
    if cyclic_channels(routes):
        raise CheckFailedError(
            f"the one-lane routes of {network.spec} fail their check: channels wait in a circle"
        )
    return routes


def cyclic_channels(routes: Routes) -> int:
    """How many channels can wait for each other in a circle, or for such (0: one lane is enough).

    Examples:
        >>> import hopscape
        >>> cyclic_channels(all_routes(hopscape.build("ring(5)")))
        10
    """
    from hopscape.deadlock.dependency_kernels import collect_plain, cyclic_part

    network, port = routes.network, table_of(routes).port
    ends = begin_marks(network)
    graph = blank_graph(network)
    table = PortTable(network.indptr, network.heads, port, port, routes.targets)
    collect_plain(table, ends, np.flatnonzero(ends[routes.targets]), graph)
    return int(cyclic_part(network.indptr, network.heads, graph, 1).sum())


@dataclass
class _LoadedRoutes:
    """Routes by channel, [to, at], and the load of every channel."""

    out: IntArray
    load: IntArray

    @property
    def price(self) -> tuple[int, int]:
        return int(self.load.max(initial=0)), int(self.load.sum())


class _Search:
    """Tries orders of the channels and keeps the routes with the least load."""

    def __init__(self, network: Network, seed: int) -> None:
        self.network = network
        self.random = np.random.default_rng(seed)
        self.indptr, self.heads, self.tails = (
            np.asarray(x, dtype=np.int64) for x in (network.indptr, network.heads, network.tails)
        )
        self._incoming = network.incoming()._replace(tails=self.tails)
        self.goals = network.endpoints.astype(np.int64)
        self.channels = len(self.heads)
        require_memory(24 * network.order**2, f"the one-lane routes of {network.spec}")

    def best(self) -> Routes:
        work = max(1, len(self.goals) * self.channels)
        runs = max(2, min(_MOST_ORDERS * _PASSES, _WORK // work))
        passes = min(_PASSES, max(1, runs // 4))
        tried = islice(self._orders(), max(1, runs // passes))
        about = f"one-lane routes of {self.network.spec}"
        filled = [self._fill(place, passes) for place in track(list(tried), about)]
        found = sorted((one for one in filled if one is not None), key=lambda one: one.price)
        return annealed_one_lane([self._routes(one) for one in found])

    def _routes(self, one: _LoadedRoutes) -> Routes:
        offsets = np.where(one.out >= 0, one.out - self.indptr[:-1], NO_OFFSET).astype(np.uint8)
        nodes = np.arange(self.network.order, dtype=np.int64)
        return Routes(self.network, "one-lane", offsets, offsets.nbytes, nodes, exact=False)

    # -- orders of the channels -------------------------------------------------------------

    def _orders(self) -> Iterator[IntArray]:
        order = self.network.order
        root = int(np.argmax(self.network.degrees))
        yield self._levels(self._search(root, deep=True))
        numbers = np.arange(order)
        lower = np.minimum.reduceat(self.heads, self.indptr[:-1]) if order else numbers
        if (lower[1:] < numbers[1:]).all():
            yield self._levels(numbers)
        for _ in range(3):
            if self.channels <= _GROWN_CHANNELS:
                grown = self._grown()
                if grown is not None:
                    yield grown
        yield self._levels(self._search(root, deep=False))
        while True:
            yield self._levels(self._search(int(self.random.integers(order)), deep=True))

    def _levels(self, ranks: IntArray) -> IntArray:
        """Places of channels: up to lower ranks first, then down, as ranks go."""
        tails = ranks[self.tails]
        up = ranks[self.heads] < tails
        return np.where(up, self.network.order - tails, self.network.order + 1 + tails)

    def _search(self, root: int, *, deep: bool) -> IntArray:
        """Ranks by depth-first or breadth-first search, neighbours in random order."""
        ranks = np.full(self.network.order, -1, dtype=np.int64)
        waiting, count = [root], 0
        while waiting:
            at = waiting.pop() if deep else waiting.pop(0)
            if ranks[at] >= 0:
                continue
            ranks[at] = count
            count += 1
            beside = self.heads[self.indptr[at] : self.indptr[at + 1]]
            beside = self.random.permutation(beside[ranks[beside] < 0])
            waiting.extend(beside.tolist())
        return ranks

    def _grown(self) -> IntArray | None:
        """An order with which routes agree that were grown one destination after the other."""
        from hopscape.deadlock.layer_kernels import add_dependency
        from hopscape.deadlock.one_lane_kernels import grow_routes, shift_loads

        network, words = self.network, -(-self.channels // 64)
        width = int(network.degrees.max(initial=1))
        graph = np.zeros((self.channels, width), dtype=np.uint8)
        leads = np.zeros((self.channels, words), dtype=np.uint64)
        taken = Dependencies(graph, leads, np.zeros_like(leads))
        load = np.zeros(self.channels, dtype=np.int64)
        for before, after in self._tree_turns(int(self.random.integers(network.order))):
            add_dependency(self._wiring, before, after, taken)
        out = np.empty(network.order, dtype=np.int64)
        for goal in self.random.permutation(self.goals).tolist():
            price = 1.0 + 0.3 * load / max(1.0, float(load.mean()))
            count = grow_routes(
                self._wiring, self._incoming, goal, price, self._noise(), _NONE, taken, out
            )
            if count < network.order:
                return None
            shift_loads(self.heads, out, goal, self.goals, 1, load)
        tails, ports = np.nonzero(graph)
        heads = self.indptr[self.heads[tails]] + ports
        return self._sorted(tails, heads)

    def _tree_turns(self, root: int) -> Iterator[tuple[int, int]]:
        """Dependencies of all ways inside a tree: with these there is always some way."""
        level = distances_from(self.network, root)
        climbs = np.flatnonzero(level[self.heads] == level[self.tails] - 1)
        nodes, first = np.unique(self.tails[climbs], return_index=True)
        up = dict(zip(nodes.tolist(), climbs[first].tolist(), strict=True))
        children: dict[int, list[int]] = {}
        for climb in up.values():
            children.setdefault(int(self.heads[climb]), []).append(climb)
        for node, climbing in children.items():
            falling = [int(self.network.reverse[c]) for c in climbing]
            yield from ((a, b) for a in climbing for b in falling if self.tails[a] != self.heads[b])
            if node in up:
                yield from ((a, up[node]) for a in climbing)
                yield from ((int(self.network.reverse[up[node]]), b) for b in falling)

    def _sorted(self, before: IntArray, after: IntArray) -> IntArray:
        """Places in which every channel of `before` stands before its partner in `after`."""
        waits = np.bincount(after, minlength=self.channels)
        starts = np.searchsorted(before, np.arange(self.channels + 1))
        ready = np.flatnonzero(waits == 0).tolist()
        place = np.empty(self.channels, dtype=np.int64)
        for i in range(self.channels):
            at = ready.pop(int(self.random.integers(len(ready))))
            place[at] = i
            for then in after[starts[at] : starts[at + 1]].tolist():
                waits[then] -= 1
                if waits[then] == 0:
                    ready.append(then)
        return place

    # -- routes in an order -----------------------------------------------------------------

    @cached_property
    def _wiring(self) -> Wiring:
        return Wiring(self.indptr, self.heads)

    def _noise(self) -> Floats:
        return self.random.random(self.channels)

    def _fill(self, place: IntArray, passes: int) -> _LoadedRoutes | None:
        """Routes in one order, laid again and again where the load is least; the best of all."""
        from hopscape.deadlock.one_lane_kernels import shift_loads

        order = self.network.order
        routes = _LoadedRoutes(
            np.full((order, order), -1, dtype=np.int64), np.zeros(self.channels, int)
        )
        for to in range(order):
            first = self._grow(to, np.ones(self.channels), place)
            if first is None:
                return None
            routes.out[to] = first
        for goal in self.goals.tolist():
            shift_loads(self.heads, routes.out[goal], goal, self.goals, 1, routes.load)
        best = _LoadedRoutes(routes.out.copy(), routes.load.copy())
        for _ in range(passes):
            for goal in self.random.permutation(self.goals).tolist():
                shift_loads(self.heads, routes.out[goal], goal, self.goals, -1, routes.load)
                busy = routes.load / max(1.0, float(routes.load.mean()))
                fresh = self._grow(goal, 1.0 + _DETOUR * busy**_STEEPNESS, place)
                if fresh is not None:
                    routes.out[goal] = fresh
                shift_loads(self.heads, routes.out[goal], goal, self.goals, 1, routes.load)
            if routes.price < best.price:
                best = _LoadedRoutes(routes.out.copy(), routes.load.copy())
        return best

    def _grow(self, goal: int, price: Floats, place: IntArray) -> IntArray | None:
        """The cheapest routes to a goal, or such as go up last; None where these fail too."""
        from hopscape.deadlock.one_lane_kernels import grow_routes

        out = np.empty(self.network.order, dtype=np.int64)
        none = np.empty((0, 0), np.uint64)
        rest = Dependencies(np.empty((0, 0), np.uint8), none, none)
        up = place <= self.network.order  # with ranks of nodes, down where one can always serves
        for paid in (price, price + float(price.sum()) * up):
            count = grow_routes(
                self._wiring, self._incoming, goal, paid, self._noise(), place, rest, out
            )
            if count == self.network.order:
                return out
        return None


class UpDownRouter(Router):
    """Up towards a root as far as needed, then only down.

    Nodes are ranked by their distance from the root, then by number. A route goes down by the
    shortest downward way as soon as there is one, else up where the rest is shortest. No route
    turns from down to up, so the channel dependency graph has no cycle. With `partial` a network
    may fall into parts; each has its own root, its node of least number.

    O(nodes · channels) time and 10 · nodes² bytes, for all pairs.

    Examples:
        >>> import hopscape
        >>> UpDownRouter(hopscape.build("ring(6)")).path(2, 4)
        [2, 1, 0, 5, 4]
    """

    name = "up*/down*"
    exact = False

    def __init__(self, network: Network, root: int = 0, *, partial: bool = False) -> None:
        super().__init__(network)
        if not network.duplex:
            raise ArgumentError(
                f"{network.spec} has simplex channels; up*/down* needs duplex links"
            )
        order = network.order
        require_memory(6 * order * order, f"the up*/down* tables of {network.spec}")
        level = distances_from(network, network.node(root))
        while partial and int(level.min()) < 0:
            further = distances_from(network, int(np.argmin(level)))
            level = np.where(further >= 0, further, level)
        if int(level.min()) < 0:
            raise DisconnectedError(f"{network.spec} is not connected")
        rank = np.empty(order, dtype=np.int64)
        rank[np.lexsort((np.arange(order), level))] = np.arange(order)
        self._down, self._length = self._measure(rank)
        self._ports = self._choose(rank)
        self.table_bytes = self._length.nbytes + self._ports.nbytes

    def _measure(self, rank: IntArray) -> tuple[IntArray, IntArray]:
        """Lengths of downward ways, and of whole routes: [node, goal]."""
        network = self.network
        order = network.order
        unreached = np.int32(2**30)
        down = np.full((order, order), unreached, dtype=np.int32)
        length = np.full((order, order), unreached, dtype=np.int32)
        by_rank = np.argsort(rank)
        for v in by_rank[::-1].tolist():  # deepest first: all lower neighbours are known
            down[v, v] = 0
            for w in network.heads[network.indptr[v] : network.indptr[v + 1]].tolist():
                if rank[w] > rank[v]:
                    np.minimum(down[v], down[w] + 1, out=down[v])
        for v in by_rank.tolist():  # highest first: all upper neighbours are known
            length[v] = down[v]
            away = down[v] >= unreached
            for w in network.heads[network.indptr[v] : network.indptr[v + 1]].tolist():
                if rank[w] < rank[v]:
                    better = away & (length[w] + 1 < length[v])
                    length[v, better] = length[w, better] + 1
        return down, length

    def _choose(self, rank: IntArray) -> IntArray:
        network = self.network
        order = network.order
        ports = np.full((order, order), -1, dtype=np.int16)
        unreached = 2**30
        for v in range(order):
            low, high = int(network.indptr[v]), int(network.indptr[v + 1])
            numbers = network.port_of(np.arange(low, high))
            for channel, port in zip(range(low, high), numbers.tolist(), strict=True):
                w = int(network.heads[channel])
                if rank[w] > rank[v]:
                    fits = (self._down[v] < unreached) & (self._down[w] == self._down[v] - 1)
                elif rank[w] < rank[v]:
                    fits = (self._down[v] >= unreached) & (self._length[w] == self._length[v] - 1)
                else:
                    continue
                ports[v, fits & (ports[v] < 0)] = port
        return ports

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        return self._length[at, to].astype(np.int64)

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        return self._ports[at, to].astype(np.int64)
