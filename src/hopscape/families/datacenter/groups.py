"""Groups of routers, and the global links between groups."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.router import Nodes
from hopscape.families.datacenter.routers import FormulaFamily, TerminalRouter

__all__ = ["ARRANGEMENTS", "Bipartite", "GlobalLinks", "GroupFamily", "GroupRouter", "RouterGroup"]

# entries, of 8 bytes: 64 MB; without it a route looks at every link between two groups
_TABLE_SIZE = 8_000_000
ARRANGEMENTS = ("relative", "absolute", "palmtree")


class RouterGroup(Protocol):
    """How the routers of a group are joined: distances, ports and masks inside it."""

    order: int
    degree: int
    gate_degree: int
    """Ports inside the group of routers that have global ports, too."""

    def neighbours(self, nodes: IntArray) -> IntArray:
        """Whom the ports lead to; -1: not wired."""

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        """Hops inside the group."""

    def ports(self, at: IntArray, to: IntArray, choice: IntArray) -> IntArray:
        """The port of a shortest path; anything on arrival."""

    def port(self, at: int, to: int, choice: int) -> int:
        """The same for one pair of different routers."""

    def masks(self, at: IntArray, to: IntArray) -> IntArray:
        """All ports that begin a shortest path."""


class Bipartite:
    """Leaves 0 .. l-1 and spines l .. l+s-1, every leaf joined to every spine."""

    def __init__(self, leaves: int, spines: int) -> None:
        self.leaves, self.spines = leaves, spines
        self.order, self.degree = leaves + spines, max(leaves, spines)
        self.gate_degree = leaves

    def neighbours(self, nodes: IntArray) -> IntArray:
        """Whom the ports lead to; -1: not wired."""
        port = np.arange(self.degree)
        leaf = (nodes < self.leaves)[:, None]
        up = np.where(port < self.spines, self.leaves + port, -1)
        return np.where(leaf, up, np.where(port < self.leaves, port, -1)).astype(nodes.dtype)

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        """0, 1 or 2."""
        other = (at < self.leaves) != (to < self.leaves)
        return np.where(at == to, 0, np.where(other, 1, 2))

    def ports(self, at: IntArray, to: IntArray, choice: IntArray) -> IntArray:
        """Across at once, or by way of any router of the other side."""
        leaf = at < self.leaves
        other = leaf != (to < self.leaves)
        straight = np.where(leaf, to - self.leaves, to)
        return np.where(other, straight, choice % np.where(leaf, self.spines, self.leaves))

    def port(self, at: int, to: int, choice: int) -> int:
        """The same for one pair of different routers."""
        leaf = at < self.leaves
        if leaf != (to < self.leaves):
            return to - self.leaves if leaf else to
        return choice % (self.spines if leaf else self.leaves)

    def masks(self, at: IntArray, to: IntArray) -> IntArray:
        """All ports that begin a shortest path."""
        port = np.arange(self.degree)
        leaf = at < self.leaves
        other = (leaf != (to < self.leaves))[:, None]
        straight = np.where(leaf, to - self.leaves, to)[:, None]
        wired = port < np.where(leaf, self.spines, self.leaves)[:, None]
        mask: IntArray = np.where(other, port == straight, wired & (at != to)[:, None])
        return mask.astype(bool)


class GlobalLinks:
    """As many links between any two groups as the global ports of a group allow.

    The global ports of a group are numbered 0 .. slots-1 and shared out evenly among its routers,
    in their order. Port k leads, by the arrangement (Hastings et al., "Comparing global link
    arrangements for dragonfly networks", CLUSTER 2015; Camarero, Vallejo and Beivide, TACO 2014),
    with j = k modulo (groups - 1):

    - relative: from group g to group g + j + 1,
    - palmtree: to group g - j - 1,
    - absolute: to group j, or j + 1 from g = j on.

    Args:
        groups, routers, ports: Groups, routers of a group that have global ports, and ports of
            each.
    """

    def __init__(self, groups: int, routers: int, ports: int, arrangement: str) -> None:
        self.groups, self.routers, self.arrangement = groups, routers, arrangement
        self.copies = routers * ports // (groups - 1) if groups > 1 else 0
        self.slots = self.copies * (groups - 1)
        self.degree = -(-self.slots // routers)
        self.links = groups * self.slots // 2

    def first(self, router: Nodes) -> Nodes:
        """The first global port of a router."""
        return -(-router * self.slots // self.routers)

    def owner(self, slot: Nodes) -> Nodes:
        """The router that has this global port."""
        return slot * self.routers // max(self.slots, 1)

    def other(self, group: IntArray, slot: IntArray) -> tuple[IntArray, IntArray]:
        """The group and global port at the other end."""
        step = slot % (self.groups - 1)
        if self.arrangement == "absolute":
            there = step + (step >= group)
            back = slot - step + group - (group > there)
            return there, back
        sign = 1 if self.arrangement == "relative" else -1
        return (group + sign * (step + 1)) % self.groups, self.slots - 1 - slot

    def slot(self, group: Nodes, other: Nodes, copy: int | Nodes) -> Nodes:
        """The global port of the link of this number from one group to another."""
        if self.arrangement == "absolute":
            step = other - (other > group)
        elif self.arrangement == "relative":
            step = (other - group - 1) % self.groups
        else:
            step = (group - other - 1) % self.groups
        return copy * (self.groups - 1) + step

    @property
    def keys(self) -> int:
        """In how many ways two groups can lie to each other, as far as their links differ."""
        return self.groups**2 if self.arrangement == "absolute" else self.groups

    def key(self, group: Nodes, other: Nodes) -> Nodes:
        """How two groups lie to each other."""
        if self.arrangement == "absolute":
            return group * self.groups + other
        return (other - group) % self.groups

    def key_groups(self, key: IntArray) -> tuple[IntArray, IntArray]:
        """Two groups that lie so to each other."""
        if self.arrangement == "absolute":
            return key // self.groups, key % self.groups
        return np.zeros_like(key), key

    def neighbours(self, group: IntArray, router: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Group and router at the other end of each global port of routers, and is it wired?"""
        slot = self.first(router)[:, None] + np.arange(self.degree)
        wired = slot < self.first(router + 1)[:, None]
        slot = np.where(wired, slot, 0)
        there, back = self.other(np.broadcast_to(group[:, None], slot.shape), slot)
        return there, self.owner(back), wired


class GroupFamily(FormulaFamily):
    """Groups joined by global links; routers of a group that carry endpoints come first."""

    group: RouterGroup
    between: GlobalLinks
    gates: int
    """Number of the first router of a group with global ports (all after it have them)."""

    def places(self, routers: IntArray) -> tuple[IntArray, IntArray]:
        """Group of each router, and its number in the group."""
        return routers // self.group.order, routers % self.group.order

    def place(self, router: int) -> tuple[int, int]:
        """The same for one router."""
        return divmod(router, self.group.order)

    def number(self, group: IntArray, router: IntArray) -> IntArray:
        """The router of this number in a group."""
        return group * self.group.order + router

    @property
    def routers(self) -> int:
        return self.between.groups * self.group.order

    @property
    def router_degree(self) -> int:
        """The first ports stay in the group, the next are global."""
        return max(self.group.degree, self.group.gate_degree + self.between.degree)

    def router_neighbours(self, routers: IntArray) -> IntArray:
        group, local = self.places(routers)
        out = np.full((len(routers), self.router_degree), -1, dtype=routers.dtype)
        width = self.group.degree
        neighbours = self.group.neighbours(local)
        out[:, :width] = np.where(neighbours >= 0, self.number(group[:, None], neighbours), -1)
        gate = np.flatnonzero(local >= self.gates)
        if self.between.slots and len(gate):
            there, router, wired = self.between.neighbours(group[gate], local[gate] - self.gates)
            beyond = self.number(there, router + self.gates)
            first = self.group.gate_degree
            out[gate, first : first + self.between.degree] = np.where(wired, beyond, -1)
        return out


class GroupRouter(TerminalRouter):
    """Local, global, local: one global link, the one with the fewest local hops around it.

    Shortest among the routes that pass no third group, which is what dragonflies call minimal; a
    way over a third group may be shorter.
    """

    name = "local, global, local"
    _family: GroupFamily

    def __init__(self, network: object, family: GroupFamily) -> None:
        super().__init__(network, family)  # type: ignore[arg-type]
        self.exact = family.between.groups == 1

    def goal_keys(self) -> tuple[IntArray, IntArray] | None:
        """The router of an endpoint where no choice is left: one link, complete groups."""
        family = self._family
        group = family.group
        if family.between.copies > 1 or group.degree != group.order - 1 or not family.terminals:
            return None
        _, owners = self._owners(np.arange(family.order))
        return np.zeros(family.order, dtype=np.uint8), np.stack([owners, owners])

    @property
    def turn(self) -> int:
        """A group: where global links go by the difference of groups, all groups look alike."""
        family = self._family
        alike = family.between.arrangement != "absolute" and family.carriers == family.routers
        return family.group.order if alike else 0

    def _links(
        self, at: IntArray, to: IntArray, copy: int | IntArray
    ) -> tuple[IntArray, IntArray, IntArray]:
        """One link between the groups: its gate here, its gate there, and its global port."""
        between, gates = self._family.between, self._family.gates
        slot = between.slot(at, to, copy)
        _, back = between.other(at, slot)
        return between.owner(slot) + gates, between.owner(back) + gates, slot

    def _lengths(
        self, at: IntArray, to: IntArray, copy: int | IntArray
    ) -> tuple[IntArray, IntArray, IntArray]:
        """Hops by one link, its gate here, and its global port."""
        family = self._family
        (here, i), (there, j) = family.places(at), family.places(to)
        gate, entry, slot = self._links(here, there, copy)
        inner = family.group.distances(i, gate) + family.group.distances(entry, j)
        return inner + 1, gate, slot

    def router_distances(self, at: IntArray, to: IntArray) -> IntArray:
        family = self._family
        (here, i), (there, j) = family.places(at), family.places(to)
        out = family.group.distances(i, j).astype(np.int64)
        outside = np.flatnonzero(here != there)
        if len(outside):
            out[outside] = self._shortest(at[outside], to[outside])
        return out

    @cached_property
    def _table(self) -> tuple[IntArray, IntArray, IntArray, IntArray] | None:
        """For two groups and a router of each: least hops, and the links that have them.

        Hops, where the links begin in the list, how many they are, and the list. None where it
        would be large.
        """
        family, between = self._family, self._family.between
        size, keys = family.group.order, between.keys
        if keys * size * size * between.copies > _TABLE_SIZE:
            return None
        key, i, j = (x.ravel() for x in np.indices((keys, size, size)))
        here, there = between.key_groups(key)
        at, to = family.number(here, i), family.number(there, j)
        copies = range(between.copies)
        lengths = np.stack([self._lengths(at, to, copy)[0] for copy in copies], axis=1)
        best = lengths.min(axis=1)
        good = lengths == best[:, None]
        count = good.sum(axis=1)
        return best, np.cumsum(count) - count, count, np.nonzero(good)[1]

    @cached_property
    def _views(self) -> tuple[memoryview, ...] | None:
        """The links of the table, to be read one by one."""
        return self._table and tuple(column.data for column in self._table[1:])

    def _rows(self, at: IntArray, to: IntArray) -> IntArray:
        """Where the table has two routers of different groups."""
        family = self._family
        (here, i), (there, j) = family.places(at), family.places(to)
        return (family.between.key(here, there) * family.group.order + i) * family.group.order + j

    def _shortest(self, at: IntArray, to: IntArray) -> IntArray:
        if self._table is not None:
            return self._table[0][self._rows(at, to)]
        best = self._lengths(at, to, 0)[0]
        for copy in range(1, self._family.between.copies):
            best = np.minimum(best, self._lengths(at, to, copy)[0])
        return best

    def _global_port(self, router: Nodes, slot: Nodes) -> Nodes:
        family = self._family
        first = family.between.first(router - family.gates)
        return family.group.gate_degree + slot - first

    def router_ports(self, at: IntArray, to: IntArray, choice: IntArray) -> IntArray:
        family = self._family
        (here, i), (there, j) = family.places(at), family.places(to)
        out = family.group.ports(i, j, choice).astype(np.int64)
        outside = np.flatnonzero(here != there)
        if len(outside):
            out[outside] = self._leave(at[outside], to[outside], i[outside], choice[outside])
        return out

    def _leave(self, at: IntArray, to: IntArray, i: IntArray, choice: IntArray) -> IntArray:
        """The port towards another group: of the links that are best, the one chosen."""
        if self._table is not None:
            _, first, several, links = self._table
            row = self._rows(at, to)
            copy = links[first[row] + choice % several[row]]
            _, gate, slot = self._lengths(at, to, copy)
            inner = self._family.group.ports(i, gate, choice // several[row])
            return np.where(i == gate, self._global_port(gate, slot), inner)
        copies = range(self._family.between.copies)
        best = self._shortest(at, to)
        count = sum((self._lengths(at, to, copy)[0] == best).astype(np.int64) for copy in copies)
        rank = choice % count
        out = np.full(len(at), -1)
        for copy in copies:
            length, gate, slot = self._lengths(at, to, copy)
            good = length == best
            mine = np.flatnonzero(good & (rank == 0))
            rank = np.where(good, rank - 1, rank)
            a, b, s = i[mine], gate[mine], slot[mine]
            inner = self._family.group.ports(a, b, choice[mine] // np.maximum(count[mine], 1))
            out[mine] = np.where(a == b, self._global_port(b, s), inner)
        return out

    def router_port(self, at: int, to: int, choice: int) -> int:
        family = self._family
        (here, i), (there, j) = family.place(at), family.place(to)
        if here == there:
            return family.group.port(i, j, choice)
        best = self._best_copies(family.between.key(here, there), i, j)
        slot = family.between.slot(here, there, best[choice % len(best)])
        gate = family.between.owner(slot) + family.gates
        if i != gate:
            return family.group.port(i, gate, choice // len(best))
        return self._global_port(gate, slot)

    def _best_copies(self, key: int, i: int, j: int) -> Sequence[int]:
        """Which of the links between two groups are best for two of their routers."""
        family, between = self._family, self._family.between
        if between.copies == 1:
            return (0,)
        if self._views is not None:
            first, several, links = self._views
            row = (key * family.group.order + i) * family.group.order + j
            return links[first[row] : first[row] + several[row]]
        keys, sources, targets = (np.full(between.copies, x) for x in (key, i, j))
        here, there = between.key_groups(keys)
        at, to = family.number(here, sources), family.number(there, targets)
        lengths = self._lengths(at, to, np.arange(between.copies))[0]
        return np.flatnonzero(lengths == lengths.min()).tolist()

    def router_masks(self, at: IntArray, to: IntArray) -> IntArray:
        family = self._family
        (here, i), (there, j) = family.places(at), family.places(to)
        mask = np.zeros((len(at), family.router_degree), dtype=bool)
        inside = here == there
        width = family.group.degree
        mask[inside, :width] = family.group.masks(i[inside], j[inside])
        outside = np.flatnonzero(~inside)
        if not len(outside):
            return mask
        best = self._shortest(at[outside], to[outside])
        for copy in range(family.between.copies):
            length, gate, slot = self._lengths(at[outside], to[outside], copy)
            good = length == best
            go, gate, slot = outside[good], gate[good], slot[good]
            local = i[go]
            mask[go, :width] |= family.group.masks(local, gate)
            leave = local == gate
            port = self._global_port(gate[leave], slot[leave]).astype(np.int64)
            mask[go[leave], port] = True
        return mask
