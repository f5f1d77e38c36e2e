"""The best step sets of an order and a number of rings, by exhaustive search.

Every set that holds step 1 is looked at (a set without a unit reaches nobody, and a multiple by a
unit is the same network laid out otherwise). Equal ring weights bound the load of a set from below;
the linear program is solved only where this bound does not exceed the best load known, and the
optimum is proved by its own certificate.

Families of step sets that grow by adding rings only, so that old cables stay.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.processes import require_memory
from hopscape.core.progress import track
from hopscape.papers.multiring.capacity import balanced_schedule, moore_bound
from hopscape.papers.multiring.exact_loads import LoadProgram, float_optimum, optimum, ring_program
from hopscape.papers.multiring.families import Multiring, ring_lengths

__all__ = [
    "PRINTED_FAMILY",
    "GrowingFamily",
    "StepSet",
    "best_step_sets",
    "canonical_steps",
    "cheapest_multiple",
    "grow_family",
    "pareto_front",
    "search_cell",
]

PRINTED_FAMILY = {4: (1, 3), 6: (1, 2, 3), 8: (1, 2, 3, 7), 10: (1, 2, 3, 5, 7),
                  12: (1, 2, 3, 5, 7, 9)}  # fmt: skip
"""Steps of table 2.4 by number of simplex rings."""

_FAR = 1 << 40  # above every sum of arcs: a ring that does not reach a route
_ROOM = 1 << 18  # sets kept at first; where there are more the scan is repeated with room for all
# random sets from which a limit for good ones is guessed; the result does not depend on it
_SAMPLE = 4000
_FIRST = 24  # sets solved exactly to get the first bound; more bounds cost more programs
_FEW = 500  # sets that are all candidates
_MOST_KEPT = 5_000_000  # sets in memory: 40 bytes and more each
_MOST_SETS = 20_000_000_000  # at 10^7 sets a second about half an hour


def folded(step: int, n: int, simplex: bool) -> int:
    """A step as it is written in a set: mod N, and the shorter of a pair of counter-rings."""
    return step % n if simplex else min(step % n, -step % n)


def canonical_steps(n: int, steps: Sequence[int], *, simplex: bool = False) -> tuple[int, ...]:
    """The first of all multiples of a set by units that hold step 1.

    Examples:
        >>> canonical_steps(16, (2, 3, 5)), canonical_steps(16, (1, 6, 7))
        ((1, 6, 7), (1, 6, 7))
    """
    multiples = []
    for s in steps:
        if math.gcd(s, n) == 1:
            u = pow(s, -1, n)
            multiples.append(tuple(sorted(folded(u * x, n, simplex) for x in steps)))
    return min(multiples)


def cheapest_multiple(
    n: int, steps: Sequence[int], *, simplex: bool = False
) -> tuple[int, tuple[int, ...]]:
    """Least cable of all multiples by units, and the multiple: the same network, laid out better.

    Examples:
        >>> cheapest_multiple(16, (1, 6, 7))
        (20, (2, 3, 5))
    """
    best: tuple[int, tuple[int, ...]] | None = None
    for u in range(1, n):
        if math.gcd(u, n) == 1:
            turned = tuple(sorted(folded(u * x, n, simplex) for x in steps))
            length = sum(min(x, n - x) for x in turned) * (1 if simplex else 2)
            if best is None or (length, turned) < best:
                best = (length, turned)
    assert best is not None
    return best


@dataclass(frozen=True)
class StepSet:
    """One step set with its proved capacity."""

    n: int
    steps: tuple[int, ...]
    simplex: bool
    load: Fraction
    cable: int
    cheapest: tuple[int, ...]

    @property
    def capacity(self) -> Fraction:
        """Packets per slot."""
        return Fraction(self.n * (self.n - 1)) / self.load

    def to_dict(self) -> dict[str, Any]:
        """The record that scripts rely on."""
        signed = [s if 2 * s <= self.n or not self.simplex else s - self.n for s in self.steps]
        return {
            "steps": signed,
            "load": self.load,
            "load_decimal": float(self.load),
            "capacity": self.capacity,
            "capacity_decimal": float(self.capacity),
            "cable": self.cable,
            "cheapest": list(self.cheapest),
        }


@dataclass
class StepSpace:
    """All step sets of one size, as rows of a table of lengths."""

    n: int
    count: int
    simplex: bool
    rows: list[int] = field(init=False)
    lengths: IntArray = field(init=False)
    weights: IntArray = field(init=False)
    problems: int = 0

    def __post_init__(self) -> None:
        n = self.n
        width = n if self.simplex else n // 2
        require_memory(16 * width**2, f"the lengths of all routes on all rings of {n} nodes")
        self.rows = list(range(1, n)) if self.simplex else list(range(1, (n - 1) // 2 + 1))
        last = n - 1 if self.simplex else n // 2
        table = np.zeros((len(self.rows), last), dtype=np.int64)
        for i, s in enumerate(self.rows):
            full = ring_lengths(n, s)
            full[full == 0] = _FAR
            table[i] = full[1 : last + 1]
            if not self.simplex:
                table[i] = np.minimum(table[i], full[::-1][:last])
        self.lengths = table
        self.weights = np.full(last, 2, dtype=np.int64)
        if not self.simplex and n % 2 == 0:
            self.weights[-1] = 1

    @property
    def sets(self) -> int:
        """How many sets there are."""
        return math.comb(len(self.rows) - 1, self.count - 1)

    def sets_in_memory(self) -> int:
        """How many sets there are, when all of them have to be held at once."""
        if self.sets > _MOST_KEPT:
            raise TooLargeError(
                f"{self.sets} step sets are too many to weigh their cable; at most {_MOST_KEPT}"
            )
        return self.sets

    def steps(self, rows: Sequence[int]) -> tuple[int, ...]:
        """The steps of some rows."""
        return tuple(self.rows[i] for i in rows)

    def program(self, steps: Sequence[int]) -> LoadProgram:
        """The linear program of a set."""
        table = self.lengths[[s - 1 for s in steps]]
        table = np.where(table >= _FAR, 0, table)
        return ring_program(table, [Fraction(int(w), 2) for w in self.weights])

    def bound(self, total: int) -> Fraction:
        """No schedule of a set with this total has a smaller load."""
        return Fraction(total, 2 * self.count)

    def limit(self, load: Fraction) -> int:
        """The largest total whose bound does not exceed a load."""
        return math.floor(load * 2 * self.count)

    def load(self, steps: Sequence[int]) -> Fraction:
        """Least load of a set, proved."""
        self.problems += 1
        solved = optimum(self.program(steps))
        if not solved.proved:
            raise ArgumentError(f"the certificate of steps {tuple(steps)} does not close")
        return solved.load

    def scan(self, limit: int, room: int) -> tuple[IntArray, IntArray, int]:
        """Sets with a total of at most `limit`, their totals, and how many there are."""
        from hopscape.papers.multiring.search_kernels import scan_sets

        out = np.zeros((room, self.count), dtype=np.int64)
        totals = np.zeros(room, dtype=np.int64)
        count, _ = scan_sets(
            self.lengths, self.weights, self.count, 1, len(self.rows), limit, out, totals
        )
        written = min(count, room)
        by_total = np.argsort(totals[:written], kind="stable")
        return out[by_total], totals[by_total], count

    def sample_limit(self, wanted: int, seed: int = 0) -> int:
        """A total that about so many sets do not exceed, from a seeded sample."""
        generator = np.random.default_rng(seed)
        sums = []
        for _ in range(min(_SAMPLE, self.sets)):
            others = generator.choice(len(self.rows) - 1, self.count - 1, replace=False) + 1
            least = self.lengths[[0, *others]].min(axis=0)
            sums.append(int((least * self.weights).sum()))
        part = min(1.0, max(wanted / self.sets, 2 / len(sums)))
        return int(np.quantile(sums, part))


def _check(n: int, rings: int, simplex: bool) -> int:
    most = n - 1 if simplex else 2 * ((n - 1) // 2)
    if n < 3:
        raise ArgumentError(f"nodes is {n}; it must be at least 3")
    if not 1 <= rings <= most or (not simplex and rings % 2):
        kind = "an integer" if simplex else "an even number"
        raise ArgumentError(
            f"rings is {rings}; it must be {kind} from {1 + (not simplex)} to {most}"
        )
    return rings if simplex else rings // 2


def _refined_bound(space: StepSpace, steps: Sequence[int], best: Fraction) -> bool:
    """Can the set still be better than `best`, after some rounds of better ring weights?"""
    table = space.lengths[[s - 1 for s in steps]].astype(float)
    weights = space.weights / 2.0
    ring = np.full(len(steps), 1 / len(steps))
    goal = float(best)
    for i in range(60):
        costs = ring[:, None] * table
        if float((weights * costs.min(axis=0)).sum()) > goal * (1 + 1e-9):
            exact = tuple(Fraction(float(w)) for w in ring)
            total = sum(exact)
            proof = space.program(steps).bound([w / total for w in exact])
            return proof <= best
        chosen = costs.argmin(axis=0)
        loads = np.bincount(
            chosen, weights=weights * table[chosen, np.arange(table.shape[1])], minlength=len(ring)
        )
        ring = ring * np.exp(0.6 / (1 + 0.1 * i) * (loads / loads.max() - 1))
        ring /= ring.sum()
    return True


def search_cell(
    n: int, rings: int, simplex: bool = False, cable: int | None = None
) -> dict[str, Any]:
    """The best step sets of one order and number of rings, in plain values (for a table).

    Sets are C(h - 1, k - 1) for k duplex rings of the h possible steps, at O(n) each; programs are
    solved for few of them.

    Returns:
        dict: ``sets`` (all optimal classes in canonical form), ``load`` as "p/q", ``tested`` sets
            and ``programs`` solved.
    """
    count = _check(n, rings, simplex)
    space = StepSpace(n, count, simplex)
    if space.sets > _MOST_SETS:
        raise TooLargeError(
            f"{space.sets:.3g} step sets of {rings} rings on {n} nodes are too many to go through"
        )
    rows, totals, known = _candidates(space, cable)
    best = min(known.values(), default=None)
    seen: set[tuple[int, ...]] = set()
    for row, total in zip(rows, totals):
        if best is not None and space.bound(int(total)) > best:
            break
        steps = canonical_steps(n, space.steps(row), simplex=simplex)
        if steps in seen:
            continue
        seen.add(steps)
        if steps not in known:
            if best is not None and not _refined_bound(space, steps, best):
                continue
            known[steps] = space.load(steps)
        best = known[steps] if best is None else min(best, known[steps])
    if best is None:
        return {"sets": [], "load": None, "tested": space.sets, "programs": 0}
    return {
        "sets": [list(s) for s in sorted(s for s, load in known.items() if load == best)],
        "load": f"{best.numerator}/{best.denominator}",
        "tested": space.sets,
        "programs": space.problems,
    }


def _candidates(
    space: StepSpace, cable: int | None
) -> tuple[IntArray, IntArray, dict[tuple[int, ...], Fraction]]:
    """Sets that can be best, by their bounds, and the loads of some that were solved already."""
    if cable is not None:
        rows, totals, _ = space.scan(_FAR, space.sets_in_memory())
        cheap = _cables(space, rows) <= cable
        return rows[cheap], totals[cheap], {}
    known: dict[tuple[int, ...], Fraction] = {}
    few = space.sets <= _FEW
    rows, _, _ = space.scan(_FAR if few else space.sample_limit(_FEW), _ROOM)
    for row in rows:
        steps = canonical_steps(space.n, space.steps(row), simplex=space.simplex)
        if steps not in known:
            known[steps] = space.load(steps)
        if len(known) >= _FIRST:
            break
    limit = space.limit(min(known.values()))
    rows, totals, count = space.scan(limit, _ROOM)
    if count > len(totals):
        rows, totals, _ = space.scan(limit, count)
    return rows, totals, known


def best_step_sets(
    n: int, rings: int, *, simplex: bool = False, cable: int | None = None
) -> list[StepSet]:
    """All best step sets of an order and a number of simplex rings, up to unit multiples.

    Args:
        n: Number of nodes.
        rings: Number of simplex rings; even for duplex sets.
        simplex: Rings need no counter-rings.
        cable: Most cable, in lengths of ring 1, of the cheapest multiple of a set.

    Examples:
        >>> [(best.steps, best.capacity) for best in best_step_sets(16, 6)]
        [((1, 6, 7), Fraction(48, 1))]
    """
    return sets_of(n, simplex, search_cell(n, rings, simplex, cable))


def sets_of(n: int, simplex: bool, cell: dict[str, Any]) -> list[StepSet]:
    """The step sets of a result of :func:`search_cell`."""
    out = []
    for steps in cell["sets"]:
        length, cheapest = cheapest_multiple(n, steps, simplex=simplex)
        out.append(StepSet(n, tuple(steps), simplex, Fraction(cell["load"]), length, cheapest))
    return out


def pareto_front(n: int, rings: int, *, simplex: bool = False) -> list[StepSet]:
    """Best capacity for every amount of cable: each set beats all with less cable.

    Raises:
        TooLargeError: When there are too many sets, since the cable of each is needed.
    """
    space = StepSpace(n, _check(n, rings, simplex), simplex)
    rows, totals, _ = space.scan(_FAR, space.sets_in_memory())
    lengths = _cables(space, rows)
    front: list[StepSet] = []
    best: Fraction | None = None
    for cable in np.unique(lengths):
        at = np.nonzero(lengths == cable)[0]
        winner: tuple[int, ...] | None = None
        seen: set[tuple[int, ...]] = set()
        for i in at[np.argsort(totals[at], kind="stable")]:
            if best is not None and space.bound(int(totals[i])) >= best:
                break
            steps = canonical_steps(n, space.steps(rows[i]), simplex=simplex)
            if steps in seen or (best is not None and not _refined_bound(space, steps, best)):
                continue
            seen.add(steps)
            load = space.load(steps)
            if best is None or load < best:
                best, winner = load, steps
        if winner is not None and best is not None:
            form = cheapest_multiple(n, winner, simplex=simplex)
            front.append(StepSet(n, winner, simplex, best, *form))
    return front


def _cables(space: StepSpace, sets: IntArray) -> IntArray:
    """Least cable over all unit multiples, of many sets at once."""
    n = space.n
    best = np.full(len(sets), _FAR, dtype=np.int64)
    rows = np.asarray(space.rows, dtype=np.int64)
    for u in range(1, n // 2 + 1):
        if math.gcd(u, n) == 1:
            turned = rows * u % n
            short = np.minimum(turned, n - turned) * (1 if space.simplex else 2)
            best = np.minimum(best, short[sets].sum(axis=1))
    return best


def compare_with_printed(n: int, rings: int, best: Fraction) -> dict[str, Any]:
    """Capacity of the printed family's set under its own best schedule, and the gain over it."""
    steps = PRINTED_FAMILY.get(rings)
    if steps is None or 2 * max(steps) >= n:
        return {"printed": None, "printed_capacity": None, "gain": None}
    printed = balanced_schedule(Multiring(n, steps)).capacity
    return {
        "printed": list(steps),
        "printed_capacity": printed,
        "gain": float(best / printed - 1),
    }


def cell_record(n: int, rings: int, simplex: bool, cell: dict[str, Any]) -> dict[str, Any]:
    """The record of a cell that scripts rely on."""
    sets = sets_of(n, simplex, cell)
    record: dict[str, Any] = {"nodes": n, "rings": rings, "unpaired": simplex}
    if not sets:
        return record | {"capacity": None, "sets": [], "tested": cell["tested"]}
    best = sets[0]
    bound = moore_bound(n, rings)
    record |= {
        "capacity": best.capacity,
        "capacity_decimal": float(best.capacity),
        "load": best.load,
        "sets": [s.to_dict() for s in sets],
        "moore_bound": bound,
        "share_of_bound": float(best.capacity / bound),
        "tested": cell["tested"],
        "programs": cell["programs"],
        "proved": True,
    }
    return record | compare_with_printed(n, rings, best.capacity)


_Partial = tuple[tuple[float, float], tuple[int, ...]]
"""Worst share of the best so far and sum of all shares; steps."""


@dataclass(frozen=True)
class GrowingFamily:
    """Steps in the order in which they are added.

    Attributes:
        capacities: Of every cell.
        worst: Least capacity of a cell in proportion to the best set of that cell.
    """

    steps: tuple[int, ...]
    capacities: tuple[Fraction, ...]
    worst: Fraction


def grow_family(cells: Sequence[tuple[int, int]], *, beam: int = 40) -> GrowingFamily:
    """A family that grows by adding rings only, by beam search.

    Args:
        cells (sequence of (nodes, rings)): In order of growth; rings even and not falling.
        beam: How many partial families are kept.

    Returns:
        GrowingFamily: The one found whose worst cell is best, measured against the best set of each
            cell (the larger sum of all cells on a tie). The search keeps `beam` candidates at a
            time, so that this is not proved best.

    Examples:
        >>> family = grow_family([(16, 4), (16, 6)])
        >>> family.steps[0], len(family.steps), float(family.worst) > 0.9
        (1, 3, True)
    """
    if beam < 1:
        raise ArgumentError(f"beam is {beam}; it must be at least 1")
    partial: list[_Partial] = [((1.0, 0.0), (1,))]
    best = {cell: Fraction(search_cell(*cell)["load"]) for cell in dict.fromkeys(cells)}
    for n, rings in track(cells, "growing a family", len(cells)):
        space = StepSpace(n, rings // 2, False)
        goal = float(best[n, rings])
        partial = _next_beam(space, goal, partial, beam)
        if not partial:
            raise ArgumentError(f"no family grows to {rings} rings on {n} nodes")
    _, steps = partial[0]
    loads = [balanced_schedule(Multiring(n, steps[: k // 2])).load for n, k in cells]
    capacities = tuple(Fraction(n * (n - 1)) / load for (n, _), load in zip(cells, loads))
    worst = min(best[cell] / load for cell, load in zip(cells, loads))
    return GrowingFamily(steps, capacities, worst)


def _next_beam(space: StepSpace, goal: float, partial: list[_Partial], beam: int) -> list[_Partial]:
    """The best extensions; programs are solved only where a bound says that they can matter."""
    promises: dict[tuple[int, ...], tuple[tuple[float, float], tuple[float, float]]] = {}
    for score, steps in partial:
        for longer in _extensions(steps, space):
            least = space.lengths[[s - 1 for s in longer]].min(axis=0)
            bound = float((least * space.weights).sum()) / (2 * space.count)
            old = promises.get(longer)
            if old is None or old[1] < score:
                promises[longer] = (_extend(score, goal / bound), score)
    following: list[_Partial] = []
    for longer, (promise, score) in sorted(promises.items(), key=lambda p: p[1][0], reverse=True):
        if len(following) >= beam and promise <= following[beam - 1][0]:
            break
        load, _, _ = float_optimum(space.program(longer))
        following.append((_extend(score, goal / load), longer))
        following.sort(reverse=True)
    return following[:beam]


def _extend(score: tuple[float, float], share: float) -> tuple[float, float]:
    return round(min(score[0], share), 9), score[1] + share


def _extensions(steps: tuple[int, ...], space: StepSpace) -> Iterator[tuple[int, ...]]:
    """All ways to bring a family to the size of a cell by adding steps that are new there."""
    taken = {folded(s, space.n, False) for s in steps}
    if len(taken) < len(steps) or len(steps) > space.count or max(steps) > len(space.rows):
        return
    if len(steps) == space.count:
        yield steps
        return
    for s in space.rows:
        if s not in taken:
            yield from _extensions((*steps, s), space)
