"""Cartesian products of any networks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from hopscape.core.errors import ArgumentError
from hopscape.core.family import Collective, Family, Parameter
from hopscape.core.kindred import Kindred, ProductAxis
from hopscape.core.network import Network
from hopscape.core.product import ProductFamily
from hopscape.core.requirement import Requirement, Small, small_graphs

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

    def product_axes(self) -> list[ProductAxis] | None:
        """Those of all factors."""
        at = self._box.tuples(np.arange(self.order)).astype(np.int64)
        out: list[ProductAxis] = []
        for k, factor in enumerate(self.factors):
            axes = factor.family.product_axes() if isinstance(factor.family, Family) else None
            if axes is None:
                return None
            out += [ProductAxis(axis.side, axis.wraps, axis.at[at[:, k]]) for axis in axes]
        return out

    def kindred(self, root: int) -> Kindred | None:
        from hopscape.families.kindred import grid_kindred

        axes = self.product_axes()
        return None if axes is None else grid_kindred(axes, root)

    def collectives(self) -> tuple[Collective, ...]:
        from hopscape.collectives.products import product_collectives

        return product_collectives(self.factors)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Products of small dense graphs, those with the least mean distance first."""
        offers = sorted(
            _dense_products(requirement, small_graphs(requirement.ports), 1, requirement.ports)
        )
        yield from (f"product({', '.join(names)})" for _, names in offers[: requirement.most])


_MOST_FACTORS = 4  # each factor more multiplies the products that are tried


def _dense_products(
    requirement: Requirement, parts: Sequence[Small], order: int, ports: int, depth: int = 1
) -> Iterator[tuple[float, tuple[str, ...]]]:
    """Mean distance and factors of the products that fit."""
    for i, part in enumerate(parts):
        size = order * part.order
        if part.degree > ports or size > requirement.high:
            continue
        if requirement.fits(size) and depth > 1:
            yield part.mean, (part.spec,)
        if depth < _MOST_FACTORS:
            left = ports - part.degree
            for more, names in _dense_products(requirement, parts[i:], size, left, depth + 1):
                yield part.mean + more, (part.spec, *names)
