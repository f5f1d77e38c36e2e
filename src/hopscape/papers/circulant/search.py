"""The best circulants of an order, and the largest of a diameter, by exhaustive search.

Sets are compared by diameter, then by mean distance; of sets that a multiplier turns into each
other one is kept. Nothing is assumed about orders: each one is searched for itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, Unpack

from hopscape import store
from hopscape.core.errors import ArgumentError
from hopscape.families.circulant.closed_forms import ball, ulb
from hopscape.families.circulant.wiring import Circulant
from hopscape.papers.circulant.scanning import scan_on_cpu, scan_slice
from hopscape.store import Store, Task, renamed_arguments, run_tasks

__all__ = ["CirculantOptimum", "SearchWork", "best_circulants", "largest_circulants"]

_SECONDS_PER_SET = 1.0e-7  # measured; only the order of tasks and the progress bar depend on it
_SLICE_SECONDS = 5.0  # of a task: a stop loses so much, and workers end at about the same time
_GPU_PROCESSES = 4  # keep one GPU busy while others prepare their launches

Device = Literal["cpu", "gpu"]


@dataclass(frozen=True)
class CirculantOptimum:
    """The best circulants of one order.

    Attributes:
        nodes, generators: N/2 counts as a generator.
        ring: Only sets with a generator 1 (up to multipliers: with a unit) were looked at.
        total: Sum of the distances from one node.
        sets: All optimal sets up to multipliers, in canonical form, sorted.
        tested: Sets looked at.
        degree: Where circulants of one degree were looked for.
    """

    nodes: int
    generators: int
    ring: bool
    diameter: int
    total: int
    sets: tuple[tuple[int, ...], ...]
    tested: int
    degree: int | None = None

    @property
    def mean(self) -> Fraction:
        """Mean distance over ordered pairs of distinct nodes."""
        return Fraction(self.total, max(self.nodes - 1, 1))

    def to_dict(self) -> dict[str, Any]:
        """The record that scripts rely on."""
        return {
            "nodes": self.nodes,
            "generators": self.generators,
            "degree": self.degree,
            "ring": self.ring,
            "diameter": self.diameter,
            "lower_bound": _Kind.of(self.generators, self.degree, self.ring).least(self.nodes),
            "mean_distance": float(self.mean),
            "mean_distance_exact": self.mean,
            "sets": [list(s) for s in self.sets],
            "tested": self.tested,
        }


@dataclass(frozen=True)
class _Kind:
    """Which sets are looked at: `count` generators besides N/2, with or without it.

    Attributes:
        half: Is N/2 a generator besides? None: it may be one of the `count`.
    """

    count: int
    half: bool | None
    ring: bool

    @classmethod
    def of(cls, generators: int | None, degree: int | None, ring: bool) -> _Kind:
        """By the number of generators or by the degree."""
        if degree is None:
            if generators is None:
                raise ArgumentError("give either generators or a degree")
            if generators < 1:
                raise ArgumentError(f"generators is {generators}; it must be at least 1")
            return cls(generators, None, ring)
        if degree < 1:
            raise ArgumentError(f"degree is {degree}; it must be at least 1")
        return cls(degree // 2, degree % 2 == 1, ring)

    @property
    def degree(self) -> int | None:
        return None if self.half is None else 2 * self.count + self.half

    @property
    def generators(self) -> int:
        return self.count + bool(self.half)

    def most(self, d: int) -> int:
        """No more nodes are within d: N/2 is used once at most."""
        if self.half is not True:
            return ball(d, self.count)
        return ball(d, self.count) + (ball(d - 1, self.count) if d else 0)

    def least(self, nodes: int) -> int:
        """No diameter is less."""
        if self.half is not True:
            return ulb(nodes, self.count)
        if not self.count:
            return nodes - 1
        d = ulb(-(-nodes // 2), self.count)
        return d if self.most(d) >= nodes else d + 1

    def check(self, nodes: int) -> None:
        """Refuse orders that have no such set."""
        if self.half and nodes % 2:
            raise ArgumentError(f"nodes is {nodes}; an odd degree needs an even number of nodes")
        below = nodes // 2 if self.half is None else (nodes - 1) // 2
        if below < self.count:
            need = 2 * self.count + (0 if self.half is None else 1 + bool(self.half))
            raise ArgumentError(f"nodes is {nodes}; {self.describe()} need at least {need}")
        if not self.count and nodes != 2:
            raise ArgumentError(f"nodes is {nodes}; with degree 1 only 2 nodes are connected")

    def describe(self) -> str:
        if self.half is None:
            return f"{self.count} generators from 1 to N/2"
        return f"circulants of degree {self.degree}"

    def about(self, nodes: int, what: str) -> str:
        """What a task is about, for people."""
        ring = "ring circulant" if self.ring else "circulant"
        size = f"generators={self.count}" if self.half is None else f"degree={self.degree}"
        return f"{ring} nodes={nodes} {size} {what}"

    def cost(self, nodes: int) -> float:
        """Seconds for an order, about."""
        return math.comb(nodes // 2, max(self.count - 1, 0)) * _SECONDS_PER_SET

    def optimum(self, nodes: int, scanned: dict[str, Any]) -> CirculantOptimum:
        sets = tuple(tuple(s) for s in scanned["sets"])
        return CirculantOptimum(
            nodes,
            self.generators,
            self.ring,
            scanned["diameter"],
            scanned["total"],
            sets,
            scanned["tested"],
            self.degree,
        )


@dataclass(frozen=True)
class _Slice:
    """Sets {first, s2, ...} with s2 from low to high - 1."""

    first: int
    low: int
    high: int
    cost: float


def search_order(
    nodes: int,
    count: int,
    ring: bool,
    d: int,
    last: int,
    half: bool | None = None,
    scan: Callable[..., dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """One order in full: the least diameter from d to last, and its best sets."""
    pieces = [(s.first, s.low, s.high) for s in _slices(nodes, count, ring, math.inf)]
    tested = 0
    while True:
        scanned = (scan or scan_slice)(nodes, count, d, pieces, half=half)
        tested += scanned["tested"]
        if scanned["sets"] or d >= last:
            return scanned | {"diameter": d, "tested": tested}
        d += 1


def search_order_on_gpu(
    nodes: int, count: int, ring: bool, d: int, last: int, half: bool | None = None
) -> dict[str, Any]:
    """The same on a GPU; on the CPU where an order is too small for one, or its balls too many."""
    from hopscape.papers.circulant import search_gpu as gpu

    def scan(nodes: int, count: int, d: int, slices: Any, half: bool | None) -> dict[str, Any]:
        scanner = gpu.scan_on_gpu if gpu.fits(nodes, count, d) else scan_on_cpu
        return scan_slice(nodes, count, d, slices, half=half, scanner=scanner)

    return search_order(nodes, count, ring, d, last, half, scan)


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


def _few(nodes: int, kind: _Kind) -> CirculantOptimum:
    """At most one generator besides N/2: it is 1, or 2 beside an odd N/2."""
    best: dict[str, Any] = {}
    more = (nodes // 2,) if kind.half else ()
    beside = [(1,)] if kind.ring or not more else [(1,), (2,)]
    for tested, one in enumerate(beside if kind.count else [()], 1):
        generators = (*one, *more)
        if math.gcd(nodes, *generators) > 1 or len(set(generators)) < len(generators):
            continue
        facts = Circulant(nodes, generators).facts()  # known for one and two generators
        assert facts.mean_distance is not None
        total = int(facts.mean_distance * (nodes - 1))
        optimum = {"diameter": facts.diameter, "total": total, "sets": [generators]}
        if not best or _rank(optimum) < _rank(best):
            best = optimum | {"tested": tested}
        elif _rank(optimum) == _rank(best):
            best["sets"] += optimum["sets"]
    return kind.optimum(nodes, best)


def _rank(optimum: dict[str, Any]) -> tuple[int, int]:
    return optimum["diameter"], optimum["total"]


class SearchWork(store.Work, total=False):
    """Where results are kept, and who searches; see :func:`best_circulants`."""

    device: Device


@dataclass(frozen=True)
class _Workers:
    """Where results are kept, and who searches."""

    resume: Store | None = None
    workers: int | None = None
    dask: str | None = None
    device: Device = "cpu"

    def run(
        self, tasks: Sequence[Task], work: Callable[..., Any], text: str
    ) -> Iterator[tuple[Task, dict[str, Any]]]:
        return run_tasks(
            tasks, work, self.resume, processes=self.workers, dask=self.dask, text=text
        )

    def search_orders(
        self, tasks: Sequence[Task], text: str
    ) -> Iterator[tuple[Task, dict[str, Any]]]:
        """Search whole orders; refuse a GPU that is not there."""
        if self.device == "cpu":
            return self.run(tasks, search_order, text)
        if self.device != "gpu":
            raise ArgumentError(f"device is {self.device!r}; it must be 'cpu' or 'gpu'")
        if self.dask is None:
            from hopscape.core.gpu import cupy

            cupy()
        few = self if self.workers is not None else replace(self, workers=_GPU_PROCESSES)
        return few.run(tasks, search_order_on_gpu, text)


@renamed_arguments(table="resume", processes="workers")
def best_circulants(
    orders: Sequence[int],
    generators: int | None = None,
    *,
    degree: int | None = None,
    ring: bool = False,
    resume: Store | None = None,
    workers: int | None = None,
    dask: str | None = None,
    device: Device = "cpu",
) -> Iterator[CirculantOptimum]:
    """Least diameter, then least mean distance: all optimal generator sets of each order.

    Args:
        generators: How many different generators, from 1 to N/2.
        degree: Instead: how many links a node has. An odd degree needs an even order: N/2 is a
            generator then. With an even degree it is none.
        ring: Only sets with a unit (then, up to multipliers, with 1).
        resume: Keeps what is finished; a later run goes on from there.
        workers: Processes, as many as there are processors when left out.
        dask: Address of a Dask scheduler whose workers search instead.
        device ({'cpu', 'gpu'}): With 'gpu', CUDA kernels search from 64 nodes and 3 generators on
            (extra ``gpu``).

    Examples:
        >>> [best] = best_circulants([21], 3, ring=True)
        >>> best.diameter, best.mean, best.sets[0]
        (2, Fraction(17, 10), (1, 2, 8))
        >>> [best] = best_circulants([36], degree=5)
        >>> best.diameter, best.sets
        (3, ((1, 5, 18),))
    """
    kind = _only_one(generators, degree, ring)
    for nodes in orders:
        kind.check(nodes)
    runner = _Workers(resume, workers, dask, device)
    quick = _quick_orders(orders, kind, runner)
    whole = device == "gpu"
    for nodes in orders:
        if kind.count <= 1:
            yield _few(nodes, kind)
        elif whole or kind.cost(nodes) <= _SLICE_SECONDS:
            yield kind.optimum(nodes, next(quick)[1])
        else:
            yield _search_large(nodes, kind, runner)


def _quick_orders(
    orders: Sequence[int], kind: _Kind, workers: _Workers
) -> Iterator[tuple[Task, dict[str, Any]]]:
    """Search the orders that are one task each; on a GPU all are."""
    tasks = [
        Task.of(
            search_order,
            (n, kind.count, kind.ring, kind.least(n), _farthest(n), kind.half),
            kind.cost(n),
            kind.about(n, "best"),
        )
        for n in orders
        if kind.count > 1 and (workers.device == "gpu" or kind.cost(n) <= _SLICE_SECONDS)
    ]
    return workers.search_orders(tasks, "searching circulants")


def _only_one(generators: int | None, degree: int | None, ring: bool) -> _Kind:
    if generators is not None and degree is not None:
        raise ArgumentError("give either generators or a degree, not both")
    return _Kind.of(generators, degree, ring)


def _search_large(nodes: int, kind: _Kind, workers: _Workers) -> CirculantOptimum:
    """An order in slices: one diameter after the other until a set is found."""
    tested = 0
    for d in range(kind.least(nodes), _farthest(nodes) + 1):
        optimum = _scan_all(nodes, kind, d, workers)
        tested += optimum["tested"]
        if optimum["sets"]:
            return kind.optimum(nodes, optimum | {"tested": tested})
    raise ArgumentError(f"no connected circulant has {nodes} nodes: {kind.describe()}")


def _scan_all(nodes: int, kind: _Kind, d: int, workers: _Workers) -> dict[str, Any]:
    """All slices of an order for one diameter, put together."""
    tasks = [
        Task.of(
            scan_slice,
            (nodes, kind.count, d, [(s.first, s.low, s.high)], False, kind.half),
            s.cost,
            kind.about(nodes, f"diameter={d} first={s.first} s2={s.low}..{s.high - 1}"),
        )
        for s in _slices(nodes, kind.count, kind.ring, _SLICE_SECONDS)
    ]
    text = f"{nodes} nodes, diameter {d}"
    best, tested = -1, 0
    sets: set[tuple[int, ...]] = set()
    for _, scanned in workers.run(tasks, scan_slice, text):
        tested += scanned["tested"]
        if scanned["sets"] and (best < 0 or scanned["total"] < best):
            best, sets = scanned["total"], set()
        if scanned["sets"] and scanned["total"] == best:
            sets |= {tuple(s) for s in scanned["sets"]}
    return {"diameter": d, "total": best, "sets": sorted(sets), "tested": tested}


@renamed_arguments(table="resume", processes="workers")
def largest_circulants(
    d: int,
    generators: int | None = None,
    *,
    degree: int | None = None,
    ring: bool = True,
    **work: Unpack[SearchWork],
) -> CirculantOptimum:
    """The most nodes with diameter at most d: every order from the bound downwards.

    Args:
        generators, degree, ring, **work: As for :func:`best_circulants`.

    Examples:
        >>> largest = largest_circulants(2, 3)
        >>> largest.nodes, len(largest.sets)
        (21, 3)
        >>> largest_circulants(2, degree=5).nodes
        16
    """
    kind, workers = _only_one(generators, degree, ring), _Workers(**work)
    if d < 1:
        raise ArgumentError(f"diameter is {d}; it must be at least 1")
    if kind.count <= 1:
        return _few(_largest_of_few(d, kind), kind)
    least = 2 * kind.generators + (kind.half is False)
    orders = range(kind.most(d), least - 1, -1)
    if kind.half:
        orders = range(kind.most(d) // 2 * 2, least - 1, -2)
    tested = 0
    for nodes, scanned in _each(orders, d, kind, workers):
        tested += scanned["tested"]
        if scanned["sets"]:
            return kind.optimum(nodes, scanned | {"tested": tested})
    raise ArgumentError(f"there is no circulant of diameter {d}: {kind.describe()}")


def _largest_of_few(d: int, kind: _Kind) -> int:
    """2d + 1 on a ring; with N/2 besides about twice as many, near the bound."""
    if not kind.count:
        return 2
    if not kind.half:
        return 2 * d + 1
    return next(n for n in range(kind.most(d), 3, -2) if _few(n, kind).diameter <= d)


def _each(
    orders: Sequence[int], d: int, kind: _Kind, workers: _Workers
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Search each order: in slices where one is a long task."""
    if workers.device == "cpu" and orders and kind.cost(orders[0]) > _SLICE_SECONDS:
        for nodes in orders:
            yield nodes, _scan_all(nodes, kind, d, workers)
        return
    tasks = [
        Task.of(
            search_order,
            (n, kind.count, kind.ring, d, d, kind.half),
            kind.cost(n),
            kind.about(n, f"diameter={d}"),
        )
        for n in orders
    ]
    text = f"largest order of diameter {d}"
    for task, scanned in workers.search_orders(tasks, text):
        yield task.arguments[0], scanned
