"""The best multirings of many orders and numbers of rings: one task per cell, kept in a table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from hopscape.families.multiring.search import cell_record, search_cell, sets_of
from hopscape.families.multiring.sparse import SparseMultiring
from hopscape.families.multiring.sparse_capacity import sparse_closed_form
from hopscape.families.multiring.torus import Line
from hopscape.search.table import ResultTable
from hopscape.search.tasks import Task, run_tasks

__all__ = ["best_lines", "best_multirings", "sparse_lines"]

_SECONDS_PER_SET = 1.0e-7
_SECONDS_PER_CELL = 0.5


def _task(n: int, rings: int, simplex: bool, cable: int | None) -> Task:
    kind = "unpaired multiring" if simplex else "multiring"
    limit = "" if cable is None else f" cable={cable}"
    free = n - 2 if simplex else (n - 1) // 2 - 1
    sets = math.comb(max(free, 0), max((rings if simplex else rings // 2) - 1, 0))
    return Task(
        f"{kind} nodes={n} rings={rings}{limit}",
        (n, rings, simplex, cable),
        _SECONDS_PER_CELL + sets * _SECONDS_PER_SET,
    )


def best_multirings(
    cells: Sequence[tuple[int, int]],
    *,
    simplex: bool = False,
    cable: int | None = None,
    table: ResultTable | None = None,
    processes: int | None = None,
) -> Iterator[dict[str, Any]]:
    """The best step sets of each (nodes, rings), with proof, bound and the printed family beside.

    Parameters
    ----------
    cells : sequence of (nodes, rings)
        Rings are simplex rings, two for each duplex step.
    simplex : bool
        Rings need no counter-rings.
    cable : int, optional
        Most cable of the cheapest multiple of a set.
    table : ResultTable, optional
        Keeps what is finished; a later run goes on from there.
    processes : int, optional
        All processors when left out.

    Examples
    --------
    >>> [found] = best_multirings([(16, 6)])
    >>> found["capacity"], found["sets"][0]["cheapest"]
    (Fraction(48, 1), [2, 3, 5])
    """
    tasks = [_task(n, rings, simplex, cable) for n, rings in cells]
    text = "searching multirings"
    for task, found in run_tasks(tasks, search_cell, table, processes=processes, text=text):
        n, rings, _, _ = task.arguments
        yield cell_record(n, rings, simplex, found)


def best_lines(
    cells: Sequence[tuple[int, int]],
    *,
    table: ResultTable | None = None,
    processes: int | None = None,
) -> list[Line]:
    """The best full multiring of each (nodes, ports) as a line of a torus, cheapest layout."""
    tasks = [_task(n, ports, False, None) for n, ports in cells]
    lines = []
    for task, found in run_tasks(
        tasks, search_cell, table, processes=processes, text="searching lines"
    ):
        n, ports, _, _ = task.arguments
        best = min(sets_of(n, False, found), key=lambda s: s.cable)
        spec = f"multiring({n}, {', '.join(map(str, best.cheapest))})"
        lines.append(Line(spec, n, ports, best.capacity, best.cable))
    return lines


def sparse_lines(ports: int, most_nodes: int) -> list[Line]:
    """Sparse multirings in the printed order as lines of a torus, of up to so many ports."""
    lines = []
    for m in range(2, ports // 2 + 1):
        if m > 2 and m - 1 not in (2, 3, 4, 5, 7, 8, 9, 11, 13, 16):
            continue
        for parts in range(2, most_nodes // (m * (m - 1) + 1) + 1):
            member = SparseMultiring(m, m * parts)
            capacity = sparse_closed_form(m, member.places)
            cable = 2 * member.ring_count
            lines.append(Line(member.spec, member.order, 2 * m, capacity, cable))
    return lines
