"""One search: a lift is started, improved by local moves, and handed back."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.memory import require_memory
from hopscape.metrics.cost import moore_mean_distance
from hopscape.search.graph.lifts import Shape, Solution, elements

__all__ = ["Climb"]

_SAMPLES = 64
_HUGE = 1 << 60


class Climb:
    """A lift in the memory of the kernels.

    Parameters
    ----------
    shape : Shape
    seed : int
        Of all random choices.
    start : Solution, optional
        Of the same shape; random when left out.
    weights : int64[n], optional
        Terminals of each node, for graphs without a symmetry.
    aim : int, optional
        Pairs farther apart than this cost more.
    """

    def __init__(
        self,
        shape: Shape,
        seed: int,
        start: Solution | None = None,
        weights: IntArray | None = None,
        aim: int | None = None,
    ) -> None:
        from hopscape.core.vector_kernels import new_rows
        from hopscape.search.graph.move_kernels import Lift, scatter, wire

        self.shape = shape
        self.chosen, right, inverse, own = elements(shape.group, seed)
        n, vertices = shape.order, shape.base + shape.fixed
        side = np.zeros(vertices, np.int8)
        if shape.bipartite:
            side[:] = 1 + np.arange(vertices) % 2
        near = np.repeat(np.arange(n, dtype=np.int32)[:, None], max(shape.degree, 1), axis=1)
        mate = np.arange(shape.darts, dtype=np.int32)
        volt = np.full(shape.darts, -1, dtype=np.int32)
        self._wire_inner(near)
        self.lift = Lift(
            shape.fold, shape.base, right, inverse, own, shape.owner, shape.column, side, mate,
            volt, near,
        )  # fmt: skip
        self.state = np.asarray([seed * 0x9E3779B9 + 12345], dtype=np.uint64)
        self.task = self._task(weights, aim)
        self._now = new_rows(n, self.task.lanes)
        self._after = new_rows(n, self.task.lanes)
        if start is None:
            order = np.random.default_rng(seed).permutation(shape.darts)
            scatter(self.lift, self.state, self._pairs(order))
        else:
            mate[:] = start.mate
            known = np.asarray(start.volt)
            volt[:] = np.where(known < 0, -1, np.searchsorted(self.chosen, known))
        wire(self.lift)
        cost, depth, total = self._measure()
        self.score = np.asarray([cost, depth, total], dtype=np.int64)
        self._best = mate.copy(), volt.copy()

    def _wire_inner(self, near: IntArray) -> None:
        shape = self.shape
        first = shape.base * shape.fold
        used = np.full(shape.fixed, shape.spokes * shape.fold)
        for a, b in shape.inner():
            for u, v in ((a, b), (b, a)):
                near[first + u, used[u]] = first + v
                used[u] += 1

    def _pairs(self, order: IntArray) -> IntArray:
        """Darts in an order in which neighbours are paired: fixed nodes first, sides in turn."""
        owner, base = self.lift.owner[order], self.shape.base
        fans, others = order[owner >= base], order[owner < base]
        if self.shape.bipartite:
            sides = self.lift.side[self.lift.owner[order]]
            left, right = order[sides == 1], order[sides == 2]
            both = min(len(left), len(right))
            mixed = np.stack([left[:both], right[:both]], axis=1).ravel()
            return np.concatenate([mixed, left[both:], right[both:]])
        spread = np.stack([fans, others[: len(fans)]], axis=1).ravel()
        return np.concatenate([spread, others[len(fans) :]])

    def _task(self, weights: IntArray | None, aim: int | None) -> Any:
        from hopscape.search.graph.measure_kernels import Task

        shape, n = self.shape, self.shape.order
        nodes = np.ones(n, np.int64) if weights is None else np.asarray(weights, dtype=np.int64)
        sources = np.concatenate(
            [np.arange(shape.base) * shape.fold, np.arange(n - shape.fixed, n)]
        ).astype(np.int64)
        each = np.where(sources < n - shape.fixed, shape.fold, 1) * nodes[sources]
        sources, each = sources[each > 0], each[each > 0]
        words = 1
        while words < 16 and 64 * words < len(sources):
            words *= 2
        low = int(each.min(initial=1))
        extra = int(each.max(initial=1)) - low
        marked = np.zeros(-(-max(len(sources), 1) // (64 * words)) * words, np.uint64)
        for i in np.flatnonzero(each > low):
            marked[i // 64] |= np.uint64(1) << np.uint64(i % 64)
        mean = moore_mean_distance(n, shape.degree) if weights is None and n > 1 else None
        one = 0 if mean is None else int(mean * (n - 1))
        least = np.concatenate([[0], np.cumsum(one * each[::-1])]).astype(np.int64)
        require_memory(16 * n * words, f"the distances of {n} nodes")
        far = n if aim is None else aim
        return Task(sources, each, marked, low, extra, nodes, (0,) * words, far, 16, least)

    def _measure(self) -> tuple[int, int, int]:
        from hopscape.search.graph.measure_kernels import measure

        found: tuple[int, int, int] = measure(
            self.lift.near, self.task, _HUGE, self._now, self._after
        )
        return found

    @cached_property
    def heat(self) -> float:
        """How much a random move changes the cost: the median."""
        from hopscape.search.graph.move_kernels import propose, restore

        saved = np.empty((4, 3), np.int32)
        changes = []
        for _ in range(_SAMPLES):
            count = propose(self.lift, self.state, saved)
            if count:
                changes.append(abs(self._measure()[0] - int(self.score[0])))
                restore(self.lift, saved, count)
        changes = [change for change in changes if change]
        return float(np.median(changes)) if changes else 0.0

    def anneal(self, steps: int, hot: float, cold: float) -> None:
        """Simulated annealing between two temperatures."""
        from hopscape.search.graph.anneal_kernels import anneal

        anneal(
            self.lift, self.task, self.state, self._now, self._after, self.score,
            *self._best, steps, hot, cold,
        )  # fmt: skip

    def back_to_best(self) -> None:
        """Go on from the best."""
        from hopscape.search.graph.move_kernels import wire

        self.lift.mate[:], self.lift.volt[:] = self._best
        wire(self.lift)
        self.score[0] = self._measure()[0]

    @property
    def diameter(self) -> int:
        """Of the best so far."""
        return int(self.score[1])

    @property
    def total(self) -> int:
        """Sum of the distances over ordered pairs, of the best so far."""
        return int(self.score[2])

    @property
    def best(self) -> Solution:
        """The best so far."""
        mate, volt = self._best
        known = np.where(volt < 0, -1, self.chosen[volt])
        return Solution(self.shape, tuple(mate.tolist()), tuple(known.tolist()))


