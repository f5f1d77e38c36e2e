"""Switches that nothing tells apart: the same neighbours, over as many channels of the same speeds.

The spines of a leaf-spine, the leaves of a pod, the cores above one position of all pods are such
twins. Whatever is asked of shortest paths is the same for all of them, so one of each kind is
looked at: every class of twins becomes one node of a quotient, with its size as a weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hopscape.core.arrays import Floats, IntArray

__all__ = ["Twins"]

_PASSES = 24
"""Times that the quotient's arcs are gone through for a destination, in arrays: levels there and
back."""
_CALLS = 3_000
"""What the arrays of a level cost beside their length, in arcs (about 50 microseconds)."""
_LEAST = 20_000_000
"""Sources times channels below which the loads of the whole graph are there at once."""


@dataclass(frozen=True)
class Twins:
    """A graph of switches with each class of twins as one node.

    Attributes:
        of: int64[switches]: class of each.
        sizes, ends (int64[classes]): Twins of each class, and endpoints at each of them.
        tails, heads (int64[arcs]): Classes between which there are channels, each pair once.
        times (int64[arcs]): Channels between two members.
        arc_of (int64[channels]): Arc of each channel.
    """

    of: IntArray
    sizes: IntArray
    ends: IntArray
    tails: IntArray
    heads: IntArray
    times: IntArray
    arc_of: IntArray

    @classmethod
    def found(
        cls, tails: IntArray, heads: IntArray, speeds: Floats, ends: IntArray
    ) -> Twins | None:
        """The classes of a graph; None where they save too little.

        Twins have the same channels out and in: nodes are compared by these lists, whole. Takes
        time and memory in proportion to the channels, sorted.

        Examples:
            >>> import hopscape
            >>> from hopscape.metrics.throughput import switch_graph
            >>> graph = switch_graph(hopscape.build("leaf_spine(40, 20, 20)"))
            >>> found = Twins.made(graph.tails, graph.heads, graph.speeds, graph.ends)
            >>> found.sizes.tolist()
            [40, 20]
        """
        work = int((ends > 0).sum()) * len(tails)
        if work < _LEAST:
            return None
        made = cls.made(tails, heads, speeds, ends)
        targets = int((made.ends > 0).sum())
        return made if 4 * targets * (_PASSES * len(made.tails) + _CALLS) < work else None

    @classmethod
    def made(cls, tails: IntArray, heads: IntArray, speeds: Floats, ends: IntArray) -> Twins:
        """The classes of a graph, whatever they save."""
        order = len(ends)
        out, into = _rows(order, tails, heads, speeds), _rows(order, heads, tails, speeds)
        number: dict[tuple[int, bytes, bytes], int] = {}
        keys = zip(ends.tolist(), out, into, strict=True)
        of = np.array([number.setdefault(key, len(number)) for key in keys], dtype=np.int64)
        first = np.unique(of, return_index=True)[1]
        sizes = np.bincount(of)
        count = len(sizes)
        kinds, arc_of, channels = np.unique(
            of[tails] * count + of[heads], return_inverse=True, return_counts=True
        )
        a, b = np.divmod(kinds, count)
        times = channels // (sizes[a] * sizes[b])
        return cls(of, sizes, ends[first].astype(np.int64), a, b, times, arc_of.ravel())

    # -- loads --------------------------------------------------------------------------------

    def loads(self) -> tuple[Floats, float]:
        """As :func:`hopscape.metrics.throughput_kernels.even_loads`: of every channel, and hops.

        One destination of each class stands for all: the others load the same channels with the
        twins exchanged.

        Returns:
            loads (float64[channels]), hops: Hops are -1 where some pair has no path, infinite where
                one has too many.
        """
        total, hops = np.zeros(len(self.tails)), 0.0
        for target in np.flatnonzero(self.ends).tolist():
            dist, paths = self._paths_to(target)
            others = self.sizes.copy()  # of each class, without the destination
            others[target] -= 1
            sends = others * self.ends
            if (dist[sends > 0] < 0).any():
                return total[self.arc_of], -1.0
            if np.isinf(paths).any():
                return total[self.arc_of], np.inf
            pieces, own = int(self.sizes[target]), int(self.ends[target])
            hops += pieces * own * float((sends * np.maximum(dist, 0)).sum())
            load, last = self._carried(target, dist, paths, others, own)
            into = self.heads == target
            out = self.tails == target
            total[into] += last[into]
            total[out] += (pieces - 1) * load[out]
            total[~into & ~out] += pieces * load[~into & ~out]
        return total[self.arc_of], hops

    def _paths_to(self, target: int) -> tuple[IntArray, Floats]:
        """Distances of all classes to one member of a class, and numbers of shortest paths.

        The entry of the class itself is that of its other members.
        """
        dist = np.full(len(self.sizes), -1, dtype=np.int64)
        paths = np.zeros(len(self.sizes))
        first = self.heads == target
        dist[self.tails[first]] = 1
        np.add.at(paths, self.tails[first], self.times[first].astype(float))
        near = 1
        while True:
            here = dist[self.heads] == near
            fresh = here & (dist[self.tails] < 0)
            if not fresh.any():
                return dist, paths
            tails, heads = self.tails[fresh], self.heads[fresh]
            with np.errstate(over="ignore"):
                ways = self.sizes[heads] * self.times[fresh] * paths[heads]
                paths += np.bincount(tails, ways, minlength=len(paths))
            near += 1
            dist[tails] = near

    def _carried(
        self, target: int, dist: IntArray, paths: Floats, others: IntArray, own: int
    ) -> tuple[Floats, Floats]:
        """Load of each channel of an arc; and of each channel to the destination itself."""
        with np.errstate(divide="ignore", invalid="ignore"):
            each = np.where(paths > 0, self.ends * float(own) / paths, 0.0)
        each[others == 0] = 0.0
        load = np.zeros(len(self.tails))
        far_of, near_of = dist[self.tails], dist[self.heads]
        for far in range(int(dist.max(initial=0)), 1, -1):
            here = (far_of == far) & (near_of == far - 1)
            tails, heads = self.tails[here], self.heads[here]
            load[here] = each[tails] * paths[heads]
            more = others[tails] * self.times[here] * each[tails]
            each += np.bincount(heads, more, minlength=len(each))
        return load, np.where(self.heads == target, each[self.tails], 0.0)

    # -- distances ----------------------------------------------------------------------------

    @property
    def both_ways(self) -> bool:
        """Has every channel one in the other direction?"""
        count = len(self.sizes)
        there = self.tails * count + self.heads
        back = self.heads * count + self.tails
        order = np.argsort(back)
        return bool(
            np.array_equal(there, back[order]) and np.array_equal(self.times, self.times[order])
        )

    def all_paths(self) -> tuple[IntArray, Floats]:
        """Distances and numbers of shortest paths between all that send and all switches.

        Returns:
            dist (int16[switches, switches]), paths (float64[switches, switches]): Of pairs in which
                nobody has endpoints -1 and 0.
        """
        order, count = len(self.of), len(self.sizes)
        distance = np.full((count, count), -1, dtype=np.int16)
        many = np.zeros((count, count))
        for target in np.flatnonzero(self.ends).tolist():
            dist, paths = self._paths_to(target)
            distance[:, target] = distance[target] = dist
            many[:, target] = many[target] = paths
        dist, paths = distance[np.ix_(self.of, self.of)], many[np.ix_(self.of, self.of)]
        own = np.arange(order)
        sends = self.ends[self.of] > 0
        dist[own[sends], own[sends]], paths[own[sends], own[sends]] = 0, 1.0
        return dist, paths


def _rows(order: int, tails: IntArray, heads: IntArray, speeds: Floats) -> list[bytes]:
    """For each node its channels and their speeds, sorted, as bytes."""
    by = np.lexsort((speeds, heads, tails))
    begin = np.concatenate([[0], np.cumsum(np.bincount(tails, minlength=order))]).tolist()
    there, speed = heads[by].astype(np.int64), speeds[by].astype(np.float64)
    return [there[a:b].tobytes() + speed[a:b].tobytes() for a, b in pairwise(begin)]
