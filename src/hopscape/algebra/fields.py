"""Finite fields GF(q) by tables, small and exact.

An element is a number 0..q-1 whose digits to base p are the coefficients of a polynomial of degree
below k, q = p^k. Products go through logarithms to the base of a primitive element g, sums through
Zech's logarithms, log(1 + g^i), where neither xor (p = 2) nor a remainder (k = 1) does it.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError

__all__ = ["GaloisField", "galois_field", "is_prime", "prime_factors", "prime_power"]

_LARGEST = 1 << 20  # elements: tables of logarithms take 8 MiB
# Miller-Rabin with these is exact below 3.3 · 10^24 (Sorenson, Webster 2017)
_WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)


def prime_factors(n: int) -> dict[int, int]:
    """The primes that divide n, with their exponents.

    Examples:
        >>> prime_factors(360)
        {2: 3, 3: 2, 5: 1}
    """
    factors: dict[int, int] = {}
    divisor = 2
    while divisor * divisor <= n:
        while n % divisor == 0:
            factors[divisor] = factors.get(divisor, 0) + 1
            n //= divisor
        divisor += 1 if divisor == 2 else 2
    if n > 1:
        factors[n] = factors.get(n, 0) + 1
    return factors


def is_prime(n: int) -> bool:
    """Is n a prime? By the test of Miller and Rabin; for n beyond 3·10^24 it may err, never seen.

    Examples:
        >>> [n for n in range(30) if is_prime(n)]
        [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
        >>> is_prime(2**89 - 1), is_prime(3215031751)
        (True, False)
    """
    if n < 2 or any(n % p == 0 for p in _WITNESSES):
        return n in _WITNESSES
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in _WITNESSES:
        x = pow(base, odd, n)
        if x in (1, n - 1):
            continue
        for _ in range(twos - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


def prime_power(n: int) -> tuple[int, int] | None:
    """(p, k) with n = p^k, or None.

    Examples:
        >>> prime_power(64), prime_power(12), prime_power(1)
        ((2, 6), None, None)
    """
    for exponent in range(1, n.bit_length() if n > 1 else 0):
        root = _root(n, exponent)
        if root**exponent == n and is_prime(root):
            return root, exponent
    return None


def _root(n: int, exponent: int) -> int:
    """The largest integer whose power is at most n (Newton's method)."""
    if exponent == 1:
        return n
    x = 1 << -(-n.bit_length() // exponent)
    while True:
        y = ((exponent - 1) * x + n // x ** (exponent - 1)) // exponent
        if y >= x:
            return x
        x = y


class GaloisField:
    """The field of q elements; use :func:`galois_field`, which keeps those made before.

    Attributes:
        order, characteristic, degree (int): q, p and k.
        polynomial (tuple of int): Coefficients (lowest first, monic) of the polynomial whose root
            is the primitive element.
        exp (int64[2 (q - 1)]): Powers of the primitive element.
        log (int64[q]): Logarithms; log[0] is not defined (-1).

    Examples:
        >>> field = galois_field(9)
        >>> bool(field.multiply(field.exp[3], field.exp[7]) == field.exp[2])
        True
        >>> int(field.add(4, 8))  # (1 + x) + (2 + 2x)
        0
    """

    def __init__(self, order: int) -> None:
        power = prime_power(order)
        if power is None:
            raise ArgumentError(f"there is no field of {order} elements; q must be a prime power")
        if order > _LARGEST:
            raise ArgumentError(f"a field of {order} elements is too large; at most {_LARGEST}")
        self.order = order
        self.characteristic, self.degree = power
        self.polynomial, powers = _primitive(self.characteristic, self.degree)
        period = order - 1
        self.exp = np.concatenate([powers, powers])
        self.log = np.full(order, -1, dtype=np.int64)
        self.log[powers] = np.arange(period)
        p, k = power
        self._places = p ** np.arange(k, dtype=np.int64)
        # log 0 is so large that everything it is added to has the power 0
        self._log = np.where(self.log < 0, 2 * period, self.log)
        self._exp = np.concatenate([self.exp, np.zeros(2 * period + 1, dtype=np.int64)])

    @cached_property
    def _zech(self) -> IntArray:
        """log(1 + b/a) by log b - log a + log 0: what to add to log a to get log(a + b)."""
        period = self.order - 1
        zero = 2 * period
        sums = self._from(self.digits(self.exp[:period]) + self.digits(1))
        logarithms = np.empty(2 * zero + 1, dtype=np.int64)
        gaps = np.arange(-zero, zero + 1)
        logarithms[:] = self._log[sums[gaps % period]]
        logarithms[gaps > period - 1] = 0  # b is 0
        logarithms[gaps < 1 - period] = gaps[gaps < 1 - period]  # a is 0
        return logarithms

    def digits(self, a: Any) -> IntArray:
        """Coefficients of elements: one more axis, lowest first."""
        return (np.asarray(a)[..., None] // self._places) % self.characteristic

    def add(self, a: Any, b: Any) -> IntArray:
        """Sum, element by element."""
        if self.degree == 1:
            total = np.asarray(a) + np.asarray(b)
            return np.asarray(total - self.order * (total >= self.order))
        if self.characteristic == 2:
            return np.asarray(np.asarray(a) ^ np.asarray(b))
        return self._sum(a, self._log[b])

    def subtract(self, a: Any, b: Any) -> IntArray:
        """Difference, element by element."""
        if self.degree == 1:
            rest = np.asarray(a) - np.asarray(b)
            return np.asarray(rest + self.order * (rest < 0))
        if self.characteristic == 2:
            return np.asarray(np.asarray(a) ^ np.asarray(b))
        half, period = (self.order - 1) // 2, self.order - 1  # g^half = -1
        negative = np.where(self.log < 0, 2 * period, (self.log + half) % period)
        return self._sum(a, negative[b])

    def _sum(self, a: Any, log_b: IntArray) -> IntArray:
        log_a = self._log[a]
        return np.asarray(self._exp[log_a + self._zech[log_b - log_a + 2 * (self.order - 1)]])

    def multiply(self, a: Any, b: Any) -> IntArray:
        """Product, element by element."""
        return np.asarray(self._exp[self._log[a] + self._log[b]])

    def inverse(self, a: Any) -> IntArray:
        """One over each element (not zero)."""
        inverse: IntArray = self.exp[(-self.log[np.asarray(a)]) % (self.order - 1)]
        return inverse

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

    Raises:
        ArgumentError: When `order` is not a prime power.
    """
    return GaloisField(order)


def _primitive(p: int, k: int) -> tuple[tuple[int, ...], IntArray]:
    """The first monic polynomial of degree k with a primitive root, and the powers of that root."""
    period = p**k - 1
    checks = [period // r for r in prime_factors(period)]
    one = [1] + [0] * (k - 1)
    for code in range(1, p**k):
        low = [code // p**i % p for i in range(k)]
        if (
            low[0]
            and _power(p, low, period) == one
            and all(_power(p, low, part) != one for part in checks)
        ):
            return (*low, 1), _powers(p, low)
    raise AssertionError(f"no primitive polynomial of degree {k} over {p}")


def _times_root(p: int, low: list[int], state: list[int]) -> list[int]:
    """Coefficients of x·state modulo x^k + low."""
    top = state[-1]
    return [(c - top * a) % p for c, a in zip([0, *state[:-1]], low, strict=True)]


def _power(p: int, low: list[int], exponent: int) -> list[int]:
    """Coefficients of x^exponent modulo x^k + low, by squaring."""
    result = [1] + [0] * (len(low) - 1)
    for bit in bin(exponent)[2:]:
        square = [0] * len(low)
        shifted = result
        for c in result:
            square = [(s + c * t) % p for s, t in zip(square, shifted, strict=True)]
            shifted = _times_root(p, low, shifted)
        result = _times_root(p, low, square) if bit == "1" else square
    return result


def _powers(p: int, low: list[int]) -> IntArray:
    """All powers of the primitive root of x^k + low as numbers, twice as many in every step."""
    k, period = len(low), p ** len(low) - 1
    state = [1] + [0] * (k - 1)
    digits = np.asarray([state], dtype=np.int64)
    while len(digits) < period:
        step = [_power(p, low, len(digits))]  # times x^n is a linear map
        for _ in range(k - 1):
            step.append(_times_root(p, low, step[-1]))
        digits = np.concatenate([digits, digits @ np.asarray(step, dtype=np.int64) % p])
    powers: IntArray = digits[:period] @ (p ** np.arange(k, dtype=np.int64))
    return powers
