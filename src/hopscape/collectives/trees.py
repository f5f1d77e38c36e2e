"""Spanning trees of shortest paths, and the rounds in which a tree is served."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import DisconnectedError
from hopscape.core.network import Network

__all__ = ["Tree", "serve_tree", "shortest_path_tree"]


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
        ways = np.repeat(starts, counts) + within
        ways = ways[depth[heads[ways]] < 0]
        found, first = np.unique(heads[ways], return_index=True)
        channel[found] = ways[first]
        depth[found] = len(layers)
        frontier = found.astype(np.int64)
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
