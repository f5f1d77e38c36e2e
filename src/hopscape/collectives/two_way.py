"""An all-reduce that goes up and down at once: packed spanning trees of links, not of channels.

A chunk is added up along a spanning tree and the sum goes back down the same tree, so that each of
its links carries the chunk once either way. As many trees as links can be shared out to (Nash-
Williams 1961, in fractions) let more chunks through than a reduce-scatter and an all-gather one
after the other, wherever nodes differ in links. To find them, every link is split into a part for
each direction such that all nodes are as far from the root as any cut allows (a linear program);
the trees are then packed as those of a broadcast (Edmonds 1973). In a period of some rounds every
tree takes one chunk; its ups and downs have rounds of their own on every channel.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Any

import numpy as np

from hopscape.collectives.checked import verified
from hopscape.collectives.forest import Arcs, bottleneck, pack_rooted
from hopscape.collectives.forest_schedules import two_digits
from hopscape.core.arrays import Floats, IntArray
from hopscape.core.distances import distance_rows
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.family import Collective
from hopscape.core.goal import Goal
from hopscape.core.model import Model, Served
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.schedule import Schedule

__all__ = ["TWO_WAY", "TwoWayTrees", "two_way_schedule", "two_way_trees"]

_VARIABLES = 24_000
"""Nodes times channels up to which the links are split: some seconds of linear programming."""
_SECOND = 5_000
"""Nodes times channels that take about a second (mesh(8, 8), 14,336: four)."""
_PERIOD, _TREES = 24, 64
"""Rounds of a period, and trees, at most: fractions beyond are rounded down."""
_WORTH = 1.02
"""Times as many chunks as a reduce-scatter and an all-gather let through, at least."""
_TRANSFERS = 400_000
_PASSES = 60


@dataclass(frozen=True)
class TwoWayTrees:
    """Trees of one period, with the round of every hop.

    Attributes:
        period: Rounds after which the same trees take the next chunks.
        up, down (int64[trees, nodes - 1]): The channels to the root and from it.
        rises, falls (int64[trees, nodes - 1]): Their rounds for the first chunks, from 0.
    """

    period: int
    up: IntArray
    down: IntArray
    rises: IntArray
    falls: IntArray

    @property
    def trees(self) -> int:
        """How many trees."""
        return len(self.up)


def two_way_trees(network: Network) -> TwoWayTrees:
    """The trees of a network and their rounds.

    Examples:
        >>> import hopscape
        >>> made = two_way_trees(hopscape.build("mesh(3, 4)"))
        >>> made.trees, made.period  # 17 links over 11: at most 1.545 chunks a round
        (17, 11)
    """
    return _two_way_trees(network, network.endpoints.tobytes())


@lru_cache(maxsize=8)
def _two_way_trees(network: Network, ends_as_bytes: bytes) -> TwoWayTrees:
    _check(network)
    reach = distance_rows(network, np.arange(network.order)).max(axis=1)
    root = int(reach.argmin())
    shares = _shares(network, root)
    room, period, trees = _whole_shares(network, root, shares)
    return _timed(network, root, room, period, trees)


def _check(network: Network) -> None:
    """Refuse networks that it is not for, or where it gains nothing."""
    if network.has_switches or not network.duplex or (network.tails == network.heads).any():
        raise ArgumentError("sums go up and down the links of networks without switches and loops")
    if network.order < 3:
        raise ArgumentError("two nodes exchange their sums at once")
    if network.order * len(network.heads) > _VARIABLES:
        raise TooLargeError(
            f"splitting the links of {network.spec} is for at most {_VARIABLES:,} nodes times"
            " channels"
        )
    room = network.room()
    links = float(room.sum()) / 2 / (network.order - 1)
    least = float(np.bincount(network.tails, room, network.order).min())
    plain = network.order / (2 * float(bottleneck(network).rounds))
    if min(links, least) < _WORTH * plain:
        raise ArgumentError(
            f"on {network.spec} a reduce-scatter and an all-gather let as many chunks through"
        )


def _shares(network: Network, root: int) -> Floats:
    """The part of its link that each channel gets, so that most flows from the root anywhere."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array, csr_array, eye_array, hstack, kron, vstack

    nodes, channels = network.order, len(network.heads)
    span = np.arange(channels)
    signs = np.concatenate([np.ones(channels), -np.ones(channels)])
    at = np.concatenate([network.heads, network.tails])
    one = coo_array((signs, (at, np.concatenate([span, span]))), shape=(nodes, channels)).tocsr()
    others = np.setdiff1d(np.arange(nodes), [root])
    sinks = len(others)
    flows: Any = kron(eye_array(sinks), one[others])
    comes = csr_array(-np.eye(sinks).reshape(-1, 1))
    equal: Any = hstack([flows, csr_array((sinks * sinks, channels)), comes])
    within: Any = hstack(
        [
            eye_array(sinks * channels),
            -vstack([eye_array(channels)] * sinks),
            csr_array((sinks * channels, 1)),
        ]
    )
    first = span[span < network.reverse]
    pairs = coo_array(
        (np.ones(2 * len(first)), (np.tile(span[: len(first)], 2),
                                   np.concatenate([first, network.reverse[first]]))),
        shape=(len(first), channels),
    )  # fmt: skip
    shared: Any = hstack(
        [csr_array((len(first), sinks * channels)), pairs, csr_array((len(first), 1))]
    )
    limits: Any = vstack([within, shared])
    price = np.zeros(sinks * channels + channels + 1)
    price[-1] = -1.0
    solution: Any = linprog(
        price,
        A_ub=limits,
        b_ub=np.concatenate([np.zeros(sinks * channels), network.room()[first].astype(float)]),
        A_eq=equal,
        b_eq=np.zeros(sinks * sinks),
        method="highs-ds",
    )
    if solution.status != 0:
        raise ArgumentError(f"the links of {network.spec} could not be split")
    return np.asarray(solution.x[-1 - channels : -1])


def _whole_shares(network: Network, root: int, shares: Floats) -> tuple[IntArray, int, int]:
    """Whole numbers for a period, the period, and how many trees they have room for: the best."""
    from hopscape.metrics.flow_kernels import least_flow_to

    others = np.setdiff1d(np.arange(network.order), [root])
    best: tuple[float, IntArray, int, int] | None = None
    for period in range(1, _PERIOD + 1):
        most = period * network.room()
        room = np.rint(period * shares).astype(np.int64)
        over = (room + room[network.reverse] > most) & (np.arange(len(room)) < network.reverse)
        room[over] -= 1
        graph = Arcs(network.order, network.tails, network.heads, room)
        trees = int(least_flow_to(*graph.csr(), root, others, _TREES, 0))
        if trees and (best is None or trees / period > best[0] * (1 + 1e-9)):
            best = trees / period, room, period, trees
    if best is None:
        raise ArgumentError(f"no trees of {network.spec} fit into {_PERIOD} rounds")
    return best[1:]


def _timed(network: Network, root: int, room: IntArray, period: int, trees: int) -> TwoWayTrees:
    """Shallow trees in this room, and rounds for their hops, as early as channels are free."""
    from hopscape.collectives.forest_kernels import shorten_trees

    graph = Arcs(
        network.order, network.tails.astype(np.int64), network.heads.astype(np.int64), room
    )
    bundle = pack_rooted(graph, root, trees, network.spec)
    arc = np.repeat(bundle.arc, bundle.copies, axis=0)
    free = room - np.bincount(arc[arc >= 0], minlength=len(room))
    by_head = np.argsort(graph.heads, kind="stable")
    first = np.concatenate([[0], np.cumsum(np.bincount(graph.heads, minlength=graph.nodes))])
    roots = np.full(len(arc), root, dtype=np.int64)
    depth = shorten_trees(graph.tails, first, by_head, arc, free, roots, _PASSES)
    others = np.setdiff1d(np.arange(network.order), [root])
    parent = np.full(arc.shape, -1, dtype=np.int64)
    parent[:, others] = network.tails[arc[:, others]]
    slots = _Slots(network, period)
    rises = np.zeros(arc.shape, dtype=np.int64)
    ready = np.zeros(arc.shape, dtype=np.int64)
    deepest = np.argsort(-depth[:, others], axis=None, kind="stable").tolist()
    pairs = [(at // len(others), int(others[at % len(others)])) for at in deepest]
    for t, v in pairs:
        when = slots.take(int(network.reverse[arc[t, v]]), int(ready[t, v]))
        rises[t, v] = when
        up = parent[t, v]
        ready[t, up] = max(ready[t, up], when + 1)
    falls = np.zeros(arc.shape, dtype=np.int64)
    falls[:, root] = ready[:, root] - 1
    for t, v in reversed(pairs):
        falls[t, v] = slots.take(int(arc[t, v]), int(falls[t, parent[t, v]]) + 1)
    down = arc[:, others]
    up_channels = network.reverse[down].astype(np.int64)
    return TwoWayTrees(period, up_channels, down, rises[:, others], falls[:, others])


class _Slots:
    """What every channel still takes in each round of the period."""

    def __init__(self, network: Network, period: int) -> None:
        self.period, self.room = period, network.room().tolist()
        self.used: defaultdict[tuple[int, int], int] = defaultdict(int)

    def take(self, channel: int, ready: int) -> int:
        """The first round from this one on in which it takes one more."""
        for when in range(ready, ready + self.period):
            if self.used[channel, when % self.period] < self.room[channel]:
                self.used[channel, when % self.period] += 1
                return when
        raise AssertionError(f"channel {channel} is in more trees than it has rounds")


@verified
def two_way_schedule(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """Chunk c up and down tree c modulo their number, a period after the chunk before it.

    Examples:
        >>> import hopscape
        >>> made = two_way_schedule(hopscape.build("mesh(3, 4)"), Goal.all_reduce(340))
        >>> made.rounds, hopscape.verify(made).holds  # 340 · 11/17 = 220, and filling
        (231, True)
    """
    trees = two_way_trees(network)
    hops = trees.up.shape[1]
    require_memory(400 * goal.chunks * hops, f"{goal.chunks} chunks on {network.spec}")
    chunk = np.arange(goal.chunks)
    tree, later = chunk % trees.trees, (chunk // trees.trees * trees.period)[:, None]
    both = np.concatenate([trees.rises[tree] + later, trees.falls[tree] + later], axis=1)
    channels = np.concatenate([trees.up[tree], trees.down[tree]], axis=1)
    return Schedule.from_columns(
        network,
        model,
        goal,
        round=both.ravel(),
        channels=channels.ravel(),
        chunk=np.repeat(chunk, 2 * hops),
        name="two-way-forest",
    )


def _chunks(network: Network, goal: Goal, model: Model, size: float) -> list[int]:
    """Chunks for which time is least: long pipelines wait for many rounds, short ones fill slowly.

    With m periods, (m·p + f) rounds take α + δ + β·s/(m·trees) each.
    """
    try:
        trees = two_way_trees(network)
    except (ArgumentError, TooLargeError):  # the algorithm says why
        return []
    unit = float(network.capacities().max(initial=1.0)) / float(network.room().max(initial=1))
    fill = max(int(trees.falls.max()) + 1 - trees.period, 1)
    moved = model.beta * size * fill / (trees.trees * trees.period * unit)
    each = model.alpha + model.delta
    wanted = sqrt(moved / each) if each else size
    most = _TRANSFERS / (2 * trees.trees * (network.order - 1))
    return [trees.trees * two_digits(max(min(wanted, most, size / trees.trees), 1.0))]


def _cost(network: Network, goal: Goal, model: Model) -> float:
    """Steps of the linear program, measured up to 14,000 nodes times channels."""
    return 1e8 * (network.order * len(network.heads) / _SECOND) ** 1.5


TWO_WAY = Collective(
    "two-way-forest",
    "all-reduce",
    "sums up and results down packed spanning trees at once, each link shared by both ways",
    two_way_schedule,
    Served(ports=(None,), duplex=("full",), switching=("store-and-forward",)),
    chunks=_chunks,
    cost=_cost,
)
