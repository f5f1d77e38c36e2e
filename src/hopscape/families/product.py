"""Cartesian products of any networks."""

from __future__ import annotations

from collections.abc import Sequence

from hopscape.core.errors import ArgumentError
from hopscape.core.family import Collective, Parameter
from hopscape.core.network import Network
from hopscape.core.product import ProductFamily

__all__ = ["Product"]


class Product(ProductFamily):
    """Cartesian product: a node is a tuple of nodes, a link changes one entry along a link."""

    name = "product"
    summary = "Cartesian product of networks: a link of one factor, all others stay"
    parameters = (Parameter("factors", "network", "the networks to multiply", variadic=True),)
    example = "product(petersen, ring(4))"

    def __init__(self, factors: Sequence[Network]) -> None:
        if len(factors) < 2:
            raise ArgumentError(f"product needs at least two networks, not {len(factors)}")
        super().__init__(factors)

    def collectives(self) -> tuple[Collective, ...]:
        from hopscape.collectives.products import product_collectives

        return product_collectives(self.factors)
