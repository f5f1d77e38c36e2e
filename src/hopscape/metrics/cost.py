"""Bounds in the style of Moore, and simple figures of cost.

A. J. Hoffman and R. R. Singleton, 1960 (nodes); V. G. Cerf, D. D. Cowan, R. C. Mullin and
R. G. Stanton, 1974 (mean distance).
"""

from __future__ import annotations

from fractions import Fraction

from hopscape.core.errors import ArgumentError

__all__ = ["moore_bound", "moore_diameter", "moore_mean_distance"]


def moore_bound(degree: int, diameter: int, *, directed: bool = False) -> int:
    """The most nodes that a network of this degree and diameter can have.

    Examples:
        >>> moore_bound(3, 2), moore_bound(2, 3, directed=True)
        (10, 15)
    """
    return sum(_layers(degree, diameter, directed))


def _layers(degree: int, diameter: int, directed: bool) -> list[int]:
    if degree < 0 or diameter < 0:
        raise ArgumentError(f"degree {degree} and diameter {diameter} must be at least 0")
    layers = [1]
    for distance in range(1, diameter + 1):
        grow = degree if directed or distance == 1 else degree - 1
        layers.append(layers[-1] * grow)
    return layers


def moore_diameter(order: int, degree: int, *, directed: bool = False) -> int | None:
    """The least diameter that so many nodes of this degree can have; None when they cannot connect.

    Examples:
        >>> moore_diameter(10, 3), moore_diameter(11, 3), moore_diameter(3, 1)
        (2, 3, None)
    """
    profile = _best_profile(order, degree, directed)
    return None if profile is None else len(profile) - 1


def moore_mean_distance(order: int, degree: int, *, directed: bool = False) -> Fraction | None:
    """The least mean distance (over ordered pairs of distinct nodes) for this order and degree.

    Examples:
        >>> moore_mean_distance(10, 3)
        Fraction(5, 3)
    """
    profile = _best_profile(order, degree, directed)
    if profile is None or order == 1:
        return None
    return Fraction(sum(d * count for d, count in enumerate(profile)), order - 1)


def _best_profile(order: int, degree: int, directed: bool) -> list[int] | None:
    """How many nodes lie at each distance when every layer is as full as can be."""
    if order < 1 or degree < 0:
        raise ArgumentError(f"order {order} must be at least 1 and degree {degree} at least 0")
    profile, left, layer = [1], order - 1, 1
    while left:
        layer *= degree if directed or len(profile) == 1 else degree - 1
        if layer <= 0 or (degree == 1 and not directed and left > 1):
            return None
        if layer == 1:  # a ray of a cycle: the rest lies one behind the other
            if left > 10_000_000:
                raise ArgumentError(f"{order} nodes of degree {degree} make too long a chain")
            profile += [1] * left
            return profile
        if directed is False and degree == 2:
            pairs, odd = divmod(left, 2)
            if pairs > 10_000_000:
                raise ArgumentError(f"{order} nodes of degree {degree} make too long a chain")
            return profile + [2] * pairs + [1] * odd
        profile.append(min(layer, left))
        left -= profile[-1]
    return profile
