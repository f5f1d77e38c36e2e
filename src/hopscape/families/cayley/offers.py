"""Groups and generators that the designer offers: the best of a seeded sample."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from hopscape.algebra.named_groups import Semidirect
from hopscape.core.arrays import IntArray
from hopscape.core.requirement import Requirement

__all__ = ["good_cayley"]

_STEPS = 6_000_000  # nodes times ports looked at in all: 0.6 s at 60,000 nodes
_MOST_LOOKS = 400  # 0.2 s at 1,000 nodes; more looks find better sets, in more time
_LARGEST = 60_000  # nodes: with _STEPS, less than 20 generator sets of 5 ports are looked at beyond
_SIZES = 12  # orders near the one wanted that have such groups
_GROUPS = 3  # of each order; they differ less than the orders do
_OFFERED = 2  # to the designer, beside the nearest order

Choice = tuple[int, int, int, tuple[int, ...]]


def good_cayley(requirement: Requirement, seed: int = 0) -> list[Choice]:
    """m, k, r and generators of Cayley graphs with short ways, the best first.

    The nearest order that has a group whose second part acts on the first, and the shortest paths
    for their size among a few others. A third of the looks finds the best groups, the rest
    their generators.

    Examples:
        >>> m, k, r, generators = good_cayley(Requirement(60, 55, 65, 4))[0]
        >>> 55 <= m * k <= 65, pow(r, k, m), len(generators)
        (True, 1, 2)
    """
    return list(
        _search(requirement.nodes, requirement.low, requirement.high, requirement.ports, seed)
    )


@lru_cache(maxsize=256)
def _search(nodes: int, low: int, high: int, ports: int, seed: int) -> tuple[Choice, ...]:
    if ports < 3 or high < 6 or low > _LARGEST:
        return ()
    generator = np.random.default_rng(seed)
    groups = list(_groups(Requirement(nodes, low, high, ports)))
    looks = max(2 * len(groups), min(_MOST_LOOKS, _STEPS // (nodes * ports)))
    best: dict[Semidirect, tuple[float, tuple[int, ...]]] = {}
    for tries in (looks // 3, looks - looks // 3):
        for group in groups:
            sampled = _look(group, ports, tries // len(groups) + 1, generator, best.get(group))
            if sampled is not None:
                best[group] = sampled
        groups = sorted(best, key=lambda group: best[group][0])[:_OFFERED]
        nearest = min(best, key=lambda group: abs(group.order - nodes), default=None)
        groups = list(dict.fromkeys([*groups, *([nearest] if nearest is not None else [])]))
        if not groups:
            return ()
    groups.sort(key=lambda group: best[group][0])
    return tuple((g.m, g.k, g.r, best[g][1]) for g in groups)


def _look(
    group: Semidirect,
    ports: int,
    tries: int,
    generator: np.random.Generator,
    known: tuple[float, tuple[int, ...]] | None,
) -> tuple[float, tuple[int, ...]] | None:
    """The best generators of so many tries: mean distance over log of the order, and which."""
    scale = (group.order - 1) * math.log(group.order)
    best = known
    elements = np.arange(group.order, dtype=np.int64)
    own = np.flatnonzero(group.product(elements, elements) == 0)[1:]
    for _ in range(tries):
        chosen = _draw(group, ports, own, generator)
        if chosen is None:
            return best
        steps = np.unique(np.concatenate([chosen, group.inverse(chosen)]))
        limit = None if best is None else round(best[0] * scale)
        hops = group.lengths(steps, limit)
        if hops is not None and hops.min() >= 0:
            grade = float(hops.sum()) / scale
            if best is None or grade < best[0]:
                best = grade, tuple(sorted(chosen.tolist()))
    return best


def _draw(
    group: Semidirect, ports: int, own: IntArray, generator: np.random.Generator
) -> IntArray | None:
    """Random generators that use the ports: pairs, and one that is its own inverse if odd."""
    odd = ports % 2 == 1 and len(own) > 0
    for _ in range(20):
        pairs = generator.integers(1, group.order, size=ports // 2)
        steps = set(pairs.tolist()) | set(group.inverse(pairs).tolist())
        if len(steps) == 2 * (ports // 2):
            break
    else:
        return None
    return np.append(pairs, generator.choice(own)) if odd else pairs


def _groups(requirement: Requirement) -> Iterator[Semidirect]:
    """A few groups of each of the orders nearest to the one looked for."""
    count = 0
    for order in sorted(
        range(max(6, requirement.low), requirement.high + 1),
        key=lambda n: (abs(n - requirement.nodes), -n),
    ):
        groups = _acting(order)
        yield from groups[:_GROUPS]
        count += bool(groups)
        if count == _SIZES:
            return


def _acting(order: int) -> list[Semidirect]:
    """Semidirect products of an order that are not direct, those with the longest action first."""
    groups: list[tuple[int, int, Semidirect]] = []
    for k in range(2, order // 3 + 1):
        if order % k:
            continue
        m = order // k
        r, length = _multiplier(m, k)
        if length > 1:
            groups.append((-min(length, m), abs(m - k), Semidirect(m, k, r)))
    return [group for _, _, group in sorted(groups, key=lambda item: item[:2])]


def _multiplier(m: int, k: int) -> tuple[int, int]:
    """An r with r^k ≡ 1 mod m and as long a cycle of powers as a few tries find; its length."""
    period = _carmichael(m)
    best = (1, 1)
    for base in range(2, min(m, 24)):
        if math.gcd(base, m) == 1:
            r = pow(base, period // math.gcd(period, k), m)
            length = next((d for d in range(1, k + 1) if k % d == 0 and pow(r, d, m) == 1), 1)
            if length > best[1]:
                best = (r, length)
    return best


@lru_cache(maxsize=4096)
def _carmichael(m: int) -> int:
    """The least e with a^e ≡ 1 mod m for all a prime to m."""
    out, rest, p = 1, m, 2
    while rest > 1:
        if p * p > rest:
            p = rest
        power = 1
        while rest % p == 0:
            rest //= p
            power *= p
        if power > 1:
            own = power // p * (p - 1)
            out = math.lcm(out, own // 2 if p == 2 and power > 4 else own)
        p += 1
    return out
