"""All routes of a network as one table, and what they do: loads, worst permutation, dependencies.

Networks with a router in closed form use it. For the others, tables are filled with shortest paths
that share the channels evenly; these are the tables that the designer hands over.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hopscape.core.arrays import NO_OFFSET, IntArray
from hopscape.core.distances import distance_rows
from hopscape.core.errors import DisconnectedError, TooLargeError
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.progress import track
from hopscape.core.router import Router
from hopscape.metrics.route_check import check_ways

__all__ = [
    "CHANNELS_LOOKED_AT",
    "MOST_DEGREE",
    "TURNS",
    "Routes",
    "all_routes",
    "closed_router",
    "downward",
    "node_rankings",
    "routes_by",
    "shortest_routes",
]

_PAIRS = 1 << 20
MOST_DEGREE = 254
CHANNELS_LOOKED_AT = 24
TURNS = 2
"""Down-up turns of a way that tables avoid to exceed: three classes of virtual channels."""
_SWEPT_ORDER = 2600


@dataclass(frozen=True)
class Routes:
    """The way from every node to every other.

    Attributes:
        name: The router that they come from.
        table (uint8[targets, order]): Entry (to, at): which of the channels of `at` leads to `to`;
            NO_OFFSET on arrival.
        table_bytes: What a machine must store: 0 for a closed form.
        targets (int64[...]): Destinations of the rows: all nodes, or a seeded sample of a large
            network.
        exact: Are all ways shortest?
    """

    network: Network
    name: str
    table: IntArray
    table_bytes: int
    targets: IntArray
    exact: bool = True

    @property
    def whole(self) -> bool:
        """Are the ways to all nodes here, or only those to a sample?"""
        return len(self.targets) == self.network.order

    def first(self, count: int) -> Routes:
        """The routes to the first so many destinations."""
        return replace(self, table=self.table[:count], targets=self.targets[:count])

    @cached_property
    def ends(self) -> IntArray:
        """uint8[order]: 1 for endpoints."""
        marks = np.zeros(self.network.order, dtype=np.uint8)
        marks[self.network.endpoints] = 1
        return marks

    @cached_property
    def _loads(self) -> tuple[IntArray, int]:
        from hopscape.metrics.route_kernels import add_loads

        net = self.network
        loads = np.zeros(len(net.heads), dtype=np.int64)
        longest = add_loads(net.indptr, net.heads, self.table, self.targets, self.ends, loads)
        if longest < 0:
            raise DisconnectedError(f"some routes of the {self.name} router of {net.spec} end")
        return loads, int(longest)

    @property
    def loads(self) -> IntArray:
        """How many ordered pairs of endpoints use each channel."""
        return self._loads[0]

    @property
    def longest(self) -> int:
        """Hops of the longest route between endpoints."""
        return self._loads[1]

    @property
    def mean(self) -> float:
        """Mean hops of the routes between endpoints."""
        ends, served = self.network.endpoint_count, int(self.ends[self.targets].sum())
        return float(self.loads.sum()) / (served * (ends - 1)) if served and ends > 1 else 0.0

    @cached_property
    def even(self) -> bool:
        """Do the ways to each sampled destination use the ports equally often?

        So they do where the router does the same at every node of a vertex-transitive network: all
        channels of a port then carry the same.
        """
        from hopscape.metrics.route_kernels import add_loads

        net = self.network
        port = net.port_of(np.arange(len(net.heads)))
        seen: IntArray | None = None
        for row in range(len(self.targets)):
            one = slice(row, row + 1)
            loads = np.zeros(len(net.heads), dtype=np.int64)
            add_loads(net.indptr, net.heads, self.table[one], self.targets[one], self.ends, loads)
            by_port = np.bincount(port, weights=loads)
            if seen is not None and not np.array_equal(seen, by_port):
                return False
            seen = by_port
        return net.symmetry is not None and net.symmetry.transitive

    def uniform_load(self) -> float:
        """Load of the busiest channel when every endpoint sends 1 evenly to all others.

        From a sample of destinations the busiest port is taken instead: the same where the routes
        are :attr:`even`, a lower bound (but for the sample) where they are not.
        """
        net = self.network
        ends, served = net.endpoint_count, int(self.ends[self.targets].sum())
        if ends < 2 or not served:
            return 0.0
        if self.whole:
            return float(self.loads.max(initial=0)) / (ends - 1)
        port = net.port_of(np.arange(len(net.heads)))
        by_port = np.bincount(port, weights=self.loads) / np.maximum(np.bincount(port), 1)
        return float(by_port.max()) * ends / (served * (ends - 1))

    def worst_permutation(self, channels: int | None = CHANNELS_LOOKED_AT) -> int:
        """Most endpoints whose ways meet on one channel when each sends to another one.

        For one channel this is a maximum matching of sources with destinations (Towles and Dally);
        it is taken over the busiest channels. Lines of endpoints, which carry one at most, are not
        looked at where there are switches.

        Args:
            channels: How many of the busiest to look at; None for all, which makes it exact.
        """
        return self._worst_channel(channels)[0]

    def worst_pairing(self, channels: int | None = CHANNELS_LOOKED_AT) -> IntArray:
        """A permutation that does this: where each endpoint sends, by places among endpoints.

        Examples:
            >>> import hopscape
            >>> routes = all_routes(hopscape.build("concentrated(complete(3), 2)"))
            >>> to = routes.worst_pairing()
            >>> routes.worst_permutation(), sorted(to.tolist()) == list(range(6))
            (2, True)
        """
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import maximum_bipartite_matching

        ends = self.network.endpoints
        count = len(ends)
        _, channel = self._worst_channel(channels)
        to = np.full(count, -1, dtype=np.int64)
        if channel >= 0:
            pairs = np.searchsorted(ends, self._pairs_over(channel))
            graph = csr_array((np.ones(len(pairs)), pairs.T), shape=(count, count))
            to = np.asarray(maximum_bipartite_matching(graph, perm_type="column"), dtype=np.int64)
        free = np.flatnonzero(to < 0)
        left = np.setdiff1d(np.arange(count), to[to >= 0])
        for turn in range(len(free)):
            to[free] = np.roll(left, turn)
            if (to[free] != free).all():
                break
        return to

    def _pairs_over(self, channel: int) -> IntArray:
        from hopscape.metrics.route_kernels import pairs_through

        net = self.network
        room = np.empty((max(1, int(self.loads[channel])), 2), dtype=np.int64)
        tail = int(net.tails[channel])
        count = pairs_through(net.indptr, net.heads, self.table, self.ends, channel, tail, room)
        return room[:count]

    def _worst_channel(self, channels: int | None) -> tuple[int, int]:
        """Most endpoints of a permutation that meet on one channel, and the channel."""
        from hopscape.metrics.matching_kernels import largest_matching
        from hopscape.metrics.route_kernels import pairs_through

        net = self.network
        mixed = np.random.default_rng(0).permutation(len(self.loads))  # all ports among equal ones
        best = 0
        if net.has_switches:
            ends = self.ends.astype(bool)
            mixed = mixed[~(ends[net.tails[mixed]] | ends[net.heads[mixed]])]
            best = int(net.endpoint_count > 1)
        busiest = mixed[np.argsort(-self.loads[mixed], kind="stable")][:channels]
        room = np.empty((int(self.loads.max(initial=1)), 2), dtype=np.int64)
        worst = -1
        for channel in busiest.tolist():
            if self.loads[channel] <= best:
                break
            tail = int(net.tails[channel])
            count = pairs_through(net.indptr, net.heads, self.table, self.ends, channel, tail, room)
            met = int(largest_matching(room, count, net.order))
            if met > best or worst < 0:
                best, worst = max(best, met), channel
        return best, worst

    def ports(self, to: int) -> IntArray:
        """The port by which each node leaves for a destination; -1 on arrival or without a path."""
        channels = self.channels_to(to)
        known = channels >= 0
        channels[known] = self.network.port_of(channels[known])
        return channels

    def channels_to(self, to: int) -> IntArray:
        """The channel by which each node leaves; -1 on arrival or without a path."""
        row = int(np.searchsorted(self.targets, to))
        offsets = self.table[row].astype(np.int64)
        return np.where(offsets != NO_OFFSET, self.network.indptr[:-1] + offsets, -1)


def closed_router(network: Network) -> Router | None:
    """The family's own router, if it has one."""
    return network.family.router(network) if network.family is not None else None


def all_routes(network: Network, most: int | None = None, seed: int = 0) -> Routes:
    """Ask the network's own router about all pairs, or fill tables that share channels evenly.

    Args:
        most: Only the routes to so many destinations, a seeded sample.

    Examples:
        >>> import hopscape
        >>> routes = all_routes(hopscape.build("torus(4, 4)"))
        >>> routes.table_bytes, routes.longest, round(routes.mean, 4), routes.worst_permutation()
        (0, 4, 2.1333, 2)
    """
    order = network.order
    if int(network.degrees.max(initial=0)) > MOST_DEGREE:
        raise TooLargeError(f"{network.spec} has nodes with more than {MOST_DEGREE} channels")
    router = closed_router(network)
    step = max(1, _PAIRS // (order * max(1, network.ports // 8)))
    nodes = np.arange(order, dtype=np.int64)
    targets = nodes
    if most is not None and most < order:
        targets = np.random.default_rng(seed).choice(network.endpoints, size=most, replace=False)
        targets = np.sort(targets).astype(np.int64)
    require_memory(2 * order * len(targets), f"the routes of {network.spec}")
    if router is None:
        return _balanced(network, targets, step)
    return routes_by(network, router, targets)


def shortest_routes(network: Network) -> Routes:
    """Tables of shortest routes that share channels evenly, whatever router the network has.

    Examples:
        >>> import hopscape
        >>> network = hopscape.build("dragonfly(4, 2, p=2)")  # its own: local, global, local
        >>> round(all_routes(network).mean, 3), round(shortest_routes(network).mean, 3)
        (4.338, 4.31)
    """
    routes = all_routes(network)
    if routes.exact:
        return routes
    order = network.order
    step = max(1, _PAIRS // (order * max(1, network.ports // 8)))
    return _balanced(network, np.arange(order, dtype=np.int64), step)


def routes_by(network: Network, router: Router, targets: IntArray) -> Routes:
    """Ask a router about the ways from all nodes to some destinations; they are checked.

    Raises:
        CheckFailedError: When a way does not arrive, or is longer than an exact router says.
    """
    order = network.order
    step = max(1, _PAIRS // (order * max(1, network.ports // 8)))
    nodes = np.arange(order, dtype=np.int64)
    table = np.full((len(targets), order), NO_OFFSET, dtype=np.uint8)
    for low in track(range(0, len(targets), step), f"routes of {network.spec}"):
        goals = targets[low : low + step]
        at, to = np.tile(nodes, len(goals)), np.repeat(goals, order)
        port = router.next_ports(at, to).astype(np.int64)
        channel = network.channel_at(at, port)
        offset = np.where(channel >= 0, channel - network.indptr[at], NO_OFFSET)
        table[low : low + step] = offset.reshape(len(goals), order)
    check_ways(network, router.name, targets, table, exact=router.exact)
    return Routes(network, router.name, table, router.table_bytes, targets, router.exact)


def _channel_levels(network: Network, ranks: IntArray) -> IntArray:
    """Levels of channels: up to lower ranks first, the highest tails first, then down again.

    A way that climbs and then descends rises in level all along; it falls where it turns up again.
    """
    tails = ranks[network.tails]
    up = ranks[network.heads] < tails
    levels: IntArray = np.where(up, network.order - tails, network.order + 1 + tails)
    return levels.astype(np.int64)


def downward(network: Network, ranks: IntArray) -> IntArray:
    """uint8[channels]: 1 for channels to nodes of higher rank, which is down."""
    return (ranks[network.heads] >= ranks[network.tails]).astype(np.uint8)


def node_rankings(network: Network) -> Iterator[IntArray]:
    """Node ranks worth a try: by number, and by distance from the first and the last node."""
    numbers = np.arange(network.order, dtype=np.int64)
    yield numbers
    for row in distance_rows(network, np.asarray([0, network.order - 1])):
        ranks = np.empty(network.order, dtype=np.int64)
        ranks[np.lexsort((numbers, row))] = numbers
        yield ranks


def _balanced(network: Network, targets: IntArray, step: int) -> Routes:
    from hopscape.metrics.route_kernels import balanced_table

    order = network.order
    marks = np.zeros(order, dtype=np.uint8)
    marks[network.endpoints] = 1
    load = np.zeros(len(network.heads), dtype=np.int64)
    level = _channel_levels(network, np.arange(order, dtype=np.int64))
    table = np.full((len(targets), order), NO_OFFSET, dtype=np.uint8)
    sweeps = 2 if order <= _SWEPT_ORDER else 1  # the first ways were chosen among idle channels
    for low in track(list(range(0, len(targets), step)) * sweeps, f"routes of {network.spec}"):
        goals = targets[low : low + step]
        towards = distance_rows(network, goals, towards=True)
        rows = table[low : low + step]
        balanced_table(
            network.indptr, network.heads, towards, goals, marks, level, TURNS, load, rows
        )
    check_ways(network, "balanced table", targets, table, exact=True)
    return Routes(network, "balanced table", table, order**2, targets)
