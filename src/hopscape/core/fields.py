"""Finite fields GF(q) by tables, small and exact.

An element is a number 0..q-1 whose digits to base p are the coefficients of a polynomial of degree
below k, q = p^k. Multiplication goes through logarithms to the base of a primitive element.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.errors import ArgumentError

__all__ = ["GaloisField", "galois_field", "is_prime", "prime_factors", "prime_power"]

_LARGEST = 1 << 20


def prime_factors(n: int) -> dict[int, int]:
    """The primes that divide n, with their exponents.

    Examples
    --------
    >>> prime_factors(360)
    {2: 3, 3: 2, 5: 1}
    """
    found: dict[int, int] = {}
    divisor = 2
    while divisor * divisor <= n:
        while n % divisor == 0:
            found[divisor] = found.get(divisor, 0) + 1
            n //= divisor
        divisor += 1 if divisor == 2 else 2
    if n > 1:
        found[n] = found.get(n, 0) + 1
    return found


def is_prime(n: int) -> bool:
    """Is n a prime?"""
    return n > 1 and prime_factors(n) == {n: 1}


def prime_power(n: int) -> tuple[int, int] | None:
    """(p, k) with n = p^k, or None.

    Examples
    --------
    >>> prime_power(64), prime_power(12), prime_power(1)
    ((2, 6), None, None)
    """
    factors = prime_factors(n) if n > 1 else {}
    return next(iter(factors.items())) if len(factors) == 1 else None


class GaloisField:
    """The field of q elements; use :func:`galois_field`, which keeps those made before.

    Attributes
    ----------
    order, characteristic, degree : int
        q, p and k.
    polynomial : tuple of int
        Coefficients (lowest first, monic) of the polynomial whose root is the primitive element.
    exp : int64[2 (q - 1)]
        Powers of the primitive element.
    log : int64[q]
        Logarithms; log[0] is not defined (-1).

    Examples
    --------
    >>> field = galois_field(9)
    >>> bool(field.multiply(field.exp[3], field.exp[7]) == field.exp[2])
    True
    >>> int(field.add(4, 8))  # (1 + x) + (2 + 2x)
    0
    """

    def __init__(self, order: int) -> None:
        found = prime_power(order)
        if found is None:
            raise ArgumentError(f"there is no field of {order} elements; q must be a prime power")
        if order > _LARGEST:
            raise ArgumentError(f"a field of {order} elements is too large; at most {_LARGEST}")
        self.order = order
        self.characteristic, self.degree = found
        self.polynomial, powers = _primitive(self.characteristic, self.degree)
        self.exp = np.concatenate([powers, powers])
        self.log = np.full(order, -1, dtype=np.int64)
        self.log[powers] = np.arange(order - 1)
        p, k = found
        self._places = p ** np.arange(k, dtype=np.int64)

    def digits(self, a: Any) -> IntArray:
        """Coefficients of elements: one more axis, lowest first."""
        return (np.asarray(a)[..., None] // self._places) % self.characteristic

    def add(self, a: Any, b: Any) -> IntArray:
        """Sum, element by element."""
        return self._from(self.digits(a) + self.digits(b))

    def subtract(self, a: Any, b: Any) -> IntArray:
        """Difference, element by element."""
        return self._from(self.digits(a) - self.digits(b))

    def multiply(self, a: Any, b: Any) -> IntArray:
        """Product, element by element."""
        first, second = np.broadcast_arrays(np.asarray(a), np.asarray(b))
        product = self.exp[np.maximum(self.log[first], 0) + np.maximum(self.log[second], 0)]
        return np.where((first == 0) | (second == 0), 0, product)

    def inverse(self, a: Any) -> IntArray:
        """One over each element (not zero)."""
        found: IntArray = self.exp[(-self.log[np.asarray(a)]) % (self.order - 1)]
        return found

    def power(self, a: Any, exponent: int) -> IntArray:
        """Powers with a positive exponent."""
        base = np.asarray(a)
        raised = self.exp[(np.maximum(self.log[base], 0) * exponent) % (self.order - 1)]
        return np.where(base == 0, 0, raised)

    def _from(self, digits: IntArray) -> IntArray:
        total: IntArray = ((digits % self.characteristic) * self._places).sum(axis=-1)
        return total


@cache
def galois_field(order: int) -> GaloisField:
    """The field of `order` elements.

    Raises
    ------
    ArgumentError
        When `order` is no prime power.
    """
    return GaloisField(order)


def _primitive(p: int, k: int) -> tuple[tuple[int, ...], IntArray]:
    """The first monic polynomial of degree k with a primitive root, and the powers of that root."""
    q = p**k
    for code in range(1, q):
        low = [code // p**i % p for i in range(k)]
        if low[0] == 0:
            continue
        powers = _powers(p, k, low, q)
        if powers is not None:
            return (*low, 1), powers
    raise AssertionError(f"no primitive polynomial of degree {k} over {p}")


def _powers(p: int, k: int, low: list[int], q: int) -> IntArray | None:
    """Powers of the root of x^k + low as numbers, or None when its order is not q - 1."""
    out = np.empty(q - 1, dtype=np.int64)
    state = [0] * k
    state[0] = 1
    one = state.copy()
    for i in range(q - 1):
        out[i] = sum(c * p**j for j, c in enumerate(state))
        top = state[-1]
        state = [(c - top * a) % p for c, a in zip([0, *state[:-1]], low, strict=True)]
        if state == one and i < q - 2:
            return None
    return out if state == one else None
