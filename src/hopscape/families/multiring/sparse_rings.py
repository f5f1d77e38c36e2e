"""The wiring of multirings with sparse rings: every ring passes through some of the nodes only.

N duplex rings of K places each. The places of a ring are cut into parts of m, and part g of all
rings repeats a block design on the nodes gN..gN + N - 1: with the design B(N, m, 1) ring i holds
the residues i - d for d in a planar difference set. Two nodes of different residues share σ rings
(at least one, by a difference cover), two of the same residue share m.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Self

import numpy as np

from hopscape.algebra.designs.places import Blocks, ring_blocks, ring_count
from hopscape.core.addresses import Addresses, MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Facts, Family, Layout, Parameter, Symmetry, integers
from hopscape.core.layout import circle
from hopscape.core.memory import require_memory
from hopscape.core.requirement import Requirement

__all__ = ["SparseRings"]


class SparseRings(Family):
    """Port 2t leads forward and port 2t + 1 backward on the t-th of a node's m rings."""

    name = "sparse_multiring"
    summary = "duplex rings of K places; each node on m of them, any two nodes on a common one"
    parameters = (
        *integers(
            m=("rings that each node sits on", 2),
            K=("places of each ring; what m does not divide stays empty", 2),
        ),
        Parameter("order", "ints", "another order of the places round every ring", default=()),
        Parameter(
            "sigma", "int", "rings that two nodes share: N = m(m-1)/sigma + 1", low=1, default=1
        ),
        Parameter(
            "rings", "int", "rings of a difference cover in place of a design", low=2, default=None
        ),
    )
    example = "sparse_multiring(2, 10)"

    def __init__(
        self,
        m: int,
        K: int,
        order: Sequence[int] = (),
        sigma: int = 1,
        rings: int | None = None,
    ) -> None:
        self.m, self.K, self.sigma, self.rings = m, K, sigma, rings
        self.ring_count = ring_count(m, sigma, rings)
        self.parts = K // m
        self.places = m * self.parts
        """Places of each ring that are used."""
        self.spare = K - self.places
        """Places of each ring that stay empty, since a part needs m."""
        if self.parts < 1:
            raise ArgumentError(f"K is {K}; a ring needs at least m = {m} places")
        if order and (len(order) != self.places or sorted(order) != list(range(self.places))):
            raise ArgumentError(
                f"order must hold each of 0..{self.places - 1} once, in the order round the rings"
            )
        self.blocks: Blocks = ring_blocks(m, sigma, rings)
        self._slot: IntArray | None = None
        self._place: IntArray | None = None
        if any(i != slot for i, slot in enumerate(order)):
            self._slot = np.asarray(order, dtype=np.int64)
            self._place = np.argsort(self._slot)

    @property
    def reordered(self) -> bool:
        """Are the places in another order than the printed one?"""
        return self._slot is not None

    @cached_property
    def order_of_places(self) -> tuple[int, ...]:
        """The slot (part times m and place in it) at every place round the rings."""
        require_memory(40 * self.places, f"the places of {self.spec}")
        return tuple(range(self.places)) if self._slot is None else tuple(self._slot.tolist())

    @property
    def spec(self) -> str:
        inner = f"{self.m}, {self.K}"
        if self._slot is not None:
            inner += f", order=[{', '.join(map(str, self._slot.tolist()))}]"
        if self.sigma != 1:
            inner += f", sigma={self.sigma}"
        if self.rings is not None:
            inner += f", rings={self.rings}"
        return f"{self.name}({inner})"

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """The nearest order for every number of rings per node that has a difference set."""
        for m in range(requirement.ports // 2, 1, -1):
            rings = m * (m - 1) + 1
            for size in requirement.sizes(step=rings)[:1]:
                try:
                    yield cls(m, size // rings * m).spec
                except ArgumentError:
                    continue

    def in_order(self, order: Sequence[int]) -> Self:
        """The same rings with their places in another order."""
        return type(self)(self.m, self.K, order, self.sigma, self.rings)

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

    def place_of(self, slots: IntArray) -> IntArray:
        """Where round the rings some slots are."""
        return slots if self._place is None else self._place[slots.astype(np.int64)]

    def slot_at(self, places: IntArray) -> IntArray:
        """The slots at some places round the rings."""
        return places if self._slot is None else self._slot[places.astype(np.int64)]

    def table(self) -> IntArray:
        """Node at each place of each ring, shape (rings, places); printed with 1 added."""
        require_memory(24 * self.ring_count * self.places, f"the table of {self.spec}")
        part, kind = np.divmod(self.slot_at(np.arange(self.places)), self.m)
        found: IntArray = part * self.ring_count + self.blocks.residue[:, kind]
        return found

    def neighbours(self, nodes: IntArray) -> IntArray:
        count, places, m = self.ring_count, self.places, self.m
        part, row = nodes // count, (nodes % count).astype(np.int64)
        out = np.empty((len(nodes), self.ports), dtype=nodes.dtype)
        for t in range(m):
            ring = self.blocks.ring[row, t]
            place = self.place_of(part * m + t)
            for side, move in ((0, 1), (1, -1)):
                slot = self.slot_at((place + move) % places)
                held = self.blocks.residue[ring, (slot % m).astype(np.int64)]
                out[:, 2 * t + side] = slot // m * count + held
        return out

    def facts(self) -> Facts:
        return Facts.regular(
            self.order,
            self.ports,
            connected=True,
            vertex_transitive=True if not self.reordered and self.blocks.base else None,
        )

    def layout(self) -> Layout:
        """Residues round a circle, each part on one of its own."""
        part, residue = np.divmod(np.arange(self.order), self.ring_count)
        spread = 1 + 0.45 * part / max(1, (self.ring_count + 8) // 12)
        return Layout(circle(self.ring_count)[residue] * spread[:, None])

    def symmetry(self) -> Symmetry | None:
        """Residues turn together where a group does; in the printed order the parts do, too."""
        count, parts = self.ring_count, self.parts
        if self.blocks.base is None:
            return None if self.reordered else Symmetry(tuple(range(count)), (parts,) * count)
        if not self.reordered:
            return Symmetry.of_transitive(self.order)
        firsts = tuple(g * count for g in range(parts))
        return Symmetry(firsts, (count,) * parts)
