"""The same numbers by walking: rings node by node, loads arc by arc, with nothing of the library.

A check takes its numbers from the library and from here; where the two disagree nothing is ruled.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from hopscape.ledger.claim import Correction, Outcome, Value, judge
from hopscape.papers.multiring.capacity import RouteSchedule, balanced_schedule, shortest_schedule
from hopscape.papers.multiring.families import Multiring, SparseMultiring
from hopscape.papers.multiring.sparse_capacity import sparse_capacity

__all__ = ["CrossCheck", "rings_of", "signed", "walk"]


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


class CrossCheck:
    """Numbers of the library, each computed again by walking.

    Attributes:
        wrong: Where the two disagreed, in words.
        values: Numbers on which they agreed; the outcome pins them.
    """

    def __init__(self) -> None:
        self.wrong: list[str] = []
        self.values: dict[str, Value] = {}

    def same(self, what: str, library: object, walked: object) -> None:
        """Record a disagreement, or the number (of single numbers only) that was agreed on."""
        if library != walked:
            self.wrong.append(f"{what}: the library says {library}, walking {walked}")
        elif isinstance(walked, int | Fraction):
            self.values[what] = walked

    def judge(
        self,
        exceptions: Sequence[str],
        measured: str,
        correction: Correction | None = None,
        **more: Any,
    ) -> Outcome:
        """What :func:`judge` says, when nothing disagreed."""
        return self.rule(judge(exceptions, measured, correction, **more))

    def rule(self, outcome: Outcome) -> Outcome:
        """The outcome with the numbers agreed on, or an open one when two disagreed."""
        if not self.wrong:
            return replace(outcome, values=self.values | dict(outcome.values))
        note = f"nothing can be ruled, two computations disagree: {self.wrong[0]}"
        return Outcome("open", outcome.measured, note)

    def shortest(
        self, n: int, steps: Sequence[int], weights: Sequence[Fraction] | None = None
    ) -> Fraction:
        """Capacity of the shortest schedule, whose shares are equal on the shortest rings."""
        found = shortest_schedule(Multiring(n, steps), weights)
        rows = [walk(n, s) for s in found.rings]
        for r in range(1, n):
            least = min(row[r] for row in rows if row[r])
            best = [row[r] == least for row in rows]
            want = [Fraction(int(good), sum(best)) for good in best]
            self.same(f"N = {n}: shares of route {r}", [row[r - 1] for row in found.shares], want)
        return self._audit(found, n, steps, weights)

    def balanced(
        self,
        n: int,
        steps: Sequence[int],
        copies: int = 1,
        weights: Sequence[Fraction] | None = None,
    ) -> Fraction:
        """Capacity of the balanced schedule, proved by its own shares and prices."""
        found = balanced_schedule(Multiring(n, steps, copies), weights)
        capacity = self._audit(found, n, steps, weights, copies)
        lengths = [walk(n, s) for s in rings_of(n, steps, copies)]
        flows = _flows(n, weights)
        prices = found.dual or ()
        self.same(f"N = {n}: sum of the prices", sum(prices), Fraction(1))
        bound = sum(
            w * min(p * row[r] for p, row in zip(prices, lengths) if row[r])
            for r, w in enumerate(flows, 1)
            if w
        )
        name = f"N = {n}, steps {steps}"
        self.same(f"{name}: capacity that the prices allow", n * sum(flows) / bound, capacity)
        return capacity

    def _audit(
        self,
        found: RouteSchedule,
        n: int,
        steps: Sequence[int],
        weights: Sequence[Fraction] | None,
        copies: int = 1,
    ) -> Fraction:
        """Shares that add up, and the load of every ring by walking its routes."""
        rings, flows = rings_of(n, steps, copies), _flows(n, weights)
        name = f"N = {n}, steps {steps}"
        self.same(f"{name}: rings", sorted(found.rings), sorted(rings))
        loads = []
        for s, shares in zip(found.rings, found.shares):
            row = walk(n, s)
            lost = [r for r, p in enumerate(shares, 1) if p and not row[r]]
            self.same(f"{name}: routes on ring {s} that it does not reach", lost, [])
            loads.append(sum((p * w * k for p, w, k in zip(shares, flows, row[1:])), Fraction(0)))
        sums = {sum(row[r] for row in found.shares) for r in range(n - 1)}
        self.same(f"{name}: sums of shares", sums, {Fraction(1)})
        capacity = Fraction(n * sum(flows)) / max(loads)
        self.same(f"{name}: capacity", found.capacity, capacity)
        self.same(f"{name}: loads", [str(x) for x in found.loads], [str(x) for x in loads])
        return capacity

    def sparse(self, m: int, k: int) -> Fraction:
        """Capacity of sparse rings in the printed order, best schedule."""
        member = SparseMultiring(m, k)
        table = sparse_table(m, k // m)
        self.same(f"m = {m}, K = {k}: who sits where", member.table().tolist(), table)
        capacity = walked_sparse_capacity(m, k // m)
        self.same(
            f"m = {m}, K = {k}: capacity", sparse_capacity(member).balanced.capacity, capacity
        )
        return capacity


def _flows(n: int, weights: Sequence[Fraction] | None) -> list[Fraction]:
    """How often routes 1..N-1 are taken, N - 1 in all."""
    if weights is None:
        return [Fraction(1)] * (n - 1)
    return [w * (n - 1) / sum(weights) for w in weights]


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
def walked_sparse_capacity(m: int, parts: int) -> Fraction:
    """Capacity by the arcs of all shortest paths, which load every arc alike.

    No schedule uses fewer arcs together than the shortest paths, so that the mean load of an arc
    bounds the largest from below; where all arcs carry the mean, nothing is better.
    """
    table = sparse_table(m, parts)
    nodes, size = len(table) * parts, len(table[0])
    ways: dict[tuple[int, int], list[tuple[int, int, int, int]]] = {}
    for i, ring in enumerate(table):
        for p, q in combinations(range(size), 2):
            for a, b, ahead in ((p, q, q - p), (q, p, p - q)):
                for side, length in ((1, ahead % size), (-1, -ahead % size)):
                    ways.setdefault((ring[a], ring[b]), []).append((length, i, side, a))
    if len(ways) != nodes * (nodes - 1):
        return Fraction(0)
    loads = np.zeros((len(table), 2, size), dtype=object)
    scale = math.lcm(*range(1, 2 * m + 1))
    for options in ways.values():
        least = min(options)[0]
        best = [option for option in options if option[0] == least]
        for length, i, side, a in best:
            places = [(a + side * k) % size for k in range(length)]
            loads[i, 0 if side == 1 else 1, places] += scale // len(best)
    if loads.min() != loads.max():
        return Fraction(0)
    return Fraction(nodes * (nodes - 1) * scale, int(loads.max()))


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
