"""Delorme's graphs of diameter 3, from generalised quadrangles with a polarity."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hopscape.algebra.fields import galois_field
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Facts, integers
from hopscape.families.datacenter.routers import TERMINALS, RouterFamily

__all__ = ["Delorme"]


class Delorme(RouterFamily):
    """Points of the symplectic quadrangle of order q, joined to those on their line by a polarity.

    Delorme, "Large bipartite graphs with given degree and diameter", 1985: q an odd power of 2,
    q³ + q² + q + 1 routers of degree q + 1 (q for the q² + 1 that are on their own line), diameter
    3. Points are ∞, (a), (k, b), (a, l, a'), lines [∞], [k], [a, l], [k, b, k'] (coordinates of
    Hanssens and Van Maldeghem); the polarity raises their entries to the power t = √(2q) and, the
    second ones, to its inverse.
    """

    name = "delorme"
    summary = "Delorme's graph: q³ + q² + q + 1 routers of degree q + 1, diameter 3, q = 2, 8, 32"
    parameters = (*integers(q=("an odd power of 2: 2, 8, 32, 128", 2, 128)), TERMINALS)
    example = "delorme(2)"

    def __init__(self, q: int, p: int | None = None) -> None:
        if q not in (2, 8, 32, 128):
            raise ArgumentError(f"q is {q}; it must be an odd power of 2: 2, 8, 32 or 128")
        self.q, self.p = q, p

    @property
    def routers(self) -> int:
        return (self.q + 1) * (self.q**2 + 1)

    @property
    def router_degree(self) -> int:
        return self.q + 1

    @property
    def balanced(self) -> int:
        """A third of the ports: most routers are three hops away."""
        return max(1, (self.q + 1) // 3)

    def _rows(self) -> IntArray:
        """The points on the line of every point: int64[routers, q + 1]."""
        q, field = self.q, galois_field(self.q)
        every = np.arange(q)
        up = field.power(every, 2 ** (q.bit_length() // 2))
        down = np.argsort(up)
        one, two, three = 1, 1 + q, 1 + q + q * q
        rows = np.zeros((self.routers, q + 1), dtype=np.int64)
        rows[0, 1:] = one + every  # [∞] has ∞ and all (a)
        rows[one:two, 1:] = two + up[:, None] * q + every  # [k] has ∞ and all (k, b)
        a, low = (x.ravel() for x in np.meshgrid(down, up, indexing="ij"))
        rows[two:three, 0] = one + a  # [a, l] has (a) and all (a, l, a')
        rows[two:three, 1:] = three + ((a * q + low) * q)[:, None] + every
        k, b, last = (x.reshape(-1, 1) for x in np.meshgrid(up, down, up, indexing="ij"))
        middle = field.add(last, field.multiply(field.multiply(every, every)[None, :], k))
        third = field.add(field.multiply(every[None, :], k), b)
        rows[three:, :1] = two + k * q + b  # [k, b, k'] has (k, b) and (x, k' + x²k, xk + b)
        rows[three:, 1:] = three + (every * q + middle) * q + third
        return rows

    def router_links(self) -> tuple[IntArray, IntArray]:
        rows = self._rows()
        tails = np.repeat(np.arange(len(rows)), rows.shape[1])
        heads = rows.ravel()
        keep = tails < heads
        return tails[keep], heads[keep]

    def facts(self) -> Facts:
        q = self.q
        links = (self.routers * (q + 1) - q * q - 1) // 2 + self.ends
        return Facts.duplex(links, diameter=self.hops(3))

    @classmethod
    def shapes(cls, ports: int, routers: int) -> Iterator[Delorme]:
        for q in (2, 8, 32, 128):
            if q < ports and (q + 1) * (q * q + 1) <= routers:
                yield cls(q, 0)
