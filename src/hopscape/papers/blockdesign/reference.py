"""Switches by their wires alone: ways counted in the incidence of channels, nothing of the rooms.

A check takes what the library says, and counts again here; where the two disagree nothing is
ruled (:class:`~hopscape.ledger.crosscheck.CrossCheck`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.network import Network

__all__ = ["crossbar_routes", "pair_counts", "two_hops"]


def crossbar_routes(network: Network) -> IntArray:
    """Ways of two hops through a crossbar: endpoints x endpoints, counted in the list of wires."""
    ends = network.endpoint_count
    wired = np.zeros((network.order, network.order))
    np.add.at(wired, (network.tails, network.heads), 1)
    routes: IntArray = (wired[:ends, ends:] @ wired[ends:, :ends]).astype(np.int64)
    return routes


def two_hops(network: Network) -> tuple[IntArray, list[str]]:
    """Both wires that the router takes for every ordered pair, and where it goes astray.

    Returns:
        wires (int64[pairs, 2]): Numbers of channels; pairs of different endpoints, source by
            source.
        astray: list of str
    """
    ends = network.endpoint_count
    router = network.router()
    first, second = np.nonzero(~np.eye(ends, dtype=bool))
    up = network.channel_at(first, router.next_ports(first, second))
    middle = network.heads[up].astype(np.int64)
    down = network.channel_at(middle, router.next_ports(middle, second))
    there = network.heads[down]
    wrong = np.nonzero((there != second) | (middle < ends))[0]
    astray = [
        f"{network.spec}: {first[k]} to {second[k]} goes by {middle[k]} to {there[k]}"
        for k in wrong[:3]
    ]
    return np.stack([up, down], axis=1), astray


def clashes(network: Network, wires: IntArray, rows: IntArray) -> tuple[int, int]:
    """Wires that two packets of the same permutation take, over all permutations (rows).

    And how many permutations were looked at.
    """
    ends = network.endpoint_count
    source = np.broadcast_to(np.arange(ends), rows.shape)
    pair = source * (ends - 1) + rows - (rows > source)
    doubled = tried = 0
    for row, at, moving in zip(rows, pair, rows != source, strict=True):
        taken = wires[at[moving]].ravel()
        doubled += len(taken) - len(np.unique(taken))
        assert len(row) == ends
        tried += 1
    return doubled, tried


def pair_counts(blocks: Iterable[Sequence[int]], order: int) -> IntArray:
    """How often any two elements are in a block together; on the diagonal how often each is."""
    rows = list(blocks)
    inside = np.zeros((len(rows), order))
    for k, block in enumerate(rows):
        for x in block:
            inside[k, int(x)] += 1
    counts: IntArray = (inside.T @ inside).astype(np.int64)
    return counts


def is_symmetric(blocks: IntArray, order: int, m: int, sigma: int) -> bool:
    """N blocks, every element in m of them, every pair in sigma: counted pair by pair."""
    wanted = np.full((order, order), sigma)
    np.fill_diagonal(wanted, m)
    return len(blocks) == order and bool((pair_counts(blocks.tolist(), order) == wanted).all())


def obstruction(order: int, m: int, sigma: int) -> str | None:
    """Why there is no design, by squares and residues alone; None when they allow one.

    Even N: m - sigma must be a square (Schützenberger). Odd N: x² = (m - sigma) y² ± sigma z² must
    have a solution; none modulo a power of a prime with x, y, z not all divisible by it means none
    at all.
    """
    gap = m - sigma
    if order % 2 == 0:
        square = any(x * x == gap for x in range(gap + 1))
        return None if square else f"N is even and {gap} is not a square"
    other = sigma if (order - 1) // 2 % 2 == 0 else -sigma
    for prime, power in ((2, 16), (3, 27), (5, 25), (7, 49), (11, 121)):
        matters = prime == 2 or gap % prime == 0 or sigma % prime == 0
        if matters and not _soluble(gap, other, prime, power):
            return f"x² = {gap}y² {other:+d}z² has no solution modulo {power}"
    return None


def _soluble(a: int, b: int, prime: int, power: int) -> bool:
    """Is there x² = ay² + bz² modulo a power, with not all of x, y, z divisible by the prime?"""
    squares: dict[int, set[bool]] = {}
    for x in range(power):
        squares.setdefault(x * x % power, set()).add(x % prime == 0)
    for (y2, ys), (z2, zs) in product(squares.items(), repeat=2):
        xs = squares.get((a * y2 + b * z2) % power)
        if xs and not (xs == ys == zs == {True}):
            return True
    return False
