"""Networks that data centres and supercomputers are built of today: what others are measured by."""

from hopscape.families.datacenter.fattree import FatTree
from hopscape.families.datacenter.fly import (
    Dragonfly,
    HyperX,
    PolarFly,
    ProjectiveNetwork,
    SlimFly,
)

__all__ = ["Dragonfly", "FatTree", "HyperX", "PolarFly", "ProjectiveNetwork", "SlimFly"]
