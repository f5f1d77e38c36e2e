"""Slim Fly, PolarFly and projective incidence networks.

M. Besta and T. Hoefler, 2014 (on graphs of B. D. McKay, M. Miller and J. Širáň, 1998); K. Lakhotia
et al., 2022 (on graphs of P. Erdős and A. Rényi, 1962); C. Camarero et al., 2016.

Delorme's graphs of diameter 3, from generalised quadrangles with a polarity.

PolarFly grown without rewiring: copies of its quadrics, or of a quadric and its neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from hopscape.algebra.fields import galois_field, prime_power
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.facts import circle
from hopscape.core.family import Facts, Layout, Parameter, integers
from hopscape.families.datacenter.routers import TERMINALS, RouterFamily, with_endpoints

__all__ = [
    "Delorme",
    "ExpandedPolarFly",
    "PolarFly",
    "ProjectiveNetwork",
    "SlimFly",
    "incidence",
    "plane_points",
]


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

    def layout(self) -> Layout:
        """Its 2q groups of q routers as small circles, the two kinds of groups in a row each."""
        q = self.q
        step = 1.0 / (2 * np.sin(np.pi / q))  # of a circle whose routers are one unit apart
        across = np.tile((np.arange(q) - (q - 1) / 2) * (2 * step + 2.0), 2)
        upwards = np.repeat([1.0, -1.0], q) * (2 * step + 2.0)
        centres = np.repeat(np.stack([across, upwards], axis=1), q, axis=0)
        routers = centres + np.tile(circle(q, step), (2 * q, 1))
        return with_endpoints(routers, centres, self.terminals)

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


class ExpandedPolarFly(RouterFamily):
    """A PolarFly with routers added that are wired like some that are there.

    Lakhotia et al., "PolarFly: a cost-effective and flexible low-diameter topology", SC 2022,
    section on incremental expansion, as EvalNet generates it. `quadrics` adds so many copies of the
    q + 1 routers that are orthogonal to themselves, each joined to the original's neighbours, to
    the original and to its other copies; the diameter stays 2. Where q is even, one copy of the
    router that all quadrics are joined to is added instead. `clusters` adds copies of the first
    quadrics together with their neighbours: a copy is joined to its original, to the copies of
    neighbours that are copied with it, and to all other neighbours.
    """

    name = "polarfly_expanded"
    summary = "PolarFly with copies of its quadrics or of clusters around them, no link moved"
    parameters = (
        *integers(q=("a prime power", 2, 256)),
        Parameter("quadrics", "int", "copies of all quadrics", low=0, default=0),
        Parameter("clusters", "int", "clusters that are copied", low=0, default=0),
        TERMINALS,
    )
    example = "polarfly_expanded(3, quadrics=1, p=0)"

    def __init__(self, q: int, quadrics: int = 0, clusters: int = 0, p: int | None = None) -> None:
        if prime_power(q) is None:
            raise ArgumentError(f"q is {q}; it must be a prime power")
        if quadrics and clusters:
            raise ArgumentError("quadrics and clusters cannot both be above 0")
        if q % 2 == 0 and quadrics > 1:
            raise ArgumentError(f"quadrics is {quadrics}; where q is even it must be 0 or 1")
        if clusters > q:
            raise ArgumentError(f"clusters is {clusters}; it must be at most q, {q}")
        self.q, self.quadrics, self.clusters, self.p = q, quadrics, clusters, p
        self.points = q * q + q + 1

    @property
    def routers(self) -> int:
        added = self.quadrics * (self.q + 1 if self.q % 2 else 1)
        return self.points + added + self.clusters * (self.q + 1)

    @property
    def router_degree(self) -> int:
        return self.q + 1 + self.clusters + (2 * self.quadrics if self.q % 2 else 0)

    @property
    def balanced(self) -> int:
        return (self.q + 1) // 2

    def router_links(self) -> tuple[IntArray, IntArray]:
        return self._listed

    @cached_property
    def _listed(self) -> tuple[IntArray, IntArray]:
        neighbours: list[set[int]] = [set() for _ in range(self.routers)]
        for u, v in zip(*(x.tolist() for x in PolarFly(self.q, 0).router_links()), strict=True):
            _join(neighbours, u, v)
        points, lines = incidence(self.q)
        own = points[points == lines].tolist()
        if self.clusters:
            self._copy_clusters(neighbours, own)
        elif self.quadrics:
            self._copy_quadrics(neighbours, own)
        pairs = [(u, v) for u, others in enumerate(neighbours) for v in others if u < v]
        tails, heads = np.asarray(sorted(pairs)).T
        return tails, heads

    def _copy_quadrics(self, neighbours: list[set[int]], own: list[int]) -> None:
        if self.q % 2 == 0:
            (centre,) = set.intersection(*(neighbours[w] for w in own))
            for w in own:
                _join(neighbours, self.points, w)
            assert len(neighbours[centre]) == self.q + 1
            return
        fresh = self.points
        for _ in range(self.quadrics):
            for w in own:
                for v in [w, *neighbours[w]]:
                    _join(neighbours, fresh, v)
                fresh += 1

    def _copy_clusters(self, neighbours: list[set[int]], own: list[int]) -> None:
        copies: dict[int, list[tuple[int, int]]] = {}  # of a router: copy, centre of its cluster
        parts = [[*sorted(neighbours[w]), w] for w in own[: self.clusters]]
        for number, part in enumerate(parts):
            first, centre = self.points + number * len(part), part[-1]
            copy = {v: first + i for i, v in enumerate(part)}
            for v in part:
                earlier = copies.setdefault(v, [])
                others = neighbours[v] - {u for u, _ in earlier}
                _join(neighbours, v, copy[v])
                for u, other in earlier:
                    _join(neighbours, copy[v], other)
                    _join(neighbours, u, centre)
                for u in others:
                    _join(neighbours, copy[v], copy.get(u, u))
                earlier.append((copy[v], copy[centre]))

    def facts(self) -> Facts:
        q, copies = self.q, self.quadrics
        inner = (self.points * (q + 1) - (q + 1)) // 2
        if self.clusters:
            inner += (q + 1) * (self.clusters * (q + 1) + math.comb(self.clusters, 2))
        elif q % 2:
            inner += (q + 1) * (copies * q + copies * (copies + 1) // 2)
        else:
            inner += copies * (q + 1)
        links = inner + self.ends
        diameter = None if self.clusters else self.hops(2)
        return Facts.duplex(links, diameter=diameter)

    @classmethod
    def shapes(cls, ports: int, routers: int) -> Iterator[ExpandedPolarFly]:
        """With copied quadrics (a PolarFly alone is `polarfly`)."""
        for q in range(3, ports, 2):
            if prime_power(q) is None:
                continue
            for copies in range(1, (ports - q) // 2):
                shape = cls(q, copies, 0, 0)
                if shape.routers <= routers:
                    yield shape


def _join(neighbours: list[set[int]], u: int, v: int) -> None:
    neighbours[u].add(v)
    neighbours[v].add(u)
