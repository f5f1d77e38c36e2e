"""Packets that change places on a triangle: the fewest rounds, detours allowed.

Slices: the small graphs whose copies are stacked along rings.

A slice is a table of neighbours; from it follow the tables that routing needs: distances, the next
port on the canonical path, all ports that begin a shortest path, and how many paths there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property
from itertools import pairwise, product

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows
from hopscape.core.network import Network
from hopscape.core.processes import require_memory

__all__ = [
    "PETERSEN",
    "Slice",
    "cycle_ports",
    "cycles_of",
    "petersen_rows",
    "petersen_turns",
    "port_moves",
    "triangle_plan",
]

Demand = tuple[int, ...]
Move = tuple[int, int, int]
"""From, to, and where the packet finally goes."""

_PAIRS = ((0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1))
_INDEX = {pair: i for i, pair in enumerate(_PAIRS)}


def triangle_plan(demand: Demand, half: bool) -> tuple[tuple[Move, ...], ...]:
    """The shortest plan, one datum per message.

    Args:
        demand (tuple of 6 ints): Packets for the ordered pairs 01, 02, 10, 12, 20, 21.
        half: A link carries one packet per round; else one in each direction.

    Returns:
        tuple of rounds, each a tuple of moves (from, to, final)

    Examples:
        >>> [len(triangle_plan((3, 0, 3, 0, 0, 0), half)) for half in (True, False)]
        [3, 2]
    """
    rounds = 0
    while True:
        plan = _plan(demand, rounds, half)
        if plan is not None:
            return plan
        rounds += 1


@cache
def _plan(demand: Demand, rounds: int, half: bool) -> tuple[tuple[Move, ...], ...] | None:
    """A plan of at most so many rounds, or None."""
    total = sum(demand)
    if total == 0:
        return ()
    if rounds == 0 or total > (3 if half else 6) * rounds:
        return None
    for x in range(3):
        out = sum(demand[_INDEX[x, y]] for y in range(3) if y != x)
        into = sum(demand[_INDEX[y, x]] for y in range(3) if y != x)
        if (out + into if half else max(out, into)) > 2 * rounds:
            return None
    for moves in _choices(demand, half):
        left = list(demand)
        for a, b, final in moves:
            left[_INDEX[a, final]] -= 1
            if b != final:
                left[_INDEX[b, final]] += 1
        rest = _plan(tuple(left), rounds - 1, half)
        if rest is not None:
            return (moves, *rest)
    return None


def _choices(demand: Demand, half: bool) -> list[tuple[Move, ...]]:
    """All sets of moves for one round, straight ones first."""
    lanes: list[list[Move | None]] = []
    directed: dict[tuple[int, int], list[Move | None]] = {}
    for a, b in _PAIRS:
        third = 3 - a - b
        moves: list[Move | None] = []
        if demand[_INDEX[a, b]]:
            moves.append((a, b, b))
        if demand[_INDEX[a, third]]:
            moves.append((a, b, third))
        directed[a, b] = moves
    if half:
        lanes = [[*directed[a, b], *directed[b, a], None] for a, b in ((0, 1), (0, 2), (1, 2))]
    else:
        lanes = [[*directed[pair], None] for pair in _PAIRS]
    choices = []
    for choice in product(*lanes):
        moves_made = tuple(move for move in choice if move is not None)
        used: dict[tuple[int, int], int] = {}
        for a, _, final in moves_made:
            used[a, final] = used.get((a, final), 0) + 1
        if all(demand[_INDEX[pair]] >= count for pair, count in used.items()):
            choices.append(moves_made)
    return choices


_BLOCK = 1 << 24  # bytes of a table for some of the targets
_FAR = np.iinfo(np.int64).max // 4


def petersen_rows() -> tuple[tuple[int, ...], ...]:
    """Neighbours in the Petersen graph, ascending: pentagon 0-4, spokes, pentagram 5-9.

    Examples:
        >>> petersen_rows()[0], petersen_rows()[5]
        ((1, 4, 5), (0, 7, 8))
    """
    outer = [((i - 1) % 5, (i + 1) % 5, i + 5) for i in range(5)]
    inner = [(i, 5 + (i + 2) % 5, 5 + (i + 3) % 5) for i in range(5)]
    return tuple(tuple(sorted(row)) for row in outer + inner)


def cycle_ports(base: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, int], ...]:
    """The nodes (m, n) of G-connected cycles in order: m a vertex of G, n a neighbour of it."""
    return tuple((m, n) for m, row in enumerate(base) for n in row)


def cycles_of(base: tuple[tuple[int, ...], ...]) -> IntArray:
    """Neighbours in the G-connected cycles of a regular graph G.

    Every vertex m becomes a cycle of its ports (m, n), in rising order of n. Columns: the next port
    of the cycle, the one before, and across to (n, m).
    """
    number = {port: i for i, port in enumerate(cycle_ports(base))}
    rows = np.empty((len(number), 3), dtype=np.int64)
    for (m, n), i in number.items():
        neighbours = base[m]
        at = neighbours.index(n)
        rows[i] = (
            number[m, neighbours[(at + 1) % len(neighbours)]],
            number[m, neighbours[at - 1]],
            number[n, m],
        )
    return rows


def petersen_turns() -> IntArray:
    """int64[5, 10]: pentagon and pentagram turned together; no vertex and no link stays."""
    turn, place = np.arange(5)[:, None], np.arange(5)[None, :]
    outer = (turn + place) % 5
    return np.concatenate([outer, 5 + outer], axis=1)


def port_moves(base: tuple[tuple[int, ...], ...], moves: IntArray, rows: IntArray) -> IntArray:
    """What a group of automorphisms of G does to the ports of its connected cycles.

    Args:
        base: Neighbours in G.
        moves (int64[members, vertices]): The group.
        rows (int64[ports, 3]): Neighbours in the connected cycles.

    Returns:
        int64[members, ports]: Only the identity where some member changes the cyclic order of the
            ports.
    """
    ports = np.asarray(cycle_ports(base))
    rank = np.full((len(base), len(base)), -1, dtype=np.int64)
    rank[ports[:, 0], ports[:, 1]] = np.arange(len(ports))
    out: IntArray = rank[moves[:, ports[:, 0]], moves[:, ports[:, 1]]]
    preserved = np.sort(out[:, rows], axis=2) == np.sort(rows[out], axis=2)
    return out if preserved.all() else np.arange(len(ports))[None, :]


def _by_level(hops: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """The entries of a table of distances, those of one distance at a time, from 1 upwards."""
    order = np.argsort(hops, axis=None, kind="stable")
    ends = np.cumsum(np.bincount(hops.ravel()))
    for low, high in pairwise(ends.tolist()):
        v, t = np.unravel_index(order[low:high], hops.shape)
        yield v, t


class Slice:
    """A small connected graph as a table of neighbours, with what routing in it needs.

    Args:
        rows (ndarray, shape (size, ports)): Neighbours in order of ports; the graph is regular,
            simple and duplex.
        name: For messages.
    """

    def __init__(self, rows: IntArray, name: str) -> None:
        self.rows = np.asarray(rows, dtype=np.int64)
        self.size, self.ports = self.rows.shape
        self.name = name

    @cached_property
    def distances(self) -> IntArray:
        """uint8 (or more)[size, size]: all distances, by breadth-first search."""
        require_memory(4 * self.size**2, f"the distance table of {self.name} ({self.size} nodes)")
        return distance_rows(self.network, np.arange(self.size))

    @cached_property
    def masks(self) -> IntArray:
        """bool[size, size, ports]: does a port begin a shortest path?"""
        hops = self.distances
        require_memory(self.ports * self.size**2, f"the shortest paths in {self.name}")
        masks: IntArray = np.empty((self.size, self.size, self.ports), dtype=bool)
        for part in self._targets():
            for port, beyond in enumerate(self.rows.T):
                masks[:, part, port] = hops[beyond, part] + 1 == hops[:, part]
        return masks

    @cached_property
    def canonical(self) -> IntArray:
        """int8[size, size]: the next port; of several, the one that stays on fewest cross links.

        The last port is the cross link where the slice consists of cycles. A path is canonical when
        it crosses as seldom as a shortest path can; on Petersen-connected cycles this is the path
        along the unique shortest path of the Petersen graph.
        """
        require_memory(self.size**2, f"the next ports in {self.name} ({self.size} nodes)")
        port: IntArray = np.empty((self.size, self.size), dtype=np.int8)
        across = np.zeros(self.ports, dtype=np.int64)
        across[-1] = 1
        for part in self._targets():
            hops = self.distances[:, part]
            nearer = hops[self.rows] + 1 == hops[:, None, :]
            cost = np.full(hops.shape, _FAR)
            cost[hops == 0] = 0
            for v, t in _by_level(hops):
                through = cost[self.rows[v], t[:, None]] + across
                cost[v, t] = np.where(nearer[v, :, t], through, _FAR).min(axis=1)
            beyond = cost[self.rows] + across[:, None]
            port[:, part] = np.where(nearer, beyond, 2 * _FAR).argmin(axis=1)
        np.fill_diagonal(port, -1)
        return port

    @cached_property
    def counts(self) -> IntArray:
        """int64[size, size]: number of shortest paths."""
        require_memory(8 * self.size**2, f"the shortest paths in {self.name} ({self.size} nodes)")
        counts = np.eye(self.size, dtype=np.int64)
        for part in self._targets():
            hops = self.distances[:, part]
            nearer = hops[self.rows] + 1 == hops[:, None, :]
            here = counts[:, part]
            for v, t in _by_level(hops):
                here[v, t] = np.where(nearer[v, :, t], here[self.rows[v], t[:, None]], 0).sum(
                    axis=1
                )
        return counts

    def _targets(self) -> Iterator[slice]:
        """Targets in blocks whose tables, a number for every port, stay small."""
        width = max(1, _BLOCK // (8 * self.size * self.ports))
        return (slice(low, low + width) for low in range(0, self.size, width))

    @property
    def diameter(self) -> int:
        """The largest distance."""
        return int(self.distances.max())

    @cached_property
    def girth(self) -> int | None:
        """Length of a shortest cycle: an odd one has a link between two nodes equally far from a
        third, an even one a node with two ways to it."""
        lengths = []
        for part in self._targets():
            hops = self.distances[:, part]
            beyond = hops[self.rows]
            odd = hops[(beyond == hops[:, None, :]).any(axis=1)]
            even = hops[(beyond + 1 == hops[:, None, :]).sum(axis=1) > 1]
            lengths += [2 * int(odd.min()) + 1] if len(odd) else []
            lengths += [2 * int(even.min())] if len(even) else []
        return min(lengths, default=None)

    @cached_property
    def network(self) -> Network:
        """The slice on its own, without a family."""
        tails = np.repeat(np.arange(self.size), self.ports)
        heads = self.rows.ravel()
        once = tails < heads
        return Network.from_links(self.size, tails[once], heads[once], spec=self.name)


PETERSEN = petersen_rows()
