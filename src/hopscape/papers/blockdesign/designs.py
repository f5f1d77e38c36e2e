"""Symmetric designs B(N, m, σ): built, verified, and read from files.

Does B(N, m, σ) exist? Built, impossible with the reason, or open.

Symmetric designs B(N, m, σ): every known way to build one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import isqrt
from pathlib import Path
from typing import Any, Literal

import numpy as np

from hopscape.algebra.fields import is_prime, prime_factors, prime_power
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, FileFormatError
from hopscape.core.processes import require_memory
from hopscape.core.reading import TextFile, load_json
from hopscape.core.verdict import Verdict
from hopscape.papers.blockdesign import known_designs as sporadic
from hopscape.papers.blockdesign.difference_sets import (
    DifferenceSet,
    mcfarland,
    quadratic_residues,
    residues,
    singer,
    twin_prime_powers,
)
from hopscape.papers.blockdesign.known_designs import SEARCHED, turned_design
from hopscape.papers.blockdesign.menon_designs import higman_design, menon_design, menon_how

__all__ = [
    "Construction",
    "Existence",
    "SymmetricDesign",
    "bruck_ryser_chowla",
    "check_design",
    "check_parameters",
    "constructions",
    "existence",
    "hilbert_symbol",
    "make_design",
    "read_blocks",
    "table",
]


def check_design(blocks: IntArray, points: int | None = None, sigma: int | None = None) -> Verdict:
    """Are these the blocks of a symmetric design (of any σ, unless one is wanted)?

    Args:
        blocks: int array (N, m)
        points: Number of elements, when it is not the number of blocks.

    Returns:
        Verdict: `details` has N, m, sigma; `where` the first block, element or pair that is wrong.

    Examples:
        >>> from hopscape.papers.blockdesign.difference_sets import singer
        >>> print(check_design(singer(2).blocks()))
        holds: 7 blocks of 3 of 7 elements, every pair in 1
    """
    table = np.asarray(blocks)
    if table.ndim != 2 or table.size == 0 or table.dtype.kind not in "iu":
        return Verdict(False, "blocks must be lists of integers of one length")
    count, size = table.shape
    total = count if points is None else points
    if total != count:
        return Verdict(False, f"{count} blocks but {total} elements", {"blocks": count})
    if table.min() < 0 or table.max() >= total:
        b = int(np.argmax(((table < 0) | (table >= total)).any(axis=1)))
        return Verdict(False, f"block {b} has an element beyond 0..{total - 1}", {"block": b})
    ordered = np.sort(table, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    if twice.any():
        b = int(twice.argmax())
        return Verdict(False, f"block {b} holds an element twice", {"block": b})
    often = np.bincount(ordered.ravel(), minlength=total)
    if (often != size).any():
        x = int(np.argmax(often != size))
        text = f"element {x} is in {int(often[x])} blocks, not {size}"
        return Verdict(False, text, {"element": x})
    return _check_pairs(ordered, sigma)


def _check_pairs(ordered: IntArray, sigma: int | None) -> Verdict:
    """Count, for every element, how often it meets each other."""
    count, size = ordered.shape
    by_element = np.argsort(ordered.ravel(), kind="stable") // size
    block_of = by_element.reshape(count, size)
    wanted = sigma
    if wanted is None:
        row = np.bincount(ordered[block_of[0]].ravel(), minlength=count)
        wanted = int(row[1]) if count > 1 else size
    for x in range(count):
        row = np.bincount(ordered[block_of[x]].ravel(), minlength=count)
        row[x] = wanted
        if (row != wanted).any():
            y = int(np.argmax(row != wanted))
            text = f"elements {x} and {y} are together in {int(row[y])} blocks, not {wanted}"
            return Verdict(False, text, {"pair": [x, y], "times": int(row[y])})
    return Verdict(
        True,
        f"{count} blocks of {size} of {count} elements, every pair in {wanted}",
        details={"N": count, "m": size, "sigma": wanted},
    )


@lru_cache(maxsize=16)
def make_design(n: int, m: int, sigma: int) -> SymmetricDesign:
    """Build B(N, m, σ) and check it.

    A developed difference set is checked by its differences, which is a proof; other designs pair
    by pair.

    Raises:
        ArgumentError: When the parameters are wrong, the design is impossible (with the reason), or
            none is known.

    Examples:
        >>> make_design(7, 4, 2).how
        'complement of: Singer, projective plane of order 2'
    """
    check_parameters(n, m, sigma)
    require_memory(32 * n * m, f"B({n}, {m}, {sigma})")
    for construction in constructions(n, m, sigma):
        design = construction.build()
        verdict = (
            design.base.check(sigma)
            if design.base is not None
            else check_design(design.blocks, n, sigma)
        )
        if not verdict:  # a bug of this module, never of the caller
            raise AssertionError(f"B({n}, {m}, {sigma}) by {construction.how}: {verdict.reason}")
        return design
    known = existence(n, m, sigma)
    words = "does not exist" if known.status == "impossible" else "is not known to exist"
    raise ArgumentError(f"B({n}, {m}, {sigma}) {words}: {known.reason}")


def read_blocks(path: str | Path) -> tuple[list[list[int]], int]:
    """Blocks from a text file: a line per block, or a square matrix of 0 and 1.

    Returns:
        blocks: list of lists, counting from 0
        first (int): The number that the file gives to the first element (0 or 1).
    """
    if Path(path).suffix == ".json":
        rows = _json_blocks(path)
    else:
        lines = TextFile(path).lines("#")
        bare = (replace(line, text=line.text.split("#")[0]) for line in lines)
        rows = [[w.integer("an element", 0, 2**31) for w in line.words()] for line in bare]
    if not rows:
        raise FileFormatError(f"{path} holds no blocks")
    if all(len(row) == len(rows) and set(row) <= {0, 1} for row in rows) and len(rows) > 2:
        return [[j for j, x in enumerate(row) if x] for row in rows], 0
    least = min((min(row) for row in rows if row), default=0)
    most = max((max(row) for row in rows if row), default=0)
    first = 1 if least == 1 and most == len(rows) else 0
    return [[x - first for x in row] for row in rows], first


def _json_blocks(path: str | Path) -> list[list[int]]:
    data = load_json(path)
    rows = data.get("blocks") if isinstance(data, dict) else data
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise FileFormatError(f"{path} does not hold blocks: it needs a list of lists of integers")
    for row in rows:
        for x in row:
            if type(x) is not int or not 0 <= x <= 2**31:
                raise FileFormatError(
                    f"{path}: an element of a block is {x!r:.40}; it must be an integer from 0"
                )
    return rows


Status = Literal["exists", "impossible", "open"]

_MOST_PORTS = 10_000  # rows of a table; each is decided by factoring numbers of its size
_MOST_M = 10**12  # decided by factoring numbers of its size

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


@dataclass(frozen=True)
class SymmetricDesign:
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
    def of(cls, base: DifferenceSet) -> SymmetricDesign:
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
    build: Callable[[], SymmetricDesign]


def constructions(n: int, m: int, sigma: int) -> Iterator[Construction]:
    """All ways known here to build B(N, m, σ), the simplest first; nothing is built yet."""
    if m == n - 1:
        yield Construction("all but one element", lambda: _trivial(n))
        return
    yield from _plain(n, m, sigma)
    for other in _plain(n, n - m, n - 2 * m + sigma):
        yield Construction(f"complement of: {other.how}", lambda o=other: _complement(o.build(), n))  # type: ignore[misc]


def _trivial(n: int) -> SymmetricDesign:
    base = DifferenceSet((n,), tuple(range(1, n)), "all but one element")
    return SymmetricDesign.of(base)


def _complement(design: SymmetricDesign, n: int) -> SymmetricDesign:
    how = f"complement of: {design.how}"
    if design.base is not None:
        rest = np.setdiff1d(np.arange(n), design.base.base)
        return SymmetricDesign.of(DifferenceSet(design.base.moduli, tuple(rest.tolist()), how))
    inside = np.zeros((n, n), dtype=bool)
    np.put_along_axis(inside, design.blocks, True, axis=1)
    size = n - design.blocks.shape[1]
    return SymmetricDesign(np.nonzero(~inside)[1].reshape(n, size), how)


def _plain(n: int, m: int, sigma: int) -> Iterator[Construction]:
    if sigma < 1 or m <= sigma or m == n - 1:
        return
    for base_of, how in _difference_sets(n, m, sigma):
        yield Construction(how, lambda make=base_of: SymmetricDesign.of(make()))  # type: ignore[misc]
    special: dict[tuple[int, int, int], tuple[str, Callable[[], IntArray]]] = {
        (56, 11, 2): ("closed neighbourhoods of the Gewirtz graph", sporadic.biplane_56),
        (79, 13, 2): ("three blocks under a group of order 55", sporadic.biplane_79),
        (36, 15, 6): ("a Latin square of order 6", sporadic.latin_square_design),
        (176, 50, 14): ("Higman, octads of the Steiner system S(5, 8, 24)", higman_design),
    }
    if (n, m, sigma) in SEARCHED:
        text = f"blocks found by search, turned by a group of order {SEARCHED[n, m, sigma][0]}"
        yield Construction(text, lambda: SymmetricDesign(turned_design(n, m, sigma), text))
    if (n, m, sigma) in special:
        how, make = special[n, m, sigma]
        yield Construction(how, lambda: SymmetricDesign(make(), how))
    half = m - 2 * sigma
    if half > 1 and (n, sigma) == (4 * half * half, half * (half - 1)):
        words = menon_how(half)
        if words is not None:
            yield Construction(words, lambda: SymmetricDesign(menon_design(half), words))
    halves = n % 4 == 3 and m == (n - 1) // 2 and sigma == (n - 3) // 4
    if halves and sporadic.hadamard_maker(n + 1) is not None:
        name = f"Hadamard matrix of order {n + 1}"
        yield Construction(name, lambda: _hadamard(n, name))


def _hadamard(n: int, how: str) -> SymmetricDesign:
    blocks = sporadic.hadamard_design(n)
    assert blocks is not None
    return SymmetricDesign(blocks, how)


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
