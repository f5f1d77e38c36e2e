"""Cartesian products of any networks, with their routers and facts.

Families whose members are products (``product``, ``folded``) derive from :class:`ProductFamily`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial, reduce
from itertools import product

import numpy as np

from hopscape.core.addresses import Addresses, MixedRadix, node_dtype
from hopscape.core.arrays import Floats, IntArray
from hopscape.core.channels import PLAIN, ChannelClass
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.facts import Points, closest
from hopscape.core.family import Facts, Family, Layout, Symmetry
from hopscape.core.formula import Value, choose, constant, digits, equal
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.router import Router

__all__ = ["ProductFamily", "ProductRouter", "least_cut", "nested_places"]

_MOST_MOVES = 1 << 24  # entries of the table: 128 MiB; without it one plan for every node is made


class ProductFamily(Family):
    """A node is a tuple of nodes, a link changes one entry along a link.

    Args:
        factors: At least one.
    """

    def __init__(self, factors: Sequence[Network]) -> None:
        for factor in factors:
            if factor.has_switches:
                raise ArgumentError(f"{factor.spec} has switches; products are of direct networks")
        self.factors = tuple(factors)
        self.duplex = all(factor.duplex for factor in factors)
        if not self.duplex and any(f.duplex and (f.order > 1 or f.channels) for f in factors):
            raise ArgumentError(f"{self.name} needs factors that are all duplex or all simplex")
        self._box = MixedRadix([factor.order for factor in factors])

    @property
    def order(self) -> int:
        return self._box.order

    @property
    def ports(self) -> int:
        return sum(factor.ports for factor in self.factors)

    @property
    def addresses(self) -> Addresses:
        """One entry per factor: the node number there."""
        return self._box

    def neighbours(self, nodes: IntArray) -> IntArray:
        digits = self._box.tuples(nodes)
        out = np.full((len(nodes), self.ports), -1, dtype=nodes.dtype)
        stride, first = self.order, 0
        for i, factor in enumerate(self.factors):
            stride //= factor.order
            here = digits[:, i].astype(node_dtype(factor.order))
            rows = factor.rows(here).astype(nodes.dtype)
            moved = nodes[:, None] + (rows - digits[:, i][:, None]) * stride
            out[:, first : first + factor.ports] = np.where(rows >= 0, moved, -1)
            first += factor.ports
        return out

    def channel_classes(self) -> tuple[ChannelClass, ...]:
        """The kinds of the factors, each axis its own; none where all channels are alike."""
        if not any(factor.classes for factor in self.factors):
            return ()
        return tuple(
            replace(kind, name=f"axis{i}-{kind.name}")
            for i, factor in enumerate(self.factors)
            for kind in factor.classes or (PLAIN,)
        )

    def classes_at(self, nodes: IntArray) -> IntArray:
        digits, first, columns = self._box.tuples(nodes), 0, []
        for i, factor in enumerate(self.factors):
            kinds = factor.classes_at(digits[:, i].astype(node_dtype(factor.order)))
            columns.append(np.where(kinds >= 0, kinds + first, -1))
            first += len(factor.classes) or 1
        return np.concatenate(columns, axis=1)

    def facts(self) -> Facts:
        parts = [(factor.order, factor.facts) for factor in self.factors]
        combined = reduce(_combine, parts[1:], parts[0])[1]
        transitive = combined.vertex_transitive
        if (
            None not in (combined.degree_min, combined.degree_max)
            and combined.degree_min != combined.degree_max
        ):
            transitive = False
        return replace(combined, girth=_girth(parts, self.duplex), vertex_transitive=transitive)

    def symmetry(self) -> Symmetry | None:
        """Orbits of the product of the groups; unknown as soon as one factor's are."""
        known = [factor.symmetry for factor in self.factors]
        nodes, sizes = [0], [1]
        for factor, part in zip(self.factors, known, strict=True):
            if part is None or len(nodes) * len(part.sizes) > 100_000:
                return None
            nodes = [n * factor.order + r for n in nodes for r in part.representatives]
            sizes = [s * t for s in sizes for t in part.sizes]
        return Symmetry(tuple(nodes), tuple(sizes))

    def rotations(self) -> IntArray | None:
        """Those of the factors, each for itself."""
        if self.order > _MOST_MOVES:
            return None
        known = [f.family.rotations() if f.family is not None else None for f in self.factors]
        rows = [
            np.arange(f.order)[None, :] if r is None else r for f, r in zip(self.factors, known)
        ]
        count = math.prod(len(r) for r in rows)
        if count == 1 or count * self.order > _MOST_MOVES:
            return None
        out = np.zeros((1, 1), dtype=np.int64)
        for factor, moves in zip(self.factors, rows, strict=True):
            grown = out[:, None, :, None] * factor.order + moves[None, :, None, :]
            out = grown.reshape(len(out) * len(moves), -1)
        return out

    def router(self, network: Network) -> Router:
        return ProductRouter(network, self.factors)

    def named_routers(self) -> Mapping[str, Callable[[Network], Router]]:
        """Those that all factors have, one factor after the other."""
        owned = [
            tuple(f.family.named_routers()) if f.family is not None else ()
            for f in self.factors
            if f.order > 1
        ]
        shared = (
            [name for name in owned[0] if all(name in names for names in owned)] if owned else []
        )
        return {name: partial(ProductRouter, factors=self.factors, kind=name) for name in shared}

    def layout(self) -> Layout | None:
        """The first factor's drawing, with a small one of the others at each place."""
        layouts = [f.family.layout() if f.family is not None else None for f in self.factors]
        known = [layout for layout in layouts if layout is not None]
        if len(known) < len(layouts):
            return None
        digits = self._box.tuples(np.arange(self.order)).astype(np.int64)
        positions = nested_places(digits, [layout.positions for layout in known])

        def bend(tails: IntArray, heads: IntArray) -> Points:
            out = np.zeros(len(tails))
            for i, layout in enumerate(known):
                here, there = digits[tails, i], digits[heads, i]
                moved = here != there
                if layout.curved is not None:
                    out[moved] = layout.curved(here[moved], there[moved])
            return out

        return Layout(positions, bend)


def nested_places(digits: IntArray, drawings: Sequence[Points]) -> Points:
    """Places of nodes by their digits: a drawing for each digit, the first one the largest.

    Args:
        digits (ndarray, shape (order, count)): Which place of each drawing a node takes.
        drawings: `count` drawings.
    """
    scale = 1.0
    positions = np.zeros((len(digits), 2))
    for i, drawing in enumerate(drawings):
        places = _copy_places(drawing, i)
        positions += scale * places[digits[:, i]]
        scale *= 0.32 * closest(places)
    return positions


def _copy_places(positions: Points, depth: int) -> Points:
    """A factor's drawing with reach 1; inner ones are turned, so that links pass beside nodes."""
    centred = positions - (positions.max(axis=0) + positions.min(axis=0)) / 2
    reach = float(np.hypot(*centred.T).max())
    flat = float(np.ptp(centred, axis=0).min()) < 1e-9
    angle = depth * (np.pi / 2 if flat else 0.3)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    turned: Points = centred @ turn / (reach or 1.0)
    return turned


def _combine(a: tuple[int, Facts], b: tuple[int, Facts]) -> tuple[int, Facts]:
    """Facts of a product from those of two factors, each with its order."""
    (m, f), (n, g) = a, b
    order = m * n

    def add(x: int | None, y: int | None) -> int | None:
        return None if x is None or y is None else x + y

    def spread(x: int | None, y: int | None) -> int | None:
        return None if x is None or y is None else x * n + y * m

    degree = add(f.degree_min, g.degree_min)
    connected = None
    if f.connected is not None and g.connected is not None:
        connected = f.connected and g.connected
    return order, Facts(
        degree_min=degree,
        degree_max=add(f.degree_max, g.degree_max),
        links=spread(f.links, g.links),
        channels=spread(f.channels, g.channels),
        connected=connected,
        diameter=add(f.diameter, g.diameter),
        radius=add(f.radius, g.radius),
        mean_distance=_mean(m, f, n, g),
        node_connectivity=least_cut(m, f.node_connectivity, n, g.node_connectivity, degree),
        edge_connectivity=least_cut(m, f.edge_connectivity, n, g.edge_connectivity, degree),
        vertex_transitive=True if f.vertex_transitive and g.vertex_transitive else None,
    )


def _girth(parts: Sequence[tuple[int, Facts]], duplex: bool) -> int | None:
    """The least of the factors' girths, and 4 where two of them have duplex links.

    None where that of a factor is not known; a factor that is a tree has no cycle.
    """
    cycles, linked = [], 0
    for order, facts in parts:
        if facts.links == 0:
            continue
        tree = duplex and facts.connected and facts.links == order - 1
        if facts.girth is None and not tree:
            return None
        cycles += [facts.girth] if facts.girth is not None else []
        linked += 1
    if duplex and linked > 1:
        cycles.append(4)
    return min(cycles, default=None)


def _mean(m: int, f: Facts, n: int, g: Facts) -> Fraction | None:
    """Distances add, so sums over all ordered pairs scale by the square of the other order."""
    first = Fraction(0) if m == 1 else f.mean_distance
    second = Fraction(0) if n == 1 else g.mean_distance
    if first is None or second is None or m * n == 1:
        return None
    total = first * m * (m - 1) * n * n + second * n * (n - 1) * m * m
    return Fraction(total, m * n * (m * n - 1))


def least_cut(m: int, x: int | None, n: int, y: int | None, degree: int | None) -> int | None:
    """Connectivity of a product of m by n nodes: the least of its degree, x·n and y·m.

    The theorems of Xu and Yang (2006, links) and Špacapan (2008, nodes); None where a part is not
    known.
    """
    if m == 1:
        return y
    if n == 1:
        return x
    if x is None or y is None or degree is None:
        return None
    return min(degree, x * n, y * m)


class ProductRouter(Router):
    """Corrects one entry after the other, each by its own factor's router."""

    name = "product"

    def __init__(self, network: Network, factors: Sequence[Network], kind: str = "auto") -> None:
        super().__init__(network)
        self._box = MixedRadix([factor.order for factor in factors])
        kinds = {id(f): f.router(kind if f.order > 1 else "auto") for f in factors}
        self._routers = [kinds[id(factor)] for factor in factors]
        if kind != "auto":
            self.name = kind
        self.chained = all(router.chained for router in self._routers)
        self.exact = all(router.exact for router in self._routers)
        self.table_bytes = sum(router.table_bytes for router in self._routers)
        self._first_port = np.cumsum([0] + [factor.ports for factor in factors])
        strides = [math.prod(self._box.sides[i + 1 :]) for i in range(len(factors))]
        self._legs = list(zip(self._routers, strides, self._first_port.tolist(), strict=False))

    def _entries(self, nodes: IntArray) -> list[IntArray]:
        digits = self._box.tuples(nodes)
        return [
            digits[:, i].astype(node_dtype(router.network.order))
            for i, router in enumerate(self._routers)
        ]

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        here, there = self._entries(at), self._entries(to)
        parts = [r.distances(a, b) for r, a, b in zip(self._routers, here, there, strict=True)]
        total = sum(parts[1:], parts[0])
        lost = np.logical_or.reduce([part < 0 for part in parts])
        return np.where(lost, -1, total)

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        out = np.full(len(at), -1, dtype=np.int64)
        open_ = np.ones(len(at), dtype=bool)
        here, there = self._entries(at), self._entries(to)
        for i, router in enumerate(self._routers):
            moving = open_ & (here[i] != there[i]).astype(bool)
            port = router.next_ports(here[i][moving], there[i][moving])
            out[moving] = np.where(port >= 0, port + self._first_port[i], -1)
            open_ &= ~moving
        if any(not router.network.facts.connected for router in self._routers):
            out[self.distances(at, to) < 0] = -1
        return out

    def formula(self, at: Value, to: Value) -> Value:
        zero = np.zeros(1, dtype=np.int64)
        for router in self._routers:
            whole = router.network.facts.connected
            if (
                not whole
                and (
                    router.distances(
                        zero.repeat(router.network.order), np.arange(router.network.order)
                    )
                    < 0
                ).any()
            ):
                return super().formula(at, to)
        here, there = digits(at, self._box.sides), digits(to, self._box.sides)
        port = constant(-1)
        for i in range(len(here) - 1, -1, -1):
            a = here[i].named(f"here{i}", f"entry {i} of both addresses")
            b = there[i].named(f"there{i}")
            if self._box.sides[i] == 1:
                continue
            own = self._routers[i].formula(a, b) + int(self._first_port[i])
            port = choose(equal(a, b), port, own).named(f"port{i}")
        return port

    def trace(self, at: int, to: int) -> tuple[list[int], list[int]]:
        nodes, ports = [at], []
        for (router, stride, first), size in zip(self._legs, self._box.sides, strict=True):
            here, there = at // stride % size, to // stride % size
            if here != there:
                try:
                    path, taken = router.leg(here, there)
                except DisconnectedError:
                    raise self._lost(at, to, -1) from None
                corner = nodes[-1] - here * stride
                nodes += [corner + v * stride for v in path[1:]]
                ports += [first + p for p in taken]
        return nodes, ports

    def walk(self, at: IntArray, to: IntArray) -> tuple[IntArray, IntArray]:
        if self.chained:
            return super().walk(at, to)
        here, there = self._entries(at), self._entries(to)
        return self._joined(
            at, [r.walk(a, b)[1] for r, a, b in zip(self._routers, here, there, strict=True)]
        )

    def multipath(self, at: IntArray, to: IntArray) -> Iterator[tuple[Floats, IntArray, IntArray]]:
        """One route of each factor after the other, in all combinations."""
        here, there = self._entries(at), self._entries(to)
        legs = [list(r.multipath(a, b)) for r, a, b in zip(self._routers, here, there, strict=True)]
        for chosen in product(*legs):
            shares = np.prod([share for share, _, _ in chosen], axis=0)
            if shares.any():
                yield shares, *self._joined(at, [ports for _, _, ports in chosen])

    def _joined(self, at: IntArray, legs: Sequence[IntArray]) -> tuple[IntArray, IntArray]:
        """The nodes and ports of routes from the ports of their legs, factor by factor."""
        many = len(at)
        every = [leg + np.where(leg >= 0, self._first_port[i], 0) for i, leg in enumerate(legs)]
        ports = np.concatenate(every, axis=1)
        ports = np.take_along_axis(ports, np.argsort(ports < 0, axis=1, kind="stable"), axis=1)
        longest = int((ports >= 0).sum(axis=1).max(initial=0))
        ports = ports[:, :longest]
        require_memory(16 * many * (longest + 1), f"{many} routes of up to {longest} hops")
        nodes = np.full((many, longest + 1), -1, dtype=at.dtype)
        nodes[:, 0] = at
        for hop in range(longest):
            going = np.nonzero(ports[:, hop] >= 0)[0]
            rows = self.network.rows(nodes[going, hop])
            nodes[going, hop + 1] = rows[np.arange(len(going)), ports[going, hop]]
        return nodes, ports

    def rings(self) -> IntArray | None:
        """The rings of the factors, one in every line."""
        known = [router.rings() for router in self._routers]
        channels = np.arange(len(self.network.heads))
        tails, ports = self.network.tails.astype(np.int64), self.network.port_of(channels)
        digits = self._entries(tails)
        out = np.full(len(channels), -1, dtype=np.int64)
        stride, offset = self.network.order, 0
        for i, (router, own) in enumerate(zip(self._routers, known, strict=True)):
            stride //= router.network.order
            mine = (ports >= self._first_port[i]) & (ports < self._first_port[i + 1])
            if own is None:
                if mine.any():
                    return None
                continue
            inner = router.network.channel_at(digits[i][mine], ports[mine] - self._first_port[i])
            line = tails[mine] - digits[i][mine] * stride
            count = int(own.max(initial=0)) + 1
            out[mine] = np.where(own[inner] < 0, -1, offset + line * count + own[inner])
            offset += self.network.order * count
        return out

    def shortest_ports(self, at: IntArray, to: IntArray) -> IntArray:
        here, there = self._entries(at), self._entries(to)
        masks = [r.shortest_ports(a, b) for r, a, b in zip(self._routers, here, there, strict=True)]
        joined = np.concatenate(masks, axis=1)
        joined[self.distances(at, to) < 0] = False
        return joined
