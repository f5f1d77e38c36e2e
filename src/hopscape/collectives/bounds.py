"""Lower bounds on rounds: what no schedule can beat, printed beside what is reached."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from hopscape.core.arrays import IntArray, NoWay
from hopscape.core.distances import distance_rows, distances_from, distances_to
from hopscape.core.errors import DisconnectedError, OutOfTimeError
from hopscape.core.family import Family
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.router import SearchRouter

__all__ = [
    "Bound",
    "Optimum",
    "bandwidth_optimum",
    "farthest",
    "informed_at_most",
    "least_rate",
    "lower_bounds",
]

# Bounds are computed before every contest, so that none may take more than about a second.
_ALL_PAIRS = 12_000
"""Nodes up to which networks are searched for distances."""
_PAIRS, _SOME = 16_000_000, 64
"""Distances that are looked at; beyond, those of some nodes, which are bounds as well."""
CUTS = 4_000_000
"""Sinks times channels up to which the worst cut is looked for."""
_FLOWS, _VARIABLES = 600, 4_000
"""Nodes up to which the flow bound is computed, and variables up to which it is exact."""
_SEARCHES = 5_000
"""Pairs whose distance takes a search each: a second's work in a machine of 200,000 nodes."""
_NECKS = 12
"""Distances from the root at which the network is taken apart."""


@dataclass(frozen=True)
class Bound:
    """At least so many rounds, and why."""

    rounds: int
    why: str


def lower_bounds(network: Network, goal: Goal, model: Model = Model()) -> list[Bound]:
    """Bounds on the number of rounds of any schedule, the strongest first.

    In cut-through messages share channels, and a round counts as much as its busiest channel
    carries.

    Args:
        model: All-port, full duplex, store-and-forward when left out.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("petersen")
        >>> for bound in lower_bounds(net, hopscape.Goal.all_gather()):
        ...     print(bound.rounds, bound.why)
        3 a node must receive 9 chunks over 3 channels
        3 90 hops must share 30 channels
        2 the largest distance is 2
        2 each round multiplies the informed nodes by at most 4
    """
    if goal.kind == "reduce":
        model = model.converging()
    if len(goal.groups) == 1:
        goal.members(network)
        return lower_bounds(network.among(goal.groups[0]), goal.everywhere(), model)
    bounds = [bound for part in _parts(goal) for bound in lower_bounds(network, part, model)]
    counted = model.packing == "unit" and model.switching != "cut-through"
    if not goal.groups:
        bounds += _distance_bounds(network, goal, model)
        bounds += [*_growth_bounds(network, goal, model), *_neck_bounds(network, goal, model)]
        if model.packing == "unit":
            bounds += [*_port_bounds(network, goal, model), *_arrival_bounds(network, goal, model)]
        if isinstance(network.family, Family) and not goal.sources:
            bounds += [Bound(*known) for known in network.family.bounds(network, goal, model)]
    if counted:
        bounds += [*_traffic_bounds(network, goal, model), *_call_bounds(network, goal, model)]
    if model.packing == "unit":
        top = max((bound.rounds for bound in bounds), default=0)
        more = [*_crossing_bounds(network, goal, model), *_rate_bounds(network, goal, model)]
        bounds += [bound for bound in more if bound.rounds > top]
    best: dict[str, Bound] = {}
    for bound in sorted(bounds, key=lambda bound: -bound.rounds):
        if bound.rounds > 0:
            best.setdefault(bound.why, bound)
    return list(best.values())


def _parts(goal: Goal) -> list[Goal]:
    """The goals of several groups, none where there is one or all endpoints."""
    return goal.parts() if len(goal.groups) > 1 else []


def _distance_bounds(network: Network, goal: Goal, rules: Model) -> list[Bound]:
    """A chunk moves one hop per round, unless circuits carry it farther."""
    if rules.switching != "store-and-forward":
        promise = goal.on(network) if goal.kind == "permutation" else None
        if promise is not None and (promise.origins != promise.destinations).any():
            return [Bound(1, "a datum goes to another node")]
        return []
    hops = 0
    if goal.root is not None:
        inward = goal.kind in ("gather", "reduce")
        reach = distances_to(network, goal.root) if inward else _from_nearest(network, goal)
        promise = goal.on(network)
        hops = _farthest(network, reach[promise.wanted], -1)
        direction = "to" if inward else "from"
        whom = "the nearest source" if goal.sources else f"node {goal.root}"
        return [Bound(hops, f"the largest distance {direction} {whom} is {hops}")]
    if goal.kind == "permutation":
        apart, some = _pair_distances(network, goal)
        hops = _farthest(network, apart, -1)
        what = f"two nodes are {hops} hops apart" if some else f"the largest distance is {hops}"
        return [Bound(hops, what)]
    if network.facts.diameter is not None and not network.has_switches:
        hops = network.facts.diameter
    elif network.order <= _ALL_PAIRS:
        nodes = _representatives(network)
        some = len(nodes) * network.order > _PAIRS
        rows = distance_rows(network, nodes[:_SOME] if some else nodes)
        hops = _farthest(network, rows[:, network.endpoints], NoWay(rows.dtype).value)
        return [
            Bound(
                hops,
                f"{'two nodes are' if some else 'the largest distance is'} {hops}"
                + " hops apart" * some,
            )
        ]
    return [Bound(hops, f"the largest distance is {hops}")]


def farthest(network: Network, goal: Goal) -> int:
    """Hops that some data must go, whatever the schedule; a little less on large networks.

    Examples:
        >>> import hopscape
        >>> farthest(hopscape.build("torus(8, 8)"), Goal.all_gather())
        8
    """
    if len(goal.groups) > 1:
        return max(farthest(network, part) for part in goal.parts())
    if len(goal.groups) == 1:
        return farthest(network.among(goal.groups[0]), goal.everywhere())
    far = _distance_bounds(network, goal, Model())
    return far[0].rounds if far else 0


def _farthest(network: Network, distances: IntArray, none: int) -> int:
    """The largest distance; an error where one is `none`, which means that there is no path."""
    if (distances == none).any():
        raise DisconnectedError(
            f"{network.spec} has nodes that cannot be reached, so that no schedule exists"
        )
    return int(distances.max(initial=0))


def _representatives(network: Network) -> IntArray:
    if network.symmetry is not None and not network.has_switches:
        return np.asarray(network.symmetry.representatives, dtype=np.int64)
    return network.endpoints.astype(np.int64)


def _pair_distances(network: Network, goal: Goal) -> tuple[IntArray, bool]:
    """How far the data of a permutation go; of some, where they are many and take searches."""
    promise = goal.on(network)
    source, target = promise.origins, promise.destinations
    router = network.router(pairs=len(source))
    some = isinstance(router, SearchRouter) and len(source) > _SEARCHES
    if some:
        source, target = (x[:: -(-len(x) // _SEARCHES)] for x in (source, target))
    return router.distances(source, target).astype(np.int64), some


def _growth_bounds(network: Network, goal: Goal, rules: Model) -> list[Bound]:
    """With k ports the number of informed nodes grows at most by the factor k + 1 per round."""
    if goal.kind == "permutation":
        return []
    inward = goal.kind in ("reduce", "gather", "reduce-scatter")
    widths = np.diff(network.reversed_csr()[0]) if inward else network.degrees
    if rules.switching == "cut-through":  # a wide channel takes several messages to several nodes
        at = network.heads if inward else network.tails
        widths = np.bincount(at, weights=network.room(), minlength=network.order).astype(np.int64)
    if rules.ports is not None:
        widths = np.minimum(widths, rules.ports)
    may = np.ones(network.order, dtype=bool)
    if rules.switching != "store-and-forward" and not rules.in_network:
        may[:] = False
        may[network.endpoints] = True  # switches do not copy
    have = [goal.root, *goal.sources] if goal.root is not None else []
    if not have:
        have = [int(network.endpoints[np.argmin(widths[network.endpoints])])]
    may[have] = False
    most = informed_at_most(widths[have], widths[may], len(have) + _others(network, goal))
    fastest = int(widths[may].max(initial=int(widths[have].max(initial=0))))
    plain = [len(have) * (fastest + 1) ** r for r in range(len(most))]
    if most[:-1] == plain[:-1]:
        reason = f"each round multiplies the informed nodes by at most {fastest + 1}"
        return [Bound(len(most) - 1, reason)]
    told = ", ".join(map(str, most[1:]))
    return [Bound(len(most) - 1, f"at most {told} nodes have it after each round, by their links")]


def _neck_bounds(network: Network, goal: Goal, rules: Model) -> list[Bound]:
    """What circuits bring into a part of the network: by the links into it, and from inside.

    The parts are what is left in one piece when the nodes within some distance of the root are
    taken away.
    """
    if rules.switching != "circuit" or goal.kind not in ("broadcast", "one-to-many"):
        return []
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    away = _from_nearest(network, goal)
    best = Bound(0, "")
    wanted = np.isin(np.arange(network.order), goal.on(network).wanted)
    starts = np.isin(np.arange(network.order), network.endpoints) | rules.in_network
    widths = np.where(starts, np.minimum(network.degrees, rules.ports or network.ports), 0)
    tails, heads = network.tails, network.heads
    for radius in range(min(int(away.max(initial=0)), _NECKS)):
        outside = (away > radius) | (away < 0)
        inner = outside[tails] & outside[heads]
        ones = np.ones(int(inner.sum()), dtype=np.int8)
        matrix = csr_array((ones, (tails[inner], heads[inner])), shape=(network.order,) * 2)
        _, part = connected_components(matrix, directed=False)
        into = np.bincount(part[heads[~outside[tails] & outside[heads]]], minlength=network.order)
        for k in np.unique(part[outside & wanted]).tolist():
            mine = part == k
            most = informed_at_most(
                widths[:0], widths[mine], int((mine & wanted).sum()), int(into[k])
            )
            if into[k] and len(most) - 1 > best.rounds:
                told = ", ".join(map(str, most[1:]))
                why = (
                    f"{into[k]} channels lead to {mine.sum()} nodes, at most {told} informed there"
                )
                best = Bound(len(most) - 1, f"{why} after each round")
    return [best] if best.rounds else []


def _from_nearest(network: Network, goal: Goal) -> IntArray:
    """Distances from the nearest node that has the data, -1 where there is no path."""
    assert goal.root is not None
    reach: IntArray = distances_from(network, goal.root)
    for node in goal.sources:
        other = distances_from(network, node)
        reach = np.where((reach < 0) | ((other >= 0) & (other < reach)), other, reach)
    return reach


def informed_at_most(have: IntArray, others: IntArray, whom: int, more: int = 0) -> list[int]:
    """How many nodes have a message before and after each round, at most, until `whom` have it.

    Args:
        have, others (int64[...]): How many a node can send in a round: those that have it at first,
            and all others, of which the widest get it first.
        more: How many get it in every round from elsewhere.

    Examples:
        >>> informed_at_most(np.array([2]), np.array([2, 2, 2, 3, 3, 3, 3, 4]), 9)  # a 3 x 3 mesh
        [1, 3, 12]
    """
    most = [len(have)]
    first, sent = int(have.sum()) + more, np.concatenate([[0], np.cumsum(np.sort(others)[::-1])])
    while most[-1] < whom:
        new = first + int(sent[min(most[-1] - len(have), len(sent) - 1)])
        if not new:
            break
        most.append(most[-1] + new)
    return most


def _others(network: Network, goal: Goal) -> int:
    """How many nodes must be served besides those that have it (or besides any one endpoint)."""
    if goal.root is None and goal.kind != "permutation":
        return network.endpoint_count - 1
    wanted = goal.on(network).wanted
    if goal.root is None:
        return len(wanted) - 1
    return len(np.setdiff1d(wanted, [goal.root, *goal.sources]))


def _port_bounds(network: Network, goal: Goal, rules: Model) -> list[Bound]:
    """What must enter or leave one node, over the channels it has for that."""
    ends = network.endpoint_count
    others = (ends - 1) * goal.chunks
    if goal.kind in ("scatter", "gather") and goal.root is not None:
        verb = "send" if goal.kind == "scatter" else "receive"
        return [_through(network, goal.root, _others(network, goal), verb, rules)]
    if goal.kind == "all-gather":
        return [_through(network, _narrowest(network, into=True), others, "receive", rules)]
    if goal.kind in ("all-to-all", "reduce-scatter"):
        return [_through(network, _narrowest(network, into=False), others, "send", rules)]
    chunks = goal.chunks if _others(network, goal) else 0
    if goal.kind == "all-reduce":
        node = _narrowest(network, into=False)
        return [_spread(network, node, chunks, network.endpoints, rules)]
    sent = goal.kind in ("broadcast", "one-to-many") and goal.chunks > 1 and not goal.sources
    if sent and goal.root is not None:
        return [_spread(network, goal.root, chunks, goal.on(network).wanted, rules)]
    return []


def _narrowest(network: Network, into: bool) -> int:
    at = network.heads if into else network.tails
    width = np.bincount(at, weights=network.room(), minlength=network.order)
    ends = network.endpoints
    return int(ends[np.argmin(width[ends])])


def _access(
    network: Network, node: int, chunks: int, verb: str, rules: Model
) -> tuple[int, str, IntArray]:
    """Rounds for so many chunks at one node, why, and the nodes beside it."""
    ends = (network.heads, network.tails)
    at, beside = ends if verb == "receive" else ends[::-1]
    mine = at == node
    circuits = rules.switching == "circuit"  # which have a channel to themselves
    width = int(mine.sum() if circuits else network.room()[mine].sum())
    if rules.ports is not None:
        width = min(width, rules.ports)
    rounds = -(-chunks // width) if width else 0
    plural = "s" if width != 1 else ""
    return rounds, f"a node must {verb} {chunks} chunks over {width} channel{plural}", beside[mine]


def _through(network: Network, node: int, chunks: int, verb: str, rules: Model) -> Bound:
    """What a node exchanges with other endpoints; beside switches its channels idle for a round."""
    rounds, why, beside = _access(network, node, chunks, verb, rules)
    others = np.setdiff1d(network.endpoints, [node])
    hop_by_hop = network.has_switches and rules.switching == "store-and-forward"
    if rounds and hop_by_hop and not np.isin(beside, others).any():
        return Bound(rounds + 1, f"{why}, through a switch")
    return Bound(rounds, why)


def _spread(network: Network, node: int, chunks: int, wanted: IntArray, rules: Model) -> Bound:
    """What all must get from a node: the last chunk leaves it, then goes to the farthest."""
    rounds, why, _ = _access(network, node, chunks, "send", rules)
    hop_by_hop = rules.switching == "store-and-forward"
    if rounds and hop_by_hop and network.order <= _ALL_PAIRS:
        more = _farthest(network, distances_from(network, node)[wanted], -1) - 1
        if more > 0:
            return Bound(rounds + more, f"{why}, and the last goes {more} hops more")
    return Bound(rounds, why)


def _arrival_bounds(network: Network, goal: Goal, rules: Model) -> list[Bound]:
    """Sums that come to endpoints, where switches only forward: 2 (n - 1) for every chunk.

    So many one-way messages gossip takes (Harary and Schwenk 1974).
    """
    ends = network.endpoints
    if goal.kind != "all-reduce" or rules.switching == "store-and-forward" or rules.in_network:
        return []
    room = None if rules.switching == "circuit" else network.room()  # circuits have a channel each
    widths = np.bincount(network.heads, weights=room, minlength=network.order)[ends]
    lanes = int((widths if rules.ports is None else np.minimum(widths, rules.ports)).sum())
    count = 2 * (len(ends) - 1) * goal.chunks
    if not lanes:
        return []
    return [Bound(-(-count // lanes), f"{count} sums must come to endpoints by {lanes} channels")]


@dataclass(frozen=True)
class Optimum:
    """What no schedule for long data beats: rounds per chunk of every endpoint, and why.

    Attributes:
        rounds: Reached in the limit of many pieces.
        why: The cut or the channels that prove it.
        exact: Is it reached, or only a bound?
    """

    rounds: Fraction
    why: str
    exact: bool = True


_KNOWN: WeakKeyDictionary[Network, dict[object, Any]] = WeakKeyDictionary()
"""What was found for networks that are still in use: bounds, searches and reports ask again."""


def bandwidth_optimum(network: Network, goal: Goal) -> Optimum | None:
    """The best rate of an all-gather, reduce-scatter or all-to-all with long data, all ports.

    None for other goals, for several groups, and where it would take long to find.

    Examples:
        >>> import hopscape
        >>> bandwidth_optimum(hopscape.build("torus(8, 8)"), Goal.all_gather())
        Optimum(rounds=Fraction(63, 4), why='63 chunks must enter node 0, at most 4 in a round', ...
    """
    try:
        if network.order > _ALL_PAIRS:
            return _bandwidth_optimum(network, goal)
        known = _KNOWN.setdefault(network, {})
        key = goal.kind, goal.groups, *_own(network)
        if key not in known:
            known[key] = _bandwidth_optimum(network, goal)
    except OutOfTimeError:
        return None
    found: Optimum | None = known[key]
    return found


def _own(network: Network) -> tuple[bytes, bytes]:
    """What networks that are equal by their wiring may differ in: endpoints and capacities."""
    return network.endpoints.tobytes(), network.room().tobytes()


def _bandwidth_optimum(network: Network, goal: Goal) -> Optimum | None:
    if len(goal.groups) == 1:
        return bandwidth_optimum(network.among(goal.groups[0]), goal.everywhere())
    few = not network.materialised and network.order > _ALL_PAIRS
    if goal.groups or network.endpoint_count < 2 or few:
        return None
    if goal.kind in ("all-gather", "reduce-scatter"):
        from hopscape.collectives.forest import bottleneck, cut_effort

        backwards = goal.kind == "reduce-scatter"
        if (backwards and not network.duplex) or cut_effort(network) > CUTS:
            return None
        cut = bottleneck(network)
        why = cut.describe() + (", in the all-gather that runs backwards" if backwards else "")
        return Optimum(cut.rounds, why)
    if goal.kind == "all-to-all" and network.order <= _FLOWS:
        from hopscape.collectives.flows import exchange_bound

        flow = exchange_bound(network, _VARIABLES)
        return Optimum(flow.rounds, flow.describe(), flow.exact)
    return None


def _crossing_bounds(network: Network, goal: Goal, rules: Model) -> list[Bound]:
    """What must cross a cut, or share the channels whatever the routes are.

    Where messages share channels, a round counts as much as its busiest channel carries.
    """
    optimum = bandwidth_optimum(network, goal)
    if optimum is None:
        return []
    pieces = f" ({goal.chunks} pieces of each)" if goal.chunks > 1 else ""
    rounds = optimum.rounds * goal.chunks
    if rules.switching != "cut-through" or network.one_speed:
        return [Bound(ceil(rounds), optimum.why + pieces)]
    unit = float(network.capacities().max(initial=1.0)) / float(network.room().max(initial=1))
    return [Bound(int(float(rounds) / unit), optimum.why + pieces)]


def _call_bounds(network: Network, goal: Goal, rules: Model) -> list[Bound]:
    """All hops that must be made, over what the ports of all nodes allow in a round."""
    if rules.ports is None or rules.switching != "store-and-forward" or len(goal.groups) > 1:
        return []
    if network.order > _ALL_PAIRS:
        return []
    sends = np.minimum(network.degrees, rules.ports)
    takes = np.minimum(np.diff(network.reversed_csr()[0]), rules.ports)
    most = int(min(sends.sum(), takes.sum()))
    if rules.duplex == "half":  # a message takes a port of both its ends, whichever way it goes
        inward = np.bincount(network.heads, minlength=network.order)
        both = np.bincount(network.tails[network.reverse >= 0], minlength=network.order)
        joined = np.minimum(network.degrees + inward - both, rules.ports)
        most = min(most, int(joined.sum()) // 2)
    hops = _least_hops(network, goal)
    if not hops or not most:
        return []
    return [Bound(-(-hops // most), f"{hops} hops, of which ports allow {most} in a round")]


def least_rate(network: Network, goal: Goal, rules: Model) -> float | None:
    """Rounds per chunk under rules of ports and duplex; None: nothing is known."""
    plain = rules.ports is None and rules.duplex == "full"
    kinds = ("all-gather", "reduce-scatter", "all-to-all")
    if plain or goal.groups or goal.kind not in kinds or network.order > _FLOWS:
        return None
    if goal.kind == "reduce-scatter" and not network.duplex:
        return None
    from hopscape.collectives.rates import exchange_rate, gather_rate

    known = _KNOWN.setdefault(network, {})
    key = (*_own(network), goal.kind, rules.ports, rules.duplex, rules.switching, rules.in_network)
    if key not in known:
        known[key] = (exchange_rate if goal.kind == "all-to-all" else gather_rate)(network, rules)
    found: float | None = known[key]
    return found


def _rate_bounds(network: Network, goal: Goal, rules: Model) -> list[Bound]:
    """What few ports or links in half duplex let through, by a linear program."""
    rounds = least_rate(network, goal, rules)
    if rounds is None:
        return []
    why = f"no rates of the channels under {rules.describe().split(', ')[0]}, {rules.duplex} duplex"
    return [Bound(ceil(goal.chunks * rounds - 1e-6), f"{why} are enough for fewer")]


def _traffic_bounds(network: Network, goal: Goal, rules: Model) -> list[Bound]:
    """All hops that must be made, over all channels (links, in half duplex)."""
    room = None if network.one_speed else network.room()
    noun = "links" if rules.duplex == "half" else "channels"
    lanes = network.links if rules.duplex == "half" else network.channels
    if room is not None:
        once = network.reverse < np.arange(len(room))  # a duplex link once
        lanes = int(room[once].sum() if rules.duplex == "half" else room.sum())
    hops = sum(_least_hops(network.among(part.groups[0]), part) for part in _parts(goal))
    hops = hops if goal.groups else _least_hops(network, goal)
    if not hops or not lanes:
        return []
    return [Bound(-(-hops // lanes), f"{hops} hops must share {lanes} {noun}")]


def _least_hops(network: Network, goal: Goal) -> int:
    """Hops that any schedule makes; of a group on the network among its endpoints."""
    ends = network.endpoint_count
    if goal.kind in ("all-gather", "reduce-scatter"):
        return ends * (ends - 1) * goal.chunks
    if goal.kind == "all-reduce" and goal.chunks > 1:
        return 2 * (ends - 1) * goal.chunks
    if goal.kind == "permutation":
        pairs, _ = _pair_distances(network, goal)
        _farthest(network, pairs, -1)
        return int(pairs.sum())
    if goal.kind == "all-to-all":
        mean = network.facts.mean_distance
        if mean is not None and not network.has_switches:
            return goal.chunks * round(mean * ends * (ends - 1))
        if ends * network.order <= _PAIRS:
            rows = distance_rows(network, network.endpoints)[:, network.endpoints]
            _farthest(network, rows, NoWay(rows.dtype).value)
            return goal.chunks * int(rows.sum(dtype=np.int64))
    return 0
