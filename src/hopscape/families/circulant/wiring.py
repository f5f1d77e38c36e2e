"""The circulant with any generators: wiring, facts, drawing."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Facts, Family, Layout, Parameter, Symmetry
from hopscape.core.layout import circle

__all__ = ["Circulant"]


class Circulant(Family):
    """Port 2i leads to v + s_i, port 2i + 1 to v - s_i; a generator N/2 has the first only."""

    name = "circulant"
    summary = "circulant (N; s1, ..., sn): node v wired to v ± s for every generator, mod N"
    parameters = (
        Parameter("n", "int", "number of nodes", low=1),
        Parameter("generators", "int", "steps, from 1 to N - 1", low=1, variadic=True),
    )
    example = "circulant(21, 1, 3, 8)"

    def __init__(self, n: int, generators: Sequence[int]) -> None:
        for s in generators:
            if s >= n:
                raise ArgumentError(f"generator {s} is not from 1 to N - 1 = {n - 1}")
        self.n, self.generators = n, tuple(generators)

    @property
    def order(self) -> int:
        return self.n

    @property
    def ports(self) -> int:
        return 2 * len(self.generators)

    def neighbours(self, nodes: IntArray) -> IntArray:
        out = np.full((len(nodes), self.ports), -1, dtype=nodes.dtype)
        for i, s in enumerate(self.generators):
            out[:, 2 * i] = (nodes + s) % self.n
            if 2 * s != self.n:
                out[:, 2 * i + 1] = (nodes - s) % self.n
        return out

    def facts(self) -> Facts:
        degree = sum(1 if 2 * s == self.n else 2 for s in self.generators)
        return Facts(
            degree_min=degree,
            degree_max=degree,
            links=self.n * degree // 2,
            channels=self.n * degree,
            connected=math.gcd(self.n, *self.generators) == 1,
            vertex_transitive=True,
        )

    def symmetry(self) -> Symmetry:
        return Symmetry.of_transitive(self.n)

    def layout(self) -> Layout:
        return Layout(circle(self.n))
