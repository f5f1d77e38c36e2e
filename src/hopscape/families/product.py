"""Cartesian products of any networks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hopscape.core.errors import ArgumentError
from hopscape.core.family import Collective, Parameter
from hopscape.core.network import Network
from hopscape.core.product import ProductFamily
from hopscape.core.wish import Wish

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

    @classmethod
    def members(cls, wish: Wish) -> Iterator[str]:
        """Products of small dense graphs, those with the least mean distance first."""
        found = sorted(_dense_products(wish, _small_parts(wish), 1, wish.ports))
        yield from (f"product({', '.join(names)})" for _, names in found[: wish.most])


_Part = tuple[str, int, int, float]
_DENSE: tuple[_Part, ...] = (
    ("hoffman_singleton", 50, 7, 91 / 50),
    ("heawood", 14, 3, 27 / 14),
    ("petersen", 10, 3, 15 / 10),
)
"""Name, order, degree, and mean distance with a node's distance to itself counted."""

_MOST_FACTORS = 4


def _small_parts(wish: Wish) -> tuple[_Part, ...]:
    sides = range(min(wish.ports + 1, wish.high), 1, -1)
    return _DENSE + tuple((f"complete({k})", k, k - 1, 1 - 1 / k) for k in sides)


def _dense_products(
    wish: Wish, parts: Sequence[_Part], order: int, ports: int, depth: int = 1
) -> Iterator[tuple[float, tuple[str, ...]]]:
    """Mean distance and factors of the products that fit."""
    for i, (name, nodes, degree, mean) in enumerate(parts):
        if degree > ports or order * nodes > wish.high:
            continue
        if wish.fits(order * nodes) and depth > 1:
            yield mean, (name,)
        if depth < _MOST_FACTORS:
            left = ports - degree
            for more, names in _dense_products(wish, parts[i:], order * nodes, left, depth + 1):
                yield mean + more, (name, *names)
