"""Does B(N, m, σ) exist? Built, impossible with the reason, or open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isqrt
from typing import Any, Literal

from hopscape.algebra.designs.constructions import check_parameters, constructions
from hopscape.algebra.fields import prime_factors
from hopscape.core.errors import ArgumentError

__all__ = ["Existence", "bruck_ryser_chowla", "existence", "hilbert_symbol", "table"]

Status = Literal["exists", "impossible", "open"]

_MOST_PORTS = 10_000
_MOST_M = 10**12

_EXCLUDED: dict[tuple[int, int, int], str] = {
    (111, 11, 1): (
        "order 10: exhaustive computer search (Lam, Thiel, Swiercz 1989); Bruck-Ryser-Chowla is"
        " silent"
    ),
}  # impossible by the literature; quoted


@dataclass(frozen=True)
class Existence:
    """What is known of B(N, m, σ).

    Attributes:
        status: {'exists', 'impossible', 'open'}
        reason: How it is built, why it cannot be, or what is not excluded.
        built: Can this program build it?
    """

    n: int
    m: int
    sigma: int
    status: Status
    reason: str
    built: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values under the names that scripts rely on."""
        return {
            "N": self.n,
            "m": self.m,
            "sigma": self.sigma,
            "status": self.status,
            "reason": self.reason,
            "built": self.built,
        }


def hilbert_symbol(a: int, b: int, p: int) -> int:
    """(a, b)_p: 1 when a x² + b y² = z² has a solution other than 0 in the p-adic numbers, else -1.

    Args:
        a, b: Not 0.
        p: A prime, or 0 for the real numbers.

    Examples:
        >>> hilbert_symbol(-1, -1, 0), hilbert_symbol(6, -1, 3), hilbert_symbol(2, 7, 7)
        (-1, -1, 1)
    """
    if p == 0:
        return -1 if a < 0 and b < 0 else 1
    alpha = beta = 0
    while a % p == 0:
        a, alpha = a // p, alpha + 1
    while b % p == 0:
        b, beta = b // p, beta + 1
    if p == 2:
        exponent = (a - 1) // 2 * ((b - 1) // 2)
        exponent += alpha * ((b * b - 1) // 8) + beta * ((a * a - 1) // 8)
        return -1 if exponent % 2 else 1
    sign = -1 if alpha * beta % 2 and p % 4 == 3 else 1
    if beta % 2:
        sign *= _legendre(a, p)
    if alpha % 2:
        sign *= _legendre(b, p)
    return sign


def _legendre(a: int, p: int) -> int:
    return 1 if pow(a % p, (p - 1) // 2, p) == 1 else -1


def bruck_ryser_chowla(n: int, m: int, sigma: int) -> str | None:
    """The reason why B(N, m, σ) is impossible by the theorem of Bruck, Ryser and Chowla, or None.

    N even: m - σ must be a square. N odd: x² = (m - σ) y² + (-1)^((N-1)/2) σ z² must have a
    solution other than 0, which the Hilbert symbols at all primes decide.

    Examples:
        >>> bruck_ryser_chowla(43, 7, 1)
        'Bruck-Ryser-Chowla: x² = 6y² - 1z² has no solution (3-adic)'
        >>> bruck_ryser_chowla(22, 7, 2)
        'Bruck-Ryser-Chowla: N = 22 is even and m - sigma = 5 is not a square'
    """
    gap = m - sigma
    if n % 2 == 0:
        if isqrt(gap) ** 2 != gap:
            return f"Bruck-Ryser-Chowla: N = {n} is even and m - sigma = {gap} is not a square"
        return None
    signed = sigma if (n - 1) // 2 % 2 == 0 else -sigma
    primes = {0, 2, *prime_factors(gap), *prime_factors(sigma)}
    for p in sorted(primes, reverse=True):
        if hilbert_symbol(gap, signed, p) == -1:
            where = "real" if p == 0 else f"{p}-adic"
            sign = "+" if signed > 0 else "-"
            return f"Bruck-Ryser-Chowla: x² = {gap}y² {sign} {sigma}z² has no solution ({where})"
    return None


def existence(n: int, m: int, sigma: int) -> Existence:
    """What is known of B(N, m, σ).

    Raises:
        ArgumentError: When N is not m(m-1)/σ + 1.

    Examples:
        >>> existence(43, 7, 1).status, existence(16, 6, 2).status, existence(157, 13, 1).status
        ('impossible', 'exists', 'open')
    """
    check_parameters(n, m, sigma)
    if m > _MOST_M:
        raise ArgumentError(f"m is {m}; what exists is decided for m up to {_MOST_M}")
    built = next(constructions(n, m, sigma), None)
    if built is not None:
        return Existence(n, m, sigma, "exists", built.how, True)
    wrong = bruck_ryser_chowla(n, m, sigma)
    if wrong is not None:
        return Existence(n, m, sigma, "impossible", wrong, False)
    for key, prefix in (((n, m, sigma), ""), ((n, n - m, n - 2 * m + sigma), "complement of: ")):
        if key in _EXCLUDED:
            return Existence(n, m, sigma, "impossible", prefix + _EXCLUDED[key], False)
    text = "not excluded by Bruck-Ryser-Chowla; none known to this program"
    if min(sigma, n - 2 * m + sigma) >= 3:
        text += ", which does not know every design of the literature"
    return Existence(n, m, sigma, "open", text, False)


def table(sigma: int, largest: int) -> Iterator[Existence]:
    """All parameters with this σ and m up to `largest` for which N is an integer.

    Examples:
        >>> [(row.n, row.m) for row in table(1, 5)]
        [(3, 2), (7, 3), (13, 4), (21, 5)]
    """
    if sigma < 1:
        raise ArgumentError(f"sigma is {sigma}; it must be at least 1")
    if not sigma < largest <= _MOST_PORTS:
        raise ArgumentError(
            f"max m is {largest}; it must be larger than sigma = {sigma} and at most {_MOST_PORTS}"
        )
    for m in range(sigma + 1, largest + 1):
        if m * (m - 1) % sigma == 0:
            yield existence(m * (m - 1) // sigma + 1, m, sigma)
