"""All-reduce of one chunk over a tree of small diameter, both ways at once.

On a tree everybody can know the sum after as many rounds as the tree has diameter: what is known
behind a node goes up, meets in the middle, and comes down again. A tree of shortest paths from the
best node has twice its eccentricity as diameter; one that hangs from the two ends of the best link
may have one less (a tree of least diameter is one of the two: Hassin and Tamir 1995).
"""

from __future__ import annotations

import numpy as np

from hopscape.collectives.trees import shortest_path_tree
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows, distances_from, unreached
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule

__all__ = ["central_all_reduce", "central_link"]

_ALL_ROWS = 5_000
_TRIED = 64


def central_link(network: Network) -> tuple[int, int, int]:
    """The ends of a link, or twice the same node, nearest to everybody, and how near they are.

    Returns:
        u, v: int
        far (int): The farthest node from the nearer of the two. All nodes and links are tried in
            networks of up to 5000 nodes, beyond some of them.

    Examples:
        >>> import hopscape
        >>> central_link(hopscape.build("heawood")), central_link(hopscape.build("path(5)"))
        ((0, 1, 2), (2, 2, 2))
    """
    if network.order <= _ALL_ROWS:
        return _best_pair(network, np.arange(network.order))
    known = network.symmetry.representatives if network.symmetry is not None else (0,)
    hops = [int(_reach(network, v).max()) for v in known[:_TRIED]]
    centre = known[int(np.argmin(hops))]
    near = [v for v in network.neighbours(centre) if v >= 0]
    return _best_pair(network, np.asarray([centre, *near]))


def _reach(network: Network, node: int) -> IntArray:
    found = distances_from(network, node)
    if (found < 0).any():
        raise DisconnectedError(f"{network.spec} has nodes that cannot reach each other")
    return found


def _best_pair(network: Network, nodes: IntArray) -> tuple[int, int, int]:
    """The best node or link among those given and the links between them."""
    rows = distance_rows(network, nodes)
    if unreached(rows).any():
        raise DisconnectedError(f"{network.spec} has nodes that cannot reach each other")
    alone = rows.max(axis=1)
    best = int(alone.argmin())
    u, v, hops = int(nodes[best]), int(nodes[best]), int(alone[best])
    place = np.full(network.order, -1, dtype=np.int64)
    place[nodes] = np.arange(len(nodes))
    for i, node in enumerate(nodes.tolist()):
        if hops == 0 or int(alone[i]) > hops:
            continue  # the ends of a better link are at most one hop worse than the best node
        for other in network.heads[network.indptr[node] : network.indptr[node + 1]].tolist():
            j = place[other]
            if j >= 0 and node < other:
                reach = int(np.minimum(rows[i], rows[j]).max())
                if reach < hops:
                    u, v, hops = node, other, reach
    return u, v, hops


def central_all_reduce(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """Everybody's share added up everywhere, over a tree that hangs from a central link or node.

    Takes one round less than to a central node and back where a link is as near to everybody.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("heawood")
        >>> print(hopscape.verify(central_all_reduce(net, Goal.all_reduce())))
        holds: all-reduce: 14 of 14 nodes served in 5 rounds, 26 messages, 0 duplicates
    """
    if model.ports is not None or model.duplex == "half" or model.switching == "circuit":
        raise ArgumentError(
            f"algorithm 'central' needs all ports, full duplex, store-and-forward, not"
            f" {model.describe()}"
        )
    if goal.chunks != 1 or not network.duplex or network.has_switches:
        raise ArgumentError("algorithm 'central' is for one chunk, duplex links and no switches")
    u, v, _ = central_link(network)
    channel, depth = _forest(network, u, v)
    nodes = np.argsort(depth, kind="stable")
    nodes = nodes[depth[nodes] > 0]
    height = _heights(network, channel, nodes)
    up = network.reverse[channel[nodes]]
    # the upward message leaves after those from below, the downward one follows the whole sum
    sums = max(int(height[u]), int(height[v])) + (u != v)
    rounds = [height[nodes], sums + depth[nodes] - 1]
    ways = [up, channel[nodes]]
    if u != v:
        across = network.indptr[u] + int(
            np.argmax(network.heads[network.indptr[u] : network.indptr[u + 1]] == v)
        )
        rounds.append(np.asarray([height[u], height[v]]))
        ways.append(np.asarray([across, network.reverse[across]]))
    return Schedule.from_columns(
        network,
        model,
        goal,
        round=np.concatenate(rounds),
        channels=np.concatenate(ways),
        name="central",
    )


def _forest(network: Network, u: int, v: int) -> tuple[IntArray, IntArray]:
    """Channels from parents, and depths: each node below the nearer end, the first on a tie."""
    one, two = shortest_path_tree(network, u), shortest_path_tree(network, v)
    nearer = one.depth <= two.depth
    return np.where(nearer, one.channel, two.channel), np.where(nearer, one.depth, two.depth)


def _heights(network: Network, channel: IntArray, nodes: IntArray) -> IntArray:
    """Hops to the deepest node below each node; `nodes` by rising depth."""
    height = np.zeros(network.order, dtype=np.int64)
    for node in nodes[::-1].tolist():
        parent = network.tails[channel[node]]
        height[parent] = max(height[parent], height[node] + 1)
    return height
