"""Half-duplex links that take turns so that everything reaches everybody early.

With packed messages an all-gather is nothing but a choice of direction for every link in every
round. Such choices are searched for among those that the five-fold turn leaves alone.
"""

from __future__ import annotations

import math
import random
from functools import cache

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.network import Network
from hopscape.families.petersen_cycles.turns import TURNS, act

__all__ = ["oriented_rounds"]

Link = tuple[int, int]
_SEEDS = range(8, 48)
_MOVES = 3000


def link_orbits(network: Network, k: int) -> list[list[Link]]:
    """The links, sorted into orbits of the five-fold turn, each with a common direction."""
    seen: set[Link] = set()
    orbits = []
    for u, v in zip(network.tails.tolist(), network.heads.tolist(), strict=True):
        if (u, v) in seen or (v, u) in seen:
            continue
        pair = np.asarray([u, v])
        orbit = [tuple(act(pair, k, 0, i).tolist()) for i in range(TURNS)]
        seen.update(orbit)
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


@cache
def _search(k: int, rounds: int, network: Network) -> tuple[tuple[Link, ...], ...] | None:
    """Directions for all links in so many rounds, by annealing from seeded starts."""
    orbits = link_orbits(network, k)
    order = network.order
    for seed in _SEEDS:
        rng = random.Random(seed)
        choice = [[rng.random() < 0.5 for _ in orbits] for _ in range(rounds)]
        cost, heat = missing(order, orbits, choice), 8.0
        for _ in range(_MOVES):
            if cost == 0:
                return _directed(orbits, choice)
            r, i = rng.randrange(rounds), rng.randrange(len(orbits))
            choice[r][i] = not choice[r][i]
            new = missing(order, orbits, choice)
            if new <= cost or rng.random() < math.exp((cost - new) / heat):
                cost = new
            else:
                choice[r][i] = not choice[r][i]
            heat = max(0.4, heat * 0.998)
    return None


def _directed(orbits: list[list[Link]], choice: list[list[bool]]) -> tuple[tuple[Link, ...], ...]:
    return tuple(
        tuple(
            (u, v) if forward else (v, u)
            for forward, orbit in zip(row, orbits, strict=True)
            for u, v in orbit
        )
        for row in choice
    )


def oriented_rounds(network: Network, k: int, rounds: int) -> list[IntArray] | None:
    """For every round the directed links (tail, head) of an all-gather, or None if none is found.

    Parameters
    ----------
    network : Network
        RPC(k) for a small k.
    k, rounds : int
    """
    found = _search(k, rounds, network)
    return None if found is None else [np.asarray(row, dtype=np.int64) for row in found]
