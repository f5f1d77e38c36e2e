"""Cayley graphs of semidirect products: parameters, wiring and symmetry."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hopscape.algebra.semidirect import Semidirect
from hopscape.core.addresses import Addresses, MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Facts, Family, Layout, Parameter, integers
from hopscape.core.layout import circle
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement
from hopscape.families.cayley.offers import good_cayley
from hopscape.families.cayley.routing import CayleyRouter

__all__ = ["Cayley"]

_MOST = 2**20


class Cayley(Family):
    """A Cayley graph of the semidirect product of Z_m and Z_k with multiplier r."""

    name = "cayley"
    summary = "Cayley graph of a semidirect product of two cyclic groups"
    parameters = (
        *integers(
            m=("order of the first cyclic group", 1, _MOST),
            k=("order of the second, which acts on the first", 1, _MOST),
            r="multiplier of the action, r^k = 1 mod m",
        ),
        Parameter(
            "generators", "int", "elements y·m + x; their inverses are added", low=1, variadic=True
        ),
    )
    example = "cayley(7, 3, 2, 1, 7)"
    transitive = True

    def __init__(self, m: int, k: int, r: int, generators: tuple[int, ...]) -> None:
        if pow(r, k, m) != 1 % m:
            raise ArgumentError(
                f"r is {r}, but r^k mod m is {pow(r, k, m)} and must be 1 (m is {m}, k is {k})"
            )
        self.m, self.k, self.r = m, k, r
        self.generators = tuple(generators)
        self._group = Semidirect(m, k, r)
        self._steps = self._make_steps()

    def _make_steps(self) -> IntArray:
        """What the ports multiply by: each generator, then its inverse unless it is its own."""
        steps: list[int] = []
        for g in self.generators:
            if g >= self.order:
                raise ArgumentError(f"generator {g} must be from 1 to {self.order - 1}")
            y, x = -(g // self.m) % self.k, g % self.m
            back = -x * pow(self.r, y, self.m) % self.m + self.m * y
            if g in steps:
                raise ArgumentError(
                    f"generator {g} is there already, as another's inverse or twice"
                )
            steps += [g] if g == back else [g, back]
        return np.asarray(steps, dtype=np.int64)

    @property
    def order(self) -> int:
        return self.m * self.k

    @property
    def ports(self) -> int:
        return len(self._steps)

    @property
    def addresses(self) -> Addresses:
        return MixedRadix((self.k, self.m))

    def neighbours(self, nodes: IntArray) -> IntArray:
        return self._group.product(nodes[:, None], self._steps[None, :])

    def facts(self) -> Facts:
        return Facts.regular(self.order, self.ports, vertex_transitive=True)

    def translate(self, by: IntArray, nodes: IntArray) -> IntArray:
        return self._group.product(by, nodes)

    def router(self, network: Network) -> CayleyRouter:
        return CayleyRouter(network, self._group, self._steps)

    def layout(self) -> Layout:
        return Layout(circle(self.order))

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """The best of a seeded sample of generators, over a few groups of welcome orders."""
        for m, k, r, generators in good_cayley(requirement):
            yield cls(m, k, r, generators).spec
