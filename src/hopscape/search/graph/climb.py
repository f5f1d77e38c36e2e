"""One search: a lift is started, improved by local moves, and handed back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from hopscape.core.annealing import pieces
from hopscape.core.arrays import IntArray
from hopscape.core.processes import require_memory
from hopscape.metrics.cost import moore_mean_distance
from hopscape.search.graph.lifts import LiftShape, Solution, elements

__all__ = ["Climb", "keeps_rows"]

_HUGE = 1 << 60
_PIECE = 20_000_000  # channels looked at between two chances to interrupt: a fraction of a second
_BEYOND = 16  # what a pair farther apart than the aim costs for each hop, in hops
_SAMPLE, _REST = 24, 8  # tabu search: moves of which the best is taken, moves that a dart rests for
_FEW_SOURCES = 3  # up to so many searches one by one are quicker than a bit for each source
_MOST_ROW, _MOST_ROWS = 1024, 4096  # nodes, and sources times nodes, for rows of bits: cache-sized


class Climb:
    """A lift in the memory of the kernels.

    Args:
        seed: Random seed.
        start: Of the same shape; random when left out.
        aim: Pairs farther apart than this cost more.
        weights (int64[n], optional): Terminals of each node, of at most two values besides 0; only
            with the trivial group.
        limits (pair of int16[limits, n, n] and a sequence of int, optional): What each link counts,
            and what all together may count; only with the trivial group.

    Examples:
        >>> climb = Climb(LiftShape("cyclic(5)", 2, 0, 3), seed=1)
        >>> climb.anneal(2000, 20.0, 2.0)
        >>> climb.diameter, climb.total  # the Petersen graph
        (2, 150)
    """

    def __init__(
        self,
        shape: LiftShape,
        seed: int,
        start: Solution | None = None,
        *,
        aim: int | None = None,
        weights: IntArray | None = None,
        limits: tuple[IntArray, list[int]] | None = None,
    ) -> None:
        from hopscape.search.graph.anneal_kernels import Memory
        from hopscape.search.graph.measure_kernels import Room
        from hopscape.search.graph.move_kernels import wire

        self.shape = shape
        self.task = _task(shape, weights, aim)
        n = shape.order
        require_memory(16 * n * len(self.task.lanes), f"the distances of {n} nodes")
        known = () if start is None else {g for g in start.volt if g >= 0}
        self.lift, self.chosen = _lift(shape, seed, known, self.task)
        prices = limits[0] if limits else np.zeros((0, 1, 1), np.int16)
        most = [2 * limit for limit in limits[1]] if limits else []
        self.memory = Memory(
            np.asarray([(seed * 0x9E3779B9 + 12345) % 2**64], dtype=np.uint64),
            Room.of(n, self.task.lanes),
            np.asarray([0, 0, _HUGE, _HUGE], dtype=np.int64),
            self.lift.mate.copy(),
            self.lift.volt.copy(),
            prices,
            np.asarray(most, dtype=np.int64),
            np.zeros(len(most), dtype=np.int64),
        )
        self._begin(seed, start)
        wire(self.lift)
        self._book()

    def _begin(self, seed: int, start: Solution | None) -> None:
        from hopscape.search.graph.move_kernels import scatter

        lift = self.lift
        if start is None:
            order = np.random.default_rng(seed).permutation(self.shape.darts)
            scatter(lift, self.memory.state, self._pairs(order))
            return
        lift.mate[:] = start.mate
        known = np.asarray(start.volt)
        lift.volt[:] = np.where(known < 0, -1, np.searchsorted(self.chosen, known))

    def _pairs(self, order: IntArray) -> IntArray:
        """Darts in an order in which neighbours are paired: fixed nodes first, sides in turn."""
        owner = self.lift.owner[order]
        fans, others = order[owner >= self.shape.base], order[owner < self.shape.base]
        if self.shape.bipartite:
            sides = self.lift.side[owner]
            left, right = order[sides == 1], order[sides == 2]
            both = min(len(left), len(right))
            mixed = np.stack([left[:both], right[:both]], axis=1).ravel()
            return np.concatenate([mixed, left[both:], right[both:]])
        spread = np.stack([fans, others[: len(fans)]], axis=1).ravel()
        return np.concatenate([spread, others[len(fans) :]])

    def _book(self) -> None:
        """Measure the lift as it is, and what its links count."""
        from hopscape.search.graph.anneal_kernels import excess
        from hopscape.search.graph.measure_kernels import measure

        lift, memory = self.lift, self.memory
        wired = lift.volt >= 0
        if memory.most.size:
            ends = lift.owner[wired], lift.owner[lift.mate[wired]]
            memory.spent[:] = memory.prices[:, ends[0], ends[1]].sum(axis=1, dtype=np.int64)
        cost, depth, total = measure(lift, self.task, _HUGE, memory.room)
        over = excess(memory)
        memory.score[:2] = cost, over
        if over == 0 and (depth, total) < (memory.score[2], memory.score[3]):
            memory.score[2:] = depth, total
            memory.best_mate[:], memory.best_volt[:] = lift.mate, lift.volt

    def anneal(self, steps: int, hot: float, cold: float) -> None:
        """Simulated annealing between two temperatures, in pieces that can be interrupted."""
        from hopscape.search.graph.anneal_kernels import anneal

        for piece in pieces(steps, self.piece, hot, cold):
            anneal(self.lift, self.task, self.memory, *piece)

    def tabu(self, steps: int) -> None:
        """Tabu search, in pieces that can be interrupted."""
        from hopscape.search.graph.anneal_kernels import tabu

        for piece, _, _ in pieces(steps, self.piece, 1.0, 1.0):
            tabu(self.lift, self.task, self.memory, piece, _SAMPLE, _REST)

    @property
    def piece(self) -> int:
        """Steps between which the search can be interrupted."""
        return max(_PIECE // (self.shape.order * max(self.shape.degree, 1)), 1)

    @property
    def within_limits(self) -> bool:
        """Has a graph been found that keeps all limits?"""
        return int(self.memory.score[2]) < _HUGE

    @property
    def diameter(self) -> int:
        """Of the best so far; the number of nodes when it is not connected."""
        return int(self.memory.score[2])

    @property
    def total(self) -> int:
        """Sum of the (weighted) distances over ordered pairs, of the best so far."""
        return int(self.memory.score[3])

    @property
    def best(self) -> Solution:
        """The best so far."""
        volt = self.memory.best_volt
        known = np.where(volt < 0, -1, self.chosen[volt])
        mate = self.memory.best_mate
        return Solution(self.shape, tuple(mate.tolist()), tuple(known.tolist()))


def _lift(shape: LiftShape, seed: int, known: Iterable[int], task: Any) -> tuple[Any, IntArray]:
    """Room for a lift without links, and the group elements that its voltages are numbers of."""
    from hopscape.core.vector_kernels import new_rows
    from hopscape.search.graph.measure_kernels import ROWS
    from hopscape.search.graph.move_kernels import Lift

    chosen, right, inverse, own = elements(shape.group, seed >> 8, known)  # for all tries of a task
    vertices = shape.base + shape.fixed
    side = np.zeros(vertices, np.int8)
    if shape.bipartite:
        side[:] = 1 + np.arange(vertices) % 2
    nodes = np.arange(shape.order, dtype=np.int32)
    near = np.repeat(nodes[None], max(shape.degree, 1), axis=0)
    rows = new_rows(shape.order if task.kernel == ROWS else 0, task.lanes)
    first = shape.base * shape.fold
    used = [shape.spokes * shape.fold] * shape.fixed
    for a, b in shape.inner():
        for u, v in ((a, b), (b, a)):
            near[used[u], first + u] = first + v
            used[u] += 1
    mate = np.arange(shape.darts, dtype=np.int32)
    volt = np.full(shape.darts, -1, dtype=np.int32)
    lift = Lift(
        shape.fold, shape.base, right, inverse, own, shape.owner, shape.column, side, mate, volt,
        near, rows,
    )  # fmt: skip
    return lift, chosen


def _task(shape: LiftShape, weights: IntArray | None, aim: int | None) -> Any:
    from hopscape.search.graph.measure_kernels import ROWS, DistanceTask

    n = shape.order
    nodes = np.ones(n, np.int64) if weights is None else np.asarray(weights, dtype=np.int64)
    sources = np.concatenate(
        [np.arange(shape.base) * shape.fold, np.arange(n - shape.fixed, n)]
    ).astype(np.int64)
    each = np.where(sources < n - shape.fixed, shape.fold, 1) * nodes[sources]
    sources, each = sources[each > 0], each[each > 0]
    kernel = _kernel(len(sources), n, weights is None)
    words = 1
    while words < 16 and 64 * words < (n if kernel == ROWS else len(sources)):
        words *= 2
    low = int(each.min(initial=int(each.max(initial=1))))
    extra = int(each.max(initial=1)) - low
    marked = np.zeros(-(-max(len(sources), 1) // (64 * words)) * words, np.uint64)
    for i in np.flatnonzero(each > low):
        marked[i // 64] |= np.uint64(1) << np.uint64(i % 64)
    mean = moore_mean_distance(n, shape.degree) if weights is None and n > 1 else None
    one = 0 if mean is None else int(mean * (n - 1))
    least = np.concatenate([[0], np.cumsum(one * each[::-1])]).astype(np.int64)
    far = n if aim is None else aim
    return DistanceTask(
        sources, each, marked, low, extra, nodes, int(nodes.sum()), weights is None, kernel,
        (0,) * words, far, _BEYOND, least,
    )  # fmt: skip


def keeps_rows(sources: int, nodes: int) -> bool:
    """Is a graph small enough to be graded by a row of bits for every node?"""
    return sources > 1 and sources * nodes <= _MOST_ROWS and nodes <= _MOST_ROW


def _kernel(sources: int, nodes: int, alike: bool) -> int:
    """The quickest kernel: rows for some sources in small graphs, bits for many sources."""
    from hopscape.search.graph.measure_kernels import BITS, ROWS, SEARCH

    if alike and keeps_rows(sources, nodes):
        return ROWS
    return SEARCH if sources <= _FEW_SOURCES else BITS
