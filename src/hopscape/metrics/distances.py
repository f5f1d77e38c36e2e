"""Diameter, radius, mean distance and the whole histogram of distances."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows, distances_from_each, unreached
from hopscape.core.errors import ArgumentError
from hopscape.core.measured import How
from hopscape.core.network import Network
from hopscape.core.progress import paced, track

__all__ = ["DistanceProfile", "distance_profile"]

_FEW_SOURCES = 200  # from fewer, in small networks, numpy is done before numba is imported
_SMALL_ORDER = 50_000  # nodes of such networks
_FULL_WORK = 10**12  # nodes² × ports: beyond, a sample of sources stands for all
_FULL_WORK_GPU = 10**15  # the same on a graphics processor
_SAMPLE = 1024  # sources of that sample


@dataclass(frozen=True)
class DistanceProfile:
    """How far the nodes are from each other.

    Attributes:
        histogram: Ordered pairs (source, node) at distance 0, 1, 2, ... (scaled up for orbits, not
            for a sample).
        unreachable: Ordered pairs without a path.
        diameter, radius: Largest and least eccentricity; None when some pair has no path. Of a
            sample: of its sources, so that the diameter is a lower bound and the radius an upper
            one.
        mean: Over ordered pairs of distinct nodes; None when some pair has no path (or one node).
        how: {'exact', 'closed form', 'symmetry', 'sampled'}
        sources: Searches made.
    """

    histogram: tuple[int, ...]
    unreachable: int
    diameter: int | None
    radius: int | None
    mean: Fraction | None
    how: How
    sources: int

    @property
    def connected(self) -> bool:
        """Was there a path between all pairs looked at?"""
        return self.unreachable == 0

    @property
    def farthest(self) -> int:
        """Largest finite distance."""
        return len(self.histogram) - 1


def distance_profile(
    network: Network,
    *,
    exact: bool = False,
    sample: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    endpoints: bool = False,
    device: Literal["cpu", "gpu"] = "cpu",
) -> DistanceProfile:
    """Distances between all nodes, by bit-parallel breadth-first search.

    Uses one search per orbit where the network knows its symmetry. Beyond some hundred thousand
    nodes without symmetry, a seeded sample of sources stands for all unless `exact` is asked for.

    Args:
        exact: Search from every node, however long it takes; symmetry is not used either.
        sample: Search from this many random nodes.
        seed: For the sample.
        threads: All processors when left out.
        endpoints: Only distances between endpoints, for networks with switches.
        device ({'cpu', 'gpu'}): Where to search; a GPU needs the extra ``gpu``.

    Examples:
        >>> import hopscape
        >>> profile = distance_profile(hopscape.build("petersen"))
        >>> profile.histogram, profile.diameter, profile.mean, profile.how
        ((10, 30, 60), 2, Fraction(5, 3), 'symmetry')
    """
    if sample is not None and sample < 1:
        raise ArgumentError(f"sample is {sample}; it must be at least 1")
    if threads is not None and threads < 1:
        raise ArgumentError(f"threads is {threads}; it must be at least 1")
    if device not in ("cpu", "gpu"):
        raise ArgumentError(f"device is {device!r}; it must be 'cpu' or 'gpu'")
    if endpoints and network.has_switches:
        if device == "gpu":
            raise ArgumentError("device 'gpu' is not for distances between endpoints only")
        return _between_endpoints(network)
    symmetry = None if exact or sample is not None else network.symmetry
    family = network.family
    if symmetry is not None and family is not None and (counts := family.distance_counts()):
        return _of_counts(network.order, counts)
    if symmetry is not None:
        return _by_orbits(network, symmetry.representatives, symmetry.sizes, threads)
    limit = _FULL_WORK if device == "cpu" else _FULL_WORK_GPU
    if sample is None and not exact and network.order**2 * max(network.ports, 1) > limit:
        sample = _SAMPLE
    sources = np.arange(len(network.indptr) - 1)  # builds the arrays, or refuses
    how: How = "exact"
    if sample is not None and sample < network.order:
        generator = np.random.default_rng(seed)
        sources = np.sort(generator.choice(network.order, size=sample, replace=False))
        how = "sampled"
    if device == "gpu":
        from hopscape.core.gpu import distance_sweep

        histogram, eccentricity = distance_sweep(network, sources)
    else:
        histogram, eccentricity = _sweep(network, sources, threads)
    pairs = len(sources) * network.order
    return _profile(network, histogram, eccentricity, pairs, how, len(sources))


def _of_counts(order: int, counts: list[int]) -> DistanceProfile:
    """The profile of a network with the same number of nodes at each distance from every node."""
    last = len(counts) - 1
    hops = sum(distance * count for distance, count in enumerate(counts))
    return DistanceProfile(
        histogram=tuple(order * count for count in counts),
        unreachable=0,
        diameter=last,
        radius=last,
        mean=Fraction(hops, order - 1) if order > 1 else None,
        how="closed form",
        sources=0,
    )


def _by_orbits(
    network: Network,
    representatives: tuple[int, ...],
    sizes: tuple[int, ...],
    threads: int | None,
) -> DistanceProfile:
    """One search per orbit; orbits of one size go together and are scaled by it."""
    nodes, weights = np.asarray(representatives), np.asarray(sizes)
    total = np.zeros(1, dtype=np.int64)
    hops: list[IntArray] = []
    for size in np.unique(weights):
        histogram, eccentricity = _sweep(network, nodes[weights == size], threads)
        longer = np.zeros(max(len(total), len(histogram)), dtype=np.int64)
        longer[: len(total)] += total
        longer[: len(histogram)] += histogram * int(size)
        total = longer
        hops.append(eccentricity)
    pairs = network.order**2
    return _profile(network, total, np.concatenate(hops), pairs, "symmetry", len(nodes))


def _profile(
    network: Network,
    histogram: IntArray,
    eccentricity: IntArray,
    pairs: int,
    how: How,
    sources: int,
) -> DistanceProfile:
    unreachable = pairs - int(histogram.sum())
    distinct = pairs - int(histogram[0])
    whole = unreachable == 0
    hops = sum(distance * count for distance, count in enumerate(histogram.tolist()))
    return DistanceProfile(
        histogram=tuple(histogram.tolist()),
        unreachable=unreachable,
        diameter=int(eccentricity.max()) if whole else None,
        radius=int(eccentricity.min()) if whole else None,
        mean=Fraction(hops, distinct) if whole and distinct else None,
        how=how,
        sources=sources,
    )


def _sweep(network: Network, sources: IntArray, threads: int | None) -> tuple[IntArray, IntArray]:
    """Histogram over all pairs (source, node), and each source's largest finite distance."""
    if len(sources) <= _FEW_SOURCES and network.order <= _SMALL_ORDER:
        return _few(network, sources)
    from hopscape.core import distance_kernels as kernels

    if len(sources) < 16:
        return _few(network, sources)
    indptr, tails = network.reversed_csr()
    workers = threads if threads is not None else os.cpu_count() or 1
    words = kernels.choose_words(network.order, len(sources))
    allowed = max(2 * network.heads.nbytes, 32_000_000)
    while words > 1 and (16 * words + 4) * network.order * workers > allowed:
        words //= 2
    histogram = np.zeros(1, dtype=np.int64)
    hops: list[IntArray] = []
    for part in paced(len(sources), f"distances in {network.spec}", 128 * words * workers):
        counts, eccentricity, _ = kernels.distance_sweep_parallel(
            indptr, tails, sources[part], words, workers
        )
        if len(counts) > len(histogram):
            histogram, counts = counts.copy(), histogram
        histogram[: len(counts)] += counts
        hops.append(eccentricity)
    return histogram, np.concatenate(hops)


def _few(network: Network, sources: IntArray) -> tuple[IntArray, IntArray]:
    rows = distances_from_each(network, sources)
    return np.bincount(rows[rows >= 0], minlength=1), rows.max(axis=1, initial=0)


def _between_endpoints(network: Network) -> DistanceProfile:
    ends = network.endpoints
    if not len(ends):
        raise ArgumentError(f"{network.spec} has no endpoints")
    histogram = np.zeros(1, dtype=np.int64)
    hops: list[IntArray] = []
    for low in track(range(0, len(ends), 256), f"distances in {network.spec}"):
        rows = distance_rows(network, ends[low : low + 256])[:, ends]
        none = unreached(rows)
        counts = np.bincount(rows[~none])
        longer = np.zeros(max(len(histogram), len(counts)), dtype=np.int64)
        longer[: len(histogram)] += histogram
        longer[: len(counts)] += counts
        histogram = longer
        hops.append(np.where(none, 0, rows).max(axis=1))
    return _profile(network, histogram, np.concatenate(hops), len(ends) ** 2, "exact", len(ends))
