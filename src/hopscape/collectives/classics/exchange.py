"""All-to-all, permutation and short all-reduce by ranks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hopscape.collectives.classics.gathering import swing_peers
from hopscape.collectives.classics.plans import RankPlan
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError

__all__ = [
    "bruck_exchange",
    "direct_exchange",
    "direct_permutation",
    "doubling_all_reduce",
    "swing_all_reduce",
    "trivance_all_reduce",
]


def direct_exchange(ranks: int, ports: int = 1) -> RankPlan:
    """Everybody sends to the rank d ahead, for d = 1, 2, ...: each chunk goes once, p - 1 steps.

    Source: the pairwise exchange of Thakur, Rabenseifner and Gropp, 2005.
    """
    r = np.arange(ranks)
    parts = []
    for d in range(1, ranks):
        to = (r + d) % ranks
        parts.append(((d - 1) // ports, r, to, r * ranks + to))
    return RankPlan.of(*parts)


def bruck_exchange(ranks: int) -> RankPlan:
    """A chunk for the rank d ahead moves by the bits of d: log2 p steps of half of all chunks.

    Source: Bruck, Ho, Kipnis, Upfal and Weathersby, 1997.

    Examples:
        >>> bruck_exchange(5).steps
        3
    """
    r = np.arange(ranks)[:, None]
    parts = []
    for k in range(max(ranks - 1, 0).bit_length()):
        hops = np.arange(1, ranks)
        hops = hops[(hops >> k) & 1 == 1][None, :]
        at = (r + hops % (1 << k)) % ranks
        parts.append((k, at, (at + (1 << k)) % ranks, r * ranks + (r + hops) % ranks))
    return RankPlan.of(*parts)


def direct_permutation(targets: IntArray) -> RankPlan:
    """Every datum straight to its target, all in one step."""
    r = np.arange(len(targets))
    moves = targets != r
    return RankPlan.of((0, r[moves], targets[moves], r[moves]))


def doubling_all_reduce(ranks: int) -> RankPlan:
    """Sums of 1, 2, 4, ... shares are exchanged: log2 p steps of the whole data.

    Ranks beyond the largest power of two give their share to a partner first and get the sum last.

    Source: Thakur, Rabenseifner and Gropp, 2005.

    Examples:
        >>> doubling_all_reduce(8).steps, doubling_all_reduce(9).steps
        (3, 5)
    """
    core = 1 << (ranks.bit_length() - 1)
    peers = [np.arange(core) ^ (1 << k) for k in range(core.bit_length() - 1)]
    return _sums(peers, ranks)


def swing_all_reduce(ranks: int, sides: Sequence[int] | None = None) -> RankPlan:
    """Sums are exchanged with Swing's partners, near ones first.

    Source: De Sensi, Bonato, Saam and Hoefler, 2024.
    """
    return _sums(swing_peers(ranks, sides), ranks)


def _sums(peers: Sequence[IntArray], ranks: int) -> RankPlan:
    """Partners exchange their sums; ranks without partners come in before and get it after."""
    core = len(peers[0]) if peers else 1
    r = np.arange(core)
    extra = np.arange(core, ranks)
    late = int(len(extra) > 0)
    parts = [(k + late, r, peer, 0) for k, peer in enumerate(peers)]
    if late:
        parts += [(0, extra, extra - core, 0), (len(peers) + 1, extra - core, extra, 0)]
    return RankPlan.of(*parts)


def trivance_all_reduce(ranks: int, sides: Sequence[int] | None = None) -> RankPlan:
    """Sums are exchanged with both neighbours at distance 3^k: log3 p steps, for powers of three.

    Source: Jürß, Addanki and Schmid, arXiv:2602.17254, 2026.

    Examples:
        >>> trivance_all_reduce(27).steps, trivance_all_reduce(81, (9, 9)).steps
        (3, 4)
    """
    dims = tuple(sides) if sides else (ranks,)
    where = np.stack(np.unravel_index(np.arange(ranks), dims), axis=1)
    parts = []
    step = 0
    for i, side in enumerate(dims):
        reach = 1
        while reach < side:
            for turn in (1, -1):
                moved = where.copy()
                moved[:, i] = (where[:, i] + turn * reach) % side
                parts.append(
                    (step, np.arange(ranks), np.ravel_multi_index(tuple(moved.T), dims), 0)
                )
            reach *= 3
            step += 1
        if reach != side:
            raise ArgumentError(f"Trivance is for sides that are powers of 3, not for {side} ranks")
    return RankPlan.of(*parts)
