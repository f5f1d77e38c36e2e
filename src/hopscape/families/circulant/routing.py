"""Routing without tables: closed forms where the family has one, exact search in the lattice else.

A *path vector* P has one coordinate per generator: |P_i| steps of s_i, forwards or backwards. All
orders of its steps are ways to the same node, so that the vector is all a message has to carry.

Path vectors as formulas: a closed form, or the shortest of a few candidates.

Without a closed form, a difference v is first led near to the origin: x = v·u - Σ t_k b_k, where u
leads to node 1, b_k is a reduced basis of the closed walks, and t_k is v times a constant, shifted
and rounded (Babai's rounding, without a division). A shortest vector is then x less one of a few
vectors of the lattice, which are worked out here, once, and become constants of the code.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from hopscape.algebra.lattices.cell import Lattice
from hopscape.algebra.reduction import Vector, dot, l1
from hopscape.core.addresses import node_dtype
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, DisconnectedError, TooLargeError
from hopscape.core.formula import (
    Value,
    absolute,
    choose,
    constant,
    equal,
    evaluate,
    less,
    ordered,
    wrapped,
)
from hopscape.core.network import Network, NodeLike
from hopscape.core.router import Router
from hopscape.core.verdict import Verdict
from hopscape.families.circulant.closed_forms import CellForm, RingForm, recognise

__all__ = ["MOST_COMPARED", "MOST_GENERATORS", "CirculantRouter", "path_vector"]

MOST_GENERATORS = 6  # the search for a shortest vector grows exponentially with them
_FEW = 24  # differences by closed form: importing the kernel takes longer
_KERNEL_LENGTH = 2**38  # sum of the basis: floats in the kernel are then off by less than 1/4
_KERNEL_ORDER = 2**31  # products of two node numbers must fit for the closed form of (17)
_KERNEL_BRANCHES = 20_000  # beyond it the exact search, which adapts its basis, is quicker
# of a digit of a node number: times entries up to 2^38 it stays exact in floats, below 2^53
_BITS = 15
_MOST_FIRST = 1 << 22  # nodes whose first ports are kept: 4 MiB
_FEW_HOPS = 64  # looked at together; twice as many each time that all of them are on the route
_MANY_HOPS = 1 << 12  # left on the route: one search for a second shortest vector is cheaper
_MOST_STEP = 1 << 62  # sums of steps below it are 64-bit numbers
_HOP_COST = 100  # a hop by itself takes as long as the first ports of so many differences
# differences put right one by one in the code; more keep the formula's own shortest path
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
        self.cyclic = (nodes,)
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
        held = sum(memoryview(table).nbytes for table in self._first or ())
        if isinstance(self._form, RingForm):
            return 8 * 12 + held
        if isinstance(self._form, CellForm):
            return 8 * 19 + held
        return held + sum(array.nbytes for array in (*self._arrays[:1], *self._arrays[2:]))

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
        self._require_routes(at, to)
        vectors = self.vectors(at, to)
        if scalar:
            return tuple(int(x) for x in vectors[0])
        return vectors.reshape(*shape, len(self.generators))

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
        self._require_routes(at[:1], to[:1])
        gap = int((to[0] - at[0]) % self.nodes) // self.components
        shortest = self.lattice.all_shortest(gap, limit)
        if not self._half.any():
            return shortest
        same = {  # +N/2 and -N/2 are one link
            tuple(abs(x) if half else x for x, half in zip(row, self._half, strict=True))
            for row in shortest
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
                nodes, ports = self._trace_by_vectors(at, to)
                self._hops += len(ports)
                return nodes, ports
            gaps = np.arange(self.nodes, dtype=np.int64)
            first = self.next_ports(np.zeros_like(gaps), gaps)
            moves = [sign * s for s in self.generators for sign in (1, -1)]
            self._first = first.astype(np.uint8).tobytes(), self._left_after(first, moves)
        return self._trace_by_difference(at, to, *self._first)

    def _trace_by_vectors(self, at: int, to: int) -> tuple[list[int], list[int]]:
        """One route, many hops at a time: along a path vector for as long as its ports are next.

        Where shortest vectors tie, another may be taken after a hop; from there it goes on anew. A
        vector without a tie is followed to its end: a second one behind a hop would be a second
        one before it.
        """
        if self.nodes > _FEW_HOPS:
            self._require_route(self.distance(at, to))
        kind = node_dtype(self.nodes)
        nodes, ports, ahead = [at], [], _FEW_HOPS
        while at != to:
            vector = self.vectors(np.asarray([at], dtype=kind), np.asarray([to], dtype=kind))[0]
            sure = self._is_alone(vector.tolist(), (to - at) % self.nodes)
            ahead = max(ahead, _MOST_STEP // self.nodes) if sure else ahead
            steps, taken = self._first_hops(vector.tolist(), ahead)
            heads = (at + steps) % self.nodes
            here = np.concatenate([np.asarray([at], dtype=kind), heads[:-1].astype(kind)])
            same = np.ones(len(here), dtype=bool)
            if not sure:
                same = self.next_ports(here, np.full(len(here), to, dtype=kind)) == taken
            count = len(same) if same.all() else int(np.argmin(same))
            nodes += heads[:count].tolist()
            ports += taken[:count].tolist()
            at = nodes[-1]
            ahead = _FEW_HOPS if count < len(same) else 2 * ahead
        return nodes, ports

    def _is_alone(self, vector: Sequence[int], gap: int) -> bool:
        """Whether a long vector is known to be the only shortest one of its difference."""
        if l1(vector) < _MANY_HOPS:
            return False
        return len(self.lattice.all_shortest(gap // self.components, 2)) == 1

    def _first_hops(self, vector: Sequence[int], most: int) -> tuple[IntArray, IntArray]:
        """How far the first hops along a vector lead, axis by axis, and by which ports."""
        kind = node_dtype(self.nodes * most)
        steps, ports, far = [], [], 0
        for axis, count in enumerate(vector):
            hops = min(abs(count), most)
            move = self.generators[axis] if count > 0 else -self.generators[axis]
            steps.append(far + move * np.arange(1, hops + 1).astype(kind))
            ports += [2 * axis + (count < 0 and not self._half[axis])] * hops
            far, most = far + move * hops, most - hops
        return np.concatenate(steps), np.asarray(ports)

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

    def _require_routes(self, at: IntArray, to: IntArray) -> None:
        lost = ~self._has_way(at, to)
        if lost.any():
            i = int(np.argmax(lost))
            raise DisconnectedError(
                f"there is no route from node {at[i]} to node {to[i]} in {self.network.spec}:"
                f" it has {self.components} components"
            )


MOST_COMPARED = 1 << 18
"""Up to this order the candidates are found, and ties settled, by trying every difference."""

_MOST_CANDIDATES = 2000  # compared one by one in the code that is written
_SPARE_BITS = 3  # factors rounded to half a unit then give errors below 1/16 (see _possible)


def path_vector(
    gap: Value,
    form: RingForm | CellForm | None,
    lattice: Callable[[], Lattice],
    every: Callable[[], IntArray],
) -> list[Value]:
    """A shortest path vector to the node at a difference, one value for each generator.

    Args:
        gap: From 0 to nodes - 1.
        form: A closed form where there is one.
        lattice: The lattice of closed walks.
        every: The router's vectors of all differences, for ties.

    Raises:
        TooLargeError: When too many candidates would be needed.
    """
    if form is None:
        return _nearest(gap, lattice(), every)
    steps = _ring(gap, form) if isinstance(form, RingForm) else _cell(gap, form)
    out: list[Value] = [constant(0)] * len(steps)
    for value, slot, sign in zip(steps, form.slots, form.signs, strict=True):
        out[slot] = value if sign > 0 else 0 - value
    return [value.named(f"x{i}", f"steps of generator {i}") for i, value in enumerate(out)]


def _ring(gap: Value, form: RingForm) -> list[Value]:
    """As :meth:`RingForm.vector`."""
    half = (form.s2 + form.s3) // 2
    i = (gap // form.s3).named("i", "turns of the largest generator")
    rest = gap % form.s3
    mirrored = less(half, rest).named("mirrored")
    delta = choose(mirrored, 2 * half - rest, rest).narrow(0, half).named("delta")
    j, e = (delta // form.s2).named("j"), (delta % form.s2).named("e")
    k = (e - form.h).named("k")
    size = absolute(k)
    wraps = ordered(form.p + form.q - i - j + size, form.h + i + j - size)
    wraps = wraps.named("wraps", "is it nearer from the other end?")
    high = less(0, k)
    x = choose(wraps, k, choose(high, e - form.s2, e))
    y = choose(wraps, j - form.q, choose(high, j + 1, j))
    z = choose(wraps, i - form.p, choose(mirrored, i + 1, i))
    turned = choose(wraps, 0 - y, 1 - y)
    return [choose(mirrored, 0 - x, x), choose(mirrored, turned, y), z]


def _cell(gap: Value, form: CellForm) -> list[Value]:
    """As :meth:`CellForm.vector`: the first shortest of the eight corners."""
    nodes = form.nodes
    at = (gap * form.factor % nodes if form.factor != 1 else gap).named("turned")
    floors = [
        (at * (w % nodes) // nodes + at * (w // nodes)).named(f"t{i}")
        for i, w in enumerate(form.rows)
    ]
    start = []
    for i in range(3):
        x = at if i == 0 else constant(0)
        for t, b in zip(floors, form.basis, strict=True):
            x = x - t * b[i]
        start.append(x.narrow(-2 * nodes, 2 * nodes))
    corners = [
        tuple(sum(up * b[i] for up, b in zip(ups, form.basis, strict=True)) for i in range(3))
        for ups in itertools.product((0, 1), repeat=3)
    ]
    reach = sum(l1(b) for b in form.basis)
    start = [
        x.narrow(-reach, reach).named(f"start{i}", "near to the origin")
        for i, x in enumerate(start)
    ]
    return _shortest(start, corners)


def _shortest(start: Sequence[Value], candidates: Sequence[Vector]) -> list[Value]:
    """The first shortest of the vectors `start` less a candidate."""
    best: list[Value] = []
    least: Value | None = None
    for number, candidate in enumerate(candidates):
        vector = [x - c for x, c in zip(start, candidate, strict=True)]
        length = absolute(vector[0])
        for x in vector[1:]:
            length = length + absolute(x)
        length = length.named(f"length{number}", f"less {tuple(candidate)}")
        if least is None:
            best, least = vector, length
            continue
        better = less(length, least).named(f"better{number}")
        least = choose(better, length, least)
        best = [choose(better, x, y) for x, y in zip(vector, best, strict=True)]
    return best


# -- any circulant: candidates worked out beforehand ------------------------------------------


def _nearest(gap: Value, lattice: Lattice, every: Callable[[], IntArray]) -> list[Value]:
    unit, factors, shift = _rounding(lattice)
    n, nodes = len(unit), lattice.nodes
    half = 1 << (shift - 1)
    turns = [((gap * f + half) >> shift).named(f"t{k}") for k, f in enumerate(factors)]
    reach = sum(map(l1, lattice.basis))
    start = []
    for i in range(n):
        x = gap * unit[i]
        for t, b in zip(turns, lattice.basis, strict=True):
            x = x - t * b[i]
        start.append(x.narrow(-reach, reach).named(f"start{i}", "near to the origin"))
    if nodes <= MOST_COMPARED:
        v = np.arange(nodes, dtype=np.int64)
        rounded = (v[:, None] * np.asarray(factors) + half) >> shift
        places = v[:, None] * np.asarray(unit) - rounded @ np.asarray(lattice.basis)
        candidates = _needed(places, every())
    else:
        candidates = _possible(lattice)
    vector = _shortest(start, candidates)
    return [value.named(f"x{i}", f"steps of generator {i}") for i, value in enumerate(vector)]


def _rounding(lattice: Lattice) -> tuple[Vector, list[int], int]:
    """A vector to node 1 with coordinates from 0 to 1, and these as fractions of a power of 2."""
    rows, determinant = lattice.inverse
    unit = lattice.unit
    floors = [dot(row, unit) // determinant for row in rows]
    for t, b in zip(floors, lattice.basis, strict=True):
        unit = tuple(x - t * y for x, y in zip(unit, b, strict=True))
    shift = lattice.nodes.bit_length() + _SPARE_BITS
    parts = [dot(row, unit) for row in rows]
    factors = [((part << (shift + 1)) + determinant) // (2 * determinant) for part in parts]
    return unit, factors, shift


def _possible(lattice: Lattice) -> list[Vector]:
    """Every lattice vector that could lead to a shortest one, from anywhere in the cell.

    With rounding errors below 1/16, x has coordinates below 9/16, so that |x| <= 9/16 Σ|b_k|; what
    is taken from it is at most twice as long.
    """
    rows, determinant = lattice.inverse
    reach = 9 * sum(map(l1, lattice.basis)) // 8
    widths = [max(map(abs, row)) * reach // determinant for row in rows]
    count = int(np.prod([2 * w + 1 for w in widths], dtype=object))
    if count > 100 * _MOST_CANDIDATES:
        candidates: list[Vector] = []
    else:
        ranges = [range(-w, w + 1) for w in widths]
        candidates = [
            tuple(dot(ts, column) for column in zip(*lattice.basis, strict=True))
            for ts in itertools.product(*ranges)
        ]
        candidates = sorted((v for v in candidates if l1(v) <= reach), key=lambda v: (l1(v), v))
    if not 0 < len(candidates) <= _MOST_CANDIDATES:
        raise TooLargeError(
            f"the circulant of {lattice.nodes} nodes and generators {lattice.generators} needs more"
            f" than {_MOST_CANDIDATES} candidates in a formula; up to {MOST_COMPARED} nodes there"
            " are few"
        )
    return candidates


def _needed(places: IntArray, vectors: IntArray) -> list[Vector]:
    """A short list of candidates, in an order in which the first shortest one is the router's.

    Where no order settles all ties as the router does, another shortest path is taken.
    """
    moves = np.unique(places - vectors, axis=0)
    lengths = np.abs(vectors).sum(axis=1)
    ports = _first_steps(vectors)
    tie = np.zeros((len(moves), len(places)), dtype=bool)
    good = np.zeros_like(tie)
    for c, move in enumerate(moves):
        moved = places - move
        tie[c] = np.abs(moved).sum(axis=1) == lengths
        good[c] = tie[c] & (_first_steps(moved) == ports)
    chosen = _cover(good)
    order = _arrange(tie[chosen], good[chosen])
    return [tuple(int(x) for x in moves[chosen[c]]) for c in order]


def _first_steps(vectors: IntArray) -> IntArray:
    """Axis and sign of the first step of each vector."""
    axis = (vectors != 0).argmax(axis=1)
    ports: IntArray = 2 * axis + (vectors[np.arange(len(vectors)), axis] < 0)
    return ports


def _cover(good: IntArray) -> IntArray:
    """Rows that together are good everywhere: always the one that adds most."""
    left = np.ones(good.shape[1], dtype=bool)
    chosen: list[int] = []
    while left.any():
        chosen.append(int((good & left).sum(axis=1).argmax()))
        left &= ~good[chosen[-1]]
    return np.asarray(chosen)


def _arrange(tie: IntArray, good: IntArray) -> list[int]:
    """An order of the candidates that settles as many ties as possible as they should be."""
    left = np.ones(tie.shape[1], dtype=bool)
    rest, order = list(range(len(tie))), []
    while rest:
        wrong = [int((tie[c] & ~good[c] & left).sum()) for c in rest]
        gain = [int((good[c] & left).sum()) for c in rest]
        c = min(range(len(rest)), key=lambda i: (wrong[i], -gain[i]))
        order.append(rest.pop(c))
        left &= ~tie[order[-1]]
    return order
