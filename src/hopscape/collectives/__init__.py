"""Collectives for any network: trees, greedy packet schedules, and lower bounds beside them."""

from hopscape.collectives.bounds import Bound, lower_bounds
from hopscape.collectives.choose import algorithms, report, run_algorithm
from hopscape.collectives.generic import (
    all_gather,
    all_reduce,
    all_to_all,
    broadcast,
    gather,
    make_schedule,
    one_to_many,
    permutation,
    reduce,
    route_packets,
    scatter,
)
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
    "one_to_many",
    "permutation",
    "reduce",
    "report",
    "route_packets",
    "run_algorithm",
    "scatter",
    "shortest_path_tree",
]
