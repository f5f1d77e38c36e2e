"""What a network is worth: distances, cuts, connectivity, loads, cost."""

from typing import TYPE_CHECKING

from hopscape.core.plugins import later
from hopscape.metrics.bisection import Bisection, bisection
from hopscape.metrics.columns import diameter, mean_distance, radius
from hopscape.metrics.cost import moore_bound, moore_diameter, moore_mean_distance
from hopscape.metrics.distances import DistanceProfile, distance_profile
from hopscape.metrics.structure import (
    DegreeStatistics,
    degree_statistics,
    edge_connectivity,
    girth,
    node_connectivity,
    vertex_transitive,
)

if TYPE_CHECKING:
    from hopscape.metrics.cost import BestKnown, best_known
    from hopscape.metrics.disjoint import disjoint_paths
    from hopscape.metrics.load import ChannelLoad, channel_load
    from hopscape.metrics.structure import Spectrum, edge_transitive, intersection_array, spectrum

__all__ = [
    "BestKnown",
    "Bisection",
    "ChannelLoad",
    "DegreeStatistics",
    "DistanceProfile",
    "Spectrum",
    "best_known",
    "bisection",
    "channel_load",
    "degree_statistics",
    "diameter",
    "disjoint_paths",
    "distance_profile",
    "edge_connectivity",
    "edge_transitive",
    "girth",
    "intersection_array",
    "mean_distance",
    "moore_bound",
    "moore_diameter",
    "moore_mean_distance",
    "node_connectivity",
    "radius",
    "spectrum",
    "vertex_transitive",
]

__getattr__ = later(
    __name__,
    {
        "disjoint": ("disjoint_paths",),
        "cost": ("BestKnown", "best_known"),
        "load": ("ChannelLoad", "channel_load"),
        "structure": ("Spectrum", "edge_transitive", "intersection_array", "spectrum"),
    },
)
