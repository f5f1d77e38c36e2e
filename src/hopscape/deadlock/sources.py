"""Rising classes: a packet starts in the first class and takes the next one at every wrong turn.

Nodes have ranks; up is towards lower ranks. A way that goes up and then down cannot be part of a
cycle of its own kind (up*/down* routing), and one that turns up again goes on in the next class.
Shortest paths of h hops need at most h // 2 + 1 classes, however many nodes there are. A way with
fewer turns than the worst one may as well start in a later class.

Routes that their sources choose: every way of every pair, channel by channel.

What a table by destination cannot hold: ways that stay on a ring, or share out the traffic of a
pair. Classes of virtual channels come from datelines (Dally and Seitz): on every ring one channel
is marked, and a packet changes from class 1 to class 0 behind it; packets that do not meet it are
in class 0 from the start.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.progress import track
from hopscape.core.router import Router
from hopscape.deadlock.layers import begin_marks, blank_graph
from hopscape.deadlock.layout import Wiring
from hopscape.deadlock.routes import RoutingTable
from hopscape.metrics.routes import downward, node_rankings

__all__ = ["SourceRoutes", "count_rises", "find_rising", "latest_starts", "source_routes"]

_NONE = np.empty((0, 0), dtype=np.uint8)


def find_rising(table: RoutingTable, *, anywhere: bool = False) -> tuple[int, IntArray]:
    """How many classes are needed with the best of a few rankings, and that ranking.

    Each ranking looks at every entry of the table once, O(nodes · goals).

    Args:
        table, anywhere: As for :func:`~hopscape.deadlock.layers.find_layers`.
    """
    from hopscape.deadlock.layer_kernels import most_falls

    network, arrays = table.network, _arrays(table, anywhere)
    best: tuple[int, IntArray] | None = None
    for ranks in node_rankings(network):
        count = 1 + int(most_falls(*arrays, downward(network, ranks), _NONE))
        if best is None or count < best[0]:
            best = count, ranks
        if count <= 2:
            break
    assert best is not None
    return best


def latest_starts(
    table: RoutingTable, ranks: IntArray, classes: int, *, anywhere: bool = False
) -> IntArray:
    """uint8[order, order]: the last class in which the packets of a pair can start."""
    from hopscape.deadlock.layer_kernels import most_falls

    network = table.network
    each = np.zeros((network.order, network.order), dtype=np.uint8)
    most_falls(*_arrays(table, anywhere), downward(network, ranks), each)
    return (classes - 1 - each).astype(np.uint8)


def count_rises(
    table: RoutingTable,
    down: IntArray,
    classes: int,
    first: IntArray,
    graph: IntArray,
    *,
    anywhere: bool = False,
) -> None:
    """Mark the dependencies of all routes in a graph of channels and classes."""
    from hopscape.deadlock.layer_kernels import rising_waits

    used = rising_waits(*_arrays(table, anywhere), down.astype(np.uint8), classes, first, graph)
    assert used, "a route rises beyond its classes"


def _arrays(table: RoutingTable, anywhere: bool) -> tuple[Wiring, IntArray, IntArray, IntArray]:
    network = table.network
    goals = network.endpoints.astype(np.int64)
    toward = table.port.T if len(goals) == network.order else table.port.T[goals]
    wiring = Wiring(network.indptr, network.heads)
    return wiring, toward, goals, begin_marks(network, anywhere)


_PAIRS = 1 << 18  # asked for together: arrays of 2 MiB
_MOST_STEPS = 2**31 - 1  # places in the list of hops are 32 bits wide


@dataclass(frozen=True)
class SourceRoutes:
    """All ways of all pairs of nodes.

    Attributes:
        router: Name of the router that they come from.
        first (int64[order² + 1]): First way of each pair, source by source.
        shares (float64[ways]): Cumulated within each pair.
        starts (int64[ways + 1]): First step of each way.
        channels: int32[steps]
        rings (int64[channels] or None): Ring of each channel, -1 for none.
        ranks (int64[channels] or None): Ranks by which ways rise, but for a few falls.
    """

    network: Network
    router: str
    first: IntArray
    shares: Floats
    starts: IntArray
    channels: IntArray
    rings: IntArray | None
    ranks: IntArray | None = None

    def rising(self) -> IntArray:
        """int64[steps]: the class of each step, one more wherever a way does not rise."""
        ranks = self.ranks
        if ranks is None:
            ranks = np.zeros(len(self.network.heads), dtype=np.int64)
        rank = ranks[self.channels]
        falls = np.zeros(len(rank), dtype=np.int64)
        falls[1:] = rank[1:] <= rank[:-1]
        falls[self.starts[:-1][np.diff(self.starts) > 0]] = 0
        total = np.cumsum(falls)
        before = np.concatenate([[0], total])[self.starts[:-1]]
        return total - np.repeat(before, np.diff(self.starts))

    def datelines(self) -> IntArray | None:
        """uint8[steps]: the class of each step, 1 up to the dateline of its ring; None without."""
        if self.rings is None or not len(self.channels):
            return None
        names, first = np.unique(self.rings, return_index=True)
        marked = np.zeros(len(self.rings), dtype=bool)
        marked[first[names >= 0]] = True
        ring = self.rings[self.channels]
        begins = np.ones(len(ring), dtype=bool)
        begins[1:] = ring[1:] != ring[:-1]
        begins[self.starts[:-1][np.diff(self.starts) > 0]] = True
        run = np.cumsum(begins) - 1
        crossings = np.cumsum(marked[self.channels])
        last = np.append(np.nonzero(begins)[0][1:], len(ring)) - 1
        left = crossings[last][run] - crossings + marked[self.channels]
        return ((left > 0) & (ring >= 0)).astype(np.uint8)

    def behind(self, gates: IntArray) -> IntArray:
        """uint8[steps]: the class of each step, 1 from the first gate of its way on."""
        passed = np.cumsum(gates[self.channels])
        before = np.concatenate([[0], passed])[self.starts[:-1]]
        classes: IntArray = passed > np.repeat(before, np.diff(self.starts))
        return classes.astype(np.uint8)

    def graph(self, kinds: int, classes: IntArray) -> IntArray:
        """The channel dependency graph when each step has a class."""
        network = self.network
        graph = blank_graph(network, kinds)
        inside = np.ones(max(len(self.channels) - 1, 0), dtype=bool)
        inside[self.starts[1:-1][self.starts[1:-1] < len(self.channels)] - 1] = False
        now = np.nonzero(inside)[0]
        here, there = self.channels[now].astype(np.int64), self.channels[now + 1].astype(np.int64)
        vertex = here * kinds + classes[now]
        column = (there - network.indptr[network.heads[here]]) * kinds + classes[now + 1]
        np.add.at(graph, (vertex, column), 1)
        return graph


def source_routes(network: Network, router: Router) -> SourceRoutes:
    """Ask a router about all ways of all pairs of nodes.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("multiring(16, 1, 3)")
        >>> routes = source_routes(net, net.router("balanced-rings"))
        >>> len(routes.shares), len(routes.channels)
        (288, 960)
    """
    order = network.order
    step = max(1, _PAIRS // order)
    pairs, shares, sizes, channels = [], [], [], []
    total = 0
    for low in track(range(0, order, step), f"routes of {network.spec}"):
        at = np.repeat(np.arange(low, min(order, low + step), dtype=np.int64), order)
        to = np.tile(np.arange(order, dtype=np.int64), len(at) // order)
        apart = at != to
        at, to = at[apart], to[apart]
        for share, nodes, ports in router.multipath(at, to):
            used = share > 0
            taken = ports[used] >= 0
            flat = network.channel_at(nodes[used][:, : ports.shape[1]][taken], ports[used][taken])
            ends = nodes[used][np.arange(len(taken)), taken.sum(axis=1)]
            if (ends != to[used]).any():
                raise DisconnectedError(f"some {router.name} routes of {network.spec} end early")
            pairs.append(at[used] * order + to[used])
            shares.append(share[used])
            sizes.append(taken.sum(axis=1))
            channels.append(flat.astype(np.int32))
            total += len(flat)
            require_memory(16 * total, f"the routes of {network.spec}")
    if total > _MOST_STEPS:
        raise ArgumentError(
            f"the routes of {network.spec} have {total} hops; at most {_MOST_STEPS}"
        )
    return _sorted(network, router, pairs, shares, sizes, channels)


def _sorted(
    network: Network,
    router: Router,
    pairs: list[IntArray],
    shares: list[Floats],
    sizes: list[IntArray],
    channels: list[IntArray],
) -> SourceRoutes:
    """Ways in the order of their pairs, steps in the order of their ways."""
    none = np.empty(0, dtype=np.int64)
    pair, size = np.concatenate([none, *pairs]), np.concatenate([none, *sizes])
    share, flat = np.concatenate([[], *shares]), np.concatenate([none, *channels])
    order = np.argsort(pair, kind="stable")
    old = np.concatenate([[0], np.cumsum(size)])
    starts = np.concatenate([[0], np.cumsum(size[order])])
    inner = np.arange(starts[-1]) - np.repeat(starts[:-1] - old[:-1][order], size[order])
    first = np.searchsorted(pair[order], np.arange(network.order**2 + 1))
    running = np.cumsum(share[order])
    before = np.concatenate([[0.0], running])[first[:-1]]
    within = running - np.repeat(before, np.diff(first))
    return SourceRoutes(
        network, router.name, first, within, starts, flat[inner].astype(np.int32),
        router.rings(), router.ranks(),
    )  # fmt: skip
