"""Finite groups by name: elements are numbers, products take and return arrays.

====================  ==========================================================
``cyclic(5, 7)``      direct product of cyclic groups
``dihedral(6)``       symmetries of a hexagon, 12 elements
``semidirect(7, 3, 2)``  pairs (x mod 7, y mod 3) with (x, y)(a, b) = (x + 2^y a, y + b)
``affine(9, 4)``      maps x → a·x + b of GF(9), a among the fourth roots of 1
``psl(7)``, ``pgl(7)``   projective linear groups of 2 × 2 matrices over GF(7)
``symmetric(5)``, ``alternating(5)``  permutations
====================  ==========================================================

The semidirect product of two cyclic groups, on node numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from math import factorial, gcd, prod
from typing import Protocol

import numpy as np

from hopscape.algebra.fields import galois_field
from hopscape.core.addresses import MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.processes import require_memory
from hopscape.core.spec import parse

__all__ = ["Abelian", "Group", "Permutations", "Semidirect", "group"]

_MOST = 1 << 20  # tables by element take 8 MiB then


class Group(Protocol):
    """Elements 0..order - 1; 0 is the identity."""

    order: int

    @property
    def semidirect(self) -> tuple[int, int, int] | None:
        """m, k and r, where it is a semidirect product with the same numbers of elements."""

    def product(self, a: IntArray, b: IntArray) -> IntArray:
        """a · b, element by element (shapes are broadcast)."""

    def inverse(self, a: IntArray) -> IntArray:
        """a⁻¹."""


class Abelian:
    """Direct product of cyclic groups; the last one runs fastest.

    Examples:
        >>> group = Abelian((3, 4))
        >>> int(group.product(np.asarray(7), np.asarray(6))), int(group.inverse(np.asarray(7)))
        (9, 9)
    """

    def __init__(self, sides: Sequence[int]) -> None:
        self._box = MixedRadix(sides)
        self._sides = np.asarray(sides, dtype=np.int64)
        self.order = prod(sides)
        self.semidirect = (self.order, 1, 1) if len(sides) == 1 else None

    def product(self, a: IntArray, b: IntArray) -> IntArray:
        return self._box.numbers((self._box.tuples(a) + self._box.tuples(b)) % self._sides)

    def inverse(self, a: IntArray) -> IntArray:
        return self._box.numbers(-self._box.tuples(a) % self._sides)


class Permutations:
    """The group that some permutations generate, by lists of its elements.

    Args:
        generators: int64[g, points]
        order: How many elements it must have.

    Examples:
        >>> group = Permutations(np.asarray([[1, 2, 0], [1, 0, 2]]), 6)
        >>> every = np.arange(6)
        >>> bool((group.product(every, group.inverse(every)) == 0).all())
        True
    """

    def __init__(self, generators: IntArray, order: int) -> None:
        points = generators.shape[1]
        require_memory(8 * order * points, f"a group of {order} permutations")
        self.order, self.semidirect = order, None
        small = np.uint8 if points <= 256 else np.uint16 if points <= 65536 else np.uint32
        steps = generators.astype(small)
        elements = fresh = np.arange(points, dtype=small)[None, :]
        while len(fresh):
            images = steps[:, fresh].reshape(-1, points)
            keys, first = np.unique(_keys(images), return_index=True)
            fresh = images[first[~np.isin(keys, _keys(elements))]]
            elements = np.concatenate([elements, fresh])
        assert len(elements) == order, "wrong generators, or two elements with the same hash"
        self._elements = elements
        self._sorted = np.argsort(_keys(elements))
        self._sorted_keys = _keys(elements)[self._sorted]

    def product(self, a: IntArray, b: IntArray) -> IntArray:
        first, second = np.broadcast_arrays(np.asarray(a), np.asarray(b))
        flat = np.take_along_axis(
            self._elements[first.ravel()], self._elements[second.ravel()].astype(np.int64), axis=1
        )
        return self._number(flat).reshape(first.shape)

    def inverse(self, a: IntArray) -> IntArray:
        given = np.asarray(a)
        flat = np.argsort(self._elements[given.ravel()], axis=1).astype(self._elements.dtype)
        return self._number(flat).reshape(given.shape)

    def _number(self, rows: IntArray) -> IntArray:
        return self._sorted[np.searchsorted(self._sorted_keys, _keys(rows))]


def _keys(rows: IntArray) -> IntArray:
    """Rows as single numbers: a linear hash; that a group has no collision is checked."""
    random = np.random.default_rng(0).integers(1, 1 << 63, size=rows.shape[1], dtype=np.uint64)
    keys: IntArray = rows.astype(np.uint64) @ random
    return keys


def _cyclic(*sides: int) -> Group:
    return Abelian(sides)


def _dihedral(n: int) -> Group:
    return Semidirect(n, 2, n - 1)


def _semidirect(m: int, k: int, r: int) -> Group:
    if pow(r, k, m) != 1 % m:
        raise ArgumentError(f"r is {r}, but r^k mod m must be 1 (m is {m}, k is {k})")
    return Semidirect(m, k, r)


def _affine(q: int, k: int) -> Group:
    field = galois_field(q)
    if (q - 1) % k:
        raise ArgumentError(f"k is {k}; it must divide q - 1 = {q - 1}")
    x = np.arange(q)
    shifts = [field.add(x, field.exp[i]) for i in range(field.degree)]
    turn = field.multiply(x, field.exp[(q - 1) // k])
    return Permutations(np.stack([*shifts, turn]), q * k)


def _linear(q: int, squares: bool) -> Group:
    """Maps of the projective line: x + a, a·x (a a square, or any), -1/x; point q is infinity."""
    field = galois_field(q)
    x = np.arange(q)
    shifts = [np.append(field.add(x, field.exp[i]), q) for i in range(field.degree)]
    step = 2 if squares and q % 2 else 1
    turn = np.append(field.multiply(x, field.exp[step % (q - 1)]), q)
    swap = np.append(field.subtract(0, field.inverse(x)), 0)
    swap[0] = q
    return Permutations(np.stack([*shifts, turn, swap]), q * (q * q - 1) // step)


def _psl(q: int) -> Group:
    return _linear(q, True)


def _pgl(q: int) -> Group:
    return _linear(q, False)


def _symmetric(n: int) -> Group:
    cycle, swap = np.roll(np.arange(n), -1), np.arange(n)
    swap[:2] = swap[:2][::-1]
    return Permutations(np.stack([cycle, swap]), factorial(n))


def _alternating(n: int) -> Group:
    turns = np.tile(np.arange(n), (max(n - 2, 1), 1))
    for i in range(n - 2):
        turns[i, [i, i + 1, i + 2]] = turns[i, [i + 1, i + 2, i]]
    return Permutations(turns, max(factorial(n) // 2, 1))


_MAKERS: dict[str, tuple[Callable[..., Group], int, Callable[..., int]]] = {
    "cyclic": (_cyclic, -1, lambda *sides: prod(sides)),
    "dihedral": (_dihedral, 1, lambda n: 2 * n),
    "semidirect": (_semidirect, 3, lambda m, k, _: m * k),
    "affine": (_affine, 2, lambda q, k: q * k),
    "psl": (_psl, 1, lambda q: q * (q * q - 1) // gcd(2, q - 1)),
    "pgl": (_pgl, 1, lambda q: q * (q * q - 1)),
    "symmetric": (_symmetric, 1, lambda n: factorial(min(n, 20))),
    "alternating": (_alternating, 1, lambda n: factorial(min(n, 20)) // 2),
}


@cache
def group(text: str) -> Group:
    """The group of a name.

    Raises:
        ArgumentError: When there is no such group, or it has more than a million elements.

    Examples:
        >>> [group(g).order for g in ("cyclic(5, 7)", "psl(7)", "dihedral(6)", "affine(9, 4)")]
        [35, 168, 12, 36]
    """
    call = parse(text)
    if call.name not in _MAKERS:
        raise ArgumentError(f"group {text!r} is unknown; choose one of {', '.join(_MAKERS)}")
    make, count, size = _MAKERS[call.name]
    given = [argument.value for argument in call.arguments]
    whole = all(isinstance(v, int) and not isinstance(v, bool) and v > 0 for v in given)
    if not whole or len(given) != (count if count >= 0 else max(len(given), 1)):
        wanted = f"{count} numbers" if count > 1 else "one number" if count == 1 else "numbers"
        raise ArgumentError(f"group {text!r}: {call.name} takes {wanted} of at least 1")
    if size(*given) > _MOST:
        raise ArgumentError(f"group {text!r} has {size(*given)} elements; at most {_MOST}")
    return make(*given)


class Semidirect:
    """Pairs (x, y), x mod m and y mod k, with (x, y) (a, b) = (x + r^y a, y + b).

    The pair is the number ``y * m + x``; 0 is the identity. All methods take and return arrays.

    Args:
        m, k, r: With r^k ≡ 1 mod m.

    Examples:
        >>> group = Semidirect(7, 3, 2)
        >>> a, b = np.asarray([8]), np.asarray([2])
        >>> int(group.product(a, b)[0]), int(group.product(b, a)[0])
        (12, 10)
    """

    def __init__(self, m: int, k: int, r: int) -> None:
        self.m, self.k, self.r = m, k, r % m
        self.order = m * k
        self.semidirect = (m, k, max(self.r, 1))

    @cached_property
    def powers(self) -> IntArray:
        """r^y mod m for every y."""
        out = [1 % self.m]
        for _ in range(self.k - 1):
            out.append(out[-1] * self.r % self.m)
        return np.asarray(out, dtype=np.int64)

    def product(self, a: IntArray, b: IntArray) -> IntArray:
        """a · b, element by element (shapes are broadcast)."""
        m, y = self.m, a // self.m
        x = (a % m + self.powers[y] * (b % m)) % m
        return x + m * ((y + b // m) % self.k)

    def inverse(self, a: IntArray) -> IntArray:
        """a⁻¹."""
        back = -(a // self.m) % self.k
        return -(a % self.m) * self.powers[back] % self.m + self.m * back

    def quotient(self, a: IntArray, b: IntArray) -> IntArray:
        """a⁻¹ · b: the step that leads from a to b."""
        y = a // self.m
        x = (b % self.m - a % self.m) * self.powers[-y % self.k] % self.m
        return x + self.m * ((b // self.m - y) % self.k)

    def lengths(self, steps: IntArray, limit: int | None = None) -> IntArray | None:
        """Steps from the identity to every element, -1 where there is no path.

        Args:
            steps (int64[...]): Closed under inverses.
            limit: Stop with None once the sum of the lengths cannot be below it.
        """
        hops = np.full(self.order, -1, dtype=np.int64)
        hops[0] = 0
        fresh, left, total, level = np.zeros(1, dtype=np.int64), self.order - 1, 0, 0
        while left and len(fresh):
            level += 1
            reached = np.zeros(self.order, dtype=bool)
            reached[self.product(fresh[:, None], steps[None, :])] = True
            fresh = np.flatnonzero(reached & (hops < 0))
            hops[fresh] = level
            left -= len(fresh)
            total += level * len(fresh)
            if limit is not None and total + (level + 1) * left >= limit:
                return None
        return hops
