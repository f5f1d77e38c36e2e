"""Difference sets in abelian groups: Singer, residues, twin prime powers, McFarland.

A difference set D of m elements in a group of N gives the design whose blocks are D + g. It is
checked by its differences alone: every element other than 0 must be one exactly σ times.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hopscape.algebra.fields import GaloisField, galois_field, prime_factors, prime_power
from hopscape.core.addresses import MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.verdict import Verdict

__all__ = [
    "AbelianGroup",
    "DifferenceSet",
    "mcfarland",
    "quadratic_residues",
    "residues",
    "singer",
    "twin_prime_powers",
]


class AbelianGroup:
    """The product of cyclic groups; elements are numbers in mixed radix, the last digit fastest.

    Examples:
        >>> group = AbelianGroup((4, 4))
        >>> int(group.add(7, 9)), int(group.subtract(0, 5))
        (12, 15)
    """

    def __init__(self, moduli: Sequence[int]) -> None:
        self.moduli = tuple(int(x) for x in moduli)
        self.order = math.prod(self.moduli)
        self._box = MixedRadix(self.moduli)
        self._sides = np.asarray(self.moduli, dtype=np.int64)

    def __str__(self) -> str:
        return " × ".join(f"Z{x}" for x in self.moduli)

    def add(self, a: IntArray | int, b: IntArray | int) -> IntArray:
        """a + b, element by element."""
        return self._combine(a, b, 1)

    def subtract(self, a: IntArray | int, b: IntArray | int) -> IntArray:
        """a - b, element by element."""
        return self._combine(a, b, -1)

    def _combine(self, a: IntArray | int, b: IntArray | int, sign: int) -> IntArray:
        first, second = np.asarray(a, dtype=np.int64), np.asarray(b, dtype=np.int64)
        if len(self.moduli) == 1:
            return np.asarray((first + sign * second) % self.order)
        total = (self._box.tuples(first) + sign * self._box.tuples(second)) % self._sides
        return self._box.numbers(total)


@dataclass(frozen=True)
class DifferenceSet:
    """A set of elements of an abelian group, its differences, and the blocks it develops into.

    Attributes:
        moduli: The group, as a product of cyclic ones.
        how: The construction, in words.

    Examples:
        >>> plane = singer(2, 2)
        >>> plane.moduli, plane.elements, plane.multiplicities.tolist()
        ((7,), (0, 1, 3), [0, 1, 1, 1, 1, 1, 1])
    """

    moduli: tuple[int, ...]
    elements: tuple[int, ...]
    how: str = ""

    @cached_property
    def group(self) -> AbelianGroup:
        """The group."""
        return AbelianGroup(self.moduli)

    @cached_property
    def base(self) -> IntArray:
        """The elements as an array."""
        return np.asarray(self.elements, dtype=np.int64)

    @cached_property
    def multiplicities(self) -> IntArray:
        """How often each element of the group is a difference of two different elements."""
        table = self.group.subtract(self.base[:, None], self.base[None, :])
        apart = ~np.eye(len(self.base), dtype=bool)
        return np.bincount(table[apart], minlength=self.group.order)

    @cached_property
    def doubled(self) -> tuple[int, ...]:
        """Differences that occur more than once."""
        return tuple((np.nonzero(self.multiplicities[1:] > 1)[0] + 1).tolist())

    def check(self, sigma: int) -> Verdict:
        """Is every element but 0 a difference exactly `sigma` times?"""
        wrong = np.nonzero(self.multiplicities[1:] != sigma)[0]
        if len(wrong):
            bad = int(wrong[0]) + 1
            times = int(self.multiplicities[bad])
            text = f"{bad} is a difference {times} times, not {sigma}"
            return Verdict(False, text, {"difference": bad, "times": times})
        return Verdict(True, f"each of {self.group.order - 1} differences occurs {sigma} times")

    def blocks(self) -> IntArray:
        """Block g is D + g: shape (N, m), entry j is g + D[j]."""
        return self.group.add(np.arange(self.group.order)[:, None], self.base[None, :])

    def blocks_of(self) -> IntArray:
        """The blocks of each element: entry j of element a is the block a - D[j]."""
        return self.group.subtract(np.arange(self.group.order)[:, None], self.base[None, :])


def singer(order: int, dimension: int = 2) -> DifferenceSet:
    """Hyperplanes of the projective space over GF(order), from one cycle on all its points.

    J. Singer, 1938.

    Powers of the root of a polynomial of degree dimension + 1 run through all points of the space
    exactly when none but the last of them is a multiple of 1; the powers without their highest
    term are the difference set.

    Args:
        order: A prime power q.
        dimension: 2 for planes: N = q² + q + 1, m = q + 1, σ = 1.

    Examples:
        >>> singer(3).elements
        (0, 1, 3, 9)
    """
    if prime_power(order) is None:
        raise ArgumentError(f"order {order} is not a prime power; Singer's planes need one")
    if dimension < 2:
        raise ArgumentError(f"dimension is {dimension}; it must be at least 2")
    field = galois_field(order)
    width = dimension + 1
    count = (order**width - 1) // (order - 1)
    checks = [count // r for r in prime_factors(count)]
    shift = _cycle(field, width, count, checks)
    log, exp, period = field.log.tolist(), field.exp.tolist(), order - 1
    add = field.add(np.arange(order)[:, None], np.arange(order)[None, :]).tolist()
    state, flat = [1] + [0] * dimension, []
    for i in range(count):
        top = state[-1]
        if top == 0:
            flat.append(i)
            state = [0, *state[:-1]]
            continue
        lift = log[top]
        scaled = [exp[(lift + log[c]) % period] if c else 0 for c in shift]
        state = [add[a][b] for a, b in zip([0, *state[:-1]], scaled, strict=True)]
    space = "plane" if dimension == 2 else f"space of dimension {dimension}"
    return DifferenceSet((count,), tuple(flat), f"Singer, projective {space} of order {order}")


def _cycle(field: GaloisField, width: int, count: int, checks: list[int]) -> list[int]:
    """Coefficients of x^width in lower powers, for an x whose powers run through all points."""
    q = field.order
    for code in range(1, q**width):
        low = [code // q**i % q for i in range(width)]
        if low[0] == 0:
            continue
        if _is_scalar(_power(field, low, count)) and not any(
            _is_scalar(_power(field, low, k)) for k in checks
        ):
            return low
    raise AssertionError(f"no cycle on the points over GF({q})")


def _is_scalar(vector: IntArray) -> bool:
    return not vector[1:].any()


def _power(field: GaloisField, low: list[int], exponent: int) -> IntArray:
    """x^exponent modulo x^width = low, as coefficients."""
    width = len(low)
    result = np.zeros(width, dtype=np.int64)
    result[0] = 1
    base = np.zeros(width, dtype=np.int64)
    base[1] = 1
    while exponent:
        if exponent & 1:
            result = _product(field, result, base, low)
        base = _product(field, base, base, low)
        exponent >>= 1
    return result


def _product(field: GaloisField, a: IntArray, b: IntArray, low: list[int]) -> IntArray:
    width = len(low)
    out = np.zeros(2 * width - 1, dtype=np.int64)
    for i in range(width):
        if a[i]:
            out[i : i + width] = field.add(out[i : i + width], field.multiply(a[i], b))
    reduction = np.asarray(low)
    for i in range(2 * width - 2, width - 1, -1):
        if out[i]:
            place = slice(i - width, i)
            out[place] = field.add(out[place], field.multiply(out[i], reduction))
    return out[:width]


def quadratic_residues(q: int) -> DifferenceSet:
    """Squares of GF(q), q ≡ 3 mod 4: the designs (q, (q-1)/2, (q-3)/4) of Paley, 1933."""
    if prime_power(q) is None or q % 4 != 3:
        raise ArgumentError(f"q is {q}; squares need a prime power that is 3 mod 4")
    return residues(q, 2)


def residues(q: int, power: int, *, zero: bool = False) -> DifferenceSet:
    """The powers with exponent `power` in GF(q) (and 0, when asked for).

    A difference set for a few q only: for power 4, q = 4x² + 1 or, with 0, 4x² + 9, x odd; for
    power 8, q = 8a² + 1 = 64b² + 9 and, with 0, 8a² + 49 = 64b² + 441, a and b odd
    (S. Chowla, 1944; E. Lehmer, 1953).
    """
    field = galois_field(q)
    if (q - 1) % power:
        raise ArgumentError(f"power {power} does not divide q - 1 = {q - 1}")
    chosen = set(field.exp[: q - 1 : power].tolist()) | ({0} if zero else set())
    moduli = (field.characteristic,) * field.degree
    noun = {2: "squares", 4: "fourth powers", 8: "eighth powers"}.get(power, f"powers of {power}")
    how = f"{noun} of GF({q}){' and 0' if zero else ''}"
    return DifferenceSet(moduli, tuple(sorted(chosen)), how)


def twin_prime_powers(q: int) -> DifferenceSet:
    """(q(q+2), (v-1)/2, (v-3)/4) for prime powers q and q + 2 (Stanton and Sprott, 1958).

    Pairs (x, y) of GF(q) × GF(q+2): both squares or both non-squares, or y = 0.
    """
    if prime_power(q) is None or prime_power(q + 2) is None or q % 2 == 0:
        raise ArgumentError(f"{q} and {q + 2} are not both odd prime powers")
    first, second = galois_field(q), galois_field(q + 2)
    moduli = (first.characteristic,) * first.degree + (second.characteristic,) * second.degree
    chosen = [x * (q + 2) for x in range(q)]
    for x in range(1, q):
        for y in range(1, q + 2):
            if first.log[x] % 2 == second.log[y] % 2:
                chosen.append(x * (q + 2) + y)
    how = f"twin prime powers {q} and {q + 2}"
    return DifferenceSet(moduli, tuple(sorted(chosen)), how)


def mcfarland(q: int, dimension: int = 1) -> DifferenceSet:
    """One hyperplane of GF(q)^(d+1) in each of all cosets but one of a larger group.

    R. L. McFarland, 1973.

    N = q^(d+1) (r + 1), m = q^d r, σ = q^d (q^d - 1)/(q - 1), r = (q^(d+1) - 1)/(q - 1).

    Examples:
        >>> biplane = mcfarland(2)
        >>> biplane.moduli, len(biplane.elements), biplane.check(2).holds
        ((2, 2, 4), 6, True)
    """
    field = galois_field(q)
    width = dimension + 1
    size = q**width
    vectors = np.stack([np.arange(size) // q**i % q for i in range(width)], axis=1)
    chosen: list[tuple[int, int]] = []
    rays = 0
    for code in range(1, size):
        normal = vectors[code]
        if normal[np.nonzero(normal)[0][-1]] != 1:
            continue
        dots = np.zeros(size, dtype=np.int64)
        for i in range(width):
            dots = field.add(dots, field.multiply(normal[i], vectors[:, i]))
        chosen += [(int(v), rays) for v in np.nonzero(dots == 0)[0]]
        rays += 1
    moduli = (field.characteristic,) * (field.degree * width) + (rays + 1,)
    elements = sorted(v * (rays + 1) + k for v, k in chosen)
    how = f"McFarland, hyperplanes of GF({q})^{width}"
    return DifferenceSet(moduli, tuple(elements), how)
