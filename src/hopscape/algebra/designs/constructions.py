"""Symmetric designs B(N, m, σ): every known way to build one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import isqrt

import numpy as np

from hopscape.algebra.designs import sporadic
from hopscape.algebra.designs.difference import (
    DifferenceSet,
    mcfarland,
    quadratic_residues,
    residues,
    singer,
    twin_prime_powers,
)
from hopscape.algebra.designs.searched import SEARCHED, turned_design
from hopscape.algebra.fields import is_prime, prime_power
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError

__all__ = ["Construction", "Design", "check_parameters", "constructions"]


@dataclass(frozen=True)
class Design:
    """N blocks of m of N elements.

    Attributes:
        blocks: int64[N, m]
        how: The construction, in words.
        base: The difference set that the blocks are developed from, when there is one.
    """

    blocks: IntArray
    how: str
    base: DifferenceSet | None = None

    @cached_property
    def blocks_of(self) -> IntArray:
        """The blocks of each element; for a difference set in the order of its elements."""
        if self.base is not None:
            return self.base.blocks_of()
        count, size = self.blocks.shape
        by_element = np.argsort(self.blocks.ravel(), kind="stable")
        blocks: IntArray = (by_element // size).reshape(count, size)
        return blocks

    @classmethod
    def of(cls, base: DifferenceSet) -> Design:
        """The development of a difference set."""
        return cls(base.blocks(), base.how, base)


def check_parameters(n: int, m: int, sigma: int) -> None:
    """Refuse parameters that no symmetric design can have by counting alone."""
    if sigma < 1 or m <= sigma:
        raise ArgumentError(f"sigma is {sigma} and m is {m}; a design needs 1 <= sigma < m")
    if n * sigma != m * (m - 1) + sigma:
        wanted, rest = divmod(m * (m - 1), sigma)
        right = (
            f"N = m(m-1)/sigma + 1 = {wanted + 1}"
            if rest == 0
            else f"N = m(m-1)/sigma + 1, which is not an integer for m = {m}, sigma = {sigma}"
        )
        raise ArgumentError(f"N is {n}, but a symmetric design has {right}")


@dataclass(frozen=True)
class Construction:
    """A way to build B(N, m, σ): its name, and a function that does it."""

    how: str
    build: Callable[[], Design]


def constructions(n: int, m: int, sigma: int) -> Iterator[Construction]:
    """All ways known here to build B(N, m, σ), the simplest first; nothing is built yet."""
    if m == n - 1:
        yield Construction("all but one element", lambda: _trivial(n))
        return
    yield from _plain(n, m, sigma)
    for other in _plain(n, n - m, n - 2 * m + sigma):
        yield Construction(f"complement of: {other.how}", lambda o=other: _complement(o.build(), n))  # type: ignore[misc]


def _trivial(n: int) -> Design:
    base = DifferenceSet((n,), tuple(range(1, n)), "all but one element")
    return Design.of(base)


def _complement(design: Design, n: int) -> Design:
    how = f"complement of: {design.how}"
    if design.base is not None:
        rest = np.setdiff1d(np.arange(n), design.base.base)
        return Design.of(DifferenceSet(design.base.moduli, tuple(rest.tolist()), how))
    inside = np.zeros((n, n), dtype=bool)
    np.put_along_axis(inside, design.blocks, True, axis=1)
    size = n - design.blocks.shape[1]
    return Design(np.nonzero(~inside)[1].reshape(n, size), how)


def _plain(n: int, m: int, sigma: int) -> Iterator[Construction]:
    if sigma < 1 or m <= sigma or m == n - 1:
        return
    for base_of, how in _difference_sets(n, m, sigma):
        yield Construction(how, lambda make=base_of: Design.of(make()))  # type: ignore[misc]
    special: dict[tuple[int, int, int], tuple[str, Callable[[], IntArray]]] = {
        (56, 11, 2): ("closed neighbourhoods of the Gewirtz graph", sporadic.biplane_56),
        (79, 13, 2): ("three blocks under a group of order 55", sporadic.biplane_79),
        (36, 15, 6): ("a Latin square of order 6", sporadic.latin_square_design),
    }
    if (n, m, sigma) in SEARCHED:
        text = f"blocks found by search, turned by a group of order {SEARCHED[n, m, sigma][0]}"
        yield Construction(text, lambda: Design(turned_design(n, m, sigma), text))
    if (n, m, sigma) in special:
        how, make = special[n, m, sigma]
        yield Construction(how, lambda: Design(make(), how))
    halves = n % 4 == 3 and m == (n - 1) // 2 and sigma == (n - 3) // 4
    if halves and sporadic.hadamard_maker(n + 1) is not None:
        name = f"Hadamard matrix of order {n + 1}"
        yield Construction(name, lambda: _hadamard(n, name))


def _hadamard(n: int, how: str) -> Design:
    blocks = sporadic.hadamard_design(n)
    assert blocks is not None
    return Design(blocks, how)


def _difference_sets(
    n: int, m: int, sigma: int
) -> Iterator[tuple[Callable[[], DifferenceSet], str]]:
    """Difference sets with these parameters, as functions that make them."""
    yield from _geometric(n, m, sigma)
    if n % 4 == 3 and m == (n - 1) // 2 and prime_power(n) is not None:
        yield (lambda: quadratic_residues(n)), f"squares of GF({n})"
    if is_prime(n):
        yield from _higher_residues(n, m)
    if m == (n - 1) // 2 and n % 4 == 3:
        q = isqrt(n + 1) - 1
        if q > 1 and q * (q + 2) == n and prime_power(q) and prime_power(q + 2):
            yield (lambda: twin_prime_powers(q)), f"twin prime powers {q} and {q + 2}"


def _geometric(n: int, m: int, sigma: int) -> Iterator[tuple[Callable[[], DifferenceSet], str]]:
    """Singer's and McFarland's sets: the order is q with m - σ a power of it."""
    gap = prime_power(m - sigma)
    if gap is None:
        return
    p, exponent = gap
    for k in range(1, exponent + 1):
        q, d = p**k, 2
        while (q**d - 1) // (q - 1) <= m:
            if (q**d - 1) // (q - 1) == m and (q ** (d + 1) - 1) // (q - 1) == n:
                where = f"projective {'plane' if d == 2 else f'space of dimension {d}'}"
                yield (lambda q=q, d=d: singer(q, d)), f"Singer, {where} of order {q}"  # type: ignore[misc]
            d += 1
        d = 1
        while q**d * ((q ** (d + 1) - 1) // (q - 1)) <= m:
            rays = (q ** (d + 1) - 1) // (q - 1)
            if q**d * rays == m and q ** (d + 1) * (rays + 1) == n:
                text = f"McFarland, hyperplanes of GF({q})^{d + 1}"
                yield (lambda q=q, d=d: mcfarland(q, d)), text  # type: ignore[misc]
            d += 1


def _higher_residues(n: int, m: int) -> Iterator[tuple[Callable[[], DifferenceSet], str]]:
    """Fourth and eighth powers modulo a prime, for the primes where they are difference sets."""

    def odd_root(value: int, factor: int) -> bool:
        if value <= 0 or value % factor:
            return False
        root = isqrt(value // factor)
        return root * root * factor == value and root % 2 == 1

    if 4 * m == n - 1 and odd_root(n - 1, 4):
        yield (lambda: residues(n, 4)), f"fourth powers of GF({n})"
    if 4 * m == n + 3 and odd_root(n - 9, 4):
        yield (lambda: residues(n, 4, zero=True)), f"fourth powers of GF({n}) and 0"
    if 8 * m == n - 1 and odd_root(n - 1, 8) and odd_root(n - 9, 64):
        yield (lambda: residues(n, 8)), f"eighth powers of GF({n})"
    if 8 * m == n + 7 and odd_root(n - 49, 8) and _even_root(n - 441, 64):
        yield (lambda: residues(n, 8, zero=True)), f"eighth powers of GF({n}) and 0"


def _even_root(value: int, factor: int) -> bool:
    if value < 0 or value % factor:
        return False
    root = isqrt(value // factor)
    return root * root * factor == value and root % 2 == 0
