"""A network with whole capacities as arcs for flows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hopscape.core.addresses import IntArray

__all__ = ["Arcs"]


@dataclass
class Arcs:
    """A directed graph with capacities; arc 2e is edge e, arc 2e + 1 goes back."""

    nodes: int
    tails: IntArray
    heads: IntArray
    capacity: IntArray

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
