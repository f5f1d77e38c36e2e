"""The classics that everything else is compared with."""

from hopscape.families.classic.arrangement import Arrangement
from hopscape.families.classic.butterflies import Benes, Butterfly, WrappedButterfly
from hopscape.families.classic.cubes import CubeConnectedCycles, Hypercube
from hopscape.families.classic.named import (
    F26A,
    LCF,
    Coxeter,
    Desargues,
    Dodecahedron,
    Dyck,
    HoffmanSingleton,
    McGee,
    MoebiusKantor,
    Nauru,
    Pappus,
    TutteCoxeter,
)
from hopscape.families.classic.random import RandomLift, RandomRegular, Xpander
from hopscape.families.classic.small import Complete, GeneralizedPetersen, Heawood, Petersen
from hopscape.families.classic.sorting import BubbleSort, Pancake
from hopscape.families.classic.words import DeBruijn, Kautz

__all__ = [
    "F26A",
    "LCF",
    "Arrangement",
    "Benes",
    "BubbleSort",
    "Butterfly",
    "Complete",
    "Coxeter",
    "CubeConnectedCycles",
    "DeBruijn",
    "Desargues",
    "Dodecahedron",
    "Dyck",
    "GeneralizedPetersen",
    "Heawood",
    "HoffmanSingleton",
    "Hypercube",
    "Kautz",
    "McGee",
    "MoebiusKantor",
    "Nauru",
    "Pancake",
    "Pappus",
    "Petersen",
    "RandomLift",
    "RandomRegular",
    "TutteCoxeter",
    "WrappedButterfly",
    "Xpander",
]
