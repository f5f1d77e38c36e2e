"""Networks that data centres and supercomputers are built of today: what others are measured by."""

from hopscape.families.datacenter.fattree import FatTree
from hopscape.families.datacenter.fly import (
    Dragonfly,
    HyperX,
    PolarFly,
    ProjectiveNetwork,
    SlimFly,
)
from hopscape.families.datacenter.trees import XGFT, Clos, KaryTree, LeafSpine

__all__ = [
    "XGFT",
    "Clos",
    "Dragonfly",
    "FatTree",
    "HyperX",
    "KaryTree",
    "LeafSpine",
    "PolarFly",
    "ProjectiveNetwork",
    "SlimFly",
]
