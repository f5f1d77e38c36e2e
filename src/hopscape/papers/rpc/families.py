"""The networks of this room: RPC and its general form, RP, and the relatives of its paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property
from typing import ClassVar

import numpy as np

from hopscape.algebra.groups import orbits
from hopscape.core.addresses import Addresses
from hopscape.core.arrays import IntArray
from hopscape.core.channels import ATTRIBUTES, ChannelClass
from hopscape.core.distances import distances_from
from hopscape.core.errors import ArgumentError
from hopscape.core.facts import Points, circle
from hopscape.core.family import Collective, Facts, Parameter, integers
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.requirement import Requirement, small_graphs
from hopscape.core.router import Router
from hopscape.metrics import edge_connectivity, node_connectivity
from hopscape.papers.rpc.slices import PETERSEN, Slice, cycles_of, petersen_turns
from hopscape.papers.rpc.wiring import Cycles, Loop, PortAddresses, Stack, loops_of, port_places

__all__ = [
    "DoubleLoopPetersen",
    "HierarchicalRings",
    "PetersenCycles",
    "RingOfCycles",
    "RingOfPetersen",
    "RingOfPetersenCycles",
    "TorusOfPetersen",
    "TwoDoubleLoopsPetersen",
    "best_step",
]

_MOST_BASE_DEGREE = 7  # of graphs that are offered as a base
_SLICES = 6  # rings of about so many slices are offered first
_SEARCHED = 128  # nodes of a slice whose cuts and orbits are searched for
_K = Parameter("k", "int", "number of slices on the ring", low=1)


@cache
def _petersen_slice() -> Slice:
    return Slice(np.asarray(PETERSEN), "the Petersen graph")


@cache
def _cycles_slice() -> Slice:
    return Slice(cycles_of(PETERSEN), "the Petersen-connected cycles")


@cache
def _few_cycles(count: int) -> Network:
    return Network.of(RingOfPetersenCycles(count) if count > 1 else PetersenCycles())


@cache
def _few_petersen(count: int) -> Network:
    return Network.of(RingOfPetersen(count))


def _petersen_places() -> Points:
    """Pentagon outside, pentagram inside."""
    return np.concatenate([circle(5), circle(5, 0.5)])


class _RoutedStack(Stack):
    """A stack with its router, its collectives and their bounds."""

    def router(self, network: Network) -> Router:
        from hopscape.papers.rpc.routing import StackRouter

        return StackRouter(network, self)

    def collectives(self) -> tuple[Collective, ...]:
        from hopscape.papers.rpc.collectives import stack_collectives

        return stack_collectives(self)

    def bounds(self, network: Network, goal: Goal, model: Model) -> tuple[tuple[int, str], ...]:
        from hopscape.papers.rpc.collectives import structure_bounds

        return structure_bounds(self, network, goal, model)


class RingOfPetersenCycles(_RoutedStack, Cycles):
    """RPC(k): k slices of 30 nodes, the Petersen-connected cycles, corresponding nodes in rings.

    Ports: 0 and 1 round the triangle, 2 across to the other cycle, 3 and 4 up and down the ring.
    """

    name = "rpc"
    summary = "RPC(k): ring of k slices of Petersen-connected cycles, 30k nodes, degree 5"
    parameters: ClassVar[tuple[Parameter, ...]] = (_K,)
    example = "rpc(3)"
    neighbours_of_base = PETERSEN
    packed_rounds = 7

    def __init__(self, k: int) -> None:
        self.k = k
        self.slice, self.loops = _cycles_slice(), (Loop(k),)

    def facts(self) -> Facts:
        return replace(super().facts(), bisection=5 if self.k == 1 else None)

    def slice_layout(self) -> IntArray:
        return port_places(PETERSEN, _petersen_places())

    def few_slices(self, count: int) -> Network:
        return _few_cycles(count)

    def placements(self, guest: Network) -> tuple[IntArray, ...]:
        """Guests of the same order: a Hamiltonian cycle, the 30 × k meshes and tori."""
        from hopscape.papers.rpc.cycles import hamiltonian_cycle, mesh_places

        if guest.order != self.order:
            return ()
        walk = (hamiltonian_cycle(self.k),) if self.k > 1 else ()
        return (*walk, *mesh_places(self.k))


class PetersenCycles(RingOfPetersenCycles):
    """PC, one slice: every vertex of the Petersen graph replaced by a triangle."""

    name = "pc"
    summary = "Petersen-connected cycles: 30 nodes, degree 3, diameter 5"
    parameters = ()
    example = "pc"

    def __init__(self) -> None:
        super().__init__(1)

    @property
    def addresses(self) -> Addresses:
        return PortAddresses(PETERSEN, None)


class RingOfCycles(_RoutedStack, Cycles):
    """A ring of G-connected cycles: RPC with another regular base graph."""

    name = "ring_of_cycles"
    summary = "ring of k slices of G-connected cycles, for any regular graph G of degree 3 or more"
    parameters = (Parameter("base", "network", "the base graph G"), _K)
    example = "ring_of_cycles(heawood, 2)"

    def __init__(self, base: Network, k: int) -> None:
        self.base, self.k = base, k
        self.neighbours_of_base = _regular_rows(base)
        self.loops = (Loop(k),)

    def channel_classes(self) -> tuple[ChannelClass, ...]:
        """Slice and ring; and the kinds of the base, where it says more than names."""
        own = super().channel_classes()
        return (*own, *self.base.classes) if self.base.unheeded("", *ATTRIBUTES) else own

    def classes_at(self, nodes: IntArray) -> IntArray:
        kinds = super().classes_at(nodes)
        base, own = self.base, len(super().channel_classes())
        if len(self.channel_classes()) > own:
            order = np.lexsort((base.heads, base.tails))  # as the ports of the cycles are numbered
            place = (nodes % self.slice.size).astype(np.int64)
            kinds[:, 2] = own + base.class_of(order)[place]
        return kinds

    def few_slices(self, count: int) -> Network:
        return self._few[count - 1]

    @cached_property
    def _few(self) -> tuple[Network, Network]:
        return Network.of(RingOfCycles(self.base, 1)), Network.of(RingOfCycles(self.base, 2))

    def slice_cuts(self) -> tuple[int | None, int | None]:
        """Those of a cubic base, whose node and link cuts are equal and stay so; else by flows."""
        known = self.base.facts.edge_connectivity
        if len(self.neighbours_of_base[0]) == 3 and known is not None:
            return known, known
        if self.slice.size > _SEARCHED:
            return None, None
        network = self.slice.network
        return node_connectivity(network).value, edge_connectivity(network).value

    def base_moves(self) -> IntArray:
        known = self.base.family.rotations() if self.base.family is not None else None
        return np.arange(self.base.order)[None, :] if known is None else known

    @cached_property
    def slice_orbits(self) -> list[list[int]]:
        """Classes of nodes of a slice that look alike, as far as it is small enough to search."""
        if self.slice.size > _SEARCHED:
            return [[v] for v in range(self.slice.size)]
        return orbits(self.slice.network)

    @cached_property
    def slice(self) -> Slice:  # type: ignore[override]
        """The G-connected cycles."""
        return Slice(cycles_of(self.neighbours_of_base), f"the {self.base.spec}-connected cycles")

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Rings of a few slices of dense graphs other than the Petersen graph (that is rpc)."""
        candidates: list[tuple[int, str]] = []
        for base in small_graphs(_MOST_BASE_DEGREE) if requirement.ports >= 5 else ():
            each = base.order * base.degree
            k = max(1, round(requirement.nodes / each))
            if base.degree >= 3 and base.spec != "petersen" and requirement.fits(each * k):
                candidates.append((abs(k - _SLICES), f"{cls.name}({base.spec}, {k})"))
        yield from (spec for _, spec in sorted(candidates)[:2])


def _regular_rows(base: Network) -> tuple[tuple[int, ...], ...]:
    """Neighbours in a base graph, ascending; refused where the cycles would not be defined."""
    require_memory(base.memory_estimate(), f"the base graph {base.spec}")
    degrees = base.degrees
    ports = int(degrees.sum())
    require_memory(4 * ports**2, f"the distances in a slice made of {base.spec}")
    if not base.duplex or base.has_switches:
        raise ArgumentError(f"base is {base.spec}; it must have duplex links and no switches")
    low, high = int(degrees.min()), int(degrees.max())
    if low != high or low < 3:
        raise ArgumentError(
            f"base is {base.spec} with degrees from {low} to {high}; it must be regular of degree "
            "at least 3"
        )
    if not base.facts.connected and (distances_from(base, 0) < 0).any():
        raise ArgumentError(f"base is {base.spec}; it must be connected")
    rows = np.sort(base.heads.reshape(base.order, -1), axis=1)
    if (rows[:, 1:] == rows[:, :-1]).any() or (rows == np.arange(base.order)[:, None]).any():
        raise ArgumentError(f"base is {base.spec}; it must have no loops and no parallel links")
    return tuple(tuple(row) for row in rows.tolist())


class _Petersens(_RoutedStack):
    """What all stacks of Petersen graphs share."""

    def few_slices(self, count: int) -> Network:
        return _few_petersen(count)

    def slice_moves(self) -> IntArray:
        return petersen_turns()

    def slice_layout(self) -> IntArray:
        return _petersen_places()


class RingOfPetersen(_Petersens):
    """RP(k): k Petersen graphs, corresponding nodes in rings. Addresses (s, m)."""

    name = "rp"
    summary = "RP(k): ring of k Petersen graphs, 10k nodes, degree 5"
    parameters = (_K,)
    example = "rp(4)"

    def __init__(self, k: int) -> None:
        self.k = k
        self.slice, self.loops = _petersen_slice(), (Loop(k),)


class HierarchicalRings(_Petersens):
    """HRN RP(P, k1, ..., kl): Petersen graphs at the points of a torus of l axes."""

    name = "hrn"
    summary = "HRN RP(P, k1, ..., kl): Petersen graphs along rings in l directions, degree 3 + 2l"
    parameters = (Parameter("sides", "int", "length of each ring", low=1, variadic=True),)
    example = "hrn(3, 4)"

    def __init__(self, sides: Sequence[int]) -> None:
        if not sides:
            raise ArgumentError("hrn needs the length of at least one ring")
        self.sides = tuple(sides)
        self.slice, self.loops = _petersen_slice(), loops_of(self.sides)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Boxes near a cube with as many axes as the ports allow (one axis is rp)."""
        tens = Requirement(
            round(requirement.nodes / 10),
            -(-requirement.low // 10),
            requirement.high // 10,
            requirement.ports,
        )
        for axes in range((requirement.ports - 3) // 2, 1, -1):
            for sides in tens.boxes(axes, least=2):
                yield cls(sides).spec
                break


class TorusOfPetersen(_Petersens):
    """TCP(k): Petersen graphs at the points of a k × k torus (or k × width)."""

    name = "tcp"
    summary = "TCP(k): Petersen graphs at the points of a k × k torus, degree 7"
    parameters = (
        *integers(k="length of the first axis"),
        Parameter("width", "int", "length of the second axis; 0: as the first", low=0, default=0),
    )
    example = "tcp(3)"

    def __init__(self, k: int, width: int = 0) -> None:
        self.k, self.width = k, width
        self.slice, self.loops = _petersen_slice(), loops_of((k, width or k))


class DoubleLoopPetersen(_Petersens):
    """DLCPG(k): Petersen graphs at the points of a double loop, steps 1 and h."""

    name = "dlcpg"
    summary = "DLCPG(k): Petersen graphs at the points of a double loop (k; 1, h), degree 7"
    parameters = (
        *integers(k=("positions of the double loop", 1, 5000)),
        Parameter("h", "int", "its second step; 0: the one of least diameter", low=0, default=0),
    )
    example = "dlcpg(8)"
    count = 1

    def __init__(self, k: int, h: int = 0) -> None:
        if h >= max(k, 1):
            raise ArgumentError(f"h is {h}; with k = {k} it must be an integer from 0 to {k - 1}")
        self.k, self.h = k, h
        self.slice = _petersen_slice()
        self.loops = (Loop(k, (1, h or best_step(k))),) * self.count

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """The nearest order: to look for the best step of many would take long."""
        nearest = round((requirement.nodes / 10) ** (1 / cls.count))
        fits = [
            k
            for k in (nearest, nearest + 1, nearest - 1)
            if k > 0 and requirement.fits(10 * k**cls.count)
        ]
        if fits and requirement.ports >= 3 + 4 * cls.count:
            yield f"{cls.name}({fits[0]})"


class TwoDoubleLoopsPetersen(DoubleLoopPetersen):
    """DCP(k): Petersen graphs at the points of a double loop in each of two directions."""

    name = "dcp"
    summary = "DCP(k): Petersen graphs at the points of two crossed double loops, degree 11"
    example = "dcp(5)"
    count = 2


@cache
def best_step(k: int) -> int:
    """The smallest second step h that makes the double loop (k; 1, h) shallowest.

    Looked for up to 4√k + 4, where good steps are (and up to k/2). Loops of fewer than 4 positions
    have no second step; then it is 1 (no further links).

    Examples:
        >>> best_step(5), best_step(13)
        (2, 5)
    """
    steps = range(2, k // 2 + 1)
    if not steps:
        return 1
    require_memory(64 * k, f"the double loop of {k} positions")
    candidates = [h for h in steps if h <= 4 * int(k**0.5) + 4]
    return min(candidates, key=lambda h: (Loop(k, (1, h)).diameter, h))
