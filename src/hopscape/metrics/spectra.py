"""Spectrum and expansion, edge-transitivity and distance-regularity of smaller networks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hopscape.core.distances import distance_rows
from hopscape.core.errors import ArgumentError
from hopscape.core.memory import require_at_most, require_memory
from hopscape.core.network import Network

if TYPE_CHECKING:
    from hopscape.algebra.groups import AutomorphismGroup

__all__ = ["Spectrum", "edge_transitive", "intersection_array", "spectrum"]

_MOST_NODES = 4096
_ALIKE = 1e-7


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

    found = group if group is not None else automorphism_group(network)
    return found.pair_orbits(network.tails, network.heads, ordered=not network.duplex) <= 1


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
