"""Half-duplex links that take turns so that everything reaches everybody early.

With packed messages an all-gather is nothing but a choice of direction for every link in every
round. Such choices are searched for among those that the turns of the slices leave alone.
"""

from __future__ import annotations

import math
import random
from functools import cache

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.network import Network
from hopscape.families.petersen_cycles.phases import stack_of

__all__ = ["link_orbits", "missing", "oriented_rounds"]

Link = tuple[int, int]
Directed = tuple[tuple[Link, ...], ...]
_SEEDS = range(8, 48)
_FEW_SEEDS = range(6)
_MOVES = 3000
_WORK = 3_000_000


def link_orbits(network: Network) -> list[list[Link]]:
    """The links, sorted into orbits of the turns of all slices, each with a common direction.

    An orbit that holds a link in both directions has none; its links are left one by one.
    """
    moves = stack_of(network).slice_turns()
    seen: set[Link] = set()
    orbits = []
    for u, v in zip(network.tails.tolist(), network.heads.tolist(), strict=True):
        if (u, v) in seen or (v, u) in seen:
            continue
        orbit = list(dict.fromkeys(zip(moves[:, u].tolist(), moves[:, v].tolist(), strict=True)))
        seen.update(orbit)
        if (v, u) in orbit:
            orbits += [[(a, b)] for a, b in orbit if a < b]
        else:
            orbits.append(orbit)
    return orbits


def missing(order: int, orbits: list[list[Link]], choice: list[list[bool]]) -> int:
    """Pairs (node, datum) not served when every link carries all it can in these directions."""
    held = [1 << v for v in range(order)]
    for row in choice:
        after = held[:]
        for forward, orbit in zip(row, orbits, strict=True):
            if forward:
                for u, v in orbit:
                    after[v] |= held[u]
            else:
                for u, v in orbit:
                    after[u] |= held[v]
        held = after
    return order * order - sum(x.bit_count() for x in held)


def _search(
    orbits: list[list[Link]], order: int, rounds: int, seeds: range, moves: int
) -> list[list[bool]] | None:
    """Directions for all links in so many rounds, by annealing from seeded starts."""
    for seed in seeds:
        rng = random.Random(seed)
        choice = [[rng.random() < 0.5 for _ in orbits] for _ in range(rounds)]
        cost, heat = missing(order, orbits, choice), 8.0
        for _ in range(moves):
            if cost == 0:
                return choice
            r, i = rng.randrange(rounds), rng.randrange(len(orbits))
            choice[r][i] = not choice[r][i]
            new = missing(order, orbits, choice)
            if new <= cost or rng.random() < math.exp((cost - new) / heat):
                cost = new
            else:
                choice[r][i] = not choice[r][i]
            heat = max(0.4, heat * 0.998)
    return None


def _directed(orbits: list[list[Link]], choice: list[list[bool]]) -> Directed:
    return tuple(
        tuple(
            (u, v) if forward else (v, u)
            for forward, orbit in zip(row, orbits, strict=True)
            for u, v in orbit
        )
        for row in choice
    )


@cache
def _best(network: Network, known: int | None) -> Directed:
    """The fewest rounds that are found; twice the diameter always do, directions in turn."""
    orbits, order = link_orbits(network), network.order
    hops = network.facts.diameter or 0
    best = [[r % 2 == 0] * len(orbits) for r in range(2 * hops)]
    if known is not None:
        return _directed(orbits, _search(orbits, order, known, _SEEDS, _MOVES) or best)
    while len(best) > max(hops, 1):
        work = len(_FEW_SEEDS) * len(best) * network.links
        shorter = _search(orbits, order, len(best) - 1, _FEW_SEEDS, min(_MOVES, _WORK // work))
        if shorter is None:
            break
        best = shorter
    return _directed(orbits, best)


def oriented_rounds(network: Network, known: int | None = None) -> list[IntArray]:
    """For every round the directed links (tail, head) of an all-gather in few rounds.

    Args:
        network: A small stack of slices.
        known: The number of rounds that a search is known to find; fewer and fewer are tried when
            left out.
    """
    return [np.asarray(row, dtype=np.int64).reshape(-1, 2) for row in _best(network, known)]
