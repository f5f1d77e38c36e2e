"""An all-reduce that goes up and down at once: packed spanning trees of links, not of channels.

A chunk is added up along a spanning tree and the sum goes back down the same tree, so that each of
its links carries the chunk once either way. As many trees as links can be shared out to (Nash-
Williams 1961, in fractions) let more chunks through than a reduce-scatter and an all-gather one
after the other, wherever nodes differ in links. To find them, every link is split into a part for
each direction such that from the roots, together, as much flows to every node as any cut allows (a
linear program); the trees are then packed as those of a broadcast (Edmonds 1973). Where adding up
costs time, links are split so that what channels carry and what nodes add up costs least together:
a node adds up as many chunks as it sends down.

In a period of some rounds every tree takes one chunk; its ups and downs have rounds of their own on
every channel. Packed messages take the chunks of a whole period in every round.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Any

import numpy as np

from hopscape.collectives.checked import verified
from hopscape.collectives.forest import Arcs, bottleneck, has_room, pack_rooted
from hopscape.collectives.forest_schedules import two_digits
from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.family import Collective
from hopscape.core.goal import Goal
from hopscape.core.model import Model, Served
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.progress import check_time
from hopscape.core.schedule import Schedule

__all__ = [
    "TWO_WAY",
    "TwoWayTrees",
    "cost_of_adding",
    "two_way_schedule",
    "two_way_trees",
    "unit_of_room",
]

_VARIABLES = 24_000
"""Nodes times channels and nodes up to which links are split: some seconds of programming."""
_SECOND = 5_000
"""The same that takes about a second."""
_PERIOD, _TREES = 48, 64
"""Rounds of a period, and trees, at most: fractions beyond are rounded down."""
_WORTH = 1.02
"""Times as many chunks as a reduce-scatter and an all-gather let through, at least."""
_TRANSFERS, _WAVES = 600_000, 200
"""Transfers at most, and periods that there should be room for among them."""
_PASSES = 60


@dataclass(frozen=True)
class TwoWayTrees:
    """Trees of one period, with the round of every hop.

    Attributes:
        period: Rounds after which the same trees take the next chunks.
        up, down (int64[trees, nodes - 1]): The channels to the root and from it.
        rises, falls (int64[trees, nodes - 1]): Their rounds for the first chunks, from 0.
        depth (int64[trees, nodes - 1]): Hops from the root to where they lead down.
    """

    period: int
    up: IntArray
    down: IntArray
    rises: IntArray
    falls: IntArray
    depth: IntArray

    @property
    def trees(self) -> int:
        """How many trees."""
        return len(self.up)

    def hop_rounds(self, packed: bool) -> tuple[int, IntArray, IntArray]:
        """Rounds from period to period, and those of the hops up and down for the first chunks."""
        if not packed:
            return self.period, self.rises, self.falls
        deepest = self.depth.max(axis=1, keepdims=True)
        return 1, deepest - self.depth, deepest + self.depth - 1


def two_way_trees(network: Network, adding: float = 0.0) -> TwoWayTrees:
    """The trees of a network and their rounds.

    Args:
        adding: What it costs to add up a chunk, in costs of carrying it on a channel of room 1.

    Examples:
        >>> import hopscape
        >>> made = two_way_trees(hopscape.build("mesh(3, 4)"))
        >>> made.trees, made.period  # 17 links over 11: at most 1.545 chunks a round
        (17, 11)
    """
    return _two_way_trees(network, adding, network.endpoints.tobytes())


@lru_cache(maxsize=8)
def _two_way_trees(network: Network, adding: float, ends_as_bytes: bytes) -> TwoWayTrees:
    _check(network, adding)
    down, roots = _shares(network, adding)
    return _timed(network, *_whole_shares(network, down, roots, adding))


def _check(network: Network, adding: float) -> None:
    """Refuse networks that it is not for, or where it gains nothing."""
    if network.has_switches or not network.duplex or (network.tails == network.heads).any():
        raise ArgumentError("sums go up and down the links of networks without switches and loops")
    if network.order < 3:
        raise ArgumentError("two nodes exchange their sums at once")
    if _variables(network) > _VARIABLES:
        raise TooLargeError(
            f"splitting the links of {network.spec} is for at most {_VARIABLES:,} nodes times"
            " channels and nodes"
        )
    room = network.room()
    links = float(room.sum()) / 2 / (network.order - 1)
    widths = np.bincount(network.tails, room, network.order)
    plain = network.order / (2 * float(bottleneck(network).rounds))
    alike = adding == 0 or widths.min() == widths.max()
    if alike and min(links, float(widths.min())) < _WORTH * plain:
        raise ArgumentError(
            f"on {network.spec} a reduce-scatter and an all-gather let as many chunks through"
        )


def _variables(network: Network) -> int:
    """Variables of the linear program, but a few."""
    return network.order * (len(network.heads) + network.order)


def _shares(network: Network, adding: float) -> tuple[Floats, Floats]:
    """The part of its link that each channel gets, and what begins at each node, in a round.

    From the roots one chunk flows to every node, within the parts, such that the busiest link and
    what leaves one node cost least; then all is scaled to what the busiest link carries.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array, csr_array, eye_array, hstack, kron, vstack

    nodes, channels = network.order, len(network.heads)
    span, width = np.arange(channels), len(network.heads) + network.order
    signs = np.concatenate([np.ones(channels), -np.ones(channels)])
    at = np.concatenate([network.heads, network.tails])
    one = coo_array((signs, (at, np.concatenate([span, span]))), shape=(nodes, channels))
    comes: Any = hstack([one, eye_array(nodes)])
    once = np.concatenate([np.zeros(channels), np.ones(nodes), np.zeros(2)])
    equal: Any = vstack(
        [
            hstack([kron(eye_array(nodes), comes), csr_array((nodes * nodes, width + 2))]),
            hstack([csr_array((1, nodes * width)), csr_array(once[None, :])]),
        ]
    )
    first = span[span < network.reverse]
    links, both = np.arange(len(first)), np.concatenate([first, network.reverse[first]])
    pairs = coo_array(
        (np.ones(2 * len(first)), (np.concatenate([links, links]), both)),
        shape=(len(first), width),
    )
    sends = coo_array((np.ones(channels), (network.tails, span)), shape=(nodes, width))
    room = csr_array(-network.room()[first].astype(float)[:, None])
    own = vstack(
        [
            hstack([pairs, room, csr_array((len(first), 1))]),
            hstack([sends, csr_array((nodes, 1)), csr_array(-np.ones((nodes, 1)))]),
        ]
    )
    within = hstack([eye_array(nodes * width), -vstack([eye_array(width)] * nodes)])
    limits: Any = vstack(
        [
            hstack([within, csr_array((nodes * width, 2))]),
            hstack([csr_array((own.shape[0], nodes * width)), own]),
        ]
    )
    price = np.zeros(nodes * width + width + 2)
    price[-2:] = 1.0, adding
    solution: Any = linprog(
        price,
        A_ub=limits,
        b_ub=np.zeros(limits.shape[0]),
        A_eq=equal,
        b_eq=np.concatenate([np.eye(nodes).ravel(), [1.0]]),
        method="highs-ds",
    )
    if solution.status != 0:
        raise ArgumentError(f"the links of {network.spec} could not be split")
    parts = np.asarray(solution.x[-2 - width : -2]) / float(solution.x[-2])
    return parts[:channels], parts[channels:]


def _whole_shares(
    network: Network, down: Floats, roots: Floats, adding: float
) -> tuple[int, IntArray, IntArray]:
    """Whole numbers for a period, and the period: the best.

    Returns:
        The rounds of a period, room of the channels, and trees with each node as root.
    """
    best: tuple[float, int, IntArray, IntArray] | None = None
    most = min(_TREES, max(_TREES // 8, _TRANSFERS // (2 * _WAVES * network.order)))
    for period in range(1, _PERIOD + 1):
        check_time(f"splitting the links of {network.spec}")
        room = np.rint(period * down).astype(np.int64)
        over = room + room[network.reverse] > period * network.room()
        room[over & (np.arange(len(room)) < network.reverse)] -= 1
        begun = np.rint(period * roots).astype(np.int64)
        if not 0 < int(begun.sum()) <= most:
            continue
        begun = _with_room(network, room, begun)
        sent = int(np.bincount(network.tails, room).max())
        price = (period + adding * sent) / max(int(begun.sum()), 1)
        if begun.any() and (best is None or price < best[0] * (1 - 1e-9)):
            best = price, period, room, begun
    if best is None:
        raise ArgumentError(f"no trees of {network.spec} fit into {_PERIOD} rounds")
    return best[1:]


def _with_room(network: Network, room: IntArray, begun: IntArray) -> IntArray:
    """As many trees of each root as find room, all together."""
    graph = Arcs(network.order, network.tails, network.heads, room)
    while begun.any() and not has_room(graph, begun):
        begun[int(begun.argmax())] -= 1
    return begun


def _packed(network: Network, room: IntArray, begun: IntArray) -> tuple[IntArray, IntArray]:
    """Shallow trees in this room: the channels down to each node, -1 at the root, and depths."""
    from hopscape.collectives.forest_kernels import shorten_trees

    nodes, roots = network.order, np.flatnonzero(begun)
    ends = network.tails.astype(np.int64), network.heads.astype(np.int64)
    graph = Arcs(nodes, *ends, room).with_top(roots)
    graph.capacity[-len(roots) :] = begun[roots]
    bundle = pack_rooted(graph, nodes, int(begun.sum()), network.spec)
    arc = np.repeat(bundle.arc, bundle.copies, axis=0)
    free = graph.capacity - np.bincount(arc[arc >= 0], minlength=len(graph.capacity))
    by_head = np.argsort(graph.heads, kind="stable")
    first = np.concatenate([[0], np.cumsum(np.bincount(graph.heads, minlength=graph.nodes))])
    tops = np.full(len(arc), nodes, dtype=np.int64)
    depth = shorten_trees(graph.tails, first, by_head, arc, free, tops, _PASSES)
    mine = np.where(arc[:, :nodes] < len(room), arc[:, :nodes], -1)
    return mine, depth[:, :nodes] - 1


def _timed(network: Network, period: int, room: IntArray, begun: IntArray) -> TwoWayTrees:
    """The trees in this room, and rounds for their hops, as early as channels are free."""
    arc, depth = _packed(network, room, begun)
    parent = np.where(arc >= 0, network.tails[arc], -1)
    root = (arc < 0).argmax(axis=1)
    slots = _Slots(network, period)
    rises, ready = np.zeros(arc.shape, dtype=np.int64), np.zeros(arc.shape, dtype=np.int64)
    order = np.argsort(-depth, axis=None, kind="stable").tolist()
    pairs = [(t, v) for t, v in (divmod(at, network.order) for at in order) if arc[t, v] >= 0]
    for t, v in pairs:
        when = slots.take(int(network.reverse[arc[t, v]]), int(ready[t, v]))
        rises[t, v] = when
        ready[t, parent[t, v]] = max(ready[t, parent[t, v]], when + 1)
    falls = np.zeros(arc.shape, dtype=np.int64)
    span = np.arange(len(arc))
    falls[span, root] = ready[span, root] - 1
    for t, v in reversed(pairs):
        falls[t, v] = slots.take(int(arc[t, v]), int(falls[t, parent[t, v]]) + 1)
    hung = arc >= 0
    rows = [x[hung].reshape(len(arc), -1) for x in (arc, rises, falls, depth)]
    return TwoWayTrees(period, network.reverse[rows[0]].astype(np.int64), *rows)


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
        (239, True)
    """
    trees = two_way_trees(network, cost_of_adding(network, model))
    hops = trees.up.shape[1]
    require_memory(400 * goal.chunks * hops, f"{goal.chunks} chunks on {network.spec}")
    every, rises, falls = trees.hop_rounds(model.packing == "packed")
    chunk = np.arange(goal.chunks)
    tree, later = chunk % trees.trees, (chunk // trees.trees * every)[:, None]
    both = np.concatenate([rises[tree] + later, falls[tree] + later], axis=1)
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


def cost_of_adding(network: Network, model: Model) -> float:
    """What it costs to add up a chunk, in costs of carrying it on a channel of room 1."""
    if not model.beta or model.packing != "packed":
        return 0.0
    return round(model.gamma * unit_of_room(network) / model.beta, 9)


def unit_of_room(network: Network) -> float:
    """The capacity that is room for one chunk."""
    return float(network.capacities().max(initial=1.0)) / float(network.room().max(initial=1))


def _chunks(network: Network, goal: Goal, model: Model, size: float) -> list[int]:
    """Chunks for which time is least: long pipelines wait for many rounds, short ones fill slowly.

    With m periods, (m·p + f) rounds take α + δ + β·s/(m·trees) each.
    """
    adding = cost_of_adding(network, model)
    try:
        trees = two_way_trees(network, adding)
    except (ArgumentError, TooLargeError):  # the algorithm says why
        return []
    every, _, falls = trees.hop_rounds(model.packing == "packed")
    fill = max(int(falls.max()) + 1 - every, 1)
    busy = trees.period / every
    added = np.bincount(network.tails[trees.down.ravel()]).max() if adding else 0
    moved = (model.beta / unit_of_room(network) * busy + model.gamma * added) * size / trees.trees
    each = (model.alpha + model.delta) * every
    wanted = sqrt(moved * fill / each) if each else size
    most = _TRANSFERS / (2 * trees.trees * (network.order - 1))
    return [trees.trees * two_digits(max(min(wanted, most, size / trees.trees), 1.0))]


def _cost(network: Network, goal: Goal, model: Model) -> float:
    """Steps of the linear program."""
    return 1e8 * (_variables(network) / _SECOND) ** 1.5


TWO_WAY = Collective(
    "two-way-forest",
    "all-reduce",
    "sums up and results down packed spanning trees at once, each link shared by both ways",
    two_way_schedule,
    Served(ports=(None,), duplex=("full",), switching=("store-and-forward",)),
    chunks=_chunks,
    cost=_cost,
)
