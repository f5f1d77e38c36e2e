"""A network with whole capacities as arcs for flows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.network import Network

__all__ = ["Arcs"]


@dataclass(frozen=True)
class Arcs:
    """A directed graph with whole capacities; arc 2e is edge e, arc 2e + 1 goes back.

    Examples:
        >>> import hopscape
        >>> arcs = Arcs.of(hopscape.build("ring(3)"))
        >>> arcs.nodes, len(arcs.tails), arcs.csr()[0]
        (3, 6, array([ 0,  4,  8, 12]))
    """

    nodes: int
    tails: IntArray
    heads: IntArray
    capacity: IntArray

    @classmethod
    def of(cls, network: Network) -> Arcs:
        """The channels of a network, without loops, with what they carry in a round."""
        real = network.tails != network.heads
        ends = network.tails[real].astype(np.int64), network.heads[real].astype(np.int64)
        return cls(network.order, *ends, network.room()[real])

    def csr(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """`indptr`, `arcs`, `heads` and capacities by arc, as the kernels take them."""
        ends = np.stack([self.heads, self.tails], axis=1).ravel().astype(np.int64)
        starts = np.stack([self.tails, self.heads], axis=1).ravel()
        left = np.zeros(len(ends), dtype=np.int64)
        left[::2] = self.capacity
        by_start = np.argsort(starts, kind="stable")
        counts = np.bincount(starts, minlength=self.nodes)
        indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return indptr, by_start.astype(np.int64), ends, left

    def with_top(self, roots: IntArray) -> Arcs:
        """The same with one more node, the last, and an arc of capacity 0 from it to each root."""
        top = np.full(len(roots), self.nodes, dtype=np.int64)
        return Arcs(
            self.nodes + 1,
            np.concatenate([self.tails, top]),
            np.concatenate([self.heads, roots]),
            np.concatenate([self.capacity, np.zeros(len(roots), np.int64)]),
        )
