"""Lifts as objects: made from a shape, started, improved, written down and read again.

Which shapes of lifts to look at for an order and a degree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from math import gcd
from typing import Any

import numpy as np

from hopscape.algebra.fields import prime_factors, prime_power
from hopscape.core.arrays import IntArray
from hopscape.core.processes import require_memory
from hopscape.families.cayley import Voltage, group

__all__ = ["LiftShape", "Solution", "group_names", "shapes"]

_MOST_ELEMENTS = 1 << 24  # products of a group in a table: 64 MiB; of larger groups some elements
_SAMPLES = 8  # different choices of these: a few tables serve all seeds


@dataclass(frozen=True)
class LiftShape:
    """What a lift is made of: a group, vertices of the base graph, fixed nodes, ports.

    Attributes:
        group: Such as ``semidirect(7, 3, 2)``; ``cyclic(1)`` for graphs without a symmetry.
        base: Vertices of the base graph.
        fixed: Nodes that the group leaves where they are.
        degree: Ports of each node.
        bipartite: Vertices 0, 2, ... of the base graph on one side, the others on the other side.
        ports: Ports of each node where they differ (only with the trivial group).

    Examples:
        >>> LiftShape("dihedral(4)", 2, 0, 3).order
        16
    """

    group: str
    base: int
    fixed: int
    degree: int
    bipartite: bool = False
    ports: tuple[int, ...] = ()

    @property
    def fold(self) -> int:
        """Order of the group."""
        return group(self.group).order

    @property
    def order(self) -> int:
        """Number of nodes."""
        return self.base * self.fold + self.fixed

    @property
    def spokes(self) -> int:
        """Orbits that a fixed node is wired to."""
        return self.degree // self.fold if self.fixed else 0

    @property
    def darts(self) -> int:
        """Ends of links of the base graph."""
        return len(self.owner)

    @cached_property
    def owner(self) -> IntArray:
        """Vertex of each dart."""
        counts = self.ports or [self.degree] * self.base
        counts = [*counts, *[self.spokes] * self.fixed]
        return np.repeat(np.arange(len(counts)), counts).astype(np.int32)

    @cached_property
    def column(self) -> IntArray:
        """First port of each dart."""
        counts = np.bincount(self.owner, minlength=self.base + self.fixed)
        first = np.cumsum(counts) - counts
        within = np.arange(len(self.owner)) - first[self.owner]
        step = np.where(self.owner < self.base, 1, self.fold)
        return (within * step).astype(np.int32)

    def inner(self) -> list[tuple[int, int]]:
        """Links between fixed nodes, which use the ports that spokes leave over."""
        left = min(self.degree - self.spokes * self.fold, self.fixed - 1)
        steps = range(1, left // 2 + 1)
        links = [(i, (i + s) % self.fixed) for s in steps for i in range(self.fixed)]
        if left % 2 and self.fixed % 2 == 0:
            links += [(i, i + self.fixed // 2) for i in range(self.fixed // 2)]
        return [(a, b) for a, b in links if a != b]


Elements = tuple[IntArray, IntArray, IntArray, IntArray]


def elements(name: str, seed: int, known: Iterable[int] = ()) -> Elements:
    """Voltages to choose from: their numbers, right[g, h] = h·g, inverses, involutions.

    All elements of the group, or of a large group as many random ones as fit, with their
    inverses and those that are known to be used. The first one is the identity.
    """
    m = group(name).order
    if m * m <= _MOST_ELEMENTS:
        return _table(name, 0, ())
    return _table(name, 1 + seed % _SAMPLES, tuple(sorted(set(known))))


@lru_cache(maxsize=8)
def _table(name: str, seed: int, known: tuple[int, ...]) -> Elements:
    table = group(name)
    m = table.order
    every = np.arange(m, dtype=np.int64)
    most = max(_MOST_ELEMENTS // m, 64)
    chosen = every
    if seed:
        some = np.random.default_rng(seed).choice(m, size=most // 2, replace=False)
        back = table.inverse(every)
        own = every[(back == every) & (every > 0)][: most // 4]
        chosen = np.unique(np.concatenate([[0], some, back[some], own, known]))
        chosen = chosen.astype(np.int64)
    require_memory(4 * len(chosen) * m, f"the table of {name}")
    right = table.product(every[None, :], chosen[:, None]).astype(np.int32)
    place = np.searchsorted(chosen, table.inverse(chosen))
    own = np.flatnonzero((place == np.arange(len(chosen))) & (chosen > 0))
    return chosen, right, place.astype(np.int32), own.astype(np.int32)


@dataclass(frozen=True)
class Solution:
    """A lift by its darts.

    Attributes:
        mate: With which dart each one is paired (itself: an involution, or void).
        volt: The group element of each dart; -1 where it is void.
    """

    shape: LiftShape
    mate: tuple[int, ...]
    volt: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for a file."""
        return {"mate": list(self.mate), "volt": list(self.volt)}

    def base_links(self) -> list[tuple[int, int, int]]:
        """Links of the base graph: two vertices and the voltage; fixed nodes follow the base."""
        owner = self.shape.owner
        links = [
            (int(owner[k]), int(owner[t]), g)
            for k, (t, g) in enumerate(zip(self.mate, self.volt, strict=True))
            if g >= 0 and k <= t
        ]
        base = self.shape.base
        return links + [(base + a, base + b, 0) for a, b in self.shape.inner()]

    def links(self) -> IntArray:
        """Links of the whole graph, each once: int64[links, 2]."""
        shape = self.shape
        flat = [number for link in self.base_links() for number in link]
        ends = Voltage(shape.group, shape.base, flat, shape.fixed).links()
        return np.unique(np.sort(np.stack(ends, axis=1), axis=1), axis=0).astype(np.int64)


_MOST_ACTIONS = 12  # semidirect products of two cyclic groups, those of the longest actions
_MOST_FIXED = 8  # nodes that a symmetry may leave in place
_MOST_RANK = 4  # of elementary abelian groups that are tried


def shapes(
    nodes: int, degree: int, *, most_base: int, bipartite: bool = False
) -> Iterator[LiftShape]:
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
                yield LiftShape(name, base, fixed, degree, bipartite)


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
    names = [f"cyclic({order})"]
    squares = [p for p, e in prime_factors(order).items() if e > 1]
    names += [f"cyclic({p}, {order // p})" for p in squares]
    names += [
        f"cyclic({', '.join([str(p)] * e)})" for p, e in _prime_powers(order) if 2 < e <= _MOST_RANK
    ]
    for k in range(2, order // 2 + 1):
        if order % k == 0:
            names += [f"semidirect({order // k}, {k}, {r})" for r in _actions(order // k, k)]
    for q in range(4, order):
        if q > order // (q - 1):
            break
        if prime_power(q) is not None and q not in _primes(q):
            names += [
                f"affine({q}, {k})" for k in range(2, q) if (q - 1) % k == 0 and q * k == order
            ]
    for q in range(4, int(order ** (1 / 3)) + 3):
        if prime_power(q) is not None:
            size = q * (q * q - 1)
            names += [f"psl({q})"] * (size // gcd(2, q - 1) == order)
            names += [f"pgl({q})"] * (size == order and q % 2 == 1)
    if order == 12:
        names.append("alternating(4)")
    if order == 24:
        names.append("symmetric(4)")
    return tuple(names)


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
    actions: list[int] = []
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
            actions.append(r)
    longest = sorted(actions, key=lambda r: (-_length(r, m), r))
    return longest[:_MOST_ACTIONS]


def _length(r: int, m: int) -> int:
    """The least e > 0 with r^e = 1 mod m."""
    e, x = 1, r
    while x != 1:
        x, e = x * r % m, e + 1
    return e
