"""What is known of one circulant, as plain records."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.distances import distances_from
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.network import Network, NodeLike
from hopscape.core.progress import human_time
from hopscape.families.circulant.closed_forms import (
    RingForm,
    ball,
    canonical,
    find_multiplier,
    fold,
    max_order,
    recognise,
    set_17,
    set_18,
    ulb,
)
from hopscape.families.circulant.detours import FaultRouter
from hopscape.families.circulant.figures import Figures
from hopscape.families.circulant.isomorphism import compare_circulants
from hopscape.families.circulant.routing import CirculantRouter
from hopscape.families.circulant.wiring import Circulant
from hopscape.papers.circulant.families import OptimalCirculant

__all__ = [
    "cell_map",
    "describe",
    "describe_faults",
    "describe_route",
    "distance_figures",
    "table_rows",
]

_MOST_VECTORS = 100  # shortest vectors that are listed
_MOST_SHELLS = 200  # distances that are listed with their numbers of nodes
_SEARCHED = 10**5  # nodes: a search lists all distances in a moment


def describe(
    family: Circulant,
    other: Circulant | None = None,
    within: int | None = None,
    *,
    exact: bool = False,
) -> dict[str, Any]:
    """Components, folded and canonical generators, distances; is another one isomorphic?"""
    count = max(len(set(fold(family.n, family.generators))), 1)
    record: dict[str, Any] = {
        "spec": family.spec,
        "nodes": family.n,
        "generators": list(family.generators),
        "folded": list(fold(family.n, family.generators)),
        "canonical": _canonical(family),
        "components": family.components,
        "diameter": None,
        "least_diameter": ulb(family.n, count),
    }
    record |= distance_figures(family, within, exact=exact)
    if family.components > 1:
        record["component"] = family.component_spec
    if other is not None:
        same = other.n == family.n
        record["like"] = other.spec
        record["multiplier"] = (
            find_multiplier(family.n, family.generators, other.generators) if same else None
        )
        record["isomorphic"], record["isomorphic_how"] = (
            compare_circulants(family.n, family.generators, other.generators)
            if same
            else (False, "other numbers of nodes")
        )
    return record


def _canonical(family: Circulant) -> list[int] | None:
    try:
        return list(canonical(family.n, family.generators))
    except TooLargeError:  # too many multipliers
        return None


def distance_figures(
    family: Circulant, within: int | None = None, *, exact: bool = False
) -> dict[str, Any]:
    """Diameter, mean distance and distance counts, and in words why one is not known.

    By breadth-first search where that is quick, by the lattice at any order. Of a circulant that
    is not connected these are the figures of one component; its diameter is None.

    Args:
        within: Also count the nodes at and within this distance of a node.
        exact: Count the nodes by distance even where that takes minutes or hours.

    Examples:
        >>> distance_figures(Circulant(48, (1, 20)))["histogram"]
        [1, 4, 8, 12, 16, 7]
        >>> distance_figures(Circulant(10**12 + 39, (1, 10**6)), within=10**6)["nodes_within"]
        1000000000039
    """
    g = family.components
    if g > 1:
        inner = Circulant(family.n // g, [s // g for s in family.generators])
        figures = distance_figures(inner, within, exact=exact)
        diameter = figures["diameter"]
        shown = figures["how"]["diameter"] if diameter is None else diameter
        words = f"not connected; {shown} in a component"
        return figures | {"diameter": None, "how": figures["how"] | {"diameter": words}}
    searched = family.n <= _SEARCHED or Figures.of(family.n, family.generators).searched
    figures = _by_search(family) if searched else _by_lattice(family, exact)
    if within is not None:
        if within < 0:
            raise ArgumentError(f"the distance is {within}; it must be at least 0")
        sizes = [0, 0]
        for i, radius in enumerate((within - 1, within)):
            if searched:
                sizes[i] = sum(figures["histogram"][: radius + 1])
            elif radius >= 0:
                sizes[i] = Figures.of(family.n, family.generators).within(radius)
        figures |= {"distance": within, "nodes_at": sizes[1] - sizes[0], "nodes_within": sizes[1]}
    return figures


def _by_search(family: Circulant) -> dict[str, Any]:
    histogram = np.bincount(distances_from(Network.of(family), 0)).tolist()
    total = sum(distance * count for distance, count in enumerate(histogram))
    mean = Fraction(total, family.n - 1) if family.n > 1 else None
    how = {} if mean is not None else {"mean_distance": "there is no other node"}
    return _figures(len(histogram) - 1, mean, histogram, how)


def _by_lattice(family: Circulant, exact: bool) -> dict[str, Any]:
    facts, figures = family.facts(), Figures.of(family.n, family.generators)
    diameter, mean, histogram = facts.diameter, facts.mean_distance, None
    how = {}
    if mean is None and exact:
        mean, histogram = figures.count()
        diameter = diameter if histogram is None else len(histogram) - 1
    for name, value in (("diameter", diameter), ("mean_distance", mean)):
        guess = family.estimate(name) if value is None else None
        if guess is not None:
            about = f"about {guess.value:.4g}, " if guess.how == "sampled" else ""
            how[name] = about + guess.note
    if mean is None:
        how["histogram"] = f"counting takes about {human_time(figures.seconds_to_count)}"
    elif diameter is not None and diameter > _MOST_SHELLS and histogram is None:
        how["histogram"] = f"{diameter + 1:,} numbers; ask for those within a distance"
    elif diameter is not None and histogram is None:
        histogram = figures.census.histogram(diameter)
    return _figures(diameter, mean, histogram, how)


def _figures(
    diameter: int | None, mean: Fraction | None, histogram: list[int] | None, how: dict[str, str]
) -> dict[str, Any]:
    return {
        "diameter": diameter,
        "mean_distance": None if mean is None else float(mean),
        "mean_distance_exact": mean,
        "histogram": histogram,
        "how": how,
    }


def _router(network: Network) -> CirculantRouter:
    router = network.router("closed")
    if not isinstance(router, CirculantRouter):
        raise ArgumentError(f"{network.spec} is not a circulant with a router of its own")
    return router


def describe_route(network: Network, a: int, b: int) -> dict[str, Any]:
    """A shortest vector with its certificate, and all others (at most a hundred)."""
    router = _router(network)
    return {
        "from": a,
        "to": b,
        "vector": list(router.vector(a, b)),
        "distance": router.distance(a, b),
        "router": router.name,
        "certificate": str(router.certify(a, b)),
        "vectors": [list(v) for v in router.all_vectors(a, b, _MOST_VECTORS)],
    }


def describe_faults(
    network: Network,
    a: int,
    b: int,
    dead: Sequence[NodeLike],
    links: Sequence[tuple[NodeLike, NodeLike]],
) -> dict[str, Any]:
    """How a message goes round faults, known before or only met on the way."""
    faults = FaultRouter(_router(network), dead, links)
    met, known = faults.route(a, b), faults.route(a, b, known=True)
    return {
        "delivered": met.delivered,
        "path": list(met.path),
        "hops": met.hops if met.delivered else None,
        "hops_if_known": known.hops if known.delivered else None,
    }


def cell_map(network: Network) -> tuple[IntArray, str]:
    """Distances of all nodes v, one row per v div s3: the cell in which the closed form counts."""
    family = network.family
    form = recognise(family.n, family.generators) if isinstance(family, Circulant) else None
    if not isinstance(form, RingForm):
        raise ArgumentError(f"the map of a cell is for family (13)-(15), not {network.spec}")
    rows = -(-form.nodes // form.s3)
    nodes = np.arange(rows * form.s3) % form.nodes
    hops = _router(network).distance(0, nodes)
    return hops.reshape(rows, form.s3), f"{network.spec}: distance from node 0 to v"


def table_rows(largest: int = 18) -> list[dict[str, Any]]:
    """The paper's table: largest orders, and generators by every equation."""
    rows = []
    for d in range(1, largest + 1):
        five = OptimalCirculant(d, "5").generators if d > 1 and d % 3 != 1 else None
        rows.append(
            {
                "d": d,
                "M(d,3)": max_order(d, 3),
                "N(d,3)": ball(d, 3),
                "(17)": set_17(d),
                "(5)": five,
                "(18)": set_18(d) if d > 1 else None,
            }
        )
    return rows
