"""hopscape: which network should I build, how do I route and broadcast on it, will it hold up?

>>> import hopscape as hs
>>> net = hs.torus(8, 8)
>>> net.router().path(0, (1, 2))
[0, 8, 9, 10]
>>> net.diameter, net.histogram()[:3]
(8, [64, 256, 512])

Every family is a function; ``hs.build("torus(8, 8)")`` reads the same from a text, a graph file or
a graph of another library.

Sub-packages are there after the one import, loaded when they are used (and so are all names: the
command line listens to signals before it loads anything):

>>> hs.metrics.girth(net).value
4
"""

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from hopscape._version import __version__
from hopscape.core.errors import HopscapeError
from hopscape.core.kernel_cache import prepare_kernel_cache as _prepare_kernel_cache
from hopscape.core.methods import register_methods as _register_methods
from hopscape.core.plugins import later as _later
from hopscape.core.plugins import plugin_entries as _plugin_entries

if _TYPE_CHECKING:
    from hopscape import families
    from hopscape.constructors import *  # noqa: F403
    from hopscape.core.family import Family, Parameter
    from hopscape.core.goal import Goal
    from hopscape.core.model import Model
    from hopscape.core.network import Network
    from hopscape.core.router import Router
    from hopscape.core.schedule import Schedule
    from hopscape.core.verdict import Verdict
    from hopscape.core.verify import verify
    from hopscape.formats.graphs import from_networkx
    from hopscape.registry import all_families, build, constructor, family

_prepare_kernel_cache()
_register_methods(
    {
        "all_gather": "hopscape.collectives.front:all_gather",
        "all_reduce": "hopscape.collectives.front:all_reduce",
        "all_to_all": "hopscape.collectives.front:all_to_all",
        "bisection": "hopscape.metrics:bisection",
        "broadcast": "hopscape.collectives.front:broadcast",
        "build": "hopscape.registry:build",
        "compare": "hopscape.design.columns:compare_networks",
        "curve_view": "hopscape.design.report.markdown:curve_view",
        "design_view": "hopscape.design.report.markdown:design_view",
        "diameter": "hopscape.metrics:diameter",
        "distance_profile": "hopscape.metrics:distance_profile",
        "draw": "hopscape.show.draw:draw_network",
        "draw_curves": "hopscape.simulate.figures:draw_curves",
        "draw_round_strip": "hopscape.show.draw.thumbnail:draw_round_strip",
        "embed_network": "hopscape.show.explore.page:embed_network",
        "embed_schedule": "hopscape.show.explore.page:embed_schedule",
        "explore": "hopscape.show.explore.page:write_network_page",
        "gather": "hopscape.collectives.front:gather",
        "girth": "hopscape.metrics:girth",
        "is_isomorphic": "hopscape.algebra:is_isomorphic",
        "make_figure": "hopscape.show.draw:make_figure",
        "mean_distance": "hopscape.metrics:mean_distance",
        "multicast": "hopscape.collectives.front:multicast",
        "permute": "hopscape.collectives.front:permute",
        "prove": "hopscape.proofs.offer:prove",
        "prove_schedule": "hopscape.proofs.offer:prove_schedule",
        "reduce": "hopscape.collectives.front:reduce",
        "reduce_scatter": "hopscape.collectives.front:reduce_scatter",
        "scatter": "hopscape.collectives.front:scatter",
        "schedule_with_terms": "hopscape.core.partial_sums:schedule_with_terms",
        "simulate": "hopscape.simulate.sweep:simulate_network",
        "summary": "hopscape.metrics.summary:summarise",
        "to_igraph": "hopscape.formats.graphs:to_igraph",
        "to_networkx": "hopscape.formats.graphs:to_networkx",
        "to_scipy": "hopscape.formats.graphs:to_scipy",
        "verify": "hopscape.core.verify:verify",
        "without": "hopscape.core.faults:without",
    }
)

_ROOMS = (
    "algebra", "collectives", "deadlock", "design", "families", "formats", "ledger", "metrics",
    "proofs", "search", "show", "simulate", "store", "workloads",
)  # fmt: skip


_LATER = {
    "core.family": ("Family", "Parameter"),
    "core.goal": ("Goal",),
    "core.model": ("Model",),
    "core.network": ("Network",),
    "core.router": ("Router",),
    "core.schedule": ("Schedule",),
    "core.verdict": ("Verdict",),
    "core.verify": ("verify",),
    "formats.graphs": ("from_networkx",),
    "registry": ("all_families", "build", "constructor", "family"),
}
_name_later = _later(__name__, _LATER)


def __getattr__(name: str) -> _Any:
    if name in _ROOMS:
        return _importlib.import_module(f"hopscape.{name}")
    if name not in __all__ and name in _plugin_entries("families"):
        return _name_later("constructor")(name)
    found = globals()[name] = _name_later(name)
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, *_ROOMS, *_plugin_entries("families")})


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
    "constructor",
    "families",
    "family",
    "from_networkx",
    "verify",
]
