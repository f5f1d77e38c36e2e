"""Proofs of results: claim, network and evidence in one record that a stranger can check.

Every function here returns a :class:`Proof`; :mod:`hopscape.proofs.check`, which imports nothing of
hopscape, accepts it or names the first error. A proof is checked before it leaves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from math import ceil, comb, gcd
from pathlib import Path
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import (
    ArgumentError,
    CheckFailedError,
    DisconnectedError,
    TooLargeError,
)
from hopscape.core.files import write_text
from hopscape.core.network import Network
from hopscape.core.numbers import signed_json
from hopscape.core.partial_sums import PartialSums
from hopscape.core.schedule import Schedule
from hopscape.core.verify import verify
from hopscape.proofs import check

__all__ = [
    "Proof",
    "prove_bisection",
    "prove_circulant",
    "prove_collective",
    "prove_deadlock_freedom",
    "prove_distances",
    "prove_throughput",
]

_MOST_NUMBERS = 4_000_000
"""Numbers of evidence in one file: about 40 MB of JSON, which a reviewer's machine still reads."""


@dataclass(frozen=True)
class Proof:
    """A claim with its evidence, accepted by the checker.

    Attributes:
        kind: What is claimed: ``deadlock-freedom``, ``bisection``, ...
        spec: The network's spec; the checker does not need it.
        record: The whole proof as JSON knows it.
        verdict: What the checker says of it.
    """

    kind: str
    spec: str
    record: dict[str, Any]
    verdict: str

    def save(self, path: str | Path) -> None:
        """Write it as JSON; the file appears whole or not at all."""
        write_text(path, signed_json(self.record))


def make_proof(
    kind: str,
    network: Network | None,
    claim: dict[str, Any],
    evidence: dict[str, Any],
    spec: str,
    *,
    links: bool = False,
    alike: bool = False,
) -> Proof:
    """A proof that the checker has accepted.

    Args:
        links: Say which channels are the two ways of a link.
        alike: Leave aside what channels carry.

    Raises:
        CheckFailedError: When the checker refuses it.
    """
    record = {
        "format": check.FORMAT,
        "version": check.VERSION,
        "kind": kind,
        "spec": spec,
        "network": None if network is None else _network_record(network, links, alike),
        "claim": claim,
        "evidence": evidence,
    }
    try:
        verdict = check.check(record)
    except check.Refused as error:
        raise CheckFailedError(f"the proof of {kind} for {spec} is refused: {error}") from error
    return Proof(kind, spec, record, verdict)


def _network_record(network: Network, links: bool = False, alike: bool = False) -> dict[str, Any]:
    """Nodes and channels; with `links` also which channels are the two ways of a link."""
    record: dict[str, Any] = {
        "order": network.order,
        "channels": np.stack([network.tails, network.heads], axis=1).tolist(),
    }
    if links:
        record["reverse"] = network.reverse.tolist()
    if network.endpoint_count < network.order:
        record["endpoints"] = network.endpoints.tolist()
    if not alike and (network.capacities() != 1).any():
        record["capacities"] = [plain(c) for c in _capacities(network)]
    return record


def _capacities(network: Network) -> list[Fraction]:
    """Thirds as thirds; what is no fraction of small numbers, as its digits say."""
    values = network.capacities().tolist()
    known = {x: Fraction(x).limit_denominator(10**6) for x in set(values)}
    known = {
        x: near if abs(near - Fraction(x)) <= Fraction(x) / 10**12 else Fraction(repr(float(x)))
        for x, near in known.items()
    }
    return [known[x] for x in values]


def plain(value: Fraction) -> int | str:
    return value.numerator if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


_MOST_STEPS = 100_000_000
"""Channels that the checker follows in searches: a third of a million in a second."""


def require_size(numbers: int, what: str) -> None:
    if numbers > _MOST_NUMBERS:
        raise TooLargeError(
            f"{what} would hold about {numbers:,} numbers; at most {_MOST_NUMBERS:,} are written"
        )


# -- distances ----------------------------------------------------------------------------------


def prove_distances(network: Network) -> Proof:
    """Diameter and mean distance, from one search per orbit of the automorphism group.

    Examples:
        >>> import hopscape
        >>> prove_distances(hopscape.build("petersen")).verdict
        'diameter 2, mean distance 5/3, from 1 of 10 nodes'
    """
    from hopscape.algebra.groups import automorphism_group
    from hopscape.metrics import distance_profile

    require_size(2 * len(network.heads), f"a proof of distances of {network.spec}")
    try:
        generators = list(automorphism_group(network, kinds=False).generators)
    except TooLargeError:  # every node is its own orbit: the checker searches from all of them
        generators = []
    require_size(network.order * len(generators), f"a proof of distances of {network.spec}")
    steps = _orbits(network.order, generators) * len(network.heads)
    if steps > _MOST_STEPS:
        raise TooLargeError(
            f"the checker of distances of {network.spec} would follow {steps:,} channels, in about"
            f" {ceil(steps / 20_000_000):,} minutes; at most {_MOST_STEPS:,} are asked of it"
        )
    profile = distance_profile(network)
    if profile.diameter is None:
        raise DisconnectedError(f"{network.spec} is not connected: it has no diameter")
    total = sum(d * int(pairs) for d, pairs in enumerate(profile.histogram))
    pairs = network.order * (network.order - 1)
    mean = Fraction(total, pairs) if pairs else Fraction(0)
    claim = {"diameter": int(profile.diameter), "mean": plain(mean)}
    evidence = {"automorphisms": [g.tolist() for g in generators]}
    return make_proof("distances", network, claim, evidence, network.spec)


def _orbits(order: int, generators: Sequence[IntArray]) -> int:
    """Nodes from which the checker searches."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    nodes = np.tile(np.arange(order), len(generators))
    images = np.concatenate([*generators, np.empty(0, dtype=np.int64)])
    moved = coo_array((np.ones(len(nodes)), (nodes, images)), shape=(order, order))
    count: Any = connected_components(moved, directed=False, return_labels=False)
    return int(count)


# -- flows: bisection and throughput ------------------------------------------------------------


def even_flows(
    network: Network, *, by_paths: bool = False
) -> list[tuple[int, dict[int, Fraction]]]:
    """What all endpoints send to each, split evenly over the channels that begin shortest paths.

    Args:
        by_paths: Over the shortest paths themselves: a channel counts as often as paths begin so.
    """
    backward: list[list[int]] = [[] for _ in range(network.order)]
    tails, heads = network.tails.tolist(), network.heads.tolist()
    for c, b in enumerate(heads):
        backward[b].append(c)
    flows = []
    endpoints = set(network.endpoints.tolist())
    for target in sorted(endpoints):
        dist, paths = {target: 0}, {target: 1}
        order = [target]
        for v in order:
            for c in backward[v]:
                if tails[c] not in dist:
                    dist[tails[c]], paths[tails[c]] = dist[v] + 1, 0
                    order.append(tails[c])
                if dist[tails[c]] == dist[v] + 1:
                    paths[tails[c]] += paths[v] if by_paths else 1
        if not endpoints <= dist.keys():
            raise DisconnectedError(f"{network.spec}: not all endpoints reach {target}")
        held = {v: Fraction(v in endpoints and v != target) for v in order}
        amounts: dict[int, Fraction] = {}
        for v in reversed(order):
            if v == target or not held[v]:
                continue
            begin, end = network.indptr[v : v + 2].tolist()
            each = held[v] / paths[v]
            for c in range(begin, end):
                if dist.get(heads[c], -1) == dist[v] - 1:
                    part = each * (paths[heads[c]] if by_paths else 1)
                    amounts[c] = amounts.get(c, Fraction(0)) + part
                    held[heads[c]] += part
        flows.append((target, amounts))
    return flows


def best_flows(
    network: Network, enough: Fraction, *, alike: bool = False
) -> tuple[list[tuple[int, dict[int, Fraction]]], Fraction]:
    """The even split of less load, and that load: over channels, or else over whole paths.

    Args:
        enough: A load that needs no better split.
        alike: All channels count alike.
    """
    first = even_flows(network)
    load = busiest_load(network, first, alike=alike)
    if load <= enough:
        return first, load
    other = even_flows(network, by_paths=True)
    less = busiest_load(network, other, alike=alike)
    return (other, less) if less < load else (first, load)


def flow_records(flows: Sequence[tuple[int, dict[int, Fraction]]]) -> list[Any]:
    return [[target, [[c, plain(x)] for c, x in sorted(amounts.items())]]
            for target, amounts in flows]  # fmt: skip


def busiest_load(
    network: Network,
    flows: Sequence[tuple[int, dict[int, Fraction]]],
    *,
    alike: bool = False,
) -> Fraction:
    """Largest load, over capacity unless all channels count alike."""
    load: dict[int, Fraction] = {}
    for _, amounts in flows:
        for c, x in amounts.items():
            load[c] = load.get(c, Fraction(0)) + x
    if alike:
        return max(load.values())
    capacity = _capacities(network)
    return max(x / capacity[c] for c, x in load.items())


def prove_bisection(network: Network, side: IntArray | None = None) -> Proof:
    """Bisection in links between two halves: a partition, and a flow that no cut can be below.

    The flow proves the least number exactly where shortest paths load all channels of a cut alike
    (tori, hypercubes, complete graphs); elsewhere the two numbers are bounds. What links carry is
    left aside, and a one-way channel counts whichever way it crosses, as in
    :func:`hopscape.metrics.bisection`.

    Args:
        side: A partition that is known already, 0 or 1 for each node.

    Examples:
        >>> import hopscape
        >>> prove_bisection(hopscape.build("hypercube(3)")).verdict
        'bisection between 4 and 4'
    """
    from hopscape.metrics.bisection import bisection, find_half

    if network.endpoint_count < 2:
        raise ArgumentError(f"{network.spec} has fewer than two endpoints: there is no bisection")
    require_size(network.endpoint_count * len(network.heads), f"a flow on {network.spec}")
    side = bisection(network).side if side is None else side
    side = find_half(network) if side is None else side  # a closed form names none
    inside = np.asarray(side).astype(bool)
    out, back = inside[network.tails], inside[network.heads]
    width = int(np.count_nonzero(out & ~back))
    width += 0 if network.duplex else int(np.count_nonzero(back & ~out))
    n, ways = network.endpoint_count, 1 if network.duplex else 2
    pairs, low = ways * (n // 2) * (n - n // 2), Fraction(0)
    try:
        flows, load = best_flows(network, Fraction(pairs, max(1, width)), alike=True)
        low = pairs / load
    except DisconnectedError:  # no flow connects all endpoints; a cut of nothing needs none
        flows = []
    claim = {"at_least": ceil(low), "at_most": width}
    evidence = {"side": np.nonzero(inside)[0].tolist(), "flows": flow_records(flows)}
    one_way = not network.duplex
    return make_proof(
        "bisection", network, claim, evidence, network.spec, links=one_way, alike=True
    )


def prove_throughput(network: Network) -> Proof:
    """Throughput of uniform traffic, as a share of the line rate of 1: a flow, and prices.

    The flow splits evenly over shortest paths; the prices are the same for all channels, or the
    dual solution of the linear program where that proves more.

    Examples:
        >>> import hopscape
        >>> prove_throughput(hopscape.build("torus(4, 4)")).record["claim"]
        {'at_least': '15/8', 'at_most': '15/8'}
    """
    require_size(network.endpoint_count * len(network.heads), f"a flow on {network.spec}")
    if network.endpoint_count < 2:
        raise ArgumentError(f"{network.spec} has fewer than two endpoints: nothing is sent")
    others, prices = network.endpoint_count - 1, [1] * len(network.heads)
    high = _priced_bound(network, prices)
    flows, load = best_flows(network, others / high)
    low = others / load
    if low < high and (dual := _dual_prices(network)) is not None:
        bound = _priced_bound(network, dual)
        high, prices = (bound, dual) if bound < high else (high, prices)
    claim = {"at_least": plain(low), "at_most": plain(high)}
    evidence = {"flows": flow_records(flows), "prices": prices}
    return make_proof("throughput", network, claim, evidence, network.spec)


_PROGRAM_SIZE = 40_000
"""Variables of the linear program: HiGHS solves so many in some seconds."""


def _dual_prices(network: Network) -> list[int] | None:
    """Prices of the channels in the best concurrent flow, as whole numbers; None if too large.

    One variable for each target and channel, and the share; the rows of the capacities carry the
    prices (linear programming duality).
    """
    n, m, ends = network.order, len(network.heads), network.endpoints.tolist()
    if len(ends) * m > _PROGRAM_SIZE:
        return None
    from scipy.optimize import linprog
    from scipy.sparse import coo_array, eye_array, hstack, kron

    channels = np.arange(m)
    signs = np.r_[np.ones(m), -np.ones(m)]
    places = np.r_[network.tails, network.heads], np.r_[channels, channels]
    incidence = coo_array((signs, places), shape=(n, m))
    demand = np.zeros((len(ends), n))
    for row, target in enumerate(ends):
        demand[row, ends] = 1 / (len(ends) - 1)
        demand[row, target] = -1
    balance: Any = hstack(
        [kron(eye_array(len(ends)), incidence), coo_array(-demand.reshape(-1, 1))]
    )
    load: Any = hstack([*[eye_array(m)] * len(ends), coo_array((m, 1))])
    cost = np.zeros(len(ends) * m + 1)
    cost[-1] = -1
    solution = linprog(cost, A_ub=load, b_ub=network.capacities().astype(float),
                    A_eq=balance, b_eq=np.zeros(balance.shape[0]), method="highs")  # fmt: skip
    if solution.status != 0:
        return None
    prices = -np.asarray(solution.ineqlin.marginals)
    largest = float(prices.max(initial=0.0))
    return None if largest <= 0 else [round(p / largest * 10**6) for p in prices.tolist()]


def _priced_bound(network: Network, prices: Sequence[int]) -> Fraction:
    """What no routing exceeds: total price of the capacities over that of the demands."""
    net = check.Network(_network_record(network))
    ends = net.endpoints
    worth = 0
    for a in ends:
        dist = net.distances(a, list(prices))
        worth += sum(dist[b] for b in ends)
    if worth == 0:
        return Fraction(10**9)
    total = sum((c * p for c, p in zip(net.capacity, prices)), Fraction(0))
    return total * (len(ends) - 1) / worth


# -- deadlock freedom ---------------------------------------------------------------------------


def prove_deadlock_freedom(network: Network, **options: Any) -> Proof:
    """Routes with classes of virtual channels, and ranks along which every dependency rises.

    Args:
        **options: As for :func:`hopscape.deadlock.find_classes`: ``router``, ``method``, ``most``.

    Raises:
        ArgumentError: When the routing can deadlock with the classes allowed.

    Examples:
        >>> import hopscape
        >>> proof = prove_deadlock_freedom(hopscape.build("torus(4, 4)"))
        >>> proof.record["claim"]
        {'classes': 2}
    """
    from hopscape.deadlock.classes import find_classes

    require_size(2 * network.endpoint_count * len(network.heads), f"routes of {network.spec}")
    table, classes, certificate = find_classes(network, **options)
    if not certificate.deadlock_free:
        raise ArgumentError(f"{network.spec}: {certificate.words()}")
    states = _States(network, table, classes)
    targets = [states.towards(int(t)) for t in network.endpoints]
    ranks = _ranks(len(network.heads), classes.count, targets)
    claim = {"classes": classes.count}
    named = {"method": classes.method, "router": str(table.router)}
    evidence = named | {"ranks": ranks, "targets": targets}
    return make_proof("deadlock-freedom", network, claim, evidence, network.spec)


class _States:
    """How packets may move: by the routing table and the rules of its classes."""

    def __init__(self, network: Network, table: Any, classes: Any) -> None:
        self.network, self.classes = network, classes
        self.port = table.port
        self.other = table.other if table.other is not None else table.port
        self.heads, self.indptr = network.heads.tolist(), network.indptr.tolist()

    def departures(self, at: int, target: int) -> list[tuple[int, int]]:
        """Channels by which a packet may leave a node, with the turn: 0, or 1 for a tie."""
        ports = int(self.port[at, target]), int(self.other[at, target])
        first = self.indptr[at]
        both = [(first + port, turn) for turn, port in enumerate(ports) if port >= 0]
        return both[:1] if ports[0] == ports[1] else both

    def entered(self, at: int, target: int, channel: int, turn: int) -> list[int]:
        """Classes in which a packet may begin, or enter a ring, on a channel."""
        c = self.classes
        if c.method == "dateline":
            sets = c.sets[(c.entry if turn == 0 else c.entry_other)[at, target]]
        elif c.method == "single" or c.layers.size == 1:
            sets = c.sets[int(c.layers.flat[0])] if c.method == "rising" else 1
        else:
            sets = c.sets[c.layers[at, target]]
        return [k for k in range(c.count) if sets >> k & 1]

    def follows(self, channel: int, kind: int, target: int) -> list[tuple[int, int]]:
        """Virtual channels that a packet may ask for next."""
        c, at, requests = self.classes, self.heads[channel], []
        for onward, turn in self.departures(at, target):
            same_ring = c.rings[channel] >= 0 and c.rings[onward] == c.rings[channel]
            if c.method == "dateline" and not same_ring:
                requests += [(onward, k) for k in self.entered(at, target, onward, turn)]
            elif c.method == "rising" and c.rings[channel] == 1 and c.rings[onward] == 0:
                requests.append((onward, kind + 1))
            else:
                requests.append((onward, kind))
        return requests

    def towards(self, target: int) -> dict[str, Any]:
        """Starts and moves of all packets to one endpoint."""
        starts = []
        for source in self.network.endpoints.tolist():
            if source != target:
                starts += [[source, c, k] for c, turn in self.departures(source, target)
                           for k in self.entered(source, target, c, turn)]  # fmt: skip
        left = list({(c, k) for _, c, k in starts})
        seen, moves = set(left), []
        while left:
            state = left.pop()
            if self.heads[state[0]] == target:
                continue
            for onward in self.follows(*state, target):
                moves.append([*state, *onward])
                if onward not in seen:
                    seen.add(onward)
                    left.append(onward)
        return {"target": target, "starts": starts, "moves": moves}


def _ranks(channels: int, classes: int, targets: Sequence[dict[str, Any]]) -> list[list[int]]:
    """A topological numbering of the virtual channels (Kahn 1962)."""
    size = channels * classes
    edges = {(c * classes + k, d * classes + j) for one in targets for c, k, d, j in one["moves"]}
    after: list[list[int]] = [[] for _ in range(size)]
    waiting = [0] * size
    for a, b in edges:
        after[a].append(b)
        waiting[b] += 1
    ready = [v for v in range(size) if not waiting[v]]
    rank = [-1] * size
    for number, v in enumerate(ready):
        rank[v] = number
        for b in after[v]:
            waiting[b] -= 1
            if not waiting[b]:
                ready.append(b)
    return [[rank[c * classes + k] for c in range(channels)] for k in range(classes)]


_MOST_ORDER = 200_000
"""Of circulants, to which the checker's sets of bits take minutes."""


# -- circulants ---------------------------------------------------------------------------------


def prove_circulant(nodes: int, generators: Sequence[int]) -> Proof:
    """No set of as many generators gives a circulant of this order with a smaller diameter.

    Examples:
        >>> prove_circulant(21, [1, 8]).verdict
        'no 2 generators of order 21 have a diameter below 3: 9 classes'
    """
    from hopscape.families.circulant import fold

    steps = list(fold(nodes, generators))
    if nodes < 3 or len(set(steps)) < len(steps):
        raise ArgumentError(
            f"order {nodes} and generators {tuple(generators)}: the order must be at least 3, and"
            " no two generators may be the same up to sign"
        )
    if comb(nodes // 2, len(steps)) > 2_000_000:
        raise TooLargeError(
            f"{comb(nodes // 2, len(steps)):,} sets of {len(steps)} generators of order {nodes}"
            " are more than the checker searches (2,000,000)"
        )
    if nodes > _MOST_ORDER:
        raise TooLargeError(f"order {nodes:,}: the checker searches circulants to {_MOST_ORDER:,}")
    diameter = check.circulant_diameter(nodes, steps, nodes)
    if diameter is None or gcd(nodes, *steps) != 1:
        raise ArgumentError(f"circulant({nodes}, {steps}) is not connected")
    units = [u for u in range(1, nodes) if gcd(u, nodes) == 1]
    seen: set[tuple[int, ...]] = set()
    classes = sets = 0
    for one in combinations(range(1, nodes // 2 + 1), len(steps)):
        sets += 1
        if one not in seen:
            classes += 1
            if (
                gcd(nodes, *one) == 1
                and check.circulant_diameter(nodes, one, diameter - 1) is not None
            ):
                raise ArgumentError(
                    f"{one} has a smaller diameter than {tuple(steps)}: not optimal"
                )
            seen.update(tuple(sorted(min(u * s % nodes, nodes - u * s % nodes) for s in one))
                        for u in units)  # fmt: skip
    claim = {"order": nodes, "generators": len(steps), "diameter": diameter}
    evidence = {"witness": steps, "sets": sets, "classes": classes}
    spec = f"circulant({nodes}, {', '.join(map(str, steps))})"
    return make_proof("circulant", None, claim, evidence, spec)


# -- collectives --------------------------------------------------------------------------------


def prove_collective(schedule: Schedule) -> Proof:
    """A schedule of hops or circuits, and what bounds its rounds from below: a distance, a cut or
    the growth of copies.

    Examples:
        >>> import hopscape
        >>> proof = prove_collective(hopscape.build("hypercube(3)").broadcast())
        >>> proof.verdict[:30]
        'broadcast in 3 rounds, optimal'
    """
    network, goal, model = schedule.network, schedule.goal, schedule.model
    if model.switching == "cut-through":
        raise ArgumentError(
            "proofs are written for store-and-forward and circuits; cut-through messages share"
            " channels, so that its rounds last differently long"
        )
    if model.packing == "packed" or (network.capacities() != 1).any():
        raise ArgumentError("proofs are written for one chunk on a channel in a round only")
    if isinstance(schedule, PartialSums):
        raise ArgumentError(
            f"proofs are written for one sum per node; {schedule.name!r} keeps several, take"
            " --algorithm generic"
        )
    verdict = verify(schedule)
    if not verdict:
        raise CheckFailedError(f"the schedule {schedule.name!r} fails its check: {verdict.reason}")
    require_size(2 * len(schedule.source) + len(schedule.channels), f"schedule {schedule.name}")
    if len(goal.groups) > 1 or goal.sources:
        raise ArgumentError("proofs are written for one group, and for one node that has the data")
    claim: dict[str, Any] = {
        "goal": goal.kind,
        "pieces": goal.chunks,
        "root": goal.root,
        "targets": list(goal.targets),
        "ports": model.ports,
        "duplex": model.duplex if network.duplex else "full",  # the same where links have one way
        "switching": model.switching,
        "in_network": model.in_network,
        "rounds": schedule.rounds,
    }
    if goal.groups:
        claim["members"] = list(goal.groups[0])
    claim["at_least"], bound = _round_bound(network, claim)
    evidence = {"transfers": _moves(schedule), "bound": bound}
    return make_proof(
        "collective", network, claim, evidence, network.spec, links=claim["duplex"] == "half"
    )


def _moves(schedule: Schedule) -> list[list[Any]]:
    """[round, channel, chunk], or the channels of a path where there are several."""
    rounds = np.repeat(np.arange(schedule.rounds) + 1, np.diff(schedule.round_start)).tolist()
    channels, start = schedule.channels.tolist(), schedule.path_start.tolist()
    paths = [channels[a:b] for a, b in pairwise(start)]
    rows = zip(rounds, paths, schedule.chunk.tolist(), strict=True)
    return [[r, path[0] if len(path) == 1 else path, chunk] for r, path, chunk in rows]


def _round_bound(network: Network, claim: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """The best of distances, of growth, and of cuts: round single nodes, halves, the worst cut."""
    net = check.Network(_network_record(network))
    origins, receivers, holders = check.promise(net, claim)
    reasons: list[dict[str, Any]] = [{"kind": "growth", "chunk": 0}] if receivers else []
    for source in (holders or sorted(set(origins))) if claim["switching"] != "circuit" else ():
        dist = net.distances(source)
        for chunk, row in enumerate(receivers):
            if holders or origins[chunk] == source:
                far = max(row, key=lambda v: dist[v] or 0)
                which = {"source": source, "target": far, "chunk": chunk}
                reasons.append({"kind": "distance", "length": dist[far] or 0} | which)
    reasons = reasons[:1] + sorted(reasons[1:], key=lambda one: -one["length"])[:1]
    sides = [*_node_sides(net, origins, receivers, holders), *_sides(network)]
    reasons += [{"kind": "cut", "side": side} for side in sides]
    best: tuple[int, dict[str, Any]] = 0, {"kind": "growth", "chunk": 0}
    for reason in reasons:
        reason.pop("length", None)
        try:
            least = check.least_rounds(net, claim, reason)
        except check.Refused:  # no channel leads into the set
            continue
        if least > best[0]:
            best = least, reason
    return best


def _node_sides(
    net: check.Network,
    origins: Sequence[int],
    receivers: Sequence[Sequence[int]],
    holders: Sequence[int],
) -> Iterator[list[int]]:
    """The node that most must enter for its channels, and all but the one that most must leave."""
    enter, leave = Counter[int](), Counter[int]()
    for chunk, row in enumerate(receivers):
        begin = holders or [origins[chunk]]
        enter.update(v for v in {*row} if len(begin) > 1 or begin[0] != v)
        leave.update(v for v in begin if any(w != v for w in row))
    pairs = [(a, b) for a, b in zip(net.tail, net.head, strict=True) if a != b]
    for need, width, inside in (
        (enter, Counter(b for _, b in pairs), True),
        (leave, Counter(a for a, _ in pairs), False),
    ):
        most = max(need, key=lambda v, n=need, w=width: n[v] / max(1, w[v]), default=0)  # type: ignore[misc]
        yield [v for v in range(net.order) if (v == most) == inside]


def _sides(network: Network) -> Iterator[list[int]]:
    """The set of nodes that is hardest to enter or to leave."""
    from hopscape.collectives.forest import bottleneck

    whole = np.ones(network.order, dtype=bool)
    if network.endpoint_count * len(network.heads) <= _CUT_SIZE:
        with suppress(DisconnectedError):
            side = bottleneck(network).side
            yield np.nonzero(side)[0].tolist()
            yield np.nonzero(whole & ~side)[0].tolist()


_CUT_SIZE = 10**6
"""Endpoints times channels up to which the worst cut is looked for: some seconds."""
