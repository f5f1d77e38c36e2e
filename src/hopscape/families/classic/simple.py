"""Complete graphs."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.family import Facts, Family, Layout, integers
from hopscape.core.formula import Value, wrapped
from hopscape.core.layout import circle
from hopscape.core.memory import require_memory
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement
from hopscape.core.router import Router

__all__ = ["Complete"]


class Complete(Family):
    """Everybody wired to everybody; port p of node v leads to v + 1 + p."""

    name = "complete"
    summary = "complete graph: every node wired to every other"
    parameters = integers(n="number of nodes")
    example = "complete(6)"
    transitive = True

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
        return Facts.symmetric(
            n,
            n - 1,
            min(n - 1, 1),
            mean_distance=Fraction(1) if n > 1 else None,
            girth=3 if n > 2 else None,
            bisection=(n // 2) * ((n + 1) // 2),
        )

    def translate(self, by: IntArray, nodes: IntArray) -> IntArray:
        return (by + nodes) % self.n

    def router(self, network: Network) -> Router:
        return CompleteRouter(network)

    def layout(self) -> Layout:
        return Layout(circle(self.n))

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        yield from (cls(n).spec for n in requirement.sizes()[:1] if n - 1 <= requirement.ports)

    @classmethod
    def pieces(cls, ports: int) -> Iterator[Complete]:
        return map(cls, range(2, ports + 2))


class CompleteRouter(Router):
    """One hop to anybody."""

    name = "direct"

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        return (at != to).astype(np.int64)

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        port = (to - at - 1) % self.network.order
        return np.where((at != to).astype(bool), port, -1)

    def trace(self, at: int, to: int) -> tuple[list[int], list[int]]:
        return ([at], []) if at == to else ([at, to], [(to - at - 1) % self.network.order])

    def formula(self, at: Value, to: Value) -> Value:
        return wrapped(to - at, self.network.order) - 1
