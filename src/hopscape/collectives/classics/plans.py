"""Rank plans: what ranks send each other step by step, and how that becomes a schedule.

The algorithms of message-passing libraries speak of ranks 0..p-1, not of networks. A
:class:`RankPlan` holds their steps; :func:`to_schedule` places the ranks on endpoints, routes every
message, and gives a schedule whose channels are counted one by one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hopscape.collectives.checked import verified
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, DisconnectedError, TooLargeError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.router import Router
from hopscape.core.schedule import Schedule

__all__ = [
    "CUT_THROUGH",
    "MOST_RANKS",
    "MOST_TRANSFERS",
    "RankPlan",
    "message_limit",
    "message_paths",
    "to_schedule",
]

CUT_THROUGH = Model(switching="cut-through", packing="packed")
MOST_TRANSFERS = 6_000_000
MOST_RANKS = 4096
_COMBINING = ("reduce", "reduce-scatter", "all-reduce")
_OF_RANKS = ("all-gather", "reduce-scatter", "scatter", "gather")
Column = IntArray | int


@dataclass(frozen=True)
class RankPlan:
    """Steps of messages between ranks.

    Attributes:
        step, source, target, chunk (int64[transfers]): In which step (from 0) which rank sends
            which chunk to whom. In a step everybody sends what it had before the step.
    """

    step: IntArray
    source: IntArray
    target: IntArray
    chunk: IntArray

    @classmethod
    def of(cls, *parts: tuple[Column, Column, Column, Column]) -> RankPlan:
        """From (step, sources, targets, chunks), broadcast against each other."""
        rows = [np.broadcast_arrays(*map(np.asarray, part)) for part in parts]
        if not rows:
            empty = np.zeros(0, dtype=np.int64)
            return cls(empty, empty, empty, empty)
        columns = (np.concatenate([row[i].ravel() for row in rows]) for i in range(4))
        return cls(*(column.astype(np.int64) for column in columns))

    @property
    def steps(self) -> int:
        """Number of steps."""
        return int(self.step.max(initial=-1)) + 1

    def reversed(self) -> RankPlan:
        """Backwards in time and direction: an all-gather becomes a reduce-scatter."""
        return RankPlan(self.steps - 1 - self.step, self.target, self.source, self.chunk)

    def first_arrivals(self) -> RankPlan:
        """A broadcast of rank 0 without what comes to ranks that have it already.

        Backwards nothing is then added twice.
        """
        order = np.lexsort((self.step, self.chunk, self.target))
        target, chunk = self.target[order], self.chunk[order]
        first = np.r_[True, (target[1:] != target[:-1]) | (chunk[1:] != chunk[:-1])]
        kept = np.sort(order[first[: len(order)] & (target != 0)])
        return RankPlan(self.step[kept], self.source[kept], self.target[kept], self.chunk[kept])

    def then(self, later: RankPlan) -> RankPlan:
        """This plan, and `later` after its last step."""
        return RankPlan(
            np.concatenate([self.step, self.steps + later.step]),
            np.concatenate([self.source, later.source]),
            np.concatenate([self.target, later.target]),
            np.concatenate([self.chunk, later.chunk]),
        )


def message_limit(network: Network, model: Model) -> int:
    """Messages that every endpoint can send, and receive, in one round."""
    ends = network.endpoints
    widths = np.minimum(network.degrees[ends], np.diff(network.reversed_csr()[0])[ends])
    most = max(int(widths.min()), 1) if len(widths) else 1
    most = most if model.ports is None else min(most, model.ports)
    return max(most // 2, 1) if model.duplex == "half" else most


@verified
def to_schedule(
    plan: RankPlan,
    network: Network,
    goal: Goal,
    name: str,
    model: Model = CUT_THROUGH,
    places: IntArray | None = None,
    ends: IntArray | None = None,
) -> Schedule:
    """A plan of ranks on a network.

    Args:
        model: Cut-through when left out: every message takes a shortest path within its round, and
            channels are shared. In store-and-forward every step is taken apart into rounds of
            single hops.
        places (int64[ranks], optional): The endpoint of each rank, counted among `ends`; in their
            order when left out.
        ends (int array, optional): The nodes that take part, ascending; all endpoints, or those of
            the group, when left out.

    Raises:
        ArgumentError: For circuits, and where sums would have to pass nodes that add to them.
    """
    if model.switching == "circuit":
        raise ArgumentError(f"{name} serves store-and-forward or cut-through, not circuits")
    if len(plan.step) > MOST_TRANSFERS:
        raise TooLargeError(
            f"{name} would make {len(plan.step):,} transfers; up to {MOST_TRANSFERS:,} are tried"
        )
    ends = goal.members(network) if ends is None else ends
    placed = np.arange(len(ends)) if places is None else np.asarray(places)
    chunk = _goal_chunks(plan, goal, placed)
    order = np.lexsort((chunk, plan.target, plan.source, plan.step))
    nodes = ends[placed]
    source, target = nodes[plan.source[order]], nodes[plan.target[order]]
    starts, channels = message_paths(network, source, target)
    columns = plan.step[order], chunk[order], starts, channels
    if model.switching == "cut-through":
        step, chunk, starts, channels = columns
        if model.packing == "unit":
            step = _one_by_one(step, source, target)
        if model.duplex == "half":
            _check_half_duplex(network, model, name, step, source, target)
        return Schedule.from_columns(
            network,
            model,
            goal,
            round=step,
            chunk=chunk,
            path_start=starts,
            channels=channels,
            rounds=plan.steps if model.packing == "packed" else None,
            name=name,
        )
    return _hop_by_hop(network, goal, name, model, columns)


def _check_half_duplex(
    network: Network, model: Model, name: str, step: IntArray, source: IntArray, target: IntArray
) -> None:
    """Refuse steps in which a node takes part in more messages than it has ports for."""
    keys = np.stack([step, source, target], axis=1)
    messages = np.unique(keys, axis=0) if model.packing == "packed" else keys
    ends = np.concatenate([messages[:, :2], messages[:, ::2]])
    places, busy = np.unique(ends, axis=0, return_counts=True)
    limit = network.degrees[places[:, 1]]
    limit = limit if model.ports is None else np.minimum(limit, model.ports)
    over = np.flatnonzero(busy > limit)
    if len(over):
        node, count = int(places[over[0], 1]), int(busy[over[0]])
        raise ArgumentError(
            f"in {name} node {node} sends and receives {count} messages at once, and half duplex"
            f" allows {int(limit[over[0]])} here"
        )


def _one_by_one(step: IntArray, source: IntArray, target: IntArray) -> IntArray:
    """Rounds in which the chunks of a message follow each other; sorted by step and message."""
    if not len(step):
        return step
    same = (np.diff(step) == 0) & (np.diff(source) == 0) & (np.diff(target) == 0)
    begins = np.concatenate([[True], ~same])
    first = np.nonzero(begins)[0][np.cumsum(begins) - 1]
    within = np.arange(len(step)) - first
    longest = np.zeros(int(step[-1]) + 1, dtype=np.int64)
    np.maximum.at(longest, step, within + 1)
    return np.concatenate([[0], np.cumsum(longest)])[step] + within


def _goal_chunks(plan: RankPlan, goal: Goal, seats: IntArray) -> IntArray:
    """Chunks as the goal counts them: by endpoints, not by ranks."""
    if goal.kind in _OF_RANKS:
        pieces = goal.chunks
        return seats[plan.chunk // pieces] * pieces + plan.chunk % pieces
    if goal.kind == "all-to-all":
        count = len(seats)
        return seats[plan.chunk // count] * count + seats[plan.chunk % count]
    if goal.kind == "permutation":
        return seats[plan.chunk]
    return plan.chunk


def message_paths(
    network: Network,
    source: IntArray,
    target: IntArray,
    router: Router | None = None,
    *,
    spreads: bool = True,
) -> tuple[IntArray, IntArray]:
    """Paths of messages: offsets and channels; by the network's own router without one.

    Args:
        spreads: Through switches, ties between shortest paths are spread by the destination; else
            every message takes the path of the router.
    """
    pairs, which = np.unique(source * network.order + target, return_inverse=True)
    at, to = pairs // network.order, pairs % network.order
    route_by = router or network.router()
    nodes, ports = _walk_spread(network, at, to, route_by) if spreads else route_by.walk(at, to)
    taken = ports >= 0
    flat = network.channel_at(nodes[:, :-1][taken], ports[taken])
    lengths = taken.sum(axis=1)
    first = np.concatenate([[0], np.cumsum(lengths)])
    mine = lengths[which]
    starts = np.concatenate([[0], np.cumsum(mine)]).astype(np.int64)
    require_memory(40 * int(starts[-1]), f"{len(source)} paths on {network.spec}")
    within = np.arange(int(starts[-1])) - np.repeat(starts[:-1], mine)
    return starts, flat[np.repeat(first[:-1][which], mine) + within]


def _walk_spread(
    network: Network, at: IntArray, to: IntArray, router: Router
) -> tuple[IntArray, IntArray]:
    """Routes of the network's router; through switches, ties are spread by the destination.

    The port among equals is a digit of the destination's rank, as in the d-mod-k routing of fat
    trees (Zahavi 2010), so that shifts of ranks do not meet.
    """
    if not network.has_switches or not router.exact:
        return router.walk(at, to)
    rank = np.searchsorted(network.endpoints, to)
    here, columns, ports = at.copy(), [at.copy()], []
    digit = rank.copy()
    while (here != to).any():
        going = np.nonzero(here != to)[0]
        pairs, back = np.unique(here[going] * network.order + to[going], return_inverse=True)
        mask = router.shortest_ports(pairs // network.order, pairs % network.order)
        count = mask.sum(axis=1)[back]
        if not count.all():
            lost = going[count == 0][0]
            raise DisconnectedError(
                f"node {to[lost]} cannot be reached from node {at[lost]} in {network.spec}"
            )
        equals = np.argsort(~mask, axis=1, kind="stable")  # the shortest ports come first
        port = equals[back, digit[going] % count]
        digit[going] = np.where(count > 1, digit[going] // count, digit[going])
        here[going] = network.rows(here[going])[np.arange(len(going)), port]
        column = np.full(len(at), -1, dtype=here.dtype)
        column[going] = here[going]
        columns.append(column)
        taken = np.full(len(at), -1, dtype=np.int64)
        taken[going] = port
        ports.append(taken)
    shape = (len(at), 0)
    return np.stack(columns, axis=1), np.stack(ports, axis=1) if ports else np.empty(shape, int)


def _hop_by_hop(
    network: Network,
    goal: Goal,
    name: str,
    rules: Model,
    columns: tuple[IntArray, IntArray, IntArray, IntArray],
) -> Schedule:
    """Every step in rounds of single hops, the farthest to go first."""
    from hopscape.collectives.greedy_kernels import Rules, route_packets

    step, chunk, starts, channels = columns
    if goal.kind in _COMBINING and len(channels) > len(step):
        raise ArgumentError(
            f"the messages of {name} take several hops here, and in store-and-forward every node"
            " on the way would add to the sums; it serves cut-through"
        )
    rounds: list[IntArray] = []
    used: list[IntArray] = []
    what: list[IntArray] = []
    now = 0
    limits = Rules.of(network, rules.ports, rules.duplex == "half", rules.packing == "packed")
    cuts = np.searchsorted(step, np.arange(int(step.max(initial=-1)) + 2))
    for low, high in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        when, channel, packet = route_packets(
            starts[low : high + 1] - starts[low],
            channels[starts[low] : starts[high]].astype(np.int64),
            limits,
        )
        rounds.append(now + when)
        used.append(channel)
        what.append(chunk[low:high][packet])
        now += int(when.max(initial=-1)) + 1
    none = np.zeros(0, dtype=np.int64)
    return Schedule.from_columns(
        network,
        replace(rules),
        goal,
        round=np.concatenate([none, *rounds]),
        channels=np.concatenate([none, *used]),
        chunk=np.concatenate([none, *what]),
        name=name,
    )
