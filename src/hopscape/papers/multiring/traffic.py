"""Traffic of a multiring under a schedule of routes, as the slot simulation takes it.

Packets are drawn by ring and length when they are needed: destinations are independent, so that
nothing is lost by not naming them before. Places that send alike belong to one class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import ArgumentError
from hopscape.papers.multiring.capacity import balanced_schedule, shortest_schedule
from hopscape.papers.multiring.families import Multiring, SparseMultiring, ring_lengths
from hopscape.papers.multiring.rings import circuits
from hopscape.papers.multiring.sparse_capacity import ArcProgram, sparse_capacity

__all__ = ["RingTraffic", "alias_table", "ring_traffic"]


def alias_table(rows: Sequence[Sequence[Fraction]]) -> tuple[IntArray, IntArray]:
    """Walker's tables, one row per distribution: draw a column, keep it or take its other."""
    width = max(len(row) for row in rows)
    cut = np.zeros((len(rows), width), dtype=np.uint64)
    other = np.zeros((len(rows), width), dtype=np.int64)
    for i, row in enumerate(rows):
        total = sum(row)
        if total == 0:
            continue
        scaled = [Fraction(x) * width / total for x in row] + [Fraction(0)] * (width - len(row))
        small = [k for k, x in enumerate(scaled) if x < 1]
        large = [k for k, x in enumerate(scaled) if x >= 1]
        while small:
            k = small.pop()
            big = large[-1]
            cut[i, k] = int(scaled[k] * 2**32)
            other[i, k] = big
            scaled[big] -= 1 - scaled[k]
            if scaled[big] < 1:
                small.append(large.pop())
        for k in large:
            cut[i, k] = 2**32
            other[i, k] = k
    return cut, other


@dataclass(frozen=True)
class RingTraffic:
    """Rings, places and tables of a multiring under one schedule, as the kernels take them.

    Attributes:
        starts, sizes: int64[rings]
        classes, owner: int64[places]
        lengths: For each class the weight of every length.
        kind: int64[nodes]
        ports: int64[nodes, ports]
        port_weights: For each kind of node the weight of every port.
        capacity: What the schedule carries, exactly: packets per slot of the given traffic.
        crossing (float64[limiting arcs, classes]): Mean number of times that a packet of each class
            uses an arc of the fullest kinds.
    """

    nodes: int
    starts: IntArray
    sizes: IntArray
    classes: IntArray
    owner: IntArray
    lengths: list[dict[int, Fraction]]
    kind: IntArray
    ports: IntArray
    port_weights: list[list[Fraction]]
    capacity: Fraction
    crossing: Floats

    @cached_property
    def weights(self) -> Floats:
        """Packets of each class, all its places together, when every node sends N - 1."""
        each = np.asarray([float(sum(table.values(), Fraction(0))) for table in self.lengths])
        return np.bincount(self.classes, minlength=len(each)) * each

    @cached_property
    def usable(self) -> Floats:
        """Packets per slot that the given traffic could use for each packet per slot of a class.

        The fullest arcs decide: a row of :attr:`crossing` times the rates of the classes is what
        they carry, and the same row times the weights is what they have to carry.
        """
        demand = self.crossing @ self.weights
        usable: Floats = (self.crossing / demand[:, None]).mean(axis=0) * self.weights.sum()
        return usable

    @cached_property
    def class_kinds(self) -> IntArray:
        """The kind of node that each class belongs to."""
        out = np.zeros(len(self.lengths), dtype=np.int64)
        out[self.classes] = self.kind[self.owner]
        return out

    @cached_property
    def most_sent(self) -> float:
        """No more packets per slot fit on the rings, whoever sends: by the shortest mean ways."""
        mean = np.full(len(self.lengths), np.inf)
        for i, table in enumerate(self.lengths):
            if table:
                total = sum(table.values(), Fraction(0))
                mean[i] = float(sum((k * w for k, w in table.items()), Fraction(0)) / total)
        least = np.minimum.reduceat(mean[self.classes], self.starts)
        return float((self.sizes / least).sum())


def ring_traffic(
    member: Any, schedule: str = "balanced", distribution: Sequence[Fraction] | None = None
) -> RingTraffic:
    """What the simulation needs of a multiring, full or sparse.

    Args:
        member: Multiring or SparseMultiring
        schedule: {'balanced', 'shortest'}
        distribution: How often routes are taken (full rings only); evenly when left out.
    """
    if schedule not in ("balanced", "shortest"):
        raise ArgumentError(f"schedule is {schedule!r}; it must be 'balanced' or 'shortest'")
    if isinstance(member, Multiring):
        return _full_traffic(member, schedule, distribution)
    if isinstance(member, SparseMultiring):
        if distribution is not None:
            raise ArgumentError("a distribution of routes is for full rings")
        return _sparse_traffic(member, schedule)
    raise ArgumentError("slots are simulated for multiring(...) and sparse_multiring(...)")


def _full_traffic(
    member: Multiring, schedule: str, distribution: Sequence[Fraction] | None
) -> RingTraffic:
    """A class for each ring: all nodes are alike."""
    build = balanced_schedule if schedule == "balanced" else shortest_schedule
    built = build(member, distribution)
    lengths: list[dict[int, Fraction]] = []
    for s, shares in zip(member.rings, built.shares):
        table: dict[int, Fraction] = {}
        hops = ring_lengths(member.n, s)[1:].tolist()
        for length, share, weight in zip(hops, shares, built.weights):
            if share * weight:
                table[length] = table.get(length, Fraction(0)) + share * weight
        lengths.append(table)
    full = [j for j, load in enumerate(built.loads) if load == built.load]
    crossing = np.zeros((len(full), len(lengths)))
    for i, j in enumerate(full):
        crossing[i, j] = float(built.load / built.traffic[j])
    rings = circuits(member)
    classes = np.concatenate([c.ports for c in rings])
    return _traffic(member, rings, classes, lengths, built.capacity, crossing)


def _sparse_traffic(member: SparseMultiring, schedule: str) -> RingTraffic:
    """A class for each kind of arc: where on the ring, and in which direction."""
    report = sparse_capacity(member)
    chosen = report.balanced if schedule == "balanced" else report.shortest
    arcs = chosen.arcs
    if arcs is None:
        raise ArgumentError(f"{member.spec} has too many places to simulate")
    span = arcs.span
    lengths: list[dict[int, Fraction]] = [{} for _ in range(arcs.rings * 2 * span)]
    first = (arcs.ring * 2 + arcs.side) * span + arcs.place
    for row, length, share in zip(first.tolist(), arcs.length.tolist(), chosen.shares):
        if share:
            lengths[row][length] = lengths[row].get(length, Fraction(0)) + share
    full = [a for a, load in enumerate(chosen.carried) if load == chosen.load]
    crossing = _crossing(arcs, first, chosen.shares, full)
    places = np.arange(member.places) % span
    arc_rows = [(side * span + p) for side, p in ((0, places), (1, places[::-1]))]
    rows = np.arange(member.ring_count) % arcs.rings
    classes = np.concatenate([i * 2 * span + row for i in rows for row in arc_rows])
    return _traffic(member, circuits(member), classes, lengths, chosen.capacity, crossing)


def _crossing(
    arcs: ArcProgram, first: IntArray, shares: Sequence[Fraction], full: Sequence[int]
) -> Floats:
    """Mean number of uses of each full arc by a packet of each class."""
    program = arcs.program
    part = np.asarray([float(x) for x in shares])
    sent = np.bincount(first, weights=part, minlength=program.carriers)
    route = np.repeat(np.arange(program.routes), np.diff(program.starts))
    out = np.zeros((len(full), program.carriers))
    row = np.full(program.carriers, -1)
    row[list(full)] = np.arange(len(full))
    used = row[program.carrier] >= 0
    np.add.at(
        out,
        (row[program.carrier[used]], first[route[used]]),
        part[route[used]] * program.amount[used],
    )
    return out / np.where(sent > 0, sent, 1.0)


def _traffic(
    member: Multiring | SparseMultiring,
    rings: Sequence[Any],
    classes: IntArray,
    lengths: list[dict[int, Fraction]],
    capacity: Fraction,
    crossing: Floats,
) -> RingTraffic:
    sizes = np.asarray([len(c.nodes) for c in rings])
    owner = np.concatenate([c.nodes for c in rings])
    ports = np.zeros((member.order, member.ports), dtype=np.int64)
    ports[owner, np.concatenate([c.ports for c in rings])] = np.arange(len(owner))
    used, kind = np.unique(classes[ports], axis=0, return_inverse=True)
    sums = [sum(table.values(), Fraction(0)) for table in lengths]
    return RingTraffic(
        nodes=member.order,
        starts=np.cumsum(sizes) - sizes,
        sizes=sizes,
        classes=classes,
        owner=owner,
        lengths=lengths,
        kind=kind.reshape(-1),
        ports=ports,
        port_weights=[[sums[c] for c in row] for row in used.tolist()],
        capacity=capacity,
        crossing=crossing,
    )
