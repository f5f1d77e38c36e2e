"""Small graphs with famous symmetry: Petersen, Heawood, generalised Petersen.

Complete graphs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.facts import circle
from hopscape.core.family import Collective, Facts, Family, Layout, Parameter, Symmetry, integers
from hopscape.core.formula import Value, wrapped
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.requirement import Requirement
from hopscape.core.router import Router

__all__ = ["Complete", "GeneralizedPetersen", "Heawood", "Petersen"]

_TURNED = 2048  # nodes: the table of turns has their square, 32 MiB


class GeneralizedPetersen(Family):
    """An outer cycle, spokes, and an inner star of step k.

    Nodes 0..n-1 are outer, n..2n-1 inner. Ports: 0 up, 1 down (along the cycle or the star), 2 the
    spoke.
    """

    name = "generalized_petersen"
    summary = "generalised Petersen graph GP(n, k): cycle, spokes and inner star of step k"
    parameters: ClassVar[tuple[Parameter, ...]] = integers(
        n=("nodes of the outer cycle", 3), k="step of the inner star, below n/2"
    )
    example = "generalized_petersen(8, 3)"

    def __init__(self, n: int, k: int) -> None:
        if 2 * k >= n:
            raise ArgumentError(
                f"k is {k}; with n = {n} it must be an integer from 1 to {(n - 1) // 2}"
            )
        self.n, self.k = n, k

    @property
    def order(self) -> int:
        return 2 * self.n

    @property
    def ports(self) -> int:
        return 3

    def neighbours(self, nodes: IntArray) -> IntArray:
        n = self.n
        inner = (nodes >= n).astype(bool)
        place = nodes % n
        base = inner.astype(nodes.dtype) * n
        step = inner.astype(nodes.dtype) * (self.k - 1) + 1
        columns = [
            base + (place + step) % n,
            base + (place - step) % n,
            np.where(inner, place, place + n),
        ]
        return np.stack(columns, axis=1).astype(nodes.dtype)

    @property
    def transitive(self) -> bool:
        """Vertex-transitive exactly when k² ≡ ±1 (mod n), or GP(10, 2)."""
        square = self.k * self.k % self.n
        return square in (1, self.n - 1) or (self.n, self.k) == (10, 2)

    def facts(self) -> Facts:
        return Facts.regular(self.order, 3, connected=True, vertex_transitive=self.transitive)

    def symmetry(self) -> Symmetry:
        return super().symmetry() or Symmetry((0, self.n), (self.n, self.n))

    def rotations(self) -> IntArray | None:
        """Cycle and star turn together."""
        if self.n > _TURNED:
            return None
        turn, place = np.arange(self.n)[:, None], np.arange(self.n)[None, :]
        outer = (place + turn) % self.n
        return np.concatenate([outer, self.n + outer], axis=1)

    def layout(self) -> Layout:
        return Layout(np.concatenate([circle(self.n), circle(self.n, 0.55)]))

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Steps near the square root of the cycle, where the diameter is small."""
        if requirement.ports < 3:
            return
        for order in requirement.sizes(step=2)[:1]:
            n, root = order // 2, math.isqrt(order // 2)
            for k in (root, root + 1, root - 1):
                if n >= 3 and 1 <= k < n / 2:
                    yield GeneralizedPetersen(n, k).spec


class Petersen(GeneralizedPetersen):
    """The Petersen graph: outer cycle 0-4, spokes i ~ i+5, inner star 5+i ~ 5+((i+2) mod 5)."""

    name = "petersen"
    summary = "Petersen graph: 10 nodes, degree 3, diameter 2"
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    example = "petersen"

    def __init__(self) -> None:
        super().__init__(5, 2)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        yield cls.name

    @classmethod
    def pieces(cls, ports: int) -> tuple[Petersen, ...]:
        return (cls(),) if ports >= 3 else ()

    def facts(self) -> Facts:
        mean = Fraction(15, 9)
        return Facts.symmetric(self.order, 3, 2, mean_distance=mean, girth=5, bisection=5)


class Heawood(Family):
    """The Heawood graph: node x is wired to x+1, x-1 and x+5 (x odd) or x-5 (x even), mod 14.

    The mirrored addressing has the chords the other way round: x-5 (x odd) or x+5 (x even).
    """

    name = "heawood"
    summary = "Heawood graph: 14 nodes, degree 3, diameter 3, girth 6"
    parameters = (Parameter("mirrored", "flag", "the other addressing", default=False),)
    example = "heawood"
    transitive = True

    def __init__(self, mirrored: bool = False) -> None:
        self.mirrored = mirrored

    @property
    def order(self) -> int:
        return 14

    @property
    def ports(self) -> int:
        return 3

    def neighbours(self, nodes: IntArray) -> IntArray:
        up = nodes % 2 == (0 if self.mirrored else 1)
        chord = np.where(up, nodes + 5, nodes - 5)
        return np.stack([nodes + 1, nodes - 1, chord], axis=1) % 14

    def facts(self) -> Facts:
        mean = Fraction(27, 13)
        return Facts.symmetric(self.order, 3, 3, mean_distance=mean, girth=6, bisection=7)

    @classmethod
    def pieces(cls, ports: int) -> tuple[Heawood, ...]:
        return (cls(),) if ports >= 3 else ()

    def translations(self) -> IntArray:
        from hopscape.families.classic.heawood import heawood_translations

        return heawood_translations()

    def translate(self, by: IntArray, nodes: IntArray) -> IntArray:
        return self.translations()[by, nodes]

    def router(self, network: Network) -> Router:
        from hopscape.families.classic.heawood import BasicRouter

        return BasicRouter(network)

    def collectives(self) -> tuple[Collective, ...]:
        from hopscape.families.classic.heawood import heawood_collectives

        return heawood_collectives(self)

    def layout(self) -> Layout:
        return Layout(circle(14))


class Complete(Family):
    """Everybody wired to everybody; port p of node v leads to v + 1 + p."""

    name = "complete"
    summary = "complete graph: every node wired to every other"
    parameters = integers(n="number of nodes")
    example = "complete(6)"
    transitive = True
    unequal = "switches"

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
