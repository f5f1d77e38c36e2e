"""Shifts of a two-level machine: what one supernode knows, all know.

Where the outer network has a group of shifts that keep its port numbers (complete graphs, rings,
tori, hypercubes, switches from difference sets), the whole machine has them too. A node is then a
*position* (a place in a supernode, or an orbit of outer switches) and an *element* of the group,
and everything about two nodes depends on two positions and one difference: tables of R·N entries
for R positions, never of N².
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hopscape.core.addresses import MixedRadix
from hopscape.core.arrays import NARROW, IntArray, NoWay
from hopscape.core.errors import DisconnectedError
from hopscape.core.family import Symmetry
from hopscape.core.processes import require_memory
from hopscape.papers.blockdesign.covers import abelian_groups
from hopscape.papers.blockdesign.crossbars import Crossbars
from hopscape.papers.blockdesign.difference_sets import AbelianGroup
from hopscape.papers.blockdesign.supernodes import Supernodes

if TYPE_CHECKING:
    from hopscape.papers.blockdesign.two_level_kernels import Shifted

__all__ = ["ShiftOrbits", "find_orbits"]

_FEW_GROUPS = 10_000  # supernodes up to which all abelian groups of the order are tried


class ShiftOrbits:
    """Nodes as positions and elements.

    Attributes:
        group: The shifts; it has as many elements as there are supernodes.
        positions (int): Places of a supernode, then orbits of outer switches.
        leads, shifts (int32[positions, ports]): Position and shift of the node at each port of
            element 0; -1 where nothing is wired.
    """

    def __init__(self, family: Supernodes, group: AbelianGroup) -> None:
        self.family, self.group = family, group
        self.places = family.supernode.order
        self.positions = self.places + family.between.order // family.count - 1
        require_memory(
            16 * len(self.representatives) * family.ports, f"the orbits of {family.spec}"
        )
        rows = family.neighbours(self.representatives)
        position, element = self.split(np.maximum(rows, 0))
        self.leads = np.where(rows >= 0, position, -1).astype(np.int32)
        self.shifts = np.where(rows >= 0, element, 0).astype(np.int32)

    @property
    def representatives(self) -> IntArray:
        """The node of element 0 at every position."""
        every = np.arange(self.positions)
        return self.node(every, np.zeros_like(every))

    def split(self, nodes: IntArray) -> tuple[IntArray, IntArray]:
        """Positions and elements of nodes."""
        group, place = self.family.position(nodes)
        outer = group < 0
        orbit, element = np.divmod(place, self.family.count)
        return np.where(outer, self.places + orbit, place), np.where(outer, element, group)

    def node(self, position: IntArray, element: IntArray) -> IntArray:
        """The node of an element at a position."""
        outer = (position - self.places) * self.family.count + element + self.family.first_outer
        inside = self.family.node_at(element, position)
        return np.where(position < self.places, inside, outer)

    def symmetry(self) -> Symmetry:
        """One orbit for every position."""
        count = self.family.count
        return Symmetry(tuple(self.representatives.tolist()), (count,) * self.positions)

    @property
    def entries(self) -> int:
        """Size of the table of distances."""
        return self.positions**2 * self.family.count

    @cached_property
    def moduli(self) -> IntArray:
        """The group for the kernels."""
        return np.asarray(self.group.moduli, dtype=np.int64)

    @cached_property
    def table(self) -> IntArray:
        """Distances by position, position and difference; the largest number where no path is."""
        from hopscape.papers.blockdesign.two_level_kernels import fill_distances

        shape = (self.positions, self.positions, self.family.count)
        for narrow in NARROW:
            size = self.entries * np.dtype(narrow).itemsize
            require_memory(size, f"the distances of {self.family.spec}")
            out = np.full(shape, NoWay(narrow).value, dtype=narrow)
            if fill_distances(self.leads, self.shifts, self.moduli, out):
                return out
        raise AssertionError("distances beyond 2**31")

    @property
    def wiring(self) -> Shifted:
        """What the kernels work on."""
        from hopscape.papers.blockdesign.two_level_kernels import Shifted

        return Shifted(self.leads, self.shifts, self.moduli, self.table)

    def loads(self) -> IntArray:
        """Packets over each port of each position when every endpoint sends to every other one."""
        from hopscape.papers.blockdesign.two_level_kernels import count_loads

        counts, lost = count_loads(self.wiring, self.family.size)
        if lost >= 0:
            raise DisconnectedError(f"node {lost} does not reach all others in {self.family.spec}")
        return counts


def find_orbits(family: Supernodes) -> ShiftOrbits | None:
    """Orbits under the first group of shifts that the outer network turns out to have."""
    count = family.count
    if family.between.order % count or family.order > 2**62:
        return None
    tried: set[tuple[int, ...]] = set()
    for moduli in _candidates(family):
        if moduli not in tried and AbelianGroup(moduli).order == count:
            tried.add(moduli)
            if _keeps_ports(family, AbelianGroup(moduli)):
                return ShiftOrbits(family, AbelianGroup(moduli))
    return None


def _candidates(family: Supernodes) -> Iterator[tuple[int, ...]]:
    yield (family.count,)
    between = family.between
    if isinstance(between.addresses, MixedRadix):
        yield tuple(side for side in between.addresses.sides if side > 1)
    if isinstance(between.family, Crossbars) and between.family.design.base is not None:
        yield between.family.design.base.moduli
    if family.count <= _FEW_GROUPS:
        yield from abelian_groups(family.count)


def _keeps_ports(family: Supernodes, group: AbelianGroup) -> bool:
    """Does every shift lead ports to ports of the same number, at both ends?"""
    heads, arrive = family.outer
    every = np.arange(len(heads))
    block, element = np.divmod(every, family.count)
    for generator in _generators(group.moduli):
        moved = block * family.count + group.add(element, generator)
        if not (arrive[moved] == arrive).all():
            return False
        if not (heads[moved] == np.where(heads >= 0, moved[heads], -1)).all():
            return False
    return True


def _generators(moduli: tuple[int, ...]) -> Iterator[int]:
    stride = 1
    for side in reversed(moduli):
        if side > 1:
            yield stride
        stride *= side
