"""What is true of expanded networks in closed form: degrees, distances, girth, least cuts."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np

from hopscape.core.distances import distance_rows
from hopscape.core.errors import TooLargeError
from hopscape.core.family import Facts
from hopscape.core.network import Network
from hopscape.metrics import distance_profile, edge_connectivity, girth, node_connectivity
from hopscape.papers.heawood.structure import ExpandedStructure
from hopscape.papers.heawood.walks import CycleWalks

__all__ = ["degree_counts", "expanded_facts", "mean_distance"]

_SMALL = 1024  # states of a lamp, or levels, that are looked at one by one
_QUICK = 1 << 25  # steps of the census: well below a second
_LONG_CYCLE = 256  # nodes; the exact mean has numbers of as many levels, and is left open beyond


def expanded_facts(family: ExpandedStructure) -> Facts:
    """All that is known of one member."""
    least = most = channels = None
    try:
        degrees = degree_counts(family)
        least, most = min(degrees), max(degrees)
        channels = sum(degree * count for degree, count in degrees.items())
    except TooLargeError:
        pass
    shortest_cycle, certain = _girth(family)
    transitive = _transitive(family, least == most)
    nodes, edges = _connectivity(family, least, bool(transitive), shortest_cycle if certain else 0)
    diameter, radius = _extent(family)
    return Facts(
        degree_min=least,
        degree_max=most,
        links=None if channels is None else channels // 2,
        channels=channels,
        connected=True,
        diameter=diameter,
        radius=radius,
        mean_distance=mean_distance(family),
        girth=shortest_cycle,
        node_connectivity=nodes,
        edge_connectivity=edges,
        vertex_transitive=transitive,
    )


# -- degrees -----------------------------------------------------------------------------------


def degree_counts(family: ExpandedStructure) -> dict[int, int]:
    """How many nodes have each degree, exact."""
    levels = Counter(family.connectors)
    states, rest = _degrees(family.lamp), family.lamp.order
    total: Counter[int] = Counter()
    for v, inner in enumerate(family.base.degrees.tolist()):
        nodes_by_degree = Counter({inner: 1})
        for _ in range(levels[v]):
            nodes_by_degree = _sums(nodes_by_degree, states)
        for degree, count in nodes_by_degree.items():
            total[degree] += count * rest ** (family.n - levels[v])
    return dict(sorted(total.items()))


def _degrees(network: Network) -> Counter[int]:
    """How many nodes of a part have each degree."""
    least, most = network.facts.degree_min, network.facts.degree_max
    if least is not None and least == most:
        return Counter({least: network.order})
    return Counter(network.degrees.tolist())


def _sums(a: Counter[int], b: Counter[int]) -> Counter[int]:
    out: Counter[int] = Counter()
    for x, s in a.items():
        for y, t in b.items():
            out[x + y] += s * t
    return out


# -- distances ---------------------------------------------------------------------------------


def _extent(family: ExpandedStructure) -> tuple[int | None, int | None]:
    """Diameter and radius: all levels as far apart as can be, and walks through all connectors.

    The farthest node differs in every level, since a covering walk grows with what it must visit.
    """
    diameter, radius = _lamp_extent(family.lamp)
    try:
        walks = family.walks.through_all().max(axis=1)
    except TooLargeError:
        return None, None
    return (
        None if diameter is None else family.levels * diameter + int(walks.max()),
        None if radius is None else family.levels * radius + int(walks.min()),
    )


def _lamp_extent(lamp: Network) -> tuple[int | None, int | None]:
    known = lamp.facts.diameter, lamp.facts.radius
    if None not in known or lamp.order > _SMALL:
        return known
    profile = distance_profile(lamp, exact=True)
    return profile.diameter, profile.radius


def mean_distance(family: ExpandedStructure) -> Fraction | None:
    """Mean distance over ordered pairs of distinct nodes; None where counting would take long."""
    if family.order == 1:
        return None
    mean = _mean_around(family)
    if mean is not None:
        return mean
    census = family.census
    if family.levels > _SMALL or census is None or census.work * family.base.order > _QUICK:
        return None
    return census.mean()


def _mean_around(family: ExpandedStructure) -> Fraction | None:
    """The same where the base is a cycle of connectors, each of as many levels."""
    times = set(Counter(family.connectors).values())
    every = len(family.marks) == family.base.order <= _LONG_CYCLE and len(times) == 1
    try:
        if not every or not isinstance(family.walks, CycleWalks):
            return None
    except TooLargeError:
        return None
    hops = _lamp_hops(family.lamp)
    if hops is None:
        return None
    (each,) = times
    same = family.lamp.order**each
    total = Fraction(family.walks.total(same * same - same, same))
    total += family.n * hops * Fraction(family.order, family.lamp.order) ** 2
    return total / (family.order * (family.order - 1))


def _lamp_hops(lamp: Network) -> Fraction | None:
    """Sum of the distances over all ordered pairs of lamp states."""
    mean = lamp.facts.mean_distance
    if mean is None and lamp.order <= _SMALL:
        mean = distance_profile(lamp, exact=True).mean
    return None if mean is None else Fraction(mean) * lamp.order * (lamp.order - 1)


# -- cycles and cuts ---------------------------------------------------------------------------


def _girth(family: ExpandedStructure) -> tuple[int | None, bool]:
    """Length of a shortest cycle, and whether it is known (None may mean that there is none).

    It is a cycle of the base, of the lamp, or two levels changed there and back by turns.
    """
    if family.levels and family.lamp.order > _SMALL and family.lamp.facts.girth is None:
        return None, False
    lengths = [girth(family.base).value]
    if family.levels:
        lengths.append(girth(family.lamp).value)
    if family.levels > len(family.marks):
        lengths.append(4)
    if len(family.marks) > 1:
        marks = np.asarray(family.marks)
        gaps = distance_rows(family.base, marks)[:, marks]
        lengths.append(4 + 4 * int(gaps[gaps > 0].min()))
    return min((g for g in lengths if g is not None), default=None), True


def _transitive(family: ExpandedStructure, regular: bool) -> bool | None:
    symmetry = family.symmetry()
    if symmetry is not None and symmetry.transitive:
        return True
    return None if regular else False


def _connectivity(
    family: ExpandedStructure, least: int | None, transitive: bool, shortest_cycle: int | None
) -> tuple[int | None, int | None]:
    """Least cuts of nodes and of links, where the bounds from both sides meet.

    With fewer dead nodes than the base and the lamp can lose, and fewer than there are connectors,
    every copy of the base and of the lamp stays in one piece and every copy keeps a way out; the
    connectors of one copy cut off its rest. A link cut must split a copy of the base or of the
    lamp. A connected vertex-transitive graph without parallel links has a link cut as large as its
    degree, and without a complete graph of 4 nodes a node cut as well (Mader 1970, 1971).
    """
    if least is None or family.lamp.order > _SMALL:
        return None, None
    if not family.levels:
        return _cuts(family.base)
    (base_nodes, base_edges), (lamp_nodes, lamp_edges) = _cuts(family.base), _cuts(family.lamp)
    count = len(family.marks)
    nodes = edges = None
    if base_nodes is not None and lamp_nodes is not None:
        highest = min(least, count) if count < family.base.order else least
        lowest = min(base_nodes, lamp_nodes, count)
        nodes = lowest if lowest == highest else None
    if base_edges is not None and lamp_edges is not None:
        edges = least if min(base_edges, lamp_edges) == least else None
    if transitive and (shortest_cycle is None or shortest_cycle >= 3):
        edges = least
    if transitive and (shortest_cycle is None or shortest_cycle >= 4):
        nodes = least
    return nodes, edges


def _cuts(network: Network) -> tuple[int | None, int | None]:
    return node_connectivity(network).value, edge_connectivity(network).value
