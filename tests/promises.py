"""Everything that a family says of a member, held against slow and obvious measurement."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

import hopscape
from conftest import bfs
from hopscape.collectives import algorithms, lower_bounds, run_algorithm
from hopscape.core.errors import HopscapeError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.verify import verify
from hopscape.metrics import (
    bisection,
    distance_profile,
    edge_connectivity,
    girth,
    node_connectivity,
)
from hopscape.metrics.columns import COLUMNS, Evaluation
from hopscape.metrics.evaluation import absent, closed_facts

__all__ = ["bare", "broken_promises", "broken_schedules", "measure", "true_orbits"]

BISECTED = 20  # nodes up to which a bisection is proved
CUT = 60  # nodes up to which connectivity is measured


def bare(net: Network) -> Network:
    """The same channels in a network that knows nothing about itself."""
    tails, heads = net.tails, net.heads
    if net.duplex:
        first = np.flatnonzero(np.arange(len(heads)) < net.reverse)
        tails, heads = tails[first], heads[first]
    switches = np.setdiff1d(np.arange(net.order), net.endpoints) if net.has_switches else None
    return Network.from_links(net.order, tails, heads, duplex=net.duplex, switches=switches)


def measure(net: Network, fact: str) -> object:
    """One fact of a network that knows nothing about itself."""
    profile = distance_profile(net, exact=True)
    measures = {
        "degree_min": lambda: int(net.degrees.min()),
        "degree_max": lambda: int(net.degrees.max()),
        "links": lambda: len(net.heads) // (2 if net.duplex else 1),
        "channels": lambda: len(net.heads),
        "connected": lambda: profile.connected,
        "diameter": lambda: profile.diameter,
        "radius": lambda: profile.radius,
        "mean_distance": lambda: profile.mean,
        "girth": lambda: girth(net, exact=True).value,
        "node_connectivity": lambda: node_connectivity(net, exact=True).value,
        "edge_connectivity": lambda: edge_connectivity(net, exact=True).value,
        "bisection": lambda: bisection(net, exact=True).value,
        "vertex_transitive": lambda: len(true_orbits(net)) == 1,
    }
    return measures[fact]()


def true_orbits(net: Network) -> list[set[int]]:
    """Orbits of the nodes under all automorphisms (igraph), multiplicities and directions kept.

    Channels become chains of coloured nodes, so that a simple undirected graph says it all.
    """
    count = Counter(zip(net.tails.tolist(), net.heads.tolist(), strict=True))
    switches = set() if not net.has_switches else set(range(net.order)) - set(net.endpoints)
    colours: dict[object, int] = {}
    paint = [("node", count[v, v], v in switches) for v in range(net.order)]
    edges = []
    for u, v in {(min(pair), max(pair)) for pair in count if pair[0] != pair[1]}:
        if count[u, v] == count[v, u]:
            edges += [(u, len(paint)), (len(paint), v)]
            paint.append(("both", count[u, v]))
        else:
            few, many = (u, v) if count[u, v] < count[v, u] else (v, u)
            edges += [(few, len(paint)), (len(paint), len(paint) + 1), (len(paint) + 1, many)]
            paint += [("few", count[few, many], count[many, few]), ("many",)]
    import igraph

    graph = igraph.Graph(n=len(paint), edges=edges)
    numbers = [colours.setdefault(colour, len(colours)) for colour in paint]
    generators = graph.automorphism_group(color=numbers)
    return _orbits(generators, net.order)


def _orbits(generators: list[list[int]], order: int) -> list[set[int]]:
    left, out = set(range(order)), []
    while left:
        orbit, fresh = set(), {min(left)}
        while fresh:
            orbit |= fresh
            fresh = {g[v] for v in fresh for g in generators} - orbit
        out.append(orbit)
        left -= orbit
    return out


MODELS = (
    None,
    Model(ports=1),
    Model(duplex="half"),
    Model(packing="packed"),
    Model(ports=1, duplex="half", alpha=2.0),
    Model(switching="circuit"),
    Model(ports=2, switching="circuit", disjoint="vertex"),
)


def goals(net: Network) -> list[Goal]:
    """One goal of every kind."""
    ends = net.endpoints
    root = int(ends[-1])
    mixed = np.random.default_rng(1).permutation(ends).tolist()
    rooted = [Goal.broadcast(root), Goal.reduce(root), Goal.scatter(root), Goal.gather(root)]
    rooted.append(Goal.one_to_many(root, ends[:3].tolist()))
    whole = [Goal.all_gather(), Goal.all_reduce(), Goal.all_to_all(), Goal.permutation(mixed)]
    return rooted + whole


def broken_schedules(spec: str) -> list[str]:
    """Schedules that are not what was asked for: every algorithm, goal and model.

    An algorithm gives a schedule that holds under the model asked for, in no fewer rounds than the
    lower bounds allow, or refuses in one sentence.
    """
    net = hopscape.build(spec)
    out = []
    for goal, model in itertools.product(goals(net), MODELS):
        for name in algorithms(net, goal):
            try:
                schedule = run_algorithm(net, goal, name, model)
            except HopscapeError as error:
                if "\n" in str(error):
                    out.append(f"{goal.kind}, {name}: refused in several lines")
                continue
            asked = model if model is not None else schedule.model
            title = f"{goal.kind} by {name}, {asked.describe()}"
            verdict = verify(schedule, model=asked)
            least = max((b.rounds for b in lower_bounds(net, goal, asked)), default=0)
            if not verdict:
                out.append(f"{title}: {verdict.reason}")
            elif schedule.rounds < least:
                out.append(f"{title}: {schedule.rounds} rounds, at least {least} are needed")
            elif schedule.goal != goal or replace(schedule.model, disjoint=asked.disjoint) != asked:
                out.append(f"{title}: made for {schedule.goal.describe()}, {schedule.model}")
    return out


def broken_promises(spec: str, stated: Iterable[str] = ()) -> list[str]:
    """What a member says of itself and is not so, or does not say and should, one line each."""
    net = hopscape.build(spec)
    missing = [f"{fact} is not stated" for fact in stated if fact not in net.facts.known()]
    checks = (_spec, _wiring, _facts, _columns, _symmetry, _router, _translations, _addresses)
    checks += (_names, _drawn)
    return missing + [line for check in checks for line in check(net, bare(net))]


def _spec(net: Network, own: Network) -> Iterator[str]:
    again = hopscape.build(net.spec)
    if again.spec != net.spec or again.order != net.order:
        yield f"its spec {net.spec} builds {again.spec}"
    elif not (np.array_equal(again.indptr, net.indptr) and np.array_equal(again.heads, net.heads)):
        yield f"its spec {net.spec} is wired otherwise"


def _wiring(net: Network, own: Network) -> Iterator[str]:
    family = net.family
    rows = np.asarray(net.neighbours(np.arange(net.order)))
    if rows.shape != (net.order, net.ports):
        yield f"neighbours have the shape {rows.shape}, not {(net.order, net.ports)}"
    if rows.min(initial=0) < -1 or rows.max(initial=0) >= net.order:
        yield "a port leads out of the network"
    if family.ports != net.ports:
        yield f"family.ports is {family.ports}, the network has {net.ports}"
    if int(net.degrees.max(initial=0)) > net.ports:
        yield f"degree {int(net.degrees.max())} is above {net.ports} ports"
    if net.channels != len(net.heads) or net.links != len(net.heads) // (1 + net.duplex):
        yield f"{net.links} links and {net.channels} channels are told"
    one_by_one = [list(net.neighbours(v)) for v in range(net.order)]
    if one_by_one != rows.tolist():
        yield "neighbours of one node and of all differ"
    there = net.channel_at(net.tails, net.port_of(np.arange(len(net.heads))))
    if len(net.heads) and not np.array_equal(there, np.arange(len(net.heads))):
        yield "ports and channels do not agree"
    if net.endpoint_count != len(net.endpoints) or net.endpoint_count < 1:
        yield f"{net.endpoint_count} endpoints are told, {len(net.endpoints)} are there"


def _facts(net: Network, own: Network) -> Iterator[str]:
    facts = closed_facts(net)
    known = facts.known()
    if net.facts.known().items() - known.items():
        yield f"deduced facts {known} are not those stated"
    for fact in ("diameter", "radius", "mean_distance", "girth"):
        if absent(net, facts, fact) and measure(own, fact) is not None:
            yield f"{fact} is said not to be there ({absent(net, facts, fact)})"
    if net.order > BISECTED:
        known.pop("bisection", None)
    if net.order > CUT:
        known.pop("node_connectivity", None)
        known.pop("edge_connectivity", None)
    for fact, told in known.items():
        true = measure(own, fact)
        if true != told:
            yield f"{fact} is told as {told}, it is {true}"


def _columns(net: Network, own: Network) -> Iterator[str]:
    """What 'compare' says, against what it says of the bare wires with --exact."""
    quick, full = (Evaluation(one, one is own, columns=COLUMNS) for one in (net, own))
    for name in set(COLUMNS) - {"channel_load", "vertex_transitive"}:
        dear = name.startswith("bisection") and net.order > BISECTED
        if dear or (name.endswith("connectivity") and net.order > CUT):
            continue
        told, true = quick.figure(name), full.figure(name)
        known = told.how in ("closed form", "exact", "symmetry") or told.value is None
        sure = known and told.value == true.value
        below = told.how == "bound" and name == "bisection_bound" and told.value <= true.value
        above = told.how == "bound" and name == "bisection" and told.value >= true.value
        if not (sure or below or above):
            yield f"{name} is told as {told}, it is {true}"


def _symmetry(net: Network, own: Network) -> Iterator[str]:
    symmetry = net.symmetry
    if symmetry is None:
        return
    size = dict(zip(symmetry.representatives, symmetry.sizes, strict=True))
    if len(size) != len(symmetry.representatives) or sum(size.values()) != net.order:
        yield f"orbits {size} are not {net.order} nodes"
    for orbit in true_orbits(own):
        told = sum(size.get(v, 0) for v in orbit)
        if told != len(orbit):
            yield f"an orbit of {len(orbit)} nodes ({min(orbit)}, ...) counts as {told}"
            return


def _router(net: Network, own: Network) -> Iterator[str]:
    router, truth = net.router(), bfs(own)
    at, to = (x.ravel() for x in np.indices(truth.shape))
    told, ports = np.asarray(router.distances(at, to)), np.asarray(router.next_ports(at, to))
    true = truth.ravel()
    wrong = (told != true) if router.exact else (told < true) | ((told < 0) != (true < 0))
    if wrong.any():
        i = int(np.argmax(wrong))
        yield f"{router.name}: from {at[i]} to {to[i]} it is {true[i]} hops, not {told[i]}"
        return
    if ((ports >= 0) != (true > 0)).any():
        i = int(np.argmax((ports >= 0) != (true > 0)))
        yield f"{router.name}: from {at[i]} to {to[i]} by port {ports[i]}"
        return
    going = true > 0
    _, taken = router.walk(at[true >= 0], to[true >= 0])
    if not np.array_equal((taken >= 0).sum(axis=1), told[true >= 0]):
        yield f"{router.name}: routes are not as long as it says"
    if router.exact and going.any():
        table = np.asarray(net.neighbours(np.arange(net.order)))
        beyond = table[at]
        left = truth[np.maximum(beyond, 0), to[:, None]]
        begins = (beyond >= 0) & (left >= 0) & (left == true[:, None] - 1)
        if not np.array_equal(router.shortest_ports(at, to), begins):
            i = int(np.argmax((router.shortest_ports(at, to) != begins).any(axis=1)))
            yield f"{router.name}: from {at[i]} to {to[i]} not all shortest paths are told"


def _translations(net: Network, own: Network) -> Iterator[str]:
    moves = net.family.translations()
    if moves is None:
        return
    table = np.asarray(moves)
    everybody = np.arange(net.order)
    if table.shape != (net.order, net.order) or not np.array_equal(table[:, 0], everybody):
        yield f"translations have the shape {table.shape}, or row v does not move node 0 to v"
        return
    channels = sorted(zip(net.tails.tolist(), net.heads.tolist(), strict=True))
    for v, row in enumerate(table):
        if not np.array_equal(np.sort(row), everybody):
            yield f"translation {v} is not a permutation"
            return
        moved = sorted(zip(row[net.tails].tolist(), row[net.heads].tolist(), strict=True))
        if moved != channels:
            yield f"translation {v} is not an automorphism"
            return
    for a, b in itertools.product(everybody[:12], repeat=2):
        if not np.array_equal(table[a][table[b]], table[table[a, b]]):
            yield f"translations {a} and {b} do not make a translation"
            return


def _addresses(net: Network, own: Network) -> Iterator[str]:
    everybody = np.arange(net.order)
    rows = np.asarray(net.addresses.tuples(everybody))
    if not np.array_equal(net.addresses.numbers(rows), everybody):
        yield "addresses do not lead back to their nodes"
    for v in everybody.tolist():
        name = net.address(v)
        if net.node(name) != v or net.node(net.addresses.text(v)) != v or net.node(str(v)) != v:
            yield f"node {v} has the address {name}, which is node {net.node(name)}"
            return


def _names(net: Network, own: Network) -> Iterator[str]:
    names = net.family.port_classes()
    if not names:
        return
    if len(names) != net.ports:
        yield f"{len(names)} port classes for {net.ports} ports"
        return
    if net.duplex and len(net.heads):
        port = net.port_of(np.arange(len(net.heads)))
        back = port[net.reverse]
        if any(names[p] != names[q] for p, q in zip(port.tolist(), back.tolist(), strict=True)):
            yield "a link has two port classes"


def _drawn(net: Network, own: Network) -> Iterator[str]:
    layout = net.family.layout()
    if layout is None:
        return
    places = np.asarray(layout.positions)
    if places.shape != (net.order, 2) or not np.isfinite(places).all():
        yield f"its layout has the shape {places.shape}"
    if layout.curved is not None and len(net.heads):
        bends = np.asarray(layout.curved(net.tails, net.heads))
        if bends.shape != net.tails.shape or not np.isfinite(bends).all():
            yield "its links cannot be bent"
