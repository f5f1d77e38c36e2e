"""Lower bounds that the structure of an expanded network gives: levels, base, copies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hopscape.core.distances import distance_rows
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network

if TYPE_CHECKING:
    from hopscape.families.expanded.wiring import Expanded

__all__ = ["structure_bounds"]

_SMALL = 1024
_MANY = 1_000_000


def structure_bounds(
    family: Expanded, network: Network, goal: Goal, model: Model
) -> tuple[tuple[int, str], ...]:
    """Bounds for all-gather, permutations and total exchange with unit messages."""
    if model.packing != "unit" or model.switching != "store-and-forward" or not family.levels:
        return ()
    lanes = 1 if model.duplex == "half" else 2
    if goal.kind == "all-gather":
        return _copies(family)
    if goal.kind == "all-to-all":
        return _shared(family, lanes, *_exchanged(family))
    if goal.kind == "permutation" and network.order <= _MANY:
        return _shared(family, lanes, *_permuted(family, network, goal))
    return ()


def _shared(
    family: Expanded, lanes: int, levels: list[int | None], base: int | None
) -> tuple[tuple[int, str], ...]:
    """The hops that must be made over the links of each level, and over those of the base."""
    copies = family.lamp.order ** (family.n - 1)
    each = family.lamp.links * copies
    found = []
    known = [(hops, i + 1) for i, hops in enumerate(levels) if hops is not None]
    if known:
        hops, level = max(known, key=lambda pair: pair[0])
        found.append((hops, each, f"level {level}"))
    if base is not None:
        found.append((base, family.base.links * copies * family.lamp.order, "base"))
    return tuple(
        (-(-hops // (links * lanes)), f"{hops} hops over {kind} links share {links} of them")
        for hops, links, kind in found
        if hops and links
    )


def _exchanged(family: Expanded) -> tuple[list[int | None], int | None]:
    """Hops of a total exchange over the first level (all are alike), and over the base."""
    lamp = family.lamp
    mean = lamp.facts.mean_distance
    if mean is not None:
        inner = round(mean * lamp.order * (lamp.order - 1))
    elif lamp.order <= _SMALL:
        inner = int(distance_rows(lamp, np.arange(lamp.order)).sum(dtype=np.int64))
    else:
        return [], None
    level = inner * (family.order // lamp.order) ** 2
    whole = family.facts().mean_distance
    if whole is None:
        return [level], None
    return [level], round(whole * family.order * (family.order - 1)) - family.n * level


def _permuted(
    family: Expanded, network: Network, goal: Goal
) -> tuple[list[int | None], int | None]:
    """The same for a permutation, by the distances of its pairs."""
    promise = goal.on(network)
    at, to = promise.origins, promise.destinations
    lamp = family.lamp.router()
    here, there = at // family.base.order, to // family.base.order
    levels: list[int | None] = []
    for _ in range(family.n):
        a, b = here % family.lamp.order, there % family.lamp.order
        levels.append(int(lamp.distances(a, b).sum()))
        here, there = here // family.lamp.order, there // family.lamp.order
    total = int(network.router().distances(at, to).sum())
    return levels, total - sum(hops for hops in levels if hops is not None)


def _copies(family: Expanded) -> tuple[tuple[int, str], ...]:
    """What must enter a copy of the base over the level links at its connectors, and go on to the
    node that is farthest from these."""
    base, lamp = family.base, family.lamp
    least = lamp.facts.degree_min
    if least is None:
        if lamp.order > _SMALL:
            return ()
        least = int(lamp.degrees.min())
    ways = family.n * least
    reach = int(distance_rows(base, np.asarray(family.marks)).min(axis=0).max())
    missing = family.order - base.order
    if not ways or not missing:
        return ()
    return (
        (
            -(-missing // ways) + reach,
            f"{missing} chunks must enter a copy of the base by {ways} channels and go {reach} on",
        ),
    )
