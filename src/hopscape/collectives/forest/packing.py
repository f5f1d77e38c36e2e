"""Spanning trees packed into a graph: so many of every root, no arc beyond its room."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hopscape.collectives.forest.arcs import Arcs
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ScheduleError
from hopscape.core.progress import check_time, track

__all__ = ["Bundle", "pack_trees"]

_STAGES = 8
_ROOM = 64


@dataclass(frozen=True)
class Bundle:
    """The trees of one root.

    Attributes:
        arc (int64[kinds, nodes]): The arc by which each node hangs, in each kind of tree; -1 at the
            root.
        copies (int64[kinds]): How many trees are of each kind.
    """

    root: int
    arc: IntArray
    copies: IntArray


def pack_trees(graph: Arcs, trees: int, what: str) -> list[Bundle]:
    """Pack `trees` spanning trees of every node into a graph that has room for them.

    There is room if and only if every set of nodes, not all, has at least `trees` times its nodes
    of room on the arcs that leave it (Edmonds 1973). Trees grow arc by arc; an arc is taken as
    often as a flow shows that all trees still to be grown find their room (Lovász 1976; with
    several trees at once: Bérczi and Frank 2009).

    Args:
        graph: With nodes 0..n-1, all of which are roots.
        what: For messages.

    Examples:
        >>> import hopscape
        >>> ring = Arcs.of(hopscape.build("ring(3)"))
        >>> [bundle.copies.tolist() for bundle in pack_trees(ring, 1, "a ring")]
        [[1], [1], [1]]
    """
    asks = np.full(graph.nodes, trees, dtype=np.int64)
    packer = _Packer(graph)
    out = []
    for root in track(range(graph.nodes), f"trees of {what}", graph.nodes):
        check_time(f"packing the trees of {what}")
        asks[root] = 0
        out.append(packer.grow(root, trees, asks))
    return out


class _Packer:
    """A graph with the helpers that :func:`grow_trees` wants, and what is left of its room."""

    def __init__(self, graph: Arcs) -> None:
        self.graph = graph
        self.stages, self.kinds = _STAGES, _ROOM
        self.free = np.zeros(2 * len(graph.tails), dtype=np.int64)
        self.free[::2] = graph.capacity
        self.prepare()

    def prepare(self) -> None:
        """Add rivals after the nodes and the top after them, with arcs from each to all nodes."""
        graph, stages = self.graph, self.stages
        nodes, rivals = np.arange(graph.nodes), graph.nodes + np.arange(stages)
        top = graph.nodes + stages
        tails = [graph.tails, np.full(graph.nodes + stages, top), np.repeat(rivals, graph.nodes)]
        heads = [graph.heads, nodes, rivals, np.tile(nodes, stages)]
        extra = np.zeros(graph.nodes + stages + stages * graph.nodes, dtype=np.int64)
        room = np.concatenate([graph.capacity, extra])
        whole = Arcs(top + 1, np.concatenate(tails), np.concatenate(heads), room)
        self.indptr, self.arcs, self.heads, _ = whole.csr()

    def grow(self, root: int, trees: int, asks: IntArray) -> Bundle:
        """The trees of one root; room and stages are doubled where they do not suffice."""
        from hopscape.collectives.forest.flow_kernels import grow_trees

        while True:
            arc = np.full((self.kinds, self.graph.nodes), -1, dtype=np.int64)
            copies = np.zeros(self.kinds, dtype=np.int64)
            copies[0] = trees
            free = self.free.copy()
            many = grow_trees(
                self.indptr, self.arcs, self.heads, free, asks, root, self.stages, arc, copies
            )
            if many > 0:
                self.free = free
                found = arc[:many]
                return Bundle(root, np.where(found < 0, -1, found // 2), copies[:many])
            if many == -2:
                raise ScheduleError(f"no room for the trees of node {root}")
            self.stages, self.kinds = 2 * self.stages, 2 * self.kinds
            self.prepare()
