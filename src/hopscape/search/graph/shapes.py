"""Which shapes of lifts to look at for an order and a degree."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import gcd

from hopscape.algebra.fields import prime_factors, prime_power
from hopscape.search.graph.lifts import Shape

__all__ = ["group_names", "shapes"]

_MOST_ACTIONS = 12
_MOST_FIXED = 8
_MOST_RANK = 4


def shapes(nodes: int, degree: int, *, most_base: int, bipartite: bool = False) -> Iterator[Shape]:
    """All shapes of an order with at most so many vertices in the base graph.

    Larger groups first. A group that does not divide the order leaves a few nodes fixed, as long as
    these can use their ports; where they can use all of them, with links among themselves for those
    that no orbit takes, one orbit or more is left out too.

    Examples:
        >>> [(s.group, s.base, s.fixed) for s in shapes(7, 3, most_base=2)]
        [('cyclic(7)', 1, 0), ('cyclic(3)', 2, 1)]
    """
    for fold in range(nodes, 1, -1):
        for base, fixed in _orbits(nodes, degree, fold):
            if base > most_base or (bipartite and (base % 2 or fixed)):
                continue
            for name in group_names(fold):
                yield Shape(name, base, fixed, degree, bipartite)


def _orbits(nodes: int, degree: int, fold: int) -> Iterator[tuple[int, int]]:
    """Orbits of a group of this order and fixed nodes, whose links the orbits have room for."""
    base, least = divmod(nodes, fold)
    spokes, left = divmod(degree, fold)
    for fixed in range(least, _MOST_FIXED + 1, fold):
        full = left < max(fixed, 1) and left * fixed % 2 == 0
        room = spokes and fixed * spokes <= base * degree
        if not fixed or (room and (fixed == least or full)):
            yield base, fixed
        base -= 1


@cache
def group_names(order: int) -> tuple[str, ...]:
    """Groups of an order: cyclic and abelian ones, semidirect products, linear groups.

    Examples:
        >>> group_names(12)[:4]
        ('cyclic(12)', 'cyclic(2, 6)', 'semidirect(6, 2, 5)', 'semidirect(3, 4, 2)')
        >>> group_names(12)[4:]
        ('affine(4, 3)', 'alternating(4)')
    """
    found = [f"cyclic({order})"]
    squares = [p for p, e in prime_factors(order).items() if e > 1]
    found += [f"cyclic({p}, {order // p})" for p in squares]
    found += [
        f"cyclic({', '.join([str(p)] * e)})" for p, e in _prime_powers(order) if 2 < e <= _MOST_RANK
    ]
    for k in range(2, order // 2 + 1):
        if order % k == 0:
            found += [f"semidirect({order // k}, {k}, {r})" for r in _actions(order // k, k)]
    for q in range(4, order):
        if q > order // (q - 1):
            break
        if prime_power(q) is not None and q not in _primes(q):
            found += [
                f"affine({q}, {k})" for k in range(2, q) if (q - 1) % k == 0 and q * k == order
            ]
    for q in range(4, int(order ** (1 / 3)) + 3):
        if prime_power(q) is not None:
            size = q * (q * q - 1)
            found += [f"psl({q})"] * (size // gcd(2, q - 1) == order)
            found += [f"pgl({q})"] * (size == order and q % 2 == 1)
    if order == 12:
        found.append("alternating(4)")
    if order == 24:
        found.append("symmetric(4)")
    return tuple(found)


def _prime_powers(order: int) -> list[tuple[int, int]]:
    """The prime and the exponent, if it is a power of one."""
    factors = list(prime_factors(order).items())
    return factors if len(factors) == 1 else []


def _primes(q: int) -> set[int]:
    return set(prime_factors(q))


def _actions(m: int, k: int) -> list[int]:
    """Multipliers r with r^k = 1 mod m, one of each subgroup that they generate."""
    if m < 3:
        return []
    found: list[int] = []
    seen: set[frozenset[int]] = set()
    for r in range(2, m):
        if gcd(r, m) > 1 or pow(r, k, m) != 1:
            continue
        powers, x = {1}, r
        while x != 1:
            powers.add(x)
            x = x * r % m
        if frozenset(powers) not in seen:
            seen.add(frozenset(powers))
            found.append(r)
    longest = sorted(found, key=lambda r: (-_length(r, m), r))
    return longest[:_MOST_ACTIONS]


def _length(r: int, m: int) -> int:
    """The least e > 0 with r^e = 1 mod m."""
    e, x = 1, r
    while x != 1:
        x, e = x * r % m, e + 1
    return e
