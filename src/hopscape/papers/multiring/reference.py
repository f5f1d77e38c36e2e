"""The same numbers by walking: rings node by node, loads arc by arc, with nothing of the library.

A check takes its numbers from the library and from here; where the two disagree nothing is ruled
(:class:`~hopscape.ledger.crosscheck.CrossCheck`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

__all__ = [
    "brute_rings",
    "brute_ways",
    "chord",
    "rings_of",
    "signed",
    "sparse_table",
    "walk",
    "walked_sparse_capacity",
    "walked_wait",
]


def walk(n: int, step: int) -> list[int]:
    """Arcs from node 0 to each node along a ring; 0 where it does not go."""
    out, at, hops = [0] * n, step % n, 1
    while at:
        out[at], at, hops = hops, (at + step) % n, hops + 1
    return out


def rings_of(n: int, steps: Sequence[int], copies: int = 1) -> list[int]:
    """Steps of the simplex rings of a duplex set, in the order of the ports."""
    return [x % n for s in steps for x in (s, -s)] * copies


def signed(step: int, n: int) -> int:
    """A step as it is printed, from -N/2 to N/2."""
    return step if 2 * step <= n else step - n


def chord(n: int, step: int) -> float:
    """Length of a straight arc between nodes on a circle, in steps along it."""
    return n / math.pi * math.sin(math.pi * step / n)


@cache
def plane(m: int) -> tuple[int, ...]:
    """The first m numbers from 0, 1 on whose differences are all different modulo m(m-1) + 1."""
    n = m * (m - 1) + 1

    def grow(chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(chosen) == m:
            yield chosen
            return
        for x in range(chosen[-1] + 1, n):
            longer = (*chosen, x)
            gaps = {(a - b) % n for a in longer for b in longer if a != b}
            if len(gaps) == len(longer) * (len(longer) - 1):
                yield from grow(longer)

    return next(grow((0, 1)))


def sparse_table(m: int, parts: int) -> list[list[int]]:
    """Node at each place of each ring: ring i holds i - d, part after part."""
    n = m * (m - 1) + 1
    return [[g * n + (i - d) % n for g in range(parts) for d in plane(m)] for i in range(n)]


@cache
def walked_sparse_capacity(m: int, parts: int) -> tuple[Fraction, int]:
    """Capacity by the arcs of all shortest paths, which load every arc alike; and pairs walked.

    No schedule uses fewer arcs together than the shortest paths, so that the mean load of an arc
    bounds the largest from below; where all arcs carry the mean, nothing is better.
    """
    table = sparse_table(m, parts)
    nodes, size = len(table) * parts, len(table[0])
    routes: dict[tuple[int, int], list[tuple[int, int, int, int]]] = {}
    for i, ring in enumerate(table):
        for p, q in combinations(range(size), 2):
            for a, b, ahead in ((p, q, q - p), (q, p, p - q)):
                for side, length in ((1, ahead % size), (-1, -ahead % size)):
                    routes.setdefault((ring[a], ring[b]), []).append((length, i, side, a))
    if len(routes) != nodes * (nodes - 1):
        return Fraction(0), len(routes)
    walked = 0
    loads = np.zeros((len(table), 2, size), dtype=object)
    scale = math.lcm(*range(1, 2 * m + 1))
    for options in routes.values():
        least = min(options)[0]
        best = [option for option in options if option[0] == least]
        for length, i, side, a in best:
            places = [(a + side * k) % size for k in range(length)]
            loads[i, 0 if side == 1 else 1, places] += scale // len(best)
        walked += 1
    if loads.min() != loads.max():
        return Fraction(0), walked
    return Fraction(nodes * (nodes - 1) * scale, int(loads.max())), walked


def walked_wait(
    n: int,
    lengths: Sequence[dict[int, Fraction]],
    steps: Sequence[int],
    load: float,
    *,
    insertion: bool,
    slots: int,
    seed: int = 3,
) -> tuple[float, float]:
    """Mean wait in slots under open load, in the own buffer and in those of others on the way.

    Args:
        lengths: For each ring how many of the N - 1 routes have which length.
        steps: Of the rings.
        insertion: Registers in the nodes; else a packet waits for a free slot, and on for half of
            one.
    """
    rng = np.random.default_rng(seed)
    upstream: list[int] = []
    rates: list[float] = []
    tables: list[dict[int, Fraction]] = []
    for step, table in zip(steps, lengths):
        size = n // math.gcd(step, n)
        for first in range(len(upstream), len(upstream) + n, size):  # mini-rings
            upstream += [first + (p - 1) % size for p in range(size)]
        rates += [load / n * float(sum(table.values()) / (n - 1))] * n
        tables += [table] * n
    before, each = np.asarray(upstream), np.asarray(rates)
    values, chances = _draws(tables)
    cell = np.zeros(len(each), dtype=np.int64)
    register, queue = np.zeros_like(cell), np.zeros_like(cell)
    own = others = 0.0
    for now in range(slots):
        queue += rng.poisson(each)
        passing = np.maximum(cell[before] - 1, 0)
        drawn = np.take_along_axis(
            values, (rng.random(len(each))[:, None] > chances).sum(axis=1)[:, None], axis=1
        )[:, 0]
        if insertion:
            held = register > 0
            sends = ~held & (queue > 0)
            cell = np.where(held, register, np.where(sends, drawn, passing))
            register = np.where(held | sends, passing, register)
        else:
            sends = (passing == 0) & (queue > 0)
            cell = np.where(sends, drawn, passing)
        queue -= sends
        if now >= slots // 10:
            own += float(queue.sum())
            others += float((register > 0).sum())
    scale = load * (slots - slots // 10)
    return own / scale + (0.0 if insertion else 0.5), others / scale


def _draws(tables: Sequence[dict[int, Fraction]]) -> tuple[np.ndarray, np.ndarray]:
    """Lengths and cumulated chances of each place, filled up."""
    width = max(map(len, tables))
    values = np.ones((len(tables), width), dtype=np.int64)
    chances = np.ones((len(tables), width))
    for i, table in enumerate(tables):
        keys, total = sorted(table), sum(table.values())
        values[i, : len(keys)] = keys
        chances[i, : len(keys)] = np.cumsum([float(table[k] / total) for k in keys])
        chances[i, len(keys) - 1 :] = 1.0
    return values, chances


def brute_rings(member: Any) -> list[list[int]]:
    """All simplex rings as lists of nodes: from the table of a sparse multiring, or by walking."""
    if hasattr(member, "table"):
        rows = member.table().tolist()
        return [ring for row in rows for ring in (row, row[::-1])]
    out = []
    for s in member.rings:
        left = set(range(member.n))
        while left:
            ring = [min(left)]
            while (ring[-1] + s) % member.n != ring[0]:
                ring.append((ring[-1] + s) % member.n)
            left -= set(ring)
            out.append(ring)
    return out


def _nothing(tail: int, head: int, ring: int) -> bool:
    """No arc is dead."""
    return False


def brute_ways(
    rings: Sequence[Sequence[int]], dead: Callable[[int, int, int], bool] = _nothing
) -> tuple[dict[tuple[int, int], list[list[int]]], int]:
    """Every way along every ring, arc by arc, by its ends, and the number of arcs.

    Args:
        dead: Is an arc (tail, head, ring) dead? It ends a way.
    """
    routes: dict[tuple[int, int], list[list[int]]] = {}
    first = 0
    for i, ring in enumerate(rings):
        size = len(ring)
        for p in range(size):
            arcs: list[int] = []
            for k in range(size - 1):
                tail, head = ring[(p + k) % size], ring[(p + k + 1) % size]
                if dead(tail, head, i):
                    break
                arcs.append(first + (p + k) % size)
                routes.setdefault((ring[p], head), []).append(list(arcs))
        first += size
    return routes, first
