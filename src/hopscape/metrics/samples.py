"""What can be said of a network that is too large to be measured: samples and bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from hopscape.core.addresses import node_dtype
from hopscape.core.arrays import IntArray
from hopscape.core.measured import Measured
from hopscape.core.network import Network
from hopscape.core.progress import check_time
from hopscape.core.router import Router
from hopscape.metrics.distances import DistanceProfile, distance_profile
from hopscape.metrics.effort import WIRING, sweep_steps
from hopscape.metrics.evaluation import Evaluation

__all__ = [
    "least_degree",
    "local_girth",
    "some_degrees",
    "some_diameter",
    "some_links",
    "some_mean",
]

_PAIRS = 20_000  # whose distances are asked of the router
_SLICE = 1000  # of them at once, between two looks at the time that is left
_NODES = 2000  # whose ports are counted
_SOURCES = (1024, 64)  # of a sample of distances: fewer where the first would take long
_BALL = 100_000  # nodes that are looked at around one


def some_nodes(order: int, count: int, seed: int = 0) -> IntArray:
    """Random node numbers of a network of any size.

    Examples:
        >>> some_nodes(10**30, 2).dtype, bool((some_nodes(10**30, 2) < 10**30).all())
        (dtype('O'), True)
    """
    generator = np.random.default_rng(seed)
    dtype = node_dtype(order)
    if dtype.kind != "O":
        return generator.integers(0, order, size=count, dtype=np.int64)
    size = (order.bit_length() + 7) // 8 + 8
    numbers = [int.from_bytes(generator.bytes(size)) % order for _ in range(count)]
    return np.asarray(numbers, dtype=object)


# -- distances ------------------------------------------------------------------------------------


def _largest(found: IntArray | None, what: str) -> Measured[Any] | None:
    """The largest of some values: a lower bound."""
    if found is None:
        return None
    return Measured.at_least(int(found.max()), f"from {len(found)} {what}", how="sampled")


def some_diameter(evaluation: Evaluation) -> Measured[int | None] | None:
    """A lower bound from some sources, or from the closed router's ways between some pairs."""
    profile = _some_sources(evaluation)
    if profile is not None:
        if not profile.connected:
            return Measured(None, "sampled", "not connected")
        note = f"from {profile.sources} sources"
        return Measured.at_least(profile.diameter, note, how="sampled")
    return _largest(_some_pairs(evaluation), "pairs")


def some_mean(evaluation: Evaluation) -> Measured[Any] | None:
    """The mean over some sources, or between some pairs."""
    profile = _some_sources(evaluation)
    if profile is not None:
        note = f"from {profile.sources} sources"
        return Measured(profile.mean, "sampled", note if profile.connected else "not connected")
    distances = _some_pairs(evaluation)
    if distances is None:
        return None
    error = float(distances.std()) / len(distances) ** 0.5
    return Measured(
        float(distances.mean()),
        "sampled",
        f"from {len(distances)} pairs, standard error {error:.2g}",
    )


def _some_sources(evaluation: Evaluation) -> DistanceProfile | None:
    """Distances from as many sources as there is time for; None where there is not."""

    def compute() -> DistanceProfile | None:
        if not evaluation.network.materialised or evaluation.refusal(WIRING):
            return None
        for count in _SOURCES:
            steps = sweep_steps(evaluation, count)
            if count < evaluation.network.order and evaluation.affords(steps):
                return distance_profile(evaluation.network, sample=count)
        return None

    profile: DistanceProfile | None = evaluation.share("some sources", compute)
    return profile


def _some_pairs(evaluation: Evaluation) -> IntArray | None:
    """Distances between random pairs by an exact closed router; None where there is none."""

    def compute() -> IntArray | None:
        net = evaluation.network
        router: Router | None = net.family.router(net) if net.family is not None else None
        if router is None or not router.exact or net.order < 2:
            return None
        at, to = some_nodes(net.order, _PAIRS, 0), some_nodes(net.order, _PAIRS, 1)
        different = at != to
        at, to = at[different], to[different]
        rows: list[IntArray] = []
        for low in range(0, len(at), _SLICE):
            rows.append(
                np.asarray(router.distances(at[low : low + _SLICE], to[low : low + _SLICE]))
            )
            if not evaluation.affords(0.0):
                break
        distances = np.concatenate(rows).astype(np.int64)
        return None if (distances < 0).any() else distances

    pairs: IntArray | None = evaluation.share("some pairs", compute)
    return pairs


# -- degrees, cycles, connectivity ----------------------------------------------------------------


def _some_degrees(evaluation: Evaluation) -> IntArray | None:
    """Channels that leave some random nodes."""

    def compute() -> IntArray | None:
        net = evaluation.network
        if net.materialised:
            return None
        degrees: IntArray = (net.neighbours(some_nodes(net.order, _NODES)) >= 0).sum(axis=1)
        return degrees

    sampled: IntArray | None = evaluation.share("some degrees", compute)
    return sampled


def some_degrees(evaluation: Evaluation) -> Measured[int] | None:
    """The largest degree among some nodes."""
    return _largest(_some_degrees(evaluation), "nodes")


def some_links(evaluation: Evaluation) -> Measured[int] | None:
    """Links, from the mean degree of some nodes."""
    degrees = _some_degrees(evaluation)
    if degrees is None:
        return None
    channels = int(degrees.sum()) * evaluation.network.order // len(degrees)
    links = channels // 2 if evaluation.network.duplex else channels
    return Measured(links, "sampled", f"from the degrees of {len(degrees)} nodes")


def least_degree(evaluation: Evaluation) -> Measured[int] | None:
    """Connectivity is no larger than the least degree."""
    least = evaluation.figure("degree_min")
    if least.value is None or evaluation.figure("connected").value is not True:
        return None
    return Measured.at_most(least.value, "no more than the least degree")


def local_girth(evaluation: Evaluation) -> Measured[int] | None:
    """The shortest cycle near one node: the girth where all nodes are alike, else a bound."""
    net = evaluation.network
    girth = _cycle_near(net, 0)
    if girth is None:
        return None
    if evaluation.facts.vertex_transitive:
        return Measured(girth, "symmetry")
    return Measured.at_most(girth, "the shortest cycle near node 0")


def _cycle_near(network: Network, source: int) -> int | None:
    """Length of a shortest cycle that a search from one node meets; None when it meets none."""
    depth, parent, layer = {source: 0}, {source: -1}, [source]
    best: int | None = None
    while layer and len(depth) < _BALL:
        check_time("the search for a cycle")
        rows = network.neighbours(np.asarray(layer, dtype=node_dtype(network.order)))
        ahead = []
        for v, row in zip(layer, rows.tolist(), strict=True):
            ends = [u for u in row if u >= 0]
            if network.duplex and parent[v] >= 0:
                ends.remove(parent[v])
            for u in ends:
                length = _closed_length(network.duplex, depth, source, v, u)
                if length is not None:
                    best = length if best is None else min(best, length)
                elif u not in depth:
                    depth[u], parent[u] = depth[v] + 1, v
                    ahead.append(u)
        layer = ahead
        if best is not None and (not layer or 2 * depth[layer[0]] + 1 > best):
            return best
    return best if not layer else None


def _closed_length(duplex: bool, depth: dict[int, int], source: int, v: int, u: int) -> int | None:
    """Length of the cycle that the step from v to u closes, or None."""
    if duplex:
        return depth[v] + depth[u] + 1 if u in depth else None
    return depth[v] + 1 if u == source else None
