"""Star products of dense graphs: PolarStar and Bundlefly.

In the star product of G and H every node of G becomes a copy of H; a link x-y of G joins (x, i)
with (y, f(i)) for all i, f a one-to-one map of H (Bermond, Delorme and Farhi, 1982).

Diameter-two networks of two levels: multi-layer full mesh and orthogonal fat tree.

Kathareios, Minkenberg, Prisacari, Rodriguez and Hoefler, "Cost-effective diameter-two topologies:
analysis and evaluation", SC 2015. Lower routers carry endpoints, any two of them share an upper
router, mostly exactly one.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator

import numpy as np

from hopscape.algebra.fields import galois_field, prime_power
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Facts, Layout, Parameter, integers
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement
from hopscape.core.router import Router
from hopscape.families.datacenter.fly import PolarFly, SlimFly, incidence, plane_points
from hopscape.families.datacenter.routers import TERMINALS, OwnedRouter, RouterFamily, tiers

__all__ = ["MLFM", "OFT", "Bundlefly", "PolarStar", "balanced_quad", "paley"]


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


_LISTED = 1 << 20  # upper routers whose columns are listed

_ENDS = Parameter(
    "p", "int", "endpoints per lower router; as many as its uplinks when left out", low=1,
    default=None,
)  # fmt: skip


class _TwoLevels(RouterFamily):
    """What both share: lower routers first, all with as many uplinks."""

    lower: int
    upper: int
    uplinks: int
    downlinks: int

    @property
    def routers(self) -> int:
        return self.lower + self.upper

    @property
    def carriers(self) -> int:
        return self.lower

    @property
    def balanced(self) -> int:
        return self.uplinks

    @property
    def router_degree(self) -> int:
        return max(self.uplinks, self.downlinks)

    @property
    def ports(self) -> int:
        return max(self.uplinks + self.terminals, self.downlinks)

    @abstractmethod
    def joined(self, lower: IntArray, upper: IntArray) -> IntArray:
        """Is a lower router linked to an upper one?"""

    @abstractmethod
    def between_uppers(self, at: IntArray, to: IntArray) -> IntArray:
        """Hops between different upper routers."""

    def facts(self) -> Facts:
        return Facts.duplex(self.lower * self.uplinks + self.ends, 1, self.ports, diameter=4)

    def router(self, network: Network) -> Router:
        return TwoLevelRouter(network, self)

    def layout(self) -> Layout:
        return tiers([self.ends, self.lower, self.upper])

    def concentrations(self, requirement: Requirement, degree: int) -> list[int]:
        """What fits and leaves enough uplinks."""
        room = range(1, requirement.ports - self.uplinks + 1)
        wanted = requirement.throughput
        enough = [p for p in room if wanted is None or wanted * p <= self.uplinks]
        return [p for p in enough if requirement.fits(self.lower * p)][-2:]


class TwoLevelRouter(OwnedRouter):
    """Up to the upper router that both ends share, and down."""

    name = "up and down"
    _family: _TwoLevels

    def router_distances(self, at: IntArray, to: IntArray) -> IntArray:
        family = self._family
        low_a, low_b = at < family.lower, to < family.lower
        lower = np.where(low_a, at, to)
        upper = np.where(low_a, to, at) - family.lower
        mixed = low_a != low_b
        out = np.full(len(at), 2)
        some = np.flatnonzero(mixed)
        out[some] = np.where(family.joined(lower[some], upper[some]), 1, 3)
        some = np.flatnonzero(~low_a & ~low_b)
        out[some] = family.between_uppers(at[some] - family.lower, to[some] - family.lower)
        return out


class MLFM(_TwoLevels):
    """h + 1 columns of lower routers in so many layers; an upper router for each two columns.

    Lower router (layer, column) is linked to the upper routers of its column, so that every layer
    is a full mesh whose links are upper routers that all layers share. With h layers and p = h all
    routers have 2h ports: h³ + h² endpoints, 3h(h + 1)/2 routers.
    """

    name = "mlfm"
    summary = "multi-layer full mesh: h³ + h² endpoints on 3h(h + 1)/2 routers of 2h ports"
    parameters = (
        *integers(h="uplinks of a lower router"),
        _ENDS,
        Parameter("layers", "int", "layers; h when left out", low=1, default=None),
    )
    example = "mlfm(2)"

    def __init__(self, h: int, p: int | None = None, layers: int | None = None) -> None:
        self.h, self.p, self.layers = h, p, layers
        self.depth = h if layers is None else layers
        self.lower, self.upper = self.depth * (h + 1), h * (h + 1) // 2
        self.uplinks, self.downlinks = h, 2 * self.depth

    def _columns(self, upper: IntArray) -> tuple[IntArray, IntArray]:
        """The two columns of upper routers, the lower one first."""
        if self.upper > _LISTED:
            after = self.upper - 1 - upper  # counted from the last, columns are triangular numbers
            steps = [(math.isqrt(8 * int(n) + 1) - 1) // 2 for n in after]
            row = np.array(steps, dtype=upper.dtype)
            return self.h - 1 - row, self.h - (after - row * (row + 1) // 2)
        first, second = np.triu_indices(self.h + 1, 1)
        return first[upper], second[upper]

    def router_links(self) -> tuple[IntArray, IntArray]:
        first, second = np.triu_indices(self.h + 1, 1)
        upper = np.arange(len(first))
        rows = (np.arange(self.depth) * (self.h + 1))[:, None]
        tails = np.concatenate([(rows + first).ravel(), (rows + second).ravel()])
        heads = np.tile(self.lower + upper, 2 * self.depth)
        return tails, heads

    def joined(self, lower: IntArray, upper: IntArray) -> IntArray:
        first, second = self._columns(upper)
        column = lower % (self.h + 1)
        adjacent: IntArray = (column == first) | (column == second)
        return adjacent

    def between_uppers(self, at: IntArray, to: IntArray) -> IntArray:
        (a, b), (c, d) = self._columns(at), self._columns(to)
        return np.where((a == c) | (a == d) | (b == c) | (b == d), 2, 4)

    @classmethod
    def candidates(cls, requirement: Requirement) -> Iterator[MLFM]:
        """Half of the ports up and as many layers as the size asks for."""
        half = requirement.ports // 2
        for h in range(max(1, half // 2), half + 1):
            for size in requirement.sizes(h * (h + 1)):
                if 1 <= size // (h * (h + 1)) <= half:
                    yield cls(h, 1, size // (h * (h + 1)))


class OFT(_TwoLevels):
    """Two copies of the points of a projective plane as lower routers, its lines as upper ones.

    The two-level orthogonal fat tree (Valerio, Moser and Melliar-Smith, 1994): k = q + 1, q a prime
    power; 2k³ - 2k² + 2k endpoints, 3(k² - k + 1) routers of 2k ports.
    """

    name = "oft"
    summary = "orthogonal fat tree: 2k³ - 2k² + 2k endpoints on 3(k² - k + 1) routers of 2k ports"
    parameters = (*integers(k=("uplinks of a lower router; a prime power plus 1", 3, 1025)), _ENDS)
    example = "oft(3, p=1)"

    def __init__(self, k: int, p: int | None = None) -> None:
        if prime_power(k - 1) is None:
            raise ArgumentError(f"k is {k}; it must be a prime power plus 1")
        self.k, self.p = k, p
        self.upper = k * k - k + 1
        self.lower = 2 * self.upper
        self.uplinks, self.downlinks = k, 2 * k

    def router_links(self) -> tuple[IntArray, IntArray]:
        points, lines = incidence(self.k - 1)
        tails = np.concatenate([points, points + self.upper])
        return tails, np.tile(lines + self.lower, 2)

    def joined(self, lower: IntArray, upper: IntArray) -> IntArray:
        field, points = galois_field(self.k - 1), plane_points(self.k - 1)
        a, b = points[lower % self.upper], points[upper]
        total = field.multiply(a[:, 0], b[:, 0])
        for i in (1, 2):
            total = field.add(total, field.multiply(a[:, i], b[:, i]))
        zero: IntArray = total == 0
        return zero

    def between_uppers(self, at: IntArray, to: IntArray) -> IntArray:
        return np.full(len(at), 2)

    @classmethod
    def candidates(cls, requirement: Requirement) -> Iterator[OFT]:
        for k in range(3, min(requirement.ports // 2, 1025) + 1):
            if prime_power(k - 1) is not None and 2 * (k * k - k + 1) <= requirement.high:
                yield cls(k, 1)
