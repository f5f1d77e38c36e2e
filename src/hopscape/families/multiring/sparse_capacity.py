"""Capacity of multirings with sparse rings, in the printed order or another.

All rings look alike, so one ring is enough: 2K arcs (forward, then backward), a demand for every
ordered pair of places with different residues, and one for every ordered pair of parts (nodes of
the same residue), which may use any of the m places that they share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from hopscape.families.multiring.exact import least_largest
from hopscape.families.multiring.sparse import SparseMultiring

__all__ = ["SparseCapacity", "arc_problem", "sparse_capacity", "sparse_upper_bound"]

_ROUNDINGS = (12, 60, 1000, 10**6, 10**9)

Option = tuple[int, int, int]
"""Direction (0 forward, 1 backward), first place, number of arcs."""


@dataclass(frozen=True)
class ArcProblem:
    """Demands of weight 1 on one ring, each with its possible ways."""

    places: int
    demands: tuple[tuple[Option, ...], ...]

    def arcs(self, option: Option) -> list[int]:
        """Numbers of the arcs that a way uses."""
        side, first, length = option
        step = 1 if side == 0 else -1
        return [side * self.places + (first + step * i) % self.places for i in range(length)]


def arc_problem(member: SparseMultiring) -> ArcProblem:
    """The demands of all-to-all traffic on one ring."""
    places, m = member.places, member.m
    place = np.argsort(np.asarray(member.order_of_places))

    def ways(p: int, q: int) -> list[Option]:
        return [(0, p, (q - p) % places), (1, p, (p - q) % places)]

    demands: list[tuple[Option, ...]] = []
    for a in range(places):
        for b in range(places):
            if a % m != b % m:
                demands.append(tuple(ways(int(place[a]), int(place[b]))))
    for g in range(member.parts):
        for h in range(member.parts):
            if g != h:
                shared = [ways(int(place[g * m + t]), int(place[h * m + t])) for t in range(m)]
                demands.append(tuple(way for pair in shared for way in pair))
    return ArcProblem(places, tuple(demands))


def _loads(problem: ArcProblem, shares: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    loads = [Fraction(0)] * (2 * problem.places)
    for options, parts in zip(problem.demands, shares):
        for option, part in zip(options, parts):
            if part:
                for arc in problem.arcs(option):
                    loads[arc] += part
    return loads


def _shortest(problem: ArcProblem) -> list[list[Fraction]]:
    out = []
    for options in problem.demands:
        least = min(option[2] for option in options)
        ties = sum(option[2] == least for option in options)
        out.append([Fraction(int(option[2] == least), ties) for option in options])
    return out


def _bound(problem: ArcProblem, dual: Sequence[Fraction]) -> Fraction:
    total = sum(dual)
    return sum(
        (
            min(sum((dual[a] for a in problem.arcs(o)), Fraction(0)) for o in options)
            for options in problem.demands
        ),
        Fraction(0),
    ) / Fraction(total)


def _linear_program(problem: ArcProblem) -> tuple[list[list[float]], list[float]]:
    """Shares and dual weights of the arcs in floating point."""
    carriers: list[int] = []
    columns: list[int] = []
    sizes = [len(options) for options in problem.demands]
    starts = np.cumsum([0, *sizes])
    for d, options in enumerate(problem.demands):
        for i, option in enumerate(options):
            arcs = problem.arcs(option)
            carriers += arcs
            columns += [int(starts[d]) + i] * len(arcs)
    found, dual = least_largest(
        np.asarray(carriers),
        np.asarray(columns),
        np.ones(len(columns)),
        np.repeat(np.arange(len(sizes)), sizes),
        2 * problem.places,
    )
    return [found[a:b].tolist() for a, b in pairwise(starts)], dual.tolist()


def _rounded(shares: list[list[float]], grain: int) -> list[list[Fraction]]:
    out = []
    for parts in shares:
        row = [Fraction(max(x, 0.0)).limit_denominator(grain) for x in parts]
        total = sum(row)
        out.append([x / total for x in row])
    return out


@dataclass(frozen=True)
class ArcSchedule:
    """Loads of the 2K arcs of every ring (forward, then backward) under one schedule."""

    member: SparseMultiring
    loads: tuple[Fraction, ...]
    shares: tuple[tuple[Fraction, ...], ...]
    bound: Fraction | None = None

    @property
    def load(self) -> Fraction:
        """The largest load of an arc."""
        return max(self.loads)

    @property
    def capacity(self) -> Fraction:
        """Packets per slot."""
        nodes = self.member.order
        return Fraction(nodes * (nodes - 1)) / self.load

    @property
    def proved(self) -> bool:
        """Is the largest load the least possible?"""
        return self.bound == self.load

    def to_dict(self) -> dict[str, Any]:
        """The record that scripts rely on; loads are those of the fullest arc of each ring."""
        places = self.member.places
        forward, backward = max(self.loads[:places]), max(self.loads[places:])
        loads = [side for _ in range(self.member.ring_count) for side in (forward, backward)]
        out = {
            "capacity": self.capacity,
            "capacity_decimal": float(self.capacity),
            "load": self.load,
            "load_decimal": float(self.load),
            "loads": loads,
            "loads_decimal": [float(x) for x in loads],
            "arc_loads": list(self.loads),
        }
        if self.bound is not None:
            out |= {"proved": self.proved, "load_bound": self.bound}
        return out


@dataclass(frozen=True)
class SparseCapacity:
    """All that is known of the capacity of one sparse multiring."""

    member: SparseMultiring
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


def sparse_capacity(member: SparseMultiring) -> SparseCapacity:
    """Shortest and balanced schedules of a sparse multiring.

    In the printed order shortest ways load all arcs alike, so that nothing can be better: equal
    dual weights prove it. In another order the balanced schedule is a linear program, and its
    bound comes from rounded dual weights.

    Examples
    --------
    >>> found = sparse_capacity(SparseMultiring(4, 16))
    >>> found.balanced.capacity, found.balanced.proved
    (Fraction(102, 1), True)
    """
    problem = arc_problem(member)
    even = _bound(problem, [Fraction(1)] * (2 * problem.places))
    shortest = _arc_schedule(member, problem, _shortest(problem), even)
    if shortest.proved:
        return SparseCapacity(member, shortest, shortest)
    shares, weights = _linear_program(problem)
    found = [_arc_schedule(member, problem, _rounded(shares, g), even) for g in _ROUNDINGS]
    best = min([shortest, *found], key=lambda schedule: schedule.load)
    duals = [[Fraction(max(w, 0.0)).limit_denominator(g) for w in weights] for g in _ROUNDINGS]
    bounds = [_bound(problem, dual) for dual in duals if sum(dual)]
    return SparseCapacity(member, shortest, replace(best, bound=max([even, *bounds])))


def _arc_schedule(
    member: SparseMultiring, problem: ArcProblem, shares: list[list[Fraction]], bound: Fraction
) -> ArcSchedule:
    fixed = tuple(tuple(row) for row in shares)
    return ArcSchedule(member, tuple(_loads(problem, shares)), fixed, bound)


def sparse_closed_form(m: int, places: int) -> Fraction:
    """Capacity in the printed order: 2K R(R - 1) / t, all ways together t arcs on a ring."""
    parts = places // m
    nodes = (m * (m - 1) + 1) * parts
    together = Fraction(places * (places**2 // 4))
    together -= Fraction(m - 1, m) * places * m * (parts**2 // 4)
    return Fraction(2 * places * nodes * (nodes - 1)) / together


def sparse_upper_bound(member: SparseMultiring) -> Fraction:
    """No order of the nodes round the rings has a larger capacity.

    The smaller of two bounds: at most 2m nodes are i arcs away for the first time (Moore's kind);
    and, of all the distances on a ring, at best the longest ones are those that nodes of the same
    residue, which meet on m rings, need not use.
    """
    m, places, nodes, parts = member.m, member.places, member.order, member.parts
    q, rest = divmod(nodes - 1, 2 * m)
    reach = 2 * m * q * (q + 1) // 2 + rest * (q + 1)
    moore = Fraction(2 * m * nodes * (nodes - 1), reach)
    distances = [min(d, places - d) for d in range(1, places) for _ in range(places)]
    unused = (m - 1) * parts * (parts - 1)
    left = sum(sorted(distances)[: len(distances) - unused])
    return min(moore, Fraction(2 * places * nodes * (nodes - 1), left))
