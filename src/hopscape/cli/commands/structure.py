"""The command structure: what a graph theorist asks first."""

from __future__ import annotations

import math
from typing import Annotated, Any

from hopscape.cli.options import SpecArgument, option
from hopscape.cli.output import emit
from hopscape.core.numbers import number
from hopscape.core.tables import in_table
from hopscape.registry import build

__all__ = ["structure"]

_VALUES = 12
_PRINTED = 10**4000
"""Python writes integers of up to 4300 digits."""


def structure(
    spec: SpecArgument,
    generators: Annotated[bool, option("Also the generators of the automorphism group.")] = False,
) -> None:
    """Automorphism group, transitivity, spectrum, expansion and distance-regularity."""
    from hopscape.algebra import automorphism_group
    from hopscape.metrics import edge_transitive, intersection_array, spectrum

    network = build(spec)
    group = automorphism_group(network)
    orbits = group.orbits()
    array = intersection_array(network)
    record: dict[str, Any] = {
        "spec": network.spec,
        "nodes": network.order,
        "automorphisms": group.order if group.order < _PRINTED else None,
        "automorphisms_log10": math.log10(group.order),
        "orbits": orbits,
        "vertex_transitive": len(orbits) == 1,
        "edge_transitive": edge_transitive(network, group),
        "distance_regular": array is not None,
        "intersection_array": array,
    }
    if network.duplex:
        record |= spectrum(network).to_dict()
    table = _texts(record)
    if generators:
        record["generators"] = [g.tolist() for g in group.generators]
        for i, g in enumerate(record["generators"], 1):
            table[f"generator {i}"] = _cycles(g)
    emit(record, title=network.spec, table=table)


def _texts(record: dict[str, Any]) -> dict[str, str]:
    count = len(record["orbits"])
    sizes = sorted((len(orbit) for orbit in record["orbits"]), reverse=True)
    shown = ", ".join(map(str, sizes[:_VALUES])) + (", …" if count > _VALUES else "")
    table = {
        "automorphisms": _count(record["automorphisms"], record["automorphisms_log10"]),
        "orbits of nodes": f"{count} of {shown} nodes",
        "vertex-transitive": in_table(record["vertex_transitive"]),
        "edge-transitive": in_table(record["edge_transitive"]),
        "distance-regular": in_table(record["distance_regular"]),
    }
    if record["intersection_array"] is not None:
        further, nearer = record["intersection_array"]
        both = f"{', '.join(map(str, further))}; {', '.join(map(str, nearer))}"
        table["intersection array"] = f"{{{both}}}"
    if "eigenvalues" in record:
        pairs = list(zip(record["eigenvalues"], record["multiplicities"]))
        values = ", ".join(number(x) + (f" (×{m})" if m > 1 else "") for x, m in pairs[:_VALUES])
        table["eigenvalues"] = values + (f", … {len(pairs)} in all" if len(pairs) > _VALUES else "")
        table["spectral gap"] = number(record["spectral_gap"])
        low, high = record["cheeger"]
        table["conductance"] = f"from {number(low)} to {number(high)} (Cheeger)"
        table["Ramanujan"] = in_table(record["ramanujan"])
    return table


def _count(value: int | None, log: float) -> str:
    if value is not None and log < 15:
        return f"{value:,}"
    return f"about {10 ** (log % 1):.3f} × 10^{int(log)}"


def _cycles(g: list[int]) -> str:
    """A permutation in cycles, fixed nodes left out."""
    seen: set[int] = set()
    out = []
    for v in range(len(g)):
        cycle = []
        while v not in seen:
            seen.add(v)
            cycle.append(v)
            v = g[v]
        if len(cycle) > 1:
            out.append(f"({' '.join(map(str, cycle))})")
    return " ".join(out)
