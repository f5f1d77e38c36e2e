"""Spanning trees of shortest paths, and the rounds in which a tree is served.

All-reduce of one chunk over a tree of small diameter, both ways at once.

On a tree everybody can know the sum after as many rounds as the tree has diameter: what is known
behind a node goes up, meets in the middle, and comes down again. A tree of shortest paths from the
best node has twice its eccentricity as diameter; one that hangs from the two ends of the best link
may have one less (a tree of least diameter is one of the two: Hassin and Tamir 1995).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hopscape.collectives.checked import verified
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows, distances_from, unreached
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule

__all__ = ["Tree", "central_all_reduce", "central_link", "serve_tree", "shortest_path_tree"]


@dataclass(frozen=True)
class Tree:
    """A tree that hangs from a root, or several that hang from the nodes that have the data.

    Attributes:
        root: The first of the roots.
        channel (int64[order]): The channel from the parent into each node; -1 for the root and for
            nodes outside.
        depth (int64[order]): Hops from the root; -1 for nodes outside.
        nodes (int64[...]): The nodes of the tree by rising depth, the root first.
        roots: How many roots there are.
    """

    root: int
    channel: IntArray
    depth: IntArray
    nodes: IntArray
    roots: int = 1

    @property
    def below(self) -> IntArray:
        """The nodes but the roots, by rising depth."""
        return self.nodes[self.roots :]

    def parents(self, network: Network) -> IntArray:
        """The parent of each node of :attr:`below`."""
        return network.tails[self.channel[self.below]]


def shortest_path_tree(
    network: Network, root: int, *, only_to: IntArray | None = None, sources: Sequence[int] = ()
) -> Tree:
    """A tree of breadth-first search, each node hung from the lowest channel that reaches it first.

    Args:
        sources: Further roots.
        only_to (array of int, optional): Keep only the branches that lead to these nodes. By
            default all endpoints must be reached.

    Raises:
        DisconnectedError: When a node that is wanted cannot be reached.
    """
    indptr, heads = network.indptr, network.heads
    channel = np.full(network.order, -1, dtype=np.int64)
    depth = np.full(network.order, -1, dtype=np.int64)
    frontier = np.asarray([root, *sources], dtype=np.int64)
    depth[frontier] = 0
    layers = [frontier]
    while len(frontier):
        starts, counts = indptr[frontier], indptr[frontier + 1] - indptr[frontier]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        channels_out = np.repeat(starts, counts) + within
        channels_out = channels_out[depth[heads[channels_out]] < 0]
        fresh, first = np.unique(heads[channels_out], return_index=True)
        channel[fresh] = channels_out[first]
        depth[fresh] = len(layers)
        frontier = fresh.astype(np.int64)
        layers.append(frontier)
    nodes = np.concatenate(layers)
    wanted = network.endpoints if only_to is None else np.asarray(only_to, dtype=np.int64)
    lost = wanted[depth[wanted] < 0]
    if len(lost):
        raise DisconnectedError(
            f"node {int(lost[0])} cannot be reached from node {root} in {network.spec}"
            f" ({len(lost)} such nodes)"
        )
    if only_to is not None or network.has_switches:
        nodes = _prune(network, channel, nodes, wanted, len(layers[0]))
    return Tree(root, channel, depth, nodes, len(layers[0]))


def _prune(
    network: Network, channel: IntArray, nodes: IntArray, wanted: IntArray, roots: int
) -> IntArray:
    """Keep the nodes that have a wanted node below them (or are one), and the roots."""
    keep = np.zeros(network.order, dtype=bool)
    keep[wanted] = True
    keep[nodes[:roots]] = True
    for v in nodes[roots:][::-1]:
        if keep[v]:
            keep[network.tails[channel[v]]] = True
    return nodes[keep[nodes]]


def serve_tree(network: Network, tree: Tree, ports: int | None) -> IntArray:
    """The round (from 0) in which each node of the tree is served, -1 for the others.

    With all ports every node serves all children at once. With k ports it serves k of them in each
    round, those first whose own subtrees take longest, which is best for a given tree (for one port
    P. J. Slater, E. J. Cockayne and S. T. Hedetniemi, "Information dissemination in trees", 1981).
    """
    when = np.full(network.order, -1, dtype=np.int64)
    if ports is None:
        when[tree.below] = tree.depth[tree.below] - 1
        return when
    children: dict[int, list[int]] = {}
    parents = tree.parents(network)
    for v, parent in zip(tree.below.tolist(), parents.tolist(), strict=True):
        children.setdefault(parent, []).append(v)
    takes = np.zeros(network.order, dtype=np.int64)
    for v in tree.nodes[::-1].tolist():
        below = children.get(v, [])
        below.sort(key=lambda w: -takes[w])
        takes[v] = max((i // ports + 1 + takes[w] for i, w in enumerate(below)), default=0)
    for v in tree.nodes.tolist():
        for i, w in enumerate(children.get(v, [])):
            when[w] = when[v] + 1 + i // ports
    return when


_ALL_ROWS = 5_000  # nodes up to which every root is tried
_TRIED = 64  # roots beyond


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
    neighbours = [v for v in network.neighbours(centre) if v >= 0]
    return _best_pair(network, np.asarray([centre, *neighbours]))


def _reach(network: Network, node: int) -> IntArray:
    distance = distances_from(network, node)
    if (distance < 0).any():
        raise DisconnectedError(f"{network.spec} has nodes that cannot reach each other")
    return distance


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


@verified
def central_all_reduce(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """Everybody's share added up everywhere, over a tree that hangs from a central link or node.

    Takes one round less than to a central node and back where a link is as near to everybody.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("heawood")
        >>> print(hopscape.verify(central_all_reduce(net, Goal.all_reduce())))
        holds: all-reduce: 14 of 14 nodes reached in 5 rounds, 26 messages, 0 duplicates
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
    taken = [up, channel[nodes]]
    if u != v:
        across = network.indptr[u] + int(
            np.argmax(network.heads[network.indptr[u] : network.indptr[u + 1]] == v)
        )
        rounds.append(np.asarray([height[u], height[v]]))
        taken.append(np.asarray([across, network.reverse[across]]))
    return Schedule.from_columns(
        network,
        model,
        goal,
        round=np.concatenate(rounds),
        channels=np.concatenate(taken),
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
