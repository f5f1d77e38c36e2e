"""Symmetric layers: one for each pair of endpoints, the same there and back.

Both ends of an InfiniBand connection use one service level, so a route and the route back must be
in the same layer. Pairs are put into the first layer that they fit into, as in LASH (Skeie, Lysne
and Theiss, IPPS 2002), those of one chosen endpoint first and then the longest first.
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import NO_OFFSET, IntArray
from hopscape.core.errors import TooLargeError
from hopscape.core.memory import require_memory
from hopscape.deadlock.layout import Dependencies, Wiring
from hopscape.metrics.routes import Routes

__all__ = ["symmetric_layers"]

_MOST_CHANNELS = 40_000
_TRIES = 4
_TRIED_PAIRS = 50_000


def symmetric_layers(routes: Routes, most: int = 8, *, first: int | None = None) -> IntArray | None:
    """Layers of all pairs of endpoints, or None when `most` do not suffice.

    Args:
        routes: To all nodes.
        first: All pairs of this endpoint are in layer 0.

    Returns:
        uint8[endpoints, endpoints] or None: Symmetric; 0 on the diagonal.

    Examples:
        >>> import hopscape
        >>> from hopscape.metrics.routes import all_routes
        >>> layers = symmetric_layers(all_routes(hopscape.build("torus(4, 4, 4)")))
        >>> bool((layers == layers.T).all()), int(layers.max()) + 1
        (True, 4)
    """
    network = routes.network
    if len(network.heads) > _MOST_CHANNELS:
        raise TooLargeError(
            f"{network.spec} has {len(network.heads)} channels;"
            f" layers are looked for up to {_MOST_CHANNELS}"
        )
    ends = network.endpoints.astype(np.int64)
    one, two = np.triu_indices(len(ends), 1)
    lengths = _lengths(routes, ends)
    longest = np.maximum(lengths[one, two], lengths[two, one])
    favoured = (ends[one] == first) | (ends[two] == first)
    best: IntArray | None = None
    for seed in range(_TRIES if len(one) <= _TRIED_PAIRS else 1):
        mixed = np.random.default_rng(seed).random(len(one)) if seed else np.zeros(len(one))
        turn = np.lexsort((mixed, -longest, ~favoured))
        limit = most if best is None else int(best.max())
        held = _fill(routes, ends[one[turn]], ends[two[turn]], limit)
        if held is None or (held[favoured[turn]] > 0).any():
            continue
        best = np.zeros((len(ends), len(ends)), dtype=np.uint8)
        best[one[turn], two[turn]] = held
        best |= best.T
        if int(best.max()) < 2:
            break
    return best


def _lengths(routes: Routes, ends: IntArray) -> IntArray:
    """Hops from every endpoint to every other."""
    network = routes.network
    hops = np.zeros((len(ends), len(ends)), dtype=np.int32)
    for column, goal in enumerate(ends.tolist()):
        ports = np.where(routes.table[goal] == NO_OFFSET, 0, routes.table[goal])
        after = np.asarray(network.heads)[
            np.minimum(network.indptr[:-1] + ports, len(network.heads) - 1)
        ]
        at = ends.copy()
        while (at != goal).any():
            hops[at != goal, column] += 1
            at = np.where(at == goal, goal, after[at])
    return hops


def _fill(routes: Routes, first: IntArray, second: IntArray, most: int) -> IntArray | None:
    """The layer of each pair, or None when there would be more than `most`."""
    from hopscape.deadlock.symmetric_kernels import fill_pairs

    network = routes.network
    channels = len(network.heads)
    words = -(-channels // 64)
    require_memory(16 * channels * words, f"the layers of {network.spec}")
    width = int(network.degrees.max(initial=1))
    held = np.full(len(first), 255, dtype=np.uint8)
    wiring = Wiring(network.indptr, network.heads)
    for layer in range(most):
        graph = np.zeros((channels, width), dtype=np.uint8)
        leads = np.zeros((channels, words), dtype=np.uint64)
        work = Dependencies(graph, leads, np.zeros_like(leads))
        if fill_pairs(wiring, routes.table, first, second, layer, held, work) == 0:
            return held
    return None
