"""Families of step sets that grow by adding rings only, so that old cables stay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from hopscape.core.errors import ArgumentError
from hopscape.core.progress import track
from hopscape.families.multiring.wiring import Multiring
from hopscape.metrics.exact_loads import float_optimum
from hopscape.metrics.rings.capacity import balanced_schedule
from hopscape.search.multiring.cells import StepSpace, folded, search_cell

__all__ = ["GrowingFamily", "grow_family"]


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
        >>> found = grow_family([(16, 4), (16, 6)])
        >>> found.steps[0], len(found.steps), float(found.worst) > 0.9
        (1, 3, True)
    """
    if beam < 1:
        raise ArgumentError(f"beam is {beam}; it must be at least 1")
    kept: list[_Partial] = [((1.0, 0.0), (1,))]
    best = {cell: Fraction(search_cell(*cell)["load"]) for cell in dict.fromkeys(cells)}
    for n, rings in track(cells, "growing a family", len(cells)):
        space = StepSpace(n, rings // 2, False)
        goal = float(best[n, rings])
        kept = _next_beam(space, goal, kept, beam)
        if not kept:
            raise ArgumentError(f"no family grows to {rings} rings on {n} nodes")
    _, steps = kept[0]
    loads = [balanced_schedule(Multiring(n, steps[: k // 2])).load for n, k in cells]
    capacities = tuple(Fraction(n * (n - 1)) / load for (n, _), load in zip(cells, loads))
    worst = min(best[cell] / load for cell, load in zip(cells, loads))
    return GrowingFamily(steps, capacities, worst)


def _next_beam(space: StepSpace, goal: float, kept: list[_Partial], beam: int) -> list[_Partial]:
    """The best extensions; programs are solved only where a bound says that they can matter."""
    promises: dict[tuple[int, ...], tuple[tuple[float, float], tuple[float, float]]] = {}
    for score, steps in kept:
        for longer in _extensions(steps, space):
            least = space.lengths[[s - 1 for s in longer]].min(axis=0)
            bound = float((least * space.weights).sum()) / (2 * space.count)
            old = promises.get(longer)
            if old is None or old[1] < score:
                promises[longer] = (_extend(score, goal / bound), score)
    found: list[_Partial] = []
    for longer, (promise, score) in sorted(promises.items(), key=lambda p: p[1][0], reverse=True):
        if len(found) >= beam and promise <= found[beam - 1][0]:
            break
        load, _, _ = float_optimum(space.program(longer))
        found.append((_extend(score, goal / load), longer))
        found.sort(reverse=True)
    return found[:beam]


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
