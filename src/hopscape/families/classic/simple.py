"""Complete graphs and random regular graphs."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Facts, Family, Layout, ListedFamily, Parameter, Symmetry
from hopscape.core.layout import circle
from hopscape.core.memory import require_memory
from hopscape.core.network import Network
from hopscape.core.progress import track
from hopscape.core.router import Router
from hopscape.core.wish import Wish

__all__ = ["Complete", "RandomRegular"]

_SEEDS = range(4)
_SMALL = 2000
_TRANSLATED = 4096


class Complete(Family):
    """Everybody wired to everybody; port p of node v leads to v + 1 + p."""

    name = "complete"
    summary = "complete graph: every node wired to every other"
    parameters = (Parameter("n", "int", "number of nodes", low=1),)
    example = "complete(6)"

    def __init__(self, n: int) -> None:
        self.n = n

    @property
    def order(self) -> int:
        return self.n

    @property
    def ports(self) -> int:
        return self.n - 1

    def neighbours(self, nodes: IntArray) -> IntArray:
        require_memory(8 * len(nodes) * self.ports, f"the neighbours of {len(nodes)} nodes")
        return (nodes[:, None] + 1 + np.arange(self.ports, dtype=nodes.dtype)) % self.n

    def facts(self) -> Facts:
        n = self.n
        return Facts(
            degree_min=n - 1,
            degree_max=n - 1,
            links=n * (n - 1) // 2,
            channels=n * (n - 1),
            connected=True,
            diameter=min(n - 1, 1),
            radius=min(n - 1, 1),
            mean_distance=Fraction(1) if n > 1 else None,
            girth=3 if n > 2 else None,
            node_connectivity=n - 1,
            edge_connectivity=n - 1,
            bisection=(n // 2) * ((n + 1) // 2),
            vertex_transitive=True,
        )

    def symmetry(self) -> Symmetry:
        return Symmetry.of_transitive(self.n)

    def translations(self) -> IntArray | None:
        if self.n > _TRANSLATED:
            return None
        nodes = np.arange(self.n, dtype=np.int64)
        return (nodes[:, None] + nodes[None, :]) % self.n

    def router(self, network: Network) -> Router:
        return CompleteRouter(network)

    def layout(self) -> Layout:
        return Layout(circle(self.n))

    @classmethod
    def members(cls, wish: Wish) -> Iterator[str]:
        yield from (cls(n).spec for n in wish.sizes()[:1] if n - 1 <= wish.ports)


class CompleteRouter(Router):
    """One hop to anybody."""

    name = "direct"

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        return (at != to).astype(np.int64)

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        port = (to - at - 1) % self.network.order
        return np.where((at != to).astype(bool), port, -1)


class RandomRegular(ListedFamily):
    """A random simple graph in which all nodes have the same degree, by seed."""

    name = "random_regular"
    summary = "random simple graph with all degrees equal, by seed"
    parameters = (
        Parameter("n", "int", "number of nodes", low=1),
        Parameter("degree", "int", "links per node", low=0),
        Parameter("seed", "int", "which one", low=0, default=0),
    )
    example = "random_regular(20, 3)"

    def __init__(self, n: int, degree: int, seed: int = 0) -> None:
        if degree >= n:
            raise ArgumentError(f"degree is {degree}; with {n} nodes it must be below {n}")
        if n * degree % 2:
            raise ArgumentError(
                f"n · degree is {n} · {degree}, which is odd; every link has two ends, so one of"
                " them must be even"
            )
        require_memory(200 * n * max(degree, 1), f"a random graph of {n} nodes, degree {degree}")
        self.n, self.degree, self.seed = n, degree, seed

    @property
    def order(self) -> int:
        return self.n

    @property
    def ports(self) -> int:
        return self.degree

    def links(self) -> tuple[IntArray, IntArray]:
        return self._links

    @cached_property
    def _links(self) -> tuple[IntArray, IntArray]:
        import networkx

        for _ in track([0], f"making {self.spec}"):
            graph = networkx.random_regular_graph(self.degree, self.n, seed=self.seed)
        ends = np.asarray(sorted(tuple(sorted(edge)) for edge in graph.edges), dtype=np.int64)
        ends = ends.reshape(-1, 2)
        return ends[:, 0], ends[:, 1]

    def facts(self) -> Facts:
        return Facts(
            degree_min=self.degree,
            degree_max=self.degree,
            links=self.n * self.degree // 2,
            channels=self.n * self.degree,
        )

    @classmethod
    def members(cls, wish: Wish) -> Iterator[str]:
        """The nearest size by a few seeds; with one port less where all ports would be odd."""
        seeds = _SEEDS[: 4 if wish.nodes <= _SMALL else 2 if wish.nodes <= 2 * _SMALL else 1]
        for degree in (wish.ports, wish.ports - 1):
            step = 1 + degree % 2
            sizes = [n for n in wish.sizes(step) if 3 <= degree < n][:1]
            yield from (cls(n, degree, seed).spec for n in sizes for seed in seeds)
            if sizes:
                return
