"""Stacks: copies of a slice, joined along rings; the networks of this room are all of this kind.

A node is (ring positions..., place in the slice); its number counts the slice fastest. Ports: those
of the slice first, then for every ring two for each of its steps, up and down.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from hopscape.core.addresses import Addresses, MixedRadix, node_dtype
from hopscape.core.arrays import IntArray
from hopscape.core.errors import AddressError
from hopscape.core.facts import Points, circle
from hopscape.core.family import Facts, Family, Layout, Symmetry
from hopscape.core.network import Network
from hopscape.core.product import least_cut
from hopscape.papers.rpc.slices import Slice, petersen_turns, port_moves

__all__ = [
    "Cycles",
    "Loop",
    "PortAddresses",
    "Stack",
    "digits_of",
    "loops_of",
    "port_places",
]

_MOST_MOVES = 1 << 24  # entries of the table of moves: 128 MiB
_MOST_STEPS = 5 * 10**7
"""Pairs of nodes of a slice times ports: a second's work. Beyond it distances are no facts, which
come at once, but figures that are measured after an estimate of their cost."""


@dataclass(frozen=True)
class Loop:
    """A ring of `size` positions on which every step leads both ways."""

    size: int
    steps: tuple[int, ...] = (1,)

    @property
    def wired(self) -> tuple[tuple[int, bool, bool], ...]:
        """For each step: the step, is its port up wired, is its port down?

        A loop of one position has no links, a step of half the way round a single one.
        """
        seen: set[int] = set()
        out = []
        for step in self.steps:
            turn = step % self.size
            fresh = turn != 0 and min(turn, self.size - turn) not in seen
            seen.add(min(turn, self.size - turn))
            out.append((turn, fresh, fresh and 2 * turn != self.size))
        return tuple(out)

    @property
    def degree(self) -> int:
        """Links of each position."""
        return sum(up + down for _, up, down in self.wired)

    @property
    def plain(self) -> bool:
        """Is it an ordinary ring?"""
        return self.steps == (1,)

    def distances(self, gap: IntArray) -> IntArray:
        """Distance for every gap 0..size-1."""
        if self.plain:
            return np.minimum(gap, self.size - gap)
        return self.table[gap.astype(np.int64)]

    @cached_property
    def table(self) -> IntArray:
        """int64[size]: distances from position 0."""
        hops = np.full(self.size, -1, dtype=np.int64)
        hops[0] = 0
        front, level = np.zeros(1, dtype=np.int64), 0
        while len(front):
            level += 1
            moves = [front + step for step in self.steps] + [front - step for step in self.steps]
            new = np.unique(np.concatenate(moves) % self.size)
            front = new[hops[new] < 0]
            hops[front] = level
        return hops

    @property
    def diameter(self) -> int:
        """The largest distance."""
        return self.size // 2 if self.plain else int(self.table.max())

    def walk(self, gap: int) -> list[tuple[int, int]]:
        """Ports and steps over a gap, each the lowest port that begins a shortest path."""
        if self.plain:
            up = 2 * gap <= self.size
            return [(0, 1)] * gap if up else [(1, -1)] * (self.size - gap)
        moves = [(2 * i, step) for i, (step, up, _) in enumerate(self.wired) if up]
        moves += [(2 * i + 1, -step) for i, (step, _, down) in enumerate(self.wired) if down]
        moves.sort()
        hops, moves_made = self.table, []
        while gap:
            nearer = (move for move in moves if hops[(gap - move[1]) % self.size] == hops[gap] - 1)
            moves_made.append(next(nearer))
            gap = (gap - moves_made[-1][1]) % self.size
        return moves_made

    @property
    def girth(self) -> int | None:
        """Length of its shortest cycle, where that is at most 4 or it is an ordinary ring."""
        if self.plain:
            return self.size if self.size > 2 else None
        turns = {turn for step, up, _ in self.wired if up for turn in (step, self.size - step)}
        if any((-a - b) % self.size in turns for a in turns for b in turns):
            return 3
        return 4 if len(turns) > 2 else self.size if self.size > 2 else None

    @property
    def total(self) -> int:
        """Sum of the distances from one position."""
        return self.size * self.size // 4 if self.plain else int(self.table.sum())


class PortAddresses(Addresses):
    """Addresses (s, m, n) of G-connected cycles: slice s, cycle m, the port of m towards n.

    Args:
        base: Neighbours in G, ascending.
        slices: Number of slices; None leaves s out, for a single slice.
    """

    def __init__(self, base: tuple[tuple[int, ...], ...], slices: int | None) -> None:
        self.base, self.slices = base, slices
        degree = len(base[0])
        self.size = len(base) * degree
        self.order = self.size * (slices if slices is not None else 1)
        self.width = 2 if slices is None else 3
        self._cycle = np.repeat(np.arange(len(base)), degree)
        self._towards = np.asarray(base, dtype=np.int64).ravel()
        self._rank = np.full((len(base), len(base)), -1, dtype=np.int64)
        self._rank[self._cycle, self._towards] = np.arange(self.size)

    def tuples(self, nodes: IntArray) -> IntArray:
        number = np.asarray(nodes, dtype=node_dtype(self.order))
        place = (number % self.size).astype(np.int64)
        out = np.empty((*number.shape, self.width), dtype=number.dtype)
        out[..., -2] = self._cycle[place]
        out[..., -1] = self._towards[place]
        if self.slices is not None:
            out[..., 0] = number // self.size
        return out

    def numbers(self, addresses: IntArray) -> IntArray:
        given = np.asarray(addresses, dtype=node_dtype(self.order))
        high = np.full(self.width, len(self.base), dtype=given.dtype)
        if self.slices is not None:
            high[0] = self.slices
        wrong = ((given < 0) | (given >= high)).any(axis=-1)
        if wrong.any():
            shown = ", ".join(map(str, given[wrong].reshape(-1, self.width)[0]))
            raise AddressError(f"address ({shown}) is out of range; expected {self.describe()}")
        m, n = given[..., -2].astype(np.int64), given[..., -1].astype(np.int64)
        place = self._rank[m, n]
        if (place < 0).any():
            at = int(np.ravel(m)[np.argmax(np.ravel(place) < 0)])
            to = int(np.ravel(n)[np.argmax(np.ravel(place) < 0)])
            ports = ", ".join(map(str, self.base[at]))
            raise AddressError(
                f"(m, n) = ({at}, {to}) is not a port: cycle {at} has ports towards {ports}"
            )
        if self.slices is None:
            return place.astype(given.dtype)
        number: IntArray = given[..., 0] * self.size + place.astype(given.dtype)
        return number

    def describe(self) -> str:
        ports = f"m, n in 0..{len(self.base) - 1}, n a neighbour of m in the base graph"
        if self.slices is None:
            return f"an address (m, n), {ports}"
        return f"an address (s, m, n), s in 0..{self.slices - 1}, {ports}"


class Stack(Family):
    """Copies of a slice, corresponding nodes joined along loops: a Cartesian product.

    Subclasses set `slice` and `loops` in their constructor.
    """

    slice: Slice
    loops: tuple[Loop, ...]
    packed_rounds: int | None = None
    """Rounds in which packed half-duplex messages gather all in a slice, where that is known."""

    @property
    def positions(self) -> int:
        """Number of copies of the slice."""
        return math.prod(loop.size for loop in self.loops)

    @property
    def order(self) -> int:
        return self.slice.size * self.positions

    @property
    def ports(self) -> int:
        return self.slice.ports + 2 * sum(len(loop.steps) for loop in self.loops)

    @property
    def addresses(self) -> Addresses:
        """Positions on the loops, then the place in the slice."""
        return MixedRadix([*(loop.size for loop in self.loops), self.slice.size])

    def neighbours(self, nodes: IntArray) -> IntArray:
        out = np.full((len(nodes), self.ports), -1, dtype=nodes.dtype)
        size = self.slice.size
        place = (nodes % size).astype(np.int64)
        inner = self.slice.rows[place]
        out[:, : self.slice.ports] = (nodes - place)[:, None] + inner
        stride, column = self.order // size, self.slice.ports
        for loop in self.loops:
            stride //= loop.size
            at = nodes // (size * stride) % loop.size
            base = nodes - at * (size * stride)
            for step, up, down in loop.wired:
                if up:
                    out[:, column] = base + (at + step) % loop.size * (size * stride)
                if down:
                    out[:, column + 1] = base + (at - step) % loop.size * (size * stride)
                column += 2
        return out

    def port_classes(self) -> tuple[str, ...]:
        return ("slice",) * self.slice.ports + ("ring",) * (self.ports - self.slice.ports)

    @property
    def degree(self) -> int:
        """Links of each node."""
        return self.slice.ports + sum(loop.degree for loop in self.loops)

    def facts(self) -> Facts:
        """What follows from the slice; of a large one, what needs no distances."""
        nodes, edges = self._connectivity()
        known = Facts.regular(
            self.order,
            self.degree,
            connected=True,
            node_connectivity=nodes,
            edge_connectivity=edges,
            vertex_transitive=True if self.transitive else None,
        )
        if self.slice.ports * self.slice.size**2 > _MOST_STEPS:
            return known
        table = self.slice.distances
        diameter = self.slice.diameter + sum(loop.diameter for loop in self.loops)
        radius = int(table.max(axis=1).min()) + sum(loop.diameter for loop in self.loops)
        copies = self.positions
        total = int(table.sum(dtype=np.int64)) * copies * copies
        for loop in self.loops:
            total += self.slice.size**2 * loop.total * copies * (copies // loop.size)
        order = self.order
        return replace(
            known,
            diameter=diameter,
            radius=radius,
            mean_distance=Fraction(total, order * (order - 1)) if order > 1 else None,
            girth=self._girth(),
        )

    def _girth(self) -> int:
        """A cycle of the slice or of a loop, or one link of each there and back."""
        cycles = [self.slice.girth, *[loop.girth for loop in self.loops]]
        cycles += [4] * any(loop.degree for loop in self.loops)
        return min(g for g in cycles if g is not None)

    def slice_cuts(self) -> tuple[int | None, int | None]:
        """How many nodes, and links, part a slice: the Petersen graph and PC are 3-connected."""
        return 3, 3

    def _connectivity(self) -> tuple[int | None, int | None]:
        """Least cuts of nodes and links; connected circulants of degree 4 or less have none below.

        (A vertex-transitive graph of degree d is 2(d + 1)/3-connected: Watkins 1970.)
        """
        nodes, edges = self.slice_cuts()
        order, degree = self.slice.size, self.slice.ports
        for loop in self.loops:
            degree += loop.degree
            nodes = least_cut(order, nodes, loop.size, loop.degree, degree)
            edges = least_cut(order, edges, loop.size, loop.degree, degree)
            order *= loop.size
        return nodes, edges

    def symmetry(self) -> Symmetry:
        """Loops turn freely, so that one node of the slice stands for those that look like it."""
        classes = self.slice_orbits
        first = tuple(members[0] for members in classes)
        return Symmetry(first, tuple(self.positions * len(members) for members in classes))

    @property
    def slice_orbits(self) -> list[list[int]]:
        """Classes of nodes of a slice that look alike."""
        return [list(range(self.slice.size))]

    @property
    def transitive(self) -> bool:
        """Is it known to look the same from every node?"""
        return len(self.slice_orbits) == 1

    def slice_moves(self) -> IntArray:
        """A group of automorphisms of the slice that leave no node in place; row 0 is none."""
        return np.arange(self.slice.size)[None, :]

    def slice_turns(self) -> IntArray:
        """The same, done to all slices at once."""
        corners = self.slice.size * np.arange(self.positions)
        turned = self.slice_moves()[:, None, :] + corners[None, :, None]
        return turned.reshape(len(turned), -1)

    @abstractmethod
    def few_slices(self, count: int) -> Network:
        """The network of one slice, or of two in a ring; the same object every time."""

    def rotations(self) -> IntArray | None:
        """Loops turn, and slices."""
        if self.order > _MOST_MOVES:
            return None
        out = np.zeros((1, 1), dtype=np.int64)
        count = self.positions * len(self.slice_moves())
        if count == 1 or count * self.order > _MOST_MOVES:
            return None
        turns = [np.add.outer(np.arange(k), np.arange(k)) % k for k in self._sizes]
        for moves in (*turns, self.slice_moves()):
            grown = out[:, None, :, None] * moves.shape[1] + moves[None, :, None, :]
            out = grown.reshape(len(out) * len(moves), -1)
        return out

    @property
    def _sizes(self) -> list[int]:
        return [loop.size for loop in self.loops]

    def slice_layout(self) -> IntArray:
        """Where the nodes of one slice stand, within the unit circle."""
        return circle(self.slice.size)

    def layout(self) -> Layout | None:
        """Slices round a circle, each drawn small."""
        inner = self.slice_layout()
        count = self.positions
        if count == 1:
            return Layout(inner)
        centres = circle(count, turn=0.5 if count == 2 else 0.0)  # two side by side
        gap = 2 * np.sin(np.pi / max(count, 2)) if count > 2 else 2.0
        whole = centres[:, None, :] + 0.42 * gap * inner[None, :, :]
        return Layout(whole.reshape(-1, 2))


class Cycles(Stack):
    """Rings of G-connected cycles: a cycle of ports for every vertex of a regular graph G."""

    neighbours_of_base: tuple[tuple[int, ...], ...]

    @property
    def cycle(self) -> int:
        """Ports of a cycle: the degree of G."""
        return len(self.neighbours_of_base[0])

    @cached_property
    def base_distances(self) -> IntArray:
        """int64[vertices, vertices]: distances in G."""
        rows = np.asarray(self.neighbours_of_base)
        return Slice(rows, "the base graph").distances.astype(np.int64)

    @property
    def addresses(self) -> Addresses:
        return PortAddresses(self.neighbours_of_base, self.loops[0].size)

    def slice_layout(self) -> IntArray:
        return port_places(self.neighbours_of_base, circle(len(self.neighbours_of_base)))

    def slice_moves(self) -> IntArray:
        """What the base graph knows, where it keeps the cyclic order of the ports."""
        return port_moves(self.neighbours_of_base, self.base_moves(), self.slice.rows)

    def base_moves(self) -> IntArray:
        """Automorphisms of the base graph that leave no vertex in place; row 0 is none."""
        return petersen_turns()


def port_places(base: tuple[tuple[int, ...], ...], places: Points) -> Points:
    """Every port a little way from its vertex towards its neighbour."""
    m = np.repeat(np.arange(len(base)), len(base[0]))
    n = np.asarray(base).ravel()
    towards = places[n] - places[m]
    length = np.hypot(*towards.T)[:, None]
    result: Points = places[m] + 0.16 * towards / np.maximum(length, 1e-9)
    return result


def digits_of(stack: Stack, nodes: IntArray) -> tuple[list[IntArray], IntArray]:
    """Positions on the loops, and places in the slice (int64)."""
    size = stack.slice.size
    place = (nodes % size).astype(np.int64)
    rest = nodes // size
    digits: list[IntArray] = []
    for loop in reversed(stack.loops):
        digits.append(rest % loop.size)
        rest = rest // loop.size
    return digits[::-1], place


def loops_of(sides: Sequence[int]) -> tuple[Loop, ...]:
    """Ordinary rings of these lengths."""
    return tuple(Loop(side) for side in sides)
