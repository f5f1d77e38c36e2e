"""Routing by two searches that meet: for pairs in large networks, also round dead parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.distances import distances_to
from hopscape.core.errors import DisconnectedError
from hopscape.core.memory import require_memory
from hopscape.core.network import Network
from hopscape.core.router import Route, Router

__all__ = ["MeetingRouter", "detours", "ways_by_meeting"]

_MANY = 64
_NONE_DEAD = np.zeros(0, dtype=bool)


def ways_by_meeting(
    network: Network, at: IntArray, to: IntArray, dead: IntArray = _NONE_DEAD
) -> tuple[IntArray, IntArray]:
    """Channels of one shortest way for each pair: where each way starts, and all channels.

    Parameters
    ----------
    network : Network
    at, to : int arrays
    dead : bool[channels], optional
        Channels that do not work.

    Examples
    --------
    >>> import hopscape
    >>> net = hopscape.build("ring(6)")
    >>> starts, channels = ways_by_meeting(net, np.array([0, 2]), np.array([2, 2]))
    >>> starts.tolist(), net.heads[channels].tolist()
    ([0, 2, 2], [1, 2])
    """
    from hopscape.families.blockdesign.meeting_kernels import meet

    if network.duplex:
        back_indptr, back_channel = network.indptr, network.reverse
    else:
        back_channel = np.argsort(network.heads, kind="stable")
        back_indptr, _ = network.reversed_csr()
    return meet(
        network.indptr, network.tails, network.heads, back_indptr, back_channel, dead,
        np.asarray(at, dtype=np.int64), np.asarray(to, dtype=np.int64),
    )  # fmt: skip


class MeetingRouter(Router):
    """Shortest routes of pairs, each by two searches; whole rows by one search per target."""

    name = "meeting searches"

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        out = np.empty(len(at), dtype=np.int64)
        targets, inverse, often = np.unique(to, return_inverse=True, return_counts=True)
        single = often[inverse] < _MANY
        starts, _ = ways_by_meeting(self.network, at[single], to[single])
        hops = np.diff(starts)
        out[single] = np.where((hops == 0) & (at[single] != to[single]), -1, hops)
        for target in targets[often >= _MANY]:
            chosen = to == target
            out[chosen] = distances_to(self.network, int(target))[at[chosen]]
        return out

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        starts, channels = ways_by_meeting(self.network, at, to)
        moving = np.diff(starts) > 0
        out = np.full(len(at), -1, dtype=np.int64)
        out[moving] = self.network.port_of(channels[starts[:-1][moving]])
        return out

    def walk(self, at: IntArray, to: IntArray) -> tuple[IntArray, IntArray]:
        starts, channels = ways_by_meeting(self.network, at, to)
        hops = np.diff(starts)
        lost = np.nonzero((hops == 0) & (at != to))[0]
        if len(lost):
            raise DisconnectedError(
                f"there is no way from node {at[lost[0]]} to node {to[lost[0]]}"
                f" in {self.network.spec}"
            )
        longest = int(hops.max(initial=0))
        require_memory(16 * len(at) * (longest + 1), f"{len(at)} routes of up to {longest} hops")
        nodes = np.full((len(at), longest + 1), -1, dtype=np.int64)
        ports = np.full((len(at), longest), -1, dtype=np.int64)
        row = np.repeat(np.arange(len(at)), hops)
        column = np.arange(len(channels)) - starts[row]
        nodes[:, 0] = at
        nodes[row, column + 1] = self.network.heads[channels]
        ports[row, column] = self.network.port_of(channels)
        return nodes, ports


def detours(
    network: Network, dead_nodes: Sequence[int], dead_links: Sequence[tuple[int, int]]
) -> Callable[[int, int], Route | None]:
    """Shortest ways round dead nodes and links, pair by pair; None without a way."""
    dead = dead_channels(network, dead_nodes, dead_links)

    def route(a: int, b: int) -> Route | None:
        if a == b:
            return Route((a,), ())
        _, channels = ways_by_meeting(network, np.array([a]), np.array([b]), dead)
        if not len(channels):
            return None
        path = (a, *network.heads[channels].tolist())
        return Route(path, tuple(network.port_of(channels).tolist()))

    return route


def dead_channels(
    network: Network, dead_nodes: Sequence[int], dead_links: Sequence[tuple[int, int]]
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
