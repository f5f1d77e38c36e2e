"""Orbits of nodes and channels under symmetries that leave no node in place."""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.core.processes import require_memory

__all__ = ["Orbits"]


class Orbits:
    """The orbits of nodes and channels under a group that acts freely.

    Args:
        network: Without parallel links.
        moves (int64[members, order], optional): The group, one permutation of the nodes in each
            row; what the family answers (:meth:`Family.rotations`) when left out, or the identity
            alone.

    Attributes:
        own (int64[orbits]): The lowest node of each orbit.
        orbit (int64[order]): The orbit of each node.
        move (int64[order]): The member that moves the lowest node of its orbit to each node.
        kinds (int64[channels]): The kind of each channel.
    """

    def __init__(self, network: Network, moves: IntArray | None = None) -> None:
        self.network = network
        everybody = np.arange(network.order)
        if moves is None and network.family is not None:
            moves = network.family.rotations()
        self.moves = everybody[None, :] if moves is None else moves
        require_memory(24 * self.moves.size, f"the symmetries of {network.spec}")
        self.inverse = np.argsort(self.moves, axis=1)
        first = self.moves.min(axis=0)
        self.own, self.orbit = np.unique(first, return_inverse=True)
        self.move = np.argmax(self.inverse == first[None, :], axis=0)
        tails, heads = network.tails.astype(np.int64), network.heads.astype(np.int64)
        self._keys = tails * network.order + heads
        self._sorted = np.argsort(self._keys, kind="stable")
        again = self._keys[self._sorted]
        if (again[1:] == again[:-1]).any():
            raise ArgumentError(
                f"{network.spec} has parallel links; the orbits of links need names"
            )
        home = self.channels(self.own[self.orbit[tails]], self.inverse[self.move[tails], heads])
        _, self.kinds = np.unique(home, return_inverse=True)

    @property
    def members(self) -> int:
        """Size of the group."""
        return len(self.moves)

    def fault(self) -> str:
        """What is wrong with the group or the kinds of channels; empty when nothing is.

        Automorphisms that generate all the others, none of which leaves a node in place.
        """
        everybody = np.arange(self.network.order)
        still = (self.moves == everybody).sum(axis=1)
        if sorted(still.tolist()) != [0] * (self.members - 1) + [self.network.order]:
            return "a symmetry leaves some nodes in place and moves others"
        row_of = np.full(self.network.order, -1)
        row_of[self.moves[:, 0]] = np.arange(self.members)
        for move in self._generators(row_of):
            if (self.moves[row_of[move[self.moves[:, 0]]]] != move[self.moves]).any():
                return "the symmetries are no group"
            tails, heads = move[self.network.tails], move[self.network.heads]
            ways = self.channels(tails, heads)
            if (self._keys[ways] != tails * self.network.order + heads).any():
                return "a symmetry does not lead links to links"
            if (self.kinds[ways] != self.kinds).any():
                return "a symmetry leads a channel to one of another kind"
        if (np.bincount(self.kinds) != self.members).any():
            return "a kind has more or fewer channels than there are symmetries"
        return ""

    def _generators(self, row_of: IntArray) -> list[IntArray]:
        """Members that generate the group, by where they lead node 0."""
        reached = np.zeros(self.members, dtype=bool)
        reached[row_of[0]] = True
        chosen: list[IntArray] = []
        while not reached.all():
            row = int(np.argmin(reached))
            chosen.append(self.moves[row])
            reached[row] = True
            fresh = self.moves[reached, 0]
            while len(fresh):
                rows = np.unique(row_of[np.concatenate([move[fresh] for move in chosen])])
                rows = rows[(rows >= 0) & ~reached[rows]]
                reached[rows] = True
                fresh = self.moves[rows, 0]
        return chosen

    def channels(self, tails: IntArray, heads: IntArray) -> IntArray:
        """The channels between neighbours."""
        wanted = np.asarray(tails, dtype=np.int64) * self.network.order + heads
        place = np.searchsorted(self._keys, wanted, sorter=self._sorted)
        return self._sorted[np.minimum(place, len(self._sorted) - 1)]

    def spread(
        self, rounds: IntArray, channels: IntArray, origins: IntArray, targets: IntArray | None
    ) -> tuple[IntArray, IntArray, IntArray]:
        """Rounds, channels and chunks of all nodes from those of one node per orbit.

        Chunks are numbered by origin, or by origin and target.
        """
        order, group = self.network.order, len(self.moves)
        require_memory(60 * group * len(rounds), f"a schedule on {self.network.spec}")
        tails, heads = self.network.tails[channels], self.network.heads[channels]
        ways = np.empty((group, len(rounds)), dtype=np.int64)
        chunks = np.empty((group, len(rounds)), dtype=np.int64)
        for i, move in enumerate(self.moves):
            ways[i] = self.channels(move[tails], move[heads])
            chunks[i] = move[origins] if targets is None else move[origins] * order + move[targets]
        return np.tile(rounds, group), ways.ravel(), chunks.ravel()
