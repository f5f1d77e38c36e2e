"""What capacities ask of rings: steps of full ones, places of sparse ones.

Which residues sit on which ring: the blocks of a design or of a difference cover.

A part of a ring has m places. In place t of ring i sits one residue, and every residue sits once in
each place, so that a node has one ring for every place.

The wiring of multirings with full rings: every ring passes through every node.

The wiring of multirings with sparse rings: every ring passes through some of the nodes only.

N duplex rings of K places each. The places of a ring are cut into parts of m, and part g of all
rings repeats a block design on the nodes gN..gN + N - 1: with the design B(N, m, 1) ring i holds
the residues i - d for d in a planar difference set. Two nodes of different residues share σ rings
(at least one, by a difference cover), two of the same residue share m.

The rings of a multiring one by one, full or sparse: who sits where, in the order of travel.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Protocol, Self

import numpy as np

from hopscape.core.addresses import Addresses, MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.facts import circle
from hopscape.core.family import Facts, Family, Layout, Parameter, Symmetry, integers
from hopscape.core.processes import require_memory
from hopscape.core.requirement import Requirement
from hopscape.core.structure import Structure
from hopscape.papers.blockdesign.covers import find_cover
from hopscape.papers.blockdesign.designs import make_design
from hopscape.papers.blockdesign.difference_sets import DifferenceSet

__all__ = [
    "Blocks",
    "Circuit",
    "FullRings",
    "FullSteps",
    "SparsePlaces",
    "SparseRings",
    "circuits",
    "ring_blocks",
    "ring_count",
    "ring_lengths",
]


class FullSteps(Protocol):
    """Rings of some steps through the nodes 0..n-1.

    Attributes:
        rings: The step of each simplex ring, the copies of all one after the other.
        paired: Is there a ring the other way round beside each?
    """

    n: int
    copies: int
    paired: bool
    rings: tuple[int, ...]

    @property
    def spec(self) -> str: ...


class SparsePlaces(Protocol):
    """Rings with `places` positions, in parts of m, each with some of the residues.

    Attributes:
        blocks: Which residue sits where.
        spare: Places that stay empty.
    """

    m: int
    parts: int
    places: int
    spare: int
    sigma: int
    ring_count: int

    @property
    def spec(self) -> str: ...
    @property
    def order(self) -> int: ...
    @property
    def ports(self) -> int: ...
    @property
    def blocks(self) -> Blocks: ...
    @property
    def reordered(self) -> bool: ...
    def place_of(self, slots: IntArray) -> IntArray: ...


def ring_lengths(n: int, step: int) -> IntArray:
    """Arcs from node 0 to each node along the ring of a step; 0 where the ring does not go.

    Examples:
        >>> ring_lengths(8, 3).tolist(), ring_lengths(8, -2).tolist()
        ([0, 3, 6, 1, 4, 7, 2, 5], [0, 0, 3, 0, 2, 0, 1, 0])
    """
    shared = math.gcd(step, n)
    length = n // shared
    out = np.zeros(n, dtype=np.int64)
    places = np.arange(1, length, dtype=np.int64)
    out[places * (step % n) % n] = places
    return out


@dataclass(frozen=True)
class Blocks:
    """Residues by ring and place, and rings by residue and place.

    Attributes:
        residue (int64[rings, m]): In each place of each ring.
        ring (int64[residues, m]): On which each residue sits in each place.
        base: Ring i holds i - d for every d of this set, so that all rings look alike; None when
            the blocks come from no group.
    """

    residue: IntArray
    ring: IntArray
    base: DifferenceSet | None

    def meetings(self, a: int) -> list[list[tuple[int, int, int]]]:
        """For each residue b the rings that it shares with a: ring, place of a, place of b."""
        out: list[list[tuple[int, int, int]]] = [[] for _ in range(len(self.ring))]
        for t, i in enumerate(self.ring[a].tolist()):
            for u, b in enumerate(self.residue[i].tolist()):
                out[b].append((i, t, u))
        return out


def ring_count(m: int, sigma: int, rings: int | None) -> int:
    """How many rings there are: m(m - 1)/σ + 1 for a design, as given for a cover.

    Raises:
        ArgumentError: When σ does not fit, or both are given.
    """
    if rings is None:
        if not 1 <= sigma < max(m, 2):
            raise ArgumentError(f"sigma is {sigma}; a design needs 1 <= sigma < m = {m}")
        count, rest = divmod(m * (m - 1), sigma)
        if rest:
            raise ArgumentError(f"sigma is {sigma}; it must divide m(m - 1) = {m * (m - 1)}")
        return count + 1
    if sigma != 1:
        raise ArgumentError(f"sigma is {sigma} and rings {rings}; a cover has no sigma: give one")
    if not m <= rings <= m * (m - 1) + 1:
        raise ArgumentError(
            f"rings is {rings}; a cover by m = {m} has from {m} to m(m - 1) + 1 = {m * (m - 1) + 1}"
        )
    return rings


@lru_cache(maxsize=16)
def ring_blocks(m: int, sigma: int = 1, rings: int | None = None) -> Blocks:
    """The blocks of a symmetric design, or of a difference cover of so many residues.

    Raises:
        ArgumentError: When there is none, or none is known.
        TooLargeError: When the blocks would not fit in memory.

    Examples:
        >>> ring_blocks(4).residue[0].tolist(), ring_blocks(4).base.elements
        ([0, 12, 10, 4], (0, 1, 3, 9))
    """
    count = ring_count(m, sigma, rings)
    require_memory(64 * count * m, f"{count} rings with {m} places in each part")
    base: DifferenceSet | None
    if count == m:
        base = DifferenceSet((m,), tuple(range(m)), "everybody on every ring")
    elif count == m * (m - 1) // sigma + 1:
        design = make_design(count, m, sigma)
        base = design.base
        if base is None:
            return _arranged(design.blocks)
    else:
        cover = find_cover(count, m)
        if cover.elements is None:
            raise ArgumentError(
                f"rings is {count}; a cover by m = {m} is not possible: {cover.reason}"
            )
        base = cover.difference_set()
    group, every = base.group, np.arange(count)[:, None]
    steps = group.subtract(base.base, base.base[0])
    return Blocks(group.subtract(every, steps[None, :]), group.add(every, steps[None, :]), base)


def _arranged(blocks: IntArray) -> Blocks:
    """Blocks in an order in which every element stands once in each place (König's theorem)."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import maximum_bipartite_matching

    count, m = blocks.shape
    left = np.zeros((count, count), dtype=np.int8)
    np.put_along_axis(left, blocks, 1, axis=1)
    residue = np.empty((count, m), dtype=np.int64)
    ring = np.empty((count, m), dtype=np.int64)
    every = np.arange(count)
    for t in range(m):
        match = maximum_bipartite_matching(csr_matrix(left), perm_type="column")
        left[every, match] = 0
        residue[:, t] = match
        ring[match, t] = every
    return Blocks(residue, ring, None)


_NAMED = 8  # nodes in an error: one line
_MOST_PORTS = 1 << 16  # of a node; those that exist have far fewer


class FullRings(Family):
    """Duplex: port 2i leads to v + s_i, port 2i + 1 to v - s_i. Simplex: port i to v + s_i."""

    name = "multiring"
    summary = "rings of different steps through the same nodes; a packet stays on one ring"
    parameters = (
        *integers(n=("number of nodes", 2)),
        Parameter(
            "steps",
            "int",
            "steps of duplex rings; with a negative one among them each is a simplex ring",
            variadic=True,
        ),
        Parameter("copies", "int", "identical rings of each step", low=1, default=1),
        Parameter("simplex", "flag", "all steps are simplex rings", default=False),
    )
    example = "multiring(16, 1, 3)"
    transitive = True

    def __init__(
        self, n: int, steps: Sequence[int], copies: int = 1, simplex: bool = False
    ) -> None:
        self.n, self.copies, self.simplex = n, copies, simplex
        self.steps = tuple(steps)
        self.paired = not simplex and all(s > 0 for s in steps)
        """Does every step stand for a ring and its counter-ring?"""
        self._check()
        if 2 * len(self.steps) * copies > _MOST_PORTS:
            raise ArgumentError(
                f"copies is {copies}: {2 * len(self.steps) * copies} ports; at most {_MOST_PORTS}"
            )
        single = [s % n for s in self.steps]
        self.rings: tuple[int, ...] = (
            tuple(signed for s in single for signed in (s, n - s)) if self.paired else tuple(single)
        ) * copies
        """The step of each simplex ring, from 1 to N - 1, in order of ports."""
        counts = Counter(self.rings)
        self.duplex = all(counts[n - s] == count for s, count in counts.items())

    def _check(self) -> None:
        n = self.n
        if not self.steps:
            raise ArgumentError("multiring needs at least one step")
        seen: dict[int, int] = {}
        for s in self.steps:
            if not 1 <= abs(s) <= n - 1:
                raise ArgumentError(f"step {s} is not from 1 to N - 1 = {n - 1} (or its negative)")
            if self.paired and 2 * s == n and n > 2:
                raise ArgumentError(
                    f"step {s} is N/2: that ring is its own counter-ring and is not used"
                )
            ring = min(s, n - s) if self.paired else s % n
            if ring in seen:
                raise ArgumentError(
                    f"steps {seen[ring]} and {s} are the same ring mod {n}; "
                    "identical rings are given by copies="
                )
            seen[ring] = s
        shared = [math.gcd(s, n) for s in self.steps]
        if 1 not in shared:
            lost = _unreachable(n, shared)
            raise ArgumentError(
                f"no single ring of the steps {', '.join(map(str, self.steps))} leads from node 0 "
                f"to {lost}; one step must have no divisor in common with N = {n}"
            )

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """The best of a seeded sample of steps, as many as the ports allow."""
        for n in requirement.sizes()[:1]:
            steps = _good_steps(n, requirement.ports // 2)
            if steps:
                yield cls(n, steps).spec

    @property
    def order(self) -> int:
        return self.n

    @property
    def ports(self) -> int:
        return len(self.rings)

    def neighbours(self, nodes: IntArray) -> IntArray:
        out = np.empty((len(nodes), self.ports), dtype=nodes.dtype)
        for i, s in enumerate(self.rings):
            out[:, i] = (nodes + s) % self.n
        return out

    def facts(self) -> Facts:
        return Facts.regular(
            self.n, self.ports, duplex=self.duplex, connected=True, vertex_transitive=True
        )

    def port_classes(self) -> tuple[str, ...]:
        return tuple(f"step{min(s, self.n - s) if self.duplex else s}" for s in self.rings)

    def layout(self) -> Layout:
        return Layout(circle(self.n))


def _unreachable(n: int, shared: Sequence[int]) -> str:
    """The nodes that no ring from node 0 passes, in words."""
    lost = []
    for r in range(1, n):
        if all(r % g for g in shared):
            lost.append(r)
            if len(lost) > _NAMED and n > 10_000:
                return f"nodes {', '.join(map(str, lost[:_NAMED]))}, …"
    shown = ", ".join(map(str, lost[:_NAMED]))
    more = f", … ({len(lost)} in all)" if len(lost) > _NAMED else ""
    return f"node{'s' * (len(lost) != 1)} {shown}{more}"


_TRIES = 60  # random sets of steps; the best one is only a candidate of the designer


def _good_steps(n: int, count: int, seed: int = 0) -> tuple[int, ...]:
    """Steps 1, s2, ..., coprime to n, of a small mean distance on the better ring."""
    if count < 1 or n < 2 * count + 3:
        return ()
    coprime = np.asarray([s for s in range(2, (n + 1) // 2) if math.gcd(s, n) == 1])
    if len(coprime) < count - 1:
        return ()
    places = np.arange(n, dtype=np.int64)
    generator = np.random.default_rng(seed)
    best: tuple[int, tuple[int, ...]] | None = None
    for _ in range(_TRIES):
        chosen = (1, *sorted(int(s) for s in generator.choice(coprime, count - 1, replace=False)))
        least = np.full(n, n, dtype=np.int64)
        for s in chosen:
            shorter = np.minimum(places, n - places)
            np.minimum.at(least, places * s % n, shorter)
        best = min(best or (n * n, ()), (int(least.sum()), chosen))
    return best[1] if best is not None else ()


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
        nodes: IntArray = part * self.ring_count + self.blocks.residue[:, kind]
        return nodes

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


@dataclass(frozen=True)
class Circuit:
    """One simplex ring.

    Attributes:
        name: A signed step (``3``, ``-3``; ``3#1`` for a second copy), or the number of a sparse
            ring with its direction (``5+``, ``5-``).
        nodes (int64[places]): In the order of travel: arc i leads from ``nodes[i]`` to the next
            one.
        ports (int64[places]): By which each of them leaves.
    """

    name: str
    nodes: IntArray
    ports: IntArray


def circuits(member: Structure) -> list[Circuit]:
    """All simplex rings, the mini-rings of a step one after the other.

    Examples:
        >>> [(c.name, c.nodes.tolist()) for c in circuits(FullRings(4, (1,)))]
        [('1', [0, 1, 2, 3]), ('-1', [0, 3, 2, 1])]
    """
    if isinstance(member, FullRings):
        return _full(member)
    if isinstance(member, SparseRings):
        return _sparse(member)
    raise ArgumentError(f"{member.spec} is not a multiring(...) and no sparse_multiring(...)")


def _full(member: FullRings) -> list[Circuit]:
    n = member.n
    require_memory(64 * n * len(member.rings), f"the rings of {member.spec}")
    out: list[Circuit] = []
    seen: Counter[int] = Counter()
    for j, s in enumerate(member.rings):
        signed = s if 2 * s <= n else s - n
        name = f"{signed}#{seen[s]}" if seen[s] else str(signed)
        seen[s] += 1
        shared = math.gcd(s, n)
        places = np.arange(n // shared)
        for begin in range(shared):
            out.append(Circuit(name, (begin + places * s) % n, np.full(n // shared, j)))
    return out


def _sparse(member: SparseRings) -> list[Circuit]:
    require_memory(64 * member.order * member.ports, f"the rings of {member.spec}")
    kind = np.asarray(member.order_of_places) % member.m
    out = []
    for i, nodes in enumerate(member.table()):
        out.append(Circuit(f"{i}+", nodes, 2 * kind))
        out.append(Circuit(f"{i}-", nodes[::-1].copy(), 2 * kind[::-1] + 1))
    return out
