"""Claims of the paper about the Heawood graph itself: addressing, paths, routing, broadcast."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np

from hopscape.core.automorphisms import orbits
from hopscape.core.distances import distance_rows
from hopscape.core.goal import Goal
from hopscape.core.lookahead import look_ahead_route
from hopscape.core.network import Network
from hopscape.core.verify import verify
from hopscape.families.classic.small import Heawood
from hopscape.ledger.claim import Claim, Outcome

__all__ = ["CLAIMS"]


def _heawood(mirrored: bool = False) -> Network:
    return Network.of(Heawood(mirrored))


def _graph() -> Outcome:
    plain, other = _heawood(), _heawood(mirrored=True)
    far = [int(distance_rows(net, np.arange(14)).max()) for net in (plain, other)]
    links = {frozenset((v, w)) for v in range(14) for w in plain.neighbours(v)}
    mirror = {frozenset((-v % 14, -w % 14)) for v in range(14) for w in other.neighbours(v)}
    one_orbit = len(orbits(plain)) == 1
    measured = (
        f"{len(links)} links, diameters {far}, x → -x maps one addressing"
        f" {'onto' if links == mirror else 'not onto'} the other, one orbit: {one_orbit}"
    )
    good = len(links) == 21 and far == [3, 3] and links == mirror and one_orbit
    return Outcome("holds" if good else "refuted", measured)


def _simple_paths(network: Network, a: int, b: int, longest: int) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = []
    stack: list[tuple[int, ...]] = [(a,)]
    while stack:
        path = stack.pop()
        if path[-1] == b:
            found.append(path)
        elif len(path) <= longest:
            stack += [(*path, v) for v in network.neighbours(path[-1]) if v not in path]
    return found


def _paths() -> Outcome:
    network = _heawood()
    triples: Counter[tuple[int, ...]] = Counter()
    for a, b in combinations(range(14), 2):
        paths = _simple_paths(network, a, b, 6)
        best = min(
            (len(p) + len(q) + len(r) - 3, tuple(sorted(len(x) - 1 for x in (p, q, r))))
            for p, q, r in combinations(paths, 3)
            if not (
                set(p[1:-1]) & set(q[1:-1])
                or set(p[1:-1]) & set(r[1:-1])
                or set(q[1:-1]) & set(r[1:-1])
            )
        )
        triples[best[1]] += 1
    text = ", ".join(f"{triple}: {count} pairs" for triple, count in sorted(triples.items()))
    good = set(triples) == {(1, 5, 5), (2, 4, 4), (3, 3, 3)}
    return Outcome("holds" if good else "refuted", text)


def _basic_route() -> Outcome:
    network = _heawood()
    far = distance_rows(network, np.arange(14))
    pairs = [(a, b) for a in range(14) for b in range(14) if a != b]
    ways = {pair: look_ahead_route(network, *pair) for pair in pairs}
    shortest = sum(way is not None and len(way) - 1 == far[pair] for pair, way in ways.items())
    stuck = sum(look_ahead_route(network, *pair, last_is_tested=True) is None for pair in pairs)
    lost = sum(look_ahead_route(network, *pair, self_adjacent=False) is None for pair in pairs)
    measured = (
        f"plain else: {shortest} of {len(pairs)} pairs shortest; a tested third branch: {stuck}"
        f" stuck; a node not beside itself: {lost} never arrive"
    )
    if shortest < len(pairs):
        return Outcome("refuted", measured)
    return Outcome("holds corrected", measured, "the third branch must be a plain else")


def _basic_broadcast() -> Outcome:
    network = _heawood()
    build = {c.name: c.build for c in network.family.collectives() if c.goal == "broadcast"}  # type: ignore[union-attr]
    printed = [verify(build["basic-printed"](network, Goal.broadcast(r), None)) for r in range(14)]
    fixed = [verify(build["basic"](network, Goal.broadcast(r), None)) for r in range(14)]
    reached = sorted({v.details["reached"] for v in printed})
    arrivals = Counter(
        w for v in range(14) if _apart(network, 0, v) == 2 for w in network.neighbours(v)
    )
    copies = sorted(v for v in range(14) if _apart(network, 0, v) == 3 and arrivals[v] == 3)
    measured = (
        f"printed steps reach {reached} of 14 from the 14 roots; corrected steps all 14 in"
        f" {max(v.details['rounds'] for v in fixed)} rounds, 13 messages: {all(fixed)};"
        f" unpruned, nodes {copies} get 3 copies"
    )
    if all(printed):
        return Outcome("holds", measured)
    note = "step 2 must go on outwards: plus from S+1, minus from S-1; step 3.1 from S+2"
    return Outcome("holds corrected" if all(fixed) else "refuted", measured, note)


def _apart(network: Network, a: int, b: int) -> int:
    return int(distance_rows(network, np.asarray([a]))[0, b])


CLAIMS = (
    Claim(
        "heawood-graph",
        "heawood",
        "section 2, definition 1 and figure 1",
        "14 nodes, 21 links, cubic, diameter 3; the two addressings are isomorphic",
        "both addressings built and compared, automorphisms searched",
        _graph,
    ),
    Claim(
        "heawood-paths",
        "heawood",
        "section 2, property 3",
        "three disjoint paths join any two nodes, of lengths (1,5,5), (2,4,4) or (3,3,3)",
        "all triples of simple paths of up to 6 hops, all 91 pairs",
        _paths,
    ),
    Claim(
        "heawood-basic-route",
        "heawood",
        "section 2.2, Basic_Route",
        "looking one hop ahead routes by shortest paths",
        "all 182 ordered pairs, three readings",
        _basic_route,
    ),
    Claim(
        "heawood-basic-broadcast",
        "heawood",
        "section 2.2, Basic_Broadcast",
        "three sends reach all nodes; without pruning 3, 5, 7 and 11 get three copies",
        "the schedule as printed and corrected, verified from all roots",
        _basic_broadcast,
    ),
)
