"""The classics that everything else is compared with."""

from hopscape.families.classic.cubes import CubeConnectedCycles, Hypercube
from hopscape.families.classic.simple import Complete, RandomRegular
from hopscape.families.classic.small import GeneralizedPetersen, Heawood, Petersen
from hopscape.families.classic.words import DeBruijn, Kautz

__all__ = [
    "Complete",
    "CubeConnectedCycles",
    "DeBruijn",
    "GeneralizedPetersen",
    "Heawood",
    "Hypercube",
    "Kautz",
    "Petersen",
    "RandomRegular",
]
