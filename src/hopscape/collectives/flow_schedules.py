"""All-to-all near the flow bound: routes by prices, rounds for all their hops together.

An all-to-all as a sequence of permutations, one endpoint to one endpoint in a round.

Shifts (in round r the i-th endpoint sends to the one r places on) suit fat trees, but on a
dragonfly they send all packets of a group over the one link to the same other group. Skewed shifts
let the members of a group send to different groups: member k of group g sends to group g + b + c·k,
which is another one for each k. They are Latin squares: in every round each endpoint receives once,
and over all rounds from everybody once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

import numpy as np

from hopscape.collectives.checked import verified
from hopscape.collectives.flows import each_alone, exchange_bound, orbits_of
from hopscape.collectives.plan import PathPlan, Plan, hop_rounds, path_cost
from hopscape.collectives.symmetric import Orbits
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows, unreached
from hopscape.core.errors import ArgumentError, DisconnectedError, TooLargeError
from hopscape.core.family import Collective
from hopscape.core.goal import Goal
from hopscape.core.model import ALL_PORT_ONLY, Model, Served
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.progress import check_time, track
from hopscape.core.schedule import Schedule

__all__ = [
    "ALL_GATHER",
    "ALL_TO_ALL",
    "FlowRoutes",
    "ShiftSequence",
    "best_shifts",
    "flow_routes",
    "flow_schedule",
]

_SHARP = (0.0, 1.0, 4.0, 8.0, 16.0, 24.0, 32.0, 48.0, 64.0)
"""How steeply prices rise with the load, from shortest paths to avoiding full channels."""
_SHIFT_REPAIRS, _SHIFT_SHARP = 6, _SHARP[2:]  # a round of shifts has few conflicts
_FEW_ENDS = 200
"""Endpoints up to which one round more or less is worth a second try."""
_REPAIRS, _REPAIR_WORK = 30, 60_000
"""Repairs at least, up to ten times as many while their packets together stay below the other."""
_AFRESH = 8
"""After so many repairs all packets are routed anew, not to go round in circles."""
_EXTRA_HOPS = 6
"""Hops that a detour may take beyond the longest shortest path: tables of paths are as wide."""
_STEPS = 2.0
"""Steps of a search for a path, per channel: 20 ns on random graphs of 32 to 100 nodes."""
_WORK = 400_000_000
"""Packets times channels of all sweeps together: 8 s of search. Repairs may take as much."""
_MOST_WORK = 1_500_000_000
"""Packets times channels beyond which no search is begun: two sweeps would take a minute."""
_REPAIR_SHARE = 3
"""A repair reroutes the packets on full channels only, about one in three."""


@dataclass(frozen=True)
class FlowRoutes:
    """A path for every packet of one source per orbit.

    Attributes:
        source, target, piece: int64[packets]
        path (int32[packets, longest]): Channels; what is beyond `length` has no meaning.
        length: int64[packets]
        load (int64[kinds]): Packets of all sources on each channel of a kind.
    """

    source: IntArray
    target: IntArray
    piece: IntArray
    path: IntArray
    length: IntArray
    load: IntArray

    def hops(self) -> tuple[IntArray, IntArray, IntArray]:
        """Channel, hop before and packet of every hop, path by path."""
        taken = np.arange(self.path.shape[1]) < self.length[:, None]
        channel = self.path[taken].astype(np.int64)
        packet = np.repeat(np.arange(len(self.length)), self.length)
        before = np.arange(len(channel)) - 1
        before[np.cumsum(self.length) - self.length] = -1
        return channel, before, packet


@verified
def flow_schedule(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """From everybody to everybody along routes that load all channels alike.

    Packets start on the paths of the network's router. Then every packet takes the cheapest path
    where a channel is the dearer, the more it carries, again and again with rising prices (as the
    flows of Garg and Könemann 1998, with whole packets); then all hops get their rounds. Where the
    family knows symmetries that leave no node in place, one source of each orbit is planned. An
    all-gather by it sends a copy to everybody: best where the links of the endpoints are the narrow
    ones.

    Examples:
        >>> import hopscape
        >>> through = Model(switching="cut-through")
        >>> made = flow_schedule(hopscape.build("fat_tree(4)"), Goal.all_to_all(), through)
        >>> made.rounds, hopscape.verify(made).holds
        (15, True)
    """
    if model.switching != "store-and-forward" and goal.groups:
        return _among_groups(network, goal).schedule(network, goal, "flow", model)
    if model.switching != "store-and-forward":
        return _whole_paths(network, goal, model)
    if not ALL_PORT_ONLY.allows(model):
        raise ArgumentError(f"algorithm 'flow' serves {SERVES.describe()}, not {model.describe()}")
    if goal.groups:
        return _among_groups(network, goal).schedule(network, goal, "flow", model)
    orbits = orbits_of(network)
    routes = flow_routes(network, orbits, goal.chunks)
    channel, before, packet = routes.hops()
    kinds = orbits.kinds
    room = np.ones(int(kinds.max(initial=-1)) + 1, dtype=np.int64)
    room[kinds] = network.room()
    rounds = hop_rounds(kinds[channel], before, room)
    if goal.kind == "all-gather":
        return _copies(network, goal, model, (routes, orbits), (rounds, channel, packet))
    columns = orbits.spread(rounds, channel, routes.source[packet], routes.target[packet])
    place = np.zeros(network.order, dtype=np.int64)
    place[network.endpoints] = np.arange(network.endpoint_count)
    origin, aim = np.divmod(columns[2], network.order)
    pieces = np.tile(routes.piece[packet], len(orbits.moves))
    chunk = (place[origin] * network.endpoint_count + place[aim]) * goal.chunks + pieces
    return Schedule.from_columns(
        network, model, goal, round=columns[0], channels=columns[1], chunk=chunk, name="flow"
    )


def _among_groups(network: Network, goal: Goal) -> PathPlan:
    """The routes of all groups at once: none is planned without regard to the others."""
    promise = goal.on(network)
    moving = np.nonzero(promise.origins != promise.destinations)[0]
    source, target = promise.origins[moving], promise.destinations[moving]
    _check_effort(network, len(source))
    longest = _eccentricity(network, np.unique(source), np.unique(target)) + _EXTRA_HOPS
    routes = _blank(network, source, target, np.zeros_like(source), longest)
    if len(source):
        room = network.room()
        widths = np.bincount(network.tails, weights=room, minlength=network.order)
        access = (np.bincount(source, minlength=network.order) / np.maximum(widths, 1)).max()
        _Prices(network, each_alone(network), routes, room, max(1.0, float(access))).settle()
    starts = np.concatenate([[0], np.cumsum(routes.length)])
    return PathPlan(starts, routes.hops()[0], np.full(len(source), -1), moving)


def _whole_paths(network: Network, goal: Goal, rules: Model) -> Schedule:
    """Every route within a round, no channel twice: for switches that only forward.

    Permutations come first where endpoints have one link: their rounds are as many as these need,
    or one more where they are skewed. Nothing else is tried where no channel is busy for longer,
    unless the network is small and one round counts.
    """
    ends = network.endpoint_count
    narrow = (network.degrees[network.endpoints] == 1).all()
    shifted, busy = None, 0
    if rules.switching != "circuit" and narrow and goal.chunks == 1 and ends > 2:
        shifted, busy = _by_shifts(network, goal, rules, best_shifts(network))
        if ends <= _FEW_ENDS and busy >= ends:
            plain, other = _by_shifts(network, goal, rules, ShiftSequence(ends))
            shifted, busy = (plain, other) if other < busy else (shifted, busy)
        if busy < ends or (busy == ends and ends > _FEW_ENDS):
            return shifted
    orbits = each_alone(network)
    routes = flow_routes(network, orbits, goal.chunks)
    channel, _, _ = routes.hops()
    place = np.zeros(network.order, dtype=np.int64)
    place[network.endpoints] = np.arange(network.endpoint_count)
    origin, aim = place[routes.source], place[routes.target]
    own = origin if goal.kind == "all-gather" else origin * network.endpoint_count + aim
    plan = PathPlan(
        np.concatenate([[0], np.cumsum(routes.length)]),
        channel,
        np.full(len(origin), -1, dtype=np.int64),
        own * goal.chunks + routes.piece,
    )
    coloured = plan.schedule(network, goal, "flow", rules)
    return shifted if shifted is not None and busy < coloured.rounds else coloured


def _by_shifts(
    network: Network, goal: Goal, rules: Model, shifts: ShiftSequence
) -> tuple[Schedule, int]:
    """In every round each endpoint sends to another, all routes of a round at once.

    Also says for how many chunks in a row the busiest channels of all rounds are busy.
    """
    ends = network.endpoints.astype(np.int64)
    count, orbits = len(ends), each_alone(network)
    longest = _eccentricity(network, ends, ends) + _EXTRA_HOPS
    columns: list[tuple[IntArray, ...]] = []
    busy = 0
    for r, targets in enumerate(track(shifts.rounds(), f"shifts on {network.spec}", count - 1)):
        place = np.flatnonzero(targets != np.arange(count))
        aim = targets[place]
        routes = _blank(network, ends[place], ends[aim], np.zeros_like(place), longest)
        _along_router(network, routes)
        if int(routes.load.max()) > 1:
            _Prices(network, orbits, routes, network.room(), 1.0).settle(
                _SHIFT_REPAIRS, _SHIFT_SHARP
            )
        busy += int((-(-routes.load // network.room())).max())
        own = place if goal.kind == "all-gather" else place * count + aim
        columns.append((np.full(len(place), r), routes.hops()[0], routes.length, own))
    when, channels, lengths, chunk = (
        np.concatenate(column) for column in zip(*columns, strict=True)
    )
    starts = np.concatenate([[0], np.cumsum(lengths)])
    made = Schedule.from_columns(
        network,
        rules,
        goal,
        round=when,
        channels=channels,
        path_start=starts,
        chunk=chunk,
        name="flow",
    )
    return made, busy


def _along_router(network: Network, routes: FlowRoutes, kinds: IntArray | None = None) -> None:
    """Fill in the paths of the network's own router, where they are not too long."""
    nodes, ports = network.router().walk(routes.source, routes.target)
    taken = ports >= 0
    if taken.shape[1] > routes.path.shape[1]:
        return
    channels = network.channel_at(nodes[:, :-1][taken], ports[taken])
    routes.length[:] = taken.sum(axis=1)
    routes.path[:, : taken.shape[1]][taken] = channels
    carried = channels if kinds is None else kinds[channels]
    routes.load[:] = np.bincount(carried, minlength=len(routes.load))


def _copies(
    network: Network,
    goal: Goal,
    rules: Model,
    plan: tuple[FlowRoutes, Orbits],
    hops: tuple[IntArray, IntArray, IntArray],
) -> Schedule:
    """An all-gather of separate copies; a hop that brings what has come before is left out."""
    routes, orbits = plan
    rounds, channel, packet = hops
    when, channels, origin = orbits.spread(rounds, channel, routes.source[packet], None)
    place = np.zeros(network.order, dtype=np.int64)
    place[network.endpoints] = np.arange(network.endpoint_count)
    chunk = place[origin] * goal.chunks + np.tile(routes.piece[packet], len(orbits.moves))
    arrivals = chunk * network.order + network.heads[channels]
    order = np.lexsort((when, arrivals))
    first = np.ones(len(order), dtype=bool)
    first[1:] = arrivals[order[1:]] != arrivals[order[:-1]]
    keep = order[first]
    keep = keep[network.heads[channels[keep]] != origin[keep]]
    made = Schedule.from_columns(
        network,
        rules,
        goal,
        round=when[keep],
        channels=channels[keep],
        chunk=chunk[keep],
        name="flow",
    )
    return Plan.of(made).schedule(network, goal, "flow", rules)


def flow_routes(network: Network, orbits: Orbits, pieces: int = 1) -> FlowRoutes:
    """Routes of an all-to-all that no kind of channel carries many more of than others."""
    ends = network.endpoints.astype(np.int64)
    own = np.intersect1d(orbits.own, ends)
    _check_effort(network, len(own) * len(ends) * pieces)
    source, target = np.repeat(own, len(ends)), np.tile(ends, len(own))
    apart = source != target
    source, target = np.repeat(source[apart], pieces), np.repeat(target[apart], pieces)
    piece = np.tile(np.arange(pieces), int(apart.sum()))
    longest = _eccentricity(network, own, ends) + _EXTRA_HOPS
    require_memory(8 * longest * len(source), f"the routes of an all-to-all on {network.spec}")
    kinds = int(orbits.kinds.max(initial=-1)) + 1
    room = np.ones(kinds, dtype=np.int64)
    room[orbits.kinds] = network.room()
    routes = _blank(network, source, target, piece, longest, kinds)
    if len(source):
        level = float(pieces * exchange_bound(network).rounds)
        _along_router(network, routes, orbits.kinds)
        _Prices(network, orbits, routes, room, level).settle()
    return routes


def _blank(
    network: Network,
    source: IntArray,
    target: IntArray,
    piece: IntArray,
    longest: int,
    kinds: int | None = None,
) -> FlowRoutes:
    """Packets without paths."""
    table = np.zeros((len(source), longest), dtype=np.int32)
    load = np.zeros(len(network.heads) if kinds is None else kinds, dtype=np.int64)
    return FlowRoutes(source, target, piece, table, np.zeros(len(source), dtype=np.int64), load)


class _Prices:
    """Rounds of rerouting at rising prices; the best routes seen are kept."""

    def __init__(
        self, network: Network, orbits: Orbits, routes: FlowRoutes, room: IntArray, level: float
    ) -> None:
        self.network, self.orbits, self.routes, self.room = network, orbits, routes, room
        self.generator = np.random.default_rng(0)
        self.best = (routes.path.copy(), routes.length.copy(), routes.load.copy())
        self.least = float((routes.load / room).max(initial=0)) or np.inf
        self.level = level

    def settle(self, repairs: int | None = None, sharp: Sequence[float] = _SHARP) -> None:
        """Reroute all packets at each sharpness, then those on full channels, again and again."""
        count = len(self.routes.source)
        goal = ceil(self.level)
        sweeps, usual = _efforts(count, len(self.network.heads), len(sharp))
        for each in sharp[:: -(-len(sharp) // sweeps)]:
            if self.least <= goal:
                break
            self.reroute(self.generator.permutation(count), each, self.level)
        for i in range(usual if repairs is None else repairs):
            if self.least <= goal:
                break
            if i % _AFRESH == _AFRESH - 1:  # all packets anew, not to go round in circles
                anew = float(self.generator.uniform(1.0, 32.0))
                self.reroute(self.generator.permutation(count), anew, self.level)
            full = self.fullest(1 + int(self.generator.integers(0, 3)))
            each = self.least * float(self.generator.uniform(0.5, 3.0))
            self.reroute(self.generator.permutation(full), each, max(self.least - 1, 1.0))
        for best, now in zip(self.best, self.arrays(), strict=True):
            now[:] = best

    def arrays(self) -> tuple[IntArray, IntArray, IntArray]:
        return self.routes.path, self.routes.length, self.routes.load

    def reroute(self, order: IntArray, sharp: float, level: float) -> None:
        """New paths for these packets, one after the other."""
        from hopscape.collectives.flow_path_kernels import priced_paths

        check_time(f"routes on {self.network.spec}")
        net, routes = self.network, self.routes
        priced_paths(
            net.indptr,
            net.heads,
            net.tails,
            self.orbits.kinds.astype(np.int64),
            self.room,
            routes.source,
            routes.target,
            *self.arrays(),
            order.astype(np.int64),
            sharp,
            max(level, 1.0),
        )
        worst = float((routes.load / self.room).max(initial=0))
        tied = worst == self.least and routes.load.sum() < self.best[2].sum()
        if worst < self.least or tied:
            self.least = worst
            self.best = (routes.path.copy(), routes.length.copy(), routes.load.copy())

    def fullest(self, below: int) -> IntArray:
        """The packets on channels that carry more than so much below the most."""
        routes = self.routes
        full = routes.load / self.room > self.least - below
        taken = np.arange(routes.path.shape[1]) < routes.length[:, None]
        return np.nonzero((full[self.orbits.kinds[routes.path]] & taken).any(axis=1))[0]


def _eccentricity(network: Network, own: IntArray, ends: IntArray) -> int:
    """The largest distance that a packet goes; an error where there is no path."""
    rows = distance_rows(network, own)[:, ends]
    lost = unreached(rows)
    if lost.any():
        s, v = np.unravel_index(int(lost.argmax()), lost.shape)
        raise DisconnectedError(
            f"node {ends[v]} cannot be reached from node {own[s]} in {network.spec}"
        )
    return int(rows.max(initial=0))


def _efforts(packets: int, channels: int, sharps: int = len(_SHARP)) -> tuple[int, int]:
    """How many sweeps over all packets, and how many repairs after them."""
    sweeps = max(2, min(sharps, _WORK // (packets * channels)))
    repairs = max(_REPAIRS, min(10 * _REPAIRS, _REPAIR_WORK // packets))
    return sweeps, min(repairs, _REPAIR_SHARE * _WORK // (packets * channels))


def flow_cost(network: Network, goal: Goal, model: Model) -> float:
    """Steps of the search for routes, and of giving rounds to whole paths."""
    ends, channels = network.endpoint_count, len(network.heads)
    whole = model.switching != "store-and-forward"
    symmetric = not (whole or goal.groups) and network.symmetry is not None and network.one_speed
    if symmetric and network.symmetry is not None:
        ends = min(ends, len(network.symmetry.representatives))
    packets = max(1, ends * network.endpoint_count * goal.chunks)
    sweeps, repairs = _efforts(packets, max(1, channels))
    routes = _STEPS * packets * channels * (sweeps + repairs / _REPAIR_SHARE)
    return routes + (path_cost(packets) if whole else 0.0)


def _check_effort(network: Network, packets: int) -> None:
    """Say before it is begun when routing would take very long."""
    work = packets * len(network.heads)
    if work > _MOST_WORK:
        raise TooLargeError(
            f"routing {packets:,} packets by prices over {len(network.heads):,} channels would take"
            f" about {2 * _STEPS * work:.2g} steps; beyond {2 * _STEPS * _MOST_WORK:.2g} it is not"
            " begun"
        )


def _one_piece(network: Network, goal: Goal, model: Model, size: float) -> tuple[int, ...]:
    """Pieces multiply the work; where they were tried (torus(8, 8), 1 MB) they did not win."""
    return (1,)


SERVES = Served(
    ports=(None,),
    duplex=("full",),
    switching=("store-and-forward", "circuit", "cut-through"),
)
ALL_TO_ALL = Collective(
    "flow",
    "all-to-all",
    "routes that load all channels alike, near the flow bound, for any network",
    flow_schedule,
    SERVES,
    groups=True,
    cost=flow_cost,
)
ALL_GATHER = Collective(
    "flow",
    "all-gather",
    "a copy to everybody along routes that load all channels alike: for narrow endpoints",
    flow_schedule,
    SERVES,
    chunks=_one_piece,
    cost=flow_cost,
)


_SKEWS = (1, 2, 3, 4, 5, 7, 8)
_SAMPLE = 24
"""Rounds of which the load is counted to compare skews."""


class ShiftSequence(NamedTuple):
    """Rounds of an all-to-all among `ends` endpoints in groups of `size` that follow each other.

    Examples:
        >>> [row.tolist() for row in ShiftSequence(4).rounds()]
        [[1, 2, 3, 0], [2, 3, 0, 1], [3, 0, 1, 2]]
        >>> [row.tolist() for row in ShiftSequence(4, 2, 1).rounds()]
        [[0, 3, 2, 1], [1, 2, 3, 0], [2, 1, 0, 3], [3, 0, 1, 2]]
    """

    ends: int
    size: int = 1
    skew: int = 0

    def rounds(self, step: int = 1) -> Iterator[IntArray]:
        """To which endpoint each one sends (itself: nothing), every `step`-th round of them."""
        groups = self.ends // self.size
        group, member = np.divmod(np.arange(self.ends), self.size)
        for r in range(0 if self.skew else 1, self.ends, step):
            on, within = divmod(r, self.size)
            towards = (group + on + self.skew * member) % groups
            yield towards * self.size + (member + within) % self.size


def best_shifts(network: Network) -> ShiftSequence:
    """The shifts whose rounds keep the busiest channels of the network's own routes least busy."""
    count = network.endpoint_count
    candidates = [ShiftSequence(count)]
    for size in _group_sizes(network):
        candidates += [ShiftSequence(count, size, skew) for skew in _SKEWS if skew < count // size]
    if len(candidates) == 1:
        return candidates[0]
    return min(candidates, key=lambda shifts: _busy(network, shifts))


def _busy(network: Network, shifts: ShiftSequence) -> float:
    """For how long a round keeps its busiest channel busy, over some rounds."""
    router, room, ends = network.router(), network.room(), network.endpoints.astype(np.int64)
    total = 0.0
    for targets in shifts.rounds(max(1, shifts.ends // _SAMPLE)):
        sends = np.flatnonzero(targets != np.arange(shifts.ends))
        nodes, ports = router.walk(ends[sends], ends[targets[sends]])
        taken = ports >= 0
        channels = network.channel_at(nodes[:, :-1][taken], ports[taken])
        total += float((np.bincount(channels, minlength=len(room)) / room).max(initial=0))
    return total


def _group_sizes(network: Network) -> list[int]:
    """Sizes of equal groups of endpoints that follow each other: at one switch, or in one part.

    Parts are what the first entries of the address have in common.
    """
    ends = network.endpoints
    at = np.asarray(network.addresses.tuples(ends), dtype=np.int64)
    keys = [at[:, :k] for k in range(1, at.shape[1])]
    if (network.degrees[ends] == 1).all():
        keys.append(network.heads[network.indptr[ends]][:, None])
    sizes = set()
    for key in keys:
        new = np.concatenate([[True], (key[1:] != key[:-1]).any(axis=1)])
        lengths = np.diff(np.append(np.flatnonzero(new), len(ends)))
        if 1 < lengths[0] < len(ends) and (lengths == lengths[0]).all():
            sizes.add(int(lengths[0]))
    return sorted(sizes)
