"""Recursively expanded networks RE(base, lamp, n).

A base network carries one lamp per level: ``expanded(heawood, 2)`` is RE-H with n = 2,
``expanded(ring(5), 5, lamp=complete(2))`` the cube-connected cycles, ``expanded(ring(5), 5,
lamp=petersen)`` the Petersen-connected cycles. The distance is a covering walk in the base plus the
distances in the lamps, so that routing is exact with a table that depends on the base alone.
"""

from hopscape.families.expanded.census import Census
from hopscape.families.expanded.routing import DigitRouter, ExpandedRouter, printed_route
from hopscape.families.expanded.walks import covering_walks, held_karp
from hopscape.families.expanded.wiring import Expanded

__all__ = [
    "Census",
    "DigitRouter",
    "Expanded",
    "ExpandedRouter",
    "covering_walks",
    "held_karp",
    "printed_route",
]
