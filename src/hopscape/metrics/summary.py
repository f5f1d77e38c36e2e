"""Results about one network under the names that scripts rely on."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from hopscape.core.distances import distances_from
from hopscape.core.errors import TooLargeError
from hopscape.core.memory import human_bytes
from hopscape.core.network import Network
from hopscape.metrics.distances import DistanceProfile, distance_profile
from hopscape.metrics.structure import degree_statistics, vertex_transitive

__all__ = ["distances_from_node", "distances_overall", "summarise"]


def summarise(network: Network, *, exact: bool = False) -> dict[str, Any]:
    """Size, degree, distances and symmetry of a network, and how each is known.

    Parameters
    ----------
    network : Network
    exact : bool
        Compute distances in full even where a formula or the symmetry gives them.
    """
    facts = network.facts
    how: dict[str, str] = {}
    record: dict[str, Any] = {
        "spec": network.spec,
        "nodes": network.order,
        "endpoints": network.endpoint_count,
        "links": None,
        "channels": None,
        "degree": {"min": None, "max": None},
        "duplex": network.duplex,
        "memory": human_bytes(network.memory_estimate()),
    }
    known = facts.diameter is not None and facts.mean_distance is not None
    known = known or facts.connected is False or network.order == 1
    profile: DistanceProfile | None = None
    trouble = ""
    try:
        record["links"], record["channels"] = network.links, network.channels
        degrees = degree_statistics(network)
        record["degree"] = {"min": degrees.minimum, "max": degrees.maximum}
        if exact or not known:
            profile = distance_profile(network, exact=exact)
    except TooLargeError:
        if exact:
            raise
        trouble = f"too large to compute: {human_bytes(network.memory_estimate())}"
    record |= _distance_keys(network, profile, trouble, how)
    try:
        symmetric = vertex_transitive(network)
        record["vertex_transitive"] = symmetric.value
        how["vertex_transitive"] = symmetric.note or symmetric.how
    except TooLargeError as error:
        record["vertex_transitive"], how["vertex_transitive"] = None, str(error)
    if network.classes:
        record["classes"] = _class_records(network)
    record["how"] = how
    return record


def _class_records(network: Network) -> list[dict[str, Any]]:
    """Kinds of channels with their speeds, and how many of them leave the first node."""
    assert network.family is not None
    try:
        mine = network.family.classes_at(np.asarray([0])).ravel()
    except TooLargeError:
        return [asdict(kind) | {"at_node_0": None} for kind in network.classes]
    return [asdict(kind) | {"at_node_0": int((mine == k).sum())}
            for k, kind in enumerate(network.classes)]  # fmt: skip


def _distance_keys(
    network: Network, profile: DistanceProfile | None, trouble: str, how: dict[str, str]
) -> dict[str, Any]:
    """Connected, diameter and mean distance: measured where measured, else in closed form."""
    facts = network.facts
    connected, diameter, mean = facts.connected, facts.diameter, facts.mean_distance
    for name, value in (("connected", connected), ("diameter", diameter), ("mean_distance", mean)):
        how[name] = "closed form" if value is not None else trouble
    if profile is not None:
        sampled = f"from {profile.sources} sources" if profile.how == "sampled" else profile.how
        if connected is None or profile.how == "exact":
            connected, how["connected"] = profile.connected, sampled
        if diameter is None or profile.how == "exact":
            diameter, how["diameter"] = profile.diameter, sampled
            if profile.how == "sampled":
                how["diameter"] = f"at least; {sampled}"
        if mean is None or profile.how == "exact":
            mean, how["mean_distance"] = profile.mean, sampled
    if connected is False:
        diameter, mean = None, None
        how["diameter"] = how["mean_distance"] = "not connected"
    approximate = profile is not None and profile.how == "sampled" and mean == profile.mean
    return {
        "connected": connected,
        "diameter": diameter,
        "mean_distance": None if mean is None else float(mean),
        "mean_distance_exact": None if approximate else mean,
    }


def distances_from_node(network: Network, source: int, *, each: bool = False) -> dict[str, Any]:
    """How many nodes lie at each distance from one node."""
    row = distances_from(network, source)
    reached = row[row >= 0]
    histogram = np.bincount(reached).tolist()
    record: dict[str, Any] = {
        "spec": network.spec,
        "source": source,
        "address": network.addresses.data(source),
        "histogram": histogram,
        "eccentricity": len(histogram) - 1,
        "reached": len(reached),
        "unreachable": network.order - len(reached),
    }
    if each:
        record["distances"] = [int(d) if d >= 0 else None for d in row]
    return record


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
    }
