"""One-datum all-reduces in as many rounds as the diameter: a node keeps what came in parts.

In round t everybody is told the sum of what is t hops away, and passes on parts of it: towards
each neighbour, sums that this one does not get from elsewhere. What is sent in a round is chosen
so that nobody needs more than sums it was sent (an exact cover); the last round closes the gaps.
Where the sums of a first plan do not fit, others are drawn, alike at nodes that a turn of the
network maps to each other. On a product every factor has its turn; between the endpoints of a
switched machine sums double from round to round.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from hopscape.collectives.checked import verified
from hopscape.collectives.classics.plans import RankPlan, to_schedule
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows, unreached
from hopscape.core.errors import ArgumentError, DisconnectedError, TooLargeError
from hopscape.core.family import Collective, Family
from hopscape.core.goal import Goal
from hopscape.core.model import ALL_PORT_ONLY, Model, Served
from hopscape.core.network import Network
from hopscape.core.partial_sums import OWN_SHARE, PartialSums
from hopscape.core.progress import check_time
from hopscape.core.schedule import Schedule

__all__ = ["DOUBLING_SUMS", "PARTIAL_SUMS", "doubling_sums", "partial_sums"]

_MOST_NODES = 1024
_WORK = 400_000
"""Sums that are looked at for one number of rounds: of eighty networks none gained by more."""
_COVER = 200
"""Steps of one exact cover."""
_STEPS = 240.0
"""Elementary steps (10 ns) of a sum that is looked at."""
_NUMBERS = 3
"""Numbers of rounds that are tried, from the diameter on."""
_LONG = 64
"""Costs of a chunk, in costs of a round, from which whole data in every round are out of place."""


class _Message(NamedTuple):
    """A sum over a channel; terms are positions in the list of messages, or the own share."""

    round: int
    channel: int
    terms: tuple[int, ...]


class _Item(NamedTuple):
    """What may be a part of a sum: its shares as bits, and where it came from."""

    shares: int
    place: int
    """The channel into the node over which it would come; -1: it has come."""
    term: int
    late: int


@dataclass
class _Graph:
    """Nodes with the channels into them, those of equal nodes in equal order.

    Attributes:
        into: Per node, channels as (number, tail).
        alike: Per node, the first one of those that turns map to it.
        ports: As `into`, in the order of the channels.
    """

    into: list[list[tuple[int, int]]]
    alike: list[int]
    distance: IntArray
    ports: list[list[tuple[int, int]]]

    @property
    def order(self) -> int:
        return len(self.into)

    @cached_property
    def tail(self) -> dict[int, int]:
        """Where each channel begins."""
        return {c: u for ways in self.ports for c, u in ways}

    @cached_property
    def seen(self) -> list[list[int]]:
        """Per node, at which place it sees the others, counted breadth first along its channels."""
        out = []
        for v in range(self.order):
            place, queue = {v: 0}, [v]
            for u in queue:
                for _, w in self.into[u]:
                    if w not in place:
                        place[w] = len(place)
                        queue.append(w)
            out.append([place[w] for w in range(self.order)])
        return out


@verified
def partial_sums(network: Network, goal: Goal, model: Model = Model()) -> PartialSums:
    """An all-reduce of one chunk in as many rounds as the diameter, or a few more.

    Raises:
        ArgumentError: For more chunks, groups, switches, and where no such plan is found.

    Examples:
        >>> import hopscape
        >>> for spec in ("petersen", "ring(8)", "torus(5, 5)", "rp(4)"):
        ...     print(partial_sums(hopscape.build(spec), Goal.all_reduce()).rounds)
        2
        4
        4
        4
    """
    _check_goal(network, goal, model)
    if network.has_switches:
        raise ArgumentError(f"it goes hop by hop, and the switches of {network.spec} only forward")
    messages: list[_Message] = []
    kept: list[list[int]] = [[OWN_SHARE] for _ in range(network.order)]
    for graphs in _phases(network):
        check_time(f"partial sums on {network.spec}")
        _add_phase(messages, kept, graphs)
    adds = np.zeros(len(messages), dtype=np.uint8)
    for held in kept:
        adds[[one for one in held if one != OWN_SHARE]] = 1
    return _schedule(network, goal, model, messages, adds)


def _check_goal(network: Network, goal: Goal, model: Model) -> None:
    if goal.groups:
        raise ArgumentError("it is for all endpoints, not for groups")
    if goal.chunks > 1:
        raise ArgumentError(f"it sends all data in every round: 1 chunk, not {goal.chunks}")
    if model.beta > _LONG * model.alpha > 0:
        raise ArgumentError("it sends all data in every round, and these are long")
    if network.order > _MOST_NODES:
        raise TooLargeError(
            f"sums of {network.order:,} shares are too many; up to {_MOST_NODES:,} are tried"
        )


def _schedule(
    network: Network, goal: Goal, model: Model, messages: list[_Message], adds: IntArray
) -> PartialSums:
    """The messages that some result needs, in the order of their rounds."""
    needed = adds.astype(bool)
    for i in range(len(messages) - 1, -1, -1):
        if needed[i]:
            needed[[j for j in messages[i].terms if j != OWN_SHARE]] = True
    place = np.cumsum(needed) - 1
    left = [message for message, used in zip(messages, needed.tolist()) if used]
    moved = Schedule.from_columns(
        network,
        model,
        goal,
        round=[message.round for message in left],
        channels=[message.channel for message in left],
        name="partial-sums",
    )
    terms = [[j if j == OWN_SHARE else int(place[j]) for j in message.terms] for message in left]
    return PartialSums.with_terms(moved, terms, adds[needed])


# -- products: one factor after the other ----------------------------------------------------------


def _phases(network: Network) -> Iterator[list[tuple[_Graph, list[int]]]]:
    """One phase after the other, each as graphs side by side, with the nodes that they stand for.

    Channels have the numbers of the network.
    """
    coordinates = _coordinates(network)
    lines = [range(network.indptr[v], network.indptr[v + 1]) for v in range(network.order)]
    into: list[list[tuple[int, int]]] = [[] for _ in range(network.order)]
    for u, line in enumerate(lines):
        for c in line:
            if int(network.heads[c]) != u:
                into[int(network.heads[c])].append((c, u))
    if coordinates is None:
        every = list(range(network.order))
        yield [(_graph_of(network, into, every), every)]
        return
    for axis in range(coordinates.shape[1]):
        others = np.delete(coordinates, axis, axis=1)
        _, fibre = np.unique(others, axis=0, return_inverse=True)
        fibre = fibre.ravel()
        graphs = []
        for f in range(int(fibre.max()) + 1):
            nodes = np.nonzero(fibre == f)[0]
            nodes = nodes[np.argsort(coordinates[nodes, axis])].tolist()
            graphs.append((_graph_of(network, into, nodes), nodes))
        yield graphs


def _coordinates(network: Network) -> IntArray | None:
    """int64[nodes, factors] on a product, whose channels change one of them; None elsewhere."""
    family = network.family
    factors = getattr(family, "factors", None)
    axes = family.product_axes() if isinstance(family, Family) else None
    if axes is not None and len(axes) > 1:
        at = np.stack([axis.at for axis in axes], axis=1).astype(np.int64)
    elif factors is not None and len(factors) > 1:
        sides = [factor.order for factor in factors]
        if int(np.prod(sides)) != network.order:
            return None
        at = np.stack(np.unravel_index(np.arange(network.order), sides), axis=1)
    else:
        return None
    changed = (at[network.tails] != at[network.heads]).sum(axis=1)
    return at if (changed <= 1).all() else None


def _graph_of(network: Network, into: list[list[tuple[int, int]]], nodes: list[int]) -> _Graph:
    """Some nodes of the network with the channels between them."""
    place = {v: i for i, v in enumerate(nodes)}
    inner = [[(c, place[u]) for c, u in into[v] if u in place] for v in nodes]
    alike, ports = list(range(len(nodes))), list(inner)
    if len(nodes) == network.order:
        family = network.family
        turns = family.rotations() if isinstance(family, Family) else None
        moves = [] if turns is None else turns.tolist()
        for v in range(len(nodes)):
            for turn in moves if alike[v] == v else ():
                if turn[v] > v and alike[turn[v]] == turn[v]:
                    channels: dict[int, list[int]] = {}
                    for c, u in inner[turn[v]]:
                        channels.setdefault(u, []).append(c)
                    alike[turn[v]] = v
                    inner[turn[v]] = [(channels[turn[u]].pop(), turn[u]) for _, u in inner[v]]
        distance = distance_rows(network, np.arange(network.order)).T
        if unreached(distance).any():
            raise DisconnectedError(
                f"{network.spec} has nodes that cannot be reached, so that no schedule exists"
            )
        return _Graph(inner, alike, np.asarray(distance), ports)
    return _Graph(inner, alike, _distances(inner), ports)


def _distances(into: list[list[tuple[int, int]]]) -> IntArray:
    """int64[target, source]: hops, on a part of a network."""
    out = np.full((len(into), len(into)), -1, dtype=np.int64)
    for v in range(len(into)):
        out[v, v], queue = 0, [v]
        for u in queue:
            for _, w in into[u]:
                if out[v, w] < 0:
                    out[v, w] = out[v, u] + 1
                    queue.append(w)
    return out


def _add_phase(
    messages: list[_Message], kept: list[list[int]], graphs: list[tuple[_Graph, list[int]]]
) -> None:
    """Append the plans of graphs side by side; what nodes held before is their share in them.

    Args:
        kept: Per node, the terms of the sum that it has; afterwards those of the larger one.
    """
    first = messages[-1].round + 1 if messages else 0
    plans = [_plan(graph) for graph, _ in graphs]
    places: list[list[int]] = [[-1] * len(plan[0]) for plan in plans]
    rounds = max((message.round + 1 for plan, _ in plans for message in plan), default=0)
    for now in range(rounds):
        for (plan, _), place, (graph, nodes) in zip(plans, places, graphs):
            for i, message in enumerate(plan):
                if message.round != now:
                    continue
                source = nodes[graph.tail[message.channel]]
                terms: list[int] = []
                for j in message.terms:
                    terms += kept[source] if j == OWN_SHARE else [place[j]]
                place[i] = len(messages)
                messages.append(_Message(first + now, message.channel, tuple(terms)))
    for (_, sums), place, (_, nodes) in zip(plans, places, graphs):
        for v, parts in zip(nodes, sums):
            kept[v] = kept[v] + [place[j] for j in parts]


# -- one graph -------------------------------------------------------------------------------------

_Plan = tuple[list[_Message], list[list[int]]]
"""Messages, and for each node those that its result is the sum of."""


def _plan(graph: _Graph) -> _Plan:
    """A plan in as few rounds as are found."""
    if int(graph.distance.min(initial=0)) < 0:
        raise ArgumentError("not everybody can be reached")
    reach = graph.distance.max(axis=1, initial=0)
    least, most = int(reach.max(initial=0)), 2 * int(reach.min())
    by_port = replace(graph, into=graph.ports)
    for rounds in range(least, min(max(most, least + 1), least + _NUMBERS)):
        drawn, work = random.Random(rounds), _WORK
        for attempt in range(_WORK):
            at = by_port if attempt == 0 else graph
            search = _Search(at, rounds, drawn if attempt > 1 else None)
            found = search.run()
            if found is not None:
                return found
            work -= search.work
            if work < 0:
                break
    raise ArgumentError(f"no plan of partial sums was found in fewer than {max(most, 1)} rounds")


class _Search:
    """One try at a number of rounds.

    Args:
        drawn: None: everybody is told what is t hops away in round t; else sums are drawn by lot.
    """

    def __init__(self, graph: _Graph, rounds: int, drawn: random.Random | None) -> None:
        self.graph, self.rounds, self.drawn = graph, rounds, drawn
        self.work = 0
        self.skipped = 0.0 if drawn is None else drawn.choice((0.0, 0.1, 0.3))
        self.messages: list[_Message] = []
        self.came: list[list[_Item]] = [[] for _ in range(graph.order)]
        self.known = [1 << v for v in range(graph.order)]
        self.luck: dict[tuple[int, ...], tuple[float, bool]] = {}

    def run(self) -> _Plan | None:
        """The plan, or None where the last round leaves gaps."""
        graph = self.graph
        nodes = sorted(range(graph.order), key=lambda v: (graph.alike[v] != v, v))
        sums: list[list[int]] = [[] for _ in range(graph.order)]
        for now in range(self.rounds):
            last = now == self.rounds - 1
            told: list[tuple[int, list[_Item]]] = []
            for v in nodes:
                items = self._items(v, now, last)
                self.work += len(items)
                chosen = self._chosen(v, now, last, items)
                if chosen is None:
                    return None
                sums[v] = [one.term for one in chosen if one.place < 0]
                told.append((v, [one for one in chosen if one.place >= 0]))
            for v, chosen in told:
                self._send(v, now, chosen, sums[v] if last else None)
        return self.messages, sums

    def _send(self, v: int, now: int, chosen: list[_Item], result: list[int] | None) -> None:
        """Messages of a round into a node; with a result, they are part of it."""
        for place, (channel, _) in enumerate(self.graph.into[v]):
            parts = [one for one in chosen if one.place == place]
            if parts:
                shares = sum(one.shares for one in parts)
                term = len(self.messages)
                self.messages.append(_Message(now, channel, tuple(one.term for one in parts)))
                self.came[v].append(_Item(shares, place, term, now))
                if result is not None:
                    result.append(term)

    def _items(self, v: int, now: int, last: bool) -> list[_Item]:
        """What neighbours may send to a node in a round; in the last one, also what it has."""
        items: list[_Item] = []
        for place, (_, u) in enumerate(self.graph.into[v]):
            for one in self.came[u]:
                if not one.shares >> v & 1 and (self.drawn or last or one.late == now - 1):
                    items.append(_Item(one.shares, place, one.term, one.late))
            items.append(_Item(1 << u, place, OWN_SHARE, -1))
        if last:
            items += [_Item(one.shares, -1, one.term, one.late) for one in self.came[v]]
            items.sort(key=lambda one: (one.place, -one.late))
        return items

    def _chosen(self, v: int, now: int, last: bool, items: list[_Item]) -> list[_Item] | None:
        """What a node is sent; None: the last round cannot complete its sum."""
        everything = (1 << self.graph.order) - 1
        if last:
            left = everything & ~(1 << v)
            found = _cover(left, [one.shares for one in items], self)
            return None if found is None else [items[i] for i in found]
        if self.drawn is not None:
            return self._drawn(v, now, items)
        see = self.graph.seen[v]
        ring = np.nonzero(self.graph.distance[v] == now + 1)[0].tolist()
        need = sum(1 << see[w] for w in ring)
        masks = [_moved(one.shares, see) for one in items]
        found = _cover(need, masks, self)
        if found is None:  # as much as goes
            found, got = [], 0
            for i, mask in enumerate(masks):
                if mask & need == mask and not mask & got:
                    found.append(i)
                    got |= mask
        return [items[i] for i in found]

    def _drawn(self, v: int, now: int, items: list[_Item]) -> list[_Item]:
        """Sums that have nothing in common with each other nor with what came before."""
        assert self.drawn is not None
        rows: list[tuple[tuple[float, bool], _Item]] = []
        nth: dict[tuple[int, ...], int] = {}
        skip = self.skipped if now else 0.0
        for one in items:
            kind = self.graph.alike[v], now, one.place, one.late
            nth[kind] = nth.get(kind, 0) + 1
            key = (*kind, nth[kind])
            if key not in self.luck:
                wait = 0.7 * (now - 1 - one.late)
                self.luck[key] = self.drawn.random() + wait, self.drawn.random() < skip
            rows.append((self.luck[key], one))
        out = []
        for (_, skipped), one in sorted(rows, key=lambda row: row[0][0]):
            if not skipped and not one.shares & self.known[v]:
                self.known[v] |= one.shares
                out.append(one)
        return out


def _moved(shares: int, see: list[int]) -> int:
    """A set of shares, each at another place."""
    out = 0
    while shares:
        low = shares & -shares
        shares ^= low
        out |= 1 << see[low.bit_length() - 1]
    return out


def _cover(need: int, masks: list[int], search: _Search) -> list[int] | None:
    """Sets that have nothing in common and cover exactly what is needed; the first ones preferred.

    Returns:
        Their positions; None where there is no such choice, or too many steps were taken.
    """
    steps = 0

    def choose(left: int, sets: list[tuple[int, int]]) -> list[int] | None:
        nonlocal steps
        if not left:
            return []
        steps += 1
        search.work += len(sets)
        once = twice = 0
        for mask, _ in sets:
            twice |= once & mask
            once |= mask
        if once & left != left or steps > _COVER:
            return None
        forced = left & ~twice
        rare = forced & -forced if forced else _rarest(left, sets)
        for mask, i in sets:
            if mask & rare:
                rest = choose(left & ~mask, [one for one in sets if not one[0] & mask])
                if rest is not None:
                    return [i, *rest]
        return None

    return choose(need, [(mask, i) for i, mask in enumerate(masks) if mask and mask & ~need == 0])


def _rarest(left: int, sets: list[tuple[int, int]]) -> int:
    """Of the first dozen that are needed, the one in the fewest sets."""
    best, fewest = 0, len(sets) + 1
    for _ in range(12):
        if not left:
            break
        low = left & -left
        left ^= low
        count = sum(1 for mask, _ in sets if mask & low)
        if count < fewest:
            best, fewest = low, count
    return best


# -- endpoints of a switched machine ---------------------------------------------------------------


@verified
def doubling_sums(network: Network, goal: Goal, model: Model) -> PartialSums:
    """Each endpoint receives one sum a round: as many rounds as the logarithm, for any number.

    A rank has the sum of its own and the next shares, up to as many as the round before; what it
    is sent is as long, or shorter by the sender's own (Bar-Noy, Kipnis and Schieber 1993).

    Examples:
        >>> import hopscape
        >>> from hopscape.collectives.classics import CUT_THROUGH
        >>> net = hopscape.build("leaf_spine(5, 2, 4)")
        >>> doubling_sums(net, Goal.all_reduce(), CUT_THROUGH).rounds
        5
    """
    _check_goal(network, goal, model)
    ranks = network.endpoint_count
    widths = [ranks]
    while widths[-1] > 1:
        widths.append((widths[-1] + 1) // 2)
    widths.reverse()  # 1, ..., ranks: shares in everybody's sum before each round
    whole = [2 * a == b for a, b in pairwise(widths)]
    rank = np.arange(ranks)
    parts = []
    for step, (width, full) in enumerate(zip(widths, whole)):
        parts.append((step, (rank + width - (not full)) % ranks, rank, 0))
    moved = to_schedule(RankPlan.of(*parts), network, goal, "doubling-sums", model)
    came: dict[int, list[int]] = {int(v): [] for v in network.endpoints}
    terms: list[list[int]] = [[] for _ in range(moved.transfers)]
    if moved.rounds != len(whole):
        raise ArgumentError(f"its messages do not fit in rounds of {model.describe()}")
    for step, full in enumerate(whole):
        span = range(int(moved.round_start[step]), int(moved.round_start[step + 1]))
        for t in span:
            terms[t] = ([OWN_SHARE] if full else []) + came[int(moved.source[t])]
        for t in span:
            came[int(moved.target[t])] = [*came[int(moved.target[t])], t]
    return PartialSums.with_terms(moved, terms, np.ones(moved.transfers, dtype=np.uint8))


def partial_sums_cost(network: Network, goal: Goal, model: Model) -> float:
    """Steps of all numbers of rounds that may be tried."""
    return _STEPS * _WORK * _NUMBERS


PARTIAL_SUMS = Collective(
    "partial-sums",
    "all-reduce",
    "several sums per node, as few rounds as the diameter, for one chunk on any direct network",
    partial_sums,
    ALL_PORT_ONLY,
    groups=True,
    chunks=lambda network, goal, model, size: (),
    cost=partial_sums_cost,
)
DOUBLING_SUMS = Collective(
    "doubling-sums",
    "all-reduce",
    "sums that double from round to round, as few rounds as the logarithm, for one chunk",
    doubling_sums,
    Served(switching=("cut-through",)),
    groups=True,
    chunks=lambda network, goal, model, size: (),
)
