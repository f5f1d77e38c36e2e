"""Optimal oblivious routing: the fixed split over paths that does most for its worst permutation.

Every pair of switches splits its traffic over paths once and for all, whatever the others send.
What a permutation then puts on a channel is an assignment problem (Towles and Dally, 2002); its
dual, put into the program that chooses the splits, makes one linear program of both (Towles, Dally
and Boyd, 2003). By convexity some best split keeps every symmetry of the machine, so there is one
variable for each orbit of (source, destination, channel) and one row for each of these orbits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.measured import Measured
from hopscape.metrics.throughput import SwitchGraph

__all__ = ["MOST_ORBITS", "ObliviousRouting", "WeightedPath", "optimal_oblivious"]

_TRIPLES = 6_000_000
"""Sources times destinations times channels that orbits are looked for among."""
MOST_ORBITS = 30_000
"""Orbits up to which the program is solved (13,000 took 12 s of a processor)."""
_TINY = 1e-7
_MET = 0.01
"""Share by which what was proved of the split may miss the optimum of the program."""


@dataclass(frozen=True)
class WeightedPath:
    """A path from switch to switch, and the share of their traffic that takes it."""

    nodes: tuple[int, ...]
    weight: float


@dataclass(frozen=True)
class ObliviousRouting:
    """A fixed split of the traffic of every pair of switches over channels.

    Attributes:
        graph: The machine; parallel channels count as one of their speed together.
        tails, heads, speeds: Channels between switches, each pair once.
        sources (int64[...]): Switches with endpoints.
        orbit (int32[sources, sources, channels]): The variable of each.
        flow (float64[orbits]): Share of a pair's traffic on a channel, by orbit.
        share: Of the line rate, under its worst permutation.
    """

    graph: SwitchGraph
    tails: IntArray
    heads: IntArray
    speeds: Floats
    sources: IntArray
    orbit: IntArray
    flow: Floats
    share: Measured[float]

    def flows(self, source: int, target: int) -> Floats:
        """Shares of the traffic between two switches (by their place in `sources`) by channel."""
        shares: Floats = self.flow[self.orbit[source, target]]
        return shares

    @cached_property
    def uniform(self) -> float:
        """Share of the line rate under uniform traffic."""
        ends = self.graph.ends[self.sources].astype(float)
        pairs = ends[:, None] * ends[None, :]
        np.fill_diagonal(pairs, 0.0)
        loads = np.tensordot(pairs, self.flow[self.orbit], axes=2) * self.graph.lines
        load = float((loads / self.speeds).max(initial=0.0)) / max(1, self.graph.endpoints - 1)
        return min(1.0, 1 / load) if load > 1e-12 else 1.0

    def paths(self, source: int, target: int) -> list[WeightedPath]:
        """The split between two switches as paths, the heaviest first; weights add up to 1."""
        left = self.flows(source, target).copy()
        start, goal = int(self.sources[source]), int(self.sources[target])
        out: list[WeightedPath] = []
        while (path := self._widest(left, start, goal)) is not None:
            weight = float(left[path].min())
            left[path] -= weight
            nodes = (start, *self.heads[path].tolist())
            out.append(WeightedPath(nodes, weight))
        total = sum(one.weight for one in out)
        if not out:
            raise ArgumentError(f"no traffic flows from switch {start} to switch {goal}")
        return [WeightedPath(one.nodes, one.weight / total) for one in out]

    def _widest(self, left: Floats, start: int, goal: int) -> IntArray | None:
        """A path of few channels that all carry something, found by breadth-first search."""
        came: dict[int, int] = {}
        queue, seen = [start], {start}
        for node in queue:
            if node == goal:
                break
            out = self._leaving[node]
            for channel in out[np.argsort(-left[out], kind="stable")].tolist():
                head = int(self.heads[channel])
                if left[channel] > 10 * _TINY and head not in seen:
                    seen.add(head)
                    came[head] = channel
                    queue.append(head)
        if goal not in came:
            return None
        path: list[int] = []
        while goal != start:
            path.append(came[goal])
            goal = int(self.tails[came[goal]])
        return np.asarray(path[::-1], dtype=np.int64)

    @cached_property
    def _leaving(self) -> list[IntArray]:
        return [np.flatnonzero(self.tails == node) for node in range(self.graph.order)]


def optimal_oblivious(graph: SwitchGraph, most: int = MOST_ORBITS) -> ObliviousRouting:
    """The split over paths with the largest share under its worst permutation.

    The share is proved by an assignment over one channel of each orbit; the program's optimum
    bounds it from above.

    Args:
        most: Orbits up to which the program is solved.

    Raises:
        TooLargeError: For machines with too many orbits.

    Examples:
        >>> import hopscape
        >>> from hopscape.metrics.throughput import switch_graph
        >>> found = optimal_oblivious(switch_graph(hopscape.build("concentrated(complete(5), 4)")))
        >>> round(found.share.value, 4), round(found.uniform, 4)
        (0.625, 0.7422)
        >>> [(one.nodes, round(one.weight, 4)) for one in found.paths(0, 1)[:1]]
        [((0, 1), 0.4)]
    """
    if not len(graph.heads) or np.count_nonzero(graph.ends) < 2:
        raise ArgumentError(f"{graph.name} has one switch with endpoints: there is no split")
    shape = _Shape(graph, most)
    flow, load = shape.solve()
    routing = ObliviousRouting(
        graph, shape.tails, shape.heads, shape.speeds, shape.sources, shape.orbit, flow,
        Measured(1.0, "exact"),
    )  # fmt: skip
    reached = shape.worst_load(flow)
    low, high = (min(1.0, 1 / x) if x > 1e-12 else 1.0 for x in (reached, load))
    note = f"linear program over {len(flow)} orbits"
    share = Measured(low, "exact", note)
    if low < high * (1 - 1e-6):
        share = Measured(low, "bound", note, low=low, high=high)
    if low < high * (1 - _MET):
        raise ArgumentError(
            f"the split found for {graph.name} reaches {low:g}, not the {high:g} of the program"
        )
    object.__setattr__(routing, "share", share)
    return routing


class _Shape:
    """Orbits of a machine's pairs and channels, and the program over them."""

    def __init__(self, graph: SwitchGraph, most: int = MOST_ORBITS) -> None:
        self.graph = graph
        keys, where = np.unique(graph.tails * graph.order + graph.heads, return_inverse=True)
        self.speeds: Floats = np.bincount(where.ravel(), graph.speeds).astype(float)
        self.tails, self.heads = np.divmod(keys, graph.order)
        self.sources = np.flatnonzero(graph.ends)
        count, channels = len(self.sources), len(keys)
        if count**2 * channels > _TRIPLES:
            raise TooLargeError(
                f"{graph.name} has {count**2 * channels:,} triples of source, destination and"
                f" channel; splits are optimised up to {_TRIPLES:,}"
            )
        number = np.full(graph.order, -1)
        number[self.sources] = np.arange(count)
        moves = graph.symmetries() or ()
        sides = [number[g[self.sources]] for g in moves]
        over = [np.searchsorted(keys, g[self.tails] * graph.order + g[self.heads]) for g in moves]
        self.orbit = _orbits((count, count, channels), list(zip(sides, sides, over, strict=True)))
        self.at = _orbits((channels, count), list(zip(over, sides, strict=True)))
        self.channel = _orbits((channels,), [(move,) for move in over])
        self.pair = _orbits((count, count), list(zip(sides, sides, strict=True)))
        if (orbits := int(self.orbit.max(initial=-1)) + 1) > most:
            raise TooLargeError(
                f"{graph.name} has {orbits:,} orbits of source, destination and channel; splits"
                f" are optimised up to {most:,}"
            )

    def solve(self) -> tuple[Floats, float]:
        """Flow of each orbit, and the least load of the busiest channel at full line rate."""
        from scipy.optimize import linprog
        from scipy.sparse import coo_array, vstack

        flows, marks = int(self.orbit.max()) + 1, int(self.at.max()) + 1
        columns = flows + 2 * marks + 1  # flows, potentials of sources and destinations, load
        equal, sent = self._conservation(columns)
        first = np.unique(self.orbit.ravel(), return_index=True)[1]
        i, j, c = np.unravel_index(first, self.orbit.shape)
        rows = np.arange(flows)
        below = coo_array(
            (
                np.repeat([1.0, -1.0, -1.0], flows),
                (
                    np.tile(rows, 3),
                    np.concatenate([rows, flows + self.at[c, i], flows + marks + self.at[c, j]]),
                ),
            ),
            shape=(flows, columns),
        )
        chosen = np.unique(self.channel, return_index=True)[1]
        ends = self.graph.ends[self.sources] * float(self.graph.lines)
        count = len(ends)
        at = self.at[chosen].ravel()
        which = np.repeat(np.arange(len(chosen)), count)
        loads = coo_array(
            (
                np.concatenate([np.tile(np.tile(ends, len(chosen)), 2), -self.speeds[chosen]]),
                (
                    np.concatenate([which, which, np.arange(len(chosen))]),
                    np.concatenate(
                        [flows + at, flows + marks + at, np.full(len(chosen), columns - 1)]
                    ),
                ),
            ),
            shape=(len(chosen), columns),
        )
        cost = np.zeros(columns)
        cost[-1] = 1.0
        cost[:flows] = 1e-6 / max(1, flows)  # of equal splits the one of short paths
        solution: Any = linprog(  # type: ignore[call-overload]
            cost,
            A_ub=vstack([below, loads], format="csr"),
            b_ub=np.zeros(flows + len(chosen)),
            A_eq=equal,
            b_eq=sent,
            method="highs",
        )
        if not solution.success:
            raise ArgumentError(f"no split of {self.graph.name} was found: {solution.message}")
        flow = np.maximum(0.0, solution.x[:flows])
        flow[flow < _TINY] = 0.0
        return flow, float(solution.x[-1])

    def _conservation(self, columns: int) -> tuple[Any, Floats]:
        """What arrives at a switch leaves it, for one pair of each orbit."""
        from scipy.sparse import coo_array

        order, count = self.graph.order, len(self.sources)
        first = np.unique(self.pair.ravel(), return_index=True)[1]
        i, j = np.divmod(first, count)
        i, j = i[i != j], j[i != j]
        variables = self.orbit[i, j]  # [pairs, channels]
        base = (np.arange(len(i)) * order)[:, None]
        ones = np.ones(variables.size)
        equal = coo_array(
            (
                np.concatenate([ones, -ones]),
                (
                    np.concatenate([(base + self.tails).ravel(), (base + self.heads).ravel()]),
                    np.tile(variables.ravel(), 2),
                ),
            ),
            shape=(len(i) * order, columns),
        ).tocsr()
        sent = np.zeros(len(i) * order)
        sent[base.ravel() + self.sources[i]] = 1.0
        sent[base.ravel() + self.sources[j]] = -1.0
        return equal, sent

    def worst_load(self, flow: Floats) -> float:
        """Most that a permutation of endpoints puts on a channel at full line rate."""
        from scipy.optimize import linear_sum_assignment

        ends = self.graph.ends[self.sources]
        even = bool(np.ptp(ends) == 0)
        worst = 0.0
        for c in np.unique(self.channel, return_index=True)[1].tolist():
            shares = flow[self.orbit[:, :, c]]
            np.fill_diagonal(shares, 0.0)
            if not even:
                shares = np.repeat(np.repeat(shares, ends, axis=0), ends, axis=1)
            rows, columns = linear_sum_assignment(shares, maximize=True)
            met = float(shares[rows, columns].sum()) * (int(ends[0]) if even else 1)
            worst = max(worst, met * self.graph.lines / float(self.speeds[c]))
        return worst


def _orbits(shape: tuple[int, ...], moves: list[tuple[IntArray, ...]]) -> IntArray:
    """A number for each place of an array: those that moves of its axes map to each other."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    size = int(np.prod(shape))
    places = np.arange(size).reshape(shape)
    if not moves:
        return places
    images = [places[np.ix_(*move)].ravel() for move in moves]
    count = len(images)
    indptr = np.arange(0, size * count + 1, count)
    graph = csr_array(
        (np.ones(size * count, dtype=np.int8), np.stack(images, axis=1).ravel(), indptr),
        shape=(size, size),
    )
    labels: IntArray = connected_components(graph, directed=False)[1].reshape(shape)
    return labels
