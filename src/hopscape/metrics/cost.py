"""Bounds in the style of Moore, and simple figures of cost.

A. J. Hoffman and R. R. Singleton, 1960 (nodes); V. G. Cerf, D. D. Cowan, R. C. Mullin and
R. G. Stanton, 1974 (mean distance).

What is known to be possible: the best published graphs beside a network's own figures.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hopscape.core.errors import ArgumentError

__all__ = [
    "GRAPH_GOLF",
    "LARGEST",
    "BestKnown",
    "best_known",
    "moore_bound",
    "moore_diameter",
    "moore_mean_distance",
]


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


LARGEST_SOURCE = "table of the degree-diameter problem, Wikipedia, July 2022"
LARGEST: dict[int, tuple[int, ...]] = {
    3: (10, 20, 38, 70, 132, 196, 360, 600, 1250),
    4: (15, 41, 98, 364, 740, 1320, 3243, 7575, 17703),
    5: (24, 72, 212, 624, 2772, 5516, 17030, 57840, 187056),
    6: (32, 111, 390, 1404, 7917, 19383, 76461, 331387, 1253615),
    7: (50, 168, 672, 2756, 11988, 52768, 249660, 1223050, 6007230),
    8: (57, 253, 1100, 5060, 39672, 131137, 734820, 4243100, 24897161),
    9: (74, 585, 1550, 8268, 75893, 279616, 1697688, 12123288, 65866350),
    10: (91, 650, 2286, 13140, 134690, 583083, 4293452, 27997191, 201038922),
    11: (104, 715, 3200, 19500, 156864, 1001268, 7442328, 72933102, 600380000),
    12: (133, 786, 4680, 29470, 359772, 1999500, 15924326, 158158875, 1506252500),
    13: (162, 856, 6560, 40260, 531440, 3322080, 29927790, 249155760, 3077200700),
    14: (183, 916, 8200, 57837, 816294, 6200460, 55913932, 600123780, 7041746081),
}
"""Nodes of the largest known graph by degree, for diameter 2, 3, ..., 10."""

GOLF_SOURCE = "Graph Golf 2016, best solutions as of 2016-09-26"
GRAPH_GOLF: dict[tuple[int, int], tuple[int, float]] = {
    (36, 3): (4, 3.067),
    (64, 8): (3, 1.927),
    (96, 3): (6, 4.272),
    (256, 8): (4, 2.736),
    (300, 7): (4, 3.012),
    (384, 3): (9, 6.226),
    (512, 8): (4, 3.111),
    (1024, 3): (11, 7.679),
    (1024, 8): (5, 3.505),
    (1024, 11): (4, 3.059),
    (1024, 32): (3, 1.998),
    (1560, 40): (3, 2.038),
    (1800, 7): (5, 4.078),
    (3250, 57): (3, 2.070),
    (10000, 7): (7, 5.060),
    (10000, 11): (5, 4.107),
    (10000, 20): (4, 3.376),
    (100000, 7): (8, 6.392),
    (100000, 11): (6, 5.147),
    (100000, 20): (5, 4.133),
}
"""Diameter and mean distance (to three decimals) by nodes and degree."""


@dataclass(frozen=True)
class BestKnown:
    """The best published graphs of a degree.

    Attributes:
        largest: Nodes of the largest known graph of this degree and diameter.
        moore: No graph of this degree and diameter has more.
        golf_mean: Of the best Graph Golf solution of this order and degree.
    """

    largest: int | None = None
    moore: int | None = None
    source: str = ""
    golf_diameter: int | None = None
    golf_mean: float | None = None
    golf_source: str = ""


def best_known(nodes: int, degree: int, diameter: int | None) -> BestKnown:
    """What is known for a degree and a diameter, and for a number of nodes and a degree.

    Examples:
        >>> best_known(10, 3, 2).largest, best_known(64, 8, 3).golf_diameter
        (10, 3)
        >>> best_known(64, 4, 8).largest, best_known(64, 99, 1).moore
        (3243, 100)
    """
    largest = moore = None
    if diameter is not None and degree > 0 and 0 < diameter <= 1000:
        moore = moore_bound(degree, diameter)
        row = LARGEST.get(degree, ())
        if diameter == 1:
            largest = degree + 1
        elif degree == 2:
            largest = 2 * diameter + 1
        elif 2 <= diameter < len(row) + 2:
            largest = row[diameter - 2]
    golf = GRAPH_GOLF.get((nodes, degree), (None, None))
    return BestKnown(
        largest,
        moore,
        LARGEST_SOURCE if largest is not None and degree > 2 and diameter != 1 else "",
        golf[0],
        golf[1],
        GOLF_SOURCE if golf[0] is not None else "",
    )
