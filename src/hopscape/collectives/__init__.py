"""Collectives for any network: the best schedule of all algorithms, and lower bounds beside it."""

from hopscape.collectives.bounds import Bound, lower_bounds
from hopscape.collectives.choose import algorithms, report, run_algorithm
from hopscape.collectives.front import (
    all_gather,
    all_reduce,
    all_to_all,
    broadcast,
    gather,
    multicast,
    permute,
    reduce,
    reduce_scatter,
    scatter,
)
from hopscape.collectives.generic import make_schedule, route_packets
from hopscape.collectives.trees import Tree, shortest_path_tree

__all__ = [
    "Bound",
    "Tree",
    "algorithms",
    "all_gather",
    "all_reduce",
    "all_to_all",
    "broadcast",
    "gather",
    "lower_bounds",
    "make_schedule",
    "multicast",
    "permute",
    "reduce",
    "reduce_scatter",
    "report",
    "route_packets",
    "run_algorithm",
    "scatter",
    "shortest_path_tree",
]
