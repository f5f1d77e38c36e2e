"""Where ranks stand: endpoints in an order that keeps neighbours near."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from hopscape.collectives.classics.plans import RankPlan
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distances_from_each
from hopscape.core.errors import HopscapeError
from hopscape.core.network import Network
from hopscape.core.progress import check_time

if TYPE_CHECKING:
    from hopscape.collectives.classics.swap_kernels import TrafficMatrix

__all__ = ["embedded_order", "groups_of", "ring_order", "sides_of", "swapped_order"]

_TRIES = 40
_ROTATIONS = 4_000_000
"""Nodes that all rotations of a path together may turn round: about 1 s."""
_EMBEDDED, _LINKED = 16, 1
"""Ranks, and partners per rank, up to which places are found by embedding: rings and trees."""
_BUDGET = 20_000
"""Steps of the embedding search: a fraction of a second, for each of a dozen algorithms."""
_SWAPPED = 1024
"""Ranks up to which places are swapped: distances of all pairs are kept."""
_MESSAGES = 1_500_000
"""Messages up to which places are swapped: routing more again takes too long."""
_PARTNERS = 64
"""Partners of a rank from which on no placement is much better than another."""
_PORTIONS, _SWAPS = 6, 300
"""Rounds of annealing, each half as hot as the one before, and swaps per rank in each."""


def sides_of(network: Network, ranks: int) -> tuple[int, ...]:
    """Sides of the grid of addresses, where all nodes are ranks; else one side."""
    sides = tuple(getattr(network.addresses, "sides", ()))
    whole = not network.has_switches and ranks == network.order
    return sides if whole and int(np.prod(sides, dtype=object)) == ranks else (ranks,)


def groups_of(network: Network, ends: IntArray) -> IntArray | None:
    """Ranks of endpoints that are near each other, in groups of one size; None without such groups.

    At one switch, or in one line of the last dimension of a grid.
    """
    if network.has_switches:
        if not (network.degrees[ends] == 1).all():
            return None
        key = network.heads[network.indptr[ends]].astype(np.int64)
    else:
        sides = sides_of(network, len(ends))
        if len(sides) < 2:
            return None
        key = np.arange(len(ends)) // sides[-1]
    _, which, counts = np.unique(key, return_inverse=True, return_counts=True)
    if len(set(counts.tolist())) != 1 or len(counts) < 2 or counts[0] < 2:
        return None
    return np.argsort(which, kind="stable").reshape(len(counts), int(counts[0]))


def ring_order(network: Network, ends: IntArray) -> IntArray:
    """The endpoints, counted among `ends`, in the order of a ring; a Hamiltonian cycle if found.

    A path that grows at its end and is turned round where it cannot (Pósa 1976), from a few seeds;
    the order of the numbers where none is found, or where switches lie between the endpoints.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("torus(4, 4)")
        >>> walk = ring_order(net, net.endpoints)
        >>> all(net.router().distances(walk, np.roll(walk, -1)) == 1)
        True
    """
    plain = np.arange(len(ends))
    if network.has_switches or len(ends) != network.order or len(ends) < 3:
        return plain
    rows = [
        np.unique(network.heads[network.indptr[v] : network.indptr[v + 1]]).tolist()
        for v in range(network.order)
    ]
    snake = _snake(sides_of(network, len(ends)))
    if _closes(snake, rows):
        return snake
    left = _ROTATIONS
    for seed in range(_TRIES if network.duplex else 0):
        check_time(f"a Hamiltonian cycle of {network.spec}")
        cycle, left = _rotate(rows, np.random.default_rng(seed), left)
        if cycle is not None:
            return cycle
        if left <= 0:
            break
    return plain


def _snake(sides: tuple[int, ...]) -> IntArray:
    """Through a grid and back: a cycle of neighbours wherever a side is even.

    The lines of the other dimensions are walked forth and back; the first row of the last
    dimension is kept for the way back where the grid has no wrap-around links.
    """
    if len(sides) < 2:
        return np.arange(int(np.prod(sides)))
    order = sorted(range(len(sides)), key=lambda i: sides[i] % 2)  # an even side first, if any
    shape = [sides[i] for i in order]
    long, wide = shape[0], int(np.prod(shape[1:]))
    inner = _walk(shape[1:])
    lanes = [(i, inner[1:] if i % 2 == 0 else inner[1:][::-1]) for i in range(long)]
    cells = [(i, c) for i, lane in lanes for c in lane] if wide > 1 else []
    cells += [(i, inner[0]) for i in reversed(range(long))]
    numbers = np.asarray([i * wide + c for i, c in cells], dtype=np.int64)
    where = np.stack(np.unravel_index(numbers, shape), axis=1)
    back = np.empty_like(where)
    back[:, order] = where
    return np.ravel_multi_index(tuple(back.T), sides)


def _walk(sides: list[int]) -> list[int]:
    """All cells of a grid, each next to the one before."""
    cells = [0]
    for i, side in enumerate(sides):
        if i == 0:
            cells = list(range(side))
            continue
        cells = [
            c * side + (x if j % 2 == 0 else side - 1 - x)
            for j, c in enumerate(cells)
            for x in range(side)
        ]
    return cells


def _closes(walk: IntArray, rows: list[list[int]]) -> bool:
    nodes = walk.tolist()
    return all(b in rows[a] for a, b in zip(nodes, [*nodes[1:], nodes[0]], strict=True))


def _rotate(
    rows: list[list[int]], generator: np.random.Generator, left: int
) -> tuple[IntArray | None, int]:
    """A Hamiltonian cycle by rotations of a path, or None after many of them.

    Args:
        left: Nodes that may still be visited or turned round; what is left of it is returned too.
    """
    count = len(rows)
    path = [int(generator.integers(count))]
    place = {path[0]: 0}
    for _ in range(60 * count):
        left -= 1
        if left <= 0:
            break
        end = path[-1]
        free = [v for v in rows[end] if v not in place]
        if free:
            fewest = min(free, key=lambda v: (sum(w not in place for w in rows[v]), v))
            place[fewest] = len(path)
            path.append(fewest)
            continue
        if len(path) == count and path[0] in rows[end]:
            return np.asarray(path), left
        pivots = [v for v in rows[end] if place[v] < len(path) - 2]
        if not pivots:
            break
        cut = place[pivots[int(generator.integers(len(pivots)))]] + 1
        path[cut:] = path[cut:][::-1]
        for i in range(cut, len(path)):
            place[path[i]] = i
        left -= len(path) - cut
    return None, left


def swapped_order(network: Network, ends: IntArray, plan: RankPlan, root: int) -> IntArray | None:
    """Places by greedy choice and swaps: chunks go as few hops as can be found.

    Rank 0 stands at the root. Where nearly everybody talks with everybody, places are drawn by lot,
    so that neighbours do not all send to neighbours at once. None for more than 1,024 ranks, very
    many messages, and where endpoints cannot reach each other.

    Examples:
        >>> import hopscape
        >>> from hopscape.collectives.classics.gathering import recursive_doubling
        >>> net = hopscape.build("random_regular(32, 4)")
        >>> sorted(swapped_order(net, net.endpoints, recursive_doubling(32, 1), 0).tolist())[-1]
        31
    """
    from hopscape.collectives.classics.swap_kernels import (
        greedy_placement,
        placement_cost,
        swap_placement,
    )

    ranks = len(ends)
    if not 3 < ranks <= _SWAPPED or not len(plan.source) or len(plan.source) > _MESSAGES:
        return None
    traffic = _traffic_matrix(plan, ranks)
    if len(traffic.other) > _PARTNERS * ranks:  # everybody is as near: spread what goes at once
        return _shuffled(ranks, root)
    hops = distances_from_each(network, ends)[:, ends].astype(np.int64)
    if (hops < 0).any():
        return None
    plain = np.arange(ranks)
    plain[0], plain[root] = root, 0
    best = min(
        (plain, greedy_placement(traffic, hops, root)),
        key=lambda placement: placement_cost(traffic, hops, placement),
    )
    least, placement = placement_cost(traffic, hops, best), best.copy()
    heat = 0.5 * least / ranks
    for portion in range(_PORTIONS):
        swap_placement(traffic, hops, placement, 1, heat / 2**portion, portion, _SWAPS * ranks)
        cost = placement_cost(traffic, hops, placement)
        if cost < least:
            least, best = cost, placement.copy()
    return best


def _shuffled(ranks: int, root: int) -> IntArray:
    """Places by lot, rank 0 at the root."""
    others = np.random.default_rng(0).permutation(np.delete(np.arange(ranks), root))
    return np.concatenate([[root], others])


def _traffic_matrix(plan: RankPlan, ranks: int) -> TrafficMatrix:
    """Chunks between every two ranks, from both ends."""
    from hopscape.collectives.classics.swap_kernels import TrafficMatrix

    pairs, weight = np.unique(plan.source * ranks + plan.target, return_counts=True)
    source, target = pairs // ranks, pairs % ranks
    rank = np.concatenate([source, target])
    order = np.argsort(rank, kind="stable")
    sends = np.arange(len(rank)) < len(pairs)
    start = np.searchsorted(rank[order], np.arange(ranks + 1))
    other = np.concatenate([target, source])
    return TrafficMatrix(start, other[order], np.concatenate([weight, weight])[order], sends[order])


def embedded_order(network: Network, ends: IntArray, plan: RankPlan) -> IntArray | None:
    """Places by the embedding search: ranks that talk are guests that are linked.

    None for more than 16 ranks or many pairs that talk, on simplex links, and where switches lie
    between endpoints.
    """
    ranks = len(ends)
    if network.has_switches or ranks != network.order or not network.duplex:
        return None
    if not 2 < ranks <= _EMBEDDED:
        return None
    low, high = np.minimum(plan.source, plan.target), np.maximum(plan.source, plan.target)
    pairs = np.unique(low * ranks + high)
    if len(pairs) > _LINKED * ranks:
        return None
    links = tuple(network.tails.tolist()), tuple(network.heads.tolist())
    return _embedded(tuple(pairs.tolist()), ranks, *links)


@lru_cache(maxsize=64)
def _embedded(
    pairs: tuple[int, ...], ranks: int, tails: tuple[int, ...], heads: tuple[int, ...]
) -> IntArray | None:
    """The best places that are found on the host with these channels."""
    from hopscape.metrics.embedding import best_embedding

    linked = np.asarray(pairs, dtype=np.int64)
    guest = Network.from_links(ranks, linked // ranks, linked % ranks, spec="ranks")
    host = Network.from_links(ranks, tails, heads, duplex=False, spec="host")
    try:
        return np.asarray(best_embedding(guest, host, budget=_BUDGET).places)
    except HopscapeError:
        return None
