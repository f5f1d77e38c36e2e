"""What is known of one circulant, as plain records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network, NodeLike
from hopscape.families.circulant.bounds import ball, max_order, ulb
from hopscape.families.circulant.faults import FaultRouter
from hopscape.families.circulant.forms import RingForm, recognise, set_17, set_18
from hopscape.families.circulant.isomorphism import canonical, find_multiplier, fold
from hopscape.families.circulant.named import OptimalCirculant
from hopscape.families.circulant.routing import CirculantRouter
from hopscape.families.circulant.wiring import Circulant

__all__ = ["cell_map", "describe", "describe_faults", "describe_route", "table_rows"]

_MOST_VECTORS = 100


def describe(family: Circulant, other: Circulant | None = None) -> dict[str, Any]:
    """Components, folded and canonical generators, bounds; a multiplier to another circulant."""
    count = max(len(set(fold(family.n, family.generators))), 1)
    record: dict[str, Any] = {
        "spec": family.spec,
        "nodes": family.n,
        "generators": list(family.generators),
        "folded": list(fold(family.n, family.generators)),
        "canonical": list(canonical(family.n, family.generators)),
        "components": family.components,
        "diameter": family.known_diameter(),
        "least_diameter": ulb(family.n, count),
    }
    if family.components > 1:
        record["component"] = family.component_spec
    if other is not None:
        same = other.n == family.n
        record["like"] = other.spec
        record["multiplier"] = (
            find_multiplier(family.n, family.generators, other.generators) if same else None
        )
    return record


def _router(network: Network) -> CirculantRouter:
    router = network.router("closed")
    if not isinstance(router, CirculantRouter):
        raise ArgumentError(f"{network.spec} is no circulant with a router of its own")
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
    far = _router(network).distance(0, nodes)
    return far.reshape(rows, form.s3), f"{network.spec}: distance from node 0 to v"


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
