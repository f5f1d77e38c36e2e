"""Claims that the papers make about the classic graphs: Petersen, Heawood, hypercube, CCC."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np

from hopscape.core.distances import distances_from
from hopscape.core.family import Family
from hopscape.core.network import Network
from hopscape.families.classic.cubes import CubeConnectedCycles, Hypercube
from hopscape.families.classic.small import Heawood, Petersen
from hopscape.ledger.claim import Claim, Outcome
from hopscape.metrics import (
    bisection,
    diameter,
    disjoint_paths,
    distance_profile,
    girth,
    node_connectivity,
)

__all__ = ["CLAIMS"]


def _network(family: Family) -> Network:
    return Network.of(family)


def _judge(found: object, expected: object, measured: str) -> Outcome:
    if found == expected:
        return Outcome("holds", measured)
    return Outcome("refuted", measured, f"found {found}, printed {expected}")


def _shape(network: Network) -> tuple[int, int, int, int]:
    """Nodes, links, degree (0 when it varies), diameter; all measured."""
    degrees = network.degrees
    degree = int(degrees[0]) if degrees.min() == degrees.max() else 0
    far = diameter(network, exact=True).value
    return network.order, len(network.heads) // 2, degree, -1 if far is None else far


def _petersen_shape() -> Outcome:
    nodes, links, degree, far = _shape(_network(Petersen()))
    text = f"{nodes} nodes, {links} links, degree {degree}, diameter {far}"
    return _judge((nodes, links, degree, far), (10, 15, 3, 2), text)


def _petersen_moore() -> Outcome:
    from hopscape.metrics import moore_bound

    found = moore_bound(3, 2)
    return _judge(
        _network(Petersen()).order, found, f"Moore bound for degree 3, diameter 2: {found}"
    )


def _path_triples(network: Network) -> dict[int, set[tuple[int, ...]]]:
    """Lengths of the shortest sets of three disjoint paths, by distance of their ends."""
    found: dict[int, set[tuple[int, ...]]] = {}
    for a, b in combinations(range(network.order), 2):
        lengths = tuple(len(path) - 1 for path in disjoint_paths(network, a, b))
        found.setdefault(lengths[0], set()).add(lengths)
    return found


def _petersen_paths() -> Outcome:
    found = _path_triples(_network(Petersen()))
    text = "; ".join(f"distance {d}: {sorted(v)}" for d, v in sorted(found.items()))
    return _judge(found, {1: {(1, 4, 4)}, 2: {(2, 3, 3)}}, text)


def _petersen_common_neighbour() -> Outcome:
    network = _network(Petersen())
    near = [set(network.neighbours(v)) for v in range(10)]
    counts = {len(near[a] & near[b]) for a, b in combinations(range(10), 2) if b not in near[a]}
    return _judge(counts, {1}, f"common neighbours of two non-adjacent nodes: {sorted(counts)}")


def _heawood_shape() -> Outcome:
    network = _network(Heawood())
    nodes, links, degree, far = _shape(network)
    around = girth(network, exact=True).value
    text = f"{nodes} nodes, {links} links, degree {degree}, diameter {far}, girth {around}"
    return _judge((nodes, links, degree, far, around), (14, 21, 3, 3, 6), text)


def _heawood_addressings() -> Outcome:
    """Odd +5 / even -5 against even +5 / odd -5: is x → -x an isomorphism?"""
    network = _network(Heawood())
    edges = {frozenset((v, w)) for v in range(14) for w in network.neighbours(v)}
    mirrored = {
        frozenset((v, w % 14))
        for v in range(14)
        for w in (v + 1, v - 1, v + 5 if v % 2 == 0 else v - 5)
    }
    moved = sum(frozenset(-v % 14 for v in edge) in mirrored for edge in edges)
    return _judge(moved, 21, f"x → -x maps {moved} of 21 links of one addressing onto the other")


def _heawood_distances() -> Outcome:
    network = _network(Heawood())
    rows = {tuple(np.bincount(distances_from(network, v)).tolist()) for v in range(14)}
    return _judge(rows, {(1, 3, 6, 4)}, f"nodes at distance 0, 1, 2, 3: {sorted(rows)}")


def _heawood_opposite() -> Outcome:
    network = _network(Heawood())
    gaps = {int(distances_from(network, v)[(v + 7) % 14]) for v in range(14)}
    return _judge(gaps, {3}, f"distances of x and x + 7: {sorted(gaps)}")


def _heawood_paths() -> Outcome:
    found = _path_triples(_network(Heawood()))
    text = "; ".join(f"distance {d}: {sorted(v)}" for d, v in sorted(found.items()))
    return _judge(found, {1: {(1, 5, 5)}, 2: {(2, 4, 4)}, 3: {(3, 3, 3)}}, text)


def _heawood_bisection() -> Outcome:
    found = bisection(_network(Heawood()), exact=True).value
    return _judge(found, 7, f"bisection width {found}, proved by branch and bound")


def _heawood_connectivity() -> Outcome:
    found = node_connectivity(_network(Heawood()), exact=True).value
    return _judge(found, 3, f"node connectivity {found}")


def _hypercube_row() -> Outcome:
    dimensions = range(1, 13)
    wrong = [
        d for d in dimensions if _shape(_network(Hypercube(d))) != (2**d, d * 2 ** (d - 1), d, d)
    ]
    text = f"n = 1..{max(dimensions)}: nodes 2^n, degree n, diameter n"
    return (
        Outcome("holds", text)
        if not wrong
        else Outcome("refuted", text, f"fails at n = {wrong[0]}")
    )


def _ccc_diameters(dimensions: Iterable[int]) -> dict[int, int]:
    found = {}
    for d in dimensions:
        profile = distance_profile(_network(CubeConnectedCycles(d)))
        found[d] = profile.farthest
    return found


def _ccc_diameter() -> Outcome:
    found = _ccc_diameters(range(3, 12))
    text = ", ".join(f"n={d}: {far}" for d, far in found.items())
    printed = {d: 2 * d - 1 + d // 2 for d in found}
    wrong = [d for d in found if found[d] != printed[d]]
    if not wrong:
        return Outcome("holds", text)
    corrected = all(found[d] == 2 * d - 2 + d // 2 for d in found if d >= 4)
    first = wrong[0]
    note = f"n={first}: printed {printed[first]}, true {found[first]}"
    if corrected:
        return Outcome("holds corrected", text, f"2n-2+floor(n/2) from n = 4 on; {note}")
    return Outcome("refuted", text, note)


def _ccc_degree() -> Outcome:
    shapes = {d: _shape(_network(CubeConnectedCycles(d)))[:3] for d in range(3, 9)}
    good = all(shape == (d * 2**d, 3 * d * 2 ** (d - 1), 3) for d, shape in shapes.items())
    text = "n = 3..8: n·2^n nodes of degree 3"
    return Outcome("holds", text) if good else Outcome("refuted", text, str(shapes))


CLAIMS = (
    Claim(
        "classic-petersen-shape",
        "rpc",
        "section 2, Petersen graph",
        "the Petersen graph has 10 nodes, 15 links, degree 3, diameter 2",
        "built and measured",
        _petersen_shape,
    ),
    Claim(
        "classic-petersen-moore",
        "rpc",
        "section 2, Petersen graph",
        "no cubic graph of diameter 2 has more nodes",
        "compared with the Moore bound",
        _petersen_moore,
    ),
    Claim(
        "classic-petersen-paths",
        "rpc",
        "section 2, Petersen graph",
        "three disjoint paths join any two nodes, of lengths 1, 4, 4 or 2, 3, 3",
        "shortest disjoint triples of all 45 pairs by minimum-cost flow",
        _petersen_paths,
    ),
    Claim(
        "classic-petersen-common",
        "rpc",
        "section 2, Petersen graph",
        "two nodes that are not neighbours have exactly one neighbour in common",
        "all 30 pairs",
        _petersen_common_neighbour,
    ),
    Claim(
        "classic-heawood-shape",
        "heawood",
        "section 2, definition 1",
        "the Heawood graph has 14 nodes, 21 links, degree 3, diameter 3, girth 6",
        "built and measured",
        _heawood_shape,
    ),
    Claim(
        "classic-heawood-addressings",
        "heawood",
        "section 2, figure 1",
        "both addressings (odd +5, even -5; or the reverse) give the same graph",
        "an explicit isomorphism, all links",
        _heawood_addressings,
    ),
    Claim(
        "classic-heawood-distances",
        "heawood",
        "section 2",
        "from any node 1, 3, 6, 4 nodes lie at distance 0, 1, 2, 3",
        "breadth-first search from all nodes",
        _heawood_distances,
    ),
    Claim(
        "classic-heawood-opposite",
        "heawood",
        "section 2",
        "nodes x and x + 7 are at distance 3",
        "breadth-first search from all nodes",
        _heawood_opposite,
    ),
    Claim(
        "classic-heawood-paths",
        "heawood",
        "section 2, property",
        "three disjoint paths join any two nodes, of lengths (1,5,5), (2,4,4) or (3,3,3)",
        "shortest disjoint triples of all 91 pairs by minimum-cost flow",
        _heawood_paths,
    ),
    Claim(
        "classic-heawood-bisection",
        "heawood",
        "digest, section 1",
        "the Heawood graph has bisection width 7",
        "branch and bound over all halvings",
        _heawood_bisection,
    ),
    Claim(
        "classic-heawood-connectivity",
        "heawood",
        "section 2",
        "the Heawood graph is 3-connected",
        "maximum flows between all pairs that matter",
        _heawood_connectivity,
    ),
    Claim(
        "classic-hypercube-row",
        "heawood",
        "table 1, hypercube",
        "the hypercube has 2^n nodes, degree n, diameter n",
        "built and measured for n up to 12",
        _hypercube_row,
    ),
    Claim(
        "classic-ccc-degree",
        "heawood",
        "table 1, CCC",
        "cube-connected cycles have n·2^n nodes of degree 3",
        "built and measured for n up to 8",
        _ccc_degree,
    ),
    Claim(
        "classic-ccc-diameter",
        "heawood",
        "table 1, CCC",
        "cube-connected cycles have diameter (2n-1)+floor(n/2)",
        "breadth-first search for n = 3..11",
        _ccc_diameter,
    ),
)
