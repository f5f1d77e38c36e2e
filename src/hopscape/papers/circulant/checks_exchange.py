"""Checks of routing, broadcast and what faults do to them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from hopscape.core.distances import distances_from
from hopscape.core.network import Network
from hopscape.core.verify import verify
from hopscape.families.circulant.detours import FaultRouter
from hopscape.families.circulant.routing import CirculantRouter
from hopscape.families.circulant.wiring import Circulant
from hopscape.ledger.claim import Outcome, judge
from hopscape.papers.circulant.broadcast import broadcast, node_local_broadcast
from hopscape.papers.circulant.families import GammaCirculant, OptimalCirculant
from hopscape.papers.circulant.memoryless import ForwardingRule, repaired_broadcast
from hopscape.papers.circulant.printed import distances, printed_distance, printed_vector, shown

_DEAD = (3, 17, 30, 31, 44)


def _nodes() -> Iterator[tuple[GammaCirculant, int, int]]:
    """Members, their nodes, and how far each is from node 0."""
    for p in (2, 4, 6, 8):
        member = GammaCirculant(p)
        for v, d in enumerate(distances(member.order, member.generators).tolist()):
            yield member, v, d


def theorem3() -> Outcome:
    wrong, nodes = [], 0
    for member, v, d in _nodes():
        nodes += 1
        if printed_distance(member.p, v) != d:
            wrong.append(f"p = {member.p}, v = {v}")
    return judge(wrong, f"{nodes:,} nodes compared")


def path_vector() -> Outcome:
    wrong, nodes = [], 0
    for member, v, d in _nodes():
        nodes += 1
        x = printed_vector(member.p, v)
        there = sum(a * s for a, s in zip(x, member.generators, strict=True)) % member.order
        if there != v or sum(map(abs, x)) != d:
            wrong.append(f"p = {member.p}, v = {v}: {x}")
    return judge(wrong, f"{nodes:,} nodes compared")


def pair_routing() -> Outcome:
    """Walk by the vector: every order of the ports, each step over a wire of the network."""
    wrong, walks = [], 0
    network = Network.of(GammaCirculant(2))
    hops = distances_from(network, 0)
    for v in range(1, network.order):
        vector = printed_vector(2, v)
        ports = [2 * i + (x < 0) for i, x in enumerate(vector) for _ in range(abs(x))]
        for order in set(itertools.permutations(ports)):
            walks += 1
            here = 0
            for port in order:
                here = int(network.neighbours(here)[port])
            if here != v or len(order) != hops[v]:
                wrong.append(f"v = {v} by ports {order}: ends at {here}")
    return judge(wrong, f"{walks:,} walks to the {network.order - 1} nodes of {network.spec}")


def routing_17() -> Outcome:
    wrong, nodes = [], 0
    for d in (2, 3, 4, 5, 6):
        network = Network.of(OptimalCirculant(d, "17"))
        router = network.router("closed")
        assert isinstance(router, CirculantRouter)
        hops, everybody = distances_from(network, 0), np.arange(network.order)
        nodes += network.order
        vectors = router.vectors(np.zeros_like(everybody), everybody)
        there = vectors @ np.asarray(router.generators) % network.order
        bad = (there != everybody) | (np.abs(vectors).sum(axis=1) != hops)
        wrong += [f"d = {d}, v = {v}: {vectors[v].tolist()}" for v in np.nonzero(bad)[0].tolist()]
        if "(17)" not in router.name:
            wrong.append(f"d = {d}: no closed form, but {router.name}")
    return judge(wrong, f"{nodes:,} nodes compared")


class _Run(NamedTuple):
    rounds: int
    messages: int
    duplicates: int
    complete: bool
    late: int


def _run(p: int, printed: bool = True, root: int = 0) -> _Run:
    """The broadcast, verified, and its first copies against the distances."""
    network = Network.of(GammaCirculant(p))
    schedule = node_local_broadcast(network, root, printed=printed)
    verdict = verify(schedule)
    first = np.full(network.order, -1)
    rounds = schedule.round
    for t in range(schedule.transfers - 1, -1, -1):
        first[schedule.target[t]] = rounds[t] + 1
    first[root] = 0
    late = int((first != distances_from(network, root)).sum())
    details = verdict.details
    return _Run(schedule.rounds, details["messages"], details["duplicates"], verdict.holds, late)


def broadcast_complete() -> Outcome:
    found = {p: _run(p) for p in (2, 4, 6)}
    wrong = [
        f"p = {p}: {f.rounds} rounds, {'all' if f.complete else 'not all'} nodes served"
        for p, f in found.items()
        if not f.complete or f.rounds != 3 * p // 2
    ]
    return judge(wrong, f"rounds {', '.join(str(f.rounds) for f in found.values())}")


def broadcast_time() -> Outcome:
    late = {p: _run(p).late for p in (2, 4, 6)}
    wrong = [f"p = {p}: {n} nodes not at their distance" for p, n in late.items() if n]
    return judge(wrong, f"nodes served later than at their distance: {sum(late.values())}")


def broadcast_load() -> Outcome:
    sizes = (2, 4, 6)
    found, mended = [_run(p) for p in sizes], [_run(p, printed=False) for p in sizes]
    extra = [f.duplicates for f in found]
    wrong = [f"p = {p}: {n} duplicates" for p, n in zip(sizes, extra, strict=True) if n]
    formula = " = (p-1)² + 1" if extra == [(p - 1) ** 2 + 1 for p in sizes] else ""
    measured = f"duplicates as printed: {', '.join(map(str, extra))}{formula}"
    left = [f"{f.messages} messages, {f.duplicates} duplicates, {f.late} late" for f in mended]
    return judge(wrong, f"{measured}; with a copy also stopped when U = p: {'; '.join(left)}")


def broadcast_any_source() -> Outcome:
    wrong, roots = [], 0
    for p, root in ((2, 7), (2, 54), (4, 100)):
        roots += 1
        here, there = _run(p, root=root), _run(p)
        if here != there:
            wrong.append(f"p = {p} from {root}: {here}, from 0: {there}")
    return judge(wrong, f"{roots} roots compared with node 0")


def memoryless() -> Outcome:
    wrong, graphs = [], 0
    for nodes, steps in ((55, (1, 5, 21)), (48, (1, 20)), (30, (2, 15, 7)), (97, (3, 10, 25, 40))):
        graphs += 1
        network = Network.of(Circulant(nodes, steps))
        schedule = broadcast(network, 5)
        verdict = verify(schedule)
        if not verdict.holds or schedule.transfers != nodes - 1:
            wrong.append(f"{network.spec}: {verdict.reason}")
        if schedule.rounds != int(distances(nodes, steps).max()):
            wrong.append(f"{network.spec}: {schedule.rounds} rounds")
        rule = ForwardingRule(network)
        sent = {(v, copy.port) for v in range(nodes) for copy in rule.at(v, root=5).sends}
        tails = np.searchsorted(network.indptr, schedule.channels, side="right") - 1
        made = set(zip(tails.tolist(), network.port_of(schedule.channels).tolist(), strict=True))
        if sent != made:
            wrong.append(f"{network.spec}: the rule of a node differs from the schedule")
    return judge(wrong, f"{graphs} graphs: N - 1 messages at breadth-first times, node by node")


def np_hard() -> Outcome:
    return Outcome(
        "open",
        "-",
        "cited, for an unbounded number of generators; for up to six the router here is exact",
    )


def machines() -> Outcome:
    return Outcome("open", "-", "which machines were built so is no matter of computation")


def survivable() -> Outcome:
    from hopscape.metrics import node_connectivity

    wrong, found = [], []
    for nodes, steps in ((21, (1, 3, 8)), (55, (1, 5, 21)), (111, (1, 7, 43)), (117, (1, 16, 22))):
        value = node_connectivity(Network.of(Circulant(nodes, steps)), exact=True).value
        found.append(str(value))
        if value != 2 * len(steps):
            wrong.append(f"{shown(nodes, steps)}: {value} of {2 * len(steps)}")
    return judge(wrong, f"vertex connectivity {', '.join(found)}: the degree is the most")


def _around(dead: tuple[int, ...]) -> list[list[int]]:
    """Distances between live nodes of (55; 1, 5, 21), by search that avoids the dead ones."""
    rows = []
    for source in range(55):
        hops = [-1] * 55
        hops[source], queue = 0, [source]
        for u in queue:
            for s in (1, 5, 21, -1, -5, -21):
                v = (u + s) % 55
                if hops[v] < 0 and v not in dead:
                    hops[v] = hops[u] + 1
                    queue.append(v)
        rows.append(hops)
    return rows


def fault_routing() -> Outcome:
    network = Network.of(Circulant(55, (1, 5, 21)))
    router = network.router("closed")
    assert isinstance(router, CirculantRouter)
    faults, hops = FaultRouter(router, _DEAD), _around(_DEAD)
    wrong, pairs, longer = [], 0, 0
    alive = [v for v in range(55) if v not in _DEAD]
    for a, b in itertools.permutations(alive, 2):
        pairs += 1
        found = faults.route(a, b)
        steps = [(v - u) % 55 for u, v in itertools.pairwise(found.path)]
        sound = all(s in (1, 5, 21, 54, 50, 34) for s in steps)
        ends = found.path and (found.path[0], found.path[-1]) == (a, b)
        if not (found.delivered and sound and ends) or set(found.path) & set(_DEAD):
            wrong.append(f"from {a} to {b}: {found.path}")
        longer += len(steps) > hops[a][b]
    return judge(wrong, f"{pairs:,} pairs with 5 dead nodes, {longer} by a longer way than needed")


def fault_broadcast() -> Outcome:
    network = Network.of(Circulant(55, (1, 5, 21)))
    wrong, runs, most = [], 0, 0
    for dead in (_DEAD, (1,), (5, 50), (1, 5, 21, 54, 50), tuple(range(20, 25))):
        runs += 1
        repair = repaired_broadcast(network, 0, dead)
        verdict = verify(repair.schedule)
        heads = set(repair.schedule.target.tolist())
        missing = set(range(1, 55)) - set(dead) - heads
        most = max(most, repair.schedule.rounds)
        if not verdict.holds or missing or heads & set(dead):
            wrong.append(f"dead {dead}: {len(missing)} nodes not served")
    return judge(wrong, f"{runs} sets of dead nodes: all others served in at most {most} rounds")
