"""Multirings with sparse rings: every ring passes through some of the nodes only.

N = m(m - 1) + 1 duplex rings of K places each. The places of a ring are cut into parts of m, and
part g of all rings repeats a block design on the nodes gN..gN + N - 1: ring i holds the residues
i + d for d in a planar difference set (printed with the sign turned: i, i - 1, i - 3, ...). Two
nodes of different residues share exactly one ring, two of the same residue share m.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from hopscape.core.addresses import Addresses, IntArray, MixedRadix
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Facts, Family, Parameter, Symmetry
from hopscape.core.wish import Wish
from hopscape.families.multiring.designs import planar_difference_set

__all__ = ["SparseMultiring"]


class SparseMultiring(Family):
    """Port 2t leads forward and port 2t + 1 backward on the t-th of a node's m rings."""

    name = "sparse_multiring"
    summary = "m(m-1)+1 duplex rings of K places; each node on m of them, any two nodes on a common"
    parameters = (
        Parameter("m", "int", "rings that each node sits on", low=2),
        Parameter("K", "int", "places of each ring; what m does not divide stays empty", low=2),
        Parameter("order", "ints", "another order of the places round every ring", default=()),
    )
    example = "sparse_multiring(2, 10)"

    def __init__(self, m: int, K: int, order: Sequence[int] = ()) -> None:
        self.m, self.K = m, K
        self.offsets = tuple(-d for d in planar_difference_set(m))
        """Residue of each place of a part, less the number of the ring."""
        self.ring_count = m * (m - 1) + 1
        self.parts = K // m
        self.places = m * self.parts
        """Places of each ring that are used."""
        self.spare = K - self.places
        """Places of each ring that stay empty, since a part needs m."""
        if self.parts < 1:
            raise ArgumentError(f"K is {K}; a ring needs at least m = {m} places")
        self._order = tuple(order) or tuple(range(self.places))
        if sorted(self._order) != list(range(self.places)):
            raise ArgumentError(
                f"order must hold each of 0..{self.places - 1} once, in the order round the rings"
            )
        self.order_of_places = self._order
        self._place = np.argsort(np.asarray(self._order))
        self._slot = np.asarray(self._order)
        self._offset = np.asarray(self.offsets)

    @property
    def reordered(self) -> bool:
        """Are the places in another order than the printed one?"""
        return self._order != tuple(range(self.places))

    @property
    def spec(self) -> str:
        inner = f"{self.m}, {self.K}"
        if self.reordered:
            inner += f", order=[{', '.join(map(str, self._order))}]"
        return f"{self.name}({inner})"

    @classmethod
    def members(cls, wish: Wish) -> Iterator[str]:
        """The nearest order for every number of rings per node that has a difference set."""
        for m in range(wish.ports // 2, 1, -1):
            rings = m * (m - 1) + 1
            for size in wish.sizes(step=rings)[:1]:
                try:
                    yield cls(m, size // rings * m).spec
                except ArgumentError:
                    continue

    @property
    def order(self) -> int:
        return self.ring_count * self.parts

    @property
    def ports(self) -> int:
        return 2 * self.m

    @property
    def addresses(self) -> Addresses:
        """Part and residue."""
        return MixedRadix((self.parts, self.ring_count))

    def table(self) -> IntArray:
        """Node at each place of each ring, shape (rings, places); printed with 1 added."""
        part, kind = np.divmod(self._slot, self.m)
        rings = np.arange(self.ring_count)[:, None]
        found: IntArray = part * self.ring_count + (rings + self._offset[kind]) % self.ring_count
        return found

    def neighbours(self, nodes: IntArray) -> IntArray:
        count, places = self.ring_count, self.places
        part, residue = np.divmod(nodes, count)
        out = np.empty((len(nodes), self.ports), dtype=nodes.dtype)
        for t in range(self.m):
            ring = (residue - self.offsets[t]) % count
            place = self._place[part * self.m + t]
            for side, move in ((0, 1), (1, -1)):
                there, kind = np.divmod(self._slot[(place + move) % places], self.m)
                out[:, 2 * t + side] = there * count + (ring + self._offset[kind]) % count
        return out

    def facts(self) -> Facts:
        channels = self.order * self.ports
        return Facts(
            degree_min=self.ports,
            degree_max=self.ports,
            links=channels // 2,
            channels=channels,
            connected=True,
            vertex_transitive=None if self.reordered else True,
        )

    def symmetry(self) -> Symmetry:
        """Residues turn together; in the printed order the parts do, too."""
        if not self.reordered:
            return Symmetry.of_transitive(self.order)
        firsts = tuple(g * self.ring_count for g in range(self.parts))
        return Symmetry(firsts, (self.ring_count,) * self.parts)
