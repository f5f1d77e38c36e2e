"""SpectralFly: the Ramanujan graphs of Lubotzky, Phillips and Sarnak."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import product
from math import isqrt

import numpy as np

from hopscape.algebra.fields import is_prime
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Facts, integers
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.router import Router
from hopscape.families.datacenter.routers import TERMINALS, OwnedRouter, RouterFamily

__all__ = ["SpectralFly"]


class SpectralFly(RouterFamily):
    """The Cayley graph LPS(rho, q) of 2 by 2 matrices modulo q, of degree rho + 1.

    Young, Aksoy, Firoz, Gioiosa, Hagge, Kempton, Escobedo and Raugas, "SpectralFly: Ramanujan
    graphs as flexible and efficient interconnection networks", IPDPS 2022. Matrices count up to a
    factor: those with a square determinant, q(q² - 1)/2, where rho is a square modulo q, else all
    q(q² - 1). The generators are the rho + 1 ways to write rho as a sum of four squares.
    """

    name = "spectralfly"
    summary = "SpectralFly: the Ramanujan graph LPS(rho, q) of degree rho + 1"
    parameters = (
        *integers(
            rho=("an odd prime, the degree less 1", 3, 4096),
            q=("an odd prime other than rho, above twice its root", 3, 512),
        ),
        TERMINALS,
    )
    example = "spectralfly(3, 5, p=0)"
    routers_alike = True

    def __init__(self, rho: int, q: int, p: int | None = None) -> None:
        if not is_prime(rho) or rho == 2:
            raise ArgumentError(f"rho is {rho}; it must be an odd prime")
        if not is_prime(q) or q == 2 or q == rho or q * q <= 4 * rho:
            raise ArgumentError(
                f"q is {q}; it must be an odd prime other than rho ({rho}) and above 2·√rho"
            )
        self.rho, self.q, self.p = rho, q, p
        self.square = pow(rho, (q - 1) // 2, q) == 1

    @property
    def routers(self) -> int:
        return self.q * (self.q**2 - 1) // (2 if self.square else 1)

    @property
    def router_degree(self) -> int:
        return self.rho + 1

    @property
    def balanced(self) -> int:
        """A third of the ports, as the paper takes 8 for 24."""
        return max(1, self.router_degree // 3)

    @cached_property
    def _keys(self) -> IntArray:
        """The matrices, as numbers to base q, in rising order; the first entry not 0 is 1."""
        q = self.q
        require_memory(40 * q**3, f"the matrices of {self.spec}")
        every = np.arange(q)
        b, c, d = (x.ravel() for x in np.meshgrid(every, every, every, indexing="ij"))
        first = np.stack([np.ones_like(b), b, c, d], axis=1)
        c, d = (x.ravel() for x in np.meshgrid(every, every, indexing="ij"))
        second = np.stack([np.zeros_like(c), np.ones_like(c), c, d], axis=1)
        matrices = np.concatenate([first, second])
        det = (matrices[:, 0] * matrices[:, 3] - matrices[:, 1] * matrices[:, 2]) % q
        keep = self._squares[det] if self.square else det != 0
        return np.sort(self._key(matrices[keep]))

    @cached_property
    def _squares(self) -> IntArray:
        """Which numbers are squares other than 0?"""
        out = np.zeros(self.q, dtype=bool)
        out[np.arange(1, self.q) ** 2 % self.q] = True
        return out

    @cached_property
    def _inverses(self) -> IntArray:
        return np.asarray([0, *(pow(x, -1, self.q) for x in range(1, self.q))])

    def _key(self, matrices: IntArray) -> IntArray:
        q = self.q
        a, b, c, d = matrices.T
        return ((a * q + b) * q + c) * q + d

    def matrices(self, routers: IntArray) -> IntArray:
        """Entries a, b, c, d of the matrix of each router."""
        keys, q = self._keys[routers], self.q
        return np.stack([keys // q**3, keys // q**2 % q, keys // q % q, keys % q], axis=1)

    def numbers(self, matrices: IntArray) -> IntArray:
        """The router of each matrix, whatever its factor."""
        lead = np.where(matrices[:, 0] != 0, matrices[:, 0], matrices[:, 1])
        normal = matrices * self._inverses[lead][:, None] % self.q
        return np.searchsorted(self._keys, self._key(normal))

    def times(self, left: IntArray, right: IntArray) -> IntArray:
        """Products of matrices."""
        (a, b, c, d), (e, f, g, h) = left.T, right.T
        rows = [a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h]
        return np.stack(rows, axis=1) % self.q

    def generators(self) -> IntArray:
        """Matrices of the ways to write rho as a² + b² + c² + d² (Davidoff, Sarnak, Valette)."""
        q, top = self.q, isqrt(self.rho)
        x, y = next((x, y) for x, y in product(range(q), repeat=2) if (x * x + y * y + 1) % q == 0)
        matrices = []
        for b, c, d in product(range(-top, top + 1), repeat=3):
            rest = self.rho - b * b - c * c - d * d
            a = isqrt(rest) if rest >= 0 else -1
            if a * a != rest or a % 2 != self.rho // 2 % 2 ^ 1:
                continue
            if a > 0 or (b, c, d) > (0, 0, 0):
                row = (a + b * x + d * y, -b * y + c + d * x, -b * y - c + d * x, a - b * x - d * y)
                matrices.append(row)
        return np.asarray(matrices) % q

    def router_links(self) -> tuple[IntArray, IntArray]:
        routers = np.arange(self.routers)
        matrices = self.matrices(routers)
        tails, heads = [], []
        for step in self.generators():
            there = self.numbers(self.times(matrices, np.broadcast_to(step, matrices.shape)))
            keep = routers < there
            tails.append(routers[keep])
            heads.append(there[keep])
        return np.concatenate(tails), np.concatenate(heads)

    def facts(self) -> Facts:
        links = self.routers * self.router_degree // 2 + self.ends
        if self.terminals:
            return Facts.duplex(links, 1, self.ports)
        degree = self.router_degree
        return Facts.duplex(links, degree, degree, edge_connectivity=degree, vertex_transitive=True)

    def router(self, network: Network) -> Router:
        return MatrixRouter(network, self)

    @classmethod
    def shapes(cls, ports: int, routers: int) -> Iterator[SpectralFly]:
        for rho in (n for n in range(3, ports) if is_prime(n)):
            for q in range(2 * isqrt(rho) + 1, 512, 2):
                if q * (q * q - 1) > 2 * routers:
                    break
                if is_prime(q) and q != rho and q * q > 4 * rho:
                    shape = cls(rho, q, 0)
                    if shape.routers <= routers:
                        yield shape


class MatrixRouter(OwnedRouter):
    """Shortest routes: the distance of two matrices is that of their quotient from the unit."""

    name = "one vector for all routers"
    _family: SpectralFly

    def __init__(self, network: Network, family: SpectralFly) -> None:
        super().__init__(network, family)
        self.table_bytes = family.routers

    @cached_property
    def _depths(self) -> IntArray:
        """Distance of every router from that of the unit matrix, by search."""
        family = self._family
        tails, heads = family.router_links()
        out = np.full(family.routers, -1, dtype=np.int8)
        front = np.zeros(family.routers, dtype=bool)
        front[family.numbers(np.asarray([[1, 0, 0, 1]]))] = True
        depth = 0
        while front.any():
            out[front] = depth
            depth += 1
            neighbours = np.zeros_like(front)
            neighbours[heads[front[tails]]] = True
            neighbours[tails[front[heads]]] = True
            front = neighbours & (out < 0)
        return out

    def router_distances(self, at: IntArray, to: IntArray) -> IntArray:
        family = self._family
        a, b, c, d = family.matrices(at).T
        inverse = np.stack([d, -b, -c, a], axis=1) % family.q
        quotient = family.times(inverse, family.matrices(to))
        return self._depths[family.numbers(quotient)].astype(np.int64)
