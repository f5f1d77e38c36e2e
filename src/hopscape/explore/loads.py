"""Channel loads of traffic patterns, and the bisection, for the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from hopscape.core.addresses import MixedRadix
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.network import Network
from hopscape.explore.links import Links
from hopscape.explore.packing import pack

__all__ = ["bisection_data", "traffic_data", "usual_traffic"]

_MOST_MATRIX = 2500
_WORST_EFFORT = 3e9


def usual_traffic(network: Network) -> tuple[str, ...]:
    """The patterns that a page has when none is asked for."""
    if network.endpoint_count < 2 or network.order > 5000:
        return ()
    return ("uniform", "worst") if _effort(network) <= _WORST_EFFORT else ("uniform",)


def traffic_data(
    network: Network, links: Links, names: Sequence[str], seed: int = 0
) -> list[dict[str, Any]]:
    """Loads under traffic patterns of the simulator, by the network's own router.

    Each is ``{"name", "words", "loads": by channel of the page, "largest", "mean", "throughput",
    "how"}``.

    Raises:
        ArgumentError: For an unknown pattern.
        TooLargeError: When a pattern other than uniform is asked for more than 2,500 endpoints, or
            the worst permutation would take too long.
    """
    return [_one_pattern(network, links, name, seed) for name in names]


def _one_pattern(network: Network, links: Links, name: str, seed: int) -> dict[str, Any]:
    from hopscape.metrics import channel_load

    matrix: Any = "uniform"
    if name != "uniform":
        if network.endpoint_count > _MOST_MATRIX:
            raise TooLargeError(
                f"{network.spec} has {network.endpoint_count:,} endpoints; traffic {name!r} is for"
                f" up to {_MOST_MATRIX:,} (uniform is for any)"
            )
        matrix = _matrix(network, name, seed)
    found = channel_load(network, traffic=matrix, seed=seed)
    words = f"{name} traffic, {found.how}"
    if name == "worst":
        words = "the permutation that loads one channel most"
    rate = found.throughput
    return {
        "name": name,
        "words": words,
        "loads": pack(links.by_channel(found.loads)),
        "largest": found.largest,
        "mean": found.mean,
        "throughput": rate if math.isfinite(rate) else 0.0,
        "how": found.how,
    }


def _matrix(network: Network, name: str, seed: int) -> Any:
    from hopscape.simulate.traffic import PATTERNS, make_traffic, worst_permutation

    count = network.endpoint_count
    if name == "worst":
        if _effort(network) > 30 * _WORST_EFFORT:
            raise TooLargeError(
                f"the worst permutation of {network.spec} would take too long: an assignment of"
                f" {count:,} endpoints for each of many channels"
            )
        from hopscape.deadlock import routing_table

        table = routing_table(network, ties=False)
        return worst_permutation(network, table, network.endpoints).matrix(count)
    if "/" in name or name.endswith((".csv", ".trace")):
        raise ArgumentError(f"traffic is {name!r}; choose {', '.join(PATTERNS)}")
    sides = network.addresses.sides if isinstance(network.addresses, MixedRadix) else None
    return make_traffic(name, count, sides, seed).matrix(count)


def _effort(network: Network) -> float:
    """Steps of the search for the worst permutation, about."""
    nodes = network.order if network.symmetry is None else len(network.symmetry.representatives)
    share = len(network.heads) * nodes / max(network.order, 1)
    return share * float(network.endpoint_count) ** 2.5


def bisection_data(network: Network, links: Links) -> dict[str, Any] | None:
    """A cut into halves: ``{"words", "how", "side": 0 or 1 by node, "cut": links}``.

    None where there are no two halves.
    """
    from hopscape.metrics import bisection

    if network.endpoint_count < 2:
        return None
    found = bisection(network)
    side = found.side
    if side is None:  # the width is a closed form: a partition has to be looked for
        side = _cut(network)
    crossing = int((side[links.tails] != side[links.heads]).sum())
    width = found.value
    known = f"{width}" if width is not None else f"{found.lower} to {found.upper}"
    words = f"Bisection width {known} ({found.how}); this cut has {crossing} links."
    return {"words": words, "how": found.how, "side": pack(side), "cut": crossing}


def _cut(network: Network) -> Any:
    """A partition by local search, for networks whose width is a closed form."""
    from hopscape.metrics import cut_kernels as cuts

    counted = np.zeros(network.order, dtype=np.uint8)
    counted[network.endpoints] = 1
    tails = np.concatenate([network.tails, network.heads])
    heads = np.concatenate([network.heads, network.tails])
    if network.duplex:
        indptr, targets = network.indptr, network.heads
    else:
        indptr = np.concatenate([[0], np.cumsum(np.bincount(tails, minlength=network.order))])
        targets = heads[np.argsort(tails, kind="stable")]
    return cuts.multistart(indptr.astype(np.int64), targets, counted, 20, 0)[1]
