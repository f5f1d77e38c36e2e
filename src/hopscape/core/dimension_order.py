"""Dimension order: one axis after the other, each by a shortest path in its line.

H. Sullivan and T. R. Bashkow, 1977 (hypercubes); W. J. Dally and C. L. Seitz, 1987 (tori).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.model import Circuits
from hopscape.core.network import Network
from hopscape.core.processes import require_memory

__all__ = ["Grid", "grid_for", "grid_of"]


class Grid(NamedTuple):
    """The axes of a network, and distances along them.

    Attributes:
        axis (int64[channels]): The axis along which each channel leads.
        place (int64[order, axes]): Where a node is on the line of each axis, from 0.
        start, side (int64[axes]): Hops from node v to place p of its line along axis a, by channels
            of this axis only, are ``hops[start[a] + v * side[a] + p]``.
        hops: int32[...]
    """

    axis: IntArray
    place: IntArray
    start: IntArray
    side: IntArray
    hops: IntArray

    def turned(self) -> Grid:
        """The same axes, counted from the last to the first."""
        return Grid(
            len(self.side) - 1 - self.axis,
            np.ascontiguousarray(self.place[:, ::-1]),
            self.start[::-1].copy(),
            self.side[::-1].copy(),
            self.hops,
        )

    def distance(self, sources: IntArray, targets: IntArray) -> IntArray:
        """Hops of the routes between nodes."""
        out = np.zeros(np.broadcast(sources, targets).shape, dtype=np.int64)
        for a in range(len(self.side)):
            out += self.hops[self.start[a] + sources * self.side[a] + self.place[targets, a]]
        return out

    def ordered(self, network: Network, path_start: IntArray, channels: IntArray) -> IntArray:
        """Which paths go axis by axis, in order, and are no longer than that takes."""
        falls = np.zeros(len(channels) + 1, dtype=np.int64)
        falls[1:-1] = np.diff(self.axis[channels]) < 0
        first = path_start[:-1]
        inside = np.concatenate([[0], np.cumsum(falls)])
        turns = inside[path_start[1:]] - inside[np.minimum(first + 1, path_start[1:])]
        ends = network.heads[channels[path_start[1:] - 1]].astype(np.int64)
        needed = self.distance(network.tails[channels[first]].astype(np.int64), ends)
        out: IntArray = (turns == 0) & (np.diff(path_start) == needed)
        return out


def grid_of(network: Network) -> Grid:
    """The axes of a network whose channels each change one entry of the address.

    Raises:
        ArgumentError: When there are no such axes, or their lines do not hang together.

    Examples:
        >>> import hopscape
        >>> grid = grid_of(hopscape.build("torus(4, 5)"))
        >>> grid.side.tolist(), int(grid.distance(np.array(0), np.array(13)))
        ([4, 5], 4)
    """
    from hopscape.core.grid_kernels import line_hops

    if network.addresses.width < 2 and not hasattr(network.family, "sides"):
        raise ArgumentError(_refusal(network, "its nodes have no address of several entries"))
    at = np.asarray(network.addresses.tuples(np.arange(network.order)), dtype=np.int64)
    moved = at[network.tails] != at[network.heads]
    if (moved.sum(axis=1) != 1).any():
        c = int(np.argmax(moved.sum(axis=1) != 1))
        ends = f"{network.tails[c]} and {network.heads[c]}"
        raise ArgumentError(_refusal(network, f"the link of nodes {ends} is along no axis"))
    place = np.empty_like(at)
    for a in range(at.shape[1]):
        place[:, a] = np.unique(at[:, a], return_inverse=True)[1].reshape(-1)
    side = place.max(axis=0, initial=0) + 1
    start = np.concatenate([[0], np.cumsum(side[:-1] * network.order)]).astype(np.int64)
    require_memory(
        4 * network.order * int(side.sum()), f"distances along the axes of {network.spec}"
    )
    axis = np.argmax(moved, axis=1).astype(np.int64)
    indptr, heads = network.indptr.astype(np.int64), network.heads.astype(np.int64)
    hops = line_hops(indptr, heads, axis, place, start, side)
    if (hops < 0).any():
        raise ArgumentError(_refusal(network, "the lines along its axes are not whole"))
    return Grid(axis, place, start, side, hops)


def grid_for(network: Network, circuits: Circuits) -> Grid:
    """The axes in the order in which circuits run along them."""
    grid = grid_of(network)
    return grid.turned() if circuits == "last-axis-first" else grid


def _refusal(network: Network, why: str) -> str:
    return (
        f"dimension-ordered circuits are for tori, meshes and their like, not {network.spec}: {why}"
    )
