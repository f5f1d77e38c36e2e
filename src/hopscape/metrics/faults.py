"""What is left of a network after random links have failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network

__all__ = ["FaultReport", "random_faults"]

_SOURCES = 16


@dataclass(frozen=True)
class FaultReport:
    """Averages over seeded trials.

    Attributes:
        pairs: Share of ordered pairs of endpoints that are still joined.
        whole: Share of trials in which all endpoints are.
        stretch: Mean distance from some sources over that before, of the pairs still joined.
    """

    faults: int
    trials: int
    pairs: float
    whole: float
    stretch: float | None


def random_faults(network: Network, faults: int, *, trials: int = 10, seed: int = 0) -> FaultReport:
    """Take random links away (both directions of a duplex link) and look what is left.

    Args:
        faults: Links that fail in every trial.

    Examples:
        >>> import hopscape
        >>> random_faults(hopscape.build("ring(10)"), 1).pairs
        1.0
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components, dijkstra

    from hopscape.interchange.convert import link_ends

    tails, heads, _ = link_ends(network)
    if not 0 <= faults <= len(tails):
        raise ArgumentError(f"faults is {faults}; {network.spec} has {len(tails)} links")
    if trials < 1:
        raise ArgumentError(f"trials is {trials}; it must be at least 1")
    order, ends = network.order, network.endpoints
    generator = np.random.default_rng(seed)
    sources = ends[:: max(1, len(ends) // _SOURCES)][:_SOURCES]
    kind: Literal["strong", "weak"] = "weak" if network.duplex else "strong"

    def matrix(keep: Any) -> Any:
        ones = np.ones(int(keep.sum()))
        half = csr_array((ones, (tails[keep], heads[keep])), shape=(order, order))
        return csr_array(half + half.T) if network.duplex else half

    def reach(of: Any) -> Any:
        return dijkstra(of, unweighted=True, indices=sources)[:, ends]

    before = reach(matrix(np.ones(len(tails), dtype=bool)))
    joined, whole, stretches = 0.0, 0, []
    for _ in range(trials):
        keep = np.ones(len(tails), dtype=bool)
        keep[generator.choice(len(tails), size=faults, replace=False)] = False
        left = matrix(keep)
        _, labels = connected_components(left, connection=kind)
        sizes = np.bincount(labels[ends]).astype(np.int64)
        pairs = len(ends) * (len(ends) - 1)
        share = float((sizes * (sizes - 1)).sum()) / pairs if pairs else 1.0
        joined += share
        whole += int((sizes > 0).sum() == 1)
        after = reach(left)
        both = np.isfinite(before) & np.isfinite(after) & (before > 0)
        if both.any():
            stretches.append(float(after[both].sum() / before[both].sum()))
    mean = float(np.mean(stretches)) if stretches else None
    return FaultReport(faults, trials, joined / trials, whole / trials, mean)
