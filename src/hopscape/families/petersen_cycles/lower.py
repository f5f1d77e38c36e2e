"""Lower bounds that the structure of RPC(k) gives: kinds of links, and cuts between cycles."""

from __future__ import annotations

from functools import cache

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.families.petersen_cycles.slices import PETERSEN
from hopscape.families.petersen_cycles.wiring import Stack

__all__ = ["structure_bounds"]

_SIZE = 30
_MANY = 4000


@cache
def _petersen_distances() -> IntArray:
    far = np.full((10, 10), 2, dtype=np.int64)
    for v, row in enumerate(PETERSEN):
        far[v, list(row)] = 1
        far[v, v] = 0
    return far


@cache
def _cuts() -> tuple[IntArray, IntArray]:
    """Every set of cycles (half of them) as rows of booleans, and its links to the others."""
    members = (np.arange(1, 512)[:, None] >> np.arange(10)) & 1
    inside = members.astype(bool)
    links = np.asarray(
        [sum(row[u] != row[v] for u in range(10) for v in PETERSEN[u] if u < v) for row in inside]
    )
    return inside, links


def structure_bounds(
    stack: Stack, network: Network, goal: Goal, model: Model
) -> tuple[tuple[int, str], ...]:
    """Bounds for permutations and total exchange with unit messages."""
    if model.packing != "unit" or model.switching != "store-and-forward":
        return ()
    k = stack.loops[0].size
    lanes = 1 if model.duplex == "half" else 2
    ring_links = 30 * k if k > 2 else 30 * (k - 1)
    if goal.kind == "all-to-all":
        cross = int(_petersen_distances().sum()) * 9 * k * k
        ring = 900 * k * (k * k // 4)
        return tuple(
            _shared(cross, 15 * k, lanes, "cross") + _shared(ring, ring_links, lanes, "ring")
        )
    if goal.kind != "permutation":
        return ()
    promise = goal.on(network)
    at, to = promise.origins, promise.destinations
    here, there = at % _SIZE // 3, to % _SIZE // 3
    gap = (to // _SIZE - at // _SIZE) % k
    found = _shared(int(_petersen_distances()[here, there].sum()), 15 * k, lanes, "cross")
    found += _shared(int(np.minimum(gap, k - gap).sum()), ring_links, lanes, "ring")
    if network.order <= _MANY:
        found.append(_best_cut(here, there, k, lanes))
    return tuple(found)


def _shared(hops: int, links: int, lanes: int, kind: str) -> list[tuple[int, str]]:
    if not hops or not links:
        return []
    return [(-(-hops // (links * lanes)), f"{hops} hops over {kind} links share {links} of them")]


def _best_cut(here: IntArray, there: IntArray, k: int, lanes: int) -> tuple[int, str]:
    """Packets that must leave or enter a set of cycles, over its cross links."""
    inside, links = _cuts()
    traffic = np.zeros((10, 10), dtype=np.int64)
    np.add.at(traffic, (here, there), 1)
    out = np.einsum("ci,ij,cj->c", inside, traffic, ~inside)
    into = np.einsum("ci,ij,cj->c", ~inside, traffic, inside)
    need = out + into if lanes == 1 else np.maximum(out, into)
    rounds = -(-need // (links * k))
    i = int(rounds.argmax())
    cycles = int(inside[i].sum())
    return int(
        rounds[i]
    ), f"{int(need[i])} packets must cross {int(links[i]) * k} links between " + (
        f"{cycles} cycles and the others"
    )
