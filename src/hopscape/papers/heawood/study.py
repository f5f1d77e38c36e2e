"""The paper's tables and curves, as printed and as they are: rows for the study command."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hopscape.core.distances import distance_rows
from hopscape.core.network import Network
from hopscape.core.progress import track
from hopscape.ledger.claim import make_tables
from hopscape.metrics import moore_diameter, node_connectivity
from hopscape.papers.heawood.bases import rank_factors
from hopscape.papers.heawood.comparison import (
    PRINTED,
    best_connectors,
    digit_stretch,
    draw_bandwidth,
    draw_curves,
    members,
    printed_at,
    smallest,
)
from hopscape.papers.heawood.expanded import Expanded
from hopscape.registry import build
from hopscape.store import Store

__all__ = [
    "bandwidth_rows",
    "connector_rows",
    "curve_rows",
    "cut_rows",
    "draw_figures",
    "stretch_rows",
    "study_tables",
    "table_one",
]

FAMILIES = ("hypercube", "CCC", "F-P", "RE-P", "F-H", "RE-H")
OTHERS = ("WBF", "PCC", "HCC", "Kautz 2", "Kautz 3")

Row = dict[str, Any]


def _bases() -> tuple[Network, Network]:
    return build("heawood"), build("petersen")


def table_one(most: int = 14) -> list[Row]:
    """Table 1 for n = 0..most: printed and true degree, diameter and cost of each family."""
    heawood, petersen = _bases()
    rows = []
    for printed in PRINTED:
        for n in range(most + 1):
            true = members(printed.name, n, heawood, petersen)
            if true is None:
                continue
            degree, diameter = int(printed.degree(n)), int(printed.diameter(n))
            rows.append(
                {
                    "family": printed.name,
                    "n": n,
                    "nodes": true.nodes,
                    "printed_degree": degree,
                    "degree": true.degree,
                    "printed_diameter": diameter,
                    "diameter": true.diameter,
                    "printed_cost": degree * diameter,
                    "cost": true.cost,
                    "agrees": degree == true.degree and diameter == true.diameter,
                }
            )
    return rows


def curve_rows(most: int = 100) -> list[Row]:
    """Figures 5 and 6: printed curves (n real) and true smallest members of at least 2^k nodes.

    A family that has no member of that size is left out of the true values.
    """
    heawood, petersen = _bases()
    rows: list[Row] = []
    for k in track(range(2, most + 1), "curves"):
        for printed in PRINTED:
            n, diameter, cost = printed_at(printed, k)
            if n >= (1 if printed.name == "CCC" else 0):
                ends = printed.levels is not None and n > printed.levels
                rows.append(_point(printed.name, "printed", k, diameter, cost, exists=not ends))
        for name in FAMILIES + OTHERS:
            member = smallest(name, k, heawood, petersen)
            if member is not None:
                rows.append(_point(name, "true", k, member.diameter, member.cost))
        best = _moore_cost(1 << k)
        rows.append(_point("Moore bound", "bound", k, best[0], best[1]))
    return rows


def _point(name: str, kind: str, k: int, diameter: float, cost: float, exists: bool = True) -> Row:
    return {
        "family": name,
        "kind": kind,
        "k": k,
        "diameter": diameter,
        "cost": cost,
        "exists": exists,
    }


def _moore_cost(order: int) -> tuple[int, int]:
    """(diameter, cost) of the cheapest degree times diameter that the Moore bound leaves open."""
    best: tuple[int, int] | None = None
    for degree in range(3, 13):
        diameter = moore_diameter(order, degree)
        if diameter is not None and (best is None or degree * diameter < best[1]):
            best = (diameter, degree * diameter)
    assert best is not None
    return best


def bandwidth_rows(most: int = 14) -> list[Row]:
    """What total exchange allows: data per node and round at best, by links that must be shared.

    For products this is reached (steps proved optimal for up to three factors); for the expanded
    networks it is an upper bound: the links of one level, or all links of the base, are full. Of
    the Kautz networks only members small enough to measure all distances appear, with the bound
    that all links together give.
    """
    rows = []
    for n in range(1, 58):
        rows.append({"family": "hypercube", "n": n, "k": float(n), "bandwidth": 2.0})
    for name, size, share in (("F-P", 10, 10 / 5), ("F-H", 14, 14 / 9)):
        for n in range(16):
            k = (n + 1) * math.log2(size)
            rows.append({"family": name, "n": n, "k": k, "bandwidth": share})
    rows += _kautz_bandwidth(min(most, 10))
    for name, n, family in track(list(_expanded_families(most)), "bandwidth"):
        rows.append(
            {"family": name, "n": n, "k": math.log2(family.order), "bandwidth": _bandwidth(family)}
        )
    return rows


def _kautz_bandwidth(most: int) -> list[Row]:
    """Duplex Kautz networks of up to 3000 nodes: all distances against all channels."""
    rows = []
    for d in (2, 3):
        for n in range(1, most + 1):
            network = build(f"kautz({d}, {n}, duplex=true)")
            if network.order > 3000:
                break
            hops = int(distance_rows(network, np.arange(network.order)).sum(dtype=np.int64))
            rows.append(
                {
                    "family": f"Kautz {d}",
                    "n": n,
                    "k": math.log2(network.order),
                    "bandwidth": network.order * network.channels / hops,
                }
            )
    return rows


def _expanded_families(most: int) -> Iterator[tuple[str, int, Expanded]]:
    heawood, petersen = _bases()
    for n in range(1, min(most, 14) + 1):
        yield "RE-H", n, Expanded(heawood, n)
        if n <= 10:
            yield "RE-P", n, Expanded(petersen, n)
        if n >= 3:
            ring = build(f"ring({n})")
            yield "CCC", n, Expanded(ring, n, build("complete(2)"))
            yield "PCC", n, Expanded(ring, n, petersen)


def _bandwidth(family: Expanded) -> float:
    """Nodes over rounds of a total exchange, at best."""
    facts, lamp = family.facts(), family.lamp.facts
    assert facts.mean_distance is not None
    assert lamp.mean_distance is not None
    order, states = family.order, family.lamp.order
    level_hops = lamp.mean_distance * (states - 1) / states  # mean over all ordered pairs
    walk_hops = facts.mean_distance * (order - 1) / order - family.n * level_hops
    base_degree = family.base.facts.degree_max or 0
    lamp_degree = lamp.degree_max or 0
    level = lamp_degree / (family.base.order * level_hops)
    return float(min(level, base_degree / walk_hops))


def stretch_rows() -> list[Row]:
    """Digit-by-digit routing against the shortest routes."""
    heawood, petersen = _bases()
    rows = []
    cases = [(heawood, n) for n in (1, 2, 3, 4, 10, 14)] + [(petersen, n) for n in (2, 10)]
    for base, n in track(cases, "stretch"):
        family = Expanded(base, n)
        stretch = digit_stretch(family)
        rows.append(
            {
                "network": family.spec,
                "max_stretch": stretch.worst,
                "mean_stretch": stretch.mean,
                "worst_hops": stretch.longest,
                "diameter": family.facts().diameter,
            }
        )
    return rows


def connector_rows() -> list[Row]:
    """Diameters over all choices of connectors: the usual one, the best, the worst."""
    rows = []
    for base in _bases():
        diameter = base.facts.diameter or 0
        for n in track(range(1, base.order + 1), f"connectors of {base.spec}"):
            least, greatest = best_connectors(base, n)
            rows.append(
                {
                    "base": base.spec,
                    "n": n,
                    "usual": Expanded(base, n).facts().diameter,
                    "best": n * diameter + least,
                    "worst": n * diameter + greatest,
                }
            )
    return rows


def cut_rows() -> list[Row]:
    """Cut nodes and node connectivity of RE at n = 1, 2, for connectors at every distance."""
    rows = []
    for base, pairs in ((build("petersen"), (1, 2)), (build("heawood"), (1, 2, 3))):
        distances = build(base.spec).router().distance(0, list(range(base.order))).tolist()
        choices = [(0,)] + [(0, distances.index(d)) for d in pairs]
        for chosen in choices:
            network = Network.of(Expanded(base, len(chosen), connectors=chosen))
            rows.append(
                {
                    "network": network.spec,
                    "apart": distances[chosen[-1]] if len(chosen) > 1 else None,
                    "cut_nodes": _cut_nodes(network),
                    "node_connectivity": node_connectivity(network).value,
                }
            )
    return rows


def _cut_nodes(network: Network) -> int:
    import networkx

    from hopscape.formats.graphs import to_networkx

    graph = to_networkx(network)
    return sum(1 for _ in networkx.articulation_points(networkx.Graph(graph)))


def study_tables(store: Store | None = None) -> Iterator[tuple[str, list[Row]]]:
    """All tables of the study, one after the other; those in the store are not made again."""
    makers = {
        "table1": table_one,
        "curves": curve_rows,
        "bandwidth": bandwidth_rows,
        "stretch": stretch_rows,
        "connectors": connector_rows,
        "cuts": cut_rows,
        "factors": rank_factors,
    }
    return make_tables({name: (maker, ()) for name, maker in makers.items()}, store)


def draw_figures(
    tables: Mapping[str, Sequence[Mapping[str, Any]]], folder: Path, picture: str = "svg"
) -> None:
    """Figures 5 and 6 of the paper, and bandwidths.

    Args:
        picture: {'svg', 'png', 'pdf'}
    """
    curves = tables["curves"]
    draw_curves(curves, "cost", "degree × diameter", folder / f"figure5.{picture}")
    draw_curves(curves, "diameter", "diameter", folder / f"figure6.{picture}")
    draw_bandwidth(tables["bandwidth"], folder / f"bandwidth.{picture}")
