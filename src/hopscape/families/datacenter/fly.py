"""Slim Fly, PolarFly and projective incidence networks.

M. Besta and T. Hoefler, 2014 (on graphs of B. D. McKay, M. Miller and J. Širáň, 1998); K. Lakhotia
et al., 2022 (on graphs of P. Erdős and A. Rényi, 1962); C. Camarero et al., 2016.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hopscape.algebra.fields import galois_field, prime_power
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Facts, integers
from hopscape.families.datacenter.routers import TERMINALS, RouterFamily

__all__ = ["PolarFly", "ProjectiveNetwork", "SlimFly", "incidence", "plane_points"]


class SlimFly(RouterFamily):
    """The graphs of McKay, Miller and Širáň: 2q² routers of degree (3q - δ)/2, diameter 2.

    q = 4w + δ, δ = 0, 1 or -1, a prime power. Router (0, x, y) is joined to (0, x, y') when y - y'
    is in X, (1, m, c) to (1, m, c') when c - c' is in X', and (0, x, y) to (1, m, c) when
    y = m·x + c.
    """

    name = "slim_fly"
    summary = "Slim Fly: 2q² routers of degree (3q - δ)/2, diameter 2, q = 4w + δ a prime power"
    parameters = (*integers(q=("a prime power 4w, 4w + 1 or 4w - 1", 3, 1024)), TERMINALS)
    example = "slim_fly(5)"

    def __init__(self, q: int, p: int | None = None) -> None:
        if prime_power(q) is None or q % 4 == 2:
            raise ArgumentError(f"q is {q}; it must be a prime power that is 0, 1 or 3 mod 4")
        self.q, self.p = q, p
        self.delta = {0: 0, 1: 1, 3: -1}[q % 4]
        self.degree = (3 * q - self.delta) // 2

    @property
    def routers(self) -> int:
        return 2 * self.q**2

    @property
    def balanced(self) -> int:
        return (self.degree + 1) // 2

    @property
    def router_degree(self) -> int:
        return self.degree

    @classmethod
    def shapes(cls, ports: int, routers: int) -> Iterator[SlimFly]:
        for q in range(3, ports + 1):
            if prime_power(q) is not None and q % 4 != 2 and 2 * q * q <= routers:
                yield cls(q, 0)

    def generators(self) -> tuple[IntArray, IntArray]:
        """The sets X and X'."""
        field = galois_field(self.q)
        w = (self.q - self.delta) // 4
        if self.delta == 1:
            even, odd = list(range(0, self.q - 1, 2)), list(range(1, self.q - 1, 2))
        elif self.delta == 0:
            even, odd = list(range(0, self.q - 1, 2)), list(range(1, self.q, 2))
        else:  # half of them, with their negatives: -1 is the power (q - 1) / 2
            low = list(range(0, 2 * w, 2))
            high = list(range(1, 2 * w, 2))
            half = (self.q - 1) // 2
            even = low + [(i + half) for i in low]
            odd = high + [(i + half) for i in high]
        first = np.unique(field.exp[np.asarray(even) % (self.q - 1)])
        second = np.unique(field.exp[np.asarray(odd) % (self.q - 1)])
        return first, second

    def router_links(self) -> tuple[IntArray, IntArray]:
        q, field = self.q, galois_field(self.q)
        every = np.arange(q)
        tails: list[IntArray] = []
        heads: list[IntArray] = []
        for side, steps in enumerate(self.generators()):
            y = np.repeat(every, len(steps))
            z = field.add(y, np.tile(steps, q))
            keep = y < z
            base = side * q * q + every[:, None] * q
            tails.append((base + y[keep]).ravel())
            heads.append((base + z[keep]).ravel())
        x, m, c = np.meshgrid(every, every, every, indexing="ij")
        y = field.add(field.multiply(m, x), c)
        tails.append((x * q + y).ravel())
        heads.append((q * q + m * q + c).ravel())
        return np.concatenate(tails), np.concatenate(heads)

    def facts(self) -> Facts:
        return Facts(
            links=self.q**2 * self.degree + self.routers * self.terminals,
            connected=True,
            diameter=self.hops(2),
        )


def plane_points(q: int) -> IntArray:
    """Points of the projective plane over GF(q), as vectors whose first entry not 0 is 1."""
    every = np.arange(q)
    y, z = (axis.ravel() for axis in np.meshgrid(every, every, indexing="ij"))
    first = np.stack([np.ones_like(y), y, z], axis=1)
    second = np.stack([np.zeros(q, int), np.ones(q, int), every], axis=1)
    return np.concatenate([first, second, [[0, 0, 1]]])


def incidence(q: int) -> tuple[IntArray, IntArray]:
    """Pairs (point, line): their vectors are orthogonal.

    The lines through a point are u + t·w for all t, and w, where u and w span what is orthogonal
    to it; u and w are chosen so that these vectors are normal already.
    """
    field, points = galois_field(q), plane_points(q)
    x, y, z = points.T
    first, second = np.zeros_like(points), np.zeros_like(points)
    first[:, 0] = second[:, 2] = 1  # y = z = 0 is mended below
    for left, chosen in ((2, z > 0), (1, (z == 0) & (y > 0))):
        by = field.inverse(points[chosen, left])
        first[chosen, left] = field.subtract(0, field.multiply(x[chosen], by))
        if left == 2:
            second[chosen, 1] = 1
            second[chosen, 2] = field.subtract(0, field.multiply(y[chosen], by))
    first[(y == 0) & (z == 0)] = (0, 1, 0)
    every = np.arange(q)
    lines = field.add(first[:, None, :], field.multiply(every[:, None], second[:, None, :]))
    lines = np.concatenate([lines, second[:, None, :]], axis=1)
    a, b, c = lines[..., 0], lines[..., 1], lines[..., 2]
    number = np.where(a == 1, b * q + c, np.where(b == 1, q * q + c, q * q + q))
    return np.repeat(np.arange(len(points)), q + 1), np.sort(number, axis=1).ravel()


class _Plane(RouterFamily):
    """What the two networks of a projective plane share."""

    parameters = (*integers(q=("a prime power", 2, 1024)), TERMINALS)

    def __init__(self, q: int, p: int | None = None) -> None:
        if prime_power(q) is None:
            raise ArgumentError(f"q is {q}; it must be a prime power")
        self.q, self.p = q, p
        self.points = q * q + q + 1

    @property
    def router_degree(self) -> int:
        return self.q + 1

    @classmethod
    def shapes(cls, ports: int, routers: int) -> Iterator[_Plane]:
        for q in range(2, ports):
            if prime_power(q) is not None and q * q + q + 1 <= routers:
                yield cls(q, 0)


class ProjectiveNetwork(_Plane):
    """Routers are the points and the lines of a projective plane, joined when incident."""

    name = "projective_network"
    summary = "projective incidence network: 2(q² + q + 1) routers of degree q + 1, diameter 3"
    example = "projective_network(3, p=1)"

    @property
    def routers(self) -> int:
        return 2 * self.points

    @property
    def balanced(self) -> int:
        return (self.q + 1) // 3 or 1

    def router_links(self) -> tuple[IntArray, IntArray]:
        points, lines = incidence(self.q)
        return points, lines + self.points

    def facts(self) -> Facts:
        return Facts(
            links=self.points * (self.q + 1) + self.routers * self.terminals,
            connected=True,
            diameter=self.hops(3),
        )


class PolarFly(_Plane):
    """Routers are the points; two are joined when orthogonal (Erdős-Rényi polarity graph)."""

    name = "polarfly"
    summary = "PolarFly: q² + q + 1 routers of degree q + 1 (q for q + 1 of them), diameter 2"
    example = "polarfly(3)"

    @property
    def routers(self) -> int:
        return self.points

    @property
    def balanced(self) -> int:
        return (self.q + 1) // 2 or 1

    def router_links(self) -> tuple[IntArray, IntArray]:
        first, second = incidence(self.q)
        keep = first < second
        return first[keep], second[keep]

    def facts(self) -> Facts:
        inner = (self.points * (self.q + 1) - (self.q + 1)) // 2
        return Facts(
            links=inner + self.routers * self.terminals, connected=True, diameter=self.hops(2)
        )
