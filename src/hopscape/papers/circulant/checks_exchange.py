"""Checks of routing, broadcast and what faults do to them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from hopscape.core.distances import distances_from
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.verify import verify
from hopscape.families.circulant.closed_forms import max_order
from hopscape.families.circulant.detours import FaultRouter
from hopscape.families.circulant.routing import CirculantRouter
from hopscape.families.circulant.wiring import Circulant
from hopscape.ledger.claim import Correction, Outcome, Searched, Tally, judge
from hopscape.ledger.crosscheck import settled
from hopscape.papers.circulant.broadcast import broadcast, node_local_broadcast
from hopscape.papers.circulant.families import GammaCirculant, OptimalCirculant
from hopscape.papers.circulant.memoryless import ForwardingRule, Stop, repaired_broadcast
from hopscape.papers.circulant.printed import distances, printed_distance, printed_vector, shown

_DEAD = (3, 17, 30, 31, 44)  # dead nodes of N = 55, two of them neighbours


def _gamma_nodes(p: int) -> int:
    """Nodes of a member of (19)."""
    return 4 * p**3 + 4 * p**2 + 3 * p + 1


_GAMMA_NODES = sum(map(_gamma_nodes, (2, 4, 6, 8)))
"""Nodes of the members of (19) that are looked at."""

_SEED = 36
"""Of the circulants, roots and dead nodes that are drawn."""


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
    return judge(wrong, "p = 2, 4, 6, 8", searched=[Searched("nodes", nodes, _GAMMA_NODES)])


def path_vector() -> Outcome:
    wrong, nodes = [], 0
    for member, v, d in _nodes():
        nodes += 1
        x = printed_vector(member.p, v)
        there = sum(a * s for a, s in zip(x, member.generators, strict=True)) % member.order
        if there != v or sum(map(abs, x)) != d:
            wrong.append(f"p = {member.p}, v = {v}: {x}")
    return judge(wrong, "p = 2, 4, 6, 8", searched=[Searched("nodes", nodes, _GAMMA_NODES)])


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
    theory = sum(
        math.factorial(int(hops[v]))
        // math.prod(math.factorial(abs(x)) for x in printed_vector(2, v))
        for v in range(1, network.order)
    )
    return judge(
        wrong,
        f"to the {network.order - 1} nodes of {network.spec}",
        searched=[Searched("walks", walks, theory)],
    )


def routing_17() -> Outcome:
    wrong, nodes = [], 0
    for d in (2, 3, 4, 5, 6):
        network = Network.of(OptimalCirculant(d, "17"))
        router = network.router("closed")
        assert isinstance(router, CirculantRouter)
        hops, targets = distances_from(network, 0), np.arange(network.order)
        nodes += network.order
        vectors = router.vectors(np.zeros_like(targets), targets)
        there = vectors @ np.asarray(router.generators) % network.order
        bad = (there != targets) | (np.abs(vectors).sum(axis=1) != hops)
        wrong += [f"d = {d}, v = {v}: {vectors[v].tolist()}" for v in np.nonzero(bad)[0].tolist()]
        routed = router.distances(np.zeros_like(targets), targets)
        wrong += [
            f"d = {d}: told {routed[v]} hops to {v}" for v in np.nonzero(routed != hops)[0][:1]
        ]
        if "(17)" not in router.name:
            wrong.append(f"d = {d}: no closed form, but {router.name}")
    theory = sum(max_order(d, 3) for d in (2, 3, 4, 5, 6))
    return judge(wrong, "(17), d = 2..6", searched=[Searched("nodes", nodes, theory)])


class _Run(NamedTuple):
    rounds: int
    messages: int
    duplicates: int
    complete: bool
    late: int


def _run(p: int, printed: bool = True, root: int = 0, tally: Tally | None = None) -> _Run:
    """The broadcast, verified, and its first copies against the distances."""
    network = Network.of(GammaCirculant(p))
    schedule = node_local_broadcast(network, root, printed=printed)
    verdict = verify(schedule, network, Goal.broadcast(root), model=Model())
    first = np.full(network.order, -1)
    rounds = schedule.round
    for t in range(schedule.transfers - 1, -1, -1):
        first[schedule.target[t]] = rounds[t] + 1
    first[root] = 0
    late = int((first != distances_from(network, root)).sum())
    if tally is not None:
        tally.expect("nodes", _gamma_nodes(p))
        tally.add("nodes", int((first >= 0).sum()))
    details = verdict.details
    return _Run(schedule.rounds, details["messages"], details["duplicates"], verdict.holds, late)


def broadcast_complete() -> Outcome:
    tally = Tally()
    runs = {p: _run(p, tally=tally) for p in tally.each("broadcasts", (2, 4, 6), 3)}
    wrong = [
        f"p = {p}: {f.rounds} rounds, {'all' if f.complete else 'not all'} nodes reached"
        for p, f in runs.items()
        if not f.complete or f.rounds != 3 * p // 2
    ]
    text = f"rounds {', '.join(str(f.rounds) for f in runs.values())}"
    return judge(wrong, text, searched=tally)


def broadcast_time() -> Outcome:
    tally = Tally()
    late = {p: _run(p, tally=tally).late for p in tally.each("broadcasts", (2, 4, 6), 3)}
    wrong = [f"p = {p}: {n} nodes not at their distance" for p, n in late.items() if n]
    text = f"nodes reached later than at their distance: {sum(late.values())}"
    return judge(wrong, text, searched=tally)


def broadcast_load() -> Outcome:
    """Copies as printed; and with the limit U <= p, which is judged like a claim."""
    sizes, tally = (2, 4, 6, 8), Tally()
    as_printed = [_run(p, tally=tally) for p in tally.each("broadcasts", sizes, 4)]
    mended = [_run(p, False, tally=tally) for p in tally.each("broadcasts", sizes, 4)]
    extra = [f.duplicates for f in as_printed]
    wrong = [f"p = {p}: {n} duplicates" for p, n in zip(sizes, extra, strict=True) if n]
    formula = " = (p-1)² + 1" if extra == [(p - 1) ** 2 + 1 for p in sizes] else ""
    left = [
        f"p = {p}: {f}"
        for p, f in zip(sizes, mended, strict=True)
        if f != _Run(3 * p // 2, GammaCirculant(p).order - 1, 0, True, 0)
    ]
    return judge(
        wrong,
        f"duplicates as printed: {', '.join(map(str, extra))}{formula} (p = 2, 4, 6, 8); with a"
        f" copy also stopped when U = p: {', '.join(str(f.messages) for f in mended)} messages, one"
        " for each node",
        Correction("a copy must also stop when U = p", left),
        values={
            "duplicates": extra,
            "messages": [f.messages for f in as_printed],
            "mended": [list(f) for f in mended],
        },
        searched=tally,
    )


def broadcast_any_source() -> Outcome:
    """All roots of the smallest member, and roots that are drawn of two larger ones."""
    rng = np.random.default_rng(_SEED)
    chosen = {p: [int(v) for v in rng.integers(1, GammaCirculant(p).order, 8)] for p in (4, 6)} | {
        2: list(range(55))
    }
    wrong, roots = [], 0
    for p, some in chosen.items():
        for printed in (True, False):
            there = _run(p, printed)
            for root in some:
                roots += 1
                here = _run(p, printed, root)
                if here != there:
                    wrong.append(f"p = {p} from {root}: {here}, from 0: {there}")
    return judge(
        wrong,
        "as printed and with the limit U <= p, all the same as from node 0",
        searched=[Searched("broadcasts", roots, 2 * (55 + 8 + 8))],
    )


def _drawn(count: int) -> list[tuple[int, tuple[int, ...]]]:
    """Circulants of two to four generators, drawn from the seed; connected ones."""
    rng = np.random.default_rng(_SEED)
    out: list[tuple[int, tuple[int, ...]]] = []
    while len(out) < count:
        nodes, n = int(rng.integers(20, 90)), int(rng.integers(2, 5))
        steps = sorted(rng.choice(np.arange(1, nodes // 2 + 1), n, replace=False).tolist())
        if math.gcd(nodes, *steps) == 1:
            out.append((nodes, tuple(steps)))
    return out


def _misheard(network: Network, stop: Stop, root: int, steps: tuple[int, ...]) -> list[str]:
    """Where the copy that arrives is not what the wires and the steps of its vector say."""
    nodes, v = network.order, stop.node
    away = sum(x * s for x, s in zip(stop.vector, steps, strict=True))
    if (root + away - v) % nodes or sum(map(abs, stop.vector)) != stop.round:
        return [f"{network.spec}: {v} hears by the vector {stop.vector}"]
    if (stop.sender is None) != (v == root) or (stop.port is None) != (v == root):
        return [f"{network.spec}: {v} hears from {stop.sender}"]
    if stop.sender is None or stop.port is None:
        return []
    there = int(network.neighbours(stop.sender)[stop.port])
    return (
        [] if there == v else [f"{network.spec}: port {stop.port} of {stop.sender} is to {there}"]
    )


def memoryless() -> Outcome:
    """From every root; and the rule of every node: whom it serves, by which port, and when."""
    named = [(55, (1, 5, 21)), (48, (1, 20)), (30, (2, 15, 7)), (97, (3, 10, 25, 40))]
    wrong, schedules, copies, graphs = [], 0, 0, [*named, *_drawn(6)]
    for nodes, steps in graphs:
        network, hops = Network.of(Circulant(nodes, steps)), distances(nodes, steps)
        for root in range(nodes):
            schedules += 1
            schedule = broadcast(network, root)
            verdict = verify(schedule, network, Goal.broadcast(root), model=Model())
            if not verdict.holds or schedule.transfers != nodes - 1:
                wrong.append(f"{network.spec} from {root}: {verdict.reason}")
            first = np.zeros(nodes, dtype=np.int64)
            first[schedule.target] = schedule.round + 1
            if not np.array_equal(first, np.roll(hops, root)):
                wrong.append(f"{network.spec} from {root}: not at breadth-first times")
        made = {(int(u), int(v)) for u, v in zip(schedule.source, schedule.target, strict=True)}
        rule, sent = ForwardingRule(network), set()
        for v in range(nodes):
            stop = rule.at(v, root=root)
            if stop.round != hops[(v - root) % nodes]:
                wrong.append(f"{network.spec}: the rule serves {v} in round {stop.round}")
            wrong += _misheard(network, stop, root, steps)
            if stop.sender is not None and (stop.sender, v) not in made:
                wrong.append(f"{network.spec}: the rule of {v} names {stop.sender} as its sender")
            for copy in stop.sends:
                copies += 1
                sent.add((v, copy.to))
                away = sum(x * s for x, s in zip(copy.vector, steps, strict=True))
                if copy.to != int(network.neighbours(v)[copy.port]) or (
                    (root + away - copy.to) % nodes
                ):
                    wrong.append(f"{network.spec}: node {v} sends by port {copy.port} to {copy.to}")
        if sent != made:
            wrong.append(f"{network.spec}: the rule of a node differs from the schedule")
    total = sum(nodes for nodes, _ in graphs)
    return judge(
        wrong,
        f"{len(graphs)} graphs, six of them drawn: N - 1 messages at breadth-first times",
        searched=[
            Searched("roots", schedules, total),
            Searched("copies of the rule", copies, total - len(graphs)),
        ],
    )


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

    wrong, ours, connectivity, tally = [], [], [], Tally()
    named = ((21, (1, 3, 8)), (55, (1, 5, 21)), (111, (1, 7, 43)))
    for nodes, steps in tally.each("circulants", named, 3):
        value = node_connectivity(Network.of(Circulant(nodes, steps)), exact=True).value
        connectivity.append(str(value))
        least = _least_cut(nodes, steps)
        if value != least:
            ours.append(f"{shown(nodes, steps)}: {value}, by networkx {least}")
        if least != 2 * len(steps):
            wrong.append(f"{shown(nodes, steps)}: {least} of {2 * len(steps)}")
    odd = ((10, (1, 4, 5)), (14, (1, 6, 7)), (18, (1, 8, 9)))  # 4 of degree 5
    for nodes, steps in tally.each("circulants", odd, 3):
        value = node_connectivity(Network.of(Circulant(nodes, steps)), exact=True).value
        if value != _least_cut(nodes, steps):
            ours.append(f"{shown(nodes, steps)}: {value}, by networkx {_least_cut(nodes, steps)}")
    text = f"vertex connectivity {', '.join(connectivity)}: the degree is the most"
    values = {"connectivity": connectivity}
    return settled(ours, judge(wrong, text, values=values, searched=tally))


def _least_cut(nodes: int, steps: tuple[int, ...]) -> int:
    """Nodes that must fail, by networkx: least cuts between node 0 and all others (transitive)."""
    import networkx
    from networkx.algorithms.connectivity import minimum_node_cut

    graph = networkx.Graph((v, (v + s) % nodes) for v in range(nodes) for s in steps)
    far = [v for v in range(1, nodes // 2 + 1) if not graph.has_edge(0, v)]  # v and -v look alike
    return min(len(minimum_node_cut(graph, 0, v)) for v in far)


Links = frozenset[frozenset[int]]


def _around(
    nodes: int, steps: tuple[int, ...], dead: tuple[int, ...], cut: Links
) -> list[list[int]]:
    """Distances between live nodes, by search that avoids dead nodes and links."""
    rows = []
    for source in range(nodes):
        hops = [-1] * nodes
        hops[source], queue = 0, [source]
        for u in queue:
            for s in (*steps, *(-s for s in steps)):
                v = (u + s) % nodes
                if hops[v] < 0 and v not in dead and frozenset((u, v)) not in cut:
                    hops[v] = hops[u] + 1
                    queue.append(v)
        rows.append(hops)
    return rows


def _dead_sets(nodes: int, count: int, most: int) -> list[tuple[int, ...]]:
    """Sets of dead nodes drawn from the seed; node 0 lives."""
    rng = np.random.default_rng(_SEED)
    return [
        tuple(
            rng.choice(np.arange(1, nodes), int(rng.integers(1, most + 1)), replace=False).tolist()
        )
        for _ in range(count)
    ]


def _dead_links(nodes: int, steps: tuple[int, ...], count: int, seed: int) -> Links:
    """Links drawn from a seed."""
    rng = np.random.default_rng(seed)
    ends = [(int(rng.integers(nodes)), int(rng.choice(steps))) for _ in range(count)]
    return frozenset(frozenset((v, (v + s) % nodes)) for v, s in ends)


def fault_routing() -> Outcome:
    """Every route walked; the detours that a node's own sight costs are bounded and counted."""
    steps, ports = (1, 5, 21), (1, 5, 21, 54, 50, 34)
    network = Network.of(Circulant(55, steps))
    router = network.router("closed")
    assert isinstance(router, CirculantRouter)
    wrong, pairs, theory, longer, extra, most = [], 0, 0, 0, 0, 0
    nothing: Links = frozenset()
    one, two = _dead_sets(55, 2, 5)
    cases = ((_DEAD, nothing), (one, nothing), (two, _dead_links(55, steps, 6, _SEED)),
             ((), _dead_links(55, steps, 9, _SEED + 1)))  # fmt: skip
    sound = _around(55, steps, (), nothing)
    for dead, cut in cases:
        faults = FaultRouter(router, dead, [(min(link), max(link)) for link in cut])
        hops = _around(55, steps, dead, cut)
        alive = [v for v in range(55) if v not in dead]
        theory += 2 * len(alive) * (len(alive) - 1)
        for (a, b), known in itertools.product(itertools.permutations(alive, 2), (False, True)):
            pairs += 1
            route = faults.route(a, b, known=known)
            path = route.path
            hop_by_hop = list(itertools.pairwise(path))
            wired = [int(network.neighbours(u)[port])
                     for u, port in zip(path, route.ports, strict=False)]  # fmt: skip
            ends = path and (path[0], path[-1], route.distance) == (a, b, sound[a][b])
            broken = set(path) & set(dead) or {frozenset(hop) for hop in hop_by_hop} & cut
            if not (route.delivered and ends) or wired != list(path[1:]) or broken:
                wrong.append(f"from {a} to {b}: {path}")
            more = len(path) - 1 - hops[a][b]
            if known and more:
                wrong.append(f"from {a} to {b}, faults known: {more} hops too many")
            if more and len(set(path)) == len(path) and not _beside(path, dead, cut, ports):
                wrong.append(f"from {a} to {b}: {more} hops more, but no dead node beside the way")
            longer, extra, most = longer + (more > 0), extra + more, max(most, more)
    if most > 4:  # two steps aside and two back
        wrong.append(f"a route has {most} hops more than needed")
    return judge(
        wrong,
        f"four sets of dead nodes and links: {longer} routes are longer than needed, by {extra}"
        f" hops in all and {most} at most; none when the faults are known",
        values={"longer": longer, "extra_hops": extra, "most_extra": most},
        searched=[Searched("routes", pairs, theory)],
    )


def _beside(path: Sequence[int], dead: tuple[int, ...], cut: Links, ports: tuple[int, ...]) -> bool:
    ends = {v for link in cut for v in link}
    return any((u + s) % 55 in dead or u in ends for u in path for s in ports)


def _repaired_times(
    nodes: int, steps: tuple[int, ...], root: int, dead: tuple[int, ...], cut: Links
) -> list[int]:
    """When each node hears, written out again: by the tree, else one round after it asks.

    Node v is due in round D(v) from its sender in the tree. Who hears nothing asks in round
    D(v) + 1; a neighbour that has the message by then answers in the next round.
    """
    far = 10**6
    rule = ForwardingRule(Network.of(Circulant(nodes, steps)))
    due = [rule.at(v, root=root).round for v in range(nodes)]
    sender = [rule.at(v, root=root).sender for v in range(nodes)]
    when = [far] * nodes
    when[root] = 0
    for v in sorted(range(nodes), key=lambda v: due[v]):
        parent = sender[v]
        whole = parent is not None and frozenset((parent, v)) not in cut
        if v not in dead and parent is not None and whole and when[parent] < far:
            when[v] = due[v]
    late = [v for v in range(nodes) if when[v] == far and v not in dead]
    changed = True
    while changed:
        changed = False
        for v in late:
            neighbours = ((v + s) % nodes for s in (*steps, *(-s for s in steps)))
            heard = [when[u] for u in neighbours if frozenset((u, v)) not in cut]
            best = max(min(heard), due[v] + 1) + 1
            if best < when[v] < far or (when[v] == far and best < far):
                when[v], changed = best, True
    return when


def fault_broadcast() -> Outcome:
    """The times at which all hear, against the rule written out again; roots are drawn as well."""
    nodes, steps = 55, (1, 5, 21)
    network = Network.of(Circulant(nodes, steps))
    wrong, runs, most = [], 0, []
    nothing: Links = frozenset()
    named = [_DEAD, (1,), (5, 50), (1, 5, 21, 54, 50), tuple(range(20, 25))]
    for dead, root in (
        *((one, 0) for one in named),
        *((one, next(v for v in range(7 * i, nodes) if v not in one))
          for i, one in enumerate(_dead_sets(nodes, 6, 5))),
    ):  # fmt: skip
        runs += 1
        cut = _dead_links(nodes, steps, 7, _SEED + runs) if runs % 2 else nothing
        links = [(min(link), max(link)) for link in cut]
        repair = repaired_broadcast(network, root, dead, links)
        schedule = repair.schedule
        alive = [v for v in range(nodes) if v not in dead and v != root]
        verdict = verify(schedule, network, Goal.one_to_many(root, alive), model=Model())
        informed = [10**6] * nodes
        informed[root] = 0
        for v, r in zip(schedule.target.tolist(), schedule.round.tolist(), strict=True):
            informed[v] = min(informed[v], r + 1)
        true = _repaired_times(nodes, steps, root, dead, cut)
        missing = {v for v in range(nodes) if informed[v] == 10**6} - set(dead)
        most.append(schedule.rounds)
        hops = zip(schedule.source.tolist(), schedule.target.tolist(), strict=True)
        broken = {frozenset(hop) for hop in hops} & cut or set(schedule.target.tolist()) & set(dead)
        if not verdict.holds or missing or broken or repair.lost:
            wrong.append(f"dead {dead}: {len(missing)} nodes not served")
        elif informed != true:
            v = next(v for v in range(nodes) if informed[v] != true[v])
            wrong.append(f"dead {dead}: node {v} hears in round {informed[v]}, not {true[v]}")
    return judge(
        wrong,
        f"all others served, in {', '.join(map(str, most))} rounds (diameter 3)",
        values={"rounds": most},
        searched=[Searched("sets of dead nodes and links", runs, len(named) + 6)],
    )
