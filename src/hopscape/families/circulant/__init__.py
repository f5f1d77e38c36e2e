"""Circulant networks: node v is wired to v ± s for every generator s, mod N.

``circulant(N, s1, ..., sn)`` takes any generators. Bounds are exact integers (:func:`ball`,
:func:`ulb`, :func:`max_order`), diameter and mean distance come from the lattice, and routing needs
no tables. Circulants by formula, the atlas and broadcasts: :mod:`hopscape.papers.circulant`.
"""

from hopscape.families.circulant.closed_forms import (
    ball,
    canonical,
    find_multiplier,
    fold,
    least_mean,
    max_order,
    ulb,
)
from hopscape.families.circulant.loops import DirectedCirculant
from hopscape.families.circulant.wiring import Circulant

__all__ = [
    "Circulant",
    "DirectedCirculant",
    "ball",
    "canonical",
    "find_multiplier",
    "fold",
    "least_mean",
    "max_order",
    "ulb",
]
