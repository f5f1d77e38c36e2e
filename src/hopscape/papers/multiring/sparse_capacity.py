"""Capacity of multirings with sparse rings, in the printed order or another.

Where a group turns the residues all rings look alike, so that one ring is enough; in the printed
order all parts do, and one part is. What is left is a linear program: a demand for every kind of
pair of nodes, which may go either way round each ring that the two share, and the arcs as carriers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import TooLargeError
from hopscape.core.numbers import shortened
from hopscape.papers.multiring.exact_loads import Bounded, LoadProgram, optimum
from hopscape.papers.multiring.rings import SparsePlaces

__all__ = [
    "ArcProgram",
    "ArcSchedule",
    "SparseCapacity",
    "arc_program",
    "sparse_capacity",
    "sparse_closed_form",
    "sparse_upper_bound",
]

_MOST_ROUTES = 2_000_000  # unknowns of the linear program, some gigabytes for the solver
_MOST_ENTRIES = 60_000_000  # of its matrix: about a gigabyte
_MOST_ARCS = 100_000  # listed in a record


@dataclass(frozen=True)
class ArcProgram:
    """The ways of all kinds of pairs, and the program that they make.

    Attributes:
        rings: Rings that are told apart: 1, or all.
        span: Places after which the arcs of a ring look the same again.
        ring, side, place, length (int64[ways]): Where each way begins, forward (0) or backward (1),
            and its number of arcs.
        program: Its carriers are (ring * 2 + side) * span + place.
        rows: Takes sources and targets, returns their demands.
    """

    rings: int
    span: int
    ring: IntArray
    side: IntArray
    place: IntArray
    length: IntArray
    program: LoadProgram
    rows: Callable[[IntArray, IntArray], IntArray]


def arc_program(member: SparsePlaces) -> ArcProgram:
    """The program of all-to-all traffic, folded as far as rings and parts are alike."""
    count, parts = member.ring_count, member.parts
    base = member.blocks.base
    rings = 1 if base is not None else count
    span = member.places if member.reordered else member.m
    _check_size(member, rings, span)
    pair, ring, side, start, length = _routes(member, rings)
    pairs, demand = np.unique(pair, return_inverse=True)
    first = (ring * 2 + side) * span
    program = _program(rings * 2 * span, demand, first, start, side, length, span)

    def rows(at: IntArray, to: IntArray) -> IntArray:
        (g, a), (h, b) = np.divmod(at, count), np.divmod(to, count)
        kind = base.group.subtract(b, a) if base is not None else a * count + b
        if not member.reordered:
            g, h = np.zeros_like(g), (h - g) % parts
        wanted = (kind * (parts if member.reordered else 1) + g) * parts + h
        return np.minimum(np.searchsorted(pairs, wanted), len(pairs) - 1)

    return ArcProgram(rings, span, ring, side, start % span, length, program, rows)


def _routes(member: SparsePlaces, rings: int) -> list[IntArray]:
    """Kind of pair, ring, side, first place and length of every way, by kinds of pairs."""
    m, places, goals = member.m, member.places, np.arange(member.parts)
    sources = goals if member.reordered else goals[:1]
    rows: list[tuple[int, int, int, int]] = []
    for a in range(rings):
        for b, shared in enumerate(member.blocks.meetings(a)):
            rows += [(a * member.ring_count + b, i if rings > 1 else 0, t, u) for i, t, u in shared]
    kind, ring, mine, theirs = (x[:, None, None, None] for x in np.asarray(rows).T)
    g, h, side = sources[:, None, None], goals[:, None], np.arange(2)
    start = member.place_of(g * m + mine)
    ahead = (member.place_of(h * m + theirs) - start) % places
    length = np.where(side == 0, ahead, (places - ahead) % places)
    pair = (kind * len(sources) + g) * len(goals) + h
    columns = [x.ravel() for x in np.broadcast_arrays(pair, ring, side, start, length)]
    moving = np.nonzero(columns[-1] > 0)[0]
    moving = moving[np.argsort(columns[0][moving], kind="stable")]
    return [column[moving] for column in columns]


def _check_size(member: SparsePlaces, rings: int, span: int) -> None:
    """Refuse what would take too long or too much memory, before anything is built."""
    m, parts, places = member.m, member.parts, member.places
    sources = rings * (parts if member.reordered else 1)
    routes = 2 * m * m * parts * sources
    entries = routes * (places // 4 + 1 if span > m else m)
    if routes > _MOST_ROUTES or entries > _MOST_ENTRIES:
        raise TooLargeError(
            f"the capacity of {shortened(member.spec, 80)} is a program of {routes:.3g} ways;"
            f" at most {_MOST_ROUTES} of {_MOST_ENTRIES:.0e} arcs together are worked out"
        )


def _program(
    carriers: int,
    demand: IntArray,
    first: IntArray,
    start: IntArray,
    side: IntArray,
    length: IntArray,
    span: int,
) -> LoadProgram:
    """Ways along rings whose arcs repeat after `span` places."""
    whole, rest = np.divmod(length, span)
    sizes = np.where(whole > 0, span, rest)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    route = np.repeat(np.arange(len(length)), sizes)
    step = np.arange(starts[-1]) - starts[:-1][route]
    carrier = first[route] + (start[route] + np.where(side[route] == 0, step, -step)) % span
    amount = whole[route] + (step < rest[route])
    weights = (Fraction(1),) * (int(demand[-1]) + 1)
    return LoadProgram(carriers, demand, weights, starts, carrier, amount)


@dataclass(frozen=True)
class ArcSchedule(Bounded):
    """Loads of the arcs under one schedule.

    Attributes:
        arcs: None where only the closed form was worked out.
        shares: Of the ways of `arcs`.
        carried: Loads of the carriers of `arcs`; one for all arcs without.
        bound: No schedule has a smaller largest load.
    """

    member: SparsePlaces
    arcs: ArcProgram | None
    shares: tuple[Fraction, ...]
    carried: tuple[Fraction, ...]
    bound: Fraction

    @property
    def load(self) -> Fraction:
        """The largest load of an arc."""
        return max(self.carried)

    @property
    def capacity(self) -> Fraction:
        """Packets per slot."""
        nodes = self.member.order
        return Fraction(nodes * (nodes - 1)) / self.load

    @cached_property
    def loads(self) -> tuple[Fraction, ...]:
        """Of the arcs of each ring that is told apart: forward from each place, then backward."""
        if self.arcs is None:
            return self.carried * (2 * self.member.places)
        times = self.member.places // self.arcs.span
        out: list[Fraction] = []
        for low in range(0, len(self.carried), self.arcs.span):
            out += list(self.carried[low : low + self.arcs.span]) * times
        return tuple(out)

    def _largest(self) -> list[Fraction]:
        """Load of the fullest arc of each ring and direction."""
        if self.arcs is None:
            return list(self.carried) * (2 * self.member.ring_count)
        span = self.arcs.span
        largest = [max(self.carried[i : i + span]) for i in range(0, len(self.carried), span)]
        return largest if self.arcs.rings > 1 else largest * self.member.ring_count

    def to_dict(self) -> dict[str, Any]:
        """The record that scripts rely on; loads are those of the fullest arc of each ring."""
        loads = self._largest()
        rings = 1 if self.arcs is None else self.arcs.rings
        few = 2 * self.member.places * rings <= _MOST_ARCS
        return {
            "capacity": self.capacity,
            "capacity_decimal": float(self.capacity),
            "load": self.load,
            "load_decimal": float(self.load),
            "loads": loads,
            "loads_decimal": [float(x) for x in loads],
            "arc_loads": list(self.loads) if few else None,
            "proved": self.proved,
            "load_bound": self.bound,
        }


@dataclass(frozen=True)
class SparseCapacity:
    """All that is known of the capacity of one sparse multiring."""

    member: SparsePlaces
    shortest: ArcSchedule
    balanced: ArcSchedule

    def to_dict(self) -> dict[str, Any]:
        """The record that scripts rely on."""
        member, bound = self.member, sparse_upper_bound(self.member)
        return {
            "spec": member.spec,
            "nodes": member.order,
            "rings": 2 * member.ring_count,
            "places": member.places,
            "spare_places": member.spare,
            "shortest": self.shortest.to_dict(),
            "balanced": self.balanced.to_dict(),
            "upper_bound": bound,
            "upper_bound_decimal": float(bound),
            "cable": 2 * member.ring_count,
        }


def sparse_capacity(member: SparsePlaces) -> SparseCapacity:
    """Shortest and balanced schedules of a sparse multiring.

    Where shortest paths load all arcs alike, nothing can be better: equal prices of the arcs prove
    it. So it is in the printed order with σ = 1, where a closed form serves rings that are too long
    for anything else. Otherwise the balanced schedule is a linear program with its certificate.

    Examples:
        >>> from hopscape.papers.multiring import SparseMultiring
        >>> report = sparse_capacity(SparseMultiring(4, 16))
        >>> report.balanced.capacity, report.balanced.proved
        (Fraction(102, 1), True)
    """
    plane = member.sigma == 1 and member.ring_count == member.m * (member.m - 1) + 1
    try:
        arcs = arc_program(member)
    except TooLargeError:
        if not plane or member.reordered:
            raise
        nodes, value = member.order, sparse_closed_form(member.m, member.places)
        load = nodes * (nodes - 1) / value
        even_schedule = ArcSchedule(member, None, (), (load,), load)
        return SparseCapacity(member, even_schedule, even_schedule)
    program = arcs.program
    least = np.minimum.reduceat(program.lengths(), program.first)
    even = Fraction(int(least.sum()), program.carriers)
    shares = program.shortest()
    shortest = ArcSchedule(member, arcs, tuple(shares), tuple(program.loads(shares)), even)
    if shortest.proved:
        return SparseCapacity(member, shortest, shortest)
    best = optimum(program)
    balanced = ArcSchedule(member, arcs, tuple(best.shares), best.loads, max(best.bound, even))
    return SparseCapacity(member, shortest, balanced)


def sparse_closed_form(m: int, places: int) -> Fraction:
    """Capacity in the printed order by B(N, m, 1): 2K R(R - 1) / t, t arcs of all ways on a ring.

    Examples:
        >>> sparse_closed_form(2, 10)
        Fraction(420, 19)
    """
    parts = places // m
    nodes = (m * (m - 1) + 1) * parts
    together = Fraction(places * (places**2 // 4))
    together -= Fraction(m - 1, m) * places * m * (parts**2 // 4)
    return Fraction(2 * places * nodes * (nodes - 1)) / together


def sparse_upper_bound(member: SparsePlaces) -> Fraction:
    """No order of the nodes round the rings has a larger capacity.

    The smaller of two bounds: at most 2m nodes are i arcs away for the first time (Moore's kind);
    and of all the distances between places of a ring, which are P(P - 1), at best the shortest are
    those that serve one of the R(R - 1)/N pairs of nodes for every ring.
    """
    m, places, nodes, rings = member.m, member.places, member.order, member.ring_count
    moore = Fraction(2 * m * nodes * (nodes - 1), _nearest(nodes - 1, 2 * m))
    needed = nodes * (nodes - 1) // rings
    q, rest = divmod(needed, places)
    left = places * _nearest(q, 2) + rest * (q // 2 + 1)
    return min(moore, Fraction(2 * places * nodes * (nodes - 1), left))


def _nearest(count: int, each: int) -> int:
    """Sum of the distances of so many nodes when `each` of them are at every distance 1, 2, ..."""
    q, rest = divmod(count, each)
    return each * q * (q + 1) // 2 + rest * (q + 1)
