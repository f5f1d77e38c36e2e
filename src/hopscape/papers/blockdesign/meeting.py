"""Routing by two searches that meet: for pairs in large networks, also round dead parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.distances import distances_to
from hopscape.core.errors import DisconnectedError
from hopscape.core.measured import How
from hopscape.core.processes import require_memory
from hopscape.core.progress import track
from hopscape.core.router import Route, Router, pick, spread
from hopscape.core.wired import Wired

if TYPE_CHECKING:
    from hopscape.papers.blockdesign.meeting_kernels import Wires

__all__ = ["MeetingRouter", "detours", "require_routes", "routes_by_meeting", "tree_loads"]


_MANY = 64
_TREE_WORK = 1_500_000_000
_NONE_DEAD = np.zeros(0, dtype=bool)


def routes_by_meeting(
    network: Wired, at: IntArray, to: IntArray, dead: IntArray = _NONE_DEAD
) -> tuple[IntArray, IntArray]:
    """Channels of one shortest path for each pair: where each way starts, and all channels.

    Args:
        at, to: int arrays
        dead (bool[channels], optional): Channels that do not work.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("ring(6)")
        >>> starts, channels = routes_by_meeting(net, np.array([0, 2]), np.array([2, 2]))
        >>> starts.tolist(), net.heads[channels].tolist()
        ([0, 2, 2], [1, 2])
    """
    from hopscape.papers.blockdesign.meeting_kernels import meet

    pairs = np.asarray(at, dtype=np.int64), np.asarray(to, dtype=np.int64)
    return meet(_wires(network), dead, *pairs)


class MeetingRouter(Router):
    """Shortest routes of pairs, each by two searches; whole rows by one search per target.

    Of several shortest paths the two kinds of search may take different ones.
    """

    name = "meeting searches"

    def _apart(self, to: IntArray) -> tuple[IntArray, list[int]]:
        """Which pairs have a target of their own, and the targets of many."""
        targets, inverse, often = np.unique(to, return_inverse=True, return_counts=True)
        return often[inverse] < _MANY, targets[often >= _MANY].tolist()

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        out = np.empty(len(at), dtype=np.int64)
        single, common = self._apart(to)
        starts, _ = routes_by_meeting(self.network, at[single], to[single])
        hops = np.diff(starts)
        out[single] = np.where((hops == 0) & (at[single] != to[single]), -1, hops)
        for target in common:
            chosen = to == target
            out[chosen] = distances_to(self.network, target)[at[chosen]]
        return out

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        out = np.full(len(at), -1, dtype=np.int64)
        single, common = self._apart(to)
        alone = np.nonzero(single)[0]
        starts, channels = routes_by_meeting(self.network, at[alone], to[alone])
        moving = np.diff(starts) > 0
        out[alone[moving]] = self.network.port_of(channels[starts[:-1][moving]])
        for target in common:
            chosen = np.nonzero(to == target)[0]
            out[chosen] = self._towards(at[chosen], target)
        return out

    def _towards(self, at: IntArray, target: int) -> IntArray:
        """Ports of many nodes to one target, a hash among those that shorten the way."""
        hops = distances_to(self.network, target)
        rows = self.network.rows(at)
        shorter = (rows >= 0) & (hops[rows] == hops[at][:, None] - 1) & (hops[rows] >= 0)
        return pick(shorter, spread(at, np.full_like(at, target)))

    def uniform_loads(self, seed: int = 0) -> tuple[Floats, How]:
        return tree_loads(self.network, seed)

    def walk(self, at: IntArray, to: IntArray) -> tuple[IntArray, IntArray]:
        starts, channels = routes_by_meeting(self.network, at, to)
        hops = np.diff(starts)
        require_routes(self.network, np.where((hops == 0) & (at != to), -1, hops), at, to)
        longest = int(hops.max(initial=0))
        nodes = np.full((len(at), longest + 1), -1, dtype=np.int64)
        ports = np.full((len(at), longest), -1, dtype=np.int64)
        row = np.repeat(np.arange(len(at)), hops)
        column = np.arange(len(channels)) - starts[row]
        nodes[:, 0] = at
        nodes[row, column + 1] = self.network.heads[channels]
        ports[row, column] = self.network.port_of(channels)
        return nodes, ports


def tree_loads(network: Wired, seed: int = 0) -> tuple[Floats, How]:
    """Loads under uniform traffic: a tree of shortest paths to every endpoint, or to a sample.

    Where several ports shorten the way, :func:`hopscape.core.router.spread` takes one.
    """
    from hopscape.papers.blockdesign.meeting_kernels import add_trees

    ends = network.endpoints.astype(np.int64)
    wires = _wires(network)
    few = _TREE_WORK // max(len(network.heads), 1)
    how: How = "exact"
    targets = ends
    if few < len(ends):
        chosen = np.random.default_rng(seed).choice(len(ends), size=max(few, 1), replace=False)
        targets, how = ends[np.sort(chosen)], "sampled"
    sends = np.zeros(network.order)
    sends[ends] = len(ends) / (len(targets) * max(len(ends) - 1, 1))
    loads = np.zeros(len(network.heads))
    for low in track(range(0, len(targets), 64), f"channel loads of {network.spec}"):
        lost = add_trees(wires, targets[low : low + 64], sends, loads)
        if lost[0] >= 0:
            require_routes(network, np.array([-1]), np.array([lost[0]]), np.array([lost[1]]))
    return loads, how


def _wires(network: Wired) -> Wires:
    """The channels that leave and enter each node."""
    from hopscape.papers.blockdesign.meeting_kernels import Wires

    leaving = network.indptr, network.tails, network.heads
    if network.duplex:
        return Wires(*leaving, network.indptr, network.reverse)
    return Wires(*leaving, *network.incoming()[1:])


def require_routes(network: Wired, hops: IntArray, at: IntArray, to: IntArray) -> None:
    """Refuse pairs without a path (-1 hops), and routes that would not fit in memory."""
    if (hops < 0).any():
        lost = int(np.argmax(hops < 0))
        raise DisconnectedError(
            f"there is no route from node {at[lost]} to node {to[lost]} in {network.spec}"
        )
    longest = int(hops.max(initial=0))
    require_memory(40 * len(at) * (longest + 1), f"{len(at)} routes of up to {longest} hops")


def detours(
    network: Wired, dead_nodes: Sequence[int], dead_links: Sequence[tuple[int, int]]
) -> Callable[[int, int], Route | None]:
    """Shortest paths round dead nodes and links, pair by pair; None without a path."""
    dead = dead_channels(network, dead_nodes, dead_links)

    def route(a: int, b: int) -> Route | None:
        if a == b:
            return Route((a,), ())
        _, channels = routes_by_meeting(network, np.array([a]), np.array([b]), dead)
        if not len(channels):
            return None
        path = (a, *network.heads[channels].tolist())
        return Route(path, tuple(network.port_of(channels).tolist()))

    return route


def dead_channels(
    network: Wired, dead_nodes: Sequence[int], dead_links: Sequence[tuple[int, int]]
) -> IntArray:
    """Mark the channels that touch dead nodes, and all between the two nodes of dead links."""
    gone = np.zeros(network.order, dtype=bool)
    gone[list(dead_nodes)] = True
    dead = gone[network.tails] | gone[network.heads]
    for u, v in dead_links:
        for a, b in ((u, v), (v, u)):
            own = slice(network.indptr[a], network.indptr[a + 1])
            dead[own] |= network.heads[own] == b
    return dead
