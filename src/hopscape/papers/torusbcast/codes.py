"""Perfect codes: sets of vertices such that every vertex is in, or next to, exactly one of them.

When a broadcast has no round to spare, its last round has calls of length one only, and the
senders of that round are a perfect code. Few exist, which bounds how short circuits can be.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations, product
from math import gcd

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.verdict import Verdict
from hopscape.papers.torusbcast.numeration import determinant

__all__ = ["check_code_lemma", "corner_in_code", "lattice_codes", "local_codes", "torus_codes"]

Point = tuple[int, ...]


def _star(centre: Point) -> list[Point]:
    out = [centre]
    for axis in range(len(centre)):
        for sign in (1, -1):
            out.append(tuple(c + sign * (a == axis) for a, c in enumerate(centre)))
    return out


def lattice_codes(dimension: int) -> list[Point]:
    """The vectors a, one per code, with {x : a·x = 0 mod 2d + 1} a perfect code; a and -a are one.

    Those are the signed permutations of (1, ..., d), when 2d + 1 is prime up to units.

    Examples:
        >>> len(lattice_codes(3)), len(lattice_codes(2))
        (8, 2)
    """
    base = 2 * dimension + 1
    codes: dict[frozenset[Point], Point] = {}
    for order in permutations(range(1, dimension + 1)):
        for signs in product((1, -1), repeat=dimension):
            a = tuple(s * v for s, v in zip(signs, order, strict=True))
            units = [k for k in range(1, base) if np.gcd(k, base) == 1]
            line = frozenset(tuple(k * v % base for v in a) for k in units)
            codes.setdefault(line, a)
    return sorted(codes.values())


def corner_in_code(dimension: int) -> bool:
    """Does every code of :func:`lattice_codes` hold a corner (±h, ..., ±h) of the torus?

    It does when some signed sum of 1, ..., d is 0 modulo 2d + 1; the corner is at distance D and
    still sends in the last round, so that some chain of calls has D + 1 hops.

    Examples:
        >>> [corner_in_code(d) for d in range(1, 6)]
        [False, False, True, True, True]
    """
    base = 2 * dimension + 1
    sums = {0}
    for value in range(1, dimension + 1):
        sums = {(s + sign * value) % base for s in sums for sign in (1, -1)}
    return 0 in sums


def torus_codes(side: int, dimension: int) -> list[frozenset[Point]]:
    """All perfect codes of a cubic torus that hold the origin, by exhaustive search."""
    if side < 3:
        raise ArgumentError(f"side is {side}; it must be at least 3")
    points = list(product(range(side), repeat=dimension))
    number = {p: i for i, p in enumerate(points)}
    stars = []
    for p in points:
        stars.append([number[tuple(c % side for c in q)] for q in _star(p)])
    return [
        frozenset(points[i] for i in code)
        for code in _exact_covers(stars, len(points), number[(0,) * dimension])
    ]


def _exact_covers(stars: list[list[int]], order: int, first: int) -> Iterator[list[int]]:
    """Disjoint stars that cover all points; stars[i] is also the list of stars that cover i.

    The point with fewest choices is covered first (D. E. Knuth, "Dancing links", 2000). Exponential
    at worst; memory O(points).
    """
    covered = [False] * order
    blocked = [0] * order  # how many points of each star are covered
    code: list[int] = []

    def place(i: int, sign: int) -> None:
        for p in stars[i]:
            covered[p] = sign > 0
            for j in stars[p]:
                blocked[j] += sign

    def search() -> Iterator[list[int]]:
        best, choices = -1, None
        for p in range(order):
            if covered[p]:
                continue
            options = [j for j in stars[p] if blocked[j] == 0]
            if choices is None or len(options) < len(choices):
                best, choices = p, options
                if len(options) <= 1:
                    break
        if best < 0 or choices is None:
            yield list(code)
            return
        for j in choices:
            place(j, 1)
            code.append(j)
            yield from search()
            code.pop()
            place(j, -1)

    place(first, 1)
    code.append(first)
    yield from search()


def local_codes(dimension: int, box: int, window: int) -> set[frozenset[Point]]:
    """What a perfect code of Z^d that holds the origin can look like near it.

    All ways to cover the box [-box, box]^d exactly once by stars, restricted to centres in
    [-window, window]^d. Every perfect code of Z^d (or of a large torus) looks like one of them.
    """
    inside = sorted(product(range(-box, box + 1), repeat=dimension), key=_norm)
    covered: set[Point] = set()
    code: list[Point] = []
    patterns: set[frozenset[Point]] = set()

    def fits(centre: Point) -> bool:
        return not any(p in covered for p in _star(centre))

    def search(start: int) -> None:
        at = start
        while at < len(inside) and inside[at] in covered:
            at += 1
        if at == len(inside):
            patterns.add(frozenset(c for c in code if max(map(abs, c)) <= window))
            return
        for centre in _star(inside[at]):
            if fits(centre):
                new = _star(centre)
                covered.update(new)
                code.append(centre)
                search(at + 1)
                code.pop()
                covered.difference_update(new)

    covered.update(_star((0,) * dimension))
    code.append((0,) * dimension)
    search(0)
    return patterns


def _norm(point: Point) -> tuple[int, int]:
    return max(map(abs, point)), sum(map(abs, point))


def check_code_lemma() -> Verdict:
    """Every perfect code of Z^3 with the origin is one of the eight lattices.

    Near the origin (centres in [-2, 2]^3) it looks like one of them, because covering the box
    [-2, 2]^3 leaves no other choice. The same holds seen from each of its points. From the origin
    to some of the points in its window, the two windows overlap so far that both must show the same
    lattice; these points generate the lattice, so that it holds everywhere.
    """
    box = 2
    cube = list(product(range(-box, box + 1), repeat=3))
    lattices = {
        a: frozenset(p for p in cube if sum(x * y for x, y in zip(a, p, strict=True)) % 7 == 0)
        for a in lattice_codes(3)
    }
    seen = local_codes(3, box, box)
    if seen != set(lattices.values()):
        return Verdict(False, f"{len(seen)} local patterns, not those of the 8 lattices")
    for a, window in lattices.items():
        decisive = [
            g for g in window if any(g) and _continuations(window, g, lattices, cube) == [a]
        ]
        if not decisive or _index(np.array(decisive)) != 7:
            return Verdict(False, f"the lattice of {a} may continue as another one")
    return Verdict(True, "8 local patterns, each continues in one way only: 8 perfect codes")


def _continuations(
    window: frozenset[Point],
    step: Point,
    lattices: dict[Point, frozenset[Point]],
    cube: list[Point],
) -> list[Point]:
    """Which lattices may be seen from `step` when `window` is seen from the origin."""
    reach = max(map(max, cube))
    shifted = {p: tuple(x - y for x, y in zip(p, step, strict=True)) for p in cube}
    both = [p for p in cube if max(map(abs, shifted[p])) <= reach]
    return [
        b
        for b, other in lattices.items()
        if all((p in window) == (shifted[p] in other) for p in both)
    ]


def _index(vectors: IntArray) -> int:
    """Index of the lattice that integer vectors of Z^3 generate: gcd of the 3 x 3 minors."""
    out = 0
    for rows in combinations(vectors.tolist(), 3):
        out = gcd(out, abs(determinant(rows)))
    return out
