"""Girth, degrees and connectivity.

Spectrum and expansion, edge-transitivity and distance-regularity of smaller networks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.measured import How, Measured
from hopscape.core.network import Network
from hopscape.core.processes import require_at_most, require_memory
from hopscape.core.progress import paced

if TYPE_CHECKING:
    from hopscape.algebra.groups import AutomorphismGroup

__all__ = [
    "DegreeStatistics",
    "Spectrum",
    "degree_statistics",
    "edge_connectivity",
    "edge_transitive",
    "girth",
    "intersection_array",
    "node_connectivity",
    "spectrum",
    "vertex_transitive",
]

_SLICE = 8  # pairs between two looks at the clock and Ctrl-C
_GIRTH_SLICE = 64  # nodes between such looks: their searches are shorter


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
    if network.has_switches:
        return Measured(False, "exact", "no endpoint looks like a switch")
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
        from hopscape.formats.graphs import to_igraph

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


_MOST_NODES = 4096  # of dense matrices: 128 MiB
_ALIKE = 1e-7  # eigenvalues so close are one, far above the errors of the solver


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues of a network and what they say about its expansion.

    Attributes:
        values: Eigenvalues of the adjacency matrix, the largest first, each once.
        gap: Second smallest eigenvalue of the normalised Laplacian, λ2: 1 minus the second largest
            eigenvalue of the random walk; for a graph of degree d it is (d - second eigenvalue) /
            d.
        cheeger_low, cheeger_high: λ2 / 2 and sqrt(2 λ2): the conductance (fewest links that leave a
            set, over the degrees in the smaller side) lies between them. F. R. K. Chung, Spectral
            Graph Theory (1997), ch. 2.
        ramanujan: Is every eigenvalue but ±d at most 2 sqrt(d - 1)? None where degrees differ.
    """

    values: tuple[float, ...]
    multiplicities: tuple[int, ...]
    gap: float
    cheeger_low: float
    cheeger_high: float
    ramanujan: bool | None

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON knows it."""
        return {
            "eigenvalues": list(self.values),
            "multiplicities": list(self.multiplicities),
            "spectral_gap": self.gap,
            "cheeger": [self.cheeger_low, self.cheeger_high],
            "ramanujan": self.ramanujan,
        }


def spectrum(network: Network) -> Spectrum:
    """Eigenvalues, spectral gap and Cheeger bounds of a duplex network of up to 4096 nodes.

    Examples:
        >>> import hopscape
        >>> found = spectrum(hopscape.build("petersen"))
        >>> [round(x) for x in found.values], found.multiplicities, round(found.gap, 4)
        ([3, 1, -2], (1, 5, 4), 0.6667)
    """
    if not network.duplex:
        raise ArgumentError(f"{network.spec} has one-way channels; a spectrum needs duplex links")
    require_at_most(network.order, _MOST_NODES, network.spec, "a spectrum is computed")
    require_memory(4 * 8 * network.order**2, f"the spectrum of {network.spec}")
    matrix = np.zeros((network.order, network.order))
    np.add.at(matrix, (network.tails, network.heads), 1.0)
    values = np.linalg.eigvalsh(matrix)[::-1]
    degrees = matrix.sum(axis=1)
    root = 1 / np.sqrt(np.maximum(degrees, 1))
    walk = np.linalg.eigvalsh(matrix * root[:, None] * root[None, :])[::-1]
    walk[: int((degrees == 0).sum())] = 1.0  # a node without links is a part of its own
    gap = max(0.0, 1 - float(np.sort(walk)[::-1][1])) if network.order > 1 else 0.0
    distinct, many = _grouped(values)
    return Spectrum(
        distinct, many, gap, gap / 2, min(1.0, (2 * gap) ** 0.5), _ramanujan(values, degrees)
    )


def _grouped(values: Any) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Values that agree but for rounding, once each."""
    scale = _ALIKE * max(1.0, float(np.abs(values).max()))
    starts = np.nonzero(np.concatenate([[True], np.abs(np.diff(values)) > scale]))[0]
    many = np.diff(np.concatenate([starts, [len(values)]]))
    means = [float(part.mean()) for part in np.split(values, starts[1:])]
    rounded = (round(x) if abs(x - round(x)) < scale else x for x in means)
    return tuple(float(x) for x in rounded), tuple(int(x) for x in many)


def _ramanujan(values: Any, degrees: Any) -> bool | None:
    if np.ptp(degrees) or len(values) < 2:
        return None
    degree = float(degrees[0])
    others = values[np.abs(np.abs(values) - degree) > _ALIKE * max(1.0, degree)]
    trivial = int((np.abs(values - degree) <= _ALIKE * max(1.0, degree)).sum())
    bound = 2 * max(0.0, degree - 1) ** 0.5 + _ALIKE
    return trivial == 1 and bool((np.abs(others) <= bound).all())


def edge_transitive(network: Network, group: AutomorphismGroup | None = None) -> bool:
    """Does every link look like every other?

    Args:
        group: If it is known already.

    Examples:
        >>> import hopscape
        >>> [edge_transitive(hopscape.build(spec)) for spec in ("torus(4, 4)", "ccc(4)")]
        [True, False]
    """
    from hopscape.algebra.groups import automorphism_group

    automorphisms = group if group is not None else automorphism_group(network)
    return automorphisms.pair_orbits(network.tails, network.heads, ordered=not network.duplex) <= 1


def intersection_array(network: Network) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """(b0, b1, ...) and (c1, c2, ...) of a distance-regular network; None for all others.

    At distance i from any node, every node has b_i neighbours one further away and c_i one nearer.
    A. E. Brouwer, A. M. Cohen and A. Neumaier, Distance-Regular Graphs (1989).

    Examples:
        >>> import hopscape
        >>> intersection_array(hopscape.build("heawood"))
        ((3, 2, 2), (1, 1, 3))
        >>> intersection_array(hopscape.build("torus(3, 4)")) is None
        True
    """
    if not network.duplex or int(np.ptp(network.degrees)):
        return None
    require_at_most(network.order, _MOST_NODES, network.spec, "distance-regularity is decided")
    further: dict[int, int] = {}
    nearer: dict[int, int] = {}
    for source in range(network.order):
        row = distance_rows(network, np.asarray([source]))[0].astype(np.int64)
        if int(row.max()) >= network.order or int(row.min()) < 0:
            return None  # not connected
        step = row[network.heads] - row[network.tails]
        for kept, change in ((further, 1), (nearer, -1)):
            each = np.bincount(network.tails[step == change], minlength=network.order)
            for i in range(int(row.max()) + 1):
                here = each[row == i]
                if len(here) and int(np.ptp(here)):
                    return None
                if len(here) and kept.setdefault(i, int(here[0])) != int(here[0]):
                    return None
    most = max(further)
    return tuple(further[i] for i in range(most)), tuple(nearer[i] for i in range(1, most + 1))
