"""Broadcast and scatter by ranks, from rank 0; backwards they are reduce and gather."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from hopscape.collectives.classics.plans import RankPlan
from hopscape.core.arrays import IntArray

__all__ = [
    "binomial_broadcast",
    "binomial_scatter",
    "chain_broadcast",
    "circulant_broadcast",
    "circulant_schedule",
    "direct_scatter",
    "double_tree_broadcast",
    "pipelined_trees",
]


def _splits(ranks: int, ports: int) -> list[tuple[int, int, int, int]]:
    """(step, sender, first, last + 1): the sender gives the ranks of a range to its first one."""
    out = []
    ranges, step = [(0, ranks)], 0
    while any(high - low > 1 for low, high in ranges):
        later: list[tuple[int, int]] = []
        for low, high in ranges:
            part = -(-(high - low) // (ports + 1))
            cuts = [*range(low, high, part), high]
            later += pairwise(cuts)
            out += [(step, low, a, b) for a, b in pairwise(cuts[1:])]
        ranges, step = later, step + 1
    return out


def binomial_broadcast(ranks: int, chunks: int = 1, ports: int = 1) -> RankPlan:
    """Everybody who has the data sends it on: k + 1 times as many in every step.

    Source: Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in
    MPICH", 2005; with k ports, Johnsson and Ho, 1989.

    Examples:
        >>> binomial_broadcast(9).steps, binomial_broadcast(9, ports=2).steps
        (4, 2)
    """
    moves = _splits(ranks, ports)
    return RankPlan.of(*((s, u, v, np.arange(chunks)) for s, u, v, _ in moves))


def binomial_scatter(ranks: int, ports: int = 1) -> RankPlan:
    """The blocks of half of the ranks go to one of them, and so on.

    Source: Chan, Heimlich, Purkayastha and van de Geijn, 2007.
    """
    moves = _splits(ranks, ports)
    return RankPlan.of(*((s, u, v, np.arange(v, end)) for s, u, v, end in moves))


def direct_scatter(ranks: int, ports: int = 1) -> RankPlan:
    """The root sends to each its own, as many at once as it has ports."""
    others = np.arange(1, ranks)
    return RankPlan.of((np.asarray((others - 1) // ports), 0 * others, others, others))


def pipelined_trees(
    parents: list[IntArray], chunks: int, ports: int = 1, first: IntArray | None = None
) -> RankPlan:
    """Chunks follow each other down trees from rank 0; chunk c takes tree c mod (number of trees).

    In every step a rank sends at most `ports` messages and receives as many, the oldest chunks
    first.

    Args:
        parents (list of int64[ranks]): The parent of each rank in each tree; -1 at the root.
    """
    trees = len(parents)
    edges = []
    for tree, parent in enumerate(parents):
        depth = _depths(parent)
        edges += [(int(depth[v]), tree, int(parent[v]), int(v)) for v in np.nonzero(parent >= 0)[0]]
    edges.sort()
    ranks = len(parents[0]) if parents else 1
    arrived = np.full((ranks, chunks), -1, dtype=np.int64)
    arrived[0] = 0
    ahead = [tree for _, tree, _, _ in edges]  # the next chunk that each edge carries
    out: list[tuple[int, int, int, int]] = []
    step = 0
    while any(c < chunks for c in ahead):
        sends, takes = [0] * ranks, [0] * ranks
        for i in sorted(range(len(edges)), key=lambda i: ahead[i]):
            _, _, u, v = edges[i]
            c = ahead[i]
            free = c < chunks and sends[u] < ports and takes[v] < ports
            if free and 0 <= arrived[u, c] <= step:
                out.append((step, u, v, c))
                arrived[v, c] = step + 1
                sends[u] += 1
                takes[v] += 1
                ahead[i] += trees
        step += 1
    columns = np.asarray(out, dtype=np.int64).reshape(-1, 4)
    return RankPlan(*(columns[:, i] for i in range(4)))


def _depths(parent: IntArray) -> IntArray:
    depth = np.zeros(len(parent), dtype=np.int64)
    at = parent.copy()
    while (at >= 0).any():
        depth += at >= 0
        at = np.where(at >= 0, parent[np.maximum(at, 0)], -1)
    return depth


def chain_broadcast(ranks: int, chunks: int = 1) -> RankPlan:
    """Chunks follow each other from rank to rank: p - 2 + chunks steps.

    Source: Watts and van de Geijn, "A pipelined broadcast for multidimensional meshes", 1995.

    Examples:
        >>> chain_broadcast(5, 3).steps
        6
    """
    return pipelined_trees([np.arange(ranks) - 1], chunks) if ranks > 1 else RankPlan.of()


def double_tree_broadcast(ranks: int, chunks: int = 2, ports: int = 1) -> RankPlan:
    """Half of the chunks down each of two binary trees; who forwards in one is a leaf of the other.

    Source: Sanders, Speck and Träff, "Two-tree algorithms for full bandwidth broadcast, reduction
    and scan", 2009.
    """
    if ranks < 2:
        return RankPlan.of()
    inside = np.full(ranks, -1, dtype=np.int64)
    _in_order(1, ranks - 1, 0, inside)
    label = np.concatenate([[0], np.arange(1, ranks) % (ranks - 1) + 1])
    shifted = np.full(ranks, -1, dtype=np.int64)
    shifted[label[1:]] = label[inside[1:]]
    return pipelined_trees([inside, shifted], chunks, ports)


def _in_order(low: int, high: int, above: int, parent: IntArray) -> None:
    """A binary tree over low..high, numbered from left to right: odd numbers are leaves."""
    if low > high:
        return
    step = 1 << (high.bit_length() - 1)
    while -(-low // step) * step > high:
        step //= 2
    top = -(-low // step) * step
    parent[top] = above
    _in_order(low, top - 1, top, parent)
    _in_order(top + 1, high, top, parent)


def circulant_schedule(ranks: int) -> tuple[IntArray, IntArray]:
    """Skips of the circulant graph, and which block each rank receives in which of its q rounds.

    Returns:
        skip (int64[q + 1]): Half of the next one, rounded up; the last is p.
        receives (int64[q, ranks]): Relative to the phase: negative ones belong to the phase before.
            In round k rank r receives from r - skip[k].

    Examples:
        >>> skip, receives = circulant_schedule(5)
        >>> skip.tolist(), receives[:, 1].tolist()
        ([1, 2, 3, 5], [0, -1, -2])
    """
    skip = [ranks]
    while skip[-1] > 1:
        skip.append((skip[-1] + 1) // 2)
    skips = np.asarray(skip[::-1], dtype=np.int64)
    rounds = len(skips) - 1
    base = _base_blocks(ranks, skips)
    thrice = np.concatenate([base, base, base])
    seen = np.zeros((rounds + 1, 3 * ranks + 1), dtype=np.int64)
    for block in range(rounds + 1):
        seen[block, 1:] = np.cumsum(thrice == block)
    me = np.arange(ranks)
    used = np.zeros((rounds + 1, ranks), dtype=bool)
    used[base, me] = True
    out = np.empty((rounds, ranks), dtype=np.int64)
    for k in range(rounds):
        low, high = me + ranks - skips[k + 1], me + ranks - skips[k]
        best = np.full(ranks, -1)
        for start in (low + 1, low):
            for block in range(rounds, -1, -1):
                there = seen[block, high + 1] > seen[block, start]
                best = np.where((best < 0) & ~used[block] & there, block, best)
        used[best, me] = True
        out[k] = best
    return skips, np.where(out == rounds, base, out - rounds)


def _base_blocks(ranks: int, skips: IntArray) -> IntArray:
    """The smallest skip in the sum of skips, taken greedily, that gives each rank; q for rank 0."""
    rounds = len(skips) - 1
    left, base = np.arange(ranks), np.full(ranks, rounds)
    for k in range(rounds - 1, -1, -1):
        take = (left >= skips[k]) & (base == rounds)
        left = np.where(take, left - skips[k], left)
        base = np.where(take & (left == 0), k, base)
    return base


def circulant_broadcast(ranks: int, chunks: int = 1) -> RankPlan:
    """n chunks in n - 1 + ceil(log2 p) steps for any p, one message per rank and step: the fewest.

    In round k of a phase everybody sends to the rank skip[k] ahead.

    Source: Träff, "Optimal broadcast schedules in logarithmic time with applications to broadcast,
    all-broadcast, reduction and all-reduction", arXiv:2407.18004; the largest free block in the
    range between two skips is taken.

    Examples:
        >>> circulant_broadcast(11, 5).steps
        8
    """
    if ranks < 2:
        return RankPlan.of()
    skip, receives = circulant_schedule(ranks)
    rounds = len(skip) - 1
    late = -(chunks - 1 + rounds) % rounds
    me = np.arange(ranks)
    parts = []
    for i in range(late, chunks - 1 + rounds + late):
        k = i % rounds
        block = receives[k] + i // rounds * rounds - late
        takes = (block >= 0) & (me > 0)
        parts.append(
            (
                i - late,
                (me[takes] - skip[k]) % ranks,
                me[takes],
                np.minimum(block[takes], chunks - 1),
            )
        )
    return RankPlan.of(*parts)
