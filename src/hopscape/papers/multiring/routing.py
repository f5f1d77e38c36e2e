"""Routers on multirings: shortest with changes of ring, and staying on one ring."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.distances import distances_from
from hopscape.core.errors import ArgumentError
from hopscape.core.formula import Value, lookup, wrapped
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.router import Router
from hopscape.core.structure import Structure

if TYPE_CHECKING:
    from hopscape.papers.multiring.sparse_capacity import ArcProgram

__all__ = [
    "DifferenceRouter",
    "RingRouter",
    "RingShares",
    "ring_routers",
    "ring_shares",
    "route_rows",
]


class DifferenceRouter(Router):
    """Shortest paths, from one table of N distances: only the difference of two nodes counts."""

    name = "difference table"

    def __init__(self, network: Network) -> None:
        super().__init__(network)
        self._from_zero = distances_from(network, 0).astype(np.int32)
        self.table_bytes = self._from_zero.nbytes

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        return self._from_zero[(to - at) % self.network.order].astype(np.int64)

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        good = self.shortest_ports(at, to)
        return np.where(good.any(axis=1), good.argmax(axis=1), -1)

    @cached_property
    def _first(self) -> tuple[list[int], memoryview]:
        """The first port by difference, and the difference behind it."""
        n = self.network.order
        zero, all_ = np.zeros(n, dtype=np.int64), np.arange(n, dtype=np.int64)
        first = self.next_ports(zero, all_)
        return first.tolist(), self._left_after(first, self.network.rows(zero[:1])[0].tolist())

    def trace(self, at: int, to: int) -> tuple[list[int], list[int]]:
        if self._from_zero[(to - at) % self.network.order] < 0:
            raise self._lost(at, to, -1)
        return self._trace_by_difference(at, to, *self._first)

    def formula(self, at: Value, to: Value) -> Value:
        n = self.network.order
        zero, all_ = np.zeros(n, dtype=np.int64), np.arange(n, dtype=np.int64)
        gap = wrapped(to - at, n).named("gap", "the difference alone decides")
        return lookup("first", self.next_ports(zero, all_), gap, "first port by difference")


@dataclass(frozen=True)
class RingShares:
    """Which share of each kind of pair goes by which port of its source, all along one ring.

    Attributes:
        rows: Takes sources and targets, returns the rows of their pairs; -1 where they are the
            same.
        ports, lengths (int64[rows, ways]):
            -1 and 0 where there are fewer ways.
        shares (float64[rows, ways]): 0 there; each row adds up to 1.
    """

    rows: Callable[[IntArray, IntArray], IntArray]
    ports: IntArray
    lengths: IntArray
    shares: Floats


def ring_shares(member: Structure, schedule: str) -> RingShares:
    """The shares of a schedule of routes, full or sparse.

    Args:
        member: Multiring or SparseMultiring
        schedule: {'shortest', 'balanced'}
    """
    from hopscape.papers.multiring.capacity import balanced_schedule
    from hopscape.papers.multiring.rings import FullRings, ring_lengths

    if isinstance(member, FullRings):
        n = member.n
        require_memory(40 * n * len(member.rings), f"the routes of {member.spec}")
        hops = np.stack([ring_lengths(n, s) for s in member.rings], axis=1)
        if schedule == "balanced":
            balanced = balanced_schedule(member)
            parts = np.zeros(hops.shape)
            parts[1:] = np.asarray([[float(x) for x in row] for row in balanced.shares]).T
        else:
            far = np.where(hops > 0, hops, np.iinfo(np.int64).max)
            least = far == far.min(axis=1, keepdims=True)
            least[0] = False
            parts = least / np.maximum(least.sum(axis=1, keepdims=True), 1)
        row, port = np.nonzero(parts)
        table = _table(row, port, hops[row, port], parts[row, port], n)
        return RingShares(lambda at, to: (to - at) % n, *table)
    arcs, exact, port = _sparse_routes(member, schedule)
    part = np.asarray([float(x) for x in exact])
    used = part > 0
    demand = arcs.program.demand
    count = int(demand[-1]) + 1
    return RingShares(
        arcs.rows, *_table(demand[used], port[used], arcs.length[used], part[used], count)
    )


def _table(
    row: IntArray, port: IntArray, length: IntArray, share: Floats, count: int
) -> tuple[IntArray, IntArray, Floats]:
    """Ports, lengths and shares side by side, the largest shares first."""
    order = np.lexsort((port, -share, row))
    row, port, length, share = row[order], port[order], length[order], share[order]
    place = np.arange(len(row)) - np.searchsorted(row, row)
    shape = (count, int(place.max(initial=0)) + 1)
    ports = np.full(shape, -1, dtype=np.int64)
    lengths = np.zeros(shape, dtype=np.int64)
    shares = np.zeros(shape)
    ports[row, place], lengths[row, place], shares[row, place] = port, length, share
    return ports, lengths, shares


def route_rows(network: Network, schedule: str, sources: Iterable[int]) -> list[dict[str, Any]]:
    """The ways of a schedule from some nodes to all others, with their exact shares.

    Examples:
        >>> import hopscape
        >>> rows = route_rows(hopscape.build("multiring(16, 1, 3)"), "shortest", [0])
        >>> rows[3]["target"], rows[3]["ring"], rows[3]["length"], rows[3]["share"]
        (4, '1', 4, Fraction(1, 2))
    """
    from hopscape.papers.multiring.rings import circuits

    member = network.family
    if schedule not in ("shortest", "balanced"):
        raise ArgumentError(f"schedule is {schedule!r}; it must be 'balanced' or 'shortest'")
    if member is None:
        raise ArgumentError(f"{network.spec} is not a multiring(...) and no sparse_multiring(...)")
    names = {(int(v), int(p)): c.name for c in circuits(member) for v, p in zip(c.nodes, c.ports)}
    rows, routes = _exact_routes(member, schedule)
    out = []
    targets = np.arange(network.order)
    for source in sources:
        kinds = rows(np.full_like(targets, source), targets).tolist()
        for target in targets.tolist():
            for port, length, share in routes[kinds[target]] if target != source else ():
                ring = names[int(source), port]
                out.append(
                    {"source": int(source), "target": target, "ring": ring, "port": port,
                     "length": length, "share": share, "share_decimal": float(share)}
                )  # fmt: skip
    return out


_Routes = list[list[tuple[int, int, Fraction]]]
"""Port, length and share of the ways of each kind of pair."""


def _exact_routes(
    member: Structure, schedule: str
) -> tuple[Callable[[IntArray, IntArray], IntArray], _Routes]:
    """The kind of each pair, and its ways."""
    from hopscape.papers.multiring.capacity import balanced_schedule, shortest_schedule
    from hopscape.papers.multiring.rings import FullRings, ring_lengths

    if isinstance(member, FullRings):
        n = member.n
        full = (balanced_schedule if schedule == "balanced" else shortest_schedule)(member)
        hops = [ring_lengths(n, s).tolist() for s in member.rings]
        routes: _Routes = [[]] + [
            [(j, hops[j][r], row[r - 1]) for j, row in enumerate(full.shares) if row[r - 1]]
            for r in range(1, n)
        ]
        return lambda at, to: (to - at) % n, routes
    arcs, shares, ports = _sparse_routes(member, schedule)
    routes = [[] for _ in arcs.program.weights]
    columns = zip(arcs.program.demand.tolist(), ports.tolist(), arcs.length.tolist(), shares)
    for kind, port, length, share in columns:
        if share:
            routes[kind].append((port, length, share))
    return arcs.rows, routes


def _sparse_routes(
    member: Structure, schedule: str
) -> tuple[ArcProgram, Sequence[Fraction], IntArray]:
    """The ways of a sparse multiring with their shares and first ports."""
    from hopscape.papers.multiring.rings import SparseRings
    from hopscape.papers.multiring.sparse_capacity import sparse_capacity

    if not isinstance(member, SparseRings):
        raise ArgumentError(f"{member.spec} is not a multiring(...) and no sparse_multiring(...)")
    report = sparse_capacity(member)
    chosen = report.balanced if schedule == "balanced" else report.shortest
    if chosen.arcs is None:
        raise ArgumentError(f"{member.spec} has too many places to route on one ring")
    arcs = chosen.arcs
    return arcs, chosen.shares, 2 * (member.slot_at(arcs.place) % member.m) + arcs.side


class RingRouter(Router):
    """Ways that stay on one ring from source to destination, shared out as a schedule says.

    Where a pair has several routes, :meth:`walk` takes one by the number of the source, so that all
    sources together use the rings in the right proportions; :meth:`multipath` gives them all. A
    packet keeps its ring: its route is not a chain of :meth:`next_ports`.

    Args:
        network: A multiring, full or sparse.
        schedule ({'shortest', 'balanced'}): Every pair on the rings where it is shortest, in equal
            parts; or the schedule of least largest load.

    Examples:
        >>> import hopscape
        >>> router = hopscape.build("multiring(16, 1, 3)").router("one-ring")
        >>> router.path(0, 9), router.distance(0, 8)
        ([0, 3, 6, 9], 8)
    """

    exact = False
    chained = False

    def __init__(self, network: Network, schedule: str = "shortest") -> None:
        from hopscape.papers.multiring.rings import circuits

        super().__init__(network)
        assert network.family is not None
        self.name = {"shortest": "one-ring", "balanced": "balanced-rings"}[schedule]
        self._table = ring_shares(network.family, schedule)
        self._ahead = np.cumsum(self._table.shares, axis=1)
        self._turn = _coprime(network.order)
        channels = len(network.heads)
        require_memory(16 * channels, f"the rings of {network.spec}")
        self._onward = np.full(channels, -1, dtype=np.int64)
        self._ring = np.full(channels, -1, dtype=np.int64)
        for i, ring in enumerate(circuits(network.family)):
            ring_channels = network.channel_at(ring.nodes, ring.ports)
            self._onward[ring_channels], self._ring[ring_channels] = np.roll(ring_channels, -1), i
        self.table_bytes = self._table.ports.nbytes + self._table.lengths.nbytes

    def rings(self) -> IntArray:
        return self._ring

    def _chosen(self, at: IntArray, to: IntArray) -> tuple[IntArray, IntArray]:
        """Row and column of the way that each pair takes: neighbours take different ones."""
        row = np.where(at == to, -1, self._table.rows(at, to))
        order = self.network.order
        requirement = ((at * self._turn + row) % order + 0.5) / order
        column = (self._ahead[row] <= requirement[:, None]).sum(axis=1)
        return row, np.minimum(column, (self._table.ports[row] >= 0).sum(axis=1) - 1)

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        lengths = self._table.lengths[self._chosen(at, to)]
        return np.where(at == to, 0, lengths)

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        ports = self._table.ports[self._chosen(at, to)]
        return np.where(at == to, -1, ports)

    def shortest_ports(self, at: IntArray, to: IntArray) -> IntArray:
        """All ports that begin a path of the schedule."""
        out = np.zeros((len(at), self.network.ports + 1), dtype=bool)
        row = self._table.rows(at, to)
        ports = np.where((at == to)[:, None], -1, self._table.ports[row])
        np.put_along_axis(out, np.where(ports >= 0, ports, self.network.ports), True, axis=1)
        return out[:, :-1]

    def walk(self, at: IntArray, to: IntArray) -> tuple[IntArray, IntArray]:
        chosen = self._chosen(at, to)
        same = at == to
        ports = np.where(same, -1, self._table.ports[chosen])
        return self._follow(at, ports, np.where(same, 0, self._table.lengths[chosen]))

    def multipath(self, at: IntArray, to: IntArray) -> Iterator[tuple[Floats, IntArray, IntArray]]:
        same = at == to
        row = np.where(same, 0, self._table.rows(at, to))
        for column in range(self._table.ports.shape[1]):
            shares = np.where(same, float(column == 0), self._table.shares[row, column])
            if not shares.any():
                continue
            ports = np.where(same, -1, self._table.ports[row, column])
            lengths = np.where(same, 0, self._table.lengths[row, column])
            yield shares, *self._follow(at, ports, lengths)

    def _follow(
        self, at: IntArray, ports: IntArray, lengths: IntArray
    ) -> tuple[IntArray, IntArray]:
        """Along the rings that begin at these ports."""
        longest = int(lengths.max(initial=0))
        require_memory(32 * len(at) * (longest + 1), f"{len(at)} routes of up to {longest} hops")
        nodes = np.full((len(at), longest + 1), -1, dtype=np.int64)
        taken = np.full((len(at), longest), -1, dtype=np.int64)
        nodes[:, 0] = at
        channel = self.network.channel_at(at, ports)
        for hop in range(longest):
            going = np.nonzero(lengths > hop)[0]
            here = channel[going]
            taken[going, hop] = self.network.port_of(here)
            nodes[going, hop + 1] = self.network.heads[here]
            channel[going] = self._onward[here]
        return nodes, taken


def _coprime(order: int) -> int:
    """A number without a common divisor, near the golden section: its multiples are spread out."""
    golden = max(1, round(0.618034 * order))
    return next(k for k in range(golden, 0, -1) if math.gcd(k, order) == 1)


def ring_routers() -> Mapping[str, Callable[[Network], Router]]:
    """The routers that stay on one ring, by name."""

    def build(schedule: str) -> Any:
        return lambda network: RingRouter(network, schedule)

    return {"one-ring": build("shortest"), "balanced-rings": build("balanced")}
