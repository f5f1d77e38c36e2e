"""Networks that data centres and supercomputers are built of today: what others are measured by."""

from hopscape.families.datacenter.dragonfly import Cascade, Dragonfly, DragonflyPlus
from hopscape.families.datacenter.fattree import FatTree
from hopscape.families.datacenter.fly import (
    Delorme,
    ExpandedPolarFly,
    PolarFly,
    ProjectiveNetwork,
    SlimFly,
)
from hopscape.families.datacenter.hammingmesh import HammingMesh
from hopscape.families.datacenter.hyperx import FatClique, HyperX
from hopscape.families.datacenter.rails import RailOptimized
from hopscape.families.datacenter.servers import BCube, DCell
from hopscape.families.datacenter.spectral import SpectralFly
from hopscape.families.datacenter.star import MLFM, OFT, Bundlefly, PolarStar
from hopscape.families.datacenter.trees import XGFT, Clos, KaryTree, LeafSpine

__all__ = [
    "MLFM",
    "OFT",
    "XGFT",
    "BCube",
    "Bundlefly",
    "Cascade",
    "Clos",
    "DCell",
    "Delorme",
    "Dragonfly",
    "DragonflyPlus",
    "ExpandedPolarFly",
    "FatClique",
    "FatTree",
    "HammingMesh",
    "HyperX",
    "KaryTree",
    "LeafSpine",
    "PolarFly",
    "PolarStar",
    "ProjectiveNetwork",
    "RailOptimized",
    "SlimFly",
    "SpectralFly",
]
