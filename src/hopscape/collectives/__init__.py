"""Collectives for any network: trees, greedy packet schedules, and lower bounds beside them."""

from hopscape.collectives.bounds import Bound, lower_bounds
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
    "route_packets",
    "scatter",
    "shortest_path_tree",
]
