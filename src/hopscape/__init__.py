"""hopscape: which network should I build, how do I route and broadcast on it, will it hold up?

>>> import hopscape
>>> net = hopscape.build("torus(8, 8)")
>>> net.router().path(0, (1, 2))
[0, 8, 9, 10]
>>> net.diameter, net.histogram()[:3]
(8, [64, 256, 512])

Sub-packages are there after the one import, loaded when they are used:

>>> hopscape.metrics.girth(net).value
4
"""

import importlib
from typing import TYPE_CHECKING, Any

from hopscape import families
from hopscape._version import __version__
from hopscape.core.errors import HopscapeError
from hopscape.core.family import Family, Parameter
from hopscape.core.kernel_cache import prepare_kernel_cache
from hopscape.core.methods import register_methods
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.plugins import later
from hopscape.core.router import Router
from hopscape.registry import all_families, build, family

if TYPE_CHECKING:
    from hopscape.core.goal import Goal
    from hopscape.core.schedule import Schedule
    from hopscape.core.verdict import Verdict
    from hopscape.core.verify import verify

prepare_kernel_cache()
register_methods(
    {
        "broadcast": "hopscape.collectives.choose:run_broadcast",
        "compare": "hopscape.design.columns:compare_networks",
        "curve_view": "hopscape.design.report.markdown:curve_view",
        "design_view": "hopscape.design.report.markdown:design_view",
        "diameter": "hopscape.metrics:diameter",
        "distance_profile": "hopscape.metrics:distance_profile",
        "draw": "hopscape.show.draw:draw_network",
        "draw_curves": "hopscape.simulate.figures:draw_curves",
        "embed_network": "hopscape.show.explore.page:embed_network",
        "embed_schedule": "hopscape.show.explore.page:embed_schedule",
        "make_figure": "hopscape.show.draw:make_figure",
        "mean_distance": "hopscape.metrics:mean_distance",
        "simulate": "hopscape.simulate.sweep:simulate_network",
        "summary": "hopscape.metrics.summary:summarise",
        "to_igraph": "hopscape.formats.graphs:to_igraph",
        "to_networkx": "hopscape.formats.graphs:to_networkx",
        "to_scipy": "hopscape.formats.graphs:to_scipy",
    }
)

_ROOMS = (
    "algebra", "collectives", "deadlock", "design", "formats", "ledger", "metrics", "papers",
    "search", "show", "simulate", "store",
)  # fmt: skip


_LATER = {
    "core.goal": ("Goal",),
    "core.schedule": ("Schedule",),
    "core.verdict": ("Verdict",),
    "core.verify": ("verify",),
}
_name_later = later(__name__, _LATER)


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"hopscape.{name}")
    return _name_later(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_ROOMS, *(name for names in _LATER.values() for name in names)})


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
