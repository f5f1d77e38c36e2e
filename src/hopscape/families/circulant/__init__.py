"""Circulant networks: node v is wired to v ± s for every generator s, mod N.

``circulant(N, s1, ..., sn)`` takes any generators; the others follow from formulas of the
literature. Bounds are exact integers (:func:`ball`, :func:`ulb`, :func:`max_order`), routing needs
no tables (:mod:`routing`), and broadcasts need no memory (:class:`ForwardingRule`).
"""

from hopscape.families.circulant.bounds import ball, least_mean, max_order, ulb
from hopscape.families.circulant.forwarding import ForwardingRule
from hopscape.families.circulant.isomorphism import canonical, find_multiplier, fold
from hopscape.families.circulant.named import (
    BestCirculant,
    ChenJia,
    DoubleLoop,
    GammaCirculant,
    LargestDoubleLoop,
    OptimalCirculant,
    TwoParameterCirculant,
    WongCoppersmith,
    Yebra,
)
from hopscape.families.circulant.wiring import Circulant

__all__ = [
    "BestCirculant",
    "ChenJia",
    "Circulant",
    "DoubleLoop",
    "ForwardingRule",
    "GammaCirculant",
    "LargestDoubleLoop",
    "OptimalCirculant",
    "TwoParameterCirculant",
    "WongCoppersmith",
    "Yebra",
    "ball",
    "canonical",
    "find_multiplier",
    "fold",
    "least_mean",
    "max_order",
    "ulb",
]
