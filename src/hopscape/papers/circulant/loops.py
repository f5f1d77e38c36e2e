"""Directed circulants of least diameter and mean distance, and the largest order of given steps.

All sets of an order are looked at, up to multipliers: one generator divides N, and no other has a
smaller divisor in common with N.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.families.circulant.closed_forms import ball, canonical
from hopscape.papers.circulant.search import CirculantOptimum
from hopscape.store import Store, Task, run_tasks

__all__ = ["best_loops", "most_loop_nodes", "order_of_steps", "search_loops"]

_SECONDS = 1e-9  # of a set, a word and a distance; only the order of tasks depends on it
_ROOM = 1 << 12  # sets kept at first; the order is scanned again with room for all
_MOST_WORDS = 10**11  # of bit sets, looked at for given steps: some minutes


def most_loop_nodes(d: int, generators: int) -> int:
    """No directed circulant with so many generators has more nodes within d.

    Examples:
        >>> most_loop_nodes(4, 2), most_loop_nodes(12, 3)
        (15, 455)
    """
    return math.comb(d + generators, generators)


def best_loops(
    orders: Sequence[int],
    generators: int,
    *,
    resume: Store | None = None,
    workers: int | None = None,
    dask: str | None = None,
) -> Iterator[CirculantOptimum]:
    """Least diameter, then least mean distance: all optimal sets of 2 generators or more.

    Examples:
        >>> [best] = best_loops([9], 2)
        >>> best.diameter, best.total, best.sets
        (4, 18, ((1, 3), (1, 4), (1, 6)))
    """
    if generators < 2:
        raise ArgumentError(f"generators is {generators}; it must be at least 2")
    for n in orders:
        if n <= generators:
            raise ArgumentError(f"nodes is {n}; {generators} generators need more")
    tasks = [
        Task.of(
            search_loops,
            (n, generators),
            math.comb(n, generators - 1) * (n // 64 + 1) * n ** (1 / generators) * _SECONDS,
            f"directed circulant nodes={n} generators={generators}",
        )
        for n in orders
    ]
    found = run_tasks(tasks, search_loops, resume, processes=workers, dask=dask, text="searching")
    for task, one in found:
        sets = tuple(map(tuple, one["sets"]))
        yield CirculantOptimum(
            task.arguments[0],
            generators,
            False,
            one["diameter"],
            one["total"],
            sets,
            one["tested"],
            generators,
        )


def search_loops(nodes: int, count: int) -> dict[str, Any]:
    """The best sets of one order: the least diameter first, from the bound upwards.

    Returns:
        dict: ``diameter``, ``total``: sum of distances from a node; ``sets``: canonical forms,
            sorted; ``tested``: sets tested.
    """
    divisors = np.gcd(np.arange(nodes), nodes)
    least = next(d for d in range(1, nodes) if most_loop_nodes(d, count) >= nodes)
    tested = 0
    for d in range(least, nodes):
        best, sets = -1, set[tuple[int, ...]]()
        for first in (g for g in range(1, nodes // 2 + 1) if nodes % g == 0):
            total, looked, found = _scan(nodes, count, first, divisors >= first, d)
            tested += looked
            if total >= 0 and (best < 0 or total < best):
                best, sets = total, set()
            if total == best:
                sets |= {canonical(nodes, row, directed=True) for row in found}
        if sets:
            return {
                "diameter": d,
                "total": best,
                "sets": sorted(map(list, sets)),
                "tested": tested,
            }
    raise AssertionError(f"{nodes} nodes: generator 1 reaches all of them")


def _scan(
    nodes: int, count: int, first: int, allowed: IntArray, d: int
) -> tuple[int, int, list[list[int]]]:
    """The least sum of distances (-1: none), sets tested, and the best sets that have `first`."""
    from hopscape.papers.circulant.loop_kernels import scan_loops

    allowed[[0, first]] = False
    room = _ROOM
    while True:
        out = np.zeros((room, count), dtype=np.int64)
        found, total, tested = scan_loops(nodes, count, first, allowed, d, out)
        if found <= room:
            return int(total), int(tested), out[:found].tolist()
        room = int(found)


def order_of_steps(generators: Sequence[int], d: int, *, directed: bool = False) -> int:
    """m(d, S): the most nodes that circulants with these very steps have within d.

    Every order up to the bound is tried, from there downwards; steps count modulo the order. There
    are no more nodes than sums of steps, nor than numbers from the least such sum to the largest.

    Examples:
        >>> order_of_steps((1, 4), 4, directed=True), order_of_steps((1, 5, 21), 3)
        (11, 55)
    """
    from hopscape.papers.circulant.loop_kernels import largest_order

    if not generators or min(generators) < 1 or d < 1:
        raise ArgumentError(
            f"generators are {list(generators)} and the diameter {d}; each must be at least 1"
        )
    count = len(set(generators))
    most = most_loop_nodes(d, count) if directed else ball(d, count)
    most = min(most, (1 if directed else 2) * d * max(generators) + 1)
    steps = sorted({*generators, *(() if directed else (-s for s in generators))})
    words = most * (most // 64 + 1) * d * len(steps)
    if words > _MOST_WORDS or max(generators) >= 1 << 40:
        raise TooLargeError(
            f"generators {list(generators)} and diameter {d} allow up to {most} nodes, which are"
            f" tried one by one; up to {_MOST_WORDS:.0e} words of bit sets and steps below 2^40 are"
            f" taken, and that takes {float(words):.0e}"
        )
    return int(largest_order(np.asarray(steps, dtype=np.int64), d, most))
