"""Girth, degrees and connectivity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import TooLargeError
from hopscape.core.measured import How, Measured
from hopscape.core.network import Network
from hopscape.core.progress import paced

__all__ = [
    "DegreeStatistics",
    "degree_statistics",
    "edge_connectivity",
    "girth",
    "node_connectivity",
    "vertex_transitive",
]

_SLICE = 8
_GIRTH_SLICE = 64


@dataclass(frozen=True)
class DegreeStatistics:
    """Channels that leave (and enter) the nodes."""

    minimum: int
    maximum: int
    mean: float
    histogram: dict[int, int]
    how: str


def degree_statistics(network: Network) -> DegreeStatistics:
    """Least, greatest and mean out-degree, and how many nodes have each.

    Examples:
        >>> import hopscape
        >>> degree_statistics(hopscape.build("mesh(3, 3)")).histogram
        {2: 4, 3: 4, 4: 1}
    """
    facts = network.facts
    if facts.degree_min is not None and facts.degree_min == facts.degree_max:
        degree = facts.degree_min
        return DegreeStatistics(
            degree, degree, float(degree), {degree: network.order}, "closed form"
        )
    values, counts = np.unique(network.degrees, return_counts=True)
    histogram = dict(zip(values.tolist(), counts.tolist(), strict=True))
    return DegreeStatistics(
        int(values[0]), int(values[-1]), float(network.degrees.mean()), histogram, "exact"
    )


def girth(network: Network, *, exact: bool = False) -> Measured[int | None]:
    """Length of a shortest cycle; None when there is none.

    A duplex link is not a cycle; two parallel links are one of length 2. In a network of simplex
    channels cycles follow the channels.

    Args:
        exact: Compute it from every node, even when the family or the symmetry would spare it.
    """
    if not exact and network.facts.girth is not None:
        return Measured(network.facts.girth, "closed form")
    from hopscape.metrics import girth_kernels

    symmetry = None if exact else network.symmetry
    sources = np.arange(len(network.indptr) - 1)  # builds the arrays, or refuses
    if symmetry is not None:
        sources = np.asarray(symmetry.representatives, dtype=np.int64)
    none = 2 * network.order + 2
    best = none
    arrays = network.indptr, network.heads, network.reverse
    for part in paced(len(sources), f"girth of {network.spec}", _GIRTH_SLICE):
        best = girth_kernels.girth(*arrays, sources[part], best)
    how: How = "symmetry" if symmetry is not None else "exact"
    return Measured(None if best >= none else int(best), how)


def node_connectivity(network: Network, *, exact: bool = False) -> Measured[int | None]:
    """How many nodes must fail to part two others (or leave one alone)."""
    if not exact and network.facts.node_connectivity is not None:
        return Measured(network.facts.node_connectivity, "closed form")
    from hopscape.metrics import connectivity_kernels as flows

    csr = network.indptr, network.heads
    symmetry = None if exact else network.symmetry
    transitive = symmetry is not None and symmetry.transitive
    best = flows.node_connectivity_bound(*csr)
    pairs = flows.node_connectivity_pairs(*csr, network.duplex, transitive)
    return Measured(_least_flow(network, pairs, best, node_disjoint=True), "exact")


def edge_connectivity(network: Network, *, exact: bool = False) -> Measured[int | None]:
    """How many links (simplex: channels) must fail to part the network."""
    if not exact and network.facts.edge_connectivity is not None:
        return Measured(network.facts.edge_connectivity, "closed form")
    from hopscape.metrics import connectivity_kernels as flows

    best = flows.edge_connectivity_bound(network.indptr, network.heads)
    pairs = flows.edge_connectivity_pairs(network.order, network.duplex)
    return Measured(_least_flow(network, pairs, best, node_disjoint=False), "exact")


def _least_flow(
    network: Network,
    pairs: IntArray,
    best: int,
    node_disjoint: bool,
) -> int:
    from hopscape.metrics import flow_kernels as flows

    residual = flows.residual_network(network.indptr, network.heads, node_disjoint)
    for part in paced(len(pairs), f"connectivity of {network.spec}", _SLICE):
        best = flows.least_flow(residual, pairs[part], best)
    return int(best)


def vertex_transitive(network: Network, *, exact: bool = False) -> Measured[bool | None]:
    """Does every node look like every other?

    From the family where it knows; otherwise refuted by degrees or distances where these differ,
    and decided by the automorphism group (of igraph where it is installed).

    Args:
        exact: Decide it even when the family knows it.
    """
    if not exact and network.facts.vertex_transitive is not None:
        return Measured(network.facts.vertex_transitive, "closed form")
    if network.order <= 1:
        return Measured(True, "exact")
    degrees = network.degrees
    if degrees.min() != degrees.max():
        return Measured(False, "exact", "degrees differ")
    if network.order > 5000:
        return Measured(None, "unknown", "not decided beyond 5000 nodes")
    try:
        from hopscape.interchange import to_igraph

        graph = to_igraph(network)
        if graph.is_simple():
            return Measured(_one_orbit(graph.automorphism_group(), network.order), "exact")
    except ImportError:  # igraph is only quicker
        pass
    from hopscape.algebra.groups import automorphism_group

    try:
        group = automorphism_group(network)
    except TooLargeError as error:
        return Measured(None, "unknown", f"{error}; pip install 'hopscape[igraph]' may decide it")
    return Measured(len(group.orbits()) == 1, "exact")


def _one_orbit(generators: list[list[int]], order: int) -> bool:
    reached = {0}
    fresh = [0]
    while fresh:
        images = {g[v] for v in fresh for g in generators} - reached
        reached |= images
        fresh = list(images)
    return len(reached) == order
