"""hopscape: which network should I build, how do I route and broadcast on it, will it hold up?

>>> import hopscape
>>> net = hopscape.build("torus(8, 8)")
>>> net.router().path(0, (1, 2))
[0, 8, 9, 10]
"""

from hopscape import families
from hopscape._version import __version__
from hopscape.core.errors import HopscapeError
from hopscape.core.family import Family, Parameter
from hopscape.core.goal import Goal
from hopscape.core.kernel_cache import prepare_kernel_cache
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.router import Router
from hopscape.core.schedule import Schedule
from hopscape.core.verdict import Verdict
from hopscape.core.verify import verify
from hopscape.registry import all_families, build, family

prepare_kernel_cache()

__all__ = [
    "Family",
    "Goal",
    "HopscapeError",
    "Model",
    "Network",
    "Parameter",
    "Router",
    "Schedule",
    "Verdict",
    "__version__",
    "all_families",
    "build",
    "families",
    "family",
    "verify",
]
