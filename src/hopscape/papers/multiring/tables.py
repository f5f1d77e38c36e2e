"""The best multirings of many orders and numbers of rings: one task per cell, kept in a table.

Sparse rings in a better order: where nodes stand round the rings is free.

Nodes that share several rings need only one, so that they should be close on one and may be far on
the others. All rings keep the same order of places. Annealing makes the ways short in sum; the
linear program then says what the order carries.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Unpack

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, HopscapeError, TooLargeError
from hopscape.core.progress import track
from hopscape.papers.multiring.families import SparseMultiring
from hopscape.papers.multiring.search import cell_record, pareto_front, search_cell
from hopscape.papers.multiring.sparse_capacity import SparseCapacity, sparse_capacity
from hopscape.papers.multiring.torus import TorusDesign, TorusLine, design_torus
from hopscape.store import Store, Task, Work, renamed_arguments, run_tasks

__all__ = [
    "best_multirings",
    "better_order",
    "full_lines",
    "kinds_of_pairs",
    "search_torus",
    "sparse_lines",
    "torus_front",
]

_SECONDS_PER_SET = 1.0e-7  # measured; only the order of tasks and the progress bar depend on it
_SECONDS_PER_CELL = 0.5  # the linear programs of a cell, about
_TRIES = 3  # annealing runs of each line; better_order by itself takes 8
_MOST_PORTS = 12  # of a full line: sets of more rings are too many for a torus search
_FEW_PORTS, _LONG, _SHORT = 8, 128, 60
"""Full lines that are searched: their ports, and how long they are with few ports and with more."""


def _task(n: int, rings: int, simplex: bool, cable: int | None) -> Task:
    kind = "unpaired multiring" if simplex else "multiring"
    limit = "" if cable is None else f" cable={cable}"
    free = n - 2 if simplex else (n - 1) // 2 - 1
    sets = math.comb(max(free, 0), max((rings if simplex else rings // 2) - 1, 0))
    return Task.of(
        search_cell,
        (n, rings, simplex, cable),
        _SECONDS_PER_CELL + sets * _SECONDS_PER_SET,
        f"{kind} nodes={n} rings={rings}{limit}",
    )


@renamed_arguments(table="resume", processes="workers")
def best_multirings(
    cells: Sequence[tuple[int, int]],
    *,
    simplex: bool = False,
    cable: int | None = None,
    resume: Store | None = None,
    workers: int | None = None,
    dask: str | None = None,
) -> Iterator[dict[str, Any]]:
    """The best step sets of each (nodes, rings), with proof, bound and the printed family beside.

    Args:
        cells (sequence of (nodes, rings)): Rings are simplex rings, two for each duplex step.
        simplex: Rings need no counter-rings.
        cable: Most cable of the cheapest multiple of a set.
        resume: Keeps what is finished; a later run goes on from there.
        workers: Processes, as many as there are processors when left out.
        dask: Address of a Dask scheduler whose workers search instead.

    Examples:
        >>> [cell] = best_multirings([(16, 6)])
        >>> cell["capacity"], cell["sets"][0]["cheapest"]
        (Fraction(48, 1), [2, 3, 5])
    """
    tasks = [_task(n, rings, simplex, cable) for n, rings in cells]
    text = "searching multirings"
    for task, cell in run_tasks(
        tasks, search_cell, resume, processes=workers, dask=dask, text=text
    ):
        n, rings, _, _ = task.arguments
        yield cell_record(n, rings, simplex, cell)


@renamed_arguments(table="resume", processes="workers")
def full_lines(
    cells: Sequence[tuple[int, int]],
    *,
    resume: Store | None = None,
    workers: int | None = None,
    dask: str | None = None,
) -> list[TorusLine]:
    """Full multirings of each (nodes, ports) as lines of a torus: the front of capacity and cable.

    With them come identical rings of step 1, which need the least cable of all.
    """
    return list(_full_lines(cells, resume=resume, workers=workers, dask=dask))


def _full_lines(
    cells: Sequence[tuple[int, int]],
    *,
    resume: Store | None = None,
    workers: int | None = None,
    dask: str | None = None,
) -> Iterator[TorusLine]:
    """The same, one after the other."""
    tasks = [
        Task.of(front_cell, (n, p), _SECONDS_PER_CELL, f"line nodes={n} ports={p}")
        for n, p in cells
    ]
    text = "searching full lines"
    for task, front in run_tasks(
        tasks, front_cell, resume, processes=workers, dask=dask, text=text
    ):
        n, ports = task.arguments
        same = Fraction(8 * (n - 1), n) if n % 2 == 0 else Fraction(8 * n, n + 1)
        copies = ports // 2
        spec = f"multiring({n}, 1{f', copies={copies}' if copies > 1 else ''})"
        yield TorusLine(spec, n, ports, copies * same, ports)
        for steps, load, cable in front:
            capacity = Fraction(n * (n - 1)) / Fraction(load)
            spec = f"multiring({n}, {', '.join(map(str, steps))})"
            yield TorusLine(spec, n, ports, capacity, cable)


@renamed_arguments(table="resume", processes="workers")
def search_torus(
    ports: int,
    nodes: int,
    *,
    dimensions: int | None = None,
    longest: int = 64,
    sparse: bool | None = None,
    reorder: bool = True,
    keep: int = 12,
    **work: Unpack[Work],
) -> list[TorusDesign]:
    """The best tori of multirings: the front of rate and cable per node.

    Args:
        ports, nodes, dimensions, keep: As for
            :func:`hopscape.papers.multiring.torus.design_torus`.
        longest: Longest line that is tried.
        sparse: Only sparse rings, or only full ones; both without.
        reorder: Also sparse rings in better orders than the printed ones.
        **work: ``resume``, ``workers``, ``dask``: where lines are kept, and who searches for them.

    Returns:
        list of TorusDesign: When interrupted (Ctrl-C), the best of the lines that were finished.

    Raises:
        ArgumentError: When no torus has so many nodes.
        KeyboardInterrupt: When interrupted before there is one.
    """
    return torus_front(
        ports,
        nodes,
        dimensions=dimensions,
        longest=longest,
        sparse=sparse,
        reorder=reorder,
        keep=keep,
        **work,
    )[0]


def torus_front(
    ports: int,
    nodes: int,
    *,
    dimensions: int | None,
    longest: int,
    sparse: bool | None,
    reorder: bool,
    keep: int,
    **work: Unpack[Work],
) -> tuple[list[TorusDesign], bool]:
    """As :func:`search_torus`; and whether all lines were finished."""
    design_torus([], ports, nodes, dimensions=dimensions, keep=keep)  # says what is wrong
    lines: list[TorusLine] = []
    whole = True
    try:
        if sparse is not True:
            cells = [
                (n, p)
                for p in range(2, min(ports, _MOST_PORTS) + 1, 2)
                for n in range(max(3, p + 1), min(longest, _longest(p)) + 1)
            ]
            lines.extend(_full_lines(cells, **work))
        if sparse is not False:
            lines.extend(_sparse_lines(ports, longest, reorder=reorder, **work))
    except KeyboardInterrupt:
        whole = False
    designs = design_torus(lines, ports, nodes, dimensions=dimensions, keep=keep)
    if not designs and not whole:
        raise KeyboardInterrupt
    if not designs:
        most = ports // 2 if dimensions is None else dimensions
        raise ArgumentError(
            f"no torus of up to {most} lines of up to {longest} nodes with {ports} ports has"
            f" {nodes} nodes; longer lines, more dimensions or more ports may help"
        )
    return designs, whole


def _longest(ports: int) -> int:
    return _LONG if ports <= _FEW_PORTS else _SHORT


def front_cell(n: int, ports: int) -> list[tuple[list[int], str, int]]:
    """The front of one order and number of rings, in plain values: steps, load, cable."""
    return [
        (list(steps.cheapest), f"{steps.load.numerator}/{steps.load.denominator}", steps.cable)
        for steps in pareto_front(n, ports)
    ]


@renamed_arguments(table="resume", processes="workers")
def sparse_lines(
    ports: int,
    most_nodes: int,
    *,
    reorder: bool = False,
    resume: Store | None = None,
    workers: int | None = None,
    dask: str | None = None,
) -> list[TorusLine]:
    """Sparse multirings of up to so many ports and nodes as lines of a torus, by all designs.

    Args:
        reorder: Also look for a better order of the places of each.
    """
    return list(
        _sparse_lines(ports, most_nodes, reorder=reorder, resume=resume, workers=workers, dask=dask)
    )


def _sparse_lines(
    ports: int,
    most_nodes: int,
    *,
    reorder: bool = False,
    resume: Store | None = None,
    workers: int | None = None,
    dask: str | None = None,
) -> Iterator[TorusLine]:
    """The same, one after the other."""
    tasks = []
    for m in range(2, ports // 2 + 1):
        for sigma in range(1, m):
            if m * (m - 1) % sigma:
                continue
            rings = m * (m - 1) // sigma + 1
            if rings > most_nodes:
                continue
            try:
                SparseMultiring(m, m, sigma=sigma)
            except HopscapeError:
                continue
            for parts in range(1, most_nodes // rings + 1):
                order = " reordered" if reorder and parts > 1 else ""
                about = f"sparse line m={m} K={m * parts} sigma={sigma}{order}"
                given = (m, m * parts, sigma, bool(order))
                tasks.append(Task.of(sparse_cell, given, 0.2, about))
    text = "searching sparse lines"
    for _, cell in run_tasks(tasks, sparse_cell, resume, processes=workers, dask=dask, text=text):
        for spec, n, p, c, cable in cell:
            yield TorusLine(spec, n, p, Fraction(c), cable)


def sparse_cell(m: int, K: int, sigma: int, reorder: bool) -> list[tuple[str, int, int, str, int]]:
    """One sparse multiring, and in a better order, in plain values: the fields of a line."""
    member = SparseMultiring(m, K, sigma=sigma)
    reports = [sparse_capacity(member)]
    if reorder:
        reports.append(better_order(member, tries=_TRIES))
    out = {}
    for report in reports:
        one, value = report.member, report.balanced.capacity
        text = f"{value.numerator}/{value.denominator}"
        out[one.spec] = (one.spec, one.order, one.ports, text, 2 * one.ring_count)
    return list(out.values())


_STEPS = 12_000
_HOT, _COLD = 4.0, 0.15


def kinds_of_pairs(member: SparseMultiring) -> tuple[IntArray, IntArray, IntArray]:
    """The meetings of all kinds of pairs: first of each kind, and the places of the two nodes."""
    blocks = member.blocks
    starts, mine, theirs = [0], [], []
    for a in range(1 if blocks.base is not None else member.ring_count):
        for shared in blocks.meetings(a):
            mine += [t for _, t, _ in shared]
            theirs += [u for _, _, u in shared]
            starts.append(len(mine))
    return np.asarray(starts), np.asarray(mine), np.asarray(theirs)


def better_order(member: SparseMultiring, *, seed: int = 0, tries: int = 8) -> SparseCapacity:
    """A better order of the places, by seeded annealing and a linear program.

    Args:
        member: Its order is what has to be beaten.
        tries: Annealing runs; the best capacity of all is kept.

    Returns:
        SparseCapacity: Of the member in its best order (its own, when nothing better was found).
    """
    from hopscape.papers.multiring.search_kernels import anneal

    if tries < 1 or seed < 0:
        raise ArgumentError(f"tries {tries} and seed {seed} must be at least 1 and 0")
    generator = np.random.default_rng(seed)
    best = sparse_capacity(member)
    if best.balanced.arcs is None:
        raise TooLargeError(f"{member.spec} has too many places to look for a better order")
    if member.parts < 2:
        return best
    pairs = kinds_of_pairs(member)
    for _ in track(range(tries), f"orders of {member.spec}", tries):
        order = generator.permutation(member.places)
        moves = generator.integers(0, member.places, size=(_STEPS, 2))
        luck = generator.random(_STEPS)
        order = anneal(order, member.m, pairs, moves, luck, _HOT, _COLD)
        report = sparse_capacity(member.in_order(order.tolist()))
        if report.balanced.capacity > best.balanced.capacity:
            best = report
    return best
