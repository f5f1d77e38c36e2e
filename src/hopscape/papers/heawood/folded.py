"""Folded networks: powers of any network."""

from __future__ import annotations

from collections.abc import Iterator

from hopscape.core.errors import ArgumentError
from hopscape.core.family import Collective, Parameter, integers
from hopscape.core.network import Network
from hopscape.core.product import ProductFamily
from hopscape.core.requirement import Requirement, small_graphs

__all__ = ["Folded"]


class Folded(ProductFamily):
    """Cartesian power of a base network: FH(n) of the Heawood graph, FP(n) of the Petersen graph.

    A node is (a_{n-1}, ..., a_0); a link changes one entry along a link of the base.
    """

    name = "folded"
    summary = "Cartesian power of a network with n factors: folded Petersen, folded Heawood"
    parameters = (
        Parameter("base", "network", "the network to multiply with itself"),
        *integers(n=("number of factors", 1, 4000)),
    )
    example = "folded(petersen, 2)"

    def __init__(self, base: Network, n: int) -> None:
        if base.facts.connected is False:
            raise ArgumentError(f"the base {base.spec} is not connected")
        super().__init__((base,) * n)
        self.base, self.n = base, n

    def collectives(self) -> tuple[Collective, ...]:
        from hopscape.collectives.products import product_collectives

        return product_collectives(self.factors)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Powers of small dense graphs."""
        for base in small_graphs(requirement.ports // 2):
            for n in range(2, requirement.ports // base.degree + 1):
                if requirement.fits(base.order**n):
                    yield f"{cls.name}({base.spec}, {n})"
