"""The best circulants of an order, and the largest of a diameter, by exhaustive search.

Sets are compared by diameter, then by mean distance; of sets that a multiplier turns into each
other one is kept. Nothing is assumed about orders: each one is searched for itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hopscape.core.errors import ArgumentError
from hopscape.families.circulant import ball, ulb
from hopscape.families.circulant.scanning import scan_slice
from hopscape.store import Store, Task, run_tasks

__all__ = ["CirculantOptimum", "best_circulants", "largest_circulants"]

_SECONDS_PER_SET = 1.0e-7
_SLICE_SECONDS = 5.0


@dataclass(frozen=True)
class CirculantOptimum:
    """The best circulants of one order.

    Attributes
    ----------
    nodes, generators : int
    ring : bool
        Only sets with a generator 1 (up to multipliers: with a unit) were looked at.
    diameter : int
    total : int
        Sum of the distances from one node.
    sets : tuple of tuples of int
        All optimal sets up to multipliers, in canonical form, sorted.
    tested : int
        Sets looked at.
    """

    nodes: int
    generators: int
    ring: bool
    diameter: int
    total: int
    sets: tuple[tuple[int, ...], ...]
    tested: int

    @property
    def mean(self) -> Fraction:
        """Mean distance over ordered pairs of distinct nodes."""
        return Fraction(self.total, max(self.nodes - 1, 1))

    def to_dict(self) -> dict[str, Any]:
        """The record that scripts rely on."""
        return {
            "nodes": self.nodes,
            "generators": self.generators,
            "ring": self.ring,
            "diameter": self.diameter,
            "lower_bound": ulb(self.nodes, self.generators),
            "mean_distance": float(self.mean),
            "mean_distance_exact": self.mean,
            "sets": [list(s) for s in self.sets],
            "tested": self.tested,
        }


@dataclass(frozen=True)
class _Slice:
    """Sets {first, s2, ...} with s2 from low to high - 1."""

    first: int
    low: int
    high: int
    cost: float


def search_order(nodes: int, count: int, ring: bool, d: int, last: int) -> dict[str, Any]:
    """One order in full: the least diameter from d to last, and its best sets."""
    pieces = [(s.first, s.low, s.high) for s in _slices(nodes, count, ring, math.inf)]
    tested = 0
    while True:
        found = scan_slice(nodes, count, d, pieces)
        tested += found["tested"]
        if found["sets"] or d >= last:
            return found | {"diameter": d, "tested": tested}
        d += 1


def _slices(nodes: int, count: int, ring: bool, seconds: float) -> Iterator[_Slice]:
    """Cut the sets of an order into pieces of about so many seconds each.

    Up to multipliers the first generator is a divisor of N, and no other has a smaller divisor in
    common with N; the sets with a unit are those that begin with 1.
    """
    half = nodes // 2
    firsts = [1] if ring else [g for g in range(1, half + 1) if nodes % g == 0]
    for first in firsts:
        low, cost = first + 1, 0.0
        for s2 in range(first + 1, half + 1):
            cost += math.comb(max(half - s2, 0), count - 2) * _SECONDS_PER_SET
            if cost >= seconds:
                yield _Slice(first, low, s2 + 1, cost)
                low, cost = s2 + 1, 0.0
        if low <= half:
            yield _Slice(first, low, half + 1, cost)


def _farthest(nodes: int) -> int:
    """No connected circulant has a larger diameter."""
    return nodes // 2


def _check(nodes: int, count: int) -> None:
    if count < 1:
        raise ArgumentError(f"generators is {count}; it must be at least 1")
    if nodes // 2 < count:
        raise ArgumentError(
            f"nodes is {nodes}; {count} generators from 1 to N/2 need at least {2 * count}"
        )


def best_circulants(
    orders: Sequence[int],
    generators: int,
    *,
    ring: bool = False,
    table: Store | None = None,
    processes: int | None = None,
    dask: str | None = None,
) -> Iterator[CirculantOptimum]:
    """Least diameter, then least mean distance: all optimal generator sets of each order.

    Parameters
    ----------
    orders : sequence of int
    generators : int
        How many different generators, from 1 to N/2.
    ring : bool
        Only sets with a unit (then, up to multipliers, with 1).
    table : Store, optional
        Keeps what is finished; a later run goes on from there.
    processes : int, optional
        All processors when left out.
    dask : str, optional
        Address of a Dask scheduler whose workers search instead.

    Examples
    --------
    >>> [found] = best_circulants([21], 3, ring=True)
    >>> found.diameter, found.mean, found.sets[0]
    (2, Fraction(17, 10), (1, 2, 8))
    """
    for nodes in orders:
        _check(nodes, generators)
    small = [n for n in orders if _cost(n, generators) <= _SLICE_SECONDS]
    tasks = [
        Task.of(
            search_order,
            (n, generators, ring, ulb(n, generators), _farthest(n)),
            _cost(n, generators),
            _about(n, generators, ring, "best"),
        )
        for n in small
        if generators > 1
    ]
    quick = run_tasks(
        tasks, search_order, table, processes=processes, dask=dask, text="searching circulants"
    )
    for nodes in orders:
        if generators == 1:
            yield CirculantOptimum(nodes, 1, ring, nodes // 2, nodes**2 // 4, ((1,),), 1)
        elif _cost(nodes, generators) <= _SLICE_SECONDS:
            yield _optimum(nodes, generators, ring, next(quick)[1])
        else:
            yield _search_large(nodes, generators, ring, table, processes, dask)


def _about(nodes: int, count: int, ring: bool, what: str) -> str:
    kind = "ring circulant" if ring else "circulant"
    return f"{kind} nodes={nodes} generators={count} {what}"


def _cost(nodes: int, count: int) -> float:
    return math.comb(nodes // 2, max(count - 1, 0)) * _SECONDS_PER_SET


def _optimum(nodes: int, count: int, ring: bool, found: dict[str, Any]) -> CirculantOptimum:
    sets = tuple(tuple(s) for s in found["sets"])
    return CirculantOptimum(
        nodes, count, ring, found["diameter"], found["total"], sets, found["tested"]
    )


def _search_large(
    nodes: int, count: int, ring: bool, table: Store | None, processes: int | None, dask: str | None
) -> CirculantOptimum:
    """An order in slices: one diameter after the other until a set is found."""
    tested = 0
    for d in range(ulb(nodes, count), _farthest(nodes) + 1):
        best = -1
        sets: set[tuple[int, ...]] = set()
        for found in _scan_all(nodes, count, ring, d, table, processes, dask):
            tested += found["tested"]
            if found["sets"] and (best < 0 or found["total"] < best):
                best, sets = found["total"], set()
            if found["sets"] and found["total"] == best:
                sets |= {tuple(s) for s in found["sets"]}
        if sets:
            return CirculantOptimum(nodes, count, ring, d, best, tuple(sorted(sets)), tested)
    raise ArgumentError(f"no connected circulant has {nodes} nodes and {count} generators")


def _scan_all(
    nodes: int,
    count: int,
    ring: bool,
    d: int,
    table: Store | None,
    processes: int | None,
    dask: str | None,
) -> Iterator[dict[str, Any]]:
    tasks = [
        Task.of(
            scan_slice,
            (nodes, count, d, [(s.first, s.low, s.high)]),
            s.cost,
            _about(nodes, count, ring, f"diameter={d} first={s.first} s2={s.low}..{s.high - 1}"),
        )
        for s in _slices(nodes, count, ring, _SLICE_SECONDS)
    ]
    text = f"{nodes} nodes, diameter {d}"
    for _, found in run_tasks(tasks, scan_slice, table, processes=processes, dask=dask, text=text):
        yield found


def largest_circulants(
    d: int,
    generators: int,
    *,
    ring: bool = True,
    table: Store | None = None,
    processes: int | None = None,
    dask: str | None = None,
) -> CirculantOptimum:
    """The most nodes with diameter at most d: every order from the ball's bound downwards.

    Examples
    --------
    >>> found = largest_circulants(2, 3)
    >>> found.nodes, len(found.sets)
    (21, 3)
    """
    if d < 1 or generators < 1:
        raise ArgumentError(f"diameter {d} and generators {generators} must be at least 1")
    if generators == 1:
        n = 2 * d + 1
        return CirculantOptimum(n, 1, ring, d, n**2 // 4, ((1,),), 1)
    orders = range(ball(d, generators), 2 * generators - 1, -1)
    if _cost(orders[0], generators) > _SLICE_SECONDS:
        return _largest_in_slices(orders, d, generators, ring, table, processes, dask)
    tasks = [
        Task.of(
            search_order,
            (n, generators, ring, d, d),
            _cost(n, generators),
            _about(n, generators, ring, f"diameter={d}"),
        )
        for n in orders
    ]
    tested = 0
    text = f"largest order of diameter {d}"
    for task, found in run_tasks(
        tasks, search_order, table, processes=processes, dask=dask, text=text
    ):
        tested += found["tested"]
        if found["sets"]:
            return _optimum(task.arguments[0], generators, ring, found | {"tested": tested})
    raise ArgumentError(f"there is no circulant of diameter {d} with {generators} generators")


def _largest_in_slices(
    orders: Sequence[int],
    d: int,
    count: int,
    ring: bool,
    table: Store | None,
    processes: int | None,
    dask: str | None,
) -> CirculantOptimum:
    tested = 0
    for nodes in orders:
        best = -1
        sets: set[tuple[int, ...]] = set()
        for found in _scan_all(nodes, count, ring, d, table, processes, dask):
            tested += found["tested"]
            if found["sets"] and (best < 0 or found["total"] < best):
                best, sets = found["total"], set()
            if found["sets"] and found["total"] == best:
                sets |= {tuple(s) for s in found["sets"]}
        if sets:
            return CirculantOptimum(nodes, count, ring, d, best, tuple(sorted(sets)), tested)
    raise ArgumentError(f"there is no circulant of diameter {d} with {count} generators")
