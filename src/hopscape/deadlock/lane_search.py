"""Routes on few lanes: trees and layers annealed together, close to the shortest in load.

On one lane the search begins with routes that close no cycle and keeps it so. On several it begins
with the shortest ones: pairs that fit into no layer get detours, until none is left. Both ways of a
pair of routers are in one layer, as InfiniBand's connections ask for (see
:mod:`hopscape.deadlock.layers`).
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import NO_OFFSET, IntArray
from hopscape.core.errors import CheckFailedError
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.deadlock.layers import begin_marks, blank_graph
from hopscape.deadlock.layout import Wiring
from hopscape.deadlock.routes import table_of
from hopscape.metrics.route_check import check_ways
from hopscape.metrics.routes import Routes

__all__ = ["LaneSearch", "annealed_one_lane", "cyclic_layers", "routes_on_lanes"]

_WORK = 2_500_000
"""Moves times channels: about 3 s. A move looks at a few turns of each channel."""
_LEAST_TURNS = 4
"""Moves to each goal; where there is no work for so many, the routes stay as they are."""
_BEGINNINGS, _TRIAL = 3, 0.2
"""Routes with which one lane begins, and what part of the work each of them gets first."""

_ROUNDS = 8
"""Times, of half the work each, that several lanes are annealed until all pairs fit."""


def annealed_one_lane(beginnings: list[Routes], seed: int = 0) -> Routes:
    """The best of some routes on one lane, best first, with less load on the busiest channel.

    O(moves · channels) time, memory 8 · goals · routers bytes.
    """
    best = beginnings[0]
    searches = [LaneSearch(one, 1) for one in beginnings[:_BEGINNINGS]]
    moves = searches[0].moves
    if not moves:
        return best
    tried = [(one.run(int(_TRIAL * moves), seed), one) for one in searches]
    busiest, search = min(tried, key=lambda pair: pair[0])
    search.restart()
    further = search.run(moves - int(len(tried) * _TRIAL * moves), seed)
    return search.routes("one-lane") if min(busiest, further) < best.loads.max() else best


def routes_on_lanes(
    shortest: Routes, lanes: int, *, first: int | None = None, seed: int = 0
) -> tuple[Routes, IntArray] | None:
    """Routes with few detours and layers of all pairs of endpoints, or None if none are found.

    Args:
        shortest: Where the search begins.
        first: All pairs of this endpoint are in layer 0.

    Returns:
        Routes, and uint8[endpoints, endpoints]: symmetric, 0 on the diagonal.

    Examples:
        >>> import hopscape
        >>> from hopscape.metrics.routes import all_routes
        >>> shortest = all_routes(hopscape.build("torus(4, 4)"))
        >>> routes, layers = routes_on_lanes(shortest, 2)
        >>> bool((layers == layers.T).all()), cyclic_layers(routes, layers)
        (True, 0)
    """
    search = LaneSearch(shortest, lanes, first=first)
    rounds = range(_ROUNDS if search.moves else 0)
    if all(search.run(search.moves // 2, seed + k) < 0 for k in rounds):
        return None
    routes, layers = search.routes("detour-limited"), search.layers()
    if cyclic_layers(routes, layers):
        raise CheckFailedError(
            f"the routes of {shortest.network.spec} on {lanes} lanes fail their check: channels"
            " wait in a circle"
        )
    return routes, layers


def cyclic_layers(routes: Routes, layers: IntArray) -> int:
    """How many channels can wait for each other in a circle, or for such, over all layers."""
    from hopscape.deadlock.dependency_kernels import cyclic_part
    from hopscape.deadlock.layer_kernels import count_uses

    network, goals = routes.network, routes.network.endpoints
    toward, begins = table_of(routes).port.T, begin_marks(network)
    number = np.zeros((network.order, network.order), dtype=np.uint8)
    number[np.ix_(goals, goals)] = layers
    levels = int(layers.max(initial=0)) + 1
    sets, found = 1 << np.arange(levels, dtype=np.int64), 0
    for layer in range(levels):
        graph = blank_graph(network)
        wiring = Wiring(network.indptr, network.heads)
        count_uses(wiring, toward, number, sets, layer, begins, goals, graph)
        found += int(cyclic_part(network.indptr, network.heads, graph, 1).sum())
    return found


class LaneSearch:
    """The arrays of a search, and the way back from them to routes.

    Args:
        routes: With `lanes` 1, such as close no cycle.
    """

    def __init__(self, routes: Routes, lanes: int, *, first: int | None = None) -> None:
        net = self.network = routes.network
        self._before, self._count = routes, lanes
        leaf, near = _leaves(net)
        self._routers = np.flatnonzero(~leaf)
        number = np.full(net.order, -1)
        number[self._routers] = np.arange(len(self._routers))
        self._home_of = number[near]
        self._channels = np.flatnonzero(~leaf[net.tails] & ~leaf[net.heads])
        ends = net.endpoints.astype(np.int64)
        self._goals = ends[np.argsort(self._home_of[ends], kind="stable")]
        goals, routers, channels = len(ends), len(self._routers), len(self._channels)
        moves = _WORK // max(1, channels)
        self.moves = moves if moves >= _LEAST_TURNS * goals and routers > 1 else 0
        if self.moves:
            require_memory(16 * goals * routers, f"the routes of {net.spec} on {lanes} lanes")
            self._held = -1 if first is None else int(self._home_of[first])
            self.restart()

    def restart(self) -> None:
        """Begin with the best routes that are known."""
        net, routers, channels = self.network, self._routers, self._channels
        if not hasattr(self, "_out"):
            place = np.full(len(net.heads) + 1, -1)
            place[channels] = np.arange(len(channels))
            table = self._before.table[np.ix_(self._goals, routers)].astype(np.int64)
            taken = np.where(table == NO_OFFSET, len(net.heads), net.indptr[routers] + table)
            self._out: IntArray = place[taken]
            self._layer = np.zeros((len(routers), len(routers)), dtype=np.int64)
            self._layer[:] = 0 if self._count == 1 else self._count
        tails, heads = (
            np.searchsorted(routers, ends[channels]).astype(np.int64)
            for ends in (net.tails, net.heads)
        )
        numbers = np.arange(len(routers) + 1)
        into = np.argsort(heads, kind="stable")
        home = self._home_of[self._goals]
        width = int(net.degrees.max(initial=1))
        from hopscape.deadlock.lane_search_kernels import LaneState, settle

        self._lanes = LaneState(
            indptr=np.searchsorted(tails, numbers),
            heads=heads,
            tails=tails,
            starts=np.searchsorted(heads[into], numbers),
            into=into,
            first=np.searchsorted(home, numbers),
            home=home,
            out=self._out.copy(),
            layer=self._layer.copy(),
            uses=np.zeros((self._count, len(channels), width), dtype=np.int32),
            place=np.tile(np.arange(len(channels)), (self._count, 1)),
            load=np.zeros(len(channels), dtype=np.int64),
            room=np.zeros((2, len(channels)), dtype=np.int64),
            marked=np.zeros(len(channels), dtype=np.uint8),
            held=self._held,
        )
        if settle(self._lanes, 0) < 0:
            raise CheckFailedError(f"{self._before.name} routes of {net.spec} close a cycle")

    def run(self, moves: int, seed: int) -> int:
        """Anneal; the least load of the busiest channel between routers, -1 if no layers fit."""
        from hopscape.deadlock.lane_search_kernels import anneal_lanes

        soft = self._count > 1
        return int(anneal_lanes(self._lanes, max(1, moves), seed, soft, self._out, self._layer))

    def routes(self, name: str) -> Routes:
        """The best routes, to nodes without hosts as they were."""
        net, routers = self.network, self._routers
        table = self._before.table.copy()
        for goal, home, out in zip(self._goals, self._lanes.home, self._out, strict=True):
            away = np.flatnonzero(np.arange(len(routers)) != home)
            offsets = self._channels[out[away]] - net.indptr[routers[away]]
            table[goal, routers[away]] = offsets
            if routers[home] != goal:
                table[routers[home], routers[away]] = offsets
        nodes = np.arange(net.order, dtype=np.int64)
        check_ways(net, name, nodes, table, exact=False)
        return Routes(net, name, table, table.nbytes, nodes, exact=False)

    def layers(self) -> IntArray:
        """uint8[endpoints, endpoints]: the layers of the best routes; 0 at one router."""
        home = self._home_of[self.network.endpoints]
        found = self._layer[np.ix_(home, home)].astype(np.uint8)
        found[home[:, None] == home] = 0
        return found


def _leaves(net: Network) -> tuple[IntArray, IntArray]:
    """Endpoints with one line to a node that is no such endpoint, and each node's router."""
    numbers = np.arange(net.order)
    single = np.zeros(net.order, dtype=bool)
    single[net.endpoints] = net.degrees[net.endpoints] == 1
    near = numbers.copy()
    near[single] = net.heads[net.indptr[:-1][single]]
    leaf: IntArray = single & ~single[near]
    return leaf, np.where(leaf, near, numbers)
