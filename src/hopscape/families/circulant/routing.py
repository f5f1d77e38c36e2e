"""Routing without tables: closed forms where the family has one, exact search in the lattice else.

A *path vector* P has one coordinate per generator: |P_i| steps of s_i, forwards or backwards. All
orders of its steps are ways to the same node, so that the vector is all a message has to carry.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from hopscape.algebra.lattices.lattice import Lattice
from hopscape.algebra.reduction import Vector, dot, l1
from hopscape.core.addresses import node_dtype
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.formula import Value, choose, constant, equal, evaluate, less, wrapped
from hopscape.core.network import Network, NodeLike
from hopscape.core.router import Router
from hopscape.core.verdict import Verdict
from hopscape.families.circulant.forms import CellForm, RingForm, recognise
from hopscape.families.circulant.formulas import MOST_COMPARED, path_vector

__all__ = ["MOST_GENERATORS", "CirculantRouter"]

MOST_GENERATORS = 6
_FEW = 24
_KERNEL_LENGTH = 2**38  # sum of the basis: floats in the kernel are then off by less than 1/4
_KERNEL_ORDER = 2**31  # products of two node numbers must fit for the closed form of (17)
_KERNEL_BRANCHES = 20_000  # beyond it the exact search, which adapts its basis, is quicker
_BITS = 15
_MOST_FIRST = 1 << 22
_HOP_COST = 100  # a hop by itself takes as long as the first ports of so many differences
_MOST_TIES = 100


class CirculantRouter(Router):
    """Shortest routes on a circulant with up to six generators, of any order.

    Takes the steps in the order of the generators, as dimension order does on a torus: two classes
    of virtual channels with datelines are then enough wherever ties are settled alike all along.

    Args:
        generators: From 1 to nodes - 1, in the order of the ports.
        method ({'auto', 'closed', 'lattice'}): ``closed`` insists on a closed form, ``lattice`` on
            the exact search.

    Examples:
        >>> import hopscape
        >>> router = hopscape.build("circulant(333, 1, 9, 73)").router()
        >>> router.vector(0, 100), router.distance(0, 100), router.name
        ((0, 3, 1), 4, 'closed form (13)-(15)')
    """

    def __init__(
        self, network: Network, nodes: int, generators: Sequence[int], method: str = "auto"
    ) -> None:
        super().__init__(network)
        if not 1 <= len(generators) <= MOST_GENERATORS:
            raise ArgumentError(
                f"the router takes 1 to {MOST_GENERATORS} generators, not {len(generators)}"
            )
        if method not in ("auto", "closed", "lattice"):
            raise ArgumentError(f"method is {method!r}; choose auto, closed or lattice")
        self.components = math.gcd(nodes, *generators)
        self.nodes = nodes
        self.generators = tuple(generators)
        self._order = nodes // self.components
        self._steps = tuple(s // self.components for s in generators)
        self._half = np.asarray([2 * s == nodes for s in generators], dtype=bool)
        self._form = None if method == "lattice" else recognise(self._order, self._steps)
        if method == "closed" and self._form is None:
            raise ArgumentError(f"no closed form is known for {network.spec}")
        self.name = "lattice search" if self._form is None else self._form.name
        self._hops = 0
        self._first: tuple[bytes, memoryview] | None = None

    @cached_property
    def lattice(self) -> Lattice:
        """The lattice of closed walks (of one component)."""
        return Lattice(self._order, self._steps)

    @property
    def memory_bytes(self) -> int:
        """Bytes of what the router holds; does not grow with the order but for the digits.

        After many single routes five bytes for every difference besides, up to 4 million nodes.
        """
        kept = sum(memoryview(table).nbytes for table in self._first or ())
        if isinstance(self._form, RingForm):
            return 8 * 12 + kept
        if isinstance(self._form, CellForm):
            return 8 * 19 + kept
        return kept + sum(array.nbytes for array in (*self._arrays[:1], *self._arrays[2:]))

    # -- vectors ----------------------------------------------------------------------------

    def vector(self, a: NodeLike | IntArray, b: NodeLike | IntArray) -> Any:
        """A shortest path vector from a to b.

        Args:
            a, b: node, or array of node numbers

        Returns:
            tuple of int, or int64 array of shape (..., generators)

        Raises:
            DisconnectedError: When there is no route.
        """
        at, to, scalar, shape = self._pairs(a, b)
        self._require_ways(at, to)
        found = self.vectors(at, to)
        if scalar:
            return tuple(int(x) for x in found[0])
        return found.reshape(*shape, len(self.generators))

    def vectors(self, at: IntArray, to: IntArray) -> IntArray:
        """Shortest path vectors of pairs; rows of pairs without a path are not meaningful."""
        gap = to - at
        gap[gap < 0] += self.nodes
        if self.components > 1:
            gap //= self.components
        out = np.empty((len(gap), len(self.generators)), dtype=node_dtype(self.nodes))
        if out.dtype != object and self._use_kernel(len(gap)):
            self._fill(gap.astype(np.int64), out)
            return out
        for row, v in enumerate(gap.tolist()):
            out[row] = self._one(v)
        return out

    def _one(self, v: int) -> Vector:
        return self._form.vector(v) if self._form is not None else self.lattice.shortest(v)

    def _use_kernel(self, count: int) -> bool:
        """A few vectors of a closed form need no kernel; of ties the search may take others."""
        if self._form is None:
            return sum(map(l1, self.lattice.basis)) <= _KERNEL_LENGTH
        quick = isinstance(self._form, RingForm) or self._order < _KERNEL_ORDER
        return quick and count > _FEW

    def _fill(self, gap: IntArray, out: IntArray) -> None:
        from hopscape.families.circulant import routing_kernels as kernels

        form = self._form
        if form is None:
            hard = np.zeros(len(gap), dtype=bool)
            kernels.lattice_vectors(gap, *self._arrays, _KERNEL_BRANCHES, out, hard)
            for row in np.nonzero(hard)[0].tolist():
                out[row] = self.lattice.shortest(int(gap[row]))
            return
        slots = np.asarray(form.slots, dtype=np.int64)
        signs = np.asarray(form.signs, dtype=np.int64)
        if isinstance(form, RingForm):
            numbers = (form.nodes, form.s2, form.s3, form.h, form.q, form.p)
            kernels.ring_vectors(gap, *numbers, slots, signs, out)
        else:
            basis = np.asarray(form.basis, dtype=np.int64)
            rows = np.asarray(form.rows, dtype=np.int64)
            kernels.cell_vectors(gap, form.nodes, form.factor, basis, rows, slots, signs, out)

    @cached_property
    def _arrays(self) -> tuple[Any, ...]:
        """The lattice as the kernel wants it."""
        lattice = self.lattice
        width = max(1, -(-self._order.bit_length() // _BITS))
        rows, determinant = lattice.inverse
        levels = [sorted(c.corners, key=lambda y: y.slope == 0) for c in lattice.chain.prefixes[1:]]
        corners = [corner for level in levels for corner in level]
        starts = [0, *itertools.accumulate(map(len, levels), initial=0)]
        seeing = [sum(corner.slope != 0 for corner in level) for level in levels]
        shape = (len(self.generators), len(corners))
        columns = np.asarray([[y / c.scale for y in c.direction] for c in corners]).T
        products = [[dot(c.direction, b) / c.scale for c in corners] for b in lattice.basis]
        return (
            np.asarray([lattice.start(1 << (_BITS * j)) for j in range(width)], dtype=np.int64),
            _BITS,
            np.asarray([[x / determinant for x in row] for row in rows], dtype=np.float64),
            np.asarray(lattice.basis, dtype=np.int64),
            np.asarray(starts),
            np.asarray([0, *map(sum, zip(starts[1:], seeing, strict=False))]),
            np.ascontiguousarray(columns).reshape(shape),
            np.asarray(products, dtype=np.float64).reshape(shape),
        )

    def all_vectors(self, a: NodeLike, b: NodeLike, limit: int | None = None) -> list[Vector]:
        """All shortest path vectors from a to b: how many ways there are to go.

        Args:
            a, b: node
            limit: At most this many (their number can grow fast when generators are small).

        Examples:
            >>> import hopscape
            >>> hopscape.build("circulant(55, 1, 5, 21)").router().all_vectors(0, 3)
            [(3, 0, 0), (-2, 1, 0)]
        """
        at, to, _, _ = self._pairs(a, b)
        self._require_ways(at[:1], to[:1])
        gap = int((to[0] - at[0]) % self.nodes) // self.components
        found = self.lattice.all_shortest(gap, limit)
        if not self._half.any():
            return found
        same = {  # +N/2 and -N/2 are one link
            tuple(abs(x) if half else x for x, half in zip(row, self._half, strict=True))
            for row in found
        }
        return sorted(same, reverse=True)

    def certify(self, a: NodeLike, b: NodeLike) -> Verdict:
        """Prove in integers that the vector from a to b is shortest.

        Checks that the vector leads to b, that every corner used as a bound is one (in the cube,
        orthogonal to the free vectors), and that the bounded search finds nothing shorter.
        """
        vector = self.vector(a, b)
        at, to, _, _ = self._pairs(a, b)
        gap = int((to[0] - at[0]) % self.nodes)
        reached = sum(x * s for x, s in zip(vector, self.generators, strict=True)) % self.nodes
        if reached != gap:
            return Verdict(
                False, f"{vector} leads to +{reached}, not to +{gap}", {"vector": vector}
            )
        search = self.lattice.nothing_shorter(vector)
        if search is None:
            return Verdict(False, f"{vector} is not shortest", {"vector": vector})
        for chain in search.used.values():
            wrong = chain.wrong_bound()
            if wrong is not None:
                return Verdict(False, f"{wrong} is not a bound for the basis {chain.basis}")
        return Verdict(
            True,
            f"{vector} is shortest ({l1(vector)} hops; {search.visited} branches looked at)",
            details={"vector": vector, "hops": l1(vector), "branches": search.visited},
        )

    # -- what every router answers ----------------------------------------------------------

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        total: IntArray = np.abs(self.vectors(at, to)).sum(axis=1)
        return np.where(self._has_way(at, to), total, -1)

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        vectors = self.vectors(at, to)
        axis = np.argmax(vectors != 0, axis=1)
        step = vectors[np.arange(len(vectors)), axis]
        backwards = step < 0
        if self._half.any():
            backwards &= ~self._half[axis]
        moving = (step != 0) & self._has_way(at, to)
        return np.where(moving.astype(bool), 2 * axis + backwards, -1)

    def trace(self, at: int, to: int) -> tuple[list[int], list[int]]:
        """Nodes and ports of one route.

        Once the hops taken one by one have cost as much, the first port of every difference is
        kept, and the difference behind it.
        """
        if self.components > 1 and (to - at) % self.components:
            raise self._lost(at, to, -1)
        if self._first is None:
            if self.nodes > _MOST_FIRST or self._hops * _HOP_COST < self._order:
                nodes, ports = super().trace(at, to)
                self._hops += len(ports)
                return nodes, ports
            gaps = np.arange(self.nodes, dtype=np.int64)
            first = self.next_ports(np.zeros_like(gaps), gaps)
            moves = [sign * s for s in self.generators for sign in (1, -1)]
            self._first = first.astype(np.uint8).tobytes(), self._left_after(first, moves)
        return self._trace_by_difference(at, to, *self._first)

    def formula(self, at: Value, to: Value) -> Value:
        """Path vector by arithmetic, then its first step."""
        gap = wrapped(to - at, self.nodes).named("gap", "the difference alone decides")
        vector = path_vector(
            gap // self.components, self._form, lambda: self.lattice, self._every_vector
        )
        port = constant(-1)
        for axis in range(len(vector) - 1, -1, -1):
            down = choose(less(vector[axis], 0), 2 * axis + 1, 2 * axis)
            step = constant(2 * axis) if self._half[axis] else down
            port = choose(equal(vector[axis], 0), port, step).named(f"port{axis}")
        if self._form is None and self._order <= MOST_COMPARED:
            port = self._settled(port, gap)
        if self.components > 1:
            port = choose(equal(gap % self.components, 0), port, -1)
        return port

    def _settled(self, port: Value, gap: Value) -> Value:
        """The formula, with the few ties put right that the router settles otherwise."""
        gaps = self.components * np.arange(self._order, dtype=np.int64)
        zero = np.zeros_like(gaps)
        wanted = self.next_ports(zero, gaps)
        other = np.flatnonzero(evaluate(port, zero, gaps) != wanted)
        for v in other.tolist() if len(other) <= _MOST_TIES else ():
            tie = equal(gap, int(gaps[v]))
            port = choose(tie, int(wanted[v]), port).named(f"tie{v}", "another shortest path")
        return port

    def _every_vector(self) -> IntArray:
        """The vectors of all differences of one component."""
        gaps = self.components * np.arange(self._order, dtype=np.int64)
        return self.vectors(np.zeros_like(gaps), gaps)

    def _has_way(self, at: IntArray, to: IntArray) -> IntArray:
        if self.components == 1:
            return np.ones(len(at), dtype=bool)
        return np.asarray((to - at) % self.components == 0, dtype=bool)

    def _require_ways(self, at: IntArray, to: IntArray) -> None:
        lost = ~self._has_way(at, to)
        if lost.any():
            i = int(np.argmax(lost))
            raise DisconnectedError(
                f"there is no route from node {at[i]} to node {to[i]} in {self.network.spec}:"
                f" it has {self.components} components"
            )
