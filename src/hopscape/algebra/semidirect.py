"""The semidirect product of two cyclic groups, on node numbers."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from hopscape.core.arrays import IntArray

__all__ = ["Semidirect"]


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
            found = np.zeros(self.order, dtype=bool)
            found[self.product(fresh[:, None], steps[None, :])] = True
            fresh = np.flatnonzero(found & (hops < 0))
            hops[fresh] = level
            left -= len(fresh)
            total += level * len(fresh)
            if limit is not None and total + (level + 1) * left >= limit:
                return None
        return hops
