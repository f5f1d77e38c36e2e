"""Results about one network under the names that scripts rely on."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from hopscape.core.channels import only_names
from hopscape.core.distances import distances_from
from hopscape.core.errors import TooLargeError
from hopscape.core.measured import Measured
from hopscape.core.network import Network
from hopscape.core.numbers import byte_count
from hopscape.metrics.columns import COLUMNS, HOPS
from hopscape.metrics.cost import best_known
from hopscape.metrics.distances import distance_profile
from hopscape.metrics.evaluation import Evaluation

__all__ = ["distances_from_node", "distances_overall", "summarise"]


def summarise(
    network: Network, *, exact: bool = False, record: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Size, degree, distances and symmetry of a network, and how each is known.

    Args:
        exact: Compute everything in full, even where a formula or the symmetry gives it.
        record: Filled as figures are found, so that an interrupted caller keeps what is known.
    """
    evaluation = Evaluation(network, exact, columns=COLUMNS)
    how: dict[str, str] = {}
    out: dict[str, Any] = record if record is not None else {}
    out |= {
        "spec": network.spec,
        "nodes": network.order,
        "endpoints": network.endpoint_count,
        "links": None,
        "channels": None,
        "degree": {"min": None, "max": None},
        "duplex": network.duplex,
        "memory": byte_count(network.memory_estimate()),
        "connected": None,
        "diameter": None,
        "mean_distance": None,
        "mean_distance_exact": None,
        "vertex_transitive": None,
        "how": how,
    }
    for name in ("links", "degree", "connected", "diameter", "mean_distance", "vertex_transitive"):
        _FILLERS.get(name, _fill)(evaluation, name, out)
        how[name] = _words(evaluation.figure(name))
    _add_best_known(out)
    if not only_names(network.classes):
        out["classes"] = _class_records(network)
    out |= _note(network)
    return out


def _note(network: Network) -> dict[str, str]:
    """What distances leave aside, if anything."""
    note = network.unheeded(*HOPS)
    return {"note": note} if note else {}


def _add_best_known(out: dict[str, Any]) -> None:
    """The best published graphs of this degree, for duplex networks of nodes that are all alike."""
    degree = out["degree"]["max"]
    if out["duplex"] and degree and out["endpoints"] == out["nodes"]:
        known = best_known(out["nodes"], degree, out["diameter"])
        if known.moore is not None or known.golf_diameter is not None:
            out["best_known"] = asdict(known)


def _class_records(network: Network) -> list[dict[str, Any]]:
    """Kinds of channels with their speeds, and how many of them leave the first node."""
    try:
        mine = network.classes_at(np.asarray([0])).ravel()
    except TooLargeError:
        return [asdict(kind) | {"at_node_0": None} for kind in network.classes]
    return [asdict(kind) | {"at_node_0": int((mine == k).sum())}
            for k, kind in enumerate(network.classes)]  # fmt: skip


def _fill(evaluation: Evaluation, name: str, out: dict[str, Any]) -> None:
    out[name] = evaluation.figure(name).value


def _fill_links(evaluation: Evaluation, name: str, out: dict[str, Any]) -> None:
    links = evaluation.figure("links")
    out["links"] = links.value
    if links.value is not None and links.exact:
        known = evaluation.fact("channels")
        out["channels"] = known if known is not None else evaluation.network.channels


def _fill_degree(evaluation: Evaluation, name: str, out: dict[str, Any]) -> None:
    out["degree"] = {
        "min": evaluation.figure("degree_min").value,
        "max": evaluation.figure("degree").value,
    }


def _fill_mean(evaluation: Evaluation, name: str, out: dict[str, Any]) -> None:
    mean = evaluation.figure("mean_distance")
    out["mean_distance"] = None if mean.value is None else float(mean.value)
    out["mean_distance_exact"] = mean.value if mean.exact else None


_FILLERS = {"links": _fill_links, "degree": _fill_degree, "mean_distance": _fill_mean}


def _words(found: Measured[Any]) -> str:
    """How a figure is known, in a few words."""
    if found.how == "sampled" and found.sign == "≥":
        return f"at least; {found.note}"
    if found.how == "bound" and found.value == found.high:
        return f"at most; {found.note}"
    if found.value is None or found.how == "sampled":
        return found.note or found.how
    return found.how


def distances_from_node(network: Network, source: int, *, each: bool = False) -> dict[str, Any]:
    """How many nodes lie at each distance from one node."""
    family = network.family
    row, histogram = None, None if each or family is None else family.distance_counts()
    if histogram is None:
        row = distances_from(network, source)
        histogram = np.bincount(row[row >= 0]).tolist()
    reached = sum(histogram)
    record: dict[str, Any] = {
        "spec": network.spec,
        "source": source,
        "address": network.addresses.data(source),
        "histogram": histogram,
        "eccentricity": len(histogram) - 1,
        "reached": reached,
        "unreachable": network.order - reached,
    }
    if each and row is not None:
        record["distances"] = [int(d) if d >= 0 else None for d in row]
    return record | _note(network)


def distances_overall(
    network: Network, *, exact: bool = False, sample: int | None = None, seed: int = 0
) -> dict[str, Any]:
    """How many ordered pairs lie at each distance."""
    profile = distance_profile(network, exact=exact, sample=sample, seed=seed)
    return {
        "spec": network.spec,
        "histogram": list(profile.histogram),
        "diameter": profile.diameter,
        "radius": profile.radius,
        "mean_distance": None if profile.mean is None else float(profile.mean),
        "mean_distance_exact": None if profile.how == "sampled" else profile.mean,
        "connected": profile.connected,
        "unreachable": profile.unreachable,
        "sources": profile.sources,
        "how": profile.how,
    } | _note(network)
