"""All-gather by ranks: ring, bucket, recursive doubling, Bruck, Swing, Trivance, hierarchical.

Backwards each is a reduce-scatter (recursive halving, for one), and both together an all-reduce
(ring; Rabenseifner's, for one). Chunk ``r * pieces + j`` is piece j of rank r's block.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hopscape.collectives.classics.plans import RankPlan
from hopscape.collectives.classics.rooted import circulant_broadcast
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError

__all__ = [
    "bruck",
    "bucket",
    "circulant_all_gather",
    "hierarchical",
    "recursive_doubling",
    "ring",
    "swing",
    "swing_peers",
    "trivance",
]


def _empty() -> RankPlan:
    return RankPlan.of()


def ring(ranks: int, pieces: int = 1, ports: int = 1) -> RankPlan:
    """Blocks go round a ring, one rank per step: p - 1 steps, each block once over each channel.

    With several pieces and two ports, odd ones go round the other way.

    Source: Chan, Heimlich, Purkayastha and van de Geijn, "Collective communication: theory,
    practice, and experience", 2007.

    Examples:
        >>> plan = ring(4)
        >>> plan.steps, len(plan.step)
        (3, 12)
    """
    r = np.arange(ranks)
    parts = []
    for step in range(ranks - 1):
        for j in range(pieces):
            turn = -1 if j % min(ports, 2) else 1
            block = (r - turn * step) % ranks
            parts.append((step, r, (r + turn) % ranks, block * pieces + j))
    return RankPlan.of(*parts)


def bucket(sides: Sequence[int], pieces: int = 1, ports: int = 1) -> RankPlan:
    """Rings along one dimension after the other: what was gathered so far goes round as a whole.

    Ranks are numbered as the addresses of a grid of these sides. With 2d ports piece j starts with
    dimension j // 2 and goes round forwards or backwards, so that 2d pieces keep all channels of a
    torus of d dimensions busy.

    Source: Barnett, Littlefield, Payne and van de Geijn, "Global combine on mesh architectures with
    wormhole routing", 1993; Jain and Sabharwal, "Optimal bucket algorithms for large MPI
    collectives on torus interconnects", 2010.

    Examples:
        >>> bucket((3, 4)).steps
        5
    """
    sides = tuple(sides)
    ranks = int(np.prod(sides))
    where = np.stack(np.unravel_index(np.arange(ranks), sides), axis=1)
    dims = [i for i, side in enumerate(sides) if side > 1]
    parts = []
    for j in range(pieces if dims else 0):
        lane = j % min(ports, 2 * len(dims))
        turn = -1 if lane % 2 else 1
        first = lane // 2
        held = np.arange(ranks)[:, None]  # blocks at each rank
        step = 0
        for i in [*dims[first:], *dims[:first]]:
            side = sides[i]
            moved = where.copy()
            moved[:, i] = (where[:, i] + turn) % side
            ahead = np.ravel_multi_index(tuple(moved.T), sides)
            rows = [held]
            for _ in range(side - 1):
                parts.append(
                    (step, np.arange(ranks)[:, None], ahead[:, None], rows[-1] * pieces + j)
                )
                arrived = np.empty_like(rows[-1])
                arrived[ahead] = rows[-1]
                rows.append(arrived)
                step += 1
            held = np.concatenate(rows, axis=1)
    return RankPlan.of(*parts)


def recursive_doubling(ranks: int, pieces: int = 1) -> RankPlan:
    """Ranks that differ in one bit exchange all they have: log2 p steps, the far ones first.

    Source: Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in
    MPICH", 2005.

    Raises:
        ArgumentError: Unless the number of ranks is a power of two.
    """
    return _exchange(_bit_peers(ranks), ranks, pieces)


def _bit_peers(ranks: int) -> list[IntArray]:
    """Partners in the steps, the nearest first."""
    _power(ranks, 2, "recursive doubling")
    return [np.arange(ranks) ^ (1 << k) for k in range(ranks.bit_length() - 1)]


def swing_peers(ranks: int, sides: Sequence[int] | None = None) -> list[IntArray]:
    """Partners of Swing's steps, the nearest first: at distances 1, 1, 3, 5, 11, ..., ways in turn.

    Even ranks go forwards and odd ones backwards in even steps. On a grid the dimensions take
    turns.
    """
    dims = tuple(sides) if sides else (ranks,)
    for side in dims:
        _power(side, 2, "Swing on every side")
    where = np.stack(np.unravel_index(np.arange(ranks), dims), axis=1)
    done = [0] * len(dims)
    out = []
    while any(2 ** done[i] < dims[i] for i in range(len(dims))):
        for i, side in enumerate(dims):
            if 2 ** done[i] >= side:
                continue
            reach = (1 - (-2) ** (done[i] + 1)) // 3
            moved = where.copy()
            sign = np.where(where[:, i] % 2 == 0, 1, -1)
            moved[:, i] = (where[:, i] + sign * reach) % side
            out.append(np.ravel_multi_index(tuple(moved.T), dims))
            done[i] += 1
    return out


def swing(ranks: int, pieces: int = 1, sides: Sequence[int] | None = None) -> RankPlan:
    """Like recursive doubling, with partners that stay near on rings and tori.

    Source: De Sensi, Bonato, Saam and Hoefler, "Swing: short-cutting rings for higher bandwidth
    allreduce", NSDI 2024.
    """
    return _exchange(swing_peers(ranks, sides), ranks, pieces)


def _exchange(peers: Sequence[IntArray], ranks: int, pieces: int) -> RankPlan:
    """Partners exchange all that they hold, the far ones first."""
    held = np.arange(ranks)[:, None]
    parts = []
    for step, peer in enumerate(reversed(peers)):
        for j in range(pieces):
            parts.append((step, np.arange(ranks)[:, None], peer[:, None], held * pieces + j))
        held = np.concatenate([held, held[peer]], axis=1)
    return RankPlan.of(*parts)


def bruck(ranks: int, pieces: int = 1, ports: int = 1) -> RankPlan:
    """What is held grows by the factor k + 1 in every step, with k messages at once, for any p.

    After a step rank r holds the blocks r, r + 1, ... of a range that is k + 1 times as long.

    Source: Bruck, Ho, Kipnis, Upfal and Weathersby, "Efficient algorithms for all-to-all
    communications in multiport message-passing systems", 1997.

    Examples:
        >>> bruck(10).steps, bruck(27, ports=2).steps
        (4, 3)
    """
    r = np.arange(ranks)[:, None]
    parts = []
    step, held = 0, 1
    while held < ranks:
        for i in range(1, ports + 1):
            many = min(held, ranks - i * held)
            if many <= 0:
                break
            giver = (r + i * held) % ranks
            blocks = (giver + np.arange(many)) % ranks
            for j in range(pieces):
                parts.append((step, giver, r, blocks * pieces + j))
        held = min((ports + 1) * held, ranks)
        step += 1
    return RankPlan.of(*parts)


def circulant_all_gather(ranks: int, pieces: int = 1) -> RankPlan:
    """n pieces of every rank in n - 1 + ceil(log2 p) steps for any p: all-broadcast.

    Every rank's circulant broadcast at once. In round k of a phase everybody sends to the rank
    skip[k] ahead one message, with a piece of every block that is not that rank's own.

    Source: Träff, "Optimal broadcast schedules in logarithmic time with applications to broadcast,
    all-broadcast, reduction and all-reduction", arXiv:2407.18004.

    Examples:
        >>> circulant_all_gather(11, 5).steps, len(circulant_all_gather(11, 5).step)
        (8, 550)
    """
    base = circulant_broadcast(ranks, pieces)
    root = np.arange(ranks)[:, None]
    return RankPlan.of(
        (
            base.step[None, :],
            (base.source[None, :] + root) % ranks,
            (base.target[None, :] + root) % ranks,
            root * pieces + base.chunk[None, :],
        )
    )


def trivance(ranks: int, pieces: int = 1) -> RankPlan:
    """Both neighbours at distance 3^k exchange with a rank at once: log3 p steps, for powers of 3.

    Source: Jürß, Addanki and Schmid, "Trivance: latency-optimal AllReduce by shortcutting multiport
    networks", arXiv:2602.17254, 2026.

    Raises:
        ArgumentError: Unless the number of ranks is a power of three.
    """
    steps = _power(ranks, 3, "Trivance")
    r = np.arange(ranks)[:, None]
    held = r.copy()
    parts = []
    for step, k in enumerate(reversed(range(steps))):
        for turn in (1, -1):
            for j in range(pieces):
                parts.append((step, r, (r + turn * 3**k) % ranks, held * pieces + j))
        back = [held[(r[:, 0] - turn * 3**k) % ranks] for turn in (1, -1)]
        held = np.concatenate([held, *back], axis=1)
    return RankPlan.of(*parts)


def hierarchical(groups: IntArray, pieces: int = 1) -> RankPlan:
    """Between the groups by rails, then inside every group: what is near carries most.

    Rank i of every group gathers along its rail the blocks of all i-th ranks; then every group
    gathers all rails. Both by Bruck's algorithm.

    Source: Karonis et al., "Exploiting hierarchy in parallel computer networks to optimize
    collective operation performance", 2000.

    Args:
        groups (int array of shape (groups, members)): The ranks of each group.
    """
    many, size = groups.shape
    parts = []
    outer = bruck(many)
    for i in range(size):
        rail = groups[:, i]
        for j in range(pieces):
            chunk = rail[outer.chunk] * pieces + j
            parts.append((outer.step, rail[outer.source], rail[outer.target], chunk))
    inner = bruck(size)
    column = groups[:, inner.chunk]  # blocks of one rail, by group
    for group in groups:
        for j in range(pieces):
            parts.append(
                (
                    (outer.steps + inner.step)[None, :],
                    group[inner.source][None, :],
                    group[inner.target][None, :],
                    column * pieces + j,
                )
            )
    return RankPlan.of(*parts)


def _power(number: int, base: int, what: str) -> int:
    """The exponent; refused where `number` is not a power of `base`."""
    exponent = 0
    while base**exponent < number:
        exponent += 1
    if base**exponent != number:
        raise ArgumentError(f"{what} is for a power of {base}, not for {number} ranks")
    return exponent
