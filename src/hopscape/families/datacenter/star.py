"""Star products of dense graphs: PolarStar and Bundlefly.

In the star product of G and H every node of G becomes a copy of H; a link x-y of G joins (x, i)
with (y, f(i)) for all i, f a one-to-one map of H (Bermond, Delorme and Farhi, 1982).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

import numpy as np

from hopscape.algebra.fields import galois_field, prime_power
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Facts, Parameter, integers
from hopscape.families.datacenter.fly import PolarFly, SlimFly, incidence
from hopscape.families.datacenter.routers import TERMINALS, RouterFamily

__all__ = ["Bundlefly", "PolarStar", "balanced_quad", "paley"]


def paley(order: int) -> tuple[IntArray, IntArray, IntArray]:
    """Ends of the links of a Paley graph, and the map x → g·x, g a primitive element.

    Two elements of the field are joined when their difference is a square; the map takes links to
    pairs that are none and the other way round.
    """
    field, every = galois_field(order), np.arange(order)
    squares = field.exp[np.arange(0, order - 1, 2)]
    tails = np.repeat(every, len(squares))
    heads = field.add(tails, np.tile(squares, order))
    keep = tails < heads
    return tails[keep], heads[keep], field.multiply(every, field.exp[1])


def balanced_quad(degree: int) -> tuple[IntArray, IntArray, IntArray]:
    """A regular graph of 2·degree + 2 nodes, and an involution f, with property R*.

    For any two nodes x and y: y = x, y = f(x), or one of the pairs x, y and f(x), f(y) is joined.
    The Inductive-Quads of the PolarStar paper have the same order, degree and property. Nodes 2i
    and 2i + 1 are swapped by f. Of each two such couples one is split, by an orientation of the
    complete graph in which every couple is split an even number of times: one of its nodes is
    joined to both of the other couple; which one, alternates.

    Args:
        degree: 0 or 3 modulo 4.
    """
    couples = degree + 1
    odd = couples if couples % 2 else couples - 1
    tails: list[int] = []
    heads: list[int] = []
    for couple in range(odd):
        others = [(couple + step) % odd for step in range(1, (odd + 1) // 2)]
        others += [odd] * (couples - odd)
        for turn, other in enumerate(others):
            tails += [2 * couple + turn % 2] * 2
            heads += [2 * other, 2 * other + 1]
    return np.asarray(tails, int), np.asarray(heads, int), np.arange(2 * couples) ^ 1


class _Star(RouterFamily):
    """What star products share: nodes by node of G, then by node of H."""

    inner_order: int
    inner_degree: int

    @abstractmethod
    def outer_links(self) -> tuple[IntArray, IntArray]:
        """Links of G."""

    @abstractmethod
    def inner(self) -> tuple[IntArray, IntArray, IntArray]:
        """Links of H, and the map f."""

    def loops(self) -> IntArray:
        """Nodes of G at which (x, i) and (x, f(i)) are joined."""
        return np.empty(0, dtype=np.int64)

    @property
    def balanced(self) -> int:
        """A third of the ports: routes have up to three hops."""
        return max(1, self.router_degree // 3)

    def router_links(self) -> tuple[IntArray, IntArray]:
        size = self.inner_order
        first, second = self.outer_links()
        low, high, f = self.inner()
        every = np.arange(size)
        base = (np.arange(self.routers // size) * size)[:, None]
        loops = self.loops()[:, None] * size
        pair = every[every < f]
        tails = [base + low, first[:, None] * size + every, loops + pair]
        heads = [base + high, second[:, None] * size + f, loops + f[pair]]
        return np.concatenate([t.ravel() for t in tails]), np.concatenate(
            [h.ravel() for h in heads]
        )


class PolarStar(_Star):
    """PolarFly of q with every router replaced by a graph of degree d: diameter 3.

    Lakhotia, Isham, Monroe, Besta, Hoefler and Petrini, "PolarStar: expanding the scalability
    horizon of diameter-3 networks", SPAA 2024. The graph is one with property R* and 2d + 2 nodes,
    d = 0 or 3 modulo 4 ("quad", the order and degree of their Inductive-Quad; the quadrics of the
    PolarFly join i and f(i)), or a Paley graph of 2d + 1 nodes ("paley"; the quadrics have a port
    less).
    """

    name = "polarstar"
    summary = "PolarStar: star product of PolarFly and a small graph, degree q + 1 + d, diameter 3"
    parameters = (
        *integers(q=("a prime power", 2, 1024), d=("degree of the small graph", 2, 4096)),
        TERMINALS,
        Parameter("supernode", "text", 'the small graph: "quad" or "paley"', default="quad"),
    )
    example = "polarstar(2, 3, p=0)"

    def __init__(self, q: int, d: int, p: int | None = None, supernode: str = "quad") -> None:
        if prime_power(q) is None:
            raise ArgumentError(f"q is {q}; it must be a prime power")
        if supernode not in ("quad", "paley"):
            raise ArgumentError(f"supernode is {supernode!r}; it must be quad or paley")
        if supernode == "quad" and d % 4 not in (0, 3):
            raise ArgumentError(f"d is {d}; for supernode quad it must be 0 or 3 modulo 4")
        if supernode == "paley" and (d % 2 or prime_power(2 * d + 1) is None):
            raise ArgumentError(
                f"d is {d}; for supernode paley it must be even, and 2d + 1 a prime power"
            )
        self.q, self.d, self.p, self.supernode = q, d, p, supernode
        self.quad = supernode == "quad"
        self.inner_order, self.inner_degree = 2 * d + 1 + self.quad, d

    @property
    def routers(self) -> int:
        return (self.q**2 + self.q + 1) * self.inner_order

    @property
    def router_degree(self) -> int:
        return self.q + 1 + self.d

    def outer_links(self) -> tuple[IntArray, IntArray]:
        return PolarFly(self.q, 0).router_links()

    def inner(self) -> tuple[IntArray, IntArray, IntArray]:
        return balanced_quad(self.d) if self.quad else paley(self.inner_order)

    def loops(self) -> IntArray:
        first, second = incidence(self.q)
        return first[first == second] if self.quad else first[:0]

    def facts(self) -> Facts:
        channels = self.routers * self.router_degree
        if not self.quad:
            channels -= (self.q + 1) * self.inner_order
        links = channels // 2 + self.ends
        return Facts.duplex(links, diameter=self.hops(3))

    @classmethod
    def shapes(cls, ports: int, routers: int) -> Iterator[PolarStar]:
        for q in range(2, ports - 2):
            if prime_power(q) is None:
                continue
            for d in range(2, ports - q):
                if d % 4 in (0, 3) and (q * q + q + 1) * (2 * d + 2) <= routers:
                    yield cls(q, d, 0)


class Bundlefly(_Star):
    """Slim Fly of q with every router replaced by a Paley graph of r nodes: diameter 3.

    Lei, Dong, Liao and Duato, "Bundlefly: a low-diameter topology for multicore fiber", ICS 2020:
    2q²r routers of degree (3q - δ)/2 + (r - 1)/2. The r links between two copies go in one fibre.
    """

    name = "bundlefly"
    summary = "Bundlefly: star product of Slim Fly and a Paley graph, 2q²r routers, diameter 3"
    parameters = (
        *integers(
            q=("a prime power 4w, 4w + 1 or 4w - 1", 3, 1024),
            r=("a prime power that is 1 modulo 4", 5, 4096),
        ),
        TERMINALS,
    )
    example = "bundlefly(3, 5, p=0)"

    def __init__(self, q: int, r: int, p: int | None = None) -> None:
        if prime_power(r) is None or r % 4 != 1:
            raise ArgumentError(f"r is {r}; it must be a prime power that is 1 modulo 4")
        self.q, self.r, self.p = q, r, p
        self.fly = SlimFly(q, 0)
        self.inner_order, self.inner_degree = r, (r - 1) // 2

    @property
    def routers(self) -> int:
        return 2 * self.q**2 * self.r

    @property
    def router_degree(self) -> int:
        return self.fly.degree + self.inner_degree

    def outer_links(self) -> tuple[IntArray, IntArray]:
        return self.fly.router_links()

    def inner(self) -> tuple[IntArray, IntArray, IntArray]:
        return paley(self.r)

    def facts(self) -> Facts:
        links = self.routers * self.router_degree // 2 + self.ends
        least = 1 if self.terminals else self.router_degree
        return Facts.duplex(links, least, self.ports, diameter=self.hops(3))

    @classmethod
    def shapes(cls, ports: int, routers: int) -> Iterator[Bundlefly]:
        for fly in SlimFly.shapes(ports, routers // 5):
            for r in range(5, 2 * (ports - fly.degree) + 2, 4):
                if prime_power(r) is not None and fly.routers * r <= routers:
                    yield cls(fly.q, r, 0)
