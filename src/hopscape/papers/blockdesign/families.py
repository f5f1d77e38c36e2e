"""Distributed switches: endpoints are the elements of a design, its blocks are crossbars.

What all machines of endpoints and crossbars share: detours and collectives.

Quasi-complete digraph of m² endpoints, and the switched multirings of p^r nodes behind it.

Expansion of any network by a design: more endpoints on copies of it, same ways between them.

N copies of a network with K terminals; the terminals of each copy are cut into J = K/m parts of m,
and part j of copy i serves the endpoints of block i in the j-th layer of N endpoints. Every two
endpoints then share σ copies (m copies, when they are the same element in different layers), and
inside a copy nothing has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.channels import PLAIN, ChannelClass, with_plain
from hopscape.core.distances import distance_rows, unreached
from hopscape.core.errors import ArgumentError
from hopscape.core.facts import circle
from hopscape.core.family import (
    Collective,
    Facts,
    Family,
    Layout,
    ListedFamily,
    Parameter,
    integers,
)
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.requirement import Requirement
from hopscape.core.router import FamilyRouter, Route, Router
from hopscape.core.verdict import Verdict
from hopscape.papers.blockdesign.covers import find_cover
from hopscape.papers.blockdesign.crossbars import Crossbars, SimplexCrossbars
from hopscape.papers.blockdesign.designs import (
    SymmetricDesign,
    check_parameters,
    existence,
    make_design,
)
from hopscape.papers.blockdesign.routing import SwitchRouter

__all__ = [
    "DesignExpansion",
    "DistributedSwitch",
    "PartialSwitch",
    "QuasicompleteDigraph",
    "SwitchFamily",
    "SwitchedMultiring",
    "TwoHops",
    "check_expansion",
    "wiring_table",
]


class TwoHops(Family):
    """Every two endpoints have a crossbar in common."""

    def detours(
        self, network: Network, dead_nodes: Sequence[int], dead_links: Sequence[tuple[int, int]]
    ) -> Callable[[int, int], Route | None]:
        from hopscape.core.detours import pair_detours

        return pair_detours(network, dead_nodes, dead_links)

    def collectives(self) -> tuple[Collective, ...]:
        from hopscape.papers.blockdesign.collectives import COLLECTIVES

        return COLLECTIVES


# differences a block has for each element: with less the search is long, with more ports are wasted
_SLACK = 1.6
# elements and ports up to which a cover is searched for while designing
_COVER_ORDER, _COVER_PORTS = 150, 24


class SwitchFamily(TwoHops, Crossbars):
    """Endpoints and crossbars with their routers and collectives."""

    def router(self, network: Network) -> Router:
        return SwitchRouter(network, self.n, self.wiring)


class DistributedSwitch(SwitchFamily):
    """RPK(N, m, σ): every two endpoints share exactly σ crossbars."""

    name = "distributed_switch"
    summary = "distributed full switch: N endpoints, N crossbars m × m, two hops by sigma routes"
    parameters = (
        *integers(
            n=("endpoints, and crossbars: m(m-1)/sigma + 1", 3),
            m=("ports of an endpoint and of a crossbar", 2),
        ),
        Parameter("sigma", "int", "crossbars that two endpoints share", low=1, default=1),
    )
    example = "distributed_switch(13, 4, 1)"

    def __init__(self, n: int, m: int, sigma: int = 1) -> None:
        check_parameters(n, m, sigma)
        require_memory(32 * n * m, f"the wiring of distributed_switch({n}, {m}, {sigma})")
        if not existence(n, m, sigma).built:
            make_design(n, m, sigma)  # says why not
        self.n, self.m, self.sigma = n, m, sigma

    @property
    def spec(self) -> str:
        return f"{self.name}({self.n}, {self.m}, {self.sigma})"

    @cached_property
    def design(self) -> SymmetricDesign:
        return make_design(self.n, self.m, self.sigma)

    def facts(self) -> Facts:
        from dataclasses import replace

        # two elements of two common blocks close a cycle of 4; with sigma = 1 the least is 6
        return replace(super().facts(), girth=6 if self.sigma == 1 else 4)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Designs that can be built, the fewest common crossbars first."""
        for m in range(2, requirement.ports + 1):
            for sigma in range(1, m):
                n, rest = divmod(m * (m - 1), sigma)
                if rest == 0 and requirement.fits(n + 1) and existence(n + 1, m, sigma).built:
                    yield f"{cls.name}({n + 1}, {m}, {sigma})"


class PartialSwitch(SwitchFamily):
    """RPK(N, m, 1/2): every two endpoints share one crossbar, some share more."""

    name = "partial_switch"
    summary = "distributed switch from a difference cover: every two endpoints share 1 or more"
    parameters = integers(
        n=("endpoints, and crossbars: at most m(m-1) + 1", 3, 400),
        m=("ports of an endpoint and of a crossbar", 2, 24),
    )
    example = "partial_switch(12, 4)"

    def __init__(self, n: int, m: int) -> None:
        if m >= n:
            raise ArgumentError(f"m is {m}; it must be smaller than N = {n}")
        cover = find_cover(n, m)
        if cover.elements is None:
            raise ArgumentError(f"partial_switch({n}, {m}) is not possible: {cover.reason}")
        self.n, self.m = n, m
        self.cover = cover

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """The nearest order with somewhat more ports than the least possible, which is quick."""
        for n in requirement.sizes()[:1]:
            m = 2
            while m * (m - 1) + 1 < _SLACK * n:
                m += 1
            if 3 <= n <= _COVER_ORDER and m <= min(requirement.ports, _COVER_PORTS) and m < n:
                yield f"{cls.name}({n}, {m})"

    @cached_property
    def design(self) -> SymmetricDesign:
        base = self.cover.difference_set()
        return SymmetricDesign(base.blocks(), base.how, base)


class QuasicompleteDigraph(TwoHops, SimplexCrossbars):
    """Simplex crossbars with their router and collectives."""

    def router(self, network: Network) -> Router:
        return DigraphRouter(network, self.m)


class DigraphRouter(Router):
    """Digits of the difference: units to the crossbar, multiples of m to the endpoint."""

    name = "self-routing"

    def __init__(self, network: Network, m: int) -> None:
        super().__init__(network)
        self._m, self._n = m, m * m

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        m, n = self._m, self._n
        delta = (to - at) % n
        up, over = at < n, to < n
        adjacent = np.where(up, delta < m, delta % m == 0)
        mixed = up != over
        return np.where(at == to, 0, np.where(mixed, np.where(adjacent, 1, 3), 2))

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        m, n = self._m, self._n
        delta = (to - at) % n
        up, over = at < n, to < n
        adjacent = np.where(up, delta < m, delta % m == 0)
        # an endpoint takes the units; a crossbar the multiples of m, to an endpoint of either kind
        port = np.where(up, delta % m, delta // m)
        port = np.where((up != over) & ~adjacent, 0, port)
        return np.where(at == to, -1, port)


def wiring_table(m: int) -> list[dict[str, int | list[int]]]:
    """Which endpoints each crossbar hears and which it speaks to, counted from 1 as in print.

    Row i, column j: from (i - j) mod N + 1, to (i - 1 + (j - 1) m) mod N + 1.

    Examples:
        >>> wiring_table(3)[3]
        {'switch': 4, 'from': [4, 3, 2], 'to': [4, 7, 1]}
    """
    high = QuasicompleteDigraph.parameters[0].high
    if not 2 <= m <= (high or m):
        raise ArgumentError(f"m is {m}; it must be from 2 to {high}")
    n = m * m
    require_memory(200 * n * m, f"the wiring table of {n} crossbars")
    columns = range(1, m + 1)
    return [
        {
            "switch": i,
            "from": [(i - j) % n + 1 for j in columns],
            "to": [(i - 1 + (j - 1) * m) % n + 1 for j in columns],
        }
        for i in range(1, n + 1)
    ]


class SwitchedMultiring(Family):
    """p^r nodes, rings of steps d·p^k: every node is r hops away, a hop per digit.

    Simplex: digits 1..p-1. Duplex, for odd p: digits ±1..±(p-1)/2.
    """

    name = "switched_multiring"
    summary = "full r-dimensional switched multiring: p^r nodes, steps d·p^k, diameter r"
    parameters = (
        *integers(p=("base of the digits", 2, 1024)),
        Parameter("r", "int", "number of digits", low=1, high=24, default=2),
        Parameter("duplex", "flag", "rings both ways, for odd p", default=False),
    )
    example = "switched_multiring(3, r=2)"
    transitive = True

    def __init__(self, p: int, r: int = 2, duplex: bool = False) -> None:
        if duplex and p % 2 == 0:
            reach = 2 * ((p - 1) // 2) + 1
            raise ArgumentError(
                f"p is {p}; duplex rings need an odd p (digits of ±{(p - 1) // 2} would reach"
                f" {reach**r} of {p**r} nodes)"
            )
        self.p, self.r, self.duplex = p, r, duplex
        self._digits = _signed(p) if duplex else list(range(1, p))

    @property
    def order(self) -> int:
        return int(self.p**self.r)

    @property
    def ports(self) -> int:
        return (self.p - 1) * self.r

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """The steps of the rings, lowest dimension first."""
        return tuple(d * self.p**k for k in range(self.r) for d in self._digits)

    def neighbours(self, nodes: IntArray) -> IntArray:
        columns = [(nodes + step) % self.order for step in self.steps]
        return np.stack(columns, axis=1)

    def facts(self) -> Facts:
        total = self.r * (self.p - 1) * self.p ** (self.r - 1)
        return Facts.regular(
            self.order,
            self.ports,
            duplex=self.duplex,
            connected=True,
            diameter=self.r,
            radius=self.r,
            mean_distance=Fraction(total, self.order - 1),
            vertex_transitive=True,
        )

    def router(self, network: Network) -> Router:
        return DigitRouter(network, self)

    def layout(self) -> Layout:
        return Layout(circle(self.order))


def _signed(p: int) -> list[int]:
    return [d for k in range(1, (p - 1) // 2 + 1) for d in (k, -k)]


class DigitRouter(FamilyRouter[SwitchedMultiring]):
    """One hop per digit of the difference that is not 0, the lowest first."""

    name = "digits"

    def _split(self, at: IntArray, to: IntArray) -> IntArray:
        """Digits of the difference, lowest first; in the duplex form from -(p-1)/2 to (p-1)/2."""
        family = self._family
        p, rest = family.p, (to - at) % family.order
        digits = np.empty((len(rest), family.r), dtype=np.int64)
        for k in range(family.r):
            digit = rest % p
            if family.duplex:
                digit = np.where(2 * digit > p, digit - p, digit)
            digits[:, k] = digit
            rest = (rest - digit) // p
        return digits

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        count: IntArray = np.count_nonzero(self._split(at, to), axis=1)
        return count

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        digits = self._split(at, to)
        moving = digits != 0
        k = moving.argmax(axis=1)
        digit = digits[np.arange(len(digits)), k]
        if self._family.duplex:
            port = 2 * (np.abs(digit) - 1) + (digit < 0)
        else:
            port = digit - 1
        return np.where(moving.any(axis=1), k * (self._family.p - 1) + port, -1)


class DesignExpansion(ListedFamily):
    """Endpoints 0..JN-1, then the N copies one after the other, all of them switches."""

    name = "design_expansion"
    summary = "N copies of a network, their terminals shared out among endpoints by a design"
    parameters = (
        Parameter("network", "network", "the network to expand; its endpoints are terminals"),
        *integers(
            n=("blocks of the design: copies", 3), m=("copies that an endpoint is wired to", 2)
        ),
        Parameter("sigma", "int", "copies that two endpoints share", low=1, default=1),
    )
    example = "design_expansion(ring(6), 7, 3)"
    leaf_endpoints = True

    def __init__(self, network: Network, n: int, m: int, sigma: int = 1) -> None:
        terminals = network.endpoint_count
        if terminals % m:
            raise ArgumentError(
                f"m is {m}; it must divide the {terminals} endpoints of {network.spec}"
            )
        check_parameters(n, m, sigma)
        require_memory(32 * n * m, f"the wiring of {self.name}({network.spec}, {n}, {m}, {sigma})")
        if not existence(n, m, sigma).built:
            make_design(n, m, sigma)  # says why not
        self.network, self.n, self.m, self.sigma = network, n, m, sigma
        self.layers = terminals // m
        self.duplex = network.duplex

    @property
    def served(self) -> int:
        """Number of endpoints."""
        return self.layers * self.n

    @property
    def order(self) -> int:
        return self.served + self.n * self.network.order

    def switches(self) -> range:
        return range(self.served, self.order)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Complete graphs expanded by projective planes: endpoints two hops from a common copy."""
        candidates: list[tuple[int, str]] = []
        for m in range(3, requirement.ports + 1):
            n = m * (m - 1) + 1
            layers = round(requirement.nodes / n)
            terminals = layers * m
            if layers < 1 or terminals > requirement.ports or not requirement.fits(layers * n):
                continue
            if existence(n, m, 1).built:
                gap = abs(layers * n - requirement.nodes)
                candidates.append((gap, f"{cls.name}(complete({terminals}), {n}, {m})"))
        yield from (spec for _, spec in sorted(candidates)[:2])

    @cached_property
    def design(self) -> SymmetricDesign:
        """Which element is in which block."""
        return make_design(self.n, self.m, self.sigma)

    @cached_property
    def _once(self) -> IntArray:
        """A channel of each link of a copy."""
        channels = np.arange(len(self.network.heads))
        return channels if not self.duplex else channels[channels < self.network.reverse]

    @cached_property
    def _wires(self) -> tuple[IntArray, IntArray]:
        base = self.network
        channels = self.n * (base.channels + 2 * base.endpoint_count)
        require_memory(40 * channels, f"the wiring of {self.spec}")
        terminals = base.endpoints.astype(np.int64)
        copy = np.arange(self.n)[:, None, None]
        layer = np.arange(self.layers)[None, :, None]
        place = np.arange(self.m)[None, None, :]
        ends = layer * self.n + self.design.blocks[:, None, :]
        inner = self.served + copy * base.order + terminals[layer * self.m + place]
        ends, inner = np.broadcast_arrays(ends, inner)
        offset = self.served + np.arange(self.n)[:, None] * base.order
        up, down = ends.ravel(), inner.ravel()
        lines = ((up,), (down,)) if base.duplex else ((up, down), (down, up))
        own = base.tails[self._once], base.heads[self._once]
        tails, heads = (
            np.concatenate([*line, (offset + side).ravel()])
            for line, side in zip(lines, own, strict=True)
        )
        return tails, heads

    def links(self) -> tuple[IntArray, IntArray]:
        return self._wires

    def channel_classes(self) -> tuple[ChannelClass, ...]:
        """Those of the network; lines of endpoints are plain."""
        return with_plain(self.network.classes)

    def link_kinds(self) -> IntArray | None:
        if not self.network.classes:
            return None
        copies = np.tile(self.network.class_of(self._once), self.n)
        lines = len(self._wires[0]) - len(copies)
        return np.concatenate([np.full(lines, self.channel_classes().index(PLAIN)), copies])


def check_expansion(network: Network, *, sources: int | None = None) -> Verdict:
    """Is what the expansion promises true, measured on the built network?

    Two endpoints are 2 hops farther apart than the nearest pair of their terminals in a shared copy
    (so never more than 2 beyond the diameter of the copy), share σ copies or, for one element in
    two layers, m, and every copy still has its own distances.

    Args:
        network: Built by ``design_expansion``.
        sources: Check from the first so many endpoints only.

    Examples:
        >>> import hopscape
        >>> print(check_expansion(hopscape.build("design_expansion(ring(6), 7, 3)")))
        holds: 196 pairs of endpoints: distances are those of the copies + 2, at most 5
    """
    family = network.family
    if not isinstance(family, DesignExpansion):
        raise ArgumentError(f"{network.spec} is not an expansion by a design")
    base = family.network
    ends = base.endpoints
    raw = distance_rows(base, ends)[:, ends]
    if unreached(raw).any():
        return Verdict(False, f"{base.spec} is not connected")
    inner = raw.astype(np.int64)
    count = family.served if sources is None else min(sources, family.served)
    rows = distance_rows(network, np.arange(count))[:, : family.served].astype(np.int64)
    place = {
        (int(e), i): q for i, block in enumerate(family.design.blocks) for q, e in enumerate(block)
    }
    blocks_of = family.design.blocks_of
    largest = 0
    for a in range(count):
        layer, element = divmod(a, family.n)
        expected = np.full(family.served, np.iinfo(np.int64).max)
        shared = np.zeros(family.served, dtype=np.int64)
        for i in blocks_of[element]:
            start = layer * family.m + place[element, int(i)]
            block = family.design.blocks[i]
            for other in range(family.layers):
                reached = other * family.n + block
                span = inner[start, other * family.m : (other + 1) * family.m] + 2
                expected[reached] = np.minimum(expected[reached], span)
                shared[reached] += 1
        expected[a] = 0
        wanted = np.where(np.arange(family.served) % family.n == element, family.m, family.sigma)
        for what, measured, true in (
            ("distance", rows[a], expected),
            ("number of shared copies", shared, wanted),
        ):
            if (measured != true).any():
                b = int(np.argmax(measured != true))
                text = f"the {what} of {a} and {b} is {measured[b]}, not {true[b]}"
                return Verdict(False, text, {"pair": [a, b]})
        largest = max(largest, int(rows[a].max()))
    text = (
        f"{count * family.served} pairs of endpoints: distances are those of the copies + 2,"
        f" at most {largest}"
    )
    return Verdict(True, text, details={"diameter": largest, "inside": int(inner.max())})
