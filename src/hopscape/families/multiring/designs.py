"""Planar difference sets: m residues mod m(m - 1) + 1 whose differences are all different."""

from __future__ import annotations

from functools import cache

from hopscape.core.errors import ArgumentError

__all__ = ["planar_difference_set", "prime_power"]


def prime_power(q: int) -> bool:
    """Is q a power of a prime (and more than 1)?"""
    p = next((d for d in range(2, q + 1) if q % d == 0), 0)
    while p and q % p == 0:
        q //= p
    return q == 1 and p > 0


@cache
def planar_difference_set(m: int) -> tuple[int, ...]:
    """The first planar difference set of m residues that begins with 0, 1.

    Raises
    ------
    ArgumentError
        When m - 1 is no prime power (then none is known, and none exists for m up to 2 * 10^9), or
        when m is larger than the search reaches.

    Examples
    --------
    >>> planar_difference_set(4)
    (0, 1, 3, 9)
    """
    if m < 2 or m > 17 or not (m == 2 or prime_power(m - 1)):
        raise ArgumentError(
            f"m is {m}; sparse rings are built for m from 2 to 17 with m - 1 a prime power or 1"
        )
    found = _first_set(m) if m <= 9 else _orbit_set(m)
    assert found is not None
    return found


def _first_set(m: int) -> tuple[int, ...] | None:
    """Depth first; a residue is taken when all its differences are new."""
    n = m * (m - 1) + 1
    chosen, seen = [0, 1], {1, n - 1}

    def extend(low: int) -> bool:
        if len(chosen) == m:
            return True
        for x in range(low, n):
            fresh = {(x - y) % n for y in chosen} | {(y - x) % n for y in chosen}
            if len(fresh) == 2 * len(chosen) and not fresh & seen:
                chosen.append(x)
                seen.update(fresh)
                if extend(x + 1):
                    return True
                chosen.pop()
                seen.difference_update(fresh)
        return False

    return tuple(chosen) if extend(2) else None


def _orbit_set(m: int) -> tuple[int, ...] | None:
    """Unions of orbits under a prime that divides m - 1: some translate of every set is one."""
    n = m * (m - 1) + 1
    p = next(d for d in range(2, m) if (m - 1) % d == 0)
    left, orbits = set(range(n)), []
    while left:
        x = min(left)
        orbit = [x]
        while (y := orbit[-1] * p % n) != x:
            orbit.append(y)
        orbits.append(orbit)
        left -= set(orbit)

    def extend(at: int, chosen: list[int], seen: set[int]) -> list[int] | None:
        if len(chosen) == m:
            return chosen
        for i in range(at, len(orbits)):
            whole = chosen + orbits[i]
            if len(whole) > m:
                continue
            differences = {(x - y) % n for x in whole for y in whole if x != y}
            if len(differences) == len(whole) * (len(whole) - 1):
                found = extend(i + 1, whole, differences)
                if found is not None:
                    return found
        return None

    found = extend(0, [], set())
    if found is None:
        return None
    pair = next((x, y) for x in found for y in found if (y - x) % n == 1)
    return tuple(sorted((x - pair[0]) % n for x in found))
