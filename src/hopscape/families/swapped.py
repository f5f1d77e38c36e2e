"""Swapped networks: copies of a network, one for each of its nodes, joined by exchanging addresses.

Also OTIS networks and, of the star graph, the star of stars: C.-H. Yeh and B. Parhami, "Swapped
networks: unifying the architectures and algorithms of a wide class of hierarchical parallel
processors", ICPADS 1996; K. Day and A.-E. Al-Ayyoub, "Topological properties of OTIS-networks",
IEEE TPDS 13, 2002.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from hopscape.core.addresses import Addresses, MixedRadix, node_dtype
from hopscape.core.arrays import IntArray
from hopscape.core.channels import PLAIN, ChannelClass, with_plain
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Facts, Family, Layout, Parameter, Symmetry
from hopscape.core.network import Network
from hopscape.core.product import nested_places
from hopscape.core.requirement import Requirement
from hopscape.core.router import FamilyRouter, Router

__all__ = ["Swapped"]

_MOST_ORBITS = 100_000


class Swapped(Family):
    """Node (copy, place): the links of the base inside a copy, and one to (place, copy).

    Ports: those of the base, then the link to the other copy, which (v, v) has not.
    """

    name = "swapped"
    summary = "swapped (OTIS) network: a copy of a network for each of its nodes; star of stars"
    parameters = (Parameter("base", "network", "the network that is copied"),)
    example = "swapped(petersen)"

    def __init__(self, base: Network) -> None:
        if base.has_switches:
            raise ArgumentError(f"{base.spec} has switches; swapped networks are direct")
        if not base.duplex:
            raise ArgumentError(f"swapped needs a base of duplex links, not {base.spec}")
        self.base = base
        self._box = MixedRadix([base.order, base.order])

    @property
    def order(self) -> int:
        return self._box.order

    @property
    def ports(self) -> int:
        return self.base.ports + 1

    @property
    def addresses(self) -> Addresses:
        """The copy, and the place in it: node numbers of the base."""
        return self._box

    def split(self, nodes: IntArray) -> tuple[IntArray, IntArray]:
        """The copy and the place of each node, as the base numbers its nodes."""
        digits = self._box.tuples(nodes).astype(node_dtype(self.base.order))
        return digits[:, 0], digits[:, 1]

    def neighbours(self, nodes: IntArray) -> IntArray:
        copy, place = self.split(nodes)
        rows = self.base.rows(place).astype(nodes.dtype)
        out = np.full((len(nodes), self.ports), -1, dtype=nodes.dtype)
        first = copy.astype(nodes.dtype) * self.base.order
        out[:, :-1] = np.where(rows >= 0, first[:, None] + rows, -1)
        other = place.astype(nodes.dtype) * self.base.order + copy.astype(nodes.dtype)
        out[:, -1] = np.where(copy != place, other, -1)
        return out

    def channel_classes(self) -> tuple[ChannelClass, ...]:
        """Those of the base; links between copies are plain."""
        return with_plain(self.base.classes)

    def classes_at(self, nodes: IntArray) -> IntArray:
        copy, place = self.split(nodes)
        inner = self.base.classes_at(place)
        plain = with_plain(self.base.classes).index(PLAIN)
        return np.concatenate([inner, np.where(copy != place, plain, -1)[:, None]], axis=1)

    def facts(self) -> Facts:
        """No cycle over links between copies is shorter than 7 hops, but where a triangle is."""
        n, base = self.base.order, self.base.facts
        if n == 1:
            return base
        links, girth = base.links, base.girth
        if girth is None and base.connected and links == n - 1:
            girth = 7 if n > 2 else None  # a tree; of two nodes a path of four is made
        elif girth is not None and n > 2:
            girth = min(girth, 7) if base.connected else None
        return Facts(
            degree_min=base.degree_min,
            degree_max=None if base.degree_max is None else base.degree_max + 1,
            links=None if links is None else n * links + n * (n - 1) // 2,
            channels=None if base.channels is None else n * base.channels + n * (n - 1),
            connected=base.connected,
            diameter=None if base.diameter is None else 2 * base.diameter + 1,
            girth=girth,
        )

    def symmetry(self) -> Symmetry | None:
        """Maps of the base move copies and places at once."""
        known = self.base.symmetry
        n = self.base.order
        if known is None or n * len(known.sizes) > _MOST_ORBITS:
            return None
        copies = zip(known.representatives, known.sizes, strict=True)
        pairs = [(copy * n + place, size) for copy, size in copies for place in range(n)]
        return Symmetry(tuple(node for node, _ in pairs), tuple(size for _, size in pairs))

    def router(self, network: Network) -> Router | None:
        inner = self.base.router()
        whole = inner.exact and inner.chained and self.base.facts.connected
        return SwappedRouter(network, self) if whole else None

    def layout(self) -> Layout | None:
        layout = self.base.family.layout() if self.base.family is not None else None
        if layout is None:
            return None
        digits = self._box.tuples(np.arange(self.order)).astype(np.int64)
        return Layout(nested_places(digits, [layout.positions, layout.positions]))

    @classmethod
    def members(cls, requirement: Requirement) -> Iterable[str]:
        """None: not offered by the designer."""
        return ()


class SwappedRouter(FamilyRouter[Swapped]):
    """One hop to another copy, or two; or none inside a copy. The routes inside are the base's.

    From (g, p) to (h, q) with one hop p goes to h and g to q; with two p goes to q and g to h. Two
    are shorter only where neither stops: then p is neither g nor h, and the hop comes first.
    """

    name = "one swap or two"

    @cached_property
    def _inner(self) -> Router:
        return self._family.base.router()

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        (g, p), (h, q) = self._family.split(at), self._family.split(to)
        once, twice = self._swaps(g, p, h, q)
        return np.where(g == h, self._inner.distances(p, q), np.minimum(once, twice))

    def _swaps(
        self, g: IntArray, p: IntArray, h: IntArray, q: IntArray
    ) -> tuple[IntArray, IntArray]:
        """Hops with one swap and with two."""
        far = self._inner.distances
        return far(p, h) + far(g, q) + 1, far(p, q) + far(g, h) + 2

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        (g, p), (h, q) = self._family.split(at), self._family.split(to)
        once, twice = self._swaps(g, p, h, q)
        inside = (g == h).astype(bool)
        port = self._inner.next_ports(p, np.where(inside, q, h))
        swap = ~inside & ((p == h) | (twice < once)).astype(bool)
        return np.where(swap, self._family.base.ports, port)
