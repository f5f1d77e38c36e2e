"""Few rounds of unit messages, on any network and under any rule of ports: a local search.

What fewest nodes have is sent first, as swarms share files (Cohen 2003), and every round is filled
as a matching is: :mod:`hopscape.collectives.rarest_kernels`. One search serves all models: what a
message takes up (channels, links in half duplex, ports of its ends) are lanes.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from hopscape.collectives.bounds import lower_bounds
from hopscape.collectives.checked import verified
from hopscape.collectives.forest import bottleneck
from hopscape.core.arrays import Incoming, IntArray
from hopscape.core.distances import distance_rows, unreached
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.family import Collective
from hopscape.core.goal import Goal
from hopscape.core.model import Model, Served
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.progress import check_time
from hopscape.core.schedule import Schedule

if TYPE_CHECKING:
    from hopscape.collectives.rarest_kernels import Ways

__all__ = [
    "ALL_GATHER",
    "Paths",
    "paths_cost",
    "rarest_first",
    "schedule_of_hops",
    "search_steps",
    "ways_of",
    "with_lanes",
]

_WORK = 20_000_000
"""Steps of the search at most: nearly all of 75 networks that reach their bound do so well before;
more was not tried."""
_WORK_EACH = 20_000
"""Steps for each chunk and node at most: of 130 small cases none became shorter by more."""
_STEPS = 7.0
"""Elementary steps (10 ns) of one of its steps."""
_FILL, _CROWDED = 10, 80
"""Steps of the first answer for every chunk, node and round: with all ports, and where ports are
few, so that room must be made."""
_PIECE_STEPS = 3e8
"""Elementary steps for data in pieces: three seconds."""
_SOURCES, _PATHS = 48, 6
"""Sources of each endpoint and paths from each that are looked at, where switches only forward."""
_HOP_STEPS, _CHANNEL_STEPS = 170.0, 20.0
"""Elementary steps (10 ns) of a hop of these paths, and of a channel in a search to an endpoint."""


@dataclass(frozen=True)
class Paths:
    """Ways with the channels that each of them takes.

    Attributes:
        start (int64[ways + 1]): Way w takes ``channel[start[w]:start[w + 1]]``.
        channel: int64[...]
    """

    ways: Ways
    start: IntArray
    channel: IntArray


def ways_of(network: Network, model: Model, every: bool = False) -> Paths:
    """How a chunk gets from one node to the next within a round, sorted by target.

    Hop by hop, a channel. Where switches only forward, some of the shortest paths past them: from
    every endpoint, or from some.
    """
    if model.switching == "store-and-forward" or model.in_network or not network.has_switches:
        order = np.argsort(network.heads, kind="stable").astype(np.int64)
        return with_lanes(network, model, np.arange(len(order) + 1), order)
    lists = _paths_past_switches(network, network.order if every else _SOURCES)
    start = np.cumsum([0, *(len(path) for path in lists)])
    channel = np.fromiter(chain.from_iterable(lists), dtype=np.int64)  # empty where none is left
    return with_lanes(network, model, start, channel)


def with_lanes(network: Network, model: Model, start: IntArray, channel: IntArray) -> Paths:
    """The lanes of paths that are sorted by their ends: channels or links, and ports of nodes."""
    from hopscape.collectives.rarest_kernels import Ways

    half, channels = model.duplex == "half", len(network.heads)
    own = np.arange(channels)
    mate = network.reverse if half else own
    lane = np.where(mate >= 0, np.minimum(own, mate), own)[channel]
    hop_by_hop = model.switching == "store-and-forward"
    room = np.ones(channels, dtype=np.int64) if half and hop_by_hop else network.room()
    source = network.tails[channel[start[:-1]]].astype(np.int64)
    target = network.heads[channel[start[1:] - 1]].astype(np.int64)
    held = start
    if model.ports is not None:
        out, into = channels + source, channels + (0 if half else network.order) + target
        lane = np.insert(lane, np.concatenate([start[1:], start[1:]]), np.concatenate([out, into]))
        held = start + 2 * np.arange(len(start))
        room = np.concatenate([room, np.full(2 * network.order, model.ports)])
    first = np.searchsorted(target, np.arange(network.order + 1))
    ways = Ways(*(x.astype(np.int64) for x in (source, first, held, lane, room)))
    return Paths(ways, start.astype(np.int64), channel)


def _paths_past_switches(network: Network, most: int) -> list[tuple[int, ...]]:
    """Shortest paths between endpoints that run through switches only, by target; the short first.

    Of more than `most` sources the nearest are taken and some of the others.
    """
    ends = network.endpoints.astype(np.int64)
    is_end, incoming = _is_end(network), network.incoming()
    generator = np.random.default_rng(0)
    out: list[tuple[int, ...]] = []
    for t in ends.tolist():
        check_time(f"paths past the switches of {network.spec}")
        far = _past_switches_to(network, t, is_end, incoming)
        sources = ends[(far[ends] > 0)]
        sources = sources[np.argsort(far[sources] + generator.random(len(sources)))]
        if len(sources) > most:
            half = most // 2
            rest = generator.choice(np.arange(half, len(sources)), most - half, replace=False)
            sources = sources[np.concatenate([np.arange(half), np.sort(rest)])]
        onward = _onward(network, far, is_end, t)
        for s in sources.tolist():
            walks = {_walk(network, onward, s, t, generator) for _ in range(2 * _PATHS)}
            out += sorted(walks)[:_PATHS]
    return out


def paths_cost(network: Network, model: Model, every: bool = False) -> float:
    """Steps of :func:`ways_of`: paths past switches to one endpoint, times their number."""
    if model.switching == "store-and-forward" or model.in_network or not network.has_switches:
        return 0.0
    ends = network.endpoints.astype(np.int64)
    far = _past_switches_to(network, int(ends[0]), _is_end(network), network.incoming())[ends]
    sources = int((far > 0).sum()) if every else min(_SOURCES, int((far > 0).sum()))
    walked = _HOP_STEPS * 2 * _PATHS * sources * max(int(far.max()), 0)
    return len(ends) * (walked + _CHANNEL_STEPS * len(network.heads))


def _is_end(network: Network) -> IntArray:
    """bool[nodes]: endpoints."""
    is_end = np.zeros(network.order, dtype=bool)
    is_end[network.endpoints] = True
    return is_end


def _past_switches_to(network: Network, t: int, is_end: IntArray, incoming: Incoming) -> IntArray:
    """int64[nodes]: hops to t through switches only, -1: there is no such path."""
    far = np.full(network.order, -1, dtype=np.int64)
    far[t] = 0
    level = [t]
    while level:
        later = []
        for v in level:
            if v != t and is_end[v]:
                continue
            for c in incoming.channels[incoming.starts[v] : incoming.starts[v + 1]].tolist():
                u = int(network.tails[c])
                if far[u] < 0:
                    far[u] = far[v] + 1
                    later.append(u)
        level = later
    return far


def _onward(network: Network, far: IntArray, is_end: IntArray, t: int) -> list[list[int]]:
    """The channels out of each node that lead nearer to t past switches."""
    nearer = (far[network.tails] > 0) & (far[network.heads] == far[network.tails] - 1)
    nearer &= ~is_end[network.heads] | (network.heads == t)
    out: list[list[int]] = [[] for _ in range(network.order)]
    for c in np.nonzero(nearer)[0].tolist():
        out[int(network.tails[c])].append(c)
    return out


def _walk(
    network: Network, onward: list[list[int]], s: int, t: int, generator: np.random.Generator
) -> tuple[int, ...]:
    """A shortest path at random."""
    path: list[int] = []
    while s != t:
        row = onward[s]
        path.append(row[int(generator.random() * len(row))])
        s = int(network.heads[path[-1]])
    return tuple(path)


@verified
def rarest_first(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """All-gather in few rounds of unit messages, under the rules of ports and duplex.

    The search ends at the lower bound, or after a number of steps.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("mesh(4, 4)")
        >>> rarest_first(net, Goal.all_gather()).rounds  # the bound
        8
        >>> rarest_first(net, Goal.all_gather(), Model(ports=1)).rounds
        15
    """
    from hopscape.collectives.rarest_kernels import gather_rounds

    ends = network.endpoints.astype(np.int64)
    if model.switching != "store-and-forward" and not network.has_switches:
        raise ArgumentError(f"it goes hop by hop on {network.spec}, which has no switches")
    if unreached(distance_rows(network, ends)[:, ends]).any():
        raise DisconnectedError(
            f"{network.spec} has nodes that cannot be reached, so that no schedule exists"
        )
    chunks = len(ends) * goal.chunks
    require_memory(60 * chunks * network.order, f"{goal.kind} on {network.spec}")
    check_time(f"a search for {goal.kind} on {network.spec}")
    bounds = lower_bounds(network, goal, model)
    wanted = np.zeros(network.order, dtype=np.int64)
    wanted[ends] = 1
    paths = ways_of(network, model)
    origin = np.repeat(ends, goal.chunks)
    least = bounds[0].rounds if bounds else 0
    work = search_steps(chunks, network.order, _WORK_EACH, _WORK)
    _, arrive, via, _ = gather_rounds(paths.ways, origin, wanted, least, work, 0)
    return _written(network, goal, model, paths, arrive, via)


def search_steps(chunks: int, nodes: int, each: int, most: int) -> int:
    """Steps of a search on a network of this size: small ones are soon exhausted."""
    return min(most, each * chunks * nodes)


def _written(
    network: Network, goal: Goal, model: Model, paths: Paths, arrive: IntArray, via: IntArray
) -> Schedule:
    """The schedule of all deliveries, without those that help nobody."""
    useful = np.zeros(arrive.shape, dtype=bool)
    useful[network.endpoints] = True
    useful &= via >= 0
    source = paths.ways.source
    last = int(arrive[useful].max(initial=-1))
    if network.has_switches:
        for r in range(last, 0, -1):
            node, chunk = np.nonzero(useful & (arrive == r))
            senders = source[via[node, chunk]]
            useful[senders, chunk] |= via[senders, chunk] >= 0
    node, chunk = np.nonzero(useful & (arrive <= last))
    hops = arrive[node, chunk], via[node, chunk], chunk
    return schedule_of_hops(network, goal, model, paths, hops, "rarest-first")


@verified
def schedule_of_hops(
    network: Network,
    goal: Goal,
    model: Model,
    paths: Paths,
    hops: tuple[IntArray, IntArray, IntArray],
    name: str,
) -> Schedule:
    """The schedule of hops: their rounds, ways and chunks."""
    when, way, chunk = hops
    lengths = np.diff(paths.start)[way]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    at = np.repeat(paths.start[way] - starts[:-1], lengths) + np.arange(starts[-1])
    return Schedule.from_columns(
        network,
        model,
        goal,
        round=when,
        channels=paths.channel[at],
        path_start=starts,
        chunk=chunk,
        name=name,
    )


def rarest_cost(network: Network, goal: Goal, model: Model) -> float:
    """Steps of the first answer and of the search after it."""
    ends, nodes = network.endpoint_count, network.order
    width = int(network.degrees[network.endpoints].min(initial=1))
    lanes = min(width, model.ports or width)
    work = search_steps(ends * goal.chunks, nodes, _WORK_EACH, _WORK)
    first = _first_steps(network, model, goal.chunks, ends * goal.chunks / max(1, lanes))
    return _STEPS * work + first + paths_cost(network, model)


def _first_steps(network: Network, model: Model, pieces: int, rounds: float) -> float:
    """Steps of the first answer, about."""
    crowded = model.ports is not None or model.duplex == "half" or network.has_switches
    each = _STEPS * (_CROWDED if crowded else _FILL)
    return each * network.endpoint_count * pieces * network.order * rounds


def few_pieces(network: Network, goal: Goal, model: Model, size: float) -> list[int]:
    """The data as they are, and in pieces so many that starting the rounds costs what one lasts.

    Pieces that leave no channel idle at the bound have hardly any rounds beyond it, since every
    round is as full as a matching: none are needed to fill trees.
    """
    ends = network.endpoint_count
    if ends < 2 or model.ports is not None or model.duplex == "half" or goal.groups:
        return [1]
    if _first_steps(network, model, 1, ends) > _PIECE_STEPS:
        return [1]
    period = bottleneck(network).rounds
    unit = float(network.capacities().max(initial=1.0)) / float(network.room().max(initial=1))
    moved = model.beta * size * float(period) / (ends * unit)
    each = model.alpha + model.delta
    waves = sqrt(moved / each) / period.numerator if each else 1.0
    most = sqrt(_PIECE_STEPS / _first_steps(network, model, 1, float(period)))
    least = period.denominator
    return sorted({1, least * max(1, round(min(waves, most / least)))}) if least <= most else [1]


SERVES = Served(switching=("store-and-forward", "cut-through"), packing=("unit",))
ALL_GATHER = Collective(
    "rarest-first",
    "all-gather",
    "a search for few rounds: what fewest have goes first, for any network and number of ports",
    rarest_first,
    SERVES,
    chunks=few_pieces,
    cost=rarest_cost,
)
