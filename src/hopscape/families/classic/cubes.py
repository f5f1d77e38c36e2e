"""Hypercube and cube-connected cycles."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from hopscape.core.addresses import Addresses, IntArray, MixedRadix
from hopscape.core.family import Facts, Family, Layout, Parameter, Symmetry
from hopscape.core.layout import Points, circle
from hopscape.core.network import Network
from hopscape.core.router import Router

__all__ = ["CubeConnectedCycles", "Hypercube"]


class Hypercube(Family):
    """Words of bits; port i flips bit i (bit 0 is the last of the address)."""

    name = "hypercube"
    summary = "binary hypercube of a dimension: 2^d nodes of degree d"
    parameters = (Parameter("d", "int", "dimension", low=0, high=4000),)
    example = "hypercube(4)"

    def __init__(self, d: int) -> None:
        self.d = d

    @property
    def order(self) -> int:
        return 1 << self.d

    @property
    def ports(self) -> int:
        return self.d

    @property
    def addresses(self) -> Addresses:
        return MixedRadix((2,) * self.d)

    def neighbours(self, nodes: IntArray) -> IntArray:
        flips = np.asarray([1 << i for i in range(self.d)], dtype=nodes.dtype)
        flipped: IntArray = nodes[:, None] ^ flips
        return flipped

    def facts(self) -> Facts:
        d = self.d
        return Facts(
            degree_min=d,
            degree_max=d,
            links=d << d >> 1,
            channels=d << d,
            connected=True,
            diameter=d,
            radius=d,
            mean_distance=Fraction(d << d >> 1, (1 << d) - 1) if d else None,
            girth=4 if d > 1 else None,
            node_connectivity=d,
            edge_connectivity=d,
            bisection=1 << (d - 1) if d else 0,
            vertex_transitive=True,
        )

    def symmetry(self) -> Symmetry:
        return Symmetry.of_transitive(self.order)

    def router(self, network: Network) -> Router:
        return HypercubeRouter(network, self.d)

    def layout(self) -> Layout:
        return Layout(_cube_places(self.d))


def _cube_places(d: int) -> Points:
    """Each further dimension moves a copy: right, up, aslant, then the same again, larger."""
    steps = [(1.0, 0.0), (0.0, 1.0), (0.42, 0.34)]
    places = np.zeros((1, 2))
    for i in range(d):
        grow = 2.35 ** (i // 3)
        step = np.asarray(steps[i % 3]) * grow
        places = np.concatenate([places, places + step])
    return places


class HypercubeRouter(Router):
    """Flips the lowest differing bit first."""

    name = "e-cube"

    def __init__(self, network: Network, d: int) -> None:
        super().__init__(network)
        self._d = d

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        word = at ^ to
        if word.dtype == object:
            return np.asarray([int(x).bit_count() for x in word], dtype=np.int64)
        return np.bitwise_count(word).astype(np.int64)

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        word = at ^ to
        if word.dtype == object:
            return np.asarray([(int(x) & -int(x)).bit_length() - 1 for x in word], dtype=np.int64)
        lowest = word & -word
        return np.where(word != 0, np.bitwise_count(lowest - 1).astype(np.int64), -1)

    def shortest_ports(self, at: IntArray, to: IntArray) -> IntArray:
        shifts = np.asarray(range(self._d), dtype=at.dtype)
        bits: IntArray = ((at ^ to)[:, None] >> shifts & 1).astype(bool)
        return bits


class CubeConnectedCycles(Family):
    """Each hypercube node becomes a cycle, one node of it per dimension.

    Address (word, position): ports 0 and 1 go up and down the cycle, port 2 flips bit `position` of
    the word.
    """

    name = "ccc"
    summary = "cube-connected cycles: every hypercube node a cycle of d nodes"
    parameters = (Parameter("d", "int", "dimension of the cube", low=1, high=4000),)
    example = "ccc(3)"

    def __init__(self, d: int) -> None:
        self.d = d

    @property
    def order(self) -> int:
        return self.d << self.d

    @property
    def ports(self) -> int:
        return 3

    @property
    def addresses(self) -> Addresses:
        return MixedRadix((1 << self.d, self.d))

    def neighbours(self, nodes: IntArray) -> IntArray:
        d = self.d
        word, position = nodes // d, nodes % d
        out = np.full((len(nodes), 3), -1, dtype=nodes.dtype)
        if d > 1:
            out[:, 0] = word * d + (position + 1) % d
        if d > 2:
            out[:, 1] = word * d + (position - 1) % d
        ones = np.full(len(nodes), 1, dtype=nodes.dtype)
        out[:, 2] = (word ^ (ones << position)) * d + position
        return out

    def facts(self) -> Facts:
        d = self.d
        degree = min(d, 3)
        small = {1: 1, 2: 4, 3: 6}
        diameter = small.get(d, 2 * d - 2 + d // 2)
        return Facts(
            degree_min=degree,
            degree_max=degree,
            links=self.order * degree // 2,
            channels=self.order * degree,
            connected=True,
            diameter=diameter,
            radius=diameter,
            girth=min(d, 8) if d > 2 else 8 if d == 2 else None,
            node_connectivity=degree,
            edge_connectivity=degree,
            vertex_transitive=True,
        )

    def symmetry(self) -> Symmetry:
        return Symmetry.of_transitive(self.order)

    def layout(self) -> Layout:
        words = _cube_places(self.d) * 2.0
        ring = circle(self.d, 0.38)
        return Layout((words[:, None, :] + ring[None, :, :]).reshape(-1, 2))
